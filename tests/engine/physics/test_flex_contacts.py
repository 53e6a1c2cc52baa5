"""Contacts of deformables are MuJoCo's: which there are, in which order, their rows and forces."""

from pathlib import Path

import mujoco
import numpy as np
import pytest
from scipy.spatial import ConvexHull

import mjenv
from mjenv import Data, Model

mujoco.mj_loadAllPluginLibraries(str(Path(mujoco.__file__).parent / "plugin"))

ELASTIC = "<elasticity young='5e2' poisson='.2' damping='.01'/>"
SHEET = "<edge equality='true' solref='.02 1'/>"
ALONE = "selfcollide='none' internal='false'"
FLOOR = "<geom type='plane' size='1 1 1'/>"
TETRAHEDRON = "0 0 0  .2 0 0  0 .2 0  0 0 .2"
BUMPS = " ".join(str(0.5 + 0.1 * (7 * k % 5)) for k in range(30))
GEOMS = {
    "sphere": "type='sphere' size='.07'",
    "capsule": "type='capsule' size='.05 .08'",
    "ellipsoid": "type='ellipsoid' size='.06 .08 .1'",
    "cylinder": "type='cylinder' size='.06 .08'",
    "box": "type='box' size='.06 .08 .1'",
    "mesh": "type='mesh' mesh='tetrahedron'",
}  # fmt: skip


def flexcomp(attributes="", inside="", count="4 4 1", contact=ALONE, name="f", pos="0 0 .3"):
    """A deformable that touches others but not itself."""
    return (
        f"<flexcomp name='{name}' count='{count}' spacing='.1 .12 .09' radius='.012' mass='.2'"
        f" pos='{pos}' {attributes}><contact {contact}/>{inside}</flexcomp>"
    )


KINDS = {
    "cable": flexcomp("dim='1'", "<edge stiffness='50' damping='.2'/><pin id='0'/>", "7 1 1"),
    "sheet": flexcomp("dim='2'", f"{SHEET}<pin id='0 3 12 15'/>"),
    "solid": flexcomp("dim='3'", ELASTIC, "3 3 3"),
    "cells": flexcomp("dim='3' dof='trilinear'", ELASTIC, "4 4 4"),
    "quadratic": flexcomp("dim='3' dof='quadratic'", ELASTIC, "4 4 4"),
}


def geom(kind, attributes=""):
    """A body that falls onto a deformable."""
    return (
        "<body name='b' pos='.02 .03 .47' euler='20 70 30'><freejoint/>"
        f"<geom name='g' mass='.3' {GEOMS[kind]} {attributes}/></body>"
    )


def document(body, option="", flag=""):
    return f"""<mujoco><option {option}><flag {flag}/></option><visual/>
<asset><mesh name='tetrahedron' vertex='{TETRAHEDRON}'/>
<hfield name='bumps' nrow='5' ncol='6' size='.5 .4 .2 .1' elevation='{BUMPS}'/></asset>
<worldbody>{body}</worldbody></mujoco>"""


CONTACT = (
    "dist", "pos", "frame", "geom", "flex", "elem", "vert", "dim", "friction", "solref",
    "solreffriction", "solimp", "includemargin", "exclude", "efc_address", "mu",
)  # fmt: skip
ROWS = (
    "efc_J", "efc_pos", "efc_diagApprox", "efc_R", "efc_aref", "efc_vel", "qfrc_spring",
    "qfrc_passive",
)  # fmt: skip
COPIED = ("qpos", "qvel", "act", "ctrl", "qacc_warmstart", "time", "mocap_pos")


def compare_contacts(theirs, ours):
    """Contacts one by one, then what follows from them."""
    count = theirs.ncon
    assert ours.ncon[0] == count
    for field in CONTACT:
        expected, found = getattr(theirs.contact, field), getattr(ours.contact, field)[0][:count]
        np.testing.assert_allclose(found, expected, atol=1e-9, rtol=1e-9, err_msg=field)
    assert ours.nefc[0] == theirs.nefc
    for field in ROWS:
        expected = np.ravel(getattr(theirs, field))
        found = np.ravel(getattr(ours, field))[: len(expected)]
        scale = np.abs(expected).max(initial=1.0)
        np.testing.assert_allclose(found, expected, atol=1e-9 * scale, rtol=0, err_msg=field)
    # what the solver's tolerance leaves open
    for field in ("qfrc_constraint", "qacc"):
        expected, found = getattr(theirs, field), getattr(ours, field)[0]
        scale = np.abs(expected).max(initial=1.0)
        np.testing.assert_allclose(found, expected, atol=1e-6 * scale, rtol=0, err_msg=field)


def follow(text, steps=200, every=10):
    """Compare along MuJoCo's own trajectory; returns the most contacts and all kinds of them."""
    mj, model = mujoco.MjModel.from_xml_string(text), Model.from_xml_string(text)
    theirs, ours = mujoco.MjData(mj), Data(model)
    most, named = 0, set()
    for step in range(steps):
        if step % every == 0:
            for field in COPIED:
                setattr(ours, field, getattr(theirs, field))
            mujoco.mj_forward(mj, theirs)
            mjenv.forward(model, ours)
            compare_contacts(theirs, ours)
            most = max(most, theirs.ncon)
            for contact in theirs.contact:
                named.add(tuple((contact.geom >= 0).tolist() + (contact.vert >= 0).tolist()))
        mujoco.mj_step(mj, theirs)
    return most, named


@pytest.mark.sweep(6)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", GEOMS)
def test_geoms(kind, name):
    """Every type of geom falls onto every kind of deformable, which lies on the floor."""
    most, named = follow(document(FLOOR + KINDS[kind] + geom(name)))
    assert (True, False, False, False) in named
    assert most > 1


def on_body(inside):
    """Deformables that hang from a body that moves."""
    body = "<body name='p' pos='0 0 .1' euler='10 5 0'><freejoint/><geom size='.05' pos='0 .2 0'/>"
    return f"{body}{inside}</body>"


FALLING = {
    **KINDS,
    "rigid": on_body(flexcomp("dim='2' rigid='true'", pos="0 0 0")),
    "on a body": on_body(flexcomp("dim='3'", f"{ELASTIC}<pin id='0'/>", "3 3 3", pos="0 0 0")),
    "cells on a body": on_body(
        flexcomp("dim='3' dof='trilinear'", f"{ELASTIC}<pin id='0'/>", "3 3 3", pos="0 0 0")
    ),
    "pinned": flexcomp("dim='2'", f"{SHEET}<pin id='0 1 2 3'/>", pos="0 0 0").replace(
        "pos='0 0 0'", "pos='0 0 0' euler='20 0 0'"
    ),
}


@pytest.mark.sweep(5)
@pytest.mark.parametrize("jacobian", ["dense", "sparse"])
@pytest.mark.parametrize("kind", FALLING)
def test_floor(kind, jacobian):
    """Deformables fall onto a plane; what does not move has no rows, or those of zeros."""
    if (kind, jacobian) == ("pinned", "dense"):
        pytest.skip("MuJoCo stops: a contact that nothing moves is of no island")
    loose = FALLING[kind].replace("0 0 .3", "0 0 .1").replace("<pin id='0 3 12 15'/>", "")
    most, named = follow(document(FLOOR + loose, f"jacobian='{jacobian}'"))
    assert most > 0
    assert (True, False, False, True) in named


@pytest.mark.parametrize("flag", ["midphase='disable'", "override='enable'"])
@pytest.mark.parametrize("kind", ["cable", "sheet", "solid"])
def test_flags(kind, flag):
    """Without trees, and with one margin for all."""
    other = geom("sphere").replace("name='b' pos='.02 .03 .47'", "pos='-.1 .1 .5'")
    body = FLOOR + KINDS[kind] + geom("box") + other.replace("'g'", "'h'")
    assert follow(document(body, "o_margin='.02' o_solref='.03 1.1'", flag))[0] > 1


OPTIONS = [
    "cone='elliptic'", "cone='elliptic' jacobian='sparse' impratio='3'", "jacobian='sparse'",
    "solver='PGS' iterations='200'", "solver='CG' iterations='1000' tolerance='1e-14'",
    "integrator='implicitfast'", "integrator='RK4'",
]  # fmt: skip


@pytest.mark.parametrize("option", OPTIONS)
def test_options(option):
    """Cones, Jacobians, solvers and integrators."""
    assert follow(document(FLOOR + KINDS["sheet"] + geom("capsule"), option))[0] > 1


PARAMETERS = [
    (
        "condim='6' friction='.4 .02 .03' solmix='2' solref='.03 .9'",
        "condim='4' solmix='.5' solimp='.8 .9 .01'",
    ),
    ("priority='1' condim='1'", "condim='4'"),
    ("condim='3' solref='-300 -5'", "priority='2' condim='6'"),
    ("margin='.03' gap='.01'", "margin='.02' gap='.005'"),
    ("contype='2' conaffinity='4'", "contype='4' conaffinity='8'"),
]  # fmt: skip


@pytest.mark.parametrize(("ours", "theirs"), PARAMETERS)
def test_parameters(ours, theirs):
    """Parameters are mixed with those of the geom, by priority and solmix."""
    sheet = KINDS["sheet"].replace("<contact ", f"<contact {ours} ")
    assert follow(document(FLOOR + sheet + geom("box", theirs)))[0] > 1


def test_many_contacts_are_cut_down():
    """Of more than 50 contacts with a body, MuJoCo's selection stays, in its order."""
    sheet = flexcomp("dim='2'", SHEET, "10 10 1", pos=".01 .02 .04").replace(
        ".1 .12 .09' radius='.012", ".02 .02 .02' radius='.004"
    )
    boxes = "".join(
        f"<geom type='box' size='.12 .02 .02' pos='0 {y} .01'/>" for y in (-0.05, 0, 0.05)
    )
    most, _ = follow(document(boxes + sheet), steps=60, every=5)
    assert most == 50


def test_order_among_contacts_of_geoms():
    """Contacts of a deformable stand where its number of body is, behind all bodies."""
    balls = "".join(
        f"<body pos='{x} 0 .06'><freejoint/><geom size='.06'/></body>" for x in (-0.1, 0, 0.1)
    )
    sheet = flexcomp("dim='2'", SHEET, pos="0 0 .15")
    assert follow(document(FLOOR + balls + sheet))[0] > 8


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


def test_scenes_alone():
    """Deformables touch in scenes."""
    model = Model.from_xml_string(document(FLOOR + KINDS["sheet"]))
    with pytest.raises(ValueError, match="deformables that touch something need a scene"):
        Data(model, scene=False)
    with pytest.raises(ValueError, match="a scene runs world by world"):
        Data(model, width=8)


SELF = "internal='false' selfcollide="
PAIRS = [
    ("cable", "cable"), ("cable", "sheet"), ("cable", "solid"), ("sheet", "solid"),
    ("sheet", "sheet"), ("solid", "cells"), ("cells", "sheet"), ("quadratic", "cells"),
]  # fmt: skip


def falling(kind):
    """A second deformable, above the first one and turned."""
    body = KINDS[kind].replace("name='f'", "name='h'").replace("pos='0 0 .3'", "pos='.02 .013 .4'")
    body = body.replace("<pin id='0'/>", "").replace("<pin id='0 3 12 15'/>", "")
    return body.replace("<flexcomp ", "<flexcomp euler='5 8 60' ")


@pytest.mark.sweep(4)
@pytest.mark.parametrize("flag", ["", "midphase='disable'"], ids=["trees", "all"])
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_two_deformables(first, second, flag):
    """Every kind of deformable falls onto others."""
    body = KINDS[first].replace("<pin id='0'/>", "<pin id='0 6'/>") + falling(second)
    # MuJoCo stops where rows are sparse and nodes are on the first side
    option = "jacobian='dense'" if first in ("cells", "quadratic") else ""
    most, named = follow(document(body, option, flag), steps=260)
    assert named == {(False, False, False, False)}
    assert most > 0


FOLDED = {
    "cable": (
        "<flexcomp name='f' type='direct' dim='1' radius='.01' mass='.1'"
        " element='0 1 1 2 2 3 3 4' point='0 0 .02 .3 0 .02 .3 .3 .02 .1 .3 .06 .12 -.2 .06'>"
        "{contact}<edge stiffness='20' damping='.1'/></flexcomp>"
    ),
    "sheet": (
        "<flexcomp name='f' type='grid' dim='2' count='12 5 1' spacing='.05 .05 .05' radius='.02'"
        " mass='.1' pos='0 0 .3' euler='0 80 3'>{contact}<edge damping='.01'/>"
        "<elasticity young='2e2' poisson='.2' thickness='.02' elastic2d='stretch'/></flexcomp>"
    ),
    "solid": (
        "<flexcomp name='f' type='grid' dim='3' count='9 2 2' spacing='.05 .05 .05' radius='.02'"
        " mass='.1' pos='0 0 .3' euler='0 80 3'>{contact}"
        "<elasticity young='2e2' poisson='.2' damping='.01'/></flexcomp>"
    ),
}


@pytest.mark.sweep(4)
@pytest.mark.parametrize("how", ["narrow", "bvh", "sap", "auto"])
@pytest.mark.parametrize("kind", FOLDED)
def test_deformables_with_themselves(kind, how):
    """What stands on its end falls down upon itself."""
    contact = f"<contact {SELF}'{how}' margin='.01' gap='.005' solref='.01 1'/>"
    text = document(FLOOR + FOLDED[kind].format(contact=contact))
    _, named = follow(text, steps=400, every=10)
    assert (False, False, False, False) in named


@pytest.mark.sweep(2)
@pytest.mark.parametrize("how", ["narrow", "sap", "bvh"])
@pytest.mark.parametrize("layers", [1, 2])
def test_layers(layers, how):
    """Inner elements of solids may be left out."""
    contact = f"{SELF}'{how}' activelayers='{layers}'"
    body = flexcomp("dim='3'", ELASTIC.replace("5e2", "1e2"), "5 5 5", contact)
    follow(document(FLOOR + body), steps=200, every=20)


@pytest.mark.parametrize("kind", FOLDED)
def test_vertices_with_elements(kind):
    """Vertices touch elements beside them and the faces opposite to them."""
    contact = "<contact internal='true' selfcollide='none' condim='3'/>"
    text = document(FLOOR + FOLDED[kind].format(contact=contact), "timestep='.001'")
    _, named = follow(text, steps=400, every=10)
    if kind != "cable":
        assert (False, False, True, False) in named or (False, False, False, True) in named


@pytest.mark.parametrize("jacobian", ["dense", "sparse"])
@pytest.mark.parametrize("kind", ["sheet", "solid"])
def test_passive(kind, jacobian):
    """Contacts that are springs have no rows."""
    body = KINDS[kind].replace("<contact ", "<contact passive='true' ") + geom("box")
    text = document(FLOOR + body + falling("cable"), f"jacobian='{jacobian}' timestep='.0005'")
    assert follow(text, steps=800, every=20)[0] > 1
    theirs = mujoco.MjData(mujoco.MjModel.from_xml_string(text))
    found = set()
    for _ in range(40):
        mujoco.mj_step(theirs.model, theirs, 20)
        found |= set(theirs.contact.exclude.tolist())
    assert 4 in found


FIELD = "<geom type='hfield' hfield='bumps' euler='5 3 20' pos='.03 .02 -.1'/>"


def prism_depths(mj, data, tips):
    """Depth and normal of the prisms of the height field that a tetrahedron enters, in order."""
    turn = data.geom_xmat[0].reshape(3, 3)
    local = (tips - data.geom_xpos[0]) @ turn
    x, y, top, base = mj.hfield_size[0]
    heights = mj.hfield_data.reshape(mj.hfield_nrow[0], mj.hfield_ncol[0])
    rows, columns = np.array(heights.shape) - 1
    for row in range(rows):
        ends = []
        for column in range(columns + 1):
            for k in (row + 1, row):
                place = 2 * x / columns * column - x, 2 * y / rows * k - y
                ends.append((*place, heights[k, column] * top))
                if len(ends) < 3:
                    continue
                upper = np.array(ends[-3:])
                prism = np.vstack([upper, upper * (1, 1, 0) - (0, 0, base)])
                # the faces of the difference of both around the origin
                faces = ConvexHull((prism[:, None] - local).reshape(-1, 3)).equations
                if (faces[:, 3] < 0).all():
                    nearest = faces[np.argmax(faces[:, 3])]
                    yield -nearest[3], turn @ nearest[:3]


@pytest.mark.sweep(4)
@pytest.mark.parametrize("flag", ["", "nativeccd='disable'"], ids=["native", "portal"])
@pytest.mark.parametrize("seed", range(6))
def test_height_fields(seed, flag):
    """An element touches each prism of a height field that it enters.

    MuJoCo reads there what it has not set, and finds anything, or stops; so this is geometry.
    """
    rng = np.random.default_rng(seed)
    tips = rng.uniform(-0.15, 0.15, (4, 3)) + np.array((0.0, 0.0, 0.05))
    if np.linalg.det(tips[1:] - tips[0]) < 0:
        tips[[0, 1]] = tips[[1, 0]]
    points = " ".join(f"{x:.6f}" for x in tips.ravel())
    element = (
        f"<flexcomp name='f' type='direct' dim='3' radius='1e-7' mass='.1' point='{points}'"
        f" element='0 1 2 3'><contact {ALONE}/></flexcomp>"
    )
    text = document(FIELD + element, flag=flag)
    mj, model = mujoco.MjModel.from_xml_string(text), Model.from_xml_string(text)
    theirs, ours = mujoco.MjData(mj), Data(model)
    mujoco.mj_kinematics(mj, theirs)
    mjenv.forward(model, ours)
    expected = list(prism_depths(mj, theirs, ours.flexvert_xpos[0]))
    assert expected
    assert ours.ncon[0] == len(expected)
    depths = np.array([depth for depth, _ in expected])
    if flag:
        # along the way out that a portal finds
        assert (-ours.contact.dist[0] > depths - 1e-6).all()
    else:
        np.testing.assert_allclose(-ours.contact.dist[0], depths, atol=2e-6)
        normals = np.array([normal for _, normal in expected])
        np.testing.assert_allclose(ours.contact.frame[0][:, :3], normals, atol=1e-3)
    assert (ours.contact.geom[0] == [0, -1]).all()
    assert (ours.contact.elem[0] == [-1, 0]).all()


@pytest.mark.parametrize("kind", ["cable", "sheet", "solid", "cells", "rigid", "on a body"])
def test_lying_on_height_fields(kind):
    """What falls onto a height field stays on it."""
    body = FALLING[kind].replace("<pin id='0 3 12 15'/>", "").replace("<pin id='0'/>", "")
    body += FIELD.replace("-.1'", "-.3'")
    option = "timestep='.001' integrator='implicitfast'"
    model = Model.from_xml_string(document(body, option))
    data = Data(model)
    most = 0
    for _ in range(60):
        mjenv.step(model, data, 10)
        most = max(most, data.ncon[0])
    assert most
    # no world was reset
    np.testing.assert_allclose(data.time, 0.6)
    assert data.flexvert_xpos[0][:, 2].min() > -0.3


@pytest.mark.sweep(4)
@pytest.mark.parametrize("name", GEOMS)
@pytest.mark.parametrize("kind", ["cable", "sheet", "solid", "cells"])
def test_without_nativeccd(kind, name):
    """Convex shapes are then searched by portals."""
    follow(document(FLOOR + KINDS[kind] + geom(name), flag="nativeccd='disable'"))


def test_internal_without_nativeccd():
    """So are two elements, and a vertex with a tetrahedron."""
    contact = "<contact internal='true' selfcollide='sap'/>"
    # few contacts, of which none is cut
    solid = FOLDED["solid"].replace("radius='.02'", "radius='.008'")
    body = FLOOR + solid.format(contact=contact)
    follow(document(body, "timestep='.001'", "nativeccd='disable'"), steps=400)


SHAPES = {
    "octree": "<geom name='g' type='sdf' mesh='tetrahedron' mass='.3'/>",
    "torus": "<geom name='g' type='sdf' mesh='torus' mass='.3'><plugin instance='torus'/></geom>",
}
TORUS = (
    "<extension><plugin plugin='mujoco.sdf.torus'><instance name='torus'>"
    "<config key='radius1' value='.12'/><config key='radius2' value='.04'/></instance></plugin>"
    "</extension><asset><mesh name='torus'><plugin instance='torus'/></mesh></asset>"
)


@pytest.mark.sweep(3)
@pytest.mark.parametrize("flag", ["", "midphase='disable'"], ids=["trees", "all"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", ["cable", "sheet", "solid"])
def test_signed_distance_fields(kind, shape, flag):
    """They touch sheets, as their own points are deepest, and neither cables nor solids."""
    body = f"<body pos='.02 .03 .42' euler='20 70 30'><freejoint/>{SHAPES[shape]}</body>"
    text = document(FLOOR + KINDS[kind] + body, "sdf_iterations='10' sdf_initpoints='8'", flag)
    _, named = follow(text.replace("<worldbody>", f"{TORUS}<worldbody>"), steps=240, every=12)
    assert ((True, False, False, False) in named) == (kind == "sheet" and not flag)


EDITS = {
    "flex_margin": 0.02, "flex_gap": 0.004, "flex_friction": 0.3, "flex_solmix": 3.0,
    "flex_solref": (0.03, 0.8), "flex_solimp": (0.8, 0.9, 0.01, 0.4, 2.0), "flex_priority": 1,
    "flex_condim": 4, "flex_radius": 0.02, "flex_contype": 2, "flex_conaffinity": 0,
    "flex_selfcollide": 0, "flex_internal": 0, "flex_passive": 1, "flex_activelayers": 1,
    "geom_margin": 0.03, "body_margin": 0.03, "geom_contype": 0, "geom_condim": 6,
}  # fmt: skip


@pytest.mark.sweep(8)
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
    """Data without contacts become a scene when the flag lets deformables touch."""
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


BESIDE = "<body name='c' pos='1 1 .07'><freejoint/><geom size='.07'/></body>"
SLEEPY = [FLOOR + KINDS["cable"] + geom("sphere"), FLOOR + KINDS["solid"] + geom("box") + BESIDE]


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


def test_inverse():
    """Inverse dynamics have the same rows."""
    text = document(FLOOR + KINDS["sheet"] + geom("capsule"))
    mj, model = mujoco.MjModel.from_xml_string(text), Model.from_xml_string(text)
    theirs, ours = mujoco.MjData(mj), Data(model)
    while theirs.ncon < 2:
        mujoco.mj_step(mj, theirs)
    for field in COPIED:
        setattr(ours, field, getattr(theirs, field))
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
    text = document(FLOOR + KINDS["sheet"] + geom("box"))
    mj, model = mujoco.MjModel.from_xml_string(text), Model.from_xml_string(text)
    theirs, ours = mujoco.MjData(mj), Data(model)
    while theirs.ncon < 2:
        mujoco.mj_step(mj, theirs)
    for field in COPIED:
        setattr(ours, field, getattr(theirs, field))
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
