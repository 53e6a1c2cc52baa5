"""Names that a loop's turns do not hand on: each turn sets them before it looks at them."""

import ast
from collections import Counter


def names_of_turns(function: ast.FunctionDef) -> dict[ast.AST, set[str]]:
    """Names of each `for` loop that nothing but one of its turns sees."""
    everywhere = Counter(_looked_at(function))
    found: dict[ast.AST, set[str]] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.For):
            within = Counter(_looked_at(node))
            first = _set_first(node)
            found[node] = {name for name in first if within[name] == everywhere[name]}
    return found


def _looked_at(node: ast.AST) -> list[str]:
    # `name += 1` looks at it, too
    added = (one.target for one in ast.walk(node) if isinstance(one, ast.AugAssign))
    found = [one.id for one in added if isinstance(one, ast.Name)]
    names = (one for one in ast.walk(node) if isinstance(one, ast.Name))
    return [*found, *(one.id for one in names if not isinstance(one.ctx, ast.Store))]


def _stored(node: ast.AST) -> set[str]:
    """Names that a statement sets."""
    names = (one for one in ast.walk(node) if isinstance(one, ast.Name))
    return {one.id for one in names if isinstance(one.ctx, ast.Store)}


def _set_first(loop: ast.For) -> set[str]:
    """Names that every turn sets, and that it has not looked at before."""
    ready, late = _stored(loop.target), set[str]()
    for line in loop.body:
        late.update(name for name in _looked_at(line) if name not in ready)
        if isinstance(line, ast.Assign) and all(map(_is_names, line.targets)):
            ready |= _stored(line)
    return ready - late


def _is_names(target: ast.expr) -> bool:
    """True for a name, and for names that a value is unpacked to."""
    return isinstance(target, ast.Name) or (
        isinstance(target, ast.Tuple) and all(map(_is_names, target.elts))
    )
