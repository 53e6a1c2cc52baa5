"""The recorded interface is the reference's; constants and enumerations have its values."""

import importlib.util
import json
from pathlib import Path

import mujoco
import pytest

import mjenv.mujoco as ours
from mjenv.mujoco.api import facts, parse


def test_record_is_up_to_date():
    place = Path(__file__).with_name("record.py")
    spec = importlib.util.spec_from_file_location("record_of_mujoco", place)
    record = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(record)
    assert json.loads(json.dumps(record.api())) == facts()


def test_names_are_those_of_the_reference():
    known = set(dir(ours))
    missing = {name for name in dir(mujoco) if not name.startswith("_")} - known
    missing.discard("introspect")  # there once another test has imported it
    # modules that the reference imports for itself
    assert (
        missing
        == {
            *("Any", "IO", "Sequence", "TypeAlias", "Union"),
            *("ctypes", "glfw", "os", "platform", "subprocess", "warnings", "zipfile"),
        }
        - known
    )


@pytest.mark.parametrize("name", facts()["constants"])
def test_constants(name):
    assert getattr(ours, name) == getattr(mujoco, name)


@pytest.mark.parametrize("name", facts()["enumerations"])
def test_enumerations(name):
    mine, real = getattr(ours, name), getattr(mujoco, name)
    assert {k: int(v) for k, v in mine.__members__.items()} == {
        k: int(v) for k, v in real.__members__.items()
    }


def test_signatures():
    found = parse("m: MjModel, jacp: >f8[m,n]?, body: int, nstep: int = 1 -> None")
    assert found.result == "None"
    assert [p.name for p in found.parameters] == ["m", "jacp", "body", "nstep"]
    assert found.parameters[1].output
    assert found.parameters[1].optional
    assert found.parameters[1].shape == ("m", "n")
    assert found.parameters[3].default == 1


@pytest.mark.parametrize("name", facts()["enumerations"])
def test_members_are_attributes_of_their_class(name):
    """Not found by a method of the metaclass, as enumerations do before Python 3.12."""
    kind = getattr(ours, name)
    assert all(vars(kind)[word] is member for word, member in kind.__members__.items())
    assert list(kind) == list(kind.__members__.values()) or len(kind) < len(kind.__members__)
    with pytest.raises(AttributeError):
        kind.nothing  # noqa: B018
