"""MuJoCo's utility functions: rotations, poses, muscles, springs, matrices, rays; over arrays.

Every argument may have leading axes; they broadcast. Quaternions are (w, x, y, z), matrices 3x3.
Names are MuJoCo's without `mju_`, in snake case.
"""

import numpy as np

from mjenv.engine.analysis import vectors
from mjenv.engine.analysis.vectors import (
    cross,
    quat_mat,
    rotation_quat,
    rotation_vector,
    turn,
    turn_back,
    unit,
)
from mjenv.engine.arguments import Numbers, of_reals
from mjenv.engine.run.simulation_warnings import warning_text
from mjenv.engine.tables.enums import MINVAL
from mjenv.mju.bands import (
    band2dense,
    band_diag,
    band_mul_mat_vec,
    chol_factor_band,
    chol_solve_band,
    dense2band,
)
from mjenv.mju.matrices import box_qp, chol_factor, chol_solve, chol_update, eig3, real, reals
from mjenv.mju.muscles import (
    decode_pyramid,
    encode_pyramid,
    muscle_bias,
    muscle_dynamics,
    muscle_gain,
    sigmoid,
    spring_damper,
)
from mjenv.mju.rays import ray_geom, ray_skin
from mjenv.mju.sparse import dense2sparse, sparse2dense, sym2dense

__all__ = [
    "axis_angle2quat", "band2dense", "band_diag", "band_mul_mat_vec", "box_qp",
    "chol_factor", "chol_factor_band", "chol_solve", "chol_solve_band", "chol_update",
    "cross_force", "cross_motion", "decode_pyramid", "dense2band", "dense2sparse", "deriv_quat",
    "eig3", "encode_pyramid", "euler2quat", "mat2quat", "mul_pose", "mul_quat", "mul_quat_axis",
    "muscle_bias",
    "muscle_dynamics", "muscle_gain", "neg_pose", "neg_quat", "quat2mat", "quat2vel",
    "quat_integrate", "quat_integrate_derivatives", "quat_z2vec", "ray_geom", "ray_skin",
    "rot_vec_quat", "sigmoid", "sparse2dense", "spring_damper", "sub_quat",
    "sub_quat_derivatives", "sym2dense", "transform_spatial", "trn_vec_pose",
    "warning_text",
]  # fmt: skip


@of_reals
def mul_quat(a: Numbers, b: Numbers) -> np.ndarray:
    """Products of quaternions (..., 4): the rotation b, then a."""
    return vectors.mul_quat(a, b)


# ---------------------------------------------------------------- rotations


@of_reals
def rot_vec_quat(vec: Numbers, quat: Numbers) -> np.ndarray:
    """Vectors (..., 3) turned by unit quaternions (..., 4)."""
    vec, quat = reals(vec, quat)
    t = quat[..., :1] * vec + cross(quat[..., 1:], vec)
    return vec + 2 * cross(quat[..., 1:], t)


@of_reals
def neg_quat(quat: Numbers) -> np.ndarray:
    """Conjugate quaternions: the opposite rotations."""
    return real(quat) * [1.0, -1.0, -1.0, -1.0]


@of_reals
def mul_quat_axis(quat: Numbers, axis: Numbers) -> np.ndarray:
    """Products of quaternions (..., 4) and vectors (..., 3) as quaternions without real part."""
    quat, axis = reals(quat, axis)
    zero = np.zeros((*axis.shape[:-1], 1))
    return mul_quat(quat, np.concatenate([zero, axis], axis=-1))


@of_reals
def axis_angle2quat(axis: Numbers, angle: Numbers) -> np.ndarray:
    """Quaternions of rotations about unit axes (..., 3) by angles (...,), rad."""
    axis, angle = reals(axis, angle)
    half = 0.5 * angle[..., None]
    shape = np.broadcast_shapes(axis.shape[:-1], angle.shape)
    real = np.broadcast_to(np.cos(half), (*shape, 1))
    return np.concatenate([real, np.broadcast_to(axis * np.sin(half), (*shape, 3))], axis=-1)


@of_reals
def quat2vel(quat: Numbers, dt: float = 1.0) -> np.ndarray:
    """Angular velocities (..., 3), rad/s, that turn by quaternions in a time dt (s)."""
    return rotation_vector(real(quat)) / dt


@of_reals
def sub_quat(qa: Numbers, qb: Numbers) -> np.ndarray:
    """Rotation vectors (..., 3), rad, that lead from qb to qa, in the frame of qb."""
    return rotation_vector(mul_quat(neg_quat(qb), real(qa)))


@of_reals
def quat2mat(quat: Numbers) -> np.ndarray:
    """Rotation matrices (..., 3, 3) of unit quaternions."""
    return quat_mat(real(quat))


@of_reals
def mat2quat(mat: Numbers) -> np.ndarray:
    """Unit quaternions of rotation matrices (..., 3, 3)."""
    m = real(mat)
    diagonal = np.stack([m[..., k, k] for k in range(3)], axis=-1)
    trace = diagonal[..., 0] + diagonal[..., 1] + diagonal[..., 2]
    skew = np.stack(
        [m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]],
        axis=-1,
    )
    # each candidate divides by its own largest element
    found = [np.concatenate([1 + trace[..., None], skew], axis=-1)]
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        part = np.zeros((*m.shape[:-2], 4))
        part[..., 0] = skew[..., k]
        part[..., 1 + k] = 1 + diagonal[..., k] - diagonal[..., i] - diagonal[..., j]
        part[..., 1 + i] = m[..., k, i] + m[..., i, k]
        part[..., 1 + j] = m[..., k, j] + m[..., j, k]
        found.append(part)
    d0, d1, d2 = diagonal[..., 0], diagonal[..., 1], diagonal[..., 2]
    which = np.where(d1 > d2, 2, 3)
    which = np.where((d0 > d1) & (d0 > d2), 1, which)
    which = np.where(trace > 0, 0, which)
    chosen = np.take_along_axis(np.stack(found, axis=-2), which[..., None, None], axis=-2)
    return unit(chosen[..., 0, :])[0]


@of_reals
def deriv_quat(quat: Numbers, vel: Numbers) -> np.ndarray:
    """Rates of change (..., 4) of quaternions whose frames turn with global velocities (rad/s)."""
    quat, vel = reals(quat, vel)
    zero = np.zeros((*vel.shape[:-1], 1))
    return 0.5 * mul_quat(np.concatenate([zero, vel], axis=-1), quat)


@of_reals
def quat_integrate(quat: Numbers, vel: Numbers, scale: Numbers = 1.0) -> np.ndarray:
    """Quaternions after turning with local angular velocities (rad/s) for times `scale` (s)."""
    quat, vel, scale = reals(quat, vel, scale)
    return mul_quat(unit(quat)[0], rotation_quat(vel * scale[..., None]))


@of_reals
def quat_z2vec(vec: Numbers) -> np.ndarray:
    """Quaternions that turn the z axis to vectors (..., 3); no rotation for the shortest ones."""
    along, length = unit(real(vec))
    axis, sine = unit(cross(np.broadcast_to([0.0, 0.0, 1.0], along.shape), along))
    cosine = along[..., 2]
    opposite = (sine < MINVAL) & (cosine < 0)
    found = axis_angle2quat(axis, np.arctan2(sine, cosine))
    found = np.where((sine < MINVAL)[..., None], [1.0, 0.0, 0.0, 0.0], found)
    found = np.where(opposite[..., None], [0.0, 1.0, 0.0, 0.0], found)
    return np.where((length < MINVAL)[..., None], [1.0, 0.0, 0.0, 0.0], found)


@of_reals
def euler2quat(euler: Numbers, seq: str) -> np.ndarray:
    """Quaternions of Euler angles (..., 3), rad.

    Args:
        euler: angles, in the order of the sequence.
        seq: three of x, y, z (axes that move) and X, Y, Z (axes that stay).

    Raises:
        ValueError: another sequence.
    """
    if not isinstance(seq, str) or len(seq) != 3 or set(seq.lower()) - set("xyz"):
        raise ValueError(f"euler2quat: seq={seq!r}: expected 3 of x, y, z, X, Y and Z")
    euler = real(euler)
    found = np.broadcast_to([1.0, 0.0, 0.0, 0.0], (*euler.shape[:-1], 4))
    for k, letter in enumerate(seq):
        axis = np.eye(3)["xyz".index(letter.lower())]
        one = axis_angle2quat(axis, euler[..., k])
        found = mul_quat(found, one) if letter.islower() else mul_quat(one, found)
    return found


@of_reals
def sub_quat_derivatives(qa: Numbers, qb: Numbers) -> tuple[np.ndarray, np.ndarray]:
    """Derivatives of `sub_quat` by rotations of qa and of qb: (..., 3, 3) each (mjd_subQuat)."""
    axis, angle = unit(sub_quat(qa, qb))
    half = 0.5 * angle[..., None, None]
    K = _cross_matrix(axis)
    small = half < 6e-8
    part = np.where(small, 1.0, half / np.tan(np.where(small, 1.0, half)))
    by_a = np.eye(3) + half * K + (1 - part) * _product(K, K)
    return by_a, -by_a.swapaxes(-1, -2)


@of_reals
def quat_integrate_derivatives(vel: Numbers, scale: Numbers):
    """Derivatives of `quat_integrate`, a rotation, by its arguments (mjd_quatIntegrate).

    Args:
        vel: angular velocities (..., 3), rad/s.
        scale: times (...,), s.

    Returns:
        By rotation and by scaled velocity (..., 3, 3), and by time (..., 3).
    """
    vel, scale = reals(vel, scale)
    s = vel * scale[..., None]
    square = (s[..., 0] * s[..., 0] + s[..., 1] * s[..., 1] + s[..., 2] * s[..., 2])[
        ..., None, None
    ]
    x = np.sqrt(square)
    large = x > 1 / 32
    safe, square_safe = np.where(large, x, 1), np.where(large, square, 1)
    a = np.cos(x)
    # sin(x)/x, (1 - cos x)/x^2 and (x - sin x)/x^3, by their series where x is small
    b = np.where(large, np.sin(x) / safe, 1 + square / 6 * (square / 20 * (1 - square / 42) - 1))
    c = np.where(
        large, (1 - a) / square_safe, (1 + square / 12 * (square / 30 * (1 - square / 56) - 1)) / 2
    )
    d = np.where(
        large, (1 - b) / square_safe, (1 + square / 20 * (square / 42 * (1 - square / 72) - 1)) / 6
    )
    K, outer = -_cross_matrix(s), s[..., :, None] * s[..., None, :]
    by_vel = b * np.eye(3) + c * K + d * outer
    return a * np.eye(3) + b * K + c * outer, by_vel, turn(by_vel, vel)


def _cross_matrix(v: Numbers) -> np.ndarray:
    """Matrices of the product v x."""
    x, y, z = np.moveaxis(v, -1, 0)
    o = np.zeros_like(x)
    rows = np.stack([o, -z, y, z, o, -x, -y, x, o], axis=-1)
    return rows.reshape(*v.shape[:-1], 3, 3)


def _product(a: Numbers, b: Numbers) -> np.ndarray:
    """Products of 3x3 matrices."""
    terms = (a[..., :, k, None] * b[..., None, k, :] for k in range(3))
    return sum(terms, np.zeros((3, 3)))


# ---------------------------------------------------------------- poses and spatial vectors


@of_reals
def mul_pose(
    pos1: Numbers, quat1: Numbers, pos2: Numbers, quat2: Numbers
) -> tuple[np.ndarray, np.ndarray]:
    """Poses of frames 2 that are given in frames 1."""
    quat = unit(mul_quat(*reals(quat1, quat2)))[0]
    return rot_vec_quat(pos2, quat1) + real(pos1), quat


@of_reals
def neg_pose(pos: Numbers, quat: Numbers) -> tuple[np.ndarray, np.ndarray]:
    """Opposite poses."""
    back = neg_quat(quat)
    return -rot_vec_quat(pos, back), back


@of_reals
def trn_vec_pose(pos: Numbers, quat: Numbers, vec: Numbers) -> np.ndarray:
    """Points (..., 3) of frames, in the frame that their poses are given in."""
    return rot_vec_quat(vec, quat) + real(pos)


@of_reals
def cross_motion(vel: Numbers, v: Numbers) -> np.ndarray:
    """Rates of change (..., 6) of motion vectors v that move with vel; rotation first."""
    vel, v = reals(vel, v)
    w, u = vel[..., :3], vel[..., 3:]
    return np.concatenate(
        [cross(w, v[..., :3]), cross(w, v[..., 3:]) + cross(u, v[..., :3])], axis=-1
    )


@of_reals
def cross_force(vel: Numbers, f: Numbers) -> np.ndarray:
    """Rates of change (..., 6) of force vectors f that move with vel; torque first."""
    vel, f = reals(vel, f)
    w, u = vel[..., :3], vel[..., 3:]
    return np.concatenate(
        [cross(w, f[..., :3]) + cross(u, f[..., 3:]), cross(w, f[..., 3:])], axis=-1
    )


@of_reals
def transform_spatial(
    vec: Numbers,
    flg_force: bool,
    newpos: Numbers,
    oldpos: Numbers,
    rotnew2old: Numbers = None,
) -> np.ndarray:
    """Spatial vectors (..., 6) about another point, and in another frame.

    Args:
        vec: motion or force vectors, rotation or torque first.
        flg_force: whether they are forces.
        newpos: new points (..., 3).
        oldpos: old points (..., 3).
        rotnew2old: orientations of new frames in old ones (..., 3, 3); None keeps the frames.
    """
    vec, newpos, oldpos = reals(vec, newpos, oldpos)
    upper, lower, arm = vec[..., :3], vec[..., 3:], newpos - oldpos
    if flg_force:
        upper = upper - cross(arm, lower)
    else:
        lower = lower - cross(arm, upper)
    if rotnew2old is not None:
        rot = real(rotnew2old)
        upper, lower = turn_back(rot, upper), turn_back(rot, lower)
    shape = np.broadcast_shapes(upper.shape, lower.shape)
    return np.concatenate([np.broadcast_to(x, shape) for x in (upper, lower)], axis=-1)
