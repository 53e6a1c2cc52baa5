"""Memory that only kernels of this folder see, and what they are told of a model.

Nothing is imported here, so that the layout of all records is known before any kernel is.
"""

from ...tables.fields import table

# box_box.py
BOX_DATA = table("""
box_count        real  1           points in the list
box_new          real  5           point to append, distance; 1: the lane appends it
box_point        real  72          points, at most 24
box_dist         real  24          distances (m)
box_good         real  24          1: the point is kept
""")

# broadphase.py
SEARCH_DATA = table("""
found_geom1      int   nfound      first geom of a pair that the broad phase found
found_geom2      int   nfound      second geom
found_pair       int   nfound      predefined pair; -1: none
found_key        int   nfound      what the pairs are being sorted by
found_order      int   nfound      the pairs in contact order
found_next       int   nfound      the pairs after the next pass of sorting
bucket           int   nbucket     places of the next pair of each key, or box of each strip
box_low          real  nsweep*3    lower corner of the bounding box of a geom (m)
box_high         real  nsweep*3    upper corner (m)
box_on           int   nsweep      2: the box moves; 1: at rest, near one that moves; 0: away
sweep_order      int   nsweep      boxes in the order of their lower ends
sweep_next       int   nsweep      the same while they are being sorted
rigid_low        real  nrigid*3    lower corner of the box around a body's boxes (m)
rigid_high       real  nrigid*3    upper corner (m)
rigid_met        int   nrigid      1: it meets another one of these
strip_adr        int   nbucket     first entry of a strip
entry_box        int   nentry      box, as often as there are strips that it meets
entry_strip      int   nentry      first strip that the box meets
entry_low        real  nentry      lower end of the box along the sweep (m)
entry_bound      real  nentry*5    upper end, both ends along the two other axes (m)
""")

# convex.py, hfield.py, distance.py
POLYTOPE = 8  # first vertex of the polytope that is expanded
# `scalar`: one number for all lanes, as the lanes take turns
CONVEX_DATA = table("""
ccd_near         real   2                      1: the lane's bounding spheres are near; margin (m)
ccd_on           real   nccdcon                1: the lane has the contact
ccd_dist         real   nccdcon                distance (m)
ccd_pos          real   nccdcon*3              midpoint (m)
ccd_axis         real   nccdcon*3              normal
ccd_shape        scalar 32                     position, orientation, sizes, margin of two geoms
ccd_kind         int    16                     type, mesh, last vertex found of two geoms
ccd_tolerance    scalar 1                      option ccd_tolerance (m)
ccd_count        int    npolytope*8            numbers of vertices, points, rounds, faces, edges
ccd_point1       scalar nccdcon*3              witness points of the first geom (m)
ccd_point2       scalar nccdcon*3              witness points of the second geom (m)
ccd_weight       scalar 4                      weights of the vertices of the simplex
ccd_order        int    4                      vertices of a trial simplex
ccd_height       scalar 4                      distances of its faces from the origin (m)
ccd_normal       scalar 4*3                    normals of its faces
ccd_vertex       scalar nccdvert*npolytope*9   support points: difference, both geoms (m)
ccd_corner       int    nccdvert*npolytope*2   vertices of a box or mesh that they are
ccd_face         scalar nccdface*npolytope*4   projection of the origin onto a face, its square
ccd_facet        int    nccdface*npolytope*8   vertices and neighbours of faces, places in lists
ccd_map          int    nccdface*npolytope     faces that are candidates for the nearest one
ccd_stack        int    nccdface*6             faces and edges still to look at
ccd_edge         int    nccdface*npolytope*6   horizon: faces and edges
ccd_new          int    nccdstrip*npolytope*8  faces that wait for their planes
ccd_new1         long   nccdstrip*npolytope*8  places of the first of their vertices
ccd_new2         long   nccdstrip*npolytope*8  of the second
ccd_new3         long   nccdstrip*npolytope*8  of the third
ccd_plane        strip  4                      projections of the origin onto eight, squares
ccd_facing       scalar nccdpoly*6             normals or edges of two geoms where they touch
ccd_polygon      int    nccdpoly*2             faces that these belong to
ccd_end          scalar nccdpoly*3             ends of the edges (m)
ccd_side         scalar nccdpoly*6             corners of one face of each geom (m)
ccd_clip         scalar nccdpoly*12            polygon before and after a cut (m)
ccd_separating   scalar 3                      all of the first geom is beyond the second
separating_axis   scalar nseparating*width*3    that of a pair and lane, in the first geom's frame
separating_vertex int   nseparating*width*2    vertices of hulls: support points along it
""")

DISTANCE_DATA = table("""
near_dist        real    1             smallest distance so far (m)
near_fromto      real    6             points of the two geoms that are so far apart (m)
near_cutoff      real    1             distance from which on none is needed (m)
near_geom        int     2             geoms of which the distance is asked for
""")

# appended to the scratch, so that what stood before keeps its place
HFIELD_DATA = table("""
ccd_prism        scalar 6*3                    vertices of a prism, the lower ones first (m)
""")

# pair_convex.py, pair_gjk.py, pair_epa.py: what lanes search together
PAIR_DATA = table("""
pair_pos         real    2*3       positions of two geoms (m)
pair_mat         real    2*9       their orientations
pair_vertex      real    4*9       simplex: difference, first geom, second geom (m)
pair_axis        real    3         direction in which all of the first geom is beyond the second
pair_outcome     real    1         what the search has found, see pair_convex.py
pair_found       int     width     contacts so far
pair_working     real    1         1: the polytope of the lane may grow
pair_bound       real    2         squares: upper bound of the depth, distance of the nearest face
pair_point       real    3         projection of the origin onto the nearest face
pair_corner      real    9         points of a new vertex (m)
pair_plane       real    4*4       projections of the origin onto the first faces, their squares
pair_face        int     width     nearest face; -1: none
pair_first       int     width     first of the newest faces
""")

# contact.py
PART_DATA = table("""
con_part         int   512         1: some slot of these parts may be used, see next_contact
""")

# mujoco_sap.py
SAP_DATA = table("""
sap_shallow      real    1         1: a pair may not touch for MuJoCo in this lane
sap_known        real    1         1: the axes of the lane are known
sap_axes         real    9         axes along which geoms are spread, one after the other
""")

# own_contacts.py
OWN_DATA = table("""
own_value      scalar  nown*62     what a contact brings itself, see own_contacts.py
own_slot         int   nown*3      its slot; candidate and dimensions there before, -1: none
own_before       int   2           slots and candidates before contacts were added
""")

SAP_MODEL = table("""
body_unswept     int   nbody       1: MuJoCo looks at all pairs of the body, without a broad phase
""")

# dynamic_candidates.py
LARGE_MODEL_TABLES = table("""
may_sleep        size  -           1: sleeping is enabled
is_large_model         size  -           1: candidates are found by the broad phase
is_dense         size  -           1: the Jacobian that users see is dense
nsweep           size  -           geoms without planes that can collide
nmoving          size  -           those that are not fixed to the world, which come first
nentry           size  -           room for boxes in strips
nrigid           size  -           bodies and what is welded to them, if they are few; 0 for many
nplane           size  -           planes that can collide
nfieldcapacity   size  -           entries of field_capacity
ngiven           size  -           predefined pairs that can collide
nfixedchain      size  -           entries of chain_dof before those of candidates
nfixedblock      size  -           most blocks besides contacts
nfixedrow        size  -           most rows besides contacts
nfixedjac        size  -           most elements of the Jacobian besides contacts
sweep_geom       int   nsweep      geoms without planes that can collide, moving ones first
sweep_rigid      int   nsweep      which of the few a geom belongs to
plane_geom       int   nplane      planes that can collide
geom_weldid      int   ngeom       body that the geom's body is welded to
geom_upid        int   ngeom       body that the parent of that one is welded to
given_pair       int   ngiven      predefined pairs that can collide, in contact order
given_adr        int   ngeom       first entry in given_geom
given_num        int   ngeom       geoms with which a geom has predefined pairs
given_geom       int   ngiven*2    these geoms
apart_adr        int   nbody       first entry in apart_body
apart_num        int   nbody       bodies that a body is excluded from touching
apart_body       int   nexclude*2  these bodies
type_collider    int   81          narrow phase of two types of geoms; -1: none
type_capacity    int   81          most contacts of two types of geoms; 0: of a height field
geom_field       int   ngeom       first entry in field_capacity of a height field
field_capacity   int   nfieldcapacity  most contacts of a height field with every geom
""")

# sdf.py
# `scalar`: one number for all lanes, as the lanes take turns
SDF_DATA = table("""
sdf_on           real    nsdfcon       1: the lane has the contact
sdf_dist         real    nsdfcon       distance (m)
sdf_pos          real    nsdfcon*3     midpoint (m)
sdf_axis         real    nsdfcon*3     normal
sdf_near         real    1             1: the lane's bounding spheres are near
sdf_known        scalar  nsdfcon*3     points that were found, in the frame of the second geom (m)
sdf_depth        scalar  nsdfcon       distance there (m)
sdf_point        scalar  3             point that is asked for (m)
sdf_asked        int     3             geom, lane; 0: distance, 1: gradient
sdf_answer       scalar  3             distance (m), or gradient
sdf_call         long    1             address of what answers
sdf_stack        int     nsdfstack     nodes still to look at
""")

# eight points at a time
SDF_STRIP_DATA = table("""
sdf_points       strip   nsdfask*3     points that are asked for (m)
sdf_wanted       strip   nsdfask       1: answers are wanted
sdf_answers      strip   nsdfask*3     distances (m), or gradients
sdf_numbers      scalar  nsdfask*32    numbers that become strips
""")
