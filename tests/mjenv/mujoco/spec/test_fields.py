"""Attributes of all classes beside MuJoCo: names, types, values without an assignment, keywords."""

import re

import mujoco
import numpy as np
import pytest

import mjenv.mujoco.spec as ours
from mjenv.mujoco.spec.adding import keywords_of
from mjenv.mujoco.spec.fields import Record
from mjenv.mujoco.spec.kinds import IN_DEFAULTS, IN_SPEC, IN_TREE, KINDS
from mjenv.mujoco.spec.tables import structures

from .beside import fields_apart

CLASSES = sorted(name for name in dir(mujoco._specs) if name.startswith("Mj") and name != "MjVfs")


OF_SPEC = {"MjVisual": "visual", "MjsDefault": "default"}


def made(module, kind):
    """A new element of a kind, with its spec."""
    spec = module.MjSpec()
    if kind in IN_TREE:
        body = spec.worldbody.add_body()
        return spec, getattr(body, f"add_{kind}")()
    return spec, getattr(spec, f"add_{kind}")()


def public(thing):
    return {name for name in dir(thing) if not name.startswith("_")}


@pytest.mark.parametrize("name", CLASSES)
def test_names(name):
    """Every public name of the bindings is there; sizes of MjSpec are found on its objects."""
    mine, theirs = getattr(ours, name), getattr(mujoco._specs, name)
    if name == "MjSpec":
        mine, theirs = mine(), theirs()
    elif name in ("MjVisual", "MjsDefault"):
        mine, theirs = (getattr(module.MjSpec(), OF_SPEC[name]) for module in (ours, mujoco))
    missing = public(theirs) - public(mine)
    if isinstance(mine, type) and issubclass(mine, Record) and mine._structure:
        missing -= set(structures()[mine._structure].fields)
    assert missing == set()


@pytest.mark.parametrize("kind", KINDS)
def test_values_of_new_elements(kind):
    mine, theirs = made(ours, kind), made(mujoco, kind)
    assert fields_apart(mine[1], theirs[1], kind) == []
    assert public(theirs[1]) - public(mine[1]) == set()
    assert mine[1].name == theirs[1].name


@pytest.mark.parametrize("kind", KINDS)
def test_types(kind):
    """Values have the types of the bindings."""
    mine, theirs = made(ours, kind), made(mujoco, kind)
    for name in structures()[kind].fields:
        a, b = getattr(mine[1], name), getattr(theirs[1], name)
        assert type(a).__name__ == type(b).__name__, name
        if isinstance(b, np.ndarray):
            assert (a.shape, a.dtype) == (b.shape, b.dtype), name


@pytest.mark.parametrize("kind", KINDS)
def test_keywords(kind):
    """What may be said where an element is added, in its order."""
    _spec, element = made(mujoco, kind)
    owner = element.parent if kind in IN_TREE else _spec
    signature = getattr(owner, f"add_{kind}").__doc__.partition(" -> ")[0]
    names = re.findall(r", (\w+): ", signature)
    begins = {"default"} & {names[0]}
    assert names == [*begins, *keywords_of(kind)]
    with pytest.raises(TypeError, match="Invalid nothing keyword argument"):
        getattr(made(ours, kind)[1].parent if kind in IN_TREE else ours.MjSpec(), f"add_{kind}")(
            nothing=1
        )


def value_for(module, field, value):
    """Something else than a value, of the same type."""
    if field.kind == "e":
        choices = list(type(value).__members__.values())
        return choices[(choices.index(value) + 1) % len(choices)]
    if isinstance(value, np.ndarray):
        return np.arange(1, 1 + value.size).reshape(value.shape)
    if isinstance(value, str):
        return "text"
    if isinstance(value, float):
        return 0.75
    if isinstance(value, bytes):
        return b"ab"
    if field.kind == "b":
        return 1
    if isinstance(value, int):
        return 2
    if field.kind == "sv":
        return ["a", "b"] if len(value) == 0 else ["a"] * len(value)
    if field.kind == "c":
        return ["x", "y", "z"]
    if field.kind in ("ivv", "fvv"):
        return [[1, 2], [3]]
    if field.kind in ("dv", "fv", "iv"):
        return [1, 2, 3]
    return None


@pytest.mark.parametrize("kind", KINDS)
def test_assignments(kind):
    mine, theirs = made(ours, kind), made(mujoco, kind)
    for field in structures()[kind].fields.values():
        for module, element in ((ours, mine[1]), (mujoco, theirs[1])):
            value = value_for(module, field, getattr(element, field.name))
            if value is not None:
                setattr(element, field.name, value)
    assert fields_apart(mine[1], theirs[1], kind) == []


def refused(element, name, wrong):
    """Whether an assignment is an error."""
    try:
        setattr(element, name, wrong)
    except (TypeError, ValueError, RuntimeError):
        return True
    return False


@pytest.mark.parametrize("kind", KINDS)
def test_wrong_assignments(kind):
    """Values of wrong types and sizes are refused."""
    mine, theirs = made(ours, kind), made(mujoco, kind)
    for field in structures()[kind].fields.values():
        for wrong in (object(), "text", 1.5, [1.0] * 77, [object()], None):
            found = [refused(element, field.name, wrong) for element in (mine[1], theirs[1])]
            assert found[0] == found[1], (field.name, wrong)


@pytest.mark.parametrize("kind", IN_DEFAULTS)
def test_defaults(kind):
    mine, theirs = ours.MjSpec(), mujoco.MjSpec()
    left = ("info", "type") if kind == "equality" else ("info",)
    assert (
        fields_apart(getattr(mine.default, kind), getattr(theirs.default, kind), kind, left) == []
    )


@pytest.mark.parametrize("kind", IN_SPEC)
def test_lists_of_a_new_spec(kind):
    mine, theirs = ours.MjSpec(), mujoco.MjSpec()
    assert getattr(mine, KINDS[kind].plural) == getattr(theirs, KINDS[kind].plural) == []
