"""Task classes: parameters, files, and a new task from an own model."""

import json
import pickle

import gymnasium
import numpy as np
import pytest

import mjenv
from mjenv.envs import HalfCheetah, Hopper
from mjenv.task.task import all_finite, all_within, clip, flat, sum_squares

SLIDER = """
<mujoco>
  <worldbody>
    <body>
      <joint name="x" type="slide" axis="1 0 0" damping="1"/>
      <geom type="sphere" size="0.1" mass="1"/>
    </body>
  </worldbody>
  <actuator><motor joint="x" ctrlrange="-1 1"/></actuator>
</mujoco>
"""


class Slider(mjenv.Task):
    """Be at the goal."""

    xml_file = "slider.xml"
    frame_skip = 3
    goal = 1.0

    def reset(self, rng):
        return rng.uniform(-1.0, 1.0, 1), np.zeros(1)

    def observation(self, data):
        return {"qpos": data.qpos, "qvel": data.qvel}

    def outcome(self, data, action, before):
        distance = np.abs(data.qpos[..., 0] - self.goal)
        return mjenv.Outcome({"near": -distance, "alive": 1.0}, distance > 1.9, {"away": distance})


@pytest.fixture
def slider_xml(tmp_path):
    path = tmp_path / "slider.xml"
    path.write_text(SLIDER)
    return str(path)


def test_parameters_in_order():
    assert list(HalfCheetah.parameters()) == [
        "xml_file",
        "frame_skip",
        "default_camera_config",
        "randomization",
        "terminate_when_diverged",
        "forward_reward_weight",
        "ctrl_cost_weight",
        "reset_noise_scale",
        "exclude_current_positions_from_observation",
    ]
    assert list(Slider.parameters())[-1] == "goal"


@pytest.mark.parametrize("num_envs", [None, 2])
def test_tables_are_each_tasks_own(slider_xml, num_envs):
    """What is changed in place in one environment stays out of others, and of the class."""

    class Weighed(Slider):
        weights = {"near": 1.0}

        def outcome(self, data, action, before):
            distance = np.abs(data.qpos[..., 0] - self.goal)
            return mjenv.Outcome({"near": self.weights["near"] * distance})

    def made():
        given = {"task": Weighed, "xml_file": slider_xml}
        one = mjenv.Env(**given) if num_envs is None else mjenv.VectorEnv(num_envs=2, **given)
        one.reset(seed=0)
        return one

    envs, other = made(), made()
    action = np.zeros(1 if num_envs is None else (2, 1), np.float32)
    envs.task.weights["near"] = 2.0
    for _ in range(4):
        first, second = envs.step(action)[1], other.step(action)[1]
        np.testing.assert_array_equal(first, 2.0 * second)
    assert Weighed.weights == {"near": 1.0}


def test_unknown_parameter():
    with pytest.raises(
        TypeError,
        match="unexpected keyword argument 'ctrl_weight'; did you mean 'ctrl_cost_weight'",
    ):
        HalfCheetah(ctrl_weight=1.0)
    with pytest.raises(TypeError, match="unexpected keyword argument 'xyzzy'; expected one of"):
        gymnasium.make("mjenv/HalfCheetah-v5", xyzzy=1.0)


@pytest.mark.parametrize("make", [gymnasium.make, gymnasium.make_vec])
@pytest.mark.parametrize("name", ["frameskip", "apply_api_compatibility"])
def test_unknown_parameters_are_refused_in_pythons_words(make, name):
    """TorchRL gives `frameskip` to every environment and goes on when it reads these words."""
    with pytest.raises(
        TypeError, match=rf"__init__\(\) got an unexpected keyword argument '{name}'"
    ):
        make("mjenv/InvertedPendulum-v5", **{name: 2})


def test_parameter_given_twice():
    with pytest.raises(TypeError, match="parameter 'xml_file' is given twice; remove one"):
        HalfCheetah("half_cheetah.xml", xml_file="half_cheetah.xml")
    with pytest.raises(TypeError, match="8 values, expected at most 7"):
        HalfCheetah(*range(8))


def test_frame_skip_is_positive():
    with pytest.raises(ValueError, match="Hopper: frame_skip=0, expected a positive integer"):
        Hopper(frame_skip=0)


def test_missing_model():
    with pytest.raises(FileNotFoundError, match=r"'hoper.xml': no such file in .*'hopper.xml'"):
        Hopper("hoper.xml")


def test_task_of_wrong_type():
    with pytest.raises(TypeError, match=r"task=3, expected a subclass of mjenv.Task"):
        mjenv.Env(task=3)


def test_no_reward():
    class Empty(Slider):
        outcome = mjenv.Task.outcome

    with pytest.raises(TypeError, match="Empty: no reward is defined; write the method `outcome`"):
        Empty.outcome(object.__new__(Empty), None, None, None)


def test_new_task(slider_xml):
    """One definition in the single and in the vector environment."""
    env = mjenv.Env(task=Slider, xml_file=slider_xml, goal=0.5)
    envs = mjenv.VectorEnv(task=Slider, xml_file=slider_xml, goal=0.5, num_envs=4)
    observations, _ = envs.reset(seed=3)
    observation, info = env.reset(seed=5)
    assert info == {}
    np.testing.assert_array_equal(observations[2], observation)
    for _ in range(3):
        rewards, terminations, _, infos = envs.step(np.ones((4, 1)))[1:]
        observation, reward, terminated, _, info = env.step([1.0])
        assert list(info) == ["away", "near", "alive"]
        assert reward == rewards[2] == info["near"] + 1.0
        assert terminated == terminations[2]
        assert infos["away"][2] == info["away"]
        assert infos["alive"].tolist() == [1.0] * 4


def test_registered_task(slider_xml):
    mjenv.register("Slider-v0", Slider, max_episode_steps=2, kwargs={"xml_file": slider_xml})
    try:
        env = gymnasium.make("Slider-v0", goal=0.0)
        env.reset(seed=0)
        assert [env.step([0.0])[3] for _ in range(2)] == [False, True]
        envs = gymnasium.make_vec("Slider-v0", num_envs=2)
        envs.reset(seed=0)
        assert [envs.step(np.zeros((2, 1)))[3].tolist() for _ in range(2)] == [
            [False] * 2,
            [True] * 2,
        ]
    finally:
        del gymnasium.registry["Slider-v0"]


def test_specification_as_text():
    spec = gymnasium.spec("mjenv/Hopper-v5")
    copy = gymnasium.envs.registration.EnvSpec.from_json(spec.to_json())
    assert json.loads(spec.to_json())["entry_point"] == "mjenv.envs:HopperEnv"
    assert copy.make(ctrl_cost_weight=0.5).unwrapped.task.ctrl_cost_weight == 0.5


def test_environment_class_of_a_task():
    kind = mjenv.Env.of(Slider)
    assert kind is mjenv.Env.of(Slider)
    assert kind.__name__ == "SliderEnv"
    assert mjenv.envs.HopperEnv is mjenv.Env.of(Hopper)
    assert pickle.loads(pickle.dumps(mjenv.envs.HopperEnv)) is mjenv.envs.HopperEnv


def test_functions_for_tasks():
    x = np.array([[1.0, -2.0, 3.0], [0.5, np.inf, 0.0]])
    assert clip(x, -1, 1).tolist() == [[1, -1, 1], [0.5, 1, 0]]
    assert sum_squares(x).tolist() == [14.0, np.inf]
    assert sum_squares(np.float32([1, 2])).dtype == np.float32
    assert all_finite(x).tolist() == [True, False]
    assert all_within(x, -2, 4).tolist() == [False, False]
    assert all_within(x[0], -3, 4)
    assert flat(np.zeros((2, 3, 4))).shape == (2, 12)


def test_actuators_without_limits(tmp_path):
    """Gymnasium's action space is [0, 0] for them."""
    path = tmp_path / "free.xml"
    path.write_text(SLIDER.replace(' ctrlrange="-1 1"', ""))
    env = mjenv.Env(task=Slider, xml_file=str(path))
    assert (env.action_space.low, env.action_space.high) == (-np.inf, np.inf)
    env.reset(seed=0)
    env.step(env.action_space.sample())
