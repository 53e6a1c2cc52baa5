"""Rays beside MuJoCo's: every type of geom, filters, culling, and the same bits over widths."""

from functools import cache

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.engine.errors import FieldError

NWORLD, NRAY = 10, 60
HEIGHTS = " ".join(str(x) for x in np.random.default_rng(0).uniform(0, 1, 35).round(2))
XML = f"""
<mujoco>
  <asset>
    <mesh name="blob" builtin="supersphere" params="8 0.7 0.7"/>
    <hfield name="hill" nrow="5" ncol="7" size="1 0.8 0.3 0.1" elevation="{HEIGHTS}"/>
    <material name="glass" rgba="1 1 1 0"/>
  </asset>
  <worldbody>
    <geom type="plane" size="3 3 0.1" pos="0 0 -1"/>
    <geom name="hill" type="hfield" hfield="hill" pos="1.5 0 -0.5" euler="10 20 0" contype="0"
    conaffinity="0"/>
    <body>
      <freejoint/>
      <geom size="0.3"/>
      <geom type="capsule" pos="0.5 0 0" size="0.1 0.2" euler="30 20 0" group="2"/>
    </body>
    <body name="second">
      <freejoint/>
      <geom type="ellipsoid" size="0.3 0.2 0.1"/>
      <geom type="cylinder" pos="0.5 0 0" size="0.1 0.2" euler="30 20 0" group="3"/>
    </body>
    <body>
      <freejoint/>
      <geom type="box" size="0.3 0.2 0.1"/>
      <geom size="0.5" material="glass"/>
      <geom size="0.5" rgba="1 1 1 0"/>
      <geom name="blob" type="mesh" mesh="blob" pos="0.5 0 0" euler="30 20 0" group="1"/>
    </body>
  </worldbody>
</mujoco>
"""


@pytest.fixture(scope="module")
def large_model():
    """Models of both, data at random poses, starts and directions."""
    model, mj = mjenv.Model.from_xml_string(XML), mujoco.MjModel.from_xml_string(XML)
    data = mjenv.Data(model, NWORLD)
    rng = np.random.default_rng(1)
    data.qpos[:] = rng.normal(size=data.qpos.shape) * 0.5
    mjenv.forward(model, data)
    pnt, vec = rng.normal(size=(NWORLD, 3)), rng.normal(size=(NWORLD, NRAY, 3))
    vec[:, 0] = [0, 0, -2]
    vec[:, 1] = [1e-9, 0, 0]
    return model, mj, data, pnt, vec


def reference(mj, data, world):
    """MuJoCo's data in the state of one world."""
    source = mujoco.MjData(mj)
    source.qpos[:] = data.qpos[world]
    mujoco.mj_forward(mj, source)
    return source


@pytest.mark.parametrize("groups", [None, [1, 1, 0, 1, 1, 1]])
@pytest.mark.parametrize("cutoff", [np.inf, 1.5])
def test_many_rays(large_model, groups, cutoff):
    model, mj, data, pnt, vec = large_model
    hits = mjenv.multi_ray(model, data, pnt, vec, groups, True, "second", cutoff)
    mask = None if groups is None else np.array(groups, np.uint8)
    for world in range(NWORLD):
        geomid, dist = np.zeros(NRAY, np.int32), np.zeros(NRAY)
        normal = np.zeros(3 * NRAY)
        mujoco.mj_multiRay(
            mj, reference(mj, data, world), pnt[world], vec[world].ravel(), mask, 1, 2,
            geomid, dist, normal, NRAY, min(cutoff, 1e10),
        )  # fmt: skip
        # one that is too short has no geom there, whatever was in the array before
        geomid[1] = -1
        np.testing.assert_array_equal(hits.geomid[world], geomid)
        np.testing.assert_allclose(hits.dist[world], dist, rtol=0, atol=1e-10)
        np.testing.assert_allclose(hits.normal[world].ravel(), normal, rtol=0, atol=1e-8)
    assert hits.geomid.dtype == np.int32
    assert len(np.unique(hits.geomid)) > 5


@pytest.mark.parametrize("static", [True, False])
@pytest.mark.parametrize("exclude", [-1, 0, 3])
def test_single_rays(large_model, static, exclude):
    model, mj, data, pnt, vec = large_model
    sources = [reference(mj, data, world) for world in range(NWORLD)]
    for k in [0, *range(2, 12)]:
        hits = mjenv.ray(model, data, pnt, vec[:, k], None, static, exclude)
        for world, source in enumerate(sources):
            geomid, normal = np.zeros(1, np.int32), np.zeros(3)
            dist = mujoco.mj_ray(
                mj, source, pnt[world], vec[world, k], None, static, exclude, geomid, normal
            )
            assert hits.geomid[world] == geomid[0]
            np.testing.assert_allclose(hits.dist[world], dist, rtol=0, atol=1e-10)
            np.testing.assert_allclose(hits.normal[world], normal, rtol=0, atol=1e-8)


def test_one_geom(large_model):
    model, mj, data, pnt, _ = large_model
    geoms = {"hill": (mjenv.ray_hfield, mujoco.mj_rayHfield)}
    geoms["blob"] = (mjenv.ray_mesh, mujoco.mj_rayMesh)
    for name, (ours, theirs) in geoms.items():
        geomid, met = model.geom(name).id, 0
        for shift in np.random.default_rng(2).normal(size=(20, 3)) * 0.3:
            toward = data.geom_xpos[:, geomid] + shift - pnt
            hits = ours(model, data, name, pnt, toward)
            for world in range(NWORLD):
                normal = np.zeros(3)
                source = reference(mj, data, world)
                dist = theirs(mj, source, geomid, pnt[world], toward[world], normal)
                np.testing.assert_allclose(hits.dist[world], dist, rtol=0, atol=1e-10)
                if dist >= 0:
                    met += 1
                    np.testing.assert_allclose(hits.normal[world], normal, rtol=0, atol=1e-8)
        assert met > 50


def test_same_bits(large_model):
    """Over widths, one world and many, and models that differ between worlds."""
    model, _, data, pnt, vec = large_model
    hits = mjenv.multi_ray(model, data, pnt, vec)
    for options in ({"width": 1}, {"nthread": 2}, {"vary": ["geom_size"]}):
        other = mjenv.Data(model, NWORLD, **options)
        other.qpos[:] = data.qpos
        mjenv.forward(model, other)
        again = mjenv.multi_ray(model, other, pnt, vec)
        for a, b in zip(hits, again, strict=True):
            assert np.array_equal(a, b)
    one = mjenv.Data(model)
    one.qpos[0] = data.qpos[3]
    mjenv.forward(model, one)
    again = mjenv.multi_ray(model, one, pnt[3], vec[3])
    for a, b in zip(hits, again, strict=True):
        assert np.array_equal(a[3:4], b)


def test_messages(large_model):
    model, _, data, pnt, vec = large_model
    bare = mjenv.Data(model, 2, keep=[])
    down = [0, 0, -1]
    cases = (
        (lambda: mjenv.ray(model, data, pnt, [0, 0, 0]), ValueError,
         "ray: vec: expected directions"),
        (lambda: mjenv.ray(model, data, [0, 0], down), ValueError,
         "ray: pnt has shape (2,), expected (3,) or (nworld, 3)"),
        (lambda: mjenv.multi_ray(model, data, pnt[:2], vec), ValueError,
         "multi_ray: pnt has shape (2, 3), expected (10, 3)"),
        (lambda: mjenv.multi_ray(model, data, pnt, down), ValueError,
         "multi_ray: vec has shape (3,), expected (nray, 3) or (nworld, nray, 3)"),
        (lambda: mjenv.ray(model, data, pnt, down, geomgroup=[1]), ValueError,
         "ray: geomgroup has shape (1,), expected (6,)"),
        (lambda: mjenv.ray_mesh(model, data, "hill", pnt, down), ValueError,
         "ray_mesh: geom='hill': expected a geom of type mesh"),
        (lambda: mjenv.ray(model, data, pnt, down, bodyexclude="secnd"), KeyError, "secnd"),
        (lambda: mjenv.ray(model, bare, [0, 0, 1], down), FieldError,
         "Data.geom_xpos: not kept; make the data with keep=[..., 'geom_xpos']"),
    )  # fmt: skip
    for call, kind, text in cases:
        with pytest.raises(kind) as error:
            call()
        assert text in str(error.value)


FLEXES = """
<mujoco><worldbody>
  <flexcomp name="sheet" count="4 5 1" spacing=".1 .1 .1" radius=".02"/>
  <flexcomp name="solid" dim="3" count="5 5 5" spacing=".1 .1 .1" radius=".01"/>
  <flexcomp name="line" type="circle" dim="1" count="8 1 1" spacing=".1 .1 .1" radius=".03"/>
</worldbody></mujoco>
"""


@cache
def deformables():
    """The scene in a random state, in MuJoCo and in 40 worlds."""
    reference, model = mujoco.MjModel.from_xml_string(FLEXES), mjenv.Model.from_xml_string(FLEXES)
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    data, theirs = mjenv.Data(model, nworld=40), mujoco.MjData(reference)
    theirs.qpos[:] = data.qpos[:] = 0.02 * np.random.default_rng(0).normal(size=model.nq)
    mujoco.mj_forward(reference, theirs)
    mjenv.forward(model, data)
    return reference, theirs, model, data


@pytest.mark.sweep(9)
@pytest.mark.parametrize("name", ["sheet", "solid", "line"])
@pytest.mark.parametrize("shown", range(16))
def test_deformables(name, shown):
    """Rays from everywhere meet vertices, edges, faces and skins where MuJoCo's do."""
    reference, theirs, model, data = deformables()
    rng = np.random.default_rng(shown)
    start = rng.uniform(-0.4, 0.4, (40, 3))
    way = rng.uniform(-0.2, 0.2, (40, 3)) - start
    parts, flexid = [bool(shown & 1 << k) for k in range(4)], model.flex(name).id
    hits = mjenv.ray_flex(model, data, 1, *parts, name, start, way)
    for w in range(40):
        vertid, normal = np.full((1, 1), -1, np.int32), np.zeros((3, 1))
        dist = mujoco.mj_rayFlex(
            reference, theirs, 1, *parts, flexid, start[w], way[w], vertid, normal
        )
        assert hits.dist[w] == pytest.approx(dist, abs=1e-9)
        assert hits.vertid[w] == vertid[0, 0]
        np.testing.assert_allclose(hits.normal[w], normal[:, 0], atol=1e-7)
    assert (hits.dist >= 0).any() == (bool(shown & 3) or (shown > 0 and name != "line"))


def test_rays_that_meet_no_deformable():
    model = mjenv.Model.from_xml_string(FLEXES)
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    data = mjenv.Data(model)
    mjenv.forward(model, data)
    hits = mjenv.ray_flex(model, data, 0, 1, 1, 1, 1, 0, (5, 5, 5), (0, 0, 1))
    assert hits.dist[0] == hits.vertid[0] == -1
    assert not hits.normal.any()
    with pytest.raises(KeyError, match="sheets"):
        mjenv.ray_flex(model, data, 0, 1, 1, 1, 1, "sheets", (5, 5, 5), (0, 0, 1))
    with pytest.raises(ValueError, match="vec: expected directions of a length"):
        mjenv.ray_flex(model, data, 0, 1, 1, 1, 1, 0, (5, 5, 5), (0, 0, 0))
    with pytest.raises(ValueError, match=r"pnt has shape \(2,\)"):
        mjenv.ray_flex(model, data, 0, 1, 1, 1, 1, 0, (5, 5), (0, 0, 1))
