"""Traced arrays: random expressions have numpy's bits when bytecode computes them."""

import numpy as np
import pytest

import mjenv
from mjenv import functions
from mjenv.engine.data.data import Data
from mjenv.engine.edit.compile import Model
from mjenv.engine.run.bytecode import Bytecode
from mjenv.tracing.arrays import DOUBLE, SINGLE, Recording, Traced, TraceError
from mjenv.tracing.assemble import Store, assemble
from mjenv.tracing.numpy_functions import constant

SIZE = 150  # numbers of a world


@pytest.fixture(scope="module")
def data():
    """Thirteen worlds that have 150 numbers as user data, in packs."""
    model = Model.from_xml_string(
        f'<mujoco><size nuserdata="{SIZE}"/><worldbody><body><joint type="slide"/>'
        '<geom size="1"/></body></worldbody></mujoco>'
    )
    return {width: Data(model, 13, keep=[], width=width) for width in (1, 8)}


def evaluate(data, function, numbers, dtype=DOUBLE):
    """What bytecode makes of a function of numbers (13, 150)."""
    recording = Recording()
    recording.begin("after")
    x = recording.field("userdata", (SIZE,), DOUBLE).astype(dtype)
    result = function(x)
    if not isinstance(result, Traced):
        result = constant(recording, np.asarray(result), np.shape(result))
    store = Store("after", 0, result.dtype, result.ids.reshape(-1))
    found = []
    for one in data.values():
        bytecode = Bytecode(one, assemble(recording, [store]), np.zeros((13, 0)))
        out = np.zeros((13, *result.shape), result.dtype)
        one.userdata[:] = numbers
        one.plan.set_bytecode(bytecode)
        bytecode.write_to(bytecode.places([out]))
        bytecode.choose(None, "after")
        mjenv.forward(one.model, one)
        one.plan.set_bytecode(None)
        found.append(out)
    assert found[0].tobytes() == found[1].tobytes()
    return found[0]


def numbers(seed):
    """Numbers of all sizes, with zeros of both signs, infinities and NaN."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((13, SIZE)) * 10.0 ** rng.integers(-3, 4, (13, SIZE))
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-310, 1e-42, 3e38, 1e300, 1.0, 2.0]
    x[:, : len(special)] = special
    return x


def same(a, b):
    """Assert that arrays have the same type, shape and bits, whatever NaN is made of."""
    assert (a.dtype, a.shape) == (b.dtype, b.shape)
    if a.dtype.kind == "f":
        assert np.array_equal(np.isnan(a), np.isnan(b))
        a, b = np.where(np.isnan(a), 0, a), np.where(np.isnan(b), 0, b)
    assert a.tobytes() == b.tobytes()


TABLE = np.random.default_rng(8).standard_normal(12)


def filled(y, x):
    """An array of its own, elements of which are assigned to."""
    y[..., 2], y[..., 5:8] = x[..., 7], 2.0 * x[..., :3]
    return y


FUNCTIONS = {
    "arithmetic": lambda x: (x[..., :50] + 2.5) * x[..., 50:100] - x[..., 100:] / 3.0,
    "backwards": lambda x: 1 / (2 - x[..., ::-1]),
    "square": lambda x: x**2 + np.square(x) - x**-1,
    "root": lambda x: np.sqrt(np.abs(x)) + x**0.5,
    "limits": lambda x: np.clip(x, -1.5, 2.0) + np.maximum(x, -0.3) + np.minimum(1, x),
    "choice": lambda x: np.where(x > 0, x, np.where(np.isnan(x), 7.0, -x)),
    "truth": lambda x: ((x < 1) & (x > -1)) | ~(x != 2) ^ np.isfinite(x),
    "signs": lambda x: np.sign(x) + np.floor(x) + np.ceil(x) + np.rint(x) - np.negative(x),
    "counts": lambda x: ((x > 0) * 3 + (x == 1)) - 2,
    "kinds": lambda x: np.isinf(x) | np.isnan(x) | np.logical_not(x),
    "sum": lambda x: x[..., 20:].sum(axis=-1),
    "short sum": lambda x: x[..., 20:27].sum(axis=-1) + np.add.reduce(x[..., 30:38], axis=-1),
    "sum of rows": lambda x: x[..., 22:142].reshape(*x.shape[:-1], 6, 20).sum(axis=-1),
    "sum across": lambda x: x[..., 22:142].reshape(*x.shape[:-1], 6, 20).sum(axis=-2),
    "sum kept": lambda x: x / x[..., 20:].sum(axis=-1, keepdims=True),
    "mean": lambda x: np.mean(x[..., 20:60], axis=-1),
    "norm": lambda x: np.linalg.norm(x[..., 20:30], axis=-1),
    "all": lambda x: np.all(x[..., 20:] < 500, axis=-1),
    "any": lambda x: np.any(x[..., 20:] > 2000, axis=-1),
    "extremes": lambda x: x[..., 20:].max(axis=-1) - np.min(x[..., 20:], axis=-1),
    "joined": lambda x: np.concatenate([x[..., :3] * 2, x[..., 140:], x[..., 5:6]], axis=-1),
    "stacked": lambda x: np.stack([x[..., 3], x[..., 7] * 2], axis=-1),
    "picked": lambda x: x[..., [5, 3, 140, 3]] * np.array([1.0, 2.0, 3.0, 4.0]),
    "outer": lambda x: x[..., :4, None] * x[..., None, 20:23],
    "sines": lambda x: functions.sin(x[..., 20:]) + functions.cos(x[..., 20:]),
    "others": lambda x: functions.exp(x) + functions.log(x) + functions.arctan2(x, x[..., ::-1]),
    "table": lambda x: functions.lookup(TABLE, np.floor(x * 3)) + x,
    "like": lambda x: np.ones_like(x) - np.zeros_like(x) + np.full_like(x, 0.1) * x,
    "filled": lambda x: filled(np.zeros_like(x), x),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(data, name):
    """Each function, in both precisions."""
    for seed, dtype in enumerate((DOUBLE, SINGLE)):
        x = numbers(seed)
        with np.errstate(all="ignore"):
            found = evaluate(data, FUNCTIONS[name], x, dtype)
            same(found, np.asarray(FUNCTIONS[name](x.astype(dtype))))


def expression(rng, x, depth):
    """A random function of x of the shape of x, as numpy or as bytecode computes it."""
    if depth == 0:
        start = int(rng.integers(0, 100))
        return x[..., start : start + 40]
    kind = rng.integers(0, 10)
    a = expression(rng, x, depth - 1)
    if kind < 5:
        b = expression(rng, x, depth - 1)
        return (np.add, np.subtract, np.multiply, np.divide, np.maximum)[kind](a, b)
    if kind == 5:
        return np.where(a > expression(rng, x, depth - 1), a, rng.standard_normal(40))
    if kind == 6:
        return np.minimum(a * float(rng.standard_normal()), 100)
    if kind == 7:
        return a - a.sum(axis=-1, keepdims=True)
    if kind == 8:
        return a.astype(np.float32) * 1.5
    return np.concatenate([a[..., 20:], a[..., :20]], axis=-1)


def test_random_expressions(data):
    """Deep expressions of everything at once."""
    for seed in range(25):
        x = np.random.default_rng(seed).standard_normal((13, SIZE))
        with np.errstate(all="ignore"):
            found = evaluate(data, lambda x, s=seed: expression(np.random.default_rng(s), x, 5), x)
            same(found, expression(np.random.default_rng(seed), x, 5))


MISTAKES = {
    "if": (lambda x: 1.0 if x[..., 0] > 0 else 0.0, "found `if`"),
    "unpacked": (lambda x: [*x[..., :2]], "found a loop over an array"),
    "first world": (lambda x: x[0], "counts from the axis of worlds"),
    "over worlds": (lambda x: x.sum(axis=0), "has to do with other worlds"),
    "over all": (lambda x: np.sum(x), "has to do with other worlds"),
    "joined worlds": (lambda x: np.concatenate([x, x]), "expected axis=-1"),
    "sine": (np.sin, "write mjenv.functions.sin"),
    "dot": (lambda x: x @ x, "write \\(x \\* y\\).sum"),
    "power": (lambda x: x**3, "whose bits depend on the processor"),
    "float": (lambda x: float(x[..., 0]), "found float of values"),
    "asarray": (np.asarray, "found numpy.asarray of values"),
    "written": (lambda x: x.__setitem__((..., 0), 1.0), "found an assignment"),
    "axes": (lambda x: x * x[..., 0], "expected as many axes"),
    "index": (lambda x: x[..., x[..., 0]], "found a computed index"),
    "method": (lambda x: x.argmax(axis=-1), "found .argmax"),
    "function": (lambda x: np.cumsum(x, axis=-1), "found numpy.cumsum"),
    "picked sum": (lambda x: x[..., list(range(9))].sum(axis=-1), "numpy chooses"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name):
    """What bytecode cannot do is refused, with advice."""
    recording = Recording()
    recording.begin("after")
    function, message = MISTAKES[name]
    with pytest.raises(TraceError, match=message):
        function(recording.field("userdata", (SIZE,), DOUBLE))


def test_tables():
    """Ends count for what is beyond them, and a table is a list of numbers."""
    table = np.array([1.5, 2.5, 3.5])
    index = np.array([-np.inf, -1.0, 0.0, 1.0, 2.0, 7.0, np.nan])
    same(functions.lookup(table, index), np.array([1.5, 1.5, 1.5, 2.5, 3.5, 3.5, 1.5]))
    for wrong in (table.reshape(1, 3), []):
        with pytest.raises(ValueError, match=r"lookup: found a table of shape .*, expected \(n,\)"):
            functions.lookup(wrong, index)
