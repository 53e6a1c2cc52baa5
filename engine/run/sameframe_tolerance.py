"""Frames that MuJoCo takes for the same, since they differ by rounding, are the same here."""

from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from ..model.change_detection import FRAMES, parts_of
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
SAME = ("body_sameframe", "geom_sameframe", "site_sameframe")
SOURCES = (*FRAMES, *SAME, "geom_bodyid", "site_bodyid")
IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])


class Found(NamedTuple):
    """Frames that were found for a model, for its next data.

    Attributes:
        arrays: as in `SameFrames`.
        parts: memory of the fields that they follow.
        sources: what they were found from, the model's own arrays.
        memory: of the sources.
        held: what it held then.
    """

    arrays: dict[str, np.ndarray]
    parts: list[memoryview]
    sources: list[np.ndarray]
    memory: list[memoryview]
    held: list[bytes]

    def holds(self, model: "Model") -> bool:
        """True if the model has the same arrays, with what they held then."""
        own = vars(model)
        same = all(own[name] is x for name, x in zip(SOURCES, self.sources, strict=True))
        return same and all(old == new for old, new in zip(self.held, self.memory, strict=True))


_known: "WeakKeyDictionary[Model, dict[tuple, Found]]" = WeakKeyDictionary()


class SameFrames:
    """Poses in bodies, with those that coincide with another frame but for rounding put on it.

    The compiler notes such frames in `body_sameframe`, `geom_sameframe` and `site_sameframe`;
    MuJoCo then copies the other frame. What is edited since to lie elsewhere lies there, unless it
    is asked for that the notes decide, as in MuJoCo.

    Attributes:
        arrays: fields of the model that are used in place of the model's own, by name. They
            follow the model's at every `refresh`.
        blocks: what the model's fields held then, and their memory.
    """

    def __init__(self, model: "Model", varied: Any = (), decide: bool = False):
        """Find the frames.

        Args:
            model: a `Model`.
            varied: names of fields that differ between worlds: these stay as they are.
            decide: whether the notes decide, wherever the frames lie.
        """
        self._model, self._limit = model, np.inf if decide else NEAR
        known, key = _known.setdefault(model, {}), (tuple(varied), decide)
        found = known.get(key)
        if found is None or not found.holds(model):
            found = known[key] = self._find(varied, decide)
        self.arrays = {name: array.copy() for name, array in found.arrays.items()}
        # what the fields hold, and where; there is one part in models as they are compiled
        self.blocks = [(bytearray(part), part) for part in found.parts]

    def _find(self, varied: Any, decide: bool) -> "Found":
        """Find the frames."""
        model = self._model
        arrays = {
            name: array.copy()
            for name, array in self._moved().items()
            if name not in varied
            and (decide or _differs(array, getattr(model, name)))
            # those that are used as they are
            and array is not getattr(model, name)
        }
        fields = [getattr(model, name) for name in FRAMES if arrays]
        parts, _ = parts_of([array for array in fields if array.size])
        own = vars(model)
        whole, _ = parts_of([own[name] for name in SOURCES if own[name].size])
        return Found(arrays, parts, [own[name] for name in SOURCES], whole, [*map(bytes, whole)])

    def array(self, name: str) -> np.ndarray:
        """A field of the model, with frames put on others where that moves them."""
        return self.arrays[name] if name in self.arrays else getattr(self._model, name)

    def refresh(self) -> None:
        """Take over what was edited in the model."""
        for held, memory in self.blocks:
            if held != memory:
                self._follow()

    def _follow(self) -> None:
        """The same, after edits."""
        found = self._moved()
        for name, array in self.arrays.items():
            array[...] = found[name]
        for held, memory in self.blocks:
            held[:] = memory

    def _moved(self) -> dict[str, np.ndarray]:
        model, limit = self._model, self._limit
        same = model.body_sameframe
        ipos = _put(model.body_ipos, 0.0, same == SAMEFRAME_BODY, limit)
        turned = (same == SAMEFRAME_BODY) | (same == SAMEFRAME_BODYROT)
        iquat = _put_turn(model.body_iquat, IDENTITY, turned, limit)
        found = {"body_ipos": ipos, "body_iquat": iquat}
        for kind in ("geom", "site"):
            pos, quat, bodies, same = (
                getattr(model, f"{kind}_{name}") for name in ("pos", "quat", "bodyid", "sameframe")
            )
            pos = _put(pos, 0.0, same == SAMEFRAME_BODY, limit)
            found[f"{kind}_pos"] = _put(pos, ipos[bodies], same == SAMEFRAME_INERTIA, limit)
            turned = (same == SAMEFRAME_BODY) | (same == SAMEFRAME_BODYROT)
            quat = _put_turn(quat, IDENTITY, turned, limit)
            inertial = (same == SAMEFRAME_INERTIA) | (same == SAMEFRAME_INERTIAROT)
            found[f"{kind}_quat"] = _put_turn(quat, iquat[bodies], inertial, limit)
        return found


def _differs(moved: np.ndarray, array: np.ndarray) -> bool:
    """True if frames were put on others by more than rounding."""
    return moved is not array and np.abs(moved - array).max(initial=0) > ROUNDING


def refuse_apart(model: "Model", names: Any) -> None:
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


def _put(values: np.ndarray, target: Any, rows: np.ndarray, limit: float) -> np.ndarray:
    """Values in which those of the rows that are near the target are the target, (n, k).

    If there are no rows, the values themselves; else a copy.
    """
    if not rows.any():
        return values
    near = rows & (np.abs(values - target) < limit).all(axis=1)
    return np.where(near[:, None], target, values)


def _put_turn(quats: np.ndarray, target: np.ndarray, rows: np.ndarray, limit: float) -> np.ndarray:
    """As `_put`, for quaternions (n, 4), whose sign does not count; it is kept."""
    if not rows.any():
        return quats
    sign = np.where((quats * target).sum(axis=1, keepdims=True) < 0, -1.0, 1.0)
    return sign * _put(sign * quats, target, rows, limit)
