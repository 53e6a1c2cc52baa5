"""Elements of a parsed model: values, children, and the line they came from."""

from ..errors import MjcfError, UnsupportedFeature
from .schema import Kind


class Element:
    """One element of an MJCF document.

    Attributes:
        kind: what the schema says of it.
        tag: name in the file ("worldbody" is of the kind "body").
        values: attributes that were given, by name, as `values.parse` returns them.
        children: elements inside it, included files spliced in.
        file, line: where it stands.
        folder: folder of the file, for files that the element names.
    """

    __slots__ = ("children", "file", "folder", "kind", "line", "tag", "values")

    def __init__(self, kind: Kind, tag: str, file: str, line: int, folder: str = ""):
        self.kind, self.tag, self.file, self.line, self.folder = kind, tag, file, line, folder
        self.values: dict = {}
        self.children: list[Element] = []

    @property
    def where(self) -> str:
        """`humanoid.xml:41: <joint name='knee'>`."""
        name = self.values.get("name")
        return f"{self.file}:{self.line}: <{self.tag}" + (f" name='{name}'>" if name else ">")

    def error(self, message: str) -> MjcfError:
        """An error about this element, to raise."""
        return MjcfError(f"{self.where}: {message}")

    def unsupported(self, what: str, instead: str = "") -> UnsupportedFeature:
        """The refusal of something that this version does not build, to raise."""
        hint = f"; {instead}" if instead else ""
        return UnsupportedFeature(f"{self.where}: {what} is valid, but not built yet{hint}")

    def __repr__(self) -> str:
        return self.where
