"""Masks of deformables, and what they let touch."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ...tables.enums import DSBL_CONSTRAINT, DSBL_CONTACT

if TYPE_CHECKING:
    from ...model.model import Model

NO_CONTACT = DSBL_CONTACT | DSBL_CONSTRAINT  # either of these flags leaves contacts out


def matching_masks(model: "Model", contype: Any, conaffinity: Any) -> np.ndarray:
    """Pairs of deformables and things whose masks match, bool (nflex, n)."""
    affine = model.flex_contype[:, None] & conaffinity
    return (affine | (model.flex_conaffinity[:, None] & contype)) != 0


def flexes_self_collide(model: "Model") -> np.ndarray:
    """Deformables that may touch themselves, bool (nflex,)."""
    own = (model.flex_contype & model.flex_conaffinity) != 0
    return (
        own & (model.flex_rigid == 0) & ((model.flex_internal != 0) | (model.flex_selfcollide != 0))
    )


def flexes_collide(model: "Model") -> bool:
    """True if masks let some deformable touch a geom, another one or itself."""
    if model.opt.disableflags & NO_CONTACT or not model.nflex:
        return False
    others = matching_masks(model, model.flex_contype, model.flex_conaffinity)
    others[np.diag_indices(model.nflex)] = False
    bodies = matching_masks(model, model.body_contype, model.body_conaffinity)
    return bool(bodies.any() or others.any() or flexes_self_collide(model).any())
