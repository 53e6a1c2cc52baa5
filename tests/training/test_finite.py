"""What learners see of worlds that diverge, and of rewards that are not finite."""

import numpy as np
import pytest

pytest.importorskip("stable_baselines3")

from mjenv import NonFiniteError
from mjenv.sb3 import NativeVecEnv
from mjenv.training.evaluate import make_envs
from mjenv.training.ppo import WidePPO

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
