"""Copies of elements, of subtrees and of whole specs."""

from typing import TYPE_CHECKING, Any, TypeVar

from mjenv.mujoco.spec.kinds import IN_SPEC, IN_TREE
from mjenv.mujoco.spec.names import Names, repeated
from mjenv.mujoco.spec.references import is_resolved, rename
from mjenv.mujoco.spec.states import forget
from mjenv.mujoco.words.explain import SpecError

if TYPE_CHECKING:
    from mjenv.mujoco.spec.store import Store

    T = TypeVar("T", bound=Store)

# lists that are copied with another spec, in this order
ASSETS = ("mesh", "skin", "hfield", "texture", "material", "numeric", "text")
OTHERS = ("flex", "pair", "exclude", "tendon", "equality", "actuator", "sensor", "tuple")
DRIVEN = ("body", "geom", "mesh", "actuator", "sensor")


def copied(element: Any, spec: "Store") -> Any:
    """A copy of an element for a spec, without what is inside it."""
    made = type(element)._made(spec, element)
    for name in ("_name", "_classname", "_frame", "_around", "_compiled_type"):
        if name in element.__dict__:
            made.__dict__[name] = element.__dict__[name]
    made.__dict__["_states"] = {f: dict(states) for f, states in element._states.items()}
    if element._kind == "tendon":
        made._path[:] = [wrap._moved(made) for wrap in element._path]
    made._compiler = element._compiler if spec._knows(element._compiler) else spec.compiler
    keep_plugin(made, spec, True)
    return made


def keep_plugin(element: Any, spec: "Store", copies: bool) -> None:
    """Take the plugin instance that an element has for itself into its spec."""
    plugin = element.__dict__.get("plugin")
    if plugin is None or not plugin.active or plugin.name or plugin._instance is None:
        return
    if element._kind not in DRIVEN:
        return
    instance = plugin._instance
    if copies:
        instance = type(instance)._made(spec, instance)
        plugin._instance = instance
    instance._spec, instance._id = spec, len(spec._lists["plugin"])
    spec._lists["plugin"].append(instance)


def copied_body(body: Any, spec: "Store") -> Any:
    """A copy of a body for a spec, with everything inside it."""
    made = copied(body, spec)
    fill(made, body, spec, None)
    return made


def fill(made: Any, body: Any, spec: "Store", within: Any) -> dict[int, Any]:
    """Put copies of what is in a body into another one.

    Args:
        made: the body that takes the copies.
        body: the one that they are of.
        spec: the spec of the copies.
        within: a frame; only what is inside it is copied. None: everything.

    Returns:
        The copies of frames by the `id` of their originals.
    """
    frames: dict[int, Any] = {}

    def wanted(element: Any) -> bool:
        return within is None or within._is_around(element._frame)

    def placed(copy: Any, element: Any) -> Any:
        copy._parent = made
        copy._frame = frames.get(id(element._frame)) if element._frame is not None else None
        return copy

    # frames come first, as what lies in them refers to their copies
    old = [frame for frame in body._lists["frame"] if wanted(frame)]
    for frame in old:
        frames[id(frame)] = copied(frame, spec)
    made._lists["frame"] += [frames[id(frame)] for frame in old]
    if within is not None:
        frames[id(within)] = made._lists["frame"][len(made._lists["frame"]) - len(old) - 1]
    for frame in old:
        placed(frames[id(frame)], frame)
    # what the body holds itself, then the bodies in it
    for kind in ("geom", "joint", "site", "camera", "light"):
        made._lists[kind] += [placed(copied(e, spec), e) for e in body._lists[kind] if wanted(e)]
    made._lists["body"] += [
        placed(copied_body(e, spec), e) for e in body._lists["body"] if wanted(e)
    ]
    return frames


# elements outside the tree


def merge(spec: "Store", other: "Store", prefix: str, suffix: str, checks: bool = True) -> None:
    """Take in the elements outside the tree of another spec that refer to what is there now.

    Args:
        spec: the spec that takes them; the other one itself copies its own.
        other: where they come from.
        prefix, suffix: what is put around their names.
        checks: whether names that are there twice are refused.
    """
    names = Names(spec)
    if spec is not other:
        for kind in ASSETS[:5]:
            _merge_list(spec, other, kind, prefix, suffix, names, checks)
        spec._pending.extend(other._pending)
        for kind in ASSETS[5:]:
            _merge_list(spec, other, kind, prefix, suffix, names, checks)
    for kind in OTHERS:
        _merge_list(spec, other, kind, prefix, suffix, names, checks)
    for kind in DRIVEN:
        _merge_plugins(spec, list(other._lists["plugin"]), kind, prefix, suffix)
    for name in other._active:
        if name not in spec._active:
            spec._active.append(name)
    spec._list_changed()


def _merge_list(
    spec: "Store", other: "Store", kind: str, prefix: str, suffix: str, names: Names, checks: bool
) -> None:
    elements = spec._lists[kind]
    for source in list(other._lists[kind]):
        element = copied(source, spec) if spec._copies else source
        # its names and those that it refers to are put between prefix and suffix
        element._spec = spec
        _fill_name(element)
        rename(element, prefix, suffix, spec is not other)
        # what refers to parts that were not attached stays behind
        if not is_resolved(element, names):
            if spec._copies:
                _drop_plugin(element, spec)
            continue
        if spec._copies:
            forget(source)
        elif source._compiler is not None and not spec._knows(source._compiler):
            element._compiler = spec.compiler
        if not spec._copies:
            keep_plugin(element, spec, False)
        element._id = -1
        elements.append(element)
    # numbers of a compiled spec would be wrong
    for place, element in enumerate(elements):
        if element._id not in (-1, place):
            raise SpecError(f"incompatible id in {kind} array, position {place}", element)
        element._id = place
    names.forget(kind)
    if checks and (name := repeated(elements)):
        raise SpecError(f"repeated name '{name}' in {kind}")


def _drop_plugin(element: Any, spec: "Store") -> None:
    plugin = element.__dict__.get("plugin")
    if plugin is not None and plugin._instance in spec._lists["plugin"]:
        spec._lists["plugin"].remove(plugin._instance)


def _fill_name(element: Any) -> None:
    from mjenv.mujoco.spec.names import fill_names

    fill_names([element])


def _merge_plugins(
    spec: "Store", instances: list[Any], kind: str, prefix: str, suffix: str
) -> None:
    """Copy instances that elements refer to by name."""
    users: dict[str, list[Any]] = {}
    for element in spec._elements(kind):
        if element.plugin.name:
            users.setdefault(element.plugin.name, []).append(element)
    for instance in instances:
        if not instance.name and instance._spec is spec:
            continue
        name = prefix + instance.name + suffix if instance.name else ""
        there = any(own.name == name for own in spec._lists["plugin"])
        if name in users and not there:
            made = type(instance)._made(spec, instance)
            made.name, made._id = name, len(spec._lists["plugin"])
            spec._lists["plugin"].append(made)
            for element in users[name]:
                element.plugin._instance = made


# whole specs


def copy_spec(spec: "T") -> "T":
    """A copy of a spec; specs that are attached to it are shared."""
    made = type(spec)()
    for name, value in spec._sections.items():
        made._sections[name]._copy_fields(value)
    for name in ("_modelname", "_comment", "_modelfiledir", "_strippath", "_override"):
        made.__dict__[name] = spec.__dict__[name]
    made.__dict__["_assets"] = dict(spec._assets)
    made._attached_specs[:] = spec._attached_specs
    # for the time of the copy, as attaching copies then
    made.__dict__["_copies"] = True
    world = copied_body(spec._world, made)
    made.__dict__["_world"] = world
    states = {id(e): e._states for kind in IN_TREE for e in spec._elements(kind)}
    kept = {key: {f: dict(s) for f, s in value.items()} for key, value in states.items()}
    merge(made, spec, "", "", checks=False)
    made._lists["key"] += [copied(key, made) for key in spec._lists["key"]]
    for place, key in enumerate(made._lists["key"]):
        key._id = place
    for kind in IN_TREE:
        for element in spec._elements(kind):
            element.__dict__["_states"] = kept[id(element)]
    # default classes take the place of those that the parts brought along
    root = spec._defaults[0]._copied(None)
    made.__dict__["_defaults"] = []
    made._add_defaults(root, None)
    made.__dict__["_copies"] = spec._copies
    made.__dict__["_parent"] = spec._parent
    for kind in IN_SPEC:
        for place, element in enumerate(made._lists[kind]):
            element._id = place
    made._tree_changed()
    made._number_tree()
    return made
