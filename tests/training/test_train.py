"""The whole way, on a few steps: train, evaluate, film, from Python and from the command line."""

import json

import numpy as np
import pytest

pytest.importorskip("stable_baselines3")
pytest.importorskip("torch")

from stable_baselines3 import PPO

from mjenv.commands.cli import main
from mjenv.training.agent import Agent
from mjenv.training.evaluate import evaluate
from mjenv.training.films.film import film
from mjenv.training.films.shot import Shot
from mjenv.training.hyperparameters import hyperparameters
from mjenv.training.learners.off_policy import WideSAC
from mjenv.training.runs.folders import Run
from mjenv.training.settings import SoftActorCritic
from mjenv.training.train import resume, train

ENV = "mjenv/InvertedPendulum-v5"
CURVES_ARE_DRAWN = True  # curves are looked at


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A run of a few updates, made by the command line."""
    folder = tmp_path_factory.mktemp("runs") / "pendulum"
    options = ["--steps", "20000", "--run", str(folder), "--seconds", "0.5", "--size", "64x48"]
    assert main(["train", "InvertedPendulum-v5", *options]) == 0
    return Run.open(folder)


@pytest.mark.slow
def test_run_holds_everything(trained):
    for file in (trained.agent, trained.normalize, trained.log, trained.curve, trained.video):
        assert file.stat().st_size > 0
    assert trained.curve.read_bytes()[:4] == b"\x89PNG"
    assert trained.video.read_bytes()[4:8] == b"ftyp"
    assert list(trained.folder.glob("events.out.tfevents.*"))
    assert trained.checkpoints[-1].steps == 20480
    assert [c.steps for c in trained.checkpoints] == [4096, 8192, 12288, 16384, 20480]
    config = trained.config()
    assert config["env"] == ENV
    assert config["hyperparameters"]["steps"] == 20000
    result = json.loads((trained.folder / "result.json").read_text())
    assert result["steps"] >= 20000
    assert result["return_mean_after"] > result["return_mean_before"]


@pytest.mark.slow
def test_loaded_agent_is_the_one_that_was_evaluated(trained):
    result = json.loads((trained.folder / "result.json").read_text())
    returns = evaluate(ENV, Agent.load(trained).act)
    np.testing.assert_array_equal(returns, result["return_after"])


@pytest.mark.slow
def test_eval_and_record(trained, tmp_path, capsys):
    assert main(["eval", str(trained.folder), "--episodes", "2"]) == 0
    assert "in 2 episodes" in capsys.readouterr().out
    file = tmp_path / "film.mp4"
    options = ["--output", str(file), "--seconds", "0.2", "--size", "64x48"]
    assert main(["record", str(trained.folder), *options]) == 0
    assert "frames of 64x48" in capsys.readouterr().out
    assert file.stat().st_size > 0


@pytest.mark.slow
def test_soft_actor_critic(tmp_path):
    settings = SoftActorCritic(steps=400, n_envs=4, learning_starts=200, net_arch=(16,))
    run = train(ENV, settings, tmp_path, seconds=0)
    assert run.config()["algorithm"] == "SAC"
    agent = Agent.load(run)
    assert type(agent.model) is WideSAC
    assert agent.model._n_updates == 200
    observation = np.array([[0.1, 0.2, 0.3, 0.4]])
    np.testing.assert_array_equal(agent.normalize.normalize_obs(observation), observation)


def test_stable_baselines3s_own(tmp_path):
    changes = {"steps": 128, "n_envs": 4, "n_steps": 16, "batch_size": 32, "n_epochs": 1}
    run = train(ENV, hyperparameters(ENV, "SB3-PPO", **changes), tmp_path, seconds=0)
    assert run.config()["algorithm"] == "SB3-PPO"
    assert type(Agent.load(run).model) is PPO
    assert not run.checkpoint("last").state.exists()
    with pytest.raises(ValueError, match="SB3-PPO cannot be resumed, only PPO"):
        resume(tmp_path)


@pytest.mark.slow
def test_record_of_random_actions(tmp_path):
    assert film(ENV, None, tmp_path / "film.mp4", seconds=0.2, shot=Shot((64, 48))) > 0
    assert (tmp_path / "film.mp4").stat().st_size > 0


def test_unfinished_run(tmp_path):
    (tmp_path / "config.json").write_text('{"env": "mjenv/Ant-v5", "algorithm": "PPO"}')
    run = Run.open(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"no agent\.zip there.*wait, or run `mjenv train`"):
        Agent.load(run)
    with pytest.raises(FileNotFoundError, match="no checkpoint there yet"):
        Agent.load(run, "last")
    for steps in (10000, 8192):
        (tmp_path / "checkpoints" / str(steps)).mkdir(parents=True)
    with pytest.raises(FileNotFoundError, match=r"pass --checkpoint .* one of 8192, 10000"):
        Agent.load(run)
    with pytest.raises(FileNotFoundError, match=r"no checkpoint 5 there.* one of 8192, 10000"):
        run.checkpoint(5)
    assert run.checkpoint("last").steps == 10000
    assert run.checkpoint(8192).steps == 8192


def test_damaged_agents_are_refused(tmp_path):
    (tmp_path / "config.json").write_text('{"env": "mjenv/Ant-v5", "algorithm": "PPO"}')
    (tmp_path / "normalize.pkl").write_bytes(b"")
    (tmp_path / "agent.zip").write_bytes(b"PK")
    with pytest.raises(ValueError, match="the agent cannot be read"):
        Agent.load(Run.open(tmp_path))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seed": -1}, "seed: found -1, expected"),
        ({"seed": 2**32}, "seed: found 4294967296, expected"),
        ({"minutes": -1}, "minutes: found -1, expected"),
        ({"minutes": float("nan")}, "minutes: found nan, expected"),
        ({"seconds": -3}, "seconds is -3, expected"),
        ({"size": (641, 480)}, "size is 641x480, expected even"),
        ({"env_kwargs": {"ctrl": 1}}, "unexpected keyword argument 'ctrl'"),
        ({"env_kwargs": {"reset_noise_scale": object()}}, "reset_noise_scale: found <object"),
    ],
)
def test_options_are_checked_before_anything_is_written(options, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        train(ENV, hyperparameters(ENV), tmp_path / "run", **options)
    assert not list(tmp_path.iterdir())


def test_environments_that_cannot_be_trained(tmp_path):
    with pytest.raises(ValueError, match="CartPole-v1: is no environment of mjenv"):
        train("CartPole-v1", hyperparameters(ENV), tmp_path / "run")
    assert not list(tmp_path.iterdir())
