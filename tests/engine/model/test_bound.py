"""Elements of a spec in its model and data, beside MuJoCo's `bind`."""

import mujoco
import numpy as np
import pytest

import mjenv

XML = """
<mujoco>
  <worldbody>
    <body name="a" pos="1 2 3"><joint name="j1" damping="1"/><geom name="g" size=".1"/>
      <body name="b" pos="0 0 1"><joint name="j2" type="ball"/><geom size=".1"/>
        <body name="c" pos="0 1 0"><joint name="j3" type="slide" damping="3"/><geom size=".1"/>
    </body></body></body>
  </worldbody>
  <actuator><motor name="m1" joint="j1"/><position name="m3" joint="j3" kp="5"/></actuator>
</mujoco>
"""


@pytest.fixture(params=[1, 3])
def made(request):
    spec = mjenv.Spec.from_string(XML)
    model = spec.compile()
    data = mjenv.Data(model, request.param)
    theirs = mujoco.MjSpec.from_string(XML)
    mj = theirs.compile()
    of_mj = mujoco.MjData(mj)
    mujoco.mj_forward(mj, of_mj)
    mjenv.forward(model, data)
    return spec, model, data, theirs, mj, of_mj


def test_rows_of_elements(made):
    spec, model, data, theirs, mj, of_mj = made
    for names in (["a"], ["a", "c"], ["c", "b", "a"]):
        ours, others = ([s.body(n) for n in names] for s in (spec, theirs))
        assert np.array_equal(model.bind(ours).pos, mj.bind(others).pos)
        for world in data.bind(ours).xpos:
            np.testing.assert_allclose(world, of_mj.bind(others).xpos)
    joints = [spec.joint(n) for n in ("j1", "j2", "j3")]
    others = [theirs.joint(n) for n in ("j1", "j2", "j3")]
    for world in data.bind(joints).qpos:
        np.testing.assert_allclose(world, of_mj.bind(others).qpos)
    assert data.bind(spec.joint("j2")).qpos.shape == (data.nworld, 4)
    assert model.bind(spec.joint("j3")).damping[0] == 3
    assert data.bind(spec.actuator("m3")).ctrl.shape == (data.nworld, 1)
    assert model.bind(joints).id == [0, 1, 2]
    assert repr(data.bind(joints)) == "<3 of kind joint: j1, j2, j3>"


def test_rows_are_assigned(made):
    spec, model, data, *_ = made
    some = data.bind([spec.joint("j1"), spec.joint("j3")])
    some.qpos = [0.5, 0.25]
    assert (data.qpos[:, [0, 5]] == [0.5, 0.25]).all()
    data.bind(spec.actuator("m1")).ctrl = 2
    assert (data.ctrl[:, 0] == 2).all()
    model.bind([spec.body("a"), spec.body("b")]).pos = 7
    assert (model.body_pos[1:3] == 7).all()


def test_what_cannot_be_bound(made):
    spec, model, data, *_ = made
    with pytest.raises(TypeError, match=r"Data.bind: found body and joint, expected elements of"):
        data.bind([spec.body("a"), spec.joint("j1")])
    with pytest.raises(TypeError, match=r"Model.bind: found an int, expected elements of a Spec"):
        model.bind(3)
    with pytest.raises(ValueError, match="has no name, by which it is found in the model"):
        model.bind(spec.body("b").add_geom(size=1))
    with pytest.raises(AttributeError, match="body: xpso: no such field; did you mean 'xpos'"):
        _ = data.bind([spec.body("a")]).xpso
