"""The document that was compiled last, which `mj_saveLastXML` writes."""

import importlib
import os
from typing import TYPE_CHECKING, Any, ClassVar

from mjenv.mujoco.places import places

if TYPE_CHECKING:
    from mjenv.engine.model.model import Model


def specs() -> Any:
    """The class of specs, which is built over that of models and loaded when it is needed."""
    return importlib.import_module(places()["MjSpec"]).MjSpec


class LastDocument:
    """Source of the last document, to read it again.

    Attributes:
        filename: of the document; None for a text.
        xml: the text.
        files: contents of files in memory, by name; None before any document.
    """

    filename: ClassVar[str | None] = None
    xml: ClassVar[str | bytes] = ""
    files: ClassVar[dict[str, bytes] | None] = None

    @classmethod
    def note(cls, filename: str | None, xml: str | bytes, files: dict[str, bytes]) -> None:
        """A document was compiled."""
        cls.filename, cls.xml, cls.files = filename, xml, files

    @classmethod
    def text(cls, model: "Model") -> str:
        """The document with the numbers of a model, where it is one of this document.

        Raises:
            ValueError: no document was compiled yet.
        """
        from mjenv.engine.edit.spec import Spec

        if cls.files is None:
            raise ValueError("mj_saveLastXML: no document was compiled yet")
        if cls.filename is None:
            document = Spec.from_string(cls.xml, cls.files, folder=".")
        else:
            document = Spec.from_file(cls.filename, cls.files)
        # numbers of the model go into the document, which is then written as any other
        before, edited = document.to_xml(), ""
        compiled = document.compile()
        sizes = ("nq", "nv", "nu", "nbody", "ngeom", "nsite", "nsensor", "ntendon", "nnames")
        if all(getattr(compiled, name) == getattr(model, name) for name in sizes):
            document.copy_back(model)
            edited = document.to_xml()
        spec = cls._spec("" if edited == before else edited)
        spec.compile()
        return spec.to_xml()

    @classmethod
    def _spec(cls, edited: str) -> Any:
        """The document as a spec, or another text that stands for it."""
        files = cls.files or {}
        if cls.filename is None:
            return specs().from_string(edited or cls.xml, include=files, assets=files)
        include = {os.path.basename(cls.filename): edited.encode()} if edited else {}
        return specs().from_file(cls.filename, include=files | include, assets=files)
