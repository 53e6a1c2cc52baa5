"""Memory that only kernels of this folder see, and what they are told of a model.

Nothing is imported here, so that the layout of all records is known before any kernel is.
"""

from ...tables.fields import table

FLEX_DATA = table("""
flexnode_pos     real  nflexnode*3   position (m)
flexnode_vel     real  nflexnode*3   velocity (m/s)
flexnode_spring  real  nflexnode*3   elastic force (N)
flexnode_damper  real  nflexnode*3   damping force (N)
flexvert_spring  real  nflexvert*3   elastic force (N)
flexcell_quat    real  nflexframe*4  from the world to the frame that turns with a cell
flexcell_shift   real  nflexcell     displacement of the nodes of a cell, in its own frame (m)
flexcell_vel     real  nflexcell     their velocity, in that frame (m/s)
strain_move      real  nstrainroom   velocity of a node by one of its dofs
""")

# frame_strips.py
FRAME_DATA = table("""
frame_cell       int   nframestrip   frames of a strip of cells
frame_columns    real  nframestrip*9 columns of their deformation gradients
""")

FLEX_EDGE_DATA = table("""
flexedge_growth  real  nflexedge     growth of its squared length, with damping (m^2)
flexedge_tension real  nflexedge     force along an edge, over its length (N/m)
flexvert_slide   int   nflexvert     first dof of a vertex that slides along x, y and z
""")

FLEX_MODEL = table("""
nflexframe        size  -             cells of all deformables with nodes
nframestrip       size  -             cells of a strip
flex_frameadr     int   nflex         frame of its first cell
nflexcell         size  -             room for three numbers of each node of a cell
flexvert_cell     int   nflexvert*3   cell that holds a vertex, along each axis
flexnode_own      int   nflexnode     1: the node is its body's origin, and slides by its dofs
flexbend_cell     int   nflexbending  of shells: number of edges, and the cells of each edge
flex_pulls        int   nflex         1: something pulls along its edges
flex_sheet        int   nflex         1: strain at its vertices is constrained
flexedge_chainadr int   nflexedge     first entry in chain_dof, of edges that are constrained
flexedge_chainnum int   nflexedge     dofs that move the ends of such an edge
flexedge_coupled  int   nflexedge     1: the chain spans two branches of the tree
flexvert_chainadr int   nflexvert     first entry in chain_dof, of vertices that are constrained
flexvert_chainnum int   nflexvert     dofs that move such a vertex or its neighbours
flexvert_coupled  int   nflexvert     1: the chain spans two branches of the tree
nstrainentry      size  -             dofs of all nodes of constrained cells
nstrainroom       size  -             most of them in one cell, times 3
eq_cell           int   neq           cell whose strain is constrained
eq_modenum        int   neq           strains of the cell
eq_entryadr       int   neq           first of its entries among the next two
eq_entrynum       int   neq           dofs of its nodes, those of several nodes several times
strain_node       int   nstrainentry  node, counted in the cell
strain_place      int   nstrainentry  its dof, counted in the chain of the constraint
""")

# implicit.py
IMPLICIT_DATA = table("""
node_H           real  nnodeH         matrix of the dofs of nodes, columns of its lower triangle
node_rhs         real  nnodedof       forces, then accelerations
node_move        real  nnodeentry*3   velocity of a node by one of its dofs
""")

IMPLICIT_MODEL = table("""
nnodedof          size  -             dofs of nodes that implicit integrators solve for
nnodeband         size  -             elements of a column of their matrix, from the diagonal on
nnodeH            size  -             elements of their matrix
nnodeentry        size  -             dofs of all nodes
flex_implicit     int   nflex         1: its elasticity is implicit
nodedof_dof       int   nnodedof      dof
dof_nodedof       int   nv            place of a dof among these; -1: none
node_entryadr     int   nflexnode     first of its entries in nodeentry_dof
node_entrynum     int   nflexnode     dofs of these that move it
nodeentry_dof     int   nnodeentry    place of such a dof
""")

FLEX_MODEL += IMPLICIT_MODEL
FLEX_DATA += IMPLICIT_DATA
