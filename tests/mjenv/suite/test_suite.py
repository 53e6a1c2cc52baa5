"""`mjenv.suite`: the lists, the interface of dm_env, and what it refuses."""

import sys
from importlib import reload

import mujoco
import numpy as np
import pytest

from mjenv import suite
from mjenv.suite import time_steps


def test_episodes_end_at_the_time_limit():
    """With discount 1; the step after the last one starts the next episode."""
    env = suite.load("pendulum", "swingup", {"random": 1, "time_limit": 0.06})
    first = env.step(np.zeros(1))
    assert first.first()
    assert first.reward is None
    assert first.discount is None
    kinds = [env.step(np.zeros(1)) for _ in range(4)]
    assert [k.step_type for k in kinds] == [1, 1, 2, 0]
    assert [k.discount for k in kinds] == [1.0, 1.0, 1.0, None]
    assert kinds[2].last()
    assert kinds[1].mid()


def test_specs_say_what_there_is():
    env = suite.load("cheetah", "run")
    specs = env.observation_spec()
    assert {name: spec.shape for name, spec in specs.items()} == {
        "position": (8,),
        "velocity": (9,),
    }
    assert all(spec.dtype == np.float64 and spec.name == n for n, spec in specs.items())
    action = env.action_spec()
    assert action.shape == (6,)
    np.testing.assert_array_equal(action.minimum, [-1.0] * 6)
    np.testing.assert_array_equal(action.maximum, [1.0] * 6)
    assert env.reward_spec().shape == ()
    assert env.discount_spec().maximum == 1.0
    assert env.control_timestep() == 0.01
    flat = suite.load("cheetah", "run", environment_kwargs={"flat_observation": True})
    assert flat.observation_spec()["observations"].shape == (17,)


def test_random_numbers_may_be_given():
    """A generator of the caller's is drawn from."""
    random = np.random.RandomState(3)
    env, other = suite.load("acrobot", "swingup", {"random": random}), np.random.RandomState(3)
    env.reset()
    assert env.random is random
    np.testing.assert_array_equal(env.env.data.qpos, other.uniform(-np.pi, np.pi, 2))
    unseeded = [suite.load("acrobot", "swingup").reset().observation["orientations"] for _ in "12"]
    assert not np.array_equal(*unseeded)


def test_steps_may_be_longer():
    """By a number of physics steps, or in seconds."""
    options = ({"n_sub_steps": 4}, {"control_timestep": 0.04})
    for one in options:
        env = suite.load("cheetah", "run", environment_kwargs=one)
        assert env.control_timestep() == pytest.approx(0.04)
        assert env.env.frame_skip == 4


def test_observations_may_be_those_of_the_last_physics_step():
    """Without `legacy_step`, kinematics lag behind positions."""
    now, before = (
        suite.load("reacher", "easy", {"random": 0}, {"legacy_step": legacy})
        for legacy in (True, False)
    )
    steps = [env.reset() and env.step(np.ones(2)).observation for env in (now, before)]
    np.testing.assert_array_equal(steps[0]["position"], steps[1]["position"])
    assert not np.array_equal(steps[0]["to_target"], steps[1]["to_target"])


def test_physics_is_elsewhere():
    env = suite.load("pendulum", "swingup")
    with pytest.raises(AttributeError, match=r"expected env\.env\.model and env\.env\.data"):
        env.physics  # noqa: B018
    assert not hasattr(env, "physics")


def test_a_cheetah_that_falls_in_whole_steps():
    """Without `legacy_step`, it comes to rest in MuJoCo's 200 steps from what is drawn."""
    env = suite.load("cheetah", "run", {"random": 3}, {"legacy_step": False})
    observation = env.reset().observation
    model = mujoco.MjModel.from_xml_path(str(env.task.path))
    data, limited = mujoco.MjData(model), model.jnt_limited.astype(bool)
    data.qpos[limited] = np.random.RandomState(3).uniform(*model.jnt_range[limited].T)
    mujoco.mj_step(model, data, 200)
    np.testing.assert_allclose(observation["position"], data.qpos[1:], atol=1e-12)
    np.testing.assert_allclose(observation["velocity"], data.qvel, atol=1e-11)


def test_unstable_physics_is_an_error():
    env = suite.load("pendulum", "swingup", {"random": 0})
    env.reset()
    env.env.data.qvel[:] = 1e12
    with pytest.raises(suite.PhysicsError, match="the state was no longer finite or too large"):
        env.step(np.zeros(1))
    assert env.step(np.zeros(1)).first()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("cheeta", "run"), "no domain 'cheeta'; did you mean 'cheetah'"),
        (("cheetah", "walk"), r"domain 'cheetah' has no task 'walk', expected one of \['run'\]"),
        (("cheetah", "run", {"randm": 0}), "found 'randm'; did you mean 'random'"),
        (("cheetah", "run", {}, {"sub_steps": 2}), "found 'sub_steps'; did you mean 'n_sub_steps'"),
        (
            ("cheetah", "run", {}, {"n_sub_steps": 2, "control_timestep": 0.02}),
            "found both n_sub_steps and control_timestep, expected one of them",
        ),
        (
            ("cheetah", "run", {}, {"control_timestep": 0.015}),
            "expected a multiple of the physics' time step",
        ),
        (("cheetah", "run", {}, {"control_timestep": "0.02"}), "control_timestep='0.02', expected"),
        (("cheetah", "run", {"time_limit": 0}), "time_limit=0, expected seconds above 0"),
        (("cheetah", "run", {"time_limit": "9"}), "time_limit='9', expected seconds above 0"),
        (("cheetah", "run", {"random": "a"}), "random='a', expected a seed from 0 to"),
        (("cheetah", "run", {"random": -1}), "random=-1, expected a seed from 0 to"),
        (("cheetah", "run", {}, {"flat_observation": "no"}), "'no', expected True or False"),
    ],
)
def test_mistakes_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        suite.load(*arguments)


def test_without_dm_env_its_tuples_are_our_own(monkeypatch):
    """Equal names and order; both in one test, as dm_env may be installed or not."""
    with monkeypatch.context() as missing:
        missing.setitem(sys.modules, "dm_env", None)
        own = reload(time_steps)
        step = own.TimeStep(own.StepType.MID, 0.5, 1.0, {})
        assert step._fields == ("step_type", "reward", "discount", "observation")
        assert (step.first(), step.mid(), step.last()) == (False, True, False)
        kinds = [own.StepType(k) for k in range(3)]
        assert [k.first() for k in kinds] == [True, False, False]
        assert [k.mid() for k in kinds] == [False, True, False]
        assert [k.last() for k in kinds] == [False, False, True]
        assert own.array_spec((2,), "a").shape == (2,)
    reload(time_steps)


def test_colors_show_rewards():
    """Between two shades; without it they stay."""
    rewarded = {}
    for shown in (False, True):
        env = suite.load("pendulum", "swingup", {"random": 1}, visualize_reward=shown)
        model = env.env.model
        env.reset()
        env.env.set_state(np.zeros(1), np.zeros(1))
        step = env.step(np.zeros(1))
        assert step.reward == 1.0
        rewarded[shown] = model.mat_rgba[model.material("self").id].copy()
    low, high = (model.mat_rgba[model.material(f"self_{s}").id] for s in ("default", "highlight"))
    np.testing.assert_array_equal(rewarded[False], low)
    np.testing.assert_array_equal(rewarded[True], high)
