"""Lists and queues that are longer in some worlds than in others, such as actions still to come.

A world's queue is numbers: its length, one of a few, and its elements, as many as any world has;
behind a world's own they are zeros that nothing reads. A method is followed once for each length,
with a queue of so many elements. Dicts that are filled in the order of their names, as sums of
which each begins with the first step, are queues, too.
"""

from collections import deque
from collections.abc import Collection, Sequence
from copy import copy
from typing import Any, NamedTuple

import numpy as np

from mjenv.porting.symbols.refusals import FollowAnew, NotTraced
from mjenv.porting.symbols.symbol import Symbol

# kinds of the steps from a queue to the number of its elements, and to its bound
LENGTH, BOUND = "length", "bound"
MOST, MOST_OF_BOUNDED = 16, 128  # lengths of a list, and of a queue that drops what is too much


class QueueFound(FollowAnew):
    """A list or a queue has another length than before.

    Attributes:
        path: where it is.
        name: of the list.
        lengths: that it has had.
        names: of a dict, in their order, as far as they are known.
        most: elements that it may have, of a `deque` that drops others; None for any number.
        like: an empty one.
        value: the list itself, or the dict.
    """

    def __init__(self, path: Any, name: str, lengths: Collection[int], value: Any = None):
        """By its place and name, lengths, and the list itself."""
        self.path, self.name, self.lengths = path, name, frozenset(lengths)
        self.most: int | None = getattr(value, "maxlen", None)
        self.names = tuple(value) if isinstance(value, dict) else ()
        self.value, self.like = value, deque(maxlen=self.most) if isinstance(value, deque) else []
        if isinstance(value, dict):
            self.like = copy(value)
            self.like.clear()
        super().__init__(
            f"found {name}, which has fewer elements at times, expected one that has as many from "
            "the reset on; keep an array, and the number of what is in it"
        )


class QueueUsed(FollowAnew):
    """A method uses a queue that it has left alone so far.

    Attributes:
        path: where it is.
        name: of the list.
        added: elements that the method has added to it before.
    """

    def __init__(self, path: Any, name: str, added: Sequence = ()):
        self.path, self.name, self.added = path, name, added
        super().__init__(f"found {name} used")


class TooManyLengths(NotTraced):
    """A list has more lengths than there may be ways."""


class OtherOrder(NotTraced):
    """A dict has its names in another order than before."""


class Queue(NamedTuple):
    """What is known of a list or a queue whose length differs between worlds.

    Attributes:
        lengths: that it may have, the greatest first.
        zeros: what stands in the place of elements that a world does not have.
        users: names of methods that use it.
        like: an empty one.
        names: of a dict, in their order.
        bounds: of a `deque`, where there are several: how many elements it may have.
    """

    lengths: tuple[int, ...]
    zeros: list[Any]
    users: frozenset[str] = frozenset()
    like: Any = ()
    names: tuple[str, ...] = ()
    bounds: tuple[int, ...] = ()

    def with_lengths(self, found: QueueFound) -> "Queue":
        """The same with more lengths.

        Raises:
            TooManyLengths: there are too many.
            NotTraced: its bound is another one, or its names are in another order.
        """
        lengths = sorted({*self.lengths, *found.lengths}, reverse=True)
        most = MOST if found.most is None else MOST_OF_BOUNDED
        if len(lengths) > most:
            raise TooManyLengths(
                f"found {found.name}, a list of more than {most} lengths, expected one of few, or "
                "one that is not read; keep an array, and the number of what is in it"
            )
        bounds = self.bounds
        if self.lengths and found.lengths and found.most not in (self.most, *bounds):
            if found.most is None or self.most is None:
                raise NotTraced(f"found {found.name}, a deque with a maxlen at times only")
            bounds = tuple(sorted({*(bounds or (self.most,)), found.most}))
            if len(bounds) > MOST:
                raise NotTraced(f"found {found.name}, a deque with more than {MOST} maxlens")
        names = max(self.names, found.names, key=len)
        if any(one != names[: len(one)] for one in (self.names, found.names)):
            raise OtherOrder(f"found {found.name} with names in another order at times")
        like = self.like if self.lengths else found.like
        return self._replace(lengths=tuple(lengths), like=like, names=names, bounds=bounds)

    def is_known(self, value: Any) -> bool:
        """True for a length, names of a dict and a bound of a queue that are known."""
        same = getattr(value, "maxlen", None) in (self.most, *self.bounds)
        return same and len(value) in self.lengths and self.begins(value)

    def begins(self, value: Any) -> bool:
        """True for a dict that has the first names of those that are known; and for lists."""
        return not isinstance(value, dict) or tuple(value) == self.names[: len(value)]

    @property
    def most(self) -> int | None:
        """Elements that it may have, of a `deque` that drops others; None for any number."""
        return getattr(self.like, "maxlen", None)

    def has(self, key: Any) -> bool:
        """True for the index or the name of an element that is known."""
        return key in self.names if self.names else key < len(self.zeros)

    def place(self, key: Any) -> int:
        """Where an element stands, by its index or its name."""
        return self.names.index(key) if self.names else key

    def key(self, place: int) -> Any:
        """Index or name of an element."""
        return self.names[place] if self.names else place

    def elements(self, value: Sequence | dict) -> list[Any]:
        """The elements of one, and zeros up to the greatest length."""
        value = [*value.values()] if isinstance(value, dict) else [*value]
        self.zeros.extend(map(zeros_like, value[len(self.zeros) :]))
        most = max(self.lengths, default=0)
        while self.zeros and len(self.zeros) < most:
            self.zeros.append(zeros_like(self.zeros[-1]))
        return [*value, *self.zeros[len(value) : most]]

    def resize(self, value: Any, length: int) -> None:
        """Have as many elements, of a list, a queue or a dict."""
        while len(value) > length:
            _ = value.popitem() if isinstance(value, dict) else value.pop()
        names = self.names[len(value) : length]
        more = list(map(zeros_like, self.zeros[len(value) : length]))
        if isinstance(value, dict):
            value.update(zip(names, more, strict=True))
        else:
            value.extend(more)


def zeros_like(value: Any) -> Any:
    """What has the types and shapes of an element, and zeros in it."""
    if isinstance(value, Symbol):
        return np.zeros(value.shape, value.dtype) if value.ndim else value.dtype.type(0)
    if isinstance(value, np.ndarray):
        return np.zeros_like(value)
    if isinstance(value, dict):
        return {name: zeros_like(one) for name, one in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(zeros_like, value))
    if isinstance(value, list | tuple):
        return type(value)(map(zeros_like, value))
    return type(value)(0) if isinstance(value, int | float | np.number | np.bool_) else value
