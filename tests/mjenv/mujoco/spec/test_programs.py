"""Random programs that edit specs, with the same outcome as in MuJoCo."""

from typing import Any

import mujoco
import pytest

import mjenv.mujoco as ours

from .beside import compiled_apart, specs_apart
from .programs import INSIDE, OUTSIDE, Program, listed

STEPS = 12
SEEDS = (
    *range(32, 36),
    37,
    38,
    6,
    12,
    14,
    21,
    25,
    29,
    42,
    49,
    50,
    53,
    59,
    60,
    68,
    69,
    81,
    82,
    84,
    85,
)


def said(action) -> tuple[Any, str]:
    """Outcome of a step, and what it is refused with."""
    try:
        return action(), ""
    except (ValueError, TypeError, ours.FatalError, mujoco.FatalError) as error:
        return None, str(error)


def names(spec) -> dict[str, list[str]]:
    """Names of all elements by kind."""
    return {kind: [element.name for element in listed(spec, kind)] for kind in (*INSIDE, *OUTSIDE)}


@pytest.mark.sweep(12)
@pytest.mark.parametrize("seed", SEEDS)
def test_programs(seed):
    program = Program(seed)
    text, steps = program.start(), program.steps(STEPS, safe=True)
    specs = {module: module.MjSpec.from_string(text) for module in (ours, mujoco)}
    for step in steps:
        found = {m: said(lambda: step.run(m, specs[m])) for m in specs}  # noqa: B023
        assert found[ours][1] == found[mujoco][1], step.text
        specs = {m: specs[m] if spec is None else spec for m, (spec, _) in found.items()}
        assert names(specs[ours]) == names(specs[mujoco]), step.text
    assert specs_apart(specs[ours], specs[mujoco]) == []
    refused = [said(specs[m].compile)[1] for m in specs]
    assert refused[0] == refused[1]
    if not refused[0]:
        assert compiled_apart(specs[ours], specs[mujoco]) == []
        assert specs[ours].to_xml() == specs[mujoco].to_xml()
