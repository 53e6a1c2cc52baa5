"""What a thread remembers of convex geoms that were apart saves time and changes nothing else."""

import itertools

import numpy as np
import pytest

import mjenv
from mjenv.engine.data.data import Data
from mjenv.engine.data.step import forward, step
from mjenv.engine.physics.collision.convex import take_pair
from mjenv.engine.physics.collision.gjk import TRIAL
from mjenv.engine.physics.collision.separating_axis import are_apart, meets


def stone(seed: int, n: int) -> str:
    """Vertices of a mesh, all of which are on its hull."""
    points = np.random.default_rng(seed).normal(size=(n, 3))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    return " ".join(f"{x:.6f}" for x in (points * (0.1, 0.15, 0.2)).ravel())


GEOMS = {
    "capsule": 'type="capsule" size="0.07 0.15"',
    "ellipsoid": 'type="ellipsoid" size="0.1 0.15 0.2"',
    "cylinder": 'type="cylinder" size="0.1 0.15"',
    "box": 'type="box" size="0.1 0.15 0.08"',
    "stone": 'type="mesh" mesh="stone"',
    "pebble": 'type="mesh" mesh="pebble"',
}
PAIRS = [
    ("stone", "stone"),
    ("stone", "pebble"),
    ("stone", "box"),
    ("cylinder", "box"),
    ("capsule", "stone"),
    ("ellipsoid", "pebble"),
]


def model_of(pair, margin: float = 0.0):
    bodies = "".join(f"<body><freejoint/><geom {GEOMS[kind]}/></body>" for kind in pair)
    return mjenv.Model.from_xml_string(
        f'<mujoco><default><geom margin="{margin / 2}"/></default><asset>'
        f'<mesh name="stone" vertex="{stone(1, 60)}"/><mesh name="pebble" vertex="{stone(2, 9)}"/>'
        f"</asset><worldbody>{bodies}</worldbody></mujoco>"
    )


def poses(n: int, seed: int) -> np.ndarray:
    """Of two bodies, at random or along the axes, of which about half touch: (n, 14)."""
    rng = np.random.default_rng(seed)
    qpos = rng.normal(size=(n, 14))
    for k in (0, 7):
        qpos[:, k : k + 3] *= 0.15
        turned = rng.integers(-1, 2, (n, 4)) + np.array([1e-3, 0, 0, 0])
        qpos[: n // 2, k + 3 : k + 7] = turned[: n // 2]
        qpos[:, k + 3 : k + 7] /= np.linalg.norm(qpos[:, k + 3 : k + 7], axis=1, keepdims=True)
    return qpos


def memory(data) -> tuple[np.ndarray, np.ndarray]:
    arrays = data.plan.threads(1)[0].data.arrays
    return arrays["separating_axis"], arrays["separating_vertex"]


def contacts(data) -> list[np.ndarray]:
    c = data.contact
    return [np.concatenate([c.dist[w, :n], c.pos[w, :n].ravel(), c.frame[w, :n].ravel()])
            for w, n in enumerate(data.ncon)]  # fmt: skip


@pytest.mark.parametrize("margin", [0.0, 0.02])
@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_contacts_do_not_depend_on_what_is_remembered(pair, margin):
    model, rng = model_of(pair, margin), np.random.default_rng(0)
    data = Data(model, 256, width=8, nthread=1)
    data.qpos[:] = poses(256, 3)
    forward(model, data)
    expected = contacts(data)
    assert 50 < np.count_nonzero(data.ncon) < 206
    axis, vertex = memory(data)
    # directions of whatever worlds, and vertices that some mesh or none has
    for most in (20, 10_000):
        axis[:] = rng.normal(size=axis.shape)
        axis.reshape(-1, 3)[:] /= np.linalg.norm(axis.reshape(-1, 3), axis=1, keepdims=True)
        vertex[:] = rng.integers(-1, most, vertex.shape)
        forward(model, data)
        assert all(map(np.array_equal, contacts(data), expected))


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_motion_does_not_depend_on_what_is_remembered(pair):
    model = model_of(pair)
    data, forgetful = Data(model, 16, nthread=1), Data(model, 16, nthread=1)
    for one in (data, forgetful):
        one.qpos[:] = poses(16, 4)
        one.qvel[:] = np.random.default_rng(5).normal(size=(16, model.nv))
    used = 0
    for _ in range(50):
        step(model, data)
        memory(forgetful)[0][:] = 0.0
        step(model, forgetful)
        used += np.any(memory(data)[0])
    assert used
    assert np.array_equal(data.qpos, forgetful.qpos)


def test_axes_separate_the_geoms():
    """Each axis kept has one geom beyond the other."""
    model = model_of(("stone", "pebble"))
    data = Data(model, 1, nthread=1)
    starts, numbers = model.mesh_vertadr, model.mesh_vertnum
    vertices = [model.mesh_vert[s : s + n] for s, n in zip(starts, numbers, strict=True)]
    kept = 0
    for pose in poses(100, 6):
        data.qpos[:] = pose
        memory(data)[0][:] = 0.0
        forward(model, data)
        local = memory(data)[0].reshape(-1, 3)
        local = local[np.any(local, axis=1)]
        assert len(local) == 0 or data.ncon[0] == 0
        for direction in local:
            mats = np.asarray(data.geom_xmat[0]).reshape(-1, 3, 3)
            axis = mats[0] @ direction
            placed = zip(vertices, mats, data.geom_xpos[0], strict=True)
            heights = [(v @ mat.T + pos) @ axis for v, mat, pos in placed]
            assert heights[0].min() > heights[1].max()
            kept += 1
    assert kept > 10


def records(pair):
    data = Data(model_of(pair), 1, width=1, nthread=1)
    data.plan.refresh()
    scratch = data.plan.threads(1)[0]
    return scratch.model, scratch.data


@pytest.mark.parametrize(
    ("simplex", "expected"),
    [
        # around the origin
        ([(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)], True),
        # beside it
        ([(1, 1, 3), (1, -1, 1), (-1, 1, 1), (-1, -1, 3)], False),
        # flat, in a plane through the origin, beside it
        ([(1, 0, 0), (2, 1, 0), (2, -1, 0), (3, 0, 1e-17)], False),
        # triangles and segments
        ([(1, 1, 0), (1, -1, 0), (-1, 0, 0)], True),
        ([(1, 1, 1e-3), (1, -1, 1e-3), (-1, 0, 1e-3)], False),
        ([(1, 0, 0), (-2, 0, 0)], True),
        ([(1, 0, 0), (2, 0, 0)], False),
    ],
)
def test_simplices_that_come_near_the_origin(simplex, expected):
    _, d = records(("stone", "box"))
    d.ccd_tolerance[0] = 1e-6
    for order in itertools.permutations(simplex):
        for k, point in enumerate(order):
            d.ccd_vertex[9 * k : 9 * k + 3] = point
        assert meets(d, len(simplex)) == expected


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
@pytest.mark.parametrize("distance", [0.0, 0.5])
def test_a_slower_search_decides_and_leaves_the_simplex(pair, distance):
    m, d = records(pair)
    d.geom_xmat[:] = np.tile(np.eye(3).ravel(), 2)
    d.geom_xpos[:] = (0, 0, 0, 0.6 * distance, 0.7 * distance, 0.5 * distance)
    take_pair(m, d, 0, 1, 0)
    rng = np.random.default_rng(7)
    before = d.ccd_vertex[: 9 * TRIAL] = rng.normal(size=9 * TRIAL)
    kinds = np.array(d.ccd_kind)
    assert are_apart(m, d, 4) == (distance > 0.0)
    assert np.array_equal(d.ccd_vertex[: 9 * TRIAL], before)
    assert np.array_equal(d.ccd_kind, kinds)
