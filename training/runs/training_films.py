"""Films of agents while they learn, and of what they have become."""

import math
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from mjenv.system.interruption import Interruption
from mjenv.training.agent import Agent
from mjenv.training.films.film import film
from mjenv.training.films.shot import Shot
from mjenv.training.runs.folders import Run
from mjenv.training.runs.progress import say

LENGTH = 15.0  # of the film of the trained agent (s)
SHORTEST = 10.0  # time that drawing may take, however short the training was (s)


def camera(
    env_id: str,
    env_kwargs: dict[str, Any],
    films: float,
    size: tuple[int, int],
    interruption: Interruption,
) -> Callable[[Agent, Path], None] | None:
    """Callback that films agents during training; None for films of no length.

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


class GaveUp(Exception):
    """A film was given up."""


def last_film(
    agent: Agent,
    run: Run,
    env_id: str,
    env_kwargs: dict[str, Any],
    seconds: float | None,
    size: tuple[int, int],
    taken: float,
) -> None:
    """Film the trained agent.

    Args:
        agent: the agent.
        run: whose video it is.
        env_id: the environment.
        env_kwargs: its keyword arguments.
        seconds: length of the film; None for what can be drawn in the time of the training.
        size: width and height (pixels).
        taken: how long the training was (s).
    """
    # a film of the usual length may not take longer than the training has
    told: list[tuple[int, int]] = []
    end = math.inf if seconds is not None else time.monotonic() + max(taken, SHORTEST)

    def enough(drawn: int, count: int) -> bool:
        late = time.monotonic() >= end and drawn < count
        if late:
            told.append((drawn, count))
        return late

    length = LENGTH if seconds is None else seconds
    film(env_id, agent.act, run.video, length, Shot(size), env_kwargs=env_kwargs, enough=enough)
    say(f"video: {run.video}")
    for drawn, count in told:
        say(
            f"  it has {drawn} of {count} frames, as many as were drawn in the time of the "
            f"training; `mjenv record {run.folder}` draws all of them, --seconds 0 none"
        )
