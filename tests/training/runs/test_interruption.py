"""Trainings that are interrupted or killed: what was learned is kept."""

import io
import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time

import pytest

pytest.importorskip("stable_baselines3")
pytest.importorskip("torch")

from mjenv.commands.cli import main
from mjenv.system.interruption import Interrupted, Interruption
from mjenv.training import train as training
from mjenv.training.agent import Agent
from mjenv.training.hyperparameters import hyperparameters
from mjenv.training.runs import training_films as training_films
from mjenv.training.runs.folders import CONFIG, Run
from mjenv.training.settings import SoftActorCritic
from mjenv.training.train import train

ENV = "mjenv/InvertedPendulum-v5"


def settings(**changes):
    return hyperparameters(ENV, n_envs=4, n_steps=16, batch_size=32, n_epochs=1, **changes)


def after_steps(monkeypatch, steps, action):
    """Have something happen in the middle of a training."""
    on_step = training.Checkpoints._on_step

    def act(self):
        if self.num_timesteps == steps:
            action()
        return on_step(self)

    monkeypatch.setattr(training.Checkpoints, "_on_step", act)


@pytest.mark.slow
@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signals_keep_the_agent(tmp_path, monkeypatch, capsys, signum):
    after_steps(monkeypatch, 200, lambda: os.kill(os.getpid(), signum))
    monkeypatch.setattr("mjenv.training.hyperparameters.DEFAULTS", settings())
    monkeypatch.setattr("mjenv.training.hyperparameters.TABLE", {})
    folder = tmp_path / "run"
    argv = ["train", "InvertedPendulum-v5", "--run", str(folder), "--steps", "100000"]
    assert main(argv) == 128 + signum
    said = capsys.readouterr().err
    assert f"the agent after 256 steps is kept in {folder}/checkpoints/256" in said
    assert f"mjenv train --resume {folder}" in said
    assert f"mjenv eval {folder} --checkpoint" in said
    run = Run.open(folder)
    assert not run.finished
    assert run.checkpoints[-1].steps == 256  # the update that was begun is finished
    progress = json.loads((run.checkpoints[-1].folder / "progress.json").read_text())
    assert (progress["steps"], progress["of"]) == (256, 100000)
    assert not (folder / ".lock").exists()

    assert main(["eval", str(folder)]) == 1
    assert "pass --checkpoint for the agent as it was last" in capsys.readouterr().err
    for words in (["--checkpoint"], ["--checkpoint", "256"], ["--checkpoint", "last"]):
        assert main(["eval", str(folder), *words, "--episodes", "2"]) == 0
    film = ["--checkpoint", "--output", str(tmp_path / "film.gif"), "--seconds", "0.1"]
    assert main(["record", str(folder), *film, "--size", "64x48"]) == 0
    assert (tmp_path / "film.gif").exists()


def test_a_checkpoint_is_the_agent_of_its_steps(tmp_path, monkeypatch):
    """The same numbers as the trained agent, where training would have ended there."""
    whole = train(ENV, settings(steps=128), tmp_path / "whole", seconds=0)
    assert [c.steps for c in whole.checkpoints] == [64, 128]
    files = [whole.agent, whole.checkpoint("last").agent]
    one, two = (Agent.load(whole, which).model.policy.state_dict() for which in (None, "last"))
    assert all(file.exists() for file in files)
    assert all((one[name] == two[name]).all() for name in one)


def test_training_of_sac_is_kept_too(tmp_path, monkeypatch):
    after_steps(monkeypatch, 80, lambda: os.kill(os.getpid(), signal.SIGINT))
    sac = SoftActorCritic(steps=10_000, n_envs=4, learning_starts=40, net_arch=(8,))
    with pytest.raises(Interrupted):
        train(ENV, sac, tmp_path / "run", seconds=0)
    run = Run.open(tmp_path / "run")
    assert run.checkpoints[-1].steps == 80
    assert Agent.load(run, "last").act([[0.0, 0.0, 0.0, 0.0]]).shape == (1, 1)


@pytest.mark.slow
def test_a_signal_after_training_leaves_the_agent(tmp_path, monkeypatch, capsys):
    def interrupted(*values, **keywords):
        os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(training_films, "film", interrupted)
    with pytest.raises(Interrupted):
        train(ENV, settings(steps=64), tmp_path / "run")
    said = capsys.readouterr().err
    assert f"the trained agent is in {tmp_path / 'run'}" in said
    assert main(["eval", str(tmp_path / "run"), "--episodes", "1"]) == 0


def test_a_signal_before_training_leaves_nothing(tmp_path, monkeypatch):
    def interrupted(*values, **keywords):
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(training, "evaluate", interrupted)
    with pytest.raises(Interrupted):
        train(ENV, settings(steps=64), tmp_path / "runs" / "run")
    assert not list(tmp_path.iterdir())


def test_a_failure_before_the_first_update_blocks_nothing(tmp_path, monkeypatch):
    def fail():
        raise RuntimeError("broken")

    after_steps(monkeypatch, 4, fail)
    with pytest.raises(RuntimeError, match="broken"):
        train(ENV, settings(steps=128), tmp_path / "run", seconds=0)
    assert not (tmp_path / "run").exists()


def test_a_run_before_stays_until_the_next_one_begins(tmp_path, monkeypatch):
    train(ENV, settings(steps=64), tmp_path, seconds=0)
    before = (tmp_path / CONFIG).read_text()
    with pytest.raises(ValueError, match="unexpected keyword"):
        train(ENV, settings(steps=64), tmp_path, overwrite=True, env_kwargs={"weight": 1})
    assert (tmp_path / CONFIG).read_text() == before
    assert Run.open(tmp_path).finished


@pytest.mark.slow
def test_a_full_disk_stops_no_training(tmp_path, monkeypatch, capsys):
    """A checkpoint that cannot be written is none; those before stay, and training goes on."""

    def fill():
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, limits[1]))

    def empty():
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)

    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    on_start = training.Checkpoints._on_rollout_start

    def act(self):
        if self.num_timesteps == 128:
            fill()
        on_start(self)
        empty()

    monkeypatch.setattr(training.Checkpoints, "_on_rollout_start", act)
    run = train(ENV, settings(steps=320), tmp_path / "run", seconds=0)
    assert "training goes on, earlier checkpoints stay" in capsys.readouterr().err
    assert [c.steps for c in run.checkpoints] == [64, 192, 256, 320]
    assert not list((run.folder / "checkpoints").glob(".*"))


KILLED = """
import sys
from mjenv.training.runs import checkpoints
from mjenv.training.hyperparameters import hyperparameters
from mjenv.training.train import train

checkpoints.SECONDS = 0.0
if __name__ == "__main__":
    settings = hyperparameters(
        "x", steps=10**7, n_envs=4, n_steps=16, batch_size=32, n_epochs=1
    )
    train("InvertedPendulum-v5", settings, sys.argv[1], seconds=0, overwrite=False)
"""


@pytest.mark.slow
def test_killed_trainings_leave_whole_checkpoints(tmp_path):
    """Killed while it writes one after the other; and the folder is no obstacle for the next."""
    folder = tmp_path / "run"
    script = tmp_path / "script.py"
    script.write_text(KILLED)
    with (tmp_path / "log").open("w") as log:
        process = subprocess.Popen([sys.executable, str(script), str(folder)], stderr=log)
    run = Run(folder)
    end = time.monotonic() + 240
    while len(run.checkpoints) < 1 or run.checkpoints[-1].steps < 1000:
        assert process.poll() is None, (tmp_path / "log").read_text()
        assert time.monotonic() < end
        time.sleep(0.01)
    process.kill()
    process.wait()
    assert not run.finished
    for checkpoint in run.checkpoints:
        agent = Agent.load(run, checkpoint.steps)
        assert agent.model.num_timesteps == checkpoint.steps
    assert main(["eval", str(folder), "--checkpoint", "--episodes", "1"]) == 0
    again = train(ENV, settings(steps=64), folder, seconds=0, overwrite=True)
    assert again.finished
    assert not list(folder.glob(".*"))
    assert not list((folder / "checkpoints").glob(".*"))


class Gone(io.TextIOBase):
    """The output of a process whose reader has gone."""

    def write(self, text):
        raise BrokenPipeError


def test_training_needs_no_reader(tmp_path, monkeypatch):
    """As when the terminal is closed, or `mjenv train | head` has ended."""
    monkeypatch.setattr(sys, "stdout", Gone())
    monkeypatch.setattr(sys, "stderr", Gone())
    run = train(ENV, settings(steps=64), tmp_path / "run", seconds=0)
    after_steps(monkeypatch, 8, lambda: os.kill(os.getpid(), signal.SIGHUP))
    with pytest.raises(Interrupted):
        train(ENV, settings(steps=640), tmp_path / "other", seconds=0)
    assert run.finished
    assert Run(tmp_path / "other").checkpoint("last").steps == 64


def test_two_signals_stop_at_once():
    interruption = Interruption()
    with interruption:
        interruption.patient = True
        os.kill(os.getpid(), signal.SIGINT)
        assert interruption.signum == signal.SIGINT
        with pytest.raises(Interrupted) as error:
            os.kill(os.getpid(), signal.SIGTERM)
        assert error.value.status == 143
        with pytest.raises(Interrupted):
            interruption.check()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ignored_signals_stay_ignored():
    """As nohup asks for."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with Interruption():
            os.kill(os.getpid(), signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_other_threads_have_no_signals():
    entered = []

    def enter():
        with Interruption() as interruption:
            entered.append(interruption.signum)

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    assert entered == [None]
