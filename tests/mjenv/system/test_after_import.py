"""Actions that wait for a module; the environments, in whatever order gymnasium is imported."""

import subprocess
import sys

import pytest

from mjenv.gym import suites
from mjenv.gym.registration import ENVS, ROBOTS, SUITE
from mjenv.system.after_import import after_import

# those of one task, and the one of several
ALL = str(len(ENVS) + len(ROBOTS) + len(SUITE) + len([*suites.installed()]) + 1)
COUNT = "print(sum(name.startswith('mjenv/') for name in gymnasium.registry))"


def run(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.mark.parametrize("first", ["mjenv, gymnasium", "gymnasium, mjenv"])
def test_environments_are_registered_in_either_order(first):
    assert run(f"import {first}; {COUNT}") == [ALL]


def test_gymnasium_is_not_imported():
    assert run("import sys, mjenv, mjenv.mujoco; print('gymnasium' in sys.modules)") == ["False"]


def test_other_namespaces_register_first():
    """Registration of one's own imports gymnasium, and with it comes the rest."""
    code = "import mjenv; mjenv.register('A-v0', 'a:A'); import gymnasium; "
    assert run(code + "print('A-v0' in gymnasium.registry); " + COUNT) == ["True", ALL]


def test_action_runs_once_and_nothing_is_left(tmp_path, monkeypatch):
    (tmp_path / "awaited.py").write_text("value = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    before, seen = list(sys.meta_path), []
    after_import("awaited", lambda: seen.append(sys.modules["awaited"].value))
    assert seen == []
    import awaited

    assert seen == [1]
    assert awaited.__spec__.loader is awaited.__loader__
    assert type(awaited.__loader__).__name__ == "SourceFileLoader"
    assert sys.meta_path == before
    after_import("awaited", lambda: seen.append(2))
    assert seen == [1, 2]
