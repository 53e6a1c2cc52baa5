"""Inverse inertia of the constraint rows against MuJoCo, as its dual solvers list it."""

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.engine.data.data import Data, FieldError
from mjenv.engine.data.step import step
from tests.engine.reference import ZOO, along, copy_state, trajectory

INDICES = ("efc_AR_rownnz", "efc_AR_rowadr", "efc_AR_colind")
CASES = {
    "dense": 'solver="PGS" jacobian="dense"',
    "sparse": 'solver="PGS" jacobian="sparse"',
    "noslip": 'solver="Newton" noslip_iterations="3" jacobian="sparse" cone="elliptic"',
}
DATA = {
    "one": {"nworld": 1},
    "pack": {"nworld": 8, "keep": ["efc_AR"], "width": 8},
    "large_model": {"nworld": 1, "large_model": True},
}


def load(option: str):
    text = ZOO.replace('<option timestep="0.004"/>', f'<option timestep="0.004" {option}/>')
    return mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)


def compare(data, world: int, source, is_sparse: bool) -> None:
    n = source.nA
    assert data.nA[world] == n
    expected = source.efc_AR.ravel()
    atol = 1e-13 * np.abs(expected).max(initial=1)
    np.testing.assert_allclose(data.efc_AR[world, :n], expected, rtol=0, atol=atol)
    assert not data.efc_AR[world, n:].any()
    for name in INDICES if is_sparse else ():
        indices = getattr(source, name)
        assert (getattr(data, name)[world, : len(indices)] == indices).all()


@pytest.mark.sweep(5)
@pytest.mark.parametrize("kind", DATA)
@pytest.mark.parametrize("case", CASES)
def test_inertia_is_mujocos(case, kind):
    mj, model = load(CASES[case])
    data, most = Data(model, **DATA[kind]), 0
    for sources in along(mj, model, data, 120, 20):
        for world, source in enumerate(sources):
            compare(data, world, source, case != "dense")
            most = max(most, source.nA)
    assert most > 100
    assert case != "dense" or data.efc_AR_colind.shape == (data.nworld, 0)


def test_it_belongs_to_the_last_call():
    mj, model = load(CASES["sparse"])
    data = Data(model)
    sizes = set()
    for source in trajectory(mj, 100, every=20):
        copy_state(source, data, 0)
        mujoco.mj_step(mj, source)
        step(model, data)
        compare(data, 0, source, True)
        sizes.add(int(data.nA[0]))
    assert len(sizes) > 1


def test_primal_solvers_have_none():
    _, model = load('solver="Newton"')
    data = Data(model)
    step(model, data, 100)
    assert data.nefc[0] > 0
    assert data.nA[0] == 0
    assert data.efc_AR.shape == (1, 0)


def test_what_is_not_kept_is_refused_by_name():
    _, model = load(CASES["dense"])
    data = Data(model, 8, keep=["qacc"])
    with pytest.raises(FieldError, match=r"Data.efc_AR: not kept; .*keep=\[..., 'efc_AR'\]"):
        _ = data.efc_AR


@pytest.mark.sweep(8)
@pytest.mark.parametrize("kind", DATA)
@pytest.mark.parametrize("flags", ["", '<flag island="disable"/>'])
@pytest.mark.parametrize("jacobian", ["dense", "sparse"])
@pytest.mark.parametrize(
    "solver", ['solver="PGS"', 'solver="CG"', 'solver="Newton"', 'cone="elliptic"']
)
def test_entries_of_the_factors(solver, jacobian, flags, kind):
    option = f'<option timestep="0.004" jacobian="{jacobian}" {solver}>{flags}</option>'
    text = ZOO.replace('<option timestep="0.004"/>', option)
    mj, model = mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)
    data = Data(model, **DATA[kind] | ({"keep": ["solver_nnz"]} if kind == "pack" else {}))
    for sources in along(mj, model, data, 60, 20):
        for world, source in enumerate(sources):
            # MuJoCo leaves what earlier calls have entered for further islands
            n = max(1, source.nisland) if source.nefc else 0
            assert data.solver_nnz[world, :n].tolist() == source.solver_nnz[:n].tolist()
            assert not data.solver_nnz[world, n:].any()
