"""Constants of many worlds at once, where masses, inertia and armature differ."""

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.engine.edit.constants import REALS, set_const
from mjenv.engine.edit.mass_constants import MassConstants

MODEL = """
<mujoco>
  <worldbody>
    <light mode="targetbodycom" target="arm" pos="0 0 3"/>
    <body name="free" pos="0 0 2">
      <freejoint/><geom type="box" size=".1 .2 .3"/><geom pos=".3 0 0" size=".1"/>
    </body>
    <body name="ball" pos="1 0 1">
      <joint type="ball" armature=".1"/><geom type="capsule" fromto="0 0 0 .1 0 -.4" size=".05"/>
      <body name="arm" pos=".1 0 -.4">
        <joint name="hinge" axis="0 1 0" armature=".02"/>
        <geom type="capsule" fromto="0 0 0 .3 0 0" size=".04"/>
        <body pos=".3 0 0"><joint name="slide" type="slide"/><geom size=".06"/>
          <camera mode="trackcom"/></body>
        <body pos="0 .3 0"><joint name="other"/><geom pos=".1 0 0" size=".05"/></body>
      </body>
    </body>
    <body pos="0 3 0"><joint name="alone" type="slide"/><geom size=".1"/></body>
  </worldbody>
  <tendon>
    <fixed name="both" armature=".3"><joint joint="hinge" coef="1"/><joint joint="slide" coef="2"/>
    </fixed>
  </tendon>
  <actuator>
    <motor joint="hinge" gear="3"/><motor tendon="both"/>
    <position joint="alone" kp="3" dampratio="1"/>
  </actuator>
  <equality><connect body1="arm" body2="free" anchor=".1 0 0"/></equality>
</mujoco>"""
SOURCES = ("body_mass", "body_inertia", "dof_armature")


def edited(nworld, moved=False):
    """A model, and its data with random masses, inertia and armature, and centres of mass."""
    model = mjenv.Model.from_xml_string(MODEL)
    if moved:
        for name in ("body_sameframe", "geom_sameframe", "site_sameframe"):
            getattr(model, name)[:] = 0
    sources = (*SOURCES, "body_ipos") if moved else SOURCES
    vary = (*sources, *(name for name in REALS if np.size(getattr(model, name, 1))))
    data = mjenv.Data(model, nworld=nworld, vary=vary)
    rng = np.random.default_rng(0)
    for name in sources:
        values = data.varied[name]
        if name == "body_ipos":
            values += 0.1  # so that centres at the origin move, too
        values *= rng.uniform(0.5, 2.0, (200, *values.shape[1:]))[:nworld]
    return model, data


@pytest.mark.parametrize("moved", [False, True])
def test_they_are_those_of_mujoco(moved):
    model, data = edited(4, moved)
    constants = MassConstants(model)
    assert constants.fit(data.varied)
    assert not len(constants.set(data, np.arange(1, 4)))
    for i in range(1, 4):
        reference = mujoco.MjModel.from_xml_string(MODEL)
        for name in (*SOURCES, *(["body_ipos"] if moved else ())):
            getattr(reference, name)[:] = data.varied[name][i]
        if moved:
            for name in ("body_sameframe", "geom_sameframe", "site_sameframe"):
                getattr(reference, name)[:] = 0
        mujoco.mj_setConst(reference, mujoco.MjData(reference))
        for name in REALS:
            if name in data.varied:
                owner = reference.stat if name.startswith("stat_") else reference
                expected = getattr(owner, name.removeprefix("stat_"))
                np.testing.assert_allclose(
                    data.varied[name][i].ravel(),
                    np.ravel(expected),
                    rtol=1e-9,
                    atol=1e-10,
                    err_msg=name,
                )
    # the first world was left as it was
    np.testing.assert_array_equal(data.varied["dof_M0"][0], model.dof_M0)


@pytest.mark.parametrize("moved", [False, True])
def test_bits_do_not_depend_on_how_many_there_are(moved):
    model, data = edited(150, moved)
    alone = edited(150, moved)[1]
    constants = MassConstants(model)
    constants.set(data, np.arange(150))
    for i in (0, 7, 149):
        constants.set(alone, np.array([i]))
        for name in data.varied:
            np.testing.assert_array_equal(alone.varied[name][i], data.varied[name][i], name)


def test_worlds_that_need_more_are_named():
    model, data = edited(4)
    data.varied["actuator_biasprm"][2, 2, 2] = 0.7  # a damping ratio
    data.varied["body_mass"][1] = 0.0
    data.varied["body_inertia"][1] = 0.0
    data.varied["dof_armature"][1] = 0.0
    left = MassConstants(model).set(data, np.arange(4))
    np.testing.assert_array_equal(left, [1, 2])


@pytest.mark.parametrize("name", ["body_pos", "geom_pos", "actuator_gear", "jnt_axis"])
def test_other_fields_need_more(name):
    model = edited(1)[0]
    assert not MassConstants(model).fit(("body_mass", name))
    assert not MassConstants(model).fit(("body_ipos",))  # frames that were compiled as the same
    assert MassConstants(model).fit(("body_mass", "geom_friction", "opt_gravity", "dof_M0"))


def test_same_as_one_by_one():
    model, data = edited(3)
    MassConstants(model).set(data, np.arange(3))
    found = {name: values.copy() for name, values in data.varied.items()}
    set_const(model, data, range(3))
    for name, values in data.varied.items():
        np.testing.assert_allclose(found[name], values, rtol=1e-10, atol=1e-12, err_msg=name)
