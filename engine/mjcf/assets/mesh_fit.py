"""Geoms that take their pose and size from a mesh."""

from typing import TYPE_CHECKING

from ..geometry.pose import ZERO, add, compose, rotate

if TYPE_CHECKING:
    from ..draft.draft import Draft, Part

FITTED = ("sphere", "capsule", "cylinder", "ellipsoid", "box")


def take_mesh(geom: "Part", draft: "Draft") -> None:
    """Pose and size of a geom that names a mesh.

    A geom of type mesh keeps the mesh as its value "shape". One of another type gets the pose of
    the mesh, and its size from the box of equal inertia, or from the box around the mesh. The
    material of the mesh holds where the geom names none.
    """
    values, shape = geom.values, geom["type"]
    part = draft.find("mesh", values["mesh"], geom.element, "mesh")
    mesh = part["data"]
    if not values.get("material") and part.values.get("material"):
        values["material"] = part["material"]
    if values.get("fromto") is not None:
        raise geom.error("fromto and mesh: expected one of them, found both")
    # also where only its size is taken
    values["dataid"] = part.id
    centre = ZERO
    if shape in ("mesh", "sdf"):
        if values["shellinertia"] == "true":
            raise geom.error("shellinertia: expected inertia='shell' in the mesh instead")
        values |= {"shape": mesh, "size": mesh.reach}
        values |= {"aabb": mesh.aabb, "rbound": mesh.radius}
    elif shape not in FITTED:
        raise geom.error(f"mesh and type='{shape}': expected mesh, or one of {', '.join(FITTED)}")
    elif draft.settings["fitaabb"] == "true":
        middle = (mesh.low + mesh.high) / 2
        centre = tuple(middle.tolist())
        _fit_around(values, shape, tuple((mesh.high - middle).tolist()))
    else:
        _fit_inertia(values, shape, mesh.box)
    values["inner"] = (add(rotate(centre, mesh.quat), mesh.pos), mesh.quat)
    values["pos"], values["quat"] = compose(
        (tuple(values["pos"]), tuple(values["quat"])), values["inner"]
    )


def _fit_inertia(values: dict, shape: str, box: tuple) -> None:
    """Size from the box of equal inertia."""
    a, b, c = box
    mean = (a + b) / 2
    _set_size(
        values,
        {
            "sphere": lambda: ((a + b + c) / 3,),
            "capsule": lambda: (mean, max(0.0, c - mean / 2)),
            "cylinder": lambda: (mean, c),
        }.get(shape, lambda: box)(),
    )


def _fit_around(values: dict, shape: str, box: tuple) -> None:
    """Size of the smallest shape with a box that holds that of the mesh."""
    a, b, c = box
    width = max(a, b)
    _set_size(
        values,
        {
            "sphere": lambda: (max(width, c),),
            "capsule": lambda: (width, c - width),
            "cylinder": lambda: (width, c),
        }.get(shape, lambda: box)(),
    )


def _set_size(values: dict, size: tuple) -> None:
    """The size times `fitscale`; entries that the shape does not need are scaled too."""
    whole = size + tuple(values["size"][len(size) :])
    values["size"] = tuple(x * values["fitscale"] for x in whole)
