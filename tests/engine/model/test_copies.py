"""Copies of data: every field as in the original, at any moment, and the same bits afterwards."""

import copy
import pickle

import numpy as np
import pytest

import mjenv
from tests.engine.every_field import LISTS, differing, fields_of

WAYS = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda data: pickle.loads(pickle.dumps(data)),
}


def stepped(data):
    mjenv.step(data.model, data, 20)


def looked_at(data):
    mjenv.step(data.model, data, 20)
    assert data.qM.any()
    assert data.efc_J.any()
    data.qpos[:, 2] += 0.1


def forwarded(data):
    mjenv.step(data.model, data, 3)
    mjenv.forward(data.model, data)
    data.qpos[:, 2] += 0.1
    data.qvel[:] += 0.01


def reset(data):
    mjenv.step(data.model, data, 20)
    mjenv.reset(data.model, data)


def halved(data):
    mjenv.step(data.model, data, 20)
    mjenv.step1(data.model, data)


def new(data):
    pass


def hooked(data):
    mjenv.set_hook(data, "passive", push)
    mjenv.step(data.model, data, 20)


def push(model, worlds):
    worlds.qfrc_passive[:, 0] += 0.1


MOMENTS = (new, stepped, looked_at, forwarded, reset, halved, hooked)
KINDS = {
    "one": {},
    "varied": {"vary": ["body_mass"]},
    "large_model": {"large_model": True},
    "many": {"nworld": 3},
}


@pytest.mark.sweep(1)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS)
def test_copies_have_every_field(kind, way):
    model = mjenv.Model.from_xml_string(LISTS.format(option='solver="PGS"', flag=""))
    for moment in MOMENTS:
        data = mjenv.Data(model, **KINDS[kind])
        moment(data)
        twin = WAYS[way](data)
        for _ in range(3):
            # the original is looked at first, then the copy
            assert not differing(fields_of(data), fields_of(twin)), moment.__name__
            mjenv.step(data.model, data, 4)
            mjenv.step(twin.model, twin, 4)


def test_a_copy_alone_belongs_to_the_same_model():
    """As in MuJoCo: `mj_step(model, copy.deepcopy(data))`; in a larger object both are copied."""
    model = mjenv.Model.from_xml_string(LISTS.format(option="", flag=""))
    data = mjenv.Data(model)
    for twin in (copy.copy(data), copy.deepcopy(data)):
        assert twin.model is model
        mjenv.step(model, twin)
    for pair in ({"d": data, "m": model}, {"m": model, "d": data}):
        twins = copy.deepcopy(pair)
        assert twins["d"].model is twins["m"] is not model
    assert not data.time.any()


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy])
def test_a_copy_of_a_model_has_every_field_in_memory_of_its_own(way):
    model = mjenv.Model.from_xml_string(LISTS.format(option="", flag=""))
    model.body_mass[1] = 7.0
    model.opt.gravity[2] = -3.0
    model.vis.map.znear = 0.5
    vars(model)["_of_a_program"] = []
    twin = way(model)
    assert twin.to_bytes() == model.to_bytes()
    assert list(vars(twin.opt)) == list(vars(model.opt))
    assert type(twin.opt) is type(model.opt)
    assert type(twin.vis.map.znear) is type(model.vis.map.znear)
    for name, value in vars(model).items():
        if isinstance(value, np.ndarray):
            other = vars(twin)[name]
            assert not np.shares_memory(value, other)
            assert (other.dtype, other.shape, type(other)) == (
                value.dtype,
                value.shape,
                type(value),
            )
            assert other.flags.writeable == value.flags.writeable
            assert other.flags.c_contiguous
    assert vars(twin).keys() == vars(model).keys() - {"_of_a_program"}
    # data of the copy follow edits of the copy, and refuse those that they cannot follow
    data = mjenv.Data(twin)
    twin.geom_contype[:] = 0
    twin.geom_conaffinity[:] = 0
    mjenv.forward(twin, data)
    assert not data.ncon.any()
    assert model.geom_contype.any()
    with pytest.raises(ValueError, match="M_rowadr was edited"):
        twin.M_rowadr[0] = 3
