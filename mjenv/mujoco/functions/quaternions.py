"""Functions of quaternions, rotation matrices, poses and spatial vectors."""

from functools import cache

import numpy as np

from mjenv import mju
from mjenv.mujoco.errors import FatalError
from mjenv.mujoco.functions import turns
from mjenv.mujoco.functions.tables import define


def _rot_vec_quat(res: np.ndarray, vec: np.ndarray, quat: np.ndarray) -> None:
    res[:] = turns.rotate(vec.tolist(), quat.tolist())


def _neg_quat(res: np.ndarray, quat: np.ndarray) -> None:
    res[:] = turns.negate(quat.tolist())


def _mul_quat(res: np.ndarray, quat1: np.ndarray, quat2: np.ndarray) -> None:
    res[:] = turns.multiply(quat1.tolist(), quat2.tolist())


def _mul_quat_axis(res: np.ndarray, quat: np.ndarray, axis: np.ndarray) -> None:
    res[:] = turns.times_axis(quat.tolist(), axis.tolist())


def _axis_angle(res: np.ndarray, axis: np.ndarray, angle: float) -> None:
    res[:] = turns.about(axis.tolist(), angle)


def _quat2vel(res: np.ndarray, quat: np.ndarray, dt: float) -> None:
    res[:] = turns.velocity(quat.tolist(), dt)


def _sub_quat(res: np.ndarray, qa: np.ndarray, qb: np.ndarray) -> None:
    between = turns.multiply(turns.negate(qb.tolist()), qa.tolist())
    res[:] = turns.velocity(between, 1.0)


def _quat2mat(res: np.ndarray, quat: np.ndarray) -> None:
    res[:] = turns.matrix(quat.tolist())


def _mat2quat(quat: np.ndarray, mat: np.ndarray) -> None:
    quat[:] = turns.of_matrix(mat.tolist())


def _deriv_quat(res: np.ndarray, quat: np.ndarray, vel: np.ndarray) -> None:
    res[:] = turns.rate(quat.tolist(), vel.tolist())


def _quat_integrate(quat: np.ndarray, vel: np.ndarray, scale: float) -> None:
    quat[:] = turns.integrate(quat.tolist(), vel.tolist(), scale)


def _quat_z2vec(quat: np.ndarray, vec: np.ndarray) -> None:
    quat[:] = turns.from_z_axis(vec.tolist())


def _mat2rot(quat: np.ndarray, mat: np.ndarray) -> int:
    quat[:], count = turns.of_deformation(quat.tolist(), mat.tolist())
    return count


@cache
def _check_axes(seq: str) -> None:
    """Refuse what is no sequence of three axes; one that was found good is not looked at again."""
    if len(seq) != 3:
        raise FatalError("mju_euler2Quat: seq must contain exactly 3 characters")
    for place, letter in enumerate(seq):
        if letter not in "xyzXYZ":
            raise FatalError(
                f"mju_euler2Quat: seq[{place}] is '{letter}', should be one of x, y, z, X, Y, Z"
            )


def _euler2quat(quat: np.ndarray, euler: np.ndarray, seq: str) -> None:
    _check_axes(seq)
    quat[:] = turns.of_euler(euler.tolist(), seq)


def _mul_pose(
    posres: np.ndarray,
    quatres: np.ndarray,
    pos1: np.ndarray,
    quat1: np.ndarray,
    pos2: np.ndarray,
    quat2: np.ndarray,
) -> None:
    quat, start = quat1.tolist(), pos1.tolist()
    pos = turns.rotate(pos2.tolist(), quat)
    quatres[:] = turns.unit_quaternion(turns.multiply(quat, quat2.tolist()))
    posres[:] = (start[0] + pos[0], start[1] + pos[1], start[2] + pos[2])


def _neg_pose(posres: np.ndarray, quatres: np.ndarray, pos: np.ndarray, quat: np.ndarray) -> None:
    opposite = turns.negate(quat.tolist())
    posres[:] = [-x for x in turns.rotate(pos.tolist(), opposite)]
    quatres[:] = opposite


def _trn_vec_pose(res: np.ndarray, pos: np.ndarray, quat: np.ndarray, vec: np.ndarray) -> None:
    start, turned = pos.tolist(), turns.rotate(vec.tolist(), quat.tolist())
    res[:] = (start[0] + turned[0], start[1] + turned[1], start[2] + turned[2])


def _transform_spatial(
    res: np.ndarray,
    vec: np.ndarray,
    flg_force: int,
    newpos: np.ndarray,
    oldpos: np.ndarray,
    rotnew2old: np.ndarray,
) -> None:
    rotation = rotnew2old.reshape(3, 3)
    res[:] = mju.transform_spatial(vec, bool(flg_force), newpos, oldpos, rotation)


def _eig3(eigval: np.ndarray, eigvec: np.ndarray, quat: np.ndarray, mat: np.ndarray) -> int:
    values, vectors = mju.eig3(mat.reshape(3, 3))
    eigval[:], eigvec[:] = values, vectors.reshape(9)
    quat[:] = turns.of_matrix(eigvec.tolist())
    return 0


_ROWS = {
    "mju_rotVecQuat": ("Rotate a vector by a quaternion.", _rot_vec_quat),
    "mju_negQuat": ("The opposite rotation.", _neg_quat),
    "mju_mulQuat": ("Product of quaternions: the second rotation, then the first.", _mul_quat),
    "mju_mulQuatAxis": ("Product of a quaternion and an axis.", _mul_quat_axis),
    "mju_axisAngle2Quat": ("Quaternion of a rotation about an axis, rad.", _axis_angle),
    "mju_quat2Vel": ("Angular velocity that gives a rotation within a time.", _quat2vel),
    "mju_subQuat": ("Rotation from one orientation to another, as a vector, rad.", _sub_quat),
    "mju_quat2Mat": ("Rotation matrix of a quaternion.", _quat2mat),
    "mju_mat2Quat": ("Quaternion of a rotation matrix.", _mat2quat),
    "mju_derivQuat": ("Rate of change of a quaternion that turns.", _deriv_quat),
    "mju_quatIntegrate": ("Turn a quaternion with an angular velocity.", _quat_integrate),
    "mju_quatZ2Vec": ("Rotation of the z axis onto a vector.", _quat_z2vec),
    "mju_mat2Rot": ("Rotation inside a matrix, from a first guess; iterations.", _mat2rot),
    "mju_euler2Quat": ("Quaternion of Euler angles, rad, in the order of seq.", _euler2quat),
    "mju_mulPose": ("Product of poses: the second one, in the frame of the first.", _mul_pose),
    "mju_negPose": ("The opposite pose.", _neg_pose),
    "mju_trnVecPose": ("A point of a frame with a pose.", _trn_vec_pose),
    "mju_transformSpatial": ("A spatial vector in another frame.", _transform_spatial),
    "mju_eig3": ("Eigenvalues and eigenvectors of a symmetric matrix.", _eig3),
}

define(globals(), _ROWS)
