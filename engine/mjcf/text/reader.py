"""XML text to elements, checked against the schema. Knows no element by name but `include`."""

import os
import warnings
from collections.abc import Iterator
from typing import NamedTuple

from ...errors import MjcfError, shortened
from .element import Document, Element
from .hints import attribute_hint, element_hint, file_hint
from .markup import XmlNode, parse_xml
from .schema import Kind, kinds
from .source import Source
from .values import NUMBERS, MalformedError, parse

MOST_READ = 4096  # texts of attributes that are remembered for each kind of element
LONGEST_READ = 256  # letters of such a text


def read(text: bytes, file: str, source: Source) -> Element:
    """Parse a model into elements.

    Args:
        text: the XML document.
        file: name for messages.
        source: where included files are found.

    Returns:
        The root element, its attributes parsed and its structure checked.

    Raises:
        MjcfError: malformed XML, unknown names, wrong values or counts.
    """
    root = parse_xml(text, file)
    # URDF has a reader of its own
    if root.tag.lower() == "robot":
        from .urdf import read_urdf

        return read_urdf(root, file, source)
    if root.tag != "mujoco":
        raise MjcfError(
            f"{file}:{root.line}: root element <{root.tag}>: expected <mujoco> or <robot>"
        )
    # MJCF by the schema
    document = Document(source, file)
    document.comment = root.comment
    reader = _Reader(document)
    return reader.element(root, kinds()["mujoco"], file, source.folder)


def _warn(element: Element, what: str) -> None:
    """Say what is ignored, because MuJoCo ignores it."""
    warnings.warn(f"{element.where}: {what}: ignored, as MuJoCo does", stacklevel=2)


class _Open(NamedTuple):
    """An element that is being read.

    Attributes:
        element: the element.
        nodes: what is still to be read of its inside: nodes, their files and folders.
        unchecked: see `_Reader.element`.
        counts: number of elements inside it, by tag.
    """

    element: Element
    nodes: Iterator[tuple[XmlNode, str, str]]
    unchecked: bool
    counts: dict[str, int]


def _put(inner: Element, around: _Open) -> None:
    """Put an element into the one around it."""
    tag, outer = inner.tag, around.element
    around.counts[tag] = around.counts.get(tag, 0) + 1
    if inner.kind.cardinality == "?" and around.counts[tag] > 1 and not around.unchecked:
        error = inner.error(f"expected at most one <{tag}> in <{outer.tag}>")
        error.element = outer
        raise error
    if inner.kind.direct and inner.file != outer.file:
        _warn(inner, f"in <{outer.tag}> from an included file")
    else:
        outer.children.append(inner)


class _Reader:
    """State of one document: which files it has included."""

    def __init__(self, document: Document):
        self.document = document
        self.included: set[str] = set()

    def element(
        self, node: XmlNode, kind: Kind, file: str, folder: str, unchecked: bool = False
    ) -> Element:
        """Element with everything inside it.

        Args:
            node: the element as it stands in the text.
            kind: what the schema says of it.
            file, folder: where it stands.
            unchecked: it stands inside a frame or replicate, where MuJoCo passes over what the
                schema does not know.
        """
        # a stack, not a recursion: models may be deeper than Python's
        pending = [self._open(node, kind, file, folder, unchecked)]
        while True:
            around = pending[-1]
            child, child_file, child_folder = next(around.nodes, (None, "", ""))
            # all children are read: checks that need them, then the element goes into its parent
            if child is None:
                pending.pop()
                if not pending:
                    return around.element
                _put(around.element, pending[-1])
                continue
            # the schema decides; MuJoCo does not check inside frames
            child_kind = around.element.kind.children.get(child.tag)
            if child_kind is None:
                error = self._unknown_element(child, child_file, around.element)
                if not around.unchecked or around.element.kind.cardinality == "R":
                    raise error
                warnings.warn(f"{error}: ignored, as MuJoCo does", stacklevel=2)
                continue
            pending.append(
                self._open(child, child_kind, child_file, child_folder, around.unchecked)
            )

    def _open(self, node: XmlNode, kind: Kind, file: str, folder: str, unchecked: bool) -> "_Open":
        """An element without what is inside it, which is still to be read."""
        element = Element(kind, node.tag, file, node.line, self.document, folder)
        unchecked |= kind.meta
        self._attributes(element, node, unchecked)
        return _Open(element, self._nodes(node, element), unchecked, {})

    def _attributes(self, element: Element, node: XmlNode, unchecked: bool) -> None:
        kind, values = element.kind, element.values
        if name := node.get("name"):
            values["name"] = name
        # most texts stand in a document, or in those that a program reads, again and again
        known = kind.read
        for item in node.attributes.items():
            value = known.get(item)
            if value is None:
                self._attribute(element, *item, unchecked)
            else:
                values[item[0]] = value
        for name in kind.required:
            if name not in values:
                raise element.error(f"expected the attribute '{name}', found none")

    def _attribute(self, element: Element, name: str, text: str, unchecked: bool) -> None:
        """Value of one attribute."""
        attributes, values = element.kind.attributes, element.values
        attribute = attributes.get(name)
        if attribute is None and unchecked:
            if name == "class" and "childclass" in attributes:
                values.setdefault("childclass", text)
            else:
                _warn(element, f"unknown attribute '{name}'")
                if name == "class" and element.kind.path.startswith("body/"):
                    # MuJoCo looks for it even where nothing takes values from it
                    values[name] = text
            return
        if attribute is None:
            message = f"unknown attribute '{name}'{attribute_hint(name, element.kind)}"
            raise element.error(message)
        try:
            value = parse(text, attribute.type)
        except MalformedError as error:
            raise element.error(f"{name}='{shortened(text)}': {error}") from None
        if attribute.unset(value):
            return
        values[name] = value
        if "nan" in text.lower() and attribute.type.base in NUMBERS:
            message = f"{element.where}: {name}='{shortened(text)}': expected numbers"
            warnings.warn(f"{message}, accepted as MuJoCo does", stacklevel=2)
        elif len(text) <= LONGEST_READ:
            known = element.kind.read
            if len(known) >= MOST_READ:
                known.clear()
            known[name, text] = value

    def _nodes(self, node: XmlNode, element: Element):
        """Children of a node, with those of included files in place of the includes."""
        pending = [(child, element) for child in reversed(node.children)]
        while pending:
            child, around = pending.pop()
            if child.tag == "include":
                root, inner = self._include(child, around)
                pending.extend((included, inner) for included in reversed(root.children))
            else:
                yield child, around.file, around.folder

    def _include(self, node: XmlNode, parent: Element) -> tuple[XmlNode, Element]:
        """Root of a file that is included, and what stands for the file."""
        # the include itself
        element = Element(
            kinds()["include"],
            "include",
            parent.file,
            node.line,
            self.document,
            parent.folder,
        )
        self._attributes(element, node, unchecked=True)
        if not node.empty:
            raise element.error("expected nothing inside it")
        # the file, each at most once: a file that includes itself would not end
        name = element.values["file"]
        found = self.document.source.read(name, parent.folder)
        if found is None:
            hint = file_hint(self.document.source, name, parent.folder)
            error = element.error(f"file='{name}': no such file{hint}")
            error.missing = name
            raise error
        path, text = found
        if os.path.normpath(path) in self.included:
            raise element.error(f"file='{name}': already included; a file can be included once")
        self.included.add(os.path.normpath(path))
        # messages and paths of its contents are those of the file
        folder = os.path.dirname(path)
        inner = Element(element.kind, "include", path, node.line, self.document, folder)
        root = parse_xml(text, path)
        if not root.children:
            raise element.error(f"file='{name}': expected elements in its root, found none")
        return root, inner

    @staticmethod
    def _unknown_element(node: XmlNode, file: str, parent: Element) -> MjcfError:
        hint = element_hint(node.tag, parent.kind)
        return MjcfError(
            f"{file}:{node.line}: <{node.tag}>: unknown element in <{parent.tag}>{hint}"
        )
