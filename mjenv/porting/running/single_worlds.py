"""Worlds that run an environment's own code one after the other: what always works."""

from typing import Any

import numpy as np

from mjenv.porting.environment.common_generators import Alone
from mjenv.porting.environment.in_place import ours_by_name, ours_in_place
from mjenv.porting.environment.original import Original, made
from mjenv.porting.running.program import leaves
from mjenv.porting.running.rows import add_info, empty_rows
from mjenv.porting.running.traced_worlds import Steps


class SingleWorlds:
    """Many worlds, each an environment of its own, on engine data of its own."""

    def __init__(self, original: Original, nworld: int, kwargs: dict[str, Any]):
        """Make the environments.

        Args:
            original: the first of them.
            nworld: how many.
            kwargs: what they are made with.
        """
        self._nworld = nworld
        original.renew()
        with ours_in_place():
            rest = [made(original.target, kwargs) for _ in range(nworld - 1)]
        self._envs = [original.env, *rest]
        # the first step of an episode shows whether steps ask for random numbers that no reset asks
        self._first = np.ones(nworld, bool)
        self._random = [Alone(original.generators.asked) for _ in range(nworld)]
        self._space, self._name = original.env.observation_space, original.name
        rewards = original.reward_space
        self.reward_shape: tuple[int, ...] = () if rewards is None else rewards.shape

    def begin(self, worlds: list[int], seeds: list, options: Any) -> None:
        """Start nothing by a program."""
        return

    def start(self, world: int, seed: int | None, options: Any) -> tuple[Any, dict[str, Any]]:
        """Start an episode in a world."""
        self._first[world] = True
        if seed is not None:
            # its samples are no others, either, where the environment takes some
            self._envs[world].action_space.seed(seed)
        with ours_by_name(), self._random[world].lent(seed):
            return self._envs[world].reset(seed=seed, options=options)

    def step(self, actions: np.ndarray, worlds: np.ndarray | None) -> Steps:
        """Advance worlds by a step; see `TracedWorlds.step`."""
        count, info = self._nworld, {}
        observed = empty_rows(self._space, count)
        reward = np.zeros((count, *self.reward_shape))
        terminated, truncated = np.zeros(count, bool), np.zeros(count, bool)
        with ours_by_name():
            for world in range(count) if worlds is None else worlds.tolist():
                # some environments scale their actions in place
                with self._random[world].lent(every=bool(self._first[world])):
                    found = self._envs[world].step(actions[world].copy())
                self._first[world] = False
                for way, value in leaves(found[0]).items():
                    observed[way][world] = value
                reward[world] = self._reward(found[1])
                terminated[world], truncated[world] = found[2:4]
                for name, value in found[4].items():
                    add_info(info, name, value, world, count)
        return Steps(observed, reward, terminated, truncated, info)

    def _reward(self, value: Any) -> np.ndarray:
        """A reward in the shape that the environment gives.

        Raises:
            ValueError: it is of another shape.
        """
        found, shape = np.asarray(value), self.reward_shape
        if found.size != int(np.prod(shape)):
            raise ValueError(
                f"step: {self._name} returned a reward of shape {found.shape}, expected {shape}, "
                "the shape of its reward_space"
            )
        return found.reshape(shape)
