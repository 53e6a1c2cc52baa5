"""Worker: steps worlds of its own with the policy that it is given; without Ray."""

import os
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn
from torch.nn.utils import parameters_to_vector, vector_to_parameters

from mjenv.gym import lookup
from mjenv.training.evaluate import make_envs
from mjenv.training.learners.mlp import network
from mjenv.training.learners.normalization import Cut, ObservationNormalizer
from mjenv.training.learners.ppo import WidePPO
from mjenv.training.learners.sampling import Sampler, exploration, shorten_first_episodes
from mjenv.training.tasks.rows import Rows
from mjenv.training.tasks.view import View


class Place(NamedTuple):
    """Settings of a worker.

    Attributes:
        number: of the worker, from 0.
        env_id: the environment.
        origin: where it is found; see `lookup.origin`.
        env_kwargs: its keyword arguments.
        view: `View.to_dict` of what is seen of its observations.
        num_envs: worlds of this worker.
        nthread: threads that step them.
        seed: of the training.
        spread: whether worlds end their first episodes one after the other.
    """

    number: int
    env_id: str
    origin: dict[str, Any] | None
    env_kwargs: dict[str, Any]
    view: dict[str, Any]
    num_envs: int
    nthread: int
    seed: int
    spread: bool = False


class Policy(NamedTuple):
    """Policy of a rollout.

    Attributes:
        parameters: of the network of actions, as one vector of float32.
        log_std: logarithm of the deviations of actions, (nact,) float32.
        normalizer: `ObservationNormalizer` before the rollout, as the arguments of its constructor.
        noise_correlation: of the noise of actions with that of the step before.
    """

    parameters: np.ndarray
    log_std: np.ndarray
    normalizer: tuple[np.ndarray, np.ndarray, float, bool]
    noise_correlation: float

    @classmethod
    def of(cls, algorithm: WidePPO, normalizer: ObservationNormalizer) -> "Policy":
        """The policy of an algorithm as it is now."""
        vector = parameters_to_vector(algorithm.actor.parameters()).detach().numpy()
        log_std = algorithm.policy.log_std.detach().numpy().copy()
        return cls(vector, log_std, normalizer.arguments, algorithm.noise_correlation)


@dataclass
class Part:
    """A worker's part of a rollout: arrays (n_steps, nworld, ...), as those of `Rollout`.

    Attributes:
        cut: steps, worlds and observations of episodes that were cut off, or None.
        episodes: step, world and summary of each episode that ended.
        sums, squares: of the normalized observations, (nobs,).
        physics: how long the worlds were stepped (s).
        state: of the worker behind it, for `Worker.restore`.
    """

    observations: np.ndarray
    actions: np.ndarray
    log_probs: np.ndarray
    rewards: np.ndarray
    ends: np.ndarray
    episode_starts: np.ndarray
    cut: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None
    episodes: list[tuple[int, int, dict[str, Any]]] = field(default_factory=list)
    sums: Any = None
    squares: Any = None
    physics: float = 0.0
    state: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def empty(cls, n_steps: int, num_envs: int, nobs: int, nact: int) -> "Part":
        """Room for so many steps."""
        shape = (n_steps, num_envs)
        return cls(
            observations=np.empty((*shape, nobs), np.float32),
            actions=np.empty((*shape, nact), np.float32),
            log_probs=np.empty(shape, np.float32),
            rewards=np.empty(shape, np.float32),
            ends=np.empty(shape, bool),
            episode_starts=np.empty(shape, bool),
        )


class Worker:
    """Worlds and a policy, in a process of their own.

    A rollout depends on the state behind the one before, the policy, and the number of steps that
    came before; not on which process has them.
    """

    def __init__(self, place: Place, actor: nn.Sequential):
        """Make the worlds.

        Args:
            place: what it is to be.
            actor: network of the policy; its parameters come with each rollout.
        """
        torch.set_num_threads(1)
        self._place, self._actor = place, actor
        env_id = lookup.find_again(place.env_id, place.origin)
        how: dict[str, Any] = {"observation_dtype": np.float32, "copy": False}
        how["nthread"] = place.nthread
        self._worlds = make_envs(env_id, place.num_envs, place.env_kwargs, **how)
        if place.view:
            self._worlds = Rows(self._worlds.envs, View.from_dict(place.view))
        self._sampler = Sampler(self._worlds, network(actor))
        spaces: Any = self._worlds.observation_space, self._worlds.action_space
        self._sizes = [int(np.prod(space.shape)) for space in spaces]

    def reset(self, seed: int | None) -> dict[str, Any]:
        """Start an episode in every world, with seeds from `seed` on; the state then."""
        self._worlds.seed(seed)
        raw: Any = self._worlds.reset()
        self._sampler.begin(raw, np.ones(self._place.num_envs, bool))
        if self._place.spread:
            shorten_first_episodes(self._worlds, self._generator())
        return self.state()

    def state(self) -> dict[str, Any]:
        """State for the next rollouts: worlds, and the last `observations` and `starts`."""
        sampler = self._sampler
        last = {"observations": np.array(sampler.raw), "starts": np.array(sampler.starts)}
        return {**last, "worlds": self._worlds.state()}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what `state` has returned, here or in another process."""
        self._worlds.set_state(state["worlds"])
        self._sampler.begin(state["observations"].copy(), state["starts"].copy())

    def sample(self, policy: Policy, n_steps: int, before: int) -> Part:
        """Step the worlds.

        Args:
            policy: what acts.
            n_steps: steps of each world.
            before: steps of the training so far, which the noise depends on.
        """
        parameters = torch.from_numpy(policy.parameters.copy())
        vector_to_parameters(parameters, self._actor.parameters())
        part = Part.empty(n_steps, self._place.num_envs, *self._sizes)
        normalizer, cut = ObservationNormalizer(*policy.normalizer), Cut()
        noise, log_std = self._noise(part, policy, before), torch.from_numpy(policy.log_std.copy())
        for step in self._sampler.run(part, noise, log_std, normalizer, cut):
            for i in step["dones"].nonzero()[0].tolist():
                part.episodes.append((step["t"], i, step["infos"][i]["episode"]))
        part.cut = cut.joined() if cut.times else None
        part.sums, part.squares, part.physics = (
            normalizer.sums,
            normalizer.squares,
            self._sampler.physics,
        )
        part.state = self.state()
        return part

    def process(self) -> int:
        """Number of its process."""
        return os.getpid()

    def _noise(self, part: Part, policy: Policy, before: int) -> torch.Tensor:
        """The exploration of a rollout, by seed, worker and steps before."""
        correlation, shape = policy.noise_correlation, part.actions.shape
        return exploration(shape, correlation, self._generator(before))

    def _generator(self, *words: int) -> torch.Generator:
        """Random numbers of this worker and of what else is told."""
        sequence = np.random.SeedSequence((self._place.seed, self._place.number, *words))
        generator = torch.Generator()
        generator.manual_seed(int(sequence.generate_state(1, np.uint64)[0] >> np.uint64(1)))
        return generator
