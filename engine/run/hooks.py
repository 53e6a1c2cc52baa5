"""Functions of the user's inside of the pipeline, as MuJoCo's callbacks (mjcb_control, ...).

A hook is a stage like any other. One that is written as a kernel is compiled and runs with the
other stages in the parallel section; its file in the cache is named after its code. One that is
plain Python is called by a stage, pack by pack, with the fields of the pack's worlds as arrays.
"""

import threading
from collections.abc import Callable
from threading import get_ident
from typing import TYPE_CHECKING, Any
from weakref import ref

import numpy as np

from ..pipeline.stage import Stage
from ..simd.kernel import callback
from ..simd.meaning import is_kernel, meaning
from ..tables.enums import (
    BIAS_USER,
    DSBL_SENSOR,
    DYN_USER,
    GAIN_USER,
    SENS_USER,
    STAGE_ACC,
    STAGE_POS,
)

if TYPE_CHECKING:
    from ..model.model import Model
    from .plan import Plan
    from .scratch import Scratch

# by kind of hook: array of the model by which things are left to it, and its value there
LEFT = {
    "act_dyn": ("actuator_dyntype", DYN_USER),
    "act_gain": ("actuator_gaintype", GAIN_USER),
    "act_bias": ("actuator_biastype", BIAS_USER),
}


class Hooks:
    """The hooks of one plan.

    Attributes:
        functions: kind to function.
        thread: identity of the thread that is in a function of the user's; 0 for none.
    """

    def __init__(self, model: "Model"):
        self.model = model
        self.thread = 0
        self._turn = threading.Lock()
        self.set({})
        self.find()

    def find(self) -> None:
        """Find out what the model leaves to hooks."""
        model = self.model
        self.left = {
            kind: np.flatnonzero(getattr(model, name) == value)
            for kind, (name, value) in LEFT.items()
        }
        sensed = model.sensor_needstage[model.sensor_type == SENS_USER]
        self.sensed = [k for k in range(STAGE_POS, STAGE_ACC + 1) if k in sensed]

    def set(self, functions: dict) -> None:
        """Have these hooks from now on: kind to function.

        The constants that a kernel names count as they are now.
        """
        for function in functions.values():
            from .hook_view import refuse_unstored

            refuse_unstored(function)
        self.functions = functions
        self._meanings = {
            kind: meaning(function) if is_kernel(function) else "in Python"
            for kind, function in functions.items()
        }

    @property
    def key(self) -> tuple:
        """The key of programs with these hooks: those in Python are found by their addresses."""
        return tuple(sorted(self._meanings.items()))

    def forward(self, stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
        """Forward dynamics with hooks."""
        kinds = {kind for kind in LEFT if len(self.left[kind])} | (self.functions.keys() - LEFT)
        if not kinds:
            return stages
        from .hook_stages import HOOKS, stage_of

        for kind, row in HOOKS.items():
            if kind in kinds:
                k = row.place(stages)
                if k is not None:
                    stages = (*stages[:k], stage_of(kind, self.functions.get(kind)), *stages[k:])
        return stages

    def sense(self, first: int = STAGE_POS, last: int = STAGE_ACC) -> tuple[Stage, ...]:
        """Stages of the user's sensors that need stages from `first` to `last` (mjtStage)."""
        function = self.functions.get("sensor")
        if function is None or self.model.opt.disableflags & DSBL_SENSOR:
            return ()
        from .hook_stages import stage_of

        sensed = [stage for stage in self.sensed if first <= stage <= last]
        return tuple(stage_of("sensor", function, stage) for stage in sensed)

    # ------------------------------------------------------------ Python

    def attach(self, plan: "Plan", scratch: "Scratch") -> None:
        """Let the stages of a thread find the hooks in Python."""
        plan_, scratch_ = ref(plan), ref(scratch)
        addresses, scratch.callbacks = scratch.data.arrays["hook"], []
        for kind, function in self.functions.items():
            if is_kernel(function):
                continue
            from .hook_stages import HOOKS, PLACES

            for number in range(HOOKS[kind].naddress):
                call = self._caller(kind, function, number, plan_, scratch_)
                keep, addresses[PLACES[kind] + number] = callback(call, failing(scratch_))
                scratch.callbacks.append(keep)

    def _caller(
        self,
        kind: str,
        function: Callable[..., Any],
        number: int,
        plan: "Callable[[], Plan | Any]",
        scratch: "Callable[[], Scratch | Any]",
    ):
        """A function of no arguments that calls a hook on the worlds in a thread's scratch."""
        from .hook_stages import HOOKS, Call
        from .hook_view import HookView

        way = HOOKS[kind].way

        def call() -> None:
            memory = scratch()
            if memory.has_failed:
                return
            arrays = memory.data.arrays
            worlds = HookView(plan().field_shape, arrays)
            left = self.left.get(kind, ())
            given = Call(self.model, function, worlds, arrays, number, left)
            self.take_turn(lambda: way.call(given))

        return call

    def take_turn(self, call: Callable[[], object]) -> None:
        """Call a user's function when no other thread of the same data is in one.

        So functions in Python need not care for threads, whatever they change or step.
        """
        with self._turn:
            self.thread = get_ident()
            try:
                call()
            finally:
                self.thread = 0


def failing(scratch: "Callable[[], Scratch | Any]") -> Callable[[BaseException], None]:
    """Keep a callback's error in a thread, to be raised when the stages have returned.

    Args:
        scratch: a weak reference to the thread's scratch.
    """
    return lambda error: scratch().fail(error)
