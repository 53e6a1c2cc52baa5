"""Constraint-space functions and roots of the inertia matrix, beside MuJoCo's."""

import mujoco
import numpy as np
import pytest

import mjenv
from tests.engine.reference import ZOO, copy_state, trajectory

NWORLD = 9
EQUALITY = '<equality><joint joint1="bend" joint2="slide" polycoef="0 0.1"/></equality></mujoco>'


def large_model(option: str, **options):
    """Both models, our data and MuJoCo's data of every world."""
    text = ZOO.replace('timestep="0.004"', f'timestep="0.004" {option}')
    text = text.replace("</mujoco>", EQUALITY)
    mj, model = mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)
    data, sources = mjenv.Data(model, NWORLD, **options), []
    for world, source in enumerate(trajectory(mj, 30 * NWORLD, every=30)):
        copy_state(source, data, world)
        sources.append(mujoco.MjData(mj))
        mujoco.mj_copyData(sources[-1], mj, source)
    mjenv.forward(model, data)
    for source in sources:
        mujoco.mj_forward(mj, source)
    return mj, model, data, sources


def close(found, expected, tolerance=1e-9):
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
@pytest.mark.parametrize("jacobian", ["dense", "sparse"])
def test_against_mujoco(cone, jacobian):
    mj, model, data, sources = large_model(f'cone="{cone}" jacobian="{jacobian}"')
    rng = np.random.default_rng(3)
    most = int(data.nefc.max())
    vec, rows = rng.normal(size=(NWORLD, model.nv)), rng.normal(size=(NWORLD, most))
    forward, back = mjenv.mul_jac_vec(model, data, vec), mjenv.mul_jac_t_vec(model, data, rows)
    jar = mjenv.mul_jac_vec(model, data, vec)[:, :most] - data.efc_aref[:, :most]
    cost = mjenv.constraint_update(model, data, jar, True)
    states = set()
    for world, source in enumerate(sources):
        n = source.nefc
        assert n == data.nefc.reshape(-1)[world]
        product, force, total = np.zeros(n), np.zeros(model.nv), np.zeros(1)
        mujoco.mj_mulJacVec(mj, source, product, vec[world])
        mujoco.mj_mulJacTVec(mj, source, force, rows[world, :n].copy())
        close(forward[world, :n], product)
        assert not forward[world, n:].any()
        close(back[world], force)
        mujoco.mj_constraintUpdate(mj, source, jar[world, :n].copy(), total, 1)
        for name in ("efc_force", "efc_state"):
            close(getattr(data, name)[world, :n], getattr(source, name), 1e-8)
        close(data.qfrc_constraint[world], source.qfrc_constraint, 1e-8)
        close(cost[world], total[0], 1e-8)
        for c in range(source.ncon):
            if source.efc_state[source.contact.efc_address[c]] == 4:
                close(data.contact.H[world, c], source.contact.H[c].reshape(-1), 1e-7)
        states |= set(source.efc_state)
    assert states >= {0, 1, 2, 3}
    assert cone == "pyramidal" or 4 in states


def test_forces_of_the_solution_return():
    _, model, data, _ = large_model("")
    force = data.efc_force.copy()
    jar = mjenv.mul_jac_vec(model, data, data.qacc) - data.efc_aref
    mjenv.constraint_update(model, data, jar)
    close(data.efc_force, force, 1e-6)


def test_roots_of_the_inertia_matrix():
    mj, model, data, sources = large_model("")
    vec = np.random.default_rng(4).normal(size=(NWORLD, 2, model.nv))
    product, solved = mjenv.mul_m2(model, data, vec), mjenv.solve_m2(model, data, vec)
    for world, source in enumerate(sources):
        for k in range(2):
            result = np.zeros(model.nv)
            mujoco.mj_mulM2(mj, source, result, vec[world, k])
            close(product[world, k], result)
            result, scale = np.zeros((1, model.nv)), np.sqrt(source.qLDiagInv)
            mujoco.mj_solveM2(mj, source, result, vec[world, k][None].copy(), scale)
            close(solved[world, k], result[0])
    again = mjenv.solve_m2(model, data, vec[:, 0], np.ones(model.nv))
    close(again * np.sqrt(data.qLDiagInv), solved[:, 0])
    close(sum(product[0, 0] ** 2), vec[0, 0] @ mjenv.full_m(model, data)[0] @ vec[0, 0])


def test_same_bits():
    found = []
    for options in ({}, {"width": 1}):
        _, model, data, _ = large_model("", **options)
        vec = np.random.default_rng(1).normal(size=(NWORLD, model.nv))
        jar = mjenv.mul_jac_vec(model, data, vec)
        cost = mjenv.constraint_update(model, data, jar)
        roots = mjenv.mul_m2(model, data, vec), mjenv.solve_m2(model, data, vec)
        found.append((jar, cost, data.qfrc_constraint, *roots))
    for one, other in zip(*found, strict=True):
        assert np.array_equal(one, other)


def test_one_world():
    """Fields of a single world are computed when they are looked at."""
    _, model, data, _ = large_model("")
    one, state = mjenv.Data(model), mjenv.State.INTEGRATION
    mjenv.set_state(model, one, mjenv.get_state(model, data, state, worlds=[3]), state)
    mjenv.forward(model, one)
    jar = mjenv.mul_jac_vec(model, one, np.ones(model.nv))
    cost = mjenv.constraint_update(model, one, jar)
    rows = mjenv.mul_jac_vec(model, data, np.ones(model.nv))
    assert cost[0] == mjenv.constraint_update(model, data, rows)[3]
    assert np.array_equal(one.qfrc_constraint[0], data.qfrc_constraint[3])


def test_messages():
    _, model, data, _ = large_model("")
    with pytest.raises(ValueError, match=r"mul_jac_vec: vec has shape .2,., expected"):
        mjenv.mul_jac_vec(model, data, np.zeros(2))
    with pytest.raises(
        ValueError, match=r"constraint_update: jar has shape .9, 1., expected .9, n"
    ):
        mjenv.constraint_update(model, data, np.zeros((NWORLD, 1)))
    with pytest.raises(AttributeError, match=r"Data.nefc: not kept"):
        mjenv.mul_jac_vec(model, mjenv.Data(model, 2, keep=[]), np.zeros(model.nv))
