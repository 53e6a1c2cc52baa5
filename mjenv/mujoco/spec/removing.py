"""Elements taken out of a spec."""

from typing import Any

from mjenv.mujoco.spec import states
from mjenv.mujoco.spec.defaults import MjsDefault
from mjenv.mujoco.spec.kinds import IN_TREE
from mjenv.mujoco.spec.names import Names
from mjenv.mujoco.spec.references import is_resolved
from mjenv.mujoco.words.explain import SpecError

# kinds that go with the bodies that they refer to
FOLLOWING = ("pair", "exclude", "tendon", "equality", "actuator", "sensor")


def delete(spec: Any, element: Any) -> None:
    """Take an element out; what refers to a body goes with it.

    Raises:
        SpecError: it is in no list of this spec, or the spec is attached to another one.
    """
    if spec.__dict__["_attached"]:
        raise SpecError("Cannot delete element from an attached mjSpec.")
    if isinstance(element, MjsDefault):
        remove_default(spec, element)
        return
    # elements know their spec and kind, other objects do not
    kind = getattr(element, "_kind", "")
    if not kind:
        raise TypeError(f"delete: expected an element, found {type(element).__name__}")
    if element._spec is not spec:
        raise SpecError("element is not in this model")
    if kind == "body":
        remove_body(spec, element)
        for body in element._walk():
            drop_plugin(spec, body)
    elif kind in IN_TREE:
        drop_plugin(spec, element)
        _take_out(element._parent._lists[kind], element)
    else:
        drop_plugin(spec, element)
        _take_out(spec._lists[kind], element)
        # numbers close the gap
        for place, other in enumerate(spec._lists[kind]):
            other._id = place
    spec._tree_changed()
    spec._number_tree()
    for gone in element._walk() if kind == "body" else [element]:
        gone._id = -1


def _take_out(elements: list[Any], element: Any) -> None:
    elements[:] = [other for other in elements if other is not element]


def drop_plugin(spec: Any, element: Any) -> None:
    """Take out the instance that an element has for itself."""
    plugin = element.__dict__.get("plugin")
    if plugin is not None and plugin.active and not plugin.name and plugin._instance is not None:
        _take_out(spec._lists["plugin"], plugin._instance)


def remove_body(spec: Any, body: Any) -> None:
    """Take a body out of the tree, with what refers to it; keyframes lose its values."""
    before = Names(spec).freeze()
    # MuJoCo copies the spec, and actuators that were copied lose what earlier states say of them
    for actuator in spec._lists["actuator"]:
        if is_resolved(actuator, before):
            states.forget(actuator)
    states.store(spec, spec, "", "")
    spec._lists["key"].clear()
    # whichever body holds it
    for other in spec._world._walk():
        _take_out(other._lists["body"], body)
    spec._tree_changed()
    # what referred to parts of it goes too; this may take others along, kind by kind
    names = Names(spec)
    for kind in FOLLOWING:
        kept = []
        for element in spec._lists[kind]:
            if is_resolved(element, before) and not is_resolved(element, names):
                element._id = -1
                continue
            element._id = len(kept)
            kept.append(element)
        spec._lists[kind][:] = kept
        names.forget(kind)
    # instances of plugins stay as long as somebody uses them
    used = {
        element.plugin.name
        for kind in ("body", "geom", "mesh", "actuator", "sensor")
        for element in spec._elements(kind)
    }
    plugins = spec._lists["plugin"]
    plugins[:] = [plugin for plugin in plugins if not plugin.name or plugin.name in used]
    for place, plugin in enumerate(plugins):
        plugin._id = place


def remove_default(spec: Any, default: MjsDefault) -> None:
    """Take out a default class, with those inside it."""
    if default is spec._defaults[0]:
        raise SpecError("cannot remove the global default ('main')")
    if default._parent is not None:
        _take_out(default._parent._children, default)
    gone = default._walk()
    _take_out_all(spec._defaults, gone)
    for member in gone:
        if spec._classes.get(member.name) is member:
            del spec._classes[member.name]


def _take_out_all(elements: list[Any], gone: list[Any]) -> None:
    elements[:] = [other for other in elements if not any(other is g for g in gone)]
