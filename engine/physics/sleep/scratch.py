"""Memory that only kernels of this folder see, and what they are told of a model.

Nothing is imported here, so that the layout of all records is known before any kernel is.
"""

from ...tables.fields import table

# values of tree_asleep, of what does not sleep
AWAKE = -11  # of a tree that moves
READY = -1  # of one that has been slow for long enough
BITS = ("qvel", "qfrc_applied", "xfrc_applied")  # fields that are compared bit by bit

# falling_asleep.py
SLEEP_TRANSITION_DATA = table("""
again_num        long  1           stages that run again when a tree falls asleep
again_at         long  1           address of their addresses
aside_acc        real  nv          acceleration that moves the state
aside_smooth     real  nv          forces that move it, without constraints
aside_force      real  nv          constraint forces that move it
kept_smooth      real  nv          unconstrained acceleration before this step
kept_forces      real  nv          forces without constraints before this step
""")

# resting.py
RESTING_DATA = table("""
tree_busy        int   ntree       1: the tree is awake or not known; before: its pose has changed
busy_num         int   2           bodies and dofs to compute
busy_body        int   nbody       bodies that never move, and those of busy trees
busy_dof         int   nv          dofs of busy trees
tree_moment      real  ntree*3     mass times center of mass (kg m)
""")

# sleep.py
# the memory of these fields, entered a second time: a zero with a sign is not zero there
BITS_DATA = table("""
qvel_bits        long  1           velocities, bit by bit
qfrc_applied_bits long 1           applied forces
xfrc_applied_bits long 1           forces applied to bodies
""")

SLEEP_DATA = table("""
tree_up          int   ntree       1: awake
still_qpos       real  nq          positions before the integrator moves them
""")
