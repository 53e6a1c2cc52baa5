"""Files that come from a user's own places, in a user's own formats."""

import json

import numpy as np
import pytest

import mjenv
from mjenv.engine.errors import MjcfError

CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
SIDES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
OBJ = "".join(f"v {x} {y} {z}\n" for x, y, z in CORNERS) + "".join(
    f"f {a} {b} {c}\n" for a, b, c in SIDES + 1
)
MODEL = """
<mujoco>
  <compiler meshdir="meshes" texturedir="pictures"/>
  <asset>{asset}</asset>
  <worldbody>{body}</worldbody>
</mujoco>"""
MESH = MODEL.format(
    asset="<mesh name='a' file='{file}' {more}/>", body="<geom type='mesh' mesh='a'/>"
)


pytestmark = pytest.mark.usefixtures("own_resources")


def mesh(file: str, more: str = "", **options) -> mjenv.Model:
    return mjenv.Model.from_xml_string(MESH.format(file=file, more=more), **options)


# ---------------------------------------------------------------- providers


def test_files_come_from_a_provider():
    asked = []

    def read(name: str) -> bytes:
        asked.append(name)
        return OBJ.encode()

    mjenv.register_resource_provider("store", read)
    found = mesh("store:shapes/cup.obj")
    assert asked == ["store:shapes/cup.obj"]
    expected = mesh("cup.obj", assets={"meshes/cup.obj": OBJ.encode()})
    np.testing.assert_array_equal(found.mesh_vert, expected.mesh_vert)
    np.testing.assert_array_equal(found.mesh_face, expected.mesh_face)
    # the prefix in any case; the name goes on into saved text
    assert mesh("STORE:cup.obj").nmeshvert == 4
    spec = mjenv.Spec.from_string(MESH.format(file="store:cup.obj", more=""))
    assert 'file="store:cup.obj"' in spec.to_xml()
    mjenv.register_resource_provider("store", None)
    with pytest.raises(MjcfError, match="no such file"):
        mesh("store:cup.obj")


def test_models_and_includes_come_from_a_provider():
    files = {
        "db:ball.xml": b"<mujoco><worldbody><geom name='ball' size='.3'/></worldbody></mujoco>",
        "db:part.xml": b"<mujoco><worldbody><geom size='.2'/></worldbody></mujoco>",
    }
    mjenv.register_resource_provider("db", files.__getitem__)
    model = mjenv.Model.from_xml_string("""
    <mujoco>
      <include file="db:part.xml"/>
      <asset><model name="ball" file="db:ball.xml"/></asset>
      <worldbody><frame><attach model="ball" prefix="b-"/></frame></worldbody>
    </mujoco>""")
    assert model.geom("b-ball").size[0] == 0.3
    assert model.ngeom == 2


@pytest.mark.parametrize("error", [KeyError, FileNotFoundError])
def test_files_that_a_provider_does_not_have(error):
    def read(name: str) -> bytes:
        raise error(name)

    mjenv.register_resource_provider("store", read)
    with pytest.raises(MjcfError, match=r"file='store:cup.obj': no such file"):
        mesh("store:cup.obj")


def test_providers_that_are_refused():
    mjenv.register_resource_provider("store", lambda name: "text")
    with pytest.raises(MjcfError, match="the resource provider returned str, expected bytes"):
        mesh("store:cup.obj")
    with pytest.raises(ValueError, match="this prefix has a provider"):
        mjenv.register_resource_provider("Store", lambda name: b"")
    for prefix in ("", "c", "a b", "9a"):
        with pytest.raises(ValueError, match="expected two or more letters"):
            mjenv.register_resource_provider(prefix, lambda name: b"")
    with pytest.raises(TypeError, match="found a int, expected a function"):
        mjenv.register_resource_provider("other", 3)


# ---------------------------------------------------------------- decoders


def given(**arrays):
    return lambda contents, name: {
        "vertex": CORNERS, "face": SIDES, **{k: v for k, v in arrays.items() if v is not None}
    }  # fmt: skip


def test_meshes_in_a_format_of_the_users():
    def decode(contents: bytes, name: str) -> dict:
        assert name == "cup.shape"
        return json.loads(contents)

    contents = json.dumps({"vertex": CORNERS.tolist(), "face": SIDES.tolist()}).encode()
    mjenv.register_decoder("mesh", ".shape", decode, "model/shape")
    found = mesh("cup.shape", assets={"cup.shape": contents})
    expected = mesh("cup.obj", assets={"cup.obj": OBJ.encode()})
    for name in ("mesh_vert", "mesh_face", "mesh_normal", "geom_pos", "geom_quat", "body_inertia"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), name)
    # by the type that is given
    with pytest.raises(AssertionError):
        mesh("cup.data", "content_type='model/shape'", assets={"cup.data": contents})
    mjenv.register_decoder("mesh", ".shape", None)
    with pytest.raises(MjcfError, match="register_decoder adds others"):
        mesh("cup.shape", assets={"cup.shape": contents})


def test_normals_and_coordinates_of_vertices():
    normals, places = np.eye(4, 3) + 0.1, np.linspace(0, 1, 8).reshape(4, 2)
    mjenv.register_decoder("mesh", ".own", given(normal=normals, texcoord=places))
    model = mesh("a.own", assets={"a.own": b""})
    np.testing.assert_array_equal(model.mesh_facenormal, model.mesh_face)
    np.testing.assert_array_equal(model.mesh_facetexcoord, model.mesh_face)
    np.testing.assert_allclose(model.mesh_texcoord, places, atol=1e-7)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"vertices": CORNERS}, r"the decoder returned \['face', 'vertex', 'vertices'\], expected"),
        ({"vertex": CORNERS[:, :2]}, r"the decoder's vertex: found \(4, 2\), expected \(n, 3\)"),
        ({"vertex": "corners"}, "the decoder's vertex: expected numbers"),
        ({"face": SIDES + 1}, "the decoder's face: expected whole numbers from 0 to 3"),
        ({"face": SIDES + 0.5}, "the decoder's face: expected whole numbers"),
        ({"normal": CORNERS[:2]}, "the decoder's normal: expected one for each vertex"),
        (
            {"normal": CORNERS, "facenormal": SIDES[:2]},
            "the decoder's facenormal: expected one row for each face",
        ),
    ],
)
def test_meshes_that_do_not_fit(arrays, message):
    mjenv.register_decoder("mesh", ".own", given(**arrays))
    with pytest.raises(MjcfError, match=message):
        mesh("a.own", assets={"a.own": b""})


def test_what_a_decoder_says_is_wrong():
    def decode(contents, name):
        raise ValueError("7 bytes, expected 8")

    mjenv.register_decoder("mesh", ".own", decode)
    with pytest.raises(MjcfError, match=r"file='a.own': 7 bytes, expected 8"):
        mesh("a.own", assets={"a.own": b""})


def texture(more: str = "") -> mjenv.Model:
    asset = f"<texture name='a' type='2d' file='a.own' {more}/>"
    return mjenv.Model.from_xml_string(
        MODEL.format(asset=asset, body=""), assets={"pictures/a.own": b"12"}
    )


def test_textures_in_a_format_of_the_users():
    pixels = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)
    mjenv.register_decoder("texture", ".own", lambda contents, name: pixels)
    model = texture()
    assert (model.tex_height[0], model.tex_width[0]) == (2, 4)
    np.testing.assert_array_equal(model.tex_data, pixels.ravel())
    with pytest.raises(MjcfError, match="found 3 channels, expected nchannel='4'"):
        texture("nchannel='4'")
    pixels = pixels.astype(float)
    with pytest.raises(
        MjcfError, match=r"the decoder returned float64 \(2, 4, 3\), expected uint8"
    ):
        texture()


def test_height_fields_in_a_format_of_the_users():
    asset = "<hfield name='a' file='a.own' size='1 1 1 .1'/>"
    document = MODEL.format(asset=asset, body="<geom type='hfield' hfield='a'/>")
    heights = np.array([[0.0, 1.0, 2.0], [4.0, 3.0, 0.0]])
    mjenv.register_decoder("hfield", ".own", lambda contents, name: heights)
    model = mjenv.Model.from_xml_string(document, assets={"a.own": b"", "meshes/a.own": b""})
    np.testing.assert_array_equal(model.hfield_data, heights.ravel() / 4)
    heights = "heights"
    with pytest.raises(MjcfError, match=r"expected numbers \(nrow, ncol\)"):
        mjenv.Model.from_xml_string(document, assets={"a.own": b"", "meshes/a.own": b""})


@pytest.mark.parametrize("form", [str, bytes, "spec"])
def test_models_in_a_format_of_the_users(form):
    def decode(contents: bytes, name: str):
        geom = f"<geom name='ball' size='{contents.decode()}'/>"
        text = f"<mujoco><worldbody>{geom}</worldbody></mujoco>"
        if form == "spec":
            return mjenv.Spec.from_string(text)
        return text if form is str else text.encode()

    mjenv.register_decoder("model", ".ball", decode)
    model = mjenv.Model.from_xml_string(
        """
    <mujoco>
      <asset><model name="ball" file="a.ball"/></asset>
      <worldbody><frame><attach model="ball" prefix="b-"/></frame></worldbody>
    </mujoco>""",
        assets={"a.ball": b".7"},
    )
    assert model.geom("b-ball").size[0] == 0.7


def test_main_documents_in_a_format_of_the_users(tmp_path):
    def decode(contents: bytes, name: str):
        if name != "a.ball":
            raise ValueError("expected a ball")
        if contents == b"7":
            return 7
        geom = f"<geom name='ball' size='{contents.decode()}'/>"
        return f"<mujoco><worldbody>{geom}</worldbody></mujoco>"

    path = tmp_path / "a.ball"
    path.write_text(".7")
    mjenv.register_decoder("model", ".ball", decode)
    assert mjenv.Model.from_xml_path(path).geom("ball").size[0] == 0.7
    assert mjenv.Spec.from_file(path).compile().geom("ball").size[0] == 0.7
    path.write_text("7")
    message = r"from_xml_path: .*a\.ball: the decoder returned int, expected MJCF text or a Spec"
    with pytest.raises(MjcfError, match=message):
        mjenv.Model.from_xml_path(path)
    other = path.rename(tmp_path / "b.ball")
    with pytest.raises(MjcfError, match=r"from_file: .*b\.ball: expected a ball"):
        mjenv.Spec.from_file(other)
    mjenv.register_decoder("model", ".ball", None)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (
            ("sound", ".own", len),
            ValueError,
            "expected one of 'mesh', 'texture', 'hfield', 'model'",
        ),
        (("mesh", "own", len), ValueError, "expected an extension such as '.glb'"),
        (("mesh", ".OBJ", len), ValueError, "this format is read already"),
        (("mesh", ".own", 3), TypeError, "found a int, expected a function"),
        (("mesh", ".own", len, "glb"), ValueError, "content_type='glb': expected type/subtype"),
    ],
)
def test_decoders_that_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        mjenv.register_decoder(*arguments)


# ---------------------------------------------------------------- encoders


def test_specs_are_written_in_a_format_of_the_users(tmp_path):
    spec = mjenv.Spec.from_string("<mujoco model='cup'><worldbody/></mujoco>")
    mjenv.register_encoder(".own", lambda given: given.modelname.encode())
    spec.to_file(tmp_path / "cup.OWN")
    assert (tmp_path / "cup.OWN").read_bytes() == b"cup"
    spec.to_file(tmp_path / "cup.xml")
    assert mjenv.Model.from_xml_path(tmp_path / "cup.xml").nbody == 1
    mjenv.register_encoder(".own", None)
    mjenv.register_encoder(".own", lambda given: "text")
    with pytest.raises(TypeError, match=r"the encoder of '\.own' returned str, expected bytes"):
        spec.to_file(tmp_path / "other.own")
    assert not (tmp_path / "other.own").exists()


@pytest.mark.parametrize(
    ("extension", "encode", "error", "message"),
    [
        ("own", len, ValueError, "expected an extension such as '.own'"),
        (".xml", len, ValueError, "this format is written already"),
        (".own", 3, TypeError, "found a int, expected a function"),
    ],
)
def test_encoders_that_are_refused(extension, encode, error, message):
    with pytest.raises(error, match=message):
        mjenv.register_encoder(extension, encode)
