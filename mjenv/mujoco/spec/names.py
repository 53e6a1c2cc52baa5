"""Names of elements in a spec, as they are looked up while specs are put together and compiled."""

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from mjenv.engine.mjcf.text.paths import stem
from mjenv.mujoco.spec.kinds import FILED, IN_SPEC, IN_TREE

if TYPE_CHECKING:
    from mjenv.mujoco.spec.store import Store

KINDS_OF = {"xbody": "body"}  # other names of kinds


class Names:
    """Elements of a spec by kind and name, as they are at one time."""

    def __init__(self, spec: "Store"):
        self._spec = spec
        self._known: dict[str, dict[str, Any]] = {}

    def freeze(self) -> "Names":
        """Take in all names now."""
        for kind in (*IN_TREE, *IN_SPEC):
            self._of(kind)
        return self

    def forget(self, kind: str) -> None:
        """Take in a kind anew, whose list has changed."""
        self._known.pop(kind, None)

    def find(self, kind: str, name: str) -> Any:
        """The element of a name, or None."""
        return self._of(KINDS_OF.get(kind, kind)).get(name)

    def _of(self, kind: str) -> dict[str, Any]:
        known = self._known.get(kind)
        if known is None:
            elements = self._spec._elements(kind) if kind in (*IN_TREE, *IN_SPEC) else ()
            known = self._known[kind] = {element._name: element for element in elements}
        return known


def kind_of(objtype: Any) -> str:
    """The kind of an mjtObj, "" for none."""
    word = objtype.name.removeprefix("mjOBJ_").lower()
    return "" if word == "unknown" else word


def fill_names(elements: list[Any]) -> None:
    """Name assets that have no name after their files."""
    for element in elements:
        if element._kind in FILED and not element._name:
            element._name = stem(element.file)


def repeated(elements: list[Any]) -> str:
    """The first name, in their order, that two elements have, or ""."""
    names = sorted(element._name for element in elements if element._name)
    return next((a for a, b in pairwise(names) if a == b), "")
