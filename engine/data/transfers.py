"""Transfers: arrays that a program gathers from users before it runs, and scatters afterwards.

An entry is an array, (nworld, ...), and the slot of its field in the records of a thread.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from ..physics.results.list_ends import list_of
from ..pipeline.layouts import DATA_LAYOUT, MODEL_LAYOUT
from ..tables.fields import WITHOUT_LANES
from .requested_fields import CONSTANT_ZERO, INPUTS, INTEGERS, OF_LISTS, ROWS

if TYPE_CHECKING:
    from ..run.program import Program
    from ..simd.record import Record
    from .stored_fields import StoredFields

# lists of contacts and rows, indices into `listed`
LIST_OF_SLOT = {
    DATA_LAYOUT.entries[name].slot: list_of(name, ROWS[name].shape[0]) for name in OF_LISTS
}


def connect(data: "StoredFields", program: "Program") -> None:
    """Enter the arrays that a program gathers and scatters."""
    sleeping = ("sensordata",) if data.plan.sleeps else ()
    # what is read at the beginning of a run
    state = moved(data, data._state + sleeping)
    inputs = moved(data, (*INPUTS, *data.inputs_in_use))
    program.users = [] if data._in_place else [_kept_or_zero(data, n) for n in program.inputs]
    instead = program.instead
    gathered = [(data._arrays[instead.get(name, name)], slot_of(name)) for name in state + inputs]
    gathered += [
        (array, slot_of(name))
        for name, array in zip(program.inputs, program.users, strict=False)
        if array.size
    ]
    # hooks and plugins written in Python are told the number of the world
    hooked = data.plan.hooks.functions
    if (hooked or data.plan.plugins.in_python) and not data._in_place:
        program.users.append(np.arange(data.nworld, dtype=np.float64))
        gathered.append((program.users[-1], slot_of("hook_world")))
    # task programs read fields that they name
    if data.plan.bytecode:
        gathered += data.plan.bytecode.gathered
        read = data.plan.bytecode.inputs(program.written)
        read = moved(data, (name for name in read if name not in state + inputs))
        gathered += [(data._arrays[name], slot_of(name)) for name in read]
    # what is written at its end; a hook of controls may also change inputs
    kept = sorted((data.kept | data._lazy | {"sensordata"} - {*state}) & program.written)
    outputs = [n for n in state if not n.startswith("mocap")] + list(moved(data, kept))
    if "control" in hooked and not data.plan.wanted.hooks_have_data:
        outputs += inputs
        inputs = ()
    if program.rates:
        program.likeness = np.zeros(data.nworld)
        program.values["rating"][0] = program.likeness.ctypes.data
    back = [*inputs, *(n for n in state if n.startswith("mocap"))]
    scattered = [(data._arrays[name], slot_of(name)) for name in outputs + back]
    if program.likeness is not None:
        scattered.insert(0, (program.likeness, slot_of("likeness")))
    if program.silent:
        scattered, back = [], []
    # of one world, memory is copied otherwise, too, and integers alone are copied here
    listed = () if data._in_place else OF_LISTS.intersection(outputs)
    ends = {slot_of(name): data.ends_of(name) for name in listed}
    enter(data, program, gathered, scattered, len(back), ends)
    program.connected = data.inputs_in_use


def enter(
    data: "StoredFields",
    program: "Program",
    gathered: list,
    scattered: list,
    nback: int = 0,
    ends: dict[int, np.ndarray] | None = None,
) -> None:
    """Enter arrays in the record of a program, and the model fields that differ between worlds.

    Args:
        data: worlds.
        program: their program.
        gathered: entries to read from.
        scattered: entries to write to.
        nback: how many of the last of these are only written when a world was reset.
        ends: of lists, by their slots: how many numbers each world's array holds, see `driver`.
    """
    record = program.record
    if "hfield_data" in data.varied:
        gathered = gathered + _heights(data, program)
    varied = [
        (array, MODEL_LAYOUT.entries[name].slot)
        for name, array in data.varied.items()
        if name not in WITHOUT_LANES
    ]
    for side, entries in (("in", gathered + varied), ("out", scattered)):
        columns = {
            "user": [array.ctypes.data for array, _ in entries],
            "scratch": [slot for _, slot in entries],
            "size": [array.size // data.nworld for array, _ in entries],
            "integer": [int(array.dtype == np.int32) for array, _ in entries],
        }
        for column, values in columns.items():
            record.set_array(f"{side}_{column}", np.array(values, np.int64))
    _enter_lists(record, scattered, ends or {})
    record.set_array("in_model", np.array([0] * len(gathered) + [1] * len(varied), np.int64))
    record.set_size("nin", len(gathered) + len(varied))
    record.set_size("nout", len(scattered) - nback)
    record.set_size("nback", nback)
    warnings = (data._warn_number, data._warn_info)
    if program.silent:
        # what it warns of has been counted when it was computed first
        warnings = tuple(array.copy() for array in warnings)
        program.users += warnings
    program.values["warn_number"][0], program.values["warn_info"][0] = (
        array.ctypes.data for array in warnings
    )


def _enter_lists(record: "Record", scattered: list, ends: dict[int, np.ndarray]) -> None:
    """Enter which arrays are lists, and how far each world's reaches, by their slots."""
    lists = [(array, slot, ends.get(slot)) for array, slot in scattered]
    columns = {
        "list": [-1 if end is None else LIST_OF_SLOT[slot] for _, slot, end in lists],
        "each": [array[0, 0].size if array.ndim > 1 else 1 for array, _, _ in lists],
        "end": [0 if end is None else end.ctypes.data for _, _, end in lists],
    }
    for column, values in columns.items():
        record.set_array(f"out_{column}", np.array(values, np.int64))


def moved(data: "StoredFields", names: Iterable[str]) -> tuple[str, ...]:
    """Those of the fields that have elements and do not lie in the scratch itself."""
    present = (name for name in names if data._arrays[name].size)
    apart = INTEGERS | CONSTANT_ZERO
    return tuple(name for name in present if not data._in_place or name in apart)


def slot_of(name: str) -> int:
    """Slot of a field of mjData or of the scratch."""
    return DATA_LAYOUT.entries[name].slot


def _kept_or_zero(data: "StoredFields", name: str) -> np.ndarray:
    """A computed field as it is, zeros where it is not kept."""
    return data._arrays[name] if name in data._arrays else np.zeros(data._shape(name))


def _heights(data: "StoredFields", program: "Program") -> list[tuple[np.ndarray, int]]:
    """Have kernels read heights of terrain where users have them, each world its own."""
    data.plan.take_heights(data.varied["hfield_data"])
    if data._in_place:
        return []
    starts = np.arange(data.nworld, dtype=np.float64) * data.model.nhfielddata
    program.users.append(starts)
    return [(starts, slot_of("hfield_start"))]
