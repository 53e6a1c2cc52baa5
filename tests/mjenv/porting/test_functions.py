"""Functions of the module `mujoco` that steps call: results are those of the environment."""

import numpy as np
import pytest
from gymnasium.spaces import Box

from mjenv.porting.checking import check
from mjenv.porting.symbols.refusals import NotTraced
from mjenv.porting.vector import PortedVectorEnv
from tests.mjenv.porting.environments import environment, plain

pytest.importorskip("mujoco")
ARM = """
<mujoco><option timestep="0.01"/><worldbody>
  <body pos="0 0 .5"><joint name="a" axis="0 1 0" damping=".1"/><joint name="b" axis="1 0 0"/>
    <geom type="capsule" size=".03" fromto="0 0 0 .3 0 .1" mass="1"/>
    <body name="hand" pos=".3 0 .1"><joint name="c" axis="0 0 1" damping=".1"/>
      <geom name="palm" type="box" size=".05 .02 .03" pos=".05 .01 0" mass=".5"/>
      <site name="tip" pos=".1 .02 0" euler="10 20 30"/></body></body>
  <body name="ball" pos="1 0 0"><freejoint/><geom size=".1"/></body>
</worldbody><actuator><motor joint="a" gear="2"/></actuator></mujoco>
"""


def moves(self, action):
    self.data.ctrl[:] = action
    self.physics(4)


def jacobians(self, action):
    moves(self, action)
    lib, m, d = self.lib, self.model, self.data
    total = np.zeros((6, m.nv))
    for function, thing in (
        (lib.mj_jacBody, m.body("hand").id), (lib.mj_jacBodyCom, m.body("ball").id),
        (lib.mj_jacGeom, m.geom("palm").id), (lib.mj_jacSite, m.site("tip").id),
    ):  # fmt: skip
        found, turns = np.zeros((3, m.nv)), np.zeros((3, m.nv))
        function(m, d, found, turns, thing)
        total[:3] += found
        total[3:] += turns
    found = np.zeros((3, m.nv))
    lib.mj_jac(m, d, jacp=found, jacr=None, point=d.geom("palm").xpos + 0.1, body=2)
    return np.concatenate([total.ravel(), found.ravel()])


def inertia(self, action):
    moves(self, action)
    dense = np.zeros((self.model.nv, self.model.nv))
    self.lib.mj_fullM(self.model, dense, self.data.qM)
    return np.concatenate([dense.ravel(), np.linalg.inv(dense[:3, :3]).ravel()])


def pseudo_inverses(self, action):
    moves(self, action)
    lib, m, d = self.lib, self.model, self.data
    jacobian = np.zeros((3, m.nv))
    lib.mj_jacSite(m, d, jacobian, None, m.site("tip").id)
    arm = jacobian[:, :3]
    wide = np.concatenate([arm, 0.1 * d.site("tip").xmat.reshape(3, 3)], axis=1)
    outer = np.outer(d.qvel[:4], d.qvel[:4])
    found = (
        np.linalg.pinv(wide), np.linalg.pinv(wide.T @ wide, rcond=1e-2), np.linalg.pinv(arm[:1]),
        np.linalg.pinv(outer * 1e3, 1e-9), np.linalg.pinv(arm * 0.0), np.linalg.pinv(arm[:, :1]),
    )  # fmt: skip
    return np.concatenate([one.ravel() for one in found])


def operational_space(self, action):
    """Forces at the tip, one way of two, in each of several steps."""
    lib, m, d = self.lib, self.model, self.data
    for _ in range(3):
        jacobian, dense = np.zeros((3, m.nv)), np.zeros((m.nv, m.nv))
        lib.mj_jacSite(m, d, jacobian, None, m.site("tip").id)
        lib.mj_fullM(m, dense, d.qM)
        across = jacobian[:, :3] @ np.linalg.inv(dense[:3, :3]) @ jacobian[:, :3].T
        regular = abs(np.linalg.det(across)) >= 0.4
        inside = np.linalg.inv(across) if regular else np.linalg.pinv(across, rcond=1e-2)
        inside *= 0.1
        again = np.linalg.inv(across) if regular else inside
        d.ctrl[:] = (jacobian.T @ inside @ (again @ np.full(3, action[0])))[:1]
        lib.mj_step(m, d)
    return d.qpos + 0.0


def quaternions(self, action):
    moves(self, action)
    lib, found = self.lib, np.zeros(30)
    q, p, turn = np.zeros(4), np.zeros(4), np.zeros(3)
    lib.mju_mat2Quat(q, self.data.site("tip").xmat)
    lib.mju_negQuat(p, self.data.qpos[6:10])
    lib.mju_mulQuat(found[:4], p, q)
    lib.mju_quat2Vel(turn, found[:4], 0.5)
    lib.mju_rotVecQuat(found[4:7], self.data.qvel[:3], q)
    lib.mju_quat2Mat(found[7:16], p)
    lib.mju_subQuat(found[16:19], q, p)
    lib.mju_axisAngle2Quat(found[19:23], np.array([0.0, 0.6, 0.8]), self.data.qpos[0])
    lib.mju_euler2Quat(found[23:27], self.data.qpos[:3], "xyZ")
    lib.mju_quatIntegrate(q, turn, 0.1)
    return np.concatenate([found, q, turn])


def vectors(self, action):
    moves(self, action)
    lib, d, found = self.lib, self.data, np.zeros(3)
    lib.mju_cross(found, d.qvel[:3], d.site("tip").xpos)
    turned = np.zeros(3)
    lib.mju_mulMatVec(turned, d.site("tip").xmat.reshape(3, 3), found)
    long = np.zeros(4)
    lib.mju_copy(long, d.qpos[6:10] * 2)
    length = lib.mju_normalize4(long)
    return np.concatenate([found, turned, long, [length, lib.mju_dist3(found, turned)]])


TASKS = {
    jacobians: 81, inertia: 90, quaternions: 37, vectors: 12, pseudo_inverses: 85,
    operational_space: 10,
}  # fmt: skip


@pytest.mark.parametrize("task", TASKS)
def test_functions_are_those_of_the_environment(task):
    def step(self, action):
        found = task(self, action)
        return found, float(np.sum(found)), False, False, {}

    def reset(self):
        self.data.qpos[:3] = self.np_random.uniform(-1, 1, 3)
        self.data.qvel[:] = self.np_random.uniform(-1, 1, self.model.nv)

    size = TASKS[task]

    def make():
        made = environment(step, reset, ARM, lambda self: np.zeros(size))()
        made.observation_space = Box(-np.inf, np.inf, (size,), np.float64)
        return made

    found = check(make, nseed=2, nstep=20, way="traced")
    assert not found.first
    assert found.largest < 1e-12


MANY = frozenset(("mju_mat2Rot",))  # a loop of as many turns as values ask for


def functions_of_numbers():
    """Names and parameters of functions of numbers that are followed."""
    # a module that imports these is taken for one of the environment, and imported anew
    from mjenv.mujoco.api import signature
    from mjenv.porting.stand_ins.module_functions import functions

    names = sorted({n for n in functions() if n.startswith("mju_")} - MANY)
    return [(name, signature(name).parameters) for name in names]


def results_of(self, table):
    """Results of functions of numbers that the physics have made."""
    d, results = self.data, []
    numbers = np.concatenate([d.qvel, d.site("tip").xmat, d.qpos, d.geom("palm").xpos])
    for name, parameters in table:
        given, filled = {}, []
        for k, one in enumerate(parameters):
            if not one.shape:
                given[one.name] = {"str": "xYz", "int": 1}.get(one.kind, numbers[k])
                continue
            shape = [int(n) if n.isdigit() else 3 for n in one.shape]
            shape = shape[:1] if one.shape[-1] == "1" else shape
            size = int(np.prod(shape))
            given[one.name] = np.array(numbers[k : k + size]).reshape(shape)
            filled += [one.name] if one.output else []
        told = getattr(self.lib, name)(**given)
        results += [] if told is None else [np.array([told], dtype=np.float64)]
        results += [given[one].ravel() for one in filled]
    return np.concatenate(results)


def test_every_function_of_numbers_has_the_same_bits():
    table, sizes = functions_of_numbers(), []

    def step(self, action):
        moves(self, action)
        found = results_of(self, table)
        if not sizes:
            sizes.append(found.size)
        return found, float(np.sum(found[:9])), False, False, {}

    def reset(self):
        self.data.qpos[:3] = self.np_random.uniform(-1, 1, 3)
        self.data.qvel[:] = self.np_random.uniform(-1, 1, self.model.nv)

    # how many results there are
    first = environment(step, reset, ARM, lambda self: np.zeros(2))()
    first.reset(seed=0)
    first.step(np.zeros(1, np.float32))

    def make():
        made = environment(step, reset, ARM, lambda self: np.zeros(sizes[0]))()
        made.observation_space = Box(-np.inf, np.inf, (sizes[0],), np.float64)
        return made

    assert len(table) > 50
    found = check(make, nseed=2, nstep=10, way="traced")
    assert not found.first
    assert found.largest == 0.0


def test_arrays_that_steps_have_not_made_are_refused():
    kept = np.zeros(4)

    def step(self, action):
        moves(self, action)
        self.lib.mju_negQuat(kept, self.data.qpos[6:10])
        return plain(self, action)

    with pytest.raises(NotTraced, match="found mju_negQuat: res is an array of numbers"):
        PortedVectorEnv(environment(step, None, ARM, lambda self: self.data.qpos), 2, way="traced")


def test_a_loop_of_as_many_turns_as_values_ask_for_is_refused():
    def step(self, action):
        moves(self, action)
        turn = np.zeros(4)
        self.lib.mju_mat2Rot(turn, self.data.site("tip").xmat)
        return plain(self, action)

    with pytest.raises(NotTraced, match="in step: found mju_mat2Rot: found more than"):
        PortedVectorEnv(environment(step, None, ARM, lambda self: self.data.qpos), 2, way="traced")


def begins_with_inertia(self, action):
    dense = np.zeros((self.model.nv, self.model.nv))
    self.lib.mj_fullM(self.model, dense, self.data.qM)
    self.data.ctrl[:] = action * dense[0, 0]
    self.lib.mj_step(self.model, self.data)
    return self.data.qpos + 0.0, float(dense[0, 0]), False, False, {}


def turned(self):
    self.data.qpos[:3] = self.np_random.uniform(-1, 1, 3)


SHARED = np.random.default_rng(0)


def turned_in_python(self):
    turned(self)
    # differs each time, and changes nothing
    self.data.qpos[:3] += 0.0 * SHARED.random(1)


def with_inertia(reset):
    def make():
        made = environment(begins_with_inertia, reset, ARM, lambda self: self.data.qpos + 0.0)()
        made.observation_space = Box(-np.inf, np.inf, (10,), np.float64)
        return made

    return make


@pytest.mark.parametrize("reset", [turned, turned_in_python])
@pytest.mark.parametrize("num_envs", [1, 3])
def test_what_is_computed_when_it_is_looked_at_is_that_of_the_reset(reset, num_envs):
    envs = PortedVectorEnv(with_inertia(reset), num_envs, way="traced")
    assert ("reset not traced" in str(envs.report)) == (reset is turned_in_python)
    single, actions = with_inertia(reset)(), np.full((num_envs, 1), 0.5, np.float32)
    for seed in (1, 2):
        envs.reset(seed=[seed] * num_envs)
        single.reset(seed=seed)
        for _ in range(3):
            rewards = envs.step(actions)[1]
            assert rewards == pytest.approx(single.step(actions[0])[1], rel=1e-12)
