"""What MuJoCo reads without checking it, and numbers that mean nothing, as MuJoCo has it."""
# ruff: noqa: E501 (models in few lines)

import warnings

import mujoco
import pytest

from mjenv.engine.edit.compile import Model
from mjenv.engine.edit.spec import Spec
from mjenv.engine.errors import MjcfError

from .test_models import differences


def world(inside, before="", behind=""):
    return f"<mujoco>{before}<worldbody>{inside}</worldbody>{behind}</mujoco>"


CLASSES = "<default><default class='red'><geom rgba='1 0 0 1'/></default><default class='blue'><geom rgba='0 0 1 1'/></default></default>"
GEOM = "<geom size='1'/>"
PLAIN = "pos='0 0 1' mass='2'"
MODELS = {
    # inside a frame or replicate nothing is compared with the schema
    "element": world("<frame><geom size='1'><foo/><geom size='2'/></geom></frame>"),
    "attributes": world("<frame><body bar='1'><body><joint foo='1'/><geom size='1' baz='2'/><site q='1'/><camera q='1'/></body></body></frame>"),
    "replicate": world("<replicate count='2' q='1'><body foo='1'><geom size='1' foo='1'/></body></replicate>"),
    "class of a frame": world(f"<frame class='red'>{GEOM}<frame class='blue' childclass='red'>{GEOM}</frame></frame>", CLASSES),
    "class of a body": world(f"<frame><body class='red'>{GEOM}<body childclass='blue' class='red'>{GEOM}</body></body></frame>", CLASSES),
    "class of a replicate": world(f"<replicate count='2' class='red'>{GEOM}</replicate>", CLASSES),
    "two inertials": world(f"<frame><body><freejoint foo='2'/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/><inertial {PLAIN}/></body></frame>"),
    "two orientations": world(f"<frame><body><freejoint/><inertial pos='0 0 0' mass='1' euler='1 2 3' diaginertia='1 2 2'/><inertial {PLAIN} quat='1 1 0 0'/></body></frame>"),
    "class without effect": world("<frame><body><freejoint class='stiff'/><inertial class='stiff' pos='0 0 0' mass='1' diaginertia='1 1 1'/></body></frame>", "<default><default class='stiff'><joint damping='3' armature='2' group='4'/></default></default>"),
    # numbers that are none
    "fromto": world("<geom type='capsule' size='.1 .2' fromto='nan nan nan nan nan nan'/><site type='capsule' size='.1 .2' fromto='nan 0 0 1 1 1'/>"),
    "mass": world("<body><freejoint/><geom size='1' mass='nan'/></body><body pos='3 0 0'><freejoint/><geom size='2'/></body>", "<default><geom mass='nan'/></default>"),
    "fullinertia": world("<body><freejoint/><inertial pos='0 0 0' mass='1' diaginertia='1 2 2' fullinertia='nan 1 1 0 0 0'/></body>"),
    "statistic": world(GEOM, "<statistic meaninertia='nan' extent='nan' center='nan 1 2' meanmass='nan' meansize='nan'/>"),
    # a class has no effect on user data of cameras
    "user data": world("<camera/><camera user='3'/>", "<default><camera user='1 2' fovy='30'/></default>"),
    "outputs": world("<camera output=''/>", "<default><camera output='depth'/></default>"),
    "almost zero": world("<body name='m' mocap='true'><geom size='1'/></body><body><joint type='ball'/><geom size='1'/></body>", "", "<keyframe><key mquat='0 0 0 0' qpos='0 0 1e-12 0'/><key mquat='1e-10 0 0 0' qpos='0 0 1e-20 0'/></keyframe>"),
    "a site without extent": world("<site type='sdf' size='-1'/>"),
    # sizes
    "count of data": world(GEOM, "<custom><numeric name='n' data='1 2 3' size='501'/></custom>"),
    "stack, then memory": world(GEOM, "<size nstack='1000'/><size memory='+1M'/><size memory='-1'/>"),
    "rows, then memory": world(GEOM, "<size njmax='7'/><size memory='1M'/>"),
}  # fmt: skip


@pytest.mark.sweep(13)
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.filterwarnings("ignore:.*as MuJoCo does")
def test_forgiven(name):
    text = MODELS[name]
    reference = mujoco.MjModel.from_xml_string(text)
    assert not differences(Model.from_xml_string(text), reference)
    written = Spec.from_string(text).to_xml()
    assert not differences(Model.from_xml_string(written), reference)
    assert not differences(reference, mujoco.MjModel.from_xml_string(written))


REFUSED = {
    "not of a body": (world("<frame><foo/></frame>"), "<foo>: unknown element in <frame>"),
    "class": (world(f"<frame class='rde'>{GEOM}</frame>", CLASSES), "<frame>: childclass='rde': no such default class; did you mean 'red'?"),
    "class of a free joint": (world(f"<frame><body><freejoint class='rde'/>{GEOM}</body></frame>", CLASSES), "<freejoint>: class='rde': no such default class; did you mean 'red'?"),
    "class of an inertia": (world("<frame><body><inertial class='x' pos='0 0 0' mass='1' diaginertia='1 1 1'/></body></frame>"), "<inertial>: class='x': no such default class"),
    "types": (world("<frame><geom size='a'/></frame>"), "<geom>: size='a': expected a number, found 'a'"),
    "two frames": (world("<frame name='a'/><frame name='a'/>"), "<frame name='a'>: this name is used twice for a frame, first at <string>:1"),
    "root": (f"<mujoco><frame foo='1'>{GEOM}</frame></mujoco>", "<frame>: unknown attribute 'foo'"),
    "root replicate": (f"<mujoco><replicate count='1'>{GEOM}</replicate></mujoco>", "<replicate>: unknown attribute 'count'"),
    "class with two orientations": (world(GEOM, "<default><geom quat='1 1 0 0' zaxis='1 0 0'/></default>"), "<geom>: quat and zaxis: expected one orientation, found 2"),
    "texture of a class": (world(GEOM, "<default><material texture='zz'/></default><asset><texture name='t' type='2d' builtin='flat' width='2' height='2'/><material name='m' texture='t'/></asset>"), "<material name='m'>: texture='zz': no such texture"),
    "userdata": (world(GEOM, "<size nuserdata='-1'/>"), "<size>: nuserdata='-1': expected 0 or more"),
    "memory": (world(GEOM, "<size memory='0'/>"), "<size>: memory='0': expected a positive whole number with K, M, G, T, P, E or nothing behind"),
    "both": (world(GEOM, "<size memory='1M'/><size njmax='3'/>"), "<size>: memory and njmax: expected one of them, found both"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    text, message = REFUSED[name]
    with pytest.raises(Exception, match="Error"):
        mujoco.MjModel.from_xml_string(text)
    with pytest.raises(MjcfError) as caught:
        Model.from_xml_string(text)
    assert str(caught.value).startswith(f"<string>:1: {message}")


def test_what_is_passed_over_is_said():
    with pytest.warns(UserWarning, match="ignored") as caught:
        Model.from_xml_string(world("<frame><geom size='1' foo='1'><bar/></geom></frame>"))
    assert [str(w.message) for w in caught] == [
        "<string>:1: <geom>: unknown attribute 'foo': ignored, as MuJoCo does",
        "<string>:1: <bar>: unknown element in <geom>: ignored, as MuJoCo does",
    ]


def test_flags_of_included_files_are_overlooked():
    text = world(GEOM, "<option><include file='a.xml' prefix='x'/></option>")
    assets = {"a.xml": b"<m><flag gravity='disable'/></m>"}
    with pytest.warns(UserWarning, match="ignored") as caught:
        ours = Model.from_xml_string(text, assets)
    assert not differences(ours, mujoco.MjModel.from_xml_string(text, assets))
    assert [str(w.message) for w in caught] == [
        "<string>:1: <include>: unknown attribute 'prefix': ignored, as MuJoCo does",
        "a.xml:1: <flag>: in <option> from an included file: ignored, as MuJoCo does",
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Model.from_xml_string(world(GEOM, "<option><flag gravity='disable'/></option>"))
