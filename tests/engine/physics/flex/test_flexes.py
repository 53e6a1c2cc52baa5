"""Deformables without contacts move as MuJoCo's: vertices, edges, elasticity, constrained edges."""

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv import Data, Model
from mjenv.engine.errors import UnsupportedFeature
from tests.engine.reference import check_same_bits

ELASTIC = "young='1e4' poisson='.3' damping='.01'"
SHELL = "thickness='.02' elastic2d"
ALONE = "<contact selfcollide='none'/>"


def flexcomp(attributes="", inside="", count="4 4 1"):
    return (
        f"<flexcomp name='f' count='{count}' spacing='.1 .12 .09' radius='.01' {attributes}>"
        f"{inside}</flexcomp>"
    )


def floating(inside):
    return (
        f"<body name='b' pos='0 0 1' euler='10 0 20'><freejoint/><geom size='.1'/>{inside}</body>"
    )


def document(body, flag="contact='disable'", extra=""):
    return f"""<mujoco><option {extra}><flag {flag}/></option>
<worldbody>{body}</worldbody></mujoco>"""


FLOOR = "<geom type='plane' size='1 1 1'/>"
CONSTRAINED = "<edge equality='true' solref='.03 .8'/>"
VERTICES = "<edge equality='vert' solref='.03 .8'/>"
STRAINS = f"<edge equality='strain' solref='.03 .8'/>{ALONE}"
NODES = f"<elasticity {ELASTIC}/>{ALONE}"
BODIES = {
    "line": flexcomp("dim='1'", "<edge stiffness='50' damping='.2'/><pin id='0'/>", "5 1 1"),
    "circle": flexcomp("dim='1' type='circle'", "<edge equality='true'/><pin id='0'/>", "6 1 1"),
    "stretched": flexcomp("", f"<elasticity {ELASTIC} {SHELL}='stretch'/><pin id='0 3'/>"),
    "bent": flexcomp("", f"<elasticity {ELASTIC} {SHELL}='both'/>"),
    "solid": flexcomp("dim='3'", f"<elasticity {ELASTIC}/>", "3 3 3"),
    "radial": flexcomp(
        "dim='3' type='ellipsoid' dof='radial'", f"<elasticity {ELASTIC}/>", "3 3 3"
    ),
    "damped on a body": floating(
        flexcomp("dim='1'", "<pin id='0'/><edge stiffness='50' damping='2'/>", "5 1 1")
    ),
    "edges": flexcomp("", f"{CONSTRAINED}<pin id='0'/>"),
    "edges on a body": floating(flexcomp("", f"<pin id='0'/>{CONSTRAINED}", "3 3 1")),
    "solid on a body": floating(
        flexcomp("dim='3'", f"<pin id='0'/><elasticity {ELASTIC}/>", "2 2 2")
    ),
    "trilinear": flexcomp("dim='3' dof='trilinear'", NODES, "3 3 3"),
    "quadratic": flexcomp("dim='3' dof='quadratic'", f"<pin id='0'/>{NODES}", "3 3 3"),
    "cells": flexcomp(
        "dim='3' dof='trilinear' type='direct' cellcount='2 1 2' point='0 0 0 1 0 0 0 1 0 0 0 1"
        " .8 .9 .7' element='0 1 2 3 1 2 3 4'",
        NODES,
    ),
    "shell": flexcomp(
        "dim='3' type='box' dof='quadratic'",
        f"<elasticity young='1e2' poisson='.3' damping='.01' {SHELL}='both'/>{ALONE}",
        "3 3 3",
    ),
    "nodes on a body": floating(
        flexcomp("dim='3' dof='trilinear'", f"<pin id='0'/>{NODES}", "2 2 2")
    ),
    "rigid": floating(flexcomp("rigid='true'")),
    "sheet": flexcomp("", VERTICES),
    "sheet in a plane": flexcomp("dof='2d'", VERTICES, "4 3 1"),
    "sheet on a body": "<body name='b'><freejoint/><geom size='.1' mass='.2'/>"
    + flexcomp("", f"<pin id='4'/>{VERTICES}", "3 3 1")
    + "</body>",
    "strained": flexcomp("dim='3' dof='trilinear'", STRAINS, "3 3 3"),
    "strained quadratic": flexcomp("dim='3' dof='quadratic'", f"<pin id='0'/>{STRAINS}", "3 3 3"),
    "strained cells": flexcomp("dim='3' dof='trilinear' cellcount='2 1 2'", STRAINS, "3 3 3"),
    "strained shell": flexcomp(
        "dim='3' type='box' dof='trilinear' cellcount='2 1 2'",
        f"<elasticity young='1e3' poisson='.3' {SHELL}='bend'/>{STRAINS}",
        "3 3 3",
    ),
    "strained on a body": floating(
        flexcomp("dim='3' dof='trilinear'", f"<pin id='0'/>{STRAINS}", "2 2 2")
    ),
    "two": flexcomp("", CONSTRAINED)
    + flexcomp("dim='1'", CONSTRAINED, "4 1 1").replace("'f'", "'g'")
    + "<body name='c'><freejoint/><geom size='.1'/></body>",
}  # fmt: skip
# elastic nodes with other damping than those before
UNLIKE = flexcomp("dim='3' dof='trilinear'", NODES, "2 2 2") + flexcomp(
    "dim='3' dof='quadratic'", NODES.replace(".01", ".03"), "2 2 2"
).replace("'f'", "'g'")
FIELDS = (
    "flexvert_xpos", "flexelem_aabb", "flexedge_length", "flexedge_J", "flexedge_velocity",
    "flexvert_length", "flexvert_J", "efc_J", "efc_diagApprox",
    "qfrc_spring", "qfrc_damper", "qfrc_passive", "efc_pos", "efc_aref", "qacc", "energy",
)  # fmt: skip


def shaken(mj):
    """MuJoCo's data after some steps from random velocities."""
    data = mujoco.MjData(mj)
    data.qvel[:] = 0.1 * np.random.default_rng(0).standard_normal(mj.nv)
    for _ in range(5):
        mujoco.mj_step(mj, data)
    return data


@pytest.mark.sweep(6)
@pytest.mark.parametrize("name", BODIES)
def test_stages_and_steps(name):
    text = document(BODIES[name], "contact='disable' energy='enable'")
    mj, model = mujoco.MjModel.from_xml_string(text), Model.from_xml_string(text)
    theirs, ours = shaken(mj), Data(model)
    for field in ("qpos", "qvel", "qacc_warmstart", "time"):
        setattr(ours, field, getattr(theirs, field))
    mujoco.mj_forward(mj, theirs)
    mjenv.forward(model, ours)
    for field in FIELDS:
        expected = np.ravel(getattr(theirs, field))
        found = np.ravel(getattr(ours, field))[: len(expected)]
        scale = np.abs(expected).max(initial=1e-6)
        np.testing.assert_allclose(found, expected, atol=1e-11 * scale, rtol=0, err_msg=field)
    for _ in range(20):
        mujoco.mj_step(mj, theirs)
        mjenv.step(model, ours)
    # a step of the solver ends where its tolerance lets it
    np.testing.assert_allclose(np.ravel(ours.qpos), theirs.qpos, atol=1e-9)


MIXED = ["bent", "edges", "shell", "solid on a body", "sheet", "strained on a body"]
IMPLICIT = {
    **{name: BODIES[name] for name in (
        "line", "bent", "damped on a body", "trilinear", "quadratic", "cells", "shell",
        "nodes on a body", "strained shell",
    )},
    "unlike": UNLIKE,
}  # fmt: skip


@pytest.mark.sweep(7)
@pytest.mark.parametrize("integrator", ["implicit", "implicitfast", "RK4"])
@pytest.mark.parametrize("name", IMPLICIT)
def test_integrators(name, integrator):
    """Damped edges are among the derivatives; elastic nodes are solved for on their own."""
    text = document(IMPLICIT[name], extra=f"integrator='{integrator}' density='2' timestep='.001'")
    mj, model = mujoco.MjModel.from_xml_string(text), Model.from_xml_string(text)
    theirs, ours = shaken(mj), Data(model)
    for field in ("qpos", "qvel", "qacc_warmstart", "time"):
        setattr(ours, field, getattr(theirs, field))
    for _ in range(10):
        mujoco.mj_step(mj, theirs)
        mjenv.step(model, ours)
    np.testing.assert_allclose(np.ravel(ours.qpos), theirs.qpos, atol=1e-11)
    # a step in two halves
    if integrator != "RK4":
        mujoco.mj_step(mj, theirs)
        mjenv.step1(model, ours)
        mjenv.step2(model, ours)
        np.testing.assert_allclose(np.ravel(ours.qpos), theirs.qpos, atol=1e-11)


def test_elasticity_becomes_implicit_when_the_integrator_does():
    text = document(BODIES["trilinear"])
    edited = Model.from_xml_string(text)
    data = Data(edited)
    mjenv.step(edited, data)
    edited.opt.integrator = "implicitfast"
    other = Model.from_xml_string(document(BODIES["trilinear"], extra="integrator='implicitfast'"))
    there = Data(other)
    for field in ("qpos", "qvel", "qacc_warmstart", "time"):
        setattr(there, field, getattr(data, field))
    for _ in range(5):
        mjenv.step(edited, data)
        mjenv.step(other, there)
    assert np.array_equal(data.qpos, there.qpos)


@pytest.mark.parametrize("integrator", ["Euler", "implicitfast"])
def test_others_sleep(integrator):
    """A box falls asleep beside elastic nodes, which are then explicit, as in MuJoCo."""
    box = "<body pos='2 2 .1'><freejoint/><geom type='box' size='.1 .1 .1'/></body>"
    apart = NODES.replace("selfcollide='none'", "selfcollide='none' contype='0' conaffinity='0'")
    soft = flexcomp("dim='3' dof='trilinear'", apart, "2 2 2")
    text = document(
        FLOOR + box + soft, "sleep='enable'", f"integrator='{integrator}' sleep_tolerance='.1'"
    )
    mj, model = mujoco.MjModel.from_xml_string(text), Model.from_xml_string(text)
    theirs, ours = mujoco.MjData(mj), Data(model)
    for _ in range(60):
        mujoco.mj_step(mj, theirs)
        mjenv.step(model, ours)
    assert theirs.ntree_awake == mj.ntree - 1
    assert np.ravel(ours.ntree_awake) == theirs.ntree_awake
    np.testing.assert_allclose(np.ravel(ours.qpos), theirs.qpos, atol=1e-9)


@pytest.mark.parametrize("name", MIXED)
def test_same_bits(name):
    check_same_bits(Model.from_xml_string(document(BODIES[name])), 10)


@pytest.mark.parametrize("name", ["nodes on a body", "damped on a body"])
def test_same_bits_implicitly(name):
    extra = "integrator='implicitfast'"
    check_same_bits(Model.from_xml_string(document(BODIES[name], extra=extra)), 10)


def test_rows_of_large_models_have_the_bits_of_others():
    """Eight edges at once, or one after the other; rows of other equalities stand beside them."""
    second = flexcomp("pos='0 0 2'", "<edge equality='true' solimp='.8 .95 .02 .4 3'/>", "3 3 1")
    xml = document(
        BODIES["edges"] + second.replace("'f'", "'g'") + BODIES["circle"].replace("'f'", "'h'")
    )
    model = Model.from_xml_string(xml)
    rows = ["type", "pos", "margin", "frictionloss", "D", "R", "diagApprox", "KBIP", "vel", "J"]
    found = []
    for large_model in (False, True):
        data, random = Data(model, large_model=large_model), np.random.default_rng(3)
        data.qpos[:] += 0.01 * random.normal(size=data.qpos.shape)
        data.qvel[:] = random.normal(size=data.qvel.shape)
        mjenv.forward(model, data)
        n = int(data.nefc[0])
        found.append({name: getattr(data, f"efc_{name}")[0][:n] for name in rows})
    assert model.nv >= 60
    assert len(found[0]["pos"]) % 8 != 0
    for name in rows:
        np.testing.assert_array_equal(found[0][name], found[1][name], err_msg=name)


@pytest.mark.parametrize("flag", ["enable", "disable"])
def test_energy_of_lines(flag):
    """The springs of their edges count: in the energy, in its sensor, and on request."""
    sensors = "<sensor><e_potential/></sensor></mujoco>"
    text = document(BODIES["line"], f"contact='disable' energy='{flag}'")
    text = text.replace("</mujoco>", sensors)
    mj, model = mujoco.MjModel.from_xml_string(text), Model.from_xml_string(text)
    theirs, ours = shaken(mj), Data(model)
    for field in ("qpos", "qvel"):
        setattr(ours, field, getattr(theirs, field))
    mujoco.mj_forward(mj, theirs)
    mjenv.forward(model, ours)
    np.testing.assert_allclose(np.ravel(ours.sensordata), theirs.sensordata, rtol=1e-12)
    mujoco.mj_energyPos(mj, theirs)
    mjenv.energy_pos(model, ours)
    np.testing.assert_allclose(np.ravel(ours.energy), theirs.energy, rtol=1e-12)


def test_inverse_dynamics():
    text = document(BODIES["edges on a body"])
    mj, model = mujoco.MjModel.from_xml_string(text), Model.from_xml_string(text)
    theirs, ours = shaken(mj), Data(model)
    mujoco.mj_forward(mj, theirs)
    for field in ("qpos", "qvel", "qacc"):
        setattr(ours, field, getattr(theirs, field))
    mujoco.mj_inverse(mj, theirs)
    mjenv.inverse(model, ours)
    scale = np.abs(theirs.qfrc_constraint).max()
    np.testing.assert_allclose(np.ravel(ours.qfrc_inverse), theirs.qfrc_inverse, atol=1e-9 * scale)


def test_edits_are_obeyed():
    """Springs that are changed after data were made pull as those of a model compiled so."""
    text = document(BODIES["line"])
    edited = Model.from_xml_string(text)
    data = Data(edited)
    mjenv.step(edited, data)
    edited.flex_edgestiffness = 500.0
    other = Model.from_xml_string(text.replace("stiffness='50'", "stiffness='500'"))
    there = Data(other)
    for field in ("qpos", "qvel", "qacc_warmstart", "time"):
        setattr(there, field, getattr(data, field))
    for _ in range(5):
        mjenv.step(edited, data)
        mjenv.step(other, there)
    assert np.array_equal(data.qpos, there.qpos)


def test_cells_that_are_constrained_may_be_edited():
    """Another cell, or softer strains, than the data were made for."""
    text = document(BODIES["strained cells"])
    mj, model = mujoco.MjModel.from_xml_string(text), Model.from_xml_string(text)
    theirs, ours = shaken(mj), Data(model)
    mjenv.step(model, ours)
    for field in ("qpos", "qvel", "qacc_warmstart", "time"):
        setattr(ours, field, getattr(theirs, field))
    for edited in (mj, model):
        edited.eq_data[0, :3] = 1, 0, 1
        edited.flex_stiffness[1 : edited.nflexstiffness // 2] *= 0.5
        edited.flex_stiffness[0] = 3
    for _ in range(5):
        mujoco.mj_step(mj, theirs)
        mjenv.step(model, ours)
    np.testing.assert_allclose(np.ravel(ours.qpos), theirs.qpos, atol=1e-12)
    model.eq_data[0, 0] = 2
    with pytest.raises(
        ValueError, match=r"eq_data\[0\]: found cell 2 0 1, expected one below 2 1 2"
    ):
        mjenv.step(model, ours)


@pytest.mark.parametrize(("name", "what"), [("edges", "edges"), ("sheet", "vertices")])
def test_constrained_deformables_do_not_sleep(name, what):
    """MuJoCo refuses them too, in the first step."""
    model = Model.from_xml_string(document(BODIES[name], "contact='disable' sleep='enable'"))
    data = Data(model)
    with pytest.raises(UnsupportedFeature, match=f"deformables with constrained {what} do not"):
        mjenv.step(model, data)
    data.eq_active[:] = 0
    mjenv.step(model, data)


def test_masks_decide_whether_there_are_contacts():
    """Deformables that can touch nothing are simulated beside geoms that collide."""
    masks = "<contact contype='0' conaffinity='0'/>"
    text = document(FLOOR + flexcomp("", f"<edge equality='true'/>{masks}"), "energy='enable'")
    model, mj = Model.from_xml_string(text), mujoco.MjModel.from_xml_string(text)
    ours, theirs = Data(model), mujoco.MjData(mj)
    for _ in range(20):
        mjenv.step(model, ours)
        mujoco.mj_step(mj, theirs)
    np.testing.assert_allclose(np.ravel(ours.qpos), theirs.qpos, atol=1e-12)
    # from now on the floor holds it
    for edited in (model, mj):
        edited.flex_contype[:] = 1
        edited.flex_selfcollide[:] = 0
    for _ in range(200):
        mjenv.step(model, ours)
        mujoco.mj_step(mj, theirs)
    assert theirs.ncon
    np.testing.assert_allclose(np.ravel(ours.qpos), theirs.qpos, atol=1e-8)
