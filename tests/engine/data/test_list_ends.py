"""One world and many show the same arrays: lists end in zeros, whatever was there before."""

import numpy as np
import pytest

import mjenv
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
