"""The command line: its listing and its errors."""

import builtins

import pytest

from mjenv.cli import main


def failure(capsys, *argv):
    """What a failing command prints."""
    assert main([*map(str, argv)]) == 1
    return capsys.readouterr().err.strip()


@pytest.mark.parametrize("command", ["train", "record", "view"])
def test_unknown_environment(command, capsys):
    message = failure(capsys, command, "HalfChetah-v5")
    assert message == (
        f"mjenv {command}: HalfChetah-v5: no such environment; did you mean 'HalfCheetah-v5'?"
    )


def test_nothing_like_it(capsys):
    assert failure(capsys, "train", "xyz").endswith("no such environment; `mjenv envs` lists them")


def test_no_run(tmp_path, capsys):
    pytest.importorskip("stable_baselines3")
    assert "expected the folder of a run" in failure(capsys, "eval", tmp_path / "nothing")


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (["train", "Ant-v5", "--steps", "0"], "found '0', expected a whole number above 0"),
        (["record", "Ant-v5", "--size", "640"], "found '640', expected WIDTHxHEIGHT"),
        (["dance"], "invalid choice: 'dance'"),
    ],
)
def test_wrong_arguments(argv, expected, capsys):
    with pytest.raises(SystemExit) as error:
        main(argv)
    assert error.value.code == 2
    assert expected in capsys.readouterr().err


def test_missing_package_names_the_extra(monkeypatch, capsys):
    """Training without the packages that it needs says what to install."""
    real = builtins.__import__

    def without_training(name, *rest):
        if name.startswith(("mjenv.training", "torch", "stable_baselines3")):
            raise ModuleNotFoundError("No module named 'torch'", name="torch")
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without_training)
    message = failure(capsys, "train", "HalfCheetah-v5")
    assert "torch: not installed" in message
    assert "pip install 'mjenv[train]'" in message


def test_envs(capsys):
    assert main(["envs"]) == 0
    lines = capsys.readouterr().out.splitlines()
    (cheetah,) = [line.split() for line in lines if line.startswith("HalfCheetah-v5")]
    assert cheetah[1:4] == ["17", "6", "1000"]


def test_bench_passes_its_arguments_on(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["bench", "--help"])
    assert stop.value.code == 0
    assert "--quick" in capsys.readouterr().out


MODEL = """
<mujoco>
  <worldbody>
    <geom type="plane" size="1 1 .1"/>
    <body pos="0 0 1"><freejoint/><geom size=".1"/></body>
  </worldbody>
</mujoco>
"""


def test_view_model(tmp_path, capsys):
    """The window opens on a model, time goes on, and it closes."""
    (tmp_path / "ball.xml").write_text(MODEL)
    assert main(["view", str(tmp_path / "ball.xml"), "--frames", "2"]) == 0
    assert "escape: quit" in capsys.readouterr().out


def test_view_environment():
    assert main(["view", "InvertedPendulum-v5", "--frames", "2"]) == 0


def test_view_reports_a_malformed_model(tmp_path, capsys):
    (tmp_path / "bad.xml").write_text("<mujoco><worldbdy/></mujoco>")
    assert "did you mean" in failure(capsys, "view", tmp_path / "bad.xml")
    assert "missing.xml" in failure(capsys, "view", tmp_path / "missing.xml")


def test_camera_of_the_viewer(tmp_path):
    """Dragging turns the camera, up to the poles, and the right button brings it closer."""
    from mjenv.viewer import model_viewer

    (tmp_path / "ball.xml").write_text(MODEL)
    viewer = model_viewer(tmp_path / "ball.xml")
    height = viewer.data.qpos[0, 2]
    viewer.run(3)
    assert viewer.data.qpos[0, 2] < height
    before = dict(viewer.camera)
    viewer.turn(10, 1000)
    assert viewer.camera["azimuth"] != before["azimuth"]
    assert viewer.camera["elevation"] == -89.0
    viewer.approach(-10)
    assert viewer.camera["distance"] < before["distance"]
