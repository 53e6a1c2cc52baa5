"""Random numbers of an environment's generator, as symbols: what is asked for, and in which order.

When the program runs, each world's own generator is asked in the same order, with the same
arguments, so that seeds give what they give to the environment itself.
"""

from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

import numpy as np

from mjenv.porting.environment.attributes import StandIn
from mjenv.porting.symbols.symbol import Symbol, has_symbols
from mjenv.porting.varying.words import Word
from mjenv.tracing.arrays import DOUBLE, INT, TraceError

PREFIX = "@random."  # of the names of fields that hold them
# methods whose arguments may be values: from numbers between 0 and 1, and from normal ones
_SCALED = ("uniform", "normal")
# names of the arguments of methods that give whole numbers; of one limit alone, it is the upper one
_WHOLE = {
    "integers": ("low", "high", "size", "dtype", "endpoint"), "choice": ("high", "size"),
    "randint": ("low", "high", "size"), "randrange": ("low", "high", "step"),
}  # fmt: skip
_SAME = {"a": "low", "b": "high", "start": "low", "stop": "high"}  # Python's names of limits
UNKNOWN = 1 << 31  # size of whole numbers of which nothing is known
FEW = 32  # whole numbers, of which ways may take each
_NO_NUMBERS = ("seed", "get_state", "set_state", "getstate", "setstate", "spawn")


class Draw(NamedTuple):
    """Numbers asked of a generator.

    Attributes:
        call: number of the call that waits for them, see `Physics.calls`; -1: at the beginning.
        conditional: whether only worlds in which the call's condition is true ask for them.
        method, args, options: as the environment calls its generator.
        shape: of the numbers.
        generator: its number among those of a world, 0 for np_random.
    """

    call: int
    conditional: bool
    method: str
    args: tuple
    options: dict[str, Any]
    shape: tuple[int, ...]
    generator: int = 0

    @property
    def size(self) -> int:
        """How many numbers."""
        return int(np.prod(self.shape))

    def numbers(self, generators: list[Any]) -> Any:
        """Ask one of a world's generators."""
        return getattr(generators[self.generator], self.method)(*self.args, **self.options)

    def key(self) -> tuple:
        """Comparable contents."""
        return (*self[:3], repr(self.args), repr(sorted(self.options.items())), *self[6:])


class SymbolicGenerator(StandIn):
    """In the place of an environment's generator while it is followed.

    Attributes:
        number: see `__init__`.
    """

    def __init__(
        self, draw: Callable[..., Symbol], kind: type, number: int = 0, name: str = "np_random"
    ):
        """Ask with `draw(kind, method, args, options, number)`.

        Args:
            draw: records what is asked.
            kind: class of generators, one of numpy's or Python's own.
            number: among those of a world; below 0 for one that the method has made.
            name: of the generator.
        """
        self._asked, self._kind, self._name, self.number = draw, kind, name, number
        self.stands_for = name, number

    def _draw(self, *asked: Any) -> Symbol:
        return self._asked(self._kind, *asked, self.number)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if not callable(getattr(self._kind, name, None)) or name in _NO_NUMBERS:
            raise TraceError(f"found {self._name}.{name}, which cannot be traced")

        def call(*args: Any, **options: Any) -> Any:
            given = [_plain(one) for one in args]
            more = {key: _plain(value) for key, value in options.items()}
            if has_symbols([*given, *more.values()]):
                return self._scaled(name, given, more)
            if name == "choice" and len(given) == 1 and not _is_numeric(given[0]):
                return self._chosen(list(given[0]), more)
            return self._draw(name, tuple(given), more)

        return call

    def _chosen(self, items: list, options: dict[str, Any]) -> Any:
        """One of several words, each in the worlds that get it."""
        if options.keys() - {"p"}:
            raise TraceError(f"found {self._name}.choice of several words at once")
        method = "randrange" if self._kind is Random else "choice"
        place = self._draw(method, (len(items),), options)
        if place.recording.paths.joins:
            return Word(items, place)
        for k in range(len(items) - 1):
            if place == k:
                return items[k]
        return items[-1]

    def _scaled(self, name: str, args: list, options: dict[str, Any]) -> Any:
        """Numbers between limits that are values."""
        if name not in (("uniform",) if self._kind is Random else _SCALED):
            raise TraceError(f"found {self._name}.{name} of values, which cannot be traced")
        if self._kind is Random:
            # Python's own gives one number
            low, high = args if len(args) == 2 else (options.get("a"), options.get("b"))
            if low is None or high is None:
                raise TraceError(f"found {self._name}.{name} of values, which cannot be traced")
            return low + (high - low) * self._draw("random", (), {})
        names = ("low", "high", "size") if name == "uniform" else ("loc", "scale", "size")
        given = {"size": None, **dict(zip(names, (0.0, 1.0), strict=False))}
        given |= dict(zip(names, args, strict=False)) | options
        low, high, size = (given[key] for key in names)
        shape = size if size is not None else np.broadcast_shapes(np.shape(low), np.shape(high))
        if name == "uniform":
            plain = "random" if self._kind is np.random.Generator else "random_sample"
            return low + (high - low) * self._draw(plain, (), {"size": shape})
        return low + high * self._draw("standard_normal", (), {"size": shape})


def sample_of(kind: type, method: str, args: tuple, options: dict[str, Any]) -> np.ndarray:
    """Numbers as they may come, for their shape and type, of a class of generators.

    Raises:
        TraceError: they are none.
    """
    made = np.random.default_rng(0) if kind is np.random.Generator else kind(0)
    found = np.asarray(getattr(made, method)(*args, **options))
    if found.dtype.kind not in "fi":
        raise TraceError(f"found np_random.{method}, which gives no numbers")
    return found


def range_of(kind: type, method: str, args: tuple, options: dict[str, Any]) -> range | None:
    """Whole numbers that a method may give; None where nobody knows."""
    if method not in _WHOLE:
        return None
    given = dict(zip(_WHOLE[method], args, strict=False))
    given |= {_SAME.get(name, name): value for name, value in options.items()}
    if method == "choice":
        # its first argument is a number of things
        given["high"] = given.pop("low", given.get("high"))
    limits = [given[name] for name in ("low", "high") if given.get(name) is not None]
    if not limits or not all(isinstance(one, int | np.integer) for one in limits):
        return None
    inclusive = given.get("endpoint", kind is Random and method == "randint")
    low, high = (0, *limits)[-2:]
    return range(int(low), int(high) + bool(inclusive))


def type_of(sample: np.ndarray) -> np.dtype:
    """Type of the symbol for such numbers."""
    return DOUBLE if sample.dtype.kind == "f" else INT


def _is_numeric(value: Any) -> bool:
    return np.asarray(value).dtype.kind in "fiub"


def _plain(value: Any) -> Any:
    """A symbol of constants as numbers."""
    if isinstance(value, Symbol):
        numbers = value.recording.numbers(value.ids)
        if numbers is None:
            return value
        found = numbers.astype(value.dtype)
        return found if found.ndim else found.item()
    if isinstance(value, list | tuple):
        return type(value)(map(_plain, value))
    return value
