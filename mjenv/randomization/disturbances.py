"""All that `randomization` declares, in all worlds: fields, events, and channels."""

from collections.abc import Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np

from mjenv.engine.errors import nearest
from mjenv.randomization.channels import ActionChannel, Channel, ObservationChannel, check_channel
from mjenv.randomization.counters import Counters, Draws
from mjenv.randomization.distributions import Normal
from mjenv.randomization.events import EVENTS, PushEvent, allowed, make_event
from mjenv.randomization.fields import Randomization

if TYPE_CHECKING:
    from mjenv.engine.data.data import Data
    from mjenv.engine.model.model import Model

_CHANNELS = ("observation", "action")


class Disturbances:
    """Everything that makes worlds differ, each with its own random stream.

    The streams belong to the seeds of the environments, but are not their generators: initial
    states are drawn as without disturbances.

    Attributes:
        randomization: the fields of the model that are drawn.
        active: whether there is anything to do.
        observes: whether observations are other than the task's.
        dt: duration of a step of the environment (s).
    """

    def __init__(self, model: "Model", declared: Any, nworld: int, dt: float):
        """Sort what is declared.

        Args:
            model: the model.
            declared: what a task has as `randomization`.
            nworld: number of worlds.
            dt: duration of a step of the environment (s).

        Raises:
            TypeError: if something is of the wrong type.
            ValueError: if a declaration is invalid.
            KeyError: if there is no such body or joint.
        """
        # fields of the model, events, and channels, told apart by name and type
        self._declared = declared = dict(_checked(declared))
        fields = {
            name: kind
            for name, kind in declared.items()
            if name not in _CHANNELS and type(kind) not in EVENTS
        }
        for name, kind in declared.items():
            if type(kind) in EVENTS and (hasattr(model, name) or name in _CHANNELS):
                raise ValueError(
                    f"randomization: {name!r} is a {type(kind).__name__}, but fields of the model "
                    "and channels have such names; expected a name of your own"
                )
        self.randomization = Randomization(model, fields)
        self.active, self.observes = bool(declared), False
        self.dt, self._nworld = dt, nworld
        self._events = {
            name: make_event(name, kind, model, nworld)
            for name, kind in declared.items()
            if type(kind) in EVENTS
        }
        # noise and delay of actions and observations
        self._channels = {n: check_channel(n, declared[n]) for n in _CHANNELS if n in declared}
        drawn = self.randomization.fields
        # what is drawn every so often, with a countdown for each world
        self._every = {n: drawn[n][0].when for n in self.randomization.at("interval")}
        self._every |= {name: event.every for name, event in self._events.items()}
        self._waits = np.zeros((nworld, len(self._every)), np.int64)
        # random numbers of each world: its own stream, so that worlds do not depend on each other
        self._counters = Counters(nworld)
        self._owners: list[Any] = [None] * nworld
        names = (*fields, *self._events, *self._channels)
        self._drawn = {name: np.zeros(nworld, bool) for name in names}
        self._observed: ObservationChannel | None = None
        self._acted: ActionChannel | None = None

    def attach(self, data: "Data", structure: dict[str, int], actuators: Sequence[str]) -> None:
        """See the data and the parts of the observation for the first time."""
        self.randomization.remember(data)
        channels = self._channels
        if "action" in channels:
            self._acted = ActionChannel(channels["action"], actuators, self._nworld)
        if "observation" in channels:
            self._observed = ObservationChannel(channels["observation"], structure, self._nworld)
        elif self._acted is not None and self._acted.size:
            # actions are observed behind the present observation
            channel = Channel()
            self._observed = ObservationChannel(channel, structure, self._nworld)
        self.observes = self._observed is not None

    # random streams

    def follow(self, generators: Sequence[Any], seeds: Sequence[Any], worlds: Any) -> np.ndarray:
        """Begin the streams of worlds that have got another generator.

        Returns:
            The numbers of these worlds, among those given.
        """
        new = []
        for i, generator, seed in zip(worlds, generators, seeds, strict=True):
            if self._owners[i] is not generator:
                if seed is None or seed < 0:
                    # a generator that a user made, of any kind
                    text = repr(generator.bit_generator.state).encode()
                    seed = int.from_bytes(sha256(text).digest()[:16], "little")
                self._counters.seed(i, int(seed))
                self._owners[i] = generator
                new.append(i)
        return np.array(new, np.int64)

    def adopt(self, generators: Sequence[Any], worlds: Any) -> None:
        """Go on with the streams of worlds whose generators were restored."""
        for i in worlds:
            self._owners[i] = generators[i]

    # episodes

    def start(
        self, data: "Data", worlds: np.ndarray, new: np.ndarray, options: dict[str, Any] | None
    ) -> None:
        """Episodes start in worlds.

        Args:
            data: the worlds.
            worlds: numbers of those that start.
            new: those of them whose streams have just begun.
            options: other distributions for some of the fields, this time.

        Raises:
            TypeError: if the options are no dict of distributions.
            ValueError: if they are not about fields that differ, or are invalid.
        """
        # once: fields of worlds whose streams are new
        fields = self.randomization
        if options:
            self._check_options(options)
        once = fields.at("start")
        follow = len(new) > 0 and fields.draw(data, Draws(self._counters, new), once, options)
        # each time: fields that are drawn at every start
        rng = Draws(self._counters, worlds)
        again = fields.at("reset", "interval")
        extra = [name for name in once if name in (options or {})]
        follow |= fields.draw(data, rng, [*again, *extra], options)
        if follow:
            fields.follow(data, worlds)
        # events and countdowns begin anew
        for event in self._events.values():
            event.start(worlds)
        for i, every in enumerate(self._every.values()):
            self._waits[worlds, i] = every.draw(rng, self.dt)
        for channel in (self._acted, self._observed):
            if channel is not None:
                channel.start(rng)
        for mask in self._drawn.values():
            mask[worlds] = True

    def _check_options(self, options: Any) -> None:
        for name in _checked(options):
            if (
                name in _CHANNELS
                or isinstance(options[name], Channel)
                or type(options[name]) in EVENTS
            ):
                raise ValueError(
                    f"reset: randomization: {name!r}, expected a field of the model; pushes, kicks "
                    "and channels are declared when the environment is made"
                )
        self.randomization.instead(options)

    def undeclared(self, fields: Any) -> dict[str, Any]:
        """Fields of the model that are not drawn yet, with distributions that change nothing.

        Raises:
            TypeError: if there is something else than a dict.
            ValueError: if a distribution is invalid.
        """
        new = [
            n for n, kind in _checked(fields).items() if n not in self._drawn and _is_field(kind)
        ]
        # distributions are checked as those of a task
        Randomization(self.randomization.model, {name: fields[name] for name in new})
        return {name: Normal(0.0, 0.0) for name in new}

    def refuse_edits(self, declared: Any) -> None:
        """Refuse declarations that were changed in place.

        Args:
            declared: what the task has now.

        Raises:
            ValueError: if they are others than those that the environment was made with.
        """
        if declared is not None and dict(declared) != self._declared:
            names = {**declared, **self._declared}
            name = next(n for n in names if declared.get(n) != self._declared.get(n))
            raise ValueError(
                f"randomization: {name!r} was changed after the environment was made; give it to "
                'reset(options={"randomization": ...}), or make new environments'
            )

    def succeed(self, other: "Disturbances") -> None:
        """Go on with the random streams of others."""
        self._counters, self._owners = other._counters, other._owners

    # steps

    def act(self, data: "Data", actions: np.ndarray, worlds: np.ndarray, fields: Any) -> np.ndarray:
        """Apply to worlds what is due before their physics is stepped.

        Args:
            data: the worlds.
            actions: (n, nu) actions of the policy.
            worlds: numbers of the worlds that are going to be stepped.
            fields: the worlds as functions of users see them.

        Returns:
            (n, nu) what reaches the actuators.
        """
        if self._every:
            self._happen(data, worlds, fields)
        if self._acted is None:
            return actions
        arrived = self._acted.act(actions, worlds, self._counters)
        kind = actions.dtype
        return arrived.astype(kind if kind.kind == "f" else np.float64)

    def _happen(self, data: "Data", worlds: np.ndarray, fields: Any) -> None:
        """Whatever is due."""
        # the usual step: nothing is due
        if self._waits[worlds].all() and not any(e.lasts(worlds) for e in self._events.values()):
            self._waits[worlds] -= 1
            return
        # pushes are forces, of which only changes are written
        pushes = [event for event in self._events.values() if isinstance(event, PushEvent)]
        before = [push.value[worlds] for push in pushes]
        for event in self._events.values():
            event.finish(worlds)
        for i, (name, every) in enumerate(self._every.items()):
            due = worlds[self._waits[worlds, i] == 0]
            if name in self._events and len(due):
                may = allowed(name, self._declared[name], fields, self._nworld)[due]
                # where it may not happen, it is due again after this step
                self._waits[due[~may], i] = 1
                due = due[may]
            if len(due):
                rng = Draws(self._counters, due)
                self._waits[due, i] = every.draw(rng, self.dt)
                self._drawn[name][due] = True
                if name in self._events:
                    self._events[name].happen(rng, data, self.dt)
                elif self.randomization.draw(data, rng, [name]):
                    self.randomization.follow(data, due)
                if name in ("body_pos", "body_quat"):
                    data.place_mocap(due)
        # countdowns, and forces where they have changed
        self._waits[worlds] -= 1
        for event in self._events.values():
            event.pass_step(worlds)
        if any(np.any(push.value[worlds] != old) for push, old in zip(pushes, before, strict=True)):
            for push in pushes:
                data.xfrc_applied[worlds[:, None], push.bodies] = 0.0
            for push in pushes:
                data.xfrc_applied[worlds[:, None], push.bodies] += push.value[worlds]

    def stepped(self, mask: np.ndarray | None) -> None:
        """The worlds of the mask have taken a step; None means all."""
        if self._observed is not None:
            self._observed.stepped(mask)

    def restart(self) -> None:
        """The state of all worlds was set: what was observed before is forgotten."""
        if self._observed is not None:
            self._observed.restart()

    # what is seen

    @property
    def size(self) -> int:
        """Numbers in an observation, if `observes`."""
        assert self._observed is not None
        return self._observed.size + (self._acted.size if self._acted else 0)

    def observe(self, frames: np.ndarray, worlds: np.ndarray) -> np.ndarray:
        """Observations (n, size) of worlds whose task observes `frames`."""
        assert self._observed is not None
        seen = self._observed.observe(frames, worlds, self._counters)
        if self._acted is None or not self._acted.size:
            return seen
        return np.concatenate((seen, self._acted.observe(worlds)), axis=1)

    def report(self, data: "Data") -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """Values drawn since the last call: name to values, and a mask of the worlds."""
        found = {}
        for name, mask in self._drawn.items():
            if mask.any():
                for key, values in self._values(name, data).items():
                    found[f"randomized_{key}"] = values, mask.copy()
                mask[:] = False
        return found

    def _values(self, name: str, data: "Data") -> dict[str, np.ndarray]:
        if name in _CHANNELS:
            channel = self._acted if name == "action" else self._observed
            assert channel is not None
            return {f"{name}_delay": channel.delay}
        event = self._events.get(name)
        value = self.randomization.value(data, name) if event is None else event.value
        if name not in self._every:
            return {name: value}
        return {name: value, f"{name}_wait": self._waits[:, list(self._every).index(name)]}

    def remembered(self) -> list[np.ndarray]:
        """Arrays with a row per world that what comes next depends on, as 64-bit floats."""
        if not self.active:
            return []
        parts = [self._counters, *self._events.values(), self._observed, self._acted]
        arrays = [self._waits, self._counters.words]
        arrays += [array for part in parts[1:] if part is not None for array in part.state]
        return [array.view(np.float64) for array in arrays if array.size]


def _is_field(kind: Any) -> bool:
    return type(kind) not in EVENTS and not isinstance(kind, Channel)


def _checked(declared: Any) -> dict[str, Any]:
    """The dictionary, with the names that fields do not have as errors."""
    if declared is None:
        return {}
    if not isinstance(declared, dict):
        raise TypeError(
            f"randomization: {declared!r}, expected a dict of fields and distributions, such as "
            "{'geom_friction': Uniform(0.5, 1.5)}"
        )
    for name in declared:
        if not isinstance(name, str):
            raise TypeError(
                f"randomization: {name!r}, expected a name{nearest(str(name), _CHANNELS)}"
            )
        if isinstance(declared[name], Channel) and name not in _CHANNELS:
            raise ValueError(
                f"randomization: {name!r} is a channel, expected the name 'observation' or "
                f"'action'{nearest(str(name), _CHANNELS)}"
            )
    return declared
