"""Sums of vectors of single precision, compiled; see mesh_normals.py."""

from ...simd.kernel import kernel


@kernel
def add_vectors(q):
    """Add each vector to the sum of its owner, which is rounded each time."""
    for i in range(q.nvector):
        owner = q.owner[i]
        for k in range(3):
            q.sum[3 * owner + k] = q.sum[3 * owner + k] + q.vector[3 * i + k]
