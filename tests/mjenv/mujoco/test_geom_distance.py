"""Distances of geoms by a single call: those of the engine, bit by bit."""

import itertools

import numpy as np
import pytest

import mjenv.mujoco as mujoco
from mjenv.engine.analysis.distances import geom_distance

GEOMS = (
    'type="plane" size="1 1 1"',
    'type="sphere" size=".12"',
    'type="capsule" size=".07 .15"',
    'type="box" size=".1 .15 .08"',
    'type="mesh" mesh="cut"',
)
XML = (
    '<mujoco><option><flag nativeccd="{flag}"/></option><asset>'
    '<mesh name="cut" vertex="0 0 0 .2 0 0 0 .3 0 0 0 .25 .1 .1 .2"/></asset><worldbody>'
    + "".join(f'<body mocap="true"><geom {geom}/></body>' for geom in GEOMS)
    + "</worldbody></mujoco>"
)


@pytest.mark.parametrize("flag", ["enable", "disable"])
def test_as_the_engine(flag):
    model = mujoco.MjModel.from_xml_string(XML.format(flag=flag))
    data = mujoco.MjData(model)
    rng = np.random.default_rng(0)
    fromto = np.zeros(6)
    for edit in range(3):
        if edit == 1:
            # edits count at once
            model.geom_size[1:-1] *= 1.3
        if edit == 2:
            model.geom_type[1] = mujoco.mjtGeom.mjGEOM_BOX
        data.mocap_pos[:] = rng.normal(size=(len(GEOMS), 3)) * 0.25
        data.mocap_quat[:] = rng.normal(size=(len(GEOMS), 4))
        mujoco.mj_kinematics(model, data)
        for pair in itertools.permutations(range(len(GEOMS)), 2):
            for limit in (0.0, 0.3, 5.0):
                fromto[:] = 7
                dist = mujoco.mj_geomDistance(model, data, *pair, limit, fromto)
                found = geom_distance(data.batch.model, data.batch, *pair, limit)
                assert dist == found.dist[0]
                assert np.array_equal(fromto, found.fromto[0])
    assert type(dist) is float


def test_geoms_that_are_not_there():
    model = mujoco.MjModel.from_xml_string(XML.format(flag="enable"))
    data = mujoco.MjData(model)
    for pair in ((0, 5), (-1, 2)):
        with pytest.raises(mujoco.FatalError, match=r"mj_geomDistance: geom -?\d: expected 0 to 4"):
            mujoco.mj_geomDistance(model, data, *pair, 1.0, None)
