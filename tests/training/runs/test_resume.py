"""Trainings that go on where they were stopped, and what runs leave to compare."""

import csv
import functools
import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

pytest.importorskip("stable_baselines3")
pytest.importorskip("torch")

import torch

from mjenv import Uniform
from mjenv.commands.cli import main
from mjenv.system.interruption import Interrupted
from mjenv.training import train as training
from mjenv.training.hyperparameters import hyperparameters
from mjenv.training.runs.folders import Run
from mjenv.training.train import resume, train
from tests.training.learned import numbers

ENV = "mjenv/Hopper-v5"
SMALL = {"n_envs": 4, "n_steps": 16, "batch_size": 32, "n_epochs": 2}


# transitions of which the first ones have gone before the end
OFF_POLICY = {
    "n_envs": 4,
    "learning_starts": 100,
    "batch_size": 32,
    "buffer_size": 500,
    "gradient_steps": 2,
    "net_arch": (16, 16),
}


def settings(algorithm="PPO", **changes):
    small = SMALL if algorithm == "PPO" else OFF_POLICY
    return hyperparameters(ENV, algorithm, **{**small, **changes})


def stop_at(monkeypatch, steps):
    """Have a signal come in the middle of a training."""
    on_step = training.Checkpoints._on_step

    def act(self):
        if self.num_timesteps == steps:
            os.kill(os.getpid(), signal.SIGINT)
        return on_step(self)

    monkeypatch.setattr(training.Checkpoints, "_on_step", act)


def returns_of(run):
    with run.log.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return [(row["time/total_timesteps"], row.get("rollout/ep_rew_mean")) for row in rows]


@pytest.mark.slow
@pytest.mark.parametrize("kwargs", [{}, {"randomization": {"body_mass": Uniform(0.8, 1.2)}}])
def test_a_resumed_training_has_the_numbers_of_one_that_was_not_stopped(
    kwargs, tmp_path, monkeypatch
):
    options = {"seconds": 0, "seed": 5, "env_kwargs": kwargs}
    whole = train(ENV, settings(steps=1280), tmp_path / "whole", **options)
    with monkeypatch.context() as patch:
        stop_at(patch, 300)
        with pytest.raises(Interrupted):
            train(ENV, settings(steps=1280), tmp_path / "parts", **options)
    assert Run(tmp_path / "parts").checkpoint("last").steps == 320
    with monkeypatch.context() as patch:
        stop_at(patch, 800)
        with pytest.raises(Interrupted):
            resume(tmp_path / "parts", seconds=0)
    parts = resume(tmp_path / "parts", seconds=0)
    expected, found = numbers(whole), numbers(parts)
    assert expected.keys() == found.keys()
    for name, value in expected.items():
        assert torch.equal(found[name], value), name
    assert returns_of(parts) == returns_of(whole)
    results = [json.loads((run.folder / "result.json").read_text()) for run in (whole, parts)]
    for name in ("return_before", "return_after", "steps"):
        assert results[0][name] == results[1][name]
    with pytest.raises(ValueError, match="has finished its 1,280 steps"):
        resume(tmp_path / "parts")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("algorithm", "changes"),
    [
        ("SAC", {}),
        ("FastSAC", {"n_steps": 3, "noise": 0.1, "noise_most": 0.5, "noise_correlation": 0.5}),
        ("TQC", {}),
        ("TD3", {}),
    ],
)
def test_so_has_one_of_an_off_policy_algorithm(algorithm, changes, tmp_path, monkeypatch):
    chosen = settings(algorithm, steps=1000, **changes)
    whole = train(ENV, chosen, tmp_path / "whole", seconds=0, seed=5)
    folder = tmp_path / "parts"
    # before it learns, before and after the first transitions go
    for stop in (60, 400, 800):
        go_on = functools.partial(train, ENV, chosen, seed=5) if stop == 60 else resume
        with monkeypatch.context() as patch:
            stop_at(patch, stop)
            with pytest.raises(Interrupted):
                go_on(folder=folder, seconds=0)
        checkpoint = Run(folder).checkpoint("last")
        assert checkpoint.steps == stop
        assert checkpoint.transitions.stat().st_size == stop * (11 + 3 + 1 + 1 + 11 + 1) * 4
    parts = resume(folder, seconds=0)
    expected, found = numbers(whole), numbers(parts)
    assert expected.keys() == found.keys()
    assert len(expected) > 40
    for name, value in expected.items():
        assert torch.equal(found[name], value), name
    assert parts.episodes.read_text() == whole.episodes.read_text()
    assert not parts.checkpoint("last").transitions.exists()
    with pytest.raises(ValueError, match="has finished its 1,000 steps"):
        resume(folder)


def test_transitions_that_cannot_be_read(tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        stop_at(patch, 200)
        with pytest.raises(Interrupted):
            train(ENV, settings("TD3", steps=1000), tmp_path / "run", seconds=0)
    file = Run(tmp_path / "run").checkpoint("last").transitions
    content = file.read_bytes()
    file.write_bytes(content[:-4])
    message = r"replay\.bin: has 22,396 bytes, expected 22,400, those of 50 steps"
    with pytest.raises(ValueError, match=message):
        resume(tmp_path / "run")
    file.unlink()
    with pytest.raises(ValueError, match=r"cannot be resumed .*replay\.bin"):
        resume(tmp_path / "run")


KILLED = """
import json
import sys
from mjenv.training.runs import checkpoints
from mjenv.training.hyperparameters import hyperparameters
from mjenv.training.train import train

checkpoints.SECONDS = 0.0
if __name__ == "__main__":
    folder, algorithm, small = sys.argv[1:]
    settings = hyperparameters("mjenv/Hopper-v5", algorithm, **json.loads(small))
    train("Hopper-v5", settings, folder, seconds=0, seed=5)
"""


@pytest.mark.slow
@pytest.mark.parametrize(("algorithm", "steps", "killed"), [("PPO", 8192, 1), ("TD3", 2000, 600)])
def test_a_killed_training_is_resumed_with_the_same_numbers(algorithm, steps, killed, tmp_path):
    script, folder = tmp_path / "script.py", tmp_path / "run"
    script.write_text(KILLED)
    chosen = settings(algorithm, steps=steps)
    words = [str(folder), algorithm, json.dumps(chosen.to_dict())]
    with (tmp_path / "log").open("w") as log:
        process = subprocess.Popen([sys.executable, str(script), *words], stderr=log)
    end = time.monotonic() + 240
    while not (there := Run(folder).checkpoints) or there[-1].steps < killed:
        assert process.poll() is None, (tmp_path / "log").read_text()
        assert time.monotonic() < end
        time.sleep(0.01)
    process.kill()
    process.wait()
    assert not Run(folder).finished
    assert main(["train", "--resume", str(folder), "--seconds", "0"]) == 0
    whole = train(ENV, chosen, tmp_path / "whole", seconds=0, seed=5)
    expected, found = numbers(whole), numbers(Run(folder))
    assert all(torch.equal(found[name], value) for name, value in expected.items())


@pytest.mark.slow
def test_a_time_limit_leaves_a_run_that_can_be_resumed(tmp_path):
    run = train(ENV, settings(steps=640), tmp_path / "run", seconds=0, minutes=1e-9)
    assert run.checkpoint("last").steps == 64
    assert resume(run.folder, seconds=0).checkpoint("last").steps == 640


@pytest.mark.slow
def test_what_cannot_be_resumed(tmp_path, monkeypatch):
    with pytest.raises(FileNotFoundError, match=r"no config\.json there"):
        resume(tmp_path)
    theirs = hyperparameters(ENV, "SB3-SAC", steps=40, n_envs=4, learning_starts=20, net_arch=(8,))
    train(ENV, theirs, tmp_path / "sac", seconds=0)
    with pytest.raises(ValueError, match="SB3-SAC cannot be resumed, only PPO, SAC, FastSAC"):
        resume(tmp_path / "sac")
    run = train(ENV, settings(steps=640), tmp_path / "run", seconds=0, minutes=1e-9)
    state = run.checkpoint("last").state
    state.write_bytes(state.read_bytes()[:100])
    with pytest.raises(ValueError, match=r"the training cannot be resumed .* remove this folder"):
        resume(tmp_path / "run")
    (run.checkpoint("last").folder / "progress.json").unlink()
    with pytest.raises(ValueError, match=r"progress\.json: cannot be read"):
        resume(tmp_path / "run")


@pytest.mark.slow
def test_seeds_and_comparison(tmp_path, capsys):
    words = ["--set", *(f"{name}={value}" for name, value in SMALL.items())]
    argv = ["train", "InvertedPendulum-v5", "--steps", "640", "--seconds", "0", *words]
    folder = tmp_path / "group"
    assert main([*argv, "--seeds", "2", "--seed", "3", "--run", str(folder)]) == 0
    said = capsys.readouterr().out
    assert f"learning curves: {folder}/curves.png" in said
    assert [Run.open(folder / f"seed-{k}").config()["seed"] for k in (3, 4)] == [3, 4]
    picture = tmp_path / "both.png"
    one = folder / "seed-3"
    assert main(["compare", str(folder), str(one), "--output", str(picture)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:5] == ["run", "algorithm", "seeds", "steps", "minutes"]
    with picture.with_suffix(".csv").open(newline="") as file:
        group, single = csv.DictReader(file)
    means = []
    for k in (3, 4):
        result = json.loads((folder / f"seed-{k}" / "result.json").read_text())
        means.append(result["return_mean_after"])
    assert float(group["return"]) == pytest.approx(np.mean(means))
    assert float(group["worst"]) == min(means)
    assert float(single["return"]) == means[0]
    assert (group["seeds"], single["seeds"]) == ("2", "1")
    assert picture.read_bytes()[:4] == b"\x89PNG"
    (one / "result.json").unlink()
    assert main(["compare", str(one)]) == 1
    assert "has not finished, expected runs that have" in capsys.readouterr().err


def test_evaluation_is_written_down(tmp_path, capsys):
    run = train(ENV, settings(steps=64), tmp_path / "run", seconds=0)
    assert main(["eval", str(run.folder), "--episodes", "3"]) == 0
    found = json.loads((run.folder / "eval.json").read_text())
    assert list(found) == ["episodes", "mean", "std", "min", "max", "length", "terms", "env_kwargs"]
    assert sum(found["terms"].values()) == pytest.approx(found["mean"], rel=1e-5)
    assert found["episodes"] == 3
    assert found["min"] <= found["mean"] <= found["max"]
    assert found["length"] > 1
    checkpoint = run.checkpoint("last")
    assert main(["eval", str(run.folder), "--checkpoint", "--episodes", "1"]) == 0
    assert json.loads((checkpoint.folder / "eval.json").read_text())["std"] == 0


@pytest.mark.slow
def test_an_evaluation_in_another_environment_says_so(tmp_path, capsys):
    drawn = {"body_mass": Uniform(0.9, 1.1)}
    how = {"reset_noise_scale": 0.02, "randomization": drawn}
    run = train(ENV, settings(steps=64), tmp_path / "run", seconds=0, env_kwargs=how)
    words = ["eval", str(run.folder), "--episodes", "1"]
    assert main(words) == 0
    assert "not as it was trained" not in capsys.readouterr().out
    assert main([*words, "--randomization", repr(drawn)]) == 0
    assert "not as it was trained" not in capsys.readouterr().out
    assert main([*words, "--randomization", "{}", "--env-kwargs", "frame_skip:3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "not as it was trained: frame_skip=3 instead of its default" in lines
    assert f"not as it was trained: randomization={{}} instead of {drawn!r}" in lines
    found = json.loads((run.folder / "eval.json").read_text())["env_kwargs"]
    assert found == {"reset_noise_scale": "0.02", "randomization": "{}", "frame_skip": "3"}


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (["train"], "expected an environment, such as HalfCheetah-v5, or --resume RUN"),
        (["train", "Hopper-v5", "--resume", "x"], "leave env out"),
        (["train", "--resume", "x", "--seed", "3"], "leave --seed out"),
        (["train", "--resume", "x", "--set", "gamma=0.9"], "leave --hyperparameters out"),
        (["train", "--resume", "x"], "no such folder"),
    ],
)
def test_mistakes_of_the_command_line(argv, expected, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(argv) == 1
    assert expected in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
