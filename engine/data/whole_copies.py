"""Data of one world copied onto others that are laid out alike: pieces of memory, by one kernel.

Lists of constraint rows have room for many more than there are; what lies behind their end is left
out. Results that are computed when they are looked at are copied where somebody has looked at them.
"""

from functools import partial
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import ref

import numpy as np

from ..pipeline.layouts import CONTACT_ARRAYS, DATA_ARRAYS
from ..run.in_use import alone
from ..run.scratch import COMMON, COUNTING, LASTING, NOT_LASTING, OWN_SIZES
from ..run.spans import SPANS_KIND, WORD, copy_to_other, record_of
from ..simd.immediate import immediate_call_of
from ..simd.record import ALIGNMENT, Places
from ..tables.enums import COUNT_BLOCK, COUNT_JACOBIAN, COUNT_ROW, COUNT_XFRC
from .on_demand import KNOWN
from .reallocation import apply_edits
from .requested_fields import CONSTANT_ZERO, LAZY_INPUTS

if TYPE_CHECKING:
    from .as_mujoco import MujocoData

# sizes of lists, and where it stands how many of them there are
_USED = {"nrow": COUNT_ROW, "nislandrow": COUNT_ROW, "nblock": COUNT_BLOCK, "njac": COUNT_JACOBIAN}


def _lists() -> dict[str, tuple[str, int]]:
    """Lists of the scratch: the size that each is as long as, and numbers of a row."""
    found = {}
    for row in COMMON:
        size, _, factor = str(row.shape[0] if row.shape else "").partition("*")
        if size in _USED and row.name not in COUNTING:
            width = prod(n for n in row.shape[1:] if isinstance(n, int))
            found[row.name] = size, width * int(factor or 1)
    return found


_LISTS = _lists()
LEFT = NOT_LASTING | {"listed", "capacity"}  # what the other data keep


class _Layout(NamedTuple):
    """Pieces of the memory of a scratch.

    Attributes:
        places: those of its arrays.
        offsets: where each begins (bytes).
        words: words of each, or of a row of it.
        used: entry of `count` that says how many rows count; -1 where all do.
        most: rows that there are at most.
    """

    places: Places
    offsets: np.ndarray
    words: list[int]
    used: list[int]
    most: list[int]


def copied_whole(source: "MujocoData", target: "MujocoData") -> bool:
    """Copy everything but hooks onto data of the same layout.

    Args:
        source, target: data of one world that live in the scratch of their threads.

    Returns:
        False if nothing was done, because they are laid out differently.

    Raises:
        DataInUse: a call is working on one of them.
    """
    if source is target or not (source._in_place and target._in_place):
        return False
    inner = partial(alone, target.plan, "copy_data", _copy, source, target)
    return alone(source.plan, "copy_data", inner)


def _copy(source: "MujocoData", target: "MujocoData") -> bool:
    apply_edits(source)
    apply_edits(target)
    for name in source.inputs_in_use:
        # has it from now on
        getattr(target, name)
    onto = vars(target).get("_onto")
    if onto is None or not onto.serves(source, target):
        if not _alike(source, target):
            return False
        onto = vars(target)["_onto"] = Onto(source, target)
    scratch = target.plan.scratch[0]
    onto.copy()
    arrays, theirs = scratch.data.arrays, source.plan.scratch[0].data.arrays
    arrays["count"][COUNT_XFRC] = target.plan.wrench
    np.maximum(arrays["listed"], theirs["listed"], out=arrays["listed"])
    target.plan.forget_rest()
    _copy_late(source, target)
    target.show_held()
    return True


def _copy_late(source: "MujocoData", target: "MujocoData") -> None:
    """Results that the source shows at present, and what is known of the others."""
    target.forget_lazy()
    shown, own = vars(source), vars(target)
    for name in source.fresh:
        if name in source._lazy:
            array = target._arrays[name]
            array[...] = shown[name]
            own[name] = array
        elif name in KNOWN:
            own[name] = shown[name]
        else:
            # made of others when it is looked at
            continue
        target.fresh.append(name)


def _alike(source: "MujocoData", target: "MujocoData") -> bool:
    """True if arrays have the same shapes, at the same places of two pieces of memory."""
    plan, other = source.plan, target.plan
    if plan.large_model or plan.derived.made is not other.derived.made:
        return False
    if source._lazy is not target._lazy or source.kept is not target.kept:
        return False
    if plan.conditions["owns_contacts"] != other.conditions["owns_contacts"]:
        return False
    one, two = plan.threads(1)[0], other.threads(1)[0]
    same = one.data.arrays.blocks[0][0] is two.data.arrays.blocks[0][0]
    sizes = [{n: k for n, k in s.sizes.items() if n not in OWN_SIZES} for s in (one, two)]
    if not same or sizes[0] != sizes[1]:
        return False
    mine, theirs = target._arrays, source._arrays
    return mine.keys() == theirs.keys() and all(
        array.shape == mine[name].shape for name, array in theirs.items()
    )


def _layout(source: "MujocoData") -> _Layout:
    """The pieces of a scratch, found once for all data of a structure."""
    made, scratch = source.plan.derived.made, source.plan.scratch[0]
    places = scratch.data.arrays.blocks[0][0]
    found = made.get("whole copies")
    if found is None or found.places is not places:
        found = made["whole copies"] = _pieces(places, _unread(source))
    return found


def _unread(data: "MujocoData") -> frozenset[str]:
    """Fields that hold nothing for stages to come: made when they are looked at, or not at all."""
    names = {row.name for row in (*DATA_ARRAYS, *CONTACT_ARRAYS)}.difference(LAZY_INPUTS)
    return data._lazy | CONSTANT_ZERO | names.difference(data._arrays)


def _pieces(places: Places, left: frozenset[str]) -> _Layout:
    """Neighbours are one piece."""
    rows: list[list[int]] = []  # offset, words, entry of `count`, most rows
    for name, (start, shape, dtype) in places.where.items():
        nbyte = prod(shape) * dtype.itemsize
        if not nbyte or name in LEFT or name in left:
            continue
        if name in _LISTS:
            size, width = _LISTS[name]
            words = width * dtype.itemsize // WORD
            rows.append([start, words, _USED[size], nbyte // WORD // words])
            continue
        # up to the next cache line, where another array may begin
        words = -(-nbyte // ALIGNMENT) * ALIGNMENT // WORD
        if rows and rows[-1][2] < 0 and rows[-1][0] + WORD * rows[-1][1] == start:
            rows[-1][1] += words
        else:
            rows.append([start, words, -1, 1])
    offsets, *others = ([row[k] for row in rows] for k in range(4))
    return _Layout(places, np.array(offsets, np.int64), *others)


class Onto:
    """Memory of some data, and where it goes in others.

    Attributes:
        copy: copies it.
    """

    def __init__(self, source: "MujocoData", target: "MujocoData"):
        """Find it; the two are alike."""
        # the one block of each scratch, of like layout
        layout = _layout(source)
        one, two = (data.plan.scratch[0].data for data in (source, target))
        (_, block), (_, other) = one.arrays.blocks[0], two.arrays.blocks[0]
        first = _address(block)
        # arrays of the data that lie elsewhere
        self._apart = [
            (name, array, target._arrays[name])
            for name, array in source._arrays.items()
            if array.size
            and name not in source._lazy
            and name not in CONSTANT_ZERO
            and not first <= _address(array) < first + block.nbytes
        ]
        pairs = [(array, mine) for _, array, mine in self._apart]
        pairs.append((source._warnings, target._warnings))
        # arrays that were made anew, with other sizes than at first
        scratches = source.plan.scratch[0], target.plan.scratch[0]
        moved = {name for scratch in scratches for name in scratch.moved()}
        moved &= set(LASTING) - LEFT - _unread(source)
        pairs += [(one.arrays[name], two.arrays[name]) for name in sorted(moved)]
        # how many words of each piece are in use
        count = _address(one.arrays["count"])
        step = one.arrays["count"].itemsize
        used = [0 if k < 0 else count + k * step for k in layout.used]
        self._record = record_of(
            [*(layout.offsets + first).tolist(), *(_address(a) for a, _ in pairs)],
            [*(layout.offsets + _address(other)).tolist(), *(_address(b) for _, b in pairs)],
            [*layout.words, *(array.nbytes // WORD for array, _ in pairs)],
            [*used, *[0] * len(pairs)],
            [*layout.most, *[1] * len(pairs)],
        )
        # what tells that all lies where it did
        self._source, self._tables = ref(source), (one.table.tobytes(), two.table.tobytes())
        self._kept = source._lazy, source.kept, target._lazy, target.kept
        self._last = one.arrays["count"], source._warnings, target._warnings
        self.copy: Any = immediate_call_of(copy_to_other, (SPANS_KIND,), [self._record])

    def serves(self, source: "MujocoData", target: "MujocoData") -> bool:
        """True if it is for these data, whose arrays all lie where they did."""
        if self._source() is not source:
            return False
        kept = source._lazy, source.kept, target._lazy, target.kept
        if any(a is not b for a, b in zip(kept, self._kept, strict=True)):
            return False
        one, two = self._tables
        if source.plan.scratch[0].data.table.tobytes() != one:
            return False
        if target.plan.scratch[0].data.table.tobytes() != two:
            return False
        theirs, mine = source._arrays, target._arrays
        return all(theirs[name] is a and mine[name] is b for name, a, b in self._apart)


def _address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]
