"""Kernels of arguments with names, as functions: in machine code, and called from Python.

A kernel takes one record, which has its arguments under their names: `c.vec[k]` of an array,
`c.scale[0]` of a real number, `c.index` of a whole one, `c.seq[k]` of a text's bytes. The lengths
of arrays stand under the names that their shapes give them. It tells a number in `c.result[0]`, and
refuses what it is given with `c.refused[0] = 1`, before it writes anything.
"""

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from ..simd.builtin import ARRAY, REAL, TEXT, WHOLE, Argument, builtin
from ..simd.immediate import immediate_call_of
from ..simd.record import Layout, Record

ELEMENT = {REAL: "f8", WHOLE: "size", TEXT: "u1"}


class Function:
    """A kernel that is called with arrays and numbers.

    Attributes:
        kernel: takes the record.
        arguments: what it takes.
        lengths: sizes of the record that are always the same.
        result: "None", "float" or "int".
    """

    def __init__(
        self,
        kernel: Callable,
        arguments: Sequence[Argument],
        lengths: dict[str, int],
        result: str = "None",
        refuse: Callable[..., NoReturn] | None = None,
    ):
        """Lay out the record of a kernel.

        Args:
            kernel: takes the record.
            arguments: in the order of calls.
            lengths: sizes of the record that are always the same.
            result: "None", "float" or "int".
            refuse: raises an error about arguments that the kernel, or a length, has refused.
        """
        self.arguments = tuple(arguments)
        self.kernel, self.lengths, self.result = kernel, lengths, result
        self._refuse = refuse
        names = {n: None for a in arguments for n in a.shape if isinstance(n, str)} | lengths
        rows = [(a.name, ELEMENT.get(a.kind, a.type)) for a in arguments]
        rows += [(name, "size") for name in names]
        self._layout = Layout(kernel.__name__, [*rows, ("result", "f8"), ("refused", "i4")])
        self._kinds = ((self._layout, 1, False),)

    def _record(self) -> Record:
        """A record without arguments."""
        record = Record(self._layout)
        for name, length in self.lengths.items():
            record.set_size(name, length)
        for argument in self.arguments:
            if argument.kind == REAL:
                record.set_array(argument.name, np.zeros(1))
        record.set_array("result", np.zeros(1))
        record.set_array("refused", np.zeros(1, np.int32))
        return record

    def builtin(self, otherwise: Callable, place: tuple[str, str], apart: bool) -> Callable:
        """The kernel as a built-in function.

        Args:
            otherwise: takes arguments that are not exactly as they should be, checks them and
                calls this object.
            place: module and name of the function.
            apart: whether the kernel writes before it has read all, so that arrays that share
                memory need copies.
        """
        return builtin(
            otherwise, place, self.kernel, self._kinds, [self._record()], self.arguments,
            self.result, apart,
        )  # fmt: skip

    def __call__(self, *values: Any) -> Any:
        """Run the kernel with a record of this call, as other threads may run it too.

        Args:
            values: arrays of the right types and shapes, numbers and texts; where arrays that are
                written into share memory with others, these count as they were.

        Raises:
            Exception: that of `refuse`.
        """
        record = self._record()
        filled: list[tuple[np.ndarray, np.ndarray]] = []
        for argument, value in zip(self.arguments, values, strict=True):
            if argument.kind == ARRAY:
                array = np.array(value, argument.type, order="C")
                record.set_array(argument.name, array)
                if argument.written:
                    filled.append((value, array))
                self._enter_lengths(record, argument, array.shape, values)
            elif argument.kind == REAL:
                record.arrays[argument.name][0] = value
            elif argument.kind == TEXT:
                text = np.frombuffer(value.encode() + b"\0", np.uint8)
                record.set_array(argument.name, text)
                self._enter_lengths(record, argument, (len(text) - 1,), values)
            else:
                record.set_size(argument.name, value)
        immediate_call_of(self.kernel, self._kinds, [record])()
        if record.arrays["refused"][0]:
            self._fail(values)
        for value, array in filled:
            value[...] = array
        told = record.arrays["result"].item()
        return {"None": None, "int": int(told) if told == told else 0}.get(self.result, told)

    def _enter_lengths(
        self, record: Record, argument: Argument, found: tuple[int, ...], values: tuple
    ) -> None:
        """Enter the lengths of an array or a text; those that numbers tell are compared."""
        for name, length in zip(argument.shape, found, strict=True):
            if isinstance(name, str):
                record.set_size(name, length)
            elif name != length:
                self._fail(values)

    def _fail(self, values: tuple) -> NoReturn:
        if self._refuse is None:
            shapes = ", ".join(str(np.shape(value)) for value in values)
            raise ValueError(
                f"{self.kernel.__name__}: found arguments with shapes {shapes}, refused"
            )
        self._refuse(*values)
