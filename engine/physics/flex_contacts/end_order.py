"""Ends of boxes in order: by their values, equal ones by their numbers.

They are shared out among as many buckets as there are ends, and the few of a bucket are merged.
"""

from ...simd.kernel import kernel
from ...simd.lanes import floor
from ...simd.ordering import merge_runs


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
            merge_runs(d.end_order, d.end_next, d.end_value, 1, 0, start, end)
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
