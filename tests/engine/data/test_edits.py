"""Edits of a model that data were made for: MuJoCo's answer, or an error that names the field."""

import copy

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.engine.model.editable import EDITS, KINDS
from mjenv.engine.tables.fields import MODEL

BALL = """
<mujoco>
  <worldbody>
    <geom type="plane" size="5 5 .1"/>
    <body pos="0 0 .09"><freejoint/><geom type="sphere" size=".1"/></body>
  </worldbody>
</mujoco>
"""
# nworld, large_model
KINDS_OF_DATA = [(1, None), (1, True), (2, None), (16, None), (16, True)]


class Beside:
    """The same model here and in MuJoCo, edited and stepped alike."""

    def __init__(self, text: str, nworld: int = 1, large_model: bool | None = None, **options):
        self.model = mjenv.Model.from_xml_string(text)
        self.data = mjenv.Data(self.model, nworld, large_model=large_model, **options)
        self.reference = mujoco.MjModel.from_xml_string(text)
        self.expected = mujoco.MjData(self.reference)

    @property
    def models(self):
        return self.model, self.reference

    def step(self, n: int = 2, atol: float = 1e-10) -> None:
        """Step and compare."""
        for _ in range(n):
            mjenv.step(self.model, self.data)
            mujoco.mj_step(self.reference, self.expected)
            assert self.data.ncon[-1] == self.expected.ncon
            assert self.data.nefc[-1] == self.expected.nefc
            for name in ("qpos", "qvel", "act", "qacc", "sensordata", "qfrc_passive"):
                mine, other = getattr(self.data, name)[-1], getattr(self.expected, name)
                np.testing.assert_allclose(mine, other, atol=atol, rtol=atol, err_msg=name)

    def step_alone(self) -> None:
        """Step where MuJoCo has no answer."""
        mjenv.step(self.model, self.data)

    def edit(self, **fields) -> None:
        """Write in place, as numpy does."""
        for model in self.models:
            for name, values in fields.items():
                getattr(model, name)[:] = values


def test_the_table_has_every_field_once():
    names = [f.name for f in MODEL if f.type != "size" and f.name != "buffer"]
    assert sorted(EDITS) == sorted(names)
    assert set(EDITS.values()) == set(KINDS)


@pytest.mark.sweep(1)
@pytest.mark.parametrize(("nworld", "large_model"), KINDS_OF_DATA)
def test_contacts_follow_edits(nworld, large_model):
    both = Beside(BALL, nworld, large_model)
    qpos = both.data.qpos
    both.step()
    assert both.expected.ncon == 1
    both.edit(geom_condim=6)
    both.step()
    assert both.expected.nefc == 10
    both.edit(geom_contype=0, geom_conaffinity=0, body_contype=0, body_conaffinity=0)
    both.step()
    assert both.expected.ncon == 0
    both.edit(geom_contype=1, geom_conaffinity=1, body_contype=1, body_conaffinity=1)
    both.step()
    assert both.expected.ncon == 1
    assert both.data.qpos is qpos


def test_contacts_where_there_could_be_none():
    text = BALL.replace('size="5 5 .1"', 'size="5 5 .1" contype="0" conaffinity="0"')
    both = Beside(text)
    both.step()
    both.edit(geom_contype=1, geom_conaffinity=1, body_contype=1, body_conaffinity=1)
    both.step()
    assert both.expected.ncon == 1
    np.testing.assert_allclose(both.data.contact.dist[0, 0], both.expected.contact.dist[0])


@pytest.mark.parametrize("nworld", [1, 16])
def test_structure_is_refused_by_name(nworld):
    both = Beside(BALL, nworld)
    both.step()
    both.model.body_parentid[1] = 1
    for _ in range(2):
        with pytest.raises(ValueError, match=r"model.body_parentid was edited"):
            mjenv.step(both.model, both.data)
    both.model.body_parentid[1] = 0
    both.step()
    with pytest.raises(ValueError, match=r"model.M_rowadr was edited"):
        both.model.M_rowadr[:] = 0


@pytest.mark.sweep(4)
@pytest.mark.parametrize(("nworld", "large_model"), [(1, None), (1, True)])
@pytest.mark.parametrize("bits", [(0, 0, 1, 1), (1, 1, 2, 0), (2, 2, 2, 2), (0, 1, 0, 1)])
def test_bits_of_bodies_filter_too(nworld, large_model, bits):
    both = Beside(BALL, nworld, large_model)
    both.edit(body_contype=bits[::2], body_conaffinity=bits[1::2])
    both.step(1)


def test_frames_that_lie_apart_are_not_said_to_coincide():
    both = Beside(BALL)
    both.step()
    both.model.geom_pos[1] = 0, 0, 0.01
    both.step_alone()
    both.model.geom_sameframe[1] = 0
    both.step_alone()
    both.model.geom_sameframe[1] = 1
    with pytest.raises(ValueError, match=r"model.geom_sameframe\[1\] was edited to 1"):
        both.step_alone()


VARIED = """
<mujoco>
  <option density="1.2" viscosity=".1" cone="elliptic"/>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 .1"/>
    <body pos="0 0 .095"><freejoint/><geom name="ball" size=".1"/></body>
    <body pos="1 0 1"><joint name="a" axis="0 1 0"/><geom type="capsule" size=".04 .2"/>
      <body pos=".4 0 0"><joint name="b" axis="0 1 .2"/><geom size=".1"/></body></body>
  </worldbody>
  <contact><pair geom1="ball" geom2="floor"/></contact>
  <tendon><fixed><joint joint="a" coef="1"/><joint joint="b" coef=".5"/></fixed></tendon>
</mujoco>
"""
# what is off in the model, and a value for a world in which it is on
SWITCHED_ON = {
    "tendon_armature": 0.3,
    "body_gravcomp": 0.6,
    "pair_solreffriction": (0.05, 0.7),
    "geom_fluid": (1, 0.5, 0.25, 1.5, 1, 1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1),
    "dof_frictionloss": 0.2,
}


def test_what_is_off_in_the_model_may_be_on_in_a_world():
    """A stage that the model alone would not need."""
    model = mjenv.Model.from_xml_string(VARIED)
    data = mjenv.Data(model, 8, vary=SWITCHED_ON)
    data.qvel[:] = 0.3
    for world, (name, value) in enumerate(SWITCHED_ON.items()):
        data.varied[name][world] = value
    for _ in range(3):
        mjenv.step(model, data)
    for world, (name, value) in enumerate(SWITCHED_ON.items()):
        reference = mujoco.MjModel.from_xml_string(VARIED)
        getattr(reference, name)[:] = value
        expected = mujoco.MjData(reference)
        if name == "body_gravcomp":
            mujoco.mj_setConst(reference, mujoco.MjData(reference))
        expected.qvel[:] = 0.3
        mujoco.mj_step(reference, expected, 3)
        np.testing.assert_allclose(data.qvel[world], expected.qvel, atol=1e-10, err_msg=name)
        assert np.abs(data.qvel[world] - data.qvel[-1]).max() > 1e-6


@pytest.mark.parametrize("nworld", [1, 2])
def test_copies_of_data_that_were_laid_out_anew(nworld):
    both = Beside(BALL, nworld)
    both.step()
    both.edit(geom_condim=6)
    both.step()
    both.edit(geom_condim=1)
    both.model.opt.jacobian = both.reference.opt.jacobian = int(mujoco.mjtJacobian.mjJAC_SPARSE)
    both.step()
    both.edit(geom_condim=4)
    twin = copy.deepcopy(both.data)
    assert twin.efc_J.shape == both.data.efc_J.shape
    both.data = twin
    both.step()


@pytest.mark.parametrize("nworld", [1, 2])
def test_what_was_computed_stays_when_a_function_finds_an_edit(nworld):
    both = Beside(BALL, nworld)
    both.step()
    both.edit(geom_contype=0, geom_conaffinity=0)
    mjenv.jac_body(both.model, both.data, 1)
    assert both.data.ncon[0] == 1
    assert both.data.contact.dist[0, 0] < 0
    both.step()
    assert both.data.ncon[0] == 0


def test_hooks_and_inputs_go_on():
    both = Beside(BALL)
    calls = []
    mjenv.set_hook(both.data, "passive", lambda model, worlds: calls.append(worlds.nworld))
    both.data.xfrc_applied[0, 1, 0] = both.expected.xfrc_applied[1, 0] = 3
    both.step()
    both.edit(geom_condim=1)
    calls.clear()
    both.step()
    assert calls


SHAPES = """<mujoco><worldbody>
  <geom type="plane" size="5 5 .1"/><geom type="box" size=".3 .3 .05" pos="2 0 .05"/>
  <body pos="0 0 .09"><freejoint/><geom size=".1"/></body>
  <body pos=".15 0 .09"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
  <body pos="2 0 .19"><freejoint/><geom type="capsule" size=".1 .1"/></body>
  <body pos="2.02 0 .5"><freejoint/><geom type="box" size=".1 .1 .11"/>
    <geom type="sphere" size=".1" pos="0 0 .2"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize("layout", [{}, {"large_model": True}, {"vary": ["geom_rbound"]}])
def test_geoms_without_bounding_sphere(layout):
    """A radius edited to 0 is none; between moving bodies MuJoCo then sees a point."""
    reference = mujoco.MjModel.from_xml_string(SHAPES)
    radius, expected = reference.geom_rbound.copy(), mujoco.MjData(reference)
    model = mjenv.Model.from_xml_string(SHAPES)
    data, rng, others = mjenv.Data(model, 4, **layout), np.random.default_rng(0), 0
    for _ in range(30):
        data.qpos[:] = model.qpos0 + 0.08 * rng.normal(size=data.qpos.shape)
        kept = rng.random((4 if "vary" in layout else 1, radius.size)) < 0.5
        if "vary" in layout:
            data.varied["geom_rbound"][:] = radius * kept
        else:
            model.geom_rbound[:] = radius * kept[0]
        mjenv.forward(model, data)
        for world in range(4):
            ncon = []
            for bounds in (radius, radius * kept[world % len(kept)]):
                reference.geom_rbound[:], expected.qpos[:] = bounds, data.qpos[world]
                mujoco.mj_forward(reference, expected)
                ncon.append(expected.ncon)
            found = data.contact.geom[world][: data.ncon[world]].tolist()
            assert sorted(found) == sorted(expected.contact.geom.tolist())
            others += ncon[0] != ncon[1]
    assert others > 10
