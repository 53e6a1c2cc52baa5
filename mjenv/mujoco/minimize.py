"""Nonlinear least squares in a box: the interface of `mujoco.minimize`.

Gauss-Newton steps with a regularizer that grows until a step reduces the objective enough
(Levenberg and Marquardt; Bazaraa, Sherali and Shetty, "Nonlinear programming", section 8.6); within
bounds each step is the minimum of a quadratic in a box.
"""

import abc
import enum
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TextIO

import numpy as np

from mjenv.mju import box_qp

SUFFICIENT = 1e-2  # part of the reduction along the slope that a step has to reach (Armijo)
GOOD, BAD = 0.75, 0.25  # reductions, as parts of the expected one, that change the regularizer
SAME = 1e-5  # relative difference of derivatives that are called equal

Columns = Callable[[np.ndarray], np.ndarray]


class Verbosity(enum.Enum):
    """Amount of printed text."""

    SILENT = 0
    FINAL = 1
    ITER = 2
    FULLITER = 3


class Status(enum.Enum):
    """Why a search ended."""

    FACTORIZATION_FAILED = enum.auto()
    NO_IMPROVEMENT = enum.auto()
    MAX_ITER = enum.auto()
    DX_TOL = enum.auto()
    G_TOL = enum.auto()


_ENDS = {
    Status.FACTORIZATION_FAILED: "factorization failed.",
    Status.NO_IMPROVEMENT: "insufficient reduction.",
    Status.MAX_ITER: "maximum iterations reached.",
    Status.DX_TOL: "norm(dx) < tol.",
    Status.G_TOL: "norm(gradient) < tol.",
}


@dataclass(frozen=True)
class IterLog:
    """One iteration.

    Attributes:
        candidate: the point where it began, (n, 1).
        objective: its value there.
        reduction: by how much the step reduced it.
        regularizer: what was added to the diagonal of the Hessian.
        residual, jacobian, grad, step: only with `Verbosity.FULLITER`.
    """

    candidate: np.ndarray
    objective: Any
    reduction: Any
    regularizer: Any
    residual: np.ndarray | None = None
    jacobian: np.ndarray | None = None
    grad: np.ndarray | None = None
    step: np.ndarray | None = None


class Norm(abc.ABC):
    """A measure of residuals, whose value is minimized."""

    @abc.abstractmethod
    def value(self, r: np.ndarray) -> Any:
        """The value of a residual, (nr, 1)."""

    @abc.abstractmethod
    def grad_hess(self, r: np.ndarray, proj: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Derivatives at a residual, (nr, 1), seen through a matrix `proj`, (nr, nx).

        Returns:
            proj' gradient, (nx, 1), and proj' Hessian proj, (nx, nx).
        """


class Quadratic(Norm):
    """Half the sum of squares."""

    def value(self, r: np.ndarray) -> Any:
        """The value of a residual, (nr, 1)."""
        return 0.5 * np.vdot(r, r)

    def grad_hess(self, r: np.ndarray, proj: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """proj' r and proj' proj."""
        return proj.T @ r, proj.T @ proj


QUADRATIC = Quadratic()


@dataclass
class _Regularizer:
    """Number added to the diagonal: it grows slowly, and shrinks faster time after time."""

    least: float
    most: float
    factor: float
    value: float = 0.0
    shrunk: int = 0

    def grow(self) -> None:
        self.value, self.shrunk = max(self.least, self.factor * self.value), 0

    def shrink(self) -> None:
        smaller = self.value * self.factor ** -(2**self.shrunk)
        self.value = smaller if smaller >= self.least else 0.0
        self.shrunk += 1


@dataclass
class _Counted:
    """A function that counts its calls and their time (s)."""

    function: Callable
    number: int = 0
    seconds: float = 0.0

    def __call__(self, *arguments: Any) -> np.ndarray:
        start = time.perf_counter()
        result = self.function(*arguments)
        self.seconds += time.perf_counter() - start
        self.number += 1
        return result


@dataclass
class _Search:
    """A search: the problem, and how far it is."""

    residual: _Counted
    jacobian: _Counted | None
    norm: Norm
    box: list[np.ndarray] | None
    eps: float
    mu: _Regularizer
    verbose: int
    output: TextIO | None
    callback: Callable | None
    n_res: int = 0
    trace: list[IterLog] = field(default_factory=list)

    def say(self, text: str, level: Verbosity = Verbosity.FINAL) -> None:
        if self.verbose >= level.value:
            print(text, file=self.output)

    def residual_at(self, x: np.ndarray) -> np.ndarray:
        self.n_res += 1
        return self.residual(x)

    def jacobian_at(self, x: np.ndarray, r: np.ndarray) -> np.ndarray:
        if self.jacobian is not None:
            return self.jacobian(x, r)
        jac, self.n_res = jacobian_fd(self.residual, x, r, self.eps, self.n_res, self.box)
        return jac

    def free_gradient(self, x: np.ndarray, grad: np.ndarray) -> np.ndarray:
        """The gradient without coordinates that a bound holds."""
        if self.box is None:
            return grad
        held = ((x == self.box[0]) & (grad > 0)) | ((x == self.box[1]) & (grad < 0))
        return grad[~held]

    def log(self, entry: IterLog, **details: np.ndarray | None) -> None:
        """Enter an iteration, with its details where they are asked for."""
        full = self.verbose >= Verbosity.FULLITER.value
        self.trace.append(replace(entry, **details) if full else entry)
        if self.callback is not None:
            self.callback(self.trace)

    def step(
        self, x: np.ndarray, r: np.ndarray, grad: np.ndarray, hess: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, Any] | Status:
        """A step that reduces the objective enough: dx, the residual there, and the reduction."""
        start = self.norm.value(r)
        while True:
            dx, free = self._minimum(x, grad, hess)
            enough = -np.inf
            if free >= 0:
                new = self.residual_at(x + dx)
                reduction = start - self.norm.value(new)
                enough = reduction + SUFFICIENT * np.vdot(grad, dx)
                if enough >= 0:
                    return dx, new, reduction
            if self.mu.value >= self.mu.most:
                return Status.FACTORIZATION_FAILED if free < 0 else Status.NO_IMPROVEMENT
            self.mu.grow()

    def _minimum(self, x: np.ndarray, grad: np.ndarray, hess: np.ndarray) -> tuple[np.ndarray, int]:
        """Minimum of the quadratic model, and how many coordinates are free; -1: there is none."""
        unbounded = np.full(len(x), np.inf)
        low, high = (-unbounded, unbounded) if self.box is None else (b - x for b in self.box)
        damped = hess + self.mu.value * np.eye(len(x))
        dx, free = box_qp(damped, grad.ravel(), np.ravel(low), np.ravel(high))
        return dx.reshape(x.shape), free

    def ratio(self, dx: np.ndarray, grad: np.ndarray, hess: np.ndarray, reduction: Any) -> float:
        """The reduction, as a part of what the quadratic model promises."""
        expected = -(np.vdot(grad, dx) + 0.5 * np.vdot(dx, hess @ dx))
        if expected > 0:
            return float(reduction / expected)
        zero = "Zero expected reduction: exact minimum found?"
        self.say(zero if expected == 0 else "Negative expected reduction: should not occur.")
        return 0.0

    def run(
        self, x: np.ndarray, xtol: float, gtol: float, max_iter: int, check: bool
    ) -> tuple[np.ndarray, Status, int]:
        """Iterate; returns the best point, why the search ended, and the number of iterations."""
        r = self.residual_at(x)
        if r.dtype != np.float64:
            raise ValueError(f"least_squares: residual returns {r.dtype}, expected float64")
        status, i = Status.MAX_ITER, 0
        # each iteration is one step, or the end
        for i in range(max_iter):
            jac = self.jacobian_at(x, r)
            if i == 0 and check:
                self._check(x, r, jac)
            grad, hess = self.norm.grad_hess(r, jac)
            slope = np.linalg.norm(self.free_gradient(x, grad))
            if slope <= gtol:
                if slope == 0:
                    print("Zero gradient norm: exact minimum found?", file=self.output)
                status = Status.G_TOL
                break
            # a step that makes the residual smaller, with as much regularization as it takes
            found = self.step(x, r, grad, hess)
            if isinstance(found, Status):
                status = found
                break
            dx, new, reduction = found
            ratio, length = self.ratio(dx, grad, hess, reduction), np.linalg.norm(dx)
            y, mu = self.norm.value(r), np.float64(self.mu.value)
            self.say(_line(i, y, mu, ratio, length, reduction), Verbosity.ITER)
            self.log(IterLog(x, y, reduction, mu), residual=r, jacobian=jac, grad=grad, step=dx)
            if length < xtol * (xtol + np.linalg.norm(x)):
                status = Status.DX_TOL
                break
            # a quadratic model that predicts well needs less regularization next time
            if ratio > GOOD:
                self.mu.shrink()
            elif ratio < BAD:
                self.mu.grow()
            x, r = x + dx, new
        else:
            i = max_iter - 1
        self._last(x, r)
        return x, status, i

    def _last(self, x: np.ndarray, r: np.ndarray) -> None:
        """Log the end of the search, where no step was made."""
        entry = IterLog(x, self.norm.value(r), np.float64(0.0), np.float64(self.mu.value))
        details = {}
        if self.verbose >= Verbosity.FULLITER.value:
            jac = self.jacobian_at(x, r)
            details = {"residual": r, "jacobian": jac, "grad": self.norm.grad_hess(r, jac)[0]}
        self.log(entry, **details)

    def _check(self, x: np.ndarray, r: np.ndarray, jac: np.ndarray) -> None:
        """Compare derivatives that the caller gives with differences."""
        if self.jacobian is not None:
            self.n_res = check_jacobian(
                self.residual, x, r, jac, self.eps, self.n_res, self.box, self.output
            )
        if not isinstance(self.norm, Quadratic):
            check_norm(r, self.norm, self.eps, self.output)


def least_squares(
    x0: np.ndarray,
    residual: Columns,
    bounds: Sequence[np.ndarray] | None = None,
    jacobian: Callable[[np.ndarray, np.ndarray], np.ndarray] | None = None,
    norm: Norm = QUADRATIC,  # it has no state
    eps: float = np.finfo(np.float64).eps ** 0.5,
    mu_min: float = 1e-6,
    mu_max: float = 1e8,
    mu_factor: float = 10.0**0.1,
    xtol: float = 1e-8,
    gtol: float = 1e-8,
    max_iter: int = 100,
    verbose: Verbosity | int = Verbosity.ITER,
    output: TextIO | None = None,
    iter_callback: Callable[[list[IterLog]], None] | None = None,
    check_derivatives: bool = False,
) -> tuple[np.ndarray, list[IterLog]]:
    """Minimize the norm of a residual, in a box if bounds are given.

    Args:
        x0: first guess, n numbers.
        residual: function of points, the columns of (n, k), that returns their residuals, (nr, k).
        bounds: lower and upper bounds, n numbers each.
        jacobian: function of a point (n, 1) and its residual that returns (nr, n); None takes
            finite differences.
        norm: what is minimized.
        eps: length of finite differences.
        mu_min, mu_max: least and largest regularizer; below the least it is zero.
        mu_factor: how much it grows at once.
        xtol: steps that are shorter, relative to the point, end the search.
        gtol: gradients that are shorter end it.
        max_iter: most iterations.
        verbose: what is printed.
        output: where to print; None: standard output.
        iter_callback: called with the log after each iteration.
        check_derivatives: compare the Jacobian, and derivatives of the norm, with differences.

    Returns:
        The best point, in the shape of x0, and the log of all iterations.

    Raises:
        ValueError: an argument is out of range, or derivatives are wrong.
    """
    start = time.perf_counter()
    if mu_factor <= 1:
        raise ValueError(f"least_squares: mu_factor={mu_factor}: expected more than 1")
    # the search works on a column inside the bounds
    x = np.array(x0, np.float64).reshape(-1, 1)
    box = None if bounds is None else _checked(bounds, x)
    if box is not None:
        x = np.clip(x, *box)
    if not np.isfinite(x).all():
        raise ValueError("least_squares: x0: expected finite numbers")
    level = Verbosity(verbose).value
    search = _Search(
        _Counted(residual), None if jacobian is None else _Counted(jacobian), norm, box,
        float(eps), _Regularizer(mu_min, mu_max, mu_factor), level, output, iter_callback,
    )  # fmt: skip
    x, status, iterations = search.run(x, xtol, gtol, max_iter, check_derivatives)
    _report(search, status, iterations, time.perf_counter() - start)
    return x.reshape(np.shape(x0)), search.trace


def _checked(bounds: Sequence[np.ndarray], x: np.ndarray) -> list[np.ndarray]:
    """Bounds as columns."""
    if len(bounds) != 2:
        raise ValueError(f"least_squares: bounds: {len(bounds)} arrays, expected 2")
    box = [np.asarray(bound, np.float64) for bound in bounds]
    if any(bound.size != x.size for bound in box):
        sizes = " and ".join(str(bound.size) for bound in box)
        raise ValueError(f"least_squares: bounds have {sizes} numbers, expected {x.size}")
    box = [bound.reshape(x.shape) for bound in box]
    if not np.isfinite(box).all():
        raise ValueError("least_squares: bounds: expected finite numbers")
    if not (box[0] < box[1]).all():
        raise ValueError("least_squares: bounds: expected lower ones below upper ones")
    return box


def _line(i: int, y: Any, mu: float, ratio: float, length: Any, reduction: Any) -> str:
    """Printed line of an iteration."""
    log = np.log10(mu) if mu > 0 else -np.inf
    return (
        f"iter: {i:<3d}  y: {y:<9.4g}  log10mu: {log:>4.1f}  ratio: {ratio:<7.2g}  "
        f"dx: {length:<7.2g}  reduction: {reduction:<7.2g}"
    )


def _report(search: _Search, status: Status, iterations: int, seconds: float) -> None:
    """Print how the search ended."""
    end = f"Terminated after {iterations} iterations: {_ENDS[status]} "
    end += f"y: {search.trace[-1].objective:<.4g}, Residual evals: {search.n_res}"
    if search.jacobian is not None:
        end += f", Jacobian evals: {search.jacobian.number}"
    search.say(end)
    if seconds > 0:
        unit, scale = ("s", 1) if seconds > 1 else ("ms", 1000)
        spent = f"total time {scale * seconds:<.1f}{unit}"
        spent += f" of which residual {100 * search.residual.seconds / seconds:<.1f}%"
        if search.jacobian is not None:
            spent += f" Jacobian {100 * search.jacobian.seconds / seconds:<.1f}%"
        search.say(spent)


def jacobian_fd(
    residual: Columns,
    x: np.ndarray,
    r: np.ndarray,
    eps: float,
    n_res: int,
    bounds: Sequence[np.ndarray] | None = None,
) -> tuple[np.ndarray, int]:
    """Jacobian by differences; within bounds away from the nearer half.

    Args:
        residual: function of points, the columns of (n, k).
        x: the point, (n, 1).
        r: its residual, (nr, 1).
        eps: length of a difference, relative to numbers above 1.
        n_res: how many residuals were computed so far.
        bounds: lower and upper bounds, (n, 1) each.

    Returns:
        The Jacobian, (nr, n), and `n_res` with those that this call computed.
    """
    signs = 1.0 if bounds is None else np.where(x > 0.5 * (bounds[0] + bounds[1]), -1.0, 1.0)
    # the difference that floating point numbers really have
    moved = x + signs * eps * np.maximum(1.0, np.abs(x))
    steps = (moved - x).ravel()
    return (residual(x + np.diag(steps)) - r) / steps, n_res + x.size


def check_jacobian(
    residual: Columns,
    x: np.ndarray,
    r: np.ndarray,
    jac: np.ndarray,
    eps: float,
    n_res: int,
    bounds: Sequence[np.ndarray] | None = None,
    output: TextIO | None = None,
    name: str | None = "Jacobian",
) -> int:
    """Compare a Jacobian with differences.

    Args:
        residual, x, r, eps, n_res, bounds: as in `jacobian_fd`.
        jac: the Jacobian, (nr, n).
        output: where to print that it matches.
        name: what to call it.

    Returns:
        `n_res` with the residuals that this call computed.

    Raises:
        ValueError: it does not match.
    """
    by_differences, n_res = jacobian_fd(residual, x, r, eps, n_res, bounds)
    size = np.abs(jac).sum() + np.abs(by_differences).sum() + 1e-8
    if (np.abs(jac - by_differences) > SAME * size).any():
        raise ValueError(
            f"User-provided {name} does not match finite differences to a relative tolerance "
            f"of {SAME:g}."
        )
    print(f"User-provided {name} matches finite differences.", file=output)
    return n_res


def check_norm(r: np.ndarray, norm: Norm, eps: float, output: TextIO | None = None) -> None:
    """Compare derivatives of a norm with differences, and see that its Hessian is one.

    Args:
        r: a residual, (nr, 1).
        norm: the norm.
        eps: length of differences.
        output: where to print that they match.

    Raises:
        ValueError: something is wrong with them.
    """
    eye = np.eye(r.size)
    grad, hess = norm.grad_hess(r, eye)
    if not np.allclose(hess, hess.T):
        raise ValueError("User-provided norm Hessian is not symmetric.")
    least = np.linalg.eigvals(hess).real.min()
    if least < 0:
        raise ValueError(
            "User-provided norm Hessian is not positive definite: "
            f"its smallest eigenvalue is {least:.4g}."
        )

    # the norm as a function of residuals that stand side by side
    def columns(function: Callable) -> Columns:
        return lambda rs: np.hstack([np.atleast_2d(function(c[:, None])) for c in rs.T])

    value = np.atleast_2d(norm.value(r))
    check_jacobian(columns(norm.value), r, value, grad.T, eps, 0, None, output, "norm gradient")
    gradients = columns(lambda r: norm.grad_hess(r, eye)[0])
    check_jacobian(gradients, r, grad, hess, eps, 0, None, output, "norm Hessian")
