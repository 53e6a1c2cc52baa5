"""Functions that run one stage of the pipeline, on what is in the data."""

from collections.abc import Callable
from typing import Any

from mjenv.engine.analysis.energies import energy_pos, energy_vel, subtree_vel
from mjenv.engine.data import single_functions
from mjenv.engine.tables.enums import INT_IMPLICIT, INT_IMPLICITFAST
from mjenv.mujoco.errors import FatalError

# functions -> the engine's
_PIECES: dict[str, Any] = {
    "mj_kinematics": single_functions.kinematics,
    "mj_comPos": single_functions.com_pos,
    "mj_camlight": single_functions.camlight,
    "mj_flex": single_functions.flex,
    "mj_tendon": single_functions.tendon,
    "mj_fwdKinematics": single_functions.fwd_kinematics,
    "mj_crb": single_functions.crb,
    "mj_makeM": single_functions.make_m,
    "mj_factorM": single_functions.factor_m,
    "mj_transmission": single_functions.transmission,
    "mj_collision": single_functions.collision,
    "mj_makeConstraint": single_functions.make_constraint,
    "mj_island": single_functions.island,
    "mj_projectConstraint": single_functions.project_constraint,
    "mj_fwdPosition": single_functions.fwd_position,
    "mj_comVel": single_functions.com_vel,
    "mj_passive": single_functions.passive,
    "mj_referenceConstraint": single_functions.reference_constraint,
    "mj_fwdVelocity": single_functions.fwd_velocity,
    "mj_fwdActuation": single_functions.fwd_actuation,
    "mj_fwdAcceleration": single_functions.fwd_acceleration,
    "mj_fwdConstraint": single_functions.fwd_constraint,
    "mj_rnePostConstraint": single_functions.rne_post_constraint,
    "mj_sensorPos": single_functions.sensor_pos,
    "mj_sensorVel": single_functions.sensor_vel,
    "mj_sensorAcc": single_functions.sensor_acc,
    "mj_checkPos": single_functions.check_pos,
    "mj_checkVel": single_functions.check_vel,
    "mj_checkAcc": single_functions.check_acc,
    "mj_Euler": single_functions.euler,
    "mj_invPosition": single_functions.inv_position,
    "mj_invVelocity": single_functions.inv_velocity,
    "mj_invConstraint": single_functions.inv_constraint,
    "mj_compareFwdInv": single_functions.compare_fwd_inv,
    "mj_energyPos": energy_pos,
    "mj_energyVel": energy_vel,
    "mj_subtreeVel": subtree_vel,
}


def _piece(run: Any) -> Callable:
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


globals().update({name: _piece(run) for name, run in _PIECES.items()})
