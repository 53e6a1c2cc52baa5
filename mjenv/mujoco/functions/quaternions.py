"""Functions of quaternions, rotation matrices, poses and spatial vectors."""

import math
from typing import NoReturn

import numpy as np

from mjenv import mju
from mjenv.engine.direct import quaternions as kernels
from mjenv.mujoco.errors import FatalError
from mjenv.mujoco.functions import compiled, tables
from mjenv.mujoco.functions.compiled import Compiled


def _refuse_axes(quat: np.ndarray, euler: np.ndarray, seq: str) -> NoReturn:
    """Refuse what is no sequence of three axes."""
    if len(seq) != 3:
        raise FatalError("mju_euler2Quat: seq must contain exactly 3 characters")
    place = next(k for k, letter in enumerate(seq) if letter not in "xyzXYZ")
    raise FatalError(
        f"mju_euler2Quat: seq[{place}] is '{seq[place]}', should be one of x, y, z, X, Y, Z"
    )


_EPS = 1e-12  # of elements off the diagonal, of cosines and eigenvalues
_MOST = 500  # iterations


def _eig3(eigval: np.ndarray, eigvec: np.ndarray, quat: np.ndarray, mat: np.ndarray) -> int:
    """Jacobi's method, step by step as in MuJoCo, so that signs and iterations are its own."""
    mat, turn, iterations = mat.reshape(3, 3), np.array([1.0, 0, 0, 0]), 0
    while iterations < _MOST:
        vectors = mju.quat2mat(turn)
        found = vectors.T @ mat @ vectors
        values = found.diagonal().tolist()
        # the largest element off the diagonal, and the axis across it
        a, b, c = abs(found[0, 1]), abs(found[0, 2]), abs(found[1, 2])
        row, column, axis = (0, 1, 2) if a > b and a > c else (0, 2, 1) if b > c else (1, 2, 0)
        if abs(found[row, column]) < _EPS:
            break
        tau = (values[column] - values[row]) / (2 * found[row, column])
        tangent = math.copysign(1.0, tau) / (abs(tau) + math.sqrt(1 + tau * tau))
        cosine = 1 / math.sqrt(1 + tangent * tangent)
        if cosine > 1 - _EPS:
            break
        sine = math.copysign(math.sqrt(0.5 - 0.5 * cosine), tau if axis == 1 else -tau)
        turn = _turned(turn, math.sqrt(1 - sine * sine), axis, sine)
        iterations += 1
    # largest first
    half = math.sqrt(0.5)
    for k in (0, 1, 0):
        if values[k] + _EPS < values[k + 1]:
            values[k : k + 2] = values[k + 1], values[k]
            turn = _turned(turn, half, (k + 2) % 3, half)
    eigval[:], eigvec[:], quat[:] = values, mju.quat2mat(turn).ravel(), turn
    return iterations


def _turned(quat: np.ndarray, cosine: float, axis: int, sine: float) -> np.ndarray:
    """A quaternion after a rotation about an axis of its own."""
    step = np.array([cosine, 0.0, 0.0, 0.0])
    step[1 + axis] = sine
    found = mju.mul_quat(quat, step)
    return found / np.linalg.norm(found)


_KERNELS = {
    "mju_rotVecQuat": Compiled("Rotate a vector by a quaternion.", kernels.rotate_vector),
    "mju_negQuat": Compiled("The opposite rotation.", kernels.negate),
    "mju_mulQuat": Compiled("Product of quaternions: the second rotation, then the first.",
                            kernels.multiply),
    "mju_mulQuatAxis": Compiled("Product of a quaternion and an axis.", kernels.multiply_axis),
    "mju_axisAngle2Quat": Compiled("Quaternion of a rotation about an axis, rad.",
                                   kernels.about_axis),
    "mju_quat2Vel": Compiled("Angular velocity that gives a rotation within a time.",
                             kernels.velocity),
    "mju_subQuat": Compiled("Rotation from one orientation to another, as a vector, rad.",
                            kernels.subtract),
    "mju_quat2Mat": Compiled("Rotation matrix of a quaternion.", kernels.to_matrix),
    "mju_mat2Quat": Compiled("Quaternion of a rotation matrix.", kernels.from_matrix),
    "mju_derivQuat": Compiled("Rate of change of a quaternion that turns.", kernels.rate),
    "mju_quatIntegrate": Compiled("Turn a quaternion with an angular velocity.",
                                  kernels.integrate),
    "mju_quatZ2Vec": Compiled("Rotation of the z axis onto a vector.", kernels.from_z_axis),
    "mju_mat2Rot": Compiled("Rotation inside a matrix, from a first guess; iterations.",
                            kernels.turn_inside),
    "mju_euler2Quat": Compiled("Quaternion of Euler angles, rad, in the order of seq.",
                               kernels.from_euler, texts={"seq": 3}, refuse=_refuse_axes),
    "mju_mulPose": Compiled("Product of poses: the second one, in the frame of the first.",
                            kernels.multiply_poses),
    "mju_negPose": Compiled("The opposite pose.", kernels.negate_pose),
    "mju_trnVecPose": Compiled("A point of a frame with a pose.", kernels.transform_point),
    "mju_transformSpatial": Compiled("A spatial vector in another frame.",
                                     kernels.transform_spatial),
}  # fmt: skip
_OTHERS = {"mju_eig3": ("Eigenvalues and eigenvectors of a symmetric matrix.", _eig3)}

compiled.define(globals(), _KERNELS)
tables.define(globals(), _OTHERS)
