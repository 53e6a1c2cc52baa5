"""Generalized forces on request: inertial and bias forces of any acceleration."""

from typing import TYPE_CHECKING

import numpy as np

from ..data.request import call_stages, check_data
from ..data.views import takes_views
from ..physics.smooth.forces import inertial_force
from ..pipeline.stage import Stage
from ..simd.kernel import kernel
from ..simd.lanes import add_block, load3, load6, store, zero_like
from ..simd.spatial import addscl6, dot6
from ..tables.enums import DSBL_GRAVITY

if TYPE_CHECKING:
    from ..data.data import Data
    from ..model.model import Model


@kernel
def newton_euler(m, d):
    """Force that a motion takes, by the recursive Newton-Euler algorithm (Featherstone 2008, 5.3).

    Reads: cinert, cdof, cdof_dot, cvel, qvel, vec_in (acceleration).
    Writes: vec_out (N, N m), rne_acc, rne_frc.
    """
    zero = zero_like(d.qvel)
    g = load3(m.opt_gravity, 0)
    on = 0.0 if m.opt_disableflags[0] & DSBL_GRAVITY else 1.0
    store(d.rne_acc, 0, (zero, zero, zero, zero - on * g[0], zero - on * g[1], zero - on * g[2]))
    for body in range(1, m.nbody):
        acc = load6(d.rne_acc, m.body_parentid[body])
        dofadr = m.body_dofadr[body]
        for dof in range(dofadr, dofadr + m.body_dofnum[body]):
            acc = addscl6(acc, load6(d.cdof_dot, dof), d.qvel[dof])
            acc = addscl6(acc, load6(d.cdof, dof), d.vec_in[dof])
        store(d.rne_acc, body, acc)
        store(d.rne_frc, body, inertial_force(d, body, acc))
    for body in range(m.nbody - 1, 0, -1):
        parent = m.body_parentid[body]
        if parent > 0:
            add_block(d.rne_frc, parent, load6(d.rne_frc, body))
    for dof in range(m.nv):
        d.vec_out[dof] = dot6(load6(d.cdof, dof), load6(d.rne_frc, m.dof_bodyid[dof]))


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
