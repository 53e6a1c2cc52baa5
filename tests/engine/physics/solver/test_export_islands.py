"""Islands of each world as MuJoCo lists them."""

import copy

import mujoco
import numpy as np
import pytest

import mjenv

BOXES = """
<mujoco>
  <option {option}/>
  <worldbody>
    <geom type="plane" size="5 5 .1"/>
    <body name="a" pos="0 0 .1"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
    <body name="still" pos="9 0 5"><freejoint/><geom size=".1"/></body>
    <body name="b" pos="1 0 .1"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
    <body name="c" pos="0 0 .299"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
    <body name="rail" pos="3 0 1"><joint name="r" type="slide" frictionloss=".1"/><geom size=".1"/>
      <body pos="0 0 .3"><joint name="s"/><geom size=".1"/></body></body>
    <body name="d" pos="5 0 1"><joint name="t" type="slide"/><geom size=".1"/></body>
  </worldbody>
  <equality><joint joint1="s" joint2="t"/></equality>
</mujoco>
"""
PER_ISLAND = [
    "island_ntree",
    "island_itreeadr",
    "island_nv",
    "island_idofadr",
    "island_dofadr",
    "island_ne",
    "island_nf",
    "island_nefc",
    "island_iefcadr",
]
WHOLE = ["tree_island", "map_itree2tree", "dof_island", "map_dof2idof", "map_idof2dof"]
PER_ROW = ("efc_island", "map_efc2iefc", "map_iefc2efc")


@pytest.mark.parametrize("width", [1, 8])
def test_islands_are_those_of_mujoco(width):
    text = BOXES.format(option="")
    model, reference = mjenv.Model.from_xml_string(text), mujoco.MjModel.from_xml_string(text)
    data, expected = mjenv.Data(model, 4, width=width), mujoco.MjData(reference)
    for world in range(4):
        # the stack falls apart, body a lifts off, b and c meet
        data.qpos[world, 0] = 0.15 * world
        data.qpos[world, 2] = 0.1 + (0.5 if world == 2 else 0.0)
        data.qpos[world, 14] = 0.3 if world == 3 else 1.0
    mjenv.forward(model, data)
    seen = set()
    for world in range(4):
        expected.qpos[:] = data.qpos[world]
        mujoco.mj_forward(reference, expected)
        n = expected.nisland
        seen.add(n)
        assert (data.nisland[world], data.nidof[world]) == (n, expected.nidof)
        for name in PER_ISLAND:
            ours = getattr(data, name)[world, :n]
            np.testing.assert_array_equal(ours, getattr(expected, name), err_msg=name)
        for name in WHOLE:
            np.testing.assert_array_equal(
                getattr(data, name)[world], getattr(expected, name), err_msg=name
            )
        for name in PER_ROW:
            ours = getattr(data, name)[world, : expected.nefc]
            np.testing.assert_array_equal(ours, getattr(expected, name), err_msg=name)
    assert len(seen) > 1


def test_without_islands_there_are_none():
    text = BOXES.format(option="").replace(
        "<option />", '<option><flag island="disable"/></option>'
    )
    model = mjenv.Model.from_xml_string(text)
    data = mjenv.Data(model)
    mjenv.forward(model, data)
    assert data.nisland[0] == data.nidof[0] == 0
    assert (data.dof_island[0] == -1).all()


@pytest.mark.parametrize("options", [{}, {"nworld": 8}, {"nworld": 2, "large_model": True}])
def test_inverse_dynamics_look_for_none(options):
    text = BOXES.format(option="")
    model, reference = mjenv.Model.from_xml_string(text), mujoco.MjModel.from_xml_string(text)
    data, expected = mjenv.Data(model, **options), mujoco.MjData(reference)
    mjenv.forward(model, data)
    found = data.nisland.copy()
    for inverse in (mjenv.inverse, mjenv.inverse_skip):
        assert (found > 0).all()
        first = np.arange(data.nworld) == 0
        inverse(model, data, mask=first)
        mujoco.mj_inverse(reference, expected)
        assert data.nisland[0] == expected.nisland == 0
        assert data.nidof[0] == 0  # MuJoCo's is old
        assert (data.dof_island[0] == -1).all()
        assert not data.island_nv[0].any()
        assert (data.nisland[1:] == found[1:]).all()
        assert (copy.deepcopy(data).nisland == data.nisland).all()
        mjenv.forward(model, data)
        mujoco.mj_forward(reference, expected)
        assert (data.nisland == expected.nisland).all()
