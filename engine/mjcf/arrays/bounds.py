"""Bounding volume trees of bodies, frames that coincide, and the lens of a camera."""

import ctypes
from collections.abc import Callable
from functools import cache, cmp_to_key
from math import atan2, pi
from typing import TYPE_CHECKING, Any

import numpy as np

from ..geometry.pose import EPS, IDENTITY, conjugate, rotate, sub

if TYPE_CHECKING:
    from ..draft.draft import Body, Part

LARGEST = np.finfo(float).max
SAME = 1e-6  # two frames with smaller differences count as the same
_CORNERS = np.array([[1 if v & (1 << k) else -1 for k in range(3)] for v in range(8)], float)


class Volumes:
    """Bounding volume tree of one body, in its inertial frame.

    Attributes:
        boxes: centre and half sizes of every node (m).
        children: two nodes each; -1: none.
        geoms: the geom of a leaf; None for inner nodes.
        depth: levels below the root.
    """

    def __init__(self):
        self.boxes, self.children, self.geoms, self.depth = [], [], [], []


def build(bodies: "list[Body]") -> None:
    """Make the trees of bodies over their geoms that can collide."""
    solid = [[g for g in body.geoms if g["contype"] or g["conaffinity"]] for body in bodies]
    # all geoms at once, as each call of numpy takes as long as the boxes of some bodies
    shifts = [sub(g["pos"], b["ipos"]) for b, gs in zip(bodies, solid, strict=True) for g in gs]
    inverse = [conjugate(b["iquat"]) for b, gs in zip(bodies, solid, strict=True) for _ in gs]
    low, high = _extents([g for gs in solid for g in gs], shifts, inverse)
    first = 0
    for body, geoms in zip(bodies, solid, strict=True):
        volumes = body.values["volumes"] = Volumes()
        here = slice(first, first + len(geoms))
        if geoms:
            centres = [rotate(s, q) for s, q in zip(shifts[here], inverse[here], strict=True)]
            members = list(range(len(geoms)))
            _node(volumes, geoms, centres, low[here], high[here], members, 0)
        first += len(geoms)


def _extents(
    geoms: list, shifts: list[tuple], inverse: list[tuple]
) -> tuple[list[list[float]], list[list[float]]]:
    """Corners of the boxes around each geom, axes of the inertial frame.

    Args:
        geoms: of any bodies.
        shifts: from the centre of mass of its body to each, in axes of the body.
        inverse: of the orientation of the inertial frame of its body.
    """
    if not geoms:
        return [], []
    boxes = np.array([g["aabb"] for g in geoms], float)[:, None]
    corners = (boxes[..., :3] + _CORNERS * boxes[..., 3:]).transpose(2, 0, 1)
    shift = np.array(shifts, float).T[..., None]
    corners = _turned(corners, np.array([g["quat"] for g in geoms], float).T[..., None]) + shift
    corners = _turned(corners, np.array(inverse, float).T[..., None])
    # numbers that are not finite fall out, as in comparisons
    low = np.fmin.reduce(corners, axis=2, initial=LARGEST)
    high = np.fmax.reduce(corners, axis=2, initial=-LARGEST)
    return low.T.tolist(), high.T.tolist()


def _turned(v: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Vectors (3, n, k) rotated by quaternions (4, n, 1).

    The order of operations is MuJoCo's: planes have boxes of 1e10 m, where rounding shows.
    """
    w, x, y, z = q
    a = w * v[0] + y * v[2] - z * v[1]
    b = w * v[1] + z * v[0] - x * v[2]
    c = w * v[2] + x * v[1] - y * v[0]
    turned = np.stack(
        [v[0] + 2 * (y * c - z * b), v[1] + 2 * (z * a - x * c), v[2] + 2 * (x * b - y * a)]
    )
    return np.where((w == 1) & (x == 0) & (y == 0) & (z == 0), v, turned)


def _node(
    volumes: Volumes,
    geoms: list,
    centres: list,
    low: list[list[float]],
    high: list[list[float]],
    members: list[int],
    depth: int,
) -> int:
    """Add a node around some geoms, halves split at the median along its longest axis below it."""
    if len(members) == 1:
        a, b = low[members[0]], high[members[0]]
    else:
        a, b = (
            [f(x) for x in zip(*(corners[i] for i in members), strict=True)]
            for f, corners in ((min, low), (max, high))
        )
    # a flat box gets a thickness, as in MuJoCo
    thick = [EPS * (abs(x - y) < EPS) for x, y in zip(a, b, strict=True)]
    a = [x - t for x, t in zip(a, thick, strict=True)]
    b = [y + t for y, t in zip(b, thick, strict=True)]
    node = len(volumes.depth)
    middle = [(y + x) / 2 for x, y in zip(a, b, strict=True)]
    edges = [y - x for x, y in zip(a, b, strict=True)]
    volumes.boxes.append((*middle, *(edge / 2 for edge in edges)))
    volumes.children.append([-1, -1])
    volumes.geoms.append(geoms[members[0]] if len(members) == 1 else None)
    volumes.depth.append(depth)
    if len(members) == 1:
        return node
    # the longest axis; near ties go to the first, as in MuJoCo, whatever the rounding
    axis = 1 if edges[1] >= edges[0] + EPS else 0
    axis = 2 if edges[2] >= edges[axis] + EPS else axis

    # centres closer than rounding keep the order of their geoms, so that the tree is reproducible
    def order(i: int, k: int) -> int:
        gap = centres[i][axis] - centres[k][axis]
        if abs(gap) > EPS:
            return 1 if gap > 0 else -1
        return i - k

    members = sorted(members, key=cmp_to_key(order))
    half = len(members) // 2
    for side, part in enumerate((members[:half], members[half:])):
        volumes.children[node][side] = _node(volumes, geoms, centres, low, high, part, depth + 1)
    return node


def _same(a: tuple, b: tuple) -> bool:
    for x, y in zip(a, b, strict=True):  # noqa: SIM110 (a generator takes twice as long)
        if not abs(x - y) < SAME:
            return False
    return True


def _same_rotation(a: tuple, b: tuple) -> bool:
    return _same(a, b) or _same(a, tuple(-x for x in b))


def same_frame(part: "Part", body: Any = None) -> int:
    """mjtSameFrame: a pose is that of the body (1), its inertia (2), or only turned so (3, 4).

    Args:
        part: a geom or site; or the body itself with `body` None, for its inertial frame.
        body: the body that carries it.
    """
    pos, quat = (part["pos"], part["quat"]) if body is not None else (part["ipos"], part["iquat"])
    turned = _same_rotation(quat, IDENTITY)
    if turned and _same(pos, (0.0, 0.0, 0.0)):
        return 1
    if turned:
        return 3
    if body is not None and _same_rotation(quat, body["iquat"]):
        return 2 if _same(pos, body["ipos"]) else 4
    return 0


@cache
def single_arctangent() -> Callable[[float, float], float]:
    """The C library's arctangent of y / x in single precision, which is not exact; MuJoCo's."""
    try:
        function = ctypes.CDLL(None).atan2f
    except (OSError, AttributeError, TypeError):
        return lambda y, x: float(np.float32(atan2(y, x)))
    function.restype, function.argtypes = ctypes.c_float, (ctypes.c_float, ctypes.c_float)
    return function


def lens(camera: Any, znear: float) -> None:
    """Intrinsics (m) of a camera, and its vertical view where a sensor size defines it."""
    values = camera.values
    lengths = values["focal"], values["principal"]
    pixels = values["focalpixel"], values["principalpixel"]
    width, height = size = values["sensorsize"]
    f32 = np.float32
    if not (width > 0 and height > 0):
        if any(any(v) for v in (*lengths, *pixels)):
            raise camera.error("focal and principal: expected the attribute sensorsize too")
        values["intrinsic"] = (znear, znear, 0.0, 0.0)
        return
    if min(values["resolution"]) <= 0:
        raise camera.error("resolution: expected positive numbers beside sensorsize")
    intrinsic = []
    for length, pixel in zip(lengths, pixels, strict=True):
        for k in range(2):
            density = f32(values["resolution"][k]) / f32(size[k])
            intrinsic.append(f32(pixel[k]) / density if pixel[k] else f32(length[k]))
    values["intrinsic"] = tuple(intrinsic)
    half = float(f32(height) / f32(2))
    values["fovy"] = single_arctangent()(half, float(intrinsic[1])) * 360.0 / pi
