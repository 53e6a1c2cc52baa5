"""Masses and inertias that the compiler found, as elements of the document."""

from typing import TYPE_CHECKING

from ..text.element import Element
from ..text.schema import kinds

if TYPE_CHECKING:
    from ...model.model import Model


def with_inertials(root: Element, model: "Model") -> Element:
    """The document with an <inertial> in every body of known mass that has none.

    Left out are bodies whose frame the compiler moves, and all where it fuses some or scales their
    masses, because the document has other numbers then.

    Args:
        root: an expanded document, which is not changed.
        model: what it compiles to.
    """
    root = root.copy()
    # bodies of the model are those of the text in order, unless some were fused
    worlds = [section for section in root.children if section.tag == "worldbody"]
    bodies = [body for world in worlds for body in _bodies(world)]
    if len(bodies) != model.nbody - 1 or root.settings["settotalmass"] > 0:
        return root
    for place, body in enumerate(bodies, 1):
        # what the text says stays as it says it
        if model.body_mass[place] <= 0 or _has_inertial(body) or _is_moved(body):
            continue
        inertial = body.like(kinds()["body/inertial"])
        inertial.values = {
            "pos": tuple(model.body_ipos[place].tolist()),
            "quat": tuple(model.body_iquat[place].tolist()),
            "mass": float(model.body_mass[place]),
            "diaginertia": tuple(model.body_inertia[place].tolist()),
        }
        body.children.insert(0, inertial)
    return root


def _bodies(element: Element):
    """Bodies inside an element, in the order of mjModel."""
    within = element.inside(lambda part: part.tag in ("body", "frame"))
    return (part for part in within if part.tag == "body")


def _parts(body: Element):
    """Elements attached to a body, also inside frames."""
    return body.inside(lambda part: part.tag == "frame")


def _has_inertial(body: Element) -> bool:
    return any(part.tag == "inertial" for part in _parts(body))


def _is_moved(body: Element) -> bool:
    """True if the compiler may move the frame of a body to its inertial frame."""
    aligned = ("true", "auto") if body.settings["alignfree"] == "true" else ("true",)
    parts = list(_parts(body))
    return not any(part.tag == "body" for part in parts) and any(
        part.values.get("align", "auto") in aligned
        for part in parts
        if part.tag == "freejoint" or part.values.get("type") == "free"
    )
