"""Bodies and what is in them, checked with MuJoCo's messages."""

from typing import TYPE_CHECKING, Any

from mjenv.engine.mjcf.geometry.shapes import size_count
from mjenv.mujoco.spec.names import Names
from mjenv.mujoco.spec.plugin_checks import check_driver
from mjenv.mujoco.words.explain import SpecError

if TYPE_CHECKING:
    from mjenv.mujoco.spec.store import Store

DOFS = {"mjJNT_FREE": 6, "mjJNT_BALL": 3, "mjJNT_SLIDE": 1, "mjJNT_HINGE": 1}
MOST_DOFS = 6  # of one body
TURNING = ("mjJNT_BALL", "mjJNT_HINGE")
NOT_IN_SITES = ("mjGEOM_MESH", "mjGEOM_HFIELD", "mjGEOM_PLANE")


def check_bodies(spec: "Store", names: Names) -> None:
    """Refuse bodies, geoms, joints, sites, cameras and lights that MuJoCo does not compile.

    Raises:
        SpecError: the first fault, body by body.
    """
    moving: dict[int, bool] = {}
    for body in spec._world._walk():
        # whether it moves: it has joints, or is in a body that does
        parent = body._parent
        moves = parent is not None and bool(body._lists["joint"] or moving[id(parent)])
        moving[id(body)] = moves
        for geom in body._lists["geom"]:
            _geom(geom, moves)
            check_driver(spec, geom, names)
        _joints(spec, body)
        for site in body._lists["site"]:
            _site(site)
        for element in (*body._lists["camera"], *body._lists["light"]):
            _aim(element, names)
        check_driver(spec, body, names)


def check_free(spec: "Store") -> None:
    """Refuse free joints beside others, and in bodies that are in others.

    Raises:
        SpecError: the first of them.
    """
    for body in spec._world._walk():
        joints = body._lists["joint"]
        if any(joint.type.name == "mjJNT_FREE" for joint in joints):
            if len(joints) > 1:
                raise SpecError("free joint can only appear by itself", body)
            if body._parent is not spec._world:
                raise SpecError("free joint can only be used on top level", body)


def _joints(spec: "Store", body: Any) -> None:
    """Refuse joints that do not go together, and a mocap body that moves."""
    joints = body._lists["joint"]
    count = sum(DOFS[joint.type.name] for joint in joints)
    if count > MOST_DOFS:
        raise SpecError(f"more than {MOST_DOFS} dofs in body '{body._name}'", body)
    ball = False
    for joint in joints:
        if ball and joint.type.name in TURNING:
            raise SpecError(f"ball followed by rotation in body '{body._name}'", body)
        ball |= joint.type.name == "mjJNT_BALL"
    if body.mocap and body._parent is not None and (count or body._parent is not spec._world):
        raise SpecError(f"mocap body '{body._name}' is not a fixed child of world", body)


def _size(element: Any) -> None:
    shape, size = element.type.name.removeprefix("mjGEOM_").lower(), list(element.size)
    if shape == "plane":
        if size[2] <= 0:
            raise SpecError("plane size(3) must be positive", element)
        return
    if element.fromto[0] == element.fromto[0]:  # a segment says its length
        size[1] = max(size[1], 1.0)
        if shape in ("ellipsoid", "box"):
            size[1:] = [size[0], 1.0]
    for place in range(size_count(shape)):
        if size[place] <= 0:
            raise SpecError(f"size {place} must be positive in geom", element)


def _geom(geom: Any, moves: bool) -> None:
    if geom.condim not in (1, 3, 4, 6):
        raise SpecError("invalid condim in geom", geom)
    shape = geom.type.name.removeprefix("mjGEOM_").lower()
    if shape in ("mesh", "sdf") and not geom.meshname:
        text = f"mesh geom '{geom._name}' (id = {geom._id}) must have valid meshid"
        raise SpecError(text, geom)
    if (shape == "hfield") != bool(geom.hfieldname):
        text = f"hfield geom '{geom._name}' (id = {geom._id}) must have valid hfieldid"
        raise SpecError(text, geom)
    if shape == "plane" and moves:
        raise SpecError("plane only allowed in static bodies", geom)
    if not geom.meshname and shape not in ("hfield", "mesh", "sdf"):
        _size(geom)


def _site(site: Any) -> None:
    if site.type.name in NOT_IN_SITES:
        raise SpecError("meshes, hfields and planes not allowed in site", site)
    _size(site)


def _aim(element: Any, names: Names) -> None:
    if element.targetbody and names.find("body", element.targetbody) is None:
        raise SpecError(f"unknown target body in {element._kind}", element)
    texture = element.texture if element._kind == "light" else ""
    if texture and names.find("texture", texture) is None:
        raise SpecError("unknown texture in light", element)
