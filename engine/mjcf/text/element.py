"""Elements of a parsed model: values, children, and the line they came from."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ...errors import MjcfError, UnsupportedFeature
from .schema import Kind

if TYPE_CHECKING:
    from .source import Source


class Document:
    """Settings common to the elements of one file, and of those that it includes.

    Attributes:
        source: where the files that it names are found.
        file: its main file; elements of included ones come from others.
        settings: attributes of its <compiler>, with `degree` for the unit of angles.
        urdf: whether it is a URDF document.
        comment: the one that its root begins with, or "".
    """

    def __init__(self, source: "Source", file: str = ""):
        self.source, self.file = source, file
        self.urdf = False
        self.comment = ""
        self.settings: dict = {}


class Element:
    """One element of an MJCF document.

    Attributes:
        kind: what the schema says of it.
        tag: name in the file ("worldbody" is of the kind "body").
        values: attributes that were given, by name, as `values.parse` returns them.
        children: elements inside it, included files spliced in.
        file, line: where it stands.
        folder: folder of the file, for files that the element names.
        document: what it shares with the other elements of its model file.
        rank: of a plugin or an instance of one: its place among those of the tree and of copies,
            which come behind the others; 0: one of the others.
    """

    __slots__ = ("children", "document", "file", "folder", "kind", "line", "rank", "tag", "values")

    def __init__(
        self, kind: Kind, tag: str, file: str, line: int, document: Document, folder: str = ""
    ):
        self.kind, self.tag, self.file, self.line, self.folder = kind, tag, file, line, folder
        self.document, self.rank = document, 0
        self.values: dict = {}
        self.children: list[Element] = []

    def like(self, kind: Kind | None = None, **values: Any) -> "Element":
        """An element without children at the same place of the same file.

        Args:
            kind: its kind; None: the kind and the values of this one.
            values: its values, on top.
        """
        new = kind or self.kind
        tag = self.tag if kind is None else kind.tag
        other = kind is not None and kind is not self.kind
        made = Generated if other or isinstance(self, Generated) else Element
        element = made(new, tag, self.file, self.line, self.document, self.folder)
        element.values = (self.values if kind is None else {}) | values
        element.rank = self.rank if kind is None else 0
        return element

    def copy(self) -> "Element":
        """A copy of the element and of everything inside it."""
        return self.rewritten(Element.like)

    def rewritten(self, make: "Callable[[Element], Element]") -> "Element":
        """A tree of the same form, made element by element, from outside in.

        Args:
            make: gives the element that stands for one of this tree; its children are replaced.
        """
        whole = make(self)
        pending: list[tuple[Element, Element]] = [(self, whole)]
        while pending:
            old, new = pending.pop()
            new.children = [make(child) for child in old.children]
            pending.extend(zip(old.children, new.children, strict=True))
        return whole

    def walk(self, enters: "Callable[[Element], bool] | None" = None) -> "Iterator[Element]":
        """The element and everything inside it, in the order of the document.

        Args:
            enters: whether what is inside an element is walked too; None: always.
        """
        pending: list[Element] = [self]
        while pending:
            element = pending.pop()
            yield element
            if enters is None or enters(element):
                pending.extend(reversed(element.children))

    def inside(self, enters: "Callable[[Element], bool] | None" = None) -> "Iterator[Element]":
        """As `walk`, without the element itself, which is always entered."""
        for child in self.children:
            yield from child.walk(enters)

    @property
    def settings(self) -> dict:
        """Compiler settings of the file that it comes from."""
        return self.document.settings

    @property
    def where(self) -> str:
        """`humanoid.xml:41: <joint name='knee'>`."""
        name = self.values.get("name")
        return f"{self.file}:{self.line}: <{self.tag}" + (f" name='{name}'>" if name else ">")

    def error(self, message: str) -> MjcfError:
        """An error about this element, to raise."""
        error = MjcfError(f"{self.where}: {message}")
        error.element = self
        return error

    def unsupported(self, what: str, instead: str = "") -> UnsupportedFeature:
        """The refusal of something that this version does not build, to raise."""
        hint = f"; {instead}" if instead else ""
        error = UnsupportedFeature(f"{self.where}: {what} is valid, but not supported{hint}")
        error.element = self
        return error

    def __repr__(self) -> str:
        return self.where


class Brought(Element):
    """A frame that stands where a deformable stood, in a tree that will be walked.

    Attributes:
        elements: sections and what the deformable brings to them, once the walk is there: what
            other models bring, which are attached on the way, comes in the order of the tree.
    """

    __slots__ = ("elements",)


class Translated(Element):
    """An element that stands for one of another language.

    Attributes:
        shown: what messages say of it: file, line, and the element that stands there.
    """

    __slots__ = ("shown",)

    @property
    def where(self) -> str:
        return self.shown


class Generated(Element):
    """An element that stands for another one of another kind: no line of the document has it."""

    __slots__ = ()
