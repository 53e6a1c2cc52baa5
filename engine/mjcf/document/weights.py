"""Masses and inertias of all bodies as elements that say them, whatever they come from."""

import numpy as np

from ..assets.mesh import compile_meshes
from ..parts.collect import collect
from ..parts.tree import compile_tree
from ..text.element import Element
from ..text.schema import kinds

# settings of <compiler> that decide about them
SETTINGS = (
    "boundmass", "boundinertia", "balanceinertia", "inertiafromgeom", "inertiagrouprange",
)  # fmt: skip


def inertials(root: Element) -> dict[int, Element]:
    """Elements <inertial> for all bodies of an expanded document, by `id` of the body's element.

    They hold where no body is moved to its inertial frame, or fused with another, before that.
    """
    draft = collect(root)
    for joint in draft.parts["joint"]:
        joint.values["align"] = "false"
    with np.errstate(all="ignore"):
        compile_meshes(draft)
        compile_tree(draft)
    names = {"pos": "ipos", "quat": "iquat", "mass": "mass", "diaginertia": "inertia"}
    return {
        id(body.element): root.like(
            kinds()["body/inertial"], **{name: body[value] for name, value in names.items()}
        )
        for body in draft.parts["body"][1:]
    }
