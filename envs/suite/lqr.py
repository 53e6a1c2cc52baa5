"""LQR: a chain of springs is brought to rest; how is known (linear quadratic regulator)."""

from typing import Any

import numpy as np

from mjenv.engine.edit.spec import Spec
from mjenv.envs.suite.suite_task import SuiteTask
from mjenv.task.task import Fields, Outcome, sum_squares

CONTROL_COST = 0.1
STIFFNESS = (15, 25)  # N/m
AT_REST = 1e-6  # norm of the state at which the task ends


class Lqr(SuiteTask):
    """Bring a chain of balls to rest, some of which have motors.

    The stiffness of the springs is drawn when the model is made: from a seed, or from a
    `numpy.random.RandomState` that initial states are drawn from afterwards.
    """

    xml_file = "suite/lqr.xml"
    num_bodies = 2
    num_actuators = 1
    random: Any = 0

    def build(self, spec: Spec):
        random = self.random
        if not isinstance(random, np.random.RandomState):
            random = np.random.RandomState(random)
        parent = spec.worldbody
        for number in range(self.num_bodies):
            body = parent.add_body(name=f"body_{number}", pos=(0.25, 0, 0 if number else 0.1))
            stiffness, damping = random.uniform(*STIFFNESS), random.uniform(0, 0)
            body.add_joint(name=f"joint_{number}", stiffness=stiffness, damping=damping)
            body.add_geom(name=f"geom_{number}")
            body.add_site(name=f"site_{number}")
            if number < self.num_actuators:
                spec.actuator.add_motor(name=f"motor_{number}", joint=f"joint_{number}")
            # strings that are only seen
            if number:
                string = spec.tendon.add_spatial(name=f"tendon_{number - 1}")
                string.add_site(site=f"site_{number - 1}")
                string.add_site(site=f"site_{number}")
            parent = body

    def begin(self, world: Any, random: np.random.RandomState):
        drawn = random.randn(self.model.nq)
        world.qpos[:] = np.sqrt(2) * drawn / np.sqrt(sum_squares(drawn))

    def observation(self, data: Fields):
        return {"position": data.qpos, "velocity": data.qvel}

    def outcome(self, data: Fields, action: np.ndarray, before: Fields):
        away = sum_squares(data.qpos)
        cost = {
            "reward_rest": 1 - 0.5 * away,
            "reward_ctrl": -CONTROL_COST * 0.5 * sum_squares(data.ctrl),
        }
        return Outcome(cost, np.sqrt(away + sum_squares(data.qvel)) < AT_REST)


class Lqr21(Lqr):
    """Bring two balls to rest with one motor."""


class Lqr62(Lqr):
    """Bring six balls to rest with two motors."""

    num_bodies = 6
    num_actuators = 2
