"""Collisions and rays of signed distance fields, beside MuJoCo's."""
# ruff: noqa: E501 (models in few lines)

from functools import cache
from pathlib import Path

import mujoco
import numpy as np
import pytest

import mjenv
from tests.engine.reference import check_same_bits

mujoco.mj_loadAllPluginLibraries(str(Path(mujoco.__file__).parent / "plugin"))

SHAPES = ("torus", "bowl", "bolt", "nut", "gear")
EXTENSION = (
    "<extension>"
    + "".join(f'<plugin plugin="mujoco.sdf.{n}"><instance name="{n}"/></plugin>' for n in SHAPES)
    + "</extension>"
)
WEDGE = '<mesh name="wedge" scale=".5 .5 .5" vertex="0 0 0  1 0 0  0 1 0  0 0 1  .7 .8 .9"/>'
OTHERS = {
    "sphere": 'type="sphere" size=".2"',
    "capsule": 'type="capsule" size=".1 .2"',
    "ellipsoid": 'type="ellipsoid" size=".1 .2 .3"',
    "cylinder": 'type="cylinder" size=".15 .2"',
    "box": 'type="box" size=".1 .2 .15"',
    "mesh": 'type="mesh" mesh="wedge"',
    "wedge": 'type="sdf" mesh="wedge"',
}  # fmt: skip
FINITE_DIFFERENCES = ("bowl", "bolt", "nut", "gear")


def field(name):
    if name == "wedge":
        return '<geom type="sdf" mesh="wedge"/>'
    return f'<geom type="sdf" mesh="{name}"><plugin instance="{name}"/></geom>'


def large_model(name, other, behind=""):
    used = {n for n in (name, other) if n in SHAPES}
    extension = EXTENSION if used else ""
    meshes = "".join(f'<mesh name="{n}"><plugin instance="{n}"/></mesh>' for n in used)
    second = f"<geom {OTHERS[other]}/>" if other in OTHERS else field(other)
    return f"""<mujoco>{extension}<option sdf_iterations="10" sdf_initpoints="20"/><asset>{WEDGE}{meshes}</asset><worldbody>
      <geom type="plane" size="3 3 .1" pos="0 0 -9"/><body><freejoint/>{field(name)}</body>
      <body><freejoint/>{second}</body></worldbody>{behind}</mujoco>"""


@cache
def pair(name, other, behind=""):
    text = large_model(name, other, behind)
    return mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)


def poses(reference, model, seed, nworld):
    """States in which the two overlap, in MuJoCo and in worlds."""
    rng = np.random.default_rng(seed)
    data = mjenv.Data(model, nworld)
    reach = reference.geom_rbound[1:].sum()
    found = []
    for world in range(nworld):
        theirs = mujoco.MjData(reference)
        quats = rng.normal(size=(2, 4))
        theirs.qpos[3:7], theirs.qpos[10:14] = quats / np.linalg.norm(quats, axis=1)[:, None]
        theirs.qpos[7:10] = rng.uniform(-0.4, 0.4, 3) * reach
        data.qpos[world] = theirs.qpos
        mujoco.mj_forward(reference, theirs)
        found.append(theirs)
    mjenv.forward(model, data)
    return found, data


SLOW = [("torus", other) for other in OTHERS]  # whose meshes have tens of thousands of triangles
SLOW += [(name, other) for name in FINITE_DIFFERENCES for other in ("sphere", "torus")]
SLOW += [("wedge", other) for other in ("capsule", "ellipsoid", "cylinder", "mesh")]
PAIRS = [("wedge", other) for other in ("sphere", "box", "wedge")]
PAIRS += [pytest.param(*names, marks=pytest.mark.slow) for names in SLOW]


def apart(one, other):
    """Largest difference of each contact of two lists; infinite where their lengths differ."""
    if len(one["dist"]) != len(other["dist"]):
        return np.full(len(one["dist"]), np.inf)
    rows = [np.abs(one[k] - other[k]).reshape(len(one["dist"]), -1).max(axis=1) for k in one]
    return np.max(rows, axis=0, initial=0)


def contacts_of(data, n=None, world=()):
    parts = {name: np.asarray(getattr(data.contact, name)) for name in ("dist", "pos", "frame")}
    return {k: v[world][:n].reshape(-1, *v.shape[len(world) + 1 :]) for k, v in parts.items()}


def moves_by_rounding(reference, one, limit):
    """Whether MuJoCo's own contacts move as far where its state moves by rounding.

    A line search stops sooner or later then, and the descent ends elsewhere.
    """
    rng, other = np.random.default_rng(0), mujoco.MjData(reference)
    for _ in range(6):
        other.qpos[:] = one.qpos * (1 + 4e-16 * rng.normal(size=len(one.qpos)))
        mujoco.mj_forward(reference, other)
        if (apart(contacts_of(one), contacts_of(other)) > limit).any():
            return True
    return False


@pytest.mark.sweep(1)
@pytest.mark.parametrize(("name", "other"), PAIRS)
def test_contacts(name, other):
    """Where gradients are difference quotients, a rounding becomes 1e-8 of a step of the descent."""
    reference, model = pair(name, other)
    theirs, ours = poses(reference, model, 3, 9)
    limit = 1e-5 if {name, other} & {"wedge", "mesh", *FINITE_DIFFERENCES} else 1e-9
    contacts = wrong = 0
    for world, one in enumerate(theirs):
        assert ours.ncon[world] == one.ncon
        contacts += one.ncon
        if one.ncon:
            got = contacts_of(ours, one.ncon, (world,))
            expected = contacts_of(one)
            got = {k: v.reshape(expected[k].shape) for k, v in got.items()}
            off = (apart(got, expected) > limit).sum()
            if off:
                assert moves_by_rounding(reference, one, limit)
                wrong += off
    assert wrong <= 0.1 * contacts
    assert contacts > 0


def test_planes_meet_the_hull():
    text = large_model("wedge", "sphere").replace('pos="0 0 -9"', 'pos="0 0 -.3"')
    reference, model = mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)
    theirs, ours = mujoco.MjData(reference), mjenv.Data(model)
    theirs.qpos[7], ours.qpos[0, 7] = 5, 5
    for _ in range(150):
        mujoco.mj_step(reference, theirs)
        mjenv.step(model, ours)
    assert theirs.ncon > 1
    np.testing.assert_allclose(ours.qpos[0], theirs.qpos, rtol=0, atol=1e-6)


@pytest.mark.parametrize("other", ["sphere", "mesh", pytest.param("torus", marks=pytest.mark.slow)])
def test_same_bits(other):
    _, model = pair("wedge", other)
    check_same_bits(model, 5)


@pytest.mark.parametrize(
    "name", ["wedge", *(pytest.param(n, marks=pytest.mark.slow) for n in ("torus", "bowl", "gear"))]
)
def test_rays(name):
    reference, model = pair(name, "sphere")
    theirs, ours = mujoco.MjData(reference), mjenv.Data(model, 2)
    theirs.qpos[7] = 5
    ours.qpos[:] = theirs.qpos
    mujoco.mj_forward(reference, theirs)
    mjenv.forward(model, ours)
    rng, met = np.random.default_rng(0), 0
    for _ in range(30):
        start = rng.normal(size=3)
        start *= 1.5 / np.linalg.norm(start)
        along = rng.normal(size=3) * 0.2 - start
        geomid, normal = np.zeros(1, np.int32), np.zeros(3)
        dist = mujoco.mj_ray(reference, theirs, start, along, None, 1, -1, geomid, normal)
        hits = mjenv.ray(model, ours, start, along)
        assert (hits.geomid == geomid[0]).all()
        np.testing.assert_allclose(hits.dist, dist, rtol=0, atol=1e-6)
        np.testing.assert_allclose(hits.normal, [normal] * 2, rtol=0, atol=1e-5)
        met += geomid[0] == 1
    assert met > 4


def test_height_fields_are_refused():
    asset = '<hfield name="h" nrow="3" ncol="3" size="1 1 1 1"/>'
    text = large_model("wedge", "sphere").replace("<asset>", f"<asset>{asset}")
    text = text.replace('type="plane" size="3 3 .1"', 'type="hfield" hfield="h"')
    with pytest.raises(mjenv.UnsupportedFeature, match="contacts between hfield and sdf"):
        mjenv.Data(mjenv.Model.from_xml_string(text))
