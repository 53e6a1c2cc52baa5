"""Meshes compile to MuJoCo's arrays: from attributes, with hulls, polygons, trees and inertia."""
# ruff: noqa: E501 (one row of the table, one message)

import re

import mujoco
import numpy as np
import pytest

from mjenv.engine.data.data import Data
from mjenv.engine.data.step import step
from mjenv.engine.edit.compile import Model
from mjenv.engine.errors import MjcfError
from mjenv.engine.mjcf.assets import kept
from mjenv.engine.mjcf.assets.nth_element import select

from .test_models import differences

CUBE = "-1 -1 -1 1 -1 -1 1 1 -1 1 1 1 1 -1 1 -1 1 -1 -1 1 1 -1 -1 1"
CORNER = 'vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 2 1 0 3 2 0 1 3 1 2 3"'
SHAPES = ("sphere", "capsule", "cylinder", "ellipsoid", "box")


def numbers(array):
    return " ".join(f"{x:.7g}" for x in np.ravel(array))


def cloud(count, seed=0):
    return numbers(np.random.default_rng(seed).normal(size=(count, 3)))


def grid(n):
    return numbers([[x, y, z] for x in range(n) for y in range(n) for z in range(n)])


def cylinder(n):
    t = np.linspace(0, 2 * np.pi, n, endpoint=False)
    return numbers([(np.cos(a), np.sin(a), z) for z in (-1, 1) for a in t])


def cube_surface(n):
    points = np.random.default_rng(3).uniform(-1, 1, size=(n, 3))
    return numbers(points / np.abs(points).max(1, keepdims=True))


def model(mesh, geom="", asset="", compiler="", body=""):
    return f"""
      <mujoco><compiler {compiler}/><asset>{asset}<mesh name="m" {mesh}/></asset><worldbody>
      <body pos="0 0 1"><freejoint/><geom name="g" type="mesh" mesh="m" {geom}/>{body}</body>
      </worldbody></mujoco>"""


CLOUD = f'vertex="{cloud(30)}"'
FITTED = "".join(
    f'<geom type="{shape}" mesh="m" pos="{k} 0 0" size="1 2 3" euler="1 2 3" fitscale="1.1"/>'
    for k, shape in enumerate(SHAPES)
)
MODELS = {
    "cube": model(f'vertex="{CUBE}"'),
    "cloud": model(CLOUD),
    "large cloud": model(f'vertex="{cloud(2000)}"'),
    "grid": model(f'vertex="{grid(5)}"'),
    "cylinder": model(f'vertex="{cylinder(40)}"'),
    "scale": model(CLOUD + ' scale="1 2 3"'),
    "mirrored": model(CLOUD + ' scale="1 -2 3"'),
    "refpos and refquat": model(CLOUD + ' refpos="1 2 3" refquat="1 2 3 4"'),
    "smoothnormal": model(CLOUD + ' smoothnormal="true"'),
    "shell": model(CLOUD + ' inertia="shell"'),
    "exact": model(CLOUD + ' inertia="exact"'),
    "convex": model(CORNER + ' inertia="convex"', 'contype="0" conaffinity="0"'),
    "maxhullvert": model(f'vertex="{cloud(300)}" maxhullvert="9"'),
    "texcoord": model(CORNER + ' texcoord="0 0 1 0 0 1 1 1"'),
    "texcoord of a hull": model(f'vertex="{cloud(4)}" texcoord="0 0 1 0 0 1 1 1" scale="-1 1 1"'),
    "faces": model(CORNER, 'pos="1 2 3" euler="10 20 30" mass="3"'),
    "no hull": model(CORNER, 'contype="0" conaffinity="0"'),
    "no hull but a pair": model(
        CORNER, 'contype="0" conaffinity="0"', body='<geom name="h" size="1"/>'
    ).replace("</mujoco>", '<contact><pair geom1="g" geom2="h"/></contact></mujoco>'),
    "normals": model(CORNER + ' normal="1 0 0 0 1 0 0 0 1 0 0 0" scale="1 1 2" refquat="1 1 0 0"'),
    "faces of Qhull that were merged": model(f'vertex="{cube_surface(300)}"'),
    "frames of normals": model(CORNER + f' normal="{cloud(12)}"'),
    "inertia boxes": model(CLOUD, body=FITTED),
    "boxes around": model(CLOUD, body=FITTED, compiler='fitaabb="true"'),
    "only for fitting": model(CLOUD).replace('type="mesh"', 'type="capsule"'),
    "default type": model(CLOUD).replace('type="mesh"', ""),
    "material": model(
        CLOUD + ' material="red"',
        asset='<material name="red"/><material name="blue"/>',
        body='<geom mesh="m" type="box"/><geom mesh="m" type="box" material="blue"/>',
    ),
    "fluid": model(CLOUD, 'fluidshape="ellipsoid"'),
    "triangles without area": model(
        f'vertex="{cloud(30)}" face="{numbers(np.random.default_rng(0).integers(0, 5, (60, 3)))}"'
    ),
    "triangles around one point": model(f'vertex="{cylinder(74)}" refquat="1 2 3 4"'),
    "not used": f'<mujoco><asset><mesh name="m" {CLOUD}/></asset></mujoco>',
    "classes": f"""
      <mujoco><default><mesh scale="2 2 2"/><default class="a"><mesh inertia="shell"/></default>
      </default><asset><mesh name="m" {CLOUD}/><mesh name="n" class="a" {CORNER}/></asset>
      <worldbody><body><geom mesh="n" type="mesh"/><geom mesh="m" type="mesh"/></body></worldbody>
      </mujoco>""",
}


@pytest.mark.sweep(18)
@pytest.mark.parametrize("name", MODELS)
def test_meshes(name):
    ours = Model.from_xml_string(MODELS[name])
    assert not differences(ours, mujoco.MjModel.from_xml_string(MODELS[name]))


def test_hull_without_what_scipy_does_not_promise(monkeypatch):
    """The same hull, with its vertices in the order of their numbers."""
    expected = Model.from_xml_string(MODELS["cloud"])
    monkeypatch.delattr("scipy.spatial._qhull._Qhull")
    monkeypatch.setattr(kept, "_kept", {})
    found = Model.from_xml_string(MODELS["cloud"])
    count = expected.mesh_graph[0]
    vertices = slice(2 + count, 2 + 2 * count)
    assert np.array_equal(found.mesh_graph[vertices], np.sort(expected.mesh_graph[vertices]))
    assert np.array_equal(found.mesh_face, expected.mesh_face)


def test_selection_is_that_of_the_library():
    """The item at the place, smaller ones before it, whatever the order of equal ones."""
    random = np.random.default_rng(0)
    for _ in range(300):
        keys = random.integers(0, 30, random.integers(1, 60)).astype(float).tolist()
        # equal keys are told apart by a number, which may be the same one too
        items = [(key, int(random.integers(0, 3))) for key in keys]
        nth = int(random.integers(0, len(items)))
        found = list(items)
        select(found, nth)
        assert sorted(found) == sorted(items)
        assert max(found[: nth + 1]) == found[nth] == min(found[nth:]) == sorted(items)[nth]


# what is wrong: the model, and the end of its message
WRONG = {
    "no name": (
        f"<mujoco><asset><mesh {CORNER}/></asset></mujoco>",
        "expected the attribute 'name' or 'file', found none",
    ),
    "unknown": (
        model(CORNER).replace('mesh="m"', 'mesh="bunni"').replace('name="m"', 'name="bunny"'),
        "mesh='bunni': no such mesh; did you mean 'bunny'?",
    ),
    "missing": (
        model(CORNER).replace('mesh="m"', ""),
        "type='mesh': expected the attribute 'mesh', found none",
    ),
    "vertices": (model('vertex="1 2 3 4"'), "vertex: expected a multiple of 3 numbers, found 4"),
    "few": (model('vertex="1 2 3"'), "vertices: expected at least 4, found 1"),
    "none": (model(""), "vertices: expected at least 4, found 0"),
    "index": (
        model('vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 1 4"'),
        "face 0: 0 1 4: expected vertices between 0 and 3",
    ),
    "face": (model(CORNER + " ").replace('3 1 2 3"', '3 1 2"'), "of 3 numbers, found 11"),
    "normal": (model(CORNER + ' normal="1 2"'), "normal: expected a multiple of 3 numbers, found 2"),
    "texcoord": (
        model(CORNER + ' texcoord="1 2"'),
        "texcoord: expected one pair per vertex, 4, found 1",
    ),
    "one place": (
        model('vertex="0 0 0 0 0 0 0 0 0 0 0 0"'),
        "vertices: all in one place, expected a volume for the convex hull; use a small sphere"
        " instead",
    ),
    "one line": (
        model('vertex="0 0 0 1 1 1 2 2 2 3 3 3"'),
        "vertices: all on one line, expected a volume for the convex hull; use a thin capsule"
        " instead",
    ),
    "one plane": (
        model('vertex="0 0 0 1 0 0 0 1 0 1 1 0"'),
        "vertices: all in one plane, expected a volume for the convex hull; use a plane or a thin"
        " box instead",
    ),
    "volume": (
        model('vertex="0 0 0 1 0 0 0 1 0 1 1 0" face="0 1 2"', 'contype="0" conaffinity="0"'),
        "faces: volume 0, expected a larger one; try inertia='shell'",
    ),
    "inside out": (
        model(CORNER.replace("0 2 1 0 3 2 0 1 3 1 2 3", "0 1 2 0 2 3 0 3 1 1 3 2") + ' inertia="exact"'),
        "expected triangles that are counter-clockwise seen from outside; turn them, or use"
        " inertia='legacy' or 'shell'",
    ),
    "orientation": (
        model(CORNER.replace("0 2 1", "0 1 2") + ' inertia="exact"'),
        "face: two triangles go from vertex 0 to vertex 1, expected them in opposite directions;"
        " turn one, or use another inertia than 'exact'",
    ),
    "area": (
        model(CORNER + ' scale="1e-9 1e-9 1e-9"', 'contype="0" conaffinity="0"'),
        "expected a larger mesh",
    ),
    "maxhullvert": (model(CORNER + ' maxhullvert="3"'), "maxhullvert='3': expected -1, or 4 or more"),
    "shellinertia": (
        model(CORNER, 'shellinertia="true"'),
        "shellinertia: expected inertia='shell' in the mesh instead",
    ),
    "fromto": (
        model(CORNER, 'fromto="0 0 0 1 1 1"').replace('type="mesh"', 'type="box"'),
        "fromto and mesh: expected one of them, found both",
    ),
    "plane": (
        f'<mujoco><asset><mesh name="m" {CORNER}/></asset><worldbody><geom type="plane" mesh="m"'
        ' size="1 1 1"/></worldbody></mujoco>',
        "mesh and type='plane': expected mesh, or one of sphere, capsule, cylinder, ellipsoid, box",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_messages(name):
    xml, message = WRONG[name]
    with pytest.raises(ValueError):  # noqa: PT011 (its message is not ours)
        mujoco.MjModel.from_xml_string(xml)
    with pytest.raises(MjcfError, match=re.escape(message) + "$"):
        Model.from_xml_string(xml)


@pytest.mark.parametrize("name", ["cloud", "no hull"])
def test_simulation_takes_meshes_that_collide(name):
    model = Model.from_xml_string(MODELS[name])
    data = Data(model)
    step(model, data, 3)
    assert np.isfinite(data.qpos).all()
