"""Rules for the whole numbers of a model that say more than a range: trees, paths, patterns, types.

Each function raises `ValidationError` for the first number that breaks its rule. Numbers lie in the
ranges of references.py by then.
"""

from typing import TYPE_CHECKING

import numpy as np

from ..tables.enum_tables import CHOICES, enumeration
from ..tables.enums import (
    GEOM_HFIELD,
    GEOM_MESH,
    GEOM_SDF,
)
from .attachment_rules import actuators, equalities, sensors, tendons, tuples
from .named import NAMED
from .validation import ValidationError, in_range, refuse, same, starts, total

if TYPE_CHECKING:
    from .model import Model, Option


# arrays that the rules look at and the table does not name
LOOKED_AT = """
dof_simplenum geom_dataid geom_condim pair_dim bvh_child bvh_nodeid cam_resolution hfield_adr
hfield_nrow hfield_ncol tex_adr tex_height tex_width mesh_face mesh_facenormal mesh_facetexcoord
mesh_graph mesh_polyvert mesh_polymap skin_face skin_bonevertid eq_objtype eq_obj1id eq_obj2id
wrap_objid wrap_prm actuator_trnid actuator_history sensor_objtype sensor_objid sensor_reftype
sensor_refid sensor_intprm sensor_history tuple_objtype tuple_objid names_map D_diag
"""
NQ, NV = np.array([7, 4, 1, 1]), np.array([6, 3, 1, 1])  # by mjtJoint


# ---------------------------------------------------------------- bodies, joints, dofs


def bodies(m: "Model") -> None:
    """Parents come first; roots and welded bodies follow from them."""
    own, parent = np.arange(m.nbody), m.body_parentid
    if not m.nbody:
        raise ValidationError("nbody: found 0, expected 1 or more")
    refuse("body_parentid", parent >= np.maximum(own, 1), parent, "a body before it")
    same("body_rootid", m.body_rootid, np.where(parent == 0, own, m.body_rootid[parent]))
    above = m.body_weldid[parent]
    above[0] = 0
    welded = (m.body_weldid == above) & (m.body_jntnum == 0)
    refuse("body_weldid", ~welded & (m.body_weldid != own), m.body_weldid, own)
    mocap = np.sort(m.body_mocapid[m.body_mocapid >= 0])
    total("body_mocapid", "nmocap", len(mocap), m)
    refuse("body_mocapid", mocap != np.arange(m.nmocap), mocap, "each number once")


def _groups(m: "Model", owner: str, num: str, adr: str) -> None:
    """Things of a body lie side by side, in the order of bodies."""
    ids, own = getattr(m, owner), np.arange(getattr(m, owner).size)
    refuse(owner, ids != np.maximum.accumulate(ids) if own.size else own > 0, ids, "rising ids")
    counts = np.bincount(ids, minlength=m.nbody)
    same(num, getattr(m, num), counts)
    same(adr, getattr(m, adr), np.where(counts > 0, starts(counts), -1))


def joints(m: "Model") -> None:
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


def dofs(m: "Model") -> None:
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


def _depths(m: "Model") -> np.ndarray:
    """Number of dofs from each one up to the root."""
    depth = []
    for parent in m.dof_parentid.tolist():
        depth.append(depth[parent] + 1 if parent >= 0 else 1)
    return np.array(depth, np.int64)


def patterns(m: "Model") -> None:
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


def geoms(m: "Model") -> None:
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


def grids(m: "Model") -> None:
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


def meshes(m: "Model") -> None:
    """Parts of a mesh are numbered within the mesh."""
    if not m.nmesh:
        return
    for part in ("vert", "face", "normal", "poly"):
        number, size = getattr(m, f"mesh_{part}num"), f"nmesh{part}"
        total(f"mesh_{part}num", size, int(number.sum()), m)
        same(f"mesh_{part}adr", getattr(m, f"mesh_{part}adr"), starts(number))
    # corners of triangles may have no normals and no texture coordinates
    for name, of, low in (
        ("mesh_face", m.mesh_vertnum, 0),
        ("mesh_facenormal", m.mesh_normalnum, -1),
        ("mesh_facetexcoord", np.maximum(m.mesh_texcoordnum, 1), -1),
    ):
        values = getattr(m, name).reshape(-1)
        size = np.repeat(of[_owners(m.mesh_facenum)], 3)
        in_range(name, np.full(values.shape, True), values, low, size)
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


def _hull(m: "Model", mesh: int) -> None:
    """The graph of a mesh's convex hull ends where it says, and names vertices of the mesh."""
    start, graph = int(m.mesh_graphadr[mesh]), m.mesh_graph
    vertices, faces = (*graph[start : start + 2].tolist(), 0)[:2]
    length = 2 + 3 * vertices + 6 * faces
    if vertices < 1 or faces < 0 or start + length > m.nmeshgraph:
        raise ValidationError(
            f"mesh_graph[{start}]: found {vertices} vertices and {faces} triangles, expected a "
            f"hull that ends at nmeshgraph = {m.nmeshgraph}"
        )
    edges = vertices + 3 * faces
    parts = np.split(graph[start + 2 : start + length], np.cumsum([vertices, vertices, edges]))
    whole = "mesh_graph"
    for values, low, size in zip(
        parts, (0, 0, -1, 0), (edges, m.mesh_vertnum[mesh], vertices, m.mesh_vertnum[mesh]),
        strict=True,
    ):  # fmt: skip
        in_range(whole, np.full(values.shape, True), values, low, size)
    if parts[2][-1] != -1:
        raise ValidationError(
            f"{whole}: found {parts[2][-1]} after the last edge of a hull, expected -1"
        )


def volumes(m: "Model") -> None:
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
    early = (m.flex_bvhnum > 0) & (m.flex_bvhadr < m.nbvhstatic)
    refuse("flex_bvhadr", early, m.flex_bvhadr, f"nbvhstatic={m.nbvhstatic} or more: they move")


def skins(m: "Model") -> None:
    """Triangles and bones of a skin name vertices of it."""
    if not m.nskin:
        return
    total("skin_facenum", "nskinface", int(m.skin_facenum.sum()), m)
    faces, size = m.skin_face.reshape(-1), m.skin_vertnum[_owners(m.skin_facenum)]
    in_range("skin_face", np.full(faces.shape, True), faces, 0, np.repeat(size, 3))
    ids = m.skin_bonevertid
    in_range("skin_bonevertid", np.full(ids.shape, True), ids, 0, m.nskinvert)


# ---------------------------------------------------------------- options and texts


def options(m: "Model") -> None:
    """Kinds of integrators, cones, Jacobians and solvers are there."""
    known_kinds(m.opt)


def known_kinds(opt: "Option") -> None:
    """The same of options that were edited."""
    for name in ("integrator", "cone", "jacobian", "solver"):
        found, count = getattr(opt, name), len(enumeration(CHOICES[name]))
        if not 0 <= found < count:
            raise ValidationError(f"opt.{name}: found {found}, expected 0 to {count - 1}")


def texts(m: "Model") -> None:
    """Names and paths end with a zero, and are text."""
    for name, size in (("names", "nnames"), ("paths", "npaths"), ("text_data", "ntextdata")):
        found = getattr(m, name)
        if len(found) != getattr(m, size):
            raise ValidationError(
                f"{name}: found {len(found)} bytes, expected {size} = {getattr(m, size)}"
            )
        if found and found[-1]:
            raise ValidationError(f"{name}: found {found[-1:]!r} at the end, expected a zero")
        try:
            found.decode()
        except UnicodeDecodeError as error:
            raise ValidationError(
                f"{name}: found bytes that are no UTF-8 at {error.start}"
            ) from None
    slots = [2 * getattr(m, size) for size, _ in NAMED.values()]
    if sum(slots) == m.nnames_map:
        sizes = np.repeat([getattr(m, size) for size, _ in NAMED.values()], slots)
        in_range("names_map", np.full(m.nnames_map, True), m.names_map, -1, sizes)


def deformables(m: "Model") -> None:
    """All rules for deformables, see flex_rules.py."""
    if m.nflex:
        from .flex_rules import RULES as OF_FLEXES

        for rule in OF_FLEXES:
            rule(m)


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
    deformables,
    equalities,
    tendons,
    actuators,
    sensors,
    tuples,
    texts,
)
