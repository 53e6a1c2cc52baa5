"""Plugins: declarations, instances, their settings, and the parts that they drive."""

import warnings
from typing import TYPE_CHECKING

import numpy as np

from ...errors import nearest_or_all
from ...tables import plugin_kinds
from ..draft.draft import Part

if TYPE_CHECKING:
    from ...model.model import Model
    from ..draft.draft import Draft
    from ..text.element import Element

# kinds of parts that plugins drive, and what a plugin has to be able to do for them
DRIVEN = {"body": "passive", "geom": "sdf", "actuator": "actuator", "sensor": "sensor"}
DRIVEN["mesh"] = "sdf"


def read_extension(draft: "Draft", section: "Element") -> None:
    """Take in the plugins that a document declares, and their instances."""
    for element in section.children:
        kind = element.values["plugin"]
        if kind not in plugin_kinds.KINDS:
            hint = nearest_or_all(kind, plugin_kinds.KINDS)
            raise element.error(f"plugin='{kind}': no such plugin{hint}")
        draft.declared.add(kind)
        for instance in element.children:
            values = {"name": instance.values["name"], "kind": kind, "config": _config(instance)}
            draft.parts["plugin"].append(Part(instance, values))


def take(draft: "Draft", part: Part, element: "Element") -> None:
    """Take in the plugin of a part: an instance by name, or one of its own.

    Args:
        draft: the model.
        part: a body, geom, mesh, actuator or sensor, which gets the value "instance".
        element: what names the plugin: the part's own element, or one inside it.
    """
    name = element.values.get("instance", "")
    part.values["driver"] = element
    if not name:
        config = _config(element)
        own = Part(element, {"kind": element.values.get("plugin", ""), "config": config})
        draft.parts["plugin"].append(own)
        part.values["instance"] = own
        return
    for child in element.children:
        message = f"{child.where}: beside the attribute 'instance': ignored, as MuJoCo does"
        warnings.warn(f"{message}; settings belong to the instance", stacklevel=2)
    part.values["instance"] = name


def order(draft: "Draft") -> None:
    """Put instances into the order in which MuJoCo reads and copies them."""
    draft.parts["plugin"].sort(key=lambda part: part.element.rank)


def _config(element: "Element") -> dict[str, str]:
    """Settings inside an element."""
    found: dict[str, str] = {}
    for child in element.children:
        for name in ("key", "value"):
            if name not in child.values:
                raise child.error(f"expected the attribute '{name}', found none")
        key = child.values["key"]
        if key in found:
            raise child.error(f"key='{key}': this setting is given twice")
        found[key] = child.values["value"]
    return found


def resolve_all(draft: "Draft") -> None:
    """Find the instance that drives each part."""
    for kind, capability in DRIVEN.items():
        for part in draft.parts[kind]:
            if "driver" in part.values:
                _resolve(draft, part, capability)


def compile_plugins(draft: "Draft") -> None:
    """Settings of all instances in their order."""
    users: dict[int, list[Part]] = {}
    for kind in DRIVEN:
        for part in draft.parts[kind]:
            if "driver" in part.values:
                users.setdefault(id(part["instance"]), []).append(part)
    for instance in draft.parts["plugin"]:
        _settle(draft, instance)
        if check := CHECKS.get(instance["kind"]):
            check(instance, users.get(id(instance), []))


def _resolve(draft: "Draft", part: Part, capability: str) -> None:
    """Find the instance that drives a part."""
    values, element = part.values, part["driver"]
    given = element.values.get("plugin", "")
    if isinstance(values["instance"], str):
        name = values["instance"]
        values["instance"] = draft.find("plugin", name, element, "instance")
    elif not given:
        raise element.error("expected one of the attributes plugin or instance, found none")
    instance = values["instance"]
    if given and given != instance["kind"]:
        raise element.error(
            f"plugin='{given}': instance='{instance.name}' is one of '{instance['kind']}'"
        )
    _declared(draft, instance["kind"], element)
    if capability not in plugin_kinds.KINDS[instance["kind"]].capabilities:
        raise element.error(
            f"plugin '{instance['kind']}': expected one for {plugin_kinds.CAN[capability]}"
        )


def _declared(draft: "Draft", kind: str, element: "Element") -> None:
    if kind not in draft.declared:
        hint = nearest_or_all(kind, draft.declared)
        raise element.error(f"plugin='{kind}': expected one that <extension> declares{hint}")


def _settle(draft: "Draft", instance: Part) -> None:
    """Settings of an instance by name, "" where not given, and the numbers that follow."""
    _declared(draft, instance["kind"], instance.element)
    kind, given = plugin_kinds.KINDS[instance["kind"]], instance["config"]
    for key in given:
        if key not in kind.attributes:
            hint = nearest_or_all(key, kind.attributes)
            raise instance.error(f"key='{key}': '{kind.name}' has no such setting{hint}")
    config = {name: given.get(name, "") for name in kind.attributes}
    if wrong := kind.wrong(config):
        raise instance.error(f"{kind.name}: {wrong}")
    instance.values |= {"settings": config, "nstate": kind.nstate(config)}
    instance.values["attr"] = b"".join(text.encode() + b"\0" for text in config.values()) or b"\0"


def _check_pid(instance: Part, actuators: list[Part]) -> None:
    """A controller needs actuators, with room for its state among their activations."""
    if not actuators:
        raise instance.error("mujoco.pid: expected an actuator that it drives, found none")
    for actuator in actuators:
        expected = plugin_kinds.pid_state(instance["settings"])
        expected += actuator["dyntype"] in ("filter", "filterexact", "integrator")
        if actuator["actnum"] != expected:
            raise actuator.error(
                f"actdim: expected {expected} activations, found {actuator['actnum']};"
                f" write actdim='{expected}'"
            )


def _check_cable(instance: Part, bodies: list[Part]) -> None:
    """The bodies of a cable follow each other, each with a ball joint or a free joint."""
    ids = [body.id for body in bodies]
    if ids != list(range(ids[0], ids[0] + len(ids)) if ids else ()):
        raise instance.error(
            "mujoco.elasticity.cable: expected bodies that follow each other without gaps"
        )


def _check_touch(instance: Part, sensors: list[Part]) -> None:
    """A touch grid looks out from a site."""
    for sensor in sensors:
        if sensor.element.values.get("objtype") != "site":
            raise sensor.error("mujoco.sensor.touch_grid: expected objtype='site'")


CHECKS = {
    "mujoco.pid": _check_pid,
    "mujoco.elasticity.cable": _check_cable,
    "mujoco.sensor.touch_grid": _check_touch,
}


def sensor_size(sensor: Part) -> int:
    """Number of values of a sensor that a plugin reads."""
    instance = sensor["instance"]
    kind = plugin_kinds.KINDS[instance["kind"]]
    config = {name: instance["config"].get(name, "") for name in kind.attributes}
    if wrong := kind.wrong(config):
        raise instance.error(f"{kind.name}: {wrong}")
    return kind.nsensordata(config)


def sizes(draft: "Draft") -> dict[str, int]:
    """Sizes of a model that count settings and state."""
    parts = draft.parts["plugin"]
    return {
        "npluginattr": sum(len(part["attr"]) for part in parts),
        "npluginstate": sum(part["nstate"] for part in parts),
    }


def fill(model: "Model", draft: "Draft") -> None:
    """Write instances, their settings, and what they drive."""
    adr = state = 0
    for part in draft.parts["plugin"]:
        k = part.id
        model.plugin[k] = plugin_kinds.place_of(part["kind"])
        model.plugin_attradr[k], model.plugin_stateadr[k] = adr, state
        model.plugin_statenum[k] = part["nstate"]
        adr, state = adr + len(part["attr"]), state + part["nstate"]
    settings = b"".join(part["attr"] for part in draft.parts["plugin"])
    model.plugin_attr[:] = np.frombuffer(settings, np.int8)
    for kind in DRIVEN:
        if kind == "mesh":
            continue
        ids = getattr(model, f"{kind}_plugin")
        ids[:] = -1
        for part in draft.parts[kind]:
            if "driver" in part.values:
                ids[part.id] = part["instance"].id
