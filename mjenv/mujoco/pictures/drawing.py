"""Scenes on canvases: colours, depths, and colours that number geoms."""

from collections.abc import Callable

import numpy as np

from mjenv.engine.errors import UnsupportedFeature
from mjenv.mujoco.errors import FatalError
from mjenv.mujoco.pictures.canvas import Rect
from mjenv.mujoco.pictures.context import MjrContext
from mjenv.mujoco.structs import MjvScene
from mjenv.render.caster import Pictures
from mjenv.render.surroundings import camera_rows
from mjenv.visual.cameras import eye_in_model, mjv_averageCamera
from mjenv.visual.geom_builders import halton
from mjenv.visual.names import RND
from mjenv.visual.scene import MjvScene as Scene
from mjenv.visual.settings import MjvGLCamera

MINVAL = 1e-15
DEPTH, SEGMENT, IDCOLOR, WIREFRAME = (
    int(RND[f"mjRND_{name}"]) for name in ("DEPTH", "SEGMENT", "IDCOLOR", "WIREFRAME")
)
SKY = int(RND.mjRND_SKYBOX)
SKYBOX = 2  # mjtTexture
SKY_SHARE = 0.7  # how far away the sky is, in the distance of the far plane
SHIFT, SPREAD = 10, (2, 3, 5)  # start and bases of the sequences of colours that tell geoms apart


def render(rect: Rect, scene: MjvScene, context: MjrContext) -> None:
    """Draw a scene into a part of what the context draws into.

    Args:
        rect: the part.
        scene: what there is.
        context: of the same model.

    Raises:
        FatalError: the scene has geoms and no camera.
        UnsupportedFeature: wireframes.
    """
    eye = mjv_averageCamera(scene.camera[0], scene.camera[1])
    if rect.empty:
        return
    if eye.frustum_near < MINVAL:
        if scene.ngeom:
            raise FatalError("mjvScene frustum_near too small in mjr_render")
        return
    if scene.flags[WIREFRAME]:
        raise UnsupportedFeature("mjr_render: scene.flags: mjRND_WIREFRAME is not drawn")
    # colour and depth are kept as a frame buffer keeps them: later calls draw over them
    canvas = context._target()
    rgb, depth = _picture(rect, scene, context)
    canvas.put_depth(rect, _depths(depth, rect, eye, scene, context))
    here, there = canvas.common(rect)
    if scene.flags[DEPTH]:
        canvas.rgb[here] = np.rint(255.0 * canvas.depth[here])[..., None]
    else:
        canvas.rgb[here] = rgb[there]


def _depths(
    depth: np.ndarray, rect: Rect, eye: MjvGLCamera, scene: MjvScene, context: MjrContext
) -> Callable[[], np.ndarray]:
    """Depths of OpenGL from distances (m) of a picture.

    Args:
        depth: the distances.
        rect: size of the picture.
        eye, scene, context: as it was drawn with.
    """
    inside = eye_in_model(eye, scene) if _shows_sky(scene, context) else None

    def compute() -> np.ndarray:
        far, shown = eye.frustum_far, depth
        if inside is not None:
            scale = far / inside.frustum_far
            sky = scale * sky_depth(inside, rect.height, rect.width)
            shown = np.where(depth < far, depth, sky)
        return reversed_depth(shown, eye)

    return compute


def _picture(rect: Rect, scene: MjvScene, context: MjrContext) -> tuple[np.ndarray, np.ndarray]:
    """Colours (height, width, 3) and distances (height, width), m, the lowest row first."""
    size = (1, rect.height, rect.width)
    depth = np.empty(size, np.float32)
    segments = bool(scene.flags[SEGMENT])
    flags = scene.flags.copy()
    flags[[DEPTH, SEGMENT, IDCOLOR]] = 0
    shown = Scene.__new__(Scene)
    vars(shown).update(vars(scene), flags=flags)
    if segments:
        ids = np.empty((*size, 2), np.int32)
        context._pictures().draw_scene(shown, Pictures(depth=depth, ids=ids), segments=True)
        rgb = _colours(ids[..., 0], scene)
    else:
        rgb = np.empty((*size, 3), np.uint8)
        context._pictures().draw_scene(shown, Pictures(rgb=rgb, depth=depth))
    return rgb[0, ::-1], depth[0, ::-1]


def _shows_sky(scene: MjvScene, context: MjrContext) -> bool:
    """True if there is a sky, which OpenGL draws as a cylinder before the far plane."""
    skies = context.textureType[: context.ntexture] == SKYBOX
    flat = bool(scene.camera[0].orthographic)
    return bool(scene.flags[SKY] and not scene.flags[SEGMENT] and skies.any() and not flat)


def sky_depth(eye: MjvGLCamera, height: int, width: int) -> np.ndarray:
    """Distances of the sky from the camera's plane (height, width), m, the lowest row first.

    Args:
        eye: with perspective.
        height, width: of the picture.
    """
    row = camera_rows(np.array([eye._row], eye.DTYPE), height, width)[0]
    right, up, forward = row[:9].reshape(3, 3)
    x = row[16] + row[12] * (np.arange(width) + 0.5)
    y = row[17] - row[13] * (np.arange(height)[::-1] + 0.5)
    way = forward + x[:, None] * right + y[:, None, None] * up
    aside = np.sqrt(way[..., 0] ** 2 + way[..., 1] ** 2)
    return SKY_SHARE * eye.frustum_far / np.maximum(aside, np.abs(way[..., 2]))


def _colours(segid: np.ndarray, scene: MjvScene) -> np.ndarray:
    """Colours of geoms by their numbers in the scene; black where there is none (-1)."""
    if scene.flags[IDCOLOR]:
        number = segid + 1
        return np.stack([number >> shift & 255 for shift in (0, 8, 16)], -1).astype(np.uint8)
    most = int(segid.max(initial=-1)) + 1
    spread = [0.1 + 0.8 * halton(np.arange(most) + SHIFT, base) for base in SPREAD]
    table = np.rint(255.0 * np.stack(spread, -1)).astype(np.uint8)
    return np.concatenate([table, np.zeros((1, 3), np.uint8)])[segid]


def reversed_depth(metres: np.ndarray, eye: MjvGLCamera) -> np.ndarray:
    """Distances as depths of OpenGL: from 1 at the near plane to 0 at the far one.

    Args:
        metres: distances from the camera's plane.
        eye: whose they are.
    """
    near, far = float(eye.frustum_near), float(eye.frustum_far)
    metres = np.clip(metres.astype(np.float64), near, far)
    if eye.orthographic:
        return ((far - metres) / (far - near)).astype(np.float32)
    return ((1.0 / metres - 1.0 / far) / (1.0 / near - 1.0 / far)).astype(np.float32)


def metres(depth: np.ndarray, eye: MjvGLCamera) -> np.ndarray:
    """Distances (m) from depths, the inverse of `reversed_depth`; float32."""
    near, far = float(eye.frustum_near), float(eye.frustum_far)
    depth = depth.astype(np.float64)
    if eye.orthographic:
        return (far - depth * (far - near)).astype(np.float32)
    return (1.0 / (1.0 / far + depth * (1.0 / near - 1.0 / far))).astype(np.float32)
