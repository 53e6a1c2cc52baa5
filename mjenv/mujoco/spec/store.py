"""Contents of specs: the tree of bodies, lists of other elements, and default classes."""

import os
from typing import Any

from mjenv.mujoco.spec.classes import CLASSES
from mjenv.mujoco.spec.defaults import MjsDefault
from mjenv.mujoco.spec.kinds import IN_SPEC, IN_TREE
from mjenv.mujoco.spec.names import repeated
from mjenv.mujoco.spec.signing import signature
from mjenv.mujoco.spec.spec_settings import SpecSettings
from mjenv.mujoco.words.explain import SpecError


class Store(SpecSettings):
    """The elements of a spec: what it has, without what can be done with it.

    Attributes:
        worldbody, default: the world, and the outermost default class.
    """

    __module__ = "mujoco._specs"
    _world: Any
    _signed: int | None

    def __init__(self):
        super().__init__()
        own = self.__dict__
        own["_lists"] = {kind: [] for kind in IN_SPEC}
        own |= {"_defaults": [], "_classes": {}, "_active": [], "_attached_specs": []}
        own |= {"_pending": [], "_signed": None}
        own |= {"_compiled": None, "_places": None}
        self._add_defaults(MjsDefault._made("main", None), None)
        world = CLASSES["body"]._made(self)
        world._name, world._classname, world._id = "world", "main", 0
        own["_world"] = world

    @property
    def hasImplicitPluginElem(self) -> int:
        """True if an element has a plugin instance for itself."""
        return int(any(not plugin.name for plugin in self._lists["plugin"]))

    @property
    def worldbody(self) -> Any:
        """The world."""
        return self._world

    @property
    def default(self) -> MjsDefault:
        """The outermost default class."""
        return self._defaults[0]

    # elements

    def _elements(self, kind: str) -> list[Any]:
        """All elements of a kind."""
        if kind == "body":
            return list(self._world._walk())
        return self._world._inside(kind) if kind in IN_TREE else self._lists[kind]

    def _found(self, kind: str, name: str) -> Any:
        """The element of a name, or None."""
        if not isinstance(name, str):
            raise TypeError(f"{kind}: expected a name, found {type(name).__name__}")
        for element in self._elements(kind):
            if element._name == name:
                return element
            if kind in ("texture", "mesh") and not element._name:
                stem = os.path.splitext(os.path.basename(element.file))[0]
                if stem == name:
                    return element
        return None

    def _knows(self, compiler: Any) -> bool:
        """True if a compiler is its own, or that of a spec attached to it."""
        if compiler is self.compiler:
            return True
        return any(spec._knows(compiler) for spec in self._attached_specs)

    def _check_repeated(self, element: Any) -> None:
        """Refuse a name where two elements of the kind have the same, whichever they are."""
        if not element._name:
            return
        names = [name for other in self._elements(element._kind) if (name := other._name)]
        if len(set(names)) < len(names):
            name = repeated(self._elements(element._kind))
            raise SpecError(f"repeated name '{name}' in {element._kind}")

    def _number_tree(self) -> None:
        """Number everything in the tree by its place."""
        for kind in IN_TREE:
            for place, element in enumerate(self._elements(kind)):
                element._id = place if kind != "frame" else -1
        self.__dict__["_tree_numbered"] = True

    def _forget_tree_numbers(self) -> None:
        """Have no numbers in the tree, as MuJoCo has none once something was added to it."""
        if self.__dict__.get("_tree_numbered"):
            for kind in IN_TREE:
                for element in self._elements(kind):
                    element._id = -1
            self._world._id = 0
            self.__dict__["_tree_numbered"] = False

    def _tree_changed(self) -> None:
        self.__dict__["_signed"] = None

    def _list_changed(self) -> None:
        self.__dict__["_signed"] = None

    def _signature(self) -> int:
        if self._signed is None:
            self.__dict__["_signed"] = signature(self)
        return self._signed or 0

    def _compiled_mass(self, body: Any) -> float:
        """Mass of a body in the model that was compiled last, 0 without one."""
        return body.__dict__.get("_compiled_mass", 0.0)

    # default classes

    def _add_defaults(self, root: MjsDefault, parent: MjsDefault | None) -> None:
        """Take in a default class with those inside it."""
        if parent is not None:
            root._parent = parent
            parent._children.append(root)
        for member in root._walk():
            self._defaults.append(member)
            self._classes[member.name] = member

    def add_default(self, name: str, parent: MjsDefault | None) -> MjsDefault | None:
        """Add a default class inside another one; None: there is one of this name."""
        if not isinstance(name, str):
            raise TypeError(f"add_default(): expected a name, found {type(name).__name__}")
        if any(member.name == name for member in self._defaults):
            return None
        made = MjsDefault._made(name, parent or self._defaults[0])
        self._defaults.append(made)
        self._classes[name] = made
        return made

    def find_default(self, name: str) -> MjsDefault | None:
        """The default class of a name, or None."""
        return next((member for member in self._defaults if member.name == name), None)
