"""Mistakes in model files, and the message that each of them gets."""
# ruff: noqa: E501 (one row of the table, one message)

import pytest

from mjenv.engine.errors import MjcfError, UnsupportedFeature, nearest
from mjenv.engine.model import Model


def body(inside):
    return f"<mujoco>\n<worldbody>\n<body name='b'>\n{inside}\n</body>\n</worldbody>\n</mujoco>"


def world(inside):
    return f"<mujoco>\n<worldbody>\n{inside}\n</worldbody>\n</mujoco>"


def actuator(inside):
    arm = "<worldbody><body><joint name='hip_5'/><geom size='1'/></body></worldbody>"
    return f"<mujoco>{arm}\n<actuator>\n{inside}\n</actuator>\n</mujoco>"


GEOM = "<geom size='1'/>"
MISTAKES = [
    # text
    ("<mujoco>", "<string>:1: not well-formed XML: expected </mujoco> for <mujoco> of line 1, found the end"),
    ("<model/>", "<string>:1: root element <model>: expected <mujoco> or <robot>"),
    # elements
    (world("<geon/>"), "<string>:3: <geon>: unknown element in <worldbody>; did you mean 'geom'?"),
    ("<mujoco>\n<opton/></mujoco>", "<string>:2: <opton>: unknown element in <mujoco>; did you mean 'option'?"),
    (body("<inertial pos='0 0 0' mass='1'/><inertial pos='0 0 0' mass='1'/>"),
     "<string>:4: <inertial>: expected at most one <inertial> in <body>"),
    (world("<joint/>"), "<string>:3: <joint>: expected no joints in the world body"),
    # attributes
    (world("<geom sise='1'/>"), "<string>:3: <geom>: unknown attribute 'sise'; did you mean 'size'?"),
    (body("<joint name='knee' range='0.5'/>"),
     "<string>:4: <joint name='knee'>: range='0.5': expected 2 values, found 1"),
    (world("<geom size='1 2 3 4'/>"), "<string>:3: <geom>: size='1 2 3 4': expected 1 to 3 values, found 4"),
    (world("<geom size='1,2'/>"), "<string>:3: <geom>: size='1,2': expected a number, found '1,2'"),
    (world("<geom size='1e999'/>"), "<string>:3: <geom>: size='1e999': expected a number between 2.3e-308 and 1.7e308, or 0, found '1e999'"),
    (world("<geom condim='3.0'/>"), "<string>:3: <geom>: condim='3.0': expected an integer, found '3.0'"),
    (body("<joint type='Hinge'/>"),
     "<string>:4: <joint>: type='Hinge': expected one of free, ball, slide, hinge, found 'Hinge'"),
    (body("<inertial mass='1'/>"), "<string>:4: <inertial>: expected the attribute 'pos', found none"),
    # orientations
    (world("<geom size='1' quat='1 0 0 0' euler='0 0 0'/>"),
     "<string>:3: <geom>: quat and euler: expected one orientation, found 2"),
    (world("<geom size='1' quat='0 0 0 0'/>"),
     "<string>:3: <geom>: quat='0 0 0 0': expected a quaternion that is not zero"),
    (world("<geom size='1' axisangle='0 0 0 1'/>"),
     "<string>:3: <geom>: axisangle: expected an axis that is not zero"),
    ("<mujoco>\n<compiler eulerseq='xy'/>\n</mujoco>", "<string>:2: <compiler>: eulerseq='xy': expected 3 letters"),
    # classes
    (world("<geom size='1' class='rde'/>").replace("<mujoco>", "<mujoco><default><default class='red'/></default>"),
     "<string>:3: <geom>: class='rde': no such default class; did you mean 'red'?"),
    ("<mujoco><default>\n<default/></default></mujoco>",
     "<string>:2: <default>: expected the attribute 'class' in a nested default, found none"),
    # geoms
    (world("<geom/>"), "<string>:3: <geom>: size: expected a positive number at place 1 of a sphere, found 0"),
    (world("<geom type='plane' size='1 1 0'/>"),
     "<string>:3: <geom>: size: expected a positive third number in a plane (spacing of its grid)"),
    (world("<geom size='1' condim='2'/>"), "<string>:3: <geom>: condim='2': expected 1, 3, 4 or 6"),
    (world("<geom size='1' fromto='0 0 0 1 0 0'/>"),
     "<string>:3: <geom>: fromto: type='sphere': expected capsule, cylinder, ellipsoid or box"),
    (world("<geom type='box' size='1' fromto='0 0 0 0 0 0'/>"),
     "<string>:3: <geom>: fromto: expected two different points"),
    (world("<geom size='1' material='wood'/>"), "<string>:3: <geom>: material='wood': no such material"),
    (body("<joint/><geom type='plane' size='1 1 1'/>"),
     "<string>:4: <geom>: type='plane': expected a body that cannot move"),
    # bodies
    (body("<joint/>"),
     "<string>:3: <body name='b'>: its mass and inertia are zero, a moving body needs both; add a geom or <inertial>"),
    (body(f"<freejoint/><joint/>{GEOM}"),
     "<string>:3: <body name='b'>: expected no other joint beside a free joint"),
    (body(f"<body><freejoint/>{GEOM}</body>"),
     "<string>:4: <body>: free joint: expected it in a child of the world"),
    (body(f"<joint type='ball'/><joint/>{GEOM}"),
     "<string>:3: <body name='b'>: expected no rotation after a ball joint"),
    (body("<inertial pos='0 0 0' mass='1' diaginertia='1 1 5'/>"),
     "<string>:3: <body name='b'>: inertia 1 1 5: expected no moment above the sum of the others; correct it,"
     " or let the compiler average them with balanceinertia='true'"),
    (world("<body name='a'/>\n<body name='a'/>"),
     "<string>:4: <body name='a'>: this name is used twice for a body, first at <string>:3"),
    # joints
    (body(f"<joint axis='0 0 0'/>{GEOM}"), "<string>:4: <joint>: axis: expected a direction that is not zero"),
    (body(f"<joint limited='true'/>{GEOM}"),
     "<string>:4: <joint>: range='0 0': expected the first number to be the smaller one"),
    # actuators
    (actuator("<motor joint='hip5'/>"), "<string>:3: <motor>: joint='hip5': no such joint; did you mean 'hip_5'?"),
    (actuator("<motor/>"), "<string>:3: <motor>: expected a target, such as joint='...', found none"),
    (actuator("<position joint='hip_5' kv='1' dampratio='1'/>"),
     "<string>:3: <position>: kv and dampratio: expected one of them, found both"),
    (actuator("<motor joint='hip_5' ctrllimited='true'/>"),
     "<string>:3: <motor>: ctrlrange='0 0': expected the first number to be the smaller one"),
    # files
    ("<mujoco>\n<include file='a.xml'/></mujoco>", "<string>:2: <include>: file='a.xml': no such file"),
]  # fmt: skip


@pytest.mark.parametrize(("xml", "message"), MISTAKES, ids=range(len(MISTAKES)))
def test_messages(xml, message):
    with pytest.raises(MjcfError) as caught:
        Model.from_xml_string(xml)
    assert str(caught.value) == message
    assert not isinstance(caught.value, UnsupportedFeature)


UNBUILT = [
    ("<mujoco><equality>\n<flex flex='m'/></equality></mujoco>", "<flex> in <equality>"),
    (actuator("<plugin name='m' joint='hip_5'/>").replace("\n", "", 1), "the actuator <plugin>"),
]


@pytest.mark.parametrize(("xml", "what"), UNBUILT, ids=[what for _, what in UNBUILT])
def test_unbuilt_features_are_refused_by_name(xml, what):
    with pytest.raises(UnsupportedFeature, match=r"^<string>:2: <") as caught:
        Model.from_xml_string(xml)
    assert f": {what} is valid, but not built yet" in str(caught.value)


def test_file_and_line_of_an_included_file(tmp_path):
    (tmp_path / "arm.xml").write_text("<mujoco>\n\n<geom size='x'/></mujoco>")
    (tmp_path / "main.xml").write_text(world("<include file='arm.xml'/>"))
    with pytest.raises(MjcfError, match=r"arm\.xml:3: <geom>: size='x'"):
        Model.from_xml_path(tmp_path / "main.xml")


def test_includes_from_memory():
    main = world("<include file='a.xml'/>\n<include file='a.xml'/>")
    assets = {"a.xml": b"<x><geom name='g' size='1'/></x>"}
    with pytest.raises(MjcfError, match=r"4: <include>: file='a\.xml': already included"):
        Model.from_xml_string(main, assets)
    once = world("<include file='a.xml'/>")
    assert Model.from_xml_string(once, assets).geom("g").id == 0


def test_nearest():
    assert nearest("knee_lft", ["knee_left", "hip"]) == "; did you mean 'knee_left'?"
    assert nearest("zzz", ["knee_left", "hip"]) == ""
