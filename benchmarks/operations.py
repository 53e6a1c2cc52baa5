"""How much of a stage's time is work: its operations, and the time that they take at least.

    python -m benchmarks.operations [model ...]

The stages of a few steps of one pack are run by the interpreter, as the kernels stand in the
source, and every operation on the lanes of a pack is counted; so are the cache lines that they
touch. What one operation takes is measured where nothing waits. A stage takes at least the time of
its arithmetic, and at least that of its loads and stores, in the first cache; the larger is the
limit that its measured time is compared with. It is not a strict one, as the compiler leaves out
some of what stands in the source.
"""

import json
import os
import subprocess
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from mjenv.engine.simd import lanes
from mjenv.engine.simd.kernel import call_of
from mjenv.engine.simd.kernel import kernel as mark
from mjenv.engine.simd.lanes import fma, sqrt
from mjenv.engine.simd.record import ArrayField, Layout, Record, aligned_zeros

from .lanes import STATE, WALKS, WIDTH, Walk, Worlds
from .models import load
from .rows import Row

STEPS, PACKS, REPEATS, LINE = 4, 4, 20, 64
LEAST = 0.02  # of a step: shorter stages have no line of their own
SLOW = {"divide": "division", "true_divide": "division", "sqrt": "root"}


# ---------------------------------------------------------------- what one operation takes

RATES = Layout("rates", [("x", "f8"), ("n", "size")])
ROUNDS, FIELD = 2000, 256  # the field lies in the first cache


@mark
def mix(m, d):
    """Sums, products and both at once, in twelve chains that do not wait for each other."""
    x, y = d.x[0], d.x[1]
    a, b, c, e, f, g = x, y, x + y, x - y, x + 2.0, y + 2.0
    h, i, j, k, n, o = x + 3.0, y + 3.0, x + 4.0, y + 4.0, x + 5.0, y + 5.0
    for _ in range(m.n):
        a, b, c, e = a + x, b * y, fma(c, x, y), e + y
        f, g, h, i = f * x, fma(g, y, x), h + x, i * y
        j, k, n, o = fma(j, x, y), k + y, n * x, fma(o, y, x)
    d.x[2] = a + b + c + e + f + g + h + i + j + k + n + o


@mark
def divide(m, d):
    """Divisions."""
    x = d.x[0]
    a, b, c, e = x, x + 1.0, x + 2.0, x + 3.0
    for _ in range(m.n):
        a, b, c, e = x / a, x / b, x / c, x / e
    d.x[2] = a + b + c + e


@mark
def root(m, d):
    """Square roots."""
    x = d.x[0]
    a, b, c, e = x, x + 1.0, x + 2.0, x + 3.0
    for _ in range(m.n):
        a, b, c, e = sqrt(a), sqrt(b), sqrt(c), sqrt(e)
    d.x[2] = a + b + c + e


@mark
def move(m, d):
    """Loads and stores, two for one."""
    for _ in range(m.n):
        for i in range(0, FIELD - 8, 4):
            d.x[i] = d.x[i + 3] + d.x[i + 7]
            d.x[i + 1] = d.x[i + 4] + d.x[i + 6]


def rates() -> dict[str, float]:
    """Nanoseconds of one operation on a pack."""
    record = Record(RATES, WIDTH)
    record.set_array("x", aligned_zeros((FIELD, WIDTH)))
    record.set_size("n", ROUNDS)
    kinds = [(RATES, WIDTH, True), (RATES, WIDTH, False)]
    moves = 6 * ((FIELD - 8) // 4)
    found = {}
    for name, kernel, count in (
        ("arithmetic", mix, 12), ("division", divide, 4), ("root", root, 4), ("move", move, moves)
    ):  # fmt: skip
        record.arrays["x"][:] = 1.0
        call, seconds = call_of(kernel, kinds, [record, record]), []
        for _ in range(REPEATS):
            start = time.perf_counter()
            call()
            seconds.append(time.perf_counter() - start)
        found[name] = 1e9 * min(seconds) / (ROUNDS * count)
    return found


# ---------------------------------------------------------------- counts, in the interpreter


class Counted(np.ndarray):
    """The lanes of a pack, whose operations are counted."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        COUNTS[STAGE[0]][SLOW.get(ufunc.__name__, "arithmetic")] += 1
        plain = [np.asarray(x) if isinstance(x, np.ndarray) else x for x in inputs]
        found = getattr(ufunc, method)(*plain, **options)
        return found.view(Counted) if isinstance(found, np.ndarray) else found


COUNTS: defaultdict[str, Counter] = defaultdict(Counter)
LINES: defaultdict[str, set[int]] = defaultdict(set)
STAGE = ["driver"]


def _read(field: ArrayField, index: Any) -> Any:
    value = field.array[index]
    if np.ndim(value) == 0:
        LINES[STAGE[0]].add((field.array.ctypes.data + int(index) * field.array.itemsize) // LINE)
        return field.number(value) if field.real else int(value)
    _note(field, index)
    return value.copy().view(Counted)


def _write(field: ArrayField, index: Any, value: Any) -> None:
    if field.array.ndim == 2:
        _note(field, index)
    if not field.real:
        value = np.int64(value).astype(field.array.dtype)
    field.array[index] = value


def _note(field: ArrayField, index: Any) -> None:
    COUNTS[STAGE[0]]["move"] += 1
    LINES[STAGE[0]].add((field.array.ctypes.data + int(index) * LINE) // LINE)


def _select(mask: Any, a: Any, b: Any) -> Any:
    if isinstance(mask, np.ndarray):
        COUNTS[STAGE[0]]["arithmetic"] += 1
        return np.where(np.asarray(mask), np.asarray(a), np.asarray(b)).view(Counted)
    return a if mask else b


def _fma(a: Any, b: Any, c: Any) -> Any:
    before = COUNTS[STAGE[0]]["arithmetic"]
    found = a * b + c
    COUNTS[STAGE[0]]["arithmetic"] = min(before + 1, COUNTS[STAGE[0]]["arithmetic"])
    return found


def count(path: str) -> None:
    """Print the operations of each stage in the steps of a pack, whose state a file holds.

    Runs in a process of its own, in which no kernel has been imported or compiled.
    """
    lanes.select, lanes.fma = _select, _fma  # type: ignore[assignment]
    import mjenv

    given = np.load(path)
    model = load(mjenv.Model, Row("physics", str(given["model"]), WIDTH))
    data = mjenv.Data(model, WIDTH, keep=[], width=WIDTH, nthread=1)
    for name in STATE:
        getattr(data, name)[:] = given[name]
    mjenv.step(model, data)  # makes the program
    for name in STATE:
        getattr(data, name)[:] = given[name]
    ArrayField.__getitem__, ArrayField.__setitem__ = _read, _write  # type: ignore[method-assign]
    lanes.NUMBERED[:] = [_watched(function) for function in lanes.NUMBERED]
    mjenv.step(model, data, nstep=STEPS)
    found = {name: {**dict(counts), "line": len(LINES[name])} for name, counts in COUNTS.items()}
    found["all"] = {"line": len(set().union(*LINES.values()))}
    print(json.dumps(found))


def _watched(function: Any) -> Any:
    """A stage in which operations count for it."""

    def run(m: Any, d: Any) -> None:
        before, STAGE[0] = STAGE[0], function.__name__
        try:
            function(m, d)
        finally:
            STAGE[0] = before

    return function if function.__name__ == "run_packs" else run


# ---------------------------------------------------------------- the table


def measure(walk: Walk, each: dict[str, float]) -> list[str]:
    """Lines of the table of one model."""
    import mjenv

    worlds = Worlds(walk)
    counts: defaultdict[str, Counter] = defaultdict(Counter)
    times: Counter = Counter()
    for pack in range(PACKS):
        chosen = slice(WIDTH * pack, WIDTH * (pack + 1))
        given = {name: getattr(worlds.data, name)[chosen].copy() for name in STATE}
        small = mjenv.Data(worlds.model, WIDTH, keep=[], width=WIDTH, nthread=1)
        for name, values in given.items():
            getattr(small, name)[:] = values
        for stage, seconds in mjenv.profile(worlds.model, small, STEPS).items():
            times[stage] += 1e9 * seconds * WIDTH / PACKS
        for stage, found in _counted(walk.model, given).items():
            for kind, number in found.items():
                counts[stage][kind] += number / (PACKS * (1 if kind == "line" else STEPS))
    total = sum(times.values())
    named = [stage for stage in times if times[stage] > LEAST * total]
    for stage in set(times).difference(named):
        times["others"] += times[stage]
        counts["others"].update(counts[stage])
    for stage in (*named, "others"):
        times["all"] += times[stage]
        # what several stages touch is one line in the cache
        counts["all"].update({kind: n for kind, n in counts[stage].items() if kind != "line"})
    order = sorted(named, key=lambda stage: -times[stage])
    return [
        _line(walk.model if stage == "all" else "", stage, times[stage], counts[stage], each)
        for stage in ("all", *order, "others")
    ]


def _line(model: str, stage: str, took: float, counts: Counter, each: dict[str, float]) -> str:
    slow = sum(counts[kind] * each[kind] for kind in ("division", "root"))
    least = max(counts["arithmetic"] * each["arithmetic"] + slow, counts["move"] * each["move"])
    return (
        f"| {model} | {stage} | {took / 1000:.2f} | {counts['arithmetic']:,.0f} "
        f"| {counts['division'] + counts['root']:.0f} | {counts['move']:,.0f} "
        f"| {counts['line'] * LINE / 1024:.0f} | {least / 1000:.2f} | {took / least:.1f} |"
    )


def _counted(model: str, given: dict[str, np.ndarray]) -> dict[str, dict[str, float]]:
    """Operations of each stage, counted in another process."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "state.npz"
        np.savez(path, model=model, **given)
        command = [sys.executable, "-m", "benchmarks.operations", "--count", str(path)]
        environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
        done = subprocess.run(
            command, env=environment, stdout=subprocess.PIPE, check=True, text=True
        )
    return json.loads(done.stdout)


def main(names: list[str]) -> None:
    """Print the table of all models, or of some; counts of one pack where a file is given."""
    if names[:1] == ["--count"]:
        count(names[1])
        return
    each = rates()
    print(", ".join(f"{kind} {time:.3f} ns" for kind, time in each.items()))
    print("| model | stage | us | arithmetic | divisions, roots | loads, stores ", end="")
    print("| kB | limit, us | time / limit |")
    print("|---|---|--:|--:|--:|--:|--:|--:|--:|")
    for walk in WALKS:
        if not names or walk.model in names:
            print("\n".join(measure(walk, each)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
