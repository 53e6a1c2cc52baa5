"""Robots that follow a joystick: commands that are drawn anew every few seconds."""

from typing import TYPE_CHECKING, Any

import numpy as np

from mjenv import terms
from mjenv.task.task import Fields, Task

if TYPE_CHECKING:
    from mjenv.task.random_streams import Streams


class Joystick(Task):
    """A task with a command of its own: forward, sideways (m/s) and turning (rad/s).

    Its arrays are `command`, `last_action` and `steps` since the last command. A robot's `reset`
    adds `**self.draw(rng)` to what it returns; `state` and `update` may be extended.
    """

    fastest = (1.0, 0.4, 1.0)  # commands go from minus these to these
    seconds: Any = 4.0  # between commands
    still = 0.1  # the share of commands to stand

    @property
    def state(self):
        return {"command": np.zeros(3), "last_action": np.zeros(self.model.nu), "steps": 0}

    def draw(self, rng: "Streams"):
        high = np.asarray(self.fastest)
        moving = rng.uniform(0, 1, 1) > self.still
        return {"command": rng.uniform(-high, high) * moving, "steps": 0}

    def due(self, data: Fields):
        return data.state.steps * self.dt >= self.seconds

    def take(self, state: Any, command: np.ndarray) -> None:
        """Follow a command that comes from outside, such as from a keyboard.

        Args:
            state: the environment's `task_state`, which is written to.
            command: (3,), or one for each world.
        """
        state.command, state.steps = command, 0

    def moving(self, data: Fields):
        """True where the robot is asked to move: bool (...)."""
        return terms.squares(data.state.command) > 0.01

    def update(self, data: Fields, action: np.ndarray, before: Fields):
        return {"last_action": action, "steps": data.state.steps + 1}

    def info(self, data: Fields):
        return {"command": data.state.command}
