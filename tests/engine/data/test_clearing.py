"""Resets of a part of the worlds, which compiled code writes, have the bits of resets of all."""

import numpy as np
import pytest

from mjenv.engine.data.data import Data
from mjenv.engine.data.initial import initial_rows
from mjenv.engine.data.masked_reset import can_clear
from mjenv.engine.data.requested_fields import INPUTS, LAZY_INPUTS, STATE
from mjenv.engine.data.step import forward, reset, step
from mjenv.engine.edit.compile import Model
from mjenv.engine.physics.integrators.euler_rk4 import reset_lanes
from mjenv.engine.simd.kernel import call_of, kernel

XML = """
<mujoco>
  <worldbody>
    <geom type="plane" size="5 5 1"/>
    <body pos="0 0 .3"><freejoint/><geom size=".1"/>
      <body pos=".2 0 0"><joint name="j" ref=".4"/><geom size=".05"/></body></body>
  </worldbody>
  <actuator><motor joint="j"/></actuator>
  <sensor><jointpos joint="j"/></sensor>
</mujoco>
"""
WITH_MOCAP = XML.replace("<worldbody>", "<worldbody><body mocap='true' pos='1 2 3'/>")
WITH_ALL = (
    WITH_MOCAP.replace(
        "<actuator><motor ", "<actuator><motor nsample='3' interp='zoh' delay='.01' "
    )
    .replace("<actuator>", "<equality><joint joint1='j' active='false'/></equality><actuator>")
    .replace("<equality>", "<equality><joint joint1='j' polycoef='.1 0 0 0 0'/>")
)


@kernel
def reset_all(m, d):
    """Reset every lane as a bad state does."""
    reset_lanes(m, d, d.time[0] == d.time[0])


@pytest.mark.parametrize("xml", [XML, WITH_MOCAP, WITH_ALL])
def test_resets_within_a_call_lead_to_the_same_state(xml):
    """`reset_lanes` against the table, for all of the state and the inputs."""
    model = Model.from_xml_string(xml)
    data = Data(model, 8, width=8, nthread=1)
    plan = data.plan
    plan.refresh()
    scratch = plan.threads(1)[0]
    arrays = scratch.data.arrays
    names = [name for name in (*STATE, *INPUTS, *LAZY_INPUTS) if arrays[name].size]
    assert not {*initial_rows(data._arrays)} - {*names, "tree_asleep"}
    for name in names:
        arrays[name][:] = 7.0
    call_of(reset_all, plan.records, (scratch.model, scratch.data))()
    for name in names:
        fresh = data._arrays.get(name, np.zeros((8, len(arrays[name]))))
        assert (fresh.reshape(8, -1) == arrays[name].T).all(), name


def everything(data):
    """Bytes of all arrays, world by world."""
    arrays = [*data._arrays.values(), data._warn_number, data._warn_info]
    return [b"".join(array[i].tobytes() for array in arrays) for i in range(data.nworld)]


@pytest.mark.parametrize("xml", [XML, WITH_MOCAP, WITH_ALL])
@pytest.mark.parametrize("late", [False, True])
def test_worlds_that_start_anew_have_the_bits_of_new_data(xml, late):
    model = Model.from_xml_string(xml)
    new = Data(model, 9, keep=["xpos", "cvel"], nthread=1)
    data = Data(model, 9, keep=["xpos", "cvel"], nthread=1)
    assert can_clear(data)
    chosen = np.arange(9) % 3 == 1
    for _ in range(2):
        data.ctrl[:] = np.linspace(-1, 1, 9)[:, None]
        data.qvel[4] = np.nan
        if late:
            # an input that there is from the first time that it is looked at
            data.xfrc_applied[:, 1, 0] = 1.0
            _ = new.xfrc_applied
        step(model, data, 3)
        assert data.warning_numbers[4].any()
        before = everything(data)
        reset(model, data, mask=chosen)
        after, fresh = everything(data), everything(new)
        for i in range(9):
            assert after[i] == (fresh[i] if chosen[i] else before[i])
        late = True


def test_positions_that_users_change_are_those_of_the_next_reset():
    model = Model.from_xml_string(XML)
    data = Data(model, 8, nthread=1, keep=[])
    mask = np.arange(8) == 3
    reset(model, data, mask=mask)
    model.qpos0[2] = 7.0
    reset(model, data, mask=mask)
    assert data.qpos[:, 2].tolist() == [7.0 if i == 3 else data.qpos[0, 2] for i in range(8)]
    assert data.qpos[0, 2] != 7.0
    forward(model, data, mask=mask)
