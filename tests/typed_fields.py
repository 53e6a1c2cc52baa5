"""What type checkers see of fields, elements and enumerations: `python tests/typed_fields.py`.

Writes `engine/tables/typed_fields.pyi` and `enumerations.pyi` beside it from the tables there;
`tests/test_typed_fields.py` compares them.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from mjenv.engine.data.memory import MEMORY
from mjenv.engine.data.named_data import NamedData
from mjenv.engine.data.requested_fields import ABSENT, INTEGERS
from mjenv.engine.model.model import GROUPS, LAYOUTS, SIZES
from mjenv.engine.model.named import NAMED, OF_DATA, SHORT, Named
from mjenv.engine.tables.enum_tables import CHOICES, NAMES, enumeration
from mjenv.engine.tables.fields import CONTACT, DATA, MODEL, OPTION, STATISTIC, Field

ENGINE = Path(__file__).resolve().parents[1] / "engine" / "tables"
FIELDS_OF_MODEL = frozenset(f.name for f in MODEL)
DECLARED = frozenset(("solver", "warning", "timer", "contact"))  # in other ways than by the table
TYPES = {
    "i1": "int8",
    "u1": "uint8",
    "i4": "int32",
    "i8": "int64",
    "f4": "float32",
    "f8": "float64",
}

HEAD = '''"""Fields as type checkers see them, written by tests/typed_fields.py from the tables."""

from collections.abc import Iterable
from typing import Any, Generic, SupportsIndex, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..data.named_data import NamedData
from ..data.on_demand import Contacts
from ..model.model import Option, Statistic, Visual
from ..model.named import Named

_Number = TypeVar("_Number", bound=np.generic)

class Array(Generic[_Number]):
    """An array; what is assigned is copied into it."""

    @overload
    def __get__(self, instance: None, owner: Any) -> Array[_Number]: ...
    @overload
    def __get__(self, instance: object, owner: Any) -> NDArray[_Number]: ...
    def __set__(self, instance: object, value: ArrayLike) -> None: ...

class Choice:
    """A member of an enumeration, or bits: a number, which may be set by name too."""

    @overload
    def __get__(self, instance: None, owner: Any) -> Choice: ...
    @overload
    def __get__(self, instance: object, owner: Any) -> int: ...
    def __set__(self, instance: object, value: SupportsIndex | str | Iterable[str]) -> None: ...
'''


def upper(text: str) -> str:
    """A text with its first letter as a capital."""
    return text[:1].upper() + text[1:]


def explained(field: Field, *before: str) -> str:
    """Docstring of a field: its shape and meaning."""
    shape = (*before, *map(str, field.shape))
    if not shape:
        return f'"""{upper(field.meaning)}."""'
    return f'"""({", ".join(shape)}{"," * (len(shape) == 1)}): {field.meaning}."""'


def attribute(name: str, kind: str, text: str) -> str:
    """An attribute that can be assigned."""
    return f"    {name}: {kind}\n    {text}\n"


def fixed(name: str, kind: str, text: str) -> str:
    """An attribute that cannot be assigned."""
    return f"    @property\n    def {name}(self) -> {kind}:\n        {text}\n\n"


def owner(name: str, text: str, rows: Iterable[str], base: str = "") -> str:
    """A class of fields."""
    start = f"class {name}({base}):" if base else f"class {name}:"
    return f'\n{start}\n    """{text}"""\n\n{"".join(rows).rstrip()}\n'


def array(dtype: str) -> str:
    return f"Array[np.{TYPES[dtype]}]"


def number(field: Field) -> str:
    """Type of a scalar of a structure."""
    if field.name in CHOICES:
        return "Choice"
    return "int" if field.type in ("int", "size", "long", "byte") else "float"


def dtype_of_data(name: str) -> str:
    """Type of the array that `Data` have for a field."""
    return "i8" if name in MEMORY else "i4" if name in INTEGERS else "f8"


def data_fields() -> list[Field]:
    """Fields of the data, in the order of mjData."""
    return [f for f in DATA if f.name not in ABSENT | DECLARED]


def structures() -> Iterator[str]:
    """Options, statistics, and settings of the picture with their groups."""

    def rows(fields: Iterable[Field]) -> Iterator[str]:
        for f in fields:
            kind = array({"real": "f8", "float": "f4"}[f.type]) if f.shape else number(f)
            yield attribute(f.name, kind, explained(f))

    yield owner("OptionFields", "Options of the simulation.", rows(OPTION))
    yield owner("StatisticFields", "What the compiler finds out about a model.", rows(STATISTIC))
    for group, fields in GROUPS.items():
        text = f"Settings `vis.{group}`."
        yield owner(f"Visual{group.strip('_').capitalize()}", text, rows(fields))
    groups = [
        fixed(group, f"Visual{group.strip('_').capitalize()}", f'"""Settings `{group}`."""')
        for group in GROUPS
    ]
    yield owner("VisualFields", "Settings of the picture, in groups.", groups)


def elements(of: str, kinds: Iterable[str], named: type[Named]) -> Iterator[str]:
    """Classes of what `model.body("torso")` and its like return."""
    table = {f.name: f for f in (DATA if named is NamedData else MODEL)}
    dtypes = {a.name: a.dtype for a in LAYOUTS}
    worlds = ("nworld",) if named is NamedData else ()
    for kind in kinds:
        one, rows = named.__new__(named), []
        one.__dict__["_kind"] = kind
        for name in dict.fromkeys(one._names()):
            field = table[one._field(name)[0]]
            if field.name in ABSENT or field.type == "pointer":
                continue
            found = dtypes.get(field.name, np.dtype("i1"))
            dtype = dtype_of_data(field.name) if worlds else np.dtype(found).str[1:]
            shape = field._replace(shape=field.shape[1:] or (1,))
            if field.shape[0] != NAMED[kind][0]:
                shape = field._replace(shape=("n", *field.shape[1:]))
            rows.append(attribute(name, array(dtype), explained(shape, *worlds)))
        text = f"What {of} of {'an' if kind[0] in 'ae' else 'a'} {kind}."
        base = "NamedData" if worlds else "Named"
        yield owner(f"{kind.capitalize()}Of{base[5:] or 'Model'}", text, rows, base)


def accessors(kinds: Iterable[str], short: dict[str, str], of: str) -> Iterator[str]:
    """Methods that find elements."""
    for name, kind in ({kind: kind for kind in kinds} | short).items():
        if name in FIELDS_OF_MODEL:
            continue  # the array of this name
        yield f"    def {name}(self, key: int | str = ...) -> {kind.capitalize()}Of{of}:\n"
        yield f'        """The {kind} with this name or id."""\n\n'


def model() -> str:
    """Sizes, arrays and elements of a model."""
    shapes = {f.name: f for f in MODEL}
    rows = [fixed(n, "int", f'"""{upper(shapes[n].meaning)}."""') for n in SIZES]
    texts = [a.name for a in LAYOUTS if a.dtype is None]
    rows += [fixed(name, "bytes", explained(shapes[name])) for name in texts]
    rows.append(fixed("signature", "int", explained(shapes["signature"])))
    structures = {"opt": "Option", "stat": "Statistic", "vis": "Visual"}
    rows += [fixed(n, kind, f'"""See `{kind}`."""') for n, kind in structures.items()]
    for layout in LAYOUTS:
        if layout.dtype is not None:
            field = shapes[layout.name]
            rows.append(attribute(field.name, array(layout.dtype.str[1:]), explained(field)))
    rows += accessors(NAMED, SHORT | {"keyframe": "key"}, "Model")
    return owner("ModelFields", "Sizes, arrays and elements of a model.", rows)


def data() -> Iterator[str]:
    """Fields of the data of N worlds, and of a view of one."""
    rows = [
        attribute(f.name, array(dtype_of_data(f.name)), explained(f, "nworld"))
        for f in data_fields()
    ]
    short = {"jnt": "joint", "cam": "camera", "ten": "tendon"}
    rows.append(fixed("contact", "Contacts", '"""Contacts of every world, see `Contacts`."""'))
    rows += accessors(OF_DATA, short, "Data")
    yield owner("DataFields", "Fields and elements of the data of N worlds.", rows)
    rows = [
        attribute(
            f.name, array(dtype_of_data(f.name)) if f.shape else kind_of_scalar(f), explained(f)
        )
        for f in data_fields()
    ]
    yield owner("WorldFields", "Fields of one of many worlds.", rows)


def kind_of_scalar(field: Field) -> str:
    return "float" if dtype_of_data(field.name) == "f8" else "int"


def contacts() -> Iterator[str]:
    """Fields of all contacts, and of one."""
    dtypes = {"real": "f8", "int": "i4"}
    rows = [attribute(f.name, array(dtypes[f.type]), explained(f, "nworld", "n")) for f in CONTACT]
    yield owner("ContactsFields", "Fields of the contacts of every world.", rows)
    rows = [
        attribute(f.name, array(dtypes[f.type]) if f.shape else number(f), explained(f))
        for f in CONTACT
    ]
    yield owner("ContactFields", "Fields of one contact.", rows)


def fields() -> str:
    """The text of `engine/tables/typed_fields.pyi`."""
    found = elements("a model has", NAMED, Named), elements("data have", OF_DATA, NamedData)
    return "".join((HEAD, *structures(), *found[0], *found[1], model(), *data(), *contacts()))


def enumerations() -> str:
    """The text of `engine/tables/enumerations.pyi`."""
    text = '"""MuJoCo\'s enumerations, made by tests/typed_fields.py from enum_tables.py."""\n'
    text += "\nfrom enum import IntEnum, IntFlag\n"
    for name in NAMES:
        made = enumeration(name)
        kind = "IntFlag" if "Flag" in made.__mro__[1].__name__ else "IntEnum"
        text += f"\nclass {name}({kind}):\n"
        for member, value in made.__members__.items():
            text += f"    {member} = {int(value)}\n"
    return text


# the files, and what makes their texts
FILES = {"typed_fields.pyi": fields, "enumerations.pyi": enumerations}

if __name__ == "__main__":
    for name, make in FILES.items():
        (ENGINE / name).write_text(make(), encoding="utf-8")
