"""Programs of one world that are ready to run again: as they did, with nothing to look up.

Where neither the model nor what users were shown has changed since the last call, such a call is
one of compiled code, which compares memory and runs the stages. Single stages keep the interpreter,
as they take microseconds; steps and forward dynamics let other threads run.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..model.change_detection import Block
from ..model.model import Edits
from ..pipeline.layouts import PLAN_LAYOUT
from ..simd.immediate import immediate_call_of
from ..simd.kernel import call_of, interpreted
from ..simd.object_code import is_known
from ..simd.ready_calls import ALWAYS, Length, Place, Ready, Somewhere, Word
from ..simd.record import Record
from .driver import run_packs, run_prepared
from .execution import fail_or_warn
from .mujoco_functions import STAGE_FUNCTIONS
from .program import SHORT
from .spans import COLUMNS, SPANS_KIND, WORD, record_of

if TYPE_CHECKING:
    from ..pipeline.stage import Stage
    from .host import Host
    from .plan import Plan
    from .program import Program

# calls, by the places of their rows in `PreparedPrograms.rows`
ROWS = {name: k for k, name in enumerate((*STAGE_FUNCTIONS, "step", "forward", "step1", "step2"))}


class PreparedPrograms(dict[str, "PreparedProgram"]):
    """Programs by the names of the calls that run them.

    Attributes:
        rows: int64, addresses of what machine code reads of each, at the places of `ROWS`; 0 where
            there is none.
        asked: names of calls that were looked up before, since they were cleared.
        looks: late outputs, and what computes them.
        lean: programs of steps that leave late outputs to be looked at, by the names of the calls.
        looked: late outputs that were looked at before a call, and how often in a row.
    """

    def __init__(self) -> None:
        super().__init__()
        self.rows = np.zeros(len(ROWS), np.int64)
        self.asked: dict[str, int] = {}
        self.looks: dict[str, PreparedLook] = {}
        self.lean: dict[str, PreparedProgram] = {}
        self.looked: dict[str, tuple[frozenset[str], int]] = {}

    def __del__(self) -> None:
        # data may hold the rows longer
        self.rows[:] = 0

    def __setitem__(self, name: str, program: "PreparedProgram") -> None:
        self.rows[ROWS[name]] = 0
        super().__setitem__(name, program)
        self.rows[ROWS[name]] = program.ready.address if program.ready else 0

    def forget(self, name: str) -> None:
        """Have a call looked up."""
        self.rows[ROWS[name]] = 0
        self.pop(name, None)

    def clear(self) -> None:
        """Have all calls looked up."""
        self.rows[:] = 0
        self.asked.clear()
        for known in (self.looks, self.lean, self.looked):
            known.clear()
        super().clear()


class PreparedProgram:
    """A program of one world that lives in the scratch, as long as nothing else has changed.

    Attributes:
        change: of the late outputs of the data, see `on_demand.Names`.
        ready: what machine code reads; None where it is not used.
    """

    ready: Ready | None = None

    def __init__(
        self,
        data: "Host",
        program: "Program",
        change: object,
        lists: Sequence[Record] = (),
        same: Sequence[tuple[Somewhere, Somewhere | int]] = (),
        releases: bool = False,
        counts: bool = False,
        left: int = ALWAYS,
    ):
        """Bind a program that has just run.

        Args:
            data: what it runs on.
            program: without stages, it only compares.
            change: of the late outputs, before and after that run.
            lists: pieces of memory of users' lists (`spans.Copies`).
            same: what has to hold besides, see `Ready`.
            releases: whether other threads run meanwhile.
            counts: whether calls say how many steps it takes.
            left: number of calls after which another one has to be made.
        """
        plan = data.plan
        self.change, self._program, self._releases = change, program, releases
        self._nv = plan.model.nv
        first = plan.threads(1)[0]
        record, self._memory = _memory(plan, lists)
        self._runs = bool(program.phases["forward"])
        record.set_size("runs", self._runs)
        kinds = ((PLAN_LAYOUT, 0, False), *plan.records, SPANS_KIND)
        records = program.record, first.model, first.data, record
        # what calls are bound to is kept alive
        self._records = records
        self._run = (call_of if releases else immediate_call_of)(run_prepared, kinds, records)
        self._differs = record.arrays["told"].data
        self._warned = program.warned
        if interpreted() or not is_known():
            return
        # the plan holds this object, which would keep it alive
        idle, values = Place(plan, "idle"), program.values
        same = [*same, (idle, id(True)), (Place(Edits, "last"), Place(plan, "seen"))]
        told = Word(values["warned"]), Length(plan.failed)
        self.ready = Ready(
            run_prepared, kinds, records, same, Word(record.arrays["told"]), told,
            Word(values["nstep"]) if counts else None, SHORT // max(plan.model.nv, 1),
            idle if releases else None, left,
        )  # fmt: skip

    def run(self, data: "Host") -> bool:
        """Run, if all is as it was; false if not.

        Args:
            data: those that it was made for.
        """
        program, plan = self._program, data.plan
        connected = program.connected is data.inputs_in_use or not self._runs
        if not (connected and plan.idle and Edits.last is plan.seen):
            return False
        # where no other thread runs until this is over, nobody needs to be told
        plan.idle = not self._releases
        try:
            self._run()
        finally:
            plan.idle = True
        if self._differs[0]:
            return False
        if plan.failed or self._warned[0]:
            fail_or_warn(plan, data, program)
        return True

    def takes(self, nstep: int) -> bool:
        """True if it is set to take a number of steps, which are few."""
        counted = self._program.nstep in (0, nstep)
        return counted and nstep * self._nv <= SHORT

    def tell(self, data: "Host") -> None:
        """Raise the error of a run by machine code, or pass on its warnings."""
        fail_or_warn(data.plan, data, self._program)


class PreparedLook:
    """A stage that computes late outputs, ready to run on what the last call has left."""

    def __init__(self, data: "Host", stage: "Stage", program: "Program", fields: frozenset[str]):
        """Bind a program that has just run.

        Args:
            data: one world that lives in the scratch.
            stage: the only one of the program.
            program: what runs it.
            fields: late outputs that it makes.
        """
        first = data.plan.threads(1)[0]
        records = program.record, first.model, first.data
        kinds = ((PLAN_LAYOUT, 0, False), *data.plan.records)
        self._run = immediate_call_of(run_packs, kinds, records)
        self._program, self.stage, self.fields = program, stage, fields

    def run(self, data: "Host") -> bool:
        """Compute the fields, where the data are as they were but for these; false if not."""
        program, plan = self._program, data.plan
        if not (plan.idle and program.connected is data.inputs_in_use):
            return False
        program.counter[0] = 0
        self._run()
        if plan.failed or program.warned[0]:
            fail_or_warn(plan, data, program)
        return True


def can_look(plan: "Plan", program: "Program") -> bool:
    """True if a program of late outputs that has just run does nothing besides."""
    plain = not (plan.timed or plan.varied or plan.bytecode or plan.stepless_contexts)
    alone = program.npack == 1 and program.all_worlds
    return plain and alone and plan.model.nv <= SHORT


def can_prepare(plan: "Plan", program: "Program") -> bool:
    """True if a program that has just run does nothing that a prepared one cannot."""
    busy = plan.timed or plan.varied or plan.bytecode or plan.stepless_contexts
    plain = _is_whole(plan) and not busy
    watched = plan.hooks.functions or plan.plugins.in_python
    # one without stages has never run
    alone = not program.phases["forward"] or (program.npack == 1 and program.all_worlds)
    return plain and not watched and alone and plan.model.nv <= SHORT


def _is_whole(plan: "Plan") -> bool:
    """True if contents of the model can be compared word by word."""
    return not any(len(held) % WORD for held, _ in _blocks(plan))


def model_memory(plan: "Plan") -> tuple[Record, Any] | None:
    """Pieces of memory of the model that have to be as they are, and what holds them.

    Returns:
        None where they cannot be compared word by word.
    """
    return _memory(plan, ()) if _is_whole(plan) else None


def _blocks(plan: "Plan") -> list[Block]:
    """Contents of the model, and its memory."""
    watch = plan.watch
    blocks = ((watch.held, watch.memory), *watch.others, *plan.frames.blocks)
    return [pair for pair in blocks if pair[0]]


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
