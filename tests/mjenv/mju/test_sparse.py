"""Sparse and dense matrices beside MuJoCo's."""

import mujoco
import numpy as np
import pytest

from mjenv import mju


def matrix(n: int, m: int) -> np.ndarray:
    rng = np.random.default_rng(n)
    return rng.normal(size=(n, m)) * (rng.uniform(size=(n, m)) < 0.4)


@pytest.mark.parametrize("shape", [(5, 7), (4, 4), (1, 3), (6, 1)])
def test_against_mujoco(shape):
    mat = matrix(*shape)
    found = mju.dense2sparse(mat)
    nnz = np.count_nonzero(mat)
    expected = np.zeros(nnz), *(np.zeros(k, np.int32) for k in (shape[0], shape[0], nnz))
    mujoco.mju_dense2sparse(expected[0], mat, *expected[1:])
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    back = np.zeros(shape)
    mujoco.mju_sparse2dense(back, *expected)
    np.testing.assert_array_equal(mju.sparse2dense(found[0], shape[1], *found[1:]), back)
    # elements of several matrices with the same places
    both = mju.sparse2dense(np.stack([found[0], 2 * found[0]]), shape[1], *found[1:])
    np.testing.assert_array_equal(both, [mat, 2 * mat])


def test_symmetric_ones():
    lower = np.tril(matrix(6, 6))
    elements, *places = mju.dense2sparse(lower)
    expected = np.zeros((6, 6))
    mujoco.mju_sym2dense(expected, elements, *places)
    np.testing.assert_array_equal(mju.sym2dense(elements, *places), expected)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"colind": [0, 9]}, "colind: expected columns from 0 to 1"),
        ({"rowadr": [0, 5]}, "rowadr: expected places below 2"),
        ({"rownnz": [1]}, "rownnz, rowadr: expected as many"),
        ({"rownnz": [0.5, 1.0]}, "rownnz: expected a list of integers"),
    ],
)
def test_lists_that_do_not_fit(change, message):
    given = {"mat": [1.0, 2.0], "nc": 2, "rownnz": [1, 1], "rowadr": [0, 1], "colind": [0, 1]}
    assert mju.sparse2dense(**given)[1, 1] == 2.0
    with pytest.raises(ValueError, match=message):
        mju.sparse2dense(**{**given, **change})
    with pytest.raises(ValueError, match="expected 2"):
        mju.dense2sparse([1.0])
