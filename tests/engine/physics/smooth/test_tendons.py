"""Tendons at run time against MuJoCo: lengths, gradients, velocities and paths."""

from math import inf, nan

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.engine.data.data import Data
from mjenv.engine.data.step import forward

SCENE = """
<mujoco>
  <option><flag contact="disable" constraint="disable"/></option>
  <worldbody>
    <site name="w0" pos="0 0 .4"/><site name="w1" pos=".2 .1 0"/>
    <geom name="post" type="cylinder" size=".08 .2" pos="0 .3 0" euler="20 10 0"/>
    <geom name="globe" size=".1" pos=".3 -.3 .1"/>
    <site name="post_side" pos="0 .6 0"/><site name="in_globe" pos=".3 -.31 .12"/>
    <body name="a" pos="0 0 .1">
      <joint name="a1" axis="0 1 0"/><joint name="a2" axis="1 0 1" pos="0 .1 0"/>
      <geom name="upper" type="capsule" fromto="0 0 0 .3 0 0" size=".03"/>
      <geom name="elbow" type="cylinder" size=".05 .1" pos=".3 0 0" euler="90 0 0"/>
      <site name="a0" pos=".1 0 .07"/><site name="aa" pos=".25 .02 .1"/>
      <site name="elbow_side" pos=".4 0 .1"/>
      <body name="b" pos=".3 0 0">
        <joint name="b1" type="ball"/>
        <geom name="ball" size=".06" pos=".1 0 0"/>
        <site name="b0" pos=".2 0 .1"/><site name="over" pos=".1 0 .1"/>
        <site name="within" pos=".11 .01 0"/>
        <body name="c" pos=".25 0 0">
          <joint name="c1" type="slide" axis="1 0 0"/><joint name="c2" axis="0 0 1"/>
          <geom size=".05"/><site name="c0" pos=".05 .1 .03"/>
        </body>
      </body>
    </body>
    <body name="f" pos="0 .6 .2"><freejoint/><geom type="box" size=".05 .05 .05"/>
      <site name="f0" pos=".1 0 0"/><site name="f1" pos="-.1 .05 0"/></body>
  </worldbody>
  <tendon>
    <fixed name="sum"><joint joint="a1" coef=".5"/><joint joint="c1" coef="-2"/>
      <joint joint="a1" coef=".25"/></fixed>
    <spatial name="line"><site site="w0"/><site site="a0"/><site site="aa"/><site site="c0"/>
      <site site="f0"/></spatial>
    <spatial name="cylinder"><site site="a0"/><geom geom="elbow"/><site site="b0"/></spatial>
    <spatial name="sides"><site site="a0"/><geom geom="elbow" sidesite="elbow_side"/>
      <site site="b0"/><geom geom="ball"/><site site="c0"/></spatial>
    <spatial name="pulleys"><site site="w1"/><geom geom="post" sidesite="post_side"/>
      <site site="f1"/><pulley divisor="2"/><site site="f0"/><site site="w0"/>
      <pulley divisor="3"/><site site="aa"/><geom geom="ball" sidesite="over"/>
      <site site="c0"/></spatial>
    <spatial name="inside"><site site="aa"/><geom geom="ball" sidesite="within"/>
      <site site="c0"/></spatial>
    <spatial name="globe"><site site="w1"/><geom geom="globe" sidesite="in_globe"/>
      <site site="f0"/><geom geom="post"/><site site="c0"/></spatial>
  </tendon>
</mujoco>
"""
REALS = ("ten_length", "ten_J", "ten_velocity", "wrap_xpos")
INTEGERS = ("ten_wrapadr", "ten_wrapnum", "wrap_obj")
NWORLD = 48


@pytest.fixture(scope="module")
def computed():
    """MuJoCo's model, and data in random configurations at widths 1 and 8."""
    model = mjenv.Model.from_xml_string(SCENE)
    rng = np.random.default_rng(0)
    spread = rng.choice([0.1, 1.0, 2.0], (NWORLD, 1))
    qpos = model.qpos0 + spread * rng.normal(size=(NWORLD, model.nq))
    qvel = rng.normal(size=(NWORLD, model.nv))
    found = []
    for width in (8, 1):
        data = Data(model, NWORLD, width=width, keep=(*REALS, *INTEGERS))
        data.qpos, data.qvel = qpos, qvel
        forward(model, data)
        found.append(data)
    return mujoco.MjModel.from_xml_string(SCENE), *found


def test_tendons_of_every_kind(computed):
    mj, data, _ = computed
    source = mujoco.MjData(mj)
    wrapped = set()
    for world in range(NWORLD):
        source.qpos, source.qvel = data.qpos[world], data.qvel[world]
        mujoco.mj_forward(mj, source)
        used = source.ten_wrapadr[-1] + source.ten_wrapnum[-1]
        for name in (*REALS, *INTEGERS):
            expected = getattr(source, name).ravel()
            n = len(expected)
            if name.startswith("wrap"):
                n = used * (3 if name == "wrap_xpos" else 1)
            found = getattr(data, name)[world].ravel()
            np.testing.assert_allclose(
                found[:n], expected[:n], rtol=0, atol=1e-12, err_msg=f"{world}: {name}"
            )
            assert not found[n:].any()
        wrapped |= set(source.wrap_obj.ravel()[:used].tolist())
    names = ("post", "globe", "elbow", "ball")
    assert wrapped == {-1, -2, *(mj.geom(name).id for name in names)}


def test_widths_agree(computed):
    _, wide, narrow = computed
    for name in (*REALS, *INTEGERS):
        np.testing.assert_array_equal(getattr(wide, name), getattr(narrow, name), err_msg=name)


PULLED = SCENE.replace(' constraint="disable"', "").replace(
    "</mujoco>",
    """
  <actuator>
    <motor tendon="sum" gear="3"/><position tendon="pulleys" kp="2" kv=".1" forcerange="-3 3"/>
    <motor joint="b1" gear="1 2 3"/><motor tendon="inside" gear="-1"/><motor tendon="sides"/>
    <motor tendon="inside" gear=".5"/>
  </actuator>
</mujoco>""",
)
ACTING = {
    "sum": "stiffness='3 2 1' damping='.1 .2 .3' springlength='-.1 .2'",
    "line": "stiffness='20' damping='1'",
    "sides": "damping='0 .5'",
    "inside": "stiffness='0 10' springlength='.1' actuatorfrcrange='-.3 .2'",
}
for tendon_name, tendon_attributes in ACTING.items():
    PULLED = PULLED.replace(f'"{tendon_name}">', f'"{tendon_name}" {tendon_attributes}>')
FORCES = "qfrc_spring qfrc_damper qfrc_passive actuator_length actuator_velocity actuator_force"


@pytest.mark.parametrize("disabled", ["", "spring", "damper"])
def test_forces_along_tendons(disabled):
    text = PULLED.replace("<flag ", f"<flag {disabled}='disable' " if disabled else "<flag ")
    mj, model = mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)
    names = [*FORCES.split(), "actuator_moment", "qfrc_actuator", "qacc"]
    data = Data(model, NWORLD, width=8, keep=names)
    rng = np.random.default_rng(1)
    data.qpos = model.qpos0 + rng.normal(size=(NWORLD, model.nq))
    data.qvel = rng.normal(size=(NWORLD, model.nv))
    data.ctrl = rng.normal(size=(NWORLD, model.nu))
    forward(model, data)
    source = mujoco.MjData(mj)
    for world in range(NWORLD):
        mujoco.mj_resetData(mj, source)
        source.qpos, source.qvel = data.qpos[world], data.qvel[world]
        source.ctrl = data.ctrl[world]
        mujoco.mj_forward(mj, source)
        for name in names:
            expected = getattr(source, name).ravel()
            scale = 1 + np.abs(expected).max()
            error = np.abs(getattr(data, name)[world].ravel() - expected).max() / scale
            assert error < 1e-9, f"{world}: {name}: {error:.1e}"


ENDLESS = """<mujoco><worldbody><site name="w" pos="0 0 1"/><site name="x" pos="0 .4 1"/>
<body pos="0 0 .5"><joint axis="0 1 0"/><geom size=".1" pos=".2 0 0"/><site name="a" pos=".2 0 .1"/>
<site name="b" pos=".1 .2 0"/></body></worldbody><tendon><spatial {}><site site="w"/>
<site site="a"/><pulley divisor="0"/><site site="x"/><site site="b"/></spatial></tendon></mujoco>"""
ENDLESS_FIELDS = [
    "ten_length",
    "ten_velocity",
    "qfrc_spring",
    "qfrc_damper",
    "qfrc_passive",
    "qacc",
]
ENDLESS_TENDONS = {
    "": 44.590909,
    "springlength='.1'": 44.590909,
    "frictionloss='.1'": nan,
    "stiffness='5'": nan,
    "damping='1'": nan,
    "springlength='.1' stiffness='3'": nan,
}


@pytest.mark.parametrize("attributes", ENDLESS_TENDONS)
def test_infinite_lengths_count_only_in_springs_and_dampers(attributes):
    """A pulley with divisor 0 makes a tendon of infinite length, which alone has no forces."""
    text = ENDLESS.format(attributes)
    mj, model = mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)
    source, data = mujoco.MjData(mj), Data(model, keep=ENDLESS_FIELDS)
    source.qvel[:] = data.qvel[:] = 0.3
    mujoco.mj_forward(mj, source)
    forward(model, data)
    assert source.ten_length[0] == inf
    for name in ENDLESS_FIELDS:
        np.testing.assert_allclose(getattr(data, name).ravel(), getattr(source, name), rtol=1e-9)
    np.testing.assert_allclose(source.qacc, ENDLESS_TENDONS[attributes], rtol=1e-6)


# MuJoCo's dense rows lose a joint that stands twice in a tendon
LIMITED = PULLED.replace('joint="a1" coef=".25"', 'joint="c2" coef=".25"')
for tendon_name, tendon_attributes in {
    "sum": "frictionloss='.3' solreffriction='.03 .8' range='-1 .5'",
    "line": "range='.5 2.5' solreflimit='.05 1' solimplimit='.8 .95 .1 .4 3' margin='.1'",
    "cylinder": "frictionloss='.5' solimpfriction='.7'",
    "pulleys": "range='1 1.2'",
}.items():
    for tag in ("fixed", "spatial"):
        begin = f'<{tag} name="{tendon_name}"'
        LIMITED = LIMITED.replace(begin, f"{begin} {tendon_attributes}")
ROWS = "efc_type efc_id efc_J efc_pos efc_margin efc_frictionloss efc_D efc_aref efc_force"


def test_limits_and_friction_of_tendons():
    text = LIMITED.replace("<option>", "<option tolerance='0' iterations='100'>")
    mj, model = mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)
    names = [*ROWS.split(), "nf", "nl", "nefc", "qacc"]
    data = Data(model, NWORLD, width=8, keep=names)
    rng = np.random.default_rng(2)
    data.qpos = model.qpos0 + rng.normal(size=(NWORLD, model.nq))
    data.qvel = rng.normal(size=(NWORLD, model.nv))
    forward(model, data)
    source, kinds = mujoco.MjData(mj), set()
    for world in range(NWORLD):
        mujoco.mj_resetData(mj, source)
        source.qpos, source.qvel = data.qpos[world], data.qvel[world]
        mujoco.mj_forward(mj, source)
        kinds |= set(source.efc_type.tolist())
        for name in names:
            expected = np.asarray(getattr(source, name)).ravel()
            scale = 1 + np.abs(expected).max()
            found = getattr(data, name)[world].ravel()[: expected.size]
            error = np.abs(found - expected).max() / scale
            assert error < 1e-8, f"{world}: {name}: {error:.1e}"
    assert kinds == {2, 4}


@pytest.mark.parametrize(("jacobian", "still"), [("dense", 1), ("sparse", 3)])
def test_rows_of_tendons_that_nothing_moves(jacobian, still):
    """Dense Jacobians drop friction and limits where the gradient is zero, world by world."""
    xml = f"""
    <mujoco>
      <option jacobian="{jacobian}"/>
      <worldbody>
        <site name="high" pos="0 0 1"/>
        <body><joint name="x" type="slide" axis="1 0 0" frictionloss=".1"/>
          <geom size=".1"/><site name="low"/></body>
      </worldbody>
      <tendon>
        <spatial limited="true" range="0 .9" frictionloss=".5">
          <site site="high"/><site site="low"/></spatial>
      </tendon>
    </mujoco>"""
    mj, model = mujoco.MjModel.from_xml_string(xml), mjenv.Model.from_xml_string(xml)
    positions = np.array([[0.0], [0.1], [-0.2], [0.0]])
    for width in (1, 4):
        data = Data(model, 4, width=width)
        data.qpos[:], data.qvel[:] = positions, 0.3
        forward(model, data)
        for world in range(4):
            source = mujoco.MjData(mj)
            source.qpos[:], source.qvel[:] = positions[world], 0.3
            mujoco.mj_forward(mj, source)
            assert data.nefc[world] == source.nefc == (3 if positions[world] else still)
            assert (data.tendon_efcadr[world, 0] >= 0) == (source.nefc == 3)
            for name in ("efc_type", "efc_id", "efc_force", "qacc"):
                expected = getattr(source, name)
                found = np.ravel(getattr(data, name)[world])[: len(expected)]
                np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9, err_msg=name)
