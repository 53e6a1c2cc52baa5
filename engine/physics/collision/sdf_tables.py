"""Scratch of collisions of signed distance fields."""

from typing import TYPE_CHECKING

import numpy as np

from ...tables.enums import GEOM_SDF, SENS_TACTILE

if TYPE_CHECKING:
    from ...model.model import Model

MOST = 50  # contacts of two geoms, as in MuJoCo


def sdf_sizes(model: "Model") -> dict[str, int]:
    """Sizes of the scratch."""
    there = bool(np.any(model.geom_type == GEOM_SDF))
    asked = there or bool(np.any(model.sensor_type == SENS_TACTILE))
    return {"nsdfcon": MOST * there, "nsdfstack": 128 * there, "nsdfask": int(asked)}
