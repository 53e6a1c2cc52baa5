"""Decor of bounding volumes: those of bodies, deformables and meshes, and octrees."""

from typing import Any

import numpy as np

from mjenv.engine.data.active_boxes import active_boxes
from mjenv.engine.tables.enums import GEOM_HFIELD, GEOM_SDF

from .geom_builders import lines, new_rows, place
from .names import GEOM
from .scene_context import SceneContext

LINEBOX = int(GEOM.mjGEOM_LINEBOX)


def body_tree_rows(context: SceneContext) -> np.ndarray:
    """Boxes of one level of the trees of bodies, leaves above it too."""
    m, d = context.m, context.d
    if not context.on("BODYBVH"):
        return new_rows(0)
    count = np.maximum(m.body_bvhnum, 0)
    body = np.repeat(np.arange(m.nbody), count)
    nodes = np.arange(len(body))
    leaf, shown = _level(context, nodes)
    nodes, body, leaf = nodes[shown], body[shown], leaf[shown]
    geom = np.where(leaf, m.bvh_nodeid[nodes], 0)
    # a leaf is the box of its geom
    box = np.where(leaf[:, None], m.geom_aabb[geom], m.bvh_aabb[nodes])
    pos = np.where(leaf[:, None], d.geom_xpos[geom], d.xipos[body])
    mat = np.where(leaf[:, None], d.geom_xmat[geom], d.ximat[body])
    return _boxes(nodes, box, pos, mat, _colours(context, nodes))


def flex_tree_rows(context: SceneContext) -> np.ndarray:
    """Boxes of one level of the trees of deformables, and lines between their nodes that move.

    Boxes that collisions look at have the colour of the others: which these are is not recorded.
    """
    m = context.m
    if not context.on("MESHBVH") or not m.nflex:
        return new_rows(0)
    parts = [new_rows(0)]
    shown = context.groups("flex")
    for f in range(m.nflex):
        if m.flex_bvhnum[f] and shown[f]:
            nodes = m.flex_bvhadr[f] + np.arange(m.flex_bvhnum[f])
            boxes = _boxes_of_elements(context, f, nodes)
            chosen = _level(context, nodes)[1]
            rows = new_rows(int(chosen.sum()), nodes[chosen])
            place(rows, LINEBOX, boxes[chosen, 3:], boxes[chosen, :3])
            rows["rgba"] = context.colour("bv")
            parts.append(rows)
        if m.flex_interp[f]:
            parts.append(_node_lines(context, f))
    return np.concatenate(parts)


def _boxes_of_elements(context: SceneContext, f: int, nodes: np.ndarray) -> np.ndarray:
    """Boxes (n, 6) of the nodes of the tree of a deformable, middles and half sizes (m)."""
    m, first = context.m, int(nodes[0])
    elements = np.reshape(context.d.flexelem_aabb, (-1, 6))[m.flex_elemadr[f] :]
    low, high = np.zeros((2, len(nodes), 3))
    # children come after their parents
    for k in range(len(nodes) - 1, -1, -1):
        children = m.bvh_child[first + k]
        leaf = m.bvh_nodeid[first + k]
        if leaf >= 0:
            low[k] = elements[leaf, :3] - elements[leaf, 3:]
            high[k] = elements[leaf, :3] + elements[leaf, 3:]
        else:
            low[k], high[k] = low[children].min(axis=0), high[children].max(axis=0)
    return np.concatenate([0.5 * (low + high), 0.5 * (high - low)], axis=1)


def _node_lines(context: SceneContext, f: int) -> np.ndarray:
    """Lines along the grid of the nodes of a deformable, between those with joints."""
    m, d = context.m, context.d
    here = slice(m.flex_nodeadr[f], m.flex_nodeadr[f] + m.flex_nodenum[f])
    bodies = m.flex_nodebodyid[here]
    turned = np.reshape(d.xmat, (-1, 3, 3))[bodies] @ m.flex_node[here][..., None]
    points = turned[..., 0] + d.xpos[bodies]
    shape = m.flex_cellnum[f] * abs(int(m.flex_interp[f])) + 1
    grid = np.arange(len(bodies)).reshape(shape)
    start, end, place_of = [], [], []
    for axis in range(3):
        one = np.delete(grid, -1, axis=axis).ravel()
        two = np.delete(grid, 0, axis=axis).ravel()
        moving = (m.body_jntnum[bodies[one]] > 0) & (m.body_jntnum[bodies[two]] > 0)
        start.append(one[moving])
        end.append(two[moving])
        place_of.append(3 * one[moving] + axis)
    order = np.argsort(np.concatenate(place_of))
    first, last = np.concatenate(start)[order], np.concatenate(end)[order]
    number = first // (shape[1] * shape[2])
    return lines(int(GEOM.mjGEOM_LINE), 3.0, points[first], points[last], objid=number)


def mesh_tree_rows(context: SceneContext) -> np.ndarray:
    """Boxes of one level of the trees of meshes.

    With `vis.global_.bvactive` MuJoCo shows the boxes alone that rays came to since the last
    collision. Which these are is not recorded here: none are shown.
    """
    m = context.m
    if not context.on("MESHBVH") or m.vis.global_.bvactive:
        return new_rows(0)
    parts = [new_rows(0)]
    for geom in np.flatnonzero((m.geom_dataid != -1) & (m.geom_type != GEOM_SDF)).tolist():
        mesh = m.geom_dataid[geom]
        if m.geom_type[geom] == GEOM_HFIELD or m.mesh_octadr[mesh] >= 0:
            continue
        nodes = m.mesh_bvhadr[mesh] + np.arange(m.mesh_bvhnum[mesh])
        nodes = nodes[_level(context, nodes)[1]]
        parts.append(_of_geom(context, geom, nodes, m.bvh_aabb[nodes], context.colour("bv")))
    return np.concatenate(parts)


def octree_rows(context: SceneContext) -> np.ndarray:
    """Cells of one level of the octrees of meshes."""
    m = context.m
    if not context.on("MESHBVH"):
        return new_rows(0)
    parts = [new_rows(0)]
    for geom in np.flatnonzero((m.geom_dataid != -1) & (m.geom_type != GEOM_HFIELD)).tolist():
        mesh = m.geom_dataid[geom]
        if m.mesh_octadr[mesh] == -1:
            continue
        cells = m.mesh_octadr[mesh] + np.arange(m.mesh_octnum[mesh])
        cells = cells[m.oct_depth[cells] == context.option.bvh_depth]
        parts.append(_of_geom(context, geom, cells, m.oct_aabb[cells], context.colour("bv")))
    return np.concatenate(parts)


def _level(context: SceneContext, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Masks of the leaves, and of the nodes shown: those of a level, and leaves above it."""
    m = context.m
    leaf = (m.bvh_child[nodes] == -1).all(-1)
    depth, asked = m.bvh_depth[nodes], context.option.bvh_depth
    return leaf, (depth == asked) | (leaf & (depth < asked))


def _colours(context: SceneContext, nodes: np.ndarray) -> np.ndarray:
    """Colours (n, 4) of nodes, other ones for those that collisions look at."""
    plain = np.tile(context.colour("bv"), (len(nodes), 1))
    if context.m.vis.global_.bvactive and len(nodes):
        plain[active_boxes(context.m, context.d)[nodes]] = context.colour("bvactive")
    return plain


def _of_geom(
    context: SceneContext, geom: int, nodes: np.ndarray, box: np.ndarray, rgba: Any
) -> np.ndarray:
    """Boxes in the frame of a geom."""
    pos, mat = context.d.geom_xpos[geom], context.d.geom_xmat[geom]
    n = len(nodes)
    return _boxes(nodes, box, np.tile(pos, (n, 1)), np.tile(mat, (n, 1)), rgba)


def _boxes(
    nodes: np.ndarray, box: np.ndarray, pos: np.ndarray, mat: np.ndarray, rgba: Any
) -> np.ndarray:
    """Boxes (n, 6), middles and half sizes, in frames at positions (n, 3) and (n, 9)."""
    rows = new_rows(len(nodes), nodes)
    shift = (np.reshape(mat, (-1, 3, 3)) @ box[:, :3, None])[..., 0]
    place(rows, LINEBOX, box[:, 3:], pos + shift, mat)
    rows["rgba"] = rgba
    return rows
