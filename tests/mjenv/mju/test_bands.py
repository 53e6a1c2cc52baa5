"""Matrices with a band and dense rows beside MuJoCo's."""

import mujoco
import numpy as np
import pytest

from mjenv import mju

FORMS = [(7, 3, 2), (6, 1, 0), (5, 5, 0), (4, 2, 4), (5, 2, 1), (3, 0, 3)]


def matrices(n, nband, ndense) -> np.ndarray:
    """Positive definite matrices of a form, (4, n, n)."""
    rng = np.random.default_rng(n)
    lower = np.tril(rng.normal(size=(4, n, n)))
    rows, columns = np.indices((n, n))
    lower[:, (rows < n - ndense) & (columns <= rows - nband)] = 0
    return lower @ lower.swapaxes(1, 2) + np.eye(n)


@pytest.mark.parametrize("form", FORMS)
def test_against_mujoco(form):
    n, nband, ndense = form
    mats, vecs = matrices(*form), np.random.default_rng(0).normal(size=(4, n))
    bands = mju.dense2band(mats, nband, ndense)
    assert [mju.band_diag(i, *form) for i in range(n)] == [
        mujoco.mju_bandDiag(i, *form) for i in range(n)
    ]
    factors, least = mju.chol_factor_band(bands, *form, 0.1, 0.2)
    solved = mju.chol_solve_band(factors, vecs, *form)
    for k in range(4):
        band, dense, product = np.zeros(bands.shape[1]), np.zeros((n, n)), np.zeros(n)
        mujoco.mju_dense2Band(band, np.tril(mats[k]), *form)
        np.testing.assert_array_equal(bands[k], band)
        for sym in (False, True):
            mujoco.mju_band2Dense(dense, band, *form, sym)
            np.testing.assert_array_equal(mju.band2dense(bands[k], *form, sym), dense)
            mujoco.mju_bandMulMatVec(product, band[None], vecs[k][:, None], *form, 1, sym)
            found = mju.band_mul_mat_vec(bands, vecs, *form, sym)[k]
            np.testing.assert_allclose(found, product, atol=1e-12)
        expected = mujoco.mju_cholFactorBand(band, *form, 0.1, 0.2)
        assert least[k] == pytest.approx(expected, rel=1e-12)
        np.testing.assert_allclose(factors[k], band, atol=1e-12)
        mujoco.mju_cholSolveBand(product, band, vecs[k], *form)
        np.testing.assert_allclose(solved[k], product, atol=1e-11)


def test_what_is_not_positive():
    form = (4, 2, 1)
    band = mju.dense2band(np.diag([1.0, 2.0, 0.0, 3.0]), 2, 1)
    theirs = band.copy()
    assert mju.chol_factor_band(band, *form)[1] == 0
    assert mujoco.mju_cholFactorBand(theirs, *form, 0, 0) == 0


def test_numbers_that_do_not_fit():
    with pytest.raises(ValueError, match=r"band2dense: mat has 5 elements, expected 10"):
        mju.band2dense(np.zeros(5), 4, 2, 1)
    with pytest.raises(ValueError, match=r"dense2band: ntotal=3, nband=4, ndense=0: expected"):
        mju.dense2band(np.eye(3), 4, 0)
    with pytest.raises(ValueError, match=r"band_diag: i=4: expected 0 to 3"):
        mju.band_diag(4, 4, 2, 1)
