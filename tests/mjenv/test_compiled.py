"""Functions of tasks as formulas in the engine: the same bits as numpy over all worlds."""

import gymnasium as gym
import numpy as np
import pytest

from mjenv.registration import ENVS

TASKS = [row.task for row in ENVS]


def same(a, b, where):
    """Assert that results have the same types, shapes and bits."""
    if isinstance(a, dict):
        assert list(a) == list(b), where
        for name in a:
            same(a[name], b[name], f"{where} {name}")
        return
    if isinstance(a, tuple):
        for k, pair in enumerate(zip(a, b, strict=True)):
            same(*pair, f"{where} [{k}]")
        return
    a, b = np.asarray(a), np.asarray(b)
    assert (a.dtype, a.shape) == (b.dtype, b.shape), where
    if a.dtype == object:
        for one, other in zip(a, b, strict=True):
            assert (one is None) == (other is None), where
            same(() if one is None else one, () if other is None else other, where)
    else:
        assert a.tobytes() == b.tobytes(), where


def compare(task, num_envs, steps, seed=3, dtype=np.float32, **arguments):
    """Step both forms with the same actions."""
    forms = [
        gym.make_vec(
            f"mjenv/{task}-v5",
            num_envs=num_envs,
            vectorization_mode="vector_entry_point",
            compiled=compiled,
            **arguments,
        )
        for compiled in (True, False)
    ]
    same(*(envs.reset(seed=seed) for envs in forms), task)
    rng = np.random.default_rng(seed)
    box = forms[0].single_action_space
    for k in range(steps):
        actions = rng.uniform(box.low, box.high, (num_envs, *box.shape)).astype(dtype)
        same(*(envs.step(actions) for envs in forms), f"{task} at step {k}")
    assert [envs.compiled for envs in forms] == [True, False]
    return forms


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_same_bits(task, mode):
    """Through the end of episodes, in packs and with one thread or two."""
    compare(task, 19, 8, autoreset_mode=mode, max_episode_steps=4, nthread=1 + (mode == "SameStep"))
