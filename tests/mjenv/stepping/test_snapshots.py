"""Saved environments continue with the same bits, in any lane of any environment."""

import gymnasium
import numpy as np
import pytest

from mjenv.gym.registration import ENVS

IDS = [f"mjenv/{row.id}" for row in ENVS]


def make(id="mjenv/Hopper-v5", num_envs=3, **arguments):
    return gymnasium.make_vec(id, num_envs=num_envs, **arguments)


def run(envs, actions):
    """What steps give, but for masks and numbers of environments."""
    return [envs.step(action) for action in actions]


def actions_of(envs, count, seed=0):
    rng = np.random.default_rng(seed)
    return rng.uniform(-1.0, 1.0, (count, *envs.action_space.shape)).astype(np.float32)


@pytest.mark.sweep(3)
@pytest.mark.parametrize("id", IDS)
def test_restored_environments_continue_with_the_same_bits(id):
    """Through the time limit and resets."""
    envs = make(id, max_episode_steps=8)
    envs.reset(seed=3)
    run(envs, actions_of(envs, 5))
    rows, actions = envs.save_state(), actions_of(envs, 12, seed=1)
    first = run(envs, actions)
    other = make(id, max_episode_steps=8)
    for again in (envs, other):
        again.restore_state(rows)
        np.testing.assert_equal(run(again, actions), first)
    np.testing.assert_array_equal(other.save_state()[:, 12:], envs.save_state()[:, 12:])


@pytest.mark.parametrize("id", ["mjenv/Ant-v5", "mjenv/HumanoidStandup-v5", "mjenv/Reacher-v5"])
def test_restored_single_environments_continue_with_the_same_bits(id):
    env = gymnasium.make(id).unwrapped
    env.reset(seed=3)
    env.action_space.seed(0)
    actions = [env.action_space.sample() for _ in range(8)]
    for action in actions:
        last = env.step(action)[0]
    row = env.save_state()
    first = [env.step(action) for action in actions], env.reset()
    other = gymnasium.make(id).unwrapped
    np.testing.assert_array_equal(other.restore_state(row), last)
    np.testing.assert_equal(([other.step(action) for action in actions], other.reset()), first)


def test_one_environment_becomes_many():
    """Of a single environment, then of one lane; new seeds tell the generators apart."""
    env, envs = gymnasium.make("mjenv/Ant-v5").unwrapped, make("mjenv/Ant-v5", 20)
    env.reset(seed=5)
    env.step(np.full(8, 0.5))
    envs.reset(seed=0)
    observations = envs.restore_state(env.save_state(), [2, 7, 13])
    assert observations.shape == (3, 105)
    action = np.full(8, -0.3)
    expected = env.step(action)
    observations, rewards = envs.step(np.tile(action, (20, 1)))[:2]
    for lane in (2, 7, 13):
        np.testing.assert_array_equal(observations[lane], expected[0])
        assert rewards[lane] == expected[1]
    assert np.any(observations[3] != expected[0])
    envs.restore_state(envs.save_state([7])[0], seed=40)
    assert np.all(envs.data.qpos == envs.data.qpos[7])
    assert envs.np_random_seed[3] == 43
    assert np.all(envs.reset()[0] == make("mjenv/Ant-v5", 20).reset(seed=40)[0])


def test_statistics_and_generators_are_saved():
    envs = make(num_envs=2, max_episode_steps=6, episode_statistics=True)
    envs.reset(seed=11)
    run(envs, actions_of(envs, 4))
    rows = envs.save_state()
    rest = actions_of(envs, 2, seed=1)
    expected = run(envs, rest)[-1][4]["episode"]
    other = make(num_envs=2, max_episode_steps=6, episode_statistics=True)
    other.restore_state(rows)
    found = run(other, rest)[-1][4]["episode"]
    np.testing.assert_array_equal(found["r"], expected["r"])
    assert found["l"].tolist() == [6, 6]
    assert other.np_random_seed == (11, 12)


def test_rows_are_checked():
    envs = make()
    envs.reset(seed=0)
    rows = envs.save_state()
    with pytest.raises(ValueError, match=r"rows have shape .* rows of the same task"):
        envs.restore_state(rows[:, 1:])
    with pytest.raises(ValueError, match="rows are of type float64, expected uint64"):
        envs.restore_state(rows.astype(float))
    with pytest.raises(ValueError, match="rows have shape"):
        envs.restore_state(rows, [0, 1])
    rows[1, 0] += np.uint64(1)
    with pytest.raises(ValueError, match="rows are of another model"):
        envs.restore_state(rows)
    with pytest.raises(ValueError, match="save_state: no environment 3, expected 0 to 2"):
        envs.save_state([3])


def test_rows_are_saved_to_files(tmp_path):
    envs = make()
    envs.reset(seed=0)
    np.save(tmp_path / "rows.npy", envs.save_state())
    last = envs.step(np.zeros((3, 3)))[0]
    envs.restore_state(np.load(tmp_path / "rows.npy"))
    np.testing.assert_array_equal(envs.step(np.zeros((3, 3)))[0], last)
