"""Height fields: heights from attributes, pictures and binary files; the geoms that show them."""

from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from ..geometry.pose import EPS
from ..text.budget import check_bytes
from ..text.paths import content_type, decoded, read_asset, users_decoder
from .png import PictureError, decode
from .singles import singles

if TYPE_CHECKING:
    from ..draft.draft import Draft, Part

CUSTOM = "image/vnd.mujoco.hfield"


def compile_hfield(draft: "Draft", hfield: "Part") -> None:
    """Set `nrow`, `ncol` and `data`, heights from 0 to 1, (nrow * ncol,) float32, front row first.

    Raises:
        MjcfError: contradicting or missing data, an unreadable file.
    """
    values, element = hfield.values, hfield.element
    for k, size in enumerate(values["size"]):
        if size <= 0:
            raise element.error(
                f"size: expected a positive number at place {k + 1}, found {size:g}"
            )
    if values.get("file"):
        data = _from_file(draft, hfield)
    elif "file" in values or min(values["nrow"], values["ncol"]) < 1:
        raise element.error(
            "expected a file, or positive nrow and ncol, found"
            f" nrow='{values['nrow']}' ncol='{values['ncol']}'"
        )
    else:
        data = _inline(hfield)
    values["nrow"], values["ncol"] = data.shape
    values["data"] = _normalized(hfield, data.ravel())


def _inline(hfield: "Part") -> np.ndarray:
    """Heights of the attribute `elevation`, back row first there; zeros without it."""
    values, element = hfield.values, hfield.element
    nrow, ncol = values["nrow"], values["ncol"]
    check_bytes(element, 4 * nrow * ncol, f"a height field of {nrow} x {ncol} samples")
    if not values.get("elevation"):
        return np.zeros((nrow, ncol), np.float32)
    data = singles(element, "elevation")
    if len(data) != nrow * ncol:
        raise element.error(
            f"elevation: expected nrow x ncol = {nrow * ncol} numbers, found {len(data)}"
        )
    return data.reshape(nrow, ncol)[::-1]


def _from_file(draft: "Draft", hfield: "Part") -> np.ndarray:
    """Heights of a picture or of a binary file, (nrow, ncol) float32, front row first."""
    element = hfield.element
    asset, contents = read_asset(draft.settings, element, "hfield")
    hfield.values["file"] = asset.file
    kind = content_type(element, asset.file) or CUSTOM
    users = users_decoder(element, "hfield", asset.file)
    # a decoder of the user's comes before the built-in types
    if users is not None:
        heights = np.asarray(decoded(element, users, asset, contents))
        if heights.ndim != 2 or not heights.size or heights.dtype.kind not in "iuf":
            raise element.error(
                f"file='{asset.file}': the decoder returned {heights.dtype} {heights.shape},"
                " expected numbers (nrow, ncol)"
            )
        return heights.astype(np.float32)
    # row 0 of a picture is its upper edge, which is the far side of the field
    if kind == "image/png":
        try:
            return decode(contents, 1).pixels[::-1, :, 0].astype(np.float32)
        except PictureError as error:
            raise element.error(f"file='{asset.file}': {error}") from None
    if kind != CUSTOM:
        raise element.error(
            f"file='{asset.file}': expected the content type image/png or {CUSTOM}, found {kind}"
            "; register_decoder adds others"
        )
    # MuJoCo's own format: two int32 and then float32, little-endian
    if len(contents) < 8:
        raise element.error(f"file='{asset.file}': expected 8 bytes or more, found {len(contents)}")
    nrow, ncol = np.frombuffer(contents, "<i4", 2).tolist()
    if nrow < 1 or ncol < 1:
        raise element.error(
            f"file='{asset.file}': expected positive numbers of rows and columns, found"
            f" {nrow} and {ncol}"
        )
    if len(contents) != 8 + 4 * nrow * ncol:
        raise element.error(
            f"file='{asset.file}': {nrow} x {ncol} samples: expected {8 + 4 * nrow * ncol} bytes,"
            f" found {len(contents)}"
        )
    return np.frombuffer(contents, "<f4", offset=8).reshape(nrow, ncol)


def _normalized(hfield: "Part", data: np.ndarray) -> np.ndarray:
    """Heights moved and scaled to 0 to 1; numbers that are not finite count for nothing."""
    known = data[~np.isnan(data)]
    low, high = known.min(initial=np.float32(1e10)), known.max(initial=np.float32(-1e10))
    if low > high:
        raise hfield.error("heights: expected finite numbers")
    data = data - low
    return data / (high - low) if high - low > EPS else data


def shape_geom(geom: "Part", draft: "Draft") -> None:
    """Size and bounds of a geom that shows a height field."""
    values = geom.values
    hfield = draft.find("hfield", values["hfield"], geom.element, "hfield")
    x, y, top, base = hfield["size"]
    values["dataid"] = hfield.id
    values["size"] = (x, y, 0.25 * top + 0.5 * base)
    values["aabb"] = (0.0, 0.0, (top - base) / 2, x, y, (top + base) / 2)
    values["rbound"] = sqrt(x * x + y * y + max(top * top, base * base))
