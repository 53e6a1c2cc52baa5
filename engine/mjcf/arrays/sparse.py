"""Sparsity of the dof matrices: the patterns M, D and B, and the maps between them."""

from bisect import bisect_left
from typing import TYPE_CHECKING

import numpy as np

from ...tables.enums import JNT_BALL, JNT_HINGE, JNT_SLIDE
from ..geometry.pose import EPS

if TYPE_CHECKING:
    from ...model.model import Model


def simple_bodies(model: "Model") -> np.ndarray:
    """body_simple: 1 where a body's block of M is diagonal, 2 where it only slides."""
    # lists: numpy takes as long for one number as for a hundred
    parent, root = model.body_parentid.tolist(), model.body_rootid.tolist()
    dofnum, kinds = model.body_dofnum.tolist(), model.jnt_type.tolist()
    firsts, counts = model.body_jntadr.tolist(), model.body_jntnum.tolist()
    skewed = ((np.abs(model.jnt_axis) > EPS).sum(axis=1) != 1).tolist()
    shifted = ((np.abs(model.jnt_pos) >= 1e-6).sum(axis=1) > 0).tolist()
    simple: list[int] = (model.body_sameframe == 1).astype(int).tolist()
    for i, up in enumerate(parent):
        if root[i] != i and not (parent[up] == 0 and dofnum[up] == 0):
            simple[i] = 0
        if up > 0:
            simple[up] = 0
    for i, (first, count) in enumerate(zip(firsts, counts, strict=True)):
        joints = range(first, first + count) if count else ()
        turned = False
        for j in joints:
            kind = kinds[j]
            askew = kind in (JNT_SLIDE, JNT_HINGE) and skewed[j]
            if turned or askew or shifted[j]:
                simple[i] = 0
            turned = turned or kind in (JNT_BALL, JNT_HINGE)
        if simple[i] and dofnum[i]:
            simple[i] = 2 if all(kinds[j] == JNT_SLIDE for j in joints) else 1
    return np.array(simple, np.uint8)


def simple_runs(simple: np.ndarray, dof_bodyid: np.ndarray) -> np.ndarray:
    """dof_simplenum: length of the run of dofs of simple bodies that starts at each dof."""
    run, runs = 0, [0] * len(dof_bodyid)
    for i, own in reversed([*enumerate(simple[dof_bodyid].tolist())]):
        run = run + 1 if own else 0
        runs[i] = run
    return np.array(runs, np.int32)


def ancestors(parentid: np.ndarray) -> list[list[int]]:
    """For each dof, itself and its ancestors, nearest first."""
    chains: list[list[int]] = []
    for i, parent in enumerate(parentid):
        chains.append([i, *chains[parent]] if parent >= 0 else [i])
    return chains


def rows(lists: list[list[int]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Counts, addresses and columns of compressed rows."""
    counts = np.array([len(r) for r in lists], np.int32)
    starts = np.cumsum(counts) - counts
    columns = [column for r in lists for column in r]
    return counts, starts.astype(np.int32), np.array(columns, np.int32)


def entries(model: "Model") -> dict[str, int]:
    """Number of entries of each pattern, as the model calls them.

    They grow with the square of a chain's length, and are counted before there are any.
    """
    # of each dof, itself and its ancestors
    length: list[int] = []
    for parent in model.dof_parentid.tolist():
        length.append(1 + (length[parent] if parent >= 0 else 0))
    whole = sum(length)
    lower = sum(1 if simple else n for n, simple in zip(length, model.dof_simplenum, strict=True))
    # of each body, dofs that move it, and those of the bodies that hang on it
    parents, own = model.body_parentid.tolist(), model.body_dofnum.tolist()
    moving = list(own)
    for body in range(1, model.nbody):
        moving[body] += moving[parents[body]]
    below = [0] * model.nbody
    for body in range(model.nbody - 1, 0, -1):
        below[parents[body]] += below[body] + own[body]
    return {
        "nM": whole, "nC": lower, "nD": 2 * whole - model.nv, "nB": sum(moving) + sum(below),
    }  # fmt: skip


class Patterns:
    """The patterns of a tree of dofs, as lists of sorted columns.

    Attributes:
        lower: M, each dof and its ancestors; only the diagonal for dofs of simple bodies.
        full: D, each dof, its ancestors and its descendants.
        bodies: B, all dofs that move a body or are moved with it.
    """

    def __init__(
        self,
        dof_parentid: np.ndarray,
        dof_simplenum: np.ndarray,
        body_parentid: np.ndarray,
        body_dofadr: np.ndarray,
        body_dofnum: np.ndarray,
    ):
        self.chains = ancestors(dof_parentid)
        nv = len(self.chains)
        self.lower = [
            [i] if dof_simplenum[i] else chain[::-1] for i, chain in enumerate(self.chains)
        ]
        below: list[list[int]] = [[] for _ in range(nv)]
        for i, chain in enumerate(self.chains):
            for j in chain[1:]:
                below[j].append(i)
        self.full = [chain[::-1] + below[i] for i, chain in enumerate(self.chains)]
        self.bodies = _body_rows(body_parentid, body_dofadr, body_dofnum)


def _body_rows(parentid: np.ndarray, dofadr: np.ndarray, dofnum: np.ndarray) -> list[list[int]]:
    nbody = len(parentid)
    above: list[list[int]] = [[]]
    own = [list(range(dofadr[i], dofadr[i] + dofnum[i])) if dofnum[i] else [] for i in range(nbody)]
    for i in range(1, nbody):
        above.append(above[parentid[i]] + own[parentid[i]] if parentid[i] else [])
    inside = [list(dofs) for dofs in own]
    for i in range(nbody - 1, 0, -1):
        inside[parentid[i]] += inside[i]
    return [sorted(a + b) for a, b in zip(above, inside, strict=True)]


def fill(model: "Model", patterns: Patterns) -> None:
    """Write the patterns and the maps between their entries into a model."""
    nv = model.nv
    model.B_rownnz, model.B_rowadr, model.B_colind = rows(patterns.bodies)
    if not nv:
        return
    model.M_rownnz, model.M_rowadr, model.M_colind = rows(patterns.lower)
    model.D_rownnz, model.D_rowadr, model.D_colind = rows(patterns.full)
    model.D_diag = [bisect_left(row, i) for i, row in enumerate(patterns.full)]
    counts = np.array([len(chain) for chain in patterns.chains])
    model.dof_Madr = starts = np.cumsum(counts) - counts
    # entries (i, j) of each storage as numbers i nv + j; rows of M and D ascend
    lower_row = np.repeat(np.arange(nv), model.M_rownnz)
    lower = lower_row * nv + model.M_colind
    full_row, full_column = np.repeat(np.arange(nv), model.D_rownnz), model.D_colind
    full = full_row * nv + full_column
    # rows of M end with their diagonal, chains begin with it
    ends = np.repeat(model.M_rowadr + model.M_rownnz - 1, model.M_rownnz)
    model.mapM2M = starts[lower_row] + ends - np.arange(len(lower))
    mirrored = np.maximum(full_row, full_column) * nv + np.minimum(full_row, full_column)
    places = np.searchsorted(lower, mirrored)
    found = lower[np.minimum(places, len(lower) - 1)] == mirrored
    model.mapM2D = np.where(found, places, -1)
    model.mapD2M = np.searchsorted(full, lower)
