"""What is derived from a model's deformables once, for all worlds, and scratch for them."""

from typing import TYPE_CHECKING

import numpy as np

from ...enums import EQ_FLEX
from ...fields import table
from ..constraint.chains import on_one_path

if TYPE_CHECKING:
    from ...model.model import Model

MOST_NODES = 27  # of a cell
EDGE_NUMBERS = 10  # of an edge between two cells of a shell
EDGES = 1  # flex_edgeequality: edges are constrained

FLEX_MODEL = table("""
nflexcell         size  -             room for three numbers of each node of a cell
flexvert_cell     int   nflexvert*3   cell that holds a vertex, along each axis
flexnode_own      int   nflexnode     1: the node is its body's origin, and slides by its dofs
flexbend_cell     int   nflexbending  of shells: number of edges, and the cells of each edge
flex_pulls        int   nflex         1: something pulls along its edges
flexedge_chainadr int   nflexedge     first entry in chain_dof, of edges that are constrained
flexedge_chainnum int   nflexedge     dofs that move the ends of such an edge
flexedge_coupled  int   nflexedge     1: the chain spans two branches of the tree
""")
FLEX_DATA = table("""
flexnode_pos     real  nflexnode*3   position (m)
flexnode_vel     real  nflexnode*3   velocity (m/s)
flexnode_spring  real  nflexnode*3   elastic force (N)
flexnode_damper  real  nflexnode*3   damping force (N)
flexvert_spring  real  nflexvert*3   elastic force (N)
flexcell_shift   real  nflexcell     displacement of the nodes of a cell, in its own frame (m)
flexcell_vel     real  nflexcell     their velocity, in that frame (m/s)
""")


def flex_tables(model: "Model", tables: dict) -> dict:
    """Arrays of `FLEX_MODEL`, and chains of constrained edges.

    Args:
        model: a `Model`.
        tables: tables so far; their chains come first.
    """
    cells = np.zeros((model.nflexvert, 3), np.int32)
    for f in np.flatnonzero(model.flex_interp).tolist():
        first, count = model.flex_vertadr[f], model.flex_cellnum[f]
        here = slice(first, first + model.flex_vertnum[f])
        places = np.floor(model.flex_vert0[here] * count).astype(np.int32)
        cells[here] = np.clip(places, 0, count - 1)
    own = (model.flex_node == 0).all(axis=1) & (model.body_dofnum[model.flex_nodebodyid] > 0)
    pulls = (model.flex_edgeequality == EDGES) | (model.flex_damping != 0)
    pulls |= (model.flex_edgestiffness != 0) | (model.flex_edgedamping != 0)
    found = {
        "flexnode_own": own.astype(np.int32),
        "flexbend_cell": _bending_cells(model),
        "flex_pulls": pulls.astype(np.int32),
        "nflexcell": 3 * MOST_NODES if model.flex_interp.any() else 0,
        "flexvert_cell": cells,
        "flexedge_chainadr": np.zeros(model.nflexedge, np.int32),
        "flexedge_chainnum": np.zeros(model.nflexedge, np.int32),
        "flexedge_coupled": np.zeros(model.nflexedge, np.int32),
    }
    constrained = np.flatnonzero(model.eq_type == EQ_FLEX)
    if not len(constrained):
        return found
    dofs, sides = list(tables["chain_dof"]), list(tables["chain_side"])
    longest = np.array(tables["eq_chainnum"])
    for f in set(model.eq_obj1id[constrained].tolist()):
        first = model.flex_edgeadr[f]
        most = 0
        for e in range(first, first + model.flex_edgenum[f]):
            adr, count = model.flexedge_J_rowadr[e], model.flexedge_J_rownnz[e]
            chain = model.flexedge_J_colind[adr : adr + count].tolist()
            found["flexedge_chainadr"][e], found["flexedge_chainnum"][e] = len(dofs), count
            found["flexedge_coupled"][e] = not on_one_path(model, chain)
            dofs += chain
            sides += [1] * len(chain)
            most = max(most, len(chain))
        longest[constrained[model.eq_obj1id[constrained] == f]] = most
    return {**found, "chain_dof": dofs, "chain_side": sides, "eq_chainnum": longest.tolist()}


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


def flex_conditions(model: "Model") -> dict:
    """What conditions of stages ask for: whether edges are constrained, whether nodes count."""
    return {
        "joins_flexes": int((model.eq_type == EQ_FLEX).any()),
        "flex_nodes": int(model.flex_interp.any()),
    }
