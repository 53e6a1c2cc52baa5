"""Environments and agents in the window."""

import numpy as np
import pygame
import pytest

import mjenv
from mjenv import viewer as windows
from mjenv.commands.cli import main
from mjenv.viewing.simulations import EnvironmentSimulation
from mjenv.visual.cameras import FIXED, FREE, TRACKING
from tests.mjenv.viewing.hands import MODEL, Clock, post, press


def test_environments_go_back_and_on():
    viewer = windows.environment_viewer("mjenv/Swimmer-v5", seed=3)
    viewer.real_time.clock = Clock()
    assert isinstance(viewer.simulation, EnvironmentSimulation)
    press(viewer, "space", "right")
    first = viewer.data.qpos.copy()
    press(viewer, "right", "right")
    assert viewer.data.time[0] == pytest.approx(3 * viewer.simulation.dt)
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


def share_of_robot(viewer):
    """Share of the picture that shows something else than the floor and the sky."""
    mjenv.forward(viewer.model, viewer.data)
    viewer._update()
    renderer = mjenv.Renderer(viewer.model, 120, 160)
    renderer.scene.copy_from(viewer.scn)
    renderer.enable_segmentation_rendering()
    number, kind = np.moveaxis(renderer.render(), -1, 0)
    geoms = (kind == int(mjenv.mjtObj.mjOBJ_GEOM)) & (number >= 0)
    return (geoms & (viewer.model.geom_bodyid[np.maximum(number, 0)] > 0)).mean()


@pytest.mark.sweep(1)
@pytest.mark.parametrize("name", ["HalfCheetah-v5", "QuadrupedJoystick-v0", "cheetah-run-v0"])
def test_the_camera_goes_with_what_travels(name):
    """Also after a look elsewhere; the mouse still turns it."""
    viewer = windows.environment_viewer(f"mjenv/{name}")
    assert viewer.cam.type == TRACKING
    before = share_of_robot(viewer)
    assert before > 0.01
    viewer.data.qpos[0, 0] += 30.0
    assert share_of_robot(viewer) == pytest.approx(before, rel=0.3)
    press(viewer, "space", "[")
    assert viewer.cam.type == FREE
    viewer.cam.azimuth += 90
    press(viewer, "ctrl a")
    assert viewer.cam.type == TRACKING
    assert share_of_robot(viewer) == pytest.approx(before, rel=0.3)
    viewer.close()


def test_the_camera_stands_where_the_film_is_taken_from():
    """Of what travels, and of a robot whose camera does not."""
    for name in ("QuadrupedJoystick-v0", "ArmLift-v0"):
        viewer = windows.environment_viewer(f"mjenv/{name}")
        model, data, eye = viewer.model, viewer.data, viewer.scn.camera[0]
        camid = model.camera("track").id
        way = data.cam_xpos[0, camid] - eye.pos
        forward = -data.cam_xmat[0, camid].reshape(3, 3)[:, 2]
        assert eye.forward == pytest.approx(forward, abs=1e-6)
        assert np.abs(way).max() < 0.1 * viewer.cam.distance
        viewer.close()


def test_the_camera_that_the_environment_was_made_with():
    for words in ({"camera_name": "track"}, {"camera_id": 0}):
        viewer = windows.environment_viewer("mjenv/HalfCheetah-v5", env_kwargs=words)
        assert (viewer.cam.type, viewer.camera_name()) == (FIXED, "track")
        viewer.close()


def test_the_camera_that_is_asked_for(monkeypatch, capsys, tmp_path):
    """On the command line, of environments and of models."""
    seen = []
    monkeypatch.setattr(windows.Viewer, "run", lambda viewer, frames: seen.append(viewer))
    (tmp_path / "ball.xml").write_text(MODEL)
    for what, *words in (
        ("HalfCheetah-v5", "track"),
        ("HalfCheetah-v5", "free", "azimuth:10"),
        ("HalfCheetah-v5", "distance:7"),
        (str(tmp_path / "ball.xml"), "side"),
        (str(tmp_path / "ball.xml"), "track:ear", "elevation:-5"),
    ):
        assert main(["view", what, "--camera", *words]) == 0
    cameras = [viewer.cam for viewer in seen]
    assert [cam.type for cam in cameras] == [FIXED, FREE, TRACKING, FIXED, TRACKING]
    assert (cameras[1].azimuth, cameras[2].distance, cameras[4].elevation) == (10, 7, -5)
    assert cameras[4].trackbodyid == 2
    # a model without that camera starts with the free one
    (tmp_path / "other.xml").write_text(MODEL.replace("side", "front"))
    seen[3].load(tmp_path / "other.xml")
    assert seen[3].cam.type == FREE
    seen[-1].close()
    # what there is not is refused
    assert main(["view", "HalfCheetah-v5", "--camera", "trak"]) == 1
    assert "camera: 'trak': no such camera; did you mean 'track'?" in capsys.readouterr().err


@pytest.mark.sweep(1)
@pytest.mark.parametrize("name", ["QuadrupedJoystick-v0", "BipedJoystick-v0"])
def test_robots_follow_the_keyboard(name):
    """From the next step on, for as long as is asked; then the task draws commands again."""
    seen = []

    def act(observation):
        seen.append(observation)
        return np.zeros(env.action_space.shape)

    viewer = windows.environment_viewer(f"mjenv/{name}", act=act)
    env = viewer.simulation.env
    forward, aside, turning = env.unwrapped.task.fastest
    state = env.unwrapped.task_state

    # each press is a quarter of the fastest, never more than that
    press(viewer, "space", *["ctrl up"] * 2, "ctrl right", "shift left", "right")
    assert state.command == pytest.approx([forward / 2, aside / 4, -turning / 4])
    assert viewer.message.startswith(f"{forward / 2:.2f} m/s forward, {aside / 4:.2f} m/s to the l")
    press(viewer, *["ctrl up"] * 9, "ctrl left", "shift right", "right", "right")
    assert state.command == pytest.approx([forward, 0, 0])
    assert (seen[-1] != seen[-2]).any()

    # no other command is drawn meanwhile
    press(viewer, "down", "down", "down")
    assert state.command == pytest.approx([forward, 0, 0])
    press(viewer, "f2", "ctrl space", "right")
    assert not state.command.any()
    press(viewer, "ctrl backspace", *["down"] * 3)
    assert viewer.simulation.commander.aim is None
    assert state.command.any()
    viewer.close()


def test_robots_follow_the_sticks_of_a_gamepad():
    viewer = windows.environment_viewer("mjenv/QuadrupedJoystick-v0")
    commander = viewer.simulation.commander

    def stick(axis, value):
        post(pygame.JOYAXISMOTION, axis=axis, value=value, instance_id=0)
        viewer.frame()

    press(viewer, "space")
    stick(1, 0.02)  # a stick that rests
    assert commander.aim is None
    stick(1, -1.0)
    stick(0, 0.5)
    stick(3, -0.5)
    assert commander.aim == pytest.approx([1.0, -0.2, 0.5])
    stick(1, 0.05)
    stick(7, 1.0)  # a trigger
    assert commander.aim == pytest.approx([0.0, -0.2, 0.5])
    post(pygame.JOYDEVICEADDED, device_index=0)
    viewer.frame()
    viewer.close()


def test_what_follows_no_commands_says_so():
    viewer = windows.environment_viewer("mjenv/Swimmer-v5")
    assert viewer.simulation.commander is None
    press(viewer, "ctrl up")
    assert viewer.message == "this follows no commands"
    press(viewer, "f1")
    viewer.close()
