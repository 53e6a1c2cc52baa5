"""The single environment: a task in one world, for `gymnasium.make`."""

from collections.abc import Callable
from functools import partial
from math import isfinite
from operator import attrgetter
from typing import Any

import gymnasium
import numpy as np
from gymnasium.error import ClosedEnvironmentError, ResetNeeded

from mjenv.gym.environment_classes import OfTask
from mjenv.render.frames import METADATA, RenderSettings
from mjenv.stepping.arguments import chosen, reset_options
from mjenv.stepping.episodes import Episodes, Generators
from mjenv.stepping.quick_restart import quick_restart
from mjenv.stepping.quick_start import QuickStart
from mjenv.stepping.results import StepResult
from mjenv.stepping.simulation_batch import EVERY, SimulationBatch
from mjenv.stepping.single_stepper import CompiledStep, SingleStepper
from mjenv.stepping.snapshots import Snapshots
from mjenv.task.world_view import WorldView

# methods that a step consists of; where one is replaced, bytecode does not take its place
_HOOKS = frozenset({"do_simulation", "_step_mujoco_simulation", "_get_obs", "_drawn", "data"})
# the same for the start of an episode
_OWN = _HOOKS | {"reset_model", "_get_reset_info", "_start"}
ONLY = np.zeros(1, np.int64)  # world


def _never(action: Any) -> None:
    """No step to repeat."""


class Env(OfTask, gymnasium.Env):
    """A task in one world. Attributes and methods are those of Gymnasium's `MujocoEnv`.

    Attributes:
        task: the task, with its parameters as attributes.
        observation_structure: size of each part of the observation, and of the positions left out.
    """

    metadata = METADATA
    # methods of a step, or of the start of an episode, that this object has replaced
    _replaced: frozenset[str] = frozenset()
    # the last step again, with all that it gives; None where something has changed since
    _again: Callable[[Any], tuple | None] = staticmethod(_never)

    def __init__(
        self,
        *values: Any,
        task: Any = None,
        compiled: bool | None = None,
        check_finite: bool | None = None,
        render_mode: str | None = None,
        width: int = 480,
        height: int = 480,
        camera_id: int | None = None,
        camera_name: str | None = None,
        max_geom: int = 1000,
        visual_options: dict[int, bool] | None = None,
        **parameters: Any,
    ):
        """Compile the task's model and allocate its world.

        Args:
            *values: the task's parameters by position, in the order of `Task.parameters`.
            task: a subclass of `Task`, or its name as "module:Class"; not needed by the environment
                classes of one task.
            compiled: whether the task's functions run as bytecode in the engine, beside the
                physics, rather than as numpy: True, False, or None for bytecode if the functions
                can be traced. Results are bit-identical. Functions run as
                numpy where a subclass or an assignment replaces methods that a step calls, and
                where the randomization has disturbances.
            check_finite: which values raise a `NonFiniteError` if they are not finite: None,
                rewards; True, observations too, which costs a comparison per number; False,
                none.
            render_mode, width, height, camera_id, camera_name, max_geom, visual_options: how
                pictures are drawn, see `mjenv.render.frames.RenderSettings`.
            **parameters: the task's parameters by keyword.

        Raises:
            ValueError: settings of pictures are invalid.
            TraceError: if `compiled` is true and the task's functions cannot be compiled to
                bytecode.
        """
        # arguments are checked before the model is compiled, which may take long
        settings = RenderSettings(
            render_mode, width, height, camera_id, camera_name, max_geom, visual_options
        )
        self._set_pictures(settings.check_words())
        self._compiled = chosen("compiled", compiled, None, True, False)
        self._check_finite = chosen("check_finite", check_finite, None, True, False)
        # the task, its one world, and what the two say about spaces
        self.task = self._make_task(task, values, parameters)
        self._worlds = SimulationBatch(self.task)
        space, self.action_space = self._worlds.spaces
        self._groups = self._worlds.groups()
        self.observation_space = self._groups.space(space)
        self.observation_structure = self.task.observation_structure(self._worlds.structure)
        self.metadata = {**type(self).metadata, "render_fps": round(1.0 / self.dt)}
        # the state of an episode
        self._closed, self._started = False, False
        self._episodes = Episodes(1, self.task._generator)
        self._options: dict[str, Any] = {}
        self._attach()

    def _attach(self) -> None:
        """Make the bytecode and the renderer of the current data."""
        self._stepper = SingleStepper(self._worlds, self._episodes, self._compiled)
        self._overridden = _methods(type(self)) != _METHODS
        self._quick_start = QuickStart(self._worlds, self._episodes)
        self._generators = Generators([None])
        self.mujoco_renderer = self._new_frames()

    def step(self, action: np.ndarray) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Advance the world by `frame_skip` physics steps under one action.

        Args:
            action: (nu,) controls; not clipped here, but the actuators may limit them.

        Returns:
            observation, reward, terminated, truncated, info. `truncated` is always False here;
            Gymnasium's `TimeLimit` sets it.

        Raises:
            ValueError: if the action has the wrong shape or is not finite.
            NonFiniteError: if the reward, or the observation if it is checked, is not finite.
            ResetNeeded: before the first `reset`.
            ClosedEnvironmentError: after `close`.
        """
        # this is called a million times; each look at an attribute takes long beside `__getattr__`
        found = self._again(action)
        if found is not None:
            if not isfinite(found[1]):
                self._refuse_not_finite((*found[:3], found[4]))
            return found
        if not self._started or self._closed:
            self._refuse("step")
        # the compiled step of the last call, unless something has changed since
        compiled_step = self._stepper.last
        given = None
        tried = "_again" in self.__dict__
        if compiled_step is not None and not (tried or self._replaced):
            found = compiled_step.step_again(action)
            given = None if found is None else (*found[:3], found[4])
        if given is None:
            given, compiled_step = self._step_anew(np.asarray(action))
        # what is randomized in the middle of an episode is drawn between steps
        if compiled_step is not None and compiled_step.draws and compiled_step.due:
            given = self._draw(given)
        observation, reward, terminated, info = given
        # rewards are checked always, as one that is not finite spoils a training without notice
        if self._check_finite or not isfinite(reward):
            self._refuse_not_finite(given)
        if self.render_mode == "human":
            self.render()
        if self._groups.names:
            observation = self._groups.split(observation)
        elif compiled_step is not None and self._is_plain(compiled_step):
            self.__dict__["_again"] = compiled_step.step_again
        return observation, reward, terminated, False, info

    def _is_plain(self, compiled_step: CompiledStep) -> bool:
        """True if nothing follows a compiled step, as long as no attribute is set."""
        return not compiled_step.draws and self._adds_nothing

    @property
    def _adds_nothing(self) -> bool:
        """True if nothing is done besides what compiled code does."""
        plain = not (self._replaced or self.render_mode == "human")
        return plain and self._check_finite is None

    def _step_anew(self, action: np.ndarray) -> tuple[StepResult, CompiledStep | None]:
        """Advance the world; whether the last step can be repeated is found out.

        Returns:
            What the step gave, and what may still have to draw values.
        """
        compiled_step = self._stepper.last
        if compiled_step is None or self._replaced or not compiled_step.valid(action.dtype):
            compiled_step = self._compiled_step(action)
        if compiled_step is not None and compiled_step.verified:
            return compiled_step.step(action), compiled_step
        if compiled_step is None and self._worlds.drives:
            self._stepper.detach()
        # the first step of a kind is done both ways, and compared
        given, due = self._step_numpy(action, compiled_step is None)
        if compiled_step is not None:
            self._stepper.verify(compiled_step, given, due)
        if self._stepper.counting.count_numbers(given[1], given[2]):
            given = self._stepper.counting.given_up(given)
        return (self._draw(given) if due else given), None

    def _compiled_step(self, action: np.ndarray) -> CompiledStep | None:
        """The compiled step, unless something prevents it."""
        own = not self._replaced.isdisjoint(_HOOKS)
        if own or self._overridden or self._worlds.disturbances.active:
            return None
        return self._stepper.compiled_step(action)

    def _draw(self, given: StepResult) -> StepResult:
        """Have the task draw values of its own arrays; returns what the step gave with them."""
        _, reward, terminated, info = given
        self._worlds.draw([self.np_random], np.zeros(1, int))
        info.update((name, _plain(value)) for name, value in self._worlds.info().items())
        return self._get_obs(), reward, terminated, info

    def _step_numpy(self, action: np.ndarray, draws: bool) -> tuple[StepResult, bool]:
        """Advance the world; the task's functions are called.

        Args:
            action: (nu,).
            draws: whether values of the task's own arrays are drawn where that is due.

        Returns:
            What the step gave, and whether there are values still to be drawn.
        """
        # actuator delays and noise come before the physics
        worlds, task = self._worlds, self.task
        if worlds.disturbances.active:
            self._stepper.counting.set_control(action)
            action = worlds.disturb(action)
        # the physics, with what the task wants to know from before it
        before = worlds.before(worlds.readable)
        self.do_simulation(action, task.frame_skip)
        found = worlds.evaluate(action, before)
        # values of the task's own arrays to draw now
        due, state = found.due is not None and bool(found.due[0]), found.state
        if due and draws:
            worlds.draw([self.np_random], np.zeros(1, int))
            due, state = False, worlds.info()
        # plain Python numbers, as other environments return them
        observation = self._get_obs()
        info: dict[str, Any] = {**state, **found.named, **self._drawn()}
        for name, value in info.items():
            if type(value) is not np.float64:
                info[name] = _plain(value)
        for name in task._python_floats:
            info[name] = float(info[name])
        return (observation, _plain(found.reward), bool(found.terminated), info), due

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start an episode.

        Args:
            seed: of the random generator; None to continue with the present one.
            options: `randomization`, distributions to draw fields of the model from this time;
                `data` is another object after a field is drawn for the first time. Other
                options are keyword-only arguments of the task's `reset`.

        Returns:
            observation, info.

        Raises:
            ValueError: for an unknown option.
            ClosedEnvironmentError: after `close`.
        """
        if self._closed:
            self._refuse("reset")
        # quicker than setting attributes, which might be the task's
        own = self.__dict__
        restart = own.get("_restart")
        if restart is not None:
            if seed is None and options is None and _starts(type(self)) == _STARTING:
                found = restart.run(self._np_random)
                if found is not None:
                    return found
            del own["_restart"]
        own["_options"] = options = (
            {}
            if options is None
            else reset_options(options, "randomization", *self._worlds.initial.options)
        )
        # generators
        new = seed is not None or self._np_random is None
        super().reset(seed=seed)
        if new and self.task._generator is not None:
            self._np_random = self.task._generator(self.np_random_seed)
        randomization = options.get("randomization")
        if randomization and self._worlds.declare(randomization):
            self._attach()
        # the world and its state, at once if no method of these has been replaced
        plain = _starts(type(self)) == _STARTING
        own["_overridden"] = not plain and _methods(type(self)) != _METHODS
        plain = plain and not self._replaced
        begun = plain and not options and self._start_at_once()
        if not begun:
            self._worlds.clear(EVERY, new)
        observation, info = self._begin(plain, begun)
        own["_started"] = True
        if not begun:
            self._episodes.start(0)
        if self._check_finite:
            self._worlds.refuse_observations("reset", observation)
        if self.render_mode == "human":
            self.render()
        if begun and self._adds_nothing and not self._groups.names:
            own["_restart"] = quick_restart(
                self._quick_start, self._stepper, self._worlds.call(0), self._np_random
            )
        return self._groups.split(observation), info

    def _start_at_once(self) -> bool:
        """Clear the world, draw its state and begin the episode, if compiled code can do so."""
        if self._stepper.last is None:
            return False
        generators = self._generators
        if generators[0] is not self.np_random:
            generators[0] = self.np_random
        return self._quick_start.start(ONLY, generators)

    def _begin(self, plain: bool, begun: bool) -> tuple[np.ndarray, dict[str, Any]]:
        """Draw an initial state.

        Args:
            plain: whether no method that this consists of is replaced.
            begun: whether it has been drawn.

        Returns:
            observation, info, which bytecode may have computed.
        """
        compiled_step = self._stepper.last
        if compiled_step is None or not plain:
            return self.reset_model(), self._get_reset_info()
        compiled_step.attach(starts=True)
        if begun:
            self._worlds.forward()
        else:
            self._start()
        compiled_step.attach()
        if compiled_step.valid():
            return compiled_step.begun()
        return self._get_obs(), self._get_reset_info()

    def render(self) -> Any:
        """A picture as `render_mode` says: see `Frames.render`. None without a render mode."""
        if self._closed:
            self._refuse("render")
        if self.render_mode is None:
            gymnasium.logger.warn(
                "render: the environment has no render_mode; give it one: "
                'gymnasium.make(..., render_mode="rgb_array")'
            )
            return None
        return self.mujoco_renderer.render(self.render_mode)

    def save_state(self) -> np.ndarray:
        """The environment as a row, from which `restore_state` continues with the same bits.

        A row has physics and warm start, inputs, the random generator, and the episode's length,
        return and end; it fits into vector environments too. The count of Gymnasium's `TimeLimit`
        is not in it.

        Returns:
            (size,) uint64, of an internal format.
        """
        self._episodes.generators[0], self._episodes.seeds[0] = self.np_random, self.np_random_seed
        return Snapshots(self._worlds, self._episodes).save([0])[0]

    def restore_state(self, row: np.ndarray) -> Any:
        """Put the environment into a saved state, also of another one, single or vector.

        Args:
            row: (size,) of `save_state`.

        Returns:
            The last observation before the state was saved.

        Raises:
            ValueError: a row of another model or other arguments.
        """
        Snapshots(self._worlds, self._episodes).restore(row, [0])
        self._np_random, self._np_random_seed = (
            self._episodes.generators[0],
            self._episodes.seeds[0],
        )
        self._started = not self._episodes.unstarted[0]
        return self._groups.split(self._get_obs())

    def close(self) -> None:
        """Close the window. The environment cannot be stepped, reset or rendered any more."""
        self.mujoco_renderer.close()
        self._closed = True

    def _refuse_not_finite(self, given: StepResult) -> None:
        """Refuse what a step gave if it is not finite and has been looked at: NonFiniteError."""
        observation, reward, _, info = given
        if self._check_finite is not False:
            self._worlds.refuse_rewards(reward, info)
        if self._check_finite:
            self._worlds.refuse_observations("step", observation)

    def _refuse(self, what: str) -> None:
        if self._closed:
            raise ClosedEnvironmentError(
                f"{what}: the environment is closed, expected an open one; make a new one"
            )
        raise ResetNeeded(f"{what}: the environment has no state yet; call reset() first")

    def __repr__(self) -> str:
        return str(self)

    @property
    def compiled(self) -> bool:
        """True if the task's functions run as bytecode in the engine."""
        return not self._overridden and self._stepper.find()

    # what Gymnasium's MujocoEnv has

    @property
    def data(self) -> WorldView:
        """The world's physics, with MuJoCo's shapes; `data.batch` is the `Data` that holds it."""
        return self._worlds.fields

    @property
    def init_qpos(self) -> np.ndarray:
        """(nq,) positions around which episodes start."""
        return self.task.init_qpos

    @property
    def init_qvel(self) -> np.ndarray:
        """(nv,) velocities around which episodes start."""
        return self.task.init_qvel

    @property
    def fullpath(self) -> str:
        """Path of the model file."""
        return str(self.task.path)

    def do_simulation(self, ctrl: np.ndarray, n_frames: int) -> None:
        """Apply the controls (nu,) and advance the physics by `n_frames` steps.

        A task with a method `control` makes inputs of them as of an action.

        Raises:
            ValueError: if the controls have the wrong shape or are not finite.
        """
        self._step_mujoco_simulation(np.asarray(ctrl), n_frames)

    def _step_mujoco_simulation(self, ctrl: np.ndarray, n_frames: int) -> None:
        worlds = self._worlds
        self._stepper.counting.set_control(ctrl)
        if not worlds.drives:
            worlds.step(n_frames)
            return
        # inputs that the task makes of the action, by numpy or by bytecode that runs with the step
        driven, bytecode = worlds.controls(ctrl), worlds.data.plan.bytecode
        by_numpy = bytecode is None or not bytecode.chosen
        if by_numpy:
            worlds.drive(driven)
        worlds.step(n_frames)
        if not by_numpy:
            worlds.refuse_driven(driven)

    def set_state(self, qpos: np.ndarray, qvel: np.ndarray) -> None:
        """Set positions (nq,) and velocities (nv,), and compute everything that follows from them.

        Raises:
            ValueError: if a shape is wrong.
        """
        for name, value, size in (("qpos", qpos, self.model.nq), ("qvel", qvel, self.model.nv)):
            if np.shape(value) != (size,):
                raise ValueError(
                    f"set_state: {name} has shape {np.shape(value)}, expected {(size,)}"
                )
        self.data.qpos[:] = qpos
        self.data.qvel[:] = qvel
        self._worlds.forward()
        self._worlds.disturbances.restart()
        self._started, self._episodes.unstarted[0] = True, False

    def state_vector(self) -> np.ndarray:
        """Positions and velocities, (nq + nv,)."""
        return np.concatenate((self.data.qpos, self.data.qvel))

    def get_body_com(self, body_name: str) -> np.ndarray:
        """Position (3,) of a body's frame, in the world."""
        return self.data.body(body_name).xpos

    def reset_model(self) -> np.ndarray:
        """Draw an initial state; returns the observation."""
        self._start()
        return self._get_obs()

    def _start(self) -> None:
        # the property makes the generator that there is not yet
        generator = self._np_random if self._np_random is not None else self.np_random
        self._worlds.start([generator], [self._np_random_seed], options=self._options)

    def _get_obs(self) -> np.ndarray:
        return self._worlds.observe()

    def _get_reset_info(self) -> dict[str, Any]:
        info = self._worlds.info() | self._drawn()
        return {name: _plain(value) for name, value in info.items()}

    def _drawn(self) -> dict[str, Any]:
        if not self._worlds.disturbances.active:
            return {}
        return {name: values[0] for name, (values, _) in self._worlds.drawn().items()}

    def __getattr__(self, name: str) -> Any:
        """Parameters, also as `_name` as in Gymnasium's environments, and `_DERIVED` ones."""
        task = self.__dict__.get("task")
        if name in _DERIVED:
            method, value = _DERIVED[name]
            found = getattr(task, method, None)
            if callable(found):
                return value(self, found, self._worlds.readable)
        if name in self._shared:
            return getattr(task, name.removeprefix("_"))
        raise AttributeError(f"{type(self).__name__}: no attribute {name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an attribute; a method that is replaced counts from the next step or reset."""
        super().__setattr__(name, value)
        self._forget_repeats(self.__dict__)
        if name in _OWN:
            self.__dict__["_replaced"] = _OWN.intersection(self.__dict__)

    def __delattr__(self, name: str) -> None:
        """Take an attribute away, such as a method that was replaced."""
        super().__delattr__(name)
        self._forget_repeats(self.__dict__)
        self.__dict__["_replaced"] = _OWN.intersection(self.__dict__)

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        for name in ("mujoco_renderer", "_stepper", "_quick_start", "_generators"):
            del state[name]
        self._forget_repeats(state)
        return state

    @staticmethod
    def _forget_repeats(members: dict[str, Any]) -> None:
        """Have the next step and the next reset look at everything."""
        members.pop("_again", None)
        members.pop("_restart", None)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._attach()


# attribute of Gymnasium's environments -> the task's method, and its value
_DERIVED: dict[str, tuple[str, Callable[[Any, Callable, Any], Any]]] = {
    "is_healthy":     ("healthy",        lambda env, method, data: bool(method(data))),
    "healthy_reward": ("healthy",        lambda env, m, data: m(data) * env.task.healthy_reward),
    "control_cost":   ("control_cost",   lambda env, method, data: partial(method, data)),
    "contact_cost":   ("contact_cost",   lambda env, method, data: method(data)),
    "contact_forces": ("contact_forces", lambda env, method, data: method(data)),
    "goal":           ("goal",           lambda env, method, data: method(data).copy()),
    "goal_pos":       ("goal_pos",       lambda env, method, data: method(data).copy()),
}  # fmt: skip
_methods = attrgetter(*_HOOKS)
_METHODS = _methods(Env)
_starts = attrgetter(*_OWN)
_STARTING = _starts(Env)


def _plain(value: Any) -> Any:
    """A value as Gymnasium's environments report it.

    Arrays are copied, those without axes and numpy's floats are numpy floats, other numpy scalars
    become Python's.
    """
    if isinstance(value, np.ndarray):
        if value.ndim:
            return value.copy()
        value = value[()]
    if isinstance(value, np.floating):
        return value
    return value.item() if isinstance(value, np.generic) else value
