"""Arguments and options of environments: each counts, or is refused by name."""

import inspect

import gymnasium
import numpy as np
import pytest

import mjenv
from mjenv.envs import Hopper, InvertedPendulum
from mjenv.render.frames import RenderSettings

EVERYWHERE = {
    "render mode": ({"render_mode": "rgb_arra"}, "render_mode='rgb_arra', .*did you mean 'rgb_arr"),
    "width": ({"width": -1}, "width=-1, expected a positive integer"),
    "height": ({"height": 4.5}, "height=4.5, expected a positive integer"),
    "camera": ({"camera_id": 99}, "camera_id=99, expected 0 to"),
    "camera name": (
        {"camera_name": "tracl"},
        r"camera_name='tracl', expected one of \['track'\]; d",
    ),
    "camera config": ({"default_camera_config": {"distanc": 1}}, "did you mean 'distance'"),
    "options": (
        {"visual_options": {"shadow": True}},
        "visual_options=.*expected a dict from flags",
    ),
    "compiled": ({"compiled": "no"}, "compiled='no', expected one of"),
    "frame skip": ({"frame_skip": True}, "frame_skip=True, expected a positive integer"),
}
OF_MANY = {
    "copy": ({"copy": "no"}, "copy='no', expected one of"),
    "statistics": ({"episode_statistics": 1}, "episode_statistics=1, expected one of"),
    "threads": ({"nthread": 1.5}, "nthread=1.5, expected a positive integer"),
    "lanes": ({"lanes": 3}, "lanes=3, expected one of"),
}


@pytest.mark.parametrize("name", [*EVERYWHERE, *OF_MANY])
def test_arguments(name):
    given, message = (EVERYWHERE | OF_MANY)[name]
    with pytest.raises((ValueError, TypeError), match=message):
        mjenv.VectorEnv(task=Hopper, num_envs=2, **given)
    if name in EVERYWHERE:
        with pytest.raises((ValueError, TypeError), match=message):
            mjenv.Env(task=Hopper, **given)


RANDOMIZED = {
    "nothing": ({"body_mass": mjenv.Uniform(1, 2, of=())}, r"of=\(\), expected a tuple of names"),
    "idle": ({"key_qpos": mjenv.Uniform(1, 2)}, "nothing in an environment depends on this field"),
    "extent": ({"stat_extent": mjenv.Uniform(1, 2)}, "nothing in an environment depends on"),
    "following": (
        {"body_mass": mjenv.Uniform(1, 2), "dof_invweight0": mjenv.Uniform(1, 2)},
        "'dof_invweight0' is computed from other fields",
    ),
    "bounds": (
        {"geom_size": mjenv.Uniform(1, 2), "geom_rbound": mjenv.Uniform(1, 2)},
        "'geom_rbound' is computed from other fields",
    ),
    "push": ({"body_mass": mjenv.Push(of=("cart",))}, "'body_mass' is a Push, .*name of your own"),
}


@pytest.mark.parametrize("name", RANDOMIZED)
def test_randomization_without_effect(name):
    declared, message = RANDOMIZED[name]
    with pytest.raises(ValueError, match=message):
        mjenv.VectorEnv(task=InvertedPendulum, randomization=declared).reset(seed=0)


def test_sizes_of_geoms_bound_their_contacts(tmp_path):
    """A geom that has grown touches what it did not touch."""
    path = tmp_path / "balls.xml"
    path.write_text(
        "<mujoco><worldbody><geom type='plane' size='5 5 1'/><body pos='0 0 .5'><freejoint/>"
        "<geom name='a' type='capsule' size='.1 .1'/></body><body pos='.65 0 .5'><freejoint/>"
        "<geom name='b' type='box' size='.1 .1 .1'/></body></worldbody></mujoco>"
    )

    class Balls(mjenv.Task):
        xml_file = str(path)

        def observation(self, data):
            return {"qpos": data.qpos}

        def outcome(self, data, action, before):
            return mjenv.Outcome({"none": 0.0 * data.qpos[..., 0]})

    grown = {"geom_size": mjenv.Uniform(4.0, 4.0, of=("a", "b"))}
    env = mjenv.Env(task=Balls, randomization=grown)
    env.reset(seed=0)
    assert env.data.ncon > 0
    for size in ("geom_rbound", "geom_aabb"):
        model = mjenv.Model.from_xml_string(
            path.read_text().replace(".1 .1 .1", ".4 .4 .4").replace("'.1 .1'", "'.4 .4'")
        )
        np.testing.assert_allclose(
            env.data.batch.varied[size][0].ravel(), np.ravel(getattr(model, size)), rtol=1e-15
        )


@pytest.mark.parametrize("kind", [complex, str, object])
def test_actions_are_real_numbers(kind):
    env = gymnasium.make("mjenv/InvertedPendulum-v5").unwrapped
    envs = gymnasium.make_vec("mjenv/InvertedPendulum-v5", num_envs=2)
    for one, shape in ((env, 1), (envs, (2, 1))):
        one.reset(seed=0)
        with pytest.raises(ValueError, match=r"step: action is of type .*expected real numbers"):
            one.step(np.zeros(shape).astype(kind))


def test_frame_skip_that_changes():
    """It counts in the next step, or is refused."""
    env = gymnasium.make("mjenv/InvertedPendulum-v5").unwrapped
    envs = gymnasium.make_vec("mjenv/InvertedPendulum-v5", num_envs=2)
    for one, action in ((env, np.zeros(1)), (envs, np.zeros((2, 1)))):
        one.reset(seed=0)
        for _ in range(3):
            one.step(action)
        start = np.max(one.data.time)
        one.frame_skip = 5
        one.step(action)
        np.testing.assert_allclose(np.max(one.data.time) - start, 5 * one.model.opt.timestep)
        with pytest.raises(ValueError, match="frame_skip=0, expected a positive integer"):
            one.task.frame_skip = 0


def test_parameters_as_attributes():
    """By Gymnasium's names too, of the single environment and of all at once."""
    env = gymnasium.make("mjenv/Hopper-v5")
    envs = gymnasium.make_vec("mjenv/Hopper-v5", num_envs=2)
    for one, action in ((env.unwrapped, np.zeros(3)), (envs, np.zeros((2, 3)))):
        one.reset(seed=0)
        one._healthy_reward = 3.0
        assert one.task.healthy_reward == 3.0
        assert np.all(one.step(action)[4]["reward_survive"] == 3.0)
    env.set_wrapper_attr("healthy_reward", 2.5)
    assert env.unwrapped.task.healthy_reward == 2.5
    env.unwrapped.ctrl_cost_weight = 2.0
    assert env.unwrapped.task.ctrl_cost_weight == env.unwrapped._ctrl_cost_weight == 2.0
    envs.set_attr("healthy_reward", [4.0, 4.0])
    assert envs.get_attr("healthy_reward") == envs.get_attr("_healthy_reward") == (4.0, 4.0)
    with pytest.raises(ValueError, match="found different values, expected one"):
        envs.set_attr("healthy_reward", [4.0, 5.0])
    with pytest.raises(AttributeError, match=r"'healthy_rewar', .*did you mean 'healthy_reward'"):
        envs.set_attr("healthy_rewar", 4.0)
    with pytest.raises(ValueError, match="3 values, expected one for each of 2"):
        envs.set_attr("healthy_reward", [4.0] * 3)


def test_parameters_between_send_and_recv():
    """Whether they count for a batch under way would depend on its speed: they are refused."""
    envs = gymnasium.make_vec("mjenv/InvertedPendulum-v5", num_envs=4, batch_size=2)
    envs.async_reset(seed=0)
    envs.task.reset_noise_scale = 0.02
    ids = envs.recv()[4]["env_id"]
    envs.send(np.zeros((2, 1)), ids)
    envs.task.reset_noise_scale = 0.03
    with pytest.raises(RuntimeError, match="a parameter of the task has changed while 1 batches"):
        envs.recv()
    for _ in range(2):
        envs.recv()
    envs.task.reset_noise_scale = 0.04
    envs.send(np.zeros((4, 1)))
    for _ in range(2):
        envs.recv()
    with pytest.raises(ValueError, match="async_reset: options: found 'reset_mask'"):
        envs.async_reset(options={"reset_mask": np.ones(4, bool)})


@pytest.mark.parametrize("cls", [mjenv.Env, mjenv.VectorEnv, mjenv.envs.HopperEnv])
def test_editors_offer_the_settings_of_pictures(cls):
    """What is written in the signatures, for tools that read them, is what `RenderSettings` has."""
    shown = inspect.signature(cls.__init__).parameters
    expected = inspect.signature(RenderSettings).parameters
    assert expected.keys() <= shown.keys()
    for name, one in expected.items():
        assert (shown[name].default, shown[name].annotation) == (one.default, one.annotation), name
        assert shown[name].kind is inspect.Parameter.KEYWORD_ONLY
