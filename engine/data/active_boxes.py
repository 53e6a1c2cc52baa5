"""Boxes of the trees of bodies and deformables that collision has come to, of one world.

They are found once more when somebody asks for them: a step does not note them.
"""

from typing import Any

import numpy as np

from ..products import applied, dot, product
from ..tables.enums import (
    DSBL_CONSTRAINT,
    DSBL_CONTACT,
    DSBL_MIDPHASE,
    ENBL_OVERRIDE,
    FLEXSELF_AUTO,
    FLEXSELF_BVH,
    GEOM_PLANE,
    MAXVAL,
)
from .broad_phase import near_pairs

Box = tuple[np.ndarray, np.ndarray, np.ndarray]  # middle, half sizes (3,), axes as columns (3, 3)
UPRIGHT = np.eye(3)


def active_boxes(m: Any, d: Any) -> np.ndarray:
    """Mask (nbvh,) of the nodes that a search for touching geoms and elements visits.

    Pairs of bodies and deformables that may touch, and of which one has several parts, are
    searched from the roots of their trees down, through pairs of boxes that overlap along the axes
    of either.

    Args:
        m, d: fields of a model and its data, without a world axis.
    """
    active = np.zeros(m.nbvh, bool)
    if m.opt.disableflags & (DSBL_CONSTRAINT | DSBL_CONTACT | DSBL_MIDPHASE):
        return active
    if m.nbody + m.nflex < 2:
        return active
    for one, other in near_pairs(m, d):
        if other >= m.nbody or m.body_geomnum[one] > 1 or m.body_geomnum[other] > 1:
            _Search(m, d, one, other).run(active)
    for f in range(m.nflex):
        if _meets_itself(m, f):
            _Search(m, d, m.nbody + f, m.nbody + f).run(active)
    return active


def _meets_itself(m: Any, f: int) -> bool:
    """True if the tree of a deformable is searched for elements that touch each other."""
    by_tree = m.flex_selfcollide[f] == FLEXSELF_BVH
    by_tree |= m.flex_selfcollide[f] == FLEXSELF_AUTO and m.flex_dim[f] == 3
    return bool(by_tree and not m.flex_rigid[f] and m.flex_contype[f] & m.flex_conaffinity[f])


class _Search:
    """The search of the trees of two bodies or deformables; f is the number nbody + f."""

    def __init__(self, m: Any, d: Any, one: int, other: int):
        self._m, self._d, self._pair = m, d, (one, other)
        self._roots = tuple(
            int(m.flex_bvhadr[k - m.nbody] if k >= m.nbody else m.body_bvhadr[k])
            for k in (one, other)
        )
        self._margin = self._sum(
            *(m.flex_margin[k - m.nbody] if k >= m.nbody else m.body_margin[k] for k in self._pair)
        )

    def run(self, active: np.ndarray) -> None:
        """Mark the nodes (nbvh,) that the search comes to."""
        if min(self._roots) < 0:
            return
        child, itself = self._m.bvh_child, self._pair[0] == self._pair[1]
        pairs = [self._roots]
        while pairs:
            pair = pairs.pop()
            if itself and pair[0] > pair[1]:
                continue
            leaves = [bool((child[node] < 0).all()) for node in pair]
            if all(leaves):
                active[[*pair]] |= self._parts_near(pair)
                continue
            if not overlap(self._box(pair, 0), self._box(pair, 1), self._margin):
                continue
            active[[*pair]] = True
            # go down in the tree that is no leaf, or whose box counts as larger
            side = int(leaves[0])
            if not any(leaves):
                side = int(self._extent(pair, 0) <= self._extent(pair, 1))
            for below in child[pair[side]]:
                if below != -1:
                    down = [*pair]
                    down[side] = self._roots[side] + int(below)
                    pairs.append((down[0], down[1]))

    def _sum(self, one: float, other: float) -> float:
        """Margin of two things, m."""
        opt = self._m.opt
        return opt.o_margin if opt.enableflags & ENBL_OVERRIDE else one + other

    def _numbers(self, pair: tuple[int, ...], side: int) -> np.ndarray:
        """Middle and half sizes (6,) of the box of one node, in its frame, m."""
        m, node = self._m, pair[side]
        if self._pair[side] >= m.nbody:
            return np.reshape(self._d.bvh_aabb_dyn, (-1, 6))[node - m.nbvhstatic]
        return m.bvh_aabb[node]

    def _box(self, pair: tuple[int, ...], side: int) -> Box:
        """The box of one node in the world."""
        d, k, box = self._d, self._pair[side], self._numbers(pair, side)
        if k >= self._m.nbody:
            return box[:3], box[3:], UPRIGHT
        axes = np.reshape(d.ximat[k], (3, 3))
        # what is infinite has no middle that counts
        with np.errstate(invalid="ignore"):
            return applied(axes, box[:3]) + d.xipos[k], box[3:], axes

    def _extent(self, pair: tuple[int, ...], side: int) -> float:
        """Key by which MuJoCo compares boxes: a surface of half sizes less middles."""
        box = self._numbers(pair, side)
        x, y, z = box[3:] - box[:3]
        return x * y + y * z + z * x

    def _parts_near(self, pair: tuple[int, ...]) -> bool:
        """True if the geoms or elements of two leaves are searched for contacts."""
        m, (one, other) = self._m, self._pair
        first, second = (int(m.bvh_nodeid[node]) for node in pair)
        if one >= m.nbody:
            return True
        if other >= m.nbody:
            return self._element_near(first, other - m.nbody, self._box(pair, 1))
        margin = self._sum(m.geom_margin[first], m.geom_margin[second])
        return _geoms_near(m, self._d, first, second, margin)

    def _element_near(self, geom: int, f: int, box: Box) -> bool:
        """True if a geom and the box of an element are near."""
        m, pos = self._m, self._d.geom_xpos[geom]
        bits = m.geom_contype[geom] & m.flex_conaffinity[f]
        if not bits | m.flex_contype[f] & m.geom_conaffinity[geom]:
            return False
        margin = self._sum(m.geom_margin[geom], m.flex_margin[f])
        if (np.abs(pos - box[0]) > m.geom_rbound[geom] + margin + box[1]).any():
            return False
        return overlap(_geom_box(m, self._d, geom), box, margin)


def _geoms_near(m: Any, d: Any, one: int, other: int, margin: float) -> bool:
    """True if the bounding spheres of two geoms are near, and their boxes overlap."""
    radius, pos = m.geom_rbound, d.geom_xpos
    if radius[one] > 0 and radius[other] > 0:
        way = pos[other] - pos[one]
        reach = radius[one] + radius[other] + margin
        if dot(way, way) > reach * reach:
            return False
    for plane, ball in ((one, other), (other, one)):
        if m.geom_type[plane] == GEOM_PLANE and radius[ball] > 0:
            normal = np.reshape(d.geom_xmat[plane], (3, 3))[:, 2]
            if dot(pos[ball] - pos[plane], normal) > margin + radius[ball]:
                return False
    return overlap(_geom_box(m, d, one), _geom_box(m, d, other), margin)


def _geom_box(m: Any, d: Any, geom: int) -> Box:
    axes, box = np.reshape(d.geom_xmat[geom], (3, 3)), m.geom_aabb[geom]
    return applied(axes, box[:3]) + d.geom_xpos[geom], box[3:], axes


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
        reach = sum(applied(np.abs(product(axes, b[2])), b[1]) for b in (one, other))
        if (np.abs(applied(axes, way)) > reach + margin).any():
            return False
    return True
