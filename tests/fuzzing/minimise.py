"""Makes the document of a case smaller while it still shows the same difference."""

import copy
import os
import xml.etree.ElementTree as ET
from collections.abc import Callable


def in_a_fork(ask: Callable[[], bool]) -> bool:
    """The answer of a function in a process of its own, which may crash; False then."""
    child = os.fork()
    if not child:
        code = 1
        try:
            code = 0 if ask() else 1
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def minimised(root: ET.Element, shows: Callable[[ET.Element], bool]) -> ET.Element:
    """The smallest document found that still shows something.

    Elements are taken away first, large ones before small ones, then attributes, until nothing
    more can go.

    Args:
        root: the document; it stays as it is.
        shows: whether a document shows what is looked for.
    """
    root = copy.deepcopy(root)

    def holds() -> bool:
        # what is drawn for a document may change it
        return in_a_fork(lambda: shows(copy.deepcopy(root)))

    smaller = True
    while smaller:
        smaller = without_elements(root, holds) | without_attributes(root, holds)
    return root


def without_elements(root: ET.Element, holds: Callable[[], bool]) -> bool:
    """Take away elements, and bodies from around what is in them."""
    smaller, done = False, False
    while not done:
        done = True
        for parent in list(root.iter()):
            for child in list(parent):
                place = list(parent).index(child)
                parent.remove(child)
                if holds():
                    smaller, done = True, False
                    continue
                parent.insert(place, child)
    return smaller


def without_attributes(root: ET.Element, holds: Callable[[], bool]) -> bool:
    """Take away attributes."""
    smaller = False
    for element in list(root.iter()):
        for name in list(element.attrib):
            before = dict(element.attrib)
            del element.attrib[name]
            if holds():
                smaller = True
            else:
                element.attrib.clear()
                element.attrib.update(before)
    return smaller
