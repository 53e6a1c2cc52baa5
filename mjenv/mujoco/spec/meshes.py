"""Meshes, and the shapes that they can be given."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from mjenv.engine.mjcf.assets.mesh_shapes import SHAPES
from mjenv.mujoco.enumerations import enumeration
from mjenv.mujoco.spec.elements import Classed
from mjenv.mujoco.words.explain import SpecError

_RESOLUTION = "Horizontal and vertical resolutions must be positive"
# what is wrong with a parameter, by its shape and place: below, or above, in MuJoCo's words
_WRONG = {
    ("sphere", 0): ("Sphere subdivision cannot be negative",
                    "Sphere subdivision cannot be greater than 4"),
    ("hemisphere", 0): ("Hemisphere resolution cannot be negative",
                        "Hemisphere resolution cannot be greater than 10"),
    ("supersphere", 0): ("Supersphere resolution must be greater than 2", ""),
    ("supersphere", 1): ("Supersphere 'e' cannot be negative", ""),
    ("supersphere", 2): ("Supersphere 'n' cannot be negative", ""),
    ("supertorus", 0): ("Supertorus resolution must be greater than 3", ""),
    ("supertorus", 1): ("Supertorus radius must be in (0, 1]",) * 2,
    ("supertorus", 2): ("Supertorus 's' must be greater than 0", ""),
    ("supertorus", 3): ("Supertorus 't' must be greater than 0", ""),
    ("wedge", 0): (_RESOLUTION, ""),
    ("wedge", 1): (_RESOLUTION, ""),
    ("wedge", 2): ("fov[0] must be a float between (0, 180] degrees",) * 2,
    ("wedge", 3): ("`fov[1]` must be a float between (0, 90] degrees",) * 2,
    ("wedge", 4): ("`gamma` must be a nonnegative float between [0, 1]",) * 2,
    ("plate", 0): (_RESOLUTION, ""),
    ("plate", 1): (_RESOLUTION, ""),
}  # fmt: skip


class MjsMesh(Classed):
    """A mesh."""

    _kind = _structure = "mesh"

    def _make(self, shape: str, *numbers: float) -> None:
        """Take the vertices, triangles and normals of a shape, as far as it has them."""
        make, parameters = SHAPES[shape]
        order = range(len(numbers)) if shape != "wedge" else (2, 3, 0, 1, 4)
        for place in order:
            _, _, low, high, above = parameters[place]
            number, words = numbers[place], _WRONG.get((shape, place), ("", ""))
            if number < low or (above and number == low):
                raise SpecError(words[0] or f"{shape}: {number} is too small")
            if number > high:
                raise SpecError(words[1])
        vertices, faces, normals = make(*numbers)
        own = self.__dict__
        own["uservert"] = np.asarray(vertices).astype(np.float32).reshape(-1)
        if len(faces):
            own["userface"] = np.asarray(faces, np.int32).reshape(-1)
        if len(normals):
            own["usernormal"] = np.asarray(normals).astype(np.float32).reshape(-1)
        if shape == "plate":
            own["inertia"] = enumeration("mjtMeshInertia").mjMESH_INERTIA_SHELL

    def make_wedge(
        self, resolution: Sequence[int] = (0, 0), fov: Sequence[float] = (0, 0), gamma: float = 0
    ) -> None:
        """Part of a sphere as seen from its centre.

        Args:
            resolution: vertices in azimuth and elevation.
            fov: half angles that they cover (degrees).
            gamma: how much closer they are in the middle, 0 to 1.
        """
        self._make("wedge", *map(int, resolution), *map(float, fov), gamma)

    def make_sphere(self, subdivision: int) -> None:
        """An icosahedron whose triangles are cut into four, some times."""
        self._make("sphere", _whole(subdivision))

    def make_hemisphere(self, resolution: int) -> None:
        """Half a sphere, of so many rows of triangles."""
        self._make("hemisphere", _whole(resolution))

    def make_cone(self, nedge: int, radius: float) -> None:
        """A polygon and a point above it, or another polygon of this radius."""
        self._make("cone", _whole(nedge), radius)

    def make_supersphere(self, resolution: int, e: float, n: float) -> None:
        """A superellipsoid."""
        self._make("supersphere", _whole(resolution), e, n)

    def make_supertorus(self, resolution: int, radius: float, s: float, t: float) -> None:
        """A supertoroid."""
        self._make("supertorus", _whole(resolution), radius, s, t)

    def make_plate(self, resolution: Sequence[int] = (0, 0)) -> None:
        """A square of so many vertices along each side."""
        self._make("plate", *map(int, resolution))


def _whole(value: Any) -> int:
    if isinstance(value, float):
        raise TypeError(f"expected a whole number, found {value}")
    return int(value)
