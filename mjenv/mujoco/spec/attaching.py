"""Bodies, frames and whole specs put into the tree of a spec."""

from typing import Any

from mjenv.mujoco.spec import states
from mjenv.mujoco.spec.adding import new_in_body
from mjenv.mujoco.spec.copying import copied, copied_body, fill, keep_plugin, merge
from mjenv.mujoco.spec.kinds import IN_TREE
from mjenv.mujoco.spec.references import rename
from mjenv.mujoco.words.explain import SpecError

INNER = ("joint", "geom", "site", "camera", "light", "frame")


def attach_body(frame: Any, body: Any, prefix: str, suffix: str) -> Any:
    """Put a body into a frame.

    Args:
        frame: the frame.
        body: a body of another spec, or of the same one.
        prefix, suffix: put around the names of all that comes with it.

    Returns:
        The body itself, or a copy where the spec makes copies.

    Raises:
        SpecError: names that are there already.
    """
    _expect("attach_body", body, "body")
    spec, other, parent = frame._spec, body._spec, frame._parent
    _take_in(spec, other)
    states.store(other, spec, prefix, suffix)
    moves = other is not spec
    # attached by reference, the child's own elements move into the parent
    if spec._copies:
        attached = copied_body(body, spec)
        for element in _subtree(body):
            states.forget(element)
    else:
        attached = body
        _adopt(attached, spec)
    attached._parent = parent
    attached.set_frame(frame)
    for element in _subtree(attached):
        rename(element, prefix, suffix, moves)
    # what the body refers to follows
    if moves:
        _take_defaults(spec, other, prefix, suffix)
    parent._lists["body"].append(attached)
    _merge(spec, other, prefix, suffix)
    return attached


def _expect(where: str, element: Any, kind: str) -> None:
    """Refuse what is no element of a kind."""
    if getattr(element, "_kind", None) != kind:
        found = type(element).__name__
        raise TypeError(f"{where}(): found {found}, expected an Mjs{kind.capitalize()}")


def attach_frame(parent: Any, frame: Any, prefix: str, suffix: str) -> Any:
    """Put a frame, with what is in it, into a body; see `attach_body`."""
    _expect("attach_frame", frame, "frame")
    spec, other = parent._spec, frame._spec
    _take_in(spec, other)
    states.store(other, spec, prefix, suffix)
    if other is not spec:
        _take_defaults(spec, other, prefix, suffix)
    attach = _copied_frame if spec._copies else _moved_frame
    attached = attach(parent, frame, prefix, suffix)
    _merge(spec, other, prefix, suffix)
    return attached


def _copied_frame(parent: Any, frame: Any, prefix: str, suffix: str) -> Any:
    """A copy of a frame in a body, with copies of what is in it."""
    spec, source = parent._spec, frame._parent
    attached = copied(frame, spec)
    attached._parent, attached._frame = parent, None
    counts = {kind: len(parent._lists[kind]) for kind in IN_TREE}
    parent._lists["frame"].append(attached)
    fill(parent, source, spec, frame)
    for kind in IN_TREE:
        for element in parent._lists[kind][counts[kind] :]:
            for member in _subtree(element):
                rename(member, prefix, suffix, frame._spec is not spec)
    for body in source._lists["body"]:
        if frame._is_around(body._frame):
            for element in _subtree(body):
                states.forget(element)
    return attached


def _moved_frame(parent: Any, frame: Any, prefix: str, suffix: str) -> Any:
    """A frame, which is put into a body with what is in it; the rest of its body is renamed too."""
    spec, other, source = parent._spec, frame._spec, frame._parent
    inside = {
        kind: [e for e in source._lists[kind] if frame._is_around(e._frame)] for kind in IN_TREE
    }
    _adopt(source, spec)
    name = source._name
    for element in _subtree(source):
        rename(element, prefix, suffix, other is not spec)
    source._name = name
    if source is other._world:
        source._spec = other
    parent._lists["frame"].append(frame)
    frame._parent = parent
    for kind in IN_TREE:
        for element in inside[kind]:
            element._parent = parent
            parent._lists[kind].append(element)
    return frame


def attach_to_site(site: Any, body: Any, prefix: str, suffix: str) -> Any:
    """Put a body to where a site is."""
    _expect("attach_body", body, "body")
    return attach_body(frame_at(site), body, prefix, suffix)


def frame_at(site: Any) -> Any:
    """A new frame where a site is."""
    frame = new_in_body(site._parent, "frame")
    frame._frame = site._frame
    frame.pos, frame.quat = site.pos, site.quat
    settings = site._spec.compiler
    turned = type(site._spec).resolve_orientation(settings.degree, settings.eulerseq, site.alt)
    if site.alt.type:
        frame.quat = turned
    return frame


def attach_spec(spec: Any, child: Any, prefix: str, suffix: str, place: Any) -> Any:
    """Put the world of a spec into a frame, or to where a site is."""
    world = new_in_body(child._world, "frame")
    for kind in IN_TREE:
        for element in child._world._lists[kind]:
            if element is not world and element._frame is None:
                element.set_frame(world)
    frame = frame_at(place) if place._kind == "site" else place
    attached = attach_frame(frame._parent, world, prefix, suffix)
    attached.set_frame(frame)
    return attached


def _subtree(element: Any) -> list[Any]:
    """An element and, of a body, everything inside it."""
    if element._kind != "body":
        return [element]
    found = []
    for body in element._walk():
        found.append(body)
        for kind in INNER:
            found += body._lists[kind]
    return found


def _take_in(spec: Any, other: Any) -> None:
    """Note a spec whose parts come to another one, for the settings of its compiler."""
    if other is not spec and not spec._knows(other.compiler):
        spec._attached_specs.append(other)


def _adopt(body: Any, spec: Any) -> None:
    """Let everything in a body belong to a spec."""
    for element in _subtree(body):
        element._spec, element._id = spec, -1
        if not spec._knows(element._compiler):
            element._compiler = spec.compiler
        keep_plugin(element, spec, False)


def _take_defaults(spec: Any, other: Any, prefix: str, suffix: str) -> None:
    """Take in copies of all default classes of another spec."""
    copy = other._defaults[0]._copied(None)
    copy._rename(prefix, suffix)
    spec._add_defaults(copy, spec._defaults[0])


def _merge(spec: Any, other: Any, prefix: str, suffix: str) -> None:
    """Take in what refers to what was attached, and bring keyframes up to date."""
    other.__dict__["_attached"] = not spec._copies
    spec._tree_changed()
    _check_ids(spec)
    merge(spec, other, prefix, suffix)
    spec._number_tree()
    states.complete(spec)
    if other is not spec:
        other._pending.clear()


def _check_ids(spec: Any) -> None:
    """Refuse elements that are twice in the tree."""
    for kind in IN_TREE:
        seen: set[int] = set()
        for place, element in enumerate(spec._elements(kind)):
            if id(element) in seen:
                raise SpecError(f"incompatible id in {kind} array, position {place}", element)
            seen.add(id(element))
