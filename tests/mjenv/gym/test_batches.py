"""Some environments at a time: `step_some`, `send` and `recv`."""

import copy

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded

LIMIT = 7


def make(id="mjenv/Hopper-v5", num_envs=6, **arguments):
    return gymnasium.make_vec(id, num_envs=num_envs, max_episode_steps=LIMIT, **arguments)


def action_of(world, count):
    """The action of a world in its step number `count`."""
    return np.random.default_rng((world, count)).uniform(-1.0, 1.0, 3)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_order_of_steps_does_not_matter(mode):
    """Worlds stepped in turns, in any order, do what they do when stepped together."""
    envs, other = make(autoreset_mode=mode), make(autoreset_mode=mode)
    envs.reset(seed=1), other.reset(seed=1)
    expected = [envs.step(np.array([action_of(world, k) for world in range(6)])) for k in range(18)]
    counts, rng = np.zeros(6, int), np.random.default_rng(0)
    while counts.min() < 18:
        ids = rng.permutation(np.flatnonzero(counts < 18))[: rng.integers(1, 6)]
        actions = np.array([action_of(world, counts[world]) for world in ids])
        *results, infos = other.step_some(actions, ids)
        assert infos["env_id"].tolist() == ids.tolist()
        for row, world in enumerate(ids):
            *together, infos_together = expected[counts[world]]
            for mine, theirs in zip(results, together, strict=True):
                np.testing.assert_array_equal(mine[row], theirs[world])
            for name in ("x_velocity", "x_position", "reward_ctrl"):
                given = name in infos and infos[f"_{name}"][row]
                assert given == (name in infos_together and infos_together[f"_{name}"][world])
                assert not given or infos[name][row] == infos_together[name][world]
            if mode == "SameStep" and (together[2][world] or together[3][world]):
                mine, theirs = infos["final_obs"][row], infos_together["final_obs"][world]
                np.testing.assert_array_equal(mine, theirs)
        counts[ids] += 1


def test_send_and_receive():
    envs, together = make(batch_size=2), make()
    first, _ = together.reset(seed=4)
    expected = [
        together.step(np.array([action_of(world, k) for world in range(6)])) for k in range(12)
    ]
    envs.async_reset(seed=4)
    counts = np.zeros(6, int)
    for _ in range(3 * 12):
        observations, rewards, terminations, truncations, infos = envs.recv()
        ids = infos["env_id"]
        assert ids.shape == (2,)
        for row, world in enumerate(ids):
            if counts[world] == 0:
                np.testing.assert_array_equal(observations[row], first[world])
                continue
            result = expected[counts[world] - 1]
            np.testing.assert_array_equal(observations[row], result[0][world])
            found = rewards[row], terminations[row], truncations[row]
            assert found == tuple(part[world] for part in result[1:4])
        ids = ids[::-1]
        envs.send(np.array([action_of(world, counts[world]) for world in ids]), ids)
        counts[ids] += 1
    with pytest.raises(ResetNeeded, match="step: 6 environments have been sent; call recv"):
        envs.step(np.zeros((6, 3)))
    with pytest.raises(ResetNeeded, match="copy: 6 environments have been sent"):
        copy.deepcopy(envs)
    for _ in range(3):
        envs.recv()
    envs.step(np.zeros((6, 3)))
    envs.close()


def test_batches_fill_up():
    envs = make(batch_size=3)
    envs.reset(seed=0)
    envs.send(np.zeros((2, 3)), [5, 1])
    with pytest.raises(ResetNeeded, match="recv: 2 environments have been sent, expected at least"):
        envs.recv()
    envs.send(np.zeros((2, 3)), [0, 2])
    assert envs.recv()[4]["env_id"].tolist() == [5, 1, 0]
    with pytest.raises(ValueError, match="send: environment 2 has been sent already; call recv"):
        envs.send(np.zeros((1, 3)), [2])


def test_an_action_that_is_not_finite_is_reported_when_received():
    envs = make(batch_size=2)
    envs.reset(seed=0)
    envs.send(np.full((2, 3), np.nan), [3, 4])
    with pytest.raises(ValueError, match="action of environment 3 is"):
        envs.recv()
    envs.send(np.zeros((2, 3)), [3, 4])
    assert envs.recv()[4]["env_id"].tolist() == [3, 4]


def test_arguments_are_checked():
    with pytest.raises(ValueError, match="batch_size=4, expected a divisor of num_envs, 6"):
        make(batch_size=4)
    envs = make()
    with pytest.raises(ResetNeeded):
        envs.send(np.zeros((6, 3)))
    envs.reset(seed=0)
    for ids, message in (
        ([0, 0], "env_ids has a number twice"),
        ([0, 6], "no environment 6, expected 0 to 5"),
        ([0.0, 1.0], "expected a list of numbers"),
    ):
        with pytest.raises(ValueError, match=message):
            envs.step_some(np.zeros((2, 3)), ids)
    with pytest.raises(ValueError, match=r"action has shape \(3, 3\), expected \(2, 3\)"):
        envs.step_some(np.zeros((3, 3)), [0, 1])
    with pytest.raises(ValueError, match=r"actions have shape \(2, 4\), expected \(2, 3\)"):
        envs.send(np.zeros((2, 4)), [0, 1])


def test_ended_environments_are_named():
    envs = make(autoreset_mode="Disabled")
    envs.reset(seed=0)
    for _ in range(LIMIT):
        envs.step_some(np.zeros((2, 3)), [4, 1])
    with pytest.raises(ResetNeeded, match=r"episodes of 1 environments have ended \(4\)"):
        envs.step_some(np.zeros((2, 3)), [4, 0])
