"""Text over a picture: labels of geoms, and the frame around it."""

from typing import TYPE_CHECKING

import numpy as np
from PIL import Image, ImageDraw

if TYPE_CHECKING:
    from ..visual.scene import MjvScene

WHITE, BLACK = (255, 255, 255), (0, 0, 0)


def write(scene: "MjvScene", camera: np.ndarray, picture: np.ndarray) -> None:
    """Write labels and draw the frame of a scene into its picture.

    Args:
        scene: the scene.
        camera: row of its camera, see `camera_rows`.
        picture: uint8 (height, width, 3).
    """
    rows = scene.geom_table[: scene.ngeom]
    labelled = rows[rows["label"] != b""]
    if len(labelled):
        write_labels(labelled, camera, bool(scene.camera[0].orthographic), picture)
    if scene.framewidth:
        width, colour = int(scene.framewidth), np.rint(255 * scene.framergb).astype(np.uint8)
        picture[:width] = picture[-width:] = colour
        picture[:, :width] = picture[:, -width:] = colour


def write_labels(rows: np.ndarray, camera: np.ndarray, flat: bool, picture: np.ndarray) -> None:
    """Labels of geoms, where their middles are seen; nothing hides them."""
    right, up, forward, eye = camera[:12].reshape(4, 3)
    way = rows["pos"] - eye
    depth = way @ forward
    spread = np.ones(len(rows)) if flat else np.maximum(depth, 1e-9)
    # the lens, turned round
    x = (way @ right / spread - camera[16]) / camera[12]
    y = (camera[17] - way @ up / spread) / camera[13]
    image = Image.fromarray(picture)
    draw = ImageDraw.Draw(image)
    for k in np.flatnonzero(depth > camera[14]):
        text = rows["label"][k].decode(errors="replace")
        place = (float(x[k]), float(y[k]))
        draw.text((place[0] + 1, place[1] + 1), text, fill=BLACK)
        draw.text(place, text, fill=WHITE)
    picture[...] = np.asarray(image)
