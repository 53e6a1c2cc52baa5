"""Chains of dofs on which the constraint rows of tendons act, derived once for all worlds."""

from typing import TYPE_CHECKING

from .chains import on_one_path, tendon_dofs

if TYPE_CHECKING:
    from ...model.model import Model


def tendon_tables(model: "Model", tables: dict) -> dict:
    """Arrays of `ENGINE_MODEL` that describe rows along tendons.

    Args:
        model: a `Model`.
        tables: tables so far; their chains come first.

    Returns:
        ten_chain* tables, and chain_dof and chain_side with the dofs of the tendons added.
    """
    dofs, sides = list(tables["chain_dof"]), list(tables["chain_side"])
    chainadr, chainnum, coupled = [], [], []
    for ten in range(model.ntendon):
        chain = sorted(tendon_dofs(model, ten))
        chainadr.append(len(dofs))
        chainnum.append(len(chain))
        coupled.append(int(not on_one_path(model, chain)))
        dofs += chain
        sides += [1] * len(chain)
    return {
        "ten_chainadr": chainadr,
        "ten_chainnum": chainnum,
        "ten_coupled": coupled,
        "chain_dof": dofs,
        "chain_side": sides,
    }
