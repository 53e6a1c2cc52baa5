"""Replicated subtrees and attached models, written out as ordinary elements if there are any."""

from typing import TYPE_CHECKING

from ..parts.collect import read_settings
from ..text.element import Element

if TYPE_CHECKING:
    from .assembly import Assembly

MACROS = ("replicate", "attach", "composite")


def expand_flexcomps(root: Element) -> Element:
    """A document without <flexcomp>; itself where it has none."""
    if all(element.tag != "flexcomp" for element in root.walk()):
        return root
    from . import flexcomp

    return flexcomp.expand_flexcomps(root, walked=_is_walked(root))


def expand(root: Element) -> Element:
    """A document without replicates, attachments and model assets.

    Args:
        root: the document, which is not changed.

    Returns:
        The document itself where there is nothing to expand.
    """
    root = expand_flexcomps(root)
    expansion = expansion_of(root)
    return root if expansion is None else expansion.finished()


def expansion_of(root: Element) -> "Assembly | None":
    """The expanded document, keyframes still as states; None where there is nothing to expand."""
    read_settings(root)
    if not _is_walked(root):
        return None
    from .expansion import expanded

    return expanded(root)


def _is_walked(root: Element) -> bool:
    """True if the tree of a document is walked to expand it."""
    return bool(models_of(root)) or any(map(_has_macro, root.children))


def models_of(root: Element) -> list[Element]:
    """Assets that are models."""
    assets = (a for section in root.children if section.tag == "asset" for a in section.children)
    return [asset for asset in assets if asset.tag == "model"]


def _has_macro(element: Element) -> bool:
    return any(part.tag in MACROS for part in element.walk())
