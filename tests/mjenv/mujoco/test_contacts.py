"""Contacts that programs add, and edit between single functions, beside the reference."""

import copy

import mujoco
import numpy as np
import pytest

import mjenv
import mjenv.mujoco as ours

TEXT = """
<mujoco>
  <option cone="{cone}" solver="{solver}" jacobian="{jacobian}" tolerance="1e-14" iterations="300"/>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 .1"/>
    <body name="ball" pos="0 0 .095"><freejoint/><geom name="ball" size=".1" condim="3"/></body>
    <body name="box" pos="1 0 .098" euler="5 3 0"><freejoint/>
      <geom name="box" type="box" size=".1 .12 .1" condim="4" mass="2"/></body>
    <body name="arm" pos="3 0 1"><joint name="j" axis="0 1 0" frictionloss=".2"/>
      <geom name="arm" type="capsule" size=".05 .2" pos=".1 0 -.2" contype="0" conaffinity="0"/>
      <site name="arm" pos=".1 0 -.4" size=".1"/>
      <body pos=".1 0 -.4"><joint axis="1 0 0"/>
        <geom name="hand" size=".06" contype="0" conaffinity="0"/></body></body>
  </worldbody>
  <actuator><motor joint="j" gear="2"/><adhesion body="ball" ctrlrange="0 10" gain="5"/></actuator>
  <sensor><touch site="arm"/>
    <contact geom1="arm" data="found force dist pos" num="2"/></sensor>
</mujoco>
"""
KINDS = [
    ("pyramidal", "Newton", "dense"),
    ("elliptic", "Newton", "sparse"),
    ("pyramidal", "PGS", "sparse"),
    ("elliptic", "CG", "dense"),
]
FIELDS = "dist pos frame includemargin friction solref solreffriction solimp mu dim geom1 geom2 "
FIELDS += "geom flex elem vert exclude efc_address"
SHOWN = "ncon nefc efc_type efc_id efc_pos efc_margin efc_D efc_aref efc_vel qacc qfrc_constraint "
SHOWN += "actuator_force sensordata cfrc_ext qpos qvel"
MODULES = (mujoco, ours)
# arms, a ball and an arm, what cannot move, more of a ball
GEOMS = [(0, 3), (1, 3), (3, 4), (0, 0), (1, 2), (4, 2)]


def situation(module, kind, text=TEXT):
    """A model, and moving data."""
    m = module.MjModel.from_xml_string(
        text.format(**dict(zip(("cone", "solver", "jacobian"), kind, strict=True)))
    )
    d = module.MjData(m)
    d.qvel[:] = 0.3 * np.random.default_rng(1).normal(size=m.nv)
    d.ctrl[:] = 0.4
    return m, d


def contact(module, m, d, geoms, dim=3, dist=-0.01, **others):
    """A contact between two geoms."""
    found = module.MjContact()
    found.geom = (found.geom1, found.geom2) = geoms
    found.flex, found.elem, found.vert = -1, -1, -1
    found.pos = 0.5 * (d.geom_xpos[geoms[0]] + d.geom_xpos[geoms[1]])
    found.frame = [0, 0, 1, 0.6, 0.8, 0, -0.8, 0.6, 0]
    found.dim, found.dist, found.friction = dim, dist, [0.7, 0.8, 0.02, 0.001, 0.002]
    found.solref, found.solimp, found.includemargin = [0.03, 0.9], [0.8, 0.9, 0.01, 0.5, 2], 0.002
    for name, value in others.items():
        setattr(found, name, value)
    return found


def same(found):
    """Fields of data of both modules, and their contacts; PGS and CG stop before they are exact."""
    (real, mine) = found
    tolerance = 1e-6 if real.model.opt.solver == mujoco.mjtSolver.mjSOL_NEWTON else 1e-4
    assert mine.ncon == real.ncon
    for name in SHOWN.split():
        np.testing.assert_allclose(
            getattr(mine, name), getattr(real, name), tolerance, tolerance, err_msg=name
        )
    for name in FIELDS.split():
        np.testing.assert_allclose(
            getattr(mine.contact, name), getattr(real.contact, name), 1e-9, 1e-9, err_msg=name
        )


def finish(module, m, d):
    """What comes after contacts, function by function."""
    for name in ("makeConstraint", "island", "projectConstraint", "transmission", "fwdVelocity"):
        getattr(module, f"mj_{name}")(m, d)
    for name in ("fwdActuation", "fwdAcceleration", "fwdConstraint", "sensorAcc"):
        getattr(module, f"mj_{name}")(m, d)
    module.mj_rnePostConstraint(m, d)
    module.mj_Euler(m, d)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dim", [1, 3, 4, 6])
def test_added_contacts_count(kind, dim):
    """Rows, forces, sensors, forces of bodies and a step follow from them."""
    found = []
    for module in MODULES:
        m, d = situation(module, kind)
        module.mj_fwdPosition(m, d)
        for geoms in GEOMS:
            if geoms == (0, 0) and kind[2] == "dense":
                continue  # the reference finds no tree for rows of zeros
            assert module.mj_addContact(m, d, contact(module, m, d, geoms, dim)) == 0
            assert (d.nefc, d.nisland, len(d.efc_pos)) == (0, 0, 0)
        assert len(d.contact) == d.ncon > 6
        finish(module, m, d)
        found.append(d)
    assert found[0].nefc > 6
    same(found)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("exclude", [1, 2])
def test_added_contacts_may_be_left_out(kind, exclude):
    """One in the gap counts for adhesion alone."""
    found = []
    for module in MODULES:
        m, d = situation(module, kind)
        module.mj_fwdPosition(m, d)
        module.mj_addContact(m, d, contact(module, m, d, (0, 1), exclude=exclude, efc_address=-1))
        # far apart, but not left out
        module.mj_addContact(
            m, d, contact(module, m, d, (3, 4), dist=0.02, solreffriction=[0.1, 1])
        )
        finish(module, m, d)
        found.append(d)
    same(found)


@pytest.mark.parametrize("kind", KINDS)
def test_added_contacts_last_until_contacts_are_found_anew(kind):
    found = []
    for module in MODULES:
        m, d = situation(module, kind)
        module.mj_step1(m, d)
        module.mj_addContact(m, d, contact(module, m, d, (0, 4), 4))
        for name in ("makeConstraint", "island", "projectConstraint", "referenceConstraint"):
            getattr(module, f"mj_{name}")(m, d)
        module.mj_step2(m, d)
        assert d.contact.geom[-1].tolist() == [0, 4]
        twin = copy.copy(d)
        assert twin.contact.geom[-1].tolist() == [0, 4]
        for data in (d, twin):
            module.mj_makeConstraint(m, data)
            assert data.nefc == twin.nefc > 6
        module.mj_step(m, d)
        assert [0, 4] not in d.contact.geom.tolist()
        module.mj_addContact(m, d, contact(module, m, d, (3, 4), 6))
        finish(module, m, d)
        found.append(d)
    same(found)


def test_steps_after_added_contacts_have_the_bits_of_others():
    m, d = situation(ours, KINDS[0])
    other = copy.copy(d)
    ours.mj_forward(m, d)
    for _ in range(30):
        ours.mj_addContact(m, d, contact(ours, m, d, (1, 2)))
    ours.mj_makeConstraint(m, d)
    for data in (d, other):
        data.qacc_warmstart[:] = 0
        ours.mj_step(m, data, 30)
    assert d.qpos.tobytes() == other.qpos.tobytes()
    assert (d.ncon, d.nefc) == (other.ncon, other.nefc)


@pytest.mark.parametrize("nmore", [1, 40])
def test_models_in_which_nothing_touches_get_contacts(nmore):
    """Programs with collision routines of their own."""
    text = TEXT.replace('condim="3"', 'contype="0" conaffinity="0"')
    text = text.replace('condim="4"', 'contype="0" conaffinity="0"')
    found = []
    for module in MODULES:
        m, d = situation(module, KINDS[0], text)
        module.mj_forward(m, d)
        held = d.contact
        for k in range(nmore):
            added = contact(module, m, d, (0, 1), dist=-0.001 * k)
            module.mj_addContact(m, d, added)
        assert len(held) == nmore
        finish(module, m, d)
        found.append(d)
    same(found)
    for module, d in zip(MODULES, found, strict=True):
        module.mj_step(d.model, d)
        assert d.ncon == 0


@pytest.mark.parametrize("kind", KINDS[:2])
def test_many_contacts_between_different_geoms(kind):
    """Each has dofs of its own, also behind the room that was made at first."""
    rng, found = np.random.default_rng(0), []
    pairs = [tuple(rng.choice(5, 2, replace=False)) for _ in range(30)]
    for module in MODULES:
        m, d = situation(module, kind)
        module.mj_fwdPosition(m, d)
        for geoms in pairs:
            module.mj_addContact(m, d, contact(module, m, d, geoms))
        finish(module, m, d)
        found.append(d)
    same(found)


def test_added_contacts_in_large_models():
    many = "".join(
        f'<body pos="{10 + k} 0 1"><freejoint/><geom name="g{k}" size=".1"/></body>'
        for k in range(40)
    )
    text = TEXT.replace("</worldbody>", f"{many}</worldbody>")
    found = []
    for module in MODULES:
        m, d = situation(module, KINDS[0], text)
        module.mj_fwdPosition(m, d)
        for geoms in [(0, 3), (10, 30), (5, 6)]:
            module.mj_addContact(m, d, contact(module, m, d, geoms))
        finish(module, m, d)
        found.append(d)
    assert found[1].batch.plan.large_model
    same(found)


@pytest.mark.parametrize(
    ("others", "message"),
    [
        ({"geom": [0, 99]}, r"contact.geom=\[0, 99\], .*: expected at each side a geom, 0 to 4"),
        ({"geom": [-1, 0]}, r"contact.geom=\[-1, 0\], contact.flex=\[-1, -1\]: expected at each"),
        ({"geom": [-1, 0], "flex": [0, -1]}, r"contact.flex\[0\]=0: expected a deformable"),
        ({"dim": 2}, "contact.dim=2: expected one of 1, 3, 4, 6"),
    ],
)
def test_contacts_of_nothing_are_refused(others, message):
    """MuJoCo reads memory that is none of the model's for these, or makes rows of half a cone."""
    m, d = situation(ours, KINDS[0])
    with pytest.raises(ours.FatalError, match=message):
        ours.mj_addContact(m, d, contact(ours, m, d, (0, 1), **others))
    assert d.ncon == 0


EDITS = {
    "geom": lambda c: c.geom.__setitem__(0, [0, 3]),
    "geom of all": lambda c: c.geom.__setitem__((slice(None), 0), 4),
    "dim": lambda c: c.dim.__setitem__(slice(None), 1),
    "more dims": lambda c: c.dim.__setitem__(0, 6),
    "solreffriction": lambda c: c.solreffriction.__setitem__(slice(None), [0.05, 0.7]),
    "dist out of the margin": lambda c: c.dist.__iadd__(0.03),
    "exclude": lambda c: c.exclude.__setitem__(0, 1),
    "friction": lambda c: c.friction.__imul__(0.4),
    "solimp": lambda c: c.solimp.__imul__(0.9),
    "solref": lambda c: c.solref.__imul__(1.3),
    "includemargin": lambda c: c.includemargin.__iadd__(0.004),
    "frame": lambda c: c.frame.__setitem__(0, [0.6, 0, 0.8, 0, 1, 0, -0.8, 0, 0.6]),
    "pos": lambda c: c.pos.__iadd__(0.02),
    "elem": lambda c: c.elem.__setitem__(0, 3),
}


@pytest.mark.sweep(19)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("edit", EDITS)
def test_edits_count_between_collision_and_rows(kind, edit):
    found = []
    for module in MODULES:
        m, d = situation(module, kind)
        module.mj_fwdPosition(m, d)
        module.mj_collision(m, d)
        EDITS[edit](d.contact)
        finish(module, m, d)
        # rows again, and another edit of what was edited
        EDITS[edit](d.contact)
        finish(module, m, d)
        found.append(d)
    same(found)


@pytest.mark.parametrize("kind", KINDS)
def test_arrays_that_are_held_stay_those_of_the_contacts(kind):
    """Over edits, and over added contacts that there is room for."""
    m, d = situation(ours, kind)
    ours.mj_fwdPosition(m, d)
    dist, dim = d.contact.dist, d.contact.dim
    for depth in (-0.1, -0.2):
        dist[0], dim[0] = depth, 6
        ours.mj_makeConstraint(m, d)
        assert d.efc_pos[d.contact.efc_address[0]] == pytest.approx(depth)
        ours.mj_addContact(m, d, contact(ours, m, d, (1, 3), 6))
        ours.mj_makeConstraint(m, d)
        assert d.contact.dist[0] == dist[0] == pytest.approx(depth)


AFTER_ROWS = ["geom", "dist out of the margin", "exclude", "solimp", "frame", "pos", "elem"]


@pytest.mark.sweep(11)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("edit", AFTER_ROWS)
def test_edits_count_between_the_halves_of_a_step(kind, edit):
    """For sensors and forces of bodies; rows are made already."""
    found = []
    for module in MODULES:
        m, d = situation(module, kind)
        module.mj_step1(m, d)
        EDITS[edit](d.contact)
        module.mj_step2(m, d)
        module.mj_rnePostConstraint(m, d)
        found.append(d)
    same(found)


@pytest.mark.parametrize("kind", KINDS)
def test_friction_edited_after_rows(kind):
    """It is what forces of pyramids are read by; cones keep theirs, and it is refused."""
    found = []
    for module in MODULES:
        m, d = situation(module, kind)
        module.mj_step1(m, d)
        d.contact.friction[:] *= 0.6
        if kind[0] == "elliptic" and module is ours:
            with pytest.raises(mjenv.UnsupportedFeature, match=r"step2: data.contact_friction was"):
                module.mj_step2(m, d)
            return
        module.mj_step2(m, d)
        module.mj_rnePostConstraint(m, d)
        found.append(d)
    same(found)
