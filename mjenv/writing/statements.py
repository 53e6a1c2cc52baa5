"""Statements of an environment's methods: `if`s on values have both branches followed."""

import ast
from typing import Any

from mjenv.writing import arrays
from mjenv.writing.expressions import combined, evaluate, items_of
from mjenv.writing.frames import Frame
from mjenv.writing.host import Host
from mjenv.writing.values import NotWritten, Static, Value, is_static, plain

_MOST = 1000  # times through a loop


class Break(Exception):
    """The end of a loop."""


class Continue(Exception):
    """The end of a turn of a loop."""


def run_block(t: Host, body: list[ast.stmt], frame: Frame) -> Value | None:
    """Follow statements.

    Returns:
        What `return` gives; None where the end is reached without.

    Raises:
        NotWritten: a task cannot say this.
    """
    for k, node in enumerate(body):
        t.at(node, frame)
        if isinstance(node, ast.If):
            condition = evaluate(t, node.test, frame)
            if is_static(condition):
                found = run_block(t, node.body if plain(condition) else node.orelse, frame)
            elif _leaves(node.body) or _leaves(node.orelse):
                # what follows belongs to the branches, too
                rest = body[k + 1 :]
                return _both(t, condition, [*node.body, *rest], [*node.orelse, *rest], frame)
            else:
                found = _both(t, condition, node.body, node.orelse, frame)
                found = None if _is_none(found) else found
        else:
            found = _run(t, node, frame)
        if found is not None:
            return found
    return None


def _is_none(value: Value | None) -> bool:
    return value is None or (isinstance(value, Static) and value.value is None)


def _leaves(body: list[ast.stmt]) -> bool:
    kinds = (ast.Return, ast.Break, ast.Continue)
    return any(isinstance(inner, kinds) for node in body for inner in ast.walk(node))


def _both(
    t: Host, condition: Value, body: list[ast.stmt], other: list[ast.stmt], frame: Frame
) -> Value | None:
    """Follow both branches of an `if`; what they change is chosen by its condition."""
    truth = arrays.truth(condition)
    before = t.saved(frame)
    try:
        t.branches += 1
        one = run_block(t, body, frame)
        after_one = t.saved(frame)
        t.put_back(before, frame)
        two = run_block(t, other, frame)
    except (Break, Continue):
        raise NotWritten("found a loop that an `if` of values leaves") from None
    finally:
        t.branches -= 1
    t.merge(truth, after_one, frame)
    none = Static(None, ast.Constant(None))
    if one is None and two is None:
        return None
    return arrays.chosen(truth, none if one is None else one, none if two is None else two)


def _run(t: Host, node: ast.stmt, frame: Frame) -> Value | None:
    """Follow a statement that is no `if`."""
    if isinstance(node, ast.Return):
        none = Static(None, ast.Constant(None))
        return none if node.value is None else evaluate(t, node.value, frame)
    # assignments
    if isinstance(node, ast.Assign):
        value = evaluate(t, node.value, frame)
        for target in node.targets:
            t.bind(target, value, frame)
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        t.bind(node.target, evaluate(t, node.value, frame), frame)
    elif isinstance(node, ast.AugAssign):
        read: Any = ast.copy_location(_loaded(node.target), node.target)
        value = combined(type(node.op), evaluate(t, read, frame), evaluate(t, node.value, frame))
        t.bind(node.target, value, frame)
    elif isinstance(node, ast.Expr):
        if not isinstance(node.value, ast.Constant):
            evaluate(t, node.value, frame)
    # loops
    elif isinstance(node, ast.For):
        return _for(t, node, frame)
    elif isinstance(node, ast.While):
        return _while(t, node, frame)
    elif isinstance(node, ast.Break):
        raise Break
    elif isinstance(node, ast.Continue):
        raise Continue
    elif isinstance(node, ast.Assert):
        if is_static(test := evaluate(t, node.test, frame)) and not plain(test):
            raise NotWritten(f"found `{ast.unparse(node)}`, which fails")
        if not is_static(test):
            raise NotWritten("found `assert` of values that worlds have their own of")
    elif isinstance(node, ast.Import | ast.ImportFrom):
        _import(node, frame)
    elif not isinstance(node, ast.Pass | ast.AnnAssign):
        words = ast.unparse(node).splitlines()[0]
        raise NotWritten(f"found `{words}`, expected assignments, `if`, `for` and `return`")
    return None


def _loaded(target: ast.expr) -> ast.expr:
    twin: ast.expr = ast.parse(ast.unparse(target), mode="eval").body
    return twin


def _import(node: ast.Import | ast.ImportFrom, frame: Frame) -> None:
    space = dict(frame.space)
    exec(compile(ast.Module([node], []), "<import>", "exec"), space)  # of the package itself
    frame.space = space


def _for(t: Host, node: ast.For, frame: Frame) -> Value | None:
    """Follow a loop, once for each of its items."""
    items = items_of(evaluate(t, node.iter, frame))
    if len(items) > _MOST:
        raise NotWritten(f"found a loop over {len(items)} things, expected at most {_MOST}")
    for item in items:
        t.bind(node.target, item, frame, quiet=True)
        goes_on, found = _turn(t, node, frame)
        if not goes_on:
            return found
    return run_block(t, node.orelse, frame)


def _turn(t: Host, node: ast.For | ast.While, frame: Frame) -> tuple[bool, Value | None]:
    """Follow one turn of a loop: whether the loop goes on, and what the function has returned."""
    try:
        found = run_block(t, node.body, frame)
    except Break:
        return False, None
    except Continue:
        return True, None
    return found is None, found


def _while(t: Host, node: ast.While, frame: Frame) -> Value | None:
    """Follow a loop whose end is the same in all worlds, or one that draws until something fits."""
    if t.draws_until(node, frame):
        return None
    for _ in range(_MOST):
        test = evaluate(t, node.test, frame)
        if not is_static(test):
            raise NotWritten("found `while` of a value that worlds have their own of")
        if not plain(test):
            return None
        goes_on, found = _turn(t, node, frame)
        if not goes_on:
            return found
    raise NotWritten(f"found a loop that has not ended after {_MOST} turns")
