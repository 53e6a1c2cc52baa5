"""Chains of dofs that equality constraints join, derived once for all worlds."""

from typing import TYPE_CHECKING

import numpy as np

from ...tables.enums import EQ_CONNECT, EQ_FLEX, EQ_FLEXVERT, EQ_JOINT, EQ_TENDON, EQ_WELD, OBJ_SITE
from ..smooth.body_chains import body_chain

if TYPE_CHECKING:
    from ...model.model import Model


def equality_tables(model: "Model", tables: dict) -> dict:
    """Arrays of `ENGINE_MODEL` that describe equality constraints.

    Args:
        model: a `Model`.
        tables: tables so far; their chains come first.

    Returns:
        eq_* tables, and chain_dof and chain_side with the chains of the constraints added: dofs
        that move the first object (side 1), the second (2), or both (3).
    """
    dofs, sides = list(tables["chain_dof"]), list(tables["chain_side"])
    bodies = np.zeros((model.neq, 2), np.int32)
    chainadr, chainnum, coupled = [], [], []
    for eq in range(model.neq):
        # dofs that move each of the objects
        ids = int(model.eq_obj1id[eq]), int(model.eq_obj2id[eq])
        first, second = set(), set()
        if model.eq_type[eq] in (EQ_CONNECT, EQ_WELD):
            if model.eq_objtype[eq] == OBJ_SITE:
                ids = int(model.site_bodyid[ids[0]]), int(model.site_bodyid[ids[1]])
            bodies[eq] = ids
            first, second = set(body_chain(model, ids[0])), set(body_chain(model, ids[1]))
        elif model.eq_type[eq] == EQ_TENDON:
            first, second = tendon_dofs(model, ids[0]), tendon_dofs(model, ids[1])
        elif model.eq_type[eq] == EQ_JOINT:
            first = {int(model.jnt_dofadr[ids[0]])}
            second = {int(model.jnt_dofadr[ids[1]])} if ids[1] >= 0 else set()
        # chain of both, with the sides that a dof moves
        union = sorted(first | second)
        chainadr.append(len(dofs))
        chainnum.append(len(union))
        coupled.append(int(not on_one_path(model, union)))
        dofs += union
        sides += [(dof in first) + 2 * (dof in second) for dof in union]
    return {
        "eq_body1": bodies[:, 0],
        "eq_body2": bodies[:, 1],
        "eq_chainadr": chainadr,
        "eq_chainnum": chainnum,
        "eq_coupled": coupled,
        "chain_dof": dofs,
        "chain_side": sides,
    }


def equality_rows(model: "Model", tables: dict) -> np.ndarray:
    """Most rows of each equality constraint: (neq,).

    Args:
        model: a `Model`.
        tables: its tables; those of deformables count strains of cells.
    """
    rows = {EQ_CONNECT: 3, EQ_WELD: 6, EQ_JOINT: 1, EQ_TENDON: 1}
    found = np.array([rows.get(int(kind), 0) for kind in model.eq_type], np.int64)
    for eq in np.flatnonzero(model.eq_type == EQ_FLEX):
        found[eq] = model.flex_edgenum[model.eq_obj1id[eq]]
    for eq in np.flatnonzero(model.eq_type == EQ_FLEXVERT):
        found[eq] = 2 * model.flex_vertnum[model.eq_obj1id[eq]]
    return found + tables["eq_modenum"]


def tendon_dofs(model: "Model", ten: int) -> set[int]:
    """Dofs that change the length of a tendon; none for -1."""
    if ten < 0:
        return set()
    adr = model.ten_J_rowadr[ten]
    return set(model.ten_J_colind[adr : adr + model.ten_J_rownnz[ten]].tolist())


def on_one_path(model: "Model", dofs: list[int]) -> bool:
    """True if sorted dofs lie on one path from a leaf of the tree to its root."""
    dof, path = dofs[-1] if dofs else -1, set()
    while dof >= 0:
        path.add(dof)
        dof = int(model.dof_parentid[dof])
    return path.issuperset(dofs)
