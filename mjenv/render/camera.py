"""Where a picture is taken from."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mjenv.render.frames import SETTINGS

if TYPE_CHECKING:
    from mjenv.engine.data.data import Data
    from mjenv.engine.model.model import Model

FREE_CAMERA = {"azimuth": 90.0, "elevation": -45.0}


class View(NamedTuple):
    """Frame and opening of a camera.

    Attributes:
        pos: (3,), m.
        right, up, forward: unit vectors, (3,).
        fovy: vertical angle of view (rad).
    """

    pos: np.ndarray
    right: np.ndarray
    up: np.ndarray
    forward: np.ndarray
    fovy: float


def camera_view(
    model: "Model",
    data: "Data",
    world: int,
    camera_id: int,
    camera_name: str | None,
    config: dict | None,
) -> View:
    """View of a camera of the model, or of the free camera.

    Args:
        model: the model.
        data: its data.
        world: which world.
        camera_id: camera of the model; -1 for the free camera.
        camera_name: its name, instead of `camera_id`.
        config: settings of the free camera: lookat, distance, azimuth, elevation, trackbodyid.

    Raises:
        KeyError: no camera of that name.
        ValueError: no camera of that number, or an unknown setting.
    """
    if camera_name is not None:
        camera_id = model.camera(camera_name).id
    if not -1 <= camera_id < model.ncam:
        raise ValueError(f"render: camera_id={camera_id}, expected -1 (free) to {model.ncam - 1}")
    if camera_id >= 0:
        mat = np.asarray(data.cam_xmat[world, camera_id]).reshape(3, 3)
        pos = np.array(data.cam_xpos[world, camera_id])
        return View(
            pos, mat[:, 0], mat[:, 1], -mat[:, 2], np.radians(float(model.cam_fovy[camera_id]))
        )
    return free_view(model, data, world, config or {})


def free_view(model: "Model", data: "Data", world: int, config: dict[str, Any]) -> View:
    """View of the free camera, which circles about a point."""
    for name in config:
        if name not in SETTINGS:
            raise ValueError(
                f"render: camera setting {name!r}, expected one of {', '.join(SETTINGS)}"
            )
    lookat = np.median(np.asarray(data.geom_xpos[world]).reshape(-1, 3), axis=0)
    lookat = np.array(config.get("lookat", lookat), np.float64)
    body = config.get("trackbodyid", -1)
    if body is not None and body >= 0:
        lookat = np.array(data.subtree_com[world, body])
    distance = float(config.get("distance", model.stat.extent))
    azimuth = np.radians(config.get("azimuth", FREE_CAMERA["azimuth"]))
    elevation = np.radians(config.get("elevation", FREE_CAMERA["elevation"]))
    ca, sa, ce, se = np.cos(azimuth), np.sin(azimuth), np.cos(elevation), np.sin(elevation)
    forward = np.array([ce * ca, ce * sa, se])
    return View(
        lookat - distance * forward,
        np.array([sa, -ca, 0.0]),
        np.array([-se * ca, -se * sa, ce]),
        forward,
        np.radians(float(model.vis.global_.fovy)),
    )
