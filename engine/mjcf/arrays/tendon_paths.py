"""Lengths of tendons and their gradients; shortest paths over spheres and cylinders.

A path over a sphere lies in the plane of its centre and both ends, one over a cylinder is a helix:
both are found around a circle (documentation of MuJoCo, chapter Computation, section Tendons).
"""

from math import acos, asin, cos, hypot, inf, nan, pi, sin, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from ...products import applied, norm
from ...tables.enums import MINVAL, WRAP_CYLINDER, WRAP_JOINT, WRAP_PULLEY, WRAP_SITE
from ..geometry import pose
from .configuration import Configuration

if TYPE_CHECKING:
    from ...model.model import Model

# search for the point where a path touches a circle from inside
FIRST, TOLERANCE, MOST_STEPS = 1 - 1e-7, 1e-6, 20


def tendon_lengths(model: "Model", at: Configuration) -> tuple[np.ndarray, np.ndarray]:
    """Lengths of all tendons in a configuration, and their gradients with respect to motion.

    Args:
        model: the model.
        at: its poses in a configuration.

    Returns:
        ten_length (ntendon,) and the dense ten_J (ntendon, nv).
    """
    lengths, jacobians = np.zeros(model.ntendon), np.zeros((model.ntendon, model.nv))
    route = _Route(model, at)
    for i in range(model.ntendon):
        adr = model.tendon_adr[i]
        stops = range(adr, adr + model.tendon_num[i])
        if model.wrap_type[adr] == WRAP_JOINT:
            for k in stops:
                joint, coef = model.wrap_objid[k], model.wrap_prm[k]
                lengths[i] += coef * at.qpos[model.jnt_qposadr[joint]]
                jacobians[i, model.jnt_dofadr[joint]] += coef
        else:
            with np.errstate(all="ignore"):
                lengths[i] = route.follow(stops, jacobians[i])
    return lengths, jacobians


class _Route:
    """Paths through space in one configuration."""

    def __init__(self, model: "Model", at: Configuration):
        self.model, self.at = model, at
        self.sites = at.site_xpos

    def follow(self, stops: range, jacobian: np.ndarray) -> float:
        """Length of a path; its gradient is added to a row (nv,)."""
        kinds, length, share = self.model.wrap_type, 0.0, 1.0
        k = stops[0]
        while k < stops[-1]:
            if kinds[k] == WRAP_PULLEY:
                divisor = float(self.model.wrap_prm[k])
                share = 1 / divisor if divisor else inf
                k += 1
            elif kinds[k + 1] == WRAP_PULLEY:
                k += 1
            elif kinds[k + 1] == WRAP_SITE:
                length += share * self._line(self._site(k), self._site(k + 1), share, jacobian)
                k += 1
            else:
                length += share * self._around(k + 1, share, jacobian)
                k += 2
        return length

    def _site(self, k: int) -> tuple[int, np.ndarray]:
        """Body and position of a site along a path."""
        site = self.model.wrap_objid[k]
        return int(self.model.site_bodyid[site]), self.sites[site]

    def _around(self, k: int, share: float, jacobian: np.ndarray) -> float:
        """Length from one site over a geom to the next site."""
        model, at = self.model, self.at
        geom, side = model.wrap_objid[k], round(model.wrap_prm[k])
        body = model.geom_bodyid[geom]
        first, last = self._site(k - 1), self._site(k + 1)
        found = wrap(
            (first[1], last[1]),
            at.geom_xpos[geom],
            at.geom_xmat(geom),
            float(model.geom_size[geom, 0]),
            model.wrap_type[k] == WRAP_CYLINDER,
            self.sites[side] if side >= 0 else None,
        )
        if found is None:
            return self._line(first, last, share, jacobian)
        arc, (touched, left) = found
        # the curved part stays as long as it is, to first order
        before = self._line(first, (body, touched), share, jacobian)
        return before + arc + self._line((body, left), last, share, jacobian)

    def _line(self, start: tuple, end: tuple, share: float, jacobian: np.ndarray) -> float:
        """Distance of two points, each with its body; the gradient is added to a row (nv,)."""
        (body0, point0), (body1, point1) = start, end
        line = point1 - point0
        distance = norm(line)
        if body0 != body1:
            direction = line / distance if distance >= MINVAL else np.array([1.0, 0, 0])
            moves = self.at.jacobian(body1, point1)[0] - self.at.jacobian(body0, point0)[0]
            jacobian += share * applied(moves.T, direction)
        return distance


def wrap(ends: Any, centre: Any, frame: Any, radius: float, cylinder: bool, side: Any = None):
    """Shortest path between two points over a sphere or an endless cylinder.

    Args:
        ends: the points (3,) in the world.
        centre, frame: position (3,) and orientation (3, 3) of the geom; z is a cylinder's axis.
        radius: its radius.
        cylinder: whether it is a cylinder.
        side: point on the side on which the path shall pass; inside the geom: the path passes
            through it; None: on the shorter side.

    Returns:
        Length on the surface, and the points where the path touches it first and last;
        None where the path touches nothing.
    """
    local = [applied(frame.T, end - centre) for end in ends]
    if min(map(norm, local)) < MINVAL:
        return None
    plane = np.eye(3)[:2] if cylinder else _plane(*local)
    flat = [tuple(applied(plane, point).tolist()) for point in local]
    if side is None:
        found = _outside(flat[0], flat[1], radius, None)
    else:
        inner = applied(frame.T, side - centre)
        toward = _unit(tuple(applied(plane, inner).tolist()))
        if norm(inner) < radius:
            found = _inside(flat[0], flat[1], radius)
        else:
            found = _outside(flat[0], flat[1], radius, (radius * toward[0], radius * toward[1]))
    if found is None:
        return None
    arc, touched = found
    points = [applied(plane.T, np.array(point)) for point in touched]
    if cylinder:
        # the height rises evenly along the way
        lines = [hypot(a[0] - b[0], a[1] - b[1]) for a, b in zip(flat, touched, strict=True)]
        slope = (local[1][2] - local[0][2]) / (lines[0] + arc + lines[1])
        points[0][2] = local[0][2] + slope * lines[0]
        points[1][2] = local[0][2] + slope * (lines[0] + arc)
        arc = hypot(arc, points[1][2] - points[0][2])
    return arc, [centre + applied(frame, point) for point in points]


def _plane(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Axes (2, 3) of the plane of two points and the origin, the first to point a."""
    one, two = tuple(a.tolist()), tuple(b.tolist())
    first, normal = _unit(one), pose.cross(one, two)
    if hypot(*normal) < MINVAL:
        # any plane through both
        sizes = [abs(x) for x in first]
        most = sizes.index(max(sizes)) if sizes.count(max(sizes)) == 1 else 0
        normal = pose.cross(first, tuple(float(k != most) for k in range(3)))
    return np.array([first, _unit(pose.cross(_unit(normal), first))])


def _unit(v: tuple) -> tuple:
    """Direction of a vector; the first axis where it has none."""
    length = hypot(*v)
    return tuple(x / length for x in v) if length >= MINVAL else (1.0, *(0.0,) * (len(v) - 1))


def _outside(a: tuple, b: tuple, radius: float, side: tuple | None):
    """Path from a to b around a circle: arc length and tangent points, or None.

    Args:
        a, b: ends (2,).
        radius: radius of the circle around the origin.
        side: point of the circle that shall be on the path's side; None: the shorter way.
    """
    # an end inside the circle: there is no tangent
    square, square_a, square_b = radius * radius, _dot(a, a), _dot(b, b)
    if square_a < square or square_b < square or radius < MINVAL:
        return None
    # the straight line passes outside of the circle, on the right side: no wrapping
    along = (b[0] - a[0], b[1] - a[1])
    distance = _dot(along, along)
    if distance < MINVAL:
        return None
    share = min(max(-_dot(along, a) / distance, 0.0), 1.0)
    nearest = (a[0] + share * along[0], a[1] + share * along[1])
    if _dot(nearest, nearest) > square and (side is None or _dot(side, nearest) >= 0):
        return None
    # both ways around: their tangent points, and how good they are
    ways = []
    for sign in (1, -1):
        touch_a = _tangent(a, square_a, radius, sign)
        touch_b = _tangent(b, square_b, radius, -sign)
        if _cross_over(a, touch_a, b, touch_b):
            goodness = -10000.0
        elif side is None:
            apart = (touch_a[0] - touch_b[0], touch_a[1] - touch_b[1])
            goodness = -_dot(apart, apart)
        else:
            goodness = _dot(_unit((touch_a[0] + touch_b[0], touch_a[1] + touch_b[1])), side)
        ways.append((goodness, touch_a, touch_b, sign))
    # the better way
    _, touch_a, touch_b, sign = ways[0] if ways[0][0] > ways[1][0] else ways[1]
    if _cross_over(a, touch_a, b, touch_b):
        return None
    return radius * _angle(touch_a, touch_b, sign), [touch_a, touch_b]


def _dot(a: tuple, b: tuple) -> float:
    return a[0] * b[0] + a[1] * b[1]


def _tangent(point: tuple, square: float, radius: float, sign: int) -> tuple:
    """Tangent point of a line from a point to a circle, on one of the sides."""
    x, y = point
    reach = sign * radius * sqrt(square - radius * radius)
    inner = radius * radius
    return ((x * inner + reach * y) / square, (y * inner - reach * x) / square)


def _cross_over(p1: tuple, p2: tuple, p3: tuple, p4: tuple) -> bool:
    """True if the segments p1 p2 and p3 p4 intersect."""
    u, v = (p2[0] - p1[0], p2[1] - p1[1]), (p4[0] - p3[0], p4[1] - p3[1])
    determinant = v[1] * u[0] - v[0] * u[1]
    if abs(determinant) < MINVAL:
        return False
    w = (p1[0] - p3[0], p1[1] - p3[1])
    on_first = (v[0] * w[1] - v[1] * w[0]) / determinant
    on_second = (u[0] * w[1] - u[1] * w[0]) / determinant
    return 0 <= on_first <= 1 and 0 <= on_second <= 1


def _angle(a: tuple, b: tuple, sign: int) -> float:
    """Angle from a to b around the origin in the sense of a path, between 0 and two pi."""
    cosine = _dot(_unit(a), _unit(b))
    angle = acos(cosine) if -1 <= cosine <= 1 else nan
    turn = sign * (a[1] * b[0] - a[0] * b[1])
    return 2 * pi - angle if turn < 0 else angle


def _inside(a: tuple, b: tuple, radius: float):
    """Path from a to b that touches a circle from inside: zero and the point twice, or None.

    The ends are outside the circle, and the path is bent by it at one point, where both lines have
    the same angle z to the normal: asin(A z) + asin(B z) - 2 asin(z) + G = 0 with A = radius / |a|,
    B = radius / |b|, and G the angle between a and b. Newton's method from z = 1 stays on one side.
    """
    # MuJoCo's conditions for no wrapping: an end inside of the circle, or a line that crosses it
    length_a, length_b = hypot(*a), hypot(*b)
    if any(x <= radius or x < MINVAL for x in (length_a, length_b)) or radius < MINVAL:
        return None
    along = (b[0] - a[0], b[1] - a[1])
    distance = _dot(along, along)
    if distance > MINVAL:
        share = -_dot(along, a) / distance
        if 0 < share < 1 and hypot(a[0] + share * along[0], a[1] + share * along[1]) <= radius:
            return None
    # ends in opposite directions: no such path; in one direction: the point between them
    cosine = (length_a * length_a + length_b * length_b - distance) / (2 * length_a * length_b)
    if cosine < -1 + MINVAL:
        return None
    x, y = _unit(((a[0] + b[0]) / 2, (a[1] + b[1]) / 2))
    middle = (radius * x, radius * y)
    ratios = radius / length_a, radius / length_b
    z = _bend(*ratios, acos(cosine)) if cosine <= 1 - MINVAL else None
    if z is None:
        return 0.0, [middle, middle]
    # the angle of the touching point is counted from the end that comes first, counter-clockwise
    start, ratio = (a, ratios[0]) if a[0] * b[1] - a[1] * b[0] > 0 else (b, ratios[1])
    x, y = _unit(start)
    turn = asin(z) - asin(ratio * z)
    touched = (radius * (cos(turn) * x - sin(turn) * y), radius * (sin(turn) * x + cos(turn) * y))
    return 0.0, [touched, touched]


def _bend(A: float, B: float, G: float) -> float | None:
    """Root z of asin(A z) + asin(B z) - 2 asin(z) + G, to a tolerance; None: not found."""
    z, steps = FIRST, 0
    error = asin(A * z) + asin(B * z) - 2 * asin(z) + G
    if error > 0:
        return None
    while abs(error) > TOLERANCE:
        slope = pose.total_of(
            weight / max(MINVAL, sqrt(1 - (c * z) ** 2))
            for c, weight in ((A, A), (B, B), (1.0, -2.0))
        )
        if slope > -MINVAL or steps == MOST_STEPS:
            return None
        if error / slope < 0:
            return None
        z, steps = z - error / slope, steps + 1
        if not -1 <= z <= 1:
            return None
        error = asin(A * z) + asin(B * z) - 2 * asin(z) + G
        if error > TOLERANCE:
            return None
    return z if steps < MOST_STEPS else None
