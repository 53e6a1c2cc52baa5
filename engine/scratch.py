"""The memory of one thread: its records, and arrays that grow when a scene needs more room."""

from weakref import ref

import numpy as np

from . import kernel
from .enums import COUNT_BLOCK, COUNT_CAND, COUNT_FOUND, COUNT_FULL, COUNT_ROW, COUNT_SLOT
from .errors import ContactOverflow, RoomError
from .layouts import (
    CANDIDATE_DATA,
    CONTACT_ARRAYS,
    DATA_ARRAYS,
    DATA_LAYOUT,
    ENGINE_DATA,
)
from .record import Record, aligned_zeros
from .rooms import LISTS, ROOMS
from .solver.items import ITEM_DATA, item_sizes

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
    "nitemrow": "constraint rows of the solver; expected solver='Newton' or 'CG' without noslip",
    "nstrip": "numbers of the solver's matrix; expected solver='Newton' or 'CG' without noslip",
}
GROWTH = 1.5  # what is too small gets so many times the room that it needs


def size_of(row, sizes: dict) -> int:
    """Number of elements of a field; -1 when a size is not known here."""
    n = 1
    for dim in row.shape:
        if isinstance(dim, str) and dim not in sizes:
            return -1
        n *= dim if isinstance(dim, int) else sizes[dim]
    return n


def rounded(n: int) -> int:
    """Number of float64 that fill whole cache lines."""
    return -(-max(n, 0) // 8) * 8


class Scratch:
    """The records of one thread.

    Attributes:
        sizes: every size that a field's shape may name, as large as the arrays are here.
        data: record of fields and scratch.
        public: memory of all real fields of mjData, one block; lists that have grown left it.
        model: record of the model.
        wrench: whether the kernels are told that xfrc_applied is in use.
        excess: sizes of lists that some world had more elements for than users' arrays have.
        save: function that returns a copy of the state as users see it.
        saved: what it returned when something went wrong, None otherwise.
        error: what went wrong while room was made or in a hook, None otherwise.
        callbacks: hooks in Python, kept alive.
    """

    def __init__(self, plan):
        width = plan.width
        self.sizes = dict(plan.sizes)
        self.data = Record(DATA_LAYOUT, width)
        public = DATA_ARRAYS + CONTACT_ARRAYS
        starts = np.cumsum([0] + [rounded(size_of(row, plan.sizes) * width) for row in public])
        self.public = aligned_zeros((int(starts[-1]),))
        for row, start in zip(public, starts[:-1], strict=True):
            n = max(size_of(row, plan.sizes), 0)
            block = self.public[start : start + n * width]
            self.data.set_array(row.name, block.reshape(n, width) if width > 1 else block)
        for row in ENGINE_DATA:
            if row not in ITEM_DATA:
                self._allocate(row)
        arrays = self.data.arrays
        for row in CANDIDATE_DATA:
            table = plan.tables[row.name]
            arrays[row.name][: len(table)] = table
        count = arrays["count"]
        count[COUNT_CAND] = len(plan.tables["cand_geom1"])
        count[COUNT_SLOT] = len(plan.tables["slot_cand"])
        self.model = plan.model_record if not plan.varied else plan.lanewise_model()
        self.wrench = False
        self.excess: dict[str, int] = {}
        self.error: BaseException | None = None
        self.is_scene = plan.scene
        self.saved: dict[str, np.ndarray] | None = None
        self.save = dict
        self.callbacks: list = []
        self.has_items = False
        if plan.uses_items:
            self.add_items()
        arrays["room"][:] = [self.sizes.get(name, 0) for name in ROOMS]
        scratch = ref(self)
        self._callback, arrays["grow"][0] = kernel.callback(lambda: scratch().grow())

    def _allocate(self, row) -> None:
        """Make the array of a field of the scratch."""
        self.data.set_array(row.name, self._empty(row, self.sizes))

    def _empty(self, row, sizes: dict[str, int]) -> np.ndarray:
        """An array for a field of the scratch, of zeros, or of numbers where it lists things."""
        entry = DATA_LAYOUT.entries[row.name]
        n, lanes = max(size_of(row, sizes), 0), entry.lanes(self.data.lanes)
        array = aligned_zeros((n, lanes) if lanes > 1 else (n,), entry.element)
        if row.name in COUNTING:
            array[:] = np.arange(n)
        return array

    def add_items(self) -> None:
        """Make the memory of the solvers that work world by world, when they are used first."""
        if not self.has_items:
            self.has_items = True
            self.sizes.update(item_sizes(self.sizes, self.data.lanes))
            for row in ITEM_DATA:
                if row.shape:
                    self._allocate(row)
            self._share_strips()
            self.data.arrays["room"][:] = [self.sizes[name] for name in ROOMS]

    def _share_strips(self) -> None:
        """Enter the memory of items a second time, number by number."""
        numbers = self.data.arrays["strip"].reshape(-1)
        self.data.set_array("number", numbers)
        self.data.set_array("bits", numbers.view(np.int64))

    # ------------------------------------------------------------ growth

    def grow(self) -> None:
        """Make as much room as stages have entered in `need`."""
        arrays = self.data.arrays
        need: dict[str, int] = dict(zip(ROOMS, arrays["need"].tolist(), strict=True))
        room: dict[str, int] = dict(zip(ROOMS, arrays["room"].tolist(), strict=True))
        short = {name: n for name, n in need.items() if n > room[name]}
        lists = {name: short.pop(name) for name in LISTS if name in short}
        try:
            self._enlarge({name: int(GROWTH * n) for name, n in short.items()})
            for name, n in lists.items():
                self.excess[name] = max(n, self.excess.get(name, 0))
            self.fit_lists({name: n for name, n in lists.items() if n > self.sizes[name]})
        except (MemoryError, ValueError) as error:
            # raised when the stages have returned; until then nothing collides or is constrained
            name = max((need[n] / max(room[n], 1), n) for n in (*short, *lists))[1]
            self.error = MemoryError(f"step: no memory for {need[name]} {ENTRIES[name]} ({error})")
            if self.saved is None:
                self.saved = self.save()
            places = (COUNT_FOUND, COUNT_CAND, COUNT_SLOT) if self.is_scene else ()
            for place in (*places, COUNT_BLOCK, COUNT_ROW):
                arrays["count"][place] = 0
            arrays["isl_num"][0] = 0

    def _enlarge(self, sizes: dict[str, int]) -> None:
        """Replace the arrays of the scratch whose sizes change, with what they hold."""
        arrays = self.data.arrays
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
            arrays["room"][ROOMS.index(name)] = n

    def fit_lists(self, sizes: dict[str, int]) -> None:
        """Replace users' lists of contacts and rows by empty ones of other sizes."""
        rows = DATA_ARRAYS + CONTACT_ARRAYS
        rows = [row for row in rows if any(dim in sizes for dim in row.shape)]
        try:
            lists = []
            for row in rows:
                lists.append(aligned_zeros((max(size_of(row, self.sizes | sizes), 0),)))
        except (MemoryError, ValueError) as error:
            name = next(dim for dim in row.shape if dim in sizes)
            raise MemoryError(f"Data: no memory for {sizes[name]} {ENTRIES[name]}") from error
        self.sizes.update(sizes)
        for row, array in zip(rows, lists, strict=True):
            self.data.set_array(row.name, array)


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


def refuse_excess(scratch: list[Scratch], sizes: dict, restore) -> None:
    """Raise what went wrong while stages made room, or `RoomError` where users' lists are short.

    Args:
        scratch: of all threads.
        sizes: sizes of users' lists.
        restore: function that puts back a state that a scratch has saved.
    """
    excess: dict[str, int] = {}
    errors = [one.error for one in scratch if one.error is not None]
    for one in scratch:
        if one.error is not None and one.saved is not None:
            restore(one.saved)
        one.error, one.saved, one.save = None, None, dict
    if errors:
        raise errors[0]
    for one in scratch:
        for name, n in one.excess.items():
            excess[name] = max(n, excess.get(name, 0))
        one.excess = {}
    for name, option, things in (
        ("nconmax", "nconmax", "contacts"),
        ("nefc", "njmax", "constraint rows"),
        ("nJ", "njmax", "entries of efc_J"),
    ):
        if name in excess:
            n, room = excess[name], sizes[name]
            expected = n if name != "nJ" else -(-n * sizes["nefc"] // room)
            raise RoomError(
                f"Data: a world has {n} {things}, expected at most the {room} that users' "
                f"arrays have room for; make the data with {option}={expected} or more"
            )
