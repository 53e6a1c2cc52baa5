"""TorchRL on vector environments of mjenv, without copies: `TorchRLEnv("Go1Velocity-v0", 1024)`.

Needs TorchRL: pip install torchrl.
"""

from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode

from mjenv.system.packages import needed
from mjenv.worlds import Worlds

with needed("mjenv.torchrl"):
    import torch
    from tensordict import TensorDict  # pyright: ignore[reportMissingImports]
    from torchrl.data import (  # pyright: ignore[reportMissingImports]
        Bounded,
        Categorical,
        Composite,
        Unbounded,
    )
    from torchrl.envs import EnvBase  # pyright: ignore[reportMissingImports]


class TorchRLEnv(EnvBase):
    """Worlds with TorchRL's interface: tensors that share memory with the environment's arrays.

    Observations are under "observation", or under the names of the task's groups. Worlds whose
    episode has ended wait until they are reset, as TorchRL does it.

    Attributes:
        worlds: the worlds.
    """

    def __init__(self, env: Any, num_envs: int | None = None, **arguments: Any):
        """Make the environment, or take one.

        Args:
            env: its name, or a vector environment with `autoreset_mode="Disabled"`, as of
                `mjenv.worlds.Worlds`.
            num_envs: how many worlds, where it is a name.
            **arguments: of `gymnasium.make_vec`.
        """
        self.worlds = worlds = Worlds(env, num_envs, AutoresetMode.DISABLED, **arguments)
        shape = torch.Size([worlds.num_envs])
        super().__init__(device=torch.device("cpu"), batch_size=shape)
        spaces: Any = worlds.observation_space
        parts = {name: spaces[name] for name in worlds.groups} or {"observation": spaces}
        self.observation_spec = Composite(
            {name: Unbounded((*shape, *part.shape)) for name, part in parts.items()}, shape=shape
        )
        low, high = (
            torch.from_numpy(np.broadcast_to(limit, (*shape, len(limit))).astype(np.float32))
            for limit in (worlds.action_space.low, worlds.action_space.high)
        )
        self.action_spec = Bounded(low, high)
        self.reward_spec = Unbounded((*shape, 1))
        flag = Categorical(2, shape=(*shape, 1), dtype=torch.bool)
        self.done_spec = Composite(
            {name: flag.clone() for name in ("done", "terminated", "truncated")}, shape=shape
        )
        self._given: int | None = None

    def _set_seed(self, seed: int | None) -> None:
        self._given = seed

    def _reset(self, tensordict: Any = None, **options: Any) -> Any:
        mask = None if tensordict is None else tensordict.get("_reset", None)
        chosen = {} if mask is None else {"reset_mask": mask.reshape(-1).numpy()}
        observations = self.worlds.envs.reset(seed=self._given, options=chosen or None)[0]
        self._given = None
        return self._tensors(observations)

    def _step(self, tensordict: Any) -> Any:
        transition = self.worlds.step(tensordict.get("action").detach().numpy())
        found = self._tensors(transition.observation)
        terminated, truncated = transition.terminated, transition.truncated
        ends = {"terminated": terminated, "truncated": truncated, "done": terminated | truncated}
        for name, array in {"reward": transition.reward, **ends}.items():
            found.set(name, torch.from_numpy(array[:, None]))
        return found

    def _tensors(self, observations: Any) -> Any:
        groups = observations if self.worlds.groups else {"observation": observations}
        parts = {name: torch.from_numpy(np.asarray(array)) for name, array in groups.items()}
        return TensorDict(parts, batch_size=self.batch_size)

    def close(self, **arguments: Any) -> None:
        """Close the environment."""
        self.worlds.close()
        super().close(**arguments)
