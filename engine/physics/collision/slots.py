"""Most contacts of two geoms, by what finds them."""

from ...simd.kernel import kernel
from ...tables.enums import GEOM_ELLIPSOID, GEOM_SPHERE

NTYPE = 9  # types of geoms
# all points that the search of boxes can list: where 4 edges meet 4 sides, and 4 corners of each
# face; a polygon has 8 corners at most, but rounding may list some several times
BOX_SLOTS = 24
CONVEX_SLOTS = 5
FACES_SLOTS = 5  # of polygons of meshes
PLANE_MESH_SLOTS = 3
HFIELD_SLOTS = 50  # with a height field, as many as MuJoCo lists


@kernel
def contact_capacity(kind1, kind2):
    """Most contacts of geoms of two types: spheres and ellipsoids touch others in one point."""
    if kind1 == GEOM_SPHERE or kind1 == GEOM_ELLIPSOID:
        return 1
    if kind2 == GEOM_SPHERE or kind2 == GEOM_ELLIPSOID:
        return 1
    return CONVEX_SLOTS
