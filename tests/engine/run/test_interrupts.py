"""Ctrl-C in the middle of long calls: it is never lost, and worlds stay whole."""

import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import mjenv
from mjenv.engine.simd import kernel

pytestmark = pytest.mark.skipif(kernel.interpreted(), reason="nothing is compiled")
MODEL = """
<mujoco>
  <option integrator="{integrator}"/>
  <worldbody>
    <geom type="plane" size="5 5 1"/>
    <body pos="0 0 0.15">
      <freejoint/><geom name="ball" size="0.1"/>
      <body pos="0.3 0 0"><joint name="j" axis="0 1 0"/><geom size="0.05" mass="0.3"/></body>
    </body>
  </worldbody>
  <actuator><motor joint="j"/></actuator>
  <sensor><jointpos joint="j"/></sensor>
</mujoco>
"""
PATIENCE = 1.0  # s; a busy machine takes a while to wake a thread


def model_of(integrator="Euler"):
    return mjenv.Model.from_xml_string(MODEL.format(integrator=integrator))


def interrupted(call, after=0.15, error=KeyboardInterrupt):
    """Time (s) from a SIGINT to the end of a call, which has to raise its handler's error."""
    sent = []
    # Python ignores errors in callbacks of weak references, so those of before are made now
    gc.collect()

    def send():
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(after, send)
    ended = 0.0
    try:
        timer.start()
        try:
            call()
        finally:
            # where the call ended first, the error comes here: it is not the test run's
            ended = time.monotonic()
            timer.join()
    except error:
        assert ended > sent[0], "the call ended before the signal was sent"
        return ended - sent[0]
    pytest.fail(f"the call did not raise {error.__name__}")


def control(model, worlds):
    worlds.ctrl[:] = 0.1 - worlds.qpos[:, -1:]


@pytest.mark.sweep(3)
@pytest.mark.parametrize("hook", [None, control])
@pytest.mark.parametrize(("nworld", "nthread"), [(1, 1), (64, 1), (64, 2)])
@pytest.mark.parametrize("integrator", ["Euler", "RK4"])
def test_long_steps_end(hook, nworld, nthread, integrator):
    model = model_of(integrator)
    data = mjenv.Data(model, nworld, nthread=nthread)
    mjenv.set_hook(data, "control", hook)
    data.qpos[:, 2] += np.linspace(0, 1, nworld)
    start = data.qpos.copy()
    mjenv.step(model, data, 2)
    took = interrupted(lambda: mjenv.step(model, data, 10_000_000))
    assert took < PATIENCE
    # each world is where that many steps of its own lead to, with what belongs to the last of them
    counts = np.round(data.time / model.opt.timestep).astype(int)
    assert counts.max() > 10
    for world in {0, nworld // 2, nworld - 1}:
        alone = mjenv.Data(model)
        mjenv.set_hook(alone, "control", hook)
        alone.qpos[:] = start[world]
        for n in (2, counts[world] - 2):
            mjenv.step(model, alone, int(n))
        for field in ("qpos", "qvel", "qacc", "xpos", "sensordata"):
            mine, whole = getattr(data, field)[world], getattr(alone, field)[0]
            if hook is None or field in ("qpos", "qvel"):
                assert (mine == whole).all(), (world, field)
    # and the data go on
    mjenv.set_hook(data, "control", None)
    mjenv.step(model, data, 3)
    later = np.round(data.time / model.opt.timestep).astype(int)
    assert (later == counts + 3).all()
    assert np.isfinite(data.qpos).all()


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    "call",
    [
        lambda m, d: mjenv.rollout(m, d, nstep=40_000),
        lambda m, d: [mjenv.inverse(m, d) for _ in range(1_000_000)],
        lambda m, d: [mjenv.transition_fd(m, d) for _ in range(100_000)],
        lambda m, d: [mjenv.transition_jacobian(m, d) for _ in range(100_000)],
        lambda m, d: [mjenv.forward(m, d) for _ in range(1_000_000)],
    ],
)
def test_other_calls_end(call):
    model = model_of()
    data = mjenv.Data(model, 64, nthread=2)
    _ = data.qacc, data.qfrc_inverse
    mjenv.transition_fd(model, data)
    mjenv.transition_jacobian(model, data)
    mjenv.inverse(model, data)
    assert interrupted(lambda: call(model, data)) < PATIENCE
    before = data.time.copy()
    mjenv.step(model, data)
    assert np.allclose(data.time, before + model.opt.timestep)


def test_packs_of_a_few_steps():
    """A few steps of so many worlds that they take long: some have taken them, others none."""
    model = model_of()
    data = mjenv.Data(model, 300_000, keep=[], nthread=1)
    mjenv.step(model, data)
    took = interrupted(lambda: mjenv.step(model, data, 15), after=0.3)
    assert took < PATIENCE
    counts = np.round(data.time / model.opt.timestep)
    assert counts.max() == 16
    assert counts.min() == 1


def test_handlers_decide():
    """One that only notes the signal ends nothing; its own errors are raised."""
    model = model_of()
    data = mjenv.Data(model, 64, nthread=1)
    mjenv.step(model, data, 2)
    noted = []
    before = signal.signal(signal.SIGINT, lambda *_: noted.append(time.monotonic()))
    try:
        timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        while not noted:
            mjenv.step(model, data, 20_000)
        timer.join()
        counts = np.round(data.time / model.opt.timestep).astype(int)
        assert len(set(counts)) == 1

        def refuse(*_):
            raise LookupError("by the handler")

        signal.signal(signal.SIGINT, refuse)
        assert interrupted(lambda: mjenv.step(model, data, 10_000_000), error=LookupError) < 1
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.slow
def test_steps_of_other_threads_are_left_alone():
    """The signal belongs to the main thread, wherever that is."""
    model = model_of()
    data = mjenv.Data(model, 64, nthread=2)
    mjenv.step(model, data, 2)
    began = time.monotonic()
    mjenv.step(model, data, 3000)
    # steps for a second or more, on whatever machine
    nstep = int(3000 / min(time.monotonic() - began, 1)) + 3000
    stepped = threading.Event()

    def work():
        mjenv.step(model, data, nstep)
        stepped.set()

    def work_and_wait():
        threading.Thread(target=work).start()
        stepped.wait()

    assert interrupted(work_and_wait) < PATIENCE
    assert stepped.wait(60)
    assert set(np.round(data.time / model.opt.timestep)) == {3002 + nstep}


def test_errors_of_hooks_end_long_steps():
    """What a hook raises is not found out a million steps later."""
    model = model_of()
    data = mjenv.Data(model, 16, nthread=2)

    def fail(model, worlds):
        if worlds.time[0] > 0.01:
            raise ValueError("enough")

    mjenv.set_hook(data, "control", fail)
    began = time.monotonic()
    with pytest.raises(ValueError, match="enough"):
        mjenv.step(model, data, 10_000_000)
    assert time.monotonic() - began < 10 * PATIENCE
    counts = np.round(data.time / model.opt.timestep)
    assert counts.min() >= 0
    assert counts.max() == 6


@pytest.mark.sweep(2)
@pytest.mark.parametrize("integrator", ["Euler", "RK4"])
@pytest.mark.parametrize("calls", [1, 5, 6, 7, 8])
def test_errors_of_hooks_leave_worlds_whole(integrator, calls):
    """Wherever in a step a hook fails, its world stays at the end of the step before."""
    actuator = '<general joint="j" dyntype="integrator" gainprm="2"/>'
    model = mjenv.Model.from_xml_string(
        MODEL.format(integrator=integrator).replace('<motor joint="j"/>', actuator)
    )
    left = [calls]

    def failing(model, worlds):
        left[0] -= 1
        if left[0] < 0:
            raise ValueError("enough")
        control(model, worlds)

    data, alone = mjenv.Data(model), mjenv.Data(model)
    for one in (data, alone):
        one.qvel[:, -1] = 1
    mjenv.set_hook(data, "control", failing)
    with pytest.raises(ValueError, match="enough"):
        mjenv.step(model, data, 10)
    mjenv.set_hook(alone, "control", control)
    whole = calls // (4 if integrator == "RK4" else 1)
    if whole:
        mjenv.step(model, alone, whole)
    for field in ("time", "qpos", "qvel", "act"):
        assert (getattr(data, field) == getattr(alone, field)).all(), field


@pytest.mark.slow
def test_nothing_is_written_about_signals():
    """Python tells on standard error of what callbacks lose."""
    script = """
        import os, signal, threading, mjenv
        m = mjenv.Model.from_xml_string("<mujoco><worldbody><body><joint/><geom size='.1'/></body>"
            "</worldbody></mujoco>")
        d = mjenv.Data(m, 64)
        mjenv.set_hook(d, "control", lambda model, worlds: None)
        mjenv.step(m, d)
        for k in range(20):
            threading.Timer(0.02, os.kill, (os.getpid(), signal.SIGINT)).start()
            try:
                mjenv.step(m, d, 100_000_000)
            except KeyboardInterrupt:
                print("interrupted")
    """
    found = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, timeout=120
    )
    assert found.stderr.replace("mjenv: compil", "").count("Exception") == 0, found.stderr
    assert found.stdout.split() == ["interrupted"] * 20
