"""Observations that are pictures: their spaces, stacks, episodes and saved states."""

import gymnasium
import numpy as np
import pytest

import mjenv

SIZE = {"height": 24, "width": 32}
ID = "mjenv/InvertedPendulum-v5"


def make(num_envs: int = 3, autoreset_mode: str = "NextStep", **pixels):
    return gymnasium.make_vec(
        ID, num_envs=num_envs, pixels={**SIZE, **pixels},
        autoreset_mode=autoreset_mode,
    )  # fmt: skip


def pushed(envs, nstep: int):
    """Observations, ends and infos of steps that let the pole fall."""
    for _ in range(nstep):
        yield envs.step(np.full(envs.action_space.shape, 3.0, np.float32))


def test_pictures_are_observed():
    envs = make()
    space = envs.single_observation_space
    assert space == gymnasium.spaces.Box(0, 255, (24, 32, 3), np.uint8)
    seen, _ = envs.reset(seed=1)
    assert envs.observation_space.contains(seen)
    expected = mjenv.Renderer(envs.task.model, 24, 32)
    alone = expected.render_worlds(envs.data, envs._eyes["pixels"].camera)
    np.testing.assert_array_equal(seen, alone)
    after = next(pushed(envs, 1))[0]
    assert (after != seen).any()
    envs.close()


def test_stacks_shift_and_begin_anew():
    envs = make(stack=3, grey=True)
    seen, _ = envs.reset(seed=1)
    assert seen.shape == (3, 24, 32, 3)
    assert (seen[..., :1] == seen).all()
    last = seen
    for now, _, terminations, *_ in pushed(envs, 40):
        np.testing.assert_array_equal(now[..., :2], last[..., 1:])
        last = now
        if terminations.any():
            break
    fresh = next(pushed(envs, 1))[0]
    started = np.flatnonzero(terminations)
    assert len(started)
    assert (fresh[started][..., :1] == fresh[started]).all()
    envs.close()


def test_dicts_of_cameras_depths_and_states():
    envs = gymnasium.make_vec(
        "mjenv/HalfCheetah-v5", num_envs=2,
        pixels={**SIZE, "camera": ["track", 0], "depth": True, "state": True},
    )  # fmt: skip
    seen, _ = envs.reset(seed=0)
    assert set(seen) == {"track", "track_depth", "0", "0_depth", "state"}
    assert envs.observation_space.contains(seen)
    # both names mean one camera
    np.testing.assert_array_equal(seen["track"], seen["0"])
    assert seen["track_depth"].dtype == np.float32
    assert seen["state"].shape == (2, 17)
    envs.close()


def test_last_pictures_of_an_episode():
    same, never = make(autoreset_mode="SameStep"), make(autoreset_mode="Disabled")
    start, _ = same.reset(seed=1)
    np.testing.assert_array_equal(start, never.reset(seed=1)[0])
    for one, other in zip(pushed(same, 40), pushed(never, 40), strict=True):
        ended = one[2]
        np.testing.assert_array_equal(ended, other[2])
        if ended.any():
            break
    infos = one[4]
    assert list(infos["_final_obs"]) == list(ended)
    for world in np.flatnonzero(ended):
        np.testing.assert_array_equal(infos["final_obs"][world], other[0][world])
        assert (one[0][world] != other[0][world]).any()
    going = ~ended
    np.testing.assert_array_equal(one[0][going], other[0][going])
    assert not ended.any() or same.step(same.action_space.sample())[0].shape == start.shape


def test_saved_states_are_drawn_again():
    envs = make()
    envs.reset(seed=1)
    rows = envs.save_state()
    seen = next(pushed(envs, 1))[0]
    for _ in pushed(envs, 2):
        pass
    envs.restore_state(rows)
    np.testing.assert_array_equal(next(pushed(envs, 1))[0], seen)


def test_batches_do_not_matter():
    one, many = make(num_envs=1), make(num_envs=5)
    np.testing.assert_array_equal(one.reset(seed=3)[0][0], many.reset(seed=3)[0][0])


@pytest.mark.parametrize(
    ("pixels", "message"),
    [
        ({"heigth": 3}, "pixels: 'heigth': no such setting.*height"),
        ({"height": 0}, "pixels: height=0, expected"),
        ({"camera": "nowhere"}, "nowhere"),
        ({"camera": []}, "expected at least one"),
        ({"grey": 1}, "pixels: grey=1, expected True or False"),
        (3, "pixels=3, expected a dict"),
    ],
)
def test_mistakes(pixels, message):
    with pytest.raises((ValueError, TypeError, KeyError), match=message):
        gymnasium.make_vec(ID, num_envs=2, pixels=pixels)
