"""Tasks of dm_control as environments of Gymnasium, whose steps call the task's own hooks.

What `control.Environment` does around them is done here: the time limit is Gymnasium's, and an
episode that a task ends with discount 0 is terminated.
"""

import importlib
import math
from collections.abc import Callable, Iterable
from typing import Any, SupportsFloat

import gymnasium
import numpy as np

from mjenv.porting.symbols.refusals import NoNewEpisode

UNLIMITED = 1e10  # dm_control's limits of actuators that have none
COMPOSED = (
    "it compiles a model anew for its episodes, or is no control.Environment: expected "
    "control.Environment(physics, task)"
)


class ControlEnv(gymnasium.Env):
    """A physics and a task of dm_control, one world.

    Attributes:
        physics, task: of the `control.Environment`.
        parts: objects whose classes belong to the environment.
        not_traced: why its steps cannot be traced; "" for they may be.
        ends_unstable: whether episodes of many worlds end where one becomes unstable.
    """

    not_traced, ends_unstable = "", True

    def __init__(self, environment: Any, flatten: bool):
        """Take a `control.Environment` apart, which has had a first episode.

        Args:
            environment: see the class.
            flatten: whether observations are one array instead of a dict.
        """
        first = environment.reset().observation
        self.physics, self.task, self.flatten = environment.physics, environment.task, flatten
        self.parts = (environment, self.physics, self.task)
        self.nstep = round(environment.control_timestep() / self.physics.timestep())
        self._np_random: Any = generator_of(self.task)
        self.action_space = box_of(environment.action_spec())
        self.observation_space = space_of(first, flatten)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        """Start an episode, which a seed makes that of a task with `random=seed`."""
        if seed is not None:
            seed_in_place(self._np_random, seed)
        with self.physics.reset_context():
            self.task.initialize_episode(self.physics)
        return self._observed(), {}

    def step(self, action: Any) -> tuple[Any, SupportsFloat, bool, bool, dict[str, Any]]:
        """Advance by a step of the task."""
        physics, task = self.physics, self.task
        task.before_step(action, physics)
        physics.step(self.nstep)
        task.after_step(physics)
        reward = float(task.get_reward(physics))
        observation = self._observed()
        discount = task.get_termination(physics)
        ends = discount is not None
        discount = discount if ends else 1.0
        return (
            observation, reward, ends and discount == 0.0, ends and discount != 0.0,
            {"discount": discount},
        )  # fmt: skip

    def _observed(self) -> Any:
        seen = self.task.get_observation(self.physics)
        if not self.flatten:
            return {name: np.asarray(value, np.float64) for name, value in seen.items()}
        return np.concatenate([np.ravel(value) for value in seen.values()])


class ComposedEnv(gymnasium.Env):
    """Any environment with dm_env's interface, one world; its steps are not traced.

    Attributes:
        environment: the other one.
        parts, not_traced: as of `ControlEnv`.
    """

    not_traced = COMPOSED

    def __init__(self, environment: Any, flatten: bool):
        """Take an environment, and have its first episode.

        Args:
            environment: see the class.
            flatten: whether observations are one array instead of a dict.
        """
        self.environment, self.flatten, self.parts = environment, flatten, (environment,)
        self.action_space = box_of(environment.action_spec())
        self.observation_space = space_of(environment.reset().observation, flatten)

    @property
    def data(self) -> Any:
        """The present `MjData`, which episodes may replace."""
        return self.environment.physics.data.ptr

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        """Start an episode."""
        if seed is not None:
            seed_in_place(generator_of(self.environment), seed)
        return self._observed(self.environment.reset()), {}

    def step(self, action: Any) -> tuple[Any, SupportsFloat, bool, bool, dict[str, Any]]:
        """Advance by a step."""
        found = self.environment.step(action)
        ends = bool(found.last())
        reward = 0.0 if found.reward is None else float(found.reward)
        terminated = ends and found.discount == 0.0
        return (
            self._observed(found), reward, terminated, ends and not terminated,
            {"discount": found.discount},
        )  # fmt: skip

    def _observed(self, found: Any) -> Any:
        if self.flatten:
            return np.concatenate([np.ravel(one) for one in found.observation.values()])
        return {name: np.asarray(one, np.float64) for name, one in found.observation.items()}


def dm_control_task(name: str, *, flatten: bool = True, **kwargs: Any) -> gymnasium.Env:
    """Make a task of the suite.

    Args:
        name: domain and task, such as "cheetah-run" and "ball_in_cup-catch". Where a task draws its
            model (lqr), that is the one of `random=0`, unless another is given.
        flatten: see `ControlEnv`.
        **kwargs: of the task.

    Raises:
        ValueError: there is no such task.
    """
    suite = importlib.import_module("dm_control.suite")
    domain, _, task = name.partition("-")
    known = suite.TASKS_BY_DOMAIN
    if task not in known.get(domain, ()):
        near = [f"{domain}-{one}" for one in known.get(domain, ())] or sorted(known)
        raise ValueError(f"dm_control/{name}: no such task, expected one of {', '.join(near)}")
    made = suite.load(domain, task, task_kwargs={"random": 0, **kwargs})
    if kwargs.get("random") is None:
        seed_in_place(made.task.random, None)
    return adapted(made, flatten)


def is_dm_env(value: Any) -> bool:
    """True for environments with dm_env's interface."""
    return any(kind.__module__.startswith("dm_env") for kind in type(value).__mro__)


def adapted(environment: Any, flatten: bool = True) -> gymnasium.Env:
    """An environment with dm_env's interface as one of Gymnasium, with its time limit."""
    if not _is_control(environment):
        return ComposedEnv(environment, flatten)
    env = ControlEnv(environment, flatten)
    limit = environment._step_limit
    if math.isinf(limit):
        return env
    return gymnasium.wrappers.TimeLimit(env, math.ceil(limit))


def within_episodes(step: Callable, objects: Iterable[Any]) -> Callable:
    """A step of an environment that holds one of dm_control, as a bridge to Gymnasium does.

    Behind the last step of an episode, dm_control's own `step` starts another. Here it never gets
    there: worlds start when the bridge has said that the episode is over, which it has to.

    Args:
        step: a method.
        objects: those of the environment.
    """
    controls = [one for one in objects if _is_control(one)]

    def advance(*args: Any) -> Any:
        for one in controls:
            one._reset_next_step = False
        found = step(*args)
        for one in controls:
            if one._reset_next_step and not (found[2] or found[3]):
                raise NoNewEpisode(
                    "found an episode of dm_control that is over, expected terminated or truncated"
                )
        return found

    return advance if controls else step


def is_physics(value: Any) -> bool:
    """True for dm_control's `Physics` of a model."""
    return _has_class(value, "dm_control.mujoco.engine", "Physics")


def _is_control(value: Any) -> bool:
    return _has_class(value, "dm_control.rl.control", "Environment")


def _has_class(value: Any, module: str, name: str) -> bool:
    """True if an object is of a class of a package that need not be installed."""
    return any((kind.__module__, kind.__name__) == (module, name) for kind in type(value).__mro__)


def generator_of(owner: Any) -> Any:
    """The random generator that an object holds; None for there is none."""
    kinds = (np.random.RandomState, np.random.Generator)
    return next((one for one in vars(owner).values() if isinstance(one, kinds)), None)


def seed_in_place(generator: Any, seed: int | None) -> None:
    """Have a generator, which others may hold, begin with a seed; None for any."""
    if isinstance(generator, np.random.RandomState):
        generator.seed(seed)
    elif generator is not None:
        generator.bit_generator.state = np.random.default_rng(seed).bit_generator.state


def box_of(spec: Any) -> gymnasium.spaces.Box:
    """The space of a `BoundedArray`.

    Raises:
        ValueError: it is none.
    """
    if not hasattr(spec, "minimum"):
        raise ValueError(f"action_spec: found {spec!r}, expected one BoundedArray")
    low, high = (
        np.array(np.broadcast_to(one, spec.shape), spec.dtype)
        for one in (spec.minimum, spec.maximum)
    )
    if low.dtype.kind == "f":
        low[low <= -UNLIMITED], high[high >= UNLIMITED] = -np.inf, np.inf
    return gymnasium.spaces.Box(low, high, dtype=low.dtype.type)


def space_of(observation: Any, flatten: bool) -> gymnasium.Space:
    """The space of observations."""

    def box(shape: tuple[int, ...]) -> gymnasium.spaces.Box:
        return gymnasium.spaces.Box(-np.inf, np.inf, shape, np.float64)

    if flatten:
        return box((sum(np.size(one) for one in observation.values()),))
    return gymnasium.spaces.Dict([(name, box(np.shape(one))) for name, one in observation.items()])
