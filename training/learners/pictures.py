"""Transitions whose observations are pictures: each picture is kept once, and moved when drawn."""

from typing import BinaryIO, NamedTuple

import numpy as np
import torch
from torch import Tensor

from mjenv.training.learners.elementwise import compiled
from mjenv.training.learners.step_ring import StepRing

# what changes from picture to picture counts twice: motions are smaller than what moves
CHANGES = 2.0


class Transitions(NamedTuple):
    """Some transitions, each over one or more steps of an episode.

    Attributes:
        pictures: (n, channels, height, width), see `as_seen`.
        states: (n, nstate).
        actions: (n, nact), of the first step.
        returns: (n, 1), discounted rewards of the steps.
        discounts: (n, 1), what the value of what follows counts; 0 where the episode has ended.
        next_pictures, next_states: after the steps.
    """

    pictures: Tensor
    states: Tensor
    actions: Tensor
    returns: Tensor
    discounts: Tensor
    next_pictures: Tensor
    next_states: Tensor


class Step(NamedTuple):
    """A step of all worlds.

    Attributes:
        pictures: (nworld, channels, height, width), uint8, before the step.
        states: (nworld, nstate), before the step.
        age: (nworld,), steps since the beginning of the episode.
        actions: (nworld, nact).
        rewards: (nworld,).
        ended: (nworld,), whether the episode has ended for good, not only been cut off.
    """

    pictures: np.ndarray
    states: np.ndarray
    age: np.ndarray
    actions: np.ndarray
    rewards: np.ndarray
    ended: np.ndarray


class PictureReplay(StepRing):
    """A ring of steps of all worlds.

    Attributes:
        steps: the ring: its arrays have an axis of steps before that of worlds.
        stack: how many pictures an observation is made of.
    """

    def __init__(self, buffer_size: int, example: Step, stack: int):
        """Room for `buffer_size` steps of the sizes of an example."""
        self.stack, self.buffer_size = stack, buffer_size
        self.steps = Step(*(np.zeros((buffer_size, *one.shape), one.dtype) for one in example))

    def add(self, step: Step) -> None:
        """Take in a step of all worlds."""
        at = self.taken % self.buffer_size
        for whole, part in zip(self.steps, step, strict=True):
            whole[at] = part
        self.taken += 1

    # in files

    @property
    def step_bytes(self) -> int:
        """Size in a file of a step of all worlds."""
        return sum(one.nbytes for one in self.steps) // self.buffer_size

    def _write_places(self, file: BinaryIO, first: int, last: int) -> None:
        for at in range(first, last):
            for one in self.steps:
                file.write(one[at].data)

    def _read_places(self, file: BinaryIO, first: int, last: int) -> None:
        for at in range(first, last):
            for one in self.steps:
                one[at] = np.fromfile(file, one.dtype, one[at].size).reshape(one[at].shape)

    # what is learned from

    def draw(
        self, n: int, ahead: int, gamma: float, shift: int, random: np.random.Generator
    ) -> Transitions:
        """Transitions from steps at random.

        Args:
            n: how many.
            ahead: how many steps each is of, where the episode does not end before.
            gamma: discount of a step.
            shift: pixels that pictures are moved by at most, each by its own number, so that they
                are not learned by heart; their borders go on.
            random: what chooses.
        """
        steps, (size, nworld) = self.steps, self.steps.age.shape
        first = max(0, self.taken - size) + self.stack - 1
        times = worlds = np.empty(0, np.int64)
        while len(times) < n:
            some = random.integers(first, self.taken - ahead, 2 * n)
            which = random.integers(0, nworld, 2 * n)
            # what follows an episode that was cut off is not known
            at, after = some % size, (some + 1) % size
            known = (steps.age[after, which] > steps.age[at, which]) | steps.ended[at, which]
            times = np.concatenate([times, some[known]])[:n]
            worlds = np.concatenate([worlds, which[known]])[:n]
        returns, discounts = np.empty((2, n), np.float32)
        last = times.copy()
        add_rewards(steps, times, worlds, ahead, gamma, returns, discounts, last)
        found = (
            *self._observed(times, worlds, shift, random),
            steps.actions[times % size, worlds],
            returns[:, None],
            discounts[:, None],
            *self._observed(last, worlds, shift, random),
        )
        return Transitions(*(torch.from_numpy(one) for one in found))

    def _observed(
        self, times: np.ndarray, worlds: np.ndarray, shift: int, random: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """Moved pictures, as they are seen, and states."""
        _, _, channels, height, width = self.steps.pictures.shape
        moves = random.integers(-shift, shift + 1, (len(times), 2))
        found = np.empty((len(times), self.stack * channels, height, width), np.float32)
        put_moved(self.steps, times, worlds, moves, found)
        states = self.steps.states[times % len(self.steps.age), worlds]
        return as_seen(found, channels), states


def as_seen(stacked: np.ndarray, channels: int) -> np.ndarray:
    """Put into the place of all pictures but the newest what changes from each to the next.

    Args:
        stacked: pictures (n, stack * channels, height, width), float32, the newest last.
        channels: of each.
    """
    for k in range(0, stacked.shape[1] - channels, channels):
        one, other = stacked[:, k : k + channels], stacked[:, k + channels : k + 2 * channels]
        np.subtract(other, one, out=one)
        one *= CHANGES
    return stacked


@compiled
def add_rewards(
    steps: Step,
    times: np.ndarray,
    worlds: np.ndarray,
    ahead: int,
    gamma: float,
    returns: np.ndarray,
    discounts: np.ndarray,
    last: np.ndarray,
) -> None:
    """Sum rewards from some steps on, within their episodes; `last` are the steps that follow."""
    size = len(steps.age)
    for i in range(len(times)):
        world, total, weight, k = worlds[i], 0.0, 1.0, 0
        while k < ahead and weight > 0.0:
            at, after = (times[i] + k) % size, (times[i] + k + 1) % size
            if not steps.ended[at, world] and steps.age[after, world] <= steps.age[at, world]:
                break
            total += weight * steps.rewards[at, world]
            weight *= 0.0 if steps.ended[at, world] else gamma
            k += 1
        returns[i], discounts[i], last[i] = total, weight, times[i] + k


@compiled
def put_moved(
    steps: Step, times: np.ndarray, worlds: np.ndarray, moves: np.ndarray, found: np.ndarray
) -> None:
    """Put moved pictures of some steps, with those of the steps before, into `found`."""
    size, _, channels, height, width = steps.pictures.shape
    stack = found.shape[1] // channels
    scale, half = np.float32(1.0 / 255.0), np.float32(0.5)
    for i in range(len(times)):
        world, down, right = worlds[i], moves[i, 0], moves[i, 1]
        inside = max(0, -right), min(width, width - right)
        for k in range(stack):
            # before the first step of an episode the picture was the same
            back = min(stack - 1 - k, steps.age[times[i] % size, world])
            picture = steps.pictures[(times[i] - back) % size, world]
            for c in range(channels):
                for y in range(height):
                    row = picture[c, min(max(y + down, 0), height - 1)]
                    put = found[i, k * channels + c, y]
                    for x in range(inside[0]):
                        put[x] = np.float32(row[0]) * scale - half
                    for x in range(inside[0], inside[1]):
                        put[x] = np.float32(row[x + right]) * scale - half
                    for x in range(inside[1], width):
                        put[x] = np.float32(row[width - 1]) * scale - half
