"""Convex collision with the flag nativeccd off, against MuJoCo and over widths."""

import itertools

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.engine.data.data import Data
from mjenv.engine.physics.collision import collide as stages
from mjenv.engine.pipeline.forward import FORWARD
from tests.engine.analysis.test_geom_distance import GEOMS as DISTANT
from tests.engine.analysis.test_geom_distance import large_model, placed, reference
from tests.engine.collisions import check_contacts
from tests.engine.physics.collision.test_collision_convex import (
    FACE_PAIRS,
    FLAT,
    PAIRS,
    Bench,
    aligned,
    collide,
    document,
    found,
    load,
    poses,
)
from tests.engine.physics.collision.test_collision_hfield import above, hills

OFF = 'nativeccd="disable"'
PORTALS = stages.collide_convex_by_portal, stages.collide_convex_faces_by_portal
# distance and first contact follow MuJoCo's path; the rotation by which more contacts are looked
# for may differ in its last bit, which may decide where a search on a curved surface ends
CURVED = 1e-4


def agree(bench, qpos) -> set:
    """Assert that contacts are MuJoCo's; returns the numbers of contacts that occurred."""
    numbers = set()
    for got, expected in bench.pairs(qpos):
        assert got.shape == expected.shape
        numbers.add(len(got))
        if len(got):
            error = np.abs(got - expected)
            assert max(error[:, 0].max(), error[0].max()) < 1e-8
            assert error.max() < CURVED
    return numbers


@pytest.mark.sweep(10)
@pytest.mark.parametrize("margin", [0.0, 0.02])
@pytest.mark.parametrize("pair", PAIRS + FACE_PAIRS, ids="-".join)
def test_contacts_are_those_of_mujoco(pair, margin):
    """In random poses, and with faces, axes and edges parallel exactly or nearly."""
    bench = Bench(*load(*pair, margin, "", OFF), PORTALS)
    numbers = agree(bench, poses(150, 1, 0.12)) | agree(bench, aligned(150, 2))
    assert numbers >= {0, 1}
    if FLAT.issuperset(pair):
        assert max(numbers) > 2


@pytest.mark.parametrize("pair", [("cylinder", "box"), ("brick", "stone")], ids="-".join)
def test_options(pair):
    """One contact without multiccd; iterations and tolerance bound the search as in MuJoCo."""
    bench = Bench(*load(*pair, 0.0, "", f'{OFF} multiccd="disable"'), PORTALS)
    assert max(agree(bench, aligned(200, 3))) == 1
    for iterations, tolerance in itertools.product((0, 1, 4), (1e-9, 1e-3)):
        option = f'ccd_iterations="{iterations}" ccd_tolerance="{tolerance}"'
        agree(Bench(*load(*pair, 0.0, option, OFF), PORTALS), poses(100, 4))


@pytest.mark.sweep(4)
@pytest.mark.parametrize("margin", [0.0, 0.01])
@pytest.mark.parametrize("geom", ["sphere", "capsule", "ellipsoid", "cylinder", "box", "stone"])
def test_height_fields(geom, margin):
    text = hills(geom, margin).replace("<asset>", f"<option><flag {OFF}/></option><asset>", 1)
    assert max(check_contacts(text, above(120, 5))) > 6


@pytest.mark.parametrize("centers", [(0, 0, 0), (0, 0, 0.1), (0.1, 0, 0)])
@pytest.mark.parametrize(
    "pair",
    [("capsule", "cylinder"), ("cylinder", "box"), ("capsule", "brick"), ("box", "nut")],
    ids="-".join,
)
def test_geoms_with_one_axis(pair, centers):
    """The ray ends in a vertex, or has no direction at all, as the centres are the same."""
    bench = Bench(*load(*pair, 0.0, "", OFF), PORTALS)
    qpos = np.zeros((1, 14))
    qpos[:, 3] = qpos[:, 10] = 1.0
    qpos[:, 7:10] = centers
    agree(bench, qpos)


def test_widths():
    """The same bits in single worlds and in packs of lanes that diverge."""
    model, qpos = load("cylinder", "stone", 0.01, "", OFF)[1], poses(64, 5, 0.1)
    one, other = collide(model, qpos, 1), collide(model, qpos, 8)
    for world in range(len(qpos)):
        assert np.array_equal(found(one, world), found(other, world))


def test_interpreted_form():
    """Kernels as plain Python give what compiled ones give."""
    bench = Bench(*load("cylinder", "stone", 0.01, "", OFF), PORTALS)
    qpos = poses(8, 3, 0.1)
    compiled, plain = list(bench.pairs(qpos)), list(bench.pairs(qpos, interpreted=True))
    for (one, _), (other, _) in zip(compiled, plain, strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize("flags", ["", OFF])
def test_only_one_of_the_algorithms_is_built(flags):
    text = document("cylinder", "stone", 0.0, "", flags)
    plan = Data(mjenv.Model.from_xml_string(text)).plan
    names = {stage.name for stage in FORWARD if stage.needed and stage.needed(plan.conditions)}
    assert ("collide_convex_by_portal" in names) == (flags == OFF)
    assert ("collide_convex" in names) == (flags == "")
    assert not {name for name in names if "hfield" in name}


DISTANT_PAIRS = [
    *itertools.combinations_with_replacement(list(DISTANT)[4:], 2),
    *(("hfield", kind) for kind in ("sphere", "box", "mesh")),
    ("sphere", "mesh"),
]


@pytest.mark.sweep(4)
@pytest.mark.parametrize("pair", DISTANT_PAIRS, ids="-".join)
def test_distances(pair):
    """Those of the contacts that a margin of distmax makes, in both orders."""
    xml = large_model(*pair).replace("<asset>", f"<option><flag {OFF}/></option><asset>", 1)
    mj, model = mujoco.MjModel.from_xml_string(xml), mjenv.Model.from_xml_string(xml)
    limit, below = np.random.default_rng(2).choice([0, 0.05, 0.5, 2, -0.01], 32), 0
    for axes, order in itertools.product((False, True), ((0, 1), (1, 0))):
        data = placed(model, 32, aligned=axes)
        near = mjenv.geom_distance(model, data, *order, limit)
        for world in range(32):
            dist, fromto = reference(mj, data, world, limit[world], order)
            assert abs(near.dist[world] - dist) < 1e-8
            # of corners of parallel faces, rounding decides which one is the nearest
            if not (axes and pair == ("box", "box")):
                assert np.abs(near.fromto[world] - fromto).max() < 1e-6
            below += dist < limit[world]
    assert below > 20


@pytest.mark.parametrize("pair", [("ellipsoid", "cylinder"), ("capsule", "brick"), ("box", "nut")])
def test_no_contact_is_missed(pair):
    """There is a contact just where the distance, by the other algorithm, is below the margin."""
    margin, qpos = 0.02, poses(300, 8, 0.2)
    model = load(*pair, margin)[1]
    dist = mjenv.geom_distance(model, collide(model, qpos), 0, 1, 1.0).dist
    data = collide(load(*pair, margin, "", OFF)[1], qpos)
    # as in MuJoCo, that algorithm now and then says 0 of geoms that are apart or deep in each other
    sure = (np.abs(dist - margin) > 1e-5) & (dist != 0.0)
    assert sure.mean() > 0.95
    assert np.array_equal(data.ncon[sure] > 0, dist[sure] < margin)
    assert 50 < np.count_nonzero(data.ncon) < 250
