"""Steps of batches of a vector environment while the caller does something else."""

from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded

from mjenv.stepping.arguments import env_ids_of
from mjenv.stepping.infos import Infos

Results = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, Infos]


class Batches:
    """`send` and `recv`: the part of `VectorEnv` that steps batches in a thread of its own.

    Batches come back in the order in which they were sent, so that results do not depend on how
    fast things are. The engine does not hold the interpreter's lock: a policy runs meanwhile.

    Attributes:
        batch_size: number of environments in a batch.
    """

    num_envs: int
    _worker: ThreadPoolExecutor | None

    def _make_batches(self, batch_size: int | None) -> None:
        size = self.num_envs if batch_size is None else batch_size
        if not isinstance(size, int | np.integer) or size < 1 or self.num_envs % size:
            raise ValueError(
                f"make_vec: batch_size={batch_size!r}, expected a divisor of num_envs, "
                f"{self.num_envs}"
            )
        self.batch_size = int(size)
        self._worker = None
        self._pending: deque[tuple[np.ndarray, Future]] = deque()
        self._waiting: list[tuple[int, np.ndarray]] = []
        self._sent = np.zeros(self.num_envs, dtype=bool)
        # batches that the thread steps, and the task's count of changes when the first was sent
        self._nunder_way, self._noted = 0, -1

    def async_reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Any = None
    ) -> None:
        """Reset all environments; `recv` returns them batch by batch, with zero rewards.

        Args:
            seed: as of `reset`.
            options: as of `reset`, but for `reset_mask`.

        Raises:
            ValueError: for `reset_mask`, or as of `reset`.
        """
        if "reset_mask" in (options or {}):
            raise ValueError(
                "async_reset: options: found 'reset_mask', expected none: all environments are "
                "reset; call reset() for some of them"
            )
        # reset all at once, and hand it out batch by batch
        observations, infos = self.reset(seed=seed, options=options)  # type: ignore[attr-defined]
        observations = observations.copy()
        for start in range(0, self.num_envs, self.batch_size):
            ids = np.arange(start, start + self.batch_size)
            done: Future = Future()
            some = {name: values[ids] for name, values in infos.items()}
            nothing = np.zeros(len(ids), dtype=bool)
            done.set_result(
                (
                    observations[ids],
                    np.zeros(len(ids)),
                    nothing,
                    nothing.copy(),
                    some | {"env_id": ids},
                )
            )
            self._pending.append((ids, done))
        self._sent[:] = True

    def send(self, actions: np.ndarray, env_ids: np.ndarray | Sequence[int] | None = None) -> None:
        """Have environments stepped, without waiting for it.

        They are stepped in batches of `batch_size`, in the order in which they are sent.

        Args:
            actions: (n, nu) controls.
            env_ids: (n,) numbers of the environments; None for all.

        Raises:
            ValueError: for wrong numbers or shapes, or environments of which no result was
                received since they were sent.
            RuntimeError: if a parameter of the task has changed since other batches were sent.
            ResetNeeded: before `reset` or `async_reset`.
        """
        env: Any = self
        if env.closed or not env._ready:
            env._refuse("send")
        # refuse wrong shapes, and what is still under way
        ids = env_ids_of(env_ids, self.num_envs, "send")
        actions = np.array(actions)
        shape = (len(ids), *env.single_action_space.shape)
        if actions.shape != shape:
            raise ValueError(f"send: actions have shape {actions.shape}, expected {shape}")
        if self._sent[ids].any():
            again = ids[self._sent[ids]][0]
            raise ValueError(
                f"send: environment {again} has been sent already; call recv() until it is returned"
            )
        # collect, and step whole batches in another thread
        self._sent[ids] = True
        self._waiting += zip(ids.tolist(), actions, strict=True)
        if self._worker is None:
            self._worker = ThreadPoolExecutor(1, "mjenv")
        while len(self._waiting) >= self.batch_size:
            batch = self._waiting[: self.batch_size]
            del self._waiting[: self.batch_size]
            some = np.array([i for i, _ in batch])
            work = np.array([action for _, action in batch])
            self._refuse_changes("send")
            self._pending.append((some, self._worker.submit(env._advance, work, some)))
            self._nunder_way += 1

    def recv(self) -> Results:
        """Results of the batch that was sent first, when it is done.

        Returns:
            What `VectorEnv.step_some` returns, for `batch_size` environments; their numbers are
            `infos["env_id"]`.

        Raises:
            ResetNeeded: if less than a batch has been sent.
            ValueError: if an action was not finite.
            RuntimeError: if a parameter of the task has changed since batches were sent.
        """
        if not self._pending:
            raise ResetNeeded(
                f"recv: {len(self._waiting)} environments have been sent, expected at least "
                f"batch_size={self.batch_size}; call async_reset() or send() first"
            )
        self._refuse_changes("recv")
        ids, batch = self._pending.popleft()
        self._nunder_way = max(0, self._nunder_way - 1)
        self._sent[ids] = False
        return batch.result()

    def _refuse_changes(self, where: str) -> None:
        """Refuse parameters that have changed while batches were stepped.

        Which of them the new values were for would depend on how fast things are.
        """
        env: Any = self
        depends = env._worlds.depends
        revision = env.task._revision
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

    def _refuse_pending(self, where: str) -> None:
        if self._pending or self._waiting:
            count = np.count_nonzero(self._sent)
            raise ResetNeeded(
                f"{where}: {count} environments have been sent; call recv() until all are returned"
            )

    def _end_batches(self) -> None:
        if self._worker is not None:
            self._worker.shutdown()
        self._worker = None
