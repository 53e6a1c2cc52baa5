"""Primitives and elementary functions: the same bits compiled, in every width, and interpreted."""

import ctypes
import types
from functools import partial

import numpy as np
import pytest

from mjenv.engine.pipeline.layouts import DATA_LAYOUT, MODEL_LAYOUT, PLAN_LAYOUT
from mjenv.engine.simd import kernel, lanes
from mjenv.engine.simd.elementary import acos, asin, atan2, cos, exp, log, power, sin, sincos
from mjenv.engine.simd.kernel import kernel as mark
from mjenv.engine.simd.lanes import (
    absolute,
    add_block,
    call_fill,
    call_stage,
    exponent,
    floor,
    fma,
    get_lane,
    ints_at,
    lane_all,
    lane_any,
    load3,
    load4,
    load6,
    load9,
    load10,
    longs_at,
    mask_not,
    next_pack,
    reals_at,
    record_word,
    rint,
    rotate_right,
    scale2,
    select,
    set_lane,
    sqrt,
    store,
    wrapping_multiply_add,
    zero_like,
)
from mjenv.engine.simd.record import Layout, Record, aligned_zeros
from tests.engine.simd import test_strips
from tests.engine.simd.test_single import everything

WORLDS, WIDTHS = 8, (1, 4, 8)
MODEL = Layout("m", [("n", "size"), ("mass", "f8"), ("half", "f4"), ("link", "i4"), ("bit", "u1")])
DATA = Layout("d", [("x", "f8"), ("y", "f8"), ("z", "f8"), ("out", "f8"), ("width", "size")])
NOUT = 40


# ---------------------------------------------------------------- kernels


@mark
def arithmetic(m, d):
    """Operators and functions of reals."""
    for i in range(m.n):
        x, y, z, o = d.x[i], d.y[i], d.z[i], NOUT * i
        d.out[o], d.out[o + 1], d.out[o + 2], d.out[o + 3] = x + y, x - y, x * y, x / y
        d.out[o + 4], d.out[o + 5] = -x, x * 2 + 1
        d.out[o + 6], d.out[o + 7] = sqrt(x), absolute(x)
        d.out[o + 8], d.out[o + 9] = floor(x), rint(x)
        d.out[o + 10], d.out[o + 11] = fma(x, y, z), fma(x, 0.1, z)
        d.out[o + 12] = fma(x, y, -(x * y))
        d.out[o + 13] = exponent(z)
        d.out[o + 14], d.out[o + 15] = scale2(x, floor(z)), scale2(x, 0.0 * z - 1022.0)
        d.out[o + 16] = m.mass[i] * x + m.half[i]
        d.out[o + 17] = zero_like(d.x) + m.link[i] + m.bit[i]


@mark
def masks(m, d):
    """Comparisons, masks and choices."""
    for i in range(m.n):
        x, y, z, o = d.x[i], d.y[i], d.z[i], NOUT * i
        zero = zero_like(d.x)
        d.out[o], d.out[o + 1] = select(x < y, x, y), select(x <= y, 1.0, 0.0) + zero
        d.out[o + 2], d.out[o + 3] = select(x > y, x, 2.0), select(x >= y, 3.0, y)
        d.out[o + 4], d.out[o + 5] = select(x == y, 1.0, z), select(x != y, 1.0, z)
        d.out[o + 6] = select((x < y) & (y < z), x, z)
        d.out[o + 7] = select((x < y) | (y < z), x, z)
        d.out[o + 8] = select(mask_not(x < y), x, z)
        d.out[o + 9] = select(i > 2, x, z)


@mark
def reductions(m, d):
    """What is asked of all lanes."""
    for i in range(m.n):
        mask = d.x[i] < d.y[i]
        d.out[2 * i] = zero_like(d.x) + (1.0 if lane_any(mask) else 0.0)
        d.out[2 * i + 1] = zero_like(d.x) + (1.0 if lane_all(mask) else 0.0)


@mark
def blocks(m, d):
    """Blocks and single lanes."""
    for i in range(m.n):
        x3, x4, x6 = load3(d.x, i), load4(d.x, i), load6(d.x, i)
        x9, x10 = load9(d.x, i), load10(d.x, i)
        store(d.out, i, (x10[9], x9[8], x6[5], x4[3], x3[2], x10[0], x9[0], x6[0], x4[0], x3[0]))
        add_block(d.out, i, x10)
        store(d.out, m.n + i, load10(d.out, i))
        d.out[10 * (m.n + i) + 3] = d.out[10 * (m.n + i) + 3] + d.y[i]
        for lane in range(d.width):
            set_lane(d.out, 10 * (m.n + i) + 4, lane, 2.0 * get_lane(d.x, i, lane) + m.link[i])


@mark
def elementary(m, d):
    """Every function of `elementary`, for any argument in y and a proper one in x and z."""
    for i in range(m.n):
        angle, unit, positive, o = d.y[i], d.x[i], d.z[i], 12 * i
        d.out[o], d.out[o + 1] = sincos(angle)
        d.out[o + 2], d.out[o + 3] = sin(angle), cos(angle)
        d.out[o + 4] = atan2(angle, unit)
        d.out[o + 5], d.out[o + 6] = asin(unit), acos(unit)
        d.out[o + 7], d.out[o + 8] = exp(angle), exp(100.0 * unit)
        d.out[o + 9] = log(positive)
        d.out[o + 10], d.out[o + 11] = power(positive, 5.0 * unit), power(positive, 2.0)


COUNTER = Layout(
    "c", [("next", "i8"), ("memory", "i8"), ("stage", "i8"), ("out", "f8"), ("n", "size")]
)


@mark
def double(m, d):
    """A stage to call."""
    for i in range(m.n):
        d.out[i] = 2.0 * d.out[i]


@mark
def linking(m, d):
    """Counters, memory at an address, slots of a record, and stages by address."""
    first = next_pack(d.next)
    d.out[0] = 1.0 * first + 10.0 * next_pack(d.next)
    reals, ints, longs = reals_at(d.memory[0]), ints_at(d.memory[1]), longs_at(d.memory[2])
    d.out[1] = reals[1] + ints[2]
    reals[0] = 7.0
    ints[0] = 8
    longs[1] = longs[0] + 1
    d.out[2] = 1.0 * record_word(d, 4)
    call_stage(d.stage[0], m, d)


@mark
def filling(m, d):
    """A function in C by its address."""
    call_fill(d.next[0], 0, d.n, record_word(d, 3))


WORDS = Layout("w", [("seed", "i8"), ("turn", "i8"), ("out", "i8"), ("n", "size")])


@mark
def words(m, d):
    """Whole numbers of 64 bits, and words of 32."""
    for i in range(m.n):
        d.out[2 * i] = wrapping_multiply_add(d.seed[i], d.seed[i + 1], d.turn[i])
        d.out[2 * i + 1] = rotate_right(d.seed[i], d.turn[i])


# ---------------------------------------------------------------- running them


def records(arrays: dict, width: int, worlds: slice, nout: int):
    """Records of a model and of one pack."""
    n = len(arrays["x"])
    m, d = Record(MODEL), Record(DATA, width)
    m.set_size("n", arrays.get("n", n))
    m.set_array("mass", np.linspace(0.1, 3.0, n))
    m.set_array("half", np.linspace(0.1, 3.0, n).astype(np.float32))
    m.set_array("link", np.arange(n, dtype=np.int32) - 3)
    m.set_array("bit", (np.arange(n) % 251).astype(np.uint8))
    d.set_size("width", width)
    for name in ("x", "y", "z", "out"):
        rows = np.zeros((nout, width)) if name == "out" else arrays[name][:, worlds]
        array = aligned_zeros(rows.shape if width > 1 else (len(rows),))
        array[...] = rows if width > 1 else rows[:, 0]
        d.set_array(name, array)
    return m, d


def run(function, arrays: dict, nout: int, width: int, compiled: bool) -> np.ndarray:
    """Output for all worlds, (nout, WORLDS)."""
    found = np.empty((nout, WORLDS))
    if compiled:
        entry = kernel.address(function, (MODEL, 0, True), (DATA, width, False))
        call = kernel.callable_at(entry, 2)
    for start in range(0, WORLDS, width):
        worlds = slice(start, start + width)
        m, d = records(arrays, width, worlds, nout)
        if compiled:
            call(m.address, d.address)
        else:
            with np.errstate(all="ignore"):
                function(m, d)
        found[:, worlds] = d.arrays["out"].reshape(nout, width)
    return found


def assert_same_bits(found, expected) -> None:
    bits = [np.where(np.isnan(a), np.nan, a).view(np.int64) for a in (found, expected)]
    wrong = np.argwhere(bits[0] != bits[1])
    assert len(wrong) == 0, (wrong[0], *(a[tuple(wrong[0])] for a in (found, expected)))


def compare(function, arrays: dict, nout: int) -> np.ndarray:
    """Run a kernel in every way, and return what all agree on."""
    expected = run(function, arrays, nout, 8, compiled=False)
    assert_same_bits(run(function, arrays, nout, 1, compiled=False), expected)
    for width in WIDTHS:
        assert_same_bits(run(function, arrays, nout, width, compiled=True), expected)
    return expected


EDGES = np.array(
    [
        0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, np.inf, -np.inf, np.nan, 1e-310, -1e-310,
        5e-324, 1e308, -1e308, 1e-200, 1e200, 0.1, 2251799813685249.5, 2.0**52,
    ]
)  # fmt: skip


def inputs(n: int) -> dict:
    """Random numbers among edge cases; z is normal and positive."""
    rng = np.random.default_rng(3)
    arrays = {name: rng.normal(size=(n, WORLDS)) * 10.0 for name in ("x", "y")}
    for array in arrays.values():
        edge = rng.random(array.shape) < 0.4
        array[edge] = rng.choice(EDGES, edge.sum())
    arrays["y"] = np.where(rng.random((n, WORLDS)) < 0.1, arrays["x"], arrays["y"])
    arrays["z"] = np.exp(rng.uniform(-6, 6, (n, WORLDS)))
    return arrays


# ---------------------------------------------------------------- tests


def test_arithmetic():
    compare(arithmetic, inputs(60), 60 * NOUT)


def test_masks():
    compare(masks, inputs(60), 60 * NOUT)


def test_blocks():
    arrays = inputs(60)
    arrays["n"] = 6
    out = compare(blocks, arrays, 120)
    assert_same_bits(out[0], arrays["x"][9] + arrays["x"][0])


@pytest.mark.parametrize("width", WIDTHS)
def test_reductions(width):
    """These depend on the lanes of a pack by their nature."""
    arrays = inputs(40)
    arrays["y"][:10] = np.inf
    arrays["x"][:10] = 1.0
    found = run(reductions, arrays, 80, width, compiled=True)
    assert_same_bits(found, run(reductions, arrays, 80, width, compiled=False))
    mask = (arrays["x"] < arrays["y"]).reshape(40, -1, width)
    assert np.array_equal(found[0::2, ::width] > 0, mask.any(axis=2))
    assert np.array_equal(found[1::2, ::width] > 0, mask.all(axis=2))


@pytest.mark.parametrize("disabled", ["0", "1"], ids=["compiled", "interpreted"])
def test_linking(disabled, monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", disabled)
    m, d = Record(MODEL), Record(COUNTER)
    m.set_size("n", 3)
    d.set_size("n", 42)
    reals, ints = np.arange(3.0), np.arange(3, dtype=np.int32)
    longs = np.array([1 << 40, 0])
    types_ = (MODEL, 0, True), (COUNTER, 1, False)
    d.set_array("next", np.array([5]))
    d.set_array("memory", np.array([array.ctypes.data for array in (reals, ints, longs)]))
    d.set_array("stage", np.array([kernel.address(double, *types_)]))
    d.set_array("out", aligned_zeros((3,)))
    kernel.call_of(linking, types_, (m, d))()
    assert d.arrays["next"].tolist() == [7]
    assert d.arrays["out"].tolist() == [2 * 65.0, 2 * 3.0, 2 * 42.0]
    assert (reals[0], ints[0], longs[1]) == (7.0, 8, (1 << 40) + 1)
    assert next_pack(d.next) == 7
    assert record_word(d, 4) == 42
    with pytest.raises(RuntimeError, match="call_stage: found the address 0"):
        call_stage(0, m, d)


def test_functions_in_c():
    """They are given a source, how many numbers to write, and where."""
    given = []

    def fill(source, n, place):
        given.append((source, n))
        reals_at(place)[n - 1] = 3.5

    words = ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_void_p
    function = ctypes.CFUNCTYPE(None, *words)(fill)
    d = Record(COUNTER)
    d.set_size("n", 2)
    d.set_array("next", np.array([ctypes.cast(function, ctypes.c_void_p).value]))
    d.set_array("out", np.zeros(3))
    kinds = ((COUNTER, 1, False),) * 2
    for call in (kernel.call_of(filling, kinds, (d, d)), partial(filling, d, d)):
        d.arrays["out"][:] = 0.0
        call()
        assert d.arrays["out"].tolist() == [0.0, 3.5, 0.0]
    assert given == [(None, 2)] * 2


def test_words():
    n, rng = 64, np.random.default_rng(0)
    seed = rng.integers(-(2**63), 2**63, n + 1, dtype=np.int64)
    seed[:3] = -(2**63), 2**63 - 1, -1
    turn = np.arange(n, dtype=np.int64) % 32
    found = []
    for compiled in (False, True):
        d = Record(WORDS)
        d.set_size("n", n)
        for name, array in (("seed", seed), ("turn", turn), ("out", np.zeros(2 * n, np.int64))):
            d.set_array(name, array)
        kernel.call_of(words, ((WORDS, 0, False),) * 2, (d, d))() if compiled else words(d, d)
        found.append(d.arrays["out"].reshape(n, 2))
    assert (found[0] == found[1]).all()
    for i, (product, word) in enumerate(found[0].tolist()):
        exact = int(seed[i]) * int(seed[i + 1]) + i % 32
        assert (product - exact) % 2**64 == 0
        bits = f"{int(seed[i]) % 2**32:032b}"
        assert word == int(bits[32 - i % 32 :] + bits[: 32 - i % 32], 2)


def test_every_primitive_is_run():
    """`load` is what the interpreted blocks are made of, kernels do not name it."""
    primitives = {n for n, f in vars(lanes).items() if isinstance(f, types.FunctionType)}
    entries = (arithmetic, masks, reductions, blocks, linking, filling, words, everything)
    entries += test_strips.move, test_strips.turn
    named = {name for function in entries for name in function.__code__.co_names}
    assert {n for n in primitives if not n.startswith("_")} - named == {"load"}


def test_fma_rounds_once():
    assert fma(0.1, 10.0, -1.0) == 2.0**-54
    assert fma(1e300, 1e300, -1.0) == np.inf
    assert fma(-1e300, 1e300, 1.0) == -np.inf
    assert str(fma(-0.0, 1.0, -0.0)) == "-0.0"
    assert str(fma(1.0, -1.0, 1.0)) == "0.0"
    assert str(fma(-1e-200, 1e-200, 0.0)) == "-0.0"


def test_records_have_no_field_under_the_name_of_their_own():
    own = set(dir(Record(MODEL)))
    for layout in (MODEL_LAYOUT, DATA_LAYOUT, PLAN_LAYOUT):
        assert not own.intersection(layout.entries), layout.name


# ---------------------------------------------------------------- elementary functions


def arguments(n: int) -> dict:
    """x in -1..1, y an angle or exponent, z positive; each with its edges."""
    rng = np.random.default_rng(5)
    x = rng.uniform(-1, 1, (n, WORLDS))
    y = np.where(
        rng.random(x.shape) < 0.5, rng.normal(size=x.shape), rng.uniform(-300, 300, x.shape)
    )
    z = np.exp(rng.uniform(-3, 3, x.shape))
    x[0], x[1] = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1e-9, -1e-300], np.nextafter(1.0, 0.0)
    y[0] = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-300, -5e-324, 800.0]
    y[1] = [-800.0, 709.0, -740.0, 1e5, -1e5, np.pi, np.pi / 2, -np.pi]
    z[0], z[1] = [1.0, 0.5, 2.0, 1e-290, 1e300, np.nextafter(1.0, 0.0), 1.0 + 2**-52, 1e-8], 1.0
    return {"x": x, "y": y, "z": z}


@pytest.mark.slow
def test_elementary_functions_have_the_same_bits():
    compare(elementary, arguments(24), 24 * 12)


def ulp(found, exact) -> float:
    """Largest error in units of the last place of the result."""
    spacing = np.spacing(np.abs(exact.astype(np.float64)))
    return float(np.max(np.abs(found.astype(np.longdouble) - exact) / spacing))


def test_accuracy():
    arrays = arguments(4000)
    out = run(elementary, arrays, 4000 * 12, 8, compiled=True).reshape(4000, 12, WORLDS)[2:]
    x, y, z = (arrays[name][2:].astype(np.longdouble) for name in "xyz")
    exact = {
        2: np.sin(y), 3: np.cos(y), 4: np.arctan2(y, x), 5: np.arcsin(x), 6: np.arccos(x),
        7: np.exp(y), 8: np.exp((100.0 * arrays["x"][2:]).astype(np.longdouble)), 9: np.log(z),
    }  # fmt: skip
    errors = {k: ulp(out[:, k], value) for k, value in exact.items()}
    assert max(errors.values()) <= 2.0, errors
    five = (5.0 * arrays["x"][2:]).astype(np.longdouble)
    assert ulp(out[:, 10], z**five) <= 40.0
    assert ulp(out[:, 11], z * z) <= 40.0
    assert np.array_equal(out[:, :2], out[:, 2:4])


def test_values_at_edges():
    """What callers count on; plain floats run the interpreted form."""
    with np.errstate(all="ignore"):
        assert sincos(0.0) == (0.0, 1.0)
        assert sincos(np.float64(np.pi / 2)) == (1.0, 6.123233995736766e-17)
        assert all(np.isnan(f(v)) for f in (sin, cos) for v in (np.inf, -np.inf, np.nan))
        assert atan2(0.0, 0.0) == 0.0
        assert atan2(0.0, -1.0) == np.pi
        assert (atan2(1.0, 0.0), atan2(-1.0, 0.0)) == (np.pi / 2, -np.pi / 2)
        assert (asin(1.0), asin(-1.0), asin(0.0)) == (np.pi / 2, -np.pi / 2, 0.0)
        assert (acos(1.0), acos(-1.0)) == (0.0, np.pi)
        assert (exp(0.0), exp(np.inf), exp(-np.inf), exp(710.0)) == (1.0, np.inf, 0.0, np.inf)
        assert np.isnan(exp(np.nan))
        assert (exp(-745.1), exp(-746.0), exp(-1000.0)) == (5e-324, 0.0, 0.0)
        assert np.isfinite(exp(709.78))
        assert log(1.0) == 0.0
        assert (power(0.0, 0.0), power(0.0, 2.0), power(1.0, 9.0)) == (1.0, 0.0, 1.0)
        assert power(3.0, 0.0) == 1.0
