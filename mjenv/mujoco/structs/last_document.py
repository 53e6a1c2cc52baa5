"""The document that was compiled last, which `mj_saveLastXML` writes."""

from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from mjenv.engine.model.model import Model


class LastDocument:
    """Source of the last document, to read it again.

    Attributes:
        read: a function that gives a new specification of it; None before any.
    """

    read: ClassVar[Any] = None

    @classmethod
    def text(cls, model: "Model") -> str:
        """The document with the numbers of a model, where it is one of this document.

        Raises:
            ValueError: no document was compiled yet.
        """
        if cls.read is None:
            raise ValueError("mj_saveLastXML: no document was compiled yet")
        spec = cls.read()
        compiled = spec.compile()
        sizes = ("nq", "nv", "nu", "nbody", "ngeom", "nsite", "nsensor", "ntendon")
        if all(getattr(compiled, name) == getattr(model, name) for name in sizes):
            spec.copy_back(model)
        return spec.to_xml()
