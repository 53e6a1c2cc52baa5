"""What is counted of one environment in Python is counted of many in compiled code: the same."""

import gymnasium
import numpy as np
import pytest

import mjenv  # noqa: F401  registers the environments
from mjenv.stepping.counting import Counting
from mjenv.stepping.episodes import Episodes
from mjenv.stepping.simulation_batch import SimulationBatch

TASK = "mjenv/Hopper-v5"
# bits of actions of three numbers, and whether the environment takes them
ACTIONS = [
    ([0.0, -0.0, 1.0], True),
    ([1e300, -1e300, 1e-320], True),
    ([np.inf, 0.0, 0.0], False),
    ([0.0, -np.inf, np.inf], False),
    ([0.0, 0.0, np.nan], False),
]


@pytest.fixture(scope="module")
def envs():
    made = gymnasium.make_vec(TASK, num_envs=4, nthread=1).unwrapped
    made.reset(seed=0)
    return made


def refusal(call) -> str:
    try:
        call()
    except ValueError as error:
        return str(error).replace(" of environment 2", "")
    return ""


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("action", "taken"), ACTIONS)
def test_actions(envs, action, taken, dtype):
    """One world and many refuse the same actions with the same words, and set the same controls."""
    with np.errstate(over="ignore"):
        action = np.array(action).astype(dtype)
    taken = taken and bool(np.isfinite(action).all())
    one, rows = SimulationBatch(type(envs.task)()), np.zeros((4, 3), dtype)
    rows[2] = action
    logic = envs._stepper
    with np.errstate(over="ignore"):
        found = refusal(lambda: one.set_control(action))
    assert (found == "") == taken
    assert refusal(lambda: logic.begin(rows, None, None)) == found
    assert one.fields.ctrl.tobytes() == envs.data.ctrl[2].tobytes()
    some = np.array([3, 2])
    assert refusal(lambda: logic.begin(rows[[0, 2]], some, None)) == found
    assert envs.data.ctrl[some].tobytes() == rows[[0, 2]].astype(float).tobytes()


def test_warnings_are_forgotten_alike(envs):
    one = SimulationBatch(type(envs.task)())
    for numbers in (one.data.warning_numbers, envs.data.warning_numbers):
        numbers[:] = 1
    one.set_control(np.zeros(3))
    envs._stepper.begin(np.zeros((4, 3)), None, None)
    assert (envs.data.warning_numbers == one.data.warning_numbers).all()
    assert one.diverged() is None


@pytest.mark.parametrize("some", [None, np.array([2, 0])])
def test_episodes(envs, some):
    """Lengths, returns and ends, also where episodes are cut off, or the next one starts."""
    rng, rows = np.random.default_rng(0), slice(None) if some is None else some
    count = len(np.arange(4)[rows])
    many, limit = Episodes(4), 3
    counting = Counting(envs._worlds, many, limit)
    ones = [Episodes(1) for _ in range(4)]
    for _ in range(12):
        rewards, terminations = rng.normal(size=count), rng.random(count) < 0.3
        live, _, _ = counting.begin(np.zeros((count, 3)), some, None)
        live = np.ones(count, bool) if live is None else live.copy()
        rewards, terminations = np.where(live, rewards, 0.0), terminations & live
        for i in np.arange(4)[rows][~live]:
            many.start(i)
            ones[i].start(0)
        truncations, nended, ndiverged, nwild = counting.end(rewards, terminations, None)
        for row, i in enumerate(np.arange(4)[rows]):
            one = ones[i]
            if live[row]:
                late = int(one.elapsed[0]) + 1 >= limit
                one.count(rewards[row], bool(terminations[row] or late))
                assert truncations[row] == late
        for name in ("elapsed", "returns", "ended"):
            expected = np.concatenate([getattr(one, name) for one in ones])
            assert getattr(many, name).tobytes() == expected.tobytes()
        assert nended == many.ended[rows].sum()
        assert ndiverged == nwild == 0
