"""Shortcuts of actuators and meshes beside MuJoCo, archives, encoders, and what is refused."""

import io
import zipfile

import mujoco
import numpy as np
import pytest

import mjenv.mujoco as ours

from .beside import compiled_apart, fields_apart
from .test_edits import ARM

ACTUATORS = [
    ("motor", {}),
    ("position", {"kp": 3}),
    ("position", {"kp": 3, "kv": 2}),
    ("position", {"kp": 3, "dampratio": 1, "timeconst": 0.1}),
    ("position", {"kp": 3, "timeconst": 0, "inheritrange": True}),
    ("intvelocity", {"kp": 3}),
    ("intvelocity", {"kp": 3, "kv": 1, "inheritrange": True}),
    ("velocity", {"kv": 2}),
    ("damper", {"kv": 2}),
    ("cylinder", {"timeconst": 0.5, "bias": 2, "area": 3}),
    ("cylinder", {"timeconst": 0.5, "bias": 2, "area": 3, "diameter": 1}),
    ("adhesion", {"gain": 5}),
    ("dcmotor", {"motorconst": [0.1, 0], "resistance": 2}),
    ("dcmotor", {"motorconst": [0.1, 0.2], "resistance": 2, "inductance": [0.1, 0]}),
    ("dcmotor", {"motorconst": [0, 0], "resistance": 0, "nominal": [12, 2, 100]}),
    ("dcmotor", {"motorconst": [1, 0], "resistance": 1, "controller": [1, 2, 3, 0, 0, 0]}),
    ("dcmotor", {"motorconst": [1, 0], "resistance": 1, "thermal": [1, 2, 0, 0, 25, 0]}),
    ("dcmotor", {"motorconst": [1, 0], "resistance": 1, "cogging": [1, 2, 3]}),
    ("dcmotor", {"motorconst": [1, 0], "resistance": 1, "lugre": [1, 2, 3, 4, 5]}),
    ("dcmotor", {"motorconst": [1, 0], "resistance": 1, "saturation": [1, 2, 3]}),
    ("position", {"kp": -1}),
    ("velocity", {"kv": -1}),
    ("damper", {"kv": -1}),
    ("adhesion", {"gain": -1}),
    ("position", {"kp": 1, "kv": 1, "dampratio": 1}),
]
MESHES = [
    ("sphere", {"subdivision": 2}),
    ("hemisphere", {"resolution": 3}),
    ("cone", {"nedge": 7, "radius": 0.5}),
    ("supersphere", {"resolution": 5, "e": 0.5, "n": 2}),
    ("supertorus", {"resolution": 6, "radius": 0.3, "s": 0.7, "t": 1.2}),
    ("wedge", {"resolution": [4, 5], "fov": [30, 40], "gamma": 0.2}),
    ("plate", {"resolution": [3, 4]}),
]


def said(action):
    """What an action is refused with, "" where it is not."""
    try:
        action()
    except ValueError as error:
        return str(error)
    return ""


@pytest.mark.parametrize(("kind", "settings"), ACTUATORS)
def test_actuators(kind, settings):
    made, results = [], []
    for module in (ours, mujoco):
        actuator = module.MjSpec().add_actuator(name="a", target="j", gainprm=[7.0] * 10)
        results.append(said(lambda: getattr(actuator, f"set_to_{kind}")(**settings)))  # noqa: B023
        made.append(actuator)
    assert results[0] == results[1]
    if not results[0]:
        assert fields_apart(*made, "actuator") == []


@pytest.mark.parametrize(("kind", "settings"), MESHES)
def test_meshes(kind, settings):
    specs = []
    for module in (ours, mujoco):
        spec = module.MjSpec()
        mesh = spec.add_mesh(name="m")
        getattr(mesh, f"make_{kind}")(**settings)
        if kind == "plate":  # which has no hull
            mesh.inertia = module.mjtMeshInertia.mjMESH_INERTIA_SHELL
        else:
            spec.worldbody.add_geom(type=module.mjtGeom.mjGEOM_MESH, meshname="m")
        specs.append(spec)
    assert np.allclose(specs[0].mesh("m").uservert, specs[1].mesh("m").uservert, atol=1e-6)
    assert list(specs[0].mesh("m").userface) == list(specs[1].mesh("m").userface)
    assert compiled_apart(*specs) == []


OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
WITH_FILE = """<mujoco model="file"><asset><mesh name="m" file="m.obj"/></asset>
<worldbody><geom name="g" type="mesh" mesh="m"/></worldbody></mujoco>"""


def test_archives(tmp_path):
    """One that this package writes is read by MuJoCo, and the other way round."""
    file = str(tmp_path / "made.zip")
    spec = ours.MjSpec.from_string(WITH_FILE, assets={"m.obj": OBJ})
    spec.to_zip(file)
    assert sorted(zipfile.ZipFile(file).namelist()) == ["file.xml", "m.obj"]
    for module in (ours, mujoco):
        assert module.MjSpec.from_zip(file).compile().nmeshvert == 4
    buffer = io.BytesIO()
    mujoco.MjSpec.from_string(WITH_FILE, assets={"m.obj": OBJ.encode()}).to_zip(buffer)
    assert ours.from_zip(buffer).compile().nmeshvert == 4


def test_written_files(tmp_path):
    file = str(tmp_path / "arm.xml")
    spec = ours.MjSpec.from_string(ARM)
    with pytest.raises(ours.FatalError, match="Only compiled model can be written"):
        spec.to_file(file)
    spec.compile()
    spec.to_file(file)
    assert mujoco.MjSpec.from_file(file).compile().nq == spec.compile().nq
    assert spec.encode(str(tmp_path / "encoded.xml"), spec.compile()) > 0
    with pytest.raises(ours.FatalError, match="no encoder found"):
        spec.encode(str(tmp_path / "arm.unknown"), spec.compile())


def messages(act):
    """What is said by both modules."""
    found = []
    for module in (ours, mujoco):
        spec = module.MjSpec.from_string(ARM)
        with pytest.raises((ValueError, module.FatalError)) as raised:
            act(module, spec)
        found.append(str(raised.value))
    return found


def name_twice(module, spec):
    spec.worldbody.add_geom(name="g", size=[1, 0, 0])


def rename_twice(module, spec):
    spec.geom("h").name = "g"


def size_of_zero(module, spec):
    spec.worldbody.add_geom(name="z", type=module.mjtGeom.mjGEOM_BOX)
    spec.compile()


def no_such_material(module, spec):
    spec.geom("g").material = "none"
    spec.compile()


def no_such_joint(module, spec):
    spec.actuator("a").target = "none"
    spec.compile()


def no_such_site(module, spec):
    spec.add_sensor(
        name="s", type=module.mjtSensor.mjSENS_GYRO, objtype=module.mjtObj.mjOBJ_SITE, objname="no"
    )
    spec.compile()


def joint_deleted(module, spec):
    spec.delete(spec.key("key"))
    spec.delete(spec.joint("k"))
    spec.compile()


def key_of_a_wrong_size(module, spec):
    spec.key("key").qpos = [1] * 10
    spec.compile()


def attached_twice(module, spec):
    for _ in range(2):
        spec.attach(module.MjSpec.from_string(ARM), prefix="x_", frame="base")
    spec.compile()


def neither_frame_nor_site(module, spec):
    spec.attach(module.MjSpec())


def both_frame_and_site(module, spec):
    spec.attach(module.MjSpec(), frame="base", site="s")


def no_such_frame(module, spec):
    spec.attach(module.MjSpec(), frame="none")


def geom_of_two_orientations(module, spec):
    spec.worldbody.add_geom(size=[1, 0, 0], euler=[0, 0, 1], zaxis=[0, 0, 1])


def pair_of_nothing(module, spec):
    spec.add_pair(name="q", geomname1="g", geomname2="none")
    spec.compile()


def exclude_of_nothing(module, spec):
    spec.add_exclude(name="q", bodyname1="upper", bodyname2="none")
    spec.compile()


def tendon_of_nothing(module, spec):
    spec.add_tendon(name="q")
    spec.compile()


def equality_of_nothing(module, spec):
    spec.add_equality(name="q", type=module.mjtEq.mjEQ_JOINT, name1="none",
                      objtype=module.mjtObj.mjOBJ_JOINT)  # fmt: skip
    spec.compile()


def free_joint_inside(module, spec):
    spec.body("lower").add_freejoint()
    spec.compile()


def the_main_class_deleted(module, spec):
    spec.delete(spec.default)


REFUSED = [
    name_twice, rename_twice, size_of_zero, no_such_material, no_such_joint, no_such_site,
    joint_deleted, key_of_a_wrong_size, attached_twice, neither_frame_nor_site,
    both_frame_and_site, no_such_frame, geom_of_two_orientations, pair_of_nothing,
    exclude_of_nothing, tendon_of_nothing, equality_of_nothing, free_joint_inside,
    the_main_class_deleted,
]  # fmt: skip


@pytest.mark.parametrize("act", REFUSED, ids=lambda act: act.__name__)
def test_messages(act):
    mine, theirs = messages(act)
    assert mine == theirs
