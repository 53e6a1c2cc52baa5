"""Functions that run one stage of the pipeline, on what is in the data."""

from collections.abc import Callable
from functools import partial
from typing import Any

from mjenv.engine.analysis import energies
from mjenv.engine.data import single_functions
from mjenv.engine.data.single_functions import run_in_place
from mjenv.engine.tables.enums import INT_IMPLICIT, INT_IMPLICITFAST
from mjenv.mujoco.errors import FatalError
from mjenv.mujoco.functions.stepping import runner
from mjenv.mujoco.functions.wrapping import text_of

# functions -> stages that the engine runs, by its name of them
_STAGES = {
    "mj_kinematics": "kinematics",
    "mj_comPos": "com_pos",
    "mj_camlight": "camlight",
    "mj_flex": "flex",
    "mj_tendon": "tendon",
    "mj_fwdKinematics": "fwd_kinematics",
    "mj_crb": "crb",
    "mj_makeM": "make_m",
    "mj_factorM": "factor_m",
    "mj_transmission": "transmission",
    "mj_collision": "collision",
    "mj_makeConstraint": "make_constraint",
    "mj_island": "island",
    "mj_projectConstraint": "project_constraint",
    "mj_fwdPosition": "fwd_position",
    "mj_comVel": "com_vel",
    "mj_passive": "passive",
    "mj_referenceConstraint": "reference_constraint",
    "mj_fwdVelocity": "fwd_velocity",
    "mj_fwdActuation": "fwd_actuation",
    "mj_fwdAcceleration": "fwd_acceleration",
    "mj_fwdConstraint": "fwd_constraint",
    "mj_rnePostConstraint": "rne_post_constraint",
    "mj_sensorPos": "sensor_pos",
    "mj_sensorVel": "sensor_vel",
    "mj_sensorAcc": "sensor_acc",
    "mj_checkPos": "check_pos",
    "mj_checkVel": "check_vel",
    "mj_Euler": "euler",
    "mj_invPosition": "inv_position",
    "mj_invVelocity": "inv_velocity",
    "mj_invConstraint": "inv_constraint",
    "mj_compareFwdInv": "compare_fwd_inv",
    "mj_energyPos": "energy_pos",
    "mj_energyVel": "energy_vel",
    "mj_subtreeVel": "subtree_vel",
}


def _function(name: str, call: str, run: Any, says: Any) -> Callable:
    """A function of the engine, with what it says about itself."""
    function = runner(name, run, call)
    function.__doc__ = text_of(name, says)
    return function


def _stages(name: str, stages: str) -> Callable:
    """A function that runs stages which the engine has a name for."""
    says = getattr(single_functions, stages, None) or getattr(energies, stages)
    return _function(name, stages, partial(_run, stages), says)


def _run(stages: str, model: Any, data: Any) -> None:
    run_in_place(data, stages)


def _check(model: Any, data: Any) -> None:
    single_functions.check_acc_in_place(data)


mj_checkAcc = _function("mj_checkAcc", "check_acc", _check, single_functions.check_acc)


def mj_implicit(m: Any, d: Any) -> None:
    """Advance the state, implicitly in velocity, as the integrator of the options says."""
    if m.opt.integrator not in (INT_IMPLICIT, INT_IMPLICITFAST):
        raise FatalError("mj_implicit: integrator must be implicit or implicitfast")
    single_functions.implicit(d.batch.model, d.batch)


def mj_RungeKutta(m: Any, d: Any, N: int) -> None:
    """Advance the state by the method of Runge and Kutta, of order 4."""
    single_functions.runge_kutta(d.batch.model, d.batch, N)


globals().update({name: _stages(name, stages) for name, stages in _STAGES.items()})
