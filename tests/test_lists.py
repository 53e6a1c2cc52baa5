"""Tables of the documentation have what there is."""

import ast
import importlib.util
import re
from pathlib import Path

import pytest

import mjenv
from mjenv.commands.cli import COMMANDS
from mjenv.engine.mjcf.text.schema import kinds
from mjenv.engine.tables.sensor_kinds import SENSORS
from mjenv.gym.registration import ENVS, ROBOTS, SUITE

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def lists():
    """The module of tables, which is no part of a package."""
    spec = importlib.util.spec_from_file_location("lists", ROOT / "docs" / "lists.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_environments(lists):
    text = lists.environments()
    for row in (*ENVS, *ROBOTS, *SUITE):
        assert f"`{row.id}`" in text
    assert re.search(r"^\| `HalfCheetah-v5` \| 17 \| 6 \| 1000 \| [\d,]+ ± [\d,]+ \|$", text, re.M)


def test_commands(lists):
    text = lists.commands()
    for command in COMMANDS:
        assert f"## mjenv {command.name}\n" in text
        assert f"usage: mjenv {command.name}" in text
    assert "usage: mjenv bench" in text


def test_sensors_and_elements(lists):
    for name in SENSORS:
        assert f"| `{name}` |" in lists.sensors()
    for path in kinds():
        assert f"`{path.partition('/')[2] or path}`" in lists.elements()


def test_functions_of_mujoco_are_in_the_table():
    """With the names that stand for them here, or the reason why nothing does."""
    mujoco = pytest.importorskip("mujoco")
    from mjenv import ported

    text = (ROOT / "docs" / "features.md").read_text()
    rows = dict(re.findall(r"^\| `(mj[dv]?_\w+)` \| (.*) \|$", text, re.M))
    assert set(rows) == {n for n in dir(mujoco) if n.startswith(("mj_", "mjd_", "mjv_"))}
    for name, cell in rows.items():
        found = ported.counterpart(name, mjenv.__all__)
        assert cell == (f"`{found}`" if found else f"nothing: {ported._REASONS[name]}")


def test_public_names_have_a_chapter_of_the_reference():
    """The site is built strictly where its tools are; this asks the same without them."""
    tree = ast.parse((ROOT / "docs" / "hooks.py").read_text())
    found = [n for n in tree.body if isinstance(n, ast.Assign) and n.targets[0].id == "CHAPTERS"]
    places = [
        f"mjenv.{m}" for _, modules in ast.literal_eval(found[0].value).values() for m in modules
    ]
    names = re.findall(
        r"^from (mjenv\.\S+) import", (ROOT / "mjenv/__init__.pyi").read_text(), re.M
    )
    assert not [n for n in set(names) if not any(f"{n}.".startswith(f"{p}.") for p in places)]
