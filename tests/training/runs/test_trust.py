"""Runs that others have made: nothing in their files is executed, unless `--trust` says so."""

import base64
import io
import json
import os
import pickle
import shutil
import sys
import zipfile

import numpy as np
import pytest

pytest.importorskip("stable_baselines3")
pytest.importorskip("torch")

from stable_baselines3.common.utils import FloatSchedule

from mjenv.commands.cli import main
from mjenv.gym import lookup
from mjenv.training.agent import ALGORITHMS, Agent
from mjenv.training.hyperparameters import hyperparameters
from mjenv.training.runs.folders import Run
from mjenv.training.runs.unpickling import UntrustedError, loads
from mjenv.training.train import resume, train

ENV = "mjenv/InvertedPendulum-v5"
SMALL = {"n_envs": 4, "net_arch": (8,), "steps": 64, "batch_size": 16}
PROXIMAL = {**SMALL, "n_steps": 8, "n_epochs": 1}
OFF_POLICY = {**SMALL, "learning_starts": 16, "buffer_size": 100, "gradient_steps": 2}


def small(algorithm, folder):
    changes = PROXIMAL if "PPO" in algorithm else OFF_POLICY
    if algorithm == "ARS":
        changes = {"n_delta": 2, "steps": 64}
    return train(ENV, hyperparameters(ENV, algorithm, **changes), folder, seconds=0)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A run with a checkpoint that can be resumed."""
    return small("PPO", tmp_path_factory.mktemp("made") / "run").folder


@pytest.fixture
def run(made, tmp_path):
    """A copy of it."""
    return Run(shutil.copytree(made, tmp_path / "run"))


class Evil:
    """Writes a file when it is unpickled."""

    def __init__(self, mark):
        self.mark = mark

    def __reduce__(self):
        return os.mkdir, (str(self.mark),)


def poison_agent(saved, mark):
    """Put code into the settings of a learner's file."""
    with zipfile.ZipFile(saved.agent) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    data = json.loads(parts["data"])
    data["clip_range"][":serialized:"] = base64.b64encode(pickle.dumps(Evil(mark))).decode()
    with zipfile.ZipFile(saved.agent, "w") as archive:
        for name, content in {**parts, "data": json.dumps(data)}.items():
            archive.writestr(name, content)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("algorithm", [one for one in ALGORITHMS if one != "SelfPlay"])
def test_runs_of_all_algorithms_need_no_trust(algorithm, tmp_path):
    run = small(algorithm, tmp_path)
    observation = np.array([[0.1, 0.2, 0.3, 0.4]])
    if algorithm == "DrQ":
        observation = np.arange(64 * 64, dtype=np.uint8).reshape(1, 64, 64, 1)
    for which in (None, "last"):
        careful, trusting = (Agent.load(run, which, trust).act(observation) for trust in (0, 1))
        np.testing.assert_array_equal(careful, trusting)


@pytest.mark.parametrize("file", ["normalize.pkl", "agent.zip"])
@pytest.mark.parametrize(
    "words",
    [["eval"], ["record", "--seconds", "0.1"], ["watch"], ["export", "--output", "x.npz"]],
    ids=lambda words: words[0],
)
def test_code_in_a_run_is_not_executed(words, file, run, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mark = tmp_path / "executed"
    if file == "agent.zip":
        poison_agent(run, mark)
    else:
        run.normalize.write_bytes(pickle.dumps(Evil(mark)))
    assert main([words[0], str(run.folder), *words[1:]]) == 1
    said = capsys.readouterr().err
    assert not mark.exists()
    assert f"{file}: " in said
    assert "names posix.mkdir, expected numbers, spaces and policies alone" in said
    assert "pass --trust (trust=True)" in said
    with pytest.raises(ValueError, match="the agent cannot be read"):
        Agent.load(run, trust=True)
    assert mark.exists()


@pytest.mark.parametrize("file", ["state.pkl", "normalize.pkl", "agent.zip"])
def test_code_in_a_checkpoint_is_not_executed(file, run, tmp_path, capsys):
    config = run.config()
    config["hyperparameters"]["steps"] = 1000
    run.write("config.json", config)
    mark, last = tmp_path / "executed", run.checkpoint("last")
    if file == "agent.zip":
        poison_agent(last, mark)
    else:
        (last.folder / file).write_bytes(pickle.dumps({"worlds": Evil(mark)}))
    assert main(["train", "--resume", str(run.folder)]) == 1
    assert "pass --trust" in capsys.readouterr().err
    assert not mark.exists()
    with pytest.raises(ValueError, match="the training cannot be resumed"):
        resume(run.folder, seconds=0, trust=True)
    assert mark.exists()


def empty_zip():
    content = io.BytesIO()
    zipfile.ZipFile(content, "w").close()
    return content.getvalue()


DAMAGES = {
    "agent.zip": [b"", b"PK", empty_zip()],
    "normalize.pkl": [b"", b"\x80", pickle.dumps(3), pickle.dumps([1])[:-2], b"(dp0\n"],
}


@pytest.mark.parametrize(
    ("name", "content"), [(name, one) for name, some in DAMAGES.items() for one in some]
)
def test_damaged_files_are_refused_in_a_line(name, content, run, capsys):
    (run.folder / name).write_bytes(content)
    assert main(["eval", str(run.folder)]) == 1
    said = capsys.readouterr().err
    assert "the agent cannot be read (" in said
    assert said.count("\n") == 1


@pytest.mark.slow
def test_agents_with_flipped_bytes_are_read_or_refused(run):
    """Anywhere in the file: never another exception."""
    rng = np.random.default_rng(0)
    for file in (run.agent, run.normalize):
        whole = file.read_bytes()
        for _ in range(60):
            content = bytearray(whole)
            for place in rng.integers(len(whole), size=3):
                content[place] ^= int(rng.integers(1, 256))
            file.write_bytes(bytes(content))
            try:
                Agent.load(run)
            except ValueError as error:
                assert str(run.folder) in str(error)  # noqa: PT017
        file.write_bytes(whole)


class Raw:
    """Is pickled as a call of its own choice, or as an object that is filled so."""

    def __init__(self, *reduced):
        self.reduced = reduced

    def __reduce__(self):
        return self.reduced


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (eval, "names builtins.eval"),
        (Raw(getattr, (dict, "get")), "names builtins.getattr"),
        (np.load, "names numpy.load"),
        (Raw(np.dtype, ("O",)), "has an array of object"),
        (Raw(np.dtype, ([("a", "O")],)), "has an array of"),
        (np.array([None]), "has an array of object"),
        (Raw(np.dtype, ("f8",), (3, ">", None, None, None, -1, -1, 0)), "changes dtype"),
        (Raw(np.dtype, ("f8",), (3, "<", None, ("a",), {}, 8, 1, 63)), "changes dtype"),
    ],
    ids=(
        "eval",
        "getattr",
        "load",
        "objects",
        "objects in a record",
        "None",
        "order of bytes",
        "flags",
    ),
)
def test_what_a_pickle_may_not_do(made, said):
    with pytest.raises(UntrustedError, match=f"x.pkl: {said}.* pass --trust"):
        loads(pickle.dumps(made), "x.pkl")


def test_classes_are_not_changed_by_a_pickle():
    name = f"c{FloatSchedule.__module__}\n{FloatSchedule.__name__}\n".encode()
    program = b"\x80\x02" + name + b"N(S'__call__'\nI1\nd\x86b."  # state: (None, {...})
    with pytest.raises(UntrustedError, match="changes <class"):
        loads(program, "x.pkl")
    assert callable(FloatSchedule.__call__)


def test_names_with_dots_are_not_followed():
    names = b"stable_baselines3.common.buffers", b"BaseBuffer.size"
    program = b"".join(b"\x8c" + bytes([len(name)]) + name for name in names)
    with pytest.raises(UntrustedError, match=r"names stable_baselines3.*BaseBuffer\.size"):
        loads(b"\x80\x04" + program + b"\x93.", "x.pkl")


# modules that a run names


@pytest.fixture
def module(tmp_path, monkeypatch):
    """A module that leaves a mark, in a folder of its own."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "strange_task.py").write_text("open(__file__ + '.executed', 'w').close()\n")
    monkeypatch.delitem(sys.modules, "strange_task", raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return folder / "strange_task.py"


def named(run, file, **changes):
    """Have a run name a module."""
    place = {"module": file.stem, "folder": str(file.parent), **changes}
    env = f"{place['module']}:Strange-v0"
    run.write("config.json", {**run.config(), "env": env, "origin": place})
    return run


def executed(module):
    return module.with_name(f"{module.name}.executed").exists()


def test_modules_of_a_run_are_not_executed(run, module, monkeypatch, capsys):
    named(run, module)
    assert main(["eval", str(run.folder)]) == 1
    said = capsys.readouterr().err
    assert "the environment strange_task:Strange-v0 is in the module 'strange_task' in" in said
    assert f"pass --trust (trust=True) if you trust who made it, or go to {module.parent}" in said
    assert not executed(module)
    assert main(["eval", str(run.folder), "--trust"]) == 1
    assert "registers no such environment" in capsys.readouterr().err
    assert executed(module)


def test_modules_in_a_folder_of_python_are_found_again(run, module, monkeypatch):
    monkeypatch.chdir(module.parent)
    with pytest.raises(ValueError, match="registers no such environment"):
        named(run, module).environment()
    assert executed(module)


@pytest.mark.parametrize(
    "changes",
    [{"folder": None}, {"folder": "/nowhere"}, {"module": "antigravity"}, {"module": "missing"}],
    ids=str,
)
def test_modules_that_a_run_cannot_know_of_are_not_executed(changes, run, module, monkeypatch):
    monkeypatch.chdir(module.parent)
    with pytest.raises(ValueError, match="which would be executed; pass --trust"):
        named(run, module, **changes).environment()
    assert not executed(module)
    assert "antigravity" not in sys.modules


def test_modules_inside_a_run_are_not_executed(run, module, monkeypatch):
    inside = run.folder / module.name
    inside.write_bytes(module.read_bytes())
    monkeypatch.chdir(run.folder)
    with pytest.raises(ValueError, match="which would be executed; pass --trust"):
        named(run, inside).environment()
    assert not executed(inside)


def test_modules_that_only_the_name_of_the_environment_tells(run, module, monkeypatch):
    monkeypatch.chdir(module.parent)
    with pytest.raises(ValueError, match="which would be executed; pass --trust"):
        lookup.check_modules(run.folder, "strange_task:Strange-v0", None)
    place = {"module": "json", "folder": None, "task": "strange_task:Strange"}
    with pytest.raises(ValueError, match="which would be executed; pass --trust"):
        lookup.check_modules(run.folder, "Strange-v0", place)
    assert not executed(module)
