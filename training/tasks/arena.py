"""Worlds in which a policy plays against itself, and against what it was before."""

import copy
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from gymnasium import spaces
from gymnasium.vector import VectorEnv
from stable_baselines3.common.vec_env import VecEnv
from torch import nn
from torch.nn.utils import parameters_to_vector, vector_to_parameters

from mjenv.training.learners.normalization import ObservationNormalizer
from mjenv.training.tasks.sides import Sides
from mjenv.training.tasks.view import View


class PolicySnapshot(NamedTuple):
    """A policy as it was.

    Attributes:
        parameters: of the network of actions, as one vector.
        std: deviations of actions, (nact,).
        mean: of observations, (nobs,).
        inverse: 1 over their deviations, (nobs,).
        limit: bound on normalized observations.
    """

    parameters: np.ndarray
    std: np.ndarray
    mean: np.ndarray
    inverse: np.ndarray
    limit: float

    @classmethod
    def of(
        cls, actor: nn.Module, log_std: torch.Tensor, normalizer: ObservationNormalizer
    ) -> "PolicySnapshot":
        """The policy as it is now."""
        mean, inverse, limit, _ = normalizer.arguments
        vector = parameters_to_vector(actor.parameters()).detach().numpy().copy()
        return cls(vector, log_std.detach().exp().numpy().copy(), mean, inverse, limit)


class Arena(VecEnv):
    """A row for each agent that the learner plays, in worlds of several agents.

    In some worlds it plays all of them. In the others it plays one, and an earlier self, drawn for
    each episode, plays the rest; their episodes are the ones that are told of, and success is to
    have earned more than the others.

    Attributes:
        envs: the vector environment.
        view: which agents the policy acts for.
        rivals: worlds in which an earlier self plays.
        pool: earlier selves, the latest ones.
    """

    def __init__(self, where: str, envs: VectorEnv, rivals: int, size: int, seed: int):
        """Of a vector environment.

        Args:
            where: the environment, for messages.
            envs: whose last worlds are those of earlier selves.
            rivals: how many these are.
            size: earlier selves that are remembered.
            seed: of their actions, and of who plays where.

        Raises:
            ValueError: the task has no agents, or different ones.
        """
        self.envs, self.rivals, self._sides = envs, rivals, Sides(where, envs)
        nagent, both = len(self._sides.names), envs.num_envs - rivals
        places = np.arange(rivals) % nagent
        self._agent = np.concatenate([np.tile(np.arange(nagent), both), places])
        self._world = np.concatenate([np.repeat(np.arange(both), nagent), both + np.arange(rivals)])
        box = spaces.Box(-np.inf, np.inf, (self._sides.nobs,), np.float32)
        super().__init__(len(self._world), box, self._sides.box())
        numbers = map(tuple, self._sides.actions.tolist())
        self.view = View(agents=tuple(zip(self._sides.names, numbers, strict=True)))

        # whom the others are: agents beside the learner's, in the last worlds
        others = np.array([[a for a in range(nagent) if a != own] for own in places], int)
        self._others = others.reshape(rivals, nagent - 1), np.arange(both, envs.num_envs)[:, None]
        self.pool: list[PolicySnapshot] = []
        self._networks: list[nn.Module] = []
        self._size, self._added, self._noted = size, 0, -1
        self._member = np.zeros(rivals, int)
        self._rng = np.random.default_rng((seed, 1))
        self._totals = np.zeros((nagent, envs.num_envs))
        self._lengths = np.zeros(envs.num_envs, np.int64)
        self._sums: list[dict[str, np.ndarray]] = []
        self._reset_seeds()

    # earlier selves

    def prepare(self, actor: nn.Module) -> None:
        """Say what networks of earlier selves are like."""
        self._actor = copy.deepcopy(actor)

    def add(self, snapshot: PolicySnapshot, steps: int) -> None:
        """Remember a policy, once for each number of steps; the oldest one may go."""
        if steps == self._noted:
            return
        self._noted, place = steps, self._added % self._size
        self.pool[place : place + 1] = [snapshot]
        self._networks[place : place + 1] = [self._network(snapshot)]
        self._added += 1

    def _network(self, snapshot: PolicySnapshot) -> nn.Module:
        made = copy.deepcopy(self._actor)
        vector_to_parameters(torch.from_numpy(snapshot.parameters.copy()), made.parameters())
        return made

    @torch.no_grad()
    def _replies(self, seen: np.ndarray) -> np.ndarray:
        """Actions (nrival, nother, nact) of earlier selves, of what they see (..., nobs)."""
        space: Any = self.action_space
        noise = self._rng.standard_normal((*seen.shape[:2], self._sides.nact)).astype(np.float32)
        actions = np.zeros_like(noise)
        for k, (snapshot, network) in enumerate(zip(self.pool, self._networks, strict=True)):
            mine = self._member == k
            if mine.any():
                x = np.clip(
                    (seen[mine] - snapshot.mean) * snapshot.inverse, -snapshot.limit, snapshot.limit
                )
                mean = network(torch.from_numpy(x.astype(np.float32))).numpy()
                actions[mine] = mean + snapshot.std * noise[mine]
        return np.clip(actions, space.low, space.high)

    # episodes

    def reset(self) -> np.ndarray:
        """Start an episode in every world."""
        seeds: Any = self._seeds if self._seeds[0] is not None else None
        self._reset_seeds()
        observations, _ = self.envs.reset(seed=seeds)
        self._totals[:], self._lengths[:] = 0.0, 0
        zeros = np.zeros(self.envs.num_envs)
        self._sums = [{name: zeros.copy() for name in one} for one in self._sides.terms]
        self._draw(np.arange(self.rivals))
        return self._rows(observations)

    def _reset_seeds(self) -> None:
        self._seeds = [None] * self.envs.num_envs

    def _draw(self, worlds: np.ndarray) -> None:
        """Draw the opponents of some of the worlds of earlier selves."""
        self._member[worlds] = self._rng.integers(max(len(self.pool), 1), size=len(worlds))

    def _rows(self, observations: Any) -> np.ndarray:
        """Observations of the learner's agents, (nrow, nobs); those of others are kept for them."""
        self._seen = self._sides.observations(observations)
        return self._seen[self._agent, self._world].astype(np.float32)

    def advance(
        self, actions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Step the worlds with the learner's actions (nrow, nact); see `NativeVecEnv`."""
        every = np.zeros((*self._totals.shape, self._sides.nact), np.float32)
        every[self._agent, self._world] = actions
        if self.rivals:
            every[self._others] = self._replies(self._seen[self._others])
        observations, _, terminated, truncated, infos = self.envs.step(self._sides.joined(every))

        # what everybody has earned
        ended = terminated | truncated
        earned = self._sides.earned(infos, ended)
        rewards = np.stack([sum(own.values(), np.zeros(len(ended))) for own in earned])
        self._totals += rewards
        self._lengths += 1
        for sums, own in zip(self._sums, earned, strict=True):
            for name, values in own.items():
                sums[name] += values

        # rows of the learner's agents
        results: dict[str, Any] = {}
        if ended.any():
            final = np.empty(self.num_envs, object)
            for row in ended[self._world].nonzero()[0]:
                last = infos["final_obs"][self._world[row]]
                final[row] = np.float32(last[self._sides.names[self._agent[row]]])
            results["final_obs"] = final
        rows = self._rows(observations), rewards[self._agent, self._world]
        return *rows, terminated[self._world], truncated[self._world], results

    def last_infos(
        self, infos: dict[str, Any], terminated: np.ndarray, truncated: np.ndarray
    ) -> list[dict[str, Any]]:
        """Of each row whose episode has just ended what training needs to know."""
        # worlds with rivals are the last ones; there only our own agents count
        made: list[dict[str, Any]] = [{}] * self.num_envs
        first = int(np.searchsorted(self._world, self.envs.num_envs - self.rivals))
        for row in (terminated | truncated).nonzero()[0].tolist():
            agent, world = self._agent[row], self._world[row]
            cut = bool(truncated[row] and not terminated[row])
            made[row] = {"terminal_observation": infos["final_obs"][row]}
            made[row]["TimeLimit.truncated"] = cut
            if row >= first or not self.rivals:
                terms = {name: float(sums[world]) for name, sums in self._sums[agent].items()}
                totals = self._totals[:, world]
                episode = {"r": float(totals[agent]), "l": int(self._lengths[world]), "t": 0.0}
                made[row]["episode"] = {**episode, "terms": terms}
                made[row]["is_success"] = bool(totals[agent] > np.delete(totals, agent).max())
        # sums of worlds that have ended begin anew, and their rivals are drawn
        ended = np.unique(self._world[terminated | truncated])
        self._totals[:, ended], self._lengths[ended] = 0.0, 0
        for sums in self._sums:
            for values in sums.values():
                values[ended] = 0.0
        both = self.envs.num_envs - self.rivals
        self._draw(ended[ended >= both] - both)
        return made

    # what a training needs to go on where it was

    def state(self) -> dict[str, Any]:
        """Everything that the next steps and episodes depend on."""
        envs: Any = self.envs.unwrapped
        return {
            "rows": envs.save_state(),
            "pool": [snapshot._asdict() for snapshot in self.pool],
            "counts": (self._added, self._noted),
            "member": self._member.copy(),
            "random": self._rng.bit_generator.state,
            "totals": self._totals.copy(),
            "lengths": self._lengths.copy(),
            "sums": [{name: values.copy() for name, values in one.items()} for one in self._sums],
        }

    def set_state(self, state: dict[str, Any]) -> np.ndarray:
        """Go on from what `state` has returned; returns observations."""
        envs: Any = self.envs.unwrapped
        self.reset()
        observations = self._rows(envs.restore_state(state["rows"]))
        self.pool = [PolicySnapshot(**one) for one in state["pool"]]
        self._networks = [self._network(snapshot) for snapshot in self.pool]
        self._added, self._noted = state["counts"]
        self._member[:] = state["member"]
        self._rng.bit_generator.state = state["random"]
        self._totals[:], self._lengths[:] = state["totals"], state["lengths"]
        self._sums = [
            {name: values.copy() for name, values in one.items()} for one in state["sums"]
        ]
        return observations

    # what else a `VecEnv` has

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """World i starts from seed + i at the next reset."""
        count = range(self.envs.num_envs)
        self._seeds = [None if seed is None else seed + i for i in count]
        return self._seeds

    def close(self) -> None:
        """Close the worlds."""
        self.envs.close()

    def step_async(self, actions: np.ndarray) -> None:
        raise TypeError("Arena.step_async: only SelfPlayPPO steps these worlds; use `.envs`")

    def step_wait(self) -> Any:
        raise TypeError("Arena.step_wait: only SelfPlayPPO steps these worlds; use `.envs`")

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        if attr_name == "render_mode":
            return [None] * self.num_envs
        raise AttributeError(f"Arena.{attr_name}: worlds have several agents; ask `.envs`")

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise AttributeError(f"Arena.{attr_name}: worlds have several agents; set it in `.envs`")

    def env_method(self, method_name: str, *values: Any, indices: Any = None, **named: Any) -> Any:
        raise AttributeError(f"Arena.{method_name}: worlds have several agents; call `.envs`")

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:
        # so that nobody puts a monitor around them
        return [True] * self.num_envs
