"""Textures. Builtin ones: flat, checker and gradient, with marks, on a plane or faces of a cube."""

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ..text.budget import check_bytes
from ..text.paths import written_name
from .kept import kept
from .texture_files import check_grid, load_texture

if TYPE_CHECKING:
    from ..draft.draft import Draft, Part

RANDOM_BYTES = 32  # that the random number of a pixel takes while it is made
ROWS = 256  # of a picture that are computed at once
MASK = 0xFFFFFFFFFFFFFFFF
# what the picture of a builtin texture depends on
DRAWN = (
    "type", "builtin", "width", "height", "nchannel", "rgb1", "rgb2", "mark", "markrgb", "random",
)  # fmt: skip
PIXELS = "pixels"  # value of <texture> that no attribute says: all bytes, row by row


def compile_texture(draft: "Draft", texture: "Part") -> None:
    """Make `data`, the bytes of the pixels of a texture, faces of a cube below each other."""
    values = texture.values
    if values.get(PIXELS):
        _given(texture)
        return
    check_grid(texture)
    if values["builtin"] == "none":
        load_texture(draft, texture, _bytes(values["rgb1"]))
        return
    if values.get("file"):
        values["file"] = written_name(texture.element, "texture")
    if values["nchannel"] < 3:
        raise texture.element.unsupported(f"nchannel='{values['nchannel']}' in a builtin texture")
    width, height, flat = values["width"], values["height"], values["type"] == "2d"
    for side, pixels in (("width", width), ("height", height if flat else 1)):
        if pixels < 1:
            raise texture.error(f"{side}: expected a positive number in a builtin texture")
    if not flat:
        height = width
        values["height"] = 6 * width
    size = width * height * (1 if flat else 6)
    check_bytes(texture.element, size * values["nchannel"], "a texture")
    if values["mark"] == "random":
        check_bytes(texture.element, size * RANDOM_BYTES, f"random marks on {size} pixels")
    # models of one family draw the same skies and floors, and all of them are drawn again and again
    key = ("texture", *(values[name] for name in DRAWN))
    values["data"] = kept(key, lambda: _drawn(values, flat))


def _drawn(values: dict, flat: bool) -> np.ndarray:
    """The bytes of a builtin texture."""
    width, height, channels = values["width"], values["height"], values["nchannel"]
    faces = _flat(values, width, height) if flat else _cube(values, width)
    _mark(values, faces, flat)
    # pixels have three bytes here, whatever nchannel says
    data = faces.reshape(-1)
    if channels > 3:
        data = np.concatenate([data, np.zeros(len(data) // 3 * (channels - 3), np.uint8)])
    return data


def _given(texture: "Part") -> None:
    """Take pixels as they are given."""
    values = texture.values
    shape = (values["height"], values["width"], values["nchannel"])
    data = np.frombuffer(values[PIXELS], np.uint8)
    if len(data) != shape[0] * shape[1] * shape[2]:
        raise texture.error(
            f"pixels: expected width x height x nchannel = {shape[0] * shape[1] * shape[2]} bytes,"
            f" found {len(data)}"
        )
    picture = data.reshape(shape)
    if values["hflip"] == "true":
        picture = picture[:, ::-1]
    if values["vflip"] == "true":
        picture = picture[::-1]
    values["data"] = picture.ravel()


def _bytes(colour: Any) -> np.ndarray:
    """Colour in 0 to 1 as bytes, rounded down."""
    return (255 * np.asarray(colour)).astype(np.int64).astype(np.uint8)


def _blend(position: np.ndarray, colour1: tuple, colour2: tuple) -> np.ndarray:
    """Colours between two others along a sigmoid over (-1, 1)."""
    correction = 1.0 / np.sqrt(2)
    alpha = np.clip(0.5 * (1 + position / np.sqrt(1 + position * position) / correction), 0, 1)
    rest, found = 1 - alpha, np.empty((*alpha.shape, 3), np.uint8)
    # one channel after the other: numpy is slow where the last axis is short
    for k, (one, other) in enumerate(zip(colour1, colour2, strict=True)):
        found[..., k] = _bytes(alpha * one + rest * other)
    return found


def _checker(face: np.ndarray, colour1: np.ndarray, colour2: np.ndarray) -> None:
    height, width = face.shape[:2]
    face[:] = colour1
    face[: height // 2, width // 2 :] = colour2
    face[height // 2 :, : width // 2] = colour2


def _grids(width: int, height: int) -> Iterator[tuple[slice, np.ndarray, np.ndarray]]:
    """Some rows after the other, with the coordinates of their pixels in (-1, 1), y upwards."""
    with np.errstate(invalid="ignore"):
        x = 2 * np.arange(width) / np.float64(width - 1) - 1
        y = 1 - 2 * np.arange(height) / np.float64(height - 1)
    for start in range(0, height, ROWS):
        rows = slice(start, start + ROWS)
        yield rows, *np.meshgrid(x, y[rows])


def _flat(values: dict, width: int, height: int) -> np.ndarray:
    """Picture on a plane, (1, height, width, 3)."""
    picture = np.zeros((1, height, width, 3), np.uint8)
    colour1, colour2 = _bytes(values["rgb1"]), _bytes(values["rgb2"])
    if values["builtin"] == "gradient":
        for rows, x, y in _grids(width, height):
            radius = 2 * np.sqrt(x * x + y * y) - 1
            picture[0, rows] = _blend(radius, values["rgb2"], values["rgb1"])
    elif values["builtin"] == "checker":
        _checker(picture[0], colour1, colour2)
    else:
        picture[:] = colour1
    return picture


def _cube(values: dict, width: int) -> np.ndarray:
    """Six faces: right, left, up, down, front, back, (6, width, width, 3)."""
    faces = np.zeros((6, width, width, 3), np.uint8)
    colour1, colour2 = _bytes(values["rgb1"]), _bytes(values["rgb2"])
    if values["builtin"] == "gradient":
        for rows, x, y in _grids(width, width):
            length = np.sqrt(1 + x * x + y * y)
            side = np.arcsin(y / length) / (0.5 * np.pi)
            up = 1 - np.arccos(1.0 / length) / (0.5 * np.pi)
            faces[[0, 1, 4, 5], rows] = _blend(side, values["rgb1"], values["rgb2"])
            faces[2, rows] = _blend(up, values["rgb1"], values["rgb2"])
            faces[3, rows] = _blend(-up, values["rgb1"], values["rgb2"])
    elif values["builtin"] == "checker":
        for k in range(6):
            first, second = (colour1, colour2) if k < 4 else (colour2, colour1)
            _checker(faces[k], first, second)
    else:
        faces[:] = colour1
        faces[3] = colour2
    return faces


def _mark(values: dict, faces: np.ndarray, flat: bool) -> None:
    colour, kind = _bytes(values["markrgb"]), values["mark"]
    height, width = faces.shape[1:3]
    if kind == "edge":
        faces[:, :, [0, -1]] = colour
        faces[:, [0, -1]] = colour
    elif kind == "cross":
        faces[:, :, width // 2] = colour
        faces[:, height // 2] = colour
    elif kind == "random" and values["random"] > 0:
        dots = uniform(faces.shape[0] * height * width) < values["random"]
        faces.reshape(-1, 3)[dots] = colour


@lru_cache(4)
def uniform(count: int) -> np.ndarray:
    """Random numbers in [0, 1) of the 64-bit Mersenne twister, seed 42, as C++ makes them."""
    words = -(-count // 312) * 312
    state = [42]
    for i in range(1, 312):
        last = state[-1]
        state.append((6364136223846793005 * (last ^ (last >> 62)) + i) & MASK)
    out = _twisted(np.array(state, np.uint64), words)
    out ^= (out >> np.uint64(29)) & np.uint64(0x5555555555555555)
    out ^= (out << np.uint64(17)) & np.uint64(0x71D67FFFEDA60000)
    out ^= (out << np.uint64(37)) & np.uint64(0xFFF7EEE000000000)
    out ^= out >> np.uint64(43)
    numbers = out[:count].astype(np.float64) / 2.0**64
    return np.minimum(numbers, np.nextafter(1.0, 0.0))


def _twisted(state: np.ndarray, count: int) -> np.ndarray:
    """The words that follow a state of 312, a multiple of 156.

    Each follows from the words 312, 311 and 156 before it, so that 156 are made at once.
    """
    upper, lower = np.uint64(0xFFFFFFFF80000000), np.uint64(0x7FFFFFFF)
    matrix, one = np.uint64(0xB5026F5AA96619E9), np.uint64(1)
    x = np.concatenate([state, np.empty(count, np.uint64)])
    y, odd = np.empty((2, 156), np.uint64)
    for k in range(0, count, 156):
        np.bitwise_and(x[k : k + 156], upper, out=y)
        np.bitwise_and(x[k + 1 : k + 157], lower, out=odd)
        np.bitwise_or(y, odd, out=y)
        np.bitwise_and(y, one, out=odd)
        np.multiply(odd, matrix, out=odd)
        np.right_shift(y, one, out=y)
        np.bitwise_xor(y, odd, out=y)
        np.bitwise_xor(y, x[k + 156 : k + 312], out=x[k + 312 : k + 468])
    return x[312:]
