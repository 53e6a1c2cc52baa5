"""Memory that only kernels of this folder see, and what they are told of a model.

Nothing is imported here, so that the layout of all records is known before any kernel is.
"""

from ...tables.fields import table

MAX_DEPTH = 64  # nodes of a bounding volume tree that may wait to be looked at

RAY_DATA = table("""
ray_line         real    6           start and direction in the frame of a geom
ray_plane        real    6           two directions across the ray, in the same frame
ray_near         real    1           1: the ray meets the geom's bounding box
ray_span         real    7           crossings of the sides of a height field's box; the nearest
ray_found        real    4           distance and normal, in the frame of the geom
ray_stack        int     64          nodes of a bounding volume tree still to look at
ray_ask          int     8           see `cast`: what the rays of a call meet
ray_cutoff       real    1           distance beyond which geoms are ignored
ray_pnt          real    nray*3      starts (m)
ray_vec          real    nray*3      directions
ray_dist         real    nray        distances in units of the directions; -1: none
ray_geomid       real    nray        geoms; -1: none
ray_normal       real    nray*3      normals of the surfaces
""")

# heights.py, appended to the scratch, so that what stood before keeps its place
HEIGHT_DATA = table("""
hfield_start     real    1           where the samples of the world's own height fields begin
""")
