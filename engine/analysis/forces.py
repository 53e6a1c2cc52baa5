"""Generalized forces on request: inertial and bias forces of any acceleration."""

from typing import TYPE_CHECKING

import numpy as np

from ..data.request import call_stages, check_data
from ..data.views import takes_views
from ..direct.forces import recursion
from ..pipeline.stage import Stage
from ..simd.kernel import kernel

if TYPE_CHECKING:
    from ..data.data import Data
    from ..model.model import Model


@kernel
def newton_euler(m, d):
    """Force that a motion takes.

    Reads: cinert, cdof, cdof_dot, cvel, qvel, vec_in (acceleration).
    Writes: vec_out (N, N m), rne_acc, rne_frc.
    """
    recursion(m, d, d.vec_in, d.vec_out)


NEWTON_EULER = (Stage(newton_euler),)


@takes_views
def rne(model: "Model", data: "Data", flg_acc: bool = False) -> np.ndarray:
    """Generalized force of motion and gravity (mj_rne): C(qpos, qvel), plus M qacc on request.

    Armature does not count, neither that of joints nor that of tendons. Bodies that sleep count as
    if they were awake.

    Args:
        model: the model that the data were made for.
        data: worlds, which keep cinert, cdof, cdof_dot and cvel as the last call has left them.
        flg_acc: whether data.qacc counts; otherwise it is taken as zero.

    Returns:
        (nworld, nv), N or N m.

    Raises:
        ValueError: data of another model.
        FieldError: the data do not keep a field.
    """
    check_data(model, data, "rne")
    result = np.zeros((data.nworld, model.nv))
    acceleration = data.qacc if flg_acc else np.zeros(result.shape)
    if result.size:
        call_stages(
            model, data, "rne", NEWTON_EULER, reads="cinert cdof cdof_dot cvel qvel",
            given={"vec_in": acceleration}, results={"vec_out": result},
        )  # fmt: skip
    return result
