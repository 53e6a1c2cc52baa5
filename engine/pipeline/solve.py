"""Stages that solve for constraint forces: islands of trees, solvers, and the removal of slip."""

from ..tables.enums import SOL_CG, SOL_NEWTON, SOL_PGS
from .conditions import Condition, is_large_model, may_split, removes_slip, solves
from .stage import Stage


def subproblem_capacity(needed: Condition) -> tuple[Stage, ...]:
    """Stages before those that work world by world: they have memory for all rows."""
    return (
        Stage(
            "solver.subproblems:count_subproblems",
            needed=lambda given: needed(given) and is_large_model(given),
        ),
        Stage(
            "solver.subproblems:bound_subproblems",
            needed=lambda given: needed(given) and not is_large_model(given),
        ),
        Stage("capacity:reserve_capacity", needed=needed),
    )


# stages that need the memory of what is solved world by world, or island by island
COUNT_SUBPROBLEMS = frozenset({"count_subproblems", "bound_subproblems", "count_strips"})
FIND_ISLANDS = Stage("solver.islands:find_islands", needed=is_large_model)
ORDER_TREES = Stage("solver.elimination_order:order_trees", needed=solves(SOL_NEWTON, large=True))

SOLVERS = (
    Stage(
        "solver.newton:fwd_constraint",
        "qacc qfrc_constraint solver_niter",
        lambda given: solves(SOL_NEWTON, large=False)(given) and not may_split(given),
    ),
    Stage(
        "solver.lane_islands:fwd_newton_lane_islands",
        "qacc qfrc_constraint solver_niter",
        lambda given: solves(SOL_NEWTON)(given) and may_split(given),
        "qacc_smooth qfrc_smooth",
    ),
    Stage(
        "solver.newton_islands:fwd_constraint_islands",
        "qacc qfrc_constraint solver_niter",
        solves(SOL_NEWTON, large=True),
    ),
    Stage(
        "solver.cg:fwd_cg",
        "qacc qfrc_constraint solver_niter",
        lambda given: solves(SOL_CG, large=False)(given) and not may_split(given),
    ),
    Stage("solver.island_strips:count_strips", needed=solves(SOL_CG, large=True)),
    Stage("capacity:reserve_capacity", needed=solves(SOL_CG, large=True)),
    Stage(
        "solver.cg_islands:fwd_cg_islands",
        "qacc qfrc_constraint solver_niter",
        solves(SOL_CG, large=True),
    ),
    Stage(
        "solver.lane_islands:fwd_cg_lane_islands",
        "qacc qfrc_constraint solver_niter",
        lambda given: solves(SOL_CG)(given) and may_split(given),
        "qacc_smooth qfrc_smooth",
    ),
    *subproblem_capacity(solves(SOL_PGS)),
    Stage(
        "solver.pgs:fwd_pgs",
        "qacc qfrc_constraint solver_niter",
        solves(SOL_PGS),
    ),
    *subproblem_capacity(removes_slip),
    Stage(
        "solver.noslip:noslip",
        "",
        removes_slip,
        "qacc qfrc_constraint solver_niter",
    ),
)


# solvers that search along lines; these, sweeps and the removal of slip can note what they do
SEARCHING = (
    *("fwd_constraint", "fwd_constraint_islands", "fwd_newton_lane_islands"),
    *("fwd_cg", "fwd_cg_islands", "fwd_cg_lane_islands"),
)
NOTING = (*SEARCHING, "fwd_pgs", "noslip")


def solving(stages: tuple[Stage, ...], noted: bool, short: bool) -> tuple[Stage, ...]:
    """The stages with the form of each solver that data and options ask for.

    Args:
        stages: stages of forward dynamics.
        noted: whether solvers note what each iteration did.
        short: whether line searches end after few points.
    """
    clear = Stage("solver.solver_stat:clear_progress", "solver_stat", group="constraint")
    found: list[Stage] = []
    for stage in stages:
        notes, writes = noted and stage.name in NOTING, stage.writes
        file, form = ("solver_stat", "instrumented") if notes else ("", "")
        if short and stage.name in SEARCHING:
            file, form = "capped_line_search", "instrumented_capped" if notes else "capped"
        if notes:
            # the sweeps of noslip are noted behind those of the solver
            found += () if clear in found else (clear,)
            writes += " solver_stat"
        if form:
            stage = stage._replace(kernel=f"solver.{file}:{form}_{stage.name}", writes=writes)
        found.append(stage)
    return tuple(found)
