"""Plugins of users: functions that run inside of the pipeline for each instance of a plugin.

A function that is marked with `kernel` is compiled, and its file in the cache is named after its
code, as hooks are. One that is plain Python is called by a stage, pack by pack.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import ref

import numpy as np

from ..physics.sensors.write import put
from ..pipeline.request_fields import NHOOK
from ..pipeline.stage import Stage
from ..pipeline.timer_tables import FORCES
from ..simd.kernel import callback, kernel
from ..simd.lanes import call_stage, reals_at, zero_like
from ..simd.meaning import is_kernel
from ..tables import plugin_kinds
from ..tables.enums import DSBL_ACTUATION, DSBL_DAMPER, DSBL_SENSOR, DSBL_SPRING
from ..tables.plugin_kinds import Config, PluginKind
from .hooks import (
    HookView,
    before_drive,
    before_limits,
    behind_passive,
    bound,
    failing,
    refuse_unstored,
)

if TYPE_CHECKING:
    from ..model.model import Model
    from .plan import Plan
    from .scratch import Scratch

    # names of the templates below, which `bound` fills in: the place of a kind of plugin, and the
    # place of an address
    KIND = PLACE = 0

    def hook(m: Any, d: Any, instance: Any) -> None:
        """The user's function."""


@kernel
def plugin_numbers(m, instance):
    """The numbers of a plugin instance, for kernels: what `numbers` found, or its settings.

    Args:
        m: record of the model.
        instance: number of the instance.

    Returns:
        A field of reals that all worlds share.
    """
    return reals_at(m.plug_address[instance])


@kernel
def passive_plugin(m, d):
    """Let plugins add to the passive forces."""
    flags = m.opt_disableflags[0]
    if not (flags & DSBL_SPRING and flags & DSBL_DAMPER):
        for instance in range(m.nplugin):
            if m.plugin[instance] == KIND:
                hook(m, d, instance)


@kernel
def act_dot_plugin(m, d):
    """Let plugins set the rates of their actuators' activations, which are 0 before."""
    if m.opt_disableflags[0] & DSBL_ACTUATION:
        return
    for u in range(m.nu):
        instance = m.actuator_plugin[u]
        if instance >= 0 and m.plugin[instance] == KIND:
            # the last activation may have dynamics of its own
            for k in range(m.actuator_actnum[u] - (1 if m.actuator_dyntype[u] != 0 else 0)):
                d.act_dot[m.actuator_actadr[u] + k] = zero_like(d.qvel)
    for instance in range(m.nplugin):
        if m.plugin[instance] == KIND:
            hook(m, d, instance)


@kernel
def actuator_plugin(m, d):
    """Let plugins set the forces of their actuators, which are 0 before."""
    if m.opt_disableflags[0] & DSBL_ACTUATION:
        return
    for u in range(m.nu):
        instance = m.actuator_plugin[u]
        if instance >= 0 and m.plugin[instance] == KIND:
            d.actuator_force[u] = zero_like(d.qvel)
    for instance in range(m.nplugin):
        if m.plugin[instance] == KIND:
            hook(m, d, instance)


@kernel
def sensor_plugin(m, d):
    """Let plugins fill in their sensors, then cut these off."""
    for instance in range(m.nplugin):
        if m.plugin[instance] == KIND:
            hook(m, d, instance)
    for sensor in range(m.nsensor):
        instance = m.sensor_plugin[sensor]
        if instance >= 0 and m.plugin[instance] == KIND:
            for k in range(m.sensor_dim[sensor]):
                put(m, d, sensor, k, d.sensordata[m.sensor_adr[sensor] + k])


@kernel
def advance_plugin(m, d):
    """Let plugins advance their state, at the end of a step."""
    for instance in range(m.nplugin):
        if m.plugin[instance] == KIND:
            hook(m, d, instance)


@kernel
def call_python_once(m, d, instance):
    """Call a function in Python for an instance, whose number it finds beside its address."""
    d.hook[PLACE + 1] = instance
    call_stage(d.hook[PLACE], m, d)


class Place(NamedTuple):
    """The place in a step of functions of one kind.

    Attributes:
        template: kernel of their stage.
        capability: what a plugin with such a function can do.
        place: where it stands among the stages of forward dynamics; None: not there.
        changes: fields that it adds to or sets.
        timers: as those of a stage.
    """

    template: Callable
    capability: str
    place: Callable[[tuple[Stage, ...]], int | None] | None = None
    changes: str = ""
    timers: tuple[int, ...] | None = None


PLACES = {
    "passive": Place(passive_plugin, "passive", behind_passive, "qfrc_passive"),
    "act_dot": Place(act_dot_plugin, "actuator", before_drive, "act_dot", FORCES),
    "actuator": Place(actuator_plugin, "actuator", before_limits, "actuator_force", FORCES),
    "sensor": Place(sensor_plugin, "sensor", changes="sensordata"),
    "advance": Place(advance_plugin, "", changes="plugin_state"),
}


def register_plugin(
    name: str,
    attributes: Sequence[str] = (),
    *,
    passive: Callable | None = None,
    actuator: Callable | None = None,
    act_dot: Callable | None = None,
    sensor: Callable | None = None,
    advance: Callable | None = None,
    needstage: str = "acc",
    nstate: int | Callable[[Config], int] = 0,
    nsensordata: int | Callable[[Config], int] = 0,
    numbers: Callable[[Config], Sequence[float]] | None = None,
    wrong: Callable[[Config], str] | None = None,
    sdf: Callable | None = None,
    box: Callable[[Sequence[float]], Sequence[float]] | None = None,
) -> None:
    """Have a plugin of one's own, which MJCF can name in <plugin> from now on.

    Its functions are called with m, d and the number of an instance, for each instance of a model.
    Functions that are marked with `kernel` are compiled and handle all worlds of a pack at once;
    `plugin_numbers(m, instance)` gives them the settings as numbers. Plain Python functions get the
    model, the worlds of a pack with fields of shape (n, ...) to read and write, and the number;
    `plugin_config(model, instance)` gives them the settings. Both may be called for several packs
    at the same time.

    | function | is to |
    | --- | --- |
    | passive | add to d.qfrc_passive, of the bodies b with m.body_plugin[b] == instance |
    | actuator | set d.actuator_force[u] of actuators with m.actuator_plugin[u] == instance |
    | act_dot | set d.act_dot of their activations, which `actdim` makes room for |
    | sensor | fill in d.sensordata, from m.sensor_adr[s] on where m.sensor_plugin[s] == instance |
    | advance | move d.plugin_state on by a step, from m.plugin_stateadr[instance] on |

    A signed distance field is a function of the numbers of the settings and of a point (x, y, z)
    in the frame of the shape (m), which returns the distance from its surface, negative inside
    (m). A kernel is asked point by point; plain Python also gets arrays, once, for the mesh that
    is made around the surface.

    State starts with zeros, and is saved and restored with the rest of a world's state.

    Args:
        name: what MJCF calls it.
        attributes: names of its settings.
        passive, actuator, act_dot, sensor, advance: its functions, as above.
        needstage: "pos", "vel" or "acc", when its sensors can be read.
        nstate: number of values of state of an instance, or a function of its settings.
        nsensordata: number of values of one sensor, or a function of the settings.
        numbers: function of the settings, name to text, that returns the numbers for kernels; None:
            the settings themselves, 0 where one is not given.
        sdf: signed distance field of geoms of type "sdf" and their meshes, as above.
        box: function of the numbers that returns half sizes of a box around that shape, (3,) (m).
        wrong: function of the settings that says what is wrong with them, "" for nothing.

    Raises:
        ValueError: there is a plugin of this name, a word of `needstage` is unknown, it has no
            function, only one of `sdf` and `box`, or a kernel needs variables of another function.
        TypeError: something that is to be a function is none.
    """
    functions = {
        "passive": passive, "actuator": actuator, "act_dot": act_dot, "sensor": sensor,
        "advance": advance,
    }  # fmt: skip
    found = {what: function for what, function in functions.items() if function is not None}
    shape = {what: f for what, f in (("sdf", sdf), ("box", box)) if f is not None}
    _refuse_plugin(name, needstage, found, shape)
    driven = {PLACES[what].capability for what in found if PLACES[what].capability}
    plugin_kinds.KINDS[name] = PluginKind(
        name,
        tuple(attributes),
        frozenset(driven | ({"sdf"} if shape else set())),
        needstage,
        _counted(nstate),
        _counted(nsensordata),
        wrong or _nothing_wrong,
        numbers=numbers,
        functions=found,
        distance=sdf,
        box=box,
    )


def _refuse_plugin(name: str, needstage: str, found: dict, shape: dict) -> None:
    """Raise what `register_plugin` says of a name, a stage, functions and those of a shape."""
    where = f"register_plugin: {name!r}"
    if name in plugin_kinds.KINDS:
        raise ValueError(f"{where}: there is a plugin of this name; expected another one")
    if needstage not in plugin_kinds.STAGES[1:]:
        raise ValueError(f"{where}: needstage={needstage!r}: expected 'pos', 'vel' or 'acc'")
    if not shape and not set(found).intersection(("passive", "actuator", "sensor")):
        raise ValueError(
            f"{where}: expected a function passive, actuator, sensor or sdf, found none"
        )
    if len(shape) == 1:
        raise ValueError(f"{where}: expected both of sdf and box, or none")
    for what, function in (found | shape).items():
        _check(f"{where}: {what}", function)


def _nothing_wrong(config: Config) -> str:
    return ""


def _counted(number: int | Callable[[Config], int]) -> Callable[[Config], int]:
    """A number as a function of settings."""
    if callable(number):
        return number
    return lambda config: int(number)


def _check(where: str, function: Any) -> None:
    """Refuse what cannot be called, or compiled."""
    if not callable(function):
        raise TypeError(f"{where}: found a {type(function).__name__}, expected a function")
    if is_kernel(function) and function.__code__.co_freevars:
        names = ", ".join(function.__code__.co_freevars)
        raise ValueError(
            f"{where}: {names}: expected constants of the module, which compiled code can name"
        )


class Entry(NamedTuple):
    """One function of a kind of plugin that a model has.

    Attributes:
        kind: place of the kind.
        what: key of `PLACES`.
        function: the function.
        stage: its stage.
        place: of its address, and of the number of the instance behind it; -1: it is a kernel.
    """

    kind: int
    what: str
    function: Callable
    stage: Stage
    place: int


@cache
def _stage(what: str, function: Callable, kind: int, place: int) -> Stage:
    row = PLACES[what]
    called = function if place < 0 else bound(call_python_once, PLACE=place)
    template = bound(row.template, KIND=kind, hook=called)
    return Stage(template, changes=row.changes, timers=row.timers)


def functions_of(model: "Model") -> list[tuple[int, str, Callable]]:
    """(place of the kind, key of `PLACES`, function) of all plugins of users in a model."""
    kinds = sorted({int(place) for place in model.plugin})
    return [
        (place, what, function)
        for place in kinds
        for what, function in plugin_kinds.kind_at(place).functions.items()
    ]


class PluginFunctions:
    """The functions of the plugins of users in one model.

    Attributes:
        entries: all of them.
        in_python: whether some are plain Python.
    """

    def __init__(self, model: "Model"):
        self.model = model
        self.entries: list[Entry] = []
        place = NHOOK
        for kind, what, function in functions_of(model):
            refuse_unstored(function)
            at = -1 if is_kernel(function) else place
            place += 0 if at < 0 else 2
            stage = _stage(what, function, kind, at)
            self.entries.append(Entry(kind, what, function, stage, at))
        self.in_python = place > NHOOK

    def forward(self, stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
        """Forward dynamics with plugins."""
        for entry in self.entries:
            place = PLACES[entry.what].place
            k = None if place is None else place(stages)
            if k is not None:
                stages = (*stages[:k], entry.stage, *stages[k:])
        return stages

    def sense(self, first: int, last: int) -> tuple[Stage, ...]:
        """Stages of sensors that need stages from `first` to `last` (mjtStage)."""
        if self.model.opt.disableflags & DSBL_SENSOR:
            return ()
        return tuple(
            entry.stage
            for entry in self.entries
            if entry.what == "sensor"
            and first
            <= plugin_kinds.STAGES.index(plugin_kinds.kind_at(entry.kind).needstage)
            <= last
        )

    def advance(self) -> tuple[Stage, ...]:
        """Stages at the end of a step."""
        return tuple(entry.stage for entry in self.entries if entry.what == "advance")

    def attach(self, plan: "Plan", scratch: "Scratch") -> None:
        """Let the stages of a thread find the functions in Python."""
        addresses = scratch.data.arrays["hook"]
        for entry in self.entries:
            if entry.place >= 0:
                call = self._caller(entry, ref(plan), ref(scratch))
                keep, addresses[entry.place] = callback(call, failing(ref(scratch)))
                scratch.callbacks.append(keep)

    def _caller(self, entry: Entry, plan: "Callable[[], Any]", scratch: "Callable[[], Any]"):
        """A function of no arguments that calls one on the worlds in a thread's scratch."""

        def call() -> None:
            memory = scratch()
            if memory.has_failed:
                return
            instance = int(np.asarray(memory.data.arrays["hook"])[entry.place + 1])
            worlds = HookView(plan(), memory)
            plan().hooks.take_turn(lambda: entry.function(self.model, worlds, instance))

        return call
