"""Kinds of plugins: their settings, what they can do, and how much state and sensor data they have.

MuJoCo's own come first, in the order in which MuJoCo loads them; what users register follows. The
place of a kind is what `model.plugin` holds. The table stands below the compiler of models
and below the physics.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

CAPABILITIES = ("actuator", "sensor", "passive", "sdf")
CAN = {"actuator": "actuators", "sensor": "sensors", "passive": "passive forces"}
CAN["sdf"] = "signed distance fields"
STAGES = ("none", "pos", "vel", "acc")  # of mjtStage

_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")

Config = Mapping[str, str]  # settings of an instance by name, "" where not given


def number(text: str, default: float = 0.0) -> float:
    """The number that a setting begins with; the default where there is none."""
    found = _NUMBER.match(text)
    return float(found.group()) if found else default


def is_number(text: str) -> bool:
    """True if a setting is empty or one number, blanks aside."""
    bare = "".join(text.split())
    found = _NUMBER.match(bare)
    return not bare or (found is not None and found.end() == len(bare))


def no_state(config: Config) -> int:
    """State of plugins that have none."""
    return 0


class PluginKind(NamedTuple):
    """One kind of plugin.

    Attributes:
        name: its name in MJCF.
        attributes: names of its settings, in the order in which a model keeps them.
        capabilities: some of `CAPABILITIES`.
        needstage: of a sensor: "pos", "vel" or "acc", when it can be read.
        nstate: of the settings: number of values in plugin_state.
        nsensordata: of the settings: number of values of one sensor.
        wrong: of the settings: what is wrong with them, or "".
        defaults: numbers that settings have when they are not given, for shapes.
        numbers: of the settings: what its functions find; None: the settings as numbers.
        functions: those of users, by what they compute; see run/plugin_stages.py.
        distance: of numbers and a point: the distance from the shape of a user's; None: it has
            none, or one of MuJoCo's.
        box: of numbers: half sizes of the box around that shape (m).
    """

    name: str
    attributes: tuple[str, ...]
    capabilities: frozenset[str]
    needstage: str = "none"
    nstate: Callable[[Config], int] = no_state
    nsensordata: Callable[[Config], int] = no_state
    wrong: Callable[[Config], str] = lambda config: ""
    defaults: tuple[float, ...] = ()
    numbers: Callable[[Config], Sequence[float]] | None = None
    functions: Mapping[str, Callable] = {}
    distance: Callable | None = None
    box: Callable[[Sequence[float]], Sequence[float]] | None = None


# ---------------------------------------------------------------- MuJoCo's own


def _numbers_only(*names: str) -> Callable[[Config], str]:
    """Refuse settings that are no numbers."""

    def wrong(config: Config) -> str:
        bad = [name for name in names if not is_number(config[name])]
        return f"{bad[0]}='{config[bad[0]]}': expected a number" if bad else ""

    return wrong


def _pid_wrong(config: Config) -> str:
    """Settings are numbers, limits of the integral and of the rate not negative."""
    if bad := _numbers_only(*config)(config):
        return bad
    gain = number(config["ki"])
    if config["imax"] and gain and number(config["imax"]) / gain < 0:
        return f"imax='{config['imax']}': expected a number that is not negative"
    if number(config["slewmax"]) < 0:
        return f"slewmax='{config['slewmax']}': expected a number that is not negative"
    return ""


def pid_state(config: Config) -> int:
    """Activations that a PID controller has: its integral, and the set point before."""
    return int(number(config["ki"]) != 0) + int(bool(config["slewmax"]))


def vector(text: str) -> list[float]:
    """Numbers that single blanks separate."""
    return [number(item) for item in text.split(" ")] if text else []


def touch_channels(config: Config) -> int:
    """Channels of a touch grid."""
    return int(number(config["nchannel"])) or 1


def _touch_wrong(config: Config) -> str:
    """Bounds of the settings of a touch grid."""
    for name in ("gamma", "nchannel"):
        if not is_number(config[name]):
            return f"{name}='{config[name]}': expected a number"
    if not 1 <= touch_channels(config) <= 6:
        return f"nchannel='{config['nchannel']}': expected a number between 1 and 6"
    size, fov = [int(x) for x in vector(config["size"])], vector(config["fov"])
    if len(size) != 2 or min(size) <= 0:
        return f"size='{config['size']}': expected two positive numbers of columns and rows"
    if len(fov) != 2 or not (0 < fov[0] <= 180 and 0 < fov[1] <= 90):
        angles = "above 0 and up to 180, above 0 and up to 90"
        return f"fov='{config['fov']}': expected two angles, {angles}"
    if not 0 <= number(config["gamma"]) <= 1:
        return f"gamma='{config['gamma']}': expected a number between 0 and 1"
    return ""


def fcon_size(config: Config) -> int:
    """Values of a touch grid: channels times columns times rows."""
    size = [int(x) for x in vector(config["size"])][:2]
    return touch_channels(config) * size[0] * size[1] if len(size) == 2 else 0


def _shape(name: str, text: str) -> PluginKind:
    """A kind of signed distance field, from its settings and their defaults, `radius=0.26`."""
    pairs = [item.split("=") for item in text.split()]
    names = tuple(name for name, _ in pairs)
    defaults = tuple(float(value) for _, value in pairs)
    return PluginKind(
        f"mujoco.sdf.{name}", names, frozenset({"sdf"}), wrong=_numbers_only(*names),
        defaults=defaults,
    )  # fmt: skip


OWN = (
    PluginKind(
        "mujoco.pid", ("kp", "ki", "kd", "imax", "slewmax"), frozenset({"actuator"}),
        wrong=_pid_wrong,
    ),
    PluginKind(
        "mujoco.elasticity.cable", ("twist", "bend", "flat", "vmax"), frozenset({"passive"}),
        wrong=_numbers_only("twist", "bend"),
    ),
    PluginKind(
        "mujoco.sensor.touch_grid", ("nchannel", "size", "fov", "gamma"), frozenset({"sensor"}),
        "acc", nsensordata=fcon_size, wrong=_touch_wrong,
    ),
    _shape("bolt", "radius=0.26"),
    _shape("bowl", "height=0.4 radius=1 thickness=0.02"),
    _shape("gear", "alpha=0 diameter=2.8 teeth=25 thickness=0.2 innerdiameter=-1"),
    _shape("nut", "radius=0.26"),
    _shape("torus", "radius1=0.35 radius2=0.15"),
)  # fmt: skip
PID, CABLE, TOUCH_GRID, BOLT, BOWL, GEAR, NUT, TORUS = range(len(OWN))

# all kinds by name; their places are those of `model.plugin`
KINDS: dict[str, PluginKind] = {kind.name: kind for kind in OWN}


def numbers_of(kind: PluginKind, config: Config) -> list[float]:
    """The settings of a plugin as numbers, its defaults where they are not given."""
    defaults = kind.defaults or (0.0,) * len(kind.attributes)
    pairs = zip(kind.attributes, defaults, strict=True)
    return [number(config[name]) if config[name] else default for name, default in pairs]


def setting_numbers(kind: PluginKind, config: Config) -> list[float]:
    """Return the settings of a kind of plugin as its functions find them."""
    return list(kind.numbers(config)) if kind.numbers is not None else numbers_of(kind, config)


def kind_at(place: int) -> PluginKind:
    """The kind of a plugin by its place.

    Raises:
        ValueError: no kind has this place.
    """
    kinds = list(KINDS.values())
    if not 0 <= place < len(kinds):
        raise ValueError(
            f"model.plugin: found the plugin number {place}, expected one below {len(kinds)};"
            " register_plugin registers others, in the same order as where the model was made"
        )
    return kinds[place]


def place_of(name: str) -> int:
    """The place of a kind of plugin."""
    return list(KINDS).index(name)
