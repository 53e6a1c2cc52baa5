"""A count of calls: a measure of work that other programs on the machine do not change."""

import sys


def calls_of(function) -> int:
    """Count the functions that Python calls in a function."""
    count = 0

    def look(frame, event, what) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(look)
    try:
        function()
    finally:
        sys.setprofile(None)
    return count
