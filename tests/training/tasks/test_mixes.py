"""Training, evaluation and films of several tasks at once."""

import csv
import json

import numpy as np
import pytest

pytest.importorskip("stable_baselines3")
pytest.importorskip("torch")

import torch

from mjenv.commands.cli import main
from mjenv.gym import lookup
from mjenv.training.evaluate import make_envs, play
from mjenv.training.films import film, mixed
from mjenv.training.films.film_pictures import Pictures
from mjenv.training.films.recording import record
from mjenv.training.films.shot import grid
from mjenv.training.hyperparameters import hyperparameters
from mjenv.training.runs.folders import Run
from mjenv.training.tasks.episodes import Episodes
from mjenv.training.train import filmed, resume, train
from tests.training.learned import numbers

TASKS = ["HalfCheetah-v5", "Hopper-v5", "InvertedPendulum-v5"]
MULTI, KWARGS = "mjenv/Multi-v0", {"tasks": TASKS, "task_id": "one_hot"}


def still(observations):
    return np.zeros((len(observations), 6), np.float32)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    settings = hyperparameters(
        MULTI, "PPO", steps=1200, n_envs=12, n_steps=50, batch_size=100, n_epochs=1, net_arch=(8,)
    )
    folder = tmp_path_factory.mktemp("mix") / "run"
    return train(MULTI, settings, folder, env_kwargs=KWARGS, seconds=0.2, size=(64, 48))


def test_rewards_of_episodes_are_told_by_task():
    envs = make_envs(MULTI, 6, KWARGS)
    envs.seed(0)
    envs.reset()
    assert envs.get_attr("render_mode") == [None] * 6
    assert [data.model.nq for data in envs.get_attr("data", [0, 1, 2])] == [9, 6, 2]
    ended = {}
    while len(ended) < 4:
        _, _, done, infos = envs.step(still(range(6)))
        ended |= {i: infos[i]["episode"] for i in np.flatnonzero(done)}
    for i, episode in ended.items():
        assert episode["task"] == TASKS[i % 3]
        own = {name for name, value in episode["terms"].items() if not np.isnan(value)}
        assert "reward_survive" in own
        assert ("reward_forward" in own) == (i % 3 == 1)


@pytest.mark.slow
def test_the_log_has_each_task(run):
    with run.log.open() as file:
        last = list(csv.DictReader(file))[-1]
    assert float(last["rollout/Hopper-v5/return"]) > 0
    assert 1 < float(last["rollout/InvertedPendulum-v5/length"]) < 60
    with run.episodes.open() as file:
        rows = list(csv.DictReader(file))
    assert {row["task"] for row in rows} >= set(TASKS[1:])
    assert all((row["reward_forward"] == "") == (row["task"] == TASKS[2]) for row in rows)
    # terms are means over the tasks that have them
    alive = [float(row["return"]) for row in rows if row["task"] == TASKS[2]]
    assert min(alive) >= 0
    assert run.video.stat().st_size > 1000


@pytest.mark.slow
def test_evaluations_have_each_task(run, capsys):
    assert main(["eval", str(run.folder), "--episodes", "1"]) == 0  # one of each at least
    told = capsys.readouterr().out
    found = json.loads((run.folder / "eval.json").read_text())
    assert found["episodes"] == 3
    assert [*found["tasks"]] == TASKS
    for name in TASKS:
        assert f"{name}: return " in told
        assert found["tasks"][name]["episodes"] == 1
    apart = play("mjenv/InvertedPendulum-v5", lambda o: np.zeros((len(o), 1)), 3, 5)
    mix = play(MULTI, still, 3, 5, KWARGS)
    assert mix.returns[2] == apart.returns[2]


def test_successes_are_those_of_tasks_that_tell_them():
    tasks = np.array(["a", "b", "a"], object)
    terms = {"near": np.array([1.0, np.nan, 3.0])}
    one = Episodes(np.arange(3.0), np.full(3, 4), terms, np.array([1.0, np.nan, 0.0]), tasks)
    assert one.summary()["success"] == 0.5
    assert "success" not in one.of_tasks()["b"].summary()
    lines = one.table()
    assert lines[0] == "a: return 1.0 +- 1.0 in 2 episodes of 4 steps, success 50%"
    assert lines[2].split() == ["near", "2.0", "0.5000"]
    assert lines[3] == "b: return 1.0 +- 0.0 in 1 episodes of 4 steps"


@pytest.mark.slow
def test_training_goes_on_where_it_stopped(run, tmp_path):
    """A run that is lengthened learns the numbers of the longer one."""
    settings = {**run.config()["hyperparameters"], "learning_rate_schedule": "constant"}
    folders = tmp_path / "long", tmp_path / "short"
    for folder, steps in zip(folders, (1200, 600), strict=True):
        one = hyperparameters(MULTI, "PPO", **{**settings, "steps": steps})
        train(MULTI, one, folder, env_kwargs=KWARGS, seconds=0)
    resume(folders[1], steps=1200, seconds=0)
    a, b = (numbers(Run.open(folder)) for folder in folders)
    assert a.keys() == b.keys()
    for name, value in a.items():
        assert torch.equal(b[name], value), name


def test_films_have_the_worlds_of_all_tasks(tmp_path):
    columns, _, width, height = grid(3, (96, 64))
    pictures = film.several(MULTI, None, 0.1, film.Shot((96, 64)), 0, KWARGS, 1)
    whole = pictures.at(0.0).copy()
    for k, name in enumerate(TASKS):
        alone = Pictures(record(f"mjenv/{name}", None, 0.1, k), film.Shot((width, height)))
        y, x = divmod(k, columns)
        place = slice(y * height, (y + 1) * height), slice(x * width, (x + 1) * width)
        np.testing.assert_array_equal(whole[place], alone.at(0))
    assert (pictures.at(0.1) != whole).any()
    path = tmp_path / "mix.gif"
    count = film.film(MULTI, None, path, 0.3, film.Shot((96, 64), fps=10), env_kwargs=KWARGS)
    assert count == 3
    assert path.stat().st_size > 500


def test_films_that_cannot_be(tmp_path):
    with pytest.raises(ValueError, match=r"expected a film: no states in .*s\.npz"):
        film.film(MULTI, None, "m.gif", states=tmp_path / "s.npz", env_kwargs=KWARGS)
    with pytest.raises(ValueError, match="HalfCheetah-v5: camera"):
        film.several(MULTI, None, 0.1, film.Shot((96, 64), ("nowhere",)), 0, KWARGS, 1)
    with pytest.raises(ValueError, match=r"mjenv/HalfCheetah-v5: .*'nonsense'"):
        mixed.make(MULTI, 1, {**KWARGS, "nonsense": 1})


@pytest.mark.parametrize("command", ["view", "prepare"])
def test_commands_that_need_a_single_environment(command, capsys):
    assert main([command, "Multi-v0"]) == 1
    assert "mjenv/Multi-v0: has several tasks and no single environment" in capsys.readouterr().err


def test_files_name_no_modules_to_execute(run, tmp_path, monkeypatch):
    config = run.config()
    config["env_kwargs"]["tasks"] = "{'a': {'id': 'mix_of_others:Task-v0'}}"
    folder = tmp_path / "theirs"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(ValueError, match=r"is in the module 'mix_of_others'.*pass --trust"):
        Run.open(folder).environment()
    assert Run.open(folder).environment(trust=True)[0] == MULTI


def test_tasks_are_known_by_name():
    assert lookup.tasks_of(MULTI, KWARGS) == tuple(TASKS)
    assert lookup.tasks_of("mjenv/HalfCheetah-v5", KWARGS) == ()
    assert filmed(MULTI, 2.0, 0.0, KWARGS) == 2.0
