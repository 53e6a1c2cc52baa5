"""Contacts in tasks: the same in one world and in many, and MuJoCo's forces."""

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv import contacts

XML = """
<mujoco>
  <option timestep="0.005" cone="{cone}"/>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 1" friction="1 .1 .1"/>
    <body pos="0 0 .11">
      <freejoint/>
      <geom name="ball" size=".1" condim="4"/>
      <body pos=".09 0 0">
        <joint name="hinge" axis="0 1 0"/>
        <geom name="bar" type="capsule" fromto="0 0 0 .3 0 0" size=".03"/>
      </body>
    </body>
    <body pos=".7 0 .11"><freejoint/><geom name="box" type="box" size=".1 .1 .1" condim="6"/></body>
  </worldbody>
  <actuator><motor joint="hinge" ctrlrange="-1 1"/></actuator>
</mujoco>
"""


@pytest.fixture(autouse=True, params=["pyramidal", "elliptic"])
def cone(request, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "heap.xml").write_text(XML.format(cone=request.param))


class Heap(mjenv.Task):
    """Things that fall and touch each other."""

    xml_file = "./heap.xml"
    frame_skip = 5
    keep = ("contact", "efc_force")

    def reset(self, rng):
        qpos = self.init_qpos + 0.02 * rng.uniform(-1, 1, self.model.nq)
        return qpos, 0.5 * rng.normal(size=self.model.nv)

    def observation(self, data):
        count = contacts.number(data, "box", "floor")
        push = contacts.force(data, ("ball", "bar"), "floor")
        return {"qpos": data.qpos, "count": count[..., None], "push": push}

    def before(self, data):
        return contacts.number(data, "floor")

    def outcome(self, data, action, before):
        deepest = data.contact.dist.min(axis=-1)
        reward = {"load": contacts.force(data, "floor")[..., 2], "deepest": deepest}
        return mjenv.Outcome(reward, info={"touching": contacts.number(data, "floor", [1, 2, 3])})


def test_one_world_and_many():
    reason = mjenv.check_task(Heap, steps=30)
    assert "sensors (touch, contact) tell the same to compiled tasks" in (reason or "")


def test_forces_are_mujocos():
    env = mjenv.Env(task=Heap)
    env.reset(seed=1)
    model = mujoco.MjModel.from_xml_path("heap.xml")
    data = mujoco.MjData(model)
    found = 0
    for _ in range(20):
        env.step(np.zeros(1))
        data.qpos[:], data.qvel[:] = env.data.qpos, env.data.qvel
        data.qacc_warmstart[:] = env.data.batch.qacc_warmstart[0]
        mujoco.mj_forward(model, data)
        mjenv.forward(env.model, env.data)
        expected = {name: np.zeros(3) for name in ("floor", "ball", "bar", "box")}
        counts = dict.fromkeys(expected, 0)
        for i, contact in enumerate(data.contact):
            force = np.zeros(6)
            mujoco.mj_contactForce(model, data, i, force)
            world = contact.frame.reshape(3, 3).T @ force[:3]
            for sign, geom in zip((-1, 1), contact.geom, strict=True):
                name = model.geom(geom).name
                expected[name] += sign * world
                counts[name] += 1
        seen = env._worlds.readable
        for name, force in expected.items():
            np.testing.assert_allclose(contacts.force(seen, name), force, atol=1e-6)
            assert contacts.number(seen, name) == counts[name]
        pair = contacts.force(seen, "box", "floor") + contacts.force(seen, "floor", "box")
        assert (pair == 0.0).all()
        found += counts["floor"]
    assert found > 20


def test_some_worlds_and_saved_ones():
    envs, other = (mjenv.VectorEnv(task=Heap, num_envs=4) for _ in range(2))
    envs.reset(seed=0)
    for _ in range(8):
        envs.step(np.zeros((4, 1)))
    other.reset(seed=9)
    other.restore_state(envs.save_state())
    some = np.array([3, 1])
    results = [e.step_some(np.zeros((2, 1)), some) for e in (envs, other)]
    np.testing.assert_equal(results[0], results[1])
    assert results[0][4]["touching"].shape == (2,)
    single = mjenv.Env(task=Heap)
    single.restore_state(envs.save_state([2])[0])
    found, expected = single.step(np.zeros(1)), envs.step(np.zeros((4, 1)))
    assert found[1] == expected[1][2]
    assert (found[0] == expected[0][2]).all()


def test_rows_behind_the_last_are_empty():
    for env in (mjenv.Env(task=Heap), mjenv.VectorEnv(task=Heap, num_envs=3)):
        env.reset(seed=0)
        env.data.qpos[..., 2] = 0.09
        env.step(np.zeros((*env._worlds.action_shape,)))
        rows = env._worlds.readable.contact
        empty = np.arange(rows.dist.shape[-1]) >= np.asarray(env.data.ncon)[..., None]
        assert (rows.geom[empty] == -1).all()
        assert (rows.dist[empty] == 0.0).all()
        assert empty.any()
        assert rows.most >= 1
        with pytest.raises(TypeError, match=r"an assignment to data\.contact\.dist, exp"):
            rows.dist = 0.0
        with pytest.raises(ValueError, match="read-only"):
            rows.dist[...] = 0.0


def task(**members):
    return type("Mine", (Heap,), members)


def test_numbers_need_no_forces():
    def outcome(self, data, action, before):
        return mjenv.Outcome({"touching": 1.0 * contacts.number(data, "floor")})

    def observation(self, data):
        return {"qpos": data.qpos}

    mjenv.check_task(task(keep=("contact",), outcome=outcome, observation=observation), steps=3)


def test_what_is_missing_is_named():
    with pytest.raises(AttributeError, match=r"Mine.*efc_force.*keep = \('contact', 'efc_force'\)"):
        mjenv.check_task(task(keep=("contact",)))
    with pytest.raises(AttributeError, match=r"Mine.*contact.*keep = \('efc_force', 'contact'\)"):
        mjenv.check_task(task(keep=("efc_force",)))
    wrong = task(observation=lambda self, data: {"x": contacts.number(data, "bal")[..., None]})
    with pytest.raises(KeyError, match="did you mean 'ball'"):
        mjenv.check_task(wrong)
    with pytest.raises(AttributeError, match="no such field; did you mean 'dist'"):
        mjenv.check_task(task(observation=lambda self, data: {"x": data.contact.dst}))
