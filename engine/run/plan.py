"""Plans: records, programs and transfers, prepared once to run a model.

A `Plan` belongs to one `Data`. It derives the engine's own tables from the model, decides which
stages take part, compiles or loads them, and lays out the scratch of each thread.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np

from ..model.change_detection import FRAMES, ChangeDetector
from ..physics.capacity import LISTS
from ..physics.collision.colliders import HFIELDS, NUMBER
from ..pipeline.forward import AFTER, COUNT_LISTS, FORWARD
from ..pipeline.layouts import (
    CONTACT_ARRAYS,
    DATA_ARRAYS,
    DATA_LAYOUT,
    ENGINE_DATA,
    MODEL_LAYOUT,
)
from ..pipeline.solve import COUNT_SUBPROBLEMS
from ..pipeline.stage import Stage, chosen
from ..simd.record import DUAL, Record
from ..tables.enums import (
    COUNT_KNOWN,
    COUNT_XFRC,
)
from .derived import TABLE_SLOTS, Derived, Wanted
from .driver import run_packs
from .execution import RUN_CONTEXTS, execute
from .hooks import Hooks
from .in_use import alone
from .lane_fields import LaneFields
from .model_follower import ModelFollower
from .model_memory import ModelMemory, memory_of
from .model_numbers import PLACES, Numbers
from .plugin_functions import PluginFunctions
from .prepared_program import PreparedPrograms
from .program import Program
from .sameframe_tolerance import SameFrames
from .scratch import Scratch, keep_lists
from .stage_choice import choice_of, energies, enter_options, in_form, late_fields
from .structures import Structure, structure_of
from .supported import joins_awake

if TYPE_CHECKING:
    from ..model.model import Model
    from .bytecode import Bytecode
    from .host import Host

FIELD_ROWS = {row.name: row for row in (*DATA_ARRAYS, *CONTACT_ARRAYS, *ENGINE_DATA)}
LISTED = tuple(name for name in LISTS if name in MODEL_LAYOUT.entries)
FIRST = np.zeros(1, np.int64)  # the first world alone
NATIVE_WIDTH = 8  # lanes of a pack: one AVX-512 register of float64


def default_width(nworld: int) -> int:
    """Lanes of a pack for a number of worlds: packs when the worlds fill one, else 1."""
    return NATIVE_WIDTH if nworld >= NATIVE_WIDTH else 1


class Plan(ModelFollower):
    """Programs, transfers and records for one model and one set of kept fields."""

    kind_of_lanes = LaneFields

    def __init__(self, model: "Model", wanted: Wanted, structure: Structure | None = None):
        """Prepare nothing but what a model needs whatever runs.

        Args:
            model: a `Model`.
            wanted: what data want.
            structure: that of the model; None to have it found.
        """
        self.model = model
        self._take(wanted)
        self.rebuild: Callable[[], None] = self.lay_out
        self.last_scalars: tuple | None = None
        self.seen: object = None
        self.followed: object = None
        self.wrench = False
        self.failed: list[Scratch] = []
        self.stopping = np.zeros(1, np.int64)
        # whether no call works on the data, and the thread of one that makes others, see in_use.py
        self.idle, self.holder = True, 0
        self.copy_of_state: Callable[[], dict] = dict
        self.spare_state: dict[str, np.ndarray] | None = None
        self.follows = True
        self.numbers = Numbers(model)
        self.model_record = Record(MODEL_LAYOUT)
        memory = memory_of(model)
        self._enter_model(memory)
        self.scratch: list[Scratch] = []
        self.lane_fields = self.kind_of_lanes(self.model_record)
        self.programs: dict[tuple | Stage, Program] = {}
        # those of the present choice, by what they are for, as steps find them at once
        self.ready: dict[tuple, Program] = {}
        # calls that are ready to run again
        self.prepared: PreparedPrograms = PreparedPrograms()
        self.hooks = Hooks(model)
        self.plugins = PluginFunctions(model)
        self.bytecode: Bytecode | None = None
        self.watch = ChangeDetector(model, memory.watched)
        self.lay_out(structure=structure)

    def adopt(self, other: "Plan") -> None:
        """Go on with the scratch of another plan, whose data this one takes over."""
        other.prepared.clear()
        self.rebuild, self.copy_of_state = other.rebuild, other.copy_of_state
        self.failed, self.stopping, self.wrench = other.failed, other.stopping, other.wrench
        if other.hooks.functions != self.hooks.functions:
            self.hooks.set(other.hooks.functions)
            self._choose_stages()
        keep_lists(other.sizes, self.sizes)
        self.scratch = other.scratch
        same = self.derived.tables is other.derived.tables
        for scratch in self.scratch:
            if same:
                scratch.model = self.model_record
            else:
                scratch.fit(self)
            if self.uses_subproblems:
                scratch.add_subproblems()
            self._attach(scratch)
        for name in LISTED:
            self.model_record.set_size(name, self.sizes[name])
        self.forget_rest()

    # what is looked at in every step are attributes, and few of them: Python finds these quickly
    @property
    def tables(self) -> dict:
        """Arrays and sizes of `ENGINE_MODEL`, and of candidates."""
        return self.derived.tables

    @property
    def sizes(self) -> dict[str, int]:
        """Every size that a field's shape may name."""
        return self.derived.sizes

    @property
    def conditions(self) -> dict:
        """Values of the conditions of stages, see conditions.py."""
        return self.derived.conditions

    @property
    def timed(self) -> bool:
        """True if the time of stages is kept."""
        return self.wanted.timed

    # ------------------------------------------------------------ records

    def lay_out(self, wanted: Wanted | None = None, structure: Structure | None = None) -> None:
        """Derive everything from the model as it is now; nothing changes if that fails.

        Args:
            wanted: what data want from now on; None for what they wanted.
            structure: that of the model; None to have it found.

        Raises:
            UnsupportedFeature: the model uses something that is not simulated yet.
        """
        # derive first: nothing has changed if this fails
        wanted = wanted or self.wanted
        before: Derived | None = vars(self).get("derived")
        if before:
            wanted = wanted._replace(slept=self.sleeps)
        derived = (structure or structure_of(self.model)).derive(self.model, wanted)
        if before:
            keep_lists(before.sizes, derived.sizes)
            for name in ("medium", "energy", "owns_contacts"):
                derived.conditions[name] |= before.conditions[name]
        # take over what was derived
        other_width = wanted.width != self.wanted.width
        self._take(wanted)
        self.derived = derived
        self.sleeps = self.conditions["sleeps"]
        self.joins_awake = self.sleeps and bool(joins_awake(self.model).any())
        self.has_hfields = bool(self.tables["collider_num"][NUMBER[HFIELDS]])
        self._enter_tables()
        self.hooks.find()
        self.programs.clear()
        self.ready.clear()
        self.prepared.clear()
        self.spare_state = None
        # what is of another width goes; other scratch is fitted
        if other_width:
            self.scratch.clear()
        for scratch in self.scratch:
            scratch.fit(self)
            self._attach(scratch)
        # stages of the pipeline
        self._choose_stages()
        self._choose_late()

    def _take(self, wanted: Wanted) -> None:
        """Note what data want, as attributes: they are looked at in every step."""
        self.wanted = wanted
        self.width, self.varied = wanted.width, wanted.varied
        self.large_model = wanted.capacity is not None
        self.keeps_pack = wanted.alone

    def _enter_model(self, memory: ModelMemory) -> None:
        """Enter the model's own arrays, which stay where they are."""
        record = self.model_record
        record.set_from(memory.record, memory.slots)
        record.set_block(PLACES, self.numbers.block)
        if self.heights is not None:
            record.set_array("hfield_data", self.heights)

    def _enter_tables(self) -> None:
        """Enter sizes, tables, and arrays that stand in for the model's."""
        record = self.model_record
        self.frames = SameFrames(self.model, self.varied, self.wanted.frames_noted)
        for name in FRAMES:
            record.set_array(name, self.frames.array(name))
        record.set_from(self.derived.record(), TABLE_SLOTS)
        # as long as they have become
        for name in LISTED:
            record.set_size(name, self.sizes[name])

    def _choose_stages(self) -> None:
        """Choose the stages of forward dynamics that the model and its options need."""
        enter_options(self.conditions, self.model.opt)
        forward = chosen(FORWARD, self.conditions)
        self.uses_subproblems = not COUNT_SUBPROBLEMS.isdisjoint(stage.name for stage in forward)
        for one in self.scratch if self.uses_subproblems else ():
            one.add_subproblems()
        forward = in_form(forward, self.model.opt, self.sleeps, self.sizes["nsolverstat"] > 0)
        self.forward = self.plugins.forward(self.hooks.forward(forward))
        self.forward += energies(self.conditions, self.model.opt)
        # users' functions are given the worlds of a pack in their order
        watched = self.hooks.functions or self.plugins.in_python
        self.sorts_worlds = self.width > 1 and not watched and self.model.nv > 0
        # what tells programs of one choice from those of others
        code = self.bytecode.code if self.bytecode else None
        kind = (code.has_functions, code.has_contacts) if code else ()
        self.choice = (*choice_of(self.conditions, self.model.opt), self.hooks.key, kind)
        # what calls do besides running them
        contexts = [context for context in RUN_CONTEXTS if context.needed(self)]
        self.contexts = tuple(context.around for context in contexts)
        self.stepless_contexts = tuple(one.around for one in contexts if not one.of_steps)
        self.ready.clear()
        self.prepared.clear()

    def own_contacts(self) -> None:
        """Have stages for contacts that users add or edit, from now on."""
        self._ask_for("owns_contacts")

    def clear_energy(self) -> None:
        """Have energies cleared by forward dynamics without the option flag, from now on."""
        self._ask_for("energy")

    def _choose_late(self) -> None:
        """Choose the stages of results that are computed when they are looked at."""
        self.after = chosen(AFTER, self.conditions)
        self.late, self.unused = late_fields(self.after)

    def _ask_for(self, condition: str) -> None:
        """Choose stages once more where a condition does not hold yet."""
        if not self.conditions[condition]:
            self.conditions[condition] = True
            self._choose_stages()
            self._choose_late()

    def change_hooks(self, functions: dict) -> None:
        """Have these hooks from now on: kind to function."""
        alone(self, "set_hook", self._change_hooks, functions)

    def _change_hooks(self, functions: dict) -> None:
        self.hooks.set(functions)
        for scratch in self.scratch:
            self._attach_hooks(scratch)
            self.plugins.attach(self, scratch)
        self._choose_stages()

    def set_bytecode(self, bytecode: "Bytecode | None") -> None:
        """Have bytecode run with every step and forward dynamics from now on."""
        self.bytecode = bytecode
        for scratch in self.scratch if bytecode else ():
            bytecode.attach(scratch)
        self.disconnect_all()
        self._choose_stages()

    def field_shape(self, name: str) -> tuple[int, ...]:
        """Shape of a field of one world."""
        dims = FIELD_ROWS[name].shape
        return tuple(dim if isinstance(dim, int) else self.sizes[dim] for dim in dims)

    def read_long_fields(self, functions: Iterable[Callable]) -> None:
        """Have lanes of the long fields of the model that stages read, see lane_fields.py."""
        # functions of users may read any
        asks = self.hooks.functions or self.sizes["nsdfask"]
        if self.varied and self.lane_fields.read(None if asks else functions):
            for scratch in self.scratch:
                self.lane_fields.copy_to(scratch.model)

    def threads(self, n: int) -> list[Scratch]:
        """Scratch of n threads."""
        while len(self.scratch) < n:
            scratch = Scratch(self)
            self._attach(scratch)
            self.scratch.append(scratch)
        return self.scratch[:n]

    def _attach_hooks(self, scratch: Scratch) -> None:
        """Let a thread find hooks, and the clock."""
        self.hooks.attach(self, scratch)
        if self.timed:
            from .timers import attach_clock

            clock = self.hooks.functions.get("time")
            scratch.clock = attach_clock(scratch.data, clock, scratch.fail)

    def _attach(self, scratch: Scratch) -> None:
        """Let a thread find hooks, bytecode and the fields that differ between worlds."""
        self._attach_hooks(scratch)
        self.plugins.attach(self, scratch)
        if self.sizes["nsdfask"] and self.records[1][1] != DUAL:
            from .user_fields import attach_fields

            attach_fields(self, scratch)
        if self.bytecode:
            self.bytecode.attach(scratch)
        if self.varied:
            self.lane_fields.copy_to(scratch.model)

    # ------------------------------------------------------------ programs

    @property
    def records(self) -> tuple:
        """Argument types of a stage."""
        return (
            (MODEL_LAYOUT, self.width if self.varied else 0, True),
            (DATA_LAYOUT, self.width, False),
        )

    def program(self, make: "Callable[..., Program]", *given: object) -> Program:
        """The program that a function makes for the present choice of stages.

        Args:
            make: function of the plan and of what is given, one of program.py.
            given: what else it takes.
        """
        key = (make, *given, self.choice)
        found = self.programs.get(key)
        if found is None:
            found = self.programs[key] = make(self, *given)
        return found

    def run_lazy(self, data: "Host", stage: Stage) -> None:
        """Run one stage on what the last call has left in the scratch of the first world."""
        found = self.programs.get(stage)
        if found is None:
            found = self.programs[stage] = Program(self, {"after": (stage,)})
        execute(data, found, 0, None if data.nworld == 1 else FIRST)

    def use_wrench(self) -> None:
        """Take xfrc_applied into account from now on."""
        self.wrench = True
        for one in self.scratch:
            one.data.arrays["count"][COUNT_XFRC] = 1

    def forget_rest(self) -> None:
        """Have everything computed in the next step, also what does not move."""
        for one in self.scratch:
            one.data.arrays["count"][COUNT_KNOWN] = 0

    def forget_lists(self) -> None:
        """Take users' lists in the scratch to hold anything, because they were written."""
        for one in self.scratch:
            one.forget_lists()

    def disconnect_all(self) -> None:
        """Have the transfers of all programs entered anew."""
        self.prepared.clear()
        for program in self.programs.values():
            program.connected = None

    def disconnect(self, stage: Stage) -> None:
        """Have the transfers of a late stage entered anew."""
        if stage in self.programs:
            self.programs[stage].connected = None

    def fit_lists(self, data: "Host") -> None:
        """Make lists of contacts and rows as long as they are in the world of a large model."""
        self.run_lazy(data, COUNT_LISTS)
        self.threads(1)[0].fit_needed_lists()

    @property
    def driver(self):
        """The loop over packs."""
        if self.timed:
            from .timers import run_timed_packs

            return run_timed_packs
        return run_packs
