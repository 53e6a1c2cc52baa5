"""Expressions of an environment's methods, as those of a task."""

import ast
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from mjenv.writing import arrays
from mjenv.writing.frames import Frame
from mjenv.writing.host import Host
from mjenv.writing.values import (
    NotWritten,
    Rows,
    Several,
    Static,
    Value,
    code_of,
    indexed,
    is_static,
    literal,
    plain,
)

_BINARY: dict[type, Callable[..., Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
    ast.Div: operator.truediv, ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod,
    ast.Pow: operator.pow, ast.MatMult: operator.matmul, ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_, ast.BitXor: operator.xor, ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
}  # fmt: skip
_UFUNCS: dict[type, np.ufunc] = {
    ast.Add: np.add, ast.Sub: np.subtract, ast.Mult: np.multiply, ast.Div: np.true_divide,
    ast.Mod: np.mod, ast.Pow: np.power, ast.BitAnd: np.bitwise_and, ast.BitOr: np.bitwise_or,
    ast.FloorDiv: np.floor_divide,
}  # fmt: skip
_UNARY: dict[type, Callable[..., Any]] = {
    ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Not: operator.not_,
    ast.Invert: operator.invert,
}  # fmt: skip
_COMPARED: dict[type, Callable[..., Any]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Is: operator.is_,
    ast.IsNot: operator.is_not, ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b,
}  # fmt: skip


def evaluate(t: Host, node: ast.expr, frame: Frame) -> Value:
    """The value of an expression.

    Raises:
        NotWritten: a task cannot say this.
    """
    t.at(node, frame)
    rule = _RULES.get(type(node))
    if rule is None:
        raise NotWritten(f"found `{ast.unparse(node)}`, expected expressions of numbers and arrays")
    return rule(t, node, frame)


def _constant(t: Host, node: ast.Constant, frame: Frame) -> Value:
    return Static(node.value, ast.Constant(node.value))


def _name(t: Host, node: ast.Name, frame: Frame) -> Value:
    return frame.look_up(node.id)


def _attribute(t: Host, node: ast.Attribute, frame: Frame) -> Value:
    return t.attribute(evaluate(t, node.value, frame), node.attr)


def _values(t: Host, nodes: list[ast.expr], frame: Frame) -> list[Value]:
    """Values of a list of expressions, some with a star."""
    found: list[Value] = []
    for node in nodes:
        if isinstance(node, ast.Starred):
            found += items_of(evaluate(t, node.value, frame))
        else:
            found.append(evaluate(t, node, frame))
    return found


def _sequence(t: Host, node: Any, frame: Frame) -> Value:
    kind = tuple if isinstance(node, ast.Tuple) else list
    found = _values(t, node.elts, frame)
    if all(isinstance(one, Static) for one in found):
        codes = [one.code for one in found if isinstance(one, Static)]
        code: ast.expr | None = None
        if all(one is not None for one in codes):
            code = type(node)([c for c in codes if c is not None], ast.Load())
        return Static(kind(plain(one) for one in found), code)
    return Several(found, kind)


def _dict(t: Host, node: ast.Dict, frame: Frame) -> Value:
    found: dict[Any, Value] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        one = evaluate(t, value, frame)
        if key is not None:
            found[plain(evaluate(t, key, frame))] = one
        elif isinstance(one, Several) and one.kind is dict:
            found |= one.items
        elif isinstance(one, Static) and isinstance(one.value, dict):
            found |= {n: Static(v) for n, v in one.value.items()}
        else:
            raise NotWritten("found ** of what is no dict")
    return Several(found, dict)


def _binary(t: Host, node: ast.BinOp, frame: Frame) -> Value:
    one, other = evaluate(t, node.left, frame), evaluate(t, node.right, frame)
    return combined(type(node.op), one, other)


def combined(kind: type[ast.operator], one: Value, other: Value) -> Value:
    """Two values with an operator between them."""
    if is_static(one) and is_static(other):
        value = _BINARY[kind](plain(one), plain(other))
        return Static(value, _both(one, other, lambda a, b: ast.BinOp(a, kind(), b)))
    if isinstance(one, Several) and isinstance(other, Several) and kind is ast.Add:
        return Several([*one.values(), *other.values()], one.kind)
    if kind is ast.MatMult:
        return arrays.dotted(one, other)
    if kind not in _UFUNCS:
        raise NotWritten(f"found the operator {kind.__name__} of values that worlds have")
    sides: list[Value] = [arrays.as_rows(v) if isinstance(v, Several) else v for v in (one, other)]
    found = arrays.elementwise(_UFUNCS[kind], sides)
    # the operator itself, whatever the function is called
    left, right = (arrays.lifted(v, found.ndim) for v in sides)
    return Rows(found.value, ast.BinOp(left, kind(), right))


def _both(one: Value, other: Value, make: Callable[[Any, Any], ast.expr]) -> ast.expr | None:
    """An expression of two that are the same in all worlds, if both have words."""
    if any(isinstance(v, Static) and v.code is None for v in (one, other)):
        return None
    try:
        return make(code_of(one), code_of(other))
    except NotWritten:
        return None


def _unary(t: Host, node: ast.UnaryOp, frame: Frame) -> Value:
    value = evaluate(t, node.operand, frame)
    if is_static(value):
        found = _UNARY[type(node.op)](plain(value))
        code = value.code if isinstance(value, Static) else None
        return Static(found, None if code is None else ast.UnaryOp(node.op, code))
    if isinstance(node.op, ast.Not):
        one = arrays.truth(value)
        return Rows(not one.value, ast.UnaryOp(ast.Invert(), one.code))
    rows = arrays.as_rows(value)
    return Rows(_UNARY[type(node.op)](rows.value), ast.UnaryOp(node.op, rows.code))


def _logical(t: Host, node: ast.BoolOp, frame: Frame) -> Value:
    """`and` and `or`; what settles them in all worlds alike is left out."""
    settles = isinstance(node.op, ast.Or)
    left: list[Value] = []
    for one in node.values:
        value = evaluate(t, one, frame)
        if not is_static(value):
            left.append(value)
        elif bool(plain(value)) is settles:
            if not left:
                return value
            return Static(settles, ast.Constant(settles))
        elif one is node.values[-1] and not left:
            return value
    found: Value = left[0]
    for one in left[1:]:
        function = np.logical_or if settles else np.logical_and
        found = arrays.elementwise(function, [arrays.truth(found), arrays.truth(one)])
    return found


def _compare(t: Host, node: ast.Compare, frame: Frame) -> Value:
    """Comparisons, also several in a row."""
    values = [evaluate(t, one, frame) for one in (node.left, *node.comparators)]
    found: Value | None = None
    for op, one, other in zip(node.ops, values, values[1:], strict=False):
        part = _compared(op, one, other)
        if found is None:
            found = part
        elif is_static(found) and is_static(part):
            found = Static(plain(found) and plain(part))
        elif is_static(found) or is_static(part):
            settled, other_part = (found, part) if is_static(found) else (part, found)
            found = other_part if plain(settled) else Static(False, ast.Constant(False))
        else:
            found = arrays.elementwise(np.logical_and, [found, part])
    assert found is not None
    return found


def _compared(op: ast.cmpop, one: Value, other: Value) -> Value:
    compare = _COMPARED[type(op)]
    if is_static(one) and is_static(other):
        value = compare(plain(one), plain(other))
        return Static(value, _both(one, other, lambda a, b: ast.Compare(a, [op], [b])))
    if isinstance(op, ast.Is | ast.IsNot):
        return Static(compare(plain(one), plain(other)))
    if isinstance(op, ast.In | ast.NotIn):
        if isinstance(other, Several) and other.kind is dict and is_static(one):
            return Static(compare(plain(one), other.items))
        raise NotWritten("found `in` of values that worlds have their own of")
    ndim = arrays.axes_of([one, other])
    sides = [arrays.lifted(v, ndim) for v in (one, other)]
    return Rows(compare(plain(one), plain(other)), ast.Compare(sides[0], [op], [sides[1]]))


def _choice(t: Host, node: ast.IfExp, frame: Frame) -> Value:
    condition = evaluate(t, node.test, frame)
    if is_static(condition):
        return evaluate(t, node.body if plain(condition) else node.orelse, frame)
    one, other = evaluate(t, node.body, frame), evaluate(t, node.orelse, frame)
    return arrays.chosen(arrays.truth(condition), one, other)


def _subscript(t: Host, node: ast.Subscript, frame: Frame) -> Value:
    base = evaluate(t, node.value, frame)
    if isinstance(base, Rows):
        return element(base, indices_of(t, node.slice, frame))
    if isinstance(base, Several):
        at = evaluate(t, node.slice, frame) if not isinstance(node.slice, ast.Slice) else None
        place = _slice(t, node.slice, frame) if at is None else plain(at)  # type: ignore[arg-type]
        if isinstance(place, slice):
            return Several(base.items[place], base.kind)
        return base.items[place]
    if not isinstance(base, Static):
        raise NotWritten(f"found an index of a function, {ast.unparse(node)}")
    index, codes = index_of(t, node.slice, frame)
    value = base.value[index]
    return Static(value, None if base.code is None or codes is None else
                  ast.Subscript(base.code, codes, ast.Load()))  # fmt: skip


def _slice(t: Host, node: ast.Slice, frame: Frame) -> slice:
    ends = (node.lower, node.upper, node.step)
    return slice(*(None if one is None else plain(evaluate(t, one, frame)) for one in ends))


def index_of(t: Host, node: ast.expr, frame: Frame) -> tuple[Any, ast.expr | None]:
    """An index that is the same in all worlds, and how a task writes it."""
    if isinstance(node, ast.Slice):
        ends = (node.lower, node.upper, node.step)
        found = [None if one is None else evaluate(t, one, frame) for one in ends]
        if not all(one is None or is_static(one) for one in found):
            raise NotWritten("found a slice whose ends worlds have their own of")
        codes = [None if one is None else code_of(one) for one in found]
        return slice(*(None if o is None else plain(o) for o in found)), ast.Slice(*codes)
    if isinstance(node, ast.Tuple):
        both = [index_of(t, one, frame) for one in node.elts]
        parts = [c for _, c in both if c is not None]
        code = ast.Tuple(parts, ast.Load()) if len(parts) == len(both) else None
        return tuple(index for index, _ in both), code
    value = evaluate(t, node, frame)
    if not is_static(value):
        raise NotWritten(f"found the index {ast.unparse(node)}, that worlds have their own of")
    try:
        return plain(value), code_of(value)
    except NotWritten:
        return plain(value), None


def indices_of(t: Host, node: ast.expr, frame: Frame) -> list[tuple[Any, ast.expr]]:
    """Indices of the axes of an array, with their words."""
    nodes = node.elts if isinstance(node, ast.Tuple) else [node]
    found = []
    for one in nodes:
        index, code = index_of(t, one, frame)
        found.append((index, literal(index) if code is None else code))
    return found


def parts_of(target: ast.Subscript) -> tuple[ast.expr, list[ast.expr]]:
    """What an element is of, and its indices: those of a part of a part are of both."""
    place, parts = target.value, [target.slice]
    while isinstance(place, ast.Subscript):
        parts.insert(0, place.slice)
        place = place.value
    return place, parts


def element(rows: Rows, indices: list[tuple[Any, ast.expr]]) -> Rows:
    """An array at indices: axes that are not named are taken whole."""
    named = sum(index is not None and index is not ... for index, _ in indices)
    whole = [(slice(None), ast.Slice())] * (rows.ndim - named)
    places = [k for k, (index, _) in enumerate(indices) if index is ...]
    at = places[0] if places else len(indices)
    every = [*indices[:at], *whole, *indices[at + bool(places) :]]
    if any(
        isinstance(index, bool) or np.asarray(index).dtype == bool
        for index, _ in every
        if not isinstance(index, slice) and index is not None
    ):
        raise NotWritten("found a mask as an index, expected numbers")  # fmt: skip
    value = rows.value[tuple(index for index, _ in every)]
    many = sum(isinstance(index, list | tuple | np.ndarray) for index, _ in every)
    if many > 1:
        raise NotWritten("found lists as indices of several axes, expected one")
    while every and _is_whole(every[0][0]):
        every.pop(0)
    code = indexed(rows.code, [c for _, c in every]) if every else rows.code
    view = None
    if rows.view is not None and not many and np.ndim(value):
        view = indexed(rows.view, [c for _, c in every]) if every else rows.view
    return Rows(value, code, view)


def _is_whole(index: Any) -> bool:
    return isinstance(index, slice) and index == slice(None)


def items_of(value: Value) -> list[Value]:
    """What a loop goes through.

    Raises:
        NotWritten: it has no length that is known.
    """
    if isinstance(value, Several):
        if value.kind is dict:
            return [Static(n, literal(n)) for n in value.items]
        return value.values()
    if isinstance(value, Rows) and value.ndim:
        return [element(value, [(k, literal(k))]) for k in range(len(value.value))]
    if isinstance(value, Static):
        items = list(value.value)
        if value.code is not None and isinstance(value.value, tuple | list | np.ndarray):

            def at(k: int) -> ast.expr:
                assert value.code is not None
                if isinstance(value.code, ast.Tuple | ast.List):
                    return value.code.elts[k]
                return ast.Subscript(value.code, literal(k), ast.Load())

            return [Static(one, at(k)) for k, one in enumerate(items)]  # fmt: skip
        return [Static(one) for one in items]
    raise NotWritten("found a loop over one number, expected several")


def _call(t: Host, node: ast.Call, frame: Frame) -> Value:
    if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args:
        return Static(super(frame.owner, frame.bound.value))  # type: ignore[arg-type, union-attr]
    function = evaluate(t, node.func, frame)
    args = _values(t, node.args, frame)
    options: dict[str, Value] = {}
    for one in node.keywords:
        value = evaluate(t, one.value, frame)
        if one.arg is not None:
            options[one.arg] = value
        elif isinstance(value, Several):
            options |= value.items
        else:
            options |= {n: Static(v) for n, v in plain(value).items()}
    t.at(node, frame)
    return t.call(function, args, options)


def _comprehension(t: Host, node: Any, frame: Frame) -> Value:
    found: list[Value] = []
    inner = frame.inner()

    def go(k: int) -> None:
        if k == len(node.generators):
            found.append(evaluate(t, node.elt, inner))
            return
        loop = node.generators[k]
        for item in items_of(evaluate(t, loop.iter, inner)):
            t.bind(loop.target, item, inner, quiet=True)
            tests = [evaluate(t, one, inner) for one in loop.ifs]
            if not all(is_static(one) for one in tests):
                raise NotWritten("found `if` of values in a comprehension")
            if all(plain(one) for one in tests):
                go(k + 1)

    go(0)
    return Several(found, list)


def _dict_comprehension(t: Host, node: ast.DictComp, frame: Frame) -> Value:
    found, inner = dict[Any, Value](), frame.inner()
    if len(node.generators) != 1 or node.generators[0].ifs:
        raise NotWritten("found a comprehension with several loops, expected one")
    for item in items_of(evaluate(t, node.generators[0].iter, inner)):
        t.bind(node.generators[0].target, item, inner, quiet=True)
        key = plain(evaluate(t, node.key, inner))
        found[key] = evaluate(t, node.value, inner)
    return Several(found, dict)


def _text(t: Host, node: ast.JoinedStr, frame: Frame) -> Value:
    words = []
    for one in node.values:
        if isinstance(one, ast.FormattedValue):
            value = evaluate(t, one.value, frame)
            if not is_static(value):
                raise NotWritten("found a text of values that worlds have their own of")
            text = "" if one.format_spec is None else plain(evaluate(t, one.format_spec, frame))
            words.append(format(plain(value), text))
        else:
            words.append(str(plain(evaluate(t, one, frame))))
    return Static("".join(words), ast.Constant("".join(words)))


def _starred(t: Host, node: ast.Starred, frame: Frame) -> Value:
    raise NotWritten("found a star outside of a list")


_RULES: dict[type, Callable[..., Value]] = {
    ast.Constant: _constant, ast.Name: _name, ast.Attribute: _attribute, ast.Tuple: _sequence,
    ast.List: _sequence, ast.Dict: _dict, ast.BinOp: _binary, ast.UnaryOp: _unary,
    ast.BoolOp: _logical, ast.Compare: _compare, ast.IfExp: _choice, ast.Subscript: _subscript,
    ast.Call: _call, ast.ListComp: _comprehension, ast.GeneratorExp: _comprehension,
    ast.DictComp: _dict_comprehension, ast.JoinedStr: _text, ast.Starred: _starred,
}  # fmt: skip
