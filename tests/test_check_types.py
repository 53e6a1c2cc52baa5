"""Which modules pyright is asked about again: those whose answer may be another one."""

import re
from pathlib import Path

from tests.check_types import CHECKED, ROOT, keys, sources, targets

NAMES = {
    Path("engine/low.py"): [],
    Path("engine/table.pyi"): ["mjenv.engine.low.Row"],
    Path("engine/table.py"): [],
    Path("engine/middle.py"): ["mjenv.engine.table"],
    Path("engine/loop.py"): ["mjenv.engine.top.Top", "numpy.array"],
    Path("engine/top.py"): ["mjenv.engine.middle.Middle", "mjenv.engine.loop.Loop"],
    Path("engine/apart.py"): ["numpy.array"],
}


def changed(*edited, around="settings"):
    """Names of modules with another key after edits."""
    before, after = dict.fromkeys(NAMES, "old"), dict.fromkeys(NAMES, "old")
    after |= {Path(f"engine/{name}"): "new" for name in edited}
    arrows = targets(NAMES)
    one, other = keys(before, arrows, "settings"), keys(after, arrows, around)
    return {path.name for path in NAMES if one[path] != other[path]}


def test_nothing_changes_by_itself():
    assert changed() == set()


def test_who_imports_a_module_is_checked_with_it():
    assert changed("middle.py") == {"middle.py", "loop.py", "top.py"}
    assert changed("apart.py") == {"apart.py"}


def test_stubs_count_and_what_they_import():
    assert changed("table.pyi") == {"table.pyi", "table.py", "middle.py", "loop.py", "top.py"}
    assert "top.py" in changed("low.py")


def test_settings_and_packages_change_all():
    assert len(changed(around="other")) == len(NAMES)


def test_all_that_pyright_checks_is_found():
    settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    settings = settings.split("[tool.pyright]")[1].split("\n[")[0]
    assert re.findall(r'"(.*?)"', settings.split("include = ")[1].split("\n")[0]) == [*CHECKED]
    found = {path.as_posix() for path in sources()}
    assert {"mjenv_command.py", "mjenv/__init__.pyi", "engine/data/step.py"} <= found
    assert not any(path.startswith("mjenv/engine/") for path in found)
