"""Modules of a program that has imported MuJoCo itself, around the making of a port."""

import sys

import mujoco
import mujoco.rollout
import mujoco.viewer

from mjenv.porting.in_place import ours_in_place


def test_modules_are_as_they_were():
    before = {name: module for name, module in sys.modules.items() if name.startswith("mujoco")}
    parts = mujoco.rollout, mujoco.viewer
    with ours_in_place():
        import mujoco as placed

        assert placed.__name__ == "mjenv.mujoco"
    after = {name: module for name, module in sys.modules.items() if name.startswith("mujoco")}
    assert after == before
    assert (mujoco.rollout, mujoco.viewer) == parts
