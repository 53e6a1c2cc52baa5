"""Boxes of the trees of bodies that collisions look at, for pictures of these trees."""

from collections.abc import Iterator

import numpy as np

from mjenv.engine.tables.enums import (
    DSBL_CONSTRAINT,
    DSBL_CONTACT,
    DSBL_FILTERPARENT,
    DSBL_MIDPHASE,
    ENBL_OVERRIDE,
    ENBL_SLEEP,
    GEOM_PLANE,
    MAXVAL,
)

from .scene_context import SceneContext

Box = tuple[np.ndarray, np.ndarray, np.ndarray]  # middle, half sizes (3,), axes as columns (3, 3)


def active_nodes(context: SceneContext) -> np.ndarray:
    """Nodes (nbvhstatic,) of trees of bodies that a search for touching geoms visits.

    Pairs of bodies that may touch, and of which one has several geoms, are searched from the roots
    of their trees down, through pairs of boxes that overlap along the axes of either. MuJoCo drops
    some of these pairs before, whose intervals along other axes are apart: what is marked there is
    marked here, and now and then a box more.
    """
    m = context.m
    active = np.zeros(m.nbvhstatic, bool)
    if m.opt.disableflags & (DSBL_CONSTRAINT | DSBL_CONTACT | DSBL_MIDPHASE):
        return active
    boxes = _world_boxes(context)
    for one, other in _pairs(context):
        _search(context, one, other, boxes, active)
    return active


def _margin(context: SceneContext, margins: np.ndarray, one: int, other: int) -> float:
    """Margin of two geoms or bodies, m."""
    opt = context.m.opt
    return opt.o_margin if opt.enableflags & ENBL_OVERRIDE else margins[one] + margins[other]


def _pairs(context: SceneContext) -> Iterator[tuple[int, int]]:
    """Bodies that may touch and have trees, where not both have only one geom."""
    m, d = context.m, context.d
    touch = np.flatnonzero(m.body_contype | m.body_conaffinity)
    one, other = (touch[k] for k in np.triu_indices(len(touch), 1))
    weld = m.body_weldid
    above = weld[m.body_parentid[weld]]
    fixed = weld == 0
    keep = weld[one] != weld[other]
    related = (weld[one] == above[other]) | (weld[other] == above[one])
    if not m.opt.disableflags & DSBL_FILTERPARENT:
        keep &= ~related | fixed[one] | fixed[other]
    if m.opt.enableflags & ENBL_SLEEP:
        still = fixed | (d.body_awake == 0)
        keep &= ~(still[one] & still[other])
    contype, affinity = m.body_contype, m.body_conaffinity
    keep &= (contype[one] & affinity[other] | contype[other] & affinity[one]) != 0
    keep &= ~np.isin((one << 16) + other, m.exclude_signature)
    keep &= (m.body_geomnum[one] > 1) | (m.body_geomnum[other] > 1)
    keep &= (m.body_bvhadr[one] >= 0) & (m.body_bvhadr[other] >= 0)
    return zip(one[keep].tolist(), other[keep].tolist(), strict=True)


def _world_boxes(context: SceneContext) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Middles and half sizes (nbvhstatic, 3), m, and axes (nbvhstatic, 3, 3) of boxes of bodies."""
    m, d = context.m, context.d
    count = np.maximum(m.body_bvhnum, 0)
    body = np.repeat(np.arange(m.nbody), count)
    nodes = np.arange(len(body))
    axes = np.reshape(d.ximat[body], (-1, 3, 3))
    # what is infinite has no middle that counts
    with np.errstate(invalid="ignore"):
        middle = (axes @ m.bvh_aabb[nodes, :3, None])[..., 0] + d.xipos[body]
    return middle, m.bvh_aabb[nodes, 3:], axes


def _search(
    context: SceneContext, one: int, other: int, boxes: tuple[np.ndarray, ...], active: np.ndarray
) -> None:
    """Mark the nodes of two bodies' trees that a search comes to."""
    m = context.m
    margin = _margin(context, m.body_margin, one, other)
    firsts = int(m.body_bvhadr[one]), int(m.body_bvhadr[other])
    pairs = [firsts]
    while pairs:
        pair = pairs.pop()
        children = [m.bvh_child[node] for node in pair]
        leaves = [bool((child < 0).all()) for child in children]
        if all(leaves):
            if _geoms_near(context, *(int(m.bvh_nodeid[node]) for node in pair)):
                active[[*pair]] = True
            continue
        one_box, other_box = ((boxes[0][k], boxes[1][k], boxes[2][k]) for k in pair)
        if not overlap(one_box, other_box, margin):
            continue
        active[[*pair]] = True
        # go down in the tree that is no leaf, or whose box counts as larger
        side = int(leaves[0])
        if not any(leaves):
            side = int(_extent(m.bvh_aabb[pair[0]]) <= _extent(m.bvh_aabb[pair[1]]))
        for child in children[side]:
            if child != -1:
                down = [*pair]
                down[side] = firsts[side] + int(child)
                pairs.append((down[0], down[1]))


def _extent(box: np.ndarray) -> float:
    """Key by which MuJoCo compares boxes: a surface of half sizes less middles."""
    x, y, z = box[3:] - box[:3]
    return x * y + y * z + z * x


def _geoms_near(context: SceneContext, one: int, other: int) -> bool:
    """True if the bounding spheres of two geoms are near, and their boxes overlap."""
    m, d = context.m, context.d
    margin = _margin(context, m.geom_margin, one, other)
    radius, pos = m.geom_rbound, d.geom_xpos
    if radius[one] > 0 and radius[other] > 0:
        way = pos[other] - pos[one]
        reach = radius[one] + radius[other] + margin
        if way @ way > reach * reach:
            return False
    for plane, ball in ((one, other), (other, one)):
        if m.geom_type[plane] == GEOM_PLANE and radius[ball] > 0:
            normal = np.reshape(d.geom_xmat[plane], (3, 3))[:, 2]
            if (pos[ball] - pos[plane]) @ normal > margin + radius[ball]:
                return False
    return overlap(_geom_box(context, one), _geom_box(context, other), margin)


def _geom_box(context: SceneContext, geom: int) -> Box:
    axes, box = np.reshape(context.d.geom_xmat[geom], (3, 3)), context.m.geom_aabb[geom]
    return axes @ box[:3] + context.d.geom_xpos[geom], box[3:], axes


def overlap(one: Box, other: Box, margin: float) -> bool:
    """True if boxes overlap, to a margin (m), along the axes of the one and of the other."""
    way = other[0] - one[0]
    ends = [box[1] >= MAXVAL for box in (one, other)]
    if ends[0].all() or ends[1].all():
        return True
    for box, infinite in ((one, ends[1].any()), (other, ends[0].any())):
        if infinite:
            continue  # nothing is beside what has no end
        axes = box[2].T
        reach = sum(np.abs(axes @ b[2]) @ b[1] for b in (one, other))
        if (np.abs(axes @ way) > reach + margin).any():
            return False
    return True
