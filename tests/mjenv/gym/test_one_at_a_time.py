"""Environments that two threads use at once are refused, and go on afterwards."""

import copy
import pickle
import threading

import gymnasium as gym
import numpy as np
import pytest

import mjenv

ACTIONS = np.zeros((16, 1))
VECTOR = {
    "step": lambda envs: envs.step(ACTIONS),
    "step_some": lambda envs: envs.step_some(ACTIONS[:3], [1, 4, 2]),
    "reset": lambda envs: envs.reset(),
    "save_state": lambda envs: envs.save_state(),
    "restore_state": lambda envs: envs.restore_state(np.zeros((16, 3), np.uint64)),
    "copy": lambda envs: copy.deepcopy(envs),
    "pickle": lambda envs: pickle.dumps(envs),
    "data": lambda envs: mjenv.step(envs.model, envs.data),
}
SINGLE = {
    "step": lambda env: env.step(np.zeros(1)),
    "reset": lambda env: env.reset(seed=1),
    "save_state": lambda env: env.unwrapped.save_state(),
    "copy": lambda env: copy.deepcopy(env),
}


def in_the_middle(data, call):
    """Have another thread in the middle of a call that steps data: (thread, lets it go on)."""
    inside, go = threading.Event(), threading.Event()

    def wait(model, worlds):
        inside.set()
        assert go.wait(60)

    mjenv.set_hook(data, "control", wait)
    thread = threading.Thread(target=call)
    thread.start()
    assert inside.wait(60)
    return thread, go


@pytest.mark.parametrize("compiled", [True, False])
def test_vector_environments(compiled):
    envs, same = (
        gym.make_vec("mjenv/InvertedPendulum-v5", num_envs=16, compiled=compiled) for _ in range(2)
    )
    for one in (envs, same):
        one.reset(seed=0)
        one.step(ACTIONS)
    results = []
    thread, go = in_the_middle(envs.data, lambda: results.append(envs.step(ACTIONS)))
    try:
        for call in VECTOR.values():
            with pytest.raises(mjenv.DataInUse, match=r"another call is working on.*expected one"):
                call(envs)
        envs.send(ACTIONS)
        with pytest.raises(mjenv.DataInUse, match=r"^step: found environments that another call"):
            envs.recv()
    finally:
        go.set()
        thread.join()
    mjenv.set_hook(envs.data, "control", None)
    wanted = same.step(ACTIONS)
    assert (results[0][0] == wanted[0]).all()
    assert (envs.step(ACTIONS)[0] == same.step(ACTIONS)[0]).all()
    envs.close()
    same.close()


@pytest.mark.parametrize("compiled", [True, False])
def test_single_environments(compiled):
    env = gym.make("mjenv/InvertedPendulum-v5", compiled=compiled)
    env.reset(seed=0)
    for _ in range(3):
        env.step(np.zeros(1))
    data = env.unwrapped.data
    data = getattr(data, "batch", data)
    thread, go = in_the_middle(data, lambda: env.step(np.zeros(1)))
    try:
        for call in SINGLE.values():
            with pytest.raises(mjenv.DataInUse, match=r"another call is working on.*expected one"):
                call(env)
    finally:
        go.set()
        thread.join()
    mjenv.set_hook(data, "control", None)
    assert np.isfinite(env.step(np.zeros(1))[0]).all()
    env.close()
