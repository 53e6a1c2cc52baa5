"""A step's program as bytecode: it runs in the threads of the physics, as those of tasks do.

What a world has of its own besides the physics stands in a row of one array, its **inputs**: the
action, attributes of the environment, and values that one call of the physics has to keep for the
next. Sections of the program run with the calls between which they stand: the first before its
call, all others behind theirs, in the same pass over packs of worlds. A section that has to see
something which is only known after the pass (warnings) has a pass of its own.
"""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mjenv.engine.data.prepared_step import PreparedStep
from mjenv.engine.run.bytecode import Bytecode
from mjenv.engine.run.execution import execute
from mjenv.engine.run.program import Program as Passes
from mjenv.porting.running.program import Program
from mjenv.porting.running.step_code import StepCode
from mjenv.porting.stand_ins.calls import Call
from mjenv.porting.stand_ins.queries import ANSWER
from mjenv.porting.stand_ins.random_numbers import PREFIX
from mjenv.stepping.reset_with_physics import without_actuation

if TYPE_CHECKING:
    from mjenv.engine.data.data import Data


class Turn(NamedTuple):
    """One pass over the worlds.

    Attributes:
        copied: columns of the inputs, and the fields that they are copied from before it.
        before, after: sections that run with it; None for none.
        advance: the pass itself, a function of the worlds.
        written: fields that are copied from results after it.
    """

    copied: list[tuple[np.ndarray, str]]
    before: str | None
    after: str | None
    advance: Callable[[np.ndarray | None], None]
    written: list[tuple[str, np.ndarray]]


class CompiledStep(StepCode):
    """Runs a step for worlds.

    Attributes:
        generators: lists of random generators, a list for each world.
    """

    generators: list[list[Any]]

    def __init__(
        self,
        program: Program,
        data: "Data",
        read: Callable[[str], np.ndarray],
        enter: Callable[[], None],
    ):
        """Assemble the instructions.

        Args:
            program: the step.
            data: the worlds.
            read: gives fields that are copied, (nworld, ...).
            enter: has the physics take fields of the model that were written.
        """
        super().__init__(program, data, read)
        self._enter = enter
        self._bytecode = Bytecode(data, self.code, self._inputs)
        self._bytecode.write_to(self._bytecode.places(self._arrays))
        self._turns = self._make_turns(self._written)

    def _make_turns(self, written: list[list[tuple[str, np.ndarray]]]) -> list[Turn]:
        """The passes of a step."""
        turns, before = [], None
        if self._alone[0]:
            turns.append(self._pass(0, written[0]))
        else:
            before = "0"
        for k, call in enumerate(self._program.calls[:-1]):
            later = k + 1
            if call.of_some or call.waits:
                some = partial(self._answer, k) if call.query else partial(self._ask, k)
                if not call.waits:
                    some = partial(self._advance_some, k, self._advance(call))
                turns.append(Turn([], None, None, some, []))
                turns.append(self._pass(later, written[later]))
                before = None
                continue
            after = None if self._alone[later] else str(later)
            advance = self._advance(call)
            copied = self._copied(0 if before else later) + (self._copied(later) if after else [])
            back = (written[0] if before else []) + (written[later] if after else [])
            turns.append(Turn(copied, before, after, advance, back))
            if after is None:
                turns.append(self._pass(later, written[later]))
            before = None
        return turns

    def _advance(self, call: Call) -> Callable[[np.ndarray | None], None]:
        """A call of the physics, a function of the worlds."""
        if call.name == "first half":
            return PreparedStep(self._data, first=True)
        nstep = call.nstep if call.name == "step" else 0
        advance = PreparedStep(self._data, nstep, call.post, call.renewed)
        return partial(_undriven, self._data, advance) if call.undriven else advance

    def _advance_some(
        self, k: int, advance: Callable[[np.ndarray | None], None], worlds: np.ndarray | None
    ) -> None:
        """A call of the physics in those of the worlds in which its condition is true."""
        there = np.flatnonzero(self._when[k][:, 0])
        if worlds is not None:
            there = np.intersect1d(there, worlds)
        if len(there):
            advance(there)

    def _answer(self, k: int, worlds: np.ndarray | None) -> None:
        """Have the engine answer what is asked in worlds."""
        query, asked = self._program.calls[k].query, self._asked[k]
        chosen: Any = ... if worlds is None else worlds
        if worlds is not None:
            # of the others, nothing is asked that could be refused
            asked = asked[np.full(len(asked), worlds[0])]
            asked[worlds] = self._asked[k][worlds]
        for field, found in query.answers(self._data, asked):
            if field in self._columns:
                self._inputs[chosen, slice(*self._columns[field])] = found[chosen]

    def _pass(self, k: int, written: list[tuple[str, np.ndarray]]) -> Turn:
        """A pass of a section alone."""
        return Turn(self._copied(k), str(k), None, _Alone(self._data), written)

    def _copied(self, k: int) -> list[tuple[np.ndarray, str]]:
        """Fields that are copied for a section, and where to."""
        names = dict.fromkeys(load.field for load in self._program.loads[k])
        own = {"@action", *(slot.field for slot in self._program.slots)}
        own |= {name for name in names if name.startswith(PREFIX)}
        return [
            (self._inputs[:, slice(*self._columns[name])], name)
            for name in names
            if name in self._columns and name not in own and not name.startswith(ANSWER)
        ]

    def __call__(self, worlds: np.ndarray | None) -> None:
        """Advance worlds; actions and attributes were entered before.

        Args:
            worlds: their numbers; None for all.
        """
        plan, bytecode = self._data.plan, self._bytecode
        self._ask(-1, worlds)
        plan.refresh_idle()
        if plan.bytecode is not bytecode:
            plan.set_bytecode(bytecode)
        try:
            for copied, before, after, advance, written in self._turns:
                for columns, name in copied:
                    columns[...] = self._read(name).reshape(columns.shape)
                bytecode.choose(before, after)
                advance(worlds)
                for name, array in written:
                    field, chosen = self._read(name), ... if worlds is None else worlds
                    field[chosen] = array.reshape(field.shape)[chosen]
                if any(name.startswith("model.") for name, _ in written):
                    self._enter()
        finally:
            bytecode.choose(None, None)

    def _ask(self, call: int, worlds: np.ndarray | None) -> None:
        """Ask generators for numbers: of each world in the order of the environment."""
        draws = [
            (draw, self._columns.get(f"{PREFIX}{number}"))
            for number, draw in enumerate(self._program.draws) if draw.call == call
        ]  # fmt: skip
        if not draws:
            return
        when, conditional = self._when.get(call), all(draw.conditional for draw, _ in draws)
        chosen = range(self._data.nworld) if worlds is None else worlds.tolist()
        for world in chosen:
            there = when is None or when[world, 0] != 0.0
            if not there and conditional:
                continue
            for draw, columns in draws:
                if draw.conditional and not there:
                    continue
                numbers = draw.numbers(self.generators[world])
                if columns is not None:
                    self._inputs[world, columns[0] : columns[1]] = np.ravel(numbers)

    def take_attributes(self, worlds: np.ndarray | None) -> None:
        """Have the attributes that the step has given worlds."""
        chosen = ... if worlds is None else worlds
        self._own[chosen] = self._new[chosen]


def refuse_errors(program: Program, step: CompiledStep, worlds: np.ndarray | None) -> None:
    """Raise an environment's own error where a world's way ends in one."""
    if not program.followed.errors:
        return
    raised = np.asarray(step.raised, np.int64).reshape(-1)
    bad: Any = np.flatnonzero(raised if worlds is None else raised[worlds])
    if len(bad):
        world = int(bad[0] if worlds is None else worlds[bad[0]])
        error = program.followed.errors[raised[world] - 1]
        raise type(error)(f"environment {world}: {error}")


def _undriven(data: "Data", advance: PreparedStep, worlds: np.ndarray | None) -> None:
    """Call the physics with actuators that have no forces."""
    with without_actuation(data):
        advance(worlds)


class _Alone:
    """Runs bytecode without physics."""

    def __init__(self, data: "Data"):
        self._data = data
        self._made_for: Any = None
        self._passes: Passes | None = None

    def __call__(self, worlds: np.ndarray | None) -> None:
        plan = self._data.plan
        # the same choice of stages comes again where steps and resets take turns
        made_for = plan, plan.choice
        if self._passes is None or made_for != self._made_for:
            stages = plan.bytecode.stages if plan.bytecode else ()
            # two, as phases take turns; the second has nothing to do
            self._passes = Passes(plan, {"start": stages, "after": stages})
            self._made_for = made_for
        execute(self._data, self._passes, 0, worlds)
