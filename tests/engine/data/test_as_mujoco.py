"""Data that behave as MuJoCo's, beside MuJoCo."""

import copy

import mujoco
import numpy as np
import pytest

from mjenv import (
    Data,
    Model,
    UnsupportedFeature,
    collision,
    forward,
    fwd_acceleration,
    fwd_actuation,
    fwd_constraint,
    fwd_position,
    island,
    make_constraint,
    project_constraint,
    reference_constraint,
    reset,
    rne_post_constraint,
    step,
    step1,
    step2,
)
from mjenv.engine.data import edited_results
from mjenv.engine.data.as_mujoco import MujocoData
from mjenv.engine.model.change_detection import FRAMES
from tests.engine.every_field import LISTS

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


def text_of(large_model: bool) -> str:
    solver = 'solver="PGS" jacobian="sparse"' if large_model else 'solver="PGS"'
    return LISTS.format(option=solver, flag='energy="enable"')


def lists(data) -> dict[str, np.ndarray]:
    """Lazy fields of data, looked at."""
    return {name: getattr(data, name)[0:1] for name in sorted(data._lazy)}


@pytest.mark.sweep(1)
@pytest.mark.parametrize("large_model", [False, True])
def test_arrays_of_late_fields_that_are_held_show_the_last_results(large_model):
    model = Model.from_xml_string(text_of(large_model))
    data, other = MujocoData(model, large_model=large_model), Data(model, large_model=large_model)
    forward(model, data)
    held = lists(data)
    for k in range(30):
        for d in (data, other):
            step(model, d) if k % 3 else forward(model, d)
            d.qvel[:, 3] += 0.01 * k
        now = lists(other)
        for name, array in held.items():
            if array.shape == now[name].shape:
                np.testing.assert_array_equal(array, now[name], err_msg=f"{name}, {k}")
                assert np.shares_memory(array, getattr(data, name)) or not array.size, name
    for k, function in enumerate((fwd_position, collision, make_constraint, reset)):
        function(model, data), function(model, other)
        now = lists(other)
        for name, array in held.items():
            if array.shape == now[name].shape:
                np.testing.assert_array_equal(array, now[name], err_msg=f"{name}, {k}")


def test_made_fields_that_are_held_show_the_last_results():
    model = Model.from_xml_string(text_of(False))
    data, other = MujocoData(model), Data(model)
    names = ["nA", "iM", "iefc_J", "iacc", "efc_AR"]
    forward(model, data)
    held = {name: getattr(data, name)[0] for name in names[1:]}
    for _ in range(5):
        for d in (data, other):
            d.qvel[:, 3] += 0.1
            forward(model, d)
        for name, array in held.items():
            new = getattr(other, name)[0]
            assert array.shape == new.shape
            np.testing.assert_array_equal(array, new, err_msg=name)


def test_fields_that_nobody_holds_are_not_computed():
    model = Model.from_xml_string(text_of(False))
    data = MujocoData(model)
    forward(model, data)
    lists(data)
    for _ in range(2):
        forward(model, data)
        assert not data.held
        assert not data._lazy.intersection(vars(data))
    q = data.qM[0, 1:]
    forward(model, data)
    assert "qM" in vars(data)
    assert "efc_J" not in vars(data)
    del q
    forward(model, data)
    forward(model, data)
    assert "qM" not in vars(data)


def test_a_copy_of_a_model_serves_data_of_the_model():
    """As in MuJoCo, whatever differs; the arrays of data stay."""
    text = text_of(False)
    mj, model = both(text)
    other, twin = copy.copy(mj), Model.from_bytes(model.to_bytes())
    for m in (other, twin):
        m.opt.gravity[:] = 1, 2, -3
        m.geom_contype[:] = 0
        m.geom_conaffinity[:] = 0
        m.body_mass[1:] *= 2
        m.opt.integrator = 3
    source, data = mujoco.MjData(mj), MujocoData(model)
    arrays = {name: getattr(data, name) for name in ("qpos", "xpos", "qfrc_bias", "ctrl")}
    held = data.qM[0]
    for k in range(60):
        mujoco.mj_step(mj if k % 7 < 4 else other, source)
        step(model if k % 7 < 4 else twin, data)
        for name in ("qpos", "qvel", "qacc", "xpos", "qM"):
            its = getattr(source, name)
            np.testing.assert_allclose(
                getattr(data, name)[0], its, 1e-8, 1e-8, err_msg=f"{name} {k}"
            )
        assert data.ncon[0] == source.ncon
    for name, array in arrays.items():
        assert getattr(data, name) is array
    np.testing.assert_array_equal(held, data.qM[0])


def test_models_of_equal_structure_share_programs():
    """Neither tables nor programs are made anew with every call."""
    model = Model.from_xml_string(text_of(False))
    twin = Model.from_bytes(model.to_bytes())
    data = MujocoData(model)
    step(model, data), step(twin, data)
    plans = set()
    for _ in range(3):
        for m in (model, twin):
            step(m, data)
            plans.add(data.plan)
    assert len(plans) == 2
    assert all(len(plan.programs) == 1 for plan in plans)
    assert data.xpos.ctypes.data == data.plan.scratch[0].data.arrays["xpos"].ctypes.data


def test_other_models_are_dropped():
    model = Model.from_xml_string(text_of(False))
    data = MujocoData(model)
    for _ in range(8):
        step(Model.from_bytes(model.to_bytes()), data)
    assert len(data._plans) <= 4


def test_models_of_other_sizes_are_refused():
    data = MujocoData(Model.from_xml_string(FRAMED))
    with pytest.raises(ValueError, match="step: found a model with nq = 16, expected 8"):
        step(Model.from_xml_string(text_of(False)), data)


STAGED = """
<mujoco>
  <option cone="{cone}" solver="{solver}" jacobian="{jacobian}"><flag island="{island}"/></option>
  <worldbody>
    <geom type="plane" size="5 5 .1"/>
    <body pos="0 0 .09"><freejoint/><geom size=".1" condim="3" mass="1"/></body>
    <body pos="1 0 .095"><freejoint/><geom type="box" size=".1 .1 .1" condim="4" mass="2"/></body>
    <body pos="3 0 1"><joint name="j" axis="0 1 0" range="-10 10" frictionloss=".2"/>
      <geom type="capsule" size=".05 .2" pos=".1 0 -.2"/><site name="s" pos=".2 0 0"/></body>
  </worldbody>
  <actuator><motor joint="j" gear="2"/><motor site="s" gear="0 0 1 0 0 0"/></actuator>
  <sensor><touch site="s"/></sensor>
</mujoco>
"""
KINDS = [
    ("pyramidal", "Newton", "dense"),
    ("elliptic", "Newton", "sparse"),
    ("pyramidal", "PGS", "sparse"),
    ("elliptic", "CG", "dense"),
]


def staged(cone: str, solver: str, jacobian: str, island: str = "enable"):
    """Both, after all that depends on position and velocity, moving."""
    text = STAGED.format(cone=cone, solver=solver, jacobian=jacobian, island=island)
    mj, model = both(text)
    source, data = mujoco.MjData(mj), MujocoData(model)
    speed = np.random.default_rng(1).normal(size=mj.nv)
    for d in (source, data):
        d.qvel.reshape(-1)[:] = speed
        d.qpos.reshape(-1)[-1] = 0.3
        d.ctrl.reshape(-1)[:] = 0.4, 0.7
    mujoco.mj_step1(mj, source)
    step1(model, data)
    return mj, model, source, data


def rows_of(d, name: str, count: str = "nefc") -> np.ndarray:
    """A list of MuJoCo's or of ours, as far as it is valid."""
    found = getattr(d.contact, name[8:]) if name.startswith("contact_") else getattr(d, name)
    if found.ndim and isinstance(d, MujocoData):
        n = int(d.ncon[0] if name.startswith("contact_") else getattr(d, count)[0])
        return found[0, :n]
    return found


def change(d, name: str, factor: float, shift: float, count: str = "nefc") -> None:
    rows = rows_of(d, name, count)
    rows *= factor
    rows += shift


def same(source, data, names: str) -> None:
    for name in names.split():
        its = getattr(source, name)
        mine = getattr(data, name)[0]
        np.testing.assert_allclose(mine[: its.size], its.ravel(), 1e-8, 1e-8, err_msg=name)


@pytest.mark.sweep(13)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "edit",
    [
        ("contact_dist", 1, -0.1), ("contact_pos", 1, 0.02), ("contact_friction", 0.5, 0.01),
        ("contact_solref", 1.5, 0), ("contact_solimp", 0.9, 0),
        ("contact_includemargin", 1, 0.01), ("contact_exclude", 0, 1), ("contact_dim", 0, 6),
        ("contact_solreffriction", 1, 0.1), ("contact_elem", 1, 3),
    ],
)  # fmt: skip
def test_edited_contacts_make_other_rows(kind, edit):
    """Between mj_collision and mj_makeConstraint."""
    mj, model, source, data = staged(*kind)
    for d in (source, data):
        change(d, *edit)
    for name in ("makeConstraint", "island", "projectConstraint", "referenceConstraint"):
        getattr(mujoco, f"mj_{name}")(mj, source)
    for function in (make_constraint, island, project_constraint, reference_constraint):
        function(model, data)
    assert data.nefc[0] == source.nefc
    same(source, data, "efc_pos efc_margin efc_R efc_D efc_aref efc_vel")
    np.testing.assert_array_equal(rows_of(source, edit[0]), rows_of(data, edit[0]))
    mujoco.mj_fwdActuation(mj, source)
    mujoco.mj_fwdAcceleration(mj, source)
    mujoco.mj_fwdConstraint(mj, source)
    for function in (fwd_actuation, fwd_acceleration, fwd_constraint):
        function(model, data)
    np.testing.assert_allclose(data.qacc[0], source.qacc, 1e-5, 1e-6)


def test_dropped_contacts_make_no_rows():
    mj, model, source, data = staged(*KINDS[0])
    source.ncon = data.ncon[0] = 1
    mujoco.mj_makeConstraint(mj, source)
    make_constraint(model, data)
    assert data.nefc[0] == source.nefc
    same(source, data, "efc_pos efc_D")


@pytest.mark.sweep(18)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("second", [False, True])
@pytest.mark.parametrize(
    "edit",
    [
        ("efc_J", 1.1, 0, "nJ"), ("efc_D", 2, 0), ("efc_R", 0.5, 0), ("efc_aref", 1, 0.3),
        ("efc_frictionloss", 3, 0),
    ],
)  # fmt: skip
def test_edited_rows_are_solved(kind, edit, second):
    """Before mj_fwdConstraint, or between the halves of a step."""
    if kind[1] == "PGS" and edit[0] in ("efc_J", "efc_R"):
        return  # MuJoCo's PGS takes them from efc_AR, which is made before
    mj, model, source, data = staged(*kind)
    for d in (source, data):
        change(d, *edit)
    if second:
        mujoco.mj_step2(mj, source)
        step2(model, data)
    else:
        for function in (
            mujoco.mj_fwdActuation,
            mujoco.mj_fwdAcceleration,
            mujoco.mj_fwdConstraint,
        ):
            function(mj, source)
        for function in (fwd_actuation, fwd_acceleration, fwd_constraint):
            function(model, data)
    for name in ("qacc", "qpos", "qvel"):
        mine, its = getattr(data, name)[0], getattr(source, name)
        np.testing.assert_allclose(mine, its, 1e-5, 1e-6, err_msg=name)


@pytest.mark.parametrize("edit", ["efc_pos", "efc_margin", "efc_KBIP"])
def test_edited_rows_are_drawn_back_otherwise(edit):
    """Before mj_referenceConstraint."""
    mj, model, source, data = staged("pyramidal", "Newton", "dense")
    for d in (source, data):
        change(d, edit, 1.5, 0.0)
    mujoco.mj_referenceConstraint(mj, source)
    reference_constraint(model, data)
    same(source, data, "efc_aref efc_vel")


def test_edited_moment_arms_push_otherwise():
    mj, model, source, data = staged(*KINDS[0])
    source.actuator_moment *= 1.5
    data.actuator_moment *= 1.5
    mujoco.mj_fwdActuation(mj, source)
    fwd_actuation(model, data)
    np.testing.assert_allclose(data.qfrc_actuator[0], source.qfrc_actuator, 1e-12, 1e-12)


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("efc_J", island), ("moment_colind", fwd_actuation),
    ],
)  # fmt: skip
def test_edits_without_a_place_are_refused(name, function):
    """Rows of a pyramid are sums and differences of few directions."""
    _, model, _, data = staged(*KINDS[0])
    array = getattr(data, name)
    array[0, -1 if name == "moment_colind" else 0] = 1
    if name == "efc_J":
        array[0, (int(data.nefc[0]) - 1) * model.nv :][:5] += 1
    with pytest.raises(UnsupportedFeature, match=f"{function.__name__}: data.{name} was edited"):
        function(model, data)


def test_edits_have_no_effect_on_whole_steps():
    """As in MuJoCo, which makes all lists anew."""
    _, model, _, data = staged(*KINDS[0])
    other = copy.deepcopy(data)
    data.contact.dist -= 1
    data.efc_J[:] = 7
    step(model, data)
    step(model, other)
    assert data.qpos.tobytes() == other.qpos.tobytes()


def test_functions_at_the_end_compute_no_lists():
    """Lists that nobody looked at before mj_rnePostConstraint are not made for it."""
    model = Model.from_xml_string(FRAMED)
    data = MujocoData(model)
    step(model, data)
    rne_post_constraint(model, data)
    assert not {"qM", "nbody_awake"}.intersection(vars(data))


def test_second_halves_look_for_edits_in_what_was_looked_at_alone(monkeypatch):
    model = Model.from_xml_string(text_of(False))
    data = MujocoData(model)
    step1(model, data)
    monkeypatch.setattr(type(data.plan), "run_lazy", lambda *_: pytest.fail("a list was made"))
    for _ in range(3):
        step2(model, data)
        step1(model, data)
    monkeypatch.undo()
    _ = data.efc_J
    looked, edits = [], edited_results._edits
    monkeypatch.setattr(
        edited_results, "_edits", lambda *given: (looked.append(given), edits(*given))[1]
    )
    step2(model, data)
    assert looked


CONTACTS = """
<mujoco><worldbody><geom type="plane" size="1 1 1"/>
  <body pos="0 0 .09"><freejoint/><geom size=".1"/></body>
  <body pos=".5 0 .09"><freejoint/><geom size=".1"/></body>
</worldbody></mujoco>
"""


@pytest.mark.parametrize("look", [(), ("nefc",), ("efc_D", "contact", "tree_island")])
def test_rows_are_gone_after_collision_whoever_looks_and_come_back(look):
    """As in MuJoCo, in copies of such data too, until rows are made once more."""
    theirs, model = mujoco.MjModel.from_xml_string(CONTACTS), Model.from_xml_string(CONTACTS)
    their_data, data = mujoco.MjData(theirs), MujocoData(model)
    mujoco.mj_forward(theirs, their_data)
    forward(model, data)
    rows = their_data.nefc
    assert rows == data.nefc[0] > 0
    for name in look:
        getattr(data, name)
    mujoco.mj_collision(theirs, their_data)
    collision(model, data)
    twin = copy.deepcopy(data)
    for one in (data, twin):
        assert one.nefc[0] == their_data.nefc == 0
        assert one.ncon[0] == their_data.ncon == 2
        assert (one.tree_island == -1).all()
        assert not one.efc_D.any()
    for one in (data, twin):
        make_constraint(model, one)
        assert one.nefc[0] == rows
    mujoco.mj_makeConstraint(theirs, their_data)
    np.testing.assert_allclose(data.efc_D[0, :rows], their_data.efc_D, rtol=1e-12)


def test_stages_leave_lists_of_others_as_they_were_without_computing_them():
    """What a stage fills is taken before by those that are made of it, and by no others."""
    model = Model.from_xml_string(CONTACTS)
    data, seen = MujocoData(model), MujocoData(model)
    for one in (data, seen):
        forward(model, one)
    before = seen.efc_aref.copy(), seen.qM.copy()
    for one in (data, seen):
        one.qvel[:] = 1.0
        fwd_actuation(model, one)
    assert "qM" not in vars(data)
    assert "efc_aref" not in vars(data)
    for one in (data, seen):
        reference_constraint(model, one)
        assert not np.array_equal(one.efc_aref, before[0])
        assert one.qM.tobytes() == before[1].tobytes()
    assert data.efc_aref.tobytes() == seen.efc_aref.tobytes()
    assert data.efc_D.tobytes() == seen.efc_D.tobytes()
