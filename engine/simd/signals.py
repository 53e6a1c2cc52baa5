"""Signals while compiled code runs: a thread asks it, now and then, to let Python look for them.

Python runs the handlers of signals in its main thread, between two of its own instructions, and so
not before a call of compiled code has returned. In long calls of the main thread, another thread
asks every `PERIOD` for a look: the compiled loop then calls back into Python, where handlers run.
Short calls, and those of other threads, are never asked.
"""

import os
import threading
import time
from collections.abc import Callable

PERIOD = 0.05  # s between two looks
AWAKE = 1.0  # s after the last long call that the thread stays awake


class _Watch:
    """The thread that asks the call under way in the main thread.

    Attributes:
        ask: what asks the call that is under way in the main thread; None for none.
    """

    def __init__(self):
        self.ask: Callable[[], object] | None = None
        self.main = threading.main_thread().ident
        self._awake = self._started = False
        self._wake = threading.Event()

    def wake(self) -> None:
        """Have the thread ask from now on."""
        if not self._awake:
            self._wake.set()
            if not self._started:
                threading.Thread(target=self._work, daemon=True, name="mjenv-signals").start()
                self._started = True

    def _work(self) -> None:
        self._awake = True
        last, unused = None, 0
        while True:
            time.sleep(PERIOD)
            ask = self.ask
            # a call that was under way a period ago
            if ask is not None and ask is last:
                ask()
            unused = unused + 1 if ask is None else 0
            last = ask
            if unused * PERIOD > AWAKE:
                self._sleep()
                unused = 0

    def _sleep(self) -> None:
        """Wait until there is a long call again."""
        self._wake.clear()
        self._awake = False
        # one that has come meanwhile has found this thread awake
        if self.ask is None:
            self._wake.wait()
        self._awake = True


_watch = _Watch()


def _renew() -> None:
    global _watch
    _watch = _Watch()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)


def watched(run: Callable[[], object], ask: Callable[[], object]) -> None:
    """Run compiled code that may take long.

    Args:
        run: what runs it.
        ask: has the code call back into Python soon; called by another thread.
    """
    watch = _watch
    if threading.get_ident() != watch.main:
        run()
        return
    before = watch.ask
    try:
        watch.ask = ask
        watch.wake()
        run()
    finally:
        watch.ask = before
