"""Enumerations, options by name, and ids of names, beside MuJoCo's."""

import pickle

import mujoco
import pytest

import mjenv
from mjenv.engine.tables.enum_tables import NAMES

XML = """
<mujoco>
  <worldbody>
    <geom size="1"/>
    <body name="a"><joint name="j"/><geom name="g" size="1"/><site name="s"/></body>
  </worldbody>
  <actuator><motor name="m" joint="j"/></actuator>
  <keyframe><key name="k"/></keyframe>
</mujoco>
"""


@pytest.mark.parametrize("name", NAMES)
def test_members_are_those_of_mujoco(name):
    theirs = {key: int(x.value) for key, x in getattr(mujoco, name).__members__.items()}
    assert {key: int(x) for key, x in getattr(mjenv, name).__members__.items()} == theirs


def test_members_are_numbers():
    assert mjenv.mjtGeom.mjGEOM_BOX == mujoco.mjtGeom.mjGEOM_BOX.value
    flags = mjenv.mjtDisableBit.mjDSBL_CONTACT | mjenv.mjtDisableBit.mjDSBL_GRAVITY
    assert flags == 144
    assert pickle.loads(pickle.dumps(flags)) == flags
    assert "mjtGeom" in dir(mjenv)
    with pytest.raises(AttributeError, match="did you mean 'mjtGeom'"):
        _ = mjenv.mjtGeo


def test_options_by_name():
    """`opt.integrator = "RK4"`: words of MJCF, names in full, members, and several bits."""
    opt = mjenv.Model.from_xml_string(XML).opt
    opt.integrator, opt.cone, opt.solver, opt.jacobian = "RK4", "elliptic", "CG", "sparse"
    assert (opt.integrator, opt.cone, opt.solver, opt.jacobian) == (1, 1, 1, 1)
    opt.integrator = mjenv.mjtIntegrator.mjINT_IMPLICITFAST
    opt.solver = "mjSOL_NEWTON"
    assert (opt.integrator, opt.solver) == (3, 2)
    opt.disableflags = "contact gravity"
    opt.disableflags |= mjenv.mjtDisableBit.mjDSBL_LIMIT
    opt.enableflags = ["energy", "mjENBL_FWDINV"]
    assert (opt.disableflags, opt.enableflags) == (152, 6)
    for field, value, message in (
        ("integrator", "RK5", "integrator: 'RK5': no such mjtIntegrator; did you mean 'RK4'?"),
        ("cone", "round", "cone: 'round': no such mjtCone; there are PYRAMIDAL, ELLIPTIC"),
        ("enableflags", "fwd", "enableflags: 'fwd': no such mjtEnableBit; did you mean 'FWDINV'?"),
    ):
        with pytest.raises(ValueError, match=message.replace("?", r"\?")):
            setattr(opt, field, value)


def test_members_stand_for_words_of_a_document():
    spec = mjenv.Spec()
    body = spec.worldbody.add_body(name="b")
    body.add_geom(type=mjenv.mjtGeom.mjGEOM_BOX, size=(1, 1, 1))
    body.add_joint(type=mjenv.mjtJoint.mjJNT_SLIDE, limited=mjenv.mjtLimited.mjLIMITED_FALSE)
    spec.option.integrator = mjenv.mjtIntegrator.mjINT_IMPLICIT
    model = spec.compile()
    assert model.geom_type[0] == mjenv.mjtGeom.mjGEOM_BOX
    assert model.jnt_type[0] == mjenv.mjtJoint.mjJNT_SLIDE
    assert model.opt.integrator == mjenv.mjtIntegrator.mjINT_IMPLICIT


def test_ids_and_names():
    mj, model = mujoco.MjModel.from_xml_string(XML), mjenv.Model.from_xml_string(XML)
    for member in mujoco.mjtObj.__members__.values():
        kind = int(member.value)
        if kind in (mujoco.mjtObj.mjNOBJECT.value, mujoco.mjtObj.mjOBJ_DEFAULT.value):
            continue
        for name in ("world", "a", "j", "g", "s", "m", "k", "nothing", ""):
            assert mjenv.name2id(model, kind, name) == mujoco.mj_name2id(mj, kind, name)
        for k in range(-1, 4):
            assert mjenv.id2name(model, kind, k) == mujoco.mj_id2name(mj, kind, k)
    assert mjenv.name2id(model, "joint", "j") == mjenv.name2id(model, "mjOBJ_JOINT", "j") == 0
    assert mjenv.id2name(model, mjenv.mjtObj.mjOBJ_ACTUATOR, 0) == "m"
    with pytest.raises(ValueError, match="id2name: type='gem': no such type; did you mean 'geom'"):
        mjenv.id2name(model, "gem", 0)
    with pytest.raises(ValueError, match="name2id: type=77: expected mjtObj"):
        mjenv.name2id(model, 77, "a")
    with pytest.raises(TypeError, match="name2id: name=3: expected text"):
        mjenv.name2id(model, "body", 3)


def test_members_are_arguments():
    """Of functions that take a type or a mode."""
    model = mjenv.Model.from_xml_string(XML)
    data = mjenv.Data(model)
    mjenv.forward(model, data)
    for kind in (mjenv.mjtObj.mjOBJ_GEOM, 5, "mjOBJ_GEOM"):
        found = mjenv.object_velocity(model, data, kind, "g")
        assert (found == mjenv.object_velocity(model, data, "geom", "g")).all()
    mjenv.set_length_range(model, mode=mjenv.mjtLRMode.mjLRMODE_NONE)
    with pytest.raises(ValueError, match="objtype='equality': expected one of 'body', 'xbody'"):
        mjenv.object_velocity(model, data, mjenv.mjtObj.mjOBJ_EQUALITY, 0)
