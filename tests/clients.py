"""Programs that are written for `mujoco`, with it and with `mjenv.mujoco`: the same, and compared.

`python tests/clients.py --reference PYTHON --ours PYTHON [PACKAGE ...]` runs every task of the
table 100 steps in both interpreters, with the same seeds and actions, and one step from each of the
reference's states. The first needs the packages and `mujoco==3.8.1`, the second the packages and
mjenv; it may be the same one. `--markdown` prints the table of docs/mujoco-module.md.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

# in interpreters that have only the packages, this is a script; theirs come first
sys.path.append(str(Path(__file__).resolve().parents[1]))

from tests.client_tasks import PACKAGES, Running

STEPS, EPISODES, FIRST, NUDGE = 100, 4, 5, 1e-12
CLOSE, FAR = 1e-6, 0.02  # largest differences in the first steps, and in all of them
ONE_STEP = 1e-12  # largest median of differences after one step from the same state


# ------------------------------------------------------------ inside an interpreter


def flat(observation: Any) -> np.ndarray:
    """An observation as numbers."""
    if hasattr(observation, "items"):
        parts = [flat(observation[key]) for key in sorted(observation)]
        return np.concatenate(parts) if parts else np.zeros(0)
    return np.asarray(observation, np.float64).ravel()


class Stepper:
    """One step of bare physics from given states, with data of its own."""

    def __init__(self, physics: Callable[[], tuple[Any, Any]]):
        import mujoco

        self._physics, self._lib, self._held = physics, mujoco, (None, None)
        self._whole = int(mujoco.mjtState.mjSTATE_INTEGRATION)

    def nudge(self) -> None:
        """Move velocities by what is hardly more than rounding."""
        self._physics()[1].qvel[:] += NUDGE

    def present(self) -> np.ndarray:
        """The whole state of the task."""
        model, data = self._physics()
        state = np.zeros(self._lib.mj_stateSize(model, self._whole))
        self._lib.mj_getState(model, data, state, self._whole)
        return state

    def after(self, state: np.ndarray, rng: np.random.Generator | None = None) -> np.ndarray:
        """The state one step after another, whose numbers rng moves to those beside them."""
        model, _ = self._physics()
        if self._held[0] is not model:
            self._held = model, self._lib.MjData(model)
        data = self._held[1]
        self._lib.mj_resetData(model, data)
        self._lib.mj_setState(model, data, state, self._whole)
        for array in () if rng is None else (data.qpos, data.qvel):
            array[:] = np.nextafter(array, rng.choice([-np.inf, np.inf], array.shape))
        self._lib.mj_step(model, data)
        spec = int(self._lib.mjtState.mjSTATE_FULLPHYSICS)
        found = np.zeros(self._lib.mj_stateSize(model, spec))
        self._lib.mj_getState(model, data, found, spec)
        return found


def record(
    make: Callable[[str], Running], name: str, states: Any, episodes: int, nudged: bool
) -> dict:
    """Run a task: observations and rewards, states, and the states one step later.

    Args:
        make, name: the task.
        states: states of the reference to step from; None for those of the run.
        episodes: how many.
        nudged: whether each begins a little beside its start, and single steps beside the states.
    """
    task = make(name)
    rows: dict[str, list] = {"observation": [], "reward": [], "state": [], "after": []}
    stepper, times, beside = Stepper(task.physics), [], np.random.default_rng(0)
    for episode in range(episodes):
        rng = np.random.default_rng(episode)
        # some packages draw numbers that their own seeds do not fix
        random.seed(episode)
        np.random.seed(episode)  # noqa: NPY002 (theirs)
        rows["observation"].append(flat(task.reset(episode)))
        if nudged:
            stepper.nudge()
        for _ in range(STEPS):
            k = len(rows["after"])
            state = stepper.present() if states is None else states[k]
            rows["state"].append(state)
            rows["after"].append(stepper.after(state, beside if nudged else None))
            begin = time.perf_counter()
            observation, reward = task.step(rng)
            times.append(time.perf_counter() - begin)
            rows["observation"].append(flat(observation))
            rows["reward"].append(float(reward or 0.0))
    found = {name: np.array(values) for name, values in rows.items()}
    return found | {"seconds": np.median(times)}


def record_all(
    package: str, names: Iterable[str], out: Path, given: Path, episodes: int, nudged: bool
) -> None:
    """Run tasks of a package, and write what they did; messages of those that fail."""
    make, _ = PACKAGES[package]
    for name in names:
        path = out / f"{file_name(package, name)}.npz"
        source = given / path.name
        try:
            states = np.load(source)["state"] if source.exists() else None
            found: dict[str, Any] = record(make, name, states, episodes, nudged)
        except Exception:
            found = {"error": traceback.format_exc()}
        np.savez(path, **found)


def file_name(package: str, name: str) -> str:
    """The name of the file of a task."""
    return f"{package}--{name}".replace("/", "_").replace(" ", "_")


# ------------------------------------------------------------ both, compared


class Row(NamedTuple):
    """What came out of a task.

    Attributes:
        package, task: which.
        error: why it did not run; "" if it did.
        first: largest difference of observations and rewards in the first steps.
        all: the same in the first episode, relative to the largest number.
        median, worst: differences one step after the same state.
        speed: steps per second, as a multiple of the reference's.
        first_itself, itself: as `first` and `all`, of the reference whose start was moved by
            rounding.
        median_itself: as `median`, of the reference whose states were moved to the numbers beside
            them.
    """

    package: str
    task: str
    error: str = ""
    first: float = np.nan
    all: float = np.nan
    median: float = np.nan
    worst: float = np.nan
    speed: float = np.nan
    first_itself: float = np.nan
    itself: float = np.nan
    median_itself: float = np.nan

    @property
    def passed(self) -> bool:
        near = self.first <= CLOSE and self.all <= FAR
        chaotic = self.first <= self.first_itself and self.all <= self.itself
        exact = self.median <= ONE_STEP or self.median <= self.median_itself
        return not self.error and (near or chaotic) and exact


def compare(package: str, task: str, folder: Path, part: str = "ours") -> Row:
    """The row of a task, from the files of the reference and of another part of a folder."""
    files = [folder / name / f"{file_name(package, task)}.npz" for name in ("reference", part)]
    for file in files:
        if not file.exists():
            return Row(package, task, f"{file.parent.name}: no result")
        error = dict(np.load(file)).get("error")
        if error is not None:
            return Row(package, task, f"{file.parent.name}: {error}")
    a, b = (dict(np.load(file)) for file in files)
    if a["observation"].shape != b["observation"].shape:
        return Row(package, task, "observations differ in shape")
    names = ("observation", "reward")
    seen = [np.abs(a[k] - b[k]).reshape(len(a[k]), -1).max(1, initial=0) for k in names]
    sizes = [max(1.0, np.abs(a[k][:STEPS]).max(initial=0)) for k in names]
    first = max(seen[0][: FIRST + 1].max(), seen[1][:FIRST].max())
    far = max(d[:STEPS].max() / size for d, size in zip(seen, sizes, strict=True))
    apart = np.abs(a["after"] - b["after"]) / (1 + np.abs(a["after"]))
    apart = apart.max(axis=1, initial=0)
    speed = float(a["seconds"] / b["seconds"])
    return Row(package, task, "", first, far, float(np.median(apart)), apart.max(), speed)


class Runner(NamedTuple):
    """Runs tasks in both interpreters.

    Attributes:
        reference, ours: the interpreters.
        folder: for what they do.
        episodes: how many of each task.
    """

    reference: str
    ours: str
    folder: Path
    episodes: int

    def run(self, part: str, package: str, names: list[str]) -> None:
        """Run tasks: of the reference, nudged too, or ours."""
        ours = part == "ours"
        out = self.folder / part
        out.mkdir(parents=True, exist_ok=True)
        words = [self.ours, "-m", "mjenv.mujoco"] if ours else [self.reference]
        words += [str(Path(__file__).resolve()), package, "--record", str(out)]
        words += ["--given", str(self.folder / "reference"), "--episodes", str(self.episodes)]
        words += ["--nudged"] * (part == "nudged")
        words += [word for name in names for word in ("--task", name)]
        done = subprocess.run(
            words, env=os.environ | {"PYTHONWARNINGS": "ignore"}, capture_output=True, text=True
        )
        if done.returncode:
            print(done.stderr[-3000:], file=sys.stderr)

    def rows(self, package: str, names: list[str]) -> list[Row]:
        """Rows of tasks; what the folder has of the reference is not run again."""
        held = self.folder / "reference"
        new = [n for n in names if not (held / f"{file_name(package, n)}.npz").exists()]
        if new:
            self.run("reference", package, new)
        self.run("ours", package, names)
        rows = [compare(package, name, self.folder) for name in names]
        apart = [row.task for row in rows if not row.passed and not row.error]
        if apart:
            self.run("nudged", package, apart)
        for place, row in enumerate(rows):
            if row.task in apart:
                other = compare(package, row.task, self.folder, "nudged")
                rows[place] = row._replace(
                    first_itself=other.first, itself=other.all, median_itself=other.median
                )
        return rows


def shown(number: float) -> str:
    """A difference in a table."""
    return "0" if number == 0 else f"{number:.0e}"


def version(interpreter: str, package: str) -> str:
    """The version of a package in an interpreter."""
    code = f"import importlib.metadata as m; print(m.version({package!r}))"
    return subprocess.run([interpreter, "-c", code], capture_output=True, text=True).stdout.strip()


def markdown(rows: list[Row], versions: dict[str, str]) -> str:
    """The table of the guide: a line for each package."""
    lines = [
        "| package | tasks that run | as with `mujoco` | one step, median (worst) |",
        "|---|---|---|---|",
    ]
    for package, number in versions.items():
        own = [row for row in rows if row.package == package]
        ran = [row for row in own if not row.error]
        median = np.median([row.median for row in ran]) if ran else np.nan
        worst = max((row.worst for row in ran), default=np.nan)
        lines.append(
            f"| {package} {number} | {len(ran)} of {len(own)} | {sum(r.passed for r in own)} "
            f"| {shown(median)} ({shown(worst)}) |"
        )
    return "\n".join(lines)


def line(row: Row) -> str:
    """A row as a line of text."""
    numbers = " ".join(f"{shown(n):>6}" for n in row[3:7])
    text = f"{'ok ' if row.passed else 'BAD'} {row.package:18} {row.task:43} {numbers}"
    text += f" {row.speed:5.2f} "
    if not np.isnan(row.itself):
        text += f"{shown(row.first_itself)} {shown(row.itself)} {shown(row.median_itself)}"
    last = row.error.strip().splitlines()[-4:]
    return "\n    ".join([text, *last])


def main() -> int:
    """Run what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("packages", nargs="*", help=f"of {', '.join(PACKAGES)}")
    parser.add_argument("--reference", default=sys.executable, help="an interpreter")
    parser.add_argument("--ours", default=sys.executable, help="an interpreter")
    parser.add_argument("--task", action="append", help="only these tasks")
    parser.add_argument("--episodes", type=int, default=EPISODES)
    parser.add_argument("--keep", type=Path, help="folder for what was recorded")
    parser.add_argument("--markdown", action="store_true")
    for hidden in ("--record", "--given"):
        parser.add_argument(hidden, type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--nudged", action="store_true", help=argparse.SUPPRESS)
    words = parser.parse_args()
    if words.record:
        package = words.packages[0]
        record_all(package, words.task, words.record, words.given, words.episodes, words.nudged)
        return 0
    folder = words.keep or Path(tempfile.mkdtemp())
    runner = Runner(words.reference, words.ours, folder, words.episodes)
    print(
        "first steps, all, one step: median, worst; speed; of the reference, nudged: first, all, "
        "one step"
    )
    rows, versions = [], {}
    for package in words.packages or PACKAGES:
        names = [t for t in PACKAGES[package][1] if not words.task or t in words.task]
        rows += runner.rows(package, names)
        versions[package] = version(words.reference, package)
        print(*map(line, rows[-len(names) :]), sep="\n", flush=True)
    if words.markdown:
        print(markdown(rows, versions))
    return 0 if all(row.passed for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
