"""What is prepared once to run a model: records, programs and transfers.

A `Plan` belongs to one `Data`. It derives the engine's own tables from the model, decides which
stages take part, compiles or loads them, and lays out the scratch of each thread.
"""

from functools import cached_property
from operator import itemgetter

import numpy as np

from . import kernel
from .actuators.tables import actuator_conditions
from .candidates import contact_tables, structure_tables
from .collision.hfield import CONVEX_HFIELD
from .collision.sap_tables import has_swept_pairs, sap_tables
from .driver import run_packs
from .enums import (
    COUNT_KNOWN,
    COUNT_XFRC,
    DSBL_NATIVECCD,
    DSBL_SENSOR,
    ENBL_ENERGY,
    ENBL_SLEEP,
    EQ_TENDON,
    INT_RK4,
    SOL_PGS,
)
from .equality_tables import equality_tables
from .formulas.attached import Formulas
from .history import initial_history
from .hooks import Hooks, raise_errors
from .interpreted import run_interpreted
from .layouts import (
    CONTACT_ARRAYS,
    DATA_ARRAYS,
    DATA_LAYOUT,
    ELEMENT,
    ENGINE_DATA,
    ENGINE_MODEL,
    MODEL_ARRAYS,
    MODEL_LAYOUT,
    OPTION_ARRAYS,
    PLAN_LAYOUT,
    STATISTIC_ARRAYS,
)
from .model import Edits
from .programs import Program, first_program, forward_program, inverse_program
from .record import Record, aligned_zeros
from .rooms import LISTS, ROOMS
from .same_frames import SameFrames
from .scene import no_scene_tables, scene_tables
from .scratch import Scratch, refuse_excess, refuse_overflow
from .sensors.layout import sensor_tables
from .sizes import list_sizes, table_sizes
from .sleep_stages import at_rest
from .solver.progress_tables import NPROGRESS
from .solver.stages import watched
from .stage import Stage, chosen
from .stages import AFTER, COUNT_LISTS, ENERGY, FORWARD, NO_ENERGY
from .supported import (
    NO_CONTACT,
    laid_out_for,
    refuse_active,
    refuse_changed,
    refuse_unsupported,
)
from .tendon_tables import tendon_tables
from .threads import share
from .timer_tables import NTIMER
from .timers import clock, run_timed_packs

FIELD_ROWS = {row.name: row for row in (*DATA_ARRAYS, *CONTACT_ARRAYS, *ENGINE_DATA)}
# flags that decide which stages there are
CHOOSING = NO_CONTACT | DSBL_SENSOR | DSBL_NATIVECCD
NATIVE_WIDTH = 8  # lanes of a pack: one AVX-512 register of float64


def default_width(nworld: int) -> int:
    """Lanes of a pack for a number of worlds: packs when the worlds fill one, else 1."""
    return NATIVE_WIDTH if nworld >= NATIVE_WIDTH else 1


class Plan:
    """Programs, transfers and records for one model and one set of kept fields."""

    def __init__(
        self,
        model,
        width: int,
        varied: tuple[str, ...],
        lists: tuple | None,
        progress: bool,
        timed: bool = False,
    ):
        refuse_unsupported(model)
        self.model, self.width, self.varied, self.timed = model, width, varied, timed
        self.scene = lists is not None
        self.sleeps = self.scene and bool(model.opt.enableflags & ENBL_SLEEP)
        if self.scene:
            self.tables = scene_tables(model)
        else:
            self.tables = {**contact_tables(model), **no_scene_tables(model)}
        self.keeps_pack = False
        self.joins_tendons = self.sleeps and bool((model.eq_type == EQ_TENDON).any())
        self.tables.update(structure_tables(model, self.scene), width=width)
        self.tables.update(equality_tables(model, self.tables))
        self.tables.update(tendon_tables(model, self.tables))
        self.tables.update(sensor_tables(model))
        self.tables.update(sap_tables(model))
        self.sizes = table_sizes(model, self.tables)
        if lists is not None:
            self.sizes.update(list_sizes(self.sizes, self.tables, *lists))
        self.sizes["nsolverstat"] = NPROGRESS if progress else 0
        self.sizes["ntimer"] = NTIMER if timed else 0
        self.conditions = {
            **self.sizes,
            "model": model,
            "collider_num": self.tables["collider_num"],
            "swept_pairs": has_swept_pairs(model, self.tables),
            # what options may ask for later is then there to stay
            "sleeps": self.sleeps,
            "medium": bool({"opt_density", "opt_viscosity"}.intersection(varied)),
            "energy": False,
        }
        self.conditions.update(actuator_conditions(model))
        self.has_hfields = bool(self.tables["collider_num"][CONVEX_HFIELD])
        self.built_for = laid_out_for(model)
        self.last_scalars: tuple | None = None
        self.seen: object = None
        self.model_record = self._model_record()
        names = {group: [n for g, n, _ in self.scalars if g == group] for group in ("opt", "stat")}
        self.read_options, self.read_statistic = (
            itemgetter(*names["opt"]),
            itemgetter(*names["stat"]),
        )
        self.scratch: list[Scratch] = []
        self.programs: dict[tuple, Program] = {}
        self.hooks = Hooks(model)
        self.formulas: Formulas | None = None
        self._choose_stages()
        self.after = tuple(s for s in AFTER if s.needed is None or s.needed(self.conditions))
        # fields that MuJoCo does not fill either for such a model
        self.unused = frozenset(
            name for s in AFTER if s not in self.after for name in s.writes.split()
        )

    # ------------------------------------------------------------ records

    def _model_record(self) -> Record:
        record = Record(MODEL_LAYOUT)
        self.scalars = []
        self.frames = SameFrames(self.model, self.varied)
        for row in MODEL_ARRAYS:
            if row.type == "size":
                record.set_size(
                    row.name,
                    self.sizes[row.name] if row.name in self.sizes else self.tables[row.name],
                )
            elif row in ENGINE_MODEL:
                table = np.ascontiguousarray(self.tables[row.name], ELEMENT[row.type])
                record.set_array(row.name, table)
            elif row in OPTION_ARRAYS + STATISTIC_ARRAYS:
                record.set_array(row.name, self._option_array(row))
            else:
                array = self.frames.arrays.get(row.name)
                record.set_array(
                    row.name, getattr(self.model, row.name) if array is None else array
                )
        return record

    def _option_array(self, row) -> np.ndarray:
        """The array of an option, or an array for its number, which `refresh` keeps up to date."""
        group, _, name = row.name.partition("_")
        structure = getattr(self.model, group)
        value = getattr(structure, name)
        if not isinstance(value, np.ndarray):
            value = np.zeros(1, ELEMENT[row.type])
            self.scalars.append((group, name, value))
        return value

    def lanewise_model(self) -> Record:
        """Model record of one thread in which reals have lanes."""
        record = Record(MODEL_LAYOUT, self.width)
        record.table[:] = self.model_record.table
        record.arrays.update(self.model_record.arrays)
        for row in MODEL_ARRAYS:
            if ELEMENT[row.type] == "f8":
                n = self.model_record.arrays[row.name].size
                record.set_array(
                    row.name, aligned_zeros((n, self.width) if self.width > 1 else (n,))
                )
        return record

    def refresh(self) -> None:
        """Take over what users may have edited in the model since the last call."""
        if Edits.last is not self.seen:
            seen = Edits.last
            self._compare()
            self.seen = seen
        self.frames.refresh()
        if self.varied:
            for scratch in self.scratch:
                self._broadcast(scratch.model)

    def _compare(self) -> None:
        """Find out whether options or statistics have changed."""
        present = (
            self.read_options(self.model.opt.__dict__),
            self.read_statistic(self.model.stat.__dict__),
        )
        if present != self.last_scalars:
            values = (*present[0], *present[1])
            for (_, _, array), value in zip(self.scalars, values, strict=True):
                array[0] = value
            self.last_scalars = present
            self.model_record.arrays["history0"][:] = initial_history(self.model)
            refuse_unsupported(self.model)
            refuse_changed(self.built_for, self.model)
            self._choose_stages()

    def _choose_stages(self) -> None:
        """Stages of forward dynamics that the model and its options need."""
        opt = self.model.opt
        self.conditions["medium"] |= bool(opt.density or opt.viscosity)
        self.conditions["integrator"] = opt.integrator
        self.conditions["collides"] = not opt.disableflags & NO_CONTACT
        self.conditions["solver"] = opt.solver
        self.conditions["noslip"] = opt.noslip_iterations > 0
        self.uses_items = opt.solver == SOL_PGS or self.conditions["noslip"]
        if self.uses_items:
            for one in self.scratch:
                one.add_items()
        if opt.enableflags & ENBL_SLEEP and not self.conditions["sleeps"]:
            raise ValueError(
                "Data: option flag sleep='enable' was set after the data were made; "
                "expected the flag before Data(model)"
            )
        forward = chosen(FORWARD, self.conditions)
        if self.sleeps:
            forward = at_rest(forward)
        if self.sizes["nsolverstat"]:
            forward = watched(forward)
        self.forward = self.hooks.forward(forward)
        if opt.enableflags & ENBL_ENERGY:
            self.forward += ENERGY
            self.conditions["energy"] = True
        elif self.conditions["energy"]:
            self.forward += NO_ENERGY
        flags = (opt.disableflags & CHOOSING, opt.enableflags)
        asked = (self.conditions["medium"], self.conditions["energy"])
        asked += (opt.solver, self.conditions["noslip"])
        formulas = 1 + self.formulas.code.has_functions if self.formulas else 0
        self.choice = (opt.integrator, *asked, flags, self.hooks.key, formulas)

    def change_hooks(self, functions: dict) -> None:
        """Have these hooks from now on: kind to function."""
        self.hooks.functions = functions
        for scratch in self.scratch:
            self.hooks.attach(self, scratch)
        self._choose_stages()

    def set_formulas(self, formulas: Formulas | None) -> None:
        """Have formulas computed with every step and forward dynamics from now on."""
        self.formulas = formulas
        for scratch in self.scratch if formulas else ():
            formulas.attach(scratch)
        for program in self.programs.values():
            program.connected = None
        self._choose_stages()

    def field_shape(self, name: str) -> tuple[int, ...]:
        """Shape of a field of one world."""
        dims = FIELD_ROWS[name].shape
        return tuple(dim if isinstance(dim, int) else self.sizes[dim] for dim in dims)

    def _broadcast(self, record: Record) -> None:
        for row in MODEL_ARRAYS:
            if ELEMENT[row.type] == "f8":
                source = self.model_record.arrays[row.name].reshape(-1)
                target = record.arrays[row.name]
                target[...] = source[:, None] if target.ndim == 2 else source

    def threads(self, n: int) -> list[Scratch]:
        """Scratch of n threads."""
        while len(self.scratch) < n:
            scratch = Scratch(self)
            if self.timed and not kernel.interpreted():
                slot = DATA_LAYOUT.entries["clock_now"].slot
                scratch.data.arrays["clock_tick"][0], _ = clock(slot)
            self.hooks.attach(self, scratch)
            if self.formulas:
                self.formulas.attach(scratch)
            if self.varied:
                self._broadcast(scratch.model)
            self.scratch.append(scratch)
        return self.scratch[:n]

    # ------------------------------------------------------------ programs

    @property
    def records(self) -> tuple:
        """Argument types of a stage."""
        return (
            (MODEL_LAYOUT, self.width if self.varied else 0, True),
            (DATA_LAYOUT, self.width, False),
        )

    def program(self, kept: frozenset, post: bool, integrate: bool) -> Program:
        """The program of one kind of call."""
        key = (kept, post, integrate, self.choice)
        found = self.programs.get(key)
        if found is None:
            found = self.programs[key] = forward_program(self, kept, post, integrate)
        return found

    def first_program(self, kept: frozenset) -> Program:
        """The program of a step's first half."""
        key = (kept, "first", self.choice)
        if key not in self.programs:
            self.programs[key] = first_program(self, kept)
        return self.programs[key]

    def second_program(self, kept: frozenset) -> Program:
        """The program of a step's second half."""
        key = (kept, "second", self.choice)
        if key not in self.programs:
            self.programs[key] = forward_program(self, kept, False, True, whole=False)
        return self.programs[key]

    def inverse_program(self, kept: frozenset, actuation: bool = False) -> Program:
        """The program of inverse dynamics, which may include forces of actuators."""
        key = (kept, "inverse", actuation, self.choice)
        if key not in self.programs:
            self.programs[key] = inverse_program(self, kept, actuation)
        return self.programs[key]

    def run_late(self, data, stage: Stage) -> None:
        """Run one stage on what the last call has left in the scratch of a single world."""
        found = self.programs.get(stage)
        if found is None:
            found = self.programs[stage] = Program(self, {"after": (stage,)})
        data.connect(found)
        found.choose(None, 1, 1)
        found.values["counter"][0] = 0
        self.execute(data, found, 0)

    def forget_rest(self) -> None:
        """Have everything computed in the next step, also what does not move."""
        for one in self.scratch:
            one.data.arrays["count"][COUNT_KNOWN] = 0

    def disconnect(self, stage: Stage) -> None:
        """Have the transfers of a late stage entered anew."""
        if stage in self.programs:
            self.programs[stage].connected = None

    def fit_lists(self, data) -> None:
        """Make lists of contacts and rows as long as they are in the world of a scene."""
        self.run_late(data, COUNT_LISTS)
        scratch = self.threads(1)[0]
        need = scratch.data.arrays["need"]
        scratch.fit_lists({name: int(need[ROOMS.index(name)]) for name in LISTS})
        need[:] = 0

    def execute(self, data, program: Program, nstep: int) -> None:
        """Run a program whose worlds and transfers are entered."""
        if self.joins_tendons:
            refuse_active(self.model, data)
        nthread = min(data.nthread, program.npack)
        scratch = self.scratch if len(self.scratch) == nthread else self.threads(nthread)
        for one in scratch:
            if one.wrench != data.wrench_in_use:
                one.wrench = data.wrench_in_use
                one.data.arrays["count"][COUNT_XFRC] = one.wrench
        if self.scene or self.uses_items:
            for one in scratch:
                one.save = data.copy_of_state
            if nstep and (program.npack > 1 or self.model.opt.integrator == INT_RK4):
                # other packs have moved before one needs more room; and RK4's stages move their own
                state = data.copy_of_state()
                for one in scratch:
                    one.saved = state
        if self.sleeps:
            for one in scratch:
                one.data.set_array("again_op", program.again)
                one.data.arrays["again_num"][0] = len(program.phases.get("again", ()))
        if not program.compiled:
            run_interpreted(self, program, data, nstep)
        else:
            run, address = self.run, program.record.address
            if nthread == 1:
                run(address, scratch[0].model.address, scratch[0].data.address)
            else:
                share(
                    lambda k: run(address, scratch[k].model.address, scratch[k].data.address),
                    nthread,
                )
        if self.hooks.functions:
            raise_errors(scratch)
        if self.has_hfields:
            refuse_overflow(scratch)
        known = self.sleeps and self.keeps_pack and nstep > 0
        if self.scene or self.uses_items:
            refuse_excess(scratch, self.sizes, data.put_back)
        if known:
            scratch[0].data.arrays["count"][COUNT_KNOWN] = 1

    @property
    def driver(self):
        """The loop over packs."""
        return run_timed_packs if self.timed else run_packs

    @cached_property
    def run(self):
        """The compiled driver, as a callable of three record addresses."""
        records = ((PLAN_LAYOUT, 0, False), *self.records)
        return kernel.callable_at(kernel.address(self.driver, *records), 3)
