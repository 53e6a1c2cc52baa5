"""What learners see of worlds that diverge, and of rewards that are not finite."""

import numpy as np
import pytest

pytest.importorskip("stable_baselines3")

from mjenv import NonFiniteError
from mjenv.commands.cli import main
from mjenv.sb3 import NativeVecEnv
from mjenv.training.agent import ALGORITHMS, Agent
from mjenv.training.evaluate import make_envs
from mjenv.training.hyperparameters import hyperparameters
from mjenv.training.learners.ppo import WidePPO
from mjenv.training.runs.folders import Run
from mjenv.training.train import resume, train

pytestmark = pytest.mark.filterwarnings("ignore::mjenv.engine.errors.SimulationWarning")


def test_a_world_that_diverges_has_terminated():
    """Its last transition is an end that is not bootstrapped from, also at the time limit."""
    envs = NativeVecEnv("HalfCheetah-v5", 4, max_episode_steps=3)
    envs.seed(0)
    envs.reset()
    actions = np.zeros((4, 6), np.float32)
    envs.step(actions)
    envs.envs.data.qvel[2] = 1e30
    observations, rewards, dones, infos = envs.step(actions)
    assert dones.tolist() == [False, False, True, False]
    assert rewards[2] == 0.0
    assert infos[2]["diverged"] is True
    assert infos[2]["TimeLimit.truncated"] is False
    assert infos[2]["episode"]["l"] == 2
    terms = infos[2]["episode"]["terms"]
    assert sum(terms.values()) == pytest.approx(infos[2]["episode"]["r"])
    assert "diverged" not in envs.reset_infos[2]
    # the next episode has begun, in which nothing is at rest as in the model's initial state
    assert (observations[2, 8:] != 0.0).all()
    assert (np.abs(infos[2]["terminal_observation"][:8]) < 1.0).all()
    envs.envs.data.qvel[1] = 1e30
    _, _, dones, infos = envs.step(actions)
    assert dones.tolist() == [True, True, False, True]
    assert [infos[i]["TimeLimit.truncated"] for i in (0, 1, 3)] == [True, False, True]


def test_learning_stops_at_rewards_that_are_not_finite():
    for envs in (NativeVecEnv("Hopper-v5", 8), make_envs("mjenv/Hopper-v5", 8)):
        model = WidePPO("MlpPolicy", envs, n_steps=4, batch_size=32, device="cpu")
        envs.set_attr("ctrl_cost_weight", np.nan)
        message = r"Hopper.outcome: reward term 'reward_ctrl' of environment 0 is nan"
        with pytest.raises(NonFiniteError, match=message):
            model.learn(64)
        assert all(tensor.isfinite().all() for tensor in model.policy.state_dict().values())


ENV = "mjenv/InvertedPendulum-v5"
SMALL = {"n_envs": 4, "net_arch": (8,), "steps": 320, "batch_size": 16}
OF_KIND = {
    True: {"n_steps": 8, "n_epochs": 1},
    False: {"learning_starts": 16, "buffer_size": 500, "gradient_steps": 2},
}


def small(algorithm, **changes):
    if algorithm == "ARS":
        return hyperparameters(ENV, algorithm, **{"n_delta": 2, "steps": 320, **changes})
    kind = OF_KIND["PPO" in algorithm]
    return hyperparameters(ENV, algorithm, **{**SMALL, **kind, **changes})


def diverge(monkeypatch, algorithm, after):
    """Have the weights of an agent become no numbers in an update."""
    kind, name = ALGORITHMS[algorithm], "_move" if algorithm == "ARS" else "train"
    update = getattr(kind, name)

    def train_badly(self, *arguments, **options):
        update(self, *arguments, **options)
        if self.num_timesteps >= after:
            for parameter in self.policy.parameters():
                parameter.data.view(-1)[0] = float("nan")

    monkeypatch.setattr(kind, name, train_badly)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("algorithm", [one for one in ALGORITHMS if one != "SelfPlay"])
def test_agents_that_are_not_finite_are_not_kept(algorithm, tmp_path, monkeypatch, capsys):
    """The training stops, and the checkpoint before stays."""
    diverge(monkeypatch, algorithm, 160)
    with pytest.raises(NonFiniteError, match=r"the agent is not finite after 1.. steps, .* lower"):
        train(ENV, small(algorithm), tmp_path / "run", seconds=0)
    run = Run(tmp_path / "run")
    assert not run.agent.exists()
    assert 0 < run.checkpoint("last").steps < 160
    seen = np.zeros((1, 64, 64, 1)) if algorithm == "DrQ" else np.zeros((1, 4))
    assert np.isfinite(Agent.load(run, "last").act(seen)).all()
    assert "training stopped; the agent after" in capsys.readouterr().err


def test_an_agent_of_the_first_update_is_not_kept(tmp_path, capsys):
    words = ["--n-envs", "4", "--steps", "320", "--seconds", "0", "--run", str(tmp_path / "run")]
    settings = ["--set", "learning_rate:1e36", "n_steps:8", "batch_size:16", "net_arch:[8]"]
    assert main(["train", "InvertedPendulum-v5", *words, *settings]) == 1
    said = capsys.readouterr().err
    assert "mjenv train: train: the agent is not finite after 32 steps" in said
    assert "nothing is kept" in said
    assert not (tmp_path / "run" / "checkpoints").exists()


def test_agents_that_were_kept_and_are_not_finite_are_refused(tmp_path, monkeypatch, capsys):
    with monkeypatch.context() as patch:
        diverge(patch, "PPO", 128)
        patch.setattr("mjenv.training.runs.checkpoints.refuse_agent", lambda model: None)
        with pytest.raises(NonFiniteError):
            train(ENV, small("PPO"), tmp_path / "run", seconds=0)
    run = Run(tmp_path / "run")
    message = r"checkpoints/128: the training cannot be resumed \(its weights are not finite"
    with pytest.raises(ValueError, match=message + ".* remove this folder"):
        resume(run.folder, seconds=0)
    assert main(["eval", str(run.folder), "--checkpoint"]) == 1
    assert "take another checkpoint" in capsys.readouterr().err
    assert run.checkpoint("last").steps == 128


@pytest.mark.parametrize("algorithm", ["PPO", "SAC", "SB3-PPO"])
def test_rewards_beyond_single_precision_are_refused(algorithm, tmp_path, monkeypatch):
    advance = NativeVecEnv.advance

    def pay_well(self, actions):
        observations, rewards, *rest = advance(self, actions)
        return observations, np.where(np.arange(len(rewards)) == 2, 1e50, rewards), *rest

    monkeypatch.setattr(NativeVecEnv, "advance", pay_well)
    monkeypatch.setattr("mjenv.training.train.evaluate", lambda *_, **__: np.zeros(2))
    with pytest.raises(NonFiniteError, match="the reward of environment 2 is beyond 3e38"):
        train(ENV, small(algorithm), tmp_path / "run", seconds=0)
