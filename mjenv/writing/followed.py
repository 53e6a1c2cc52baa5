"""An environment's step and reset, followed until it is known what each world has its own of."""

import ast
import copy
from typing import Any, NamedTuple

import numpy as np

from mjenv.porting.environment.in_place import ours_by_name
from mjenv.porting.environment.original import Original
from mjenv.writing.program import BEFORE, RESET
from mjenv.writing.rewards import definitions
from mjenv.writing.translation import Key, Translation
from mjenv.writing.values import (
    NotWritten,
    Rows,
    Several,
    Static,
    Value,
    attribute,
    is_static,
    name,
)

_MOST = 12  # times that a step is followed


class Followed(NamedTuple):
    """An environment that has been followed.

    Attributes:
        original: it.
        step: its step, and what that returns.
        results: observation, reward, terminated, truncated, info.
        reset: its reset.
        first_info: what that reports.
        own: attributes that each world has its own of, and their names.
        begun: attributes after a reset.
    """

    original: Original
    step: Translation
    results: list[Value]
    reset: Translation
    first_info: Value
    own: dict[Key, str]
    begun: dict[Key, Any]


def follow_source(original: Original) -> Followed:
    """Follow an environment's methods, from their source.

    Raises:
        NotWritten: a task cannot say what they do; with the line.
    """
    if original.root is not original.inner:
        words = ", ".join(original.foreign_wrappers)
        raise NotWritten(f"{original.name}: found the wrappers {words}, expected none")
    begun = _begun(original)
    own: dict[Key, str] = {}
    whole: set[Any] = set()
    for _ in range(_MOST):
        step = Translation(original, BEFORE, own, whole, begun)
        results = _step(step, original)
        if _observes_by_method(step, results[0], whole):
            continue
        reset = Translation(original, RESET, own, set(), begun)
        first_info = _reset(reset, original)
        found = _own(step, reset, begun)
        if found == own:
            return Followed(original, step, results, reset, first_info, own, begun)
        own = found
    raise NotWritten(f"{original.name}: found no end of what each world has its own of")


def _begun(original: Original) -> dict[Key, Any]:
    """Attributes that the first reset makes, or gives another shape, and their values after it."""
    original.renew()
    before = {key: np.shape(one) if _is_array(one) else () for key, one in _attributes(original)}
    with ours_by_name():
        original.env.reset(seed=0)
    found = {}
    for key, value in _attributes(original):
        if key not in before or (_is_array(value) and np.shape(value) != before[key]):
            found[key] = copy.deepcopy(value) if isinstance(value, np.ndarray) else value
    original.renew()
    return found


def _is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray)


def _attributes(original: Original) -> list[tuple[Key, Any]]:
    objects = {id(o): o for _, o in original.places._walk() if original._follows(o)}
    objects[id(original.inner)] = original.inner
    return [((number, word), value) for number, one in objects.items()
            for word, value in list(vars(one).items())]  # fmt: skip


def _guarded(t: Translation, run: Any) -> Value:
    try:
        with ours_by_name():
            found: Value = run()
        return found
    except NotWritten as error:
        words = str(error)
        raise NotWritten(words if ": found" in words and words[:5] != "found"
                         else f"{t.where}: {words}") from None  # fmt: skip
    except Exception as error:
        words = f"{type(error).__name__}: {error}".splitlines()[0]
        raise NotWritten(f"{t.where}: cannot be followed ({words})") from error


def _step(t: Translation, original: Original) -> list[Value]:
    """Follow a step."""
    inner, space = original.inner, original.inner.action_space
    shape = getattr(space, "shape", None)
    if not shape or len(shape) != 1 or space.dtype.kind != "f":
        raise NotWritten(f"{original.name}: found actions {space}, expected a vector of reals")
    function = type(inner).step
    t.whole.add(function)
    action = Rows(np.zeros(shape, space.dtype), name("action"))
    found = _guarded(t, lambda: t.call_function(function, Static(inner), [action], {}))
    if not isinstance(found, Several) or len(found.items) != 5:
        raise NotWritten(f"{t.where}: found a step that does not return five values")
    if not t.physics.nstep:
        raise NotWritten(f"{t.where}: found a step without a call of mj_step")
    return list(found.items)


def _reset(t: Translation, original: Original) -> Value:
    """Follow a reset."""
    inner = original.inner
    function = type(inner).reset
    options: dict[str, Value] = {"seed": Static(None), "options": Static(None)}
    found = _guarded(t, lambda: t.call_function(function, Static(inner), [], options))
    if not isinstance(found, Several) or len(found.items) != 2:
        raise NotWritten(f"{t.where}: found a reset that does not return two values")
    info: Value = found.items[1]
    return info


def _observes_by_method(t: Translation, observed: Value, whole: set[Any]) -> bool:
    """Have a method that makes the observation written in place; True if there is one."""
    values = observed.values() if isinstance(observed, Several) else [observed]
    known = definitions(t.statements)
    for one in values:
        code = getattr(one, "code", None)
        if isinstance(code, ast.Name):
            code = known.get(code.id)
        if not isinstance(code, ast.Call) or not isinstance(code.func, ast.Attribute):
            continue
        if not isinstance(code.func.value, ast.Name) or code.func.value.id != "self":
            continue
        for key, method in t.methods.items():
            if method.word == code.func.attr:
                whole.add(key[0])
                return True
    return False


def _own(step: Translation, reset: Translation, begun: dict[Key, Any]) -> dict[Key, str]:
    """Attributes that a step reads, and that differ between worlds."""
    found: dict[Key, str] = {}
    for key in step.read:
        written = key in step.attributes
        first = reset.attributes.get(key)
        if written or (first is not None and not is_static(first)):
            word, number = key[1].lstrip("_"), 2
            while word in found.values():
                word, number = f"{key[1].lstrip('_')}_{number}", number + 1
            found[key] = word
    return found


def state_of(word: str) -> ast.expr:
    """An array of the task's own."""
    return attribute(attribute(name("data"), "state"), word)
