"""The table of MJCF elements and attributes, read from `schema.txt`."""

import re
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple

WORDS = {"bool": "false|true", "tristate": "false|true|auto", "switch": "disable|enable"}
_NUMBERS = re.compile(r"(text|real|float|int)(?:(<=)?(\d+)|\[(.+)\])?$")


class Type(NamedTuple):
    """Type of an attribute.

    Attributes:
        base: "text", "real", "float" (of single precision), "int", "word", "words" (different
            ones) or "series" (any words).
        least: fewest values.
        most: most values; None: any number.
        single: the value is one scalar, not a tuple.
        words: allowed words, in MuJoCo's order.
    """

    base: str
    least: int
    most: int | None
    single: bool
    words: tuple[str, ...] = ()


class Attribute(NamedTuple):
    """One attribute of an element.

    Attributes:
        name: its name.
        kind: its type, as in the table.
        default: text as it would stand in a file; None: unset; "nan": unset, and not a number
            leaves it so.
        required: whether it has to be given.
    """

    name: str
    kind: str
    default: str | None
    required: bool

    @property
    def type(self) -> Type:
        return parse_type(self.kind)

    def unset(self, value: Any) -> bool:
        """True if a value means that the attribute is not given."""
        if value is None or self.default != "nan":
            return value is None
        first = value[0] if isinstance(value, tuple) else value
        return first != first


@cache
def parse_type(text: str) -> Type:
    """Type written as in the table, such as `real<=3` or `box|mesh`."""
    if match := _NUMBERS.match(text):
        base, at_most, count, formula = match.groups()
        if formula is not None:
            return Type(base, 0, None, False)
        if base == "text" or count is None:
            return Type(base, 1, 1, True)
        return Type(base, 1 if at_most else int(count), int(count), False)
    for prefix, base in (("list:", "words"), ("series:", "series")):
        if text.startswith(prefix):
            return Type(base, 1, None, False, tuple(text.removeprefix(prefix).split("|")))
    return Type("word", 1, 1, True, tuple(WORDS.get(text, text).split("|")))


class Kind:
    """One kind of element: what the table says of it.

    Attributes:
        path: position in the table, such as "body/geom".
        tag: its name in a file.
        cardinality: "!", "?", "*" or "R".
        meta: not in MuJoCo's own table (include, frame, replicate).
        direct: overlooked by MuJoCo where an included file brings it.
        like: path of the element that defines its attributes, or "".
        children: kinds of elements inside it by tag.
        read: values of attributes by (name, text), as they were read before; see reader.py.
    """

    def __init__(self, head: str, rows: str, kinds: dict):
        self.path, self.cardinality, *flags = head.split()
        self.meta, self.direct = "meta" in flags, "direct" in flags
        self.like = flags[-1] if "as" in flags else ""
        self.tag = self.path.rpartition("/")[2]
        self.children: dict[str, Kind] = {}
        self.read: dict[tuple[str, str], Any] = {}
        self._rows, self._kinds = rows, kinds

    @cached_property
    def attributes(self) -> dict[str, Attribute]:
        """Attributes by name, in the table's order."""
        shared = self._kinds[self.like].attributes if self.like else {}
        attributes = {}
        for item in filter(None, map(str.strip, self._rows.split(";"))):
            name, kind, default = (*item.split(None, 2), None, None)[:3]
            name, required = name.removesuffix("!"), name.endswith("!")
            attribute = shared[name] if kind is None else Attribute(name, kind, default, required)
            attributes[name] = attribute
        return attributes

    @cached_property
    def required(self) -> tuple[str, ...]:
        """Names of the attributes that have to be given."""
        return tuple(a.name for a in self.attributes.values() if a.required)

    @cached_property
    def defaults(self) -> dict:
        """Values of the attributes that have a default."""
        from .values import parse

        values = {}
        for a in self.attributes.values():
            formula = a.type.most is None and not a.type.words
            if a.default not in (None, "nan") and not formula:
                values[a.name] = parse(a.default, a.type)
        return values

    def words(self, name: str) -> tuple[str, ...]:
        """Allowed words of an attribute; their places are MuJoCo's enum values in most cases."""
        return self.attributes[name].type.words


@cache
def kinds() -> dict[str, Kind]:
    """All kinds of elements by path, linked to their children."""
    table: dict[str, Kind] = {}
    text = Path(__file__).with_name("schema.txt").read_text(encoding="utf-8")
    for block in re.split(r"\n(?=\w)", text[text.index("\nmujoco") + 1 :]):
        head, _, rows = block.partition("\n")
        kind = Kind(head, rows, table)
        table[kind.path] = kind
    for path, kind in table.items():
        parent = path.rpartition("/")[0] or "mujoco"
        if path not in ("mujoco", "include"):
            table[parent].children[kind.tag] = kind
        if kind.cardinality == "R" and not kind.meta:
            kind.children[kind.tag] = kind
    body = table["body"]
    for path in ("body/frame", "body/replicate"):
        table[path].children = body.children
    root = table["mujoco"].children
    root["worldbody"] = root["body"]
    root |= dict.fromkeys(("frame", "replicate"), body)
    return table
