"""Several agents: one policy plays all of them, against itself and what it was before."""

import functools
import json

import gymnasium
import numpy as np
import pytest

pytest.importorskip("stable_baselines3")
pytest.importorskip("torch")

import torch

from mjenv.commands.cli import main
from mjenv.system.interruption import Interrupted
from mjenv.training.agent import Agent
from mjenv.training.evaluate import play
from mjenv.training.hyperparameters import hyperparameters
from mjenv.training.learners.self_play import worlds_for
from mjenv.training.portable import Portable
from mjenv.training.runs.folders import Run
from mjenv.training.settings import SelfPlay
from mjenv.training.tasks.choice import algorithm_for
from mjenv.training.tasks.sides import Sides, owner
from mjenv.training.tasks.view import View
from mjenv.training.train import make_agent, resume, train
from tests.training import tasks_in_groups
from tests.training.learned import numbers
from tests.training.runs.test_resume import stop_at

ENV = "tests.training.tasks_in_groups:Duel-v0"
ANTS = "mjenv/TwoAnts-v0"
SMALL = {
    "n_envs": 14,
    "n_steps": 16,
    "batch_size": 32,
    "n_epochs": 1,
    "net_arch": (8,),
    "past_every": 1,
    "past_size": 2,
}


def settings(**changes):
    return hyperparameters(ENV, "SelfPlay", **{**SMALL, "steps": 1120, **changes})


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run of a few updates."""
    return train(ENV, settings(), tmp_path_factory.mktemp("duel"), seconds=0, seed=3)


def test_worlds_of_a_training():
    assert worlds_for(SelfPlay(n_envs=512), 2) == (192 + 128, 128)
    assert worlds_for(SelfPlay(n_envs=13, past=0.0), 2) == (7, 1)
    assert worlds_for(SelfPlay(n_envs=12, past=1.0), 3) == (12, 12)
    assert worlds_for(SelfPlay(n_envs=12, past=0.0), 3) == (4, 0)


def test_names_that_begin_with_an_agents_are_its_own():
    assert owner("ant_0_win", ["ant", "ant_0"]) == "ant_0"
    assert owner("time", ["ant"]) is None


def test_rows_are_what_agents_see_and_earn():
    agent = make_agent(ENV, settings(), 0, {})
    arena, model = agent.normalize.venv, agent.model
    rows = arena.reset()
    assert rows.shape == (14, 3)
    assert arena.observation_space.shape == (3,)
    assert arena.action_space.shape == (1,)
    envs, seen = arena.envs, arena._sides
    assert (envs.num_envs, arena.rivals) == (9, 4)
    # both agents of five worlds, and one of each of the others
    assert arena._agent.tolist() == [0, 1] * 5 + [0, 1] * 2
    assert arena._world.tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8]
    before = {name: np.array(part) for name, part in envs.unwrapped._groups.split(
        envs.unwrapped._observe()).items()}  # fmt: skip
    for row in range(14):
        name = seen.names[arena._agent[row]]
        assert np.array_equal(rows[row], before[name][arena._world[row]])
    model.learn(14 * 16)
    actions = np.linspace(-1, 1, 14)[:, None].astype(np.float32)
    sent = []
    step = envs.step
    envs.step = lambda given: sent.append(np.array(given)) or step(given)
    _, rewards, *_ = arena.advance(actions)
    # what agents do stands where the task has it, and what they earn is their own
    places = {"one": 0, "two": 1}
    for row in range(14):
        name = seen.names[arena._agent[row]]
        assert sent[0][arena._world[row], places[name]] == actions[row, 0]
    for world in range(5):
        one, two = rewards[2 * world : 2 * world + 2]
        force = sent[0][world]
        assert np.isclose(one, -two - 0.5 * (force**2).sum())
    agent.normalize.close()


def test_earlier_selves_are_remembered_and_drawn():
    agent = make_agent(ENV, settings(), 0, {})
    arena, model = agent.normalize.venv, agent.model
    model.learn(14 * 16 * 4)
    assert len(arena.pool) == 2
    assert arena._added == 4
    assert not np.array_equal(arena.pool[0].parameters, arena.pool[1].parameters)
    assert set(arena._member) <= {0, 1}
    # they act as the policy did that they were
    past = arena.pool[1]
    past.std[:] = 0.0
    arena._member[:] = 1
    seen = np.random.default_rng(0).standard_normal((4, 1, 3))
    x = np.clip((seen - past.mean) * past.inverse, -past.limit, past.limit)
    expected = arena._networks[1](torch.tensor(x, dtype=torch.float32)).detach().numpy()
    np.testing.assert_array_equal(arena._replies(seen), np.clip(expected, -1, 1))
    agent.normalize.close()


@pytest.mark.slow
def test_episodes_against_earlier_selves_are_told(run):
    rows = run.episodes.read_text().splitlines()
    assert rows[0] == "steps,return,length,push,effort"
    assert "rollout/success_rate" in run.log.read_text().partition("\n")[0]
    for row in rows[1:]:
        total, push, effort = (float(row.split(",")[k]) for k in (1, 3, 4))
        assert abs(total - push - effort) < 1e-3


@pytest.mark.slow
def test_a_resumed_training_has_the_same_bits(run, tmp_path, monkeypatch):
    for stop in (14 * 20, 14 * 50):
        go_on = functools.partial(train, ENV, settings(), seed=3) if stop < 300 else resume
        with monkeypatch.context() as patch:
            stop_at(patch, stop)
            with pytest.raises(Interrupted):
                go_on(folder=tmp_path, seconds=0)
    parts = resume(tmp_path, seconds=0)
    expected, found = numbers(run), numbers(parts)
    assert expected.keys() == found.keys()
    assert all(torch.equal(found[name], value) for name, value in expected.items())
    assert parts.episodes.read_text() == run.episodes.read_text()


def test_one_policy_acts_for_all(run, tmp_path, capsys):
    view = View(agents=(("one", (0,)), ("two", (1,))))
    agent = Agent.load(run)
    assert agent.view == view == View.from_dict(json.loads(json.dumps(view.to_dict())))
    seen = {"one": np.full((2, 3), 0.1), "two": np.full((2, 3), -0.2)}
    actions = agent.act(seen)
    assert actions.shape == (2, 2)
    # single environments observe one of each
    one = agent.act({name: rows[0] for name, rows in seen.items()})
    np.testing.assert_allclose(one, actions[0], rtol=1e-5)
    swapped = agent.act({"one": seen["two"], "two": seen["one"]})
    np.testing.assert_array_equal(actions[:, ::-1], swapped)
    with pytest.raises(ValueError, match="expected a dict with 'two'"):
        agent.act({"one": seen["one"]})
    # and so do its files
    file = tmp_path / "agent.npz"
    assert main(["export", str(run.folder), "--output", str(file), "--episodes", "2"]) == 0
    # a file rounds weights to multiples of 2^-20
    np.testing.assert_allclose(Portable.load(file).act(seen), actions, atol=1e-5)
    film = tmp_path / "film.gif"
    options = ["--output", str(film), "--seconds", "0.2", "--size", "64x48"]
    for what in (str(run.folder), str(file)):
        assert main(["record", what, *options]) == 0
    capsys.readouterr()


@pytest.mark.slow
def test_evaluation_is_against_others(run, capsys):
    def forward(observations):
        return np.ones((len(observations["one"]), 2))

    def still(observations):
        return np.zeros((len(observations["one"]), 2))

    # who pushes wins, on whichever side
    episodes = play(ENV, forward, 6, rival=still)
    assert episodes.success.all()
    assert (episodes.terms["push"] > 0).all()
    np.testing.assert_allclose(episodes.returns, episodes.terms["push"] + episodes.terms["effort"])
    assert not play(ENV, still, 6, rival=forward).success.any()
    torch.set_num_threads(2)
    assert main(["eval", str(run.folder), "--episodes", "4"]) == 0
    assert torch.get_num_threads() == 1
    said = capsys.readouterr().out
    against = json.loads((run.folder / "eval.json").read_text())["against"]
    assert [*against] == [str(checkpoint.steps) for checkpoint in run.checkpoints]
    assert "% of the episodes against random actions" in said
    for checkpoint in run.checkpoints:
        assert f"% against the agent after {checkpoint.steps:,} steps" in said


@pytest.mark.slow
def test_self_play_learns_to_win(tmp_path):
    chosen = {"n_envs": 64, "n_steps": 25, "batch_size": 200, "n_epochs": 4, "steps": 32_000}
    found = train(ENV, hyperparameters(ENV, "SelfPlay", **chosen), tmp_path, seconds=0)
    agent = Agent.load(found)
    assert play(ENV, agent.act, 32).summary()["success"] > 0.9
    first = Agent.load(found, found.checkpoints[0].steps)
    assert play(ENV, agent.act, 32, rival=first.act).summary()["success"] > 0.9


def test_who_cannot_play_is_refused(monkeypatch, tmp_path):
    with pytest.raises(
        ValueError, match="has several agents, one and two, expected --algorithm Se"
    ):
        make_agent(ENV, hyperparameters(ENV), 0, {})
    other = ENV.replace("Duel", "Hidden")
    with pytest.raises(ValueError, match=r"Hidden-v0: has no several agents, .* with PPO"):
        make_agent(other, settings(), 0, {})
    task = tasks_in_groups.Duel
    with monkeypatch.context() as patch:
        patch.setattr(task, "agents", {"one": [0, 1], "two": [1]})
        with pytest.raises(ValueError, match=r"\(one 3 and 2, two 3 and 1\), expected the same"):
            make_agent(ENV, settings(), 0, {})
    with monkeypatch.context() as patch:
        patch.setattr(task, "agents", {"one": [0], "three": [1]})
        with pytest.raises(ValueError, match="found no observations of three, expected the task's"):
            make_agent(ENV, settings(), 0, {})
    pytest.importorskip("optuna")
    from mjenv.training.tune import tune

    with pytest.raises(ValueError, match=r"tune: .*Duel-v0 has several agents, whose returns"):
        tune(ENV, tmp_path / "tuning", trials=1)
    assert not (tmp_path / "tuning").exists()


@pytest.mark.slow
def test_the_two_ants_are_trained_by_the_command(tmp_path, capsys):
    assert algorithm_for(ANTS) == "SelfPlay"
    words = [f"{name}:{value}".replace(" ", "") for name, value in SMALL.items()]
    options = ["--run", str(tmp_path), "--seconds", "0", "--steps", "224", "--set", *words]
    assert main(["train", "TwoAnts-v0", *options, "--env-kwargs", "max_episode_steps:8"]) == 0
    assert "one policy acts for ant_0 and ant_1" in capsys.readouterr().out
    agent = Agent.load(Run.open(tmp_path))
    envs = gymnasium.make_vec(ANTS, 2)
    assert agent.act(envs.reset(seed=0)[0]).shape == (2, 16)
    sides = Sides(ANTS, envs)
    assert [list(one) for one in sides.terms] == [["push", "win", "control"]] * 2
