"""Agents that see pictures: their worlds, what they remember, and short trainings."""

import csv
import functools
import os
import signal

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium.vector import AutoresetMode

from mjenv.commands.cli import main
from mjenv.system.interruption import Interrupted
from mjenv.training.agent import Agent
from mjenv.training.evaluate import make_envs
from mjenv.training.hyperparameters import hyperparameters
from mjenv.training.learners.picture_learner import WideDrQ
from mjenv.training.learners.picture_memory import PictureMemory
from mjenv.training.learners.pictures import PictureReplay, Step
from mjenv.training.runs.folders import Run
from mjenv.training.tasks.pictured import seen_by
from mjenv.training.train import resume, train
from mjenv.training.worlds.picture_worlds import PictureWorlds
from tests.training.learned import numbers

POLE, SWING = "mjenv/InvertedPendulum-v5", "mjenv/cartpole-swingup-v0"
PIXELS = {"height": 16, "width": 12, "grey": True, "state": True}
SMALL = {
    "n_envs": 2, "learning_starts": 20, "batch_size": 8, "buffer_size": 64, "net_arch": (16,),
    "features": 8,
}  # fmt: skip


def settings(**changes):
    return hyperparameters("", "DrQ", **{**SMALL, **changes})


def worlds(env_id, n, stack=3, repeat=2, **pixels):
    return PictureWorlds(make_envs(env_id, n, {"pixels": {**PIXELS, **pixels}}).envs, stack, repeat)


@pytest.mark.slow
def test_an_agent_is_trained_evaluated_filmed_and_refused_as_a_file(tmp_path, capsys):
    chosen = settings(steps=4400, action_repeat=20, learning_starts=400)
    kwargs = {"pixels": {"height": 16, "width": 16}}
    run = train(SWING, chosen, tmp_path / "run", env_kwargs=kwargs, seconds=0)
    pixels = {"height": 16, "width": 16, "grey": True, "state": True, "camera": 0}
    assert run.environment()[1] == {"pixels": pixels}
    with run.log.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["time/total_timesteps"]) for row in rows] == [4000]
    assert float(rows[0]["rollout/ep_len_mean"]) == 1000.0
    # it sees the pictures of the worlds: others make it act otherwise
    agent = Agent.load(run)
    pictures = np.zeros((2, 16, 16, 1), np.uint8)
    pictures[1, 4:9] = 100
    one, other = agent.act(pictures)
    assert one != other
    assert main(["eval", str(run.folder), "--episodes", "2"]) == 0
    assert "in 2 episodes" in capsys.readouterr().out
    film = tmp_path / "film.gif"
    words = ["--seconds", "0.2", "--size", "64x48", "--worlds", "2", "--output", str(film)]
    assert main(["record", str(run.folder), *words]) == 0
    assert film.stat().st_size > 1000
    # another training begins with it, in networks of its size
    words = ["train", "cartpole-swingup-v0", "--algorithm", "DrQ", "--from", str(run.folder)]
    words += ["--steps", "100", "--seconds", "0", "--run", str(tmp_path / "from")]
    words += ["--overwrite"]
    assert main([*words, "--env-kwargs", f"pixels={pixels}"]) == 0
    begun = numbers(Run(tmp_path / "from"))
    assert all(torch.equal(begun[name], value) for name, value in numbers(run).items()
               if name.startswith("actor."))  # fmt: skip
    assert main([*words, "--env-kwargs", "pixels={'height':20}"]) == 1
    said = capsys.readouterr().err
    assert "observations of pixels (3, 16, 16) and state (5,), expected pixels (3, 20, 64)" in said
    refusals = {
        "agent.npz": "a policy of DrQ, expected a perceptron",
        "agent.pt": "an agent that acts by the last pictures, expected one that sees vectors",
    }
    for name, message in refusals.items():
        assert main(["export", str(run.folder), "--output", str(tmp_path / name)]) == 1
        assert message in capsys.readouterr().err
        assert not (tmp_path / name).exists()


@pytest.mark.slow
def test_trainings_are_repeated_and_resumed_with_the_same_bits(tmp_path, monkeypatch):
    """What is remembered goes round several times."""
    chosen = settings(steps=480)
    again = functools.partial(train, POLE, chosen, seed=3, env_kwargs={"pixels": PIXELS})
    whole = again(folder=tmp_path / "whole", seconds=0)
    folder = tmp_path / "parts"
    # before it learns, before and after the first transitions go
    for go_on, at in ((again, 12), (resume, 100), (resume, 300)):
        with monkeypatch.context() as patch:
            stop_behind(patch, at)
            with pytest.raises(Interrupted):
                go_on(folder=folder, seconds=0)
        assert Run(folder).checkpoint("last").transitions.exists()
    parts = resume(folder, seconds=0)
    expected, found = numbers(whole), numbers(parts)
    assert expected.keys() == found.keys()
    assert all(torch.equal(found[name], value) for name, value in expected.items())
    assert parts.episodes.read_text() == whole.episodes.read_text()
    assert not parts.checkpoint("last").transitions.exists()
    # another seed learns something else
    other = numbers(train(POLE, chosen, tmp_path / "other", seed=4, seconds=0,
                          env_kwargs={"pixels": PIXELS}))  # fmt: skip
    assert any(not torch.equal(other[name], value) for name, value in expected.items())


def test_held_actions_end_with_the_episode():
    """Rewards and lengths are those of the steps of the episode alone, whose end is told."""
    held = worlds(POLE, 3, repeat=4)
    held.seed(0)
    held.reset()
    ends, steps = 0, 0
    for _ in range(40):
        seen, rewards, over, infos = held.step(np.full((3, 1), 3.0, np.float32))
        steps += held.stepped
        assert (rewards[~over] == 4.0).all()
        assert (rewards[over] < 4.0).all()
        for world in np.flatnonzero(over):
            episode, last = infos[world]["episode"], infos[world]["terminal_observation"]
            assert episode["r"] == episode["l"] - 1  # the step that ends it earns nothing
            assert not infos[world]["TimeLimit.truncated"]
            # all pictures of the next one are its first; the last ones of this one differ
            assert (seen["pixels"][world] == seen["pixels"][world, :1]).all()
            assert last["pixels"].shape == (3, 16, 12)
            assert (last["pixels"][-1] != seen["pixels"][world, -1]).any()
            assert abs(last["state"][1]) > 0.2
        ends += int(over.sum())
    assert ends > 5
    assert steps < 40 * 3 * 4
    held.close()


def test_agents_see_and_do_in_episodes_what_they_did_in_training():
    """Worlds hold actions and stack pictures; elsewhere the agent's memory does."""
    held = worlds(SWING, 2, repeat=3, camera=0)
    model = WideDrQ("PicturePolicy", held, action_repeat=3, seed=1, policy_kwargs={"net_arch": [8]})
    held.seed(7)
    seen, expected = held.reset(), []
    for _ in range(6):
        actions = model.policy.unscale_action(model.policy.acts(seen["pixels"]))
        seen, rewards, _, _ = held.step(actions)
        expected.append((actions, rewards))
    held.close()
    envs = make_envs(SWING, 2, {"pixels": {**PIXELS, "camera": 0}})
    memory = PictureMemory(3, 3)
    envs.seed(7)
    observations, found = envs.reset(), []
    for k in range(18):
        actions = memory.act(model, observations)
        observations, rewards, _, _ = envs.step(actions)
        found = [*found, (actions, rewards)] if k % 3 == 0 else [
            *found[:-1], (found[-1][0], found[-1][1] + rewards)
        ]  # fmt: skip
        assert (actions == found[-1][0]).all()
    envs.close()
    for one, other in zip(expected, found, strict=True):
        np.testing.assert_array_equal(one[0], other[0])
        np.testing.assert_allclose(one[1], other[1], rtol=1e-6)
    # a world that begins anew holds nothing
    before = memory.act(model, observations).copy()
    memory.forget(np.array([False, True]))
    blank = np.zeros_like(observations["pixels"])
    after = memory.act(model, {"pixels": blank})
    assert (after[0] == before[0]).all()
    assert after[1] == pytest.approx(memory_of_one(model, blank[1]), abs=1e-6)


def memory_of_one(model, picture):
    return PictureMemory(3, 3).act(model, picture)


def test_an_agent_sees_in_a_window_what_vector_environments_show():
    from mjenv.viewing.picture_actor import PictureActor

    pixels = {**PIXELS, "camera": None}
    envs = gymnasium.make_vec(SWING, 1, pixels=pixels, autoreset_mode=AutoresetMode.DISABLED)
    env = gymnasium.make(SWING, render_mode="rgb_array")
    shown = []

    def act(picture):
        shown.append(picture.copy())
        return np.ones(1, np.float32)

    actor = PictureActor(env, pixels, act)
    observation, seen = env.reset(seed=4)[0], envs.reset(seed=[4])[0]
    for _ in range(3):
        action = actor.act(observation)
        np.testing.assert_array_equal(shown[-1], seen["pixels"][0])
        observation, seen = env.step(action)[0], envs.step(action[None])[0]
    assert (shown[0] != shown[-1]).any()
    env.close()
    envs.close()


def stop_behind(monkeypatch, steps):
    """Have a training stop when it has taken so many steps."""
    on_step = WideDrQ._collect

    def collect(self, callback):
        if self.num_timesteps >= steps:
            os.kill(os.getpid(), signal.SIGINT)
        return on_step(self, callback)

    monkeypatch.setattr(WideDrQ, "_collect", collect)


def test_files_of_what_is_remembered(tmp_path):
    """A ring that has gone round is the same after it was read, whenever it was written."""
    random = np.random.default_rng(0)
    step = Step(
        np.zeros((2, 1, 3, 4), np.uint8), np.zeros((2, 5), np.float32), np.zeros(2, np.int64),
        np.zeros((2, 1), np.float32), np.zeros(2, np.float32), np.zeros(2, bool),
    )  # fmt: skip
    ring, path = PictureReplay(7, step, 2), tmp_path / "replay.bin"
    for k in range(1, 20):
        ring.add(Step(*(random.integers(0, 2, one.shape).astype(one.dtype) for one in step)))
        if k in (3, 4, 11, 19):
            ring.write(path)
            found = PictureReplay(7, step, 2)
            found.read(path, k)
            n = min(k, 7)
            for one, other in zip(ring.steps, found.steps, strict=True):
                assert (one[:n] == other[:n]).all()
            assert (found.taken, found.kept) == (k, k)
    assert path.stat().st_size == 19 * ring.step_bytes
    with pytest.raises(ValueError, match=r"replay\.bin: has .* expected .*, those of 20 steps"):
        found.read(path, 20)


def test_transitions_are_those_of_single_steps():
    """Rewards, ends and pictures of drawn transitions against a loop over the episodes."""
    random = np.random.default_rng(0)
    steps, n = 40, 3
    replay, kept, age = None, [], np.zeros(n, np.int64)
    for k in range(steps):
        ended = random.random(n) < 0.1
        cut = ~ended & (random.random(n) < 0.1)
        pictures = random.integers(0, 256, (n, 1, 5, 6)).astype(np.uint8)
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
        newest = kept[k].pictures[world, 0] / 255.0 - 0.5
        before = kept[k - 1] if kept[k].age[world] else kept[k]
        change = 2.0 * (newest - (before.pictures[world, 0] / 255.0 - 0.5))
        np.testing.assert_allclose(drawn.pictures[i, 1].numpy(), newest, atol=1e-6)
        np.testing.assert_allclose(drawn.pictures[i, 0].numpy(), change, atol=1e-6)
    assert ends > 5


def test_pictures_are_moved_by_some_pixels():
    picture = np.arange(30, dtype=np.uint8).reshape(1, 1, 5, 6)
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
    padded = np.pad(picture[0, 0], 2, mode="edge")
    places = {padded[y : y + 5, x : x + 6].tobytes() for y in range(5) for x in range(5)}
    assert {one.astype(np.uint8).tobytes() for one in found} == places


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["cartpole-swingup-v0", "--env-kwargs", "pixels={'camera': 'side'}"], "no such name"),
        (["cartpole-swingup-v0", "--env-kwargs", "pixels={'stack': 3}"], "--set frame_stack:N"),
        (["cartpole-swingup-v0", "--env-kwargs", "pixels={'state': False}"], "expected True"),
        (["cartpole-swingup-v0", "--env-kwargs", "pixels={'camera': [0, 1]}"], "of one camera"),
        (["cartpole-swingup-v0", "--env-kwargs", "pixels={'width': 3}"], "4 x 4 at least"),
        (["cartpole-swingup-v0", "--env-kwargs", "pixels=64"], "expected a dict"),
        (["Go1Velocity-v0"], "expected boxes, or a dict of boxes"),
        (["Multi-v0", "--env-kwargs", "tasks=['Hopper-v5','Ant-v5']"], "found several tasks"),
        (["cartpole-swingup-v0", "--policy", "torch.nn:Linear"], "DrQ has networks of its own"),
        (["cartpole-swingup-v0", "--set", "noise_most:0.01"], "at least as large"),
        (["cartpole-swingup-v0", "--set", "buffer_size:95"], "expected at least 96"),
        (["cartpole-swingup-v0", "--set", "frame_stack:0"], "a whole number from 1"),
        (["cartpole-swingup-v0", "--ray"], "DrQ learns in one process"),
        (["Hopper-v5", "--from", "Hopper-v5"], "leave --algorithm out"),
    ],
)
def test_what_cannot_be_learned_is_refused_before_anything_is_written(
    words, message, tmp_path, capsys
):
    run = tmp_path / "run"
    assert main(["train", *words, "--algorithm", "DrQ", "--run", str(run)]) != 0
    assert message in capsys.readouterr().err
    assert not run.exists()


@pytest.mark.parametrize(
    ("name", "place", "size"), [("reacher-easy-v0", 0, 7), ("cheetah-run-v0", 2, 18)]
)
def test_angles_without_limits_are_told_by_cosines_and_sines(name, place, size):
    seen = worlds(f"mjenv/{name}", 3, camera=0)
    seen.seed(0)
    states = seen.reset()["state"]
    for _ in range(3):
        assert states.shape == (3, size)
        angle = seen.envs.unwrapped.data.qpos[:, place]
        expected = np.stack([np.cos(angle), np.sin(angle)], axis=1)
        np.testing.assert_allclose(states[:, -2:], expected, atol=1e-6)
        states = seen.step(np.ones((3, *seen.action_space.shape), np.float32))[0]["state"]
    seen.close()


def test_pictures_are_of_the_first_camera_or_the_environments_own():
    chosen = settings()
    assert seen_by(chosen, SWING, {})["pixels"]["camera"] == 0
    assert seen_by(chosen, POLE, {"reset_noise_scale": 0.1}) == {
        "reset_noise_scale": 0.1,
        "pixels": {"height": 64, "width": 64, "grey": True, "state": True, "camera": None},
    }
    assert seen_by(hyperparameters(SWING), SWING, {"swing_up": True}) == {"swing_up": True}
