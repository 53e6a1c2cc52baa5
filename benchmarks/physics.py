"""Physics drivers: the same worlds, controls and number of steps for every engine.

Every repeat starts from the same states: the model's reference position and a random velocity.
The worlds first make `warmup` calls that are not timed, so that bodies have fallen and lie in
contact, then `calls` timed ones. A call is `nstep` physics steps with the same random controls;
integrator, solver and timestep are the model's.

How each engine is driven at its best:

* mjenv: one `Data` that keeps only state, inputs and sensors; `step(nstep=...)` for every call.
* mujoco.rollout: a lasting thread pool with one `MjData` for each thread, output arrays
  allocated before, and all timed calls joined into a single open-loop rollout. Separate calls
  would lose the warm start of the solver.
* mujoco.batch: the default, not persistent, batch (state rows, one `MjData` for each thread), no
  output bound; `step(nstep=...)` for every call, as a policy in the loop needs it.
* batch.rollout: the same batch with all timed calls joined into one `Batch.rollout`, which records
  `qpos` after every step; open loop, as `mujoco.rollout`.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .clock import now
from .models import controls, load, start_velocity
from .stages import Profiled

if TYPE_CHECKING:
    from mjenv.benchmarks.rows import Row


def mjenv(row: "Row", nthread: int):
    """Steps per second of mjenv."""
    import mjenv

    model = load(mjenv.Model, row)
    data = mjenv.Data(model, nworld=row.nworld, keep=[], nthread=nthread)
    control = controls(row, *model.actuator_ctrlrange.T)

    def start():
        mjenv.reset(model, data)
        data.qvel[:] = start_velocity(row, model.nv)

    def call(k: Any):
        data.ctrl[:] = control[k]
        mjenv.step(model, data, nstep=row.nstep)

    return Profiled(closed_loop(row, start, call), lambda: mjenv.profile(model, data))


def mujoco_batch(row: "Row", nthread: int):
    """Steps per second of MuJoCo's `mujoco.batch` (4.0 and later)."""
    import mujoco
    from mujoco import batch

    model = load(mujoco.MjModel, row)
    worlds = batch.Batch(model, nsim=row.nworld, nthread=nthread)
    ctrl, qvel = worlds.bind("ctrl"), worlds.bind("qvel")
    control = controls(row, *model.actuator_ctrlrange.T)

    def start():
        worlds.reset(stage=mujoco.mjtStage.mjSTAGE_NONE.value)
        qvel[:] = start_velocity(row, model.nv)

    def call(k: Any):
        ctrl[:] = control[k]
        worlds.step(nstep=row.nstep)

    return closed_loop(row, start, call)


def mujoco_batch_rollout(row: "Row", nthread: int):
    """Steps per second of `mujoco.batch.Batch.rollout`, open loop."""
    import mujoco
    from mujoco import batch

    model = load(mujoco.MjModel, row)
    worlds = batch.Batch(model, nsim=row.nworld, nthread=nthread)
    qvel = worlds.bind("qvel")
    nwarm, ntimed = row.warmup * row.nstep, row.calls * row.nstep
    held = _held_controls(row, model)
    before, timed = np.ascontiguousarray(held[:, :nwarm]), np.ascontiguousarray(held[:, nwarm:])
    out = {"qpos": np.zeros((row.nworld, ntimed, model.nq))}

    def repeat():
        worlds.reset(stage=mujoco.mjtStage.mjSTAGE_NONE.value)
        qvel[:] = start_velocity(row, model.nv)
        if nwarm:
            worlds.rollout(nwarm, before)
        began = now()
        worlds.rollout(ntimed, timed, out=out)
        return row.nworld * ntimed / (now() - began)

    return repeat


def mujoco_rollout(row: "Row", nthread: int):
    """Steps per second of MuJoCo's `mujoco.rollout`."""
    import mujoco
    from mujoco import rollout

    model = load(mujoco.MjModel, row)
    pool = rollout.Rollout(nthread=nthread)
    threads = [mujoco.MjData(model) for _ in range(nthread)]
    worlds = _initial_states(row, model)
    held = _held_controls(row, model)
    nwarm = row.warmup * row.nstep
    before, timed = np.ascontiguousarray(held[:, :nwarm]), np.ascontiguousarray(held[:, nwarm:])
    state = np.zeros((row.nworld, row.calls * row.nstep, worlds.shape[1]))
    sensors = np.zeros((row.nworld, row.calls * row.nstep, model.nsensordata))

    def repeat():
        initial = worlds
        if nwarm:
            initial = pool.rollout(model, threads, worlds, before)[0][:, -1].copy()
        began = now()
        pool.rollout(model, threads, initial, timed, state=state, sensordata=sensors)
        return row.nworld * row.calls * row.nstep / (now() - began)

    return repeat


def _held_controls(row: "Row", model: Any) -> np.ndarray:
    """Controls of every physics step, (nworld, steps, nu): each is held for `nstep` steps."""
    return np.repeat(controls(row, *model.actuator_ctrlrange.T).swapaxes(0, 1), row.nstep, axis=1)


def _initial_states(row: "Row", model: Any) -> np.ndarray:
    """Full physics states of all worlds at the start, (nworld, nstate)."""
    import mujoco

    full = mujoco.mjtState.mjSTATE_FULLPHYSICS
    data = mujoco.MjData(model)
    states = np.zeros((row.nworld, mujoco.mj_stateSize(model, full)))
    for state, qvel in zip(states, start_velocity(row, model.nv), strict=True):
        data.qvel[:] = qvel
        mujoco.mj_getState(model, data, state, full)
    return states


def closed_loop(row: "Row", start: Callable[..., Any], call: Callable[..., Any]):
    """A repeat that calls the engine once for every change of the controls."""

    def repeat():
        start()
        for k in range(row.warmup):
            call(k)
        began = now()
        for k in range(row.warmup, row.warmup + row.calls):
            call(k)
        return row.nworld * row.calls * row.nstep / (now() - began)

    return repeat
