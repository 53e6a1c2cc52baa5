"""Stages that solve for constraint forces: islands of trees, solvers, and the removal of slip."""

from ..physics.capacity import make_room
from ..physics.solver import world_problems
from ..physics.solver.cg import fwd_cg
from ..physics.solver.cg_scene import fwd_cg_scene
from ..physics.solver.elimination_order import order_trees
from ..physics.solver.island_strips import count_strips
from ..physics.solver.islands import find_islands
from ..physics.solver.newton import fwd_constraint
from ..physics.solver.newton_islands import fwd_constraint_islands
from ..physics.solver.newton_parts import fwd_cg_parts, fwd_newton_parts
from ..physics.solver.noslip import noslip
from ..physics.solver.pgs import fwd_pgs
from ..physics.solver.short_search import CUT_SHORT
from ..physics.solver.solver_stat import WATCHED, clear_progress
from ..tables.enums import SOL_CG, SOL_NEWTON, SOL_PGS
from .conditions import Condition, is_scene, may_split, removes_slip, solves
from .stage import Stage


def item_room(needed: Condition) -> tuple[Stage, ...]:
    """Stages before those that work world by world: they have memory for all rows."""
    return (
        Stage(world_problems.count_items, needed=lambda given: needed(given) and is_scene(given)),
        Stage(
            world_problems.bound_items, needed=lambda given: needed(given) and not is_scene(given)
        ),
        Stage(make_room, needed=needed),
    )


FIND_ISLANDS = Stage(find_islands, needed=is_scene)
ORDER_TREES = Stage(order_trees, needed=solves(SOL_NEWTON, in_scenes=True))

SOLVERS = (
    Stage(
        fwd_constraint,
        "qacc qfrc_constraint solver_niter",
        lambda given: solves(SOL_NEWTON, in_scenes=False)(given) and not may_split(given),
    ),
    Stage(
        fwd_newton_parts,
        "qacc qfrc_constraint solver_niter",
        lambda given: solves(SOL_NEWTON)(given) and may_split(given),
        "qacc_smooth qfrc_smooth",
    ),
    Stage(
        fwd_constraint_islands,
        "qacc qfrc_constraint solver_niter",
        solves(SOL_NEWTON, in_scenes=True),
    ),
    Stage(
        fwd_cg,
        "qacc qfrc_constraint solver_niter",
        lambda given: solves(SOL_CG, in_scenes=False)(given) and not may_split(given),
    ),
    Stage(count_strips, needed=solves(SOL_CG, in_scenes=True)),
    Stage(make_room, needed=solves(SOL_CG, in_scenes=True)),
    Stage(
        fwd_cg_scene,
        "qacc qfrc_constraint solver_niter",
        solves(SOL_CG, in_scenes=True),
    ),
    Stage(
        fwd_cg_parts,
        "qacc qfrc_constraint solver_niter",
        lambda given: solves(SOL_CG)(given) and may_split(given),
        "qacc_smooth qfrc_smooth",
    ),
    *item_room(solves(SOL_PGS)),
    Stage(
        fwd_pgs,
        "qacc qfrc_constraint solver_niter",
        solves(SOL_PGS),
    ),
    *item_room(removes_slip),
    Stage(
        noslip,
        "",
        removes_slip,
        "qacc qfrc_constraint solver_niter",
    ),
)


def watched(stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
    """The stages with solvers that note what each iteration did."""
    clear, found = Stage(clear_progress, "solver_stat", group="constraint"), []
    for stage in stages:
        if stage.kernel in WATCHED:
            # the sweeps of noslip are noted behind those of the solver
            found += () if clear in found else (clear,)
            writes = f"{stage.writes} solver_stat"
            stage = stage._replace(kernel=WATCHED[stage.kernel], writes=writes)
        found.append(stage)
    return tuple(found)


def cut_short(stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
    """The stages with solvers whose line searches end after few points."""
    return tuple(s._replace(kernel=CUT_SHORT.get(s.kernel, s.kernel)) for s in stages)
