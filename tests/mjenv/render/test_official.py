"""Models and data of the package `mujoco` in `Renderer`: the pictures of those of the engine."""

import subprocess
import sys

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.engine.errors import UnsupportedFeature
from mjenv.render import official

XML = """
<mujoco>
  <asset>
    <texture type="skybox" builtin="gradient" rgb1=".4 .6 .8" rgb2="0 0 0" width="64" height="64"/>
    <texture name="floor" type="2d" builtin="checker" width="64" height="64"/>
    <material name="floor" texture="floor" texrepeat="4 4" reflectance=".3"/>
    <mesh name="tetra" vertex="0 0 0  .4 0 0  0 .4 0  0 0 .4"/>
    <hfield name="hills" nrow="3" ncol="3" size="1 1 .3 .1" elevation="0 1 0 1 0 1 0 1 0"/>
  </asset>
  <worldbody>
    <light pos="1 -1 3" dir="-1 1 -3"/>
    <camera name="side" pos="0 -3 1" xyaxes="1 0 0 0 .3 1"/>
    <geom type="plane" size="2 2 .1" material="floor"/>
    <geom type="hfield" hfield="hills" pos="-1 1 0"/>
    <site name="anchor" pos="-.5 0 1"/>
    <body name="ball" pos="0 0 .19">
      <freejoint/><geom name="ball" type="sphere" size=".2" rgba="1 .3 .2 1"/>
      <site name="end" pos="0 0 .2"/>
    </body>
    <body pos=".5 0 .3"><freejoint/><geom type="mesh" mesh="tetra" rgba=".2 .4 1 .5"/></body>
  </worldbody>
  <tendon><spatial width=".02"><site site="anchor"/><site site="end"/></spatial></tendon>
  <actuator><motor site="end" gear="0 0 1 0 0 0"/></actuator>
  <sensor><rangefinder site="end"/></sensor>
</mujoco>
"""
SIZE = (60, 80)


@pytest.fixture
def pair():
    """Model and data of the package, and those of the engine in the same state."""
    model = mujoco.MjModel.from_xml_string(XML)
    data = mujoco.MjData(model)
    data.ctrl[:] = 1
    mujoco.mj_step(model, data, 20)
    mujoco.mj_forward(model, data)
    own = mjenv.Model.from_xml_string(XML)
    twin = mjenv.Data(own)
    twin.qpos[0], twin.qvel[0], twin.ctrl[0] = data.qpos, data.qvel, data.ctrl
    mjenv.forward(own, twin)
    return model, data, own, twin


@pytest.mark.parametrize("kind", ["", "depth", "segmentation"])
@pytest.mark.parametrize("camera", [-1, "side"])
def test_same_pictures(pair, kind, camera):
    model, data, own, twin = pair
    pictures = []
    for m, d in ((model, data), (own, twin)):
        renderer = mjenv.Renderer(m, *SIZE)
        if kind:
            getattr(renderer, f"enable_{kind}_rendering")()
        renderer.update_scene(d, camera)
        pictures += [renderer.render(), *renderer.render_worlds(d, camera)]
    for picture in pictures[1:]:
        np.testing.assert_array_equal(picture, pictures[0])


def test_same_decor(pair):
    model, data, own, twin = pair
    option = mujoco.MjvOption()
    option.flags[:], option.frame, option.label = 1, 3, 3
    camera = mujoco.MjvCamera()
    camera.lookat, camera.distance = [0, 0, 0.3], 2.5
    pictures = []
    for m, d in ((model, data), (own, twin)):
        renderer = mjenv.Renderer(m, *SIZE)
        renderer.update_scene(d, camera, option)
        pictures.append(renderer.render())
        assert renderer.scene.ngeom > 20
    np.testing.assert_array_equal(*pictures)
    renderer = mjenv.Renderer(model, *SIZE)
    np.testing.assert_array_equal(renderer.render_worlds(data, camera, option)[0], pictures[0])


def test_edits_are_seen(pair):
    model, data, _, _ = pair
    renderer = mjenv.Renderer(model, *SIZE)
    assert renderer.model is model
    last = np.zeros((*SIZE, 3), np.uint8)
    model.geom("ball").rgba = [0, 1, 0, 1]
    for edit in (
        lambda: None,
        lambda: model.geom_rgba.__setitem__(2, [0, 0, 1, 1]),
        lambda: model.vis.headlight.diffuse.__setitem__(slice(None), 0.9),
        lambda: setattr(model.vis.global_, "fovy", 30),
        lambda: setattr(model.stat, "extent", 3),
        lambda: data.qpos.__setitem__(2, 0.8),
    ):
        edit()
        mujoco.mj_forward(model, data)
        renderer.update_scene(data)
        picture = renderer.render()
        assert (picture != last).any()
        last = picture
    for array in (model.geom_rgba, model.tex_data, model.mesh_vert, model.light_pos):
        assert any(np.shares_memory(array, value) for value in vars(renderer._model).values()
                   if isinstance(value, np.ndarray))  # fmt: skip


def test_many_worlds(pair):
    model, data, own, twin = pair
    other = mujoco.MjData(model)
    other.qpos[2] = 0.7
    mujoco.mj_forward(model, other)
    assert other.ncon != data.ncon
    renderer = mjenv.Renderer(model, *SIZE)
    pictures = renderer.render_worlds([data, other], "side")
    option = mujoco.MjvOption()
    option.flags[mujoco.mjtVisFlag.mjVIS_CONTACTPOINT] = 1
    decorated = renderer.render_worlds([data, other], "side", option)
    for k, each in enumerate((data, other)):
        for found, options in ((pictures, None), (decorated, option)):
            renderer.update_scene(each, "side", options)
            np.testing.assert_array_equal(renderer.render(), found[k])
    # data of either sort may be drawn with a model of either
    np.testing.assert_array_equal(renderer.render_worlds(twin, "side")[0], pictures[0])
    back = mjenv.Renderer(own, *SIZE).render_worlds((data, other), "side", worlds=[1])
    np.testing.assert_array_equal(back[0], pictures[1])


def test_forces(pair):
    model, data, own, twin = pair
    data.xfrc_applied[1, 2] = twin.xfrc_applied[0, 1, 2] = 30.0
    option = mujoco.MjvOption()
    renderer, beside = mjenv.Renderer(model, *SIZE), mjenv.Renderer(own, *SIZE)
    shown = []
    for value in (0, 1):
        option.flags[mujoco.mjtVisFlag.mjVIS_PERTFORCE] = value
        renderer.update_scene(data, -1, option)
        beside.update_scene(twin, -1, option)
        shown.append(renderer.scene.ngeom)
        assert beside.scene.ngeom == renderer.scene.ngeom
    assert shown[1] == shown[0] + 1


def test_of_another_model(pair):
    model, _, _, _ = pair
    other = mujoco.MjModel.from_xml_string("<mujoco/>")
    with pytest.raises(ValueError, match="data of another model: its nbody is 1, expected 3"):
        mjenv.Renderer(model, *SIZE).update_scene(mujoco.MjData(other))


def test_another_version(pair):
    model = pair[0]

    class MjModel:
        """A model of a version with other cameras, and without a field."""

        def __getattr__(self, name):
            if name == "cam_mode":
                return np.zeros(7, np.int32)
            return getattr(model, name)

    MjModel.__module__ = "mujoco._structs"
    with pytest.raises(UnsupportedFeature, match=r"MjModel.cam_mode of mujoco has shape \(7,\)"):
        mjenv.Renderer(MjModel(), *SIZE)

    def without(self, name):
        if name == "light_diffuse":
            raise AttributeError(name)
        return getattr(model, name)

    MjModel.__getattr__ = without
    drawn = mjenv.Renderer(MjModel(), *SIZE)
    with pytest.raises(AttributeError, match="light_diffuse: no such field"):
        drawn.update_scene(pair[1])


def test_earlier_versions(pair):
    """Fields had other names, or did not exist."""
    model, data, _, _ = pair
    names = {name: new for new, name in official.EARLIER.items()}

    class MjModel:
        """A model of an earlier version."""

        def __getattr__(self, name):
            if name in official.EARLIER or name in official.ALIKE:
                raise AttributeError(name)
            return getattr(model, names.get(name, name))

    MjModel.__module__ = "mujoco._structs"
    pictures = []
    for m in (model, MjModel()):
        renderer = mjenv.Renderer(m, *SIZE)
        renderer.update_scene(data, "side")
        pictures.append(renderer.render())
    np.testing.assert_array_equal(*pictures)


def test_what_is_official(pair):
    model, data, own, twin = pair

    class Option(mujoco.MjvOption):
        """As programs make them."""

    assert official.is_official(model, "MjModel")
    assert official.is_official(Option(), "MjvOption")
    assert not official.is_official(own, "MjModel")
    assert official.official_data([data, data])
    assert not official.official_data([data, twin])
    assert not official.official_data([])
    assert official.own_option(None) is None
    assert official.own_camera("side") == "side"


def test_the_package_is_not_imported():
    code = "import mjenv, sys; mjenv.Renderer; assert 'mujoco' not in sys.modules"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_nothing_else_of_mjenv_needs_to_be_loaded():
    code = """
import mjenv, mujoco
model = mujoco.MjModel.from_xml_string("<mujoco/>")
data = mujoco.MjData(model)
mujoco.mj_forward(model, data)
renderer = mjenv.Renderer(model, 8, 8)
renderer.update_scene(data)
print(renderer.render().shape)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "(8, 8, 3)\n", done.stderr
