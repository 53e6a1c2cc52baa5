"""Contacts of deformables with each other and with themselves are MuJoCo's."""

import mujoco
import pytest

from tests.engine.deformables import (
    ELASTIC,
    FLOOR,
    FOLDED,
    KINDS,
    SELF,
    document,
    falling,
    flexcomp,
    follow,
    geom,
)

PAIRS = [
    ("cable", "cable"), ("cable", "sheet"), ("cable", "solid"), ("sheet", "solid"),
    ("sheet", "sheet"), ("solid", "cells"), ("cells", "sheet"), ("quadratic", "cells"),
]  # fmt: skip


@pytest.mark.sweep(1)
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


@pytest.mark.sweep(1)
@pytest.mark.parametrize("how", ["narrow", "bvh", "sap", "auto"])
@pytest.mark.parametrize("kind", FOLDED)
def test_deformables_with_themselves(kind, how):
    """What stands on its end falls down upon itself."""
    contact = f"<contact {SELF}'{how}' margin='.01' gap='.005' solref='.01 1'/>"
    text = document(FLOOR + FOLDED[kind].format(contact=contact))
    _, named = follow(text, steps=400, every=10)
    assert (False, False, False, False) in named


@pytest.mark.sweep(1)
@pytest.mark.parametrize("how", ["narrow", "sap", "bvh"])
@pytest.mark.parametrize("layers", [1, 2])
def test_layers(layers, how):
    """Inner elements of solids may be left out."""
    contact = f"{SELF}'{how}' activelayers='{layers}'"
    body = flexcomp("dim='3'", ELASTIC.replace("5e2", "1e2"), "5 5 5", contact)
    follow(document(FLOOR + body), steps=200, every=20)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("kind", FOLDED)
def test_vertices_with_elements(kind):
    """Vertices touch elements beside them and the faces opposite to them."""
    contact = "<contact internal='true' selfcollide='none' condim='3'/>"
    text = document(FLOOR + FOLDED[kind].format(contact=contact), "timestep='.001'")
    _, named = follow(text, steps=400, every=10)
    if kind != "cable":
        assert (False, False, True, False) in named or (False, False, False, True) in named


@pytest.mark.sweep(1)
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


@pytest.mark.slow
def test_internal_without_nativeccd():
    """So are two elements, and a vertex with a tetrahedron."""
    contact = "<contact internal='true' selfcollide='sap'/>"
    # few contacts, of which none is cut
    solid = FOLDED["solid"].replace("radius='.02'", "radius='.008'")
    body = FLOOR + solid.format(contact=contact)
    follow(document(body, "timestep='.001'", "nativeccd='disable'"), steps=400)
