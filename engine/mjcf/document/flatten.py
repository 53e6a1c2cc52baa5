"""One document of what several ones describe: values written out, angles and poses converted.

A document has one <compiler> and one outermost default class, but parts of attached models have
others of their own. What these say becomes values of the parts.
"""

from math import pi

from ...errors import UnsupportedFeature
from ..geometry.orientation import ALTERNATIVES, resolve
from ..parts.collect import ATTACHED, RECORDS
from ..parts.defaults import ACTUATORS, Defaults
from ..text.element import Document, Element
from ..text.schema import kinds

# settings of <compiler> that hold for parts and have no attribute there
OF_PARTS = (
    "boundmass", "boundinertia", "balanceinertia", "inertiafromgeom", "inertiagrouprange",
    "alignfree", "fitaabb",
)  # fmt: skip
LIMITS = {
    "limited": "range",
    "actuatorfrclimited": "actuatorfrcrange",
    "ctrllimited": "ctrlrange",
    "forcelimited": "forcerange",
    "actlimited": "actrange",
}


def is_foreign(element: Element, main: Document) -> bool:
    """Whether an element comes from another model than the main one."""
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
            else:
                new.children.append(section)
        return new

    def _body(self, element: Element, around: str) -> Element:
        """A body or frame, with everything inside it."""
        around = element.values.get("childclass", around)
        copy = self._converted(element, dict(element.values), element.kind)
        copy.values.pop("childclass", None)
        for child in element.children:
            inner = child.tag in ("body", "frame")
            copy.children.append(self._body(child, around) if inner else self._part(child, around))
        return copy

    def _part(self, element: Element, around: str) -> Element:
        """An element whose class says something of it, with the values that it has in the end."""
        path = element.kind.path
        record = ATTACHED[path][0] if path in ATTACHED else RECORDS.get(path, "")
        kind = kinds()["actuator/general"] if element.tag in ACTUATORS else element.kind
        values = dict(element.values)
        if record in self.defaults.builtin:
            values = self.defaults.values(element, record, around)
        copy = self._converted(element, values, kind)
        copy.values.pop("class", None)
        if path == "asset/material":
            copy.children = _layers(element, values["textures"])
        else:
            copy.children = [child.like() for child in element.children]
            for new, old in zip(copy.children, element.children, strict=True):
                new.children = old.children
        return copy

    def _converted(self, element: Element, values: dict, kind) -> Element:
        """An element with these values, as the main document would write them."""
        if is_foreign(element, self.main):
            self._convert(element, values)
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
        for name in OF_PARTS:
            if element.tag == "body" and settings.get(name) != main.get(name):
                raise UnsupportedFeature(
                    f"{element.where}: writing it is not built yet: its model has the compiler"
                    f" setting {name}='{settings.get(name)}', the document that it is attached to"
                    f" has '{main.get(name)}'; use the same in both"
                )
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


SECTIONS = ("asset", "contact", "tendon", "equality", "actuator", "sensor", "custom", "keyframe")


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
