"""Steps of batches of a vector environment while the caller does something else."""

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded

from mjenv.stepping.arguments import env_ids_of
from mjenv.stepping.infos import Infos
from mjenv.stepping.simulation_batch import SimulationBatch

Results = tuple[Any, np.ndarray, np.ndarray, np.ndarray, Infos]


class Batches:
    """Batches that `VectorEnv.send` has sent and `recv` has not returned.

    Batches come back in the order in which they were sent, so that results do not depend on how
    fast things are. The engine does not hold the interpreter's lock: a policy runs meanwhile.

    Attributes:
        size: number of environments in a batch.
        pending: batches under way, first ones first: their environments and what will come of them.
        waiting: environments that were sent, and their actions, before a batch of them is whole.
    """

    def __init__(self, worlds: SimulationBatch, num_envs: int, size: int | None):
        """Have nothing under way.

        Args:
            worlds: the worlds of the environments.
            num_envs: number of environments.
            size: number of environments in a batch; None for all.

        Raises:
            ValueError: if the size is no divisor of `num_envs`.
        """
        asked, size = size, num_envs if size is None else size
        if not isinstance(size, int | np.integer) or size < 1 or num_envs % size:
            raise ValueError(
                f"make_vec: batch_size={asked!r}, expected a divisor of num_envs, {num_envs}"
            )
        self._worlds, self.size = worlds, int(size)
        self._worker: ThreadPoolExecutor | None = None
        self.pending: deque[tuple[np.ndarray, Future]] = deque()
        self.waiting: list[tuple[int, np.ndarray]] = []
        self._sent = np.zeros(num_envs, dtype=bool)
        # batches that the thread steps, and the task's count of changes when the first was sent
        self._nunder_way, self._noted = 0, -1

    def hand_out(self, observations: Any, infos: Infos) -> None:
        """Have what a reset of all environments gave come back batch by batch."""
        for start in range(0, len(observations), self.size):
            ids = np.arange(start, start + self.size)
            some = {name: values[ids] for name, values in infos.items()} | {"env_id": ids}
            rewards, nothing = np.zeros(len(ids)), np.zeros(len(ids), dtype=bool)
            done: Future = Future()
            if isinstance(observations, dict):
                mine: Any = {name: values[ids] for name, values in observations.items()}
            else:
                mine = observations[ids]
            done.set_result((mine, rewards, nothing, nothing.copy(), some))
            self.pending.append((ids, done))
        self._sent[:] = True

    def send(
        self,
        step: Callable[[np.ndarray, np.ndarray], Results],
        actions: np.ndarray,
        env_ids: np.ndarray | Sequence[int] | None,
    ) -> None:
        """Collect actions, and step whole batches in another thread.

        Args:
            step: function of the actions of a batch and the numbers of its environments.
            actions: (n, nu) controls.
            env_ids: (n,) numbers of the environments; None for all.

        Raises:
            ValueError: for wrong numbers or shapes, or environments that are under way.
            RuntimeError: if a parameter of the task has changed since other batches were sent.
        """
        # refuse wrong shapes, and what is still under way
        ids = env_ids_of(env_ids, len(self._sent), "send")
        actions = np.array(actions)
        shape = (len(ids), *self._worlds.action_shape[1:])
        if actions.shape != shape:
            raise ValueError(f"send: actions have shape {actions.shape}, expected {shape}")
        if self._sent[ids].any():
            again = ids[self._sent[ids]][0]
            raise ValueError(
                f"send: environment {again} has been sent already; call recv() until it is returned"
            )
        # collect, and step whole batches
        self._sent[ids] = True
        self.waiting += zip(ids.tolist(), actions, strict=True)
        if self._worker is None:
            self._worker = ThreadPoolExecutor(1, "mjenv")
        while len(self.waiting) >= self.size:
            batch = self.waiting[: self.size]
            del self.waiting[: self.size]
            some = np.array([i for i, _ in batch])
            work = np.array([action for _, action in batch])
            self._refuse_changes("send")
            self.pending.append((some, self._worker.submit(step, work, some)))
            self._nunder_way += 1

    def recv(self) -> Results:
        """Results of the batch that was sent first, when it is done.

        Raises:
            ResetNeeded: if less than a batch has been sent.
            RuntimeError: if a parameter of the task has changed since batches were sent.
        """
        if not self.pending:
            raise ResetNeeded(
                f"recv: {len(self.waiting)} environments have been sent, expected at least "
                f"batch_size={self.size}; call async_reset() or send() first"
            )
        self._refuse_changes("recv")
        ids, batch = self.pending.popleft()
        self._nunder_way = max(0, self._nunder_way - 1)
        self._sent[ids] = False
        return batch.result()

    def _refuse_changes(self, where: str) -> None:
        """Refuse parameters that have changed while batches were stepped.

        Which of them the new values were for would depend on how fast things are.
        """
        depends, revision = self._worlds.depends, self._worlds.task._revision
        if not self._nunder_way:
            self._noted = revision
            if depends is not None:
                depends.renew()
        elif self._noted != revision or not (depends is None or depends.same()):
            self._noted = revision
            if depends is not None:
                depends.renew()
            raise RuntimeError(
                f"{where}: a parameter of the task has changed while {self._nunder_way} batches "
                "were under way, expected no change between send and recv; call recv() until all "
                "are returned, change it, then send"
            )

    def refuse_pending(self, where: str) -> None:
        """Refuse what needs all environments at rest.

        Raises:
            ResetNeeded: if some have been sent and not returned.
        """
        if self.pending or self.waiting:
            count = np.count_nonzero(self._sent)
            raise ResetNeeded(
                f"{where}: {count} environments have been sent; call recv() until all are returned"
            )

    def end(self) -> None:
        """End the thread."""
        if self._worker is not None:
            self._worker.shutdown()
        self._worker = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_worker": None}
