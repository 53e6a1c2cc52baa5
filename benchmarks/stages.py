"""Where the time of a step goes: the stages that take most, beside the figure of a row."""

from collections.abc import Callable
from dataclasses import dataclass

SHOWN = 6


@dataclass(frozen=True)
class Profiled:
    """A repeat that can also tell where its time goes.

    Attributes:
        repeat: measures the figure of a row.
        stages: seconds of every stage of a step, per world, in the state after the repeat.
    """

    repeat: Callable[[], float]
    stages: Callable[[], dict]

    def __call__(self) -> float:
        return self.repeat()


def longest(stages: dict) -> list:
    """The stages that take most.

    Args:
        stages: seconds of every stage of a step, per world.

    Returns:
        At most `SHOWN` tuples, the longest first: name, share of the sum, microseconds per step
        and world.
    """
    total = sum(stages.values()) or 1.0
    order = sorted(stages.items(), key=lambda stage: -stage[1])
    return [(name, time / total, 1e6 * time) for name, time in order[:SHOWN] if time > 0]


def line(stages: dict) -> str:
    """The longest stages for the terminal."""
    parts = [f"{name} {share:.0%} {time:.3g} us" for name, share, time in longest(stages)]
    return f"    {_sum(stages)} us per world and step: " + ", ".join(parts)


def table(results: list) -> str:
    """Markdown table of the rows that have a profile; empty without any."""
    profiled = [result for result in results if result.get("stages")]
    if not profiled:
        return ""
    lines = ["| | worlds | sum | stages that take most: share, us |", "|---|--:|--:|---|"]
    for result in profiled:
        parts = [
            f"{name} {share:.0%} {time:.3g}" for name, share, time in longest(result["stages"])
        ]
        lines.append(
            f"| {result['model']} | {result['nworld']} | {_sum(result['stages'])} us "
            f"| {', '.join(parts)} |"
        )
    return "\n".join(lines)


def _sum(stages: dict) -> str:
    """Microseconds of all stages."""
    return f"{1e6 * sum(stages.values()):.3g}"
