"""Steps of one world that repeat the last one run without Python, and notice every change."""

import copy
import threading

import numpy as np
import pytest

import mjenv
from mjenv.engine.data import step as step_module
from mjenv.engine.errors import SimulationWarning
from mjenv.engine.simd.object_code import is_known
from mjenv.task.world_view import WorldView

XML = """
<mujoco>
  <option timestep="0.01"/>
  <worldbody>
    <geom type="plane" size="5 5 .1"/>
    <body pos="0 0 .3">
      <freejoint/>
      <geom type="capsule" size=".05 .1"/>
      <body pos=".1 0 0"><joint name="arm" axis="0 1 0"/><geom type="box" size=".1 .02 .02"/></body>
    </body>
  </worldbody>
  <actuator><motor joint="arm" gear="0.2"/></actuator>
  <sensor><jointpos joint="arm"/></sensor>
</mujoco>
"""

pytestmark = pytest.mark.skipif(not is_known(), reason="the interpreter has no machine code")


@pytest.fixture
def repeated():
    """A model, its data, and data that are stepped by programs looked up each time."""
    model = mjenv.Model.from_xml_string(XML)
    data, other = mjenv.Data(model, nthread=1), mjenv.Data(model, nthread=1)
    other._repeats = False
    for _ in range(3):
        both(model, data, other)
    return model, data, other


def both(model, data, other, **arguments):
    """Step both; they agree to the last bit."""
    mjenv.step(model, data, **arguments)
    mjenv.step(model, other, **arguments)
    assert data.qpos.tobytes() == other.qpos.tobytes()
    assert data.qacc.tobytes() == other.qacc.tobytes()
    assert data.time == other.time


@pytest.fixture
def lookups(monkeypatch):
    """Names of calls that were looked up."""
    found, look_up = [], step_module.run_ready
    monkeypatch.setattr(
        step_module, "run_ready", lambda *given: found.append(given[-1]) or look_up(*given)
    )
    return found


def test_nothing_is_looked_up(repeated, lookups):
    model, data, _ = repeated
    for _ in range(5):
        data.ctrl[:] += 0.1
        mjenv.step(model, data)
        assert data.sensordata.any()
        assert data.qpos.any()
    assert not lookups
    # another number of steps, a mask, or more results are
    mjenv.step(model, data, nstep=2)
    mjenv.step(model, data, mask=np.ones(1, bool))
    mjenv.step(model, data, post=True)
    assert lookups == ["step"] * 3


def test_worlds_of_a_batch_and_views_are_looked_up(repeated, lookups):
    model, _, _ = repeated
    data = mjenv.Data(model, 2, nthread=1)
    for _ in range(3):
        mjenv.step(model, data)
        mjenv.step(model, WorldView(model, data, 1))
    assert data.time.ravel().tolist() == pytest.approx([0.03, 0.06])
    assert len(lookups) >= 6


OF_DATA = {
    "velocity": lambda model, data: data.qvel.fill(0.3),
    "control": lambda model, data: data.ctrl.fill(-1.0),
    # inputs that programs gather from when they are first looked at
    "wrench": lambda model, data: data.xfrc_applied[..., 2].fill(5.0),
    "force": lambda model, data: data.qfrc_applied.fill(0.2),
    "reset": mjenv.reset,
    "forward": mjenv.forward,
    "late outputs": lambda model, data: (data.efc_force, data.qM, data.contact.dist),
}
OF_MODEL = {
    "mass": lambda model: model.body_mass.__imul__(2.0),
    "timestep": lambda model: setattr(model.opt, "timestep", 0.002),
    "integrator": lambda model: setattr(model.opt, "integrator", mjenv.mjtIntegrator.mjINT_RK4),
    "gravity": lambda model: setattr(model.opt, "gravity", (0.0, 0.0, -1.0)),
}


@pytest.mark.parametrize("change", [*OF_DATA, *OF_MODEL])
def test_changes_are_noticed(repeated, change):
    model, data, other = repeated
    before = data.qpos.copy()
    if change in OF_DATA:
        for one in (data, other):
            OF_DATA[change](model, one)
    else:
        OF_MODEL[change](model)
    for _ in range(3):
        both(model, data, other)
    # late outputs belong to the last step
    assert data.efc_force.tobytes() == other.efc_force.tobytes()
    both(model, data, other)
    assert data.qpos.tobytes() != before.tobytes()


def test_hooks_are_called(repeated):
    model, data, _ = repeated
    seen = []
    mjenv.set_hook(data, "control", lambda *given: seen.append(1))
    for _ in range(3):
        mjenv.step(model, data)
    assert len(seen) == 3


def test_copies_step_alone(repeated):
    model, data, _ = repeated
    twin = copy.deepcopy(data)
    for _ in range(3):
        mjenv.step(model, data)
    time = float(twin.time[0])
    for _ in range(3):
        mjenv.step(model, twin)
    assert twin.qpos.tobytes() == data.qpos.tobytes()
    assert twin.time[0] == time + 0.01 + 0.01 + 0.01


def test_other_models_are_refused(repeated):
    _, data, _ = repeated
    with pytest.raises(ValueError, match="another model"):
        mjenv.step(mjenv.Model.from_xml_string(XML), data)


def test_warnings_are_told(repeated):
    model, data, _ = repeated
    data.qvel[0, 0] = np.nan
    with pytest.warns(SimulationWarning):
        mjenv.step(model, data)


def test_data_are_stepped_by_one_call_at_a_time(repeated):
    model, data, _ = repeated
    done, stop = [], threading.Event()
    start = float(data.time[0])

    def step():
        while not stop.is_set():
            try:
                mjenv.step(model, data)
                done.append(1)
            except mjenv.DataInUse:
                continue

    threads = [threading.Thread(target=step) for _ in range(2)]
    for thread in threads:
        thread.start()
    stop.wait(0.3)
    stop.set()
    for thread in threads:
        thread.join()
    # each call has made its step, or none
    assert len(done) > 10
    assert data.time[0] == pytest.approx(start + 0.01 * len(done))
    assert np.isfinite(data.qpos).all()
    mjenv.step(model, data)


def test_machine_code_is_used(repeated):
    _, data, _ = repeated
    assert data.plan.prepared.rows.any()
    assert step_module._repeat is not step_module._not_ready
