"""Boxes with capsules and boxes against MuJoCo."""

import pytest

from tests.engine.collisions import check_contacts, check_trajectory, check_widths, scene

BOX = "type='box' size='0.1 0.2 0.15'"
CAPSULES = {
    "pill": "type='capsule' size='0.05 0.11'",
    "needle": "type='capsule' size='0.01 0.6'",
    "bean": "type='capsule' size='0.12 0.03'",
}


@pytest.mark.parametrize("name", CAPSULES)
def test_capsule_box(name):
    assert check_contacts(scene(CAPSULES[name], BOX)) >= {0, 1, 2}
    assert check_contacts(scene(CAPSULES[name], BOX, margin=0.0), count=1000, seed=5) >= {0, 1}


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
    check_widths(scene(CAPSULES["pill"], BOX))
