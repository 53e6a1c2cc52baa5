"""`mujoco.viewer`: the window with the interface of the reference's."""

import os
import subprocess
import sys

import numpy as np
import pytest

from mjenv import viewer as windows
from mjenv.mujoco import viewer


class Clock:
    """A time that the test sets."""

    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def handle(w):
    with viewer.launch_passive(w.m, w.d, key_callback=print, show_left_ui=False) as found:
        found._viewer.real_time.clock = Clock()
        found._shown = -1.0
        yield found


def shown(handle):
    """The window after another call of `sync`."""
    handle._viewer.real_time.clock.now += 1.0
    handle.sync()
    return handle._viewer._screen.shown()


def test_what_a_handle_has(w, handle):
    mujoco = w.mujoco
    assert handle.m is w.m
    assert handle.d is w.d
    assert isinstance(handle.cam, mujoco.MjvCamera)
    assert isinstance(handle.opt, mujoco.MjvOption)
    assert isinstance(handle.perturb, mujoco.MjvPerturb)
    assert isinstance(handle.viewport, mujoco.MjrRect)
    assert handle.viewport.width == 1024
    with handle.lock():
        assert handle.is_running()
    handle.close()
    assert not handle.is_running()
    handle.sync()


def test_state_camera_and_options_are_seen(w, handle):
    last = shown(handle)
    edits = (
        lambda: w.mujoco.mj_step(w.m, w.d, 100),
        lambda: setattr(handle.cam, "azimuth", 10.0),
        lambda: handle.cam.lookat.__setitem__(2, 0.9),
        lambda: handle.opt.geomgroup.__setitem__(0, 0),
        lambda: handle.opt.geomgroup.__setitem__(0, 1),
    )
    for edit in edits:
        edit()
        picture = shown(handle)
        assert (picture != last).any()
        last = picture


def test_own_geoms(w, handle):
    before, count = shown(handle), handle._viewer.scn.ngeom
    scene = handle.user_scn
    w.mujoco.mjv_initGeom(
        scene.geoms[scene.ngeom], w.mujoco.mjtGeom.mjGEOM_SPHERE, np.full(3, 0.5),
        np.array([0, 0, 1.0]), np.eye(3).ravel(), np.array([0, 1, 0, 1], np.float32),
    )  # fmt: skip
    scene.ngeom += 1
    assert (shown(handle) != before).any()
    assert handle._viewer.scn.ngeom == count + 1
    handle.user_scn.ngeom = 0
    shown(handle)
    assert handle._viewer.scn.ngeom == count


def test_figures_images_texts(w, handle):
    plain = shown(handle)
    figure = w.mujoco.MjvFigure()
    figure.linepnt[0], figure.figurergba[:] = 2, [0, 0, 1, 1]
    figure.linedata[0][:4] = [0, 0, 1, 1]
    handle.set_figures((w.mujoco.MjrRect(10, 20, 200, 100), figure))
    image = np.full((30, 40, 3), 200, np.uint8)
    handle.set_images([(w.mujoco.MjrRect(500, 600, 40, 30), image)])
    handle.set_texts((None, w.mujoco.mjtGridPos.mjGRID_BOTTOMRIGHT, "left", None))
    picture = shown(handle)
    # rows from above
    height = picture.shape[0]
    assert picture[height - 22, 12].tolist() == [0, 0, 255]
    assert picture[height - 610, 510].tolist() == [200] * 3
    assert (picture[-60:, -200:] != plain[-60:, -200:]).any()
    assert list(figure.xaxisdata) == [0, 1]
    handle.clear_images()
    assert shown(handle)[height - 22, 12].tolist() == [0, 0, 255]
    handle.clear_figures()
    handle.clear_texts()
    np.testing.assert_array_equal(shown(handle), plain)
    with pytest.raises(ValueError, match="image is"):
        handle.set_images((w.mujoco.MjrRect(0, 0, 5, 5), image))


def test_textures_are_seen_when_they_are_updated(w, handle):
    before = shown(handle)
    w.m.tex_data[:] = 255
    np.testing.assert_array_equal(shown(handle), before)
    handle.update_texture(1)
    assert (shown(handle) != before).any()


def test_wrong_arguments(w):
    for arguments, message in (
        ((3, w.d), "`model` is not a mujoco.MjModel: got 3"),
        ((w.m, 3), "`data` is not a mujoco.MjData: got 3"),
    ):
        with pytest.raises(ValueError, match=message):
            viewer.launch_passive(*arguments)
    with pytest.raises(ValueError, match="`key_callback` is not callable"):
        viewer.launch_passive(w.m, w.d, key_callback=3)
    for arguments, options, message in (
        ((None, w.d), {}, "mjData is specified but mjModel is not"),
        ((lambda: None, w.d), {}, "should not be specified when an mjModel loader is used"),
        ((w.m,), {"loader": lambda: None}, "model and loader are both specified"),
        ((), {}, "found no model, expected one"),
    ):
        with pytest.raises(ValueError, match=message):
            viewer.launch(*arguments, **options)


def test_launch(w, monkeypatch):
    given = []
    monkeypatch.setattr(windows, "launch", lambda *pair: given.append(pair))
    viewer.launch(w.m, w.d)
    assert given[-1][1] is w.d.batch
    viewer.launch(w.m)
    assert given[-1][1].model.ngeom == 3
    viewer.launch(loader=lambda: (w.m, w.d, "path"))
    viewer.launch(lambda: (w.m, w.d))
    assert [pair[1] is w.d.batch for pair in given] == [True, False, True, True]


def test_launch_from_path_and_from_the_command_line(tmp_path, monkeypatch):
    given = []
    monkeypatch.setattr(windows, "launch_from_path", given.append)
    viewer.launch_from_path("a.xml")
    monkeypatch.setattr(sys, "argv", ["viewer", "--mjcf=b.xml"])
    viewer.main()
    assert given == ["a.xml", "b.xml"]
    missing = tmp_path / "c.xml"
    words = ["-m", "mjenv.mujoco", "-m", "mujoco.viewer", "--mjcf", str(missing)]
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True)
    assert "c.xml" in done.stderr.splitlines()[-1]


@pytest.mark.slow
def test_without_a_display(w):
    code = """
import mjenv.mujoco as mujoco
model = mujoco.MjModel.from_xml_string("<mujoco/>")
mujoco.viewer.launch_passive(model, mujoco.MjData(model))
"""
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment
    )
    assert "OSError" in done.stderr
    assert "mjenv record" in done.stderr
