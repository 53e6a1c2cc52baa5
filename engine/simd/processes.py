"""Processes that compile, so that the one that asked can be interrupted meanwhile.

LLVM works for seconds without looking at Python's signals. Another process can be ended at any
time: what it has stored is whole, and what it was at is compiled anew.
"""

import os
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

EVERY = 0.1  # s between looks at processes, and at the one that they work for
# a terminal sends signals to all; the one that was asked for the code ends the others
_START = """\
import signal, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
sys.path[:] = {path!r}
from mjenv.engine.simd.missing import compile_stdin
compile_stdin({parent})
"""


def can_travel(entry: Any) -> bool:
    """True if another process can find a kernel by its name."""
    function = entry[0]
    if getattr(function, "is_hook", False) or function.__module__ == "__main__":
        return False
    try:
        pickle.dumps(entry)
    except (pickle.PicklingError, AttributeError):
        return False
    return True


def start(entries: Sequence[Any]) -> subprocess.Popen | None:
    """A process that compiles entries, or None where there can be none."""
    code = _START.format(path=sys.path, parent=os.getpid())
    try:
        process = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except OSError:
        return None
    try:
        process.stdin.write(pickle.dumps(list(entries)))
        process.stdin.close()
    except OSError:
        end([process])
        return None
    return process


def wait(processes: Sequence[subprocess.Popen], look: Callable[[], object]) -> list[Any]:
    """Wait for the end of processes, and return what they have written.

    Args:
        processes: of `start`. They are ended when this thread is interrupted.
        look: called now and then.

    Returns:
        What those that succeeded had to say.
    """
    outputs: list[bytes] = []
    readers = [
        threading.Thread(
            target=lambda pipe=process.stdout: outputs.append(pipe.read()), daemon=True
        )
        for process in processes
    ]
    try:
        for reader in readers:
            reader.start()
        for reader in readers:
            while reader.is_alive():
                reader.join(EVERY)
                look()
    finally:
        end(processes)
    return [pickle.loads(output) for output in outputs if output]


def end(processes: Sequence[subprocess.Popen]) -> None:
    """End processes that are still at work."""
    for process in processes:
        process.kill()
    for process in processes:
        process.wait()


def end_with(parent: int) -> None:
    """Have this process end as soon as the one that it works for has."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(EVERY)
        os._exit(1)

    threading.Thread(target=watch, daemon=True, name="mjenv-parent").start()
