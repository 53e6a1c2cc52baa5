"""Commands that a robot follows, by keys or a gamepad: forward, sideways, turning."""

from typing import TYPE_CHECKING, Any

import numpy as np

from mjenv.joystick import Joystick

if TYPE_CHECKING:
    from mjenv.task.task import Task

NOTCHES = 4  # steps of a key from standing still to the fastest
DEAD = 0.1  # of a stick's way around its middle that counts as none
UNITS = ("m/s forward", "m/s to the left", "rad/s to the left")
# axes of a gamepad's sticks -> part of the command, all the other way round
AXES = {0: 1, 1: 0, 3: 2}


class Commander:
    """Gives an environment commands in place of those that its task draws.

    Args:
        env: the environment without wrappers, whose task is a `mjenv.joystick.Joystick`.

    Attributes:
        aim: forward, sideways (m/s) and turning (rad/s), (3,); None while the task draws them.
    """

    def __init__(self, env: Any):
        self._env = env
        self.aim: np.ndarray | None = None

    @property
    def fastest(self) -> np.ndarray:
        """The largest commands, (3,)."""
        return np.asarray(self._env.task.fastest, np.float64)

    def change(self, part: int, notches: int) -> str:
        """Ask for more or less of a part of the command; the whole command, in words."""
        aim = np.zeros(3) if self.aim is None else self.aim
        most = self.fastest[part]
        count = np.rint(NOTCHES * aim[part] / most) + notches if most else 0
        return self._set(aim, part, count / NOTCHES)

    def stick(self, axis: int, value: float) -> str | None:
        """Obey a stick of a gamepad; None for an axis that means nothing.

        Args:
            axis: which one, as pygame counts them.
            value: from -1 to 1.
        """
        if axis not in AXES or (self.aim is None and abs(value) < DEAD):
            return None
        aim = np.zeros(3) if self.aim is None else self.aim
        return self._set(aim, AXES[axis], 0.0 if abs(value) < DEAD else -value)

    def _set(self, aim: np.ndarray, part: int, share: float) -> str:
        """Ask for a share of the fastest."""
        aim = aim.copy()
        aim[part] = np.clip(share, -1.0, 1.0) * self.fastest[part] + 0.0
        self.aim = aim
        return self.words()

    def stand(self) -> str:
        """Ask for nothing."""
        self.aim = np.zeros(3)
        return self.words()

    def give_back(self) -> str:
        """Let the task draw its commands again."""
        self.aim = None
        return "the task draws its commands"

    def put(self) -> None:
        """Have the command in the environment, as if it had just been drawn."""
        if self.aim is not None:
            self._env.task.take(self._env.task_state, self.aim)

    def words(self) -> str:
        """The command that is followed now."""
        command = np.ravel(self._env.task_state.command)
        command = command if self.aim is None else self.aim
        return ", ".join(f"{x:.2f} {unit}" for x, unit in zip(command, UNITS, strict=True))


def commander_of(env: Any) -> Commander | None:
    """Return the source of an environment's commands; None where its task takes none."""
    task: Task = env.task
    return Commander(env) if isinstance(task, Joystick) else None
