"""One document of what several ones describe: values written out, angles and poses converted.

A document has one <compiler> and one outermost default class, but parts of attached models have
others of their own. What these say becomes values of the parts.
"""

from math import pi
from typing import Any

from ...errors import UnsupportedFeature
from ..draft.defaults import ACTUATORS, Defaults
from ..draft.orientation import ALTERNATIVES, resolve
from ..draft.shortcuts import DYN
from ..parts.actuators import INHERITED, inherited_range, inherits_range
from ..parts.collect import ATTACHED, RECORDS
from ..text.element import Document, Element
from ..text.schema import kinds
from .subtrees import holds_bodies
from .weights import SETTINGS, inertials

OF_FREE = ("name", "group", "align")  # attributes of <freejoint>
LIMITS = {
    "limited": "range",
    "actuatorfrclimited": "actuatorfrcrange",
    "ctrllimited": "ctrlrange",
    "forcelimited": "forcerange",
    "actlimited": "actrange",
}


def is_foreign(element: Element, main: Document) -> bool:
    """True if an element comes from another model than the main one."""
    return element.document is not main


def flatten(root: Element) -> Element:
    """An equal document without default classes, all of it under the main compiler settings.

    Raises:
        UnsupportedFeature: a part needs settings of its own, which no attribute can say.
    """
    return _Flat(root).run()


class _Flat:
    def __init__(self, root: Element):
        self.root, self.main = root, root.document
        self.defaults = Defaults([s for s in root.children if s.tag == "default"])
        settings = {
            id(e.settings): e.settings for e in root.inside(holds_bodies) if e.tag == "body"
        }.values()
        same = all(s.get(n) == self.main.settings.get(n) for s in settings for n in SETTINGS)
        self.inertials = {} if same else inertials(root)
        self.inheriting: list[tuple[Element, dict]] = []

    def run(self) -> Element:
        new = self.root.like()
        for section in self.root.children:
            if section.tag == "default":
                continue
            if section.tag == "worldbody":
                new.children.append(self._body(section, "main"))
            elif section.tag in SECTIONS:
                copy = section.like()
                copy.children = [self._part(element, "main") for element in section.children]
                new.children.append(copy)
            elif section.tag == "compiler" and self.inertials:
                copy = section.copy()
                copy.values = {k: v for k, v in section.values.items() if k not in SETTINGS}
                new.children.append(copy)
            else:
                new.children.append(section)
        self._inherit(new)
        return new

    def _inherit(self, root: Element) -> None:
        """Write out the ranges that actuators take from joints and tendons."""
        ends = {(e.kind.path, e.values.get("name")): e for e in root.inside()}
        for actuator, values in self.inheriting:
            of_joint = "joint" in actuator.values
            paths = ("body/joint",) if of_joint else ("tendon/spatial", "tendon/fixed")
            name = actuator.values.get("joint" if of_joint else "tendon")
            for end in (ends[path, name] for path in paths if (path, name) in ends):
                low, high = end.values.get("range", (0.0, 0.0))
                if low < high:
                    factor = self._radians(end)
                    actuator.values |= inherited_range(values, factor * low, factor * high)

    def _radians(self, end: Element) -> float:
        """Factor from the unit of a written range to radians, or 1 where it has none."""
        limited = end.values.get("limited", "auto")
        on = limited == "true" or (limited == "auto" and self.main.settings["autolimits"])
        turns = end.tag == "joint" and end.values.get("type", "hinge") == "hinge"
        return pi / 180 if turns and on and self.main.settings["degree"] else 1.0

    def _body(self, element: Element, around: str) -> Element:
        """A body or frame, with everything inside it."""
        whole = self._holder(element)
        pending = [(element, whole, around)]
        while pending:
            old, new, around = pending.pop()
            around = old.values.get("childclass", around)
            for child in old.children:
                if child.tag == "inertial" and self.inertials:
                    continue
                if child.tag in ("body", "frame"):
                    new.children.append(self._holder(child))
                    pending.append((child, new.children[-1], around))
                else:
                    new.children.append(self._part(child, around))
        return whole

    def _holder(self, element: Element) -> Element:
        """A body or frame itself."""
        copy = self._converted(element, dict(element.values), element.kind)
        copy.values.pop("childclass", None)
        if id(element) in self.inertials:
            copy.children.append(self.inertials[id(element)])
        return copy

    def _part(self, element: Element, around: str) -> Element:
        """An element whose class says something of it, with the values that it has in the end."""
        path = element.kind.path
        record = ATTACHED[path][0] if path in ATTACHED else RECORDS.get(path, "")
        kind, driven = element.kind, element.tag == "plugin"
        if element.tag in ACTUATORS and not driven:
            kind = kinds()["actuator/general"]
        values = dict(element.values)
        if record in self.defaults.builtin:
            values = self.defaults.values(element, record, around)
        if driven:
            # what an actuator has beside the attributes of a general one
            values |= {k: v for k, v in element.values.items() if k in ("plugin", "instance")}
        free = path == "body/joint" and values["type"] == "free"
        if free and self._is_aligned_otherwise(element):
            kind, values = kinds()["body/freejoint"], self._as_freejoint(element, values)
        copy = self._converted(element, values, kind)
        copy.values.pop("class", None)
        if record == "actuator" and inherits_range(values) and values[DYN] in INHERITED:
            self.inheriting.append((copy, values))
        if path == "asset/material":
            copy.children = _layers(element, values["textures"])
        else:
            copy.children = [child.like() for child in element.children]
            for new, old in zip(copy.children, element.children, strict=True):
                new.children = old.children
        return copy

    def _converted(self, element: Element, values: dict, kind: Any) -> Element:
        """An element with these values, as the main document would write them."""
        if is_foreign(element, self.main):
            self._convert(element, values)
        _drop_unused(element, values)
        defaults = kind.defaults
        copy = Element(
            kind, kind.tag if kind is not element.kind else element.tag, element.file, element.line,
            element.document, element.folder,
        )  # fmt: skip
        given = element.values
        copy.values = {
            name: value
            for name, value in values.items()
            if name in kind.attributes and (name in given or value != defaults.get(name))
        }
        return copy

    def _convert(self, element: Element, values: dict) -> None:
        settings, main = element.settings, self.main.settings
        free = element.tag == "freejoint" and values.get("align", "auto") == "auto"
        if free and self._is_aligned_otherwise(element):
            values["align"] = settings["alignfree"]
        if any(name in values for name in ALTERNATIVES):
            values["quat"] = resolve(values, settings, element)
            for name in ALTERNATIVES:
                values.pop(name, None)
        if element.kind.path == "body/joint" and settings["degree"] != main["degree"]:
            _convert_angles(values, pi / 180 if settings["degree"] else 180 / pi)
        if settings["autolimits"] != main["autolimits"]:
            for flag, name in LIMITS.items():
                if values.get(flag) == "auto":
                    low, high = values[name]
                    values[flag] = "true" if low < high else "false"

    def _is_aligned_otherwise(self, element: Element) -> bool:
        return element.settings["alignfree"] != self.main.settings["alignfree"]

    def _as_freejoint(self, element: Element, values: dict) -> dict:
        """The values of a free joint as those of <freejoint>, which can say how it is aligned."""
        plain = self.defaults.builtin["joint"] | {"type": "free"}
        if any(plain.get(k) != v for k, v in values.items() if k not in ("class", *OF_FREE)):
            raise self._unwritten(element, "alignfree")
        return {k: v for k, v in values.items() if k in OF_FREE}

    def _unwritten(self, element: Element, name: str) -> UnsupportedFeature:
        return UnsupportedFeature(
            f"{element.where}: writing it is not supported: its model has the compiler setting"
            f" {name}='{element.settings[name]}', the document that it is attached to has"
            f" '{self.main.settings[name]}'; use the same in both"
        )


def _drop_unused(element: Element, values: dict) -> None:
    """Drop what a class says but something else overrides; the two may not stand together."""
    if any(name in values for name in ALTERNATIVES):
        values.pop("quat", None)
    if element.kind.path == "body/camera" and "sensorsize" in values:
        values.pop("fovy" if min(values["sensorsize"]) > 0 else "sensorsize", None)
    if element.tag in ACTUATORS and "cranksite" not in element.values:
        # of a class, for actuators that have no crank
        values.pop("cranklength", None)


SECTIONS = (
    "asset", "contact", "deformable", "tendon", "equality", "actuator", "sensor", "custom",
    "keyframe",
)  # fmt: skip


def _convert_angles(values: dict, factor: float) -> None:
    low, high = values["range"]
    limited = values["limited"] == "true" or (values["limited"] == "auto" and low < high)
    if values["type"] in ("hinge", "ball") and limited:
        # the range of a joint without limits stays as it is
        values["range"] = tuple(factor * x for x in values["range"])
    if values["type"] == "hinge":
        values["ref"] *= factor
        values["springref"] *= factor


def _layers(material: Element, textures: dict) -> list[Element]:
    """Elements <layer> for textures by role, where the attribute `texture` does not say it."""
    if "texture" in material.values:
        return []
    kind = kinds()["asset/material/layer"]
    return [material.like(kind, role=r, texture=t) for r, t in textures.items()]
