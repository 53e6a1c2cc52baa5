"""The environment that is ported: made with `mjenv.mujoco`, and looked into."""

import copy
import importlib
import importlib.util
import inspect
import sys
from collections import UserDict, UserList, deque
from collections.abc import Callable, Collection
from types import CodeType, FunctionType, ModuleType, SimpleNamespace
from typing import Any, NamedTuple, cast

import gymnasium
import numpy as np

from mjenv.gym import suites
from mjenv.gym.lookup import import_own
from mjenv.mujoco.enumerations import mjtState
from mjenv.mujoco.functions import mj_getState, mj_setState, mj_stateSize
from mjenv.mujoco.structs import MjData, MjModel
from mjenv.porting.environment.attributes import Places
from mjenv.porting.environment.dm_control_tasks import adapted, dm_control_task, is_dm_env
from mjenv.porting.environment.generators import Generators
from mjenv.porting.environment.in_place import has_ours, ours_in_place
from mjenv.porting.environment.metaworld_tasks import metaworld_task
from mjenv.porting.environment.model_options import field_of, option_names, set_field
from mjenv.porting.environment.place_names import Path
from mjenv.porting.environment.sharing import sharing
from mjenv.porting.symbols.refusals import NotThere

# wrappers that Gymnasium's `make` puts around every environment; they change nothing of a step
_CHECKS = frozenset(("PassiveEnvChecker", "OrderEnforcing"))
_OF_MAKE = frozenset((*_CHECKS, "TimeLimit"))
# packages that are not followed, however much of them is Python
_NOT_FOLLOWED = sys.stdlib_module_names | {
    "dm_env", "gym", "gymnasium", "jax", "mjenv", "mujoco", "numba", "numpy", "scipy", "torch"
}  # fmt: skip
_MOST_LOOKED_AT = 10_000  # objects, for the one that has the data


class Alias(NamedTuple):
    """A part of a field of the data.

    Attributes:
        field: its name.
        first: the first of its elements; -1 where they do not follow one another.
        shape: of the part.
    """

    field: str
    first: int
    shape: tuple[int, ...]


class Form(NamedTuple):
    """How a method is followed.

    Attributes:
        branched: whether branches of all functions become calls, not only where that is known to
            matter.
        most: how many ways through a function are followed.
        together: whether what may be None, or one of several members of an enumeration, is one
            value, rather than a way for each.
    """

    branched: bool
    most: int
    together: bool = False


class Original:
    """An environment, one world, on our engine.

    Attributes:
        target, name, kwargs: what it was asked for by, and made with.
        env: as it was made, with its wrappers.
        inner: the environment itself.
        root: what is followed: `env` where it has wrappers of its package, else `inner`.
        model, data: its `MjModel` and `MjData`, where there is one of each.
        limit: steps after which episodes are truncated, where `root` does not count them; None for
            never.
        places: what its objects hold.
        tops: beginnings of the names of modules that its classes are of.
        helpers: modules of other packages that it gives values to.
        spaces: the names of these modules, as they are where `mujoco` is ours.
        generators: its random generators.
        ends_unstable: whether episodes end in worlds that become unstable.
        not_traced: why it says of itself that its step cannot be traced; "" for it does not.
        indexed: functions whose indices may be values, by the lines that have shown it.
        leading: places that lead to one object or another.
        shared: arrays that share memory at times, each with the path of another; see sharing.py.
        parted: those of them that do not at others.
        late: attributes that the first step makes for good.
        form: in which it is followed.
    """

    def __init__(
        self,
        target: str | Callable[..., Any],
        kwargs: dict[str, Any],
        helpers: tuple[str, ...] = (),
    ):
        """Make it.

        Args:
            target: see `mjenv.port`.
            kwargs: what it is made with.
            helpers: modules of other packages that are followed, too.

        Raises:
            ValueError: there is none of this name.
        """
        self.target, self.kwargs = target, kwargs
        self.name = target if isinstance(target, str) else target.__name__
        self.helpers = helpers
        self._make()

    def _make(self) -> None:
        """Make the environment, and find out what it is made of."""
        self.indexed: dict[tuple[str, int], CodeType] = {}
        self.shared: dict[Path, Path] = {}
        self.parted: set[Path] = set()
        self.late: set[Path] = set()
        self._looked = False
        self.form = Form(False, 0)
        self._followed: dict[type, bool] = {}
        # the environment's modules import `mujoco`, which has to be this package's by then
        with ours_in_place():
            self.env = without_checks(made(self.target, self.kwargs))
            self.inner = innermost(self.env)
            self.root = self.env if self.foreign_wrappers else self.inner
            own = {*_tops(self.env, self.root), *self.helpers}
            self.tops = tuple(sorted(own | _holders_of_data(self.root, own)))
            self.not_traced = getattr(self.inner, "not_traced", "")
            self.places = Places(self.root, self._follows)
            self.spaces = self._spaces_of_names()
            # what they use of other packages that use `mujoco`, too
            while more := _users(self.spaces) - {n for n in sys.modules if self.is_theirs(n)}:
                self.tops = tuple(sorted({*self.tops, *more}))
                self._followed.clear()
                self.spaces = self._spaces_of_names()
        self.limit = _limit(self.env) if self.root is self.inner else None
        self.ends_unstable = getattr(self.inner, "ends_unstable", False)
        self.leading = set[Path]()
        self.generators = Generators(self.inner, self.places)
        # what is not traced is not looked into, either
        adapter: Any = self.inner
        found = [adapter.data] if self.not_traced else _physics(adapter, self._follows)
        if len(found) != 1:
            self.not_traced = (
                f"found {len(found)} objects of class MjData in the environment, expected one"
            )
            self._fresh = self.places.saved()
            return
        self.data: MjData = found[0]
        self.model: MjModel = self.data.model
        self._fresh = self._state_of_all()

    def follow_too(self, module: str) -> None:
        """Make it anew, and look into the objects of one more module, by its name."""
        self.helpers, before = (*self.helpers, module), self.env
        self._make()
        if self.env is not before:
            before.close()

    def _state_of_all(self) -> Callable[[], None]:
        """Return a function that restores the environment as it is now."""
        put_back, model = self.places.saved(), model_numbers(self.model)
        whole = int(mjtState.mjSTATE_INTEGRATION)
        state = np.zeros(mj_stateSize(self.model, whole))
        mj_getState(self.model, self.data, state, whole)
        generator, ask_again = copy.deepcopy(self.generators.main), self.generators.saved()

        def renew() -> None:
            put_back()
            for name in varying_model_fields(model, self.model):
                set_field(self.model, name, model[name])
            mj_setState(self.model, self.data, state, whole)
            self.generators.main = copy.deepcopy(generator)
            ask_again()

        return renew

    @property
    def reward_space(self) -> Any:
        """What an environment of several objectives says of its rewards; None for numbers."""
        return getattr(self.inner, "reward_space", None)

    def renew(self) -> None:
        """Have the environment as it was made, before any episode."""
        self._fresh()

    def _follows(self, value: Any) -> bool:
        """True if attributes of an object are the environment's own."""
        if value is self.inner or value is self.root:
            return True
        kind = type(value)
        if kind not in self._followed:
            self._followed[kind] = self._is_followed(value)
        return self._followed[kind]

    def _is_followed(self, value: Any) -> bool:
        """The same for all objects of its type."""
        known = hasattr(value, "__dict__") or hasattr(value, "__slots__")
        if self.not_traced or not known or isinstance(value, type | MjData | MjModel):
            return False
        # limits of spaces are read as numbers are
        if isinstance(value, gymnasium.Space | SimpleNamespace | UserDict | UserList):
            return True
        return self.is_theirs(type(value).__module__)

    def _spaces_of_names(self) -> list[dict[str, Any]]:
        """Names in the package's modules, and those that methods of the environment's objects see.

        Modules that use `mujoco` may be others than those that are imported by these names now.
        """
        own = ("gymnasium", "typing")
        kinds = [k for k in _kinds(self.inner) if k.__module__.partition(".")[0] not in own]
        modules = [m for n, m in list(sys.modules.items()) if self.is_theirs(n)]
        waiting, found = [*kinds, *self.kinds(), *modules], dict[int, dict[str, Any]]()
        while waiting:
            for space in _names_around(waiting.pop()):
                if id(space) not in found:
                    found[id(space)] = space
                    named = ((one, _module_of(one)) for one in space.values())
                    waiting += [v for v, n in named if self.is_theirs(n) and may_be_followed(n)]
        return [*found.values()]

    def aliases(self) -> dict[Path, Alias]:
        """Attributes that are parts of the data's own arrays, and change with these."""
        spans = []
        for name, array in self.data.batch._arrays.items():
            if array.size and array.dtype == np.float64:
                start = array.__array_interface__["data"][0]
                spans.append((start, start + array.nbytes, name))
        found = {}
        for path, value in self.places._walk():
            if not isinstance(value, np.ndarray) or not value.size:
                continue
            place = value.__array_interface__["data"][0]
            for start, end, name in spans:
                if start <= place < end:
                    whole = value.dtype == np.float64 and value.flags.c_contiguous
                    first = (place - start) // 8 if whole else -1
                    found[path] = Alias(name, first, value.shape)
        return found

    def note_shared(self) -> None:
        """Take up arrays that share memory now, and those that did."""
        found = sharing(self.places._walk())
        if self._looked:
            self.parted |= self.shared.keys() ^ found.keys()
        self.shared |= found
        self._looked = True

    @property
    def together(self) -> set[Path]:
        """Arrays that share memory whenever that has been looked at."""
        return {path for path in self.shared if path not in self.parted}

    def put(self, path: Path, value: Any) -> None:
        """Have a value at a place, also in a dict that only the first step makes."""
        try:
            self.places.put(path, value)
        except NotThere:
            if path not in self.late or path[-1][0] != "[":
                raise
            self.places.put(path[:-1], {})
            self.places.put(path, value)

    def objects(self) -> list[Any]:
        """The environment's objects that are looked into."""
        return [value for _, value in self.places._walk() if self._follows(value)]

    def kinds(self) -> list[type]:
        """Classes of the environment's objects that are of its package."""
        kinds = (kind for value in self.objects() for kind in type(value).__mro__)
        return [*dict.fromkeys(kind for kind in kinds if self.is_theirs(kind.__module__))]

    def is_theirs(self, module: str) -> bool:
        """True for modules of the environment's package."""
        return any(module == top or module.startswith(f"{top}.") for top in self.tops)

    @property
    def foreign_wrappers(self) -> list[str]:
        """Wrappers that a step goes through, besides those of `make`."""
        found: list[str] = []
        env: Any = self.env
        while env is not self.inner:
            if type(env).__name__ not in _OF_MAKE:
                found.append(type(env).__name__)
            env = env.env
        return found


def made(target: str | Callable[..., Any], kwargs: dict[str, Any]) -> gymnasium.Env:
    """Make an environment by its id, by "module:function", by "package/task", or by a function.

    Raises:
        ValueError: there is none of this name.
    """
    if callable(target):
        return _as_gymnasium(target, kwargs)
    package, mark, task = target.partition("/" if "/" in target else ":")
    if task and package in PACKAGES and (mark == "/" or "-" in task) and not _has_version(target):
        return PACKAGES[package](task, **kwargs)
    module, _, function = target.partition(":")
    if function and "-v" not in function:
        return _as_gymnasium(_function(module, function), kwargs)
    broken = "" if ":" in target else _registered(target)
    try:
        # what the checker looks at are results, which symbols are not
        return gymnasium.make(target, disable_env_checker=True, **kwargs)
    except gymnasium.error.UnregisteredEnv as error:
        advice = suites.advice(target) or (
            "expected an id of Gymnasium or of an installed package, metaworld/TASK, or "
            "module:function"
        )
        raise ValueError(f"{target}: no such environment ({error}){broken}; {advice}") from None
    except TypeError as error:
        if "required" not in str(error):
            raise
        raise ValueError(
            f"{target}: not made without arguments ({error}); expected them as --env-kwargs "
            "NAME:VALUE, or in mjenv.port"
        ) from error


def _has_version(target: str) -> bool:
    """True for ids of another package's bridge, such as shimmy's "dm_control/cheetah-run-v0"."""
    if not target.rpartition("-v")[2].isdigit():
        return False
    _registered(target)
    return target in gymnasium.registry


def _registered(target: str) -> str:
    """Import packages that register ids when they are imported, until there is this one.

    Returns:
        Which of them could not be imported, and why.
    """
    broken = ""
    of_dm_control = target.startswith("dm_control")
    for name in ("shimmy",) if of_dm_control else ("gymnasium_robotics", "myosuite"):
        if target in gymnasium.registry:
            break
        if importlib.util.find_spec(name) is not None:
            try:
                importlib.import_module(name)
            except ImportError as error:
                broken += f"; {name} is installed, but {error}"
    return broken


def _as_gymnasium(make: Callable[..., Any], kwargs: dict[str, Any]) -> gymnasium.Env:
    """What a function makes, or its adapter, which takes `flatten`."""
    flatten = kwargs.get("flatten", True)
    if "flatten" in kwargs and "flatten" not in inspect.signature(make).parameters:
        kwargs = {name: value for name, value in kwargs.items() if name != "flatten"}
    found = make(**kwargs)
    return adapted(found, flatten) if is_dm_env(found) else found


def _function(module: str, name: str) -> Callable[..., gymnasium.Env]:
    """A function of a module of the user, from the current folder or Python's paths."""
    found: Any = getattr(import_own(module), name, None)
    if not callable(found):
        raise ValueError(
            f"{module}:{name}: found no function {name!r} in {module}, expected one that makes an "
            "environment"
        )
    return cast("Callable[..., gymnasium.Env]", found)


PACKAGES: dict[str, Callable[..., gymnasium.Env]] = {
    "dm_control": dm_control_task, "metaworld": metaworld_task,
}  # fmt: skip


def _limit(env: Any) -> int | None:
    """The time limit that a wrapper counts."""
    while True:
        found = vars(env).get("_max_episode_steps")
        if found is not None and type(env).__name__ == "TimeLimit":
            return int(found)
        if not isinstance(env, gymnasium.Wrapper):
            return None
        env = env.env


def without_checks(env: Any) -> Any:
    """An environment without the wrappers of `gymnasium.make` that only check how it is used."""
    while type(env).__name__ in _CHECKS:
        env = env.env
    outer = env
    while isinstance(outer, gymnasium.Wrapper):
        inner: Any = outer.env
        if type(inner).__name__ in _CHECKS:
            outer.env = inner.env
        else:
            outer = inner
    return env


def innermost(env: Any) -> Any:
    """The environment inside Gymnasium's wrappers, whatever it calls unwrapped itself."""
    while isinstance(env, gymnasium.Wrapper):
        env = env.env
    return env


def _tops(env: Any, root: Any) -> tuple[str, ...]:
    """Packages of an environment's classes, and of its wrappers; of Gymnasium only these parts."""
    found, inner = set(), innermost(env)
    while True:
        own = env is inner or root is not inner
        for kind in _kinds(env) if own else ():
            top = kind.__module__.partition(".")[0]
            if top == "gymnasium":
                found |= {"gymnasium.envs.mujoco", "gymnasium.wrappers", "gymnasium.spaces.utils"}
            elif top not in ("builtins", "typing", "abc", "mjenv"):
                found.add(top if top != "__main__" else kind.__module__)
        if env is inner:
            return tuple(sorted(found))
        env = env.env


def _names_around(value: Any) -> list[dict[str, Any]]:
    """Names that a module has, or that a function, or the methods of a class, see."""
    if isinstance(value, ModuleType):
        return [vars(value)]
    functions = [value] if isinstance(value, FunctionType) else [*vars(value).values()]
    return [one.__globals__ for one in functions if isinstance(one, FunctionType)]


def _module_of(value: Any) -> str:
    """Name of a module, or of that of a class or a function; "" for other objects."""
    if isinstance(value, ModuleType):
        return value.__name__
    return str(value.__module__) if isinstance(value, FunctionType | type) else ""


def _users(spaces: list[dict[str, Any]]) -> set[str]:
    """Modules that names are, or are of, in which there is `mujoco`; none of Gymnasium."""
    named = {_module_of(value) for space in spaces for value in list(space.values())}
    return {n for n in named if n and n.partition(".")[0] != "gymnasium" and has_ours(n)}


def _kinds(inner: Any) -> list[type]:
    """Classes of an environment, and of the parts that an adapter says it has."""
    parts = (inner, *getattr(inner, "parts", ()))
    return list(dict.fromkeys(kind for one in parts for kind in type(one).__mro__))


def _holders_of_data(root: Any, tops: Collection[str]) -> set[str]:
    """Packages whose objects lead from an environment to its data, such as dm_control; few do.

    Args:
        root: the environment.
        tops: packages that are looked into anyway.
    """
    seen, waiting = {id(root)}, deque([(root, frozenset[str]())])
    while waiting and len(seen) < _MOST_LOOKED_AT:
        value, through = waiting.popleft()
        if isinstance(value, MjData):
            return {*through}
        top = type(value).__module__.partition(".")[0]
        if top not in tops and may_be_followed(top):
            through = through | {top}
        elif value is not root and top not in tops:
            continue
        for one in vars(value).values() if hasattr(value, "__dict__") else ():
            if id(one) not in seen and not isinstance(one, type | FunctionType | ModuleType):
                seen.add(id(one))
                waiting.append((one, through))
    return set()


def may_be_followed(module: str) -> bool:
    """True for modules that could be followed if an environment gave values to them."""
    return bool(module) and module.partition(".")[0] not in _NOT_FOLLOWED


def _physics(root: Any, follows: Callable[[Any], bool]) -> list[MjData]:
    """The data that the environment's objects hold."""
    found: dict[int, MjData] = {}
    for _, value in Places(root, follows)._walk():
        if isinstance(value, MjData):
            found[id(value)] = value
    return list(found.values())


def varying_model_fields(before: dict[str, np.ndarray], model: MjModel) -> list[str]:
    """Fields of a model that are others than they were."""
    return [
        n for n, a in before.items() if not np.array_equal(a, field_of(model, n), equal_nan=True)
    ]


def model_numbers(model: MjModel) -> dict[str, np.ndarray]:
    """Copies of the fields of a model that are arrays of numbers, and of its options."""
    twin = model._twin()
    fields = {
        name: np.copy(value)
        for name, value in vars(twin).items()
        if isinstance(value, np.ndarray) and value.dtype.kind in "fiub" and value.size < 100000
    }
    return fields | {name: np.copy(field_of(model, name)) for name in option_names(model)}
