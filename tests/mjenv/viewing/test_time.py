"""Time in the window: its speed, pauses, steps forward and back."""

import numpy as np
import pytest

import mjenv
from mjenv.viewing.history import History
from mjenv.viewing.real_time import RealTime
from mjenv.visual.names import RND, VIS
from tests.mjenv.viewing.hands import SIZE, Clock, drag, drawn, height, press, tap, wait


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
    real_time = RealTime(clock)
    assert real_time.due(0.01) == 0
    clock.now = 60.0
    assert real_time.due(0.01) == 25
    real_time.rest()
    clock.now = 61.0
    assert real_time.due(0.01) == 0


def test_pace_measures_its_rate():
    clock = Clock()
    real_time = RealTime(clock)
    clock.now = 1.0
    real_time.note(0.25)
    assert real_time.rate == 0.25


@pytest.mark.parametrize("factor", [0.5, 2.0])
def test_speeds_have_bounds(factor):
    real_time = RealTime(Clock())
    for _ in range(30):
        real_time.change(factor)
    assert real_time.speed == (1 / 64 if factor < 1 else 16)


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
    assert not window._render_thread.busy
    wait(window, 0.05)
    press(window, "space")
    window.message = ""
    window._draw()
    assert (window._screen.shown() == drawn(window)).all()


def test_pictures_are_of_the_time_when_they_are_begun(window):
    expected = drawn(window)
    render_thread = window._render_thread
    render_thread.start(window.scn)
    window.scn.ngeom = 0
    assert (render_thread.finish() == expected).all()
    assert render_thread.finish() is None
    assert (render_thread.draw(window.scn) != expected).any()


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
    step = window.simulation.step
    azimuth = window.cam.azimuth

    def slow(count):
        window.real_time.clock.now += 5.0
        for name in ("h", "c", "h", "f2", "h"):
            tap(name)
        for _ in range(50):
            drag((1, 0, 0), (1, 0))
        step(count)

    monkeypatch.setattr(window.simulation, "step", slow)
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
    past = History(memory=80, most=5)
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
