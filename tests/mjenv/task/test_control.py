"""Tasks whose actions are no controls: `control` makes inputs of the physics of them."""

import gymnasium as gym
import numpy as np
import pytest

import mjenv
from mjenv.gym.check_task import check_task
from mjenv.gym.env import Env
from mjenv.gym.vector import VectorEnv

XML = """
<mujoco><option timestep="0.005"/><worldbody>
  <geom type="plane" size="5 5 .1"/>
  <body name="hand" mocap="true" pos="0 0 .5"><geom size=".05" contype="0" conaffinity="0"/></body>
  <body name="cart" pos="0 0 .3"><joint name="x" type="slide" axis="1 0 0" damping="1"/>
    <joint name="lift" type="slide" axis="0 0 1" damping="1"/>
    <geom type="box" size=".2 .1 .1" mass="1"/></body>
  <body name="ball" pos=".5 0 .5"><freejoint/><geom size=".1" mass=".2"/></body>
</worldbody>
<equality><weld body1="hand" body2="ball"/></equality>
<actuator><motor joint="x" ctrlrange="-10 4"/>
  <position joint="lift" kp="30" ctrlrange="0 1"/></actuator>
</mujoco>
"""


class Base(mjenv.Task):
    """A cart and a ball, which are moved by whatever a subclass makes of actions."""

    frame_skip = 3
    keep = ("xpos",)

    def observation(self, data):
        return {"qpos": data.qpos, "qvel": data.qvel, "ctrl": data.ctrl}

    def outcome(self, data, action, before):
        return mjenv.Outcome({"forward": data.qpos[..., 0], "cost": -np.sum(action**2, axis=-1)})


class Scaled(Base):
    """Actions between -1 and 1 are spread over the ranges of the actuators."""

    action_limits = (-1.0, 1.0)

    def control(self, data, action):
        low, high = np.array(self.model.actuator_ctrlrange).T
        return 0.5 * (low + high) + 0.5 * (high - low) * action


class Moved(Base):
    """Three numbers move the hand, which is welded to the ball; a fourth lifts the cart."""

    action_limits = (np.array([-1.0, -1.0, -1.0, 0.0]), 1.0)

    def before(self, data):
        return data.mocap_pos[..., 0, 2].copy()

    def control(self, data, action):
        limits = np.array([1.0, 1.0, 1.5])
        hand = data.mocap_pos[..., 0, :] + 0.02 * action[..., :3]
        hand = np.maximum(np.minimum(hand, limits), -limits)
        ctrl = np.concatenate([0.0 * action[..., :1], action[..., 3:]], axis=-1)
        return {"mocap_pos": hand[..., None, :], "ctrl": ctrl}

    def outcome(self, data, action, before):
        risen = data.mocap_pos[..., 0, 2] - before
        return mjenv.Outcome({"forward": data.xpos[..., -1, 0], "risen": risen})


class Pushed(Base):
    """An action is a force on the joint, as seen from where the cart is."""

    action_limits = (np.full(1, -2.0), np.full(1, 2.0))

    def control(self, data, action):
        force = np.where(data.xpos[..., 2, 0] > 0.05, -action[..., 0], action[..., 0])
        zero = 0.0 * data.qvel
        return {"qfrc_applied": np.concatenate([force[..., None], zero[..., 1:]], axis=-1)}


class Written(Base):
    """What is written into a copy counts, and what it is a copy of stays; parts are views."""

    action_limits = (-1.0, 1.0)

    def control(self, data, action):
        ctrl, hand = data.ctrl.copy(), data.mocap_pos.copy()
        ctrl[..., 0] = 2 * action[..., 0] + data.ctrl[..., 0]
        ctrl[..., 1:] = 0.5
        part = hand[..., 0, :]
        part[..., :2] = 0.1 * action
        return {"ctrl": ctrl, "mocap_pos": hand}


TASKS = [Scaled, Moved, Pushed, Written]


@pytest.fixture(autouse=True)
def _model_file(tmp_path, monkeypatch):
    file = tmp_path / "cart.xml"
    file.write_text(XML)
    monkeypatch.setattr(Base, "xml_file", str(file))


def steps(envs, count=12):
    """Observations and rewards of steps under the same actions."""
    rng, found = np.random.default_rng(0), [envs.reset(seed=0)[0].copy()]
    for _ in range(count):
        actions = rng.uniform(0, 1, envs.action_space.shape).astype(np.float32)
        observation, reward, *_ = envs.step(actions)
        found += [np.array(observation), np.array(reward)]
    return found


@pytest.mark.parametrize("task", TASKS)
def test_bytecode_and_numpy_and_single_environments_give_the_same_bits(task):
    compiled = VectorEnv(task=task, num_envs=19, compiled=True)
    for one, other in zip(
        steps(compiled), steps(VectorEnv(task=task, num_envs=19, compiled=False)), strict=True
    ):
        np.testing.assert_array_equal(one, other)
    check_task(task)


@pytest.mark.parametrize("task", TASKS)
def test_a_single_environment_gives_the_same_bits_compiled_or_not(task):
    envs = [Env(task=task, compiled=how) for how in (True, False)]
    for one, other in zip(*map(steps, envs), strict=True):
        np.testing.assert_array_equal(one, other)
    assert envs[0]._stepper.last is not None


def test_actions_are_spread_over_the_ranges_of_actuators():
    envs = VectorEnv(task=Scaled, num_envs=3)
    np.testing.assert_array_equal(envs.single_action_space.low, [-1, -1])
    np.testing.assert_array_equal(envs.single_action_space.high, [1, 1])
    envs.reset(seed=0)
    envs.step(np.array([[-1, -1], [0, 0], [1, 1]], np.float32))
    np.testing.assert_array_equal(envs.data.ctrl, [[-10, 0], [-3, 0.5], [4, 1]])


@pytest.mark.parametrize("compiled", [True, False])
def test_a_mocap_body_goes_where_actions_say(compiled):
    envs = VectorEnv(task=Moved, num_envs=2, compiled=compiled)
    assert envs.single_action_space.shape == (4,)
    envs.reset(seed=0)
    for _ in range(10):
        _, _, _, _, infos = envs.step(np.array([[0, 0, 1, 0], [1, 0, 0, 0]], np.float32))
        np.testing.assert_allclose(infos["risen"], [0.02, 0.0], atol=1e-8)
    np.testing.assert_allclose(envs.data.mocap_pos[:, 0], [[0, 0, 0.7], [0.2, 0, 0.5]], atol=1e-8)
    # what a new episode begins with is that of the model
    envs.reset(seed=0)
    np.testing.assert_array_equal(envs.data.mocap_pos[:, 0], [[0, 0, 0.5]] * 2)


@pytest.mark.parametrize("compiled", [True, False])
def test_worlds_that_begin_an_episode_ignore_actions(compiled):
    envs = VectorEnv(task=Scaled, num_envs=2, compiled=compiled, max_episode_steps=2)
    envs.reset(seed=0)
    for expected in ([4, 1], [4, 1], [0, 0], [4, 1]):
        envs.step(np.ones((2, 2), np.float32))
        np.testing.assert_array_equal(envs.data.ctrl, [expected] * 2)


def test_late_actions_are_what_control_gets():
    late = {"action": mjenv.Channel(delay=1)}
    for compiled in (True, False):
        envs = VectorEnv(task=Scaled, num_envs=2, compiled=compiled, randomization=late)
        envs.reset(seed=0)
        envs.step(np.ones((2, 2), np.float32))
        np.testing.assert_array_equal(envs.data.ctrl, [[-3, 0.5]] * 2)
        envs.step(np.zeros((2, 2), np.float32))
        np.testing.assert_array_equal(envs.data.ctrl, [[4, 1]] * 2)


def test_parameters_may_change_between_steps():
    class Gain(Base):
        action_limits = (-1.0, 1.0)
        gain = 1.0

        def control(self, data, action):
            return self.gain * action

    env = Env(task=Gain)
    env.reset(seed=0)
    action = np.array([1.0, 0.5], np.float32)
    for gain in (1.0, 1.0, 2.0, 3.0, 3.0, 3.0, 0.5):
        env.task.gain = gain
        env.step(action)
        np.testing.assert_array_equal(env.data.ctrl, gain * action)


def test_environments_are_made_registered_and_saved():
    mjenv.register("test/Moved-v0", Moved, max_episode_steps=5)
    env = gym.make("test/Moved-v0")
    env.reset(seed=0)
    row = env.unwrapped.save_state()
    first = env.step(np.array([1, 0, 0, 1], np.float32))[0]
    env.unwrapped.restore_state(row)
    np.testing.assert_array_equal(env.step(np.array([1, 0, 0, 1], np.float32))[0], first)
    with pytest.raises(ValueError, match=r"step: action has shape \(2,\), expected \(4,\)"):
        env.unwrapped.step(np.zeros(2, np.float32))


def test_only_copies_can_be_written():
    class Wrong(Written):
        def observation(self, data):
            total = data.qpos + 1.0
            total[..., 0] = 2.0
            return {"total": total}

    envs = VectorEnv(task=Wrong, num_envs=2)
    message = "found an assignment to [(Ellipsis, 0)] of an array that is no copy of real numbers"
    assert message in envs.compile_error


def broken(**own):
    """A task with something wrong."""
    return type("Broken", (Base,), own)


@pytest.mark.parametrize(
    ("own", "error", "message"),
    [
        (
            {"control": lambda self, data, action: None},
            TypeError,
            r"Broken.control: returned None, expected controls \(..., nu\) or a dict",
        ),
        (
            {"control": lambda self, data, action: {"qpos": data.qpos}},
            TypeError,
            "Broken.control: found 'qpos', expected some of ctrl, mocap_pos",
        ),
        (
            {"control": lambda self, data, action: action[..., :1]},
            ValueError,
            r"Broken.control: ctrl has shape \(2, 1\), expected \(2, 2\)",
        ),
        (
            {"control": lambda self, data, action: {"mocap_pos": data.mocap_pos[..., 0, :]}},
            ValueError,
            r"mocap_pos has shape \(2, 3\), expected \(2, 1, 3\); all of it",
        ),
        (
            {"action_limits": (-1.0, 1.0)},
            TypeError,
            "Broken.action_limits: found limits, but the actuators get actions as they are",
        ),
        (
            {"action_limits": (1.0, -1.0), "control": lambda self, data, action: action},
            ValueError,
            r"Broken.action_limits: found \[1.0, 1.0\] and \[-1.0, -1.0\], expected a pair",
        ),
        (
            {"action_limits": 1.0, "control": lambda self, data, action: action},
            ValueError,
            "Broken.action_limits: found 1.0, expected a pair of numbers or of arrays",
        ),
        (
            {"action_limit": (-1.0, 1.0)},
            TypeError,
            "Broken.action_limit: .*action_limits",
        ),
    ],
)
def test_mistakes_are_told(own, error, message):
    def run():
        envs = VectorEnv(task=broken(**own), num_envs=2, compiled=False)
        envs.reset(seed=0)
        envs.step(np.zeros(envs.action_space.shape, np.float32))

    with pytest.raises(error, match=message):
        run()
