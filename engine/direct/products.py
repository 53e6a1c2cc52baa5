"""Products of small matrices, added up in the order of the index as those of `products.py`.

numpy's `@` adds in an order that depends on the processor, and a sum of numpy's products takes ten
calls. Here the factors are copied to a record, which each thread has of its own, and one kernel
multiplies them.
"""

import threading
from typing import NamedTuple

import numpy as np

from ..simd.kernel import kernel
from .call import Direct


@kernel
def multiply_matrices(c):
    """Tell the product of two matrices, given one after the other; ask: rows, inner, columns."""
    rows, inner, columns = c.ask[0], c.ask[1], c.ask[2]
    start = rows * inner
    for i in range(rows):
        for j in range(columns):
            c.told[i * columns + j] = c.given[i * inner] * c.given[start + j]
        for k in range(1, inner):
            factor = c.given[i * inner + k]
            for j in range(columns):
                term = factor * c.given[start + k * columns + j]
                c.told[i * columns + j] = c.told[i * columns + j] + term


class Product(NamedTuple):
    """The kernel, for matrices of some shapes.

    Attributes:
        run: computes `result` from `left` and `right`.
        left, right, result: the matrices, or vectors where their shape is one of a vector.
    """

    run: Direct
    left: np.ndarray
    right: np.ndarray
    result: np.ndarray


class _Known(threading.local):
    """Products of each thread, by the shapes of their factors."""

    def __init__(self) -> None:
        self.products: dict[tuple[int, ...], Product] = {}


_known = _Known()


def multiply(a: np.ndarray, b: np.ndarray, out: np.ndarray) -> None:
    """Write the product a b of two matrices, or of a matrix and a vector, to `out`.

    Args:
        a: (n, k).
        b: (k, m) or (k,).
        out: (n, m) or (n,); it may be one of the others.
    """
    if not a.shape[1]:
        out[...] = 0.0
        return
    found = _known.products.get(a.shape + b.shape) or _new(a.shape, b.shape)
    found.left[...] = a
    found.right[...] = b
    found.run.run()
    out[...] = found.result


def _new(left: tuple[int, ...], right: tuple[int, ...]) -> Product:
    rows, inner = left
    columns = right[1] if len(right) == 2 else 1
    size = rows * inner
    run = Direct(multiply_matrices, (), (), size + inner * columns, rows * columns)
    run.ask[:3] = rows, inner, columns
    given, result = run.given, run.told.reshape(rows, *right[1:])
    product = Product(run, given[:size].reshape(left), given[size:].reshape(right), result)
    _known.products[left + right] = product
    return product
