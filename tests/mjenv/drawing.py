"""Scenes and pictures of them, for the tests of the renderer."""

import mjenv
from mjenv.render import Renderer

ROBOT = """
<asset>
  <texture name="checker" type="2d" builtin="checker" rgb1="1 1 1" rgb2="0 0 0" width="32"
    height="32"/>
  <texture type="skybox" builtin="gradient" rgb1=".4 .6 .8" rgb2="0 0 0" width="32" height="192"/>
  <material name="floor" texture="checker" texrepeat="4 4" reflectance=".4"/>
</asset>
<worldbody>
  <light pos="0 0 3" dir="0 0 -1"/>
  <camera name="side" pos="0 -2 1" xyaxes="1 0 0 0 .4 1"/>
  <geom type="plane" size="3 3 1" material="floor"/>
  <body name="ball" pos="0 0 .5"><freejoint/>
    <geom name="skin" type="sphere" size=".2" rgba="1 .2 .2 1"/>
    <geom type="capsule" size=".05 .2" pos=".3 0 0" rgba=".2 1 .2 .5"/>
    <camera name="rider" pos="-1 0 .3" xyaxes="0 -1 0 .3 0 1" mode="track"/>
    <site name="mark" type="box" size=".05 .05 .05" pos="0 0 .3" rgba="0 0 1 1"/>
  </body>
</worldbody>
"""


def scene(xml: str, nworld: int = 1):
    model = mjenv.Model.from_xml_string(f"<mujoco>{xml}</mujoco>")
    data = mjenv.Data(model, nworld=nworld)
    mjenv.forward(model, data)
    return model, data


def free_camera(**settings):
    camera = mjenv.MjvCamera()
    for name, value in settings.items():
        setattr(camera, name, value)
    return camera


def picture(model, data, camera=-1, size=(48, 64), **options):
    renderer = Renderer(model, *size, nthread=1)
    renderer.update_scene(data, camera, **options)
    return renderer.render()
