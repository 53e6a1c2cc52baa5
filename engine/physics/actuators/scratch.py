"""Memory that only kernels of this folder see, and what they are told of a model.

Nothing is imported here, so that the layout of all records is known before any kernel is.
"""

from ...tables.fields import table

# scratch of one thread
ACTUATOR_DATA = table("""
act_moment       real  nJmom       moment arms, in rows that have room for all that can move them
act_drive        real  nu          what the gain multiplies: the control, or the activation
act_slope        real  nv          derivative of the damping by actuators (N s/m, N m s/rad)
act_ten_slope    real  ntendon     the same along a tendon (N s/m)
act_past         real  nu          controls, delayed
act_delay        real  1           delay of a control (s)
act_kept         real  na          rates of activations in the step before
rk_act           real  na          activations at the start of a step
rk_act_dot       real  na          weighted sum of their rates
""")

ACTUATOR_MODEL = table("""
act_side         int   nJmom       1: the dof moves the first object, 2: the second, 3: both
act_driven       int   nu          1: the last activation drives the force, 0: the control
act_inductive    int   nu          1: its current has a time constant
act_slot         int   nu*5        place of its slew, integral, temperature, bristle, current
""")
