"""Checks that what a program takes for constants still is constant, after every reset."""

import re
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from copy import copy
from pathlib import Path as File
from typing import Any

import numpy as np

from mjenv.mujoco.structs import MjModel
from mjenv.porting.environment.attributes import (
    Places,
    class_value,
    is_another,
    is_made_by_class,
    is_number,
    same,
)
from mjenv.porting.environment.model_options import field_of, option_names
from mjenv.porting.environment.place_names import Path
from mjenv.porting.varying.words import is_fixed


class Constants:
    """All that a program takes for the same in all worlds and episodes.

    What has not changed is found by looking at the same dicts and lists for the same objects, which
    takes a microsecond for ten of them.
    """

    def __init__(
        self,
        places: Places,
        changing: Callable[[Path], bool],
        numbers: dict[Path, Any],
        others: dict[Path, Any],
    ):
        """Remember what was there when the program was made.

        Args:
            places: of the environment.
            changing: whether a path leads to what is no constant.
            numbers, others: as the places had them.
        """
        self._places, self._changing = places, changing
        self._numbers, self._others = numbers, others
        self._held: list[tuple[Any, Any, Any, Path]] | None = None
        self._inside: list[tuple[Path, Any, int | None]] = []
        self._sizes: list[tuple[Any, int]] = []
        self._moving: set[Path] = set()
        self._arrays: list[tuple[np.ndarray, bytes]] = []

    def knows(self, path: Path) -> bool:
        """True if there was something at the end of a path."""
        return self._is_there(path) or class_value(self._places, path) is not None

    def _is_there(self, path: Path) -> bool:
        return path in self._numbers or path in self._others

    def value(self, path: Path) -> Any:
        """What was there: a number, a word, or what is neither; or what the class has."""
        if not self._is_there(path):
            return class_value(self._places, path)
        return self._numbers.get(path, self._others.get(path))

    def put_missing(self) -> None:
        """Have numbers that the first reset has made, in an environment that is as it was made."""
        for path, value in self._numbers.items():
            try:
                self._places.get(path)
            except (KeyError, IndexError):
                with suppress(KeyError, IndexError):  # an object is missing, too
                    self._places.put(path, copy(value))

    def changed(self) -> list[Path]:
        """Paths to what is something else, or new, or no longer there."""
        if self._held is not None and self._as_held():
            return []
        numbers, others = self._places.numbers(), self._places.others()
        found = [
            path for path, value in numbers.items()
            if path not in self._numbers or not same(self._numbers[path], value)
        ]  # fmt: skip
        found += [p for p, one in others.items() if is_another(one, self._others.get(p))]
        known = self._numbers.keys() | self._others.keys()
        gone = [path for path in known if path not in numbers and path not in others]
        found += [path for path in gone if not is_made_by_class(self._places, path)]
        found = [path for path in dict.fromkeys(found) if path and not self._changing(path)]
        if not found:
            self._hold()
        return found

    def _as_held(self) -> bool:
        """True if the same objects are there, or equal numbers in their places."""
        try:
            for owner, key, value, path in self._held or ():
                now = owner[key]
                if now is not value and not _equal(now, value):
                    # a container that is made anew: what it holds is looked up from now on
                    self._moving.add(path)
                    return False
            for path, value, size in self._inside:
                now = self._places.get(path)
                other = size != _size(now) or (size is None and now is not value)
                if other and not _equal(now, value):
                    return False
            return all(_size(one) == size for one, size in self._sizes) and all(
                array.tobytes() == before for array, before in self._arrays
            )
        except (KeyError, IndexError):
            return False

    def _hold(self) -> None:
        """Remember the objects that are there now."""
        self._held, self._arrays, self._inside, self._sizes = [], [], [], []
        for path, value in self._places._walk():
            size = _size(value)
            if self._changing(path):
                continue
            if any(path[:k] in self._moving for k in range(1, len(path) + 1)):
                self._inside.append((path, value, size))
                continue
            if size is not None:
                self._sizes.append((value, size))
            if not path:
                continue
            owner = self._places.get(path[:-1])
            owner = _Named(owner) if path[-1][0] == "." else owner
            self._held.append((owner, path[-1][1], value, path))
            if isinstance(value, np.ndarray) and value.dtype.kind in "fiub":
                self._arrays.append((value, value.tobytes()))


class _Named:
    """What an object has by name, in its dict or in slots."""

    def __init__(self, owner: Any):
        self._owner = owner

    def __getitem__(self, name: str) -> Any:
        try:
            return object.__getattribute__(self._owner, name)
        except AttributeError:
            raise KeyError(name) from None


def _size(value: Any) -> int | None:
    """Number of things a container or an object of the package holds; None for what is none."""
    if isinstance(value, dict | list | tuple | deque | set):
        return len(value)
    plain = is_number(value) or value is None or isinstance(value, str | type) or callable(value)
    return None if plain or not hasattr(value, "__dict__") else len(vars(value))


def _equal(one: Any, other: Any) -> bool:
    """True for equal numbers and words."""
    return (is_number(one) or is_fixed(one)) and same(one, other)


class ModelConstants:
    """Fields of the model that the package's code names, and which no reset has changed so far."""

    def __init__(self, model: MjModel, spaces: Iterable[dict[str, Any]], varied: Iterable[str]):
        """Remember their numbers.

        Args:
            model: the environment's.
            spaces: names of the modules whose code may change it.
            varied: fields that differ between worlds anyway.
        """
        words: set[str] = set()
        for file in {space["__file__"] for space in spaces if space.get("__file__")}:
            words.update(re.findall(r"\w+", File(file).read_text(encoding="utf-8")))
        self._model = model
        self._fields = [
            (name, field_of(model, name).tobytes())
            for name in option_names(model)
            if name.removeprefix("opt_") in words and name not in varied
        ]
        for name, array in vars(model).items():
            plain = isinstance(array, np.ndarray) and array.dtype.kind in "fiub"
            # model.geom("box").pos is model.geom_pos
            if not plain or name.startswith(("tex_", "mesh_", "skin_", "hfield_", "bvh_", "oct_")):
                continue
            named = name in words or name.partition("_")[2] in words
            if named and name not in varied:
                self._fields.append((name, array.tobytes()))

    def changed(self) -> list[str]:
        """Names of fields that have other numbers."""
        model = self._model
        return [n for n, before in self._fields if field_of(model, n).tobytes() != before]
