"""Where parts of deformables touch: the table of narrow phases, and the stage of each.

A new one is its kernel and a row of `KINDS`. What no deformable of a model meets is neither
compiled nor run.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...simd.kernel import entry, kernel, replaced
from ...simd.meaning import reached
from ...tables.enums import (
    COUNT_MEET,
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
from .convex_elements import (
    convex_element,
    keep_normal,
    meet_by_portal,
    meet_convex,
    take_normal,
    two_elements,
    vertex_tetrahedron,
)
from .distance_fields import MOST_POINTS, field_sheet
from .edges import box_edge, capsule_edge, sphere_edge, two_edges, vertex_edge
from .field_elements import MOST_PRISMS, field_element
from .sides import shared_margin
from .triangles import (
    box_triangle,
    capsule_triangle,
    sphere_triangle,
    vertex_face,
    vertex_plane,
    vertex_triangle,
)

if TYPE_CHECKING:
    KIND, contacts = 0, vertex_plane  # set in each variant

SHEET = 2  # dimensions of elements that meet signed distance fields
NTYPE, NDIM = 9, 4  # types of geoms, dimensions of elements and one more


class Kind(NamedTuple):
    """One row of the table; its number is its place.

    Attributes:
        contacts: kernel of (m, d, meeting, touch, margin), which enters the contacts that it
            finds from the place `touch` on.
        most: most contacts of a meeting.
        reads: fields of the state that it reads.
        pairs: types of geoms and dimensions of elements that it serves.
    """

    contacts: Callable
    most: int
    reads: str
    pairs: tuple[tuple[int, int], ...] = ()


CURVED = (GEOM_ELLIPSOID, GEOM_CYLINDER, GEOM_MESH)  # geoms without routines of their own
ROUTINES = (GEOM_SPHERE, GEOM_CAPSULE, GEOM_BOX)
KINDS = (
    Kind(vertex_plane,     1,  "geom_xpos, geom_xmat"),
    Kind(sphere_edge,      1,  "geom_xpos, geom_xmat", ((GEOM_SPHERE, 1),)),
    Kind(capsule_edge,     2,  "geom_xpos, geom_xmat", ((GEOM_CAPSULE, 1),)),
    Kind(box_edge,         2,  "geom_xpos, geom_xmat", ((GEOM_BOX, 1),)),
    Kind(sphere_triangle,  1,  "geom_xpos",            ((GEOM_SPHERE, 2),)),
    Kind(capsule_triangle, 5,  "geom_xpos, geom_xmat", ((GEOM_CAPSULE, 2),)),
    Kind(box_triangle,     11, "geom_xpos, geom_xmat", ((GEOM_BOX, 2),)),
    Kind(convex_element,   1,  "geom_xpos, geom_xmat, flexelem_aabb", (
        *((kind, dim) for kind in CURVED for dim in (1, 2, 3)), *((kind, 3) for kind in ROUTINES)
    )),
    # of deformables with each other and themselves
    Kind(two_edges,          2,  "geom_xpos, geom_xmat"),
    Kind(two_elements,       1,  "flexelem_aabb"),
    Kind(vertex_edge,        1,  "geom_xpos, geom_xmat"),
    Kind(vertex_triangle,    1,  ""),
    Kind(vertex_tetrahedron, 1,  "flexelem_aabb"),
    Kind(vertex_face,        1,  ""),
    # of fields
    Kind(field_element, MOST_PRISMS, "geom_xpos, geom_xmat, flexelem_aabb", (
        (GEOM_HFIELD, 1), (GEOM_HFIELD, 2), (GEOM_HFIELD, 3)
    )),
    Kind(field_sheet,   MOST_POINTS, "geom_xpos, geom_xmat, bvh_aabb_dyn"),
)  # fmt: skip
CONTACTS = tuple(row.most for row in KINDS)
NUMBER = {row.contacts: k for k, row in enumerate(KINDS)}
VERTEX_PLANE, VERTEX_FACE = NUMBER[vertex_plane], NUMBER[vertex_face]
FIELD_SHEET = NUMBER[field_sheet]
TWO_EDGES, TWO_ELEMENTS = NUMBER[two_edges], NUMBER[two_elements]
# of a vertex with an element of 1, 2 or 3 dimensions
VERTEX_ELEMENT = (-1, NUMBER[vertex_edge], NUMBER[vertex_triangle], NUMBER[vertex_tetrahedron])


def _kinds_of_geoms() -> np.ndarray:
    """Narrow phase of each type of geom and dimension, -1: none, (NTYPE, NDIM)."""
    found = np.full((NTYPE, NDIM), -1, np.int32)
    for k, row in enumerate(KINDS):
        for kind, dim in row.pairs:
            found[kind, dim] = k
    found[GEOM_PLANE], found[GEOM_SDF, SHEET] = VERTEX_PLANE, FIELD_SHEET
    return found


KINDS_OF_GEOMS = _kinds_of_geoms()


@kernel
def touch(m, d):
    """Contacts of the meetings of one kind.

    Reads: meet_*, flexvert_xpos.
    Writes: touch_on, touch_dist (m), touch_pos (m), touch_normal.
    """
    for meeting in range(d.count[COUNT_MEET]):
        if d.meet_kind[meeting] == KIND:
            margin = shared_margin(m, d.meet_side[2 * meeting], d.meet_side[2 * meeting + 1])
            contacts(m, d, meeting, d.meet_adr[meeting], margin)


def _stage(number: int, row: Kind, routine: Callable, suffix: str = "") -> Callable:
    """The kernel of a stage: `touch` for one row, which says what that reads."""
    name = f"touch_{row.contacts.__name__}{suffix}"
    found = entry(globals(), name, touch, contacts=routine, KIND=number)
    if row.reads:
        found.__doc__ = (touch.__doc__ or "").replace("Reads: ", f"Reads: {row.reads}, ")
    return found


# kernels of stages: of all rows, and of those that differ where the flag nativeccd is off
PORTAL = {meet_convex: meet_by_portal, take_normal: keep_normal}
TOUCH = tuple(_stage(k, row, row.contacts) for k, row in enumerate(KINDS))
TOUCH_BY_PORTAL = {
    k: _stage(k, row, replaced(row.contacts, PORTAL), "_by_portal")
    for k, row in enumerate(KINDS)
    if meet_convex in reached(row.contacts)
}
