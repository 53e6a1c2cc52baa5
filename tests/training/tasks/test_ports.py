"""Another package's environment with goals, as learners take it."""

import gymnasium as gym
import numpy as np
import pytest

pytest.importorskip("stable_baselines3")
pytest.importorskip("torch")

import mjenv
from mjenv.gym import lookup
from mjenv.training.evaluate import make_envs, play
from mjenv.training.hyperparameters import hyperparameters
from mjenv.training.tasks.choice import algorithm_for
from mjenv.training.tasks.rows import rows_of
from mjenv.training.train import filmed

XML = """<mujoco><worldbody><body><joint name="x" type="slide" damping="1"/>
  <geom size=".1" mass="1"/></body></worldbody>
  <actuator><motor joint="x" gear="5"/></actuator></mujoco>"""


def make():
    import mujoco

    class Reach(gym.Env):
        observation_space = gym.spaces.Dict(
            {
                name: gym.spaces.Box(-np.inf, np.inf, (size,), np.float64)
                for name, size in (("observation", 2), ("achieved_goal", 1), ("desired_goal", 1))
            }
        )
        action_space = gym.spaces.Box(-1, 1, (1,), np.float32)

        def __init__(self):
            self.model = mujoco.MjModel.from_xml_string(XML)
            self.data = mujoco.MjData(self.model)
            self.goal, self.count = np.zeros(1), 0

        def observed(self):
            return {
                "observation": np.concatenate([self.data.qpos, self.data.qvel]),
                "achieved_goal": self.data.qpos.copy(),
                "desired_goal": self.goal.copy(),
            }

        def compute_reward(self, achieved, desired, info):
            return -(np.linalg.norm(achieved - desired, axis=-1) > 0.1).astype(np.float32)

        def reset(self, *, seed=None, options=None):
            super().reset(seed=seed)
            mujoco.mj_resetData(self.model, self.data)
            self.goal, self.count = self.np_random.uniform(-1, 1, 1), 0
            return self.observed(), {}

        def step(self, action):
            self.data.ctrl[:] = action
            mujoco.mj_step(self.model, self.data, 5)
            self.count += 1
            observed = self.observed()
            reward = self.compute_reward(observed["achieved_goal"], self.goal, {})
            info = {"is_success": np.float32(reward == 0)}
            return observed, reward, False, self.count >= 10, info

    return Reach()


@pytest.fixture(scope="module", autouse=True)
def env_id():
    mjenv.port(make, id="mjenv/PortedReach-v0")
    yield "mjenv/PortedReach-v0"
    del gym.registry["mjenv/PortedReach-v0"]


def test_goals_are_learned_in_hindsight(env_id):
    assert lookup.is_port(env_id)
    assert algorithm_for(env_id) == "SAC"
    envs = rows_of(env_id, make_envs(env_id, 3), hyperparameters(env_id, "SAC"))
    assert envs.view.goals
    assert envs.reset().shape == (3, 4)
    reward = envs.envs.unwrapped.compute_reward(np.zeros((2, 1)), np.array([[0.0], [1.0]]), {})
    assert reward.tolist() == [0.0, -1.0]


def test_episodes_end_and_tell_success(env_id):
    found = play(env_id, lambda seen: np.zeros((len(seen["observation"]), 1), np.float32), 6)
    assert found.lengths.tolist() == [10] * 6
    assert found.success is not None


def test_films_are_refused(env_id):
    assert filmed(env_id, None, 0.0) == 0.0
    with pytest.raises(ValueError, match="are not filmed, expected --seconds 0"):
        filmed(env_id, 5.0, 0.0)
