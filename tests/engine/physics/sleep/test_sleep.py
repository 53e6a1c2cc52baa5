"""Trees fall asleep and wake up in the same steps as in MuJoCo."""

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.engine.pipeline.forward import FORWARD
from mjenv.engine.pipeline.integration import EULER
from mjenv.engine.pipeline.sleep import RESTING

SCENE = """
<mujoco>
  <option timestep=".004" {option}><flag sleep="enable"/></option>
  <worldbody>
    <geom type="plane" size="9 9 .1"/>
    <body name="a" pos="0 0 .12"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
    <body name="b" pos="0 0 .33" euler="0 0 20"><freejoint/>
      <geom type="box" size=".07 .07 .1"/></body>
    <body name="never" pos="2 0 .1" sleep="never"><freejoint/><geom type="box" size=".1 .1 .1"/>
    </body>
    <body name="c" pos="4 0 .1"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
    <body name="d" pos="5 0 .1"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
    <body name="door" pos="-2 0 1"><joint damping=".4" frictionloss=".1" range="-30 30"/>
      <geom type="box" size=".1 .02 .2" pos="0 0 -.2"/></body>
    <body name="faller" pos=".05 .02 3"><freejoint/><geom size=".1"/></body>
  </worldbody>
  <equality><connect name="rod" body1="c" body2="d" anchor=".5 0 0" active="false"/></equality>
</mujoco>
"""


class Pair:
    """The same model here and in MuJoCo, stepped together."""

    def __init__(self, text: str, nworld: int = 1):
        self.model = mjenv.Model.from_xml_string(text)
        self.data = mjenv.Data(self.model, nworld)
        self.reference = mujoco.MjModel.from_xml_string(text)
        self.expected = mujoco.MjData(self.reference)

    def step(self, n: int, world: int = 0) -> np.ndarray:
        """Step; returns how many trees were asleep after each step."""
        asleep = np.zeros(n, int)
        for k in range(n):
            mjenv.step(self.model, self.data)
            mujoco.mj_step(self.reference, self.expected)
            np.testing.assert_array_equal(self.data.tree_asleep[world], self.expected.tree_asleep)
            assert self.data.ncon[world] == self.expected.ncon
            asleep[k] = (self.data.tree_asleep[world] >= 0).sum()
        np.testing.assert_allclose(self.data.qpos[world], self.expected.qpos, atol=1e-8)
        np.testing.assert_allclose(self.data.qvel[world], self.expected.qvel, atol=1e-6)
        return asleep


@pytest.mark.parametrize("option", ['integrator="Euler"', 'integrator="implicitfast"'])
def test_trees_fall_asleep_and_are_woken_by_contact(option):
    pair = Pair(SCENE.format(option=option))
    asleep = pair.step(180)
    assert asleep.max() >= 5
    # the ball lands on the sleeping stack
    before = pair.step(20)
    later = pair.step(60)
    assert min(before.min(), later.min()) < asleep.max()
    for name in ("ntree_awake", "nbody_awake", "nparent_awake", "nv_awake"):
        assert getattr(pair.data, name)[0] == getattr(pair.expected, name)
    for name, n in (("body_awake_ind", "nbody_awake"), ("dof_awake_ind", "nv_awake")):
        count = getattr(pair.expected, n)
        ours, theirs = getattr(pair.data, name)[0], getattr(pair.expected, name)
        np.testing.assert_array_equal(ours[:count], theirs[:count])
    for name in ("tree_awake", "body_awake"):
        np.testing.assert_array_equal(
            getattr(pair.data, name)[0], getattr(pair.expected, name), err_msg=name
        )


def _push(pair):
    pair.data.xfrc_applied[0, 4, 0] = pair.expected.xfrc_applied[4, 0] = 0.5


def _move(pair):
    pair.data.qpos[0, 21] = pair.expected.qpos[21] = 3.5


def _throw(pair):
    pair.data.qvel[0, 18] = pair.expected.qvel[18] = 0.3


def _join(pair):
    pair.data.eq_active[0, 0] = pair.expected.eq_active[0] = 1


def _touch(name, k):
    """Write a zero with a sign into an input: no number changes, but a bit does."""

    def disturb(pair):
        getattr(pair.data, name)[0].reshape(-1)[k] = -0.0
        getattr(pair.expected, name).reshape(-1)[k] = -0.0

    return disturb


ZEROS = [_touch("qvel", 18), _touch("qfrc_applied", 18), _touch("xfrc_applied", 24)]


@pytest.mark.sweep(2)
@pytest.mark.parametrize("disturb", [_push, _move, _throw, _join, *ZEROS])
def test_users_wake_what_they_touch(disturb):
    pair = Pair(SCENE.format(option=""))
    before = pair.step(150)[-1]
    disturb(pair)
    assert pair.step(10).min() < before


def test_worlds_sleep_alone():
    pair = Pair(SCENE.format(option=""), nworld=3)
    pair.data.qvel[0, 0] = 1.0
    asleep = pair.step(150, world=1)
    assert asleep[-1] > 0
    again = pair.data.tree_asleep[2].copy()
    mjenv.reset(pair.model, pair.data, mask=np.array([False, True, False]))
    assert (pair.data.tree_asleep[1] < 0).all()
    np.testing.assert_array_equal(pair.data.tree_asleep[2], again)


INIT = """
<mujoco>
  <option><flag sleep="enable"/></option>
  <worldbody>
    <geom type="plane" size="9 9 .1"/>
    <body name="a" pos="0 0 .1" sleep="init"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
    <body name="b" pos="0 0 .299" {sleep}><freejoint/><geom type="box" size=".1 .1 .1"/></body>
    <body name="mid" pos="0 0 9" sleep="init"><freejoint/><geom size=".1"/></body>
  </worldbody>
</mujoco>
"""


@pytest.mark.parametrize("nworld", [1, 2])
def test_trees_are_asleep_from_the_start(nworld):
    pair = Pair(INIT.format(sleep='sleep="init"'), nworld)
    np.testing.assert_array_equal(pair.data.tree_asleep[-1], pair.expected.tree_asleep)
    assert (pair.step(30, world=nworld - 1) == 3).all()
    mjenv.reset(pair.model, pair.data)
    assert (pair.data.tree_asleep >= 0).all()


@pytest.mark.slow
def test_zeros_with_a_sign():
    """What wakes and what does not, in one world and in two, as in MuJoCo."""
    for name in ("qpos", "qvel", "qfrc_applied", "xfrc_applied", "qacc_warmstart"):
        for nworld in (1, 2):
            pair = Pair(SCENE.format(option=""), nworld)
            pair.step(150)
            for array in (getattr(pair.data, name)[0], getattr(pair.expected, name)):
                array[array == 0] = -0.0
            pair.step(3)
    # a force of -0.0 keeps awake what would fall asleep; a velocity does not
    for name in ("qvel", "qfrc_applied", "xfrc_applied"):
        pair = Pair(SCENE.format(option=""))
        for array in (getattr(pair.data, name)[0], getattr(pair.expected, name)):
            array[:] = -0.0
        pair.step(150)


def test_states_keep_the_sign_of_zeros():
    pair = Pair(SCENE.format(option=""))
    pair.step(150)
    forces = np.full(pair.model.nv, -0.0)
    mjenv.set_state(pair.model, pair.data, forces, mjenv.State.QFRC_APPLIED)
    pair.expected.qfrc_applied[:] = -0.0
    assert not (pair.step(2) > 0).any()


@pytest.mark.parametrize("tolerance", [0.0, -1.0, 1e-4])
def test_speeds_that_count_as_rest(tolerance):
    pair = Pair(SCENE.format(option=f'sleep_tolerance="{tolerance}"'))
    pair.data.qpos[0, 2] = pair.expected.qpos[2] = 0.4
    pair.step(60)


NONE_AWAKE = r"body 'a': sleep='init': its tree cannot sleep at the start, because "
CANNOT = (
    ("", "", "something that is awake touches or holds it; expected sleep='init' on all trees"),
    ('sleep="never"', "", "something that is awake touches"),
    ('sleep="init"', 'island="disable"', "constraints are not told apart by islands; expected"),
)


@pytest.mark.parametrize(("sleep", "flag", "why"), CANNOT)
def test_what_cannot_sleep_at_the_start_does_not_compile(sleep, flag, why):
    text = INIT.format(sleep=sleep).replace('sleep="enable"', f'sleep="enable" {flag}')
    with pytest.raises(ValueError, match="could be slept"):
        mujoco.MjModel.from_xml_string(text)
    with pytest.raises(mjenv.MjcfError, match=rf":6: <body name='a'>.*{why}"):
        mjenv.Model.from_xml_string(text)
    # without the flag nobody asks, until data are made
    model = mjenv.Model.from_xml_string(text.replace('sleep="enable"', 'sleep="disable"'))
    model.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_SLEEP)
    with pytest.raises(ValueError, match=f"Data: {NONE_AWAKE}{why}"):
        mjenv.Data(model)


def test_what_holds_a_tree_counts_at_the_start():
    """Equalities join islands, tolerances below zero let nothing rest, joined tendons never do."""
    joined = """</worldbody><equality><weld body1="b" body2="mid"/></equality>"""
    text = INIT.format(sleep='sleep="init"')
    slow = text.replace("<option>", '<option sleep_tolerance="-1">')
    with pytest.raises(mjenv.MjcfError, match=r"the option sleep_tolerance is -1\.0; expected 0"):
        mjenv.Model.from_xml_string(slow)
    mjenv.Model.from_xml_string(text.replace("</worldbody>", joined))
    apart = text.replace("</worldbody>", joined).replace('"mid" pos="0 0 9" sleep="init"', '"mid"')
    with pytest.raises(mjenv.MjcfError, match="something that is awake"):
        mjenv.Model.from_xml_string(apart)
    strings = """<body pos="3 3 9"><joint name="j"/><geom size=".1"/></body>
      <body pos="3 5 9"><joint name="k"/><geom size=".1"/></body></worldbody>
      <tendon><fixed name="s"><joint joint="j" coef="1"/></fixed>
        <fixed name="t"><joint joint="k" coef="1"/></fixed></tendon>
      <equality><tendon name="st" tendon1="s" tendon2="t"/></equality>"""
    with pytest.raises(mjenv.UnsupportedFeature, match="equality 'st': tendons that are joined"):
        mjenv.Model.from_xml_string(text.replace("</worldbody>", strings))


def test_sleep_needs_large_model_mode():
    model = mjenv.Model.from_xml_string(INIT.format(sleep='sleep="init"'))
    with pytest.raises(
        ValueError, match=r"large_model=False: found option flag sleep='enable', which needs"
    ):
        mjenv.Data(model, large_model=False)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("nworld", [1, 2, 16])
def test_sleep_is_enabled_after_steps(nworld):
    text = SCENE.format(option="").replace("enable", "disable")
    pair = Pair(text, nworld)
    pair.step(60)
    for model in (pair.model, pair.reference):
        model.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_SLEEP)
    assert pair.step(120, world=nworld - 1).max() >= 4
    for model in (pair.model, pair.reference):
        model.opt.enableflags = 0
    assert pair.step(20).max() == 0


def test_disabling_sleep_wakes_everything():
    pair = Pair(SCENE.format(option=""))
    assert pair.step(150)[-1] > 0
    for model in (pair.model, pair.reference):
        model.opt.enableflags &= ~int(mujoco.mjtEnableBit.mjENBL_SLEEP)
    mjenv.step(pair.model, pair.data)
    assert (pair.data.tree_asleep < 0).all()


def test_what_rests_is_known_to_the_last_bit():
    """A single world leaves out what does not move; several worlds compute it."""
    hung = """<body pos="-2 3 1"><geom size=".05" contype="0" conaffinity="0"/>
      <body><joint axis="0 1 0" damping=".1"/><geom size=".1" pos="0 0 -.3"/></body>
      <body pos="0 2 0"><joint axis="0 1 0"/><geom size=".1" pos=".2 0 -.3"/></body></body>"""
    text = SCENE.format(option="").replace('<body name="a"', hung + '<body name="a"')
    model = mjenv.Model.from_xml_string(text)
    single, several = mjenv.Data(model), mjenv.Data(model, 2)
    names = ("qpos", "qvel", "qacc", "xmat", "geom_xpos", "subtree_com", "cinert", "M", "qLD")
    names += ("qfrc_bias", "qfrc_smooth", "cvel", "crb", "tree_asleep", "qacc_warmstart")
    asleep = []
    for k in range(260):
        if k == 200:
            single.qvel[0, 6] = several.qvel[1, 6] = 0.2
        if k == 220:
            single.qpos[0, 14] = several.qpos[1, 14] = 2.5
        for data in (single, several):
            mjenv.step(model, data)
        for name in names:
            found, expected = getattr(single, name)[0], getattr(several, name)[1]
            np.testing.assert_array_equal(found, expected, err_msg=f"{name} in step {k}")
        asleep.append((single.tree_asleep >= 0).sum())
    assert max(asleep) >= 5
    assert min(asleep[200:]) < max(asleep[:200])


def test_what_stands_for_a_stage_does_the_same_while_all_is_awake():
    """Every row, to the last bit, with what is known of bodies that never move and without."""
    rows = [stage for stage in (*FORWARD, EULER) if stage.kernel in RESTING]
    assert {stage.kernel for stage in rows} == {*RESTING}
    names = [name for stage in rows for name in stage.writes.split()]
    # the solver's order is another where trees sleep
    text = SCENE.format(option="").replace('<geom size=".1"/>', '<geom size=".1"/><site/>')
    text = text.replace("<flag ", '<flag constraint="disable" ')
    both = [
        mjenv.Data(mjenv.Model.from_xml_string(t), keep=names)
        for t in (text, text.replace('sleep="enable"', ""))
    ]
    for k in range(4):
        for data in both:
            data.qvel[:, k] = 0.5
            mjenv.step(data.model, data)
        for name in names:
            found, expected = (getattr(data, name) for data in both)
            np.testing.assert_array_equal(found, expected, err_msg=f"{name} in step {k}")
            assert expected.any()
    assert (both[0].tree_asleep < 0).all()
