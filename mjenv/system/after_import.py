"""Calls a function once a module has been imported, which it does not import itself."""

import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.abc import Loader, MetaPathFinder
else:
    # a large part of importing mjenv, for two names
    Loader = MetaPathFinder = object


def after_import(name: str, action: Callable[[], None]) -> None:
    """Call `action` as soon as module `name` has run; at once if it has.

    Args:
        name: dotted name of the module.
        action: called once, before the statement that imports the module goes on.
    """
    if name in sys.modules:
        action()
    else:
        sys.meta_path.insert(0, _Finder(name, action))


class _Finder(MetaPathFinder):
    """Waits for one module, which the other finders find."""

    def __init__(self, name: str, action: Callable[[], None]):
        self._name, self._action = name, action

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self._name:
            return None
        for finder in [finder for finder in sys.meta_path if finder is not self]:
            spec = finder.find_spec(fullname, path, target)
            if spec is not None and spec.loader is not None:
                spec.loader = _Loader(spec.loader, self)
                return spec
        return None

    def done(self) -> None:
        """The module has run."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)
            self._action()


class _Loader(Loader):
    """Runs a module with its own loader, then tells the finder."""

    def __init__(self, loader: Loader, finder: _Finder):
        self._loader, self._finder = loader, finder

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        assert module.__spec__ is not None
        module.__spec__.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        self._finder.done()
