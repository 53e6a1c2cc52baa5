"""A model as parts: what a document describes, defaults applied, in the order of mjModel."""

import warnings
from collections.abc import Iterator
from typing import Any

from ...errors import nearest_or_all
from ..text.element import Element
from .defaults import Defaults
from .orientation import check as check_orientation


class Part:
    """One object of the model to be compiled.

    Attributes:
        element: where it comes from.
        values: its attributes, defaults included; passes replace them by compiled values.
        collected: a copy of them from before any pass.
        name: its name, or "".
        body, frame: what it is attached to, for parts of the tree.
        id: its place among its kind.
    """

    def __init__(self, element: Element, values: dict, body: Any = None, frame: Any = None):
        self.element, self.values = element, values
        self.collected = dict(values)
        self.body: Any = body
        self.frame: Any = frame
        self.name: str = values.get("name", "")
        self.id = -1

    def __getitem__(self, name: str):
        return self.values[name]

    @property
    def settings(self) -> dict:
        """Compiler settings of the file that it comes from."""
        return self.element.document.settings

    def error(self, message: str):
        return self.element.error(message)


class Body(Part):
    """A body and what is attached to it.

    Attributes:
        parent: the body around it; None: it is the world.
        inertial: values of the element <inertial>, or None.
        bodies, joints, geoms, sites, cameras, lights: its parts, in order.
    """

    def __init__(self, element: Element, values: Any, parent: Any = None, frame: Any = None):
        super().__init__(element, values, parent, frame)
        self.parent: Body | None = parent
        self.inertial: Part | None = None
        self.bodies: list[Body] = []
        self.joints: list[Part] = []
        self.geoms: list[Part] = []
        self.sites: list[Part] = []
        self.cameras: list[Part] = []
        self.lights: list[Part] = []

    def walk(self) -> Iterator["Body"]:
        """The body and all bodies inside it, depth first."""
        pending: list[Body] = [self]
        while pending:
            body = pending.pop()
            yield body
            pending.extend(reversed(body.bodies))


# kind: attribute of the bodies that carry it
ATTACHED = {
    "joint": "joints", "geom": "geoms", "site": "sites", "camera": "cameras", "light": "lights",
}  # fmt: skip


class Draft:
    """A model on its way from elements to arrays: all its parts.

    Attributes:
        name: name of the model.
        settings: attributes of <compiler>, with `degree` for the unit of angles.
        option, size, visual, statistic: attributes of these sections (visual: by group).
        flags: words of <flag> that were given.
        world: body 0.
        bodies, joints, ...: parts of each kind in the order of mjModel.
        stale_volumes: bounding volumes that MuJoCo counts but does not use, after fusing bodies.
        declared: names of the plugins that <extension> declares.
    """

    KINDS = (
        "body", "joint", "geom", "site", "camera", "light", "flex", "mesh", "skin", "hfield",
        "texture", "material", "pair", "exclude", "equality", "actuator", "sensor", "numeric",
        "text", "tuple", "key", "tendon", "plugin",
    )  # fmt: skip

    def __init__(self, root: Element, defaults: Defaults):
        self.root, self.defaults = root, defaults
        self.name: str = root.values.get("model", "MuJoCo Model")
        self.settings: dict = root.document.settings
        self.lengthrange: dict = {}
        self.option: dict = {}
        self.flags: dict = {}
        self.size: dict = {}
        self.visual: dict = {}
        self.statistic: dict = {}
        self.parts: dict[str, list] = {kind: [] for kind in self.KINDS}
        self.stale_volumes = 0
        self.declared: set[str] = set()
        self._places: dict[str, dict[str, Part]] = {}
        self._frames: dict[str, Part] = {}
        self._misplaced: dict[tuple[str, str], Part] = {}

    @property
    def world(self) -> Body:
        return self.parts["body"][0]

    def pad_keys(self) -> None:
        """Add keyframes without a name, up to the number that <size> asks for."""
        keys = self.parts["key"]
        while len(keys) < self.size["nkey"]:
            keys.append(Part(self.root, {}))
            keys[-1].id = len(keys) - 1

    def list_tree(self) -> None:
        """Number bodies depth first, and list what is attached to them body by body."""
        bodies = list(self.world.walk())
        self.parts["body"] = bodies
        for kind, attribute in ATTACHED.items():
            self.parts[kind] = [part for body in bodies for part in getattr(body, attribute)]
        self.number()

    def add_frame(self, frame: Part) -> None:
        """Note a frame, and refuse a name that another one has."""
        if frame.name and self._frames.setdefault(frame.name, frame) is not frame:
            raise _repeated(frame, self._frames[frame.name], "frame")

    def number(self) -> None:
        """Set the ids of all parts, and refuse names that are used twice."""
        self._places = {}
        for kind, parts in self.parts.items():
            places = self._places.setdefault(kind, {})
            for k, part in enumerate(parts):
                part.id = k
                if part.name and places.setdefault(part.name, part) is not part:
                    raise _repeated(part, places[part.name], kind)

    def places(self) -> dict[str, dict[str, int]]:
        """Places of all named parts among their kind."""
        return {
            kind: {name: part.id for name, part in parts.items()}
            for kind, parts in self._places.items()
        }

    def misplace(self, places: dict[str, dict[str, int]]) -> None:
        """Let names of what is attached to bodies mean the parts that stand in these places."""
        for kind in ATTACHED:
            for name, place in places[kind].items():
                part = self.parts[kind][place]
                if part is not self._places[kind][name]:
                    self._misplaced[kind, name] = part

    def find(self, kind: str, name: str, element: Element, attribute: str) -> Part:
        """The part of a kind that an attribute names.

        Raises:
            MjcfError: there is none; the message has the nearest name.
        """
        places = self._places.get(kind, {})
        part = places.get(name) if name else self._last_unnamed(kind, element, attribute)
        if part is None:
            hint = nearest_or_all(name, places)
            raise element.error(f"{attribute}='{name}': no such {kind}{hint}")
        if other := self._misplaced.get((kind, name)):
            warnings.warn(
                f"{element.where}: {attribute}='{name}': means another {kind} because of"
                " fusestatic='true', as in MuJoCo; give the bodies joints, or do not fuse them",
                stacklevel=2,
            )
            return other
        return part

    def _last_unnamed(self, kind: str, element: Element, attribute: str) -> Part | None:
        """Part that MuJoCo takes an empty name for: the last one of a kind that has none."""
        for part in reversed(self.parts[kind]):
            if not part.name:
                warnings.warn(
                    f"{element.where}: {attribute}='': means the last {kind} without a name,"
                    f" as in MuJoCo, {part.element.where}; name it",
                    stacklevel=3,
                )
                return part
        return None


def _repeated(part: Part, first: Part, kind: str):
    article = "an" if kind[0] in "aeo" else "a"
    place = f"first at {first.element.file}:{first.element.line}"
    return part.error(f"this name is used twice for {article} {kind}, {place}")


def checked(element: Element) -> Element:
    """The element, if its orientation is given at most once."""
    check_orientation(element)
    return element
