"""Stable-Baselines3's view of a vector environment, on a small environment written in Python."""

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

pytest.importorskip("stable_baselines3")

from mjenv.training.vec_env import NativeVecEnv


class Counter(gymnasium.Env):
    """Counts steps; the world that was seeded with s terminates after `lengths[s]` of them."""

    observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (2,), np.float64)
    action_space = gymnasium.spaces.Box(-1, 1, (1,), np.float32)
    lengths = (3, 5, 100)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if seed is not None:
            self.number = seed
        self.count = 0
        return self.observe(), {}

    def step(self, action):
        self.count += 1
        ended = self.count == self.lengths[self.number]
        return self.observe(), float(action[0]), ended, False, {}

    def observe(self):
        return np.array([self.number, self.count], float)


def limited(limit=4):
    return gymnasium.wrappers.TimeLimit(Counter(), limit)


@pytest.fixture
def vec_env():
    envs = NativeVecEnv(SyncVectorEnv([limited] * 3, autoreset_mode=AutoresetMode.SAME_STEP))
    envs.seed(0)
    yield envs
    envs.close()


def test_reset_seeds_world_by_world(vec_env):
    observations = vec_env.reset()
    assert observations.dtype == np.float32
    np.testing.assert_array_equal(observations, [[0, 0], [1, 0], [2, 0]])


def test_episode_ends(vec_env):
    """Termination, truncation, last observation and return arrive in the info of the world."""
    vec_env.reset()
    actions = np.full((3, 1), 0.5, np.float32)
    for _ in range(2):
        _, _, done, infos = vec_env.step(actions)
        assert not done.any()
        assert all(not info for info in infos)
    observations, rewards, done, infos = vec_env.step(actions)
    np.testing.assert_array_equal(done, [True, False, False])
    np.testing.assert_array_equal(observations, [[0, 0], [1, 3], [2, 3]])
    np.testing.assert_array_equal(rewards, [0.5, 0.5, 0.5])
    np.testing.assert_array_equal(infos[0]["terminal_observation"], [0, 3])
    assert infos[0]["TimeLimit.truncated"] is False
    assert infos[0]["episode"]["r"] == 1.5
    assert infos[0]["episode"]["l"] == 3
    assert not infos[1]

    _, _, done, later = vec_env.step(actions)
    np.testing.assert_array_equal(done, [False, True, True])
    assert later[1]["TimeLimit.truncated"] is True
    np.testing.assert_array_equal(later[2]["terminal_observation"], [2, 4])
    assert infos[0]["episode"]["r"] == 1.5  # infos of earlier steps stay as they were
    assert not later[0]


def test_returns_start_again_after_an_episode(vec_env):
    vec_env.reset()
    actions = np.ones((3, 1), np.float32)
    ends = []
    for _ in range(8):
        _, _, _, infos = vec_env.step(actions)
        ends += [(i, info["episode"]["r"]) for i, info in enumerate(infos) if info]
    assert ends == [(0, 3.0), (1, 4.0), (2, 4.0), (0, 3.0), (1, 4.0), (2, 4.0)]


def test_steps_without_an_end_share_their_infos(vec_env):
    """No list and no dictionary is made while all episodes go on."""
    vec_env.reset()
    actions = np.zeros((3, 1), np.float32)
    first, second = vec_env.step(actions)[3], vec_env.step(actions)[3]
    assert first is second
    assert first[0] is first[2]
    with pytest.raises(TypeError):
        first[0]["key"] = 1


def test_results_are_new_arrays(vec_env):
    """Stable-Baselines3 keeps observations and adds to rewards."""
    vec_env.reset()
    actions = np.zeros((3, 1), np.float32)
    observations, rewards, _, _ = vec_env.step(actions)
    kept = observations.copy()
    rewards += 1
    _, later, _, _ = vec_env.step(actions)
    np.testing.assert_array_equal(observations, kept)
    np.testing.assert_array_equal(later, 0)


def test_refuses_another_autoreset():
    envs = SyncVectorEnv([limited], autoreset_mode=AutoresetMode.NEXT_STEP)
    with pytest.raises(ValueError, match=r"expected AutoresetMode\.SAME_STEP; pass autoreset_mode"):
        NativeVecEnv(envs)


def test_refuses_discrete_actions():
    envs = SyncVectorEnv(
        [lambda: gymnasium.make("CartPole-v1")], autoreset_mode=AutoresetMode.SAME_STEP
    )
    with pytest.raises(ValueError, match="expected boxes for both"):
        NativeVecEnv(envs)


def test_single_worlds_cannot_be_changed(vec_env):
    with pytest.raises(AttributeError, match=r"set it in `\.envs`"):
        vec_env.set_attr("gravity", 1.0)
    with pytest.raises(AttributeError, match=r"call the method of `\.envs`"):
        vec_env.env_method("reset")
    assert vec_env.get_attr("num_envs", [0, 2]) == [3, 3]
    assert vec_env.env_is_wrapped(gymnasium.Wrapper) == [False] * 3


@pytest.fixture
def hoppers():
    envs = gymnasium.make_vec(
        "mjenv/Hopper-v5",
        num_envs=3,
        max_episode_steps=5,
        autoreset_mode=AutoresetMode.SAME_STEP,
        render_mode="rgb_array",
        width=64,
        height=48,
    )
    envs = NativeVecEnv(envs)
    envs.seed(0)
    yield envs
    envs.close()


def test_parameters_and_states(hoppers):
    hoppers.reset()
    hoppers.set_attr("ctrl_cost_weight", 0.5)
    assert hoppers.envs.task.ctrl_cost_weight == 0.5
    with pytest.raises(ValueError, match="for worlds 1, expected all; worlds share the parameters"):
        hoppers.set_attr("ctrl_cost_weight", 0.5, indices=1)
    rows = hoppers.env_method("save_state", indices=[2, 0])
    expected = hoppers.step(np.zeros((3, 3)))[0]
    hoppers.env_method("restore_state", np.array(rows), indices=[2, 0])
    found = hoppers.step(np.zeros((3, 3)))[0]
    np.testing.assert_array_equal(found[[0, 2]], expected[[0, 2]])


def test_wrappers_of_stable_baselines(hoppers, tmp_path):
    """Normalized and monitored episodes, and a film of three worlds side by side."""
    from stable_baselines3.common.vec_env import VecMonitor, VecNormalize, VecVideoRecorder

    film = VecVideoRecorder(hoppers, str(tmp_path), lambda step: step == 0, video_length=4)
    envs = VecNormalize(VecMonitor(film))
    assert envs.reset().shape == (3, 11)
    for _ in range(5):
        observations, _, done, infos = envs.step(np.zeros((3, 3)))
    assert done.all()
    assert np.abs(observations).max() <= 10.0
    assert all(info["episode"]["l"] == 5 for info in infos)
    assert all(info["TimeLimit.truncated"] for info in infos)
    assert infos[0]["terminal_observation"].shape == (11,)
    assert len(list(tmp_path.glob("*.mp4"))) == 1
