"""Steps that are compiled pass through few functions of Python."""

import sys

import gymnasium
import pytest

import mjenv

# calls; of a vector environment where no thread stands by, so that one has to be woken
MOST = {"vector": 26, "single": 3}


@pytest.mark.parametrize("kind", MOST)
def test_few_functions_are_called(kind):
    if kind == "vector":
        envs = gymnasium.make_vec("mjenv/HalfCheetah-v5", 16, nthread=2)
    else:
        envs = gymnasium.make("mjenv/HalfCheetah-v5").unwrapped
    envs.reset(seed=0)
    action = envs.action_space.sample()
    # the first steps make what others use again
    for _ in range(60):
        envs.step(action)
    called = []

    def note(frame, event, arg):
        if event == "call" and mjenv.__name__ in frame.f_globals.get("__name__", ""):
            called.append(frame.f_code.co_name)

    # a pool that is busy has the caller do its part: the least of some steps is what they take
    steps = []
    for _ in range(5):
        called.clear()
        before = sys.getprofile()
        sys.setprofile(note)
        try:
            envs.step(action)
        finally:
            sys.setprofile(before)
        steps.append(called.copy())
    envs.close()
    least = min(steps, key=len)
    assert 2 < len(least) <= MOST[kind], least
