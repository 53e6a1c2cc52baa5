"""A pool of threads that outlives calls, and survives fork.

Compiled code releases the GIL, so threads are enough. The caller takes part in the work: `share`
runs functions at the same time, all but one in pool threads, as far as these are free. Several
callers may share at the same time, also from within what is shared: a caller does itself what
nobody has begun, and so waits for nothing but work under way. A forked child starts a pool of its
own. Threads that have had a part in a short call stand by for the next one (standby.py).
"""

import os
import sys
import threading
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from queue import SimpleQueue

CALLER, POOL = "caller", "pool"
GROUPS = "/sys/fs/cgroup"  # where Linux shows control groups


class _Pool:
    def __init__(self):
        self.tasks: SimpleQueue[tuple[_Runs, int]] = SimpleQueue()
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
            runs, k = self.tasks.get()
            runs.run(k)
            after = runs.after
            del runs  # what it holds may be large
            if after is not None:
                after()


_pool = _Pool()


def _renew() -> None:
    global _pool
    _pool = _Pool()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)


class _Runs:
    """The functions that one caller shares with the pool.

    Attributes:
        functions: one for each run.
        others: numbers of the runs that the pool may take.
        takers: number of a run to who does it, `CALLER` or `POOL`.
        ended: numbers of the runs of the pool that have ended.
        errors: what they have raised, in the order in which they ended.
        after: what threads of the pool do after their runs.
    """

    def __init__(
        self, functions: Sequence[Callable[[], object]], after: Callable[[], object] | None
    ):
        self.functions, self.others = functions, range(1, len(functions))
        self.after = after
        self.takers: dict[int, str] = {}
        self.ended: set[int] = set()
        self.errors: list[BaseException] = []
        self._done: SimpleQueue[None] = SimpleQueue()

    def run(self, k: int) -> None:
        """A run in a thread of the pool, unless the caller has taken it."""
        if self.takers.setdefault(k, POOL) is CALLER:
            return
        try:
            self.functions[k]()
        except BaseException as error:
            self.errors.append(error)
        self.ended.add(k)
        self._done.put(None)

    def take_part(self, pool: _Pool) -> None:
        """The caller's share: the first run, then those that nobody has begun."""
        for k in self.others:
            pool.tasks.put((self, k))
        self.functions[0]()
        for k in self.others:
            if self.takers.setdefault(k, CALLER) is CALLER:
                self.functions[k]()

    def wait(self) -> None:
        """Wait for the runs that the pool has begun; it begins no further ones."""
        for k in self.others:
            if self.takers.setdefault(k, CALLER) is POOL:
                while k not in self.ended:
                    self._done.get()


def share(
    functions: Sequence[Callable[[], object]],
    stop: Callable[[], object] | None = None,
    after: Callable[[], object] | None = None,
) -> None:
    """Run functions at the same time and wait for all.

    Args:
        functions: one or more; each ends by itself when there is nothing left to do.
        stop: what has the other runs end soon, called when one in the caller's thread raises an
            error or a signal's handler does; without it they come to their end.
        after: what threads of the pool do after their parts, when nobody waits for them any more.

    Raises:
        BaseException: the first error of the caller's thread, else of the others. All runs have
            ended by then.
    """
    n = len(functions)
    if n <= 1:
        functions[0]()
        return
    pool = _pool
    if pool.size < n - 1:
        pool.grow(n - 1)
    runs, errors = _Runs(functions, after), []
    waited = False
    while not waited:
        try:
            if not errors:
                runs.take_part(pool)
            elif stop is not None:
                stop()
            runs.wait()
            waited = True
        except BaseException as error:  # it is there for the loop
            # perhaps of a signal, which may come again while the others are waited for
            errors.append(error)
    errors += runs.errors
    if errors:
        raise errors[0]


def available() -> int:
    """Number of processors that this process may use, by its affinity and its control group."""
    if hasattr(os, "sched_getaffinity"):
        return min(len(os.sched_getaffinity(0)), _allowed())
    return os.cpu_count() or 1


@cache
def _allowed() -> int:
    """Processors that control groups of Linux leave, as containers limit them."""
    limits = [sys.maxsize]
    for line in _lines("/proc/self/cgroup"):
        _, names, path = line.split(":", 2)
        # of this process's group and of those around it; a container may see its own as the root
        for folder in (Path(path), *Path(path).parents):
            if not names:
                text = " ".join(_lines(f"{GROUPS}/{folder}/cpu.max"))
            elif "cpu" in names.split(","):
                there = f"{GROUPS}/{names}/{folder}/cpu.cfs"
                text = " ".join(_lines(f"{there}_quota_us") + _lines(f"{there}_period_us"))
            else:
                continue
            quota, _, period = text.partition(" ")
            if quota.isdigit() and period.isdigit():
                limits.append(max(-(-int(quota) // int(period)), 1))
    return min(limits)


def _lines(path: str) -> list[str]:
    """Lines of a small file; none where there is no such file."""
    try:
        return Path(path).read_text().splitlines()
    except OSError:
        return []
