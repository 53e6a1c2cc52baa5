"""Runs of other libraries' learners that learn, on worlds of mjenv and on Gymnasium's environments.

`python benchmarks/learners.py [LIBRARY ...]`: pole balancing (`InvertedPendulum-v5`) in 64 worlds,
with the settings that stand here, once with mjenv's interface to the library, and once with
Gymnasium's environments as the library itself takes them, where it does. One thread; seconds are of
the processor, of the training alone, with the learner in them. A pole's return is the number of
steps before it falls, 1,000 at most: it is told over the last eighth of the steps, as steps per
episode that has ended, and beside it falls per 1,000 steps in the first and in the last eighth.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from mjenv.gym.vector import VectorEnv
from mjenv.multi.making import make_vec

POLE, NWORLD = "InvertedPendulum-v5", 64


class Run(NamedTuple):
    """What a training came to.

    Attributes:
        steps: of all worlds together.
        seconds: of the processor.
        falls: per 1,000 steps in the first and in the last eighth.
        returns: steps per episode that has ended in the last eighth; nan for none.
    """

    steps: int
    seconds: float
    falls: tuple[float, float]
    returns: float


class Counted:
    """Ends of episodes, step by step of one world or of many.

    Attributes:
        falls: share of the worlds of a step whose pole has fallen.
        ends: share whose episode has ended.
        count: worlds of a step.
    """

    def __init__(self):
        self.falls: list[float] = []
        self.ends: list[float] = []
        self.count = 1

    def add(self, terminated: Any, truncated: Any) -> None:
        """Count a step of one world or of many."""
        fallen, cut = np.atleast_1d(terminated), np.atleast_1d(truncated)
        self.count = len(fallen)
        self.falls.append(float(fallen.mean()))
        self.ends.append(float((fallen | cut).mean()))

    def run(self, seconds: float) -> Run:
        """What has been counted."""
        eighth = max(1, len(self.falls) // 8)
        first, last = (float(np.mean(part)) for part in (self.falls[:eighth], self.falls[-eighth:]))
        ended = float(np.mean(self.ends[-eighth:]))
        steps = self.count * len(self.falls)
        returns = 1.0 / ended if ended else float("nan")
        return Run(steps, seconds, (1000.0 * first, 1000.0 * last), returns)


@contextmanager
def counting(own: bool) -> Iterator[Counted]:
    """While it lasts, steps are counted: of mjenv's worlds, or of Gymnasium's environments."""
    if own:
        import gymnasium

        # under the time limit, whose truncations count, too
        kind: Any = gymnasium.wrappers.TimeLimit
    else:
        kind = VectorEnv
    found, step = Counted(), kind.step

    def counted(self: Any, *arguments: Any, **named: Any) -> Any:
        results = step(self, *arguments, **named)
        found.add(results[2], results[3])
        return results

    kind.step = counted
    try:
        yield found
    finally:
        kind.step = step


def single() -> Any:
    """One of Gymnasium's environments."""
    import gymnasium

    return gymnasium.make(POLE)


def rsl(own: bool) -> Callable[[], Any]:
    """PPO of rsl_rl, 51,000 steps."""
    from rsl_rl.runners import OnPolicyRunner  # pyright: ignore[reportMissingImports]

    from mjenv.rsl import RslVecEnv

    if own:
        raise LookupError("rsl_rl takes no environments of Gymnasium's")
    env = RslVecEnv(POLE, NWORLD)
    runner = OnPolicyRunner(env, rsl_config("policy"), log_dir=None)
    return lambda: runner.learn(25, init_at_random_ep_len=True)


def rsl_config(critic: str, steps: int = 32) -> dict[str, Any]:
    """Settings of rsl_rl's PPO, whose critic sees a group."""
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


def skrl(own: bool) -> Callable[[], Any]:
    """PPO of skrl, 82,000 steps; its own wrapper takes Gymnasium's vector environment."""
    import torch
    from skrl.agents.torch.ppo import PPO, PPO_CFG  # pyright: ignore[reportMissingImports]
    from skrl.memories.torch import RandomMemory  # pyright: ignore[reportMissingImports]
    from skrl.models.torch import (  # pyright: ignore[reportMissingImports]
        DeterministicMixin,
        GaussianMixin,
        Model,
    )
    from skrl.trainers.torch import SequentialTrainer  # pyright: ignore[reportMissingImports]

    # the worlds
    env: Any
    if own:
        import gymnasium
        from skrl.envs.wrappers.torch import wrap_env  # pyright: ignore[reportMissingImports]

        env = wrap_env(gymnasium.make_vec(POLE, NWORLD, vectorization_mode="sync"))
    else:
        from mjenv.skrl import SkrlEnv

        env = SkrlEnv(POLE, NWORLD)
    spaces = {
        "observation_space": env.observation_space, "state_space": env.state_space,
        "action_space": env.action_space, "device": env.device,
    }  # fmt: skip

    def network() -> Any:
        return torch.nn.Sequential(torch.nn.Linear(4, 32), torch.nn.ELU(), torch.nn.Linear(32, 1))

    class Policy(GaussianMixin, Model):
        def __init__(self):
            Model.__init__(self, **spaces)
            GaussianMixin.__init__(self)
            self.net, self.log_std = network(), torch.nn.Parameter(torch.zeros(1))

        def compute(self, inputs: Any, role: str) -> Any:
            return self.net(inputs["observations"]), {"log_std": self.log_std}

    class Value(DeterministicMixin, Model):
        def __init__(self):
            Model.__init__(self, **spaces)
            DeterministicMixin.__init__(self)
            self.net = network()

        def compute(self, inputs: Any, role: str) -> Any:
            return self.net(inputs["observations"]), {}

    # the learner
    settings = PPO_CFG(
        rollouts=32, learning_epochs=8, mini_batches=4, learning_rate=3e-3,
        time_limit_bootstrap=True,
    )  # fmt: skip
    settings.experiment.write_interval = settings.experiment.checkpoint_interval = 0
    memory = RandomMemory(memory_size=32, num_envs=NWORLD, device=env.device)
    models = {"policy": Policy(), "value": Value()}
    agent = PPO(models=models, memory=memory, cfg=settings, **spaces)
    options = {
        "timesteps": 1280, "headless": True, "disable_progressbar": True,
        "close_environment_at_exit": False,
    }  # fmt: skip
    return SequentialTrainer(env=env, agents=agent, cfg=options).train


def torchrl(own: bool) -> Callable[[], Any]:
    """PPO of TorchRL, 41,000 steps; its own `GymEnv` in a `SerialEnv`."""
    import torch
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

    # the worlds
    env: Any
    if own:
        from torchrl.envs import (  # pyright: ignore[reportMissingImports]
            DoubleToFloat,
            GymEnv,
            SerialEnv,
            TransformedEnv,
        )

        env = TransformedEnv(SerialEnv(NWORLD, lambda: GymEnv(POLE)), DoubleToFloat())
    else:
        from mjenv.torchrl import TorchRLEnv

        env = TorchRLEnv(POLE, NWORLD)
    env.set_seed(0)

    def network(noutputs: int) -> Any:
        return nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, noutputs))

    # the learner
    means = nn.Sequential(network(2), NormalParamExtractor())
    actor = ProbabilisticActor(
        TensorDictModule(means, ["observation"], ["loc", "scale"]),
        in_keys=["loc", "scale"], spec=env.action_spec_unbatched, distribution_class=TanhNormal,
        return_log_prob=True,
    )  # fmt: skip
    critic = ValueOperator(network(1), in_keys=["observation"])
    loss, advantage = ClipPPOLoss(actor, critic), GAE(gamma=0.99, lmbda=0.95, value_network=critic)
    optimizer = torch.optim.Adam(loss.parameters(), lr=2e-3)

    def train() -> None:
        for batch in Collector(
            env, actor, frames_per_batch=NWORLD * 32, total_frames=20 * NWORLD * 32
        ):
            for _ in range(8):
                advantage(batch)
                terms = loss(batch.reshape(-1))
                optimizer.zero_grad()
                parts: Any = [terms[f"loss_{n}"] for n in ("objective", "critic", "entropy")]
                total: Any = sum(parts)
                total.backward()
                optimizer.step()

    return train


class TianshouWorlds:
    """A vector environment as Tianshou's collectors ask for one: subsets of the worlds."""

    is_async = False

    def __init__(self, envs: Any):
        """Of a vector environment without autoreset."""
        self.envs, self.action_space = envs, [envs.single_action_space] * envs.num_envs

    def __len__(self) -> int:
        return self.envs.num_envs

    def reset(self, env_id: Any = None, seed: int | None = None) -> tuple[Any, Any]:
        """Start episodes in some worlds."""
        chosen = np.arange(len(self)) if env_id is None else np.asarray(env_id)
        mask = np.isin(np.arange(len(self)), chosen)
        observations, _ = self.envs.reset(seed=seed, options={"reset_mask": mask})
        return observations[chosen], np.array([{}] * len(chosen))

    def step(self, action: Any, id: Any) -> tuple[Any, ...]:
        """Advance all worlds; returns results of some."""
        actions = np.zeros(self.envs.action_space.shape, np.float32)
        actions[id] = action
        *results, _ = self.envs.step(actions)
        return *(rows[id] for rows in results), np.array([{"env_id": i} for i in id])

    def close(self) -> None:
        """Close the environment."""
        self.envs.close()


def tianshou(own: bool) -> Callable[[], Any]:
    """SAC of Tianshou, 20,000 steps; its own `DummyVectorEnv`."""
    import gymnasium
    from tianshou.algorithm import SAC  # pyright: ignore[reportMissingImports]
    from tianshou.algorithm.modelfree.sac import (  # pyright: ignore[reportMissingImports]
        SACPolicy,
    )
    from tianshou.algorithm.optim import (  # pyright: ignore[reportMissingImports]
        AdamOptimizerFactory,
    )
    from tianshou.data import (  # pyright: ignore[reportMissingImports]
        Collector,
        VectorReplayBuffer,
    )
    from tianshou.env import DummyVectorEnv  # pyright: ignore[reportMissingImports]
    from tianshou.trainer import OffPolicyTrainerParams  # pyright: ignore[reportMissingImports]
    from tianshou.utils.net.common import Net  # pyright: ignore[reportMissingImports]
    from tianshou.utils.net.continuous import (  # pyright: ignore[reportMissingImports]
        ContinuousActorProbabilistic,
        ContinuousCritic,
    )

    # the worlds
    if own:
        worlds: Any = DummyVectorEnv([single] * NWORLD)
    else:
        worlds = TianshouWorlds(make_vec(POLE, NWORLD, autoreset_mode="Disabled"))
    actions: Any = gymnasium.spaces.Box(-3.0, 3.0, (1,), np.float32)
    # the learner
    before = Net(state_shape=(4,), hidden_sizes=(64, 64))
    actor = ContinuousActorProbabilistic(
        preprocess_net=before, action_shape=actions.shape, unbounded=True, conditioned_sigma=True
    )
    both = Net(state_shape=(4,), action_shape=actions.shape, hidden_sizes=(64, 64), concat=True)
    algorithm = SAC(
        policy=SACPolicy(actor=actor, action_space=actions),
        policy_optim=AdamOptimizerFactory(lr=1e-3),
        critic=ContinuousCritic(preprocess_net=both),
        critic_optim=AdamOptimizerFactory(lr=1e-3),
    )
    collector = Collector(algorithm, worlds, VectorReplayBuffer(100_000, NWORLD))
    collector.reset()
    params = OffPolicyTrainerParams(
        training_collector=collector,
        max_epochs=1,
        epoch_num_steps=20_000,
        collection_step_num_env_steps=NWORLD,
        update_step_num_gradient_steps_per_sample=1 / 8,
        batch_size=256,
        verbose=False,
        show_progress=False,
    )
    return lambda: algorithm.run_training(params)


def jax(own: bool) -> Callable[[], Any]:
    """The cross-entropy method in JAX, 128,000 steps: a linear policy in each world."""
    import jax as library  # pyright: ignore[reportMissingImports]

    from mjenv.jax import JaxEnv

    if own:
        raise LookupError("JAX has no environments")
    jnp, envs = library.numpy, JaxEnv(POLE, NWORLD)

    # a generation is one compiled function
    @library.jit
    def generation(mean: Any, std: Any, key: Any) -> Any:
        policies = mean + std * library.random.normal(key, (NWORLD, 4))

        def step(carry: Any, _: Any) -> Any:
            seen, alive = carry
            results = envs.step((policies * seen).sum(-1, keepdims=True))
            alive = alive * ~results.terminated
            return (results.observation, alive), alive

        start = envs.reset(library.random.randint(key, (), 0, 10**6)), jnp.ones(NWORLD)
        lengths = library.lax.scan(step, start, length=200)[1].sum(0)
        best = policies[jnp.argsort(-lengths)[:8]]
        return best.mean(0), best.std(0) + 0.1

    def train() -> None:
        mean, std = jnp.zeros(4), 2.0 * jnp.ones(4)
        for k in range(10):
            mean, std = generation(mean, std, library.random.key(k))
        library.block_until_ready(mean)

    return train


LIBRARIES = {"rsl_rl": rsl, "skrl": skrl, "TorchRL": torchrl, "Tianshou": tianshou, "JAX": jax}


def measured(library: str, own: bool = False, seed: int = 0) -> Run:
    """Train once.

    Args:
        library: a key of `LIBRARIES`.
        own: whether with Gymnasium's environments, as the library takes them.
        seed: of PyTorch and numpy.

    Raises:
        LookupError: the library does not take these.
    """
    import random

    import torch

    random.seed(seed)
    np.random.seed(seed)  # what Tianshou draws from
    torch.manual_seed(seed)
    # small networks: a second thread would only wait
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        train = LIBRARIES[library](own)
        with counting(own) as found:
            start = time.process_time()
            train()
            return found.run(time.process_time() - start)
    finally:
        torch.set_num_threads(threads)


def main() -> None:
    """Print a row for each library and kind of environments."""
    what = argparse.ArgumentParser(description=__doc__)
    what.add_argument("libraries", nargs="*", help=f"some of {', '.join(LIBRARIES)}; all")
    what.add_argument("--seed", type=int, default=0)
    arguments = what.parse_args()
    print("| library | environments | steps | steps/s | falls, first and last | return |")
    for library in arguments.libraries or LIBRARIES:
        for own in (False, True):
            try:
                run = measured(library, own, arguments.seed)
            except (ImportError, LookupError) as error:
                print(f"{library}: {error}", file=sys.stderr)
                continue
            where = "Gymnasium" if own else "mjenv"
            rate, (first, last) = run.steps / run.seconds, run.falls
            print(
                f"| {library} | {where} | {run.steps:,} | {rate:,.0f} | {first:.1f}, {last:.1f} "
                f"| {run.returns:.0f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
