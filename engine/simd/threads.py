"""A pool of threads that outlives calls, and survives fork.

Compiled code releases the GIL, so threads are enough. The caller takes part in the work: `share`
runs a function n times at once, n - 1 times in pool threads. Several callers may share at the same
time; a forked child starts a pool of its own.
"""

import os
import threading
from queue import SimpleQueue


class _Pool:
    def __init__(self):
        self.tasks = SimpleQueue()
        self.size = 0
        self.lock = threading.Lock()

    def grow(self, n: int) -> None:
        """Have at least n threads."""
        with self.lock:
            while self.size < n:
                self.size += 1
                threading.Thread(target=self._work, daemon=True, name="mjenv").start()

    def _work(self) -> None:
        while True:
            function, argument, done = self.tasks.get()
            try:
                function(argument)
                done.put(None)
            except BaseException as error:
                done.put(error)


_pool = _Pool()


def _renew() -> None:
    global _pool
    _pool = _Pool()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)


def share(function, n: int) -> None:
    """Run function(0), ..., function(n - 1) at the same time and wait for all."""
    if n <= 1:
        function(0)
        return
    pool = _pool
    pool.grow(n - 1)
    done = SimpleQueue()
    for k in range(1, n):
        pool.tasks.put((function, k, done))
    errors = []
    try:
        function(0)
    finally:
        errors = [error for error in (done.get() for _ in range(1, n)) if error is not None]
    if errors:
        raise errors[0]


def available() -> int:
    """Number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
