"""Control from pictures: a policy that sees nothing else, taught by values of the worlds' states.

The recipe is that of Yarats et al., Mastering Visual Continuous Control: Improved Data-Augmented
Reinforcement Learning (DrQ-v2, 2021): pictures moved at random, returns of several steps, the least
of two values, a deterministic policy. What is different is what a simulator makes possible. Values
are of states, which only a training needs (Pinto et al., Asymmetric Actor Critic for Image-Based
Robot Learning, 2018), and the encoder learns to tell the state beside. Patches that do not overlap
take a seventeenth of the time of four convolutions. And each world explores by a noise of its own
(Li et al., Parallel Q-Learning, 2023).
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from mjenv.training.learners.pictures import PictureReplay

LEAST_DEVIATION = 1e-2  # of states: what hardly changes stays small


@dataclass(frozen=True)
class PictureSettings:
    """Settings of the learner.

    Attributes:
        num_envs: worlds that step together.
        size: height and width of the pictures (pixels).
        grey: whether they are grey rather than coloured.
        camera: number or name of the camera; None for the environment's own.
        action_repeat: steps of the environment under each action.
        stack: pictures of an observation.
        buffer_size: transitions that are kept.
        learning_starts: transitions of random actions before it learns.
        updates: gradient steps after each action of all worlds.
        batch_size: transitions of a gradient step.
        ahead: actions whose rewards are summed before a value stands for what follows.
        gamma: discount of an action.
        learning_rate: of Adam, at the start; it falls linearly to zero.
        tau: part of the way that the target values go to the others in each gradient step.
        shift: pixels that pictures are moved by at most.
        least_noise, most_noise: deviation of the actions of the first and the last world.
        target_noise: that of the actions of targets, which is cut off at 0.3.
        features: numbers that an observation becomes.
        hidden: width of the layers.
    """

    num_envs: int = 16
    size: int = 64
    grey: bool = True
    camera: int | str | None = 0
    action_repeat: int = 2
    stack: int = 3
    buffer_size: int = 200_000
    learning_starts: int = 2_000
    updates: int = 1
    batch_size: int = 128
    ahead: int = 3
    gamma: float = 0.99
    learning_rate: float = 1e-3
    tau: float = 0.01
    shift: int = 1
    least_noise: float = 0.1
    most_noise: float = 0.8
    target_noise: float = 0.2
    features: int = 64
    hidden: int = 256


def encoder(channels: int) -> nn.Sequential:
    """Numbers of pictures: of patches, then of convolutions that halve them twice."""
    return nn.Sequential(
        nn.Conv2d(channels, 32, 4, stride=4), nn.ReLU(),
        nn.Conv2d(32, 32, 3, stride=2, padding=1), nn.ReLU(),
        nn.Conv2d(32, 32, 3, stride=2, padding=1), nn.ReLU(),
        nn.Flatten(),
    )  # fmt: skip


def perceptron(nin: int, hidden: int, nout: int) -> nn.Sequential:
    """Two hidden layers, normalized."""
    return nn.Sequential(
        nn.Linear(nin, hidden), nn.LayerNorm(hidden), nn.ReLU(),
        nn.Linear(hidden, hidden), nn.LayerNorm(hidden), nn.ReLU(),
        nn.Linear(hidden, nout),
    )  # fmt: skip


class Actor(nn.Module):
    """Actions from -1 to 1, and what it takes the state to be."""

    def __init__(self, nstate: int, nact: int, settings: PictureSettings):
        """Of the settings' pictures."""
        super().__init__()
        channels = settings.stack * (1 if settings.grey else 3)
        self.encoder = encoder(channels)
        with torch.no_grad():
            example = torch.zeros(1, channels, settings.size, settings.size)
            encoded = self.encoder(example).shape[1]
        features = settings.features
        self.trunk = nn.Sequential(nn.Linear(encoded, features), nn.LayerNorm(features), nn.Tanh())
        self.layers = perceptron(features, settings.hidden, nact)
        self.guess = nn.Linear(features, nstate)

    def forward(self, pictures: Tensor) -> tuple[Tensor, Tensor]:
        """Actions (n, nact) and states (n, nstate) for pictures (n, channels, height, width)."""
        seen = self.trunk(self.encoder(pictures))
        return torch.tanh(self.layers(seen)), self.guess(seen)


class Critic(nn.Module):
    """Two values of an action in a state."""

    def __init__(self, nstate: int, nact: int, hidden: int):
        """Of so many numbers."""
        super().__init__()
        self.values = nn.ModuleList(perceptron(nstate + nact, hidden, 1) for _ in range(2))

    def forward(self, states: Tensor, actions: Tensor) -> Tensor:
        """Values (2, n, 1) of actions (n, nact) in states (n, nstate)."""
        both = torch.cat([states, actions], dim=1)
        return torch.stack([one(both) for one in self.values])


class PictureLearner:
    """The learner.

    Attributes:
        actor, critic, target: the networks; `target` follows `critic`.
    """

    def __init__(self, nstate: int, nact: int, settings: PictureSettings, seed: int = 0):
        """Untrained, for states and actions of so many numbers."""
        torch.manual_seed(seed)
        self.settings, self._random = settings, np.random.default_rng(seed)
        self.actor = Actor(nstate, nact, settings)
        self.critic, self.target = (Critic(nstate, nact, settings.hidden) for _ in range(2))
        for module in (self.actor, self.critic):
            for layer in module.modules():
                if isinstance(layer, nn.Linear | nn.Conv2d):
                    nn.init.orthogonal_(layer.weight)
        self.target.load_state_dict(self.critic.state_dict())
        self._mean, self._scale = torch.zeros(nstate), torch.ones(nstate)
        rate = settings.learning_rate
        self._by_values = torch.optim.Adam(self.critic.parameters(), lr=rate, fused=True)
        self._by_policy = torch.optim.Adam(self.actor.parameters(), lr=rate, fused=True)

    def scale_states(self, states: np.ndarray) -> None:
        """Have states like these, (n, nstate), brought to mean 0 and deviation 1."""
        self._mean = torch.from_numpy(states.mean(0))
        self._scale = torch.from_numpy(1.0 / (states.std(0) + LEAST_DEVIATION))

    @torch.no_grad()
    def act(self, pictures: np.ndarray, noise: np.ndarray | float = 0.0) -> np.ndarray:
        """Actions (n, nact) for pictures as they are seen, with noise of this deviation."""
        actions = self.actor(torch.from_numpy(pictures))[0].numpy()
        actions = actions + noise * self._random.standard_normal(actions.shape)
        return actions.clip(-1.0, 1.0).astype(np.float32)

    def update(self, steps: PictureReplay, left: float) -> None:
        """One step down the gradients of all networks; `left` is the part of the training to go."""
        settings = self.settings
        for optimizer in (self._by_values, self._by_policy):
            optimizer.param_groups[0]["lr"] = settings.learning_rate * left
        drawn = steps.draw(
            settings.batch_size, settings.ahead, settings.gamma, settings.shift, self._random
        )
        states = (drawn.states - self._mean) * self._scale
        # values, towards what follows
        with torch.no_grad():
            noise = torch.randn_like(drawn.actions).mul_(settings.target_noise).clamp_(-0.3, 0.3)
            next_actions = (self.actor(drawn.next_pictures)[0] + noise).clamp_(-1.0, 1.0)
            next_states = (drawn.next_states - self._mean) * self._scale
            values = self.target(next_states, next_actions).amin(0)
            targets = drawn.returns + drawn.discounts * values
        errors = self.critic(states, drawn.actions) - targets
        self._by_values.zero_grad()
        errors.square().mean().backward()
        self._by_values.step()

        # the policy, towards higher ones
        self.critic.requires_grad_(False)
        actions, guessed = self.actor(drawn.pictures)
        value = self.critic(states, actions).amin(0).mean() / targets.abs().mean().clamp(min=1e-3)
        self._by_policy.zero_grad()
        (functional.mse_loss(guessed, states) - value).backward()
        self._by_policy.step()
        self.critic.requires_grad_(True)
        follow(self.target, self.critic, settings.tau)


@torch.no_grad()
def follow(target: nn.Module, network: nn.Module, tau: float) -> None:
    """Move the target's parameters a part `tau` of the way to the network's."""
    for one, other in zip(target.parameters(), network.parameters(), strict=True):
        one.lerp_(other, tau)
