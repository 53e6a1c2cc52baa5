"""Policies that remember: trained by sb3-contrib, and told where episodes begin."""

import numpy as np
import pytest

pytest.importorskip("stable_baselines3")
pytest.importorskip("torch")

import gymnasium
from sb3_contrib import RecurrentPPO

from mjenv.commands.cli import main
from mjenv.training.agent import Agent
from mjenv.training.evaluate import play
from mjenv.training.films import recording
from mjenv.training.hyperparameters import hyperparameters
from mjenv.training.runs.folders import Run
from mjenv.training.train import make_agent, train
from mjenv.viewing.simulations import EnvironmentSimulation

ENV = "mjenv/InvertedPendulum-v5"
GROUPS = "tests.training.tasks_in_groups:Hidden-v0"
SMALL = {"n_envs": 2, "n_steps": 16, "batch_size": 16, "n_epochs": 1, "net_arch": (8,), "lstm": 4}


def settings(**changes):
    return hyperparameters(ENV, "SB3-RecurrentPPO", **{**SMALL, "steps": 64, **changes})


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run of a few updates."""
    folder = tmp_path_factory.mktemp("recurrent")
    words = [f"{name}:{value}".replace(" ", "") for name, value in SMALL.items()]
    options = ["--run", str(folder), "--seconds", "0", "--steps", "64", "--set", *words]
    assert main(["train", "InvertedPendulum-v5", "--algorithm", "SB3-RecurrentPPO", *options]) == 0
    return Run.open(folder)


@pytest.mark.slow
def test_an_agent_remembers_until_an_episode_begins(run):
    agent = Agent.load(run)
    assert type(agent.model) is RecurrentPPO
    seen = np.random.default_rng(0).standard_normal((3, 4))
    first = agent.act(seen)
    second = agent.act(seen)
    assert (first != second).all()
    agent.forget(np.array([True, False, True]))
    third = agent.act(seen)
    assert (third == first).all(1).tolist() == [True, False, True]
    agent.forget()
    np.testing.assert_array_equal(agent.act(seen), first)
    # another number of worlds begins anew, one observation too
    np.testing.assert_allclose(agent.act(seen[0]), first[0], rtol=1e-5)


def test_evaluation_begins_with_nothing(run, capsys):
    agent = Agent.load(run)
    first = play(ENV, agent.act, 4)
    assert play(ENV, agent.act, 4).returns.tolist() == first.returns.tolist()
    assert main(["eval", str(run.folder), "--episodes", "2"]) == 0
    assert "in 2 episodes" in capsys.readouterr().out


class Told:
    """Who acts, and notes what it is told."""

    def __init__(self):
        self.begun = []

    def forget(self, which=None):
        self.begun.append(None if which is None else which.tolist())

    def act(self, observations):
        return np.zeros((*np.shape(observations)[:-1], 1), np.float32)


def test_films_and_windows_say_where_episodes_begin(run, tmp_path, capsys):
    who = Told()
    envs = recording.make(ENV, 2, {"max_episode_steps": 3})
    recording.play(envs, who.act, seconds=6 * envs.unwrapped.task.dt)
    # all of them first; then where the step after the last one of an episode has been
    expected = [None, *[[False] * 2] * 3, [True] * 2, *[[False] * 2] * 2]
    assert who.begun == expected
    envs.close()
    who = Told()
    EnvironmentSimulation(gymnasium.make(ENV, max_episode_steps=3), who.act).step(7)
    assert who.begun == [None] * 3
    film = tmp_path / "film.gif"
    options = ["--output", str(film), "--seconds", "0.2", "--size", "64x48"]
    assert main(["record", str(run.folder), *options]) == 0
    capsys.readouterr()


def test_what_cannot_be_done_is_refused(run, tmp_path, capsys):
    assert main(["train", "--resume", str(run.folder)]) == 1
    assert "SB3-RecurrentPPO cannot be resumed, only PPO" in capsys.readouterr().err
    for name in ("agent.npz", "agent.pt"):
        assert main(["export", str(run.folder), "--output", str(tmp_path / name)]) == 1
        assert "found a recurrent policy, expected a multilayer perc" in capsys.readouterr().err
    with pytest.raises(ValueError, match="its critic sees what the actor does, found critic_group"):
        make_agent(GROUPS, settings(critic_group="privileged_state"), 0, {})


@pytest.mark.slow
def test_groups_are_seen_by_name(tmp_path):
    found = train(GROUPS, settings(), tmp_path, seconds=0)
    agent = Agent.load(found)
    assert agent.view.actor == ("state",)
    assert agent.model.observation_space.shape == (2,)
    assert agent.act({"state": np.zeros((3, 2))}).shape == (3, 1)
