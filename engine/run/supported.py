"""What the simulation of this version leaves out, refused by name when data are made."""

from typing import TYPE_CHECKING

import numpy as np

from ..enums import DSBL_CONSTRAINT, DSBL_CONTACT, ENBL_SLEEP, EQ_TENDON
from ..errors import UnsupportedFeature

if TYPE_CHECKING:
    from ..data.data import Data
    from ..model.model import Model


def _flag(name: str, bit: int):
    return (
        lambda m: bool(m.opt.enableflags & bit),
        f"option flag {name}='enable'",
        f"{name}='disable'",
    )


# condition on a model, what it has, what is expected instead
REFUSED = (
    (
        lambda m: bool(np.any(m.eq_type > EQ_TENDON)),
        "equality constraints of deformables",
        "<connect>, <weld>, <joint> or <tendon>",
    ),
    (lambda m: m.nflex > 0, "deformables", "a model without <deformable>"),
)  # fmt: skip


def refuse_unsupported(model: "Model") -> None:
    """Raise `UnsupportedFeature` for a model that this version compiles but cannot simulate yet."""
    for present, found, expected in REFUSED:
        if present(model):
            raise UnsupportedFeature(
                f"Data: {found}: simulation is not built yet; expected {expected}"
            )


def refuse_active(model: "Model", data: "Data") -> None:
    """Raise `UnsupportedFeature` for equalities of tendons in scenes that sleep, as MuJoCo does."""
    active = (model.eq_type == EQ_TENDON) & (data.eq_active != 0).any(axis=0)
    if model.opt.enableflags & ENBL_SLEEP and active.any():
        name = model.equality(int(np.flatnonzero(active)[0])).name
        raise UnsupportedFeature(
            f"Data: equality {name!r}: tendons that are joined do not sleep, in MuJoCo neither; "
            "expected eq_active 0, or option flag sleep='disable'"
        )


NO_CONTACT = DSBL_CONTACT | DSBL_CONSTRAINT  # either of these flags leaves contacts out
