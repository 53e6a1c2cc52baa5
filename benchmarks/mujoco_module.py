"""How fast `mjenv.mujoco` is beside `mujoco`: `python -m benchmarks.mujoco_module`.

Both run in this process, one after the other in each round, on one thread but for the rows of many
worlds. With `--peer PYTHON` that interpreter's `mujoco.batch` (4.0) is measured too, in its own
process.
"""

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from .models import ROOT

HUMANOID, CHEETAH = (str(ROOT / "xml" / name) for name in ("humanoid.xml", "half_cheetah.xml"))
NWORLD, NSTEP, ROUNDS = 512, 20, 5
SHORTEST_S = 0.1  # of a measurement
WARM = 200  # steps before it, so that there are contacts


def stepped(lib: Any, file: str) -> tuple[Any, Any]:
    """A model and data after some steps."""
    model = lib.MjModel.from_xml_path(file)
    data = lib.MjData(model)
    for _ in range(WARM):
        lib.mj_step(model, data)
    return model, data


def _physics(lib: Any, file: str, name: str) -> Callable[[], None]:
    model, data = stepped(lib, file)
    function = getattr(lib, name)
    return lambda: function(model, data)


def _jacobian(lib: Any) -> Callable[[], None]:
    model, data = stepped(lib, HUMANOID)
    jacp, jacr = np.zeros((2, 3, model.nv))
    return lambda: lib.mj_jacBody(model, data, jacp, jacr, 5)


def _quaternions(lib: Any) -> Callable[[], None]:
    a, b, out = np.array([1.0, 0, 0, 0]), np.array([0, 1.0, 0, 0]), np.zeros(4)
    return lambda: lib.mju_mulQuat(out, a, b)


def _products(lib: Any) -> Callable[[], None]:
    a, out = np.arange(36.0).reshape(6, 6), np.zeros((6, 6))
    return lambda: lib.mju_mulMatMat(out, a, a)


def _state(lib: Any, name: str) -> Callable[[], None]:
    model, data = stepped(lib, HUMANOID)
    components = int(lib.mjtState.mjSTATE_FULLPHYSICS)
    state, function = np.zeros(lib.mj_stateSize(model, components)), getattr(lib, name)
    lib.mj_getState(model, data, state, components)
    return lambda: function(model, data, state, components)


def _document(lib: Any) -> Callable[[], None]:
    with open(HUMANOID, encoding="utf-8") as file:
        text = file.read()
    return lambda: lib.MjSpec.from_string(text)


def _reading(lib: Any, read: Callable[[Any], Any]) -> Callable[[], None]:
    _, data = stepped(lib, HUMANOID)
    return lambda: read(data)


def _making(lib: Any) -> Callable[[], None]:
    model = lib.MjModel.from_xml_path(HUMANOID)
    return lambda: lib.MjData(model)


# what is called, and how it is prepared with a module
CALLS: dict[str, Callable[[Any], Callable[[], None]]] = {
    "`mj_step`, half_cheetah":   lambda lib: _physics(lib, CHEETAH, "mj_step"),
    "`mj_step`, humanoid":       lambda lib: _physics(lib, HUMANOID, "mj_step"),
    "`mj_forward`, humanoid":    lambda lib: _physics(lib, HUMANOID, "mj_forward"),
    "`mj_fwdPosition`, humanoid": lambda lib: _physics(lib, HUMANOID, "mj_fwdPosition"),
    "`mj_collision`, humanoid":  lambda lib: _physics(lib, HUMANOID, "mj_collision"),
    "`mj_kinematics`, humanoid": lambda lib: _physics(lib, HUMANOID, "mj_kinematics"),
    "`mj_jacBody`, humanoid":    _jacobian,
    "`mj_getState`, humanoid":   lambda lib: _state(lib, "mj_getState"),
    "`mj_setState`, humanoid":   lambda lib: _state(lib, "mj_setState"),
    "`mju_mulQuat`":             _quaternions,
    "`mju_mulMatMat`, 6 by 6":   _products,
    "`data.qpos`":               lambda lib: _reading(lib, lambda d: d.qpos),
    "`data.body(3).xpos`":       lambda lib: _reading(lib, lambda d: d.body(3).xpos),
    "`data.ncon`":               lambda lib: _reading(lib, lambda d: d.ncon),
    "`MjData(model)`, humanoid": _making,
    "`MjSpec.from_string`, humanoid": _document,
    "compile humanoid.xml":      lambda lib: lambda: lib.MjModel.from_xml_path(HUMANOID),
}  # fmt: skip


def rate(call: Callable[[], None], clock: Callable[[], float] = time.perf_counter) -> float:
    """Calls per second of a clock."""
    count, seconds = 1, 0.0
    while seconds < SHORTEST_S:
        start = clock()
        for _ in range(count):
            call()
        seconds = clock() - start
        count *= 2
    return count / 2 / seconds


def many(lib: Any, file: str, nthread: int, interface: str) -> Callable[[], None]:
    """`NSTEP` steps of `NWORLD` worlds."""
    model = lib.MjModel.from_xml_path(file)
    if interface == "batch":
        worlds = __import__(f"{lib.__name__}.batch", fromlist=["Batch"]).Batch(
            model, NWORLD, nthread
        )
        worlds.reset(keyframe=-1)
        qpos, ctrl = worlds.bind("qpos"), worlds.bind("ctrl")

        def steps() -> None:
            for _ in range(NSTEP):
                ctrl[:] = 0.1 * qpos[:, : ctrl.shape[1]]
                worlds.step()

        return steps
    rolling = __import__(f"{lib.__name__}.rollout", fromlist=["Rollout"]).Rollout(nthread=nthread)
    data = [lib.MjData(model) for _ in range(nthread)]
    state = np.tile(data[0].qpos, (NWORLD, 1))
    state = np.hstack([np.zeros((NWORLD, 1)), state, np.zeros((NWORLD, model.nv + model.na))])
    control = np.random.default_rng(0).uniform(-0.5, 0.5, (NWORLD, NSTEP, model.nu))
    return lambda: rolling.rollout(model, data, state, control)


def alternating(
    *calls: Callable[[], None], clock: Callable[[], float] = time.perf_counter
) -> list[float]:
    """Median rates of calls, which take turns."""
    rates: list[list[float]] = [[] for _ in calls]
    for call in calls:
        call()
    for _ in range(ROUNDS):
        for found, call in zip(rates, calls, strict=True):
            found.append(rate(call, clock))
    return [statistics.median(found) for found in rates]


def number(value: float) -> str:
    """A rate as a short text."""
    for size, unit in ((1e6, " M"), (1e3, " k")):
        if value >= size:
            return f"{value / size:.3g}{unit}"
    return f"{value:.3g}"


def peer_rate(python: str, file: str, nthread: int) -> float:
    """Steps per second of another interpreter's `mujoco.batch`."""
    words = [python, "-m", "benchmarks.mujoco_module", "--answer", file, "--threads", str(nthread)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--peer", help="an interpreter with mujoco 4.0")
    parser.add_argument("--answer", help=argparse.SUPPRESS)
    words = parser.parse_args()
    import mujoco

    if words.answer:
        rates = alternating(many(mujoco, words.answer, words.threads, "batch"))
        print(json.dumps(rates[0] * NWORLD * NSTEP))
        return
    import mjenv.mujoco as ours

    print("| calls per second of processor time | `mujoco` 3.8.1 | `mjenv.mujoco` | ratio |")
    print("|---|---|---|---|")
    for name, prepare in CALLS.items():
        # other programs' share of the processor does not count in calls on one thread
        calls = prepare(mujoco), prepare(ours)
        theirs, mine = alternating(*calls, clock=time.process_time)
        row = f"| {name} | {number(theirs)} | {number(mine)} | {mine / theirs:.2f} |"
        print(row, flush=True)
    print(f"\n| {NWORLD} worlds, steps per second | `mujoco` | `mjenv.mujoco` | ratio |")
    print("|---|---|---|---|")
    for file in (CHEETAH, HUMANOID):
        word = file.rsplit("/", 1)[-1].removesuffix(".xml")
        pair = [many(lib, file, words.threads, "rollout") for lib in (mujoco, ours)]
        theirs, mine = (r * NWORLD * NSTEP for r in alternating(*pair))
        print(f"| `rollout`, {word} | {number(theirs)} | {number(mine)} | {mine / theirs:.1f} |")
        mine = alternating(many(ours, file, words.threads, "batch"))[0] * NWORLD * NSTEP
        theirs = peer_rate(words.peer, file, words.threads) if words.peer else float("nan")
        print(f"| `Batch.step`, {word} | {number(theirs)} | {number(mine)} | {mine / theirs:.1f} |")


if __name__ == "__main__":
    sys.exit(main())
