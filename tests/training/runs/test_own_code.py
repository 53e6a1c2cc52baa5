"""Networks and callbacks of the user: trained, kept in the run, read again, never by strangers."""

import json
import os
import shutil
import sys

import numpy as np
import pytest

pytest.importorskip("stable_baselines3")
pytest.importorskip("torch")

import torch
from stable_baselines3.common.callbacks import BaseCallback

from mjenv.commands.cli import main
from mjenv.training.agent import Agent
from mjenv.training.hyperparameters import hyperparameters
from mjenv.training.learners.cloning import _means
from mjenv.training.learners.mlp import AutogradNetwork, network
from mjenv.training.runs import own_code
from mjenv.training.runs.folders import Run
from mjenv.training.runs.network import Network
from mjenv.training.runs.unpickling import UntrustedError
from mjenv.training.runs.warm_start import Start
from mjenv.training.train import make_agent, resume, train

ENV = "mjenv/InvertedPendulum-v5"
PPO = {"n_envs": 4, "n_steps": 8, "batch_size": 16, "n_epochs": 1, "steps": 64, "net_arch": (8,)}
OFF_POLICY = {"n_envs": 4, "learning_starts": 16, "batch_size": 16, "gradient_steps": 2,
              "buffer_size": 100, "steps": 64, "net_arch": (8,)}  # fmt: skip

NETS = '''
"""Networks and callbacks of a user."""
from pathlib import Path

import torch
from sb3_contrib.common.recurrent.policies import RecurrentActorCriticPolicy
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.policies import ActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.sac.policies import SACPolicy
from torch import nn

Path(__file__).with_suffix(".ran").touch()


class Residual(nn.Sequential):
    def forward(self, x):
        return x + super().forward(x)


class Deep(ActorCriticPolicy):
    def _build_mlp_extractor(self):
        super()._build_mlp_extractor()
        for name in ("policy_net", "value_net"):
            block = Residual(nn.Linear(8, 8), nn.SiLU(), nn.LayerNorm(8), nn.Linear(8, 8))
            setattr(self.mlp_extractor, name,
                    nn.Sequential(*getattr(self.mlp_extractor, name), block))


class Shared(ActorCriticPolicy):
    def _build_mlp_extractor(self):
        super()._build_mlp_extractor()
        self.mlp_extractor.value_net = self.mlp_extractor.policy_net


class Other(ActorCriticPolicy):
    def _get_action_dist_from_latent(self, latent):
        return super()._get_action_dist_from_latent(2.0 * latent + 1.0)


class Wave(BaseFeaturesExtractor):
    def __init__(self, observation_space, width=6):
        super().__init__(observation_space, width)
        self.layer = nn.Linear(observation_space.shape[0], width)

    def forward(self, x):
        return torch.sin(self.layer(x))


class Soft(SACPolicy):
    pass


class Memory(RecurrentActorCriticPolicy):
    pass


class Counter(BaseCallback):
    def _on_training_start(self):
        self.begun = self.num_timesteps

    def _on_step(self):
        with open(Path.cwd() / "steps.txt", "a") as file:
            print(self.num_timesteps, file=file)
        return True


class Needy(BaseCallback):
    def __init__(self, much):
        super().__init__()


def early(locals_, globals_):
    return None if locals_["self"].num_timesteps < 40 else False


number = 3
'''


@pytest.fixture
def nets(tmp_path, monkeypatch):
    """A folder with a module of a user, in which one works."""
    folder = tmp_path / "here"
    folder.mkdir()
    (folder / "nets.py").write_text(NETS)
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", [one for one in sys.path if one not in ("", os.getcwd())])
    monkeypatch.setattr(own_code, "_brought", {})
    yield folder
    sys.modules.pop("nets", None)


def elsewhere(monkeypatch, tmp_path):
    """Go where nobody knows the module."""
    folder = tmp_path / "elsewhere"
    folder.mkdir(exist_ok=True)
    monkeypatch.chdir(folder)
    known = str(tmp_path / "here")
    monkeypatch.setattr(sys, "path", [one for one in sys.path if one != known])
    sys.modules.pop("nets", None)


def small(algorithm, **changes):
    on_policy = "PPO" in algorithm or algorithm == "SelfPlay"
    return hyperparameters(ENV, algorithm, **(PPO if on_policy else OFF_POLICY) | changes)


OBSERVATIONS = np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4)


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    ("algorithm", "own"),
    [
        ("PPO", {"policy": "nets:Deep"}),
        ("SB3-PPO", {"policy": "nets:Deep", "features": "nets:Wave"}),
        ("SB3-SAC", {"policy": "nets:Soft", "features": "nets:Wave"}),
        ("SB3-TQC", {"features": "nets:Wave"}),
        ("SB3-TD3", {"features": "nets:Wave"}),
    ],
)
def test_networks_are_kept_in_the_run(algorithm, own, nets, tmp_path, monkeypatch):
    """They learn; elsewhere the run needs trust, and then acts, is exported and begun with."""
    run = train(ENV, small(algorithm), tmp_path / "run", seconds=0, **own)
    assert (run.folder / "code" / "nets.py").read_text() == NETS
    before = Agent.load(run, trust=True)
    expected = before.act(OBSERVATIONS)
    fresh = make_agent(ENV, small(algorithm), 0, {}, own=own_code.OwnCode.of(**own))
    weights = zip(before.model.policy.parameters(), fresh.model.policy.parameters(), strict=True)
    assert any((one != other).any() for one, other in weights)
    fresh.normalize.venv.close()

    elsewhere(monkeypatch, tmp_path)
    with pytest.raises(UntrustedError, match=r"names nets\.\w+, .* pass --trust"):
        Agent.load(run)
    assert "nets" not in sys.modules
    assert not (run.folder / "code" / "nets.ran").exists()
    agent = Agent.load(run, trust=True)
    assert sys.modules["nets"].__file__ == str(run.folder / "code" / "nets.py")
    np.testing.assert_array_equal(agent.act(OBSERVATIONS), expected)

    exported = Network.of_agent(agent)
    found = exported(torch.from_numpy(OBSERVATIONS)).detach().numpy()
    np.testing.assert_allclose(found, expected, atol=1e-5)
    exported.save(tmp_path / "agent.pt", {"env": ENV})
    loaded = torch.jit.load(str(tmp_path / "agent.pt"))
    np.testing.assert_allclose(loaded(torch.from_numpy(OBSERVATIONS)).detach(), expected, atol=1e-5)
    with pytest.raises(ValueError, match=r"agent\.onnx: the agent has networks of its own"):
        exported.save(tmp_path / "agent.onnx", {"env": ENV})

    start = Start(run.folder, trust=True)
    began = make_agent(ENV, small(algorithm, **start.settings()), 1, {},
                       own=own_code.OwnCode.of(**own))  # fmt: skip
    start.give(began)
    np.testing.assert_array_equal(began.act(OBSERVATIONS), expected)
    began.normalize.venv.close()
    plain = make_agent(ENV, small(algorithm, **start.settings()), 1, {})
    with pytest.raises(ValueError, match=r"its (policy|features) is nets:\w+, expected that of"):
        start.give(plain)
    plain.normalize.venv.close()


@pytest.mark.slow
def test_recurrent_policies(nets, tmp_path):
    """They are trained and read; no file has their memory."""
    own = {"policy": "nets:Memory", "features": "nets:Wave"}
    run = train(ENV, small("SB3-RecurrentPPO", lstm=4), tmp_path / "run", seconds=0, **own)
    agent = Agent.load(run, trust=True)
    assert type(agent.model.policy).__name__ == "Memory"
    assert agent.model.policy.features_extractor.layer.out_features == 6
    assert agent.act(OBSERVATIONS).shape == (3, 1)
    with pytest.raises(ValueError, match="found a recurrent policy"):
        Network.of_agent(agent)


def test_layers_of_ones_own_are_differentiated(nets):
    """Subclasses of Sequential too, whose layers alone would be a perceptron."""
    torch.manual_seed(0)
    nets_ = own_code.named("policy", "nets:Residual")
    module = torch.nn.Sequential(torch.nn.Linear(4, 4), nets_(torch.nn.Linear(4, 4)))
    found = network(module)
    assert isinstance(found, AutogradNetwork)
    x = torch.from_numpy(OBSERVATIONS)
    torch.testing.assert_close(found.forward(x), module(x))


@pytest.mark.slow
def test_ppo_goes_on_with_networks_of_ones_own(nets, tmp_path):
    """Bit by bit, where the run is trusted."""
    how, same = {"seconds": 0, "policy": "nets:Deep"}, {"learning_rate_schedule": "constant"}
    whole = train(ENV, small("PPO", steps=128, **same), tmp_path / "whole", **how)
    half = train(ENV, small("PPO", **same), tmp_path / "half", **how)
    with pytest.raises(UntrustedError, match="pass --trust"):
        resume(half.folder, steps=128, seconds=0)
    resume(half.folder, steps=128, seconds=0, trust=True)
    agents = [Agent.load(run, trust=True) for run in (whole, half)]
    pairs = zip(*(agent.model.policy.parameters() for agent in agents), strict=True)
    assert agents[1].model.num_timesteps == 128
    assert all(torch.equal(*pair) for pair in pairs)


def test_gradients_of_ppo_are_those_of_the_library(nets):
    """One update from the same rollout moves all weights as autograd does."""
    own = own_code.OwnCode.of("nets:Deep")
    agent = make_agent(ENV, small("PPO"), 0, {}, own=own)
    model = agent.model
    policy, update = model.policy, model._update
    rng = np.random.default_rng(0)
    rows = torch.from_numpy(rng.normal(size=(16, 4)).astype(np.float32))
    actions = torch.from_numpy(rng.normal(size=(16, 1)).astype(np.float32))
    old, gains, returns = torch.from_numpy(rng.normal(size=(3, 16)).astype(np.float32))
    columns = torch.cat([rows, actions, torch.stack([old, gains, returns], 1)], 1)
    update._act(rows, columns, (0.8, 1.2))
    update._criticize(rows, columns)
    found = [one.grad.clone() for one in policy.parameters()]
    values, log_prob, entropy = policy.evaluate_actions(rows, actions)
    ratio = torch.exp(log_prob - old)
    loss = -torch.min(gains * ratio, gains * ratio.clamp(0.8, 1.2)).mean()
    loss = loss - model.ent_coef * entropy.mean()
    loss = loss + model.vf_coef * (values.flatten() - returns).square().mean()
    expected = torch.autograd.grad(loss, list(policy.parameters()))
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)
    assert _means(policy, rows).shape == (16, 1)
    agent.normalize.venv.close()


@pytest.mark.parametrize(
    ("algorithm", "own", "expected"),
    [
        ("SAC", {"policy": "nets:Soft"}, "policy: SAC has networks of its own, expected one of"),
        ("SelfPlay", {"policy": "nets:Deep"}, "policy: SelfPlay has networks of its own"),
        ("PPO", {"features": "nets:Wave"}, "features: PPO has networks of its own, .*SB3-PPO"),
        ("FastSAC", {"features": "nets:Wave"}, "features: FastSAC has networks of its own"),
        ("PPO", {"policy": "nets:Soft"}, "policy: found nets:Soft, expected a subclass of .*Actor"),
        ("PPO", {"policy": "nets:Memory"}, "policy: found nets:Memory, expected a subclass of"),
        ("SB3-RecurrentPPO", {"policy": "nets:Deep"}, "found nets:Deep, expected .*Recurrent"),
        ("SB3-PPO", {"features": "nets:Deep"}, "features: found nets:Deep, expected .*Features"),
        ("PPO", {"policy": "nets:number"}, "policy: found 3, expected a class"),
        ("PPO", {"policy": "nets:Dep"}, "policy: module nets has no 'Dep'; did you mean 'Deep'"),
        ("PPO", {"policy": "nets"}, "policy: found 'nets', expected module:Name"),
        ("PPO", {"policy": "nots:Deep"}, "nots: no such module in"),
        ("PPO", {"policy": "nets:Shared"}, "nets:Shared: its networks share parameters"),
        ("PPO", {"policy": "nets:Other"}, "nets:Other: its actions or values are others"),
        ("PPO", {"callbacks": ["nets:number"]}, "callbacks: found 3, expected a BaseCallback"),
        ("PPO", {"callbacks": ["nets:Wave"]}, "callbacks: found .*Wave.*, expected a BaseCallback"),
        ("PPO", {"callbacks": ["nets:Needy"]}, "callbacks: nets:Needy cannot be made without"),
    ],
)  # fmt: skip
def test_what_an_algorithm_does_not_take(algorithm, own, expected, nets, tmp_path):
    """Is refused before there is a run."""
    with pytest.raises(ValueError, match=expected):
        train(ENV, small(algorithm), tmp_path / "run", seconds=0, **own)
    assert not (tmp_path / "run").exists()


def test_callbacks_are_called(nets, tmp_path):
    """Classes, instances and functions; False ends the training."""

    class Mine(BaseCallback):
        count = 0

        def _on_step(self):
            self.count += 1
            return True

    mine = Mine()
    given = ["nets:Counter", "nets:early", mine]
    run = train(ENV, small("PPO", steps=320), tmp_path / "run", seconds=0, callbacks=given)
    assert (nets / "steps.txt").read_text().split() == [str(4 * k) for k in range(1, 11)]
    assert mine.count in (9, 10)
    assert Agent.load(run).model.num_timesteps == 40
    assert run.config()["callbacks"][:2] == ["nets:Counter", "nets:early"]
    assert run.config()["callbacks"][2].endswith("Mine")


def test_callbacks_of_a_run_need_trust(nets, tmp_path, monkeypatch):
    """Also where Python would find them; who names them again wants them."""
    run = train(ENV, small("PPO"), tmp_path / "run", seconds=0, callbacks=["nets:Counter"])
    with pytest.raises(UntrustedError, match=r"callbacks of its own, nets:Counter, .*--trust"):
        resume(run.folder, steps=96, seconds=0)
    (nets / "steps.txt").unlink()
    assert main(["train", "--resume", str(run.folder), "--steps", "96", "--seconds", "0",
                 "--callback", "nets:Counter"]) == 0  # fmt: skip
    assert (nets / "steps.txt").read_text().split()[-1] == "96"
    elsewhere(monkeypatch, tmp_path)
    Agent.load(run)  # which has no code of its own
    assert "nets" not in sys.modules
    resume(run.folder, steps=128, seconds=0, trust=True)
    assert (tmp_path / "elsewhere" / "steps.txt").read_text().split()[-1] == "128"


def test_the_command_takes_them(nets, tmp_path, monkeypatch, capsys):
    """And repeats a run by its command.json; eval needs trust."""
    words = ["train", "InvertedPendulum-v5", "--algorithm", "SB3-PPO", "--seconds", "0", "--set",
             "net_arch:[8]", "n_envs:4", "n_steps:8", "batch_size:16", "steps:64"]  # fmt: skip
    own = ["--policy", "nets:Deep", "--features", "nets:Wave", "--callback", "nets:Counter",
           "--callback", "nets:early"]  # fmt: skip
    assert main([*words, *own, "--run", str(tmp_path / "run")]) == 0
    command = json.loads((tmp_path / "run" / "command.json").read_text())
    assert (command["policy"], command["features"]) == ("nets:Deep", "nets:Wave")
    assert command["callback"] == ["nets:Counter", "nets:early"]
    again = ["train", "--config", str(tmp_path / "run" / "command.json"), "--run"]
    assert main([*again, str(tmp_path / "again")]) == 0
    agents = [Agent.load(Run(tmp_path / name), trust=True) for name in ("run", "again")]
    np.testing.assert_array_equal(*(agent.act(OBSERVATIONS) for agent in agents))

    elsewhere(monkeypatch, tmp_path)
    stranger = str(shutil.copytree(tmp_path / "run", tmp_path / "stranger"))
    capsys.readouterr()
    assert main(["eval", stranger, "--episodes", "1"]) == 1
    assert "pass --trust" in capsys.readouterr().err
    assert "nets" not in sys.modules
    assert main(["eval", stranger, "--episodes", "1", "--trust"]) == 0
    for name in ("agent.npz", "agent.onnx"):
        assert main(["export", stranger, "--output", name, "--trust"]) == 1
    assert main(["export", stranger, "--output", "agent.pt", "--trust"]) == 0


def test_two_modules_of_one_name(nets, tmp_path, monkeypatch):
    """What has been imported is not taken for what a run has brought."""
    run = train(ENV, small("PPO"), tmp_path / "run", seconds=0, policy="nets:Deep")
    sys.modules.pop("nets")
    (nets / "nets.py").write_text(NETS + "# newer\n")
    own_code.named("policy", "nets:Deep")
    with pytest.raises(ValueError, match=r"nets.py: found another module 'nets' that has been"):
        Agent.load(run, trust=True)
    sys.modules.pop("nets")
    Agent.load(run, trust=True)
    with pytest.raises(ValueError, match="policy: found two modules 'nets'"):
        own_code.named("policy", "nets:Deep")
    (run.folder / "code" / "nets.py").write_text("1 / 0\n")
    sys.modules.pop("nets")
    with pytest.raises(ValueError, match=r"code/nets.py: cannot be imported: ZeroDivisionError"):
        Agent.load(run, trust=True)
    assert "nets" not in sys.modules
