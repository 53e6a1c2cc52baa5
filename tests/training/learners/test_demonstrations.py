"""Recorded episodes that a training begins with."""

import json

import numpy as np
import pytest

pytest.importorskip("stable_baselines3")
pytest.importorskip("torch")

import torch

from mjenv.commands.cli import main
from mjenv.training.cluster.rollouts import play_once
from mjenv.training.evaluate import evaluate, make_envs
from mjenv.training.hyperparameters import hyperparameters
from mjenv.training.learners.cloning import clone
from mjenv.training.learners.demonstrations import Demonstrations
from mjenv.training.runs.folders import Run
from mjenv.training.train import make_agent, train

ENV = "mjenv/InvertedPendulum-v5"
KWARGS = {"max_episode_steps": 60}
SMALL = {"n_envs": 4, "n_steps": 16, "batch_size": 32, "n_epochs": 1, "net_arch": (32,)}


def balance(observations):
    """A controller that keeps the pole upright."""
    return np.clip(observations @ [[1.0], [12.0], [1.2], [2.5]], -3, 3)


@pytest.fixture(scope="module")
def columns():
    """Episodes of the controller, as rollouts have them."""
    envs = make_envs(ENV, 12, KWARGS)
    found = play_once(envs, balance, 0, True)
    envs.close()
    return found


@pytest.fixture(scope="module")
def arrays(columns):
    """The same as arrays."""
    lengths = columns["length"]
    observations = [x.reshape(-1, 4)[:-1] for x in columns["observations"]]
    return {
        "observations": np.concatenate(observations),
        "actions": np.concatenate(columns["actions"])[:, None],
        "rewards": np.concatenate(columns["rewards"]),
        "lengths": lengths,
        "terminated": columns["terminated"],
    }


def test_files_of_all_kinds_say_the_same(columns, arrays, tmp_path, monkeypatch):
    np.savez(tmp_path / "episodes.npz", **arrays)
    shown = Demonstrations.read(tmp_path / "episodes.npz", 4, 1)
    assert len(shown.lengths) == 12
    assert shown.observations.dtype == np.float32
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    for k in range(2):
        half = slice(6 * k, 6 * k + 6)
        table = arrow.table({name: list(values[half]) for name, values in columns.items()})
        parquet.write_table(table, tmp_path / f"part-{k:06}.parquet")
    for one, other in zip(Demonstrations.read(tmp_path, 4, 1), shown, strict=True):
        np.testing.assert_array_equal(one, other)
    first = Demonstrations.read(tmp_path / "part-000000.parquet", 4, 1)
    assert first.lengths.tolist() == arrays["lengths"][:6].tolist()
    with pytest.raises(
        ValueError, match="episodes have 4 observations and 1 actions, expected 3 an"
    ):
        Demonstrations.read(tmp_path, 3, 1)
    table = arrow.table({"length": [3], "return": [1.0]})
    parquet.write_table(table, tmp_path / "returns.parquet")
    with pytest.raises(ValueError, match="has returns only, expected a rollout with steps=True"):
        Demonstrations.read(tmp_path / "returns.parquet", 4, 1)


def test_data_sets_of_minari(columns, arrays, monkeypatch):
    class Episode:
        def __init__(self, k):
            start = int(arrays["lengths"][:k].sum())
            rows = slice(start, start + int(arrays["lengths"][k]))
            self.observations = columns["observations"][k].reshape(-1, 4)
            self.actions, self.rewards = arrays["actions"][rows], arrays["rewards"][rows]
            self.terminations = [*[False] * (len(self.actions) - 1), arrays["terminated"][k]]

    class DataSet:
        def iterate_episodes(self):
            return map(Episode, range(12))

    class Minari:
        @staticmethod
        def load_dataset(name):
            assert name == "pole/expert-v0"
            return DataSet()

    monkeypatch.setattr("mjenv.system.packages.load", lambda *_: Minari)
    found = Demonstrations.read("minari:pole/expert-v0", 4, 1)
    np.testing.assert_array_equal(found.observations, arrays["observations"].astype(np.float32))
    assert found.terminated.tolist() == arrays["terminated"].tolist()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"actions": np.zeros((3, 2))}, r"found observations \(720, 4\), actions \(3, 2\)"),
        ({"lengths": np.array([5])}, r"episodes of 5 steps, expected \(n, 4\), \(n, 1\)"),
        ({"rewards": np.zeros(3)}, "3 rewards"),
        ({"observations": np.full((720, 4), np.nan)}, "has numbers that are not finite"),
        ({"actions": None}, r"has observations, rewards, .*, expected observations \(n, nobs\)"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(changes, message, arrays, tmp_path):
    parts = {name: x for name, x in {**arrays, **changes}.items() if x is not None}
    np.savez(tmp_path / "episodes.npz", **parts)
    with pytest.raises(ValueError, match=message):
        Demonstrations.read(tmp_path / "episodes.npz", 4, 1)


def test_other_files_are_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="no such file or folder, expected episodes to"):
        Demonstrations.read(tmp_path / "none", 4, 1)
    with pytest.raises(ValueError, match="found no episodes, expected the folder of a rollout"):
        Demonstrations.read(tmp_path, 4, 1)


def test_sums_of_rewards():
    one = np.zeros((5, 1))
    rewards = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
    shown = Demonstrations(one, one, rewards, np.array([3, 2]), np.array([True, False]))
    ahead, known, behind = shown.returns(0.5)
    assert ahead.tolist() == [3.0, 4.0, 4.0, 16.0, 16.0]
    assert behind.tolist() == [1.0, 2.5, 5.25, 8.0, 20.0]
    assert known.tolist() == [1.0, 1.0, 1.0, 0.75, 0.5]


@pytest.mark.slow
def test_a_clone_does_what_was_done(arrays):
    agent = make_agent(ENV, hyperparameters(ENV, **SMALL), 0, KWARGS)
    before = evaluate(ENV, agent.act, env_kwargs=KWARGS).mean()
    shown = Demonstrations(*(arrays[n] for n in Demonstrations._fields))
    said = clone(agent, shown, 0)
    assert said.startswith("12 episodes, 720 steps: actions are missed by 0.")
    assert evaluate(ENV, agent.act, env_kwargs=KWARGS).mean() > 58 > before
    seen = arrays["observations"][:50]
    assert np.abs(agent.act(seen) - arrays["actions"][:50]).mean() < 0.1
    # normalization is that of the episodes; some exploration stays
    rms = agent.normalize.obs_rms
    np.testing.assert_allclose(rms.mean, arrays["observations"].mean(0), atol=1e-4)
    assert np.allclose(torch.exp(agent.model.policy.log_std).detach(), 0.1, atol=0.05)
    # the critic says what rewards come to, of those that are known
    x = torch.as_tensor(agent.normalize.normalize_obs(seen), dtype=torch.float32)
    with torch.no_grad():
        values = agent.model.policy.predict_values(x).numpy()[:, 0]
    assert values.mean() > 0.5
    # gradients are still parts of one vector: it can be trained
    agent.model.learn(128)
    agent.normalize.close()


@pytest.mark.slow
def test_a_training_begins_with_them(arrays, tmp_path, capsys):
    np.savez(tmp_path / "episodes.npz", **arrays)
    run = tmp_path / "run"
    words = [f"{name}:{value}".replace(" ", "") for name, value in SMALL.items()]
    options = ["--run", str(run), "--seconds", "0", "--steps", "64", "--set", *words]
    options += ["--env-kwargs", "max_episode_steps:60"]
    more = ["--demonstrations", str(tmp_path / "episodes.npz")]
    assert main(["train", "InvertedPendulum-v5", *options, *more]) == 0
    assert "episodes.npz: 12 episodes, 720 steps: actions are missed" in capsys.readouterr().out
    result = json.loads((run / "result.json").read_text())
    assert result["return_mean_before"] > 58
    assert Run.open(run).config()["demonstrations"] == more[1]


@pytest.mark.slow
def test_who_cannot_begin_with_them_is_refused(tmp_path):
    with pytest.raises(
        ValueError, match="demonstrations: found SAC, which cannot start from them, expected P"
    ):
        train(ENV, hyperparameters(ENV, "SAC"), tmp_path / "run", demonstrations="x.npz")
    env = "tests.training.tasks_in_groups:Hidden-v0"
    with pytest.raises(ValueError, match="observations are in groups, expected one vector"):
        train(env, hyperparameters(env, **SMALL), tmp_path / "run", demonstrations="x.npz")
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_rollouts_are_read(tmp_path):
    pytest.importorskip("pyarrow")
    from mjenv.cluster import rollout

    totals = rollout(ENV, 5, tmp_path, size=3, steps=True, env_kwargs=KWARGS)
    shown = Demonstrations.read(tmp_path, 4, 1)
    assert len(shown.lengths) == 5
    assert len(shown.actions) == totals.steps
    assert abs(shown.rewards.sum() - totals.mean * 5) < 1e-3
