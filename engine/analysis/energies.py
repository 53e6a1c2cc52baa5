"""Energies and subtree velocities on request, from fields that the last call has left."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..data.request import call_stages
from ..data.transfers import moved
from ..data.views import takes_views
from ..physics.flex.forces import flex_energy
from ..physics.smooth.energy import energy_pos as potential
from ..physics.smooth.energy import energy_vel as kinetic
from ..physics.smooth.energy import subtree_vel as subtrees
from ..pipeline.stage import Stage

if TYPE_CHECKING:
    from ..data.data import Data
    from ..model.model import Model

POTENTIAL = (Stage(potential, "energy"),)
OF_FLEXES = (Stage(flex_energy, "energy"),)
KINETIC = (Stage(kinetic, "energy"),)
SUBTREES = (Stage(subtrees, "subtree_linvel subtree_angmom"),)


@takes_views
def energy_pos(model: "Model", data: "Data", mask: np.ndarray | None = None) -> None:
    """Write the potential energy to data.energy[:, 0] (mj_energyPos).

    Of gravity, and of the springs of joints, tendons and lines of deformables. With option flag
    energy, `forward` and `step` write it too.

    Args:
        model: the model that the data were made for.
        data: worlds, which keep energy, xipos, ten_length and flexedge_length as the last call has
            left them.
        mask: bool (nworld,); worlds to compute. None means all.

    Raises:
        ValueError: data of another model, or a mask of the wrong shape.
        FieldError: the data do not keep a field.
    """
    reads = "energy xipos qpos" + (" ten_length" if model.ntendon else "")
    stages = POTENTIAL
    if model.nflex:
        stages, reads = POTENTIAL + OF_FLEXES, f"{reads} flexedge_length"
    _compute(model, data, "energy_pos", stages, reads, mask)


@takes_views
def energy_vel(model: "Model", data: "Data", mask: np.ndarray | None = None) -> None:
    """Write the kinetic energy to data.energy[:, 1] (mj_energyVel).

    Args:
        model: the model that the data were made for.
        data: worlds, which keep energy and M as the last call has left them.
        mask: bool (nworld,); worlds to compute. None means all.

    Raises:
        ValueError: data of another model, or a mask of the wrong shape.
        FieldError: the data do not keep a field.
    """
    _compute(model, data, "energy_vel", KINETIC, "energy qvel M", mask)


@takes_views
def subtree_vel(model: "Model", data: "Data", mask: np.ndarray | None = None) -> None:
    """Write data.subtree_linvel (m/s) and data.subtree_angmom (kg m^2/s) (mj_subtreeVel).

    These are the velocity of the center of mass of every subtree, and its angular momentum about
    this point. Sensors of subtrees write them too.

    Args:
        model: the model that the data were made for.
        data: worlds, which keep both, and xipos, ximat, cvel and subtree_com as the last call has
            left them.
        mask: bool (nworld,); worlds to compute. None means all.

    Raises:
        ValueError: data of another model, or a mask of the wrong shape.
        FieldError: the data do not keep a field.
    """
    reads = "xipos ximat cvel subtree_com"
    writes = "subtree_linvel subtree_angmom"
    _compute(model, data, "subtree_vel", SUBTREES, reads, mask, writes)


def _compute(
    model: "Model",
    data: "Data",
    where: str,
    stages: Sequence[Stage],
    reads: str,
    mask: np.ndarray | None,
    writes: str = "energy",
) -> None:
    fields = {name: getattr(data, name) for name in writes.split()}
    # in place, the stage writes the fields themselves
    results = {name: fields[name] for name in moved(data, fields)}
    call_stages(model, data, where, stages, reads=reads, results=results, mask=mask)
