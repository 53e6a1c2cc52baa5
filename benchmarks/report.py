"""Writes results: terminal lines, `results.md` for people, `results.json` with every repeat."""

import json
import math
import os
import platform
import statistics
from pathlib import Path
from typing import Any

from . import stages
from .rows import BEFORE, GOALS, KINDS, OURS


def machine(nthread: int, results: Any) -> dict:
    """The machine and the software of a run: processor, cores, system, versions by subject."""
    return {
        "cpu": _cpu_model(),
        "cores": os.cpu_count(),
        "threads": nthread,
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "load after": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
        "versions": {
            name: figure["versions"]
            for result in results
            for name, figure in result["subjects"].items()
            if figure["versions"]
        },
    }


def _cpu_model() -> str:
    """Name of the processor."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def line(result: dict) -> str:
    """One result for the terminal: mjenv, then every peer with the ratio."""
    ours = f"{result['name']:<34} {OURS} {_figure(result, OURS)}"
    peers = [f"{p} {_figure(result, p)}{_times(result, p)}" for p in result["peers"]]
    return "  |  ".join([ours, *peers])


def markdown(results: list, description: dict) -> str:
    """Tables of all kinds, what they were measured on, and the goals."""
    blocks = ["# Benchmarks", _description(description), _reading(results)]
    for name, kind in KINDS.items():
        rows = [result for result in results if result["kind"] == name]
        if rows:
            blocks.append(f"## {kind.title}\n\n{_table(rows)}")
    profiles = stages.table(results)
    if profiles:
        blocks.append(f"## Where a step's time goes: mjenv, one pack in one thread\n\n{profiles}")
    reached = goals(results)
    if reached:
        blocks.append("## Goals\n\n" + "\n".join(f"* {text}" for text in reached))
    return "\n\n".join(blocks) + "\n"


def write(folder: Path, results: list, description: dict) -> None:
    """Write `results.md` and `results.json` into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    content = json.dumps({"machine": description, "rows": results}, indent=1)
    (folder / "results.json").write_text(content + "\n")
    (folder / "results.md").write_text(markdown(results, description))


def goals(results: list) -> list:
    """A sentence for every goal whose rows have all been measured."""
    sentences = []
    for goal in GOALS:
        rows = [r for r in results if r["kind"] == goal.kind and r["nworld"] == goal.nworld]
        rows = [r for r in rows if not goal.models or r["model"] in goal.models]
        values = [value for r in rows if (value := _value(r, goal.peer)) is not None]
        if not values or len(values) < max(len(rows), len(goal.models)):
            continue
        found = _STATISTICS[goal.statistic](values)
        met = found <= goal.limit if goal.statistic == "most" else found >= goal.limit
        unit = f" {KINDS[goal.kind].unit}" if goal.peer is None else f" times {goal.peer}"
        sentences.append(
            f"{goal.kind}, {goal.statistic} of {', '.join(r['model'] for r in rows)}: "
            f"{found:.2f}{unit} (goal: {goal.limit:g}) {'reached' if met else 'missed'}"
        )
    return sentences


def changes(results: list) -> list:
    """How much faster each row is than that of another checkout: a line for each, and the mean."""
    lines, medians = [], []
    for result in results:
        if not (found := result["ratios"].get(BEFORE)):
            continue
        rounds = sorted(found["rounds"])
        middle = statistics.median(rounds)
        medians.append(middle)
        lines.append(
            f"{result['name']:<34} {middle:.3f} times {BEFORE}, by the median of {len(rounds)} "
            f"rounds ({rounds[0]:.3f} to {rounds[-1]:.3f}); best {found['best']:.3f}"
        )
    if medians:
        lines.append(f"{'geometric mean':<34} {geometric_mean(medians):.3f}")
    return lines


def geometric_mean(values: Any) -> float:
    """Geometric mean of positive values."""
    return math.exp(sum(map(math.log, values)) / len(values))


_STATISTICS = {"geometric mean": geometric_mean, "least": min, "most": max}


def _value(result: dict, peer: str | None):
    """Ratio to a peer, or mjenv's own figure; None if it was not measured."""
    if peer is None:
        return result["subjects"][OURS].get("best")
    return result["ratios"].get(peer, {}).get("best")


def _table(rows: list) -> str:
    """Markdown table of the rows of one kind."""
    peers = list(dict.fromkeys(peer for row in rows for peer in row["peers"]))
    lines = [
        "| | worlds | " + " | ".join([OURS, *peers]) + " |",
        "|---|--:|" + "--:|" * (1 + len(peers)),
    ]
    for row in rows:
        cells = [f"{_figure(row, peer)}{_times(row, peer)}" for peer in peers]
        lines.append(
            f"| {row['model']} | {row['nworld']} | "
            + " | ".join([_figure(row, OURS), *cells])
            + " |"
        )
    return "\n".join(lines)


def _figure(result: dict, subject: str) -> str:
    """A subject's best figure with its unit."""
    if subject not in result["subjects"]:
        return ""
    best = result["subjects"][subject].get("best")
    return "not measured" if best is None else scaled(best, result["unit"])


def scaled(value: float, unit: str) -> str:
    """A figure with three digits: `1.23 M steps/s`, `512 bytes`, `0.81 s`."""
    for factor, prefix in ((1e6, "M "), (1e3, "k ")):
        if abs(value) >= factor and unit not in ("%", "s"):
            return f"{value / factor:.3g} {prefix}{unit}"
    return f"{value:.3g} {unit}"


def _times(result: dict, peer: str) -> str:
    """The ratio to a peer in brackets."""
    found = result["ratios"].get(peer)
    return f" ({found['best']:.2f}x)" if found else ""


def _description(description: dict) -> str:
    """What the figures were measured on."""
    versions = "; ".join(
        f"{name}: " + ", ".join(f"{package} {number}" for package, number in found.items())
        for name, found in sorted(description["versions"].items())
    )
    return (
        f"{description['cpu']}, {description['cores']} cores, {description['threads']} threads, "
        f"{description['system']}.\n\n{versions}."
    )


def _reading(results: list) -> str:
    """How to read the tables, and why figures are missing."""
    text = (
        "Figures are the best of interleaved repeats of the same work. In brackets: how many times "
        "better mjenv is. The module docstrings in `benchmarks/` say how each subject is driven; "
        "`results.json` has every repeat."
    )
    missing = {
        f"{name} ({figure['error']})"
        for result in results
        for name, figure in result["subjects"].items()
        if "error" in figure
    }
    return text + (f"\n\nNot measured: {'; '.join(sorted(missing))}." if missing else "")
