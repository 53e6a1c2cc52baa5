"""The most contacts and constraint rows so far (maxuse_con, maxuse_efc), beside MuJoCo's."""

import copy
import os
import pickle

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.engine.errors import FieldError
from mjenv.envs.hopper import Hopper
from mjenv.task.world_view import WorldView
from tests.engine.reference import copy_state, load, trajectory

KEEP = ["maxuse_con", "maxuse_efc"]
# a box and a ball that fall and roll beside each other
PILE = """
<mujoco>
  <option {option}><flag {flag}/></option>
  <worldbody>
    <geom type="plane" size="5 5 1"/>
    <body pos="0 0 .15" euler="10 20 0"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
    <body pos=".1 .1 .4"><freejoint/><geom size=".1"/></body>
    <body pos="1 0 .2"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
  </worldbody>
  <keyframe><key qpos="0 0 .3 1 0 0 0 .1 .1 .6 1 0 0 0 1 0 .4 1 0 0 0"/></keyframe>
</mujoco>
"""
# equalities alone
CHAIN = """
<mujoco>
  <worldbody>
    <body name="a"><joint name="j"/><geom size=".1" pos=".3 0 0" contype="0"/>
      <body name="b" pos=".6 0 0"><joint name="k"/><geom size=".1" pos=".3 0 0" contype="0"/></body>
    </body>
  </worldbody>
  <equality>
    <connect name="hold" body1="b" anchor=".5 0 0"/><joint joint1="j" joint2="k" active="false"/>
  </equality>
</mujoco>
"""


def most(data) -> list[tuple[int, int]]:
    """Contacts and rows of each world."""
    return list(zip(data.maxuse_con.tolist(), data.maxuse_efc.tolist(), strict=True))


def pile(nworld: int = 1, keep=KEEP, option: str = "", flag: str = "", **options):
    """MuJoCo's model and data, and mjenv's."""
    text = PILE.format(option=option, flag=flag)
    mj, model = mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)
    return mj, mujoco.MjData(mj), model, mjenv.Data(model, nworld, keep=keep, **options)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("nworld", [1, 3, 24])
@pytest.mark.parametrize("integrator", ["euler", "rk4", "implicitfast"])
@pytest.mark.parametrize("name", ["half_cheetah", "zoo"])
def test_of_steps_along_trajectories(name, integrator, nworld):
    mj, model = (copy.deepcopy(m) for m in load(name))
    mj.opt.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator.upper()}")
    model.opt.integrator = int(mj.opt.integrator)
    data = mjenv.Data(model, nworld, keep=KEEP)
    walks = [trajectory(mj, 200, seed) for seed in range(nworld)]
    before = set()
    for sources in zip(*walks, strict=True):
        assert most(data) == [(s.maxuse_con, s.maxuse_efc) for s in sources]
        before.add(most(data)[0])
        for world, source in enumerate(sources):
            copy_state(source, data, world)
        mjenv.step(model, data)
    assert len(before) > 3  # contacts came and went
    assert data.maxuse_con.dtype == data.maxuse_efc.dtype == np.int32


@pytest.mark.sweep(4)
@pytest.mark.parametrize("nworld", [1, 9])
@pytest.mark.parametrize("options", [{}, {"large_model": True}])
@pytest.mark.parametrize("flag", ["", "sleep='enable'", "island='disable'", "contact='disable'",
                                  "constraint='disable'"])  # fmt: skip
def test_of_calls_of_several_steps(flag, options, nworld):
    cone = "cone='elliptic' jacobian='sparse'"
    mj, source, model, data = pile(nworld, option=cone, flag=flag, **options)
    for _ in range(10):
        mjenv.step(model, data, 20)
        mujoco.mj_step(mj, source, 20)
        assert most(data) == [(source.maxuse_con, source.maxuse_efc)] * nworld
    assert (source.maxuse_con > 4) == ("contact" not in flag and "constraint" not in flag)


def test_of_equalities():
    mj, model = mujoco.MjModel.from_xml_string(CHAIN), mjenv.Model.from_xml_string(CHAIN)
    source, data = mujoco.MjData(mj), mjenv.Data(model, 2, keep=KEEP)
    for active in ([1, 0], [1, 1], [0, 0]):
        source.eq_active[:] = data.eq_active[:] = active
        mjenv.step(model, data)
        mujoco.mj_step(mj, source)
        assert most(data) == [(0, source.maxuse_efc)] * 2
    assert source.maxuse_efc == 4
    assert source.nefc == 0


@pytest.mark.parametrize("nworld", [1, 9])
def test_of_functions_that_make_rows(nworld):
    mj, source, model, data = pile(nworld, [*KEEP, "stages", "qacc", "qfrc_inverse"])
    for name, theirs in (
        ("fwd_position", "mj_fwdPosition"),
        ("collision", "mj_collision"),
        ("make_constraint", "mj_makeConstraint"),
        ("forward", "mj_forward"),
        ("inverse", "mj_inverse"),
        ("step1", "mj_step1"),
        ("step2", "mj_step2"),
        ("runge_kutta", "mj_RungeKutta"),
        ("forward_skip", "mj_forwardSkip"),
    ):
        # a box sinks into the floor; what is counted begins anew
        if name != "step2":
            source.qpos[2] -= 0.02
            data.qpos[:, 2] = source.qpos[2]
            source.maxuse_con = source.maxuse_efc = data.maxuse_con = data.maxuse_efc = 0
        options = {"runge_kutta": [4], "forward_skip": [mujoco.mjtStage.mjSTAGE_POS, 0]}
        getattr(mujoco, theirs)(mj, source, *options.get(name, []))
        getattr(mjenv, name)(model, data, *options.get(name, []))
        assert most(data) == [(source.maxuse_con, source.maxuse_efc)] * nworld, name
        assert (source.maxuse_con > 0) == (name not in ("collision", "forward_skip"))


def test_resets_of_some_worlds():
    mj, source, model, data = pile(9)
    mjenv.step(model, data, 100)
    mujoco.mj_step(mj, source, 100)
    full = (source.maxuse_con, source.maxuse_efc)
    mjenv.reset(model, data, mask=np.arange(9) < 4)
    assert most(data) == [(0, 0)] * 4 + [full] * 5
    mjenv.reset(model, data, keyframe=0, mask=np.arange(9) > 6)
    state = mjenv.get_state(model, data, mjenv.State.INTEGRATION)
    mjenv.set_state(model, data, state, mjenv.State.INTEGRATION)
    assert most(data) == [(0, 0)] * 4 + [full] * 3 + [(0, 0)] * 2
    mjenv.step(model, data, 100, mask=np.arange(9) == 0)
    assert most(data) == [full] + [(0, 0)] * 3 + [full] * 3 + [(0, 0)] * 2
    mjenv.reset(model, data)
    assert most(data) == [(0, 0)] * 9


@pytest.mark.parametrize("nworld", [1, 9])
@pytest.mark.parametrize("field", ["qpos", "qvel", "qfrc_applied"])
@pytest.mark.filterwarnings("ignore::mjenv.SimulationWarning")
def test_resets_of_bad_states(field, nworld):
    mj, source, model, data = pile(nworld)
    mjenv.step(model, data, 100)
    mujoco.mj_step(mj, source, 100)
    before = most(data)
    getattr(source, field)[0] = np.nan
    getattr(data, field)[-1, 0] = np.nan
    mjenv.step(model, data, 2)
    mujoco.mj_step(mj, source, 2)
    assert most(data) == [*before[1:], (source.maxuse_con, source.maxuse_efc)]
    assert source.maxuse_con < before[0][0]


@pytest.mark.parametrize("nworld", [1, 9])
def test_copies_have_them(nworld):
    _, _, model, data = pile(nworld)
    mjenv.step(model, data, 100)
    other = mjenv.Data(model, nworld, keep=KEEP)
    mjenv.copy_data(other, model, data)
    for twin in (copy.deepcopy(data), copy.copy(data), pickle.loads(pickle.dumps(data)), other):
        assert most(twin) == most(data) != [(0, 0)] * nworld


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_after_a_fork():
    _, _, model, data = pile(24, nthread=2)
    mjenv.step(model, data, 100)
    other = copy.deepcopy(data)
    mjenv.step(model, other, 20)
    child = os.fork()
    if child == 0:
        mjenv.step(model, data, 20)
        os._exit(0 if most(data) == most(other) else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_they_are_numbers_of_one_world_in_views():
    _, _, model, data = pile(3)
    mjenv.step(model, data, 100)
    view = WorldView(model, data, 1)
    assert view.maxuse_con == data.maxuse_con[1] > 0
    # as in MuJoCo, they can be set: to count anew from there on
    view.maxuse_con, data.maxuse_efc = 0, 0
    assert (data.maxuse_con > 0).tolist() == [True, False, True]
    assert not data.maxuse_efc.any()


@pytest.mark.parametrize("nworld", [1, 9])
def test_they_are_counted_on_request_and_change_no_bits(nworld):
    _, _, _, data = pile(nworld, keep="maxuse_efc")
    _, _, _, plain = pile(nworld, None)
    for d in (data, plain):
        mjenv.step(d.model, d, 50)
    assert np.array_equal(data.qpos, plain.qpos)
    assert data.maxuse_con.all()
    stages = {stage.name for stage in plain.plan.forward}
    assert "count_most_used" not in stages
    for name in KEEP:
        message = rf"Data.{name}: not kept; make the data with keep=\[..., '{name}'\]"
        with pytest.raises(FieldError, match=message):
            getattr(plain, name)


class Counted(Hopper):
    """A task whose data count."""

    frame_skip = 1
    keep = ("ncon", "maxuse_con")


@pytest.mark.parametrize("num_envs", [3, 9])
def test_episodes_begin_anew(num_envs):
    envs = mjenv.VectorEnv(task=Counted, num_envs=num_envs)
    envs.reset(seed=0)
    rng, ended, restarts = np.random.default_rng(0), np.zeros(num_envs, bool), 0
    expected = envs.data.ncon.copy()
    for _ in range(300):
        _, _, terminated, truncated, _ = envs.step(rng.uniform(-1, 1, (num_envs, 3)))
        expected = np.where(ended, 0, expected)
        expected = np.maximum(expected, envs.data.ncon)
        assert (envs.data.maxuse_con == expected).all()
        restarts += ended.sum()
        ended = terminated | truncated
    assert restarts > num_envs
