"""Signals that ask the process to end: noted, so that work can stop where its state is whole."""

import os
import signal
import threading
from contextlib import suppress
from types import FrameType
from typing import Any

# a terminal that is closed sends SIGHUP; Windows has none
SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
_SECOND = b"\nstopping where the agent is whole; once more to stop at once\n"


class Interrupted(KeyboardInterrupt):
    """A signal has asked the process to end.

    Attributes:
        signum: its number.
        status: exit status of a process that ends by it.
    """

    def __init__(self, signum: int):
        super().__init__(signal.Signals(signum).name)
        self.signum, self.status = signum, 128 + signum


class Interruption:
    """Inside a `with` statement, signals raise `Interrupted`, or are noted while `patient`.

    Those that the process was told to ignore, as by nohup, stay ignored. Only the main thread
    can have signals; in others nothing changes.

    Attributes:
        patient: whether the first signal is only noted; another one always raises.
        signum: the number of the signal that was noted; None for none.
    """

    def __init__(self) -> None:
        self.patient = False
        self.signum: int | None = None
        self._before: dict[int, Any] = {}

    def __enter__(self) -> "Interruption":
        if threading.current_thread() is threading.main_thread():
            for signum in SIGNALS:
                if signal.getsignal(signum) not in (signal.SIG_IGN, None):
                    self._before[signum] = signal.signal(signum, self._note)
        return self

    def __exit__(self, *error: object) -> None:
        for signum, handler in self._before.items():
            signal.signal(signum, handler)
        self._before = {}

    def check(self) -> None:
        """Raise what was noted.

        Raises:
            Interrupted: if there was a signal.
        """
        if self.signum is not None:
            raise Interrupted(self.signum)

    def _note(self, signum: int, frame: FrameType | None) -> None:
        if not self.patient or self.signum is not None:
            raise Interrupted(signum)
        self.signum = signum
        # not print: the signal may have come in the middle of another one; a terminal that was
        # closed reads nothing any more
        with suppress(OSError):
            os.write(2, _SECOND)
