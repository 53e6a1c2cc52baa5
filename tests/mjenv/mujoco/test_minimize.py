"""`mujoco.minimize`, beside the reference."""

import io

import mujoco.minimize
import numpy as np
import pytest

from mjenv.mujoco import minimize

BOUNDS = {
    "none": None,
    "inside": [np.array([-2.0, -2.0]), np.array([2.0, 2.0])],
    "on the lower": [np.array([-2.0, 2.0]), np.array([0.5, 3.0])],
    "on the upper": [np.array([-2.0, -2.0]), np.array([0.5, 2.0])],
}


def rosenbrock(x):
    return np.stack([1 - x[0], 10 * (x[1] - x[0] ** 2)])


def jacobian(x, r):
    return np.array([[-1.0, 0.0], [-20 * x[0, 0], 10.0]])


class Smooth(minimize.Norm):
    """A smooth absolute value."""

    def __init__(self, wrong_grad=0.0, wrong_hess=1.0, skew=0.0):
        self.wrong = wrong_grad, wrong_hess, skew

    def value(self, r):
        return np.sqrt(np.vdot(r, r) + 1e-4) - 0.01

    def grad_hess(self, r, proj):
        wrong_grad, wrong_hess, skew = self.wrong
        s = np.sqrt(np.vdot(r, r) + 1e-4)
        y = r / s
        hess = (wrong_hess * np.eye(r.size) - (y + skew) @ y.T) / s
        return proj.T @ (y + wrong_grad), proj.T @ hess @ proj


@pytest.mark.parametrize("name", BOUNDS)
def test_as_reference(name):
    kwargs = {"bounds": BOUNDS[name], "verbose": 3}
    found = []
    for module in (minimize, mujoco.minimize):
        x, trace = module.least_squares(np.zeros(2), rosenbrock, output=io.StringIO(), **kwargs)
        found.append((x, [row.objective for row in trace], trace[-1].grad))
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-9)


def test_reasons_are_told():
    out = io.StringIO()
    minimize.least_squares(np.zeros(2), rosenbrock, jacobian=jacobian, output=out)
    assert "norm(gradient) < tol." in out.getvalue()
    assert "Jacobian evals" in out.getvalue()
    out = io.StringIO()
    minimize.least_squares(np.ones(2), rosenbrock, output=out)
    assert "exact minimum found" in out.getvalue()
    out = io.StringIO()
    minimize.least_squares(np.zeros(2), rosenbrock, max_iter=2, output=out)
    assert "Terminated after 1 iterations: maximum iterations reached." in out.getvalue()
    out = io.StringIO()
    minimize.least_squares(np.zeros(2), rosenbrock, verbose=minimize.Verbosity.SILENT, output=out)
    assert out.getvalue() == ""


def test_derivatives_are_checked():
    def run(**kwargs):
        return minimize.least_squares(
            np.zeros(2), rosenbrock, check_derivatives=True, output=io.StringIO(), **kwargs
        )

    np.testing.assert_allclose(run(jacobian=jacobian, norm=Smooth())[0], 1.0, atol=1e-6)
    with pytest.raises(ValueError, match="Jacobian does not match"):
        run(jacobian=lambda x, r: jacobian(x, r) + 1)
    for norm, message in (
        (Smooth(wrong_grad=1e-3), "norm gradient does not match"),
        (Smooth(wrong_hess=1.001), "norm Hessian does not match"),
        (Smooth(skew=1e-3), "not symmetric"),
        (Smooth(wrong_hess=0.0), "not positive definite"),
    ):
        with pytest.raises(ValueError, match=message):
            run(norm=norm)


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"bounds": [0, 1, 2]}, "3 arrays, expected 2"),
        ({"bounds": [np.zeros(3), np.ones(3)]}, "3 and 3 numbers, expected 2"),
        ({"bounds": [np.zeros(2), np.array([1, np.inf])]}, "finite"),
        ({"bounds": [np.ones(2), np.zeros(2)]}, "lower ones below upper ones"),
        ({"mu_factor": 1.0}, "more than 1"),
    ],
)
def test_mistakes(kwargs, message):
    with pytest.raises(ValueError, match=message):
        minimize.least_squares(np.zeros(2), rosenbrock, **kwargs)
    with pytest.raises(ValueError, match="float64"):
        minimize.least_squares(np.zeros(2), lambda x: rosenbrock(x).astype("f4"))
