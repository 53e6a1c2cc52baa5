"""Tasks may read the rows of one element by its name: alone, among many worlds, compiled."""

import numpy as np
import pytest

import mjenv

MODEL = """
<mujoco>
  <worldbody>
    <body name="cart">
      <joint name="slide" type="slide" axis="1 0 0" range="-1 1"/>
      <geom name="box" type="box" size=".2 .1 .1"/>
      <body name="pole">
        <joint name="ball" type="ball"/>
        <geom type="capsule" fromto="0 0 0 0 0 .8" size=".04"/>
        <site name="tip" pos="0 0 .8"/>
      </body>
    </body>
  </worldbody>
  <actuator><motor name="push" joint="slide" gear="5" ctrlrange="-1 1"/></actuator>
  <sensor><framepos name="where" objtype="site" objname="tip"/></sensor>
</mujoco>"""


class Named(mjenv.Task):
    """Everything that is observed is found by name."""

    frame_skip = 2
    keep = ("xpos", "site_xpos", "geom_xmat", "actuator_force")

    def reset(self, rng):
        qpos = self.init_qpos + [1, 0, 0, 0, 0] * rng.uniform(-0.5, 0.5, 5)
        return qpos, rng.uniform(-1, 1, self.model.nv)

    def observation(self, data):
        return {
            "body": data.body("pole").xpos,
            "site": data.site("tip").xpos[..., :2],
            "geom": data.geom("box").xmat,
            "ball": data.joint("ball").qpos,
            "rates": data.jnt("ball").qvel,
            "slide": data.joint(0).qpos,
            "force": data.actuator("push").force,
            "sensor": data.sensor("where").data,
        }

    def outcome(self, data, action, before):
        return mjenv.Outcome(reward={"height": data.site("tip").xpos[..., 2]})


class Numbered(Named):
    """The same by the places of numbers."""

    def observation(self, data):
        return {
            "body": data.xpos[..., 2, :],
            "site": data.site_xpos[..., 0, :2],
            "geom": data.geom_xmat[..., 0, :],
            "ball": data.qpos[..., 1:5],
            "rates": data.qvel[..., 1:4],
            "slide": data.qpos[..., :1],
            "force": data.actuator_force[..., :1],
            "sensor": data.sensordata[..., :3],
        }

    def outcome(self, data, action, before):
        return mjenv.Outcome(reward={"height": data.site_xpos[..., 0, 2]})


@pytest.fixture(autouse=True)
def model(tmp_path, monkeypatch):
    path = tmp_path / "pole.xml"
    path.write_text(MODEL)
    monkeypatch.setattr(Named, "xml_file", str(path))


@pytest.mark.parametrize("compiled", [True, False])
def test_names_mean_the_same_places(compiled):
    """Also where some worlds start anew, and the task's functions are given these alone."""
    found = []
    for task in (Named, Numbered):
        envs = mjenv.VectorEnv(
            task=task, num_envs=9, compiled=compiled, max_episode_steps=5, autoreset_mode="SameStep"
        )
        rows = [envs.reset(seed=0)[0].copy()]
        envs.reset(options={"reset_mask": np.arange(9) % 2 == 0})
        for _ in range(12):
            observations, rewards, *_ = envs.step(np.full((9, 1), 0.5))
            rows += [observations.copy(), rewards.copy()[:, None]]
        found.append(np.concatenate(rows, axis=1))
        assert envs.compiled == compiled
        envs.close()
    assert found[0].tobytes() == found[1].tobytes()


def test_alone_and_among_many():
    assert mjenv.check_task(Named) is None


def test_single_numbers_are_arrays():
    """As in MuJoCo, and as with many worlds."""
    env = mjenv.Env(task=Named)
    env.reset(seed=0)
    data = env.unwrapped.data
    assert data.actuator("push").force.shape == (1,)
    data.actuator("push").ctrl = 0.25
    assert data.ctrl[0] == 0.25
    env.close()
