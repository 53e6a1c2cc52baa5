"""Tables of the documentation have what there is."""

import ast
import importlib
import re
from pathlib import Path

import pytest

import mjenv
from mjenv.commands.cli import COMMANDS
from mjenv.engine.mjcf.text.schema import kinds
from mjenv.engine.tables.sensor_kinds import SENSORS
from mjenv.gym.registration import ENVS, ROBOTS, SUITE

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def lists(monkeypatch):
    """The module of tables, which is no part of a package."""
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    return importlib.import_module("lists")


@pytest.fixture
def environment_pages(monkeypatch):
    """The module of the environments' pages."""
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    return importlib.import_module("environment_pages")


@pytest.mark.slow
def test_environments(lists):
    text = lists.environments()
    for row in (*ENVS, *ROBOTS, *SUITE):
        assert f"`{row.id}`" in text
    row = r"^\| \[`HalfCheetah-v5`\]\(environments/HalfCheetah-v5.md\) \| 17 \| 6 \| 1000 \| "
    assert re.search(row + r"[\d,]+ ± [\d,]+ \|$", text, re.M)


def test_pages_of_environments(environment_pages):
    """Which numbers an observation has, the terms of the reward, arguments, and the source."""
    row = next(row for row in ENVS if row.id == "HalfCheetah-v5")
    page = environment_pages._page(row)
    assert "| 0 | `qpos` | position of the joint `rootz` (m) |" in page
    assert "| 16 | `qvel` | velocity of the joint `ffoot` (rad/s) |" in page
    assert "| 0 | `bthigh` | `bthigh` | -1 | 1 |" in page
    assert "`reward_forward`, `reward_ctrl`" in page
    assert "| `ctrl_cost_weight` | `0.1` |" in page
    assert "[envs/half_cheetah.py](../../envs/half_cheetah.py)" in page
    row = next(row for row in ROBOTS if row.id == "QuadrupedJoystick-v0")
    page = environment_pages._page(row)
    assert "| 3 | `velocity` | sensor `velocity`, number 0 |" in page
    assert "| 45 to 47 | `command` |" in page
    assert "| `still` | `0.1` | the share of commands to stand |" in page


@pytest.mark.slow
def test_every_environment_has_a_page(environment_pages):
    pages = environment_pages.pages()
    for row in (*ENVS, *ROBOTS, *SUITE):
        page = pages[environment_pages.page_of(row.id)]
        assert f"# {row.id}\n" in page
        assert f'gymnasium.make("mjenv/{row.id}")' in page
    for media in re.findall(r"\.\./(media/[^\s\")]+)", "".join(pages.values())):
        assert (ROOT / "docs" / media).is_file()


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
