"""One world and many show the same arrays: lists end in zeros, whatever was there before."""

from copy import deepcopy

import numpy as np
import pytest

import mjenv
from mjenv.engine.data.data import Data
from mjenv.engine.data.requested_fields import OF_LISTS
from mjenv.engine.data.step import forward, step
from tests.engine.every_field import LISTS, differing, fields_of

NWORLD = 11


def disturb(rng, model, pairs) -> None:
    """Put the same world of several data where contacts are made or lifted."""
    qpos = model.qpos0.copy()
    qpos[2], qpos[9] = rng.choice([0.09, 0.2, 0.5]), rng.choice([0.04, 0.3])
    qpos[14], qpos[15] = rng.choice([0, 0.6, -0.7]), rng.choice([0, 0.1])
    active = rng.random() < 0.5
    for data, world in pairs:
        data.qpos[world], data.qvel[world], data.eq_active[world] = qpos, 0, active


def advance(chance: float, model, data) -> None:
    """A call, by a number between 0 and 1."""
    if chance < 0.5:
        mjenv.step(model, data, 1 + int(10 * chance))
    elif chance < 0.7:
        mjenv.forward(model, data)
    elif chance < 0.9:
        mjenv.step(model, data, post=True)
    elif chance < 0.95:
        mjenv.step1(model, data)
    else:
        mjenv.reset(model, data)


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    ("option", "flag"),
    [('jacobian="dense"', 'energy="enable"'), ('jacobian="sparse" cone="elliptic"', "")],
)
def test_worlds_look_as_when_alone(option, flag):
    """Every field of mjData: in packs, one by one, and in data of one world."""
    model = mjenv.Model.from_xml_string(LISTS.format(option=option, flag=flag))
    packs, single = mjenv.Data(model, NWORLD), mjenv.Data(model, NWORLD, width=1)
    alone = [mjenv.Data(model) for _ in range(NWORLD)]
    rng, lengths = np.random.default_rng(0), set()
    for call in range(30):
        for k in range(NWORLD):
            if rng.random() < 0.4:
                disturb(rng, model, ((packs, k), (single, k), (alone[k], 0)))
        chance = rng.random()
        for data in (packs, single, *alone):
            advance(chance, model, data)
        if call % 3 == 0:
            many, others = fields_of(packs), fields_of(single)
            for k in range(NWORLD):
                mine = fields_of(alone[k])
                assert not differing(mine, many, 0, k), call
                assert not differing(mine, others, 0, k), call
            lengths |= {*packs.ncon.tolist()}
    assert len(lengths) > 2


def test_lifting_a_ball_leaves_no_contact():
    model = mjenv.Model.from_xml_string("""
        <mujoco><worldbody><geom type="plane" size="1 1 .1"/>
        <body pos="0 0 .09"><freejoint/><geom size=".1"/></body></worldbody></mujoco>""")
    for nworld in (1, 16):
        data = mjenv.Data(model, nworld)
        mjenv.step(model, data)
        assert (data.ncon == 1).all()
        assert (data.contact.dist[:, 0] < 0).all()
        data.qpos[:, 2] = 1
        mjenv.forward(model, data)
        assert not data.ncon.any()
        assert not data.contact.dist.any()
        assert not data.efc_force.any()


# boxes that bounce on the floor and on each other, and a limit that is reached now and then
BOUNCING = """<mujoco><option jacobian="{}" timestep="0.005"><flag island="enable"/></option>
  <default><geom solref="-4000 -2"/></default><worldbody><geom type="plane" size="3 3 .1"/>
  <body pos="0 0 .3"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
  <body pos=".05 0 .6"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
  <body pos="1 0 1"><joint type="hinge" axis="0 1 0" limited="true" range="-20 20"/>
    <geom type="capsule" fromto="0 0 0 0 0 -.5" size=".04"/></body></worldbody></mujoco>"""


def model_of(jacobian: str):
    return mjenv.Model.from_xml_string(BOUNCING.format(jacobian))


def bouncing(model, **options) -> Data:
    data = Data(model, NWORLD, **options)
    data.qvel[:] = np.random.default_rng(0).normal(size=(NWORLD, model.nv))
    return data


def lists(data) -> dict[str, np.ndarray]:
    found = {name: data._arrays[name] for name in OF_LISTS if name in data._arrays}
    return {name: array for name, array in found.items() if array.size}


def assert_like_new(model, data, mask) -> None:
    """Lists of some worlds are those of data that never held anything else."""
    new = Data(model, NWORLD)
    for name in ("qpos", "qvel", "qacc_warmstart"):
        getattr(new, name)[:] = getattr(data, name)
    forward(model, new)
    forward(model, data, mask)
    expected = lists(new)
    assert {"contact_frame", "efc_J", "efc_type", "efc_island"} <= expected.keys()
    for name, array in lists(data).items():
        assert np.array_equal(array[mask], expected[name][mask]), name


@pytest.mark.parametrize("jacobian", ["dense", "sparse"])
@pytest.mark.parametrize("width", [1, 8])
def test_nothing_is_left_of_longer_lists(jacobian, width):
    model, most, less = model_of(jacobian), np.zeros(NWORLD, int), 0
    data, rng = bouncing(model, width=width), np.random.default_rng(1)
    for _ in range(40):
        step(model, data, nstep=5)
        less += np.count_nonzero(data.nefc < most)
        most = np.maximum(most, data.nefc)
        # by other threads, in other packs, of some worlds
        assert_like_new(model, data, rng.random(NWORLD) < 0.6)
    assert less > 40
    assert most.min() >= 4


def test_some_fields_only():
    """What one call does not write keeps its end, until a call writes it."""
    model = model_of("dense")
    data, kept = bouncing(model), bouncing(model, keep=["efc_J", "contact", "nefc"])
    for _ in range(60):
        step(model, data, nstep=5)
        step(model, kept, nstep=5)
        for name, array in lists(kept).items():
            assert np.array_equal(array, data._arrays[name]), name


def test_contacts_are_kept_as_a_whole():
    model = model_of("dense")
    one, all_of_them = (Data(model, 2, keep=[name]) for name in ("contact_dist", "contact"))
    assert one.kept == all_of_them.kept


def test_lists_written_by_users_or_taken_from_other_data():
    model = model_of("dense")
    data = bouncing(model)
    step(model, data, nstep=30)
    data.efc_force = 7.0
    data.contact.dist = 7.0
    assert_like_new(model, data, np.full(NWORLD, True))
    # a copy goes on from what it was given
    longer = bouncing(model)
    while longer.nefc.max() <= data.nefc.max():
        step(model, longer)
    copy = deepcopy(longer)
    for name in ("qpos", "qvel", "qacc_warmstart"):
        getattr(copy, name)[:] = getattr(data, name)
    assert_like_new(model, copy, np.full(NWORLD, True))


def test_resets_clear_lists_and_nothing_comes_back():
    model = model_of("sparse")
    data, rng = bouncing(model), np.random.default_rng(2)
    for k in range(40):
        step(model, data, nstep=4)
        mask = np.full(NWORLD, True) if k % 4 == 0 else rng.random(NWORLD) < 0.3
        mjenv.reset(model, data, mask=None if k % 8 == 0 else mask)
        for name, array in lists(data).items():
            assert not array[mask].any(), name
        assert_like_new(model, data, rng.random(NWORLD) < 0.5)
