"""Files that the window writes and reads, its sizes, and where there is no display."""

import os
import subprocess
import sys

import numpy as np
import pygame
import pytest

import mjenv
from tests.mjenv.viewing.hands import MODEL, height, post, press, wait


def test_screenshot(window, tmp_path):
    """A picture without panels."""
    from PIL import Image

    press(window, "space", "f1", "ctrl p")
    (path,) = tmp_path.glob("mjenv-*.png")
    picture = np.asarray(Image.open(path))
    expected = window._render_thread.renderer.render()
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
    assert not window.files.filming
    assert window.message.endswith("1 pictures")


def test_where_no_file_can_be_written(window):
    window.files.folder = window.files.folder / "nowhere"
    for key in ("ctrl p", "ctrl s", "ctrl d"):
        window.say("")
        press(window, key)
        assert "No such file" in window.message


def test_the_model_and_its_numbers(window, tmp_path):
    press(window, "right", "ctrl s", "ctrl d")
    (model,) = tmp_path.glob("mjenv-*.mjenv")
    assert (mjenv.Model.load(model).key_qpos == window.model.key_qpos).all()
    (numbers,) = tmp_path.glob("mjenv-*.txt")
    assert numbers.read_text() == mjenv.print_data(window.model, window.data)
    assert window.message == f"{numbers} is written"


def test_a_pose_is_a_keyframe(window, capsys):
    press(window, "down", "ctrl c")
    key = capsys.readouterr().out
    model = mjenv.Model.from_xml_string(MODEL.replace("</keyframe>", f"{key}</keyframe>"))
    assert model.key_qpos[2] == pytest.approx(window.data.qpos[0], rel=1e-9)
    assert model.key_qvel[2] == pytest.approx(window.data.qvel[0], rel=1e-9)
    assert model.key_time[2] == pytest.approx(window.data.time[0])


def test_resize(window):
    pygame.display.set_mode((200, 100), pygame.RESIZABLE)
    wait(window, 0.05)
    assert window._screen.shown().shape == (100, 200, 3)
    assert (window._render_thread.renderer.height, window._render_thread.renderer.width) == (
        100,
        200,
    )


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


@pytest.mark.sweep(1)
@pytest.mark.parametrize("driver", ["", "x11"])
def test_without_a_display(driver, tmp_path):
    """No window that nobody sees: an error that says what to do instead."""
    (tmp_path / "ball.xml").write_text(MODEL)
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER", "XDG_RUNTIME_DIR")
    around = {name: value for name, value in os.environ.items() if name not in hidden}
    if driver:
        around["SDL_VIDEODRIVER"] = driver
    command = [sys.executable, "-m", "mjenv.commands.cli", "view", str(tmp_path / "ball.xml")]
    done = subprocess.run(command, env=around, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1
    assert "mjenv view: window: there is no display" in done.stderr
    assert "`mjenv record` writes a film" in done.stderr
    assert "XDG_RUNTIME_DIR" not in done.stderr
