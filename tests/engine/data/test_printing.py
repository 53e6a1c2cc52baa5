"""What models, data and the schema look like as text."""

import re

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.engine.model.model import ARRAYS, NAMED, SIZES, TEXTS
from mjenv.engine.tables.fields import OPTION, VISUAL
from tests.engine.reference import load

from ..mjcf.test_models import SMALL


@pytest.mark.parametrize("html", [False, True])
@pytest.mark.parametrize("pad", [False, True])
def test_schema_is_mujocos(html, pad, tmp_path):
    text = mjenv.print_schema(html, pad, tmp_path / "schema.txt")
    assert text == mujoco.mj_printSchema(html, pad)
    assert (tmp_path / "schema.txt").read_text() == text


def sections(text):
    """Rows of each section by its title; the first word of a row and the others."""
    found = {}
    for block in text.split("\n\n")[1:]:
        title, *rows = block.splitlines()
        assert title not in found
        found[title] = dict((*row.split(None, 1), "")[:2] for row in rows)
    return found


@pytest.mark.parametrize("name", SMALL)
def test_model(name, tmp_path):
    model = mjenv.Model.from_xml_string(SMALL[name])
    text = mjenv.print_model(model, tmp_path / "model.txt")
    assert (tmp_path / "model.txt").read_text() == text
    assert max(map(len, text.splitlines())) <= 100
    found = sections(text)
    assert found["SIZES"] == {n: str(getattr(model, n)) for n in SIZES if getattr(model, n)}
    assert set(found["OPTIONS"]) == {field.name for field in OPTION}
    assert set(found["PICTURE"]) == {field.name for field in VISUAL}
    titles = [t for t in found if re.match(r"[A-Z]+ \d", t)]
    count = sum(getattr(model, size) for size, _ in NAMED.values()) + model.nv + model.ntree
    assert len(titles) == count
    # every array stands somewhere
    for field in ARRAYS:
        array = getattr(model, field.name)
        if not np.size(array) or field.name in TEXTS or field.name.startswith("name_"):
            continue
        prefix = next(
            (p for s, p in (*NAMED.values(), ("nv", "dof"), ("ntree", "tree"))
             if field.name.startswith(f"{p}_") and field.shape[0] == s),
            None,
        )  # fmt: skip
        if prefix is None:
            assert field.name in found["ARRAYS"]
        else:
            short = field.name.removeprefix(f"{prefix}_")
            assert any(short in rows for t, rows in found.items() if t in titles), field.name


def test_values_of_a_model():
    found = sections(mjenv.print_model(load("hopper")[1], digits=4))
    assert found["BODY 2 'thigh'"]["mass"] == "4.058"
    assert found["BODY 2 'thigh'"]["pos"] == "0 0 -0.2"
    assert found["JOINT 3 'thigh_joint'"]["range"] == "-2.618 0"
    assert found["ACTUATOR 0"]["gear"] == "200 0 0 0 0 0"
    assert found["OPTIONS"]["gravity"] == "0 0 -9.81"
    assert found["PICTURE"]["map.znear"] == "0.02"
    assert found["ARRAYS"]["qpos0"] == "0 1.25 0 0 0 0"
    assert found["TEXTS"]["names"].startswith("'hopper' 'world' 'torso'")


def test_data(tmp_path):
    model = load("hopper")[1]
    data = mjenv.Data(model, nworld=3)
    data.qpos[1] += 0.001
    data.ctrl[2] = 1
    mjenv.step(model, data, 400)
    for world in range(3):
        text = mjenv.print_data(model, data, world, tmp_path / "data.txt", digits=17)
        assert (tmp_path / "data.txt").read_text() == text
        assert text.startswith(f"DATA of world {world} of 3\n")
        found = sections(text)
        assert found["NUMBERS"]["ncon"] == str(data.ncon[world])
        assert len([t for t in found if t.startswith("CONTACT")]) == data.ncon[world]
        assert len(found["ARRAYS"]["efc_force"].split()) <= data.nefc[world]
        np.testing.assert_array_equal(
            np.array(found["ARRAYS"]["qvel"].split(), float)[:3], data.qvel[world, :3]
        )
    assert not data.inputs_in_use


def test_data_of_which_little_is_kept():
    model = load("hopper")[1]
    found = sections(mjenv.print_data(model, mjenv.Data(model, nworld=3, keep=[])))
    assert "qpos" in found["ARRAYS"]
    assert "xpos" not in found["ARRAYS"]
