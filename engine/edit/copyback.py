"""Numbers of an edited model, written back into the document that it was compiled from.

What differs from what the document compiles to is written into its elements, in their units, until
the document compiles to the numbers of the model. One round is not always enough: what is written
may change numbers that the compiler infers, such as a mass, and these are written then too.
"""

import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import MjcfError
from ..mjcf.compiler import COUNTED
from ..mjcf.document.undo import Edits
from ..mjcf.draft.draft import Part
from ..mjcf.text.element import Element
from ..model.model import SIZES
from .compile import compile_parts
from .copyback_table import GROUPS, rows

if TYPE_CHECKING:
    from ..mjcf.draft.draft import Draft
    from ..model.model import Model

ROUNDS = 5
TOLERANCE = 1e-9  # relative, of numbers that were written and compiled again
# what the compiler infers from other numbers: written only where it was edited itself; as
# statistics and keyframes that only <size> asks for
INFERRED = ("tendon_lengthspring", "actuator_lengthrange", "cam_fovy", "cam_intrinsic")
UNIT = (
    "body_quat", "body_iquat", "geom_quat", "site_quat", "cam_quat", "jnt_axis", "light_dir",
)  # fmt: skip


def copy_back(root: Element, model: "Model") -> None:
    """Write the numbers of a model into the document that it was compiled from.

    Args:
        root: the document, expanded; its elements are changed.
        model: the edited model.

    Raises:
        MjcfError: the model is not one of this document, or has numbers that no document compiles
            to; the document is as it was then.
    """
    with warnings.catch_warnings():
        # said when the model was compiled
        warnings.simplefilter("ignore")
        compiled, draft = compile_parts(root)
        _check_same(root, model, compiled)
        # attributes whose numbers differ from those that the document compiles to
        wanted = _wanted(draft, vars(model), vars(compiled))
        edits = Edits(root)
        found = list(_differences(draft, wanted, vars(compiled), exact=True))
        edited = {(row.fields, part.id) for part, row, _ in found}
        # written in rounds, because one attribute may change what others mean
        try:
            for _ in range(ROUNDS):
                if not found:
                    return
                for part, row, value in found:
                    row.write(edits, draft, part, row, value)
                compiled, draft = compile_parts(root)
                found = [
                    (part, row, value)
                    for part, row, value in _differences(draft, wanted, vars(compiled))
                    if (row.fields, part.id) in edited
                    or not (part.element is root or row.fields[0].startswith(INFERRED))
                ]
            if not found:
                return
            part, row, _ = found[0]
            raise part.element.error(
                f"copy_back: {' '.join(row.fields)}: expected numbers that attributes can give it"
            )
        except MjcfError:
            edits.undo()
            raise


def _check_same(root: Element, model: "Model", compiled: Any) -> None:
    """Refuse a model of another document."""
    for size in dict.fromkeys((*COUNTED.values(), *SIZES)):
        mine, other = getattr(compiled, size), getattr(model, size)
        if mine != other:
            raise root.error(
                f"copy_back: expected a model that was compiled from this document, with"
                f" {size}={mine}, found {size}={other}"
            )
    if model.signature != compiled.signature:
        raise root.error(
            "copy_back: expected a model that was compiled from this document, found one with the"
            " same sizes and another structure; compile again after changes"
        )


def _wanted(draft: "Draft", model: dict, compiled: dict) -> dict:
    """Arrays that the document shall compile to: those of the model, directions of unit length.

    The reference pose of a free body stands in several places; the one that was edited counts.
    """
    # free joints: the pose of the body, qpos0 and qpos_spring are one attribute
    wanted = dict(model)
    for name in ("body_pos", "body_quat"):
        wanted[name] = model[name].copy()
    for joint in draft.parts["joint"]:
        if joint["type"] != "free":
            continue
        body, adr = joint.body.id, model["jnt_qposadr"][joint.id]
        here, names = slice(adr, adr + 7), ("body_pos", "body_quat")
        poses = {name: model[name][here] for name in ("qpos0", "qpos_spring")}
        poses["body_pos, body_quat"] = np.concatenate([model[name][body] for name in names])
        old = compiled["qpos0"][here]
        edited = {name: pose for name, pose in poses.items() if not np.array_equal(pose, old)}
        for pose in edited.values():
            if not np.array_equal(pose, next(iter(edited.values()))):
                raise joint.error(
                    f"copy_back: {', '.join(edited)}: expected one reference pose of a free body,"
                    " found several"
                )
            wanted["body_pos"][body], wanted["body_quat"][body] = pose[:3], pose[3:]
    for name in UNIT:
        changed = (wanted[name] != compiled[name]).any(axis=1)
        length = np.linalg.norm(wanted[name], axis=1, keepdims=True)
        unit = wanted[name] / np.where(length > 0, length, 1)
        wanted[name] = np.where(changed[:, None], unit, wanted[name])
    return wanted


def _differences(
    draft: "Draft", wanted: dict, compiled: dict, exact: bool = False
) -> Iterator[tuple]:
    """Parts with a row of the table whose numbers are others than in the compiled model.

    Yields:
        The part, the row, and the numbers that it shall have.
    """
    whole = Part(draft.root, {})
    for kind, row in rows():
        parts = (whole,) if kind in GROUPS else draft.parts[kind]
        for part in parts:
            value, old = row.value(wanted, part), row.value(compiled, part)
            if not _same(value, old, exact):
                yield (part, row, value)


def _same(a: np.ndarray, b: np.ndarray, exact: bool) -> bool:
    if exact:
        return np.array_equal(a, b, equal_nan=True)
    if a.shape != b.shape or not a.size:
        return a.shape == b.shape
    finite = np.abs(np.where(np.isfinite(a), a, 0.0)).max()
    return np.allclose(a, b, rtol=0, atol=TOLERANCE * max(finite, 1e-3), equal_nan=True)
