"""Orientation specifiers: `quat` and its four alternatives, each turned to a quaternion."""

from typing import TYPE_CHECKING, Any

from ..geometry.pose import (
    EPS,
    IDENTITY,
    cross,
    dot,
    from_axes,
    from_euler,
    from_z,
    half_turn,
    normalize,
    radians,
)

if TYPE_CHECKING:
    from ..text.element import Element


class DegenerateError(ValueError):
    """Numbers that define no orientation."""


def _axisangle(v: tuple, settings: Any):
    axis, length = normalize(v[:3])
    if length < EPS:
        raise DegenerateError("expected an axis that is not zero")
    c, s = half_turn(radians(v[3], settings["degree"]))
    return (c, s * axis[0], s * axis[1], s * axis[2])


def _xyaxes(v: tuple, settings: Any):
    x, length = normalize(v[:3])
    if length < EPS:
        raise DegenerateError("expected an x axis that is not zero")
    d = dot(x, v[3:])
    y, length = normalize(tuple(b - a * d for a, b in zip(x, v[3:], strict=True)))
    if length < EPS:
        raise DegenerateError("expected a y axis that is not parallel to the x axis")
    z, length = normalize(cross(x, y))
    if length < EPS:
        raise DegenerateError("expected axes that are not too long")
    return from_axes(x, y, z)


def _zaxis(v: tuple, settings: Any):
    z, length = normalize(v)
    if length < EPS:
        raise DegenerateError("expected an axis that is not zero")
    return from_z(z)


def _euler(v: tuple, settings: Any):
    if any(c not in "xyzXYZ" for c in settings["eulerseq"]):
        found = settings["eulerseq"]
        raise DegenerateError(f"the compiler's eulerseq='{found}' may only have letters of xyzXYZ")
    return from_euler(tuple(radians(a, settings["degree"]) for a in v), settings["eulerseq"])


ALTERNATIVES = {"axisangle": _axisangle, "xyaxes": _xyaxes, "zaxis": _zaxis, "euler": _euler}

SPECIFIERS = ("quat", *ALTERNATIVES)


def check(element: "Element", may_be_zero: bool = False) -> None:
    """Refuse an element with two specifiers, or a zero quaternion.

    Args:
        element: the element.
        may_be_zero: whether it is one whose quaternion may be zero, as in MuJoCo.
    """
    values = element.values
    if values.keys().isdisjoint(SPECIFIERS):
        return
    given = [name for name in SPECIFIERS if name in values]
    if len(given) > 1:
        raise element.error(f"{' and '.join(given)}: expected one orientation, found {len(given)}")
    if given and given[0] == "quat" and not may_be_zero and not any(values["quat"]):
        raise element.error("quat='0 0 0 0': expected a quaternion that is not zero")


def resolve(values: dict, settings: dict, element: "Element") -> tuple:
    """Unit quaternion of an element.

    Args:
        values: its values, defaults included.
        settings: compiler settings, of which `degree` and `eulerseq` are read.
        element: what to name in an error.
    """
    for name, function in ALTERNATIVES.items():
        if values.get(name) is not None:
            try:
                return function(values[name], settings)
            except DegenerateError as error:
                raise element.error(f"{name}: {error}") from None
    return normalize(values.get("quat", IDENTITY))[0]
