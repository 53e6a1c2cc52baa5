"""Questions of what something is, as calls: `is`, the patterns of `match`, and `except`.

Nothing but Python answers `x is True` and `case float()`, and to it a value that differs between
worlds is none of these. So while an environment is followed, all functions of its package have
other code, of the same text, in which these questions are calls. Where a value may be `True` or
`numpy.True_`, nobody can tell, and it is refused; and `except` does not catch that. Lines keep
their numbers.
"""

import ast
import contextlib
import gc
import linecache
import operator
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import Enum
from functools import cache
from types import CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any
from weakref import ProxyTypes

import numpy as np

from mjenv.porting.control.endings import FOLD, call, load
from mjenv.porting.control.paths import AnotherWay
from mjenv.porting.symbols.refusals import NotTraced, RaisedInside
from mjenv.porting.symbols.symbol import Symbol
from mjenv.porting.varying.choices import Either, choose
from mjenv.porting.varying.registers import Register
from mjenv.porting.varying.rosters import Roster
from mjenv.porting.varying.symbolic_contacts import Possible
from mjenv.porting.varying.words import Word, items_of
from mjenv.tracing.arrays import BOOL, DOUBLE, TraceError

# what stands for something else
_LISTS = (Roster, Register, Possible, Either)
_STAND_INS = (Symbol, Word, *_LISTS)
# why something is not followed, or is followed anew
_REASONS = (TraceError, NotTraced, AnotherWay, RaisedInside)
# types whose patterns have themselves as their one part
_WHOLE = (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)
# where functions may be, and where they are not
_HOLDERS = (dict, list, tuple, set, CellType, property, staticmethod, classmethod, MethodType)
_PLAIN = (int, float, str, bytes, ModuleType, np.ndarray, *ProxyTypes)
# modules of types that numbers and arrays may be of
_OF_NUMBERS = ("numpy", "numbers", "abc", "collections", "typing")


class _Same:
    """In the place of True, False or None as a pattern, which are matched by identity."""

    __array_ufunc__ = None  # arrays leave the comparison to it
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, value: Any):
        self._value = value

    def __eq__(self, other: object) -> Any:
        return identical(other, self._value)


class _Kind(type):
    """Types of class patterns that know what stands for something else."""

    real: type

    def __instancecheck__(cls, value: Any) -> bool:
        return _is_of(value, cls.real)


class Identity:
    """Answers what something is.

    Attributes:
        TRUE, FALSE, NONE: the patterns True, False, None.
        catching: how many statements are running whose errors may be caught.
    """

    TRUE, FALSE, NONE = _Same(True), _Same(False), _Same(None)
    catching = 0

    @contextmanager
    def catches(self) -> Iterator[None]:
        """What `try` and `except` are around."""
        self.catching += 1
        try:
            yield
        finally:
            self.catching -= 1

    @staticmethod
    def identical(one: Any, other: Any) -> Any:
        """`one is other`."""
        return identical(one, other)

    @staticmethod
    def differs(one: Any, other: Any) -> Any:
        """`one is not other`."""
        return differs(one, other)

    @staticmethod
    def chained(*_: Any) -> Any:
        """`a is b is c`."""
        raise TraceError("found `is` in a chain of comparisons, expected `and`")

    @staticmethod
    def caught() -> None:
        """What `except` begins with: why something is not followed is no error of the package."""
        error = sys.exc_info()[1]
        if isinstance(error, _REASONS):
            raise error

    @staticmethod
    def subject(value: Any) -> Any:
        """What `match` looks at."""
        parts = value if isinstance(value, list | tuple) else ()
        if any(isinstance(one, _LISTS) for one in (value, *parts)):
            raise TraceError("found `match` of what differs between worlds, expected `if`")
        return value

    @staticmethod
    def kind(kind: Any) -> Any:
        """The type of a class pattern."""
        real = _real(kind)
        if not isinstance(real, type):
            return kind
        names = getattr(real, "__match_args__", None)
        whole = names is None and issubclass(real, _WHOLE)
        members = {"real": real} | ({} if names is None else {"__match_args__": names})
        return _Kind(real.__name__, (int,) if whole else (), members)


def identical(one: Any, other: Any) -> Any:
    """`one is other`.

    Raises:
        TraceError: that cannot be known of what stands for something else.
    """
    for value, against in ((one, other), (other, one)):
        if isinstance(value, Either):
            parts = vars(value)
            answers = (identical(parts[name], against) for name in ("_one", "_other"))
            return choose(parts["_condition"], *answers)
    one, other = _real(one), _real(other)
    if one is other:
        return True
    for value, against in ((one, other), (other, one)):
        if isinstance(value, type) and value in _STAND_INS:
            raise TraceError("found `type(x) is` of a value")
        # there is one object for each member of an enumeration
        if isinstance(value, Word) and all(isinstance(item, Enum) for item in value.items):
            return _is_member(value, against)
        if isinstance(value, _STAND_INS) and _may_be(value, against):
            raise TraceError(
                f"found `is` of a value and {against!r}, expected == or the value itself"
            )
    return False


def differs(one: Any, other: Any) -> Any:
    """`one is not other`."""
    found = identical(one, other)
    return np.logical_not(found) if isinstance(found, Symbol) else not found


def _is_member(word: Word, other: Any) -> Any:
    """`word is other` of one of several members of enumerations."""
    found: Any = False
    for k, item in enumerate(word.items):
        for n, another in enumerate(items_of(other)):
            if item is another:
                same: Any = word.place == k
                same = np.logical_and(same, other.place == n) if isinstance(other, Word) else same
                found = np.logical_or(found, same)
    return found


def _may_be(value: Any, against: Any) -> bool:
    """True if what stands for something may be something else."""
    if against is None:
        return False
    if isinstance(against, bool):
        return isinstance(value, Symbol) and value.dtype == BOOL and not value.ndim
    return isinstance(against, (*_STAND_INS, int, float, np.generic, str, Enum))


def _real(kind: Any) -> Any:
    """The type that a substitute stands for."""
    return getattr(kind, "real_type", kind) if isinstance(kind, type) else kind


def _is_of(value: Any, kind: type) -> bool:
    """Whether a value, or what it stands for, is of a type."""
    if isinstance(value, Word):
        found = {isinstance(one, kind) for one in value.items}
        if len(found) == 1:
            return found.pop()
    elif isinstance(value, Symbol):
        number = "" if value.ndim else value.dtype.kind
        if kind is float:
            return number == "f" and value.dtype == DOUBLE
        if kind.__module__ == "builtins" and (kind, number) not in _UNKNOWN:
            return kind is object
        if kind.__module__.partition(".")[0] not in (*_OF_NUMBERS, "builtins"):
            return isinstance(value, kind)
    elif not isinstance(value, _LISTS):
        return isinstance(value, kind)
    raise TraceError(f"found `case {kind.__name__}()` of a value, expected `if`")


# they may be Python's or numpy's
_UNKNOWN = ((int, "i"), (int, "b"), (bool, "b"))


# ------------------------------------------------------------ text


class Questions(ast.NodeTransformer):
    """Replaces questions of what something is by calls.

    Attributes:
        found: how many there are.
    """

    def __init__(self) -> None:
        self.found = 0
        self._kinds: list[ast.stmt] = []

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """`a is b`."""
        self.generic_visit(node)
        if not any(isinstance(one, ast.Is | ast.IsNot) for one in node.ops):
            return node
        self.found += 1
        plain = len(node.ops) == 1
        name = "identical" if isinstance(node.ops[0], ast.Is) else "differs"
        made = call(name if plain else "chained", node.left, *node.comparators)
        return ast.copy_location(made, node)

    def visit_Match(self, node: ast.Match) -> list[ast.stmt]:
        """`match subject:`, behind the types of its patterns."""
        outer, self._kinds = self._kinds, []
        self.found += 1
        for case in node.cases:
            case.pattern = self.visit(case.pattern)
        kinds, self._kinds = self._kinds, outer
        node.subject = ast.copy_location(call("subject", self.visit(node.subject)), node.subject)
        for case in node.cases:
            case.guard = case.guard and self.visit(case.guard)
            case.body = flat(map(self.visit, case.body))
        return [*(ast.copy_location(one, node) for one in kinds), node]

    def visit_Try(self, node: ast.Try) -> ast.AST:
        """`try:`."""
        self.generic_visit(node)
        if node.handlers:
            item = ast.withitem(call("catches"))
            node.body = [ast.copy_location(ast.With([item], node.body), node)]
        return node

    visit_TryStar = visit_Try

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        """`except ValueError:`."""
        self.generic_visit(node)
        self.found += 1
        node.body.insert(0, ast.copy_location(ast.Expr(call("caught")), node))
        return node

    def visit_MatchSingleton(self, node: ast.MatchSingleton) -> ast.AST:
        """`case True:`."""
        same = ast.Attribute(load(FOLD), str(node.value).upper(), ast.Load())
        return ast.copy_location(ast.MatchValue(same), node)

    def visit_MatchClass(self, node: ast.MatchClass) -> ast.AST:
        """`case float():`."""
        self.generic_visit(node)
        name = f"__mjenv_kind{self.found}_{len(self._kinds)}__"
        self._kinds.append(ast.Assign([ast.Name(name, ast.Store())], call("kind", node.cls)))
        node.cls = ast.copy_location(load(name), node.cls)
        return node


def flat(made: Any) -> list[ast.stmt]:
    """Statements, and lists of them, one after the other."""
    return [line for one in made for line in (one if isinstance(one, list) else [one])]


# ------------------------------------------------------------ code


@contextmanager
def asking(original: Any) -> Iterator[None]:
    """While it lasts, functions of the environment's package ask by calls what something is.

    Args:
        original: the environment.
    """
    ours = [
        (operator.is_, identical), (operator.is_not, differs),
        (suppress, _suppressing(original.spaces[0][FOLD])),
    ]  # fmt: skip
    modules: Any = (vars(operator), vars(contextlib))
    named = [
        (space, name, real, other)
        for space in (*modules, *original.spaces)
        for name, value in [*space.items()] for real, other in ours if value is real
    ]  # fmt: skip
    held = []
    try:
        # the package's functions with other code
        for one in _functions(original):
            code = _asking(one.__code__) if FOLD in one.__globals__ else None
            if code is not None:
                held.append((one, one.__code__))
                one.__code__ = code
        # functions of Python that ask, by all their names
        for space, name, _, other in named:
            space[name] = other
        yield
    finally:
        for space, name, real, _ in named:
            space[name] = real
        for one, code in held:
            one.__code__ = code


def _suppressing(questions: Identity) -> type[suppress]:
    """`contextlib.suppress` as a statement that catches."""

    class Suppress(suppress):
        """Catches errors of the package alone."""

        def __enter__(self) -> None:
            questions.catching += 1

        def __exit__(self, kind: Any, error: Any, where: Any) -> bool:
            questions.catching -= 1
            return not isinstance(error, _REASONS) and bool(super().__exit__(kind, error, where))

    return Suppress


def _functions(original: Any) -> list[FunctionType]:
    """Functions of the package, wherever they are kept: in classes, decorators, lists."""
    found, seen = [], set[int]()
    waiting = [original.root, *original.spaces]
    while waiting:
        one = waiting.pop()
        if id(one) in seen or issubclass(type(one), _PLAIN):
            continue
        seen.add(id(one))
        one = getattr(one, "py_func", one) if type(one).__module__.startswith("numba") else one
        if isinstance(one, FunctionType | type):
            inside = original.is_theirs(str(one.__module__))
            found += [one] if inside and isinstance(one, FunctionType) else []
        else:
            inside = isinstance(one, _HOLDERS) or type(one).__module__ == "functools"
        if inside or original._follows(one):
            waiting += gc.get_referents(one)
    return found


@cache
def _asking(code: CodeType) -> CodeType | None:
    """The same code with its questions as calls; None where it has none, or no text."""
    exact, by_line = _of_file(code.co_filename)
    found = exact.get(_key(code)) or by_line.get(_line(code))
    return found if found is not None and found.co_freevars == code.co_freevars else None


@cache
def _of_file(filename: str) -> tuple[dict, dict]:
    """Codes of a file that have questions, by what they are, and by lines that have one alone."""
    source, questions = "".join(linecache.getlines(filename)), Questions()
    try:
        tree = ast.fix_missing_locations(questions.visit(ast.parse(source)))
        if not questions.found:
            return {}, {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python has warned already
            plain, new = (
                compile(text, filename, "exec", dont_inherit=True) for text in (source, tree)
            )
    except (SyntaxError, ValueError):
        return {}, {}
    pairs = [*_pairs(plain, new)]
    alone = Counter(_line(one) for one, _ in pairs)
    changed = [pair for pair in pairs if pair[0] != pair[1]]
    by_line = {_line(one): other for one, other in changed if alone[_line(one)] == 1}
    return {_key(one): other for one, other in changed}, by_line


def _pairs(plain: CodeType, new: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    inner = ([x for x in one.co_consts if isinstance(x, CodeType)] for one in (plain, new))
    for pair in zip(*inner, strict=True):
        yield pair
        yield from _pairs(*pair)


def _key(code: CodeType) -> tuple:
    return *_line(code), code.co_code, code.co_linetable, code.co_names, code.co_varnames


def _line(code: CodeType) -> tuple:
    return code.co_name, code.co_firstlineno, code.co_freevars
