"""Constants after edits of a model: as MuJoCo's, for one model and for every world."""
# ruff: noqa: E501 (models in few lines, one message)

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.engine.edit.compile import Model

from ..mjcf.test_actuators import BODIES, TRANSMISSIONS
from ..mjcf.test_models import SHARED, SMALL, differences, index

MODELS = {
    "actuators": f"<mujoco>{BODIES}<actuator>{''.join(TRANSMISSIONS)}</actuator></mujoco>",
    "balls": """
      <mujoco><worldbody><light mode="targetbody" target="b" pos="0 0 3"/><body name="b" mocap="true">
      <geom size=".1"/></body><body name="c" pos="0 0 1"><joint type="ball" pos=".1 0 0"/><geom type="box"
      size=".1 .2 .3"/><camera/><body name="d" pos="1 0 0"><joint type="slide"/><joint axis="0 1 0"/>
      <geom type="capsule" size=".1 .2"/></body></body></worldbody><equality><connect body1="c" body2="d"
      anchor="1 2 3"/><weld body1="b" body2="d"/></equality></mujoco>""",
}  # fmt: skip
SHAKEN = {
    "body_ipos": 0.05, "body_pos": 0.1, "jnt_pos": 0.05, "geom_pos": 0.1, "site_pos": 0.1,
    "cam_pos": 0.1, "light_pos": 0.1, "light_dir": 0.3, "qpos_spring": 0.1, "qpos0": 0.3,
    "actuator_gear": 0.3, "eq_data": 0.1,
}  # fmt: skip
TURNED = ("body_quat", "body_iquat", "site_quat", "cam_quat", "geom_quat", "jnt_axis")


def edits(model, rng) -> dict:
    """Random values for fields that users edit."""
    values = {n: getattr(model, n) + s * rng.normal(size=getattr(model, n).shape)
              for n, s in SHAKEN.items()}  # fmt: skip
    for name in TURNED:
        turned = getattr(model, name) + 0.2 * rng.normal(size=getattr(model, name).shape)
        values[name] = turned / np.linalg.norm(turned, axis=-1, keepdims=True)
    values["body_mass"] = model.body_mass * rng.uniform(0.5, 2, model.nbody)
    values["body_inertia"] = model.body_inertia * rng.uniform(0.5, 2, (model.nbody, 1))
    values["dof_armature"] = model.dof_armature + rng.uniform(0, 1, model.nv)
    values["body_gravcomp"] = rng.integers(0, 2, model.nbody).astype(float)
    damping = rng.uniform(-1, 1, (model.nu, 1))
    values["actuator_biasprm"] = np.where(np.arange(10) == 2, damping, model.actuator_biasprm)
    return values


def agree(text: str) -> None:
    """Edit both models alike, and compare."""
    ours, reference = Model.from_xml_string(text), mujoco.MjModel.from_xml_string(text)
    for seed in range(3):
        for name, value in edits(reference, np.random.default_rng(seed)).items():
            getattr(ours, name)[...] = value
            getattr(reference, name)[...] = value
        mjenv.set_const(ours)
        mujoco.mj_setConst(reference, mujoco.MjData(reference))
        assert not differences(ours, reference)


@pytest.mark.parametrize("name", [*MODELS, *SMALL])
def test_edited(name):
    agree((MODELS | SMALL)[name])


@pytest.mark.skipif(not SHARED.exists(), reason="the shared models are not here")
@pytest.mark.parametrize("name", [*index().get("inline_ok", ())][::60])
def test_edited_shared(name):
    text = (SHARED / "inline" / name).read_text()
    try:
        Model.from_xml_string(text)
    except mjenv.UnsupportedFeature as error:
        pytest.skip(f"refused by name: {error}")
    agree(text)


SHEET = """<mujoco><option><flag contact="disable"/></option><worldbody><flexcomp name="f" type="grid" count="3 4 1" spacing=".1 .2 .1"
  radius=".01"{}</worldbody></mujoco>"""


INSIDE = ("/>", "><edge equality='true'/></flexcomp>", "><edge equality='vert'/></flexcomp>")


@pytest.mark.parametrize("inside", INSIDE, ids=["plain", "edges", "vertices"])
def test_deformables(inside):
    """Lengths, weights, metrics and patterns follow masses, places and springs of edges."""
    text = SHEET.format(inside)
    ours, reference = Model.from_xml_string(text), mujoco.MjModel.from_xml_string(text)
    rng = np.random.default_rng(0)
    mass, place = rng.uniform(0.5, 2, ours.nbody), 0.01 * rng.normal(size=ours.body_pos.shape)
    for model in (ours, reference):
        model.body_mass[:] *= mass
        model.body_pos[:] += place
        model.flex_edgestiffness[:] = 100
    mjenv.set_const(ours)
    mujoco.mj_setConst(reference, mujoco.MjData(reference))
    assert not differences(ours, reference)
    data, expected = mjenv.Data(ours), mujoco.MjData(reference)
    data.qvel[:] = expected.qvel[:] = 0.1 * rng.normal(size=ours.nv)
    for _ in range(5):
        mjenv.step(ours, data)
        mujoco.mj_step(reference, expected)
    np.testing.assert_allclose(np.ravel(data.qpos), expected.qpos, atol=1e-10)


def test_compiled_again():
    """Without edits only the statistics that the document gives are replaced."""
    text = SMALL["actuators"].replace("<worldbody>", "<statistic meanmass='3'/><worldbody>", 1)
    ours, reference = Model.from_xml_string(text), mujoco.MjModel.from_xml_string(text)
    mjenv.set_const(ours)
    assert differences(ours, reference) == ["meanmass"]
    mujoco.mj_setConst(reference, mujoco.MjData(reference))
    assert not differences(ours, reference)


PENDULUM = """
<mujoco><worldbody><body name="a"><joint axis="0 1 0"/><geom type="capsule" size=".1 .3"/><body pos="0 0 .5">
<joint axis="0 1 0"/><geom type="box" size=".1 .2 .3"/></body></body></worldbody></mujoco>"""
FOLLOW = ("body_subtreemass", "body_invweight0", "dof_M0", "dof_invweight0", "stat_meaninertia",
          "stat_meanmass")  # fmt: skip


def test_every_world():
    """Each world gets the constants of a model with its values."""
    model = Model.from_xml_string(PENDULUM)
    data = mjenv.Data(model, 3, vary=("body_mass", *FOLLOW))
    data.varied["body_mass"][1:] *= np.array([[2.0], [3.0]])
    mjenv.set_const(model, data)
    for world, factor in enumerate((1, 2, 3)):
        single = Model.from_xml_string(PENDULUM)
        single.body_mass *= factor
        mjenv.set_const(single)
        for name in FOLLOW:
            stat = name.startswith("stat_")
            value = getattr(single.stat, name[5:]) if stat else getattr(single, name)
            assert np.array_equal(data.varied[name][world].ravel(), np.ravel(value)), name


def test_every_world_messages():
    model = Model.from_xml_string(PENDULUM)
    data = mjenv.Data(model, 2, vary=("body_mass", "body_invweight0", "dof_M0", "dof_invweight0"))
    mjenv.set_const(model, data)
    data.varied["body_mass"][1] *= 2
    with pytest.raises(ValueError, match=r"^set_const: body_subtreemass, stat_meaninertia, stat_mean"
                                         r"mass: expected fields that differ between worlds"):  # fmt: skip
        mjenv.set_const(model, data)
    with pytest.raises(ValueError, match="set_const: data were made for another model"):
        mjenv.set_const(Model.from_xml_string(PENDULUM), data)
    data = mjenv.Data(model, 2, vary=("body_gravcomp",))
    data.varied["body_gravcomp"][1] = 1
    with pytest.raises(ValueError, match="ngravcomp: expected the same in all worlds"):
        mjenv.set_const(model, data)


def test_bodies_that_float_in_some_worlds():
    """As models that compile so; a changed model of MuJoCo counts them by mj_setConst alone."""
    xml = """<mujoco><worldbody><body gravcomp="{}"><joint type="slide" axis="0 0 1"/>
      <geom size=".1"/></body></worldbody></mujoco>"""
    model, values = Model.from_xml_string(xml.format(0)), (0, 0.5, 1)
    data = mjenv.Data(model, 3, vary=("body_gravcomp",))
    data.varied["body_gravcomp"][:, 1] = values
    mjenv.forward(model, data)
    changed = mujoco.MjModel.from_xml_string(xml.format(0))
    for world, value in enumerate(values):
        changed.body_gravcomp[1] = value
        mujoco.mj_setConst(changed, mujoco.MjData(changed))
        for reference in (mujoco.MjModel.from_xml_string(xml.format(value)), changed):
            expected = mujoco.MjData(reference)
            mujoco.mj_forward(reference, expected)
            for name in ("qfrc_gravcomp", "qacc"):
                found = getattr(data, name)[world]
                assert found == pytest.approx(getattr(expected, name), rel=1e-12, abs=1e-12)


def test_set_keyframe():
    """The state of a world becomes a keyframe, as in mj_setKeyframe."""
    xml = """<mujoco><size nkey="2"/><worldbody><body mocap="true"><geom size=".1"/></body>
      <body pos="1 0 1"><joint name="j"/><geom size=".1"/></body><body pos="3 0 1"><freejoint/>
      <geom size=".1"/></body></worldbody><actuator><motor joint="j"/></actuator>
      <keyframe><key name="a"/></keyframe></mujoco>"""
    model, reference = Model.from_xml_string(xml), mujoco.MjModel.from_xml_string(xml)
    data, expected = mjenv.Data(model, nworld=2), mujoco.MjData(reference)
    expected.time, expected.ctrl[:] = 3, 5
    expected.qpos[:], expected.qvel[:] = np.linspace(0, 1, 8), np.linspace(2, 3, 7)
    expected.mocap_pos[:], expected.mocap_quat[:] = (1, 2, 3), (0, 1, 0, 0)
    for field in ("time", "qpos", "qvel", "ctrl", "mocap_pos", "mocap_quat"):
        getattr(data, field)[1] = getattr(expected, field)
    for key in range(2):
        mujoco.mj_setKeyframe(reference, expected, key)
        mjenv.set_keyframe(model, data, "a" if key == 0 else key, world=1)
    assert not differences(model, reference)
    mjenv.reset(model, data, keyframe="a")
    np.testing.assert_array_equal(data.qpos[0], expected.qpos)
    with pytest.raises(KeyError, match="key: 'b': no such name"):
        mjenv.set_keyframe(model, data, "b")
    with pytest.raises(IndexError, match="world=2: expected a world between 0 and 1"):
        mjenv.set_keyframe(model, data, "a", world=2)
    with pytest.raises(ValueError, match="data of this model"):
        mjenv.set_keyframe(Model.from_xml_string(xml), data, "a")


def test_total_mass():
    xml = """<mujoco><worldbody><body><freejoint/><geom size="0.1"/><body><joint/>
      <geom type="box" size="0.1 0.2 0.3" pos="1 0 0"/></body></body></worldbody></mujoco>"""
    mj, model = mujoco.MjModel.from_xml_string(xml), mjenv.Model.from_xml_string(xml)
    for mass in (7.0, 0.5):
        mujoco.mj_setTotalmass(mj, mass)
        mjenv.set_totalmass(model, mass)
        np.testing.assert_allclose(model.body_mass, mj.body_mass, rtol=1e-12)
        np.testing.assert_allclose(model.body_inertia, mj.body_inertia, rtol=1e-12)
        assert mjenv.get_totalmass(model) == pytest.approx(mass)
