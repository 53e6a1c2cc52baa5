"""Functions of small matrices beside MuJoCo's."""

import mujoco
import numpy as np
import pytest

from mjenv import mju


@pytest.fixture
def positive():
    """Symmetric positive definite matrices (3, 5, 5), and vectors (3, 5)."""
    rng = np.random.default_rng(0)
    a = rng.normal(size=(3, 5, 5))
    return a @ a.swapaxes(1, 2) + np.eye(5), rng.normal(size=(3, 5))


def test_cholesky(positive):
    mats, vecs = positive
    factors, ranks = mju.chol_factor(mats)
    solved = mju.chol_solve(factors, vecs)
    for mat, vec, factor, rank, x in zip(mats, vecs, factors, ranks, solved, strict=True):
        expected, result = mat.copy(), np.zeros(5)
        assert mujoco.mju_cholFactor(expected, 1e-15) == rank == 5
        np.testing.assert_allclose(factor, np.tril(expected), rtol=1e-13)
        mujoco.mju_cholSolve(result, expected, vec)
        np.testing.assert_allclose(x, result, rtol=1e-12)
    singular = np.diag([1.0, 0.0, 2.0])
    assert mju.chol_factor(singular, 1e-3)[1] == 2
    expected = singular.copy()
    assert mujoco.mju_cholFactor(expected, 1e-3) == 2
    np.testing.assert_allclose(mju.chol_factor(singular, 1e-3)[0], expected)


def test_updates(positive):
    mats, vecs = positive
    factors, _ = mju.chol_factor(mats)
    more, rank = mju.chol_update(factors, vecs)
    less, _ = mju.chol_update(more, vecs, False)
    assert (rank == 5).all()
    np.testing.assert_allclose(less, factors, atol=1e-12)
    for vec, factor, found in zip(vecs, factors, more, strict=True):
        expected = factor.copy()
        mujoco.mju_cholUpdate(expected, vec.copy(), 1)
        np.testing.assert_allclose(found, expected, atol=1e-12)


def test_eigenvectors():
    mats = np.random.default_rng(1).normal(size=(4, 3, 3))
    mats = mats + mats.swapaxes(1, 2)
    values, vectors = mju.eig3(mats)
    for mat, value, vector in zip(mats, values, vectors, strict=True):
        expected, turned, quat = np.zeros(3), np.zeros(9), np.zeros(4)
        mujoco.mju_eig3(expected, turned, quat, mat.reshape(-1))
        np.testing.assert_allclose(value, expected, atol=1e-10)
        np.testing.assert_allclose(np.abs(np.sum(vector * turned.reshape(3, 3), axis=0)), 1)
        np.testing.assert_allclose(vector @ np.diag(value) @ vector.T, mat, atol=1e-12)
        assert np.linalg.det(vector) > 0


def test_box(positive):
    mats, vecs = positive
    lower, upper = np.full(5, -0.3), np.linspace(0.1, 0.5, 5)
    for mat, vec in zip(mats, 4 * vecs, strict=True):
        x, nfree = mju.box_qp(mat, vec, lower, upper)
        expected, index = np.zeros(5), np.zeros(5, np.int32)
        R = np.zeros((5, 5 + 7))
        rank = mujoco.mju_boxQP(expected, R, index, mat, vec, lower, upper)
        assert rank == nfree
        np.testing.assert_allclose(x, expected, atol=1e-10)
    assert mju.box_qp(-np.eye(2), np.ones(2), -np.ones(2), np.ones(2))[1] == -1
