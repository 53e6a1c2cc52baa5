"""The inertia matrix of a model in a configuration, and products with its inverse.

The matrix is made tree by tree from the Jacobians J of the centres of mass:
M = sum(m J_p' J_p + J_r' I J_r) (Featherstone, Rigid Body Dynamics Algorithms, chapter 6).
"""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...products import applied, gram, product
from .configuration import Configuration

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


class InverseInertia:
    """Inverse of the inertia matrix.

    Attributes:
        trees: its blocks.
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
        self.trees = [self._tree(model, at, tree, added, coupled) for tree in range(model.ntree)]
        self.singular = not all(np.isfinite(tree.weights).all() for tree in self.trees)

    def _tree(self, model: "Model", at: Configuration, tree: int, added: Any, coupled: Any) -> Tree:
        dofs = np.flatnonzero(model.dof_treeid == tree)
        bodies = np.flatnonzero(model.body_treeid == tree)
        position, rotation = at.centre_jacobians(bodies, dofs)
        n = len(dofs)
        weighted = (position * np.sqrt(model.body_mass[bodies])[:, None, None]).reshape(-1, n)
        principal = product(at.ximat[bodies].transpose(0, 2, 1), rotation)
        principal = (principal * np.sqrt(model.body_inertia[bodies])[..., None]).reshape(-1, n)
        inertia = gram(weighted) + gram(principal)
        inertia[np.diag_indices(n)] += model.dof_armature[dofs] + added[model.dof_jntid[dofs]]
        self.rigid[dofs] = inertia.diagonal()
        inner, related = coupled[1][:, dofs], _ancestors(model, dofs)
        if inner.any():
            # the matrix has no other entries, in MuJoCo neither
            inertia += np.where(related | related.T, product(coupled[0] * inner.T, inner), 0.0)
        self.diagonal[dofs] = inertia.diagonal()
        simple = model.dof_simplenum[dofs] > 0
        inertia[simple] = 0
        inertia[:, simple] = 0
        inertia[simple, simple] = self.diagonal[dofs][simple]
        return Tree(bodies, dofs, position, rotation, related, *_factor(inertia, related))

    def solve(self, rows: np.ndarray) -> np.ndarray:
        """Products of the inverse with vectors, (n, nv) each."""
        result = np.zeros(rows.shape)
        for tree in self.trees:
            here = product(rows[:, tree.dofs], tree.lower) * tree.weights
            if self.singular:
                # what is infinite goes to the dofs after it only
                products = np.where(tree.related, tree.lower * here[:, None, :], 0.0)
                result[:, tree.dofs] = products.sum(axis=2)
            else:
                result[:, tree.dofs] = product(here, tree.lower.T)
        return result

    def squares(self, rows: np.ndarray) -> np.ndarray:
        """J W J' for each row J of (n, nv)."""
        if self.singular:
            return np.sum(rows * self.solve(rows), axis=1)
        return sum(
            (
                applied(product(rows[:, tree.dofs], tree.lower) ** 2, tree.weights)
                for tree in self.trees
            ),
            start=np.zeros(len(rows)),
        )

    def motion_squares(self, tree: Tree) -> tuple[np.ndarray, np.ndarray]:
        """Diagonals of J W J' of a tree: of its bodies' motion (2, bodies, 3), of its dofs."""
        jacobians = np.stack((tree.position, tree.rotation))
        if not self.singular:
            flat = np.ascontiguousarray(jacobians).reshape(-1, len(tree.dofs))
            motion = applied(product(flat, tree.lower) ** 2, tree.weights)
            return motion.reshape(jacobians.shape[:3]), applied(tree.lower**2, tree.weights)
        rows = np.zeros((*jacobians.shape[:3], len(self.rigid)))
        rows[..., tree.dofs] = jacobians
        bodies = self.squares(rows.reshape(-1, len(self.rigid))).reshape(jacobians.shape[:3])
        return bodies, self.squares(np.eye(len(self.rigid))[tree.dofs])


def _ancestors(model: "Model", dofs: np.ndarray) -> np.ndarray:
    """Pairs of dofs of a tree of which the second moves the first, or is the same one."""
    above = np.eye(len(dofs), dtype=bool)
    for k, parent in enumerate(model.dof_parentid[dofs] - dofs[0]):
        if parent >= 0:
            above[k] |= above[parent]
    return above


def _factor(inertia: np.ndarray, related: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Factors of an inverse inertia matrix: W = A diag(w) A' with A lower triangular.

    They come from M = L' D L (Featherstone, chapter 6), which keeps small weights exact beside
    large ones. Where M is singular, weights are inf.

    Args:
        inertia: M.
        related: pairs of dofs of which the second moves the first; M has no other entries.

    Returns:
        A = inv(L) and w = 1 / D.
    """
    n, work = len(inertia), inertia.copy()
    for k in range(n - 1, 0, -1):
        above = _places(related[k, :k])
        column = work[k, above]
        row = column / work[k, k]
        _subtract(work, above, row, column)
        work[k, above] = row
    # rows of A, each from those above it: what a row adds to those below it, in their order
    inverse, sums = np.eye(n), np.zeros((n, n))
    for k in range(n):
        inverse[k, :k] = -sums[k, :k]
        below = _places(related[k + 1 :, k], k + 1)
        _add(sums, below, work[below, k], inverse[k, : k + 1])
    return inverse, 1 / work.diagonal()


def _subtract(matrix: np.ndarray, places: Places, column: np.ndarray, row: np.ndarray) -> None:
    """Subtract products column row' from the rows and columns of a matrix at some places.

    Above the diagonal nothing reads what is there.
    """
    if not isinstance(places, slice):
        matrix[np.ix_(places, places)] -= np.outer(column, row)
        return
    for start in range(places.start, places.stop, ROWS):
        end = min(start + ROWS, places.stop)
        first, last = start - places.start, end - places.start
        matrix[start:end, places.start : end] -= np.outer(column[first:last], row[:last])


def _add(matrix: np.ndarray, places: Places, column: np.ndarray, row: np.ndarray) -> None:
    """Add products column row' to the rows of a matrix at some places, to its first columns."""
    if not isinstance(places, slice):
        matrix[places, : len(row)] += np.outer(column, row)
        return
    for start in range(places.start, places.stop, ROWS):
        end = min(start + ROWS, places.stop)
        part = column[start - places.start : end - places.start]
        matrix[start:end, : len(row)] += np.outer(part, row)


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
