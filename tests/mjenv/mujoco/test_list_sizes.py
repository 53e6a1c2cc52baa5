"""Lists of contacts and constraint rows that programs fill with results of their own."""

import mujoco
import numpy as np
import pytest

import mjenv.mujoco as ours
from tests.mjenv.mujoco.scenes import compiled


def test_lists_are_as_long_as_asked():
    lengths = {}
    for module in (ours, mujoco):
        m, d = compiled(module, "humanoid")
        module.mj_step(m, d, 10)
        module._functions._realloc_con_efc(d, ncon=3, nefc=14, nJ=14 * m.nv)
        d.contact.dist[:] = [-0.1, -0.2, -0.3]
        d.efc_force[:] = np.arange(14)
        lengths[module] = {
            name: np.shape(getattr(d, name)) for name in ("efc_J", "efc_pos", "efc_type")
        }
        assert (d.ncon, d.nefc, d.nJ, len(d.contact)) == (3, 14, 14 * m.nv, 3)
        assert d.contact[1].dist == -0.2
        assert (d.efc_force == np.arange(14)).all()
        module.mj_forward(m, d)
        lengths[module]["then"] = (d.ncon, d.nefc)
    assert lengths[ours] == lengths[mujoco]


@pytest.mark.parametrize("count", [-1, 100_000])
def test_no_room_for_contacts(count):
    m = ours.MjModel.from_xml_string(
        "<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody></mujoco>"
    )
    with pytest.raises(ValueError, match=f"_realloc_con_efc: ncon = {count}, expected 0 to"):
        ours._functions._realloc_con_efc(ours.MjData(m), ncon=count, nefc=0, nJ=0)


def test_no_room():
    _, d = compiled(ours, "humanoid")
    with pytest.raises(ValueError, match="_realloc_con_efc: nefc = 100000, expected 0 to"):
        ours._functions._realloc_con_efc(d, ncon=0, nefc=100_000, nJ=0)
