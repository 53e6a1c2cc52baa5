"""Documents put together in memory: what no attribute says, and errors with their element."""

import mujoco
import numpy as np
import pytest

from mjenv import MjcfError, Spec
from mjenv.engine.edit.compile import compile_parts
from mjenv.engine.mjcf.assets.mesh import FACE_NORMALS, FACE_TEXCOORDS, NEEDS_SDF
from mjenv.engine.mjcf.assets.texture import PIXELS
from mjenv.engine.mjcf.document.expand import expand
from mjenv.engine.mjcf.text.element import Element
from mjenv.engine.mjcf.text.reader import read
from mjenv.engine.mjcf.text.source import Source

TEXTURE = """<mujoco><asset><texture name="t" type="2d" builtin="flat" width="2" height="2"/>
</asset><worldbody><geom size="1"/></worldbody></mujoco>"""
VERTICES, FACES = "0 0 0 1 0 0 0 1 0 0 0 1", "0 2 1 0 1 3 0 3 2 1 2 3"
NORMALS, TEXCOORDS = "1 0 0 0 1 0 0 0 1", "0 0 1 0 0 1"
CORNERS = tuple(k % 3 for k in range(12))
MESH = f"""<mujoco><asset><mesh name="m" vertex="{VERTICES}" face="{FACES}" normal="{NORMALS}"
texcoord="{TEXCOORDS}"/></asset><worldbody><geom type="mesh" mesh="m"/></worldbody></mujoco>"""


def document(text: str, tag: str) -> tuple[Element, Element]:
    """The root of a document, and the first element of a tag."""
    root = expand(read(text.encode(), "model.xml", Source(".", None)))
    return root, next(element for element in root.walk() if element.tag == tag)


def numbers(text: str) -> list[float]:
    return [float(word) for word in text.split()]


@pytest.mark.parametrize("flips", [(), ("hflip",), ("vflip",), ("hflip", "vflip")])
def test_pixels(flips):
    pixels = list(range(12))
    root, texture = document(TEXTURE, "texture")
    texture.values[PIXELS] = bytes(pixels)
    texture.values |= dict.fromkeys(flips, "true")
    spec = mujoco.MjSpec()
    kind = mujoco.mjtTexture.mjTEXTURE_2D
    made = spec.add_texture(name="t", type=kind, width=2, height=2, nchannel=3, data=pixels)
    for flip in flips:
        setattr(made, flip, 1)
    spec.worldbody.add_geom(size=[1, 0, 0])
    assert np.array_equal(compile_parts(root)[0].tex_data, spec.compile().tex_data)


def test_pixels_of_another_number():
    root, texture = document(TEXTURE, "texture")
    texture.values[PIXELS] = bytes(7)
    with pytest.raises(MjcfError, match=r"width x height x nchannel = 12 bytes, found 7") as raised:
        compile_parts(root)
    assert raised.value.element is texture


@pytest.mark.slow
def test_indices_of_triangles():
    """Triangles name normals and texture coordinates of their own; the mesh gets an octree."""
    root, mesh = document(MESH, "mesh")
    mesh.values |= {FACE_NORMALS: CORNERS, FACE_TEXCOORDS: CORNERS, NEEDS_SDF: True}
    spec = mujoco.MjSpec()
    made = spec.add_mesh(name="m", needsdf=1)
    made.uservert, made.userface = numbers(VERTICES), [int(x) for x in FACES.split()]
    made.usernormal, made.usertexcoord = numbers(NORMALS), numbers(TEXCOORDS)
    made.userfacenormal, made.userfacetexcoord = CORNERS, CORNERS
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname="m")
    ours, theirs = compile_parts(root)[0], spec.compile()
    for name in ("mesh_facetexcoord", "mesh_texcoord", "mesh_octnum"):
        assert np.array_equal(getattr(ours, name), getattr(theirs, name)), name
    # MuJoCo forgets these, and has zeros
    assert np.array_equal(ours.mesh_facenormal.ravel(), CORNERS)
    assert np.allclose(ours.mesh_normal, theirs.mesh_normal)
    assert ours.noct == theirs.noct > 0


def test_errors_have_their_element():
    text = "<mujoco><worldbody><geom size='1'/><geom name='g' size='0'/></worldbody></mujoco>"
    root, _ = document(text, "geom")
    with pytest.raises(MjcfError) as raised:
        compile_parts(root)
    assert raised.value.element.values["name"] == "g"


@pytest.mark.parametrize("angle", ["degree", "radian"])
def test_angles_of_an_attached_spec(angle):
    """Both specs say the unit of angles."""
    child, parent = Spec(), Spec()
    for spec in (child, parent):
        spec.compiler.angle = angle
    turn = 90 if angle == "degree" else np.pi / 2
    child.worldbody.add_body(euler=(turn, 0, 0)).add_geom(size=(0.1,))
    parent.worldbody.add_frame().attach(child, prefix="x_")
    assert np.allclose(parent.compile().body_quat[1], [np.sqrt(0.5), np.sqrt(0.5), 0, 0])
