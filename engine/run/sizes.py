"""Sizes of the engine's own arrays, derived from a model and its tables."""

from typing import TYPE_CHECKING

import numpy as np

from ..physics.capacity import NCAPACITY
from ..physics.collision.colliders import NCOLLIDER
from ..physics.constraint.chains import equality_rows
from ..physics.solver.elimination_order import run_room
from ..physics.solver.problem import NPROBLEM
from ..pipeline.layouts import MODEL_ARRAYS
from ..pipeline.request_fields import NHOOK
from ..tables.enums import NCOUNT, NWARNING
from ..tables.plugin_kinds import kind_at

if TYPE_CHECKING:
    from ..model.model import Model


def table_sizes(model: "Model", tables: dict) -> dict:
    """Every size that a field's shape may name."""
    # sizes of the model, and of the engine's tables
    sizes = {
        name: int(getattr(model, name))
        for name in ("nq", "nv", "nu", "na", "nbody", "njnt", "ngeom")
    }
    for row in MODEL_ARRAYS:
        if row.type == "size" and row.name not in tables:
            sizes[row.name] = int(getattr(model, row.name))
    sizes.update({name: value for name, value in tables.items() if np.ndim(value) == 0})
    # fixed: rows of all constraints but contacts
    nv, njnt, nslot = sizes["nv"], sizes["njnt"], sizes["nslot"]
    joined = equality_rows(model, tables)
    # dry friction of dofs and tendons, limits of joints and tendons on both sides
    nsingle = nv + 2 * njnt + 3 * sizes["ntendon"]
    fixed = {
        "nfixedchain": len(tables["chain_dof"]),
        "nfixedblock": int(joined.sum()) + nsingle,
        "nfixedrow": int(joined.sum()) + nsingle,
        "nfixedjac": int(joined @ tables["eq_chainnum"])
        + nv
        + 6 * njnt
        + 3 * int(sum(tables["ten_chainnum"])),
    }
    # rows, elements of the Jacobian, and the same with pyramids written out
    rows, elements, entries = contact_sizes(tables)
    # with those of the contacts that there are slots for
    sizes.update(
        fixed,
        ncollider=NCOLLIDER,
        ncount=NCOUNT,
        nwarning=NWARNING,
        nproblem=NPROBLEM,
        ntree1=sizes["ntree"] + 1,
        nisland=sizes["ntree"],
        nidof=nv,
        ncapacity=NCAPACITY,
        nhook=NHOOK + _plugin_addresses(model),
        nlink=0,
        nown=0,
        nhess=max(sizes["ndense"], sizes["nchain"]),
        nhessrun=run_room(model.tree_dofnum) if sizes["is_large_model"] else 0,
        nchaindof=fixed["nfixedchain"],
        nblock=fixed["nfixedblock"] + nslot,
        nrow=fixed["nfixedrow"] + rows,
        njac=fixed["nfixedjac"] + elements,
        nconmax=nslot,
        nefc=fixed["nfixedrow"] + rows,
        nJ=fixed["nfixedjac"] + entries,
    )
    if tables["is_dense"]:
        sizes["nJ"] = sizes["nefc"] * nv
    return sizes


def needed_sizes(sizes: dict[str, int]) -> dict[str, int]:
    """Sizes of scratch with an entry for each row or slot, where stages that use it may run.

    Args:
        sizes: those that they depend on.
    """
    nrow, large = sizes["nrow"], sizes["is_large_model"] > 0
    return {
        # where worlds of a pack may have several islands
        "nislandrow": nrow if sizes["ntree"] > 1 and not large else 0,
        "nstriprow": nrow if large else 0,
        "nwatchrow": nrow if sizes["nsolverstat"] else 0,
        "nsenseslot": sizes["nslot"] if sizes["nsensor"] else 0,
    }


def _plugin_addresses(model: "Model") -> int:
    """Room for the addresses of functions of plugins in Python: two each."""
    kinds = (kind_at(place) for place in set(model.plugin.tolist()))
    return 2 * sum(len(kind.functions) for kind in kinds)


def contact_sizes(tables: dict) -> tuple[int, int, int]:
    """Most rows of all candidates, their elements in blocks, and their entries row by row."""
    dims, cands = (np.asarray(tables[name], np.int64) for name in ("slot_dim", "slot_cand"))
    chains = np.asarray(tables["cand_chainnum"], np.int64)[cands]
    rows = np.where(dims == 1, 1, 2 * (dims - 1))
    return int(rows.sum()), int((dims * chains).sum()), int((rows * chains).sum())


def list_sizes(sizes: dict[str, int], tables: dict, nconmax: int | None, njmax: int | None) -> dict:
    """Room of users' lists of contacts and rows in large-model mode: as given, or a guess."""
    if nconmax is None:
        nconmax = 24 * (sizes["nsweep"] + 1)
    if njmax is None:
        njmax = 4 * nconmax + sizes["nfixedrow"]
    chain = 2 * int(max(tables["chain_rownnz"], default=1))
    return {
        "nconmax": nconmax,
        "nefc": njmax,
        "nJ": njmax * (sizes["nv"] if tables["is_dense"] else chain),
    }
