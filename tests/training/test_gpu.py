"""Learning on a GPU: what is computed is what processors compute."""

import numpy as np
import pytest

pytest.importorskip("stable_baselines3")
pytest.importorskip("torch")

import torch
from stable_baselines3.common.logger import Logger

from mjenv.training.hyperparameters import hyperparameters
from mjenv.training.ppo import WidePPO
from mjenv.training.train import train
from mjenv.training.update import GraphUpdate, Update
from mjenv.training.vec_env import NativeVecEnv

ENV = "InvertedPendulum-v5"
gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")


def learner(device, **options):
    envs = NativeVecEnv(ENV, 8, running_infos=False, observation_dtype=np.float32, copy=False)
    given = {"n_steps": 16, "batch_size": 48, "n_epochs": 3, "seed": 3, **options}
    model = WidePPO("MlpPolicy", envs, device=device, **given)
    model.set_logger(Logger(None, []))
    return model


@gpu
@pytest.mark.parametrize("ent_coef", [0.0, 0.01])
def test_an_update_is_that_of_processors(ent_coef):
    """Passes as they are and passes played back, minibatches of two sizes, a rate that falls."""
    here, there = learner("cpu", ent_coef=ent_coef), learner("cuda", ent_coef=ent_coef)
    assert type(here._update) is Update
    assert type(there._update) is GraphUpdate
    there.policy.load_state_dict(here.policy.state_dict())
    here.learn(128)
    names = ("observations", "actions", "log_probs", "advantages", "returns", "values")
    there.rollout_buffer.reset()
    there.policy.load_state_dict(learner("cpu", ent_coef=ent_coef).policy.state_dict())
    here.policy.load_state_dict(there.policy.state_dict())
    here.policy.optimizer.state.clear()
    for name in names:
        getattr(there.rollout_buffer, name)[:] = getattr(here.rollout_buffer, name)
    for share in (0.0, 0.5, 0.9):
        for model in (here, there):
            model._generator.manual_seed(1)
            model.share = share
            model.train()
    for name, value in here.policy.state_dict().items():
        torch.testing.assert_close(there.policy.state_dict()[name].cpu(), value, rtol=0, atol=2e-4)
    for name in ("approx_kl", "policy_gradient_loss", "value_loss", "entropy_loss"):
        said, expected = (m.logger.name_to_value[f"train/{name}"] for m in (there, here))
        assert said == pytest.approx(expected, rel=1e-3, abs=1e-4), name


@gpu
def test_what_learned_on_a_gpu_goes_on_anywhere(tmp_path):
    model = learner("cuda")
    model.learn(256)
    model.save(tmp_path / "agent.zip")
    for device in ("cpu", "cuda"):
        again = WidePPO.load(tmp_path / "agent.zip", env=learner(device).env, device=device)
        again.set_logger(Logger(None, []))
        observations = np.ones((3, 4), np.float32)
        expected = model.predict(observations, deterministic=True)[0]
        found = again.predict(observations, deterministic=True)[0]
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5)
        again.learn(128, reset_num_timesteps=False)


@gpu
def test_trainings_on_a_gpu(tmp_path):
    settings = hyperparameters(f"mjenv/{ENV}", steps=1000, n_envs=8, n_steps=16, batch_size=64)
    run = train(f"mjenv/{ENV}", settings, tmp_path, seconds=0, device="cuda")
    assert run.config()["device"] == "cuda"


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_without_a_gpu(tmp_path):
    settings = hyperparameters(f"mjenv/{ENV}", steps=1000)
    with pytest.raises(ValueError, match="device: 'cuda' is not there"):
        train(f"mjenv/{ENV}", settings, tmp_path / "run", seconds=0, device="cuda")
    assert not (tmp_path / "run").exists()
    with pytest.raises(ValueError, match="device: found 'tpu', expected 'cpu' or 'cuda'"):
        train(f"mjenv/{ENV}", settings, tmp_path / "run", seconds=0, device="tpu")
