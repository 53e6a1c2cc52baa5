"""Deformables that touch in steps, sensors, edits, sleep, inverse dynamics and single stages."""

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv import Data, Model
from tests.engine.deformables import (
    BESIDE,
    COPIED,
    FLOOR,
    FOLDED,
    KINDS,
    SHEET,
    compare_contacts,
    document,
    falling,
    flexcomp,
    geom,
)


def test_what_sensors_and_forces_make_of_them():
    """Touch sensors count them; forces of bodies and adhesion leave them out, as in MuJoCo."""
    extra = """</worldbody>
<actuator><adhesion body='b' ctrlrange='0 1' gain='2'/></actuator><sensor>
<touch site='s'/><force site='s'/><contact geom1='g' num='3' data='found force dist pos normal'/>
<contact body1='b' reduce='netforce' data='found force torque'/><contact num='4' data='found pos'/>
<contact site='s' num='4' data='found pos'/></sensor><worldbody>"""
    body = geom("sphere").replace("<geom", "<site name='s' size='.1'/><geom")
    text = document(FLOOR + KINDS["sheet"] + body + extra)
    mj, model = mujoco.MjModel.from_xml_string(text), Model.from_xml_string(text)
    theirs, ours = mujoco.MjData(mj), Data(model)
    theirs.ctrl[:] = 0.5
    seen = 0
    for _ in range(20):
        for _ in range(10):
            mujoco.mj_step(mj, theirs)
        for field in COPIED:
            setattr(ours, field, getattr(theirs, field))
        mujoco.mj_forward(mj, theirs)
        mujoco.mj_rnePostConstraint(mj, theirs)
        mjenv.forward(model, ours)
        compare_contacts(theirs, ours)
        for field in ("sensordata", "cfrc_ext", "cfrc_int", "actuator_moment"):
            expected = np.ravel(getattr(theirs, field))
            found = np.ravel(getattr(ours, field))[: len(expected)]
            np.testing.assert_allclose(found, expected, atol=1e-5, rtol=1e-5, err_msg=field)
        seen = max(seen, theirs.sensordata[0])
    assert seen > 0


@pytest.mark.parametrize("kind", ["cable", "sheet", "solid", "cells"])
def test_steps(kind):
    """20 steps from the moment of contact."""
    text = document(FLOOR + KINDS[kind] + geom("ellipsoid"))
    mj, model = mujoco.MjModel.from_xml_string(text), Model.from_xml_string(text)
    theirs, ours = mujoco.MjData(mj), Data(model)
    while theirs.ncon < 2:
        mujoco.mj_step(mj, theirs)
    for field in COPIED:
        setattr(ours, field, getattr(theirs, field))
    for _ in range(20):
        mujoco.mj_step(mj, theirs)
        mjenv.step(model, ours)
    np.testing.assert_allclose(np.ravel(ours.qpos), theirs.qpos, atol=1e-7)


def test_same_bits():
    """Results depend neither on the number of worlds nor on that of threads."""
    model = Model.from_xml_string(document(FLOOR + KINDS["sheet"] + geom("box")))
    results = []
    for nworld, nthread in ((1, 1), (4, 1), (4, 2)):
        data = Data(model, nworld, nthread=nthread, keep=[])
        speeds = np.random.default_rng(0).normal(size=(4, model.nv))
        data.qvel[:] = 0.1 * speeds[:nworld]
        mjenv.step(model, data, 200)
        results.append(np.concatenate([data.qpos, data.qvel], axis=1))
    assert np.isfinite(results[1]).all()
    assert np.array_equal(results[0], results[1][:1])
    assert np.array_equal(results[1], results[2])


def test_large_models_run_alone():
    """Deformables touch in large models."""
    model = Model.from_xml_string(document(FLOOR + KINDS["sheet"]))
    with pytest.raises(ValueError, match="deformables that may touch something, which need"):
        Data(model, large_model=False)
    with pytest.raises(ValueError, match="large_model=True runs one world at a time"):
        Data(model, width=8)


EDITS = {
    "flex_margin": 0.02, "flex_gap": 0.004, "flex_friction": 0.3, "flex_solmix": 3.0,
    "flex_solref": (0.03, 0.8), "flex_solimp": (0.8, 0.9, 0.01, 0.4, 2.0), "flex_priority": 1,
    "flex_condim": 4, "flex_radius": 0.02, "flex_contype": 2, "flex_conaffinity": 0,
    "flex_selfcollide": 0, "flex_internal": 0, "flex_passive": 1, "flex_activelayers": 1,
    "geom_margin": 0.03, "body_margin": 0.03, "geom_contype": 0, "geom_condim": 6,
}  # fmt: skip


@pytest.mark.sweep(1)
@pytest.mark.parametrize("name", EDITS)
def test_edits(name):
    """What is edited while deformables touch counts at once, as in MuJoCo."""
    # where rows are sparse, MuJoCo takes rotations of elements from memory that it has not set
    contact, option = "internal='true' selfcollide='sap' contype='3'", "jacobian='dense'"
    body = FOLDED["solid"].replace("radius='.02'", "radius='.008'")
    text = document(
        FLOOR + body.format(contact=f"<contact {contact}/>") + falling("cable") + geom("box"),
        f"timestep='.001' {option}",
    )
    mj, model = mujoco.MjModel.from_xml_string(text), Model.from_xml_string(text)
    theirs, ours = mujoco.MjData(mj), Data(model)
    mujoco.mj_step(mj, theirs, 150)
    for step in range(6):
        if step == 2:
            for edited in (mj, model):
                getattr(edited, name)[...] = EDITS[name]
        for field in COPIED:
            setattr(ours, field, getattr(theirs, field))
        mujoco.mj_forward(mj, theirs)
        mjenv.forward(model, ours)
        compare_contacts(theirs, ours)
        mujoco.mj_step(mj, theirs, 20)


def test_contacts_switched_off_and_on():
    """Data without contacts become a large model when the flag lets deformables touch."""
    text = document(FLOOR + flexcomp("dim='2'", SHEET, pos="0 0 .02"), flag="contact='disable'")
    mj, model = mujoco.MjModel.from_xml_string(text), Model.from_xml_string(text)
    theirs, ours = mujoco.MjData(mj), Data(model, 8)
    assert ours.width == 8
    off = int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    for flags in (off, 0, off, 0):
        mj.opt.disableflags = model.opt.disableflags = flags
        for _ in range(10):
            mujoco.mj_step(mj, theirs)
            mjenv.step(model, ours)
        assert (ours.ncon == theirs.ncon).all()
        np.testing.assert_allclose(ours.qpos, np.tile(theirs.qpos, (8, 1)), atol=1e-9)
    assert ours.width == 1
    assert theirs.ncon


SLEEPY = [FLOOR + KINDS["cable"] + geom("sphere"), FLOOR + KINDS["solid"] + geom("box") + BESIDE]


@pytest.mark.sweep(1)
@pytest.mark.parametrize("body", SLEEPY, ids=range(len(SLEEPY)))
def test_sleep(body):
    """Trees may fall asleep beside deformables that touch."""
    text = document(body, "sleep_tolerance='.05'", "sleep='enable'")
    mj, model = mujoco.MjModel.from_xml_string(text), Model.from_xml_string(text)
    theirs, ours = mujoco.MjData(mj), Data(model)
    asleep = set()
    for _ in range(300):
        mujoco.mj_step(mj, theirs)
        mjenv.step(model, ours)
        np.testing.assert_array_equal(ours.tree_asleep[0], theirs.tree_asleep)
        assert ours.ncon[0] == theirs.ncon
        asleep |= set(np.flatnonzero(theirs.tree_asleep >= 0).tolist())
    assert asleep or "'c'" not in body
    np.testing.assert_allclose(ours.qpos[0], theirs.qpos, atol=1e-6)


def met(kind: str):
    """A geom that has come to lie on a sheet, in MuJoCo, and the same state here."""
    text = document(FLOOR + KINDS["sheet"] + geom(kind))
    mj, model = mujoco.MjModel.from_xml_string(text), Model.from_xml_string(text)
    theirs, ours = mujoco.MjData(mj), Data(model)
    while theirs.ncon < 2:
        mujoco.mj_step(mj, theirs)
    for field in COPIED:
        setattr(ours, field, getattr(theirs, field))
    return mj, model, theirs, ours


def test_inverse():
    """Inverse dynamics have the same rows."""
    mj, model, theirs, ours = met("capsule")
    theirs.qacc[:] = np.random.default_rng(0).normal(size=mj.nv)
    ours.qacc[:] = theirs.qacc
    mujoco.mj_inverse(mj, theirs)
    mjenv.inverse(model, ours)
    for field in ("qfrc_inverse", "qfrc_constraint", "efc_force"):
        expected = getattr(theirs, field)
        found = np.ravel(getattr(ours, field))[: len(expected)]
        np.testing.assert_allclose(found, expected, atol=1e-8, rtol=1e-8, err_msg=field)


def test_functions_of_single_stages():
    """Collision and rows as calls of their own."""
    mj, model, theirs, ours = met("box")
    for theirs_name, ours_name in (
        ("kinematics", "kinematics"), ("comPos", "com_pos"), ("flex", "flex"),
        ("collision", "collision"), ("makeConstraint", "make_constraint"),
    ):  # fmt: skip
        getattr(mujoco, f"mj_{theirs_name}")(mj, theirs)
        getattr(mjenv, ours_name)(model, ours)
    assert ours.ncon[0] == theirs.ncon
    assert ours.nefc[0] == theirs.nefc
    # forces of contacts
    mujoco.mj_forward(mj, theirs)
    mjenv.forward(model, ours)
    for contact in range(theirs.ncon):
        force = np.zeros(6)
        mujoco.mj_contactForce(mj, theirs, contact, force)
        found = mjenv.contact_force(model, ours, contact)[0]
        np.testing.assert_allclose(found, force, atol=1e-7, rtol=1e-7)


def test_filters_of_users():
    """They are asked about geoms alone."""
    text = document(FLOOR + KINDS["sheet"] + geom("box") + BESIDE)
    mj, model = mujoco.MjModel.from_xml_string(text), Model.from_xml_string(text)
    theirs, ours = mujoco.MjData(mj), Data(model)
    mjenv.set_hook(ours, "contactfilter", lambda model, worlds, geom1, geom2: True)
    mujoco.set_mjcb_contactfilter(lambda model, data, geom1, geom2: 1)
    try:
        most = 0
        for _ in range(200):
            mujoco.mj_step(mj, theirs)
            mjenv.step(model, ours)
            assert ours.ncon[0] == theirs.ncon
            most = max(most, theirs.ncon)
    finally:
        mujoco.set_mjcb_contactfilter(None)
    assert most
    assert (theirs.contact.geom.min(axis=1) < 0).all()
