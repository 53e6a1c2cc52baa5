"""Progress bars: one line that changes on a terminal, a line now and then anywhere else."""

import sys
from typing import Any, TextIO

from tqdm import tqdm


class Lines:
    """A file that bars write whole lines into, which end as other lines do."""

    def __init__(self, file: TextIO):
        self._file = file

    def write(self, text: str) -> int:
        """Write what a bar shows, if it shows something."""
        for line in text.replace("\r", "\n").splitlines():
            if line.strip():
                self._file.write(f"{line.rstrip()}\n")
        return len(text)

    def flush(self) -> None:
        """Have it written."""
        self._file.flush()


def bar(seconds: float, **options: Any) -> "tqdm[Any]":
    """A bar on the standard error.

    Args:
        seconds: between two lines where that is no terminal; a line changes every 0.2 s there.
        **options: of `tqdm`.
    """
    if sys.stderr.isatty():
        return tqdm(mininterval=0.2, dynamic_ncols=True, **options)
    options["leave"] = True  # a line cannot be taken back
    return tqdm(mininterval=seconds, file=Lines(sys.stderr), **options)
