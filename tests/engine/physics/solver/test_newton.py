"""Newton's method, against MuJoCo's."""

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.engine.data.data import Data
from mjenv.engine.data.step import forward
from tests.engine.reference import ZOO, along, check_same_bits, copy_state

NWORLD = 8
FLAGS = {
    "warm": "",
    "cold": '<flag warmstart="disable"/>',
    "whole": '<flag island="disable"/>',
}


def load(option: str, flags: str = ""):
    text = ZOO.replace(
        '<option timestep="0.004"/>', f'<option timestep="0.004" {option}>{flags}</option>'
    )
    return mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)


@pytest.mark.parametrize("name", FLAGS)
def test_forces(name):
    """Limits, dry friction at its bound and within, contacts of all dimensions, islands."""
    mj, model = load("", FLAGS[name])
    data = Data(model, NWORLD)
    states, ours, theirs = np.zeros(5, int), 0, 0
    for sources in along(mj, model, data, 160, 20):
        for world, source in enumerate(sources):
            for field in ("qacc", "qfrc_constraint", "efc_force"):
                expected = np.ravel(getattr(source, field))
                found = np.ravel(getattr(data, field)[world])[: expected.size]
                scale = 1 + np.abs(expected).max(initial=0)
                assert np.abs(found - expected).max(initial=0) < 1e-9 * scale, field
            states += np.bincount(data.efc_state[world, : source.nefc], minlength=5)
            # in packs all islands are one problem
            ours += data.solver_niter[world, 0]
            theirs += source.solver_niter.max()
    assert (states[:4] > 0).all()
    assert abs(ours - theirs) < 0.2 * theirs


def test_no_iterations():
    """The start itself: the last acceleration where it costs less."""
    mj, model = load('iterations="0"')
    data, source = Data(model, 1), mujoco.MjData(mj)
    mujoco.mj_step(mj, source, 60)
    copy_state(source, data, 0)
    data.qacc_warmstart[0] = source.qacc_warmstart
    mujoco.mj_forward(mj, source)
    forward(model, data)
    assert source.nefc > 0
    np.testing.assert_allclose(data.qacc[0], source.qacc, atol=1e-9)


def test_same_bits():
    _, model = load("")
    check_same_bits(model, 150)


def test_at_the_minimum_it_stays():
    """What rounding leaves of the slope is no direction: more iterations change nothing."""
    text = """<mujoco>
      <option timestep=".01" density="1.2" wind="-1.903 .1658 .3606" tolerance="1e-14"/>
      <worldbody><geom type="plane" size="5 5 .1" pos="0 0 -.5" contype="2" conaffinity="1"/>
      <body pos="-0.08357 0.1661 -0.1069" euler="40.02 -15.54 -44.64" gravcomp="0.868">
        <joint name="j0" type="slide" axis="0.4911 1.18 -2.45" damping="0.303" stiffness="2.61"
          armature="0.0132" pos="-0.01698 -0.03668 -0.02778"/>
        <geom type="capsule" size="0.0441 0.0635" pos="-0.1337 -0.00996 0.09961"
          euler="6.559 37.72 -1.549" conaffinity="0"/>
        <body pos="0.03487 0.2066 -0.6047" euler="9.931 22.26 -18.77">
          <geom type="capsule" size="0.05 0.0446" pos="0.1537 0.05464 -0.07093"
            euler="-67.3 -34.2 -27.11" conaffinity="0"/></body></body></worldbody>
      <actuator><muscle joint="j0" lengthrange="-1 2" force="3"/></actuator></mujoco>"""
    mj, model = mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)
    data, source = Data(model, 2), mujoco.MjData(mj)
    data.qpos[:] = source.qpos[:] = 0.43052461180267376
    data.qvel[:] = source.qvel[:] = -0.16295694114053977
    data.ctrl[:] = source.ctrl[:] = 0.030438929231993758
    data.act[:] = source.act[:] = 0.5941094247628231
    forward(model, data)
    mujoco.mj_forward(mj, source)
    np.testing.assert_allclose(data.qacc[1], source.qacc, rtol=1e-9)


PILLAR = """
<mujoco>
  <worldbody>
    <geom type="plane" size="5 5 .1"/>
    <body><joint axis="0 0 1"/><geom type="capsule" fromto="0 0 0 0 0 .3" size=".05"/></body>
    <body pos="1 0 .098" euler="2 3 0"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
  </worldbody>
</mujoco>"""


@pytest.mark.parametrize(("solver", "tolerance"), [("Newton", 1e-7), ("CG", 1e-3)])
def test_costs_that_nothing_lowers_hide_no_others(solver, tolerance):
    """A pillar that turns in the floor costs 1e19, and beside it a box slides."""
    text = PILLAR.replace("<world", f"<option solver='{solver}' tolerance='1e-10'/><world", 1)
    mj, model = mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)
    data, rng = Data(model, NWORLD), np.random.default_rng(0)
    data.qvel[:] = rng.normal(size=data.qvel.shape)
    start = data.qacc_warmstart[:] = 5 * rng.normal(size=data.qvel.shape)
    forward(model, data)
    for world in range(NWORLD):
        source = mujoco.MjData(mj)
        source.qvel[:], source.qacc_warmstart[:] = data.qvel[world], start[world]
        mujoco.mj_forward(mj, source)
        assert source.efc_force.max() > 1e15
        np.testing.assert_allclose(data.qacc[world], source.qacc, rtol=0, atol=tolerance)


APART = """<mujoco><option timestep=".004" {option}/><worldbody><geom type="plane" size="3 3 .1"/>
  <body pos="0 0 .09"><freejoint/><geom size=".1"/></body>
  <body pos=".05 0 .28"><freejoint/><geom size=".1"/></body>
  <body pos="1 0 .5"><joint axis="0 1 0" range="-10 10" damping=".1" frictionloss=".1"/>
    <geom type="capsule" size=".05 .1"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize("option", ['iterations="1"', 'iterations="3"', 'tolerance="1e-3"'])
def test_iterations_that_are_cut_short_are_those_of_each_island(option):
    """Accelerations and iterations of islands in packs, and the bits of one world."""
    xml = APART.format(option=option)
    mj, model = mujoco.MjModel.from_xml_string(xml), mjenv.Model.from_xml_string(xml)
    packs, ones = (Data(model, NWORLD, width=width) for width in (8, 1))
    packs.qvel[:] = np.random.default_rng(0).normal(size=packs.qvel.shape)
    source, several, same = mujoco.MjData(mj), 0, 0
    for _ in range(30):
        mjenv.step(model, packs)
        rows = mjenv.get_state(model, packs, mujoco.mjtState.mjSTATE_INTEGRATION)
        mjenv.set_state(model, ones, rows, mujoco.mjtState.mjSTATE_INTEGRATION)
        for data in (packs, ones):
            forward(model, data)
        assert (packs.qacc == ones.qacc).all()
        assert (packs.solver_niter == ones.solver_niter).all()
        for world in range(NWORLD):
            mujoco.mj_setState(mj, source, rows[world], mujoco.mjtState.mjSTATE_INTEGRATION)
            mujoco.mj_forward(mj, source)
            # a criterion that is met by a rounding less ends one iteration earlier
            if (packs.solver_niter[world] == source.solver_niter).all():
                scale = 1 + np.abs(source.qacc).max()
                assert np.abs(packs.qacc[world] - source.qacc).max() < 1e-9 * scale
                same += 1
            several += source.nisland > 1
    assert several > 30
    assert same > 0.9 * 30 * NWORLD


SLIPPERY = """<mujoco><worldbody><geom type="plane" size="3 3 .1" friction="0"/>
  <body pos="0 0 .1"><freejoint/><geom type="box" size=".1 .12 .1" friction="0"/></body>
  <body pos=".02 .01 .3"><freejoint/><geom type="box" size=".1 .12 .1" friction="0"/></body>
  <body pos=".04 .02 .5"><freejoint/><geom type="box" size=".1 .12 .1" friction="0"/></body>
  </worldbody></mujoco>"""


def cost_of(mj, source, qacc) -> float:
    """What constraint forces minimize, at an acceleration."""
    inertia, cost = np.zeros((mj.nv, mj.nv)), np.zeros(1)
    mujoco.mj_fullM(mj, inertia, source.qM)
    off, jar = qacc - source.qacc_smooth, np.zeros(source.nefc)
    mujoco.mj_mulJacVec(mj, source, jar, np.ascontiguousarray(qacc))
    mujoco.mj_constraintUpdate(mj, source, jar - source.efc_aref, cost, 0)
    return 0.5 * off @ inertia @ off + cost[0]


def test_without_friction_the_minimum_is_reached():
    """Rows of nearly the same direction become active after the smallest part of a step."""
    mj, model = mujoco.MjModel.from_xml_string(SLIPPERY), mjenv.Model.from_xml_string(SLIPPERY)
    data, source = Data(model, NWORLD, width=1), mujoco.MjData(mj)
    data.qvel[:] = 0.5 * np.random.default_rng(0).normal(size=data.qvel.shape)
    for _ in range(60):
        rows = mjenv.get_state(model, data, mujoco.mjtState.mjSTATE_INTEGRATION)
        mjenv.step(model, data)
        for world in range(NWORLD):
            mujoco.mj_setState(mj, source, rows[world], mujoco.mjtState.mjSTATE_INTEGRATION)
            mujoco.mj_forward(mj, source)
            if source.nefc:
                least = cost_of(mj, source, source.qacc)
                assert cost_of(mj, source, data.qacc[world]) < 1.01 * least + 1e-9
