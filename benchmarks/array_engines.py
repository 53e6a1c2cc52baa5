"""Physics drivers of the engines that compute with arrays, on the CPU: MJX, MuJoCo Warp and Brax.

The worlds, controls and numbers of steps are those of `benchmarks.physics`. All engines compute in
single precision and compile at the first step, which takes minutes and is not timed.

* MJX: `jax.vmap` of `mjx.step`, compiled by XLA for the CPU.
* MuJoCo Warp: kernels of Warp compiled for the CPU, where they run on one thread.
* Brax: `jax.vmap` of its own physics, which are not MuJoCo's: generalized coordinates, and springs
  in the place of joints.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .models import controls, load, start_velocity
from .physics import closed_loop

if TYPE_CHECKING:
    from mjenv.benchmarks.rows import Row

# lists of MuJoCo Warp, of each world: enough for all rows
MOST_CONTACTS, MOST_ROWS = 64, 256


def mjx(row: "Row", nthread: int):
    """Steps per second of MJX; XLA chooses its number of threads by the cores it may use."""
    import jax
    import mujoco
    from mujoco import mjx

    model = load(mujoco.MjModel, row)
    device_model = mjx.put_model(model)
    single = mjx.make_data(device_model)

    def one_call(data: Any, ctrl: Any):
        data = data.replace(ctrl=ctrl)
        return jax.lax.fori_loop(0, row.nstep, lambda _, x: mjx.step(device_model, x), data)

    return _jax_loop(row, model, lambda qvel: single.replace(qvel=qvel), one_call)


def _jax_loop(row: "Row", model: Any, one_start: Callable[..., Any], one_call: Callable[..., Any]):
    """Steps per second of an engine in jax.

    Args:
        row: of the table.
        model: an `MjModel`.
        one_start: initial velocity to the state of one world.
        one_call: state and controls of one world to its next state.
    """
    import jax

    control = controls(row, *model.actuator_ctrlrange.T).astype(np.float32)
    begin, advance = jax.jit(jax.vmap(one_start)), jax.jit(jax.vmap(one_call))
    worlds = None

    def start():
        nonlocal worlds
        worlds = begin(start_velocity(row, model.nv).astype(np.float32))

    def call(k: int):
        nonlocal worlds
        worlds = jax.block_until_ready(advance(worlds, control[k]))

    start()
    call(0)  # compiles
    return closed_loop(row, start, call)


def mujoco_warp(row: "Row", nthread: int):
    """Steps per second of MuJoCo Warp."""
    import mujoco
    import mujoco_warp
    import warp

    warp.init()
    model = load(mujoco.MjModel, row)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    device_model = mujoco_warp.put_model(model)
    worlds = mujoco_warp.put_data(
        model, data, nworld=row.nworld, nconmax=MOST_CONTACTS, njmax=MOST_ROWS
    )
    control = controls(row, *model.actuator_ctrlrange.T).astype(np.float32)

    def start():
        mujoco_warp.reset_data(device_model, worlds)
        worlds.qvel.assign(start_velocity(row, model.nv).astype(np.float32))

    def call(k: int):
        worlds.ctrl.assign(control[k])
        for _ in range(row.nstep):
            mujoco_warp.step(device_model, worlds)
        warp.synchronize()

    start()
    call(0)  # compiles
    return closed_loop(row, start, call)


def brax(row: "Row", nthread: int):
    """Steps per second of Brax in generalized coordinates."""
    from brax.generalized import pipeline

    return _brax(row, pipeline)


def brax_springs(row: "Row", nthread: int):
    """Steps per second of Brax with springs as joints."""
    from brax.spring import pipeline

    return _brax(row, pipeline)


def _brax(row: "Row", pipeline: Any):
    """Steps per second of one of the pipelines of Brax."""
    import jax
    import mujoco
    from brax.io import mjcf

    model = load(mujoco.MjModel, row)
    system = mjcf.load_model(model)

    def one_call(state: Any, ctrl: Any):
        return jax.lax.fori_loop(0, row.nstep, lambda _, x: pipeline.step(system, x, ctrl), state)

    def one_start(qvel: Any):
        return pipeline.init(system, system.init_q, qvel)

    return _jax_loop(row, model, one_start, one_call)
