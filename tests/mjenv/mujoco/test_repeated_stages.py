"""Single stages called again and again: what is ready to run gives what is looked up each time."""

import numpy as np
import pytest

import mjenv.mujoco as mujoco
from mjenv.engine.errors import UnsupportedFeature
from mjenv.engine.run.prepared_program import PreparedProgram
from tests.mjenv.mujoco.scenes import compiled

STAGES = (
    "kinematics", "comPos", "camlight", "tendon", "crb", "makeM", "factorM", "transmission",
    "collision", "makeConstraint", "comVel", "passive", "referenceConstraint", "fwdPosition",
    "fwdVelocity", "fwdActuation", "fwdAcceleration", "fwdConstraint", "rnePostConstraint",
    "sensorPos", "sensorVel", "sensorAcc", "checkPos", "checkAcc", "energyPos", "subtreeVel",
    "Euler", "forward", "step",
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
def used(monkeypatch):
    """Numbers of calls that were ready to run, and of those that were not."""
    counts = {True: 0, False: 0}
    run = PreparedProgram.run

    def counted(self, data):
        found = run(self, data)
        counts[found] += 1
        return found

    monkeypatch.setattr(PreparedProgram, "run", counted)
    return counts


@pytest.mark.parametrize("seed", range(6))
def test_stages_in_any_order_between_edits(used, seed):
    random = np.random.default_rng(seed)
    scene = ("humanoid", "ant", "everything")[seed % 3]
    models, data = zip(*(compiled(mujoco, scene) for _ in range(2)), strict=True)
    held = [d.qM for d in data]
    for m, d in zip(models, data, strict=True):
        for _ in range(50):
            mujoco.mj_step(m, d)
    names = random.choice(STAGES, 4)
    for _ in range(200):
        x, place, nedit = random.uniform(), random.integers(len(EDITS)), random.uniform() < 0.2
        if random.uniform() < 0.1:
            names = random.choice(STAGES, 4)
        name, shown = random.choice(names), []
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
    # height fields have their room looked at in each call
    assert used[True] > 20 or scene == "everything"


def test_edits_of_a_model_in_place_count(used):
    m, d = compiled(mujoco, "humanoid")
    for _ in range(3):
        mujoco.mj_kinematics(m, d)
    assert used[True]
    before = d.xpos[2].copy()
    m.body_pos[2, 0] += 0.5
    mujoco.mj_kinematics(m, d)
    assert not np.array_equal(d.xpos[2], before)
    assert used[False] == 0  # positions are read where they are edited
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


def test_bad_states_are_told_of_once_each(used):
    m, d = compiled(mujoco, "humanoid")
    for _ in range(3):
        mujoco.mj_checkVel(m, d)
    assert used[True]
    for count in (1, 2):
        d.qvel[0] = np.nan
        mujoco.mj_checkVel(m, d)
        assert d.warning[int(mujoco.mjtWarning.mjWARN_BADQVEL)].number == 1, count
        assert not np.isnan(d.qvel).any()


def test_callbacks_are_called(used):
    (m, d), calls = compiled(mujoco, "humanoid"), []
    mujoco.mj_forward(m, d)
    for _ in range(3):
        mujoco.mj_passive(m, d)
    assert used[True]
    mujoco.set_mjcb_passive(lambda model, data: calls.append(1))
    try:
        for _ in range(3):
            mujoco.mj_passive(m, d)
    finally:
        mujoco.set_mjcb_passive(None)
    assert len(calls) == 3
