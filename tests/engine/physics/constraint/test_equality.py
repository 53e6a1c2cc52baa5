"""Equality constraints at run time against MuJoCo: rows, accelerations and trajectories."""

import copy

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.engine.data.data import Data
from mjenv.engine.data.step import forward, reset, step
from tests.engine.reference import close, copy_state

SCENE = """
<mujoco>
  <option timestep="0.002" tolerance="0" iterations="100" ls_iterations="100" {option}/>
  <default>
    <joint damping="0.1" armature="0.01"/>
    <geom density="800" contype="0" conaffinity="2"/>
  </default>
  <worldbody>
    <geom name="floor" type="plane" size="3 3 1" pos="0 0 0.7" contype="2"/>
    <site name="top" pos="0.3 0 1.1" euler="10 20 30"/>
    <body name="a" pos="0 0 1" euler="30 40 50">
      <joint name="a1" axis="0 1 0" ref="20"/>
      <geom type="box" size="0.05 0.1 0.15" pos="0.1 0 0"/>
      <site name="sa" pos="0.1 0.05 0" euler="5 0 70"/>
      <body name="b" pos="0.3 0 0" quat="1 2 3 4">
        <joint name="b1" type="slide" axis="1 1 0" range="-0.2 0.2" limited="true"/>
        <joint name="b2" type="ball"/>
        <geom type="capsule" size="0.05 0.1"/>
        <body name="fixed" pos="0 0.1 0"><geom size="0.03"/>
          <site name="sb" pos="0 0.1 0.1" quat="1 0.2 0.3 0"/>
        </body>
      </body>
      <body name="c" pos="0 0.3 0">
        <joint name="c1" axis="1 0 0" frictionloss="0.05"/>
        <joint name="c2" axis="0 0 1"/>
        <geom type="capsule" size="0.04 0.1" pos="0 0 0.1"/>
        <site name="sc" pos="0 0 0.2"/>
      </body>
    </body>
    <body name="f" pos="0 -0.5 1"><freejoint name="free"/><geom type="box" size="0.1 0.15 0.08"/>
      <site name="sf" pos="0.1 0 0" euler="0 30 0"/>
      <body name="g" pos="0.2 0 0">
        <joint name="g1" axis="0 0 1"/>
        <geom type="capsule" size="0.03 0.1"/>
      </body>
    </body>
    <body name="ghost" mocap="true" pos="0 3 0"><geom size="0.1"/></body>
  </worldbody>
  <equality>{equality}</equality>
</mujoco>
"""

KINDS = {
    "connect_world": '<connect body1="f" anchor="0.1 0.2 0.3"/>',
    "connect_bodies": '<connect body1="f" body2="b" anchor="0 0.1 0" solref="0.03 0.8"/>',
    "connect_branches": '<connect body1="b" body2="c" anchor="0.1 0 0" solimp=".8 .95 .3 .4 3"/>',
    "connect_parent": '<connect body1="a" body2="c" anchor="0.1 0.3 0" solref="-500 -20"/>',
    "connect_sites": '<connect site1="sf" site2="sc"/>',
    "connect_top": '<connect site1="top" site2="sb" solref="0.001 1"/>',
    "weld_world": '<weld body1="f"/>',
    "weld_bodies": '<weld body1="b" body2="f" anchor="0.1 0.2 0" torquescale="0.5"/>',
    "weld_relpose": '<weld body1="c" body2="b" anchor="0.1 0 0" relpose="0.1 0.2 0 1 2 0 0.3"/>',
    "weld_mocap": '<weld body1="ghost" body2="g" solref="0.05" solimp="0.5 0.9 0.5 0.5 1"/>',
    "weld_sites": '<weld site1="sf" site2="sb" torquescale="3"/>',
    "weld_static": '<weld site1="sf" site2="top" solimp="0.9 0.99 0.2 0.1 2.5"/>',
    "joint_fixed": '<joint joint1="c1" polycoef="0.2"/>',
    "joint_gear": '<joint joint1="b1" joint2="c2" polycoef="0.01 0.3 0.2 -0.1 0.05"/>',
    "joint_path": '<joint joint1="c2" joint2="a1" polycoef="0 -1 0 0.5" solref="0.01"/>',
    "joint_trees": '<joint joint1="g1" joint2="c1" solimp="0.7 0.99 0.4"/>',
}
KINDS["all"] = "".join(KINDS.values())
ROWS = "type id J pos margin frictionloss diagApprox KBIP D R vel aref b"
NWORLD = 8


def load(equality: str, option: str = ""):
    text = SCENE.format(equality=equality, option=option)
    return mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)


def states(mj, seed: int = 0):
    """MuJoCo's data in random states, in some of which some constraints are off."""
    rng = np.random.default_rng(seed)
    for world in range(NWORLD):
        d = mujoco.MjData(mj)
        d.qpos[:] += rng.normal(size=mj.nq) * 0.3
        mujoco.mj_normalizeQuat(mj, d.qpos)
        d.qvel[:] = rng.normal(size=mj.nv)
        d.qacc_warmstart[:] = rng.normal(size=mj.nv)
        d.mocap_pos[:] += rng.normal(size=d.mocap_pos.shape)
        if world % 3 == 2:
            d.eq_active[:] = rng.random(mj.neq) < 0.5
        yield d


def inject(sources, data) -> None:
    for world, source in enumerate(sources):
        copy_state(source, data, world)
        data.eq_active[world] = source.eq_active
        data.mocap_pos[world], data.mocap_quat[world] = source.mocap_pos, source.mocap_quat


def compare(mj, model, sources, data) -> None:
    """Rows and accelerations of every world."""
    inject(sources, data)
    forward(model, data)
    for world, source in enumerate(sources):
        mujoco.mj_forward(mj, source)
        counts = [getattr(data, name)[world] for name in ("ne", "nf", "nl", "nefc")]
        assert counts == [source.ne, source.nf, source.nl, source.nefc]
        for field in (f"efc_{name}" for name in ROWS.split()):
            expected = getattr(source, field)
            if field == "efc_J":
                # MuJoCo's array may be longer than its rows
                expected = expected.ravel()[: source.nefc * mj.nv]
            close(getattr(data, field)[world], expected, 1e-9, field)
        assert (data.efc_state[world, : source.ne] == source.efc_state[: source.ne]).all()
        for field in ("qacc", "qfrc_constraint", "efc_force"):
            close(getattr(data, field)[world], getattr(source, field), 1e-6, field)


@pytest.mark.sweep(8)
@pytest.mark.parametrize("option", ["", 'jacobian="dense"'])
@pytest.mark.parametrize("kind", KINDS)
def test_rows_and_accelerations(kind, option):
    mj, model = load(KINDS[kind], option)
    sources = list(states(mj))
    mj.opt.jacobian = 0
    compare(mj, model, sources, Data(model, NWORLD, width=NWORLD))


def test_forces_on_bodies():
    """cfrc_ext and cfrc_int have the forces of connect and weld."""
    mj, model = load(KINDS["all"])
    sources = list(states(mj))
    data = Data(model, NWORLD)
    inject(sources, data)
    forward(model, data, post=True)
    for world, source in enumerate(sources):
        mujoco.mj_forward(mj, source)
        mujoco.mj_rnePostConstraint(mj, source)
        for field in ("cacc", "cfrc_ext", "cfrc_int"):
            close(getattr(data, field)[world], getattr(source, field), 1e-6, field)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("integrator", ["Euler", "RK4"])
def test_trajectories(kind, integrator):
    """200 steps from the same state."""
    mj, model = load(KINDS[kind], f'integrator="{integrator}"')
    source = next(states(mj, 5))
    data = Data(model)
    inject([source], data)
    for _ in range(20):
        mujoco.mj_step(mj, source, 10)
        step(model, data, 10)
        close(data.qpos[0], source.qpos, 1e-6, "qpos")
        close(data.qvel[0], source.qvel, 1e-5, "qvel")
    assert mj.neq != 1 or source.ne


def test_toggle():
    """Constraints are turned on and off world by world, and back by a reset."""
    mj, model = load(KINDS["all"])
    data = Data(model, NWORLD)
    sources = [mujoco.MjData(mj) for _ in range(NWORLD)]
    assert (data.eq_active == mj.eq_active0).all()
    rng = np.random.default_rng(3)
    for _ in range(5):
        active = rng.random((NWORLD, mj.neq)) < 0.3
        data.eq_active[:] = active
        for source, row in zip(sources, active, strict=True):
            source.eq_active[:] = row
            mujoco.mj_step(mj, source, 4)
        step(model, data, 4)
        for world, source in enumerate(sources):
            assert data.ne[world] == source.ne
            close(data.qvel[world], source.qvel, 1e-8, "qvel")
    reset(model, data, mask=np.arange(NWORLD) < 3)
    assert (data.eq_active[:3] == mj.eq_active0).all()
    assert (data.eq_active[3:] == active[3:]).all()


def test_a_bad_world_gets_its_constraints_back():
    """As with `mj_resetData`, an automatic reset restores `eq_active`."""
    _, model = load(KINDS["weld_world"])
    data = Data(model, 2)
    data.eq_active[:] = 0
    data.qvel[1, 0] = np.nan
    step(model, data)
    assert data.eq_active.tolist() == [[0], [1]]
    assert data.ne.tolist() == [0, 6]


@pytest.mark.parametrize("flag", ["equality", "constraint", "refsafe"])
def test_flags(flag):
    mj, model = load(KINDS["connect_top"] + KINDS["joint_gear"])
    bit = getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag.upper()}")
    mj.opt.disableflags |= bit
    model.opt.disableflags |= int(bit)
    compare(mj, model, list(states(mj)), Data(model, NWORLD, width=NWORLD))


def test_nothing_to_move():
    """MuJoCo has no rows for a constraint between bodies that cannot move."""
    mj, model = load('<weld body1="ghost"/>' + KINDS["joint_fixed"])
    compare(mj, model, list(states(mj)), Data(model, NWORLD, width=NWORLD))


@pytest.mark.slow
def test_same_bits():
    _, model = load(KINDS["all"], 'integrator="RK4"')
    results = []
    for width, nthread in ((1, 1), (8, 1), (8, 2)):
        data = Data(model, 16, width=width, nthread=nthread, keep=[])
        rng = np.random.default_rng(0)
        data.qvel[:] = rng.normal(size=data.qvel.shape)
        data.eq_active[:] = rng.random(data.eq_active.shape) < 0.5
        step(model, data, 50)
        results.append(np.concatenate([data.qpos, data.qvel], axis=1))
    assert np.isfinite(results[0]).all()
    assert np.array_equal(results[0], results[1])
    assert np.array_equal(results[0], results[2])


def test_copy_keeps_what_is_on():
    _, model = load(KINDS["all"])
    data = Data(model, 2)
    data.eq_active[1] = 0
    assert np.array_equal(copy.deepcopy(data).eq_active, data.eq_active)


RIGID = """
<mujoco>
  <option jacobian="{jacobian}"/>
  <worldbody>
    <body name="p" pos="-0.5861 -0.3676 0.5778">
      <joint type="ball"/><joint type="slide"/><geom size=".1"/>
      <body name="c" pos="0.0385 0.0995 0.3098"><geom size="0.0562"/></body>
    </body>
  </worldbody>
  <equality><connect body1="c" body2="p" anchor=".1 .2 .3"/><weld body1="p" body2="c"/></equality>
</mujoco>
"""


def test_bodies_that_are_one():
    """Two bodies without a dof between them: a Jacobian of rounding errors, or of zeros.

    MuJoCo leaves rows of zeros out where Jacobians are dense. How many there are changes with the
    last bit of the position, in MuJoCo too; sparse Jacobians always have rows. They move nothing.
    """
    counts = {}
    for jacobian in ("dense", "sparse"):
        text = RIGID.format(jacobian=jacobian)
        mj, model = mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)
        data, source = Data(model, 40), mujoco.MjData(mj)
        mujoco.mj_integratePos(mj, source.qpos, np.array([0.3, -0.8, 0.5, 0.2]), 1.0)
        start = source.qpos.copy()
        data.qpos[:] = start
        data.qpos[:, 0] += 1e-16 * np.arange(40)
        data.qvel[:] = source.qvel[:] = [1, 2, -1, 0.5]
        mjenv.forward(model, data)
        found = []
        for world in range(40):
            source.qpos[:] = data.qpos[world]
            mujoco.mj_forward(mj, source)
            found.append(source.nefc)
            np.testing.assert_allclose(data.qacc[world], source.qacc, atol=1e-10)
            assert np.abs(data.qfrc_constraint[world]).max() < 1e-10
        counts[jacobian] = set(found), set(data.nefc.tolist())
    assert counts["sparse"] == ({9}, {9})
    for rows in counts["dense"]:
        assert len(rows) > 1
        assert rows <= {0, 3, 6, 9}
