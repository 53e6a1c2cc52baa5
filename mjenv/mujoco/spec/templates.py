"""Elements that hold what others begin with: values of a default class, taken once for all."""

from typing import Any

from mjenv.engine.mjcf.text.references import as_given
from mjenv.mujoco.spec.classes import CLASSES
from mjenv.mujoco.spec.fields import Snapshot
from mjenv.mujoco.spec.tables import structures
from mjenv.mujoco.spec.taking import TRANSMISSIONS, take_all


class Templates:
    """Elements with the values of default classes, by the values that they were made of.

    The dicts of values have to last, and nobody may change them.
    """

    def __init__(self) -> None:
        self._of_classes: dict[int, Any] = {}
        self._filled: dict[tuple[int, str], Snapshot] = {}

    def of_class(self, kind: str, record: dict | None) -> Any:
        """What a class shows of a kind of elements.

        Args:
            kind: the kind.
            record: values of the class; None: it has none, but MuJoCo's.
        """
        found = self._of_classes.get(id(record)) if record is not None else None
        if found is None:
            found = CLASSES[kind]._made(None)
            if record is not None:
                # names in classes of attached documents are not renamed, as in MuJoCo
                given = {name: record.get(as_given(name), v) for name, v in record.items()}
                take_all(found, given, path_of(kind))
                self._of_classes[id(record)] = found
        return found

    def fill(self, made: Any, inherited: dict, values: dict, path: str, base: Any = None) -> None:
        """Set all fields of a new element, but for what says where it comes from.

        Args:
            made: the element.
            inherited: values of its class, or of the schema.
            values: its values, the inherited ones included.
            path: of the element in the schema.
            base: an element with what values say nothing of; None: MuJoCo's defaults.
        """
        own = made.__dict__
        info = own["info"]
        if made._kind == "plugin" or self._differ_at_will(made, inherited, values):
            if base is None:
                made._fill()
            else:
                made._copy_fields(base)
            given = values
        else:
            key = id(inherited), path
            template = self._filled.get(key)
            if template is None:
                first = CLASSES[made._kind]._made(None, base)
                take_all(first, inherited, path)
                template = self._filled[key] = first._snapshot()
            template.put(own)
            given = {name: v for name, v in values.items() if inherited.get(name) is not v}
        own["info"] = info
        take_all(made, given, path)

    @staticmethod
    def _differ_at_will(made: Any, inherited: dict, values: dict) -> bool:
        """True if the inherited values must not be taken first: some do not count any more."""
        if not values.keys() >= inherited.keys():
            return True
        return made._kind == "actuator" and any(inherited.get(name) for name in TRANSMISSIONS)


def path_of(kind: str) -> str:
    """Path in the schema of what default classes say of a kind."""
    return structures()[kind].path
