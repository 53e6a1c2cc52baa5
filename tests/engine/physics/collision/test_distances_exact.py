"""Distances of convex geoms in random poses, against a proof of each: a plane between the geoms.

The points that `geom_distance` returns lie on the geoms, and the planes through them at right
angles to their line have the geoms on either side: then no points are nearer. Depths of polyhedra
are those of the facets of their difference, which scipy finds.
"""

import itertools

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.spatial import ConvexHull

import mjenv
from mjenv.engine.data.data import Data


def corners(x, y, z) -> np.ndarray:
    return np.array(list(itertools.product((-x, x), (-y, y), (-z, z))))


_RANDOM = np.random.default_rng(3)
MESHES = {
    "tetrahedron": np.array([[0, 0, 0], [0.2, 0, 0], [0, 0.3, 0], [0, 0, 0.25]]),
    "brick": corners(0.1, 0.15, 0.12),
    "plate": np.concatenate([corners(0.2, 0.3, 1e-4), [[0.25, 0, 0]]]),
    "needle": np.concatenate([corners(1e-4, 2e-4, 0.3), [[0, 0, 0.31]]]),
    "rock": _RANDOM.normal(size=(40, 3)) * (0.1, 0.2, 0.15),
}
SIZES = {
    "sphere": (0.12,),
    "capsule": (0.06, 0.15),
    "ellipsoid": (0.1, 0.15, 0.2),
    "cylinder": (0.1, 0.15),
    "box": (0.1, 0.15, 0.12),
}
KINDS = (*SIZES, *MESHES)
POLYHEDRA = ("box", *MESHES)
PAIRS = list(itertools.combinations_with_replacement(KINDS, 2))


def model_of(scale: float):
    """Two bodies, each with a geom of every kind, none of which collide."""
    assets = "".join(
        f'<mesh name="{name}" vertex="{" ".join(map(str, (scale * v).ravel()))}"/>'
        for name, v in MESHES.items()
    )
    geoms = {name: f'type="{name}" size="{" ".join(str(scale * s) for s in size)}"'
             for name, size in SIZES.items()}  # fmt: skip
    geoms |= {name: f'type="mesh" mesh="{name}"' for name in MESHES}
    bodies = "".join(
        f'<body name="{side}"><freejoint/>'
        + "".join(f'<geom name="{side}{name}" {what}/>' for name, what in geoms.items())
        + "</body>"
        for side in "ab"
    )
    return mjenv.Model.from_xml_string(
        '<mujoco><compiler boundmass=".01" boundinertia=".01"/><option>'
        f'<flag contact="disable"/></option><asset>{assets}</asset>'
        f"<worldbody>{bodies}</worldbody></mujoco>"
    )


class Shape:
    """A geom in some world, as a support function."""

    def __init__(self, model, data, geom: str, world: int):
        g = model.geom(geom).id
        self.kind, self.size = geom[1:], model.geom_size[g]
        self.pos, self.mat = data.geom_xpos[world, g], data.geom_xmat[world, g].reshape(3, 3)
        self.points = np.zeros((1, 3))
        if self.kind in MESHES:
            mesh = model.geom_dataid[g]
            adr, n = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
            self.points = model.mesh_vert[adr : adr + n].astype(float)
        elif self.kind == "box":
            self.points = corners(*self.size)
        self.points = self.points @ self.mat.T + self.pos

    def height(self, direction) -> float:
        """Largest scalar product of a point of the geom with a direction."""
        local, (a, b, c) = self.mat.T @ direction, self.size
        flat = {
            "sphere": lambda: a * np.linalg.norm(local),
            "capsule": lambda: a * np.linalg.norm(local) + b * abs(local[2]),
            "ellipsoid": lambda: np.linalg.norm(local * (a, b, c)),
            "cylinder": lambda: a * np.hypot(local[0], local[1]) + b * abs(local[2]),
        }
        if self.kind in flat:
            return flat[self.kind]() + direction @ self.pos
        return (self.points @ direction).max()

    def holds(self, point, slack) -> bool:
        """Whether a point lies in the geom, or no farther from it than the slack."""
        local, (a, b, c) = self.mat.T @ (point - self.pos), self.size
        x, y, z = local
        if self.kind == "sphere":
            return np.linalg.norm(local) <= a + slack
        if self.kind == "capsule":
            return np.linalg.norm((x, y, z - np.clip(z, -b, b))) <= a + slack
        if self.kind == "ellipsoid":
            return np.linalg.norm(local / (a, b, c)) <= 1 + slack / min(a, b, c)
        if self.kind == "cylinder":
            return np.hypot(x, y) <= a + slack and abs(z) <= b + slack
        if self.kind == "box":
            return bool((np.abs(local) <= np.array((a, b, c)) + slack).all())
        # weights of vertices, found as a linear program
        n, scale = len(self.points), np.ptp(self.points)
        rows = np.vstack([(self.points - point).T / scale, np.ones(n)])
        found = linprog(
            np.r_[np.zeros(n), 1.0],
            A_ub=np.block([[rows[:3], -np.ones((3, 1))], [-rows[:3], -np.ones((3, 1))]]),
            b_ub=np.zeros(6), A_eq=np.r_[rows[3], 0.0][None], b_eq=[1.0],
        )  # fmt: skip
        return found.x[-1] * scale <= slack


def check(model, data, kind1, kind2, result, world, tolerance) -> None:
    """Prove a distance, or that there is none and how deep polyhedra are in one another."""
    one, two = (
        Shape(model, data, side + kind, world)
        for side, kind in zip("ab", (kind1, kind2), strict=True)
    )
    dist, first, second = result.dist[world], result.fromto[world, :3], result.fromto[world, 3:]
    where = f"{kind1}, {kind2}, world {world}: {dist}"
    if dist > tolerance:
        normal = (second - first) / dist
        assert abs(np.linalg.norm(normal) - 1) < 1e-5, where
        assert one.height(normal) <= normal @ first + tolerance, where
        assert -two.height(-normal) >= normal @ second - tolerance, where
        assert one.holds(first, tolerance), where
        assert two.holds(second, tolerance), where
    elif kind1 in POLYHEDRA and kind2 in POLYHEDRA:
        difference = (one.points[:, None] - two.points[None]).reshape(-1, 3)
        facets = ConvexHull(difference, qhull_options="Qt").equations
        assert abs(facets[:, 3].max() - min(dist, 0.0)) < tolerance, where
    else:
        # a plane between the geoms would be a proof that they are apart
        axes = np.random.default_rng(0).normal(size=(200, 3))
        axes = np.vstack([axes, two.pos - one.pos, second - first])
        axes /= np.maximum(np.linalg.norm(axes, axis=1), 1e-300)[:, None]
        gaps = [-two.height(-axis) - one.height(axis) for axis in axes]
        assert max(gaps) <= tolerance, where


def posed(model, nworld: int, seed: int, spread: float, width=None):
    """Worlds in random poses; some share a rotation, a place, or both."""
    rng = np.random.default_rng(seed)
    data = Data(model, nworld, width=width, keep=["geom_xpos", "geom_xmat"])
    data.qpos[:] = rng.normal(size=data.qpos.shape)
    data.qpos[:, 0:3] = 0
    data.qpos[:, 7:10] *= spread
    data.qpos[::7, 10:] = data.qpos[::7, 3:7]
    data.qpos[::11, 7:10] *= (1.0, 0.0, 0.0)
    data.qpos[::5, 3:7] = (1, 0, 0, 0)
    mjenv.forward(model, data)
    return data


@pytest.mark.slow
@pytest.mark.parametrize(("scale", "seed"), [(1.0, 0), (1e-2, 1), (50.0, 2)])
def test_distances_are_proven(scale, seed):
    model = model_of(scale)
    data = posed(model, 24, seed, 0.3 * scale)
    for kind1, kind2 in PAIRS:
        result = mjenv.geom_distance(model, data, "a" + kind1, "b" + kind2, 30 * scale)
        for world in range(data.nworld):
            check(model, data, kind1, kind2, result, world, 2e-5 * scale)


def test_widths_agree():
    """The same bits in packs and world by world."""
    model = model_of(1.0)
    packs, single = (posed(model, 24, 4, 0.3, width) for width in (8, 1))
    for kind1, kind2 in PAIRS:
        one, other = (
            mjenv.geom_distance(model, data, "a" + kind1, "b" + kind2, 2.0)
            for data in (packs, single)
        )
        np.testing.assert_array_equal(one.dist, other.dist)
        np.testing.assert_array_equal(one.fromto, other.fromto)


def test_sensors_measure_what_the_function_measures():
    """A pair that is far apart, and one where MuJoCo finds a distance of 0."""
    tetrahedron = " ".join(map(str, MESHES["tetrahedron"].ravel()))
    model = mjenv.Model.from_xml_string(f"""
<mujoco><option><flag contact="disable"/></option>
  <asset><mesh name="m" vertex="{tetrahedron}"/></asset><worldbody>
  <body name="p"><freejoint/><geom name="a" type="mesh" mesh="m"/>
    <geom name="c" type="capsule" size=".1 .2"/></body>
  <body name="q"><freejoint/><geom name="b" type="mesh" mesh="m"/>
    <geom name="d" type="box" size=".1 .2 .3"/></body></worldbody>
  <sensor><distance geom1="a" geom2="b" cutoff="9"/><distance geom1="c" geom2="d" cutoff="30"/>
    <fromto geom1="a" geom2="b" cutoff="9"/></sensor></mujoco>""")
    data = posed(model, 400, 1, 0.3)
    data.qpos[1::2, 7:10] *= 20
    mjenv.forward(model, data)
    near = mjenv.geom_distance(model, data, "a", "b", 9.0)
    far = mjenv.geom_distance(model, data, "c", "d", 30.0)
    np.testing.assert_array_equal(data.sensordata[:, 0], near.dist)
    np.testing.assert_array_equal(data.sensordata[:, 1], far.dist)
    np.testing.assert_array_equal(data.sensordata[:, 2:], near.fromto)
    assert (near.dist != 0).all()
    assert (far.dist < 30).all()
    assert (far.dist > 5).any()


@pytest.mark.slow
def test_distances_are_proven_in_many_poses():
    model = model_of(1.0)
    data = posed(model, 250, 5, 0.35)
    for kind1, kind2 in PAIRS:
        result = mjenv.geom_distance(model, data, "a" + kind1, "b" + kind2, 30)
        for world in range(data.nworld):
            check(model, data, kind1, kind2, result, world, 2e-5)
