"""Environment drivers: the same tasks, random actions and number of steps for every subject.

A repeat resets all environments with the same seed, makes `warmup` steps that are not timed,
then `calls` timed ones, with actions uniform in the action space. Episodes that end restart
inside the timed part, in each subject's own way.

How each subject is driven at its best:

* mjenv: the native vector environment of `gym.make_vec`, next-step autoreset.
* EnvPool: synchronous, `num_threads` = the threads of the run, `batch_size` = `num_envs`: every
  step takes all environments, as a learner that updates in lockstep does. Pinning its threads
  and leaving out the post-constraint pass made no difference beyond noise, so both are left at
  their defaults.
* Gymnasium sync and async: `gym.make_vec` with the vectorization mode; async has one process
  for each environment and shared memory. Both stay at 64 environments, because their rate no
  longer grows with the number.
* dm_control: `suite.load`, one environment after the other in one process; at most eight of them,
  because the rate does not depend on their number.
* Single environments: `gym.make` with its default wrappers on both sides.

EnvPool takes a second to make a dog, half of one for a humanoid_CMU: it has 64 of each at most, on
whose number its rate does not depend. Its episodes cannot be seeded again, so its repeats continue
from where the last one ended.
"""

import os
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .clock import now
from .models import SEED, controls

if TYPE_CHECKING:
    from mjenv.benchmarks.rows import Row


def mjenv_vector(row: "Row", nthread: int):
    """Environment steps per second of mjenv's vector environment."""
    return _vector(row, _make_mjenv(row, nthread))


def gymnasium_sync(row: "Row", nthread: int):
    """Environment steps per second of Gymnasium's SyncVectorEnv."""
    import gymnasium

    return _vector(row, gymnasium.make_vec(row.model, row.nworld, vectorization_mode="sync"))


def gymnasium_async(row: "Row", nthread: int):
    """Environment steps per second of Gymnasium's AsyncVectorEnv."""
    import gymnasium

    return _vector(row, gymnasium.make_vec(row.model, row.nworld, vectorization_mode="async"))


def envpool_vector(row: "Row", nthread: int):
    """Environment steps per second of EnvPool."""
    return _envpool(row, row.model, nthread)


def mjenv_suite(row: "Row", nthread: int):
    """Environment steps per second of mjenv's vector environment of a task of the suite."""
    return _vector(row, _make_mjenv(replace(row, model=f"{row.model}-v0"), nthread))


def envpool_suite(row: "Row", nthread: int):
    """Environment steps per second of EnvPool; "humanoid_CMU-run" is "HumanoidCMURun-v1" there."""
    if row.model.startswith(("dog", "humanoid_CMU")):
        row = replace(row, nworld=min(row.nworld, 64))
    words = row.model.replace("-", "_").split("_")
    return _envpool(row, "".join(word[0].upper() + word[1:] for word in words) + "-v1", nthread)


def dm_control_suite(row: "Row", nthread: int):
    """Environment steps per second of dm_control, in one process."""
    os.environ["MUJOCO_GL"] = "disabled"
    from dm_control import suite

    few = replace(row, nworld=min(row.nworld, 8))
    kwargs = [{"random": SEED + i} for i in range(few.nworld)]
    envs = [suite.load(*row.model.split("-"), task_kwargs=one) for one in kwargs]
    spec = envs[0].action_spec()
    action = controls(few, np.maximum(spec.minimum, -1e3), np.minimum(spec.maximum, 1e3))

    def start():
        for env in envs:
            env.reset()

    def step(actions: Any):
        for env, one in zip(envs, actions, strict=True):
            if env.step(one).last():
                env.reset()

    return _repeat(few, start, step, action)


def _envpool(row: "Row", name: str, nthread: int):
    """Driver of an environment of EnvPool."""
    import envpool

    envs = envpool.make(
        name,
        env_type="gymnasium",
        num_envs=row.nworld,
        batch_size=row.nworld,
        num_threads=nthread,
        seed=SEED,
    )
    envs.reset()
    space = envs.action_space
    low, high = np.maximum(space.low, -1e3), np.minimum(space.high, 1e3)
    action = controls(row, low, high).astype(space.dtype)
    return _repeat(row, lambda: None, envs.step, action)


def mjenv_single(row: "Row", nthread: int):
    """Steps per second of one environment of mjenv."""
    import gymnasium

    import mjenv  # registers the environments

    return _single(row, gymnasium.make(f"mjenv/{row.model}"))


def gymnasium_single(row: "Row", nthread: int):
    """Steps per second of one environment of Gymnasium."""
    import gymnasium

    return _single(row, gymnasium.make(row.model))


def mjenv_host_share(row: "Row", nthread: int):
    """Percentage of a vector environment's step that is not spent in the engine's compiled loop.

    Measured with one thread, in time of this thread, so that other processes do not count; the
    loop's time is taken to be shared evenly among the threads of the run.
    """
    envs = _make_mjenv(row, 1)
    space = envs.single_action_space
    action = controls(row, space.low, space.high).astype(space.dtype)
    plan, loop, clock = envs.unwrapped._worlds.data.plan, [0.0], time.thread_time

    def timed(call: Callable[..., Any]):
        def run():
            began = clock()
            call()
            loop[0] += clock() - began

        return run

    envs.reset(seed=SEED)
    envs.step(action[0])
    for program in plan.programs.values():
        program.calls[:] = [timed(call) for call in program.calls]
        program.brief, program.short = timed(program.brief), timed(program.short)
        # bound again, with these calls
        program.npack, program.nthread, program.all_worlds = 0, 0, False

    def repeat():
        envs.reset(seed=SEED)
        for k in range(row.warmup):
            envs.step(action[k])
        loop[0] = 0.0
        began = clock()
        for k in range(row.warmup, row.warmup + row.calls):
            envs.step(action[k])
        host = clock() - began - loop[0]
        return 100.0 * host / (host + loop[0] / nthread)

    return repeat


def _make_mjenv(row: "Row", nthread: int):
    """Mjenv's vector environment of a row."""
    import gymnasium

    import mjenv  # registers the environments

    return gymnasium.make_vec(f"mjenv/{row.model}", num_envs=row.nworld, nthread=nthread)


def _vector(row: "Row", envs: Any):
    """Driver of a Gymnasium vector environment."""
    space = envs.single_action_space
    low, high = np.maximum(space.low, -1e3), np.minimum(space.high, 1e3)
    action = controls(row, low, high).astype(space.dtype)
    return _repeat(row, lambda: envs.reset(seed=SEED), envs.step, action)


def _single(row: "Row", env: Any):
    """Driver of one Gymnasium environment, reset when an episode ends."""
    space = env.action_space
    action = controls(row, space.low, space.high)[:, 0].astype(space.dtype)

    def step(a: Any):
        _, _, terminated, truncated, _ = env.step(a)
        if terminated or truncated:
            env.reset()

    return _repeat(row, lambda: env.reset(seed=SEED), step, action)


def _repeat(row: "Row", start: Callable[..., Any], step: Callable[..., Any], action: Any):
    """A repeat: start, warm up, and time the remaining calls."""

    def repeat():
        start()
        for k in range(row.warmup):
            step(action[k])
        began = now()
        for k in range(row.warmup, row.warmup + row.calls):
            step(action[k])
        return row.nworld * row.calls / (now() - began)

    return repeat
