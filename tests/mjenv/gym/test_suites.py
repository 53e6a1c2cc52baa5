"""Tasks of other packages by name: found without importing anything."""

import subprocess
import sys

import gymnasium
import pytest

from mjenv.gym import lookup, suites


def test_names_are_distinct():
    names = [name for suite in suites.SUITES for name in suite.tasks]
    assert len(names) == len(set(names))
    assert len(suites.METAWORLD) == 50
    assert {"FetchReach-v4", "AdroitHandPen-v1", "AntMaze_UMaze-v5"} <= set(suites.ROBOTICS)
    assert len(suites.DM_CONTROL) == 51
    assert {"myoElbowPose1D6MRandom-v0", "myoLegWalk-v0"} <= set(suites.MYOSUITE)


def test_packages_that_are_installed_are_registered_and_not_imported(tmp_path):
    (tmp_path / "metaworld.py").write_text("raise RuntimeError('imported')\n")
    code = (
        "import gymnasium, mjenv; "
        "print(gymnasium.registry['mjenv/reach-v3'].kwargs, 'mjenv/FetchReach-v4' in "
        "gymnasium.registry)"
    )
    environ = {"PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environ
    )
    assert done.stdout.startswith("{'target': 'metaworld/reach-v3'}")


def test_benchmarks_have_tasks_that_there_are():
    found = {one.name: one for one in suites.BENCHMARKS}
    assert {name: len(one.tasks) for name, one in found.items()} == {
        "MT10-v3": 10, "MT50-v3": 50, "ML10-v3": 10, "ML10-test-v3": 5
    }  # fmt: skip
    assert all(set(one.tasks) <= set(suites.METAWORLD) for one in found.values())
    assert not set(found["ML10-v3"].tasks) & set(found["ML10-test-v3"].tasks)


def test_benchmarks_are_registered_where_the_package_is(monkeypatch):
    monkeypatch.setattr(suites, "find_spec", lambda name: None)
    assert not [*suites.benchmarks()]
    monkeypatch.setattr(suites, "find_spec", lambda name: object())
    found = dict(suites.benchmarks())
    assert found["MT10-v3"]["task_id"] == "one_hot"
    assert found["ML10-v3"]["partially_observable"] is True
    assert "task_id" not in found["ML10-v3"]


def test_missing_packages_are_named(monkeypatch):
    for name in ("MT10-v3", "door-open-v3"):
        monkeypatch.delitem(gymnasium.registry, f"mjenv/{name}", raising=False)
    monkeypatch.setattr(suites, "find_spec", lambda name: None)
    with pytest.raises(ValueError, match=r"task of the package metaworld: pip install 'mjenv\[su"):
        lookup.environment_id("MT10-v3")
    with pytest.raises(ValueError, match=r"task of the package metaworld: pip install 'mjenv\[su"):
        lookup.environment_id("door-open-v3")
