"""Custom data and keyframes."""

import numpy as np

from ..enums import JNT_BALL, JNT_FREE
from .pose import normalize


def compile_custom(spec) -> None:
    """Check numbers and texts, and refuse tuples that name nothing."""
    for numeric in spec.parts["numeric"]:
        data, size = numeric.values.get("data", ()), numeric.values.get("size")
        size = len(data) if size is None else size
        if len(data) > max(size, 0):
            raise numeric.error(f"data: expected at most size={size} values, found {len(data)}")
        if not 1 <= size <= 500:
            raise numeric.error(f"size: {size}: expected between 1 and 500 values")
        numeric.values["data"] = (*data, *(0.0,) * (size - len(data)))
    for text in spec.parts["text"]:
        if not text["data"]:
            raise text.error("data='': expected some text")
    for part in spec.parts["tuple"]:
        raise part.element.unsupported("<tuple>")


def fill_keys(model, spec) -> None:
    """Write keyframes: what they do not give is the reference configuration, at rest."""
    mocap = np.flatnonzero(model.body_mocapid >= 0)
    references = {
        "qpos": model.qpos0,
        "mpos": model.body_pos[mocap].ravel(),
        "mquat": model.body_quat[mocap].ravel(),
    }
    for k in range(model.nkey):
        key = spec.parts["key"][k]
        values = key.values
        model.key_time[k] = values.get("time", 0.0)
        for name in ("qpos", "qvel", "act", "mpos", "mquat", "ctrl"):
            row, given = getattr(model, f"key_{name}")[k], values.get(name)
            reference = references.get(name, np.zeros(len(row)))
            row[:] = reference
            if given is not None:
                if len(given) > len(row):
                    raise key.error(f"{name}: expected {len(row)} values, found {len(given)}")
                row[: len(given)] = given
        _normalize(model, k)


def _normalize(model, k: int) -> None:
    """Make the quaternions of a keyframe unit quaternions."""
    for j in range(model.njnt):
        kind = model.jnt_type[j]
        if kind in (JNT_FREE, JNT_BALL):
            adr = model.jnt_qposadr[j] + (3 if kind == JNT_FREE else 0)
            _unit(model.key_qpos[k, adr : adr + 4])
    for quat in model.key_mquat[k].reshape(-1, 4):
        _unit(quat)


def _unit(quat: np.ndarray) -> None:
    unit, length = normalize(tuple(quat.tolist()))
    quat[:] = unit if length else (1.0, 0.0, 0.0, 0.0)
