"""Copies of data: every field as in the original, at any moment, and the same bits afterwards."""

import copy
import pickle

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
