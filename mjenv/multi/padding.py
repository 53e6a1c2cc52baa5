"""One space for the boxes of several tasks: the longest, where the others are padded."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

ONE_HOT, INDEX = "one_hot", "index"
WHOLE, TASK = "", "task"  # parts of observations: of what is no dict, and which task it is


class Padding:
    """A box that those of all tasks fit into, with zeros behind the shorter ones.

    Attributes:
        box: limits are the widest of any task's.
        mask: which of its numbers a task has, (ntask, ...) bool.
        low: lowest numbers of each task's own box, (ntask, ...); zeros behind shorter ones.
        high: likewise the highest.
    """

    def __init__(self, boxes: Sequence[spaces.Box], what: str):
        """Of a box for each task; `what` they are of, for messages.

        Raises:
            ValueError: they have several axes, and other shapes.
        """
        shapes = list(dict.fromkeys(box.shape for box in boxes))
        if len(shapes) > 1 and any(len(shape) != 1 for shape in shapes):
            raise ValueError(
                f"MultiVectorEnv: {what} have shapes {shapes}, expected vectors, or one shape"
            )
        shape = shapes[0] if len(shapes) == 1 else (max(shape[0] for shape in shapes),)
        dtype: Any = np.result_type(*(box.dtype for box in boxes))
        self.mask = np.zeros((len(boxes), *shape), bool)
        lows, highs = np.zeros(self.mask.shape, dtype), np.zeros(self.mask.shape, dtype)
        self.low, self.high = lows, highs
        for k, box in enumerate(boxes):
            own = (k, *map(slice, box.shape))
            self.mask[own], lows[own], highs[own] = True, box.low, box.high
        self.box = spaces.Box(lows.min(axis=0), highs.max(axis=0), shape, dtype)


class Observations:
    """Observations of worlds of several tasks, in arrays of their own.

    Attributes:
        space: of one world.
        masks: which numbers a task's observation has, (ntask, ...) bool; by key where it is a dict.
    """

    def __init__(self, seen: Sequence[spaces.Space], owner: np.ndarray, task_id: str | None):
        """Of the observation space of each task, and the task of each world.

        Args:
            seen: boxes, or dicts of boxes with the same keys.
            owner: (nworld,) numbers of tasks.
            task_id: "one_hot" or "index", which is put behind vectors, or beside the parts of
                dicts as "task"; None for none.

        Raises:
            ValueError: they are something else.
        """
        self._owner, self._task_id, self.ntask = owner, task_id, len(seen)
        parts = [_parts(space) for space in seen]
        for k, one in enumerate(parts):
            if one.keys() != parts[0].keys():
                raise ValueError(
                    f"MultiVectorEnv: observations have parts {[*parts[0]]} of the first task and "
                    f"{[*one]} of task {k}, expected the same ones"
                )
        paddings = {
            key: Padding([one[key] for one in parts], f"observations {key}".strip())
            for key in parts[0]
        }
        self._paddings = paddings
        boxes: dict[str, Any] = {key: padding.box for key, padding in paddings.items()}
        self.masks: Any = {key: padding.mask for key, padding in paddings.items()}
        if task_id is not None and WHOLE in boxes:
            boxes[WHOLE] = _joined(boxes[WHOLE], self._id_box(boxes[WHOLE].dtype))
            seen_id = np.ones((self.ntask, *self._id_box(np.float64).shape), bool)
            self.masks[WHOLE] = np.concatenate([self.masks[WHOLE], seen_id], axis=1)
        elif task_id is not None:
            boxes[TASK] = self._id_box(np.result_type(*(box.dtype for box in boxes.values())))
        self.space: Any = boxes[WHOLE] if WHOLE in boxes else spaces.Dict(boxes)
        self.masks = self.masks.get(WHOLE, self.masks)
        # the arrays, with zeros that stay where a task has no numbers
        self.arrays = {k: np.zeros((len(owner), *box.shape), box.dtype) for k, box in boxes.items()}
        if task_id is not None:
            ids = self._ids(owner)
            self.arrays[WHOLE if WHOLE in boxes else TASK][..., -ids.shape[1] :] = ids

    def _id_box(self, dtype: Any) -> spaces.Box:
        if self._task_id == ONE_HOT:
            return spaces.Box(0.0, 1.0, (self.ntask,), dtype)
        return spaces.Box(0.0, self.ntask - 1.0, (1,), dtype)

    def _ids(self, owner: np.ndarray) -> np.ndarray:
        if self._task_id == ONE_HOT:
            return np.eye(self.ntask)[owner]
        return owner[:, None].astype(np.float64)

    def put(self, rows: Any, seen: Any) -> None:
        """Keep what the worlds of a task observe; `rows` are their numbers."""
        for key, array in self.arrays.items():
            if key != TASK or TASK in self._paddings:
                part = seen if key == WHOLE else seen[key]
                array[(rows, *map(slice, part.shape[1:]))] = part

    def last(self, k: int, seen: Sequence[Any]) -> list[Any]:
        """Observations of some worlds of task `k`, one by one, as the others are."""
        found = {}
        for key, array in self.arrays.items():
            rows = found[key] = np.zeros((len(seen), *array.shape[1:]), array.dtype)
            if key != TASK or TASK in self._paddings:
                part = np.stack([one if key == WHOLE else one[key] for one in seen])
                rows[(slice(None), *map(slice, part.shape[1:]))] = part
        if self._task_id is not None:
            ids = self._ids(np.array([k]))
            found[WHOLE if WHOLE in found else TASK][..., -ids.shape[1] :] = ids
        if WHOLE in found:
            return list(found[WHOLE])
        return [{key: rows[i] for key, rows in found.items()} for i in range(len(seen))]

    def of(self, worlds: np.ndarray) -> Any:
        """What some worlds observe, in new arrays."""
        found = {key: array[worlds] for key, array in self.arrays.items()}
        return found.get(WHOLE, found)

    def all(self, copy: bool) -> Any:
        """What all worlds observe, in new arrays or the same ones as before."""
        found = {key: array.copy() if copy else array for key, array in self.arrays.items()}
        return found.get(WHOLE, found)


def _parts(space: Any) -> dict[str, spaces.Box]:
    """The boxes of a space, by key."""
    parts: Any = dict(space.spaces) if isinstance(space, spaces.Dict) else {WHOLE: space}
    for key, part in parts.items():
        if not isinstance(part, spaces.Box):
            raise ValueError(
                f"MultiVectorEnv: observations {key}: found {part}, expected a Box, or a Dict of "
                "these"
            )
    return parts


def _joined(first: spaces.Box, second: spaces.Box) -> spaces.Box:
    """A box of the numbers of two, one after the other."""
    if len(first.shape) != 1:
        raise ValueError(
            f"MultiVectorEnv: task_id: found observations of shape {first.shape}, expected "
            "vectors, or dicts, to put it beside"
        )
    low = np.concatenate([first.low, second.low])
    high = np.concatenate([first.high, second.high])
    dtype: Any = first.dtype
    return spaces.Box(low, high, dtype=dtype)
