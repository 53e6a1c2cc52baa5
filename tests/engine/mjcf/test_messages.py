"""Typical mistakes in model files, and the message that each of them gets."""
# ruff: noqa: E501 (one row of the table, one message)

import mujoco
import pytest

from mjenv.engine.edit.compile import Model
from mjenv.engine.errors import MjcfError, UnsupportedFeature

GEOM = "<geom size='.1'/>"
ARM = (
    "<worldbody><body name='upper_arm'><joint name='shoulder'/><geom name='upper' type='capsule' size='.1 .1'/>"
    "<site name='tip'/><body name='lower_arm'><joint name='elbow'/><geom name='lower' type='capsule' size='.1 .1'/>"
    "</body></body></worldbody>"
)
CLASSES = "<default><default class='visual'/></default>"
ASSETS = {
    "cup.obj": b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n",
    "scenes.xml": b"<mujoco/>",
    "cup.fbx": b"x",
}


def text(inside):
    """A whole document; those below have what is wrong from line 2 on."""
    return inside


def root(inside):
    return f"<mujoco>\n{inside}\n</mujoco>"


def world(inside):
    return f"<mujoco><worldbody>\n{inside}\n</worldbody></mujoco>"


def body(inside):
    return f"<mujoco><worldbody><body name='b'>\n{inside}\n</body></worldbody></mujoco>"


def classes(inside):
    return f"<mujoco>{CLASSES}<worldbody>\n{inside}\n</worldbody></mujoco>"


def section(name, inside):
    """A section of a model with two bodies, joints and geoms, and a site."""
    return f"<mujoco>{ARM}<{name}>\n{inside}\n</{name}></mujoco>"


# document: line, element, what was found and expected, what to do
MISTAKES = [
    # XML
    (text("<mujoco>\n<worldbody>\n<body>\n</worldbody>\n</mujoco>"),
     "4: not well-formed XML: expected </body> for <body> of line 3, found </worldbody>"),
    (text("<mujoco>"),
     "1: not well-formed XML: expected </mujoco> for <mujoco> of line 1, found the end"),
    (text("<mujuco/>"),
     "1: root element <mujuco>: expected <mujoco> or <robot>"),
    (world("<geom size=0.1/>"),
     "2: not well-formed XML: <geom>: size=0.1: expected quotation marks around the value"),
    (world("<geom size='.1' size='.2'/>"),
     "2: not well-formed XML: <geom>: expected 'size' once, found it twice"),
    # elements
    (world("<goem size='.1'/>"),
     "2: <goem>: unknown element in <worldbody>; did you mean 'geom'?"),
    (root("<worldbdy/>"),
     "2: <worldbdy>: unknown element in <mujoco>; did you mean 'worldbody'?"),
    (root("<geom size='.1'/>"),
     "2: <geom>: unknown element in <mujoco>; it can stand in <body>, <spatial>"),
    (world("<body><sensor/></body>"),
     "2: <sensor>: unknown element in <body>; it can stand in <mujoco>"),
    (section("actuator", "<motr joint='elbow'/>"),
     "2: <motr>: unknown element in <actuator>; did you mean 'motor'?"),
    (section("sensor", "<jointposition joint='elbow'/>"),
     "2: <jointposition>: unknown element in <sensor>; did you mean 'jointpos'?"),
    (section("option", "<flags gravity='disable'/>"),
     "2: <flags>: unknown element in <option>; did you mean 'flag'?"),
    (section("tendon", "<fixed><site site='tip'/></fixed>"),
     "2: <site>: unknown element in <fixed>; it can stand in <body>, <spatial>"),
    (body("<inertial pos='0 0 0' mass='1'/><inertial pos='0 0 0' mass='1'/>"),
     "2: <inertial>: expected at most one <inertial> in <body>"),
    (world("<joint/>"),
     "2: <joint>: expected no joints in the world body"),
    (world("<inertial pos='0 0 0' mass='1'/>"),
     "2: <inertial>: expected no inertia in the world body"),
    # attributes
    (world("<geom siz='.1'/>"),
     "2: <geom>: unknown attribute 'siz'; did you mean 'size'?"),
    (world("<geom size='.1' position='0 0 1'/>"),
     "2: <geom>: unknown attribute 'position'; did you mean 'pos'?"),
    (world("<geom size='.1' Pos='0 0 1'/>"),
     "2: <geom>: unknown attribute 'Pos'; did you mean 'pos'?"),
    (section("actuator", "<motor joint='elbow' kp='10'/>"),
     "2: <motor>: unknown attribute 'kp'; <position>, <intvelocity> can have it"),
    (root("<size nkeyy='1'/>"),
     "2: <size>: unknown attribute 'nkeyy'; did you mean 'nkey'?"),
    (body("<inertial mass='1'/>"),
     "2: <inertial>: expected the attribute 'pos', found none"),
    (world("<replicate><geom size='.1'/></replicate>"),
     "2: <replicate>: expected the attribute 'count', found none"),
    (section("equality", "<joint joint2='elbow'/>"),
     "2: <joint>: expected the attribute 'joint1', found none"),
    # numbers
    (world("<geom size='.1' pos='0 0'/>"),
     "2: <geom>: pos='0 0': expected 3 values, found 2"),
    (body("<joint name='knee' range='0.5'/>"),
     "2: <joint name='knee'>: range='0.5': expected 2 values, found 1"),
    (world("<geom size='1 2 3 4'/>"),
     "2: <geom>: size='1 2 3 4': expected 1 to 3 values, found 4"),
    (world("<geom size='.1' pos='0,0,1'/>"),
     "2: <geom>: pos='0,0,1': expected a number, found '0,0,1'"),
    (world("<geom size='10cm'/>"),
     "2: <geom>: size='10cm': expected a number, found '10cm'"),
    (world("<geom size='1e999'/>"),
     "2: <geom>: size='1e999': expected a number between 2.3e-308 and 1.7e308, or 0, found '1e999'"),
    (world("<geom size='.1' rgba='red'/>"),
     "2: <geom>: rgba='red': expected a number, found 'red'"),
    (world("<geom size='.1' condim='3.0'/>"),
     "2: <geom>: condim='3.0': expected an integer, found '3.0'"),
    (world("<geom size='.1' contype='99999999999'/>"),
     "2: <geom>: contype='99999999999': expected an integer of 32 bits, found '99999999999'"),
    (root("<option gravity='-9.81'/>"),
     "2: <option>: gravity='-9.81': expected 3 values, found 1"),
    (root("<size memory='1 GB'/>"),
     "2: <size>: memory='1 GB': expected a positive whole number with K, M, G, T, P, E or nothing behind"),
    # words
    (body("<joint type='revolute'/>"),
     "2: <joint>: type='revolute': expected one of free, ball, slide, hinge, found 'revolute'"),
    (world("<geom type='Box' size='.1 .1 .1'/>"),
     "2: <geom>: type='Box': expected one of plane, hfield, sphere, capsule, ellipsoid, cylinder, box, mesh, sdf, found 'Box'; did you mean 'box'?"),
    (root("<option integrator='rk4'/>"),
     "2: <option>: integrator='rk4': expected one of Euler, RK4, implicit, implicitfast, found 'rk4'; did you mean 'RK4'?"),
    (section("option", "<flag contact='false'/>"),
     "2: <flag>: contact='false': expected one of disable, enable, found 'false'"),
    (root("<compiler angle='deg'/>"),
     "2: <compiler>: angle='deg': expected one of radian, degree, found 'deg'; did you mean 'degree'?"),
    (body("<joint limited='yes' range='0 1'/>"),
     "2: <joint>: limited='yes': expected one of false, true, auto, found 'yes'"),
    (section("sensor", "<framepos objtype='link' objname='lower_arm'/>"),
     "2: <framepos>: objtype='link': expected one of body, xbody, geom, site, camera, found 'link'"),
    (section("actuator", "<general joint='elbow' dyntype='integrater'/>"),
     "2: <general>: dyntype='integrater': expected one of none, integrator, filter, filterexact, muscle, dcmotor, user, found 'integrater'; did you mean 'integrator'?"),
    # options
    (root("<compiler coordinate='global'/>"),
     "2: <compiler>: coordinate='global': expected 'local'; global coordinates were removed in MuJoCo 2.3.4"),
    (root("<compiler eulerseq='zyxz'/>"),
     "2: <compiler>: eulerseq='zyxz': expected 3 letters"),
    (root("<statistic extent='0'/>"),
     "2: <statistic>: extent: expected a positive number"),
    (section("visual", "<map znear='0'/>"),
     "2: <map>: znear='0': expected a positive number"),
    # orientations
    (world("<body quat='1 0 0 0' euler='0 0 90'/>"),
     "2: <body>: quat and euler: expected one orientation, found 2"),
    (world("<body quat='0 0 0 0'/>"),
     "2: <body>: quat='0 0 0 0': expected a quaternion that is not zero"),
    (world("<body euler='90'/>"),
     "2: <body>: euler='90': expected 3 values, found 1"),
    (world("<body axisangle='0 0 0 90'/>"),
     "2: <body>: axisangle: expected an axis that is not zero"),
    (world("<body xyaxes='1 0 0 1 0 0'/>"),
     "2: <body>: xyaxes: expected a y axis that is not parallel to the x axis"),
    # shapes
    (world("<geom/>"),
     "2: <geom>: size: expected a positive number at place 1 of a sphere, found 0"),
    (world("<geom type='box' size='.1 .2'/>"),
     "2: <geom>: size: expected a positive number at place 3 of a box, found 0"),
    (world("<geom size='-.1'/>"),
     "2: <geom>: size: expected a positive number at place 1 of a sphere, found -0.1"),
    (world("<geom type='plane' size='1 1 0'/>"),
     "2: <geom>: size: expected a positive third number in a plane (spacing of its grid)"),
    (world("<geom size='.1' condim='2'/>"),
     "2: <geom>: condim='2': expected 1, 3, 4 or 6"),
    (world("<geom size='.1' fromto='0 0 0 1 0 0'/>"),
     "2: <geom>: fromto: type='sphere': expected capsule, cylinder, ellipsoid or box"),
    (world("<geom type='box' size='.1' fromto='0 0 0 0 0 0'/>"),
     "2: <geom>: fromto: expected two different points"),
    (world("<geom type='mesh'/>"),
     "2: <geom>: type='mesh': expected the attribute 'mesh', found none"),
    (world("<site type='mesh'/>"),
     "2: <site>: type='mesh': expected one of sphere, capsule, ellipsoid, cylinder, box, sdf, found 'mesh'"),
    (body("<joint/><geom type='plane' size='1 1 1'/>"),
     "2: <geom>: type='plane': expected a body that cannot move"),
    (world("<camera fovy='200'/>"),
     "2: <camera>: fovy='200': expected less than 180"),
    # bodies and joints
    (body("<joint/>"),
     "1: <body name='b'>: mass 0, inertia 0 0 0: expected both to be positive in a body that moves; add a geom with mass, or correct <inertial>"),
    (body("<joint/><inertial pos='0 0 0' mass='1'/>"),
     "1: <body name='b'>: mass 1, inertia 0 0 0: expected both to be positive in a body that moves; add a geom with mass, or correct <inertial>"),
    (body("<joint/><geom size='.1' mass='0'/>"),
     "1: <body name='b'>: mass 0, inertia 0 0 0: expected both to be positive in a body that moves; add a geom with mass, or correct <inertial>"),
    (body("<inertial pos='0 0 0' mass='1' diaginertia='1 1 5'/>"),
     "1: <body name='b'>: inertia 1 1 5: expected no moment above the sum of the others; correct it, or let the compiler average them with balanceinertia='true'"),
    (body("<inertial pos='0 0 0' mass='1' fullinertia='1 1 1 2 0 0'/>"),
     "2: <inertial>: fullinertia: expected a matrix with positive eigenvalues"),
    (body("<inertial pos='0 0 0' mass='1' diaginertia='1 1 1' fullinertia='1 1 1 0 0 0'/>"),
     "2: <inertial>: fullinertia and diaginertia: expected one of them, found both"),
    (body(f"<freejoint/><joint/>{GEOM}"),
     "1: <body name='b'>: expected no other joint beside a free joint"),
    (body(f"<body><freejoint/>{GEOM}</body>"),
     "2: <body>: free joint: expected it in a child of the world"),
    (body(f"<joint type='ball'/><joint/>{GEOM}"),
     "1: <body name='b'>: expected no rotation after a ball joint"),
    (body(f"<joint axis='0 0 0'/>{GEOM}"),
     "2: <joint>: axis: expected a direction that is not zero"),
    (body(f"<joint limited='true'/>{GEOM}"),
     "2: <joint>: range='0 0': expected the first number to be the smaller one; a limit that is on needs a range"),
    (body(f"<joint range='90 -90' limited='true'/>{GEOM}"),
     "2: <joint>: range='90 -90': expected the first number to be the smaller one"),
    (body(f"<joint type='ball' range='-1 1'/>{GEOM}"),
     "2: <joint>: range: -1: the lower limit of a ball joint is 0"),
    (body(f"<joint springdamper='-1 1'/>{GEOM}"),
     "2: <joint>: springdamper: expected two positive numbers"),
    (body("<body mocap='true'/>"),
     "2: <body>: mocap='true': expected a child of the world without joints"),
    # names
    (world("<body name='a'/>\n<body name='a'/>"),
     "3: <body name='a'>: this name is used twice for a body, first at <string>:2"),
    (world("<replicate count='2'><geom name='a' size='.1'/></replicate>\n<geom name='a0' size='.1'/>"),
     "3: <geom name='a0'>: this name is used twice for a geom, first at <string>:2"),
    (world("<geom size='.1' material='wood'/>"),
     "2: <geom>: material='wood': no such material"),
    (world("<camera mode='targetbody' target='upper_am'/>"),
     "2: <camera>: target='upper_am': no such body; there is world"),
    (section("actuator", "<motor joint='elbw'/>"),
     "2: <motor>: joint='elbw': no such joint; did you mean 'elbow'?"),
    (section("actuator", "<motor tendon='flexor'/>"),
     "2: <motor>: tendon='flexor': no such tendon"),
    (section("sensor", "<gyro site='tipp'/>"),
     "2: <gyro>: site='tipp': no such site; did you mean 'tip'?"),
    (section("sensor", "<framepos objtype='body' objname='lower_am'/>"),
     "2: <framepos>: objname='lower_am': no such body; did you mean 'lower_arm'?"),
    (section("equality", "<weld body1='upper_arm' body2='hand'/>"),
     "2: <weld>: body2='hand': no such body; there are world, upper_arm, lower_arm"),
    (section("contact", "<pair geom1='upper' geom2='lowr'/>"),
     "2: <pair>: geom2='lowr': no such geom; did you mean 'lower'?"),
    (section("contact", "<exclude body1='upper_arm' body2='low_arm'/>"),
     "2: <exclude>: body2='low_arm': no such body; did you mean 'lower_arm'?"),
    (section("tendon", "<fixed><joint joint='wrist' coef='1'/></fixed>"),
     "2: <joint>: joint='wrist': no such joint; there are shoulder, elbow"),
    (section("tendon", "<spatial><site site='tip'/><geom geom='uper'/></spatial>"),
     "2: <geom>: geom='uper': no such geom; did you mean 'upper'?"),
    (world("<attach model='robot' body='b' prefix='r'/>"),
     "2: <attach>: model='robot': no such model in <asset>"),
    # default classes
    (section("default", "<default/>"),
     "2: <default>: expected the attribute 'class' in a nested default, found none"),
    (section("default", "<default class='a'/>\n<default class='a'/>"),
     "3: <default>: class='a': there is already a default class of this name"),
    (section("default", "<body pos='0 0 1'/>"),
     "2: <body>: unknown element in <default>; it can stand in <body>"),
    (section("default", "<geom name='x'/>"),
     "2: <geom name='x'>: unknown attribute 'name'"),
    (classes("<geom class='visuals' size='1'/>"),
     "2: <geom>: class='visuals': no such default class; did you mean 'visual'?"),
    (classes("<body childclass='visul'/>"),
     "2: <body>: childclass='visul': no such default class; did you mean 'visual'?"),
    (root("<default class='x'/>"),
     "2: <default>: class='x': the outermost default class is called 'main'"),
    # assets
    (root("<include file='scene.xml'/>"),
     "2: <include>: file='scene.xml': no such file; did you mean 'scenes.xml'?"),
    (section("asset", "<mesh name='cup' file='cup.stl'/>"),
     "2: <mesh name='cup'>: file='cup.stl': no such file, expected it at 'cup.stl'; a text finds files in assets=, or in folder="),
    (section("asset", "<mesh name='cup' file='cups.obj'/>"),
     "2: <mesh name='cup'>: file='cups.obj': no such file, expected it at 'cups.obj'; did you mean 'cup.obj'?"),
    (section("asset", "<mesh name='cup' file='cup.fbx'/>"),
     "2: <mesh name='cup'>: file='cup.fbx': expected a file .stl, .obj or .msh, found another one; register_decoder adds others"),
    (section("asset", "<mesh name='cup' vertex='0 0 0 1 0 0 0 1 0'/>"),
     "2: <mesh name='cup'>: vertices: expected at least 4, found 3"),
    (section("asset", "<mesh name='cup' vertex='0 0 0 1 0'/>"),
     "2: <mesh name='cup'>: vertex: expected a multiple of 3 numbers, found 5"),
    (section("asset", "<mesh name='cup' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 1 7'/>"),
     "2: <mesh name='cup'>: face 0: 0 1 7: expected vertices between 0 and 3"),
    (section("asset", "<texture name='t' builtin='checker' type='2d'/>"),
     "2: <texture name='t'>: width: expected a positive number in a builtin texture"),
    (section("asset", "<texture type='2d' builtin='flat' width='9' height='9'/>"),
     "2: <texture>: expected the attribute 'name', found none; only a skybox needs none"),
    (section("asset", "<material rgba='1 0 0 1'/>"),
     "2: <material>: expected the attribute 'name', found none"),
    (section("asset", "<material name='m' texture='wood'/>"),
     "2: <material name='m'>: texture='wood': no such texture"),
    (section("asset", "<hfield name='h' nrow='2' ncol='2'/>"),
     "2: <hfield name='h'>: expected the attribute 'size', found none"),
    (section("asset", "<hfield name='h' nrow='2' ncol='2' size='1 1 1 1' elevation='1 2 3'/>"),
     "2: <hfield name='h'>: elevation: expected nrow x ncol = 4 numbers, found 3"),
    # actuators, sensors, tendons, equalities
    (section("actuator", "<motor/>"),
     "2: <motor>: expected a target, such as joint='...', found none"),
    (section("actuator", "<motor joint='elbow' tendon='t'/>"),
     "2: <motor>: joint and tendon: expected one target, found 2"),
    (section("actuator", "<motor joint='elbow' ctrllimited='true'/>"),
     "2: <motor>: ctrlrange='0 0': expected the first number to be the smaller one; a limit that is on needs a range"),
    (section("actuator", "<position joint='elbow' kv='1' dampratio='1'/>"),
     "2: <position>: kv and dampratio: expected one of them, found both"),
    (section("actuator", "<position joint='elbow' inheritrange='1'/>"),
     "2: <position>: inheritrange: expected a range in the joint 'elbow', found none"),
    (section("actuator", "<intvelocity joint='elbow'/>"),
     "2: <intvelocity>: actrange='0 0': expected the first number to be the smaller one; a limit that is on needs a range"),
    (section("actuator", "<general joint='elbow' actlimited='true' actrange='0 1'/>"),
     "2: <general>: actrange: expected an actuator with activation, found dyntype='none'"),
    (section("sensor", "<rangefinder/>"),
     "2: <rangefinder>: expected one of the attributes site or camera, found none"),
    (section("sensor", "<touch site='tip' cutoff='-1'/>"),
     "2: <touch>: cutoff='-1': expected a number that is not negative"),
    (section("tendon", "<fixed name='t'/>"),
     "2: <fixed name='t'>: expected at least one element along its path, found none"),
    (section("tendon", "<spatial name='t'><site site='tip'/></spatial>"),
     "2: <spatial name='t'>: expected at least two elements along its path, found one"),
    (section("tendon", "<spatial name='t'><site site='tip'/><geom geom='upper'/></spatial>"),
     "2: <geom>: geom='upper': expected a sphere or cylinder, found type='capsule'"),
    (section("equality", "<connect body1='upper_arm'/>"),
     "2: <connect>: expected body1 and anchor, or site1 and site2, found body1"),
    # keyframes, custom data, user data
    (section("keyframe", "<key name='home' qpos='0 0 0'/>"),
     "2: <key name='home'>: qpos: expected 2 values, found 3"),
    (section("keyframe", "<key name='home' ctrl='1'/>"),
     "2: <key name='home'>: ctrl: expected 0 values, found 1"),
    (section("keyframe", "<key name='home'/>\n<key name='home'/>"),
     "3: <key name='home'>: this name is used twice for a key, first at <string>:2"),
    (section("custom", "<numeric name='n'/>"),
     "2: <numeric name='n'>: size: 0: expected between 1 and 500 values"),
    (section("custom", "<numeric name='n' size='1' data='1 2'/>"),
     "2: <numeric name='n'>: data: expected at most size=1 values, found 2"),
    (section("custom", "<text name='t' data=''/>"),
     "2: <text name='t'>: data='': expected some text"),
    (section("custom", "<tuple name='t'><element objtype='body' objname='arm'/></tuple>"),
     "2: <element>: objname='arm': no such body; there are world, upper_arm, lower_arm"),
    (root("<size nuser_geom='1'/><worldbody><geom size='1' user='1 2'/></worldbody>"),
     "2: <geom>: user: expected at most nuser_geom=1 values, found 2"),
]  # fmt: skip


@pytest.mark.parametrize(("xml", "message"), MISTAKES, ids=range(len(MISTAKES)))
def test_messages(xml, message):
    with pytest.raises(ValueError):  # noqa: PT011 (its message is MuJoCo's)
        mujoco.MjModel.from_xml_string(xml, ASSETS)
    with pytest.raises(MjcfError) as caught:
        Model.from_xml_string(xml, ASSETS)
    assert str(caught.value) == f"<string>:{message}"
    assert not isinstance(caught.value, UnsupportedFeature)
