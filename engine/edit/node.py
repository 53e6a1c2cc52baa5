"""`Node`: an element of a model that is being edited, with its MJCF attributes as attributes."""

import sys
from collections.abc import Iterator
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import MjcfError, nearest
from ..mjcf.draft.orientation import ALTERNATIVES
from ..mjcf.parts.collect import ATTACHED, RECORDS
from ..mjcf.text.element import Element
from ..mjcf.text.references import Renaming
from ..mjcf.text.schema import Attribute
from ..mjcf.text.values import MalformedError, parse
from ..tables.enum_tables import word_of

if TYPE_CHECKING:
    from .spec import Spec

FLAGS = {True: ("true", "enable"), False: ("false", "disable")}
ORIENTATIONS = ("quat", *ALTERNATIVES)
PACKAGE = str(Path(__file__).parents[1])


class Node:
    """One element, such as a body or a geom.

    Its attributes are those of MJCF, with their units and words: `geom.size = 0.1, 0.2`,
    `joint.limited = True`, `body.quat`. Reading gives what holds in the end: the value that was
    given, or else that of its default class, or else MuJoCo's; None where there is none. Setting
    None, or `del`, takes a value back. Names that are words of Python have an underscore behind:
    `class_`, `global_`.

    Elements are added with `add_geom(...)`, `add_body(...)` and so on, which return the new one.
    Elements that can stand once in another are its attributes: `spec.option.flag`,
    `spec.default.geom`, `body.inertial`.

    Attributes:
        tag: its name in MJCF.
        parent: the element around it; None: it is the root.
    """

    __slots__ = ("_element", "_spec", "parent")

    parent: "Node | None"

    def __init__(self, spec: "Spec", element: Element, parent: "Node | None"):
        for name, value in (("_spec", spec), ("_element", element), ("parent", parent)):
            object.__setattr__(self, name, value)

    # attributes

    @property
    def tag(self) -> str:
        return self._element.tag

    @property
    def given(self) -> dict[str, Any]:
        """Copy of the attributes that it has itself, without what it inherits."""
        return dict(self._element.values)

    def __getattr__(self, name: str) -> Any:
        kind, plain = self._element.kind, name.removesuffix("_")
        if plain in kind.attributes:
            return self._value(kind.attributes[plain])
        if plain in kind.children and kind.children[plain].cardinality == "?":
            return self._single(plain)
        if name.startswith("add_") and name[4:] in kind.children:
            return lambda **attributes: self.add(name[4:], **attributes)
        raise AttributeError(self._unknown(name))

    def __setattr__(self, name: str, value: Any) -> None:
        plain = name.removesuffix("_")
        attribute = self._element.kind.attributes.get(plain)
        if attribute is None:
            raise AttributeError(self._unknown(name))
        self._spec._changed()
        values = self._element.values
        if value is None:
            values.pop(plain, None)
            return
        values[plain] = self._converted(attribute, value)
        if plain in ORIENTATIONS:
            for other in ORIENTATIONS:
                if other != plain:
                    values.pop(other, None)

    def __delattr__(self, name: str) -> None:
        setattr(self, name, None)

    def __dir__(self):
        kind = self._element.kind
        added = (f"add_{tag}" for tag, c in kind.children.items() if c.cardinality != "?")
        single = (tag for tag, child in kind.children.items() if child.cardinality == "?")
        return sorted({*super().__dir__(), *kind.attributes, *added, *single})

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, Node) and self._element is other._element

    def __hash__(self) -> int:
        return id(self._element)

    def __repr__(self) -> str:
        return f"<Node {self._element.where}>"

    def _unknown(self, name: str) -> str:
        kind = self._element.kind
        known = (*kind.attributes, *(f"add_{tag}" for tag in kind.children))
        return f"{self._element.where}: {name}: no such attribute{nearest(name, known)}"

    def _value(self, attribute: Attribute):
        element = self._element
        if attribute.name in element.values:
            return _python(element.values[attribute.name], attribute)
        path = element.kind.path
        record = ATTACHED[path][0] if path in ATTACHED else RECORDS.get(path, "")
        values = element.kind.defaults
        defaults = self._spec._defaults()
        if record in defaults.builtin:
            values = values | defaults.values(element, record, self._class_around())
        return _python(values.get(attribute.name), attribute)

    def _class_around(self) -> str:
        node = self.parent
        while node is not None:
            if name := node._element.values.get("childclass"):
                return name
            node = node.parent
        return "main"

    def _converted(self, attribute: Attribute, value: Any):
        """A Python value as the reader would have read it."""
        if isinstance(value, IntEnum):
            value = word_of(value, attribute.type.words) or value
        try:
            text = _text(value, attribute)
            parsed = parse(text, attribute.type)
        except (MalformedError, TypeError, ValueError) as error:
            message = f"{attribute.name}={value!r}: {error}"
            raise self._element.error(message) from None
        return () if parsed is None else parsed

    def _single(self, tag: str) -> "Node | None":
        """The element of a name that can stand once in this one; groups of settings are made."""
        for child in self._element.children:
            if child.tag == tag:
                return Node(self._spec, child, self)
        kind = self._element.kind.children[tag]
        return None if any(a.required for a in kind.attributes.values()) else self.add(tag)

    # elements

    @property
    def children(self) -> list["Node"]:
        """The elements directly inside it."""
        return [Node(self._spec, child, self) for child in self._element.children]

    def add(self, tag: str, **attributes: Any) -> "Node":
        """Add an element at the end.

        Args:
            tag: its name in MJCF.
            attributes: its attributes.

        Raises:
            MjcfError: an attribute does not fit, or a required one is missing; there can be only
                one such element.
        """
        kind = self._element.kind.children.get(tag)
        if kind is None:
            hint = nearest(tag, self._element.kind.children)
            raise self._element.error(f"<{tag}>: unknown element in it{hint}")
        if kind.cardinality == "?" and any(c.tag == tag for c in self._element.children):
            raise self._element.error(f"expected at most one <{tag}> in it")
        element = self._spec._element(kind, tag)
        node = Node(self._spec, element, self)
        for name, value in attributes.items():
            if name.removesuffix("_") not in kind.attributes:
                raise MjcfError(node._unknown(name))
            setattr(node, name, value)
        for attribute in kind.attributes.values():
            if attribute.required and attribute.name not in element.values:
                raise element.error(f"expected the attribute '{attribute.name}', found none")
        self._element.children.append(element)
        self._spec._changed()
        return node

    def remove(self) -> None:
        """Take the element out of the model, with everything inside it.

        What refers to it from outside the tree (pairs, tendons, equalities, actuators, sensors) is
        taken out too. Keyframes lose its values and keep all others.

        Raises:
            MjcfError: it is the world body or the root.
        """
        self._spec._remove(self)

    def walk(self, *tags: str) -> Iterator["Node"]:
        """The elements inside it, at any depth; only those of these names, if any are given."""
        for child in self.children:
            if not tags or child.tag in tags:
                yield child
            yield from child.walk(*tags)

    def find(self, kind: str, name: str) -> "Node":
        """The element of a name inside it.

        Args:
            kind: "body", "geom", "actuator", "default" and so on.
            name: its name; the class of a default.

        Raises:
            KeyError: there is none; the message has the nearest name.
        """
        names, own = [], "class" if kind == "default" else "name"
        for node in self.walk():
            if is_kind(node._element, kind):
                names.append(node._element.values.get(own, ""))
                if names[-1] == name:
                    return node
        raise KeyError(f"no {kind} '{name}'{nearest(name, names)}")

    def attach(self, source: "Spec | Node", prefix: str = "", suffix: str = "") -> "Node":
        """Copy a model or a body into this body, frame or site.

        Names get the prefix and the suffix. Of another model come its default classes, assets and
        keyframes too, and the elements outside its tree that refer to what is copied; its
        <compiler> stays with what is copied, its options are left behind.

        Args:
            source: a model, all of its world; or a body, of this model or of another one.
            prefix: put before all names.
            suffix: put behind all names.

        Returns:
            The new frame around the copies.
        """
        return self._spec._attach(self, source, Renaming(prefix, suffix))


def is_kind(element: Element, kind: str) -> bool:
    """True if an element has its name among those of a kind, such as "joint" or "actuator"."""
    first, _, rest = element.kind.path.partition("/")
    if kind in ("body", "default"):
        return element.kind.path == kind
    if kind in ("actuator", "sensor", "equality", "tendon"):
        return first == kind and rest != "" and "/" not in rest
    tag = "joint" if rest == "freejoint" else rest
    return tag == kind and first in HOLDING


HOLDING = ("body", "asset", "contact", "custom", "keyframe", "deformable")  # of named things


def _python(value: Any, attribute: Attribute):
    """A value as users see it: words that say yes or no are booleans."""
    return value == "true" if attribute.kind == "bool" and value is not None else value


def _text(value: Any, attribute: Attribute) -> str:
    """A Python value as the text of an attribute."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool | np.bool_):
        words = [word for word in FLAGS[bool(value)] if word in attribute.type.words]
        if not words:
            raise ValueError(f"expected a {attribute.type.base}, found a boolean")
        return words[0]
    if isinstance(value, np.ndarray):
        value = value.ravel().tolist()
    if isinstance(value, int | np.integer):
        return str(int(value))
    if isinstance(value, float | np.floating):
        return repr(float(value))
    return " ".join(_text(x, attribute) for x in value)


def caller() -> tuple[str, int]:
    """File and line of the code outside of this package that is running."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno
