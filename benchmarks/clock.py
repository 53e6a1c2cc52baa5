"""The clock of the drivers: time that passes, or processor time, which other work changes less."""

import os
import time

PROCESSOR = "MJENV_BENCHMARK_PROCESSOR_TIME"  # variable of a worker that counts processor time


def now() -> float:
    """Seconds: on the clock, or of the processors, for this process, its threads and its children.

    Children count when they have ended.
    """
    if not os.environ.get(PROCESSOR):
        return time.perf_counter()
    children = os.times()
    return time.process_time() + children.children_user + children.children_system
