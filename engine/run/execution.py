"""Running a program: the one way in which stages run, whatever the call that asks for them.

What a call does besides depends on the model and its options, and is listed in `RUN_CONTEXTS`. Most
models have none: then a call is what remains of `execute`.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..pipeline.integration import REPEATING
from .scratch import GROWTH, raise_failure, refuse_overflow, take_excess
from .supported import refuse_active

if TYPE_CHECKING:
    from .host import Host
    from .plan import Plan
    from .program import Program


def execute(
    data: "Host", program: "Program", nstep: int = 0, worlds: np.ndarray | None = None
) -> None:
    """Run a program of the plan of data.

    Args:
        data: worlds, `Data`; what they hold of late outputs stays.
        program: what to run.
        nstep: number of steps; 0 for what is no step.
        worlds: indices, at least one; None for all.
    """
    plan = data.plan
    # what is entered stays from call to call
    if program.connected is not data.inputs_in_use:
        data.connect(program)
    if worlds is not None or not program.all_worlds:
        program.choose(worlds, data)
    if program.nstep != nstep:
        program.enter_steps(nstep)
    # all packs of worlds, and what is to be done besides
    program.counter[0] = 0
    try:
        contexts = plan.contexts if nstep else plan.stepless_contexts
        if contexts:
            run_in_contexts(plan, data, program, contexts, program.run)
        else:
            program.run()
    except BaseException as error:
        plan.threads(1)[0].stop(error)
    if plan.failed or program.warned[0]:
        fail_or_warn(plan, data, program)


def fail_or_warn(plan: "Plan", data: "Host", program: "Program") -> None:
    """Raise the error of a run, or pass on its warnings.

    Args:
        plan: of the data.
        data: worlds.
        program: what has run.
    """
    if plan.failed:
        raise_failure(plan.failed, data.put_back)
    if program.warned[0]:
        from .simulation_warnings import tell

        tell(data, program)


def run_in_contexts(
    plan: "Plan",
    data: "Host",
    program: "Program",
    contexts: "tuple[Around, ...]",
    run: Callable[[], Any],
) -> Any:
    """Run packs between the halves of each context.

    Args:
        plan, data, program: of the run.
        contexts: what is done around it.
        run: runs the packs.

    Returns:
        What `run` returns.
    """
    around = [context(plan, data, program) for context in contexts]
    for context in around:
        next(context)
    found = run()
    if not plan.failed:
        for context in around:
            next(context, None)
    return found


# ---------------------------------------------------------------- contexts


def refuse_joined_trees(plan: "Plan", data: "Host", program: "Program") -> Iterator[None]:
    """Refuse equalities of tendons and deformables in large models that sleep."""
    refuse_active(plan.model, data.eq_active)
    yield


def refuse_more_cells(plan: "Plan", data: "Host", program: "Program") -> Iterator[None]:
    """Refuse more contacts with a height field than there are slots for."""
    yield
    refuse_overflow(plan.threads(program.nthread))


def keep_state(plan: "Plan", data: "Host", program: "Program") -> Iterator[None]:
    """Keep the state from before the call, in case memory runs short after worlds have moved.

    Other packs may have moved by then, and their own within a step of several evaluations.
    """
    moving = program.npack > 1 or plan.model.opt.integrator in REPEATING
    state = None
    if moving and program.nstep:
        state = plan.spare_state = data.copy_of_state(plan.spare_state)
    scratch = plan.threads(program.nthread)
    for one in scratch:
        one.saved = state
    yield
    for one in scratch:
        one.saved = None


def lengthen_lists(plan: "Plan", data: "Host", program: "Program") -> Iterator[None]:
    """Run once more, with longer arrays, where users' lists of contacts or rows were too short.

    Those of a world that lives in the scratch are made when they are looked at.
    """
    start = data.copy_of_start()
    yield
    excess = take_excess(plan.threads(program.nthread))
    if excess:
        data.start_again(start, {name: int(GROWTH * n) for name, n in excess.items()})
        worlds = None if program.all_worlds else program.chosen()
        execute(data, program, program.nstep, worlds)


def keeps_lists(plan: "Plan") -> bool:
    """True if what a run finds in large models is copied to users' lists of contacts and rows."""
    return plan.large_model and not plan.keeps_pack


def may_move_early(plan: "Plan") -> bool:
    """True if users' arrays may have changed when memory for contacts or solvers runs short."""
    grows = plan.large_model or plan.uses_subproblems
    return grows and (not plan.keeps_pack or plan.model.opt.integrator in REPEATING)


Around = Callable[["Plan", "Host", "Program"], Iterator[None]]


class RunContext(NamedTuple):
    """Actions around the stages of a run.

    Attributes:
        needed: whether that is so in the programs of a plan.
        around: a generator: what stands before its `yield` is done before the stages run, what
            stands behind it afterwards.
        of_steps: whether nothing else than steps needs it.
    """

    needed: Callable[["Plan"], bool]
    around: Around
    of_steps: bool = False


# in the order in which they are done, both before and afterwards
RUN_CONTEXTS = (
    RunContext(lambda plan: plan.joins_awake,               refuse_joined_trees),
    RunContext(lambda plan: plan.has_hfields,               refuse_more_cells),
    RunContext(may_move_early,                              keep_state, of_steps=True),
    RunContext(keeps_lists,                                lengthen_lists),
)  # fmt: skip
