"""Steps of batches of a vector environment while the caller does something else."""

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Protocol

import numpy as np
from gymnasium.error import ResetNeeded

from mjenv.stepping.arguments import env_ids_of
from mjenv.stepping.infos import Infos, rows_of

Results = tuple[Any, np.ndarray, np.ndarray, np.ndarray, Infos]


class Watched(Protocol):
    """Worlds of a task whose parameters must not change while batches are under way.

    Attributes:
        task: the task.
        depends: what else its functions have read; None for nothing.
    """

    task: Any
    depends: Any


class Batches:
    """Batches that `send` of a vector environment has sent and `recv` has not returned.

    Batches come back in the order in which they were sent, so that results do not depend on how
    fast things are. The engine does not hold the interpreter's lock: a policy runs meanwhile.

    Attributes:
        size: number of environments in a batch.
        pending: batches under way, first ones first: their environments and what will come of them.
        waiting: environments that were sent, and their actions, before a batch of them is whole.
    """

    def __init__(
        self,
        num_envs: int,
        size: int | None,
        action_shape: tuple[int, ...] | None,
        watched: Sequence[Watched] = (),
        reward_shape: tuple[int, ...] = (),
    ):
        """Have nothing under way.

        Args:
            num_envs: number of environments.
            size: number of environments in a batch; None for all.
            action_shape: of the action of one environment; None where actions are no arrays of one
                shape.
            watched: worlds of all tasks that have parameters.
            reward_shape: of the reward of one environment, () for a number.

        Raises:
            ValueError: if the size is no divisor of `num_envs`.
        """
        asked, size = size, num_envs if size is None else size
        if not isinstance(size, int | np.integer) or size < 1 or num_envs % size:
            raise ValueError(
                f"make_vec: batch_size={asked!r}, expected a divisor of num_envs, {num_envs}"
            )
        self._action_shape, self._watched, self.size = action_shape, tuple(watched), int(size)
        self._reward_shape = reward_shape
        self._worker: ThreadPoolExecutor | None = None
        self.pending: deque[tuple[np.ndarray, Future]] = deque()
        self.waiting: list[tuple[int, np.ndarray]] = []
        self._sent = np.zeros(num_envs, dtype=bool)
        # batches that the thread steps, and the tasks' counts of changes when the first was sent
        self._nunder_way, self._noted = 0, [-1] * len(self._watched)

    def hand_out(self, observations: Any, infos: Infos) -> None:
        """Have what a reset of all environments gave come back batch by batch."""
        for start in range(0, len(self._sent), self.size):
            ids = np.arange(start, start + self.size)
            some = rows_of(infos, ids) | {"env_id": ids}
            rewards = np.zeros((len(ids), *self._reward_shape))
            nothing = np.zeros(len(ids), dtype=bool)
            done: Future = Future()
            done.set_result((rows_of(observations, ids), rewards, nothing, nothing.copy(), some))
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
        own = actions.shape[1:] if self._action_shape is None else self._action_shape
        shape = (len(ids), *own)
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
        revisions = [worlds.task._revision for worlds in self._watched]
        depends = [worlds.depends for worlds in self._watched if worlds.depends is not None]
        under_way = self._nunder_way > 0
        if under_way and self._noted == revisions and all(one.same() for one in depends):
            return
        self._noted = revisions
        for one in depends:
            one.renew()
        if under_way:
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
