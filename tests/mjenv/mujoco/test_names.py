"""Every name of the bindings, and every attribute of their classes, beside ours."""

import inspect
from types import ModuleType

import mujoco
import pytest

import mjenv.mujoco as ours

# what the reference's own module has imported for itself, or other tests have; where its files are
IMPORTED = {"IO", "Sequence", "TypeAlias", "Union", "introspect"}
PLACES = {"HEADERS_DIR", "PLUGINS_DIR"}


def names(owner):
    return {name for name in dir(owner) if not name.startswith("_")}


def public():
    """Names of the reference's module, without other modules."""
    found = names(mujoco) - IMPORTED
    return {
        name
        for name in found
        if not isinstance(getattr(mujoco, name), ModuleType)
        or getattr(mujoco, name).__name__.startswith("mujoco")
    }


CLASSES = sorted(name for name in public() if inspect.isclass(getattr(mujoco, name)))


def test_names_of_the_module():
    assert public() - names(ours) == set()


def test_constants():
    plain = int | float | str | tuple
    constants = {n for n in public() - PLACES if isinstance(getattr(mujoco, n), plain)}
    assert {"mjPI", "mjNREF", "mjVERSION_HEADER"} <= constants
    assert {n for n in constants if getattr(ours, n) != getattr(mujoco, n)} == set()


@pytest.mark.parametrize("name", CLASSES)
def test_attributes_of_a_class(name):
    real, mine = getattr(mujoco, name), getattr(ours, name)
    members = getattr(real, "__members__", {})
    # of enumerations, `dir` lists no aliases and what single members have
    missing = names(real) - names(mine)
    if members:
        missing = {n for n in missing if not hasattr(mine(int(next(iter(mine)))), n)}
    assert missing == set()
    assert {n: int(getattr(mine, n)) for n in members} == {n: int(members[n]) for n in members}


def test_callables_are_callable():
    called = {name for name in public() if callable(getattr(mujoco, name))}
    assert {n for n in called if not callable(getattr(ours, n))} == {"MjStruct"}
