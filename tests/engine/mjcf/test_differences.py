"""Small documents that once compiled to other models than MuJoCo's, or were wrongly refused."""
# ruff: noqa: E501 (models in few lines)

import mujoco
import pytest

from mjenv.engine.edit.compile import Model
from mjenv.engine.edit.spec import Spec
from mjenv.engine.errors import MjcfError

from .test_models import differences


def world(inside, before="", behind=""):
    return f"<mujoco>{before}<worldbody>{inside}</worldbody>{behind}</mujoco>"


DISCARD = '<compiler discardvisual="true"/>'
TETRAHEDRON = 'vertex="0 0 0  1 0 0  0 1 0  0 0 1"'
FUSE = '<compiler fusestatic="true"/>'
EQUAL = {
    "view of a sensor": world('<camera sensorsize="1 0.934873" focal="0 0.496"/><camera sensorsize="1 0.7" focal="0.1 0.3"/><camera sensorsize="1 1.3" focalpixel="1 7"/>'),
    "density without mass": world('<body><geom density="-0.5" size="1" mass="0"/></body>'),
    "order of fused geoms": world('<body><geom name="a" size="1"/><joint/><geom name="b" size="1"/></body><body><geom size="1"/></body>', FUSE, '<contact><pair geom1="b" geom2="a"/></contact>'),
    "order of fused sites": world('<body><joint/><site/><geom size="1"/></body><body><site name="s"/></body>', FUSE, '<sensor><accelerometer site="s"/></sensor>'),
    "fused bodies before the last that is named": world('<light target="a"/><body/><body/><body name="a"/><body name="b"/>', FUSE),
    "fused bodies after all that are named": world('<body><body name="a"/></body><body/><body name="b"/><body name="c"/>', FUSE, '<contact><exclude body1="a" body2="b"/></contact>'),
    "meshes behind discarded ones": world('<geom mesh="b"/><geom type="mesh" mesh="b"/>', f'{DISCARD}<asset><mesh name="a" {TETRAHEDRON}/><mesh name="b" {TETRAHEDRON}/></asset>'),
    "discarded material of a mesh": world('<geom size="1"/>', f'{DISCARD}<asset><material name="m"/><mesh name="a" {TETRAHEDRON} material="m"/></asset>'),
    "axes of nearly equal moments": world('<body><geom size="1"/><geom type="ellipsoid" size="0.5" mass="1" fromto="-0.344088 -0.31 0.5 0.3 0.74 -0.6"/></body><body><geom size="2"/><geom type="box" size=".1 .2 .3" euler="10 20 30" shellinertia="true" mass="1e-4"/><geom type="capsule" size=".1 .2" euler="40 20 30" mass="1e-4"/></body>'),
    "axes of nearly equal moments of a mesh": world('<body><geom zaxis="0 -0.789539 0.4" size="2"/><geom mesh="h"/></body>', '<asset><mesh name="h" vertex="1 0 0.5 0 0 0 0 0 0 0.5 1 1 1 0 0.5 0.5 0.408184 0 -0.0508632 1 0 0.5 1 1"/></asset>'),
}  # fmt: skip


@pytest.mark.parametrize("name", EQUAL)
@pytest.mark.filterwarnings("ignore:.*means another")
def test_equal(name):
    text = EQUAL[name]
    reference = mujoco.MjModel.from_xml_string(text)
    assert not differences(Model.from_xml_string(text), reference)
    assert not differences(Model.from_xml_string(Spec.from_string(text).to_xml()), reference)


CHILD = world(
    '<body name="b"><joint type="free"/><geom class="c" size="1" quat="0 1 0 0"/><geom type="box" mesh="m"/><camera class="c" fovy="20"/></body>',
    '<default><default class="c"><geom zaxis="0 1 1"/><camera sensorsize="1 2"/></default></default><asset><mesh name="m" vertex="0 0 0  1 0 0  0 2 0  0 0 3"/></asset>',
)
ATTACH = '<asset><model name="m" file="m.xml"/></asset><worldbody><attach model="m" body="b" prefix="x"/></worldbody>'
ATTACHED = {  # document, attached document
    "boxes around meshes of attached models": (f'<mujoco><compiler fitaabb="true"/>{ATTACH}</mujoco>', CHILD),
    "what attached classes say twice": (f'<mujoco>{ATTACH}<default><default class="c"><geom zaxis="0 1 1"/></default></default></mujoco>', CHILD.replace("<mujoco>", '<mujoco><compiler autolimits="false" angle="radian"/>')),
}  # fmt: skip


@pytest.mark.parametrize("name", ATTACHED)
def test_equal_attached(name):
    text, child = ATTACHED[name]
    assets = {"m.xml": child.encode()}
    reference = mujoco.MjModel.from_xml_string(text, assets)
    assert not differences(Model.from_xml_string(text, assets), reference)
    written = Spec.from_string(text, assets).to_xml()
    assert not differences(Model.from_xml_string(written), reference)
    assert not differences(mujoco.MjModel.from_xml_string(written), reference)


REFUSED = {  # by both
    "grid of a discarded texture": world("", f'{DISCARD}<asset><texture name="t" gridlayout="RLUDFB"/></asset>'),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    with pytest.raises(ValueError, match="Error"):
        mujoco.MjModel.from_xml_string(REFUSED[name])
    with pytest.raises(MjcfError):
        Model.from_xml_string(REFUSED[name])
