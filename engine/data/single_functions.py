"""The pipeline piece by piece: MuJoCo's functions for single stages, on what is in the data now.

Each function runs its stages of forward dynamics and nothing else, on the fields as the functions
before it or a user have left them: a call changes the fields that MuJoCo's function of this name
changes. Results that are computed when they are looked at (`qM`, `contact`, `efc_*`, ...) are
copies, whose edits have no effect on later stages.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ..arguments import LARGEST, whole
from ..run.execution import execute
from ..run.in_use import alone
from ..run.mujoco_functions import STAGE_FUNCTIONS, disturbed
from ..run.prepared_program import PreparedProgram, can_prepare
from ..run.program import stage_function_program
from ..simd.ready_calls import Place
from ..tables.enums import COUNT_WARNED
from .single_worlds import run_alone
from .step import check_data, forward, selected
from .views import takes_views

if TYPE_CHECKING:
    from ..model.model import Model
    from .data import Data

Function = Callable[..., None]
# functions after which results that are not looked at yet would be the same as before
LAST = frozenset({"rne_post_constraint", "sensor_pos", "sensor_vel", "sensor_acc"})
ENERGIES = frozenset({"energy_pos", "energy_vel"})

_ARGUMENTS = """

    Args:
        model: the model that the data were made for.
        data: worlds; several of them with `keep=None` or `keep=["stages", ...]`.
        mask: bool (nworld,); worlds to compute. None means all.

    Raises:
        ValueError: data of another model, or a mask of the wrong shape.
        FieldError: several worlds whose data do not remember what results belong to.
    """


def run_stage_function(
    model: "Model", data: "Data", name: str, mask: np.ndarray | None = None
) -> None:
    """Run the stages of one function in worlds of a mask, or in all."""
    check_data(model, data, name)
    worlds = np.arange(data.nworld) if mask is None else selected(data, mask, name)
    if not len(worlds):
        return
    if not data._in_place:
        run_alone(data, name, worlds)
        return
    run_in_place(data, name)


def run_in_place(data: "Data", name: str) -> None:
    """Run the stages of one function in the only world of data whose results lie in the scratch."""
    plan = data.plan
    prepared = plan.prepared.get(name)
    if prepared is not None and prepared.change is data.fresh.change and prepared.run(data):
        return
    alone(plan, name, run_now, data, name)
    data.show_held()


def run_now(data: "Data", name: str) -> None:
    """Run the stages of one function in the only world, in a call that has the data alone."""
    plan, change = data.plan, data.fresh.change
    late, emptied = STAGE_FUNCTIONS[name].late, STAGE_FUNCTIONS[name].emptied
    if name not in LAST:
        data.settle_lazy(None if plan.is_behind() else disturbed(name), late + emptied)
    plan.refresh()
    if name in ENERGIES:
        plan.clear_energy()
    if data.fresh:
        data.take_edits(name)
    program = plan.program(stage_function_program, name)
    if program.phases["forward"]:
        execute(data, program)
        plan.forget_rest()
    data.stale_lazy(late)
    data.empty_lazy(emptied)
    # a call that has changed nothing for users may be done again without a look
    plan.prepared.forget(name)
    if data.fresh.change is change and can_prepare(plan, program):
        lists = data.lists_to_compare(name)
        if lists is not None:
            same = [(Place(data.fresh, "change"), id(change))]
            plan.prepared[name] = PreparedProgram(data, program, change, lists, same)


def _stage_function(name: str, says: str) -> Function:
    """The public function of a piece."""

    def function(model: "Model", data: "Data", mask: np.ndarray | None = None) -> None:
        run_stage_function(model, data, name, mask)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = says + _ARGUMENTS
    return takes_views(function)


kinematics = _stage_function(
    "kinematics", "Poses of bodies, joints, geoms and sites (mj_kinematics)."
)
com_pos = _stage_function(
    "com_pos", "Centres of mass, inertia and motion axes about them (mj_comPos)."
)
camlight = _stage_function("camlight", "Poses of cameras and lights (mj_camlight).")
flex = _stage_function("flex", "Vertices, boxes and edges of deformables (mj_flex).")
tendon = _stage_function("tendon", "Lengths, gradients and paths of tendons (mj_tendon).")
fwd_kinematics = _stage_function("fwd_kinematics", "All of these together (mj_fwdKinematics).")
crb = _stage_function(
    "crb", "Composite inertia of bodies, and the inertia matrix of them (mj_crb)."
)
make_m = _stage_function("make_m", "The inertia matrix, armature of tendons included (mj_makeM).")
factor_m = _stage_function("factor_m", "Factors of the inertia matrix (mj_factorM).")
transmission = _stage_function(
    "transmission", "Lengths and moment arms of actuators (mj_transmission)."
)
collision = _stage_function(
    "collision", "Contacts; there are no constraint rows afterwards, as in MuJoCo (mj_collision)."
)
make_constraint = _stage_function(
    "make_constraint", "Constraint rows, without velocities and forces (mj_makeConstraint)."
)
island = _stage_function("island", "Islands of trees that constraints tie together (mj_island).")
project_constraint = _stage_function(
    "project_constraint", "Inverse inertia of the constraint rows (mj_projectConstraint)."
)
fwd_position = _stage_function(
    "fwd_position", "All that depends on position alone (mj_fwdPosition)."
)
com_vel = _stage_function("com_vel", "Velocities of bodies, and rates of motion axes (mj_comVel).")
passive = _stage_function(
    "passive", "Forces of springs, dampers, gravity compensation, medium (mj_passive)."
)
reference_constraint = _stage_function(
    "reference_constraint",
    "Velocities of the constraint rows, and accelerations they ask for (mj_referenceConstraint).",
)
fwd_velocity = _stage_function("fwd_velocity", "All that depends on velocity (mj_fwdVelocity).")
fwd_actuation = _stage_function(
    "fwd_actuation", "Forces and activations of actuators (mj_fwdActuation)."
)
fwd_acceleration = _stage_function(
    "fwd_acceleration", "Acceleration without constraints (mj_fwdAcceleration)."
)
fwd_constraint = _stage_function(
    "fwd_constraint", "Forces of constraints by the solver (mj_fwdConstraint)."
)
rne_post_constraint = _stage_function(
    "rne_post_constraint", "Accelerations and forces of bodies (mj_rnePostConstraint)."
)
sensor_pos = _stage_function("sensor_pos", "Sensors of positions (mj_sensorPos).")
sensor_vel = _stage_function("sensor_vel", "Sensors of velocities (mj_sensorVel).")
sensor_acc = _stage_function("sensor_acc", "Sensors of accelerations and forces (mj_sensorAcc).")
check_pos = _stage_function("check_pos", "Count a bad position, and reset its world (mj_checkPos).")
check_vel = _stage_function("check_vel", "Count a bad velocity, and reset its world (mj_checkVel).")
euler = _stage_function("euler", "Advance the state by Euler's method (mj_Euler).")
implicit = _stage_function(
    "implicit",
    "Advance the state, implicitly in velocity; fast if the integrator is (mj_implicit).",
)
inv_position = _stage_function("inv_position", "What depends on position alone (mj_invPosition).")
inv_velocity = _stage_function("inv_velocity", "What depends on velocity (mj_invVelocity).")
inv_constraint = _stage_function(
    "inv_constraint", "Constraint forces that follow from qacc (mj_invConstraint)."
)
compare_fwd_inv = _stage_function(
    "compare_fwd_inv", "How far forward and inverse dynamics are apart (mj_compareFwdInv)."
)


@takes_views
def check_acc(model: "Model", data: "Data", mask: np.ndarray | None = None) -> None:
    """Count a bad acceleration, and reset its world, with forward dynamics (mj_checkAcc).

    Args:
        model: the model that the data were made for.
        data: worlds; several of them with `keep=None` or `keep=["stages", ...]`.
        mask: bool (nworld,); worlds to compute. None means all.

    Raises:
        ValueError: data of another model, or a mask of the wrong shape.
        FieldError: several worlds whose data do not remember what results belong to.
    """
    if data._in_place and mask is None:
        check_data(model, data, "check_acc")
        check_acc_in_place(data)
        return
    times = data.time.copy()
    data.time[:] = np.inf  # a reset tells by its time
    run_stage_function(model, data, "check_acc", mask)
    reset = np.isfinite(data.time)
    data.time[~reset] = times[~reset]
    if reset.any():
        forward(model, data, mask=reset)


def check_acc_in_place(data: "Data") -> None:
    """The same in the only world of data whose results lie in the scratch."""
    run_in_place(data, "check_acc")
    if was_reset(data):
        forward(data.model, data)


def was_reset(data: "Data") -> bool:
    """True if the last run has reset the only world of data that lies in the scratch."""
    scratch = data.plan.threads(1)[0].data.arrays
    return bool(scratch["count"][COUNT_WARNED] and scratch["warning_reset"][0] > 0)


@takes_views
def runge_kutta(model: "Model", data: "Data", n: int = 4, mask: np.ndarray | None = None) -> None:
    """Advance the state by the method of Runge and Kutta, after `forward` (mj_RungeKutta).

    Args:
        model: the model that the data were made for.
        data: worlds; several of them with `keep=None` or `keep=["stages", ...]`.
        n: order of the method; 4 is the only one.
        mask: bool (nworld,); worlds to advance. None means all.

    Raises:
        ValueError: another order, data of another model, or a mask of the wrong shape.
        FieldError: several worlds whose data do not remember what results belong to.
    """
    if whole(n, "runge_kutta", "n", -LARGEST) != 4:
        raise ValueError(f"runge_kutta: n={n}: expected 4, the order that there is")
    run_stage_function(model, data, "runge_kutta", mask)
