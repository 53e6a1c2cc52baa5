"""Tasks: what is observed, what is rewarded, and when an episode ends."""

import copy
import inspect
import sys
from abc import ABCMeta
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias
from weakref import WeakValueDictionary

import numpy as np

from mjenv.task.near_names import refuse_near_names
from mjenv.task.task_state import TaskState

if TYPE_CHECKING:
    from mjenv.engine.edit.spec import Spec
    from mjenv.task.random_streams import Streams

# The physics as a task sees it: every field of `mjenv.Data`, of one world, of many, or of some.
Fields: TypeAlias = Any

# models of the package: inside it where it is installed, beside it in a development tree
XML = next(
    p for p in (Path(__file__).parents[1] / "xml", Path(__file__).parents[2] / "xml") if p.is_dir()
)


class Outcome(NamedTuple):
    """Results of a step of a task.

    Attributes:
        reward: named reward terms; the reward is their sum, in this order.
        terminated: bool, or False for a task that never ends by itself.
        info: other quantities worth reporting.
        unreported: what the reward has besides the terms.
    """

    reward: dict[str, Any]
    terminated: Any = False
    info: dict[str, Any] | None = None
    unreported: Any = None


def total(outcome: Outcome) -> Any:
    """The reward: the sum of the terms, in their order, and of what is in none of them."""
    first, *others = outcome.reward.values()
    for term in others:
        first = first + term
    return first if outcome.unreported is None else first + outcome.unreported


# what `reset` may give
INITIAL_FIELDS = (
    "qpos", "qvel", "act", "time", "mocap_pos", "mocap_quat", "userdata", "eq_active", "ctrl",
    "qfrc_applied", "xfrc_applied",
)  # fmt: skip

# what `control` may give
CONTROLS = ("ctrl", "mocap_pos", "mocap_quat", "qfrc_applied", "xfrc_applied")

# all tasks, by the ids of the objects
_TASKS: WeakValueDictionary[int, "Task"] = WeakValueDictionary()
# what environments have been made with: assigning to it later would have no effect
_FIXED = (
    "xml_file", "randomization", "keep", "varies", "default_camera_config", "model",
    "terminate_when_diverged",
)  # fmt: skip


# cached properties that follow from the model alone, and may be edited
_OF_MODEL = frozenset(("init_qpos", "init_qvel", "path"))


class TaskType(ABCMeta):
    """The type of task classes: their tasks learn of attributes that are assigned to a class."""

    def __setattr__(cls, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        _tell_tasks(cls, name)

    def __delattr__(cls, name: str) -> None:
        super().__delattr__(name)
        _tell_tasks(cls, name)


def _tell_tasks(cls: type, name: str) -> None:
    """Have the tasks of a class count a change, unless it is what `abc` notes there."""
    if not name.startswith("_abc_") and name != "__abstractmethods__":
        for task in list(_TASKS.values()):
            if isinstance(task, cls):
                task._count_change()


def is_cached(cls: type, name: str) -> bool:
    """True if a name is that of a cached property."""
    found = next((vars(owner)[name] for owner in cls.__mro__ if name in vars(owner)), None)
    return isinstance(found, cached_property)


class Task(metaclass=TaskType):
    """A model, and functions of its data. Subclass it to write a new task.

    The functions are written once and run on one world and on many. In the single environment,
    arrays of `data` have MuJoCo's own shapes, such as (nq,); in the vector environment they have a
    leading axis of worlds: (nworld, nq). So index from the end, `data.qpos[..., 0]`,
    use `axis=-1`, and combine values with element-wise functions of numpy, not with `if`. A
    world's results must depend on that world only.

    Parameters are class attributes: each can be given by position or by keyword to the constructor,
    hence to `gymnasium.make`.

    Attributes:
        xml_file: the model. `~` is expanded; a path that starts with `/` or `.` is used as it is;
            any other name is looked up among mjenv's models, then beside the task's own file.
        frame_skip: physics steps per environment step.
        default_camera_config: `distance`, `azimuth`, `elevation`, `lookat` and `trackbodyid` of
            the free camera.
        randomization: what differs from world to world: fields of the model and their
            distributions, pushes, noise, delays, such as `{"geom_friction": mjenv.Uniform(0.5,
            1.5)}`; see docs/randomization.md.
        terminate_when_diverged: whether an episode is terminated, with a reward of 0, by a step in
            which the engine resets a diverged world to the model's initial state; otherwise the
            episode continues from there.
        keep: names of the fields of the data that the task reads, besides state, inputs and
            sensordata.
        varies: fields of the model that episodes have values of their own of, which `reset` gives:
            ("body_pos",) for what stands elsewhere in each, ("hfield_data",) for terrain. What the
            compiler has derived from them stays as it is.
        state: the task's own arrays in each world, names and initial values, such as
            {"command": np.zeros(3)}; a property where sizes depend on the model. Functions read
            them as `data.state.command`, and `update` gives them new values.
        groups: groups of the observation's parts, such as {"policy": ("gyro",), "critic": ("gyro",
            "velocity")}: observations then are dicts of these; a part may be in several.
        action_limits: lowest and highest actions of a task with a method `control`: numbers, for as
            many actions as there are actuators, or arrays (size,); None for the actuators' ranges.
            A property where sizes depend on the model.
        model: the compiled model.
    """

    xml_file: str = ""
    frame_skip: int = 1
    default_camera_config: dict[str, Any] | None = None
    randomization: dict[str, Any] | None = None
    terminate_when_diverged: bool = True

    keep: tuple[str, ...] = ()
    varies: tuple[str, ...] = ()
    # nobody writes into these
    state: Any = {}
    groups: Any = {}
    action_limits: Any = None
    model: Any  # a Model, whose fields are found by name
    # parameters that cannot be given by position
    _by_keyword: tuple[str, ...] = ("randomization", "terminate_when_diverged")
    # infos that single environments report as Python's floats, as Gymnasium's do
    _python_floats: tuple[str, ...] = ()
    # counts changes of parameters
    _revision = 0
    # cached properties that were assigned to
    _assigned: frozenset[str] = frozenset()
    # where its own arrays lie
    _own_state: TaskState
    # whether an environment has been made with it
    _in_use = False
    # whether what follows from positions and velocities is computed again after a step's last one
    _renewed = False
    # starts an episode in a world with its physics at hand, instead of `reset`
    _reset_with_physics: Any = None
    # makes the random generators of environments from their seeds, instead of Gymnasium
    _generator: Any = None

    def __new__(cls, *values: Any, **parameters: Any) -> "Task":
        """Remember the object, which learns of changes of its class."""
        task = super().__new__(cls)
        _TASKS[id(task)] = task
        return task

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _FIXED and self._in_use:
            raise AttributeError(
                f"{type(self).__name__}.{name}: found an assignment, but existing environments use "
                f"the former value; make new ones, with {name}=... as an argument"
            )
        if self._in_use:
            self._check_name(name)
        if name == "frame_skip":
            self._check_frame_skip(value)
        object.__setattr__(self, name, value)
        if is_cached(type(self), name):
            object.__setattr__(self, "_assigned", self._assigned | {name})
        self._count_change()

    def _check_frame_skip(self, value: Any) -> None:
        if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 1:
            raise ValueError(
                f"{type(self).__name__}: frame_skip={value!r}, expected a positive integer"
            )

    def _check_name(self, name: str) -> None:
        """Refuse to set a misspelt parameter, once environments are made with the task."""
        if name.startswith("_") or name in vars(self) or hasattr(type(self), name):
            return
        near = get_close_matches(name, list(self.parameters()), 1)
        if near:
            raise AttributeError(
                f"{type(self).__name__}: found an assignment to {name!r}, which is none of its "
                f"parameters; did you mean {near[0]!r}?"
            )

    def __delattr__(self, name: str) -> None:
        object.__delattr__(self, name)
        self._count_change()

    def _count_change(self) -> None:
        """Note that parameters are others, and forget properties that were computed from them."""
        kind, kept = type(self), self._assigned | _OF_MODEL
        for name in [n for n in vars(self) if n not in kept and is_cached(kind, n)]:
            del vars(self)[name]
        object.__setattr__(self, "_revision", self._revision + 1)

    def __init__(self, *values: Any, **parameters: Any):
        """Set the parameters, in the order of `parameters()`, and compile the model.

        Raises:
            TypeError: an unknown parameter, one given twice, or too many values; or an attribute
                of the class has a name of this one and another type.
            ValueError: if `frame_skip` is not a positive integer.
            FileNotFoundError: if there is no such model file.
        """
        self._check_class()
        for name, value in self.parameters().items():
            # what is changed in place is this task's own, not the class's
            if isinstance(value, dict | list) and name not in _FIXED:
                object.__setattr__(self, name, copy.deepcopy(value))
        for name, value in self._assign(values, parameters).items():
            setattr(self, name, value)
        self._check_frame_skip(self.frame_skip)
        self.model = self._compile()
        where, start = type(self).__name__, self.model.nuserdata
        own = self._own_state = TaskState(where, self.state, start, INITIAL_FIELDS)
        if own.size:
            self.model.resize(nuserdata=own.start + own.size)
            return
        for name in ("update", "due", "draw"):
            if getattr(type(self), name) is not getattr(Task, name):
                raise TypeError(
                    f"{type(self).__name__}: `{name}` is there, but no arrays that it could give "
                    "values; declare them: state = {'phase': 0.0}"
                )

    def _compile(self) -> Any:
        """The model of the task's file."""
        if type(self).build is Task.build:
            from mjenv.engine.edit.compile import Model

            return Model.from_xml_path(self.path)
        spec = self._document()
        given: Any = self.build(spec)
        if given is not None:
            raise TypeError(
                f"{type(self).__name__}.build: returned {given!r}, expected nothing: it changes "
                "the spec that it is given"
            )
        return spec.compile()

    def _document(self) -> "Spec":
        """The document of the task's file, which `build` changes."""
        from mjenv.engine.edit.spec import Spec

        return Spec.from_file(self.path)

    # what a subclass defines

    def build(self, spec: "Spec") -> None:
        """Change the document of the model before it is compiled: terrain, parts that vary.

        Args:
            spec: the document, of this task alone.
        """

    def reset(self, rng: "Streams") -> Any:
        """Draw initial states: by default the model's own.

        With a second argument, `reset(self, rng, last)` also gets the states in which the worlds'
        last episodes ended: `last.qpos` and its like, and the task's own arrays as `last.state`.
        In the first episode after seeding, `last` is the model's initial state, at time 0.

        Args:
            rng: the worlds' random generators, with the interface of numpy's.

        Returns:
            qpos (..., nq) and qvel (..., nv); or a dict of fields, of the task's own arrays, and of
            the fields of the model in `varies`, with their shapes.
        """
        return self.init_qpos, self.init_qvel

    def observation(self, data: Fields) -> dict[str, np.ndarray]:
        """The observation's parts, each (..., size), in order: by default the model's sensors."""
        return {"sensordata": data.sensordata}

    def info(self, data: Fields) -> dict[str, np.ndarray]:
        """Quantities that `reset` and `step` report about the state, each (...) or (..., size)."""
        return {}

    def before(self, data: Fields) -> Any:
        """Quantities from before the step that `outcome` needs; arrays must be copies."""
        return None

    def control(self, data: Fields, action: np.ndarray) -> Any:
        """Inputs of a step's physics: by default the action, for the actuators.

        A task whose actions are something else makes controls of them here, such as
        `0.5 * action * self.range`, moves mocap bodies, or applies forces; `action_limits` says
        which actions it takes.

        Args:
            data: the physics before the step.
            action: (..., size), in the type that the caller gave; late and with noise where the
                task's randomization has these.

        Returns:
            Controls (..., nu); or a dict of some of the fields `ctrl`, `mocap_pos`, `mocap_quat`,
            `qfrc_applied` and `xfrc_applied`, with their shapes, or those that they have in one
            world where all worlds get the same. They are the same in all of the
            `frame_skip` steps, and those that are left out stay as they are.
        """
        return action

    def outcome(self, data: Fields, action: np.ndarray, before: Any) -> Outcome:
        """Reward terms, termination and info after a step.

        Args:
            data: the physics after `frame_skip` steps.
            action: (..., nu), or as `action_limits` has it, in the type that the caller gave.
            before: what the method `before` returned.
        """
        raise TypeError(f"{type(self).__name__}: no reward is defined; write the method `outcome`")

    def update(self, data: Fields, action: np.ndarray, before: Any) -> dict[str, Any]:
        """New values of the task's own arrays after a step; none by default.

        `outcome` reads the old values, `observation` and `info` the new ones.

        Args:
            data: the physics after the step.
            action: (..., nu), or as `action_limits` has it, in the type that the caller gave.
            before: what the method `before` returned.

        Returns:
            Name to array (..., *shape); arrays that are left out do not change.
        """
        return {}

    def due(self, data: Fields) -> Any:
        """Mask of the worlds where `draw` is called after a step and `update`; None for none."""
        return None

    def draw(self, rng: "Streams") -> dict[str, Any]:
        """Values of the task's own arrays that are drawn at random, in worlds that are `due`.

        Args:
            rng: the random generators of these worlds, as in `reset`.

        Returns:
            Name to array (..., *shape).
        """
        raise TypeError(f"{type(self).__name__}: `due` is there; write the method `draw`, too")

    def compute_reward(self, achieved_goal: Any, desired_goal: Any, info: Any) -> Any:
        """Rewards (n,) of goals (n, size), for hindsight experience replay.

        Args:
            achieved_goal: goals that were reached.
            desired_goal: goals to compare them with.
            info: the infos of the steps.
        """
        raise TypeError(
            f"{type(self).__name__}: no reward of goals is defined; write the method "
            "`compute_reward`"
        )

    # what every task has

    @property
    def dt(self) -> float:
        """Duration of an environment step in seconds."""
        return self.model.opt.timestep * self.frame_skip

    @cached_property
    def init_qpos(self) -> np.ndarray:
        """(nq,) the model's initial positions."""
        return np.array(self.model.qpos0, dtype=np.float64)

    @cached_property
    def init_qvel(self) -> np.ndarray:
        """(nv,) the model's initial velocities: zero."""
        return np.zeros(self.model.nv)

    @cached_property
    def path(self) -> Path:
        """Path of the model file."""
        name = str(self.xml_file)
        if not name:
            raise ValueError(
                f"{type(self).__name__}: xml_file is not set, expected the name of a model file; "
                'write it into the class: xml_file = "..."'
            )
        if name.startswith(("/", "~", ".")):
            folders = [Path()]
        else:
            module = sys.modules.get(type(self).__module__)
            folders = [XML, Path(getattr(module, "__file__", None) or ".").parent]
        for folder in folders:
            path = folder / Path(name).expanduser()
            if path.is_file():
                return path
        near = get_close_matches(name, [p.name for p in XML.glob("*.xml")], 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        looked = " or ".join(str(folder.resolve()) for folder in folders)
        raise FileNotFoundError(
            f"{type(self).__name__}: xml_file={name!r}: no such file in {looked}{hint}"
        )

    def observation_structure(self, sizes: dict[str, int]) -> dict[str, int]:
        """Sizes of the observation's parts, after the number of positions left out of it.

        The number is given if `exclude_current_positions_from_observation` is a parameter.
        """
        if "exclude_current_positions_from_observation" in self.parameters():
            return {"skipped_qpos": int(self.model.nq) - sizes["qpos"], **sizes}
        return sizes

    @classmethod
    def parameters(cls) -> dict[str, Any]:
        """Names and defaults of the parameters: the class attributes that are not functions."""
        return {
            name: value
            for owner in reversed(cls.__mro__[:-1])
            for name, value in vars(owner).items()
            if not name.startswith("_")
            and name not in ("keep", "varies", "state", "groups", "action_limits")
            and not hasattr(value, "__get__")
        }

    @classmethod
    def _check_class(cls) -> None:
        """Refuse a class that takes the names of this one for something else, or misspells them."""
        # names one letter off
        refuse_near_names(cls, Task)
        # values of the wrong type that would be accepted silently
        for name in ("keep", "varies"):
            found = getattr(cls, name)
            if isinstance(found, str):
                raise TypeError(
                    f"{cls.__name__}.{name}: found {found!r}, expected a tuple of names: "
                    f"({found!r},)"
                )
        if hasattr(cls, "model"):
            raise TypeError(
                f"{cls.__name__}.model: found {cls.model!r}, but this is the name of the compiled "
                "model; the file's name is xml_file"
            )
        # a parameter must not hide a method or property
        for name, own in vars(Task).items():
            found = inspect.getattr_static(cls, name)
            if found is own or name.startswith("_") or not hasattr(own, "__get__"):
                continue
            where = f"{cls.__name__}.{name}"
            if not hasattr(found, "__get__"):
                raise TypeError(
                    f"{where}: found {found!r}, but tasks have a method or property of this name; "
                    "choose another name for the parameter"
                )
            # a method must take the arguments that it will be called with
            if inspect.isfunction(own) and inspect.isfunction(found):
                expected, signature = [*inspect.signature(own).parameters], inspect.signature(found)
                if name == "reset" and [*signature.parameters][2:3] == ["last"]:
                    expected.append("last")
                try:
                    signature.bind(*expected)
                except TypeError:
                    names = ", ".join(expected)
                    raise TypeError(
                        f"{where}: its arguments are {signature}, expected ({names})"
                    ) from None

    def _assign(self, values: tuple, parameters: dict[str, Any]) -> dict[str, Any]:
        """Names for values given by position, joined with those given by keyword."""
        where, known = type(self).__name__, list(self.parameters())
        ordered = [name for name in known if name not in self._by_keyword]
        if len(values) > len(ordered):
            raise TypeError(
                f"{where}: {len(values)} values, expected at most {len(ordered)}, {ordered}"
            )
        assigned = dict(zip(ordered, values, strict=False))
        for name, value in parameters.items():
            if name in assigned:
                raise TypeError(f"{where}: parameter {name!r} is given twice; remove one")
            if name not in known:
                near = get_close_matches(name, known, 1)
                hint = f"did you mean {near[0]!r}?" if near else f"expected one of {known}"
                # Python's own words: libraries look for them to learn what a constructor takes
                raise TypeError(
                    f"{where}.__init__() got an unexpected keyword argument {name!r}; {hint}"
                )
            assigned[name] = value
        return assigned


# Functions for tasks: they work on the last axis, and are quicker on small arrays than numpy's own.


def clip(x: np.ndarray, low: float, high: float) -> np.ndarray:
    """Limit every element to [low, high]."""
    return np.minimum(np.maximum(x, low), high)


def flat(x: np.ndarray) -> np.ndarray:
    """Join the last two axes: (..., n, m) to (..., n * m)."""
    return x.reshape(*x.shape[:-2], x.shape[-2] * x.shape[-1])


def sum_squares(x: np.ndarray) -> np.ndarray:
    """Sum of squares, (..., n) to (...), in the type of x."""
    return np.add.reduce(np.square(x), axis=-1)


def all_within(x: np.ndarray, low: float, high: float) -> np.ndarray:
    """All elements are strictly between the limits: (..., n) to bool (...)."""
    return np.logical_and.reduce((low < x) & (x < high), axis=-1)


def all_finite(x: np.ndarray) -> np.ndarray:
    """All elements are finite: (..., n) to bool (...)."""
    return np.logical_and.reduce(np.isfinite(x), axis=-1)
