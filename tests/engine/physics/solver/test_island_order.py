"""Fields in the order of islands, made when they are looked at, beside MuJoCo's copies."""

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.engine.errors import FieldError
from tests.engine.physics.solver.test_export_islands import BOXES

OF_DOFS = ("ifrc_smooth", "iacc_smooth", "iLDiagInv", "iacc", "ifrc_constraint")
OF_ROWS = (
    "iefc_type", "iefc_id", "iefc_frictionloss", "iefc_D", "iefc_R", "iefc_aref", "iefc_state",
    "iefc_force",
)  # fmt: skip
INERTIA = ("iM_rownnz", "iM_rowadr", "iM_colind", "iM", "iLD")
SPARSE = ("iefc_J_rownnz", "iefc_J_rowadr", "iefc_J_rowsuper", "iefc_J_colind")
FIELDS = (*OF_DOFS, *OF_ROWS, *INERTIA, "iefc_J", *SPARSE)
# what MuJoCo's dual solvers do not write: copies of these fields
SOLVED = {
    "ifrc_smooth": "qfrc_smooth", "iacc_smooth": "qacc_smooth", "iacc": "qacc",
    "ifrc_constraint": "qfrc_constraint", "iefc_aref": "efc_aref", "iefc_state": "efc_state",
    "iefc_force": "efc_force",
}  # fmt: skip
DATA = {
    "one": {"nworld": 1},
    "pack": {"nworld": 4, "width": 4, "keep": FIELDS},
    "large_model": {"nworld": 1, "large_model": True},
    "large models": {"nworld": 4, "large_model": True},
}


def beside(option: str, kind: str):
    """Some states in both; worlds of several differ in what touches."""
    text = BOXES.format(option=option)
    model, mj = mjenv.Model.from_xml_string(text), mujoco.MjModel.from_xml_string(text)
    data, sources = mjenv.Data(model, **DATA[kind]), []
    for world in range(data.nworld):
        source = mujoco.MjData(mj)
        source.qpos[0], source.qpos[2] = 0.15 * world, 0.1 + 0.5 * (world == 2)
        source.qpos[14] = 0.3 if world == 3 else 1.0
        source.qvel[:] = np.random.default_rng(world).normal(size=mj.nv) / 10
        data.qpos[world], data.qvel[world] = source.qpos, source.qvel
        mujoco.mj_forward(mj, source)
        sources.append(source)
    mjenv.forward(model, data)
    return model, data, sources


def lengths(source) -> dict[str, int]:
    """How many values of each field mean something in MuJoCo's memory."""
    model, nidof, nefc = source.model, source.nidof, source.nefc
    found = dict.fromkeys((*OF_DOFS, *INERTIA[:2]), nidof)
    found |= dict.fromkeys((*OF_ROWS, *SPARSE), nefc)
    found |= dict.fromkeys(INERTIA[2:], int(source.iM_rowadr[-1] + source.iM_rownnz[-1]))
    if mujoco.mj_isSparse(model):
        nJ = int(source.iefc_J_rowadr[-1] + source.iefc_J_rownnz[-1])
        return found | {"iefc_J": nJ, "iefc_J_colind": nJ}
    return found | dict.fromkeys(SPARSE, 0) | {"iefc_J": nefc * nidof}


def blocks(source, jacobian: np.ndarray) -> np.ndarray:
    """Which entries of a dense Jacobian lie in blocks; the others are memory not written."""
    inside = np.zeros(jacobian.size, bool)
    for island in range(source.nisland):
        first = source.nidof * source.island_iefcadr[island]
        size = source.island_nefc[island] * source.island_nv[island]
        inside[first : first + size] = True
    return inside


@pytest.mark.parametrize("kind", DATA)
@pytest.mark.parametrize("jacobian", ["dense", "sparse"])
@pytest.mark.parametrize("solver", ["Newton", "PGS"])
def test_copies_are_those_of_mujoco(solver, jacobian, kind):
    option = f'solver="{solver}" jacobian="{jacobian}" iterations="500" tolerance="0"'
    _, data, sources = beside(option, kind)
    assert max(source.nisland for source in sources) > 1
    for world, source in enumerate(sources):
        assert source.nidof < source.model.nv
        for name, n in lengths(source).items():
            ours, theirs = getattr(data, name)[world], np.ravel(getattr(source, name))[:n]
            found = ours[:n]
            if solver == "PGS" and name in SOLVED:
                order = source.map_idof2dof if name in OF_DOFS else source.map_iefc2efc
                theirs = getattr(source, SOLVED[name])[order[:n]]
            if name == "iefc_J" and jacobian == "dense":
                inside = blocks(source, theirs)
                found, theirs = found[inside], theirs[inside]
            np.testing.assert_allclose(found, theirs, 1e-7, 1e-9, err_msg=name)
            assert not ours[n:].any(), name
        assert data.iM_rownnz.dtype == data.iefc_state.dtype == np.int32


def test_they_belong_to_the_last_call():
    model, data, _ = beside("", "one")
    before = data.iacc.copy()
    data.qvel[:] = 0
    mjenv.step(model, data)
    assert (data.iacc != before).any()
    np.testing.assert_array_equal(
        data.iacc[0, : data.nidof[0]], data.qacc[0, data.map_idof2dof[0, : data.nidof[0]]]
    )
    mjenv.reset(model, data)
    for name in FIELDS:
        assert not getattr(data, name).any(), name


def test_without_islands_they_are_zero():
    text = BOXES.format(option="").replace(
        "<option />", '<option><flag island="disable"/></option>'
    )
    model = mjenv.Model.from_xml_string(text)
    data = mjenv.Data(model)
    mjenv.forward(model, data)
    assert data.nefc[0] > 0
    for name in FIELDS:
        assert not getattr(data, name).any(), name


def test_a_model_without_dofs():
    """It has no islands: 0, in MuJoCo's shape."""
    text = '<mujoco><worldbody><geom size=".1"/></worldbody></mujoco>'
    for nworld in (1, 3):
        model = mjenv.Model.from_xml_string(text)
        data = mjenv.Data(model, nworld)
        mjenv.forward(model, data)
        assert data.nisland.shape == data.nidof.shape == (nworld,)
        assert not data.nisland.any()
        assert mjenv.WorldView(model, data, nworld - 1).nisland == 0
        for name in FIELDS:
            assert getattr(data, name).shape == (nworld, 0), name


@pytest.mark.parametrize("name", ["iM", "iefc_J", "iacc", "iefc_force"])
def test_what_is_not_kept_is_refused_by_name(name):
    model = mjenv.Model.from_xml_string(BOXES.format(option=""))
    data = mjenv.Data(model, 8, keep=["qacc"])
    with pytest.raises(FieldError, match=rf"Data.{name}: not kept; .*keep=\[..., '{name}'\]"):
        getattr(data, name)


def test_in_single_stages_they_follow_what_they_are_copies_of():
    model, data, _ = beside("", "one")
    assert data.iacc.any()
    data.qacc[:] = 7
    mjenv.kinematics(model, data)
    assert (data.iacc[0, : data.nidof[0]] == 7).all()
