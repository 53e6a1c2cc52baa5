"""Distances of geoms against MuJoCo, and against what needs no reference."""

import itertools

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.engine.data.data import Data
from mjenv.engine.data.step import forward
from mjenv.engine.physics.collision.contact import put_contact
from mjenv.engine.physics.collision.primitives import sphere_sphere
from mjenv.engine.simd import kernel

POINTS = np.random.default_rng(0).normal(size=(40, 3))
POINTS *= (0.1, 0.15, 0.2) / np.linalg.norm(POINTS, axis=1, keepdims=True)
GEOMS = {
    "plane": 'type="plane" size="1 1 1"',
    "hfield": 'type="hfield" hfield="hills"',
    "sphere": 'type="sphere" size="0.12"',
    "capsule": 'type="capsule" size="0.07 0.15"',
    "ellipsoid": 'type="ellipsoid" size="0.1 0.15 0.2"',
    "cylinder": 'type="cylinder" size="0.1 0.15"',
    "box": 'type="box" size="0.1 0.15 0.08"',
    "mesh": 'type="mesh" mesh="stone"',
}
SCENE = """<mujoco><asset>
    <hfield name="hills" nrow="5" ncol="6" size="1 0.8 0.3 0.1" elevation="{heights}"/>
    <mesh name="stone" vertex="{stone}"/></asset>
  <worldbody><body mocap="true"><geom name="one" {one}/></body>
    <body mocap="true"><geom name="two" {two}/></body></worldbody></mujoco>"""
HEIGHTS = " ".join(f"{x:.3f}" for x in np.random.default_rng(3).random(30))


def large_model(one: str, two: str) -> str:
    stone = " ".join(f"{x:.6f}" for x in POINTS.ravel())
    return SCENE.format(heights=HEIGHTS, stone=stone, one=GEOMS[one], two=GEOMS[two])


def placed(model, count: int, seed: int = 1, width=None, aligned: bool = False) -> Data:
    """Worlds in which the two geoms are apart, near, or penetrate."""
    rng = np.random.default_rng(seed)
    data = Data(model, count, keep=["geom_xpos", "geom_xmat"], width=width)
    data.mocap_pos[:] = rng.normal(size=(count, 2, 3)) * 0.25
    quat = rng.normal(size=(count, 2, 4))
    if aligned:
        quat = np.eye(4)[rng.integers(0, 4, (count, 2))]
    data.mocap_quat[:] = quat / np.linalg.norm(quat, axis=2, keepdims=True)
    forward(model, data)
    return data


def reference(mj, data, world: int, distmax: float, order=(0, 1)):
    """MuJoCo's distance and points with our frames of the geoms, whose last bits may matter."""
    source = mujoco.MjData(mj)
    source.geom_xpos[:], source.geom_xmat[:] = data.geom_xpos[world], data.geom_xmat[world]
    fromto = np.zeros(6)
    return mujoco.mj_geomDistance(mj, source, *order, distmax, fromto), fromto


@pytest.mark.sweep(1)
@pytest.mark.parametrize("pair", [*itertools.combinations_with_replacement(GEOMS, 2)], ids="-".join)
def test_distances_are_those_of_mujoco(pair):
    """In both orders, with all kinds of limits; faces and axes may be parallel exactly."""
    xml = large_model(*pair)
    mj, model = mujoco.MjModel.from_xml_string(xml), mjenv.Model.from_xml_string(xml)
    limit = np.random.default_rng(2).choice([0, 0.05, 0.5, 2, -0.01], 32)
    below = given_up = 0
    for aligned, order in itertools.product((False, True), ((0, 1), (1, 0))):
        data = placed(model, 32, aligned=aligned)
        found = mjenv.geom_distance(model, data, *order, limit)
        for world in range(32):
            dist, fromto = reference(mj, data, world, limit[world], order)
            if dist == 0.0 and found.dist[world] != 0.0:
                # test_distances_exact.py proves what is found where MuJoCo gives up
                given_up += 1
                continue
            assert abs(found.dist[world] - dist) < 1e-8
            assert np.abs(found.fromto[world] - fromto).max() < 1e-6
            below += dist < limit[world]
    assert given_up < 12
    assert below == 0 if set(pair) <= {"plane", "hfield"} else below > 20


@pytest.mark.parametrize("pair", [("capsule", "box"), ("ellipsoid", "mesh"), ("hfield", "box")])
def test_widths(pair):
    """The same bits in single worlds and in packs."""
    model = mjenv.Model.from_xml_string(large_model(*pair))
    one, eight = (
        mjenv.geom_distance(model, placed(model, 40, width=width), "one", "two", 0.4)
        for width in (1, 8)
    )
    assert np.array_equal(one.dist, eight.dist)
    assert np.array_equal(one.fromto, eight.fromto)


@pytest.mark.parametrize("pair", [*itertools.combinations(list(GEOMS)[2:], 2)], ids="-".join)
def test_points_lie_on_the_line_between(pair):
    """The distance is that of the points, and is the same in the other order."""
    model = mjenv.Model.from_xml_string(large_model(*pair))
    data = placed(model, 64, seed=3)
    here = mjenv.geom_distance(model, data, 0, 1, 10.0)
    back = mjenv.geom_distance(model, data, 1, 0, 10.0)
    gap = np.linalg.norm(here.fromto[:, 3:] - here.fromto[:, :3], axis=1)
    np.testing.assert_allclose(np.abs(here.dist), gap, atol=1e-6)
    apart = here.dist > 1e-6
    assert apart.any()
    np.testing.assert_allclose(back.dist[apart], here.dist[apart], atol=2e-6)


def test_data_are_left_as_they_are():
    """Asking changes no contact, also where the same pair collides."""
    model = mjenv.Model.from_xml_string(
        """<mujoco><worldbody><geom type="plane" size="1 1 1"/>
        <body pos="0 0 0.1"><freejoint/><geom type="box" size=".1 .1 .11"/></body>
        <body pos="0.19 0 0.1"><freejoint/><geom type="box" size=".1 .1 .11"/></body>
        </worldbody></mujoco>"""
    )
    data = Data(model)
    forward(model, data)
    mjenv.geom_distance(model, data, 0, 1, 1.0)
    assert mjenv.geom_distance(model, data, 1, 2, 1.0).dist == pytest.approx(-0.01)
    contacts = data.contact.dist[0, : data.ncon[0]].copy()
    forward(model, data)
    assert np.array_equal(contacts, data.contact.dist[0, : data.ncon[0]])


def test_wrong_arguments():
    model = mjenv.Model.from_xml_string(large_model("box", "sphere"))
    data = placed(model, 4)
    with pytest.raises(ValueError, match=r"geom_distance: distmax has shape \(3,\), expected a"):
        mjenv.geom_distance(model, data, "one", "two", np.zeros(3))
    with pytest.raises(KeyError, match="did you mean 'one'"):
        mjenv.geom_distance(model, data, "onee", "two", 1.0)


def test_variants_of_kernels():
    """What a kernel does not name cannot be exchanged."""
    with pytest.raises(TypeError, match=r"variant of sphere_sphere: it does not name \['put'\]"):
        kernel.variant(sphere_sphere, put=put_contact)
