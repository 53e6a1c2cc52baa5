"""Tuples: compiled as MuJoCo does, and refused with a message where MuJoCo refuses."""
# ruff: noqa: E501 (one row of the table, one message)

import mujoco
import pytest

from mjenv.engine.edit.compile import Model
from mjenv.engine.errors import MjcfError

from .test_models import differences

BODIES = """
<asset><texture name="t" type="2d" builtin="flat" width="4" height="4"/><material name="m"/></asset>
<worldbody><camera name="c"/><light name="l"/><body name="a"><joint name="j"/><geom name="g" size=".1"/>
<site name="s"/></body><body name="b"><freejoint/><geom name="h" size=".1"/></body></worldbody>
<contact><pair name="q" geom1="h" geom2="g"/><pair name="p" geom1="g" geom2="g"/><exclude name="e" body1="a" body2="b"/></contact>
<actuator><motor joint="j"/><motor name="act" joint="j"/></actuator><sensor><clock name="now"/></sensor>
<keyframe><key/><key name="k"/></keyframe>"""


def model(custom: str) -> str:
    return f"<mujoco>{BODIES}".replace("\n", "") + f"\n<custom>{custom}</custom></mujoco>"


VALID = """
<numeric name="n" data="1"/><text name="x" data="y"/>
<tuple name="one"><element objtype="geom" objname="h" prm="2.5"/></tuple>
<tuple name="all"><element objtype="body" objname="b"/><element objtype="xbody" objname="world" prm="-1"/>
<element objtype="joint" objname="j"/><element objtype="site" objname=" s "/><element objtype="camera" objname="c"/>
<element objtype="light" objname="l"/><element objtype="texture" objname="t"/><element objtype="material" objname="m"/>
<element objtype="pair" objname="p"/><element objtype="exclude" objname="e"/><element objtype="actuator" objname="act"/>
<element objtype="sensor" objname="now"/><element objtype="numeric" objname="n"/><element objtype="text" objname="x"/>
<element objtype="tuple" objname="all" prm=""/><element objtype="key" objname="k" prm="1e3"/></tuple>"""


def test_valid():
    """Members of every kind."""
    text = model(VALID)
    reference = mujoco.MjModel.from_xml_string(text)
    assert not differences(Model.from_xml_string(text), reference)
    assert reference.ntupledata == 17


MISTAKES = [
    ("", "<tuple name='t'>: expected at least one <element>, found none"),
    ("<element objtype='geom'/>", "<element>: expected the attribute 'objname', found none"),
    ("<element objname='g'/>", "<element>: expected the attribute 'objtype', found none"),
    ("<element objtype='geom' objname=''/>", "<element>: objname='': expected a name, found nothing"),
    ("<element objtype='geom' objname='g h'/>", "<element>: objname='g h': expected a name without spaces"),
    ("<element objtype='geom' objname='gg'/>", "<element>: objname='gg': no such geom; did you mean 'g'?"),
    ("<element objtype='dof' objname='j'/>", "<element>: objname='j': no such dof"),
    ("<element objtype='frame' objname='j'/>",
     "<element>: objtype='frame': expected one of body, xbody, joint, dof, geom, site, camera, light, flex, mesh, skin,"
     " hfield, texture, material, pair, exclude, equality, tendon, actuator, sensor, numeric, text, tuple, key, plugin"),
]  # fmt: skip


@pytest.mark.parametrize(("members", "message"), MISTAKES, ids=range(len(MISTAKES)))
def test_messages(members, message):
    text = model(f"<tuple name='t'>{members}</tuple>")
    with pytest.raises(ValueError, match="Error"):
        mujoco.MjModel.from_xml_string(text)
    with pytest.raises(MjcfError) as caught:
        Model.from_xml_string(text)
    assert str(caught.value) == f"<string>:2: {message}"
