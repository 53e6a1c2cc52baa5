"""Changes of elements that can be taken back."""

from typing import Any

import numpy as np

from ..text.element import Element


class Edits:
    """Changes of elements that can be taken back.

    Attributes:
        root: the document.
    """

    def __init__(self, root: Element):
        self.root = root
        self._before: dict[int, tuple] = {}

    def keep(self, element: Element) -> None:
        """Note how an element is before it is changed."""
        state = element.kind, element.tag, dict(element.values), list(element.children)
        self._before.setdefault(id(element), (element, *state))

    def undo(self) -> None:
        """Make all elements as they were."""
        for element, kind, tag, values, children in self._before.values():
            element.kind, element.tag = kind, tag
            element.values, element.children = values, children

    def set(self, element: Element, name: str, value: Any) -> None:
        """Give an element an attribute, or take it away with None."""
        attribute = element.kind.attributes.get(name)
        if attribute is None:
            raise element.error(f"copy_back: {name}: <{element.tag}> has no such attribute")
        self.keep(element)
        if value is None:
            element.values.pop(name, None)
            return
        number = int if attribute.type.base == "int" else float
        numbers = tuple(number(x) for x in np.atleast_1d(value))
        element.values[name] = numbers[0] if attribute.type.single else numbers

    def word(self, element: Element, name: str, value: str) -> None:
        """Give an element an attribute that is a word."""
        self.keep(element)
        element.values[name] = value

    def child(self, element: Element, tag: str, first: bool = False) -> Element:
        """The element of a name inside another one, which is made if there is none."""
        for child in element.children:
            if child.tag == tag:
                return child
        self.keep(element)
        child = element.like(element.kind.children[tag])
        element.children.insert(0 if first else len(element.children), child)
        return child
