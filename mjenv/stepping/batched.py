"""Some environments at a time, here or in the background, of any vector environment of mjenv."""

from collections.abc import Sequence
from functools import partial
from typing import Any, Protocol

import numpy as np

from mjenv.engine.run.in_use import Turn
from mjenv.stepping.arguments import env_ids_of
from mjenv.stepping.batches import Batches, Results, Watched
from mjenv.stepping.infos import Infos


class Stepped(Protocol):
    """What `Batched` asks of a vector environment."""

    num_envs: int
    _batches: Batches
    _turn: Turn

    def reset(self, *, seed: Any = None, options: Any = None) -> tuple[Any, Infos]:
        """Start episodes."""
        ...

    def _refuse_unready(self, where: str) -> None:
        """Refuse a call where environments are closed or have no episodes yet."""
        ...

    def _advance(self, actions: np.ndarray, some: np.ndarray | None) -> Results:
        """Step the environments of some numbers, in their order, or all (None)."""
        ...


class Batched:
    """The methods `step_some`, `async_reset`, `send` and `recv` of a vector environment.

    Attributes:
        batch_size: how many environments `recv` returns.
        watched: worlds of the tasks whose parameters must not change between `send` and `recv`.
    """

    batch_size: int
    watched: tuple[Watched, ...]

    def _set_batches(
        self: Any,
        size: int | None,
        action_shape: tuple[int, ...] | None,
        watched: Sequence[Watched],
        reward_shape: tuple[int, ...] = (),
    ) -> None:
        """Have nothing under way; see `Batches`. Environments are open from here on."""
        self.watched, self._turn = tuple(watched), Turn("environments")
        self._batches = Batches(self.num_envs, size, action_shape, self.watched, reward_shape)
        self.batch_size, self.closed = self._batches.size, False

    def step_some(
        self: Stepped, actions: np.ndarray, env_ids: np.ndarray | Sequence[int]
    ) -> Results:
        """Advance some environments by one step each; the others are left as they are.

        Args:
            actions: (n, nu) controls.
            env_ids: (n,) numbers of the environments, each at most once.

        Returns:
            What `step` returns, with rows for the n environments in the given order, and their
            numbers as `infos["env_id"]`.

        Raises:
            ValueError: numbers that do not exist or repeat; see also `step`.
        """
        self._refuse_unready("step_some")
        self._batches.refuse_pending("step_some")
        some = env_ids_of(env_ids, self.num_envs, "step_some")
        return self._turn.take("step", self._advance, actions, some)

    def async_reset(
        self: Stepped, *, seed: int | Sequence[int | None] | None = None, options: Any = None
    ) -> None:
        """Reset all environments; `recv` returns them batch by batch, with zero rewards.

        Args:
            seed: see `reset`.
            options: see `reset`, without `reset_mask`.

        Raises:
            ValueError: for `reset_mask`; see also `reset`.
        """
        if "reset_mask" in (options or {}):
            raise ValueError(
                "async_reset: options: found 'reset_mask', expected none: all environments are "
                "reset; call reset() for some of them"
            )
        self._batches.hand_out(*self.reset(seed=seed, options=options))

    def send(
        self: Stepped, actions: np.ndarray, env_ids: np.ndarray | Sequence[int] | None = None
    ) -> None:
        """Step environments in the background, without waiting for the results.

        They are stepped in batches of `batch_size`, in the order in which they are sent.

        Args:
            actions: (n, nu) controls.
            env_ids: (n,) numbers of the environments; None for all.

        Raises:
            ValueError: wrong numbers or shapes, or environments that were sent before and not
                received since.
            RuntimeError: if a parameter of a task has changed since other batches were sent.
            ResetNeeded: before `reset` or `async_reset`.
        """
        self._refuse_unready("send")
        self._batches.send(partial(self._turn.take, "step", self._advance), actions, env_ids)

    def recv(self: Stepped) -> Results:
        """Wait for the batch that was sent first, and return its results.

        Returns:
            What `step_some` returns, for `batch_size` environments; their numbers are
            `infos["env_id"]`.

        Raises:
            ResetNeeded: less than a batch has been sent.
            ValueError: if an action was not finite.
            RuntimeError: if a parameter of a task has changed since batches were sent.
        """
        return self._batches.recv()

    def __getstate__(self: Any) -> dict[str, Any]:
        self._batches.refuse_pending("copy")
        return self.__dict__.copy()
