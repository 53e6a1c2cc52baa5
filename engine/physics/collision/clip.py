"""Clipping of polygons (Sutherland and Hodgman), and the largest quadrilateral in a polygon."""

from ...simd.kernel import kernel
from ...simd.lanes import absolute, load3, sqrt, store
from ...simd.spatial import add3, cross, sub3
from ...tables.enums import MINVAL
from .gjk import POINTS
from .support import inner, times

MOST = 4  # contacts of one pair of faces


@kernel
def clip_polygon(m, d, o, sides, corners, normal, shift):
    """Clip the polygon of the other geom by the prism over the polygon of geom o.

    The points that remain are witness points of the second geom, those of the first lie before
    them by `shift`. If nothing remains, the witness points stay as they are.

    Args:
        m: model.
        d: data.
        o: whose polygon clips.
        sides: number of its corners.
        corners: number of corners of the other polygon; 2 for an edge.
        normal: of the polygon that clips.
        shift: vector from the first to the second witness point (m).
    """
    if sides < 3:
        return
    # start with the other polygon
    capacity = 2 * m.nccdpoly
    start, target = 0, capacity
    for k in range(corners):
        store(d.ccd_clip, k, load3(d.ccd_side, m.nccdpoly * (1 - o) + k))
    n = corners
    # cut it by the plane over each side
    for k in range(sides):
        a = load3(d.ccd_side, m.nccdpoly * o + k)
        b = load3(d.ccd_side, m.nccdpoly * o + (k + 1) % sides)
        plane = cross(sub3(b, a), sub3(add3(a, normal), a))
        n = cut(d, start, n, target, capacity, a, plane)
        start, target = target, start
    # witness points: four corners at most, none twice
    if n > MOST:
        largest_quadrilateral(d, start, n)
        for k in range(MOST):
            enter_witness(d, k, load3(d.ccd_clip, start + d.ccd_order[k]), shift)
        d.ccd_count[POINTS] = MOST
    elif n > 0:
        found = 0
        for k in range(n):
            point = load3(d.ccd_clip, start + k)
            if is_new(d, found, point):
                enter_witness(d, found, point, shift)
                found += 1
        d.ccd_count[POINTS] = found


@kernel
def cut(d, start, n, target, capacity, a, plane):
    """Copy the part of a polygon on the inner side of a plane through a; returns its corners."""
    offset = inner(plane, a)
    kept = 0
    for i in range(n):
        p, q = load3(d.ccd_clip, start + i), load3(d.ccd_clip, start + (i + 1) % n)
        inside = inner(sub3(p, a), plane) > -MINVAL
        enters = inner(sub3(q, a), plane) > -MINVAL
        if inside != enters and kept < capacity:
            along = sub3(q, p)
            slope = inner(plane, along)
            if slope != 0.0:
                t = (offset - inner(plane, p)) / slope
                if 0.0 <= t <= 1.0:
                    store(d.ccd_clip, target + kept, add3(p, times(along, t)))
                    kept += 1
        if enters and kept < capacity:
            store(d.ccd_clip, target + kept, q)
            kept += 1
    return kept


@kernel
def enter_witness(d, k, point, shift):
    """Make a point witness k of the second geom."""
    store(d.ccd_point2, k, point)
    store(d.ccd_point1, k, sub3(point, shift))


@kernel
def is_new(d, found, point):
    """True if a point differs from all witness points before."""
    for k in range(found):
        gap = sub3(load3(d.ccd_point2, k), point)
        if absolute(gap[0]) < MINVAL and absolute(gap[1]) < MINVAL and absolute(gap[2]) < MINVAL:
            return False
    return True


@kernel
def area(f, start, a, b, c, e):
    """Area of a quadrilateral of four corners of a polygon."""
    p, q = load3(f, start + a), load3(f, start + b)
    r, s = load3(f, start + c), load3(f, start + e)
    total = add3(cross(sub3(s, p), sub3(q, s)), cross(sub3(r, q), sub3(p, r)))
    return 0.5 * sqrt(inner(total, total))


@kernel
def largest_quadrilateral(d, start, n):
    """Four corners of a convex polygon that span the largest area, by rotating calipers.

    Every first corner is tried while the others move on as long as the area grows.
    """
    a, b, c, e = 0, 1, 2, 3
    most = area(d.ccd_clip, start, a, b, c, e)
    keep_corners(d, a, b, c, e)
    for a in range(n):
        # move the last corner on, and the others after it
        while True:
            now = area(d.ccd_clip, start, a, b, c, (e + 1) % n)
            if now <= most:
                break
            most, e = now, (e + 1) % n
            keep_corners(d, a, b, c, e)
            while True:
                now = area(d.ccd_clip, start, a, b, (c + 1) % n, e)
                if now <= most:
                    break
                most, c = now, (c + 1) % n
                keep_corners(d, a, b, c, e)
            while True:
                now = area(d.ccd_clip, start, a, (b + 1) % n, c, e)
                if now <= most:
                    break
                most, b = now, (b + 1) % n
                keep_corners(d, a, b, c, e)
        # keep the corners in order
        if b == a:
            b = (b + 1) % n
            if c == b:
                c = (c + 1) % n
                if e == c:
                    e = (e + 1) % n


@kernel
def keep_corners(d, a, b, c, e):
    """Note the best corners so far."""
    d.ccd_order[0], d.ccd_order[1], d.ccd_order[2], d.ccd_order[3] = a, b, c, e
