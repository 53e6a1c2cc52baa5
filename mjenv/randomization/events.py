"""Events during episodes: pushes, kicks, and other parameters."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mjenv.randomization.counters import Draws
from mjenv.randomization.distributions import (
    KINDS,
    Every,
    Normal,
    check_distribution,
    check_every,
    check_range,
    whole_steps,
    without_effect,
)
from mjenv.randomization.fields import dofs_of

if TYPE_CHECKING:
    from mjenv.engine.data.data import Data
    from mjenv.engine.model.model import Model


class Push(NamedTuple):
    """Forces and torques on bodies, at their centres of mass, for a while.

    Attributes:
        of: names of the bodies; each gets numbers of its own.
        force: (N) a distribution for each of x, y and z in the world, or a sequence of three
            distributions or numbers.
        torque: (N m) likewise.
        every: when it happens.
        duration: how long it lasts, a number or (low, high), in the unit of `every`.
        where: function of the physics as tasks see it, such as a check that nothing touches, to
            bool (...): worlds in which it may happen. The others wait, and are asked again after
            each step. None for all.
    """

    of: tuple[str, ...]
    force: Any = 0.0
    torque: Any = 0.0
    every: Every = Every(5.0, 10.0)
    duration: Any = 0.1
    where: Callable[[Any], Any] | None = None


class Kick(NamedTuple):
    """Velocity that is added at once to degrees of freedom.

    Attributes:
        of: names of the joints.
        velocity: (m/s, rad/s) a distribution for each degree of freedom, or a sequence of
            distributions or numbers, one for each.
        every: when it happens.
        where: in which worlds it may happen; see `Push`.
    """

    of: tuple[str, ...]
    velocity: Any
    every: Every = Every(5.0, 10.0)
    where: Callable[[Any], Any] | None = None


class PushEvent:
    """A push of all worlds.

    Attributes:
        every: when it happens.
        value: (nworld, nbody, 6) present force and torque on the bodies.
        state: arrays with a row per world that what comes next depends on.
    """

    def __init__(self, name: str, push: Push, model: "Model", nworld: int):
        where = f"randomization: {name!r}"
        self.every, self._unit = push.every, push.every.unit
        self.bodies = np.array([model.body(one).id for one in _names(where, push.of)])
        self._kinds = [
            *_components(f"{where}: force", push.force, 3),
            *_components(f"{where}: torque", push.torque, 3),
        ]
        if not any(isinstance(kind, KINDS) or kind for kind in self._kinds):
            raise ValueError(f"{where}: found no force and no torque, expected one of them")
        ends = push.duration if isinstance(push.duration, tuple | list) else (push.duration, None)
        if len(ends) != 2:
            raise ValueError(
                f"{where}: duration={push.duration!r}, expected a number or (low, high)"
            )
        check_range(f"{where}: duration", tuple(ends), self._unit)
        self._duration: tuple[float, float | None] = (ends[0], ends[1])
        self.value = np.zeros((nworld, len(self.bodies), 6))
        self._left = np.zeros(nworld, np.int64)
        self.state = [self.value, self._left]

    def start(self, worlds: np.ndarray) -> None:
        """Episodes start."""
        self.value[worlds] = 0.0
        self._left[worlds] = 0

    def lasts(self, worlds: np.ndarray) -> bool:
        """True if any of the worlds is being pushed."""
        return bool(self.value[worlds].any() or self._left[worlds].any())

    def finish(self, worlds: np.ndarray) -> None:
        """End the pushes whose time is over."""
        self.value[worlds[self._left[worlds] == 0]] = 0.0

    def happen(self, rng: Draws, data: "Data", dt: float) -> None:
        """Draw forces for the worlds of `rng`."""
        count = len(self.bodies)
        numbers = [_drawn(kind, rng, count) for kind in self._kinds]
        self.value[rng.worlds] = np.stack(numbers, axis=-1)
        self._left[rng.worlds] = whole_steps(rng, *self._duration, unit=self._unit, dt=dt)

    def pass_step(self, worlds: np.ndarray) -> None:
        """A step takes place."""
        self._left[worlds] = np.maximum(self._left[worlds] - 1, 0)


class KickEvent:
    """A kick of all worlds.

    Attributes:
        every: when it happens.
        value: (nworld, ndof) velocity of the last one in this episode.
        state: arrays with a row per world that what comes next depends on.
    """

    def __init__(self, name: str, kick: Kick, model: "Model", nworld: int):
        where = f"randomization: {name!r}"
        self.every = kick.every
        self._dofs = dofs_of(model, _names(where, kick.of))
        self._kinds = _components(f"{where}: velocity", kick.velocity, len(self._dofs))
        self.value = np.zeros((nworld, len(self._dofs)))
        self.state = [self.value]

    def start(self, worlds: np.ndarray) -> None:
        """Episodes start."""
        self.value[worlds] = 0.0

    def lasts(self, worlds: np.ndarray) -> bool:
        """Nothing lasts."""
        return False

    def finish(self, worlds: np.ndarray) -> None:
        """Nothing lasts."""

    def happen(self, rng: Draws, data: "Data", dt: float) -> None:
        """Change velocities of the worlds of `rng`."""
        numbers = [_drawn(kind, rng, 1) for kind in self._kinds]
        self.value[rng.worlds] = np.concatenate(numbers, axis=1)
        data.qvel[rng.worlds[:, None], self._dofs] += self.value[rng.worlds]

    def pass_step(self, worlds: np.ndarray) -> None:
        """Nothing lasts."""


EVENTS = {Push: PushEvent, Kick: KickEvent}


def make_event(name: str, kind: Any, model: "Model", nworld: int) -> Any:
    """The event of all worlds, checked.

    Raises:
        TypeError: if a part of it is of the wrong type.
        ValueError: if numbers are invalid.
        KeyError: if there is no such body or joint.
    """
    check_every(f"randomization: {name!r}", kind.every)
    if kind.where is not None and not callable(kind.where):
        raise TypeError(
            f"randomization: {name!r}: where={kind.where!r}, expected a function of the physics, "
            "such as lambda data: data.qpos[..., 2] > 0.5"
        )
    return EVENTS[type(kind)](name, kind, model, nworld)


def allowed(name: str, kind: Any, fields: Any, nworld: int) -> np.ndarray:
    """In which worlds an event may happen: bool (nworld,).

    Raises:
        TypeError: its function gives something else.
    """
    if kind.where is None:
        return np.ones(nworld, bool)
    found = np.atleast_1d(kind.where(fields))
    if found.dtype != np.bool_ or found.shape != (nworld,):
        raise TypeError(
            f"randomization: {name!r}: where gave {found.dtype} of shape {found.shape}, expected "
            f"bool for each of {nworld} worlds"
        )
    return found


def _names(where: str, of: Any) -> Sequence[str]:
    if isinstance(of, str) or not isinstance(of, tuple | list) or not of:
        hint = f"({of!r},)" if isinstance(of, str) else "(name, ...)"
        raise TypeError(f"{where}: of={of!r}, expected a tuple of names: {hint}")
    return of


def _components(where: str, given: Any, count: int) -> list[Any]:
    """A distribution or number for each component, checked."""
    one = isinstance(given, (*KINDS, int, float, np.number))
    kinds = [given] * count if one else given
    if not isinstance(kinds, tuple | list) or len(kinds) != count:
        raise ValueError(
            f"{where}: found {given!r}, expected a distribution, or {count} of them in a tuple"
        )
    for kind in kinds:
        if isinstance(kind, int | float | np.number):
            if not np.isfinite(kind):
                raise ValueError(f"{where}: found {given!r}, expected finite numbers")
        else:
            check_distribution(where, kind)
            how = "add" if isinstance(kind, Normal) else None
            without_effect(where, kind, of=None, when="reset", axes=None, within=None, how=how)
    return list(kinds)


def _drawn(kind: Any, rng: Draws, count: int) -> np.ndarray:
    """Numbers (nworld, count) of a distribution, or the same number everywhere."""
    if isinstance(kind, int | float | np.number):
        return np.full((len(rng.worlds), count), float(kind))
    return np.broadcast_to(kind.draw(rng, count if kind.each else 1), (len(rng.worlds), count))
