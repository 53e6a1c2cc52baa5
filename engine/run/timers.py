"""Timers (mjtTimer): which timers a stage counts for, the clock, and the loop that looks at it.

Only data that keep `timer` run this loop, so that timers cost nothing elsewhere. The time that a
stage takes for a pack is shared out among its lanes.
"""

import ctypes
import time
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from ..errors import UnsupportedFeature
from ..pipeline.stage import Stage
from ..pipeline.timer_tables import (
    ACTUATION,
    ADVANCE,
    CONSTRAINT,
    FORWARD,
    INVERSE,
    NTIMER,
    POS_KINEMATICS,
    POS_PROJECT,
    POSITION,
    STEP,
    VELOCITY,
)
from ..simd import kernel as compiling
from ..simd.kernel import kernel, variant
from ..simd.lanes import call_stage
from ..simd.record import Record
from ..tables.enums import COUNT_JUMP, JUMP_NOWHERE, JUMP_OUT
from .driver import run_packs

_POSITION = (POSITION, *range(POS_KINEMATICS, NTIMER))
# by kind of call: timers of all its stages, and those counted after forward dynamics and at its end
CALLS = {
    "forward": ((), (FORWARD, *_POSITION, VELOCITY, ACTUATION, CONSTRAINT), ()),
    "step": ((STEP,), (FORWARD, *_POSITION, VELOCITY, ACTUATION, CONSTRAINT), (STEP, ADVANCE)),
    "step1": ((STEP,), (STEP, *_POSITION, VELOCITY), ()),
    "step2": ((STEP,), (ACTUATION, CONSTRAINT), (ADVANCE,)),
    "inverse": (
        (INVERSE,),
        (INVERSE, *(t for t in _POSITION if t != POS_PROJECT), VELOCITY, CONSTRAINT),
        (),
    ),
}


def marks(kind: str, phases: dict, forward: tuple[Stage, ...]) -> dict[str, np.ndarray]:
    """Timers of every operation of a program.

    Args:
        kind: kind of call, a key of `CALLS`; "" for calls that have no timers.
        phases: stages by phase.
        forward: stages of forward dynamics, as integrators repeat them.

    Returns:
        For each phase (2, n) bits of timers: those that get the time, and those counted then.
    """
    always, counted, at_end = CALLS.get(kind, ((), (), ()))
    inside = (*always, FORWARD) if FORWARD in counted else always
    found = {phase: np.zeros((2, len(row)), np.int64) for phase, row in phases.items()}
    if not kind:
        return found
    for phase, row in phases.items():
        k, part = 0, (ADVANCE,) if phase == "integrate" else ()
        while k < len(row):
            block = row[k : k + len(forward)] if phase != "forward" else row
            if phase == "forward" or block == forward:
                found[phase][:, k : k + len(block)] = _of_forward(block, inside, counted)
                k += len(block)
                # stages of Runge and Kutta between these have no timer
                part = ()
                continue
            sensed = "sensordata" in row[k].writes.split()
            found[phase][0, k] = _bits(inside if sensed else (*always, *part))
            k += 1
        if phase == "integrate" and len(row):
            repeats = any(row[i : i + len(forward)] == forward for i in range(len(row)))
            found[phase][1, -1] |= _bits([t for t in at_end if not (repeats and t == ADVANCE)])
            if repeats:
                found[phase][0] &= ~_bits((ADVANCE,))
    return found


def _of_forward(stages: Any, inside: Any, counted: Any) -> np.ndarray:
    bits, before = np.zeros((2, len(stages)), np.int64), ()
    for k, stage in enumerate(stages):
        before = before if stage.timers is None else stage.timers
        bits[0, k] = _bits((*inside, *before))
    if len(stages):
        bits[1, -1] = _bits(counted)
    return bits


def _bits(timers: Any) -> int:
    return sum(1 << t for t in set(timers))


# ---------------------------------------------------------------- the loop


@kernel
def timed_operations(operations, n, back, m, d):
    """As `run_operations`, with times; behind the addresses stand the timers, see `marks`."""
    k = 0
    call_stage(d.clock_tick[0], m, d)
    while k < n:
        start = d.clock_now[0]
        call_stage(operations[k], m, d)
        call_stage(d.clock_tick[0], m, d)
        share = (d.clock_now[0] - start) / m.width
        jump = d.count[COUNT_JUMP]
        for t in range(NTIMER):
            if (operations[n + k] >> t) & 1:
                d.timer_duration[t] = d.timer_duration[t] + share
            if (operations[2 * n + k] >> t) & 1 and not jump:
                d.timer_number[t] = d.timer_number[t] + 1.0
        k += 1
        if jump:
            k = n if jump == JUMP_OUT else k - back
            d.count[COUNT_JUMP] = JUMP_NOWHERE


run_timed_packs = variant(run_packs, run_operations=timed_operations)

# void tick(result, exception, m, d): store the time in the entry of `clock_now` in the record d
_TICK = """
define i32 @tick(i8* %result, i8* %exception, i64* %m, i64* %d) {{
  %spec = alloca {{ i64, i64 }}
  %clock = inttoptr i64 {address} to i32 (i32, {{ i64, i64 }}*)*
  %status = call i32 %clock(i32 {identifier}, {{ i64, i64 }}* %spec)
  %at0 = getelementptr {{ i64, i64 }}, {{ i64, i64 }}* %spec, i32 0, i32 0
  %at1 = getelementptr {{ i64, i64 }}, {{ i64, i64 }}* %spec, i32 0, i32 1
  %whole = load i64, i64* %at0
  %nano = load i64, i64* %at1
  %seconds = sitofp i64 %whole to double
  %part = sitofp i64 %nano to double
  %small = fmul double %part, 1.0e-9
  %now = fadd double %seconds, %small
  %slot = getelementptr i64, i64* %d, i64 {slot}
  %word = load i64, i64* %slot
  %target = inttoptr i64 %word to double*
  store double %now, double* %target
  ret i32 0
}}
"""


def attach_clock(
    record: Record, users: Callable[[], float] | None, fail: Callable[[BaseException], None]
) -> object:
    """Let the stages of a thread look at the clock.

    Args:
        record: the data of a thread.
        users: the user's clock (s); None: the system's.
        fail: what to do with an error of the user's clock.

    Returns:
        An object to keep alive while they may.
    """
    tick, now = record.arrays["clock_tick"], record.arrays["clock_now"]
    if users is None and not compiling.interpreted():
        tick[0], keep = clock(record.layout.entries["clock_now"].slot)
        return keep

    def look() -> None:
        now.fill(time.perf_counter() if users is None else users())

    # an error is raised when the stages have returned
    keep, tick[0] = compiling.callback(look, fail)
    return keep


@cache
def clock(slot: int):
    """A function in machine code that stores the time; its address, and what keeps it alive.

    Args:
        slot: slot of `clock_now` in records of data.

    Raises:
        UnsupportedFeature: the system has no clock_gettime.
    """
    import llvmlite.binding as llvm

    # Windows has neither, and no library without a name
    named = hasattr(time, "CLOCK_MONOTONIC")
    function = getattr(ctypes.CDLL(None), "clock_gettime", None) if named else None
    if function is None:
        raise UnsupportedFeature(
            "Data: keep='timer': this system has no clock_gettime; expected data without it"
        )
    address = ctypes.cast(function, ctypes.c_void_p).value
    text = _TICK.format(address=address, identifier=int(time.CLOCK_MONOTONIC), slot=slot)
    compiling._initialize(llvm)
    target = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(text), target)
    engine.finalize_object()
    return engine.get_function_address("tick"), engine
