"""Energies of worlds on request, from fields that the last call has left."""

from ..call import call_stages
from ..energy import energy_pos as potential
from ..energy import energy_vel as kinetic
from ..stages import Stage

POTENTIAL = (Stage(potential, "energy"),)
KINETIC = (Stage(kinetic, "energy sense_momentum"),)


def energy_pos(model, data, mask=None) -> None:
    """Write the potential energy to data.energy[:, 0] (mj_energyPos).

    Of gravity, and of the springs of joints and tendons. With option flag energy, `forward` and
    `step` write it too.

    Args:
        model: the model that the data were made for.
        data: worlds, which keep energy, xipos and ten_length as the last call has left them.
        mask: bool (nworld,); worlds to compute. None means all.

    Raises:
        ValueError: data of another model, or a mask of the wrong shape.
        FieldError: the data do not keep a field.
    """
    reads = "energy xipos qpos" + (" ten_length" if model.ntendon else "")
    _compute(model, data, "energy_pos", POTENTIAL, reads, mask)


def energy_vel(model, data, mask=None) -> None:
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


def _compute(model, data, where: str, stages, reads: str, mask) -> None:
    # in place, the stage writes the field itself
    results = {} if data._moved(("energy",)) == () else {"energy": data.energy}
    call_stages(model, data, where, stages, reads=reads, results=results, mask=mask)
