"""Rays and single shapes beside MuJoCo's functions."""

import ctypes
from pathlib import Path

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv import mju

LIBRARY = next(Path(mujoco.__file__).parent.glob("*mujoco*.so*"), None)
COUNT = 300


@pytest.mark.parametrize("name", ["plane", "sphere", "capsule", "ellipsoid", "cylinder", "box"])
def test_simple_shapes(name):
    rng = np.random.default_rng(0)
    kind = mjenv.mjtGeom[f"mjGEOM_{name.upper()}"]
    pos, pnt, vec = rng.normal(size=(3, COUNT, 3))
    vec += 2 * (pos - pnt)
    mat = mju.quat2mat(mju.euler2quat(rng.normal(size=(COUNT, 3)), "xyz"))
    size = rng.uniform(0.2, 1.0, (COUNT, 3))
    vec[0], pnt[1] = (0, 0, 1), pos[1]
    dist, normal = mju.ray_geom(pos, mat, size, pnt, vec, kind)
    hits = 0
    for k in range(COUNT):
        theirs = np.zeros(3)
        expected = mujoco.mju_rayGeom(
            pos[k], mat[k].ravel(), size[k], pnt[k], vec[k], int(kind), theirs
        )
        np.testing.assert_allclose(dist[k], expected, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(normal[k], theirs, rtol=0, atol=1e-9)
        hits += expected >= 0
    assert 10 < hits < COUNT
    # by name, matrices in a row, leading axes
    few = slice(20)
    rays = pnt[few, None], vec[few, None]
    again = mju.ray_geom(pos[few], mat[few].reshape(20, 9), size[few], *rays, name)[0]
    assert again.shape == (20, 20)
    np.testing.assert_array_equal(np.diagonal(again), dist[few])


def test_other_shapes_are_refused():
    given = np.zeros(3), np.eye(3), np.ones(3), np.zeros(3), np.ones(3)
    with pytest.raises(ValueError, match=r"ray_geom: geomtype='bax': .*; did you mean 'box'"):
        mju.ray_geom(*given, "bax")
    with pytest.raises(ValueError, match="ray_geom: geomtype=7: expected one of plane, sphere"):
        mju.ray_geom(*given, mjenv.mjtGeom.mjGEOM_MESH)
    with pytest.raises(ValueError, match=r"ray_geom: shapes that do not fit: .*vec \(2,\)"):
        mju.ray_geom(*given[:4], np.ones(2), "box")


def of_mujoco(face, vert, pnt, vec) -> tuple[float, int]:
    """MuJoCo's function; its Python bindings take no arrays of triangles."""
    function = ctypes.CDLL(str(LIBRARY)).mju_raySkin
    function.restype = ctypes.c_double
    face, vert = np.ascontiguousarray(face, np.int32), np.ascontiguousarray(vert, np.float32)
    pnt, vec = np.ascontiguousarray(pnt, np.float64), np.ascontiguousarray(vec, np.float64)
    found = np.full(1, -1, np.int32)
    pointers = (ctypes.c_void_p(array.ctypes.data) for array in (face, vert, pnt, vec, found))
    return function(len(face), len(vert), *pointers), int(found[0])


SKIN = """
<mujoco>
  <asset/>
  <worldbody>
    <body name="a"><freejoint/><geom size=".1"/></body>
    <body name="b" pos="1 0 0"><joint axis="0 1 0"/><geom size=".1"/></body>
  </worldbody>
  <deformable>
    <skin name="coat" inflate="0.02" face="0 1 2 1 3 2 0 4 1"
      vertex="0 0 0  1 0 .1  0 1 0  1 1 .3  .5 -.5 .4">
      <bone body="a" bindpos="0 0 0" bindquat="1 0 0 0" vertid="0 2 4" vertweight="1 1 .5"/>
      <bone body="b" bindpos="1 0 0" bindquat="1 0 0 0" vertid="1 3 4" vertweight="1 1 .5"/>
    </skin>
  </deformable>
</mujoco>
"""


def test_triangles():
    rng = np.random.default_rng(1)
    face, vert = rng.integers(0, 12, (20, 3)), rng.normal(size=(2, 12, 3)).astype(np.float32)
    face = face[
        (face[:, 0] != face[:, 1]) & (face[:, 1] != face[:, 2]) & (face[:, 0] != face[:, 2])
    ]
    pnt, vec = rng.normal(size=(2, COUNT, 2, 3))
    dist, vertid = mju.ray_skin(face, vert, pnt, vec)
    for k in range(COUNT):
        for w in range(2):
            expected = of_mujoco(face, vert[w], pnt[k, w], vec[k, w])
            np.testing.assert_allclose((dist[k, w], vertid[k, w]), expected, rtol=1e-9)
    assert 50 < (dist >= 0).sum() < 2 * COUNT
    with pytest.raises(ValueError, match="ray_skin: face: vertex 12: expected one of 12 vertices"):
        mju.ray_skin([[0, 1, 12]], vert, pnt, vec)
    none = mju.ray_skin(np.zeros((0, 3), int), vert, pnt, vec)
    assert (none[0] == -1).all()
    assert (none[1] == -1).all()


@pytest.mark.parametrize("nworld", [1, 3])
def test_skins(nworld):
    """In the vertices that MuJoCo's scene of the same state has."""
    model, mj = mjenv.Model.from_xml_string(SKIN), mujoco.MjModel.from_xml_string(SKIN)
    data, rng = mjenv.Data(model, nworld), np.random.default_rng(2)
    data.qpos[:] += 0.2 * rng.normal(size=data.qpos.shape)
    mjenv.forward(model, data)
    pnt, seen = np.array([0.4, 0.3, 2.0]), 0
    for vec in np.c_[rng.normal(size=(40, 2)) / 5, np.full(40, -1.0)]:
        hits = mjenv.ray_skin(model, data, "coat", pnt, vec)
        assert hits.dist.shape == hits.vertid.shape == (nworld,)
        for world in range(nworld):
            source, scene = mujoco.MjData(mj), mujoco.MjvScene(mj, 10)
            source.qpos[:] = data.qpos[world]
            mujoco.mj_forward(mj, source)
            option, camera = mujoco.MjvOption(), mujoco.MjvCamera()
            option.flags[mujoco.mjtVisFlag.mjVIS_SKIN] = 1
            mujoco.mjv_updateScene(mj, source, option, None, camera, 7, scene)
            vertices = np.array(scene.skinvert).reshape(-1, 3)
            dist, vertid = of_mujoco(mj.skin_face, vertices, pnt, vec)
            np.testing.assert_allclose(hits.dist[world], dist, rtol=1e-5)
            assert hits.vertid[world] == (vertid if dist >= 0 else -1)
            seen += dist >= 0
    assert seen > 10
    one = mjenv.ray_skin(model, mjenv.WorldView(model, data), 0, pnt, (0, 0, -1))
    assert one.dist.shape == ()
    with pytest.raises(KeyError, match="cat"):
        mjenv.ray_skin(model, data, "cat", pnt, vec)
    with pytest.raises(ValueError, match="ray_skin: pnt has shape"):
        mjenv.ray_skin(model, data, 0, [1, 2], vec)
