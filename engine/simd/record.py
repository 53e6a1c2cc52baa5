"""Records: the tables of sizes and addresses through which kernels reach a model and its data.

A `Layout` says in which slot each name stands. A `Record` is one table: compiled kernels get its
address, interpreted kernels the object itself, whose attributes are then `ArrayField`s over the
same memory.
"""

import ctypes
import hashlib
import mmap
from functools import cache
from math import prod
from typing import Any, NamedTuple, cast

import numpy as np

SINGLE = "single"  # in place of a width: packs of 16 float32, see single_lowering.py
DUAL = "dual"  # in place of a width: reals are dual numbers, see dual_lowering.py
ALIGNMENT = 64  # bytes; one cache line, one AVX-512 register
PAGED = 1 << 18  # bytes from which a block has pages of its own
STRIP = 8  # numbers of a strip
SINGLES = 16  # numbers of a pack of single precision


class Entry(NamedTuple):
    """One name of a layout.

    Attributes:
        slot: index into the table.
        element: "size" for an int64 held in the table, else a numpy type code for an array.
        shared: whether a real array holds one number for all lanes rather than one per lane.
        strips: whether it holds strips: `STRIP` numbers side by side, however many lanes there are.
    """

    slot: int
    element: str
    shared: bool = False
    strips: bool = False

    def lanes(self, lanes: int | str) -> int:
        """Numbers side by side in an element, in a record whose reals have `lanes`."""
        if lanes == SINGLE:
            return SINGLES if self.element == "f4" and not self.shared else 0
        if self.element != "f8" or self.shared:
            return 0
        return STRIP if self.strips else int(lanes)


class Layout:
    """Names, element types and slots of one kind of record."""

    def __init__(self, name: str, rows: Any):
        """Lay out (name, element) or (name, element, shared, strips) rows in their order."""
        self.name = name
        self.entries = {row[0]: Entry(slot, *row[1:]) for slot, row in enumerate(rows)}
        assert len(self.entries) == len(rows), f"layout {name}: a name stands twice"
        self.digest = hashlib.sha256(repr(list(self.entries.items())).encode()).hexdigest()[:16]

    def __len__(self) -> int:
        return len(self.entries)


class ArrayField:
    """A field as interpreted kernels see it: elements `[index]`, or `[index][lane]` in packs."""

    __slots__ = ("array", "number", "real")

    def __init__(self, array: np.ndarray, real: bool, number: Any = np.float64):
        self.array = array
        self.real, self.number = real, number

    def __getitem__(self, index: Any):
        value = self.array[index]
        if self.array.ndim == 2:
            return value.copy()
        return self.number(value) if self.real else int(value)

    def __setitem__(self, index: Any, value: Any):
        if not self.real:
            # as compiled code stores integers: what does not fit is cut off
            value = np.int64(value).astype(self.array.dtype)
        self.array[index] = value

    def zero(self):
        """A real zero with the lanes of this field."""
        if self.array.ndim == 2:
            return np.zeros(self.array.shape[1], self.number)
        return self.number(0.0)

    def get_lane(self, index: Any, lane: Any):
        """Element of one lane."""
        value = self.array[index, lane] if self.array.ndim == 2 else self.array[index]
        return float(value) if self.real else int(value)

    def set_lane(self, index: Any, lane: Any, value: Any):
        """Store the element of one lane."""
        if self.array.ndim == 2:
            self.array[index, lane] = value
        else:
            self.array[index] = value


def aligned_zeros(shape: tuple[int, ...], dtype: Any = np.float64) -> np.ndarray:
    """A zeroed array whose first element lies at a multiple of `ALIGNMENT` bytes."""
    dtype = np.dtype(dtype)
    nbyte = prod(shape) * dtype.itemsize
    raw = np.zeros(nbyte + ALIGNMENT, np.uint8)
    start = -raw.ctypes.data % ALIGNMENT
    return raw[start : start + nbyte].view(dtype).reshape(shape)


def zeroed_pages(nbyte: int) -> np.ndarray:
    """Bytes like `aligned_zeros`, for a block of which most is never touched.

    A large block is pages of its own, which exist from when they are touched. Memory that an
    allocator has had before is zeroed whole instead. What a process forked from this one writes
    stays with it.
    """
    if nbyte < PAGED or not hasattr(mmap, "MAP_PRIVATE"):
        return aligned_zeros((nbyte,), np.uint8)
    pages = mmap.mmap(-1, nbyte, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    return np.frombuffer(pages, np.uint8)


def memory_of(array: np.ndarray) -> Any:
    """The memory of a contiguous array, from which others can be made that are its owners.

    Views of such an array refer to it. Views of what is an array's view refer past it to the array.
    """
    return (ctypes.c_char * array.nbytes).from_buffer(cast(Any, array))


_dtype = cache(np.dtype)


class Places:
    """Positions of a record's arrays in one block of memory, each at the start of a cache line.

    Attributes:
        where: offset (bytes), shape and type of each array, by name.
        nbyte: bytes of the block.
        slots: slots of the arrays in the table of the record.
        offsets: the offsets in the same order.
    """

    def __init__(self, layout: Layout, lanes: int | str, counts: dict[str, int]):
        """Place arrays one after the other.

        Args:
            layout: of the record.
            lanes: numbers side by side in its reals.
            counts: elements of each array, by name.
        """
        self.where: dict[str, tuple[int, tuple[int, ...], np.dtype]] = {}
        start = 0
        for name, n in counts.items():
            entry = layout.entries[name]
            width, dtype = entry.lanes(lanes), _dtype(entry.element)
            shape = (n, width) if width > 1 else (n,)
            self.where[name] = (start, shape, dtype)
            start += -(-prod(shape) * dtype.itemsize // ALIGNMENT) * ALIGNMENT
        self.nbyte = start
        self.slots = np.array([layout.entries[name].slot for name in counts], np.int64)
        self.offsets = np.array([offset for offset, *_ in self.where.values()], np.int64)


class Arrays(dict[str, np.ndarray]):
    """Arrays of a record by name; those in blocks of memory are made when they are asked for."""

    def __init__(self) -> None:
        self.blocks: list[tuple[Places, np.ndarray]] = []

    def __missing__(self, name: str) -> np.ndarray:
        for places, block in self.blocks:
            if name in places.where:
                start, shape, dtype = places.where[name]
                array = self[name] = np.ndarray(shape, dtype, block, start)
                return array
        raise KeyError(name)

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or any(name in p.where for p, _ in self.blocks)


class Record:
    """One table of a layout, with the arrays that it points to."""

    def __init__(self, layout: Layout, width: int | str = 0):
        """Make an empty table; reals have `width` lanes, 0 or 1 for a single number, or SINGLE."""
        # not `width`: layouts have a size of that name
        self.layout = layout
        self.lanes: Any = width
        self.table = np.zeros(len(layout), np.int64)
        # address of the table, what a compiled kernel takes
        self.address = self.table.ctypes.data
        self.arrays = Arrays()
        self._fields: dict[str, ArrayField] = {}

    def set_block(self, places: Places, block: np.ndarray) -> None:
        """Enter the arrays of a block of bytes, which must start at a cache line."""
        self.arrays.blocks.append((places, block))
        self.table[places.slots] = places.offsets + block.ctypes.data

    def set_from(self, other: "Record", slots: np.ndarray) -> None:
        """Enter what another record of the layout holds in some slots, all of its arrays."""
        self.table[slots] = other.table[slots]
        self.arrays.update(other.arrays)
        self.arrays.blocks.extend(other.arrays.blocks)

    def set_size(self, name: str, value: int) -> None:
        """Enter a size."""
        self.table[self.layout.entries[name].slot] = value

    def set_array(self, name: str, array: np.ndarray) -> None:
        """Enter an array, C-contiguous and of the layout's type; it is kept alive, not copied."""
        entry = self.layout.entries[name]
        if array.dtype != _dtype(entry.element) or not array.flags.c_contiguous:
            raise TypeError(
                f"record {self.layout.name}: {name} is {array.dtype}, "
                f"contiguous: {array.flags.c_contiguous}; expected contiguous {entry.element}"
            )
        self.arrays[name] = array
        self.table[entry.slot] = array.ctypes.data

    def __getattr__(self, name: str) -> Any:
        """Field or size `name`, for interpreted kernels."""
        if name.startswith("__"):
            raise AttributeError(name)
        entry = self.layout.entries.get(name)
        if entry is None:
            raise AttributeError(f"record {self.layout.name} has no entry {name!r}")
        if entry.element == "size":
            return int(self.table[entry.slot])
        array = self.arrays[name]
        field = self._fields.get(name)
        if field is None or field.array.ctypes.data != array.ctypes.data:
            flat = array if entry.lanes(self.lanes) > 1 else array.reshape(-1)
            single = self.lanes == SINGLE and entry.element == "f4"
            number = np.float32 if single else np.float64
            real = entry.element in ("f8", "f4")
            field = self._fields[name] = ArrayField(flat, real, number)
        return field
