"""The ray caster: MuJoCo's pictures, many worlds at once, worlds that look differently, misuse."""

import json
import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import gymnasium as gym
import mujoco
import numpy as np
import pytest
from PIL import Image

import mjenv
from mjenv.engine.tables.fields import LOOKS
from mjenv.render import Renderer
from tests.mjenv.drawing import ROBOT, free_camera, scene

PICTURES = Path(__file__).parents[4] / "shared" / "pictures"
# those whose models are files of their own
OWN = (
    *("f_shapes", "f_reflect", "f_spot", "f_directional", "f_attenuation", "f_fog", "f_tex"),
    *("f_headlight", "f_specular", "f_sensorsize", "f_cam_track", "f_groups", "f_nosky"),
    *("f_rgba_default_mat", "f_light_emissive_ambient", "g_pointlight", "g_box_top_mirror"),
    *("g_noaa", "g_inf_plane_default", "g_200boxes", "g_small84", "g_inside_box"),
)

# ---------------------------------------------------------------- beside MuJoCo


@pytest.mark.parametrize("name", OWN)
def test_pictures_are_those_of_mujoco(name):
    if not PICTURES.exists():
        pytest.skip("the reference pictures are not here")
    entry = next(e for e in json.loads((PICTURES / "index.json").read_text()) if e["name"] == name)
    model = mjenv.Model.from_xml_path(str(PICTURES / entry["model"]))
    data = mjenv.Data(model)
    for field in ("qpos", "qvel", "act", "ctrl"):
        if entry["state"][field]:
            getattr(data, field)[0] = entry["state"][field]
    mjenv.forward(model, data)
    camera = entry["camera"]
    if isinstance(camera, dict):
        camera = free_camera(**camera)
    renderer = Renderer(model, entry["height"], entry["width"])
    renderer.update_scene(data, camera)
    ours = renderer.render().astype(int)
    wanted = np.array(Image.open(PICTURES / entry["picture"]).convert("RGB"))
    # MuJoCo lights the corners of triangles and has acne in its shadows: not the same pixels
    assert np.abs(ours - wanted).mean() < 3
    renderer.enable_depth_rendering()
    depth, far = renderer.render(), np.load(PICTURES / entry["depth"])["depth"]
    met = far < 0.999 * far.max()
    assert np.median(np.abs(depth - far)[met] / far[met]) < 1e-6


# ---------------------------------------------------------------- many worlds


def spread(nworld: int):
    model, data = scene(ROBOT, nworld)
    generator = np.random.default_rng(4)
    data.qpos[:, :3] += generator.normal(0, 0.2, (nworld, 3))
    data.qpos[:, 3:7] = generator.normal(0, 1, (nworld, 4))
    mjenv.forward(model, data)
    return model, data


@pytest.mark.parametrize("camera", ["side", "rider", -1])
def test_worlds_at_once_are_as_one_by_one(camera):
    model, data = spread(5)
    one, several = Renderer(model, 37, 50, nthread=1), Renderer(model, 37, 50, nthread=3)
    together = several.render_worlds(data, camera)
    assert together.shape == (5, 37, 50, 3)
    for world in range(5):
        one.update_scene(data, camera, world=world)
        alone = one.render()
        # an endless plane would be put below the camera; nothing else differs
        np.testing.assert_array_equal(together[world], alone)
    out = np.zeros_like(together)
    assert several.render_worlds(data, camera, out=out) is out
    np.testing.assert_array_equal(out, together)
    part = several.render_worlds(data, camera, worlds=np.array([3, 1]))
    np.testing.assert_array_equal(part, together[[3, 1]])
    assert several.render_worlds(data, camera, worlds=slice(0, 0)).shape == (0, 37, 50, 3)


def test_segmentation_names_what_is_seen():
    model, data = scene(ROBOT)
    renderer = Renderer(model, 60, 80)
    renderer.enable_segmentation_rendering()
    renderer.update_scene(data, "side")
    seen = renderer.render()
    assert seen.dtype == np.int32
    pairs = {tuple(pair) for pair in seen.reshape(-1, 2)}
    site, geom = 6, 5
    assert pairs == {(-1, -1), (0, geom), (1, geom), (0, site), (2, geom)} - (
        {(2, geom)} if (2, geom) not in pairs else set()
    )
    renderer.disable_segmentation_rendering()
    assert renderer.render().dtype == np.uint8


# ---------------------------------------------------------------- worlds that look differently

LOOKED_AT = """
<asset>
  <texture name="t" type="2d" builtin="checker" rgb1=".9 .8 .2" rgb2=".1 .2 .3"
    width="32" height="32"/>
  <material name="tiles" texture="t" rgba=".9 .9 .9 1" specular=".2" shininess=".3"/>
</asset>
<worldbody>
  <light name="lamp" type="spot" pos="0 -1 2" dir="0 .5 -1" diffuse=".8 .7 .6" cutoff="60"/>
  <light name="sun" type="directional" pos="0 0 3" dir=".2 .1 -1" specular=".2 .2 .2"/>
  <geom type="plane" size="2 2 .1" material="tiles"/>
  <geom name="ball" size=".3" pos="0 0 .4" rgba=".2 .7 .3 1"/>
  <site type="box" size=".1 .2 .1" pos=".7 0 .2" rgba=".8 .1 .1 1"/>
  <camera name="side" pos="0 -2.5 1.5" xyaxes="1 0 0 0 .5 1"/>
</worldbody>"""


@pytest.mark.parametrize("flags", [(), (int(mjenv.mjtVisFlag.mjVIS_COM),)], ids=["plain", "full"])
def test_worlds_may_differ_in_what_they_look_like(flags):
    # all worlds at once show what models that were edited in the same way show
    model = mjenv.Model.from_xml_string(f"<mujoco>{LOOKED_AT}</mujoco>")
    option = mjenv.MjvOption()
    option.flags[list(flags)] = 1
    data = mjenv.Data(model, nworld=3, vary=(*LOOKS, "light_dir", "cam_fovy", "geom_size"))
    random = np.random.default_rng(0)
    for name in LOOKS:
        values = data.varied[name]
        values[...] = values * random.uniform(0.3, 1.0, values.shape)
        if name.endswith("rgba"):
            values[..., 3] = 1.0
    data.varied["cam_fovy"][:, 0] = 30.0, 45.0, 60.0
    data.varied["geom_size"][:, 1, 0] = 0.2, 0.3, 0.4
    data.varied["light_dir"][2, 1] = 0.6, 0.0, -0.8
    mjenv.forward(model, data)
    found = Renderer(model, 60, 80).render_worlds(data, "side", option)
    for world in range(3):
        edited = mjenv.Model.from_xml_string(f"<mujoco>{LOOKED_AT}</mujoco>")
        for name, values in data.varied.items():
            getattr(edited, name)[...] = values[world]
        alone = mjenv.Data(edited)
        mjenv.forward(edited, alone)
        expected = Renderer(edited, 60, 80).render_worlds(alone, "side", option)[0]
        assert np.array_equal(found[world], expected)
    assert (found[0] != found[1]).mean() > 0.5


def test_looks_are_nothing_to_the_physics():
    model = mjenv.Model.from_xml_string(f"<mujoco>{LOOKED_AT}</mujoco>")
    data = mjenv.Data(model, nworld=2, vary=("geom_rgba",))
    assert not data.plan.varied
    assert data.varied["geom_rgba"].dtype == np.float32
    with pytest.raises(ValueError, match="did you mean 'geom_rgba'"):
        mjenv.Data(model, vary=("geom_rgb",))


# ---------------------------------------------------------------- the second look

CORNERS = """
<worldbody>
  <light pos="1.5 0 4" dir="-1.5 0 -1" diffuse=".6 .6 .6" directional="true"/>
  <geom type="plane" size="0 0 1" rgba=".7 .7 .7 1"/>
  <geom type="box" size=".5 .5 .5" pos="0 0 .5" rgba=".9 .3 .2 1"/>
</worldbody>"""


def test_nice_pictures_have_soft_shadows_corners_and_a_sky():
    model, data = scene(CORNERS)
    camera = free_camera(lookat=[0, 0, 0.2], distance=5.0, azimuth=90, elevation=-14)
    size = (96, 128)
    both = {}
    for style in ("mujoco", "nice"):
        with Renderer(model, *size, style=style) as renderer:
            renderer.update_scene(data, camera)
            both[style] = renderer.render().astype(int)
    plain, nice = both["mujoco"], both["nice"]
    # where there was black, there is a blue sky over a bright horizon
    sky = (plain == 0).all(axis=-1)
    assert sky[0].all()
    assert (nice[0, :, 2] > nice[0, :, 0]).all()
    assert (nice[sky].sum(axis=-1) > 400).all()
    # the border of the shadow on the floor has grey between light and dark
    floor = {style: p[46:56, 5:34, 1] for style, p in both.items()}
    dark, light = (floor["nice"].min() + 15, floor["nice"].max() - 15)
    assert ((floor["nice"] > dark) & (floor["nice"] < light)).sum() > 5
    assert set(np.unique(floor["mujoco"])) <= {35, 95}
    # beside the box, on its lit side, there is less light than away from it
    assert nice[54, 79, 1] < nice[54, 98, 1] - 10
    with pytest.raises(ValueError, match="expected one of"):
        Renderer(model, *size, style="ugly")


@pytest.mark.parametrize("style", ["mujoco", "nice"])
def test_pictures_do_not_depend_on_batches_and_threads(style):
    model = mjenv.Model.from_xml_string(f"<mujoco>{CORNERS}</mujoco>")
    data = mjenv.Data(model, nworld=5)
    mjenv.forward(model, data)
    all_at_once = Renderer(model, 40, 56, nthread=3, style=style).render_worlds(data)
    alone = Renderer(model, 40, 56, nthread=1, style=style)
    for world in range(5):
        picture = alone.render_worlds(data, worlds=np.array([world]))[0]
        np.testing.assert_array_equal(picture, all_at_once[world])


# ---------------------------------------------------------------- misuse


@pytest.mark.parametrize(
    ("visual", "size"),
    [
        ("", (480, 641)),
        ("", (481, 640)),
        ("", (481, 641)),
        ('<visual><global offwidth="50" offheight="30"/></visual>', (31, 50)),
    ],
)
def test_sizes_are_limited_as_in_mujoco(visual, size):
    text = f"<mujoco>{visual}<worldbody><geom size='.1'/></worldbody></mujoco>"
    model, mj = mjenv.Model.from_xml_string(text), mujoco.MjModel.from_xml_string(text)
    with pytest.raises(ValueError, match="framebuffer") as theirs:
        mujoco.Renderer(mj, *size)
    with pytest.raises(ValueError, match=r"Image (width|height)") as ours:
        Renderer(model, *size)
    words = str(theirs.value).split()
    assert str(ours.value).split()[: len(words)] == words
    assert "\nor model.vis.global_.off" in str(ours.value)
    small = Renderer(model, 8, 8)
    with pytest.raises(ValueError, match="> framebuffer"):
        small.resize(*size)
    assert (small.height, small.width) == (8, 8)
    # three ways to larger pictures
    for renderer in (Renderer(model, *size, limited=False), pickle.loads(pickle.dumps(small))):
        assert (renderer.height, renderer.width) in (size, (8, 8))
    model.vis.global_.offheight, model.vis.global_.offwidth = size
    small.resize(*size)
    assert (small.height, small.width) == size
    assert (Renderer(model, *size).height, Renderer(model, *size).width) == size


def test_environments_draw_any_size():
    env = gym.make("mjenv/Hopper-v5", render_mode="rgb_array", width=650, height=4)
    env.reset(seed=0)
    assert env.render().shape == (4, 650, 3)
    pixels = {"height": 4, "width": 650}
    envs = gym.make_vec("mjenv/Hopper-v5", num_envs=2, pixels=pixels)
    assert envs.reset(seed=0)[0].shape == (2, 4, 650, 3)


def test_what_makes_no_sense_is_refused_by_name():
    model, data = scene(ROBOT)
    for arguments, message in (
        ({"height": 2.5, "width": 3}, "height=2.5: expected a whole number"),
        ({"height": 3, "width": 0}, "width=0: expected at least 1"),
        ({"height": 3, "width": 3, "nthread": -1}, "nthread=-1: expected at least 1"),
    ):
        with pytest.raises((TypeError, ValueError), match=message):
            Renderer(model, **arguments)
    renderer = Renderer(model, 8, 8)
    with pytest.raises(TypeError, match="width='a': expected a whole number"):
        renderer.resize(8, "a")
    for camera in (1.5, None):
        with pytest.raises(TypeError, match="expected a number, a name or an MjvCamera"):
            renderer.update_scene(data, camera)
    _, other = scene('<worldbody><geom size="1"/></worldbody>')
    with pytest.raises(ValueError, match="data of another model: its n"):
        renderer.render_worlds(other)
    renderer.close()
    with pytest.raises(RuntimeError, match="closed"):
        renderer.upload_texture(0)


def test_threads_that_share_a_renderer_take_turns():
    model, data = scene(ROBOT, 3)
    renderer = Renderer(model, 40, 40)
    expected = renderer.render_worlds(data, "side")
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: renderer.render_worlds(data, "side"), range(60)))
    assert all(np.array_equal(one, expected) for one in found)
