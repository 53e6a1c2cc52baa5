"""Few bodies with many geoms: the boxes of those that meet no other body are left out."""

import numpy as np
import pytest

import mjenv
from mjenv.engine.physics.collision import large_model_tables
from mjenv.engine.run import structures

RINGS = """
<mujoco>
  <option timestep="0.005" gravity="{gravity}"/>
  <worldbody>
    <geom type="plane" size="9 9 .1" zaxis="0 0 1"/>
    <replicate count="8" offset=".25 0 0">
      <geom type="box" size=".1 .3 .05" pos="-.9 0 .05"/>
    </replicate>
    {bodies}
  </worldbody>
</mujoco>
"""
RING = """
<body pos="{x} 0 {z}" euler="{turn} 10 0"><freejoint/>
  <replicate count="16" euler="0 0 22.5">
    <geom type="capsule" size=".03 .06" pos=".3 0 0"/>
  </replicate>
  <body pos="0 0 .1"><joint axis="1 0 0"/>
    <replicate count="10" euler="0 0 36">
      <geom type="sphere" size=".04" pos=".15 0 0"/>
    </replicate>
  </body>
</body>
"""


def rings(count: int, gravity: str = "0 0 -9.81") -> mjenv.Model:
    bodies = "".join(
        RING.format(x=0.35 * (k % 3), z=0.5 + 0.4 * k, turn=20 * k) for k in range(count)
    )
    return mjenv.Model.from_xml_string(RINGS.format(bodies=bodies, gravity=gravity))


def contacts(data) -> list:
    """Geoms and distances of the contacts of the only world."""
    n = int(data.ncon[0])
    return [*zip(data.contact.geom[0, :n].tolist(), data.contact.dist[0, :n].tolist(), strict=True)]


@pytest.mark.parametrize("count", [1, 2, 5])
def test_contacts_are_the_same(count, monkeypatch):
    model = rings(count)
    data = mjenv.Data(model, large_model=True, nthread=1)
    assert 0 < data.plan.tables["nrigid"] <= 2 * count + 1
    # tables are kept by structure
    monkeypatch.setattr(large_model_tables, "MOST_RIGID", 0)
    monkeypatch.setattr(structures, "_known", {})
    other_model = rings(count)
    other = mjenv.Data(other_model, large_model=True, nthread=1)
    assert other.plan.tables["nrigid"] == 0
    touched = set()
    for _ in range(60):
        mjenv.step(model, data, nstep=5)
        mjenv.step(other_model, other, nstep=5)
        assert data.qpos.tobytes() == other.qpos.tobytes()
        assert contacts(data) == contacts(other)
        weld = model.body_weldid[model.geom_bodyid]
        touched |= {tuple(sorted(weld[geoms])) for geoms, _ in contacts(data)}
    # with the floor, and with each other
    assert (0, 1) in touched
    assert count == 1 or any(0 not in pair for pair in touched)


def test_bodies_that_never_meet_have_no_boxes_to_sweep():
    model = rings(2, gravity="0 0 0")
    data = mjenv.Data(model, large_model=True, nthread=1)
    data.qpos[0, :3] = 0.0, 0.0, 5.0
    data.qpos[0, 8:11] = 3.0, 0.0, 9.0
    mjenv.step(model, data)
    on = data.plan.threads(1)[0].data.arrays["box_on"]
    # but for a ring beside what turns in it
    inside = model.body_weldid[model.geom_bodyid[data.plan.tables["sweep_geom"]]] > 0
    assert not on[~inside].any()
    assert not data.ncon[0]
    assert np.isfinite(data.qpos).all()
