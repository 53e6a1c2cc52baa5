"""Contacts of parts of deformables: the table of narrow phases.

A new one is its kernel and a row of `KINDS`. What no deformable of a model meets is neither
imported, compiled nor run.
"""

from typing import NamedTuple

import numpy as np

from ...tables.enums import (
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

SHEET = 2  # dimensions of elements that meet signed distance fields
NTYPE, NDIM = 9, 4  # types of geoms, dimensions of elements and one more
MOST_POINTS = 50  # contacts of a sheet with a signed distance field
MOST_PRISMS = 50  # contacts of one element with a height field


class Kind(NamedTuple):
    """One row of the table; its number is its place.

    Attributes:
        contacts: kernel, by file and name, of (m, d, midpair, fcon, margin), which enters the
            contacts that it finds from the place `fcon` on.
        most: most contacts of a pair.
        reads: fields of the state that it reads.
        pairs: types of geoms and dimensions of elements that it serves.
        portal: whether it has another kernel where the flag nativeccd is off.
    """

    contacts: str
    most: int
    reads: str
    pairs: tuple[tuple[int, int], ...] = ()
    portal: bool = False

    @property
    def name(self) -> str:
        """Name of its narrow phase."""
        return self.contacts.partition(":")[2]


CURVED = (GEOM_ELLIPSOID, GEOM_CYLINDER, GEOM_MESH)  # geoms without routines of their own
ROUTINES = (GEOM_SPHERE, GEOM_CAPSULE, GEOM_BOX)
KINDS = (
    Kind("triangles:vertex_plane",     1,  "geom_xpos, geom_xmat"),
    Kind("edges:sphere_edge",          1,  "geom_xpos, geom_xmat", ((GEOM_SPHERE, 1),)),
    Kind("edges:capsule_edge",         2,  "geom_xpos, geom_xmat", ((GEOM_CAPSULE, 1),)),
    Kind("edges:box_edge",             2,  "geom_xpos, geom_xmat", ((GEOM_BOX, 1),)),
    Kind("triangles:sphere_triangle",  1,  "geom_xpos",            ((GEOM_SPHERE, 2),)),
    Kind("triangles:capsule_triangle", 5,  "geom_xpos, geom_xmat", ((GEOM_CAPSULE, 2),)),
    Kind("triangles:box_triangle",     11, "geom_xpos, geom_xmat", ((GEOM_BOX, 2),)),
    Kind("convex_elements:convex_element", 1, "geom_xpos, geom_xmat, flexelem_aabb", (
        *((kind, dim) for kind in CURVED for dim in (1, 2, 3)), *((kind, 3) for kind in ROUTINES)
    ), portal=True),
    # of deformables with each other and themselves
    Kind("edges:two_edges",                    2, "geom_xpos, geom_xmat"),
    Kind("convex_elements:two_elements",       1, "flexelem_aabb", portal=True),
    Kind("edges:vertex_edge",                  1, "geom_xpos, geom_xmat"),
    Kind("triangles:vertex_triangle",          1, ""),
    Kind("convex_elements:vertex_tetrahedron", 1, "flexelem_aabb", portal=True),
    Kind("triangles:vertex_face",              1, ""),
    # of fields
    Kind("field_elements:field_element", MOST_PRISMS, "geom_xpos, geom_xmat, flexelem_aabb", (
        (GEOM_HFIELD, 1), (GEOM_HFIELD, 2), (GEOM_HFIELD, 3)
    ), portal=True),
    Kind("distance_fields:field_sheet",  MOST_POINTS, "geom_xpos, geom_xmat, bvh_aabb_dyn"),
)  # fmt: skip
CONTACTS = tuple(row.most for row in KINDS)
NUMBER = {row.name: k for k, row in enumerate(KINDS)}
VERTEX_PLANE, VERTEX_FACE = NUMBER["vertex_plane"], NUMBER["vertex_face"]
FIELD_SHEET = NUMBER["field_sheet"]
TWO_EDGES, TWO_ELEMENTS = NUMBER["two_edges"], NUMBER["two_elements"]
# of a vertex with an element of 1, 2 or 3 dimensions
VERTEX_ELEMENT = (
    -1,
    NUMBER["vertex_edge"],
    NUMBER["vertex_triangle"],
    NUMBER["vertex_tetrahedron"],
)


def _kinds_of_geoms() -> np.ndarray:
    """Narrow phase of each type of geom and dimension, -1: none, (NTYPE, NDIM)."""
    found = np.full((NTYPE, NDIM), -1, np.int32)
    for k, row in enumerate(KINDS):
        for kind, dim in row.pairs:
            found[kind, dim] = k
    found[GEOM_PLANE], found[GEOM_SDF, SHEET] = VERTEX_PLANE, FIELD_SHEET
    return found


KINDS_OF_GEOMS = _kinds_of_geoms()

# stages: of all rows, and of those that differ where the flag nativeccd is off
NARROW_PHASE_STAGES = tuple(f"fcon_{row.name}" for row in KINDS)
NARROW_PHASE_BY_PORTAL = {
    k: f"fcon_{row.name}_by_portal" for k, row in enumerate(KINDS) if row.portal
}
