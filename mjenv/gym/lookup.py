"""Environments by the names that users give: `HalfCheetah-v5`, `module:Id`, or of a run."""

import importlib
import importlib.machinery
import os
import sys
import traceback
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import gymnasium
from gymnasium.envs.registration import EnvSpec, load_env_creator

import mjenv
from mjenv.gym import suites
from mjenv.gym.registration import MIX
from mjenv.randomization import literals

# arguments of environments that training, films and windows choose themselves
RESERVED = frozenset({"render_mode", "width", "height", "num_envs", "autoreset_mode", "copy"})

SHOWN = 8  # names in a message

_importing: list[str] = []
_came_with: dict[str, set[str]] = {}  # environments by the module that was imported for them


def environment_id(name: str) -> str:
    """Registered id of an environment: "HalfCheetah-v5" is "mjenv/HalfCheetah-v5".

    "module:Id" imports the module, from the current folder or the paths of Python, as Gymnasium
    does.

    Raises:
        ValueError: no environment has this name, or it is none of mjenv's, or the module cannot be
            imported.
    """
    module, colon, id = name.rpartition(":")
    if colon:
        import_own(module)
    for candidate in (id, f"mjenv/{id}") if colon else (f"mjenv/{id}", id):
        if candidate in gymnasium.registry:
            _refuse_others(gymnasium.registry[candidate])
            return module + colon + candidate
    own = colon and module != "mjenv"
    advice = _advice_within(module, id) if own else _advice(id)
    advice = advice or "`mjenv envs` lists them, and your own are named module:Id"
    raise ValueError(f"{name}: no such environment; {advice}")


def _advice_within(module: str, id: str) -> str:
    """The nearest name among the environments that a module registers, or all of them."""
    specs = [spec for spec in gymnasium.registry.values() if _is_ours(spec)]
    owners = {spec.id: f"{_owner(spec)}." for spec in specs}
    came = _came_with.get(module, set())
    known = [one for one, owner in owners.items() if owner.startswith(f"{module}.") or one in came]
    near = get_close_matches(id, known, 1)
    if near:
        return f"did you mean {f'{module}:{near[0]}'!r}?"
    if known:
        more = f" and {len(known) - SHOWN} more" if len(known) > SHOWN else ""
        return f"{module} registers {', '.join(map(repr, known[:SHOWN]))}{more}"
    return f"{module} registers none; call mjenv.register where it is imported"


def _advice(id: str) -> str:
    """The nearest name of an environment of mjenv's, or nothing."""
    missing = suites.advice(id.removeprefix("mjenv/"))
    if missing:
        return missing
    known = [spec.id for spec in gymnasium.registry.values() if _is_ours(spec)]
    short = {one.removeprefix("mjenv/"): one for one in known}
    near = get_close_matches(id.removeprefix("mjenv/"), short, 1)
    return f"did you mean {near[0]!r}?" if near else ""


def spec_of(env_id: str) -> EnvSpec:
    """The specification of an environment that `environment_id` has found."""
    return gymnasium.registry[env_id.rpartition(":")[2]]


def import_own(module: str, folder: str | None = None) -> Any:
    """Import a module of the user, from the current folder, Python's paths, or another folder.

    Raises:
        ValueError: it cannot be imported.
    """
    for path in (os.getcwd(), folder):
        if path is not None and path not in sys.path:
            # the current folder first, as `python -m` has it; the other one last
            sys.path.insert(0 if path == os.getcwd() else len(sys.path), path)
    _importing.append(module)
    before = set(gymnasium.registry)
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise
        raise ValueError(
            f"{module}: no such module in {os.getcwd()} or on Python's paths; "
            "go to its folder, or name that in PYTHONPATH"
        ) from None
    except Exception as error:
        raise ValueError(f"{module}: cannot be imported: {_place(error)}") from error
    finally:
        _importing.pop()
        _came_with.setdefault(module, set()).update(set(gymnasium.registry) - before)


def import_named(option: str, text: str, expected: str = "module:NAME") -> Any:
    """What `module:NAME` names, in a module of the user; see `import_own`.

    Args:
        option: that has it, for messages.
        text: the two names.
        expected: what is right, for messages.

    Raises:
        ValueError: it names nothing.
    """
    module, colon, name = text.partition(":")
    if not (module and colon and name.isidentifier()):
        raise ValueError(f"{option}: found {text!r}, expected {expected}")
    found = import_own(module)
    if not hasattr(found, name):
        near = get_close_matches(name, dir(found), 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"{option}: module {module} has no {name!r}{hint}")
    return getattr(found, name)


def importing() -> str | None:
    """The module that is being imported for its environments; None outside of that."""
    return _importing[-1] if _importing else None


def _place(error: Exception) -> str:
    """An error with the place that it comes from."""
    if isinstance(error, SyntaxError):
        return f"{error.filename}:{error.lineno}: {error.msg}"
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{last.filename}:{last.lineno}: {type(error).__name__}: {error}"


def _is_ours(spec: EnvSpec) -> bool:
    """True if an environment has a vector environment of mjenv's."""
    from mjenv.gym.vector import VectorEnv

    entry = spec.vector_entry_point
    if isinstance(entry, str):
        if entry.startswith("mjenv."):
            return True
        if entry.startswith("gymnasium."):
            return False
        try:
            entry = load_env_creator(entry)
        except (ImportError, AttributeError, ValueError):
            return False
    return isinstance(entry, type) and issubclass(entry, VectorEnv)


def _refuse_others(spec: EnvSpec) -> None:
    if not _is_ours(spec):
        raise ValueError(
            f"{spec.id}: is no environment of mjenv, expected one of `mjenv envs` or a task that "
            "mjenv.register has made known; "
            + (_advice(spec.id) or "Stable-Baselines3 itself trains others")
        )


def refuse_vector_only(env_id: str) -> None:
    """Refuse an environment of which there are worlds together only, but no single one.

    Raises:
        ValueError: it has several tasks, or is another package's.
    """
    if spec_of(env_id).entry_point is None:
        what = "has several tasks" if is_mix(env_id) else "is another package's task"
        raise ValueError(
            f"{env_id}: {what} and no single environment, expected one that `mjenv envs` lists; "
            "gymnasium.make_vec makes its worlds"
        )


def is_port(env_id: str) -> bool:
    """True if an environment is another package's, with its worlds in ours."""
    entry = spec_of(env_id).vector_entry_point
    return isinstance(entry, str) and entry.startswith("mjenv.porting.")


def is_mix(env_id: str) -> bool:
    """True if an environment has worlds of several tasks."""
    return spec_of(env_id).vector_entry_point == MIX


def tasks_of(env_id: str, env_kwargs: dict[str, Any] | None = None) -> tuple[str, ...]:
    """Environments of the tasks of an environment that has several; () for others."""
    if not is_mix(env_id):
        return ()
    tasks = {**spec_of(env_id).kwargs, **(env_kwargs or {})}.get("tasks", ())
    return tuple(named_in(tasks))


def named_in(tasks: Any) -> list[str]:
    """Names of environments among tasks, as `mjenv.MultiVectorEnv` takes them."""
    values = tasks.items() if isinstance(tasks, dict) else [(name, 1) for name in tasks]
    named = [v.get("id", name) if isinstance(v, dict) else name for name, v in values]
    return [name for name in named if isinstance(name, str)]


def origin(env_id: str) -> dict[str, Any] | None:
    """Data to find an environment again in another process; None for mjenv's own.

    Returns:
        `module` and `folder` to import it from; `task` as "module:Class" and `max_episode_steps`,
        for modules that do not register it when they are imported.
    """
    spec = spec_of(env_id)
    task, owner = spec.kwargs.get("task"), _owner(spec)
    if owner.partition(".")[0] == "mjenv" and ":" not in env_id:
        return None
    name, folder = _importable(env_id.rpartition(":")[0] or owner)
    found: dict[str, Any] = {"module": name, "folder": folder}
    if task is not None:
        label = task.__qualname__ if isinstance(task, type) else task.partition(":")[2]
        found["task"] = f"{_importable(owner)[0]}:{label}"
        found["max_episode_steps"] = spec.max_episode_steps
        found["kwargs"] = _written({n: v for n, v in spec.kwargs.items() if n != "task"})
    return found


def _owner(spec: EnvSpec) -> str:
    """The module that has the task of an environment of mjenv's, or its vector environment."""
    task = spec.kwargs.get("task")
    owner = task.__module__ if isinstance(task, type) else str(task or "").partition(":")[0]
    if owner:
        return owner
    entry: Any = spec.vector_entry_point
    return entry.partition(":")[0] if isinstance(entry, str) else entry.__module__


def _written(kwargs: dict[str, Any]) -> dict[str, str] | None:
    """Keyword arguments as text; None if one has none."""
    try:
        return {name: literals.write(name, value) for name, value in kwargs.items()}
    except ValueError:
        return None


def _importable(module: str) -> tuple[str, str | None]:
    """The name of a module for other processes, and the folder where they find it."""
    file = getattr(sys.modules.get(module), "__file__", None)
    if file is None:
        return module, None
    path = Path(file).resolve()
    if module == "__main__":
        return path.stem, str(path.parent)
    depth = module.count(".") + (path.name == "__init__.py")
    return module, str(path.parents[depth])


def _typed_here(env_id: str, origin: dict[str, Any]) -> bool:
    """True if a task that was typed into an interactive session was typed into this one."""
    spec = gymnasium.registry.get(env_id)
    task = None if spec is None else spec.kwargs.get("task")
    return isinstance(task, type) and f"{task.__module__}:{task.__qualname__}" == origin.get("task")


def check_modules(
    where: Path,
    env_id: str,
    origin: dict[str, Any] | None,
    env_kwargs: dict[str, Any] | None = None,
) -> None:
    """Refuse modules that a file names, where the file is what brings them.

    Fine are those that are imported already, and those that Python finds from here, without the
    file, in the very folder that it names: the file knows this machine.

    Args:
        where: the file, or the folder of a run.
        env_id: the environment that it names.
        origin: what it says of it; see `origin`.
        env_kwargs: arguments of the environment, of which "tasks" name others.

    Raises:
        ValueError: a module would be executed.
    """
    # modules that the file would have us import
    named = [env_id.rpartition(":")[0]]
    if origin is not None:
        named = [str(origin["module"]), str(origin.get("task") or "").partition(":")[0]]
    named += [name.rpartition(":")[0] for name in named_in((env_kwargs or {}).get("tasks", ()))]
    folder = None if origin is None else origin.get("folder")
    # fine: imported before, ours, or found without the file's help
    for module in filter(None, named):
        own = module.partition(".")[0]
        if module in sys.modules or own == "mjenv" or _found_here(own, folder, where):
            continue
        place = f" in {folder}" if folder is not None else ""
        raise ValueError(
            f"{where}: the environment {env_id} is in the module {module!r}{place}, which would "
            "be executed; pass --trust (trust=True) if you trust who made it"
            + (f", or go to {folder}" if folder is not None and Path(folder).is_dir() else "")
        )


def _found_here(module: str, folder: str | None, where: Path) -> bool:
    """True if Python finds a module in a folder that it looks into anyway, none of a run."""
    if folder is None or module in sys.stdlib_module_names:
        return False
    spec = importlib.machinery.PathFinder.find_spec(module, [os.getcwd(), *sys.path])
    if spec is None or spec.origin is None:
        return False
    file = Path(spec.origin).resolve()
    inside = where.resolve() in file.parents
    return not inside and file.parents[file.name == "__init__.py"] == Path(folder).resolve()


def find_again(env_id: str, origin: dict[str, Any] | None) -> str:
    """The environment that `origin` was made for.

    Raises:
        ValueError: it cannot be found.
    """
    # an old file says no more than the name
    if origin is None:
        return environment_id(env_id)
    # typed into a session: there is no file to import
    if origin["module"] == "__main__":
        if _typed_here(env_id, origin):
            return env_id
        raise ValueError(
            f"{env_id}: its task was typed into an interactive session, expected one that stands "
            "in a file; it cannot be found again"
        )
    # imported, and registered where the module does not do so itself
    import_own(origin["module"], origin["folder"])
    id = env_id.rpartition(":")[2]
    if id not in gymnasium.registry and origin.get("kwargs") is not None:
        import_own(origin["task"].partition(":")[0], origin["folder"])
        kwargs = {name: literals.read(text) for name, text in origin["kwargs"].items()}
        mjenv.register(id, origin["task"], origin["max_episode_steps"], kwargs=kwargs)
    if id not in gymnasium.registry:
        raise ValueError(
            f"{id}: {origin['module']} registers no such environment, expected the one that the "
            "run was trained in; register it where the module is imported"
        )
    _refuse_others(gymnasium.registry[id])
    return id
