"""Contacts against distances: none is missed, none is invented, whichever geom comes first."""

import itertools

import numpy as np
import pytest

import mjenv
from mjenv.engine.data.data import Data
from mjenv.engine.data.step import forward

POINTS = np.random.default_rng(0).normal(size=(40, 3))
POINTS *= (0.1, 0.15, 0.2) / np.linalg.norm(POINTS, axis=1, keepdims=True)
GEOMS = {
    "plane": 'type="plane" size="1 1 1"',
    "sphere": 'type="sphere" size="0.12"',
    "capsule": 'type="capsule" size="0.07 0.15"',
    "ellipsoid": 'type="ellipsoid" size="0.1 0.15 0.2"',
    "cylinder": 'type="cylinder" size="0.1 0.15"',
    "box": 'type="box" size="0.1 0.15 0.08"',
    "mesh": 'type="mesh" mesh="stone"',
}
PAIRS = [*itertools.combinations_with_replacement(list(GEOMS)[1:], 2)]
PAIRS += [("plane", name) for name in list(GEOMS)[1:]]
KEPT = ["geom_xpos", "geom_xmat", "ncon", "contact"]


def load(one: str, two: str, margin: float):
    stone = " ".join(f"{x:.6f}" for x in POINTS.ravel())
    still = f"<geom {GEOMS[one]}/>" if one == "plane" else ""
    first = "" if one == "plane" else f"<body><freejoint/><geom {GEOMS[one]}/></body>"
    return mjenv.Model.from_xml_string(
        f"""<mujoco><asset><mesh name="stone" vertex="{stone}"/></asset>
        <default><geom margin="{margin / 2}"/></default><worldbody>{still}{first}
        <body pos="0 0 0.5"><freejoint/><geom {GEOMS[two]}/></body></worldbody></mujoco>"""
    )


def scattered(model, count: int, seed: int) -> Data:
    """Random poses; of a plane, the other geom is above or below."""
    rng = np.random.default_rng(seed)
    data = Data(model, count, keep=KEPT)
    for start in range(0, model.nq, 7):
        quat = rng.normal(size=(count, 4))
        data.qpos[:, start : start + 3] = rng.normal(size=(count, 3)) * 0.15
        data.qpos[:, start + 3 : start + 7] = quat / np.linalg.norm(quat, axis=1, keepdims=True)
    forward(model, data)
    return data


@pytest.mark.sweep(12)
@pytest.mark.parametrize("margin", [0.0, 0.03])
@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_contacts_are_where_distances_are_below_the_margin(pair, margin):
    """The second geom is moved to the margin, and a little to either side of it."""
    if pair == ("box", "box") and margin > 0:
        pytest.skip("MuJoCo's routine measures the distance of corners along axes")
    model = load(*pair, margin)
    data = scattered(model, 96, 1)
    near = mjenv.geom_distance(model, data, 0, 1, 10.0)
    gap = near.fromto[:, 3:] - near.fromto[:, :3]
    length = np.linalg.norm(gap, axis=1, keepdims=True)
    # what penetrates is pushed out against the segment, which then points inward
    apart = np.where(near.dist[:, None] > 0, 1.0, -1.0) * gap / np.maximum(length, 1e-12)
    usable = (near.dist > 1e-3) if pair[0] != "plane" else np.ones(96, bool)
    start = data.qpos[:, -7:-4].copy()
    for offset in (-3e-3, -1e-4, 1e-4, 3e-3):
        data.qpos[:, -7:-4] = start + apart * (margin + offset - near.dist[:, None])
        forward(model, data)
        there = mjenv.geom_distance(model, data, 0, 1, 10.0).dist
        close = usable & (np.abs(there - margin - offset) < 1e-5)
        assert close.sum() > 25
        assert ((data.ncon[close] > 0) == (offset < 0)).all()
        for world in np.flatnonzero(close & (data.ncon > 0)):
            deepest = data.contact.dist[world, : data.ncon[world]].min()
            assert abs(deepest - there[world]) < 2e-5


@pytest.mark.sweep(6)
@pytest.mark.parametrize("pair", PAIRS[:-6], ids="-".join)
def test_exchanged_bodies(pair):
    """Which geom comes first in the document changes neither depth nor place of the contact."""
    data = scattered(load(*pair, 0.0), 64, 2)
    model = load(*pair[::-1], 0.0)
    other = Data(model, 64, keep=KEPT)
    other.qpos[:] = np.concatenate([data.qpos[:, 7:], data.qpos[:, :7]], axis=1)
    forward(model, other)
    assert np.array_equal(data.ncon > 0, other.ncon > 0)
    touching = (data.ncon == 1) & (other.ncon == 1)
    change = np.abs(data.contact.dist[touching, 0] - other.contact.dist[touching, 0])
    # polytopes expand in another order, and between round geoms until ccd_tolerance
    assert change.max(initial=0) < (1e-3 if set(pair) == {"ellipsoid"} else 1e-5)
    assert (data.ncon > 0).sum() > 10
