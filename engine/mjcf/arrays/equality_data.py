"""Anchors and relative poses of equality constraints that follow from poses at qpos0."""

from typing import TYPE_CHECKING

import numpy as np

from ...products import applied, norm
from ...tables.enums import EQ_CONNECT, MINVAL, OBJ_BODY, OBJ_SITE
from ..geometry import pose

if TYPE_CHECKING:
    from ...model.model import Model
    from .configuration import Configuration


def set_equalities(model: "Model", reference: "Configuration") -> None:
    """Complete `eq_data` of constraints between bodies from their poses at qpos0.

    Args:
        model: the model.
        reference: its `Configuration` at qpos0.
    """
    for i in np.flatnonzero((model.eq_type == EQ_CONNECT) & (model.eq_objtype == OBJ_SITE)):
        model.eq_data[i] = 0
    for i in np.flatnonzero(model.eq_objtype == OBJ_BODY):
        data, body1, body2 = model.eq_data[i], model.eq_obj1id[i], model.eq_obj2id[i]
        if model.eq_type[i] == EQ_CONNECT:
            data[3:6] = _seen_from(reference, body2, body1, data[:3])
            continue
        if data[6:10].any():
            length = norm(data[6:10])
            data[6:10] = data[6:10] / length if length >= MINVAL else pose.IDENTITY
            continue
        data[3:6] = _seen_from(reference, body1, body2, data[:3])
        inverse = pose.conjugate(reference.xquat[body1])
        data[6:10] = pose.multiply(inverse, reference.xquat[body2])


def _seen_from(
    reference: "Configuration", observer: int, body: int, point: np.ndarray
) -> np.ndarray:
    """A point of a body in the frame of another one."""
    world = reference.xpos[body] + applied(reference.xmat[body], point)
    return applied(reference.xmat[observer].T, world - reference.xpos[observer])
