"""The terms of a reward, and their names."""

import ast
from typing import Any, NamedTuple

import numpy as np

from mjenv.writing.program import Statement
from mjenv.writing.values import MARK, Rows, Several, Static, Value, attribute, called, name, numpy


class Terms(NamedTuple):
    """A reward as a sum.

    Attributes:
        named: terms by their names.
        rest: constants that are added; None for none.
        info: what an environment reports besides.
    """

    named: dict[str, ast.expr]
    rest: ast.expr | None
    info: dict[str, Value]


def definitions(statements: list[Statement]) -> dict[str, ast.expr]:
    """What variables are, of those with one value."""
    found: dict[str, ast.expr] = {}
    changed: set[str] = set()
    for one in statements:
        if one.changes:
            changed |= set(one.targets)
        elif len(one.targets) == 1 and isinstance(one.node, ast.Assign):
            found[one.targets[0]] = one.node.value
    return {word: code for word, code in found.items() if word not in changed}


def _dumped(code: ast.expr, known: dict[str, ast.expr]) -> str:
    """What an expression is, with the values of variables in the place of their names."""
    for node in ast.walk(code):
        if isinstance(node, ast.Name) and node.id in known:
            inner = {word: value for word, value in known.items() if word != node.id}
            text = ast.dump(code)
            return text.replace(ast.dump(node), _dumped(known[node.id], inner))
    return ast.dump(code)


def _negative(code: ast.expr) -> ast.expr:
    return code.operand if _is_negative(code) else ast.UnaryOp(ast.USub(), code)  # type: ignore[attr-defined]


def _is_negative(code: ast.expr) -> bool:
    return isinstance(code, ast.UnaryOp) and isinstance(code.op, ast.USub)


class _Sum:
    """Terms of a sum: variables that are sums themselves are resolved."""

    def __init__(self, known: dict[str, ast.expr], reported: set[str]):
        self.known, self.reported = known, reported
        self.terms: list[ast.expr] = []

    def add(self, code: ast.expr, positive: bool) -> None:
        """Add the terms of an expression."""
        signed = code if positive else _negative(code)
        if _dumped(signed, self.known) in self.reported:
            self.terms.append(signed)
        elif isinstance(code, ast.BinOp) and isinstance(code.op, ast.Add | ast.Sub):
            self.add(code.left, positive)
            self.add(code.right, positive == isinstance(code.op, ast.Add))
        elif _is_negative(code):
            self.add(code.operand, not positive)  # type: ignore[attr-defined]
        elif isinstance(code, ast.Name) and self._is_sum(code):
            self.add(self.known[code.id], positive)
        else:
            self.terms.append(signed)

    def _is_sum(self, code: ast.Name) -> bool:
        found = self.known.get(code.id)
        return isinstance(found, ast.BinOp) and isinstance(found.op, ast.Add | ast.Sub)


def everywhere(code: ast.expr) -> ast.expr:
    """A number that is the same in all worlds, once for each."""
    return called(numpy("full_like"), attribute(name("data"), "time"), code)


def terms_of(reward: Value, info: Value, statements: list[Statement]) -> Terms:
    """Terms of a reward, by the names of infos or variables.

    Args:
        reward: what a step returns.
        info: the same.
        statements: of the step.
    """
    items: dict[str, Value] = dict(info.items) if isinstance(info, Several) else {}
    known = definitions(statements)
    rows: dict[str, str] = {}
    # of two infos that are the same, the one that is called a reward
    for word, value in sorted(items.items(), key=lambda item: "reward" not in item[0]):
        if isinstance(value, Rows | Static) and value.code is not None:
            rows.setdefault(_dumped(value.code, known), word)
    static = {word for s in statements if s.static for word in s.targets}
    if isinstance(reward, Static):
        return Terms({"reward": ast.Constant(float(reward.value))}, None, items)
    assert isinstance(reward, Rows)
    # its terms
    total = _Sum(known, set(rows))
    total.add(reward.code, True)
    named: dict[str, ast.expr] = {}
    rest: ast.expr | None = None
    for term in total.terms:
        constant, reported = _is_constant(term, static), _dumped(term, known) in rows
        if constant and not reported:
            rest = term if rest is None else ast.BinOp(rest, ast.Add(), term)
            continue
        # by the name that the environment reports it under
        key = rows.get(_dumped(term, known))
        if key is not None and key not in named:
            del items[key]
        else:
            key = _free(_word(term), named, items)
        named[key] = everywhere(term) if constant else term
    if not named:
        named = {"reward": reward.code}
        rest = None
    if len(total.terms) == 1 and np.asarray(reward.value).dtype == bool:
        named = {n: called(attribute(c, "astype"), name("float")) for n, c in named.items()}
    return Terms(named, rest, items)


def _is_constant(code: ast.expr, static: set[str]) -> bool:
    """True for numbers and parameters, and names of what follows from them."""
    names = {n.id for n in ast.walk(code) if isinstance(n, ast.Name)}
    calls = any(isinstance(n, ast.Call) for n in ast.walk(code))
    return names <= {"self", "np", *static} and not calls


def _word(code: ast.expr) -> str:
    """A name for a term: that of the variable."""
    for node in ast.walk(code):
        if isinstance(node, ast.Name) and MARK in node.id:
            return node.id.partition(MARK)[0]
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "self":
            return node.attr
    return "reward"


def _free(word: str, *taken: dict[str, Any]) -> str:
    used = {n for one in taken for n in one}
    free, number = word, 2
    while free in used:
        free, number = f"{word}_{number}", number + 1
    return free
