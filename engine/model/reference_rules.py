"""Rules for the whole numbers of a model that say more than a range: trees, paths, patterns, types.

Each function raises `Bad` for the first number that breaks its rule. Numbers lie in the ranges of
references.py by then.
"""

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from ..enums import (
    DYN_NONE,
    EQ_CONNECT,
    EQ_JOINT,
    EQ_TENDON,
    EQ_WELD,
    GEOM_HFIELD,
    GEOM_MESH,
    GEOM_SDF,
    JNT_BALL,
    OBJ_BODY,
    OBJ_CAMERA,
    OBJ_JOINT,
    OBJ_SITE,
    OBJ_TENDON,
    SENS_BALLANGVEL,
    SENS_BALLQUAT,
    SENS_CONTACT,
    SENS_RANGEFINDER,
    SENS_USER,
    TRN_BODY,
    TRN_JOINT,
    TRN_JOINTINPARENT,
    TRN_SITE,
    TRN_SLIDERCRANK,
    TRN_TENDON,
    WRAP_CYLINDER,
    WRAP_JOINT,
    WRAP_PULLEY,
    WRAP_SITE,
    WRAP_SPHERE,
)
from ..sensor_kinds import CONTACT, FRAMES, NSENS, OBJECTS, RAY, REDUCE, SENSORS
from .named import NAMED
from .references import Bad, refuse

if TYPE_CHECKING:
    from .model import Model

# arrays that the rules look at and the table does not name
LOOKED_AT = """
dof_simplenum geom_dataid geom_condim pair_dim bvh_child bvh_nodeid cam_resolution hfield_adr
hfield_nrow hfield_ncol tex_adr tex_height tex_width mesh_face mesh_facenormal mesh_facetexcoord
mesh_graph mesh_polyvert mesh_polymap skin_face skin_bonevertid eq_objtype eq_obj1id eq_obj2id
wrap_objid wrap_prm actuator_trnid actuator_history sensor_objtype sensor_objid sensor_reftype
sensor_refid sensor_intprm sensor_history tuple_objtype tuple_objid names_map D_diag
"""
NQ, NV = np.array([7, 4, 1, 1]), np.array([6, 3, 1, 1])  # by mjtJoint


def same(name: str, found: np.ndarray, expected: np.ndarray) -> None:
    """Raise `Bad` where an array differs from what others say that it is."""
    refuse(name, found != expected, found, expected)


def in_range(name: str, where, values, low, size) -> None:
    """Raise `Bad` for values out of a range where a condition holds; size may differ by element."""
    size = np.broadcast_to(size, values.shape)
    bad = where & ((values < low) | (values >= size))
    if bad.any():
        k = int(np.argmax(bad))
        raise Bad(f"{name}[{k}]: found {values[k]}, expected {low} to {size[k] - 1}")


def starts(counts: np.ndarray) -> np.ndarray:
    """First place of each of some groups that follow one another."""
    return np.cumsum(counts) - counts


def total(name: str, size: str, found: int, model: "Model") -> None:
    """Raise `Bad` where counts do not add up to a size."""
    if found != getattr(model, size):
        raise Bad(f"{name}: found {found} in all, expected {size} = {getattr(model, size)}")


# ---------------------------------------------------------------- bodies, joints, dofs


def bodies(m) -> None:
    """Parents come first; roots and welded bodies follow from them."""
    own, parent = np.arange(m.nbody), m.body_parentid
    if not m.nbody:
        raise Bad("nbody: found 0, expected 1 or more")
    refuse("body_parentid", parent >= np.maximum(own, 1), parent, "a body before it")
    same("body_rootid", m.body_rootid, np.where(parent == 0, own, m.body_rootid[parent]))
    above = m.body_weldid[parent]
    above[0] = 0
    welded = (m.body_weldid == above) & (m.body_jntnum == 0)
    refuse("body_weldid", ~welded & (m.body_weldid != own), m.body_weldid, own)
    mocap = np.sort(m.body_mocapid[m.body_mocapid >= 0])
    total("body_mocapid", "nmocap", len(mocap), m)
    refuse("body_mocapid", mocap != np.arange(m.nmocap), mocap, "each number once")


def _groups(m, owner: str, num: str, adr: str) -> None:
    """Things of a body lie side by side, in the order of bodies."""
    ids, own = getattr(m, owner), np.arange(getattr(m, owner).size)
    refuse(owner, ids != np.maximum.accumulate(ids) if own.size else own > 0, ids, "rising ids")
    counts = np.bincount(ids, minlength=m.nbody)
    same(num, getattr(m, num), counts)
    same(adr, getattr(m, adr), np.where(counts > 0, starts(counts), -1))


def joints(m) -> None:
    """Joints and dofs lie in the order of bodies, with as many numbers as their types have."""
    _groups(m, "jnt_bodyid", "body_jntnum", "body_jntadr")
    nq, nv = NQ[m.jnt_type], NV[m.jnt_type]
    total("jnt_type: positions", "nq", int(nq.sum()), m)
    total("jnt_type: degrees of freedom", "nv", int(nv.sum()), m)
    same("jnt_qposadr", m.jnt_qposadr, starts(nq))
    same("jnt_dofadr", m.jnt_dofadr, starts(nv))
    same("dof_jntid", m.dof_jntid, np.repeat(np.arange(m.njnt), nv))
    same("dof_bodyid", m.dof_bodyid, m.jnt_bodyid[m.dof_jntid])
    counts = np.bincount(m.dof_bodyid, minlength=m.nbody)
    same("body_dofnum", m.body_dofnum, counts)
    same("body_dofadr", m.body_dofadr, np.where(counts > 0, starts(counts), -1))


def dofs(m) -> None:
    """The tree of dofs is that of the bodies."""
    above = []  # last dof of each body and those above it
    parents, last = m.body_parentid.tolist(), (m.body_dofadr + m.body_dofnum - 1).tolist()
    for body, count in enumerate(m.body_dofnum.tolist()):
        above.append(last[body] if count else (above[parents[body]] if body else -1))
    first = np.arange(m.nv) == m.body_dofadr[m.dof_bodyid]
    parent = np.array(above, np.int64)[m.body_parentid[m.dof_bodyid]]
    parent = np.where(m.dof_bodyid == 0, -1, parent)
    same("dof_parentid", m.dof_parentid, np.where(first, parent, np.arange(m.nv) - 1))
    trees = np.cumsum(m.dof_parentid < 0) - 1
    same("dof_treeid", m.dof_treeid, trees)
    total("dof_treeid: trees", "ntree", int(trees[-1]) + 1 if m.nv else 0, m)
    tree = np.full(m.nbody, -1)
    moving = m.body_dofnum[m.body_weldid] > 0
    tree[moving] = m.dof_treeid[m.body_dofadr[m.body_weldid[moving]]]
    same("body_treeid", m.body_treeid, tree)
    same("tree_dofnum", m.tree_dofnum, np.bincount(trees, minlength=m.ntree))
    same("tree_dofadr", m.tree_dofadr, starts(m.tree_dofnum))


def _depths(m) -> np.ndarray:
    """Number of dofs from each one up to the root."""
    depth = []
    for parent in m.dof_parentid.tolist():
        depth.append(depth[parent] + 1 if parent >= 0 else 1)
    return np.array(depth, np.int64)


def patterns(m) -> None:
    """Rows of M hold a dof and those above it, rows of D those below as well."""
    depth = _depths(m)
    total("dof_parentid: entries of qM", "nM", int(depth.sum()), m)
    same("dof_Madr", m.dof_Madr, starts(depth))
    run = np.append(m.dof_simplenum[1:], 0) + 1
    simple = m.dof_simplenum
    refuse("dof_simplenum", (simple != 0) & (simple != run), simple, run)
    same("M_rownnz", m.M_rownnz, np.where(simple > 0, 1, depth))
    for rows, size in (("M", "nC"), ("D", "nD"), ("B", "nB")):
        number = getattr(m, f"{rows}_rownnz")
        total(f"{rows}_rownnz", size, int(number.sum()), m)
        same(f"{rows}_rowadr", getattr(m, f"{rows}_rowadr"), starts(number))
    ends = m.M_rowadr + m.M_rownnz - 1
    expected = np.zeros(m.nC, np.int64)
    expected[:-1] = m.dof_parentid[m.M_colind[1:]]
    expected[ends] = np.arange(m.nv)
    same("M_colind", m.M_colind, expected)
    in_range("D_diag", np.full(m.nv, True), m.D_diag, 0, m.D_rownnz)
    diagonal = m.D_rowadr + m.D_diag
    found = m.D_colind[diagonal]
    refuse("D_colind", found != np.arange(m.nv), found, np.arange(m.nv))
    rising = np.append(True, np.diff(m.D_colind) > 0)
    rising[m.D_rowadr] = True
    refuse("D_colind", ~rising, m.D_colind, "rising numbers in each row")


# ---------------------------------------------------------------- shapes


def geoms(m) -> None:
    """Geoms lie in the order of bodies; shapes that are made of data have some."""
    _groups(m, "geom_bodyid", "body_geomnum", "body_geomadr")
    kind, data = m.geom_type, m.geom_dataid
    field, mesh = kind == GEOM_HFIELD, (kind == GEOM_MESH) | (kind == GEOM_SDF)
    in_range("geom_dataid", field, data, 0, m.nhfield)
    in_range("geom_dataid", mesh, data, 0, m.nmesh)
    in_range("geom_dataid", ~field & ~mesh, data, -1, m.nmesh)
    for name in ("geom_condim", "flex_condim", "pair_dim"):
        dims = getattr(m, name)
        refuse(name, ~np.isin(dims, (1, 3, 4, 6)), dims, "1, 3, 4 or 6")
    refuse("cam_resolution", m.cam_resolution.reshape(-1) < 0, m.cam_resolution, "0 or more")


def grids(m) -> None:
    """Height fields and textures have room for their samples."""
    if not m.nhfield and not m.ntex:
        return
    for name in ("hfield_nrow", "hfield_ncol"):
        refuse(name, getattr(m, name) < 1, getattr(m, name), "1 or more")
    for name in ("tex_height", "tex_width"):
        refuse(name, getattr(m, name) < 0, getattr(m, name), "0 or more")
    cells = m.hfield_nrow.astype(np.int64) * m.hfield_ncol
    pixels = m.tex_height.astype(np.int64) * m.tex_width * m.tex_nchannel
    for name, counts, size in (
        ("hfield_adr", cells, m.nhfielddata),
        ("tex_adr", pixels, m.ntexdata),
    ):
        in_range(name, np.full(counts.shape, True), getattr(m, name), 0, size - counts + 1)


def _owners(counts: np.ndarray) -> np.ndarray:
    """The group of each element, where groups follow one another."""
    return np.repeat(np.arange(len(counts)), counts)


def meshes(m) -> None:
    """Parts of a mesh are numbered within the mesh."""
    if not m.nmesh:
        return
    for part in ("vert", "face", "normal", "poly"):
        number, size = getattr(m, f"mesh_{part}num"), f"nmesh{part}"
        total(f"mesh_{part}num", size, int(number.sum()), m)
        same(f"mesh_{part}adr", getattr(m, f"mesh_{part}adr"), starts(number))
    for name, of in (
        ("mesh_face", m.mesh_vertnum),
        ("mesh_facenormal", m.mesh_normalnum),
        ("mesh_facetexcoord", np.maximum(m.mesh_texcoordnum, 1)),
    ):
        values = getattr(m, name).reshape(-1)
        size = np.repeat(of[_owners(m.mesh_facenum)], 3)
        in_range(name, np.full(values.shape, True), values, 0, size)
    for name, of, number in (
        ("mesh_polyvert", m.mesh_vertnum[_owners(m.mesh_polynum)], m.mesh_polyvertnum),
        ("mesh_polymap", m.mesh_polynum[_owners(m.mesh_vertnum)], m.mesh_polymapnum),
    ):
        values = getattr(m, name)
        total(f"{name}num", f"n{name.replace('_', '')}", int(number.sum()), m)
        same(f"{name}adr", getattr(m, f"{name}adr"), starts(number))
        in_range(name, np.full(values.shape, True), values, 0, np.repeat(of, number))
    for mesh in np.flatnonzero(m.mesh_graphadr >= 0):
        _hull(m, int(mesh))


def _hull(m, mesh: int) -> None:
    """The graph of a mesh's convex hull ends where it says, and names vertices of the mesh."""
    start, graph = int(m.mesh_graphadr[mesh]), m.mesh_graph
    vertices, faces = (*graph[start : start + 2].tolist(), 0)[:2]
    length = 2 + 3 * vertices + 6 * faces
    if vertices < 1 or faces < 0 or start + length > m.nmeshgraph:
        raise Bad(f"mesh_graph[{start}]: found {vertices} vertices and {faces} triangles of a "
                  f"hull, expected what ends at nmeshgraph = {m.nmeshgraph}")  # fmt: skip
    edges = vertices + 3 * faces
    parts = np.split(graph[start + 2 : start + length], np.cumsum([vertices, vertices, edges]))
    whole = "mesh_graph"
    for values, low, size in zip(
        parts, (0, 0, -1, 0), (edges, m.mesh_vertnum[mesh], vertices, m.mesh_vertnum[mesh]),
        strict=True,
    ):  # fmt: skip
        in_range(whole, np.full(values.shape, True), values, low, size)
    if parts[2][-1] != -1:
        raise Bad(f"{whole}: found {parts[2][-1]} after the last edge of a hull, expected -1")


def volumes(m) -> None:
    """Children in trees of bounding volumes come after their parents, leaves are there."""
    if not m.nbvhstatic:
        return
    adr = np.concatenate([m.body_bvhadr, m.mesh_bvhadr])
    num = np.concatenate([m.body_bvhnum, m.mesh_bvhnum])
    leaves = np.concatenate([np.full(m.nbody, m.ngeom), m.mesh_facenum])
    adr, num, leaves = adr[num > 0], num[num > 0], leaves[num > 0]
    count = int(num.sum())
    # volumes of bodies that were fused are counted, but belong to none
    if count > m.nbvhstatic:
        total("body_bvhnum, mesh_bvhnum", "nbvhstatic", count, m)
    same("body_bvhadr, mesh_bvhadr", adr, starts(num))
    place = np.arange(count) - np.repeat(adr, num)
    size = np.repeat(num, num)
    child, node = m.bvh_child[:count], m.bvh_nodeid[:count]
    for k in range(2):
        bad = (child[:, k] != -1) & ((child[:, k] <= place) | (child[:, k] >= size))
        refuse("bvh_child", bad, child[:, k], "-1, or a node after it in its tree")
        refuse("bvh_child", (node < 0) & (child[:, k] < 0), child[:, k], "a child, or a leaf")
    in_range("bvh_nodeid", np.full(count, True), node, -1, np.repeat(leaves, num))


def skins(m) -> None:
    """Triangles and bones of a skin name vertices of it."""
    if not m.nskin:
        return
    total("skin_facenum", "nskinface", int(m.skin_facenum.sum()), m)
    faces, size = m.skin_face.reshape(-1), m.skin_vertnum[_owners(m.skin_facenum)]
    in_range("skin_face", np.full(faces.shape, True), faces, 0, np.repeat(size, 3))
    ids = m.skin_bonevertid
    in_range("skin_bonevertid", np.full(ids.shape, True), ids, 0, m.nskinvert)


# ---------------------------------------------------------------- what elements are attached to


@cache
def _object_sizes() -> tuple[str, ...]:
    """Size of each kind of element by mjtObj; "" for none."""
    names = {**{kind: size for kind, (size, _) in NAMED.items()}, "xbody": "nbody", "dof": "nv"}
    return tuple(names.get(kind, "") for kind in OBJECTS)


def _sizes_of(m, name: str, kinds: np.ndarray) -> np.ndarray:
    """How many elements there are of some kinds (mjtObj)."""
    sizes = np.array([getattr(m, size) if size else 0 for size in _object_sizes()])
    in_range(name, np.full(kinds.shape, True), kinds, 0, len(sizes))
    return sizes[kinds]


def equalities(m) -> None:
    """Both objects of an equality are of its kind."""
    if not m.neq:
        return
    rigid = m.eq_type <= EQ_TENDON
    kinds = np.where(m.eq_type == EQ_JOINT, OBJ_JOINT, OBJ_TENDON)
    bodies_or_sites = np.isin(m.eq_type, (EQ_CONNECT, EQ_WELD))
    kinds = np.where(bodies_or_sites, m.eq_objtype, np.where(rigid, kinds, 0))
    in_range("eq_obj1id", ~rigid, m.eq_obj1id, 0, m.nflex)
    bad = bodies_or_sites & ~np.isin(kinds, (OBJ_BODY, OBJ_SITE))
    refuse("eq_objtype", bad, kinds, f"{OBJ_BODY} or {OBJ_SITE}")
    sizes = _sizes_of(m, "eq_objtype", kinds)
    in_range("eq_obj1id", rigid, m.eq_obj1id, 0, sizes)
    single = np.isin(m.eq_type, (EQ_JOINT, EQ_TENDON))
    in_range("eq_obj2id", rigid & single, m.eq_obj2id, -1, sizes)
    in_range("eq_obj2id", rigid & ~single, m.eq_obj2id, 0, sizes)


def flexes(m) -> None:
    """Rows of deformables follow one another; elements and edges have their own vertices."""
    if not m.nflex:
        return
    dims = m.flex_dim
    refuse("flex_dim", (dims < 1) | (dims > 3), dims, "1, 2 or 3")
    order = np.abs(m.flex_interp)
    refuse("flex_interp", order > 2, m.flex_interp, "-2 to 2")
    refuse("flex_cellnum", (m.flex_cellnum < 1).any(axis=1), m.flex_cellnum[:, 0], "1 or more")
    grid = np.prod(m.flex_cellnum.astype(np.int64) * order[:, None] + 1, axis=1)
    same("flex_nodenum", m.flex_nodenum, np.where(order > 0, grid, m.flex_nodenum))
    # lists of rows
    counts = {
        "node": m.flex_nodenum, "vert": m.flex_vertnum, "edge": m.flex_edgenum,
        "elem": m.flex_elemnum, "elemdata": m.flex_elemnum * (dims + 1),
        "elemedge": m.flex_elemnum * np.array((1, 3, 6))[dims - 1],
    }  # fmt: skip
    for name, count in counts.items():
        same(f"flex_{name}adr", getattr(m, f"flex_{name}adr"), starts(count))
        total(f"flex_{name}num", f"nflex{name}", int(count.sum()), m)
    # what they hold, counted in the deformable
    owners = {name: np.repeat(np.arange(m.nflex), count) for name, count in counts.items()}
    for name, owner, most in (
        ("flex_edge", owners["edge"].repeat(2), m.flex_vertnum),
        ("flex_edgeflap", owners["edge"].repeat(2), m.flex_vertnum),
        ("flex_elem", owners["elemdata"], m.flex_vertnum),
        ("flex_elemedge", owners["elemedge"], m.flex_edgenum),
    ):
        values = getattr(m, name).ravel()
        in_range(name, np.array(True), values, -1 if name == "flex_edgeflap" else 0, most[owner])
    own = (m.flex_interp == 0)[owners["vert"]]
    in_range("flex_vertbodyid", own, m.flex_vertbodyid, 0, m.nbody)
    # elasticity
    for name, size in (("stiffness", _stiffness_sizes(m, order)), ("bending", _bending_sizes(m))):
        adr = getattr(m, f"flex_{name}adr")
        in_range(f"flex_{name}adr", adr >= 0, adr + size, 0, getattr(m, f"nflex{name}") + 1)
    # Jacobians of vertices, and the edges around them
    nnz, adr = m.flexvert_J_rownnz.ravel(), m.flexvert_J_rowadr.ravel()
    in_range("flexvert_J_rownnz", np.array(True), nnz, 0, m.nv + 1)
    in_range("flexvert_J_rowadr", np.array(True), adr, 0, 2 * m.nJfv + 1)
    in_range("flexvert_J_rowadr", np.array(True), adr + nnz, 0, 2 * m.nJfv + 1)
    same("flexvert_J_rownnz", nnz[1::2], nnz[::2])
    for v in np.flatnonzero(m.flex_vertedgenum).tolist():
        adr, num = int(m.flex_vertedgeadr[v]), int(m.flex_vertedgenum[v])
        in_range("flex_vertedgeadr", np.array(True), np.array([adr, adr + num]), 0,
                 2 * m.nflexedge + 1)  # fmt: skip
        around = m.flex_vertedge.ravel()[adr : adr + num]
        in_range("flex_vertedge", np.array(True), around, 0, m.flex_edgenum[owners["vert"][v]])


def flex_trees(m) -> None:
    """Trees of boxes over the elements of deformables have leaves and children of their own."""
    for f in np.flatnonzero(m.flex_bvhnum > 0).tolist():
        count = int(m.flex_bvhnum[f])
        here = slice(m.flex_bvhadr[f], m.flex_bvhadr[f] + count)
        leaves, children = m.bvh_nodeid[here], m.bvh_child[here].ravel()
        in_range("bvh_nodeid", np.array(True), leaves, -1, m.flex_elemnum[f])
        in_range("bvh_child", np.array(True), children, -1, count)
        # no node is its own descendant, and all nodes but leaves have two children
        bad = (children != -1) & (children <= np.repeat(np.arange(count), 2))
        refuse("bvh_child", bad, children, "-1, or a node after it in its tree")
        bad = (leaves < 0) & (m.bvh_child[here] < 0).any(axis=1)
        refuse("bvh_child", bad, m.bvh_child[here].min(axis=1), "a child, or a leaf")


def flex_neighbours(m) -> None:
    """Vertices of deformables that may touch elements are their own."""
    if not m.nflex:
        return
    total("flex_evpairnum", "nflexevpair", int(m.flex_evpairnum.sum()), m)
    adr, count = m.flex_evpairadr, m.flex_evpairnum
    same("flex_evpairadr", adr, np.where(count > 0, starts(count), adr))
    elements, vertices = m.flex_evpair.reshape(-1, 2).T
    everywhere = np.full(elements.shape, True)
    for values, sizes in ((elements, m.flex_elemnum), (vertices, m.flex_vertnum)):
        in_range("flex_evpair", everywhere, values, 0, np.repeat(sizes, m.flex_evpairnum))


def _stiffness_sizes(m, order: np.ndarray) -> np.ndarray:
    """Numbers that the stiffness of each deformable has, (nflex,)."""
    cells, shell = m.flex_cellnum.astype(np.int64), m.flex_interp < 0
    x, y, z = cells.T
    count = np.where(shell, 2 * (x * y + y * z + z * x), x * y * z)
    nodes = (order + 1) ** np.where(shell, 2, 3)
    return np.where(order > 0, count * (3 * nodes) ** 2, 21 * m.flex_elemnum.astype(np.int64))


def _bending_sizes(m) -> np.ndarray:
    """Numbers that the bending of each deformable has, (nflex,)."""
    sizes = 17 * m.flex_edgenum.astype(np.int64)
    for f in np.flatnonzero((m.flex_interp < 0) & (m.flex_bendingadr >= 0)).tolist():
        x, y, z = m.flex_cellnum[f].tolist()
        most = 4 * (x * y + y * z + z * x)
        adr = m.flex_bendingadr[f]
        count = m.flex_bending[adr]
        if not 0 <= count <= most:
            raise Bad(f"flex_bending[{adr}]: found {count:g}, expected 0 to {most}")
        sizes[f] = 1 + 10 * int(count)
        cells = m.flex_bending[adr + 1 : adr + sizes[f]].reshape(-1, 10)[:, :2]
        if not ((cells >= 0) & (cells < most // 2)).all():
            raise Bad(f"flex_bending: expected cells from 0 to {most // 2 - 1}")
    return sizes


def tendons(m) -> None:
    """Paths hold joints, or sites behind pulleys; what they wrap around lies between sites."""
    if not m.ntendon and not m.nwrap:
        return
    kind, ids = m.wrap_type, m.wrap_objid
    round_ = (kind == WRAP_SPHERE) | (kind == WRAP_CYLINDER)
    in_range("wrap_objid", kind == WRAP_JOINT, ids, 0, m.njnt)
    in_range("wrap_objid", kind == WRAP_SITE, ids, 0, m.nsite)
    in_range("wrap_objid", round_, ids, 0, m.ngeom)
    # the site on the side where a tendon passes
    side = m.wrap_prm
    refuse("wrap_prm", round_ & ~((side >= -1) & (side < m.nsite)), side, "-1, or the id of a site")
    total("tendon_num", "nwrap", int(m.tendon_num.sum()), m)
    same("tendon_adr", m.tendon_adr, starts(m.tendon_num))
    for adr, num in zip(m.tendon_adr.tolist(), m.tendon_num.tolist(), strict=True):
        _path(kind[adr : adr + num], adr)
    same("ten_J_rowadr", m.ten_J_rowadr, starts(m.ten_J_rownnz))


def _path(kind: np.ndarray, adr: int) -> None:
    """Raise `Bad` for a path that cannot be followed to its end."""
    if not (kind == WRAP_JOINT).any():
        site = kind == WRAP_SITE
        bad = kind > WRAP_SITE
        bad[1:-1] &= ~(site[:-2] & site[2:])
        bad[-1:] |= ~site[-1:]
        # a path may begin with a pulley, not end with one
        bad[:1] |= ~site[:1] & (kind[:1] != WRAP_PULLEY)
        bad[1:] |= (kind[:-1] == WRAP_PULLEY) & ~site[1:]
    else:
        bad = kind != WRAP_JOINT
    if bad.any():
        k = int(np.argmax(bad))
        raise Bad(f"wrap_type[{adr + k}]: found {kind[k]}, expected joints alone, or sites at both "
                  "ends and on both sides of a geom")  # fmt: skip


def actuators(m) -> None:
    """What actuators act on is there, and so are their activations and histories."""
    if not m.nu:
        return
    kind = m.actuator_trntype
    first, second = m.actuator_trnid[:, 0], m.actuator_trnid[:, 1]
    joint = (kind == TRN_JOINT) | (kind == TRN_JOINTINPARENT)
    crank, site = kind == TRN_SLIDERCRANK, kind == TRN_SITE
    for where, size in (
        (joint, m.njnt),
        (kind == TRN_TENDON, m.ntendon),
        (site | crank, m.nsite),
        (kind == TRN_BODY, m.nbody),
    ):
        in_range("actuator_trnid", where, first, 0, size)
    in_range("actuator_trnid", crank, second, 0, m.nsite)
    in_range("actuator_trnid", site, second, -1, m.nsite)
    bare = (m.actuator_dyntype != DYN_NONE) & (m.actuator_actnum < 1)
    bare &= m.actuator_dyntype < DYN_NONE + 5  # motors may do without
    refuse("actuator_actnum", bare, m.actuator_actnum, "1 or more")
    _histories(m, "actuator", np.ones(m.nu, int))


def _histories(m, kind: str, dim: np.ndarray) -> None:
    """Delay buffers have room for their samples."""
    history, adr = getattr(m, f"{kind}_history"), getattr(m, f"{kind}_historyadr")
    number, order = history[:, 0].astype(np.int64), history[:, 1]
    refuse(f"{kind}_history", number < 0, number, "0 or more samples")
    refuse(f"{kind}_history", (order < 0) | (order > 2), order, "an order of 0 to 2")
    length = np.where(number > 0, 2 + number * (1 + dim), 0)
    in_range(f"{kind}_historyadr", number > 0, adr, 0, m.nhistory - length + 1)


@cache
def _sensor_columns() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """By type: kinds of object and reference that a sensor may have, and its number of values."""
    allowed = np.zeros((2, NSENS, len(OBJECTS)), bool)
    dims = np.full(NSENS, -1)
    for row in SENSORS.values():
        dims[row.type] = row.dim if isinstance(row.dim, int) else -1
        for end, names in zip(allowed, (row.object, row.reference), strict=True):
            kinds = [name.rstrip("12") for name in names.rstrip("?").split("|") if name]
            kinds = list(FRAMES) if kinds in (["objname"], ["refname"]) else kinds
            places = [OBJECTS.index(kind.replace("subtree", "xbody")) for kind in kinds]
            end[row.type, places] = True
            end[row.type, 0] |= not names or names.endswith("?")
    allowed[0, SENS_USER] = True
    return allowed[0], allowed[1], dims


def sensors(m) -> None:
    """Sensors are attached to what their type measures, and deliver what it says."""
    if not m.nsensor:
        return
    *allowed, dims = _sensor_columns()
    for end, known in zip(("obj", "ref"), allowed, strict=True):
        kinds, ids = getattr(m, f"sensor_{end}type"), getattr(m, f"sensor_{end}id")
        sizes = _sizes_of(m, f"sensor_{end}type", kinds)
        bad = ~known[m.sensor_type, kinds]
        refuse(f"sensor_{end}type", bad, kinds, "a kind that this type of sensor has")
        in_range(f"sensor_{end}id", kinds > 0, ids, 0, sizes)
    ball = np.isin(m.sensor_type, (SENS_BALLQUAT, SENS_BALLANGVEL))
    turning = m.jnt_type[np.where(ball, m.sensor_objid, 0)] == JNT_BALL if ball.any() else ~ball
    refuse("sensor_objid", ball & ~turning, m.sensor_objid, "a ball joint")
    total("sensor_dim", "nsensordata", int(m.sensor_dim.astype(np.int64).sum()), m)
    same("sensor_adr", m.sensor_adr, starts(m.sensor_dim))
    expected = _measured(m, dims[m.sensor_type])
    refuse("sensor_dim", (expected >= 0) & (m.sensor_dim != expected), m.sensor_dim, expected)
    _histories(m, "sensor", m.sensor_dim)


def _measured(m, dims: np.ndarray) -> np.ndarray:
    """Number of values of each sensor; -1 where nothing but the model says it."""
    dims, settings = dims.copy(), m.sensor_intprm
    for kind, words in ((SENS_RANGEFINDER, RAY), (SENS_CONTACT, CONTACT)):
        sizes = np.array(list(words.values()))
        for k in np.flatnonzero(m.sensor_type == kind):
            bits, reduce, number = settings[k].tolist()
            if not 0 < bits < 1 << len(sizes):
                raise Bad(f"sensor_intprm[{3 * k}]: found {bits}, expected bits of {len(sizes)}")
            if not 0 <= reduce < len(REDUCE):
                raise Bad(f"sensor_intprm[{3 * k + 1}]: found {reduce}, expected 0 to 3")
            if kind == SENS_RANGEFINDER:
                camera = m.sensor_objtype[k] == OBJ_CAMERA
                number = m.cam_resolution[m.sensor_objid[k]].prod(dtype=int) if camera else 1
            dims[k] = number * sizes[(bits >> np.arange(len(sizes))) & 1 > 0].sum()
    return dims


def tuples(m) -> None:
    """Members of tuples are there."""
    if not m.ntuple:
        return
    kinds, ids = m.tuple_objtype, m.tuple_objid
    in_range("tuple_objid", np.full(ids.shape, True), ids, 0, _sizes_of(m, "tuple_objtype", kinds))


# ---------------------------------------------------------------- options and texts


def options(m) -> None:
    """Kinds of integrators, cones, Jacobians and solvers are there."""
    for name, count in (("integrator", 4), ("cone", 2), ("jacobian", 3), ("solver", 3)):
        if not 0 <= getattr(m.opt, name) < count:
            raise Bad(f"opt.{name}: found {getattr(m.opt, name)}, expected 0 to {count - 1}")


def texts(m) -> None:
    """Names and paths end with a zero, and are text."""
    for name, size in (("names", "nnames"), ("paths", "npaths"), ("text_data", "ntextdata")):
        found = getattr(m, name)
        if len(found) != getattr(m, size):
            raise Bad(f"{name}: found {len(found)} bytes, expected {size} = {getattr(m, size)}")
        if found and found[-1]:
            raise Bad(f"{name}: found {found[-1:]!r} at the end, expected a zero")
        try:
            found.decode()
        except UnicodeDecodeError as error:
            raise Bad(f"{name}: found bytes that are no UTF-8 at {error.start}") from None
    slots = [2 * getattr(m, size) for size, _ in NAMED.values()]
    if sum(slots) == m.nnames_map:
        sizes = np.repeat([getattr(m, size) for size, _ in NAMED.values()], slots)
        in_range("names_map", np.full(m.nnames_map, True), m.names_map, -1, sizes)


RULES = (
    options,
    bodies,
    joints,
    dofs,
    patterns,
    geoms,
    grids,
    meshes,
    volumes,
    skins,
    flexes,
    flex_trees,
    flex_neighbours,
    equalities,
    tendons,
    actuators,
    sensors,
    tuples,
    texts,
)
