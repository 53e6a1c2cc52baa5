"""Stable-Baselines3's view of a Gymnasium vector environment."""

import inspect
import time
from collections.abc import Callable, Sequence
from typing import Any, cast

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecEnv, VecNormalize

from mjenv.gym.lookup import environment_id
from mjenv.task.near_names import did_you_mean
from mjenv.training.learners.finite import refuse_rewards
from mjenv.training.tasks.view import View
from mjenv.training.worlds.constructors import worlds_of
from mjenv.training.worlds.single_env_view import SingleEnvView, pick, split

# infos that tell in each step whether the goal is reached, in Meta-World and MyoSuite
_REACHED = ("success", "solved")
_FINAL = ("final_obs", "final_info", "_final_obs", "_final_info")


class NativeVecEnv(VecEnv):
    """A vector environment that steps all worlds in one call, as a `VecEnv`.

    Infos are what `DummyVecEnv` gives: of every world a dictionary with the reward's terms and what
    else the task reports, and after the last step of an episode `terminal_observation`,
    `TimeLimit.truncated` and `episode`: return "r", length "l", seconds since the start "t", and
    the sum of each of the reward's "terms". Where there are several tasks, also the name of its
    "task", and terms of others are nan.

    Attributes:
        envs: the vector environment.
        reset_infos: infos of the first states of the worlds' present episodes.
        stepped: environment steps of the last step, over all worlds.
        view: what a policy is given of the observations.
    """

    view = View()

    def __init__(
        self,
        envs: VectorEnv | str | Sequence[Callable[[], gymnasium.Env]],
        num_envs: int | None = None,
        *,
        running_infos: bool = True,
        **kwargs: Any,
    ):
        """Wrap a vector environment, or make one.

        Args:
            envs: made with `autoreset_mode="SameStep"`; its spaces are boxes. Or the name of an
                environment of mjenv. Or functions that make equal single environments, as
                Stable-Baselines3's `make_vec_env` gives them to `vec_env_cls`.
            num_envs: number of worlds, for a name.
            running_infos: whether worlds whose episode goes on have infos too; it takes about a
                microsecond for each world and step. If not, theirs are empty.
            **kwargs: keyword arguments of the environment, for a name.

        Raises:
            TypeError: `envs` is something else.
            ValueError: the environment resets in another way or has other spaces, or the functions
                make environments that differ or are wrapped.
        """
        if not isinstance(envs, str) and (kwargs or num_envs is not None):
            given = [*kwargs, *(["num_envs"] if num_envs is not None else [])]
            raise TypeError(
                f"NativeVecEnv: {', '.join(given)} given beside environments that are made, "
                "expected the name of an environment with them"
            )
        # worlds of a name, of functions, or made already
        if isinstance(envs, str):
            kwargs.setdefault("autoreset_mode", AutoresetMode.SAME_STEP)
            # what is not finite is told by name, before it is learned from
            kwargs.setdefault("check_finite", True)
            envs = gymnasium.make_vec(environment_id(envs), num_envs or 1, **kwargs)
        elif isinstance(envs, Sequence):
            envs = worlds_of(envs)
        if not isinstance(envs, VectorEnv):
            raise TypeError(
                f"NativeVecEnv: found {envs!r}, expected a vector environment, as "
                'gymnasium.make_vec("mjenv/...", autoreset_mode="SameStep") makes it, or its name'
            )
        # spaces as Stable-Baselines3 has them, and what steps fill
        self.envs, self._tasks = envs, tasks_of_worlds(envs)
        super().__init__(envs.num_envs, *_spaces(envs))
        self.stepped = self.num_envs
        self.metadata = dict(envs.metadata)
        self._running_infos = running_infos
        self._floats = getattr(getattr(envs, "task", None), "_python_floats", ())
        self._actions = np.zeros((self.num_envs, *(self.action_space.shape or ())), np.float32)
        # what is counted of their present episodes
        self._returns = np.zeros(self.num_envs)
        self._lengths = np.zeros(self.num_envs, np.int64)
        self._reached = np.zeros(self.num_envs, bool)
        self._terms: dict[str, np.ndarray] | None = None
        self._foreign: dict[str, np.ndarray] = {}
        self._start = time.time()
        self._reset_seeds()

    # episodes

    def reset(self) -> np.ndarray:
        """Start an episode in every world, with what `seed` and `set_options` have said."""
        observations, infos = self.envs.reset(seed=self._take_seeds(), options=self._take_options())
        self.reset_infos = [pick(infos, i) for i in range(self.num_envs)]
        self._returns[:] = 0
        self._lengths[:] = 0
        self._reached[:] = False
        if self._terms is None:
            inner: Any = self.envs.unwrapped
            names = getattr(inner, "reward_terms", ())
            self._terms = {name: np.zeros(self.num_envs) for name in names}
            if self._tasks is not None:
                self._foreign = {name: ~inner.has_term(name) for name in names}
        for sums in self._terms.values():
            sums[:] = 0
        return as_trained(observations)

    def seed(self, seed: int | None = None) -> list[int | None]:
        """World i starts from seed + i at the next reset."""
        self._seeds = [None if seed is None else seed + i for i in range(self.num_envs)]
        return self._seeds

    def _take_seeds(self) -> Any:
        seeds = self._seeds
        self._reset_seeds()
        return None if all(seed is None for seed in seeds) else seeds

    def _take_options(self) -> dict[str, Any] | None:
        """The options of the next reset, which are the same for all worlds."""
        options = self._options
        self._reset_options()
        if len(options) != self.num_envs or any(one != options[0] for one in options[1:]):
            raise ValueError(
                "NativeVecEnv.set_options: options differ between worlds, expected one dictionary "
                "for all; worlds are reset together"
            )
        return options[0] or None

    def step_async(self, actions: np.ndarray) -> None:
        self._actions = actions

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[Any]]:
        observations, rewards, terminated, truncated, infos = self.advance(self._actions)
        for name in self._floats:
            # as single environments report them, which is as Gymnasium's do
            for some in (infos, infos.get("final_info", {})):
                if name in some:
                    some[name] = some[name].astype(object)
        done = terminated | truncated
        running = infos
        if "final_info" in infos:
            running = {name: infos[name] for name in infos if name not in _FINAL}
        if self._running_infos:
            single_infos = split(running, self.num_envs)
        else:
            single_infos = [{} for _ in range(self.num_envs)]
        if done.any():
            for i, info in enumerate(self.last_infos(infos, terminated, truncated)):
                if done[i]:
                    # what there is of the world now belongs to its new episode
                    self.reset_infos[i] = pick(running, i)
                    self.reset_infos[i].pop("diverged", None)
                    single_infos[i] = {**pick(infos.get("final_info", {}), i), **info}
        stored = as_trained(rewards)
        refuse_rewards(stored)
        return as_trained(observations), stored, done, single_infos

    # the same as arrays

    def advance(
        self, actions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Step the worlds, and count their rewards; returns what the vector environment does.

        `last_infos` has to be called next if an episode has ended.
        """
        results = self.envs.step(actions)
        self._returns += results[1]
        self._lengths += 1
        for name, sums in (self._terms or {}).items():
            if name in results[4]:
                sums += results[4][name]
        self._note(results[4], slice(None))
        return results

    def advance_some(
        self, actions: np.ndarray, worlds: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """The same for the worlds of some numbers (n,), in their order; the others stay."""
        envs: Any = self.envs
        results = envs.step_some(actions, worlds)
        self._returns[worlds] += results[1]
        self._lengths[worlds] += 1
        for name, sums in (self._terms or {}).items():
            if name in results[4]:
                sums[worlds] += results[4][name]
        self._note(results[4], worlds)
        return results

    def _note(self, infos: dict[str, Any], worlds: Any) -> None:
        """Note where a goal has been reached, of environments that tell it in each step."""
        for some in (infos, infos.get("final_info", {})):
            for name in _REACHED:
                if name in some:
                    told = some[f"_{name}"] & (some[name].astype(np.float64) != 0)
                    self._reached[worlds] |= told

    def last_infos(
        self,
        infos: dict[str, Any],
        terminated: np.ndarray,
        truncated: np.ndarray,
        worlds: np.ndarray | None = None,
    ) -> list[dict[str, Any]]:
        """Of each world whose episode has just ended what training needs to know.

        They are `terminal_observation`, `TimeLimit.truncated` and `episode`, as the class has them,
        and `is_success` of tasks that tell it; of those that tell `success` or `solved` in each
        step, as Meta-World's and MyoSuite's do, whether it ever was in the episode.
        The worlds' next episodes are counted from zero.

        Args:
            infos: as `advance` or `advance_some` has returned them.
            terminated: likewise, (n,) bool.
            truncated: likewise.
            worlds: numbers (n,) of the worlds that were stepped; None for all.

        Returns:
            A dictionary for each of these worlds; it is empty where the episode goes on.
        """
        # sums of the rewards, and of their terms
        ended = (terminated | truncated).nonzero()[0]
        ids = ended if worlds is None else worlds[ended]
        last = infos.get("final_info", {})
        terms = {}
        for name, sums in (self._terms or {}).items():
            terms[name] = sums[ids] + (last[name][ended] if name in last else 0.0)
            if name in self._foreign:
                terms[name][self._foreign[name][ids]] = np.nan
        cut = (truncated & ~terminated)[ended].tolist()
        columns = self._returns[ids].tolist(), self._lengths[ids].tolist(), cut
        seconds = round(time.time() - self._start, 6)
        rows = zip(*(column.tolist() for column in terms.values()), strict=True)
        # a dictionary for each world that has ended
        made: list[dict[str, Any]] = [{}] * len(terminated)
        places = ended.tolist(), ids.tolist()
        for i, world, r, l, truncation in zip(*places, *columns, strict=True):
            episode = {"r": r, "l": l, "t": seconds}
            if terms:
                episode["terms"] = dict(zip(terms, next(rows), strict=True))
            made[i] = {
                "terminal_observation": as_trained(infos["final_obs"][i]),
                "episode": episode,
                "TimeLimit.truncated": truncation,
            }
            if self._tasks is not None:
                episode["task"] = self._tasks[world]
            if "is_success" in last and last["_is_success"][i]:
                made[i]["is_success"] = last["is_success"][i]
            elif any(name in last and last[f"_{name}"][i] for name in _REACHED):
                made[i]["is_success"] = bool(self._reached[world])
        self._forget(ids)
        return made

    def state(self) -> dict[str, Any]:
        """Everything that the worlds' next steps and episodes depend on."""
        envs: Any = self.envs.unwrapped
        return {"rows": envs.save_state(), "counts": {k: v.copy() for k, v in self._counts.items()}}

    @property
    def _counts(self) -> dict[str, np.ndarray]:
        """What is counted of the present episodes, by name."""
        own = {"returns": self._returns, "lengths": self._lengths, "reached": self._reached}
        return {**own, **(self._terms or {})}

    def set_state(self, state: dict[str, Any]) -> np.ndarray:
        """Go on from what `state` has returned, in the same environment; returns observations."""
        envs: Any = self.envs.unwrapped
        self.reset()
        observations = envs.restore_state(state["rows"])
        for name, values in self._counts.items():
            values[:] = state["counts"].get(name, 0)
        return as_trained(observations)

    def _forget(self, ended: np.ndarray) -> None:
        self._returns[ended] = 0
        self._lengths[ended] = 0
        self._reached[ended] = False
        for sums in (self._terms or {}).values():
            sums[ended] = 0

    def close(self) -> None:
        self.envs.close()

    # single worlds

    def _worlds(self, indices: Any = None) -> list[SingleEnvView]:
        places = [self._place(i) for i in self._get_indices(indices)]
        return [SingleEnvView(envs.unwrapped, i) for envs, i in places]

    def _place(self, world: int) -> tuple[Any, int]:
        """The environment of a world's task, and its number there."""
        inner: Any = self.envs.unwrapped
        return (inner, world) if self._tasks is None else inner.place(world)

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Attributes of single environments: the task's parameters, `data`, `np_random`."""
        return [getattr(world, attr_name) for world in self._worlds(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set a parameter of the task, which all worlds share."""
        task = getattr(self.envs.unwrapped, "task", None)
        name = attr_name
        if task is not None and attr_name not in task.parameters():
            name = attr_name.removeprefix("_")
        if task is None or (name not in task.parameters() and hasattr(self.envs, attr_name)):
            raise AttributeError(
                f"NativeVecEnv.set_attr: {attr_name!r} is not set in single worlds; "
                "set it in `.envs`"
            )
        if name not in task.parameters():
            raise AttributeError(
                f"NativeVecEnv.set_attr: {attr_name!r}, expected a parameter of the task; "
                f"{did_you_mean(name, task.parameters())}"
            )
        if len(list(self._get_indices(indices))) < self.num_envs:
            raise ValueError(
                f"NativeVecEnv.set_attr: {attr_name!r} for worlds {indices}, expected all; worlds "
                "share the parameters of their task"
            )
        setattr(task, name, value)

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call a method for some worlds, as each single environment has it.

        Methods of the vector environment that take `env_ids`, such as `save_state`, are called
        once, with rows for the worlds.
        """
        numbers = list(self._get_indices(indices))
        whole = getattr(self.envs.unwrapped, method_name, None)
        if callable(whole) and "env_ids" in inspect.signature(whole).parameters:
            rows: Any = whole(*method_args, env_ids=numbers, **method_kwargs)
            return list(rows)
        if method_name == "compute_reward" and callable(whole):
            return [whole(*method_args, **method_kwargs)] * len(numbers)
        if method_name == "render" and self.render_mode == "human":
            self.envs.render()  # one window, of the first world
            return [None] * len(numbers)
        ours = hasattr(self.envs.unwrapped, "task")
        if not (ours and inspect.isfunction(getattr(SingleEnvView, method_name, None))):
            raise AttributeError(
                f"NativeVecEnv.env_method: {method_name!r} cannot be called in single worlds; "
                "call the method of `.envs`"
            )
        methods = [getattr(world, method_name) for world in self._worlds(numbers)]
        results = [method(*method_args, **method_kwargs) for method in methods]
        if method_name == "reset":
            self._forget(np.array(numbers))
        return results

    def get_images(self) -> Sequence[np.ndarray | None]:
        """A picture of every world."""
        pictures: Any = self.envs.render()
        return [None] * self.num_envs if pictures is None else list(pictures)

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:
        """True for each world that does what a wrapper would: episodes are monitored."""
        envs, wrapped = self.envs, issubclass(Monitor, wrapper_class)
        while isinstance(envs, gymnasium.vector.VectorWrapper):
            wrapped, envs = wrapped or isinstance(envs, wrapper_class), envs.env
        return [wrapped] * len(list(self._get_indices(indices)))


def tasks_of_worlds(envs: Any) -> np.ndarray | None:
    """Name of the task of each world, where there are several tasks; else None."""
    names = getattr(envs.unwrapped, "task_names", None)
    return None if names is None else np.array(names, object)[envs.unwrapped.owner]


def as_trained(observations: Any) -> Any:
    """A copy of observations, reals in single precision; pictures stay bytes."""
    if isinstance(observations, dict):
        return {name: as_trained(array) for name, array in observations.items()}
    array = np.asarray(observations)
    return array.astype(np.float32 if array.dtype.kind == "f" else array.dtype)


def _spaces(envs: VectorEnv) -> tuple[spaces.Box | spaces.Dict, spaces.Box]:
    """Spaces of one world; of observations in single precision, as networks and buffers use it.

    Raises:
        ValueError: the environment resets in another way or has other spaces.
    """
    mode = envs.metadata.get("autoreset_mode")
    if mode != AutoresetMode.SAME_STEP:
        raise ValueError(
            f"NativeVecEnv: autoreset_mode is {mode}, expected AutoresetMode.SAME_STEP; "
            "pass autoreset_mode=... to gymnasium.make_vec"
        )
    observations, actions = envs.single_observation_space, envs.single_action_space
    parts = observations.values() if isinstance(observations, spaces.Dict) else [observations]
    boxes = all(isinstance(space, spaces.Box) for space in parts)
    if not (boxes and isinstance(actions, spaces.Box)):
        raise ValueError(
            f"NativeVecEnv: spaces are {observations} and {actions}, expected boxes, or a dict of "
            "boxes for observations"
        )
    if isinstance(observations, spaces.Dict):
        return spaces.Dict({name: _trained(space) for name, space in observations.items()}), actions
    return _trained(observations), actions


def _trained(space: Any) -> spaces.Box:
    """A box as `as_trained` fills it."""
    if space.dtype.kind != "f":
        return space
    return spaces.Box(space.low.astype(np.float32), space.high.astype(np.float32), dtype=np.float32)


def native(normalize: VecNormalize) -> NativeVecEnv:
    """The worlds inside of what normalizes for them."""
    return cast(NativeVecEnv, normalize.venv)
