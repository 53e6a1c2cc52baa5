"""Rules for the whole numbers of deformables: their rows, elements, trees and neighbours."""

from typing import TYPE_CHECKING

import numpy as np

from .validation import ValidationError, in_range, refuse, same, starts, total

if TYPE_CHECKING:
    from .model import Model


def flexes(m: "Model") -> None:
    """Rows of deformables follow one another; elements and edges have their own vertices."""
    dims = m.flex_dim
    refuse("flex_dim", (dims < 1) | (dims > 3), dims, "1, 2 or 3")
    order = np.abs(m.flex_interp)
    refuse("flex_interp", order > 2, m.flex_interp, "-2 to 2")
    refuse("flex_cellnum", np.any(m.flex_cellnum < 1, axis=1), m.flex_cellnum[:, 0], "1 or more")
    grid = np.prod(m.flex_cellnum.astype(np.int64) * order[:, None] + 1, axis=1)
    same("flex_nodenum", m.flex_nodenum, np.where(order > 0, grid, m.flex_nodenum))
    # lists of rows
    counts = {
        "node": m.flex_nodenum, "vert": m.flex_vertnum, "edge": m.flex_edgenum,
        "elem": m.flex_elemnum, "elemdata": m.flex_elemnum * (dims + 1),
        "elemedge": m.flex_elemnum * np.array((1, 3, 6))[dims - 1],
    }  # fmt: skip
    for name, count in counts.items():
        same(f"flex_{name}adr", getattr(m, f"flex_{name}adr"), starts(count))
        total(f"flex_{name}num", f"nflex{name}", int(count.sum()), m)
    # what they hold, counted in the deformable
    owners = {name: np.repeat(np.arange(m.nflex), count) for name, count in counts.items()}
    for name, owner, most in (
        ("flex_edge", owners["edge"].repeat(2), m.flex_vertnum),
        ("flex_edgeflap", owners["edge"].repeat(2), m.flex_vertnum),
        ("flex_elem", owners["elemdata"], m.flex_vertnum),
        ("flex_elemedge", owners["elemedge"], m.flex_edgenum),
    ):
        values = getattr(m, name).ravel()
        in_range(name, np.array(True), values, -1 if name == "flex_edgeflap" else 0, most[owner])
    own = (m.flex_interp == 0)[owners["vert"]]
    in_range("flex_vertbodyid", own, m.flex_vertbodyid, 0, m.nbody)
    # elasticity
    for name, size in (("stiffness", _stiffness_sizes(m, order)), ("bending", _bending_sizes(m))):
        adr = getattr(m, f"flex_{name}adr")
        in_range(f"flex_{name}adr", adr >= 0, adr + size, 0, getattr(m, f"nflex{name}") + 1)
    # Jacobians of vertices, and the edges around them
    nnz, adr = m.flexvert_J_rownnz.ravel(), m.flexvert_J_rowadr.ravel()
    in_range("flexvert_J_rownnz", np.array(True), nnz, 0, m.nv + 1)
    in_range("flexvert_J_rowadr", np.array(True), adr, 0, 2 * m.nJfv + 1)
    in_range("flexvert_J_rowadr", np.array(True), adr + nnz, 0, 2 * m.nJfv + 1)
    same("flexvert_J_rownnz", nnz[1::2], nnz[::2])
    for v in np.flatnonzero(m.flex_vertedgenum).tolist():
        adr, num = int(m.flex_vertedgeadr[v]), int(m.flex_vertedgenum[v])
        in_range("flex_vertedgeadr", np.array(True), np.array([adr, adr + num]), 0,
                 2 * m.nflexedge + 1)  # fmt: skip
        around = m.flex_vertedge.ravel()[adr : adr + num]
        in_range("flex_vertedge", np.array(True), around, 0, m.flex_edgenum[owners["vert"][v]])


def flex_trees(m: "Model") -> None:
    """Trees of boxes over the elements of deformables have leaves and children of their own."""
    for f in np.flatnonzero(m.flex_bvhnum > 0).tolist():
        count = int(m.flex_bvhnum[f])
        here = slice(m.flex_bvhadr[f], m.flex_bvhadr[f] + count)
        leaves, children = m.bvh_nodeid[here], m.bvh_child[here].ravel()
        in_range("bvh_nodeid", np.array(True), leaves, -1, m.flex_elemnum[f])
        in_range("bvh_child", np.array(True), children, -1, count)
        # no node is its own descendant, and all nodes but leaves have two children
        bad = (children != -1) & (children <= np.repeat(np.arange(count), 2))
        refuse("bvh_child", bad, children, "-1, or a node after it in its tree")
        bad = (leaves < 0) & (m.bvh_child[here] < 0).any(axis=1)
        refuse("bvh_child", bad, m.bvh_child[here].min(axis=1), "a child, or a leaf")


def flex_neighbours(m: "Model") -> None:
    """Vertices of deformables that may touch elements are their own."""
    total("flex_evpairnum", "nflexevpair", int(m.flex_evpairnum.sum()), m)
    adr, count = m.flex_evpairadr, m.flex_evpairnum
    same("flex_evpairadr", adr, np.where(count > 0, starts(count), adr))
    elements, vertices = m.flex_evpair.reshape(-1, 2).T
    everywhere = np.full(elements.shape, True)
    for values, sizes in ((elements, m.flex_elemnum), (vertices, m.flex_vertnum)):
        in_range("flex_evpair", everywhere, values, 0, np.repeat(sizes, m.flex_evpairnum))


def _stiffness_sizes(m: "Model", order: np.ndarray) -> np.ndarray:
    """Numbers that the stiffness of each deformable has, (nflex,)."""
    cells, shell = m.flex_cellnum.astype(np.int64), m.flex_interp < 0
    x, y, z = cells.T
    count = np.where(shell, 2 * (x * y + y * z + z * x), x * y * z)
    nodes = (order + 1) ** np.where(shell, 2, 3)
    return np.where(order > 0, count * (3 * nodes) ** 2, 21 * m.flex_elemnum.astype(np.int64))


def _bending_sizes(m: "Model") -> np.ndarray:
    """Numbers that the bending of each deformable has, (nflex,)."""
    sizes = 17 * m.flex_edgenum.astype(np.int64)
    for f in np.flatnonzero((m.flex_interp < 0) & (m.flex_bendingadr >= 0)).tolist():
        x, y, z = m.flex_cellnum[f].tolist()
        most = 4 * (x * y + y * z + z * x)
        adr = m.flex_bendingadr[f]
        count = m.flex_bending[adr]
        if not 0 <= count <= most:
            raise ValidationError(f"flex_bending[{adr}]: found {count:g}, expected 0 to {most}")
        sizes[f] = 1 + 10 * int(count)
        cells = m.flex_bending[adr + 1 : adr + sizes[f]].reshape(-1, 10)[:, :2]
        if not ((cells >= 0) & (cells < most // 2)).all():
            raise ValidationError(f"flex_bending: expected cells from 0 to {most // 2 - 1}")
    return sizes


RULES = (flexes, flex_trees, flex_neighbours)
