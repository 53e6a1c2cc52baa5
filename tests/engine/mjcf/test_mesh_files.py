"""Mesh files: MuJoCo's vertices and triangles, and messages that name the element and the file."""
# ruff: noqa: E501 (messages in one line)

import random
import struct

import mujoco
import numpy as np
import pytest

from mjenv.engine.edit.compile import Model
from mjenv.engine.errors import MjcfError, UnsupportedFeature
from mjenv.engine.mjcf.assets.obj_files import ObjError, read_obj
from tests.engine.mjcf.test_models import differences

POINTS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.3]])
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])


def stl(corners, count=None):
    """A binary STL file with the triangles (n, 3, 3)."""
    head = bytes(80) + struct.pack("<i", len(corners) if count is None else count)
    return head + b"".join(struct.pack("<12fH", 0, 0, 0, *np.ravel(t), 7) for t in corners)


def msh(vertices, normals=(), texcoords=(), faces=(), counts=None):
    """A file in MuJoCo's format."""
    counts = counts or [len(x) for x in (vertices, normals, texcoords, faces)]
    reals = [np.ravel(x).astype("<f4").tobytes() for x in (vertices, normals, texcoords)]
    places = np.ravel(faces).astype("<i4").tobytes()
    return struct.pack("<4i", *counts) + b"".join(reals) + places


def obj(*lines):
    """An OBJ file: the four points and these lines."""
    return "\n".join(["v {} {} {}".format(*p) for p in POINTS] + list(lines)).encode()


def changed(value):
    corners = POINTS[FACES].copy()
    corners[0, 0, 0] = value
    return stl(corners)


TEX = POINTS[:, :2]
TRIANGLES = ("f 1 3 2", "f 1 2 4", "f 1 4 3", "f 2 3 4")
NORMALS = "normal='1 0 0 0 1 0 0 0 1 1 1 1'"
MSH = "content_type='model/vnd.mujoco.msh'"
# name of the file, contents, more attributes
FILES = [
    ("a.stl", stl(POINTS[FACES]), ""),
    ("a.STL", stl(POINTS[FACES]), "scale='1 -2 1' refpos='1 2 3' refquat='1 1 0 0'"),
    ("a.stl", changed(-0.0), ""),
    ("a.stl", stl(POINTS[FACES]), "content_type='model/obj'"),
    ("a.stl", stl(POINTS[FACES]), f"content_type='a/b' {NORMALS}"),
    ("a.stl", stl(POINTS[FACES]), "texcoord='1 0 0 0 1 0 0 0'"),
    ("a.msh", msh(POINTS), ""),
    ("a.MSH", msh(POINTS, faces=FACES), ""),
    ("a.msh", msh(POINTS, POINTS + 0.1, TEX, FACES), ""),
    ("a.msh", msh(POINTS, POINTS + 0.1, TEX, FACES), "scale='1 1 -1'"),
    ("a.msh", msh(POINTS, POINTS + 0.1, TEX), "scale='1 1 -1'"),
    ("a.msh", msh(POINTS, POINTS + 0.1, TEX), "face='0 2 1 0 1 3 0 3 2 1 2 3'"),
    ("a.bin", msh(POINTS), f"{MSH} {NORMALS}"),
    ("a.obj", obj(*TRIANGLES), ""),
    ("a.OBJ", obj(*TRIANGLES), f"{NORMALS} scale='-1 -1 -1'"),
    ("a.obj", obj(), ""),
    ("a.obj", obj("vt 0 0", "vt 1 1 9", "vn 0 0 1", "f 1/1/1 3/2/1 2/-1/-1", *TRIANGLES[1:]), ""),
    ("a.obj", obj("vt 0 .5", "vt 1 1", "vt 0 1", "vt 1e-1 0"), ""),
    ("a.obj", "\n".join(TRIANGLES).encode(), "vertex='0 0 0 1 0 0 0 1 0 0 0 1'"),
    ("a.obj", obj("mtllib /etc/passwd", "usemtl x", *TRIANGLES, "o next", "f 1 2 3"), ""),
]  # fmt: skip


def fresh(name):
    """Another name: MuJoCo keeps what it has read from files by their names."""
    fresh.count = getattr(fresh, "count", 0) + 1
    return f"{fresh.count}{name}"


def document(name, attributes, geom="<geom type='mesh' mesh='m'/>"):
    mesh = f"<mesh name='m' file='{name}' {attributes}/>"
    body = f"<body><freejoint/>{geom}<geom size='.1'/></body>"
    return f"<mujoco>\n<asset>\n{mesh}\n</asset><worldbody>{body}</worldbody></mujoco>"


@pytest.mark.parametrize(("name", "contents", "attributes"), FILES, ids=range(len(FILES)))
def test_files(name, contents, attributes):
    name = fresh(name)
    xml, assets = document(name, attributes), {name: contents}
    ours, reference = (
        Model.from_xml_string(xml, assets),
        mujoco.MjModel.from_xml_string(xml, assets),
    )
    assert not differences(ours, reference)


WRONG = [
    ("a.stl", b"", "", "file='a.stl': expected 84 bytes or more, found 0"),
    ("a.stl", b"solid x" * 20, "", "file='a.stl': expected 1 to 200000 triangles, found 2015388777; text files are not read"),
    ("a.stl", stl(POINTS[FACES], 0), "", "file='a.stl': expected 1 to 200000 triangles, found 0; text files are not read"),
    ("a.stl", stl(POINTS[FACES], 5), "", "file='a.stl': 5 triangles: expected 334 bytes, found 284"),
    ("a.stl", changed(np.nan), "", "file='a.stl': vertex 0 is not finite"),
    ("a.stl", changed(2e9), "", "file='a.stl': expected coordinates up to 1073741824"),
    ("a.stl", stl(POINTS[FACES]), "face='0 1 2'", "face: file='a.stl' has them too, expected them in one place"),
    ("a.stl", stl(POINTS[FACES]), "vertex='0 1 2'", "vertex: file='a.stl' has them too, expected them in one place"),
    ("a.Stl", stl(POINTS[FACES]), "", "file='a.Stl': expected a file .stl, .obj or .msh, found model/stl; register_decoder adds others"),
    ("a.bin", stl(POINTS[FACES]), "content_type='model/stl'", "file='a.bin': expected a file .stl, .obj or .msh, found model/stl; register_decoder adds others"),
    ("a.dae", b"", "", "file='a.dae': expected a file .stl, .obj or .msh, found another one; register_decoder adds others"),
    ("a.msh", b"abc", "", "file='a.msh': expected 16 bytes or more, found 3"),
    ("a.msh", msh(POINTS, POINTS[1:]), "", "file='a.msh': expected at least 4 vertices, and as many normals and texture coordinates or none, found 4, 3 and 0 with 0 triangles"),
    ("a.msh", msh(POINTS, counts=(4, 0, 0, 1)), "", "file='a.msh': expected 76 bytes, found 64"),
    ("a.msh", msh(POINTS, counts=(2**30, 0, 0, 0)), "", "file='a.msh': expected 12884901904 bytes, found 64"),
    ("a.msh", msh(POINTS, faces=FACES + 1), "", "face 1: 1 2 4: expected vertices between 0 and 3"),
    ("a.msh", msh(POINTS, faces=FACES), NORMALS, "normal: file='a.msh' has them too, expected them in one place"),
    ("a.obj", b"", "", "vertices: expected at least 4, found 0"),
    ("a.obj", obj("f 1 2 0"), "", "file='a.obj': line 5: expected places other than 0, found '1 2 0'"),
    ("a.obj", obj("f 1 2 x"), "", "file='a.obj': line 5: expected places other than 0, found '1 2 x'"),
    ("a.obj", obj("f 1 2 5"), "", "face 0: 0 1 4: expected vertices between 0 and 3"),
    ("a.obj", obj("vn 0 0 1", "f 1//1 2//1 3//9"), "", "file='a.obj': normal 9 of a triangle: expected places from 1 to 1"),
    ("a.obj", obj("vt 0 0", "f 1/1 2/1 3/2"), "", "file='a.obj': texture coordinates 2 of a triangle: expected places from 1 to 1"),
    ("a.obj", obj("f 1 2 -5"), "", "face 0: 0 1 -1: expected vertices between 0 and 3"),
    ("b.obj", None, "", "file='b.obj': no such file, expected it at 'b.obj'; a text finds files in assets=, or in folder="),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "contents", "attributes", "message"), WRONG, ids=range(len(WRONG))
)
def test_messages(name, contents, attributes, message):
    name, old = fresh(name), name
    message = message.replace(f"'{old}'", f"'{name}'")
    xml, assets = document(name, attributes), {} if contents is None else {name: contents}
    with pytest.raises(MjcfError) as caught:
        Model.from_xml_string(xml, assets)
    assert str(caught.value) == f"<string>:3: <mesh name='m'>: {message}"
    assert not isinstance(caught.value, UnsupportedFeature)
    with pytest.raises(ValueError):  # noqa: PT011 (MuJoCo's)
        mujoco.MjModel.from_xml_string(xml, assets)


WORDS = (
    ".5",
    "\f.5",
    "1\v2",
    "-.5",
    "+1.",
    "1e-1",
    "2E0",
    "abc",
    "1e",
    "-",
    "0x1",
    "1.2.3",
    "1,5",
    "inf",
    "1e1x",
    ".",
    "1_0",
    "1e99",
)


def polygons(rng):
    """A file with random polygons, many of them bent, and odd numbers, blanks and statements."""
    count = rng.randint(4, 9)
    lines = []
    for name, width in (("v", 3), ("vt", 2), ("vn", 3)):
        for _ in range(count):
            words = [
                str(round(rng.uniform(-2, 2), 3)) for _ in range(rng.choice((width, width, 6)))
            ]
            if name != "v" and rng.random() < 0.5:
                words[rng.randrange(len(words))] = rng.choice(WORDS)
            lines.append(f"{name} {' '.join(words)}")
    for _ in range(rng.randint(1, 5)):
        places = rng.sample(
            range(1, count + 1), rng.choice((3, 3, 4, 4, 4)) if count < 5 else rng.randint(2, count)
        )
        if rng.random() < 0.3:
            places[0] -= count + 1
        form = rng.choice(("{0}", "{0}/{0}", "{0}//{0}", "{0}/{0}/{0}"))
        lines.append(rng.choice(("f ", "f\t", " f  ")) + "  ".join(form.format(p) for p in places))
        if rng.random() < 0.2:
            lines.append(
                rng.choice(("g a", "o b", "g", "s off", "# x", "l 1 2", "p 1", "f 1", "t a 1/1/1"))
            )
    return rng.choice(("\n", "\r\n", "\r")).join(lines).encode()


@pytest.mark.parametrize("seed", range(60))
def test_polygons_are_cut_as_in_mujoco(seed):
    contents = polygons(random.Random(seed))
    mesh = read_obj(contents)
    name = fresh("a.obj")
    xml = f"<mujoco><asset><mesh file='{name}' inertia='shell'/></asset></mujoco>"
    model = mujoco.MjModel.from_xml_string(xml, {name: contents})
    texcoords = mesh.texcoords * [1, -1] + [0, 1]
    assert np.allclose(texcoords, model.mesh_texcoord, rtol=1e-6)
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, model.mesh_quat[0])
    vertices = model.mesh_vert @ turn.reshape(3, 3).T + model.mesh_pos[0]
    assert np.allclose(mesh.vertices, vertices, atol=1e-5)
    if len(mesh.corners):
        for k, name in enumerate(("mesh_face", "mesh_facetexcoord", "mesh_facenormal")):
            assert np.array_equal(mesh.corners[..., k], getattr(model, name)), name


def test_large_files_are_read_quickly():
    """Plain files take a fast way, with the same result."""
    rng = np.random.default_rng(0)
    lines = [f"v {x} {y} {z}" for x, y, z in rng.normal(size=(3000, 3)).round(4)]
    lines += [f"f {a} {b} {c} {d}" for a, b, c, d in rng.integers(1, 3000, (4000, 4))]
    plain = read_obj("\n".join(lines).encode())
    odd = read_obj("\n".join([*lines, "v 0 0 x", "f 1 2 -3000"]).encode())
    assert np.array_equal(plain.corners, odd.corners[:-1])
    assert np.array_equal(plain.vertices, odd.vertices[:-1])


@pytest.mark.parametrize("text", [b"f", b"f ", b"v", b"v 1", b"vt \0 1", b"\xff\xfe", b"f 1 2\0 3"])
def test_odd_files(text):
    """What says nothing is left out; what is missing is 0."""
    mesh = read_obj(text)
    assert not mesh.vertices[:, 1:].any()
    assert not len(mesh.corners)


def test_places_beyond_any_file():
    with pytest.raises(ObjError, match="line 2: expected places other than 0, found 'f'"):
        read_obj(b"f 99999999999 1 2\nf f")


def large_polygon(count: int, times: int = 1) -> bytes:
    """A star of many corners, in several polygons of a file, and a point above."""
    angle = np.linspace(0, 2 * np.pi, count, endpoint=False)
    radius = 1 + 0.3 * np.sin(7 * angle)
    rows = np.stack([radius * np.cos(angle), radius * np.sin(angle), 0.1 * np.cos(3 * angle)], 1)
    vertices = "".join(f"v {x:.6f} {y:.6f} {z:.6f}\n" for x, y, z in rows)
    return (vertices + ("f " + " ".join(map(str, range(1, count + 1))) + "\n") * times).encode()


LARGE = """<mujoco><asset><mesh name="m" file="a.obj" inertia="shell"/></asset><worldbody>
<geom type="mesh" mesh="m" contype="0" conaffinity="0"/></worldbody></mujoco>"""


@pytest.mark.parametrize("count", [64, 100])
def test_polygons_of_many_corners_are_cut_as_in_mujoco(count):
    assets = {"a.obj": large_polygon(count) + b"f 1 2 3\n"}
    ours = Model.from_xml_string(LARGE, assets)
    assert ours.nmeshface == count - 1
    assert not differences(ours, mujoco.MjModel.from_xml_string(LARGE, assets))


@pytest.mark.parametrize("count", [101, 256, 50_000])
@pytest.mark.parametrize("behind", [b"f 1 2 3\n", b""], ids=["beside others", "alone"])
def test_polygons_of_too_many_corners_are_left_out_as_in_mujoco(count, behind):
    """Alone, they leave the faces of the convex hull."""
    places = b" ".join(b"%d" % (k % 101 + 1) for k in range(count))
    assets = {"a.obj": large_polygon(101, 0) + b"f " + places + b"\n" + behind}
    with pytest.warns(UserWarning, match=f"a polygon of {count:,} corners, expected at most 100"):
        ours = Model.from_xml_string(LARGE, assets)
    assert not differences(ours, mujoco.MjModel.from_xml_string(LARGE, assets))


@pytest.mark.parametrize("head", ["vn 0 0 1", "vt 0 .5"])
def test_corners_without_normals_or_coordinates_are_saved(head):
    """They are -1, as in MuJoCo, in what is written and read as well."""
    given = "f 1//1 3//1 2//1" if head.startswith("vn") else "f 1/1 3/1 2/1"
    assets = {"a.obj": obj(head, given, *TRIANGLES[1:])}
    text = document("a.obj", "")
    model = Model.from_xml_string(text, assets)
    assert (model.mesh_facenormal == -1).any() or (model.mesh_facetexcoord == -1).any()
    assert not differences(model, mujoco.MjModel.from_xml_string(text, assets))
    assert not differences(Model.from_bytes(model.to_bytes()), model)
