"""Programs: the stages of one kind of call, in phases, with the record that the driver reads."""

import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..pipeline.collision import RESERVE_CAPACITY
from ..pipeline.forward import (
    BEFORE,
    CHECK,
    COUNT_LISTS,
    LISTING,
    NO_ISLANDS,
    POST,
    RATE_LIKENESS,
    moved_again,
    steps_back,
    undriven,
    unsolved,
)
from ..pipeline.input_snapshot import POSITIONS, VELOCITIES
from ..pipeline.integration import REPEATING, integration
from ..pipeline.inverse import (
    FINISH_INVERSE,
    RESTORE_BIAS,
    SAVE_BIAS,
    SAVE_FORWARD,
    comparison,
    inverse_dynamics,
)
from ..pipeline.layouts import PHASES, PLAN, PLAN_LAYOUT
from ..pipeline.sensors import (
    KEEP_READINGS,
    READ_PAST,
    RESTORE_SLEEPING,
    has_histories,
    remembering,
    sensor_stages,
)
from ..pipeline.stage import Stage, without
from ..simd import kernel
from ..simd.immediate import immediate_call_of
from ..simd.progress import progress
from ..simd.record import Record
from ..simd.signals import watched
from ..simd.standby import ShortCall
from ..simd.threads import share
from ..tables.enums import ENBL_ENERGY, STAGE_ACC, STAGE_NONE, STAGE_POS, STAGE_VEL
from .forward_parts import interleaved, split
from .mujoco_functions import CLEAR_FORCES, stages_of

if TYPE_CHECKING:
    from .host import Host
    from .plan import Plan


SEEING_NONE = {"time", "contactfilter"}  # hooks that run before sensors are read, or apart
# dofs times packs times steps: a call that takes no more keeps the interpreter, as handing it to
# another thread and waiting for it takes longer than other threads would gain
BRIEF = 12
NEIGHBOURS = 2048  # worlds that are sorted together: their rows of users' arrays lie in the cache
PLAN_KIND = (PLAN_LAYOUT, 0, False)
SHORT = 500  # dofs times packs times steps: calls that take no more are not watched for signals
SHARED_SHORT = 10_000  # the same of calls that threads share: tens of milliseconds


class Program:
    """Stages of one kind of call, with the record that the driver reads.

    Attributes:
        phases: stages by phase.
        written: names of the fields that they write.
        record: operations, transfers and the worlds to run.
        npack: number of packs of these worlds.
        nthread: number of threads that share them.
        calls: the loop over packs, with the records of each thread.
        brief, short: the same for calls that take no time to speak of, in one thread: with the
            interpreter's lock, and without.
        run: these calls in all threads at once.
        counter: one number, 0 before each call.
        nstep: number of steps in a call; 0 for what is no step.
        connected: what `Data.connect` has entered the transfers for.
        warned: one number, not 0 after a call in which some world was warned of.
        users: arrays of a single call that are not fields of the data.
        marks: timers of the stages by phase, None where there are none.
        inputs: computed fields that the stages read from before the call; zero where not kept.
        instead: fields of the data that are gathered in place of others.
        silent: whether all that it computes stays in the scratch.
        rates: whether its stages rate how like worlds are.
        likeness: what they have found, (nworld,): worlds are sorted by it; None where they do not.
    """

    def __init__(self, plan: "Plan", phases: dict[str, tuple[Stage, ...]], kind: str = ""):
        self.phases = phases
        self.marks = None
        if plan.timed:
            from .timers import marks

            self.marks = marks(kind, phases, plan.forward)
        stages = [stage for phase in phases.values() for stage in phase]
        fields = (f"{stage.writes} {stage.changes}".split() for stage in stages)
        self.written = frozenset(name for row in fields for name in row)
        # the record that the compiled driver reads
        self.record = Record(PLAN_LAYOUT)
        self.record.set_size("width", plan.width)
        for row in PLAN:
            if row.shape == (1,):
                self.record.set_array(row.name, np.zeros(1, np.int64))
        self.values = self.record.arrays
        self.record.set_array("stop", plan.stopping)
        self.warned, self.counter = self.values["warned"].data, self.values["counter"].data
        self.nstep = 0
        self.values["keeps"][0] = plan.keeps_pack
        self.values["back"][0] = steps_back(phases.get("forward", ()))
        # what the data are connected to, found out at the first run
        self.connected: tuple[str, ...] | None = None
        self.users: list[np.ndarray] = []
        # a world without constraints keeps what it has
        self.inputs: tuple[str, ...] = ("qfrc_inverse",) if SAVE_FORWARD in stages else ()
        self.instead: dict[str, str] = {}
        self.silent = False
        self.rates = RATE_LIKENESS in stages
        self.values["neighbours"][0] = NEIGHBOURS
        self.likeness: np.ndarray | None = None
        self.all_worlds = False
        self.npack, self.nthread, self._ndof = 0, 0, max(plan.model.nv, 1)
        # the calls of all threads, made when their number is known
        self.calls: list[Callable[[], Any]] = []
        self.run: Callable[[], Any] = list
        # the longest calls of each way to run them, and the way
        self._ways: tuple[tuple[int, Callable[[], Any]], ...] = ((sys.maxsize, list),)
        self.brief: Callable[[], Any] = list
        self.short: Callable[[], Any] = list
        self._world = self._every = np.zeros(0, np.int64)
        self._nactive = self.values["nactive"].data
        self._sort: Callable[[], Any] = list
        self._enter_stages(plan, stages)

    def _enter_stages(self, plan: "Plan", stages: list[Stage]) -> None:
        """Enter the addresses of the stages, compiled if kernels are."""
        records = plan.records
        # most stages stand in several phases
        functions = {id(stage): stage.function for stage in stages}
        ordered = sorted(set(functions.values()), key=lambda function: function.__name__)
        driver = (plan.driver, PLAN_KIND, *records)
        # another process does not know the functions of users
        ours = [function for function in ordered if not getattr(function, "is_hook", False)]
        entries = [driver, *((function, *records) for function in ours)]
        if not self.rates:
            kernel.prepare(entries)
        else:
            from .world_order import order_worlds

            kernel.prepare([*entries, (order_worlds, PLAN_KIND)])
            self._sort = immediate_call_of(order_worlds, (PLAN_KIND,), (self.record,))
        kernel.address(*driver)
        plan.read_long_fields(ordered)
        places = {function: kernel.address(function, *records) for function in ordered}
        for phase, *_ in PHASES:
            row = self.phases.get(phase, ())
            addresses = np.array([places[functions[id(stage)]] for stage in row], np.int64)
            self.record.set_size(f"n{phase}", len(row))
            if self.marks is not None and len(row):
                addresses = np.concatenate([addresses, *self.marks[phase]])
            self.record.set_array(f"op_{phase}", addresses)
        again = self.phases.get("again", ())
        if again:
            # the addresses of those that run again when a tree falls asleep
            self._again = np.array([places[functions[id(stage)]] for stage in again], np.int64)
            self.values["again_num"][0] = len(again)
            self.values["again_at"][0] = self._again.ctypes.data
        progress.done()

    def choose(self, worlds: np.ndarray | None, data: "Host") -> None:
        """Enter the worlds to run: indices, or None for all."""
        # not before everything is entered: a signal may come in between
        self.all_worlds, every = False, worlds is None
        if not len(self._every):
            self._make_room(data.nworld)
        if worlds is None:
            worlds = self._every
        count = self._nactive[0] = len(worlds)
        self._world[:count] = worlds
        npack = -(-count // data.width)
        if npack != self.npack:
            self._enter_packs(npack, data)
        self.all_worlds = every

    def _make_room(self, nworld: int) -> None:
        """Make arrays for numbers of worlds."""
        self._every = np.arange(nworld)
        for name in ("world", "spare"):
            self.record.set_array(name, np.zeros(nworld, np.int64))
        self._world = self.values["world"]

    def _enter_packs(self, npack: int, data: "Host") -> None:
        """Enter the number of packs, and choose how to run them."""
        self.npack = self.values["npack"][0] = npack
        nthread = thread_count(data, npack)
        if nthread != self.nthread:
            self._bind(data.plan, nthread)
        self._choose_run()

    def _bind(self, plan: "Plan", nthread: int) -> None:
        """Have a call for each of so many threads."""
        calls = self.calls
        if len(calls) < nthread:
            kinds = (PLAN_KIND, *plan.records)
            for one in plan.threads(nthread)[len(calls) :]:
                records = self.record, one.model, one.data
                if not calls:
                    brief = not (plan.hooks.functions or plan.plugins.in_python)
                    bind = immediate_call_of if brief else kernel.call_of
                    self.brief = bind(plan.driver, kinds, records)
                    free = partial(bind, releases=True) if brief else bind
                    self.short = free(plan.driver, kinds, records)
                calls.append(kernel.call_of(plan.driver, kinds, records))
        self.values["look"][0] = plan.threads(1)[0].look_address
        self._ways = self._find_ways(plan, nthread)
        self.nthread = nthread

    def _find_ways(self, plan: "Plan", nthread: int) -> tuple[tuple[int, Callable], ...]:
        """What runs calls of some length, dofs times packs times steps, at most."""
        calls, look = self.calls[:nthread], plan.threads(1)[0].look
        if nthread == 1:
            long = partial(watched, calls[0], look)
            return (BRIEF, self.brief), (SHORT, self.short), (sys.maxsize, long)
        # several threads
        end = partial(stop, plan.stopping)
        short = long = partial(share, calls, end)
        if not (plan.hooks.functions or plan.plugins.in_python):
            short = ShortCall(calls, end)
        return (SHARED_SHORT, short), (sys.maxsize, partial(watched, long, look))

    def enter_steps(self, nstep: int) -> None:
        """Enter the number of steps."""
        self.nstep = self.values["nstep"][0] = nstep
        self.values["mode"][0] = nstep > 0
        self._choose_run()

    def _choose_run(self) -> None:
        """Have signals looked for in calls that may take long."""
        time = max(self.nstep, 1) * self.npack * self._ndof
        run = next(run for most, run in self._ways if time <= most)
        self.run = partial(self._run_sorted, run) if self.rates and self.npack > 1 else run

    def _run_sorted(self, run: Callable[[], Any]) -> None:
        """Run packs of worlds that had like constraint rows at the end of the last call."""
        self._sort()
        run()

    def chosen(self) -> np.ndarray:
        """Indices of the worlds to run."""
        return self._world[: self._nactive[0]].copy()


def stop(stopping: np.ndarray) -> None:
    """Have all threads of a plan stop after the step that they are in."""
    stopping[0] = 1


def thread_count(data: "Host", npack: int) -> int:
    """Number of threads that share packs of worlds; interpreted code has one."""
    count = min(data.nthread, npack)
    return 1 if count == 1 or kernel.interpreted() else count


def forward_program(
    plan: "Plan", kept: frozenset, post: bool, integrate: bool, renewed: bool
) -> Program:
    """The program of forward dynamics or of steps.

    Args:
        plan: what it is for.
        kept: fields of data that are kept.
        post: whether to run what follows the solver on demand.
        integrate: whether it is a step.
        renewed: whether the last step is followed by what depends on position and velocity alone,
            so that these results belong to the state that it has led to.
    """
    forward, sense = sensed(plan, plan.forward)
    advance: tuple[Stage, ...] = ()
    if integrate:
        sense, advance = _advance(plan, sense)
    bytecode = plan.bytecode.stages if plan.bytecode else ()
    phases = {
        "start": bytecode,
        "before": BEFORE,
        "forward": forward,
        "check": CHECK,
        "rerun": forward,
        "sense": sense,
        "integrate": advance,
        "after": listing(plan, kept, (POST,) if post else ()) + bytecode,
        "again": _again(plan) if integrate else (),
    }
    if integrate and plan.sorts_worlds:
        phases["after"] = (RATE_LIKENESS, *phases["after"])
    if renewed:
        phases["after"] = (*first_half(plan), *phases["after"])
    return Program(plan, phases, "step" if integrate else "forward")


def second_program(plan: "Plan", kept: frozenset, known: bool) -> Program:
    """The program of a step's second half.

    It finds the state as it was checked and the controls as the user has set them.

    Args:
        plan: what it is for.
        kept: fields of data that are kept.
        known: whether the scratch holds what the first half has computed; else it is computed anew.
    """
    before, rest = split(plan.forward, STAGE_VEL if known else STAGE_NONE)
    sense, advance = _advance(plan, readings(plan, first=STAGE_ACC if known else STAGE_POS), False)
    phases = {
        "forward": without(rest, {"ctrl"}),
        "check": CHECK,
        "rerun": plan.forward,
        "sense": sense,
        "integrate": advance,
        "after": listing(plan, kept, ()),
        "again": _again(plan),
    }
    found = Program(plan, phases, "step2")
    found.inputs += known_results(before, kept)
    return found


def _advance(plan: "Plan", sense: tuple[Stage, ...], whole: bool = True):
    """Stages that read sensors and those that advance the state; `whole` but for second halves."""
    moved = whole and plan.conditions["integrator"] in REPEATING
    past = remembering(plan.model, moved, bool(plan.model.opt.enableflags & ENBL_ENERGY))
    advance = integration(plan.conditions, plan.forward, whole, past)
    advance += plan.plugins.advance()
    sense += comparison(plan.model.opt, plan.conditions)
    if has_histories(plan.model) or KEEP_READINGS in sense:
        # every reading counts for those of the future
        return (), (*sense, *advance)
    return sense, advance


def _again(plan: "Plan") -> tuple[Stage, ...]:
    """Stages that run again when a tree falls asleep."""
    if not plan.sleeps:
        return ()
    return (*moved_again(plan.forward), *readings(plan, first=STAGE_VEL))


def first_half(plan: "Plan") -> tuple[Stage, ...]:
    """Stages of a step's first half, with readings of sensors: forces of rows are unknown then."""
    return (*first_stages(plan), *readings(plan, STAGE_VEL))


def first_stages(plan: "Plan") -> tuple[Stage, ...]:
    """Stages of a step's first half, without sensors."""
    return (*BEFORE, *undriven(unsolved(plan.forward)), CLEAR_FORCES)


def first_program(plan: "Plan", kept: frozenset) -> Program:
    """The program of a step's first half: what depends on position and velocity alone."""
    forward, sense = sensed(plan, undriven(unsolved(plan.forward)), last=STAGE_VEL)
    phases = {
        "forward": (*BEFORE, *forward, CLEAR_FORCES),
        "sense": sense,
        "after": listing(plan, kept, ()),
    }
    found = Program(plan, phases, "step1")
    # readings of sensors that need forces stay
    found.inputs = ("sensordata",) if "sensordata" in found.written else ()
    found.inputs += tuple(kept & {"qacc_smooth"})
    return found


def inverse_program(
    plan: "Plan", kept: frozenset, actuation: bool, skipped: int, sensed: bool
) -> Program:
    """The program of inverse dynamics, which may include forces of actuators.

    Args:
        plan: what it is for.
        kept: fields of data that are kept.
        actuation: whether forces of actuators are computed too.
        skipped: stage (mjtStage) up to which results are known.
        sensed: whether sensors are read.
    """
    known, rest = split(plan.forward, skipped)
    finish: tuple[Stage, ...] = (FINISH_INVERSE,)
    if skipped >= STAGE_VEL:
        bias = tuple(s for s in known if "qfrc_bias" in (s.writes + " " + s.changes).split())
        rest, finish = (SAVE_BIAS, *bias, *rest), (FINISH_INVERSE, RESTORE_BIAS)
    phases = {
        "forward": inverse_dynamics(
            without(rest, {"ctrl"}), plan.model.opt, plan.conditions, actuation
        ),
        "sense": readings(plan, first=skipped + 1) if sensed else (),
        "after": listing(plan, kept, finish, islands=skipped >= STAGE_POS),
    }
    found = Program(plan, phases, "inverse")
    found.inputs = ("qacc", "qacc_smooth", "actuator_force", "qfrc_actuator")
    found.inputs += tuple(n for n in known_results(known, kept) if n not in found.inputs)
    return found


def skip_program(plan: "Plan", kept: frozenset, skipped: int, reads: bool) -> Program:
    """The program of forward dynamics from a stage on.

    Args:
        plan: what it is for.
        kept: fields of data that are kept.
        skipped: stage (mjtStage) up to which results are known.
        reads: whether sensors are read.
    """
    known, rest = split(plan.forward, skipped)
    forward, sense = sensed(plan, rest, first=skipped + 1) if reads else (rest, ())
    phases = {
        "forward": forward,
        "sense": sense,
        "after": listing(plan, kept, ()),
    }
    found = Program(plan, phases, "forward")
    found.inputs = known_results(known, kept)
    return found


def given_program(plan: "Plan", skipped: int) -> Program:
    """The program that computes once more what is known, for several worlds; see seen.py."""
    known, _ = split(plan.forward, skipped)
    found = Program(plan, {"forward": known})
    found.instead = POSITIONS if skipped == STAGE_POS else POSITIONS | VELOCITIES
    found.silent = True
    return found


def stage_function_program(plan: "Plan", name: str) -> Program:
    """The program of a function that is a piece of the pipeline, one of `STAGE_FUNCTIONS`."""
    return Program(plan, {"forward": stages_of(plan, name)})


def known_results(known: tuple[Stage, ...], kept: frozenset) -> tuple[str, ...]:
    """Kept fields that users may have changed since they were computed, and readings."""
    if not known:
        return ()
    written = {name for stage in known for name in stage.writes.split()}
    return ("sensordata", *sorted(kept & written))


def readings(plan: "Plan", last: int = STAGE_ACC, first: int = STAGE_POS) -> tuple[Stage, ...]:
    """Stages of sensors, those of users last, but before what histories take from all.

    Args:
        plan: what they are for.
        last: what is known (mjtStage); sensors that need more are left out.
        first: what is new; sensors that need less are left out.
    """
    stages = list(sensor_stages(plan.model, last, first))
    if plan.wanted.hooks_have_data and "sensor" in plan.hooks.functions:
        # hooks begin with zeros themselves
        stages = [stage for stage in stages if stage.name != "user"]
    past = READ_PAST[first, last]
    place = stages.index(past) if past in stages else len(stages)
    if plan.wanted.hooks_have_data:
        users = plan.hooks.sense(first, last)
    else:
        users = plan.hooks.sense() if last == STAGE_ACC else ()
    users += plan.plugins.sense(first, last)
    found = (*stages[:place], *users, *stages[place:])
    if found and plan.sleeps:
        found = (KEEP_READINGS, *found, RESTORE_SLEEPING)
    return found


def sensed(
    plan: "Plan", forward: tuple[Stage, ...], last: int = STAGE_ACC, first: int = STAGE_POS
) -> tuple[tuple[Stage, ...], tuple[Stage, ...]]:
    """Forward dynamics and the sensors behind it; hooks that have the data see these in it.

    Args:
        plan: what they are for.
        forward: forward dynamics, or a part of it.
        last, first: as for `readings`.
    """
    if not plan.wanted.hooks_have_data or plan.hooks.functions.keys() <= SEEING_NONE:
        return forward, readings(plan, last, first)
    early = [readings(plan, part, part) if first <= part else () for part in (STAGE_POS, STAGE_VEL)]
    late = readings(plan, last, STAGE_ACC) if last == STAGE_ACC else ()
    return interleaved(forward, *early), late


def listing(
    plan: "Plan", kept: frozenset, before: tuple[Stage, ...], islands: bool = True
) -> tuple[Stage, ...]:
    """Stages whose results nothing but users needs, after others of this kind.

    Args:
        plan: what they are for.
        kept: fields of data that are kept.
        before: the others.
        islands: whether users see islands; False: that there are none.
    """
    found = tuple(s for s in plan.after if kept.intersection(s.writes.split()))
    if not islands:
        found = tuple(NO_ISLANDS if s.writes == NO_ISLANDS.writes else s for s in found)
    after = before + found
    if plan.large_model and any(stage.name in LISTING for stage in after):
        after = (COUNT_LISTS, RESERVE_CAPACITY, *after)
    return after
