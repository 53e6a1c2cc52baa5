"""Numpy's functions that are made of others: in a step they give what numpy gives."""

import math
from collections import deque
from dataclasses import dataclass

import numpy as np
import pytest

from mjenv.porting.checking import check
from mjenv.porting.porting import report
from mjenv.porting.symbols.composed_functions import TRAPEZOID
from tests.mjenv.porting.environments import environment, plain

EDGES = [-0.1, 0.0, 0.05, 0.3]


def ordered(x):
    # of equal numbers, numpy says differently on different processors which comes first
    x = x + 1e-4 * np.arange(6.0)
    wide = np.stack([x, x[::-1] * 1.5])
    return [
        np.sort(x), np.argsort(x), np.sort(wide, axis=0), np.argsort(wide), np.sort(wide, None),
        np.median(x), np.median(wide, axis=0), np.quantile(x, [0.1, 0.5, 0.8]),
        np.percentile(wide, 30, axis=1, keepdims=True), np.ptp(x), np.ptp(wide, axis=0),
        np.median(x, keepdims=True),
    ]  # fmt: skip


def along(x):
    wide = np.stack([x, x[::-1] * 1.5])
    return [
        np.cumsum(x), np.cumsum(wide, axis=0), np.cumprod(1.0 + x), np.unwrap(40.0 * x),
        np.unwrap(9.0 * wide, axis=0, period=2.0), np.gradient(x), np.gradient(x, 0.1),
        TRAPEZOID(x), TRAPEZOID(wide, dx=0.5), TRAPEZOID(x, 2.0 * np.arange(6.0)),
        np.convolve(x, [1.0, 2.0, -1.0]), np.convolve(x, [1.0, 2.0, -1.0], "same"),
        np.convolve([1.0, 2.0], x, "valid"), np.diff(x, n=2), np.diff(wide, 2, axis=0)[:0],
        np.diff(x, n=0), np.apply_along_axis(np.max, 1, wide),
    ]  # fmt: skip


def of_numbers(x):
    holed = np.where(x > 0.0, x, np.nan)
    return [
        np.polyval([1.0, -2.0, 0.5], x), np.polyval(x[:3], 0.5), np.sinc(x), np.digitize(x, EDGES),
        np.digitize(x, EDGES, right=True), np.searchsorted(EDGES, x[0]),
        np.searchsorted(EDGES, x, side="right"), np.linspace(0.0, x[0], 5),
        np.linspace(x[0], x[1], 4, endpoint=False), np.heaviside(x, 0.5), np.copysign(2.0, x),
        np.fmod(x, 0.03), np.logaddexp(x, 1.0), *divmod(x[0], 0.1), math.copysign(1.0, x[1]),
        np.select([x > 0.05, x < -0.05], [1.0, x], 3.0), np.nansum(holed), np.nan_to_num(holed),
        np.nanmax(np.append(holed, 0.5)), np.nanmin(np.append(holed, 0.5)),
        np.nanmean(np.append(holed, 0.5)), np.interp(x, [-0.1, 0.0, 0.05], [1.0, -1.0, 2.0]),
        np.interp(x[0], np.sort(x[1:4]), x[3:], left=7.0), np.interp(x, EDGES, EDGES, right=-1.0),
    ]  # fmt: skip


def matrices(x):
    m = np.outer(x[:3], x[3:]) + np.eye(3)
    return [
        np.kron(x[:2], [1.0, 2.0]), np.kron(m, np.ones((2, 2))), np.triu(m), np.tril(m, -1),
        np.diag(x[:3]), np.diag(m, 1), np.diag(x[:2], -1), np.linalg.cholesky(m @ m.T),
        np.tensordot(m, x[:3], axes=1), np.linalg.multi_dot([x[:3], m, m.T]),
        np.cross([1.0, 0.0, 0.0], [0.0, x[0], 1.0]),
    ]  # fmt: skip


def elsewhere(x):
    return [
        np.pad(x, 2), np.pad(x, (1, 0), constant_values=3.0), np.pad(x, 1, mode="edge"),
        np.pad(x[:4].reshape(2, 2), ((1, 0), (0, 2))), np.insert(x, 1, 5.0), np.full_like(x, x[0]),
        np.insert(x, [0, 2], x[:2]), *np.meshgrid(x[:2], [1.0, 2.0]), np.r_[x, 1.0, x[0]],
        np.c_[x, x], np.vectorize(lambda one: one * one + 1.0)(x), np.minimum.reduce(x),
        np.add.reduce(x), np.array(EDGES)[np.argmax(x[:4])], EDGES[np.argmin(x[:4])],
    ]  # fmt: skip


def computing(of):
    """An environment whose rewards are of all numbers that a function computes."""

    def step(self, action):
        self.data.ctrl[:] = action
        self.physics()
        x = np.concatenate([self.data.qpos, self.data.qvel, self.data.qpos * self.data.qvel])
        found = np.concatenate([np.ravel(one) for one in of(x)])
        return plain(self, action, float(np.sum(found * np.sqrt(2.0 + np.arange(found.size)))))

    return environment(step)


@pytest.mark.parametrize("of", [ordered, along, of_numbers, matrices, elsewhere])
def test_functions_of_values(of):
    assert check(computing(of), 3, 12, way="traced").first == ""


def many_sorted(x):
    return [np.sort(np.tile(x, 10))]


def falling_edges(x):
    return [np.digitize(x, EDGES[::-1])]


def of_ranges(x):
    return [np.r_[x, 0:3]]


@pytest.mark.parametrize(
    ("of", "words"),
    [
        (many_sorted, "found 60 elements sorted, expected at most 32"),
        (falling_edges, "edges that fall"),
        (of_ranges, "numpy.r_ of ranges and values"),
    ],
)
def test_what_is_refused_is_said(of, words):
    assert words in report(computing(of)).reason


# what steps keep of the past, in the forms that are usual


@dataclass
class State:
    """What an environment keeps in an object."""

    place: np.ndarray
    count: int = 0


def keeps_a_queue(self):
    self.past = deque([np.zeros(2)] * 3, maxlen=3)
    self.state, self.best = State(np.zeros(2)), {"place": -np.inf}


def of_the_past(self, action):
    self.data.ctrl[:] = action
    self.physics()
    self.past.append(self.observed())
    self.state = State(self.observed(), self.state.count + 1)
    self.best["place"] = max(self.best["place"], self.data.qpos[0])
    reward = np.concatenate(self.past) @ np.arange(6.0) + self.state.place[0] * self.state.count
    return plain(self, action, float(reward + self.best["place"]))


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_queues_objects_and_records_of_the_past():
    made = environment(of_the_past, keeps_a_queue)
    assert check(made, 3, 20, way="traced").first == ""
