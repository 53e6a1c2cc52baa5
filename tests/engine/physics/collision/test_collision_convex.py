"""General convex collision against MuJoCo, and against properties that need no reference."""

from functools import cache

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.engine.data.data import Data
from mjenv.engine.data.step import forward
from mjenv.engine.physics.collision import collide as stages
from mjenv.engine.physics.collision.contact import clear_slots
from mjenv.engine.simd import kernel

GEOMS = {
    "sphere": 'type="sphere" size="0.12"',
    "capsule": 'type="capsule" size="0.07 0.15"',
    "ellipsoid": 'type="ellipsoid" size="0.1 0.15 0.2"',
    "cylinder": 'type="cylinder" size="0.1 0.15"',
    "box": 'type="box" size="0.1 0.15 0.08"',
}


def cloud(seed: int, n: int) -> str:
    """Vertices of a mesh: n random points about an ellipsoid."""
    points = np.random.default_rng(seed).normal(size=(n, 3))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    return " ".join(f"{x:.6f}" for x in (points * (0.1, 0.15, 0.2)).ravel())


CORNERS = " ".join(
    f"{x} {y} {z}" for x in (-0.1, 0.1) for y in (-0.15, 0.15) for z in (-0.08, 0.08)
)
MESHES = {
    "wedge": "0 0 0  0.25 0 0  0 0.3 0  0 0 0.2",
    "brick": CORNERS,
    "stone": cloud(1, 60),
    "pebble": cloud(2, 9),
    "nut": " ".join(
        f"{0.12 * np.cos(k * np.pi / 3):.6f} {0.12 * np.sin(k * np.pi / 3):.6f} {z}"
        for k in range(6)
        for z in (-0.05, 0.05)
    ),
}
FLAT = {"box", "brick", "nut"}
ASSETS = "".join(f'<mesh name="{name}" vertex="{text}"/>' for name, text in MESHES.items())
GEOMS |= {name: f'type="mesh" mesh="{name}"' for name in MESHES}
PAIRS = [
    ("sphere", "ellipsoid"),
    ("capsule", "ellipsoid"),
    ("capsule", "cylinder"),
    ("ellipsoid", "ellipsoid"),
    ("ellipsoid", "cylinder"),
    ("ellipsoid", "box"),
    ("cylinder", "cylinder"),
    ("cylinder", "box"),
    ("sphere", "stone"),
    ("capsule", "brick"),
    ("ellipsoid", "wedge"),
    ("cylinder", "stone"),
]
FACE_PAIRS = [
    ("box", "brick"),
    ("box", "stone"),
    ("brick", "brick"),
    ("brick", "wedge"),
    ("wedge", "pebble"),
    ("stone", "stone"),
    ("box", "nut"),
    ("nut", "nut"),
]


def document(one: str, two: str, margin=0.0, option: str = "", flags: str = "") -> str:
    return f"""<mujoco><option {option}><flag {flags}/></option>
      <default><geom margin="{margin / 2}"/></default><asset>{ASSETS}</asset>
      <worldbody><body><freejoint/><geom {GEOMS[one]}/></body>
      <body pos="0.5 0 0"><freejoint/><geom {GEOMS[two]}/></body></worldbody></mujoco>"""


@cache
def load(*arguments):
    text = document(*arguments)
    return mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)


def poses(n: int, seed: int, spread: float = 0.15) -> np.ndarray:
    """Random poses of two free bodies, near enough that about half of them touch: (n, 14)."""
    rng = np.random.default_rng(seed)
    qpos = rng.normal(size=(n, 14))
    for k in (0, 7):
        qpos[:, k : k + 3] *= spread
        qpos[:, k + 3 : k + 7] /= np.linalg.norm(qpos[:, k + 3 : k + 7], axis=1, keepdims=True)
    return qpos


def collide(model, qpos, width: int = 8) -> Data:
    data = Data(model, len(qpos), width=width)
    data.qpos[:] = qpos
    forward(model, data)
    return data


def found(data, world: int) -> np.ndarray:
    """Contacts of one world, as an array (ncon, 13): dist, pos, frame."""
    n = data.ncon[world]
    c = data.contact
    return np.concatenate([c.dist[world, :n, None], c.pos[world, :n], c.frame[world, :n]], axis=1)


class Bench:
    """Collision stages on the poses of geoms that MuJoCo has computed, one in each lane."""

    def __init__(self, mj, model, stages=(stages.collide_convex_in_packs,), width: int = 8):
        self.mj, self.width = mj, width
        plan = Data(model, width, width=width).plan
        plan.refresh()
        self.scratch = plan.threads(1)[0]
        self.stages = (clear_slots, *stages)
        self.compiled = [
            kernel.callable_at(kernel.address(stage, *plan.records), 2) for stage in self.stages
        ]

    def pairs(self, qpos, interpreted: bool = False):
        """Contacts found and those of MuJoCo, for each row of qpos, as arrays like `found`."""
        d, arrays = mujoco.MjData(self.mj), self.scratch.data.arrays
        for k in range(0, len(qpos), self.width):
            rows, expected = qpos[k : k + self.width], []
            for lane, row in enumerate(rows):
                d.qpos[:] = row
                mujoco.mj_forward(self.mj, d)
                arrays["geom_xpos"][:, lane] = d.geom_xpos.ravel()
                arrays["geom_xmat"][:, lane] = d.geom_xmat.ravel()
                c = d.contact
                expected.append(np.concatenate([c.dist[:, None], c.pos, c.frame], axis=1))
            if interpreted:
                for stage in self.stages:
                    stage(self.scratch.model, self.scratch.data)
            else:
                for stage in self.compiled:
                    stage(self.scratch.model.address, self.scratch.data.address)
            for lane in range(len(rows)):
                yield self.contacts(lane), expected[lane]

    def contacts(self, lane: int) -> np.ndarray:
        arrays = self.scratch.data.arrays
        on = (arrays["con_any"] > 0) & (arrays["con_on"][:, lane] > 0)
        columns = [arrays["con_dist"][:, lane, None]]
        columns += [
            arrays[f"con_{name}"][:, lane].reshape(len(on), -1) for name in ("pos", "frame")
        ]
        return np.concatenate(columns, axis=1)[on]


def compare(bench, qpos, interpreted: bool = False) -> int:
    """Assert that contacts are MuJoCo's: distances to 1e-8, positions and frames to 1e-6.

    Args:
        bench: what to run.
        qpos: poses.
        interpreted: run the kernels as plain Python.

    Returns:
        Number of poses with contacts.
    """
    touching = 0
    for got, expected in bench.pairs(qpos, interpreted):
        touching += len(expected) > 0
        assert got.shape == expected.shape
        error = np.abs(got - expected)
        assert np.all(error[:, 0] < 1e-8), (got, expected)
        assert np.all(error[:, 1:] < 1e-6), (got, expected)
    return touching


@pytest.mark.sweep(3)
@pytest.mark.parametrize("margin", [0.0, 0.02])
@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_contacts_are_those_of_mujoco(pair, margin):
    """On the same poses the search takes the same path, whatever the shape."""
    bench = Bench(*load(*pair, margin))
    assert compare(bench, poses(2000, 1)) > 500


TOGETHER = [pair for pair in PAIRS if {"ellipsoid", "cylinder", "box"}.issuperset(pair)]


@pytest.mark.parametrize("margin", [0.0, 0.02])
@pytest.mark.parametrize("pair", TOGETHER, ids="-".join)
def test_lanes_together_and_one_by_one(pair, margin):
    """Searches of all lanes at once end where those of one lane at a time do, to the last bit."""
    mj, model = load(*pair, margin)
    qpos = np.concatenate([poses(400, 3), poses(400, 4, 0.08), aligned(400, 5)])
    one_by_one = Bench(mj, model, (stages.collide_convex,))
    together = Bench(mj, model)
    touching = 0
    for (one, _), (two, _) in zip(one_by_one.pairs(qpos), together.pairs(qpos), strict=True):
        assert one.tobytes() == two.tobytes()
        touching += len(one) > 0
    assert touching > 600


@pytest.mark.parametrize("width", [4, 16])
def test_packs_of_other_widths(width):
    mj, model = load("cylinder", "box", 0.0)
    qpos = aligned(400, 5)
    wide = [found.tobytes() for found, _ in Bench(mj, model, width=width).pairs(qpos)]
    assert wide == [found.tobytes() for found, _ in Bench(mj, model).pairs(qpos)]


def test_lanes_whose_searches_differ():
    """Options that cut searches short, and geoms in one place."""
    for option in ('ccd_iterations="4"', 'ccd_iterations="9" ccd_tolerance="1e-3"'):
        mj, model = load("cylinder", "box", 0.0, option)
        qpos = aligned(400, 6)
        qpos[::7, 7:10] = qpos[::7, :3]
        alone = Bench(mj, model, (stages.collide_convex,))
        for (one, _), (two, _) in zip(alone.pairs(qpos), Bench(mj, model).pairs(qpos), strict=True):
            assert one.tobytes() == two.tobytes()


@pytest.mark.parametrize("iterations", [1, 3, 8, 100])
@pytest.mark.parametrize("pair", [("ellipsoid", "cylinder"), ("cylinder", "box")], ids="-".join)
def test_iterations_and_tolerance(pair, iterations):
    """The options bound the search as in MuJoCo."""
    bench = Bench(*load(*pair, 0.0, f'ccd_iterations="{iterations}" ccd_tolerance="1e-5"'))
    compare(bench, poses(500, 2))


def aligned(n: int, seed: int) -> np.ndarray:
    """Poses of two bodies turned by quarter turns, some tilted a little, that touch somewhere."""
    rng = np.random.default_rng(seed)
    turns = np.array([[1, 0, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0], [1, 0, 0, 1], [0, 1, 0, 0]], float)
    qpos = poses(n, seed, 0.06)
    qpos[:, 7 + rng.integers(0, 3)] += rng.choice([-1, 1], n) * rng.uniform(0.1, 0.25, n)
    for k in (3, 10):
        tilt = rng.choice([0.0, 1e-4, 1e-3, 0.05], (n, 1)) * rng.normal(size=(n, 4))
        quat = turns[rng.integers(0, len(turns), n)] + tilt
        qpos[:, k : k + 4] = quat / np.linalg.norm(quat, axis=1, keepdims=True)
    return qpos


@pytest.mark.sweep(4)
@pytest.mark.parametrize("margin", [0.0, 0.02])
@pytest.mark.parametrize("pair", FACE_PAIRS, ids="-".join)
def test_faces(pair, margin):
    """Boxes and meshes, in all poses and with faces against faces: up to four points, or five."""
    bench = Bench(*load(*pair, margin), (stages.collide_convex_faces,))
    compare(bench, poses(600, 1, 0.1))
    qpos = aligned(600, 2)
    assert compare(bench, qpos) > 100
    if FLAT.issuperset(pair):
        assert max(len(got) for got, _ in bench.pairs(qpos)) >= 4


def test_faces_without_multiccd():
    mj, model = load("box", "brick", 0.0, "", 'multiccd="disable"')
    bench = Bench(mj, model, (stages.collide_convex_faces,))
    compare(bench, aligned(200, 3))
    assert max(len(got) for got, _ in bench.pairs(aligned(200, 3))) == 1


@pytest.mark.sweep(6)
@pytest.mark.parametrize("margin", [0.0, 0.02])
@pytest.mark.parametrize("mesh", MESHES)
def test_planes_and_meshes(mesh, margin):
    text = f"""<mujoco><default><geom margin="{margin / 2}"/></default><asset>{ASSETS}</asset>
      <worldbody><geom type="plane" size="3 3 1"/>
      <body><freejoint/><geom type="mesh" mesh="{mesh}"/></body></worldbody></mujoco>"""
    bench = Bench(
        mujoco.MjModel.from_xml_string(text),
        mjenv.Model.from_xml_string(text),
        (stages.collide_plane_mesh,),
    )
    qpos = poses(1000, 1, 0.1)[:, :7]
    assert compare(bench, qpos) > 400
    # lying flat, where several vertices are lowest
    qpos = np.repeat([[0, 0, 0.05, 1, 0, 0, 0]], 8, axis=0)
    qpos[:, 2] += np.linspace(0, 0.1, 8)
    compare(bench, qpos)


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_whole_pipeline(pair):
    """Poses that differ in their last bits may end the search one iteration apart."""
    mj, model = load(*pair, 0.0)
    qpos = poses(300, 1)
    data, d = collide(model, qpos), mujoco.MjData(mj)
    for world in range(len(qpos)):
        d.qpos[:] = qpos[world]
        mujoco.mj_forward(mj, d)
        assert (data.ncon[world] > 0) == (d.ncon > 0)
        if d.ncon:
            assert abs(data.contact.dist[world, 0] - d.contact.dist[0]) < 2e-6


def test_one_contact_without_multiccd():
    mj, model = load("cylinder", "box", 0.0, "", 'multiccd="disable"')
    bench = Bench(mj, model)
    compare(bench, poses(200, 2))
    assert max(len(got) for got, _ in bench.pairs(poses(200, 2))) == 1


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_widths_give_the_same_bits(pair):
    _, model = load(*pair, 0.0)
    qpos = poses(64, 2)
    narrow, wide = collide(model, qpos, 1), collide(model, qpos, 8)
    assert np.array_equal(narrow.ncon, wide.ncon)
    for world in range(len(qpos)):
        assert np.array_equal(found(narrow, world), found(wide, world))


@pytest.mark.parametrize("pair", [("ellipsoid", "ellipsoid"), ("cylinder", "cylinder")])
def test_exchange_of_bodies(pair):
    """The same distance, and the opposite normal, up to the accuracy of the search."""
    _, model = load(*pair, 0.0, 'ccd_iterations="300"')
    qpos = poses(300, 3)
    data, other = collide(model, qpos), collide(model, np.roll(qpos, 7, axis=1))
    assert np.array_equal(data.ncon > 0, other.ncon > 0)
    for world in np.flatnonzero(data.ncon):
        first, second = found(data, world)[0], found(other, world)[0]
        assert abs(first[0] - second[0]) < 2e-6


@pytest.mark.sweep(3)
@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_no_contact_is_missed(pair):
    """Points of one geom inside the other prove an overlap, a separating plane proves none."""
    _, model = load(*pair, 0.0)
    qpos = poses(200, 4, 0.12)
    data = collide(model, qpos)
    directions = np.random.default_rng(5).normal(size=(4000, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    for world in range(len(qpos)):
        heights = [
            extent(model, g, data.geom_xpos[world, g], data.geom_xmat[world, g], sign * directions)
            for g, sign in ((0, 1.0), (1, -1.0))
        ]
        # the distance along each direction, a lower bound of the distance between the geoms
        gap = -(heights[0] + heights[1])
        if data.ncon[world]:
            depth = data.contact.dist[world, 0]
            assert np.max(gap) <= depth + 1e-6
            assert np.max(gap) > depth - 0.02
        else:
            assert np.max(gap) > -0.01


def extent(model, geom, pos, mat, directions):
    """Largest coordinate of a geom along each direction."""
    size = model.geom_size[geom]
    local = directions @ np.reshape(mat, (3, 3))
    kind = model.geom_type[geom]
    radial = np.hypot(local[:, 0], local[:, 1])
    if kind == mujoco.mjtGeom.mjGEOM_SPHERE:
        reach = np.full(len(local), size[0])
    elif kind == mujoco.mjtGeom.mjGEOM_CAPSULE:
        reach = size[0] + size[1] * np.abs(local[:, 2])
    elif kind == mujoco.mjtGeom.mjGEOM_ELLIPSOID:
        reach = np.linalg.norm(local * size, axis=1)
    elif kind == mujoco.mjtGeom.mjGEOM_CYLINDER:
        reach = size[0] * radial + size[1] * np.abs(local[:, 2])
    elif kind == mujoco.mjtGeom.mjGEOM_MESH:
        mesh = model.geom_dataid[geom]
        start = model.mesh_vertadr[mesh]
        vertices = model.mesh_vert[start : start + model.mesh_vertnum[mesh]]
        reach = np.max(local @ vertices.T, axis=1)
    else:
        reach = np.abs(local) @ size
    return directions @ pos + reach


def test_boxes_around_meshes_hold_their_vertices():
    """Vertices are rounded to single precision after their bounding box was found."""
    mj, model = load("box", "stone", 0.0)
    bench = Bench(mj, model, (stages.collide_convex_faces,))
    mesh = mj.geom_dataid[1]
    vertices = mj.mesh_vert[mj.mesh_vertadr[mesh] :][: mj.mesh_vertnum[mesh]].astype(float)
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, mj.geom_quat[1])
    # the frame of the mesh along that of the world
    vertices, quat = (
        vertices + mj.geom_pos[1] @ turn.reshape(3, 3),
        mj.geom_quat[1] * [1, -1, -1, -1],
    )
    qpos = np.zeros((6, 14))
    qpos[:, 3], qpos[:, 10:] = 1.0, quat
    for k in range(3):
        # a corner of the stone enters a face of the box
        low, high = vertices[vertices[:, k].argmin()], vertices[vertices[:, k].argmax()]
        reach = np.eye(3)[k] * (mj.geom_size[0, k] - 2e-9)
        qpos[2 * k, 7:10], qpos[2 * k + 1, 7:10] = reach - low, -reach - high
    assert compare(bench, qpos) == 6


@pytest.mark.slow
def test_interpreted_form():
    """Kernels as plain Python give what compiled ones give."""
    bench = Bench(*load("cylinder", "box", 0.0), width=8)
    assert compare(bench, poses(6, 6, 0.05), interpreted=True) == 6
