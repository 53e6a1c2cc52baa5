"""Steps of a world in real time: as far as the wall clock, times the speed."""

import time
from collections.abc import Callable

LONGEST = 0.25  # s of wall time that a frame makes up for; what was slower is lost
SLOWEST, FASTEST = 1 / 64, 16.0
WINDOW = 0.5  # s over which the rate is measured


class RealTime:
    """Turns wall time into steps.

    Attributes:
        speed: model time per wall time.
        rate: the same as it has been in the last half second.
    """

    def __init__(self, clock: Callable[[], float] = time.perf_counter):
        """Start at real speed.

        Args:
            clock: the time, s.
        """
        self.clock, self.speed, self.rate = clock, 1.0, 0.0
        self._last: float | None = None
        self._debt = 0.0
        self._since, self._gone = clock(), 0.0

    def due(self, dt: float) -> int:
        """Steps of dt (s of model time) that are due since the last call."""
        now = self.clock()
        elapsed = 0.0 if self._last is None else min(now - self._last, LONGEST)
        self._last = now
        return self.steps_in(elapsed, dt)

    def steps_in(self, elapsed: float, dt: float) -> int:
        """Steps of dt (s) for a wall time (s); what is left of it counts the next time."""
        self._debt += elapsed * self.speed
        # a time that is a multiple but for rounding is that multiple
        count = int(self._debt / dt + 1e-9)
        self._debt -= count * dt
        return count

    def rest(self) -> None:
        """Time that passes from here to the next call of `due` does not count."""
        self._last, self._debt = None, 0.0
        self._since, self._gone, self.rate = self.clock(), 0.0, 0.0

    def note(self, gone: float) -> None:
        """Measure: the world has gone so far, s of model time."""
        self._gone += gone
        elapsed = self.clock() - self._since
        if elapsed >= WINDOW:
            self.rate = self._gone / elapsed
            self._since, self._gone = self.clock(), 0.0

    def change(self, factor: float) -> None:
        """Multiply the speed, within its bounds."""
        self.speed = min(max(self.speed * factor, SLOWEST), FASTEST)
