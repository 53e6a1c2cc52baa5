"""Tendons and what they go along."""

from typing import Any

from mjenv.mujoco.enumerations import enumeration
from mjenv.mujoco.spec.elements import Element
from mjenv.mujoco.spec.fields import Record


class MjsWrap(Record):
    """One thing along the path of a tendon.

    Attributes:
        type: mjtWrap; that of a cylinder is found where it is compiled.
        info: text for messages.
    """

    _structure = "wrap"
    _tendon: "MjsTendon"
    _name = ""
    _side = ""
    _number = 0.0
    _id = 0

    @property
    def _word(self) -> str:
        """joint, pulley, site, sphere or cylinder."""
        return self.__dict__["type"].name.removeprefix("mjWRAP_").lower()

    @property
    def _tag(self) -> str:
        """Name of the element in a document: a geom is one, whatever its shape."""
        return "geom" if self._word in ("sphere", "cylinder") else self._word

    @property
    def target(self) -> Any:
        """The joint, site or geom; None: a pulley, or it is not there."""
        kinds = {"sphere": "geom", "cylinder": "geom", "site": "site", "joint": "joint"}
        kind, spec = kinds.get(self._word), self._tendon._spec
        return spec._found(kind, self._name) if kind and spec is not None else None

    @property
    def sidesite(self) -> Any:
        """The site that says on which side of a geom the tendon goes, or None."""
        spec = self._tendon._spec
        if self._word not in ("sphere", "cylinder") or not self._side or spec is None:
            return None
        return spec._found("site", self._side)

    @property
    def coef(self) -> float | None:
        """Coefficient of a joint, None for others."""
        return self._number if self._word == "joint" else None

    @property
    def divisor(self) -> float | None:
        """Divisor of a pulley, None for others."""
        return self._number if self._word == "pulley" else None

    def _moved(self, tendon: "MjsTendon") -> "MjsWrap":
        """A copy of it in another tendon."""
        made = self._copied()
        for name in ("_name", "_side", "_number", "_id"):
            setattr(made, name, getattr(self, name))
        made._tendon = tendon
        return made


class MjsTendonPath:
    """Path of a tendon, by place."""

    __module__ = "mujoco._specs"

    def __init__(self, wraps: list[MjsWrap]):
        self._wraps = wraps

    def __getitem__(self, place: int) -> MjsWrap:
        if not 0 <= place < len(self._wraps):
            raise IndexError("Index out of range.")
        return self._wraps[place]

    def __len__(self) -> int:
        return len(self._wraps)


class MjsTendon(Element):
    """A tendon."""

    _kind = _structure = "tendon"
    _path: list[MjsWrap]

    @classmethod
    def _bare(cls, spec: Any) -> Any:
        made = super()._bare(spec)
        made.__dict__["_path"] = []
        return made

    def default(self) -> Any:
        """Its default class."""
        return self._spec._classes.get(self._classname) if self._spec is not None else None

    @property
    def path(self) -> MjsTendonPath:
        """Its path."""
        return MjsTendonPath(self._path)

    def _wrap(self, kind: str, name: str = "", number: float = 0.0, side: str = "") -> MjsWrap:
        wrap: Any = MjsWrap._default()
        wrap.type = enumeration("mjtWrap")[f"mjWRAP_{kind}"]
        wrap._tendon, wrap._name, wrap._side = self, name, side
        wrap._number, wrap._id = float(number), len(self._path)
        self._path.append(wrap)
        return wrap

    def wrap_site(self, name: str) -> MjsWrap:
        """Let it go through a site."""
        return self._wrap("SITE", name)

    def wrap_geom(self, name: str, sidesite: str) -> MjsWrap:
        """Let it go around a sphere or cylinder, on the side of a site if one is named."""
        return self._wrap("SPHERE", name, side=sidesite)

    def wrap_joint(self, name: str, coef: float) -> MjsWrap:
        """Let it add a joint's position, times a coefficient."""
        return self._wrap("JOINT", name, coef)

    def wrap_pulley(self, divisor: float) -> MjsWrap:
        """Let what follows count for a part of its length."""
        return self._wrap("PULLEY", number=divisor)
