"""The digests that every environment has, as a table of text: a line for each environment."""

from pathlib import Path

from mjenv.gym.registration import ENVS, ROBOTS, SUITE

FILE = Path(__file__).with_name("recorded.txt")
PICTURED = ("HalfCheetah-v5", "Humanoid-v5", "QuadrupedRough-v0", "HandTurn-v0", "dog-fetch-v0")
HEAD = """\
# Digests of the trajectories of every environment (trajectory.py says of what):
# `mjenv digests` compares them, `mjenv digests --record` writes them.
"""


def names() -> list[str]:
    """The environments that have digests: all that are registered, without `mjenv/`."""
    return [row.id for row in (*ENVS, *ROBOTS, *SUITE)]


def recorded() -> dict[str, dict[str, str]]:
    """Digests by environment, and by what they are of."""
    table: dict[str, dict[str, str]] = {}
    if not FILE.exists():
        raise FileNotFoundError(f"{FILE}: missing; `mjenv digests --record` writes it")
    for line in FILE.read_text().splitlines():
        if line and not line.startswith("#"):
            name, *entries = line.split()
            table[name] = dict(entry.split("=") for entry in entries)
    return table


def write(table: dict[str, dict[str, str]], path: Path | None = None) -> None:
    """Write digests as `recorded` reads them."""
    lines = [
        " ".join((name, *(f"{of}={digest}" for of, digest in row.items())))
        for name, row in table.items()
    ]
    (path or FILE).write_text(HEAD + "\n".join(lines) + "\n")


def difference(found: dict[str, str], expected: dict[str, str]) -> str | None:
    """First difference of two trajectories, in words; None if there is none."""
    parts = [of for of in expected if found.get(of, expected[of]) != expected[of]]
    if not parts:
        return None
    steps = [int(of) for of in parts if of.isdigit()]
    words = [of for of in parts if not of.isdigit()]
    if steps:
        words.append(f"states from step {steps[0]} or before")
    return ", ".join(words)
