"""Searches on a Ray cluster: the trials are those of `mjenv tune`, also the ones that were lost."""

import json
import os
import signal

import pytest

pytest.importorskip("stable_baselines3")
pytest.importorskip("optuna")
pytest.importorskip("ray.tune")

from mjenv.commands.cli import main
from mjenv.training import tune as tuning
from mjenv.training.cluster.worker_pool import Cluster
from mjenv.training.hyperparameters import hyperparameters
from mjenv.training.runs.search import Tuning
from mjenv.training.tune import SPACE, tune

ENV = "mjenv/InvertedPendulum-v5"

# each takes seconds to start
pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("cluster")]


def states(folder):
    return [trial.state.name for trial in Tuning(folder, ENV).study().trials]


def test_it_goes_on_in_its_folder(tmp_path, monkeypatch):
    """With the trials of the table and of the same space, here and there."""

    def attempt(trial, settings, threads):
        assert threads == 1
        trial.set_user_attr("steps", 100)
        return -abs(settings.gamma - 0.98)

    monkeypatch.setattr(tuning, "Attempt", lambda *_: attempt)
    tune(ENV, tmp_path, trials=2, cluster=Cluster(2))
    tune(ENV, tmp_path, trials=3, cluster=Cluster(2))
    trials = Tuning(tmp_path, ENV).study().trials
    assert [trial.state.name for trial in trials] == ["COMPLETE"] * 3
    row = hyperparameters(ENV)
    assert trials[0].params["gamma"] == row.gamma
    assert all(set(trial.params) == {*SPACE, "learning_rate"} for trial in trials)
    best = json.loads((tmp_path / "best.json").read_text())
    assert (best["trials"], best["return"]) == (3, max(trial.value for trial in trials))
    assert hyperparameters(ENV, **best["hyperparameters"]).steps == 100
    # and without the cluster
    monkeypatch.setattr(tuning, "_try", lambda trial, *_: attempt(trial, row, 1))
    tune(ENV, tmp_path, trials=4)
    assert states(tmp_path) == ["COMPLETE"] * 4


def test_poor_trials_are_cut_off_and_lost_ones_tried_again(tmp_path, monkeypatch):
    numbers, killed = tmp_path / "numbers", tmp_path / "killed"

    def attempt(trial, settings, threads):
        if not killed.exists():
            killed.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        with numbers.open("a") as file:
            file.write("x")
        value = -float(numbers.stat().st_size)
        trial.report(value, 2)
        trial.set_user_attr("steps", 1)
        return value

    monkeypatch.setattr(tuning, "Attempt", lambda *_: attempt)
    tune(ENV, tmp_path / "search", trials=5, cluster=Cluster(1))
    assert killed.exists()
    assert states(tmp_path / "search") == ["COMPLETE"] * 4 + ["PRUNED"]


def test_errors_are_told(tmp_path, monkeypatch):
    tried = tmp_path / "tried"

    def attempt(trial, settings, threads):
        with tried.open("a") as file:
            file.write("x")
        raise ValueError("no such thing")

    monkeypatch.setattr(tuning, "Attempt", lambda *_: attempt)
    with pytest.raises(RuntimeError, match=r"1 of 1 trials have failed, one with: ValueError: no"):
        tune(ENV, tmp_path, trials=1, cluster=Cluster(1))
    assert tried.read_text() == "x"  # not again
    assert not (tmp_path / "study.log").exists()
    assert not (tmp_path / "ray").exists()
    assert not (tmp_path / "best.json").exists()


def test_a_search(tmp_path, capsys):
    folder = tmp_path / "search"
    words = ["--trials", "2", "--minutes", "0.03", "--folder", str(folder), "--ray"]
    assert main(["tune", "InvertedPendulum-v5", *words]) == 0
    assert "trial 2 of 2: return" in capsys.readouterr().out
    trials = Tuning(folder, ENV).study().trials
    assert all(trial.user_attrs["steps"] > 0 for trial in trials)
    assert all(trial.intermediate_values for trial in trials)
