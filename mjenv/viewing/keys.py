"""The keys of the window: one table, which the help is made from too."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from mjenv.visual.names import NGROUP, RND, VIS

if TYPE_CHECKING:
    from .viewer import Viewer

CTRL, SHIFT = "ctrl ", "shift "
TIME, FILE, LOOK, SHOWN = "time", "file", "look", "what is shown"
COMMAND = "commands"


class Key(NamedTuple):
    """A key and what it does.

    Attributes:
        key: its name, pygame's, after "ctrl " or "shift ".
        section: of the help; keys of `time` need a window that steps the world itself, those of
            `commands` a robot that follows some.
        help: what it does, in a few words.
        act: the same as a function of the viewer.
        on: whether what it switches is on.
    """

    key: str
    section: str
    help: str
    act: "Callable[[Viewer], object]"
    on: "Callable[[Viewer], object]" = bool


# MuJoCo's keys of the things that may be shown
FLAGS = {
    "h": "CONVEXHULL",   "x": "TEXTURE",      "j": "JOINT",        "q": "CAMERA",
    "u": "ACTUATOR",     ",": "ACTIVATION",   "z": "LIGHT",        "v": "TENDON",
    "y": "RANGEFINDER",  "e": "CONSTRAINT",   "i": "INERTIA",      "'": "SCLINERTIA",
    "b": "PERTFORCE",    "o": "PERTOBJ",      "c": "CONTACTPOINT", "n": "ISLAND",
    "f": "CONTACTFORCE", "p": "CONTACTSPLIT", "t": "TRANSPARENT",  "a": "AUTOCONNECT",
    "m": "COM",          "d": "STATIC",       ";": "SKIN",         "`": "BODYBVH",
    "\\": "MESHBVH",
}  # fmt: skip
FLAG_NAMES = {
    "CONVEXHULL": "convex hulls", "SCLINERTIA": "scaled inertia", "PERTFORCE": "applied forces",
    "PERTOBJ": "pull of the mouse", "CONTACTPOINT": "contact points",
    "CONTACTFORCE": "contact forces", "CONTACTSPLIT": "normal and friction apart",
    "AUTOCONNECT": "lines between joints", "COM": "centres of mass", "STATIC": "static bodies",
    "BODYBVH": "boxes of collisions", "MESHBVH": "boxes of meshes",
    "RANGEFINDER": "range finders", "TRANSPARENT": "transparent bodies",
}  # fmt: skip
# MuJoCo's keys of the effects that this renderer has
EFFECTS = {"s": "SHADOW", "r": "REFLECTION", "k": "SKYBOX", "g": "FOG", "/": "HAZE"}


def _flag_rows() -> Iterator[Key]:
    """Keys of flags, effects and groups."""
    for key, name in FLAGS.items():
        words = FLAG_NAMES.get(name, f"{name.lower()}s")
        yield _switch(key, words, lambda v: v.opt.flags, int(VIS[f"mjVIS_{name}"]))
    for key, name in EFFECTS.items():
        yield _switch(key, name.lower(), lambda v: v.scn.flags, int(RND[f"mjRND_{name}"]))
    for group in range(NGROUP):
        words = f"of group {group}"
        yield _switch(f"{group}", f"geoms {words}", lambda v: v.opt.geomgroup, group)
        yield _switch(f"{SHIFT}{group}", f"sites {words}", lambda v: v.opt.sitegroup, group)


def _switch(key: str, words: str, row: "Callable[[Viewer], Any]", place: int) -> Key:
    """A key that exchanges 0 and 1 in an array of the viewer."""

    def flip(viewer: "Viewer") -> None:
        row(viewer)[place] ^= 1

    return Key(key, SHOWN, words, flip, lambda viewer: row(viewer)[place])


def _order(name: str, *arguments: int) -> "Callable[[Viewer], object]":
    """Gives a robot an order."""
    return lambda viewer: viewer.tell(name, *arguments)


KEYS: tuple[Key, ...] = (
    Key("space",            TIME, "pause, go on",               lambda v: v.pause()),
    Key("right",            TIME, "one step",                   lambda v: v.forward(1)),
    Key("down",             TIME, "100 steps",                  lambda v: v.forward(100)),
    Key("left",             TIME, "back one step or frame",     lambda v: v.back(1)),
    Key("up",               TIME, "back 60 steps or frames",    lambda v: v.back(60)),
    Key("-",                TIME, "half as fast",               lambda v: v.change_speed(0.5)),
    Key("=",                TIME, "twice as fast",              lambda v: v.change_speed(2.0)),
    Key("backspace",        TIME, "start again",                lambda v: v.restart()),
    Key("ctrl k",           TIME, "next keyframe",              lambda v: v.next_keyframe()),
    Key("ctrl l",           TIME, "read the file again",        lambda v: v.reload()),
    Key("ctrl up",          COMMAND, "command: faster forward",  _order("change", 0, 1)),
    Key("ctrl down",        COMMAND, "command: backward",        _order("change", 0, -1)),
    Key("ctrl left",        COMMAND, "command: turn left",       _order("change", 2, 1)),
    Key("ctrl right",       COMMAND, "command: turn right",      _order("change", 2, -1)),
    Key("shift left",       COMMAND, "command: to the left",     _order("change", 1, 1)),
    Key("shift right",      COMMAND, "command: to the right",    _order("change", 1, -1)),
    Key("ctrl space",       COMMAND, "command: stand still",     _order("stand")),
    Key("ctrl backspace",   COMMAND, "commands of the task",     _order("give_back")),
    Key("[",                LOOK, "previous camera",            lambda v: v.next_camera(-1)),
    Key("]",                LOOK, "next camera",                lambda v: v.next_camera(1)),
    Key("ctrl a",           LOOK, "camera as at the start",     lambda v: v.align()),
    Key("page up",          LOOK, "select the parent",          lambda v: v.select_parent()),
    Key("f1",               LOOK, "help",                       lambda v: v.flip("help")),
    Key("f2",               LOOK, "info",                       lambda v: v.flip("info")),
    Key("f3",               LOOK, "profile",                    lambda v: v.flip("profile")),
    Key("f4",               LOOK, "sensors",                    lambda v: v.flip("sensors")),
    Key("tab",              LOOK, "sliders",                    lambda v: v.flip("sliders")),
    Key("f5",               LOOK, "full screen",                lambda v: v.full_screen()),
    Key("f6",               LOOK, "next kind of frames",        lambda v: v.next_frame()),
    Key("f7",               LOOK, "next kind of labels",        lambda v: v.next_label()),
    Key("ctrl p",           FILE, "write a picture",            lambda v: v.screenshot()),
    Key("ctrl r",           FILE, "start or end a film",        lambda v: v.files.film()),
    Key("ctrl s",           FILE, "save the model",             lambda v: v.save_model()),
    Key("ctrl d",           FILE, "write all numbers",          lambda v: v.write_numbers()),
    Key("ctrl c",           FILE, "print the pose as a key",    lambda v: v.print_pose()),
    Key("escape",           FILE, "quit",                       lambda v: v.close()),
    Key("ctrl q",           FILE, "quit",                       lambda v: v.close()),
    *_flag_rows(),
)  # fmt: skip

# what the mouse does, for the help
MOUSE = (
    ("left drag", "turn the camera"),
    ("right drag", "shift it; with shift, on the ground"),
    ("wheel, middle drag", "come closer"),
    ("double click", "select a body"),
    ("right double click", "look at a point"),
    ("ctrl right double click", "track a body"),
    ("ctrl left drag", "turn the selected body"),
    ("ctrl right drag", "pull it"),
)
STICKS = ("sticks of a gamepad", "command: left to walk, right to turn")
BY_NAME = {row.key: row for row in KEYS}
OTHERS = {"+": "=", "[+]": "=", "[-]": "-"}  # further keys of rows

# pygame's names of keys -> GLFW's numbers, where they are not the letter's
GLFW = {
    "escape": 256, "return": 257, "tab": 258, "backspace": 259, "insert": 260, "delete": 261,
    "right": 262, "left": 263, "down": 264, "up": 265, "page up": 266, "page down": 267,
    "home": 268, "end": 269, "space": 32, **{f"f{k}": 289 + k for k in range(1, 13)},
}  # fmt: skip


def row_of(name: str, character: str, ctrl: bool, shift: bool) -> Key | None:
    """The row of a key.

    Args:
        name: pygame's name of it.
        character: what it types, on keyboards that have a sign elsewhere.
        ctrl: whether the control key is down.
        shift: whether the shift key is.
    """
    modifier = CTRL if ctrl else SHIFT if shift else ""
    found = BY_NAME.get(modifier + OTHERS.get(name, name))
    if found is None and not ctrl and not character.isalnum():
        found = BY_NAME.get(OTHERS.get(character, character))
    return found


def glfw_code(name: str) -> int:
    """GLFW's number of a key, which MuJoCo's key callbacks get; -1 for unknown ones."""
    return GLFW[name] if name in GLFW else ord(name.upper()) if len(name) == 1 else -1


def summary() -> str:
    """The most important keys, in one line."""
    some = ("f1", "space", "right", "left", "backspace", "escape")
    return "drag: turn   wheel: closer   " + "   ".join(f"{k}: {BY_NAME[k].help}" for k in some)


def help_lines(time: bool, commands: bool = False) -> list[tuple[str, str]]:
    """Keys and what they do, by section; those of what is shown are on a page of their own.

    Args:
        time: whether the window steps the world itself.
        commands: whether there is a robot that follows some.
    """
    sections = [*[TIME] * time, *[COMMAND] * commands, LOOK, FILE]
    rows = [row for name in sections for row in KEYS if row.section == name]
    return [*((row.key, row.help) for row in rows), *[STICKS] * commands, *MOUSE]


def switches() -> list[Key]:
    """Keys of what is shown."""
    return [row for row in KEYS if row.section == SHOWN]
