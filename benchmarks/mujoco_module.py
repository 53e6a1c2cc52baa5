"""How fast `mjenv.mujoco` is beside `mujoco`: `python -m benchmarks.mujoco_module`.

Both run in this process, one after the other in each round, on one thread but for the rows of many
worlds. Single calls are of the humanoid where nothing else is said; `--calls` measures these alone.
With `--peer PYTHON` that interpreter's `mujoco.batch` (4.0) is measured too, in its own process.
"""

import argparse
import copy
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
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


def _small(lib: Any, name: str, given: tuple[Any, ...]) -> Callable[[], None]:
    """A function of numbers and arrays; those that it writes into are its own."""
    function = getattr(lib, name)
    values = tuple(x.copy() if isinstance(x, np.ndarray) else x for x in given)
    return lambda: function(*values)


def _ray(lib: Any, name: str, nray: int) -> Callable[[], None]:
    model, data = stepped(lib, HUMANOID)
    start, along = np.array([0, 0, 4.0]), np.tile([0.01, 0.02, -1.0], nray)
    geoms, lengths = np.zeros(nray, np.int32), np.zeros(nray)
    if name == "mj_ray":
        return lambda: lib.mj_ray(model, data, start, along, None, 1, -1, geoms)
    return lambda: lib.mj_multiRay(
        model, data, start, along, None, 1, -1, geoms, lengths, None, nray, 10.0
    )


def _edited(lib: Any) -> Callable[[], None]:
    """Constraint rows of contacts whose distance is edited before."""
    model, data = stepped(lib, HUMANOID)
    lib.mj_forward(model, data)

    def call() -> None:
        data.contact.dist[:1] -= 1e-9
        lib.mj_makeConstraint(model, data)

    return call


def _copying(lib: Any) -> Callable[[], None]:
    _, data = stepped(lib, HUMANOID)
    return lambda: copy.copy(data)


def _copying_onto(lib: Any) -> Callable[[], None]:
    model, data = stepped(lib, HUMANOID)
    other = lib.MjData(model)
    return lambda: lib.mj_copyData(other, model, data)


def _copying_model(lib: Any) -> Callable[[], None]:
    model = lib.MjModel.from_xml_path(HUMANOID)
    return lambda: copy.copy(model)


def _state(lib: Any, name: str) -> Callable[[], None]:
    model, data = stepped(lib, HUMANOID)
    components = int(lib.mjtState.mjSTATE_FULLPHYSICS)
    state, function = np.zeros(lib.mj_stateSize(model, components)), getattr(lib, name)
    lib.mj_getState(model, data, state, components)
    return lambda: function(model, data, state, components)


def _document(lib: Any, compiles: bool = False) -> Callable[[], None]:
    with open(HUMANOID, encoding="utf-8") as file:
        text = file.read()
    if compiles:
        return lambda: lib.MjSpec.from_string(text).compile()
    return lambda: lib.MjSpec.from_string(text)


def _reading(lib: Any, read: Callable[[Any], Any]) -> Callable[[], None]:
    _, data = stepped(lib, HUMANOID)
    return lambda: read(data)


def _making(lib: Any) -> Callable[[], None]:
    model = lib.MjModel.from_xml_path(HUMANOID)
    return lambda: lib.MjData(model)


STAGES = (
    "kinematics", "comPos", "camlight", "tendon", "crb", "makeM", "factorM", "transmission",
    "collision", "makeConstraint", "comVel", "passive", "referenceConstraint", "fwdPosition",
    "fwdVelocity", "fwdActuation", "fwdAcceleration", "fwdConstraint", "rnePostConstraint",
    "sensorPos", "sensorVel", "sensorAcc", "checkPos", "checkVel", "checkAcc", "energyPos",
    "energyVel", "subtreeVel", "Euler",
)  # fmt: skip
_Q, _P, _V, _M = np.array([0.5, -0.5, 0.1, 0.7]), np.zeros(4), np.array([0.1, 0.2, 0.3]), np.eye(3)
_OUT3, _OUT9, _SIX, _M6 = np.zeros(3), np.zeros(9), np.arange(6.0), np.arange(36.0).reshape(6, 6)
# functions of numbers and arrays, and what they are called with
SMALL: dict[str, tuple[Any, ...]] = {
    "mju_mulQuat": (_P, _Q, _Q),
    "mju_rotVecQuat": (_OUT3, _V, _Q),
    "mju_axisAngle2Quat": (_P, _V, 0.3),
    "mju_quat2Vel": (_OUT3, _Q, 0.1),
    "mju_subQuat": (_OUT3, _Q, _Q),
    "mju_quat2Mat": (_OUT9, _Q),
    "mju_mat2Quat": (_P, _M.ravel()),
    "mju_euler2Quat": (_P, _V, "xyz"),
    "mju_quatIntegrate": (_Q, _V, 0.1),
    "mju_mulPose": (_OUT3, _P, _V, _Q, _V, _Q),
    "mju_transformSpatial": (np.zeros(6), _SIX, 1, _V, _V, _M.ravel()),
    "mju_mulMatMat": (np.zeros((6, 6)), _M6, _M6),
    "mju_mulMatVec": (np.zeros(6), _M6, _SIX),
    "mju_mulMatTVec": (np.zeros(6), _M6, _SIX),
    "mju_transpose": (np.zeros((6, 6)), _M6),
    "mju_dot": (_SIX, _SIX),
    "mju_norm3": (_V,),
    "mju_cross": (_OUT3, _V, _V),
    "mju_addToScl": (np.zeros(6), _SIX, 0.1),
    "mju_copy": (np.zeros(6), _SIX),
    "mju_clip": (0.3, 0.0, 1.0),
}
# what is called, and how it is prepared with a module
CALLS: dict[str, Callable[[Any], Callable[[], None]]] = {
    "`mj_step`, half_cheetah":   lambda lib: _physics(lib, CHEETAH, "mj_step"),
    "`mj_step`":                 lambda lib: _physics(lib, HUMANOID, "mj_step"),
    "`mj_forward`":              lambda lib: _physics(lib, HUMANOID, "mj_forward"),
    **{f"`mj_{name}`": partial(_physics, file=HUMANOID, name=f"mj_{name}") for name in STAGES},
    "`mj_makeConstraint`, contacts edited": _edited,
    "`mj_jacBody`":              _jacobian,
    "`mj_ray`":                  lambda lib: _ray(lib, "mj_ray", 1),
    "`mj_multiRay`, 10 rays":    lambda lib: _ray(lib, "mj_multiRay", 10),
    "`mj_getState`":             lambda lib: _state(lib, "mj_getState"),
    "`mj_setState`":             lambda lib: _state(lib, "mj_setState"),
    **{f"`{name}`": partial(_small, name=name, given=given) for name, given in SMALL.items()},
    "`data.qpos`":               lambda lib: _reading(lib, lambda d: d.qpos),
    "`data.body(3).xpos`":       lambda lib: _reading(lib, lambda d: d.body(3).xpos),
    "`data.ncon`":               lambda lib: _reading(lib, lambda d: d.ncon),
    "`data.contact[0].dist`":    lambda lib: _reading(lib, lambda d: d.contact[0].dist),
    "`MjData(model)`":           _making,
    "`copy.copy(data)`":         _copying,
    "`mj_copyData`":             _copying_onto,
    "`copy.copy(model)`":        _copying_model,
    "`MjSpec.from_string`":      _document,
    "`MjSpec.from_string(...).compile`": lambda lib: _document(lib, compiles=True),
    "`MjModel.from_xml_path`":   lambda lib: lambda: lib.MjModel.from_xml_path(HUMANOID),
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
    parser.add_argument("--calls", action="store_true", help="single calls alone")
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
    if words.calls:
        return
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
