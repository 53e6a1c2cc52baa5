"""Interfaces to learners: the same numbers, what they ask for, and runs that learn to balance.

Each is tried where its package is installed. A run has learned if poles fall far more seldom in
its last steps than in its first ones.
"""

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
import pytest

from mjenv.benchmarks.learners import measured, rsl_config
from mjenv.worlds import Worlds

POLE = "InvertedPendulum-v5"


def learned(library):
    """Whether there are less than a quarter of the falls that there were in the beginning."""
    first, last = measured(library).falls
    return last < 0.25 * first


def vectors(name, num_envs=4, seed=0):
    """The vector environment itself, started."""
    envs: Any = gymnasium.make_vec(
        f"mjenv/{name}", num_envs=num_envs, autoreset_mode="SameStep", observation_dtype=np.float32
    )
    return envs, envs.reset(seed=seed)[0]


# rsl_rl


def test_rsl():
    torch = pytest.importorskip("torch")
    pytest.importorskip("rsl_rl")
    from mjenv.rsl import RslVecEnv

    env = RslVecEnv("Go1Velocity-v0", 4, max_episode_steps=5)
    envs, seen = vectors("Go1Velocity-v0")
    assert (env.num_actions, env.max_episode_length) == (12, 5)
    assert set(env.get_observations().keys()) == {"policy", "critic"}
    np.testing.assert_array_equal(env.get_observations()["critic"].numpy(), seen["critic"])
    env.episode_length_buf = torch.tensor([0, 3, 0, 0])
    for k in range(4):
        seen, rewards, dones, extras = env.step(torch.zeros(4, 12))
        expected = envs.step(np.zeros((4, 12)))
        cut = [k == 4, k in (1, 6), k == 4, k == 4]
        np.testing.assert_array_equal(extras["time_outs"].numpy(), cut)
        np.testing.assert_array_equal(dones.numpy(), np.array(cut, int))
        rows = np.array([0, 2, 3]) if k >= 1 else np.arange(4)
        np.testing.assert_array_equal(seen["policy"].numpy()[rows], expected[0]["policy"][rows])
        np.testing.assert_array_equal(rewards.numpy()[rows], expected[1].astype(np.float32)[rows])
        assert ("Episode_Reward/pose" in extras["log"]) == any(cut)
    assert env.episode_length_buf.tolist() == [4, 2, 4, 4]
    # nothing is copied
    assert env.episode_length_buf.data_ptr() == env.worlds.elapsed.ctypes.data
    with pytest.raises(ValueError, match="max_episode_steps is None"):
        RslVecEnv(POLE, 2, max_episode_steps=None)


def test_rsl_takes_several_tasks():
    torch = pytest.importorskip("torch")
    pytest.importorskip("rsl_rl")
    from mjenv.rsl import RslVecEnv

    mix = {"Hopper-v5": 2, "InvertedPendulum-v5": {"max_episode_steps": 7}}
    env: Any = RslVecEnv(mix, 6, task_id="one_hot")
    worlds = Worlds(mix, 6, task_id="one_hot")
    assert (env.num_actions, env.max_episode_length) == (3, 1000)
    np.testing.assert_array_equal(env.get_observations()["policy"].numpy(), worlds.reset(0))
    env.episode_length_buf = torch.tensor([999, 13, 0, 0, 7, 0])
    assert env.episode_length_buf.tolist() == [999, 6, 0, 0, 0, 0]
    worlds.elapsed[:] = [999, 6, 0, 0, 0, 0]
    seen, rewards, dones, extras = env.step(torch.zeros(6, 3))
    found = worlds.step(np.zeros((6, 3), np.float32))
    np.testing.assert_array_equal(seen["policy"].numpy(), found.observation)
    np.testing.assert_array_equal(rewards.numpy(), found.reward)
    assert dones.tolist() == [1, 1, 0, 0, 0, 0]
    assert extras["time_outs"].tolist() == [True, True, False, False, False, False]
    assert env.episode_length_buf.tolist() == [0, 0, 1, 1, 1, 1]
    # per second of an episode of their own: 1,000 steps of 8 ms, 7 of 40 ms
    ends = found.info["final_info"]
    forward = ends["reward_forward"][0] / (1000 * 0.008)
    survive = np.mean([ends["reward_survive"][0] / 8.0, ends["reward_survive"][1] / 0.28])
    assert extras["log"]["Episode_Reward/reward_forward"] == pytest.approx(forward)
    assert extras["log"]["Episode_Reward/reward_survive"] == pytest.approx(survive)


def test_rsl_learns():
    pytest.importorskip("rsl_rl")
    pytest.importorskip("torch")
    from rsl_rl.runners import OnPolicyRunner  # pyright: ignore[reportMissingImports]

    from mjenv.rsl import RslVecEnv

    assert learned("rsl_rl")
    walkers = RslVecEnv("Go1Velocity-v0", 8)
    OnPolicyRunner(walkers, rsl_config("critic", steps=8), log_dir=None).learn(2)


# skrl


def test_skrl():
    torch = pytest.importorskip("torch")
    pytest.importorskip("skrl")
    from mjenv.skrl import SkrlEnv

    env = SkrlEnv("Go1Velocity-v0", 4)
    envs, seen = vectors("Go1Velocity-v0")
    assert env.observation_space.shape == (50,)
    assert env.state_space.shape == (74,)
    assert env.action_space.shape == (12,)
    np.testing.assert_array_equal(env.reset()[0].numpy(), seen["policy"])
    found = env.step(torch.ones(4, 12))
    expected = envs.step(np.ones((4, 12)))
    np.testing.assert_array_equal(found[0].numpy(), expected[0]["policy"])
    np.testing.assert_array_equal(env.state().numpy(), expected[0]["critic"])
    for k in (1, 2, 3):
        np.testing.assert_array_equal(found[k].numpy()[:, 0], expected[k].astype(np.float32))
    # the trainer resets in the beginning, and must not later
    np.testing.assert_array_equal(env.reset()[0].numpy(), expected[0]["policy"])
    assert SkrlEnv(POLE, 2).state_space is None


def test_skrl_learns():
    pytest.importorskip("torch")
    pytest.importorskip("skrl")
    assert learned("skrl")


# TorchRL


@pytest.mark.parametrize("name", ["Hopper-v5", "Go1Velocity-v0"])
def test_torchrl(name):
    pytest.importorskip("torchrl")
    torch = pytest.importorskip("torch")
    from torchrl.envs.utils import check_env_specs  # pyright: ignore[reportMissingImports]

    from mjenv.torchrl import TorchRLEnv

    env = TorchRLEnv(name, 8)
    check_env_specs(env)
    # worlds that have fallen begin again, the others go on
    env.set_seed(0)
    torch.manual_seed(0)
    found = env.rollout(80, break_when_any_done=False)
    done = found["next", "done"][..., 0]
    assert done.any()
    assert not done.all()
    envs: Any = gymnasium.make_vec(
        f"mjenv/{name}", num_envs=8, autoreset_mode="Disabled", observation_dtype=np.float32
    )
    envs.reset(seed=0)
    for k in range(80):
        *_, terminated, truncated, _ = results = envs.step(found["action"][:, k].numpy())
        rewards = found["next", "reward"][:, k, 0].numpy()
        np.testing.assert_array_equal(rewards, results[1].astype(np.float32))
        over = terminated | truncated
        np.testing.assert_array_equal(done[:, k].numpy(), over)
        if over.any():
            envs.reset(options={"reset_mask": over})


def test_torchrl_learns():
    pytest.importorskip("torchrl")
    pytest.importorskip("torch")
    assert learned("TorchRL")


# JAX


def test_jax():
    jax = pytest.importorskip("jax")
    from mjenv.jax import JaxEnv

    env = JaxEnv("Go1Velocity-v0", 4, max_episode_steps=3)
    envs: Any = Worlds("Go1Velocity-v0", 4, max_episode_steps=3)

    @jax.jit
    def rollout(seed):
        def step(seen, _):
            results = env.step(0.3 * seen["policy"][:, :12])
            return results.observation, results

        return jax.lax.scan(step, env.reset(seed), length=5)[1]

    found = rollout(7)
    seen = envs.reset(7)
    for k in range(5):
        results = envs.step(np.float32(0.3) * seen["policy"][:, :12])
        seen, last = results.observation, envs.last(results)
        np.testing.assert_array_equal(found.reward[k], results.reward)
        np.testing.assert_array_equal(found.truncated[k], [k == 2] * 4)
        for name in ("policy", "critic"):
            np.testing.assert_array_equal(found.observation[name][k], seen[name])
            np.testing.assert_array_equal(found.last[name][k], last[name])
    np.testing.assert_array_equal(rollout(7).reward, found.reward)
    with pytest.raises(ValueError, match=r"actions have shape \(4, 3\), expected \(4, 12\)"):
        env.step(np.zeros((4, 3)))


def test_jax_learns():
    """A generation of linear policies, one in each world, is one compiled function."""
    pytest.importorskip("jax")
    pytest.importorskip("torch")
    assert learned("JAX")


# Tianshou


def test_tianshou_learns():
    pytest.importorskip("tianshou")
    pytest.importorskip("torch")
    assert learned("Tianshou")


# PufferLib


@pytest.fixture
def pufferlib(monkeypatch):
    """PufferLib, or what its native environments ask for where it is not installed."""
    try:
        import pufferlib  # pyright: ignore[reportMissingImports]
    except ImportError:

        class PufferEnv:
            def __init__(self, buf=None):
                shape = self.num_agents, *self.single_observation_space.shape  # type: ignore
                buf = buf or {
                    "observations": np.zeros(shape, np.float32),
                    "rewards": np.zeros(shape[0], np.float32),
                    "terminals": np.zeros(shape[0], bool),
                    "truncations": np.zeros(shape[0], bool),
                }
                self.__dict__.update(buf)

        module = ModuleType("pufferlib")
        module.PufferEnv = PufferEnv  # type: ignore
        monkeypatch.setitem(sys.modules, "pufferlib", module)
        monkeypatch.delitem(sys.modules, "mjenv.puffer", raising=False)
        pufferlib = module
    yield pufferlib
    sys.modules.pop("mjenv.puffer", None)


def test_puffer(pufferlib):
    from mjenv.puffer import PufferWorlds

    env = PufferWorlds("Hopper-v5", 4)
    envs, seen = vectors("Hopper-v5")
    buffer = env.observations
    np.testing.assert_array_equal(env.reset(0)[0], seen)
    random, ended = np.random.default_rng(0), []
    for _ in range(60):
        actions = random.uniform(-1, 1, (4, 3)).astype(np.float32)
        found, expected = env.step(actions), envs.step(actions)
        assert found[0] is buffer
        for k in range(4):
            np.testing.assert_array_equal(found[k], expected[k].astype(found[k].dtype))
        over = expected[2] | expected[3]
        assert len(found[4]) == over.sum()
        ended += found[4]
    assert 5 < ended[0]["episode_length"] < 60
    assert ended[0]["episode_return"] > 1.0
    assert PufferWorlds("Go1Velocity-v0", 2).single_observation_space.shape == (50,)
    critic = PufferWorlds("Go1Velocity-v0", 2, group="critic")
    assert critic.reset()[0].shape == (2, 74)
    with pytest.raises(ValueError, match="group='state', expected one of"):
        PufferWorlds("Go1Velocity-v0", 2, group="state")


@pytest.mark.parametrize(
    ("name", "package", "install"),
    [
        ("rsl", "rsl_rl", "'mjenv[libraries]'"),
        ("skrl", "skrl", "'mjenv[libraries]'"),
        ("torchrl", "torchrl", "'mjenv[libraries]'"),
        ("jax", "jax", "'mjenv[libraries]'"),
        ("puffer", "pufferlib", "pufferlib"),
    ],
)
def test_packages_that_are_not_installed(name, package, install, monkeypatch):
    for module in [one for one in sys.modules if one.startswith(f"{package}.")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, package, None)
    if name in ("rsl", "torchrl"):
        pytest.importorskip("torch")
        stand_in = SimpleNamespace(TensorDict=None)
        monkeypatch.setitem(sys.modules, "tensordict", stand_in)  # type: ignore
    monkeypatch.delitem(sys.modules, f"mjenv.{name}", raising=False)
    with pytest.raises(ModuleNotFoundError) as error:
        __import__(f"mjenv.{name}")
    assert f"mjenv.{name} needs it; pip install {install}" in str(error.value)
