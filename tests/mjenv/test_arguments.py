"""Arguments of strange types: every public function says what it expects, and computes nothing."""

import inspect

import numpy as np
import pytest

import mjenv
from mjenv import mju

XML = """
<mujoco>
  <option timestep="0.01"/>
  <asset>
    <hfield name="field" nrow="3" ncol="3" size="1 1 .1 .1"/>
    <mesh name="tetra" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>
  </asset>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 1"/>
    <geom name="hills" type="hfield" hfield="field" pos="0 0 -9"/>
    <body name="ball" pos="0 0 .09">
      <freejoint/>
      <geom name="ball" size=".1"/>
      <geom name="tetra" type="mesh" mesh="tetra" contype="0" conaffinity="0"/>
      <site name="top"/>
    </body>
    <body name="arm" pos="2 0 2">
      <joint name="hinge" axis="0 1 0" range="-1 1"/><geom name="arm" size=".1"/>
    </body>
  </worldbody>
  <actuator><motor name="motor" joint="hinge" nsample="3" delay=".02"/></actuator>
  <sensor><jointpos name="angle" joint="hinge" nsample="3" delay=".02"/></sensor>
  <keyframe><key name="start"/></keyframe>
</mujoco>
"""
RECORD = np.zeros(3, [("a", "f8"), ("b", "f8")])
STRANGE = {
    "complex": np.array([1j, 2.0, 3.0]),
    "a complex number": 1j,
    "dates": np.array(["2020-01-01"] * 3, "M8[D]"),
    "times": np.array([1, 2, 3], "m8[s]"),
    "records": RECORD,
    "objects": np.array([object(), None, 3], object),
    "texts": np.array(["1", "2", "3"]),
    "a text": "1.5",
    "bytes": b"123",
    "a dict": {"a": 1},
    "a set": {1, 2, 3},
    "ragged": [[1.0], [2.0, 3.0]],
    "an object": object(),
    "a function": len,
}
# what stands for a name, an id or a choice may be text; what is taken by its truth may be anything
NAMES = "body geom geom1 geom2 site actuator sensor keyframe objtype objid mode type name file"
TRUTHS = "flg_local flg_acc flg_centered flg_actuation flg_plus flg_force flg_static post"
TRUTHS += " useexisting uselimit flg_cone_hessian skipsensor"
NOT_STRANGE = {name: {"a text", "texts"} for name in NAMES.split()}
NOT_STRANGE |= {"seq": {"a text"}, "keep": {"a text", "texts", "a dict"}}
NOT_STRANGE["vary"] = NOT_STRANGE["keep"]


class Scene:
    """A model, its data after a step, and arguments that every function takes."""

    def __init__(self):
        self.model = mjenv.Model.from_xml_string(XML)
        self.data = mjenv.Data(self.model, 2)
        mjenv.forward(self.model, self.data)

    def good(self) -> dict:
        """Valid arguments besides model and data, by function."""
        nq, nv = self.model.nq, self.model.nv
        x, rows = np.ones(3), np.zeros((2, 40))
        line = {"pnt": x, "vec": -x}
        moving = {"objtype": "body", "objid": 1, "flg_local": False}
        vec = {"vec": np.ones(nv)}
        full = int(mjenv.State.FULLPHYSICS)
        size = mjenv.state_size(self.model, full)
        return {
            "step": {"nstep": 1, "mask": None},
            "forward": {"mask": None},
            "inverse": {"mask": None},
            "step1": {"mask": None},
            "step2": {"mask": None},
            "reset": {"keyframe": None, "mask": None},
            "forward_skip": {"skipstage": 0, "mask": None},
            "inverse_skip": {"skipstage": 0, "mask": None},
            "runge_kutta": {"n": 4, "mask": None},
            "energy_pos": {"mask": None},
            "energy_vel": {"mask": None},
            "subtree_vel": {"mask": None},
            "jac": {"point": x, "body": 1},
            "jac_body": {"body": 1},
            "jac_body_com": {"body": 1},
            "jac_geom": {"geom": 1},
            "jac_site": {"site": 0},
            "jac_subtree_com": {"body": 1},
            "jac_point_axis": {"point": x, "axis": x, "body": 1},
            "jac_dot": {"point": x, "body": 1},
            "angmom_mat": {"body": 1},
            "apply_ft": {"force": x, "torque": x, "point": x, "body": 1},
            "object_velocity": moving,
            "object_acceleration": moving,
            "local_to_global": {"body": 1, "pos": x, "quat": np.ones(4), "sameframe": 0},
            "contact_force": {"contact": 0},
            "read_ctrl": {"actuator": 0, "time": 0.0, "interp": 0},
            "read_sensor": {"sensor": 0, "time": 0.0, "interp": 0},
            "init_ctrl_history": {"actuator": 0, "times": x.cumsum(), "values": x},
            "init_sensor_history": {
                "sensor": 0, "times": x.cumsum(), "values": np.ones((3, 1)), "phase": 0.0
            },
            "integrate_pos": {"qpos": np.ones(nq), "qvel": np.ones(nv), "dt": 0.1},
            "differentiate_pos": {"dt": 0.1, "qpos1": np.ones(nq), "qpos2": np.ones(nq)},
            "mul_m": vec, "mul_m2": vec, "solve_m": vec,
            "solve_m2": {**vec, "sqrt_inv_d": np.ones(nv)},
            "mul_jac_vec": vec, "mul_jac_t_vec": {"vec": rows}, "constraint_update": {"jar": rows},
            "geom_distance": {"geom1": 2, "geom2": 4, "distmax": 9.0},
            "ray": {**line, "geomgroup": None, "bodyexclude": -1},
            "multi_ray": {**line, "vec": [x], "geomgroup": None, "bodyexclude": -1, "cutoff": 9.0},
            "ray_mesh": {"geom": "tetra", **line},
            "ray_hfield": {"geom": "hills", **line},
            "rollout": {
                "control": np.zeros((2, 1)), "nstep": 2, "initial_state": np.ones(size),
                "control_spec": int(mjenv.State.CTRL), "initial_warmstart": np.ones(nv),
            },
            "get_state": {"spec": full, "worlds": None},
            "set_state": {"state": np.ones(size), "spec": full, "worlds": None},
            "extract_state": {"src": np.ones(size), "srcspec": full, "dstspec": 1},
            "state_size": {"spec": full},
            "set_const": {"worlds": None},
            "set_totalmass": {"newmass": 1.0},
            "set_keyframe": {"keyframe": 0, "world": 0},
            "set_length_range": {
                "actuator": [], "mode": "none", "accel": 20.0, "maxforce": 0.0, "timeconst": 1.0,
                "inttotal": 10.0, "interval": 2.0, "tolrange": 0.05,
            },

            "inverse_fd": {"eps": 1e-6},
            "profile": {"nstep": 1},
            "name2id": {"type": "body", "name": "ball"},
            "id2name": {"type": "body", "id": 1},
            "print_model": {"digits": 6},
            "print_data": {"digits": 6},
        }  # fmt: skip

    def call(self, name: str, given: dict):
        """Call a function of mjenv."""
        function = getattr(mjenv, name)
        known = inspect.signature(function).parameters
        first = {"model": self.model, "data": self.data}
        return function(**{n: v for n, v in first.items() if n in known}, **given)


@pytest.fixture(scope="module")
def scene():
    return Scene()


FUNCTIONS = tuple(Scene.good.__get__(type("", (), {
    "model": mjenv.Model.from_xml_string(XML)})())())  # fmt: skip


def refuses(call, where: str, what: str, value_name: str) -> None:
    """Whether a call ends in an error of ours, which says where and what."""
    with pytest.raises((TypeError, ValueError, KeyError, IndexError)) as caught:
        call()
    text = str(caught.value).strip("'\"")
    kinds = ("body", "geom", "site", "actuator", "sensor", "key")
    good = text.startswith((where, *kinds)) and "expected" in text
    good |= isinstance(caught.value, KeyError)
    assert good, f"{where}({what}: {value_name}): {caught.value!r}"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(scene, name):
    good = scene.good()[name]
    for what in good.keys() - set(TRUTHS.split()):
        for kind, value in STRANGE.items():
            if kind in NOT_STRANGE.get(what, ()):
                continue
            given = {**good, what: value}
            refuses(lambda given=given: scene.call(name, given), name, what, kind)
    scene.call(name, good)


DATA = {"nworld": 2, "keep": None, "vary": (), "width": 1, "nthread": 1, "nconmax": 9, "njmax": 9}


@pytest.mark.parametrize("what", DATA)
def test_data(scene, what):
    for kind, value in STRANGE.items():
        if kind not in NOT_STRANGE.get(what, ()):
            given = {**DATA, what: value}
            refuses(lambda given=given: mjenv.Data(scene.model, **given), "Data", what, kind)
    mjenv.Data(scene.model, **DATA)


NUMBERS = [float("nan"), float("inf"), 1.5, 10**30, -1]


@pytest.mark.parametrize("value", NUMBERS)
@pytest.mark.parametrize(
    "name", ["nstep", "nworld", "width", "nthread", "nconmax", "njmax", "spec", "worlds"]
)
def test_numbers_that_are_not_whole_or_too_large(scene, name, value):
    call = {
        "nstep": lambda: mjenv.step(scene.model, scene.data, nstep=value),
        "spec": lambda: mjenv.get_state(scene.model, scene.data, value),
        "worlds": lambda: mjenv.get_state(scene.model, scene.data, 1, worlds=[0, value]),
    }.get(name, lambda: mjenv.Data(scene.model, **{name: value}))
    where = {"nstep": "step", "spec": "get_state", "worlds": "get_state"}.get(name, "Data")
    if name == "worlds" and value == -1:
        pytest.skip("the last world")
    refuses(call, where, name, repr(value))


QUAT, VECTOR, POSE = np.array([1.0, 0, 0, 0]), np.ones(3), np.ones(6)
PRM = np.array([0.75, 1.05, 1.0, 200.0, 0.5, 1.6, 1.5, 1.3, 1.2, 0.0])
BAND = (np.ones(6), 3, 2, 0)
MJU = {
    "band_diag": (1, 3, 2, 0), "dense2band": (np.eye(3), 2, 0), "band2dense": BAND,
    "band_mul_mat_vec": (BAND[0], VECTOR, 3, 2, 0), "chol_factor_band": (*BAND, 0.0, 0.0),
    "chol_solve_band": (BAND[0], VECTOR, 3, 2, 0),
    "axis_angle2quat": (VECTOR, 1.0), "box_qp": (np.eye(3), VECTOR, -VECTOR, VECTOR),
    "chol_factor": (np.eye(3),), "chol_solve": (np.eye(3), VECTOR),
    "chol_update": (np.eye(3), VECTOR), "cross_force": (POSE, POSE), "cross_motion": (POSE, POSE),
    "decode_pyramid": (np.ones(4), np.ones(2)), "deriv_quat": (QUAT, VECTOR), "eig3": (np.eye(3),),
    "encode_pyramid": (VECTOR, np.ones(2)), "euler2quat": (VECTOR, "xyz"), "mat2quat": (np.eye(3),),
    "mul_pose": (VECTOR, QUAT, VECTOR, QUAT), "mul_quat": (QUAT, QUAT),
    "mul_quat_axis": (QUAT, VECTOR), "muscle_bias": (1.0, np.array([0.5, 1.5]), 1.0, PRM),
    "muscle_dynamics": (0.5, 0.5, VECTOR),
    "muscle_gain": (1.0, 0.0, np.array([0.5, 1.5]), 1.0, PRM),
    "neg_pose": (VECTOR, QUAT), "neg_quat": (QUAT,), "quat2mat": (QUAT,), "quat2vel": (QUAT, 1.0),
    "quat_integrate": (QUAT, VECTOR, 1.0), "quat_integrate_derivatives": (VECTOR, 1.0),
    "quat_z2vec": (VECTOR,), "rot_vec_quat": (VECTOR, QUAT), "sigmoid": (0.5,),
    "spring_damper": (1.0, 1.0, 1.0, 1.0, 1.0), "sub_quat": (QUAT, QUAT),
    "sub_quat_derivatives": (QUAT, QUAT), "transform_spatial": (POSE, True, VECTOR, VECTOR),
    "trn_vec_pose": (VECTOR, QUAT, VECTOR), "dense2sparse": (np.eye(3),),
    "sparse2dense": (VECTOR, 3, VECTOR, np.arange(3), np.arange(3)),
    "sym2dense": (VECTOR, VECTOR, np.arange(3), np.arange(3)),
    "ray_geom": (VECTOR, np.eye(3), VECTOR, -VECTOR, VECTOR, "box"),
    "ray_skin": (np.array([[0, 1, 2]]), np.eye(3), -VECTOR, VECTOR), "warning_text": (0, 1),
}  # fmt: skip


def test_every_function_is_in_the_tables():
    assert set(MJU) == set(mju.__all__)
    kinds = {"model", "data", "src", "dst"}
    for name in mjenv.__all__:
        thing = getattr(mjenv, name)
        if not inspect.isfunction(thing) or name in FUNCTIONS:
            continue
        # those of scenes take records of their own: tests/mjenv/visual
        if name.startswith("mjv_"):
            continue
        others = set(inspect.signature(thing).parameters) - kinds - set(TRUTHS.split())
        assert others <= {"mask", "kind", "function", "task", "worlds", "spec", "file"} or name in (
            "check_task",
            "plugin_config",
            "plugin_numbers",  # of kernels
            "register_plugin",
            "register_decoder",  # of files: tests/engine/mjcf/test_resources.py
            "register_encoder",
            "make_vec",  # of environments: tests/mjenv/multi
            "port",  # likewise: tests/mjenv/porting
            "register_resource_provider",
            "print_schema",
            "ray_flex",  # of deformables: tests/engine/analysis/test_rays.py
            "ray_skin",  # of skins: tests/mjenv/mju/test_mju_rays.py
            "register",
            "transition_fd",
        ), (name, others)


@pytest.mark.parametrize("name", MJU)
def test_utilities(name):
    function, good = getattr(mju, name), MJU[name]
    names = list(inspect.signature(function).parameters)
    for k, what in enumerate(names[: len(good)]):
        if what in TRUTHS.split():
            continue
        for kind, value in STRANGE.items():
            if kind not in NOT_STRANGE.get(what, ()):
                given = [*good[:k], value, *good[k + 1 :]]
                refuses(lambda given=given: function(*given), name, what, kind)
    function(*good)
    function(*(x.tolist() if isinstance(x, np.ndarray) else x for x in good))


def test_shapes_that_do_not_fit():
    with pytest.raises(ValueError, match=r"rot_vec_quat: shapes that do not fit: vec \(2,\), quat"):
        mju.rot_vec_quat(np.ones(2), QUAT)
    with pytest.raises(TypeError, match="argument"):
        mju.rot_vec_quat(VECTOR)
