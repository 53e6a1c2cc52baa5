"""After a reset nothing of the step before shows, whatever is looked at first."""

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.engine.data.requested_fields import LAZY_OUTPUTS, ROWS
from mjenv.engine.physics.results.scratch import AWAKE_FIELDS

SCENE = """
<mujoco>
  <option><flag {flag}/></option>
  <worldbody>
    <geom type="plane" size="9 9 .1"/><light pos="0 0 3"/><camera pos="0 0 3"/>
    <body name="hand" mocap="true" pos="3 0 1"><geom size=".1"/></body>
    <body pos="0 0 .095"><freejoint/><geom size=".1"/><camera/><light/></body>
    <body pos="0 2 .095"><joint name="lift" type="slide" axis="0 0 1"/>
      <geom size=".1" mass="1"/></body>
    <body name="lying" pos="0 4 .1" {sleep}><freejoint/><geom type="box" size=".1 .1 .1"/></body>
  </worldbody>
  <tendon><fixed name="rope" limited="true" range="0 1"><joint joint="lift" coef="1"/></fixed>
  </tendon>
  <actuator><motor joint="lift"/></actuator>
</mujoco>
"""
ASLEEP = {"flag": 'sleep="enable"', "sleep": 'sleep="init"'}
CASES = [
    ({}, {}),
    ({}, {"large_model": True}),
    ({}, {"nworld": 2}),
    ({}, {"nworld": 2, "large_model": True}),
    ({}, {"nworld": 8}),
    (ASLEEP, {}),
    (ASLEEP, {"nworld": 2}),
]
SEEN = [name for name in sorted(LAZY_OUTPUTS) if name in ROWS]


@pytest.mark.sweep(6)
@pytest.mark.parametrize(("text", "options"), CASES)
@pytest.mark.parametrize("looked_at", [True, False])
def test_nothing_is_left_after_a_reset(text, options, looked_at):
    xml = SCENE.format(**{"flag": "", "sleep": "", **text})
    model, mj = mjenv.Model.from_xml_string(xml), mujoco.MjModel.from_xml_string(xml)
    data, source = mjenv.Data(model, **options), mujoco.MjData(mj)
    for again in range(2):
        if again:
            mjenv.step(model, data, 3)
            assert not looked_at or (data.ncon[0] > 0 and data.nefc[0] > 0)
            mjenv.reset(model, data)
        for name in set(SEEN) - set(AWAKE_FIELDS):
            assert not getattr(data, name).any(), name
        for name in (n for n in SEEN if ROWS[n].shape[:1] == ("nconmax",)):
            assert not getattr(data.contact, name.removeprefix("contact_")).any(), name
        assert not data.efc_AR.any()
        for name in ("ntree_awake", "nbody_awake", "nparent_awake", "nv_awake"):
            assert (getattr(data, name) == getattr(source, name)).all(), name
        for name in ("tree_awake", "body_awake"):
            np.testing.assert_array_equal(getattr(data, name)[-1], getattr(source, name))
        for name, n in (("body_awake_ind", "nbody_awake"), ("dof_awake_ind", "nv_awake")):
            count = getattr(source, n)
            found, expected = getattr(data, name)[-1, :count], getattr(source, name)[:count]
            np.testing.assert_array_equal(found, expected, err_msg=name)
    mjenv.forward(model, data)
    assert (data.ncon > 0).all()
    assert (data.nefc > 0).all()
    assert data.cam_xpos[-1].any()


@pytest.mark.parametrize("options", [{}, {"large_model": True}, {"nworld": 2}])
def test_no_world_to_reset(options):
    model = mjenv.Model.from_xml_string(SCENE.format(flag="", sleep=""))
    data = mjenv.Data(model, **options)
    mjenv.step(model, data, 3)
    before = data.qpos.copy(), data.xpos.copy(), data.ncon.copy()
    mjenv.reset(model, data, mask=np.zeros(data.nworld, bool))
    for name, values in zip(("qpos", "xpos", "ncon"), before, strict=True):
        np.testing.assert_array_equal(getattr(data, name), values)
