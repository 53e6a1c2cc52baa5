"""Environment classes made for one task, with the task's parameters as their signature."""

import inspect
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from mjenv.engine.errors import warn_renamed
from mjenv.render.frames import Frames, RenderSettings
from mjenv.task.task import Task
from mjenv.task.task_state import StateView


class OfTask:
    """Base of `Env` and `VectorEnv`: a class for each task, and pickling of its objects.

    Attributes:
        task_class: the task of this class of environments; None where the constructor is told.
    """

    task: Task
    data: Any
    metadata: dict[str, Any]
    _stepper: Any
    _worlds: Any
    # names of attributes that are those of the task
    _shared: frozenset[str] = frozenset()
    task_class: type[Task] | None = None
    _origin: tuple[type, type[Task] | None] | None = None

    @property
    def reward_terms(self) -> tuple[str, ...]:
        """Names of the reward's terms, which steps report in their infos."""
        return self._worlds.reward_terms

    @classmethod
    @cache
    def of(cls, task: type[Task]) -> type[Any]:
        """The environment class of a task: `Env.of(Hopper)` is `mjenv.envs.HopperEnv`.

        Its signature is the task's parameters in their order, which may be given by position, then
        those that may not, then the keyword arguments of this class.
        """

        def init(self: Any, *values: Any, **keywords: Any) -> None:
            cls.__init__(self, *values, **keywords)

        # the signature that help() and notebooks show: parameters of the task, then keywords
        parameter = inspect.Parameter
        listed = [parameter("self", parameter.POSITIONAL_OR_KEYWORD)]
        for name, value in task.parameters().items():
            by_keyword = name in task._by_keyword
            kind = parameter.KEYWORD_ONLY if by_keyword else parameter.POSITIONAL_OR_KEYWORD
            listed.append(parameter(name, kind, default=value))
        own = inspect.signature(cls.__init__).parameters.values()
        known = {"task", *(one.name for one in listed)}
        listed += [one for one in own if one.kind is one.KEYWORD_ONLY and one.name not in known]
        listed.sort(key=lambda one: one.kind)
        listed.append(parameter("kwargs", parameter.VAR_KEYWORD))
        init.__signature__ = inspect.Signature(listed)
        # pickling and documentation find the class where users import it from
        bundled = task.__module__.startswith("mjenv.envs.")
        members = {
            "__doc__": task.__doc__,
            "__init__": init,
            "__module__": "mjenv.envs" if bundled else task.__module__,
            "task_class": task,
            "_origin": (cls, task),
        }
        return type(task.__name__ + cls.__name__, (cls,), members)

    @property
    def model(self) -> Any:
        """The compiled model, which all worlds share."""
        return self.task.model

    @property
    def frame_skip(self) -> int:
        """Physics steps per step."""
        return self.task.frame_skip

    @property
    def dt(self) -> float:
        """Duration of a step in seconds."""
        return self.task.dt

    @property
    def task_state(self) -> StateView:
        """The arrays of the task's own, by name; writing into them changes the worlds."""
        return StateView(self.task._own_state, self.data)

    def compute_reward(self, achieved_goal: Any, desired_goal: Any, info: Any) -> Any:
        """Rewards (n,) of goals (n, size), as the task says: see `Task.compute_reward`.

        Raises:
            ValueError: the task gives something else than a number for each pair of goals.
        """
        rewards = self.task.compute_reward(achieved_goal, desired_goal, info)
        if rewards is None or np.shape(rewards) != np.shape(achieved_goal)[:-1]:
            found = "nothing" if rewards is None else f"shape {np.shape(rewards)}"
            raise ValueError(
                f"{type(self.task).__name__}.compute_reward: returned {found} "
                f"for goals of shape {np.shape(achieved_goal)}, expected "
                f"{np.shape(achieved_goal)[:-1]}: one number for each; sum over axis=-1"
            )
        return rewards

    @property
    def compile_error(self) -> str | None:
        """Why the task's functions are not compiled, where they were to be; None if they are."""
        return self._stepper.reason

    @property
    def plain_reason(self) -> str | None:
        """The former name of `compile_error`."""
        warn_renamed("plain_reason", "compile_error")
        return self.compile_error

    def _set_pictures(self, settings: RenderSettings) -> None:
        """Keep the settings of pictures, as attributes of their names."""
        vars(self).update(settings._asdict())

    def _new_frames(self) -> Frames:
        """The renderer of the data as they are now."""
        return Frames(
            self.task.model,
            self._worlds.data,
            self.task.default_camera_config,
            RenderSettings(*(getattr(self, name) for name in RenderSettings._fields)),
            self.metadata["render_fps"],
        )

    def _make_task(self, task: Any, values: tuple, parameters: dict[str, Any]) -> Task:
        """The task object: of the given class or "module:Class", or of this class's own."""
        task = task or self.task_class
        if isinstance(task, str):
            task = _task_of_name(task)
        if not (isinstance(task, type) and issubclass(task, Task)):
            raise TypeError(
                f"{type(self).__name__}: task={task!r}, expected a subclass of mjenv.Task "
                "or its name as 'module:Class'"
            )
        made = task(*values, **parameters)
        if not hasattr(made, "model"):
            raise TypeError(
                f"{task.__name__}.__init__: it has not compiled the model; call "
                "super().__init__(*values, **parameters) in it"
            )
        names = {*made.parameters(), "init_qpos", "init_qvel"}
        vars(self)["_shared"] = frozenset(names | {f"_{name}" for name in names})
        return made

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an attribute; parameters, also by Gymnasium's names `_name`, are the task's."""
        if name in self._shared:
            setattr(self.task, name.removeprefix("_"), value)
        else:
            object.__setattr__(self, name, value)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__.copy()

    def __reduce__(self) -> tuple:
        base, task = vars(type(self)).get("_origin") or (type(self), None)
        return _blank, (base, task), self.__getstate__()


def _task_of_name(text: str) -> Any:
    """The class that "module:Class" names."""
    module, colon, name = text.partition(":")
    if not (colon and module and name):
        raise ValueError(f"task={text!r}: expected 'module:Class'")
    found = import_module(module)
    if not hasattr(found, name):
        near = get_close_matches(name, dir(found), 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"task={text!r}: module {module} has no {name!r}{hint}")
    return getattr(found, name)


def _blank(base: type[OfTask], task: type[Task] | None) -> OfTask:
    """An object of an environment class that has no state yet."""
    kind: Any = base.of(task) if task else base
    return kind.__new__(kind)
