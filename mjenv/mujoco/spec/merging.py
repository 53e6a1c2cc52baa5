"""Bodies changed as a whole: free joints added, bodies turned to frames."""

from typing import Any

import numpy as np

from mjenv.mujoco.enumerations import enumeration
from mjenv.mujoco.spec.adding import apply, new_in_body
from mjenv.mujoco.spec.classes import CLASSES
from mjenv.mujoco.spec.inertia import added

MINVAL = 1e-15


def add_freejoint(body: Any, keywords: dict[str, Any]) -> Any:
    """A free joint at the end of a body's joints, without anything of default classes."""
    for key in ("align", "group"):
        if key in keywords and not isinstance(keywords[key], int | np.integer):
            raise ValueError(f"{key} is the wrong type.")
    if not isinstance(keywords.get("name", ""), str):
        raise ValueError("name is the wrong type.")
    joint = CLASSES["joint"]._made(body._spec)
    joint.__dict__["type"] = enumeration("mjtJoint").mjJNT_FREE
    joint._classname = "main"
    joint._parent = body
    body._lists["joint"].append(joint)
    body._spec._tree_changed()
    apply(joint, keywords)
    return joint


def to_frame(body: Any) -> Any:
    """Turn a body into a frame of the body around it."""
    spec, parent = body._spec, body._parent
    if parent is None:
        raise ValueError("to_frame: expected another body than the world")
    frame = new_in_body(parent, "frame")
    frame._frame = body._frame
    frame.pos, frame.quat = body.pos, body.quat
    mass = spec._compiled_mass(body)
    if parent is not spec._world and mass >= MINVAL:
        if not parent.explicitinertial:
            parent.explicitinertial = 1
            for name in ("ipos", "iquat", "inertia"):
                getattr(parent, name)[:] = 0
        added(parent, body)
    for kind, elements in body._lists.items():
        for element in elements:
            element._frame, element._parent = frame, parent
        parent._lists[kind] += elements
        elements.clear()
    parent._lists["body"].remove(body)
    spec._tree_changed()
    spec._remove_body(body)
    spec._number_tree()
    return frame
