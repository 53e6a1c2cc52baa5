"""Kernels of meshes give the bits of the functions in Python whose place they take."""

import numpy as np
import pytest

from mjenv.engine.mjcf.assets import compiled
from mjenv.engine.mjcf.assets.mesh_hull import hull
from mjenv.engine.mjcf.assets.mesh_inertia import body
from mjenv.engine.mjcf.assets.mesh_normals import smooth
from mjenv.engine.mjcf.assets.mesh_tree import tree, tree_of_boxes
from mjenv.engine.mjcf.assets.obj_files import ObjError, read_obj

FORMATS = ("%.6f", "%.17g", "%.3e", "%+.2f", "%g", "%.25f", "%.0f.", "%.1E", "%.40f")
# words that are no plain numbers
UNUSUAL = (
    "1e", "0x1p-2", "inf", "-nan", "1.5f", "--1", ".", "1e999", "-1e-999", "+", "1.2.3", "\v2",
    "7,5", "1e+", "00012", "-0", "1" * 40, "." + "0" * 320 + "1",
)  # fmt: skip
# between two numbers of single precision, and a little more: one ulp of a double decides
HALFWAY = ("1.000000059604644775390625", "1.0000000596046447", "16777217", "16777217.000000001")


@pytest.fixture
def both(monkeypatch):
    """Runs a function with kernels, then without them."""

    def run(function, *args):
        monkeypatch.setattr(compiled, "FEW", 1)
        monkeypatch.setattr(compiled, "MANY", 1)
        found = function(*args)
        monkeypatch.setattr(compiled, "FEW", 10**9)
        return found, function(*args)

    return run


@pytest.mark.parametrize("grid", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("count", [1, 2, 7, 60, 900])
def test_trees(both, count, grid):
    """Also of triangles without area, and of many with the same centre."""
    rng = np.random.default_rng(count)
    points = rng.normal(size=(count + 2, 3))
    if grid:
        points = np.round(points / grid) * grid
    faces = rng.integers(0, len(points), (count, 3))
    with np.errstate(all="ignore"):
        for found, expected in (
            both(tree, points, faces),
            both(tree_of_boxes, points[:count] - 0.1, points[:count] + 0.1, points[:count]),
        ):
            for a, b in zip(found, expected, strict=True):
                np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("everywhere", [True, False])
def test_normals(both, everywhere):
    rng = np.random.default_rng(6)
    points, faces = rng.normal(size=(80, 3)), rng.integers(0, 80, (700, 3))
    found, expected = both(smooth, points, faces, everywhere)
    assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("mode", ["convex", "exact", "legacy", "shell"])
def test_inertia(both, mode):
    """Also with triangles without area."""
    points = np.random.default_rng(7).normal(size=(300, 3))
    convex = hull(None, points)
    flat = [[0, 0, 1], [2, 2, 2]]
    faces = np.concatenate([convex.faces[:9], flat, convex.faces[9:]])
    found, expected = both(body, None, points, faces, convex, mode)
    assert found == expected


def words(rng: np.random.Generator, count: int, odd: float) -> list[str]:
    numbers = rng.normal(size=count) * 10.0 ** rng.integers(-12, 12, count)
    forms = rng.integers(0, len(FORMATS), count)
    plain = [FORMATS[form] % number for form, number in zip(forms, numbers, strict=True)]
    others = UNUSUAL + HALFWAY
    return [others[rng.integers(len(others))] if rng.random() < odd else word for word in plain]


@pytest.mark.parametrize("odd", [0.0, 0.02])
def test_numbers_of_obj_files(both, odd):
    """Words of all kinds, in lines with too few and too many of them."""
    rng = np.random.default_rng(3)
    lines = [
        "v " + " " * int(rng.integers(3)) + " ".join(words(rng, int(rng.integers(1, 6)), odd))
        for _ in range(4000)
    ]
    text = "\n".join([*lines, "f 1 2 3"]).encode()
    found, expected = both(read_obj, text)
    assert found.vertices.tobytes() == expected.vertices.tobytes()
    plain = [line for line in lines if len(line.split()) > 3]
    if not odd:
        numbers = np.array([[float(word) for word in line.split()[1:4]] for line in plain])
        rows = [k for k, line in enumerate(lines) if len(line.split()) > 3]
        np.testing.assert_array_equal(found.vertices[rows], numbers.astype(np.float32))


@pytest.mark.parametrize("form", ["{0}", "{0}/{1}", "{0}//{2}", "{0}/{1}/{2}", "mixed"])
def test_corners_of_obj_files(both, form):
    rng = np.random.default_rng(4)
    forms = ("{0}", "{0}/{1}", "{0}//{2}", "{0}/{1}/{2}")
    lines = [f"v {x} {y} {z}" for x, y, z in rng.normal(size=(99, 3))]
    for _ in range(300):
        places = rng.integers(1, 100, (int(rng.integers(1, 6)), 3)).tolist()
        chosen = [form if form in forms else forms[rng.integers(4)] for _ in places]
        corners = [f.format(*p) for f, p in zip(chosen, places, strict=True)]
        lines.append("f " + (" " * int(rng.integers(1, 3))).join(corners) + " " * (len(lines) % 2))
    found, expected = both(read_obj, "\n".join(lines).encode())
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(a, b)
    assert len(found.corners) > 200


@pytest.mark.parametrize(
    "word", ["0", "1/0", "-1", "+2", "1/2/", "x", "1a", "4294967297", "1/", "1///2"]
)
def test_unusual_corners_of_obj_files(both, word):
    """Those that count from the end, and what is refused, are left to Python."""
    lines = ["v 0 0 0", "v 1 0 0", "v 0 1 0", *["f 1 2 3"] * 60, f"f 1 2 {word}"]

    def outcome(text: bytes):
        try:
            return read_obj(text).corners.tolist()
        except ObjError as error:
            return str(error)

    found, expected = both(outcome, "\n".join(lines).encode())
    assert found == expected
