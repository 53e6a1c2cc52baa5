"""Textures from files: MuJoCo's pixels, and messages that name the element and the file."""
# ruff: noqa: E501 (models and messages in one line)

import struct

import mujoco
import numpy as np
import pytest

from mjenv.engine.edit.compile import Model
from mjenv.engine.errors import MjcfError, UnsupportedFeature
from tests.engine.mjcf.test_models import differences
from tests.engine.pictures import chunk, noise, plain


def pixels(height, width, channels=3):
    return np.random.default_rng(height).integers(0, 256, (height, width, channels), np.uint8)


def custom(width, height, size=None):
    return struct.pack("<ii", width, height) + bytes(
        range(3 * width * height if size is None else size)
    )


FILES = {
    "rgb.png": plain(pixels(4, 6)),
    "rgba.png": plain(pixels(4, 4, 4), chunk(b"sRGB", b"\0")),
    "grey.png": noise(np.random.default_rng(1), 3, 3, 16, 4),
    "square.png": plain(pixels(4, 4)),
    "other.png": plain(pixels(4, 4), chunk(b"sRGB", b"\0")),
    "large.png": plain(pixels(6, 6)),
    "cross.png": plain(pixels(9, 12)),
    "row.png": plain(pixels(2, 12)),
    "own.tex": custom(3, 2),
    "tall.tex": custom(1, 6),
    "one.ktx": b"abcdef",
    "text.png": b"not a picture",
    "empty.tex": b"",
    "none.tex": custom(0, 1),
    "short.tex": custom(2, 2, 11),
    "flat.ktx": b"",
}
GOOD = [
    '<texture file="rgb.png" type="2d"/>',
    '<texture file="rgb.png" type="2d" hflip="true" name="t"/>',
    '<texture file="rgb.png" type="2d" vflip="true" nchannel="1" name=""/>',
    '<texture file="rgb.png" type="2d" vflip="true" hflip="true" nchannel="4" colorspace="sRGB"/>',
    '<texture file="rgba.png" type="2d"/>',
    '<texture file="rgba.png" type="2d" nchannel="4" hflip="true" colorspace="linear"/>',
    '<texture file="grey.png" type="2d"/>',
    '<texture file="grey.png" type="2d" nchannel="4" gridsize="0 0"/>',
    '<texture file="rgb.png" type="2d" content_type="image/png"/>',
    '<texture file="own.tex" type="2d"/>',
    '<texture file="own.tex" type="2d" hflip="true" vflip="true" colorspace="sRGB"/>',
    '<texture file="one.ktx" type="2d"/>',
    '<texture file="own.tex" type="2d" content_type="image/ktx" nchannel="4"/>',
    '<texture file="square.png"/>',
    '<texture file="square.png" type="skybox" hflip="true"/>',
    '<texture file="square.png" gridsize="1 1" gridlayout="x"/>',
    '<texture file="cross.png" gridsize="3 4" gridlayout=".U..LFRB.D.."/>',
    '<texture file="cross.png" gridsize="3 4" gridlayout=".U..LFU......" rgb1="0.1 0.5 0.9"/>'.replace("......", "....."),
    '<texture file="cross.png" gridsize="3 4" vflip="true"/>',
    '<texture file="row.png" gridsize="1 6" gridlayout="RLUDFB" type="skybox"/>',
    '<texture file="tall.tex" gridsize="6 1" gridlayout="BFDULR"/>',
    '<texture name="c" fileright="square.png" fileleft="other.png" fileup="rgba.png" filedown="square.png" filefront="square.png" fileback="other.png"/>',
    '<texture name="c" fileup="other.png" fileback="square.png" rgb1="1 0.5 0" vflip="true"/>',
    '<texture type="skybox" filefront="square.png"/>',
    '<texture type="skybox" filefront="square.png" file="large.png"/>',
    '<texture name="b" builtin="checker" width="4" nchannel="4" file="a/./b.png"/>',
    '<texture name="b" builtin="checker" width="4" gridsize="1 2" gridlayout="xx"/>',
    '<texture file="rgb.png" type="2d"/><texture name="b" type="2d" builtin="flat" width="2" height="2"/><texture file="own.tex" type="2d"/>',
]  # fmt: skip


def document(textures):
    return f"<mujoco>\n<asset>\n{textures}\n</asset></mujoco>"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the files."""
    path = tmp_path_factory.mktemp("textures")
    for name, contents in FILES.items():
        (path / name).write_bytes(contents)
    return path


@pytest.mark.parametrize("textures", GOOD, ids=range(len(GOOD)))
def test_textures(textures, folder):
    (folder / "model.xml").write_text(document(textures))
    path = str(folder / "model.xml")
    assert not differences(Model.from_xml_path(path), mujoco.MjModel.from_xml_path(path))


WRONG = [
    ("<texture name='a' type='2d'/>", "expected builtin or file, found none of them; faces are those of a cube or skybox"),
    ("<texture name='a' type='2d' fileup='square.png'/>", "expected builtin or file, found none of them; faces are those of a cube or skybox"),
    ("<texture name='a'/>", "expected builtin, file or one of fileright to fileback, found none"),
    ("<texture name='a' type='2d' file='no.png'/>", "file='no.png': no such file, expected it at 'no.png'; did you mean 'row.png'?"),
    ("<texture name='a' fileup='no.png'/>", "fileup='no.png': no such file, expected it at 'no.png'; did you mean 'row.png'?"),
    ("<texture name='a' type='2d' file='text.png'/>", "file='text.png': not a PNG file"),
    ("<texture name='a' type='2d' file='rgb.png' nchannel='2'/>", "nchannel='2': expected 1, 3 or 4"),
    ("<texture name='a' type='2d' file='rgb.png' content_type='a/b'/>", "file='rgb.png': expected the content type image/png, image/ktx or image/vnd.mujoco.texture, found a/b; register_decoder adds others"),
    ("<texture name='a' type='2d' file='one.ktx' hflip='true'/>", "file='one.ktx': expected no hflip or vflip of a KTX texture"),
    ("<texture name='a' type='2d' file='flat.ktx'/>", "file='flat.ktx': the file is empty"),
    ("<texture name='a' file='one.ktx'/>", "file='one.ktx': 6 x 1 pixels: expected 1 squares beside and 1 above each other"),
    ("<texture name='a' type='2d' file='empty.tex'/>", "file='empty.tex': expected a positive width and height, found 0, 0"),
    ("<texture name='a' type='2d' file='none.tex'/>", "file='none.tex': expected a positive width and height, found 0, 1"),
    ("<texture name='a' type='2d' file='short.tex'/>", "file='short.tex': 2 x 2 pixels: expected 20 bytes, found 19"),
    ("<texture name='a' file='rgb.png'/>", "file='rgb.png': 6 x 4 pixels: expected 1 squares beside and 1 above each other"),
    ("<texture name='a' file='cross.png' gridsize='5 4'/>", "gridsize='5 4': expected 1 to 12 squares"),
    ("<texture name='a' file='cross.png' gridsize='0 4'/>", "gridsize='0 4': expected 1 to 12 squares"),
    ("<texture name='a' file='cross.png' gridsize='2 4'/>", "file='cross.png': 12 x 9 pixels: expected 4 squares beside and 2 above each other"),
    ("<texture name='a' file='row.png' gridsize='1 6' gridlayout='RLUDFx'/>", "gridlayout: 'x': expected letters of .RLUDFB"),
    ("<texture name='a' file='row.png' gridsize='1 6' gridlayout='RLU'/>", "gridlayout='RLU': expected one letter for each of the 1 x 6 squares of the grid, at most 12, found 3"),
    ("<texture name='a' builtin='flat' width='1' gridsize='1 13' gridlayout='.............'/>", "gridlayout='.............': expected at most 12 letters, found 13"),
    ("<texture name='a' fileup='rgb.png'/>", "fileup='rgb.png': expected a square, found 6 x 4"),
    ("<texture name='a' fileup='square.png' filedown='large.png'/>", "filedown='large.png': expected 4 pixels as in the other files, found 6"),
]  # fmt: skip


@pytest.mark.parametrize(("textures", "message"), WRONG, ids=range(len(WRONG)))
def test_messages(textures, message, folder):
    (folder / "wrong.xml").write_text(document(textures))
    with pytest.raises(MjcfError) as caught:
        Model.from_xml_path(folder / "wrong.xml")
    assert str(caught.value) == f"wrong.xml:3: <texture name='a'>: {message}"
    assert not isinstance(caught.value, UnsupportedFeature)
    with pytest.raises(ValueError):  # noqa: PT011 (MuJoCo's)
        mujoco.MjModel.from_xml_path(str(folder / "wrong.xml"))


# where MuJoCo reads or writes beyond its arrays
UNDEFINED = [
    ("<texture name='a' file='square.png' nchannel='4'/>", "a cube with nchannel='4'"),
    ("<texture name='a' type='2d' file='own.tex' nchannel='4'/>", "nchannel='4' with the format image/vnd.mujoco.texture"),
    ("<texture name='a' type='2d' builtin='flat' width='2' height='2' nchannel='1'/>", "nchannel='1' in a builtin texture"),
]  # fmt: skip


@pytest.mark.parametrize(("textures", "message"), UNDEFINED, ids=range(len(UNDEFINED)))
def test_what_is_undefined_is_refused_by_name(textures, message, folder):
    (folder / "undefined.xml").write_text(document(textures))
    with pytest.raises(UnsupportedFeature) as caught:
        Model.from_xml_path(folder / "undefined.xml")
    assert f": {message} is valid, but not supported" in str(caught.value)


FOLDERS = [
    "",
    "<compiler texturedir='td'/>",
    "<compiler assetdir='td'/>",
    "<compiler meshdir='md' assetdir='td'/>",
    "<compiler texturedir='./td/../td/' meshdir='md' strippath='true'/>",
]


@pytest.mark.sweep(2)
@pytest.mark.parametrize("compiler", FOLDERS)
@pytest.mark.parametrize("included", [False, True], ids=["main", "included"])
def test_where_files_are_found(compiler, included, tmp_path):
    """As MuJoCo: folders of the compiler, then that of an included file; the rest is refused."""
    found = 0
    files = ("a{}.x", "./sub/a{}.x", "../main/a{}.x", str(tmp_path / "main/sub/a{}.x"))
    places = ("a{}.x", "sub/a{}.x", "td/a{}.x", "md/a{}.x", "td/sub/a{}.x")
    for count, (file, place, kind) in enumerate(
        (file, place, kind) for file in files for place in places for kind in ("texture", "hfield")
    ):
        main = tmp_path / "main"
        for name in ("sub", "td/sub", "md/sub"):
            (main / name).mkdir(parents=True, exist_ok=True)
        hills = struct.pack("<iiff", 1, 2, 0, count)
        (main / place.format(count)).write_bytes(custom(1, 1) if kind == "texture" else hills)
        more = "type='2d'" if kind == "texture" else "size='1 1 1 1'"
        assets = f"<asset><{kind} name='t' {more} file='{file.format(count)}'/></asset>"
        (main / "sub" / "part.xml").write_text(f"<m>{assets}</m>")
        inside = "<include file='sub/part.xml'/>" if included else assets
        (main / "model.xml").write_text(f"<mujoco>{compiler}{inside}</mujoco>")
        path = str(main / "model.xml")
        try:
            reference = mujoco.MjModel.from_xml_path(path)
        except ValueError:
            with pytest.raises(MjcfError, match="no such file"):
                Model.from_xml_path(path)
            continue
        assert not differences(Model.from_xml_path(path), reference)
        found += 1
    assert found > 3


MEMORY = [
    ("x/a{}.tex", "a{}.tex", ""),
    ("a{}.tex", "x/A{}.TEX", "<compiler texturedir='td'/>"),
    ("a{}.tex", "./td/../td/a{}.tex", "<compiler texturedir='td'/>"),
    ("/abs/a{}.tex", "a{}.tex", ""),
    ("../a{}.tex", "a{}.tex", ""),
    ("c:\\b\\a{}.tex", "a{}.tex", ""),
    ("q/a{}.tex", "q/a{}.tex", "<compiler strippath='true'/>"),
]


@pytest.mark.parametrize(("file", "key", "compiler"), MEMORY, ids=range(len(MEMORY)))
def test_files_in_memory(file, key, compiler):
    """Found by their names without folders and case, as MuJoCo finds them."""
    count = abs(hash((file, key)))
    assets = {key.format(count): custom(2, 2)}
    texture = f"<asset><texture name='t' type='2d' file='{file.format(count)}'/></asset>"
    for xml in (
        f"<mujoco>{compiler}{texture}</mujoco>",
        f"<mujoco>{compiler}<include file='s/i.xml'/></mujoco>",
    ):
        more = assets | {"s/i.xml": f"<m>{texture}</m>".encode()}
        reference = mujoco.MjModel.from_xml_string(xml, more)
        assert not differences(Model.from_xml_string(xml, more), reference)


def test_whole_names_in_memory_come_first():
    """Two files may have the same name in two folders."""
    assets = {"a/t.tex": custom(1, 2), "b/t.tex": custom(2, 1)}
    textures = "<texture name='{0}' type='2d' file='{0}/t.tex'/>"
    xml = document(textures.format("a") + textures.format("b"))
    assert Model.from_xml_string(xml, assets).tex_width.tolist() == [1, 2]


def test_models_in_memory_open_no_files(folder, monkeypatch):
    monkeypatch.chdir(folder)
    with pytest.raises(MjcfError, match="no such file"):
        Model.from_xml_string(document("<texture type='2d' file='rgb.png'/>"))


@pytest.mark.parametrize("child", ["", "<compiler texturedir='td' meshdir='td'/>"])
@pytest.mark.parametrize(
    "parent", ["", "<compiler texturedir='pd'/>", "<compiler strippath='true'/>"]
)
def test_files_of_attached_models(child, parent, tmp_path):
    """Their folders are those of their own file."""
    for count, place in enumerate(("{}.x", "sub/{}.x", "sub/td/{}.x", "pd/{}.x")):
        for name in ("sub/td", "pd"):
            (tmp_path / name).mkdir(parents=True, exist_ok=True)
        (tmp_path / place.format(f"a{count}")).write_bytes(custom(1, 1))
        (tmp_path / place.format(f"b{count}")).write_bytes(struct.pack("<iif", 1, 1, 1))
        assets = f"""<asset><texture name="a" type="2d" file="a{count}.x"/><hfield file="b{count}.x"
          size="1 1 1 1"/><material name="m" texture="a"/></asset>"""
        body = f'<body name="b"><geom type="hfield" hfield="b{count}" material="m"/></body>'
        (tmp_path / "sub" / "child.xml").write_text(
            f"<mujoco>{child}{assets}<worldbody>{body}</worldbody></mujoco>"
        )
        (tmp_path / "model.xml").write_text(
            f"""<mujoco>{parent}<asset><model name="c" file="sub/child.xml"/></asset><worldbody>
            <attach model="c" body="b" prefix="p_"/></worldbody></mujoco>"""
        )
        path = str(tmp_path / "model.xml")
        try:
            reference = mujoco.MjModel.from_xml_path(path)
        except ValueError:
            with pytest.raises(MjcfError, match="no such file"):
                Model.from_xml_path(path)
        else:
            assert not differences(Model.from_xml_path(path), reference)


def test_large_files_and_special_files_are_not_read(tmp_path):
    large = tmp_path / "large.tex"
    with large.open("wb") as file:
        file.truncate(1 << 31)
    (tmp_path / "model.xml").write_text(document("<texture type='2d' file='large.tex'/>"))
    with pytest.raises(UnsupportedFeature, match=r"large\.tex: a file of more than 1 GB"):
        Model.from_xml_path(tmp_path / "model.xml")
    (tmp_path / "model.xml").write_text(document("<texture type='2d' file='/dev/zero'/>"))
    with pytest.raises(MjcfError, match="no such file"):
        Model.from_xml_path(tmp_path / "model.xml")
