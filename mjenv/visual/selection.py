"""Decor of what is selected: the point, and where it is pulled or turned to."""

import numpy as np

from mjenv import mju

from .geom_builders import lines, new_rows, place
from .names import GEOM, LABEL, PERT
from .scene_context import SceneContext

BOX, CAPSULE, SPHERE = (int(GEOM[f"mjGEOM_{name}"]) for name in ("BOX", "CAPSULE", "SPHERE"))
TRANSLATE, ROTATE = int(PERT.mjPERT_TRANSLATE), int(PERT.mjPERT_ROTATE)


def perturb_rows(context: SceneContext) -> np.ndarray:
    """A line to where the selected point is pulled; a box as the body is to be turned."""
    pert = context.pert
    if not context.on("PERTOBJ") or pert.select <= 0:
        return new_rows(0)
    active, parts = pert.active | pert.active2, [new_rows(0)]
    if active & TRANSLATE:
        parts.append(_pull(context))
    if active & ROTATE:
        parts.append(_turn(context))
    return np.concatenate(parts)


def _pull(context: SceneContext) -> np.ndarray:
    """A line from the selected point to where it is to be, with a ball at the end."""
    pert, width = context.pert, context.length("constraint")
    colour = _mixed(context, "constraint", TRANSLATE)
    start, end = context.selected_point()[None], pert.refselpos[None]
    line = lines(CAPSULE, width, start, end, colour, objid=pert.select)
    ball = new_rows(1, pert.select)
    place(ball, SPHERE, np.full(3, 2 * width), end, mju.quat2mat(pert.refquat))
    ball["rgba"] = colour
    return np.concatenate([line, ball])


def _turn(context: SceneContext) -> np.ndarray:
    """The box of the body's geoms, turned as it is to be."""
    m, d, pert = context.m, context.d, context.pert
    body = pert.select
    size, pos = np.full(3, context.meansize), d.xipos[body]
    if m.body_bvhnum[body]:
        box = m.bvh_aabb[m.body_bvhadr[body]]
        size = box[3:]
        pos = pos + np.reshape(d.ximat[body], (3, 3)) @ box[:3]
    row = new_rows(1, body)
    place(row, BOX, size, pos, mju.quat2mat(pert.refquat))
    row["rgba"] = _mixed(context, "inertia", ROTATE)
    return row


def _mixed(context: SceneContext, name: str, bit: int) -> np.ndarray:
    """A colour (4,), its red and green exchanged for the second perturbation."""
    colour = context.colour(name)
    first, second = bool(context.pert.active & bit), bool(context.pert.active2 & bit)
    found = colour.copy()
    found[:2] = np.maximum(colour[:2] * first, colour[1::-1] * second)
    return found


def selection_point_rows(context: SceneContext) -> np.ndarray:
    """A ball at the selected point, which may say where it is."""
    pert = context.pert
    if pert.select <= 0 or not context.on("SELECT"):
        return new_rows(0)
    point, row = context.selected_point(), new_rows(1, pert.select)
    place(row, SPHERE, np.full(3, context.length("selectpoint")), point)
    row["rgba"] = context.colour("selectpoint")
    if context.option.label == LABEL.mjLABEL_SELPNT:
        there, local = (" ".join(f"{x:.3f}" for x in p) for p in (point, pert.localpos))
        row["label"] = f"{there} (local {local})".encode()[:99]
    return row
