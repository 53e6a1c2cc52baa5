"""Constants of trees of one shape are computed together, with the bits that each has alone."""

import numpy as np
import pytest

from mjenv.engine.edit.compile import Model
from mjenv.engine.mjcf.arrays import inverse

ARM = """
<body pos="{x} 0 1" quat="1 .1 {x} .2"><joint name="{name}0" axis="0 1 0" armature="{x}"/>
  <geom type="capsule" size=".05" fromto="0 0 0 .3 0 {x}"/>
  <body pos=".3 0 {x}"><joint name="{name}1" axis="1 {x} 0"/><geom type="box" size=".1 .05 {x}"/>
  <body pos="0 .1 0"><geom size="{x}"/></body></body></body>"""
FREE = '<body pos="{x} 0 2"><freejoint/><geom type="box" size=".1 .2 {x}" pos="0 {x} 0"/></body>'
SIMPLE = '<body pos="{x} 0 3"><freejoint/><geom type="box" size=".1 .2 {x}"/></body>'
SLIDER = """<body pos="{x} 0 4"><joint type="slide"/><joint type="slide" axis="0 1 0"/>
  <geom size="{x}"/></body>"""
BALL = """<body pos="{x} 0 5"><joint type="ball"/>
  <geom size=".1 .2" type="capsule" pos="0 0 {x}"/></body>"""
KINDS = (ARM, FREE, SIMPLE, SLIDER, BALL)


def document(coupled: bool) -> str:
    """Trees of five shapes, three of each, in mixed order."""
    bodies = [
        kind.format(x=0.1 + 0.07 * k + 0.01 * n, name=f"j{k}")
        for k in range(3)
        for n, kind in enumerate(KINDS)
    ]
    tendon = """<tendon><fixed armature=".3"><joint joint="j00" coef="1"/><joint joint="j21"
      coef="-2"/></fixed></tendon><actuator><motor tendon="t"/><motor joint="j10"/></actuator>"""
    tendon = tendon.replace("<fixed", '<fixed name="t"') if coupled else ""
    return f"<mujoco><worldbody>{''.join(bodies)}</worldbody>{tendon}</mujoco>"


@pytest.mark.parametrize("coupled", [False, True])
def test_together_and_alone(monkeypatch, coupled):
    together = Model.from_xml_string(document(coupled))
    shapes = inverse.trees_by_shape(together)
    assert sorted(ids.tolist() for ids, _, _ in shapes) == [[k, k + 5, k + 10] for k in range(5)]
    for ids, bodies, dofs in shapes:
        for k, tree in enumerate(ids):
            assert (together.body_treeid[bodies[k]] == tree).all()
            assert np.array_equal(dofs[k], np.flatnonzero(together.dof_treeid == tree))

    def alone(model):
        return [(i[[k]], b[[k]], d[[k]]) for i, b, d in shapes for k in range(len(i))]

    monkeypatch.setattr(inverse, "trees_by_shape", alone)
    assert Model.from_xml_string(document(coupled)).to_bytes() == together.to_bytes()
