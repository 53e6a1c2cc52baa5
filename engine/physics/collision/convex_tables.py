"""Scratch of general convex collision, and how much of it a model needs."""

from typing import TYPE_CHECKING

import numpy as np

from ...tables.enums import GEOM_HFIELD
from ...tables.fields import table
from .colliders import COLLIDE_BY_PORTAL, FACES, NUMBER
from .convex import CONVEX_SLOTS
from .gjk import POLYTOPE
from .hfield import HFIELD_SLOTS

if TYPE_CHECKING:
    from ...model.model import Model

MAX_ITERATIONS = 1000  # of an expansion of polytopes
MAX_POLYVERT = 150  # corners of a polygon that MuJoCo looks at

# `scalar`: one number for all lanes, as the lanes take turns
CONVEX_DATA = table("""
ccd_near         real    2             1: the lane's bounding spheres are near; margin (m)
ccd_on           real    nccdcon       1: the lane has the contact
ccd_dist         real    nccdcon       distance (m)
ccd_pos          real    nccdcon*3     midpoint (m)
ccd_axis         real    nccdcon*3     normal
ccd_shape        scalar  32            position, orientation, sizes, margin of two geoms
ccd_kind         int     16            type, mesh, last vertex found of two geoms
ccd_tolerance    scalar  1             option ccd_tolerance (m)
ccd_count        int     8             numbers of vertices, points, iterations, faces, edges
ccd_point1       scalar  nccdcon*3     witness points of the first geom (m)
ccd_point2       scalar  nccdcon*3     witness points of the second geom (m)
ccd_weight       scalar  4             weights of the vertices of the simplex
ccd_order        int     4             vertices of a trial simplex
ccd_height       scalar  4             distances of its faces from the origin (m)
ccd_normal       scalar  4*3           normals of its faces
ccd_vertex       scalar  nccdvert*9    support points: difference, first geom, second geom (m)
ccd_corner       int     nccdvert*2    vertices of a box or mesh that they are
ccd_face         scalar  nccdface*4    projection of the origin onto a face, its square
ccd_facet        int     nccdface*8    vertices and neighbours of a face, place among candidates
ccd_map          int     nccdface      faces that are candidates for the nearest one
ccd_stack        int     nccdface*6    faces and edges still to look at
ccd_edge         int     nccdface*6    horizon: faces and edges
ccd_facing       scalar  nccdpoly*6    normals or edges of two geoms where they touch
ccd_polygon      int     nccdpoly*2    faces that these belong to
ccd_end          scalar  nccdpoly*3    ends of the edges (m)
ccd_side         scalar  nccdpoly*6    corners of one face of each geom (m)
ccd_clip         scalar  nccdpoly*12   polygon before and after a cut (m)
""")


# appended to the scratch, so that what stood before keeps its place
HFIELD_DATA = table("""
ccd_prism        scalar  6*3           vertices of a prism under samples, the lower ones first (m)
""")

DISTANCE_DATA = table("""
near_dist        real    1             smallest distance so far (m)
near_fromto      real    6             points of the two geoms that are so far apart (m)
near_cutoff      real    1             distance from which on none is needed (m)
near_geom        int     2             geoms of which the distance is asked for
""")


def hfield_room(model: "Model", hfield: int, geom: int) -> int:
    """Most contacts of a height field with a geom: two in each cell under its bounding sphere.

    An interval of L cells meets at most ceil(L) + 1 of them.
    """
    field = model.geom_dataid[hfield]
    room = 2
    for half, samples in zip(
        model.hfield_size[field], (model.hfield_ncol[field], model.hfield_nrow[field]), strict=False
    ):
        cells = int(samples) - 1
        length = model.geom_rbound[geom] * cells / half * (1 + 1e-9) + 1e-9
        room *= int(min(cells, np.ceil(length) + 1))
    return min(room, HFIELD_SLOTS)


def convex_sizes(model: "Model", kinds) -> dict:
    """Sizes of the scratch for a model whose candidate pairs have these narrow phases.

    There is room without such pairs, too: for distances that are asked for.
    """
    nccd, corners = max(int(model.opt.ccd_iterations), 1), 0
    if not {NUMBER[row] for row in COLLIDE_BY_PORTAL}.intersection(kinds):
        nccd = min(nccd, MAX_ITERATIONS)
    if NUMBER[FACES] in kinds:
        corners = max(model.mesh_polyvertnum.max(initial=4), model.mesh_polymapnum.max(initial=4))
    return {
        "nccd": nccd,
        "nccdcon": HFIELD_SLOTS if np.any(model.geom_type == GEOM_HFIELD) else CONVEX_SLOTS,
        "nccdvert": POLYTOPE + 5 + nccd,
        "nccdface": 6 * nccd,
        "nccdpoly": min(int(corners), MAX_POLYVERT),
    }
