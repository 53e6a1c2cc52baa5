"""Specs of this package beside those of MuJoCo: elements, attributes, compiled models, text."""

from typing import Any

import numpy as np

from mjenv.mujoco.spec.compiling import compile_engine
from mjenv.mujoco.spec.kinds import IN_DEFAULTS, KINDS
from mjenv.mujoco.spec.tables import Field, structures

ORIENTATION = ("axisangle", "xyaxes", "zaxis", "euler")
GROUPS = ("quality", "headlight", "map", "scale", "rgba")
# sizes of memory, and what is no array
LEFT_OUT = ("bind", "opt", "vis", "stat", "signature", "nbuffer", "narena", "names_map")
HULL = "mesh_graph"  # triangles of hulls come in another order
PASSED = (*LEFT_OUT, HULL)


def same(field: Field, mine: Any, real: Any) -> bool:
    """Whether two values of a field are equal."""
    if field.kind == "orientation":
        inner = all(np.array_equal(getattr(mine, n), getattr(real, n)) for n in ORIENTATION)
        return int(mine.type) == int(real.type) and inner
    if field.kind == "plugin":
        return (mine.name, mine.active) == (real.name, real.active)
    if field.kind in ("dv", "fv", "iv", "sv", "c"):
        return list(mine) == list(real)
    if field.is_array:
        return mine.dtype == real.dtype and np.array_equal(mine, real, equal_nan=True)
    if field.kind in ("ivv", "fvv"):
        return [list(row) for row in mine] == [list(row) for row in real]
    if field.kind == "e":
        return int(mine) == int(real)
    return mine == real or (mine != mine and real != real)


def fields_apart(mine: Any, real: Any, structure: str, leave: tuple[str, ...] = ()) -> list[str]:
    """Fields of a structure that differ."""
    apart = []
    for name, field in structures()[structure].fields.items():
        if field.kind == "lengthrange" or name in leave:
            continue
        a, b = getattr(mine, name), getattr(real, name)
        if not same(field, a, b):
            apart.append(f"{structure}.{name}: {a!r}, expected {b!r}")
    return apart


def specs_apart(mine: Any, real: Any, leave: tuple[str, ...] = ()) -> list[str]:
    """What differs between two specs, but for some fields."""
    apart: list[str] = []
    for kind, row in KINDS.items():
        ours, theirs = getattr(mine, row.plural), getattr(real, row.plural)
        if [e.name for e in ours] != [e.name for e in theirs]:
            apart.append(f"{row.plural}: {[e.name for e in ours]}, {[e.name for e in theirs]}")
            continue
        for a, b in zip(ours, theirs, strict=True):
            apart += fields_apart(a, b, kind, leave)
            if hasattr(b, "classname"):
                names = [
                    made.name if made is not None else None for made in (a.classname, b.classname)
                ]
                apart += [f"{kind}.classname: {names}"] if names[0] != names[1] else []
            if row.place == "tree" and kind != "body":
                around = [(e.parent.name, e.frame.name if e.frame else None) for e in (a, b)]
                apart += [f"{kind}: {around}"] if around[0] != around[1] else []
    for made in mine._defaults:
        if mine.find_default(made.name) is not made:
            continue  # one of the same name is found
        other = real.find_default(made.name)
        for kind in IN_DEFAULTS:
            left = ("info", "type") if kind == "equality" else ("info",)
            apart += fields_apart(getattr(made, kind), getattr(other, kind), kind, left)
    for name in ("option", "compiler"):
        apart += fields_apart(getattr(mine, name), getattr(real, name), name)
    apart += fields_apart(mine.stat, real.stat, "statistic")
    apart += fields_apart(mine, real, "sizes")
    for group in GROUPS:
        apart += fields_apart(getattr(mine.visual, group), getattr(real.visual, group), group)
    return apart + fields_apart(mine.visual.global_, real.visual.global_, "global")


def models_apart(mine: Any, real: Any) -> list[str]:
    """What differs between two compiled models."""
    apart = []
    for name in dir(real):
        value = getattr(real, name)
        if name[0] == "_" or name in PASSED or callable(value) or not hasattr(mine, name):
            continue
        a, b = np.asarray(getattr(mine, name)), np.asarray(value)
        if b.dtype.kind not in "fiub":
            continue
        if a.size != b.size or not np.allclose(
            a.reshape(-1).astype(float), b.reshape(-1).astype(float), 1e-6, 1e-9, equal_nan=True
        ):
            apart.append(f"{name}: {a}, expected {b}")
    if mine.signature != real.signature or bytes(mine.names) != bytes(real.names):
        apart.append("signature or names")
    return apart


def compiled_apart(mine: Any, real: Any) -> list[str]:
    """What differs between two specs when both are compiled, numbers of elements included."""
    apart = models_apart(compile_engine(mine), real.compile())
    for row in KINDS.values():
        ours, theirs = getattr(mine, row.plural), getattr(real, row.plural)
        ids = [[e.id for e in elements] for elements in (ours, theirs)]
        apart += [f"{row.plural}: {ids}"] if ids[0] != ids[1] else []
    return apart
