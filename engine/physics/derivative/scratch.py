"""Memory that only kernels of this folder see, and what they are told of a model.

Nothing is imported here, so that the layout of all records is known before any kernel is.
"""

from ...tables.fields import table

# scratch of one thread
DERIVATIVE_DATA = table("""
der_body         real  nbody*36    force on a body for each velocity, then on its descendants too
der_left         real  nv*6        what a dof collects from the axes of those nearer to the root
der_right        real  nv*6        what a dof hands to the axes of those nearer to the root
der_axis         real  nv*6        acceleration of a dof's descendants for its velocity
mid_new          real  nv          velocities of freely turning bodies at the end of the step
mid_old          real  nv          velocities at its start
""")

# appended to the scratch, so that what stood before keeps its place
VELOCITY_DATA = table("""
der_vel          real  nbody*6     velocity of a body as qvel is now (rad/s, m/s)
der_crb          real  nbody*10    inertia of a body and its descendants as cinert is now
""")
