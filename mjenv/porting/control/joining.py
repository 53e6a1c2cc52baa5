"""Functions of an environment's package in a form whose ways are joined where they return."""

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, cached_property, wraps
from inspect import getsource, isgeneratorfunction
from textwrap import dedent
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from mjenv.porting.control.closures import had_by
from mjenv.porting.control.endings import FOLD
from mjenv.porting.control.identity import Identity, asking
from mjenv.porting.control.paths import AnotherWay
from mjenv.porting.control.rewriting import FRESH, names_in, rewritten
from mjenv.porting.stand_ins.queries import QUERIES
from mjenv.porting.symbols.refusals import NotTraced, RaisedInside
from mjenv.porting.symbols.symbol import has_symbols
from mjenv.porting.varying.words import has_members
from mjenv.tracing.arrays import TraceError

_CONTACTS = frozenset(("contact", "ncon"))  # fields of functions whose loops are rewritten
_CALLED = "__mjenv_called__"  # a constant in whose place a function is
_RANDOM = frozenset(("np_random", "random", "_random"))
# answers are asked for in the same order on all ways
_ASKING = frozenset(QUERIES)


@contextmanager
def joining(recording: Any, original: Any, resets: bool) -> Iterator[None]:
    """While it lasts, functions and methods of the environment's package have their ways joined.

    Args:
        recording: of the symbols.
        original: the environment.
        resets: whether it is a reset that is followed.
    """
    with asking(original):
        yield from _joining(recording, original, resets)


def _joining(recording: Any, original: Any, resets: bool) -> Iterator[None]:
    held: list[tuple[Any, str, Any]] = []
    functions: dict[int, FunctionType] = {}
    # members of enumerations are known on each way
    own = frozenset(
        [key for kind, key in path if kind == "."][-1]
        for path, words in original.places.rosters.items() if not has_members(words)
    )  # fmt: skip
    # functions, and what else stands for some
    owners = [(space, space) for space in original.spaces]
    for owner, members in (*owners, *((kind, vars(kind)) for kind in original.kinds())):
        for name, value in members.items():
            plain = value.__func__ if isinstance(value, staticmethod) else value
            if isinstance(plain, FunctionType):
                functions |= {id(plain): plain} if _is_joinable(plain, original) else {}
                continue
            keeps = isinstance(value, _KEEPING) and _is_joinable(_kept(value), original)
            if keeps or _is_joinable(plain, original) or _is_looping_property(value):
                held.append((owner, name, value))
    functions |= {id(one): one for one in _in_cells([*functions.values()], original)}
    # in their places what calls them as symbols need it, and then themselves again
    indexed, questions = {*original.indexed.values()}, original.spaces[0][FOLD]
    marks = _Marks(resets, own, indexed, original.form.branched, set(), questions)
    codes = [(one, one.__code__) for one in functions.values()]
    try:
        for owner, name, value in held:
            _put(owner, name, _joined(recording, value, marks))
        for one, code in codes:
            one.__code__ = _calling(code, _joined(recording, _twin(one), marks))
        yield
    finally:
        for owner, name, value in held:
            _put(owner, name, value)
        for one, code in codes:
            one.__code__ = code


def _twin(function: FunctionType) -> FunctionType:
    """A function that does the same."""
    made = FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__,
        function.__closure__,
    )  # fmt: skip
    made.__kwdefaults__, made.__module__ = function.__kwdefaults__, function.__module__
    made.__qualname__ = function.__qualname__
    made.__dict__.update(function.__dict__)
    return made


def _calling(code: CodeType, called: Callable) -> CodeType:
    """The code of a function that calls another one, whoever holds the function.

    Args:
        code: of the function, with as many names of functions around it.
        called: the other one.
    """
    made = _calling_something(code.co_freevars)
    constants = tuple(called if one == _CALLED else one for one in made.co_consts)
    return made.replace(co_consts=constants, co_name=code.co_name)


@cache
def _calling_something(names: tuple[str, ...]) -> CodeType:
    """The code of a function that calls a constant, with names of functions around it."""
    text = f"""
def outer({", ".join(names)}):
    def inner(*args, **options):
        {", ".join(names) or "args"}
        return {_CALLED!r}.__call__(*args, **options)
"""
    outer = next(
        one for one in compile(text, "<mjenv>", "exec").co_consts if isinstance(one, CodeType)
    )
    return next(one for one in outer.co_consts if isinstance(one, CodeType))


def _in_cells(functions: list[FunctionType], original: Any) -> list[FunctionType]:
    """Functions of the package that others keep and call, as decorators do."""
    found: dict[int, FunctionType] = {}
    waiting = [*functions]
    while waiting:
        for cell in waiting.pop().__closure__ or ():
            try:
                inner = cell.cell_contents
            except ValueError:
                continue
            inner = inner.__func__ if isinstance(inner, staticmethod) else inner
            plain = isinstance(inner, FunctionType) and id(inner) not in found
            if plain and _is_joinable(inner, original):
                found[id(inner)] = inner
                waiting.append(inner)
    return [*found.values()]


def _put(owner: Any, name: str, value: Any) -> None:
    if isinstance(owner, dict):
        owner[name] = value
    else:
        setattr(owner, name, value)


def _is_joinable(value: Any, original: Any) -> bool:
    """True for functions of the package, but for those of Python's own names."""
    function = _uncompiled(value)
    if not isinstance(function, FunctionType) or isgeneratorfunction(function):
        return False
    return not function.__name__.startswith("__") and original.is_theirs(function.__module__)


def _uncompiled(value: Any) -> Any:
    """The function that numba compiles; itself for what is none."""
    compiled = type(value).__module__.partition(".")[0] == "numba"
    return getattr(value, "py_func", value) if compiled else value


# what keeps results of functions
_KEEPING = (cached_property, type(cache(len)))


def _kept(value: Any) -> Any:
    """The function whose results are kept."""
    return value.func if isinstance(value, cached_property) else value.__wrapped__


def _computed(value: Any, function: Callable) -> Any:
    """What computes results anew, which are constants, unless symbols are kept."""
    if not isinstance(value, cached_property):
        return function

    def get(owner: Any) -> Any:
        there = vars(owner)
        if value.attrname in there:
            return there[value.attrname]
        found = function(owner)
        if has_symbols(found):
            there[value.attrname] = found
        return found

    return property(get)


def _loops(function: Any) -> bool:
    """True for functions that name contacts, whose loops are rewritten."""
    return bool(names_in(function.__code__) & _CONTACTS)


def _draws(function: Any) -> bool:
    """True for functions that draw, ask the engine, or have `while`: their branches are, too."""
    code = function.__code__
    given = code.co_varnames[: code.co_argcount]
    if names_in(code) & (_RANDOM | _ASKING) or _RANDOM.intersection(given):
        return True
    return _has_while(code)


@cache
def _has_while(code: CodeType) -> bool:
    """True if the text of a function has `while` in it."""
    try:
        return "while " in getsource(code)
    except OSError:
        return False


@cache
def _fills_copies(code: CodeType) -> bool:
    """True for functions that make arrays and write elements into them."""
    if names_in(code).isdisjoint(FRESH):
        return False
    try:
        found = [*ast.walk(ast.parse(dedent(getsource(code))))]
    except (OSError, SyntaxError):
        return False
    made = {
        ast.unparse(target)
        for one in found
        if isinstance(one, ast.Assign) and isinstance(one.value, ast.Call)
        and isinstance(one.value.func, ast.Attribute) and one.value.func.attr in FRESH
        for target in one.targets
    }  # fmt: skip
    stored = (one for one in found if isinstance(one, ast.Subscript))
    return any(isinstance(one.ctx, ast.Store) and ast.unparse(one.value) in made for one in stored)


class _Marks(NamedTuple):
    """What tells whether a function's branches become calls.

    Attributes:
        resets: whether it is a reset that is followed.
        own: names of attributes that are words, or lists of them.
        indexed: codes of functions that have values as indices.
        branched: whether those of all functions do.
        raising: functions whose bodies raise errors in some worlds, which stay as they are.
        questions: tells whether errors may be caught.
    """

    resets: bool
    own: frozenset[str]
    indexed: set[CodeType]
    branched: bool
    raising: set[Any]
    questions: Identity


def _made_calls(function: Any, marks: _Marks) -> Any:
    """A function with its loops, and where that matters its branches, as calls."""
    code = function.__code__
    marked = not marks.own.isdisjoint(names_in(code)) or code in marks.indexed
    if marks.branched or marked or _draws(function) or (marks.resets and _fills_copies(code)):
        return rewritten(function, True)
    return rewritten(function) if _loops(function) else function


def _is_looping_property(value: Any) -> bool:
    getter = value.fget if isinstance(value, property) else None
    return isinstance(getter, FunctionType) and _loops(getter)


def _joined(recording: Any, value: Any, marks: _Marks) -> Any:
    if isinstance(value, _KEEPING):
        return _computed(value, _with_ways_joined(recording, _kept(value), marks))
    plain = _uncompiled(value)
    if plain is not value:
        followed = _joined(recording, plain, marks)

        def either(*args: Any, **options: Any) -> Any:
            return (followed if has_symbols([*args, options]) else value)(*args, **options)

        return either
    if isinstance(value, property):
        assert isinstance(value.fget, FunctionType)
        getter = _unless_raising(value.fget, rewritten(value.fget), marks)
        return property(getter, value.fset, value.fdel, value.__doc__)
    return _with_ways_joined(recording, value, marks)


def _with_ways_joined(recording: Any, value: Any, marks: _Marks) -> Any:
    """A function whose ways are joined where it returns."""
    inner = _unless_raising(value, _made_calls(value, marks), marks)

    @wraps(value)
    def call(*args: Any, **options: Any) -> Any:
        had, caught, paths = had_by((args, options)), marks.questions.catching > 0, recording.paths

        def run() -> Any:
            try:
                result = inner(*args, **options)
            except (TraceError, NotTraced):
                raise
            except Exception:
                # its callers catch it in the worlds that have it
                if caught and value in paths.asking:
                    leave()
                raise
            # names around what it is given are changed on each way
            now = had_by((args, options))
            if len(now) != len(had) or any(a is not b for a, b in zip(now, had, strict=True)):
                leave()
            return result

        return paths.call(recording, value, run, (args, options, had, caught))

    def leave() -> None:
        """Follow the ways through the function to their ends, in those that call it."""
        if value not in marks.raising or value not in recording.paths.changing:
            marks.raising.add(value)
            recording.paths.changing.add(value)
            raise AnotherWay

    return call


def _unless_raising(function: Any, made: Any, marks: _Marks) -> Any:
    """A function with bodies as calls, until one of them raises an error in some worlds."""
    if made is function:
        return function

    def run(*args: Any, **options: Any) -> Any:
        try:
            return (function if function in marks.raising else made)(*args, **options)
        except RaisedInside:
            marks.raising.add(function)
            raise AnotherWay from None

    return run
