"""What a mask of values chooses: `x[x > 0]`, of which only running code knows how much there is.

All elements are kept beside the mask. What is computed of each of them goes on, sums and the like
leave out those that are not chosen. What needs their number in advance is refused.
"""

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from mjenv.tracing.arrays import TraceError


class Chosen(NDArrayOperatorsMixin):
    """Elements of an array, those where a mask is true.

    Attributes:
        values: all elements, (n, ...), symbols.
        mask: which of them, (n,), a symbol.
    """

    def __init__(self, values: Any, mask: Any):
        """Of values whose first axes are those of the mask."""
        self.values = values.reshape(mask.size, *values.shape[mask.ndim :])
        self.mask = mask.ravel()

    @property
    def dtype(self) -> np.dtype:
        """Of the elements."""
        return self.values.dtype

    @property
    def ndim(self) -> int:
        """Axes: one of those that are chosen, and those of each."""
        return self.values.ndim

    @property
    def size(self) -> Any:
        """How many numbers there are, a symbol."""
        return np.sum(self.mask) * int(np.prod(self.values.shape[1:]))

    # what is computed of each element

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        if method != "__call__":
            _refuse(f"numpy.{ufunc.__name__}.{method}")
        # `x[mask] *= 2` puts back what it makes of a copy
        (out,) = options.pop("out", None) or (None,)
        if options or not (out is None or isinstance(out, Chosen)):
            _refuse(f"numpy.{ufunc.__name__} with {', '.join(options) or 'out'}")
        return self.made(ufunc(*map(self._like, inputs)))

    def made(self, values: Any) -> "Chosen":
        """What is computed of each element."""
        return Chosen(values, self.mask)

    def _like(self, other: Any) -> Any:
        """Elements that are chosen likewise, or what is the same for all, such as their centre.

        Raises:
            TraceError: they are chosen by another mask, or something else.
        """
        if isinstance(other, Chosen):
            if not np.array_equal(other.mask.ids, self.mask.ids):
                raise TraceError("found elements that two masks choose, expected one mask")
            return other.values
        alike = self.ndim > 1 and np.shape(other) == self.values.shape[1:]
        if np.ndim(other) and not alike:
            raise TraceError("found an array beside elements that a mask chooses, expected numbers")
        return other

    def astype(self, dtype: Any) -> "Chosen":
        """The elements in another type."""
        return self.made(self.values.astype(dtype))

    def copy(self) -> "Chosen":
        """The same elements."""
        return self.made(self.values.copy())

    def __getitem__(self, index: Any) -> "Chosen":
        if not isinstance(index, Chosen) or index.dtype != bool or index.ndim > 1:
            _refuse("an index")
        return Chosen(self.values, self.mask & self._like(index))

    # what is computed of all of them

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if function not in _OF_ALL or not args or args[0] is not self:
            _refuse(f"numpy.{getattr(function, '__name__', function)}")
        return _OF_ALL[function](*args, **kwargs)

    def _filled(self, other: float) -> Any:
        """All elements, with a number in place of those that are not chosen."""
        mask = self.mask.reshape(-1, *[1] * (self.ndim - 1))
        return np.where(mask, self.values, np.asarray(other, self.dtype))

    def sum(self, axis: int | None = None) -> Any:
        """Sum of all, or over the first axis."""
        return np.sum(self._filled(0), axis=_axis(axis))

    def prod(self, axis: int | None = None) -> Any:
        """Product of all, or over the first axis."""
        return np.prod(self._filled(1), axis=_axis(axis))

    def mean(self, axis: int | None = None) -> Any:
        """Mean of all, or over the first axis; nan of none."""
        number = self.size if axis is None else np.sum(self.mask)
        return self.astype(float).sum(axis) / number

    def var(self, axis: int | None = None) -> Any:
        """Variance of all, or over the first axis; nan of none."""
        away = self.astype(float)
        away = Chosen(away.values - self.mean(axis), self.mask)
        return (away * away).mean(axis)

    def std(self, axis: int | None = None) -> Any:
        """Standard deviation of all, or over the first axis; nan of none."""
        return np.sqrt(self.var(axis))

    def any(self, axis: int | None = None) -> Any:
        """Whether one of them is true."""
        return np.any(self.astype(bool)._filled(0), axis=_axis(axis))

    def all(self, axis: int | None = None) -> Any:
        """Whether all of them are true."""
        return np.all(self.astype(bool)._filled(1), axis=_axis(axis))

    def max(self, axis: int | None = None) -> Any:
        """The greatest; nan of none, where numpy raises an error."""
        found = np.max(self.astype(float)._filled(-np.inf), axis=_axis(axis))
        return np.where(np.any(self.mask), found, np.nan)

    def min(self, axis: int | None = None) -> Any:
        """The least; nan of none, where numpy raises an error."""
        found = np.min(self.astype(float)._filled(np.inf), axis=_axis(axis))
        return np.where(np.any(self.mask), found, np.nan)

    # what needs their number

    def __len__(self) -> int:
        _refuse("len()")

    def __iter__(self) -> NoReturn:
        _refuse("a loop over elements")

    def __bool__(self) -> bool:
        _refuse("`if`")

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        _refuse("an array of numbers")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or not hasattr(np.ndarray, name):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        _refuse(f".{name}")


def written(target: Any, mask: Any, value: Any) -> Any:
    """What is in an array after `target[mask] = value`.

    Raises:
        TraceError: the value is an array, whose length would have to be that of the choice.
    """
    if isinstance(value, Chosen):
        new = Chosen(target, mask)._like(value).reshape(target.shape)
    elif np.ndim(value) > target.ndim - mask.ndim:
        raise TraceError("found an array put where a mask is true, expected a number")
    else:
        new = value
    wide = mask.reshape(*mask.shape, *[1] * (target.ndim - mask.ndim))
    return np.where(wide, new, target)


def _axis(axis: int | None) -> int | None:
    if axis not in (None, 0):
        _refuse(f"axis={axis}")
    return axis


def _refuse(what: str) -> NoReturn:
    raise TraceError(
        f"found {what} of what a mask chooses, whose number is known only when it runs; expected "
        "sums, means, extremes, or numpy.where of all elements"
    )


def _norm(x: Chosen, axis: int | None = None) -> Any:
    if axis is not None and x.ndim == 2 and axis % 2 == 1:
        return x.made(np.linalg.norm(x.values, axis=1))
    if axis is not None:
        _refuse(f"numpy.linalg.norm with axis={axis}")
    return np.sqrt((x * x).sum())


_OF_ALL: dict[Any, Callable] = {
    np.sum: Chosen.sum,
    np.prod: Chosen.prod,
    np.mean: Chosen.mean,
    np.var: Chosen.var,
    np.std: Chosen.std,
    np.any: Chosen.any,
    np.all: Chosen.all,
    np.max: Chosen.max,
    np.amax: Chosen.max,
    np.min: Chosen.min,
    np.amin: Chosen.min,
    np.size: lambda x: x.size,
    np.count_nonzero: lambda x: np.sum(x.astype(bool)._filled(0)),
    np.linalg.norm: _norm,
    np.copy: Chosen.copy,
    np.ravel: lambda x: x if x.ndim == 1 else _refuse("numpy.ravel"),
}
