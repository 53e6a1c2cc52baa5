"""Fields of `MjModel` and `MjData` as attributes of the classes, which programs list."""

from typing import Any

from mjenv.mujoco.api import facts


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

    Args:
        kind: a class whose objects have `_field(name)`.
        name: of the reference's class.
    """
    known = {known for base in kind.__mro__[:-1] for known in vars(base)}
    for field in facts()["classes"][name]["fields"]:
        if field not in known:
            setattr(kind, field, Field(field))
