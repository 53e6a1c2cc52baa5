"""Modules of a program that has imported MuJoCo itself, around the making of a port."""

import importlib
import sys

import mujoco
import mujoco.rollout
import mujoco.viewer
from gymnasium.envs.mujoco import mujoco_env

from mjenv.porting.environment.in_place import ours_by_name, ours_in_place


def test_modules_are_as_they_were():
    before = {name: module for name, module in sys.modules.items() if name.startswith("mujoco")}
    parts = mujoco.rollout, mujoco.viewer
    with ours_in_place():
        import mujoco as placed

        assert placed.__name__ == "mjenv.mujoco"
    after = {name: module for name, module in sys.modules.items() if name.startswith("mujoco")}
    assert after == before
    assert (mujoco.rollout, mujoco.viewer) == parts


def test_the_name_alone_does_not_make_modules_ours():
    assert mujoco_env.mujoco is mujoco
    with ours_by_name(), ours_in_place():
        from gymnasium.envs.mujoco import mujoco_env as placed

        assert placed.mujoco.__name__ == "mjenv.mujoco"
    assert sys.modules["gymnasium.envs.mujoco.mujoco_env"] is mujoco_env
    assert sys.modules["mujoco"] is mujoco


def test_packages_that_pass_functions_on_are_made_anew(tmp_path, monkeypatch):
    parts = tmp_path / "robots_for_tests" / "controllers"
    parts.mkdir(parents=True)
    (parts.parent / "__init__.py").write_text("")
    # the function hides its module
    (parts / "__init__.py").write_text("from .move import move\n")
    (parts / "move.py").write_text("import mujoco\ndef move(): return mujoco.__name__\n")
    (parts.parent / "task.py").write_text("from robots_for_tests.controllers import move\n")
    monkeypatch.syspath_prepend(tmp_path)
    task = importlib.import_module("robots_for_tests.task")
    for _ in range(2):
        with ours_in_place():
            placed = importlib.import_module("robots_for_tests.task")
            assert placed.move() == "mjenv.mujoco"
            own = sys.modules["robots_for_tests.controllers.move"]
            assert vars(own) is placed.move.__globals__
        assert importlib.import_module("robots_for_tests.task") is task
        assert task.move() == "mujoco"
    for name in [name for name in sys.modules if name.startswith("robots_for_tests")]:
        del sys.modules[name]


def test_packages_imported_for_the_first_time_leave_nothing_of_ours(tmp_path, monkeypatch):
    parts = tmp_path / "new_robots_for_tests"
    parts.mkdir()
    (parts / "__init__.py").write_text("from .move import move\n")
    (parts / "move.py").write_text("import mujoco\ndef move(): return mujoco.__name__\n")
    monkeypatch.syspath_prepend(tmp_path)
    with ours_in_place():
        assert importlib.import_module("new_robots_for_tests").move() == "mjenv.mujoco"
    assert importlib.import_module("new_robots_for_tests").move() == "mujoco"
    for name in [name for name in sys.modules if name.startswith("new_robots_for_tests")]:
        del sys.modules[name]


def test_functions_import_what_has_ours(tmp_path, monkeypatch):
    parts = tmp_path / "late_robots_for_tests"
    parts.mkdir()
    (parts / "__init__.py").write_text("")
    (parts / "move.py").write_text("import mujoco\nNAME = mujoco.__name__\n")
    (parts / "turn.py").write_text("import mujoco\nNAME = mujoco.__name__\n")
    (parts / "task.py").write_text(
        "import importlib, mujoco\nfrom late_robots_for_tests import move\n"
        "def names():\n"
        "    from late_robots_for_tests import turn\n"
        "    again = importlib.import_module('late_robots_for_tests.move')\n"
        "    return again is move, move.NAME, turn.NAME\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    with ours_in_place():
        task = importlib.import_module("late_robots_for_tests.task")
    for _ in range(2):
        with ours_by_name():
            assert task.names() == (True, "mjenv.mujoco", "mjenv.mujoco")
        assert not [name for name in sys.modules if name.startswith("late_robots_for_tests.")]
        assert sys.modules["mujoco"] is mujoco
    # of the program itself
    assert importlib.import_module("late_robots_for_tests.turn").NAME == "mujoco"
    for name in [name for name in sys.modules if name.startswith("late_robots_for_tests")]:
        del sys.modules[name]


def test_modules_of_the_program_that_use_ours_stay(tmp_path, monkeypatch):
    (tmp_path / "own_use_for_tests.py").write_text("import mjenv.mujoco as mujoco\n")
    monkeypatch.syspath_prepend(tmp_path)
    own = importlib.import_module("own_use_for_tests")
    with ours_in_place():
        pass
    assert sys.modules.pop("own_use_for_tests") is own
