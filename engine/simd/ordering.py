"""Sorting numbers by their keys: by insertion where they are nearly sorted, else by merging.

In both, numbers of equal keys keep their order, and a key that is no number stays in front of what
it is compared with.
"""

from .kernel import kernel

MOVES = 16  # steps per number of the sort that expects them to be nearly sorted


@kernel
def sort_order(order, spare, key, stride, offset, start, end):
    """Sort numbers that may be nearly sorted, as what changes little from step to step is.

    Args:
        order: numbers; `order[start:end]` is sorted.
        spare: as long, to be overwritten.
        key: the key of number n is `key[stride * n + offset]`.
        stride, offset: where keys lie.
        start, end: what to sort.
    """
    left = MOVES * (end - start)
    for i in range(start + 1, end):
        number = order[i]
        value, k = key[stride * number + offset], i
        while k > start and key[stride * order[k - 1] + offset] > value:
            order[k] = order[k - 1]
            k -= 1
        order[k] = number
        left -= i - k
        if left < 0:
            merge_runs(order, spare, key, stride, offset, start, end)
            return


@kernel
def merge_runs(order, spare, key, stride, offset, start, end):
    """Sort numbers by merging runs of growing length; arguments are those of `sort_order`."""
    run = 1
    while run < end - start:
        for first in range(start, end, 2 * run):
            middle, last = min(first + run, end), min(first + 2 * run, end)
            i, j = first, middle
            for k in range(first, last):
                second = i == middle
                if i < middle and j < last:
                    one, other = order[i], order[j]
                    second = key[stride * other + offset] < key[stride * one + offset]
                if second:
                    spare[k] = order[j]
                    j += 1
                else:
                    spare[k] = order[i]
                    i += 1
        for k in range(start, end):
            order[k] = spare[k]
        run = 2 * run
