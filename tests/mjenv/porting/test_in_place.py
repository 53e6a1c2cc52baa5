"""Modules of a program that has imported MuJoCo itself, around the making of a port."""

import sys

import mujoco
import mujoco.rollout
import mujoco.viewer
from gymnasium.envs.mujoco import mujoco_env

from mjenv.porting.in_place import ours_by_name, ours_in_place


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
