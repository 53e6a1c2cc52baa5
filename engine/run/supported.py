"""What the simulation of this version leaves out, refused by name when data are made."""

from typing import TYPE_CHECKING

import numpy as np

from ..enums import (
    DSBL_CONSTRAINT,
    DSBL_CONTACT,
    ENBL_SLEEP,
    EQ_FLEX,
    EQ_FLEXVERT,
    EQ_TENDON,
)
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


def _touching(m: "Model") -> bool:
    """Whether masks let some deformable touch a geom, another one or itself."""
    if m.opt.disableflags & NO_CONTACT:
        return False
    kinds = np.concatenate([m.flex_contype, m.geom_contype])
    affinities = np.concatenate([m.flex_conaffinity, m.geom_conaffinity])
    meets = (m.flex_contype[:, None] & affinities) | (m.flex_conaffinity[:, None] & kinds)
    loose = m.flex_rigid == 0
    own = np.arange(m.nflex)
    itself = (meets[own, own] != 0) & (m.flex_selfcollide != 0)
    meets[own, own] = 0
    inside = (m.flex_internal != 0) | itself
    return bool(meets.any() or (loose & inside).any())


# equalities that MuJoCo refuses in scenes that sleep, and what they join
AWAKE = {
    EQ_TENDON: "tendons that are joined",
    EQ_FLEX: "deformables with constrained edges",
    EQ_FLEXVERT: "deformables with constrained vertices",
}
NO_CONTACT = DSBL_CONTACT | DSBL_CONSTRAINT  # either of these flags leaves contacts out

# condition on a model, what it has, what is expected instead
REFUSED = (
    (
        lambda m: m.nflex > 0 and bool(_touching(m)),
        "contacts of deformables",
        "contype='0', conaffinity='0', selfcollide='none' and internal='false' in their <contact>, or "
        "option flag contact='disable'",
    ),
)  # fmt: skip


def refuse_unsupported(model: "Model") -> None:
    """Raise `UnsupportedFeature` for a model that this version compiles but cannot simulate yet."""
    for present, found, expected in REFUSED:
        if present(model):
            raise UnsupportedFeature(
                f"Data: {found}: simulation is not built yet; expected {expected}"
            )


def joins_awake(model: "Model") -> np.ndarray:
    """Equalities whose parts cannot sleep, in MuJoCo neither, (neq,)."""
    return np.isin(model.eq_type, list(AWAKE))


def refuse_active(model: "Model", data: "Data") -> None:
    """Raise `UnsupportedFeature` for some equalities in scenes that sleep, as MuJoCo does."""
    active = joins_awake(model) & (data.eq_active != 0).any(axis=0)
    if model.opt.enableflags & ENBL_SLEEP and active.any():
        eq = int(np.flatnonzero(active)[0])
        raise UnsupportedFeature(
            f"Data: equality {model.equality(eq).name!r}: {AWAKE[int(model.eq_type[eq])]} do not"
            " sleep, in MuJoCo neither; expected eq_active 0, or option flag sleep='disable'"
        )
