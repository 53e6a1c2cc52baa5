"""Functions that run one stage of the pipeline, on what is in the data."""

from collections.abc import Callable
from typing import Any

from mjenv.engine.analysis.energies import energy_pos, energy_vel, subtree_vel
from mjenv.engine.data import single_functions
from mjenv.engine.data.single_functions import run_in_place
from mjenv.engine.tables.enums import INT_IMPLICIT, INT_IMPLICITFAST
from mjenv.mujoco.errors import FatalError

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
}
# functions -> the engine's
_OTHERS: dict[str, Any] = {
    "mj_checkAcc": single_functions.check_acc,
    "mj_energyPos": energy_pos,
    "mj_energyVel": energy_vel,
    "mj_subtreeVel": subtree_vel,
}


def _stages(name: str) -> Callable:
    def compute(m: Any, d: Any) -> None:
        run_in_place(d.batch, name)

    compute.__doc__ = getattr(single_functions, name).__doc__
    return compute


def _other(run: Any) -> Callable:
    def compute(m: Any, d: Any) -> None:
        run(d.batch.model, d.batch)

    compute.__doc__ = run.__doc__
    return compute


def mj_implicit(m: Any, d: Any) -> None:
    """Advance the state, implicitly in velocity, as the integrator of the options says."""
    if m.opt.integrator not in (INT_IMPLICIT, INT_IMPLICITFAST):
        raise FatalError("mj_implicit: integrator must be implicit or implicitfast")
    single_functions.implicit(d.batch.model, d.batch)


def mj_RungeKutta(m: Any, d: Any, N: int) -> None:
    """Advance the state by the method of Runge and Kutta, of order 4."""
    single_functions.runge_kutta(d.batch.model, d.batch, N)


globals().update({name: _stages(stages) for name, stages in _STAGES.items()})
globals().update({name: _other(run) for name, run in _OTHERS.items()})
