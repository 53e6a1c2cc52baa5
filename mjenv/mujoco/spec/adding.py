"""Elements added to a spec, body or frame, with attributes as keywords."""

from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np

from mjenv.mujoco.spec.classes import CLASSES
from mjenv.mujoco.spec.fields import array_of, converted, wrong
from mjenv.mujoco.spec.kinds import KINDS
from mjenv.mujoco.spec.tables import Field, structures

ORIENTATIONS = {"axisangle": 4, "xyaxes": 6, "zaxis": 3, "euler": 3}
PADDED = ("size", "stiffness", "damping")  # arrays that may be given as shorter ones
LETTERS = 12


@cache
def keywords_of(kind: str) -> dict[str, Field]:
    """Keywords for adding an element of a kind, in their order."""
    found: dict[str, Field] = {}
    if kind != "plugin":
        found["name"] = Field("name", "", "s", 0, "")
    for field in structures()[kind].fields.values():
        if field.kind == "orientation":
            prefix = field.name.removesuffix("alt")
            for name, count in ORIENTATIONS.items():
                found[prefix + name] = Field(prefix + name, field.name, "alt", count, None)
        else:
            found[field.name] = field
    return found


def _given(kind: str, args: tuple, keywords: dict[str, Any], begins: str) -> tuple[Any, dict]:
    """The first argument, and attributes by name, of what was passed to `add_...`."""
    known = keywords_of(kind)
    names = [begins, *known] if begins else list(known)
    where = f"add_{kind}()"
    if len(args) > len(names):
        raise TypeError(f"{where}: expected at most {len(names)} arguments, found {len(args)}")
    given = dict(zip(names, args, strict=False))
    for name, value in keywords.items():
        if name not in names:
            raise TypeError(
                f"{where}: incompatible function arguments. Invalid {name} keyword argument."
                f" Valid options are: {', '.join(sorted(names))}."
            )
        if name in given:
            raise TypeError(f"{where}: got several values for {name}")
        given[name] = value
    first = given.pop(begins, None) if begins else None
    given = {name: value for name, value in given.items() if value is not None}
    for name, value in given.items():
        _check(known[name], value)
    return first, given


def _check(field: Field, value: Any) -> None:
    """Refuse values of a wrong type before anything is added."""
    if field.kind == "plugin":
        if type(value).__name__ != "MjsPlugin":
            raise wrong(field, "MjsPlugin", value)
    elif field.kind == "alt" or field.is_array:
        if field.name not in PADDED or field.count == 0 or not isinstance(value, int | float):
            _numbers(field, value)
    elif field.kind == "e":
        converted(Field(field.name, "", "i", 0, 0), value)
    elif field.kind == "bv":
        _numbers(field, list(value))
    elif field.kind != "c":
        converted(field if field.kind != "b" else field._replace(kind="i"), value)


def _numbers(field: Field, value: Any) -> np.ndarray:
    """A list of numbers, as one array."""
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise wrong(field, "a list of numbers", value)
    try:
        return np.array(list(value), float).reshape(-1)
    except (TypeError, ValueError):
        raise wrong(field, "a list of numbers", value) from None


def apply(element: Any, given: dict[str, Any]) -> None:
    """Set attributes of an element that was added."""
    known = keywords_of(element._kind)
    for prefix in ("", "i"):
        if sum(prefix + name in given for name in ORIENTATIONS) > 1:
            *names, last = [prefix + name for name in ORIENTATIONS]
            raise ValueError(f"Only one of: {', '.join(names)}, or {last} can be set.")
    for name, value in given.items():
        field = known[name]
        if field.kind == "alt":
            _orient(element, field, _numbers(field, value))
        elif field.is_array:
            element.__dict__[name][:] = array_of(field, _sized(field, value))
        elif field.kind == "e":
            element.__dict__[name] = field.choices(int(value))
        elif field.kind == "c":
            element.__dict__[name][:] = _letters(field, value)
        elif field.kind == "bv":
            element.__dict__[name] = bytes(int(x) & 0xFF for x in value)
        else:
            setattr(element, name, value)


def _sized(field: Field, value: Any) -> np.ndarray:
    """Numbers of an array, filled up with zeros where it may be given as a shorter one."""
    padded = field.name in PADDED and field.count == 3
    numbers = np.array([value], float) if padded and np.ndim(value) == 0 else _numbers(field, value)
    if padded:
        if not 1 <= len(numbers) <= field.count:
            size = f"1 to {field.count}"
            raise ValueError(f"{field.name} should be a list/array of size {size}.")
        return np.concatenate([numbers, np.zeros(field.count - len(numbers))])
    if len(numbers) != field.count:
        raise ValueError(f"{field.name} should be a list/array of size {field.count}.")
    return numbers


def _orient(element: Any, field: Field, numbers: np.ndarray) -> None:
    if len(numbers) != field.count:
        raise ValueError(f"{field.name} should be a list/array of size {field.count}.")
    orientation = element.__dict__[field.attribute]
    plain = field.name.removeprefix(field.attribute.removesuffix("alt"))
    orientation.__dict__[plain][:] = numbers
    kinds = structures()["orientation"].fields["type"].choices
    orientation.type = kinds[f"mjORIENTATION_{plain.upper()}"]


def _letters(field: Field, value: Any) -> list[str]:
    if not isinstance(value, str | list):
        raise TypeError(f"{field.name} must be a string or a list of single-character strings.")
    if any(len(letter) != 1 for letter in value):
        raise ValueError(f"{field.name} list elements must be single characters.")
    if len(value) != field.count:
        raise ValueError(f"{field.name} should have length {field.count}, got {len(value)}.")
    return list(value)


# what adds


def _default(kind: str, value: Any) -> Any:
    if value is not None and type(value).__name__ != "MjsDefault":
        raise TypeError(f"add_{kind}(): expected MjsDefault, found {type(value).__name__}")
    return value


def new_in_body(body: Any, kind: str, default: Any = None) -> Any:
    """A new element at the end of a body's list.

    Args:
        body: the body.
        kind: its kind.
        default: its default class; None: that of the body.
    """
    spec = body._spec
    if kind == "body":
        element = CLASSES[kind]._made(spec)
        element._classname = body._classname if default is None else default.name
    elif kind == "frame":
        element = CLASSES[kind]._made(spec)
    else:
        default = default or spec._classes.get(body._classname) or spec._defaults[0]
        element = CLASSES[kind]._made(spec, default._elements[kind])
        element._classname = default.name
    element._parent = body
    body._lists[kind].append(element)
    spec._tree_changed()
    spec._forget_tree_numbers()
    return element


def add_to_body(body: Any, kind: str, args: tuple, keywords: dict[str, Any]) -> Any:
    """Add an element to a body."""
    first, given = _given(kind, args, keywords, "default")
    if kind == "frame":
        if first is not None and getattr(first, "_kind", "") != "frame":
            raise TypeError(f"add_frame(): expected MjsFrame, found {type(first).__name__}")
        element = new_in_body(body, kind)
        element._frame = first
    else:
        element = new_in_body(body, kind, _default(kind, first))
    apply(element, given)
    return element


def add_to_frame(frame: Any, kind: str, args: tuple, keywords: dict[str, Any]) -> Any:
    """Add an element to the body of a frame, in this frame."""
    first, given = _given(kind, args, keywords, "default")
    default = None if kind == "frame" else _default(kind, first)
    element = new_in_body(frame._parent, kind, default)
    element._frame = frame
    apply(element, given)
    return element


def bare_in_body(body: Any, kind: str) -> Any:
    """The same, of a kind that is no body, whose fields and class are still to be set."""
    spec = body._spec
    element = CLASSES[kind]._bare(spec)
    element._parent = body
    body._lists[kind].append(element)
    spec._tree_changed()
    return element


def new_in_spec(spec: Any, kind: str, default: Any = None) -> Any:
    """A new element at the end of a list of a spec."""
    element = bare_in_spec(spec, kind)
    if KINDS[kind].default:
        default = default or spec._defaults[0]
        element._copy_fields(default._elements[kind])
        element._classname = default.name
    else:
        element._fill()
    return element


def bare_in_spec(spec: Any, kind: str) -> Any:
    """The same, whose fields and class are still to be set."""
    elements = spec._lists[kind]
    element = CLASSES[kind]._bare(spec)
    element._id = len(elements)
    elements.append(element)
    spec._list_changed()
    return element


def add_to_spec(spec: Any, kind: str, args: tuple, keywords: dict[str, Any]) -> Any:
    """Add an element to a spec."""
    begins = "default" if KINDS[kind].default else ""
    first, given = _given(kind, args, keywords, begins)
    element = new_in_spec(spec, kind, _default(kind, first))
    apply(element, given)
    return element
