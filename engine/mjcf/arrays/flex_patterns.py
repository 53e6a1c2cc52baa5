"""Patterns of the Jacobians of deformables, metrics of their vertices, bandwidth of their nodes."""

from typing import TYPE_CHECKING

import numpy as np

from ...errors import MjcfError
from ...model.change_detection import rewrite
from ...products import product
from ...tables.enums import MINVAL
from ..geometry import pose
from .configuration import chain

if TYPE_CHECKING:
    from ...model.model import Model

EDGES, VERTICES = 1, 2  # flex_edgeequality
PLANAR = 1e-15  # how far vertices of a constrained sheet may be from its plane (m)
PATTERNS = (
    "flexedge_J_rowadr", "flexedge_J_rownnz", "flexedge_J_colind",
    "flexvert_J_rowadr", "flexvert_J_rownnz", "flexvert_J_colind",
    "flex_vertedgeadr", "flex_vertedgenum", "flex_vertedge", "flex_vertmetric",
)  # fmt: skip


def set_patterns(model: "Model") -> None:
    """Set patterns, metrics and bandwidth; turn constrained sheets to z.

    Numbers that are as they were are not written again: data may read them.
    """
    found = {name: np.zeros_like(getattr(model, name)) for name in PATTERNS}
    flat = {name: array.reshape(-1) for name, array in found.items()}
    sheets = (model.flex_dim == 2) & (model.flex_edgeequality == VERTICES)
    start = 0
    for f in range(model.nflex):
        if model.flex_rigid[f] or model.flex_interp[f]:
            continue
        if has_jacobian(model, f):
            _edge_pattern(model, f, flat)
        if sheets[f]:
            start += _neighbours(model, f, flat, start)
            _metrics(model, f, flat, found["flex_vertmetric"])
            _vertex_pattern(model, f, flat)
    for name, array in found.items():
        if not np.array_equal(array, getattr(model, name)):
            rewrite(getattr(model, name), array)
    model.flex_bandwidth[:] = _bandwidth(model)
    for f in np.flatnonzero(sheets).tolist():
        _align(model, f)


def has_jacobian(model: "Model", f: int) -> bool:
    """True if something may pull along the edges of a deformable."""
    fields = ("edgeequality", "edgedamping", "edgestiffness", "damping")
    return any(getattr(model, f"flex_{name}")[f] for name in fields)


def vertices_of(model: "Model", f: int) -> slice:
    """The vertices of a deformable among those of all."""
    return slice(model.flex_vertadr[f], model.flex_vertadr[f] + model.flex_vertnum[f])


def edges_of(model: "Model", f: int) -> slice:
    """The edges of a deformable among those of all."""
    return slice(model.flex_edgeadr[f], model.flex_edgeadr[f] + model.flex_edgenum[f])


def _edge_pattern(model: "Model", f: int, found: dict[str, np.ndarray]) -> None:
    """Dofs that move the ends of each edge."""
    bodies = model.flex_vertbodyid[vertices_of(model, f)]
    chains = {int(b): chain(model, int(b)) for b in np.unique(bodies)}
    rowadr, rownnz = found["flexedge_J_rowadr"], found["flexedge_J_rownnz"]
    edges = edges_of(model, f)
    for e in range(edges.start, edges.stop):
        adr = rowadr[e - 1] + rownnz[e - 1] if e > 0 else 0
        one, two = bodies[model.flex_edge[e]].tolist()
        dofs = sorted({*chains[one], *chains[two]})
        rowadr[e], rownnz[e] = adr, len(dofs)
        found["flexedge_J_colind"][adr : adr + len(dofs)] = dofs


def _neighbours(model: "Model", f: int, found: dict[str, np.ndarray], start: int) -> int:
    """Edges at each vertex, listed from a place on; returns how many."""
    first, ends = model.flex_vertadr[f], model.flex_edge[edges_of(model, f)]
    around: list[list[int]] = [[] for _ in range(model.flex_vertnum[f])]
    for e, (a, b) in enumerate(ends.tolist()):
        around[a].append(e)
        around[b].append(e)
    total = 0
    for v, edges in enumerate(around, first):
        adr = start + total
        found["flex_vertedgeadr"][v], found["flex_vertedgenum"][v] = adr, len(edges)
        found["flex_vertedge"][adr : adr + len(edges)] = edges
        total += len(edges)
    return total


def _edges_at(found: dict[str, np.ndarray], v: int) -> np.ndarray:
    """Edges at a vertex, counted in the deformable."""
    adr, count = found["flex_vertedgeadr"][v], found["flex_vertedgenum"][v]
    return found["flex_vertedge"][adr : adr + count]


def _metrics(model: "Model", f: int, found: dict[str, np.ndarray], inverses: np.ndarray) -> None:
    """Inverse of the sum of squares of edges at rest at each vertex, weighted by mass."""
    first, ends = model.flex_vertadr[f], model.flex_edge[edges_of(model, f)]
    places = model.flex_vert0[vertices_of(model, f)]
    bodies = model.flex_vertbodyid[vertices_of(model, f)]
    for v in range(len(places)):
        metric = np.zeros((2, 2))
        for e in _edges_at(found, first + v):
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
        if abs(det) >= MINVAL:
            turned = [metric[1, 1], -metric[0, 1], -metric[1, 0], metric[0, 0]]
            inverses[first + v] = np.array(turned) * (1.0 / det)


def _vertex_pattern(model: "Model", f: int, found: dict[str, np.ndarray]) -> None:
    """Dofs that move a vertex or its neighbours, for the two rows of each vertex."""
    first, ends = int(model.flex_vertadr[f]), model.flex_edge[edges_of(model, f)]
    bodies = model.flex_vertbodyid[vertices_of(model, f)]
    nnz, adr = found["flexvert_J_rownnz"], found["flexvert_J_rowadr"]
    row = 2 * first
    if row > 0:
        adr[row] = adr[row - 1] + nnz[row - 1]
    for v in range(len(bodies)):
        dofs: set[int] = set()
        for e in _edges_at(found, first + v):
            for end in ends[e]:
                dofs.update(chain(model, int(bodies[end])))
        row, count = 2 * (first + v), len(dofs)
        nnz[row : row + 2] = count
        adr[row + 1] = adr[row] + count
        if row + 2 < 2 * model.nflexvert:
            adr[row + 2] = adr[row + 1] + count
        for k in (row, row + 1):
            found["flexvert_J_colind"][adr[k] : adr[k] + count] = sorted(dofs)


def _align(model: "Model", f: int) -> None:
    """Turn the vertices of a sheet at rest so that its normal is along z."""
    here = vertices_of(model, f)
    first = model.flex_elemdataadr[f]
    a, b, c = (model.flex_vert0[here][v] for v in model.flex_elem.reshape(-1)[first : first + 3])
    normal, _ = pose.normalize(tuple(np.cross(b - a, c - a).tolist()))
    turn = np.array(pose.matrix(pose.from_z(normal))).reshape(3, 3)
    model.flex_vert0[here] = product(model.flex_vert0[here], turn)


def _bandwidth(model: "Model") -> int:
    """Half bandwidth of the system of all dofs that nodes have, over all deformables."""
    local: dict[int, int] = {}
    flexes = np.flatnonzero(model.flex_interp).tolist()
    for f in flexes:
        for body in node_bodies(model, f):
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
        bodies = node_bodies(model, f)
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


def node_bodies(model: "Model", f: int) -> list[int]:
    """Bodies of the nodes of a deformable."""
    adr = model.flex_nodeadr[f]
    return model.flex_nodebodyid[adr : adr + model.flex_nodenum[f]].tolist()
