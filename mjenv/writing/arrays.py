"""Numpy's functions on values of which each world has its own: axes are counted from the end."""

import ast
import builtins
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from mjenv.writing.values import (
    NotWritten,
    Part,
    Rows,
    Several,
    Static,
    Value,
    attribute,
    axes_of,
    called,
    code_of,
    indexed,
    is_static,
    lifted,
    literal,
    name,
    numpy,
    plain,
)

# functions whose bits are the same on every processor, and that can be traced
OURS = ("sin", "cos", "tan", "exp", "log", "arcsin", "arccos", "arctan", "arctan2")
_TRUTH = {"logical_and": ast.BitAnd, "logical_or": ast.BitOr, "logical_xor": ast.BitXor}
# operators that functions are written as
_OPERATORS = {
    "add": ast.Add, "subtract": ast.Sub, "multiply": ast.Mult, "divide": ast.Div,
    "true_divide": ast.Div, "power": ast.Pow,
}  # fmt: skip
_REDUCTIONS = ("sum", "mean", "prod", "max", "min", "amax", "amin", "all", "any", "std", "var")


def elementwise(function: np.ufunc, args: list[Value]) -> Rows:
    """A function of each element."""
    ndim, word = axes_of(args), function.__name__
    values = [plain(one) for one in args]
    with np.errstate(all="ignore"):
        found = function(*values)
    codes = [lifted(one, ndim) for one in args]
    truths = all(np.asarray(v).dtype == bool for v in values)
    if word in _TRUTH and truths:
        return Rows(found, ast.BinOp(codes[0], _TRUTH[word](), codes[1]))
    if word in ("logical_not", "invert") and truths:
        return Rows(found, ast.UnaryOp(ast.Invert(), codes[0]))
    if word == "negative":
        return Rows(found, ast.UnaryOp(ast.USub(), codes[0]))
    if word in _OPERATORS:
        return Rows(found, ast.BinOp(codes[0], _OPERATORS[word](), codes[1]))
    written = name(word) if word in OURS else numpy("abs" if word == "absolute" else word)
    return Rows(found, called(written, *codes))


def flattened(rows: Rows) -> Rows:
    """All elements of a world in one axis."""
    value, code = np.ravel(np.asarray(rows.value)), rows.code
    if rows.ndim == 0:
        return Rows(value, indexed(code, [ast.Constant(None)]))
    if rows.ndim == 1:
        return Rows(value, code)
    if rows.ndim == 2:
        return Rows(value, called(name("flat"), code))
    return reshaped(rows, value.shape)


def reshaped(rows: Rows, shape: Any) -> Rows:
    """The elements of a world in other axes."""
    value = np.reshape(np.asarray(rows.value), shape)
    if value.shape == np.shape(rows.value):
        return rows
    # worlds keep their axes
    worlds: ast.expr = attribute(rows.code, "shape")
    if rows.ndim:
        worlds = ast.Subscript(worlds, ast.Slice(None, literal(-rows.ndim), None), ast.Load())
    sizes = [ast.Starred(worlds, ast.Load()), *(literal(n) for n in value.shape)]
    return Rows(value, called(attribute(rows.code, "reshape"), *sizes))


def squeezed(rows: Rows) -> Rows:
    """An array without its axes of one element."""
    value = np.asarray(rows.value)
    if 1 not in value.shape:
        return rows
    items = [literal(0) if n == 1 else ast.Slice() for n in value.shape]
    return Rows(np.squeeze(value)[()], indexed(rows.code, items))


def reduced(word: str, args: list[Value], options: dict[str, Value]) -> Rows:
    """A sum and its like, over the axes of one world."""
    rows = as_rows(args[0])
    axis = plain(args[1] if len(args) > 1 else options.pop("axis", Static(None)))
    kept = bool(plain(options.pop("keepdims", Static(False))))
    if options or len(args) > 2:
        raise NotWritten(f"found numpy.{word} with {', '.join(options) or 'more'}, expected axis")
    if axis is None:
        rows, axis = (flattened(rows), -1) if rows.ndim != 1 else (rows, -1)
    if isinstance(axis, tuple):
        raise NotWritten(f"found numpy.{word} over several axes, expected one")
    value = getattr(np, word)(rows.value, axis=int(axis), keepdims=kept)
    below = int(axis) if axis < 0 else int(axis) - rows.ndim
    more = {"keepdims": literal(True)} if kept else {}
    written = {"amax": "max", "amin": "min"}.get(word, word)
    return Rows(value, called(numpy(written), rows.code, axis=literal(below), **more))


def norm(args: list[Value], options: dict[str, Value]) -> Rows:
    """Euclidean lengths."""
    rows = as_rows(args[0])
    order = plain(args[1] if len(args) > 1 else options.pop("ord", Static(None)))
    axis = plain(args[2] if len(args) > 2 else options.pop("axis", Static(None)))
    if options or order not in (None, 2) or (axis is None and rows.ndim != 1):
        raise NotWritten("found a norm of a matrix or of another order, expected lengths")
    value = np.linalg.norm(rows.value, axis=axis)
    below = -1 if axis is None else axis if axis < 0 else axis - rows.ndim
    function = attribute(numpy("linalg"), "norm")
    return Rows(value, called(function, rows.code, axis=literal(below)))


def like(value: Value, other: Rows) -> Rows:
    """A value with the worlds of another."""
    if isinstance(value, Rows):
        return value
    array = np.asarray(plain(value))
    # the axes of worlds come first in the other's shape
    shape: ast.expr = attribute(other.code, "shape")
    if other.ndim:
        shape = ast.Subscript(shape, ast.Slice(None, literal(-other.ndim), None), ast.Load())
    if array.ndim:
        worlds = ast.Starred(shape, ast.Load())
        shape = ast.Tuple([worlds, *(literal(n) for n in array.shape)], ast.Load())
    return Rows(array, called(numpy("broadcast_to"), code_of(value), shape))


def spread(value: Static, other: Rows) -> Rows:
    """A constant array with the worlds of another, whose elements may be assigned to."""
    array = np.asarray(plain(value))
    # zeros of each world, with as many axes
    one: ast.expr = other.code
    if other.ndim:
        one = ast.Subscript(one, _index([0] * other.ndim), ast.Load())
    zeros: ast.expr = called(numpy("zeros_like"), one)
    if array.ndim:
        zeros = ast.Subscript(zeros, _index([None] * array.ndim), ast.Load())
    return Rows(array, ast.BinOp(zeros, ast.Add(), code_of(value)))


def _index(places: list[int | None]) -> ast.expr:
    """The index `..., *places`."""
    axes = [numpy("newaxis") if place is None else literal(place) for place in places]
    return ast.Tuple([ast.Constant(...), *axes], ast.Load())


def settled(function: Static) -> Static:
    """The same function, but for numbers that nobody has set: these are zeros."""
    return Static(np.zeros, numpy("zeros")) if function.value is np.empty else function


def as_rows(value: Value) -> Rows:
    """An array of what may be a list of values."""
    if isinstance(value, Rows):
        return value
    if isinstance(value, Several) and value.kind is not dict and not is_static(value):
        return stacked(value.values(), 0)
    raise NotWritten("found a value that is the same in all worlds, expected an array")


def several_of(value: Value) -> Several:
    """A list of values.

    Raises:
        NotWritten: it is none.
    """
    if not isinstance(value, Several):
        raise NotWritten("found no list, expected one")
    return value


def joined(args: list[Value], options: dict[str, Value]) -> Rows:
    """Arrays one after the other."""
    axis = int(plain(args[1] if len(args) > 1 else options.pop("axis", Static(0))))
    parts = args[0]
    if not isinstance(parts, Several) or options:
        raise NotWritten("found numpy.concatenate of an array, expected a list")
    first = next(as_rows(one) for one in parts.values() if not is_static(one))
    several = [like(one, first) if is_static(one) else as_rows(one) for one in parts.values()]
    value = np.concatenate([one.value for one in several], axis=axis)
    below = axis if axis < 0 else axis - value.ndim
    items = ast.List([one.code for one in several], ast.Load())
    return Rows(value, called(numpy("concatenate"), items, axis=literal(below)))


def appended(args: list[Value], options: dict[str, Value]) -> Rows:
    """Elements of two arrays in one axis, or as `joined` along one that is given."""
    array, more, *axis = args
    if axis or options:
        return joined([Several([array, more], list), *axis], options)
    parts = [
        Static(np.ravel(plain(one))) if is_static(one) else flattened(as_rows(one))
        for one in (array, more)
    ]
    return joined([Several(parts, list)], {})


def parted(args: list[Value], options: dict[str, Value]) -> Several:
    """`numpy.split` of a vector."""
    rows, where = as_rows(args[0]), plain(args[1])
    if rows.ndim != 1 or len(args) > 2 or options:
        raise NotWritten("found numpy.split of an array of several axes, expected a vector")
    parts = np.split(np.arange(len(rows.value)), where)
    found = []
    for places in parts:
        first, last = (int(places[0]), int(places[-1]) + 1) if places.size else (0, 0)
        index = ast.Slice(literal(first) if first else None,
                          literal(last) if last < len(rows.value) else None)  # fmt: skip
        found.append(Rows(np.asarray(rows.value)[first:last], indexed(rows.code, [index])))
    return Several(found, list)


def stacked(values: list[Value], axis: int) -> Rows:
    """Values as elements of a new axis."""
    inner = [as_rows(one) if isinstance(one, Several) and not is_static(one) else one
             for one in values]  # fmt: skip
    first = next(one for one in inner if isinstance(one, Rows))
    several = [like(one, first) for one in inner]
    value = np.stack([np.asarray(one.value) for one in several], axis=axis)
    below = axis if axis < 0 else axis - value.ndim
    items = ast.List([one.code for one in several], ast.Load())
    return Rows(value, called(numpy("stack"), items, axis=literal(below)))


def summed_products(args: list[Value], options: dict[str, Value]) -> Rows:
    """`numpy.einsum` where the axes of one operand have the order of all."""
    text, operands = str(plain(args[0])).replace(" ", ""), args[1:]
    given, _, wanted = text.partition("->")
    letters = given.split(",")
    order = max(letters, key=len)
    fits = [c for c in order if c in wanted] == list(wanted) and "." not in text
    for names in letters:
        fits &= [c for c in order if c in names] == list(names) and len(set(names)) == len(names)
    if not fits or options:
        raise NotWritten(f"found numpy.einsum({text!r}), expected sums of products in one order")
    found: Value | None = None
    for names, value in zip(letters, operands, strict=True):
        index: list[ast.expr] = [ast.Slice() if c in names else ast.Constant(None) for c in order]
        array = np.asarray(plain(value))[tuple(slice(None) if c in names else None for c in order)]
        code = code_of(value)
        if len(names) < len(order):
            code = indexed(code, index) if isinstance(value, Rows) else ast.Subscript(
                code, ast.Tuple(index, ast.Load()), ast.Load())  # fmt: skip
        one: Value = Rows(array, code) if isinstance(value, Rows) else Static(array, code)
        found = one if found is None else elementwise(np.multiply, [found, one])
    assert isinstance(found, Rows)
    for k in reversed(range(len(order))):
        if order[k] not in wanted:
            found = reduced("sum", [found, Static(k)], {})
    return found


def dotted(one: Value, other: Value) -> Rows:
    """Products of vectors, and of a matrix and a vector."""
    left, right = np.asarray(plain(one)), np.asarray(plain(other))
    value = left @ right
    if left.ndim == right.ndim == 1:
        product = ast.BinOp(code_of(one), ast.Mult(), code_of(other))
    elif left.ndim == 2 and right.ndim == 1:
        row = indexed(code_of(other), [ast.Constant(None), ast.Slice()])
        product = ast.BinOp(code_of(one), ast.Mult(), row)
    else:
        raise NotWritten("found a product of matrices, expected one with a vector")
    return Rows(value, called(attribute(product, "sum"), axis=literal(-1)))


def chosen(condition: Value, one: Value, other: Value) -> Value:
    """One value where a condition holds, else the other."""
    if isinstance(one, Several) and isinstance(other, Several) and one.kind is other.kind:
        if one.kind is dict and list(one.items) == list(other.items):
            return Several({n: chosen(condition, v, other.items[n]) for n, v in one.items.items()},
                           dict)  # fmt: skip
        if one.kind is not dict and len(one.items) == len(other.items):
            pairs = zip(one.items, other.items, strict=True)
            return Several([chosen(condition, a, b) for a, b in pairs], one.kind)
    if _same(one, other):
        return one
    if not all(isinstance(v, Rows | Static) for v in (one, other)):
        raise NotWritten("found values of different shape after an `if`, expected alike ones")
    args = [condition, one, other]
    if any(plain(v) is None or isinstance(plain(v), str) for v in args):
        raise NotWritten("found None or words after an `if` on values, expected numbers")
    ndim = axes_of(args)
    value = np.where(*(plain(v) for v in args))
    return Rows(value, called(numpy("where"), *(lifted(v, ndim) for v in args)))


def _same(one: Value, other: Value) -> bool:
    """True if two values are one for certain."""
    if one is other:
        return True
    if isinstance(one, Rows) and isinstance(other, Rows):
        return ast.dump(one.code) == ast.dump(other.code)
    if isinstance(one, Static) and isinstance(other, Static):
        a, b = one.value, other.value
        if a is b:
            return True
        return type(a) is type(b) and isinstance(a, bool | int | float | str) and a == b
    return False


def converted(value: Value, kind: type) -> Value:
    """A value as a float, int or bool."""
    rows = as_rows(value)
    if np.size(rows.value) != 1:
        raise NotWritten(f"found {kind.__name__} of several numbers, expected one")
    found = kind(np.asarray(rows.value).reshape(())[()])
    code = rows.code if rows.ndim == 0 else indexed(rows.code, [literal(0)] * rows.ndim)
    was = np.asarray(rows.value).dtype
    if was == np.asarray(found).dtype or (kind is int and was.kind in "iu"):
        return Rows(found, code)
    if kind is bool:
        return Rows(found, ast.Compare(code, [ast.NotEq()], [literal(0)]))
    if kind is int and was.kind == "f":
        raise NotWritten("found int of a number that worlds have their own of, expected a float")
    return Rows(found, called(attribute(code, "astype"), name("float")))


def _all_of(args: list[Value], operator: type[ast.operator], word: str) -> Value:
    """`all` and `any` of a tuple."""
    if isinstance(args[0], Rows):
        return reduced(word, args, {})
    function = np.logical_and if operator is ast.BitAnd else np.logical_or
    values = several_of(args[0]).values()
    left = [one for one in values if not is_static(one)]
    settled = [bool(plain(one)) for one in values if is_static(one)]
    if (word == "any") in settled:
        return Static(word == "any")
    found = truth(left[0])
    for one in left[1:]:
        found = elementwise(function, [found, truth(one)])
    return found


def truth(value: Value) -> Rows:
    """A condition."""
    rows = as_rows(value)
    if rows.ndim and np.size(rows.value) == 1:
        rows = squeezed(rows)
    if rows.ndim:
        raise NotWritten("found the truth of an array, expected one value")
    if np.asarray(rows.value).dtype == bool:
        return rows
    return Rows(bool(rows.value), ast.Compare(rows.code, [ast.NotEq()], [literal(0)]))


def _extreme(args: list[Value], function: np.ufunc) -> Rows:
    """`max` and `min` of some values."""
    several = args if len(args) > 1 else as_rows(args[0])
    if isinstance(several, Rows):
        return reduced("max" if function is np.maximum else "min", [several], {})
    found: Value = several[0]
    for one in several[1:]:
        found = elementwise(function, [found, one])
    return as_rows(found)


def _added(args: list[Value]) -> Rows:
    """`sum` of a list."""
    if isinstance(args[0], Rows):
        return reduced("sum", args, {})
    values = args[0].values() if isinstance(args[0], Several) else []
    found: Value = values[0]
    for one in values[1:]:
        found = elementwise(np.add, [found, one])
    return as_rows(found)


def clipped(args: list[Value], options: dict[str, Value]) -> Rows:
    """Values within limits."""
    words = ("a_min", "a_max"), ("min", "max")
    low = args[1] if len(args) > 1 else next(options[w[0]] for w in words if w[0] in options)
    high = args[2] if len(args) > 2 else next(options[w[1]] for w in words if w[1] in options)
    several = [args[0], low, high]
    ndim = axes_of(several)
    value = np.clip(*(plain(one) for one in several))
    return Rows(value, called(numpy("clip"), *(lifted(one, ndim) for one in several)))


def _axis_added(args: list[Value], options: dict[str, Value]) -> Rows:
    rows = as_rows(args[0])
    axis = int(plain(args[1] if len(args) > 1 else options["axis"]))
    value = np.expand_dims(rows.value, axis)
    below = axis if axis >= 0 else axis + value.ndim
    index: list[ast.expr] = [ast.Slice() for _ in range(value.ndim)]
    index[below] = ast.Constant(None)
    while index and isinstance(index[0], ast.Slice) and len(index) > 1:
        index.pop(0)
    return Rows(value, indexed(rows.code, index))


def array_of(args: list[Value], options: dict[str, Value]) -> Rows:
    """`numpy.array` and its like."""
    rows = as_rows(args[0])
    kind = plain(options["dtype"]) if "dtype" in options else (
        plain(args[1]) if len(args) > 1 else None)  # fmt: skip
    return cast(rows, kind)


def cast(rows: Rows, kind: Any) -> Rows:
    """An array in another type."""
    if kind is None or np.asarray(rows.value).dtype == np.dtype(kind):
        return Rows(np.array(rows.value), rows.code)
    written = numpy(np.dtype(kind).name if np.dtype(kind) != bool else "bool_")
    value = np.asarray(rows.value).astype(kind)
    return Rows(value, called(attribute(rows.code, "astype"), written))


def _filled(word: str) -> Callable[[list[Value], dict[str, Value]], Value]:
    """`zeros_like` and `ones_like`: constants."""

    def write(args: list[Value], options: dict[str, Value]) -> Value:
        rows = as_rows(args[0])
        return Rows(getattr(np, word)(rows.value), called(numpy(word), rows.code))

    return write


# functions, by what they are
RULES: dict[Any, Callable[[list[Value], dict[str, Value]], Value]] = {
    np.linalg.norm: norm,
    np.concatenate: joined,
    np.hstack: joined,
    np.append: appended,
    np.split: parted,
    np.stack: lambda a, o: stacked(several_of(a[0]).values(), int(plain(o.get("axis", Static(0))))),
    np.clip: clipped,
    np.where: lambda a, o: as_rows(chosen(*a)),
    np.einsum: summed_products,
    np.dot: lambda a, o: dotted(*a),
    np.inner: lambda a, o: dotted(*a),
    np.matmul: lambda a, o: dotted(*a),
    np.expand_dims: _axis_added,
    np.array: array_of,
    np.asarray: array_of,
    np.reshape: lambda a, o: reshaped(as_rows(a[0]), plain(a[1])),
    np.ravel: lambda a, o: flattened(as_rows(a[0])),
    np.copy: array_of,
    np.squeeze: lambda a, o: squeezed(as_rows(a[0])),
    np.zeros_like: _filled("zeros_like"),
    np.ones_like: _filled("ones_like"),
    np.atleast_1d: lambda a, o: a[0] if axes_of(a) else flattened(as_rows(a[0])),
    builtins.float: lambda a, o: converted(a[0], float),
    builtins.int: lambda a, o: converted(a[0], int),
    builtins.bool: lambda a, o: converted(a[0], bool),
    np.float64: lambda a, o: converted(a[0], float),
    builtins.abs: lambda a, o: elementwise(np.absolute, a),
    builtins.max: lambda a, o: _extreme(a, np.maximum),
    builtins.min: lambda a, o: _extreme(a, np.minimum),
    builtins.sum: lambda a, o: _added(a),
    builtins.all: lambda a, o: _all_of(a, ast.BitAnd, "all"),
    builtins.any: lambda a, o: _all_of(a, ast.BitOr, "any"),
    builtins.len: lambda a, o: Static(len(plain(a[0]))),
    np.shape: lambda a, o: Static(np.shape(plain(a[0]))),
    math.isfinite: lambda a, o: elementwise(np.isfinite, a),
    math.fabs: lambda a, o: elementwise(np.absolute, a),
    **{getattr(math, w): (lambda a, o, w=w: elementwise(getattr(np, w), a))
       for w in ("sin", "cos", "tan", "exp", "log", "sqrt")},
    math.atan2: lambda a, o: elementwise(np.arctan2, a),
    **{getattr(np, w): (lambda a, o, w=w: reduced(w, a, dict(o))) for w in _REDUCTIONS},
}  # fmt: skip


def of_arrays(function: Any, args: list[Value], options: dict[str, Value]) -> Value:
    """A call of a function of numpy or Python.

    Raises:
        NotWritten: there is no rule for it.
    """
    if isinstance(function, np.ufunc):
        if options or len(args) != function.nin:
            raise NotWritten(f"found numpy.{function.__name__} with options, expected none")
        rows = [as_rows(a) if isinstance(a, Several) and not is_static(a) else a for a in args]
        return elementwise(function, rows)
    try:
        rule = RULES.get(function)
    except TypeError:
        rule = None
    if rule is None:
        module = getattr(function, "__module__", None) or type(function).__module__
        word = getattr(function, "__qualname__", type(function).__name__)
        raise NotWritten(
            f"found {module}.{word} of values that worlds have their own of, expected a function "
            "of docs/task-reference.md"
        )
    return rule(args, dict(options))


def method_of(part: Part, args: list[Value], options: dict[str, Value]) -> Value:
    """A call of a method of an array."""
    rows, word = part.of, part.name
    if word in _REDUCTIONS:
        return reduced(word, [rows, *args], options)
    if word in ("flatten", "ravel"):
        return flattened(rows)
    if word == "item" or (word == "squeeze" and np.size(rows.value) == 1):
        return converted(rows, float) if rows.ndim else rows
    if word == "squeeze":
        return squeezed(rows)
    if word in ("copy", "tolist"):
        return Rows(np.array(rows.value), rows.code)
    if word == "astype":
        return cast(rows, plain(args[0] if args else options["dtype"]))
    if word == "reshape":
        return reshaped(rows, plain(args[0]) if len(args) == 1 else [plain(n) for n in args])
    if word == "dot":
        return dotted(rows, args[0])
    if word == "clip":
        return clipped([rows, *args], options)
    raise NotWritten(f"found .{word}() of an array, expected a function of docs/task-reference.md")


def attribute_of(rows: Rows, word: str) -> Value:
    """An attribute of an array."""
    value = np.asarray(rows.value)
    if word in ("shape", "ndim", "size", "dtype"):
        return Static(getattr(value, word))
    if word == "flat":
        return flattened(rows)
    if word == "T" and value.ndim < 2:
        return rows
    return Part(rows, word)
