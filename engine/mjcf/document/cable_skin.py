"""The skin of a cable with boxes: a strip on both sides, that the bodies carry."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ..text.element import Element
from ..text.schema import kinds

if TYPE_CHECKING:
    from .composite import Cable


def cable_skin(cable: "Cable") -> Element:
    """The skin of a cable: a grid of vertices across its bodies, which are its bones."""
    # vertices across and between the bodies, whose number `subgrid` sets
    values, size = cable.parts["skin"], (*cable.parts["geom"]["size"], 0.0, 0.0)[:3]
    across, between = (3, values["subgrid"]) if values["subgrid"] > 0 else (2, 0)
    number = len(cable.points)
    rows, columns = number + (number - 1) * between, across + (across - 1) * between
    # texture coordinates in single precision, once for each side
    texcoord = ()
    if values["texcoord"] == "true":
        one = [
            x
            for i in range(rows)
            for j in range(columns)
            for x in (np.float32(i) / np.float32(rows - 1), np.float32(j) / np.float32(columns - 1))
        ]
        texcoord = tuple(map(float, one * 2))
    skin = cable.element.like(
        kinds()["deformable/skin"],
        name=f"{cable.values['prefix']}Skin",
        vertex=(0.0,) * (6 * rows * columns),
        face=tuple(_faces(rows, columns)),
        inflate=2 * size[2],
        rgba=values["rgba"],
        group=values["group"],
    )
    if texcoord:
        skin.values["texcoord"] = texcoord
    if values.get("material"):
        skin.values["material"] = values["material"]
    # each vertex belongs to a body, or to several between bodies with smooth weights
    if between:
        carried = _smooth(number, across, between, rows * columns)
    else:
        half = rows * columns
        carried = {k: ([k, half + k], [1.0, 1.0]) for k in range(number * across)}
    for k in range(number * across):
        skin.children.append(_bone(cable, size, k // across, k % across, across, carried[k]))
    return skin


def _faces(rows: int, columns: int) -> list[int]:
    """Triangles of both sides of a grid of vertices, then of its rim."""
    half, faces = rows * columns, []

    def at(i: int, j: int, side: int = 0) -> int:
        return side * half + i * columns + j

    for side in range(2):
        for i in range(rows - 1):
            for j in range(columns - 1):
                faces += [at(i, j, side), at(i + 1, j + side, side), at(i + 1, j + 1 - side, side)]
                faces += [at(i, j, side), at(i + 1 - side, j + 1, side), at(i + side, j + 1, side)]
    end, last = columns - 1, rows - 1
    for i in range(last):
        faces += [at(i, 0), at(i + 1, 0, 1), at(i + 1, 0), at(i, 0), at(i, 0, 1), at(i + 1, 0, 1)]
    for i in range(last):
        faces += [at(i, end), at(i + 1, end), at(i + 1, end, 1)]
        faces += [at(i, end), at(i + 1, end, 1), at(i, end, 1)]
    for j in range(end):
        faces += [at(0, j), at(0, j + 1), at(0, j + 1, 1), at(0, j), at(0, j + 1, 1), at(0, j, 1)]
    for j in range(end):
        faces += [at(last, j), at(last, j + 1, 1), at(last, j + 1)]
        faces += [at(last, j), at(last, j, 1), at(last, j + 1, 1)]
    return faces


def _bone(cable: "Cable", size: tuple, row: int, column: int, across: int, carried: Any) -> Element:
    """The bone of one point of the strip."""
    number = len(cable.points)
    end = "first" if row == 0 else "last" if row >= number - 2 else str(row)
    side = 0.0 if across == 3 and column == 1 else -size[1] if column == 0 else size[1]
    return cable.element.like(
        kinds()["deformable/skin/bone"],
        body=f"{cable.values['prefix']}B_{end}",
        bindpos=(-2 * size[0] if row == number - 1 else 0.0, side, 0.0),
        bindquat=(1.0, 0.0, 0.0, 0.0),
        vertid=tuple(carried[0]),
        vertweight=tuple(carried[1]),
    )


# ---------------------------------------------------------------- bicubic interpolation

# coefficients of a cubic between 0 and 1, from its values and slopes at 0 and 1
CUBIC = ((1, 0, 0, 0), (0, 0, 1, 0), (-3, 3, -2, -1), (2, -2, 1, 1))
CORNERS = ((0, 0), (1, 0), (1, 1), (0, 1))  # of a square


def _smooth(number: int, across: int, between: int, half: int) -> dict[int, tuple[list, list]]:
    """Vertices that each bone carries, and their weights, by bicubic interpolation of the bones.

    Derivatives at the bones are central differences, one-sided ones at the rim.
    """
    carried = {k: ([], []) for k in range(number * across)}
    fraction, columns = 1 + between, across + (across - 1) * between
    patches: dict[tuple, list[list[float]]] = {}
    for i in range(number - 1):
        for j in range(across - 1):
            rims = (_rim(i, number), _rim(j, across))
            patches.setdefault(rims, _patch(fraction, *rims))
            for p in range(fraction + (i == number - 2)):
                for q in range(fraction + (j == across - 2)):
                    vertex = (i * fraction + p) * columns + j * fraction + q
                    for k, weight in enumerate(patches[rims][p * (fraction + 1) + q]):
                        if weight:
                            bone = (i + k // 4 - 1) * across + j + k % 4 - 1
                            vertices, weights = carried[bone]
                            vertices += [vertex, half + vertex]
                            weights += [float(np.float32(weight))] * 2
    return carried


def _rim(k: int, number: int) -> int:
    """Position of interval k: 0 at the first end, 2 at the last one, 1 between."""
    return 0 if k == 0 else 2 if k == number - 2 else 1


def _patch(fraction: int, rim: int, other: int) -> list[list[float]]:
    """Weights of 4 times 4 bones for the vertices of the square in their middle, row by row."""
    step = 1.0 / fraction
    powers = [_powers(p * step, q * step) for p in range(fraction + 1) for q in range(fraction + 1)]
    coefficients = _product(powers, _coefficients())
    return _product(coefficients, _differences(rim, other))


def _powers(x: float, y: float) -> list[float]:
    """x^i y^j, i before j."""
    of_x, of_y = (1.0, x, x * x, x * x * x), (1.0, y, y * y, y * y * y)
    return [a * b for a in of_x for b in of_y]


def _coefficients() -> list[list[float]]:
    """Coefficients of a bicubic patch from values, two slopes and twists at its corners."""
    return [
        [
            float(CUBIC[i][x + 2 * along] * CUBIC[j][y + 2 * over])
            for over, along in ((0, 0), (0, 1), (1, 0), (1, 1))
            for x, y in CORNERS
        ]
        for i in range(4)
        for j in range(4)
    ]


def _differences(rim: int, other: int) -> list[list[float]]:
    """Values, two slopes and twists at the corners, from 4 times 4 bones."""
    return [
        [
            a * b
            for a in (_slope(x, rim) if along else _value(x))
            for b in (_slope(y, other) if over else _value(y))
        ]
        for over, along in ((0, 0), (0, 1), (1, 0), (1, 1))
        for x, y in CORNERS
    ]


def _value(corner: int) -> list[float]:
    return [1.0 if k == corner + 1 else 0.0 for k in range(4)]


def _slope(corner: int, rim: int) -> list[float]:
    """Difference quotient at a corner from four bones in a row."""
    if (rim, corner) in ((0, 0), (2, 1)):
        return [0.0, -1.0, 1.0, 0.0]
    return [0.5 * (k == corner + 2) - 0.5 * (k == corner) for k in range(4)]


def _product(a: list[list[float]], b: list[list[float]]) -> list[list[float]]:
    """Matrix product, rounded after every number, as `sum` is not from Python 3.12 on."""
    found = []
    for row in a:
        total = [0.0] * len(b[0])
        for x, other in zip(row, b, strict=True):
            if x:
                total = [t + x * y for t, y in zip(total, other, strict=True)]
        found.append(total)
    return found
