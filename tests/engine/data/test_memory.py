"""What data say about memory: bytes of a world, and zeros for what is of MuJoCo's arena."""

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.engine.data.memory import MEMORY, NO_ARENA
from mjenv.engine.errors import FieldError
from mjenv.engine.tables.fields import DATA
from mjenv.task.world_view import WorldView
from tests.engine.reference import load


@pytest.mark.parametrize("nworld", [1, 9])
@pytest.mark.parametrize("keep", [None, [], ["nbuffer", "pstack"]])
def test_there_is_no_arena(keep, nworld):
    mj, model = load("half_cheetah")
    source, data = mujoco.MjData(mj), mjenv.Data(model, nworld, keep=keep)
    mjenv.step(model, data, 5)
    for name in NO_ARENA:
        value = getattr(data, name)
        assert value.shape == (nworld, *np.shape(getattr(source, name))), name
        assert value.dtype == np.int64
        assert not value.any()
    view = WorldView(model, data, nworld - 1)
    assert type(view.maxuse_stack) is int
    assert view.maxuse_threadstack.shape == (128,)


@pytest.mark.parametrize("nworld", [1, 9])
def test_bytes_are_those_of_the_arrays_of_a_world(nworld):
    _, model = load("half_cheetah")
    few = mjenv.Data(model, nworld, keep=[]).nbuffer
    data = mjenv.Data(model, nworld, keep=["xpos"])
    assert few.shape == (nworld,)
    assert (few >= 8 * (model.nq + 2 * model.nv + model.nu)).all()
    assert (data.nbuffer == few + 8 * 3 * model.nbody).all()
    data.xfrc_applied[:] = 0  # there from now on
    assert (data.nbuffer == few + 8 * (3 + 6) * model.nbody).all()
    varied = mjenv.Data(model, nworld, keep=[], vary=["body_mass"])
    assert (varied.nbuffer == few + 8 * model.nbody).all()


def test_they_cannot_be_written():
    _, model = load("half_cheetah")
    data = mjenv.Data(model, 2)
    for name in MEMORY:
        with pytest.raises(AttributeError, match=f"Data.{name}: cannot be assigned; it is what"):
            setattr(data, name, 7)
        with pytest.raises(ValueError, match="read-only"):
            getattr(data, name)[:] = 7
        with pytest.raises(ValueError, match="read-only"):
            setattr(WorldView(model, data), name, 7)


def test_lists_of_fields_leave_the_zeros_out():
    _, model = load("half_cheetah")
    data = mjenv.Data(model, 2)
    text = mjenv.print_data(model, data)
    assert f"nbuffer               {data.nbuffer[0]}" in text
    assert not any(name in text for name in NO_ARENA)
    assert {*MEMORY} < {*dir(data)} & {field.name for field in DATA}


@pytest.mark.parametrize("size", ['memory="100"', 'memory="1T"', 'nconmax="1" njmax="1"'])
def test_sizes_limit_nothing(size):
    """Where MuJoCo cannot make data, or leaves contacts out."""
    ball = '<body pos="{} 0 .09"><freejoint/><geom size=".1"/></body>'
    text = f"""<mujoco><size {size}/><worldbody><geom type="plane" size="9 9 1"/>
    {ball.format(0)}{ball.format(3)}</worldbody></mujoco>"""
    model = mjenv.Model.from_xml_string(text)
    data = mjenv.Data(model)
    mjenv.step(model, data, 2)
    assert (data.ncon[0], data.nefc[0]) == (2, 8)
    assert not data.warning["number"].any()


def test_boxes_that_collisions_look_at_are_no_field():
    text = '<mujoco><worldbody><geom size=".1"/></worldbody></mujoco>'
    data = mjenv.Data(mjenv.Model.from_xml_string(text))
    with pytest.raises(FieldError, match=r"Data.bvh_active: not computed by this version"):
        _ = data.bvh_active
