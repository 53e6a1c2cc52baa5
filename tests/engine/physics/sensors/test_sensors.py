"""Sensors against MuJoCo: types, objects, stages, cutoffs, and what runs."""

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.engine.data.step import forward, step
from mjenv.engine.physics.sensors.tables import KINDS
from mjenv.engine.pipeline.sensors import PREPARE, READINGS, sensor_stages
from mjenv.engine.tables.enums import STAGE_ACC, STAGE_POS, STAGE_VEL
from mjenv.engine.tables.sensor_kinds import SENSORS
from tests.engine.sensors import both, check_readings, taken_over, walked

MOUNTED = "accelerometer velocimeter gyro force torque magnetometer"
FRAMES = (
    'body" objname="arm',
    'xbody" objname="free',
    'geom" objname="box',
    'site" objname="tip',
    'camera" objname="riding',
    'camera" objname="looking',
    'body" objname="world',
    'site" objname="world',
)
PLACED = "framepos framequat framexaxis frameyaxis framezaxis framelinvel frameangvel"


def of_sites() -> str:
    return "".join(
        f'<{kind} site="{site}"/>' for kind in MOUNTED.split() for site in ("imu", "tip", "world")
    )


def of_joints() -> str:
    scalar = "jointpos jointvel jointactuatorfrc jointlimitpos jointlimitvel jointlimitfrc"
    ball = "ballquat ballangvel jointlimitpos jointlimitvel jointlimitfrc"
    along = "tendonpos tendonvel tendonactuatorfrc tendonlimitpos tendonlimitvel tendonlimitfrc"
    rows = [f'<{kind} joint="{j}"/>' for j in ("bend", "slide") for kind in scalar.split()]
    rows += [f'<{kind} joint="ball"/>' for kind in ball.split()]
    rows += [f'<{kind} tendon="{ten}"/>' for ten in ("sum", "cord") for kind in along.split()]
    for kind in ("actuatorpos", "actuatorvel", "actuatorfrc"):
        rows += [f'<{kind} actuator="{name}"/>' for name in ("m1", "m3", "m5")]
    return "".join(rows)


def of_frames() -> str:
    rows = []
    for frame in FRAMES:
        rows += [f'<{kind} objtype="{frame}"/>' for kind in ("framelinacc", "frameangacc")]
        for kind in PLACED.split():
            rows.append(f'<{kind} objtype="{frame}"/>')
            for other in FRAMES:
                ref = other.replace("objname", "refname")
                rows.append(f'<{kind} objtype="{frame}" reftype="{ref}"/>')
    return "".join(rows)


def of_places() -> str:
    rows = []
    for site in ("room", "round", "pill", "egg", "can", "world"):
        rows += [f'<insidesite objtype="{frame}" site="{site}"/>' for frame in FRAMES]
        rows.append(f'<insidesite objtype="body" objname="ghost" site="{site}"/>')
    for camera in ("fixed", "lens", "riding"):
        rows += [f'<camprojection camera="{camera}" site="{s}"/>' for s in ("imu", "tip", "hand")]
    return "".join(rows)


def of_wholes() -> str:
    bodies = ("tower", "arm", "free", "ghost", "world")
    kinds = ("subtreecom", "subtreelinvel", "subtreeangmom")
    rows = [f'<{kind} body="{body}"/>' for kind in kinds for body in bodies]
    return "".join(rows) + '<e_potential/><e_kinetic/><clock/><user dim="3" needstage="vel"/>'


@pytest.mark.sweep(3)
@pytest.mark.parametrize("integrator", ["Euler", "RK4"])
@pytest.mark.parametrize("sensors", [of_sites, of_joints, of_frames, of_places, of_wholes])
def test_readings(sensors, integrator):
    mj, model = both(sensors(), f'integrator="{integrator}"')
    sources = walked(mj, 12)
    read = np.array([source.sensordata for source in sources])
    check_readings(mj, model, sources)
    # the scene makes most of them say something
    assert np.mean(np.any(read != 0, axis=0)) > 0.6


def test_cutoffs():
    """Reals are bounded on both sides, what is positive from above."""
    mj, model = both(
        '<accelerometer site="imu" cutoff="1"/><jointpos joint="bend" cutoff=".05"/>'
        '<framepos objtype="site" objname="tip" cutoff=".3"/><clock cutoff=".01"/>'
        '<user dim="2" datatype="positive" cutoff=".5"/>'
    )
    sources = walked(mj, 8)
    check_readings(mj, model, sources)
    read = np.array([source.sensordata for source in sources])
    for bound in (-1, 1, 0.01):
        assert np.any(read == bound)


def test_readings_are_those_of_the_last_step():
    """Many steps in one call read once, and leave what MuJoCo leaves after each of them."""
    mj, model = both(of_sites())
    once, often = (taken_over(model, walked(mj, 3)) for _ in range(2))
    step(model, once, 7)
    for _ in range(7):
        step(model, often)
    np.testing.assert_array_equal(once.sensordata, often.sensordata)
    assert once.sensordata.any()


def test_disabled_sensors_keep_their_readings():
    mj, model = both(of_sites() + "<e_kinetic/>")
    for nworld in (1, 9):
        data = taken_over(model, walked(mj, nworld))
        forward(model, data)
        read = data.sensordata.copy()
        assert read.any()
        model.opt.disableflags = int(mujoco.mjtDisableBit.mjDSBL_SENSOR)
        step(model, data, 3)
        np.testing.assert_array_equal(data.sensordata, read)
        model.opt.disableflags = 0
        step(model, data)
        assert np.any(data.sensordata != read)
        mjenv.reset(model, data)
        assert not data.sensordata.any()


def test_masked_worlds_keep_their_readings():
    mj, model = both(of_sites())
    data = taken_over(model, walked(mj, 10))
    forward(model, data)
    read, mask = data.sensordata.copy(), np.arange(10) % 3 == 0
    step(model, data, 2, mask=mask)
    np.testing.assert_array_equal(data.sensordata[~mask], read[~mask])
    assert np.all(np.any(data.sensordata[mask] != read[mask], axis=1))


def test_what_is_not_used_does_not_run():
    names = [stage.name for stage in sensor_stages(both('<jointpos joint="bend"/>')[1])]
    assert names == ["jointpos"]
    assert sensor_stages(both("")[1]) == ()
    mixed = both(
        '<force site="tip"/><clock/><subtreelinvel body="arm"/><framepos objtype="camera" '
        'objname="riding"/><gyro site="imu"/>'
    )[1]
    assert [stage.name for stage in sensor_stages(mixed)] == [
        "camlight", "framepos", "clock", "subtree_vel", "gyro", "subtreelinvel",
        "rne_postconstraint", "force",
    ]  # fmt: skip


def test_every_kind_that_can_be_simulated_has_a_kernel():
    # those of plugins are computed by the stage of their plugin
    assert {tag for tag, row in SENSORS.items() if not row.file} == {"plugin"}
    assert {row.type for row in SENSORS.values() if row.file} < set(KINDS)
    assert all(stage.function.__name__ == stage.name for stage in READINGS.values())


def test_what_kinds_need_is_prepared():
    """Names in the table are those of stages, which run no later than the sensors."""
    place = {stage.name: then for then, stage in PREPARE}
    for row in SENSORS.values():
        last = {"pos": STAGE_POS, "vel": STAGE_VEL}.get(row.needstage, STAGE_ACC)
        assert all(place[name] <= last for name in row.needs), row


def test_energy_flag():
    """Energies of every evaluation, as the option flag asks for."""
    for integrator in ("Euler", "RK4"):
        mj, model = both("", f'integrator="{integrator}"')
        for m in (mj, model):
            m.opt.enableflags = int(mujoco.mjtEnableBit.mjENBL_ENERGY)
        sources = walked(mj, 5)
        data = taken_over(model, sources, keep="energy")
        step(model, data, 4)
        for world, source in enumerate(sources):
            for _ in range(4):
                mujoco.mj_step(mj, source)
            np.testing.assert_allclose(data.energy[world], source.energy, rtol=1e-9)
