"""A task for dm_control's `control.Environment`, as a user would write one."""

import numpy as np
from dm_control import mujoco
from dm_control.rl import control
from dm_control.suite import base

XML = """
<mujoco><option timestep="0.01"/><worldbody>
  <geom name="floor" type="plane" size="5 5 .1"/>
  <body name="cart" pos="0 0 .3"><joint name="x" type="slide" axis="1 0 0" damping="1"/>
    <joint name="turn" axis="0 1 0" damping=".1"/>
    <geom name="box" type="box" size=".2 .1 .1" mass="1"/><site name="front" pos=".2 0 0"/></body>
</worldbody>
<actuator><position joint="x" kp="10" ctrlrange="-1 1"/></actuator>
<sensor><accelerometer name="felt" site="front"/><framepos name="seen" objtype="site"
  objname="front"/></sensor></mujoco>
"""


class Reach(base.Task):
    """Go to a place that each episode draws; the episode ends with discount 0 far away."""

    def __init__(self, random=None, far=0.25):
        self._far, self.count = far, 0
        super().__init__(random=random)

    def initialize_episode(self, physics):
        self.goal = self.random.uniform(-1, 1)
        physics.named.data.qpos["x"] = 0.1 * self.random.randn()
        if self.random.rand() < 0.5:
            self.goal += self.random.uniform(0, 1 if self.goal > 0 else 2)
        super().initialize_episode(physics)

    def after_step(self, physics):
        self.count += 1
        super().after_step(physics)

    def get_observation(self, physics):
        front = physics.named.data.site_xpos["front", ["x", "z"]]
        felt = physics.named.data.sensordata[["felt", "seen"]]
        return {"front": front - self.goal, "speed": physics.velocity(), "felt": felt,
                "count": float(self.count)}  # fmt: skip

    def get_reward(self, physics):
        return -abs(physics.named.data.qpos["x"][0] - self.goal)

    def get_termination(self, physics):
        return 0.0 if physics.named.data.qpos["x"][0] > self._far else None


def reach(time_limit=0.4, legacy_step=True, **kwargs):
    """The environment."""
    physics = mujoco.Physics.from_xml_string(XML)
    return control.Environment(
        physics, Reach(**kwargs), time_limit, n_sub_steps=2, legacy_step=legacy_step
    )


class WritesAfterwards(Reach):
    """Moves the cart when the physics have been called."""

    def after_step(self, physics):
        physics.data.qpos[1] = 0.0


def writes_afterwards():
    """An environment whose steps go on from half a state."""
    return control.Environment(mujoco.Physics.from_xml_string(XML), WritesAfterwards())


class Noisy(Reach):
    """Has noise of a second generator."""

    def __init__(self):
        super().__init__()
        self.noise = np.random.RandomState(0)

    def get_reward(self, physics):
        return self.noise.rand()


def noisy():
    """An environment with two generators."""
    return control.Environment(mujoco.Physics.from_xml_string(XML), Noisy())


def composed():
    """An environment of composer, whose entities are compiled anew for each episode."""
    from dm_control import composer
    from dm_control.locomotion.arenas import floors
    from dm_control.locomotion.tasks import go_to_target
    from dm_control.locomotion.walkers import jumping_ball

    walker = jumping_ball.JumpingBallWithHead()
    task = go_to_target.GoToTarget(walker, floors.Floor(size=(4, 4)))
    return composer.Environment(task, time_limit=1.0, random_state=3)
