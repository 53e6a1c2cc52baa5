"""Actuator shortcuts: each one rewrites its attributes to those of the general actuator."""

import warnings
from math import pi, sqrt
from typing import TYPE_CHECKING, Any

from ..text.schema import kinds

if TYPE_CHECKING:
    from ..text.element import Element

GAIN, BIAS, DYN = "gaintype", "biastype", "dyntype"


def shortcut(values: dict, inherited: dict, element: "Element") -> None:
    """Rewrite the attributes of an actuator or of a default for actuators to those of `general`.

    Args:
        values: inherited values with the given ones on top; rewritten in place.
        inherited: values before this element.
        element: the element.
    """
    SHORTCUTS[element.tag](values, element.values, element)
    general = kinds()["actuator/general"].attributes
    for name in element.values:
        if name not in general and name != "inheritrange":
            # other shortcuts give these words other meanings
            del values[name]


def _entries(values: dict, name: str, entries: dict[int, float]) -> None:
    """Replace entries of a parameter vector."""
    prm = list(values[name])
    for place, x in entries.items():
        prm[place] = x
    values[name] = tuple(prm)


def _types(values: dict, gain: str, bias: str, dyn: str | None = None) -> None:
    values[GAIN], values[BIAS] = gain, bias
    if dyn:
        values[DYN] = dyn


def _negative(name: str, x: float) -> str:
    return f"{name}='{x:g}': expected a number that is not negative"


def _not_negative(element: "Element", **numbers: float) -> None:
    for name, x in numbers.items():
        if x < 0:
            raise element.error(_negative(name, x))


def _positive_range(values: dict, element: "Element") -> None:
    low, high = values["ctrlrange"]
    if low < 0 or high < 0:
        raise element.error(f"ctrlrange='{low:g} {high:g}': expected numbers that are not negative")


def _general(values: dict[str, Any], given: dict[str, Any], element: "Element"):
    pass


def _motor(values: dict[str, Any], given: dict[str, Any], element: "Element"):
    _entries(values, "gainprm", {0: 1.0})
    _types(values, "fixed", "none", "none")


def _servo(values: dict[str, Any], given: dict[str, Any]) -> str:
    """Position feedback with damping given directly, or as a ratio that is resolved at qpos0.

    Returns:
        what is wrong, or "". Then what follows it is left as it was, as MuJoCo does.
    """
    # force = kp (ctrl - length) - kv velocity
    kp = given.get("kp", values["gainprm"][0])
    _entries(values, "gainprm", {0: kp})
    _entries(values, "biasprm", {1: -kp})
    if "kv" in given and "dampratio" in given:
        return "kv and dampratio: expected one of them, found both"
    # biasprm[2] > 0 is a damping ratio until set_const resolves it
    for name, sign in (("kv", -1), ("dampratio", 1)):
        if name in given:
            if given[name] < 0:
                return _negative(name, given[name])
            _entries(values, "biasprm", {2: sign * given[name]})
    # a time constant makes it a filtered actuator
    if "timeconst" in given:
        if given["timeconst"] < 0:
            return _negative("timeconst", given["timeconst"])
        _entries(values, "dynprm", {0: given["timeconst"]})
        values[DYN] = "filterexact" if given["timeconst"] else "none"
    if values["inheritrange"] > 0 and any(values["ctrlrange"]):
        return "ctrlrange and inheritrange: expected one of them, found both"
    _types(values, "fixed", "affine")
    return ""


def _position(values: dict[str, Any], given: dict[str, Any], element: "Element"):
    if wrong := _servo(values, given):
        raise element.error(wrong)


def _intvelocity(values: dict[str, Any], given: dict[str, Any], element: "Element"):
    # MuJoCo accepts here what it refuses in <position>, and lets it have no bias
    if wrong := _servo(values, given):
        warnings.warn(f"{element.where}: {wrong}: accepted, as MuJoCo does", stacklevel=2)
    values[DYN], values["actlimited"] = "integrator", "true"
    if values["inheritrange"] > 0 and any(values["actrange"]):
        raise element.error("actrange and inheritrange: expected one of them, found both")


def _velocity(values: dict[str, Any], given: dict[str, Any], element: "Element"):
    kv = given.get("kv", values["gainprm"][0])
    _entries(values, "gainprm", {0: kv})
    values["biasprm"] = (0.0, 0.0, -kv) + (0.0,) * 7
    _types(values, "fixed", "affine", "none")


def _damper(values: dict[str, Any], given: dict[str, Any], element: "Element"):
    kv = given.get("kv", 0.0)
    _not_negative(element, kv=kv)
    _positive_range(values, element)
    values["gainprm"] = (0.0, 0.0, -kv) + (0.0,) * 7
    values["ctrllimited"] = "true"
    _types(values, "affine", "none", "none")


def _cylinder(values: dict[str, Any], given: dict[str, Any], element: "Element"):
    _entries(values, "dynprm", {0: given.get("timeconst", values["dynprm"][0])})
    _entries(values, "biasprm", {0: given.get("bias", values["biasprm"])[0]})
    area = given.get("area", values["gainprm"][0])
    if given.get("diameter", -1.0) >= 0:
        area = pi / 4 * given["diameter"] * given["diameter"]
    _entries(values, "gainprm", {0: area})
    _types(values, "fixed", "affine", "filter")


# of muscles: attribute, place in gainprm, and what stands there in place of general's default
MUSCLE = (
    ("force", 2, 0.0, -1.0), ("scale", 3, 0.0, 200.0), ("lmin", 4, 0.0, 0.5),
    ("lmax", 5, 0.0, 1.6), ("vmax", 6, 0.0, 1.5), ("fpmax", 7, 0.0, 1.3), ("fvmax", 8, 0.0, 1.2),
)  # fmt: skip


def _muscle(values: dict[str, Any], given: dict[str, Any], element: "Element"):
    """Numbers that general has by default become those of muscles; negative ones are ignored."""
    tausmooth = given.get("tausmooth", values["dynprm"][2])
    _not_negative(element, tausmooth=tausmooth)
    gain, dyn = list(values["gainprm"]), list(values["dynprm"])
    dyn[2] = tausmooth
    pairs = (("timeconst", dyn, 0.01, 0.04), ("range", gain, 0.75, 1.05))
    for name, prm, first, second in pairs:
        old = (first if prm[0] == 1 else prm[0], second if prm[1] == 0 else prm[1])
        new = given.get(name, (-1.0, -1.0))
        prm[:2] = [x if x >= 0 else y for x, y in zip(new, old, strict=True)]
    for name, place, unset, default in MUSCLE:
        old = default if gain[place] == unset else gain[place]
        gain[place] = given[name] if given.get(name, -1.0) >= 0 else old
    values["gainprm"], values["dynprm"] = tuple(gain), tuple(dyn)
    values["biasprm"] = (*gain[:9], *values["biasprm"][9:])
    _types(values, "muscle", "muscle", "muscle")


def _adhesion(values: dict[str, Any], given: dict[str, Any], element: "Element"):
    gain = given.get("gain", values["gainprm"][0])
    _not_negative(element, gain=gain)
    _positive_range(values, element)
    _entries(values, "gainprm", {0: gain})
    values["ctrllimited"] = "true"
    _types(values, "fixed", "none")


# of DC motors: attribute, and where its entries come from in a class that is a DC motor:
# g, d, b and a place in gainprm, dynprm, biasprm; a dot: from nowhere
DCMOTOR = {
    "motorconst": "g1 .",
    "resistance": "g0",
    "nominal": ". . .",
    "saturation": ". . d1",
    "inductance": ". d0",
    "cogging": "b0 b1 b2",
    "controller": "g4 g5 g6 d7 d8 g7",
    "thermal": "d2 d3 . g2 g3 d4",
    "lugre": "d5 d6 b3 b4 b5",
}
VECTORS = {"g": "gainprm", "d": "dynprm", "b": "biasprm"}


def _dcmotor_settings(values: dict, given: dict) -> dict[str, tuple]:
    """Attributes of a DC motor, each one completed from the class that it is in."""
    settings = {}
    for name, places in DCMOTOR.items():
        old = [0.0] * len(places.split())
        if values[GAIN] == "dcmotor":
            for k, place in enumerate(places.split()):
                old[k] = 0.0 if place == "." else values[VECTORS[place[0]]][int(place[1:])]
        new = given.get(name, ())
        new = new if isinstance(new, tuple) else (new,)
        settings[name] = (*new, *old[len(new) :])
    return settings


def _back_emf(settings: dict, damping: float) -> float:
    """Constant of the back electromotive force, from the nominal voltage, torque and speed."""
    (resistance,), (voltage, stall, speed) = settings["resistance"], settings["nominal"]
    constant = settings["motorconst"][1]
    if voltage <= 0 or constant > 0 or speed <= 0:
        return constant
    ideal = voltage / speed
    if damping > 0 and resistance > 0:
        # no-load speed: speed K^2 - voltage K + resistance damping speed = 0
        root = voltage**2 - 4 * resistance * damping * speed**2
        return (voltage + sqrt(root)) / (2 * speed) if root > 0 else ideal
    if damping > 0 and stall > 0:
        exact = ideal - voltage * damping / stall
        return exact if exact > 0 else ideal
    return ideal


def _electric(settings: dict, damping: float, element: "Element") -> tuple[float, float]:
    """Resistance and motor constant."""
    (resistance,), (voltage, stall, _) = settings["resistance"], settings["nominal"]
    torque, emf = settings["motorconst"][0], _back_emf(settings, damping)
    constant = max(torque, emf) if torque <= 0 or emf <= 0 else sqrt(torque * emf)
    if resistance == 0 and voltage > 0 and stall > 0 and constant > 0:
        resistance = constant * voltage / stall
    if constant <= 0:
        raise element.error("expected a positive motor constant; give motorconst or nominal")
    if resistance <= 0:
        raise element.error("expected a positive resistance; give resistance or nominal")
    return resistance, constant


def _thermal(settings: dict, element: "Element") -> dict[str, dict[int, float]] | None:
    """Entries for the temperature of a DC motor; None: it has none."""
    resistance, capacity, time, alpha, reference, ambient = settings["thermal"]
    if max(resistance, capacity, time) <= 0:
        return None
    if time > 0 and resistance > 0 and capacity == 0:
        capacity = time / resistance
    elif time > 0 and capacity > 0 and resistance == 0:
        resistance = time / capacity
    if resistance <= 0 or capacity <= 0:
        raise element.error(
            "thermal: expected two positive numbers among the first three: resistance, capacity,"
            " time constant"
        )
    return {"dynprm": {2: resistance, 3: capacity, 4: ambient}, "gainprm": {2: alpha, 3: reference}}


def _whole(x: float) -> int:
    """Integer part; what no 32-bit integer holds becomes the least one."""
    return int(x) if abs(x) < 2**31 else -(2**31)


def _dcmotor(values: dict[str, Any], given: dict[str, Any], element: "Element"):
    settings = _dcmotor_settings(values, given)
    inherited = _whole(values["gainprm"][8]) if values[GAIN] == "dcmotor" else 0
    words = element.kind.words("input")
    mode = words.index(given["input"]) if "input" in given else inherited
    # the electrical constants and the controller
    resistance, constant = _electric(settings, values["damping"][0], element)
    kp, ki, kd, slew, most, voltage = settings["controller"]
    _entries(
        values, "gainprm", {0: resistance, 1: constant, 4: kp, 5: ki, 6: kd, 8: float(mode)}
        | ({7: voltage} if voltage > 0 else {})
    )  # fmt: skip
    torque, current, rate = settings["saturation"]
    if torque > 0 or current > 0:
        torque = constant * current if torque == 0 and current > 0 else torque
        values["forcerange"], values["forcelimited"] = (-torque, torque), "true"
    # the current has dynamics of its own where there is an inductance
    inductance, time = settings["inductance"]
    _not_negative(element, inductance=min(inductance, time))
    time = inductance / resistance if inductance > 0 else time
    _entries(
        values, "dynprm", {0: time, 7: slew, 8: most} | ({1: rate} if rate > 0 else {})
    )  # fmt: skip
    _entries(values, "biasprm", dict(enumerate(settings["cogging"])))
    # temperature and friction, each with a state of its own
    thermal = _thermal(settings, element)
    for name, entries in (thermal or {}).items():
        _entries(values, name, entries)
    lugre = settings["lugre"]
    if lugre[0] > 0:
        _entries(values, "dynprm", {5: lugre[0], 6: lugre[1]})
        _entries(values, "biasprm", {3: lugre[2], 4: lugre[3], 5: lugre[4]})
    _types(values, "dcmotor", "dcmotor", "dcmotor")
    # one variable each: current, voltage after the slew limit, integral, temperature, bristle
    values["actdim"] = sum((time > 0, slew > 0, ki > 0, thermal is not None, lugre[0] > 0))
    values["actlimited"], values["actearly"] = "false", "true"


def _plugin(values: dict[str, Any], given: dict[str, Any], element: "Element"):
    pass


SHORTCUTS = {
    "general": _general,
    "motor": _motor,
    "position": _position,
    "velocity": _velocity,
    "intvelocity": _intvelocity,
    "damper": _damper,
    "cylinder": _cylinder,
    "muscle": _muscle,
    "adhesion": _adhesion,
    "dcmotor": _dcmotor,
    "plugin": _plugin,
}
