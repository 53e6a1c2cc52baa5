"""What values are to Python: types, texts, keys, copies; what is not known is refused."""

import logging
import math
import numbers
from collections import Counter, deque

import numpy as np
import pytest

from mjenv.porting.checking import check
from mjenv.porting.porting import report
from mjenv.porting.vector import PortedVectorEnv
from tests.mjenv.porting.environments import environment, plain

LOG = logging.getLogger(__name__)


def computing(of):
    """An environment whose rewards are of all numbers that a function of itself computes."""

    def step(self, action):
        self.data.ctrl[:] = action
        self.count += 1
        self.physics()
        found = np.concatenate([np.ravel(one) for one in of(self, self.data.qpos, self.count)])
        return plain(self, action, float(np.sum(found * np.sqrt(2.0 + np.arange(found.size)))))

    return environment(step)


def types(self, q, k):
    x = q[0]
    return [
        isinstance(x, float), isinstance(x, (int, float)), isinstance(x, np.floating),
        isinstance(x, np.ndarray), isinstance(q, np.ndarray), isinstance(int(x), int),
        isinstance(x, numbers.Real), isinstance(x > 0, bool), isinstance(bool(x > 0), int),
        isinstance(k, (int, np.integer)), isinstance(np.argmax(q), int), np.isscalar(x),
        np.isscalar(q), hasattr(x, "__len__"), hasattr(float(x), "shape"), type(float(x)) is float,
        type(x) is float, type(self.model.nq) is int, type(bool(x > 0)) in (bool, int),
        {float: 1.0, int: 2.0}[type(float(x))], isinstance(int, type),
    ]  # fmt: skip


def of_math(self, q, k):
    x = float(q[0])
    return [
        math.isclose(1.0 + 1e-7 * x, 1.0), math.isclose(x, 0.0, abs_tol=0.05), math.hypot(x, 1, x),
        math.remainder(5.0 + x, 2 * math.pi), math.log(x * x + 1, 2), math.dist(q, [1, 2]),
        [1.0, 2.0, 3.0][round(abs(20 * x)) % 3], EDGES[math.floor(abs(x)) % 3], math.ceil(9 * x),
        math.trunc(-9 * x), round(x, 1), math.pow(2, x), math.fmod(9 * x, 0.3), sqrt(x * x),
    ]  # fmt: skip


EDGES, sqrt = (1.0, 2.0, 3.0), math.sqrt


def phases(self, q, k):
    t = k * 0.02
    return [
        t % 0.08 < 0.04, t // 0.04, (t % 0.08) / 0.08, divmod(t, 0.06), 2.0**k, (-1) ** k, 0.5**k,
        np.mod(k, np.array([3, 4])), (k - 9) // 2, -k % 3,
    ]  # fmt: skip


def views(self, q, k):
    goal = np.asarray(self.goal, dtype=np.float64)
    goal += q
    c = q.astype(float, copy=False)[:] + 0
    z = np.zeros(())
    w = z
    z += q[0]
    np.add(z, 1.0, out=z)
    before = self.data.joint("x").qpos.item()
    number = np.asarray(q[0])
    number += 1
    np.clip(c, None, None)[0] = 9.0
    filled = np.nan_to_num(c, copy=False)
    filled += 1
    counted = np.zeros(2, int)
    counted[0] = k
    self.data.qpos[0] += 0.001
    m = self.data.site("front").xmat.reshape(3, 3)
    return [
        self.goal, w, before, number, c, q[0], counted, m.flatten("F"), m.ravel(order="F"),
        m.reshape((9, 1), order="F"), np.full(2, 10 * q[0] + 3.7, dtype=int), np.array(q, ndmin=2),
        q.std(), m.trace(), m.argmax(), m.repeat(2), m.cumsum(), m.take([0, 4]),
    ]  # fmt: skip


def keys(self, q, k):
    words = {True: 1.0, False: 2.0}
    wide = np.full(2, 2**31 - 4, np.int32) + np.int32(k)
    ends = deque([q[0], 2.0])
    return [
        len({bool(x > 0) for x in q}), words.get(bool(q[0] > 0), 5.0), wide, np.array(ends),
        Counter(bool(x > 0) for x in q)[True], {"True": 1.0}.get(str(bool(q[0] > 0)), 2.0),
        len(f"{np.zeros(2)[0]:.3f}"), len(str(np.ones(3))), np.mean(ends), [0.0] * int(np.int64(2)),
    ]  # fmt: skip


def messages(self, q, k):
    if not -9.0 < q[0] < 9.0:
        raise ValueError(f"found {q[0]:.2f}")
    assert q[1] < 100.0, f"found {q}"
    if q[0] > 50.0:
        message = f"q = {q[0]}"
        raise ValueError(message)
    LOG.debug(f"found {q[0]:.1f}")
    LOG.debug("found %s", q[0])
    return [q]


@pytest.mark.parametrize("of", [types, of_math, phases, views, keys, messages])
def test_values_are_what_numbers_are(of):
    assert check(computing(of), 3, 12, way="traced").first == ""


def caught(function):
    def of(self, q, k):
        try:
            return [function(q)]
        except (ZeroDivisionError, ValueError):
            return [-1.0]

    return of


REFUSED = {
    "a text": lambda self, q, k: [len(f"{q[0]:.2f}")],
    "a key": lambda self, q, k: [np.sign(q[0]) in {-1.0}],
    "isinstance of a number": lambda self, q, k: [isinstance(float(q[0]) + k, np.floating)],
    "type of a number": lambda self, q, k: [type(float(q[0]) + 1.0) is float],
    "the length of a list": lambda self, q, k: [[0] * k],
    "type float16": lambda self, q, k: [np.sin((k * q).astype(np.int8))],
    "`except ZeroDivisionError`": caught(lambda q: 1.0 / float(int(q[0] * 2))),
    "`except` of an error": caught(lambda q: math.sqrt(q[0])),
    "order='K'": lambda self, q, k: [q.ravel("K")],
    "a whole number to the power": lambda self, q, k: [3**k],
    ".flat of an array": lambda self, q, k: flat(q),
}  # fmt: skip


def flat(q):
    m = np.stack([q, q])
    m.T.flat[1] = 3.0
    return [m]


@pytest.mark.parametrize("words", REFUSED)
def test_what_is_not_known_is_refused(words):
    assert words in report(computing(REFUSED[words])).reason


def test_a_number_of_none_is_an_error_of_the_worlds_that_get_there():
    def step(self, action):
        self.data.ctrl[:] = action
        self.count += 1
        self.physics()
        value = None if self.count >= 60 else self.data.qpos[0]
        return plain(self, action, float(value))

    envs = PortedVectorEnv(environment(step), 2, way="traced")
    envs.reset(seed=0)
    for _ in range(59):
        envs.step(np.zeros((2, 1), np.float32))
    with pytest.raises(TypeError, match="of None"):
        envs.step(np.zeros((2, 1), np.float32))
