"""Plugins of users: functions that run inside of the pipeline for each instance of a plugin.

A function that is marked with `kernel` is compiled, and its file in the cache is named after its
code, as hooks are. One that is plain Python is called by a stage, pack by pack.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import ref

import numpy as np

from ..pipeline.request_fields import NHOOK
from ..pipeline.stage import Stage
from ..simd.kernel import callback
from ..simd.meaning import is_kernel
from ..tables import plugin_kinds
from ..tables.enums import DSBL_SENSOR
from .hooks import failing

if TYPE_CHECKING:
    from ..model.model import Model
    from .plan import Plan
    from .scratch import Scratch


class Entry(NamedTuple):
    """One function of a kind of plugin that a model has.

    Attributes:
        kind: place of the kind.
        what: key of `PLACES` of plugin_stages.py.
        function: the function.
        stage: its stage.
        place: of its address, and of the number of the instance behind it; -1: it is a kernel.
    """

    kind: int
    what: str
    function: Callable
    stage: Stage
    place: int


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
            from .hook_view import refuse_unstored
            from .plugin_stages import stage_of_plugin

            refuse_unstored(function)
            at = -1 if is_kernel(function) else place
            place += 0 if at < 0 else 2
            stage = stage_of_plugin(what, function, kind, at)
            self.entries.append(Entry(kind, what, function, stage, at))
        self.in_python = place > NHOOK

    def forward(self, stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
        """Forward dynamics with plugins."""
        for entry in self.entries:
            from .plugin_stages import PLACES

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
        from .hook_view import HookView

        def call() -> None:
            memory = scratch()
            if memory.has_failed:
                return
            instance = int(np.asarray(memory.data.arrays["hook"])[entry.place + 1])
            worlds = HookView(plan().field_shape, memory.data.arrays)
            plan().hooks.take_turn(lambda: entry.function(self.model, worlds, instance))

        return call
