"""Functions of the user's inside of the pipeline, as MuJoCo's callbacks (mjcb_control, ...).

A hook is a stage like any other. One that is written as a kernel is compiled and runs with the
other stages in the parallel section; its file in the cache is named after its code. One that is
plain Python is called by a stage, pack by pack, with the fields of the pack's worlds as arrays.
"""

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any
from weakref import ref

import numpy as np

from ..enums import (
    BIAS_USER,
    DSBL_ACTUATION,
    DSBL_DAMPER,
    DSBL_SENSOR,
    DSBL_SPRING,
    DYN_USER,
    GAIN_USER,
    SENS_USER,
    STAGE_ACC,
    STAGE_POS,
)
from ..physics.actuators.activation import drive_by_activation
from ..physics.actuators.force import limit_tendon_forces, project_forces
from ..physics.collision.user_filter import discard, filter_hook
from ..physics.sensors.write import put
from ..pipeline.actuation import ACTUATION
from ..pipeline.collision import COLLISION
from ..pipeline.forward import ACCELERATION
from ..pipeline.sleep import RESTING
from ..pipeline.stage import Stage, without
from ..pipeline.timer_tables import FORCES
from ..simd.kernel import callback, kernel, variant
from ..simd.lanes import call_stage, zero_like
from ..simd.meaning import is_kernel, meaning
from ..views import takes_views

if TYPE_CHECKING:
    from ..data.data import Data
    from ..model.model import Model
    from .plan import Plan
    from .scratch import Scratch

    # names of the templates below, which `bound` fills in: the stage of a sensor (mjtStage) and
    # the place of an address
    STAGE = PLACE = 0

    def hook(m, d, *which) -> float:
        """The user's function."""
        ...

    def prepare(m, d) -> None:
        """What runs once before the hook of each actuator."""


KINDS = ("control", "passive", "sensor", "act_dyn", "act_gain", "act_bias", "contactfilter")
# places of the addresses of Python hooks in `hook`; a sensor hook has one for each stage
CONTROL, PASSIVE, SENSOR, DYN, GAIN, BIAS, FILTER = 0, 1, 1, 5, 6, 7, 8


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
    """Let a hook fill in the user's sensors of a stage, then cut them off."""
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
    """Whether an actuator is in no group that is switched off (option disableactuator)."""
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
    """What a compiled hook needs before it is called for each actuator."""


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
    """What a hook in Python has returned for an actuator."""
    return d.hook_value[u]


def bound(function, **names):
    """A kernel with some of its global names set."""
    found = variant(function, **names)
    found.is_hook = True
    return found


# kernels that hooks are placed by: those that find contacts, and those that controls come before
_CONTACTS = frozenset(stage.kernel for stage in COLLISION)
_CONTROLLED = {s.kernel for s in ACTUATION} | {
    ACCELERATION.kernel,
    RESTING[ACCELERATION.kernel].kernel,
}


@cache
def stage_of(kind: str, function, sensed: int = 0) -> Stage:
    """The stage of a hook; function None is that of actuators without one."""
    python = function is not None and not getattr(function, "is_kernel", False)
    if kind == "control":
        call = bound(call_python, PLACE=CONTROL) if python else function
        return Stage(bound(control_hook, hook=call), changes="ctrl", timers=FORCES)
    if kind == "passive":
        call = bound(call_python, PLACE=PASSIVE) if python else function
        return Stage(bound(passive_hook, hook=call), changes="qfrc_passive")
    if kind == "contactfilter":
        call = bound(call_python, PLACE=FILTER) if python else bound(filter_hook, hook=function)
        return Stage(call)
    if kind == "sensor":
        call = bound(call_python_stage, PLACE=SENSOR) if python else function
        return Stage(bound(sensor_hook, hook=call, STAGE=sensed), "sensordata")
    template, place, written = {
        "act_dyn": (dyn_hook, DYN, "act_dot"),
        "act_gain": (gain_hook, GAIN, "actuator_force"),
        "act_bias": (bias_hook, BIAS, "actuator_force"),
    }[kind]
    first = bound(call_python, PLACE=place) if python else nothing
    if function is None:
        function = one if kind == "act_gain" else none
    return Stage(
        bound(template, hook=value if python else function, prepare=first),
        changes=written,
        timers=FORCES,
    )


class Hooks:
    """The hooks of one plan.

    Attributes:
        functions: kind to function.
    """

    def __init__(self, model: "Model"):
        self.model = model
        self.set({})
        self.find()

    def find(self) -> None:
        """Find out what the model leaves to hooks."""
        model = self.model
        user = {
            "act_dyn": model.actuator_dyntype == DYN_USER,
            "act_gain": model.actuator_gaintype == GAIN_USER,
            "act_bias": model.actuator_biastype == BIAS_USER,
        }
        self.actuators = {kind: np.flatnonzero(mask) for kind, mask in user.items()}
        sensed = model.sensor_needstage[model.sensor_type == SENS_USER]
        self.sensed = [k for k in range(STAGE_POS, STAGE_ACC + 1) if k in sensed]

    def set(self, functions: dict) -> None:
        """Have these hooks from now on: kind to function.

        The constants that a kernel names count as they are now.
        """
        self.functions = functions
        self._meanings = {
            kind: meaning(function) if is_kernel(function) else function
            for kind, function in functions.items()
        }

    @property
    def key(self) -> tuple:
        """What programs with these hooks are found by."""
        return tuple(sorted(self._meanings.items()))

    def forward(self, stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
        """Forward dynamics with hooks."""
        chain = list(stages)

        def last(kernels) -> int:
            return max((k for k, stage in enumerate(chain) if stage.kernel in kernels), default=-1)

        def first(kernels) -> int:
            return min(k for k, stage in enumerate(chain) if stage.kernel in kernels)

        place = last(_CONTACTS)
        if "contactfilter" in self.functions and place >= 0:
            chain.insert(place + 1, stage_of("contactfilter", self.functions["contactfilter"]))
        if "passive" in self.functions:
            adding = {s.kernel for s in chain if not without((s,), {"qfrc_passive"})}
            chain.insert(last(adding) + 1, stage_of("passive", self.functions["passive"]))
        if "control" in self.functions:
            chain.insert(first(_CONTROLLED), stage_of("control", self.functions["control"]))
        if len(self.actuators["act_dyn"]):
            place = first({drive_by_activation})
            chain.insert(place, stage_of("act_dyn", self.functions.get("act_dyn")))
        for kind in ("act_gain", "act_bias"):
            if len(self.actuators[kind]):
                place = first({limit_tendon_forces, project_forces})
                chain.insert(place, stage_of(kind, self.functions.get(kind)))
        return tuple(chain)

    def sense(self) -> tuple[Stage, ...]:
        """Stages of the user's sensors."""
        function = self.functions.get("sensor")
        if function is None or self.model.opt.disableflags & DSBL_SENSOR:
            return ()
        return tuple(stage_of("sensor", function, stage) for stage in self.sensed)

    # ------------------------------------------------------------ Python

    def attach(self, plan: "Plan", scratch: "Scratch") -> None:
        """Let the stages of a thread find the hooks in Python."""
        plan_, scratch_ = ref(plan), ref(scratch)
        addresses, scratch.callbacks = scratch.data.arrays["hook"], []
        places = {"control": [CONTROL], "passive": [PASSIVE]}
        places |= {"sensor": [SENSOR + stage for stage in self.sensed]}
        places |= {"act_dyn": [DYN], "act_gain": [GAIN], "act_bias": [BIAS]}
        places |= {"contactfilter": [FILTER]}
        for kind, function in self.functions.items():
            if getattr(function, "is_kernel", False):
                continue
            for place in places[kind]:
                call = self._caller(kind, function, place, plan_, scratch_)
                keep, addresses[place] = callback(call)
                scratch.callbacks.append(keep)

    def _caller(
        self,
        kind: str,
        function,
        place: int,
        plan: "Callable[[], Plan | Any]",
        scratch: "Callable[[], Scratch | Any]",
    ):
        """A function of no arguments that calls a hook on the worlds in a thread's scratch."""

        def call() -> None:
            memory = scratch()
            if memory.error is not None:
                return
            worlds = Worlds(plan(), memory)
            try:
                if kind == "sensor":
                    function(self.model, worlds, place - SENSOR)
                elif kind == "contactfilter":
                    discard(function, self.model, worlds, memory.data.arrays)
                elif kind in self.actuators:
                    for u in self.actuators[kind]:
                        found = function(self.model, worlds, int(u))
                        if found is not None:
                            worlds.hook_value[:, u] = found
                else:
                    function(self.model, worlds)
            except BaseException as error:
                # raised when the stages have returned
                memory.fail(error)

        return call


class Worlds:
    """Fields of some worlds, as hooks in Python see them: arrays (n, ...), written in place.

    Attributes:
        nworld: number of these worlds.
        world: (nworld,), their indices in the data.
    """

    nworld: int
    world: np.ndarray
    _plan: "Plan"
    _scratch: "Scratch"

    def __init__(self, plan: "Plan", scratch: "Scratch"):
        index = np.atleast_1d(scratch.data.arrays["hook_world"].reshape(-1)).astype(np.int64)
        # a pack is filled up with its last world
        count = int(np.argmax(index == index[-1])) + 1
        self.__dict__.update(_plan=plan, _scratch=scratch, nworld=count, world=index[:count])

    def __getattr__(self, name: str) -> np.ndarray:
        arrays = self._scratch.data.arrays
        if name.startswith("_") or name not in arrays:
            raise AttributeError(f"hook: {name!r}: expected a field of mjData")
        array = arrays[name]
        shape = self._plan.field_shape(name)
        lanes = array.shape[1] if array.ndim == 2 else 1
        size = int(np.prod(shape)) * lanes
        return np.moveaxis(array.reshape(-1)[:size].reshape(*shape, lanes), -1, 0)[: self.nworld]

    def __setattr__(self, name: str, values) -> None:
        getattr(self, name)[...] = values


@takes_views
def set_hook(data: "Data", kind: str, function) -> None:
    """Have a function called inside of forward dynamics, as MuJoCo's callbacks are.

    A function that is marked with `kernel` is compiled: it gets the records m and d, and handles
        all worlds of a pack at once, as engine/simd/lanes.py says. Plain Python functions get the
    model and the worlds of a pack, with fields of shape (n, ...) to read and write, and their
    indices `worlds.world`. Both may be called for several packs at the same time.

    | kind | called with | to |
    | --- | --- | --- |
    | control | m, d | set d.ctrl, d.qfrc_applied, d.xfrc_applied, before actuators act |
    | passive | m, d | add to d.qfrc_passive |
    | sensor | m, d, stage | fill in the sensors of type user of a stage (mjtStage: 1, 2, 3) |
    | act_dyn | m, d, u | return the rate of activation of an actuator with dyntype user |
    | act_gain | m, d, u | return the gain of an actuator with gaintype user |
    | act_bias | m, d, u | return the bias of an actuator with biastype user |
    | contactfilter | m, d, geom1, geom2 | return where two geoms that touch make no contact |

    The geoms come with the smaller type first. Those that the filters of bodies, contype and
    conaffinity keep apart are not asked for, nor are predefined pairs.

    Args:
        data: worlds.
        kind: one of the kinds above.
        function: the hook; None removes the one of that kind.

    Raises:
        ValueError: no such kind, or a kernel that needs variables of another function.
        TypeError: no function, or a kernel that names something else than kernels and constants.
    """
    if kind not in KINDS:
        raise ValueError(f"set_hook: kind={kind!r}: expected one of {', '.join(map(repr, KINDS))}")
    if function is not None and not callable(function):
        raise TypeError(
            f"set_hook: {kind}: found a {type(function).__name__}, expected a function or None"
        )
    if is_kernel(function) and function.__code__.co_freevars:
        names = ", ".join(function.__code__.co_freevars)
        raise ValueError(
            f"set_hook: {function.__name__}: {names}: expected constants of the module, or default "
            "arguments, which a compiled function can name"
        )
    functions = {**data.plan.hooks.functions, kind: function}
    data.change_hooks({kind: found for kind, found in functions.items() if found is not None})
