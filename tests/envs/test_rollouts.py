"""Step by step along 1,000 steps of random actions, from the states of Gymnasium's environments.

`pytest -s` prints the largest difference of each quantity in a table.
"""

import gymnasium
import numpy as np
import pytest

from tests.envs.rows import IDS, ROWS

STEPS = 1000
TOLERANCE = 1e-7
COLUMNS = ("observation", "reward", "terminated", "info")
STATE = ("time", "qpos", "qvel", "qacc_warmstart")


def difference(theirs, ours):
    """Largest difference, relative to 1 + the size of the reference."""
    if isinstance(theirs, dict):
        assert list(theirs) == list(ours)
        return max((difference(theirs[name], ours[name]) for name in theirs), default=0.0)
    theirs, ours = np.asarray(theirs, np.float64), np.asarray(ours, np.float64)
    return float(np.max(np.abs(theirs - ours) / (1.0 + np.abs(theirs))))


def inject(reference, env):
    """The reference's state, and what a task remembers of the step before."""
    for name in (*STATE, *env.task.keep):
        setattr(env.data, name, getattr(reference.data, name))


@pytest.mark.sweep(1)
@pytest.mark.parametrize("row", ROWS, ids=IDS)
def test_steps_agree(row):
    reference = gymnasium.make(row.id, disable_env_checker=True)
    env = gymnasium.make(f"mjenv/{row.id}", disable_env_checker=True).unwrapped
    reference.action_space.seed(1)
    worst, episodes, started = dict.fromkeys(COLUMNS, 0.0), 0, False
    for _ in range(STEPS):
        if not started:
            reference.reset(seed=100 + episodes)
            env.reset(seed=100 + episodes)
            episodes += 1
        inject(reference.unwrapped, env)
        action = reference.action_space.sample()
        observation, reward, terminated, truncated, info = reference.step(action)
        expected = (observation, reward, terminated, info)
        results = env.step(action)
        found = (*results[:3], results[4])
        for name, one, other in zip(COLUMNS, expected, found, strict=True):
            worst[name] = max(worst[name], difference(one, other))
        started = not (terminated or truncated)
    print(f"\n{row.id:26} episodes {episodes:3}", *(f"{n} {w:.1e}" for n, w in worst.items()))
    assert max(worst.values()) < TOLERANCE
