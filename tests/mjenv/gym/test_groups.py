"""Observations in groups, and goals."""

from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

import mjenv
from mjenv.gym.env import Env
from mjenv.gym.vector import VectorEnv

XML = """
<mujoco>
  <worldbody>
    <body><joint name="slide" type="slide" axis="1 0 0" damping="1"/><geom size=".1"/></body>
  </worldbody>
  <actuator><motor joint="slide" gear="3" ctrlrange="-1 1"/></actuator>
</mujoco>
"""


class Reach(mjenv.Task):
    """Bring the slide to a goal that is drawn for each episode."""

    frame_skip = 5
    state = {"goal": 0.0}
    groups = {
        "observation": ("position", "velocity"),
        "achieved_goal": ("position",),
        "desired_goal": ("goal",),
    }

    def reset(self, rng):
        return {"goal": rng.uniform(-1, 1)}

    def observation(self, data):
        goal = data.state.goal[..., None]
        return {"goal": goal, "position": data.qpos, "velocity": data.qvel}

    def outcome(self, data, action, before):
        reward = self.compute_reward(data.qpos, data.state.goal[..., None], None)
        return mjenv.Outcome({"near": reward})

    def compute_reward(self, achieved_goal, desired_goal, info):
        return -np.square(achieved_goal - desired_goal).sum(axis=-1)


class Flat(Reach):
    groups = {}


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    path = tmp_path_factory.mktemp("task") / "slide.xml"
    path.write_text(XML)
    return {"xml_file": str(path)}


def parts(flat):
    return {
        "observation": flat[..., 1:3],
        "achieved_goal": flat[..., 1:2],
        "desired_goal": flat[..., :1],
    }


def same(found, flat):
    assert list(found) == list(parts(flat))
    for name, value in parts(flat).items():
        np.testing.assert_array_equal(found[name], value)


def test_single_environments(given):
    env, flat = Env(task=Reach, **given), Env(task=Flat, **given)
    same(env.reset(seed=2)[0], flat.reset(seed=2)[0])
    for _ in range(5):
        action = np.array([0.3], np.float32)
        observation = env.step(action)[0]
        same(observation, flat.step(action)[0])
        assert observation in env.observation_space
    row = env.save_state()
    expected = env.step(action)
    same(env.restore_state(row), flat.restore_state(flat.save_state()))
    assert env.step(action)[1] == expected[1]


def test_gymnasiums_checker(given):
    check_env(Env(task=Reach, **given), skip_render_check=True)


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
@pytest.mark.parametrize("compiled", [True, False])
def test_vector_environments(given, mode, compiled):
    how: Any = {"max_episode_steps": 4, "autoreset_mode": mode, "compiled": compiled, **given}
    envs, flat = (VectorEnv(task=task, num_envs=3, **how) for task in (Reach, Flat))
    same(envs.reset(seed=0)[0], flat.reset(seed=0)[0])
    for k in range(9):
        actions = np.full((3, 1), 0.1 * k, np.float32)
        a, b = envs.step(actions), flat.step(actions)
        same(a[0], b[0])
        assert a[0] in envs.observation_space
        np.testing.assert_array_equal(a[1], b[1])
        if "final_obs" in b[4]:
            for one, other in zip(a[4]["final_obs"], b[4]["final_obs"], strict=True):
                same(one, other)
    some = envs.step_some(np.zeros((2, 1), np.float32), [2, 0])[0]
    same(some, flat.step_some(np.zeros((2, 1), np.float32), [2, 0])[0])
    same(envs.restore_state(envs.save_state()), flat.restore_state(flat.save_state()))


def test_batches(given):
    envs, flat = (VectorEnv(task=t, num_envs=4, batch_size=2, **given) for t in (Reach, Flat))
    for one in (envs, flat):
        one.async_reset(seed=0)
    for _ in range(6):
        a, b = envs.recv(), flat.recv()
        same(a[0], b[0])
        for one, results in ((envs, a), (flat, b)):
            one.send(np.full((2, 1), 0.2, np.float32), results[4]["env_id"])
    envs.close()
    flat.close()


def test_rewards_of_goals(given):
    env = Env(task=Reach, **given)
    observation, _ = env.reset(seed=0)
    for _ in range(3):
        observation, reward, *_, info = env.step(np.ones(1, np.float32))
        goals = observation["achieved_goal"], observation["desired_goal"]
        assert env.compute_reward(*goals, info) == reward
    with pytest.raises(TypeError, match="write the method `compute_reward`"):
        mjenv.Task.compute_reward(env.task, 0, 0, None)


@pytest.mark.slow
def test_hindsight(given):
    """Stable-Baselines3's hindsight replay asks for rewards of other goals."""
    sb3 = pytest.importorskip("stable_baselines3")
    from mjenv.sb3 import NativeVecEnv

    envs = VectorEnv(
        task=Reach,
        num_envs=4,
        max_episode_steps=10,
        autoreset_mode=AutoresetMode.SAME_STEP,
        **given,
    )
    model = sb3.SAC(
        "MultiInputPolicy",
        NativeVecEnv(envs),
        replay_buffer_class=sb3.HerReplayBuffer,
        replay_buffer_kwargs={"n_sampled_goal": 4},
        learning_starts=60,
        policy_kwargs={"net_arch": [8]},
        device="cpu",
    )
    model.learn(120)
    samples: Any = model.replay_buffer.sample(64)
    achieved = samples.next_observations["achieved_goal"].numpy()
    desired = samples.next_observations["desired_goal"].numpy()
    expected = -np.square(achieved - desired).sum(axis=1)
    np.testing.assert_allclose(samples.rewards.numpy()[:, 0], expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("groups", "error", "message"),
    [
        ([1], TypeError, "Broken.groups: found list, expected a dict"),
        ({"a": "position"}, TypeError, "'a' is 'position', expected a tuple of names"),
        ({"a": ()}, TypeError, "'a' is [], expected a tuple of names"),
        ({"a": ("positon",)}, ValueError, "no part of the observation; did you mean 'position'?"),
    ],
)
def test_mistakes(given, groups, error, message):
    with pytest.raises(error) as found:
        VectorEnv(task=type("Broken", (Reach,), {"groups": groups}), num_envs=2, **given)
    assert message in str(found.value)


def test_histories_are_refused(given):
    history = {"observation": mjenv.Channel(history=2)}
    with pytest.raises(ValueError, match="observations have 6 numbers, their parts 3"):
        VectorEnv(task=Reach, num_envs=2, randomization=history, **given)
