"""Timers (mjtTimer): calls as MuJoCo counts them, times that add up."""

import copy

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.engine.pipeline import timer_tables as timers
from mjenv.engine.simd.kernel import kernel
from tests.engine.reference import load


def both(nworld: int, integrator: str, **options):
    mj, model = (copy.deepcopy(m) for m in load("half_cheetah"))
    mj.opt.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator.upper()}")
    model.opt.integrator = int(mj.opt.integrator)
    keep = ["timer", "qacc", "qfrc_inverse"]
    return mj, model, mujoco.MjData(mj), mjenv.Data(model, nworld, keep=keep, **options)


@pytest.mark.sweep(3)
@pytest.mark.parametrize("integrator", ["euler", "rk4", "implicitfast"])
@pytest.mark.parametrize("nworld", [1, 9])
def test_calls_are_counted_as_by_mujoco(nworld, integrator):
    mj, model, source, data = both(nworld, integrator)
    mjenv.step(model, data, 5)
    mujoco.mj_step(mj, source, 5)
    for name, theirs in (("forward", "mj_forward"), ("inverse", "mj_inverse"),
                         ("step1", "mj_step1"), ("step2", "mj_step2")):  # fmt: skip
        getattr(mjenv, name)(model, data)
        getattr(mujoco, theirs)(mj, source)
    expected = [timer.number for timer in source.timer]
    assert data.timer.shape == (nworld, 15)
    assert (data.timer["number"] == expected).all()
    assert (data.timer["duration"] >= 0).all()


def test_times_add_up():
    _, model, _, data = both(9, "euler")
    mjenv.step(model, data, 50)
    total = data.timer["duration"].sum(axis=0)
    parts = (timers.VELOCITY, timers.ACTUATION, timers.CONSTRAINT)
    assert 0 < total[timers.POSITION] + sum(total[list(parts)]) <= total[timers.FORWARD]
    assert total[timers.FORWARD] + total[timers.ADVANCE] <= total[timers.STEP] < 0.5
    position = slice(timers.POS_KINEMATICS, timers.POS_PROJECT + 1)
    np.testing.assert_allclose(total[position].sum(), total[timers.POSITION])
    assert (total[[timers.POS_KINEMATICS, timers.POS_INERTIA, timers.COL_NARROW]] > 0).all()
    assert total[timers.INVERSE] == 0


def test_some_worlds():
    _, model, _, data = both(9, "euler")
    mjenv.step(model, data, 2, mask=np.arange(9) % 2 == 0)
    assert (data.timer["number"][:, timers.STEP] == [2, 0] * 4 + [2]).all()
    mjenv.reset(model, data, mask=np.arange(9) < 4)
    assert (data.timer["number"][:, timers.STEP] == [0] * 4 + [2, 0] * 2 + [2]).all()
    assert not data.timer["duration"][:4].any()


@pytest.mark.parametrize("nworld", [1, 9])
def test_it_changes_no_bits(nworld):
    _, model, _, data = both(nworld, "euler")
    plain = mjenv.Data(model, nworld)
    for d in (data, plain):
        d.ctrl[:] = 0.3
        mjenv.step(model, d, 20)
    assert np.array_equal(data.qpos, plain.qpos)
    mjenv.reset(model, data)
    assert not data.timer["number"].any()
    with pytest.raises(AttributeError, match=r"Data.timer: not kept; make the data with keep="):
        _ = plain.timer


@pytest.mark.parametrize("nworld", [1, 9])
def test_a_clock_of_the_users(nworld):
    _, model, _, data = both(nworld, "euler")
    looks = []
    mjenv.step(model, data)
    assert data.timer["duration"][0, timers.STEP] < 1.0

    def clock() -> float:
        looks.append(None)
        return 10.0 * len(looks)

    mjenv.set_hook(data, "time", clock)
    mjenv.reset(model, data)
    mjenv.step(model, data)
    # each of these stages took one tick, which the worlds of a pack share
    assert looks
    total = data.timer["duration"][:, timers.STEP] * min(nworld, data.width)
    assert (total >= 50).all()
    np.testing.assert_allclose(total, 10 * np.round(total / 10), atol=1e-9)
    before = len(looks)
    mjenv.set_hook(data, "time", None)
    mjenv.step(model, data)
    assert len(looks) == before


def test_clocks_that_fail_or_are_kernels():
    _, model, _, data = both(1, "euler")
    mjenv.set_hook(data, "time", lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        mjenv.step(model, data)

    @kernel
    def tick(m, d):
        """A clock that is compiled."""

    with pytest.raises(TypeError, match="time: found a kernel, expected a function in plain"):
        mjenv.set_hook(data, "time", tick)
