"""Functions of the bindings from their signatures: checked arguments, then what computes them.

The text of each function is written from its recorded signature, so that a call costs little more
than its checks: arrays that have the right type go straight through, others to `arguments.py`.
"""

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from mjenv.engine.errors import UnsupportedFeature
from mjenv.mujoco import structs
from mjenv.mujoco.api import REQUIRED, Parameter, signature, split
from mjenv.mujoco.callbacks import OF_CALLBACK, Installed, install
from mjenv.mujoco.errors import FatalError
from mjenv.mujoco.functions import arguments
from mjenv.mujoco.functions.sizes import SIZES
from mjenv.mujoco.functions.state import mj_stateSize as state_size

_LETTERS = ("m", "n")
# of arrays of one axis or of two, that are read or written into; called in the text of functions
_CHECKS = {
    (True, False): arguments.vector,
    (True, True): arguments.vector_to_fill,
    (False, False): arguments.matrix,
    (False, True): arguments.matrix_to_fill,
}


def wrapped(name: str, compute: Callable) -> Callable:
    """The function of a name.

    Args:
        name: as in the bindings.
        compute: does the work, called with the checked arguments in the order of the signature:
            vectors of one axis, matrices of two. It may raise ValueError, IndexError or KeyError,
            which become FatalError.
    """
    parameters = signature(name).parameters
    scope: dict[str, Any] = {
        "arguments": arguments, "type_of": type, "compute": compute, "ndarray": np.ndarray,
        "Installed": Installed, "attach": attach, "raise_fatal": raise_fatal,
        "MjModel": structs.MjModel,
        "MjData": structs.MjData,
        "f8": np.dtype("f8"), "f4": np.dtype("f4"), "i4": np.dtype("i4"), "u1": np.dtype("u1"),
        "nstate": state_size,
        "int_": int, "float_": float, "str_": str,
    }  # fmt: skip
    # checks of the arguments, one after the other
    kinds = {parameter.kind: parameter.name for parameter in reversed(parameters)}
    paired = {"MjModel", "MjData"} <= kinds.keys()
    lines = [f"def {name}({', '.join(map(_declared, parameters))}):"]
    for parameter in parameters:
        if not (paired and parameter.kind == "MjModel"):
            lines += _checked(name, parameter, scope)
    if paired:
        # data know their model: what is not the same is looked at
        m, d = kinds["MjModel"], kinds["MjData"]
        lines.append(f"if {d}._model is not {m} or {d}._callbacks is not Installed.last:")
        lines.append(f"    attach({m}, {d}, {name!r})")
    for argument, rule in SIZES.get(name, {}).items():
        lines += _sized(name, argument, rule, parameters)
    # what computes it; its errors are those of the bindings
    passed = ", ".join(parameter.name for parameter in parameters)
    result = {"None": "{}", "float": "return float({})", "int": "return int({})"}
    call = result.get(signature(name).result, "return {}").format(f"compute({passed})")
    lines += ["try:", f"    {call}"]
    lines += ["except (ValueError, IndexError, KeyError) as error:"]
    lines += ["    raise_fatal(error)"]
    text = "\n    ".join(lines)
    exec(compile(text, f"<mjenv.mujoco {name}>", "exec"), scope)
    function = scope[name]
    function.__module__ = "mjenv.mujoco.functions"
    function.__doc__ = text_of(name, compute)
    return function


def text_of(name: str, says: Any) -> str:
    """The docstring of a function, as the bindings write it.

    Args:
        name: of the function.
        says: an object whose docstring begins with what the function does.
    """
    return f"{_signature_text(name)}\n\n{_summary(says)}\n"


def _declared(parameter: Parameter) -> str:
    """A parameter in the head of a function."""
    default = "" if parameter.default is REQUIRED else f"={parameter.default!r}"
    return parameter.name + default


def _checked(where: str, parameter: Parameter, scope: dict[str, Any]) -> list[str]:
    """Lines that check an argument."""
    name, kind = parameter.name, parameter.kind
    plain = {"int": "whole", "float": "real", "str": "text"}.get(kind)
    if parameter.shape:
        lines = _array_check(where, parameter)
    elif plain is not None:
        lines = [f"if type_of({name}) is not {kind}_:"]
        lines.append(f"    {name} = arguments.{plain}({name}, {where!r}, {name!r})")
    elif kind in dir(structs):
        scope[kind] = getattr(structs, kind)
        lines = [f"if type_of({name}) is not {kind}:"]
        lines.append(f"    {name} = arguments.struct({name}, {kind}, {where!r}, {name!r})")
    else:
        return []
    optional = parameter.optional or parameter.default is None
    return [f"if {name} is not None:", *(f"    {line}" for line in lines)] if optional else lines


def _array_check(where: str, parameter: Parameter) -> list[str]:
    """Lines that check an array: what has the right type is left alone."""
    name, dtype, rows = parameter.name, parameter.kind, parameter.shape[0]
    flat = parameter.shape[-1] == "1"
    length = arguments.ANY if rows in _LETTERS else int(rows)
    fast = [f"type_of({name}) is not ndarray", f"{name}.dtype is not {dtype}"]
    if not flat:
        fast.append(f"{name}.ndim != 2")
        fast.append(f"not {name}.flags.{'carray' if parameter.output else 'c_contiguous'}")
    else:
        fast.append(
            f"{name}.ndim != 1" if length == arguments.ANY else f"{name}.shape != ({rows},)"
        )
    fast += [f"not {name}.flags.writeable"] * (parameter.output and flat)
    check = _CHECKS[flat, parameter.output].__name__
    extra = f", {length}" if flat else ""
    call = f"arguments.{check}({name}, {dtype}{extra}, {where!r}, {name!r})"
    return [f"if {' or '.join(fast)}:", f"    {name} = {call}"]


def _sized(where: str, name: str, rule: str, parameters: tuple[Parameter, ...]) -> list[str]:
    """Lines that compare the size of an array with other arguments."""
    found = next((p for p in parameters if p.name == name), None)
    if found is None:
        return []
    optional = f"{name} is not None and " * (found.optional or found.default is None)
    shape = len(split(rule)) > 1
    differs = f"{name}.shape != ({rule})" if shape else f"{name}.size != {rule}"
    call = f"arguments.wrong_size({where!r}, {name!r}, {name}, {rule!r}, ({rule}))"
    return [f"if {optional}{differs}:", f"    {call}"]


def attach(model: structs.MjModel, data: structs.MjData, where: str) -> None:
    """Have data work with another model, or with other callbacks, from now on.

    Args:
        model: the model of a call.
        data: the data of a call.
        where: the function.
    """
    arguments.model(model, where, "m")
    if data._model is not model:
        try:
            data._use(model, where)
        except ValueError as error:
            raise_fatal(error)
    if data._callbacks is not Installed.last:
        install(data)


def raise_fatal(error: Exception) -> NoReturn:
    """Raise the error of the bindings for one of the engine; users' own pass as they are."""
    own = OF_CALLBACK in vars(error)
    if own or isinstance(error, FatalError | UnsupportedFeature | UnicodeError):
        raise error
    text = error.args[0] if isinstance(error, KeyError) else str(error)
    raise FatalError(text) from error


def _signature_text(name: str) -> str:
    """A signature as the bindings write it."""
    found = signature(name)
    parts = []
    for parameter in found.parameters:
        kind = parameter.kind
        if kind.startswith("Mj"):
            kind = f"mujoco._structs.{kind}"
        elif parameter.shape:
            kind = f"{kind}[{','.join(parameter.shape)}]"
        kind += " | None" * parameter.optional
        default = "" if parameter.default is REQUIRED else f" = {parameter.default!r}"
        parts.append(f"{parameter.name}: {kind}{default}")
    return f"{name}({', '.join(parts)}) -> {found.result}"


def _summary(compute: Callable) -> str:
    """The first sentence about what computes a function."""
    return (compute.__doc__ or "").strip().partition("\n\n")[0]
