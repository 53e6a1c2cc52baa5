"""The functions `mjr_`: buffers, pictures in them, text and rectangles over them."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from mjenv.engine.errors import UnsupportedFeature


def context(w, scale=100):
    con = w.mujoco.MjrContext(w.m, scale)
    w.mujoco.mjr_setBuffer(w.mujoco.mjtFramebuffer.mjFB_OFFSCREEN, con)
    return con


def read(w, con, *place):
    rect = w.mujoco.MjrRect(*(place or (0, 0, 640, 480)))
    rgb = np.full((rect.height, rect.width, 3), 77, np.uint8)
    depth = np.full((rect.height, rect.width), 7, np.float32)
    w.mujoco.mjr_readPixels(rgb, depth, rect, con)
    return rgb, depth


def drawn(w, con, *place, **flags):
    kept = w.scn.flags.copy()
    for name, value in flags.items():
        w.scn.flags[w.mujoco.mjtRndFlag[f"mjRND_{name}"]] = value
    w.mujoco.mjr_render(w.mujoco.MjrRect(*(place or (0, 0, 640, 480))), w.scn, con)
    w.scn.flags[:] = kept
    return read(w, con, *place)


def test_fields(w):
    con = context(w)
    assert (con.offWidth, con.offHeight, con.offSamples) == (640, 480, 4)
    assert (con.charHeight, con.charHeightBig) == (18, 37)
    assert con.charWidth[ord("W")] > con.charWidth[ord("i")] > 0
    assert con.currentBuffer == w.mujoco.mjtFramebuffer.mjFB_OFFSCREEN
    assert con.ntexture == 2
    assert isinstance(w.mujoco.MjrContext.offWidth, property)
    with pytest.raises(AttributeError, match=r"MjrContext\.width: no such field"):
        con.width = 3
    fog = con.fogRGBA
    con.fogRGBA = [1, 2, 3, 4]
    assert list(fog) == [1, 2, 3, 4]
    assert list(con.textureType[:2]) == list(w.m.tex_type)
    rect = w.mujoco.mjr_maxViewport(con)
    assert (rect.left, rect.bottom, rect.width, rect.height) == (0, 0, 640, 480)
    con.free()
    con.free()
    assert con.offWidth == 0
    with pytest.raises(w.mujoco.FatalError, match="No OpenGL framebuffer available"):
        w.mujoco.mjr_setBuffer(1, con)


def test_windows_of_others_are_refused(w, monkeypatch):
    con, window = context(w), w.mujoco.mjtFramebuffer.mjFB_WINDOW
    glfw = SimpleNamespace(get_current_context=lambda: None, GLFWError=RuntimeError)
    monkeypatch.setitem(sys.modules, "glfw", glfw)
    w.mujoco.mjr_setBuffer(window, con)
    glfw.get_current_context = object
    with pytest.raises(UnsupportedFeature, match=r"found a window of GLFW.*launch_passive"):
        w.mujoco.mjr_setBuffer(window, con)
    w.mujoco.mjr_setBuffer(w.mujoco.mjtFramebuffer.mjFB_OFFSCREEN, con)

    def not_started():
        raise RuntimeError

    glfw.get_current_context = not_started
    w.mujoco.mjr_setBuffer(window, con)


def test_arguments_of_contexts(w):
    assert w.mujoco.MjrContext().offWidth == 0
    with pytest.raises(TypeError, match="expected an MjModel"):
        w.mujoco.MjrContext(3, 100)
    with pytest.raises(TypeError, match="found one argument"):
        w.mujoco.MjrContext(w.m)


def test_a_picture_is_drawn_where_the_viewport_is(w):
    con = context(w)
    rgb, depth = drawn(w, con, 0, 0, 64, 48)
    assert rgb[10:].std() > 20
    assert 0.0 < depth.min() < depth.max() < 1.0
    everything, depths = read(w, con)
    assert not everything[48:].any()
    assert not everything[:, 64:].any()
    assert (depths[48:] == 1).all()
    again, _ = drawn(w, con, 600, 450, 64, 48)
    np.testing.assert_array_equal(again[:30, :40], rgb[:30, :40])
    assert (again[30:] == 77).all()  # what is outside of the buffer is not read


def test_depths(w):
    con = context(w)
    # where there is a sky, that is what is far
    w.scn.flags[w.mujoco.mjtRndFlag.mjRND_SKYBOX] = 0
    w.cam.type, w.cam.fixedcamid = w.mujoco.mjtCamera.mjCAMERA_FIXED, 0
    for camera in ("side", "flat"):
        w.cam.fixedcamid = w.m.camera(camera).id
        w.mujoco.mjv_updateCamera(w.m, w.d, w.cam, w.scn)
        con.readDepthMap = w.mujoco.mjtDepthMap.mjDEPTH_ZERONEAR
        _, depth = drawn(w, con, 0, 0, 65, 49)
        con.readDepthMap = w.mujoco.mjtDepthMap.mjDEPTH_ZEROFAR
        _, reverse = read(w, con, 0, 0, 65, 49)
        np.testing.assert_allclose(depth, 1 - reverse, atol=1e-7)
        eye = w.scn.camera[0]
        near, far = eye.frustum_near, eye.frustum_far
        if camera == "flat":
            metres = near + depth * (far - near)
        else:
            metres = near / (1 - depth.astype(float) * (1 - near / far))
        renderer = w.mujoco.Renderer(w.m, 49, 65)
        renderer.enable_depth_rendering()
        renderer.update_scene(w.d, camera)
        np.testing.assert_allclose(metres[::-1], renderer.render(), rtol=2e-3)


def test_depths_of_the_sky(w):
    con = context(w)
    con.readDepthMap = w.mujoco.mjtDepthMap.mjDEPTH_ZEROFAR
    w.cam.elevation, w.cam.lookat[2] = 20.0, 50.0
    w.mujoco.mjv_updateCamera(w.m, w.d, w.cam, w.scn)
    _, depth = drawn(w, con, 0, 0, 65, 49)
    eye = w.scn.camera[0]
    near, far = eye.frustum_near, eye.frustum_far
    metres = 1 / (1 / far + depth.astype(float) * (1 / near - 1 / far))
    # a cylinder around the camera: the middle of the picture looks up by 20 degrees
    assert metres[24, 32] == pytest.approx(0.7 * far / np.cos(np.radians(20)), rel=1e-3)
    # and its uppermost row by 22 more
    aside = np.cos(np.radians(20)) - 24 / 24.5 * np.tan(np.radians(22.5)) * np.sin(np.radians(20))
    assert metres[-1, 32] == pytest.approx(0.7 * far / aside, rel=1e-3)
    for flags in ({"SKYBOX": 0}, {"SEGMENT": 1}):
        _, depth = drawn(w, con, 0, 0, 65, 49, **flags)
        assert depth[24, 32] == 0


def test_segments(w):
    con = context(w)
    rgb, _ = drawn(w, con, 0, 0, 64, 48, SEGMENT=1, IDCOLOR=1)
    assert set(np.unique(rgb[..., 0])) == {0, 1, 2, 3}
    assert not rgb[..., 1:].any()
    w.scn.geoms[1].segid = 700
    rgb, _ = drawn(w, con, 0, 0, 64, 48, SEGMENT=1, IDCOLOR=1)
    assert [701 & 255, 701 >> 8, 0] in rgb.reshape(-1, 3).tolist()
    w.scn.geoms[1].segid = -1
    rgb, _ = drawn(w, con, 0, 0, 64, 48, SEGMENT=1, IDCOLOR=1)
    assert set(np.unique(rgb[..., 0])) == {0, 1, 3}
    # Halton's sequences from the tenth number on, in bases 2, 3 and 5, between 0.1 and 0.9
    rgb, _ = drawn(w, con, 0, 0, 64, 48, SEGMENT=1)
    assert {tuple(c) for c in rgb.reshape(-1, 3).tolist()} == {
        (0, 0, 0), (89, 101, 42), (64, 56, 123),
    }  # fmt: skip


def test_picture_of_depths(w):
    con = context(w)
    rgb, depth = drawn(w, con, 0, 0, 64, 48, DEPTH=1)
    np.testing.assert_array_equal(rgb[..., 0], np.rint(255 * (1 - depth)))


def test_what_is_not_drawn(w):
    con = context(w)
    with pytest.raises(UnsupportedFeature, match="mjRND_WIREFRAME is not drawn"):
        drawn(w, con, WIREFRAME=1)
    empty = w.mujoco.MjvScene(w.m, 10)
    w.mujoco.mjr_render(w.mujoco.MjrRect(0, 0, 9, 9), empty, con)
    empty.ngeom = 1
    with pytest.raises(w.mujoco.FatalError, match="frustum_near too small"):
        w.mujoco.mjr_render(w.mujoco.MjrRect(0, 0, 9, 9), empty, con)


def test_rectangles_blend(w):
    con = context(w)
    w.mujoco.mjr_rectangle(w.mujoco.MjrRect(-10, -10, 30, 30), 1, 0, 0, 1)
    w.mujoco.mjr_rectangle(w.mujoco.MjrRect(10, 10, 20, 20), 0, 0, 1, 0.5)
    rgb, _ = read(w, con, 0, 0, 40, 40)
    assert rgb[5, 5].tolist() == [255, 0, 0]
    assert rgb[15, 15].tolist() == [128, 0, 128]
    assert rgb[25, 25].tolist() == [0, 0, 128]
    assert not rgb[35:].any()
    w.mujoco.mjr_rectangle(w.mujoco.MjrRect(0, 0, 0, 5), 1, 1, 1, 1)
    np.testing.assert_array_equal(read(w, con, 0, 0, 40, 40)[0], rgb)


def test_pixels_go_in_and_out(w):
    con = context(w)
    rng = np.random.default_rng(0)
    rgb = rng.integers(0, 255, (20, 30, 3), np.uint8)
    depth = rng.random((20, 30), np.float32)
    rect = w.mujoco.MjrRect(5, 6, 30, 20)
    w.mujoco.mjr_drawPixels(rgb.ravel(), depth.ravel(), rect, con)
    con.readDepthMap = w.mujoco.mjtDepthMap.mjDEPTH_ZEROFAR
    back, depths = read(w, con, 5, 6, 30, 20)
    np.testing.assert_array_equal(back, rgb)
    np.testing.assert_array_equal(depths, depth)
    flat = np.zeros(1800, np.uint8)
    con.readPixelFormat = 0x80E0  # GL_BGR
    w.mujoco.mjr_readPixels(flat, None, rect, con)
    np.testing.assert_array_equal(flat.reshape(20, 30, 3), rgb[..., ::-1])
    upright = np.zeros((20, 30, 3), np.uint8)
    w.mujoco.mjr_readPixels(upright[::-1], None, rect, con)
    np.testing.assert_array_equal(upright, rgb[::-1, :, ::-1])
    with pytest.raises(TypeError, match="expected a C-contiguous array of at least 1800"):
        w.mujoco.mjr_readPixels(np.zeros(10, np.uint8), None, rect, con)
    with pytest.raises(w.mujoco.FatalError, match="found 3 elements, expected 1800"):
        w.mujoco.mjr_drawPixels(np.zeros(3, np.uint8), None, rect, con)


def test_auxiliary_buffers(w):
    con = context(w)
    with pytest.raises(w.mujoco.FatalError, match="auxFBO 2 does not exist"):
        w.mujoco.mjr_setAux(2, con)
    w.mujoco.mjr_addAux(2, 50, 40, 4, con)
    assert (con.auxWidth[2], con.auxHeight[2], con.auxSamples[2]) == (50, 40, 4)
    w.mujoco.mjr_setAux(2, con)
    w.mujoco.mjr_rectangle(w.mujoco.MjrRect(0, 0, 50, 40), 0, 1, 0, 1)
    w.mujoco.mjr_restoreBuffer(con)
    assert not read(w, con)[0].any()
    w.mujoco.mjr_blitAux(2, w.mujoco.MjrRect(40, 0, 20, 10), 100, 200, con)
    rgb = read(w, con)[0]
    assert (rgb[200:210, 100:110] == [0, 255, 0]).all()
    assert rgb[..., 1].sum() == 255 * 100  # where the auxiliary buffer ends, nothing arrives
    w.mujoco.mjr_addAux(2, 0, 0, 0, con)
    assert con.auxFBO[2] == 0
    with pytest.raises(w.mujoco.FatalError, match="Invalid aux buffer index"):
        w.mujoco.mjr_addAux(10, 5, 5, 0, con)


def test_another_size(w):
    con = context(w)
    w.mujoco.mjr_resizeOffscreen(100, 50, con)
    assert w.mujoco.mjr_maxViewport(con).width == 100
    w.mujoco.mjr_rectangle(w.mujoco.MjrRect(0, 0, 640, 480), 1, 1, 1, 1)
    rgb = read(w, con, 0, 0, 100, 50)[0]
    assert (rgb == 255).all()
    with pytest.raises(w.mujoco.FatalError, match="found -1 x 5"):
        w.mujoco.mjr_resizeOffscreen(-1, 5, con)


def covered(rgb):
    """Rows and columns of what is not black."""
    rows, columns = np.flatnonzero(rgb.any((1, 2))), np.flatnonzero(rgb.any((0, 2)))
    return rows[0], rows[-1], columns[0], columns[-1]


def test_overlays(w):
    con, grid = context(w), w.mujoco.mjtGridPos
    full = w.mujoco.MjrRect(0, 0, 640, 480)

    def overlay(place, *words, ground=1.0):
        w.mujoco.mjr_rectangle(full, ground, ground, ground, 1)
        w.mujoco.mjr_overlay(0, place, full, *words, con)
        return read(w, con)[0]

    # the ground of text darkens what is below it by half, where the reference's does
    for place, rows, columns in (
        (grid.mjGRID_TOPLEFT, (428, 474), (5, None)),
        (grid.mjGRID_BOTTOMRIGHT, (5, 51), (None, 634)),
        (grid.mjGRID_BOTTOMLEFT, (5, 51), (5, None)),
        (grid.mjGRID_TOPRIGHT, (428, 474), (None, 634)),
    ):
        dark = 255 - overlay(place, "one\ntwo", "")
        found = covered(np.where(dark == 127, dark, 0))
        assert found[0] == rows[0]
        assert found[1] == rows[1] - 1
        for given, edge in ((columns[0], found[2]), (columns[1], found[3] + 1)):
            assert given in (None, edge)
    left = overlay(grid.mjGRID_TOPLEFT, "abc", "", ground=0.0)
    two = overlay(grid.mjGRID_TOPLEFT, "abc", "abc", ground=0.0)
    assert left.max() == 255
    width = int(con.charWidth[[ord(c) for c in "abc"]].sum()) + 13
    # the first of two columns is grey, the second is as bright as a single one
    assert 150 < two[:, : width + 3].max() < 200
    assert two.max() == 255
    assert two[:, width + 3 :].any()


def test_text_and_labels(w):
    con = context(w)
    rect = w.mujoco.MjrRect(100, 100, 200, 60)
    w.mujoco.mjr_label(rect, 0, "word", 0, 0, 1, 1, 1, 1, 0, con)
    rgb = read(w, con, 100, 100, 200, 60)[0]
    assert (rgb[0] == [0, 0, 255]).all()
    written = rgb.copy()
    written[..., 2] = 0
    low, high, left, right = covered(written)
    assert 15 < low < high < 45
    assert abs((left + right) / 2 - 100) < 3
    # relative to what was drawn into last
    w.mujoco.mjr_rectangle(w.mujoco.MjrRect(300, 300, 100, 100), 0, 0, 0, 1)
    w.mujoco.mjr_text(0, "text", con, 0.5, 0.5, 0, 1, 0)
    low, _, left, _ = covered(read(w, con)[0][..., 1:2] * (np.arange(480) > 250)[:, None, None])
    assert 350 <= low <= 356
    assert 350 <= left <= 354
    w.mujoco.mjr_changeFont(200, con)
    assert con.charHeight == 37
    with pytest.raises(w.mujoco.FatalError, match="Invalid fontscale"):
        w.mujoco.mjr_changeFont(120, con)


def test_uploads(w):
    con = context(w)
    before = drawn(w, con, 0, 0, 64, 48)[0]
    w.m.tex_data[:] = 255
    same = drawn(w, con, 0, 0, 64, 48)[0]
    np.testing.assert_array_equal(before, same)
    w.mujoco.mjr_uploadTexture(w.m, con, 1)
    assert (drawn(w, con, 0, 0, 64, 48)[0] != before).any()
    with pytest.raises(w.mujoco.FatalError, match="found 5, expected 0 to 1"):
        w.mujoco.mjr_uploadTexture(w.m, con, 5)


def test_the_rest(w):
    con = context(w)
    w.mujoco.mjr_finish()
    assert w.mujoco.mjr_getError() == 0
    rect = w.mujoco.MjrRect(10, 10, 5, 5)
    assert w.mujoco.mjr_findRect(10, 14, 1, rect) == 0
    assert w.mujoco.mjr_findRect(15, 14, 1, rect) == -1
    w.mujoco.mjr_rectangle(rect, 1, 1, 1, 1)
    w.mujoco.mjr_blitBuffer(rect, rect, 1, 1, con)
    assert read(w, con)[0].sum() == 25 * 3 * 255
