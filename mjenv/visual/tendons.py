"""Spatial tendons: straight lines, or strings that hang."""

import math

import numpy as np

from mjenv.engine.tables.enums import CNSTR_LIMIT_TENDON, DSBL_GRAVITY, TRN_TENDON

from .geom_builders import in_turn, island_colours, lines, new_rows, paint
from .names import CAT, GEOM, LABEL, MINVAL, OBJ
from .scene_context import SceneContext
from .settings import GRAY_ROW

DYNAMIC, OBJ_TENDON = int(CAT.mjCAT_DYNAMIC), int(OBJ.mjOBJ_TENDON)
CAPSULE = int(GEOM.mjGEOM_CAPSULE)
PULLEY = -2  # what wrap_obj holds at a pulley, where paths are interrupted
MOST_POINTS = 100  # of a string
TOLERANCE = 1e-9


def tendon_rows(context: SceneContext) -> np.ndarray:
    """Capsules along the visible spatial tendons."""
    if not (context.on("TENDON") and context.catmask & DYNAMIC):
        return new_rows(0)
    ids = context.seen("tendon")
    if not len(ids):
        return new_rows(0)
    # fixed tendons have no path; MuJoCo draws a string for loose ones of two joints, between points
    # of other tendons
    ids = ids[context.d.ten_wrapnum[ids] > 0]
    if not len(ids):
        return new_rows(0)
    hanging = _hanging(context)
    strings = [_string(context, tendon) for tendon in ids if hanging[tendon]]
    straight = _straight(context, ids[~hanging[ids]])
    rows = np.concatenate([straight, *strings])
    return in_turn((rows, rows["objid"]))


def segments(context: SceneContext, ids: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pieces of the paths of tendons: the places of their starts, tendons, widths (n,), m.

    Pieces inside of wrapped geoms are half as wide.
    """
    d = context.d
    first, count = d.ten_wrapadr[ids], np.maximum(d.ten_wrapnum[ids] - 1, 0)
    place = np.arange(count.sum()) + np.repeat(first - np.cumsum(count) + count, count)
    tendon = np.repeat(ids, count)
    what = np.ravel(d.wrap_obj)
    there = (what[place] != PULLEY) & (what[place + 1] != PULLEY)
    place, tendon = place[there], tendon[there]
    inside = (what[place] >= 0) & (what[place + 1] >= 0)
    return place, tendon, np.where(inside, 0.5, 1.0) * context.m.tendon_width[tendon]


def points(context: SceneContext) -> np.ndarray:
    """Points (n, 3) of the paths of all tendons, m."""
    return np.reshape(context.d.wrap_xpos, (-1, 3))


def _straight(context: SceneContext, ids: np.ndarray) -> np.ndarray:
    """Tendons as lines from point to point."""
    m, d = context.m, context.d
    place, tendon, width = segments(context, ids)
    path = points(context)
    rows = lines(
        CAPSULE, width, path[place], path[place + 1],
        objid=tendon, category=DYNAMIC, objtype=OBJ_TENDON,
    )  # fmt: skip
    paint(
        rows,
        context.world,
        m.tendon_matid[tendon],
        _limited_colours(context)[tendon],
        context.flags,
    )
    if context.on("ISLAND"):
        rows["matid"] = -1
        first = np.full(len(rows), -1)
        # limits that move nothing have the number of a row that was not made
        row = d.tendon_efcadr[tendon]
        row = np.where(row < d.nefc, row, -1)
        if d.nisland:
            first = np.where(row >= 0, d.island_dofadr[d.efc_island[np.maximum(row, 0)]], -1)
        rows["rgba"] = island_colours(first, awake=True)
    if context.option.label == LABEL.mjLABEL_TENDON:
        starts = place == d.ten_wrapadr[tendon]
        rows["label"][starts] = context.labels(OBJ_TENDON, tendon[starts])
    return rows


def _limited_colours(context: SceneContext) -> np.ndarray:
    """Colours (ntendon, 4): grey ones turn to the colour of constraints as their limits act."""
    m = context.m
    rgba = m.tendon_rgba.copy()
    plain = (m.tendon_matid == -1) & (rgba == GRAY_ROW).all(-1)
    act = limit_impedance(context, CNSTR_LIMIT_TENDON, m.ntendon)[:, None]
    mixed = (1 - act) * rgba[:, :3] + act * context.colour("constraint")[:3]
    rgba[:, :3] = np.where(plain[:, None], mixed, rgba[:, :3])
    return rgba


def limit_impedance(context: SceneContext, kind: int, count: int) -> np.ndarray:
    """Impedance (count,) of the limits of joints or tendons, zero where none acts."""
    d = context.d
    found = np.zeros(count)
    if d.nl:
        rows = slice(d.ne + d.nf, d.ne + d.nf + d.nl)
        of_kind = d.efc_type[rows] == kind
        found[d.efc_id[rows][of_kind]] = d.efc_KBIP[rows, 2][of_kind]
    return found


# ---------------------------------------------------------------- strings


def _hanging(context: SceneContext) -> np.ndarray:
    """Mask of tendons (ntendon,) that hang: loose between two sites, and moved by nothing else."""
    m, d = context.m, context.d
    springy = (m.tendon_stiffness != 0) | (m.tendon_stiffnesspoly != 0).any(-1)
    rest = m.tendon_lengthspring
    loose_spring = springy & (rest[:, 0] == 0) & (rest[:, 1] > 0)
    upper = m.tendon_range[:, 1]
    loose_limit = ~springy & (m.tendon_limited == 1) & (m.tendon_range[:, 0] == 0)
    loose_limit = loose_limit & (d.ten_length < upper)
    damped = (m.tendon_damping != 0) | (m.tendon_dampingpoly != 0).any(-1)
    pulled = np.zeros(m.ntendon, bool)
    pulled[m.actuator_trnid[m.actuator_trntype == TRN_TENDON, 0]] = True
    falls = not m.opt.disableflags & DSBL_GRAVITY and np.linalg.norm(context.world.gravity) > MINVAL
    strings = (m.tendon_num == 2) & (loose_spring != loose_limit) & ~damped & ~pulled
    return strings & (m.tendon_frictionloss == 0) & falls


def _string(context: SceneContext, tendon: int) -> np.ndarray:
    """A tendon that hangs between two sites."""
    m, d = context.m, context.d
    start, end = points(context)[d.ten_wrapadr[tendon] :][:2]
    springy = m.tendon_stiffness[tendon] or m.tendon_stiffnesspoly[tendon].any()
    length = (m.tendon_lengthspring if springy else m.tendon_range)[tendon, 1]
    count = min(m.vis.quality.numslices + 1, MOST_POINTS)
    path = catenary(start, end, context.world.gravity, length, count)
    rows = lines(
        CAPSULE, m.tendon_width[tendon], path[:-1], path[1:],
        objid=tendon, category=DYNAMIC, objtype=OBJ_TENDON,
    )  # fmt: skip
    paint(rows, context.world, m.tendon_matid[tendon], m.tendon_rgba[tendon], context.flags)
    if context.option.label == LABEL.mjLABEL_TENDON:
        rows["label"] = context.labels(OBJ_TENDON, [tendon])[0]
    return rows


def catenary(
    start: np.ndarray, end: np.ndarray, gravity: np.ndarray, length: float, count: int
) -> np.ndarray:
    """Points (n, 3) of a string of a length (m) that hangs between two points.

    Two where it is taut, three where it hangs almost straight down, else `count`.
    """
    way = end - start
    if math.sqrt(way @ way) > length:
        return np.stack([start, end])
    up = -gravity / math.sqrt(gravity @ gravity)
    across = way - (up @ way) * up
    norm = math.sqrt(across @ across)
    across = np.zeros(3) if norm < MINVAL else across / norm
    h, v = float(way @ across), float(way @ up)
    if length > 100 * h:
        # a bead that slides on the string stops at its lowest point
        down = -0.5 * (math.sqrt(length * length - h * h) - v)
        along = h * down / (2 * down - v)
        return np.stack([start, start + down * up + along * across, end])
    b = _flatness(h, v, length) * h
    offset = -0.5 * (math.log((length + v) / (length - v)) * b - h)
    horizontal = np.arange(count) * h / count
    vertical = b * (np.cosh((horizontal - offset) / b) - math.cosh(offset / b))
    path = start + horizontal[:, None] * across + vertical[:, None] * up
    path[0], path[-1] = start, end
    return path


def _flatness(h: float, v: float, length: float) -> float:
    """Parameter of the catenary over its width h that rises by v, found by Newton's method.

    The unknown b solves 1/sqrt(2 b sinh(1/(2b)) - 1) = 1/sqrt(sqrt(length^2 - v^2)/h - 1), which is
    nearly linear in b.
    """
    wanted = 1 / math.sqrt(math.sqrt(length * length - v * v) / h - 1)

    def residual(b: float) -> float:
        return 1 / math.sqrt(2 * b * math.sinh(0.5 / b) - 1) - wanted

    # first guess from the nearly linear form
    b = wanted / math.sqrt(24)
    for _ in range(50):
        error, half = residual(b), 0.5 / b
        if abs(error) < TOLERANCE:
            break
        sinh = math.sinh(half)
        slope = (half * math.cosh(half) - sinh) * (2 * b * sinh - 1) ** -1.5
        step = -error / slope
        # steps are halved until they help
        for _ in range(10):
            if abs(residual(b + step)) < abs(error):
                break
            step *= 0.5
        b += step
    return b
