"""Tables of the reference: the fields of models and data with their shapes, types and meanings."""

from collections.abc import Iterable

from mjenv.engine.data.memory import MEMORY
from mjenv.engine.data.requested_fields import ABSENT, INTEGERS
from mjenv.engine.tables.enum_tables import CHOICES
from mjenv.engine.tables.fields import (
    CONTACT,
    DATA,
    DTYPES,
    MODEL,
    OPTION,
    STATISTIC,
    VISUAL,
    Field,
)

TYPES = {"f8": "float64", "f4": "float32", "i4": "int32", "i8": "int64", "u1": "uint8"}
STRUCTURES = {"solver": "see above", "warning": "see above", "timer": "see above"}


def model() -> str:
    """Sizes, arrays and structures of a model."""
    sizes = [f for f in MODEL if f.type == "size"]
    arrays = [f for f in MODEL if f.shape]
    parts = (
        ("Sizes", "Model", sizes, False),
        ("Arrays", "Model", arrays, True),
        ("Options: `model.opt`", "Option", OPTION, True),
        ("Statistics: `model.stat`", "Statistic", STATISTIC, True),
        ("Settings of the picture: `model.vis`", "Visual", map(_in_group, VISUAL), True),
    )
    return "".join(_section(*part) for part in parts)


def data() -> str:
    """Fields of data and of their contacts."""
    kept = [f for f in DATA if f.name not in ABSENT and f.name != "contact"]
    fields = _section("Fields", "Data", kept, True, "nworld")
    return fields + _section("Contacts: `data.contact`", "Contact", CONTACT, True, "nworld", "n")


def _in_group(field: Field) -> Field:
    """A field of the picture under the name that it has here."""
    return field._replace(name=field.name.replace("global.", "global_."))


def _section(title: str, owner: str, fields: Iterable[Field], typed: bool, *before: str) -> str:
    """A heading with the table of some fields, each of which has an anchor."""
    head = "| field | shape | type | meaning |\n|---|---|---|---|\n"
    rows = []
    for field in fields:
        anchor = f'<a id="mjenv.{owner}.{field.name}"></a>`{field.name}`'
        shape = ", ".join((*before, *map(str, field.shape)))
        kind = _type(field, bool(before))
        meaning = field.meaning.replace("|", "\\|")
        cells = (anchor, f"({shape})" if shape else "", kind, meaning) if typed else ()
        rows.append("| " + " | ".join(cells or (anchor, meaning)) + " |\n")
    if not typed:
        head = "| field | number of |\n|---|---|\n"
    return f"### {title}\n\n{head}{''.join(rows)}\n"


def _type(field: Field, of_data: bool) -> str:
    """Type of an array, or of a scalar of a structure."""
    if field.name in STRUCTURES:
        return STRUCTURES[field.name]
    if of_data:
        whole = field.name in INTEGERS or field.type == "int"
        return "int64" if field.name in MEMORY else "int32" if whole else "float64"
    if field.name in ("names", "paths", "text_data"):
        return "bytes"
    if field.shape:
        return "int8" if field.type == "char" else TYPES[DTYPES[field.type]]
    if field.name in CHOICES:
        return "int, or by name"
    return "int" if field.type == "int" else "float"
