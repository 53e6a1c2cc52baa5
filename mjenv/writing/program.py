"""Statements of a task, in their order, and those that some results need."""

import ast
from dataclasses import dataclass, field

from mjenv.writing.values import MARK

_SHORT = 40  # letters of what stands in a choice
BEFORE, AFTER, RESET = "before", "after", "reset"


@dataclass(eq=False)
class Statement:
    """A statement that gives names their values.

    Attributes:
        targets: the names.
        node: it.
        phase: when it is computed: before or after the physics, or in a reset.
        static: whether it is the same in all worlds.
        changes: whether it changes its target in place.
        draws: whether it draws random numbers, and so is needed in any case.
    """

    targets: list[str]
    node: ast.stmt
    phase: str
    static: bool = False
    changes: bool = False
    draws: bool = False
    reads: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        value = self.node if self.changes else getattr(self.node, "value", self.node)
        self.reads = names_in(value)


@dataclass(eq=False)
class MethodOf:
    """A method of the task, after a method or property of the environment.

    Attributes:
        word: its name.
        arguments: names of its arguments, inside.
        reads_data: whether it has `data` as its first argument.
        statements: what it computes.
        result: what it returns.
        doc: its docstring.
    """

    word: str
    arguments: list[str]
    reads_data: bool
    statements: list[Statement]
    result: ast.expr
    doc: str = ""


def names_in(node: ast.AST) -> set[str]:
    """Names that an expression reads, but those of modules."""
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def own_names(node: ast.AST) -> set[str]:
    """Names of variables that an expression reads."""
    return {word for word in names_in(node) if MARK in word}


def needed(statements: list[Statement], results: list[ast.expr]) -> list[Statement]:
    """Those of some statements that expressions need."""
    wanted = set[str]().union(*(names_in(one) for one in results)) if results else set()
    found = []
    for one in reversed(statements):
        if wanted & set(one.targets) or one.draws:
            if not one.changes:
                wanted -= set(one.targets)
            wanted |= one.reads
            found.append(one)
    return found[::-1]


def with_draws_in_place(
    statements: list[Statement], results: list[ast.expr]
) -> tuple[list[Statement], list[ast.expr]]:
    """Have what is drawn and used once, by the next statement, stand there."""
    found = list(statements)
    for one in statements:
        if not one.draws or not one.targets[0].startswith("drawn"):
            continue
        word = one.targets[0]
        uses = _uses(word, [*(s.node for s in found), *results])
        # one statement that may be moved to here
        users = [s for s in found if word in s.reads]
        if uses != 1 or len(users) != 1 or users[0].changes or users[0].draws:
            continue
        k, user = found.index(one), users[0]
        between = found[k + 1 : found.index(user)]
        if user.reads & {w for s in between for w in s.targets}:
            continue
        assert isinstance(one.node, ast.Assign)
        node = Renamed({}, {word: one.node.value}).visit(user.node)
        joined = Statement(user.targets, node, one.phase, draws=True)
        found.remove(user)
        found[k] = joined
    # or the result, if nothing is drawn later
    last = next((s for s in reversed(found) if s.draws), None)
    if last is not None and _uses(last.targets[0], [s.node for s in found]) == 0:
        word, value = last.targets[0], getattr(last.node, "value", None)
        if word.startswith("drawn") and _uses(word, list(results)) == 1 and value is not None:
            found.remove(last)
            results = [Renamed({}, {word: value}).visit(code) for code in results]
    return found, list(results)


def with_choices_in_place(statements: list[Statement], results: list[ast.expr]) -> list[Statement]:
    """Have short values that are used once, by a choice, stand in it."""
    found = list(statements)
    changed = {w for s in found if s.changes for w in s.targets}
    for one in statements:
        code, word = getattr(one.node, "value", None), one.targets[0]
        if len(one.targets) > 1 or one.draws or code is None or one.reads & changed:
            continue
        if word in changed or len(ast.unparse(code)) > _SHORT:
            continue
        uses = _uses(word, [*(s.node for s in found), *results])
        users = [s for s in found if word in s.reads]
        if uses != 1 or len(users) != 1 or not _is_choice(users[0].node):
            continue
        here = next(s for s in found if s.targets == one.targets)
        node = Renamed({}, {word: here.node.value}).visit(users[0].node)  # type: ignore[attr-defined]
        joined = Statement(users[0].targets, node, users[0].phase, users[0].static)
        found[found.index(users[0])] = joined
        found.remove(here)
    return found


def _uses(word: str, codes: list[ast.AST]) -> int:
    """How often expressions read a name."""
    return sum(
        isinstance(n, ast.Name) and n.id == word and isinstance(n.ctx, ast.Load)
        for code in codes for n in ast.walk(code)
    )  # fmt: skip


def _is_choice(node: ast.stmt) -> bool:
    value = getattr(node, "value", None)
    return isinstance(value, ast.Call) and ast.unparse(value.func) == "np.where"


def with_parts_in_place(
    statements: list[Statement], results: list[ast.expr]
) -> tuple[list[Statement], list[ast.expr]]:
    """Have parts of the data that are used once stand where they are used."""
    found, codes = list(statements), list(results)
    changed = {w for s in found if s.changes for w in s.targets}
    for one in statements:
        value = getattr(one.node, "value", None)
        word = one.targets[0]
        if len(one.targets) > 1 or word in changed or not _is_part(value):
            continue
        uses = _uses(word, [*(s.node for s in found), *codes])
        if uses != 1:
            continue
        here = next(s for s in found if s.targets == one.targets)
        rename = Renamed({}, {word: here.node.value})  # type: ignore[attr-defined]
        found = [s if word not in s.reads else Statement(
            s.targets, rename.visit(s.node), s.phase, s.static, s.changes, s.draws)
            for s in found if s is not here]  # fmt: skip
        codes = [rename.visit(code) for code in codes]
    return found, codes


def _is_part(code: ast.AST | None) -> bool:
    """True for a field of the data, and parts of one."""
    if isinstance(code, ast.Subscript):
        return _is_part(code.value)
    if isinstance(code, ast.Attribute):
        return isinstance(code.value, ast.Name) or _is_part(code.value)
    return isinstance(code, ast.Name)


class Renamed(ast.NodeTransformer):
    """Names in the place of others, and expressions in the place of names."""

    def __init__(self, words: dict[str, str], codes: dict[str, ast.expr] | None = None):
        self.words, self.codes = words, codes or {}

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Give it its name."""
        if node.id in self.codes and isinstance(node.ctx, ast.Load):
            return self.codes[node.id]
        return ast.Name(self.words.get(node.id, node.id), node.ctx)


def given_names(
    statements: list[Statement], results: list[ast.expr], taken: set[str]
) -> dict[str, str]:
    """Names without numbers, for all that is computed; later values of a variable take its name.

    Args:
        statements: of one function, those that are needed.
        results: what it returns.
        taken: names that mean something else in it.
    """
    last: dict[str, int] = {}
    for k, one in enumerate(statements):
        last |= dict.fromkeys(one.reads, k)
    for code in results:
        last |= dict.fromkeys(names_in(code), len(statements))
    found: dict[str, str] = {}
    # until when a name is in use
    busy: dict[str, int] = dict.fromkeys(taken, len(statements) + 1)
    first = {word for word in last if MARK in word}
    for one in statements:
        first -= set(one.targets)
    order = [(-1, word) for word in sorted(first)]
    order += [(k, w) for k, one in enumerate(statements) for w in one.targets if MARK in w]
    for k, word in order:
        if word in found:
            continue
        base, number = word.partition(MARK)[0], 2
        free = base
        while busy.get(free, -2) > k:
            free, number = f"{base}_{number}", number + 1
        found[word], busy[free] = free, max(last.get(word, k), k)
    return found
