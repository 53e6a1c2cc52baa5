"""Chains of dofs from the world to a body."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...model.model import Model


def body_chain(model: "Model", body: int) -> list[int]:
    """Dofs that move a body, in increasing order."""
    while body > 0 and model.body_dofnum[body] == 0:
        body = int(model.body_parentid[body])
    chain = []
    if body > 0:
        dof = int(model.body_dofadr[body] + model.body_dofnum[body] - 1)
        while dof >= 0:
            chain.append(dof)
            dof = int(model.dof_parentid[dof])
    return chain[::-1]
