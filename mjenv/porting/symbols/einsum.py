"""`numpy.einsum` of arrays of any kind, by products and sums: how it is recorded."""

from typing import Any

import numpy as np

from mjenv.tracing.arrays import TraceError

_OTHER_AXES = "ZYXWVUTSRQPONMLKJIHGFEDCBA"  # letters for axes under an ellipsis, from the last


def einsum(subscripts: str, *operands: Any, **options: Any) -> Any:
    """Products of arrays summed over letters that the result lacks."""
    if options.keys() - {"optimize"}:
        raise TraceError(f"found numpy.einsum with {', '.join(options)}, which cannot be traced")
    letters, wanted = _letters(subscripts, operands)
    if any("." in one or len(set(one)) < len(one) for one in letters):
        raise TraceError(f"found numpy.einsum({subscripts!r}), which cannot be traced")
    summed = [c for c in dict.fromkeys("".join(letters)) if c not in wanted]
    order = [*wanted, *summed]
    # each with all axes in the same order, of length 1 where it has none of its own
    found: Any = None
    for names, x in zip(letters, operands, strict=True):
        kept = [c for c in order if c in names]
        x = np.transpose(x, [names.index(c) for c in kept])
        x = x[tuple(slice(None) if c in names else None for c in order)]
        found = x if found is None else found * x
    if not summed:
        return found
    return np.sum(found, axis=tuple(range(len(wanted), len(order))))


def _letters(subscripts: str, operands: tuple[Any, ...]) -> tuple[list[str], str]:
    """Letters of the axes of each operand, and of the result."""
    given, arrow, wanted = subscripts.replace(" ", "").partition("->")
    letters = given.split(",")
    if not arrow:
        # numpy's rule: letters that are there once, in the order of the alphabet
        once = [c for c in sorted(set(given) - {",", "."}) if given.count(c) == 1]
        wanted = ("..." if "..." in given else "") + "".join(once)
    if "..." not in given or any(c.isupper() for c in given):
        return letters, wanted
    # other axes, counted from the last of them, as capital letters of their own
    more = [
        np.ndim(x) - len(names.replace("...", ""))
        for names, x in zip(letters, operands, strict=True)
    ]
    axes = _OTHER_AXES[: max(more)][::-1]
    letters = [
        names.replace("...", axes[len(axes) - n :]) for names, n in zip(letters, more, strict=True)
    ]
    return letters, wanted.replace("...", axes)
