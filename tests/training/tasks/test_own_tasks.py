"""Tasks of one's own on the command line: found, given arguments, found again for their runs."""

import importlib
import json
import subprocess
import sys

import gymnasium
import pytest

pytest.importorskip("stable_baselines3")
pytest.importorskip("torch")

from mjenv.commands.cli import main

PATH = list(sys.path)

SWING = """
import numpy as np
import mjenv

HARD = {"observation": mjenv.Channel(noise=mjenv.Normal(0.0, 0.01))}


class Swing(mjenv.Task):
    xml_file = "inverted_pendulum.xml"
    frame_skip = 2
    weight = 1.0

    def observation(self, data):
        return {"qpos": data.qpos, "qvel": data.qvel}

    def outcome(self, data, action, before):
        return mjenv.Outcome({"upright": self.weight * np.cos(data.qpos[..., 1])})
"""
REGISTERED = SWING + '\nmjenv.register("Swing-v0", Swing, max_episode_steps=20)\n'
SMALL = ["--n-envs", "2", "--steps", "16", "--seconds", "0"]
SMALL += ["--hyperparameters", "n_steps:8", "batch_size:8", "n_epochs:1", "net_arch:[8]"]


# a module with environments of tasks that stand elsewhere
OTHERS = """
import mjenv
from mjenv.envs.robots.arm import ArmLift

for k in range(10):
    mjenv.register(f"Reach{k}-v0", ArmLift, 30)
"""
NAMES = [f"Reach{k}-v0" for k in range(10)]


@pytest.fixture
def mjenv(monkeypatch, capsys):
    """Runs the command line in a folder, as a new process would, and returns what it prints."""

    def run(folder, *words, status=0, path=None):
        for name in ("swing", "one", "two", "tasks"):
            monkeypatch.delitem(sys.modules, name, raising=False)
        for name in ("Swing-v0", *NAMES):
            monkeypatch.delitem(gymnasium.registry, name, raising=False)
        monkeypatch.chdir(folder)
        monkeypatch.setattr(sys, "path", [*PATH, *([str(path)] if path else [])])
        importlib.invalidate_caches()
        capsys.readouterr()
        assert main([*map(str, words)]) == status
        printed = capsys.readouterr()
        return printed.out + printed.err

    return run


@pytest.fixture
def project(tmp_path, mjenv):
    """A folder with a module that registers a task, and a run that was trained in it."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "swing.py").write_text(REGISTERED)
    words = ["--env-kwargs", "weight:2.5", "--randomization", "swing:HARD", "--run", "run"]
    mjenv(folder, "train", "swing:Swing-v0", *SMALL, *words)
    return folder


@pytest.mark.slow
def test_a_run_remembers_its_environment(project, tmp_path, mjenv):
    config = json.loads((project / "run" / "config.json").read_text())
    assert config["env"] == "swing:Swing-v0"
    assert config["env_kwargs"]["weight"] == "2.5"
    assert config["env_kwargs"]["randomization"].startswith("{'observation': Channel(noise=Normal")
    assert config["hyperparameters"]["net_arch"] == [8]
    here = mjenv(project, "eval", "run", "--episodes", "2")
    assert "in 2 episodes" in here
    assert mjenv(tmp_path, "eval", project / "run", "--episodes", "2", "--trust") == here
    said = mjenv(tmp_path, "eval", project / "run", status=1)
    assert f"pass --trust (trust=True) if you trust who made it, or go to {project}" in said
    assert mjenv(project, "eval", "run", "--episodes", "2", "--env-kwargs", "weight:5.0") != here
    film = ["--seconds", "0.1", "--size", "64x48", "--output", "film.gif"]
    mjenv(tmp_path, "record", project / "run", *film, "--trust")
    assert (tmp_path / "film.gif").exists()

    (tmp_path / "film.gif").unlink()
    mjenv(tmp_path, "record", "swing:Swing-v0", *film, path=project)
    assert (tmp_path / "film.gif").exists()
    said = mjenv(tmp_path, "record", "swing:Swing-v0", *film, status=1)
    assert "swing: no such module in" in said
    assert "PYTHONPATH" in said


@pytest.mark.parametrize(
    ("module", "words", "expected"),
    [
        (REGISTERED, ["swing:Swng-v0"], "no such environment; did you mean 'swing:Swing-v0'?"),
        (REGISTERED, ["swing:Nope-v7"], "no such environment; swing registers 'Swing-v0'"),
        (OTHERS, ["swing:Nope"], f"swing registers {', '.join(map(repr, NAMES[:8]))} and 2 more"),
        ("", ["swing:Swing-v0"], "swing registers none; call mjenv.register where it is imported"),
        ("x = )", ["swing:Swing-v0"], "swing.py:1: unmatched ')'"),
        ("\nx = 1 / 0", ["swing:Swing-v0"], "swing.py:2: ZeroDivisionError: division by zero"),
        (REGISTERED, ["swing:Swing-v0", "--env-kwargs", "wight:2"], "did you mean 'weight'?"),
        (REGISTERED, ["swing:Swing-v0", "--env-kwargs", "weight"], "expected name:value"),
        (REGISTERED, ["swing:Swing-v0", "--randomization", "swing:HART"], "did you mean 'HARD'?"),
        (REGISTERED, ["swing:Swing-v0", "--randomization", "x"], "--randomization: found 'x'"),
    ],
)
def test_mistakes(module, words, expected, tmp_path, mjenv):
    (tmp_path / "swing.py").write_text(module)
    assert expected in mjenv(tmp_path, "train", *words, "--run", "run", *SMALL, status=1)
    assert not (tmp_path / "run").exists()


SCRIPT = """
from mjenv.training.hyperparameters import hyperparameters
from mjenv.training.train import train

settings = hyperparameters("Swing-v0", n_envs=2, n_steps=8, steps=16, batch_size=8, n_epochs=1)
"""


@pytest.mark.slow
def test_runs_of_scripts_are_found_again(tmp_path, mjenv):
    """Whether the script registers the task itself, or one that stands elsewhere."""
    script = REGISTERED + SCRIPT
    script += 'if __name__ == "__main__":\n    train("Swing-v0", settings, "one", seconds=0)\n'
    (tmp_path / "one.py").write_text(script)
    (tmp_path / "tasks.py").write_text(SWING)
    script = 'import mjenv\nfrom tasks import Swing\nmjenv.register("Swing-v0", Swing, 30)\n'
    (tmp_path / "two.py").write_text(
        script + SCRIPT + 'train("Swing-v0", settings, "two", seconds=0)'
    )
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for name in ("one", "two"):
        subprocess.run([sys.executable, f"{name}.py"], cwd=tmp_path, check=True)
        said = mjenv(elsewhere, "eval", str(tmp_path / name), "--episodes", "2", "--trust")
        assert "in 2 episodes" in said


@pytest.mark.slow
def test_scripts_that_would_train_again(tmp_path, mjenv):
    """A script without a main guard cannot be imported for its task: that is said."""
    (tmp_path / "three.py").write_text(
        REGISTERED + SCRIPT + 'train("Swing-v0", settings, "run", seconds=0, overwrite=True)'
    )
    subprocess.run([sys.executable, "three.py"], cwd=tmp_path, check=True)
    said = mjenv(tmp_path, "eval", "run", status=1)
    assert 'put it under `if __name__ == "__main__":`' in said


TYPED = """
import gymnasium
from mjenv.gym import lookup

exec({swing!r})
mjenv.register("Swing-v0", Swing, max_episode_steps=20)
origin = lookup.origin("Swing-v0")
assert origin["module"] == "__main__"
assert lookup.find_again("Swing-v0", origin) == "Swing-v0"
del gymnasium.registry["Swing-v0"]
try:
    lookup.find_again("Swing-v0", origin)
except ValueError as error:
    print(error)
"""


def test_a_task_of_an_interactive_session_is_found_in_it():
    """And in no other, which is said."""
    command = [sys.executable, "-c", TYPED.format(swing=SWING)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "typed into an interactive session, expected one that stands in a file" in done.stdout
