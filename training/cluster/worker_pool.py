"""Workers in processes of a Ray cluster; one that is lost is replaced, and does its part again."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from torch import nn

from mjenv.system import packages
from mjenv.training.cluster.worker import Part, Place, Policy, Worker
from mjenv.training.runs.progress import say

WAIT = 30.0  # seconds after which it is said who is waited for


@dataclass(frozen=True)
class Cluster:
    """Ray workers and the address of their cluster.

    Attributes:
        workers: how many there are.
        address: of a Ray cluster, or "auto" for the one that runs here; None to start one in this
            machine.
    """

    workers: int
    address: str | None = None


def ray_module() -> Any:
    """Ray.

    Raises:
        ModuleNotFoundError: it is not installed.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    return packages.load("ray", "a cluster")


@contextmanager
def joined(cluster: Cluster | None) -> Iterator[None]:
    """Be part of a Ray cluster; of one that was joined before, where there is one.

    Raises:
        ModuleNotFoundError: Ray is not installed.
        ConnectionError: there is no cluster at the address, or it wants another token.
        ValueError: it has fewer processors than there are to be workers.
    """
    if cluster is None:
        yield
        return
    ray = ray_module()
    mine = not ray.is_initialized()
    if mine:
        quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
        if cluster.address is None:
            quiet["include_dashboard"] = False
        # by itself Ray would join one that runs here, or wait for one that was killed
        try:
            ray.init(address=cluster.address or "local", namespace="mjenv", **quiet)
        except (ConnectionError, _refusal(ray)) as error:
            raise ConnectionError(f"{cluster.address}: {_first_line(error)}{_token()}") from error
    try:
        threads_of(cluster.workers)
        yield
    finally:
        if mine:
            ray.shutdown()


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]


def _refusal(ray: Any) -> type[Exception]:
    """Error that Ray raises for a wrong token, since version 2.52."""
    return getattr(ray.exceptions, "AuthenticationError", ConnectionError)


def _token() -> str:
    """Hint for a cluster that may want a token that this process does not show."""
    if "RAY_AUTH_MODE" in os.environ:
        return ""
    return (
        "; is it there, and does it want a token? Then set RAY_AUTH_MODE=token, on all machines "
        "(docs/cluster.md)"
    )


def threads_of(workers: int) -> int:
    """The most threads that each of some workers can have, on the machines of the cluster.

    Raises:
        ValueError: there are fewer processors than workers.
    """
    machines = [node["Resources"] for node in ray_module().nodes() if node["Alive"]]
    processors = [int(resources.get("CPU", 0)) for resources in machines]
    for threads in range(max(processors, default=0), 0, -1):
        if sum(n // threads for n in processors) >= workers:
            return threads
    raise ValueError(
        f"workers: found {workers}, expected no more than the {sum(processors)} processors of the "
        "cluster"
    )


class WorkerPool:
    """Workers, each with its worlds.

    Attributes:
        states: of each worker, behind the last rollout.
        lost: how many workers were replaced.
    """

    def __init__(self, places: list[Place], actor: nn.Sequential):
        """Start workers, spread over the machines of the cluster.

        Args:
            places: what they are to be; each takes as many processors as it has threads.
            actor: network of the policy.
        """
        self._ray, self._places, self._actor = ray_module(), places, actor
        self._class = self._ray.remote(max_concurrency=1, scheduling_strategy="SPREAD")(Worker)
        self.states: list[dict[str, Any]] = [{} for _ in places]
        self.lost = 0
        self._handles = [self._start(place) for place in places]

    def _start(self, place: Place) -> Any:
        return self._class.options(num_cpus=place.nthread).remote(place, self._actor)

    def reset(self, seeds: list[int | None]) -> list[dict[str, Any]]:
        """Start episodes in the worlds of each worker, with seeds from one on; the states then."""
        self.states = [{} for _ in self._places]
        self.states = self._all("reset", [(seed,) for seed in seeds])
        return self.states

    def restore(self, states: list[dict[str, Any]]) -> None:
        """Go on from states of the same places."""
        self._all("restore", [(state,) for state in states])
        self.states = states

    def sample(self, policy: Policy, n_steps: int, before: int) -> list[Part]:
        """A rollout of each worker; see `Worker.sample`."""
        shared = self._ray.put(policy)
        parts = self._all("sample", [(shared, n_steps, before)] * len(self._places))
        self.states = [part.state for part in parts]
        return parts

    def _all(self, method: str, arguments: list[tuple]) -> list[Any]:
        """Results of a method of each worker; those that are lost on the way do it again."""
        calls = [
            getattr(handle, method).remote(*own)
            for handle, own in zip(self._handles, arguments, strict=True)
        ]
        results = []
        for k, call in enumerate(calls):
            while True:
                try:
                    results.append(self._wait(call, k))
                    break
                except self._ray.exceptions.RayActorError as error:
                    self._replace(k, error)
                    call = getattr(self._handles[k], method).remote(*arguments[k])
        return results

    def _wait(self, call: Any, k: int) -> Any:
        while not self._ray.wait([call], timeout=WAIT)[0]:
            say(f"waiting for worker {self._places[k].number}: {self._room()}")
        return self._ray.get(call)

    def _room(self) -> str:
        """True if a worker that is waited for can have the processors that it takes."""
        total = sum(n["Resources"].get("CPU", 0) for n in self._ray.nodes() if n["Alive"])
        free = self._ray.available_resources().get("CPU", 0)
        mine = sum(place.nthread for place in self._places)
        if total < mine:
            return f"workers take {mine} processors, and the cluster has {total:g}; add a machine"
        if total - free > mine:
            return (
                f"workers take {mine} processors; {free:g} of {total:g} are free, others have at "
                f"least {total - free - mine:g}"
            )
        return "it starts or is at work, at low priority (nice 15) where the machine has other work"

    def _replace(self, k: int, error: Exception) -> None:
        """A worker in the place of one that was lost, in the state that it had."""
        self.lost += 1
        text = f"worker {k} was lost ({_first_line(error)}); another one takes its place"
        say(text, sys.stderr)
        # one that is only out of reach shall not have processors
        self._ray.kill(self._handles[k])
        self._handles[k] = self._start(self._places[k])
        if self.states[k]:
            self._handles[k].restore.remote(self.states[k])

    def processes(self) -> list[int]:
        """Numbers of the processes of the workers, each in its machine."""
        return self._all("process", [()] * len(self._places))

    def close(self) -> None:
        """End the workers."""
        for handle in self._handles:
            self._ray.kill(handle)
        self._handles = []
