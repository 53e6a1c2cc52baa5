"""What the simulation of this version leaves out, refused by name when data are made."""

from typing import TYPE_CHECKING

import numpy as np

from ..enums import (
    DSBL_CONSTRAINT,
    DSBL_CONTACT,
    ENBL_SLEEP,
    EQ_TENDON,
    INT_IMPLICIT,
    INT_IMPLICITFAST,
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


def _damps_implicitly(m: "Model") -> bool:
    """Whether an integrator needs derivatives of forces of deformables."""
    if m.opt.integrator not in (INT_IMPLICIT, INT_IMPLICITFAST):
        return False
    loose = m.flex_rigid == 0
    elastic = (m.flex_interp != 0) & (m.flex_stiffnessadr >= 0)
    return bool((loose & (elastic | (m.flex_edgedamping != 0))).any())


NO_CONTACT = DSBL_CONTACT | DSBL_CONSTRAINT  # either of these flags leaves contacts out

# condition on a model, what it has, what is expected instead
REFUSED = (
    (
        lambda m: m.nflex > 0 and bool(_touching(m)),
        "contacts of deformables",
        "contype='0', conaffinity='0', selfcollide='none' and internal='false' in their <contact>, or "
        "option flag contact='disable'",
    ),
    (
        lambda m: m.nflex > 0 and _damps_implicitly(m),
        "deformables under implicit integrators",
        "integrator='Euler' or 'RK4'",
    ),
    (
        lambda m: m.nflex > 0 and bool(m.opt.enableflags & ENBL_SLEEP),
        "deformables with option flag sleep",
        "sleep='disable'",
    ),
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
