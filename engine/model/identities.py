"""Ids and names of things by their type (mj_name2id, mj_id2name)."""

from numbers import Integral
from typing import TYPE_CHECKING

from ..arguments import LARGEST, whole
from ..errors import nearest_or_all
from ..tables.enum_tables import ROWS, enumeration, short_names
from .named import NAMED, SHORT

if TYPE_CHECKING:
    from .model import Model

# types that go by another name than their kind of named thing
_KINDS = {"xbody": "body", **SHORT}


def name2id(model: "Model", type: int | str, name: str) -> int:
    """Id of a thing by its name (mj_name2id).

    Args:
        model: a `Model`.
        type: mjtObj, or the name of one: "body", "mjOBJ_BODY".
        name: what it is called.

    Returns:
        Its id; -1 where there is no such thing, as in MuJoCo. `model.body(name).id` raises instead.

    Raises:
        ValueError: no such type.
        TypeError: the name is no text.
    """
    kind = kind_of(type, "name2id")
    if not isinstance(name, str):
        raise TypeError(f"name2id: name={name!r}: expected text; see id2name")
    if kind is None or not name:
        return -1
    names = (model.name(kind, k) for k in range(getattr(model, NAMED[kind][0])))
    return next((place for place, known in enumerate(names) if known == name), -1)


def id2name(model: "Model", type: int | str, id: int) -> str | None:
    """Name of a thing by its id (mj_id2name).

    Args:
        model: a `Model`.
        type: mjtObj, or the name of one: "body", "mjOBJ_BODY".
        id: its number.

    Returns:
        Its name; None where it has none or there is no such thing, as in MuJoCo.

    Raises:
        ValueError: no such type.
    """
    kind = kind_of(type, "id2name")
    id = whole(id, "id2name", "id", -LARGEST)
    if kind is None or not 0 <= id < getattr(model, NAMED[kind][0]):
        return None
    return model.name(kind, id) or None


def type_name(type: int | str) -> int | str:
    """The short name of a type (mjtObj), "body" of "mjOBJ_BODY" and of 1; others as they are."""
    if isinstance(type, str):
        return type.removeprefix(ROWS["mjtObj"][0]).lower() if type.startswith("mj") else type
    known = {number: name for name, number in short_names("mjtObj").items()}
    return known.get(type, type) if isinstance(type, Integral) else type


def kind_of(type: int | str, where: str) -> str | None:
    """The kind of named things of a type (mjtObj); None for types without names, such as dof.

    Raises:
        ValueError: no such type.
    """
    known = short_names("mjtObj")
    if isinstance(type, str):
        name = type.lower().removeprefix(ROWS["mjtObj"][0].lower())
        name = _KINDS.get(name, name)
        if name not in known and name not in NAMED:
            hint = nearest_or_all(name, known, len(known))
            raise ValueError(f"{where}: type={type!r}: no such type{hint}")
    else:
        type = whole(type, where, "type", -LARGEST)
        names = {number: name for name, number in known.items()}
        if type not in names:
            last = int(enumeration("mjtObj").mjNOBJECT) - 1
            raise ValueError(f"{where}: type={type}: expected mjtObj, 0 to {last}, or a name")
        name = names[type]
    name = _KINDS.get(name, name)
    return name if name in NAMED else None
