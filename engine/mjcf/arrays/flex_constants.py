"""Constants of deformables at qpos0: patterns of Jacobians, metrics, lengths, weights."""

from typing import TYPE_CHECKING

import numpy as np

from ...enums import MINVAL
from ...errors import MjcfError
from ..geometry import pose
from .configuration import Configuration, chain

if TYPE_CHECKING:
    from ...model.model import Model
    from .inverse import InverseInertia

EDGES, VERTICES = 1, 2  # flex_edgeequality
PLANAR = 1e-15  # how far vertices of a constrained sheet may be from its plane (m)


def jacobian_sizes(model: "Model") -> dict[str, int]:
    """Sizes of the sparse Jacobians of edges and vertices, from the bodies that move them."""
    count = model.body_dofnum.tolist()
    parent = model.body_parentid.tolist()
    above: dict[int, frozenset] = {0: frozenset()}

    def bodies(body: int) -> frozenset:
        if body not in above:
            above[body] = bodies(parent[body]) | {body}
        return above[body]

    edge_size = vertex_size = 0
    for f in range(model.nflex):
        if model.flex_interp[f] or model.flex_rigid[f]:
            continue
        vertices, ends = _vertices(model, f), model.flex_edge[_edges(model, f)].tolist()
        own = model.flex_vertbodyid[vertices].tolist()
        beside = [{body} for body in own]
        for a, b in ends:
            beside[a].add(own[b])
            beside[b].add(own[a])
            edge_size += sum(count[i] for i in bodies(own[a]) | bodies(own[b]))
        for near in beside:
            vertex_size += sum(count[i] for i in frozenset().union(*map(bodies, near)))
    return {"nJfe": edge_size, "nJfv": vertex_size}


def _vertices(model: "Model", f: int) -> slice:
    return slice(model.flex_vertadr[f], model.flex_vertadr[f] + model.flex_vertnum[f])


def _edges(model: "Model", f: int) -> slice:
    return slice(model.flex_edgeadr[f], model.flex_edgeadr[f] + model.flex_edgenum[f])


def set_patterns(model: "Model") -> None:
    """Patterns of Jacobians, metrics of vertices, bandwidth; turn constrained sheets to z."""
    for name in ("flexedge_J_rowadr", "flexedge_J_rownnz", "flexvert_J_rowadr",
                 "flexvert_J_rownnz", "flex_vertedgeadr", "flex_vertedgenum", "flex_vertedge",
                 "flex_vertmetric", "flexedge_J_colind", "flexvert_J_colind"):  # fmt: skip
        getattr(model, name)[...] = 0
    start = 0
    for f in range(model.nflex):
        if model.flex_rigid[f] or model.flex_interp[f]:
            continue
        if _has_jacobian(model, f):
            _edge_pattern(model, f)
        if model.flex_dim[f] == 2 and model.flex_edgeequality[f] == VERTICES:
            start += _neighbours(model, f, start)
            _metrics(model, f)
            _vertex_pattern(model, f)
    model.flex_bandwidth[:] = _bandwidth(model)
    for f in range(model.nflex):
        if model.flex_dim[f] == 2 and model.flex_edgeequality[f] == VERTICES:
            _align(model, f)


def _has_jacobian(model: "Model", f: int) -> bool:
    fields = ("edgeequality", "edgedamping", "edgestiffness", "damping")
    return any(getattr(model, f"flex_{name}")[f] for name in fields)


def _edge_pattern(model: "Model", f: int) -> None:
    """Dofs that move the ends of each edge."""
    bodies = model.flex_vertbodyid[_vertices(model, f)]
    chains = {int(b): chain(model, int(b)) for b in np.unique(bodies)}
    for e in range(model.flex_edgeadr[f], model.flex_edgeadr[f] + model.flex_edgenum[f]):
        adr = 0
        if e > 0:
            adr = model.flexedge_J_rowadr[e - 1] + model.flexedge_J_rownnz[e - 1]
        one, two = bodies[model.flex_edge[e]].tolist()
        dofs = sorted({*chains[one], *chains[two]})
        model.flexedge_J_rowadr[e], model.flexedge_J_rownnz[e] = adr, len(dofs)
        model.flexedge_J_colind[adr : adr + len(dofs)] = dofs


def _neighbours(model: "Model", f: int, start: int) -> int:
    """Edges at each vertex, listed from a place on; returns how many."""
    first, ends = model.flex_vertadr[f], model.flex_edge[_edges(model, f)]
    around: list[list[int]] = [[] for _ in range(model.flex_vertnum[f])]
    for e, (a, b) in enumerate(ends.tolist()):
        around[a].append(e)
        around[b].append(e)
    total = 0
    flat = model.flex_vertedge.reshape(-1)
    for v, edges in enumerate(around, first):
        model.flex_vertedgeadr[v], model.flex_vertedgenum[v] = start + total, len(edges)
        flat[start + total : start + total + len(edges)] = edges
        total += len(edges)
    return total


def _edges_at(model: "Model", f: int, v: int) -> np.ndarray:
    """Edges at a vertex, counted in the deformable."""
    adr, count = model.flex_vertedgeadr[v], model.flex_vertedgenum[v]
    return model.flex_vertedge.reshape(-1)[adr : adr + count]


def _metrics(model: "Model", f: int) -> None:
    """Inverse of the sum of squares of edges at rest at each vertex, weighted by mass."""
    first, ends = model.flex_vertadr[f], model.flex_edge[_edges(model, f)]
    places = model.flex_vert0[_vertices(model, f)]
    bodies = model.flex_vertbodyid[_vertices(model, f)]
    for v in range(len(places)):
        metric = np.zeros((2, 2))
        for e in _edges_at(model, f, first + v):
            a, b = ends[e]
            step = (places[b] - places[a]) * (2 * model.flex_size[f])
            if abs(step[2]) > PLANAR:
                name = model.flex(f).name
                raise MjcfError(
                    f"<flex name='{name}'>: <flexvert>: expected vertices in a plane across z,"
                    f" found an edge that rises by {step[2]:g}"
                )
            other = bodies[b if v == a else a]
            weight = max(MINVAL, model.body_mass[other]) if other >= 0 else 1.0
            metric += weight * step[:2, None] * step[None, :2]
        det = metric[0, 0] * metric[1, 1] - metric[0, 1] * metric[1, 0]
        inverse = np.zeros(4)
        if abs(det) >= MINVAL:
            turned = [metric[1, 1], -metric[0, 1], -metric[1, 0], metric[0, 0]]
            inverse = np.array(turned) * (1.0 / det)
        model.flex_vertmetric[first + v] = inverse


def _vertex_pattern(model: "Model", f: int) -> None:
    """Dofs that move a vertex or its neighbours, for the two rows of each vertex."""
    first, ends = int(model.flex_vertadr[f]), model.flex_edge[_edges(model, f)]
    bodies = model.flex_vertbodyid[_vertices(model, f)]
    nnz, adr = model.flexvert_J_rownnz.reshape(-1), model.flexvert_J_rowadr.reshape(-1)
    columns = model.flexvert_J_colind.reshape(-1)
    row = 2 * first
    if row > 0:
        adr[row] = adr[row - 1] + nnz[row - 1]
    for v in range(len(bodies)):
        dofs: set[int] = set()
        for e in _edges_at(model, f, first + v):
            for end in ends[e]:
                dofs.update(chain(model, int(bodies[end])))
        row, count = 2 * (first + v), len(dofs)
        nnz[row : row + 2] = count
        adr[row + 1] = adr[row] + count
        if row + 2 < 2 * model.nflexvert:
            adr[row + 2] = adr[row + 1] + count
        for k in (row, row + 1):
            columns[adr[k] : adr[k] + count] = sorted(dofs)


def _align(model: "Model", f: int) -> None:
    """Turn the vertices of a sheet at rest so that its normal is along z."""
    here = _vertices(model, f)
    first = model.flex_elemdataadr[f]
    a, b, c = (model.flex_vert0[here][v] for v in model.flex_elem.reshape(-1)[first : first + 3])
    normal, _ = pose.normalize(tuple(np.cross(b - a, c - a).tolist()))
    turn = np.array(pose.matrix(pose.from_z(normal))).reshape(3, 3)
    model.flex_vert0[here] = model.flex_vert0[here] @ turn


def _bandwidth(model: "Model") -> int:
    """Half bandwidth of the system of all dofs that nodes have, over all deformables."""
    local: dict[int, int] = {}
    flexes = np.flatnonzero(model.flex_interp).tolist()
    for f in flexes:
        for body in _node_bodies(model, f):
            count = model.body_dofnum[body]
            own = range(model.body_dofadr[body], model.body_dofadr[body] + count)
            for dof in own if count else sorted(chain(model, body)):
                local.setdefault(dof, len(local))
    width = 0
    # dofs that inertia or velocities couple
    for name in ("D", "M"):
        nnz, adr, columns = (getattr(model, f"{name}_{n}") for n in ("rownnz", "rowadr", "colind"))
        for dof, place in local.items():
            for column in columns[adr[dof] : adr[dof] + nnz[dof]].tolist():
                if column in local:
                    width = max(width, abs(place - local[column]))
    # dofs of a cell
    for f in flexes:
        order = abs(int(model.flex_interp[f]))
        cells = model.flex_cellnum[f].tolist()
        bodies = _node_bodies(model, f)
        grid = np.arange(len(bodies)).reshape([n * order + 1 for n in cells])
        ends = []
        for body in bodies:
            places = [local[dof] for dof in chain(model, body) if dof in local]
            ends.append((min(places, default=len(local)), max(places, default=-1)))
        low, high = (np.array(column)[grid] for column in zip(*ends, strict=True))
        for place in np.ndindex(*cells):
            block = tuple(slice(k * order, k * order + order + 1) for k in place)
            if (top := int(high[block].max())) >= 0:
                width = max(width, top - int(low[block].min()))
    return width


def _node_bodies(model: "Model", f: int) -> list[int]:
    adr = model.flex_nodeadr[f]
    return model.flex_nodebodyid[adr : adr + model.flex_nodenum[f]].tolist()


def set_edges(model: "Model", reference: Configuration, inverse: "InverseInertia") -> None:
    """Lengths of edges at qpos0, and inverse inertia along them."""
    model.flexedge_length0[:] = 0
    model.flexedge_invweight0[:] = 0
    for f in np.flatnonzero(model.flex_interp == 0).tolist():
        here, edges = _vertices(model, f), _edges(model, f)
        bodies = model.flex_vertbodyid[here]
        points = reference.place(bodies, model.flex_vert[here])
        ends = model.flex_edge[edges]
        step = points[ends[:, 1]] - points[ends[:, 0]]
        length = np.sqrt(step[:, 0] ** 2 + step[:, 1] ** 2 + step[:, 2] ** 2)
        length = np.where(length < MINVAL, 0.0, length)
        model.flexedge_length0[edges] = length
        if model.nv:
            _set_weights(model, f, reference, inverse, points)


def _set_weights(model: "Model", f: int, reference, inverse: "InverseInertia", points) -> None:
    """flexedge_invweight0 of one deformable."""
    bodies = model.flex_vertbodyid[_vertices(model, f)]
    edge = _edges(model, f)
    ends = model.flex_edge[edge]
    pairs = bodies[ends]
    rigid = model.flexedge_rigid[edge] != 0
    sliding = (model.body_simple[pairs] == 2).all(axis=1) & ~rigid
    mass = model.body_mass[pairs]
    weights = np.zeros(len(ends))
    weights[sliding] = (1 / mass[sliding, 0] + 1 / mass[sliding, 1]) / 2
    settings = ("edgedamping", "edgestiffness", "damping")
    moved = model.flex_edgeequality[f] == EDGES or any(
        getattr(model, f"flex_{name}")[f] for name in settings
    )
    general = np.flatnonzero(~rigid & ~sliding)
    if moved and len(general):
        rows = np.zeros((len(general), model.nv))
        for row, e in zip(rows, general, strict=True):
            a, b = ends[e]
            along = pose.normalize(tuple((points[b] - points[a]).tolist()))[0]
            one, two = (reference.jacobian(int(bodies[v]), points[v])[0] for v in (a, b))
            row[:] = np.array(along) @ (two - one)
        weights[general] = inverse.squares(rows)
    model.flexedge_invweight0[edge] = weights


def extend_sizes(model: "Model", reference: Configuration, size: np.ndarray) -> None:
    """Make lengths of bodies as large as the edges of deformables at them.

    Args:
        model: the model.
        reference: its poses at qpos0.
        size: length of each body (nbody,) (m), which is changed.
    """
    for f in range(model.nflex):
        if model.flex_interp[f]:
            bodies = _node_bodies(model, f)
            points = reference.xpos[bodies]
            for body, point in zip(bodies, points, strict=True):
                far = np.sqrt(((points - point) ** 2).sum(axis=1)).max(initial=0.0)
                size[body] = max(size[body], far)
            continue
        edges = _edges(model, f)
        bodies = model.flex_vertbodyid[_vertices(model, f)][model.flex_edge[edges]]
        for k in range(2):
            np.maximum.at(size, bodies[:, k], model.flexedge_length0[edges])


def bodies_of(model: "Model") -> np.ndarray:
    """Bodies that deformables follow."""
    followed = [model.flex_nodebodyid, model.flex_vertbodyid]
    bodies = np.unique(np.concatenate(followed)) if model.nflex else np.zeros(0, int)
    return bodies[bodies >= 0]
