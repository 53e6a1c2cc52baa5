"""Agents evaluated while they learn, and the best one of them."""

import json

import numpy as np
import pytest

pytest.importorskip("stable_baselines3")
pytest.importorskip("torch")

from mjenv.commands.cli import main
from mjenv.system.interruption import Interrupted
from mjenv.training import train as training
from mjenv.training.agent import Agent
from mjenv.training.evaluate import evaluate
from mjenv.training.hyperparameters import hyperparameters
from mjenv.training.runs.evaluations import SEED, curve, read_evaluations
from mjenv.training.train import resume, train
from tests.training.learned import numbers

ENV = "mjenv/InvertedPendulum-v5"
PPO = {"n_envs": 4, "n_steps": 8, "batch_size": 16, "n_epochs": 2, "learning_rate": 0.01}
OFF_POLICY = {"n_envs": 4, "learning_starts": 32, "batch_size": 16, "buffer_size": 300,
              "gradient_steps": 2}  # fmt: skip


def settings(algorithm="PPO", **changes):
    small = PPO if "PPO" in algorithm else OFF_POLICY
    small = {"steps": 200, "net_arch": (8,), **small, **changes}
    return hyperparameters(ENV, algorithm, **small)


@pytest.mark.slow
def test_evaluations_are_written_and_the_best_agent_is_kept(tmp_path, capsys):
    run = train(ENV, settings(), tmp_path / "run", seconds=0, eval_every=60, eval_episodes=5)
    rows = read_evaluations(run.evaluations)
    # after the updates in which a multiple of 60 is passed, and at the end
    assert [row["steps"] for row in rows] == [64, 128, 192, 224]
    best = max(rows, key=lambda row: row["mean"])
    assert run.checkpoint("best").steps == best["steps"]
    progress = run.checkpoint("best").progress()
    assert {name: progress[name] for name in best} == best
    for which, row in (("best", best), ("last", rows[-1])):
        returns = evaluate(ENV, Agent.load(run, which).act, 5, SEED)
        assert returns.mean() == row["mean"]
        assert returns.std() == row["std"]
    assert f"best of 4 evaluations: {best['mean']:,.0f} +-" in capsys.readouterr().out
    steps, means, deviations = curve(run.evaluations)
    assert steps.tolist() == [64, 128, 192, 224]
    assert means.max() == best["mean"]
    assert len(deviations) == 4
    assert main(["eval", str(run.folder), "--checkpoint", "best", "--episodes", "2"]) == 0
    assert json.loads((run.folder / "best" / "eval.json").read_text())["episodes"] == 2
    assert not list(run.folder.glob(".best*"))


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["PPO", "SAC", "TD3", "TQC", "SB3-PPO", "SB3-TD3"])
def test_training_learns_the_same_numbers(algorithm, tmp_path):
    runs = [
        train(ENV, settings(algorithm), tmp_path / str(every), seconds=0, eval_every=every)
        for every in (None, 30)
    ]
    plain, evaluated = map(numbers, runs)
    assert plain.keys() == evaluated.keys()
    for name, array in plain.items():
        np.testing.assert_array_equal(array, evaluated[name], err_msg=name)
    assert len(read_evaluations(runs[1].evaluations)) > 3
    assert not runs[0].evaluations.exists()


@pytest.mark.slow
def test_a_resumed_training_has_the_evaluations_of_one_that_was_not_stopped(tmp_path, monkeypatch):
    options = {"seconds": 0, "eval_every": 60, "eval_episodes": 3}
    whole = train(ENV, settings(), tmp_path / "whole", **options)
    on_step = training.Checkpoints._on_step

    def stop(self):
        if self.num_timesteps == 100:
            raise Interrupted(2)
        return on_step(self)

    with monkeypatch.context() as patch:
        patch.setattr(training.Checkpoints, "_on_step", stop)
        with pytest.raises(Interrupted):
            train(ENV, settings(), tmp_path / "parts", **options)
    parts = resume(tmp_path / "parts", seconds=0)
    assert read_evaluations(parts.evaluations) == read_evaluations(whole.evaluations)
    assert parts.checkpoint("best").progress() == whole.checkpoint("best").progress()


def test_mistakes(tmp_path, capsys):
    for changes, said in (
        ({"eval_every": 0}, "eval_every: found 0, expected a whole number from 1"),
        ({"eval_every": 10, "eval_episodes": 1.5}, "eval_episodes: found 1.5, expected"),
    ):
        with pytest.raises(ValueError, match=said):
            train(ENV, settings(), tmp_path / "run", **changes)
    run = train(ENV, settings(steps=32), tmp_path / "run", seconds=0)
    assert main(["eval", str(run.folder), "--checkpoint", "best"]) == 1
    assert (
        "found no evaluations during training, expected a run with --eval"
        in capsys.readouterr().err
    )


def test_evaluations_that_cannot_be_written_are_left_out(tmp_path, monkeypatch, capsys):
    def fail(*_):
        raise OSError(28, "no space left on device")

    monkeypatch.setattr("mjenv.training.runs.evaluations.write_evaluations", fail)
    run = train(ENV, settings(steps=64), tmp_path / "run", seconds=0, eval_every=32)
    assert run.finished
    said = capsys.readouterr().err
    assert "no space left on device; training goes on, the best agent before stays" in said
