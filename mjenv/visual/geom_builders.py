"""Builders of rows of abstract geoms: lines between points, frames, triangles, colours."""

from typing import Any

import numpy as np

from mjenv import mju

from .names import CAT, GEOM, MINVAL, OBJ, VIS
from .settings import GRAY, GRAY_ROW, MjvGeom

DECOR, DYNAMIC = int(CAT.mjCAT_DECOR), int(CAT.mjCAT_DYNAMIC)
NONE, NOTHING = int(GEOM.mjGEOM_NONE), int(OBJ.mjOBJ_UNKNOWN)
CONNECTORS = tuple(
    int(kind)
    for kind in (
        GEOM.mjGEOM_CAPSULE, GEOM.mjGEOM_CYLINDER, GEOM.mjGEOM_ARROW, GEOM.mjGEOM_ARROW1,
        GEOM.mjGEOM_ARROW2, GEOM.mjGEOM_LINE,
    )
)  # fmt: skip
CENTRED = CONNECTORS[:2]
NO_ROWS = np.zeros(0, MjvGeom.DTYPE)
# which sizes of the model are the three of the picture: spheres and what has a radius and a length
SIZES = np.tile([0, 1, 2], (int(GEOM.mjGEOM_NONE) + 1, 1))
SIZES[int(GEOM.mjGEOM_SPHERE)] = 0
SIZES[[int(GEOM.mjGEOM_CAPSULE), int(GEOM.mjGEOM_CYLINDER)]] = [0, 0, 1]


def new_rows(n: int, objid: Any = 0, category: Any = DECOR, objtype: int = NOTHING) -> np.ndarray:
    """Geoms (n,) with default values, which show a thing of this type, number and category."""
    if not n:
        return NO_ROWS
    rows = np.repeat(MjvGeom.DEFAULT, n)
    rows["objtype"], rows["objid"], rows["category"] = objtype, objid, category
    return rows


def drawn_size(kind: np.ndarray | int, size: np.ndarray) -> np.ndarray:
    """Sizes (..., n, 3) as pictures have them, of geoms of these types with the model's sizes."""
    return size[..., np.arange(size.shape[-2])[:, None], SIZES[kind]]


def place(rows: np.ndarray, kind: Any, size: Any = None, pos: Any = None, mat: Any = None) -> None:
    """Give geoms types, sizes as of the model (n, 3), positions (n, 3) and frames (n, 9)."""
    rows["type"] = kind
    if size is not None:
        size = np.broadcast_to(np.asarray(size, np.float64), (len(rows), 3))
        rows["size"] = drawn_size(rows["type"], size)
    if pos is not None:
        rows["pos"] = pos
    if mat is not None:
        rows["mat"] = np.reshape(mat, (-1, 3, 3))


def along(rows: np.ndarray, kind: int, width: Any, start: Any, end: Any) -> None:
    """Make geoms lines of this type and width between points (n, 3)."""
    way = np.subtract(end, start)
    rows["type"] = kind
    rows["size"][:, :2] = np.reshape(width, (-1, 1))
    rows["size"][:, 2] = np.sqrt((way * way).sum(-1))
    rows["pos"] = start
    if kind in CENTRED:
        rows["pos"] = 0.5 * np.add(start, end)
        rows["size"][:, 2] *= np.float32(0.5)
    rows["mat"] = mju.quat2mat(mju.quat_z2vec(way))


def lines(kind: int, width: Any, start: Any, end: Any, rgba: Any = GRAY, **what: Any) -> np.ndarray:
    """New geoms of a line's type between points (n, 3); `what`: see `new_rows`."""
    rows = new_rows(len(start), **what)
    along(rows, kind, width, start, end)
    rows["rgba"] = rgba
    return rows


def frames(objid: Any, pos: Any, mat: Any, length: float, width: float) -> np.ndarray:
    """Three cylinders for each frame: positions (n, 3), orientations (n, 9)."""
    pos = np.reshape(pos, (-1, 3))
    axes = np.swapaxes(np.reshape(mat, (-1, 3, 3)), 1, 2)
    start = np.repeat(pos, 3, axis=0)
    end = start + length * axes.reshape(-1, 3)
    number = np.repeat(np.broadcast_to(objid, len(pos)), 3)
    rows = lines(int(GEOM.mjGEOM_CYLINDER), width, start, end, objid=number)
    rows["rgba"][:, :3] = np.tile(0.9 * np.eye(3), (len(pos), 1))
    rows["rgba"][:, 3] = 1
    return rows


def triangles(corners: np.ndarray, rgba: Any, **what: Any) -> np.ndarray:
    """New triangles of corners (n, 3, 3): sizes are lengths of edges, the frame is made of them."""
    first = corners[:, 0]
    one, two = corners[:, 1] - first, corners[:, 2] - first
    axes, lengths = [], []
    for vector in (one, two, np.cross(one, two)):
        length = np.sqrt((vector * vector).sum(-1))
        tiny = (length < MINVAL)[:, None]
        axes.append(np.where(tiny, [1.0, 0, 0], vector / np.where(tiny, 1, length[:, None])))
        lengths.append(length)
    rows = new_rows(len(corners), **what)
    place(rows, int(GEOM.mjGEOM_TRIANGLE), np.stack(lengths, -1), first, np.stack(axes, -1))
    rows["rgba"] = rgba
    return rows


def in_turn(*groups: tuple[np.ndarray, Any]) -> np.ndarray:
    """Rows of several groups, sorted by the numbers of what they belong to, groups in order.

    Args:
        groups: pairs of rows (n,) and numbers, (n,) or one for all.
    """
    numbers = [np.broadcast_to(number, len(rows)) for rows, number in groups]
    order = np.argsort(np.concatenate(numbers), kind="stable")
    return np.concatenate([rows for rows, _ in groups])[order]


def paint(rows: np.ndarray, world: Any, matid: Any, rgba: Any, flags: np.ndarray) -> None:
    """Give geoms the colours of materials, or their own where these are not the default grey."""
    m = world.m
    matid = np.broadcast_to(matid, len(rows))
    rgba = np.broadcast_to(rgba, (len(rows), 4))
    rows["rgba"] = rgba
    has = matid >= 0
    if has.any():
        some = matid[has]
        for name in ("emission", "specular", "shininess", "reflectance"):
            rows[name][has] = getattr(m, f"mat_{name}")[some]
        plain = has & (rgba == GRAY_ROW).all(-1)
        rows["rgba"][plain] = m.mat_rgba[matid[plain]]
        if flags[VIS.mjVIS_TEXTURE]:
            rows["matid"][has] = some
    if flags[VIS.mjVIS_TRANSPARENT]:
        moving = rows["category"] == DYNAMIC
        rows["rgba"][moving, 3] *= np.float32(world.m.vis.map.alpha)


def island_colours(first_dof: np.ndarray, awake: Any) -> np.ndarray:
    """Colours (n, 4) of islands by their first dof, grey where it is -1; paler for what sleeps."""
    dof, awake = np.broadcast_arrays(np.asarray(first_dof), np.asarray(awake, bool))
    there = dof >= 0
    hue = np.where(there, halton(dof + 1, 7), 1.0).astype(np.float32)
    saturation = np.where(there, 0.5 + 0.5 * halton(dof + 1, 3), 0.0).astype(np.float32)
    value = np.where(there, 0.6 + 0.4 * halton(dof + 1, 5), np.float32(0.7)).astype(np.float32)
    value = np.where(awake, value, (value * np.float64(0.6)).astype(np.float32))
    saturation = np.where(awake, saturation, (saturation * np.float64(0.7)).astype(np.float32))
    return np.concatenate([hsv2rgb(hue, saturation, value), np.ones((*dof.shape, 1))], axis=-1)


def halton(index: np.ndarray, base: int) -> np.ndarray:
    """Halton's sequence, numbers in [0, 1)."""
    left, found = np.array(index, np.int64), np.zeros(np.shape(index))
    fraction = 1 / base
    while (left > 0).any():
        found += np.where(left > 0, fraction * (left % base), 0.0)
        fraction /= base
        left //= base
    return found


def hsv2rgb(hue: np.ndarray, saturation: np.ndarray, value: np.ndarray) -> np.ndarray:
    """Red, green and blue (..., 3) of hues, saturations and values in [0, 1], 32 bits."""
    one = np.float32(1)
    turn = hue * np.float32(6)
    sixth = np.clip(turn.astype(np.int64), 0, 5)
    part = turn - turn.astype(np.int64).astype(np.float32)
    low = value * (one - saturation)
    falling = value * (one - saturation * part)
    rising = value * (one - saturation * (one - part))
    # which of these four are red, green and blue in each sixth of the circle
    choices = np.stack([value, low, falling, rising], axis=-1)
    orders = np.array([[0, 3, 1], [2, 0, 1], [1, 0, 3], [1, 2, 0], [3, 1, 0], [0, 1, 2]])
    colour = np.take_along_axis(choices, orders[sixth], axis=-1)
    return np.where((saturation <= 0)[..., None], value[..., None], colour)
