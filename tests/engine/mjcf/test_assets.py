"""Assets from files and memory: MuJoCo's arrays; messages name the element and the file."""
# ruff: noqa: E501 (messages in one line)

import struct

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.engine.data.data import Data
from mjenv.engine.edit.compile import Model
from mjenv.engine.errors import MjcfError, UnsupportedFeature
from tests.engine.mjcf.test_models import differences
from tests.engine.pictures import noise


def rng():
    return np.random.default_rng(1)


FILES = {
    "grey.png": noise(rng(), 5, 4, 8, 0),
    "deep.png": noise(rng(), 6, 3, 16, 2),
    "palette.png": noise(rng(), 3, 3, 4, 3),
    "hills.bin": struct.pack("<ii6f", 2, 3, 1, 2, 3, 4, 5, float("nan")),
    "flat.bin": struct.pack("<ii2f", 1, 2, 7, 7),
    "empty.bin": b"",
    "short.bin": struct.pack("<i", 1),
    "none.bin": struct.pack("<ii", 0, 1),
    "large.bin": struct.pack("<ii", 65536, 65536),
    "long.bin": struct.pack("<ii2f", 1, 1, 1, 1),
    "text.png": b"not a picture",
}


def model(assets, bodies=""):
    return f"<mujoco>\n<asset>\n{assets}\n</asset><worldbody>{bodies}</worldbody></mujoco>"


def pair(xml, folder):
    """Both models of a document, with `FILES` on disk beside it."""
    for name, contents in FILES.items():
        (folder / name).write_bytes(contents)
    (folder / "model.xml").write_text(xml)
    path = str(folder / "model.xml")
    return Model.from_xml_path(path), mujoco.MjModel.from_xml_path(path)


def refused(xml, message, folder):
    """Check a message, and that MuJoCo refuses the document too."""
    with pytest.raises(MjcfError) as caught:
        pair(xml, folder)
    assert str(caught.value) == message
    assert not isinstance(caught.value, UnsupportedFeature)
    with pytest.raises(ValueError):  # noqa: PT011 (MuJoCo's)
        mujoco.MjModel.from_xml_path(str(folder / "model.xml"))


HILL = '<geom type="hfield" hfield="a" pos="1 2 3" euler="10 20 30" fluidshape="ellipsoid"/>'
HILLS = f"""{HILL}<body><joint/><geom size="1"/>{HILL}</body><body><geom type="hfield" hfield="a"
  mass="3" shellinertia="true"/></body>"""
HFIELDS = [
    '<hfield name="a" size="1 2 .5 .1" nrow="2" ncol="3"/>',
    '<hfield name="a" size="1 2 .5 .1" nrow="2" ncol="3" elevation="1 2 3 4 5 6"/>',
    '<hfield name="a" size="1 2 .5 .1" nrow="1" ncol="3" elevation="2e10 inf 3e10"/>',
    '<hfield name="a" size="1 2 .1 .5" nrow="1" ncol="2" elevation="nan 3"/>',
    '<hfield name="a" size="1 2 .1 .5" nrow="1" ncol="6" elevation="1 2 3 4 nan 6"/>',
    '<hfield name="a" size="1 2 .1 .5" file="grey.png"/>',
    '<hfield name="a" size="1 2 .1 .5" file="deep.png" nrow="3" elevation="1"/>',
    '<hfield name="a" size="1 2 .1 .5" file="palette.png" content_type="image/png;a=b"/>',
    '<hfield name="a" size="1 2 .1 .5" file="hills.bin"/><hfield file="flat.bin" size="1 1 1 1"/>',
]


@pytest.mark.sweep(4)
@pytest.mark.parametrize("assets", HFIELDS, ids=range(len(HFIELDS)))
def test_height_fields(assets, tmp_path):
    ours, reference = pair(model(assets, HILLS), tmp_path)
    assert not differences(ours, reference)
    Data(ours)


def test_height_fields_need_no_geom(tmp_path):
    """A file gives its name; a dynamic one starts flat."""
    assets = """<hfield file="grey.png" size="1 2 3 4"/>
      <hfield name="x" size="1 2 3 4" nrow="1" ncol="2"/>"""
    ours, reference = pair(model(assets), tmp_path)
    assert not differences(ours, reference)
    assert ours.hfield("grey").id == 0
    Data(ours)


SIZE = "size='1 1 1 1'"
WRONG_HFIELDS = [
    ("<hfield name='a' size='1 2 3'/>", "<hfield name='a'>: size='1 2 3': expected 4 values, found 3"),
    (f"<hfield {SIZE} nrow='2' ncol='2'/>",
     "<hfield>: expected the attribute 'name' or 'file', found none of them"),
    ("<hfield name='a' size='1 1 1 0' nrow='2' ncol='2'/>",
     "<hfield name='a'>: size: expected a positive number at place 4, found 0"),
    (f"<hfield name='a' {SIZE} nrow='2'/>",
     "<hfield name='a'>: expected a file, or positive nrow and ncol, found nrow='2' ncol='0'"),
    (f"<hfield name='a' {SIZE} file='' nrow='1' ncol='1'/>",
     "<hfield name='a'>: expected a file, or positive nrow and ncol, found nrow='1' ncol='1'"),
    (f"<hfield name='a' {SIZE} nrow='2' ncol='2' elevation='1'/>",
     "<hfield name='a'>: elevation: expected nrow x ncol = 4 numbers, found 1"),
    (f"<hfield name='a' {SIZE} nrow='1' ncol='2' elevation='1 1e39'/>",
     "<hfield name='a'>: elevation: 1e+39: expected numbers of single precision, between 1e-38 and 3e38"),
    (f"<hfield name='a' {SIZE} nrow='1' ncol='2' elevation='nan nan'/>",
     "<hfield name='a'>: heights: expected finite numbers"),
    (f"<hfield name='a' {SIZE} file='no.png'/>",
     "<hfield name='a'>: file='no.png': no such file, expected it at 'no.png'"),
    (f"<hfield name='a' {SIZE} file='grey.png' content_type='a/b'/>",
     "<hfield name='a'>: file='grey.png': expected the content type image/png or"
     " image/vnd.mujoco.hfield, found a/b; register_decoder adds others"),
    (f"<hfield {SIZE} file='text.png'/>", "<hfield>: file='text.png': not a PNG file"),
    (f"<hfield {SIZE} file='empty.bin'/>",
     "<hfield>: file='empty.bin': expected 8 bytes or more, found 0"),
    (f"<hfield {SIZE} file='short.bin'/>",
     "<hfield>: file='short.bin': expected 8 bytes or more, found 4"),
    (f"<hfield {SIZE} file='none.bin'/>",
     "<hfield>: file='none.bin': expected positive numbers of rows and columns, found 0 and 1"),
    (f"<hfield {SIZE} file='large.bin'/>",
     "<hfield>: file='large.bin': 65536 x 65536 samples: expected 17179869192 bytes, found 8"),
    (f"<hfield {SIZE} file='long.bin'/>",
     "<hfield>: file='long.bin': 1 x 1 samples: expected 12 bytes, found 16"),
]  # fmt: skip


@pytest.mark.parametrize(("assets", "message"), WRONG_HFIELDS, ids=range(len(WRONG_HFIELDS)))
def test_messages_of_height_fields(assets, message, tmp_path):
    refused(model(assets), f"model.xml:3: {message}", tmp_path)


WRONG_HILLS = [
    ("<geom type='hfield'/>", "type='hfield' and hfield='...': expected both or none of them"),
    ("<geom size='1' hfield='a'/>", "type='hfield' and hfield='...': expected both or none of them"),
    ("<geom type='hfield' hfield='b'/>", "hfield='b': no such hfield; there is hill"),
    ("<geom type='hfield' hfield='hil'/>", "hfield='hil': no such hfield; did you mean 'hill'?"),
    ("<geom type='hfield' hfield='hill' fromto='0 0 0 1 1 1'/>",
     "fromto: type='hfield': expected capsule, cylinder, ellipsoid or box"),
    ("<body><geom type='hfield' hfield='hill' mass='-1'/></body>",
     "mass and density: expected numbers that are not negative"),
]  # fmt: skip


@pytest.mark.parametrize(("geom", "message"), WRONG_HILLS, ids=range(len(WRONG_HILLS)))
def test_messages_of_geoms_with_height_fields(geom, message, tmp_path):
    xml = model(f"<hfield name='hill' {SIZE} nrow='1' ncol='1'/>", geom)
    refused(xml, f"model.xml:4: <geom>: {message}", tmp_path)


def test_huge_height_fields_are_refused():
    xml = model(f"<hfield name='hill' {SIZE} nrow='100000' ncol='100000'/>")
    with pytest.raises(UnsupportedFeature, match="100000 x 100000 samples"):
        Model.from_xml_string(xml)


TETRA = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
NAMES_A_FILE = """
<mujoco><asset><mesh file="shape.obj"/></asset>
<worldbody><geom type="mesh" mesh="shape"/></worldbody></mujoco>"""


@pytest.mark.parametrize("kind", ["Model", "Spec"])
def test_where_files_of_texts_and_paths_are_found(kind, tmp_path, monkeypatch):
    """A text finds files in a folder that is given, "." as in MuJoCo; a path also in assets."""
    of_text = {"Model": mjenv.Model.from_xml_string, "Spec": mjenv.Spec.from_string}[kind]
    of_path = {"Model": mjenv.Model.from_xml_path, "Spec": mjenv.Spec.from_file}[kind]

    def count(found):
        return (found.compile() if kind == "Spec" else found).nmeshvert

    (tmp_path / "shape.obj").write_text(TETRA)
    (tmp_path / "model.xml").write_text(NAMES_A_FILE)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(mjenv.MjcfError, match="finds files in assets=, or in folder="):
        count(of_text(NAMES_A_FILE))
    assert count(of_text(NAMES_A_FILE, folder=".")) == 4
    monkeypatch.chdir("/")
    assert count(of_text(NAMES_A_FILE, folder=tmp_path)) == 4
    other = TETRA.replace("f 2 3 4", "v 2 2 2\nf 2 3 5\nf 2 5 4\nf 3 4 5").encode()
    assert count(of_path(tmp_path / "model.xml")) == 4
    assert count(of_path(tmp_path / "model.xml", {"shape.obj": other})) == 5


@pytest.mark.parametrize("read", [mjenv.Model.from_xml_path, mjenv.Spec.from_file])
def test_binary_models_are_no_documents(read, tmp_path):
    path = tmp_path / "model.bin"
    mjenv.Model.from_xml_string("<mujoco/>").save(path)
    with pytest.raises(mjenv.MjcfError, match=r"found a saved model of mjenv.*Model\.load"):
        read(path)
    mujoco.mj_saveModel(mujoco.MjModel.from_xml_string("<mujoco/>"), str(path))
    with pytest.raises(mjenv.MjcfError, match=r"found a binary model of MuJoCo \(mjb\)"):
        read(path)


@pytest.mark.parametrize("kind", ["geom", "site", "tendon"])
def test_empty_material(kind):
    """Geoms are then without the material of their class; sites and tendons keep it, as there."""
    text = f"""<mujoco><asset><material name="m"/></asset>
      <default><{kind} material="m"/><default class="c"><{kind} material=""/></default></default>
      <worldbody><geom size=".1" material=""/><geom size=".1" class="c"/>
      <site name="a" material=""/><site name="b" class="c" pos="1 0 0"/></worldbody>
      <tendon><spatial material=""><site site="a"/><site site="b"/></spatial>
      <spatial class="c"><site site="a"/><site site="b"/></spatial></tendon></mujoco>"""
    mj, model = mujoco.MjModel.from_xml_string(text), Model.from_xml_string(text)
    assert getattr(model, f"{kind}_matid").tolist() == getattr(mj, f"{kind}_matid").tolist()
    again = Model.from_xml_string(mjenv.Spec.from_string(text).to_xml())
    assert getattr(again, f"{kind}_matid").tolist() == getattr(mj, f"{kind}_matid").tolist()
