"""Keyframes of models that are put together: values by joint, body and actuator, not by place."""

from collections.abc import Callable
from typing import Any, NamedTuple

from ..draft.defaults import Defaults
from ..parts.actuators import places_in_keys
from ..parts.custom import joint_reference, raw_pose
from ..text.element import Element
from ..text.schema import kinds

NQ = {"free": 7, "ball": 4}
NV = {"free": 6, "ball": 3}
FIELDS = ("qpos", "qvel", "act", "ctrl", "mpos", "mquat")


class State:
    """A keyframe.

    Attributes:
        element: where it comes from.
        name: its name.
        values: by field, the values of each element (by its `id`); fields not given are absent.
        shown: the keyframe in the document that stands for it, or None.
        said: what that has said of it.
        copied: whether copies of the model drop what it says of actuators. MuJoCo's keyframes stay
            keyframes until a body is taken out or attached.
    """

    def __init__(self, element: Element, name: str, values: dict[str, dict[int, tuple]]):
        self.element, self.name, self.values = element, name, values
        self.shown: Element | None = None
        self.said: dict = {}
        self.copied = True

    def moved(self, copies: dict[int, Element]) -> "State":
        """The state of copies alone, which are given by the `id` of their originals."""
        values = {
            field: {id(copies[key]): value for key, value in entries.items() if key in copies}
            for field, entries in self.values.items()
        }
        state = State(self.element, self.name, values)
        state.shown, state.said = copies.get(id(self.shown)), self.said
        return state

    def copy(self) -> "State":
        """A state with values of its own."""
        return State(self.element, self.name, {f: dict(e) for f, e in self.values.items()})

    def join(self, other: "State") -> None:
        """Take over what another state has."""
        for field, entries in other.values.items():
            self.values.setdefault(field, {}).update(entries)

    def forget(self, owners: Any) -> None:
        """Drop what it says of elements, given by `id`."""
        for entries in self.values.values():
            for key in [key for key in entries if key in owners]:
                del entries[key]

    def spread(self, copies: dict[int, Element], forgetting: set[int]) -> None:
        """Give copies what their originals have.

        Args:
            copies: copies by the `id` of their originals.
            forgetting: originals that no longer have it then, so that later copies do not get it.
        """
        for entries in self.values.values():
            for key in [key for key in entries if key in copies]:
                entries[id(copies[key])] = entries[key]
                if key in forgetting:
                    del entries[key]


def merged_unnamed(states: list[State]) -> list[State]:
    """States as MuJoCo tells them apart, which is by name: those without one share the last place.

    The other ones without a name are left without values.
    """
    unnamed = [state for state in states if not state.name]
    if len(unnamed) < 2:
        return states
    values: dict[str, dict[int, tuple]] = {}
    for state in unnamed:
        for field, entries in state.values.items():
            values[field] = values.get(field, {}) | entries
    last = State(unnamed[-1].element, "", values)
    blank = State(last.element.like(kinds()["keyframe/key"]), "", {})
    return [s if s.name else last if s is unnamed[-1] else blank for s in states]


def has_state(element: Element) -> bool:
    """True if keyframes may have values of an element."""
    path = element.kind.path
    return path in ("body", "body/joint", "body/freejoint") or path.startswith("actuator/")


class Owner(NamedTuple):
    """An element that has values in a keyframe.

    Attributes:
        id: `id` of the element.
        reference: its values before anything is compiled.
    """

    id: int
    reference: tuple


class Places:
    """The owner of each entry of a keyframe's vectors, for a model as it stands.

    Attributes:
        owners: by field, the elements that have values there, in order.
    """

    def __init__(self, root: Element, world: Element, apart: Element | None = None):
        """Collect the owners.

        Args:
            root: root with the sections of the model.
            world: its expanded tree.
            apart: a frame whose joints come after the other ones of its body.
        """
        self.apart = apart
        self.defaults = Defaults([s for s in root.children if s.tag == "default"])
        self.owners: dict[str, list[Owner]] = {field: [] for field in FIELDS}
        self._bodies(world)
        for section in root.children:
            if section.tag == "actuator":
                for actuator in section.children:
                    self.owners["ctrl"].append(Owner(id(actuator), (0.0,)))
                    self._activation(actuator)

    def _activation(self, actuator: Element) -> None:
        values = self.defaults.values(actuator, "actuator")
        self.owners["act"].append(Owner(id(actuator), (0.0,) * places_in_keys(values)))

    def _bodies(self, world: Element) -> None:
        """Poses and joints of all bodies, those around others first."""
        pending = [(world, "main")]
        while pending:
            body, around = pending.pop()
            if body.values.get("mocap") == "true":
                pos, quat = raw_pose(body)
                self.owners["mpos"].append(Owner(id(body), pos))
                self.owners["mquat"].append(Owner(id(body), quat))
            pending.extend(reversed(self._inside(body, body.values.get("childclass", around))))

    def _inside(self, body: Element, around: str) -> list[tuple[Element, str]]:
        """Joints of a body, those in its frames too; returns its child bodies and their classes."""
        inner = []
        pending = [(child, around) for child in reversed(body.children)]
        while pending:
            child, around = pending.pop()
            if child.tag == "body" or child is self.apart:
                inner.append((child, around))
            elif child.tag == "frame":
                around = child.values.get("childclass", around)
                pending.extend((part, around) for part in reversed(child.children))
            elif child.tag in ("joint", "freejoint"):
                free = child.tag == "freejoint"
                values = {} if free else self.defaults.values(child, "joint", around)
                kind = "free" if free else values["type"]
                reference = joint_reference(child, kind, values.get("ref", 0.0), body)
                self.owners["qpos"].append(Owner(id(child), reference))
                self.owners["qvel"].append(Owner(id(child), (0.0,) * NV.get(kind, 1)))
        return inner

    def starts(self, field: str) -> dict[int, tuple[int, int]]:
        """First entry and number of entries of each owner, by `id`."""
        found, start = {}, 0
        for owner in self.owners[field]:
            found[owner.id] = start, len(owner.reference)
            start += len(owner.reference)
        return found

    def size(self, field: str) -> int:
        """Length of a vector."""
        return sum(len(owner.reference) for owner in self.owners[field])

    def state(self, key: Element, name: str | None = None) -> State:
        """A keyframe as a state, under another name if one is given.

        Raises:
            MjcfError: a vector has another length than the model as it stands.
        """
        values = {}
        for field in FIELDS:
            if field not in key.values:
                continue
            given, start, entries = key.values[field], 0, {}
            size = self.size(field)
            if len(given) != size:
                raise key.error(
                    f"{field}: expected {size} values where it is copied, found {len(given)}"
                )
            for owner in self.owners[field]:
                count = len(owner.reference)
                entries[owner.id] = given[start : start + count]
                start += count
            values[field] = entries
        return State(key, key.values.get("name", "") if name is None else name, values)

    def complete(self, key: Element) -> Element:
        """A keyframe whose vectors are as long as those of the model."""
        values = {}
        for field in FIELDS:
            if field in key.values:
                full = sum((owner.reference for owner in self.owners[field]), ())
                # poses of motion capture bodies are completed as a whole
                width, given = {"mpos": 3, "mquat": 4}.get(field, 1), key.values[field]
                known = len(given) if len(given) >= len(full) else len(given) // width * width
                values[field] = given[:known] + full[known:]
        return key.like(None, **values)

    def key(self, state: State) -> Element:
        """A state as a keyframe; entries that it does not have are None, for the default."""
        return self._key(state, lambda owner: (None,) * len(owner.reference))

    def shown(self, state: State) -> Element:
        """A state as a keyframe with all entries, before anything is compiled."""
        return self._key(state, lambda owner: owner.reference)

    def _key(self, state: State, default: Callable[[Owner], tuple]) -> Element:
        values = {"name": state.name, "time": state.element.values.get("time", 0.0)}
        for field, entries in state.values.items():
            vector: tuple = ()
            for owner in self.owners[field]:
                vector += tuple(entries.get(owner.id, default(owner)))
            values[field] = vector
        return state.element.like(kinds()["keyframe/key"], **values)
