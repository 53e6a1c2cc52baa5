"""`register_plugin`: plugins of one's own, which documents can name."""

from collections.abc import Callable, Sequence
from typing import Any

from ..simd.meaning import is_kernel
from ..tables import plugin_kinds
from ..tables.plugin_kinds import Config, PluginKind
from .plugin_stages import PLACES


def register_plugin(
    name: str,
    attributes: Sequence[str] = (),
    *,
    passive: Callable | None = None,
    actuator: Callable | None = None,
    act_dot: Callable | None = None,
    sensor: Callable | None = None,
    advance: Callable | None = None,
    needstage: str = "acc",
    nstate: int | Callable[[Config], int] = 0,
    nsensordata: int | Callable[[Config], int] = 0,
    numbers: Callable[[Config], Sequence[float]] | None = None,
    wrong: Callable[[Config], str] | None = None,
    sdf: Callable | None = None,
    box: Callable[[Sequence[float]], Sequence[float]] | None = None,
) -> None:
    """Have a plugin of one's own, which MJCF can name in <plugin> from now on.

    Its functions are called with m, d and the number of an instance, for each instance of a model.
    Functions that are marked with `kernel` are compiled and handle all worlds of a pack at once;
    `plugin_numbers(m, instance)` gives them the settings as numbers. Plain Python functions get the
    model, the worlds of a pack with fields of shape (n, ...) to read and write, and the number;
    `plugin_config(model, instance)` gives them the settings. Both may be called for several packs
    at the same time.

    | function | is to |
    | --- | --- |
    | passive | add to d.qfrc_passive, of the bodies b with m.body_plugin[b] == instance |
    | actuator | set d.actuator_force[u] of actuators with m.actuator_plugin[u] == instance |
    | act_dot | set d.act_dot of their activations, which `actdim` makes room for |
    | sensor | fill in d.sensordata, from m.sensor_adr[s] on where m.sensor_plugin[s] == instance |
    | advance | move d.plugin_state on by a step, from m.plugin_stateadr[instance] on |

    A signed distance field is a function of the numbers of the settings and of a point (x, y, z)
    in the frame of the shape (m), which returns the distance from its surface, negative inside
    (m). A kernel is asked point by point; plain Python also gets arrays, once, for the mesh that
    is made around the surface.

    State starts with zeros, and is saved and restored with the rest of a world's state.

    Args:
        name: what MJCF calls it.
        attributes: names of its settings.
        passive, actuator, act_dot, sensor, advance: its functions, as above.
        needstage: "pos", "vel" or "acc", when its sensors can be read.
        nstate: number of values of state of an instance, or a function of its settings.
        nsensordata: number of values of one sensor, or a function of the settings.
        numbers: function of the settings, name to text, that returns the numbers for kernels; None:
            the settings themselves, 0 where one is not given.
        sdf: signed distance field of geoms of type "sdf" and their meshes, as above.
        box: function of the numbers that returns half sizes of a box around that shape, (3,) (m).
        wrong: function of the settings that says what is wrong with them, "" for nothing.

    Raises:
        ValueError: there is a plugin of this name, a word of `needstage` is unknown, it has no
            function, only one of `sdf` and `box`, or a kernel needs variables of another function.
        TypeError: something that is to be a function is none.
    """
    functions = {
        "passive": passive, "actuator": actuator, "act_dot": act_dot, "sensor": sensor,
        "advance": advance,
    }  # fmt: skip
    found = {what: function for what, function in functions.items() if function is not None}
    shape = {what: f for what, f in (("sdf", sdf), ("box", box)) if f is not None}
    _refuse_plugin(name, needstage, found, shape)
    driven = {PLACES[what].capability for what in found if PLACES[what].capability}
    plugin_kinds.KINDS[name] = PluginKind(
        name,
        tuple(attributes),
        frozenset(driven | ({"sdf"} if shape else set())),
        needstage,
        _counted(nstate),
        _counted(nsensordata),
        wrong or _nothing_wrong,
        numbers=numbers,
        functions=found,
        distance=sdf,
        box=box,
    )


def _refuse_plugin(name: str, needstage: str, found: dict, shape: dict) -> None:
    """Raise what `register_plugin` says of a name, a stage, functions and those of a shape."""
    where = f"register_plugin: {name!r}"
    if name in plugin_kinds.KINDS:
        raise ValueError(f"{where}: there is a plugin of this name; expected another one")
    if needstage not in plugin_kinds.STAGES[1:]:
        raise ValueError(f"{where}: needstage={needstage!r}: expected 'pos', 'vel' or 'acc'")
    if not shape and not set(found).intersection(("passive", "actuator", "sensor")):
        raise ValueError(
            f"{where}: expected a function passive, actuator, sensor or sdf, found none"
        )
    if len(shape) == 1:
        raise ValueError(f"{where}: expected both of sdf and box, or none")
    for what, function in (found | shape).items():
        _check(f"{where}: {what}", function)


def _nothing_wrong(config: Config) -> str:
    return ""


def _counted(number: int | Callable[[Config], int]) -> Callable[[Config], int]:
    """A number as a function of settings."""
    if callable(number):
        return number
    return lambda config: int(number)


def _check(where: str, function: Any) -> None:
    """Refuse what cannot be called, or compiled."""
    if not callable(function):
        raise TypeError(f"{where}: found a {type(function).__name__}, expected a function")
    if is_kernel(function) and function.__code__.co_freevars:
        names = ", ".join(function.__code__.co_freevars)
        raise ValueError(
            f"{where}: {names}: expected constants of the module, which compiled code can name"
        )
