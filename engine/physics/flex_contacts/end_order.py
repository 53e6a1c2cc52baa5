"""Ends of boxes in order: by their values, equal ones by their numbers.

They are shared out among as many buckets as there are ends, and the few of a bucket are merged.
"""

from ...simd.kernel import kernel
from ...simd.lanes import floor


@kernel
def order_ends(d, n):
    """Order of n ends.

    Reads: end_value.
    Writes: end_order, end_next, end_bucket, end_first.
    """
    share_out(d, n)
    # the buckets one after the other, each in the order of the numbers
    start = 0
    for bucket in range(n):
        count = d.end_first[bucket]
        d.end_first[bucket] = start
        start += count
    for i in range(n):
        bucket = d.end_bucket[i]
        d.end_order[d.end_first[bucket]] = i
        d.end_first[bucket] += 1
    # where a bucket's last one has been put, the next begins
    start = 0
    for bucket in range(n):
        end = d.end_first[bucket]
        if end > start + 1:
            merge_runs(d, start, end)
        start = end


@kernel
def share_out(d, n):
    """The bucket of each end, larger for larger values, and how many ends each bucket has."""
    low, high = d.end_value[0], d.end_value[0]
    for i in range(1, n):
        low, high = min(low, d.end_value[i]), max(high, d.end_value[i])
    scale = 0.0
    if high - low > 0.0:
        scale = n / (high - low)
    for bucket in range(n):
        d.end_first[bucket] = 0
    for i in range(n):
        place, bucket = floor((d.end_value[i] - low) * scale), 0
        # what is no number is put first
        if place > 0.0:
            bucket = int(min(place, n - 1.0))
        d.end_bucket[i] = bucket
        d.end_first[bucket] += 1


@kernel
def merge_runs(d, start, end):
    """Order some of the ends, by merging runs of growing length; equal ones keep theirs."""
    run = 1
    while run < end - start:
        for first in range(start, end, 2 * run):
            middle, last = min(first + run, end), min(first + 2 * run, end)
            i, j = first, middle
            for k in range(first, last):
                second = i == middle
                if i < middle and j < last:
                    second = d.end_value[d.end_order[j]] < d.end_value[d.end_order[i]]
                if second:
                    d.end_next[k] = d.end_order[j]
                    j += 1
                else:
                    d.end_next[k] = d.end_order[i]
                    i += 1
        for k in range(start, end):
            d.end_order[k] = d.end_next[k]
        run = 2 * run
