"""Where the labels of a scene stand in its picture."""

from typing import TYPE_CHECKING

import numpy as np

from mjenv.render.visual.cameras import mjv_averageCamera, normalized

if TYPE_CHECKING:
    from mjenv.render.visual.scene import MjvScene


def labels(scn: "MjvScene", width: int, height: int) -> list[tuple[str, int, int]]:
    """Labels of a scene's geoms, each with the pixel that its geom's middle is seen at.

    Args:
        scn: the scene, with its camera.
        width: columns of the picture.
        height: its rows.

    Returns:
        (text, column, row) of those in the picture.
    """
    rows = scn.geom_table[: scn.ngeom]
    rows = rows[rows["label"] != b""]
    if not len(rows):
        return []
    eye = mjv_averageCamera(scn.camera[0], scn.camera[1])
    pos, forward, up = (np.asarray(v, np.float64) for v in (eye.pos, eye.forward, eye.up))
    right = normalized(np.cross(forward, up))

    # places in the frame of the camera, scaled to the near plane
    away = rows["pos"].astype(np.float64) - pos
    depth = away @ forward
    scale = 1.0 if eye.orthographic else eye.frustum_near / np.maximum(depth, 1e-9)
    aside, above = (away @ right) * scale, (away @ up) * scale

    # from the near plane to pixels
    opening = eye.frustum_top - eye.frustum_bottom
    half = eye.frustum_width or 0.5 * opening * width / height
    x = (0.5 + 0.5 * (aside - eye.frustum_center) / half) * width
    y = (eye.frustum_top - above) / opening * height
    seen = (depth > eye.frustum_near) & (x >= 0) & (x < width) & (y >= 0) & (y < height)
    return [
        (rows["label"][k].decode(errors="replace"), int(x[k]), int(y[k]))
        for k in np.flatnonzero(seen)
    ]
