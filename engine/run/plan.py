"""Plans: records, programs and transfers, prepared once to run a model.

A `Plan` belongs to one `Data`. It derives the engine's own tables from the model, decides which
stages take part, compiles or loads them, and lays out the scratch of each thread.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np

from ..model.change_detection import FRAMES, ChangeDetector, refuse_fixed
from ..model.model import Edits
from ..physics.capacity import CAPACITIES, LISTS
from ..physics.collision.colliders import HFIELDS, NUMBER
from ..physics.collision.flex_masks import NO_CONTACT
from ..physics.smooth.delay_buffers import initial_history
from ..physics.solver.scratch import BRIEF
from ..pipeline.forward import AFTER, COUNT_LISTS, ENERGY, FORWARD, NO_ENERGY
from ..pipeline.layouts import (
    CONTACT_ARRAYS,
    DATA_ARRAYS,
    DATA_LAYOUT,
    ELEMENT,
    ENGINE_DATA,
    MODEL_ARRAYS,
    MODEL_LAYOUT,
)
from ..pipeline.sleep import at_rest
from ..pipeline.solve import COUNT_SUBPROBLEMS, solving
from ..pipeline.stage import Stage, chosen
from ..simd.meaning import fields_named
from ..simd.record import DUAL, Record, aligned_zeros
from ..tables.enums import (
    COUNT_KNOWN,
    COUNT_XFRC,
    DSBL_NATIVECCD,
    DSBL_SENSOR,
    ENBL_ENERGY,
)
from .derived import TABLE_SLOTS, Derived, Wanted, needs_more, settings
from .driver import run_packs
from .execution import RUN_CONTEXTS, execute
from .hooks import Hooks
from .in_use import alone
from .model_memory import ModelMemory, memory_of
from .model_numbers import PLACES, Numbers
from .mujoco_functions import stages_of
from .plugin_functions import PluginFunctions
from .prepared_program import PreparedPrograms
from .program import (
    Program,
    first_program,
    forward_program,
    given_program,
    inverse_program,
    second_program,
    skip_program,
)
from .sameframe_tolerance import SameFrames, refuse_apart
from .scratch import Scratch, keep_lists
from .structures import Structure, structure_of
from .supported import joins_awake

if TYPE_CHECKING:
    from ..model.model import Model
    from .bytecode import Bytecode
    from .host import Host

FIELD_ROWS = {row.name: row for row in (*DATA_ARRAYS, *CONTACT_ARRAYS, *ENGINE_DATA)}
# flags that decide which stages there are
CHOOSING = NO_CONTACT | DSBL_SENSOR | DSBL_NATIVECCD
LISTED = tuple(name for name in LISTS if name in MODEL_LAYOUT.entries)
FIRST = np.zeros(1, np.int64)  # the first world alone
LONG = 4096  # numbers of a field that is entered into lanes only where a stage reads it
NATIVE_WIDTH = 8  # lanes of a pack: one AVX-512 register of float64


def default_width(nworld: int) -> int:
    """Lanes of a pack for a number of worlds: packs when the worlds fill one, else 1."""
    return NATIVE_WIDTH if nworld >= NATIVE_WIDTH else 1


class Watched:
    """What machine code looks at, see simd/ready_calls.py.

    Attributes:
        idle: whether no call works on the data.
        seen: the last edit of any model that was taken into account.
    """

    __slots__ = ("idle", "seen")


class Plan(Watched):
    """Programs, transfers and records for one model and one set of kept fields."""

    derived: Derived

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
        self.long_fields: set[str] = set()
        self.programs: dict[tuple | Stage, Program] = {}
        # those of the present choice, by what they are for, as steps find them at once
        self.ready: dict[tuple, Program] = {}
        # calls that are ready to run again
        self.prepared = PreparedPrograms()
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
        self.after = chosen(AFTER, self.conditions)
        self.late = {s.name: (s, frozenset(s.writes.split())) for s in self.after}
        # fields that MuJoCo does not fill either for such a model
        filled = frozenset(name for s in self.after for name in s.writes.split())
        self.unused = frozenset(name for s in AFTER for name in s.writes.split()) - filled

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

    def lanewise_model(self) -> Record:
        """Model record of one thread in which reals have lanes."""
        record = Record(MODEL_LAYOUT, self.width)
        record.set_from(self.model_record, np.arange(len(MODEL_LAYOUT)))
        for row in MODEL_ARRAYS:
            if ELEMENT[row.type] == "f8":
                n = self.model_record.arrays[row.name].size
                record.set_array(
                    row.name, aligned_zeros((n, self.width) if self.width > 1 else (n,))
                )
        return record

    def refresh_idle(self) -> None:
        """As `refresh`, where no call works on the data yet.

        Raises:
            DataInUse: one does, and would have to follow an edit in its middle.
        """
        watch = self.watch
        if Edits.last is not self.seen or watch.held != watch.memory or self.follows:
            alone(self, "step", self.refresh)

    def refresh(self) -> None:
        """Take over what users may have edited in the model since the last call.

        Raises:
            ValueError: an edit that data cannot follow; the message names the field.
        """
        watch = self.watch
        if Edits.last is not self.seen or watch.held != watch.memory:
            self._compare()
        if self.follows:
            self._follow_numbers()

    def _follow_numbers(self) -> None:
        """Take over edits that no comparison of one block finds."""
        if self.watch.others and self.watch.others_differ():
            self._compare()
        self.frames.refresh()
        if self.varied:
            for scratch in self.scratch:
                self._broadcast(scratch.model)

    def is_behind(self) -> bool:
        """True if users may have edited the model since the last call."""
        watch = self.watch
        known = Edits.last is self.seen and watch.held == watch.memory
        return not known or (bool(watch.others) and watch.others_differ())

    def is_edited(self) -> bool:
        """True if `refresh` would rebuild tables."""
        watch = self.watch
        if Edits.last is self.seen and watch.held == watch.memory and not watch.others_differ():
            return False
        return bool(watch.edited()) or needs_more(self.derived.settings, settings(self.model))

    def _compare(self) -> None:
        """Find out what was edited, and have it count."""
        seen = Edits.last
        self.prepared.clear()
        present = self.numbers.present()
        edited = self.watch.edited()
        refuse_fixed(edited)
        # options and statistics
        options = present != self.last_scalars
        history0 = np.zeros(0)
        if options:
            history0 = initial_history(self.model)
            self.numbers.take(present)
        # rebuild tables, or only choose stages
        anew = bool(edited) or needs_more(self.derived.settings, settings(self.model))
        if anew:
            self._follow(edited)
        elif options:
            self.model_record.set_array("history0", history0)
            self._choose_stages()
        # what the next call compares with
        self.watch.take()
        self.follows = bool(self.watch.others or self.frames.arrays or self.varied)
        if options or anew:
            self.last_scalars = present
        self.seen = seen

    def _follow(self, edited: list[str]) -> None:
        """Rebuild tables after fields were edited or options changed."""
        if not self.wanted.frames_noted:
            refuse_apart(self.model, [name for name in edited if name.endswith("_sameframe")])
        try:
            self.rebuild()
        except ValueError as error:
            names = ", ".join(f"model.{name}" for name in edited)
            if not names or names in str(error):
                raise
            raise ValueError(f"{error}; found when {names} was edited") from error

    def _choose_stages(self) -> None:
        """Stages of forward dynamics that the model and its options need."""
        # conditions that options decide
        opt = self.model.opt
        self.conditions["medium"] |= bool(opt.density or opt.viscosity)
        self.conditions["integrator"] = opt.integrator
        self.conditions["collides"] = not opt.disableflags & NO_CONTACT
        self.conditions["solver"] = opt.solver
        self.conditions["noslip"] = opt.noslip_iterations > 0
        # stages of forward dynamics, as sleep, statistics and hooks want them
        forward = chosen(FORWARD, self.conditions)
        self.uses_subproblems = not COUNT_SUBPROBLEMS.isdisjoint(stage.name for stage in forward)
        if self.uses_subproblems:
            for one in self.scratch:
                one.add_subproblems()
        if self.sleeps:
            forward = at_rest(forward)
        brief = opt.ls_iterations < BRIEF
        forward = solving(forward, self.sizes["nsolverstat"] > 0, brief)
        self.forward = self.plugins.forward(self.hooks.forward(forward))
        # users' functions are given the worlds of a pack in their order
        watched = self.hooks.functions or self.plugins.in_python
        self.sorts_worlds = self.width > 1 and not watched and self.model.nv > 0
        # energies; once computed, their fields are cleared without the flag
        if opt.enableflags & ENBL_ENERGY:
            self.forward += ENERGY
            self.conditions["energy"] = True
        elif self.conditions["energy"]:
            self.forward += NO_ENERGY
        # what tells programs of one choice from those of others
        flags = (opt.disableflags & CHOOSING, opt.enableflags)
        asked = tuple(self.conditions[name] for name in ("medium", "energy", "owns_contacts"))
        asked += (opt.solver, self.conditions["noslip"], brief)
        code = self.bytecode.code if self.bytecode else None
        bytecode = 1 + code.has_functions + 2 * code.has_contacts if code else 0
        self.choice = (opt.integrator, *asked, flags, self.hooks.key, bytecode)
        # what calls do besides running them
        contexts = [context for context in RUN_CONTEXTS if context.needed(self)]
        self.contexts = tuple(context.around for context in contexts)
        self.stepless_contexts = tuple(
            context.around for context in contexts if not context.of_steps
        )
        self.ready.clear()
        self.prepared.clear()

    def own_contacts(self) -> None:
        """Have stages for contacts that users add or edit, from now on."""
        self._ask_for("owns_contacts")

    def clear_energy(self) -> None:
        """Have energies cleared by forward dynamics without the option flag, from now on."""
        self._ask_for("energy")

    def _ask_for(self, condition: str) -> None:
        """Choose stages once more where a condition does not hold yet."""
        if not self.conditions[condition]:
            self.conditions[condition] = True
            self._choose_stages()

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
        """Have lanes of the long fields of the model that stages read, from now on.

        Others, such as boxes of a mesh's triangles that only rays look at, would take most of a
        step's time.

        Args:
            functions: of the stages.
        """
        if not self.varied:
            return
        arrays = self.model_record.arrays
        rows = [row.name for row in MODEL_ARRAYS if ELEMENT[row.type] == "f8"]
        long = {name for name in rows if arrays[name].size > LONG} - self.long_fields
        # functions of users may read any
        if long and not (self.hooks.functions or self.sizes["nsdfask"]):
            long &= frozenset().union(*map(fields_named, functions))
        if long:
            self.long_fields |= long
            for scratch in self.scratch:
                self._broadcast(scratch.model)

    def _broadcast(self, record: Record) -> None:
        for row in MODEL_ARRAYS:
            if ELEMENT[row.type] == "f8":
                source = self.model_record.arrays[row.name].reshape(-1)
                if source.size > LONG and row.name not in self.long_fields:
                    continue
                target = record.arrays[row.name]
                target[...] = source[:, None] if target.ndim == 2 else source

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
            self._broadcast(scratch.model)

    # ------------------------------------------------------------ programs

    @property
    def records(self) -> tuple:
        """Argument types of a stage."""
        return (
            (MODEL_LAYOUT, self.width if self.varied else 0, True),
            (DATA_LAYOUT, self.width, False),
        )

    def program(
        self, kept: frozenset, post: bool, integrate: bool, renewed: bool = False
    ) -> Program:
        """The program of one kind of call; see `forward_program`."""
        key = (kept, post, integrate, renewed, self.choice)
        found = self.programs.get(key)
        if found is None:
            found = forward_program(self, kept, post, integrate, renewed=renewed)
            self.programs[key] = found
        return found

    def first_program(self, kept: frozenset) -> Program:
        """The program of a step's first half."""
        key = (kept, "first", self.choice)
        if key not in self.programs:
            self.programs[key] = first_program(self, kept)
        return self.programs[key]

    def second_program(self, kept: frozenset, known: bool) -> Program:
        """The program of a step's second half; see there."""
        key = (kept, "second", known, self.choice)
        if key not in self.programs:
            self.programs[key] = second_program(self, kept, known)
        return self.programs[key]

    def inverse_program(
        self, kept: frozenset, actuation: bool = False, skipped: int = 0, sensed: bool = True
    ) -> Program:
        """The program of inverse dynamics, which may include forces of actuators."""
        key = (kept, "inverse", actuation, skipped, sensed, self.choice)
        if key not in self.programs:
            self.programs[key] = inverse_program(self, kept, actuation, skipped, sensed)
        return self.programs[key]

    def skip_program(self, kept: frozenset, skipped: int, sensed: bool) -> Program:
        """The program of forward dynamics without its first stages."""
        key = (kept, "skip", skipped, sensed, self.choice)
        if key not in self.programs:
            self.programs[key] = skip_program(self, kept, skipped, sensed)
        return self.programs[key]

    def given_program(self, skipped: int) -> Program:
        """The program of the stages that another one leaves out, from the inputs of their time."""
        key = ("given", skipped, self.choice)
        if key not in self.programs:
            self.programs[key] = given_program(self, skipped)
        return self.programs[key]

    def stage_function_program(self, name: str) -> Program:
        """The program of a function that is a piece of the pipeline."""
        key = ("piece", name, self.choice)
        if key not in self.programs:
            self.programs[key] = Program(self, {"forward": stages_of(self, name)})
        return self.programs[key]

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
        scratch = self.threads(1)[0]
        need = scratch.data.arrays["need"]
        found = {name: int(need[CAPACITIES.index(name)]) for name in LISTS}
        scratch.fit_lists({name: n for name, n in found.items() if n != scratch.sizes[name]})
        need[:] = 0

    @property
    def driver(self):
        """The loop over packs."""
        if self.timed:
            from .timers import run_timed_packs

            return run_timed_packs
        return run_packs
