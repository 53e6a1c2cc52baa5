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


# what the reference leaves as its memory was: places of entries in dense matrices, whatever the
# solver of forces has no use for, a state where no force acts
PLACES = {
    f"{rows}_{part}"
    for rows in ("efc_J", "iefc_J", "efc_AR")
    for part in ("rownnz", "rowadr", "rowsuper", "colind")
}
OF_ISLANDS = {n for n in DATA if n.startswith(("iefc", "ifrc", "iacc", "iM", "iLD"))}
UNDEFINED = {"humanoid": OF_ISLANDS, "ant": {"efc_state"}}
# the reference's own flags, and what only its pictures show
FLAGS = {"flg_rnepost", "bvh_active"}


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
    wrong, undefined = [], PLACES | FLAGS | UNDEFINED.get(scene, set())
    for name in DATA:
        if name not in MEMORY | COUNTED:
            mine, real = getattr(found[ours], name, None), getattr(found[mujoco], name)
            if name in ("iM", "iM_colind", "iLD") and mine.shape == real.shape:
                # the memory behind the rows of islands is not written by the reference
                written = int(found[mujoco].iM_rownnz[: found[mujoco].nidof].sum())
                mine, real = mine[:written], real[:written]
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
