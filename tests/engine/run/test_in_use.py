"""Data in use: hooks that step, threads that share data, and a pool that nobody waits for."""

import copy
import pickle
import threading
from functools import partial

import numpy as np
import pytest

import mjenv
from mjenv.engine.errors import DataInUse
from mjenv.engine.simd.threads import share

XML = """
<mujoco>
  <worldbody>
    <body><joint name="j"/><geom name="g" size="0.1" pos="0.2 0 0"/></body>
  </worldbody>
  <actuator><motor joint="j"/></actuator>
</mujoco>
"""
# what works on data, or reads and sets what a step does
CALLS = {
    "step": lambda m, d: mjenv.step(m, d),
    "forward": lambda m, d: mjenv.forward(m, d),
    "inverse": lambda m, d: mjenv.inverse(m, d),
    "step1": lambda m, d: mjenv.step1(m, d),
    "step2": lambda m, d: mjenv.step2(m, d),
    "forward_skip": lambda m, d: mjenv.forward_skip(m, d, "pos"),
    "kinematics": lambda m, d: mjenv.kinematics(m, d),
    "reset": lambda m, d: mjenv.reset(m, d),
    "rollout": lambda m, d: mjenv.rollout(m, d, nstep=2),
    "get_state": lambda m, d: mjenv.get_state(m, d, 1),
    "set_state": lambda m, d: mjenv.set_state(m, d, [0.0], 1),
    "copy": lambda m, d: copy.deepcopy(d),
    "pickle": lambda m, d: pickle.dumps(d),
    "set_hook": lambda m, d: mjenv.set_hook(d, "passive", print),
    "jac_body": lambda m, d: mjenv.jac_body(m, d, 1),
    "transition_fd": lambda m, d: mjenv.transition_fd(m, d),
    "update_scene": lambda m, d: mjenv.Renderer(m, 8, 8).update_scene(d),
    "render_worlds": lambda m, d: mjenv.Renderer(m, 8, 8).render_worlds(d),
}
QUICK = ("step", "forward", "reset", "get_state", "copy", "set_hook", "jac_body")


@pytest.fixture(scope="module")
def model():
    return mjenv.Model.from_xml_string(XML)


def step_in_thread(model, data):
    """Have another thread in the middle of a step: (thread, what lets it go on)."""
    inside, go = threading.Event(), threading.Event()

    def wait(model, worlds):
        inside.set()
        assert go.wait(60)

    mjenv.set_hook(data, "control", wait)
    thread = threading.Thread(target=mjenv.step, args=(model, data))
    thread.start()
    assert inside.wait(60)
    return thread, go


@pytest.mark.parametrize("nworld", [1, 20])
def test_data_that_another_thread_steps_are_refused(model, nworld):
    data = mjenv.Data(model, nworld, nthread=2)
    _ = data.qacc, data.qfrc_inverse, data.efc_force
    thread, go = step_in_thread(model, data)
    try:
        for name in CALLS:
            with pytest.raises(DataInUse, match=r"another call is working on.*expected one call"):
                CALLS[name](model, data)
        before = data.time.copy()
    finally:
        go.set()
        thread.join()
    assert (before == 0).all()
    assert (data.time == model.opt.timestep).all()
    mjenv.set_hook(data, "control", None)
    mjenv.step(model, data)
    assert (data.time == 2 * model.opt.timestep).all()


def test_late_fields_and_edits_wait_for_no_step(model):
    """Fields that are computed when looked at, and edits that rebuild data."""
    own = mjenv.Model.from_xml_string(XML)
    data = mjenv.Data(own)
    thread, go = step_in_thread(own, data)
    try:
        with pytest.raises(DataInUse, match=r"^Data\.\w+: found data that another call"):
            _ = data.qM
        own.geom_condim[:] = 4
        with pytest.raises(DataInUse, match=r"^step: found data"):
            data.plan.refresh_idle()
    finally:
        go.set()
        thread.join()
    assert data.qM.shape == (1, 1)


@pytest.mark.parametrize("name", [*QUICK])
@pytest.mark.parametrize(("nworld", "nthread"), [(1, 1), (64, 1), (64, 2)])
def test_hooks_must_not_work_on_their_own_data(model, name, nworld, nthread):
    data = mjenv.Data(model, nworld, nthread=nthread)
    calls = []

    def hook(model, worlds):
        calls.append(name)
        CALLS[name](model, data)

    mjenv.set_hook(data, "control", hook)
    with pytest.raises(DataInUse, match="called in a hook, with the data that the hook belongs to"):
        mjenv.step(model, data, 5)
    assert 1 <= len(calls) <= nthread
    # no world has taken a step without the hook
    assert set(data.time) == {0.0}
    mjenv.set_hook(data, "control", None)
    mjenv.step(model, data)
    assert set(data.time) == {model.opt.timestep}


def test_what_hooks_are_given_is_no_data(model):
    data = mjenv.Data(model)
    mjenv.set_hook(data, "control", mjenv.step)
    with pytest.raises(AttributeError, match=r"in the middle of a step.*others, made with Data"):
        mjenv.step(model, data)


@pytest.mark.parametrize("nthread", [1, 2, 3])
def test_hooks_step_other_data(model, nthread):
    """Three deep, each with threads; the bits are those of steps outside of hooks."""
    outer, middle, inner = (mjenv.Data(model, 40, nthread=nthread) for _ in range(3))
    rng = np.random.default_rng(0)
    for data in (outer, middle, inner):
        data.qvel[:] = rng.normal(size=data.qvel.shape)
    wanted = copy.deepcopy(middle), copy.deepcopy(inner)
    calls = [0]

    def think(model, worlds):
        mjenv.step(model, inner, 2)

    def plan(model, worlds):
        calls[0] += 1
        mjenv.step(model, middle, 3)
        worlds.ctrl[:] = 0.25

    mjenv.set_hook(middle, "control", think)
    mjenv.set_hook(outer, "control", plan)
    done = threading.Thread(target=mjenv.step, args=(model, outer, 4), daemon=True)
    done.start()
    done.join(60)
    assert not done.is_alive(), "a hook that steps other data never returns"
    assert calls == [20]  # packs of eight worlds, four steps
    mjenv.step(model, wanted[0], 60)
    mjenv.step(model, wanted[1], 60 * 5 * 2)
    assert (wanted[0].qpos == middle.qpos).all()
    assert (wanted[1].qpos == inner.qpos).all()
    assert (outer.ctrl == 0.25).all()


def test_hooks_of_one_call_take_turns(model):
    """Functions in Python need not care for threads."""
    data = mjenv.Data(model, 64, nthread=4)
    inside, most = [], []

    def hook(model, worlds):
        inside.append(1)
        most.append(len(inside))
        threading.Event().wait(0.002)
        inside.pop()

    mjenv.set_hook(data, "control", hook)
    mjenv.step(model, data, 2)
    assert most == [1] * 16


def test_threads_with_data_of_their_own(model):
    """Nested calls of several threads, with more of them than the pool has."""
    alone = mjenv.Data(model, 40)
    alone.qvel[:] = 1.0
    several = [copy.deepcopy(alone) for _ in range(6)]
    mjenv.step(model, alone, 50)

    def work(data):
        other = copy.deepcopy(data)
        mjenv.set_hook(data, "control", lambda model, worlds: mjenv.forward(model, other))
        mjenv.step(model, data, 50)

    threads = [threading.Thread(target=work, args=(data,), daemon=True) for data in several]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    assert all((data.qpos == alone.qpos).all() for data in several)


# ---------------------------------------------------------------- the pool


def test_a_caller_does_what_nobody_has_begun():
    """A nested call, when every thread of the pool is in one itself."""
    done = []

    def outer(k):
        share([partial(done.append, (k, i)) for i in range(3)])

    thread = threading.Thread(
        target=share, args=([partial(outer, k) for k in range(8)],), daemon=True
    )
    thread.start()
    thread.join(30)
    assert not thread.is_alive()
    assert sorted(done) == [(k, i) for k in range(8) for i in range(3)]


def test_errors_of_others_are_raised_when_all_have_ended():
    ended, begun = [], threading.Barrier(4)

    def run(k):
        begun.wait(30)
        threading.Event().wait(0.01 * k)
        ended.append(k)
        if k == 2:
            raise ValueError("of the third")

    with pytest.raises(ValueError, match="of the third"):
        share([partial(run, k) for k in range(4)])
    assert sorted(ended) == [0, 1, 2, 3]


def test_an_error_of_the_caller_stops_the_others():
    stopped, begun = threading.Event(), threading.Event()

    def run(k):
        if k:
            begun.set()
            assert stopped.wait(30)
        else:
            assert begun.wait(30)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        share([partial(run, k) for k in range(2)], stopped.set)
