"""The loop of `driver.py` without compiled code, for debugging and coverage."""

from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from ..enums import COUNT_AGAIN, COUNT_RERUN, COUNT_SLEPT, COUNT_WARNED, NWARNING
from ..pipeline.sleep import SETTLE
from ..pipeline.timer_tables import note

if TYPE_CHECKING:
    from ..data.data import Data
    from .plan import Plan
    from .program import Program


def run_interpreted(plan: "Plan", program: "Program", data: "Data", nstep: int) -> None:
    """The loop of `driver.py` without compiled code: stages by name, transfers by numpy."""
    scratch = plan.threads(1)[0]
    m, d = scratch.model, scratch.data
    count = d.arrays["count"]

    def operate(phase: str) -> None:
        stages, k = program.phases.get(phase, ()), 0
        while k < len(stages):
            start = perf_counter()
            # trees fell asleep: some stages run again
            if stages[k] is SETTLE and count[COUNT_SLEPT]:
                again, d.arrays["again_num"][0] = d.arrays["again_num"][0], 0
                SETTLE.kernel(m, d)
                d.arrays["again_num"][0] = again
                for stage in program.phases["again"]:
                    stage.kernel(m, d)
            else:
                stages[k].kernel(m, d)
            # the time of each stage
            if program.marks is not None:
                time = (perf_counter() - start) / plan.width
                note(program.marks[phase][:, k], time, d.arrays)
            k += 1
            # back over the stages of collision
            if count[COUNT_AGAIN]:
                count[COUNT_AGAIN] = 0
                k -= program.values["back"][0]

    values = program.values
    # as the loop over packs in driver.py
    for pack in range(values["npack"][0]):
        worlds = values["world"][pack * plan.width : (pack + 1) * plan.width]
        nlane = min(plan.width, values["nactive"][0] - pack * plan.width)
        _gather_interpreted(program, data, m, d, worlds)
        operate("start")
        if nstep:
            for k in range(nstep):
                operate("before")
                operate("forward")
                operate("check")
                if count[COUNT_RERUN]:
                    operate("forward")
                    count[COUNT_RERUN] = 0
                if k == nstep - 1:
                    operate("sense")
                operate("integrate")
        else:
            operate("forward")
            operate("sense")
        operate("after")
        _scatter_interpreted(program, data, d, worlds[:nlane])


def _names_by_slot(layout) -> dict:
    return {entry.slot: name for name, entry in layout.entries.items()}


def _user_arrays(data: "Data", program: "Program") -> dict:
    """User's arrays by address."""
    arrays = {a.ctypes.data: a for a in data._arrays.values() if a.size}
    arrays.update({a.ctypes.data: a for a in data.varied.values()})
    arrays.update({a.ctypes.data: a for a in program.users})
    return arrays


def _gather_interpreted(program: "Program", data: "Data", m, d, worlds: np.ndarray) -> None:
    users, values = _user_arrays(data, program), program.values
    for t in range(program.record.nin):
        record = m if values["in_model"][t] else d
        name = _names_by_slot(record.layout)[int(values["in_scratch"][t])]
        rows = users[int(values["in_user"][t])][worlds].reshape(len(worlds), -1)
        target = record.arrays[name]
        target[...] = rows.T if target.ndim == 2 else rows[0]
    if d.arrays["count"][COUNT_WARNED]:
        d.arrays["count"][COUNT_WARNED] = 0
        for name in ("warning_number", "warning_lastinfo", "warning_reset"):
            d.arrays[name][...] = 0


def _scatter_interpreted(program: "Program", data: "Data", d, worlds: np.ndarray) -> None:
    users, values = _user_arrays(data, program), program.values
    warned = bool(d.arrays["count"][COUNT_WARNED])
    for t in range(program.record.nout + (program.record.nback if warned else 0)):
        name = _names_by_slot(d.layout)[int(values["out_scratch"][t])]
        user = users[int(values["out_user"][t])]
        source = d.arrays[name]
        lanes = source.T if source.ndim == 2 else source[None]
        # lists of a scene may be longer here
        lanes = lanes[:, : user[0].size]
        user[worlds] = lanes[: len(worlds)].reshape((len(worlds), *user.shape[1:]))
    if warned and not program.silent:
        values["warned"][0] = 1
        wide = d.arrays["warning_number"].ndim == 2
        for lane, world in enumerate(worlds):
            number, info, reset = (
                d.arrays[n][:, lane] if wide else d.arrays[n]
                for n in ("warning_number", "warning_lastinfo", "warning_reset")
            )  # fmt: skip
            if reset[0] > 0:
                data._warn_number[world] = data._warn_info[world] = 0
            for k in range(NWARNING):
                if number[k] > 0:
                    data._warn_number[world, k] += int(number[k])
                    data._warn_info[world, k] = int(info[k])
