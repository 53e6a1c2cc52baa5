"""Models that differ from world to world, drawn from the worlds' own generators."""

import copy

import gymnasium
import mujoco
import numpy as np
import pytest

import mjenv
from mjenv import Normal, Uniform

DRAWN = {
    "body_mass": Uniform(0.5, 2.0),
    "geom_friction": Uniform(0.3, 1.5, of=("floor",)),
    "dof_damping": Normal(0.0, 0.1, how="add", of=("thigh_joint",)),
    "opt_gravity": Uniform(-0.5, 0.5, how="add"),
}


def make(num_envs=4, randomization=DRAWN, **arguments):
    return gymnasium.make_vec(
        "mjenv/Hopper-v5", num_envs=num_envs, randomization=randomization, **arguments
    )


@pytest.fixture(scope="module")
def envs():
    return make(max_episode_steps=6)


def step(envs, count=1):
    for _ in range(count):
        results = envs.step(np.full(envs.action_space.shape, 0.3))
    return results


def test_worlds_differ(envs):
    infos = envs.reset(seed=0)[1]
    varied, model = envs.data.varied, envs.model
    factors = varied["body_mass"][:, 1:] / model.body_mass[1:]
    assert len(np.unique(factors)) == 4 * 4
    assert factors.min() > 0.5
    assert factors.max() < 2.0
    floor = varied["geom_friction"][:, 0] / model.geom_friction[0]
    np.testing.assert_allclose(floor, floor[:, :1] * np.ones(3))
    np.testing.assert_array_equal(varied["geom_friction"][:, 1], [model.geom_friction[1]] * 4)
    assert np.all(varied["dof_damping"][:, 3] != model.dof_damping[3])
    np.testing.assert_array_equal(varied["dof_damping"][:, 4], [model.dof_damping[4]] * 4)
    np.testing.assert_array_equal(infos["randomized_body_mass"], varied["body_mass"])


def test_physics_is_that_of_an_edited_model(envs):
    """Constants that follow from masses are computed anew."""
    envs.reset(seed=3)
    observations = step(envs, 3)[0]
    varied = envs.data.varied
    reference = gymnasium.make("Hopper-v5").unwrapped
    model = reference.model
    model.body_mass[:] = varied["body_mass"][2]
    model.geom_friction[:] = varied["geom_friction"][2]
    model.dof_damping[:] = varied["dof_damping"][2]
    model.opt.gravity[:] = varied["opt_gravity"][2]
    state = reference.init_qpos.copy(), reference.init_qvel.copy()
    mujoco.mj_setConst(model, reference.data)
    plain = gymnasium.make("mjenv/Hopper-v5").unwrapped
    plain.reset(seed=5)
    reference.reset(seed=0)
    reference.set_state(plain.data.qpos.copy(), plain.data.qvel.copy())
    for _ in range(3):
        observation = reference.step(np.full(3, 0.3))[0]
    np.testing.assert_allclose(observations[2], observation, rtol=1e-9, atol=1e-9)
    assert np.all(state[0] == reference.init_qpos)


def test_lanes_are_single_environments(envs):
    single = gymnasium.make("mjenv/Hopper-v5", randomization=DRAWN, max_episode_steps=6)
    observations = envs.reset(seed=7)[0]
    first, info = single.reset(seed=9)
    np.testing.assert_array_equal(observations[2], first)
    np.testing.assert_array_equal(info["randomized_body_mass"], envs.data.varied["body_mass"][2])
    for _ in range(6):
        found = step(envs)
        expected = single.step(np.full(3, 0.3))
        np.testing.assert_array_equal(found[0][2], expected[0])
    masses = envs.data.varied["body_mass"].copy()
    observations, *_, infos = step(envs)
    np.testing.assert_array_equal(observations[2], single.reset()[0])
    assert np.all(envs.data.varied["body_mass"][:, 1:] != masses[:, 1:])
    assert infos["_randomized_body_mass"].all()


def test_drawn_fields_are_saved(envs):
    envs.reset(seed=1)
    rows = envs.save_state()
    twin = copy.deepcopy(envs)
    expected = step(envs, 9)
    np.testing.assert_equal(step(twin, 9), expected)
    envs.reset(seed=50)
    envs.restore_state(rows)
    np.testing.assert_equal(step(envs, 9), expected)
    other = make(max_episode_steps=6)
    other.restore_state(rows)
    np.testing.assert_equal(step(other, 9), expected)


def test_other_distributions_for_one_reset(envs):
    heavy = {"body_mass": Uniform(3.0, 3.0, each=False)}
    envs.reset(seed=0, options={"randomization": heavy})
    np.testing.assert_allclose(envs.data.varied["body_mass"], [3.0 * envs.model.body_mass] * 4)
    envs.reset(seed=0)
    assert envs.data.varied["body_mass"].max() < 2.0 * envs.model.body_mass.max()
    with pytest.raises(
        ValueError, match=r"^randomization: 'geom_frictio': .*did you mean 'geom_friction'"
    ):
        envs.reset(options={"randomization": {"geom_frictio": Uniform(1.0, 2.0)}})
    mask = np.array([True, False, False, False])
    options = {"reset_mask": mask, "randomization": {"geom_solref": Uniform(1.0, 2.0)}}
    with pytest.raises(ValueError, match=r"'geom_solref', expected one of \['body_mass', "):
        envs.reset(options=options)


def test_fields_given_to_reset_only():
    """They are the model's own again in the next episode."""
    envs = make(3, {"dof_damping": Uniform(0.5, 2, when="start")}, max_episode_steps=3)
    single = gymnasium.make(
        "mjenv/Hopper-v5", randomization={"dof_damping": Uniform(0.5, 2, when="start")}
    )
    envs.reset(seed=1)
    single.reset(seed=3)
    damping = envs.data.varied["dof_damping"].copy()
    options = {"randomization": {"body_mass": Uniform(1.5, 2.0)}}
    observations, infos = envs.reset(options=options)
    expected, info = single.reset(options=options)
    np.testing.assert_array_equal(envs.data.varied["dof_damping"], damping)
    assert np.all(infos["randomized_body_mass"][:, 1:] > 1.4 * envs.model.body_mass[1:])
    np.testing.assert_array_equal(infos["randomized_body_mass"][2], info["randomized_body_mass"])
    np.testing.assert_array_equal(observations[2], expected)
    rows = envs.save_state()
    for _ in range(3):
        found, expected = step(envs), single.step(np.full(3, 0.3))
        np.testing.assert_array_equal(found[0][2], expected[0])
    step(envs)
    np.testing.assert_array_equal(envs.data.varied["body_mass"], [envs.model.body_mass] * 3)
    envs.restore_state(rows)
    assert np.all(envs.data.varied["body_mass"][:, 1:] > 1.4 * envs.model.body_mass[1:])


def test_what_is_refused():
    for randomization, error, message in (
        (["body_mass"], TypeError, "expected a dict of fields and distributions"),
        ({"body_mass": (0.5, 2.0)}, TypeError, r"mjenv.LogUniform or mjenv.Normal"),
        ({"body_mass": Uniform(1, 2, "scal")}, ValueError, r"how='scal', .*did you mean 'scale'"),
        ({"body_mas": Uniform(1, 2)}, ValueError, r"randomization: 'body_mas': .*'body_mass'"),
    ):
        with pytest.raises(error, match=message):
            mjenv.VectorEnv(task=mjenv.envs.Hopper, randomization=randomization)
    envs = make(randomization={"opt_gravity": Uniform(0, 1, of=("x",))})
    with pytest.raises(ValueError, match=r"'opt_gravity': of=.*expected no names for a field"):
        envs.reset(seed=0)


def test_centres_of_mass_differ(tmp_path):
    """Also where the compiler had found them at the origin of the body."""
    text = """<mujoco><worldbody><body name="a"><joint axis="0 1 0"/><geom name="g" size=".1"/>
      <geom pos="0 0 -1" size=".1"/><body name="b" pos="0 0 -1"><joint name="j" axis="0 1 0"/>
      <geom type="capsule" size=".1 .2"/></body></body><body name="free" pos="1 0 0"><freejoint/>
      <geom size=".1"/></body></worldbody></mujoco>"""
    path = tmp_path / "arm.xml"
    path.write_text(text)

    class Arm(mjenv.Task):
        xml_file = str(path)

        def observation(self, data):
            return {"qpos": data.qpos, "qvel": data.qvel}

        def outcome(self, data, action, before):
            return mjenv.Outcome({"none": data.qpos[..., 0]})

    fields = {"body_ipos": Uniform(0.05, 0.1, "add", of=("b",))}
    envs = mjenv.VectorEnv(task=Arm, num_envs=2, randomization=fields)
    envs.reset(seed=0)
    reference = mujoco.MjModel.from_xml_string(text)
    reference.body_ipos[:] = envs.data.varied["body_ipos"][1]
    reference.body_sameframe[:] = 0
    data = mujoco.MjData(reference)
    mujoco.mj_setConst(reference, data)
    np.testing.assert_allclose(envs.data.varied["dof_M0"][1], reference.dof_M0)
    for _ in range(5):
        envs.step(np.zeros((2, 0)))
        mujoco.mj_step(reference, data)
    np.testing.assert_allclose(envs.data.qpos[1], data.qpos, atol=1e-12)
    with pytest.raises(ValueError, match=r"'body_ipos': body 'free' was compiled as one whose i"):
        mjenv.VectorEnv(task=Arm, randomization={"body_ipos": Uniform(0, 0.1, "add")})


def test_colours_and_lights_are_drawn():
    """Red, green and blue of what is seen, and lights: worlds of a vector are single ones."""
    looks = {
        "mat_rgba": Uniform(0.3, 1.0),
        "geom_rgba": Uniform(-0.3, 0.3, "add", of=("torso_geom",)),
        "light_diffuse": Uniform(0.2, 1.2),
    }
    arguments = {"randomization": looks, "pixels": {"height": 20, "width": 24, "state": True}}
    envs = make(3, **arguments)
    seen, infos = envs.reset(seed=5)
    varied, model = envs.data.varied, envs.model
    assert len(np.unique(varied["light_diffuse"][:, 0, 0])) == 3
    assert (varied["geom_rgba"][..., 3] == model.geom_rgba[:, 3]).all()
    assert varied["geom_rgba"].max() <= 1.0
    np.testing.assert_array_equal(infos["randomized_mat_rgba"], varied["mat_rgba"])
    assert (seen["pixels"][0] != seen["pixels"][1]).mean() > 0.2
    # they are saved with the state
    rows = envs.save_state()
    envs.reset(seed=6)
    assert (varied["light_diffuse"] != infos["randomized_light_diffuse"]).any()
    envs.restore_state(rows)
    np.testing.assert_array_equal(envs.data.varied["mat_rgba"], infos["randomized_mat_rgba"])
    envs.close()
