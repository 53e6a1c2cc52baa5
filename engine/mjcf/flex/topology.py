"""Topology of deformables: edges, border, layers, pairs of elements that may collide."""

from typing import NamedTuple

import numpy as np

# places of the ends of edges, and of the vertices of sides, in an element, by its dimension
EDGES = {
    1: ((0, 1),),
    2: ((1, 2), (2, 0), (0, 1)),
    3: ((0, 1), (1, 2), (2, 0), (2, 3), (0, 3), (1, 3)),
}
SIDES = {
    1: ((0,), (1,)),
    2: ((0, 1), (1, 2), (2, 0)),
    3: ((0, 1, 2), (0, 2, 3), (0, 3, 1), (1, 3, 2)),
}


class Edges(NamedTuple):
    """Edges in the order in which elements have them.

    Attributes:
        ends: two vertices, the lower first, (n, 2).
        of_elements: edges of each element, (e, edges of an element).
        flaps: two vertices of each edge in the order of its first triangle, and those opposite to
            it in that triangle and in another one; -1: none, (n, 4). Only of triangles.
    """

    ends: np.ndarray
    of_elements: np.ndarray
    flaps: np.ndarray


def edges(elements: np.ndarray, dim: int) -> Edges:
    """The edges of elements.

    Args:
        elements: vertices of each element, (e, dim + 1).
        dim: 1, 2 or 3.
    """
    sides = elements[:, np.array(EDGES[dim])].reshape(-1, 2)
    pairs = np.sort(sides, axis=1)
    _, first, place = np.unique(pairs, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    number = rank[place.ravel()]
    first = first[order]
    flaps = np.full((len(order), 4), -1)
    if dim == 2:
        opposite = elements.ravel()
        flaps[:, :2], flaps[:, 2] = sides[first], opposite[first]
        later = np.ones(len(sides), bool)
        later[first] = False
        flaps[number[later], 3] = opposite[later]
    return Edges(pairs[first], number.reshape(len(elements), -1), flaps)


class Border(NamedTuple):
    """Border of a deformable, and neighbours on it.

    Attributes:
        shell: sides of only one element, (n, dim) vertices.
        layers: how many elements lie between an element and the border, (e,); 0 without volume.
        pairs: an element beside the border, and the vertex of its neighbour that it may meet,
            (n, 2); none with volume.
    """

    shell: np.ndarray
    layers: np.ndarray
    pairs: np.ndarray


def border(elements: np.ndarray, dim: int) -> Border:
    """The border of elements.

    Args:
        elements: vertices of each element, (e, dim + 1).
        dim: 1, 2 or 3.
    """
    count = len(elements)
    places = np.array(SIDES[dim])
    sides = elements[:, places].reshape(-1, dim)
    owners = np.repeat(np.arange(count), len(places))
    sorted_sides = np.sort(sides, axis=1)
    order = np.lexsort((owners, *sorted_sides.T[::-1]))
    keys, sides, owners = sorted_sides[order], sides[order], owners[order]
    # neighbours share a side
    same = (keys[1:] == keys[:-1]).all(axis=1)
    alone = ~(np.append(same, False) | np.append(False, same))
    one, two = owners[:-1][same], owners[1:][same]
    outer = np.zeros(count, bool)
    outer[owners[alone]] = True
    layers = np.zeros(count, int)
    pairs = np.zeros((0, 2), int)
    if dim == 3:
        layers = _layers(outer, one, two)
    else:
        met = outer[one] | outer[two]
        pairs = _pairs(elements, one[met], two[met], keys[1:][same][met])
    return Border(sides[alone], layers, pairs)


def _layers(outer: np.ndarray, one: np.ndarray, two: np.ndarray) -> np.ndarray:
    """Steps over neighbours from each element to the border."""
    layers = np.where(outer, 0, len(outer) + 1)
    while True:
        before = layers.copy()
        np.minimum.at(layers, one, before[two] + 1)
        np.minimum.at(layers, two, before[one] + 1)
        if np.array_equal(before, layers):
            return layers


def _pairs(
    elements: np.ndarray, one: np.ndarray, two: np.ndarray, shared: np.ndarray
) -> np.ndarray:
    """For neighbours, each with the vertex of the other that is not shared, (2 n, 2)."""
    rows = []
    for mine, other in ((one, two), (two, one)):
        corners = elements[mine]
        free = ~(corners[:, :, None] == shared[:, None, :]).any(axis=2)
        vertex = corners[np.arange(len(corners)), free.argmax(axis=1)]
        rows.append(np.stack([other, vertex], axis=1))
    return np.stack(rows, axis=1).reshape(-1, 2)
