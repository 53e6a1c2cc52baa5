"""Proximal policy optimization in one file, on mjenv's vector environment and torch alone.

To be read, and to be copied for something of your own. `mjenv train` does the same faster, and with
checkpoints, films and plots.

    python -m mjenv.training.ppo_single_file HalfCheetah-v5

The symbols are those of Schulman et al., Proximal Policy Optimization Algorithms (2017), and
High-Dimensional Continuous Control Using Generalized Advantage Estimation (2016).
"""

import argparse
import time
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
import torch
from torch import Tensor, nn

import mjenv  # registers the environments


@dataclass
class Settings:
    """Settings, each an option of the command line.

    Attributes:
        env: the environment.
        steps: of all worlds together.
        num_envs: worlds that step together.
        horizon: T, steps of a world between two updates.
        minibatch: samples of a step of Adam.
        epochs: K, passes over the samples of an update.
        learning_rate: of Adam, at the start; it falls linearly to zero.
        gamma: γ, discount per step.
        lam: λ of the advantage estimate.
        clip: ε, bound on the change of the probability ratio.
        log_std: logarithm of the actions' deviation at the start.
        seed: of everything random.
    """

    env: str = "HalfCheetah-v5"
    steps: int = 4_000_000
    num_envs: int = 512
    horizon: int = 16
    minibatch: int = 1024
    epochs: int = 4
    learning_rate: float = 1e-3
    gamma: float = 0.98
    lam: float = 0.92
    clip: float = 0.2
    log_std: float = -1.0
    seed: int = 0


class Normalizer:
    """Running mean and variance of rows (n, size)."""

    def __init__(self, size: int):
        self.mean, self.var, self.count = np.zeros(size), np.ones(size), 1e-4

    def update(self, rows: np.ndarray) -> None:
        """Take more rows into account (Chan et al., 1979)."""
        mean, var, n = rows.mean(0), rows.var(0), len(rows)
        delta, total = mean - self.mean, self.count + n
        self.mean = self.mean + delta * n / total
        square = self.var * self.count + var * n + delta**2 * self.count * n / total
        self.var, self.count = square / total, total

    def __call__(self, rows: np.ndarray) -> Tensor:
        """Rows of mean zero and variance one, within ten deviations."""
        normalized = (rows - self.mean) / np.sqrt(self.var + 1e-8)
        return torch.from_numpy(np.clip(normalized, -10.0, 10.0).astype(np.float32))


def mlp(inputs: int, outputs: int, scale: float) -> nn.Sequential:
    """Two hidden layers of 64; the weights are orthogonal, those of the last layer scaled."""
    layers = [nn.Linear(inputs, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh()]
    layers.append(nn.Linear(64, outputs))
    for layer in layers[::2]:
        assert isinstance(layer, nn.Linear)
        nn.init.orthogonal_(layer.weight, scale if layer is layers[-1] else 2.0**0.5)
        nn.init.zeros_(layer.bias)
    return nn.Sequential(*layers)


class Agent(nn.Module):
    """A policy, normal with a mean that depends on the observation, and its value V."""

    def __init__(self, nobs: int, nact: int, log_std: float):
        super().__init__()
        self.mean, self.value = mlp(nobs, nact, 0.01), mlp(nobs, 1, 1.0)
        self.log_std = nn.Parameter(torch.full((nact,), log_std))

    def policy(self, observations: Tensor) -> torch.distributions.Normal:
        """π(a | s), of each component of the action."""
        mean = self.mean(observations)
        return torch.distributions.Normal(mean, self.log_std.exp().expand_as(mean), False)

    def values(self, observations: Tensor) -> Tensor:
        """V(s), (...,)."""
        return self.value(observations)[..., 0]


def make_worlds(settings: Settings) -> gymnasium.vector.VectorEnv:
    """The worlds to train in: those that have ended begin again in the same step."""
    name = settings.env if ":" in settings.env else f"mjenv/{settings.env}"
    mode = gymnasium.vector.AutoresetMode.SAME_STEP
    return gymnasium.make_vec(name, settings.num_envs, autoreset_mode=mode)


class VectorWorlds:
    """The environment, with normalized observations and rewards."""

    def __init__(self, settings: Settings):
        self.envs = make_worlds(settings)
        self.nobs, self.nact = (
            int(np.prod(space.shape or ()))
            for space in (self.envs.single_observation_space, self.envs.single_action_space)
        )
        self.normalize, self.spread = Normalizer(self.nobs), Normalizer(1)
        self.gamma, n = settings.gamma, settings.num_envs
        self.discounted, self.returns = np.zeros(n), np.zeros(n)
        self.finished: list[float] = []
        raw, _ = self.envs.reset(seed=settings.seed)
        self.normalize.update(raw)
        self.observations = self.normalize(raw)

    @torch.no_grad()
    def step(self, actions: Tensor, agent: Agent) -> tuple[Tensor, Tensor]:
        """Rewards and ends, (n,) each; the value of an episode cut off is in its reward."""
        space: Any = self.envs.single_action_space
        clipped = np.clip(actions.numpy(), space.low, space.high)
        raw, rewards, terminated, truncated, infos = self.envs.step(clipped)
        done = terminated | truncated

        # returns of episodes that have ended
        self.returns += rewards
        self.finished += self.returns[done].tolist()
        self.returns[done] = 0.0

        # rewards in deviations of the discounted return
        self.discounted = self.discounted * self.gamma + rewards
        self.spread.update(self.discounted[:, None])
        self.discounted[done] = 0.0
        scaled = np.clip(rewards / np.sqrt(self.spread.var[0] + 1e-8), -10.0, 10.0)

        # an episode that only ran out of time would have gone on
        cut = truncated & ~terminated
        if cut.any():
            last = self.normalize(np.stack(list(infos["final_obs"][cut])))
            scaled[cut] += self.gamma * agent.values(last).numpy()
        self.normalize.update(raw)
        self.observations = self.normalize(raw)
        return torch.from_numpy(scaled.astype(np.float32)), torch.from_numpy(done)


def advantages(rewards: Tensor, values: Tensor, ends: Tensor, gamma: float, lam: float) -> Tensor:
    """Generalized advantage estimates (T, n), of values (T + 1, n)."""
    result, following = torch.empty_like(rewards), torch.zeros(rewards.shape[1])
    for t in reversed(range(len(rewards))):
        goes_on = (~ends[t]).float()
        delta = rewards[t] + gamma * values[t + 1] * goes_on - values[t]
        result[t] = following = delta + gamma * lam * goes_on * following
    return result


def update(agent: Agent, adam: torch.optim.Adam, settings: Settings, samples: list[Tensor]) -> None:
    """K passes over the samples: observations, actions, log π_old, advantages, returns."""
    size = len(samples[0])
    for _ in range(settings.epochs):
        order = torch.randperm(size)
        for first in range(0, size, settings.minibatch):
            chosen = order[first : first + settings.minibatch]
            s, a, old, A, R = (column[chosen] for column in samples)

            # L = -E[min(ρ A, clip(ρ, 1 - ε, 1 + ε) A)] + ½ E[(V - R)²]
            rho = (agent.policy(s).log_prob(a).sum(-1) - old).exp()
            bounded = rho.clamp(1.0 - settings.clip, 1.0 + settings.clip)
            loss = 0.5 * (agent.values(s) - R).square().mean()
            loss = loss - torch.minimum(rho * A, bounded * A).mean()

            adam.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            adam.step()


def train(settings: Settings) -> tuple[Agent, Normalizer, float]:
    """An agent, what its observations are normalized by, and its mean return at the end."""
    torch.manual_seed(settings.seed)
    torch.set_num_threads(1)  # small networks; the worlds have threads of their own
    worlds = VectorWorlds(settings)
    agent = Agent(worlds.nobs, worlds.nact, settings.log_std)
    adam = torch.optim.Adam(agent.parameters(), settings.learning_rate, eps=1e-5, fused=True)
    T, n = settings.horizon, settings.num_envs
    observations = torch.empty(T + 1, n, worlds.nobs)
    actions, log_probs = torch.empty(T, n, worlds.nact), torch.empty(T, n)
    rewards, ends = torch.empty(T, n), torch.empty(T, n, dtype=torch.bool)
    updates, began, mean = max(1, settings.steps // (T * n)), time.perf_counter(), float("nan")

    for k in range(updates):
        adam.param_groups[0]["lr"] = settings.learning_rate * (1.0 - k / updates)

        # T steps of every world
        with torch.no_grad():
            for t in range(T):
                observations[t] = worlds.observations
                pi = agent.policy(worlds.observations)
                actions[t] = pi.sample()
                log_probs[t] = pi.log_prob(actions[t]).sum(-1)
                rewards[t], ends[t] = worlds.step(actions[t], agent)
            observations[T] = worlds.observations
            values = agent.values(observations)
            A = advantages(rewards, values, ends, settings.gamma, settings.lam)
            R = A + values[:T]
            A = (A - A.mean()) / (A.std() + 1e-8)

        columns = (observations[:T], actions, log_probs, A, R)
        update(agent, adam, settings, [column.flatten(0, 1) for column in columns])

        # how it goes, ten times
        if worlds.finished:
            mean = float(np.mean(worlds.finished[-n:]))
        if (k + 1) % max(1, updates // 10) == 0 or k + 1 == updates:
            steps, rate = (k + 1) * T * n, (k + 1) * T * n / (time.perf_counter() - began)
            print(f"{steps:>11,} steps  {rate:>8,.0f} /s  return {mean:,.1f}", flush=True)
    worlds.envs.close()
    return agent, worlds.normalize, mean


def main(argv: list[str] | None = None) -> None:
    """Train with the options of the command line."""
    parser = argparse.ArgumentParser(description="Train an agent with PPO.")
    parser.add_argument("env", nargs="?", default=Settings.env)
    for name, value in vars(Settings()).items():
        if name != "env":
            parser.add_argument(f"--{name.replace('_', '-')}", type=type(value), default=value)
    train(Settings(**vars(parser.parse_args(argv))))


if __name__ == "__main__":
    main()
