"""Functions with kernels of their own give MuJoCo's numbers, in machine code and before it."""

import copy

import mujoco as reference
import numpy as np
import pytest

import mjenv.mujoco as mujoco
from mjenv.mujoco.structs.calls import OF_DATA, OF_MODEL
from tests.mjenv.mujoco.scenes import compiled


def arguments(m, name, random):
    """Arguments behind the model and the data."""
    point, (first, second) = random.normal(size=3), np.zeros((2, 3, m.nv))
    vector, body = random.normal(size=m.nv), int(random.integers(1, m.nbody))
    qpos = random.normal(size=(2, m.nq))
    return {
        "mj_jac": (first, second, point, body),
        "mj_jacDot": (first, second, point, body),
        "mj_jacBody": (first, second, body),
        "mj_jacBodyCom": (first, None, body),
        "mj_jacGeom": (None, second, body % m.ngeom),
        "mj_jacSite": (first, second, body % max(m.nsite, 1)),
        "mj_jacSubtreeCom": (first, body),
        "mj_angmomMat": (first, body),
        "mj_mulM": (np.zeros(m.nv), vector),
        "mj_mulM2": (np.zeros(m.nv), vector),
        "mj_solveM": (np.zeros((2, m.nv)), random.normal(size=(2, m.nv))),
        "mj_fullM": (np.zeros((m.nv, m.nv)), random.normal(size=m.nM)),
        "mj_differentiatePos": (np.zeros(m.nv), 0.3, *qpos),
        "mj_integratePos": (qpos[0], vector, 0.3),
        "mj_normalizeQuat": (qpos[0],),
    }[name]


@pytest.fixture(scope="module")
def both():
    pairs = [compiled(lib, "everything") for lib in (mujoco, reference)]
    for m, d in pairs:
        d.qvel[:] = np.linspace(-1, 1, m.nv)
        (mujoco if isinstance(m, mujoco.MjModel) else reference).mj_forward(m, d)
    return pairs


@pytest.mark.parametrize("name", [*OF_DATA, *OF_MODEL])
def test_numbers_are_those_of_the_reference(both, name):
    (m, d), (their_m, their_d) = both
    for seed in range(4):
        random, again = (np.random.default_rng(seed) for _ in range(2))
        mine, theirs = arguments(m, name, random), arguments(m, name, again)
        of = (d,) if name in OF_DATA else ()
        their_of = (their_d,) if name in OF_DATA else ()
        assert getattr(mujoco, name)(m, *of, *mine) is None
        getattr(reference, name)(their_m, *their_of, *theirs)
        for one, other in zip(mine, theirs, strict=True):
            if isinstance(one, np.ndarray):
                np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("name", [*OF_DATA, *OF_MODEL])
def test_a_call_that_is_bound_gives_the_bits_of_the_first_one(both, name):
    m, d = both[0]
    twin, of = copy.copy(d), (d,) if name in OF_DATA else ()
    if name not in OF_DATA:
        m = copy.copy(m)
    results = []
    for which in (d, d, twin) if name in OF_DATA else (None,) * 3:
        given = arguments(m, name, np.random.default_rng(7))
        of = (which,) if name in OF_DATA else ()
        getattr(mujoco, name)(m if name not in OF_DATA else which.model, *of, *given)
        results.append([x.tobytes() for x in given if isinstance(x, np.ndarray)])
    assert results[0] == results[1] == results[2]


def test_arguments_that_do_not_fit():
    m, d = compiled(mujoco, "humanoid")
    mujoco.mj_forward(m, d)
    filled = np.zeros((3, m.nv))
    for _ in range(3):
        mujoco.mj_jacBody(m, d, filled, None, 3)
    expected = filled.copy()
    # what is converted
    for body in (np.int64(3), np.int32(3), np.int16(3), np.array(3), 3):
        for given, named in (
            ((m, d, filled, None, body), {}),
            ((m, d), {"jacp": filled, "jacr": None, "body": body}),
            ((m, d, filled), {"body": body, "jacr": None}),
            ((), {"m": m, "d": d, "jacp": filled, "jacr": None, "body": body}),
        ):
            filled[:] = 0
            mujoco.mj_jacBody(*given, **named)
            assert np.array_equal(filled, expected)
    for named in ({"jacp": filled, "jacr": None}, {"jacp": filled, "jacr": None, "site": 3}):
        with pytest.raises(TypeError):
            mujoco.mj_jacBody(m, d, **named)
    # what is refused
    frozen = np.zeros((3, m.nv))
    frozen.flags.writeable = False
    wrong = [frozen, np.zeros((3, m.nv), "f4"), np.zeros((m.nv, 3)).T, [[0.0] * m.nv] * 3]
    for array in wrong:
        with pytest.raises(TypeError):
            mujoco.mj_jacBody(m, d, array, None, 3)
    for shape in ((3, m.nv + 1), (2, m.nv), (3 * m.nv,)):
        with pytest.raises(TypeError):
            mujoco.mj_jacBody(m, d, np.zeros(shape), None, 3)
    for body in (-1, m.nbody, 1 << 40, np.int32(-1), np.int64(m.nbody)):
        with pytest.raises((mujoco.FatalError, TypeError, OverflowError)):
            mujoco.mj_jacBody(m, d, filled, None, body)
    for given in ((m, d, filled), (d, m, filled, None, 3), (m, d, filled, None, 3, 4)):
        with pytest.raises(TypeError):
            mujoco.mj_jacBody(*given)
    with pytest.raises(TypeError):
        mujoco.mj_mulM(m, d, np.zeros(m.nv + 1), np.zeros(m.nv))


def test_arrays_that_share_memory():
    m, d = compiled(mujoco, "humanoid")
    mujoco.mj_forward(m, d)
    vector, result = np.linspace(0, 1, m.nv), np.zeros(m.nv)
    for _ in range(3):
        mujoco.mj_mulM(m, d, result, vector)
        shared = vector.copy()
        mujoco.mj_mulM(m, d, shared, shared)
        assert np.array_equal(shared, result)


def test_another_model_of_equal_sizes_is_used():
    (m, d), (other, _) = (compiled(mujoco, "humanoid") for _ in range(2))
    other.body_mass[:] *= 2
    mujoco.mj_forward(m, d)
    found = []
    for model in (m, m, other, other, m):
        result = np.zeros((3, m.nv))
        other.body_mass[3] = 10
        mujoco.mj_jacSubtreeCom(model, d, result, 1)
        found.append(result)
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[2], found[3])
    assert np.array_equal(found[0], found[4])
    assert not np.array_equal(found[0], found[2])
