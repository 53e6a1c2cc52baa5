"""Skins compile to MuJoCo's arrays; what it refuses is refused by name."""

import struct

import mujoco
import numpy as np
import pytest

from mjenv.engine.edit.compile import Model
from mjenv.engine.edit.spec import Spec
from mjenv.engine.errors import MjcfError
from tests.engine.mjcf.test_models import differences

BODIES = '<body name="a"><joint/><geom size="1"/><body name="b" pos="1 0 0"/></body>'
BONES = """
<bone body="a" bindpos="1 2 3" bindquat="1 0 0 2" vertid="0 1 2 0" vertweight=".1 3 1 .3"/>
<bone body="b" bindpos="0 .1 0" bindquat="0 0 0 0" vertid="2 3" vertweight="2 .7"/>"""
DATA = 'vertex="0 0 0 1 0 0 0 1 0 0 0 1.1" face="0 1 2 0 2 3"'
SKIN = f'<skin name="s" {DATA} rgba=".1 .2 .3 .4" inflate=".2" group="3">{BONES}</skin>'
TEXTURED = f"""<skin {DATA} texcoord="0 .1 .2 .3 .4 .5 .6 .7" material="m">
<bone body="world" bindpos="0 0 0" bindquat="3 0 4 0" vertid="0 1 2 3" vertweight="1 1 1 9"/>
</skin>"""


def skn(bones=(("a", [0, 1, 2], [1, 2, 3]), ("b", [0], [5])), counts=(3, 3, 1, 2), end=b""):
    """An SKN file of a triangle."""
    contents = struct.pack("<4i9f6f3i", *counts, *range(9), *range(6), 0, 1, 2)
    for name, vertid, weight in bones:
        contents += name.encode().ljust(40, b"\0") + struct.pack("<7f", 1, 2, 3, 1, 1, 0, 0)
        contents += struct.pack(f"<i{len(vertid)}i{len(weight)}f", len(vertid), *vertid, *weight)
    return contents + end


def document(assets="", deformable="", compiler="", bodies=BODIES):
    return f"""<mujoco><compiler {compiler}/><asset><material name="m"/>{assets}</asset>
<worldbody>{bodies}</worldbody><deformable>{deformable}</deformable></mujoco>"""


ASSETS = {
    "in/first.SKN": skn(),
    "second.skn": skn((("b", [2, 1, 0], [1, 1, 1]), ("a", [1], [1e-3]))),
}
DOCUMENTS = [
    (SKIN, ""),
    ("", SKIN + TEXTURED),
    (TEXTURED, '<skin file="in/first.SKN" material="m"/>' + SKIN),
    ("<skin file='in/first.SKN'/>", "<skin name='x' file='second.skn'/>"),
]


def both(xml):
    return Model.from_xml_string(xml, ASSETS), mujoco.MjModel.from_xml_string(xml, ASSETS)


@pytest.mark.parametrize("parts", DOCUMENTS, ids=range(len(DOCUMENTS)))
def test_arrays(parts):
    ours, reference = both(document(*parts))
    assert not differences(ours, reference)
    written = Spec.from_string(document(*parts), ASSETS).to_xml()
    assert not differences(Model.from_xml_string(written, ASSETS), reference)


def test_bodies_of_bones_are_not_fused():
    ours, reference = both(document(SKIN, "", 'fusestatic="true"'))
    assert ours.nbody == 3
    assert not differences(ours, reference)


def test_attached(tmp_path):
    """Skins come along where their bodies do, under their own names."""
    (tmp_path / "child.xml").write_text(document(SKIN.replace('"s"', '"t"')))
    (tmp_path / "main.xml").write_text(
        f"""<mujoco><asset><material name="m"/><model name="c" file="child.xml"/></asset>
        <worldbody>{BODIES}<frame pos="3 0 0"><attach model="c" body="a" prefix="x_"/></frame>
        </worldbody><deformable>{SKIN}</deformable></mujoco>"""
    )
    path = str(tmp_path / "main.xml")
    ours, reference = Model.from_xml_path(path), mujoco.MjModel.from_xml_path(path)
    assert ours.nskin == 2
    assert not differences(ours, reference)
    again = Model.from_xml_string(Spec.from_file(path).to_xml())
    assert np.array_equal(again.skin_bonebodyid, ours.skin_bonebodyid)


def skin(bones=BONES, data=DATA, more=""):
    return f'<skin name="s" {data} {more}>{bones}</skin>'


REFUSED = [
    ("", skin(""), "expected vertices, faces and bones, in attributes or a file, found 4 vertices"),
    ("", skin(more='texcoord="0 1 2 3"'), "texcoord: expected 4 rows as of vertex, found 2"),
    ("", skin(more='group="6"'), "group='6': expected 0 to 5"),
    ("", skin(more='material="n"'), "material='n': no such material; there is m"),
    ("", skin(BONES.replace('"b"', '"c"')), "body='c': no such body"),
    ("", skin(BONES.replace('"2 3', '"2 4')), "vertid: 4: expected vertices from 0 to 3"),
    ("", skin(BONES.replace('"2 3', '"2')), "expected as many numbers in both, found 1 and 2"),
    ("", skin(BONES.replace("2 .7", "2 0")), "vertex 3: expected bones with a positive weight"),
    ("", skin(data='vertex="0 0" face="0 1 2"'), "vertex: expected rows of 3 numbers, found 2"),
    ("", skin(more='file="a.skn"'), "vertex: the file has the data, expected them in one place"),
    ("", '<skin file="b.bin"/>', "file='b.bin': expected a file .skn, found .bin"),
    ("discardvisual='true'", skin(more='material="m"'), "discardvisual='true' drops all materials"),
]
FILES = [
    (b"", "header: expected 16 bytes, found 0"),
    (skn(counts=(3, 3, -1, 2)), "header: expected counts from 0 on"),
    (skn()[:30], "3 vertices: expected 36 bytes, found 12"),
    (skn()[:120], "bone 0: expected 72 bytes, found 32"),
    (skn((("a", [], []),) * 2), "bone 0: expected one vertex or more, found 0"),
    (skn()[:-1], "vertices of bone 1: expected 4 bytes, found 0"),
    (skn(end=b"123"), "expected the end after bone 1, found 3 bytes more"),
]


def refused(xml, assets, message):
    with pytest.raises(MjcfError) as caught:
        Model.from_xml_string(xml, assets)
    assert message in str(caught.value)
    with pytest.raises(ValueError):  # noqa: PT011 (MuJoCo's)
        mujoco.MjModel.from_xml_string(xml, assets)


@pytest.mark.parametrize(("compiler", "text", "message"), REFUSED, ids=range(len(REFUSED)))
def test_refused(compiler, text, message):
    refused(document(text, "", compiler), {"a.skn": skn(), "b.bin": skn()}, message)


@pytest.mark.parametrize(("contents", "message"), FILES, ids=range(len(FILES)))
def test_damaged_files(contents, message):
    refused(document('<skin file="a.skn"/>'), {"a.skn": contents}, f"file='a.skn': {message}")
