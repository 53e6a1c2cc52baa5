"""What is written compiles back to the same model."""

import pytest

from mjenv.engine.mjcf.compiler import compile_spec, compile_text
from mjenv.engine.mjcf.document.expand import expand
from mjenv.engine.mjcf.document.writer import write
from mjenv.engine.mjcf.parts.collect import collect
from mjenv.engine.mjcf.text.reader import Source, read

from .test_mjcf_expand import ATTACHED, CHILD, PARENT, REPLICATED, replicated
from .test_mjcf_models import SMALL, differences


def rewritten(text: str, assets: dict | None = None):
    """A model, the text that is written of it, and the model that this text compiles to."""
    root = expand(read(text.encode(), "<string>", Source("", assets)))
    model = compile_spec(collect(root))
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
