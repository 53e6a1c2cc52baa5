"""The search for settings: it goes on, cuts off, and writes down what is best."""

import json

import numpy as np
import pytest

pytest.importorskip("stable_baselines3")
pytest.importorskip("optuna")

import optuna

from mjenv.commands.cli import main
from mjenv.training import tune as tuning
from mjenv.training.hyperparameters import DEFAULTS, OFF_POLICY_TABLE, TABLE, hyperparameters
from mjenv.training.learners.off_policy import WideSAC
from mjenv.training.runs.search import Tuning
from mjenv.training.settings import RandomSearch
from mjenv.training.tune import FAST_SPACE, RATES, SPACE, _drawn, tune

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


def tried(monkeypatch, stop=()):
    """Let trials take no time; their settings, and those at which they are stopped at first."""
    settings, left = [], list(stop)

    def give(trial, env_id, drawn, *_):
        settings.append(drawn)
        if len(settings) in left:
            raise KeyboardInterrupt
        trial.set_user_attr("steps", 1)
        return drawn.learning_rate

    monkeypatch.setattr(tuning, "_try", give)
    return settings


def test_a_search_that_is_stopped_goes_on_as_one_that_is_not(tmp_path, monkeypatch):
    expected = tried(monkeypatch)
    tune(ENV, tmp_path / "whole", trials=7, seed=3)
    found = tried(monkeypatch)
    for trials in (1, 3, 4, 7):
        tune(ENV, tmp_path / "parts", trials=trials, seed=3)
    assert found == expected
    assert len({one.learning_rate for one in found}) == 7
    other = tried(monkeypatch)
    tune(ENV, tmp_path / "other", trials=2, seed=4)
    assert other[1] != expected[1]


def test_a_trial_that_was_under_way_is_tried_again(tmp_path, monkeypatch):
    settings = tried(monkeypatch, stop=[3])
    with pytest.raises(KeyboardInterrupt):
        tune(ENV, tmp_path, trials=4)
    tune(ENV, tmp_path, trials=4)
    assert settings[3] == settings[2]
    assert settings[4] not in settings[:4]
    assert len(settings) == 5


def test_a_search_goes_on_with_its_own_minutes(tmp_path, monkeypatch):
    how = []

    def give(trial, env_id, drawn, *words):
        how.append(words)
        trial.set_user_attr("steps", 1)
        return 1.0

    monkeypatch.setattr(tuning, "_try", give)
    kwargs = {"reset_noise_scale": 0.02}
    tune(ENV, tmp_path, trials=1, minutes=0.1, seed=5, env_kwargs=kwargs)
    tune(ENV, tmp_path, trials=2, env_kwargs=kwargs)
    assert how == [(0.1, 5, kwargs)] * 2
    for given, expected in (
        ({"minutes": 3.0}, "has a search with minutes 0.1, found 3.0; continue with the same, or"),
        ({"seed": 0}, "has a search with seed 5, found 0"),
        ({"env_kwargs": None}, r"has a search with env_kwargs {'reset_noise_scale': '0.02'}, f"),
    ):
        with pytest.raises(ValueError, match=expected):
            tune(ENV, tmp_path, trials=3, **{"env_kwargs": kwargs, **given})
    with pytest.raises(ValueError, match=r"has a search of mjenv/InvertedP.*, expected mjenv/Hopp"):
        tune("mjenv/Hopper-v5", tmp_path, trials=3)
    tune(ENV, tmp_path / "new", trials=1)
    assert how[-1] == (2.0, 0, {})


def test_a_search_that_fails_leaves_nothing(tmp_path, monkeypatch):
    def give(*_):
        raise ValueError("no such thing")

    monkeypatch.setattr(tuning, "_try", give)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="no such thing"):
        tune(ENV)
    assert not list(tmp_path.iterdir())


def test_one_process_has_a_search(tmp_path):
    with (
        Tuning(tmp_path / "search", ENV).opened(),
        pytest.raises(FileExistsError, match="another process"),
    ):
        tune(ENV, tmp_path / "search")
    assert not list(tmp_path.iterdir())


TASK = """
import mjenv

class Swing(mjenv.Task):
    xml_file = "inverted_pendulum.xml"

    def observation(self, data):
        return {"qpos": data.qpos, "qvel": data.qvel}

    def outcome(self, data, action, before):
        return mjenv.Outcome(reward={"upright": -(data.qpos[..., 1] ** 2)})

mjenv.register("SearchedSwing-v0", Swing, max_episode_steps=50)
"""


def test_settings_of_a_search_are_trained_with(tmp_path, monkeypatch, capsys):
    """The folder has the name of the environment alone, and its file is one of settings."""
    tried(monkeypatch)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "searched_swing.py").write_text(TASK)
    name = "searched_swing:SearchedSwing-v0"
    assert main(["tune", name, "--trials", "2"]) == 0
    best = "tuning/SearchedSwing-v0/best.json"
    assert capsys.readouterr().out.endswith(f"settings of the best trial: {best}\n")
    words = ["--hyperparameters", best, "n_steps:16", "--run", "run", "--seconds", "0"]
    assert main(["train", name, *words]) == 1
    assert "n_steps is given twice" in capsys.readouterr().err
    assert main(["train", name, *words[:2], *words[3:]]) == 0
    found = json.loads((tmp_path / "run" / "config.json").read_text())["hyperparameters"]
    assert found == json.loads((tmp_path / best).read_text())["hyperparameters"]


def test_rows_of_the_table_can_be_drawn():
    for row in (DEFAULTS, *TABLE.values()):
        for name, values in SPACE.items():
            value = getattr(row, name)
            assert (" ".join(map(str, value)) if name == "net_arch" else value) in values
        assert RATES[0] <= row.learning_rate <= RATES[1]
    for row in OFF_POLICY_TABLE.values():
        if row.algorithm == "FastSAC":
            assert _drawn(row).keys() == {*FAST_SPACE, "learning_rate"}


@pytest.mark.slow
def test_a_search(tmp_path, capsys):
    folder = tmp_path / "search"
    words = ["--trials", "1", "--minutes", "0.03", "--folder", str(folder)]
    assert main(["tune", "InvertedPendulum-v5", *words]) == 0
    assert "trial 1 of 1: return" in capsys.readouterr().out
    trial = Tuning(folder, ENV).study().best_trial
    assert trial.user_attrs["steps"] > 0
    assert len(trial.intermediate_values) > 2


@pytest.mark.parametrize("algorithm", ["ARS", "FastSAC"])
def test_settings_of_other_algorithms(algorithm, tmp_path, capsys):
    """A search goes on as one of the algorithm, and its best settings can be trained with."""
    words = ["tune", "InvertedPendulum-v5", "--folder", str(tmp_path / "search")]
    small = ["--minutes", "0.002", "--trials"]
    assert main([*words, *small, "2", "--algorithm", algorithm]) == 0
    assert main([*words, *small, "3"]) == 0
    best = json.loads((tmp_path / "search" / "best.json").read_text())
    assert (best["algorithm"], best["trials"]) == (algorithm, 3)
    found = hyperparameters(ENV, algorithm, **best["hyperparameters"])
    assert found.algorithm == algorithm
    if isinstance(found, RandomSearch):
        assert found.n_top <= found.n_delta
    capsys.readouterr()
    assert main([*words, *small, "4", "--algorithm", "PPO"]) == 1
    assert f"has a search with algorithm '{algorithm}', found 'PPO'" in capsys.readouterr().err


def test_a_search_has_the_learning_rate_of_fast_sac_fall_with_the_time(tmp_path, monkeypatch):
    """By the share of the minutes: nobody knows how many steps there will be."""
    rates = []
    fall = WideSAC._update_learning_rate

    def noted(self, optimizers):
        fall(self, optimizers)
        rates.append((self.share, self._optimizers()["actor"].param_groups[0]["lr"]))

    monkeypatch.setattr(WideSAC, "_update_learning_rate", noted)
    task = "mjenv/cartpole-balance-v0"
    assert main(["tune", task, "--algorithm", "FastSAC", "--minutes", "0.15", "--trials", "1",
                 "--folder", str(tmp_path / "search")]) == 0  # fmt: skip
    shares, found = np.array([one for one in rates if one[0] is not None]).T
    first = hyperparameters(task, "FastSAC").learning_rate
    np.testing.assert_allclose(found, first * (1.0 - shares), rtol=1e-6)
    assert shares[-1] > 0.9


def test_algorithms_without_a_search(tmp_path):
    with pytest.raises(ValueError, match="algorithm is 'SAC', expected one of"):
        tune(ENV, tmp_path / "other", algorithm="SAC")
