"""The line of progress that a user sees while code is compiled here and in helping processes."""

import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

SOON = 1.0  # compiling that took less (s) is not told of at its end


def stages(count: int) -> str:
    """A number of stages in words."""
    return f"{count} stage{'s' * (count != 1)}"


class Progress:
    """The line on standard error; MJENV_QUIET=1 leaves it out.

    In a terminal it counts, and its end says how long it took. Elsewhere, as in a log, the first
    compiling of a process is told of when it starts, and every longer one when it has ended.

    Attributes:
        compiled: stages that were compiled in this process, until the last call of `done`.
    """

    def __init__(self):
        self.count = self.total = self.compiled = 0
        self.start = 0.0
        self._awaited: Sequence[Path] = ()
        self._told = False

    def begin(self, awaited: Sequence[Path]) -> None:
        """Several entries are going to be compiled, by several processes.

        Args:
            awaited: where their object code is going to be.
        """
        self._open(len(awaited))
        self._awaited = awaited
        self.total = self.count + len(awaited)
        self._show()

    def note(self) -> None:
        """Another entry is being compiled."""
        self._open()
        if not self._awaited:
            self.count += 1
        self._show()

    def look(self) -> None:
        """Count what other processes have compiled."""
        self._show()

    def end(self) -> None:
        """Count the stages that were begun as compiled."""
        self.count, self._awaited = self.count + len(self._awaited), ()

    def done(self) -> None:
        """Nothing is being compiled any more."""
        if self.start:
            seconds = time.perf_counter() - self.start
            text = f"mjenv: compiled {stages(self.count)} in {seconds:.1f} s"
            if self._in_terminal():
                self._say(f"\r{text}".ljust(80))
            elif seconds >= SOON:
                self._say(text)
        self.compiled += self.count
        self.count, self.total, self.start, self._awaited = 0, 0, 0.0, ()

    def _open(self, missing: int = 0) -> None:
        """Begin to count; `missing` is how many stages are known to be compiled, 0 if unknown."""
        if self.start:
            return
        self.start = time.perf_counter()
        if not self._told and not self._in_terminal():
            self._told = True
            number = f": {stages(missing)}" if missing else ""
            self._say(f"mjenv: compiling the engine for this processor, once{number}")

    def _show(self) -> None:
        if not self._in_terminal():
            return
        ready = self.count + sum(path.exists() for path in self._awaited)
        number = f"{ready} of {self.total}" if self.total > self.count else f"{ready}"
        number += f" stage{'s' * (number != '1')}"
        text = f"\rmjenv: compiling the engine for this processor, once: {number}"
        self._say(text.ljust(80), end="")

    @staticmethod
    def _in_terminal() -> bool:
        return sys.stderr is not None and sys.stderr.isatty()

    @staticmethod
    def _say(text: str, end: str = "\n") -> None:
        if os.environ.get("MJENV_QUIET", "0") in ("", "0"):
            print(text, end=end, file=sys.stderr, flush=True)


progress = Progress()
