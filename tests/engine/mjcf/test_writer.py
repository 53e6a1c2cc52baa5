"""What is written compiles back to the same model."""

import mujoco
import pytest

from mjenv.engine.edit.compile import Model, compile_root, compile_text
from mjenv.engine.edit.spec import Spec
from mjenv.engine.mjcf.document.expand import expand
from mjenv.engine.mjcf.document.writer import write
from mjenv.engine.mjcf.text.reader import read
from mjenv.engine.mjcf.text.source import Source

from .test_expand import ATTACHED, CHILD, PARENT, REPLICATED, replicated
from .test_models import SMALL, differences


def rewritten(text: str, assets: dict | None = None):
    """A model, the text that is written of it, and the model that this text compiles to."""
    root = expand(read(text.encode(), "<string>", Source("", assets)))
    model = compile_root(root)
    new = write(root, model)
    return model, new, compile_text(new.encode(), "<written>", Source("", assets))


@pytest.mark.parametrize("name", SMALL)
def test_small_models(name):
    model, _, again = rewritten(SMALL[name])
    assert not differences(again, model)


@pytest.mark.parametrize("name", REPLICATED)
def test_replicated_subtrees(name):
    model, text, again = rewritten(replicated(REPLICATED[name]))
    assert not differences(again, model)
    assert "replicate" not in text


@pytest.mark.parametrize("name", ATTACHED)
def test_attached_models_take_the_settings_of_the_document(name):
    """Angles in other units and sequences, other limits, other defaults."""
    model, text, again = rewritten(PARENT.format(ATTACHED[name]), {"arm.xml": CHILD.encode()})
    assert not differences(again, model)
    assert "<default" not in text


def test_equalities_of_attached_models_have_no_unit():
    child = """<mujoco model="arm"><compiler angle="radian"/><worldbody><body name="a"><joint
      name="j" range="0 1"/><geom size=".1"/></body></worldbody><equality><joint joint1="j"/>
      </equality></mujoco>"""
    parent = """<mujoco><asset><model file="arm.xml"/></asset><worldbody><attach model="arm"
      prefix="x"/></worldbody></mujoco>"""
    model, _, again = rewritten(parent, {"arm.xml": child.encode()})
    assert model.neq == 1
    assert not differences(again, model)


@pytest.mark.parametrize("angle", ["degree", "radian"])
@pytest.mark.parametrize("limited", ["", 'limited="false"', 'limited="true"'])
def test_ranges_that_attached_actuators_inherit(angle, limited):
    child = f"""<mujoco><compiler angle="{angle}"/><default><position inheritrange="0.5"/></default>
      <worldbody><body><joint name="h" {limited} range="-1 2"/>
      <joint name="s" type="slide" axis="0 1 0" {limited} range="-1 2"/><geom size=".1"/></body>
      </worldbody><tendon><fixed name="t" range="1 2"><joint joint="h" coef="1"/></fixed></tendon>
      <actuator><position joint="h" kp="3"/><position tendon="t" dampratio="1"/>
      <intvelocity joint="s" inheritrange=".9"/><position joint="s" timeconst=".1"/></actuator>
      </mujoco>"""
    parent = """<mujoco><asset><model name="c" file="c.xml"/></asset><worldbody><attach model="c"
      prefix="x"/></worldbody></mujoco>"""
    model, text, again = rewritten(parent, {"c.xml": child.encode()})
    assert "inheritrange" not in text
    assert (model.actuator_actrange[2] != 0).all()
    assert not differences(again, model)
    reference = mujoco.MjModel.from_xml_string(parent, {"c.xml": child.encode()})
    assert not differences(model, reference)


def test_text_keeps_classes_and_units():
    text = """<mujoco model="m">
  <compiler angle="radian"/>
  <default>
    <geom rgba="1 0 0 1"/>
    <default class="a">
      <joint damping="0.1"/>
    </default>
  </default>
  <worldbody>
    <body name="b &lt; &quot;c&quot;" childclass="a" euler="0.1 0.2 0.30000000000000004">
      <joint range="-1e-30 1"/>
      <geom size="0.1"/>
    </body>
  </worldbody>
</mujoco>
"""
    assert rewritten(text)[1] == text


@pytest.mark.parametrize("comment", [" who made it\n and when ", "", "a--b-", "\x01"])
def test_the_first_comment_is_kept(comment):
    text = f"<!-- not this --><mujoco><!--{comment}--><worldbody/><!-- nor this --></mujoco>"
    spec = Spec.from_string(text)
    assert spec.comment == mujoco.MjSpec.from_string(text).comment == comment
    again = Spec.from_string(spec.copy().to_xml()).comment
    assert again == comment.replace("--", "- -").replace("b-", "b- ").replace("\x01", "")
    assert Spec.from_string(f"<mujoco><option/><!--{comment}--></mujoco>").comment == ""


INERTIAL = """<mujoco><compiler {}/><worldbody><frame pos="1 2 3"><body><freejoint/><geom
  size=".1 .2 .3" type="box" pos=".1 .2 .3" euler="10 20 30"/><body><geom size="1"/></body>
  <body><joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></body></frame>
  <body><freejoint align="auto"/><geom size=".1" pos="1 0 0"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize(
    ("setting", "count"),
    [("", 4), ("settotalmass='3'", 1), ("alignfree='true'", 3), ("fusestatic='true'", 1)],
)
def test_inertia_is_written(setting, count):
    text = INERTIAL.format(f"saveinertial='true' {setting}")
    written = Spec.from_string(text).to_xml()
    assert written.count("<inertial") == count
    plain = Spec.from_string(text.replace("saveinertial='true'", ""))
    assert plain.to_xml().count("<inertial") == 1
    for reference in (Model.from_xml_string(text), mujoco.MjModel.from_xml_string(text)):
        assert not differences(Model.from_xml_string(written), reference)
        assert not differences(reference, mujoco.MjModel.from_xml_string(written))
