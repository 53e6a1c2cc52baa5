"""Spheres, ellipsoids and cylinders on planes, cylinders and boxes against MuJoCo."""

import mujoco
import numpy as np
import pytest

import mjenv
from tests.engine.collisions import (
    check_contacts,
    check_trajectory,
    check_widths,
    found_contacts,
    large_model,
)

FLOOR = "type='plane' size='3 3 0.1' euler='12 -7 30' pos='0.1 0.2 0.05'"
LEVEL = "type='plane' size='3 3 0.1'"
BALL = "type='sphere' size='0.11'"
CAN = "type='cylinder' size='0.12 0.2'"
COIN = "type='cylinder' size='0.2 0.03'"
BOX = "type='box' size='0.1 0.2 0.15'"
EGG = "type='ellipsoid' size='0.1 0.2 0.15'"

PAIRS = {
    "plane-ellipsoid": (EGG, FLOOR, {0, 1}),
    "level-ellipsoid": (EGG, LEVEL, {0, 1}),
    "plane-cylinder": (CAN, FLOOR, {0, 1, 2, 3, 4}),
    "level-cylinder": (CAN, LEVEL, {0, 2, 3, 4}),
    "level-coin": (COIN, LEVEL, {0, 3, 4}),
    "sphere-cylinder": (BALL, CAN, {0, 1}),
    "sphere-coin": (BALL, COIN, {0, 1}),
    "sphere-box": (BALL, BOX, {0, 1}),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", PAIRS)
def test_contacts(name):
    first, second, numbers = PAIRS[name]
    assert check_contacts(large_model(first, second)) >= numbers
    assert (
        check_contacts(large_model(first, second, margin=0.0), count=500, seed=5)
        >= {0, 1} & numbers
    )


MIXED = """
<mujoco>
  <worldbody>
    <geom type="plane" size="3 3 0.1" margin="0.002" contype="7" conaffinity="7"/>
    <body pos="0 0 0.3"><freejoint/><geom type="cylinder" size="0.1 0.12"/></body>
    <body pos="0.01 0 0.6"><freejoint/><geom type="sphere" size="0.08" condim="4"/></body>
    <body pos="0.6 0 0.2"><freejoint/><geom type="box" size="0.1 0.15 0.08" contype="2"
    conaffinity="2"/></body>
    <body pos="0.61 0 0.45"><freejoint/><geom type="sphere" size="0.08" contype="2"
    conaffinity="2"/></body>
    <body pos="-0.6 0 0.2"><freejoint/><geom type="ellipsoid" size="0.1 0.15 0.08" condim="6"
    contype="4" conaffinity="4"/></body>
  </worldbody>
</mujoco>
"""


def test_steps_from_states_along_a_trajectory():
    assert check_trajectory(MIXED) > 1000


@pytest.mark.parametrize(
    "name", ["plane-ellipsoid", "plane-cylinder", "sphere-cylinder", "sphere-box"]
)
def test_same_bits_in_packs(name):
    check_widths(large_model(*PAIRS[name][:2]))


def test_cylinders_that_hardly_tilt():
    """Rounding of the axis is not taken for the slope of the end."""
    xml = large_model('type="cylinder" size="0.0711064 0.225361"', 'type="plane" size="1 1 1"', 0.0)
    rng = np.random.default_rng(0)
    qpos = np.zeros((400, 7))
    qpos[:, 3:] = rng.normal(size=(400, 4)) * 10.0 ** rng.uniform(-10, -8.3, (400, 1))
    qpos[::2, 3] = qpos[1::2, 4] = 1.0
    qpos[:, 2] = 0.225361 - 1e-7
    data = found_contacts(mjenv.Model.from_xml_string(xml), qpos)
    assert set(data.ncon) == {3}
    slope = np.hypot(*data.geom_xmat.reshape(400, 2, 3, 3)[:, 1, 2, :2].T)
    lowest = -1e-7 - 0.0711064 * slope
    assert np.abs(data.contact.dist[:, 0] - lowest).max() < 2e-9


@pytest.mark.parametrize("broadphase", [False, True])
@pytest.mark.parametrize("body", ["size='.1'", "type='capsule' size='.05 .05'"])
def test_bounding_spheres_decide_over_planes_too(body, broadphase):
    """A geom that was made larger, with its old bounding sphere, goes unnoticed as in MuJoCo."""
    text = f"""<mujoco><worldbody><geom type="plane" size="1 1 1"/>
      <body pos="0 0 .15"><freejoint/><geom {body}/></body></worldbody></mujoco>"""
    for bound, count in ((None, 0), (0.3, 1)):
        mj, model = mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)
        for one in (mj, model):
            one.geom_size[1, 0] = 0.3
            if bound is not None:
                one.geom_rbound[1] = bound
        source, data = mujoco.MjData(mj), mjenv.Data(model, 1, large_model=broadphase)
        mujoco.mj_forward(mj, source)
        mjenv.forward(model, data)
        assert data.ncon[0] == source.ncon
        assert (source.ncon > 0) == (count > 0)
