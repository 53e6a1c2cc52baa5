"""URDF documents compile to MuJoCo's models, and faulty ones are refused with a message."""
# ruff: noqa: E501 (models in few lines)

import mujoco
import pytest

from mjenv.engine.edit.compile import Model
from mjenv.engine.errors import MjcfError, UnsupportedFeature
from mjenv.engine.mjcf.text.reader import read
from mjenv.engine.mjcf.text.source import Source

from .test_models import differences

# what stands in <mujoco>: MuJoCo's own settings of URDF documents merge and discard
BOTH = "<compiler fusestatic='false' discardvisual='false'/>"
SETTINGS = {
    "all": BOTH,
    "no visuals": "<compiler fusestatic='false'/>",
    "no static bodies": "<compiler discardvisual='false'/>",
    "default": "",
}

SOLID = (
    "<inertial><origin xyz='0.1 0 0.2'/><mass value='2'/>"
    "<inertia ixx='1' iyy='1.1' izz='1.2' ixy='0.1' ixz='0.05' iyz='0.02'/></inertial>"
)


def link(name, inside=SOLID):
    return f"\n<link name='{name}'>{inside}</link>"


def joint(kind, inside="", name="j", parent="a", child="b"):
    return (
        f"\n<joint name='{name}' type='{kind}'><parent link='{parent}'/><child link='{child}'/>"
        f"{inside}</joint>"
    )


def robot(inside, settings=BOTH):
    extension = f"<mujoco>{settings}</mujoco>" if settings else ""
    return f"<robot name='r'>{extension}{inside}\n</robot>"


def arm(kind, inside=""):
    return link("a") + link("b") + joint(kind, inside)


def shape(geometry, inside="", role="collision"):
    return f"<{role}><geometry>{geometry}</geometry>{inside}</{role}>"


BALL = "<sphere radius='0.1'/>"
PLACE = "<origin xyz='1 2 3' rpy='0.1 0.2 0.3'/>"
TURNED = PLACE + "<axis xyz='1 2 2'/>"
LIMITS = {
    "both": "lower='-1' upper='2' effort='5' velocity='3'",
    "lower": "lower='-1'",
    "upper": "upper='1'",
    "upside down": "lower='2' upper='1'",
    "equal": "lower='1' upper='1'",
    "zero": "lower='0' upper='0'",
    "none": "",
    "negative effort": "effort='-3'",
    "no effort": "effort='0' lower='-1' upper='1'",
}
COLOR = "<material name='{}'><color rgba='{}'/></material>"
RED, HALF = COLOR.format("red", "1 0 0 1"), COLOR.format("half", "0.5 0.25 0 0.5")
USED = "<material name='{}'/>"

ROBOTS = (
    {
        "one link": link("a"),
        "no link": "",
        "one box": "<link name='a'><collision><geometry><box size='1 2 3'/></geometry></collision></link>",
        "two joints": link("a") + link("b") + link("c") + joint("revolute", TURNED)
        + joint("prismatic", TURNED, "k", "b", "c"),
        "children before parents": joint("revolute", "", "k", "b", "c") + link("c") + link("b")
        + joint("continuous") + link("a"),
        "several roots": link("a") + link("b") + link("c") + joint("revolute", PLACE, "j", "c", "b"),
        "tree": link("a") + link("b") + link("c") + link("d") + joint("revolute", PLACE, "j", "a", "d")
        + joint("revolute", PLACE, "k", "a", "c") + joint("revolute", PLACE, "l", "d", "b"),
        "link world": link("world", "") + link("b") + joint("revolute", PLACE, "j", "world", "b"),
        "link world with geoms": link("world", shape(BALL)) + link("b")
        + joint("fixed", PLACE, "j", "world", "b") + link("c"),
        "link world last": link("c") + link("b") + joint("revolute", PLACE, "j", "world", "b") + link("world", ""),
        "without a name": "",
    }
    | {f"joint {kind}": arm(kind, TURNED) for kind in
       ("revolute", "continuous", "prismatic", "fixed", "planar", "spherical")}
    | {f"default axis {kind}": arm(kind) for kind in ("revolute", "prismatic", "planar", "fixed")}
    | {
        "joint floating": link("b") + link("world", "") + joint("floating", PLACE, "j", "world", "b"),
        "axis not normal": arm("revolute", "<axis xyz='0 0 7'/>"),
        "axis of a plane": arm("planar", "<axis xyz='0 0 -1'/>"),
        "dynamics": arm("revolute", "<dynamics damping='0.5' friction='0.1'/>"),
        "damping only": arm("prismatic", "<dynamics damping='0.5'/>"),
        "dynamics of a plane": arm("planar", "<dynamics damping='0.5' friction='0.1'/>"),
        "dynamics of a ball": arm("spherical", "<dynamics damping='0.5' friction='0.1'/>"),
        "fixed with all": arm("fixed", "<dynamics damping='1'/><limit lower='1' upper='2'/><axis xyz='0 0 1'/>"),
        "mimic": arm("revolute", "<mimic joint='j'/>"),
        "calibration": arm("revolute", "<calibration rising='0'/><safety_controller k_velocity='1'/>"),
    }
    | {f"limit {name}": arm("revolute", f"<limit {text}/>") for name, text in LIMITS.items()}
    | {f"limit of a slider {name}": arm("prismatic", f"<limit {text}/>") for name, text in LIMITS.items()}
    | {
        "limit of a plane": arm("planar", "<limit lower='-1' upper='1' effort='2'/>"),
        "limit of a ball": arm("spherical", "<limit lower='0' upper='1' effort='2'/>"),
        "box": link("a", shape("<box size='1 2 3'/>", PLACE)),
        "cylinder": link("a", shape("<cylinder radius='0.5' length='3'/>", PLACE)),
        "sphere": link("a", shape("<sphere radius='0.5'/>", PLACE)),
        "capsule": link("a", shape("<capsule radius='0.5' length='3'/>", PLACE)),
        "two shapes": link("a", shape("<sphere radius='0.5'/><box size='1 1 1'/>")),
        "visual": link("a", SOLID + shape(BALL, PLACE, "visual")),
        "visual and collision": link("a", shape(BALL, RED, "visual") + shape("<box size='1 1 1'/>", PLACE)),
        "collision first": link("a", shape(BALL) + shape(BALL, RED, "visual") + shape(BALL)),
        "mass from shapes": link("a", shape(BALL) + shape("<box size='1 2 3'/>", PLACE)) + link("b", shape(BALL)) + joint("revolute", PLACE),
        "named shapes": link("a", "<collision name='x'><geometry><sphere radius='1'/></geometry></collision>"
                             "<visual name='y'><geometry><sphere radius='1'/></geometry></visual>"),
        "names used twice": link("a", "<collision name='x'><geometry><sphere radius='1'/></geometry></collision>"
                                 "<visual name='x'><geometry><sphere radius='1'/></geometry></visual>"),
        "names like links": link("a", "<collision name='a'><geometry><sphere radius='1'/></geometry></collision>"),
        "material": RED + link("a", shape(BALL, USED.format("red"), "visual") + shape(BALL)),
        "material elsewhere": link("a", shape(BALL, USED.format("red"), "visual")) + link("b", shape(BALL, RED, "visual")) + joint("fixed"),
        "first material": RED + COLOR.format("red", "0 1 0 1") + link("a", shape(BALL, USED.format("red"), "visual")),
        "unknown material": link("a", SOLID + shape(BALL, USED.format("blue"), "visual")),
        "material without a color": "<material name='red'><texture filename='x.png'/></material>" + RED
        + link("a", SOLID + shape(BALL, USED.format("red"), "visual")),
        "unnamed material": link("a", SOLID + shape(BALL, "<material><color rgba='1 1 0 1'/></material>", "visual")),
        "color of the one before": link("a", SOLID + shape(BALL, HALF, "visual") + shape(BALL, "", "visual") + shape(BALL)),
        "no color of another link": link("a", shape(BALL, HALF, "visual")) + link("b", shape(BALL)) + joint("fixed"),
        "negative color": link("a", SOLID + shape(BALL, COLOR.format("x", "-1 0 0 1"), "visual")),
        "turned inertia": link("b", SOLID.replace("/><mass", " rpy='0.1 0.2 0.3'/><mass")) + link("a") + joint("revolute"),
        "no moments": link("b", "<inertial><origin xyz='1 0 0' rpy='0.1 0.2 0.3'/><mass value='2'/><inertia ixx='0' iyy='0' izz='0' "
                           "ixy='0' ixz='0' iyz='0'/></inertial>" + shape(BALL)) + link("a") + joint("fixed"),
        "diagonal": link("b", "<inertial><mass value='2'/><inertia ixx='3' iyy='2' izz='4' ixy='0' ixz='0' iyz='0'/></inertial>")
        + link("a") + joint("revolute"),
        "inertia and shapes": link("b", SOLID + shape(BALL)) + link("a") + joint("revolute"),
        "what is not for MuJoCo": link("a") + "<transmission name='t'><type>x</type></transmission><gazebo reference='a'><material>y</material></gazebo><sensor/>",
        "unknown attributes": "<link name='a' x='1'><inertial x='1'><mass value='1' x='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0' x='1'/></inertial></link>",
        "blanks": link("a", shape("<box size='  1\n2\t3 '/>")),
    }
)  # fmt: skip


def same(xml):
    """Model of a document, which is compared with MuJoCo's."""
    reference = mujoco.MjModel.from_xml_string(xml)
    ours = Model.from_xml_string(xml)
    assert not differences(ours, reference)
    return ours


@pytest.mark.sweep(31)
@pytest.mark.filterwarnings("ignore:.*ignored, as MuJoCo does")
@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("name", ROBOTS)
def test_robots(name, settings):
    same(robot(ROBOTS[name], SETTINGS[settings]))


# content of <mujoco>, beside what merges and discards
EXTENSIONS = {
    "degrees do not count": "<compiler angle='degree' {}/>",
    "compiler": "<compiler balanceinertia='true' boundmass='3' boundinertia='0.5' settotalmass='10' {}/>",
    "inertia from geoms": "<compiler inertiafromgeom='true' inertiagrouprange='0 1' {}/>",
    "euler": "<compiler eulerseq='zyx' {}/>",
    "length range": "<compiler {}><lengthrange mode='all'/></compiler>",
    "option": "<compiler {}/><option gravity='0 0 1' timestep='0.1' integrator='RK4'/>",
    "flag": "<compiler {}/><option><flag contact='disable'/></option>",
    "size": "<compiler {}/><size nuser_body='2' nkey='1'/>",
    "free joints": "<compiler alignfree='true' {}/>",
    "unknown names": "<compiler {} gravity='1'/><option timestp='1'><flag contakt='enable'/></option>",
    "other sections": "<compiler {}/><visual/><worldbody><geom size='1'/></worldbody><default><geom rgba='1 0 0 1'/></default>",
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:.*ignored, as MuJoCo does")
@pytest.mark.parametrize("name", EXTENSIONS)
def test_extension(name):
    given = EXTENSIONS[name].format("fusestatic='false' discardvisual='false'")
    same(robot(arm("revolute", TURNED + "<limit lower='-1' upper='2'/>"), given))


@pytest.mark.filterwarnings("ignore:.*ignored, as MuJoCo does")
def test_root_in_capitals_and_namespaces():
    inside = f"<mujoco>{BOTH}</mujoco>{arm('revolute')}"
    for root in (
        "Robot",
        "ROBOT name='x'",
        "robot xmlns='http://x'",
        "robot xmlns:xacro='http://x'",
    ):
        same(f"<{root}>{inside}</{root.split()[0]}>")


@pytest.mark.filterwarnings("ignore:.*ignored, as MuJoCo does")
def test_world_inside():
    """The world may be the child of a fixed joint: what is in it stands in the world."""
    links = link("a") + link("world", shape(BALL)) + link("c") + link("d")
    fixed = joint("fixed", "", "j", "a", "world")
    same(
        robot(
            links
            + fixed
            + joint("revolute", PLACE, "k", "world", "c")
            + joint("fixed", PLACE, "l", "a", "d")
        )
    )
    with pytest.raises(UnsupportedFeature, match="a world that is moved"):
        Model.from_xml_string(robot(links + joint("fixed", PLACE, "j", "a", "world")))


def test_mesh_names():
    """Meshes are assets named after their files; each other scale gets a number behind the name."""

    def geometry(file, scale=""):
        return shape(f"<mesh filename='{file}' {scale}/>")

    inside = geometry("x/cup.stl") + geometry("y/cup.obj") + geometry("y/cup.obj", "scale='1 2 3'")
    inside += geometry("cup.stl", "scale='1 1 2'") + geometry("a\\b.c.stl", "scale='1 1 1'")
    for strip in (False, True):
        settings = BOTH.replace("<compiler", "<compiler strippath='true'") if strip else BOTH
        root = read(robot(link("a", inside), settings).encode(), "r.urdf", Source())
        assets, world = (
            next(s for s in root.children if s.tag == t) for t in ("asset", "worldbody")
        )
        found = [
            tuple(mesh.values[k] for k in ("name", "file", "scale")) for mesh in assets.children
        ]
        assert found == [
            ("cup", "cup.stl" if strip else "x/cup.stl", (1, 1, 1)),
            ("cup1", "cup.obj" if strip else "y/cup.obj", (1, 2, 3)),
            ("cup2", "cup.stl", (1, 1, 2)),
            ("b.c", "b.c.stl" if strip else "a\\b.c.stl", (1, 1, 1)),
        ]
        geoms = [g.values["mesh"] for g in world.children[0].children if g.tag == "geom"]
        assert geoms == ["cup", "cup", "cup1", "cup2", "b.c"]


WARNINGS = [
    (robot(arm("revolute", "\n<mimic joint='j'/>")), "<string>:4: <joint name='j'>: <mimic>"),
    (robot("", "\n<visual/>" + BOTH), "<string>:2: <visual>: a section of <mujoco> that URDF documents cannot have"),
    (robot("", BOTH.replace("/>", " gravty='1'/>")), "<string>:1: <compiler>: unknown attribute 'gravty'"),
    (robot(ROBOTS["names used twice"]), "<string>:2: <visual name='x'>: a name that another geom has"),
    (robot(ROBOTS["turned inertia"]), "<string>:2: <inertial>: rpy of the inertia"),
]  # fmt: skip


@pytest.mark.parametrize(("xml", "message"), WARNINGS, ids=range(len(WARNINGS)))
def test_warnings(xml, message):
    """What MuJoCo passes over in silence is passed over with a warning."""
    mujoco.MjModel.from_xml_string(xml)
    with pytest.warns(UserWarning, match="ignored, as MuJoCo does") as caught:
        Model.from_xml_string(xml)
    assert [str(w.message) for w in caught] == [f"{message}: ignored, as MuJoCo does"]


def moments(text, mass="<mass value='1'/>"):
    return link("a", f"<inertial>{mass}{text}</inertial>")


def moved(inside):
    return arm("revolute", inside)


INERTIA = "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>"
TWO = link("a") + link("b")
MISTAKES = [
    # links
    ("\n<link/>", "2: <link>: expected the attribute 'name', found none"),
    (link("a") + link("a"), "3: <link name='a'>: this name is used twice for a link, first at <string>:2"),
    (link("world", "\n<collision/>"), "3: <collision>: expected <geometry> in it, found none"),
    # joints
    (TWO + "\n<joint name='j'><parent link='a'/><child link='b'/></joint>", "4: <joint name='j'>: expected the attribute 'type', found none"),
    (TWO + "\n<joint type='fixed'><parent link='a'/><child link='b'/></joint>", "4: <joint>: expected the attribute 'name', found none"),
    (arm("revolut"), "4: <joint name='j'>: type='revolut': expected one of revolute, continuous, prismatic, fixed, floating,"
                     " planar, spherical; did you mean 'revolute'?"),
    (TWO + "\n<joint type='fixed' name='j'><child link='b'/></joint>", "4: <joint name='j'>: expected <parent> in it, found none"),
    (TWO + "\n<joint type='fixed' name='j'><parent link='a'/></joint>", "4: <joint name='j'>: expected <child> in it, found none"),
    (TWO + "\n<joint type='fixed' name='j'><parent/><child link='b'/></joint>", "4: <parent>: expected the attribute 'link', found none"),
    (TWO + "\n<joint type='fixed' name='j'><parent link='a'/><parent link='a'/></joint>", "4: <parent>: expected at most one <parent> in <joint>"),
    (link("elbow") + link("b") + joint("fixed", "", "j", "elbw"), "4: <parent>: link='elbw': no such link; did you mean 'elbow'?"),
    (TWO + joint("fixed", "", "j", "a", "x"), "4: <child>: link='x': no such link"),
    (TWO + link("c") + joint("fixed") + joint("fixed", "", "k", "c"),
     "6: <joint name='k'>: link 'b': expected one parent, found two; the first joint is at <string>:5"),
    (TWO + joint("fixed") + joint("fixed", "", "k", "b", "a"), "2: <link name='a'>: expected a tree of links, found a loop of joints above this one"),
    (TWO + joint("fixed", "", "j", "a", "a"), "2: <link name='a'>: expected a tree of links, found a loop of joints above this one"),
    (TWO + link("c") + joint("revolute") + joint("revolute", "", "j", "b", "c"),
     "6: <joint name='j'>: this name is used twice for a joint, first at <string>:5"),
    (arm("floating"), "3: <link name='b'>: free joint: expected it in a child of the world"),
    (link("a") + link("world") + joint("revolute", "", "j", "a", "world"), "4: <joint name='j'>: link 'world': expected type='fixed', the world cannot move"),
    (moved("<axis/>"), "4: <axis>: expected the attribute 'xyz', found none"),
    (moved("<axis xyz='1 0'/>"), "4: <axis>: xyz='1 0': expected 3 values, found 2"),
    (moved("<axis xyz='0 0 0'/>"), "4: <joint name='j'>: axis: expected a direction that is not zero"),
    (arm("planar", "<axis xyz='0 0 0'/>"), "4: <joint name='j'>: axis: expected a direction that is not zero"),
    (arm("fixed", "<axis xyz='0 0'/>"), "4: <axis>: xyz='0 0': expected 3 values, found 2"),
    (moved("<axis xyz='1 0 0'/><axis xyz='1 0 0'/>"), "4: <axis>: expected at most one <axis> in <joint>"),
    (moved("<origin/><origin/>"), "4: <origin>: expected at most one <origin> in <joint>"),
    (moved("<origin rpy='1 2 3 4'/>"), "4: <origin>: rpy='1 2 3 4': expected 3 values, found 4"),
    (moved("<limit lower='low'/>"), "4: <limit>: lower='low': expected a number, found 'low'"),
    (moved("<limit effort='1 2'/>"), "4: <limit>: effort='1 2': expected 1 value, found 2"),
    (moved("<dynamics damping='1 2'/>"), "4: <dynamics>: damping='1 2': expected 1 value, found 2"),
    # inertia
    (moments(INERTIA, ""), "2: <inertial>: expected <mass> in it, found none"),
    (moments(""), "2: <inertial>: expected <inertia> in it, found none"),
    (moments(INERTIA, "<mass/>"), "2: <mass>: expected the attribute 'value', found none"),
    (moments(INERTIA, "<mass value='heavy'/>"), "2: <mass>: value='heavy': expected a number, found 'heavy'"),
    (moments(INERTIA.replace("izz", "zz")), "2: <inertia>: expected the attribute 'izz', found none"),
    (moments(INERTIA.replace("izz='1'", "izz='-1'")), "2: <inertial>: fullinertia: expected a matrix with positive eigenvalues"),
    (moments(INERTIA.replace("izz='1'", "izz='5'")), "2: <link name='a'>: inertia 5 1 1: expected no moment above the sum of the others;"
     " correct it, or let the compiler average them with balanceinertia='true'"),
    (link("a") + link("b", "") + joint("revolute"),
     "3: <link name='b'>: mass 0, inertia 0 0 0: expected both to be positive in a body that moves; add a geom with mass, or correct <inertial>"),
    # shapes
    (link("a", "<visual/>"), "2: <visual>: expected <geometry> in it, found none"),
    (link("a", shape("<cone/>")), "2: <geometry>: expected one of box, cylinder, sphere, capsule, mesh in it, found none"),
    (link("a", shape("<sphere/>")), "2: <sphere>: expected the attribute 'radius', found none"),
    (link("a", shape("<sphere radius='0'/>")), "2: <collision>: size: expected a positive number at place 1 of a sphere, found 0"),
    (link("a", shape("<box size='1 2'/>")), "2: <box>: size='1 2': expected 3 values, found 2"),
    (link("a", shape("<cylinder radius='1'/>")), "2: <cylinder>: expected the attribute 'length', found none"),
    (link("a", shape("<capsule radius='1' length='-2'/>")), "2: <collision>: size: expected a positive number at place 2 of a capsule, found -1"),
    (link("a", shape("<mesh/>")), "2: <mesh>: expected the attribute 'filename', found none"),
    # materials
    ("\n<material name='x'><color rgba='1 1 1'/></material>", "2: <color>: rgba='1 1 1': expected 4 values, found 3"),
    ("\n<material name='x'><color/></material>", "2: <color>: expected the attribute 'rgba', found none"),
    (link("a", shape(BALL, "<material/>", "visual")), "2: <material>: expected the attribute 'name', found none"),
]  # fmt: skip


@pytest.mark.parametrize(("inside", "message"), MISTAKES, ids=range(len(MISTAKES)))
def test_messages(inside, message):
    refused(robot(inside), message)


WRONG_EXTENSIONS = [
    ("<compiler/><compiler/>", "1: <compiler>: expected at most one <compiler> in <mujoco>"),
    ("<compiler fusestatic='no'/>", "1: <compiler>: fusestatic='no': expected one of false, true, found 'no'"),
    ("<compiler eulerseq='zy'/>", "1: <compiler>: eulerseq='zy': expected 3 letters"),
    ("<option timestep='x'/>", "1: <option>: timestep='x': expected a number, found 'x'"),
    ("<option/><option/>", "1: <option>: expected at most one <option> in <mujoco>"),
    (BOTH + "<size nuser_body='-2'/>", "1: <size>: nuser_body='-2': expected -1 or more"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("settings", "message"), WRONG_EXTENSIONS, ids=range(len(WRONG_EXTENSIONS))
)
def test_messages_of_the_extension(settings, message):
    refused(robot(link("a"), settings), message)


def refused(xml, message):
    with pytest.raises(ValueError):  # noqa: PT011 (its message is MuJoCo's)
        mujoco.MjModel.from_xml_string(xml)
    with pytest.raises(MjcfError) as caught:
        Model.from_xml_string(xml)
    assert not isinstance(caught.value, UnsupportedFeature)
    assert str(caught.value) == f"<string>:{message}"


def long_chain(n):
    links = "".join(link(f"l{k}") for k in range(n))
    joints = (joint("fixed", "", f"j{k}", f"l{k}", f"l{k + 1}") for k in range(n - 1))
    return robot(links + "".join(joints))


@pytest.mark.slow
def test_long_chains():
    """Of 2,000 links too, where MuJoCo gives up ("unknown exception")."""
    text = long_chain(900)
    model, mj = Model.from_xml_string(text), mujoco.MjModel.from_xml_string(text)
    assert model.nbody == mj.nbody
    assert model.signature == mj.signature
    assert Model.from_xml_string(long_chain(2000)).nbody == 2001
