"""The recorded interface is the reference's; constants and enumerations have its values."""

import importlib.util
import json
from pathlib import Path

import mujoco
import numpy as np
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


@pytest.mark.parametrize("name", ["mjtJoint", "mjtButton", "mjtState", "mjtVisFlag"])
def test_texts_of_members(name):
    mine, real = getattr(ours, name), getattr(mujoco, name)
    assert set(mine.__members__) <= set(dir(mine))
    for member, value in real.__members__.items():
        found = getattr(mine, member)
        assert [str(found), f"{found}", f"{found} {int(found)}", repr(found)] == [
            str(value), f"{value}", f"{value} {int(value)}", repr(value)
        ]  # fmt: skip
        assert [found == 3.0, found | 1, 1 & found] == [value == 3.0, value | 1, 1 & value]
        assert type(found | 1) is int
    for module in (mine, real):
        with pytest.raises(ValueError, match=f"Invalid int value for {name}: -7"):
            module(-7)


def test_signatures():
    found = parse("m: MjModel, jacp: >f8[m,n]?, body: int, nstep: int = 1 -> None")
    assert found.result == "None"
    assert [p.name for p in found.parameters] == ["m", "jacp", "body", "nstep"]
    assert found.parameters[1].output
    assert found.parameters[1].optional
    assert found.parameters[1].shape == ("m", "n")
    assert found.parameters[3].default == 1


@pytest.mark.parametrize("name", ["mjtJoint", "mjtButton", "mjtState"])
def test_numpy_asks_no_python_of_members(name, monkeypatch):
    kind = getattr(ours, name)
    asked, meta = [], type(kind)
    find = meta.__getattr__
    member, other = list(kind)[:2]
    number = np.int32(int(member))
    with monkeypatch.context() as patched:
        patched.setattr(meta, "__getattr__", lambda c, word: (asked.append(word), find(c, word))[1])
        found = [number == member, member == number, number != other, number + other]
    assert asked == []
    assert found == [True, True, True, int(member) + int(other)]
    array = np.array([int(member), int(other)])
    assert (array == other).tolist() == [False, True]
    assert (array * other).tolist() == [int(member) * int(other), int(other) ** 2]
