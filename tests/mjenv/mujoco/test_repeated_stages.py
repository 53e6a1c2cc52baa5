"""Single stages called again and again: what is ready to run gives what is looked up each time."""

import copy
import gc
from concurrent.futures import ThreadPoolExecutor
from weakref import ref

import numpy as np
import pytest

import mjenv.mujoco as mujoco
from mjenv.engine.data import ready_steps, single_functions, step
from mjenv.engine.errors import DataInUse, UnsupportedFeature
from tests.mjenv.mujoco.scenes import LARGE, compiled

STEPS = ("forward", "step", "step1", "step2")
STAGES = (
    "kinematics", "comPos", "camlight", "tendon", "crb", "makeM", "factorM", "transmission",
    "collision", "makeConstraint", "comVel", "passive", "referenceConstraint", "fwdPosition",
    "fwdVelocity", "fwdActuation", "fwdAcceleration", "fwdConstraint", "rnePostConstraint",
    "sensorPos", "sensorVel", "sensorAcc", "checkPos", "checkAcc", "energyPos", "subtreeVel",
    "Euler", *STEPS,
)  # fmt: skip


def _look(m, d, x):
    return d.ncon, d.contact.dist.copy(), d.nefc, d.efc_pos.copy(), d.qM.copy()


def _edit_contacts(m, d, x):
    d.contact.dist[:1] = -0.01 * x


def _edit_rows(m, d, x):
    d.efc_aref[:1] += x


def _edit_model(m, d, x):
    m.geom_pos[2] += 0.001 * x
    m.body_ipos[1] += 0.001 * x


def _edit_options(m, d, x):
    m.opt.gravity[2] = -9 - x
    m.opt.timestep = 0.001 * (1 + x)


def _edit_state(m, d, x):
    d.qpos[0] += 0.01 * x
    d.qvel[1] = x
    d.qM[0] *= 1 + 0.01 * x


EDITS = (_look, _edit_contacts, _edit_rows, _edit_model, _edit_options, _edit_state)
FIELDS = (
    "qpos", "qvel", "qacc", "xpos", "geom_xpos", "subtree_com", "qM", "qLD", "cvel", "sensordata",
    "qfrc_bias", "qfrc_passive", "qfrc_actuator", "qfrc_constraint", "energy", "actuator_moment",
    "cam_xpos", "efc_J", "efc_aref", "efc_force", "subtree_angmom", "cfrc_int",
)  # fmt: skip


@pytest.fixture
def looked_up(monkeypatch):
    """Names of the stages whose program was looked up, as it was not ready to run."""
    names, look_up = [], single_functions.run_now

    def noted(data, name):
        names.append(name)
        look_up(data, name)

    monkeypatch.setattr(single_functions, "run_now", noted)
    return names


@pytest.mark.sweep(2)
@pytest.mark.parametrize("seed", range(10))
def test_stages_in_any_order_between_edits(looked_up, seed):
    random = np.random.default_rng(seed)
    scene = ("humanoid", "ant", "everything", "trees", "sleepers")[seed % 5]
    models, data = zip(*(compiled(mujoco, scene) for _ in range(2)), strict=True)
    held = [d.qM for d in data]
    for m, d in zip(models, data, strict=True):
        for _ in range(250):
            mujoco.mj_step(m, d)
        assert d.batch.plan.large_model == (scene in LARGE)
    names, ncall = random.choice(STAGES, 4), 0
    looked_up.clear()
    for _ in range(200):
        x, place, nedit = random.uniform(), random.integers(len(EDITS)), random.uniform() < 0.2
        if random.uniform() < 0.1:
            names = random.choice(STAGES, 4)
        name, shown = random.choice(names), []
        ncall += name not in STEPS
        for m, d, again in zip(models, data, (True, False), strict=True):
            if nedit:
                EDITS[place](m, d, x)
            if not again:
                d.batch.plan.prepared.clear()
            try:
                getattr(mujoco, f"mj_{name}")(m, d)
                shown.append(held[not again].tobytes())
            except UnsupportedFeature as error:
                shown.append(str(error))
        assert shown[0] == shown[1], name
        if random.uniform() < 0.1:
            for field in FIELDS:
                one, other = (getattr(d, field) for d in data)
                assert one.tobytes() == other.tobytes(), (name, field)
    # one of the data is always looked up; height fields have their room looked at in each call
    assert len(looked_up) < 2 * ncall - 20 or scene == "everything"


def test_edits_of_a_model_in_place_count(looked_up):
    m, d = compiled(mujoco, "humanoid")
    for _ in range(2):
        mujoco.mj_kinematics(m, d)
    looked_up.clear()
    for _ in range(3):
        mujoco.mj_kinematics(m, d)
    assert not looked_up
    before = d.xpos[2].copy()
    m.body_pos[2, 0] += 0.5
    mujoco.mj_kinematics(m, d)
    assert not np.array_equal(d.xpos[2], before)
    assert not looked_up  # positions are read where they are edited
    # sizes decide which stages there are
    mujoco.mj_collision(m, d)
    mujoco.mj_collision(m, d)
    m.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    mujoco.mj_collision(m, d)
    assert d.ncon == 0


def test_contacts_edited_in_an_array_that_is_held():
    m, d = compiled(mujoco, "humanoid")
    while not d.ncon:
        mujoco.mj_step(m, d)
    mujoco.mj_collision(m, d)
    dist = d.contact.dist
    for depth in (-0.1, -0.2, -0.2, -0.3):
        dist[0] = depth
        mujoco.mj_makeConstraint(m, d)
        mujoco.mj_makeConstraint(m, d)
        assert d.efc_pos[d.contact.efc_address[0]] == pytest.approx(depth)


def test_bad_states_are_told_of_once_each(looked_up):
    m, d = compiled(mujoco, "humanoid")
    for _ in range(2):
        mujoco.mj_checkVel(m, d)
    looked_up.clear()
    for _ in range(3):
        mujoco.mj_checkVel(m, d)
    assert not looked_up
    for count in (1, 2):
        d.qvel[0] = np.nan
        mujoco.mj_checkVel(m, d)
        assert d.warning[int(mujoco.mjtWarning.mjWARN_BADQVEL)].number == 1, count
        assert not np.isnan(d.qvel).any()


def test_callbacks_are_called(looked_up):
    (m, d), calls = compiled(mujoco, "humanoid"), []
    mujoco.mj_forward(m, d)
    for _ in range(2):
        mujoco.mj_passive(m, d)
    looked_up.clear()
    for _ in range(3):
        mujoco.mj_passive(m, d)
    assert not looked_up
    mujoco.set_mjcb_passive(lambda model, data: calls.append(1))
    try:
        for _ in range(3):
            mujoco.mj_passive(m, d)
    finally:
        mujoco.set_mjcb_passive(None)
    assert len(calls) == 3


@pytest.fixture
def executed(monkeypatch):
    """Programs that were run by Python."""
    programs, execute = [], step.execute

    def noted(data, program, *arguments):
        programs.append(program)
        execute(data, program, *arguments)

    monkeypatch.setattr(step, "execute", noted)
    return programs


@pytest.mark.parametrize("name", STEPS)
def test_steps_are_ready_and_see_every_edit(executed, name):
    pairs = [compiled(mujoco, "ant") for _ in range(2)]
    # those that nobody has to compute
    fields = [field for field in FIELDS if field not in pairs[0][1].batch._lazy]
    function = getattr(mujoco, f"mj_{name}")
    for m, d in pairs:
        for _ in range(3):
            mujoco.mj_step(m, d)

    def both():
        for place, (m, d) in enumerate(pairs):
            if place:
                d.batch.plan.prepared.clear()
            function(m, d)
        for field in fields:
            one, other = (getattr(d, field) for _, d in pairs)
            assert one.tobytes() == other.tobytes(), field

    def edited(edit):
        for m, d in pairs:
            edit(m, d)
        both()

    for _ in range(3):
        both()
    executed.clear()
    both()
    assert len(executed) == 1  # of the data that are looked up
    edits = [
        lambda m, d: d.ctrl.fill(0.3),
        lambda m, d: d.qfrc_applied.fill(0.1),
        lambda m, d: d.xfrc_applied.__setitem__((2, 1), 5.0),
        lambda m, d: setattr(m.opt, "timestep", 0.004),
        lambda m, d: m.opt.gravity.__setitem__(2, -3.0),
        lambda m, d: m.body_mass.__setitem__(1, 0.5),
        lambda m, d: m.geom_pos.__setitem__((2, 0), 0.1),
        lambda m, d: setattr(m.opt, "integrator", mujoco.mjtIntegrator.mjINT_RK4),
        lambda m, d: setattr(m.opt, "integrator", mujoco.mjtIntegrator.mjINT_EULER),
        lambda m, d: setattr(m.opt, "disableflags", mujoco.mjtDisableBit.mjDSBL_CONTACT),
        lambda m, d: mujoco.mj_resetData(m, d),
    ]
    for edit in edits:
        edited(edit)
        both()
        both()


def test_steps_as_many_as_are_asked_for():
    (m, d), (_, other) = (compiled(mujoco, "ant") for _ in range(2))
    mj_step = mujoco.mj_step
    for count in (1, 1, 1, 5, 5, 5, 1, 0, 3, -1, 2):
        mj_step(m, d, nstep=count)
        for _ in range(count):
            mj_step(m, other, 1)
        assert d.time == pytest.approx(other.time)
        assert d.qpos.tobytes() == other.qpos.tobytes()
    mj_step(m, d, True)
    mj_step(m=m, d=d)
    for wrong in ({"nstep": 1.5}, {"steps": 1}, {"nstep": "1"}):
        with pytest.raises(TypeError):
            mj_step(m, d, **wrong)
    for wrong in ((m,), (), (m, d, 1, 1), (d, m), (m, m), (None, d)):
        with pytest.raises(TypeError):
            mj_step(*wrong)


def test_steps_show_what_is_held():
    m, d = compiled(mujoco, "ant")
    for _ in range(3):
        mujoco.mj_step(m, d)
    held = d.qM
    before = held.copy()
    for _ in range(3):
        mujoco.mj_step(m, d)
        after = held.copy()
        assert not np.array_equal(before, after)
        assert np.array_equal(after, d.qM)
        before = after


def test_bad_accelerations_are_told_of_and_reset():
    m, d = compiled(mujoco, "ant")
    mujoco.mj_forward(m, d)
    for _ in range(3):
        mujoco.mj_checkAcc(m, d)
    d.qpos[0] = 5.0
    d.time = 1.0
    d.qacc[0] = np.nan
    mujoco.mj_checkAcc(m, d)
    assert d.warning[int(mujoco.mjtWarning.mjWARN_BADQACC)].number == 1
    assert d.time == 0.0
    assert d.qpos[0] == m.qpos0[0]
    assert not np.isnan(d.qacc).any()
    # without the reset nothing but the warning is left
    m.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_AUTORESET
    for _ in range(3):
        mujoco.mj_checkAcc(m, d)
    d.time = 1.0
    d.qacc[0] = np.nan
    mujoco.mj_checkAcc(m, d)
    assert d.time == 1.0
    assert np.isnan(d.qacc[0])


def test_data_that_a_call_works_on_are_refused():
    m, d = compiled(mujoco, "ant")
    for _ in range(3):
        mujoco.mj_step(m, d)
        mujoco.mj_kinematics(m, d)
    d.batch.plan.idle = False
    for function in (mujoco.mj_step, mujoco.mj_kinematics):
        with pytest.raises(DataInUse):
            function(m, d)
    d.batch.plan.idle = True
    mujoco.mj_step(m, d)
    assert d.batch.plan.idle is True


def test_threads_step_at_the_same_time():
    m, d = compiled(mujoco, "ant")
    data = [copy.copy(d) for _ in range(4)]

    def roll(one):
        for _ in range(100):
            mujoco.mj_step(m, one)
        return one.qpos.tobytes()

    with ThreadPoolExecutor(4) as threads:
        assert len(set(threads.map(roll, data))) == 1


def test_models_take_turns():
    (m, d), (other, _) = (compiled(mujoco, "ant") for _ in range(2))
    other.opt.gravity[2] = 0
    reference = copy.copy(d)
    for _ in range(4):
        for model in (m, m, m, other, other, other):
            mujoco.mj_step(model, d)
            reference.batch.plan.prepared.clear()
            mujoco.mj_step(model, reference)
            assert d.qpos.tobytes() == reference.qpos.tobytes()


def _contacts(d):
    return [d.ncon, *(d.contact[k].dist for k in range(d.ncon)), d.contact.frame.tobytes()]


LOOKS = (
    lambda d: d.qM.tobytes(),
    _contacts,
    lambda d: (d.nefc, d.efc_force.tobytes(), d.efc_J.tobytes()),
    lambda d: (_contacts(d), d.cam_xpos.tobytes(), d.qM.tobytes(), d.actuator_moment.tobytes()),
)


@pytest.mark.sweep(5)
@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("name", ["step", "forward", "halves"])
def test_what_is_looked_at_before_every_step_is_computed_by_it(executed, monkeypatch, name, look):
    monkeypatch.setattr(ready_steps, "EAGER", 12)
    pairs = [compiled(mujoco, "ant") for _ in range(2)]
    for m, d in pairs:
        while not d.ncon:
            mujoco.mj_step(m, d, 10)
    random = np.random.default_rng(0)

    def advance(m, d, shown):
        if name != "halves":
            getattr(mujoco, f"mj_{name}")(m, d)
            return
        mujoco.mj_step1(m, d)
        shown.append(look(d))
        mujoco.mj_step2(m, d)

    def both(looks=True, edit=None):
        shown = [[], []]
        for place, (m, d) in enumerate(pairs):
            if place:
                d.batch.plan.prepared.clear()
            if edit:
                edit(m, d)
            advance(m, d, shown[place])
            shown[place].append(look(d) if looks else d.qpos.tobytes())
        assert shown[0] == shown[1]

    for _ in range(10):
        both()
    executed.clear()
    both()
    if name != "halves" or look is LOOKS[0]:
        per_call = 2 if name == "halves" else 1
        assert len(executed) == per_call  # those of the data that are looked up
    # edits of the list, of inputs, of the model; then nobody looks for a while
    for edit in (
        lambda m, d: (_edit_contacts(m, d, 1.0), mujoco.mj_makeConstraint(m, d)),
        lambda m, d: d.ctrl.fill(0.5),
        lambda m, d: d.qM.__imul__(2.0),
        lambda m, d: m.body_mass.__imul__(1.1),
        lambda m, d: setattr(m.opt, "timestep", 0.003),
        lambda m, d: mujoco.mj_collision(m, d),
        lambda m, d: mujoco.mj_resetData(m, d),
    ):
        for _ in range(int(random.integers(4, 9))):
            both()
        both(edit=edit)
    for k in range(40):
        both(looks=k % 17 == 16)
    held = [(d.qM, d.cam_xpos) for _, d in pairs]
    for _ in range(20):
        both()
        for one, other in zip(*held, strict=True):
            assert one.tobytes() == other.tobytes()


def test_edits_of_lists_count_after_steps_that_compute_them():
    pairs = [compiled(mujoco, "ant") for _ in range(2)]
    for place, (m, d) in enumerate(pairs):
        mujoco.mj_step(m, d, 60)
        while d.time < 1 or not d.ncon:
            mujoco.mj_step(m, d)
            _ = d.contact.dist, d.efc_aref
            if place:
                d.batch.plan.prepared.clear()
        d.contact.dist[:] = -0.02
        mujoco.mj_makeConstraint(m, d)
        mujoco.mj_referenceConstraint(m, d)
        d.efc_aref[:] += 1
        mujoco.mj_fwdConstraint(m, d)
    (_, one), (_, other) = pairs
    assert one.efc_pos.tobytes() == other.efc_pos.tobytes()
    assert one.efc_pos[0] == pytest.approx(-0.02)
    assert one.efc_force.tobytes() == other.efc_force.tobytes()
    assert one.qacc.tobytes() == other.qacc.tobytes()


def test_data_that_are_gone_leave_no_memory_to_collect():
    m, d = compiled(mujoco, "ant")
    gc.collect()
    gc.disable()
    try:
        for _ in range(6):
            mujoco.mj_step(m, d)
            mujoco.mj_kinematics(m, d)
            mujoco.mj_jacBody(m, d, np.zeros((3, m.nv)), None, 1)
            _ = d.qM
        there = [ref(x) for x in (d, d.batch, d.batch.plan, d.batch.plan.scratch[0])]
        del d
        assert not any(x() for x in there)
    finally:
        gc.enable()
