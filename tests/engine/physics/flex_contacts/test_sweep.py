"""Elements of a crumpled cloth that touch each other, found by sweeping: those of MuJoCo."""

import mujoco
import numpy as np
import pytest

import mjenv

CLOTH = """
<mujoco>
  <option gravity="0 0 0"/>
  <size memory="20M"/>
  <worldbody>
    <flexcomp name="cloth" type="grid" dim="2" count="{count} 6 1" spacing=".1 .1 .1" mass="1"
        radius=".005">
      <contact selfcollide="sap" internal="false"/>
      <edge damping=".1"/>
    </flexcomp>
  </worldbody>
</mujoco>"""


@pytest.mark.parametrize("seed", range(4))
def test_as_mujoco(seed):
    # long, so that places of elements that have ended are given to others
    text = CLOTH.format(count=40)
    mj, model = mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)
    theirs, ours = mujoco.MjData(mj), mjenv.Data(model)
    theirs.qpos[:] = np.random.default_rng(seed).normal(0.0, 0.04, mj.nq)
    ours.qpos[:] = theirs.qpos
    mujoco.mj_forward(mj, theirs)
    mjenv.forward(model, ours)
    assert ours.ncon[0] == theirs.ncon > 0
    for name in ("elem", "vert"):
        expected, found = getattr(theirs.contact, name), getattr(ours.contact, name)[0]
        np.testing.assert_array_equal(found[: theirs.ncon], expected, err_msg=name)
