"""Sliders of controls, joints and actions."""

import copy

import numpy as np
import pygame
import pytest

import mjenv
from mjenv import viewer as windows
from mjenv.viewing.real_time import RealTime
from mjenv.viewing.simulations import ModelSimulation
from mjenv.viewing.viewer import Viewer
from tests.mjenv.viewing.hands import (
    ARM,
    MODEL,
    Clock,
    post,
    press,
    pull,
    push_button,
    slider,
    wait,
)


@pytest.fixture
def sliders(tmp_path):
    """A window with sliders, that stands still."""
    model = mjenv.Model.from_xml_string(ARM)
    viewer = Viewer(ModelSimulation(model), size=(640, 480), fps=0, real_time=RealTime(Clock()))
    press(viewer, "space", "tab")
    yield viewer
    viewer.close()


def test_sliders_are_of_controls_and_joints(sliders):
    rows = [slider[:3] for _, slider in sliders._panel._sliders]
    assert rows == [
        ("noise", 0, 1), ("strong", -4, 6), ("actuator 1", -1, 1),
        ("turn", -np.pi / 2, np.pi / 2), ("push", -1, 1),
    ]  # fmt: skip


def test_sliders_move_controls_and_joints(sliders):
    """And nothing else: neither the camera, nor what is selected."""
    camera = copy.copy(sliders.cam)
    pull(sliders, "strong", 20)
    assert sliders.data.ctrl[0] == pytest.approx([2, 0])
    pull(sliders, "push", -30)
    assert sliders.data.qpos[0, 8] == pytest.approx(-0.6)
    assert sliders.data.xpos[0, 3, 0] == pytest.approx(0)
    assert sliders.data.xpos[0, 3, 2] == pytest.approx(-0.3)  # forward was called
    pull(sliders, "push", -80)  # beyond the end
    assert sliders.data.qpos[0, 8] == pytest.approx(-1)
    assert (sliders.cam, sliders.pert.select) == (camera, 0)
    push_button(sliders, "all to 0")
    assert not sliders.data.ctrl.any()


def test_sliders_follow(sliders):
    sliders.data.qpos[0, 7] = 0.25
    press(sliders, "space")
    wait(sliders, 0.2)
    wait(sliders, 0.2)
    shown = slider(sliders, "turn").get_value()
    assert shown != 0
    assert shown == pytest.approx(sliders.data.qpos[0, 7], abs=0.1)
    sliders.data.qpos[0, 7] = 100.0  # further than the slider goes
    sliders.changed = sliders.paused = True
    wait(sliders, 1.0)
    assert slider(sliders, "turn").get_value() == pytest.approx(np.pi / 2)


def test_noise_of_controls(sliders):
    """About where the sliders are, within limits; gone with its slider."""
    pull(sliders, "strong", 10)
    pull(sliders, "noise", 20)
    assert sliders.simulation.noise == pytest.approx(0.2)
    seen = []
    for _ in range(200):
        sliders.simulation.step(50)  # 0.1 s
        seen.append(sliders.data.ctrl[0].copy())
    assert np.mean(seen, 0) == pytest.approx([1, 0], abs=0.4)
    assert np.std(seen, 0) == pytest.approx([1, 0.2], rel=0.3)
    sliders.simulation.noise = 5.0
    sliders.simulation.step(50)
    assert np.abs(sliders.data.ctrl[0, 1]) <= 1
    sliders.simulation.noise = 0.0
    sliders.simulation.step(1)
    assert sliders.data.ctrl[0] == pytest.approx([1, 0])


def test_noise_leaves_controls_where_they_were_put(sliders):
    """Also beyond the ends of a slider, where the actuator has no limits."""
    sliders.data.ctrl[0, 1] = 7.0
    sliders.simulation.noise = 0.01
    sliders.simulation.step(50)
    assert sliders.data.ctrl[0, 1] == pytest.approx(7.0, abs=0.1)
    assert sliders.data.ctrl[0, 1] != 7.0


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


@pytest.mark.slow
def test_many_sliders_are_scrolled():
    joints = "".join(f"<body><joint name='j{k}'/><geom size='.1'/></body>" for k in range(60))
    model = mjenv.Model.from_xml_string(f"<mujoco><worldbody>{joints}</worldbody></mujoco>")
    viewer = Viewer(ModelSimulation(model), size=(640, 480), fps=0, real_time=RealTime(Clock()))
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


def test_sliders_of_other_sizes_and_models(sliders, tmp_path):
    first = sliders._panel
    pygame.display.set_mode((500, 400), pygame.RESIZABLE)
    sliders.changed = True
    sliders.frame()
    assert sliders._panel is not first
    (tmp_path / "ball.xml").write_text(MODEL)
    sliders.load(tmp_path / "ball.xml")
    sliders.frame()
    assert not sliders._panel._sliders  # a free joint and no actuators
    press(sliders, "tab")
    assert sliders.overlays == set()
