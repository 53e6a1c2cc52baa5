"""Fields of the model that a task's `reset` gives: each episode has its own."""

import gymnasium
import numpy as np
import pytest

import mjenv

XML = """<mujoco>
  <asset><hfield name="hills" nrow="5" ncol="7" size="1 1 .5 .1"/></asset>
  <worldbody>
    <geom type="hfield" hfield="hills"/>
    <body name="wall" pos="1 0 .5"><geom type="box" size=".1 .1 .5"/><site name="top"/></body>
    <body name="aim" mocap="true" pos="0 0 2"><site name="aim"/></body>
    <body name="ball" pos="0 0 .7"><freejoint/><geom size=".1" mass="1"/></body>
  </worldbody>
  <sensor><framepos objtype="site" objname="top"/><framepos objtype="site" objname="aim"/></sensor>
</mujoco>"""


@pytest.fixture
def task(tmp_path):
    """A class of tasks in which a wall, a mocap body, and the ground are others each time."""
    (tmp_path / "walled.xml").write_text(XML)

    class Walled(mjenv.Task):
        xml_file = str(tmp_path / "walled.xml")
        frame_skip = 10
        varies = ("body_pos", "hfield_data")

        def reset(self, rng):
            place = rng.uniform(-1.0, 1.0, 2)
            body_pos = self.model.body_pos + np.zeros((*place.shape[:-1], 1, 1))
            body_pos[..., 1, :2], body_pos[..., 2, 0] = place, place[..., 0]
            heights = rng.uniform(0.0, 1.0, self.model.nhfielddata)
            return {"qvel": np.ones(6), "body_pos": body_pos, "hfield_data": heights}

        def observation(self, data):
            return {"sensors": data.sensordata, "qpos": data.qpos}

        def outcome(self, data, action, before):
            return mjenv.Outcome({"height": data.qpos[..., 2]})

    return Walled


def made(task, num_envs=9, **options):
    return mjenv.VectorEnv(task=task, num_envs=num_envs, max_episode_steps=20, **options)


def test_each_world_has_what_its_reset_gave(task):
    """Bits of a world alone, through automatic resets, compiled or not."""
    assert mjenv.check_task(task) is None
    envs, plain = made(task), made(task, compiled=False)
    assert envs.compiled, envs.compile_error
    first = envs.reset(seed=5)[0]
    np.testing.assert_array_equal(plain.reset(seed=5)[0], first)
    # the wall, and the mocap body, which goes where its body is
    np.testing.assert_array_equal(first[:, :3], envs.data.varied["body_pos"][:, 1])
    np.testing.assert_array_equal(first[:, 3], first[:, 0])
    assert len(np.unique(first[:, 0])) == 9
    steps = [envs.step(np.zeros((9, 0)))[0] for _ in range(30)]
    for step in steps:
        np.testing.assert_array_equal(plain.step(np.zeros((9, 0)))[0], step)
    assert (steps[-1][:, 0] != first[:, 0]).all()
    for world in (0, 8):
        env = mjenv.Env(task=task)
        np.testing.assert_array_equal(env.reset(seed=5 + world)[0], first[world])
        for step in steps[:20]:
            np.testing.assert_array_equal(env.step(np.zeros(0))[0], step[world])
        np.testing.assert_array_equal(env.reset()[0], steps[20][world])


def test_terrain_of_an_episode_is_what_it_falls_on(task):
    """As with a model that has these heights."""
    envs = made(task, 3)
    envs.reset(seed=1)
    start, heights = envs.data.qpos.copy(), envs.data.varied["hfield_data"].copy()
    places = envs.data.varied["body_pos"].copy()
    for _ in range(19):
        found = envs.step(np.zeros((3, 0)))[0][:, 6:]
    for world in range(3):
        model = mjenv.Model.from_xml_string(XML)
        model.hfield_data[:], model.body_pos[:] = heights[world], places[world]
        data = mjenv.Data(model)
        data.qpos[:], data.qvel[:], data.mocap_pos[:] = start[world], 1.0, places[world][2]
        mjenv.step(model, data, 190)
        assert data.qpos[0, 2] < 0.45
        np.testing.assert_array_equal(found[world], data.qpos[0])


def test_saved_worlds_go_on_with_their_own(task):
    envs, others = made(task), made(task)
    envs.reset(seed=2)
    others.reset(seed=77)
    envs.step(np.zeros((9, 0)))
    others.restore_state(envs.save_state())
    for _ in range(40):
        np.testing.assert_array_equal(
            others.step(np.zeros((9, 0)))[0], envs.step(np.zeros((9, 0)))[0]
        )


@pytest.mark.parametrize(
    ("attributes", "error", "message"),
    [
        ({"varies": "body_pos"}, TypeError, r"varies: found 'body_pos', expected a tuple"),
        ({"varies": ("body_poss",)}, ValueError, r"body_poss.*did you mean 'body_pos'"),
        ({"varies": ("body_mass",)}, ValueError, r"'body_mass': what follows.*`randomization`"),
        ({"varies": ("geom_size",)}, ValueError, r"'geom_size': what follows.*`randomization`"),
        ({"varies": ("geom_type",)}, ValueError, r"'geom_type': the model has no field of real"),
        ({"varies": ("site_pos",)}, ValueError, r"reset: found no 'site_pos', expected it in a"),
        ({"varie": ("site_pos",)}, TypeError, r"varie.*varies"),
        (
            {"randomization": {"body_pos": mjenv.Uniform(0.9, 1.1)}},
            ValueError,
            r"varies: 'body_pos' differs by the task's randomization",
        ),
    ],
)
def test_what_is_refused(task, attributes, error, message):
    other = type("Other", (task,), attributes)
    with pytest.raises(error, match=message):
        made(other, 2).reset(seed=0)


def test_a_reset_gives_all_of_them(task):
    """Also one that gives positions and velocities alone, or draws uniform noise."""
    from mjenv.envs.starts import uniform

    class Plain(task):
        reset_noise_scale = 0.1

        def reset(self, rng):
            return np.zeros((2, 7)), np.zeros((2, 6))

    for other in (Plain, type("Noisy", (Plain,), {"reset": uniform})):
        with pytest.raises(ValueError, match="reset: found no 'body_pos', expected it in a dict"):
            made(other, 2).reset(seed=0)


def test_models_without_terrain_may_vary_it():
    model = mjenv.Model.from_xml_string("<mujoco><worldbody><geom size='1'/></worldbody></mujoco>")
    data = mjenv.Data(model, 3, vary=("hfield_data",))
    mjenv.step(model, data)
    assert data.varied["hfield_data"].shape == (3, 0)


def test_shapes_are_those_of_the_model(task):
    class Wrong(task):
        varies = ("body_pos",)

        def reset(self, rng):
            return {"body_pos": np.zeros(3)}

    expected = r"reset: body_pos has shape \(3,\), expected \(2, 4, 3\) or \(4, 3\)"
    with pytest.raises(ValueError, match=expected):
        made(Wrong, 2).reset(seed=0)


def test_terrain_may_be_drawn_by_the_randomization(task):
    """Heights stay within 0 and 1."""

    class Drawn(task):
        varies = ()
        randomization = {"hfield_data": mjenv.Uniform(-0.5, 1.5, "set")}

        def reset(self, rng):
            return self.init_qpos, self.init_qvel

    envs = made(Drawn, 3)
    envs.reset(seed=0)
    heights = envs.data.varied["hfield_data"]
    assert heights.min() == 0.0
    assert heights.max() == 1.0
    assert not np.array_equal(heights[0], heights[1])


def test_gymnasium_makes_them(task):
    mjenv.register("Walled-v0", task)
    envs = gymnasium.make_vec("Walled-v0", num_envs=2)
    assert envs.reset(seed=0)[0].shape == (2, 13)
