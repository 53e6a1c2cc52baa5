"""Elements to MJCF text that compiles back to the same model: numbers are written exactly."""

import os
import re
import warnings
from typing import TYPE_CHECKING, Any

from ..flex.cells import NODE_POINTS
from ..text.element import Document, Element
from ..text.markup import DEEPEST
from ..text.paths import FOLDERS, asset_path
from ..text.schema import Type, kinds
from .flatten import flatten, is_foreign

if TYPE_CHECKING:
    from ...model.model import Model

INDENT = "  "
ORDER = (
    "compiler", "option", "size", "visual", "statistic", "default", "extension", "custom", "asset",
    "worldbody", "contact", "deformable", "equality", "tendon", "actuator", "sensor", "keyframe",
)  # fmt: skip
SIDES = ("right", "left", "up", "down", "front", "back")
NAMING_FILES = ("file", *(f"file{side}" for side in SIDES))  # attributes

_UNWRITABLE = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write(root: Element, model: "Model | None" = None) -> str:
    """MJCF text of an expanded document.

    Where parts come from other models, with compiler settings of their own, or take nothing from
    default classes, all values are written out, without default classes.

    Args:
        root: the document, as `expand` returns it.
        model: what it compiles to; needed where keyframes of attached models leave values open.

    Raises:
        UnsupportedFeature: parts of another model that need settings which one document cannot
            have for a part of it.
    """
    from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

    for element in root.walk():
        _warn_of_loss(element)
    if any(is_foreign(e, root.document) or _takes_nothing(e) for e in root.walk()):
        root = flatten(root)
    root = _sorted(_closed(root, model))
    node = _nodes(etree, root)
    if comment := _UNWRITABLE.sub("", root.document.comment):
        # XML has no "--" in comments, and none that end in "-"
        node.insert(0, etree.Comment(re.sub("-(?=-|$)", "- ", comment)))
    etree.indent(node, INDENT)
    return etree.tostring(node, encoding="unicode") + "\n"


def _takes_nothing(element: Element) -> bool:
    """True if an element leaves out what default classes may say, which no attribute can say."""
    return None in element.values.values()


def _warn_of_loss(element: Element) -> None:
    """Warn of a deformable whose nodes stand where no attribute of MJCF can say."""
    if any(element.values.get(NODE_POINTS, ())):
        warnings.warn(
            f"{element.where}: MJCF has no attribute for nodes that are pinned or belong to"
            " empty cells: the saved text is another model, or none that compiles (as MuJoCo's);"
            " keep the document with <flexcomp>, or save the model itself, Model.save",
            stacklevel=4,
        )


def has_open_keys(root: Element) -> bool:
    """True if a keyframe has values that only the compiled model knows."""
    return any(map(_is_open, _keys(root)))


def _keys(root: Element) -> list[Element]:
    return [k for section in root.children if section.tag == "keyframe" for k in section.children]


def _is_open(key: Element) -> bool:
    return any(isinstance(v, tuple) and None in v for v in key.values.values())


def _closed(root: Element, model: "Model | None") -> Element:
    """The document with complete keyframes."""
    if not has_open_keys(root):
        return root
    new, section = (
        root.like(),
        Element(kinds()["keyframe"], "keyframe", root.file, root.line, root.document),
    )
    new.children = [s for s in root.children if s.tag != "keyframe"] + [section]
    for k, key in enumerate(_keys(root)):
        rows = {
            name: tuple(getattr(model, f"key_{name}")[k].tolist())
            for name, value in key.values.items()
            if isinstance(value, tuple)
        }
        section.children.append(key.like(None, **rows))
    return new


def _sorted(root: Element) -> Element:
    """The document with its sections in the usual order."""
    new = root.like()
    new.children = sorted(root.children, key=lambda s: ORDER.index(s.tag) if s.tag in ORDER else -1)
    return new


def _nodes(etree: Any, root: Element):
    """A document as nodes of lxml."""
    whole = _node(etree, root, root.document)
    level, depth = [(root, whole)], 0
    while level:
        depth += 1
        for element, node in level:
            for child in element.children:
                node.append(_node(etree, child, root.document))
        level = [pair for e, node in level for pair in zip(e.children, node, strict=True)]
    if depth > DEEPEST:
        warnings.warn(
            f"{root.where}: elements nest {depth} deep, of which readers of MJCF take {DEEPEST}"
            " (here and in MuJoCo): the saved text cannot be read; save the model itself,"
            " Model.save",
            stacklevel=4,
        )
    return whole


def _node(etree: Any, element: Element, main: Document):
    """An element without what is inside it."""
    node = etree.Element(element.tag)
    values = element.values
    for attribute in element.kind.attributes.values():
        value = values.get(attribute.name)
        if value is None:
            continue
        try:
            node.set(attribute.name, _text(value, attribute.type))
        except ValueError as error:
            raise element.error(f"{attribute.name}: {error}") from None
    if element.tag in FOLDERS and element.kind.path.startswith(("asset/", "deformable/")):
        for name in NAMING_FILES:
            if values.get(name):
                node.set(name, located(element, element.tag, name, main))
    return node


def located(element: Element, kind: str, attribute: str, main: Document) -> str:
    """Name of a file, as an element that stands in the main file itself would write it."""
    start = main.source.folder
    if element.document is main and element.folder == start:
        return element.values[attribute]
    asset = asset_path(element.settings, element, kind, attribute)
    path = os.path.join(element.document.source.folder, asset.path)
    here = os.path.join(start, main_folder(main, FOLDERS[kind][0]))
    return os.path.relpath(path, here) if start or here else path


def main_folder(main: Document, name: str) -> str:
    """A folder of <compiler> of the main document."""
    return main.settings.get(name) or main.settings.get("assetdir") or ""


def _text(value: Any, kind: Type) -> str:
    if isinstance(value, tuple):
        return " ".join(_scalar(x) for x in value)
    return _scalar(value)


def _scalar(value: Any) -> str:
    """Shortest text that reads back as the same value."""
    if not isinstance(value, float):
        return str(value)
    text = repr(value)
    return text.removesuffix(".0")
