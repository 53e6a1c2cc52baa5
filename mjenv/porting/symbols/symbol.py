"""Arrays of one world without numbers, with numpy's whole interface: what ported code computes on.

A `Symbol` is a `Traced` array that code written for one world can use as it is: indices count from
the front, elements are assigned to, sums run over all axes, and `if` of a value is answered by
`Paths`, which follows both answers. Symbols of constants alone are computed at once.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from mjenv.porting.symbols.callers import is_caught, makes_message
from mjenv.porting.symbols.chosen import Chosen, written
from mjenv.porting.symbols.places import has_places, put
from mjenv.porting.symbols.protocols import Protocols
from mjenv.porting.symbols.refusals import ValueAsIndex
from mjenv.porting.symbols.small_numbers import SMALL, in_type, is_small, size_of, wide
from mjenv.tracing.arrays import BOOL, INT, Load, Recording, Traced, TraceError


class Follower(Recording):
    """A recording whose sections go on where they were left, and that answers questions.

    Attributes:
        paths: answers what `if` asks of values; None while there is nobody to ask.
        few: numbers that a value may be, where they are few and known, such as an action's.
        truths: real numbers that stand for truth values at times.
    """

    paths: Any = None

    def __init__(self) -> None:
        super().__init__()
        self.few: dict[int, tuple[int, ...]] = {}
        self.truths: set[int] = set()
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
        numbers = [self.constants[-1 - n] for n in ids.reshape(-1).tolist()]
        return np.array(numbers, np.float64).reshape(ids.shape)


def _dividing(name: str) -> Callable[[Any, Any], Any]:
    """An operator that divides, of which Python's own numbers refuse division by 0."""
    operator = vars(NDArrayOperatorsMixin)[f"__{name}__"]

    def call(self: Any, other: Any) -> Any:
        one, divisor = (other, self) if name.startswith("r") else (self, other)
        _refuse_zero(one, divisor, name)
        return operator(self, other)

    return call


class Symbol(Traced):
    """An array of one world whose elements are values of a recording; see the file.

    Attributes:
        owner: of the field or the attribute that it is a part of; None for neither.
        known_type: type of the number that it stands for, or numpy's of arrays; None if it may be
            one of several (kinds.py).
    """

    __slots__ = ("_bound", "known_type", "owner")
    types: ClassVar[tuple[np.dtype, ...]] = (*Traced.types, *SMALL)
    recording: Follower
    owner: Any
    known_type: type | None

    def __init__(self, recording: Any, ids: np.ndarray, dtype: Any, bound: int = 1 << 31):
        dtype = np.dtype(dtype)
        bound = bound if dtype.kind in "iu" else 1
        bound = min(bound, size_of(dtype)) if is_small(dtype) else bound
        super().__init__(recording, ids, dtype, min(bound, 1 << 52))
        self.owner = self.known_type = None

    # all views of an array know how large its elements may be
    bound = property(
        lambda self: self._bound[0], lambda self, bound: setattr(self, "_bound", [bound])
    )

    def __reduce__(self) -> tuple:
        """For a file, without what it was a part of."""
        return Symbol, (self.recording, self.ids, self.dtype, self.bound)

    def like(self, ids: Any, ordered: bool | None = None) -> "Symbol":
        """The same kind of numbers elsewhere; a view where `ids` is one."""
        # an array that is made of a number has its own
        apart = not self.ndim and np.ndim(ids) and self.known_type is not np.ndarray
        ids = np.array(ids) if apart else np.asarray(ids)
        made = Symbol(self.recording, ids, self.dtype, self.bound)
        # what is written into a part of a field is written into the field
        if np.may_share_memory(made.ids, self.ids):
            made.owner, made._bound = self.owner, self._bound
        return made

    def _shaped(self, ids: Any) -> "Symbol":
        """The same, where numpy makes an array also of one element."""
        made = self.like(ids)
        made.known_type = None if made.ndim else np.ndarray
        return made

    def __copy__(self) -> Any:
        return self.copy()

    def __deepcopy__(self, _: Any) -> Any:
        return self.copy()

    # numpy's protocols

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        return Protocols.call_ufunc(ufunc, method, inputs, options)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return Protocols.call_function(function, args, kwargs)

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        try:
            return self._numbers("an array of numbers").astype(dtype or self.dtype)
        except TraceError as error:
            # as an index of an array it may become a call
            raise error if self.dtype.kind not in "iu" else ValueAsIndex(str(error)) from None

    def _numbers(self, what: str, truths: bool = False) -> np.ndarray:
        numbers = self.recording.numbers(self.ids)
        if numbers is None:
            numbers = self._asked(truths)
        if numbers is None:
            raise TraceError(f"found {what} made of values that are known only when it runs")
        return numbers.astype(self.dtype)

    def _asked(self, truths: bool) -> np.ndarray | None:
        """The numbers that a way has, where they are few; None for others.

        Args:
            truths: whether truth values are few.
        """
        few, paths = self.recording.few, self.recording.paths
        flat = self.ids.reshape(-1).tolist()
        if truths and self.dtype == BOOL:
            few = {**dict.fromkeys(flat, (0, 1)), **few}
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
        index = _plain(index)
        made = self.like(self.ids[index])
        if not made.ndim:
            parts = index if isinstance(index, tuple) else (index,)
            view = any(part is Ellipsis for part in parts)
            made.known_type = np.ndarray if view else self.dtype.type
        return made

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
        if has_places(self, index):
            put(self, index, as_symbol(self.recording, value))
            return
        if self._chooses(index):
            index, value = ..., written(self, index, value)
        new = as_symbol(self.recording, value).astype(self.dtype)
        self.ids[_plain(index)] = new.ids
        self._bound[0] = max(self._bound[0], new.bound)

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
        if self.dtype.kind not in "iu":
            raise TypeError("only integer scalar arrays can be converted to a scalar index")
        try:
            return int(self._numbers("an index").item())
        except TraceError as error:
            raise ValueAsIndex(str(error)) from None

    def __contains__(self, value: Any) -> bool:
        return any(bool(one == value) for one in self.flatten())

    # methods of arrays

    def astype(
        self, dtype: Any, order: str = "K", casting: str = "unsafe", subok: bool = True,
        copy: bool = True,
    ) -> "Symbol":  # fmt: skip
        """The elements in another type; what is cut off is as in numpy.

        Raises:
            TraceError: values do not have the type.
        """
        dtype = np.dtype(getattr(dtype, "real_type", dtype))
        if dtype == self.dtype:
            return self.copy() if copy else self
        numbers = self.recording.numbers(self.ids)
        if numbers is not None:
            return constant(self.recording, numbers.astype(self.dtype).astype(dtype))
        if is_small(self) or is_small(dtype):
            whole = wide(self).astype(INT if is_small(dtype) else dtype)
            unsigned = self.dtype.kind in "ub"
            return in_type(whole, dtype, not unsigned) if is_small(dtype) else whole
        if dtype.kind == "i" and self.dtype.kind == "f":
            found: Any = np.where(self < 0, -np.floor(-self), np.floor(self))
            return Symbol(self.recording, found.ids, dtype)
        made = Traced(self.recording, self.ids, self.dtype, self.bound).astype(dtype)
        return wrapped(Symbol(self.recording, np.array(made.ids), dtype, made.bound))

    def copy(self, order: str = "C") -> "Symbol":
        """The same numbers in an array of its own."""
        made = self.like(self.ids.copy())
        made.known_type = self.known_type
        return made

    def flatten(self, order: Any = "C") -> "Symbol":
        """A copy with one axis."""
        return self.like(self.ids.flatten(_order(order)))

    def ravel(self, order: Any = "C") -> "Symbol":
        """The elements on one axis."""
        return self.like(self.ids.ravel(_order(order)))

    def reshape(self, *shape: Any, order: Any = "C", **options: Any) -> "Symbol":
        """The elements in another shape."""
        return self._shaped(self.ids.reshape(*shape, order=_order(order), **options))

    def squeeze(self, axis: Any = None) -> "Symbol":
        """Without axes of length 1."""
        return self._shaped(self.ids.squeeze(axis))

    def transpose(self, *axes: Any) -> "Symbol":
        """With its axes in another order."""
        return self.like(self.ids.transpose(*axes))

    @property
    def flat(self) -> "Symbol":
        """The elements on one axis, to be read where they lie in another order."""
        made = self.ravel()
        if not np.may_share_memory(made.ids, self.ids):
            made.owner = _Unwritten()
        return made

    @flat.setter
    def flat(self, values: Any) -> None:
        self[...] = np.resize(values, self.size).reshape(self.shape)

    T = property(transpose)
    real = property(lambda self: self)
    base = property(lambda self: None)
    nbytes = property(lambda self: self.size * self.dtype.itemsize)

    def item(self, *index: Any) -> "Symbol":
        """One element, a number of Python's."""
        place: Any = index[0] if len(index) == 1 else index or slice(None)
        one = self.copy() if isinstance(place, tuple) else self.copy().ravel()
        made = one[place].reshape(())
        made.known_type = {"f": float, "i": int, "u": int, "b": bool}[self.dtype.kind]
        return made

    def tolist(self) -> Any:
        """Elements in lists."""
        return [one.tolist() for one in self] if self.ndim else self.item()

    def fill(self, value: Any) -> None:
        """Have one value everywhere."""
        self[...] = value

    def sort(self, axis: int = -1) -> None:
        """Have the elements in ascending order."""
        self.take_from(np.sort(self, axis))

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

    def __round__(self, decimals: int | None = None) -> Any:
        if decimals is not None:
            return np.round(self, decimals)
        found: Any = np.round(self).astype(int)
        found.known_type = int
        return found

    __truediv__: Any = _dividing("truediv")
    __rtruediv__: Any = _dividing("rtruediv")
    __floordiv__: Any = _dividing("floordiv")
    __rfloordiv__: Any = _dividing("rfloordiv")
    __mod__: Any = _dividing("mod")
    __rmod__: Any = _dividing("rmod")
    __divmod__: Any = _dividing("divmod")
    __rdivmod__: Any = _dividing("rdivmod")

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, list | tuple | str) and not self.ndim and self.dtype.kind in "iub":
            # so many times
            return other * int(self._numbers("the length of a list").item())
        return np.multiply(self, other)

    __rmul__ = __mul__

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or not hasattr(np.ndarray, name):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        function: Any = getattr(np, name, None)
        # functions of these names have their arguments in another order
        if name in ("compress", "choose") or not Protocols.is_known(function):
            raise TraceError(f"found .{name} of an array, which cannot be traced")
        return partial(function, self)

    def __hash__(self) -> int:
        if self.ndim:
            raise TypeError("unhashable type: 'numpy.ndarray'")
        return hash(self._numbers("a key", truths=True).item())

    def _text(self, write: Callable[[Any], str]) -> str:
        """The text of the numbers, or in a message what this is."""
        numbers = self.recording.numbers(self.ids)
        if numbers is None and (self.recording.paths is None or makes_message()):
            return f"Symbol({self.dtype}, shape={self.shape})"
        numbers = self._numbers("a text", truths=True)
        return write(numbers if self.ndim else numbers.item())

    def __repr__(self) -> str:
        return self._text(repr)

    def __str__(self) -> str:
        return self._text(str)

    def __format__(self, spec: str) -> str:
        if self.ndim:
            return self._text(str)
        return self._text(lambda number: format(number, spec))


class _Unwritten:
    """Owner of elements that were copied where numpy would write into an array."""

    def refuse_writes(self) -> None:
        """Refuse them."""
        raise TraceError("found .flat of an array that lies in another order written into")


def _order(order: Any) -> Any:
    """The order of elements, where it does not depend on how they lie in memory."""
    if order not in ("C", "F"):
        raise TraceError(f"found order={order!r}, expected 'C' or 'F'")
    return order


def _refuse_zero(one: Any, divisor: Any, name: str) -> None:
    """Refuse divisions by 0 that Python refuses, where numbers may be its own.

    Raises:
        TraceError: the package catches that error.
    """
    if not isinstance(divisor, Symbol) or divisor.ndim or divisor.recording.paths is None:
        return
    recording = divisor.recording
    few = recording.few.get(int(divisor.ids), (0,))
    if recording.numbers(divisor.ids) is not None or 0 not in few:
        return
    if any(is_of_numpy(x) for x in (one, divisor)):
        return
    if is_caught("ZeroDivisionError", "ArithmeticError"):
        raise TraceError("found `except ZeroDivisionError`, expected an `if` of the divisor")
    whole = all(x.dtype.kind in "iub" if isinstance(x, Symbol) else isinstance(x, int)
                for x in (one, divisor))  # fmt: skip
    if whole and "truediv" not in name:
        error = ZeroDivisionError("integer division or modulo by zero")
        recording.paths.raise_where(np.equal(divisor, 0), error)


def is_of_numpy(x: Any) -> bool:
    """True for what is known to be a number or an array of numpy's."""
    if isinstance(x, Symbol):
        return x.ndim > 0 or issubclass(x.known_type or object, np.generic | np.ndarray)
    return isinstance(x, np.generic | np.ndarray)


def wrapped(x: Symbol) -> Symbol:
    """Whole numbers of 32 bits, which begin anew where they are too large."""
    if x.dtype != np.int32 or x.bound <= 1 << 31:
        return x
    return in_type(Symbol(x.recording, x.ids, INT, x.bound), x.dtype)


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
    dtype = array.dtype
    refuse_type(dtype)
    bound = int(np.abs(array.astype(float)).max(initial=0)) + 1 if dtype.kind in "iu" else 1
    return Symbol(recording, np.array(recording.constant(array)), dtype, bound)


def refuse_type(dtype: np.dtype) -> None:
    """Refuse numbers of a type that values do not have.

    Raises:
        TraceError: these are.
    """
    if dtype.kind == "f" and dtype.itemsize not in (4, 8):
        raise TraceError(f"found numbers of type {dtype}, expected float64 or float32")


def as_symbol(recording: Any, value: Any) -> Symbol:
    """A number, an array, or lists of these and of symbols, as a symbol.

    Raises:
        TraceError: it has something else in it.
    """
    if isinstance(value, Symbol):
        return value
    if isinstance(value, Maybe):
        return value.number()
    if isinstance(value, list | tuple | deque) and has_symbols(value):
        parts = [as_symbol(recording, one) for one in value]
        if len({part.shape for part in parts}) > 1:
            raise ValueError("setting an array element with a sequence: parts differ in shape")
        dtype = np.result_type(*(part.dtype for part in parts))
        ids = np.stack([part.astype(dtype).ids for part in parts])
        return Symbol(recording, ids, dtype, max(part.bound for part in parts))
    return constant(recording, value)


class Maybe:
    """A symbol, or None in some worlds.

    Attributes:
        recording: of the symbol.
        number: gives the symbol; None is an error of the worlds that have it.
    """

    recording: Any
    number: Any


def has_symbols(value: Any) -> bool:
    """True if there are symbols in lists, tuples or dicts."""
    if isinstance(value, Symbol | Maybe):
        return True
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, list | tuple | deque):
        return False
    return any(map(has_symbols, value))
