"""Constants of deformables at qpos0: sizes of Jacobians, lengths of edges, weights."""

from typing import TYPE_CHECKING

import numpy as np

from ...products import applied
from ...tables.enums import MINVAL
from ..geometry import pose
from .configuration import Configuration, chain
from .flex_patterns import EDGES, edges_of, node_bodies, vertices_of

if TYPE_CHECKING:
    from ...model.model import Model
    from .inverse import InverseInertia


def jacobian_sizes(model: "Model") -> dict[str, int]:
    """Sizes of the sparse Jacobians of edges and vertices, from the bodies that move them."""
    count = model.body_dofnum.tolist()
    parent = model.body_parentid.tolist()
    # bodies between a body and the world, kept: neighbouring vertices share most of them
    above: dict[int, frozenset] = {0: frozenset()}

    def bodies(body: int) -> frozenset:
        way = []
        while body not in above:
            way.append(body)
            body = parent[body]
        found = above[body]
        for body in reversed(way):
            found = above[body] = found | {body}
        return found

    # an edge moves with the bodies above its two ends, a vertex with those of its neighbours too
    edge_size = vertex_size = 0
    for f in range(model.nflex):
        if model.flex_interp[f] or model.flex_rigid[f]:
            continue
        vertices, ends = vertices_of(model, f), model.flex_edge[edges_of(model, f)].tolist()
        own = model.flex_vertbodyid[vertices].tolist()
        beside = [{body} for body in own]
        for a, b in ends:
            beside[a].add(own[b])
            beside[b].add(own[a])
            edge_size += sum(count[i] for i in bodies(own[a]) | bodies(own[b]))
        for near in beside:
            vertex_size += sum(count[i] for i in frozenset().union(*map(bodies, near)))
    return {"nJfe": edge_size, "nJfv": vertex_size}


def set_edges(model: "Model", reference: Configuration, inverse: "InverseInertia") -> None:
    """Lengths of edges at qpos0, and inverse inertia along them."""
    model.flexedge_length0[:] = 0
    model.flexedge_invweight0[:] = 0
    mixed = _mixed_gradients(model, reference) if model.nv and _shares_rows(model) else None
    for f in np.flatnonzero(model.flex_interp == 0).tolist():
        edges = edges_of(model, f)
        points, ends = _points(model, f, reference), model.flex_edge[edges]
        step = points[ends[:, 1]] - points[ends[:, 0]]
        length = np.sqrt(step[:, 0] ** 2 + step[:, 1] ** 2 + step[:, 2] ** 2)
        length = np.where(length < MINVAL, 0.0, length)
        model.flexedge_length0[edges] = length
        if model.nv:
            _set_weights(model, f, reference, inverse, mixed)


def _points(model: "Model", f: int, reference: Configuration) -> np.ndarray:
    """Vertices of a deformable in the world at qpos0, (n, 3) (m)."""
    here = vertices_of(model, f)
    return reference.place(model.flex_vertbodyid[here], model.flex_vert[here])


def _pulls(model: "Model", f: int) -> bool:
    """True if something pulls along the edges of a deformable."""
    settings = ("edgedamping", "edgestiffness", "damping")
    return model.flex_edgeequality[f] == EDGES or any(
        getattr(model, f"flex_{name}")[f] for name in settings
    )


def _set_weights(
    model: "Model",
    f: int,
    reference: Configuration,
    inverse: "InverseInertia",
    mixed: np.ndarray | None,
) -> None:
    """flexedge_invweight0 of one deformable."""
    edges = edges_of(model, f)
    pairs = model.flex_vertbodyid[vertices_of(model, f)][model.flex_edge[edges]]
    rigid = model.flexedge_rigid[edges] != 0
    sliding = (model.body_simple[pairs] == 2).all(axis=1) & ~rigid
    mass = model.body_mass[pairs]
    weights = np.zeros(len(pairs))
    weights[sliding] = (1 / mass[sliding, 0] + 1 / mass[sliding, 1]) / 2
    general = np.flatnonzero(~rigid & ~sliding)
    if mixed is not None:
        weights[general] = inverse.squares(mixed[edges][general])
    elif _pulls(model, f):
        weights[general] = inverse.squares(_gradients(model, f, general, reference))
    model.flexedge_invweight0[edges] = weights


def _gradients(model: "Model", f: int, chosen: np.ndarray, reference: Configuration) -> np.ndarray:
    """Gradients of the lengths of some edges of a deformable at qpos0, (n, nv)."""
    bodies, points = model.flex_vertbodyid[vertices_of(model, f)], _points(model, f, reference)
    ends = model.flex_edge[edges_of(model, f)]
    rows = np.zeros((len(chosen), model.nv))
    for row, e in zip(rows, chosen, strict=True):
        a, b = ends[e]
        one, two = (reference.jacobian(int(bodies[v]), points[v])[0] for v in (a, b))
        row[:] = applied((two - one).T, _along(points[b] - points[a]))
    return rows


def _along(step: np.ndarray) -> np.ndarray:
    """Unit vector of an edge, (3,); the first axis where its ends are in one place."""
    direction, length = pose.normalize(tuple(step.tolist()))
    return np.array(direction) if length >= MINVAL else np.array([1.0, 0.0, 0.0])


def _shares_rows(model: "Model") -> bool:
    """True if gradients of several edges lie in one place: behind deformables that have none."""
    end = np.maximum.accumulate(model.flexedge_J_rowadr + model.flexedge_J_rownnz)
    shared = (model.flexedge_J_rownnz[1:] > 0) & (model.flexedge_J_rowadr[1:] < end[:-1])
    return bool(shared.any())


def _mixed_gradients(model: "Model", reference: Configuration) -> np.ndarray:
    """Gradients of all edges as MuJoCo finds them where rows lie over each other, (nflexedge, nv).

    Those that are written last are found.
    """
    flat = np.zeros(model.nJfe)
    for f in np.flatnonzero(model.flex_interp == 0).tolist():
        edges = edges_of(model, f)
        if not _pulls(model, f):
            continue
        bodies = model.flex_vertbodyid[vertices_of(model, f)][model.flex_edge[edges]].tolist()
        rows = _gradients(model, f, np.arange(len(bodies)), reference)
        for e, (one, two), row in zip(range(edges.start, edges.stop), bodies, rows, strict=True):
            adr = model.flexedge_J_rowadr[e]
            dofs = sorted({*chain(model, one), *chain(model, two)})[: model.nJfe - adr]
            flat[adr : adr + len(dofs)] = row[dofs]
    found = np.zeros((model.nflexedge, model.nv))
    columns = model.flexedge_J_colind.reshape(-1)
    for e, row in enumerate(found):
        adr = model.flexedge_J_rowadr[e]
        for k in range(adr, adr + model.flexedge_J_rownnz[e]):
            row[columns[k]] = flat[k]
    return found


def extend_sizes(model: "Model", reference: Configuration, size: np.ndarray) -> None:
    """Make lengths of bodies as large as the edges of deformables at them.

    Args:
        model: the model.
        reference: its poses at qpos0.
        size: length of each body (nbody,) (m), which is changed.
    """
    for f in range(model.nflex):
        if model.flex_interp[f]:
            bodies = node_bodies(model, f)
            points = reference.xpos[bodies]
            for body, point in zip(bodies, points, strict=True):
                far = np.sqrt(((points - point) ** 2).sum(axis=1)).max(initial=0.0)
                size[body] = max(size[body], far)
            continue
        edges = edges_of(model, f)
        bodies = model.flex_vertbodyid[vertices_of(model, f)][model.flex_edge[edges]]
        for k in range(2):
            np.maximum.at(size, bodies[:, k], model.flexedge_length0[edges])


def bodies_of(model: "Model") -> np.ndarray:
    """Bodies that deformables follow."""
    followed = [model.flex_nodebodyid, model.flex_vertbodyid]
    bodies = np.unique(np.concatenate(followed))
    return bodies[bodies >= 0]
