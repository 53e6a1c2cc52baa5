"""Base of the tasks of the suite: observations of the new state, and numpy's older generator."""

from collections.abc import Generator
from typing import Any, TypeAlias

import numpy as np

from mjenv.engine.tables.enums import JNT_BALL, JNT_FREE, JNT_HINGE, JNT_SLIDE
from mjenv.rewards import tolerance
from mjenv.task.task import Outcome, Task, sum_squares

# a start of several trials: at each `yield`, what follows from the state is computed
Trials: TypeAlias = Generator[None, None, None]


class SuiteTask(Task):
    """A task whose results are those of dm_control's: same seed, same TimeSteps.

    A domain's file has a class for each task, named as the task: `swingup_sparse` is
    `SwingupSparse`. Its function `begin` starts an episode in one world, drawing from a
    `numpy.random.RandomState`.

    Attributes:
        _shapes: parts of the observation whose shape is not (size,), with their shapes.
    """

    _renewed = True
    _shapes: tuple[tuple[str, tuple[int, ...]], ...] = ()

    def __init__(self, *values: Any, **parameters: Any):
        """Compile the model, as `Task` does, and edit it."""
        super().__init__(*values, **parameters)
        self.edit()

    def edit(self) -> None:
        """Change the compiled model: what differs between tasks that share it."""

    def begin(self, world: Any, random: np.random.RandomState) -> Trials | int | None:
        """Start an episode in a world that was cleared.

        It may be a generator, which tries states: see `Trials`.

        Args:
            world: the fields of the world, see `mjenv.stepping.reset_with_physics.ResetContext`.
            random: its random numbers.

        Returns:
            How many physics steps it takes to come to rest, after which time is 0.
        """
        raise NotImplementedError

    def _reset_with_physics(self, world: Any, random: np.random.RandomState) -> Trials | int | None:
        return self.begin(world, random)

    def _generator(self, seed: int) -> np.random.RandomState:
        return generator_of(seed)

    # elements by name

    def geom(self, name: str) -> int:
        """Number of a geom."""
        return self.model.geom(name).id

    def body(self, name: str) -> int:
        """Number of a body."""
        return self.model.body(name).id

    def site(self, name: str) -> int:
        """Number of a site."""
        return self.model.site(name).id

    def qposadr(self, *joints: str) -> list[int]:
        """Addresses of the (first) positions of joints."""
        return [int(self.model.jnt_qposadr[self.model.joint(name).id]) for name in joints]

    def dofadr(self, *joints: str) -> list[int]:
        """Addresses of the (first) velocities of joints."""
        return [int(self.model.jnt_dofadr[self.model.joint(name).id]) for name in joints]

    def sensor(self, data: Any, name: str) -> Any:
        """Readings (..., dim) of a sensor."""
        number = self.model.sensor(name).id
        start = int(self.model.sensor_adr[number])
        return data.sensordata[..., start : start + int(self.model.sensor_dim[number])]


class Random(np.random.RandomState):
    """A RandomState that can be compared as Gymnasium compares generators."""

    @property
    def bit_generator(self) -> "Random":
        """The owner of the state: itself."""
        return self

    @property
    def state(self) -> dict[str, Any]:
        """The state, equal for equal generators."""
        name, key, *rest = self.get_state(legacy=True)
        return {"bit_generator": name, "state": (np.asarray(key).tobytes(), *rest)}

    def __reduce__(self) -> tuple:
        return _random_in, (self.get_state(legacy=True),)


def _random_in(state: Any) -> Random:
    """Random numbers that go on from a state."""
    random = Random(0)
    random.set_state(state)
    return random


def generator_of(seed: int) -> Random:
    """Random numbers of a seed: numpy's own, and for seeds that it refuses ones of their words."""
    words: Any = seed if seed < 1 << 32 else np.random.SeedSequence(seed).generate_state(8)
    return Random(words)


def rewarded(**terms: Any) -> Outcome:
    """Outcome of a step: the product of the terms, which are reported too."""
    product: Any = None
    for term in terms.values():
        product = term if product is None else product * term
    return Outcome({"reward_task": product}, info=terms)


def distance(a: Any, b: Any) -> Any:
    """Distances (...) of places (..., n)."""
    return np.sqrt(sum_squares(a - b))


def into_frame(vector: Any, frame: Any) -> Any:
    """Vectors (..., 3) of the world in the axes of frames (..., 9)."""
    x, y, z = (vector[..., i : i + 1] for i in range(3))
    return x * frame[..., 0:3] + y * frame[..., 3:6] + z * frame[..., 6:9]


def small_control(data: Any) -> Any:
    """1 without controls, 0.8 at their limits of 1: the mean over all, (...)."""
    quiet = tolerance(data.ctrl, margin=1, value_at_margin=0, sigmoid="quadratic")
    return (np.add.reduce(quiet, axis=-1) / quiet.shape[-1] + 4) / 5


def randomize_joints(world: Any, random: np.random.RandomState) -> None:
    """Draw positions of joints: within their ranges, or any angle; only turns of free joints."""
    model = world.model
    for joint, (low, high) in enumerate(model.jnt_range):
        kind, start = model.jnt_type[joint], model.jnt_qposadr[joint]
        if kind in (JNT_HINGE, JNT_SLIDE):
            if model.jnt_limited[joint]:
                world.qpos[start] = random.uniform(low, high)
            elif kind == JNT_HINGE:
                world.qpos[start] = random.uniform(-np.pi, np.pi)
        elif kind == JNT_FREE:
            # as the package draws them, not uniformly
            turn = random.rand(4)
            world.qpos[start + 3 : start + 7] = turn / np.sqrt(sum_squares(turn))
        elif kind == JNT_BALL:
            world.qpos[start : start + 4] = _ball(model.jnt_limited[joint], high, random)


def _ball(limited: bool, most: float, random: np.random.RandomState) -> np.ndarray:
    """A turn (4,) of a ball joint, by no more than its limit in radians."""
    if not limited:
        turn = random.randn(4)
        return turn / np.sqrt(sum_squares(turn))
    axis = random.randn(3)
    half = random.rand() * most / 2
    return np.array([np.cos(half), *np.sin(half) * axis / np.sqrt(sum_squares(axis))])
