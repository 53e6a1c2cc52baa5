"""Base of all elements of a spec, and the settings of a compiler and a plugin."""

from typing import Any

from mjenv.mujoco.spec.classes import CLASSES
from mjenv.mujoco.spec.fields import INNER, Record
from mjenv.mujoco.words.explain import SpecError


class MjsElement:
    """MuJoCo's C interface of an element; Python has no use for it."""

    __module__ = "mujoco._specs"


class MjsOrientation(Record):
    """Other ways to say an orientation; `type` says which one counts."""

    _structure = "orientation"

    def _assign(self, value: Any) -> None:
        if not isinstance(value, MjsOrientation):
            raise TypeError(f"expected MjsOrientation, found {type(value).__name__}")
        self._copy_fields(value)


class MjLROpt(Record):
    """Options for computing ranges of the lengths of actuators."""

    _structure = "lengthrange"

    def _assign(self, value: Any) -> None:
        if type(value).__name__ != "MjLROpt":
            raise TypeError(f"expected MjLROpt, found {type(value).__name__}")
        for name in self.__dict__:
            setattr(self, name, getattr(value, name))


class MjsCompiler(Record):
    """Settings of a compiler: those of the spec that an element was made in hold for it."""

    _structure = "compiler"
    _origin: Any


INNER["orientation"] = MjsOrientation._default
INNER["lengthrange"] = MjLROpt._default


class Element(Record):
    """An element of a spec.

    Attributes:
        _kind: its kind, a key of `KINDS`.
        _spec: the spec that it belongs to, or None: it is one of a default class.
        _compiler: the compiler of the spec that it was made in.
        _id: its number in its list; of elements of the tree only after they were compiled.
        _states: what keyframes of other specs say of it, by name of the keyframe.
    """

    _kind = ""
    _spec: Any = None
    _compiler: MjsCompiler | None = None
    _id = -1
    _name = ""
    _classname = ""
    info: str

    def __init_subclass__(cls, **keywords: Any):
        super().__init_subclass__(**keywords)
        if cls._kind:
            CLASSES[cls._kind] = cls

    @classmethod
    def _made(cls, spec: Any, base: "Element | None" = None) -> Any:
        """A new element.

        Args:
            spec: the spec that it will belong to.
            base: what it has its values from; None: MuJoCo's defaults.
        """
        made = cls._bare(spec)
        if base is None:
            made._fill()
        else:
            made._copy_fields(base)
        return made

    @classmethod
    def _bare(cls, spec: Any) -> Any:
        """A new element of a spec whose fields are still to be set."""
        made = cls.__new__(cls)
        own = made.__dict__
        own["_spec"], own["_states"] = spec, {}
        own["_compiler"] = spec.compiler if spec is not None else None
        return made

    @property
    def name(self) -> str:
        """Its name."""
        return self._name

    @name.setter
    def name(self, name: str) -> None:
        if not isinstance(name, str):
            raise TypeError(f"name: expected text, found {type(name).__name__}")
        self._name = str(name)
        if self._spec is not None:
            self._spec._check_repeated(self)

    @property
    def id(self) -> int:
        """Its number in the compiled model; -1: it was not compiled yet."""
        return self._id

    @property
    def signature(self) -> int:
        """A number of the structure of its spec, as the model that is compiled from it has."""
        return self._spec._signature() if self._spec is not None else 0

    @property
    def compiler(self) -> MjsCompiler:
        """Settings that hold for it."""
        if self._compiler is None:
            raise ValueError("Element is not attached to a spec.")
        return self._compiler

    def _rename(self, prefix: str, suffix: str) -> None:
        """Put a prefix and a suffix around its name."""
        if self._name:
            self._name = prefix + self._name + suffix

    def __repr__(self) -> str:
        return f"<{self._where()} '{self._name}'>"


class Classed(Element):
    """An element of a kind that default classes have something to say of."""

    @property
    def classname(self) -> Any:
        """Its default class. Another one changes nothing but how it is written."""
        return self._spec._classes.get(self._classname) if self._spec is not None else None

    @classname.setter
    def classname(self, value: Any) -> None:
        if type(value).__name__ != "MjsDefault":
            raise TypeError(f"classname: expected MjsDefault, found {type(value).__name__}")
        self._classname = value.name


class Placed(Element):
    """An element inside a body.

    Attributes:
        _parent: the body.
        _frame: the innermost frame around it, or None.
    """

    _parent: Any = None
    _frame: Any = None

    @property
    def parent(self) -> Any:
        """The body that it is in."""
        return self._parent

    @property
    def frame(self) -> Any:
        """The frame that it is in, or None."""
        return self._frame

    def set_frame(self, frame: Any) -> None:
        """Move it into a frame of the same body."""
        if frame._parent is not None and self._parent is not frame._parent:
            raise SpecError(f"Frame and body '{self._name}' have mismatched parents", self)
        self._frame = frame
