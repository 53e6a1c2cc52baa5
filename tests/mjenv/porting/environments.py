"""Small environments with a step and a reset of their own."""

import gymnasium as gym
import numpy as np

from mjenv.porting.vector import PortedVectorEnv

XML = """
<mujoco><option timestep="0.01"/><worldbody>
  <geom name="floor" type="plane" size="5 5 .1"/>
  <body name="cart" pos="0 0 .3"><joint name="x" type="slide" axis="1 0 0" damping="1"/>
    <joint name="turn" axis="0 1 0" damping=".1"/>
    <geom type="box" size=".2 .1 .1" mass="1"/><site name="front" pos=".2 0 0"/>
    <site name="middle"/></body>
  <body name="target" mocap="true"/>
</worldbody><actuator><motor joint="x" gear="10" ctrlrange="-1 1"/></actuator></mujoco>
"""


def environment(step, reset=None, xml=XML, observe=None):
    """A function that makes an environment with this step: a function of self and the action.

    Args:
        step: of self and the action.
        reset: of self, before the first forward dynamics.
        xml: the model.
        observe: of self; None for the sum of positions and velocities.
    """

    def make():
        import mujoco

        class Task(gym.Env):
            observation_space = gym.spaces.Box(-np.inf, np.inf, (2,), np.float64)
            action_space = gym.spaces.Box(-1, 1, (1,), np.float32)

            def __init__(self):
                self.model = mujoco.MjModel.from_xml_string(xml)
                self.data = mujoco.MjData(self.model)
                self.count, self.goal, self.lib = 0, np.zeros(2), mujoco

            def reset(self, *, seed=None, options=None):
                super().reset(seed=seed)
                mujoco.mj_resetData(self.model, self.data)
                self.count, self.goal = 0, self.np_random.uniform(-1, 1, 2)
                if xml is XML:
                    self.data.qpos[:] = self.np_random.uniform(-0.1, 0.1, 2)
                if reset is not None:
                    reset(self)
                mujoco.mj_forward(self.model, self.data)
                return self.observed(), {}

            def physics(self, nstep=3):
                mujoco.mj_step(self.model, self.data, nstep)

            def observed(self):
                if observe is not None:
                    return observe(self)
                return self.data.qpos + self.data.qvel

            def step(self, action):
                return step(self, action)

        return Task()

    return make


def plain(self, action, reward=0.0, terminated=False, info=None):
    """The rest of a step."""
    return self.observed(), reward, terminated, False, info or {}


def in_place(self, action):
    self.data.ctrl[:] = action
    self.physics()
    reward = -np.abs(self.data.qpos[0])
    if self.data.site("front").xpos[0] > 0.2:
        reward += 1.0
        self.goal[0] *= 0.5
    return plain(self, action, reward + self.goal[0])


def lengths_where_some_begin_anew(make, name):
    """Play worlds that begin anew at other times than others, traced and in Python, and compare.

    Returns:
        Of each step the lengths of the list or dict `name` in the worlds.
    """
    traced, python = (PortedVectorEnv(make, 5, way=way) for way in ("traced", "world by world"))
    found = [envs.reset(seed=3)[0] for envs in (traced, python)]
    lengths = []
    for k in range(30):
        again = {"reset_mask": np.arange(5) == k % 5}
        found = [envs.reset(options=again)[0] for envs in (traced, python)] if k % 3 == 0 else found
        np.testing.assert_array_equal(*found)
        steps = [envs.step(np.full((5, 1), 0.5, np.float32)) for envs in (traced, python)]
        for ours, theirs in zip(*(one[:4] for one in steps), strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-14)
        lengths.append(traced._worlds.attributes[f"{name}.length"].tolist())
    return lengths
