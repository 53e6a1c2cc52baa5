"""Deformables compile to MuJoCo's arrays; what it refuses is refused by name."""

import warnings

import mujoco
import numpy as np
import pytest

from mjenv.engine.edit.compile import Model
from mjenv.engine.edit.spec import Spec
from mjenv.engine.errors import MjcfError, UnsupportedFeature
from tests.engine.mjcf.test_models import differences

SHELL = "thickness='.01' elastic2d='both'"
EDGES = "<edge equality='true'/>"
NODES = "<contact selfcollide='none'/>"
# vertices and triangles of a tetrahedron, as a Wavefront file; one vertex twice
OBJ = b"""v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0 0 0
vt 0 0\nvt 1 0\nvt 0 1
f 1/1 3/3 2/2\nf 1/1 2/2 4/3\nf 5/1 4/2 3/3\nf 2/1 3/2 4/3\n"""
MSH = b"""$MeshFormat\n2.2 0 8\n$EndMeshFormat
$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes
$Elements\n1\n1 4 2 0 1 1 2 3 4\n$EndElements\n"""
MSH41 = b"""$MeshFormat\n4.1 0 8\n$EndMeshFormat
$Nodes\n1 4 1 4\n2 1 0 4\n1\n2\n3\n4
0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes
$Elements\n1 2 1 2\n2 1 2 2\n1 1 2 3\n2 1 3 4\n$EndElements\n"""
ASSETS = {"a.obj": OBJ, "a.msh": MSH, "b.msh": MSH41}


def flexcomp(attributes="", inside="", count="3 3 1", name="f"):
    return (
        f"<flexcomp name='{name}' count='{count}' spacing='.1 .12 .09' radius='.01' {attributes}>"
        f"{inside}</flexcomp>"
    )


def document(body, extra=""):
    return f"""<mujoco><default><joint damping=".1"/><default class="c"><joint armature=".2"/>
</default></default><asset><material name="m"/></asset>
<worldbody>{body}</worldbody>{extra}</mujoco>"""


FLEX = """<deformable><flex name="d" dim="2" body="world a world b" radius=".02" group="2"
vertex="0 0 0  .1 0 0  1 1 0  0 1 .2" element="0 1 2 0 2 3" texcoord="0 0 1 0 1 1 0 1">
<edge damping=".3"/><elasticity young="100" damping=".1" thickness=".02" elastic2d="stretch"/>
</flex></deformable>"""
BODIES = """<body name="a" pos="1 0 0" euler="10 20 30"><joint/><geom size=".1"/></body>
<body name="b"><freejoint/><geom size=".1"/></body>"""
FLOATING = "<body name='b' pos='0 0 1' euler='10 0 20'><freejoint/><geom size='.1'/>{}</body>"
DOCUMENTS = {
    "line": document(flexcomp("dim='1' mass='.3'", "<edge stiffness='9' damping='1'/>", "5 1 1")),
    "circle": document(flexcomp("dim='1' type='circle'", "<edge equality='true'/>", "6 1 1")),
    "sheet": document(flexcomp("material='m' pos='1 2 3' euler='9 8 7'")),
    "block": document(flexcomp("dim='3' material='m'", "<elasticity young='1e4'/>", "3 4 3")),
    "square": document(flexcomp("type='square' rgba='1 0 0 .5'", "<edge equality='vert'/>")),
    "disc": document(flexcomp("type='disc'", f"<elasticity young='10' {SHELL}/>", "5 4 1")),
    "box": document(flexcomp("type='box' dim='3' dof='radial'", "", "3 4 3")),
    "cylinder": document(flexcomp("type='cylinder' dim='3' material='m'", "", "4 4 3")),
    "ellipsoid": document(flexcomp("type='ellipsoid' dim='3'", "<pin id='3 4'/>", "3 3 4")),
    "surface": document(flexcomp("type='ellipsoid' dim='2'", "", "4 3 3")),
    "mesh": document(flexcomp("type='mesh' file='a.obj'", "<edge equality='true'/>")),
    "solid mesh": document(
        flexcomp("type='mesh' file='a.obj' dim='3' origin='.2 .2 .2' scale='2 1 1'")
    ),
    "gmsh": document(flexcomp("type='gmsh' file='a.msh' dim='3' inertiabox='.1'")),
    "gmsh 4.1": document(flexcomp("type='gmsh' file='b.msh' rigid='true'")),
    "direct": document(
        flexcomp("type='direct' point='0 0 0 1 0 0 0 1 0 9 9 9 1 1 0' element='0 1 2 1 2 4'")
    ),
    "given before a grid": document(flexcomp("point='1 2 3' element='0 1 2'")),
    "given before a disc": document(flexcomp("type='disc' point='.1 .2 .3 .3 .1 0'", "", "4 3 1")),
    "given before a box": document(
        flexcomp("type='box' dim='3' point='1 2 3' element='0 1 2 3'", "", "3 3 3")
    ),
    "given before a file": document(
        flexcomp("type='gmsh' file='a.msh' point='1 2 3 4 5 7' element='2 3 4 5'")
    ),
    "given before a mesh": document(
        flexcomp("type='mesh' file='a.obj' point='1' element='0 1'", "<pin id='0'/>")
    ),
    "lines of a surface": document(flexcomp("type='box' dim='1'", "", "3 3 3")),
    "lines of an ellipsoid": document(flexcomp("type='ellipsoid' dim='1'", "", "3 2 4")),
    "zero quaternion": document(flexcomp("quat='0 0 0 0' pos='1 2 3'")),
    "texture coordinates left over": document(
        flexcomp(
            "type='direct' point='0 0 0 9 9 9 1 0 0 0 1 0' element='0 2 3'"
            " texcoord='0 1 2 3 4 5 6 7 8 9'"
        )
    ),
    "plane dofs": document(flexcomp("dof='2d'", "<pin grid='0 0 1 1'/>")),
    "pins": document(flexcomp("", "<pin range='0 2'/><pin gridrange='1 1 2 2'/>", "4 4 1")),
    "trilinear": document(
        flexcomp("dim='3' dof='trilinear'",
                 f"<elasticity young='50' poisson='.2'/>{NODES}", "3 3 3")
    ),
    "quadratic": document(
        flexcomp("dim='3' dof='quadratic'", f"<pin id='1'/><elasticity young='5'/>{NODES}", "3 2 3")
    ),
    "cells": document(
        flexcomp(
            "type='mesh' file='a.obj' dof='trilinear' cellcount='3 2 2'",
            f"<edge equality='strain' solref='.01'/>{NODES}",
        )
    ),
    "shell": document(
        flexcomp(
            "type='mesh' file='a.obj' dof='quadratic' cellcount='2 1 1'",
            f"<elasticity young='5' {SHELL}/>{NODES}",
        )
    ),
    "strained shell": document(
        flexcomp("dof='trilinear' dim='3' type='box'", "<edge equality='strain'/>"
                 f"<elasticity thickness='.01' elastic2d='bend'/>{NODES}", "3 3 3")
    ),
    "on a body": document(FLOATING.format(flexcomp("", "<edge equality='true'/>"))),
    "rigid on a body": document(FLOATING.format(flexcomp("rigid='true'"))),
    "nodes on a body": document(
        FLOATING.format(flexcomp("dim='3' dof='trilinear'", f"<edge equality='strain'/>{NODES}",
                                 "2 2 2"))
    ),
    "in a frame": document(
        f"<frame pos='1 2 3'><body name='q'/>{flexcomp()}<frame euler='1 2 3'><geom size='.1'/>"
        f"{flexcomp(name='g')}</frame><body name='r'/></frame>"
    ),
    "class": document(f"<body name='b' childclass='c'>{flexcomp()}</body>"),
    "written": document(BODIES, FLEX),
    "three": document(
        flexcomp(inside="<edge equality='vert'/>") + BODIES
        + flexcomp("dim='1'", "<edge equality='true'/>", "3 1 1", name="h"),
        FLEX + "<equality><flex flex='d' solref='.1 2'/></equality>",
    ),
}  # fmt: skip


@pytest.mark.sweep(8)
@pytest.mark.parametrize("name", DOCUMENTS)
def test_arrays(name):
    ours = Model.from_xml_string(DOCUMENTS[name], ASSETS)
    reference = mujoco.MjModel.from_xml_string(DOCUMENTS[name], ASSETS)
    assert not differences(ours, reference)


@pytest.mark.sweep(10)
@pytest.mark.parametrize("name", sorted({*DOCUMENTS} - {"quadratic"}))
def test_written_out(name):
    """What is saved has bodies and <flex>, and compiles to the same arrays."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        written = Spec.from_string(DOCUMENTS[name], ASSETS).to_xml()
    assert "flexcomp" not in written
    reference = mujoco.MjModel.from_xml_string(DOCUMENTS[name], ASSETS)
    assert not differences(Model.from_xml_string(written, ASSETS), reference)


# a sheet in two parts, with empty cells between them
GAP = (
    "type='direct' dof='trilinear' cellcount='{} 1 1' dim='2' element='0 1 2 3 4 5'"
    " point='0 0 0 .3 0 0 0 1 .1 3 0 0 2.7 0 0 3 1 .1'"
)
# no attribute of MJCF says where such nodes are: deformables, and whether their text compiles
LOST = {
    "pinned nodes": (
        flexcomp(
            "dim='3' dof='quadratic'", f"<pin id='1'/><elasticity young='5'/>{NODES}", "3 2 3"
        ),
        True,
    ),
    "a pinned corner": (
        flexcomp(
            "dim='3' dof='trilinear'", f"<pin id='0'/><elasticity young='5'/>{NODES}", "3 3 3"
        ),
        False,
    ),
    "empty cells": (flexcomp(GAP.format(5), f"<edge equality='strain'/>{NODES}"), True),
}


@pytest.mark.parametrize("name", LOST)
def test_what_no_attribute_says_is_warned_of_when_saved(name, tmp_path):
    body, compiles = LOST[name]
    spec, path = Spec.from_string(document(body)), tmp_path / "saved.xml"
    message = "<flex name='f'>: MJCF has no attribute for nodes that are pinned"
    with pytest.warns(UserWarning, match=message) as warned:
        written = spec.to_xml()
    assert [w.filename for w in warned] == [__file__]
    with pytest.warns(UserWarning, match=message):
        spec.to_file(path)
    assert path.read_text() == written
    if not compiles:
        with pytest.raises(MjcfError, match="expected a grid of nodes with axes at right angles"):
            Model.from_xml_path(path)
        with pytest.raises(ValueError, match="Error"):
            mujoco.MjModel.from_xml_string(written)
        return
    reference = mujoco.MjModel.from_xml_string(written)
    assert not differences(Model.from_xml_path(path), reference)
    assert "flex_node0" in differences(Model.from_xml_string(document(body)), reference)


def test_an_empty_cell_between_others_is_saved():
    text = document(flexcomp(GAP.format(3), f"<edge equality='strain'/>{NODES}"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        written = Spec.from_string(text).to_xml()
    assert not differences(Model.from_xml_string(written), mujoco.MjModel.from_xml_string(text))


def test_cells_without_extent_are_refused():
    text = document(flexcomp(GAP.format(5), f"<elasticity young='5' {SHELL}/>{NODES}"))
    with pytest.warns(UserWarning, match="MJCF has no attribute"):
        written = Spec.from_string(text).to_xml()
    with pytest.raises(MjcfError, match="expected cells with some extent along each axis"):
        Model.from_xml_string(written)
    with pytest.raises(ValueError, match="degenerate 2D element with zero extent"):
        mujoco.MjModel.from_xml_string(written)


def test_attached(tmp_path):
    """Deformables of an attached model come with their bodies, constraints and materials."""
    body = f"<body name='b'><geom size='.1'/>{flexcomp('material=' + repr('m'))}</body>"
    constraint = "<equality><flex flex='f'/></equality>"
    (tmp_path / "child.xml").write_text(document(body, constraint))
    main = "<asset><model name='child' file='child.xml'/></asset>"
    text = f"""<mujoco>{main}<worldbody><body name="h" pos="1 2 3">
<attach model="child" body="b" prefix="p-"/></body></worldbody></mujoco>"""
    (tmp_path / "main.xml").write_text(text)
    ours = Model.from_xml_path(tmp_path / "main.xml")
    assert ours.flex("p-f").id == 0
    assert ours.neq == 1
    assert not differences(ours, mujoco.MjModel.from_xml_path(str(tmp_path / "main.xml")))


@pytest.mark.sweep(2)
@pytest.mark.parametrize("order", ["fa", "af", "afb", "faf", "baf"])
def test_order_beside_what_is_attached(tmp_path, order):
    """Constraints and deformables are numbered in the order of the tree that brings them."""
    child = document(
        f"<body name='b'><geom size='.1'/>{flexcomp(inside=EDGES)}</body>",
        "<equality><connect name='e' body1='b' anchor='0 0 1'/></equality>",
    )
    (tmp_path / "child.xml").write_text(child)
    rigid = "rigid='true'"
    parts = {
        "f": lambda k: flexcomp(inside=EDGES, name=f"flex{k}"),
        "a": lambda k: f"<attach model='child' prefix='{k}-'/>",
        "b": lambda k: f"<frame pos='0 0 {k}'>{flexcomp(rigid, EDGES, name=f'rigid{k}')}</frame>",
    }
    tree = "".join(parts[letter](k) for k, letter in enumerate(order))
    text = f"""<mujoco><asset><model name="child" file="child.xml"/></asset><worldbody>
<body name="w"/>{tree}</worldbody><equality><weld body1="w"/></equality></mujoco>"""
    (tmp_path / "main.xml").write_text(text)
    ours = Model.from_xml_path(tmp_path / "main.xml")
    reference = mujoco.MjModel.from_xml_path(str(tmp_path / "main.xml"))
    assert not differences(ours, reference)


def test_edges_without_length():
    """An edge whose ends are in one place at qpos0 has a weight along the first axis."""
    text = """<mujoco><worldbody><body name="a" pos="1 0 0"><freejoint/><geom size=".1"/></body>
<body name="b" pos="0 1 0"><freejoint/><geom size=".1"/></body></worldbody>
<deformable><flex name="f" dim="1" body="a b" vertex="-1 0 0 0 -1 0" element="0 1"/></deformable>
<equality><flex flex="f"/></equality></mujoco>"""
    ours, reference = Model.from_xml_string(text), mujoco.MjModel.from_xml_string(text)
    assert reference.flexedge_invweight0[0] > 0
    assert not differences(ours, reference)


def test_sizes_are_refused_before_memory_is_taken():
    text = document(flexcomp("dim='3' type='grid'", "", "40 40 40"))
    with pytest.raises(UnsupportedFeature, match="a deformable of many vertices"):
        Model.from_xml_string(text)


WRONG = [
    (flexcomp("dim='4'"), "dim='4': expected 1, 2 or 3"),
    (flexcomp(count="0 3 1"), "count: expected 1 or more along each axis"),
    (flexcomp("dim='3' dof='radial'"), "count: expected 2 or more along each axis"),
    (flexcomp().replace(".1 .12 .09", ".1 .01 .1"), "spacing: expected 2 radius + margin or more"),
    (flexcomp("mass='0'"), "mass: expected 1e-15 or more"),
    (flexcomp("", "<pin id='9'/>"), "pin: id: 9: expected 0 to 8"),
    (flexcomp("", "<pin range='0 1 2'/>"), "pin: range: expected a multiple of 2 numbers"),
    (flexcomp("", "<pin grid='0 3'/>"), "pin: grid: 3: expected 0 to 2"),
    (flexcomp("type='disc'", "<pin grid='0 1'/>"), "pin: grid and gridrange: expected type='grid'"),
    (flexcomp("type='direct'"), "vertices and elements: expected both given, found none"),
    (flexcomp("type='direct' point='1'"), "point: expected a multiple of 3 numbers, found 1"),
    (flexcomp("element='0 1'"), "element: expected a multiple of 3 numbers, found 2"),
    (flexcomp("type='box' point='0 0'", count="3 3 3"), "point: expected a multiple of 3 numbers"),
    (flexcomp("type='disc' element='0 1 9'"), "element: 9: expected vertices from 0 to 8"),
    (flexcomp("type='gmsh' file='a.msh' element='0 1'"), "element: expected a multiple of 4"),
    (
        flexcomp("type='mesh' file='a.obj' dim='3' origin='.2 .2 .2' element='0 1'"),
        "element: expected a multiple of 4",
    ),
    (flexcomp("euler='1 2 3' quat='1 0 0 0'"), "quat and euler: expected one orientation"),
    (flexcomp("type='direct' point='1 2 3' element='0 0 1'"), "element: 1: expected vertices from"),
    (flexcomp("type='mesh'"), "expected the attribute 'file', found none"),
    (flexcomp("type='mesh' file='a.obj' dim='3'"), "expected the attribute 'origin'"),
    (flexcomp("type='mesh' file='a.msh'"), "expected a file .stl or .obj"),
    (flexcomp("type='gmsh' file='a.obj'"), "expected $MeshFormat at the beginning"),
    (f"<body>{flexcomp()}</body>", "expected a body with a name around it"),
    (
        flexcomp("", "<edge equality='true'/><elasticity young='1'/>"),
        "equality and young: expected",
    ),
    (flexcomp("", "<edge stiffness='1'/>"), "edge stiffness: expected dim='1'"),
    (flexcomp("", "<elasticity elastic2d='both'/>"), "elastic2d: expected a positive thickness"),
    (flexcomp("dim='3'", f"<elasticity {SHELL}/>", "2 2 2"), "elastic2d: expected dim='2'"),
    (flexcomp("", "<elasticity young='1' poisson='.5'/>"), "poisson='0.5': expected at least 0"),
    (flexcomp("", f"<elasticity {SHELL}/><pin id='0'/>"), "expected bodies with 3 joints"),
    (flexcomp("dim='3' dof='trilinear'", "", "2 2 2"), "selfcollide: expected 'none'"),
    (flexcomp("rigid='true'", "<edge equality='true'/>"), None),
    (flexcomp("material='x'"), "material='x': no such material"),
    (flexcomp("texcoord='1 2'"), "texcoord: expected 18 numbers"),
]


@pytest.mark.parametrize(("body", "message"), WRONG, ids=[str(m) for _, m in WRONG])
def test_messages(body, message):
    text = document(body)
    if message is None:
        # a rigid one has no constraints
        assert Model.from_xml_string(text).neq == mujoco.MjModel.from_xml_string(text).neq == 0
        return
    with pytest.raises(MjcfError) as caught:
        Model.from_xml_string(text, ASSETS)
    assert message in str(caught.value)
    with pytest.raises(ValueError, match="Error"):
        mujoco.MjModel.from_xml_string(text, ASSETS)


WRITTEN = [
    ("body", "world a", "body: expected 1 or 4 names, found 2"),
    ("element", "0 1 2 0", "element: expected a multiple of 3 vertices, found 4"),
    ("element", "0 1 9", "element: expected vertices from 0 to 3"),
    ("element", "0 1 1", "element: expected different vertices"),
    ("vertex", "0 0 0 1", "vertex: expected rows of 3 numbers, found 4"),
    ("body", "world a world c", "body='c': no such body"),
    ("texcoord", "0 0", "texcoord: expected 8 numbers"),
]


@pytest.mark.parametrize(("name", "value", "message"), WRITTEN, ids=[m for *_, m in WRITTEN])
def test_messages_of_written_ones(name, value, message):
    start = FLEX.index(f'{name}="') + len(name) + 2
    flex = FLEX[:start] + value + FLEX[FLEX.index('"', start) :]
    with pytest.raises(MjcfError) as caught:
        Model.from_xml_string(document(BODIES, flex))
    assert message in str(caught.value)
    with pytest.raises(ValueError, match="Error"):
        mujoco.MjModel.from_xml_string(document(BODIES, flex))


def test_unknown_and_rigid_ones_have_no_constraints():
    for inside, message in (
        (flexcomp("rigid='true'"), "flex='f': expected a deformable that is not rigid"),
        ("", "flex='f': no such flex"),
    ):
        text = document(inside, "<equality><flexvert flex='f'/></equality>")
        with pytest.raises(MjcfError, match=message):
            Model.from_xml_string(text)


@pytest.mark.parametrize("cut", range(20, len(MSH) - 14, 7))
def test_damaged_gmsh_files(cut):
    text = document(flexcomp("type='gmsh' file='a.msh' dim='3'"))
    with pytest.raises(MjcfError, match=r"a\.msh"):
        Model.from_xml_string(text, {"a.msh": MSH[:cut]})


def test_binary_gmsh_files():
    """As gmsh writes them, as fTetWild does, and version 4.1: all equal to the text."""
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
    ints = lambda *x: np.array(x, "<i4").tobytes()  # noqa: E731
    nodes = b"4\n" + b"".join(ints(k + 1) + p.tobytes() for k, p in enumerate(points)) + b"\n"
    head = b"$MeshFormat\n%b 1 8\n" + ints(1) + b"\n$EndMeshFormat\n$Nodes\n%b$EndNodes\n"
    tail = b"$Elements\n%b$EndElements\n"
    longs = lambda *x: np.array(x, "<u8").tobytes()  # noqa: E731
    blocks = longs(1, 4, 1, 4) + ints(3, 1, 0) + longs(4) + longs(1, 2, 3, 4) + points.tobytes()
    last = longs(1, 1, 1, 1) + ints(3, 1, 4) + longs(1) + longs(1, 1, 2, 3, 4)
    files = [
        head % (b"2.2", nodes) + tail % (b"1\n" + ints(4, 1, 2, 1, 1, 1, 1, 2, 3, 4) + b"\n"),
        head % (b"2.2", nodes) + tail % (b"1\n" + ints(4, 1, 0, 1, 1, 2, 3, 4) + b"\n"),
        head % (b"4.1", blocks) + tail % last,
    ]
    text = document(flexcomp("type='gmsh' file='a.msh' dim='3'"))
    expected = Model.from_xml_string(text, ASSETS)
    for contents in files:
        assert not differences(Model.from_xml_string(text, {"a.msh": contents}), expected)
