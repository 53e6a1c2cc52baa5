"""Lights, cameras and effects as tables for the ray caster."""

from typing import TYPE_CHECKING, Any

import numpy as np

from mjenv.engine.errors import UnsupportedFeature

from ..visual.names import LIGHT as LIGHT_TYPES
from ..visual.names import RND
from .caster import Stage
from .layouts import LIGHT
from .shade import LIGHT_DIRECTIONAL, LIGHT_SPOT

if TYPE_CHECKING:
    from mjenv.engine.model.model import Model


GIVEN = 0.7  # share of the camera's light that the sky gets in the second look
SUN, SUN_GLOSS, SUN_DIRECTION = 0.75, 0.3, (-0.42, 0.5, -0.76)
CORNER_REACH = 0.3  # how far corners reach, in the model's extent
MOST_LIGHTS = 8  # in MuJoCo's pictures, the headlight included: those of OpenGL
SPOT, DIRECTIONAL = int(LIGHT_TYPES.mjLIGHT_SPOT), int(LIGHT_TYPES.mjLIGHT_DIRECTIONAL)
TEXTURE_SKYBOX = 2
# effects that other renderers have
NOT_DRAWN = ("WIREFRAME", "SEGMENT", "IDCOLOR", "DEPTH")


def stage(
    model: "Model", lights: np.ndarray, cameras: np.ndarray, flags: np.ndarray, size: tuple,
    own_sky: bool = False,
) -> Stage:  # fmt: skip
    """Surroundings of the shapes of some worlds.

    Args:
        model: the model.
        lights: rows of mjvLight, (W or 1, n).
        cameras: rows of mjvGLCamera, (W or 1,).
        flags: effects, by mjtRndFlag.
        size: height and width of pictures.
        own_sky: whether the style has a sky that is better than a computed one, and any number of
            lights.

    Raises:
        UnsupportedFeature: an effect that is not drawn.
    """
    # effects that pictures would lack silently
    for name in NOT_DRAWN:
        if flags[RND[f"mjRND_{name}"]]:
            raise UnsupportedFeature(f"render: scene.flags: mjRND_{name} is not drawn")
    on = {name: bool(flags[RND[f"mjRND_{name}"]]) for name in EFFECTS}
    skylight = np.zeros(3)
    # lights, as many as the style draws
    if own_sky:
        lights, skylight = arranged(lights)
    else:
        lights = lights[:, :MOST_LIGHTS]
    extent, settings = float(model.stat.extent), model.vis.map
    # fog and sky by the model's settings
    fog = None
    if on["FOG"]:
        fog = np.array(
            [extent * settings.fogstart, extent * settings.fogend, *model.vis.rgba.fog[:3]]
        )
    sky = [k for k in range(model.ntex) if model.tex_type[k] == TEXTURE_SKYBOX]
    if own_sky:
        sky = [k for k in sky if model.tex_pathadr[k] >= 0]
    # rows for the ray caster
    rows, kind, shadow = light_rows(
        lights, cameras, extent * settings.shadowclip, float(settings.shadowscale)
    )
    return Stage(
        rows, kind, shadow, camera_rows(cameras, *size),
        ortho=bool(cameras["orthographic"].any()),
        sky=sky[0] if sky and on["SKYBOX"] else -1, haze=haze(model, on["HAZE"]), fog=fog,
        corner_reach=CORNER_REACH * extent, skylight=skylight,
        shadows=on["SHADOW"] and model.vis.quality.shadowsize != 0,
        reflections=on["REFLECTION"], cull=on["CULL_FACE"], additive=on["ADDITIVE"],
    )  # fmt: skip


def arranged(lights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lights as a photographer has them: shadows tell where things stand.

    Most of the light that shines from the camera, which shows no shapes, comes from the sky
    instead; where no light throws shadows, a sun does.

    Args:
        lights: rows of mjvLight, (W or 1, n).

    Returns:
        The lights, and that of the sky (3,).
    """
    own = lights["headlight"][0] != 0
    given = np.where(own[:, None], GIVEN * lights["diffuse"][0], 0.0).sum(axis=0)
    lights = lights.copy()
    lights["diffuse"][:, own] *= 1.0 - GIVEN
    if not (lights["castshadow"][0] != 0).any() and given.any():
        sun = np.zeros((len(lights), 1), lights.dtype)
        sun["type"], sun["castshadow"], sun["dir"] = DIRECTIONAL, 1, SUN_DIRECTION
        sun["diffuse"], sun["specular"] = SUN, SUN_GLOSS
        lights = np.concatenate([lights, sun], axis=1)
    return lights, given


EFFECTS = ("SHADOW", "REFLECTION", "SKYBOX", "FOG", "HAZE", "CULL_FACE", "ADDITIVE")


def haze(model: "Model", on: bool) -> np.ndarray:
    """Width and colour of the haze, and the height at which it is dense, in its width."""
    width = float(model.vis.map.haze)
    alpha = np.arctan2(1.0, width)
    dense = np.sqrt(0.5) * width * np.sin(alpha) / np.sin(0.75 * np.pi - alpha)
    return np.array([width if on else 0.0, *model.vis.rgba.haze[:3], dense])


def light_rows(lights: np.ndarray, cameras: np.ndarray, clip: float, scale: float) -> Any:
    """Lights for the ray caster: (rows (W or 1, n, LIGHT), kinds, whether they throw shadows).

    As in MuJoCo's classic renderer, shadows end with the shadow map, and lights of other types than
    spot and directional shine from the camera.
    """
    # defaults: a directional light without attenuation
    nworld = max(len(lights), len(cameras))
    n = lights.shape[1]
    rows = np.zeros((nworld, n, LIGHT))
    if not n:
        return rows[:1], np.zeros(0, int), np.zeros(0, int)
    kind, shadow = np.full(n, LIGHT_DIRECTIONAL), lights[0]["castshadow"].astype(int)
    types = lights[0]["type"]
    for start, name in ((0, "pos"), (3, "dir"), (6, "ambient"), (9, "diffuse"), (12, "specular")):
        rows[:, :, start : start + 3] = lights[name]
    rows[:, :, 15], rows[:, :, 18], rows[:, :, 20] = 1.0, -1.0, clip
    # spots have a cone, which the shadow map limits
    spots = types == SPOT
    if spots.any():
        kind[spots] = LIGHT_SPOT
        own = lights[:, spots]
        rows[:, spots, 15:18], rows[:, spots, 19] = own["attenuation"], own["exponent"]
        cutoff = own["cutoff"].astype(np.float64)
        rows[:, spots, 18] = np.where(cutoff < 180.0, np.cos(np.radians(cutoff)), -1.0)
        rows[:, spots, 20] = np.tan(np.radians(np.minimum(cutoff * scale, 80.0)))
        rows[:, spots, 21] = 1.0
    # other types shine from the camera
    others = ~spots & (types != DIRECTIONAL)
    rows[:, others, 3:6] = cameras["forward"][:, None]
    shadow[others] = 0
    return rows, kind, shadow


def camera_rows(cameras: np.ndarray, height: int, width: int) -> np.ndarray:
    """Cameras for the ray caster, (W or 1, CAMERA): axes, place, and the lens.

    A pixel (x, y) is at lens[4] + lens[0] x to the right of the axis and at lens[5] - lens[1] y
    above it, in the plane at distance 1 or, where rays are parallel, in any.
    """
    # axes of the camera
    eye = {
        name: cameras[name].astype(np.float64)
        for name in ("pos", "forward", "up", *(f"frustum_{n}" for n in FRUSTUM))
    }
    f, u = eye["forward"].T, eye["up"].T
    right = np.stack(
        [f[1] * u[2] - f[2] * u[1], f[2] * u[0] - f[0] * u[2], f[0] * u[1] - f[1] * u[0]], axis=1
    )
    # the lens: at distance 1 where rays meet in the eye
    near = eye["frustum_near"]
    flat = cameras["orthographic"] != 0
    scale = np.where(flat, 1.0, 1.0 / np.where(near > 0.0, near, 1.0))
    top, bottom = eye["frustum_top"] * scale, eye["frustum_bottom"] * scale
    half = eye["frustum_width"] * scale
    half = np.where(half > 0.0, half, 0.5 * (top - bottom) * width / height)
    lens = (
        2.0 * half / width, (top - bottom) / height, near, eye["frustum_far"],
        eye["frustum_center"] * scale - half, top,
    )  # fmt: skip
    return np.concatenate(
        [right, eye["up"], eye["forward"], eye["pos"], np.stack(lens, axis=1)], axis=1
    )


FRUSTUM = ("center", "width", "bottom", "top", "near", "far")
