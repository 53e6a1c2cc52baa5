"""Delays, intervals and histories of sensors against MuJoCo, step by step."""

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.engine.data.data import Data
from mjenv.engine.data.step import forward, step
from tests.engine.sensors import both, taken_over, walked

KINDS = ("zoh", "linear", "cubic")
WHAT = (
    'accelerometer site="imu"',
    'jointpos joint="bend"',
    'framequat objtype="site" objname="tip"',
    'clock',
)  # fmt: skip


def of_the_past() -> str:
    rows = []
    for what in WHAT:
        rows += [f'<{what} nsample="9" delay=".0{n}" interp="{k}"/>' for k in KINDS for n in "159"]
        rows.append(f'<{what} nsample="3"/>')
        rows.append(f'<{what} nsample="2" delay="3"/>')
        rows.append(f'<{what} nsample="1" delay=".004"/>')
        for period in (".01", ".013", ".013 -.006", ".002", ".5"):
            rows.append(f'<{what} nsample="5" interval="{period}"/>')
            rows += [
                f'<{what} nsample="12" interval="{period}" delay="{delay}" interp="{k}"/>'
                for delay in (".01", ".031")
                for k in KINDS
            ]
    return "".join(rows) + '<gyro site="imu"/>'


def test_delays():
    """Readings and buffers stay MuJoCo's over many steps, and at every width."""
    mj, model = both(of_the_past())
    sources = walked(mj, 5, 0)
    wide, narrow, single = (
        taken_over(model, sources[:n], width=w) for n, w in ((5, 8), (5, 1), (1, 1))
    )
    np.testing.assert_allclose(wide.history[0], sources[0].history, atol=1e-15)
    for nstep in (0, 1, 1, 2, 1, 7, 1, 23, 1):
        for data in (wide, narrow, single):
            step(model, data, nstep) if nstep else forward(model, data)
        for source in sources:
            for _ in range(nstep):
                mujoco.mj_step(mj, source)
            if not nstep:
                mujoco.mj_forward(mj, source)
        for name in ("sensordata", "history"):
            found = getattr(wide, name)
            expected = np.array([getattr(source, name) for source in sources])
            scale = 1 + np.abs(expected)
            assert np.abs((found - expected) / scale).max() < 1e-7
            np.testing.assert_array_equal(getattr(narrow, name), found)
            np.testing.assert_array_equal(getattr(single, name), found[:1])
    assert np.mean(wide.sensordata != 0) > 0.8


def test_a_delayed_sensor_reads_in_between():
    """Two time steps and a half ago, a clock showed the mean of two readings."""
    model = both('<clock nsample="5" delay=".01" interp="linear"/>')[1]
    data = Data(model, 2)
    step(model, data, 11)
    np.testing.assert_allclose(data.sensordata, 10 * 0.004 - 0.01, atol=1e-12)


PAST = (
    'nsample="3" delay=".0101"',
    'nsample="1" delay=".004" interp="linear"',
    'nsample="4" interval=".01 -.006" delay=".004"',
    'nsample="2" interval=".013"',
    'nsample="2"',
)
# not e_kinetic, which is that of the step before in MuJoCo
READ = (
    'accelerometer site="imu"', 'force site="tip"', 'touch site="room"', 'gyro site="tip"',
    'contact geom1="floor" data="force dist pos"', 'framepos objtype="camera" objname="riding"',
    'jointpos joint="bend"', 'ballquat joint="ball"', 'tendonvel tendon="cord"', 'e_potential',
    'actuatorfrc actuator="m5"', 'subtreelinvel body="free"', 'rangefinder site="imu"',
    'distance geom1="box" geom2="post"', 'jointlimitfrc joint="ball"',
)  # fmt: skip


def mixed(present: str) -> str:
    """Every kind of reading, with histories of every kind in turn."""
    return present + "".join(
        f"<{what} {PAST[(i + k) % len(PAST)]}/>" for i, what in enumerate(READ) for k in (0, 2)
    )


@pytest.mark.parametrize(
    ("integrator", "flag", "present"),
    [
        ("RK4", "", ""),
        ("RK4", 'energy="enable"', '<accelerometer site="imu"/>'),
        ("RK4", 'sensor="disable"', ""),
        ("implicitfast", 'sensor="disable"', ""),
        ("implicit", 'energy="enable"', ""),
    ],
)
def test_what_is_remembered(integrator, flag, present):
    """Delayed sensors are read when the state moves on, after the last stage of RK4."""
    option = f'integrator="{integrator}"/><option><flag {flag}/></option><option '
    mj, model = both(mixed(present), option)
    sources = walked(mj, 3)
    packs = [taken_over(model, sources[:n], width=w) for n, w in ((3, 8), (1, 1))]
    follow(packs, sources)

    def run(name):
        for data in packs:
            getattr(mjenv, name)(model, data)
        for source in sources:
            getattr(mujoco, f"mj_{name}")(mj, source)
        for data in packs:
            for field in ("history", "sensordata"):
                for found, source in zip(getattr(data, field), sources, strict=False):
                    expected = getattr(source, field)
                    error = (found - expected) / (1 + np.abs(expected))
                    assert np.abs(error).max() < 1e-6, f"{field} after {name}"

    for names in ("step", "step1 step2", "forward step", "step1 forward step") * 5:
        for name in names.split():
            run(name)
        follow(packs, sources)


def follow(packs, sources) -> None:
    """Go on from MuJoCo's state: contacts make small differences grow."""
    for data in packs:
        for world, source in enumerate(sources[: data.nworld]):
            for name in ("qpos", "qvel", "act", "qacc_warmstart", "history", "sensordata"):
                getattr(data, name)[world] = getattr(source, name)


def test_reset_forgets():
    mj, model = both(of_the_past())
    data = taken_over(model, walked(mj, 3))
    fresh = Data(model, 3).history.copy()
    step(model, data, 4)
    moved = data.history.copy()
    mjenv.reset(model, data, mask=np.array([True, False, True]))
    np.testing.assert_array_equal(data.history[::2], fresh[::2])
    np.testing.assert_array_equal(data.history[1], moved[1])


def test_bad_worlds_forget():
    """A world that is reset in a step starts its buffers anew, as in MuJoCo."""
    mujoco.set_mju_user_warning(lambda message: None)
    mj, model = both(of_the_past())
    sources = walked(mj, 2)
    data = taken_over(model, sources)
    data.history[...] = [source.history for source in sources]
    data.qvel[1, 0] = sources[1].qvel[0] = np.nan
    step(model, data, 3)
    for world, source in enumerate(sources):
        for _ in range(3):
            mujoco.mj_step(mj, source)
        np.testing.assert_allclose(data.history[world], source.history, rtol=1e-7, atol=1e-7)
    mujoco.set_mju_user_warning(None)


def test_histories_need_time_steps():
    model = both('<clock nsample="5" delay=".01"/>')[1]
    model.opt.timestep = 0.0
    with pytest.raises(ValueError, match=r"timestep=0\.0: delay buffers expect a positive one"):
        Data(model)
