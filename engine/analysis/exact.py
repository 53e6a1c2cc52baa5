"""Exact derivatives of a step and of inverse dynamics, by dual numbers.

Inverse dynamics has no iterations, so its derivatives follow from the kernels as they are. Those of
the acceleration follow from them by the implicit function theorem: at the solution, the residual
r(x, a) = M a - qfrc_smooth - qfrc_constraint is 0, so da/dx = -(dr/da)^-1 dr/dx. With these, a step
is differentiated from its solved acceleration on.
"""

from typing import TYPE_CHECKING

import numpy as np

from ..data.request import check_data
from ..data.views import takes_views
from ..physics.smooth.inertia import scatter_qm
from ..pipeline.integration import integration
from ..pipeline.inverse import FINISH_INVERSE, INVERSE, inverse_dynamics
from ..pipeline.stage import Stage, without
from ..pipeline.timer_tables import SOLVING
from ..run.program import readings
from ..simd.kernel import kernel
from .derivatives import InverseDerivatives, Transition
from .dual_passes import Passes, directions, integrated
from .dual_worlds import refuse_inexact, refuse_options

if TYPE_CHECKING:
    from ..data.data import Data
    from ..model.model import Model
    from ..run.plan import Plan


@kernel
def residual(m, d):
    """Return the residual of the equation of motion at a given acceleration.

    Reads: sol_Ma, qfrc_smooth, qfrc_constraint.
    Writes: inv_qfrc (N, N m).
    """
    for dof in range(m.nv):
        d.inv_qfrc[dof] = d.sol_Ma[dof] - d.qfrc_smooth[dof] - d.qfrc_constraint[dof]


RESIDUAL = Stage(residual)
INERTIA = Stage(scatter_qm, "qM")


@takes_views
def transition_jacobian(model: "Model", data: "Data") -> Transition:
    """Exact derivatives of a step and its sensors with respect to state and control.

    What `transition_fd` approximates, without differences: rounding is the only error, apart from
    that of the acceleration, which the solver finds to its tolerance. Where something is not
    differentiable (a contact opens, a limit is reached), these are derivatives on one side. The
    data stay as they are.

    Args:
        model: the model that the data were made for.
        data: worlds.

    Returns:
        `Transition`, with a leading world axis.

    Raises:
        ValueError: data of another model.
        UnsupportedFeature: something in the model has no exact derivatives.
    """
    where = "transition_jacobian"
    check_data(model, data, where)
    refuse_options(where, model, data.plan.hooks.functions)
    data.plan.refresh_idle()
    equation, step = _transition_stages(data.plan)
    refuse_inexact(where, step)
    nv, na, nu, ns = model.nv, model.na, model.nu, model.nsensordata
    n, passes = 2 * nv + na, Passes(model, data, where)
    result = Transition(
        *(np.zeros((data.nworld, rows, columns)) for rows in (n, ns) for columns in (n, nu))
    )
    fields = [("qvel", nv), ("act", na), ("ctrl", nu), ("qacc", nv)]
    # implicit differentiation: inverse dynamics say how forces follow from accelerations
    for worlds in passes.parts(n + nu + nv):
        moves = directions(model, data, worlds, fields)
        given = passes.given(worlds) | {"qacc": passes.accelerations(worlds)}
        slopes, _ = passes.run(equation, worlds, given, moves, {"inv_qfrc": nv})
        slopes = slopes["inv_qfrc"].swapaxes(1, 2)
        moves = {name: rows[:, : n + nu] for name, rows in moves.items()}
        # the acceleration moves so that the force stays what it is
        moves["qacc"] = -np.linalg.solve(slopes[:, :, n + nu :], slopes[:, :, : n + nu]).swapaxes(
            1, 2
        )
        sizes = {"qvel": nv, "act": na, "sensordata": ns}
        slopes, ends = passes.run(step, worlds, given, moves, sizes)
        # then a step along the direction, acceleration included
        pos = integrated(model, moves, slopes["qvel"], ends["qvel"])
        state = np.concatenate([pos, slopes["qvel"], slopes["act"]], axis=2)
        for target, rows in ((result[:2], state), (result[2:], slopes["sensordata"])):
            target[0][worlds] = rows[:, :n].swapaxes(1, 2)
            target[1][worlds] = rows[:, n:].swapaxes(1, 2)
    return result


@takes_views
def inverse_jacobian(
    model: "Model", data: "Data", flg_actuation: bool = False
) -> InverseDerivatives:
    """Exact derivatives of inverse dynamics and sensors; what `inverse_fd` approximates.

    Args:
        model: the model that the data were made for.
        data: worlds, which keep qacc.
        flg_actuation: whether forces are those besides actuators: qfrc_inverse - qfrc_actuator.

    Returns:
        `InverseDerivatives`, with a leading world axis.

    Raises:
        ValueError: data of another model.
        FieldError: the data do not keep qacc.
        UnsupportedFeature: something in the model has no exact derivatives.
    """
    where = "inverse_jacobian"
    check_data(model, data, where)
    refuse_options(where, model, data.plan.hooks.functions)
    qacc = data.qacc
    data.plan.refresh_idle()
    stages = _inverse_stages(data.plan, flg_actuation)
    refuse_inexact(where, stages)
    nv, ns, passes = model.nv, model.nsensordata, Passes(model, data, where)
    shapes = [(data.nworld, nv, size) for size in (nv, ns) for _ in range(3)]
    result = InverseDerivatives(*(np.zeros(s) for s in [*shapes, (data.nworld, nv, model.nM)]))
    sizes = {"qfrc_inverse": nv, "qfrc_actuator": nv, "sensordata": ns, "qM": model.nM}
    # given: what the stages of the inverse do not compute
    for worlds in passes.parts(3 * nv):
        given = passes.given(worlds) | {"qacc": qacc[worlds]}
        for name in ("actuator_force", "qfrc_actuator", "qacc_smooth"):
            if name in data.kept:
                given[name] = getattr(data, name)[worlds]
        moves = directions(model, data, worlds, [("qvel", nv), ("qacc", nv)])
        slopes, _ = passes.run(stages, worlds, given, moves, sizes)
        force = slopes["qfrc_inverse"]
        if flg_actuation:
            force = force - slopes["qfrc_actuator"]
        # slopes by position, velocity and acceleration
        parts = [slice(k * nv, (k + 1) * nv) for k in range(3)]
        outputs = [values[:, part] for values in (force, slopes["sensordata"]) for part in parts]
        for target, values in zip(result, [*outputs, slopes["qM"][:, :nv]], strict=True):
            target[worlds] = values
    return result


def _transition_stages(plan: "Plan") -> tuple[tuple[Stage, ...], tuple[Stage, ...]]:
    """Stages of the equation of motion, and of a step, at an acceleration that is given."""
    moving = tuple(stage for stage in plan.forward if stage.timers != SOLVING)
    step = (*moving, INVERSE, *readings(plan), *integration(plan.conditions, plan.forward))
    return (*moving, INVERSE, RESIDUAL), step


def _inverse_stages(plan: "Plan", actuation: bool) -> tuple[Stage, ...]:
    """Stages of inverse dynamics, its sensors, and the inertia matrix as users see it."""
    still = without(plan.forward, {"ctrl"})
    chain = inverse_dynamics(still, plan.model.opt, plan.conditions, actuation)
    return (*chain, *readings(plan), INERTIA, FINISH_INVERSE)
