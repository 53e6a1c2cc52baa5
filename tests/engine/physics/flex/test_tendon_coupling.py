"""Inertia along tendons, and tendons coupled by equality constraints, against MuJoCo."""

import numpy as np
import pytest

import mjenv
from mjenv.engine.data.data import Data
from tests.engine.beside import Beside

SCENE = """
<mujoco>
  <option jacobian="{jacobian}"><flag contact="disable"/></option>
  <worldbody>
    <site name="w0" pos="0 0 .4"/><site name="w1" pos=".2 .1 0"/>
    <body name="a" pos="0 0 .1">
      <joint name="a1" axis="0 1 0"/><joint name="a2" axis="1 0 1" pos="0 .1 0"/>
      <geom type="capsule" fromto="0 0 0 .3 0 0" size=".03"/>
      <site name="a0" pos=".1 0 .07"/><site name="aa" pos=".25 .02 .1"/>
      <body name="b" pos=".3 0 0">
        <joint name="b1" type="ball"/>
        <geom size=".06" pos=".1 0 0"/><site name="b0" pos=".2 0 .1"/>
        <body name="c" pos=".25 0 0">
          <joint name="c1" type="slide" axis="1 0 0"/><joint name="c2" axis="0 0 1"/>
          <geom size=".05"/><site name="c0" pos=".05 .1 .03"/>
        </body>
      </body>
      <body name="e" pos="0 .3 0"><joint name="e1" axis="0 0 1"/><geom size=".05" pos=".2 0 0"/>
        <site name="e0" pos=".2 0 .05"/></body>
    </body>
    <body name="f" pos="0 .6 .2"><freejoint/><geom type="box" size=".05 .05 .05"/>
      <site name="f0" pos=".1 0 0"/><site name="f1" pos="-.1 .05 0"/></body>
  </worldbody>
  <tendon>
    <fixed name="sum" armature="{heavy}"><joint joint="a1" coef=".5"/><joint joint="c1" coef="-2"/>
      <joint joint="a2" coef=".25"/></fixed>
    <spatial name="line" armature="{heavy}"><site site="w0"/><site site="a0"/><site site="aa"/>
      <site site="c0"/></spatial>
    <spatial name="pulleys" armature="{heavy}"><site site="w1"/><site site="a0"/>
      <pulley divisor="2"/><site site="aa"/><site site="b0"/><site site="c0"/>
      <pulley divisor="3"/><site site="w0"/><site site="b0"/></spatial>
    <spatial name="free" armature="{light}"><site site="w0"/><site site="f0"/></spatial>
    <spatial name="across"><site site="e0"/><site site="c0"/><site site="f1"/></spatial>
    <spatial name="within"><site site="f0"/><site site="f1"/></spatial>
  </tendon>
  {equality}
</mujoco>
"""
EQUALITIES = {
    "fixed": '<tendon tendon1="line" polycoef=".02"/>',
    "coupled": '<tendon tendon1="line" tendon2="sum" polycoef=".01 .5 .3 -.2 .1"/>',
    "common": '<tendon tendon1="line" tendon2="pulleys" solref=".03 .8"/><tendon tendon1="sum"/>',
    "branches": '<tendon tendon1="across" tendon2="free" polycoef="0 -.5"/>'
    '<joint joint1="e1" joint2="a1"/>',
    "empty": '<tendon tendon1="within"/><tendon tendon1="free"/>',
}
ROWS = "ne nefc efc_type efc_id efc_J efc_pos efc_D efc_aref efc_KBIP efc_vel"


def large_model(heavy=0.0, light=0.0, equality="", jacobian="auto") -> str:
    equality = f"<equality>{equality}</equality>" if equality else ""
    return SCENE.format(heavy=heavy, light=light, equality=equality, jacobian=jacobian)


def test_inertia_along_tendons():
    both = Beside(large_model(0.7, 0.4)).forward()
    both.compare("M qM qLD qfrc_bias qacc_smooth")
    bare = Beside(large_model()).forward()
    assert np.abs(both.data.qfrc_bias - bare.data.qfrc_bias).max() > 0.1
    both.step(3).compare("qpos qvel", 1e-9)


def test_rows_of_tendons():
    """The first row of dry friction or of a limit, world by world."""
    text = large_model().replace('name="line" ', 'name="line" range="0 .7" limited="true" ')
    text = text.replace('name="sum" ', 'name="sum" frictionloss=".1" ')
    both = Beside(text.replace('name="free" ', 'name="free" range=".9 1" limited="true" '))
    both.forward().compare("tendon_efcadr")
    rows = both.data.tendon_efcadr
    assert (rows[:, 0] == 0).all()
    assert len(set(rows[:, 3].tolist())) > 1


def test_tendons_without_inertia_compile_nothing_of_it():
    names = [stage.name for stage in Data(mjenv.Model.from_xml_string(large_model())).plan.forward]
    assert not {"tendon_armature", "tendon_bias"} & set(names)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("jacobian", ["dense", "sparse"])
@pytest.mark.parametrize("kind", EQUALITIES)
def test_coupled_tendons(kind, jacobian):
    def tight(model):
        model.opt.tolerance, model.opt.iterations = 1e-14, 200

    both = Beside(large_model(0.1, 0, EQUALITIES[kind], jacobian), edit=tight).forward()
    for world, source in enumerate(both.sources):
        assert both.data.nefc[world] == source.nefc
        names = ROWS + (" efc_J_rownnz efc_J_rowadr efc_J_colind" if jacobian == "sparse" else "")
        for name in names.split()[2:]:
            expected = getattr(source, name)
            if name == "efc_J":
                expected = expected[
                    : source.nJ if jacobian == "sparse" else source.nefc * both.mj.nv
                ]
            found = getattr(both.data, name)[world].ravel()[: expected.size]
            np.testing.assert_allclose(
                found, expected.ravel(), rtol=1e-10, atol=1e-9, err_msg=f"{world} {name}"
            )
    both.compare("qacc", 1e-8).compare("tendon_efcadr")
    both.step(2).compare("qpos qvel", 1e-8)
