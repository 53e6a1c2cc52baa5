"""skrl on vector environments of mjenv: `SkrlEnv("Go1Velocity-v0", 1024)`.

Needs skrl and PyTorch: pip install skrl.
"""

from typing import Any

import numpy as np

from mjenv.system.packages import needed
from mjenv.worlds import Worlds

with needed("mjenv.skrl"):
    import torch
    from skrl.envs.wrappers.torch import Wrapper  # pyright: ignore[reportMissingImports]

# by which names groups are found, as skrl does it with those of Isaac Lab
POLICY, CRITIC = ("policy", "actor", "state"), ("critic", "privileged_state")


class SkrlEnv(Wrapper):
    """Worlds with skrl's interface: tensors on the processor that share memory with numpy.

    Of a task with groups, observations are those of the policy, and `state` those of the critic.

    Attributes:
        worlds: the worlds.
    """

    def __init__(self, env: Any, num_envs: int | None = None, seed: int = 0, **arguments: Any):
        """Make the environment, or take one.

        Args:
            env: its name, or a vector environment; see `mjenv.worlds.Worlds`.
            num_envs: how many worlds, where it is a name.
            seed: of the first world.
            **arguments: of `gymnasium.make_vec`.

        Raises:
            ValueError: the task has groups, none of them the policy's.
        """
        self.worlds, self._seed = Worlds(env, num_envs, **arguments), seed
        super().__init__(self.worlds.envs)
        self._device = torch.device("cpu")
        groups = self.worlds.groups
        self._policy, self._critic = (
            next((name for name in names if name in groups), "") for names in (POLICY, CRITIC)
        )
        if groups and not self._policy:
            raise ValueError(f"SkrlEnv: found groups {groups}, expected one of {POLICY}")
        self._begun = False
        self._seen: Any = None
        self._state: Any = None

    @property
    def num_envs(self) -> int:
        """Number of worlds."""
        return self.worlds.num_envs

    @property
    def observation_space(self) -> Any:
        """Space of the policy's observations of one world."""
        space: Any = self.worlds.observation_space
        return space[self._policy] if self._policy else space

    @property
    def state_space(self) -> Any:
        """Space of the critic's observations of one world; None if they are the policy's."""
        space: Any = self.worlds.observation_space
        return space[self._critic] if self._critic else None

    @property
    def action_space(self) -> Any:
        """Space of the actions of one world."""
        return self.worlds.action_space

    def reset(self) -> tuple["torch.Tensor", dict[str, Any]]:
        """Start episodes, at the first call; later ones have begun by themselves."""
        if not self._begun:
            self._take(self.worlds.reset(self._seed))
            self._begun = True
        return self._seen, {}

    def step(self, actions: "torch.Tensor") -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Advance all worlds.

        Args:
            actions: (n, nu), clipped to their range.

        Returns:
            Observations (n, size), rewards, terminations and truncations (n, 1), and infos.
        """
        transition = self.worlds.step(actions.detach().cpu().numpy())
        self._take(transition.observation)
        rewards, terminated, truncated = (
            torch.from_numpy(column[:, None])
            for column in (transition.reward, transition.terminated, transition.truncated)
        )
        return self._seen, rewards, terminated, truncated, {}

    def state(self) -> Any:
        """Observations of the critic, (n, size), or None."""
        return self._state

    def render(self, *args: Any, **kwargs: Any) -> Any:
        """Pictures, as `render_mode` says."""
        return self.worlds.envs.render()

    def close(self) -> None:
        """Close the environment."""
        self.worlds.close()

    def _take(self, observations: Any) -> None:
        seen = observations[self._policy] if self._policy else observations
        self._seen = torch.from_numpy(np.ascontiguousarray(seen))
        if self._critic:
            self._state = torch.from_numpy(np.ascontiguousarray(observations[self._critic]))
