"""A process that holds one subject of one row and measures it each time it is told to.

Run by the runner as `python -m benchmarks.worker SUBJECT ROW THREADS`, with the interpreter
that has the subject installed. The row is JSON. For every line on its standard input the worker
makes one repeat; every answer is a JSON line: `{"ready": versions}` first, then `{"value":
figure}`, or `{"error": message}` and the end. For the line `stages` it answers `{"stages":
seconds}` of the stages of a step, empty where the subject cannot tell.
"""

import importlib
import json
import os
import sys
from importlib import metadata
from typing import Any

from .rows import BEFORE, OURS, Row, driver

PACKAGES = (
    *("mujoco", "mujoco-mjx", "mujoco-warp", "jax", "warp-lang", "brax"),
    *("envpool", "gymnasium", "numpy", "numba", "llvmlite"),
)


def main(subject: str, row: str, nthread: str) -> None:
    """Set the subject up, then measure until the input ends."""
    with os.fdopen(os.dup(1), "w") as answers:
        os.dup2(2, 1)  # what libraries print must not mix with the answers
        _pin(int(nthread))
        try:
            repeat = _driver(subject, Row(**json.loads(row)), int(nthread))
            _answer(answers, ready=versions(subject))
            for request in sys.stdin:
                if request.strip() == "stages":
                    _answer(answers, stages=getattr(repeat, "stages", dict)())
                else:
                    _answer(answers, value=float(repeat()))
        except Exception as error:  # the runner shows any failure beside the row
            _answer(answers, error=f"{type(error).__name__}: {error}".strip())


def versions(subject: str) -> dict:
    """Installed versions of the packages that matter to a subject, and of Python."""
    installed = {found.name: found.version for found in metadata.distributions()}
    # the checkout's own metadata is visible to every interpreter that runs here
    packages = (OURS, *PACKAGES) if subject in (OURS, BEFORE) else PACKAGES
    found = {package: installed[package] for package in packages if package in installed}
    return {"python": sys.version.split()[0], **found}


def _driver(subject: str, row: Row, nthread: int):
    """The subject's repeat: a function without arguments that returns the figure."""
    module, function = driver(row.kind, subject)[1].split(":")
    return getattr(importlib.import_module(module), function)(row, nthread)


def _pin(nthread: int) -> None:
    """Run on as many cores as threads are allowed, also what chooses its own number of threads."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:nthread])


def _answer(answers: Any, **content: Any) -> None:
    print(json.dumps(content), file=answers, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
