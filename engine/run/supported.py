"""Features that cannot be simulated in large models that sleep, refused by name."""

from typing import TYPE_CHECKING

import numpy as np

from ..errors import UnsupportedFeature
from ..tables.enums import ENBL_SLEEP, EQ_FLEX, EQ_FLEXVERT, EQ_TENDON

if TYPE_CHECKING:
    from ..model.model import Model

# equalities that MuJoCo refuses in large models that sleep, and what they join
AWAKE = {
    EQ_TENDON: "tendons that are joined",
    EQ_FLEX: "deformables with constrained edges",
    EQ_FLEXVERT: "deformables with constrained vertices",
}


def joins_awake(model: "Model") -> np.ndarray:
    """Equalities whose parts cannot sleep, in MuJoCo neither, (neq,)."""
    return np.isin(model.eq_type, list(AWAKE))


def refuse_active(model: "Model", eq_active: np.ndarray) -> None:
    """Raise `UnsupportedFeature` for some equalities in large models that sleep, as MuJoCo does."""
    active = joins_awake(model) & (eq_active != 0).any(axis=0)
    if model.opt.enableflags & ENBL_SLEEP and active.any():
        eq = int(np.flatnonzero(active)[0])
        raise UnsupportedFeature(
            f"Data: equality {model.equality(eq).name!r}: {AWAKE[int(model.eq_type[eq])]} do not"
            " sleep, in MuJoCo neither; expected eq_active 0, or option flag sleep='disable'"
        )
