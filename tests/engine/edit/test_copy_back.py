"""Numbers of edited models in the spec: the arrays they compile to, what MuJoCo saves, messages."""
# ruff: noqa: E501 (models in few lines)

import mujoco
import numpy as np
import pytest

from mjenv import MjcfError, Model, Spec, set_const

from ..mjcf.test_models import differences

RICH = """
<mujoco><compiler eulerseq="zyx"/><option timestep="0.004"><flag gravity="disable"/></option><size nuser_geom="2"/>
<default><geom rgba="1 0 0 1"/><joint damping="3"/><general forcerange="-9 9"/></default>
<asset><mesh name="t" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/><hfield name="hf" nrow="2" ncol="2" size="1 1 1 1" elevation="0 1 .5 .2"/>
<material name="mt"/></asset>
<worldbody><light pos="0 0 3"/><camera name="c" pos="0 -2 1" euler="30 0 0"/><geom name="floor" type="plane" size="1 1 1"/>
<geom type="hfield" hfield="hf"/>
<frame pos="0 0 1" euler="0 0 90"><body name="a" pos="0.1 0 0" euler="0 40 0"><joint name="j" range="-90 90" ref="10"/>
<frame pos="0 0.2 0" euler="90 0 0"><joint name="s" type="slide" axis="1 0 0" springdamper="1 1"/><geom name="g" type="capsule" fromto="0 0 0 0 0 .5" size="0.1"/>
<geom name="m" type="mesh" mesh="t" pos=".1 .2 .3" user="1 2"/><geom name="fit" type="box" mesh="t" pos="1 0 0"/><site name="x" xyaxes="0 1 0 -1 0 0"/><light pos="1 0 0" dir="1 1 0"/></frame>
<body name="b" pos="1 0 0"><inertial pos="0 0 0" mass="1" fullinertia="3 4 5 .1 .2 .3"/><joint name="k" type="ball"/><geom name="h" size="0.2"/><site name="y"/></body></body></frame>
<body name="f" pos="0 0 5"><freejoint align="true"/><geom name="p" pos="1 1 0" type="box" size=".1 .2 .3"/><site name="z" pos="1 0 0"/></body></worldbody>
<contact><pair geom1="g" geom2="floor"/></contact>
<equality><connect body1="a" body2="f" anchor="0 0 1"/><weld body1="b" body2="f"/><joint joint1="j" joint2="s"/><weld site1="x" site2="z"/></equality>
<tendon><spatial name="t"><site site="x"/><site site="y"/></spatial><fixed name="u"><joint joint="j" coef="2"/></fixed></tendon>
<actuator><position name="pos" joint="j" dampratio="1"/><motor name="mot" joint="s" ctrlrange="-1 1"/><muscle tendon="t" lengthrange="1 2"/></actuator>
<sensor><jointpos joint="j"/></sensor><custom><numeric name="n" data="1 2" size="3"/><tuple name="tu"><element objtype="geom" objname="g" prm="3"/></tuple></custom>
<keyframe><key name="k" qpos="1 2 1 0 0 0 1 2 3 1 0 0 0"/><key ctrl="1 1 1"/></keyframe></mujoco>"""
# arrays, and the row of them that is edited
EDITED = [
    ("body_pos", 1), ("body_mass", 1), ("body_inertia", 2), ("body_ipos", 1), ("jnt_range", 0), ("jnt_pos", 1),
    ("jnt_stiffness", 0), ("jnt_stiffness", 1), ("jnt_margin", 0), ("dof_armature", 0), ("dof_damping", 1), ("dof_frictionloss", 1),
    ("geom_size", 2), ("geom_size", 6), ("geom_pos", 2), ("geom_pos", 3), ("geom_pos", 4), ("geom_pos", 6), ("geom_friction", 0), ("geom_rgba", 3),
    ("geom_user", 3), ("geom_solimp", 2), ("site_pos", 0), ("site_pos", 2), ("site_size", 1), ("cam_pos", 0), ("cam_fovy", 0), ("light_pos", 1),
    ("light_diffuse", 0), ("mat_rgba", 0), ("pair_friction", 0), ("pair_margin", 0), ("eq_solref", 1), ("eq_data", 2), ("tendon_range", 0),
    ("tendon_stiffness", 1), ("tendon_width", 0), ("actuator_gear", 0), ("actuator_gainprm", 0), ("actuator_biasprm", 0),
    ("actuator_dynprm", 2), ("actuator_ctrlrange", 0), ("actuator_lengthrange", 2), ("sensor_noise", 0), ("numeric_data", 1), ("tuple_objprm", 0),
    ("key_time", 1), ("key_qvel", 0), ("key_ctrl", 1), ("qpos0", 0), ("qpos_spring", 1), ("qpos0", 7),
]  # fmt: skip
# what MuJoCo does not copy, or computes again from the geoms
NOT_IN_MUJOCO = {
    "body_mass", "body_ipos", "actuator_lengthrange", "geom_size6", "qpos07", "tendon_range", "geom_size", "site_size",
}  # fmt: skip


def edited(model, name, row):
    array = getattr(model, name)
    shifted = name[-3:] in ("pos", "nge", "oss", "gin", "ess", "ise") or not np.any(array[row])
    array[row] = array[row] * 1.25 + (0.125 if shifted else 0)
    if name == "eq_data":
        array[row, 5:] = (0, 0, 0, 0, 0, 1)
    return array


@pytest.mark.sweep(3)
@pytest.mark.parametrize(("name", "row"), EDITED, ids=lambda x: str(x))
def test_spec_compiles_to_the_edited_numbers(name, row):
    spec = Spec.from_string(RICH)
    model = spec.compile()
    before = getattr(model, name).copy()
    wanted = edited(model, name, row)
    assert not np.array_equal(wanted, before)
    spec.copy_back(model)
    np.testing.assert_allclose(getattr(spec.compile(), name), wanted, rtol=1e-9, atol=1e-12)
    written = Model.from_xml_string(spec.to_xml())
    np.testing.assert_allclose(getattr(written, name), wanted, rtol=1e-9, atol=1e-12)
    assert not differences(written, mujoco.MjModel.from_xml_string(spec.to_xml()))


def test_what_was_not_edited_stays():
    spec = Spec.from_string(RICH)
    text = spec.to_xml()
    spec.copy_back(spec.compile())
    assert spec.to_xml() == text


@pytest.mark.sweep(3)
@pytest.mark.parametrize(
    ("name", "row"),
    [(n, r) for n, r in EDITED if not {n, f"{n}{r}"} & NOT_IN_MUJOCO],
    ids=lambda x: str(x),
)
def test_equal_to_what_mujoco_saves(name, row, tmp_path):
    reference = mujoco.MjModel.from_xml_string(RICH)
    edited(reference, name, row)
    mujoco.mj_saveLastXML(str(tmp_path / "saved.xml"), reference)
    saved = mujoco.MjModel.from_xml_path(str(tmp_path / "saved.xml"))
    spec = Spec.from_string(RICH)
    model = spec.compile()
    edited(model, name, row)
    spec.copy_back(model)
    np.testing.assert_allclose(
        getattr(spec.compile(), name), getattr(saved, name), rtol=1e-5, atol=1e-5
    )


def test_options_statistics_and_visuals():
    spec = Spec.from_string(RICH)
    model = spec.compile()
    model.opt.timestep, model.opt.integrator, model.opt.gravity[2] = 0.01, 3, -1
    model.opt.disableflags, model.opt.enableflags, model.opt.disableactuator = 1 << 4, 1 << 1, 5
    model.stat.extent = 7.5
    model.vis.global_.fovy, model.vis.headlight.ambient[:] = 30, 0.5
    spec.copy_back(model)
    assert spec.option.flag.contact == "disable"
    new = spec.compile()
    for group in ("opt", "stat", "vis"):
        assert str(getattr(new, group)) == str(getattr(model, group))


def test_many_edits_at_once_and_constants():
    spec = Spec.from_string(RICH)
    model = spec.compile()
    for name, row in EDITED:
        if name not in ("qpos0", "eq_data"):
            edited(model, name, row)
    quat = np.array([0.5, 0.5, 0.5, 0.5])
    model.body_quat[1] = model.geom_quat[2] = model.cam_quat[0] = 2 * quat
    model.hfield_data[:] = 0, 1, 0.25, 0.75
    set_const(model)
    spec.copy_back(model)
    new = spec.compile()
    model.body_quat[1] = model.geom_quat[2] = model.cam_quat[0] = quat
    names = [
        n for n in vars(model) if n.startswith(("geom_", "site_", "cam_", "actuator_", "key_"))
    ]
    for name in [*names, "body_quat", "body_mass", "body_inertia", "jnt_range", "hfield_data"]:
        if name not in ("geom_aabb", "geom_rbound", "actuator_length0", "actuator_acc0"):
            a, b = getattr(new, name), getattr(model, name)
            if isinstance(a, np.ndarray) and a.dtype.kind == "f":
                np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9, err_msg=name)


def test_inertia_that_came_from_geoms_only():
    text = RICH.replace("<compiler ", '<compiler inertiafromgeom="true" ')
    spec = Spec.from_string(text)
    model = spec.compile()
    model.body_mass[1] *= 2
    spec.copy_back(model)
    new = spec.compile()
    for name in ("body_mass", "body_inertia", "body_ipos"):
        np.testing.assert_allclose(getattr(new, name), getattr(model, name), rtol=1e-9)


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda m: m.dof_damping.__setitem__(3, 1), r"<joint name='k'>: copy_back: dof_damping: expected the same"),
        (lambda m: m.jnt_pos.__setitem__(3, 1), r"<freejoint>: copy_back: pos: <freejoint> has no such attribute"),
        (lambda m: m.geom_size.__setitem__(3, 1), r"<geom name='m'>: copy_back: geom_size: expected numbers that"),
        (lambda m: m.tendon_width.__setitem__(1, 1), r"<fixed name='u'>: copy_back: width: <fixed> has no such"),
        (lambda m: m.body_pos.__setitem__(0, 1), r"copy_back: the pose of the world"),
        (lambda m: m.geom_size.__setitem__(2, -1), r"<geom name='g'>: size: expected a positive number"),
        (lambda m: (m.qpos0.__setitem__(6, 7), m.body_pos.__setitem__(3, 2)), "expected one reference pose"),
    ],
)  # fmt: skip
def test_numbers_that_no_attribute_gives_change_nothing(edit, message):
    spec = Spec.from_string(RICH)
    text, model = spec.to_xml(), spec.compile()
    model.opt.timestep = 0.5
    edit(model)
    with pytest.raises(MjcfError, match=message):
        spec.copy_back(model)
    assert spec.to_xml() == text


def test_models_of_other_documents_are_refused():
    spec = Spec.from_string(RICH)
    model = spec.compile()
    spec.geom("h").remove()
    with pytest.raises(MjcfError, match="compiled from this document, with ngeom=6, found ngeom=7"):
        spec.copy_back(model)
    spec = Spec.from_string(
        "<mujoco><worldbody><body name='a'/><body name='b'/></worldbody></mujoco>"
    )
    other = Spec.from_string(
        "<mujoco><worldbody><body name='a'><body name='b'/></body></worldbody></mujoco>"
    )
    with pytest.raises(MjcfError, match="the same sizes and another structure"):
        spec.copy_back(other.compile())
    spec.worldbody.add_replicate(count=2).add_geom(size=1)
    with pytest.raises(MjcfError, match="without <replicate> and <attach>"):
        spec.copy_back(spec.compile())


def test_attached_models_keep_their_units():
    spec = Spec.from_string("<mujoco><compiler angle='radian'/><worldbody/></mujoco>")
    spec.worldbody.add_frame(pos=(1, 2, 3)).attach(Spec.from_string(RICH), prefix="p_")
    model = spec.compile()
    model.jnt_range[0], model.geom_pos[2], model.key_qpos[0, 0] = (-1, 1), (1, 2, 3), 0.5
    spec.copy_back(model)
    new = spec.compile()
    for name in ("jnt_range", "geom_pos", "key_qpos"):
        np.testing.assert_allclose(getattr(new, name), getattr(model, name), rtol=1e-9, atol=1e-12)
