"""The memory of one thread: its records, and arrays that grow when a large model needs more."""

from typing import TYPE_CHECKING, Any
from weakref import ref

import numpy as np

from ..bytecode.opcodes import BYTECODE_DATA
from ..errors import ContactOverflow
from ..physics.capacity import CAPACITIES, LISTS
from ..physics.results.list_ends import LISTS_ENDING
from ..physics.sleep.scratch import BITS
from ..physics.solver.scratch import SUBPROBLEM_DATA, subproblem_sizes
from ..pipeline.layouts import (
    CANDIDATE_DATA,
    CONTACT_ARRAYS,
    DATA_ARRAYS,
    DATA_LAYOUT,
    ENGINE_DATA,
    UNSTORED,
)
from ..simd import kernel
from ..simd.record import Places, Record, aligned_zeros, zeroed_pages
from ..tables.enums import (
    COUNT_BLOCK,
    COUNT_CAND,
    COUNT_FAILED,
    COUNT_FOUND,
    COUNT_FULL,
    COUNT_KNOWN,
    COUNT_LOOK,
    COUNT_OWN,
    COUNT_ROW,
    COUNT_SLOT,
    COUNT_XFRC,
)
from ..tables.fields import Field
from .sizes import needed_sizes

if TYPE_CHECKING:
    from .derived import Derived
    from .plan import Plan

# what belongs to one process or one object: addresses, instructions, and the memory of solvers
# that work item by item, of which nothing lasts
NOT_LASTING = frozenset({"grow", "hook", "clock_tick", "again_num", "again_at", "sdf_call"}).union(
    row.name for row in (*BYTECODE_DATA, *SUBPROBLEM_DATA)
)
OWN_SIZES = {dim for row in SUBPROBLEM_DATA for dim in row.shape if isinstance(dim, str)}
LASTING = tuple(
    row.name for row in (*DATA_ARRAYS, *CONTACT_ARRAYS, *ENGINE_DATA) if row.name not in NOT_LASTING
)
# what every call needs
COMMON = tuple(row for row in ENGINE_DATA if row not in SUBPROBLEM_DATA)
SUBPROBLEM_ARRAYS = tuple(row for row in SUBPROBLEM_DATA if row.shape)
# 0, 1, 2, ...: lists in which nothing has been put in another order
COUNTING = frozenset({"block_list", "dof_list", "sweep_order"})
# what there is no memory for, and what helps
_FEWER = "; expected fewer contacts at once: margins, geoms that need not collide"
ENTRIES = {
    "nfound": f"pairs of geoms that are near{_FEWER}",
    "ncand": f"pairs of geoms that are near{_FEWER}",
    "nslot": f"contacts{_FEWER}",
    "nchaindof": f"dofs of contacts{_FEWER}",
    "nblock": f"constraints{_FEWER}",
    "nrow": f"constraint rows{_FEWER}, or cone='elliptic'",
    "njac": f"elements of the constraints' Jacobian{_FEWER}",
    "nconmax": "contacts in data.contact; expected data without it: keep=[]",
    "nefc": "constraint rows in data.efc_*; expected data without them: keep=[]",
    "nJ": "elements of data.efc_J; expected jacobian='sparse', or data without it: keep=[]",
    "nlink": "pairs of trees that constraints join; expected solver='CG', which needs none",
    "nhess": "elements of the solver's Hessian; expected solver='CG', which needs none",
    "nsubproblemrow": "constraint rows of the solver; expected solver='Newton' or 'CG' without "
    "noslip",
    "nstrip": "numbers of the solver's matrix; expected solver='Newton' or 'CG' without noslip",
    "nmidpair": f"elements of deformables near other things{_FEWER}",
    "nfcon": f"contacts of deformables{_FEWER}",
    "nkept": f"contacts of deformables{_FEWER}",
}
LARGE = 1 << 22  # bytes of a scratch most of which is room that is not used
PIECE = 1 << 14  # bytes
_LISTED = frozenset((name,) for name in LISTS_ENDING)
GROWTH = 1.5  # what is too small gets so many times the room that it needs


def size_of(row: Field, sizes: dict) -> int:
    """Number of elements of a field; -1 when a size is not known here."""
    n = 1
    for dim in row.shape:
        if isinstance(dim, str) and dim not in sizes:
            return -1
        n *= dim if isinstance(dim, int) else sizes[dim]
    return n


def stored(row: Field, sizes: dict[str, int]) -> int:
    """Number of elements of a field that a thread has memory for."""
    return 0 if row.name in UNSTORED else max(size_of(row, sizes), 0)


def _places(derived: "Derived", sizes: dict[str, int], width: int) -> Places:
    """Offsets of the arrays of the scratch: fields of mjData first."""
    found = derived.made.get(("scratch", width))
    if found is None or found[0] != sizes:
        rows = DATA_ARRAYS + CONTACT_ARRAYS + COMMON
        counts = {row.name: stored(row, sizes) for row in rows}
        found = dict(sizes), Places(DATA_LAYOUT, width, counts)
        derived.made["scratch", width] = found
    return found[1]


def _candidates(derived: "Derived") -> dict[str, np.ndarray]:
    """Tables of candidates by name, as threads copy them."""
    found = derived.made.get("candidates")
    if found is None:
        found = derived.made["candidates"] = {
            row.name: np.asarray(derived.tables[row.name], DATA_LAYOUT.entries[row.name].element)
            for row in CANDIDATE_DATA
        }
    return found


def _block(places: Places, lanes: int) -> np.ndarray:
    """Memory of arrays. Of large blocks one world touches a tenth or less; packs gain little."""
    if lanes == 1:
        return zeroed_pages(places.nbyte)
    return aligned_zeros((places.nbyte,), np.uint8)


def keep_lists(before: dict[str, int], sizes: dict[str, int]) -> None:
    """Have users' lists of contacts and rows no shorter than they are."""
    for name in LISTS:
        sizes[name] = max(sizes[name], before[name])


class Scratch:
    """The records of one thread.

    Attributes:
        sizes: every size that a field's shape may name, as large as the arrays are here.
        data: record of fields and scratch.
        public: memory of all real fields of mjData, one block; lists that have grown left it.
        model: record of the model.
        excess: sizes of lists that some world had more elements for than users' arrays have.
        save: function that returns a copy of the state as users see it.
        saved: what it returned before a call in which users' arrays may change early, else None.
        error: what went wrong while room was made or in a hook, None otherwise.
        failed: those of all threads in which something did.
        stopping: one number of the plan, not 0 when all threads are to stop.
        look_address: of what lets Python handle signals, see `look`.
        callbacks: hooks in Python, kept alive.
        clock: the same for the clock, where the time of stages is kept.
    """

    def __init__(self, plan: "Plan"):
        width = plan.width
        self.sizes = dict(plan.sizes)
        self.data = Record(DATA_LAYOUT, width)
        # one aligned block for all arrays
        places = _places(plan.derived, plan.sizes, width)
        block = _block(places, width)
        self.data.set_block(places, block)
        self.public = block[: places.where[COMMON[0].name][0]]
        # arrays that stay as they are from here on
        for name in COUNTING:
            array = self.data.arrays[name]
            array[:] = np.arange(len(array), dtype=array.dtype)
        # what runs report back
        self.excess: dict[str, int] = {}
        self.error: BaseException | None = None
        self.saved: dict[str, np.ndarray] | None = None
        self.save, self.failed, self.stopping = plan.copy_of_state, plan.failed, plan.stopping
        self.callbacks: list = []
        self.clock: object = None
        self.has_subproblems = False
        self._take_tables(plan)
        # weak: the callbacks would keep this object alive
        scratch = ref(self)
        self._callback, self.data.arrays["grow"][0] = kernel.callback(
            lambda: scratch().grow(), lambda error: scratch().fail(error)
        )
        self._looking, self.look_address = kernel.callback(
            lambda: scratch().looked(), lambda error: scratch().stop(error)
        )

    def _take_tables(self, plan: "Plan") -> None:
        """Take over candidates, the model's record, and what solvers need."""
        arrays = self.data.arrays
        for name, table in _candidates(plan.derived).items():
            arrays[name][: len(table)] = table
        count = arrays["count"]
        count[COUNT_CAND] = len(plan.tables["cand_geom1"])
        count[COUNT_SLOT] = len(plan.tables["slot_cand"])
        count[COUNT_XFRC], count[COUNT_OWN] = plan.wrench, 0
        self.model = plan.model_record if not plan.varied else plan.lane_fields.record(plan.width)
        self.is_large_model = plan.large_model
        if plan.uses_subproblems or self.has_subproblems:
            self.has_subproblems = False
            self.add_subproblems()
        if plan.sleeps:
            for name in BITS:
                self.data.set_array(f"{name}_bits", arrays[name].view(np.int64))
        arrays["capacity"][:] = [self.sizes.get(name, 0) for name in CAPACITIES]

    def fit(self, plan: "Plan") -> None:
        """Take the sizes and tables of a plan that was rebuilt.

        Arrays whose size stays are the same ones; lists that users see never get shorter.
        """
        sizes = dict(plan.sizes)
        keep_lists(self.sizes, sizes)
        changed = {name for name, n in sizes.items() if n != self.sizes.get(name)}
        items = {name: n for name, n in self.sizes.items() if name not in sizes}
        self.sizes = sizes | items
        for row in DATA_ARRAYS + CONTACT_ARRAYS:
            if changed.intersection(row.shape):
                self._fit_public(row)
        for row in COMMON:
            if changed.intersection(row.shape):
                self._allocate(row)
        self.data.arrays["count"][COUNT_KNOWN] = 0
        self._take_tables(plan)
        self.forget_lists()

    def _fit_public(self, row: Field) -> None:
        """Replace the array of a field of mjData by one of another size, with what it holds."""
        n, lanes = stored(row, self.sizes), max(self.data.lanes, 1)
        old = self.data.arrays[row.name]
        new = aligned_zeros((n, lanes) if lanes > 1 else (n,))
        shared = min(len(old), n)
        new[:shared] = old[:shared]
        self.data.set_array(row.name, new)

    def _allocate(self, row: Field) -> None:
        """Make the array of a field of the scratch anew."""
        self.data.set_array(row.name, self._empty(row, self.sizes))

    def _empty(self, row: Field, sizes: dict[str, int]) -> np.ndarray:
        """An array for a field of the scratch, of zeros, or of numbers where it lists things."""
        entry = DATA_LAYOUT.entries[row.name]
        n, lanes = max(size_of(row, sizes), 0), entry.lanes(self.data.lanes)
        array = aligned_zeros((n, lanes) if lanes > 1 else (n,), entry.element)
        if row.name in COUNTING:
            array[:] = np.arange(n)
        return array

    def add_subproblems(self) -> None:
        """Make the memory of the solvers that work world by world, when they are used first."""
        if not self.has_subproblems:
            self.has_subproblems = True
            self.sizes.update(subproblem_sizes(self.sizes, self.data.lanes))
            if "strip" in self.data.arrays:
                for row in SUBPROBLEM_ARRAYS:
                    self._allocate(row)
            else:
                self._allocate_together()
            self._share_strips()
            self.data.arrays["capacity"][:] = [self.sizes[name] for name in CAPACITIES]

    def _allocate_together(self) -> None:
        """Make the arrays of these solvers for the first time, in one block of memory."""
        counts = {row.name: max(size_of(row, self.sizes), 0) for row in SUBPROBLEM_ARRAYS}
        places = Places(DATA_LAYOUT, self.data.lanes, counts)
        self.data.set_block(places, _block(places, self.data.lanes))
        for name in COUNTING.intersection(counts):
            self.data.arrays[name][:] = np.arange(counts[name])

    def _share_strips(self) -> None:
        """Enter the memory of items a second time, number by number."""
        numbers = self.data.arrays["strip"].reshape(-1)
        self.data.set_array("number", numbers)
        self.data.set_array("bits", numbers.view(np.int64))

    # ------------------------------------------------------------ copies

    def contents(self) -> dict:
        """Return the contents after the last call, for `put_contents` of another one."""
        arrays = {name: self.data.arrays[name] for name in LASTING}
        return {"sizes": self.sizes, "arrays": {n: a for n, a in arrays.items() if a.size}}

    def put_contents(self, contents: dict) -> None:
        """Hold what another scratch has held, of as many lanes and for an equal model."""
        self._put(contents["sizes"], contents["arrays"])

    def _put(self, sizes: dict[str, int], contents: dict[str, np.ndarray]) -> None:
        own = {name: self.sizes.get(name, 0) for name in OWN_SIZES}
        self.sizes.update(sizes | own)
        arrays = self.data.arrays
        for name, array in contents.items():
            if arrays[name].shape != array.shape:
                self.data.set_array(name, aligned_zeros(array.shape, array.dtype))
            arrays[name][...] = array
        for name in OWN_SIZES.intersection(CAPACITIES):
            arrays["capacity"][CAPACITIES.index(name)] = own[name]

    def copy(self, other: "Scratch", late: frozenset[str] = frozenset()) -> None:
        """The same at once: arrays that lie together are copied together.

        Args:
            other: what is copied.
            late: fields that are put otherwise, or computed when they are looked at.
        """
        (places, block), (their_places, their_block) = (
            one.data.arrays.blocks[0] for one in (self, other)
        )
        if places.where != their_places.where:
            self.put_contents(other.contents())
            return
        arrays, theirs = self.data.arrays, other.data.arrays
        own = {name: arrays[name].copy() for name in NOT_LASTING.intersection(places.where)}
        if block.nbytes < LARGE:
            block[:] = their_block
        else:
            for row in (*DATA_ARRAYS, *CONTACT_ARRAYS):
                if row.name not in late or row.shape[:1] not in _LISTED:
                    arrays[row.name][...] = theirs[row.name]
            _copy_written(block[self.public.nbytes :], their_block[self.public.nbytes :])
        for name, array in own.items():
            arrays[name][...] = array
        # arrays that have become longer lie elsewhere
        moved = {*self.moved(), *other.moved()}.intersection(LASTING)
        self._put(other.sizes, {name: theirs[name] for name in moved})

    def moved(self) -> list[str]:
        """Arrays that have left the block in which they were made."""
        places, block = self.data.arrays.blocks[0]
        there = self.data.table[places.slots] != places.offsets + block.ctypes.data
        names = list(places.where)
        return [names[k] for k in np.flatnonzero(there)]

    # ------------------------------------------------------------ growth

    def grow(self) -> None:
        """Make as much room as stages have entered in `need`."""
        arrays = self.data.arrays
        need: dict[str, int] = dict(zip(CAPACITIES, arrays["need"].tolist(), strict=True))
        capacity: dict[str, int] = dict(zip(CAPACITIES, arrays["capacity"].tolist(), strict=True))
        short = {name: n for name, n in need.items() if n > capacity[name]}
        lists = {name: short.pop(name) for name in LISTS if name in short}
        try:
            self.enlarge({name: int(GROWTH * n) for name, n in short.items()})
            for name, n in lists.items():
                self.excess[name] = max(n, self.excess.get(name, 0))
            self.fit_lists({name: n for name, n in lists.items() if n > self.sizes[name]})
        except (MemoryError, ValueError) as error:
            # raised when the stages have returned; until then nothing collides or is constrained
            name = max((need[n] / max(capacity[n], 1), n) for n in (*short, *lists))[1]
            text = f"step: no memory for {need[name]} {ENTRIES[name]} ({error})"
            self.fail(MemoryError(text), self.save() if self.saved is None else self.saved)
            places = (COUNT_FOUND, COUNT_CAND, COUNT_SLOT) if self.is_large_model else ()
            for place in (*places, COUNT_BLOCK, COUNT_ROW):
                arrays["count"][place] = 0
            arrays["isl_num"][0] = 0

    def fail(self, error: BaseException, state: dict[str, np.ndarray] | None = None) -> None:
        """Have an error raised when the stages have returned, and users see a state from before.

        The worlds that this thread is stepping stay at the end of the step before.
        """
        self.stop(error, state)
        self.data.arrays["count"][COUNT_FAILED] = 1

    @property
    def has_failed(self) -> bool:
        """True if something has failed in this call, and hooks are not called any more."""
        return bool(self.data.arrays["count"][COUNT_FAILED])

    def stop(self, error: BaseException, state: dict[str, np.ndarray] | None = None) -> None:
        """The same, but all worlds that are being stepped end their step.

        An error that a signal has raised is not replaced.
        """
        if self.error is None:
            self.failed.append(self)
        if self.error is None or isinstance(self.error, Exception):
            self.error, self.saved = error, state
        self.stopping[0] = 1

    def look(self) -> None:
        """Have the thread that runs stages let Python handle signals, soon."""
        self.data.arrays["count"][COUNT_LOOK] = 1

    def looked(self) -> None:
        """Called by that thread: handlers run before this does, and may raise errors."""
        self.data.arrays["count"][COUNT_LOOK] = 0

    def enlarge(self, sizes: dict[str, int]) -> None:
        """Replace the arrays of the scratch whose sizes change, with what they hold.

        Raises:
            MemoryError: there is no room; all arrays are as they were.
        """
        arrays = self.data.arrays
        needed = needed_sizes(self.sizes | sizes)
        sizes = sizes | {name: n for name, n in needed.items() if n != self.sizes[name]}
        rows = [row for row in ENGINE_DATA if any(dim in sizes for dim in row.shape)]
        # all or none: memory may run out on the way
        larger = [self._empty(row, self.sizes | sizes) for row in rows]
        self.sizes.update(sizes)
        for row, array in zip(rows, larger, strict=True):
            old = arrays[row.name]
            array[: len(old)] = old
            self.data.set_array(row.name, array)
        if "nstrip" in sizes:
            self._share_strips()
        for name, n in sizes.items():
            if name in CAPACITIES:
                arrays["capacity"][CAPACITIES.index(name)] = n

    def fit_lists(self, sizes: dict[str, int]) -> None:
        """Replace users' lists of contacts and rows by empty ones of other sizes."""
        rows = DATA_ARRAYS + CONTACT_ARRAYS
        rows = [row for row in rows if any(dim in sizes for dim in row.shape)]
        try:
            lists = []
            for row in rows:
                lists.append(aligned_zeros((stored(row, self.sizes | sizes),)))
        except (MemoryError, ValueError) as error:
            name = next(dim for dim in row.shape if dim in sizes)
            raise MemoryError(f"Data: no memory for {sizes[name]} {ENTRIES[name]}") from error
        self.sizes.update(sizes)
        for row, array in zip(rows, lists, strict=True):
            self.data.set_array(row.name, array)
        if rows:
            self.data.arrays["listed"].fill(0)

    def fit_needed_lists(self) -> None:
        """Make users' lists as long as a stage has entered in `need`."""
        need = self.data.arrays["need"]
        found = {name: int(need[CAPACITIES.index(name)]) for name in LISTS}
        self.fit_lists({name: n for name, n in found.items() if n != self.sizes[name]})
        need[:] = 0

    def enter_capacity(self, sizes: dict[str, int]) -> None:
        """Let stages know how much room users' lists have."""
        for name, n in sizes.items():
            self.data.arrays["capacity"][CAPACITIES.index(name)] = n

    def forget_lists(self) -> None:
        """Take users' lists to hold anything, to their ends."""
        for place, name in enumerate(LISTS_ENDING):
            self.data.arrays["listed"][place] = self.sizes[name]


def _copy_written(to: np.ndarray, from_: np.ndarray) -> None:
    """Copy bytes to zeros, but for long pieces of zeros: most of what lists have room for."""
    pieces = len(from_) // PIECE
    whole = pieces * PIECE
    there = np.bitwise_or.reduce(from_[:whole].view(np.int64).reshape(pieces, -1), axis=1)
    for k in np.flatnonzero(there).tolist():
        to[k * PIECE : (k + 1) * PIECE] = from_[k * PIECE : (k + 1) * PIECE]
    to[whole:] = from_[whole:]


def refuse_overflow(scratch: list[Scratch]) -> None:
    """Raise `ContactOverflow` if a pair had more contacts in the last call than it has slots."""
    full = [one.data.arrays["count"] for one in scratch if one.data.arrays["count"][COUNT_FULL]]
    if full:
        for count in full:
            count[COUNT_FULL] = 0
        raise ContactOverflow(
            "step: a geom touches a height field in more cells than its bounding sphere covered "
            "when the data were made; expected sizes that do not grow; make new Data(model)"
        )


def raise_failure(failed: list[Scratch], restore: Any) -> None:
    """Raise what went wrong in the last call.

    Args:
        failed: where it did; empty afterwards.
        restore: function that puts back a state that a scratch has saved.
    """
    # what a signal has raised comes before errors
    errors = [one.error for one in failed if one.error is not None]
    errors.sort(key=lambda error: isinstance(error, Exception))
    for one in failed:
        if one.saved is not None:
            restore(one.saved)
        one.error, one.saved = None, None
        one.data.arrays["count"][COUNT_FAILED] = 0
        one.stopping[0] = 0
    failed.clear()
    raise errors[0]


def take_excess(scratch: list[Scratch]) -> dict[str, int]:
    """Sizes that users' lists must have for what the last call has found; empty if they have."""
    excess: dict[str, int] = {}
    for one in scratch:
        for name, n in one.excess.items():
            excess[name] = max(n, excess.get(name, 0))
        one.excess = {}
    return excess
