"""Episodes in which an agent plays against others."""

from typing import Any, cast

import numpy as np

from mjenv.training.tasks.episodes import LONGEST, Act, Episodes
from mjenv.training.tasks.sides import Sides
from mjenv.training.worlds.vec_env import NativeVecEnv


def contest(where: str, worlds: NativeVecEnv, act: Act, seed: int, rival: Act | None) -> Episodes:
    """Play one episode in each world; in world i the agent is number i, counted in a circle.

    Args:
        where: the environment, for messages.
        worlds: of a task of several agents.
        act: actions of all agents for observations, of which one agent's are taken.
        seed: world i starts from seed + i.
        rival: actions of all agents, of which those of the others are taken; None for random ones.

    Returns:
        Returns and terms of the agent's own; its success is to have more than each other agent.
    """
    envs, n = worlds.envs, worlds.num_envs
    sides = Sides(where, envs)
    seats, every = np.arange(n) % len(sides.names), np.arange(n)
    rng, space = np.random.default_rng(seed), worlds.action_space
    observations: Any = envs.reset(seed=seed)[0]
    running, lengths = np.ones(n, bool), np.zeros(n, np.int64)
    returns = np.zeros((len(sides.names), n))
    terms = {name: np.zeros(n) for name in sides.terms[0]}
    for _ in range(LONGEST):
        # actions of both
        shape = n, *(space.shape or ())
        drawn = rng.uniform(cast(Any, space).low, cast(Any, space).high, shape)
        others = drawn if rival is None else rival(observations)
        actions = sides.mixed(act(observations), others, seats)
        observations, _, terminated, truncated, infos = envs.step(actions)

        # what each has earned
        done = terminated | truncated
        earned = sides.earned(infos, done)
        for k, own in enumerate(earned):
            returns[k, running] += sum(own.values(), np.zeros(n))[running]
        for name in terms:
            values = np.stack([own[name] for own in earned])[seats, every]
            terms[name][running] += values[running]
        lengths += running
        running &= ~done
        if not running.any():
            break
    ours = returns[seats, every]
    returns[seats, every] = -np.inf
    return Episodes(ours, lengths, terms, ours > returns.max(0))
