"""Fields of structures as attributes of their classes, which programs list."""

from functools import partial
from typing import Any

import numpy as np

from mjenv.mujoco.api import facts
from mjenv.mujoco.structs.record import real_number, whole_number


class Field:
    """A field, where the class is asked for it; what an object holds itself comes first.

    Attributes:
        name: of the field.
    """

    def __init__(self, name: str):
        self.name = name
        self.__doc__ = f"The field {name}."

    def __get__(self, owner: Any, kind: type | None = None) -> Any:
        return self if owner is None else owner._field(self.name)


def add_fields(kind: type, name: str) -> None:
    """Give a class an attribute for each field that the reference's class has and it lacks.

    So it gets the tuples of names that the reference's class has.

    Args:
        kind: a class whose objects have `_field(name)`.
        name: of the reference's class.
    """
    known = {known for base in kind.__mro__[:-1] for known in vars(base)}
    for field in facts()["classes"][name]["fields"]:
        if field not in known:
            setattr(kind, field, Field(field))
    add_lists(kind, name)


def add_lists(kind: type, name: str) -> None:
    """Give a class the tuples of names of fields that the reference's class has.

    Args:
        kind: the class.
        name: of the reference's class.
    """
    for field, names in facts()["classes"][name].get("lists", {}).items():
        setattr(kind, field, tuple(names.split()))


def hold_fields(kind: type, name: str) -> None:
    """Give a class the fields of the reference's class, which its objects hold in dictionaries.

    Args:
        kind: the class.
        name: of the reference's class.
    """
    for field, text in facts()["classes"][name]["fields"].items():
        setattr(kind, field, _held(f"{name}.{field}", field, text.partition(" ")[0]))
    add_lists(kind, name)


def _held(where: str, name: str, kind: str) -> property:
    """A field of a dictionary; arrays are written in place."""
    check = {"int": whole_number, "float": real_number}.get(kind)
    plain = check and partial(check, where=where)

    def write(owner: Any, value: Any) -> None:
        old = vars(owner).get(name)
        if isinstance(old, np.ndarray):
            old[...] = value
        else:
            vars(owner)[name] = value if plain is None else plain(value)

    return property(lambda owner: vars(owner)[name], write)
