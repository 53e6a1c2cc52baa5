"""Elliptic friction cones against MuJoCo: rows, zones, accelerations and trajectories."""

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.engine.data.data import Data
from mjenv.engine.data.step import forward, step
from tests.engine.reference import ZOO, close, copy_state, trajectory

ROWS = "type id J pos margin frictionloss diagApprox KBIP D R vel aref b"
CASES = ((1, 6), (10, 3), (0.3, 4))  # impratio, condim of the box
NWORLD = 8
SOLVED = 'cone="elliptic" tolerance="0" iterations="100" ls_iterations="100"'


def load(impratio: float, more: str = SOLVED, condim: int = 6):
    option = f'<option timestep="0.004" impratio="{impratio}" {more}/>'
    text = ZOO.replace('<option timestep="0.004"/>', option)
    text = text.replace('condim="6"', f'condim="{condim}"')
    return mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)


def compare_zones(mj, source, found) -> np.ndarray:
    """Compare the states of rows with the zones of the cones; return how often each occurs."""
    states = np.zeros(5, int)
    jar = np.ravel(source.efc_J)[: source.nefc * mj.nv].reshape(-1, mj.nv) @ source.qacc
    jar -= source.efc_aref
    for contact in source.contact:
        if contact.dim > 1 and contact.efc_address >= 0:
            rows = slice(contact.efc_address, contact.efc_address + contact.dim)
            u = jar[rows] * np.append(contact.mu, contact.friction[: contact.dim - 1])
            side = np.linalg.norm(u[1:])
            top, bottom = u[0] - contact.mu * side, -contact.mu * u[0] - side
            if min(abs(top), abs(bottom)) > 1e-6:
                state = 0 if top > 0 else 1 if bottom > 0 else 4
                assert (found[rows] == state).all()
                states[state] += 1
    return states


@pytest.mark.slow
@pytest.mark.parametrize(("impratio", "condim"), CASES)
def test_rows_and_accelerations(impratio, condim):
    """Every contact dimension, in every zone of the cone."""
    mj, model = load(impratio, condim=condim)
    data = Data(model, NWORLD)
    walks = [trajectory(mj, 240, seed, every=12) for seed in range(NWORLD)]
    states, dims, hessians = np.zeros(5, int), set(), 0
    for sources in zip(*walks, strict=True):
        for world, source in enumerate(sources):
            copy_state(source, data, world)
            mujoco.mj_forward(mj, source)
            mujoco.mj_rnePostConstraint(mj, source)
        forward(model, data, post=True)
        for world, source in enumerate(sources):
            assert data.nefc[world] == source.nefc
            for field in (f"efc_{name}" for name in ROWS.split()):
                expected = np.ravel(getattr(source, field))
                if field == "efc_J":
                    expected = expected[: source.nefc * mj.nv]
                close(getattr(data, field)[world], expected, 1e-9, field)
            for field in ("mu", "dim", "efc_address"):
                found = getattr(data.contact, field)[world, : source.ncon]
                close(found, getattr(source.contact, field), 1e-9, field)
            for field in ("qacc", "qfrc_constraint", "efc_force", "cfrc_ext"):
                close(getattr(data, field)[world], getattr(source, field), 1e-6, field)
            states += compare_zones(mj, source, data.efc_state[world])
            for contact, ours in zip(source.contact, data.contact.H[world], strict=False):
                size = contact.dim**2
                if source.efc_state[contact.efc_address] == 4 and ours.any():
                    close(ours[:size], np.ravel(contact.H)[:size], 1e-6, "H")
                    hessians += 1
            dims.update(source.contact.dim.tolist())
    assert hessians > 4
    assert dims == {1, 4, condim}
    assert (states[[0, 1, 4]] > 4).all()


@pytest.mark.parametrize("integrator", ["Euler", "RK4"])
def test_steps(integrator):
    """One step from states along MuJoCo's trajectories, at the usual tolerance."""
    mj, model = load(5, f'cone="elliptic" integrator="{integrator}"')
    data = Data(model, NWORLD, keep=[])
    walks = [trajectory(mj, 200, seed, every=10) for seed in range(NWORLD)]
    for sources in zip(*walks, strict=True):
        for world, source in enumerate(sources):
            copy_state(source, data, world)
        step(model, data)
        for world, source in enumerate(sources):
            mujoco.mj_step(mj, source)
            close(data.qpos[world], source.qpos, 1e-6, "qpos")
            close(data.qvel[world], source.qvel, 1e-5, "qvel")


def test_same_bits():
    _, model = load(5, 'cone="elliptic"')
    results = []
    for width, nthread in ((1, 1), (8, 1), (8, 2)):
        data = Data(model, 16, width=width, nthread=nthread, keep=[])
        data.qvel[:] = np.random.default_rng(0).normal(size=data.qvel.shape)
        step(model, data, 200)
        results.append(np.concatenate([data.qpos, data.qvel], axis=1))
    assert np.isfinite(results[0]).all()
    assert np.array_equal(results[0], results[1])
    assert np.array_equal(results[0], results[2])


@pytest.mark.parametrize("pair", ["0.1 1", "0.02 0", "0 -3", "-100 -5", "0.0001 2", "0 0"])
@pytest.mark.parametrize("cone", ["elliptic", "pyramidal"])
def test_friction_references_of_pairs(pair, cone):
    """Friction of a predefined pair is damped by its own parameters; mixed signs count as zeros."""
    text = f"""<mujoco><option cone="{cone}"/><worldbody>
    <geom name="a" type="plane" size="1 1 1"/>
    <body pos="0 0 0.99"><freejoint/><geom name="b" size="1" condim="6"/></body>
    <body pos="3 0 0.99"><freejoint/><geom size="1" condim="4"/></body></worldbody>
    <contact><pair geom1="a" geom2="b" condim="4" solreffriction="{pair}"/></contact></mujoco>"""
    mj, model = mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)
    source = mujoco.MjData(mj)
    source.qvel[:] = np.random.default_rng(1).normal(size=mj.nv)
    mujoco.mj_forward(mj, source)
    for width in (1, 8):
        data = Data(model, width)
        data.qvel[:] = source.qvel
        forward(model, data)
        n = source.nefc
        close(data.efc_aref[0, :n], source.efc_aref, 1e-12, "efc_aref")
        close(data.efc_KBIP[0, :n], source.efc_KBIP, 1e-9, "efc_KBIP")
        close(data.contact.solreffriction[0, :2], source.contact.solreffriction, 0, "contact")
        close(data.qacc[0], source.qacc, 1e-6, "qacc")


def test_cone_changes_between_calls():
    """`model.opt.cone` is an option of every call."""
    mj, model = load(1)
    source = list(trajectory(mj, 100, 1, every=99))[-1]
    data = Data(model)
    copy_state(source, data, 0)
    for cone in (0, 1, 0):
        mj.opt.cone = model.opt.cone = cone
        mujoco.mj_forward(mj, source)
        forward(model, data)
        assert data.nefc[0] == source.nefc
        close(data.qacc[0], source.qacc, 1e-6, "qacc")
