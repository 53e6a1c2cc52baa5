"""SciPy's rotations in a step: what is computed of values is what SciPy computes."""

import itertools

import numpy as np
import pytest
import scipy
from scipy.spatial import transform
from scipy.spatial.transform import Rotation

from mjenv.porting.checking import check
from mjenv.porting.porting import report
from tests.mjenv.porting.environments import environment, plain

FIXED = Rotation.from_euler("xyz", [0.3, -0.2, 0.5])
PLACES = np.array([[0.1, 0.2, 0.3], [1.0, -1.0, 0.5]])
SEQUENCES = [
    "".join(axes)
    for letters in ("xyz", "XYZ")
    for axes in itertools.product(letters, repeat=3)
    if axes[0] != axes[1] != axes[2]
]


def quat(self):
    return np.array([self.data.qpos[0], self.data.qvel[0], 0.3, self.data.qpos[1] - 0.4])


def euler(seq):
    return lambda self: Rotation.from_quat(quat(self)).as_euler(seq)


def of_euler(seq):
    return lambda self: Rotation.from_euler(seq, 3.0 * quat(self)[:3]).as_quat()


def products(self):
    turned = Rotation.from_quat(quat(self))
    found = FIXED * turned * FIXED.inv() * turned.inv()
    return np.concatenate([found.as_quat(), (turned * FIXED).as_rotvec()])


def applied(self):
    turned = Rotation.from_rotvec([self.data.qpos[0], 0.1, self.data.qpos[1]])
    one = turned.apply([1.0, 2.0, 3.0]) + turned.apply(quat(self)[:3], inverse=True)
    return np.concatenate([one, turned.apply(PLACES).ravel(), turned.as_matrix().ravel()])


def several(self):
    turned = transform.Rotation.from_quat(np.stack([quat(self), quat(self)[::-1]]))
    return np.concatenate(
        [turned.as_euler("zyx", degrees=True).ravel(), turned.magnitude(), turned[1].as_quat()]
    ) + len(turned)


def imported_late(self):
    from scipy.spatial.transform import Rotation as Late

    turned = Late.from_euler("z", 50.0 * self.data.qpos[1], degrees=True)
    return np.concatenate([turned.as_matrix().ravel(), turned.as_rotvec(degrees=True)])


def scalar_first(self):
    turned = Rotation.from_quat(quat(self), scalar_first=True)
    assert isinstance(turned, Rotation)
    assert isinstance(FIXED, Rotation)
    assert not isinstance(quat(self), Rotation)
    return turned.as_quat(canonical=True, scalar_first=True)


def of_matrix(self):
    frame = self.data.site("front").xmat.reshape(3, 3)
    return (Rotation.from_matrix(frame) * FIXED).as_quat()


def small_angles(self):
    turned = Rotation.from_rotvec(1e-4 * quat(self)[:3])
    return np.concatenate([turned.as_rotvec(), turned.as_euler("xzx"), turned.as_quat()])


def locked(self):
    # where the first and the last angle are not determined
    right = Rotation.from_euler("y", np.pi / 2 + 0.0 * self.data.qpos[0])
    turned = right * Rotation.from_euler("x", self.data.qpos[1])
    half = Rotation.from_quat([self.data.qpos[1], 0.4, 0.0, 0.0])
    return np.concatenate([turned.as_euler("xyz"), turned.as_euler("XYZ"), half.as_euler("zxz")])


def computing(of):
    """An environment whose rewards are of what a function computes."""

    def step(self, action):
        self.data.ctrl[:] = action
        self.physics()
        found = of(self)
        return plain(self, action, float(found @ np.arange(1.0, 1.0 + found.size)))

    return environment(step)


FUNCTIONS = [
    products, applied, several, imported_late, scalar_first, of_matrix, small_angles, locked,
    *map(euler, SEQUENCES), *map(of_euler, ("xyz", "ZYX", "zxz")),
]  # fmt: skip


OLDER = tuple(map(int, scipy.__version__.split(".")[:2])) < (1, 17)


@pytest.mark.parametrize("of", FUNCTIONS)
def test_rotations_of_values(of):
    if OLDER and of in (products, of_matrix, applied, scalar_first):
        pytest.skip("older versions of SciPy have no scalar_first, or take no others as factors")
    made = computing(of)
    assert check(made, 2, 8, way="traced").first == ""


def means(self):
    return Rotation.from_quat(np.stack([quat(self)] * 2)).mean().as_quat()


def test_what_cannot_be_computed_is_said():
    assert "found .mean of a rotation of values" in report(computing(means)).reason
