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

from mjenv.worlds import Worlds

POLE = "InvertedPendulum-v5"


@pytest.fixture
def falls(monkeypatch):
    """Share of worlds whose pole fell, for each step that is taken."""
    found, step = [], Worlds.step

    def counted(self, actions):
        results = step(self, actions)
        found.append(results.terminated.mean())
        return results

    monkeypatch.setattr(Worlds, "step", counted)
    # small networks: a second thread would only wait
    torch: Any = sys.modules.get("torch")
    threads = torch and torch.get_num_threads()
    if torch:
        torch.set_num_threads(1)
    yield found
    if torch:
        torch.set_num_threads(threads)


def learned(falls):
    """Less than a quarter of the falls there were in the beginning."""
    eighth = len(falls) // 8
    return np.mean(falls[-eighth:]) < 0.25 * np.mean(falls[:eighth])


def vectors(name, num_envs=4, seed=0):
    """The vector environment itself, started."""
    envs: Any = gymnasium.make_vec(
        f"mjenv/{name}", num_envs=num_envs, autoreset_mode="SameStep", observation_dtype=np.float32
    )
    return envs, envs.reset(seed=seed)[0]


# rsl_rl


def rsl_config(critic, steps=32):
    model = {
        "class_name": "MLPModel", "hidden_dims": [32, 32], "activation": "elu",
        "obs_normalization": True,
    }  # fmt: skip
    noise = {"class_name": "GaussianDistribution", "init_std": 1.0, "std_type": "scalar"}
    algorithm = {
        "class_name": "PPO", "value_loss_coef": 1.0, "use_clipped_value_loss": True,
        "clip_param": 0.2, "entropy_coef": 0.005, "num_learning_epochs": 5, "num_mini_batches": 4,
        "learning_rate": 1e-3, "schedule": "adaptive", "gamma": 0.99, "lam": 0.95,
        "desired_kl": 0.01, "max_grad_norm": 1.0, "rnd_cfg": None, "symmetry_cfg": None,
    }  # fmt: skip
    return {
        "num_steps_per_env": steps, "save_interval": 1000, "run_name": "",
        "obs_groups": {"actor": ["policy"], "critic": [critic]},
        "actor": {**model, "distribution_cfg": noise}, "critic": model, "algorithm": algorithm,
    }  # fmt: skip


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
    env, worlds = RslVecEnv(mix, 6, task_id="one_hot"), Worlds(mix, 6, task_id="one_hot")
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


def test_rsl_learns(falls):
    pytest.importorskip("rsl_rl")
    torch = pytest.importorskip("torch")
    from rsl_rl.runners import OnPolicyRunner  # pyright: ignore[reportMissingImports]

    from mjenv.rsl import RslVecEnv

    torch.manual_seed(0)
    runner = OnPolicyRunner(RslVecEnv(POLE, 64), rsl_config("policy"), log_dir=None)
    runner.learn(25, init_at_random_ep_len=True)
    assert learned(falls)
    walkers = RslVecEnv("Go1Velocity-v0", 8)
    OnPolicyRunner(walkers, rsl_config("critic", steps=8), log_dir=None).learn(2)


# skrl


def test_skrl():
    torch = pytest.importorskip("torch")
    pytest.importorskip("skrl")
    from mjenv.skrl import SkrlEnv

    env = SkrlEnv("Go1Velocity-v0", 4)
    envs, seen = vectors("Go1Velocity-v0")
    assert env.observation_space.shape == (48,)
    assert env.state_space.shape == (72,)
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


def test_skrl_learns(falls):
    torch = pytest.importorskip("torch")
    pytest.importorskip("skrl")
    from skrl.agents.torch.ppo import PPO, PPO_CFG  # pyright: ignore[reportMissingImports]
    from skrl.memories.torch import RandomMemory  # pyright: ignore[reportMissingImports]
    from skrl.models.torch import (  # pyright: ignore[reportMissingImports]
        DeterministicMixin,
        GaussianMixin,
        Model,
    )
    from skrl.trainers.torch import SequentialTrainer  # pyright: ignore[reportMissingImports]
    from skrl.utils import set_seed  # pyright: ignore[reportMissingImports]

    from mjenv.skrl import SkrlEnv

    set_seed(0)
    env = SkrlEnv(POLE, 64)
    spaces = {
        "observation_space": env.observation_space, "state_space": env.state_space,
        "action_space": env.action_space, "device": env.device,
    }  # fmt: skip

    def network(outputs):
        return torch.nn.Sequential(
            torch.nn.Linear(4, 32), torch.nn.ELU(), torch.nn.Linear(32, outputs)
        )

    class Policy(GaussianMixin, Model):
        def __init__(self):
            Model.__init__(self, **spaces)
            GaussianMixin.__init__(self)
            self.net, self.log_std = network(1), torch.nn.Parameter(torch.zeros(1))

        def compute(self, inputs, role):
            return self.net(inputs["observations"]), {"log_std": self.log_std}

    class Value(DeterministicMixin, Model):
        def __init__(self):
            Model.__init__(self, **spaces)
            DeterministicMixin.__init__(self)
            self.net = network(1)

        def compute(self, inputs, role):
            return self.net(inputs["observations"]), {}

    settings = PPO_CFG(
        rollouts=32, learning_epochs=8, mini_batches=4, learning_rate=3e-3,
        time_limit_bootstrap=True,
    )  # fmt: skip
    settings.experiment.write_interval = settings.experiment.checkpoint_interval = 0
    memory = RandomMemory(memory_size=32, num_envs=64, device=env.device)
    models = {"policy": Policy(), "value": Value()}
    agent = PPO(models=models, memory=memory, cfg=settings, **spaces)
    options = {
        "timesteps": 1280, "headless": True, "disable_progressbar": True,
        "close_environment_at_exit": False,
    }  # fmt: skip
    SequentialTrainer(env=env, agents=agent, cfg=options).train()
    assert learned(falls)


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


def test_torchrl_learns(falls):
    pytest.importorskip("torchrl")
    torch = pytest.importorskip("torch")
    from tensordict.nn import TensorDictModule  # pyright: ignore[reportMissingImports]
    from torch import nn
    from torchrl.collectors import Collector  # pyright: ignore[reportMissingImports]
    from torchrl.modules import (  # pyright: ignore[reportMissingImports]
        NormalParamExtractor,
        ProbabilisticActor,
        TanhNormal,
        ValueOperator,
    )
    from torchrl.objectives import ClipPPOLoss  # pyright: ignore[reportMissingImports]
    from torchrl.objectives.value import GAE  # pyright: ignore[reportMissingImports]

    from mjenv.torchrl import TorchRLEnv

    torch.manual_seed(0)
    env = TorchRLEnv(POLE, 64)
    env.set_seed(0)

    def network(outputs):
        return nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, outputs))

    means = nn.Sequential(network(2), NormalParamExtractor())
    actor = ProbabilisticActor(
        TensorDictModule(means, ["observation"], ["loc", "scale"]),
        in_keys=["loc", "scale"], spec=env.action_spec_unbatched, distribution_class=TanhNormal,
        return_log_prob=True,
    )  # fmt: skip
    critic = ValueOperator(network(1), in_keys=["observation"])
    loss, advantage = ClipPPOLoss(actor, critic), GAE(gamma=0.99, lmbda=0.95, value_network=critic)
    optimizer = torch.optim.Adam(loss.parameters(), lr=2e-3)
    for batch in Collector(env, actor, frames_per_batch=64 * 32, total_frames=20 * 64 * 32):
        for _ in range(8):
            advantage(batch)
            terms = loss(batch.reshape(-1))
            optimizer.zero_grad()
            sum(terms[f"loss_{name}"] for name in ("objective", "critic", "entropy")).backward()
            optimizer.step()
    assert learned(falls)


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


def test_jax_learns(falls):
    """A generation of linear policies, one in each world, is one compiled function."""
    jax = pytest.importorskip("jax")
    from mjenv.jax import JaxEnv

    jnp, envs = jax.numpy, JaxEnv(POLE, 64)

    @jax.jit
    def generation(mean, std, key):
        policies = mean + std * jax.random.normal(key, (64, 4))

        def step(carry, _):
            seen, alive = carry
            results = envs.step((policies * seen).sum(-1, keepdims=True))
            alive = alive * ~results.terminated
            return (results.observation, alive), alive

        start = envs.reset(jax.random.randint(key, (), 0, 10**6)), jnp.ones(64)
        lengths = jax.lax.scan(step, start, length=200)[1].sum(0)
        best = policies[jnp.argsort(-lengths)[:8]]
        return best.mean(0), best.std(0) + 0.1

    mean, std = jnp.zeros(4), 2.0 * jnp.ones(4)
    for k in range(10):
        mean, std = generation(mean, std, jax.random.key(k))
    jax.block_until_ready(mean)
    assert learned(falls)


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
    assert PufferWorlds("Go1Velocity-v0", 2).single_observation_space.shape == (48,)
    critic = PufferWorlds("Go1Velocity-v0", 2, group="critic")
    assert critic.reset()[0].shape == (2, 72)
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
