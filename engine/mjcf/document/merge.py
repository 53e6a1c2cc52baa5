"""Repeated sections of a document as one, so that each setting has one place."""

from ..text.element import Element

SETTINGS = ("compiler", "option", "size", "statistic", "visual")
# those of <default> are read one after the other
LISTS = (
    "worldbody", "extension", "custom", "asset", "contact", "deformable", "equality", "tendon",
    "actuator", "sensor", "keyframe",
)  # fmt: skip
MERGED = (*SETTINGS, *LISTS)
OLD_SIZES = {"nstack", "njmax"}


def merged(root: Element) -> Element:
    """A document in which all sections but <default> stand once.

    Args:
        root: the document; its sections may be changed.
    """
    new, first = root.like(), {}
    for section in root.children:
        old = first.get(section.tag)
        if old is None:
            new.children.append(section)
            if section.tag in MERGED:
                first[section.tag] = section
        elif section.tag in LISTS:
            old.values |= section.values
            old.children += section.children
        elif "memory" in section.values and not OLD_SIZES.isdisjoint(old.values):
            # in one section MuJoCo refuses these together
            new.children.append(section)
        else:
            merge_into(old, section)
    return new


def merge_into(old: Element, new: Element) -> None:
    """Later values replace earlier ones; a shorter list keeps the rest of what it replaces."""
    for name, value in new.values.items():
        if name == "memory" and value.strip() == "-1":
            continue
        before = old.values.get(name, old.kind.defaults.get(name))
        if isinstance(value, tuple) and isinstance(before, tuple):
            if name == "actuatorgroupdisable":
                value = tuple(dict.fromkeys(before + value))
            elif len(value) < len(before):
                value += before[len(value) :]
        old.values[name] = value
    for child in new.children:
        place = next((c for c in old.children if c.tag == child.tag), None)
        if place is None:
            old.children.append(child)
        else:
            merge_into(place, child)
