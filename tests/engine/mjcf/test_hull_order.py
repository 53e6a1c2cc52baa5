"""Neighbours of a hull's vertices come in MuJoCo's order, which contacts with planes follow."""

import subprocess
import sys

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.engine.mjcf.assets import kept, mesh_hull, qhull

SHAPES = {
    "sphere": "builtin='sphere' params='1'",
    "supertorus": "builtin='supertorus' params='10 .18 1.03 1.29'",
    "supersphere": "builtin='supersphere' params='9 .5 2'",
    "hemisphere": "builtin='hemisphere' params='5'",
}


def document(mesh: str) -> str:
    return f"""<mujoco><asset><mesh name="m" {mesh} scale=".3 .3 .3"/></asset><worldbody>
<geom type="plane" size="5 5 1"/><body><freejoint/><geom type="mesh" mesh="m"/></body></worldbody>
</mujoco>"""


def neighbours(model) -> list[list[int]]:
    """Neighbours of each vertex of the hull, in their order."""
    graph = model.mesh_graph
    count, faces = graph[:2]
    edges = graph[2 + 2 * count : 2 + 3 * count + 3 * faces]
    rows = np.split(edges, np.flatnonzero(edges < 0) + 1)[:-1]
    return [row[:-1].tolist() for row in rows]


def same_order(mesh: str) -> tuple[int, int]:
    """Number of vertices whose neighbours are in MuJoCo's order, and of all."""
    ours = neighbours(mjenv.Model.from_xml_string(document(mesh)))
    reference = neighbours(mujoco.MjModel.from_xml_string(document(mesh)))
    assert [sorted(row) for row in ours] == [sorted(row) for row in reference]
    return sum(a == b for a, b in zip(ours, reference, strict=True)), len(ours)


@pytest.mark.parametrize("shape", SHAPES)
def test_order_of_neighbours(shape, monkeypatch):
    same, count = same_order(SHAPES[shape])
    assert same == count
    # without Qhull's lists it is another one
    monkeypatch.setattr(mesh_hull, "lists", lambda *_: None)
    monkeypatch.setattr(kept, "_kept", {})
    assert in_place(shape) < 0.75 * count


def in_place(shape: str) -> int:
    """Number of vertices at the same place of the list with neighbours in the same order."""
    text = document(SHAPES[shape])
    ours = neighbours(mjenv.Model.from_xml_string(text))
    reference = neighbours(mujoco.MjModel.from_xml_string(text))
    return sum(a == b for a, b in zip(ours, reference, strict=True))


@pytest.mark.parametrize("count", [4, 30, 700])
def test_hulls_without_flat_sides(count):
    """No triangles were merged: Qhull has no lists yet, and MuJoCo makes them."""
    points = np.random.default_rng(count).normal(size=(count, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    mesh = f"vertex='{' '.join(map(str, points.round(4).ravel()))}'"
    same, number = same_order(mesh)
    assert same == number == count


def test_lists_of_another_hull_are_not_taken():
    """They are compared with the hull that the run shows."""
    points = np.indices((3, 3, 3), float).reshape(3, -1).T.copy()
    run = qhull.extension()._Qhull(b"i", points, b"Qt")
    facets = run.get_simplex_facet_array()[0]
    assert qhull.lists(run, points, facets) is not None
    assert qhull.lists(run, points, facets[:-2]) is None
    assert qhull.lists(run, points.copy(), facets) is None
    facets[0, 0] = np.setdiff1d(np.unique(facets), facets[0])[0]
    assert qhull.lists(run, points, facets) is None


ALONE = """
import sys
from mjenv.engine.mjcf.assets import qhull
found = qhull.extension()
assert "scipy.spatial" not in sys.modules and "scipy.linalg" not in sys.modules
import scipy.spatial
assert scipy.spatial.QhullError is found.QhullError
assert scipy.spatial._qhull._Qhull is found._Qhull
assert scipy.spatial.ConvexHull([[0, 0], [1, 0], [0, 1]]).volume == 0.5
"""


def test_qhull_without_its_package():
    """It is loaded alone, and a later import of the package is what it always was."""
    done = subprocess.run([sys.executable, "-c", ALONE], capture_output=True, text=True)
    assert not done.returncode, done.stderr


@pytest.mark.parametrize("shape", SHAPES)
def test_contacts_with_a_plane(shape):
    text = document(SHAPES[shape])
    mj, model = mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)
    rng = np.random.default_rng(1)
    qpos = np.zeros((50, 7))
    qpos[:, 2], quat = rng.uniform(0.05, 0.25, 50), rng.normal(size=(50, 4))
    qpos[:, 3:] = quat / np.linalg.norm(quat, axis=1)[:, None]
    data, source = mjenv.Data(model), mujoco.MjData(mj)
    touching = 0
    for row in qpos:
        data.qpos[0], source.qpos = row, row
        mjenv.forward(model, data)
        mujoco.mj_forward(mj, source)
        found = np.reshape(data.contact.dist, -1)[: source.ncon]
        assert np.max(data.ncon) == source.ncon
        np.testing.assert_allclose(found, source.contact.dist, atol=1e-9)
        touching += source.ncon
    assert touching > 50


def test_another_scipy(monkeypatch):
    """Memory of a scipy that nobody has looked at is not read."""
    import scipy

    monkeypatch.setattr(scipy, "__version__", "9.1.0")
    monkeypatch.setattr(kept, "_kept", {})
    qhull.is_known.cache_clear()
    monkeypatch.setattr(qhull, "_vertices", None)
    with pytest.warns(RuntimeWarning, match="scipy 9.1.0: mjenv knows"):
        mjenv.Model.from_xml_string(document(SHAPES["hemisphere"]))
    qhull.is_known.cache_clear()
