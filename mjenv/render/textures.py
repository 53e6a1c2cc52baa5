"""Textures as the ray caster reads them: levels of half the size each, down to one texel."""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from mjenv.engine.model.model import Model

TEXTURE_2D, TEXTURE_CUBE, TEXTURE_SKYBOX = range(3)
SRGB = 2  # colour space whose values are made linear (mjtColorSpace)
FACES = 6


def texture_tables(model: "Model") -> dict[str, np.ndarray]:
    """Arrays of all textures of a model, with their reductions.

    Returns:
        texels (int32, bytes red, green, blue, alpha from the lowest up), level_adr, level_width,
        level_height, and per texture texture_level0, texture_levels, texture_cube: 1 where a cube
        has six faces of its own.
    """
    texels: list[np.ndarray] = []
    rows: dict[str, list[int]] = {
        name: []
        for name in (
            *("level_adr", "level_width", "level_height"),
            *("texture_level0", "texture_levels", "texture_cube"),
        )
    }
    # levels of each texture behind one another, each half as large as the one before
    at = 0
    for k in range(model.ntex):
        faces = texture_faces(model, k)
        rows["texture_level0"].append(len(rows["level_adr"]))
        rows["texture_cube"].append(int(len(faces) > 1))
        first = len(rows["level_adr"])
        while True:
            rows["level_adr"].append(at)
            rows["level_width"].append(faces.shape[2])
            rows["level_height"].append(faces.shape[1])
            texels.append(faces.reshape(-1, 4).view(np.int32).ravel())
            at += texels[-1].size
            if max(faces.shape[1:3]) < 2:
                break
            faces = halved(faces)
        rows["texture_levels"].append(len(rows["level_adr"]) - first)
    joined = np.concatenate(texels) if texels else np.zeros(1, np.int32)
    return {
        "texels": np.ascontiguousarray(joined),
        **{name: np.array(values or [0], np.int32) for name, values in rows.items()},
    }


def texture_faces(model: "Model", texture: int) -> np.ndarray:
    """Images of a texture, uint8 (1 or 6, height, width, 4)."""
    width, height, nchannel = (
        int(getattr(model, f"tex_{name}")[texture]) for name in ("width", "height", "nchannel")
    )
    start = int(model.tex_adr[texture])
    image = np.asarray(model.tex_data[start : start + width * height * nchannel])
    image = image.reshape(height, width, nchannel)
    rgba = np.full((height, width, 4), 255, np.uint8)
    # grey has one channel, or two with alpha
    rgba[..., :3] = image[..., :3] if nchannel >= 3 else image[..., :1]
    if model.tex_colorspace[texture] == SRGB:
        rgba[..., :3] = linear()[rgba[..., :3]]
    cube = model.tex_type[texture] != TEXTURE_2D and height == FACES * width
    return np.ascontiguousarray(rgba.reshape(FACES if cube else 1, -1, width, 4))


def linear() -> np.ndarray:
    """Linear light of the 256 values of sRGB, as bytes (IEC 61966-2-1)."""
    x = np.arange(256) / 255.0
    light = np.where(x <= 0.04045, x / 12.92, ((x + 0.055) / 1.055) ** 2.4)
    return np.rint(255.0 * light).astype(np.uint8)


def halved(faces: np.ndarray) -> np.ndarray:
    """Images of half the size, rounded down: of each new texel the two old ones beside its middle.

    As OpenGL's drivers do, which is the mean of two by two texels where sizes are even.
    """
    if all(side % 2 == 0 for side in faces.shape[1:3]):
        total = np.zeros((len(faces), *(side // 2 for side in faces.shape[1:3]), 4), np.uint16)
        for y in range(2):
            for x in range(2):
                total += faces[:, y::2, x::2]
        return ((total + 2) // 4).astype(np.uint8)
    found = faces.astype(np.float32)
    for axis in (1, 2):
        n = faces.shape[axis]
        if n > 1:
            middle = (np.arange(n // 2, dtype=np.float32) + 0.5) * (n / (n // 2)) - 0.5
            first = np.floor(middle).astype(int)
            share = (middle - first).astype(np.float32)
            share = share.reshape((-1, 1, 1) if axis == 1 else (-1, 1))
            low, high = (np.take(found, np.minimum(first + k, n - 1), axis) for k in (0, 1))
            found = low + share * (high - low)
    return (found + np.float32(0.5)).astype(np.uint8)
