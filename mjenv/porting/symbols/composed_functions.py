"""Numpy's functions that are made of others: sorted, cumulative, of polynomials, padded and so on.

They are written with functions that symbols know, in numpy's order of operations where that is
known, so that results agree with numpy's but for rounding.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mjenv.tracing.arrays import Traced, TraceError

MOST_SORTED = 32  # elements; comparisons grow with their square
MOST_ROWS = 12  # of a matrix that is factored
# numpy 1 has it under another name
TRAPEZOID = vars(np).get("trapezoid") or vars(np)["trapz"]


def array(values: Any) -> Any:
    """An array, also of lists with values in them."""
    if isinstance(values, Traced) or not holds_values(values):
        return values if isinstance(values, Traced) else np.asarray(values)
    return np.stack([array(one) for one in values])


def holds_values(values: Any) -> bool:
    """True if there are values in lists."""
    if isinstance(values, list | tuple):
        return any(map(holds_values, values))
    return isinstance(values, Traced)


# ------------------------------------------------------------ sorted


def _network(rows: list[Any], carried: list[Any] | None = None) -> list[Any]:
    """Elements in ascending order, by exchanges of neighbours; others are moved along with them.

    Raises:
        TraceError: there are too many.
    """
    if len(rows) > MOST_SORTED:
        raise TraceError(f"found {len(rows)} elements sorted, expected at most {MOST_SORTED}")
    for end in range(len(rows) - 1, 0, -1):
        for k in range(end):
            one, other = rows[k], rows[k + 1]
            swap = one > other
            if one.dtype.kind == "f":
                # what is no number comes last
                swap = np.logical_or(swap, np.logical_and(np.isnan(one), other == other))
            rows[k], rows[k + 1] = np.where(swap, other, one), np.where(swap, one, other)
            if carried is not None:
                first, second = carried[k], carried[k + 1]
                carried[k] = np.where(swap, second, first)
                carried[k + 1] = np.where(swap, first, second)
    return rows


def _rows(x: Any, axis: int | None) -> list[Any]:
    """Elements along an axis; all of them for None."""
    x = array(x)
    moved = np.ravel(x) if axis is None else np.moveaxis(x, axis, 0)
    return [moved[k] for k in range(moved.shape[0])]


def _sort(x: Any, axis: int | None = -1) -> Any:
    return np.stack(_network(_rows(x, axis)), axis=0 if axis is None else axis)


def _argsort(x: Any, axis: int | None = -1) -> Any:
    rows = _rows(x, axis)
    places: list[Any] = [np.full(rows[0].shape, k) for k in range(len(rows))]
    _network(rows, places)
    return np.stack(places, axis=0 if axis is None else axis)


def _quantile(x: Any, q: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    if np.ndim(q):
        return np.stack([_quantile(x, one, axis, keepdims) for one in np.asarray(q)])
    rows = _network(_rows(x, axis))
    place = float(q) * (len(rows) - 1)
    low = int(np.floor(place))
    part, high = place - low, min(low + 1, len(rows) - 1)
    apart = rows[high] - rows[low]
    near_low, near_high = rows[low] + apart * part, rows[high] - apart * (1.0 - part)
    found = near_high if part >= 0.5 else near_low
    found = np.where(np.isnan(rows[-1]), rows[-1], found)
    if keepdims:
        found = found.reshape([1] * np.ndim(x)) if axis is None else np.expand_dims(found, axis)
    return found


def _percentile(x: Any, q: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    return _quantile(x, np.asarray(q) / 100.0, axis, keepdims)


def _median(x: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    return _quantile(x, 0.5, axis, keepdims)


# ------------------------------------------------------------ along an axis


def _cumulative(combine: Callable) -> Callable:
    def call(x: Any, axis: int | None = None, dtype: Any = None) -> Any:
        x = array(x)
        # truth values are counted
        rows = _rows(x.astype(dtype or (x.dtype if x.dtype.kind != "b" else int)), axis)
        for k in range(1, len(rows)):
            rows[k] = combine(rows[k - 1], rows[k])
        return np.stack(rows, axis=0 if axis is None else axis)

    return call


def _unwrap(
    p: Any, discont: float | None = None, axis: int = -1, *, period: float = 2.0 * math.pi
) -> Any:
    p, half = array(p), period / 2.0
    steps = np.diff(p, axis=axis)
    turned = np.mod(steps + half, period) - half
    turned = np.where(np.logical_and(turned == -half, steps > 0.0), half, turned)
    limit = half if discont is None else max(discont, half)
    added = np.cumsum(np.where(np.abs(steps) < limit, 0.0, turned - steps), axis=axis)
    first = np.take(p, [0], axis=axis)
    return np.concatenate([first, np.take(p, range(1, p.shape[axis]), axis=axis) + added], axis)


def _gradient(f: Any, *spacing: Any) -> Any:
    if np.ndim(f) != 1 or len(spacing) > 1 or any(np.ndim(h) for h in spacing):
        raise TraceError("found numpy.gradient of several axes or distances, expected one each")
    h = spacing[0] if spacing else 1.0
    ends = (f[1:2] - f[:1]) / h, (f[-1:] - f[-2:-1]) / h
    return np.concatenate([ends[0], (f[2:] - f[:-2]) / (2.0 * h), ends[1]])


def _trapezoid(y: Any, x: Any = None, dx: float = 1.0, axis: int = -1) -> Any:
    y = np.moveaxis(array(y), axis, -1)
    width = dx if x is None else np.diff(array(x))
    return np.sum(width * (y[..., 1:] + y[..., :-1]) / 2.0, axis=-1)


def _convolve(a: Any, v: Any, mode: str = "full") -> Any:
    a, v = array(a), array(v)
    if v.shape[0] > a.shape[0]:
        a, v = v, a
    n, m = a.shape[0], v.shape[0]
    parts = [sum(a[i] * v[k - i] for i in range(max(0, k - m + 1), min(n, k + 1)))
             for k in range(n + m - 1)]  # fmt: skip
    begin, end = {"full": (0, n + m - 1), "same": ((m - 1) // 2, (m - 1) // 2 + n),
                  "valid": (m - 1, n)}[mode]  # fmt: skip
    return np.stack(parts[begin:end])


def _without_nan(function: Callable, other: float) -> Callable:
    def call(x: Any, axis: Any = None) -> Any:
        return function(np.where(np.isnan(x), other, x), axis=axis)

    return call


def _nanmean(x: Any, axis: Any = None) -> Any:
    there = np.logical_not(np.isnan(x))
    return np.sum(np.where(there, x, 0.0), axis=axis) / np.sum(there, axis=axis)


# ------------------------------------------------------------ of numbers


def _polyval(p: Any, x: Any) -> Any:
    found: Any = 0.0 * x
    for factor in p:
        found = found * x + factor
    return found


def _sinc(x: Any) -> Any:
    y = np.pi * np.where(x == 0.0, 1e-20, x)
    return np.sin(y) / y


def _digitize(x: Any, bins: Any, right: bool = False) -> Any:
    edges = np.asarray(bins, float)
    if (np.diff(edges) < 0.0).any():
        raise TraceError("found numpy.digitize with edges that fall, expected ascending ones")
    return _searchsorted(edges, x, "left" if right else "right")


def _searchsorted(a: Any, v: Any, side: str = "left") -> Any:
    edges, values = array(a), array(v)
    found: Any = 0
    for k in range(edges.shape[0]):
        found = found + np.where(edges[k] < values if side == "left" else edges[k] <= values, 1, 0)
    return found


def _interp(
    x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None
) -> Any:
    if period is not None:
        raise TraceError("found numpy.interp with a period")
    x, xp, fp = array(x), array(xp), array(fp)
    found = fp[-1] if right is None else np.where(x > xp[-1], right, fp[-1])
    for k in range(len(xp) - 2, -1, -1):
        slope = (fp[k + 1] - fp[k]) / (xp[k + 1] - xp[k])
        found = np.where(x < xp[k + 1], slope * (x - xp[k]) + fp[k], found)
    found = np.where(x < xp[0], fp[0] if left is None else left, found)
    return np.where(x != x, x, found)


def _select(conditions: Sequence, choices: Sequence, default: Any = 0) -> Any:
    found = default
    for condition, choice in zip(reversed([*conditions]), reversed([*choices]), strict=True):
        found = np.where(condition, choice, found)
    return found


def _linspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True) -> Any:
    start, stop = array(start), array(stop)
    step = (stop - start) / max(1, num - 1 if endpoint else num)
    parts = [k * step + start for k in range(num)]
    if endpoint and num > 1:
        parts[-1] = stop + 0.0 * step
    return np.stack(parts)


# ------------------------------------------------------------ matrices


def _kron(a: Any, b: Any) -> Any:
    a, b = array(a), array(b)
    if a.ndim != b.ndim or a.ndim > 2:
        raise TraceError("found numpy.kron of different shapes, expected two vectors or matrices")
    if a.ndim == 1:
        return (a[:, None] * b).reshape(-1)
    parts = a[:, None, :, None] * b[None, :, None, :]
    return parts.reshape(a.shape[0] * b.shape[0], a.shape[1] * b.shape[1])


def _triangle(lower: bool) -> Callable:
    def call(m: Any, k: int = 0) -> Any:
        mask = np.tri(m.shape[-2], m.shape[-1], k if lower else k - 1, dtype=bool)
        return np.where(mask if lower else ~mask, m, 0.0)

    return call


def _diag(v: Any, k: int = 0) -> Any:
    if v.ndim == 2:
        return np.diagonal(v, k)
    zero, count = np.zeros((), v.dtype), v.shape[0] + abs(k)
    rows = [[zero] * count for _ in range(count)]
    for n in range(v.shape[0]):
        rows[n + max(0, -k)][n + max(0, k)] = v[n]
    return np.stack([np.stack(row) for row in rows])


def _cholesky(a: Any) -> Any:
    count = a.shape[0]
    if np.shape(a) != (count, count) or count > MOST_ROWS:
        raise TraceError(
            f"found a Cholesky factor of shape {np.shape(a)}, expected at most {MOST_ROWS} rows"
        )
    factor: list[list[Any]] = [[np.float64(0.0)] * count for _ in range(count)]
    for j in range(count):
        for i in range(j, count):
            rest = a[i, j] - sum(factor[i][k] * factor[j][k] for k in range(j))
            factor[i][j] = np.sqrt(rest) if i == j else rest / factor[j][j]
    return np.stack([np.stack(row) for row in factor])


def _tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    if axes != 1 or np.ndim(a) > 2 or np.ndim(b) > 2:
        raise TraceError("found numpy.tensordot, expected axes=1 and matrices; use numpy.einsum")
    return np.matmul(a, b)


# ------------------------------------------------------------ elsewhere


def _pad(x: Any, pad_width: Any, mode: str = "constant", constant_values: float = 0.0) -> Any:
    options = {}
    if mode == "constant":
        options["constant_values"] = int(_ids(x, constant_values, x.dtype))
    elif mode not in ("edge", "reflect", "symmetric", "wrap"):
        raise TraceError(f"found numpy.pad(mode={mode!r}), which cannot be traced")
    return x.like(np.pad(x.ids, pad_width, mode, **options))


def _insert(x: Any, place: Any, values: Any, axis: int | None = None) -> Any:
    x, values = array(x), array(values)
    dtype = np.result_type(x.dtype, values.dtype)
    one = x if isinstance(x, Traced) else values
    made = np.insert(_ids(one, x, dtype), place, _ids(one, values, dtype), axis)
    return one.astype(dtype).like(made)


def _ids(one: Any, values: Any, dtype: Any) -> np.ndarray:
    """Numbers of values, or of constants in the recording of one of them."""
    if isinstance(values, Traced):
        return values.astype(dtype).ids
    return one.recording.constant(np.asarray(values, dtype))


def _meshgrid(*arrays: Any, indexing: str = "xy") -> list[Any]:
    shape, found = [len(one) for one in arrays], []
    order = [*range(len(arrays))]
    if indexing == "xy" and len(arrays) > 1:
        order[:2] = 1, 0
    for k, one in enumerate(arrays):
        along = [1] * len(arrays)
        along[order[k]] = shape[k]
        whole = [shape[order.index(axis)] for axis in range(len(arrays))]
        found.append(np.broadcast_to(np.reshape(one, along), whole))
    return found


def _full_like(x: Any, value: Any, dtype: Any = None) -> Any:
    dtype = np.dtype(dtype or x.dtype)
    if isinstance(value, Traced):
        return np.broadcast_to(value, np.shape(x)).astype(dtype)
    return (np.zeros_like(x) + value).astype(dtype)


def _apply_along_axis(function: Callable, axis: int, x: Any, *args: Any, **options: Any) -> Any:
    x = array(x)
    moved, place = np.moveaxis(x, axis, -1), axis % x.ndim
    rows = moved.reshape(-1, moved.shape[-1])
    found = np.stack([array(function(row, *args, **options)) for row in rows])
    found = found.reshape(*moved.shape[:-1], *found.shape[1:])
    # what each row gives takes the row's place
    count = found.ndim - moved.ndim + 1
    return np.moveaxis(found, range(found.ndim - count, found.ndim), range(place, place + count))


COMPOSED: dict[Any, Callable] = {
    np.sort: _sort, np.argsort: _argsort, np.median: _median, np.quantile: _quantile,
    np.percentile: _percentile, np.ptp: lambda x, axis=None: np.max(x, axis) - np.min(x, axis),
    np.cumsum: _cumulative(np.add), np.cumprod: _cumulative(np.multiply),
    np.unwrap: _unwrap, np.gradient: _gradient, TRAPEZOID: _trapezoid, np.convolve: _convolve,
    np.nanmax: _without_nan(np.max, -np.inf), np.nanmin: _without_nan(np.min, np.inf),
    np.nansum: _without_nan(np.sum, 0.0), np.nanmean: _nanmean,
    np.polyval: _polyval, np.sinc: _sinc, np.digitize: _digitize, np.searchsorted: _searchsorted,
    np.select: _select, np.interp: _interp, np.linspace: _linspace,
    np.kron: _kron, np.tril: _triangle(True), np.triu: _triangle(False), np.diag: _diag,
    np.linalg.cholesky: _cholesky, np.tensordot: _tensordot,
    np.pad: _pad, np.insert: _insert, np.meshgrid: _meshgrid, np.full_like: _full_like,
    np.apply_along_axis: _apply_along_axis,
}  # fmt: skip
