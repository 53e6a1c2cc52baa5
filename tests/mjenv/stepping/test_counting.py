"""Actions taken in and steps counted by compiled code, of one environment and of many."""

import gymnasium
import numpy as np
import pytest

import mjenv  # noqa: F401  registers the environments
from mjenv.stepping.counting import DIVERGED, Counting, CountingOne
from mjenv.stepping.episodes import Episodes

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
    one, rows = gymnasium.make(TASK).unwrapped, np.zeros((4, 3), dtype)
    rows[2] = action
    logic = envs._stepper
    with np.errstate(over="ignore"):
        found = refusal(lambda: one.do_simulation(action, 0))
    assert (found == "") == taken
    assert refusal(lambda: logic.begin(rows, None, None)) == found
    assert one.data.ctrl.tobytes() == envs.data.ctrl[2].tobytes()
    some = np.array([3, 2])
    assert refusal(lambda: logic.begin(rows[[0, 2]], some, None)) == found
    assert envs.data.ctrl[some].tobytes() == rows[[0, 2]].astype(float).tobytes()


def test_warnings_are_forgotten_alike(envs):
    one = gymnasium.make(TASK).unwrapped
    for numbers in (one.data.batch.warning_numbers, envs.data.warning_numbers):
        numbers[:] = 1
    one._stepper.counting.set_control(np.zeros(3))
    envs._stepper.begin(np.zeros((4, 3)), None, None)
    assert (envs.data.warning_numbers == one.data.batch.warning_numbers).all()
    assert not one._stepper.counting.count_numbers(0.0, False)


class Plainly:
    """What is to be counted of one environment, in numbers of Python."""

    def __init__(self):
        self.start()

    def start(self):
        self.elapsed, self.returns, self.ended = 0, 0.0, False

    def step(self, reward, terminated, limit):
        self.elapsed += 1
        self.returns += reward
        late = limit is not None and self.elapsed >= limit
        self.ended = bool(terminated or late)
        return late

    def agrees(self, episodes, i):
        found = episodes.elapsed[i], episodes.returns[i], episodes.ended[i]
        assert found == (self.elapsed, self.returns, self.ended)


@pytest.mark.parametrize("some", [None, np.array([2, 0])])
def test_episodes(envs, some):
    """Lengths, returns and ends, also where episodes are cut off, or the next one starts."""
    rng, rows = np.random.default_rng(0), slice(None) if some is None else some
    count = len(np.arange(4)[rows])
    many, limit = Episodes(4), 3
    counting = Counting(envs._worlds, many, limit)
    ones = [Plainly() for _ in range(4)]
    for _ in range(12):
        rewards, terminations = rng.normal(size=count), rng.random(count) < 0.3
        live, _, _ = counting.begin(np.zeros((count, 3)), some, None)
        live = np.ones(count, bool) if live is None else live.copy()
        rewards, terminations = np.where(live, rewards, 0.0), terminations & live
        for i in np.arange(4)[rows][~live]:
            many.start(i)
            ones[i].start()
        truncations, nended, ndiverged, nwild = counting.end(rewards, terminations, None)
        for row, i in enumerate(np.arange(4)[rows]):
            if live[row]:
                late = ones[i].step(rewards[row], terminations[row], limit)
                assert truncations[row] == late
        for i, one in enumerate(ones):
            one.agrees(many, i)
        assert nended == many.ended[rows].sum()
        assert ndiverged == nwild == 0


def test_an_environment_of_its_own_steps_on():
    """Its wrappers end its episodes: steps after an end are counted like those before."""
    env, expected = gymnasium.make(TASK).unwrapped, Plainly()
    counting = CountingOne(env._worlds, episodes := Episodes(1))
    for reward, terminated in ((1.5, False), (-0.25, True), (2.0, False), (0.5, True)):
        counting.set_control(np.zeros(3))
        assert not counting.count_numbers(reward, terminated)
        expected.step(reward, terminated, None)
        expected.agrees(episodes, 0)
    # a world that diverges gives no reward, and its episode is over
    env.data.batch.warning_numbers[:] = 1
    assert counting.count_numbers(7.0, False)
    assert counting.counts[DIVERGED] == 1
    expected.step(0.0, True, None)
    expected.agrees(episodes, 0)
