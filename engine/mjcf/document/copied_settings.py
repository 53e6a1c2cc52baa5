"""The part of the table of `copy_back` that belongs to no part: options, statistics, visuals."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..text.element import Element
from ..text.schema import kinds

if TYPE_CHECKING:
    from ..draft.draft import Draft, Part
    from .undo import Edits

ENABLE = ("override", "energy", "fwdinv", "invdiscrete", "sleep")  # bits of enableflags
DISABLE = tuple(name for name in kinds()["option/flag"].attributes if name not in ENABLE)
GROUPS_OF_ACTUATORS = 31


def _section(edits: "Edits", tag: str) -> Element:
    """The last section of a name, which is made if there is none."""
    found = [section for section in edits.root.children if section.tag == tag]
    if found:
        return found[-1]
    return edits.child(edits.root, tag)


def _set(edits: "Edits", element: Element, name: str, value: Any) -> None:
    """Write numbers, or the word that a number stands for."""
    words = element.kind.attributes[name].type.words
    if words:
        edits.word(element, name, words[int(value[0])])
    else:
        edits.set(element, name, value)


def _option(name: str) -> tuple:
    def value(arrays: Mapping[str, Any], draft: "Draft"):
        return np.atleast_1d(getattr(arrays["opt"], name))

    def write(edits: "Edits", draft: "Draft", part: "Part", row: Any, value: Any):
        _set(edits, _section(edits, "option"), name, value)

    return "option", f"opt.{name}", value, write


def _flag(name: str) -> tuple:
    optional = name in ENABLE
    field = "enableflags" if optional else "disableflags"
    bit = 1 << (ENABLE if optional else DISABLE).index(name)

    def value(arrays: Mapping[str, Any], draft: "Draft"):
        return np.array([int(getattr(arrays["opt"], field)) & bit])

    def write(edits: "Edits", draft: "Draft", part: "Part", row: Any, value: Any):
        flags = edits.child(_section(edits, "option"), "flag")
        edits.word(flags, name, "enable" if bool(value[0]) == optional else "disable")

    return "option", f"opt.{field}", value, write


def _disabled() -> tuple:
    def value(arrays: Mapping[str, Any], draft: "Draft"):
        return np.array([int(arrays["opt"].disableactuator)])

    def write(edits: "Edits", draft: "Draft", part: "Part", row: Any, value: Any):
        groups = [k for k in range(GROUPS_OF_ACTUATORS) if int(value[0]) >> k & 1]
        for section in edits.root.children:
            if section.tag == "option":
                edits.set(section, "actuatorgroupdisable", None)
        if groups:
            edits.set(_section(edits, "option"), "actuatorgroupdisable", groups)

    return "option", "opt.disableactuator", value, write


def _statistic(name: str) -> tuple:
    def value(arrays: Mapping[str, Any], draft: "Draft"):
        return np.atleast_1d(getattr(arrays["stat"], name))

    def write(edits: "Edits", draft: "Draft", part: "Part", row: Any, value: Any):
        edits.set(_section(edits, "statistic"), name, value)

    return "statistic", f"stat.{name}", value, write


def _visual(group: str, name: str) -> tuple:
    field = "global_" if group == "global" else group

    def value(arrays: Mapping[str, Any], draft: "Draft"):
        return np.atleast_1d(getattr(getattr(arrays["vis"], field), name))

    def write(edits: "Edits", draft: "Draft", part: "Part", row: Any, value: Any):
        _set(edits, edits.child(_section(edits, "visual"), group), name, value)

    return "visual", f"vis.{field}.{name}", value, write


# group, field, its numbers in the structures of a model, writer
SETTINGS = (
    *(_option(name) for name in kinds()["option"].attributes if name != "actuatorgroupdisable"),
    *(_flag(name) for name in (*DISABLE, *ENABLE)),
    _disabled(),
    *(_statistic(name) for name in kinds()["statistic"].attributes),
    *(
        _visual(group.tag, name)
        for group in kinds()["visual"].children.values()
        for name in group.attributes
    ),
)
