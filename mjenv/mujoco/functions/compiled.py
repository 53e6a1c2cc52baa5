"""Kernels as functions of the bindings: what they take follows from the recorded signatures."""

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from mjenv.engine.direct.function import Function
from mjenv.engine.simd.builtin import ARRAY, REAL, TEXT, WHOLE, Argument
from mjenv.mujoco.api import Parameter, signature, split
from mjenv.mujoco.functions.sizes import SIZES

_KINDS = {"float": REAL, "int": WHOLE, "str": TEXT}
_VECTOR, _MATRIX = ("size",), ("rows", "columns")  # endings of the names of lengths


class Compiled(NamedTuple):
    """A row of a table of functions that kernels compute.

    Attributes:
        summary: what the function does.
        kernel: takes the arguments under their names, and lengths as `vec_size`, `mat_rows` and
            `mat_columns`, of the argument that tells them first.
        apart: whether it writes results before it has read all arguments.
        texts: lengths of texts, by name.
        refuse: raises the error of arguments that the kernel refuses.
    """

    summary: str
    kernel: Callable
    apart: bool = False
    texts: Mapping[str, int] = {}
    refuse: Callable[..., Any] | None = None


def define(scope: dict[str, Any], rows: Mapping[str, Compiled]) -> None:
    """Give a module the functions of a table.

    Args:
        scope: globals of the module.
        rows: by names of the bindings' functions.
    """
    for name, row in rows.items():
        scope[name] = _function(name, row)


def finished(compute: Any, otherwise: Callable, name: str) -> Callable:
    """The built-in function of a kernel.

    Args:
        compute: what `define` has made.
        otherwise: the function that checks and converts arguments before it calls that.
        name: of the function.
    """
    return compute.builtin(otherwise, ("mjenv.mujoco", name), compute.apart)


def _function(name: str, row: Compiled) -> Function:
    """The function of a row."""
    found = signature(name)
    arguments = []
    for parameter in found.parameters:
        if parameter.shape:
            shape = tuple(
                _length(name, parameter, axis) for axis in range(len(_endings(parameter)))
            )
            arguments.append(
                Argument(parameter.name, ARRAY, parameter.kind, shape, parameter.output)
            )
        else:
            shape = (row.texts[parameter.name],) if parameter.kind == "str" else ()
            arguments.append(Argument(parameter.name, _KINDS[parameter.kind], shape=shape))
    # kernels of several functions find lengths that are fixed under the same names
    lengths = {
        f"{a.name}_size": a.shape[0]
        for a in arguments
        if len(a.shape) == 1 and isinstance(a.shape[0], int)
    }
    function = Function(row.kernel, arguments, lengths, found.result, row.refuse)
    vars(function).update(apart=row.apart, __doc__=row.summary)
    return function


def _endings(parameter: Parameter) -> tuple[str, ...]:
    return _VECTOR if parameter.shape[-1] == "1" else _MATRIX


def _length(name: str, parameter: Parameter, axis: int) -> int | str:
    """A length of an array: a number, or the name of the argument that tells it, and its axis."""
    rule = SIZES.get(name, {}).get(parameter.name)
    if rule is None:
        length = parameter.shape[axis]
        return int(length) if length.isdigit() else f"{parameter.name}_{_endings(parameter)[axis]}"
    part = split(rule)[axis]
    told = re.fullmatch(r"(?:len\()?(\w+)(?:\)|\.size|\.shape\[(\d)\])", part)
    if told is None:
        raise ValueError(f"{name}: {parameter.name}: {part}: no length of another argument")
    other = next(p for p in signature(name).parameters if p.name == told[1])
    other_axis = int(told[2] or 0)
    if (other, other_axis) == (parameter, axis):
        return f"{parameter.name}_{_endings(parameter)[axis]}"
    return _length(name, other, other_axis)
