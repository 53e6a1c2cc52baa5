"""Agents as networks with their normalization inside: TorchScript and ONNX."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("stable_baselines3")
pytest.importorskip("torch")

import torch
from torch import nn

from mjenv.commands.cli import main
from mjenv.training.agent import Agent
from mjenv.training.hyperparameters import hyperparameters
from mjenv.training.portable import shipped
from mjenv.training.runs.network import Network
from mjenv.training.settings import SoftActorCritic
from mjenv.training.train import make_agent, train

ENV = "mjenv/InvertedPendulum-v5"
EXAMPLE = Path(__file__).resolve().parents[3] / "docs" / "run_onnx.py"


def run_of(algorithm, folder):
    if algorithm == "SAC":
        settings = SoftActorCritic(steps=60, n_envs=4, learning_starts=20)
    else:
        settings = hyperparameters(ENV, n_envs=4, n_steps=16, batch_size=32, steps=640)
    return train(ENV, settings, folder / algorithm, seconds=0)


@pytest.fixture(scope="module", params=["PPO", "SAC"])
def run(request, tmp_path_factory):
    return run_of(request.param, tmp_path_factory.mktemp("runs"))


def observations(count=50, size=4):
    """Some of them far outside of what was seen in training."""
    return np.random.default_rng(0).normal(size=(count, size)) * 5.0


def scripted(path, x):
    extra = {"info.json": ""}
    network = torch.jit.load(str(path), _extra_files=extra)
    actions = network(torch.as_tensor(x, dtype=torch.float32)).detach().numpy()
    return actions, json.loads(extra["info.json"])


def inferred(path, x):
    session = pytest.importorskip("onnxruntime").InferenceSession(str(path))
    (actions,) = session.run(["action"], {"observation": x.astype(np.float32)})
    return actions, session.get_modelmeta().custom_metadata_map


@pytest.mark.sweep(1)
@pytest.mark.filterwarnings("ignore::DeprecationWarning:torch")
@pytest.mark.parametrize(("suffix", "read"), [(".pt", scripted), (".onnx", inferred)])
def test_a_network_acts_as_its_run(run, suffix, read, tmp_path, capsys):
    """Up to rounding in single precision, for one observation and for many."""
    if suffix == ".onnx":
        pytest.importorskip("onnx")
    path = tmp_path / "new" / f"agent{suffix}"
    assert main(["export", str(run.folder), "--output", str(path)]) == 0
    assert capsys.readouterr().out == f"{path}: the agent of {ENV}\n"
    agent = Agent.load(run)
    for x in (observations(), observations(1)):
        actions, info = read(path, x)
        np.testing.assert_allclose(actions, agent.act(x), atol=2e-5)
        assert actions.dtype == np.float32
        assert info["env"] == ENV
    assert [one.name for one in path.parent.iterdir()] == [path.name]


@pytest.mark.filterwarnings("ignore::DeprecationWarning:torch")
@pytest.mark.parametrize(("suffix", "read"), [(".pt", scripted), (".onnx", inferred)])
def test_layers_that_normalize(suffix, read, tmp_path):
    """Those of FastSAC."""
    if suffix == ".onnx":
        pytest.importorskip("onnx")
    agent = make_agent(ENV, hyperparameters(ENV, "FastSAC", n_envs=2, net_arch=(16, 8)), 0, {})
    assert agent.normalize.norm_obs
    path, x = tmp_path / f"agent{suffix}", observations(20)
    Network.of_agent(agent).save(path, {"env": ENV})
    np.testing.assert_allclose(read(path, x)[0], agent.act(x), atol=1e-5)
    agent.normalize.venv.close()


@pytest.mark.filterwarnings("ignore::DeprecationWarning:torch")
@pytest.mark.parametrize(("suffix", "read"), [(".pt", scripted), (".onnx", inferred)])
def test_agents_that_come_with_mjenv(suffix, read, tmp_path):
    if suffix == ".onnx":
        pytest.importorskip("onnx")
    agent, x = shipped("mjenv/HalfCheetah-v5"), observations(20, 17)
    agent.save(tmp_path / "agent.npz")
    for what in ("HalfCheetah-v5", str(tmp_path / "agent.npz")):
        path = tmp_path / f"agent{suffix}"
        assert main(["export", what, "--output", str(path)]) == 0
        actions, info = read(path, x)
        np.testing.assert_allclose(actions, agent.act(x), atol=1e-4)
        assert info["command"] == agent.info["command"]


@pytest.mark.slow
def test_the_example_needs_no_mjenv(tmp_path):
    """Gymnasium's environment, 1,000 steps upright; mjenv cannot be imported meanwhile."""
    for package in ("onnx", "onnxruntime", "mujoco"):
        pytest.importorskip(package)
    path = tmp_path / "agent.onnx"
    assert main(["export", "InvertedPendulum-v5", "--output", str(path)]) == 0
    hide = "import sys, runpy; sys.modules['mjenv'] = None; sys.argv = sys.argv[1:]; "
    code = hide + "runpy.run_path(sys.argv[0], run_name='__main__')"
    done = subprocess.run(
        [sys.executable, "-c", code, str(EXAMPLE), str(path)], capture_output=True, text=True
    )
    assert done.stdout == "InvertedPendulum-v5: return 1,000\n", done.stderr
    program = EXAMPLE.read_text().split('"""')[2].strip().splitlines()
    assert len(program) <= 21


def test_what_cannot_be_exported(run, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for words, expected in (
        (["Humanoid-v6", "--output", "x.pt"], "Humanoid-v6: no such environment"),
        (["acrobot-swingup-v0", "--output", "x.pt"], "no agent of it comes with mjenv"),
        (["HalfCheetah-v5"], "--output: expected a file for the agent of HalfCheetah"),
        (["HalfCheetah-v5", "--output", "x.tf"], "suffix is '.tf', expected one of ['.npz', '.pt'"),
    ):
        assert main(["export", *words]) == 1
        assert expected in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "onnx", None)
    assert main(["export", "HalfCheetah-v5", "--output", "x.onnx"]) == 1
    assert "onnx: not installed, a file of ONNX needs it; pip install 'mjenv[onnx]'" in (
        capsys.readouterr().err
    )
    agent = Agent.load(run)
    if hasattr(agent.model.policy, "mlp_extractor"):
        agent.model.policy.mlp_extractor.policy_net[1] = nn.GELU()
        with pytest.raises(ValueError, match="policy has GELU, expected a perceptron"):
            Network.of_agent(agent)
    assert not list(tmp_path.iterdir())
