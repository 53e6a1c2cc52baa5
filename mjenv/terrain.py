"""Terrain for walking robots: square patches, each row harder than the last.

It is one height field, or boxes, which have upright walls where a height field has steep slopes.

Worlds share the terrain, and begin on patches of their own: `places`.
"""

from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import numpy as np

from mjenv import terms
from mjenv.functions import lookup

if TYPE_CHECKING:
    from mjenv.engine.edit.spec import Spec

_FLAT = 0.6  # half the width of where robots begin (m)


class Terrain:
    """A grid of patches on a plain: kinds side by side along y, levels along x.

    Every patch has a flat place in its middle, and is as high as the plain at its edges.

    Attributes:
        heights: (nrow, ncol) above the plain (m), not negative; rows along y, columns along x.
        places: (levels, kinds, 3) middles of the patches (m), where robots begin.
        size: (2,) half the extent along x and y (m).
    """

    def __init__(
        self,
        kinds: Sequence[str | Callable[..., np.ndarray]],
        levels: int = 6,
        width: float = 6.0,
        cell: float = 0.1,
        seed: int = 0,
    ):
        """Generate the heights.

        Args:
            kinds: names of `KINDS`, or functions of the same arguments.
            levels: how many patches of each kind, from easy to hard.
            width: of a patch (m).
            cell: distance between heights (m).
            seed: of what is random.

        Raises:
            ValueError: no kind has this name, or sizes are invalid.
            TypeError: what a function of a kind returns are no heights.
        """
        if isinstance(kinds, str) or not len(kinds):
            raise ValueError(f"Terrain: kinds={kinds!r}, expected some of {list(KINDS)} in a tuple")
        if levels < 1 or not 0.0 < cell <= width / 10.0 or width < 4.0 * _FLAT:
            raise ValueError(
                f"Terrain: found levels={levels}, width={width}, cell={cell}; expected a level at "
                f"least, {4 * _FLAT} m at least, and ten cells or more in them"
            )
        count = round(width / cell)
        # a patch has the heights of its edges, which are those of its neighbours, too
        x = np.linspace(-width / 2, width / 2, count + 1)
        rng = np.random.default_rng(seed)
        self.heights = np.zeros((len(kinds) * count + 1, levels * count + 1))
        self.places = np.zeros((levels, len(kinds), 3))
        self.size = np.array([levels, len(kinds)]) * width / 2
        for i, kind in enumerate(kinds):
            function = _function(kind)
            for level in range(levels):
                hard = (level + 1.0) / levels
                patch = _checked(kind, function(hard, *np.meshgrid(x, x), rng), count + 1)
                rows, columns = slice(i * count, (i + 1) * count + 1), slice(level * count, None)
                self.heights[rows, columns][:, : count + 1] = patch
                middle = np.array([level, i]) * width + width / 2 - self.size
                self.places[level, i] = *middle, patch[count // 2, count // 2]
        self._table = self.heights.reshape(-1)
        for array in (self.heights, self.places, self.size, self._table):
            array.flags.writeable = False

    def add_to(self, spec: "Spec", name: str = "terrain", **geom: Any) -> Any:
        """Put the terrain into a model that is not compiled yet.

        Args:
            spec: the model.
            name: of the height field and of its geom.
            **geom: attributes of the geom, such as `material="floor"`.

        Returns:
            The geom, which stands with the plain at z = 0.
        """
        highest = max(float(self.heights.max()), 1e-3)
        nrow, ncol = self.heights.shape
        spec.asset.add_hfield(
            name=name,
            nrow=nrow,
            ncol=ncol,
            size=(*self.size, highest, 0.1),
            # texts have the uppermost row first
            elevation=self.heights[::-1].reshape(-1).tolist(),
        )
        return spec.worldbody.add_geom(name=name, type="hfield", hfield=name, **geom)

    def add_boxes_to(
        self, spec: "Spec", name: str = "terrain", most: int = 2000, **geom: Any
    ) -> list[Any]:
        """Put the terrain into a model that is not compiled yet, as boxes: for stairs and stones.

        Around each point of the grid, as far as half-way to the next ones, the ground is level:
        its height is what `height` gives. Neighbours of one height share a box.

        Args:
            spec: the model.
            name: of the lowest box, which has the plain on its top, at z = 0.
            most: how many boxes there may be.
            **geom: attributes of all boxes, such as `material="floor"`.

        Returns:
            The boxes' geoms.

        Raises:
            ValueError: there would be more boxes.
        """
        boxes = _rectangles(self.heights)
        if len(boxes) >= most:
            raise ValueError(
                f"Terrain: {len(boxes) + 1} boxes, expected at most {most}; add_to makes a height "
                "field, which is better for much that is small"
            )
        # a cell reaches half-way to its neighbours, so the ground is half a cell larger on each
        # side
        nrow, ncol = self.heights.shape
        cell = 2 * self.size / (ncol - 1, nrow - 1)
        size = (*(self.size + cell / 2), 0.05)
        add = spec.worldbody.add_geom
        geoms = [add(name=name, type="box", size=size, pos=(0, 0, -0.05), **geom)]
        # one box for each rectangle of cells of one height
        for row, column, rows, columns in boxes:
            half = np.array([columns, rows]) * cell / 2
            x, y = (np.array([column, row]) - 0.5) * cell - self.size + half
            high = self.heights[row, column] / 2
            geoms.append(add(type="box", size=(*half, high), pos=(x, y, high), **geom))
        return geoms

    def height(self, x: Any, y: Any) -> Any:
        """Height (...) of the nearest point of the grid under points (m); 0 on the plain.

        Tasks may ask for it in their functions, also where these are compiled.
        """
        nrow, ncol = self.heights.shape
        column = np.rint((np.divide(x, self.size[0]) + 1.0) / 2.0 * (ncol - 1.0))
        row = np.rint((np.divide(y, self.size[1]) + 1.0) / 2.0 * (nrow - 1.0))
        inside = (column >= 0.0) & (column < ncol) & (row >= 0.0) & (row < nrow)
        return np.where(inside, lookup(self._table, row * ncol + column), 0.0)

    def place(self, level: Any, kind: Any) -> np.ndarray:
        """Return positions on patches at which robots begin (m), (..., 3).

        Args:
            level: whole numbers (...) from 0.
            kind: which of the kinds, whole numbers (...) from 0.

        Raises:
            ValueError: there is no such level or kind.
        """
        patch = []
        shape = self.places.shape
        for name, given, count in (("level", level, shape[0]), ("kind", kind, shape[1])):
            number = np.asarray(given)
            right = number.dtype.kind in "iuf" and np.all((number >= 0) & (number < count))
            if not right or np.any(number % 1 != 0):
                raise ValueError(
                    f"Terrain.place: {name} is {given!r}, expected whole numbers from 0 to "
                    f"{count - 1}"
                )
            patch.append(number.astype(int))
        return self.places[patch[0], patch[1]]

    def below(self, qpos: Any, points: Any) -> Any:
        """Return depths of the ground below a free body, at points that turn with it (m), (..., n).

        Args:
            qpos: of the body's free joint, (..., 7).
            points: (2, n), how far ahead of its middle and how far to the left (m).
        """
        along, aside = points
        ahead = terms.rotate(qpos[..., 3:7], np.eye(3)[0])[..., :2]
        ahead = ahead / np.maximum(np.linalg.norm(ahead, axis=-1, keepdims=True), 0.1)
        x = qpos[..., :1] + ahead[..., :1] * along - ahead[..., 1:] * aside
        y = qpos[..., 1:2] + ahead[..., 1:] * along + ahead[..., :1] * aside
        return qpos[..., 2:3] - self.height(x, y)


def next_level(level: Any, up: Any, down: Any, levels: int) -> Any:
    """Levels of the next episodes: one higher where `up`, else one lower where `down`.

    Args:
        level: whole numbers of an array of the task's own (...).
        up: bool (...), where the last episode was a success.
        down: bool (...), where it was a failure.
        levels: how many there are; levels stay from 0 to `levels - 1`.
    """
    return np.clip(level.astype(int) + np.where(up, 1, np.where(down, -1, 0)), 0, levels - 1)


# kinds of patches: how hard it is (0 to 1), points x and y (n, n) from the middle (m), and a
# generator, to heights (n, n)


def slope(hard: float, x: np.ndarray, y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A wall around the middle, of slopes up to 25 degrees, up and down again."""
    return np.tan(np.deg2rad(25.0 * hard)) * _wall(x, y)


def stairs(hard: float, x: np.ndarray, y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Stairs around the middle, up and down again; steps are 0.3 m deep, up to 0.12 m high."""
    return 0.12 * hard * np.ceil(_wall(x, y) / 0.3 - 1e-9)


def rough(hard: float, x: np.ndarray, y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Bumps 0.2 m apart, up to 0.1 m high."""
    side = int((x.max() - x.min()) / 0.2) + 2
    bumps = rng.uniform(0.0, 0.1 * hard, (side, side))
    low = int(np.floor(x.min() / 0.2))
    i, j = (np.floor(a / 0.2).astype(int) - low for a in (y, x))
    return np.where(_wall(x, y) > 0, bumps[i % side, j % side], 0.0)


def stones(hard: float, x: np.ndarray, y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Stepping stones 0.4 m wide, up to 0.1 m high, with gaps up to 0.2 m around."""
    period, near = 0.4 + 0.2 * hard, _wall(x, y)
    stone = ((x % period) < 0.4) & ((y % period) < 0.4)
    middle = np.maximum(np.abs(x), np.abs(y)) <= _FLAT
    return np.where(middle | (stone & (near > 0)), 0.1 * hard, 0.0)


KINDS = {"slope": slope, "stairs": stairs, "rough": rough, "stones": stones}


def _wall(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Distance to the middle's flat place or to the edge of the patch, whichever is nearer."""
    away = np.maximum(np.abs(x), np.abs(y))
    return np.maximum(np.minimum(away - _FLAT, away.max() - away), 0.0)


def _rectangles(heights: np.ndarray) -> list[tuple[int, int, int, int]]:
    """Rectangles of one height above 0: first row, first column, rows, columns.

    From each point that is in none, as many columns as go, and then as many rows.
    """
    nrow, ncol = heights.shape
    free, found = heights > 0.0, []
    for row in range(nrow):
        for column in range(ncol):
            if not free[row, column]:
                continue
            run = free[row, column:] & (heights[row, column:] == heights[row, column])
            columns = len(run) if run.all() else int(run.argmin())
            under = np.s_[row:, column : column + columns]
            below = (free[under] & (heights[under] == heights[row, column])).all(axis=1)
            rows = len(below) if below.all() else int(below.argmin())
            free[row : row + rows, column : column + columns] = False
            found.append((row, column, rows, columns))
    return found


def _function(kind: str | Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    if not isinstance(kind, str) and callable(kind):
        return kind
    if kind not in KINDS:
        near = get_close_matches(str(kind), KINDS, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"expected some of {list(KINDS)}"
        raise ValueError(f"Terrain: no kind {kind!r}; {hint}")
    return KINDS[kind]


def _checked(kind: Any, heights: Any, count: int) -> np.ndarray:
    """Heights as a function of a kind gave them."""
    heights, name = np.asarray(heights), getattr(kind, "__name__", kind)
    if heights.shape != (count, count) or not np.all(heights >= 0.0):
        raise TypeError(
            f"Terrain: {name} gave {heights.dtype} of shape {heights.shape}, expected heights of "
            f"shape {(count, count)}, none below 0"
        )
    return heights
