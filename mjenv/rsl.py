"""rsl_rl on vector environments of mjenv, with the interface that mjlab's have.

`OnPolicyRunner(RslVecEnv("Go1Velocity-v0", 1024), config)`. Needs rsl_rl: pip install rsl-rl-lib.
"""

from typing import Any

import numpy as np

from mjenv.system.packages import needed
from mjenv.worlds import Returns, Worlds

with needed("mjenv.rsl"):
    import torch
    from rsl_rl.env import VecEnv  # pyright: ignore[reportMissingImports]
    from tensordict import TensorDict  # pyright: ignore[reportMissingImports]


class RslVecEnv(VecEnv):
    """Worlds with rsl_rl's interface: tensors on the processor that share memory with numpy.

    Observations are a TensorDict of the task's groups; those without groups are the group
    "policy". Worlds may be of several tasks, or of another package (`mjenv.port`). `time_outs`
    tells where an episode was only cut off, and `log` has the means of the terms of the reward of
    episodes that have ended, per second.

    Attributes:
        worlds: the worlds.
        num_envs: how many these are.
        num_actions: numbers of an action.
        max_episode_length: steps after which an episode is cut off, the most of any task.
        device: the processor.
        cfg: what the environment was made with, for logs.
    """

    def __init__(self, env: Any, num_envs: int | None = None, seed: int = 0, **arguments: Any):
        """Make the environment, or take one, and start its episodes.

        Args:
            env: its name, those of several, or a vector environment; see `mjenv.worlds.Worlds`.
            num_envs: how many worlds, where it is no vector environment.
            seed: of the first world.
            **arguments: of `gymnasium.make_vec`.

        Raises:
            ValueError: episodes are never cut off, which rsl_rl asks for.
        """
        self.worlds = Worlds(env, num_envs, **arguments)
        steps = self.worlds.max_episode_steps
        if steps is None:
            raise ValueError("RslVecEnv: max_episode_steps is None, expected a number")
        self.num_envs, self.max_episode_length = self.worlds.num_envs, steps
        self.num_actions = int(np.prod(self.worlds.action_space.shape))
        self.device = torch.device("cpu")
        self.cfg = {"env": str(env), "num_envs": self.num_envs, "seed": seed, **arguments}
        # as many steps as an episode of each world may have
        self._limits = self.worlds.limits
        self._returns = Returns(self.worlds, self._limits * self.worlds.seconds)
        self._seen = self._tensors(self.worlds.reset(seed))

    @property
    def unwrapped(self) -> Any:
        """The vector environment."""
        return self.worlds.envs.unwrapped

    @property
    def episode_length_buf(self) -> "torch.Tensor":
        """Steps of the present episodes, (n,); what is written to it counts.

        Numbers beyond a task's limit, which others may have, begin again from 0.
        """
        return torch.from_numpy(self.worlds.elapsed)

    @episode_length_buf.setter
    def episode_length_buf(self, value: "torch.Tensor") -> None:
        self.worlds.elapsed[:] = value.cpu().numpy() % self._limits

    def get_observations(self) -> "TensorDict":
        """Present observations."""
        return self._seen

    def reset(self) -> tuple["TensorDict", dict[str, Any]]:
        """Start all episodes anew."""
        self._seen = self._tensors(self.worlds.reset())
        return self._seen, {}

    def step(
        self, actions: "torch.Tensor"
    ) -> tuple["TensorDict", "torch.Tensor", "torch.Tensor", dict[str, Any]]:
        """Advance all worlds.

        Args:
            actions: (n, num_actions), clipped to their range.

        Returns:
            Observations, rewards (n,), ends of episodes (n,) as integers, and "time_outs" (n,)
            with "log".
        """
        transition = self.worlds.step(actions.detach().cpu().numpy())
        self._seen = self._tensors(transition.observation)
        ended, means = transition.terminated | transition.truncated, self._returns.add(transition)
        log = {f"Episode_Reward/{name}": mean for name, mean in means.items()}
        cut = transition.truncated & ~transition.terminated
        return (
            self._seen,
            torch.from_numpy(transition.reward),
            torch.from_numpy(ended.astype(np.int64)),
            {"time_outs": torch.from_numpy(cut), "log": log},
        )

    def close(self) -> None:
        """Close the environment."""
        self.worlds.close()

    def _tensors(self, observations: Any) -> "TensorDict":
        groups = observations if self.worlds.groups else {"policy": observations}
        parts = {name: torch.from_numpy(np.asarray(array)) for name, array in groups.items()}
        return TensorDict(parts, batch_size=[self.num_envs])
