"""The mouse: views are turned, bodies selected and pulled."""

import copy

import numpy as np
import pygame
import pytest

from tests.mjenv.viewing.hands import SIZE, click, drag, middle_of, post, press, wait


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
