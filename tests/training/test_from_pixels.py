"""The script that trains from pictures, for as little as it can, and parts of its learner."""

import csv
from dataclasses import replace

import numpy as np
import pytest
import torch

from mjenv.training import from_pixels
from mjenv.training.learners.picture_learner import PictureLearner, PictureSettings
from mjenv.training.learners.pictures import PictureReplay, Step

SMALL = PictureSettings(
    num_envs=2, size=16, learning_starts=20, batch_size=8, buffer_size=64, hidden=16, features=8
)


@pytest.mark.slow
def test_an_agent_is_trained_from_pictures(tmp_path):
    env, small = "cartpole-swingup-v0", replace(SMALL, action_repeat=20)
    learner = from_pixels.train(env, 4040, 0, tmp_path, small)
    rows = list(csv.DictReader((tmp_path / "curve.csv").open()))
    assert [int(row["steps"]) for row in rows] == [2000, 4000]
    kept = torch.load(tmp_path / "agent.pt")
    assert kept.pop("settings")["size"] == 16
    learner.actor.load_state_dict(kept)
    # it sees the pictures of the worlds: others make it act otherwise
    pictures = np.zeros((2, 3, 16, 16), np.float32)
    pictures[1, :, 4:9] = 0.4
    actions = learner.act(pictures)
    assert actions[0] != actions[1]
    returns = from_pixels.evaluate(env, learner, 2)
    assert ((returns >= 0.0) & (returns <= 1000.0)).all()
    from_pixels.plot(env, tmp_path, after=5.0)
    from_pixels.record(env, learner, tmp_path / "film.gif", 0.1)
    for name in ("curve.png", "film.gif"):
        assert (tmp_path / name).stat().st_size > 1000


def test_trainings_are_repeated_with_the_same_bits(tmp_path):
    small = replace(SMALL, camera=None)
    found = [
        from_pixels.train("InvertedPendulum-v5", 160, 3, tmp_path, small).actor.state_dict()
        for _ in range(2)
    ]
    assert all((found[0][name] == found[1][name]).all() for name in found[0])
    start = PictureLearner(4, 1, SMALL, 3).actor.state_dict()
    assert any((found[0][name] != start[name]).any() for name in start)


def test_held_actions_end_with_the_episode():
    """Rewards are those of the steps of the episode alone, whose end is told."""
    settings = replace(SMALL, action_repeat=4, camera=None)
    seen = from_pixels.Seen("InvertedPendulum-v5", 3, settings, 0)
    total, age = np.zeros(3), np.zeros(3)
    for _ in range(40):
        assert (seen.age == age).all()
        rewards, ended, over = seen.step(np.ones((3, 1), np.float32))
        assert (ended == over).all()
        assert (rewards[~over] == 4.0).all()
        assert (rewards[over] < 4.0).all()
        total, age = total + over, np.where(over, 0, age + 1)
        # where an episode begins, all pictures are its first
        first = seen.stacked[..., :1]
        assert (seen.stacked == first).all((1, 2, 3))[over].all()
    assert (total >= 2).all()


def test_transitions_are_those_of_single_steps():
    """Rewards, ends and pictures of drawn transitions against a loop over the episodes."""
    random = np.random.default_rng(0)
    steps, n = 40, 3
    replay, kept, age = None, [], np.zeros(n, np.int64)
    for k in range(steps):
        ended = random.random(n) < 0.1
        cut = ~ended & (random.random(n) < 0.1)
        pictures = random.integers(0, 256, (n, 5, 6, 1)).astype(np.uint8)
        numbers = np.arange(n) + 10.0 * k
        step = Step(
            pictures, numbers[:, None].astype(np.float32), age.copy(),
            random.standard_normal((n, 2)).astype(np.float32), random.random(n).astype(np.float32),
            ended,
        )  # fmt: skip
        replay = replay or PictureReplay(16, step, 2)
        replay.add(step)
        kept.append(step)
        age = np.where(ended | cut, 0, age + 1)
    drawn = replay.draw(200, 3, 0.5, 0, random)
    ends = 0
    for i in range(200):
        k, world = divmod(int(drawn.states[i, 0]), 10)
        # the ring holds the last 16 steps; the first has no picture before it
        assert steps - 16 < k < steps - 3
        total, weight, last = 0.0, 1.0, k
        for j in range(k, k + 3):
            one, after = kept[j], kept[j + 1]
            if after.age[world] == 0 and not one.ended[world]:
                break
            total, last = total + weight * one.rewards[world], j + 1
            weight *= 0.0 if one.ended[world] else 0.5
            if one.ended[world]:
                break
        assert last > k
        ends += weight == 0.0
        assert drawn.returns[i, 0] == pytest.approx(total, abs=1e-6)
        assert drawn.discounts[i, 0] == weight
        assert drawn.next_states[i, 0] == world + 10 * last
        assert (drawn.actions[i].numpy() == kept[k].actions[world]).all()
        newest = kept[k].pictures[world, :, :, 0] / 255.0 - 0.5
        before = kept[k - 1] if kept[k].age[world] else kept[k]
        change = 2.0 * (newest - (before.pictures[world, :, :, 0] / 255.0 - 0.5))
        np.testing.assert_allclose(drawn.pictures[i, 1].numpy(), newest, atol=1e-6)
        np.testing.assert_allclose(drawn.pictures[i, 0].numpy(), change, atol=1e-6)
    assert ends > 5


def test_pictures_are_moved_by_some_pixels():
    picture = np.arange(30, dtype=np.uint8).reshape(1, 5, 6, 1)
    nothing = np.zeros(1, np.float32)
    step = Step(
        picture, nothing[:, None], np.zeros(1, np.int64), nothing[:, None], nothing,
        np.zeros(1, bool),
    )  # fmt: skip
    replay = PictureReplay(8, step, 1)
    for k in range(8):
        replay.add(step._replace(age=np.full(1, k)))
    drawn = replay.draw(300, 1, 0.9, 2, np.random.default_rng(0))
    found = np.rint((drawn.pictures[:, 0].numpy() + 0.5) * 255.0).astype(int)
    padded = np.pad(picture[0, :, :, 0], 2, mode="edge")
    places = {padded[y : y + 5, x : x + 6].tobytes() for y in range(5) for x in range(5)}
    assert {one.astype(np.uint8).tobytes() for one in found} == places


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["Nope-v1"], "Nope-v1: no such environment"),
        (["InvertedPendulum-v5"], "camera=0, expected -1"),
        (["cartpole-swingup-v0", "--camera", "side"], "'side': no such name"),
        (["Go1Velocity-v0", "--camera", "-1"], "expected vectors"),
    ],
)
def test_what_cannot_be_learned_is_refused_before_anything_is_written(
    arguments, message, tmp_path, capsys
):
    out = tmp_path / "run"
    with pytest.raises(SystemExit, match="2"):
        from_pixels.main([*arguments, "--out", str(out)])
    assert message in capsys.readouterr().err
    assert not out.exists()


def test_a_curve_without_episodes(tmp_path):
    from_pixels.Curve(tmp_path / "curve.csv")
    from_pixels.plot("cartpole-swingup-v0", tmp_path, after=5.0)
    assert (tmp_path / "curve.png").stat().st_size > 1000


@pytest.mark.parametrize(
    ("name", "place", "size"), [("reacher-easy-v0", 0, 7), ("cheetah-run-v0", 2, 18)]
)
def test_angles_without_limits_are_told_by_cosines_and_sines(name, place, size):
    seen = from_pixels.Seen(name, 3, SMALL, 0)
    for _ in range(3):
        assert seen.states.shape == (3, size)
        angle = seen.envs.unwrapped.data.qpos[:, place]
        expected = np.stack([np.cos(angle), np.sin(angle)], axis=1)
        np.testing.assert_allclose(seen.states[:, -2:], expected, atol=1e-6)
        seen.step(np.ones((3, seen.nact), np.float32))
