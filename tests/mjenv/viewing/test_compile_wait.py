"""The window while code is compiled that it waits for."""

import threading
import time

import pygame
import pytest

from mjenv.engine.simd.meanwhile import beside
from mjenv.viewing.simulations import ModelSimulation
from mjenv.viewing.viewer import Viewer
from tests.mjenv.viewing.hands import MODEL, SIZE, drag, post, press, tap


def compiling(window, monkeypatch, *acts):
    """Show a frame whose step waits for code; the window does the acts, one after the other."""
    pictures, step, left = [], window.simulation.step, list(acts)
    draw = window._compile_wait._draw

    def drawn(now):
        draw(now)
        pictures.append((window._screen.shown(), window._compile_wait._note(now)))
        if left:
            left.pop(0)()

    def slow(count):
        deadline = time.perf_counter() + 20.0
        beside(["cast_rays", "b", "c", "d", "e"], lambda: wait_for(left, deadline))
        step(count)

    monkeypatch.setattr(window._compile_wait, "_draw", drawn)
    monkeypatch.setattr(window.simulation, "step", slow)
    press(window, "right")
    monkeypatch.undo()
    return pictures


def wait_for(left, deadline):
    """Take as long as there is something to do, and two pictures more."""
    while left and time.perf_counter() < deadline:
        time.sleep(0.01)
    time.sleep(0.15)


def test_the_picture_lives_on(window, monkeypatch):
    """The camera moves at once; other keys do nothing, then and later."""
    azimuth, distance = window.cam.azimuth, window.cam.distance
    pictures = compiling(
        window, monkeypatch,
        lambda: drag((1, 0, 0), (30, 0)), lambda: tap("h"),
        lambda: post(pygame.MOUSEWHEEL, y=1, precise_y=1.0), lambda: None,
    )  # fmt: skip
    assert window.cam.azimuth == pytest.approx(azimuth - 30 / SIZE[1] * 180)
    assert window.cam.distance < distance
    first, last = pictures[0], pictures[-1]
    assert (first[0][:74] != last[0][:74]).any()
    assert first[1] == ["compiling, once for this processor: cast rays, b, c and 2 more (0 s)"]
    assert last[1][1] == "time stands still; 'convex hulls' was not done"
    assert not window.opt.flags[0]
    window.frame()
    assert not window.opt.flags[0]
    assert window.data.time[0] == window.model.opt.timestep


@pytest.mark.parametrize("way", ["escape", "ctrl q", "window"])
def test_the_window_can_be_closed(window, monkeypatch, way):
    quits = (lambda: post(pygame.QUIT)) if way == "window" else (lambda: tap(way))
    start = time.perf_counter()
    compiling(window, monkeypatch, quits, *[lambda: None] * 100)
    assert window.closed
    assert time.perf_counter() - start < 5.0
    window.frame()


def test_cameras_that_follow_and_those_of_the_model(window, monkeypatch):
    """The world is not looked at while it may be half way through a step."""
    for name in ("]", "]"):
        press(window, name)
        pictures = compiling(window, monkeypatch, lambda: drag((1, 0, 0), (9, 0)), lambda: None)
        assert len(pictures) > 1


def test_the_window_is_closed_before_its_first_picture(monkeypatch, tmp_path):
    from mjenv.viewing import viewer as module

    def render_thread(*_):
        post(pygame.QUIT)
        beside(["draw"], lambda: threading.Event().wait(0.5))

    monkeypatch.setattr(module, "RenderThread", render_thread)
    (tmp_path / "ball.xml").write_text(MODEL)
    with pytest.raises(OSError, match="window: closed before there was a picture"):
        Viewer(ModelSimulation(path=tmp_path / "ball.xml"), size=SIZE, fps=0)
