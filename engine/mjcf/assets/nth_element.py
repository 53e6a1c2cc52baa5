"""Selection of a median as the C++ library does it (libc++'s `std::nth_element`).

Triangles without area have no circumcentre. Where one of them is compared with another triangle
their numbers decide, which makes no order, so that the halves depend on the algorithm.
"""

from typing import Any

from ..geometry.pose import EPS

SMALL = 7  # up to this many items are sorted


def less(a: tuple, b: tuple) -> bool:
    """True if a key is less than another; the numbers of items decide where they hardly differ."""
    return a[0] < b[0] if abs(a[0] - b[0]) > EPS else a[1] < b[1]


def select(items: list, nth: int) -> None:
    """Move the items in place until the one at place `nth` is where sorting would put it."""
    first, last = 0, len(items)
    while first < last and nth < last:
        # few items are sorted
        size = last - first
        if size <= SMALL:
            _sort_few(items, first, last)
            return
        # median of three as pivot
        middle = first + size // 2
        swaps = _sort_three(items, first, middle, last - 1)
        low, high = first, last - 1
        # the first item is not less than the pivot: something less must be put there, or all are
        # equal
        if not less(items[low], items[middle]):
            high = _last_less(items, low, high, items[middle])
            if high == low:
                start = _skip_equal(items, first, last)
                if start is None or nth < start:
                    return
                first = start
                continue
            items[low], items[high] = items[high], items[low]
            swaps += 1
        # partition around the pivot
        low, middle, more = _partition(items, low + 1, high, middle, last)
        swaps += more
        if low != middle and less(items[middle], items[low]):
            items[low], items[middle] = items[middle], items[low]
            swaps += 1
        # go on in the side that has place `nth`
        if nth == low:
            return
        part = (first, low) if nth < low else (low, last)
        if not swaps and _is_sorted(items, *part):
            return
        first, last = (first, low) if nth < low else (low + 1, last)


def _sort_few(items: list, first: int, last: int) -> None:
    """Sort up to seven items: three by hand, more by selection."""
    if last - first == 3:
        _sort_three(items, first, first + 1, last - 1)
        return
    for k in range(first, last - 1):
        least = k
        for i in range(k + 1, last):
            if less(items[i], items[least]):
                least = i
        if least != k:
            items[k], items[least] = items[least], items[k]


def _sort_three(items: list, a: int, b: int, c: int) -> int:
    """Sort the items at three places; returns the number of swaps."""
    if not less(items[b], items[a]):
        if not less(items[c], items[b]):
            return 0
        items[b], items[c] = items[c], items[b]
        if not less(items[b], items[a]):
            return 1
        items[a], items[b] = items[b], items[a]
        return 2
    if less(items[c], items[b]):
        items[a], items[c] = items[c], items[a]
        return 1
    items[a], items[b] = items[b], items[a]
    if not less(items[c], items[b]):
        return 1
    items[b], items[c] = items[c], items[b]
    return 2


def _last_less(items: list, low: int, high: int, pivot: Any) -> int:
    """The last place between two with an item less than a pivot; the lower one if there is none."""
    high -= 1
    while high != low and not less(items[high], pivot):
        high -= 1
    return high


def _skip_equal(items: list, first: int, last: int) -> int | None:
    """Move items equal to the first one, the least, to the front; returns where others start."""
    low, high = first + 1, last - 1
    if not less(items[first], items[high]):
        while True:
            if low == high:
                return None
            low += 1
            if less(items[first], items[low - 1]):
                items[low - 1], items[high] = items[high], items[low - 1]
                break
    if low == high:
        return None
    while True:
        while low < last and not less(items[first], items[low]):
            low += 1
        high -= 1
        while high > first and less(items[first], items[high]):
            high -= 1
        if low >= high:
            return low
        items[low], items[high] = items[high], items[low]
        low += 1


def _partition(items: Any, low: int, high: int, middle: int, last: int) -> tuple:
    """Bring items less than the one in the middle before the others.

    Most comparisons are made here, so they are written out.

    Returns:
        Where the others start, where the middle one is now, the number of swaps.
    """
    swaps = 0
    if low >= high:
        return low, middle, swaps
    pivot, number = items[middle]
    while True:
        while low < last:
            key, own = items[low]
            gap = key - pivot
            if not (gap < 0.0 if gap > EPS or gap < -EPS else own < number):
                break
            low += 1
        high -= 1
        while high > 0:
            key, own = items[high]
            gap = key - pivot
            if gap < 0.0 if gap > EPS or gap < -EPS else own < number:
                break
            high -= 1
        if low >= high:
            return low, middle, swaps
        items[low], items[high] = items[high], items[low]
        swaps += 1
        # the middle one may have moved
        middle = high if middle == low else middle
        low += 1


def _is_sorted(items: list, first: int, last: int) -> bool:
    return not any(less(items[k + 1], items[k]) for k in range(first, last - 1))
