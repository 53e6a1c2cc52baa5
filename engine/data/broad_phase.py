"""Bodies and deformables whose geoms MuJoCo's broad phase has the trees searched for, of one world.

MuJoCo sweeps boxes around bodies along the axes along which geoms are spread (Cohen et al.:
I-COLLIDE, 1995), the first axis in single precision; see physics/collision/mujoco_sap.py.
"""

from typing import Any

import numpy as np

from ..physics.collision.mujoco_sap import principal_frame, quat_mat
from ..products import applied, gram, product
from ..tables.enums import DSBL_FILTERPARENT, ENBL_OVERRIDE, ENBL_SLEEP, GEOM_PLANE


def near_pairs(m: Any, d: Any) -> list[tuple[int, int]]:
    """Pairs that may touch, the smaller number first, in order; deformable f counts as nbody + f.

    Args:
        m, d: fields of a model and its data, without a world axis.
    """
    contype = np.concatenate([m.body_contype, m.flex_contype])
    affinity = np.concatenate([m.body_conaffinity, m.flex_conaffinity])
    touch = np.flatnonzero(contype | affinity)
    first, second = (touch[k] for k in np.triu_indices(len(touch), 1))
    keep = (contype[first] & affinity[second] | contype[second] & affinity[first]) != 0
    keep &= ~np.isin((first << 16) + second, m.exclude_signature)
    keep &= ~_joined(m, d, first, second)
    always = _always(m)
    first, second = first[keep], second[keep]
    near = always[first] | always[second]
    if not near.all():
        near |= ~_apart(m, d, touch[touch > 0], first, second)
    return list(zip(first[near].tolist(), second[near].tolist(), strict=True))


def _always(m: Any) -> np.ndarray:
    """Mask of what is never swept: the world, and bodies with planes that are welded to it."""
    found = np.zeros(m.nbody + m.nflex, bool)
    found[m.geom_bodyid[m.geom_type == GEOM_PLANE]] = True
    found[: m.nbody] &= m.body_weldid == 0
    found[0] = m.body_geomnum[0] > 0
    return found


def _joined(m: Any, d: Any, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Mask of pairs of bodies that are one, parent and child, or at rest."""
    bodies = second < m.nbody
    one, other = np.minimum(first, m.nbody - 1), np.minimum(second, m.nbody - 1)
    weld = m.body_weldid
    above = weld[m.body_parentid[weld]]
    fixed = weld == 0
    joined = weld[one] == weld[other]
    if not m.opt.disableflags & DSBL_FILTERPARENT:
        related = (weld[one] == above[other]) | (weld[other] == above[one])
        joined |= related & ~fixed[one] & ~fixed[other]
    if m.opt.enableflags & ENBL_SLEEP:
        still = fixed | (d.body_awake == 0)
        joined |= still[one] & still[other]
    return joined & bodies


def _apart(m: Any, d: Any, swept: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Mask of pairs whose boxes are apart along some axis; True where one of them is not swept."""
    moving = d.geom_xpos[m.geom_bodyid > 0]
    if m.nflexvert:
        moving = np.concatenate([moving, d.flexvert_xpos[m.flex_vertbodyid > 0]])
    if not len(moving) or len(swept) < 2:
        return np.ones(len(first), bool)
    way = moving - moving.mean(axis=0)
    frame = np.reshape(
        quat_mat(principal_frame(tuple(np.ravel(gram(way) / len(way)).tolist()))), (3, 3)
    ).T
    low, high = np.full((2, m.nbody + m.nflex, 3), np.inf)
    for k in swept.tolist():
        low[k], high[k] = _span(m, d, k, frame)
    # the first axis in single precision, in which ties are apart one way round
    x1, x2 = (x.astype(np.float32)[:, 0] for x in (low, high))
    apart = (x1[second] >= x2[first]) | (x1[first] > x2[second])
    return apart | ((low[first] > high[second]) | (low[second] > high[first]))[:, 1:].any(axis=1)


def _span(m: Any, d: Any, k: int, frame: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Ends (3,) of a body or deformable along the rows of a matrix (m)."""
    given = 0.5 * m.opt.o_margin if m.opt.enableflags & ENBL_OVERRIDE else 0.0
    if k >= m.nbody:
        f = k - m.nbody
        points = d.flexvert_xpos[m.flex_vertadr[f] :][: m.flex_vertnum[f]]
        points = product(points, frame.T)
        bound = m.flex_radius[f] + (given or m.flex_margin[f])
        return points.min(axis=0) - bound, points.max(axis=0) + bound
    geoms = m.body_geomadr[k] + np.arange(m.body_geomnum[k])
    mat, pos = np.reshape(d.geom_xmat[geoms], (-1, 3, 3)), d.geom_xpos[geoms]
    center = product(applied(mat, m.geom_aabb[geoms, :3]) + pos, frame.T)
    half = applied(np.abs(product(frame[None], mat)), m.geom_aabb[geoms, 3:])
    ball, radius = product(pos, frame.T), m.geom_rbound[geoms, None]
    margin = np.full((len(geoms), 1), given) if given else m.geom_margin[geoms, None]
    low = np.maximum(ball - radius, center - half) - margin
    high = np.minimum(ball + radius, center + half) + margin
    return low.min(axis=0), high.max(axis=0)
