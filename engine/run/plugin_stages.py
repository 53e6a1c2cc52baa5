"""Stages of users' plugins: one kernel for each kind of function, as a table.

They are imported where a model has such plugins.
"""

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from ..physics.sensors.write import put
from ..pipeline.stage import Stage
from ..pipeline.timer_tables import FORCES
from ..simd.kernel import kernel
from ..simd.lanes import call_stage, reals_at, zero_like
from ..tables.enums import DSBL_ACTUATION, DSBL_DAMPER, DSBL_SPRING
from .hook_stages import before_drive, before_limits, behind_passive, bound

if TYPE_CHECKING:
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


@cache
def stage_of_plugin(what: str, function: Callable, kind: int, place: int) -> Stage:
    """The stage of one function of a plugin; see `Entry` of plugin_functions.py."""
    row = PLACES[what]
    called = function if place < 0 else bound(call_python_once, PLACE=place)
    template = bound(row.template, KIND=kind, hook=called)
    return Stage(template, changes=row.changes, timers=row.timers)
