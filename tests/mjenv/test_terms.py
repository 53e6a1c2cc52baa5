"""Terms of robot tasks: what they say about known postures, and MuJoCo's own rotations."""

import mujoco
import numpy as np
import pytest

from mjenv import terms

RANDOM = np.random.default_rng(0)


def quats(*shape):
    q = RANDOM.normal(size=(*shape, 4))
    return q / np.linalg.norm(q, axis=-1, keepdims=True)


def matrix(quat):
    out = np.zeros(9)
    mujoco.mju_quat2Mat(out, quat)
    return out.reshape(3, 3)


def test_rotations_are_mujocos():
    quat, vector = quats(20), RANDOM.normal(size=(20, 3))
    for q, v, there, back, down, up in zip(
        quat, vector, terms.rotate(quat, vector), terms.rotate_back(quat, vector),
        terms.down(quat), terms.upright(quat), strict=True,
    ):  # fmt: skip
        turn = matrix(q)
        np.testing.assert_allclose(there, turn @ v, atol=1e-14)
        np.testing.assert_allclose(back, turn.T @ v, atol=1e-14)
        np.testing.assert_allclose(down, turn.T @ [0, 0, -1], atol=1e-14)
        np.testing.assert_allclose(up, turn[2, 2], atol=1e-14)


def test_products_of_rotations_are_mujocos():
    for a, b in zip(quats(9), quats(9)[::-1], strict=True):
        both, back = np.zeros(4), np.zeros(4)
        mujoco.mju_mulQuat(both, a, b)
        mujoco.mju_negQuat(back, a)
        np.testing.assert_allclose(terms.multiply(a, b), both, atol=1e-15)
        np.testing.assert_array_equal(terms.conjugate(a), back)


@pytest.mark.parametrize("angle", [-3.0, -0.4, 0.0, 1.3, 3.1])
def test_yaw(angle):
    turn, lean = np.zeros(4), np.zeros(4)
    mujoco.mju_axisAngle2Quat(turn, [0, 0, 1], angle)
    assert terms.yaw(turn) == pytest.approx(angle, abs=1e-14)
    mujoco.mju_axisAngle2Quat(lean, [0, 1, 0], 0.7)
    both = np.zeros(4)
    mujoco.mju_mulQuat(both, turn, lean)  # first leans, then turns
    assert terms.yaw(both) == pytest.approx(angle, abs=1e-14)


def test_angles_between():
    for q, p in zip(quats(10), quats(10), strict=True):
        turn = np.zeros(3)
        mujoco.mju_subQuat(turn, q, p)
        expected = np.linalg.norm(turn)
        assert terms.angle(q, p) == pytest.approx(min(expected, 2 * np.pi - expected), abs=1e-7)
    assert terms.angle(q, -q) == pytest.approx(0.0, abs=1e-7)


def test_tracking():
    assert terms.track(np.array([1.0, 2.0]), np.array([1.0, 2.0]), 0.3) == 1.0
    assert terms.track(np.array([1.3, 2.0]), np.array([1.0, 2.0]), 0.3) == pytest.approx(np.exp(-1))
    assert terms.near(np.array(-0.3), 0.3) == pytest.approx(np.exp(-1))
    points = RANDOM.normal(size=(2, 5, 3))
    np.testing.assert_allclose(
        terms.distance(*points), np.linalg.norm(points[0] - points[1], axis=-1)
    )


def test_feet_in_the_air():
    """A foot that lifts for six steps of 0.05 s, beside one that stands."""
    contact = np.array([[1, 1]] * 2 + [[0, 1]] * 6 + [[1, 1]] * 2, bool)
    seconds, rewards = np.zeros(2), []
    for now in contact:
        rewards.append(terms.landed(seconds, now, 0.2))
        seconds = terms.air_time(seconds, now, 0.05)
    np.testing.assert_allclose(rewards, [0] * 8 + [0.1, 0])


def test_clocks():
    """A turn takes a second over the pace; feet go up one after the other."""
    phase, seen = np.zeros(2), []
    for _ in range(50):
        phase = terms.clock(phase, 2.0, 0.01)
        seen.append(phase[0])
    assert np.max(seen) <= 2 * np.pi
    assert np.sin(phase) == pytest.approx(0.0, abs=1e-12)
    high = terms.strides(np.array([0.0, np.pi / 2, 3 * np.pi / 2]))
    np.testing.assert_allclose(high, [[0, 0], [1, 0], [0, 1]], atol=1e-15)


def test_costs():
    force, velocity = np.array([2.0, -3.0]), np.array([-1.0, -2.0])
    assert terms.power(force, velocity) == 8.0
    assert terms.change(force, velocity) == 10.0
    assert terms.squares(force) == 13.0
    assert terms.beyond(np.array([-2.0, 0.0, 1.5]), -1.0, 1.0) == 1.5
    feet = np.array([[[1.0, 2.0, 9.0], [3.0, 0.0, 9.0]]])
    assert terms.slip(np.array([[True, False]]), feet) == [5.0]
    assert terms.slip(np.array([[True, True]]), feet.reshape(1, 6)) == [14.0]


def test_tables_of_terms():
    reward = {"track": np.array([1.0, 0.5]), "power": np.array([3.0, 4.0])}
    found = terms.weighed(reward, {"power": -0.1, "track": 2.0})
    assert [*found] == ["track", "power"]
    np.testing.assert_array_equal(found["track"], [2.0, 1.0])
    np.testing.assert_array_equal(found["power"], -0.1 * reward["power"])
    values = np.array([-9.0, 1.0, 4.0])
    np.testing.assert_array_equal(terms.scaled(values, 0.5), [-4.5, 0.5, 2.0])
    np.testing.assert_array_equal(terms.scaled(values, 0.5, clip=2.0), [-1.0, 0.5, 1.0])


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"tracks": 1.0}, "found 'track', for which there is no weight; did you mean 'tracks'?"),
        ({"track": 1.0, "slip": 1.0}, "'slip', for which there is no term; expected one of"),
    ],
)
def test_tables_that_do_not_fit(weights, message):
    with pytest.raises(ValueError, match="weighed: ") as found:
        terms.weighed({"track": 1.0}, weights)
    assert message in str(found.value)


def test_limits_that_are_none():
    with pytest.raises(ValueError, match=r"scaled: clip is -1.0, expected a number above 0"):
        terms.scaled(np.zeros(2), 1.0, clip=-1.0)
