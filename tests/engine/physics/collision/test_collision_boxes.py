"""Boxes with capsules and boxes against MuJoCo."""

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.engine.physics.collision.slots import BOX_SLOTS
from tests.engine.collisions import check_contacts, check_trajectory, check_widths, large_model

BOX = "type='box' size='0.1 0.2 0.15'"
CAPSULES = {
    "pill": "type='capsule' size='0.05 0.11'",
    "needle": "type='capsule' size='0.01 0.6'",
    "bean": "type='capsule' size='0.12 0.03'",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CAPSULES)
def test_capsule_box(name):
    assert check_contacts(large_model(CAPSULES[name], BOX)) >= {0, 1, 2}
    assert check_contacts(large_model(CAPSULES[name], BOX, margin=0.0), count=1000, seed=5) >= {
        0,
        1,
    }


STICKS = """
<mujoco>
  <default><geom margin="0.002"/></default>
  <worldbody>
    <geom type="box" size="2 2 0.1" pos="0 0 -0.1"/>
    <geom type="box" size="0.1 0.5 0.1" pos="0.2 0 0.05" euler="0 30 10"/>
    <body pos="0 0 0.3"><freejoint/><geom type="capsule" size="0.05 0.2"/></body>
    <body pos="0.4 0 0.3"><freejoint/><geom type="capsule" size="0.06 0.1" condim="4"/></body>
  </worldbody>
</mujoco>
"""


def test_capsules_on_boxes_along_a_trajectory():
    assert check_trajectory(STICKS) > 1000


def test_same_bits_of_capsule_box():
    check_widths(large_model(CAPSULES["pill"], BOX))


BRICKS = {
    "brick": "type='box' size='0.17 0.06 0.11'",
    "same": BOX,
    "plate": "type='box' size='0.3 0.4 0.01'",
    "rod": "type='box' size='0.02 0.5 0.02'",
    "cubes": "type='box' size='0.1 0.1 0.1'",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BRICKS)
def test_box_box(name):
    other = BRICKS[name] if name == "cubes" else BOX
    # one pose turns a box by exactly 90 degrees: corners on edges are listed once or twice
    numbers = check_contacts(large_model(BRICKS[name], other), allowed=1)
    assert numbers >= {0, 1, 2, 3, 4, 5, 6}
    assert max(numbers) <= BOX_SLOTS, "contacts would be lost"
    assert check_contacts(large_model(BRICKS[name], other, margin=0.0), count=1000, seed=5) >= {
        0,
        1,
        4,
    }
    # of boxes beyond a wide margin, MuJoCo's broad phase may drop what the routine lists
    check_contacts(large_model(BRICKS[name], other, margin=0.1), count=1000, seed=6)


@pytest.mark.slow
@pytest.mark.parametrize("size", ["0.1 0.1 0.1", "0.3 0.1 0.5"])
@pytest.mark.parametrize("depth", [0.0, 1e-9, 1e-6, 1e-3])
def test_faces_that_coincide_but_for_rounding(size, depth):
    """Tilts and shifts of some last bits decide which corners are listed, and in which order."""
    box = f"type='box' size='{size}'"
    rng = np.random.default_rng(7)
    half = np.array([float(x) for x in size.split()])
    qpos = np.zeros((1500, 14))
    for row in qpos:
        axis, turn = rng.integers(0, 3), rng.choice([0, 0, np.pi / 4, rng.uniform(0, np.pi)])
        row[[3, 10]] = 1
        row[axis] = 2 * half[axis] - depth
        row[:3] += rng.normal(size=3) * 10.0 ** rng.uniform(-18, -12)
        row[3], row[4 + axis] = np.cos(turn), np.sin(turn)
        row[4:7] += rng.normal(size=3) * 10.0 ** rng.uniform(-17, -12)
    xml = large_model(box, box, margin=0.0)
    assert 8 <= max(check_contacts(xml, qpos, allowed=1)) <= BOX_SLOTS


PILE = """
<mujoco>
  <default><geom margin="0.002"/></default>
  <worldbody>
    <geom type="box" size="2 2 0.1" pos="0 0 -0.1"/>
    <body pos="0 0 0.25"><freejoint/><geom type="box" size="0.1 0.15 0.08"/></body>
    <body pos="0.05 0 0.5"><freejoint/><geom type="box" size="0.1 0.1 0.1" condim="4"/></body>
  </worldbody>
</mujoco>
"""


def test_boxes_on_boxes_along_a_trajectory():
    assert check_trajectory(PILE) > 1000


def test_same_bits_of_box_box():
    check_widths(large_model(BRICKS["brick"], BOX))


def test_boxes_that_just_touch_are_in_contact_where_mujoco_says_so():
    # distances are zero but for rounding: unit quaternions must not be normalized again
    rng, bodies = np.random.default_rng(0), ""
    for i, (low, high) in enumerate(rng.integers(5, 40, (30, 2)) / 100):
        bodies += (
            f'<body pos="{4 * i} 0 {low}" euler="0 0 {17 * i}"><freejoint/>'
            f'<geom type="box" size=".3 .2 {low}"/></body>'
            f'<body pos="{4 * i} 0 {2 * low + high:.2f}" euler="0 0 {17 * i + 6}"><freejoint/>'
            f'<geom type="box" size=".4 .1 {high}"/></body>'
        )
    text = f'<mujoco><worldbody><geom type="plane" size="9 9 9"/>{bodies}</worldbody></mujoco>'
    model, reference = mjenv.Model.from_xml_string(text), mujoco.MjModel.from_xml_string(text)
    data, expected = mjenv.Data(model), mujoco.MjData(reference)
    mjenv.forward(model, data)
    mujoco.mj_forward(reference, expected)
    assert 0 < data.ncon[0] == expected.ncon < 30 * 8
    np.testing.assert_array_equal(data.contact.geom[0, : expected.ncon], expected.contact.geom)
