"""Scratch of collisions of signed distance fields."""

from typing import TYPE_CHECKING

import numpy as np

from ...tables.enums import GEOM_SDF, SENS_TACTILE
from ...tables.fields import table

if TYPE_CHECKING:
    from ...model.model import Model

MOST = 50  # contacts of two geoms, as in MuJoCo

# `scalar`: one number for all lanes, as the lanes take turns
SDF_DATA = table("""
sdf_on           real    nsdfcon       1: the lane has the contact
sdf_dist         real    nsdfcon       distance (m)
sdf_pos          real    nsdfcon*3     midpoint (m)
sdf_axis         real    nsdfcon*3     normal
sdf_near         real    1             1: the lane's bounding spheres are near
sdf_known        scalar  nsdfcon*3     points that were found, in the frame of the second geom (m)
sdf_depth        scalar  nsdfcon       distance there (m)
sdf_point        scalar  3             point that is asked for (m)
sdf_asked        int     3             geom, lane; 0: distance, 1: gradient
sdf_answer       scalar  3             distance (m), or gradient
sdf_call         long    1             address of what answers
sdf_stack        int     nsdfstack     nodes still to look at
""")
# eight points at a time
SDF_STRIP_DATA = table("""
sdf_points       strip   nsdfask*3     points that are asked for (m)
sdf_wanted       strip   nsdfask       1: answers are wanted
sdf_answers      strip   nsdfask*3     distances (m), or gradients
sdf_numbers      scalar  nsdfask*32    numbers that become strips
""")


def sdf_sizes(model: "Model") -> dict[str, int]:
    """Sizes of the scratch."""
    there = bool(np.any(model.geom_type == GEOM_SDF))
    asked = there or bool(np.any(model.sensor_type == SENS_TACTILE))
    return {"nsdfcon": MOST * there, "nsdfstack": 128 * there, "nsdfask": int(asked)}
