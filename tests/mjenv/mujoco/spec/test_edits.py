"""Specs put together and edited in Python, step by step as in MuJoCo."""

from typing import Any

import mujoco
import numpy as np
import pytest

import mjenv.mujoco as ours

from .beside import compiled_apart, specs_apart
from .documents import DOCUMENTS

ARM = """<mujoco model="arm"><compiler angle="degree" eulerseq="zyx"/><option timestep=".01"/>
<default><geom rgba="1 0 0 1"/><joint damping="1"/><default class="link"><geom size=".05" density="300"/></default></default>
<asset><texture name="t" type="2d" builtin="flat" width="4" height="4" rgb1="1 0 0"/><material name="m" texture="t"/><mesh name="mesh" builtin="sphere" params="1"/></asset>
<worldbody><light pos="0 0 2"/><frame name="base" pos="0 0 1" euler="90 0 0"><body name="upper" childclass="link"><joint name="j" axis="0 1 0"/>
<geom name="g" type="capsule" fromto="0 0 0 0 0 .3" material="m"/><site name="s"/><camera name="c"/>
<body name="lower" pos="0 0 .3" euler="30 0 0"><joint name="k" axis="0 1 0"/><geom name="h"/><geom type="mesh" mesh="mesh"/><site name="end" pos="0 0 .1"/></body></body></frame>
<body name="other" pos="1 0 0"><freejoint name="f"/><geom name="o" size=".1"/></body></worldbody>
<contact><exclude name="x" body1="upper" body2="other"/><pair name="p" geom1="g" geom2="o"/></contact>
<tendon><fixed name="sum"><joint joint="j" coef="1"/><joint joint="k" coef="2"/></fixed><spatial name="rope"><site site="s"/><site site="end"/></spatial></tendon>
<equality><connect name="e" body1="lower" body2="other" anchor="0 0 0"/></equality>
<actuator><motor name="a" joint="j"/><position name="b" joint="k" kp="2"/></actuator>
<sensor><jointpos name="jp" joint="j"/><framepos name="fp" objtype="body" objname="other"/></sensor>
<custom><tuple name="tu"><element objtype="geom" objname="g"/></tuple><numeric name="n" data="1"/></custom>
<keyframe><key name="key" qpos="1 2 0 0 0 1 0 0 0" ctrl="3 4"/></keyframe></mujoco>"""  # noqa: E501


def scene(module: Any) -> Any:
    """A parent for what is attached."""
    spec = module.MjSpec()
    spec.modelname = "scene"
    spec.add_default("soft", spec.default).geom.friction[0] = 0.5
    body = spec.worldbody.add_body(name="stand", pos=[0, 1, 0])
    body.add_geom(name="plate", type=module.mjtGeom.mjGEOM_BOX, size=[0.2, 0.2, 0.1])
    body.add_site(name="mount", pos=[0, 0, 0.1], euler=[0, 0, 90])
    body.add_frame(name="inner", pos=[0, 0, 1], quat=[1, 1, 0, 0])
    spec.worldbody.add_frame(name="holder", pos=[0, 0, 1], quat=[1, 1, 0, 0])
    spec.worldbody.add_site(name="spot", pos=[0, 3, 0.1], euler=[0, 0, 1])
    spec.worldbody.add_geom(type=module.mjtGeom.mjGEOM_PLANE, size=[1, 1, 1])
    spec.add_key(name="start", time=1)
    return spec


def pair_of(module: Any) -> tuple[Any, Any]:
    return scene(module), module.MjSpec.from_string(ARM)


def attach_body_to_frame(module):
    spec, arm = pair_of(module)
    body = spec.frame("inner").attach_body(arm.body("upper"), "a-", "-z")
    assert body.name == "a-upper-z"
    assert body is arm.body("upper") or body == spec.body("a-upper-z")
    return spec


def attach_body_to_site(module):
    spec, arm = pair_of(module)
    spec.site("mount").attach_body(arm.body("lower"), "b_")
    return spec


def attach_frame_to_body(module):
    spec, arm = pair_of(module)
    spec.body("stand").attach_frame(arm.frame("base"), "c_")
    return spec


def attach_spec_to_frame(module):
    spec, arm = pair_of(module)
    frame = spec.attach(arm, prefix="d_", frame=spec.frame("holder"))
    frame.pos = [0, 0, 2]
    return spec


def attach_spec_to_site(module):
    spec, arm = pair_of(module)
    spec.attach(arm, site="spot", suffix="_e")
    return spec


def attach_with_the_plain_prefix(module):
    spec, arm = pair_of(module)
    spec.attach(arm, frame="holder")
    return spec


def attach_twice(module):
    spec, arm = pair_of(module)
    spec.attach(arm, frame="holder", prefix="1_")
    spec.attach(module.MjSpec.from_string(ARM), site="spot", prefix="2_")
    return spec


def attach_copies(module):
    spec, arm = pair_of(module)
    spec.copy_during_attach = True
    spec.frame("holder").attach_body(arm.body("upper"), "1_")
    spec.frame("holder").attach_body(arm.body("upper"), "2_")
    spec.worldbody.attach_frame(arm.frame("base"), "3_")
    return spec


def attach_what_is_attached_already(module):
    spec, arm = pair_of(module)
    inner = module.MjSpec()
    tip = inner.worldbody.add_body(name="tip")
    tip.add_geom(size=[0.01, 0, 0])
    tip.add_joint(name="wrist")
    inner.add_key(name="bent", qpos=[0.5])
    arm.attach(inner, prefix="tool/", site="end")
    spec.attach(arm, prefix="arm/", frame="holder")
    return spec


def attach_within_a_spec(module):
    spec = module.MjSpec.from_string(ARM)
    spec.copy_during_attach = True
    frame = spec.worldbody.add_frame(pos=[0, 2, 0])
    frame.attach_body(spec.body("upper"), "again_")
    return spec


def settings_of_the_compiler_stay(module):
    spec, arm = pair_of(module)
    spec.compiler.degree, spec.compiler.eulerseq = False, ["x", "y", "z"]
    arm.worldbody.add_body(name="late", euler=[10, 20, 30]).add_geom(size=[0.1, 0, 0])
    spec.attach(arm, prefix="x_", frame="holder")
    return spec


def angle_in_both(module):
    spec, arm = module.MjSpec(), module.MjSpec()
    for one in (spec, arm):
        one.compiler.degree = True
    arm.worldbody.add_body(euler=(90, 0, 0)).add_geom(size=(0.1,))
    spec.attach(arm, prefix="x_", frame=spec.worldbody.add_frame())
    return spec


def delete_a_body(module):
    spec = module.MjSpec.from_string(ARM)
    spec.delete(spec.tuple("tu"))
    spec.delete(spec.body("upper"))
    return spec


def delete_an_inner_body(module):
    spec = module.MjSpec.from_string(ARM)
    spec.delete(spec.body("lower"))
    return spec


def delete_elements(module):
    spec = module.MjSpec.from_string(ARM)
    for kind, name in (
        ("sensor", "jp"), ("actuator", "a"), ("tendon", "sum"), ("equality", "e"), ("pair", "p"),
        ("exclude", "x"), ("camera", "c"), ("tuple", "tu"), ("numeric", "n"), ("key", "key"),
    ):  # fmt: skip
        spec.delete(getattr(spec, kind)(name))
    spec.delete(spec.lights[0])
    return spec


def delete_a_joint_and_its_users(module):
    spec = module.MjSpec.from_string(ARM)
    for element in (spec.key("key"), spec.actuator("b"), spec.tendon("sum"), spec.joint("k")):
        spec.delete(element)
    return spec


def delete_a_class(module):
    spec = module.MjSpec.from_string(ARM)
    spec.delete(spec.find_default("link"))
    return spec


def to_frames(module):
    spec = module.MjSpec()
    body = spec.worldbody.add_body(name="a", pos=[1, 0, 0], euler=[0, 0, 1])
    body.add_geom(name="g", size=[0.1, 0, 0])
    inner = body.add_body(name="b", pos=[0, 1, 0])
    inner.add_geom(size=[0.1, 0, 0])
    inner.add_joint()
    body.to_frame()
    return spec


def classes(module):
    spec = module.MjSpec()
    outer = spec.add_default("outer", spec.default)
    outer.geom.size[:] = [0.2, 0, 0]
    outer.joint.damping = [3, 0, 0]
    inner = spec.add_default("inner", outer)
    inner.geom.rgba = [0, 1, 0, 1]
    inner.actuator.gear[0] = 3
    body = spec.worldbody.add_body(outer, name="b")
    body.add_geom()
    body.add_geom(inner, name="i")
    body.add_joint(inner, name="j")
    spec.add_actuator(inner, name="m", target="j", trntype=module.mjtTrn.mjTRN_JOINT)
    body.add_site().classname = inner
    return spec


def tendons(module):
    spec = module.MjSpec.from_string(ARM)
    tendon = spec.add_tendon(name="new", width=0.02)
    tendon.wrap_site("s")
    tendon.wrap_geom("h", "")
    tendon.wrap_site("end")
    tendon.wrap_pulley(2)
    tendon.wrap_site("s")
    tendon.wrap_site("end")
    fixed = spec.add_tendon(name="fixed", stiffness=[2, 0, 0])
    fixed.wrap_joint("j", 3)
    spec.add_actuator(name="pull", target="new", trntype=module.mjtTrn.mjTRN_TENDON)
    return spec


def assets(module):
    spec = module.MjSpec()
    spec.add_texture(
        name="t", type=module.mjtTexture.mjTEXTURE_2D, width=2, height=2, nchannel=3,
        data=list(range(12)),
    )  # fmt: skip
    material = spec.add_material(name="m", rgba=[1, 1, 1, 1])
    material.textures[module.mjtTextureRole.mjTEXROLE_RGB] = "t"
    mesh = spec.add_mesh(name="box")
    mesh.uservert = [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1]
    mesh.userface = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]
    field = spec.add_hfield(name="hill", nrow=2, ncol=2, size=[1, 1, 1, 1])
    field.userdata = [0, 1, 2, 3]
    body = spec.worldbody.add_body()
    body.add_geom(type=module.mjtGeom.mjGEOM_MESH, meshname="box", material="m")
    spec.worldbody.add_geom(type=module.mjtGeom.mjGEOM_HFIELD, hfieldname="hill")
    body.add_freejoint(name="free", group=2)
    return spec


def extras(module):
    spec = module.MjSpec.from_string(ARM)
    spec.add_numeric(name="more", data=[1, 2], size=3)
    spec.add_text(name="words", data="a b")
    made = spec.add_tuple(name="both")
    made.objtype = [module.mjtObj.mjOBJ_BODY, module.mjtObj.mjOBJ_SITE]
    made.objname, made.objprm = ["lower", "s"], [1, 2]
    spec.add_exclude(bodyname1="lower", bodyname2="other")
    spec.add_pair(geomname1="h", geomname2="o", condim=6)
    spec.add_key(name="another", qpos=np.arange(9.0), time=3)
    spec.nuser_geom = 2
    spec.geom("g").userdata = [1, 2]
    sensor = spec.add_sensor(type=module.mjtSensor.mjSENS_ACCELEROMETER, objname="s")
    sensor.objtype = module.mjtObj.mjOBJ_SITE
    spec.option.gravity = [0, 0, -1]
    spec.visual.global_.fovy = 30
    spec.stat.extent = 3
    return spec


def names_change(module):
    spec = module.MjSpec.from_string(ARM)
    spec.delete(spec.key("key"))
    spec.body("other").name = "another"
    spec.exclude("x").bodyname2 = "another"
    spec.sensor("fp").objname = "another"
    spec.equality("e").name2 = "another"
    spec.geom("o").mass = 3
    return spec


SCENARIOS = [
    attach_body_to_frame, attach_body_to_site, attach_frame_to_body, attach_spec_to_frame,
    attach_spec_to_site, attach_with_the_plain_prefix, attach_twice, attach_copies,
    attach_what_is_attached_already, attach_within_a_spec, settings_of_the_compiler_stay,
    angle_in_both, delete_a_body, delete_an_inner_body, delete_elements,
    delete_a_joint_and_its_users, to_frames, classes, tendons, assets, extras,
    names_change,
]  # fmt: skip


@pytest.mark.sweep(3)
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.__name__)
def test_scenarios(scenario):
    mine, theirs = scenario(ours), scenario(mujoco)
    if scenario is not to_frames:  # the frame's parent is no object any more in MuJoCo
        assert specs_apart(mine, theirs) == []
    assert compiled_apart(mine, theirs) == []
    if scenario is not assets:  # pixels, which no text can say
        assert mine.to_xml() == theirs.to_xml()


@pytest.mark.sweep(3)
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.__name__)
def test_copies_of_scenarios(scenario):
    specs = scenario(ours), scenario(mujoco)
    mine, theirs = specs[0].copy(), specs[1].copy()
    assert specs_apart(mine, theirs) == []
    assert compiled_apart(mine, theirs) == []


@pytest.mark.parametrize("name", ["tree", "references", "soft", "replicated"])
def test_documents_attached(name):
    specs = []
    for module in (ours, mujoco):
        spec = module.MjSpec()
        child = module.MjSpec.from_string(DOCUMENTS[name])
        spec.attach(child, prefix="p_", frame=spec.worldbody.add_frame(pos=[0, 0, 1]))
        specs.append(spec)
    assert specs_apart(*specs, ("info",)) == []
    assert compiled_apart(*specs) == []
    # MuJoCo puts the prefix before the missing name of what a user's sensor is at
    assert specs[0].to_xml() == specs[1].to_xml().replace(' objname="p_"', "")


def test_wrappers_are_the_same_objects():
    spec = scene(ours)
    body = spec.body("stand")
    assert spec.bodies[1] is body
    assert spec.worldbody.bodies[0] is body
    assert spec.worldbody.first_body() is body
    geom = spec.geom("plate")
    assert geom is body.geoms[0] is body.first_geom()
    assert geom.parent is body
    arm = ours.MjSpec.from_string(ARM)
    moved = arm.body("upper")
    frame = spec.frame("inner")
    assert frame.attach_body(moved, "a_") is moved
    assert moved is spec.body("a_upper")
    assert moved.parent is body
    assert moved.frame is frame


def test_the_state_is_kept():
    """Over a compilation after changes, beside MuJoCo."""
    states = []
    for module in (ours, mujoco):
        spec = module.MjSpec.from_string(ARM)
        model = spec.compile()
        data = module.MjData(model)
        data.qpos[:] = np.arange(1, 1 + model.nq)
        data.qvel[:] = np.arange(1, 1 + model.nv)
        data.ctrl[:] = [0.5, 0.25]
        data.time = 3
        body = spec.worldbody.add_body(name="new", pos=[0, 0, 3])
        body.add_joint(type=module.mjtJoint.mjJNT_BALL)
        body.add_geom(size=[0.1, 0, 0])
        spec.delete(spec.key("key"))
        spec.delete(spec.actuator("b"))
        model, data = spec.recompile(model, data)
        states.append((data.qpos.copy(), data.qvel.copy(), data.ctrl.copy(), data.time))
    for mine, theirs in zip(*states, strict=True):
        assert np.array_equal(mine, theirs)


def test_a_class_is_deleted():
    spec = ours.MjSpec.from_string(ARM)
    spec.delete(spec.find_default("link"))
    assert spec.find_default("link") is None
    assert spec.geom("h").size[0] == 0.05
    assert spec.geom("h").classname is None


def test_views_by_elements():
    spec = scene(ours)
    model = spec.compile()
    data = ours.MjData(model)
    ours.mj_forward(model, data)
    body = spec.body("stand")
    assert np.array_equal(data.bind(body).xpos, [0, 1, 0])
    assert model.bind(spec.geom("plate")).size[2] == 0.1
    assert len(data.bind(spec.geoms).xpos) == 3 * 2
    spec.worldbody.add_geom(size=[0.1, 0, 0])
    with pytest.raises(ValueError, match="does not match"):
        data.bind(body)


@pytest.mark.parametrize("module", [ours, mujoco])
def test_what_is_no_body_is_not_attached(module):
    spec = module.MjSpec()
    geom, frame = spec.worldbody.add_geom(size=[1, 0, 0]), spec.worldbody.add_frame()
    for place in (frame, spec.worldbody.add_site()):
        for wrong in (None, geom):
            with pytest.raises(TypeError, match="attach_body"):
                place.attach_body(wrong)
    with pytest.raises(TypeError, match="attach_frame"):
        spec.worldbody.attach_frame(None)
    assert len(spec.frames) == 1


def test_a_spec_is_not_attached_to_itself():
    spec = ours.MjSpec()
    with pytest.raises(ValueError, match="itself"):
        spec.attach(spec, frame=spec.worldbody.add_frame())
