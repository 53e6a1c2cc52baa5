"""Trainings that begin with an agent, and runs that have finished and get more steps."""

import json

import numpy as np
import pytest

pytest.importorskip("stable_baselines3")
pytest.importorskip("torch")

from mjenv.commands.cli import main
from mjenv.training.agent import Agent
from mjenv.training.hyperparameters import hyperparameters
from mjenv.training.runs.folders import Run
from mjenv.training.runs.warm_start import Start
from mjenv.training.train import make_agent, resume, train

ENV = "mjenv/InvertedPendulum-v5"
PPO = {"n_envs": 4, "n_steps": 8, "batch_size": 16, "n_epochs": 1, "net_arch": (8, 8)}
OFF_POLICY = {"n_envs": 4, "learning_starts": 16, "batch_size": 16, "buffer_size": 200,
              "gradient_steps": 2, "net_arch": (8, 8)}  # fmt: skip


def settings(algorithm="PPO", env=ENV, **changes):
    small = PPO if "PPO" in algorithm else OFF_POLICY
    return hyperparameters(env, algorithm, **{"steps": 64, **small, **changes})


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return train(ENV, settings(), tmp_path_factory.mktemp("made") / "run", seconds=0)


def numbers(agent):
    return {name: x.numpy().copy() for name, x in agent.model.policy.state_dict().items()}


@pytest.mark.sweep(1)
@pytest.mark.parametrize("algorithm", ["PPO", "SAC", "FastSAC", "TQC", "TD3", "SB3-PPO"])
def test_a_training_begins_with_the_agent_of_a_run(algorithm, tmp_path):
    run = train(ENV, settings(algorithm), tmp_path / "one", seconds=0)
    known, agent = Agent.load(run), make_agent(ENV, settings(algorithm), 3, {})
    Start(run.folder).give(agent)
    for name, array in numbers(known).items():
        np.testing.assert_array_equal(array, numbers(agent)[name], err_msg=name)
    observations = np.random.default_rng(0).normal(size=(5, 4))
    np.testing.assert_array_equal(known.act(observations), agent.act(observations))
    agent.normalize.venv.close()

    other = {"reset_noise_scale": 0.05}
    second = train(
        ENV, settings(algorithm), tmp_path / "two", seconds=0, start=run.folder, env_kwargs=other
    )
    assert second.config()["start"] == {"agent": str(run.folder), "env": ENV, "steps": 64}
    assert second.checkpoint("last").steps == 64


@pytest.mark.slow
def test_the_command_takes_the_networks_of_the_agent(made, tmp_path, capsys):
    words = ["--from", str(made.folder), "--checkpoint", "32", "--steps", "64", "--seconds", "0"]
    words += ["--n-envs", "4", "--set", "n_steps:8", "batch_size:16", "learning_rate:1e-5"]
    assert main(["train", "InvertedPendulum-v5", *words, "--run", str(tmp_path / "run")]) == 0
    config = Run(tmp_path / "run").config()
    assert config["hyperparameters"]["net_arch"] == [8, 8]
    assert config["start"]["steps"] == 32


@pytest.mark.slow
def test_agents_that_come_with_mjenv(tmp_path):
    """Their policies and statistics; values are learned anew."""
    from mjenv.training.portable import shipped

    start, known = Start("InvertedPendulum-v5"), shipped(ENV)
    agent = make_agent(ENV, settings(**start.settings()), 0, {})
    start.give(agent)
    observations = np.random.default_rng(0).normal(size=(5, 4)).astype(np.float32)
    assert known is not None
    np.testing.assert_allclose(agent.act(observations), known.act(observations), atol=1e-5)
    agent.normalize.venv.close()
    words = ["--from", "InvertedPendulum-v5", "--steps", "64", "--seconds", "0", "--n-envs", "4"]
    words += ["--set", "n_steps:8", "batch_size:16", "--run", str(tmp_path / "run")]
    assert main(["train", "InvertedPendulum-v5", *words]) == 0
    result = json.loads((tmp_path / "run" / "result.json").read_text())
    assert result["return_mean_before"] == 1000.0


@pytest.mark.parametrize(
    ("env", "changes", "said"),
    [
        (ENV, {"algorithm": "SAC"}, "found an agent of PPO, expected .* add --algorithm PPO"),
        (ENV, {"net_arch": (8, 4)}, r"other layers than those here.*--set net_arch:\[8,8\]"),
        (ENV, {"net_arch": (8,)}, r"other layers than those here.*--set net_arch:\[8,8\]"),
        ("mjenv/Hopper-v5", {}, "has observations of 4 numbers, expected 11 numbers as here"),
    ],
)
def test_agents_that_do_not_fit(env, changes, said, made, tmp_path):
    with pytest.raises(ValueError, match=f"{made.folder}: .*{said}"):
        train(env, settings(env=env, **changes), tmp_path / "run", seconds=0, start=made.folder)
    assert not (tmp_path / "run").exists()


def test_agents_that_are_not_there(tmp_path, capsys):
    for words, said in (
        (["--from", "finger-spin-v0"], "no agent of it comes with mjenv"),
        (["--from", str(tmp_path)], "no config.json there"),
        (["--checkpoint"], "--checkpoint: is that of --from RUN"),
        (["--from", "HalfCheetah-v5", "--algorithm", "TD3"], "expected a training with PPO"),
    ):
        small = ["--run", str(tmp_path / "run"), "--steps", "64"]
        assert main(["train", "HalfCheetah-v5", *words, *small]) == 1
        assert said in capsys.readouterr().err
    with pytest.raises(ValueError, match="Walker2d-v5 has actions of 6 numbers, expected 1"):
        Start("Walker2d-v5").give(make_agent(ENV, settings(), 0, {}))


@pytest.mark.slow
def test_a_run_that_has_finished_gets_more_steps(tmp_path, capsys):
    run = train(ENV, settings(), tmp_path / "run", seconds=0)
    weights = numbers(Agent.load(run))
    assert main(["train", "--resume", str(run.folder)]) == 1
    assert "has finished its 64 steps, expected more" in capsys.readouterr().err
    assert main(["train", "--resume", str(run.folder), "--steps", "64"]) == 1
    assert "add --steps" in capsys.readouterr().err
    assert run.finished
    assert main(["train", "--resume", str(run.folder), "--steps", "128", "--seconds", "0"]) == 0
    assert run.config()["hyperparameters"]["steps"] == 128
    assert run.checkpoint("last").steps == 128
    result = json.loads((run.folder / "result.json").read_text())
    assert result["steps"] == 128
    changed = numbers(Agent.load(run))
    assert any((weights[name] != changed[name]).any() for name in weights)


def test_transitions_that_have_gone(tmp_path):
    run = train(ENV, settings("SAC"), tmp_path / "run", seconds=0)
    with pytest.raises(ValueError, match=r"no replay\.bin any more.*mjenv train ENV --algorithm"):
        resume(run.folder, steps=128, seconds=0)
