"""Frames that coincide but for rounding are the same, as in MuJoCo."""

import mujoco
import numpy as np

import mjenv

MODEL = """
<mujoco>
  <worldbody>
    <body name="free" pos="0 0 1">
      <freejoint/>
      <inertial pos="4e-7 -3e-7 2e-7" quat="1 2e-7 -4e-7 3e-7"
        mass=".001" diaginertia="1e-7 2e-7 2e-7"/>
      <geom name="on_body" type="box" size=".1 .2 .3" pos="-5e-7 0 3e-7" quat="1 0 3e-7 0"/>
      <site name="turned" pos=".1 0 0" quat="-1 4e-7 0 0"/>
      <site name="else" pos="2e-6 0 0"/>
    </body>
    <body name="arm" pos="1 0 1" euler="20 0 0">
      <joint name="hinge" axis="0 1 0"/>
      <inertial pos=".1 .2 .3" euler="10 20 30"
        mass="1" diaginertia=".1 .1 .15"/>
      <geom name="on_inertia" size=".1" pos=".1000003 .2 .2999996" euler="10.00001 20 30"/>
      <site name="beside" pos=".1 .25 .3" euler="10 20.00001 30"/>
    </body>
  </worldbody>
</mujoco>"""
PLACES = ("xipos", "ximat", "geom_xpos", "geom_xmat", "site_xpos", "site_xmat")


def pair():
    return mujoco.MjModel.from_xml_string(MODEL), mjenv.Model.from_xml_string(MODEL)


def state(mj):
    source = mujoco.MjData(mj)
    rng = np.random.default_rng(0)
    mujoco.mj_integratePos(mj, source.qpos, rng.normal(size=mj.nv), 1.0)
    source.qvel[:] = rng.normal(size=mj.nv)
    return source


def compare(mj, model, data, names, tolerance=1e-13):
    source = state(mj)
    data.qpos[:], data.qvel[:] = source.qpos, source.qvel
    mjenv.forward(model, data)
    mujoco.mj_forward(mj, source)
    for name in names:
        expected = np.ravel(getattr(source, name))
        for found in getattr(data, name).reshape(data.nworld, -1):
            np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance, err_msg=name)


def test_places_are_those_of_the_other_frame():
    mj, model = pair()
    assert {1, 2, 3, 4} <= {
        *np.concatenate([model.body_sameframe, model.geom_sameframe, model.site_sameframe])
    }
    for data in (mjenv.Data(model), mjenv.Data(model, 3, width=8)):
        compare(mj, model, data, PLACES)
        compare(mj, model, data, ("qacc",), 1e-9)


def test_what_is_edited_lies_where_it_was_put():
    mj, model = pair()
    data = mjenv.Data(model)
    place = np.array([0.1, 0.2, 0.3])
    model.geom("on_body").pos[:] = place
    for one in (mj, model):
        one.geom("on_inertia").pos[2] += 1e-7
    compare(mj, model, data, ("xipos", "site_xpos"))
    expected = data.xpos[0, 1] + data.xmat[0, 1].reshape(3, 3) @ place
    np.testing.assert_allclose(data.geom_xpos[0, 0], expected, atol=1e-13)
    np.testing.assert_array_equal(data.geom_xpos[0, 1], data.xipos[0, 2])


def test_fields_that_vary_stay_as_they_are():
    _, model = pair()
    data = mjenv.Data(model, 2, vary=["geom_pos"])
    np.testing.assert_array_equal(data.varied["geom_pos"][1], model.geom_pos)
