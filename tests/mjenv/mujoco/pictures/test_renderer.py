"""`Renderer`: the pictures of `mjenv.Renderer` with the interface of the reference."""

import subprocess
import sys

import numpy as np
import pytest

import mjenv

SIZE = (48, 64)


@pytest.mark.parametrize("camera", [-1, "side", "flat", 1])
@pytest.mark.parametrize("kind", ["", "depth", "segmentation"])
def test_same_pictures_as_of_the_engine(w, camera, kind):
    ours, theirs = w.mujoco.Renderer(w.m, *SIZE), mjenv.Renderer(w.m, *SIZE)
    for renderer in (ours, theirs):
        if kind:
            getattr(renderer, f"enable_{kind}_rendering")()
        renderer.update_scene(w.d, camera)
    picture, expected = ours.render(), theirs.render()
    assert picture.dtype == expected.dtype
    if kind == "depth":
        np.testing.assert_allclose(picture, expected, rtol=1e-5)
    else:
        np.testing.assert_array_equal(picture, expected)
    assert ours.render(out=np.zeros_like(picture)).any()


def test_kinds_are_turned_off(w):
    renderer = w.mujoco.Renderer(w.m, *SIZE)
    renderer.update_scene(w.d)
    colours = renderer.render()
    renderer.enable_depth_rendering()
    renderer.disable_segmentation_rendering()  # no effect
    assert renderer.render().dtype == np.float32
    renderer.disable_depth_rendering()
    np.testing.assert_array_equal(renderer.render(), colours)
    assert (renderer.height, renderer.width, renderer.model) == (*SIZE, w.m)
    assert not renderer.scene.flags[w.mujoco.mjtRndFlag.mjRND_SEGMENT]


def test_own_camera_option_and_geoms(w):
    renderer = w.mujoco.Renderer(w.m, *SIZE, max_geom=10)
    renderer.update_scene(w.d)
    plain = renderer.render()
    w.cam.distance = 2.0
    renderer.update_scene(w.d, w.cam)
    assert (renderer.render() != plain).any()
    option = w.mujoco.MjvOption()
    option.geomgroup[0] = 0
    renderer.update_scene(w.d, scene_option=option)
    assert renderer.scene.ngeom == 0
    renderer.update_scene(w.d)
    geom = renderer.scene.geoms[renderer.scene.ngeom]
    w.mujoco.mjv_initGeom(
        geom, w.mujoco.mjtGeom.mjGEOM_SPHERE, np.full(3, 0.5), np.array([0, 0, 1.0]),
        np.eye(3).ravel(), np.array([0, 1, 0, 1], np.float32),
    )  # fmt: skip
    renderer.scene.ngeom += 1
    assert (renderer.render() != plain).any()


def test_output_arrays(w):
    renderer = w.mujoco.Renderer(w.m, *SIZE)
    renderer.update_scene(w.d)
    out = np.zeros((*SIZE, 3))  # cast, as in the reference
    assert renderer.render(out=out) is out
    np.testing.assert_array_equal(out, renderer.render())
    with pytest.raises(ValueError, match=r"out has shape \(5, 5, 3\), expected \(48, 64, 3\)"):
        renderer.render(out=np.zeros((5, 5, 3), np.uint8))
    renderer.enable_segmentation_rendering()
    assert renderer.render(out=np.zeros((*SIZE, 3), np.uint8)).shape == (*SIZE, 2)


def test_sizes_and_closing(w):
    with pytest.raises(ValueError, match="Image width 641 > framebuffer width 640"):
        w.mujoco.Renderer(w.m, 10, 641)
    with pytest.raises(ValueError, match="Image height 481 > framebuffer height 480"):
        w.mujoco.Renderer(w.m, 481, 10)
    with w.mujoco.Renderer(w.m) as renderer:
        assert (renderer.height, renderer.width) == (240, 320)
    renderer.close()
    with pytest.raises(RuntimeError, match="render cannot be called after close"):
        renderer.render()


def test_no_such_camera(w):
    renderer = w.mujoco.Renderer(w.m, *SIZE)
    with pytest.raises(ValueError, match='camera "x" does not exist'):
        renderer.update_scene(w.d, "x")
    with pytest.raises(ValueError, match=r"camera id 3 is out of range \[-1, 3\)"):
        renderer.update_scene(w.d, 3)


def test_names_of_modules():
    code = """
import mjenv.mujoco
mjenv.mujoco.install()
import mujoco, mujoco.renderer
from mujoco.rendering.classic import gl_context
from mujoco.rendering.classic.renderer import Renderer
from mujoco.egl import GLContext
import mujoco.osmesa, mujoco.glfw
assert mujoco.Renderer is Renderer is mujoco.renderer.Renderer
assert mujoco.GLContext is GLContext is gl_context.GLContext is mujoco.glfw.GLContext
context = GLContext(640, 480)
context.make_current()
context.free()
assert mujoco.rendering.classic.renderer.Renderer is Renderer
try:
    mujoco.rendering.other
except AttributeError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "mujoco.rendering' has no attribute 'other'" in done.stdout
