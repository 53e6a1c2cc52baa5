"""Lights of a scene: the headlight and those of the model."""

from typing import TYPE_CHECKING

import numpy as np

from mjenv.engine.data.views import takes_views

from .cameras import mjv_cameraInModel
from .names import LIGHT, MAXLIGHT
from .records import LIGHT as LIGHT_ROW
from .single_world import SingleWorld

if TYPE_CHECKING:
    from mjenv.engine.data.data import Data
    from mjenv.engine.model.model import Model

    from .scene import MjvScene

SPOT, DIRECTIONAL = int(LIGHT.mjLIGHT_SPOT), int(LIGHT.mjLIGHT_DIRECTIONAL)
OF_ALL = (
    "type", "texid", "castshadow", "bulbradius", "intensity", "range",
    "ambient", "diffuse", "specular",
)  # fmt: skip
OF_SPOTS = ("attenuation", "exponent", "cutoff")


@takes_views
def mjv_makeLights(model: "Model", data: "Data", scn: "MjvScene", world: int = 0) -> None:
    """List the lights that are on: the headlight at the scene's camera, then the model's.

    Raises:
        ValueError: the headlight is on and the scene has no camera yet.
    """
    one = SingleWorld(model, data, world, "mjv_makeLights")
    m, d = one.m, one.d
    heads = _headlight(model, scn) if m.vis.headlight.active else np.zeros(0, LIGHT_ROW)
    ids = np.flatnonzero(m.light_active)[: MAXLIGHT - len(heads)]
    rows = np.zeros(len(ids), LIGHT_ROW)
    rows["id"] = ids
    for name in OF_ALL:
        rows[name] = getattr(m, f"light_{name}")[ids]
    spots = rows["type"] == SPOT
    for name in OF_SPOTS:
        rows[name][spots] = getattr(m, f"light_{name}")[ids[spots]]
    if len(ids):
        rows["pos"], rows["dir"] = d.light_xpos[ids], d.light_xdir[ids]
    scn.nlight = len(heads) + len(rows)
    scn.light_table[: scn.nlight] = np.concatenate([heads, rows])


def _headlight(model: "Model", scn: "MjvScene") -> np.ndarray:
    """The light (1,) on the camera."""
    row = np.zeros(1, LIGHT_ROW)
    row["id"] = row["texid"] = -1
    row["headlight"], row["type"] = 1, DIRECTIONAL
    row["bulbradius"], row["range"] = 0.02, 10
    row["pos"], row["dir"], _ = mjv_cameraInModel(scn)
    for name in ("ambient", "diffuse", "specular"):
        row[name] = getattr(model.vis.headlight, name)
    return row
