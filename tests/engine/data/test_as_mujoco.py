"""Data that behave as MuJoCo's, beside MuJoCo."""

import mujoco
import numpy as np
import pytest

from mjenv import Model, forward, step
from mjenv.engine.data.as_mujoco import MujocoData
from mjenv.engine.run.same_frames import FRAMES

FRAMED = """
<mujoco>
  <worldbody>
    <body pos="0 0 1"><freejoint/>
      <geom size=".1"/><site name="here"/>
      <geom type="box" size=".1 .2 .3" euler="0 0 20" mass="0"/>
    </body>
    <body pos="1 0 1" euler="10 20 30"><joint axis="0 1 0"/>
      <geom type="capsule" size=".1 .2" pos=".3 0 0" euler="0 40 0"/>
      <site name="centre" pos=".3 0 0" euler="0 40 0"/><site name="aside" pos="0 .2 0"/>
    </body>
  </worldbody>
</mujoco>
"""
POSES = [
    "xpos",
    "xquat",
    "xipos",
    "ximat",
    "geom_xpos",
    "geom_xmat",
    "site_xpos",
    "site_xmat",
    "subtree_com",
    "qacc",
]


def both(text: str):
    return mujoco.MjModel.from_xml_string(text), Model.from_xml_string(text)


@pytest.mark.parametrize("seed", range(4))
def test_frames_that_the_model_notes_as_the_same_are(seed):
    """Edits of where they lie have no effect, as in MuJoCo; other edits have."""
    mj, model = both(FRAMED)
    flags = {*mj.site_sameframe, *mj.geom_sameframe, *mj.body_sameframe}
    assert len(flags) >= 3
    source, data = mujoco.MjData(mj), MujocoData(model)
    rng = np.random.default_rng(seed)
    for _ in range(3):
        for name in FRAMES:
            values = rng.normal(size=getattr(mj, name).shape)
            if name.endswith("quat"):
                values /= np.linalg.norm(values, axis=1, keepdims=True)
            getattr(mj, name)[:] = values
            getattr(model, name)[:] = values
        mujoco.mj_forward(mj, source)
        forward(model, data)
        for name in POSES:
            mine, its = getattr(data, name)[0], getattr(source, name)
            np.testing.assert_allclose(mine, its, rtol=1e-9, atol=1e-9, err_msg=name)


def test_notes_may_be_edited():
    mj, model = both(FRAMED)
    source, data = mujoco.MjData(mj), MujocoData(model)
    for m in (mj, model):
        m.site_sameframe[2] = 1  # aside
        m.geom_sameframe[0] = 0
        m.geom_pos[0] = 0, 0, 0.5
    mujoco.mj_step(mj, source)
    step(model, data)
    for name in POSES:
        mine, its = getattr(data, name)[0], getattr(source, name)
        np.testing.assert_allclose(mine, its, rtol=1e-9, atol=1e-9, err_msg=name)
