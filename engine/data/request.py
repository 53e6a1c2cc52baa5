"""Running kernels on request, with arguments and results of their own, in all worlds at once."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ..arguments import kind_of, plain_array
from ..run.execution import execute
from ..run.in_use import alone
from ..run.program import Program
from ..simd.record import aligned_zeros
from .reallocation import apply_edits
from .step import check_data, selected
from .transfers import enter, moved, slot_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ..model.model import Model
    from .data import Data


def call_stages(
    model: "Model",
    data: "Data",
    where: str,
    stages: Any,
    *,
    reads: Any = "",
    given: Any = None,
    results: Any = None,
    shared: Any = None,
    mask: np.ndarray | None = None,
) -> None:
    """Run stages on the worlds of data.

    Args:
        model: the model that the data were made for.
        data: worlds.
        where: name of the public function, for messages.
        stages: tuple of `Stage`, run in this order.
        reads: names of the fields of data that the stages need, which must be kept.
        given: arguments that differ between worlds: scratch field to array (nworld, n).
        results: what to take over: scratch field to array (nworld, n) of float64, written in place.
        shared: arguments that all worlds share: integer scratch field to its numbers.
        mask: bool (nworld,); worlds to compute. None means all.

    Raises:
        ValueError: data of another model, or a mask of the wrong shape.
        FieldError: a field is not kept.
    """
    check_data(model, data, where)
    worlds = None if mask is None else selected(data, mask, where)
    if worlds is not None and not len(worlds):
        return
    arrays = given or {}, results or {}, shared or {}
    alone(data.plan, where, _call_stages, data, stages, reads, *arrays, worlds)


def _call_stages(
    data: "Data",
    stages: Any,
    reads: str,
    given: Any,
    results: Any,
    shared: Any,
    worlds: np.ndarray | None,
) -> None:
    """The same while no other call may work on the data; worlds are indices, None for all."""
    plan = data.plan
    apply_edits(data)
    plan.refresh()
    fields = {name: getattr(data, name) for name in reads.split()}
    program = plan.programs.get(stages)
    if program is None:
        program = plan.programs[stages] = Program(plan, {"after": stages})
    present = {name: fields[name] for name in moved(data, fields)}
    if data._in_place and worlds is None:
        _run_in_scratch(data, program, present, given, results, shared)
        return
    inputs = present | {name: _rows(data, array) for name, array in given.items()}
    program.choose(worlds, data)
    for scratch in plan.threads(program.nthread):
        for name, array in (given | results).items():
            _reserve_capacity(scratch.data, name, array[0].size, plan.width)
        for name, numbers in shared.items():
            target = scratch.data.arrays[name]
            target[: len(numbers)] = numbers
    _connect(data, program, inputs, results)
    execute(data, program, 0, worlds)


def _run_in_scratch(
    data: "Data", program: Program, present: dict, given: Any, results: Any, shared: Any
) -> None:
    """The same for one world that lives in the scratch: arguments are written there at once."""
    record = data.plan.threads(1)[0].data
    if program.connected is not data.inputs_in_use:
        _connect(data, program, present, {})
    for name, array in (given | results).items():
        _reserve_capacity(record, name, array[0].size, 1)
    arrays = record.arrays
    for name, array in given.items():
        arrays[name].reshape(-1)[:] = array[0].reshape(-1)
    # what no kernel writes stays as the caller has it
    for name, array in results.items():
        arrays[name].reshape(-1)[:] = array[0].reshape(-1)
    for name, numbers in shared.items():
        arrays[name][: len(numbers)] = numbers
    execute(data, program)
    for name, array in results.items():
        array[0] = arrays[name].reshape(array[0].shape)


def worlds_of(data: "Data", worlds: "ArrayLike | None", where: str) -> np.ndarray:
    """Indices of some worlds.

    Args:
        data: worlds.
        worlds: None for all, or an index, indices, or bool (nworld,).
        where: name of the public function, for messages.

    Raises:
        ValueError: a mask of the wrong shape.
        IndexError: no such world.
    """
    if worlds is None:
        return np.arange(data.nworld)
    chosen = plain_array(worlds, where, "worlds")
    if chosen.dtype == np.bool_:
        return selected(data, chosen, where)
    if chosen.dtype.kind not in "iu" and chosen.size:
        raise TypeError(f"{where}: worlds is {kind_of(worlds)}, expected indices, or bool")
    chosen = np.atleast_1d(chosen).astype(np.int64)
    wrong = chosen[(chosen < -data.nworld) | (chosen >= data.nworld)]
    if len(wrong):
        raise IndexError(
            f"{where}: worlds: {wrong[0]}: expected indices between 0 and {data.nworld - 1}"
        )
    return chosen % data.nworld


def _rows(data: "Data", array: Any) -> np.ndarray:
    """An argument as one row per world."""
    return np.ascontiguousarray(np.broadcast_to(array, (data.nworld, *array.shape[1:])), np.float64)


def _reserve_capacity(record: Any, name: str, n: int, width: int) -> None:
    """Give a scratch field whose size only the call knows the size that it needs."""
    if record.arrays[name].size != n * width:
        record.set_array(name, aligned_zeros((n, width) if width > 1 else (n,)))


def _connect(data: "Data", program: Program, inputs: dict, results: dict) -> None:
    """Enter the arrays that a call gathers and scatters."""
    gathered = [(array, slot_of(name)) for name, array in inputs.items() if array.size]
    scattered = [(array, slot_of(name)) for name, array in results.items() if array.size]
    # keeps the arrays alive, and lets interpreted code find them
    program.users = [array for array, _ in gathered + scattered]
    enter(data, program, gathered, scattered)
    program.connected = data.inputs_in_use
