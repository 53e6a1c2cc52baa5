"""Tables of the test that MuJoCo's broad phase makes, for pairs that touch within rounding."""

from typing import TYPE_CHECKING

import numpy as np

from ...tables.enums import GEOM_PLANE

if TYPE_CHECKING:
    from ...model.model import Model


def sap_tables(model: "Model") -> dict:
    """Arrays of `SAP_MODEL`: the world, and bodies that are welded to it and have a plane."""
    unswept = np.zeros(model.nbody, int)
    planes = model.geom_bodyid[model.geom_type == GEOM_PLANE]
    unswept[planes[model.body_weldid[planes] == 0]] = 1
    unswept[:1] = 1
    return {"body_unswept": unswept}


def has_swept_pairs(model: "Model", tables: dict) -> bool:
    """True if some candidate pair, which is not predefined, passes MuJoCo's broad phase."""
    if tables.get("is_large_model"):
        return True
    own = np.asarray(tables["cand_predefined"]) < 0
    geoms = np.stack([tables["cand_geom1"], tables["cand_geom2"]])[:, own]
    return bool(
        (tables["body_unswept"][model.geom_bodyid[geoms]].max(axis=0, initial=0) == 0).any()
    )
