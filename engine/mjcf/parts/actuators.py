"""Actuators: transmissions, ranges, activation, delays."""

from typing import TYPE_CHECKING

from ..draft.shortcuts import BIAS, DYN, GAIN
from .limits import check_range, limited
from .tendons import GEOMS

if TYPE_CHECKING:
    from ..draft.draft import Draft, Part

# what actuators act on, in the order of mjtTrn: attribute, kind
TARGETS = {
    "joint": "joint",
    "jointinparent": "joint",
    "cranksite": "site",
    "tendon": "tendon",
    "site": "site",
    "body": "body",
}
# which range an actuator inherits, by the type of its dynamics
INHERITED = {"none": "ctrlrange", "filterexact": "ctrlrange", "integrator": "actrange"}


def compile_actuators(draft: "Draft") -> None:
    """Targets, ranges and activation of all actuators."""
    adr, history = 0, 0
    for actuator in draft.parts["actuator"]:
        values = actuator.values
        _transmission(draft, actuator)
        _inherit_range(draft, actuator)
        for name in ("ctrl", "force", "act"):
            active = limited(actuator, f"{name}limited", f"{name}range", actuator.settings)
            values[f"is_{name}limited"] = active
            if active:
                check_range(actuator, f"{name}range")
        if values["is_actlimited"] and values[DYN] == "none":
            raise actuator.error(
                "actrange: expected an actuator with activation, found dyntype='none'"
            )
        _check_activation(actuator)
        count = activation(values)
        values["actnum"], values["actadr"] = count, adr if count else -1
        adr += count
        if draft.flags.get("actuation") != "disable":
            _check_motor(actuator, draft.option.get("disabled", set()))
        history += _history(actuator, history)
        _check_muscle(actuator)


def check_targets(actuator: "Part") -> str:
    """The attribute that says what it acts on, or ""; two of them are refused."""
    given = actuator.element.values
    targets = [name for name in TARGETS if name in given]
    if len(targets) > 1:
        raise actuator.error(f"{' and '.join(targets)}: expected one target, found {len(targets)}")
    target = targets[0] if targets else ""
    for name, owner in (
        ("cranklength", "cranksite"),
        ("slidersite", "cranksite"),
        ("refsite", "site"),
    ):
        if name in given and target != owner:
            raise actuator.error(f"{name}: expected it only beside {owner}")
    return target


def _transmission(draft: "Draft", actuator: "Part") -> None:
    values, given = actuator.values, actuator.element.values
    target = check_targets(actuator)
    if not given.get(target):
        raise actuator.error("expected a target, such as joint='...', found none")
    kind, second = TARGETS[target], -1
    # some targets need a second one
    if target == "cranksite":
        if not given.get("slidersite"):
            raise actuator.error("expected the attribute 'slidersite' beside cranksite, found none")
        if values["cranklength"] <= 0:
            length = values["cranklength"]
            raise actuator.error(f"cranklength='{length:g}': expected a positive number")
        second = draft.find("site", given["slidersite"], actuator.element, "slidersite").id
    elif given.get("refsite"):
        second = draft.find("site", given["refsite"], actuator.element, "refsite").id
    # the target
    part = draft.find(kind, given[target], actuator.element, target)
    values["transmission"], values["trnid"] = list(TARGETS).index(target), (part.id, second)
    values["target"] = part
    # damping and armature are added to the joint or tendon, and other targets have none
    if target in ("cranksite", "site", "body"):
        for name, found in (("damping", any(values["damping"])), ("armature", values["armature"])):
            if found:
                raise actuator.error(
                    f"{name}: expected a joint or tendon as target, found a {kind}"
                )
    # MuJoCo has no armature along a path around geoms
    if target == "tendon" and values["armature"] and values["gear"][0]:
        geoms = [stop.part.name for stop in part["path"] if stop.type in GEOMS]
        if geoms:
            raise actuator.error(
                f"armature='{values['armature']:g}': expected 0, because the tendon '{part.name}'"
                f" wraps around the geom '{geoms[0]}'"
            )


def _inherit_range(draft: "Draft", actuator: "Part") -> None:
    """Control or activation range from the range of the joint, around its middle."""
    values = actuator.values
    if not inherits_range(values):
        return
    if values[DYN] not in INHERITED:
        raise actuator.error("inheritrange: expected a position or intvelocity actuator")
    target = values["target"]
    word, kind = list(TARGETS.items())[values["transmission"]]
    if word == "jointinparent":
        raise actuator.error("inheritrange: expected joint as target, found jointinparent")
    if kind not in ("joint", "tendon"):
        raise actuator.error(f"inheritrange: expected a joint or tendon as target, found a {kind}")
    if kind == "joint" and target["type"] not in ("hinge", "slide"):
        raise actuator.error(
            f"inheritrange: expected a hinge or slide joint, found a {target['type']} joint"
        )
    low, high = target["range"]
    if low == high:
        raise actuator.error(
            f"inheritrange: expected a range in the {kind} '{target.name}', found none"
        )
    values |= inherited_range(values, low, high)


def inherits_range(values: dict) -> bool:
    """True if an actuator takes its range from its target: servos with `inheritrange` do."""
    servo = values[GAIN] == "fixed" and values[BIAS] == "affine"
    return values["inheritrange"] > 0 and servo and values["gainprm"][0] == -values["biasprm"][1]


def inherited_range(values: dict, low: float, high: float) -> dict[str, tuple[float, float]]:
    """The attribute that inherits a range (rad or m), and its value."""
    middle, half = 0.5 * (high + low), 0.5 * (high - low) * values["inheritrange"]
    return {INHERITED[values[DYN]]: (middle - half, middle + half)}


def activation(values: dict) -> int:
    """Number of activation variables of an actuator, from its values with defaults applied."""
    if values["actdim"] >= 0:
        return values["actdim"]
    return int(values[DYN] not in ("none", "dcmotor"))


def places_in_keys(values: dict) -> int:
    """Number of entries that MuJoCo reckons with for an actuator before it compiles keyframes."""
    return max(values["actdim"], 0) or int(values[DYN] != "none")


def _check_activation(actuator: "Part") -> None:
    """Refuse a number of activation variables that the dynamics do not have."""
    dyn, dim = actuator[DYN], actuator["actdim"]
    if "driver" in actuator.values:
        return  # plugins have state of their own among the activations
    if dim > 1 and dyn not in ("user", "dcmotor"):
        raise actuator.error(
            f"actdim='{dim}': expected at most 1, but with dyntype='user' or 'dcmotor'"
        )
    if (dim == 1 and dyn == "none") or (dim == 0 and dyn not in ("none", "dcmotor")):
        raise actuator.error(f"actdim='{dim}': does not fit dyntype='{dyn}'")
    if dyn == "dcmotor" and actuator["actearly"] == "false":
        raise actuator.error("actearly='false': expected 'true' with dyntype='dcmotor'")


def _check_motor(actuator: "Part", disabled: set[int]) -> None:
    """Refuse DC motors whose activation variables are not those of their parameters."""
    gain, dyn = actuator["gainprm"], actuator["dynprm"]
    count = actuator["actnum"]
    acts = actuator[GAIN] == "dcmotor" and actuator["group"] not in disabled
    expected = sum(x > 0 for x in (dyn[7], gain[5], dyn[2], dyn[5], dyn[0]))
    if count != expected and (acts or (actuator[DYN] == "dcmotor" and count)):
        raise actuator.error(
            f"actdim: expected {expected} activation variables, as its gainprm and dynprm say,"
            f" found {count}; use <dcmotor>"
        )


def _history(actuator: "Part", adr: int) -> int:
    """Place of the actuator's delay buffer; returns its length."""
    values, samples = actuator.values, actuator["nsample"]
    if values["delay"] > 0 and samples <= 0:
        raise actuator.error("delay: expected nsample to be positive")
    if samples > 2**24:
        raise actuator.error(f"nsample='{samples}': expected at most {2**24}")
    interpolations = ("zoh", "linear", "cubic")
    values["history"] = (samples, interpolations.index(values["interp"]))
    values["historyadr"] = adr if samples > 0 else -1
    return 2 + 2 * samples if samples > 0 else 0


def _check_muscle(actuator: "Part") -> None:
    for kind, name in ((GAIN, "gainprm"), (BIAS, "biasprm")):
        if actuator[kind] != "muscle":
            continue
        prm = actuator[name]
        if prm[0] >= prm[1]:
            raise actuator.error(f"{name}: expected range[0] < range[1] in a muscle")
        if prm[4] >= 1 or prm[5] <= 1:
            raise actuator.error(f"{name}: expected lmin < 1 < lmax in a muscle")
        if min(prm[3], prm[6], prm[7], prm[8]) <= 0:
            raise actuator.error(f"{name}: expected positive scale, vmax, fpmax, fvmax in a muscle")
