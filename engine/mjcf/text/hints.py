"""Hints in error messages: the nearest name, or where a name is known."""

import os
from typing import TYPE_CHECKING

from ...errors import nearest
from .schema import Kind, kinds

if TYPE_CHECKING:
    from .source import Source

MOST = 3  # places that a message lists
RARE = ("default", "composite", "flexcomp")  # places that are not suggested


def attribute_hint(name: str, kind: Kind) -> str:
    """Hint for an attribute that a kind of element does not have."""
    if hint := nearest(name, kind.attributes):
        return hint
    around = kind.path.rpartition("/")[0]
    others = [
        f"<{other.tag}>"
        for other in kinds().values()
        if other.path.rpartition("/")[0] == around and other.children is not kind.children
        if other.path.count("/") and name in other.attributes
    ]
    return f"; {_listed(others)} can have it" if others else ""


def element_hint(tag: str, parent: Kind) -> str:
    """Hint for an element that cannot stand in another one."""
    parents = dict.fromkeys(k.tag for k in kinds().values() if not k.meta and tag in k.children)
    usual = [name for name in parents if name not in RARE]
    places = [f"<{name}>" for name in ("body",) if name in usual]
    places += [f"<{name}>" for name in usual if name not in ("body", "mujoco" if places else "")]
    return f"; it can stand in {_listed(places)}" if places else nearest(tag, parent.children)


def file_hint(source: "Source", name: str, folder: str = "") -> str:
    """Hint for a file that does not exist.

    Args:
        source: where files are found.
        name: as in the document.
        folder: where else than in the folder of the source it may stand.
    """
    if not source.folder:
        known = source.assets
        return nearest(name, known) or "; a text finds files in assets=, or in folder="
    base, last = os.path.split(name)
    for place in dict.fromkeys((source.folder, folder)):
        try:
            inside = os.listdir(os.path.join(place, base))
        except (OSError, ValueError):
            continue
        if hint := nearest(last, inside):
            return hint
    return ""


def _listed(names: list[str]) -> str:
    return ", ".join(names[:MOST]) + (", ..." if len(names) > MOST else "")
