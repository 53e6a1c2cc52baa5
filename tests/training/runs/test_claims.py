"""Folders of runs: who may take them, and what stays of those that came to nothing."""

import contextlib
import json
import os
import subprocess
import sys

import pytest

pytest.importorskip("stable_baselines3")

from mjenv.training.runs.files import whole
from mjenv.training.runs.folders import CONFIG, Run
from mjenv.training.runs.lock import claim

CONTENT = {"env": "mjenv/HalfCheetah-v5", "algorithm": "PPO"}


def begun(folder):
    """A run whose training was killed before its first checkpoint."""
    folder.mkdir(exist_ok=True)
    (folder / CONFIG).write_text(json.dumps(CONTENT))
    (folder / ".lock").touch()
    (folder / "progress.csv").touch()


def test_a_run_is_found_again(tmp_path):
    with claim("mjenv/HalfCheetah-v5", tmp_path / "a" / "run") as run:
        run.write(CONFIG, CONTENT)
    assert Run.open(tmp_path / "a" / "run").config() == CONTENT
    assert [path.name for path in run.folder.iterdir()] == [CONFIG]


def test_default_folders_name_the_environment_and_differ(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with claim("mjenv/Ant-v5") as one, claim("swing:Ant-v5") as two:
        assert one.folder.match("runs/Ant-v5-*")
        assert two.folder.match("runs/swing-Ant-v5-*")
        with claim("mjenv/Ant-v5") as three:
            assert three.folder != one.folder


def test_nothing_stays_of_a_run_that_came_to_nothing(tmp_path):
    with pytest.raises(RuntimeError), claim("mjenv/Ant-v5", tmp_path / "runs" / "a"):
        raise RuntimeError
    assert not list(tmp_path.iterdir())
    (tmp_path / "mine").mkdir()
    with claim("mjenv/Ant-v5", tmp_path / "mine"):
        pass
    assert (tmp_path / "mine").is_dir()


@pytest.mark.parametrize("kept", ["agent.zip", "checkpoints/4096/agent.zip"])
def test_a_run_is_replaced_only_when_told_so(tmp_path, kept):
    begun(tmp_path)
    (tmp_path / kept).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / kept).touch()
    with (
        pytest.raises(FileExistsError, match=r"holds a run already; .* --overwrite"),
        claim("mjenv/Ant-v5", tmp_path),
    ):
        pass
    with claim("mjenv/Ant-v5", tmp_path, overwrite=True) as run:
        assert (tmp_path / kept).exists()  # until the new one begins
        run.clear()
    assert not list(tmp_path.iterdir())


def test_a_run_without_an_agent_is_taken_over(tmp_path):
    begun(tmp_path)
    (tmp_path / "notes.txt").touch()
    with claim("mjenv/Ant-v5", tmp_path) as run:
        run.clear()
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_other_files_are_never_removed(tmp_path):
    def refused(folder, message):
        with pytest.raises(FileExistsError, match=message), claim("mjenv/Ant-v5", folder, True):
            pass

    (tmp_path / "thesis.tex").write_text("text")
    refused(tmp_path, "holds other files")
    refused(tmp_path / "thesis.tex", "is a file")
    (tmp_path / CONFIG).write_text('{"editor": "vi"}')
    refused(tmp_path, "holds other files")
    assert {path.name for path in tmp_path.iterdir()} == {"thesis.tex", CONFIG}


def test_one_process_trains_in_a_folder(tmp_path):
    """The second one is refused, and takes nothing from the first."""
    with claim("mjenv/Ant-v5", tmp_path / "run") as run:
        run.write(CONFIG, CONTENT)
        with (
            pytest.raises(FileExistsError, match="another process trains in it"),
            claim("mjenv/Ant-v5", tmp_path / "run", overwrite=True),
        ):
            pass
        assert run.config() == CONTENT


RACE = """
import sys
from mjenv.training.runs.lock import claim
print("ready", flush=True)
sys.stdin.readline()
try:
    with claim("mjenv/Ant-v5", sys.argv[1]):
        print("mine", flush=True)
        sys.stdin.readline()
except FileExistsError as error:
    print("refused" if "another process" in str(error) else error, flush=True)
"""


def test_of_processes_that_race_one_wins(tmp_path):
    command = [sys.executable, "-c", RACE, str(tmp_path / "run")]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    racers = [subprocess.Popen(command, **pipes) for _ in range(4)]
    for racer in racers:
        assert racer.stdout.readline() == "ready\n"
    for racer in racers:
        racer.stdin.write("go\n")
        racer.stdin.flush()
    said = sorted(racer.stdout.readline() for racer in racers)
    for racer in racers:
        racer.communicate("\n")
    assert said == ["mine\n"] + 3 * ["refused\n"]
    assert not (tmp_path / "run").exists()


def test_files_are_whole_or_not_there(tmp_path):
    path = tmp_path / "result.json"
    with whole(path) as partial:
        partial.write_text("first")
        assert not path.exists()
    with contextlib.suppress(RuntimeError), whole(path) as partial:
        partial.write_text("half")
        raise RuntimeError
    assert path.read_text() == "first"
    assert list(tmp_path.iterdir()) == [path]


def test_leftovers_of_killed_processes_are_removed(tmp_path):
    path = tmp_path / "film.mp4"
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    (tmp_path / f".film.{dead.pid}.part.mp4").touch()
    (tmp_path / f".film.{os.getppid()}.part.mp4").touch()  # of a process that lives
    (tmp_path / f".other.{dead.pid}.part.mp4").touch()
    with whole(path) as partial:
        partial.touch()
    names = {p.name for p in tmp_path.iterdir()}
    assert names == {f".film.{os.getppid()}.part.mp4", f".other.{dead.pid}.part.mp4", "film.mp4"}
    with pytest.raises(FileNotFoundError) as error, whole(tmp_path / "no" / "x.json") as partial:
        partial.touch()
    assert error.value.filename == str(tmp_path / "no" / "x.json")
