"""A task of the suite as a `dm_env.Environment`: TimeSteps, with observations by name."""

from typing import Any, cast

import numpy as np

from mjenv.gym.env import Env
from mjenv.suite.time_steps import Interface, StepType, TimeStep, array_spec, bounded_spec

FLAT = "observations"  # name of an observation that has all parts
SHADED, SHADES = ("self", "effector", "target"), ("default", "highlight")
UNLIMITED = 1e10  # what a control is limited by that has no limits


class PhysicsError(RuntimeError):
    """The physics has become unstable."""


class Environment(Interface):
    """A task in one world, with the TimeSteps that dm_control gives for the same seed.

    The step after the last one of an episode starts the next one, whatever its action is.

    Attributes:
        env: the same as a Gymnasium environment, without time limit.
        task: the task.
        visualize_reward: whether colors show the reward of each step.
    """

    def __init__(
        self,
        env: Env,
        random: Any,
        step_limit: float,
        flat_observation: bool = False,
        visualize_reward: bool = False,
    ):
        """Wrap an environment.

        Args:
            env: of a task of the suite.
            random: seed, or `numpy.random.RandomState`, or None for any.
            step_limit: steps after which an episode ends; may be infinite.
            flat_observation: whether observations have one part, all others one after the other.
            visualize_reward: whether colors show the reward of each step.
        """
        self.env, self.task, self.visualize_reward = env, env.task, visualize_reward
        self._step_limit, self._flat = step_limit, flat_observation
        if not isinstance(random, np.random.RandomState):
            random = np.random.RandomState(random)
        # dm_control's generator, where Gymnasium's type is numpy's newer one
        env._np_random, env._np_random_seed = cast(Any, random), 0
        self._count, self._over = 0, True
        self._parts: list[tuple[str, slice, tuple[int, ...]]] = []
        start, shapes = 0, dict(cast(Any, env.task)._shapes)
        for name, size in env.observation_structure.items():
            self._parts.append((name, slice(start, start + size), shapes.get(name, (size,))))
            start += size

    @property
    def physics(self) -> Any:
        """Not there, unlike in dm_control's environments.

        Raises:
            AttributeError: always; it says what there is instead.
        """
        raise AttributeError(
            "suite.Environment: there is no physics; expected env.env.model and env.env.data, with "
            "MuJoCo's names, and mjenv.Renderer(env.env.model) for pictures"
        )

    @property
    def random(self) -> np.random.RandomState:
        """The generator from which initial states are drawn."""
        return cast(Any, self.env.np_random)

    def reset(self) -> Any:
        """Start an episode."""
        observation, _ = self.env.reset()
        self._count, self._over = 0, False
        return TimeStep(StepType.FIRST, None, None, self._named(observation))

    def step(self, action: Any) -> Any:
        """Advance by one step, or start an episode after the last one.

        Args:
            action: (nu,) controls.

        Raises:
            PhysicsError: if the state is no longer finite, or too large.
            ValueError: if the action has the wrong shape or is not finite.
        """
        if self._over:
            return self.reset()
        row, reward, ended, _, info = self.env.step(np.asarray(action, np.float64))
        # dm_control raises here, and users catch that
        if "diverged" in info:
            self._over = True
            raise PhysicsError(
                "step: the state was no longer finite or too large, and the world was put back "
                "into the model's initial state; reset() starts an episode"
            )
        if self.visualize_reward:
            self._show(float(reward))
        # the end of an episode: by time, with a discount of 1, or by the task
        self._count += 1
        limited = self._count >= self._step_limit
        self._over = limited or ended
        kind = StepType.LAST if self._over else StepType.MID
        discount = 0.0 if ended and not limited else 1.0
        return TimeStep(kind, float(reward), discount, self._named(row))

    def _show(self, reward: float) -> None:
        """Blend the two shades of the materials that show rewards."""
        model = self.env.model
        # differences show better where rewards are high
        share = min(max(reward, 0.0), 1.0) ** 4
        for name in SHADED:
            low, high = (model.mat_rgba[model.material(f"{name}_{s}").id] for s in SHADES)
            model.mat_rgba[model.material(name).id] = share * high + (1.0 - share) * low

    def _named(self, row: np.ndarray) -> dict[str, Any]:
        """The parts of an observation by name."""
        if self._flat:
            return {FLAT: row}
        parts = ((name, row[where].reshape(shape)) for name, where, shape in self._parts)
        # a part without axes is a number
        return {name: part if part.ndim else part[()] for name, part in parts}

    def observation_spec(self) -> dict[str, Any]:
        """Shape and type of each part of an observation."""
        if self._flat:
            return {FLAT: array_spec(cast(Any, self.env.observation_space.shape), FLAT)}
        return {name: array_spec(shape, name) for name, _, shape in self._parts}

    def action_spec(self) -> Any:
        """Shape, type and limits of actions."""
        model = self.env.model
        low, high = np.array(model.actuator_ctrlrange, np.float64).reshape(-1, 2).T
        limited = np.asarray(model.actuator_ctrllimited).ravel() != 0
        return bounded_spec(np.where(limited, low, -UNLIMITED), np.where(limited, high, UNLIMITED))

    def reward_spec(self) -> Any:
        """Shape and type of rewards."""
        return array_spec((), "reward")

    def discount_spec(self) -> Any:
        """Shape, type and limits of discounts."""
        return bounded_spec(np.array(0.0), np.array(1.0), "discount")

    def control_timestep(self) -> float:
        """Seconds between actions."""
        return self.env.dt

    def close(self) -> None:
        """Close the environment."""
        self.env.close()

    def __enter__(self) -> "Environment":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
