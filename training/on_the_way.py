"""What is made of agents while they learn: films."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from mjenv.interruption import Interruption
from mjenv.training.agent import Agent
from mjenv.training.film import Shot, film


def camera(
    env_id: str,
    env_kwargs: dict[str, Any],
    films: float,
    size: tuple[int, int],
    interruption: Interruption,
) -> Callable[[Agent, Path], None] | None:
    """What films agents on the way; None for films of no length.

    A film that a signal comes in the way of is given up: training ends where it is.
    """
    if not films:
        return None

    def check() -> None:
        if interruption.signum is not None:
            raise GaveUp

    def shoot(agent: Agent, path: Path) -> None:
        with suppress(GaveUp):
            film(env_id, agent.act, path, films, Shot(size), env_kwargs=env_kwargs, advance=check)

    return shoot


class GaveUp(Exception):  # noqa: N818  it is no error
    """A film was given up."""
