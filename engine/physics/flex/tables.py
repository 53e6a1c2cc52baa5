"""Tables derived from a model's deformables once, for all worlds, and scratch for them."""

from typing import TYPE_CHECKING

import numpy as np

from ...simd.record import STRIP
from ...tables.enums import EQ_FLEX, EQ_FLEXSTRAIN, EQ_FLEXVERT
from ..constraint.chains import on_one_path
from ..smooth.body_chains import body_chain
from .grids import cell_nodes, cell_numbers, nodes_of_cells
from .implicit_tables import implicit_tables

if TYPE_CHECKING:
    from ...model.model import Model

MOST_NODES = 27  # of a cell
EDGE_NUMBERS = 10  # of an edge between two cells of a shell
EDGES, VERTICES = 1, 2  # flex_edgeequality: edges are constrained, or strain at vertices


class Chains:
    """Lists of dofs, one after the other, in `chain_dof` behind those that other tables made."""

    def __init__(self, model: "Model", tables: dict):
        """Start behind the chains of other tables."""
        self._model = model
        self.dofs, self.sides = list(tables["chain_dof"]), list(tables["chain_side"])

    def add(self, chain: list[int]) -> tuple[int, int, int]:
        """Append sorted dofs: where they start, how many, and whether they lie in two branches."""
        adr = len(self.dofs)
        self.dofs += chain
        self.sides += [1] * len(chain)
        return adr, len(chain), int(not on_one_path(self._model, chain))


def flex_tables(model: "Model", tables: dict) -> dict:
    """Arrays of `FLEX_MODEL`, chains of constrained edges, vertices and cells, and conditions.

    Args:
        model: a `Model`.
        tables: tables so far; their chains come first.

    Raises:
        ValueError: a constraint of strain names a cell that the deformable does not have.
    """
    loose = (model.flex_rigid == 0) & (model.flex_interp == 0)
    pulls = (model.flex_edgeequality == EDGES) | (model.flex_damping != 0)
    pulls |= (model.flex_edgestiffness != 0) | (model.flex_edgedamping != 0)
    sheets = loose & (model.flex_dim == 2) & (model.flex_edgeequality == VERTICES)
    own = (model.flex_node == 0).all(axis=1) & (model.body_dofnum[model.flex_nodebodyid] > 0)
    chains = Chains(model, tables)
    joined = np.array(tables["eq_chainnum"], np.int32)
    found = {
        "flexnode_own": own.astype(np.int32),
        "flexbend_cell": _bending_cells(model),
        "flex_pulls": pulls.astype(np.int32),
        "flex_sheet": sheets.astype(np.int32),
        **_frames(model),
        "nflexcell": 3 * MOST_NODES if model.flex_interp.any() else 0,
        "flexvert_cell": _cells_of_vertices(model),
        **_row_chains(model, chains, joined, "flexedge", EQ_FLEX),
        **_row_chains(model, chains, joined, "flexvert", EQ_FLEXVERT),
        **_strain_chains(model, chains, joined, tables),
        **implicit_tables(model),
        # what stages are asked for
        "joins_flexes": int((model.eq_type >= EQ_FLEX).any()),
        "flex_nodes": int(model.flex_interp.any()),
        "flex_sheets": int(sheets.any()),
        "flex_damps": int(((model.flex_rigid == 0) & (model.flex_edgedamping != 0)).any()),
    }
    return found | {
        "chain_dof": chains.dofs, "chain_side": chains.sides, "eq_chainnum": joined.tolist(),
    }  # fmt: skip


def _frames(model: "Model") -> dict:
    """Where the frames of the cells of each deformable are, and how many there are."""
    count = [cell_numbers(model, f) if model.flex_interp[f] else 0 for f in range(model.nflex)]
    adr = np.concatenate([[0], np.cumsum(count)]).astype(np.int32)
    return {
        "flex_frameadr": adr[:-1], "nflexframe": int(adr[-1]), "nframestrip": STRIP * any(count)
    }  # fmt: skip


def _cells_of_vertices(model: "Model") -> np.ndarray:
    """Cell that holds each vertex, along each axis, (nflexvert, 3)."""
    cells = np.zeros((model.nflexvert, 3), np.int32)
    for f in np.flatnonzero(model.flex_interp).tolist():
        first, count = model.flex_vertadr[f], model.flex_cellnum[f]
        here = slice(first, first + model.flex_vertnum[f])
        places = np.floor(model.flex_vert0[here] * count).astype(np.int32)
        cells[here] = np.clip(places, 0, count - 1)
    return cells


def _row_chains(
    model: "Model", chains: Chains, joined: np.ndarray, kind: str, eq_type: int
) -> dict[str, np.ndarray]:
    """Chains of the edges or the vertices of constrained deformables.

    Args:
        model: a `Model`.
        chains: where they are appended.
        joined: eq_chainnum, which gets the longest of each constraint.
        kind: "flexedge" or "flexvert", whose Jacobians have one or two rows for each.
        eq_type: EQ_FLEX or EQ_FLEXVERT.
    """
    count = getattr(model, f"n{kind}")
    found = np.zeros((3, count), np.int32)
    rows = 2 if eq_type == EQ_FLEXVERT else 1
    rowadr, rownnz = (
        getattr(model, f"{kind}_J_{name}").ravel()[::rows] for name in ("rowadr", "rownnz")
    )
    columns = getattr(model, f"{kind}_J_colind").reshape(-1)
    constrained = np.flatnonzero(model.eq_type == eq_type)
    part = kind.removeprefix("flex")
    for f in sorted(set(model.eq_obj1id[constrained].tolist())):
        first = getattr(model, f"flex_{part}adr")[f]
        last = first + getattr(model, f"flex_{part}num")[f]
        for k in range(first, last):
            found[:, k] = chains.add(columns[rowadr[k] : rowadr[k] + rownnz[k]].tolist())
        longest = found[1, first:last].max(initial=0)
        joined[constrained[model.eq_obj1id[constrained] == f]] = longest
    names = (f"{kind}_chainadr", f"{kind}_chainnum", f"{kind}_coupled")
    return dict(zip(names, found, strict=True))


def _strain_chains(model: "Model", chains: Chains, joined: np.ndarray, tables: dict) -> dict:
    """Cells whose strain is constrained: how many strains, and the dofs of their nodes."""
    cell, modes, entryadr, entrynum = np.zeros((4, model.neq), np.int32)
    nodes: list[int] = []
    places: list[int] = []
    adr, coupled = list(tables["eq_chainadr"]), list(tables["eq_coupled"])
    for eq in np.flatnonzero(model.eq_type == EQ_FLEXSTRAIN).tolist():
        f = int(model.eq_obj1id[eq])
        if not model.flex_interp[f]:
            continue
        here, modes[eq] = _strained_cell(model, eq, f)
        cell[eq] = here
        bodies = model.flex_nodebodyid[model.flex_nodeadr[f] + cell_nodes(model, f, here)]
        moved = [body_chain(model, int(body)) for body in bodies]
        union = sorted(set().union(*moved))
        adr[eq], joined[eq], coupled[eq] = chains.add(union)
        entries = [(k, union.index(dof)) for k, chain in enumerate(moved) for dof in sorted(chain)]
        entryadr[eq], entrynum[eq] = len(nodes), len(entries)
        nodes += [k for k, _ in entries]
        places += [place for _, place in entries]
    return {
        "eq_cell": cell, "eq_modenum": modes, "eq_entryadr": entryadr, "eq_entrynum": entrynum,
        "strain_node": nodes, "strain_place": places, "nstrainentry": len(nodes),
        "nstrainroom": 3 * int(entrynum.max(initial=0)),
        "eq_chainadr": adr, "eq_coupled": coupled,
    }  # fmt: skip


def _strained_cell(model: "Model", eq: int, f: int) -> tuple[int, int]:
    """Number of the cell of a constraint of strain, and how many strains it has."""
    given = model.eq_data[eq, :3]
    shape = (cell_numbers(model, f),) if model.flex_interp[f] < 0 else tuple(model.flex_cellnum[f])
    place = given[: len(shape)]
    if not ((place >= 0) & (place < shape)).all():
        raise ValueError(
            f"Data: model.eq_data[{eq}]: found cell {' '.join(f'{x:g}' for x in place)}, expected"
            f" one below {' '.join(map(str, shape))}"
        )
    cell = int(np.ravel_multi_index(tuple(place.astype(int)), shape))
    if model.flex_stiffnessadr[f] < 0:
        return cell, 0
    size = 3 * nodes_of_cells(model, f)
    count = model.flex_stiffness[model.flex_stiffnessadr[f] + cell * size * size]
    return cell, int(np.clip(count, 0, size - 1))


def _bending_cells(model: "Model") -> np.ndarray:
    """The whole numbers among the bending numbers of shells, where they stand, (nflexbending,)."""
    found = np.zeros(model.nflexbending, np.int32)
    for f in np.flatnonzero((model.flex_interp < 0) & (model.flex_bendingadr >= 0)).tolist():
        adr = model.flex_bendingadr[f]
        count = int(model.flex_bending[adr])
        found[adr] = count
        places = adr + 1 + EDGE_NUMBERS * np.arange(count)[:, None] + np.arange(2)
        found[places] = model.flex_bending[places]
    return found
