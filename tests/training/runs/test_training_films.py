"""What a training tells on the way: films at checkpoints, and its log at Weights & Biases."""

import io
import json
import os
import re
import signal
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("stable_baselines3")
pytest.importorskip("torch")

import numpy as np
import torch
from PIL import Image

from mjenv.commands.cli import main
from mjenv.system.interruption import Interrupted
from mjenv.training import train as training
from mjenv.training.agent import Agent
from mjenv.training.films import clips
from mjenv.training.films.writer import film_writer
from mjenv.training.hyperparameters import hyperparameters
from mjenv.training.runs import training_films as training_films
from mjenv.training.runs.folders import Run
from mjenv.training.runs.log import STEPS, Log, logger, show
from mjenv.training.train import resume, train

ENV = "mjenv/Hopper-v5"
FILMS = {"seconds": 0, "films": 0.1, "size": (48, 32)}


def settings(**changes):
    small = {"n_envs": 4, "n_steps": 16, "batch_size": 32, "n_epochs": 2, "steps": 640}
    return hyperparameters(ENV, **{**small, **changes})


def parameters(run):
    return Agent.load(run).model.policy.state_dict()


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    return train(ENV, settings(), tmp_path_factory.mktemp("runs") / "plain", seconds=0)


@pytest.mark.slow
def test_films_change_nothing_else(plain, tmp_path, capsys):
    """Every checkpoint that stays has one, but the last, whose film is the run's."""
    run = train(ENV, settings(), tmp_path / "run", **FILMS)
    kept = [checkpoint.folder for checkpoint in run.checkpoints]
    assert [folder.name for folder in kept] == ["128", "256", "384", "512", "640"]
    assert [(folder / "video.mp4").exists() for folder in kept] == [True] * 4 + [False]
    assert (kept[0] / "video.mp4").read_bytes()[4:8] == b"ftyp"
    assert "video.mp4" not in capsys.readouterr().err  # no bars within that of the training
    assert [step for step, _ in films_in(run.folder)] == [128, 256, 384, 512]
    for name, values in parameters(run).items():
        assert torch.equal(values, parameters(plain)[name]), name
    # the command that goes on films too
    run.clear()
    options = ["--steps", "128", "--films", "0.1", "--seconds", "0", "--size", "48x32"]
    small = ["--set", "n_envs=4", "n_steps=16", "batch_size=32"]
    assert main(["train", "Hopper-v5", "--run", str(tmp_path / "run"), *options, *small]) == 0
    assert (run.folder / "checkpoints" / "64" / "video.mp4").exists()


@pytest.mark.slow
def test_a_signal_ends_the_film_and_the_training(tmp_path, monkeypatch):
    """What was filmed is gone, the checkpoint is there, and the training goes on from it."""
    film, began = training_films.film, []

    def interrupted(*arguments, **options):
        began.append(arguments[2])
        os.kill(os.getpid(), signal.SIGINT)
        return film(*arguments, **options)

    monkeypatch.setattr(training_films, "film", interrupted)
    with pytest.raises(Interrupted):
        train(ENV, settings(), tmp_path / "run", **FILMS)
    assert len(began) == 1
    assert not list(tmp_path.rglob("*.mp4"))
    monkeypatch.setattr(training_films, "film", film)
    run = resume(tmp_path / "run", **FILMS)
    assert run.finished
    assert (run.folder / "checkpoints" / "512" / "video.mp4").exists()


@pytest.mark.slow
def test_a_film_that_cannot_be_written_is_left_out(plain, tmp_path, monkeypatch, capsys):
    def fail(*arguments, **options):
        raise OSError("no space left on device")

    monkeypatch.setattr(training_films, "film", fail)
    run = train(ENV, settings(), tmp_path / "run", **FILMS)
    assert "no space left on device; training goes on" in capsys.readouterr().err
    assert len(run.checkpoints) == 5


@pytest.mark.parametrize(
    ("films", "message"), [(-1, "seconds is -1, expected"), (float("nan"), "seconds is nan")]
)
def test_films_that_cannot_be(films, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        train(ENV, settings(), tmp_path / "run", films=films, seconds=0)
    assert not list(tmp_path.iterdir())


# ---------------------------------------------------------------- films in the log


def films_in(folder):
    """Steps and pictures of the films in TensorBoard's files of a folder."""
    from tensorboard.backend.event_processing.event_file_loader import EventFileLoader

    return [
        (event.step, Image.open(io.BytesIO(value.tensor.string_val[2])))
        for file in sorted(folder.glob("events.out.*"))
        for event in EventFileLoader(str(file)).Load()
        for value in event.summary.value
        if value.tag == "film"
    ]


def write_film(path, frames=30, size=(48, 32)):
    with film_writer(path, size, 30.0) as write:
        for k in range(frames):
            write(np.full((size[1], size[0], 3), 8 * (k % 30), np.uint8))


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    ("frames", "size", "shown"),
    [(30, (48, 32), (10, (48, 32))), (450, (480, 64), (100, (240, 32)))],
)
def test_films_in_the_log_are_small(frames, size, shown, tmp_path):
    write_film(tmp_path / "video.mp4", frames, size)
    log = logger(tmp_path)
    show(log, tmp_path / "video.mp4", 64)
    show(log, tmp_path / "given-up.mp4", 128)
    log.close()
    ((step, film),) = films_in(tmp_path)
    assert (step, (film.n_frames, film.size)) == (64, shown)
    assert film.info["duration"] == 100  # ms
    brightness = []
    for k in (0, 9):
        film.seek(k)
        brightness.append(np.mean(film.convert("RGB")))
    assert brightness == pytest.approx([8, 224], abs=24)


@pytest.mark.slow
def test_the_last_film_is_in_the_log(wandb, plain, tmp_path):
    run = train(ENV, settings(steps=64), tmp_path / "run", seconds=0.2, size=(48, 32), wandb="hop")
    ((step, film),) = films_in(run.folder)
    assert (step, film.size) == (64, (48, 32))
    (board,) = wandb.runs
    assert board.rows[-1] == (64, {"film": run.video})


def test_films_that_cannot_be_in_the_log(tmp_path, monkeypatch, capsys):
    broken, slow, log = tmp_path / "broken.mp4", tmp_path / "slow.mp4", logger(tmp_path)
    broken.write_text("no film")
    show(log, broken, 64)
    said = capsys.readouterr().err
    assert f"log: {broken}: ffmpeg cannot read it: " in said
    assert "; the film is left out of it" in said
    write_film(slow)
    monkeypatch.setattr(clips, "PATIENCE", 0.0)
    show(log, slow, 128)
    assert f"log: {slow}: no clip of it after 0 s; the film is left" in capsys.readouterr().err
    log.close()
    assert not films_in(tmp_path)


# ---------------------------------------------------------------- Weights & Biases


class RefusedError(Exception):
    pass


@pytest.fixture
def wandb(monkeypatch):
    """A package that keeps what it is told."""
    told = SimpleNamespace(runs=[], errors=SimpleNamespace(Error=RefusedError), refuse=False)

    def init(**options):
        if told.refuse:
            raise RefusedError("no API key")
        rows = []
        run = SimpleNamespace(options=options, rows=rows, finished=[])
        run.log = lambda numbers, step: rows.append((step, numbers))
        run.finish = lambda: run.finished.append(True)
        told.runs.append(run)
        return run

    told.init, told.Video = init, Path
    monkeypatch.setitem(sys.modules, "wandb", told)
    return told


@pytest.mark.slow
def test_rows_of_the_log(wandb, plain, tmp_path):
    run = train(ENV, settings(), tmp_path / "run", seconds=0, wandb="hopping")
    (board,) = wandb.runs
    assert board.options["project"] == "hopping"
    assert board.options["name"] == "run"
    assert board.options["config"] == run.config()
    assert [step for step, _ in board.rows] == list(range(64, 641, 64))
    assert board.rows[-1][1]["time/total_timesteps"] == 640
    assert all(isinstance(v, float) for _, row in board.rows for v in row.values())
    assert board.finished
    for name, values in parameters(run).items():
        assert torch.equal(values, parameters(plain)[name]), name


@pytest.mark.slow
def test_a_resumed_training_goes_on_there(wandb, tmp_path, monkeypatch):
    on_step = training.Checkpoints._on_step

    def act(self):
        if self.num_timesteps == 320:
            os.kill(os.getpid(), signal.SIGINT)
        return on_step(self)

    with monkeypatch.context() as patch:
        patch.setattr(training.Checkpoints, "_on_step", act)
        with pytest.raises(Interrupted):
            train(ENV, settings(), tmp_path / "run", seconds=0, wandb="hopping")
    resume(tmp_path / "run", seconds=0)
    first, second = wandb.runs
    assert first.finished
    assert (second.options["project"], second.options["id"]) == ("hopping", first.options["id"])
    assert second.options["resume"] == "allow"
    steps = [step for board in wandb.runs for step, _ in board.rows]
    assert steps == list(range(64, 641, 64))
    # another training in the folder is another run there
    train(ENV, settings(steps=64), tmp_path / "run", seconds=0, overwrite=True, wandb="hopping")
    assert wandb.runs[2].options["id"] != first.options["id"]
    train(ENV, settings(steps=64), tmp_path / "run", seconds=0, overwrite=True)
    assert len(wandb.runs) == 3
    assert not (tmp_path / "run" / "wandb.json").exists()


def test_without_it(wandb, tmp_path, monkeypatch, capsys):
    wandb.refuse = True
    options = ["--wandb", "hopping", "--run", str(tmp_path / "run"), "--seconds", "0"]
    assert main(["train", "Hopper-v5", *options]) == 1
    assert "wandb: no API key; log in with `wandb login`, or set" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "wandb", None)
    assert main(["train", "Hopper-v5", *options]) == 1
    assert "wandb: not installed, --wandb needs it; pip install wandb" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_run_says_where_it_is(wandb, tmp_path):
    train(ENV, settings(steps=64), tmp_path / "run", seconds=0, wandb="hopping")
    known = json.loads((tmp_path / "run" / "wandb.json").read_text())
    assert known == {"project": "hopping", "id": wandb.runs[0].options["id"]}


# the last film, the log and bars


@pytest.mark.slow
def test_the_last_film_takes_no_longer_than_the_training(plain, tmp_path, monkeypatch, capsys):
    """Unless its length is asked for."""
    monkeypatch.setattr(training_films, "SHORTEST", 0.0)
    monkeypatch.setattr(training_films, "LENGTH", 1.0)
    run, agent = Run(tmp_path), Agent.load(plain)
    training_films.last_film(agent, run, ENV, {}, None, (48, 32), 0.0)
    said = capsys.readouterr().out
    assert re.search(r"it has 1 of 29 frames, as many as were drawn in the time of the", said)
    assert f"`mjenv record {run.folder}` draws all of them, --seconds 0 none" in said
    assert run.video.stat().st_size > 0
    for seconds, taken in ((1.0, 0.0), (None, 1000.0)):
        training_films.last_film(agent, run, ENV, {}, seconds, (48, 32), taken)
        assert "frames" not in capsys.readouterr().out


def test_columns_of_the_log_have_an_order(tmp_path):
    log = Log(tmp_path / "log.csv")
    log.write({"train/loss": 0.5, "time/fps": 9, STEPS: 8, "own/x": 1, "hidden": 2},
              {"hidden": ("csv",)})  # fmt: skip
    log.write({"rollout/ep_rew_mean": 3.0, "rollout/a": 1.0, STEPS: 16}, {})
    lines = (tmp_path / "log.csv").read_text().splitlines()
    names = "time/total_timesteps,time/fps,rollout/a,rollout/ep_rew_mean,train/loss,own/x"
    assert lines == [names, "8,9,,,0.5,1", "16,,1.0,3.0,,"]
    again = Log(tmp_path / "log.csv", 8)
    assert (tmp_path / "log.csv").read_text().splitlines() == [
        "time/total_timesteps,time/fps,train/loss,own/x", "8,9,0.5,1"
    ]  # fmt: skip
    again.write({STEPS: 24}, {})
    assert (tmp_path / "log.csv").read_text().splitlines()[-1] == "24,,,"


def test_bars_are_lines_where_there_is_no_terminal(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("mjenv.training.runs.training_films.SHORTEST", 5.0)
    train(ENV, settings(steps=64), tmp_path / "run", seconds=0.2, size=(48, 32))
    printed = capsys.readouterr()
    said = printed.err
    assert "\r" not in said
    assert "\x1b" not in said
    lines = said.splitlines()
    assert all(line.strip() and len(line) < 120 for line in lines)
    assert any(line.startswith("100%") and "steps/s" in line for line in lines)
    assert "return before training, without exploration: " in printed.out
