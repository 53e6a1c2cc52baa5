"""Rollouts as data sets for offline reinforcement learning, in Minari's format."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box

from mjenv.gym import lookup
from mjenv.randomization import literals
from mjenv.system import packages
from mjenv.training.cluster.rollouts import SETTINGS


def minari_dataset(
    folder: str | Path, dataset_id: str, *, trust: bool = False, **described: Any
) -> Any:
    """Make a data set of Minari's from the files of a rollout with `steps=True`.

    Episodes keep their numbers and seeds, and end by termination or else by truncation.
    Observations are rounded to single precision, as they were for the policy; the last one of an
    episode is that behind its last step.

    Args:
        folder: of the rollout.
        dataset_id: name of the data set, such as "hopper/random-v0"; where it goes is Minari's
            setting (`MINARI_DATASETS_PATH`).
        trust: whether a module with the task, which the folder names, may be executed.
        **described: further arguments of `minari.create_dataset_from_buffers`, such as `author`,
            `algorithm_name`, `description` or `data_format`.

    Returns:
        The `minari.MinariDataset`.

    Raises:
        ModuleNotFoundError: Minari or pyarrow is not installed.
        FileNotFoundError: the folder has no rollout, or some of its files are missing.
        ValueError: the rollout was made without `steps`, or observations are no vectors.
    """
    minari, place = packages.load("minari", "a data set"), Path(folder)
    if not (place / SETTINGS).exists():
        raise FileNotFoundError(f"{place}: has no {SETTINGS}, expected the folder of a rollout")
    # a rollout that is complete, with its steps
    settings = json.loads((place / SETTINGS).read_text())
    if not settings["steps"]:
        raise ValueError(f"{place}: has returns only, expected a rollout with steps=True")
    shards = -(-settings["episodes"] // settings["size"])
    files = [place / f"part-{k:06}.parquet" for k in range(shards)]
    absent = [file.name for file in files if not file.exists()]
    if absent:
        raise FileNotFoundError(
            f"{place}: {len(absent)} of {shards} files are missing, such as {absent[0]}; call the "
            "same rollout again"
        )
    # the data set names its environment, which is made for its spaces
    if not trust:
        lookup.check_modules(place, settings["env"], None)
    kwargs = {name: literals.read(text) for name, text in settings["env_kwargs"].items()}
    env = gymnasium.make(lookup.environment_id(settings["env"]), **kwargs)
    if not isinstance(env.observation_space, Box):
        raise ValueError(
            f"{settings['env']}: observations are {env.observation_space}, expected a vector"
        )
    # one file of the rollout at a time: all of them may not fit into memory
    dataset: Any = None
    for file in files:
        buffers = list(_episodes(minari, file, env, settings["seed"]))
        if dataset is None:
            make = minari.create_dataset_from_buffers
            dataset = make(dataset_id=dataset_id, buffer=buffers, env=env, **described)
        else:
            dataset.storage.update_episodes(buffers)
    env.close()
    return minari.load_dataset(dataset_id)


def _episodes(minari: Any, file: Path, env: gymnasium.Env, seed: int) -> Iterator[Any]:
    """The episodes of a file, as Minari's buffers."""
    parquet = packages.load("pyarrow.parquet", "a data set")
    for row in parquet.read_table(file).to_pylist():
        last = np.arange(row["length"]) == row["length"] - 1
        yield minari.data_collector.EpisodeBuffer(
            id=row["episode"],
            seed=seed + row["episode"],
            observations=_rows(row["observations"], env.observation_space),
            actions=_rows(row["actions"], env.action_space),
            rewards=np.array(row["rewards"], np.float32),
            terminations=last & row["terminated"],
            truncations=last & (not row["terminated"]),
        )


def _rows(numbers: list[float], space: Any) -> np.ndarray:
    """Rows of a table that was written as one list, of the type of their space."""
    return np.array(numbers, space.dtype).reshape(-1, *space.shape)
