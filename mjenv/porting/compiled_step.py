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
from mjenv.engine.data.requested_fields import LAZY_INPUTS
from mjenv.engine.pipeline.layouts import DATA_LAYOUT
from mjenv.engine.run.bytecode import ANCHORS, Bytecode
from mjenv.engine.run.execution import execute
from mjenv.engine.run.program import Program as Passes
from mjenv.porting.changing import NotTraced
from mjenv.porting.program import Output, Program, count
from mjenv.porting.random_numbers import PREFIX
from mjenv.porting.symbolic_data import RANDOM, WHEN
from mjenv.tracing.arrays import DOUBLE, Load, Recording
from mjenv.tracing.assemble import CONTACT, FIELDS, Assignment, Store, assemble

if TYPE_CHECKING:
    from mjenv.engine.data.data import Data

_CONSTANTS = -1  # where values are defined that no section computes


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


class CompiledStep:
    """Runs a step for worlds.

    Attributes:
        action: (nworld, size), a part of the inputs.
        attributes: (nworld, ...) by name, parts of the inputs.
        results: arrays (nworld, ...) by the place of each `Output` among those asked for.
        generators: random generators of the worlds, for a step that asks for numbers.
    """

    generators: list[Any]

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
        self._program, self._data, self._read, self._enter = program, data, read, enter
        self._nsection = len(program.sections)
        self._alone = [self._is_alone(k) for k in range(self._nsection)]
        self._columns = self._layout()
        self._when: dict[int, np.ndarray] = {}
        self._stores: list[Store] = []
        self._arrays: list[np.ndarray] = []
        self._assignments: list[Assignment] = []
        # inputs of the instructions, then what sections pass on to later ones
        recording, spilled = self._sections()
        width = sum(stop - start for start, stop in self._columns.values())
        self._inputs = np.zeros((data.nworld, width + len(spilled)))
        self._name_inputs()
        self._spill(spilled, width)
        written = self._write_fields()
        self._remember()
        self._last = str(self._nsection - 1)
        # results, each stored into an array of its own
        self.observation = {name: self._result(o) for name, o in program.observation.items()}
        self.info = {name: self._result(o) for name, o in program.info.items()}
        self.reward, self.terminated, self.truncated, self.raised, self.unfinished = map(
            self._result,
            (program.reward, program.terminated, program.truncated, program.raised,
             program.unfinished),
        )  # fmt: skip
        early = {"0"} | {str(k) for k in range(self._nsection) if self._alone[k]}
        code = assemble(recording, self._stores, self._assignments, early)
        self._bytecode = Bytecode(data, code, self._inputs)
        self._bytecode.write_to(self._bytecode.places(self._arrays))
        self._turns = self._make_turns(written)

    # ------------------------------------------------------------ what runs where

    def _direct(self, name: str) -> bool:
        """True if a field lies in the memory of a pack."""
        if name.startswith(CONTACT):
            return True
        return name in FIELDS and name not in self._data._lazy and name not in LAZY_INPUTS

    def _is_alone(self, k: int) -> bool:
        """True if a section needs a pass of its own."""
        calls = self._program.calls
        if k == 0:
            # fields of the model are read when a pass begins
            writes_model = any(name.startswith("model.") for name in self._program.writes[0])
            return writes_model or self._nsection == 1 or calls[0].name == RANDOM
        steady = ("self", "@action", PREFIX, "model.", *LAZY_INPUTS)
        names = [load.field for load in self._program.loads[k]]
        others = [n for n in names if not self._direct(n) and not n.startswith(steady)]
        if calls[k - 1].name == RANDOM:
            others.append("np_random")
        if others and any(n.startswith(CONTACT) for n in names):
            raise NotTraced(
                f"found data.contact and data.{others[0]} between the same calls of the physics, "
                "of which only one can be read there"
            )
        return bool(others)

    def _layout(self) -> dict[str, tuple[int, int]]:
        """Columns of the inputs by name: of actions, attributes, and fields that are copied."""
        program, columns, at = self._program, {}, 0
        sizes = {"@action": int(np.prod(program.followed.action[1]))}
        sizes |= {slot.field: int(np.size(slot.sample)) for slot in program.slots}
        used = {load.field for loads in program.loads for load in loads}
        for number, draw in enumerate(program.draws):
            if f"{PREFIX}{number}" in used:
                sizes[f"{PREFIX}{number}"] = draw.size
        for loads in program.loads:
            for load in loads:
                if load.field not in sizes and not self._direct(load.field):
                    sizes[load.field] = (
                        self._read(load.field).reshape(self._data.nworld, -1).shape[1]
                    )
        for name, size in sizes.items():
            columns[name] = at, at + size
            at += size
        return columns

    def _group(self, k: int) -> int:
        """Sections of one group share the memory of a pack."""
        together = k == 1 and not self._alone[0] and not self._alone[1]
        return 0 if together else k

    # ------------------------------------------------------------ instructions

    def _sections(self) -> tuple[Recording, list[tuple[int, int]]]:
        """The instructions, and values that other groups read: section and number of each."""
        program, recording = self._program, Recording()
        recording.constants = program.followed.recording.constants
        recording.nvalue = program.followed.recording.nvalue
        made = np.full(recording.nvalue, _CONSTANTS)
        given: dict[int, Load] = {}
        for k, loads in enumerate(program.loads):
            for load in loads:
                made[load.first : load.first + load.size] = k
                if load.field in self._columns:
                    start = self._columns[load.field][0] + load.start
                    moved = Load(str(k), "bytecode_input", load.first, load.size, start)
                    given |= dict.fromkeys(range(load.first, load.first + load.size), moved)
                    load = moved
                recording.loads.append(load._replace(section=str(k)))
        for k, code in enumerate(program.sections):
            recording.sections[str(k)] = code
            for one in code:
                made[one.target : one.target + count(one)] = k
        return recording, self._crossing(recording, made, given)

    def _crossing(
        self, recording: Recording, made: np.ndarray, given: dict[int, Load]
    ) -> list[tuple[int, int]]:
        """Load what other groups have made; values that have to be kept for that."""
        spilled: dict[int, int] = {}
        for k in range(self._nsection):
            used = self._used(k)
            others = [
                value for value in used[used >= 0].tolist()
                if self._group(int(made[value])) != self._group(k)
            ]  # fmt: skip
            for load in {given[v] for v in others if v in given}:
                recording.loads.append(load._replace(section=str(k)))
            for value in others:
                if value not in given:
                    place = spilled.setdefault(value, len(spilled))
                    start = sum(b - a for a, b in self._columns.values()) + place
                    recording.loads.append(Load(str(k), "bytecode_input", value, 1, start))
        return [(int(made[value]), value) for value in spilled]

    def _used(self, k: int) -> np.ndarray:
        """Numbers of the values that a section reads."""
        program = self._program
        ids = [ids.reshape(-1) for one in program.sections[k] for ids in one.operands]
        outputs = [*program.writes[k].values()]
        if k == self._nsection - 1:
            ends = (program.reward, program.terminated, program.truncated, program.raised,
                    program.unfinished)  # fmt: skip
            outputs += [*program.observation.values(), *program.info.values(), *ends]
            outputs += program.attributes.values()
        ids += [one.ids for one in outputs if isinstance(one, Output)]
        return np.unique(np.concatenate(ids or [np.zeros(0, np.int64)]))

    # ------------------------------------------------------------ memory

    def _name_inputs(self) -> None:
        """Parts of the inputs by what they are."""
        first, end = self._columns["@action"]
        self.action = self._inputs[:, first:end]
        self.attributes = {}
        for slot in self._program.slots:
            first, end = self._columns[slot.field]
            part = self._inputs[:, first:end].reshape(len(self._inputs), *np.shape(slot.sample))
            assert np.shares_memory(part, self._inputs) or not part.size
            self.attributes[slot.field] = part

    def _place(self, array: np.ndarray) -> int:
        self._arrays.append(array)
        return len(self._arrays) - 1

    def _spill(self, spilled: list[tuple[int, int]], width: int) -> None:
        """Keep values for later passes."""
        if not spilled:
            return
        place = self._place(self._inputs)
        for column, (k, value) in enumerate(spilled):
            row = self._inputs.shape[1]
            one = Store(str(k), place, DOUBLE, np.array([value]), row, width + column)
            self._stores.append(one)

    def _write_fields(self) -> list[list[tuple[str, np.ndarray]]]:
        """Have sections write fields; those that are copied afterwards, by section."""
        later: list[list[tuple[str, np.ndarray]]] = []
        for k, writes in enumerate(self._program.writes):
            later.append([])
            for name, output in writes.items():
                if name == WHEN:
                    when = self._when[k] = np.zeros((self._data.nworld, 1))
                    self._stores.append(Store(str(k), self._place(when), DOUBLE, output.ids))
                    continue
                array = self._read(name)
                # the physics are told of what is written into the model
                plain = array.dtype == DOUBLE and array.flags.c_contiguous
                plain = plain and not name.startswith("model.")
                if not plain:
                    array = np.zeros((self._data.nworld, len(output.ids)))
                    later[-1].append((name, array))
                self._stores.append(Store(str(k), self._place(array), DOUBLE, output.ids))
                if name in DATA_LAYOUT.entries and name in FIELDS:
                    self._assignments.append(Assignment(str(k), name, output.ids))
        return later

    def _remember(self) -> None:
        """Store new attributes apart: a pass may have to run once more."""
        columns = [self._columns[slot.field] for slot in self._program.slots]
        size = sum(b - a for a, b in columns)
        self._new = np.zeros((self._data.nworld, size))
        first = columns[0][0] if columns else 0
        self._own = self._inputs[:, first : first + size]
        if not columns:
            return
        place, last = self._place(self._new), str(self._nsection - 1)
        kept = False
        for slot, (a, b) in zip(self._program.slots, columns, strict=True):
            output = self._program.attributes[slot.field]
            if not isinstance(output, Output):
                self._new[:, a - first : b - first] = np.reshape(output, -1)
                continue
            self._stores.append(Store(last, place, DOUBLE, output.ids, size, a - first))
            kept = True
        if not kept:
            self._stores.append(Store(last, place, DOUBLE, np.zeros(0, np.int64), size))

    def _result(self, output: Any) -> np.ndarray:
        """Memory for results, (nworld, ...)."""
        nworld = self._data.nworld
        if not isinstance(output, Output):
            return np.repeat(np.asarray(output)[None], nworld, axis=0)
        dtype = output.dtype if output.dtype in ANCHORS else DOUBLE
        array = np.zeros((nworld, *output.shape), dtype)
        self._stores.append(Store(self._last, self._place(array), dtype, output.ids))
        return array

    # ------------------------------------------------------------ steps

    def _make_turns(self, written: list[list[tuple[str, np.ndarray]]]) -> list[Turn]:
        """The passes of a step."""
        turns, before = [], None
        if self._alone[0]:
            turns.append(self._pass(0, written[0]))
        else:
            before = "0"
        for k, call in enumerate(self._program.calls[:-1]):
            later = k + 1
            if call.name == RANDOM:
                turns.append(Turn([], None, None, partial(self._ask, k), []))
                turns.append(self._pass(later, written[later]))
                before = None
                continue
            after = None if self._alone[later] else str(later)
            advance = PreparedStep(self._data, call.nstep if call.name == "step" else 0, call.post)
            copied = self._copied(0 if before else later) + (self._copied(later) if after else [])
            back = (written[0] if before else []) + (written[later] if after else [])
            turns.append(Turn(copied, before, after, advance, back))
            if after is None:
                turns.append(self._pass(later, written[later]))
            before = None
        return turns

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
            if name in self._columns and name not in own
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


class _Alone:
    """Runs bytecode without physics."""

    def __init__(self, data: "Data"):
        self._data, self._choice = data, None
        self._passes: Passes | None = None

    def __call__(self, worlds: np.ndarray | None) -> None:
        plan = self._data.plan
        if self._passes is None or plan.choice is not self._choice:
            stages = plan.bytecode.stages if plan.bytecode else ()
            # two, as phases take turns; the second has nothing to do
            self._passes = Passes(plan, {"start": stages, "after": stages})
            self._choice = plan.choice
        execute(self._data, self._passes, 0, worlds)
