"""The state of N worlds, and what is computed from it."""

import copy
from collections.abc import Collection
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arguments import texts, whole
from ..errors import FieldError, a_or_an, warn_renamed
from ..model.model import Model
from ..model.named import OF_DATA, add_accessors, place_of
from ..physics.capacity import LISTS
from ..physics.sleep.scratch import AWAKE
from ..physics.solver.solver_stat_tables import solver_progress
from ..pipeline.input_snapshot import SNAPSHOT
from ..pipeline.timer_tables import timers
from ..run.in_use import alone
from ..run.plan import Plan
from ..run.structures import structure_of
from ..simd.threads import available
from ..tables.enums import NWARNING
from .initial import INITIAL
from .memory import MEMORY
from .on_demand import KNOWN
from .reallocation import apply_edits, rebuild, take_lists, weak_call
from .requested_fields import (
    CONSTANT_ZERO,
    INPUTS,
    INTEGERS,
    LAZY_INPUTS,
    OF_LISTS,
    ROWS,
    SLEEP_STATE,
    TIMER_STATE,
    why_missing,
)
from .stored_fields import StoredFields
from .transfers import connect

if TYPE_CHECKING:
    from ..run.program import Program
    from .masked_reset import MaskedReset, ResetOfOne
    from .named_data import NamedData

# what to do where something cannot be assigned
_INSTEAD = {
    "model": "; make data for the other model: Data(model)",
    "nworld": "; make data with as many worlds: Data(model, nworld=...)",
    "width": "; it is an argument: Data(model, width=...)",
    "nthread": "; it is an argument: Data(model, nthread=...)",
    "varied": "; write into its arrays: data.varied[name][:] = ...",
    "contact": "; it is computed from positions",
    **dict.fromkeys(("plan", "fresh", "kept", "inputs_in_use", "sleep_at_start"), ""),
    **dict.fromkeys(MEMORY, "; it is what the data take"),
    "warning": "; it is counted by steps, and a reset clears it",
}
# arrays of one world that do not lie in the scratch, and those that come into use when looked at
APART = INTEGERS | CONSTANT_ZERO | set(LAZY_INPUTS)
WARNING = np.dtype([("lastinfo", "i4"), ("number", "i4")])
SHORT_LIST = 1024  # numbers of a world: up to here a list is cleared whole, which is no slower


class Data(StoredFields):
    """N instances of mjData, stepped in parallel threads.

    Every field of mjData is an array with a leading world axis, of shape (nworld, ...) also for
    one world. Arrays may be written in place; assigning to a field copies into its array. `contact`
    has the contacts of every world. `data.joint("knee").qpos` is the part of one joint, by name or
    id; bodies, geoms, sites, cameras, lights, tendons, actuators, sensors and equality constraints
    have the same access.

    Attributes:
        nworld: number of worlds.
        varied: model fields that differ between worlds, (nworld, ...) each; see `vary`.
    """

    _arrays: dict[str, np.ndarray]
    # what machine code looks at, see step.py
    __slots__ = ("_model", "_ready")
    _plan_type = Plan
    held: Any = ()
    model: Model
    nworld: int
    width: int
    nthread: int
    kept: frozenset[str]
    varied: dict[str, np.ndarray]
    inputs_in_use: tuple[str, ...]
    sleep_at_start: dict[str, np.ndarray]

    def __init__(
        self,
        model: Model,
        nworld: int = 1,
        *,
        keep: Collection[str] | None = None,
        vary: Collection[str] = (),
        width: int | None = None,
        nthread: int | None = None,
        large_model: Any = None,
        nconmax: int | None = None,
        njmax: int | None = None,
        scene: bool | None = None,
    ):
        """Make data for a model, in its initial state.

        Args:
            model: a `Model`.
            nworld: number of worlds.
            keep: fields to keep besides state, inputs and sensordata; None keeps all except those
                that cost time and are rarely read: timer, solver, maxuse_con, maxuse_efc.
            vary: real-valued model fields that may differ between worlds, also heights of terrain
                (`hfield_data`), and colours, lights and the reflection of materials for pictures;
                rays use the model's own alpha.
            width: lanes of a pack, a power of 2; None chooses packs when the worlds fill one.
                Results do not depend on it.
            nthread: threads that share the packs; None for one on each processor that affinity and
                the quota of a container leave. Results do not depend on it.
            large_model: whether a broad phase finds close geoms in every step, world by world
                (width 1), rather than from one list of all pairs that may collide. None decides
                by the size of the model.
            nconmax, njmax: capacity of users' arrays, in contacts and constraint rows of a world,
                in large models with several worlds; None for a guess. No limit of the simulation.
            scene: the former name of `large_model`.

        Raises:
            UnsupportedFeature: the simulation lacks a feature of the model.
            ValueError: an argument is out of range.
        """
        if not isinstance(model, Model):
            raise TypeError(
                f"Data: found {a_or_an(type(model).__name__)}, expected a model: "
                "Data(Model.from_xml_path(...))"
            )
        if scene is not None:
            warn_renamed("Data(scene=...)", "Data(large_model=...)")
            large_model = scene
        # arguments, kept to make data anew where the model is edited
        _check_arguments(nworld, width, nthread, nconmax=nconmax, njmax=njmax)
        keep = keep if keep is None or isinstance(keep, str) else texts(keep, "Data", "keep")
        vary = texts(vary, "Data", "vary")
        own = vars(self)
        own.update(_arrays={}, model=model, nworld=nworld, nthread=nthread or available())
        self._options: dict[str, Any] = {"keep": keep, "width": width, "nthread": nthread}
        self._options["large_model"] = large_model
        self._options |= {"vary": tuple(vary), "nconmax": nconmax, "njmax": njmax}
        self._vary_arg = tuple(vary)
        # the plan, then arrays of all fields, then the initial state
        self._plan_for(model)
        self._make_arrays(keep)
        alone(self.plan, "Data", self._begin, np.arange(nworld))
        if self.plan.sleeps:
            from .sleep_start import sleeping_state

            own["sleep_at_start"] = sleeping_state(self, SLEEP_STATE)
            self.__dict__.pop("_awake_at_start", None)
            self.reset_state(np.arange(nworld))

    def _plan_for(self, model: Model) -> None:
        """Make the plan, and find out which fields there are."""
        structure = structure_of(model)
        wanted = self._wanted(structure.is_large_model(model, self._options["large_model"]))
        own = vars(self)
        own["width"] = wanted.width
        # one world at width 1 lives in the scratch of its thread: nothing is gathered or scattered
        self._in_place = self.nworld == 1 and self.width == 1
        # whether `step` has the next one made ready: mj_step does so itself
        self._repeats = self._in_place and type(self) is Data
        self._model = model
        own["plan"] = self._plan_type(model, wanted, structure)
        self._ready = self.plan.prepared.rows
        self.plan.rebuild = weak_call(self, rebuild)
        self.plan.copy_of_state = weak_call(self, type(self).copy_of_state)
        own["sleep_at_start"] = {}
        self._choose_fields()

    def use_model(self, model: Model, where: str) -> None:
        """Use another model of the same sizes, as MuJoCo's functions allow.

        Raises:
            ValueError: always, for `Data`: they belong to their model.
        """
        raise ValueError(
            f"{where}: data were made for another model; expected data of this model: Data(model)"
        )

    # ------------------------------------------------------------ fields

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name in LAZY_INPUTS and "inputs_in_use" in self.__dict__:
                self.__dict__["inputs_in_use"] += (name,)
                self.plan.prepared.clear()
                if name == "xfrc_applied":
                    self.plan.use_wrench()
                return self._add_array(name)
            if name.startswith("_") or "fresh" not in self.__dict__:
                raise AttributeError(name)
            return self._find(name)

        def __setattr__(self, name: str, value: Any) -> None:
            array = self._arrays.get(name)
            if array is not None and name not in self._lazy:
                array[...] = value
                if name in OF_LISTS:
                    self.forget_ends()
            elif name.startswith("_"):
                object.__setattr__(self, name, value)
            elif name in _INSTEAD or hasattr(type(self), name):
                raise AttributeError(f"Data.{name}: cannot be assigned{_INSTEAD.get(name, '')}")
            else:
                # computed when it is looked at, or first used; else the error of reading it
                getattr(self, name)[...] = value

    def __repr__(self) -> str:
        name = self.model.modelname
        size = "1 world" if self.nworld == 1 else f"{self.nworld} worlds"
        times = sorted({float(self.time.min()), float(self.time.max())})
        return f"<mjenv.Data of '{name}': {size}, time {' to '.join(f'{t:.6g}' for t in times)}>"

    def __dir__(self):
        return sorted({*super().__dir__(), *ROWS.keys() - SNAPSHOT, "contact"})

    def bind(self, elements: Any):
        """Fields of an element of a `Spec` in these data, or of several of one kind.

        Args:
            elements: an element with a name, `spec.joint("knee")`, or some of one kind.

        Returns:
            What `data.joint("knee")` returns; for several, their rows one after the other.
        """
        from ..model.bound import bind

        return bind(self, elements, lambda kind, key: getattr(self, kind)(key))

    # ------------------------------------------------------------ state

    def reset_state(self, worlds: np.ndarray | slice) -> None:
        """Initial state, zero inputs, derived fields and warnings in some worlds.

        Args:
            worlds: indices, or a slice.

        Raises:
            DataInUse: another call is working on the data.
        """
        alone(self.plan, "reset", self._reset_state, worlds)
        self.show_held()

    def _reset_state(self, worlds: np.ndarray | slice) -> None:
        if not self._in_place and self._cleared_at_once(worlds):
            return
        if self._in_place:
            self.plan.scratch[0].public.fill(0)
            for array in self._counters:
                array.fill(0)
            self._warnings.fill(0)
        else:
            for name, array in self._arrays.items():
                if name in OF_LISTS and array[0].size > SHORT_LIST:
                    self.clear_list(name, worlds)
                elif array.size:
                    array[worlds] = 0
            self._warnings[:, worlds] = 0
        self._begin(worlds)

    def _begin(self, worlds: np.ndarray | slice) -> None:
        """Initial state in some worlds, whose arrays are zeros."""
        for name, row in self._initial_rows:
            self._arrays[name][worlds] = row.value(self, worlds)
        for name, values in self.sleep_at_start.items():
            self._arrays[name][worlds] = values
        for name in self._awake_kept:
            self._arrays[name][worlds] = self._awake_at_start[name]
        self.forget_lazy()
        self.plan.forget_rest()
        # as a late output it lasts until the next call; the others are zero as long
        self.__dict__["_blank"] = True
        self.fresh.append("_blank")

    def place_mocap(self, worlds: np.ndarray | slice) -> None:
        """Put mocap bodies of some worlds, indices or a slice, where their models have them."""
        for name in ("mocap_pos", "mocap_quat") if self.model.nmocap else ():
            self._arrays[name][worlds] = INITIAL[name].value(self, worlds)

    def _cleared_at_once(self, worlds: np.ndarray | slice) -> bool:
        """Put a part of the worlds into their initial state by compiled code, if it can do so."""
        if isinstance(worlds, slice) or len(worlds) >= self.nworld:
            return False
        clearing = self.masked_reset()
        if clearing.possible:
            clearing.clear(self, worlds)
            self.forget_lazy()
        return clearing.possible

    def masked_reset(self) -> "MaskedReset":
        """What puts a part of the worlds into their initial state."""
        clearing = self.__dict__.get("_clearing")
        if clearing is None or clearing.narray != len(self._arrays):
            from .masked_reset import MaskedReset

            clearing = self.__dict__["_clearing"] = MaskedReset(self)
        return clearing

    def reset_of_one(self) -> "ResetOfOne":
        """What puts the only world into its initial state, where it lives in the scratch."""
        clearing: Any = self.__dict__.get("_clearing")
        public, narray = self.plan.threads(1)[0].public, len(self._arrays)
        if clearing is None or clearing.public is not public or clearing.narray != narray:
            from .masked_reset import ResetOfOne

            clearing = self.__dict__["_clearing"] = ResetOfOne(self)
        return clearing

    def copy_of_state(self, copies: dict[str, np.ndarray] | None = None) -> dict[str, np.ndarray]:
        """The state of all worlds, in the copies of an earlier call if there are some."""
        arrays = self._arrays
        if copies is None:
            return {name: arrays[name].copy() for name in self._state if arrays[name].size}
        for name, kept in copies.items():
            kept[...] = arrays[name]
        return copies

    def copy_of_start(self) -> tuple[dict[str, np.ndarray], np.ndarray]:
        """All that a call reads and writes: state, inputs, warnings."""
        names = (*INPUTS, *self.inputs_in_use)
        return self.copy_of_state() | {n: self._arrays[n].copy() for n in names}, (
            self._warnings.copy()
        )

    def start_again(self, start: tuple, sizes: dict[str, int]) -> None:
        """Go back to `copy_of_start`, with longer lists of contacts and rows."""
        state, warnings = start
        self.put_back(state)
        self._warnings[...] = warnings
        take_lists(self, sizes)
        self.plan.disconnect_all()
        self.__dict__.pop("_clearing", None)

    def put_back(self, state: dict[str, np.ndarray]) -> None:
        """Put all worlds into the state of `copy_of_state`."""
        self.plan.forget_rest()
        for name, array in state.items():
            self._arrays[name][...] = array

    @cached_property
    def _awake_at_start(self) -> dict[str, np.ndarray]:
        """Lists of what is awake after a reset, for one world."""
        from ..physics.results.awake import awake_lists

        asleep = self.sleep_at_start.get("tree_asleep")
        return awake_lists(
            self.model, np.full(self.model.ntree, AWAKE) if asleep is None else asleep
        )

    def __getstate__(self) -> dict:
        return alone(self.plan, "copy", self._state_to_copy)

    def state_of_copy(self) -> dict:
        """As for pickling, for a copy in this process: it takes over the scratch as a whole."""
        return alone(self.plan, "copy", self._state_to_copy, True)

    def _state_to_copy(self, whole: bool = False) -> dict:
        apply_edits(self)
        scratch = self.plan.threads(1)[0] if self._in_place else None
        whole = whole and scratch is not None
        return {
            "model": self.model,
            "nworld": self.nworld,
            "options": self._options
            | {"large_model": self.plan.large_model or self._options["large_model"]},
            "owns_contacts": self.plan.conditions["owns_contacts"],
            "lists": {name: self.plan.sizes[name] for name in LISTS},
            "arrays": {
                n: self.filled(n) if n in OF_LISTS else a
                for n, a in self._arrays.items()
                if a.size and n not in self._lazy and (not whole or n in APART)
            },
            "varied": self.varied,
            "warnings": (self._warn_number, self._warn_info),
            "hooks": self.plan.hooks.functions,
            "late": {name: self.__dict__[name] for name in self._lazy.intersection(self.fresh)},
            "known": {name: self.__dict__[name] for name in KNOWN if name in self.fresh},
            "scratch": scratch if whole or scratch is None else scratch.contents(),
        }

    def __deepcopy__(self, memo: dict) -> "Data":
        # alone, as in MuJoCo, a copy belongs to the same model; in a larger object to its copy
        if not memo:
            memo[id(self.model)] = self.model
        twin = memo[id(self)] = type(self).__new__(type(self))
        state = self.__getstate__()
        own = {name: copy.deepcopy(state[name], memo) for name in ("model", "hooks")}
        twin.__setstate__(state | own)
        return twin

    def __setstate__(self, state: dict) -> None:
        self.__init__(state["model"], state["nworld"], **state["options"])
        if state["owns_contacts"]:
            self.plan.own_contacts()
            self._choose_fields()
        take_lists(self, state["lists"])
        if state["hooks"]:
            self.change_hooks(state["hooks"])
        for name, array in state["arrays"].items():
            if name in LAZY_INPUTS:
                getattr(self, name)
            # what is kept while trees sleep is not, where they may not any more
            if name in OF_LISTS and name in self._arrays:
                self.fill(name, array)
            elif name in self._arrays:
                self._arrays[name][...] = array
        for name, array in state["varied"].items():
            self.varied[name][...] = array
        for mine, theirs in zip(
            (self._warn_number, self._warn_info), state["warnings"], strict=True
        ):
            mine[...] = theirs
        self._restore_lazy(state)

    def _restore_lazy(self, state: dict) -> None:
        """Hold what lazy fields are computed from, and those that were looked at."""
        if state["scratch"] is not None:
            scratch, contents = self.plan.threads(1)[0], state["scratch"]
            if isinstance(contents, dict):
                scratch.put_contents(contents)
            else:
                scratch.copy(contents, self._lazy)
            self.plan.forget_rest()
        self.forget_lazy()
        for name, array in state["late"].items():
            self.take(name, slice(None), array)
            self.__dict__[name] = self._arrays[name]
            self.fresh.append(name)
        self.__dict__.update(state["known"])
        self.fresh.extend(state["known"])

    def change_hooks(self, functions: dict) -> None:
        """Have these hooks from now on: kind to function, see hooks.py."""
        if "control" in functions:
            # which it may set
            _ = self.qfrc_applied, self.xfrc_applied
        self.plan.change_hooks(functions)

    def connect(self, program: "Program") -> None:
        """Enter the arrays that a program gathers and scatters."""
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
        """Number of warnings of each kind since a world's reset: int (nworld, 7), live."""
        return self._warn_number

    @property
    def wrench_in_use(self) -> bool:
        """True if xfrc_applied has to be taken into account."""
        return "xfrc_applied" in self.inputs_in_use


def _check_arguments(nworld: int, width: int | None, nthread: int | None, **capacity: Any) -> None:
    """Raise ValueError for arguments of `Data` that are out of range."""
    whole(nworld, "Data", "nworld", 1)
    if width is not None and whole(width, "Data", "width") not in (1, 2, 4, 8, 16):
        raise ValueError(f"Data: width={width}: expected 1, 2, 4, 8 or 16")
    for name, value in {"nthread": nthread, **capacity}.items():
        if value is not None:
            whole(value, "Data", name, 1)


def _named(data: Data, kind: str, key: int | str) -> "NamedData":
    from .named_data import NamedData

    return NamedData(data, kind, place_of(data.model, kind, key))


add_accessors(Data, OF_DATA, {"jnt": "joint", "cam": "camera", "ten": "tendon"}, _named)
