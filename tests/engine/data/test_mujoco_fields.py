"""Fields with MuJoCo's types, shapes and lengths."""

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.engine.data.as_mujoco import MujocoData
from mjenv.engine.data.mujoco_fields import mujoco_value
from tests.engine.every_field import LISTS
from tests.engine.reference import XML, ZOO

TEXTS = {
    "lists": LISTS.format(option="", flag=""),
    "sparse": LISTS.format(option='jacobian="sparse"', flag=""),
    "dual": LISTS.format(option='solver="PGS"', flag=""),
    "whole": LISTS.format(option="", flag='island="disable"'),
    "zoo": ZOO,
    "humanoid": (XML / "humanoid.xml").read_text(),
    "nothing": "<mujoco/>",
}
# structures of the bindings, and memory of MuJoCo's own: its arena and stack
STRUCTURES = {"model", "contact", "warning", "timer", "solver"}
MEMORY = {"maxuse_stack", "maxuse_arena", "parena", "nbuffer", "maxuse_threadstack"}
# what MuJoCo does not fill in, in some models or before the first call
UNFILLED = ("i", "map_", "dof_island", "efc_island", "efc_J_", "efc_AR", "tree_island")
OTHERS = {"tendon_efcadr", "efc_state", "solver_niter", "solver_nnz"}


def names_of(source) -> list[str]:
    names = (n for n in dir(source) if not n.startswith("_") and n not in STRUCTURES)
    return [name for name in names if not callable(getattr(source, name))]


def compare(source, data) -> None:
    for name in names_of(source):
        its, mine = getattr(source, name), mujoco_value(data, name)
        assert type(mine) is type(its), name
        if isinstance(its, np.ndarray):
            assert (mine.dtype, mine.shape) == (its.dtype, its.shape), name
        if name not in MEMORY | OTHERS and not name.startswith(UNFILLED):
            np.testing.assert_allclose(mine, its, 1e-7, 1e-7, err_msg=name)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("name", TEXTS)
def test_every_field_is_as_in_mujoco(name):
    mj = mujoco.MjModel.from_xml_string(TEXTS[name])
    model = mjenv.Model.from_xml_string(TEXTS[name])
    source, data = mujoco.MjData(mj), MujocoData(model)
    compare(source, data)
    for _ in range(3):
        for _ in range(20):
            mujoco.mj_step(mj, source)
            mjenv.step(model, data)
        mujoco.mj_forward(mj, source)
        mjenv.forward(model, data)
        compare(source, data)
    assert source.nefc or name == "nothing"
    mujoco.mj_resetData(mj, source)
    mjenv.reset(model, data)
    compare(source, data)


def test_numbers_of_equalities_are_live():
    model = mjenv.Model.from_xml_string(TEXTS["lists"])
    data = MujocoData(model)
    active = mujoco_value(data, "eq_active")
    active[0] = 0
    assert not data.eq_active[0, 0]
    mjenv.forward(model, data)
    assert not data.ne[0]
    data.eq_active[0, 0] = 1
    assert active[0] == 1
    mjenv.forward(model, data)
    assert data.ne[0]


def test_lists_that_are_held_show_the_last_results():
    model = mjenv.Model.from_xml_string(TEXTS["lists"])
    data = MujocoData(model)
    mjenv.forward(model, data)
    aref = mujoco_value(data, "efc_aref")
    before = aref.copy()
    data.qvel[0, -1] = 3
    mjenv.forward(model, data)
    assert not np.array_equal(aref, before)
    np.testing.assert_array_equal(aref, mujoco_value(data, "efc_aref"))


def test_most_contacts_so_far():
    """A drop of a reset: MuJoCo's counts start again."""
    mj = mujoco.MjModel.from_xml_string(ZOO)
    model = mjenv.Model.from_xml_string(ZOO)
    source, data = mujoco.MjData(mj), MujocoData(model)
    for _ in range(150):
        mujoco.mj_step(mj, source)
        mjenv.step(model, data)
    for name in ("maxuse_con", "maxuse_efc"):
        assert mujoco_value(data, name) == getattr(source, name) > 0
