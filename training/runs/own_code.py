"""Code of the user in a training: networks and callbacks, by `module:Name`.

Modules that a user names are executed. Those that a run's folder names are, only if that is
trusted: a run has a copy of them, so that it can be read where they are not.
"""

import importlib.machinery
import importlib.util
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stable_baselines3.common.callbacks import BaseCallback

from mjenv.gym.lookup import import_named
from mjenv.training.runs.unpickling import UntrustedError

CODE = "code"  # folder of a run with the modules that its pickles name
NAMES = "policy", "features", "callbacks"  # in config.json
Callback = str | BaseCallback | type[BaseCallback] | Callable[[dict, dict], Any]

_brought: dict[str, Path] = {}  # modules that have been read from the folder of a run


@dataclass(frozen=True)
class OwnCode:
    """What a training has from its user.

    Attributes:
        policy: class of the policy, as Stable-Baselines3 takes it; None for the algorithm's own.
        features: class of the network in front of it; None for none.
        callbacks: what is called on the way.
        names: of all of them, as `config.json` has them; those that are None or empty are left out.
    """

    policy: type | None = None
    features: type | None = None
    callbacks: list[BaseCallback] = field(default_factory=list)
    names: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        policy: str | type | None = None,
        features: str | type | None = None,
        callbacks: Sequence[Callback] = (),
    ) -> "OwnCode":
        """Of classes, functions, or their names.

        Raises:
            ValueError: a name names nothing, or something else.
        """
        classes = [_class("policy", policy), _class("features", features)]
        found = [named("callbacks", one) for one in callbacks]
        names = {
            "policy": classes[0] and name_of(classes[0]),
            "features": classes[1] and name_of(classes[1]),
            "callbacks": [
                given if isinstance(given, str) else name_of(one)
                for given, one in zip(callbacks, found, strict=True)
            ],
        }
        made = [_callback(one) for one in found]
        return cls(classes[0], classes[1], made, {name: x for name, x in names.items() if x})

    def write(self, folder: Path) -> None:
        """Copy the modules into the folder of a run; those of packages have to be installed."""
        for module in modules_of(self.names):
            file = Path(getattr(sys.modules.get(module), "__file__", None) or ".")
            if module.isidentifier() and file.suffix == ".py" and file.stem == module:
                (folder / CODE).mkdir(exist_ok=True)
                shutil.copyfile(file, folder / CODE / file.name)


def named(option: str, what: Any) -> Any:
    """What a name of a module of the user stands for; other things are themselves.

    Raises:
        ValueError: nothing, or the module has been read from a run and is another one here.
    """
    if not isinstance(what, str):
        return what
    found, module = import_named(option, what, "module:Name"), what.partition(":")[0]
    if module in _brought:
        spec = importlib.machinery.PathFinder.find_spec(module, [os.getcwd(), *sys.path])
        here = spec and spec.origin
        if here and Path(here).read_bytes() != _brought[module].read_bytes():
            raise ValueError(
                f"{option}: found two modules {module!r}: {here}, and {_brought[module]}, which "
                "has been read already; expected equal ones, rename the former"
            )
    return found


def name_of(what: Any) -> str:
    """The name of a class, a function, or the class of an instance."""
    made = what if hasattr(what, "__qualname__") else type(what)
    return f"{made.__module__}:{made.__qualname__}"


def modules_of(config: dict[str, Any]) -> list[str]:
    """Modules that a configuration names for networks and callbacks."""
    names = [config.get("policy"), config.get("features"), *(config.get("callbacks") or ())]
    return list(dict.fromkeys(str(name).partition(":")[0] for name in names if name))


def bring(folder: Path, config: dict[str, Any]) -> None:
    """Execute the modules that a run has brought, for pickles that name them; it is trusted.

    Raises:
        ValueError: one cannot be executed, or another one of its name has been.
    """
    for module in modules_of(config):
        file = folder / CODE / f"{module}.py"
        if not module.isidentifier() or not file.exists():
            continue  # it has to be installed
        known = sys.modules.get(module)
        if known is None:
            _execute(module, file)
        elif Path(getattr(known, "__file__", None) or os.devnull).read_bytes() != file.read_bytes():
            raise ValueError(
                f"{file}: found another module {module!r} that has been imported before, "
                f"{getattr(known, '__file__', None)}; expected the same, read the run in a process "
                "of its own"
            )


def run_callbacks(folder: Path, config: dict[str, Any], trust: bool) -> list[str]:
    """Callbacks that a run's configuration names, for a training that goes on.

    Raises:
        UntrustedError: there are some, and the run is not trusted.
    """
    names = [str(name) for name in config.get("callbacks", ())]
    if names and not trust:
        raise UntrustedError(
            f"{folder}: its training has callbacks of its own, {', '.join(names)}, which would be "
            "executed; pass --trust (trust=True) if you trust who made the run, or name them, "
            f"--callback {names[0]}"
        )
    return names


def _execute(module: str, file: Path) -> None:
    spec = importlib.util.spec_from_file_location(module, file)
    assert spec is not None
    assert spec.loader is not None
    made = sys.modules[module] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(made)
    except Exception as error:
        del sys.modules[module]
        raise ValueError(f"{file}: cannot be imported: {type(error).__name__}: {error}") from error
    _brought[module] = file


def _class(option: str, what: Any) -> type | None:
    found = named(option, what)
    if found is not None and not isinstance(found, type):
        raise ValueError(f"{option}: found {found!r}, expected a class")
    return found


def _callback(what: Any) -> BaseCallback:
    """A callback of Stable-Baselines3 of what was given.

    Raises:
        ValueError: it is none.
    """
    if isinstance(what, BaseCallback):
        return what
    if isinstance(what, type) and issubclass(what, BaseCallback):
        try:
            return what()
        except TypeError as error:
            raise ValueError(
                f"callbacks: {name_of(what)} cannot be made without arguments ({error}), expected "
                "a class that can, or an instance"
            ) from None
    if isinstance(what, type) or not callable(what):
        raise ValueError(
            f"callbacks: found {what!r}, expected a BaseCallback of Stable-Baselines3, or a "
            "function of the dicts of local and of global variables"
        )
    return Called(what)


class Called(BaseCallback):
    """Calls a function after each step of all worlds; False ends the training."""

    def __init__(self, function: Callable[[dict, dict], Any]):
        """Of a function of the dicts of local and of global variables."""
        super().__init__()
        self._function = function

    def _on_step(self) -> bool:
        return self._function(self.locals, self.globals) is not False
