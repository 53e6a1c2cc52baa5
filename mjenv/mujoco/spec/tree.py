"""Bodies and frames: what they hold, found and listed."""

from collections.abc import Iterator
from typing import Any

from mjenv.mujoco.enumerations import enumeration
from mjenv.mujoco.spec import attaching, merging
from mjenv.mujoco.spec.adding import add_to_body, add_to_frame
from mjenv.mujoco.spec.elements import Classed, Placed
from mjenv.mujoco.spec.kinds import IN_TREE, KINDS

_TYPES = ("body", "frame", "geom", "site", "joint", "light", "camera")


class MjsFrame(Placed):
    """A frame: elements of a body that are placed in it."""

    _kind = "frame"
    _structure = "frame"

    @property
    def _classname(self) -> str:
        return self.__dict__["childclass"]

    @_classname.setter
    def _classname(self, name: str) -> None:
        self.__dict__["childclass"] = name

    def attach_body(self, body: "MjsBody", prefix: str | None = None, suffix: str | None = None):
        """Move a body into this frame, with all that refers to it, from another spec or this one.

        Args:
            body: the body.
            prefix, suffix: put around all names.

        Returns:
            The body, or a copy, where `copy_during_attach` is set.
        """
        return attaching.attach_body(self, body, prefix or "", suffix or "")

    def _is_around(self, frame: "MjsFrame | None") -> bool:
        """True if a frame is this one, or inside it."""
        while frame is not None:
            if frame is self:
                return True
            frame = frame._frame
        return False


class MjsBody(Placed, Classed):
    """A body."""

    _kind = "body"
    _structure = "body"
    _lists: dict[str, list[Any]]

    @classmethod
    def _bare(cls, spec: Any) -> Any:
        made = super()._bare(spec)
        made.__dict__["_lists"] = {kind: [] for kind in IN_TREE}
        return made

    @property
    def _classname(self) -> str:
        return self.__dict__["childclass"]

    @_classname.setter
    def _classname(self, name: str) -> None:
        self.__dict__["childclass"] = name

    # what is inside it

    def _walk(self) -> Iterator["MjsBody"]:
        """The body and all bodies inside it, depth first."""
        pending = [self]
        while pending:
            body = pending.pop()
            yield body
            pending.extend(reversed(body._lists["body"]))

    def _inside(self, kind: str) -> list[Any]:
        """All elements of a kind inside it, body by body, depth first."""
        if kind == "body":
            return list(self._walk())[1:]
        return [element for body in self._walk() for element in body._lists[kind]]

    def find_all(self, kind: Any) -> list[Any]:
        """All elements of a kind inside it, at any depth.

        Args:
            kind: its name, such as "geom", or an mjtObj.
        """
        if not isinstance(kind, str):
            if not isinstance(kind, enumeration("mjtObj")):
                raise TypeError(f"find_all: expected mjtObj or text, found {type(kind).__name__}")
            kind = kind.name.removeprefix("mjOBJ_").lower()
            kind = "body" if kind == "xbody" else kind
        if kind not in _TYPES:
            raise ValueError(f"body.find_all supports the types: {', '.join(_TYPES)}.")
        return self._inside(kind)

    def find_child(self, name: str) -> "MjsBody | None":
        """The body of a name inside it, at any depth, or itself; None: there is none."""
        return next((body for body in self._walk() if body._name == name), None)

    def add_freejoint(self, **keywords: Any) -> Any:
        """Add a free joint, which takes nothing from default classes.

        Args:
            keywords: name, group, align.
        """
        for key in keywords:
            if key not in ("align", "group", "name"):
                raise TypeError(
                    f"Invalid {key} keyword argument. Valid options are: align, group, name."
                )
        return merging.add_freejoint(self, keywords)

    # moving

    def attach_frame(self, frame: MjsFrame, prefix: str | None = None, suffix: str | None = None):
        """Move a frame with what is in it into this body; as `MjsFrame.attach_body`."""
        return attaching.attach_frame(self, frame, prefix or "", suffix or "")

    def to_frame(self) -> MjsFrame:
        """Turn it into a frame of the body around it, which gets what it holds.

        The body itself is taken out of the spec.
        """
        return merging.to_frame(self)


def _lists(kind: str) -> None:
    """Give bodies the lists of a kind, and what adds to them."""

    def listed(self: MjsBody) -> list[Any]:
        return list(self._lists[kind])

    def first(self: MjsBody) -> Any:
        return self._lists[kind][0] if self._lists[kind] else None

    def following(self: MjsBody, child: Any) -> Any:
        elements = self._lists[kind]
        place = next((k for k, e in enumerate(elements) if e is child), len(elements))
        return elements[place + 1] if place + 1 < len(elements) else None

    def added(self: MjsBody, *args: Any, **keywords: Any) -> Any:
        return add_to_body(self, kind, args, keywords)

    def added_in(self: MjsFrame, *args: Any, **keywords: Any) -> Any:
        return add_to_frame(self, kind, args, keywords)

    # names are those of the bindings: bodies, first_body, next_body, add_body
    setattr(MjsBody, KINDS[kind].plural, property(listed, doc=f"The {KINDS[kind].plural} in it."))
    for owner, name, method, text in (
        (MjsBody, f"first_{kind}", first, f"The first {kind} in it, or None."),
        (MjsBody, f"next_{kind}", following, f"The {kind} behind another one in it, or None."),
        (MjsBody, f"add_{kind}", added, f"Add a {kind} to it; keywords are its attributes."),
        (MjsFrame, f"add_{kind}", added_in, f"Add a {kind} in it; keywords are its attributes."),
    ):
        method.__name__, method.__doc__ = name, text
        setattr(owner, name, method)


for _kind in IN_TREE:
    _lists(_kind)
