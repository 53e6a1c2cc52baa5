"""The state of N worlds, and what is computed from it."""

import difflib
from functools import cached_property

import numpy as np

from .clearing import Clearing
from .enums import NWARNING
from .errors import FieldError
from .export_sleep import AWAKE_FIELDS, awake_lists
from .history import initial_history
from .kept import (
    ALWAYS,
    CONSTANT_ZERO,
    INTEGERS,
    LATE_INPUTS,
    LATE_OUTPUTS,
    ROWS,
    SLEEP_STATE,
    STATE,
    TIMER_STATE,
    is_empty,
    to_keep,
    why_missing,
)
from .late import Contacts, LateFields
from .layouts import ELEMENT, MODEL_ARRAYS
from .named import OF_DATA, NamedData, add_accessors, place_of
from .plan import Plan, default_width
from .scene import is_scene
from .sleep import AWAKE
from .sleep_start import sleeping_state
from .solver.progress_tables import keeps_progress, solver_progress
from .threads import available
from .timer_tables import keeps_timer, timers
from .transfers import connect

WARNING = np.dtype([("lastinfo", "i4"), ("number", "i4")])


class Data(LateFields):
    """N instances of mjData, stepped in parallel threads.

    Every field of mjData is an array with a leading world axis, of shape (nworld, ...) also for
    one world. Arrays may be written in place;
    assigning to a field copies into its array.

    Attributes:
        nworld: number of worlds.
        time: (nworld,), s.
        qpos, qvel, ctrl, ...: as in MuJoCo; see `fields.py`.
        contact: contacts of every world, see `Contacts`.
        varied: model fields that differ between worlds, (nworld, ...) each; see `vary`.
        body, joint, geom, ...: the fields of one thing, by name or id: `data.joint("knee").qpos`.
    """

    _arrays: dict[str, np.ndarray]
    _plan_type = Plan

    def __init__(
        self,
        model,
        nworld: int = 1,
        *,
        keep=None,
        vary=(),
        width=None,
        nthread=None,
        scene=None,
        nconmax=None,
        njmax=None,
    ):
        """Make data for a model, in its initial state.

        Args:
            model: a `Model`.
            nworld: number of worlds.
            keep: fields to keep besides state, inputs and sensordata; None keeps all.
            vary: real-valued model fields that may differ between worlds.
            width: lanes of a pack, a power of 2; None chooses packs when the worlds fill one.
                Results do not depend on it.
            nthread: threads that share the packs; None uses all processors. Results do not
                depend on it.
            scene: whether a broad phase finds the geoms that are near in every step, world by
                world (width 1), rather than all pairs that may ever touch being listed once. None
                decides by the size of the model.
            nconmax, njmax: contacts and constraint rows of a world that users' arrays have room
                for, in scenes of several worlds; None for a guess. It limits no simulation.

        Raises:
            UnsupportedFeature: the model uses something that is not simulated yet.
            ValueError: an argument is out of range.
        """
        _check_arguments(nworld, width, nthread, nconmax=nconmax, njmax=njmax)
        scene_ = is_scene(model, scene)
        if scene_ and width not in (None, 1):
            raise ValueError(
                f"Data: width={width}: a scene runs world by world, expected width=1 or None"
            )
        set_ = object.__setattr__
        set_(self, "_arrays", {})
        self.model, self.nworld = model, nworld
        self.width = width or (1 if scene_ else default_width(nworld))
        self.nthread = nthread or available()
        self._options = {"keep": keep, "width": width, "nthread": nthread, "scene": scene}
        self._options |= {"vary": tuple(vary), "nconmax": nconmax, "njmax": njmax}
        self._vary_arg = tuple(vary)
        # one world at width 1 lives in the scratch of its thread: nothing is gathered or scattered
        self._in_place = nworld == 1 and self.width == 1
        room = ((1, 1) if self._in_place else (nconmax, njmax)) if scene_ else None
        self._plan_for(keep, room)
        self._make_arrays(keep)
        self.reset_state(np.arange(nworld))
        if self.plan.sleeps:
            self.sleep_at_start = sleeping_state(self, SLEEP_STATE)
            self.__dict__.pop("_awake_at_start", None)
            self.reset_state(np.arange(nworld))

    def _plan_for(self, keep, room: tuple | None) -> None:
        """Make the plan, and find out which fields there are."""
        self.plan = self._plan_type(
            self.model, self.width, self._vary_arg, room, keeps_progress(keep), keeps_timer(keep)
        )
        self.plan.keeps_pack = self._in_place
        self._state = STATE + SLEEP_STATE if self.plan.sleeps else STATE
        if self.plan.timed:
            self._state += TIMER_STATE
        self.sleep_at_start: dict[str, np.ndarray] = {}
        kept = to_keep(self.plan, keep) | (set(self._state) - set(ALWAYS))
        # what nothing else needs is then computed when it is looked at
        self._late = LATE_OUTPUTS & kept if self._in_place else frozenset()
        self.kept = kept - self._late
        self._awake_kept = tuple(self.kept.intersection(AWAKE_FIELDS))

    def _make_arrays(self, keep) -> None:
        """Make the arrays of all fields."""
        self.fresh: list[str] = []
        self._allocate()
        # arrays that a reset clears one by one, because they do not lie in the scratch
        present = {name: array for name, array in self._arrays.items() if name not in self._late}
        self._counters = [a for n, a in present.items() if a.size and n in INTEGERS]
        own = ["solver_stat"] * keeps_progress(keep) + [*TIMER_STATE] * self.plan.timed
        self._counters += [self._arrays[name] for name in own]
        self.varied = self._varied_arrays()
        self._warnings = np.zeros((2, self.nworld, NWARNING), np.int32)
        self._warn_number, self._warn_info = self._warnings
        if "contact_dist" in self.kept:
            object.__setattr__(self, "contact", Contacts(self))
        self.inputs_in_use: tuple[str, ...] = ()

    # ------------------------------------------------------------ fields

    def _shape(self, name: str) -> tuple:
        if name in self.plan.unused:
            return (self.nworld, 0)
        sizes = self.plan.threads(1)[0].sizes if self._in_place else self.plan.sizes
        dims = (d if isinstance(d, int) else sizes[d] for d in ROWS[name].shape)
        return (self.nworld, *dims)

    def _allocate(self) -> None:
        for name in (*ALWAYS, *sorted(self.kept)):
            self._add_array(name)
        for name in self._late:
            self._arrays[name] = self._new_array(name)
        for name in ROWS:
            if name not in self._arrays and (is_empty(self.plan, name) or name in CONSTANT_ZERO):
                self._add_array(name)

    def _new_array(self, name: str) -> np.ndarray:
        in_scratch = self._in_place and name not in self.plan.unused
        if in_scratch and name not in INTEGERS and name not in CONSTANT_ZERO:
            return self.plan.threads(1)[0].data.arrays[name].reshape(self._shape(name))
        return np.zeros(self._shape(name), np.int32 if name in INTEGERS else np.float64)

    def _add_array(self, name: str) -> np.ndarray:
        array = self._arrays[name] = self._new_array(name)
        object.__setattr__(self, name, array)
        return array

    def take(self, name: str, worlds, values: np.ndarray) -> None:
        """Copy values of a field into some worlds; lists of scenes may differ in length."""
        self.plan.forget_rest()
        array = self._arrays[name]
        if array[worlds].shape == values.shape:
            array[worlds] = values
        elif self._in_place:
            self._arrays[name] = values.copy()
        else:
            n = min(array.shape[1], values.shape[1])
            array[worlds, :n] = values[:, :n]

    def _varied_arrays(self) -> dict:
        arrays = {}
        reals = {row.name: row for row in MODEL_ARRAYS if ELEMENT[row.type] == "f8"}
        for name in self._vary_arg:
            if name not in reals:
                close = difflib.get_close_matches(name, reals, 1)
                hint = f"; did you mean {close[0]!r}?" if close else ""
                raise ValueError(f"Data: vary={name!r}: no such real-valued model field{hint}")
            source = self.plan.model_record.arrays[name]
            self.plan.refresh()
            arrays[name] = np.repeat(source[None], self.nworld, axis=0).copy()
        return arrays

    def __getattr__(self, name: str):
        if name in LATE_INPUTS and "inputs_in_use" in self.__dict__:
            self.inputs_in_use += (name,)
            return self._add_array(name)
        if name.startswith("_") or "fresh" not in self.__dict__:
            raise AttributeError(name)
        return self._find(name)

    def __setattr__(self, name: str, value) -> None:
        if name in LATE_INPUTS and name not in self._arrays:
            getattr(self, name)
        array = self._arrays.get(name)
        if array is None:
            object.__setattr__(self, name, value)
        else:
            array[...] = value

    # ------------------------------------------------------------ state

    def reset_state(self, worlds) -> None:
        """Initial state, zero inputs, derived fields and warnings in some worlds.

        Args:
            worlds: indices, or a slice.
        """
        if not self._in_place and self._cleared_at_once(worlds):
            return
        if self._in_place:
            self.plan.scratch[0].public.fill(0)
            for array in self._counters:
                array.fill(0)
            self._warnings.fill(0)
        else:
            for array in self._arrays.values():
                if array.size:
                    array[worlds] = 0
            self._warnings[:, worlds] = 0
        self.qpos[worlds] = self.model.qpos0
        if self.model.nhistory:
            self.history[worlds] = initial_history(self.model)
        if self.model.nmocap:
            bodies = np.flatnonzero(self.model.body_mocapid >= 0)
            order = bodies[np.argsort(self.model.body_mocapid[bodies])]
            self.mocap_pos[worlds] = self.model.body_pos[order]
            self.mocap_quat[worlds] = self.model.body_quat[order]
        if self.model.neq:
            self.eq_active[worlds] = self.model.eq_active0
        self.tree_asleep[worlds] = AWAKE
        for name, values in self.sleep_at_start.items():
            self._arrays[name][worlds] = values
        for name in self._awake_kept:
            self._arrays[name][worlds] = self._awake_at_start[name]
        self.forget_late()
        self.plan.forget_rest()
        # as a late output it lasts until the next call; the others are zero as long
        self.__dict__["_blank"] = True
        self.fresh.append("_blank")

    def _cleared_at_once(self, worlds) -> bool:
        """Put a part of the worlds into their initial state by compiled code, if it can do so."""
        if isinstance(worlds, slice) or len(worlds) >= self.nworld:
            return False
        clearing = self.__dict__.get("_clearing")
        if clearing is None or clearing.narray != len(self._arrays):
            clearing = self.__dict__["_clearing"] = Clearing(self)
        if clearing.possible:
            clearing.clear(self.model, worlds)
            self.forget_late()
        return clearing.possible

    def copy_of_state(self) -> dict[str, np.ndarray]:
        """The state of all worlds."""
        return {name: self._arrays[name].copy() for name in self._state}

    def put_back(self, state: dict[str, np.ndarray]) -> None:
        """Put all worlds into the state of `copy_of_state`."""
        self.plan.forget_rest()
        for name, array in state.items():
            self._arrays[name][...] = array

    @cached_property
    def _awake_at_start(self) -> dict[str, np.ndarray]:
        """Lists of what is awake after a reset, for one world."""
        asleep = self.sleep_at_start.get("tree_asleep")
        return awake_lists(
            self.model, np.full(self.model.ntree, AWAKE) if asleep is None else asleep
        )

    def __getstate__(self) -> dict:
        return {
            "model": self.model,
            "nworld": self.nworld,
            "options": self._options,
            "arrays": {n: a for n, a in self._arrays.items() if a.size and n not in self._late},
            "varied": self.varied,
            "warnings": (self._warn_number, self._warn_info),
            "hooks": self.plan.hooks.functions,
        }

    def __setstate__(self, state: dict) -> None:
        self.__init__(state["model"], state["nworld"], **state["options"])
        if state["hooks"]:
            self.change_hooks(state["hooks"])
        for name, array in state["arrays"].items():
            if name in LATE_INPUTS:
                getattr(self, name)
            self._arrays[name][...] = array
        for name, array in state["varied"].items():
            self.varied[name][...] = array
        for mine, theirs in zip(
            (self._warn_number, self._warn_info), state["warnings"], strict=True
        ):
            mine[...] = theirs

    def change_hooks(self, functions: dict) -> None:
        """Have these hooks from now on: kind to function, see hooks.py."""
        if "control" in functions:
            # which it may set
            _ = self.qfrc_applied, self.xfrc_applied
        self.plan.change_hooks(functions)

    def connect(self, program) -> None:
        """Enter the arrays that a program gathers and scatters, unless they are entered already."""
        if program.connected != self.inputs_in_use:
            connect(self, program)

    # ------------------------------------------------------------ warnings and inputs

    @property
    def warning(self) -> np.ndarray:
        """Warnings of every world so far: (nworld, 7), fields `lastinfo` and `number`, a copy."""
        warning = np.zeros((self.nworld, NWARNING), WARNING)
        warning["number"], warning["lastinfo"] = self._warn_number, self._warn_info
        return warning

    @property
    def solver(self) -> np.ndarray:
        """Iterations of the solver in the last step, mjSolverStat: (nworld, 20 * 200), a copy.

        Iteration k of island i stands at 200 * i + k; the first `solver_niter[world, i]` count.
        Only with `keep=["solver", ...]`. Gradient and lineslope are 0 where forces are what a
        solver moves: PGS, noslip, and Newton's method on rows.
        """
        if not self.plan.sizes["nsolverstat"]:
            raise FieldError(f"Data.solver: {why_missing('solver')}")
        return solver_progress(self._arrays["solver_stat"])

    @property
    def timer(self) -> np.ndarray:
        """Time (s) and calls of each timer (mjtTimer) since a reset: (nworld, 15), a copy.

        A world has its share of the time that its pack takes. Only with `keep=["timer", ...]`.
        """
        if not self.plan.timed:
            raise FieldError(f"Data.timer: {why_missing('timer')}")
        return timers(*(self._arrays[name] for name in TIMER_STATE))

    @property
    def warning_numbers(self) -> np.ndarray:
        """How often each warning was given since a world's reset: int (nworld, 7), live."""
        return self._warn_number

    @property
    def wrench_in_use(self) -> bool:
        """Whether xfrc_applied has to be taken into account."""
        return "xfrc_applied" in self.inputs_in_use


def _check_arguments(nworld: int, width, nthread, **room) -> None:
    """Raise ValueError for arguments of `Data` that are out of range."""
    if nworld < 1:
        raise ValueError(f"Data: nworld={nworld}: expected at least 1")
    if width is not None and width not in (1, 2, 4, 8, 16):
        raise ValueError(f"Data: width={width}: expected 1, 2, 4, 8 or 16")
    for name, value in {"nthread": nthread, **room}.items():
        if value is not None and value < 1:
            raise ValueError(f"Data: {name}={value}: expected at least 1")


add_accessors(
    Data,
    OF_DATA,
    {"jnt": "joint", "cam": "camera", "ten": "tendon"},
    lambda data, kind, key: NamedData(data, kind, place_of(data.model, kind, key)),
)
