"""What the ray caster draws: edits, clear shapes, walls, lights, textures, effects, labels."""

import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import mjenv
from mjenv.render import Renderer
from mjenv.render.textures import halved
from tests.mjenv.drawing import ROBOT, free_camera, picture, scene

BARE = '<worldbody><light pos="0 0 4" dir="0 0 -1" castshadow="false"/>{}</worldbody>'
ABOVE = free_camera(elevation=-90.0, distance=3.0)


def test_edits_of_the_model_are_seen():
    model, data = scene(BARE.format('<geom type="sphere" size=".3" rgba="1 0 0 1"/>'))
    renderer = Renderer(model, 32, 32)
    for colour in ((1, 0, 0, 1), (0, 1, 0, 1)):
        model.geom_rgba[0] = colour
        renderer.update_scene(data, ABOVE)
        middle = renderer.render()[16, 16]
        assert middle.argmax() == int(np.argmax(colour[:3]))
        np.testing.assert_array_equal(renderer.render_worlds(data, ABOVE)[0, 16, 16], middle)
    narrow = renderer.render().any(axis=2).sum()
    model.geom_size[0, 0] = 0.6
    renderer.update_scene(data, ABOVE)
    assert renderer.render().any(axis=2).sum() > 3 * narrow


def test_what_is_clear_is_seen_through():
    glass = (
        '<geom type="box" size=".5 .5 .01" rgba="0 0 1 {}" pos="0 0 1"/>'
        '<geom type="box" size=".5 .5 .01" rgba="1 0 0 1"/>'
    )
    opaque, clear = (
        picture(*scene(BARE.format(glass.format(a))), ABOVE)[24, 32].astype(int) for a in (1, 0.3)
    )
    assert opaque[0] < 0.5 * opaque[2]
    # 0.3 of the glass twice over, 0.49 of what is behind it
    assert opaque[0] + 20 < clear[0]
    assert 40 < clear[2] < opaque[2]


# a room around the camera, without its light and with it
ROOM = """
  <asset><mesh name="ball" builtin="sphere" params="3" scale="3 3 3"/></asset>
  <worldbody>
    <light {light} pos="0 -.5 {height}" dir="0 0 -1" cutoff="80"/>
    <camera name="in" pos="0 -.8 .6" xyaxes="1 0 0 0 .5 1"/>
    {room}
    <geom type="box" size="1 1 .1" pos="0 0 -.1"/>
    <geom type="sphere" size=".2" pos="0 0 .2" rgba="1 0 0 1"/>
  </worldbody>
"""
ROOMS = {
    "box": 'type="box" size="2 2 2"',
    "box on the floor": 'type="box" size="2 2 1" pos="0 0 1"',
    "sphere": 'type="sphere" size="3"',
    "capsule": 'type="capsule" size="2 .5"',
    "cylinder": 'type="cylinder" size="2 2"',
    "cylinder on the floor": 'type="cylinder" size="2 1" pos="0 0 1"',
    "ellipsoid": 'type="ellipsoid" size="2 3 2.5"',
    "mesh": 'type="mesh" mesh="ball"',
}


@pytest.mark.sweep(3)
@pytest.mark.parametrize("room", ROOMS.values(), ids=ROOMS)
def test_walls_around_the_camera_are_not_seen_and_throw_shadows(room):
    def drawn(room, height, light=""):
        return picture(*scene(ROOM.format(room=room, height=height, light=light)), "in")

    room = f"<geom {room}/>"
    np.testing.assert_array_equal(drawn(room, 1.5), drawn("", 1.5))
    dark = drawn("", 6, 'active="false"')
    np.testing.assert_array_equal(drawn(room, 6), dark)
    assert np.abs(drawn("", 6).astype(int) - dark).mean() > 10


@pytest.mark.parametrize("room", [r for name, r in ROOMS.items() if "floor" not in name])
def test_walls_are_seen_from_within_where_both_sides_are_drawn(room):
    model, data = scene(ROOM.format(room=f'<geom name="room" {room}/>', height=1.5, light=""))
    renderer = Renderer(model, 48, 64, nthread=1)
    renderer.update_scene(data, "in")
    renderer.scene.flags[mjenv.mjtRndFlag.mjRND_CULL_FACE] = 0
    renderer.enable_segmentation_rendering()
    seen = renderer.render()[..., 0]
    assert (seen >= 0).all()
    assert (seen[:8] == model.geom("room").id).all()
    renderer.enable_depth_rendering()
    # up, half as steep as ahead: no wall is nearer than 1 m, none farther than 5
    assert (renderer.render()[0] > 1).all()
    assert (renderer.render() < 5).all()


@pytest.mark.parametrize("kind", ["ARROW", "ARROW1", "ARROW2", "LINE", "LINEBOX", "TRIANGLE"])
def test_user_geoms_are_drawn(kind):
    model, data = scene(BARE.format('<geom type="sphere" size=".01" rgba="0 0 0 0"/>'))
    renderer = Renderer(model, 48, 48)
    camera = free_camera(elevation=-45.0, distance=2.0)
    renderer.update_scene(data, camera)
    assert not renderer.render().any()
    number = mjenv.mjtGeom[f"mjGEOM_{kind}"]
    mjenv.mjv_initGeom(
        renderer.scene.geoms[renderer.scene.ngeom], int(number), np.array([0.3, 0.3, 0.8]),
        np.zeros(3), np.eye(3).ravel(), np.array([1, 1, 0, 1.0]),
    )  # fmt: skip
    renderer.scene.ngeom += 1
    drawn = renderer.render()
    assert 5 < drawn.any(axis=2).sum() < 1500
    assert not drawn[..., 2].any() or drawn[..., 0].sum() > drawn[..., 2].sum()


@pytest.mark.parametrize(
    ("kind", "low", "high"), [("ARROW", 0, 3), ("ARROW1", 0, 3), ("ARROW2", -3, 3)]
)
def test_arrows_are_as_long_as_those_of_mujoco(kind, low, high):
    model, data = scene(BARE.format('<geom type="sphere" size=".01" rgba="0 0 0 0"/>'))
    model.vis.global_.orthographic, model.vis.global_.fovy = 1, 2.0
    renderer = Renderer(model, 200, 40, nthread=1)
    renderer.update_scene(data, free_camera(elevation=0.0, distance=2.0))
    mjenv.mjv_initGeom(
        renderer.scene.geoms[0], int(mjenv.mjtGeom[f"mjGEOM_{kind}"]), np.array([0.02, 0.02, 1.2]),
        np.zeros(3), np.eye(3).ravel(), np.array([1, 1, 0, 1.0]),
    )  # fmt: skip
    renderer.scene.ngeom = 1
    rows = np.flatnonzero(renderer.render().any(axis=(1, 2)))
    # a sixth of its size is 20 pixels; of a tip not all is as wide as a pixel
    np.testing.assert_allclose([100 - rows[-1], 100 - rows[0]], [20 * low, 20 * high], atol=5)


def test_clear_shapes_have_depth_and_number():
    model, data = scene(BARE.format(
        '<geom type="box" size=".5 .5 .1" rgba="0 0 1 .3" pos="0 0 1"/>'
        '<geom type="box" size=".5 .5 .1" rgba="1 0 0 1"/>'
    ))  # fmt: skip
    renderer = Renderer(model, 16, 16, nthread=1)
    renderer.update_scene(data, ABOVE)
    height = renderer.scene.camera[0].pos[2]
    renderer.enable_depth_rendering()
    assert renderer.render()[8, 8] == pytest.approx(height - 1.1, rel=1e-6)
    renderer.enable_segmentation_rendering()
    assert renderer.render()[8, 8, 0] == 0


def test_meshes_and_height_fields_have_the_depth_of_their_surface():
    model, data = scene(
        '<asset><mesh name="tetra" vertex="0 0 0  1 0 0  0 1 0  0 0 1"/>'
        '<hfield name="hill" nrow="2" ncol="2" size="1 1 .5 .1" elevation="1 1 1 1"/></asset>'
        + BARE.format(
            '<geom type="mesh" mesh="tetra" pos="0 0 0"/>'
            '<geom type="hfield" hfield="hill" pos="4 0 0"/>'
        )
    )
    renderer = Renderer(model, 33, 33)
    renderer.enable_depth_rendering()
    # straight down on the height field: elevation is scaled so that equal heights are 0
    renderer.update_scene(data, free_camera(lookat=[4, 0, 0], distance=3.0, elevation=-90.0))
    top = float(model.hfield_data.max()) * 0.5
    np.testing.assert_allclose(renderer.render()[16, 16], 3.0 - top, rtol=1e-6)
    corner = np.array(data.geom_xpos[0, 0])
    renderer.update_scene(data, free_camera(lookat=corner, distance=3.0, elevation=-90.0))
    assert renderer.render()[16, 16] < 3.0


WEDGES = """
<mujoco>
  <asset>
    <mesh name="roof" vertex="-1 -1 0 1 -1 0 -1 1 0 1 1 0 0 -1 1 0 1 1" scale=".4 .4 .4"/>
    <hfield name="roof" nrow="2" ncol="3" size=".4 .4 .4 .1" elevation="0 1 0 0 1 0"/>
  </asset>
  <worldbody><light pos="2 0 3" dir="-2 0 -3"/><geom type="{kind}" {kind}="roof"/></worldbody>
</mujoco>
"""


@pytest.mark.parametrize("kind", ["mesh", "hfield"])
def test_sharp_edges_have_the_light_of_their_faces(kind):
    model = mjenv.Model.from_xml_string(WEDGES.format(kind=kind))
    data = mjenv.Data(model)
    mjenv.forward(model, data)
    model.vis.headlight.specular = model.light_specular[0] = 0
    camera = free_camera(elevation=-90.0, azimuth=90.0, distance=1.5)
    row = picture(model, data, camera)[24, :, 0].astype(int)
    seen = np.flatnonzero(row)
    left, right = row[seen[1] : 32], row[32 : seen[-1]]
    # the slope that faces the light is bright up to the ridge
    assert np.ptp(left) < 20
    assert np.ptp(right) < 20
    assert right.min() > 1.5 * left.max()


UNDER_A_LAMP = """
  <worldbody>
    <light directional="{directional}" pos="0 0 {height}" dir="0 0 -1" cutoff="80"/>
    <geom type="plane" size="2 2 1"/>
    <geom type="box" size=".3 .3 .1" pos="0 0 1"/>
    <camera name="below" pos="0 -2 .5" xyaxes="1 0 0 0 .25 1"/>
  </worldbody>
"""


@pytest.mark.parametrize("directional", ["true", "false"])
def test_what_is_behind_a_light_throws_no_shadow(directional):
    below, inside, above = (
        picture(*scene(UNDER_A_LAMP.format(directional=directional, height=height)), "below")[
            24, 32
        ]
        for height in (0.8, 1.0, 3)
    )
    assert below.mean() > 2 * above.mean()
    np.testing.assert_array_equal(inside, above)


def test_pictures_have_eight_lights_as_those_of_opengl():
    def drawn(n):
        lights = '<light pos="0 0 2" diffuse=".05 .05 .05"/>' * n
        return picture(*scene(f'<worldbody>{lights}<geom type="plane" size="3 3 1"/></worldbody>'))

    assert (drawn(6) != drawn(7)).any()
    np.testing.assert_array_equal(drawn(7), drawn(9))


def test_parallel_rays_see_textures_as_sharp_as_others():
    model, data = scene(
        '<asset><texture name="grid" type="2d" builtin="checker" width="64" height="64" '
        'rgb1="1 1 1" rgb2="0 0 0"/><material name="grid" texture="grid"/></asset>'
        '<worldbody><geom type="plane" size="1 1 1" material="grid"/></worldbody>'
    )
    model.vis.global_.orthographic, model.vis.global_.fovy = 1, 2.0
    model.vis.headlight.ambient = 1
    model.vis.headlight.diffuse = model.vis.headlight.specular = 0
    near, far = (
        picture(model, data, free_camera(elevation=-90.0, distance=distance), (64, 64))
        for distance in (2, 20)
    )
    np.testing.assert_array_equal(near, far)


def test_quality_says_whether_there_are_shadows_and_smooth_edges():
    model, data = scene(ROBOT)
    camera = free_camera(elevation=-30.0, distance=2.0)
    usual = picture(model, data, camera)
    model.vis.quality.offsamples = 0
    np.testing.assert_array_equal(
        picture(model, data, camera), drawn_with(model, data, camera, smooth=False)
    )
    model.vis.quality.offsamples = 4
    model.vis.quality.shadowsize = 0
    without = picture(model, data, camera)
    assert (without != usual).any()
    model.light_castshadow[:] = 0
    np.testing.assert_array_equal(picture(model, data, camera), without)


def drawn_with(model, data, camera, **options):
    """A picture of a renderer with some options."""
    renderer = Renderer(model, 48, 64, nthread=1, **options)
    renderer.update_scene(data, camera)
    return renderer.render()


@pytest.mark.parametrize(("height", "width"), [(8, 4), (25, 4), (3, 25), (1, 7), (5, 1), (6, 2)])
def test_textures_are_halved_as_by_drivers_of_opengl(height, width):
    # what rises evenly still does, from the same border to the same border
    y, x = np.arange(height)[:, None] + 0.5, np.arange(width) + 0.5
    image = np.broadcast_to(200 * y / height, (height, width)) / 2 + 100 * x / width
    faces = np.repeat(np.rint(image).astype(np.uint8)[None, :, :, None], 4, axis=3)
    half = halved(faces)
    rows, columns = max(height // 2, 1), max(width // 2, 1)
    assert half.shape == (1, rows, columns, 4)
    y, x = np.arange(rows)[:, None] + 0.5, np.arange(columns) + 0.5
    expected = 100 * y / rows + 100 * x / columns
    np.testing.assert_allclose(half[0, :, :, 0], expected, atol=1.5)


def test_parallel_rays_see_sizes_regardless_of_distance():
    model, data = scene(
        BARE.format(
            '<geom type="sphere" size=".2"/><geom type="sphere" size=".2" pos="1 0 -5"/>'
            '<camera name="flat" pos="0.5 0 3" projection="orthographic" fovy="3"/>'
        )
    )
    seen = picture(model, data, "flat", size=(60, 60)).any(axis=2)
    left, right = seen[:, :30].sum(), seen[:, 30:].sum()
    assert left > 20
    assert abs(left - right) <= 4


def test_depth_and_pickle_and_context():
    model, data = scene(ROBOT)
    with Renderer(model, 24, 32) as renderer:
        renderer.enable_depth_rendering()
        again = pickle.loads(pickle.dumps(renderer))
        for one in (renderer, again):
            one.update_scene(data, "side")
        np.testing.assert_array_equal(renderer.render(), again.render())


INTERPRETED = """
import sys
import numpy as np
import mjenv
model = mjenv.Model.from_xml_string(sys.argv[1])
data = mjenv.Data(model)
mjenv.forward(model, data)
np.save(sys.argv[2], mjenv.Renderer(model, 12, 16, nthread=1).render_worlds(data, "side")[0])
"""


@pytest.mark.slow
def test_interpreted_kernels_give_the_same_bits(tmp_path):
    model, data = scene(ROBOT)
    xml, path = f"<mujoco>{ROBOT}</mujoco>", tmp_path / "picture.npy"
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-c", INTERPRETED, xml, str(path)]
    subprocess.run(command, check=True, env=environment)
    np.testing.assert_array_equal(np.load(path), picture(model, data, "side", (12, 16)))


def test_effects_that_are_not_drawn_are_refused():
    model, data = scene(ROBOT)
    renderer = Renderer(model, 24, 32)
    renderer.update_scene(data)
    renderer.scene.flags[mjenv.mjtRndFlag.mjRND_WIREFRAME] = 1
    with pytest.raises(mjenv.UnsupportedFeature, match="mjRND_WIREFRAME"):
        renderer.render()


def test_transformed_scenes():
    """A model that is moved, turned and scaled in its room is seen as from another place."""
    # a light that does not fade with distance, and eyes in one place
    xml = """
    <mujoco>
      <visual><headlight active="0"/><global ipd="0"/></visual>
      <worldbody>
        <light type="directional" dir=".2 .3 -1"/>
        <geom type="plane" size="2 2 .1"/><geom type="box" size=".2 .1 .3" pos="0 0 .4"/>
        <geom size=".2" pos=".5 .3 .2" rgba="1 0 0 1"/>
      </worldbody>
    </mujoco>"""
    model = mjenv.Model.from_xml_string(xml)
    data = mjenv.Data(model)
    mjenv.forward(model, data)
    renderer = Renderer(model, 48, 64)
    camera = mjenv.MjvCamera()
    camera.lookat, camera.distance, camera.azimuth, camera.elevation = [0.2, 0, 0.4], 2.5, 70, -25
    scale, way, angle = 0.6, np.array([0.3, -0.2, 0.1]), 30.0
    half = np.radians(angle) / 2
    for stereo in (0, 2):
        pictures = []
        renderer.update_scene(data, camera)
        shown = renderer.scene
        shown.enabletransform, shown.scale, shown.stereo = 1, scale, stereo
        shown.translate, shown.rotate = way, [np.cos(half), 0, 0, np.sin(half)]
        pictures.append((renderer.render(), depth_of(renderer)))
        # the same from outside: the camera in the model's place
        shown.enabletransform, other = 0, mjenv.MjvCamera()
        c, s = np.cos(2 * half), np.sin(2 * half)
        back = np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])
        other.lookat, other.distance = back @ (camera.lookat - way) / scale, 2.5 / scale
        other.azimuth, other.elevation = 70 - angle, -25
        renderer.update_scene(data, other)
        pictures.append((renderer.render(), depth_of(renderer) * scale))
        (rgb, depth), (rgb_there, depth_there) = pictures
        assert rgb.std() > 10
        assert np.abs(rgb.astype(int) - rgb_there).mean() < 0.1
        near = depth_there < 10
        np.testing.assert_allclose(depth[near], depth_there[near], rtol=1e-3)


def depth_of(renderer):
    """The depths of what the renderer shows."""
    renderer.enable_depth_rendering()
    found = renderer.render()
    renderer.disable_depth_rendering()
    return found


def test_two_eyes_see_side_by_side():
    model, data = scene(ROBOT)
    renderer = Renderer(model, 24, 33)
    model.vis.global_.ipd = 0.4
    renderer.update_scene(data)
    eyes = [
        mjenv.mjv_averageCamera(renderer.scene.camera[k], renderer.scene.camera[k]) for k in (0, 1)
    ]
    renderer.scene.stereo = int(mjenv.mjtStereo.mjSTEREO_SIDEBYSIDE)
    both = renderer.render()
    assert not both[:, 32:].any()
    at_once = renderer.render_worlds(data)[0]
    np.testing.assert_array_equal(at_once, both)
    single = Renderer(model, 24, 16)
    for k, part in enumerate((both[:, :16], both[:, 16:32])):
        single.update_scene(data)
        for eye in single.scene.camera:
            eye.pos, eye.frustum_center = eyes[k].pos, eyes[k].frustum_center
        np.testing.assert_array_equal(single.render(), part)
    assert (both[:, :16] != both[:, 16:32]).any()


def test_fog_hides_the_sky_and_the_haze():
    sky = ROBOT.replace('size="3 3 1"', 'size="0 0 1"')
    model, data = scene(sky)
    model.vis.rgba.fog = [1, 0, 1, 1]
    model.vis.map.fogstart, model.vis.map.fogend = 1, 2
    renderer = Renderer(model, 24, 32)
    renderer.update_scene(data, "side")
    renderer.scene.flags[mjenv.mjtRndFlag.mjRND_FOG] = 1
    assert (renderer.render()[:6, :4] == [255, 0, 255]).all()


def test_nothing_is_seen_behind_the_sky():
    model, data = scene(ROBOT.replace('size="3 3 1"', 'size="0 0 1"'))
    camera = free_camera(distance=2.0, elevation=-5.0)
    renderer = Renderer(model, 200, 8)
    renderer.update_scene(data, camera)
    renderer.scene.flags[mjenv.mjtRndFlag.mjRND_HAZE] = 0
    seen = renderer.render()[:, 4].astype(int)
    renderer.enable_segmentation_rendering()
    floor = renderer.render()[:, 4, 0] == 0
    renderer.disable_segmentation_rendering()
    renderer.scene.flags[mjenv.mjtRndFlag.mjRND_SKYBOX] = 0
    without = renderer.render()[:, 4].astype(int)
    # the floor ends at 0.7 of the far plane's distance
    height, far = 2.0 * np.sin(np.radians(5)), renderer.scene.camera[0].frustum_far
    hidden = (seen != without).any(axis=1) & floor
    down = np.radians(5) + np.arctan((np.flatnonzero(hidden) + 0.5 - 100) / 100 * np.tan(np.pi / 8))
    assert len(down)
    assert (down < np.arctan(height / (0.7 * far)) + 0.005).all()


def test_clear_colours_may_add_up():
    boxes = "".join(
        f'<geom type="box" size=".5 .5 .01" rgba="{rgba}" pos="0 0 {z}"/>'
        for z, rgba in ((0, "0 0 1 1"), (0.5, "1 0 0 .4"), (1, "0 1 0 .4"))
    )
    model, data = scene(BARE.format(boxes))
    renderer = Renderer(model, 24, 32)
    renderer.update_scene(data, ABOVE)
    blended = renderer.render()[12, 16].astype(int)
    renderer.scene.flags[mjenv.mjtRndFlag.mjRND_ADDITIVE] = 1
    added = renderer.render()[12, 16].astype(int)
    opaque, data = scene(BARE.format(boxes.replace(".4", "0")))
    behind = picture(opaque, data, ABOVE, (24, 32))[12, 16].astype(int)
    assert added[2] == behind[2] > blended[2]
    assert (added[:2] > 40).all()


def test_labels_and_frames_are_written_over_the_picture():
    model, data = scene(ROBOT)
    option = mjenv.MjvOption()
    plain = picture(model, data, "side", (120, 160), scene_option=option)
    option.label = int(mjenv.mjtLabel.mjLABEL_BODY)
    labelled = picture(model, data, "side", (120, 160), scene_option=option)
    changed = (plain != labelled).any(axis=2)
    # the word "ball", beside the middle of the body
    rows, columns = np.flatnonzero(changed.any(axis=1)), np.flatnonzero(changed.any(axis=0))
    assert 10 < changed.sum() < 400
    assert np.ptp(rows) < 20
    assert np.ptp(columns) < 60
    renderer = Renderer(model, 120, 160, nthread=1)
    renderer.update_scene(data, "side")
    renderer.scene.framewidth, renderer.scene.framergb = 2, [1, 0, 0]
    framed = renderer.render()
    assert (framed[:2] == [255, 0, 0]).all()
    np.testing.assert_array_equal(framed[2:-2, 2:-2], plain[2:-2, 2:-2])


def test_scenes_may_shrink():
    model, data = scene(BARE.format('<geom type="sphere" size=".1"/>'))
    renderer = Renderer(model, 32, 32, nthread=1)
    renderer.update_scene(data, ABOVE)
    alone = renderer.render()
    for k in range(40):
        geom = renderer.scene.geoms[renderer.scene.ngeom]
        mjenv.mjv_initGeom(
            geom, 6, np.full(3, 0.1), np.array([0.03 * k - 0.6, 0.2, 0.5]), None, None
        )
        renderer.scene.ngeom += 1
    assert (renderer.render() != alone).any()
    renderer.update_scene(data, ABOVE)
    np.testing.assert_array_equal(renderer.render(), alone)


def test_scenes_may_grow():
    model, data = scene(BARE.format('<geom type="sphere" size=".1"/>'))
    renderer = Renderer(model, 32, 32, nthread=2)
    renderer.update_scene(data, ABOVE)
    renderer.render()
    for k in range(200):
        geom = renderer.scene.geoms[renderer.scene.ngeom]
        mjenv.mjv_initGeom(geom, 6, np.full(3, 0.1), np.array([0.01 * k, 0, 0.5]), None, None)
        renderer.scene.ngeom += 1
    assert (renderer.render() > 0).any(axis=2).sum() > 30


def test_worlds_are_drawn_with_the_terrain_that_they_have():
    """Also when it changes, in scenes and in many worlds at once."""
    text = WEDGES.format(kind="hfield")
    model, camera = mjenv.Model.from_xml_string(text), free_camera(elevation=-40.0, distance=2.0)
    data = mjenv.Data(model, 3, vary=("hfield_data",))
    mjenv.forward(model, data)
    renderer = Renderer(model, 24, 24)
    for seed in range(2):
        own = data.varied["hfield_data"]
        own[:] = np.random.default_rng(seed).uniform(0, 1, own.shape)
        expected = []
        for heights in own:
            other = mjenv.Model.from_xml_string(text)
            other.hfield_data[:] = heights
            one = mjenv.Data(other)
            mjenv.forward(other, one)
            expected.append(picture(other, one, camera, (24, 24)))
        np.testing.assert_array_equal(renderer.render_worlds(data, camera), expected)
        renderer.update_scene(data, camera, world=1)
        np.testing.assert_array_equal(renderer.render(), expected[1])
    assert not np.array_equal(expected[0], expected[1])
