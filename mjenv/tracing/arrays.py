"""Arrays without numbers, which remember what is computed from them: they trace a task's functions.

A `Traced` array has the shape that one world has, and numpy's functions work on it as far as a
table below goes. Every element is the number of a value of a `Recording`, which holds the
operations. So slices, reshapes and concatenations are operations on numbers of values, and cost
nothing when the bytecode runs.
"""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from mjenv.engine.bytecode import opcodes

BOOL, INT, SINGLE, DOUBLE = map(np.dtype, (np.bool_, np.int64, np.float32, np.float64))
_TYPES = (BOOL, INT, np.dtype(np.int32), SINGLE, DOUBLE)
_EXACT = 1 << 53  # integers below it are exact in float64


class TraceError(TypeError):
    """Something in a task's functions that numpy computes and bytecode cannot."""


class UnknownFunction(TraceError):
    """A function in which no way of following can help."""


class OtherWorldsError(TraceError):
    """Something in a task's functions that adds up worlds, which never is what is meant."""


class Instruction(NamedTuple):
    """One operation of a recording.

    Attributes:
        op: its number in `tables`.
        target: first value that it computes.
        operands: numbers of values: (n,) of element-wise operations, (rows, n) of sums.
        single: whether sums are rounded to single precision.
        table: (n,) float64, in which the operand is an index.
    """

    op: int
    target: int
    operands: tuple[np.ndarray, ...]
    single: bool = False
    table: np.ndarray | None = None

    @property
    def size(self) -> int:
        """Number of values that it computes."""
        return len(self.operands[0])


class Load(NamedTuple):
    """Elements of a field that instructions may use.

    Attributes:
        section: where they are read.
        field: its name.
        first: the first of their values.
        size: how many.
        start: the first element.
    """

    section: str
    field: str
    first: int
    size: int
    start: int = 0


class Recording:
    """Values and the instructions that compute them, in sections that run at different times.

    Values are numbered from 0; negative numbers are constants.

    Attributes:
        sections: name to instructions.
        loads: what is read of fields.
        constants: values of the constants -1, -2, ...
        nvalue: number of values so far.
    """

    def __init__(self) -> None:
        self.sections: dict[str, list[Instruction]] = {}
        self.loads: list[Load] = []
        self.constants: list[float] = []
        self.nvalue = 0
        self._known: dict[tuple, np.ndarray] = {}
        self._section = ""

    def begin(self, section: str) -> None:
        """Start a section; what follows is computed in it."""
        self._section = section
        self.sections[section] = []
        self._known = {key: ids for key, ids in self._known.items() if key[0] == "constant"}

    def new(self, count: int) -> np.ndarray:
        """Numbers of new values, one after the other."""
        self.nvalue += count
        return np.arange(self.nvalue - count, self.nvalue)

    def _keep(self, key: tuple, ids: np.ndarray) -> np.ndarray:
        """Numbers of values that are known from now on: arrays share them, and none writes them."""
        ids.flags.writeable = False
        self._known[key] = ids
        return ids

    def field(self, name: str, shape: tuple[int, ...], dtype: np.dtype) -> "Traced":
        """A field of the data as it is in this section."""
        key = ("field", name)
        if key not in self._known:
            ids = self._keep(key, self.new(int(np.prod(shape))).reshape(shape))
            first = int(ids.flat[0]) if ids.size else 0
            self.loads.append(Load(self._section, name, first, ids.size))
        return Traced(self, self._known[key], dtype, 1 << 31)

    def replace(self, name: str, ids: np.ndarray) -> None:
        """Have a field that was read have other values, from here to the end of the section."""
        self._keep(("field", name), ids.view())

    def constant(self, values: np.ndarray) -> np.ndarray:
        """Numbers of constants, one after the other."""
        flat = np.asarray(values, np.float64).reshape(-1)
        key = ("constant", flat.tobytes())
        if key not in self._known:
            first = len(self.constants)
            self.constants += flat.tolist()
            self._keep(key, -1 - np.arange(first, first + len(flat)))
        return self._known[key].reshape(np.shape(values))

    def look_up(self, table: np.ndarray, ids: np.ndarray) -> np.ndarray:
        """Values of a table (n,) of float64 at indices, of their shape."""
        key = ("look_up", table.tobytes(), ids.shape, ids.tobytes())
        if key not in self._known:
            found = self.new(ids.size)
            if ids.size:
                operands = (ids.reshape(-1),)
                one = Instruction(opcodes.LOOK_UP, int(found[0]), operands, table=table)
                self.sections[self._section].append(one)
            self._keep(key, found.reshape(ids.shape))
        return self._known[key]

    def compute(self, op: str, *operands: np.ndarray, single: bool = False) -> np.ndarray:
        """Values that an operation gives, of the shape of its operands; of rows, but for the last.

        Args:
            op: name of the operation.
            operands: numbers of values, all of the same shape.
            single: whether the results are of single precision and may have to be rounded.
        """
        key = (op, single, operands[0].shape, *(ids.tobytes() for ids in operands))
        if key not in self._known:
            number = getattr(opcodes, op.upper())
            over_rows = opcodes.SUM <= number <= opcodes.MIN
            shape = operands[0].shape[:-1] if over_rows else operands[0].shape
            ids = self.new(int(np.prod(shape)))
            flat = tuple(o.reshape(len(ids), -1) if over_rows else o.reshape(-1) for o in operands)
            if len(ids):
                code = self.sections[self._section]
                code.append(Instruction(number, int(ids[0]), flat, single))
                if single and not over_rows:
                    code.append(Instruction(opcodes.SINGLE, int(ids[0]), (ids,)))
            self._keep(key, ids.reshape(shape))
        return self._known[key]


class Traced(NDArrayOperatorsMixin):
    """An array of one world whose elements are values of a recording.

    Attributes:
        recording: where operations are recorded.
        ids: numbers of the elements' values, of the array's shape.
        dtype: type of the elements.
        bound: largest size of an integer.
        ordered: whether elements lie in memory in the order of their indices, as sums need.
    """

    __slots__ = ("bound", "dtype", "ids", "ordered", "recording")
    types: ClassVar[tuple[np.dtype, ...]] = _TYPES

    def __init__(
        self,
        recording: Recording,
        ids: np.ndarray,
        dtype: np.dtype,
        bound: int = 1,
        ordered: bool = True,
    ):
        if dtype not in self.types:
            raise TraceError(f"found numbers of type {dtype}, expected float64, float32 or bool")
        if dtype.kind == "i" and bound >= _EXACT:
            raise TraceError(
                "found integers that may be large, expected small ones; write .astype(float)"
            )
        self.recording, self.ids, self.dtype = recording, ids, dtype
        self.bound, self.ordered = bound, ordered

    shape = property(lambda self: self.ids.shape)
    ndim = property(lambda self: self.ids.ndim)
    size = property(lambda self: self.ids.size)

    def like(self, ids: np.ndarray, ordered: bool | None = None) -> "Traced":
        """The same kind of numbers elsewhere."""
        ordered = self.ordered if ordered is None else ordered
        return Traced(self.recording, ids, self.dtype, self.bound, ordered)

    # numpy's protocols

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        from mjenv.tracing.numpy_functions import call_ufunc

        return call_ufunc(ufunc, method, inputs, options)

    def __array_function__(self, function: Callable, types: Any, args: Any, kwargs: Any) -> Any:
        from mjenv.tracing.numpy_functions import call_function

        return call_function(function, args, kwargs)

    def __array__(self, *_: Any, **__: Any) -> np.ndarray:
        raise _no_numbers("numpy.asarray")

    # methods of arrays

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, index: Any) -> "Traced":
        listed = self._check(index)
        return self.like(self.ids[index], self.ordered and not listed)

    def __setitem__(self, index: Any, value: Any) -> None:
        from mjenv.tracing.numpy_functions import constant

        self._check(index)
        # what others may share is a constant of the recording
        if not self.ids.flags.writeable or self.dtype.kind == "i":
            raise TraceError(
                f"found an assignment to [{index}] of an array that is no copy of real numbers, "
                "expected x = x.copy() before it; or write numpy.where or numpy.concatenate"
            )
        if not isinstance(value, Traced):
            value = constant(self.recording, np.asarray(value, self.dtype), np.shape(value))
        self.ids[index] = value.astype(self.dtype).ids

    def _check(self, index: Any) -> bool:
        """Refuse indices that have no meaning in one world; whether there are lists among them."""
        keys = index if isinstance(index, tuple) else (index,)
        if not keys or keys[0] is not Ellipsis:
            raise TraceError(
                f"found index [{index}] that counts from the axis of worlds, expected one that "
                "counts from the end: [..., i]"
            )
        if any(isinstance(key, Traced) for key in keys):
            raise TraceError("found a computed index, expected a constant; use numpy.where")
        return any(isinstance(key, list | np.ndarray) for key in keys)

    def copy(self) -> "Traced":
        """The same elements in an array of its own, which may be written."""
        return self.like(self.ids.copy(), True)

    def reshape(self, *shape: Any) -> "Traced":
        """The elements in another shape."""
        whole = len(shape) == 1 and isinstance(shape[0], tuple | list)
        return self.like(self.ids.reshape(shape[0] if whole else shape), True)

    def astype(self, dtype: Any, **_: Any) -> "Traced":
        """The elements in another type."""
        dtype = np.dtype(dtype)
        if dtype == self.dtype:
            return self
        ids = self.ids
        if dtype == BOOL:
            zeros = np.broadcast_to(self.recording.constant(np.zeros(())), ids.shape)
            ids = self.recording.compute("not_equal", ids, zeros)
        elif dtype.kind == "i" and self.dtype.kind == "f":
            raise TraceError(f"found astype({dtype}), expected floats; write numpy.floor")
        elif dtype == SINGLE:
            ids = self.recording.compute("single", ids)
        return Traced(self.recording, ids, dtype, self.bound, self.ordered)

    def sum(self, axis: Any = None, **options: Any) -> "Traced":
        """Sum over the last axis."""
        return np.add.reduce(self, axis=axis, **options)

    def all(self, axis: Any = None, **options: Any) -> "Traced":
        """True if all are true."""
        return np.logical_and.reduce(self, axis=axis, **options)

    def any(self, axis: Any = None, **options: Any) -> "Traced":
        """True if any is true."""
        return np.logical_or.reduce(self, axis=axis, **options)

    def max(self, axis: Any = None, **options: Any) -> "Traced":
        """The largest number over the last axis."""
        return np.maximum.reduce(self, axis=axis, **options)

    def min(self, axis: Any = None, **options: Any) -> "Traced":
        """The smallest number over the last axis."""
        return np.minimum.reduce(self, axis=axis, **options)

    def mean(self, axis: Any = None, **options: Any) -> Any:
        """Mean over the last axis."""
        return np.mean(self, axis=axis, **options)

    def clip(self, min: Any = None, max: Any = None) -> Any:
        """The elements within limits."""
        return np.clip(self, min, max)

    def __pow__(self, exponent: Any) -> Any:
        # as numpy's operator does, which knows these exponents
        known = {2: np.square, 1: np.positive, 0.5: np.sqrt, -1: np.reciprocal}
        if isinstance(exponent, int | float) and exponent in known and self.dtype.kind == "f":
            return known[exponent](self)
        raise TraceError(
            f"found ** {exponent!r}, whose bits depend on the processor, expected ** 2; write "
            "products, or exp and log of mjenv.functions"
        )

    def __rpow__(self, base: Any) -> Any:
        raise TraceError("found a computed exponent, expected exp of mjenv.functions")

    # what has no meaning before there are numbers

    def __bool__(self) -> bool:
        raise TraceError(
            "found `if`, `and`, `or` or `not` with values of many worlds, expected functions of "
            "arrays; write numpy.where(...), &, | and ~"
        )

    def __iter__(self) -> Any:
        raise TraceError(
            "found a loop over an array, or its elements being unpacked, expected indices from "
            "the end: x[..., 0], x[..., 1]"
        )

    def __float__(self) -> float:
        raise _no_numbers("float")

    def __int__(self) -> int:
        raise _no_numbers("int")

    def __index__(self) -> int:
        raise _no_numbers("an index")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise TraceError(f"found .{name} of an array, which bytecode does not have")

    def __repr__(self) -> str:
        return f"Traced({self.dtype}, shape={self.shape})"


def _no_numbers(what: str) -> TraceError:
    return TraceError(
        f"found {what} of values that are only known when the bytecode runs, expected functions of "
        "arrays"
    )


def recording_of(values: Sequence[Any]) -> Recording:
    """The recording of some arguments, one of which is traced."""
    return next(v.recording for v in values if isinstance(v, Traced))
