"""Sorting numbers by their keys, by merging runs of growing length."""

from .kernel import kernel


@kernel
def merge_runs(order, spare, key, stride, offset, start, end):
    """Sort some of an order; of equal keys, the order stays.

    Args:
        order: numbers; `order[start:end]` is sorted.
        spare: as long, to be overwritten.
        key: the key of number n is `key[stride * n + offset]`; what is no number stays in front of
            what it is compared with.
        stride, offset: where keys lie.
        start, end: what to sort.
    """
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
