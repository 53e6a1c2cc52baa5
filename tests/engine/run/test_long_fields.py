"""Long fields of the model are entered into lanes where a stage reads them, and nowhere else."""

import numpy as np
import pytest

import mjenv
from mjenv.engine.run.lane_fields import LONG

# a sphere of 1,280 triangles; a ray from above meets it, where there is a range finder
XML = """<mujoco><option gravity="0 0 0"/><asset><mesh name="ball" builtin="sphere" params="3"/>
  </asset>
  <worldbody><geom name="ball" type="mesh" mesh="ball" contype="0" conaffinity="0"/>
    <body name="above" pos="0 0 3"><joint type="slide" axis="1 0 0"/><geom size=".1"/>
      <site name="eye" pos="0 0 -.2" euler="180 0 0"/></body>
  </worldbody><sensor>{}</sensor></mujoco>"""
FINDER = '<rangefinder site="eye"/>'


def made(sensors, nworld=8):
    model = mjenv.Model.from_xml_string(XML.format(sensors))
    return model, mjenv.Data(model, nworld=nworld, vary=("body_mass",))


def lanes(data):
    return data.plan.threads(1)[0].model.arrays["bvh_aabb"]


def test_fields_that_nothing_reads_are_left_out():
    model, data = made("")
    assert model.bvh_aabb.size > LONG
    mjenv.step(model, data)
    assert not data.plan.lane_fields.long
    assert not lanes(data).any()


@pytest.mark.parametrize("nworld", [1, 8])
def test_fields_that_stages_read_are_followed(nworld):
    model, data = made(FINDER, nworld)
    alone = mjenv.Data(model, nworld=nworld)
    for one in (data, alone):
        mjenv.forward(model, one)
    assert 1.5 < data.sensordata[0, 0] < 2.5
    np.testing.assert_array_equal(data.sensordata, alone.sensordata)
    assert "bvh_aabb" in data.plan.lane_fields.long
    np.testing.assert_array_equal(
        lanes(data).reshape(model.bvh_aabb.size, -1)[:, 0], model.bvh_aabb.ravel()
    )
    # boxes that are nowhere near the ray hide what is in them
    model.bvh_aabb[:, 0] += 100.0
    for one in (data, alone):
        mjenv.forward(model, one)
    np.testing.assert_array_equal(data.sensordata, alone.sensordata)
    assert (data.sensordata == -1).all()


def test_fields_that_a_later_call_reads_are_there_at_once():
    model, data = made("")
    mjenv.step(model, data)
    lazily = mjenv.Data(model, nworld=8, vary=("body_mass",))
    mjenv.step(model, lazily)
    lazily.plan.read_long_fields([_reader])
    np.testing.assert_array_equal(lanes(lazily)[:, 3], model.bvh_aabb.ravel())


def _reader(m, d):
    return m.bvh_aabb[0]


def test_hooks_are_given_all():
    model, data = made("")
    mjenv.set_hook(data, "passive", lambda model, worlds: None)
    mjenv.step(model, data)
    np.testing.assert_array_equal(lanes(data)[:, 0], model.bvh_aabb.ravel())
