"""Elements of a URDF document, with checked access to what is in them."""

import warnings
from typing import Any

from ...errors import MjcfError
from .element import Document, Translated
from .markup import XmlNode
from .schema import kinds, parse_type
from .values import MalformedError, parse

REQUIRED = object()


class Node:
    """An element of the URDF document, with checked access to what is in it."""

    def __init__(self, xml: XmlNode, file: str, document: Document):
        self.xml, self.file, self.document = xml, file, document
        self.tag = xml.tag

    @property
    def where(self) -> str:
        """`arm.urdf:41: <link name='elbow'>`."""
        name = self.xml.get("name")
        return f"{self.file}:{self.xml.line}: <{self.tag}" + (f" name='{name}'>" if name else ">")

    def error(self, message: str) -> MjcfError:
        """An error about this element, to raise."""
        return MjcfError(f"{self.where}: {message}")

    def warn(self, message: str) -> None:
        """Say what is ignored, because MuJoCo ignores it."""
        warnings.warn(f"{self.where}: {message}: ignored, as MuJoCo does", stacklevel=2)

    def all(self, *tags: str) -> list["Node"]:
        """The elements directly inside it that have one of these names."""
        return [Node(x, self.file, self.document) for x in self.xml.children if x.tag in tags]

    def only(self, tag: str) -> "Node | None":
        """The element of this name inside it, which may be given once."""
        found = self.all(tag)
        if len(found) > 1:
            raise found[1].error(f"expected at most one <{tag}> in <{self.tag}>")
        return found[0] if found else None

    def need(self, tag: str) -> "Node":
        """As `only`, of an element that must be there."""
        found = self.only(tag)
        if found is None:
            raise self.error(f"expected <{tag}> in it, found none")
        return found

    def text(self, name: str) -> str:
        """An attribute that must be given, as it stands."""
        text = self.xml.get(name)
        if text is None:
            raise self.error(f"expected the attribute '{name}', found none")
        return text

    def get(self, name: str, kind: str, default: Any = REQUIRED) -> Any:
        """Value of an attribute.

        Args:
            name: the attribute.
            kind: its type, as in the table of MJCF attributes.
            default: what a missing or empty one stands for; without it, it must be given.
        """
        text, value = self.xml.get(name), None
        if text is not None:
            try:
                value = parse(text, parse_type(kind))
            except MalformedError as error:
                raise self.error(f"{name}='{text}': {error}") from None
        if value is None and default is REQUIRED:
            raise self.error(f"expected the attribute '{name}', found none")
        return default if value is None else value

    def element(self, path: str, values: dict, tag: str = "") -> Translated:
        """The MJCF element that this one stands for."""
        kind, line, folder = kinds()[path], self.xml.line, self.document.source.folder
        made = Translated(kind, tag or kind.tag, self.file, line, self.document, folder)
        made.shown = self.where
        made.values = {k: v for k, v in values.items() if k != "name" or v}
        return made
