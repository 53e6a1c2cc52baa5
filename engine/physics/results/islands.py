"""Islands of each world as MuJoCo lists them: which trees, dofs and rows belong to which."""

from ...simd.kernel import kernel
from ...simd.lanes import get_lane, set_lane
from ...tables.enums import CNSTR_EQUALITY, CNSTR_FRICTION_TENDON, COUNT_BLOCK, DSBL_ISLAND
from ..constraint.jacobian import block_rows
from ..solver.islands import join_trees, number_islands
from .list_ends import LISTED_ISLAND_ROWS, clear_element, new_end


@kernel
def export_islands(m, d):
    """Islands, and the maps from trees, dofs and constraint rows to them.

    Reads: block_*, count.
    Writes: nisland, nidof, tree_island, island_*, dof_island, efc_island, map_*, isl_*, tree_root,
        tree_isl, tree_list, block_tree, listed.
    """
    for lane in range(m.width):
        # islands of this world
        join_trees(m, d, lane)
        number_islands(m, d)
        n = 0 if m.opt_disableflags[0] & DSBL_ISLAND else d.isl_num[0]
        set_lane(d.nisland, 0, lane, 1.0 * n)
        set_lane(d.nidof, 0, lane, 0.0)
        # island of each tree and dof
        for tree in range(m.ntree):
            set_lane(d.tree_island, tree, lane, 1.0 * d.tree_isl[tree] if n > 0 else -1.0)
            set_lane(d.map_itree2tree, tree, lane, 1.0 * d.tree_list[tree])
        for dof in range(m.nv):
            island = d.tree_isl[m.dof_treeid[dof]]
            set_lane(d.dof_island, dof, lane, 1.0 * island if n > 0 else -1.0)
        # members of islands, and zeros behind them
        row = 0
        if n > 0:
            export_dofs(m, d, lane, n)
            row = export_rows(m, d, lane, n)
        clear_islands(m, d, lane, n)
        for r in range(row, new_end(d, LISTED_ISLAND_ROWS, row, lane)):
            clear_element(d.efc_island, r, 1, lane)
            clear_element(d.map_efc2iefc, r, 1, lane)
            clear_element(d.map_iefc2efc, r, 1, lane)


@kernel
def export_no_islands(m, d):
    """No islands: inverse dynamics look for none, as rows do not depend on each other there.

    Writes: nisland, nidof, tree_island, island_*, dof_island, efc_island, map_*, listed.
    """
    for lane in range(m.width):
        set_lane(d.nisland, 0, lane, 0.0)
        set_lane(d.nidof, 0, lane, 0.0)
        for tree in range(m.ntree):
            set_lane(d.tree_island, tree, lane, -1.0)
            set_lane(d.map_itree2tree, tree, lane, 0.0)
        for dof in range(m.nv):
            set_lane(d.dof_island, dof, lane, -1.0)
        clear_islands(m, d, lane, 0)
        for r in range(new_end(d, LISTED_ISLAND_ROWS, 0, lane)):
            clear_element(d.efc_island, r, 1, lane)
            clear_element(d.map_efc2iefc, r, 1, lane)
            clear_element(d.map_iefc2efc, r, 1, lane)


@kernel
def clear_islands(m, d, lane, n):
    """Zeros behind the n islands of one world, and in maps of dofs where there are none."""
    for k in range(n, m.ntree):
        clear_element(d.island_ntree, k, 1, lane)
        clear_element(d.island_itreeadr, k, 1, lane)
        clear_element(d.island_nv, k, 1, lane)
        clear_element(d.island_idofadr, k, 1, lane)
        clear_element(d.island_dofadr, k, 1, lane)
        clear_element(d.island_ne, k, 1, lane)
        clear_element(d.island_nf, k, 1, lane)
        clear_element(d.island_nefc, k, 1, lane)
        clear_element(d.island_iefcadr, k, 1, lane)
    for dof in range(m.nv if n == 0 else 0):
        clear_element(d.map_dof2idof, dof, 1, lane)
        clear_element(d.map_idof2dof, dof, 1, lane)


@kernel
def export_dofs(m, d, lane, n):
    """Trees and dofs of the n islands of one world."""
    for k in range(n):
        set_lane(d.island_itreeadr, k, lane, 1.0 * d.isl_tree[k])
        set_lane(d.island_ntree, k, lane, 1.0 * (d.isl_tree[k + 1] - d.isl_tree[k]))
    place = 0
    for k in range(n):
        first = place
        for t in range(d.isl_tree[k], d.isl_tree[k + 1]):
            place = export_tree(m, d, lane, d.tree_list[t], place)
        set_lane(d.island_idofadr, k, lane, 1.0 * first)
        set_lane(d.island_nv, k, lane, 1.0 * (place - first))
        set_lane(d.island_dofadr, k, lane, get_lane(d.map_idof2dof, first, lane))
    set_lane(d.nidof, 0, lane, 1.0 * place)
    for t in range(d.isl_tree[n], m.ntree):
        place = export_tree(m, d, lane, d.tree_list[t], place)


@kernel
def export_tree(m, d, lane, tree, place):
    """Enter the dofs of a tree from a place on; returns the next place."""
    for k in range(m.tree_dofnum[tree]):
        dof = m.tree_dofadr[tree] + k
        set_lane(d.map_idof2dof, place + k, lane, 1.0 * dof)
        set_lane(d.map_dof2idof, dof, lane, 1.0 * (place + k))
    return place + m.tree_dofnum[tree]


@kernel
def export_rows(m, d, lane, n):
    """Constraint rows of the n islands of one world; returns how many there are."""
    for k in range(n):
        set_lane(d.island_ne, k, lane, 0.0)
        set_lane(d.island_nf, k, lane, 0.0)
        set_lane(d.island_nefc, k, lane, 0.0)
    # island of each row, and rows of each kind
    row = 0
    for b in range(d.count[COUNT_BLOCK]):
        if get_lane(d.block_D, b, lane) > 0.0:
            k, many = d.tree_isl[d.block_tree[b]], block_rows(d, b)
            for _ in range(many):
                set_lane(d.efc_island, row, lane, 1.0 * k)
                row += 1
            add_lane(d.island_nefc, k, lane, many)
            if d.block_type[b] == CNSTR_EQUALITY:
                add_lane(d.island_ne, k, lane, many)
            elif d.block_type[b] <= CNSTR_FRICTION_TENDON:
                add_lane(d.island_nf, k, lane, many)
    # first row of each island
    start = 0.0
    for k in range(n):
        set_lane(d.island_iefcadr, k, lane, start)
        start += get_lane(d.island_nefc, k, lane)
        set_lane(d.island_nefc, k, lane, 0.0)
    # maps between the world's order and that by islands, whose rows are counted once more
    for other in range(row):
        k = int(get_lane(d.efc_island, other, lane))
        place = int(get_lane(d.island_iefcadr, k, lane) + get_lane(d.island_nefc, k, lane))
        set_lane(d.map_efc2iefc, other, lane, 1.0 * place)
        set_lane(d.map_iefc2efc, place, lane, 1.0 * other)
        add_lane(d.island_nefc, k, lane, 1)
    return row


@kernel
def add_lane(field, k, lane, n):
    """Add a number to an element in one lane."""
    set_lane(field, k, lane, get_lane(field, k, lane) + n)
