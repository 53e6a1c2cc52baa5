"""The search for settings: it goes on, cuts off, and writes down what is best."""

import json

import pytest

pytest.importorskip("stable_baselines3")
pytest.importorskip("optuna")

import optuna

from mjenv.cli import main
from mjenv.training import tune as tuning
from mjenv.training.hyperparameters import DEFAULTS, TABLE, hyperparameters
from mjenv.training.tune import RATES, SPACE, Tuning, tune

ENV = "mjenv/InvertedPendulum-v5"


def test_the_first_trial_is_the_table(tmp_path, monkeypatch):
    tried = []

    def give(trial, env_id, settings, *_):
        tried.append(settings)
        trial.set_user_attr("steps", 100)
        return -abs(settings.gamma - 0.98)

    monkeypatch.setattr(tuning, "_try", give)
    tune(ENV, tmp_path, trials=3)
    row = hyperparameters(ENV)
    first = {name: getattr(tried[0], name) for name in SPACE}
    assert first == {name: getattr(row, name) for name in SPACE}
    # it goes on where it was: two more
    tune(ENV, tmp_path, trials=5)
    assert len(tried) == 5
    best = json.loads((tmp_path / "best.json").read_text())
    value = max(-abs(settings.gamma - 0.98) for settings in tried)
    assert best["return"] == value
    assert best["trials"] == 5
    # its settings can be trained with
    again = hyperparameters(ENV, **best["hyperparameters"])
    assert (again.steps, -abs(again.gamma - 0.98)) == (100, value)


def test_poor_trials_are_cut_off(tmp_path, monkeypatch):
    def give(trial, *_):
        trial.report(-trial.number, 2)
        if trial.should_prune():
            raise optuna.TrialPruned
        trial.set_user_attr("steps", 1)
        return float(-trial.number)

    monkeypatch.setattr(tuning, "_try", give)
    trials = tune(ENV, tmp_path, trials=6).study().trials
    states = [trial.state.name for trial in trials]
    assert states == ["COMPLETE"] * 4 + ["PRUNED"] * 2


def test_rows_of_the_table_can_be_drawn():
    for row in (DEFAULTS, *TABLE.values()):
        for name, values in SPACE.items():
            value = getattr(row, name)
            assert (" ".join(map(str, value)) if name == "net_arch" else value) in values
        assert RATES[0] <= row.learning_rate <= RATES[1]


@pytest.mark.slow
def test_a_search(tmp_path, capsys):
    folder = tmp_path / "search"
    words = ["--trials", "1", "--minutes", "0.03", "--folder", str(folder)]
    assert main(["tune", "InvertedPendulum-v5", *words]) == 0
    assert "trial 1 of 1: return" in capsys.readouterr().out
    trial = Tuning(folder, ENV).study().best_trial
    assert trial.user_attrs["steps"] > 0
    assert len(trial.intermediate_values) > 2
