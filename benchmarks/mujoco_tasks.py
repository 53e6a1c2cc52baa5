"""Physics of other packages' tasks: `Batch` beside processes that step the package `mujoco`.

`python -m benchmarks.mujoco_tasks --reference PYTHON --ours PYTHON [PACKAGE ...]` makes every task
of the packages in both interpreters, and steps its model from the state after a reset, with random
controls (and motion of mocap bodies) that change every `PERIOD` steps. The first interpreter needs
the packages and `mujoco`, the second the packages and mjenv; see tests/clients.py.

The reference runs as in a vector environment with one process for each environment: controls go to
the processes through pipes, positions and velocities come back. Both take turns.
"""

import argparse
import json
import multiprocessing
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

# in interpreters that have only the packages, this is a script
ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.append(str(ROOT))

PERIOD, ROUNDS, SHORTEST_S = 10, 3, 0.3
REACH = 0.02  # of mocap bodies, m
SET = ("qpos", "qvel", "act", "mocap_pos", "mocap_quat")


def made(package: str, name: str) -> tuple[Any, Any]:
    """The model and data of a task after a reset."""
    from tests.client_tasks import PACKAGES

    task = PACKAGES[package][0](name)
    task.reset(0)
    return task.physics()


def inputs(model: Any, data: Any, rng: np.random.Generator, worlds: tuple[int, ...]) -> tuple:
    """Controls (*worlds, nu) and positions of mocap bodies (*worlds, nmocap, 3)."""
    limited = np.asarray(model.actuator_ctrllimited, bool)[:, None]
    low, high = np.where(limited, model.actuator_ctrlrange, (-1.0, 1.0)).reshape(-1, 2).T
    control = rng.uniform(low, high, (*worlds, model.nu))
    shape = (*worlds, *data.mocap_pos.shape)
    return control, data.mocap_pos + rng.uniform(-REACH, REACH, shape)


# ------------------------------------------------------------ inside an interpreter


def batch_of(package: str, name: str, size: int, threads: int) -> Callable[[], None]:
    """`PERIOD` steps of a task in all worlds of a `Batch`."""
    from mjenv.mujoco.batch import Batch

    model, data = made(package, name)
    batch, rng = Batch(model, size, threads), np.random.default_rng(0)
    fields = {field: batch.bind(field) for field in (*SET, "ctrl")}
    for field in SET:
        fields[field][...] = getattr(data, field)

    def steps() -> None:
        fields["ctrl"][...], fields["mocap_pos"][...] = inputs(model, data, rng, (size,))
        batch.step(nstep=PERIOD)

    return steps


def one_process(pipe: Any, model: Any, data: Any) -> None:
    """Step a task, the process's own copy, whenever inputs come; None ends it."""
    import mujoco

    while True:
        given = pipe.recv()
        if given is None:
            return
        data.ctrl, data.mocap_pos = given
        mujoco.mj_step(model, data, PERIOD)
        pipe.send((data.qpos, data.qvel))


class Processes:
    """A task in processes of its own."""

    def __init__(self, package: str, name: str, size: int):
        context = multiprocessing.get_context("fork")
        self._pipes, self._children = [], []
        self._model, self._data = made(package, name)
        for _ in range(size):
            ours, theirs = context.Pipe()
            child = context.Process(
                target=one_process, args=(theirs, self._model, self._data), daemon=True
            )
            child.start()
            self._pipes.append(ours)
            self._children.append(child)
        self._rng = np.random.default_rng(0)

    def __call__(self) -> None:
        controls, places = inputs(self._model, self._data, self._rng, (len(self._pipes),))
        for pipe, *given in zip(self._pipes, controls, places, strict=True):
            pipe.send(given)
        for pipe in self._pipes:
            pipe.recv()

    def end(self) -> None:
        """Stop the processes."""
        for pipe, child in zip(self._pipes, self._children, strict=True):
            pipe.send(None)
            child.join()


def answer(kind: str, size: int, threads: int) -> None:
    """Measure tasks that are asked for on the standard input, a line each."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what packages print
    call: Any = None
    for line in sys.stdin:
        words = json.loads(line)
        if words:
            if isinstance(call, Processes):
                call.end()
            call = batch_of(*words, size, threads) if kind == "batch" else Processes(*words, size)
            for _ in range(5):
                call()
        count, begin = 0, time.perf_counter()
        while (seconds := time.perf_counter() - begin) < SHORTEST_S:
            call()
            count += 1
        out.write(json.dumps(count * size * PERIOD / seconds) + "\n")
        out.flush()


# ------------------------------------------------------------ both, compared


class Interpreter:
    """A process that measures."""

    def __init__(self, words: list[str]):
        self._process = subprocess.Popen(
            words, env=os.environ | {"PYTHONWARNINGS": "ignore"}, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip

    def rate(self, *task: str) -> float:
        """Steps per second of a task, or of the last one."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(task) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())


def main() -> None:
    """Print a line for each task, and the table of packages."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("packages", nargs="*", default=["metaworld", "gymnasium-robotics"])
    parser.add_argument("--reference", default=sys.executable, help="an interpreter")
    parser.add_argument("--ours", default=sys.executable, help="an interpreter")
    parser.add_argument("--worlds", type=int, default=512)
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--answer", help=argparse.SUPPRESS)
    words = parser.parse_args()
    if words.answer:
        size = words.worlds if words.answer == "batch" else words.processes
        answer(words.answer, size, words.threads)
        return
    from tests.client_tasks import PACKAGES

    common = [f"--{name}={getattr(words, name)}" for name in ("worlds", "processes", "threads")]
    file = str(Path(__file__).resolve())
    theirs = Interpreter([words.reference, file, *common, "--answer", "processes"])
    ours = Interpreter([words.ours, "-m", "mjenv.mujoco", file, *common, "--answer", "batch"])
    table = []
    for package in words.packages:
        ratios, rates = {}, []
        for name in PACKAGES[package][1]:
            found = [(theirs.rate(package, name), ours.rate(package, name))]
            found += [(theirs.rate(), ours.rate()) for _ in range(ROUNDS - 1)]
            a, b = (statistics.median(column) for column in zip(*found, strict=True))
            rates.append((a, b))
            ratios[name] = statistics.median(mine / other for other, mine in found)
            print(f"{package:20} {name:44} {a:9.3g} {b:9.3g} {ratios[name]:6.2f}", flush=True)
        a, b = (statistics.median(column) for column in zip(*rates, strict=True))
        worst = min(ratios, key=lambda name: ratios[name])
        middle = statistics.median(ratios.values())
        row = f"| {package}, {len(ratios)} tasks | {a:.3g} | {b:.3g} | {middle:.1f} "
        table.append(row + f"| {ratios[worst]:.1f} ({worst}) |")
    print("\n| steps per second, median | processes | `Batch` | ratio | worst |")
    print("|---|---|---|---|---|")
    print("\n".join(table))


if __name__ == "__main__":
    main()
