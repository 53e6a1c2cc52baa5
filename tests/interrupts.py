"""Ctrl-C at random moments of compiling, stepping, training, drawing and filming.

    python tests/interrupts.py [--number 200] [--seed 0] [--limit 1.0] [--jobs step ...]
                               [--folder FOLDER]

Each trial starts a process, sends it SIGINT (to it alone, or as a terminal does, to all that it has
started) at a random moment, and looks at how long it takes to end, by which status, what it has
left, and whether a process of it still runs. Prints a line for each job with the times; exits
with 1 when anything is amiss.
"""

import argparse
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import textwrap
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT)]

from tests import faults  # noqa: E402

PATIENCE = 300.0  # s; work that takes longer hangs
BY_SIGNAL = (130, -signal.SIGINT)  # statuses of the command line, and of Python without it

MODEL = """
    import mjenv
    model = mjenv.Model.from_xml_string('''
    <mujoco><visual><global offwidth="3000" offheight="3000"/></visual>
    <worldbody><light pos="0 0 3"/><geom type="plane" size="5 5 1"/>
    <body pos="0 0 .3"><freejoint/><geom size=".1"/>
    <body pos=".3 0 0"><joint name="j" axis="0 1 0"/><geom type="capsule" size=".05 .1"/></body>
    </body></worldbody><actuator><motor joint="j"/></actuator></mujoco>''')
"""
COMPILE = (
    MODEL
    + """
    data = mjenv.Data(model, 8)
    print("ready", flush=True)
    try:
        mjenv.step(model, data)
    finally:
        print("ended", flush=True)
"""
)
STEP = (
    MODEL
    + """
    import random, sys
    import numpy as np
    choice = random.Random(int(sys.argv[1]))
    data = mjenv.Data(model, choice.choice((1, 9, 200)), nthread=choice.choice((1, 2)))
    other = mjenv.Data(model, 20, nthread=2)
    mjenv.forward(model, data), mjenv.step(model, data), mjenv.step(model, other)
    mjenv.transition_fd(model, data)

    def control(model, worlds):
        worlds.ctrl[:] = -0.1 * worlds.qvel[:, -1:]

    def plan(model, worlds):
        mjenv.step(model, other, 2)

    mjenv.set_hook(data, "control", choice.choice((None, control, plan)))
    call = choice.choice((
        lambda: mjenv.step(model, data, 100_000_000),
        lambda: [mjenv.step(model, data) for _ in range(100_000_000)],
        lambda: [mjenv.rollout(model, data, nstep=2_000) for _ in range(1000)],
        lambda: [mjenv.transition_fd(model, data) for _ in range(10_000_000)],
    ))
    print("ready", flush=True)
    try:
        call()
    except KeyboardInterrupt:
        print("ended", flush=True)
        steps = data.time / model.opt.timestep
        assert (np.abs(steps - np.round(steps)) < 1e-6 * steps.max()).all(), steps
        mjenv.set_hook(data, "control", None)
        mjenv.step(model, data, 5)
        later = data.time / model.opt.timestep
        assert np.allclose(later, steps + 5) and np.isfinite(data.qpos).all(), (steps, later)
        sys.exit(130)
"""
)
RENDER = (
    MODEL
    + """
    import random, sys
    choice = random.Random(int(sys.argv[1]))
    data = mjenv.Data(model, 50)
    mjenv.step(model, data)
    renderer = mjenv.Renderer(model, 32, 32, nthread=choice.choice((1, 2)))
    first = renderer.render_worlds(data)
    size = choice.choice((64, 300, 3000))
    renderer.resize(size, size)
    print("ready", flush=True)
    try:
        while True:
            if size > 1000:
                renderer.update_scene(data)
                renderer.render()
            else:
                renderer.render_worlds(data)
    except KeyboardInterrupt:
        print("ended", flush=True)
        renderer.resize(32, 32)
        assert (renderer.render_worlds(data) == first).all()
        sys.exit(130)
"""
)
COMMAND = """
    import sys
    import mjenv.training.films.film, mjenv.training.train, stable_baselines3
    from mjenv.commands.cli import main
    print("ready", flush=True)
    status = main(sys.argv[2:])
    print("ended", flush=True)
    sys.exit(status)
"""


class Job(NamedTuple):
    """What is interrupted.

    Attributes:
        script: of the process, which says "ready" when its moment has come.
        arguments: of it, behind a random number; FOLDER stands for where files go.
        seconds: length of the time in which it is interrupted.
        look: a class of faults.py that finds files that are not whole; None: look at none.
        fresh: whether its cache of compiled code is empty.
    """

    script: str
    seconds: float
    arguments: tuple[str, ...] = ()
    look: type | None = None
    fresh: bool = False


PENDULUM = "InvertedPendulum-v5"
JOBS = {
    "compile": Job(COMPILE, 12.0, look=faults.Compile, fresh=True),
    "step": Job(STEP, 1.0),
    "train": Job(
        COMMAND, 4.0,
        ("train", PENDULUM, "--steps", "1000000", "--seconds", "0", "--run", "FOLDER/run"),
        faults.Train,
    ),
    "render": Job(RENDER, 1.5),
    "film": Job(
        COMMAND, 4.0,
        ("record", PENDULUM, "--output", "FOLDER/films/film.mp4", "--seconds", "20", "--size",
         "320x240", "--states", "FOLDER/films/states.npz"),
        faults.Film,
    ),
}  # fmt: skip


def begin(job: Job, folder: Path, seed: int) -> subprocess.Popen:
    """A process of a job that is ready to be interrupted."""
    environment = {**os.environ, "MJENV_QUIET": "1"}
    if job.fresh:
        environment["MJENV_CACHE_DIR"] = str(folder / "cache")
    arguments = [text.replace("FOLDER", str(folder)) for text in job.arguments]
    with open(folder / "errors.txt", "wb") as errors:
        process = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(job.script), str(seed), *arguments],
            stdout=subprocess.PIPE, stderr=errors, env=environment, cwd=ROOT,
            start_new_session=True,
        )  # fmt: skip
    assert read(process) == "ready", f"it did not start: {told(folder)}"
    return process


def read(process: subprocess.Popen) -> str:
    """The next line of a process, "" at its end."""
    return process.stdout.readline().decode().strip() if process.stdout else ""


def told(folder: Path) -> str:
    """The end of what a process has written on standard error."""
    return (folder / "errors.txt").read_text(errors="replace")[-2000:]


def alone(group: int) -> bool:
    """Whether no process of a group runs any more; one that was killed may take a moment."""
    end = time.monotonic() + 2.0
    while time.monotonic() < end:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.02)
    return False


def whole(job: Job, folder: Path) -> None:
    """Every file that was left is whole."""
    if job.look is None:
        return
    found: Any = object.__new__(job.look)
    found.folder, found.run = folder / ("cache" if job.fresh else "films"), folder / "run"
    found.film, found.states = folder / "films" / "film.mp4", folder / "films" / "states.npz"
    found.check()


def interrupt(job: Job, folder: Path, rng: random.Random, limit: float) -> float | None:
    """Interrupt one process; the time (s) until it has ended, None if it was quicker.

    Raises:
        AssertionError: what is amiss.
    """
    process = begin(job, folder, rng.randrange(1 << 30))
    try:
        time.sleep(rng.uniform(0.0, job.seconds))
        if process.poll() is not None:
            assert process.returncode == 0, told(folder)
            return None
        sent = time.monotonic()
        (os.kill if rng.random() < 0.5 else os.killpg)(process.pid, signal.SIGINT)
        # Python takes its time to unload libraries, PyTorch's among them, after "ended"
        while read(process) not in ("ended", ""):
            pass
        took = time.monotonic() - sent
        status = process.wait(PATIENCE)
        text = told(folder)
        if status == 0:
            return None  # it had come to its end
        assert status in BY_SIGNAL, f"ended with status {status}: {text}"
        assert took < limit, f"took {took:.2f} s to end: {text}"
        assert "Exception ignored" not in text, text
        assert alone(process.pid), "another process that it has started still runs"
        whole(job, folder)
        return took
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def trials(name: str, number: int, seed: int, limit: float, folder: Path) -> str:
    """Interrupt processes of one job.

    Args:
        name: a key of `JOBS`.
        number: how many.
        seed: of the moments.
        limit: time (s) in which each has to end.
        folder: where everything goes.

    Returns:
        A line on what happened.

    Raises:
        AssertionError: what is amiss.
    """
    rng, job, times, late = random.Random(f"{name} {seed}"), JOBS[name], [], 0
    while len(times) < number:
        assert late <= 2 * number + 5, "it is always quicker than the signal"
        place = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=folder))
        took = interrupt(job, place, rng, limit)
        times += [] if took is None else [took]
        late += took is None
        shutil.rmtree(place)
    times.sort()
    middle, most = statistics.median(times), times[int(0.9 * (len(times) - 1))]
    return (
        f"{name}: {len(times)} interrupts, {late} too late; ended after {middle:.2f} s (median), "
        f"{most:.2f} s (9 of 10), {times[-1]:.2f} s (longest)"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--number", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--limit", type=float, default=1.0)
    parser.add_argument("--jobs", nargs="*", choices=tuple(JOBS), default=tuple(JOBS))
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    # shells start what runs behind them without SIGINT, and it would be inherited
    signal.signal(signal.SIGINT, signal.default_int_handler)
    bad = False
    for name in options.jobs:
        folder = Path(tempfile.mkdtemp(prefix="interrupts-", dir=options.folder))
        number = max(1, round(options.number / len(options.jobs)))
        try:
            print(trials(name, number, options.seed, options.limit, folder), flush=True)
            shutil.rmtree(folder)
        except AssertionError as error:
            print(f"{name}: {error}; files are in {folder}", flush=True)
            bad = True
    return bad


if __name__ == "__main__":
    sys.exit(main())
