"""The instructions of a step, and the memory that they read and write."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from mjenv.engine.data.requested_fields import LAZY_INPUTS
from mjenv.engine.pipeline.layouts import DATA_LAYOUT
from mjenv.engine.run.bytecode import ANCHORS
from mjenv.porting.running.program import Output, Program
from mjenv.porting.stand_ins.calls import ASKED, WHEN
from mjenv.porting.stand_ins.random_numbers import PREFIX
from mjenv.porting.symbols.refusals import NotTraced
from mjenv.tracing.arrays import DOUBLE, Load, Recording
from mjenv.tracing.assemble import CONTACT, FIELDS, Assignment, Store, assemble

if TYPE_CHECKING:
    from mjenv.engine.data.data import Data

_CONSTANTS = -1  # where values are defined that no section computes


class StepCode:
    """A step in instructions, for the worlds of some data.

    Attributes:
        code: the instructions.
        action: (nworld, size), a part of the inputs.
        attributes: (nworld, ...) by name, parts of the inputs.
        observation, info: results by name, arrays (nworld, ...).
        reward, terminated, truncated, raised, unfinished: results, arrays (nworld, ...).
    """

    def __init__(self, program: Program, data: "Data", read: Callable[[str], np.ndarray]):
        """Assemble the instructions.

        Args:
            program: the step.
            data: the worlds.
            read: gives fields that are copied, (nworld, ...).
        """
        self._program, self._data, self._read = program, data, read
        self._nsection = len(program.sections)
        self._alone = [self._is_alone(k) for k in range(self._nsection)]
        self._columns = self._layout()
        self._when: dict[int, np.ndarray] = {}
        self._asked: dict[int, np.ndarray] = {}
        self._stores: list[Store] = []
        self._arrays: list[np.ndarray] = []
        self._assignments: list[Assignment] = []
        # inputs of the instructions, then what sections pass on to later ones
        recording, spilled = self._sections()
        width = sum(stop - start for start, stop in self._columns.values())
        self._inputs = np.zeros((data.nworld, width + len(spilled)))
        self._name_inputs()
        self._spill(spilled, width)
        self._written = self._write_fields()
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
        self.code = assemble(recording, self._stores, self._assignments, early)

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
            return writes_model or self._nsection == 1 or calls[0].alone
        steady = ("self", "@action", PREFIX, "model.", *LAZY_INPUTS)
        names = [load.field for load in self._program.loads[k]]
        others = [n for n in names if not self._direct(n) and not n.startswith(steady)]
        if calls[k - 1].alone:
            others.append("a call in some worlds, or of mj_step1")
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
        queries = [call.query for call in program.calls if call.query]
        answers = {one.field: one.size for query in queries for one in (query, *query.others)}
        sizes |= {name: size for name, size in answers.items() if name in used}
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
                made[one.target : one.target + one.size] = k
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
                if name == ASKED:
                    size = len(output.ids)
                    asked = self._asked[k] = np.zeros((self._data.nworld, size))
                    self._stores.append(Store(str(k), self._place(asked), DOUBLE, output.ids))
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
