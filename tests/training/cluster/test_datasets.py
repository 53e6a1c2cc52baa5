"""Rollouts as Minari's data sets: what is read again is what was played."""

import gymnasium
import numpy as np
import pytest

pytest.importorskip("stable_baselines3")
pytest.importorskip("pyarrow")
pytest.importorskip("minari")

import minari

from mjenv.cluster import minari_dataset, rollout

ENV = "Hopper-v5"
DESCRIBED = {
    "author": "a", "author_email": "a@b.c", "code_permalink": "x", "algorithm_name": "random",
    "description": "random actions", "eval_env": "mjenv/Hopper-v5",
}  # fmt: skip


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A folder with a rollout of two files, some of whose episodes are truncated."""
    folder = tmp_path_factory.mktemp("played")
    kwargs = {"max_episode_steps": 24, "reset_noise_scale": 0.01}
    rollout(ENV, 10, folder, size=6, seed=7, steps=True, env_kwargs=kwargs)
    rollout(ENV, 2, folder / "returns", seed=7)
    return folder


@pytest.fixture(autouse=True)
def store(tmp_path, monkeypatch):
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))


@pytest.mark.parametrize("data_format", ["hdf5", "parquet"])
def test_round_trip(played, data_format):
    made = minari_dataset(played, "hopper/random-v0", data_format=data_format, **DESCRIBED)
    dataset = minari.load_dataset("hopper/random-v0")
    assert made.total_episodes == dataset.total_episodes == 10
    env = gymnasium.make("mjenv/Hopper-v5", max_episode_steps=24, reset_noise_scale=0.01)
    assert dataset.observation_space == env.observation_space
    assert dataset.action_space == env.action_space
    metadata = list(dataset.storage.get_episode_metadata(range(10)))
    assert [one["seed"] for one in metadata] == list(range(7, 17))
    ends = []
    for episode in dataset.iterate_episodes():
        # the same actions from the same seed bring the same observations, rewards and ends
        observation, _ = env.reset(seed=7 + int(episode.id))
        for t, action in enumerate(episode.actions):
            assert np.array_equal(episode.observations[t], observation.astype(np.float32))
            observation, reward, *over, _ = env.step(action)
            assert episode.rewards[t] == np.float32(reward)
            assert over == [episode.terminations[t], episode.truncations[t]]
        assert np.array_equal(episode.observations[-1], observation.astype(np.float32))
        assert any(over)
        assert len(episode.observations) == len(episode.actions) + 1
        ends.append(tuple(map(bool, over)))
    assert set(ends) == {(True, False), (False, True)}
    # the environment comes with it, with its arguments
    again = dataset.recover_environment()
    assert again.spec.kwargs["reset_noise_scale"] == 0.01
    assert np.array_equal(again.reset(seed=3)[0], env.reset(seed=3)[0])


def test_messages(played, tmp_path):
    with pytest.raises(FileNotFoundError, match="expected the folder of a rollout"):
        minari_dataset(tmp_path, "hopper/none-v0")
    with pytest.raises(ValueError, match="has returns only, expected a rollout with steps=True"):
        minari_dataset(played / "returns", "hopper/none-v0")
    lost = played / "part-000001.parquet"
    lost.rename(played / "aside")
    try:
        with pytest.raises(FileNotFoundError, match="1 of 2 files are missing, such as part-00000"):
            minari_dataset(played, "hopper/none-v0")
    finally:
        (played / "aside").rename(lost)


def test_without_minari(played, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "minari", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'mjenv\[minari\]'"):
        minari_dataset(played, "hopper/none-v0")
