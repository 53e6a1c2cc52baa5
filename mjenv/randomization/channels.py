"""Channels between a policy and the physics: noise, delays and histories."""

from collections.abc import Sequence
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from mjenv.engine.errors import nearest
from mjenv.randomization.counters import Counters, Draws
from mjenv.randomization.distributions import changed, check_distribution, without_effect

# what an environment has to do about its observation
SEEN, STEPPED, STARTED = range(3)


class Channel(NamedTuple):
    """Noise, delay and history of observations, or delay and history of actions.

    Attributes:
        noise: a distribution, drawn at every step for every number; for observations, also a dict
            of parts of the observation and their distributions.
        delay: steps of the environment by which they come late: a number, or (low, high), both
            included, to draw it for every episode.
        history: how many of them are observed: the last observations one after the other, the
            oldest first; behind them, the last actions as the policy gave them.
    """

    noise: Any = None
    delay: int | tuple[int, int] = 0
    history: int = 0


class ObservationChannel:
    """Observations of all worlds, with noise, late, and several at once.

    Attributes:
        size: numbers in what is observed, without actions.
        state: arrays with a row per world that what comes next depends on.
    """

    def __init__(self, channel: Channel, structure: dict[str, int], nworld: int):
        """Allocate the past.

        Args:
            channel: what is to be done.
            structure: size of each part of the observation.
            nworld: number of worlds.
        """
        self._noise = _noises("observation", channel.noise, structure)
        self._delays = _delays("observation", channel.delay)
        self._history = max(1, _history("observation", channel.history))
        size = sum(structure.values())
        self.size = size * self._history
        self._frames = np.zeros((nworld, self._history + self._delays[1], size))
        self.delay = np.zeros(nworld, np.int64)
        self._duty = np.full(nworld, SEEN, np.int64)
        self.state = [self._frames, self.delay, self._duty]

    def start(self, rng: Draws) -> None:
        """Episodes start in the worlds of `rng`."""
        self.delay[rng.worlds] = _delay(rng, self._delays)
        self._duty[rng.worlds] = STARTED

    def stepped(self, mask: np.ndarray | None) -> None:
        """The worlds of the mask have taken a step; None means all."""
        self._duty[... if mask is None else mask] = STEPPED

    def restart(self) -> None:
        """Forget the past of all worlds."""
        self._duty[:] = STARTED

    def observe(self, frames: np.ndarray, worlds: np.ndarray, counters: Counters) -> np.ndarray:
        """Observations of worlds (n, size); a step's observation becomes part of the history.

        Args:
            frames: the present observations (n, ...), without noise.
            worlds: numbers of the worlds.
            counters: their random numbers.
        """
        # the first look after a step moves the past on; a second one sees the same
        duty = self._duty[worlds]
        new = np.flatnonzero(duty)
        if len(new):
            rows, past = worlds[new], self._frames
            here = frames if len(new) == len(worlds) else frames[new]
            present = _noisy(self._noise, here, Draws(counters, rows))
            if past.shape[1] > 1:
                past[rows, :-1] = past[rows, 1:]
            past[rows, -1] = present
            # at the start of an episode there is no past: it is all like now
            begun = duty[new] == STARTED
            if past.shape[1] > 1 and begun.any():
                past[rows[begun]] = present[begun][:, None]
            self._duty[rows] = SEEN
        # frames by their age, delayed
        if self._frames.shape[1] == 1:
            return self._frames[worlds, 0]
        back = np.arange(self._history)[::-1] + self.delay[worlds][:, None]
        seen = self._frames[worlds[:, None], self._frames.shape[1] - 1 - back]
        return seen.reshape(len(worlds), self.size)


class ActionChannel:
    """Actions of all worlds, with noise and late.

    Attributes:
        size: numbers of past actions in what is observed.
        state: arrays with a row per world that what comes next depends on.
    """

    def __init__(self, channel: Channel, names: Sequence[str], nworld: int):
        """Allocate the past.

        Args:
            channel: what is to be done.
            names: names of the actuators.
            nworld: number of worlds.
        """
        noise, self._names = channel.noise, list(names)
        if isinstance(noise, dict):
            raise TypeError(
                "randomization: 'action': noise is a dict, expected one distribution; name "
                "actuators in its of=(...)"
            )
        self._noise = _noises("action", noise, {"action": len(names)}, self._names)
        self._delays = _delays("action", channel.delay)
        self._history = _history("action", channel.history)
        self.size = len(names) * self._history
        depth = max(1, self._delays[1] + 1, self._history)
        self._frames = np.zeros((nworld, depth, len(names)))
        self.delay = np.zeros(nworld, np.int64)
        self.state = [self._frames, self.delay]

    def start(self, rng: Draws) -> None:
        """Episodes start in the worlds of `rng`: no action was given, controls are zero."""
        self.delay[rng.worlds] = _delay(rng, self._delays)
        self._frames[rng.worlds] = 0.0

    def act(self, actions: np.ndarray, worlds: np.ndarray, counters: Counters) -> np.ndarray:
        """Controls (n, nu) that reach the actuators of worlds whose policy gives these actions."""
        past = self._frames
        if past.shape[1] > 1:
            past[worlds, :-1] = past[worlds, 1:]
        past[worlds, -1] = actions
        arrived = past[worlds, past.shape[1] - 1 - self.delay[worlds]]
        return _noisy(self._noise, arrived, Draws(counters, worlds))

    def observe(self, worlds: np.ndarray) -> np.ndarray:
        """The last actions (n, size) of worlds, the oldest first."""
        first = self._frames.shape[1] - self._history
        return self._frames[worlds, first:].reshape(len(worlds), self.size)


def check_channel(name: str, channel: Any) -> Channel:
    """The channel, if it is one.

    Raises:
        TypeError: otherwise.
    """
    if not isinstance(channel, Channel):
        raise TypeError(
            f"randomization: {name!r} is {channel!r}, expected "
            "mjenv.Channel(noise=..., delay=..., history=...)"
        )
    return channel


def _noises(
    where: str, noise: Any, structure: dict[str, int], names: list[str] | None = None
) -> list[tuple[Any, int, Any]]:
    """Columns, how many these are, and the distribution of their noise."""
    # columns of each part; one distribution may be meant for the whole observation
    starts = np.cumsum([0, *structure.values()])
    columns = {
        name: np.arange(start, start + size)
        for (name, size), start in zip(structure.items(), starts[:-1], strict=True)
    }
    if noise is None:
        return []
    if not isinstance(noise, dict):
        columns, noise = {"noise": np.arange(starts[-1])}, {"noise": noise}
    found = []
    for part, kind in noise.items():
        place = f"randomization: {where!r}: noise of {part!r}"
        if part not in columns:
            raise ValueError(
                f"randomization: {where!r}: noise of {part!r}, expected one of "
                f"{list(columns)}, the parts of the observation{nearest(str(part), columns)}"
            )
        # a distribution, drawn at each step for all of its elements
        check_distribution(place, kind)
        if kind.when != "reset":
            raise ValueError(f"{place}: when={kind.when!r}, expected none: noise comes every step")
        without_effect(place, kind, axes=None)
        # some elements only, by their names
        chosen = columns[part]
        if kind.of is not None:
            unknown = [one for one in kind.of if one not in (names or ())]
            if unknown:
                known = f"of {names}" if names else "no names; name a part of the observation"
                raise ValueError(f"{place}: of={kind.of!r}, expected {known}")
            chosen = np.array([(names or []).index(one) for one in kind.of])
        # a slice where columns are together, which is a view
        first, count = int(chosen[0]), len(chosen)
        together = np.array_equal(chosen, np.arange(first, first + count))
        found.append((slice(first, first + count) if together else chosen, count, kind))
    return found


def _noisy(noises: list, frames: np.ndarray, rng: Draws) -> np.ndarray:
    """Frames (n, size) with noise, as a copy."""
    frames = np.array(frames, np.float64)
    for columns, count, kind in noises:
        numbers = kind.draw(rng, count if kind.each else 1)
        frames[:, columns] = changed(frames[:, columns], numbers, kind, "add")
    return frames


def _delays(name: str, delay: Any) -> tuple[int, int]:
    """Shortest and longest delay, checked."""
    limits: Any = (delay, delay) if isinstance(delay, Integral) else delay
    right = isinstance(limits, tuple | list) and len(limits) == 2
    if not (right and all(isinstance(x, Integral) for x in limits) and 0 <= limits[0] <= limits[1]):
        raise ValueError(
            f"randomization: {name!r}: delay={delay!r}, expected a number of steps or (low, high), "
            "not negative"
        )
    return int(limits[0]), int(limits[1])


def _delay(rng: Draws, limits: tuple[int, int]) -> Any:
    return limits[0] if limits[0] == limits[1] else rng.integers(*limits)


def _history(name: str, history: Any) -> int:
    if not isinstance(history, Integral) or history < 0:
        raise ValueError(
            f"randomization: {name!r}: history={history!r}, expected how many of them, 0 or more"
        )
    return int(history)
