"""The keys of the window, one by one."""

import pygame
import pytest

import mjenv
from mjenv.viewing.keys import EFFECTS, FLAGS, KEYS, TIME, help_lines
from mjenv.visual.names import RND, VIS
from tests.mjenv.viewing.hands import height, post, press

ROWS = {
    "escape": lambda v: v.closed,
    "ctrl q": lambda v: v.closed,
    "f1": lambda v: v.overlays == {"help"},
    "f2": lambda v: v.overlays == {"info"},
    "f3": lambda v: v.overlays == {"profile"},
    "f4": lambda v: v.overlays == {"sensors"},
    "tab": lambda v: v.overlays == {"sliders"},
    "f5": lambda v: "no full screen" in v.message,  # nor has SDL's driver for tests
    "f6": lambda v: v.opt.frame == 1,
    "f7": lambda v: v.opt.label == 1,
    "[": lambda v: v.camera_name() == "side",
    "]": lambda v: v.camera_name() == "tracks ball",
    "ctrl a": lambda v: v.message == "",
    "page up": lambda v: v.pert.select == 0,
    "ctrl p": lambda v: len([*v.files.folder.glob("mjenv-*.png")]) == 1,
    "ctrl r": lambda v: v.files.filming,
    "ctrl s": lambda v: len([*v.files.folder.glob("mjenv-*.mjenv")]) == 1,
    "ctrl d": lambda v: len([*v.files.folder.glob("mjenv-*.txt")]) == 1,
    "ctrl c": lambda v: v.message == "the pose is printed as a keyframe",
    "ctrl l": lambda v: v.message.endswith("ball.xml is read"),
    "space": lambda v: v.paused,
    "right": lambda v: v.data.time[0] == v.model.opt.timestep,
    "down": lambda v: v.data.time[0] > 0.19,
    "left": lambda v: v.message == "no earlier state is kept",
    "up": lambda v: v.message == "no earlier state is kept",
    "-": lambda v: v.real_time.speed == 0.5,
    "=": lambda v: v.real_time.speed == 2.0,
    "backspace": lambda v: v.states == 1,
    "ctrl k": lambda v: height(v) == 3.0,
    **{
        f"{modifier} {name}": lambda v: v.message == "this follows no commands"
        for modifier, names in (
            ("ctrl", ("up", "down", "left", "right", "space", "backspace")),
            ("shift", ("left", "right")),
        )
        for name in names
    },
}
for _key, _name in FLAGS.items():
    ROWS[_key] = lambda v, k=int(VIS[f"mjVIS_{_name}"]): v.opt.flags[k] != type(v.opt)().flags[k]
for _key, _name in EFFECTS.items():
    ROWS[_key] = lambda v, k=int(RND[f"mjRND_{_name}"]): v.scn.flags[k] != mjenv.MjvScene().flags[k]
for _k in range(6):
    ROWS[f"{_k}"] = lambda v, k=_k: v.opt.geomgroup[k] == (k > 2)
    ROWS[f"shift {_k}"] = lambda v, k=_k: v.opt.sitegroup[k] == (k > 2)


@pytest.mark.parametrize("row", KEYS, ids=lambda row: row.key)
def test_every_key(row, window):
    """Each row of the table does what its test says, and draws a picture."""
    before = row.on(window) if row.section == "what is shown" else None
    press(window, row.key)
    assert ROWS[row.key](window)
    assert before is None or bool(row.on(window)) != bool(before)


def test_keys_have_one_row_each():
    names = [row.key for row in KEYS]
    assert len({*names}) == len(names)
    assert {*names} == {*ROWS}


def test_keys_are_mujocos():
    """Flags and effects are switched by the keys of MuJoCo's own window."""
    mujoco = pytest.importorskip("mujoco")
    keys = {int(VIS[f"mjVIS_{name}"]): key for key, name in FLAGS.items()}
    theirs = {k: row[2].lower() for k, row in enumerate(mujoco.mjVISSTRING) if row[2]}
    assert keys == theirs
    effects = {int(RND[f"mjRND_{name}"]): key for key, name in EFFECTS.items()}
    assert effects.items() <= {k: r[2].lower() for k, r in enumerate(mujoco.mjRNDSTRING)}.items()


def test_the_help_has_every_key():
    lines = help_lines(time=True, commands=True)
    shown = [row for row in KEYS if row.section != "what is shown"]
    assert all((row.key, row.help) in lines for row in shown)
    assert not any(row.section == TIME and (row.key, row.help) in help_lines(False) for row in KEYS)


def test_signs_are_known_by_what_they_type(window):
    """On keyboards where a sign is another key's."""
    post(pygame.KEYDOWN, key=pygame.K_8, mod=0, unicode="[")
    window.frame()
    assert window.camera_name() == "side"
    post(pygame.KEYDOWN, key=pygame.K_PLUS, mod=0, unicode="+")
    window.frame()
    assert window.real_time.speed == 2.0


def test_the_next_camera_of_any(window):
    window.cam.type = int(mjenv.mjtCamera.mjCAMERA_USER)
    press(window, "]")
    assert window.camera_name() == "tracks ball"
    window.cam.fixedcamid = 0
    press(window, "]")
    assert window.camera_name() == "side"
