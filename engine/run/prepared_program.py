"""Programs of single stages on one world, ready to run again: as it was, with nothing to look up.

Where neither the model nor what users were shown has changed since the last call, such a call is
one of compiled code, which compares memory and runs the stages. It keeps the interpreter: it is for
models whose stages take microseconds.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..model.change_detection import Block
from ..model.model import Edits
from ..pipeline.layouts import PLAN_LAYOUT
from ..simd.immediate import immediate_call_of
from ..simd.record import Record
from .driver import run_prepared
from .execution import fail_or_warn
from .program import SHORT
from .spans import SPANS_KIND, WORD, record_of

if TYPE_CHECKING:
    from .host import Host
    from .plan import Plan
    from .program import Program

COLUMNS = ("place", "other", "words", "length", "most")


class PreparedProgram:
    """A program of one world that lives in the scratch, as long as nothing else has changed.

    Attributes:
        change: of the late outputs of the data, see `on_demand.Names`.
    """

    def __init__(self, plan: "Plan", program: "Program", change: object, lists: Sequence[Record]):
        """Bind a program that has just run.

        Args:
            plan: of the data.
            program: without stages, it only compares.
            change: of the late outputs, before and after that run.
            lists: pieces of memory of users' lists (`spans.Copies`).
        """
        self.change, self._program = change, program
        first = plan.threads(1)[0]
        record, self._memory = _memory(plan, lists)
        self._runs = bool(program.phases["forward"])
        record.set_size("runs", self._runs)
        kinds = ((PLAN_LAYOUT, 0, False), *plan.records, SPANS_KIND)
        records = program.record, first.model, first.data, record
        self._run = immediate_call_of(run_prepared, kinds, records)
        self._differs = record.arrays["told"].data
        self._warned = program.warned

    def run(self, data: "Host") -> bool:
        """Run, if all is as it was; false if not.

        Args:
            data: those that it was made for.
        """
        program, plan = self._program, data.plan
        connected = program.connected is data.inputs_in_use or not self._runs
        if not (connected and plan.idle and Edits.last is plan.seen):
            return False
        # no other thread runs until this is over, so nobody needs to be told that data are in use
        self._run()
        if self._differs[0]:
            return False
        if plan.failed or self._warned[0]:
            fail_or_warn(plan, data, program)
        return True


def can_prepare(plan: "Plan", program: "Program") -> bool:
    """True if a program that has just run does nothing that a prepared one cannot."""
    whole = not any(len(held) % WORD for held, _ in _blocks(plan))
    plain = whole and not (plan.timed or plan.varied or plan.bytecode or plan.stepless_contexts)
    watched = plan.hooks.functions or plan.plugins.in_python or plan.watch.others
    # one without stages has never run
    alone = not program.phases["forward"] or (program.npack == 1 and program.all_worlds)
    return plain and not watched and alone and plan.model.nv <= SHORT


def _blocks(plan: "Plan") -> list[Block]:
    """Contents of the model, and its memory."""
    return [pair for pair in ((plan.watch.held, plan.watch.memory), *plan.frames.blocks) if pair[0]]


def _memory(plan: "Plan", lists: Sequence[Record]) -> tuple[Record, Any]:
    """Pieces of memory that have to be as they are, of the model and of lists; what holds them."""
    blocks = _blocks(plan)
    bytes_of = [[np.frombuffer(part, np.uint8) for part in pair] for pair in blocks]
    columns = [
        [memory.ctypes.data for _, memory in bytes_of],
        [held.ctypes.data for held, _ in bytes_of],
        [len(held) // WORD for held, _ in bytes_of],
        [0] * len(blocks),
        [1] * len(blocks),
    ]
    for record in lists:
        for column, name in zip(columns, COLUMNS, strict=True):
            column += record.arrays[name].tolist()
    return record_of(*columns), (bytes_of, tuple(lists))
