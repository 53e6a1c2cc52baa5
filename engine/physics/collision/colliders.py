"""The table of colliders: what finds the contacts and the distance of geoms of two types.

A new pair of types is its kernel and one row. Stages, distances, sensors of distances and the sizes
of tables follow from the rows; what no model uses is neither imported, compiled nor run.
"""

from collections.abc import Callable
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, NamedTuple

from ...tables.enums import (
    DSBL_NATIVECCD,
    GEOM_BOX,
    GEOM_CAPSULE,
    GEOM_CYLINDER,
    GEOM_ELLIPSOID,
    GEOM_HFIELD,
    GEOM_MESH,
    GEOM_PLANE,
    GEOM_SDF,
    GEOM_SPHERE,
)
from .sdf_tables import MOST
from .slots import BOX_SLOTS, FACES_SLOTS, HFIELD_SLOTS, PLANE_MESH_SLOTS, contact_capacity

if TYPE_CHECKING:
    from ...model.model import Model

SOLIDS = (GEOM_SPHERE, GEOM_CAPSULE, GEOM_ELLIPSOID, GEOM_CYLINDER, GEOM_BOX, GEOM_MESH)
TYPE_NAMES = ("plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf")


def name_of(place: str) -> str:
    """The name of a kernel in its file."""
    return place.partition(":")[2]


class Collider(NamedTuple):
    """One row of the table; its number is its place.

    The kernel of contacts takes (m, d, geom1, geom2, slot, margin, near): the geom of the smaller
    type, the other one, the slot of the first contact, the distance up to which contacts are wanted
    (m), and a mask of the lanes in which bounding spheres are near; contacts in other lanes do no
    harm. It gives what it finds to `put_contact`. A kernel of distances is described in
    `contact_distance`. Kernels are named by file and function.

    Attributes:
        types: pairs of types (mjtGeom) that it serves, smaller type first, where no row above does.
        slots: most contacts of a pair, or a function of the two types that tells.
        contacts: kernel that finds the contacts of a pair.
        distance: kernel of the distance of a pair; "": that of the nearest contact.
        portal: the kernel of contacts where the flag nativeccd is off; "": the same.
        portal_distance: the kernel of distances where nativeccd is off; "": the same.
        packs: the kernel of contacts where worlds share lanes; "": the same.
        inexact: what it is called where its derivatives are refused, as it goes over the lanes.
    """

    types: tuple[tuple[int, int], ...]
    slots: int | Callable[[int, int], int]
    contacts: str
    distance: str = ""
    portal: str = ""
    portal_distance: str = ""
    packs: str = ""
    inexact: str = ""

    @property
    def name(self) -> str:
        """Name of its narrow phase."""
        return name_of(self.contacts)

    def capacity(self, type1: int, type2: int) -> int:
        """Most contacts of geoms of two types."""
        return self.slots if isinstance(self.slots, int) else self.slots(type1, type2)


def only(type1: int, type2: int) -> tuple[tuple[int, int], ...]:
    """One pair of types."""
    return ((type1, type2),)


PLANE_MESH = Collider(
    only(GEOM_PLANE, GEOM_MESH), PLANE_MESH_SLOTS, "plane_mesh:plane_mesh",
    inexact="contacts of meshes",
)  # fmt: skip
# contacts of height fields: those with room for as many as its cells may have
HFIELDS = Collider(
    tuple((GEOM_HFIELD, solid) for solid in SOLIDS), HFIELD_SLOTS,
    "hfield:convex_hfield", "distance:hfield_distance",
    "portal_pairs:portal_hfield", "portal_pairs:portal_hfield_distance",
    inexact="contacts of height fields",
)  # fmt: skip
SDF_NAME = "contacts of signed distance fields"
FIELDS = (*(kind for kind in SOLIDS if kind != GEOM_MESH), GEOM_SDF)  # distances are known
# of polygons of meshes
FACES = Collider(
    ((GEOM_BOX, GEOM_MESH), (GEOM_MESH, GEOM_MESH)), FACES_SLOTS,
    "mesh_faces:convex_faces", "distance:search_distance",
    "portal_pairs:portal_convex", "portal_pairs:portal_distance",
    inexact="contacts of convex geoms",
)  # fmt: skip
# of all that have no row of their own
CONVEX = Collider(
    tuple(combinations_with_replacement(SOLIDS, 2)), contact_capacity,
    "convex:convex", "distance:search_distance",
    "portal_pairs:portal_convex", "portal_pairs:portal_distance",
    packs="pair_convex:convex_in_packs",
    inexact="contacts of convex geoms",
)  # fmt: skip

COLLIDERS = (
    Collider(only(GEOM_PLANE, GEOM_SPHERE),     1, "primitives:plane_sphere"),
    Collider(only(GEOM_PLANE, GEOM_CAPSULE),    2, "primitives:plane_capsule"),
    Collider(only(GEOM_PLANE, GEOM_BOX),        4, "primitives:plane_box"),
    Collider(only(GEOM_SPHERE, GEOM_SPHERE),    1, "primitives:sphere_sphere"),
    Collider(only(GEOM_SPHERE, GEOM_CAPSULE),   1, "primitives:sphere_capsule"),
    Collider(only(GEOM_CAPSULE, GEOM_CAPSULE),  2, "primitives:capsule_capsule"),
    Collider(only(GEOM_PLANE, GEOM_ELLIPSOID),  1, "plane_and_round:plane_ellipsoid"),
    Collider(only(GEOM_PLANE, GEOM_CYLINDER),   4, "plane_and_round:plane_cylinder"),
    Collider(only(GEOM_SPHERE, GEOM_CYLINDER),  1, "plane_and_round:sphere_cylinder"),
    Collider(only(GEOM_SPHERE, GEOM_BOX),       1, "sphere_box:sphere_box"),
    Collider(
        only(GEOM_CAPSULE, GEOM_BOX), 2, "capsule_box:capsule_box", "distance:capsule_box_distance"
    ),
    Collider(
        only(GEOM_BOX, GEOM_BOX), BOX_SLOTS, "box_box:box_box", "distance:search_distance",
        portal_distance="measure:box_box_distance", inexact="contacts of boxes with boxes",
    ),
    PLANE_MESH,
    HFIELDS,
    FACES,
    CONVEX,
    Collider(
        only(GEOM_PLANE, GEOM_SDF), PLANE_MESH_SLOTS, "plane_mesh:plane_sdf", inexact=SDF_NAME
    ),
    Collider(only(GEOM_MESH, GEOM_SDF), MOST, "sdf_triangles:mesh_sdf", inexact=SDF_NAME),
    Collider(tuple((kind, GEOM_SDF) for kind in FIELDS), MOST, "sdf:sdf_pair", inexact=SDF_NAME),
)  # fmt: skip
NCOLLIDER = len(COLLIDERS)
# the first row that serves a pair of types, and its place
ROW = {pair: row for row in reversed(COLLIDERS) for pair in row.types}
NUMBER = {row: k for k, row in enumerate(COLLIDERS)}

# stages: of all rows, of those that have others where worlds share lanes, and where the flag
# nativeccd is off; what they run
COLLIDE = {f"collide_{row.name}": (row, row.contacts) for row in COLLIDERS}
COLLIDE_IN_PACKS = {
    f"collide_{row.name}_in_packs": (row, row.packs) for row in COLLIDERS if row.packs
}
COLLIDE_BY_PORTAL = {
    f"collide_{row.name}_by_portal": (row, row.portal) for row in COLLIDERS if row.portal
}

ALL_STAGES = {**COLLIDE, **COLLIDE_IN_PACKS, **COLLIDE_BY_PORTAL}


def _distances(row: Collider) -> tuple[str, str]:
    """Kernels of the distance, with the flag nativeccd on and off."""
    native = row.distance or f"measure:{row.name}_distance"
    return native, row.portal_distance or native


_DISTANCE = {row: _distances(row) for row in COLLIDERS}
# kernels of distances, without repetition; the place is the number of a routine
ROUTINES = tuple(dict.fromkeys(one for both in _DISTANCE.values() for one in both))
NO_DISTANCE = -1
# stages on request that measure by each routine
MEASURE = tuple(f"measure_{name_of(one)}" for one in ROUTINES)


def distance_routine(model: "Model", geom1: int, geom2: int) -> int:
    """Return the row of `ROUTINES` for the distance of two geoms; NO_DISTANCE: none."""
    type1, type2 = sorted((int(model.geom_type[geom1]), int(model.geom_type[geom2])))
    row = ROW.get((type1, type2))
    if row is None:
        return NO_DISTANCE
    portal = bool(model.opt.disableflags & DSBL_NATIVECCD)
    return ROUTINES.index(_DISTANCE[row][portal])
