"""Deformables that touch: documents, and the comparison of their contacts with MuJoCo."""

from pathlib import Path

import mujoco
import numpy as np

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


def falling(kind):
    """A second deformable, above the first one and turned."""
    body = KINDS[kind].replace("name='f'", "name='h'").replace("pos='0 0 .3'", "pos='.02 .013 .4'")
    body = body.replace("<pin id='0'/>", "").replace("<pin id='0 3 12 15'/>", "")
    return body.replace("<flexcomp ", "<flexcomp euler='5 8 60' ")


SELF = "internal='false' selfcollide="
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
FIELD = "<geom type='hfield' hfield='bumps' euler='5 3 20' pos='.03 .02 -.1'/>"
BESIDE = "<body name='c' pos='1 1 .07'><freejoint/><geom size='.07'/></body>"
