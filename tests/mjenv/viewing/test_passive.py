"""Windows that others step: `launch_passive` and `launch`."""

import numpy as np
import pygame
import pytest

import mjenv
from mjenv import viewer as windows
from mjenv.viewing.keys import glfw_code
from mjenv.visual.names import VIS
from tests.mjenv.viewing.hands import ARM, MODEL, SIZE, Clock, click, drag, post, press, pull, tap


@pytest.fixture
def passive():
    model = mjenv.Model.from_xml_string(MODEL)
    data = mjenv.Data(model, 2)
    mjenv.forward(model, data)
    keys = []
    with windows.launch_passive(model, data, key_callback=keys.append, size=SIZE) as handle:
        handle._viewer.real_time.clock = Clock()
        handle._shown = -1.0
        yield model, data, handle, keys


def sync(handle):
    handle._viewer.real_time.clock.now += 1.0
    handle.sync()


def test_passive(passive):
    model, data, handle, keys = passive
    sync(handle)
    before = handle._viewer._screen.shown()
    for name in ("a", "space", "right", "f3", "left shift", "h"):
        tap(name)
    mjenv.step(model, data, 50)
    time = data.time.copy()
    sync(handle)
    assert keys == [65, 32, 262, 292, -1, 72]
    assert (data.time == time).all()  # its owner steps it
    assert (handle._viewer._screen.shown() != before).any()
    assert handle.opt.flags[int(VIS.mjVIS_CONVEXHULL)] == 1
    tap("escape")
    sync(handle)
    assert not handle.is_running()
    handle.sync()


def test_passive_shows_geoms_of_its_owner(passive):
    _, _, handle, _ = passive
    sync(handle)
    before, count = handle._viewer._screen.shown(), handle._viewer.scn.ngeom
    with handle.lock():
        scn = handle.user_scn
        mjenv.mjv_initGeom(
            scn.geoms[0], mjenv.mjtGeom.mjGEOM_SPHERE, [0.3, 0, 0], handle.cam.lookat,
            np.eye(3).ravel(), [1, 0, 0, 1],
        )  # fmt: skip
        scn.ngeom = 1
        handle.cam.azimuth = 90.0
    sync(handle)
    assert handle._viewer.scn.ngeom == count + 1
    assert (before != handle._viewer._screen.shown()).any(-1).mean() > 0.02


def test_passive_draws_sixty_times_a_second(passive, monkeypatch):
    _, _, handle, _ = passive
    drawn = []
    monkeypatch.setattr(handle._viewer, "_draw", lambda: drawn.append(1))
    for _ in range(100):
        handle._viewer.real_time.clock.now += 0.001
        handle.sync()
    assert 5 <= len(drawn) <= 7


def test_passive_is_drawn_while_the_world_is_stepped(passive):
    """When pictures follow each other; else at once."""
    _, _, handle, _ = passive
    sync(handle)
    screen = handle._viewer._screen
    before = screen.shown()
    handle.cam.azimuth += 30
    for seen in (before, None):
        handle._viewer.real_time.clock.now += 0.02
        handle.sync()
        assert seen is None or (screen.shown() == seen).all()
    assert (screen.shown() != before).any()
    handle.cam.azimuth -= 30
    sync(handle)
    assert (screen.shown() == before).all()


def test_passive_pulls(passive):
    _, data, handle, _ = passive
    sync(handle)
    handle._viewer._mouse.select(1)
    click((5, 5), 3, pygame.KMOD_CTRL)
    drag((0, 0, 1), (20, 0))
    sync(handle)
    sync(handle)
    assert data.xfrc_applied[0, 1, :3].any()
    assert not data.xfrc_applied[1].any()
    handle.close()
    assert not data.xfrc_applied.any()
    handle.close()


def test_passive_sliders():
    """Set the controls of the world that is shown."""
    model = mjenv.Model.from_xml_string(ARM)
    data = mjenv.Data(model, 2)
    mjenv.forward(model, data)
    with windows.launch_passive(model, data, world=1, size=(640, 480)) as handle:
        viewer = handle._viewer
        press(viewer, "tab")
        viewer.changed = True
        pull(viewer, "strong", 20)
        assert data.ctrl == pytest.approx(np.array([[0, 0], [2, 0]]))
        assert not viewer._panel._buttons


def test_passive_texts(passive):
    _, _, handle, _ = passive
    sync(handle)
    before = handle._viewer._screen.shown()
    handle.set_texts([("reward", "1.5")])
    sync(handle)
    assert (handle._viewer._screen.shown() != before).any()
    handle.clear_texts()
    sync(handle)
    assert (handle._viewer._screen.shown() == before).all()


def test_passive_of_another_world():
    model = mjenv.Model.from_xml_string(MODEL)
    data = mjenv.Data(model, 3)
    mjenv.forward(model, data)
    with windows.launch_passive(model, data, world=2, size=SIZE) as handle:
        handle.sync()
        assert handle._viewer.world == 2
    with pytest.raises(ValueError, match="world=3"):
        windows.launch_passive(model, data, world=3, size=SIZE)


def test_launch(tmp_path):
    model = mjenv.Model.from_xml_string(MODEL)
    data = mjenv.Data(model)
    pygame.display.init()
    tap("escape")
    windows.launch(model, data)
    assert data.time[0] == 0
    (tmp_path / "ball.xml").write_text(MODEL)
    pygame.display.init()
    post(pygame.QUIT)
    windows.launch_from_path(tmp_path / "ball.xml")


def test_codes_of_keys():
    assert [glfw_code(name) for name in ("q", "1", "f12", "up", "menu")] == [81, 49, 301, 265, -1]


def test_handles_have_mujocos_names(passive):
    _, _, handle, _ = passive
    theirs = pytest.importorskip("mujoco.viewer").Handle
    assert not [n for n in dir(theirs) if not n.startswith("_") and not hasattr(handle, n)]
    assert (handle.m, handle.d) == passive[:2]
    assert handle.viewport == (0, 0, *SIZE)


def test_passive_texts_in_corners(passive):
    """As MuJoCo's: font, corner, left and right words; None for the usual."""
    _, _, handle, _ = passive
    sync(handle)
    before = handle._viewer._screen.shown()
    for corner, (rows, columns) in {
        1: (slice(0, 20), slice(100, 160)), 2: (slice(100, 120), slice(0, 60)),
        4: (slice(0, 20), slice(60, 100)), 7: (slice(50, 70), slice(120, 160)),
    }.items():  # fmt: skip
        handle.set_texts((None, corner, "a", None))
        sync(handle)
        changed = (handle._viewer._screen.shown() != before).any(-1)
        assert changed[rows, columns].any()
        changed[rows, columns] = False
        assert changed.mean() < 0.05
    handle.set_texts([(None, 2, "a", "b"), (None, None, "c", "d")])
    handle.clear_texts()
    sync(handle)
    assert (handle._viewer._screen.shown() == before).all()
    with pytest.raises(ValueError, match="corner 8, expected 0 to 7"):
        handle.set_texts((None, 8, "a", "b"))
    with pytest.raises(ValueError, match="set_texts: found"):
        handle.set_texts([("a", "b", "c")])


def test_passive_images(passive):
    _, _, handle, _ = passive
    sync(handle)
    before = handle._viewer._screen.shown()
    red = np.full((10, 20, 3), (255, 0, 0), np.uint8)
    handle.set_images(((5, 100, 20, 10), red))
    sync(handle)
    shown = handle._viewer._screen.shown()
    assert (shown[10:20, 5:25] == red).all()  # rows from the top, MuJoCo's bottom is 100
    shown[10:20, 5:25] = before[10:20, 5:25]
    assert (shown == before).all()
    handle.clear_images()
    sync(handle)
    assert (handle._viewer._screen.shown() == before).all()
    with pytest.raises(ValueError, match=r"image is \(10, 20, 3\), expected \(11, 20, 3\)"):
        handle.set_images(((5, 100, 20, 11), red))
    with pytest.raises(mjenv.UnsupportedFeature, match="figures are not drawn"):
        handle.set_figures([])
    handle.clear_figures()


def test_passive_shows_what_is_uploaded():
    model = mjenv.Model.from_xml_string("""
<mujoco>
  <asset>
    <hfield name="h" nrow="5" ncol="5" size="1 1 1 .1"/>
    <texture name="t" type="2d" builtin="flat" rgb1="1 0 0" width="8" height="8"/>
    <material name="t" texture="t"/>
  </asset>
  <worldbody><light pos="0 0 3"/><geom type="hfield" hfield="h" material="t"/></worldbody>
</mujoco>""")
    data = mjenv.Data(model)
    mjenv.forward(model, data)
    with windows.launch_passive(model, data, size=SIZE) as handle:
        handle._viewer.real_time.clock = Clock()
        handle._shown = -1.0
        sync(handle)
        before = handle._viewer._screen.shown()
        model.hfield_data[12] = 1.0
        handle.update_hfield(0)
        sync(handle)
        second = handle._viewer._screen.shown()
        assert (second != before).any()
        model.tex_data[:] = 255
        handle.update_texture(0)
        sync(handle)
        assert (handle._viewer._screen.shown() != second).any()
        with pytest.raises(ValueError, match="upload_mesh: found 0"):
            handle.update_mesh(0)
    handle.update_hfield(0)  # nothing, once the window is closed


def test_a_second_window_takes_the_place_of_the_first(passive):
    """A process has one: the first is closed, and closing it leaves the second open."""
    model, data, handle, _ = passive
    sync(handle)
    with windows.launch_passive(model, data, size=(200, 100)) as second:
        assert not handle.is_running()
        handle.sync()
        handle.close()
        assert second.is_running()
        second.sync()
        assert second._viewer._screen.shown().shape == (100, 200, 3)


@pytest.mark.parametrize("size", [(0, 5), (5, -1), (2.5, 3), (10,), (100_000, 5)])
def test_sizes_of_windows(size, passive):
    with pytest.raises(ValueError, match="window: size is"):
        windows.launch_passive(*passive[:2], size=size)


def test_small_windows_have_no_sliders(passive):
    with windows.launch_passive(*passive[:2], size=(1, 1)) as handle:
        handle._viewer.overlays = {"help", "info", "profile", "sensors", "sliders"}
        handle.sync()


def test_what_is_no_model_is_told(passive):
    model, data = passive[:2]
    with pytest.raises(TypeError, match=r"launch_passive: data is NoneType, expected mjenv\.Data"):
        windows.launch_passive(model, None)
    with pytest.raises(TypeError, match=r"launch: model is Data, expected mjenv\.Model"):
        windows.launch(data)
