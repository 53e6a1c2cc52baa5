"""Keyframes while specs are put together: what they say of each joint, actuator and body."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mjenv.mujoco.words.explain import SpecError

if TYPE_CHECKING:
    from mjenv.mujoco.spec.store import Store

NQ = {"FREE": 7, "BALL": 4}
NV = {"FREE": 6, "BALL": 3}
FIELDS = ("qpos", "qvel", "act", "ctrl", "mpos", "mquat")
WIDTHS = {"mpos": 3, "mquat": 4}


class Pending(NamedTuple):
    """A keyframe that becomes one when its spec is compiled.

    Attributes:
        name: its name.
        time: its time.
        given: fields that it has values of.
    """

    name: str
    time: float
    given: tuple[str, ...]


class Places:
    """Places of the values of each joint, actuator and mocap body in a keyframe.

    Attributes:
        slots: by field, pairs of an element and its slice, in order.
        sizes: by field, the number of values.
    """

    def __init__(self, spec: "Store"):
        self.slots: dict[str, list[tuple[Any, slice]]] = {field: [] for field in FIELDS}
        self.sizes: dict[str, int] = dict.fromkeys(FIELDS, 0)
        for joint in spec._elements("joint"):
            word = joint.type.name.removeprefix("mjJNT_")
            self._add("qpos", joint, NQ.get(word, 1))
            self._add("qvel", joint, NV.get(word, 1))
        for actuator in spec._lists["actuator"]:
            count = activation(actuator)
            if count:
                self._add("act", actuator, count)
            self._add("ctrl", actuator, 1)
        for body in spec._elements("body"):
            if body.mocap:
                self._add("mpos", body, 3)
                self._add("mquat", body, 4)

    def _add(self, field: str, element: Any, count: int) -> None:
        start = self.sizes[field]
        self.slots[field].append((element, slice(start, start + count)))
        self.sizes[field] = start + count


def activation(actuator: Any) -> int:
    """Number of activation variables that keyframes reckon with."""
    if actuator.actdim > 0:
        return actuator.actdim
    return int(actuator.dyntype.name != "mjDYN_NONE")


def rest(spec: "Store", places: Places) -> dict[str, np.ndarray]:
    """Values that complete short keyframes: the reference before anything is compiled."""
    values = {field: np.zeros(size) for field, size in places.sizes.items()}
    for joint, place in places.slots["qpos"]:
        known = joint.__dict__.get("_compiled_type", "")
        if known == "FREE":
            values["qpos"][place][:3] = joint._parent.pos
            values["qpos"][place][3:] = joint._parent.quat
        elif known == "BALL":
            values["qpos"][place][0] = 1.0
        else:
            values["qpos"][place.start] = joint.ref
    for field, name in (("mpos", "pos"), ("mquat", "quat")):
        for body, place in places.slots[field]:
            values[field][place] = getattr(body, name)
    return values


def complete(spec: "Store") -> None:
    """Lengthen keyframes by what was added since they were written."""
    keys = spec._lists["key"]
    if not keys:
        return
    places = Places(spec)
    reference = rest(spec, places)
    for key in keys:
        for field in FIELDS:
            given = key.__dict__[field]
            # poses of mocap bodies are completed as a whole
            width = WIDTHS.get(field, 1)
            whole = len(given) // width * width
            if len(given) and places.sizes[field] > whole:
                key.__dict__[field] = np.concatenate([given[:whole], reference[field][whole:]])


def remember(spec: "Store", name: str, values: dict[str, np.ndarray], places: Places) -> None:
    """Note what a state says of each element, by the name of the state."""
    for field, row in values.items():
        for element, place in places.slots[field]:
            element._states.setdefault(field, {})[name] = np.array(row[place])


def store(spec: "Store", target: "Store", prefix: str, suffix: str) -> None:
    """Turn the keyframes of a spec to pending ones of the spec that it is attached to."""
    places = Places(spec)
    for key in spec._lists["key"]:
        name = prefix + key._name + suffix
        given = {f: key.__dict__[f] for f in FIELDS if len(key.__dict__[f])}
        target._pending.append(Pending(name, key.time, tuple(given)))
        for field, row in given.items():
            if len(row) != places.sizes[field]:
                quoted = f"'{key._name}'" if field == "qpos" else key._name
                raise SpecError(
                    f"Keyframe {quoted} has invalid {field} size, got {len(row)}, should be"
                    f" {places.sizes[field]}"
                )
        remember(spec, name, given, places)


def forget(element: Any) -> None:
    """Drop what states say of an element, which was copied and keeps nothing."""
    element._states.clear()


def recall(
    spec: "Store", name: str, fields: Any, references: dict[str, np.ndarray]
) -> dict[str, np.ndarray]:
    """The values of a state by field.

    Args:
        spec: the spec.
        name: the state.
        fields: which ones.
        references: of the compiled model, for elements that the state says nothing of.
    """
    places, found = Places(spec), {}
    for field in fields:
        row = np.zeros(places.sizes[field])
        if field in references:
            row[:] = references[field]
        for element, place in places.slots[field]:
            known = element._states.get(field, {}).get(name)
            if known is not None and len(known) == place.stop - place.start:
                row[place] = known
        found[field] = row
    return found
