"""Other packages' tasks with `mjenv.mujoco` in the place of `mujoco`: a few of tests/clients.py."""

import importlib.util

import numpy as np
import pytest

from tests.client_tasks import PACKAGES
from tests.clients import Row, Runner, compare, file_name, line, markdown

# packages, by the module that has to be there, and the tasks that are run
SOME = {
    "gymnasium": ("gymnasium", ["Hopper-v5", "InvertedPendulum-v5"]),
    "gymnasium-robotics": ("gymnasium_robotics", ["FetchReach-v4", "AdroitHandRelocate-v1"]),
    "dm_control": ("dm_control", ["cheetah run", "walker run"]),
    "metaworld": ("metaworld", ["reach-v3", "basketball-v3"]),
    "mink": ("mink", ["arm"]),
}


@pytest.mark.slow
@pytest.mark.parametrize("package", SOME)
def test_same_as_with_the_reference(package, tmp_path):
    import sys

    module, tasks = SOME[package]
    if importlib.util.find_spec(module) is None:
        pytest.skip(f"{package} is not installed")
    runner = Runner(sys.executable, sys.executable, tmp_path, 1)
    for row in runner.rows(package, tasks):
        assert row.passed, line(row)


def test_all_tasks_are_named_once():
    for package, (_, names) in PACKAGES.items():
        files = [file_name(package, name) for name in names]
        assert len(set(files)) == len(files)
    assert len(PACKAGES["metaworld"][1]) == 50


def write(folder, part, **changes):
    found = {
        "observation": np.ones((101, 2)), "reward": np.zeros(100), "after": np.ones((100, 3)),
        "seconds": 1.0,
    }  # fmt: skip
    (folder / part).mkdir(exist_ok=True)
    np.savez(folder / part / "gymnasium--T.npz", **(found | changes))


def test_differences_are_seen(tmp_path):
    """Each criterion alone makes a task fail."""
    write(tmp_path, "reference")
    write(tmp_path, "ours", seconds=0.5)
    row = compare("gymnasium", "T", tmp_path)
    assert row.passed
    assert row.speed == 2
    early, late = np.ones((2, 101, 2))
    early[3] += 1e-5
    late[60] += 0.1
    after = np.ones((100, 3))
    after[40:] += 1e-10
    for change in ({"observation": early}, {"observation": late}, {"after": after}):
        write(tmp_path, "ours", **change)
        assert not compare("gymnasium", "T", tmp_path).passed
    # motion that is as far apart when the reference starts a little elsewhere
    write(tmp_path, "ours", observation=late)
    row = compare("gymnasium", "T", tmp_path)._replace(first_itself=1e-9, itself=0.5)
    assert row.passed
    # single steps that are as far apart when the reference steps from the numbers beside
    write(tmp_path, "ours", after=after)
    row = compare("gymnasium", "T", tmp_path)._replace(first_itself=0, itself=0)
    assert row._replace(median_itself=1e-10).passed
    assert not row._replace(median_itself=2e-11).passed
    assert line(row._replace(median_itself=1e-10)).endswith(" 1e-10")
    write(tmp_path, "ours", error="Traceback\nValueError: no")
    row = compare("gymnasium", "T", tmp_path)
    assert not row.passed
    assert "ValueError: no" in line(row)
    assert compare("gymnasium", "other", tmp_path).error == "reference: no result"


def test_table():
    rows = [Row("gymnasium", "A", "", 0, 0, 1e-16, 1e-12, 1), Row("gymnasium", "B", "failed")]
    table = markdown(rows, {"gymnasium": "1.4.0"})
    assert table.splitlines()[-1] == "| gymnasium 1.4.0 | 1 of 2 | 1 | 1e-16 (1e-12) |"
