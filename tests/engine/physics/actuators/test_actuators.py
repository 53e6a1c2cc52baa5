"""Transmissions of actuators at run time against MuJoCo: lengths, moment arms, velocities."""

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.engine.data.data import Data
from mjenv.engine.data.step import forward, step

SCENE = """
<mujoco>
  <option cone="CONE"/>
  <default><geom margin=".1" gap=".03" condim="CONDIM"/></default>
  <worldbody>
    <geom name="floor" type="plane" size="2 2 .1"/>
    <site name="still" pos=".1 0 .5" euler="10 20 30"/>
    <body name="a" pos="0 0 .2">
      <freejoint name="free"/><geom type="box" size=".2 .15 .05"/>
      <site name="a0" pos=".1 0 .07" euler="40 10 0"/>
      <body name="b" pos=".3 0 0">
        <joint name="ball" type="ball"/><geom size=".06" pos=".1 0 0"/>
        <site name="b0" pos=".2 0 .1" euler="0 30 70"/>
        <body name="c" pos=".25 0 0">
          <joint name="slide" type="slide" axis="1 0 0"/><joint name="hinge" axis="0 0 1"/>
          <geom type="capsule" size=".05 .1"/><site name="c0" pos=".05 .1 .03" euler="5 6 7"/>
        </body>
      </body>
      <body name="d" pos="-.3 0 0"><joint name="other" axis="0 1 0"/><geom size=".08"/>
        <site name="d0" pos="0 .1 .1"/></body>
    </body>
    <body name="crank" pos="0 1 .5"><joint name="turn" axis="1 0 0"/><geom size=".1"/>
      <site name="pin" pos="0 .1 0"/></body>
    <body name="guide" pos="0 1.3 .5"><joint name="tilt" axis="1 0 0"/><geom size=".05"/>
      <site name="slot" euler="80 5 0"/></body>
  </worldbody>
  <tendon>
    <fixed name="sum"><joint joint="hinge" coef=".5"/><joint joint="slide" coef="-2"/></fixed>
    <spatial name="line"><site site="a0"/><site site="c0"/><site site="still"/></spatial>
  </tendon>
  <actuator>
    <motor joint="free" gear="1 2 3 4 5 6"/><motor jointinparent="free" gear="1 2 3 -4 5 -6"/>
    <motor joint="ball" gear="3 2 1"/><motor jointinparent="ball" gear="-1 2 .5"/>
    <motor joint="slide" gear="2"/><motor jointinparent="hinge" gear="-3"/>
    <motor tendon="sum" gear="2"/><motor tendon="line" gear="-1.5"/>
    <motor site="c0" gear="1 -2 3 .1 .2 .3"/><motor site="still" gear="1 1 1 1 1 1"/>
    <motor site="c0" refsite="a0" gear="1 -2 3 .1 .2 .3"/>
    <motor site="c0" refsite="d0" gear="0 0 0 1 2 -1"/>
    <motor site="still" refsite="d0" gear="1 2 3 0 0 0"/>
    <motor site="pin" refsite="c0" gear="1 2 3 .5 .5 .5"/>
    <general cranksite="pin" slidersite="slot" cranklength=".35" gear="2"/>
    <general cranksite="c0" slidersite="slot" cranklength=".2" gear="-1"/>
    <general cranksite="c0" slidersite="b0" cranklength=".4"/>
    <adhesion body="a" ctrlrange="0 2" gain="3"/><adhesion body="c" ctrlrange="0 1" gain="20"/>
    <adhesion body="crank" ctrlrange="0 1"/>
  </actuator>
</mujoco>
"""
FIELDS = ["actuator_length", "actuator_velocity", "actuator_force", "qfrc_actuator"]
MOMENT = ["actuator_moment", "moment_rownnz", "moment_rowadr", "moment_colind"]
NWORLD = 40


def large_model(cone: str = "pyramidal", condim: int = 3) -> str:
    return SCENE.replace("CONDIM", str(condim)).replace("CONE", cone)


def spread_worlds(model, data, seed: int = 0) -> None:
    """Random states and controls, some with deep contacts, some in the air."""
    rng = np.random.default_rng(seed)
    data.qpos = model.qpos0 + rng.choice([0.02, 0.3, 1.0], (NWORLD, 1)) * rng.normal(
        size=(NWORLD, model.nq)
    )
    data.qvel = rng.normal(size=(NWORLD, model.nv))
    data.ctrl = rng.normal(size=(NWORLD, model.nu))


def copied(mj, data, world: int):
    """MuJoCo's data with the state and controls of a world."""
    source = mujoco.MjData(mj)
    source.qpos, source.qvel = data.qpos[world], data.qvel[world]
    source.ctrl = data.ctrl[world]
    return source


def dense_moment(mj, source, world=None) -> np.ndarray:
    """actuator_moment as a full matrix, of MuJoCo's data or of one world."""
    pick = (lambda name: getattr(source, name)) if world is None else (
        lambda name: getattr(source, name)[world]
    )  # fmt: skip
    values, number, start, columns = (pick(name) for name in MOMENT)
    found = np.zeros((mj.nu, mj.nv))
    for u in range(mj.nu):
        for k in range(start[u], start[u] + number[u]):
            found[u, columns[k]] += values[k]
    return found


@pytest.mark.sweep(1)
@pytest.mark.parametrize(("cone", "condim"), [("pyramidal", 3), ("pyramidal", 1), ("elliptic", 4)])
def test_transmissions_of_every_kind(cone, condim):
    text = large_model(cone, condim)
    mj, model = mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)
    data = Data(model, NWORLD, width=8, keep=[*FIELDS, *MOMENT])
    spread_worlds(model, data)
    forward(model, data)
    touching, gaps = 0, 0
    for world in range(NWORLD):
        source = copied(mj, data, world)
        mujoco.mj_forward(mj, source)
        for name in FIELDS:
            expected = getattr(source, name)
            np.testing.assert_allclose(
                getattr(data, name)[world], expected, rtol=1e-10, atol=1e-10, err_msg=name
            )
        np.testing.assert_allclose(
            dense_moment(mj, data, world), dense_moment(mj, source), rtol=0, atol=1e-11
        )
        filled = data.moment_rowadr[world, -1] + data.moment_rownnz[world, -1]
        assert not data.actuator_moment[world, filled:].any()
        touching += int(source.moment_rownnz[-2] > 0)
        gaps += int(np.sum(source.contact.exclude == 1))
    assert touching > 3
    assert gaps > 3


@pytest.mark.slow
def test_moment_has_the_structure_of_mujoco():
    """Where no entry is zero but for rounding: the same rows and columns."""
    text = large_model().replace('<general cranksite="c0" slidersite="b0" cranklength=".4"/>', "")
    mj, model = mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)
    data = Data(model, 1)
    rng = np.random.default_rng(5)
    data.qpos = model.qpos0 + rng.normal(size=model.nq)
    source = copied(mj, data, 0)
    mujoco.mj_forward(mj, source)
    forward(model, data)
    assert model.nJmom == mj.nJmom
    for name in MOMENT[1:3]:
        np.testing.assert_array_equal(getattr(data, name)[0], getattr(source, name), err_msg=name)
    used = source.moment_rowadr[-1] + source.moment_rownnz[-1]
    np.testing.assert_array_equal(data.moment_colind[0, :used], source.moment_colind[:used])


def test_widths_agree():
    model = mjenv.Model.from_xml_string(large_model())
    found = []
    for width in (1, 8):
        data = Data(model, NWORLD, width=width, keep=["actuator_moment", "actuator_force"])
        spread_worlds(model, data, 3)
        step(model, data, 2)
        found.append(data)
    for name in ("qpos", "qvel", "actuator_moment", "actuator_force"):
        np.testing.assert_array_equal(getattr(found[0], name), getattr(found[1], name), name)


def test_large_models_adhere_as_lists_of_pairs_do():
    """Candidate pairs that are found step by step give the same moment arms."""
    model = mjenv.Model.from_xml_string(large_model())
    found = []
    for found_by_steps in (False, True):
        data = Data(model, NWORLD, width=1, keep=["actuator_moment"], large_model=found_by_steps)
        spread_worlds(model, data)
        forward(model, data)
        found.append(data.actuator_moment)
    assert np.any(found[0])
    np.testing.assert_allclose(found[0], found[1], rtol=0, atol=1e-14)
