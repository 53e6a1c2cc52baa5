"""Boxes of trees that collision has come to, beside MuJoCo's."""

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.engine.data import broad_phase
from mjenv.engine.data.as_mujoco import MujocoData
from mjenv.engine.data.mujoco_fields import mujoco_value

BODIES = """
<geom type="plane" size="5 5 1"/>
<geom type="box" size="0.3 0.3 0.3" pos="1 0 0.3"/>
<body name="a" pos="0 0 0.4"><freejoint/>
  <geom type="capsule" fromto="-0.2 0 0 0.2 0 0" size="0.05"/>
  <geom size="0.1" pos="0.5 0 0.1"/><geom size="0.1" pos="-0.4 0 0.2"/>
  <body pos="0 0 0.4"><joint axis="0 1 0"/><geom size="0.1"/>
    <geom size="0.1" pos="0 0 0.3"/></body></body>
<body name="b" pos="0.1 0.12 0.5"><freejoint/><geom size="0.1" margin="0.05"/>
  <geom type="box" size="0.1 0.2 0.05" pos="0.2 0 0"/></body>
<body name="c" pos="0.8 0.9 0.5"><freejoint/><geom size="0.1"/>
  <geom size="0.2" pos=".1 0 0"/></body>
"""
CLOTH = """
<geom type="plane" size="3 3 .1"/><geom type="capsule" size=".1 .3" pos="0 0 .2" euler="20 60 0"/>
<flexcomp name="cloth" type="grid" count="5 5 1" spacing=".1 .1 .1" pos="0 0 .5" dim="2"
    radius=".02"><contact selfcollide="bvh"/><edge equality="true"/></flexcomp>
<flexcomp name="soft" type="grid" count="3 3 3" spacing=".1 .1 .1" pos=".1 .1 .8" dim="3"
    radius=".01"><contact selfcollide="auto"/><edge equality="true"/></flexcomp>
"""
TEXTS = {
    "bodies": BODIES,
    "deformables": CLOTH,
}
# beside each other, though boxes of the bodies overlap along the axes of these
BESIDE = """
<body pos=".5 .3 0" euler="0 76 2"><freejoint/>
  <geom type="box" size=".5 .1 .1" pos=".4 0 0"/><geom size=".1" pos="0 .4 0"/></body>
<body pos=".2 .3 .3" euler="124 58 109"><freejoint/>
  <geom type="box" size=".5 .1 .1" pos=".4 0 0"/><geom size=".1" pos="0 .4 0"/></body>
"""
FLAGS = ["MIDPHASE", "CONTACT", "FILTERPARENT"]


def both(name: str):
    things = TEXTS.get(name, BESIDE)
    text = f"<mujoco><option timestep='.004'/><worldbody>{things}</worldbody></mujoco>"
    mj, model = mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)
    return mj, model, mujoco.MjData(mj), MujocoData(model)


@pytest.mark.parametrize("name", TEXTS)
def test_boxes_are_those_of_the_search(name):
    mj, model, source, data = both(name)
    assert not mujoco_value(data, "bvh_active").any()
    counts = []
    for steps in (1, 60, 100):
        mujoco.mj_step(mj, source, steps)
        data.qpos[:], data.qvel[:] = source.qpos, source.qvel
        mujoco.mj_forward(mj, source)
        mjenv.forward(model, data)
        found = mujoco_value(data, "bvh_active")
        assert found.dtype == source.bvh_active.dtype
        np.testing.assert_array_equal(found, source.bvh_active)
        counts.append(int(found.sum()))
    assert max(counts) > 0
    mjenv.reset(model, data)
    assert not mujoco_value(data, "bvh_active").any()


@pytest.mark.parametrize("flag", FLAGS)
def test_options_decide_which_boxes_are_looked_at(flag):
    mj, model, source, data = both("bodies")
    model.opt.disableflags = mj.opt.disableflags = int(mjenv.mjtDisableBit[f"mjDSBL_{flag}"])
    mujoco.mj_forward(mj, source)
    mjenv.forward(model, data)
    np.testing.assert_array_equal(mujoco_value(data, "bvh_active"), source.bvh_active)
    model.opt.enableflags = mj.opt.enableflags = int(mujoco.mjtEnableBit.mjENBL_OVERRIDE)
    model.opt.o_margin = mj.opt.o_margin = 0.5
    mujoco.mj_forward(mj, source)
    mjenv.forward(model, data)
    np.testing.assert_array_equal(mujoco_value(data, "bvh_active"), source.bvh_active)


def test_nothing_is_marked_if_nobody_wants_to_see_it():
    mj, model, source, data = both("bodies")
    model.vis.global_.bvactive = mj.vis.global_.bvactive = 0
    mujoco.mj_forward(mj, source)
    mjenv.forward(model, data)
    assert not source.bvh_active.any()
    assert not mujoco_value(data, "bvh_active").any()


def test_pairs_that_the_broad_phase_drops_are_not_searched(monkeypatch):
    mj, model, source, data = both("beside")
    mujoco.mj_forward(mj, source)
    mjenv.forward(model, data)
    assert not source.bvh_active.any()
    assert not mujoco_value(data, "bvh_active").any()
    monkeypatch.setattr(broad_phase, "_apart", lambda m, d, swept, one, _: np.zeros(len(one), bool))
    assert mujoco_value(data, "bvh_active").any()
