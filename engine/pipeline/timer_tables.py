"""Timers (mjtTimer): which there are, their memory, and the form in which users see them."""

import numpy as np

from ..tables.fields import table

NTIMER = 15
# mjtTimer
(
    STEP, FORWARD, INVERSE, POSITION, VELOCITY, ACTUATION, CONSTRAINT, ADVANCE,
    POS_KINEMATICS, POS_INERTIA, POS_COLLISION, POS_MAKE, POS_PROJECT, COL_BROAD, COL_NARROW,
) = range(15)  # fmt: skip
# of the parts of forward dynamics
KINEMATICS, INERTIA = (POSITION, POS_KINEMATICS), (POSITION, POS_INERTIA)
BROAD_PHASE, NARROW_PHASE = (
    (POSITION, POS_COLLISION, COL_BROAD),
    (POSITION, POS_COLLISION, COL_NARROW),
)
ROWS, PROJECTION = (POSITION, POS_MAKE), (POSITION, POS_PROJECT)
MOTION, FORCES, SOLVING, NO_TIMER = (VELOCITY,), (ACTUATION,), (CONSTRAINT,), ()
TIMER = np.dtype([("duration", "f8"), ("number", "i4")])

TIMER_DATA = table("""
timer_duration   real    ntimer   time of each timer (s)
timer_number     real    ntimer   calls of each timer
clock_tick       long    1        address of the function that looks at the clock
clock_now        scalar  1        what it saw last (s)
""")


def timers(durations: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """Timers as users see them: (nworld, NTIMER), of dtype `TIMER`."""
    found = np.zeros(durations.shape, TIMER)
    found["duration"], found["number"] = durations, numbers
    return found
