"""Textures in pictures: marks of cube maps, and what small pictures show of fine ones."""

import numpy as np
import pytest

import mjenv

CUBE = '<texture name="t" type="cube" builtin="flat" mark="cross" width="128" height="128" {}/>'
MARKED = CUBE.format('rgb1=".2 .3 .2" markrgb="1 1 1"')
PLATE = """
<mesh name="plate" vertex="-.1 -.1 0  .1 -.1 0  .1 .1 0  -.1 .1 0  0 0 -.1"
  texcoord="0 0  1 0  1 1  0 1  .5 .5" face="0 1 2  0 2 3  0 4 1  1 4 2  2 4 3  3 4 0"/>
<texture name="t" type="2d" builtin="flat" mark="random" random=".3" width="512" height="512"
  rgb1=".1 .1 .1" markrgb="1 1 1"/>
"""
SCENE = """
<mujoco>
  <visual><headlight ambient="1 1 1" diffuse="0 0 0" specular="0 0 0"/><quality offsamples="0"/>
  </visual>
  <asset>{assets}<material name="m" texture="t" texuniform="{uniform}"/></asset>
  <worldbody>
    <camera name="above" pos="0 0 2" fovy="8"/>
    <camera name="aside" pos="1.2 .9 1.2" xyaxes="-.6 .8 0 -.5 -.4 .7" fovy="10"/>
    {geoms}
  </worldbody>
</mujoco>
"""


def picture(geoms, camera, size, assets=MARKED, uniform="true"):
    """A picture of geoms of that material, (height, width), from 0 to 255."""
    scene = SCENE.format(assets=assets, geoms=geoms, uniform=uniform)
    model = mjenv.Model.from_xml_string(scene)
    data = mjenv.Data(model)
    mjenv.forward(model, data)
    renderer = mjenv.Renderer(model, size, size, smooth=False, limited=False)
    renderer.update_scene(data, camera)
    return renderer.render().astype(float).mean(axis=-1)


def reduced(large, size):
    """The mean of the pixels of a large picture in each pixel of a small one."""
    return large.reshape(size, -1, size, len(large) // size).mean(axis=(1, 3))


@pytest.mark.sweep(2)
@pytest.mark.parametrize("uniform", ["true", "false"])
@pytest.mark.parametrize(
    "geom",
    [
        'type="sphere" size=".12"',
        'type="capsule" size=".05 .1"',
        'type="capsule" size=".07 .04"',
        'type="box" size=".1 .1 .03"',
        'type="ellipsoid" size=".1 .06 .12"',
        'type="cylinder" size=".08 .08"',
    ],
)
def test_marks_fade_in_small_pictures(geom, uniform):
    """They are no brighter, and no more dotted, than those of a large picture from afar."""
    geoms = f'<geom {geom} material="m"/>'
    small = picture(geoms, "aside", 20, uniform=uniform)
    fine = reduced(picture(geoms, "aside", 640, uniform=uniform), 20)
    whole = reduced((picture(geoms, "aside", 640, uniform=uniform) > 0).astype(float), 20)
    inside = whole == 1.0
    assert inside.sum() > 30
    assert small[inside].mean() == pytest.approx(fine[inside].mean(), rel=0.06)
    assert np.abs(small - fine)[inside].max() < 45


def test_ends_of_capsules_have_marks_of_spheres():
    """Where the half of a capsule's middle is as long as its radius."""
    ball = picture('<geom type="sphere" size=".1" pos="0 0 .1" material="m"/>', "above", 200)
    end = picture('<geom type="capsule" size=".1 .1" material="m"/>', "above", 200)
    assert ball.max() > 150
    np.testing.assert_allclose(end, ball, atol=1.0)


def test_fine_pictures_on_small_meshes_become_grey():
    """However many texels there are in a metre."""
    geoms = '<geom type="mesh" mesh="plate" material="m"/>'
    small, large = (picture(geoms, "above", size, PLATE) for size in (16, 512))
    fine = reduced(large, 16)
    inside = reduced((large > 0).astype(float), 16) == 1.0
    assert inside.sum() > 30
    assert np.abs(small - fine)[inside].max() < 15
