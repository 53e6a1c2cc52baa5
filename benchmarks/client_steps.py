"""`mj_step` of one world of other packages' tasks, with `mujoco` and with `mjenv.mujoco`.

`python -m benchmarks.client_steps --reference PYTHON --ours PYTHON [PACKAGE ...]` runs every task
of the packages for some of its own steps in both interpreters, and times one `mj_step` from each
state on the way, in processor time, both in turn. The first interpreter needs the packages and
`mujoco`, the second the packages and mjenv; see tests/clients.py.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

# in interpreters that have only the packages, this is a script
ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.append(str(ROOT))

STATES, ROUNDS = 60, 7


class Task:
    """The model of a task, and states that it goes through."""

    def __init__(self, package: str, name: str):
        import mujoco

        from tests.client_tasks import PACKAGES

        task, rng = PACKAGES[package][0](name), np.random.default_rng(0)
        task.reset(0)
        self._lib, self._spec = mujoco, int(mujoco.mjtState.mjSTATE_INTEGRATION)
        self._states = []
        for _ in range(STATES):
            self._model, data = task.physics()
            state = np.zeros(mujoco.mj_stateSize(self._model, self._spec))
            mujoco.mj_getState(self._model, data, state, self._spec)
            self._states.append(state)
            task.step(rng)
        self._data = mujoco.MjData(self._model)

    def seconds(self) -> float:
        """Processor time of a step, the mean over states."""
        total = 0.0
        for state in self._states:
            self._lib.mj_setState(self._model, self._data, state, self._spec)
            begin = time.process_time()
            self._lib.mj_step(self._model, self._data)
            total += time.process_time() - begin
        return total / STATES


def answer() -> None:
    """Measure tasks that are asked for on the standard input, a line each; none: the last one."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what packages print
    task: Any = None
    for line in sys.stdin:
        words = json.loads(line)
        if words:
            task = Task(*words)
            task.seconds()
        out.write(json.dumps(task.seconds()) + "\n")
        out.flush()


# ------------------------------------------------------------ both, compared


class Worker:
    """An interpreter that measures."""

    def __init__(self, *words: str):
        pipe = subprocess.PIPE
        command = [*words, str(Path(__file__).resolve()), "--answer"]
        self._process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True
        )

    def seconds(self, *task: str) -> float:
        """Of a step of a task, or of the last one."""
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(task) + "\n")
        process.stdin.flush()
        line = process.stdout.readline()
        if not line:
            raise RuntimeError(f"{process.args}: ended")
        return json.loads(line)

    def end(self) -> None:
        """Stop it."""
        self._process.communicate()


def main() -> None:
    """Print a line for each task, and the geometric mean of the ratios of each package."""
    from tests.client_tasks import PACKAGES

    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("packages", nargs="*", help=f"of {', '.join(PACKAGES)}")
    parser.add_argument("--reference", default=sys.executable, help="an interpreter")
    parser.add_argument("--ours", default=sys.executable, help="an interpreter")
    parser.add_argument("--task", action="append", help="only these tasks")
    parser.add_argument("--answer", action="store_true", help=argparse.SUPPRESS)
    words = parser.parse_args()
    if words.answer:
        answer()
        return
    for package in words.packages or PACKAGES:
        ratios = []
        for task in PACKAGES[package][1]:
            if words.task and task not in words.task:
                continue
            workers = Worker(words.reference), Worker(words.ours, "-m", "mjenv.mujoco")
            times = [[worker.seconds(package, task)] for worker in workers]
            for _ in range(ROUNDS - 1):
                for worker, found in zip(workers, times, strict=True):
                    found.append(worker.seconds())
            for worker in workers:
                worker.end()
            theirs, ours = (1e6 * min(found) for found in times)
            ratios.append(theirs / ours)
            print(
                f"{package:18} {task:36} {theirs:7.1f} {ours:7.1f} us  {ratios[-1]:.2f}", flush=True
            )
        print(f"{package:18} geometric mean {statistics.geometric_mean(ratios or [1.0]):.2f}")


if __name__ == "__main__":
    main()
