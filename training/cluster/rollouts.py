"""Many episodes, played here or by the machines of a Ray cluster, written as Parquet files."""

import importlib
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from tqdm import tqdm

from mjenv.gym import lookup
from mjenv.randomization import literals
from mjenv.system import packages
from mjenv.training.cluster.worker_pool import Cluster, joined, ray_module
from mjenv.training.evaluate import make_envs
from mjenv.training.portable import Portable
from mjenv.training.runs.files import whole
from mjenv.training.tasks.episodes import LONGEST

SETTINGS = "rollout.json"
AHEAD = 4  # shards that are under way for each processor

Act = Callable[[np.ndarray], np.ndarray]


class Job(NamedTuple):
    """Settings that all shards of a rollout have in common.

    Attributes:
        env_id, origin, env_kwargs: the environment, where it is found, and its arguments.
        policy: actions for rows of observations, a file of `mjenv export`, or None for random ones.
        folder: where the shards go.
        size: episodes of a shard.
        seed: episode i starts from seed + i.
        steps: whether observations, actions and rewards are written.
    """

    env_id: str
    origin: dict[str, Any] | None
    env_kwargs: dict[str, Any]
    policy: Act | str | None
    folder: str
    size: int
    seed: int
    steps: bool


class Totals(NamedTuple):
    """Of all episodes of a rollout.

    Attributes:
        episodes: how many.
        steps: of all together.
        mean: return.
        shards: files that were written now; others were there.
    """

    episodes: int
    steps: int
    mean: float
    shards: int


def rollout(
    env_id: str,
    episodes: int,
    folder: str | Path,
    *,
    policy: Act | str | Path | None = None,
    steps: bool = False,
    seed: int = 0,
    size: int = 1024,
    env_kwargs: dict[str, Any] | None = None,
    address: str | None = None,
) -> Totals:
    """Play episodes, and write them into `part-<number>.parquet` of a folder.

    Each file has a row for each of its episodes: "episode", its number; "return", "length",
    "terminated"; with `steps` also lists "observations" ((length + 1) * nobs), of which the last is
    that behind the last step, "actions" (length * nact) and "rewards" (length). A row depends on
    the arguments and its number alone. Files that are there stay: what was stopped goes on, and
    what a lost machine has not written is done again.

    Args:
        env_id: the environment.
        episodes: how many.
        folder: of the files, which all machines can reach.
        policy: actions (n, nact) for observations (n, nobs), a function, which a cluster has to be
            able to pickle; or a file of `mjenv export`; None for actions drawn evenly from their
            range.
        steps: whether what happened in them is written too.
        seed: episode i starts from seed + i.
        size: episodes of a file.
        env_kwargs: keyword arguments of the environment.
        address: of a Ray cluster, "auto" for the one that runs here, or "local" to start one in
            this machine; None to play in this process, without Ray, or on the cluster that it has
            joined. The files are the same.

    Raises:
        ModuleNotFoundError: pyarrow is not installed; or an address is given, and Ray is not.
        ValueError: an argument is invalid, or the folder has another rollout.
    """
    # all that can be refused is refused before the cluster is asked for machines
    for name, value in {"episodes": episodes, "size": size}.items():
        if type(value) is not int or value < 1:
            raise ValueError(f"rollout: {name}={value!r}: expected a whole number from 1")
    packages.load("pyarrow", "a rollout")
    env_id = lookup.environment_id(env_id)
    policy = str(Path(policy).resolve()) if isinstance(policy, str | Path) else policy
    # a damaged file is found here, not by every worker
    if isinstance(policy, str):
        Portable.load(policy)
    place, kwargs = Path(folder).resolve(), env_kwargs or {}
    job = Job(env_id, lookup.origin(env_id), kwargs, policy, str(place), size, seed, steps)
    place.mkdir(parents=True, exist_ok=True)
    _claim(place, job, episodes)
    with joined(None if address is None else Cluster(1, address)):
        return _play_all(job, episodes)


def _claim(folder: Path, job: Job, episodes: int) -> None:
    """Note what the folder is for.

    Raises:
        ValueError: it is for something else.
    """
    # a function has no name that another call could be compared with
    policy = job.policy if isinstance(job.policy, str | None) else "a function"
    settings = {
        "env": job.env_id,
        "env_kwargs": {name: literals.write(name, value) for name, value in job.env_kwargs.items()},
        "policy": policy,
        "episodes": episodes,
        "size": job.size,
        "seed": job.seed,
        "steps": job.steps,
    }
    file = folder / SETTINGS
    if file.exists():
        # the same rollout goes on, any other is refused: its files would be mixed
        found = json.loads(file.read_text())
        for name, value in settings.items():
            if found.get(name) != value:
                raise ValueError(
                    f"{folder}: has a rollout with {name} {found.get(name)!r}, expected {value!r}; "
                    "name another folder"
                )
        return
    with whole(file) as partial:
        partial.write_text(json.dumps(settings, indent=2))


def _play_all(job: Job, episodes: int) -> Totals:
    """Play what is missing."""
    shards = [(k, min(job.size, episodes - k * job.size)) for k in range(-(-episodes // job.size))]
    open_ = [(k, count) for k, count in shards if not shard_file(job, k).exists()]
    played = _played_on_cluster if _has_joined() else _played_here
    with tqdm(total=episodes, unit=" episodes", unit_scale=True) as bar:
        bar.update(episodes - sum(count for _, count in open_))
        for count in played(job, open_):
            bar.update(count)
    return _count(job, [k for k, _ in shards], len(open_))


def _has_joined() -> bool:
    """True if this process is part of a Ray cluster."""
    ray = sys.modules.get("ray")
    return ray is not None and ray.is_initialized()


def _played_here(job: Job, shards: list[tuple[int, int]]) -> Iterator[int]:
    """Play shards in this process, one after the other; their numbers of episodes."""
    for k, count in shards:
        yield write_shard(job, job.env_id, k, count, nthread=None)


def _played_on_cluster(job: Job, shards: list[tuple[int, int]]) -> Iterator[int]:
    """Play shards on the cluster, several at a time; their numbers of episodes."""
    ray = ray_module()
    # what machines lose is done again; errors of the task are not
    remote = ray.remote(num_cpus=1, max_retries=-1, retry_exceptions=False)(play_shard)
    shared, left, running = ray.put(job), list(shards), []
    while left or running:
        most = AHEAD * max(1, int(ray.cluster_resources().get("CPU", 1)))
        while left and len(running) < most:
            running.append(remote.remote(shared, *left.pop(0)))
        done, running = ray.wait(running, timeout=10.0)
        yield from ray.get(done)


def shard_file(job: Job, k: int) -> Path:
    """The file of a shard."""
    return Path(job.folder) / f"part-{k:06}.parquet"


def _count(job: Job, shards: list[int], written: int) -> Totals:
    """Read what was written."""
    parquet = importlib.import_module("pyarrow.parquet")
    returns, lengths = [], []
    for k in shards:
        table = parquet.read_table(shard_file(job, k), columns=["return", "length"])
        returns.append(table["return"].to_numpy())
        lengths.append(table["length"].to_numpy())
    all_returns, all_lengths = np.concatenate(returns), np.concatenate(lengths)
    mean = float(all_returns.mean())
    return Totals(all_returns.size, int(all_lengths.sum()), mean, written)


def play_shard(job: Job, k: int, count: int) -> int:
    """Play a shard in a process of the cluster, on one processor; see `write_shard`."""
    return write_shard(job, lookup.find_again(job.env_id, job.origin), k, count, nthread=1)


def write_shard(job: Job, env_id: str, k: int, count: int, nthread: int | None) -> int:
    """Play the episodes of a shard and write its file.

    Args:
        job: what all shards have in common.
        env_id: the environment, as it is called in this process.
        k: number of the shard.
        count: its episodes.
        nthread: threads that step the worlds; None for one on each processor.

    Returns:
        The number of episodes.
    """
    envs = make_envs(env_id, count, job.env_kwargs, nthread=nthread)
    first = k * job.size
    act = _actor(job, envs.action_space, (job.seed, k), count)
    columns = play_once(envs, act, job.seed + first, job.steps)
    envs.close()
    arrow, parquet = (importlib.import_module(name) for name in ("pyarrow", "pyarrow.parquet"))
    table = arrow.table({"episode": np.arange(first, first + count), **columns})
    with whole(shard_file(job, k)) as partial:
        parquet.write_table(table, partial)
    return count


def _actor(job: Job, space: Any, seed: tuple[int, int], count: int) -> Act:
    """Policy of a shard."""
    if isinstance(job.policy, str):
        return Portable.load(job.policy).act
    if job.policy is not None:
        return job.policy
    rng = np.random.default_rng(seed)
    return lambda observations: rng.uniform(space.low, space.high, (count, *space.shape))


def play_once(envs: Any, act: Act, seed: int, steps: bool) -> dict[str, Any]:
    """Play one episode in each world.

    Args:
        envs: the worlds, a `NativeVecEnv`.
        act: actions for their observations.
        seed: world i starts from seed + i.
        steps: whether to return what happened.

    Returns:
        "return" (n,), "length" (n,), "terminated" (n,); with `steps` lists of arrays too.
    """
    n = envs.num_envs
    envs.seed(seed)
    observations: Any = envs.reset()
    # each world counts with its first episode, and idles after it
    returns, lengths = np.zeros(n), np.zeros(n, np.int64)
    running, ended = np.ones(n, bool), np.zeros(n, bool)
    history: dict[str, list[np.ndarray]] = {"observations": [], "actions": [], "rewards": []}
    last = np.zeros_like(observations)
    # observations are rounded as policies see them
    for _ in range(LONGEST):
        actions = np.asarray(act(observations), np.float32)
        if steps:
            history["observations"].append(observations.copy())
            history["actions"].append(actions)
        observations, rewards, terminated, truncated, infos = envs.advance(actions)
        if steps:
            history["rewards"].append(rewards.astype(np.float32))
        returns[running] += rewards[running]
        lengths += running
        done = terminated | truncated
        # the observation behind the last step is that before the world starts anew
        if done.any():
            told = envs.last_infos(infos, terminated, truncated)
            for i in (running & done).nonzero()[0] if steps else ():
                last[i] = told[i]["terminal_observation"]
        ended |= running & terminated
        running &= ~done
        if not running.any():
            break
        observations = observations.astype(np.float32)
    # worlds that have not ended
    last[running] = observations[running]
    columns: dict[str, Any] = {"return": returns, "length": lengths, "terminated": ended}
    # lists of each world, cut to the length of its episode
    for name, rows in history.items():
        if rows:
            table = np.stack(rows, 1)
            columns[name] = [
                world[:length].ravel() for world, length in zip(table, lengths, strict=True)
            ]
    if steps:
        pairs = zip(columns["observations"], last, strict=True)
        columns["observations"] = [np.concatenate(pair) for pair in pairs]
    return columns
