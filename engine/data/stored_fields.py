"""Memory of the fields of data: which there are, where they lie, and what a reset clears."""

import difflib
from collections.abc import Collection
from math import prod
from typing import Any
from weakref import ref

import numpy as np

from ..model.model import Model
from ..physics.results.scratch import AWAKE_FIELDS, MOST_USED
from ..pipeline.layouts import ELEMENT, MODEL_ARRAYS
from ..run.derived import Wanted
from ..run.plan import default_width
from ..simd.record import Record, memory_of, zeroed_pages
from ..tables.enums import NWARNING
from ..tables.fields import WITHOUT_LANES
from .initial import initial_rows
from .on_demand import Contacts, LazyFields, Names
from .requested_fields import (
    ALWAYS,
    CONSTANT_ZERO,
    INTEGERS,
    LAZY_OUTPUTS,
    OF_LISTS,
    ROWS,
    SLEEP_STATE,
    STATE,
    TIMER_STATE,
    asks_for,
    dims_of,
    is_empty,
    to_keep,
)


class Arrangement:
    """Shapes, types and places of the arrays of new data."""

    def __init__(self, arrays: dict[str, np.ndarray], shown: dict[str, Any], record: Record | None):
        """Note those of data that were just made.

        Args:
            arrays: all of them, by name.
            shown: attributes of the data.
            record: of the scratch in which some of them lie, None where none do.
        """
        # name, shape, type, offset in the scratch or -1, whether it is an attribute
        self._rows = []
        places, block = record.arrays.blocks[0] if record else (None, None)
        for name, array in arrays.items():
            shared = places and np.shares_memory(array, block)
            start = places.where[name][0] if shared else -1
            self._rows.append((name, array.shape, array.dtype, start, name in shown))

    def apply(
        self, arrays: dict[str, np.ndarray], shown: dict[str, Any], record: Record | None
    ) -> None:
        """Make the arrays of other data in the same way."""
        # views of an array then know it, rather than the block, see held.py
        block = memory_of(record.arrays.blocks[0][1]) if record else None
        for name, shape, dtype, start, is_shown in self._rows:
            own_memory = start < 0
            array = (
                zeros(name, shape, dtype) if own_memory else np.ndarray(shape, dtype, block, start)
            )
            arrays[name] = array
            if is_shown:
                shown[name] = array


def zeros(name: str, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """Memory of a field; of lists, most of which is never used, only what is touched."""
    if name not in OF_LISTS:
        return np.zeros(shape, dtype)
    return zeroed_pages(prod(shape) * np.dtype(dtype).itemsize).view(dtype).reshape(shape)


class StoredFields(LazyFields):
    """Fields of `Data` that have memory, beside those that are computed when they are read."""

    _options: dict[str, Any]
    _vary_arg: tuple[str, ...]
    _in_place: bool
    model: Model
    width: int
    kept: frozenset[str]
    varied: dict[str, np.ndarray]
    inputs_in_use: tuple[str, ...]
    _ends: dict[str, tuple[ref, int, np.ndarray]]
    sleep_at_start: dict[str, np.ndarray]
    _ends_forgotten = False
    _frames_noted = False

    def _wanted(self, large_model: bool) -> Wanted:
        """Requirements of the plan."""
        options = self._options
        keep, width = options["keep"], options["width"]
        if large_model and width not in (None, 1):
            raise ValueError(
                f"Data: width={width}: large_model=True runs one world at a time, expected width=1 "
                "or None"
            )
        width = width or (1 if large_model else default_width(self.nworld))
        alone = self.nworld == 1 and width == 1
        capacity = (1, 1) if alone else (options["nconmax"], options["njmax"])
        return Wanted(
            width,
            tuple(name for name in options["vary"] if name not in WITHOUT_LANES),
            capacity if large_model else None,
            asks_for(keep, "solver"),
            asks_for(keep, "timer"),
            (keep is None or asks_for(keep, "stages")) and not alone,
            asks_for(keep, *MOST_USED),
            alone=alone,
            frames_noted=self._frames_noted,
        )

    def _choose_fields(self) -> None:
        """Find out which fields there are, and which are computed when they are looked at."""
        keep = self._options["keep"]
        key = ("fields", keep if keep is None else tuple(keep), self._in_place, self.plan.unused)
        key += (self.plan.conditions["owns_contacts"],)
        made = self.plan.derived.made
        if key not in made:
            made[key] = self._chosen_fields(keep)
        self._state, self._lazy, vars(self)["kept"] = made[key]
        self.plan.ready.clear()
        self.plan.prepared.clear()
        self._awake_kept = tuple(self.kept.intersection(AWAKE_FIELDS))

    def _chosen_fields(
        self, keep: Collection[str] | None
    ) -> tuple[tuple[str, ...], frozenset[str], frozenset[str]]:
        """State, fields that are computed when they are looked at, and the other computed ones."""
        plan = self.plan
        state = STATE + SLEEP_STATE if plan.sleeps else STATE
        if plan.timed:
            state += TIMER_STATE
        if plan.wanted.counts_most_used:
            state += MOST_USED
        kept = to_keep(plan, keep) | (set(state) - set(ALWAYS))
        # what nothing else needs is then computed when it is looked at
        late = LAZY_OUTPUTS & kept if self._in_place else frozenset()
        return state, late, kept - late

    def _make_arrays(self, keep: Collection[str] | None) -> None:
        """Make the arrays of all fields."""
        own = vars(self)
        own["fresh"] = Names()
        own["_ends"] = {}
        self._allocate_first()
        self._find_counters()
        own["varied"] = self._varied_arrays()
        self._warnings = np.zeros((2, self.nworld, NWARNING), np.int32)
        self._warn_number, self._warn_info = self._warnings
        if "contact_dist" in self.kept:
            own["contact"] = Contacts(self)
        own["inputs_in_use"] = ()

    def _find_counters(self) -> None:
        """Find what a reset fills in, and what it clears because it does not lie in the scratch."""
        present = {name: array for name, array in self._arrays.items() if name not in self._lazy}
        self._counters = [a for n, a in present.items() if a.size and n in INTEGERS]
        self._initial_rows = tuple(initial_rows(self._arrays).items())
        own = ["solver_stat"] * asks_for(self._options["keep"], "solver")
        own += [*TIMER_STATE] * self.plan.timed
        self._counters += [self._arrays[name] for name in own]
        if self._in_place:
            self._counters.append(self.plan.threads(1)[0].data.arrays["snapshot_on"])

    def _shape(self, name: str) -> tuple:
        if name in self.plan.unused:
            return (self.nworld, 0) if ROWS[name].shape else (self.nworld,)
        if name in OF_LISTS:
            # which may have grown
            sizes = self.plan.threads(1)[0].sizes if self._in_place else self.plan.sizes
            return (self.nworld, *dims_of(name, sizes))
        known = self.plan.derived.made.setdefault("shapes", {})
        if name not in known:
            known[name] = dims_of(name, self.plan.sizes)
        return (self.nworld, *known[name])

    def _allocate_first(self) -> None:
        """As `_allocate`, for new data, with what was found out for others of the same kind."""
        made = self.plan.derived.made
        key = ("arrays", self.nworld, self._in_place, self.plan.unused, self._lazy, self.kept)
        own, record = vars(self), self.plan.threads(1)[0].data if self._in_place else None
        if key in made:
            made[key].apply(self._arrays, own, record)
        else:
            self._allocate()
            made[key] = Arrangement(self._arrays, own, record)

    def _allocate(self) -> None:
        if self._in_place:
            self.plan.threads(1)
        for name in (*ALWAYS, *sorted(self.kept)):
            self._add_array(name)
        for name in self._lazy:
            self._arrays[name] = self._new_array(name)
        for name in ROWS:
            if name not in self._arrays and (is_empty(self.plan, name) or name in CONSTANT_ZERO):
                self._add_array(name)

    def ends_of(self, name: str) -> np.ndarray:
        """How many numbers the list of a field holds in each world: none as long as it is new."""
        array = self._arrays[name]
        found = self._ends.get(name)
        if found is None or found[0]() is not array:
            is_new = found is None and not self._ends_forgotten
            ends = np.full(self.nworld, 0 if is_new else array[0].size, np.int32)
            # whether users hold arrays is told by their references
            found = self._ends[name] = ref(array), array[0].size, ends
        return found[2]

    def clear_list(self, name: str, worlds: np.ndarray | slice) -> None:
        """Fill the list of a field with zeros in some worlds, as far as it reaches."""
        ends = self.ends_of(name)
        rows = self._arrays[name].reshape(self.nworld, -1)
        rows[worlds, : ends[worlds].max(initial=0)] = 0
        ends[worlds] = 0

    def filled(self, name: str) -> np.ndarray:
        """The list of a field as far as it reaches in any world, (nworld, numbers)."""
        rows = self._arrays[name].reshape(self.nworld, -1)
        return rows if self._in_place else rows[:, : self.ends_of(name).max()]

    def fill(self, name: str, rows: np.ndarray) -> None:
        """Have the list of a field, of which nothing is there, begin with what another's held."""
        self._arrays[name].reshape(self.nworld, -1)[:, : rows.shape[1]] = rows
        if not self._in_place:
            self.ends_of(name)[:] = rows.shape[1]

    def forget_ends(self) -> None:
        """Take lists to hold something everywhere: they were written otherwise than by a run."""
        vars(self)["_ends_forgotten"] = True
        for _, size, ends in self._ends.values():
            ends[:] = size

    def _new_array(self, name: str) -> np.ndarray:
        in_scratch = self._in_place and name not in self.plan.unused
        if in_scratch and name not in INTEGERS and name not in CONSTANT_ZERO:
            # views of it then know this array, see held.py
            memory = memory_of(self.plan.scratch[0].data.arrays[name])
            return np.ndarray(self._shape(name), np.float64, memory)
        return zeros(name, self._shape(name), np.int32 if name in INTEGERS else np.float64)

    def _add_array(self, name: str) -> np.ndarray:
        array = self._arrays[name] = self._new_array(name)
        object.__setattr__(self, name, array)
        return array

    def take(self, name: str, worlds: np.ndarray | slice, values: np.ndarray) -> None:
        """Copy values of a field into some worlds; lists of large models may differ in length."""
        self.plan.forget_rest()
        self.plan.forget_lists()
        array = self._arrays[name]
        if array[worlds].shape == values.shape:
            array[worlds] = values
        elif self._in_place:
            self._arrays[name] = values.copy()
        else:
            n = min(array.shape[1], values.shape[1])
            array[worlds, :n] = values[:, :n]

    def _varied_arrays(self) -> dict:
        arrays: dict[str, np.ndarray] = {}
        if not self._vary_arg:
            return arrays
        reals = {row.name: row for row in MODEL_ARRAYS if ELEMENT[row.type] == "f8"}
        self._refuse_own_times()
        for name in self._vary_arg:
            if name in WITHOUT_LANES:
                own = np.asarray(getattr(self.model, name))
                arrays[name] = np.repeat(own[None], self.nworld, axis=0)
                continue
            if name not in reals:
                close = difflib.get_close_matches(name, (*reals, *WITHOUT_LANES), 1)
                hint = f"; did you mean {close[0]!r}?" if close else ""
                raise ValueError(f"Data: vary={name!r}: no such real-valued model field{hint}")
            source = self.plan.model_record.arrays[name]
            self.plan.refresh()
            arrays[name] = np.repeat(source[None], self.nworld, axis=0).copy()
        return arrays

    def _refuse_own_times(self) -> None:
        """Refuse worlds that would start with other times in their delay buffers."""
        for name in ("opt_timestep", "sensor_interval"):
            if name in self._vary_arg and self.model.nhistory:
                raise ValueError(
                    f"Data: vary={name!r}: the model has delays, whose buffers all worlds share at "
                    "the start; expected a model without delays, or one value for all worlds"
                )

    def of_worlds(self, name: str, worlds: np.ndarray | slice) -> np.ndarray:
        """A field of the model: (n, ...) in some worlds if worlds differ in it, else (...)."""
        return self.varied[name][worlds] if name in self.varied else getattr(self.model, name)
