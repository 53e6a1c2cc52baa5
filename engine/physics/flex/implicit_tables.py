"""Dofs of nodes in the order in which implicit integrators solve for them."""

from typing import TYPE_CHECKING

import numpy as np

from ...tables.enums import INT_IMPLICIT, INT_IMPLICITFAST
from ..smooth.body_chains import body_chain
from .grids import cell_nodes, cell_numbers

if TYPE_CHECKING:
    from ...model.model import Model

STRAINS = 3  # flex_edgeequality: strain of cells is constrained


def solves_nodes(model: "Model") -> bool:
    """True if the integrator takes the elasticity of nodes implicitly."""
    return model.opt.integrator in (INT_IMPLICIT, INT_IMPLICITFAST) and bool(
        _implicit_flexes(model).any()
    )


def _implicit_flexes(model: "Model") -> np.ndarray:
    """Deformables with elastic nodes, (nflex,)."""
    found = (model.flex_interp != 0) & (model.flex_rigid == 0)
    return found & (model.flex_edgeequality != STRAINS) & (model.flex_stiffnessadr >= 0)


def implicit_tables(model: "Model") -> dict:
    """Arrays of `IMPLICIT_MODEL`; without dofs where the integrator needs none."""
    chosen = _implicit_flexes(model) & solves_nodes(model)
    # nodes have their own dofs; those without move by the bodies above them
    places: dict[int, int] = {}
    for f in np.flatnonzero(chosen).tolist():
        for body in _bodies(model, f).tolist():
            own = range(model.body_dofadr[body], model.body_dofadr[body] + model.body_dofnum[body])
            for dof in own or body_chain(model, body):
                places.setdefault(dof, len(places))
    entryadr, entrynum = np.zeros((2, model.nflexnode), np.int32)
    entries: list[int] = []
    for f in np.flatnonzero(chosen).tolist():
        for n, body in enumerate(_bodies(model, f).tolist(), int(model.flex_nodeadr[f])):
            here = [places[dof] for dof in body_chain(model, body) if dof in places]
            entryadr[n], entrynum[n] = len(entries), len(here)
            entries += here
    dofs = np.full(model.nv, -1, np.int32)
    dofs[list(places)] = list(places.values())
    band = 1 + _bandwidth(model, chosen, dofs, (entryadr, entrynum, entries)) if places else 0
    return {
        "nnodedof": len(places), "nnodeband": band, "nnodeH": len(places) * band,
        "nnodeentry": len(entries), "flex_implicit": chosen.astype(np.int32),
        "nodedof_dof": list(places), "dof_nodedof": dofs, "node_entryadr": entryadr,
        "node_entrynum": entrynum, "nodeentry_dof": entries,
    }  # fmt: skip


def _bodies(model: "Model", f: int) -> np.ndarray:
    """Bodies of the nodes of a deformable."""
    return model.flex_nodebodyid[model.flex_nodeadr[f] :][: model.flex_nodenum[f]]


def _bandwidth(model: "Model", chosen: np.ndarray, dofs: np.ndarray, entries: tuple) -> int:
    """Farthest places of two dofs that inertia, a derivative or a cell couples."""
    rows = np.repeat(np.arange(model.nv), model.D_rownnz)
    pairs = dofs[rows], dofs[model.D_colind]
    both = (pairs[0] >= 0) & (pairs[1] >= 0)
    width = int(np.abs(pairs[0] - pairs[1])[both].max(initial=0))
    entryadr, entrynum, places = entries
    for f in np.flatnonzero(chosen).tolist():
        for cell in range(cell_numbers(model, f)):
            nodes = model.flex_nodeadr[f] + cell_nodes(model, f, cell)
            here = [p for n in nodes for p in places[entryadr[n] : entryadr[n] + entrynum[n]]]
            if here:
                width = max(width, max(here) - min(here))
    return width
