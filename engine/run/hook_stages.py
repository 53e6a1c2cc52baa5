"""Stages of users' functions inside of the pipeline: one kernel for each kind of hook, as a table.

They are imported where there are hooks, or a model leaves something to one.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..physics.collision.user_filter import discard, filter_hook
from ..physics.sensors.write import put
from ..pipeline.actuation import ACTUATION
from ..pipeline.collision import COLLISION
from ..pipeline.forward import ACCELERATION
from ..pipeline.request_fields import NHOOK
from ..pipeline.sleep import RESTING
from ..pipeline.stage import Stage, without
from ..pipeline.timer_tables import FORCES
from ..simd.kernel import kernel, variant
from ..simd.lanes import call_stage, zero_like
from ..simd.meaning import global_names, is_kernel
from ..tables.enums import (
    BIAS_USER,
    DSBL_ACTUATION,
    DSBL_DAMPER,
    DSBL_SPRING,
    DYN_USER,
    GAIN_USER,
    SENS_USER,
    STAGE_ACC,
    STAGE_POS,
)
from .hook_view import HookView

if TYPE_CHECKING:
    from ..model.model import Model

    # names of the templates below, which `bound` fills in: the stage of a sensor (mjtStage) and
    # the place of an address
    STAGE = PLACE = 0

    def hook(m: Any, d: Any, *which: Any) -> float:
        """The user's function."""
        ...

    def prepare(m: Any, d: Any) -> None:
        """The kernel that runs once before the hook of each actuator."""


@kernel
def control_hook(m, d):
    """Let a hook set the controls."""
    if not m.opt_disableflags[0] & DSBL_ACTUATION:
        hook(m, d)


@kernel
def passive_hook(m, d):
    """Let a hook add to the passive forces."""
    flags = m.opt_disableflags[0]
    if not (flags & DSBL_SPRING and flags & DSBL_DAMPER):
        hook(m, d)


@kernel
def sensor_hook(m, d):
    """Let a hook fill in the user's sensors of a stage, zero before, then cut them off."""
    zero = zero_like(d.sensordata)
    for sensor in range(m.nsensor):
        if m.sensor_type[sensor] == SENS_USER and m.sensor_needstage[sensor] == STAGE:
            for k in range(m.sensor_dim[sensor]):
                d.sensordata[m.sensor_adr[sensor] + k] = zero
    hook(m, d, STAGE)
    for sensor in range(m.nsensor):
        if m.sensor_type[sensor] == SENS_USER and m.sensor_needstage[sensor] == STAGE:
            for k in range(m.sensor_dim[sensor]):
                put(m, d, sensor, k, d.sensordata[m.sensor_adr[sensor] + k])


@kernel
def dyn_hook(m, d):
    """Rates of change of activations by a hook.

    Writes: act_dot.
    """
    if m.opt_disableflags[0] & DSBL_ACTUATION:
        return
    prepare(m, d)
    for u in range(m.nu):
        if m.actuator_dyntype[u] == DYN_USER:
            rate = hook(m, d, u)
            if m.actuator_actnum[u] == 1:
                d.act_dot[m.actuator_actadr[u]] = zero_like(d.qvel) + rate


@kernel
def gain_hook(m, d):
    """Forces of actuators whose gain a hook returns."""
    if m.opt_disableflags[0] & DSBL_ACTUATION:
        return
    prepare(m, d)
    for u in range(m.nu):
        if m.actuator_gaintype[u] == GAIN_USER and enabled(m, u):
            d.actuator_force[u] = d.actuator_force[u] + hook(m, d, u) * d.act_drive[u]


@kernel
def bias_hook(m, d):
    """Forces of actuators whose bias a hook returns."""
    if m.opt_disableflags[0] & DSBL_ACTUATION:
        return
    prepare(m, d)
    for u in range(m.nu):
        if m.actuator_biastype[u] == BIAS_USER and enabled(m, u):
            d.actuator_force[u] = d.actuator_force[u] + hook(m, d, u)


@kernel
def enabled(m, u):
    """True if an actuator is in no group that is switched off (option disableactuator)."""
    group = m.actuator_group[u]
    return group < 0 or group > 30 or not (m.opt_disableactuator[0] >> group) & 1


@kernel
def one(m, d, u):
    """Gain without a hook."""
    return 1.0


@kernel
def none(m, d, u):
    """Bias, or rate of change, without a hook."""
    return 0.0


@kernel
def nothing(m, d):
    """Prepare nothing: a compiled hook needs nothing before it is called for each actuator."""


@kernel
def call_python(m, d):
    """Call the hook in Python whose address is at PLACE."""
    call_stage(d.hook[PLACE], m, d)


@kernel
def call_python_stage(m, d, stage):
    """The same for the sensors of a stage."""
    call_stage(d.hook[PLACE + stage], m, d)


@kernel
def value(m, d, u):
    """Return the value of a hook in Python for an actuator."""
    return d.hook_value[u]


def bound(function: Callable[..., Any], **names: Any):
    """A kernel with some of its global names set."""
    found = variant(function, **names)
    found.is_hook = True
    return found


# ---------------------------------------------------------------- the table


class Call(NamedTuple):
    """A call of a hook that is plain Python.

    Attributes:
        model: the model.
        function: the user's.
        worlds: those of the pack.
        arrays: scratch of the thread.
        number: which of the addresses of the kind was called.
        left: numbers of the actuators that the model leaves to the hook.
    """

    model: "Model"
    function: Callable
    worlds: HookView
    arrays: Mapping[str, np.ndarray]
    number: int
    left: Sequence[int] | np.ndarray


class Way(NamedTuple):
    """The way in which hooks of some kinds are called.

    Attributes:
        names: of a place among the addresses: what names of the template mean where the hook is
            plain Python.
        call: calls the function, and does with its answer what is to be done.
    """

    names: Callable[[int], dict[str, Any]]
    call: Callable[[Call], None]


class Hook(NamedTuple):
    """One kind of hook.

    Attributes:
        template: kernel of its stage; in it `hook` stands for the function, `prepare` for what runs
            once before it, and STAGE for the stage of sensors (mjtStage) where it names them.
        way: how it is called.
        place: where it stands among the stages of forward dynamics; None: not there.
        writes: fields that it fills.
        changes: fields that it adds to or limits.
        timers: as those of a stage.
        without: what stands for a hook that is not there, where a model leaves things to one
            (`LEFT` of hooks.py); the stage is there with a hook and without.
        naddress: how many addresses it needs.
        python: kernel of its stage where the hook is plain Python; None: the template.
    """

    template: Callable
    way: Way
    place: Callable[[tuple[Stage, ...]], int | None] = lambda stages: None
    writes: str = ""
    changes: str = ""
    timers: tuple[int, ...] | None = None
    without: Callable | None = None
    naddress: int = 1
    python: Callable | None = None


def _once(call: Call) -> None:
    call.function(call.model, call.worlds)


def _of_stage(call: Call) -> None:
    call.function(call.model, call.worlds, STAGE_POS + call.number)


def _of_each(call: Call) -> None:
    for u in call.left:
        found = call.function(call.model, call.worlds, int(u))
        if found is not None:
            call.worlds.hook_value[:, u] = found


def _of_pairs(call: Call) -> None:
    discard(call.function, call.model, call.worlds, call.arrays)


ONCE = Way(lambda place: {"hook": bound(call_python, PLACE=place)}, _once)
# for the sensors of a stage; for each actuator; for each pair of geoms that touch
OF_STAGE = Way(lambda place: {"hook": bound(call_python_stage, PLACE=place - STAGE_POS)}, _of_stage)
OF_EACH = Way(lambda place: {"hook": value, "prepare": bound(call_python, PLACE=place)}, _of_each)
OF_PAIRS = Way(lambda place: {"PLACE": place}, _of_pairs)

# kernels that hooks are placed by: those that find contacts, and those that controls come before
_CONTACTS = frozenset(stage.kernel for stage in COLLISION)
_CONTROLLED = {*(s.kernel for s in ACTUATION), ACCELERATION.kernel, RESTING[ACCELERATION.kernel]}


def _before(kernels: Any) -> Callable[[tuple[Stage, ...]], int | None]:
    """The place before the first of some kernels."""
    return lambda stages: min(k for k, stage in enumerate(stages) if stage.kernel in kernels)


def _behind_contacts(stages: tuple[Stage, ...]) -> int | None:
    """The place behind what finds contacts; None: nothing does."""
    return max((k + 1 for k, s in enumerate(stages) if s.kernel in _CONTACTS), default=None)


def behind_passive(stages: tuple[Stage, ...]) -> int | None:
    """The place behind all that adds to passive forces."""
    adding = (k + 1 for k, s in enumerate(stages) if not without((s,), {"qfrc_passive"}))
    return max(adding, default=0)


before_drive = _before({"actuators.activation:drive_by_activation"})
before_limits = _before({"actuators.force:limit_tendon_forces", "actuators.force:project_forces"})
HOOKS = {
    "control": Hook(control_hook, ONCE, _before(_CONTROLLED), changes="ctrl", timers=FORCES),
    "passive": Hook(passive_hook, ONCE, behind_passive, changes="qfrc_passive"),
    "sensor": Hook(sensor_hook, OF_STAGE, writes="sensordata", naddress=STAGE_ACC),
    "act_dyn": Hook(
        dyn_hook, OF_EACH, before_drive, changes="act_dot", timers=FORCES,
        without=none,
    ),
    "act_gain": Hook(
        gain_hook, OF_EACH, before_limits, changes="actuator_force", timers=FORCES,
        without=one,
    ),
    "act_bias": Hook(
        bias_hook, OF_EACH, before_limits, changes="actuator_force", timers=FORCES,
        without=none,
    ),
    "contactfilter": Hook(filter_hook, OF_PAIRS, _behind_contacts, python=call_python),
    # no stage: the loop that keeps timers asks it, see `attach_clock`
    "time": Hook(nothing, ONCE, naddress=0),
}  # fmt: skip
_ENDS = dict(zip(HOOKS, accumulate(row.naddress for row in HOOKS.values()), strict=True))
# first place of each kind among the addresses of hooks in Python
PLACES = {kind: end - HOOKS[kind].naddress for kind, end in _ENDS.items()}
assert max(_ENDS.values()) == NHOOK, f"NHOOK: found {NHOOK}, expected {max(_ENDS.values())}"


def stage_of(kind: str, function: Callable[..., Any] | None, sensed: int = 0) -> Stage:
    """The stage of a hook; function None is that of things that are left to a hook without one.

    Functions in plain Python have the same one: it finds them by their addresses.
    """
    in_python = function is not None and not is_kernel(function)
    return _stage(kind, None if in_python else function, in_python, sensed)


@cache
def _stage(kind: str, function: Callable[..., Any] | None, in_python: bool, sensed: int) -> Stage:
    row = HOOKS[kind]
    template, named = row.template, global_names(row.template.__code__)
    names: dict[str, Any] = {"hook": function or row.without, "prepare": nothing, "STAGE": sensed}
    if in_python:
        template = row.python or template
        named, names = global_names(template.__code__), names | row.way.names(PLACES[kind])
    call = bound(template, **{name: names[name] for name in names if name in named})
    return Stage(call, row.writes, changes=row.changes, timers=row.timers)
