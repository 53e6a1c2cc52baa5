"""Plugins compile to MuJoCo's arrays, are saved, and are refused by name where they do not fit."""
# ruff: noqa: E501 (models in few lines)

import re
from pathlib import Path

import mujoco
import pytest

from mjenv.engine.edit.compile import Model
from mjenv.engine.edit.spec import Spec
from mjenv.engine.errors import MjcfError

from .test_models import differences

mujoco.mj_loadAllPluginLibraries(str(Path(mujoco.__file__).parent / "plugin"))


def model(inside="", extension="", behind="", cable="mujoco.elasticity.cable"):
    return f"""<mujoco><extension>
<plugin plugin="mujoco.pid">{extension}</plugin><plugin plugin="{cable}"/><plugin plugin="mujoco.sensor.touch_grid"/>
</extension><worldbody><body name="b"><joint name="j"/><geom size="1"/><site name="s"/>{inside}</body></worldbody>
{behind}</mujoco>"""


PID = '<instance name="p"><config key="ki" value="2"/><config key="kp" value=" 3e1 "/><config key="slewmax" value="4"/></instance>'
GRID = '<sensor><plugin plugin="mujoco.sensor.touch_grid" objtype="site" objname="s" name="t" cutoff="3"><config key="size" value="4 3"/><config key="fov" value="20 30"/><config key="nchannel" value="2"/></plugin></sensor>'
CABLE = '<composite prefix="c" type="cable" curve="{curve}" count="{count} 1 1" size="{size}" offset="1 2 3" initial="{initial}" quat="1 0.2 0.3 0.4">{inside}<geom type="{geom}" size=".01 .02 .005" density="700" rgba="1 0 0 1" condim="4"/>{plugin}</composite>'
DRIVE = '<plugin plugin="mujoco.elasticity.cable"><config key="twist" value="1e6"/><config key="bend" value="2e6"/></plugin>'


def cable(
    curve="s", count=5, size="1 2 3", initial="ball", geom="capsule", inside="", plugin=DRIVE
):
    return CABLE.format(
        curve=curve,
        count=count,
        size=size,
        initial=initial,
        geom=geom,
        inside=inside,
        plugin=plugin,
    )


def loose(inside, before="", behind=""):
    return f'<mujoco><extension><plugin plugin="mujoco.elasticity.cable"/></extension>{before}<worldbody>{inside}</worldbody>{behind}</mujoco>'


SKIN = '<skin texcoord="true" rgba="0 1 0 1" group="2" subgrid="{}"/>'
EQUAL = {
    "declared only": model(),
    "instance without a user": loose("", "<extension><plugin plugin='mujoco.elasticity.cable'><instance name='n'><config key='flat' value='true'/></instance></plugin></extension>"),
    "controller by instance": model("", PID, '<actuator><plugin joint="j" instance="p" actdim="2"/><motor joint="j"/></actuator>'),
    "controller of its own": model("", "", '<actuator><plugin name="a" joint="j" plugin="mujoco.pid" dyntype="filter" dynprm="0.3" actdim="1" gear="2" ctrlrange="-1 2" actrange="-1 1"><config key="kd" value="2"/></plugin></actuator>'),
    "two controllers by one instance": model("", PID, '<actuator><plugin joint="j" plugin="mujoco.pid" instance="p" actdim="2"/><plugin joint="j" instance="p" dyntype="integrator" actdim="3"/></actuator>'),
    "order of instances": model('<plugin plugin="mujoco.elasticity.cable"/>', PID, GRID + '<actuator><plugin joint="j" plugin="mujoco.pid"/><plugin joint="j" instance="p" actdim="2"/></actuator>'),
    "grid of touch": model("", "", GRID),
    "shapes are declared": '<mujoco><extension><plugin plugin="mujoco.sdf.gear"/><plugin plugin="mujoco.sdf.bowl"><instance name="b"><config key="radius" value="2"/></instance></plugin></extension></mujoco>',
    "line": loose(cable()),
    "line of many points": loose(cable(count=30)),
    "circle": loose(cable("cos(s) sin(s) 0", 9)),
    "helix": loose(cable("cos(s) sin(s) s", 12, "0.3 0.2 5")),
    "no first joint": loose(cable(initial="none")),
    "free": loose(cable(initial="free", inside='<joint kind="main" damping="0.2" armature="0.01" frictionloss="0.1" stiffness="2"/>')),
    "two points": loose(cable(count=2)),
    "cylinders": loose(cable(geom="cylinder")),
    "boxes have a skin": loose(cable(geom="box", curve="s cos(s) sin(s)", size="1 .2 3")),
    "skin": loose(cable(geom="box", count=6, inside=SKIN.format(0))),
    "fine skin": loose(cable(geom="box", count=6, inside=SKIN.format(2))),
    "finer skin": loose(cable(geom="box", count=4, inside=SKIN.format(3))),
    "site and joint": loose(cable(inside='<site size=".1" group="1" rgba="0 0 1 1"/><joint kind="main" group="1" damping="3"/>')),
    "without a plugin": loose(cable(plugin="")),
    "by instance": loose(cable(plugin='<plugin plugin="mujoco.elasticity.cable" instance="n"/>'), "<extension><plugin plugin='mujoco.elasticity.cable'><instance name='n'><config key='twist' value='1e7'/></instance></plugin></extension>"),
    "vertices": loose('<composite prefix="v" type="cable" vertex="0 0 0  .1 0 .1  .3 .1 .1  .4 .2 .3"><geom type="capsule" size=".01"/></composite>'),
    "inside frames and bodies": loose(f'<frame pos="1 2 3" euler="10 20 30"><body euler="0 0 40"><joint/><geom size="1"/>{cable()}</body>{cable().replace("prefix=", "name=").replace("name=", "prefix=d").replace("prefix=d", "prefix=").replace(chr(34) + "c" + chr(34), chr(34) + "d" + chr(34))}</frame>'),
    "default classes": loose(cable(), '<default><geom rgba="0 1 1 1" density="1" friction="2"/><joint damping="7" armature="3"/><site group="5"/></default>'),
    "numbers and materials of default classes": loose(cable(), '<default><geom user="1 2" material="m" mass="3"/><joint user="3"/><site user="4" material="m"/></default><asset><material name="m"/></asset>'),
    "orientations of default classes": loose(cable(geom="box"), '<default><geom zaxis="1 1 1"/><site euler="1 2 3"/></default>'),
    "places of default classes": loose(cable(), '<default><geom pos="1 2 3"/><site pos="1 2 3" type="capsule" fromto="0 0 0 1 0 0"/><joint pos="1 2 3"/></default>'),
    "lines of default classes": loose(cable(geom="box"), '<default><geom fromto="1 2 3 4 5 6"/><site fromto="0 0 0 1 0 0"/></default>'),
    "meshes and fields of default classes": loose(cable(), '<default><geom mesh="m" hfield="h" size="1"/></default>'),
    "class around": loose(f'<body childclass="k">{cable()}<geom size="1"/></body>', '<default><default class="k"><geom density="1"/><joint armature="3"/></default></default>'),
    "what refers to it": loose(cable(), "", '<equality><connect body1="cB_last" anchor="0 0 0"/></equality><actuator><motor site="cS_last" gear="0 0 0 1"/></actuator><sensor><framepos objtype="body" objname="cB_2"/></sensor><contact><exclude body1="cB_first" body2="cB_last"/></contact>'),
    "instances behind those of sensors": model(cable(), PID, GRID + '<actuator><plugin joint="j" plugin="mujoco.pid"/><plugin joint="j" instance="p" actdim="2"/></actuator>'),
}  # fmt: skip


@pytest.mark.sweep(8)
@pytest.mark.parametrize("name", EQUAL)
def test_equal(name):
    reference = mujoco.MjModel.from_xml_string(EQUAL[name])
    ours = Model.from_xml_string(EQUAL[name])
    assert not differences(ours, reference)


# MuJoCo does not write instances of composites behind others that have no name
LOST = ("instances behind those of sensors",)
WRITTEN = [name for name in EQUAL if name not in LOST]


@pytest.mark.sweep(8)
@pytest.mark.parametrize("name", WRITTEN)
def test_written(name):
    """What is written compiles to the same model, here and in MuJoCo."""
    text = Spec.from_string(EQUAL[name]).to_xml()
    ours = Model.from_xml_string(EQUAL[name])
    assert not differences(Model.from_xml_string(text), ours)
    assert not differences(mujoco.MjModel.from_xml_string(text), ours)


def own(inside, tag="plugin", **attributes):
    words = " ".join(f'{name}="{value}"' for name, value in attributes.items())
    return f"<{tag} {words}>{inside}</{tag}>"


def config(**settings):
    return "".join(own("", "config", key=key, value=value) for key, value in settings.items())


ACTUATOR = '<actuator><plugin joint="j" {}>{}</plugin></actuator>'
SENSOR = '<sensor><plugin plugin="mujoco.sensor.touch_grid" {}>{}</plugin></sensor>'
ON_SITE = 'objtype="site" objname="s"'
PIDS = 'plugin="mujoco.pid"'
GOOD = {"size": "4 3", "fov": "20 30"}
WRONG = {
    "unknown plugin": (model(cable="mujoco.elasticity.cabel"), "plugin='mujoco.elasticity.cabel': no such plugin; did you mean 'mujoco.elasticity.cable'?"),
    "not declared": ('<mujoco><worldbody><body><geom size="1"/><plugin plugin="mujoco.elasticity.cable"/></body></worldbody></mujoco>', "plugin='mujoco.elasticity.cable': expected one that <extension> declares"),
    "neither": (model("", "", ACTUATOR.format("", "")), "expected one of the attributes plugin or instance, found none"),
    "unknown instance": (model("", PID, ACTUATOR.format('instance="q"', "")), "instance='q': no such plugin"),
    "setting without a key": (model("", "", ACTUATOR.format(PIDS, '<config value="1"/>')), "<config>: expected the attribute 'key', found none"),
    "setting without a value": (model("", "", ACTUATOR.format(PIDS, '<config key="kp"/>')), "<config>: expected the attribute 'value', found none"),
    "setting of an instance without a key": (model("", '<instance name="p"><config value="1"/></instance>'), "<config>: expected the attribute 'key', found none"),
    "setting twice": (model("", "", ACTUATOR.format(PIDS, config(kp=1) * 2)), "key='kp': this setting is given twice"),
    "unknown setting": (model("", "", ACTUATOR.format(PIDS, config(kpp=1))), "key='kpp': 'mujoco.pid' has no such setting; did you mean 'kp'?"),
    "another capability": (model("", "", ACTUATOR.format('plugin="mujoco.elasticity.cable"', "")), "plugin 'mujoco.elasticity.cable': expected one for actuators"),
    "controller without an actuator": (model("", PID), "mujoco.pid: expected an actuator that it drives, found none"),
    "activations": (model("", PID, ACTUATOR.format('instance="p"', "")), "actdim: expected 2 activations, found 0; write actdim='2'"),
    "bound of the integral": (model("", "", ACTUATOR.format(PIDS + ' actdim="1"', config(ki=1, imax=-1))), "mujoco.pid: imax='-1': expected a number that is not negative"),
    "bound of the rate": (model("", "", ACTUATOR.format(PIDS + ' actdim="1"', config(slewmax=-1))), "mujoco.pid: slewmax='-1': expected a number that is not negative"),
    "cable of words": (model(own(config(twist="stiff"), plugin="mujoco.elasticity.cable")), "mujoco.elasticity.cable: twist='stiff': expected a number"),
    "grid without a size": (model("", "", SENSOR.format(ON_SITE, config(fov="20 30"))), "mujoco.sensor.touch_grid: size='': expected two positive numbers of columns and rows"),
    "grid too wide": (model("", "", SENSOR.format(ON_SITE, config(size="4 3", fov="200 30"))), "mujoco.sensor.touch_grid: fov='200 30': expected two angles, above 0 and up to 180, above 0 and up to 90"),
    "too many channels": (model("", "", SENSOR.format(ON_SITE, config(nchannel=7, **GOOD))), "mujoco.sensor.touch_grid: nchannel='7': expected a number between 1 and 6"),
    "deformed too much": (model("", "", SENSOR.format(ON_SITE, config(gamma=2, **GOOD))), "mujoco.sensor.touch_grid: gamma='2': expected a number between 0 and 1"),
    "grid on a body": (model("", "", SENSOR.format('objtype="body" objname="b"', config(**GOOD))), "mujoco.sensor.touch_grid: expected objtype='site'"),
    "names twice": (model("", PID + PID, '<actuator><plugin joint="j" instance="p" actdim="2"/></actuator>'), "this name is used twice for a plugin, first at <string>:2"),
    "deprecated composite": (loose(cable().replace("cable", "rope", 1)), "type='rope': removed from MJCF; use type='cable' instead"),
    "composite of spheres": (loose(cable(geom="sphere")), "geom: type='sphere': expected one of capsule, cylinder, box"),
    "cable in a plane": (loose(cable().replace('count="5 1 1"', 'count="5 5 1"')), "count='5 5 1': expected two or more points in one line"),
    "cable without length": (loose(cable(size="0 0 0")), "size: expected a positive length, or vertices"),
    "count and vertex": (loose(cable().replace('count="5', 'vertex="0 0 0 1 1 1" count="5')), "vertex and count: expected one of them, found both"),
    "another plugin in a composite": (loose(cable(plugin='<plugin plugin="mujoco.pid"/>'), '<extension><plugin plugin="mujoco.pid"/></extension>'), "expected plugin='mujoco.elasticity.cable', the one for cables"),
    "negative count": (loose(cable(count=-3)), "count='-3 1 1': expected positive numbers"),
    "two joints": (loose(cable(inside='<joint kind="main"/><joint kind="main"/>')), "expected one joint; all joints of a cable are alike"),
    "cable of two bodies": (loose(cable(count=3)), "body2='cB_1': no such body"),
}  # fmt: skip


# what ends the process in MuJoCo
FATAL = ("grid without a size",)


@pytest.mark.parametrize("name", WRONG)
def test_messages(name):
    xml, message = WRONG[name]
    if name not in FATAL:
        with pytest.raises(Exception):  # noqa: B017, PT011 (its message is not ours)
            mujoco.MjData(mujoco.MjModel.from_xml_string(xml))
    with pytest.raises(MjcfError, match=re.escape(message)):
        Model.from_xml_string(xml)


CHILD = """<mujoco><extension><plugin plugin="mujoco.elasticity.cable"><instance name="n"><config
  key="bend" value="2"/></instance></plugin><plugin plugin="mujoco.pid"><instance name="q"><config
  key="kp" value="3"/></instance></plugin></extension><worldbody><body name="b"><joint name="j"/>
  <geom size="1"/><plugin instance="n"/></body></worldbody><actuator>{}</actuator></mujoco>"""
PARENT = """<mujoco>{}<asset><model name="c" file="c.xml"/></asset><worldbody>
  <attach model="c" body="b" prefix="p_"/></worldbody></mujoco>"""
DECLARED = """<extension><plugin plugin="mujoco.elasticity.cable"><instance name="n"/></plugin>
  </extension>"""


@pytest.mark.parametrize("extension", ["", DECLARED], ids=["", "declared"])
@pytest.mark.parametrize(
    "actuator",
    ['<plugin joint="j" plugin="mujoco.pid"/>', '<plugin joint="j" instance="q"/>'],
    ids=["own", "instance"],
)
def test_attached(extension, actuator):
    """Instances that attached parts refer to come with them, under new names."""
    text, assets = PARENT.format(extension), {"c.xml": CHILD.format(actuator).encode()}
    ours = Model.from_xml_string(text, assets)
    assert not differences(ours, mujoco.MjModel.from_xml_string(text, assets))
    written = Model.from_xml_string(Spec.from_string(text, assets).to_xml())
    # text has instances with names before those without
    assert written.nplugin == ours.nplugin
    assert "instance" not in actuator or not differences(written, ours)


@pytest.mark.parametrize("value", ["nan", "inf", "abc", "1e2x"])
@pytest.mark.parametrize("name", ["kp", "ki", "kd", "imax", "slewmax"])
def test_settings_of_controllers_are_numbers(name, value):
    """MuJoCo compiles them, to forces that are not finite, or to 0."""
    text = model("", "", ACTUATOR.format(PIDS, config(**{name: value})))
    with pytest.raises(MjcfError, match=f"mujoco.pid: {name}='{value}': expected a number"):
        Model.from_xml_string(text)


@pytest.mark.parametrize(
    "inside", [config(kp=1), config(kpp=1) * 2, "<config/>", '<config key="k"/>']
)
def test_settings_beside_an_instance_are_passed_over(inside):
    text = model("", PID, ACTUATOR.format('instance="p" actdim="2"', inside))
    with pytest.warns(UserWarning, match="<config>: beside the attribute 'instance': ignored"):
        ours = Model.from_xml_string(text)
    assert not differences(ours, mujoco.MjModel.from_xml_string(text))


GRASP = """<mujoco><extension><plugin plugin="mujoco.elasticity.cable"><instance name="n"><config
  key="bend" value="2"/></instance></plugin><plugin plugin="mujoco.pid"><instance name="q"><config
  key="kp" value="3"/></instance></plugin><plugin plugin="mujoco.sensor.touch_grid"/></extension>
<worldbody><body name="b"><joint name="j"/><geom size="1"/><site name="s"/><plugin instance="n"/>
  {cable}</body></worldbody>
<actuator><plugin joint="j" plugin="mujoco.pid"/><plugin joint="j" instance="q"/></actuator>
{grid}</mujoco>"""
HOLDER = """<mujoco><extension><plugin plugin="mujoco.pid"/><plugin plugin="{cable}"><instance
  name="m"/></plugin><plugin plugin="mujoco.sensor.touch_grid"/></extension>
<asset><model name="c" file="c.xml"/></asset>
<worldbody><body name="h"><joint name="j"/><geom size=".1"/><site name="s"/>
  <plugin plugin="{cable}"><config key="twist" value="7"/></plugin>{first}</body>{second}
  <body pos="0 3 0"><joint/><geom size=".1"/><plugin plugin="{cable}"/></body></worldbody>
{grid}<actuator><plugin joint="j" plugin="mujoco.pid"><config key="kd" value="5"/></plugin></actuator>
</mujoco>"""
ATTACH = '<attach model="c" body="b" prefix="{}"/>'
ORDERS = {
    "one": (ATTACH.format("p_"), "", ""),
    "two": (ATTACH.format("p_"), ATTACH.format("r_"), ""),
    "behind a cable": (cable(), ATTACH.format("p_"), ""),
    "before a cable": (ATTACH.format("p_"), cable(), ""),
    "with a cable inside": (ATTACH.format("p_"), cable().replace('"c"', '"d"'), cable()),
}


@pytest.mark.parametrize("name", ORDERS)
def test_order_of_instances_that_are_attached(name):
    """They come behind those of what is read before, also behind sensors of the model around."""
    first, second, inside = ORDERS[name]
    text = HOLDER.format(cable="mujoco.elasticity.cable", first=first, second=second, grid=GRID)
    assets = {"c.xml": GRASP.format(cable=inside, grid=GRID.replace('"4 3"', '"2 5"')).encode()}
    reference = mujoco.MjModel.from_xml_string(text, assets)
    ours = Model.from_xml_string(text, assets)
    assert not differences(ours, reference)
    assert ours.names == reference.names
    copied = Model.from_xml_string(Spec.from_string(text, assets).to_xml())
    assert copied.nplugin == ours.nplugin


def test_order_of_instances_of_an_edited_spec():
    """A copy of a spec numbers what is attached later behind what it has."""
    assets = {"c.xml": GRASP.format(cable="", grid=GRID).encode()}
    first = {"cable": "mujoco.elasticity.cable", "first": ATTACH.format("p_"), "second": ""}
    text = HOLDER.format(**first, grid=GRID)
    twice = text.replace("</worldbody>", ATTACH.format("r_") + "</worldbody>")
    spec = Spec.from_string(text, assets).copy()
    child = Spec.from_string(assets["c.xml"].decode())
    spec.worldbody.add_frame().attach(child.body("b"), prefix="r_")
    ours, expected = spec.compile(), Model.from_xml_string(twice, assets)
    assert ours.plugin.tolist() == expected.plugin.tolist()
    assert ours.body_plugin.tolist() == expected.body_plugin.tolist()
