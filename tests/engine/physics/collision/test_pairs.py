"""Predefined contact pairs: which contacts there are, their order and their parameters."""

import itertools

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.engine.data.data import Data
from mjenv.engine.data.step import forward
from mjenv.engine.physics.collision import collide
from mjenv.engine.physics.collision.colliders import COLLIDERS, ROW, SOLIDS
from mjenv.engine.simd.meaning import global_names, reached
from mjenv.engine.tables.enums import GEOM_HFIELD, GEOM_PLANE, GEOM_SDF
from tests.engine.collisions import check_trajectory
from tests.engine.reference import copy_state

FIELDS = (
    *("geom", "dim", "dist", "pos", "frame", "includemargin", "friction", "solref"),
    *("solreffriction", "solimp", "mu", "exclude", "efc_address"),
)
# predefined and dynamic pairs of the same bodies, geoms in both orders, pairs that no filter lets
# pass (excluded bodies, parent and child, one body, no bits), and one without a routine
SCENE = """
<mujoco>
  <option {option}><flag {flag}/></option>
  <default><geom margin="0.01"/></default>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 0.1" solref="0.03 1"/>
    <geom name="wall" type="plane" size="5 5 0.1" pos="-1 0 0" euler="0 90 0"/>
    <body name="a" pos="0 0 0.24">
      <freejoint/>
      <geom name="a1" type="sphere" size="0.1"/>
      <geom name="a2" type="capsule" size="0.08 0.1" pos="0.1 0 -0.1" condim="4"/>
      <geom name="a3" type="sphere" size="0.1" pos="-0.15 0 0" contype="0" conaffinity="0"/>
      <body name="c" pos="0 0.15 0">
        <joint type="hinge" axis="1 0 0"/>
        <geom name="c1" type="sphere" size="0.1"/>
        <geom name="c2" type="box" size="0.05 0.05 0.2" contype="0" conaffinity="0"/>
      </body>
    </body>
    <body name="b" pos="0.25 0 0.2">
      <freejoint/>
      <geom name="b1" type="sphere" size="0.12" gap="0.003"/>
      <geom name="b2" type="sphere" size="0.1" pos="0 0.1 0.1"/>
    </body>
  </worldbody>
  <contact>
    <pair geom1="b1" geom2="a2" condim="6" friction="0.5 0.6 0.01 0.002 0.003" margin="0.02"
    gap="0.005"/>
    <pair geom1="a1" geom2="b2" condim="1" solref="-500 -20" solimp="0.8 0.9 0.01 0.4 3"/>
    <pair geom1="c1" geom2="a1" condim="3" margin="0.05" solreffriction="0.05 1.2"/>
    <pair geom1="a1" geom2="a3" condim="3" margin="0.05"/>
    <pair geom1="a3" geom2="floor" condim="4" friction="0 0 0 0 0"/>
    <pair geom1="floor" geom2="c2" condim="3" gap="0.01" margin="0.01"/>
    <pair geom1="floor" geom2="wall"/>
    <pair geom1="b2" geom2="floor" margin="0.1" gap="0.1"/>
    <exclude body1="c" body2="b"/>
    <pair geom1="c1" geom2="b1"/>
  </contact>
</mujoco>
"""


def large_model(option: str = "", flag: str = "") -> str:
    return SCENE.format(option=option, flag=flag)


def states(mj, count: int):
    """Positions in which most pairs touch."""
    rng = np.random.default_rng(0)
    for _ in range(count):
        source = mujoco.MjData(mj)
        mujoco.mj_resetData(mj, source)
        source.qpos[:] += 0.05 * rng.normal(size=mj.nq)
        source.qvel[:] = 0.3 * rng.normal(size=mj.nv)
        mujoco.mj_normalizeQuat(mj, source.qpos)
        yield source


OVERRIDE = """o_margin='0.03' o_solref='0.05 0.8' o_solimp='0.7 0.8 0.01 0.5 2'
  o_friction='0.3 0.4 0.1 0.2 0.3'"""


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    ("option", "flag"), [("", ""), (OVERRIDE, "override='enable'"), ("", "filterparent='disable'")]
)
def test_contacts_and_their_parameters(option, flag):
    xml = large_model(option, flag)
    mj, model = mujoco.MjModel.from_xml_string(xml), mjenv.Model.from_xml_string(xml)
    sources = list(states(mj, 64))
    data = Data(model, len(sources), width=8)
    for world, source in enumerate(sources):
        copy_state(source, data, world)
        mujoco.mj_forward(mj, source)
    forward(model, data)
    seen = set()
    for world, source in enumerate(sources):
        n = source.ncon
        assert data.ncon[world] == n
        for name in FIELDS:
            found, expected = getattr(data.contact, name)[world, :n], getattr(source.contact, name)
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9, err_msg=name)
        np.testing.assert_allclose(data.qacc[world], source.qacc, rtol=1e-6, atol=1e-6)
        seen |= {tuple(geoms) for geoms in source.contact.geom}
    assert len(seen) >= 11


def test_steps_from_states_along_a_trajectory():
    assert check_trajectory(large_model()) > 1000


@pytest.mark.parametrize("flag", ["contact='disable'", "constraint='disable'"])
def test_no_contacts_when_disabled(flag):
    model = mjenv.Model.from_xml_string(large_model(flag=flag))
    data = Data(model)
    forward(model, data)
    assert data.ncon[0] == 0


def test_pairs_of_the_world_alone_do_not_collide():
    xml = """<mujoco><worldbody><geom name="a" size="1"/><geom name="b" size="1"/></worldbody>
    <contact><pair geom1="a" geom2="b"/></contact></mujoco>"""
    mj, model = mujoco.MjModel.from_xml_string(xml), mjenv.Model.from_xml_string(xml)
    source, data = mujoco.MjData(mj), Data(model)
    mujoco.mj_forward(mj, source)
    forward(model, data)
    assert data.ncon[0] == source.ncon == 0


def test_every_pair_of_types_has_a_collider():
    """Planes and height fields meet all that is solid, and solids each other; nothing else does."""
    flat = (GEOM_PLANE, GEOM_HFIELD)
    expected = {*itertools.product(flat, SOLIDS)}
    expected |= {*itertools.combinations_with_replacement(SOLIDS, 2)}
    expected |= {(kind, GEOM_SDF) for kind in (GEOM_PLANE, *SOLIDS, GEOM_SDF)}
    assert set(ROW) == expected
    assert all(row in ROW.values() for row in COLLIDERS), "a row that none of its pairs reaches"


@pytest.mark.parametrize("row", COLLIDERS, ids=lambda row: row.name)
def test_colliders_say_whether_they_have_derivatives(row):
    """Those that go over lanes one by one have none, and say what they are called."""
    by_lanes = {"get_lane", "set_lane"}
    used = {
        name
        for f in reached(getattr(collide, f"collide_{row.name}"))
        for name in global_names(f.__code__)
    }
    assert bool(row.inexact) == bool(by_lanes & used)
