"""The table of colliders: what finds the contacts and the distance of geoms of two types.

A new pair of types is its kernel and one row. Stages, distances, sensors of distances and the sizes
of tables follow from the rows; what no model uses is neither compiled nor run.
"""

from collections.abc import Callable
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, NamedTuple

from ...simd.kernel import entry, kernel, replaced, variant
from ...simd.lanes import lane_any
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
from .box_box import box_box
from .capsule_box import capsule_box
from .contact import are_near, may_touch, over_plane, pair_margin
from .convex import contact_room, convex
from .distance import capsule_box_distance, hfield_distance, nearest, search_distance
from .hfield import HFIELD_SLOTS, convex_hfield
from .mesh_faces import FACES_SLOTS, convex_faces
from .plane_and_round import plane_cylinder, plane_ellipsoid, sphere_cylinder
from .plane_mesh import PLANE_MESH_SLOTS, plane_mesh
from .portal_pairs import portal_convex, portal_distance, portal_hfield, portal_hfield_distance
from .primitives import (
    capsule_capsule,
    plane_box,
    plane_capsule,
    plane_sphere,
    sphere_capsule,
    sphere_sphere,
)
from .scratch import BOX_SLOTS
from .sdf import mesh_sdf, sdf_pair
from .sdf_tables import MOST
from .sphere_box import sphere_box
from .support import take_shape

if TYPE_CHECKING:
    from ...model.model import Model

    # set in each variant
    COLLIDER, contacts, pair_distance = 0, plane_sphere, search_distance

SOLIDS = (GEOM_SPHERE, GEOM_CAPSULE, GEOM_ELLIPSOID, GEOM_CYLINDER, GEOM_BOX, GEOM_MESH)
TYPE_NAMES = ("plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf")


class Collider(NamedTuple):
    """One row of the table; its number is its place.

    The kernel of contacts takes (m, d, geom1, geom2, slot, margin, near): the geom of the smaller
    type, the other one, the slot of the first contact, the distance up to which contacts are wanted
    (m), and a mask of the lanes in which bounding spheres are near; contacts in other lanes do no
    harm. It gives what it finds to `put_contact`. A kernel of distances is described in
    `contact_distance`.

    Attributes:
        types: pairs of types (mjtGeom) that it serves, smaller type first, where no row above does.
        slots: most contacts of a pair, or a function of the two types that tells.
        contacts: kernel that finds the contacts of a pair.
        distance: kernel of the distance of a pair; None: that of the nearest contact.
        portal: the kernel of contacts where the flag nativeccd is off; None: the same.
        portal_distance: the kernel of distances where nativeccd is off; None: the same.
        inexact: what it is called where its derivatives are refused, as it goes over the lanes.
    """

    types: tuple[tuple[int, int], ...]
    slots: int | Callable[[int, int], int]
    contacts: Callable
    distance: Callable | None = None
    portal: Callable | None = None
    portal_distance: Callable | None = None
    inexact: str = ""

    def room(self, type1: int, type2: int) -> int:
        """Most contacts of geoms of two types."""
        return self.slots if isinstance(self.slots, int) else self.slots(type1, type2)


def only(type1: int, type2: int) -> tuple[tuple[int, int], ...]:
    """One pair of types."""
    return ((type1, type2),)


PLANE_MESH = Collider(
    only(GEOM_PLANE, GEOM_MESH), PLANE_MESH_SLOTS, plane_mesh, inexact="contacts of meshes"
)
# contacts of height fields: those with room for as many as its cells may have
HFIELDS = Collider(
    tuple((GEOM_HFIELD, solid) for solid in SOLIDS), HFIELD_SLOTS, convex_hfield, hfield_distance,
    portal_hfield, portal_hfield_distance, inexact="contacts of height fields",
)  # fmt: skip
# a plane meets the mesh around a signed distance field
plane_sdf = replaced(plane_mesh, {take_shape: variant(take_shape, GEOM_MESH=GEOM_SDF)})
plane_sdf.__name__ = plane_sdf.__qualname__ = "plane_sdf"
SDF_NAME = "contacts of signed distance fields"
FIELDS = (*(kind for kind in SOLIDS if kind != GEOM_MESH), GEOM_SDF)  # distances are known
# of polygons of meshes
FACES = Collider(
    ((GEOM_BOX, GEOM_MESH), (GEOM_MESH, GEOM_MESH)), FACES_SLOTS, convex_faces, search_distance,
    portal_convex, portal_distance, inexact="contacts of convex geoms",
)  # fmt: skip
# of all that have no row of their own
CONVEX = Collider(
    tuple(combinations_with_replacement(SOLIDS, 2)), contact_room, convex, search_distance,
    portal_convex, portal_distance, inexact="contacts of convex geoms",
)  # fmt: skip

COLLIDERS = (
    Collider(only(GEOM_PLANE, GEOM_SPHERE),     1, plane_sphere),
    Collider(only(GEOM_PLANE, GEOM_CAPSULE),    2, plane_capsule),
    Collider(only(GEOM_PLANE, GEOM_BOX),        4, plane_box),
    Collider(only(GEOM_SPHERE, GEOM_SPHERE),    1, sphere_sphere),
    Collider(only(GEOM_SPHERE, GEOM_CAPSULE),   1, sphere_capsule),
    Collider(only(GEOM_CAPSULE, GEOM_CAPSULE),  2, capsule_capsule),
    Collider(only(GEOM_PLANE, GEOM_ELLIPSOID),  1, plane_ellipsoid),
    Collider(only(GEOM_PLANE, GEOM_CYLINDER),   4, plane_cylinder),
    Collider(only(GEOM_SPHERE, GEOM_CYLINDER),  1, sphere_cylinder),
    Collider(only(GEOM_SPHERE, GEOM_BOX),       1, sphere_box),
    Collider(only(GEOM_CAPSULE, GEOM_BOX),      2, capsule_box, capsule_box_distance),
    Collider(
        only(GEOM_BOX, GEOM_BOX), BOX_SLOTS, box_box, search_distance,
        portal_distance=nearest(box_box), inexact="contacts of boxes with boxes",
    ),
    PLANE_MESH,
    HFIELDS,
    FACES,
    CONVEX,
    Collider(only(GEOM_PLANE, GEOM_SDF), PLANE_MESH_SLOTS, plane_sdf, inexact=SDF_NAME),
    Collider(only(GEOM_MESH, GEOM_SDF), MOST, mesh_sdf, inexact=SDF_NAME),
    Collider(tuple((kind, GEOM_SDF) for kind in FIELDS), MOST, sdf_pair, inexact=SDF_NAME),
)  # fmt: skip
NCOLLIDER = len(COLLIDERS)
# the first row that serves a pair of types, and its place
ROW = {pair: row for row in reversed(COLLIDERS) for pair in row.types}
NUMBER = {row: k for k, row in enumerate(COLLIDERS)}


# ---------------------------------------------------------------- contacts


@kernel
def collide(m, d):
    """Contacts of the candidate pairs of one row.

    Reads: geom_xpos, geom_xmat.
    Writes: con_any, con_on, con_dist (m), con_pos (m), con_frame.
    """
    start = d.collider_adr[COLLIDER]
    for i in range(start, start + d.collider_num[COLLIDER]):
        pair = d.collider_pair[i]
        geom1, geom2 = d.cand_geom1[pair], d.cand_geom2[pair]
        margin = pair_margin(m, d, pair)
        near = may_touch(m, d, geom1, geom2, margin)
        if lane_any(near):
            contacts(m, d, geom1, geom2, d.cand_slotadr[pair], margin, near)


def _collide(row: Collider, routine: Callable, suffix: str = "") -> Callable:
    """The kernel of a stage: `collide` for one row, which knows whether it has planes."""
    name = f"collide_{row.contacts.__name__}{suffix}"
    planes = {type1 == GEOM_PLANE for type1, _ in row.types}
    near = may_touch if len(planes) > 1 else over_plane if True in planes else are_near
    given = {"contacts": routine, "may_touch": near, "COLLIDER": NUMBER[row]}
    return entry(globals(), name, collide, **given)


# kernels of stages: of all rows, and of those that have others where the flag nativeccd is off
COLLIDE = {row: _collide(row, row.contacts) for row in COLLIDERS}
COLLIDE_BY_PORTAL = {
    row: _collide(row, row.portal, "_by_portal") for row in COLLIDERS if row.portal is not None
}


# ---------------------------------------------------------------- distances


def _distances(row: Collider) -> tuple[Callable, Callable]:
    """Kernels of the distance, with the flag nativeccd on and off."""
    native = row.distance or nearest(row.contacts)
    return native, row.portal_distance or native


_DISTANCE = {row: _distances(row) for row in COLLIDERS}
# kernels of distances, without repetition; the place is the number of a routine
ROUTINES = tuple(dict.fromkeys(one for both in _DISTANCE.values() for one in both))
NO_DISTANCE = -1


def distance_routine(model: "Model", geom1: int, geom2: int) -> int:
    """Which of `ROUTINES` measures the distance of two geoms; NO_DISTANCE: none."""
    type1, type2 = sorted((int(model.geom_type[geom1]), int(model.geom_type[geom2])))
    row = ROW.get((type1, type2))
    if row is None:
        return NO_DISTANCE
    portal = bool(model.opt.disableflags & DSBL_NATIVECCD)
    return ROUTINES.index(_DISTANCE[row][portal])


@kernel
def measure(m, d):
    """Answer what `near_geom` asks for. Writes: near_dist, near_fromto (m)."""
    pair_distance(m, d, d.near_geom[0], d.near_geom[1], d.near_cutoff[0])


# kernels of stages on request, by routine
MEASURE = tuple(
    entry(globals(), f"measure_{one.__name__}", measure, pair_distance=one) for one in ROUTINES
)
