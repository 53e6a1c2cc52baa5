"""Another package's environment with goals, as learners take it."""

from dataclasses import replace

import gymnasium as gym
import numpy as np
import pytest

pytest.importorskip("stable_baselines3")
pytest.importorskip("torch")

import mjenv
from mjenv.engine.analysis.state import get_state
from mjenv.gym import lookup
from mjenv.training.algorithms import make_agent
from mjenv.training.evaluate import make_envs, play
from mjenv.training.films.film import film
from mjenv.training.films.recording import ALL, Recording
from mjenv.training.films.shot import Shot
from mjenv.training.hyperparameters import hyperparameters
from mjenv.training.tasks.choice import algorithm_for
from mjenv.training.tasks.rows import rows_of
from mjenv.training.train import filmed

XML = """<mujoco><statistic extent="2"/><worldbody><body><joint name="x" type="slide" damping="1"/>
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


@pytest.mark.slow
def test_films_are_those_of_other_environments(env_id):
    assert filmed(env_id, None, 0.0) is None
    assert filmed(env_id, 5.0, 2.0) == 5.0


class Slide(gym.Env):
    """An environment of vectors, with a limit of its own, as Meta-World's are."""

    observation_space = gym.spaces.Box(-np.inf, np.inf, (2,), np.float64)
    action_space = gym.spaces.Box(-1, 1, (1,), np.float32)
    max_path_length = 5

    def __init__(self):
        import mujoco

        self.model = mujoco.MjModel.from_xml_string(XML)
        self.data = mujoco.MjData(self.model)
        self.curr_path_length = 0

    def observed(self):
        return np.concatenate([self.data.qpos, self.data.qvel])

    def reset(self, *, seed=None, options=None):
        import mujoco

        super().reset(seed=seed)
        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[:] = self.np_random.uniform(-1, 1, 1)
        self.curr_path_length = 0
        return self.observed(), {}

    def step(self, action):
        import mujoco

        self.data.ctrl[:] = action
        mujoco.mj_step(self.model, self.data, 5)
        self.curr_path_length += 1
        reward = -abs(float(self.data.qpos[0]))
        info = {"success": float(reward > -0.1)}
        return self.observed(), reward, False, self.curr_path_length >= self.max_path_length, info


@pytest.fixture
def slide_id():
    mjenv.port(Slide, id="mjenv/PortedSlide-v0")
    yield "mjenv/PortedSlide-v0"
    del gym.registry["mjenv/PortedSlide-v0"]


class Odd(Slide):
    """What cannot be traced."""

    def step(self, action):
        found = super().step(action)
        return found[0], float(str(found[1])), *found[2:]


@pytest.fixture
def odd_id():
    mjenv.port(Odd, id="mjenv/PortedOdd-v0")
    yield "mjenv/PortedOdd-v0"
    del gym.registry["mjenv/PortedOdd-v0"]


@pytest.mark.slow
def test_a_film_of_what_has_been_recorded(slide_id, tmp_path):
    path, states = tmp_path / "film.gif", tmp_path / "states.npz"
    shot = Shot((64, 48), fps=50.0)
    assert film(slide_id, None, path, 0.2, shot, seed=3, worlds=2, states=states) == 10
    assert path.stat().st_size > 500
    recording = Recording.load(states)
    assert (recording.nworld, recording.nstep, len(recording)) == (2, 5, 21)
    # the same worlds, stepped by hand
    envs = gym.make_vec(slide_id, 2)
    envs.reset(seed=3)
    envs.action_space.seed(3)
    for k in range(20):
        assert np.array_equal(get_state(envs.unwrapped.model, envs.unwrapped.data, ALL),
                              recording.states[k])  # fmt: skip
        envs.step(envs.action_space.sample())
    assert recording.starts[6].all()  # episodes have five steps


@pytest.mark.slow
def test_pictures_of_worlds(slide_id):
    envs = gym.make_vec(slide_id, 2, render_mode="rgb_array", width=64, height=48)
    envs.reset(seed=0)
    first, second = envs.render()
    assert first.shape == (48, 64, 3)
    assert (first != second).any()
    renderer = mjenv.Renderer(envs.unwrapped.model, 48, 64)
    assert np.array_equal(renderer.render_worlds(envs.unwrapped.data)[1], second)
    envs.step(np.ones((2, 1), np.float32))
    assert (envs.render()[1] != second).any()
    assert envs.metadata["render_fps"] == 100  # a step is five of 2 ms
    assert gym.make_vec(slide_id, 2).render() is None
    with pytest.raises(ValueError, match="camera_name='front', expected one of"):
        gym.make_vec(slide_id, 2, render_mode="rgb_array", camera_name="front")
    with pytest.raises(ValueError, match=r"render_mode='human', expected None or one of"):
        gym.make_vec(slide_id, 2, render_mode="human")
    depth = gym.make_vec(slide_id, 1, render_mode="depth_array")
    depth.reset(seed=0)
    assert depth.render()[0].shape == (480, 480)


def test_worlds_that_python_steps_have_no_pictures(odd_id, tmp_path):
    assert filmed(odd_id, None, 0.0) == 0.0
    with pytest.raises(ValueError, match="one by one are not filmed, expected --seconds 0"):
        filmed(odd_id, 5.0, 0.0)
    with pytest.raises(ValueError, match=r"is not filmed, as it runs world by world: .*str"):
        film(odd_id, None, tmp_path / "film.gif", 0.2)
    with pytest.raises(ValueError, match="render_mode='rgb_array', expected a traced port"):
        gym.make_vec(odd_id, 2, render_mode="rgb_array")
    envs = gym.make_vec(odd_id, 2)
    for name in ("model", "dt", "frame_skip"):
        with pytest.raises(ValueError, match="expected a traced port, it runs world by world"):
            getattr(envs.unwrapped, name)


def test_ports_of_vectors_are_learned_by_ppo(slide_id):
    settings = replace(hyperparameters(slide_id, "PPO"), n_envs=4, n_steps=8, batch_size=16)
    agent = make_agent(slide_id, settings, 0, {})
    before = [one.detach().clone() for one in agent.model.policy.parameters()]
    agent.model.learn(64)
    moved = zip(before, agent.model.policy.parameters(), strict=True)
    assert agent.model.num_timesteps >= 64
    assert any((old != new).any() for old, new in moved)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_the_same_arrays_have_the_same_numbers(slide_id, mode):
    new = gym.make_vec(slide_id, 3, autoreset_mode=mode)
    same = gym.make_vec(slide_id, 3, autoreset_mode=mode, copy=False)
    first = same.reset(seed=0)[0]
    assert np.array_equal(new.reset(seed=0)[0], first)
    for k in range(12):
        actions = np.full((3, 1), np.sin(k))
        found, expected = same.step(actions), new.step(actions)
        assert found[0] is first
        assert expected[0] is not first
        for one, other in zip(found[:4], expected[:4], strict=True):
            assert np.array_equal(one, other)
        if "final_obs" in expected[4]:
            last = found[4]["final_obs"]
            assert last is not first
            assert np.array_equal(last, expected[4]["final_obs"])


def test_successes_of_any_step_count(slide_id):
    """`success` of each step becomes `is_success` of the episode."""
    envs, alone = make_envs(slide_id, 8), gym.make_vec(slide_id, 8, autoreset_mode="Disabled")
    envs.seed(3)
    envs.reset()
    alone.reset(seed=3)
    reached = np.zeros(8, bool)
    for _ in range(5):
        infos = envs.step(np.zeros((8, 1), np.float32))[3]
        reached |= alone.step(np.zeros((8, 1)))[4]["success"] > 0
    assert [info["is_success"] for info in infos] == reached.tolist()
    assert 0 < reached.sum() < 8
    found = play(slide_id, lambda seen: np.zeros((len(seen), 1), np.float32), 8, seed=3)
    assert found.success.tolist() == reached.tolist()
