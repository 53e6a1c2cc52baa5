"""Textures from files: PNG, KTX and MuJoCo's format; on a plane, or as faces of a cube."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ..text.paths import content_type, decoded, read_asset, users_decoder
from .kept import digest, kept
from .png import PictureError, decode

if TYPE_CHECKING:
    from ..draft.draft import Draft, Part

CUSTOM = "image/vnd.mujoco.texture"
FACES = "RLUDFB"  # right, left, up, down, front, back
SIDES = ("fileright", "fileleft", "fileup", "filedown", "filefront", "fileback")
MOST = 12  # squares of a grid


def check_grid(texture: "Part") -> None:
    """Refuse a layout that does not fit its grid."""
    given = texture.element.values
    if "gridlayout" not in given:
        return
    rows, columns = texture["gridsize"]
    count = len(given["gridlayout"].encode())
    if count > MOST:
        raise texture.error(
            f"gridlayout='{given['gridlayout']}': expected at most {MOST} letters, found {count}"
        )
    if count != rows * columns:
        raise texture.error(
            f"gridlayout='{given['gridlayout']}': expected one letter for each of the"
            f" {rows} x {columns} squares of the grid, at most {MOST}, found {count}"
        )


def load_texture(draft: "Draft", texture: "Part", blank: np.ndarray) -> None:
    """Set `data`, `width`, `height`, `nchannel` and `colorspace` from files.

    Args:
        draft: the model.
        texture: the part; it has a file, or files of faces.
        blank: colour of the faces of a cube that no file shows, (3,) uint8.
    """
    values, element = texture.values, texture.element
    if values["type"] == "2d":
        if not values.get("file"):
            raise element.error(
                "expected builtin or file, found none of them; faces are those of a cube or skybox"
            )
        values["data"] = _load(draft, texture, "file").ravel()
        return
    faces = _grid(draft, texture) if values.get("file") else _sides(draft, texture)
    width, channels = faces[0].shape[1:]
    if channels != 3:
        raise element.unsupported(
            f"a cube with nchannel='{values['nchannel']}'", "use nchannel='3', or type='2d'"
        )
    if "faces" not in values:
        # one picture for all faces
        values["height"] = width
        values["data"] = faces[0].ravel()
    else:
        values["height"] = 6 * width
        whole = np.empty((6, width, width, 3), np.uint8)
        for k, place in enumerate(values["faces"]):
            whole[k] = faces[place] if place >= 0 else blank
        values["data"] = whole.ravel()
    values["width"] = width


def _load(draft: "Draft", texture: "Part", attribute: str) -> np.ndarray:
    """Pixels of a file, flipped where asked for, (height, width, channels) uint8."""
    values, element = texture.values, texture.element
    asset, contents = read_asset(draft.settings, element, "texture", attribute)
    if attribute == "file":
        values["file"] = asset.file
    where = f"{attribute}='{asset.file}'"
    # a decoder of the user's comes before the built-in types
    kind = content_type(element, asset.path) or CUSTOM
    srgb = False
    users = users_decoder(element, "texture", asset.path)
    if users is not None:
        pixels = _of_user(texture, where, decoded(element, users, asset, contents))
    elif kind == "image/png":
        # decoded pictures are kept between compilations, by their contents
        if values["nchannel"] not in (1, 3, 4):
            raise element.error(f"nchannel='{values['nchannel']}': expected 1, 3 or 4")
        try:
            key = ("png", values["nchannel"], digest([contents]))
            pixels, srgb = kept(key, lambda: decode(contents, values["nchannel"]))
        except PictureError as error:
            raise element.error(f"{where}: {error}") from None
    elif kind == "image/ktx":
        # KTX files are not decoded: their bytes are handed to the renderer
        if "true" in (values["hflip"], values["vflip"]):
            raise element.error(f"{where}: expected no hflip or vflip of a KTX texture")
        if not contents:
            raise element.error(f"{where}: the file is empty")
        pixels = np.frombuffer(contents, np.uint8).reshape(1, -1, 1)
        values["nchannel"] = 1
    elif kind == CUSTOM:
        pixels = _custom(texture, where, contents)
    else:
        raise element.error(
            f"{where}: expected the content type image/png, image/ktx or {CUSTOM}, found {kind}"
            "; register_decoder adds others"
        )
    # the file says what the element leaves open
    values["height"], values["width"] = pixels.shape[:2]
    if values["colorspace"] == "auto":
        values["colorspace"] = "sRGB" if srgb else "linear"
    if values["hflip"] == "true":
        pixels = pixels[:, ::-1]
    return pixels[::-1] if values["vflip"] == "true" else pixels


def _of_user(texture: "Part", where: str, given: Any) -> np.ndarray:
    """Pixels as a user's decoder returned them, checked."""
    pixels, channels = np.asarray(given), texture["nchannel"]
    if pixels.dtype != np.uint8 or pixels.ndim != 3 or not pixels.size:
        raise texture.error(
            f"{where}: the decoder returned {pixels.dtype} {pixels.shape}, expected uint8 (height,"
            " width, channels)"
        )
    if pixels.shape[2] != channels:
        raise texture.error(
            f"{where}: found {pixels.shape[2]} channels, expected nchannel='{channels}'"
        )
    return pixels


def _custom(texture: "Part", where: str, contents: bytes) -> np.ndarray:
    """MuJoCo's format: width, height, RGB pixels."""
    width, height = np.frombuffer(contents[:8].ljust(8, b"\0"), "<u4").tolist()
    if not (width and height):
        raise texture.error(
            f"{where}: expected a positive width and height, found {width}, {height}"
        )
    size = 8 + 3 * width * height
    if len(contents) != size:
        raise texture.error(
            f"{where}: {width} x {height} pixels: expected {size} bytes, found {len(contents)}"
        )
    if texture["nchannel"] != 3:
        raise texture.element.unsupported(
            f"nchannel='{texture['nchannel']}' with the format {CUSTOM}", "use nchannel='3'"
        )
    return np.frombuffer(contents, np.uint8, offset=8).reshape(height, width, 3)


def _grid(draft: "Draft", texture: "Part") -> list[np.ndarray]:
    """Squares of one file, (width, width, channels); `faces` says which face shows which."""
    values, element = texture.values, texture.element
    rows, columns = values["gridsize"]
    if rows < 1 or columns < 1 or rows * columns > MOST:
        raise element.error(f"gridsize='{rows} {columns}': expected 1 to {MOST} squares")
    pixels = _load(draft, texture, "file")
    height, width, channels = pixels.shape
    size = width // columns
    if size * columns != width or size * rows != height:
        raise element.error(
            f"file='{values['file']}': {width} x {height} pixels: expected {columns} squares beside"
            f" and {rows} above each other"
        )
    squares = pixels.reshape(rows, size, columns, size, channels).swapaxes(1, 2)
    if rows * columns > 1:
        layout = values["gridlayout"][: rows * columns]
        for letter in layout:
            if letter not in FACES + ".":
                raise element.error(f"gridlayout: '{letter}': expected letters of .RLUDFB")
        values["faces"] = [layout.rfind(face) for face in FACES]
    return [square for row in squares for square in row]


def _sides(draft: "Draft", texture: "Part") -> list[np.ndarray]:
    """Pictures of the faces that have a file, (width, width, channels); see `_grid`."""
    values, element = texture.values, texture.element
    pictures: list[np.ndarray] = []
    values["faces"] = [-1] * 6
    for k, side in enumerate(SIDES):
        if not values.get(side):
            continue
        values["faces"][k] = len(pictures)
        pictures.append(_load(draft, texture, side))
        height, width = pictures[-1].shape[:2]
        if height != width:
            raise element.error(
                f"{side}='{values[side]}': expected a square, found {width} x {height}"
            )
        if width != pictures[0].shape[1]:
            raise element.error(
                f"{side}='{values[side]}': expected {pictures[0].shape[1]} pixels as in the other"
                f" files, found {width}"
            )
    if not pictures:
        raise element.error("expected builtin, file or one of fileright to fileback, found none")
    return pictures
