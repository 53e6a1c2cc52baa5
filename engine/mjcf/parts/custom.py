"""Custom data and keyframes."""

from typing import TYPE_CHECKING

import numpy as np

from ...products import norm
from ...tables.enums import JNT_BALL, JNT_FREE, MINVAL
from ..geometry.pose import IDENTITY, normalize
from ..text.element import Element
from .actuators import places_in_keys

if TYPE_CHECKING:
    from ...model.model import Model
    from ..draft.draft import Draft


def compile_custom(draft: "Draft") -> None:
    """Check numbers and texts."""
    for numeric in draft.parts["numeric"]:
        data, size = numeric.values.get("data", ()), numeric.values.get("size")
        size = len(data) if size in (None, 501) else size
        if len(data) > max(size, 0):
            raise numeric.error(f"data: expected at most size={size} values, found {len(data)}")
        if not 1 <= size <= 500:
            raise numeric.error(f"size: {size}: expected between 1 and 500 values")
        numeric.values["data"] = (*data, *(0.0,) * (size - len(data)))
    for text in draft.parts["text"]:
        if not text["data"]:
            raise text.error("data='': expected some text")


def fill_keys(model: "Model", draft: "Draft") -> None:
    """Write keyframes: what they do not give is the reference configuration, at rest."""
    mocap = [body for body in draft.parts["body"] if body["mocap"] == "true"]
    references = {
        "qpos": model.qpos0,
        "mpos": [x for body in mocap for x in body["pos"]],
        "mquat": [x for body in mocap for x in body["quat"]],
    }
    given_poses = [raw_pose(body.element) for body in mocap]
    rest = {
        "qpos": _given_qpos(draft),
        "mpos": [x for pos, _ in given_poses for x in pos],
        "mquat": [x for _, quat in given_poses for x in quat],
    }
    # short lists become as long as MuJoCo takes the activation to be, wrongly for some DC motors
    reckoned = sum(places_in_keys(actuator.values) for actuator in draft.parts["actuator"])
    for key in draft.parts["key"]:
        model.key_time[key.id] = key.values.get("time", 0.0)
        for name in ("qpos", "qvel", "act", "mpos", "mquat", "ctrl"):
            row, given = getattr(model, f"key_{name}")[key.id], key.values.get(name)
            if name == "act" and given is not None:
                given = (*given, *(0.0,) * (reckoned - len(given)))
            if given is None:
                row[:] = references.get(name, 0.0)
            elif len(given) > len(row):
                raise key.error(f"{name}: expected {len(row)} values, found {len(given)}")
            else:
                # poses of motion capture bodies are completed as a whole
                width = {"mpos": 3, "mquat": 4}.get(name, 1)
                given = given[: len(given) // width * width]
                row[:] = rest.get(name, 0.0)
                row[: len(given)] = given
                if None in given:
                    # entries of parts that were not there when the keyframe was written
                    unsaid = [k for k, x in enumerate(given) if x is None]
                    row[unsaid] = np.broadcast_to(references.get(name, 0.0), row.shape)[unsaid]
        normalize_key(model, key.id)


def _given_qpos(draft: "Draft") -> list[float]:
    """Positions that MuJoCo completes short keyframes with: qpos0 before anything is compiled."""
    qpos: list[float] = []
    for joint in draft.parts["joint"]:
        ref = joint["given_ref"]
        qpos += joint_reference(joint.element, joint["type"], ref, joint.body.element)
    return qpos


def normalize_key(model: "Model", k: int) -> None:
    """Make the quaternions of a keyframe unit quaternions."""
    for j in range(model.njnt):
        kind = model.jnt_type[j]
        if kind in (JNT_FREE, JNT_BALL):
            adr = model.jnt_qposadr[j] + (3 if kind == JNT_FREE else 0)
            _unit(model.key_qpos[k, adr : adr + 4])
    for quat in model.key_mquat[k].reshape(-1, 4):
        # what is almost zero stays
        quat[:] = normalize(tuple(quat.tolist()))[0]


def _unit(quat: np.ndarray) -> None:
    unit, length = normalize(tuple(quat.tolist()))
    if not length:
        length = norm(quat)
        unit = quat / length if length >= MINVAL else IDENTITY
    quat[:] = unit


def raw_pose(body: Element) -> tuple[tuple, tuple]:
    """Attributes `pos` and `quat` of a body, without other specifiers of orientation."""
    values = body.kind.defaults | body.values
    return tuple(values["pos"]), tuple(values["quat"])


def joint_reference(joint: Element, kind: str, ref: float, body: Element) -> tuple:
    """Values of a joint in what MuJoCo completes keyframes with before it compiles a model.

    Angles are as in the file, poses of free joints lack what is not `pos` or `quat`, and joints
    that give their own type still count as hinges: what else they have is zero.
    """
    if joint.tag == "freejoint" or "type" in joint.values:
        return (ref,) + (0.0,) * {"free": 6, "ball": 3}.get(kind, 0)
    if kind == "free":
        pos, quat = raw_pose(body)
        return (*pos, *quat)
    return (1.0, 0.0, 0.0, 0.0) if kind == "ball" else (ref,)
