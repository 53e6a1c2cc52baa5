"""Arrays of one world without numbers, with numpy's whole interface: what ported code computes on.

A `Symbol` is a `Traced` array that code written for one world can use as it is: indices count from
the front, elements are assigned to, sums run over all axes, and `if` of a value is answered by
`Paths`, which follows both answers. Symbols of constants alone are computed at once.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from mjenv.porting.chosen import Chosen, written
from mjenv.porting.refusals import ValueAsIndex
from mjenv.tracing.arrays import BOOL, DOUBLE, Load, Recording, Traced, TraceError


class Follower(Recording):
    """A recording whose sections go on where they were left, and that answers questions.

    Attributes:
        paths: answers what `if` asks of values; None while there is nobody to ask.
        few: numbers that a value may be, where they are few and known, such as an action's.
    """

    paths: Any = None

    def __init__(self) -> None:
        super().__init__()
        self.few: dict[int, tuple[int, ...]] = {}
        self._of_section: dict[str, dict] = {}
        self._constants: dict[tuple, np.ndarray] = {}

    def __getstate__(self) -> dict[str, Any]:
        """What was recorded, for a file: nothing more is recorded behind it."""
        names = ("sections", "loads", "constants", "nvalue")
        return {name: getattr(self, name) for name in names}

    def go(self, section: str) -> None:
        """Record in a section, behind what it has."""
        self.sections.setdefault(section, [])
        self._section = section
        self._known = self._of_section.setdefault(section, {})

    @property
    def section(self) -> str:
        """The section that is recorded in."""
        return self._section

    def part(self, name: str, start: int, shape: tuple[int, ...]) -> np.ndarray:
        """Numbers of the values of a part of a field, as it is in this section."""
        key = ("part", name, start, shape)
        if key not in self._known:
            ids = self._known[key] = self.new(int(np.prod(shape))).reshape(shape)
            self.loads.append(Load(self._section, name, int(ids.flat[0]), ids.size, start))
        return self._known[key]

    def constant(self, values: np.ndarray) -> np.ndarray:
        """Numbers of constants, the same for equal numbers."""
        flat = np.asarray(values, np.float64).reshape(-1)
        key = ("constant", flat.tobytes())
        if key not in self._constants:
            ids = np.empty(len(flat), np.int64)
            for place, number in enumerate(flat.tolist()):
                one = ("one", np.float64(number).tobytes())
                if one not in self._constants:
                    self.constants.append(number)
                    self._constants[one] = np.array([-len(self.constants)])
                ids[place] = self._constants[one][0]
            self._constants[key] = ids
        return self._constants[key].reshape(np.shape(values))

    def once(self, name: str, given: Sequence[Any], make: Callable[[], Any]) -> Any:
        """What `make` gives, made once in a section for the same contents of what it is given.

        Args:
            name: of the computation.
            given: symbols, and numbers.
            make: returns symbols, which nobody may change.
        """
        parts = [one.ids if isinstance(one, Symbol) else np.asarray(one) for one in given]
        key = (name, *((type(x), p.shape, p.tobytes()) for x, p in zip(given, parts, strict=True)))
        if key not in self._known:
            self._known[key] = make()
        return self._known[key]

    def compute(self, op: str, *operands: np.ndarray, single: bool = False) -> np.ndarray:
        """See `Recording`; symbols change in place, records of them do not."""
        return super().compute(op, *(np.array(ids) for ids in operands), single=single)

    def numbers(self, ids: np.ndarray) -> np.ndarray | None:
        """The numbers of constants (float64, of the shape of `ids`); None for other values."""
        if (ids >= 0).any():
            return None
        return np.asarray(self.constants, np.float64)[-1 - ids]


class Symbol(Traced):
    """An array of one world whose elements are values of a recording; see the file."""

    __slots__ = ("owner",)
    recording: Follower
    owner: Any

    def __init__(self, recording: Any, ids: np.ndarray, dtype: Any, bound: int = 1 << 31):
        bound = bound if np.dtype(dtype).kind == "i" else 1
        super().__init__(recording, ids, np.dtype(dtype), min(bound, 1 << 52))
        self.owner = None

    def __reduce__(self) -> tuple:
        """For a file, without what it was a part of."""
        return Symbol, (self.recording, self.ids, self.dtype, self.bound)

    def like(self, ids: Any, ordered: bool | None = None) -> "Symbol":
        """The same kind of numbers elsewhere; a view where `ids` is one."""
        made = Symbol(self.recording, np.asarray(ids), self.dtype, self.bound)
        # what is written into a part of a field is written into the field
        made.owner = self.owner
        return made

    def __copy__(self) -> Any:
        return self.copy()

    def __deepcopy__(self, _: Any) -> Any:
        return self.copy()

    # numpy's protocols

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        from mjenv.porting.symbol_ufuncs import call_ufunc

        return call_ufunc(ufunc, method, inputs, options)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        from mjenv.porting.symbol_functions import call_function

        return call_function(function, args, kwargs)

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        try:
            return self._numbers("an array of numbers").astype(dtype or self.dtype)
        except TraceError as error:
            # as an index of an array it may become a call
            raise error if self.dtype.kind != "i" else ValueAsIndex(str(error)) from None

    def _numbers(self, what: str) -> np.ndarray:
        numbers = self.recording.numbers(self.ids)
        if numbers is None:
            numbers = self._asked()
        if numbers is None:
            raise TraceError(f"found {what} made of values that are known only when it runs")
        return numbers.astype(self.dtype)

    def _asked(self) -> np.ndarray | None:
        """The numbers that a way has, where they are few; None for others."""
        few, paths = self.recording.few, self.recording.paths
        flat = self.ids.reshape(-1).tolist()
        if paths is None or any(value >= 0 and value not in few for value in flat):
            return None
        found = [
            paths.which(self.like(np.array(value)), few[value]) if value >= 0
            else self.recording.constants[-1 - value]
            for value in flat
        ]  # fmt: skip
        return np.reshape(np.asarray(found, np.float64), self.ids.shape)

    # elements

    def __getitem__(self, index: Any) -> Any:
        if self._chooses(index):
            return Chosen(self, index)
        return self.like(self.ids[_plain(index)])

    def _chooses(self, index: Any) -> bool:
        """True if an index is a mask of values."""
        if not isinstance(index, Symbol) or index.dtype != BOOL or not index.ndim:
            return False
        fits = index.shape == self.shape[: index.ndim]
        return fits and self.recording.numbers(index.ids) is None

    def __setitem__(self, index: Any, value: Any) -> None:
        if not self.size and value is None:
            return
        self._refuse_writes()
        if self._chooses(index):
            index, value = ..., written(self, index, value)
        new = as_symbol(self.recording, value).astype(self.dtype)
        self.ids[_plain(index)] = new.ids

    def take_from(self, value: Any) -> "Symbol":
        """Have other values, in place."""
        self[...] = value
        return self

    def _refuse_writes(self) -> None:
        if self.owner is not None:
            self.owner.refuse_writes()

    def __iter__(self) -> Iterator["Symbol"]:
        if not self.ndim:
            raise TypeError("iteration over a 0-d array")
        return (self[i] for i in range(len(self)))

    def __bool__(self) -> bool:
        if self.size != 1:
            raise ValueError("The truth value of an array with more than one element is ambiguous")
        number = self.recording.numbers(self.ids)
        if number is not None:
            return bool(number.reshape(-1)[0])
        if self.recording.paths is None:
            raise TraceError("found `if` of a value outside of a step")
        asked = self.astype(BOOL)
        return self.recording.paths.answer(int(asked.ids.reshape(-1)[0]))

    def __float__(self) -> float:
        return float(self._numbers("float")[()] if not self.ndim else self._numbers("float").item())

    def __int__(self) -> int:
        return int(self._numbers("int").item())

    def __index__(self) -> int:
        if self.dtype.kind != "i":
            raise TypeError("only integer scalar arrays can be converted to a scalar index")
        try:
            return int(self._numbers("an index").item())
        except TraceError as error:
            raise ValueAsIndex(str(error)) from None

    def __contains__(self, value: Any) -> bool:
        return any(bool(one == value) for one in self.flatten())

    # methods of arrays

    def astype(self, dtype: Any, copy: bool = True, **_: Any) -> "Symbol":
        """The elements in another type; what is cut off is as in numpy."""
        dtype = np.dtype(dtype)
        if dtype == self.dtype:
            return self.copy()
        numbers = self.recording.numbers(self.ids)
        if numbers is not None:
            return constant(self.recording, numbers.astype(self.dtype).astype(dtype))
        if dtype.kind == "i" and self.dtype.kind == "f":
            found: Any = np.where(self < 0, -np.floor(-self), np.floor(self))
            return Symbol(self.recording, found.ids, np.int64)
        made = Traced(self.recording, self.ids, self.dtype, self.bound).astype(dtype)
        return Symbol(self.recording, np.array(made.ids), dtype, made.bound)

    def copy(self, order: str = "C") -> "Symbol":
        """The same numbers in an array of its own."""
        made = self.like(self.ids.copy())
        made.owner = None
        return made

    def flatten(self, order: str = "C") -> "Symbol":
        """A copy with one axis."""
        made = self.like(self.ids.flatten())
        made.owner = None
        return made

    def ravel(self, order: str = "C") -> "Symbol":
        """The elements on one axis."""
        return self.like(self.ids.ravel())

    def reshape(self, *shape: Any, **_: Any) -> "Symbol":
        """The elements in another shape."""
        return self.like(self.ids.reshape(*shape))

    def squeeze(self, axis: Any = None) -> "Symbol":
        """Without axes of length 1."""
        return self.like(self.ids.squeeze(axis))

    def transpose(self, *axes: Any) -> "Symbol":
        """With its axes in another order."""
        return self.like(self.ids.transpose(*axes))

    T = property(transpose)
    flat = property(ravel)
    real = property(lambda self: self)
    base = property(lambda self: None)
    nbytes = property(lambda self: self.size * self.dtype.itemsize)

    def item(self, *index: Any) -> "Symbol":
        """One element."""
        return self[index] if index else self.reshape(())

    def tolist(self) -> Any:
        """Elements in lists."""
        return [one.tolist() for one in self] if self.ndim else self

    def dot(self, other: Any) -> Any:
        """Product of matrices or vectors."""
        return np.dot(self, other)

    def fill(self, value: Any) -> None:
        """Have one value everywhere."""
        self[...] = value

    def round(self, decimals: int = 0) -> Any:
        """The nearest numbers with as many decimals."""
        return np.round(self, decimals)

    def prod(self, axis: Any = None) -> Any:
        """Product over an axis, or all."""
        return np.prod(self, axis=axis)

    def __matmul__(self, other: Any) -> Any:
        return np.matmul(self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return np.matmul(other, self)

    def __pow__(self, exponent: Any) -> Any:
        return np.power(self, exponent)

    def __rpow__(self, base: Any) -> Any:
        return np.power(base, self)

    def __ipow__(self, exponent: Any) -> Any:
        return self.take_from(np.power(self, exponent))

    def __round__(self, decimals: int = 0) -> Any:
        return np.round(self, decimals)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or not hasattr(np.ndarray, name):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        raise TraceError(f"found .{name} of an array, which cannot be traced")

    def __hash__(self) -> int:
        # whole numbers are keys
        if not self.ndim and self.dtype.kind == "i":
            return hash(int(self._numbers("a key").item()))
        return hash(self.ids.tobytes())

    def __repr__(self) -> str:
        return f"Symbol({self.dtype}, shape={self.shape})"

    def __format__(self, spec: str) -> str:
        return repr(self)


def _plain(index: Any) -> Any:
    """An index whose symbols are constants."""
    if isinstance(index, tuple):
        return tuple(map(_plain, index))
    if isinstance(index, Symbol):
        return index._numbers("an index")
    if isinstance(index, list) and any(isinstance(one, Symbol) for one in index):
        return [_plain(one) for one in index]
    return index


def constant(recording: Any, numbers: Any) -> Symbol:
    """Numbers as a symbol.

    Raises:
        TraceError: they are of a type that values do not have.
    """
    array = np.asarray(numbers)
    if array.dtype.kind not in "fiub":
        raise TraceError(f"found {numbers!r}, expected numbers")
    dtype = {"f": array.dtype, "b": BOOL}.get(array.dtype.kind, np.dtype(np.int64))
    dtype = DOUBLE if dtype.itemsize == 2 or dtype.itemsize > 8 else dtype
    bound = int(np.abs(array.astype(float)).max(initial=0)) + 1 if dtype.kind == "i" else 1
    return Symbol(recording, np.array(recording.constant(array)), dtype, bound)


def as_symbol(recording: Any, value: Any) -> Symbol:
    """A number, an array, or lists of these and of symbols, as a symbol.

    Raises:
        TraceError: it has something else in it.
    """
    if isinstance(value, Symbol):
        return value
    if isinstance(value, list | tuple) and has_symbols(value):
        parts = [as_symbol(recording, one) for one in value]
        if len({part.shape for part in parts}) > 1:
            raise ValueError("setting an array element with a sequence: parts differ in shape")
        dtype = np.result_type(*(part.dtype for part in parts))
        ids = np.stack([part.astype(dtype).ids for part in parts])
        return Symbol(recording, ids, dtype, max(part.bound for part in parts))
    return constant(recording, value)


def has_symbols(value: Any) -> bool:
    """True if there are symbols in lists, tuples or dicts."""
    if isinstance(value, Symbol):
        return True
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, list | tuple):
        return False
    return any(map(has_symbols, value))
