"""Every field of MjModel and MjData has the reference's type, shape, dtype and value."""

import mujoco
import numpy as np
import pytest

import mjenv.mujoco as ours
from mjenv.mujoco.api import facts
from tests.mjenv.mujoco.scenes import compiled, documents

MODEL = [n for n in facts()["classes"]["MjModel"]["fields"] if not n.startswith("_")]
DATA = [n for n in facts()["classes"]["MjData"]["fields"] if not n.startswith("_")]
STEPS = 40
# memory of C, whose size is none of ours
MEMORY = {
    "nbuffer", "narena", "buffer", "arena", "maxuse_stack", "maxuse_arena", "maxuse_threadstack",
    "pstack", "pbase", "parena", "threadpool", "plugin", "plugin_data", "nplugin", "signature",
}  # fmt: skip
# what steps count and what takes time
COUNTED = {"timer", "solver", "solver_niter", "solver_nnz", "solver_fwdinv", "contact"}


# what the reference leaves as its memory was: places of entries in dense matrices, ...
PLACES = {
    f"{rows}_{part}"
    for rows in ("efc_J", "iefc_J", "efc_AR")
    for part in ("rownnz", "rowadr", "rowsuper", "colind")
}
# ... and what a solver of forces, PGS, has no use for
OF_ACCELERATIONS = {
    "ifrc_smooth", "iacc_smooth", "ifrc_constraint", "iacc", "iefc_aref", "iefc_force",
    "iefc_state",
}  # fmt: skip
# the reference's own flags, and what only its pictures show
FLAGS = {"flg_rnepost"}

OF_BLOCKS = {"iM", "iM_colind", "iLD", "iefc_J"}


def entries_of_blocks(data, name):
    """Places that the reference writes; behind the blocks of islands is what its memory was."""
    if name != "iefc_J":
        return np.arange(data.iM_rownnz[: data.nidof].sum())
    assert not mujoco.mj_isSparse(data.model)
    row, rows, dofs = data.island_iefcadr, data.island_nefc, data.island_nv
    blocks = (data.nidof * row[k] + np.arange(rows[k] * dofs[k]) for k in range(data.nisland))
    return np.concatenate([np.zeros(0, int), *blocks])


def same(mine, real, name, tolerance):
    if isinstance(real, np.ndarray):
        assert isinstance(mine, np.ndarray), name
        assert mine.shape == real.shape, name
        assert mine.dtype == real.dtype, name
        if real.dtype.kind == "f":
            np.testing.assert_allclose(mine, real, atol=tolerance, rtol=tolerance, err_msg=name)
        else:
            np.testing.assert_array_equal(mine, real, err_msg=name)
    elif isinstance(real, bool | int | float | str | bytes):
        assert type(mine) is type(real), name
        close = mine == real or np.isclose(mine, real, rtol=tolerance, atol=tolerance)
        assert close, f"{name}: {mine}, expected {real}"
    else:
        assert type(mine).__name__ == type(real).__name__, name


@pytest.mark.parametrize("scene", documents())
def test_model(scene):
    mine, real = compiled(ours, scene)[0], compiled(mujoco, scene)[0]
    wrong = []
    for name in MODEL:
        if name not in MEMORY:
            try:
                same(getattr(mine, name), getattr(real, name), name, 1e-9)
            except AssertionError as error:
                wrong.append(f"{name}: {str(error).strip().splitlines()[0]}")
    assert wrong == []


@pytest.mark.parametrize("scene", documents())
def test_structures_of_the_model(scene):
    mine, real = compiled(ours, scene)[0], compiled(mujoco, scene)[0]
    for group in ("opt", "stat"):
        for name in vars(getattr(mine, group)):
            one, other = (getattr(getattr(model, group), name) for model in (mine, real))
            same(one, other, name, 1e-9)
    for group, kind in facts()["classes"]["MjVisual"]["classes"].items():
        key = "global_" if group == "Global" else group.lower()
        for name in kind["fields"]:
            one, other = (getattr(getattr(m.vis, key), name) for m in (mine, real))
            # the reference has lost one of them
            if np.size(other):
                np.testing.assert_allclose(one, other, rtol=1e-6, err_msg=f"{key}.{name}")
                assert np.shape(one) == np.shape(other)


@pytest.mark.parametrize("scene", documents())
def test_data(scene):
    found = {}
    for module in (ours, mujoco):
        m, d = compiled(module, scene)
        d.ctrl = 0.3
        module.mj_step(m, d, STEPS)
        module.mj_forward(m, d)
        found[module] = d
    wrong, undefined = [], PLACES | FLAGS
    dual = m.opt.solver == mujoco.mjtSolver.mjSOL_PGS
    undefined |= OF_ACCELERATIONS if dual else set()
    for name in DATA:
        if name not in MEMORY | COUNTED:
            mine, real = getattr(found[ours], name, None), getattr(found[mujoco], name)
            if name in OF_BLOCKS and mine.shape == real.shape:
                written = entries_of_blocks(found[mujoco], name)
                mine, real = mine[written], real[written]
            if name == "efc_state" and found[mujoco].nisland and not dual:
                # solvers by island leave theirs as warm start found it
                real = found[mujoco].iefc_state[found[mujoco].map_efc2iefc]
            if name in undefined and isinstance(real, np.ndarray):
                mine, real = np.zeros_like(mine), np.zeros_like(real)
            elif name in undefined:
                mine, real = type(mine)(0), type(real)(0)
            try:
                same(mine, real, name, 1e-7)
            except AssertionError as error:
                wrong.append(f"{name}: {str(error).strip().splitlines()[0]}")
    assert wrong == []


@pytest.mark.parametrize("name", ["MjModel", "MjData"])
def test_fields_are_attributes_of_the_class(name):
    """Programs make indexes of them."""
    kind = getattr(ours, name)
    fields = facts()["classes"][name]["fields"]
    assert [field for field in fields if not hasattr(kind, field)] == []
    assert set(facts()["classes"][name]["methods"]) - set(dir(kind)) <= {
        "_from_model_ptr", "bind_scalar", "__getstate__", "__setstate__",
    }  # fmt: skip


@pytest.mark.parametrize("name", ["MjModel", "MjData", "MjOption"])
def test_lists_of_fields(name):
    """MJX makes arrays of what they name."""
    lists = facts()["classes"][name]["lists"]
    assert "_all_fields" in lists
    for field in lists:
        assert getattr(getattr(ours, name), field) == getattr(getattr(mujoco, name), field)


@pytest.mark.parametrize("scene", documents())
def test_sizes(scene):
    mine, real = compiled(ours, scene)[0]._sizes, compiled(mujoco, scene)[0]._sizes
    assert mine.dtype == real.dtype
    same_memory = ~np.isin(mujoco.MjModel._size_fields, list(MEMORY))
    np.testing.assert_array_equal(mine[same_memory], real[same_memory])
