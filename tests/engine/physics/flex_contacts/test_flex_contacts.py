"""Contacts of deformables with geoms are MuJoCo's: which, in which order, their rows and forces."""

import mujoco
import numpy as np
import pytest
from scipy.spatial import ConvexHull

import mjenv
from mjenv import Data, Model
from tests.engine.deformables import (
    ALONE,
    FALLING,
    FIELD,
    FLOOR,
    GEOMS,
    KINDS,
    SHEET,
    document,
    flexcomp,
    follow,
    geom,
)


@pytest.mark.sweep(3)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", GEOMS)
def test_geoms(kind, name):
    """Every type of geom falls onto every kind of deformable, which lies on the floor."""
    most, named = follow(document(FLOOR + KINDS[kind] + geom(name)))
    assert (True, False, False, False) in named
    assert most > 1


@pytest.mark.sweep(3)
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


@pytest.mark.sweep(2)
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


@pytest.mark.sweep(2)
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


@pytest.mark.sweep(2)
@pytest.mark.parametrize(("ours", "theirs"), PARAMETERS)
def test_parameters(ours, theirs):
    """Parameters are mixed with those of the geom, by priority and solmix."""
    sheet = KINDS["sheet"].replace("<contact ", f"<contact {ours} ")
    assert follow(document(FLOOR + sheet + geom("box", theirs)))[0] > 1


@pytest.mark.slow
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
        # depths are found to 1e-6, their square root is what a normal may be off
        np.testing.assert_allclose(ours.contact.frame[0][:, :3], normals, atol=1e-3)
    assert (ours.contact.geom[0] == [0, -1]).all()
    assert (ours.contact.elem[0] == [-1, 0]).all()


@pytest.mark.sweep(2)
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


@pytest.mark.sweep(2)
@pytest.mark.parametrize("name", GEOMS)
@pytest.mark.parametrize("kind", ["cable", "sheet", "solid", "cells"])
def test_without_nativeccd(kind, name):
    """Convex shapes are then searched by portals."""
    follow(document(FLOOR + KINDS[kind] + geom(name), flag="nativeccd='disable'"))


SHAPES = {
    "octree": "<geom name='g' type='sdf' mesh='tetrahedron' mass='.3'/>",
    "torus": "<geom name='g' type='sdf' mesh='torus' mass='.3'><plugin instance='torus'/></geom>",
}
TORUS = (
    "<extension><plugin plugin='mujoco.sdf.torus'><instance name='torus'>"
    "<config key='radius1' value='.12'/><config key='radius2' value='.04'/></instance></plugin>"
    "</extension><asset><mesh name='torus'><plugin instance='torus'/></mesh></asset>"
)


@pytest.mark.slow
@pytest.mark.parametrize("flag", ["", "midphase='disable'"], ids=["trees", "all"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", ["sheet", "cable", "solid"])
def test_signed_distance_fields(kind, shape, flag):
    """They touch sheets, as their own points are deepest, and neither cables nor solids."""
    body = f"<body pos='.02 .03 .42' euler='20 70 30'><freejoint/>{SHAPES[shape]}</body>"
    text = document(FLOOR + KINDS[kind] + body, "sdf_iterations='10' sdf_initpoints='8'", flag)
    _, named = follow(text.replace("<worldbody>", f"{TORUS}<worldbody>"), steps=240, every=12)
    assert ((True, False, False, False) in named) == (kind == "sheet" and not flag)
