"""Measures rows: one process for each subject, repeats of all subjects interleaved.

The subjects of a row are set up first. Then every round measures each of them once, in rotating
order, so that whatever else the machine does hits all alike. Only one subject works at a time;
the others wait for input.
"""

import json
import os
import statistics
import subprocess
import sys
import threading
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from . import clock
from .models import ROOT
from .rows import BEFORE, KINDS, OURS, driver

if TYPE_CHECKING:
    from mjenv.benchmarks.rows import Row


LONGEST_ANSWER_S = 300
# another checkout's mjenv comes first, then these benchmarks, so that both do the same work
START_BEFORE = """
import sys, mjenv
sys.path.append(sys.argv.pop(1))
from benchmarks.worker import main
main(*sys.argv[1:])
"""


class Subject:
    """A worker process: one subject of one row.

    Attributes:
        values: figures measured so far.
        error: why the subject cannot be measured, or None.
        versions: packages of its interpreter.
    """

    def __init__(self, name: str, row: "Row", pythons: dict, nthread: int):
        """Start the process; `wait` tells when it is set up."""
        self.name, self.values, self.error, self.versions = name, [], None, {}
        interpreter = pythons[driver(row.kind, name)[0]]
        environment = {key: str(nthread) for key in ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS")}
        if pythons.get("against"):
            environment[clock.PROCESSOR] = "1"
        start = ["-c", START_BEFORE, str(ROOT)] if name == BEFORE else ["-m", "benchmarks.worker"]
        self._process = subprocess.Popen(
            [interpreter, *start, name, json.dumps(asdict(row)), str(nthread)],
            cwd=os.path.dirname(interpreter) if name == BEFORE else ROOT,
            env={**os.environ, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def wait(self) -> None:
        """Wait until the subject is ready."""
        self.versions = self._read().get("ready", {})

    def measure(self) -> None:
        """Make one repeat, unless the subject has failed."""
        if self.error is not None:
            return
        try:
            print(file=self._process.stdin, flush=True)
        except OSError:
            self.error = "process ended"
            return
        answer = self._read()
        if "value" in answer:
            self.values.append(answer["value"])

    def stages(self) -> dict:
        """Seconds of the stages of a step, per world, in the state that the repeats end in.

        Returns:
            Names and times; empty for a subject that cannot tell, or that has failed.
        """
        if self.error is not None:
            return {}
        try:
            print("stages", file=self._process.stdin, flush=True)
        except OSError:
            return {}
        return self._read().get("stages", {})

    def close(self) -> None:
        """End the process."""
        with self._process:
            try:
                self._process.stdin.close()
                self._process.wait(10)
            except (OSError, subprocess.TimeoutExpired):
                self._process.kill()

    def _read(self) -> dict:
        """Next answer; sets `error` if it is one, or if there is none."""
        watch = threading.Timer(LONGEST_ANSWER_S, self._process.kill)
        watch.start()
        line = self._process.stdout.readline()
        watch.cancel()
        if line:
            answer = json.loads(line)
        else:
            answer = {"error": f"process ended with status {self._process.wait()}"}
        self.error = answer.get("error", self.error)
        return answer


def measure(row: "Row", pythons: dict, nthread: int, repeats: int) -> dict:
    """Measure a row.

    Args:
        row: a `Row`.
        pythons: interpreters, {"own": path, "peer": path, "against": path or None}. Where the last
            is given, figures count processor time.
        nthread: threads of every subject.
        repeats: rounds, at most `row.repeats`.

    Returns:
        The row's attributes, name and unit; `subjects`: for each subject `values`, `best` and
        `median`, or `error`; `stages`: seconds of mjenv's stages per world and step, if the row is
        of steps of physics; `ratios`: for each peer how many times better mjenv is, by `best`, by
        `median`, and in each of the `rounds`.
    """
    subjects = []
    try:
        for name in (OURS, *row.peers):
            subjects.append(Subject(name, row, pythons, nthread))
            subjects[-1].wait()
        for turn in range(min(repeats, row.repeats)):
            shift = turn % len(subjects)
            for subject in subjects[shift:] + subjects[:shift]:
                subject.measure()
        stages = subjects[0].stages()
    finally:
        for subject in subjects:
            subject.close()
    return _result(row, subjects, stages)


def _result(row: "Row", subjects: Any, stages: dict) -> dict:
    kind = KINDS[row.kind]
    best = max if kind.higher_is_better else min
    figures = {}
    for subject in subjects:
        figure = {"versions": subject.versions}
        if subject.error is not None:
            figure["error"] = subject.error
        else:
            figure |= {
                "values": subject.values,
                "best": best(subject.values),
                "median": statistics.median(subject.values),
            }
        figures[subject.name] = figure
    return {
        "name": row.name,
        "unit": kind.unit,
        **{name: value for name, value in asdict(row).items() if name != "path"},
        "subjects": figures,
        "stages": stages,
        "ratios": {
            peer: {key: ratio(kind, figures[OURS][key], figures[peer][key]) for key in _STATISTICS}
            | {"rounds": [ratio(kind, *pair) for pair in _rounds(figures, peer)]}
            for peer in row.peers
            if all("best" in figures[name] for name in (OURS, peer))
        },
    }


_STATISTICS = ("best", "median")


def _rounds(figures: dict, peer: str) -> zip:
    """Figures of mjenv and of a peer, round by round."""
    return zip(figures[OURS]["values"], figures[peer]["values"], strict=True)


def ratio(kind: Any, ours: float, peer: float) -> float:
    """How many times better mjenv's figure is than a peer's."""
    return ours / peer if kind.higher_is_better else peer / ours


def interpreters(peer_python: str | None, against: str | None = None) -> dict:
    """Interpreters of the subjects.

    `own` runs the benchmarks; `peer` has what cannot be installed beside it; `against` has mjenv
    of another checkout.

    Args:
        peer_python: path of the peers' interpreter; None for $MJENV_PEER_PYTHON, else the own one.
        against: path of the interpreter of another checkout, or None.

    Raises:
        FileNotFoundError: there is no such interpreter.
    """
    peer = peer_python or os.environ.get("MJENV_PEER_PYTHON") or sys.executable
    if not os.access(peer, os.X_OK):
        raise FileNotFoundError(
            f"benchmarks: {peer}: expected a Python interpreter that has mujoco 4.0 and envpool, "
            "found no executable; give its path with --peer-python"
        )
    if against is not None and not os.access(against, os.X_OK):
        raise FileNotFoundError(
            f"benchmarks: {against}: expected the Python interpreter of another checkout of mjenv, "
            "found no executable; give its path with --against"
        )
    # not what a link points to, which has other packages
    path = None if against is None else os.path.abspath(against)
    return {"own": sys.executable, "peer": peer, "against": path}
