"""Named things of a model and its data have the rows that MuJoCo's bindings give them."""

import mujoco
import numpy as np
import pytest

from mjenv.engine.data.data import Data
from mjenv.engine.data.step import forward
from mjenv.engine.edit.compile import Model

XML = """
<mujoco>
  <asset>
    <texture name="t" type="2d" builtin="checker" width="4" height="6"/>
    <material name="ma" texture="t"/>
    <hfield name="h" nrow="3" ncol="4" size="1 2 3 .1" elevation="1 2 3 4 5 6 7 8 9 10 11 12"/>
  </asset>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 1"/><camera name="c"/><light name="l"/>
    <body name="arm" pos="0 0 1">
      <joint name="hinge" damping="1 2 3" armature="2" stiffness="3" ref="10" springref="20"/>
      <geom name="g" size=".1"/><site name="s"/>
      <body name="hand" pos="1 0 0"><joint name="ball" type="ball"/><geom size=".2"/></body>
    </body>
    <body name="free" pos="0 3 1"><freejoint name="free"/><geom size=".2"/></body>
  </worldbody>
  <contact><pair name="p" geom1="g" geom2="floor"/><exclude name="x" body1="arm" body2="free"/>
  </contact>
  <tendon><fixed name="ten"><joint joint="hinge" coef="2"/></fixed></tendon>
  <equality><joint name="e" joint1="hinge"/></equality>
  <actuator><motor name="m" joint="hinge"/><general name="i" joint="hinge" dyntype="integrator"/>
  </actuator>
  <sensor><clock name="time"/><framepos name="at" objtype="site" objname="s"/></sensor>
  <custom><numeric name="n" data="1 2 3"/><tuple name="tu"><element objtype="body" objname="arm"/>
    <element objtype="geom" objname="g"/></tuple></custom>
  <keyframe><key name="k" qpos="1"/></keyframe>
</mujoco>"""
KINDS = (
    "body", "joint", "geom", "site", "camera", "light", "hfield", "texture", "material", "pair",
    "exclude", "equality", "tendon", "actuator", "sensor", "numeric", "tuple", "key",
)  # fmt: skip
# what the bindings give otherwise: the body of every dof; rows of a Jacobian that is not sparse
OTHER = {("joint", "bodyid"), ("tendon", "J_colind")}


@pytest.mark.parametrize("kind", KINDS)
def test_rows_of_a_model(kind):
    ours, reference = Model.from_xml_string(XML), mujoco.MjModel.from_xml_string(XML)
    for place in range(getattr(reference, f"n{kind}", 1)):
        mine, theirs = getattr(ours, kind)(place), getattr(reference, kind)(place)
        fields = [f for f in dir(theirs) if f[0] != "_" and (kind, f) not in OTHER]
        assert set(fields) <= set(dir(mine))
        for field in fields:
            a, b = getattr(mine, field), getattr(theirs, field)
            assert np.shape(a) == np.shape(b), field
            assert np.array_equal(a, b) or np.allclose(a, b, rtol=1e-9), field


def test_rows_are_written():
    model = Model.from_xml_string(XML)
    model.joint("ball").damping = 7
    model.body("arm").pos = (1, 2, 3)
    model.hfield("h").data[1, 2] = 9
    assert model.dof_damping.tolist() == [1, 7, 7, 7, 0, 0, 0, 0, 0, 0]
    assert model.body_pos[1].tolist() == [1, 2, 3]
    assert model.hfield_data[6] == 9
    with pytest.raises(AttributeError, match=r"joint: dampin: no such field; did you mean"):
        model.joint("ball").dampin = 3
    with pytest.raises(AttributeError, match=r"body: zzz: no such field; see body_\*"):
        _ = model.body("arm").zzz
    with pytest.raises(ValueError, match="shape"):
        model.body("arm").pos = (1, 2)


SIMPLE = """<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/><camera name="c"/>
  <body name="arm" pos="0 0 1"><joint name="hinge"/><geom name="g" size=".1"/><site name="s"/>
  <body pos="1 0 0"><joint name="ball" type="ball"/><geom size=".2"/></body></body>
  <body pos="0 3 1"><freejoint name="free"/><geom size=".2"/></body></worldbody>
  <actuator><motor name="m" joint="hinge"/></actuator></mujoco>"""


@pytest.mark.parametrize("nworld", [1, 3])
def test_rows_of_data(nworld):
    model, reference = Model.from_xml_string(SIMPLE), mujoco.MjModel.from_xml_string(SIMPLE)
    data, expected = Data(model, nworld), mujoco.MjData(reference)
    for world, turn in enumerate(np.linspace(0.1, 0.3, nworld)):
        data.joint("hinge").qpos[world] = turn
        data.joint("free").qvel[world] = turn
        data.actuator("m").ctrl[world] = turn
    data.body("arm").xfrc_applied = (1, 2, 3, 4, 5, 6)
    forward(model, data)
    expected.joint("hinge").qpos[:] = data.qpos[-1, :1]
    expected.qvel[-6:] = data.qpos[-1, 0]
    expected.ctrl[:] = data.qpos[-1, 0]
    expected.body("arm").xfrc_applied[:] = (1, 2, 3, 4, 5, 6)
    mujoco.mj_forward(reference, expected)
    for kind, name in (("body", "arm"), ("joint", "hinge"), ("joint", "ball"), ("joint", "free"),
                       ("geom", "g"), ("site", "s"), ("actuator", "m")):  # fmt: skip
        mine, theirs = getattr(data, kind)(name), getattr(expected, kind)(name)
        for field in ("xpos", "qpos", "qvel", "qacc", "qfrc_bias", "xanchor", "cvel", "ctrl"):
            if hasattr(theirs, field):
                value = getattr(mine, field)
                assert value.shape == (nworld, *getattr(theirs, field).shape), (kind, field)
                np.testing.assert_allclose(value[-1], getattr(theirs, field), atol=1e-9)
    with pytest.raises(AttributeError, match="joint: xpos: no such field"):
        _ = data.joint("ball").xpos
    with pytest.raises(KeyError, match=r"joint: 'hing': no such name; did you mean 'hinge'\?"):
        data.joint("hing")


def test_fields_that_are_not_kept():
    data = Data(Model.from_xml_string(SIMPLE), 2, keep=["xpos"])
    assert data.body("arm").xpos.shape == (2, 3)
    with pytest.raises(AttributeError, match=r"Data.xquat: not kept; make the data with keep="):
        _ = data.body("arm").xquat
