"""Writes `mjenv/mujoco/api.json`: names, signatures, constants and members of the reference.

`python tests/mjenv/mujoco/record.py`, where `mujoco` is installed. Facts only; no sentence of the
reference's documentation is kept. A signature is one line, such as
`m: MjModel, jacp: >f8[m,n]?, body: int -> None`: `>` marks arrays that are written into, `?` what
may be None, and an array's shape has letters where any length is taken.
"""

import json
import re
from pathlib import Path

import mujoco

TARGET = Path(__file__).resolve().parents[3] / "mjenv" / "mujoco" / "api.json"
FUNCTION = re.compile(r"(mj|mju|mjd|mjv|mjr)_|(get|set)_mj")
DTYPES = {
    "float64": "f8", "float32": "f4", "int64": "i8", "int32": "i4", "int8": "i1",
    "uint8": "u1", "uint32": "u4", "uint64": "u8",
}  # fmt: skip
PLAIN = (
    ("typing.SupportsInt | typing.SupportsIndex", "int"),
    ("typing.SupportsFloat | typing.SupportsIndex", "float"),
    ("typing_extensions.CapsuleType", "capsule"),
    ("mujoco::python::_impl::MjWrapper<mjStatistic_>", "MjStatistic"),
    ("mujoco::python::", ""),
)


def short(kind: str) -> str:
    """A type as Python's bindings write it, in this file's words."""
    for long, word in PLAIN:
        kind = kind.replace(long, word)
    kind = re.sub(r"mujoco\._\w+\.", "", kind)
    optional = kind.endswith(" | None")
    kind = kind.removesuffix(" | None")
    array = re.search(r"numpy\.(\w*\d+)\b", kind)
    if array:
        shape = re.search(r'"\[([^]]*)\]"', kind)
        place = f"[{shape[1].replace(' ', '')}]" if shape else "[]"
        kind = ">" * ("flags.writeable" in kind) + DTYPES[array[1]] + place
    return kind + "?" * optional


def split(text: str) -> list[str]:
    """Parts between commas that stand outside brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "[(") - (letter in "])")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def signature(line: str) -> str:
    """A line of a docstring: `name(m: Type = value) -> Type`."""
    head, _, result = line.rpartition(" -> ")
    parameters = []
    for part in split(head[head.index("(") + 1 : head.rindex(")")]):
        name, colon, kind = part.partition(": ")
        kind, equals, default = kind.partition(" = ")
        parameters.append(name + colon + short(kind) + equals + default)
    return f"{', '.join(parameters)} -> {short(result)}"


def signatures(doc: str) -> list[str]:
    """The signatures that a docstring lists: several for overloaded functions."""
    lines = doc.strip().splitlines()
    if len(lines) > 1 and any("Overloaded function" in line for line in lines):
        lines = [line for line in lines if re.match(r"\d+\. ", line)]
        return [signature(line) for line in lines]
    return [signature(lines[0])]


def members(cls: type) -> dict:
    """Fields and methods of a class, and of those inside it."""
    found: dict = {"fields": {}, "methods": {}, "classes": {}, "lists": {}}
    for name, value in vars(cls).items():
        if isinstance(value, property) and isinstance(getattr(cls, name), tuple):
            found["lists"][name] = " ".join(getattr(cls, name))
            continue
        if isinstance(value, property):
            kind = short((value.fget.__doc__ or "").strip().rpartition("-> ")[2].strip())
            found["fields"][name] = kind.lstrip(">") + " =" * (value.fset is not None)
        elif isinstance(value, type):
            found["classes"][name] = members(value)
        elif name.startswith("_pybind11") or name in ("__module__", "__doc__"):
            continue
        elif " -> " in (getattr(getattr(cls, name), "__doc__", None) or ""):
            found["methods"][name] = signatures(getattr(cls, name).__doc__)
    return {key: value for key, value in found.items() if value}


def classes() -> dict:
    """All classes of the bindings, by the module of the reference that defines them."""
    found = {}
    for module in ("_structs", "_specs", "_render"):
        for name, value in vars(getattr(mujoco, module)).items():
            if isinstance(value, type) and value.__module__ == f"mujoco.{module}":
                # some stand in two modules, with different members
                key = f"{module}.{name}" if name in found else name
                found[key] = {"module": module, **members(value)}
    return found


def api() -> dict:
    """All that is recorded."""
    every = {name: getattr(mujoco, name) for name in sorted(dir(mujoco))}
    plain = (int, float, str, tuple, list)
    return {
        "version": mujoco.__version__,
        "functions": {
            name: signatures(value.__doc__)[0]
            for name, value in every.items()
            if FUNCTION.match(name)
        },
        "constants": {
            name: value
            for name, value in every.items()
            if re.match("mj[A-Z]", name) and isinstance(value, plain)
        },
        "enumerations": {
            name: {key: int(number) for key, number in value.__members__.items()}
            for name, value in every.items()
            if name.startswith("mjt")
        },
        "classes": classes(),
    }


if __name__ == "__main__":
    TARGET.write_text(json.dumps(api(), indent=1) + "\n", encoding="utf-8")
