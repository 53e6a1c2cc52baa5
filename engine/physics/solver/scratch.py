"""Memory that only kernels of this folder see, and what they are told of a model.

Nothing is imported here, so that the layout of all records is known before any kernel is.
"""

from ...tables.fields import table

# points of a line search: with fewer, searches are cut short (capped_line_search.py)
BRIEF = 20

# cg.py
CG_DATA = table("""
cg_Mgrad         real  nv          gradient times the inverse inertia matrix
cg_gradold       real  nv          gradient before the last step
cg_Mgradold      real  nv          the same times the inverse inertia matrix
""")

# dual_cone.py
SLIP_DATA = table("""
slip             scalar  76      the friction part of one contact, see solver/dual_cone.py
""")

# elimination_order.py
ORDERING_DATA = table("""
order_state      int   4           1: complete; end of the pool; last mark given; attempts
node_order       int   ntree       trees in order of elimination, island by island
node_adr         int   ntree       first element of the node's rows in sol_H
node_width       int   ntree       length of its rows: dofs of later neighbours, then its own
node_link        int   ntree       first entry in link_tree
node_linknum     int   ntree       neighbours
node_linkroom    int   ntree       room for neighbours
node_place       int   ntree       place of a tree in node_order
node_mark        int   ntree       marks while lists are merged
node_spot        int   ntree       place of a tree's columns in the rows that are being changed
link_tree        int   nlink       neighbours
link_adr         int   nlink       first column of a neighbour
""")

# fill_in.py
FILL_DATA = table("""
fill_on          int   ndense      1: may differ from zero; on the diagonal: how many of the row do
fill_run         int   ndense      by row: first column and end of each of its runs
fill_num         int   nv          runs of each row, without the diagonal
""")

# island_strips.py
STRIP_DATA = table("""
isl_strip        int     10      numbers of one island's strips, see solver/island_strips.py
dof_at           int     nv      place of the dof
place_dof        int     nv      dof at a place
isl_group        int     ntree1  1: the island's dofs lie in groups
place_num        int     nv      elements of the Jacobian that the dof at a place has
place_next       int     nv      where in the memory the next one is listed
place_four       int     nv      where a three begins in three_search
place_long       int     nv      places of threes with far more elements than others of their group
place_tail       int     nv      where those begin that are no part of strips
place_end        int     nv      where they end
place_wide       int     nv      places of dofs with a row of several elements in the inertia matrix
place_tied       int     nv      places of all dofs that share inertia with others
place_lone       scalar  nv      1: the dof shares inertia with no other, 0: it does
place_shares     int     nv      1: some dof of a strip shares inertia
place_M          scalar  nv      diagonal of the inertia matrix
place_invD       scalar  nv      inverse diagonal of its factorization
place_acc0       scalar  nv      unconstrained acceleration
place_frc0       scalar  nv      smooth force
place_acc        scalar  nv      acceleration
place_Ma         scalar  nv      M times it
place_frc        scalar  nv      force of constraints
place_grad       scalar  nv      gradient
place_Mgrad      scalar  nv      inverse of M times it
place_step       scalar  nv      the next such product of dofs that share inertia
place_search     scalar  nv      search direction
place_Mv         scalar  nv      M times it
three_search     scalar  nv*2    search direction by threes, each with 0 behind it
base_jv          real    nstriprow basis directions times the search direction
base_force       real    nstriprow forces along basis directions
search_part      scalar  4       slope and curvature at the start of a search, its length; step
""")

# islands.py
ISLAND_DATA = table("""
isl_num          int   1           number of islands
isl_tree         int   ntree1      first tree in tree_list
isl_dof          int   ntree1      first dof in dof_list
isl_block        int   ntree1      first block in block_list
isl_cone         int   ntree1      first contact with an elliptic cone in block_list
isl_row          int   ntree1      first row
isl_friction     int   ntree1      end of the rows that pull both ways
isl_plain        int   ntree1      end of the rows before elliptic cones
isl_coupled      int   ntree1      1: some constraint spans two branches
tree_root        int   ntree       a tree of the same island; its own number: the island's mark
tree_isl         int   ntree       island; -1: none
tree_list        int   ntree       trees, island by island; then those of none
block_tree       int   nblock      a tree of the block
""")

# lane_islands.py
LANE_ISLAND_DATA = table("""
lisl_live        real  1           1: the last problem's iterations ended before they converged
lisl_need        real  1           1: the lane is solved island by island
lisl_lane        real  1           `lane_on` of the whole problem
part_num         real  1           islands of the lane
tree_lisl        real  ntree       island of the tree, -1: none; before: the tree that stands for it
tree_kept        real  ntree       `tree_on` of the whole problem
lisl_acc0        real  nv          acceleration at the start
lisl_Ma0         real  nv          M times it
lisl_jar0        real  nislandrow  J times it, less aref
lisl_smooth      real  nv*2        qacc_smooth and qfrc_smooth
lisl_acc         real  nv*2        acceleration and generalized force, as far as they are known
lisl_row         real  nislandrow*3 force, curvature and violation, as far as they are known
""")

# problem.py
PROBLEM_DATA = table("""
problem          int   nproblem    the problem that is being solved, see solver/problem.py
block_list       int   nblock      blocks, problem by problem
dof_list         int   nv          dofs, problem by problem
cone_across      real  2           stiffness of an elliptic cone along the slip and across it
""")

# solver_stat.py
PROGRESS_DATA = table("""
solver_stat      real  nsolverstat mjSolverStat of each island and iteration, number by number
watch            real  6           what a solver did last, see solver/solver_stat.py
watch_step       int   1           which iteration it does
watch_state      real  nwatchrow   state of each row before the last iteration
""")

# supernodes.py
SUPERNODE_DATA = table("""
hess_rownnz      int   nv          by dof, place of its column in a row, and 1
hess_rowadr      int   nv          by dof, first element of its row
node_runadr      int   ntree       where the runs of a tree's rows are listed; -1: they are not
node_runnum      int   nv          runs of the dof's row
node_run         int   nhessrun    first columns of runs that are not all zeros, row by row
""")

# subproblems.py
NSUBPROBLEM = 13  # numbers of a subproblem
SUBPROBLEM_DATA = table("""
strip            strip   nstrip           memory of subproblems, STRIP numbers at a time
number           scalar  -                the same memory, number by number
bits             long    -                the same memory, as bits
nsubproblem_used int     2                subproblems, strips in use
subproblem       int     nsubproblemfield what one consists of, see solver/subproblems.py
subproblem_row   int     nsubproblemrow   row of the pack of each of its rows
subproblem_block int     nsubproblemrow   block of each row
subproblem_visit int     nsubproblemrow   first rows of the blocks, in the order of the next sweep
subproblem_turn  int     nsubproblemrow   the same, in the order of this one
subproblem_dof   int     nsubproblemdof   its dofs
subproblem_seed  long    nsubproblem      state of the random numbers of a sweep
subproblem_order long    nsubproblem      order of the next sweep of few rows
tree_nrow        int     ntree            rows of the island that the tree stands for
tree_ndof        int     ntree            its dofs that have a part in rows
tree_subproblem  int     ntree            subproblem of the island that the tree stands for
dof_place        int     nv               number of the dof in its subproblem, -1: in none
subproblem_pick  int     nv               dofs that matter to some of the rows
dof_scale        real    nv               square root of the inverse of the inertia's factor
""")


def subproblem_sizes(sizes: dict, width: int) -> dict:
    """Sizes of the memory of items before any rows are known: that of rows grows."""
    nv, ntree = sizes["nv"], max(sizes["ntree"], 1)
    return {
        "nstrip": 1,
        "nsubproblem": width * ntree,
        "nsubproblemfield": width * ntree * NSUBPROBLEM,
        "nsubproblemrow": width,
        "nsubproblemdof": width * nv,
    }
