"""Loops of stages of smooth dynamics and integration over all bodies, dofs and trees.

Where trees sleep, the same stages go through lists; sleep/resting.py puts others in the place of
these kernels.
"""

from ...simd.kernel import kernel


@kernel
def count_bodies(m, d):
    """Number of bodies, of which the first is the world."""
    return m.nbody


@kernel
def body_at(m, d, k):
    """One of the bodies, parents before children."""
    return k


@kernel
def count_dofs(m, d):
    """Number of dofs."""
    return m.nv


@kernel
def dof_at(m, d, k):
    """One of the dofs."""
    return k


@kernel
def is_computed(m, d, tree):
    """True if the factors of a tree's inertia matrix are wanted."""
    return True


@kernel
def moves(m, d, dof):
    """True if a dof takes part in the step."""
    return True
