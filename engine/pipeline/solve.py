"""Stages that solve for constraint forces: islands of trees, solvers, and the removal of slip."""

from ..enums import SOL_CG, SOL_NEWTON, SOL_PGS
from ..physics.capacity import make_room
from ..physics.solver import world_problems
from ..physics.solver.cg import fwd_cg
from ..physics.solver.elimination_order import order_trees
from ..physics.solver.islands import find_islands
from ..physics.solver.newton import fwd_constraint
from ..physics.solver.newton_islands import fwd_constraint_islands
from ..physics.solver.newton_parts import fwd_cg_parts, fwd_newton_parts
from ..physics.solver.noslip import noslip
from ..physics.solver.pgs import fwd_pgs
from ..physics.solver.solver_stat import WATCHED, clear_progress
from .conditions import Condition, is_scene, may_split, removes_slip, solves
from .stage import Stage


def item_room(needed: Condition) -> tuple[Stage, ...]:
    """Stages before those that work world by world: they have memory for all rows."""
    return (
        Stage(
            world_problems.count_items,
            "need tree_root tree_nrow tree_ndof tree_item dof_place",
            lambda given: needed(given) and is_scene(given),
        ),
        Stage(
            world_problems.bound_items, "need", lambda given: needed(given) and not is_scene(given)
        ),
        Stage(make_room, "need", needed),
    )


FIND_ISLANDS = Stage(
    find_islands,
    "isl_num isl_tree isl_dof isl_block isl_cone isl_row isl_friction isl_plain isl_coupled tree_root tree_isl tree_list "
    "block_tree block_list dof_list block_row need order_state",
    is_scene,
)
ORDER_TREES = Stage(
    order_trees,
    "order_state node_order node_adr node_width node_link node_linknum node_linkroom node_place node_mark link_tree "
    "link_adr need",
    is_scene,
)

PARTS = "part_need part_lane part_num tree_part tree_kept part_acc0 part_Ma0 part_jar0 part_smooth part_acc part_row "

SOLVERS = (
    Stage(
        fwd_constraint,
        "qacc qfrc_constraint solver_niter row_D row_floss row_bound row_jar row_jv row_active row_force "
        "sol_Ma sol_Mv sol_grad sol_search sol_H sol_Hinv cone_jac cone_unit cone_weight cone_pull problem cone_across "
        "fill_on fill_run fill_num part_live",
        lambda given: solves(SOL_NEWTON, in_scenes=False)(given) and not may_split(given),
    ),
    Stage(
        fwd_newton_parts,
        "qacc qfrc_constraint solver_niter row_D row_floss row_bound row_jar row_jv row_active row_force "
        "sol_Ma sol_Mv sol_grad sol_search sol_H sol_Hinv cone_jac cone_unit cone_weight cone_pull problem cone_across "
        "fill_on fill_run fill_num part_live block_list " + PARTS,
        lambda given: solves(SOL_NEWTON)(given) and may_split(given),
        "qacc_smooth qfrc_smooth lane_on tree_on",
    ),
    Stage(
        fwd_constraint_islands,
        "qacc qfrc_constraint solver_niter row_D row_floss row_bound row_jar row_jv row_active row_force "
        "sol_Ma sol_Mv sol_grad sol_search sol_H sol_Hinv cone_jac cone_unit cone_weight cone_pull problem cone_across "
        "hess_rownnz hess_rowadr node_spot part_live",
        solves(SOL_NEWTON, in_scenes=True),
    ),
    Stage(
        fwd_cg,
        "qacc qfrc_constraint solver_niter row_D row_floss row_bound row_jar row_jv row_active row_force problem "
        "sol_Ma sol_Mv sol_grad sol_search cg_Mgrad cg_gradold cg_Mgradold part_live",
        lambda given: solves(SOL_CG)(given) and not may_split(given),
    ),
    Stage(
        fwd_cg_parts,
        "qacc qfrc_constraint solver_niter row_D row_floss row_bound row_jar row_jv row_active row_force problem "
        "sol_Ma sol_Mv sol_grad sol_search cg_Mgrad cg_gradold cg_Mgradold part_live block_list "
        + PARTS,
        lambda given: solves(SOL_CG)(given) and may_split(given),
        "qacc_smooth qfrc_smooth lane_on tree_on",
    ),
    *item_room(solves(SOL_PGS)),
    Stage(
        fwd_pgs,
        "qacc qfrc_constraint solver_niter row_D row_floss row_bound row_jar row_jv row_active row_force problem sol_grad "
        "strip number nitem_used item item_row item_block item_visit item_dof item_seed tree_root tree_nrow "
        "tree_ndof tree_item dof_place dof_scale slip",
        solves(SOL_PGS),
    ),
    *item_room(removes_slip),
    Stage(
        noslip,
        "row_jv strip number nitem_used item item_row item_block item_visit item_dof tree_root tree_nrow tree_ndof "
        "tree_item dof_place dof_scale slip",
        removes_slip,
        "qacc qfrc_constraint solver_niter row_force row_active",
    ),
)


def watched(stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
    """The stages with solvers that note what each iteration did."""
    clear, found = Stage(clear_progress, "solver_stat"), []
    for stage in stages:
        if stage.kernel in WATCHED:
            # the sweeps of noslip are noted behind those of the solver
            found += () if clear in found else (clear,)
            stage = stage._replace(kernel=WATCHED[stage.kernel])
        found.append(stage)
    return tuple(found)
