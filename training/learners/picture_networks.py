"""Networks of an agent that sees pictures: its actions, and the values of states that teach it."""

from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3.common.policies import BasePolicy
from torch import Tensor, nn

from mjenv.training.learners.pictures import as_seen

PIXELS, STATE = "pixels", "state"  # what observations consist of
LEAST_DEVIATION = 1e-2  # of states: what hardly changes stays small


def encoder(channels: int) -> nn.Sequential:
    """Numbers of pictures: of patches, then of convolutions that halve them twice."""
    return nn.Sequential(
        nn.Conv2d(channels, 32, 4, stride=4), nn.ReLU(),
        nn.Conv2d(32, 32, 3, stride=2, padding=1), nn.ReLU(),
        nn.Conv2d(32, 32, 3, stride=2, padding=1), nn.ReLU(),
        nn.Flatten(),
    )  # fmt: skip


def perceptron(nin: int, hidden: tuple[int, ...], nout: int) -> nn.Sequential:
    """Hidden layers, normalized, and one without."""
    layers: list[nn.Module] = []
    for width in hidden:
        layers += [nn.Linear(nin, width), nn.LayerNorm(width), nn.ReLU()]
        nin = width
    return nn.Sequential(*layers, nn.Linear(nin, nout))


class Actor(nn.Module):
    """Actions from -1 to 1, and what it takes the state to be."""

    def __init__(self, pictures: tuple[int, ...], nstate: int, nact: int, features: int,
                 hidden: tuple[int, ...]):  # fmt: skip
        """For pictures of a shape (channels, height, width).

        Raises:
            ValueError: these are too small.
        """
        super().__init__()
        if min(pictures[1:]) < 4:
            raise ValueError(
                f"pixels: found {pictures[1]} x {pictures[2]}, expected 4 x 4 at least"
            )
        self.encoder = encoder(pictures[0])
        with torch.no_grad():
            encoded = self.encoder(torch.zeros(1, *pictures)).shape[1]
        self.trunk = nn.Sequential(nn.Linear(encoded, features), nn.LayerNorm(features), nn.Tanh())
        self.layers = perceptron(features, hidden, nact)
        self.guess = nn.Linear(features, nstate)

    def forward(self, pictures: Tensor) -> tuple[Tensor, Tensor]:
        """Actions (n, nact) and states (n, nstate) for pictures (n, channels, height, width)."""
        seen = self.trunk(self.encoder(pictures))
        return torch.tanh(self.layers(seen)), self.guess(seen)


class Critic(nn.Module):
    """Two values of an action in a state."""

    def __init__(self, nstate: int, nact: int, hidden: tuple[int, ...]):
        """Of so many numbers."""
        super().__init__()
        self.values = nn.ModuleList(perceptron(nstate + nact, hidden, 1) for _ in range(2))

    def forward(self, states: Tensor, actions: Tensor) -> Tensor:
        """Values (2, n, 1) of actions (n, nact) in states (n, nstate)."""
        both = torch.cat([states, actions], dim=1)
        return torch.stack([one(both) for one in self.values])


class PicturePolicy(BasePolicy):
    """Acts by pictures; has the values that teach it beside, with their optimizers.

    Attributes:
        actor, critic, target: the networks; `target` follows `critic`.
        mean, scale: of states, (nstate,): they are brought to mean 0 and deviation 1.
    """

    observation_space: spaces.Dict
    action_space: spaces.Box
    mean: Tensor
    scale: Tensor

    def __init__(
        self,
        observation_space: spaces.Dict,
        action_space: spaces.Box,
        lr_schedule: Any,
        channels: int = 1,
        features: int = 64,
        net_arch: Any = (256, 256),
    ):
        """Untrained.

        Args:
            observation_space: "pixels", (pictures * channels, height, width), and "state".
            action_space: a vector.
            lr_schedule: learning rate over what is left of the training, from 1 to 0.
            channels: of each picture.
            features: numbers that what is seen becomes.
            net_arch: widths of the hidden layers.
        """
        super().__init__(observation_space, action_space, squash_output=True)
        self.channels, hidden = channels, tuple(net_arch)
        pictures: Any = observation_space[PIXELS].shape
        state: Any = observation_space[STATE].shape
        nstate, nact = state[0], action_space.shape[0]
        self.actor = Actor(pictures, nstate, nact, features, hidden)
        self.critic, self.target = (Critic(nstate, nact, hidden) for _ in range(2))
        for module in (self.actor, self.critic):
            for layer in module.modules():
                if isinstance(layer, nn.Linear | nn.Conv2d):
                    nn.init.orthogonal_(layer.weight)
        self.target.load_state_dict(self.critic.state_dict())
        for name, values in (("mean", torch.zeros(nstate)), ("scale", torch.ones(nstate))):
            self.register_buffer(name, values)
        rate = lr_schedule(1.0)
        self.by_values = torch.optim.Adam(self.critic.parameters(), lr=rate, fused=True)
        self.by_policy = torch.optim.Adam(self.actor.parameters(), lr=rate, fused=True)

    def scale_states(self, states: np.ndarray) -> None:
        """Have states like these, (n, nstate), brought to mean 0 and deviation 1."""
        self.mean.copy_(torch.from_numpy(states.mean(0)))
        self.scale.copy_(torch.from_numpy(1.0 / (states.std(0) + LEAST_DEVIATION)))

    @torch.no_grad()
    def acts(self, pictures: np.ndarray) -> np.ndarray:
        """Actions (n, nact), from -1 to 1, for pictures (n, channels, height, width) uint8."""
        return self.actor(torch.from_numpy(as_floats(pictures, self.channels)))[0].numpy()

    def _predict(self, observation: Any, deterministic: bool = False) -> Tensor:
        """The same for a dict of tensors, as Stable-Baselines3 asks for it."""
        return torch.from_numpy(self.acts(observation[PIXELS].numpy()))


def as_floats(pictures: np.ndarray, channels: int) -> np.ndarray:
    """What a network sees of pictures (n, stack * channels, height, width) uint8."""
    return as_seen(pictures.astype(np.float32) / np.float32(255.0) - np.float32(0.5), channels)
