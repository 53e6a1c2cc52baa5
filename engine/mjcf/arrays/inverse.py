"""The inertia matrix of a model in a configuration, and products with its inverse.

The matrix is made tree by tree from the Jacobians J of the centres of mass:
M = sum(m J_p' J_p + J_r' I J_r) (Featherstone, Rigid Body Dynamics Algorithms, chapter 6).
"""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...products import SPARSE, applied, gram, product
from .configuration import Configuration, last_dofs

if TYPE_CHECKING:
    from ...model.model import Model


ROWS = 16  # rows that are changed together, so that they stay in the cache
Places = np.ndarray | slice


class Tree(NamedTuple):
    """One kinematic tree: its bodies and dofs, and factors W = A diag(w) A' of its inverse inertia.

    Attributes:
        bodies, dofs: ids.
        position, rotation: Jacobians of the centres of mass (bodies, 3, dofs).
        related: pairs of dofs of which the second moves the first.
        lower, weights: A (dofs, dofs) and w (dofs,).
    """

    bodies: np.ndarray
    dofs: np.ndarray
    position: np.ndarray
    rotation: np.ndarray
    related: np.ndarray
    lower: np.ndarray
    weights: np.ndarray


class Trees(NamedTuple):
    """Trees of one shape, which are computed together: those of `ids`, in that order.

    Attributes:
        ids: of the trees, (n,).
        related: as in `Tree`, for all of them.
        bodies, dofs, position, rotation, lower, weights: as in `Tree`, with n rows.
    """

    ids: np.ndarray
    bodies: np.ndarray
    dofs: np.ndarray
    position: np.ndarray
    rotation: np.ndarray
    related: np.ndarray
    lower: np.ndarray
    weights: np.ndarray


class InverseInertia:
    """Inverse of the inertia matrix.

    Attributes:
        shapes: its blocks, those of trees of one shape together.
        trees: its blocks in the order of the trees.
        rigid: diagonal of the matrix without what tendons add, dof_M0 (nv,).
        diagonal: the whole diagonal (nv,).
        singular: whether a block has no inverse; then products are infinite or not numbers.
    """

    def __init__(self, model: "Model", at: Configuration, added: np.ndarray, coupled: tuple):
        """Factor the matrix.

        Args:
            model: the model.
            at: poses of its bodies.
            added: armature of every joint (njnt,).
            coupled: inertia (n,) and Jacobian (n, nv) of what has inertia of its own.
        """
        self.rigid, self.diagonal = np.zeros(model.nv), np.zeros(model.nv)
        self.shapes = [
            self._trees(model, at, ids, bodies, dofs, added, coupled)
            for ids, bodies, dofs in trees_by_shape(model)
        ]
        trees = (tree for shape in self.shapes for tree in _single(shape))
        self.trees = sorted(trees, key=_first_dof)
        self.singular = not all(np.isfinite(trees.weights).all() for trees in self.shapes)

    def _trees(
        self, model: "Model", at: Configuration, ids: Any, bodies: Any, dofs: Any, added: Any,
        coupled: Any,
    ) -> Trees:  # fmt: skip
        count, n = dofs.shape
        related = _ancestors(model.dof_parentid[dofs[0]] - dofs[0, 0])
        moved = related[at.last_dofs[bodies[0]] - dofs[0, 0]]
        position, rotation = at.centre_jacobians(bodies, dofs, moved)
        weighted = position * np.sqrt(model.body_mass[bodies])[..., None, None]
        principal = product(at.ximat[bodies].transpose(0, 1, 3, 2), rotation)
        principal = principal * np.sqrt(model.body_inertia[bodies])[..., None]
        inertia = _grams(weighted.reshape(count, -1, n)) + _grams(principal.reshape(count, -1, n))
        diagonal = np.arange(n)
        inertia[:, diagonal, diagonal] += model.dof_armature[dofs] + added[model.dof_jntid[dofs]]
        self.rigid[dofs] = inertia[:, diagonal, diagonal]
        for k in range(count) if len(coupled[0]) else ():
            inner = coupled[1][:, dofs[k]]
            if inner.any():
                # the matrix has no other entries, in MuJoCo neither
                entries = product(coupled[0] * inner.T, inner)
                inertia[k] += np.where(related | related.T, entries, 0.0)
        self.diagonal[dofs] = inertia[:, diagonal, diagonal]
        simple = model.dof_simplenum[dofs[0]] > 0
        inertia[:, simple] = 0
        inertia[:, :, simple] = 0
        inertia[:, simple, simple] = self.diagonal[dofs][:, simple]
        factors = _factor(inertia, related)
        return Trees(ids, bodies, dofs, position, rotation, related, *factors)

    def solve(self, rows: np.ndarray) -> np.ndarray:
        """Products of the inverse with vectors, (n, nv) each."""
        result = np.zeros(rows.shape)
        for tree in self.trees:
            inner = rows[:, tree.dofs]
            if self.singular:
                # what is infinite goes to the dofs after it only
                here = product(inner, tree.lower) * tree.weights
                products = np.where(tree.related, tree.lower * here[:, None, :], 0.0)
                result[:, tree.dofs] = products.sum(axis=2)
            elif len(some := np.flatnonzero(inner.any(axis=1))):
                here = product(inner[some], tree.lower) * tree.weights
                result[some[:, None], tree.dofs] = product(here, tree.lower.T)
        return result

    def squares(self, rows: np.ndarray) -> np.ndarray:
        """J W J' for each row J of (n, nv)."""
        if self.singular:
            return np.sum(rows * self.solve(rows), axis=1)
        result = np.zeros(len(rows))
        for tree in self.trees:
            inner = rows[:, tree.dofs]
            some = np.flatnonzero(inner.any(axis=1))
            if len(some):
                result[some] += applied(product(inner[some], tree.lower) ** 2, tree.weights)
        return result

    def motion_squares(self, trees: Trees) -> tuple[np.ndarray, np.ndarray]:
        """Diagonals of J W J' of n trees: of motion (2, n, bodies, 3), and of dofs (n, dofs)."""
        jacobians = np.stack((trees.position, trees.rotation))
        count, n = trees.dofs.shape
        if not self.singular:
            flat = np.ascontiguousarray(jacobians.swapaxes(0, 1)).reshape(count, -1, n)
            motion = applied(_products(flat, trees.lower) ** 2, trees.weights)
            motion = motion.reshape(count, 2, *jacobians.shape[2:4]).swapaxes(0, 1)
            return motion, applied(trees.lower**2, trees.weights)
        rows = np.zeros((*jacobians.shape[:4], len(self.rigid)))
        for k, dofs in enumerate(trees.dofs):
            rows[:, k, :, :, dofs] = np.moveaxis(jacobians[:, k], -1, 0)
        bodies = self.squares(rows.reshape(-1, len(self.rigid))).reshape(jacobians.shape[:4])
        units = np.eye(len(self.rigid))[trees.dofs.ravel()]
        return bodies, self.squares(units).reshape(count, n)


def trees_by_shape(model: "Model") -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Ids of the trees of one shape (n,), and of their bodies and dofs, with n rows.

    Trees of one shape have the same joints below the same bodies. Large ones stay alone: their
    products leave out what is zero.
    """
    last, simple = last_dofs(model), model.dof_simplenum > 0
    bodies, dofs = _divided(model.body_treeid), _divided(model.dof_treeid)
    shapes: dict[tuple, list[int]] = {}
    for tree in range(model.ntree):
        own, moved = dofs[tree], bodies[tree]
        # dofs count from the first one of the tree; -1: no parent
        parents, ends = np.maximum(model.dof_parentid[own] - own[0], -1), last[moved] - own[0]
        large = len(own) >= SPARSE or 3 * len(moved) >= SPARSE
        key = (
            parents.tobytes(), ends.tobytes(), simple[own].tobytes(), tree if large else -1
        )  # fmt: skip
        shapes.setdefault(key, []).append(tree)
    return [
        (np.array(ids), np.stack([bodies[t] for t in ids]), np.stack([dofs[t] for t in ids]))
        for ids in shapes.values()
    ]


def _divided(trees: np.ndarray) -> list[np.ndarray]:
    """Places of each number from 0 in an array, in their order."""
    order = np.argsort(trees, kind="stable")
    counts = np.bincount(trees[trees >= 0])
    return np.split(order[len(order) - counts.sum() :], np.cumsum(counts)[:-1])


def _single(trees: Trees) -> list[Tree]:
    """Trees of one shape, one by one."""
    _, bodies, dofs, position, rotation, related, lower, weights = trees
    return [
        Tree(bodies[k], dofs[k], position[k], rotation[k], related, lower[k], weights[k])
        for k in range(len(dofs))
    ]


def _first_dof(tree: Tree) -> int:
    return int(tree.dofs[0])


def _grams(rows: np.ndarray) -> np.ndarray:
    """Products a' a of a stack of matrices."""
    return gram(rows[0])[None] if len(rows) == 1 else product(rows.transpose(0, 2, 1), rows)


def _products(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Products of two stacks of matrices."""
    return product(a[0], b[0])[None] if len(a) == 1 else product(a, b)


def _ancestors(parents: np.ndarray) -> np.ndarray:
    """Pairs of dofs of a tree of which the second moves the first, or is the same one.

    Args:
        parents: of its dofs, negative for those without, (n,).
    """
    above = np.eye(len(parents), dtype=bool)
    for k, parent in enumerate(parents.tolist()):
        if parent >= 0:
            above[k] |= above[parent]
    return above


def _factor(inertia: np.ndarray, related: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Factors of inverse inertia matrices: W = A diag(w) A' with A lower triangular.

    They come from M = L' D L (Featherstone, chapter 6), which keeps small weights exact beside
    large ones. Where M is singular, weights are inf.

    Args:
        inertia: a stack of M, (m, n, n).
        related: pairs of dofs of which the second moves the first; M has no other entries.

    Returns:
        A = inv(L) and w = 1 / D.
    """
    n, work = inertia.shape[-1], inertia.copy()
    for k in range(n - 1, 0, -1):
        above = _places(related[k, :k])
        column = work[:, k, above]
        row = column / work[:, k, k, None]
        _subtract(work, above, row, column)
        work[:, k, above] = row
    # rows of A, each from those above it: what a row adds to those below it, in their order
    inverse, sums = np.zeros_like(work), np.zeros_like(work)
    for k in range(n):
        inverse[:, k, k] = 1
        inverse[:, k, :k] = -sums[:, k, :k]
        below = _places(related[k + 1 :, k], k + 1)
        _add(sums, below, work[:, below, k], inverse[:, k, : k + 1])
    diagonal = np.arange(n)
    return inverse, 1 / work[:, diagonal, diagonal]


def _subtract(matrices: np.ndarray, places: Places, column: np.ndarray, row: np.ndarray) -> None:
    """Subtract products column row' from the rows and columns of matrices at some places.

    Above the diagonal nothing reads what is there.
    """
    if not isinstance(places, slice):
        matrices[:, places[:, None], places] -= column[:, :, None] * row[:, None, :]
        return
    for start in range(places.start, places.stop, ROWS):
        end = min(start + ROWS, places.stop)
        first, last = start - places.start, end - places.start
        products = column[:, first:last, None] * row[:, None, :last]
        matrices[:, start:end, places.start : end] -= products


def _add(matrices: np.ndarray, places: Places, column: np.ndarray, row: np.ndarray) -> None:
    """Add products column row' to the rows of matrices at some places, to their first columns."""
    count = row.shape[-1]
    if not isinstance(places, slice):
        matrices[:, places, :count] += column[:, :, None] * row[:, None, :]
        return
    for start in range(places.start, places.stop, ROWS):
        end = min(start + ROWS, places.stop)
        part = column[:, start - places.start : end - places.start, None]
        matrices[:, start:end, :count] += part * row[:, None, :]


def _places(chosen: np.ndarray, first: int = 0) -> Places:
    """Places where an array is true: a slice, which is a view, if these are neighbours.

    Args:
        chosen: the array.
        first: place of its first entry.
    """
    places = np.flatnonzero(chosen) + first
    if len(places) and places[-1] - places[0] == len(places) - 1:
        return slice(int(places[0]), int(places[-1]) + 1)
    return places
