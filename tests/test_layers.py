"""Folders are layers: imports point down."""

from pathlib import Path

import pytest

from tests import layers


def test_imports_point_down():
    """Also inside functions and for annotations; floors are one list."""
    assert not layers.upward()


def test_every_module_stands_on_a_floor():
    assert {layers.folder_of(path) for path in layers.files()} == set(layers.FLOORS)


def test_an_arrow_upward_is_found(monkeypatch):
    floors = list(layers.FLOORS)
    k = floors.index("engine/run")
    floors[k], floors[k + 1] = floors[k + 1], floors[k]
    monkeypatch.setattr(layers, "FLOORS", tuple(floors))
    assert any("engine/data" in line and "engine/run" in line for line in layers.upward())


def test_annotations_count():
    one, other = Path("engine/run/host.py"), Path("engine/run/plan.py")
    assert (one, other) in layers.arrows()


# folders with circles of more than three modules, and how many these are
CIRCLES = {
    "engine/run": 12,  # a plan, its programs and scratch; models and what reads and checks them
    "engine/model": 10,
    "mjenv/viewing": 4,
}


def test_circles_are_small():
    """Modules that know one another lie in one folder, and are few."""
    for circle in layers.circles(layers.arrows()):
        (folder,) = {path.parent.as_posix() for path in circle}
        assert len(circle) <= CIRCLES.get(folder, 3), circle


def test_circles_are_found():
    pairs = ["ab", "bc", "ca", "cd", "de", "ed", "af", "fg"]
    found = layers.circles((Path(one), Path(other)) for one, other in pairs)
    assert [[str(path) for path in circle] for circle in found] == [["a", "b", "c"], ["d", "e"]]


def test_a_folder_without_floor_is_refused(monkeypatch):
    monkeypatch.setattr(layers, "FLOORS", ("engine/simd",))
    with pytest.raises(LookupError, match="found no floor; add its folder to FLOORS"):
        layers.upward()
