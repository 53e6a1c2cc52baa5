"""Builtin meshes: MuJoCo's vertices and triangles, and a message for each wrong parameter."""
# ruff: noqa: E501 (messages in one line)

import mujoco
import pytest

from mjenv.engine.edit.compile import Model
from mjenv.engine.errors import MjcfError, UnsupportedFeature
from tests.engine.mjcf.test_models import differences


def document(shape, params, more=""):
    solid = shape != "plate"
    mesh = f"<mesh name='m' builtin='{shape}' params='{params}' {more}/>"
    geom = f"<geom type='mesh' mesh='m' contype='{solid:d}' conaffinity='{solid:d}'/>"
    body = f"<body><freejoint/>{geom}<geom size='.1' pos='1 0 0'/></body>"
    return f"<mujoco>\n<asset>\n{mesh}\n</asset><worldbody>{body}</worldbody></mujoco>"


GOOD = [
    ("sphere", "0", "scale='1 2 3'"), ("sphere", "1", "inertia='exact'"), ("sphere", "3.9", ""),
    ("hemisphere", "-0.5", ""), ("hemisphere", "1", "refpos='1 2 3'"), ("hemisphere", "5", ""),
    ("cone", "3 0", "normal='0 0 1 0 0 1 0 0 1 0 1 0'"), ("cone", "4 .5", ""), ("cone", "5 -1", ""),
    ("cone", "4 0", "texcoord='0 0 1 1 1 1 1 1 1 0'"), ("cone", "6 nan", ""),
    ("supersphere", "3 1 1", ""), ("supersphere", "4 0 0", ""), ("supersphere", "9 .5 2", ""),
    ("supertorus", "3 .5 1 1", ""), ("supertorus", "8 1 1 1", ""), ("supertorus", "9 .2 .5 2", ""),
    ("wedge", "3 3 90 45 0", ""), ("wedge", "4 5 180 90 1", ""), ("wedge", "2 7 30 20 .5", ""),
    ("plate", "2 2.9", ""), ("plate", "3 4", "inertia='exact'"), ("plate", "5 2", "scale='1 -1 1'"),
]  # fmt: skip


@pytest.mark.sweep(16)
@pytest.mark.parametrize(("shape", "params", "more"), GOOD)
def test_shapes(shape, params, more):
    xml = document(shape, params, more)
    assert not differences(Model.from_xml_string(xml), mujoco.MjModel.from_xml_string(xml))


LOOK = "<geom type='mesh' mesh='m' contype='0' conaffinity='0' {}/>"
WITHOUT_HULL = {
    "unused": "",
    "in the world": LOOK.format(""),
    "massless": "<body><freejoint/><geom size='.1'/>" + LOOK.format("mass='0'") + "</body>",
    "fitted": "<geom type='sphere' mesh='m'/>",
}


@pytest.mark.parametrize("name", WITHOUT_HULL)
def test_plates_need_no_hull_for_their_inertia(name):
    """A plate has the inertia of a shell, also where it says convex."""
    mesh = "<mesh name='m' builtin='plate' params='4 3' inertia='convex'/>"
    xml = f"<mujoco><asset>{mesh}</asset><worldbody>{WITHOUT_HULL[name]}</worldbody></mujoco>"
    assert not differences(Model.from_xml_string(xml), mujoco.MjModel.from_xml_string(xml))


WRONG = [
    ("sphere", "", "", "params: expected subdivision, found 0 numbers"),
    ("wedge", "1 2", "", "params: expected columns, rows, width, height, gamma, found 2 numbers"),
    ("sphere", "1", "vertex='1 2 3'", "builtin and vertex: expected one of them, found both"),
    ("sphere", "1", "file='a.stl'", "builtin and file: expected one of them, found both"),
    ("sphere", "5", "", "params: subdivision: expected a number of at least 0 and at most 4, found 5"),
    ("hemisphere", "-1", "", "params: resolution: expected a number of at least 0 and at most 10, found -1"),
    ("hemisphere", "11", "", "params: resolution: expected a number of at least 0 and at most 10, found 11"),
    ("cone", "2 0", "", "vertices: expected at least 4, found 3"),
    ("cone", "0 0", "", "params: nedge: expected a number of at least 1, found 0"),
    ("cone", "4 inf", "", "params: expected numbers that make finite vertices"),
    ("supersphere", "2 1 1", "", "params: resolution: expected a number of at least 3, found 2"),
    ("supersphere", "4 -1 1", "", "params: e: expected a number of at least 0, found -1"),
    ("supersphere", "4 1 -1", "", "params: n: expected a number of at least 0, found -1"),
    ("supersphere", "4 nan 1", "", "params: e: expected a number of at least 0, found nan"),
    ("supertorus", "2 1 1 1", "", "params: resolution: expected a number of at least 3, found 2"),
    ("supertorus", "4 0 1 1", "", "params: radius: expected a number of more than 0 and at most 1, found 0"),
    ("supertorus", "4 1.1 1 1", "", "params: radius: expected a number of more than 0 and at most 1, found 1.1"),
    ("supertorus", "4 .5 0 1", "", "params: s: expected a number of more than 0, found 0"),
    ("supertorus", "4 .5 1 0", "", "params: t: expected a number of more than 0, found 0"),
    ("wedge", "0 1 1 1 1", "", "params: columns: expected a number of at least 1, found 0"),
    ("wedge", "3 3 181 1 1", "", "params: width: expected a number of more than 0 and at most 180, found 181"),
    ("wedge", "3 3 10 0 1", "", "params: height: expected a number of more than 0 and at most 90, found 0"),
    ("wedge", "3 3 10 10 2", "", "params: gamma: expected a number of at least 0 and at most 1, found 2"),
    ("none", "1", "", "builtin='none': expected one of sphere, hemisphere, cone, supertorus, supersphere, wedge, plate"),
    ("plate", "1 0", "", "params: rows: expected a number of at least 1, found 0"),
]  # fmt: skip


@pytest.mark.parametrize(("shape", "params", "more", "message"), WRONG, ids=range(len(WRONG)))
def test_messages(shape, params, more, message):
    xml = document(shape, params, more)
    with pytest.raises(MjcfError) as caught:
        Model.from_xml_string(xml)
    assert str(caught.value) == f"<string>:3: <mesh name='m'>: {message}"
    assert not isinstance(caught.value, UnsupportedFeature)
    with pytest.raises(ValueError):  # noqa: PT011 (MuJoCo's)
        mujoco.MjModel.from_xml_string(xml)


@pytest.mark.parametrize(
    ("shape", "params"),
    [
        ("supersphere", "100000 1 1"),
        ("plate", "100000 100000"),
        ("cone", "1e300 1"),
        ("cone", "1e9 0"),
    ],
)
def test_huge_shapes_are_refused(shape, params):
    with pytest.raises(UnsupportedFeature, match="with more than 262144 vertices"):
        Model.from_xml_string(document(shape, params))
