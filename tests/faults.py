"""Processes killed while they compile, train or write films: the next start must be clean.

    python tests/faults.py [--kills 1000] [--seed 0] [--jobs compile train film] [--folder FOLDER]

Each trial starts a process, kills it (SIGKILL) at a random moment or in the middle of writing a
file, looks at what it has left, and does the same work again to the end. Prints a line for each
job; exits with 1 when anything is amiss.
"""

import argparse
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT)]

from mjenv.engine.simd import cache, kernel, missing  # noqa: E402
from mjenv.engine.simd.kernel import variant  # noqa: E402
from mjenv.engine.simd.record import Layout, Record  # noqa: E402

PATIENCE = 300.0  # s; work that takes longer hangs
LAYOUT = Layout("faults", [("x", "f8"), ("n", "size")])
RECORDS = ((LAYOUT, 0, True), (LAYOUT, 1, False))
FACTOR, TERM = 1.0, 0.0


# ---------------------------------------------------------------- processes


def start(work: Callable[[], object], errors: Path) -> int:
    """Another process that does some work; its messages go to a file."""
    sys.stdout.flush()
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        log = os.open(errors, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(log, 1)
        os.dup2(log, 2)
        status = int(work() or 0)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def wait(child: int, seconds: float) -> int | None:
    """Exit status of a process; None if it is still at work after some time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.002)
    return None


def kill(child: int) -> None:
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def finish(work: Callable[[], object], errors: Path) -> None:
    """Do some work to its end in another process.

    Raises:
        AssertionError: it fails or hangs.
    """
    child = start(work, errors)
    status = wait(child, PATIENCE)
    if status is None:
        kill(child)
    text = errors.read_text(errors="replace")
    assert status == 0, f"the next start ended with {status}: {text[-2000:]}"
    assert "Traceback" not in text, text[-2000:]


# ---------------------------------------------------------------- jobs


def scaled(m, d):
    """Kernel: another one for each factor and term."""
    for k in range(m.n):
        d.x[k] = d.x[k] * FACTOR + TERM


kernel.kernel(scaled)


class Compile:
    """Kernels that no process has compiled yet, in one cache folder for all trials."""

    def __init__(self, folder: Path, rng: random.Random):
        self.folder, self.rng = folder / "cache", rng
        os.environ["MJENV_CACHE_DIR"] = str(self.folder)
        os.environ["MJENV_QUIET"] = "1"
        # numba is imported, and has compiled something, once for all processes
        missing.compiled(scaled, RECORDS)

    def prepare(self) -> None:
        """Choose what the next process compiles."""
        numbers = [float(self.rng.randrange(1 << 30)) for _ in range(3)]
        self.entries = [(variant(scaled, FACTOR=k, TERM=k + 1), *RECORDS) for k in numbers]
        self.where = self.rng.choice(("anywhere", "anywhere", *BREAKS))

    def work(self) -> None:
        """Compile and run; half of the time with a process that helps."""
        for function, *records in self.entries:
            data, model = Record(LAYOUT), Record(LAYOUT)
            data.set_array("x", np.array([2.0]))
            model.set_size("n", 1)
            call = kernel.callable_at(kernel.address(function, *records), 2)
            call(model.address, data.address)
            scope = function.__globals__
            assert data.arrays["x"][0] == 2.0 * scope["FACTOR"] + scope["TERM"]

    def broken(self) -> None:
        """The work, with a process that ends where a file is written."""
        if self.where in BREAKS:
            BREAKS[self.where]()
        self.work()

    def check(self) -> None:
        """Every file that is there is whole."""
        for path in self.folder.glob("*.o"):
            assert cache.read(path) is not None, f"{path} is damaged"

    def check_again(self) -> None:
        """Nothing is left of what was killed."""
        self.check()
        for function, *records in self.entries:
            path = kernel._path(function, tuple(records))
            assert path.exists(), f"{path} is missing"
            with cache.alone(path, wait=False) as held:
                assert held, f"the lock of {path} is held"
            left = [p.name for p in self.folder.glob(f"{path.stem}*") if p != path]
            assert not left, f"{left} are left"


def end_half_written() -> None:
    """End when half of a file is written."""

    def write(path, mode="r", *args, **kwargs):
        file = open(path, mode, *args, **kwargs)  # noqa: SIM115 (the caller closes it)
        if "x" in mode:
            file.write(b"half of it")
            file.flush()
            os.kill(os.getpid(), signal.SIGKILL)
        return file

    cache.open = write


def end_at_replace() -> None:
    """End when a file is written, and has not its name yet."""
    os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)


def end_with_lock() -> None:
    """End when a file is there, with its lock."""
    real = cache.store

    def store(path, code) -> None:
        real(path, code)
        os.kill(os.getpid(), signal.SIGKILL)

    missing.store = store


BREAKS = {"half": end_half_written, "replace": end_at_replace, "lock": end_with_lock}


class Train:
    """`mjenv train` with a tiny task and few steps."""

    def __init__(self, folder: Path, rng: random.Random):
        import stable_baselines3  # noqa: F401 (once for all processes)

        import mjenv.training.train  # noqa: F401

        self.run, self.rng = folder / "run", rng

    def prepare(self) -> None:
        if self.rng.random() < 0.5:
            shutil.rmtree(self.run, ignore_errors=True)

    def work(self) -> int:
        """Train from the start, and evaluate."""
        from mjenv.commands.cli import main

        options = ["--steps", "512", "--seconds", "0", "--run", str(self.run), "--overwrite"]
        return main(["train", "InvertedPendulum-v5", *options])

    broken = work

    def check(self) -> None:
        """Every file that is there is whole; what is said to be finished can be opened."""
        for path in self.run.rglob("*.json"):
            json.loads(path.read_text())
        for path in self.run.rglob("agent.zip"):
            assert zipfile.ZipFile(path).testzip() is None, f"{path} is damaged"
        if (self.run / "agent.zip").exists():
            assert (self.run / "config.json").exists(), "an agent without its configuration"

    def check_again(self) -> None:
        self.check()
        assert (self.run / "agent.zip").exists()


class Film:
    """`mjenv record` into one file."""

    def __init__(self, folder: Path, rng: random.Random):
        import mjenv.training.films.film  # noqa: F401 (once for all processes)

        self.folder, self.rng = folder / "films", rng
        self.film, self.states = self.folder / "film.mp4", self.folder / "states.npz"

    def prepare(self) -> None:
        if self.rng.random() < 0.5:
            shutil.rmtree(self.folder, ignore_errors=True)

    def work(self) -> int:
        from mjenv.commands.cli import main

        options = ["--output", str(self.film), "--seconds", "0.4", "--size", "64x48"]
        options += ["--states", str(self.states)]
        return main(["record", "InvertedPendulum-v5", *options])

    broken = work

    def check(self) -> None:
        """The film and the states are whole, or not there."""
        if self.film.exists():
            assert frames(self.film) > 0, f"{self.film} has no frames"
        if self.states.exists():
            assert zipfile.ZipFile(self.states).testzip() is None, f"{self.states} is damaged"

    def check_again(self) -> None:
        assert self.film.exists()
        assert self.states.exists()
        self.check()


def frames(path: Path) -> int:
    """Number of frames of a film; 0 if it cannot be read."""
    import imageio_ffmpeg

    try:
        return imageio_ffmpeg.count_frames_and_secs(str(path))[0]
    except RuntimeError:
        return 0


JOBS = {"compile": Compile, "train": Train, "film": Film}
# of all kills: compiling is what many processes do at once
SHARES = {"compile": 0.7, "train": 0.15, "film": 0.15}


# ---------------------------------------------------------------- trials


def duration(job, errors: Path) -> float:
    """Time that the work of a job takes (s), with some room."""
    job.prepare()
    began = time.monotonic()
    finish(job.work, errors)
    return 1.1 * (time.monotonic() - began)


def trials(name: str, kills: int, seed: int, folder: Path) -> str:
    """Kill processes of one job.

    Args:
        name: a key of `JOBS`.
        kills: how many.
        seed: of the moments.
        folder: where everything goes.

    Returns:
        A line on what happened.

    Raises:
        AssertionError: what is amiss.
    """
    rng = random.Random(f"{name} {seed}")
    job, errors = JOBS[name](folder, rng), folder / f"{name}.txt"
    done = late = 0
    job.prepare()
    began = time.monotonic()
    finish(job.work, errors)  # what is compiled only once is there then
    longest = duration(job, errors)
    while done < kills:
        job.prepare()
        child = start(job.broken, errors)
        if wait(child, rng.uniform(0.0, longest)) is None:
            kill(child)
            done += 1
        elif getattr(job, "where", "anywhere") != "anywhere":
            done += 1  # it has killed itself
        else:
            late += 1
        job.check()
        finish(job.work, errors)
        job.check_again()
    minutes = (time.monotonic() - began) / 60
    return f"{name}: {done} kills, {late} too late, every next start clean; {minutes:.1f} minutes"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", nargs="*", choices=tuple(JOBS), default=tuple(JOBS))
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    bad = False
    share = sum(SHARES[name] for name in options.jobs)
    for name in options.jobs:
        folder = Path(tempfile.mkdtemp(prefix="faults-", dir=options.folder))
        kills = max(1, round(options.kills * SHARES[name] / share))
        try:
            print(trials(name, kills, options.seed, folder), flush=True)
            shutil.rmtree(folder)
        except AssertionError as error:
            print(f"{name}: {error}; files are in {folder}", flush=True)
            bad = True
    return bad


if __name__ == "__main__":
    sys.exit(main())
