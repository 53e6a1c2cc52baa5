"""Statistics of the solvers' iterations against MuJoCo."""

import mujoco
import pytest

import mjenv
from mjenv.engine.data.data import Data
from mjenv.engine.data.step import forward, reset
from mjenv.engine.errors import FieldError
from mjenv.engine.physics.solver.solver_stat_tables import NSOLVER
from tests.engine.reference import ZOO, copy_state, trajectory

KEEP = ["solver", "solver_niter", "qacc", "qfrc_constraint"]
WHOLE = '<flag island="disable"/>'
# option, flags, fields that agree in every iteration
DUAL = ("improvement", "gradient", "lineslope", "nactive", "nchange")
PRIMAL = ("improvement", "gradient", "nactive", "nchange")
CASES = {
    "pgs": ('solver="PGS" iterations="5"', WHOLE, DUAL),
    "pgs islands": ('solver="PGS" iterations="5"', "", DUAL),
    # forces that slide lie on the border between two states of a cone
    "pgs cones": ('solver="PGS" iterations="5" cone="elliptic"', WHOLE, ("improvement",)),
    "cg": ('solver="CG" iterations="8"', WHOLE, PRIMAL),
    "newton cones": ('solver="Newton" cone="elliptic"', WHOLE, PRIMAL),
    "newton": ('solver="Newton"', WHOLE, PRIMAL),
    "noslip": ('solver="PGS" iterations="3" noslip_iterations="2"', WHOLE, ("improvement",)),
}


def load(option: str, flags: str):
    option = f'<option timestep="0.004" {option}>{flags}</option>'
    text = ZOO.replace('<option timestep="0.004"/>', option)
    return mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)


def walk(mj, nworld: int, nstep: int = 121, every: int = 40):
    """Data of MuJoCo at a few moments of several trajectories, after forward dynamics."""
    yield from zip(
        *(trajectory(mj, nstep, seed, every=every) for seed in range(nworld)), strict=True
    )


def compare(found, niter: int, source, fields) -> float:
    """Compare the first iterations; later ones differ where rounding has grown."""
    count = min(niter, int(source.solver_niter[0]), 3)
    for k in range(count):
        expected = source.solver[k]
        for name in fields:
            value, reference = found[k][name], getattr(expected, name)
            # what is left when the minimum is near is rounding
            scale = abs(reference) + 1e-6 * (1 + abs(source.solver[0].improvement))
            assert abs(value - reference) <= 1e-6 * scale, (k, name, value, reference)
    return count


@pytest.mark.sweep(8)
@pytest.mark.parametrize("large_model", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_iterations_are_mujocos(case, large_model):
    option, flags, fields = CASES[case]
    mj, model = load(option, flags)
    data = Data(model, keep=KEEP, large_model=large_model)
    most = 0
    for (source,) in walk(mj, 1):
        copy_state(source, data, 0)
        mujoco.mj_forward(mj, source)
        forward(model, data)
        if not source.nefc:
            assert not data.solver["improvement"].any()
            continue
        niter = int(data.solver_niter[0, 0])
        most = max(most, compare(data.solver[0], niter, source, fields))
        assert not data.solver["nactive"][0, niter:NSOLVER].any()
    assert most > 0


@pytest.mark.parametrize("case", ["pgs islands", "newton cones", "newton"])
def test_bits_depend_on_nothing_else(case):
    option, flags, _ = CASES[case]
    mj, model = load(option, flags)
    plain = Data(model, 8, keep=KEEP[1:], width=8)
    packs = Data(model, 8, keep=KEEP, width=8)
    ones = Data(model, 8, keep=KEEP, width=1)
    for sources in walk(mj, 8, 41, 20):
        for data in (plain, packs, ones):
            for world, source in enumerate(sources):
                copy_state(source, data, world)
            forward(model, data)
        for name in KEEP[1:]:
            # whether statistics are kept
            assert (getattr(plain, name) == getattr(packs, name)).all()
            assert (getattr(ones, name) == getattr(packs, name)).all()
        assert (ones.solver == packs.solver).all()
    assert packs.solver["nactive"].any()
    reset(model, packs)
    assert not packs.solver["nactive"].any()


def test_they_are_kept_on_request_only():
    _, model = load("", "")
    with pytest.raises(FieldError, match=r"Data.solver: not kept; .*'solver'\]"):
        _ = Data(model).solver
    assert Data(model, 3, keep="solver").solver.shape == (3, 20 * NSOLVER)


@pytest.mark.parametrize("case", ["cg", "newton", "newton cones"])
def test_evaluations_of_the_line_search_count_the_start(case):
    """As MuJoCo counts them; searches that need a bracket go ways of their own."""
    option, flags, _ = CASES[case]
    mj, model = load(option, flags)
    data, seen = Data(model, keep=KEEP), 0
    for (source,) in walk(mj, 1):
        copy_state(source, data, 0)
        mujoco.mj_forward(mj, source)
        forward(model, data)
        for k in range(min(data.solver_niter[0, 0], source.solver_niter[0], 3)):
            if source.solver[k].neval < 4:
                assert data.solver[0][k]["neval"] == source.solver[k].neval
                seen += 1
    assert seen > 2
