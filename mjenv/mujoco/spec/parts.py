"""The kinds of elements that are little more than their fields."""

from typing import TYPE_CHECKING, Any

from mjenv.mujoco.spec import attaching
from mjenv.mujoco.spec.actuators import MjsActuator as MjsActuator
from mjenv.mujoco.spec.elements import Classed, Element, Placed
from mjenv.mujoco.spec.meshes import MjsMesh as MjsMesh
from mjenv.mujoco.spec.sensors import MjsSensor as MjsSensor
from mjenv.mujoco.spec.tendons import MjsTendon as MjsTendon

if TYPE_CHECKING:
    from mjenv.mujoco.spec.tree import MjsBody


class MjsJoint(Placed, Classed):
    """A joint."""

    _kind = _structure = "joint"


class MjsGeom(Placed, Classed):
    """A geom."""

    _kind = _structure = "geom"


class MjsSite(Placed, Classed):
    """A site."""

    _kind = _structure = "site"

    def attach_body(self, body: "MjsBody", prefix: str | None = None, suffix: str | None = None):
        """Move a body to where this site is; as `MjsFrame.attach_body`."""
        return attaching.attach_to_site(self, body, prefix or "", suffix or "")


class MjsCamera(Placed, Classed):
    """A camera."""

    _kind = _structure = "camera"


class MjsLight(Placed, Classed):
    """A light."""

    _kind = _structure = "light"


class MjsFlex(Element):
    """A deformable."""

    _kind = _structure = "flex"


class MjsHField(Element):
    """A height field."""

    _kind = _structure = "hfield"


class MjsSkin(Element):
    """A skin."""

    _kind = _structure = "skin"


class MjsTexture(Element):
    """A texture.

    Attributes:
        _picture: pixels that compiling made from other attributes, which `data` shows.
    """

    _kind = _structure = "texture"
    _picture: bytes | None = None

    def _take_picture(self, pixels: bytes) -> None:
        """Show pixels that compiling made, where none were assigned."""
        if not self._given():
            self.__dict__["data"] = self.__dict__["_picture"] = pixels

    def _given(self) -> bytes:
        """Pixels that were assigned."""
        data = self.__dict__["data"]
        return b"" if data is self._picture else data

    def _copy_fields(self, other: Any) -> None:
        super()._copy_fields(other)
        if isinstance(other, MjsTexture):
            self.__dict__["data"] = other._given()


class MjsMaterial(Classed):
    """A material."""

    _kind = _structure = "material"


class MjsPair(Classed):
    """Two geoms that collide by rules of their own."""

    _kind = _structure = "pair"


class MjsExclude(Element):
    """Two bodies that do not collide."""

    _kind = _structure = "exclude"


class MjsEquality(Classed):
    """An equality constraint."""

    _kind = _structure = "equality"


class MjsNumeric(Element):
    """Numbers of a user."""

    _kind = _structure = "numeric"


class MjsText(Element):
    """A text of a user."""

    _kind = _structure = "text"


class MjsTuple(Element):
    """Things that a user has put together."""

    _kind = _structure = "tuple"


class MjsKey(Element):
    """A keyframe."""

    _kind = _structure = "key"
