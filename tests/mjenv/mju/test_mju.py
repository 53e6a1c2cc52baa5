"""Utility functions beside MuJoCo's, number by number and over arrays."""

import mujoco
import numpy as np
import pytest

from mjenv import mju

RNG = np.random.default_rng(0)
COUNT = 40


def quats():
    """Random ones, identity, half turns, and ones that are nearly equal."""
    found = RNG.normal(size=(COUNT, 4))
    found[:6] = [[1, 0, 0, 0], [-1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1],
                 [1, 1e-9, 0, 0]]  # fmt: skip
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def vectors(n=3):
    found = RNG.normal(size=(COUNT, n))
    found[0] = 0
    found[1, :3], found[2, :3] = [0, 0, 2], [0, 0, -3]
    return found


def reference(name, size, *arguments):
    """MuJoCo's results, one by one."""
    out = np.zeros((COUNT, size))
    for k in range(COUNT):
        getattr(mujoco, name)(
            out[k], *(a[k] if isinstance(a, np.ndarray) else a for a in arguments)
        )
    return out


Q, P, V, U = quats(), quats()[::-1].copy(), vectors(), vectors()
S, F, U6 = vectors(6), vectors(6), vectors(6)
MATS = np.array([reference("mju_quat2Mat", 9, Q)[k].reshape(9) for k in range(COUNT)])
CASES = {
    "rot_vec_quat": (mju.rot_vec_quat(V, Q), reference("mju_rotVecQuat", 3, V, Q)),
    "neg_quat": (mju.neg_quat(Q), reference("mju_negQuat", 4, Q)),
    "mul_quat": (mju.mul_quat(Q, P), reference("mju_mulQuat", 4, Q, P)),
    "mul_quat_axis": (mju.mul_quat_axis(Q, V), reference("mju_mulQuatAxis", 4, Q, V)),
    "axis_angle2quat": (mju.axis_angle2quat(V, S[:, 4]),
                        reference("mju_axisAngle2Quat", 4, V, S[:, 4])),
    "quat2vel": (mju.quat2vel(Q, 0.3), reference("mju_quat2Vel", 3, Q, 0.3)),
    "sub_quat": (mju.sub_quat(Q, P), reference("mju_subQuat", 3, Q, P)),
    "quat2mat": (mju.quat2mat(Q).reshape(COUNT, 9), MATS),
    "mat2quat": (mju.mat2quat(MATS.reshape(COUNT, 3, 3)), reference("mju_mat2Quat", 4, MATS)),
    "deriv_quat": (mju.deriv_quat(Q, V), reference("mju_derivQuat", 4, Q, V)),
    "quat_z2vec": (mju.quat_z2vec(V), reference("mju_quatZ2Vec", 4, V)),
    "trn_vec_pose": (mju.trn_vec_pose(V, Q, U), reference("mju_trnVecPose", 3, V, Q, U)),
    "motion": (mju.transform_spatial(S, False, V, U, MATS.reshape(COUNT, 3, 3)),
               reference("mju_transformSpatial", 6, S, 0, V, U, MATS)),
    "force": (mju.transform_spatial(S, True, V, U, MATS.reshape(COUNT, 3, 3)),
              reference("mju_transformSpatial", 6, S, 1, V, U, MATS)),
}  # fmt: skip


def test_single_quaternions():
    """What takes rows of them takes one: no axis is added."""
    for found, row in (
        (mju.quat2vel(Q[7], 0.3), CASES["quat2vel"][0][7]),
        (mju.sub_quat(Q[7], P[7]), CASES["sub_quat"][0][7]),
    ):
        assert found.shape == (3,)
        np.testing.assert_array_equal(found, row)


@pytest.mark.parametrize("name", CASES)
def test_values(name):
    found, expected = CASES[name]
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def test_integration():
    for k in range(COUNT):
        quat = Q[k].copy()
        mujoco.mju_quatIntegrate(quat, V[k], 0.7)
        np.testing.assert_allclose(mju.quat_integrate(Q, V, 0.7)[k], quat, atol=1e-12)


@pytest.mark.parametrize("seq", ["xyz", "XYZ", "zYx", "yxy"])
def test_euler_angles(seq):
    found = mju.euler2quat(V, seq)
    np.testing.assert_allclose(found, reference("mju_euler2Quat", 4, V, seq), atol=1e-12)
    with pytest.raises(ValueError, match="euler2quat: seq='xya': expected 3 of x, y, z"):
        mju.euler2quat(V, "xya")


def test_poses():
    pos, quat = mju.mul_pose(V, Q, U, P)
    back, turned = mju.neg_pose(V, Q)
    for k in range(COUNT):
        p, q = np.zeros(3), np.zeros(4)
        mujoco.mju_mulPose(p, q, V[k], Q[k], U[k], P[k])
        np.testing.assert_allclose(np.r_[pos[k], quat[k]], np.r_[p, q], atol=1e-12)
        mujoco.mju_negPose(p, q, V[k], Q[k])
        np.testing.assert_allclose(np.r_[back[k], turned[k]], np.r_[p, q], atol=1e-12)


def test_derivatives_of_rotations():
    by_a, by_b = mju.sub_quat_derivatives(Q, P)
    times = np.linspace(0, 2, COUNT)
    found = mju.quat_integrate_derivatives(V, times)
    for k in range(COUNT):
        a, b = np.zeros((2, 9))
        mujoco.mjd_subQuat(Q[k], P[k], a, b)
        np.testing.assert_allclose(by_a[k].ravel(), a, atol=1e-9)
        np.testing.assert_allclose(by_b[k].ravel(), b, atol=1e-9)
        dq, dv, dt = np.zeros(9), np.zeros(9), np.zeros(3)
        mujoco.mjd_quatIntegrate(V[k], times[k], dq, dv, dt)
        for ours, theirs in zip(found, (dq, dv, dt), strict=True):
            np.testing.assert_allclose(ours[k].ravel(), theirs, atol=1e-12)


@pytest.mark.parametrize("dim", [3, 4, 6])
def test_pyramids(dim):
    mu = RNG.uniform(0.1, 1, (COUNT, 6))
    pyramid = RNG.uniform(0, 1, (COUNT, 2 * (dim - 1)))
    found = mju.decode_pyramid(pyramid, mu[:, : dim - 1])
    for k in range(COUNT):
        force = np.zeros(dim + 1)
        # MuJoCo's bindings want room for one more direction
        mujoco.mju_decodePyramid(force, np.r_[pyramid[k], 0, 0], mu[k, :dim])
        np.testing.assert_allclose(found[k], force[:dim], atol=1e-14)
        again = np.zeros(2 * dim)
        mujoco.mju_encodePyramid(again, force, mu[k, :dim])
        ours = mju.encode_pyramid(found[k], mu[k, : dim - 1])
        np.testing.assert_allclose(ours, again[:-2], atol=1e-14)
    np.testing.assert_array_equal(mju.decode_pyramid([[2.0]], np.zeros((1, 0))), [[2.0]])


def test_springs_and_muscles():
    x = RNG.uniform(-1, 2, (COUNT, 5))
    x[:3, 2:4] = [[1, 2], [4, 4], [0.25, 1]]
    found = mju.spring_damper(*x.T)
    prm = np.array([0.75, 1.05, -1, 200, 0.5, 1.6, 1.5, 1.3, 1.2])
    rows = np.repeat(prm[None], COUNT, 0)
    rows[::2, 2] = 3
    span = np.array([0.2, 0.7])
    length = np.linspace(-0.1, 1.5, COUNT)
    vel = RNG.normal(size=COUNT)
    gain, bias = (
        mju.muscle_gain(length, vel, span, 5.0, rows),
        mju.muscle_bias(length, span, 5.0, rows),
    )
    timing = np.array([[0.01, 0.04, 0.0], [0.02, 0.03, 0.3]])[np.arange(COUNT) % 2]
    rate = mju.muscle_dynamics(x[:, 0], x[:, 1], timing)
    for k in range(COUNT):
        np.testing.assert_allclose(found[k], mujoco.mju_springDamper(*x[k]), rtol=1e-10)
        np.testing.assert_allclose(
            gain[k], mujoco.mju_muscleGain(length[k], vel[k], span, 5.0, rows[k]), atol=1e-12
        )
        np.testing.assert_allclose(
            bias[k], mujoco.mju_muscleBias(length[k], span, 5.0, rows[k]), atol=1e-12
        )
        np.testing.assert_allclose(
            rate[k], mujoco.mju_muscleDynamics(x[k, 0], x[k, 1], timing[k]), rtol=1e-12
        )
    np.testing.assert_allclose(
        mju.sigmoid(x[:, 0]), [mujoco.mju_sigmoid(v) for v in x[:, 0]], atol=1e-14
    )


def test_rates_of_spatial_vectors():
    """Power is the same in every frame: f . (v x s) = - (v x f) . s."""
    power = np.sum(F * mju.cross_motion(S, U6), axis=1) + np.sum(mju.cross_force(S, F) * U6, axis=1)
    np.testing.assert_allclose(power, 0, atol=1e-12)
    np.testing.assert_allclose(mju.cross_motion(S, S), 0, atol=1e-12)
