"""Kernels that are called one by one, on one world: what they are given and tell lies in a record.

A program gathers worlds, runs stages in threads and scatters results. A function that takes less
than a microsecond has no use for that: here a kernel is bound to the memory of the only world, and
to a record of the call's own numbers. Calling it takes as long as a call of C from Python.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..pipeline.layouts import ELEMENT, MODEL_ARRAYS, MODEL_LAYOUT
from ..simd.bound_calls import Bound, BoundCall, BoundCalls
from ..simd.immediate import immediate_call_of
from ..simd.object_code import is_known
from ..simd.record import Layout, Record, aligned_zeros

if TYPE_CHECKING:
    from ..data.data import Data
    from ..model.model import Model

# whole numbers that a kernel is asked with, numbers that it is given, that it works on, and tells
CALL_LAYOUT = Layout(
    "call", [("ask", "i4"), ("given", "f8"), ("work", "f8"), ("told", "f8")]
)  # fmt: skip
NASK = 12
CALL = (CALL_LAYOUT, 1, False)
MODEL_ROWS = {row.name: row for row in MODEL_ARRAYS}


class Direct:
    """A kernel, ready to run.

    Attributes:
        run: runs it.
        ask: int32 (NASK,); whole numbers of the call.
        given, told: float64; numbers for the kernel, and from it.
        parts: what callers see the results as, views of `told`.
    """

    __slots__ = ("_kernel", "_kinds", "ask", "given", "parts", "record", "records", "run", "told")

    def __init__(
        self, kernel: Callable, kinds: tuple, records: tuple[Any, ...], ngiven: int, ntold: int
    ):
        """Bind a kernel to records.

        Args:
            kernel: takes `records`, and a record of the call.
            kinds: (layout, width, constant) of each of `records`.
            records: of the model, and of the data if it wants them.
            ngiven, ntold: room for numbers.
        """
        self.record = Record(CALL_LAYOUT, 1)
        self.ask = np.zeros(NASK, np.int32)
        self.given, self.told = aligned_zeros((ngiven,)), aligned_zeros((ntold,))
        work = aligned_zeros((max(ngiven, ntold),))
        arrays = {"ask": self.ask, "given": self.given, "work": work, "told": self.told}
        for name, array in arrays.items():
            self.record.set_array(name, array)
        self.parts: tuple[np.ndarray, ...] = (self.told,)
        # what it is bound to is kept alive
        self.records = (*records, self.record)
        self._kernel, self._kinds = kernel, (*kinds, CALL)
        self.run = immediate_call_of(kernel, self._kinds, self.records)

    def enter(self, calls: BoundCalls, name: str, arguments: Sequence[Bound]) -> None:
        """Have a built-in function run the kernel from now on, where there are such functions.

        Args:
            calls: of the object that it belongs to.
            name: of the function.
            arguments: those behind the model and the data, parts of `ask`, `given` and `told`.
        """
        if is_known():
            calls.enter(name, BoundCall(self._kernel, self._kinds, self.records, arguments))


def on_world(data: "Data", kernel: Callable, ngiven: int, ntold: int) -> Direct:
    """A kernel of model, data and call, on the only world of data that lies in the scratch.

    Args:
        data: one world at width 1.
        kernel: takes the records of the model, the data and the call.
        ngiven, ntold: room for numbers.

    Raises:
        ValueError: several worlds, or other packs.
    """
    if not data._in_place:
        raise ValueError(
            f"{kernel.__name__}: found {data.nworld} worlds of width {data.width}, expected one "
            "world at width 1"
        )
    plan = data.plan
    records = (plan.model_record, plan.threads(1)[0].data)
    return Direct(kernel, plan.records, records, ngiven, ntold)


def on_model(
    model: "Model", kernel: Callable, fields: tuple[str, ...], ngiven: int, ntold: int
) -> Direct:
    """A kernel of model and call.

    Args:
        model: the model.
        kernel: takes the records of the model and the call.
        fields: sizes and arrays of the model that it reads.
        ngiven, ntold: room for numbers.
    """
    record = Record(MODEL_LAYOUT)
    for name in fields:
        value = getattr(model, name)
        if isinstance(value, np.ndarray):
            element = ELEMENT[MODEL_ROWS[name].type]
            record.set_array(name, np.ascontiguousarray(value, element))
        else:
            record.set_size(name, value)
    return Direct(kernel, ((MODEL_LAYOUT, 0, True),), (record,), ngiven, ntold)
