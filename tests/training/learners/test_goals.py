"""Tasks with goals: learned in hindsight, resumed with the same bits, evaluated by success."""

import functools
import json

import numpy as np
import pytest

pytest.importorskip("stable_baselines3")
pytest.importorskip("torch")

import torch
from gymnasium import spaces

from mjenv.commands.cli import main
from mjenv.system.interruption import Interrupted
from mjenv.training.agent import Agent
from mjenv.training.evaluate import play
from mjenv.training.hyperparameters import hyperparameters
from mjenv.training.learners.hindsight import Hindsight
from mjenv.training.runs.folders import Run
from mjenv.training.tasks.choice import algorithm_for
from mjenv.training.train import make_agent, resume, train
from tests.training import tasks_in_groups
from tests.training.learned import numbers
from tests.training.runs.test_resume import stop_at

ENV = "tests.training.tasks_in_groups:Reach-v0"
SMALL = {
    "n_envs": 4,
    "learning_starts": 100,
    "batch_size": 32,
    "buffer_size": 240,
    "gradient_steps": 2,
    "net_arch": (16, 16),
}


def equal(achieved, desired):
    """Rewards where goals that are equal are reached."""
    return np.where((achieved == desired).all(-1), 0.0, -1.0).astype(np.float32)


def filled(steps, share=1.0, size=40, n_envs=2):
    """A ring that episodes of 5 and 7 steps were put in; step t of world i achieves (t, i)."""
    box = spaces.Box(-np.inf, np.inf, (5,), np.float32)
    act = spaces.Box(-1, 1, (1,), np.float32)
    replay = Hindsight(size * n_envs, box, act, n_envs=n_envs, share=share, size=2)
    replay.rewards = equal
    worlds = np.arange(n_envs)

    def observation(t):
        one = np.full((n_envs, 5), -1.0)
        one[:, 0], one[:, 1], one[:, 2] = t, t, worlds
        return one

    for t in range(steps):
        done = np.array([t % 5 == 4, t % 7 == 6])
        infos = [{"TimeLimit.truncated": True}] * n_envs
        action, reward = np.zeros((n_envs, 1)), np.full(n_envs, -1.0)
        replay.add(observation(t), observation(t + 1), action, reward, done, infos)
    return replay


@pytest.mark.parametrize("steps", [3, 38, 97])
def test_other_goals_were_reached_later_in_the_same_episode(steps):
    replay = filled(steps)
    observations, _, rewards, goes_on, following = replay.draw(4000)
    t, world = observations[:, 0], observations[:, 2]
    goal, achieved = observations[:, 3:], following[:, 1:3]
    assert torch.equal(goal, following[:, 3:])
    assert torch.equal(goal[:, 1], world)
    length = torch.where(world == 0, 5.0, 7.0)
    last = torch.clamp((torch.floor(t / length) + 1) * length, max=float(steps))
    assert (goal[:, 0] >= t + 1).all()
    assert (goal[:, 0] <= last).all()
    # each step that followed, this one among them, and rewards of the new goals
    assert torch.equal(rewards[:, 0] == 0.0, (goal == achieved).all(1))
    assert {0.0, -1.0} == set(rewards[:, 0].tolist())
    assert (goal[:, 0] == last).any()
    assert (goes_on == 1).all()
    newest = steps - 1
    assert (t >= newest - 39).all()
    assert t.min() == max(0, newest - 39)


def test_a_share_of_the_goals_is_replaced():
    goal = filled(38, share=0.75).draw(20000)[0][:, 3]
    assert abs(float((goal >= 0).float().mean()) - 0.75) < 0.02
    assert (filled(38, share=0.0).draw(100)[0][:, 3:] == -1).all()


@pytest.mark.parametrize("steps", [3, 38, 97])
def test_files_have_what_is_needed_to_go_on(steps, tmp_path):
    replay, again = filled(steps), filled(0)
    replay.write(tmp_path / "replay.bin")
    again.read(tmp_path / "replay.bin", steps)
    draws = []
    for one in (replay, again):
        torch.manual_seed(0)
        draws.append(one.draw(500))
    assert all(map(torch.equal, *draws))


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["SAC", "TQC", "TD3"])
def test_a_resumed_training_has_the_same_bits(algorithm, tmp_path, monkeypatch):
    chosen = hyperparameters(ENV, algorithm, **SMALL, steps=480)
    whole = train(ENV, chosen, tmp_path / "whole", seconds=0, seed=5)
    for stop in (60, 320):
        go_on = functools.partial(train, ENV, chosen, seed=5) if stop == 60 else resume
        with monkeypatch.context() as patch:
            stop_at(patch, stop)
            with pytest.raises(Interrupted):
                go_on(folder=tmp_path / "parts", seconds=0)
    parts = resume(tmp_path / "parts", seconds=0)
    expected, found = numbers(whole), numbers(parts)
    assert expected.keys() == found.keys()
    assert all(torch.equal(found[name], value) for name, value in expected.items())


@pytest.mark.slow
def test_the_command_chooses_and_tells_success(tmp_path, capsys):
    assert algorithm_for(ENV) == "SAC"
    assert algorithm_for(ENV.replace("Reach", "Hidden")) == "PPO"
    assert algorithm_for("mjenv/HalfCheetah-v5") == "PPO"
    words = [f"{name}:{value}".replace(" ", "") for name, value in SMALL.items()]
    options = ["--run", str(tmp_path), "--seconds", "0", "--steps", "200", "--set", *words]
    assert main(["train", ENV, *options]) == 0
    run = Run.open(tmp_path)
    assert run.config()["algorithm"] == "SAC"
    assert run.config()["view"]["actor"] == ["observation", "achieved_goal", "desired_goal"]
    assert "rollout/success_rate" in run.log.read_text().partition("\n")[0]
    assert main(["eval", str(tmp_path), "--episodes", "4"]) == 0
    said = capsys.readouterr().out
    found = json.loads((tmp_path / "eval.json").read_text())
    assert f"success: {found['success']:.0%} of the episodes" in said


def test_success_is_that_of_the_last_step():
    def still(observations):
        return np.zeros((len(observations["desired_goal"]), 1))

    episodes = play(ENV, still, 32, seed=0, env_kwargs={"max_episode_steps": 4})
    # a cart that stays where it is reaches the goals close to it, all the time
    assert episodes.success.tolist() == (episodes.returns == 0).tolist()
    assert 0 < episodes.summary()["success"] < 0.5


def test_ppo_learns_from_all_of_it(tmp_path):
    small = {"n_envs": 4, "n_steps": 32, "batch_size": 32, "n_epochs": 1, "net_arch": (8,)}
    run = train(ENV, hyperparameters(ENV, "PPO", **small, steps=128), tmp_path, seconds=0)
    assert Agent.load(run).model.observation_space.shape == (6,)
    assert "rollout/success_rate" in run.log.read_text().partition("\n")[0]


def test_goals_are_replaced_in_transitions_of_one_step():
    with pytest.raises(ValueError, match="n_steps: found 3, expected 1 with hindsight"):
        make_agent(ENV, hyperparameters(ENV, "SAC", **SMALL, n_steps=3), 0, {})
    with pytest.raises(ValueError, match="n_steps: found 3, expected 1 with hindsight"):
        filled(5).draw(3, n_steps=3)
    agent = make_agent(ENV, hyperparameters(ENV, "SAC", **SMALL, n_steps=3, hindsight=0.0), 0, {})
    assert agent.model.n_steps == 3


@pytest.mark.slow
def test_hindsight_finds_the_goals_that_are_seldom_reached(tmp_path):
    chosen = {**SMALL, "buffer_size": 20_000, "batch_size": 128, "learning_rate": 2e-3}
    chosen |= {"net_arch": (64, 64), "gamma": 0.95, "steps": 6000, "n_envs": 8}
    success, kwargs = {}, {"near": 0.02}
    for share in (0.8, 0.0):
        settings = hyperparameters(ENV, "SAC", **chosen, hindsight=share)
        run = train(ENV, settings, tmp_path / str(share), seconds=0, env_kwargs=kwargs)
        episodes = play(ENV, Agent.load(run).act, 64, env_kwargs=kwargs)
        success[share] = episodes.summary()["success"]
    assert success[0.8] > 0.6, success
    assert success[0.0] < 0.4, success


def test_what_cannot_learn_in_hindsight_is_refused(monkeypatch):
    with pytest.raises(ValueError, match="SB3-SAC: learns goals without hindsight, expected SAC"):
        make_agent(ENV, hyperparameters(ENV, "SB3-SAC", **SMALL), 0, {})
    agent = make_agent(ENV, hyperparameters(ENV, "SB3-SAC", **SMALL, hindsight=0.0), 0, {})
    agent.normalize.close()

    def reads(self, achieved_goal, desired_goal, info):
        return info["speed"]

    task = tasks_in_groups.Reach
    monkeypatch.setattr(task, "compute_reward", reads)
    with pytest.raises(ValueError, match=r"Reach.compute_reward: reads info\['speed'\], which is"):
        make_agent(ENV, hyperparameters(ENV, "SAC", **SMALL), 0, {})
    monkeypatch.delattr(task, "compute_reward")
    with pytest.raises(ValueError, match=r"compute_reward: is not there, .* --set hindsight:0"):
        make_agent(ENV, hyperparameters(ENV, "SAC", **SMALL), 0, {})
