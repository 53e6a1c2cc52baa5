"""Textures as the ray caster reads them: levels of half the size each, down to one pixel."""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from mjenv.engine.model.model import Model

TEXTURE_2D, TEXTURE_SKYBOX = 0, 2


def texture_tables(model: "Model") -> dict[str, np.ndarray]:
    """Arrays of all textures of a model, with their reductions.

    Returns:
        texels (bytes, three a pixel), level_adr, level_width, level_height, and per texture
        texture_level0, texture_levels, texture_cube, texture_faces.
    """
    texels, adr, widths, heights = [], [], [], []
    table = {
        name: [] for name in ("texture_level0", "texture_levels", "texture_cube", "texture_faces")
    }
    at = 0
    for k in range(model.ntex):
        width, height, nchannel = (
            int(getattr(model, f"tex_{n}")[k]) for n in ("width", "height", "nchannel")
        )
        start = int(model.tex_adr[k])
        image = model.tex_data[start : start + width * height * nchannel].reshape(
            height, width, nchannel
        )
        image = image[:, :, :3] if nchannel >= 3 else np.repeat(image[:, :, :1], 3, axis=2)
        cube = model.tex_type[k] != TEXTURE_2D
        nface = height // width if cube else 1
        faces = image.reshape(nface, height // nface, width, 3).astype(np.float64)
        table["texture_level0"].append(len(adr))
        table["texture_cube"].append(int(cube))
        table["texture_faces"].append(nface)
        nlevel = 0
        while True:
            adr.append(at)
            widths.append(faces.shape[2])
            heights.append(faces.shape[1])
            level = np.clip(np.rint(faces), 0, 255).astype(np.uint8)
            texels.append(level.ravel())
            at += level.size
            nlevel += 1
            if min(faces.shape[1:3]) < 2:
                break
            faces = halved(faces)
        table["texture_levels"].append(nlevel)
    joined = np.concatenate(texels) if texels else np.zeros(3, np.uint8)
    arrays = {"level_adr": adr, "level_width": widths, "level_height": heights, **table}
    return {
        "texels": joined,
        **{name: np.array(values or [0], np.int32) for name, values in arrays.items()},
    }


def halved(faces: np.ndarray) -> np.ndarray:
    """Images of half the size: means of two by two pixels, the last ones repeated when odd."""
    for axis in (1, 2):
        if faces.shape[axis] % 2:
            last = np.take(faces, [-1], axis=axis)
            faces = np.concatenate([faces, last], axis=axis)
    n, h, w, c = faces.shape
    return faces.reshape(n, h // 2, 2, w // 2, 2, c).mean(axis=(2, 4))
