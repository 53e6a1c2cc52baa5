"""The second look: flat floors without grain, shadows that tell, dark scenes that stay dark."""

import numpy as np

import mjenv
from mjenv import Renderer

SCENE = """
<mujoco>
  <visual><headlight ambient=".1 .1 .1" diffuse="{camera}" specular="0 0 0"/></visual>
  <asset><material name="glass" reflectance=".5" rgba=".3 .3 .3 1"/></asset>
  <worldbody>
    {light}
    <geom type="plane" size="{floor}" {material}/>
    <geom type="box" size=".5 .5 .5" pos="0 0 .5" rgba=".9 .3 .2 1"/>
  </worldbody>
</mujoco>
"""
LIGHT = '<light pos="1.5 0 4" dir="-1.5 0 -1" diffuse=".7 .7 .7" directional="true"/>'
GREY = 'rgba=".7 .7 .7 1"'


def picture(style="nice", camera=".4 .4 .4", light=LIGHT, floor="0 0 1", material=GREY, **view):
    """The scene, int (96, 128, 3)."""
    scene = SCENE.format(camera=camera, light=light, floor=floor, material=material)
    model = mjenv.Model.from_xml_string(scene)
    data = mjenv.Data(model)
    mjenv.forward(model, data)
    cam = mjenv.MjvCamera()
    settings = {"lookat": [0, 0, 0.2], "distance": 5.0, "azimuth": 90, "elevation": -40, **view}
    for name, value in settings.items():
        setattr(cam, name, value)
    with Renderer(model, 96, 128, style=style) as renderer:
        renderer.update_scene(data, cam)
        return renderer.render().astype(int)


def test_flat_floors_have_no_grain():
    """Before the box, where less of the sky is seen."""
    floor = picture()[62:92, 20:108, 1]
    rough = np.abs(floor[:, 1:-1] - (floor[:, :-2] + floor[:, 2:]) / 2)
    assert np.ptp(floor) > 25
    assert np.quantile(rough, 0.98) <= 2
    assert rough.mean() < 0.5


def test_shadows_tell():
    """Floor in the light is much brighter than in the shadow, and nothing is white."""
    nice = picture()
    assert nice[60, 5, 1] > 1.9 * nice[48, 30, 1]
    assert nice.max() < 235


def test_the_camera_is_no_lamp():
    """Where no light throws shadows, a sun does; not in scenes that are dark."""
    only = {"light": "", "floor": "3 3 1", "elevation": -60}
    plain, nice = picture("mujoco", **only), picture(**only)
    floor = np.ptp(plain, axis=-1) < 5
    floor &= plain[:, :, 1] > 60
    assert np.ptp(plain[floor][:, 1]) < 20
    assert np.ptp(nice[floor][:, 1]) > 60
    dark = picture(camera="0 0 0", light="", floor="30 30 1", elevation=-89)
    assert dark[:20].max() < 40


def test_mirrors_are_not_pale():
    """What is seen in a mirror adds its own light to it, and none of the air's."""
    view = {"elevation": -15, "floor": "40 40 1", "distance": 9.0}
    glass = picture(material='material="glass"', **view)
    plain = picture(material='rgba=".3 .3 .3 1" ', **view)
    more = (glass - plain)[50:]
    assert more[:, :, 0].max() > 25
    assert more[:, :, 2].max() < 20
