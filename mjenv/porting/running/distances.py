"""How far numbers of a port are from those of the environment itself."""

from typing import Any

import numpy as np

NEAR = 1e-9  # what rounding makes of sums and elementary functions in some hundred steps
NEAR_SINGLE = 2e-7  # the last place of float32, where observations are of that type


def named_parts(parts: dict[tuple, Any]) -> dict[str, Any]:
    """Parts of an observation, by the keys that lead to them, as they are written in Python."""
    return {"observation" + "".join(f"[{k!r}]" for k in way): x for way, x in parts.items()}


def distances(ours: Any, theirs: Any) -> np.ndarray:
    """Of each element, relative to numbers above 1; infinite where one alone is no number."""
    ours, theirs = np.asarray(ours, np.float64), np.asarray(theirs, np.float64)
    if ours.shape != theirs.shape:
        return np.full(theirs.shape or (1,), np.inf)
    with np.errstate(invalid="ignore"):
        apart = np.abs(ours - theirs) / np.maximum(1.0, np.abs(theirs))
    same = (ours == theirs) | (np.isnan(ours) & np.isnan(theirs))
    return np.where(same, 0.0, np.where(np.isnan(apart), np.inf, apart))


def first_difference(ours: dict[str, Any], theirs: dict[str, Any], near: float) -> str:
    """The first of named arrays that differ by more than `near`, in words; "" for none."""
    for name, value in theirs.items():
        apart = distances(ours[name], value)
        if apart.max(initial=0.0) > near:
            mine, value = np.asarray(ours[name]), np.asarray(value)
            if mine.shape != value.shape:
                return f"{name} of shape {mine.shape}, expected {value.shape}"
            place = np.unravel_index(apart.argmax(), apart.shape)
            element = f"{name}[{', '.join(map(str, place))}]" if place else name
            return f"{element} {mine[place]}, expected {value[place]}"
    return ""
