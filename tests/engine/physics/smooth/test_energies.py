"""Energies: with option flag energy, and on request."""

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.engine.analysis.energies import energy_pos, energy_vel
from mjenv.engine.data.data import Data
from mjenv.engine.data.halves import step1
from mjenv.engine.data.step import forward, step

SCENE = """
<mujoco>
  <option integrator="{integrator}"><flag energy="{flag}" {flags}/></option>
  <worldbody>
    <body pos="0 0 2"><joint type="free" stiffness="3 1"/><geom size=".1"/><site name="a"/>
      <body pos=".3 0 0"><joint type="ball" stiffness="2"/><geom type="box" size=".1 .2 .1"/>
        <body pos=".3 0 0"><joint axis="0 1 0" stiffness="1 2 3" springref="30"/>
          <geom type="capsule" size=".05 .1"/><site name="b"/></body></body></body>
  </worldbody>
  <tendon><spatial stiffness="4 1" springlength=".1 .3"><site site="a"/><site site="b"/></spatial>
  </tendon>
</mujoco>
"""


def both(integrator="Euler", flag="enable", flags="", nworld=9):
    text = SCENE.format(integrator=integrator, flag=flag, flags=flags)
    mj, model = mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)
    data, sources = Data(model, nworld), [mujoco.MjData(mj) for _ in range(nworld)]
    rng = np.random.default_rng(0)
    for world, source in enumerate(sources):
        mujoco.mj_integratePos(mj, source.qpos, rng.normal(size=mj.nv), 1)
        source.qvel = rng.normal(size=mj.nv)
        data.qpos[world], data.qvel[world] = source.qpos, source.qvel
    return mj, model, data, sources


def agree(data, sources):
    expected = np.array([source.energy for source in sources])
    np.testing.assert_allclose(data.energy, expected, rtol=1e-10, atol=1e-10)
    return expected


@pytest.mark.parametrize("flags", ["", 'gravity="disable"', 'spring="disable"'])
def test_with_the_flag(flags):
    mj, model, data, sources = both(flags=flags)
    for ours, theirs in ((forward, mujoco.mj_forward), (step1, mujoco.mj_step1)):
        ours(model, data)
        for source in sources:
            theirs(mj, source)
        assert agree(data, sources).all()


@pytest.mark.parametrize("integrator", ["Euler", "RK4", "implicitfast"])
def test_of_steps(integrator):
    mj, model, data, sources = both(integrator)
    step(model, data, 3)
    for source in sources:
        mujoco.mj_step(mj, source, 3)
    assert agree(data, sources).all()


@pytest.mark.parametrize("nworld", [1, 9])
def test_on_request(nworld):
    mj, model, data, sources = both(flag="disable", nworld=nworld)
    forward(model, data)
    assert not data.energy.any()
    energy_pos(model, data)
    energy_vel(model, data)
    for source in sources:
        mujoco.mj_forward(mj, source)
        mujoco.mj_energyPos(mj, source)
        mujoco.mj_energyVel(mj, source)
    assert agree(data, sources).all()


@pytest.mark.parametrize("nworld", [1, 9])
def test_the_flag_goes_on_and_off(nworld):
    mj, model, data, sources = both(flag="disable", nworld=nworld)
    for on in (1, 0, 1):
        mj.opt.enableflags = model.opt.enableflags = 2 * on
        step(model, data)
        for source in sources:
            mujoco.mj_step(mj, source)
        assert agree(data, sources).all() == bool(on)


def test_of_some_worlds():
    _, model, data, _ = both(flag="disable")
    forward(model, data)
    mask = np.arange(9) % 2 > 0
    energy_vel(model, data, mask=mask)
    assert ((data.energy[:, 1] > 0) == mask).all()
    assert not data.energy[:, 0].any()


@pytest.mark.parametrize("flag", ["enable", "disable"])
def test_the_sensor_of_kinetic_energy_reads_that_of_its_step(flag):
    """With the flag, MuJoCo's reads what the step before has left."""
    text = f"""<mujoco><option><flag energy="{flag}"/></option>
    <worldbody><body><joint axis="0 1 0"/><geom size=".1" pos=".3 0 0"/></body></worldbody>
    <sensor><e_kinetic/></sensor></mujoco>"""
    model, mj = mjenv.Model.from_xml_string(text), mujoco.MjModel.from_xml_string(text)
    data, source, last = mjenv.Data(model), mujoco.MjData(mj), []
    for _ in range(4):
        mjenv.step(model, data)
        mujoco.mj_step(mj, source)
        last.append(data.sensordata[0, 0])
        assert data.energy[0, 1] == last[-1]
    theirs = last[-2] if flag == "enable" else last[-1]
    np.testing.assert_allclose(source.sensordata[0], theirs, rtol=1e-9)
