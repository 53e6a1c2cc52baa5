"""Every function of the bindings, called in both modules with the same arguments, and compared.

Arguments are made from the recorded signatures: random numbers, of the sizes that other arguments
ask for; `ARGUMENTS` has what has to be something else.
"""

import copy
import re
from functools import cache
from types import SimpleNamespace

import mujoco
import numpy as np
import pytest

import mjenv
import mjenv.mujoco as ours
from mjenv.mujoco.api import facts, signature
from mjenv.mujoco.functions.sizes import SIZES
from mjenv.mujoco.functions.wrapping import wrapped  # noqa: F401 (so that it is there)
from tests.mjenv.mujoco.scenes import compiled

NAMES = [name for name in facts()["functions"] if re.match("(mj|mju|mjd)_", name)]
QUAT, UNIT = np.array([0.5, -0.5, 0.1, 0.7]), np.array([0.48, -0.6, 0.0, 0.64])
BAND = {"ntotal": 5, "nband": 2, "ndense": 2}
POSITIVE = np.eye(5) * 4 + np.arange(25).reshape(5, 5) % 3 * 0.1
POSITIVE = (POSITIVE + POSITIVE.T) / 2
SPARSE = {
    "rownnz": np.array([1, 2], np.int32), "rowadr": np.array([0, 1], np.int32),
    "colind": np.array([0, 0, 1], np.int32), "mat": np.array([1.0, 2.0, 3.0]),
}  # fmt: skip
# function, or a name of arguments -> values; of all functions first, then of one
COMMON = {
    "nstep": 3, "body": 4, "geom": 3, "site": 1, "id": 0, "type": 5, "objtype": 5, "objid": 3,
    "flg_local": 1, "sig": 0x1FFF, "srcsig": 0x1FFF, "dstsig": 6, "key": 0, "k": 1, "eps": 1e-6,
    "flg_acc": 1, "g1": 2, "g2": 3, "dt": 0.1, "flg_static": 1, "bodyexclude": -1, "nray": 4,
    "cutoff": 1e3, "interp": 0, "name": "box", "distmax": 10.0, "geom1": 2, "geom2": 3,
    "quat": QUAT, "quat1": QUAT, "quat2": UNIT, "qa": QUAT, "qb": UNIT, "skipstage": 1,
    "skipsensor": 0, "N": 4, "newmass": 3.0, "index": 1, "base": 3, "info": 2, "warning": 3,
    "seq": "xYz", "geomtype": 6, "flg_plus": 1, "mindiag": 1e-10, "diagadd": 0.1, "diagmul": 0.1,
    "nbytes": 3 << 20, "str": "geom", "dest": 0, "sameframe": 0, "flg_centered": 1,
    "flg_actuation": 1,
    "flg_sym": 1, "nvec": 1, "i": 3, "flg_coneHessian": 1, "has_margin": -1, "phase": 0.0,
    "flg_html": True, "flg_pad": False, "debug_value": 0, "geomid": 1, "flg_force": 1,
    **BAND,
}  # fmt: skip
ARGUMENTS = {
    "mj_ray": {"geomid": [0], "pnt": [0, 0, 2.0], "vec": [0.1, 0, -1],
               "geomgroup": np.ones(6)},
    "mj_multiRay": {"pnt": [0, 0, 2.0], "geomid": np.zeros(4), "vec": np.tile([0.1, 0, -1], 4)},
    "mj_rayMesh": {"geomid": 5, "pnt": [-1.0, 0.05, 2.0], "vec": [0.0, 0.0, -1.0]},
    "mj_rayHfield": {"geomid": 1, "pnt": [4.1, 4.0, 2.0], "vec": [0.0, 0.0, -1.0]},
    "mju_rayGeom": {"mat": np.eye(3).ravel(), "pnt": [0, 0, 3.0], "vec": [0, 0, -1.0],
                    "pos": np.zeros(3), "size": np.ones(3)},
    "mju_boxQP": {"H": POSITIVE, "lower": -np.ones(5) * 0.1, "upper": np.ones(5) * 0.1,
                  "res": np.zeros(5), "R": np.zeros((5, 12)), "index": np.zeros(5)},
    "mju_cholFactor": {"mat": POSITIVE}, "mju_cholSolve": {"mat": np.tril(POSITIVE)},
    "mju_cholUpdate": {"mat": np.tril(POSITIVE)},
    "mju_mat2Quat": {"mat": np.array([0.0, -1, 0, 1, 0, 0, 0, 0, 1])},
    "mju_mat2Rot": {"quat": UNIT},
    "mju_transformSpatial": {"rotnew2old": np.array([0.0, -1, 0, 1, 0, 0, 0, 0, 1])},
    "mju_cholFactorBand": {"mat": np.where(np.isin(np.arange(16), (1, 3, 5, 9, 15)), 3.0, 0.1)},
    "mju_cholSolveBand": {"mat": np.arange(1.0, 17)},
    "mju_sparse2dense": {**SPARSE, "res": np.zeros((2, 2))},
    "mju_sym2dense": {**SPARSE, "res": np.zeros((2, 2))},
    "mju_dense2sparse": {"mat": np.array([[0, 1.0, 0], [2, 0, 3]]), "res": np.zeros(4),
                         "colind": np.zeros(4, np.int32)},
    "mju_printMatSparse": SPARSE,
    "mju_muscleGain": {"lengthrange": [0.5, 1.5], "len": 0.9, "vel": 0.1, "acc0": 2.0,
                       "prm": [0.75, 1.05, 100, 200, 0.5, 1.6, 1.5, 1.3, 1.2]},
    "mju_muscleBias": {"lengthrange": [0.5, 1.5], "len": 1.4, "acc0": 2.0,
                       "prm": [0.75, 1.05, 100, 200, 0.5, 1.6, 1.5, 1.3, 1.2]},
    "mju_muscleDynamics": {"prm": [0.01, 0.04, 0.0], "ctrl": 0.8, "act": 0.3},
    "mju_springDamper": {"pos0": 1.0, "vel0": 0.5, "Kp": 3.0, "Kv": 0.4, "dt": 0.2},
    "mju_encodePyramid": {"force": [3.0, 0.4, 0.1], "mu": [0.5, 0.4], "pyramid": np.zeros(4)},
    "mju_decodePyramid": {"pyramid": [3.0, 0.4, 0.1, 0.7], "mu": [0.5, 0.4], "force": np.zeros(3)},
    "mju_type2Str": {"type": 5}, "mj_initSensorHistory": {"id": 1, "times": [0.1, 0.2, 0.3]},
    "mj_initCtrlHistory": {"id": 1, "times": [0.1, 0.2, 0.3, 0.4]},
    "mj_readSensor": {"id": 1, "time": 0.02}, "mj_readCtrl": {"id": 1, "time": 0.02},
    "mj_setLengthRange": {"index": 2}, "mju_fill": {"val": 2.5},
    "mj_addM": {
        "rownnz": lambda m: m.M_rownnz, "rowadr": lambda m: m.M_rowadr,
        "colind": lambda m: np.resize(m.M_colind, m.nM), "dst": lambda m: np.ones(m.nM),
    },
    "mju_insertionSort": {"res": [3.0, 1, 2]},
    "mju_insertionSortInt": {"res": np.array([3, 1, 2], np.int32)},
}  # fmt: skip
# what is compared elsewhere, or refused, and why
ELSEWHERE = {
    "mj_addContact": "compared with contacts",
    "mju_raySkin": "refused",
    "mj_defaultSolRefImp": "writes behind its numbers",
    "mj_loadPluginLibrary": "refused",
    "mj_loadAllPluginLibraries": "loads files",
    "mju_writeLog": "writes a file",
    "mju_getXMLDependencies": "reads files",
    "mju_standardNormal": "is random",
    **dict.fromkeys(("mju_printMat", "mju_printMatSparse"), "prints"),
    **{name: "writes files" for name in facts()["functions"] if re.match("mj_(print|save)", name)},
    "mj_sizeModel": "its files are others",
    **{name: "its cache is another" for name in facts()["functions"] if "Cache" in name},
    "mj_printSchema": "compared with the command",
    "mj_rayFlex": "needs a deformable",
    "mj_implicit": "needs another integrator",
    "mjd_transitionFD": "needs a model without delays",
    "mju_eig3": "compared with special matrices",
}
LENGTHS = {"m": 5, "n": 5}
TOLERANCE = {"mjd_transitionFD": 1e-5, "mjd_inverseFD": 1e-5, "mj_setLengthRange": 1e-6}


def arguments(module, name, m, d, rng):
    """Arguments of a function by name, the same for both modules."""
    chosen, given = {}, {**COMMON, **ARGUMENTS.get(name, {})}
    scope = {"m": m, "d": d, "nstate": module.mj_stateSize}
    sizes = SIZES.get(name, {})
    # what other arguments say the size of comes last
    for parameter in sorted(signature(name).parameters, key=lambda p: p.name in sizes):
        key, kind = parameter.name, parameter.kind
        if kind == "MjModel":
            value = m
        elif kind == "MjData":
            value = d if key in ("d", "src") else module.MjData(m)
        elif parameter.shape:
            value = given.get(key)
            if value is None:
                value = array(parameter, sizes, scope, chosen, rng)
            value = np.array(value(m) if callable(value) else value, kind)
        elif kind.startswith("Mj"):
            value = (
                module.MjModel.from_xml_string("<mujoco/>").vis
                if kind == "MjVisual"
                else (getattr(module, kind)())
            )
            if kind == "MjLROpt":
                module.mj_defaultLROpt(value)
        elif key in given:
            value = given[key]
        else:
            value = {"float": float(rng.uniform(0.2, 2)), "int": 1, "str": "x"}[kind]
        chosen[key] = scope[key] = value
    return chosen


def array(parameter, sizes, scope, chosen, rng):
    """Random numbers of the shape that a function wants."""
    rule = sizes.get(parameter.name)
    if rule is not None:
        try:
            own = re.sub(r"len\((\w+)\)", lambda s: s[0] if s[1] in chosen else "5", rule)
            shape = eval(own, {**scope, **chosen})
        except NameError:
            # a size of its own, or of another argument like it
            shape = (5,) * (1 + (parameter.shape[-1] != "1"))
        shape = shape if isinstance(shape, tuple) else (int(shape),)
    else:
        shape = tuple(LENGTHS.get(x) or int(x) for x in parameter.shape)
        shape = shape[:1] if shape[1] == 1 else shape
    return rng.uniform(0.1, 1, shape) if parameter.kind[0] == "f" else np.zeros(shape)


@cache
def model_of_everything(module):
    return compiled(module, "everything")[0]


def situation(module):
    """The model of everything a few steps after its start, with some velocity."""
    m = copy.copy(model_of_everything(module))
    d = module.MjData(m)
    rng = np.random.default_rng(3)
    d.qvel = rng.uniform(-0.3, 0.3, m.nv)
    d.ctrl = [0.3, 0.1, 0.2]
    module.mj_step(m, d, 5)
    module.mj_forward(m, d)
    return m, d


def called(module, name):
    """What a function returns and fills in, and the state afterwards."""
    if {p.kind for p in signature(name).parameters}.isdisjoint({"MjModel", "MjData"}):
        m, d = model_of_everything(module), None  # of which it sees sizes at most
    else:
        m, d = situation(module)
    given = arguments(module, name, m, d, np.random.default_rng(7))
    result = getattr(module, name)(**given)
    if name in STATEFUL:
        d = given[STATEFUL[name]]
    outputs = {
        p.name: np.array(given[p.name], float)
        for p in signature(name).parameters
        if p.shape and p.output and given[p.name] is not None
    }
    # what the reference leaves as it was, or fills with what nobody asked for
    for output in {"mju_boxQP": ("R", "index"), "mju_cholUpdate": ("x",)}.get(name, ()):
        outputs.pop(output)
    state = {n: np.array(getattr(d, n)) for n in STATE} if name in STATEFUL or "d" in given else {}
    if name.startswith("mj_set") and "d" in given:
        state["model"] = np.concatenate([m.body_subtreemass, m.actuator_lengthrange.ravel()])
    for field in UNDEFINED.get(name, ()):
        state.pop(field, None)
    return SimpleNamespace(result=result, outputs=outputs, state=state)


STATE = (
    "time", "qpos", "qvel", "act", "qacc", "qfrc_bias", "qfrc_passive", "qfrc_actuator", "qM",
    "xpos",
    "xmat", "geom_xpos", "site_xpos", "cam_xpos", "subtree_com", "cvel", "sensordata", "efc_aref",
    "efc_force", "ten_length", "actuator_length", "actuator_force", "qfrc_constraint", "energy",
    "qfrc_inverse", "cacc", "cfrc_int", "cfrc_ext", "subtree_linvel", "ncon", "nefc", "history",
)  # fmt: skip


_ROWS = ("efc_aref", "efc_force")
# functions whose memory the reference leaves undefined in these fields
UNDEFINED = {
    **{f"mj_{name}": _ROWS for name in ("fwdPosition", "invPosition", "makeConstraint", "step1")},
    "mjd_inverseFD": STATE, "mjd_transitionFD": STATE,
}  # fmt: skip
STATEFUL = {"mj_copyData": "dest", "mj_copyState": "dst"}


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ELSEWHERE])
def test_function(name):
    mine, real = called(ours, name), called(mujoco, name)
    tolerance = TOLERANCE.get(name, 1e-9)
    if isinstance(real.result, float | int):
        assert type(mine.result) is type(real.result)
        np.testing.assert_allclose(mine.result, real.result, atol=tolerance, rtol=tolerance)
    elif not isinstance(real.result, np.ndarray):
        assert mine.result == real.result
    for part in ("outputs", "state"):
        for field, value in vars(real)[part].items():
            found = vars(mine)[part][field]
            assert found.shape == value.shape, field
            np.testing.assert_allclose(
                found, value, atol=tolerance, rtol=tolerance, err_msg=f"{name}: {field}"
            )


def test_eigenvectors():
    """With MuJoCo's signs, and after as many iterations."""
    draws = np.random.default_rng(0).standard_normal((20, 3, 3))
    special = [np.diag(row) for row in ((1, 1, 1), (1, 2, 3), (2, 3, 1), (1, 1, 2), (0, 0, 0))]
    for mat in (*(a + a.T for a in draws), *special):
        found = []
        for module in (ours, mujoco):
            values, vectors, quat = np.zeros(3), np.zeros(9), np.zeros(4)
            iterations = module.mju_eig3(values, vectors, quat, mat.astype(float).ravel())
            found.append([iterations, *values, *vectors, *quat])
        np.testing.assert_allclose(*found, atol=1e-9)


@pytest.mark.parametrize("module", [ours, mujoco])
def test_numbers_at_the_edge(module):
    lowest = -(2**31)
    numbers = {2.5: 3, -2.5: -2, np.nan: lowest, np.inf: lowest, -np.inf: lowest, 1e20: lowest}
    assert {x: module.mju_round(x) for x in numbers} == numbers
    with pytest.raises(module.FatalError, match="upper bounds must be stricly larger"):
        module.mju_boxQP(
            np.zeros(1), np.zeros(8), None, np.eye(1), np.ones(1), np.ones(1), np.ones(1)
        )
    # of a single coefficient, nothing is encoded, and the normal force decoded
    pyramid, force = np.full(2, 7.0), np.full(2, 7.0)
    module.mju_encodePyramid(pyramid, np.array([3.0, 1.0]), np.array([0.5]))
    module.mju_decodePyramid(force, np.array([3.0, 1.0]), np.array([0.5]))
    assert [*pyramid, *force] == [7, 7, 3, 7]


def test_derivatives_of_a_step():
    found = {}
    for module in (ours, mujoco):
        m, d = compiled(module, "half_cheetah")
        n = 2 * m.nv + m.na
        A, B = np.zeros((n, n)), np.zeros((n, m.nu))
        module.mjd_transitionFD(m, d, 1e-6, 1, A, B, None, None)
        found[module] = A, B
    for mine, real in zip(found[ours], found[mujoco], strict=True):
        np.testing.assert_allclose(mine, real, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("integrator", [0, 3])
def test_implicit_integration(integrator):
    found = {}
    for module in (ours, mujoco):
        m, d = situation(module)
        m.opt.integrator = integrator
        module.mj_forward(m, d)
        if integrator == 0:
            with pytest.raises(module.FatalError, match="integrator must be implicit"):
                module.mj_implicit(m, d)
            continue
        module.mj_implicit(m, d)
        found[module] = d.qpos.copy()
    if found:
        np.testing.assert_allclose(found[ours], found[mujoco], atol=1e-12)


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("mju_raySkin", (1, 1, 0, 0.0, np.zeros(3), np.zeros(3), np.zeros(1, np.int32))),
        ("mj_loadPluginLibrary", ("there.so",)),
    ],
)
def test_refused(name, given):
    m, d = situation(ours)
    values = {"m": m, "d": d, "contact": ours.MjContact()}
    given = [values.get(x, x) if isinstance(x, str) else x for x in given]
    with pytest.raises(mjenv.UnsupportedFeature, match=f"{name}: "):
        getattr(ours, name)(*given)


def test_arrays_that_the_bindings_take_as_numbers():
    """MuJoCo reads and writes what lies behind these; without faces, and for callers, nothing."""
    vertid = np.full(1, 7, np.int32)
    assert mujoco.mju_raySkin(0, 0, 0, 0.0, np.zeros(3), np.ones(3), vertid) == -1.0
    assert ours.mju_raySkin(0, 0, 0, 0.0, np.zeros(3), np.ones(3), vertid) == -1.0
    assert vertid[0] == 7
    assert ours.mj_defaultSolRefImp(0.0, 0.0) is None


def test_all_functions_are_there():
    """Those of pictures too, whichever module computes them."""
    missing = [name for name in NAMES if not callable(getattr(ours, name))]
    assert missing == []


WRONG = {
    "another type": lambda: ours.mju_add(np.zeros(3, np.float32), np.ones(3), np.ones(3)),
    "a list": lambda: ours.mju_add([0.0] * 3, np.ones(3), np.ones(3)),
    "another size": lambda: ours.mju_add(np.zeros(3), np.ones(4), np.ones(3)),
    "read-only": lambda: ours.mju_zero(np.broadcast_to(np.zeros(1), (3,))),
    "of three": lambda: ours.mju_cross(np.zeros(3), np.ones(2), np.ones(3)),
    "a fraction": lambda: ours.mju_bandDiag(1.5, 4, 1, 1),
    "a text": lambda: ours.mju_min("1", 2.0),
    "no model": lambda: ours.mj_forward(1, 2),
    "no data": lambda: ours.mj_step(situation(ours)[0], 2),
    "missing": lambda: ours.mju_min(1.0),
    "unknown": lambda: ours.mju_min(1.0, b=2.0, c=3.0),
    "columns": lambda: ours.mju_transpose(np.zeros((2, 3)), np.zeros((2, 3))),
    "not row after row": lambda: ours.mju_eye(np.zeros((4, 4)).T[::2, ::2]),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_arguments(what):
    with pytest.raises(TypeError):
        WRONG[what]()


def test_columns_and_strides_are_vectors():
    column, spread = np.zeros((3, 1)), np.zeros(6)
    ours.mju_add(column, [1, 2, 3], (1.0, 1.0, 1.0))
    ours.mju_add(spread[::2], np.ones((3, 1)), np.ones(3, np.float32))
    assert column[:, 0].tolist() == [2.0, 3.0, 4.0]
    assert spread.tolist() == [2.0, 0.0] * 3


@pytest.mark.parametrize("module", [ours, mujoco])
def test_arrays_of_one_axis_are_columns(module):
    """As programs for models of one degree of freedom pass them."""
    model = module.MjModel.from_xml_string(
        "<mujoco><worldbody><body><joint/><geom size='.1' pos='.2 0 0'/></body></worldbody>"
        "<sensor><clock delay='.01' nsample='3'/></sensor></mujoco>"
    )
    data = module.MjData(model)
    module.mj_forward(model, data)
    for name, array in (("jacp", np.zeros(3)), ("jacr", np.zeros(3))):
        module.mj_jacBody(model, data, **{"jacp": None, "jacr": None, name: array}, body=1)
        assert array.any() == (name == "jacr")
    inertia, x, product = np.zeros(1), np.zeros(3), np.zeros(4)
    module.mj_fullM(model, inertia, data.qM)
    module.mj_solveM(model, data, x, np.arange(3.0))
    np.testing.assert_allclose(inertia * x, np.arange(3.0), atol=1e-12)
    module.mj_initSensorHistory(model, data, 0, np.arange(3.0), np.arange(3.0), 0.0)
    assert data.history[-3:].tolist() == [0, 1, 2]
    module.mju_mulMatMat(product, np.arange(20.0).reshape(4, 5), np.ones(5))
    assert product.tolist() == [10, 35, 60, 85]
    with pytest.raises(TypeError):
        module.mju_mulMatMat(product, np.ones(5), np.arange(20.0).reshape(4, 5))


def test_signature_is_in_the_text():
    text = ours.mj_Euler.__doc__
    assert text.startswith(
        "mj_Euler(m: mujoco._structs.MjModel, d: mujoco._structs.MjData) -> None\n\n"
    )
    assert ours.mj_name2id.__name__ == "mj_name2id"


class _Noisy(np.ndarray):
    """An array whose assignments do more than write, as those of dm_control's bindings."""

    def __setitem__(self, place, value):
        raise AssertionError("assigned to")


@pytest.mark.parametrize("module", [ours, mujoco])
def test_memory_of_subclasses_is_written(module):
    vector, matrix = np.zeros(3).view(_Noisy), np.zeros((3, 3)).view(_Noisy)
    module.mju_rotVecQuat(vector, np.array([1.0, 2.0, 3.0]), UNIT)
    module.mju_eye(matrix)
    m, d = situation(module)
    jacp = np.zeros((3, m.nv)).view(_Noisy)
    module.mj_jacBody(m, d, jacp, None, 4)
    state = np.zeros(module.mj_stateSize(m, 6)).view(_Noisy)
    module.mj_getState(m, d, state, 6)
    np.testing.assert_array_equal(matrix, np.eye(3))
    for filled in (vector, jacp, state):
        assert np.any(filled)
