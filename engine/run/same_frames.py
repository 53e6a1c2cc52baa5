"""Frames that MuJoCo takes for the same, since they differ by rounding, are the same here."""

from typing import TYPE_CHECKING

import numpy as np

from ..tables.enums import (
    SAMEFRAME_BODY,
    SAMEFRAME_BODYROT,
    SAMEFRAME_INERTIA,
    SAMEFRAME_INERTIAROT,
)

if TYPE_CHECKING:
    from ..model.model import Model

NEAR = 1e-6  # MuJoCo's limit, m and without unit
ROUNDING = 1e-14  # smaller differences stay
FRAMES = ("body_ipos", "body_iquat", "geom_pos", "geom_quat", "site_pos", "site_quat")
IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])


class SameFrames:
    """Poses in bodies, with those that coincide with another frame but for rounding put on it.

    The compiler notes such frames in `body_sameframe`, `geom_sameframe` and `site_sameframe`;
    MuJoCo then copies the other frame. What is edited since to lie elsewhere lies there.

    Attributes:
        arrays: fields of the model that are used in place of the model's own, by name. They
            follow the model's at every `refresh`.
    """

    def __init__(self, model: "Model", varied=()):
        """Find the frames.

        Args:
            model: a `Model`.
            varied: names of fields that differ between worlds: these stay as they are.
        """
        self._model = model
        found = self._moved()
        self.arrays = {
            name: array
            for name, array in found.items()
            if name not in varied and np.abs(array - getattr(model, name)).max(initial=0) > ROUNDING
        }

    def array(self, name: str) -> np.ndarray:
        """A field of the model, with frames put on others where that moves them."""
        return self.arrays[name] if name in self.arrays else getattr(self._model, name)

    def refresh(self) -> None:
        """Take over what was edited in the model."""
        if self.arrays:
            found = self._moved()
            for name, array in self.arrays.items():
                array[...] = found[name]

    def _moved(self) -> dict[str, np.ndarray]:
        model = self._model
        same = model.body_sameframe
        ipos = _put(model.body_ipos, 0.0, same == SAMEFRAME_BODY)
        iquat = _put_turn(
            model.body_iquat, IDENTITY, np.isin(same, (SAMEFRAME_BODY, SAMEFRAME_BODYROT))
        )
        found = {"body_ipos": ipos, "body_iquat": iquat}
        for kind in ("geom", "site"):
            pos, quat, bodies, same = (
                getattr(model, f"{kind}_{name}") for name in ("pos", "quat", "bodyid", "sameframe")
            )
            pos = _put(pos, 0.0, same == SAMEFRAME_BODY)
            found[f"{kind}_pos"] = _put(pos, ipos[bodies], same == SAMEFRAME_INERTIA)
            quat = _put_turn(quat, IDENTITY, np.isin(same, (SAMEFRAME_BODY, SAMEFRAME_BODYROT)))
            inertial = np.isin(same, (SAMEFRAME_INERTIA, SAMEFRAME_INERTIAROT))
            found[f"{kind}_quat"] = _put_turn(quat, iquat[bodies], inertial)
        return found


def refuse_apart(model: "Model", names) -> None:
    """Raise ValueError where edited flags say of frames that lie apart that they coincide.

    Args:
        model: a `Model`.
        names: which of the fields of flags were edited.
    """
    for name in names:
        kind = name.removesuffix("_sameframe")
        apart = _apart(model, kind)
        if len(apart):
            flag = int(getattr(model, name)[apart[0]])
            raise ValueError(
                f"Data: model.{name}[{apart[0]}] was edited to {flag}: these frames lie apart; "
                "expected 0, or frames that coincide"
            )


def _apart(model: "Model", kind: str) -> np.ndarray:
    """Bodies, geoms or sites whose flag says that their frame is another, which it is not."""
    same = getattr(model, f"{kind}_sameframe")
    pos, quat = ("ipos", "iquat") if kind == "body" else ("pos", "quat")
    pos, quat = getattr(model, f"{kind}_{pos}"), getattr(model, f"{kind}_{quat}")
    bodies = np.arange(len(pos)) if kind == "body" else getattr(model, f"{kind}_bodyid")
    inertial = np.isin(same, (SAMEFRAME_INERTIA, SAMEFRAME_INERTIAROT))[:, None]
    to_pos = np.where(inertial, model.body_ipos[bodies], 0.0)
    to_quat = np.where(inertial, model.body_iquat[bodies], IDENTITY)
    sign = np.where((quat * to_quat).sum(axis=1, keepdims=True) < 0, -1.0, 1.0)
    far = (np.abs(pos - to_pos) >= NEAR).any(axis=1)
    far &= np.isin(same, (SAMEFRAME_BODY, SAMEFRAME_INERTIA))
    turned = (np.abs(sign * quat - to_quat) >= NEAR).any(axis=1)
    return np.flatnonzero((same != 0) & (far | turned))


def _put(values: np.ndarray, target, rows: np.ndarray) -> np.ndarray:
    """A copy in which those of the rows that are near the target are the target, (n, k)."""
    near = rows & (np.abs(values - target) < NEAR).all(axis=1)
    return np.where(near[:, None], target, values)


def _put_turn(quats: np.ndarray, target: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """As `_put`, for quaternions (n, 4), whose sign does not count; it is kept."""
    sign = np.where((quats * target).sum(axis=1, keepdims=True) < 0, -1.0, 1.0)
    return sign * _put(sign * quats, target, rows)
