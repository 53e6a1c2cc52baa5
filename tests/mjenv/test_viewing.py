"""The window: its keys, one by one, the mouse, time, files, and windows that others step."""

import copy
import os
import subprocess
import sys

import numpy as np
import pygame
import pytest

import mjenv
from mjenv import viewer as windows
from mjenv.render.visual.cameras import mjv_averageCamera, normalized
from mjenv.render.visual.names import RND, VIS
from mjenv.viewing.keys import EFFECTS, FLAGS, KEYS, TIME, glfw_code, help_lines
from mjenv.viewing.pace import Pace
from mjenv.viewing.past import Past
from mjenv.viewing.subjects import EnvironmentSubject, ModelSubject
from mjenv.viewing.viewer import Viewer

MODEL = """
<mujoco>
  <worldbody>
    <light pos="0 0 3"/>
    <geom type="plane" size="1 1 .1"/>
    <camera name="side" pos="0 -3 1" xyaxes="1 0 0 0 0 1"/>
    <body name="ball" pos="0 0 1"><freejoint/><geom name="skull" size=".1"/>
      <body name="ear" pos=".2 0 0"><geom size=".05"/><site name="tip"/></body>
    </body>
  </worldbody>
  <sensor><framepos name="place" objtype="body" objname="ball"/></sensor>
  <keyframe>
    <key name="high" qpos="0 0 3 1 0 0 0"/>
    <key name="higher" qpos="0 0 4 1 0 0 0"/>
  </keyframe>
</mujoco>
"""
SIZE = (160, 120)


class Clock:
    """A time that the test sets."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def window(tmp_path):
    """A window on a ball that falls; its clock stands still but for what the test says."""
    (tmp_path / "ball.xml").write_text(MODEL)
    subject = ModelSubject(path=tmp_path / "ball.xml")
    viewer = Viewer(subject, size=SIZE, fps=0, folder=tmp_path, pace=Pace(Clock()))
    viewer.frame()
    yield viewer
    viewer.close()


def wait(viewer, seconds):
    """Let wall time pass, and show a frame."""
    viewer.pace.clock.now += seconds
    viewer.frame()


def post(kind, **values):
    pygame.event.post(pygame.event.Event(kind, **values))


def tap(name):
    """Press and release a key between two frames."""
    *modifiers, name = name.split(" ", 1) if name.startswith(("ctrl", "shift")) else [name]
    mod = {"ctrl": pygame.KMOD_LCTRL, "shift": pygame.KMOD_LSHIFT}.get("".join(modifiers), 0)
    for kind in (pygame.KEYDOWN, pygame.KEYUP):
        post(kind, key=pygame.key.key_code(name), mod=mod)


def press(viewer, *names):
    """Tap keys, and show a frame."""
    for name in names:
        tap(name)
    viewer.frame()


def height(viewer):
    return viewer.data.qpos[0, 2]


# ---------------------------------------------------------------- time


def test_the_world_goes_as_far_as_time_passes(window):
    dt = window.model.opt.timestep
    wait(window, 0.05)
    assert window.data.time[0] == pytest.approx(25 * dt)
    wait(window, 0.0005)
    assert window.data.time[0] == pytest.approx(25 * dt)  # a quarter of a step is due
    wait(window, 0.0015)
    assert window.data.time[0] == pytest.approx(26 * dt)
    press(window, "-")
    wait(window, 0.05)
    assert window.data.time[0] == pytest.approx(38 * dt)
    assert window.message == "speed 0.5"
    press(window, "=", "=")
    wait(window, 0.05)
    assert window.data.time[0] == pytest.approx(88 * dt, abs=dt)


def test_pace_makes_up_for_a_quarter_of_a_second_at_most():
    clock = Clock()
    pace = Pace(clock)
    assert pace.due(0.01) == 0
    clock.now = 60.0
    assert pace.due(0.01) == 25
    pace.rest()
    clock.now = 61.0
    assert pace.due(0.01) == 0


def test_pace_measures_its_rate():
    clock = Clock()
    pace = Pace(clock)
    clock.now = 1.0
    pace.note(0.25)
    assert pace.rate == 0.25


@pytest.mark.parametrize("factor", [0.5, 2.0])
def test_speeds_have_bounds(factor):
    pace = Pace(Clock())
    for _ in range(30):
        pace.change(factor)
    assert pace.speed == (1 / 64 if factor < 1 else 16)


def test_pause(window):
    press(window, "space")
    assert window.paused
    wait(window, 0.05)
    assert window.data.time[0] == 0
    press(window, "space")
    wait(window, 0.05)
    assert window.data.time[0] > 0  # but the pause does not count
    assert window.data.time[0] < 0.06


def test_nothing_is_drawn_while_nothing_changes(window, monkeypatch):
    press(window, "space")
    drawn = []
    monkeypatch.setattr(window, "_draw", lambda: drawn.append(1))
    monkeypatch.setattr("mjenv.viewing.viewer.QUIET", 0.001)
    window.frame()
    window.frame()
    assert not drawn
    press(window, "h")
    assert drawn == [1]


def drawn(window):
    """The picture of a window's scene, drawn by another renderer."""
    renderer = mjenv.Renderer(window.model, SIZE[1], SIZE[0])
    renderer.scene.copy_from(window.scn)
    return renderer.render()


def test_a_picture_is_shown_while_the_next_is_drawn(window):
    """Of a world that goes on; a pause shows how things are."""
    wait(window, 0.05)
    expected = drawn(window)
    for _ in range(3):
        wait(window, 0.05)
        assert (window._screen.shown() == expected).all()
        expected = drawn(window)
    press(window, "-", "-")
    wait(window, 0.001)  # no step is due, and nothing new is drawn
    assert (window._screen.shown() != drawn(window)).any()  # the speed is told
    assert not window._painter.busy
    wait(window, 0.05)
    press(window, "space")
    window.message = ""
    window._draw()
    assert (window._screen.shown() == drawn(window)).all()


def test_pictures_are_of_the_time_when_they_are_begun(window):
    expected = drawn(window)
    painter = window._painter
    painter.start(window.scn)
    window.scn.ngeom = 0
    assert (painter.finish() == expected).all()
    assert painter.finish() is None
    assert (painter.draw(window.scn) != expected).any()


def test_what_cannot_be_drawn_is_told(window):
    """Also when a thread finds out."""
    wait(window, 0.05)
    window.scn.flags[RND.mjRND_WIREFRAME] = 1
    wait(window, 0.05)
    with pytest.raises(mjenv.UnsupportedFeature, match="WIREFRAME"):
        wait(window, 0.05)


def test_taps_are_never_lost(window):
    """Keys are down for less than a frame, several times; also while a frame is shown."""
    press(window, "space", "space", "space")
    assert window.paused
    tap("space")
    window._draw()
    tap("right")
    tap("right")
    window.frame()
    assert window.paused
    assert window.data.time[0] == pytest.approx(2 * window.model.opt.timestep)


def test_taps_are_never_lost_while_steps_are_slow(window, monkeypatch):
    """What happens during a step that takes long counts, all of it and in its order."""
    step = window.subject.step
    azimuth = window.cam.azimuth

    def slow(count):
        window.pace.clock.now += 5.0
        for name in ("h", "c", "h", "f2", "h"):
            tap(name)
        for _ in range(50):
            drag((1, 0, 0), (1, 0))
        step(count)

    monkeypatch.setattr(window.subject, "step", slow)
    wait(window, 0.05)
    monkeypatch.undo()
    window.paused = True
    window.frame()
    flags = window.opt.flags
    assert (flags[VIS.mjVIS_CONVEXHULL], flags[VIS.mjVIS_CONTACTPOINT]) == (1, 1)
    assert window.overlays == {"info"}
    assert window.cam.azimuth == pytest.approx(azimuth - 50 / SIZE[1] * 180)


def test_steps_forward_and_back_have_the_same_bits(window):
    wait(window, 0.05)
    start = window.data.qpos.copy()
    press(window, "right")
    one = window.data.qpos.copy()
    press(window, "down")
    far = window.data.qpos.copy()
    press(window, "left")
    assert (window.data.qpos == one).all()
    press(window, "left")
    assert (window.data.qpos == start).all()
    press(window, "right", "down")
    assert (window.data.qpos == far).all()
    press(window, "up")
    assert window.data.time[0] == 0
    press(window, "left")
    assert window.message == "no earlier state is kept"


def test_the_past_has_bounds():
    past = Past(memory=80, most=5)
    for k in range(20):
        past.keep(np.full(2, k))
    assert len(past) == 5
    assert (past.back(2) == 18).all()
    assert (past.back(10) == 15).all()
    assert past.back() is None
    past.keep(np.zeros(100))
    past.keep(np.ones(100))
    assert len(past) == 1


def test_restart_and_keyframes(window):
    wait(window, 0.05)
    press(window, "backspace")
    assert height(window) == 1.0
    press(window, "space", "ctrl k")
    assert (height(window), window.message) == (3.0, "keyframe high")
    press(window, "ctrl k")
    assert height(window) == 4.0
    press(window, "ctrl k", "left")
    assert height(window) == 4.0  # what a keyframe replaced can be had back


# ---------------------------------------------------------------- keys

ROWS = {
    "escape": lambda v: v.closed,
    "ctrl q": lambda v: v.closed,
    "f1": lambda v: v.overlays == {"help"},
    "f2": lambda v: v.overlays == {"info"},
    "f3": lambda v: v.overlays == {"profile"},
    "f4": lambda v: v.overlays == {"sensors"},
    "tab": lambda v: v.overlays == {"sliders"},
    "f5": lambda v: "no full screen" in v.message,  # nor has SDL's driver for tests
    "f6": lambda v: v.opt.frame == 1,
    "f7": lambda v: v.opt.label == 1,
    "[": lambda v: v.camera_name() == "side",
    "]": lambda v: v.camera_name() == "tracks ball",
    "ctrl a": lambda v: v.message == "",
    "page up": lambda v: v.pert.select == 0,
    "ctrl p": lambda v: len([*v.folder.glob("mjenv-*.png")]) == 1,
    "ctrl r": lambda v: v._film is not None,
    "ctrl l": lambda v: v.message.endswith("ball.xml is read"),
    "space": lambda v: v.paused,
    "right": lambda v: v.data.time[0] == v.model.opt.timestep,
    "down": lambda v: v.data.time[0] > 0.19,
    "left": lambda v: v.message == "no earlier state is kept",
    "up": lambda v: v.message == "no earlier state is kept",
    "-": lambda v: v.pace.speed == 0.5,
    "=": lambda v: v.pace.speed == 2.0,
    "backspace": lambda v: v.states == 1,
    "ctrl k": lambda v: height(v) == 3.0,
}
for _key, _name in FLAGS.items():
    ROWS[_key] = lambda v, k=int(VIS[f"mjVIS_{_name}"]): v.opt.flags[k] != type(v.opt)().flags[k]
for _key, _name in EFFECTS.items():
    ROWS[_key] = lambda v, k=int(RND[f"mjRND_{_name}"]): v.scn.flags[k] != mjenv.MjvScene().flags[k]
for _k in range(6):
    ROWS[f"{_k}"] = lambda v, k=_k: v.opt.geomgroup[k] == (k > 2)
    ROWS[f"shift {_k}"] = lambda v, k=_k: v.opt.sitegroup[k] == (k > 2)


@pytest.mark.parametrize("row", KEYS, ids=lambda row: row.key)
def test_every_key(row, window):
    """Each row of the table does what its test says, and draws a picture."""
    before = row.on(window) if row.section == "what is shown" else None
    press(window, row.key)
    assert ROWS[row.key](window)
    assert before is None or bool(row.on(window)) != bool(before)


def test_keys_have_one_row_each():
    names = [row.key for row in KEYS]
    assert len({*names}) == len(names)
    assert {*names} == {*ROWS}


def test_keys_are_mujocos():
    """Flags and effects are switched by the keys of MuJoCo's own window."""
    mujoco = pytest.importorskip("mujoco")
    keys = {int(VIS[f"mjVIS_{name}"]): key for key, name in FLAGS.items()}
    theirs = {k: row[2].lower() for k, row in enumerate(mujoco.mjVISSTRING) if row[2]}
    assert keys == theirs
    effects = {int(RND[f"mjRND_{name}"]): key for key, name in EFFECTS.items()}
    assert effects.items() <= {k: r[2].lower() for k, r in enumerate(mujoco.mjRNDSTRING)}.items()


def test_the_help_has_every_key():
    lines = help_lines(time=True)
    shown = [row for row in KEYS if row.section != "what is shown"]
    assert all((row.key, row.help) in lines for row in shown)
    assert not any(row.section == TIME and (row.key, row.help) in help_lines(False) for row in KEYS)


def test_signs_are_known_by_what_they_type(window):
    """On keyboards where a sign is another key's."""
    post(pygame.KEYDOWN, key=pygame.K_8, mod=0, unicode="[")
    window.frame()
    assert window.camera_name() == "side"
    post(pygame.KEYDOWN, key=pygame.K_PLUS, mod=0, unicode="+")
    window.frame()
    assert window.pace.speed == 2.0


# ---------------------------------------------------------------- overlays and selection


def test_overlays_are_seen(window):
    press(window, "space", "f2", "f3", "f4")
    from mjenv.viewing.overlays import info, sensors

    assert ("selected", "ball") not in info(window)
    window._mouse.select(1)
    assert ("selected", "ball") in info(window)
    assert dict(info(window))["speed"] == "paused of 1"
    assert sensors(window) == [("place", "0 0 1")]
    assert {name for name, _ in window.profile.lines()} >= {"scene", "picture", "words", "pictures"}
    with_panels = window._screen.shown()
    press(window, "f2", "f3", "f4")
    assert (with_panels != window._screen.shown()).any(-1).mean() > 0.1


def test_a_model_without_sensors():
    model = mjenv.Model.from_xml_string("<mujoco/>")
    viewer = Viewer(ModelSubject(model), size=SIZE, fps=0)
    press(viewer, "f1", "f2", "f3", "f4")
    press(viewer, "f1")
    from mjenv.viewing.overlays import sensors

    assert sensors(viewer) == [("", "the model has no sensors")]
    viewer.close()


def labels(scn, width, height):
    """Labels of a scene with the pixels where their geoms are seen: (text, column, row)."""
    rows = scn.geom_table[: scn.ngeom]
    rows = rows[rows["label"] != b""]
    if not len(rows):
        return []
    eye = mjv_averageCamera(scn.camera[0], scn.camera[1])
    pos, forward, up = (np.asarray(v, np.float64) for v in (eye.pos, eye.forward, eye.up))
    right = normalized(np.cross(forward, up))

    # places in the frame of the camera, scaled to the near plane
    away = rows["pos"].astype(np.float64) - pos
    depth = away @ forward
    scale = 1.0 if eye.orthographic else eye.frustum_near / np.maximum(depth, 1e-9)
    aside, above = (away @ right) * scale, (away @ up) * scale

    # from the near plane to pixels
    opening = eye.frustum_top - eye.frustum_bottom
    half = eye.frustum_width or 0.5 * opening * width / height
    x = (0.5 + 0.5 * (aside - eye.frustum_center) / half) * width
    y = (eye.frustum_top - above) / opening * height
    seen = (depth > eye.frustum_near) & (x >= 0) & (x < width) & (y >= 0) & (y < height)
    return [
        (rows["label"][k].decode(errors="replace"), int(x[k]), int(y[k]))
        for k in np.flatnonzero(seen)
    ]


def test_bodies_are_selected_where_they_are_seen(window):
    """Through every camera."""
    window.opt.label = int(mjenv.mjtLabel.mjLABEL_GEOM)
    for camera in range(3):
        press(window, "space", "]")
        (found,) = [label for label in labels(window.scn, *SIZE) if label[0] == "skull"]
        assert window._mouse.at(found[1:], SIZE).bodyid == 1, camera


# ---------------------------------------------------------------- mouse


def drag(buttons, rel, ctrl=False):
    post(pygame.MOUSEMOTION, pos=(0, 0), rel=rel, buttons=buttons)


def click(place, button=1, mod=0):
    post(pygame.MOUSEBUTTONDOWN, pos=place, button=button, mod=mod)


def middle_of(viewer, body):
    """The pixel that a body is seen at."""
    label, viewer.opt.label = viewer.opt.label, int(mjenv.mjtLabel.mjLABEL_BODY)
    viewer._update()
    (found,) = [at[1:] for at in labels(viewer.scn, *SIZE) if at[0] == body]
    viewer.opt.label = label
    return found


def test_drags_turn_shift_and_come_closer(window):
    cam = window.cam
    before = copy.copy(cam)
    drag((0, 0, 0), (9, 9))
    window.frame()
    assert cam == before
    drag((1, 0, 0), (5, 0))
    drag((1, 0, 0), (5, 0))
    window.frame()
    assert cam.azimuth == pytest.approx(before.azimuth - 10 / SIZE[1] * 180)
    drag((1, 0, 0), (0, 1000))
    window.frame()
    assert cam.elevation == -89.0
    assert (cam.lookat == before.lookat).all()
    drag((0, 0, 1), (7, 0))
    window.frame()
    assert (cam.lookat != before.lookat).any()
    drag((0, 1, 0), (0, 3))
    window.frame()
    closer = cam.distance
    assert closer < before.distance
    post(pygame.MOUSEWHEEL, y=1, x=0)
    window.frame()
    assert cam.distance < closer


def test_a_double_click_selects(window):
    press(window, "space")
    place = middle_of(window, "ear")
    click(place)
    window.frame()
    assert window.pert.select == 0
    click(place)
    window.frame()
    assert window.pert.select == 2
    assert window.message == "ear is selected"
    assert np.linalg.norm(window.pert.localpos) == pytest.approx(0.05, abs=1e-6)  # on its ball
    press(window, "page up")
    assert window.pert.select == 1
    # slow clicks are two clicks, and so are distant ones
    for seconds, shift in ((1.0, 0), (0.0, 30)):
        window.pert.select = 0
        click(place)
        wait(window, 1.0)
        click((place[0] + shift, place[1]))
        wait(window, seconds)
        assert window.pert.select == 0
    click((1, 1))
    click((1, 1))
    window.frame()
    assert window.message == "nothing is selected"


def test_right_double_clicks_look_and_track(window):
    press(window, "space")
    place = middle_of(window, "ear")
    click(place, 3)
    click(place, 3)
    window.frame()
    assert np.linalg.norm(window.cam.lookat - window.data.xpos[0, 2]) < 0.06
    place = middle_of(window, "ear")
    click(place, 3, pygame.KMOD_CTRL)
    click(place, 3, pygame.KMOD_CTRL)
    window.frame()
    assert window.camera_name() == "tracks ear"


@pytest.mark.parametrize(("button", "rows"), [(1, slice(3, 6)), (3, slice(0, 3))])
def test_dragging_with_ctrl_pulls_and_turns(button, rows, window):
    """The selected body gets a force or a torque as long as the button is down."""
    window._mouse.select(1)
    click((5, 5), button, pygame.KMOD_CTRL)
    cam = copy.copy(window.cam)
    drag((button == 1, 0, button == 3), (20, 0))
    wait(window, 0.05)
    assert window.cam == cam
    assert np.abs(window.data.xfrc_applied[0, 1, rows]).max() > 0.01
    moved = window.data.qvel[0, rows]
    assert np.abs(moved).max() > 0.01
    post(pygame.MOUSEBUTTONUP, pos=(5, 5), button=button)
    wait(window, 0.01)
    assert not window.data.xfrc_applied.any()
    assert window.pert.active == 0


def test_a_pull_during_a_pause_moves_the_body(window):
    press(window, "space")
    window._mouse.select(1)
    click((5, 5), 3, pygame.KMOD_CTRL)
    drag((0, 0, 1), (20, 0))
    window.frame()
    assert np.abs(window.data.qpos[0, :2]).max() > 0.05
    assert window.data.xpos[0, 1] == pytest.approx(window.data.qpos[0, :3])
    assert window.data.time[0] == 0


# ---------------------------------------------------------------- sliders

ARM = """
<mujoco>
  <worldbody>
    <body><freejoint/><geom size=".1"/>
      <body name="arm" pos="0 0 .3">
        <joint name="turn" type="hinge" range="-90 90" limited="true"/><geom size=".1"/>
        <body><joint name="push" type="slide"/><geom size=".1"/></body>
        <body><joint type="ball"/><geom size=".1"/></body>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor name="strong" joint="turn" ctrlrange="-4 6" ctrllimited="true"/><motor joint="push"/>
  </actuator>
</mujoco>
"""


@pytest.fixture
def levers(tmp_path):
    """A window with sliders, that stands still."""
    model = mjenv.Model.from_xml_string(ARM)
    viewer = Viewer(ModelSubject(model), size=(640, 480), fps=0, pace=Pace(Clock()))
    press(viewer, "space", "tab")
    yield viewer
    viewer.close()


def slider(viewer, name):
    """A slider of the panel."""
    return [s for s, lever in viewer._panel._sliders if lever.name == name][-1]


def pull(viewer, name, way):
    """Drag a slider by so many pixels, between two frames."""
    found = slider(viewer, name)
    x, y = found._test_get_pos_value(found.get_value())
    post(pygame.MOUSEBUTTONDOWN, pos=(x, y), button=1)
    for k in range(abs(way)):
        step = way // abs(way)
        post(pygame.MOUSEMOTION, pos=(x + k * step, y), rel=(step, 0), buttons=(1, 0, 0))
    post(pygame.MOUSEBUTTONUP, pos=(x + way, y), button=1)
    viewer.frame()


def push_button(viewer, words):
    (button,) = [b for b in viewer._panel._buttons if b.get_title() == words]
    at = button.get_rect(to_real_position=True).center
    for kind in (pygame.MOUSEBUTTONDOWN, pygame.MOUSEBUTTONUP):
        post(kind, pos=at, button=1)
    viewer.frame()


def test_sliders_are_of_controls_and_joints(levers):
    rows = [lever[:3] for _, lever in levers._panel._sliders]
    assert rows == [
        ("noise", 0, 1), ("strong", -4, 6), ("actuator 1", -1, 1),
        ("turn", -np.pi / 2, np.pi / 2), ("push", -1, 1),
    ]  # fmt: skip


def test_sliders_move_controls_and_joints(levers):
    """And nothing else: neither the camera, nor what is selected."""
    camera = copy.copy(levers.cam)
    pull(levers, "strong", 20)
    assert levers.data.ctrl[0] == pytest.approx([2, 0])
    pull(levers, "push", -30)
    assert levers.data.qpos[0, 8] == pytest.approx(-0.6)
    assert levers.data.xpos[0, 3, 0] == pytest.approx(0)
    assert levers.data.xpos[0, 3, 2] == pytest.approx(-0.3)  # forward was called
    pull(levers, "push", -80)  # beyond the end
    assert levers.data.qpos[0, 8] == pytest.approx(-1)
    assert (levers.cam, levers.pert.select) == (camera, 0)
    push_button(levers, "all to 0")
    assert not levers.data.ctrl.any()


def test_sliders_follow(levers):
    levers.data.qpos[0, 7] = 0.25
    press(levers, "space")
    wait(levers, 0.2)
    wait(levers, 0.2)
    shown = slider(levers, "turn").get_value()
    assert shown != 0
    assert shown == pytest.approx(levers.data.qpos[0, 7], abs=0.1)
    levers.data.qpos[0, 7] = 100.0  # further than the slider goes
    levers.changed = levers.paused = True
    wait(levers, 1.0)
    assert slider(levers, "turn").get_value() == pytest.approx(np.pi / 2)


def test_noise_of_controls(levers):
    """About where the sliders are, within limits; gone with its slider."""
    pull(levers, "strong", 10)
    pull(levers, "noise", 20)
    assert levers.subject.noise == pytest.approx(0.2)
    seen = []
    for _ in range(200):
        levers.subject.step(50)  # 0.1 s
        seen.append(levers.data.ctrl[0].copy())
    assert np.mean(seen, 0) == pytest.approx([1, 0], abs=0.4)
    assert np.std(seen, 0) == pytest.approx([1, 0.2], rel=0.3)
    levers.subject.noise = 5.0
    levers.subject.step(50)
    assert np.abs(levers.data.ctrl[0, 1]) <= 1
    levers.subject.noise = 0.0
    levers.subject.step(1)
    assert levers.data.ctrl[0] == pytest.approx([1, 0])


def test_sliders_take_the_actions_of_an_environment():
    acted = []

    def act(observation):
        acted.append(observation)
        return np.full(2, 0.5)

    viewer = windows.environment_viewer("mjenv/Swimmer-v5", act=act)
    press(viewer, "space", "tab", "right")
    name = viewer._panel._sliders[0][1].name
    assert len(acted) == 1
    pull(viewer, name, -20)
    press(viewer, "right")
    assert len(acted) == 1
    assert viewer.data.ctrl[0] == pytest.approx([0.1, 0.5])
    push_button(viewer, "all to 0")
    press(viewer, "right")
    assert not viewer.data.ctrl.any()
    push_button(viewer, "give back")
    press(viewer, "right")
    assert len(acted) == 2
    viewer.close()


def test_many_sliders_are_scrolled():
    joints = "".join(f"<body><joint name='j{k}'/><geom size='.1'/></body>" for k in range(60))
    model = mjenv.Model.from_xml_string(f"<mujoco><worldbody>{joints}</worldbody></mujoco>")
    viewer = Viewer(ModelSubject(model), size=(640, 480), fps=0, pace=Pace(Clock()))
    press(viewer, "space", "tab")
    before, camera = viewer._screen.shown(), copy.copy(viewer.cam)
    post(pygame.MOUSEMOTION, pos=(600, 200), rel=(1, 0), buttons=(0, 0, 0))
    for _ in range(20):
        post(pygame.MOUSEWHEEL, y=-1, x=0)
    corner = before[:16, 560:630]
    assert (corner == corner[0, 0]).all()  # what is not seen writes nothing
    viewer.frame()
    assert viewer.cam == camera
    assert (viewer._screen.shown() != before).any()
    pull(viewer, "j59", 20)
    assert viewer.data.qpos[0, 59] == pytest.approx(0.4 * np.pi)
    post(pygame.MOUSEMOTION, pos=(100, 200), rel=(1, 0), buttons=(0, 0, 0))
    post(pygame.MOUSEWHEEL, y=-1, x=0)
    viewer.frame()
    assert viewer.cam.distance > camera.distance
    viewer.close()


def test_sliders_of_other_sizes_and_models(levers, tmp_path):
    first = levers._panel
    pygame.display.set_mode((500, 400), pygame.RESIZABLE)
    levers.changed = True
    levers.frame()
    assert levers._panel is not first
    (tmp_path / "ball.xml").write_text(MODEL)
    levers.load(tmp_path / "ball.xml")
    levers.frame()
    assert not levers._panel._sliders  # a free joint and no actuators
    press(levers, "tab")
    assert levers.overlays == set()


# ---------------------------------------------------------------- files and sizes


def test_screenshot(window, tmp_path):
    """A picture without panels."""
    from PIL import Image

    press(window, "space", "f1", "ctrl p")
    (path,) = tmp_path.glob("mjenv-*.png")
    picture = np.asarray(Image.open(path))
    expected = window._painter.renderer.render()
    assert (picture == expected).all()
    assert window.message == f"{path} is written"
    assert window.overlays == {"help"}


def test_film(window, tmp_path):
    """A film has a picture for each sixtieth of a second, however long they take."""
    press(window, "ctrl r")
    for _ in range(29):
        wait(window, 3.0)
    assert window.data.time[0] == pytest.approx(0.5, abs=0.003)
    press(window, "space", "ctrl r")
    (path,) = tmp_path.glob("mjenv-*.mp4")
    assert window.message == f"{path}: 30 pictures"
    assert path.stat().st_size > 1000


def test_another_size_ends_a_film(window, tmp_path):
    press(window, "ctrl r")
    pygame.display.set_mode((100, 80), pygame.RESIZABLE)
    wait(window, 0.01)
    assert window._film is None
    assert window.message.endswith("1 pictures")


def test_where_no_file_can_be_written(window):
    window.folder = window.folder / "nowhere"
    press(window, "ctrl p")
    assert "No such file" in window.message


def test_resize(window):
    pygame.display.set_mode((200, 100), pygame.RESIZABLE)
    wait(window, 0.05)
    assert window._screen.shown().shape == (100, 200, 3)
    assert (window._painter.renderer.height, window._painter.renderer.width) == (100, 200)


def test_edits_are_seen(window, tmp_path):
    """A file that is written again is read again; mistakes are told, and what was stays."""
    window.cam.azimuth = 12.0
    path = tmp_path / "ball.xml"
    path.write_text(MODEL.replace('pos="0 0 1"><free', 'pos="0 0 2"><free'))
    os.utime(path, ns=(1, 1))
    wait(window, 1.0)
    # it has fallen for a frame since, which makes up for a quarter of a second
    assert 1.6 < height(window) <= 2.0
    assert window.message == f"{path} is read"
    assert window.cam.azimuth == 12.0
    path.write_text("<mujoco><worldbdy/></mujoco>")
    wait(window, 1.0)
    assert "worldbdy" in window.message
    assert window.model.nbody == 3
    wait(window, 4.0)
    assert window.message == ""


def test_files_are_dropped(window, tmp_path):
    (tmp_path / "box.xml").write_text(
        "<mujoco><worldbody><geom type='box' size='1 1 1'/></worldbody></mujoco>"
    )
    post(pygame.DROPFILE, file=str(tmp_path / "box.xml"))
    window.frame()
    assert window.model.nbody == 1
    post(pygame.DROPFILE, file=str(tmp_path / "missing.xml"))
    window.frame()
    assert "missing.xml" in window.message


# ---------------------------------------------------------------- environments


def test_environments_go_back_and_on():
    viewer = windows.environment_viewer("mjenv/Swimmer-v5", seed=3)
    viewer.pace.clock = Clock()
    assert isinstance(viewer.subject, EnvironmentSubject)
    press(viewer, "space", "right")
    first = viewer.data.qpos.copy()
    press(viewer, "right", "right")
    assert viewer.data.time[0] == pytest.approx(3 * viewer.subject.dt)
    press(viewer, "left", "left")
    assert (viewer.data.qpos == first).all()
    press(viewer, "ctrl k")
    assert viewer.message == "keyframes are of models, not of environments"
    press(viewer, "ctrl l")
    assert viewer.message == "there is no file to read again"
    viewer.load("x.xml")
    assert viewer.message == "files are shown by `mjenv view FILE`"
    press(viewer, "backspace")
    assert viewer.data.time[0] == 0
    viewer.close()


def test_agents_act_on_what_they_see():
    """Also on what they see after a step back."""
    seen = []

    def act(observation):
        seen.append(observation)
        return np.zeros(1)

    viewer = windows.environment_viewer("mjenv/InvertedPendulum-v5", act=act)
    press(viewer, "right", "right", "left", "right")
    viewer.close()
    assert (seen[1] != seen[0]).any()
    assert (seen[2] == seen[1]).all()


# ---------------------------------------------------------------- windows that others step


@pytest.fixture
def passive():
    model = mjenv.Model.from_xml_string(MODEL)
    data = mjenv.Data(model, 2)
    mjenv.forward(model, data)
    keys = []
    with windows.launch_passive(model, data, key_callback=keys.append, size=SIZE) as handle:
        handle._viewer.pace.clock = Clock()
        handle._shown = -1.0
        yield model, data, handle, keys


def sync(handle):
    handle._viewer.pace.clock.now += 1.0
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
        handle._viewer.pace.clock.now += 0.001
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
        handle._viewer.pace.clock.now += 0.02
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
        handle._viewer.pace.clock = Clock()
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


def test_the_next_camera_of_any(window):
    window.cam.type = int(mjenv.mjtCamera.mjCAMERA_USER)
    press(window, "]")
    assert window.camera_name() == "tracks ball"
    window.cam.fixedcamid = 0
    press(window, "]")
    assert window.camera_name() == "side"


# ---------------------------------------------------------------- without a display


@pytest.mark.parametrize("driver", ["", "x11"])
def test_without_a_display(driver, tmp_path):
    """No window that nobody sees: an error that says what to do instead."""
    (tmp_path / "ball.xml").write_text(MODEL)
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER", "XDG_RUNTIME_DIR")
    around = {name: value for name, value in os.environ.items() if name not in hidden}
    if driver:
        around["SDL_VIDEODRIVER"] = driver
    command = [sys.executable, "-m", "mjenv.cli", "view", str(tmp_path / "ball.xml")]
    done = subprocess.run(command, env=around, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1
    assert "mjenv view: window: there is no display" in done.stderr
    assert "`mjenv record` writes a film" in done.stderr
