"""Contacts of deformables that programs add, and edit in all fields, beside the reference."""

import copy
from contextlib import suppress

import mujoco
import numpy as np
import pytest

import mjenv
import mjenv.mujoco as ours
from tests.engine.deformables import ALONE, FLOOR, KINDS, SHEET, document, flexcomp, geom
from tests.mjenv.mujoco.test_contacts import FIELDS, MODULES, SHOWN, finish

OPTION = "tolerance='1e-14' iterations='300' cone='{}' jacobian='{}'"
BASE = "<body name='base' pos='0 0 .4'><freejoint/><geom size='.02' pos='1 1 1'/>{}</body>"
BODIES = {
    **{name: KINDS[name] for name in ("cable", "sheet", "solid", "cells")},
    "two": KINDS["sheet"] + flexcomp("dim='3'", count="3 3 3", name="other", pos="0 0 .6"),
    "passive": flexcomp("dim='2'", SHEET, contact=f"{ALONE} passive='true'"),
    "rigid": BASE.format(flexcomp("dim='2' rigid='true'")),
    "hanging": BASE.format(flexcomp("dim='2'", "<pin id='0 3'/>")),
    "untouched": flexcomp("dim='2'", SHEET, contact=f"{ALONE} contype='0' conaffinity='0'"),
}
# in which MuJoCo stops
STOPPED = {("cells", "sparse"), ("rigid", "dense")}
OTHERS = "nisland nJ efc_J qfrc_spring qfrc_passive efc_diagApprox"


def deformable(module, m, sparse, rng):
    """A contact of a vertex or an element with another one, or with a geom."""
    found, first = module.MjContact(), int(rng.integers(0, 2))
    geoms, flexes, elems, verts = ([-1, -1] for _ in range(4))
    for side in (first, 1 - first):
        kind = int(rng.integers(0, 2 if side == first else 3))
        if kind == 2:
            geoms[side] = int(rng.integers(0, m.ngeom))
            continue
        f = flexes[side] = int(rng.integers(0, m.nflex))
        parts, number = [(elems, m.flex_elemnum), (verts, m.flex_vertnum)][kind]
        parts[side] = int(rng.integers(0, number[f]))
    if min(verts) >= 0:
        # not with itself, of which MuJoCo writes dofs twice
        verts[1 - first] = (verts[first] + 1) % m.flex_vertnum[flexes[1 - first]]
    found.geom, found.flex, found.elem, found.vert = geoms, flexes, elems, verts
    found.geom1, found.geom2 = geoms
    found.pos = 0.1 * rng.normal(size=3) + [0, 0, 0.3]
    found.frame = [0, 0, 1, 0.6, 0.8, 0, -0.8, 0.6, 0]
    # with sparse Jacobians, MuJoCo takes rotations of elements from memory that it has not set
    found.dim = int(rng.choice([1, 3] if sparse else [1, 3, 4, 6]))
    found.dist, found.includemargin = -0.01 * rng.random(), 0.002
    found.friction = [0.7, 0.8, 0.02, 0.001, 0.002]
    found.solref, found.solimp = [0.03, 0.9], [0.8, 0.9, 0.01, 0.5, 2]
    if rng.random() < 0.3:
        found.solreffriction = [0.1, 1]
    found.exclude = int(rng.random() < 0.1)
    return found


def added(name, cone, jacobian, seed, number=12):
    """Both modules with models and data, in which deformables have contacts of the program."""
    text = document(FLOOR + BODIES[name] + geom("box"), OPTION.format(cone, jacobian))
    for module in MODULES:
        rng = np.random.default_rng(seed)
        m = module.MjModel.from_xml_string(text)
        d = module.MjData(m)
        d.qvel[:] = 0.1 * rng.normal(size=m.nv)
        module.mj_step(m, d, int(rng.integers(1, 30)))
        module.mj_fwdPosition(m, d)
        for _ in range(number):
            contact = deformable(module, m, jacobian == "sparse", rng)
            assert module.mj_addContact(m, d, contact) == 0
            assert d.nefc == 0
        yield module, m, d


def same(found):
    """Rows, forces, accelerations, islands and contacts of data of both modules."""
    real, mine = found
    assert real.ncon == mine.ncon
    for name in f"{SHOWN} {OTHERS}".split():
        np.testing.assert_allclose(
            np.ravel(getattr(mine, name)), np.ravel(getattr(real, name)), 1e-6, 1e-6, err_msg=name
        )
    for name in FIELDS.split():
        np.testing.assert_allclose(
            getattr(mine.contact, name), getattr(real.contact, name), 1e-8, 1e-8, err_msg=name
        )


def results(name, cone, jacobian, seed, after):
    """Data of both modules after a function of module, model and data; fewer where MuJoCo stops."""
    found = []
    with suppress(mujoco.FatalError):
        for module, m, d in added(name, cone, jacobian, seed):
            after(module, m, d)
            found.append(d)
    return found


@pytest.mark.sweep(3)
@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
@pytest.mark.parametrize("jacobian", ["dense", "sparse"])
@pytest.mark.parametrize("name", BODIES)
def test_added_contacts_count(name, jacobian, cone):
    """Where the reference stops, as nothing moves or several nodes do, nothing is compared."""
    compared = 0
    for seed in range(8):
        found = results(name, cone, jacobian, seed, finish)
        if found:
            same(found)
            assert found[1].nefc or found[1].model.flex_passive.any()
            compared += 1
        if compared == 2:
            break
    assert (compared == 0) == ((name, jacobian) in STOPPED)


def edit_and_finish(module, m, d):
    """Edits of all contacts, added and found ones, before rows and between them and the step."""
    rng = np.random.default_rng(0)
    d.contact.solref[:] *= 1 + 0.2 * rng.random(d.contact.solref.shape)
    d.contact.friction[:] *= 1 + 0.2 * rng.random(d.contact.friction.shape)
    d.contact.pos[:] += 0.01 * rng.random(d.contact.pos.shape)
    finish(module, m, d)
    module.mj_step1(m, d)
    d.contact.dist[:] *= 1.5
    d.contact.solimp[:] *= 0.9
    for name in ("makeConstraint", "island", "projectConstraint", "referenceConstraint"):
        getattr(module, f"mj_{name}")(m, d)
    module.mj_step2(m, d)


@pytest.mark.sweep(3)
@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
@pytest.mark.parametrize("name", ["sheet", "solid", "two", "passive", "hanging"])
def test_edits_count_in_all_fields(name, cone):
    for seed in range(4):
        found = results(name, cone, "sparse", seed, edit_and_finish)
        if found:
            same(found)
            break
    assert found


def test_copies_have_them():
    for module, m, d in added("sheet", "pyramidal", "sparse", 1):
        twin = copy.copy(d)
        for data in (d, twin):
            module.mj_makeConstraint(m, data)
        assert d.nefc == twin.nefc > 0
        assert np.array_equal(d.efc_J, twin.efc_J)


def test_more_are_added_after_a_search_has_found_more():
    """Room for those that a search finds is not the room of those that are added."""
    balls = "".join(
        f"<body pos='{0.1 * (k % 4) - 0.15} {0.1 * (k // 4) - 0.1} .36'><freejoint/>"
        "<geom size='.03'/></body>"
        for k in range(12)
    )
    text = document(FLOOR + KINDS["sheet"] + balls, OPTION.format("pyramidal", "sparse"))
    found = []
    for module in MODULES:
        rng = np.random.default_rng(0)
        m = module.MjModel.from_xml_string(text)
        d = module.MjData(m)
        for _ in range(4):
            module.mj_step(m, d, 8)
            module.mj_fwdPosition(m, d)
            for _ in range(9):
                module.mj_addContact(m, d, deformable(module, m, True, rng))
            finish(module, m, d)
        found.append(d)
    same(found)


@pytest.mark.parametrize(
    ("others", "message"),
    [
        ({"flex": [2, -1]}, r"contact.flex\[0\]=2: expected a deformable, 0 to 0"),
        ({"elem": [99, -1]}, r"contact.elem\[0\]=99, contact.vert\[0\]=-1: expected an element"),
        ({"elem": [-1, -1]}, r"contact.elem\[0\]=-1, contact.vert\[0\]=-1: expected an element"),
        ({"vert": [16, -1]}, "or a vertex, 0 to 15"),
        ({"geom": [-1, -1]}, r"contact.geom=\[-1, -1\], contact.flex=\[0, -1\]: expected at each"),
    ],
)
def test_parts_that_there_are_not(others, message):
    m = ours.MjModel.from_xml_string(document(FLOOR + KINDS["sheet"]))
    d = ours.MjData(m)
    ours.mj_forward(m, d)
    contact = ours.MjContact()
    contact.geom, contact.flex, contact.elem, contact.vert = [-1, 0], [0, -1], [0, -1], [-1, -1]
    contact.dim = 3
    for name, value in others.items():
        setattr(contact, name, value)
    with pytest.raises(ours.FatalError, match=message):
        ours.mj_addContact(m, d, contact)
    assert d.ncon == 0


def test_springs_of_what_has_none_are_refused():
    m = ours.MjModel.from_xml_string(document(FLOOR + BODIES["passive"] + geom("box")))
    d = ours.MjData(m)
    ours.mj_forward(m, d)
    contact = ours.MjContact()
    contact.geom, contact.flex, contact.dim, contact.exclude = [0, 1], [-1, -1], 1, 4
    with pytest.raises(mjenv.UnsupportedFeature, match="a spring between geoms"):
        ours.mj_addContact(m, d, contact)
    contact.exclude, contact.flex = 0, [0, -1]
    with pytest.raises(mjenv.UnsupportedFeature, match="without a geom"):
        ours.mj_addContact(m, d, contact)
