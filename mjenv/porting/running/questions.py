"""Questions that follow one another, asked at once: a loop of `mj_ray` is one pass over the worlds.

What a question asks may follow from answers to those before it; then it waits for them. Otherwise
it is computed, and asked, where they are: the data are the same in between.
"""

from typing import Any

import numpy as np

from mjenv.porting.stand_ins.calls import ASKED, Call
from mjenv.porting.stand_ins.queries import ANSWER, TOGETHER
from mjenv.tracing.arrays import Instruction, Load

Sections = list[list[Instruction]]
Loads = list[list[Load]]


def ask_together(
    calls: list[Call], sections: Sections, loads: Loads, writes: list[dict[str, Any]]
) -> dict[int, int]:
    """Join questions in place, with what is between them.

    Args:
        calls: between the sections.
        sections: instructions of each, one more than calls behind which others come.
        loads: what each reads.
        writes: what each writes, before its call.

    Returns:
        Where each call is afterwards; -1 stays -1.
    """
    places, k = {-1: -1} | {n: n for n in range(len(calls))}, 0
    while k + 1 < len(calls):
        if not _may_join(calls[k], calls[k + 1], writes[k + 1]):
            k += 1
            continue
        asked = writes[k + 1][ASKED]
        late = _behind_answers(sections[k + 1], loads[k + 1])
        if not late.isdisjoint(asked.ids.tolist()):
            k += 1
            continue
        # what needs no answers is computed before them
        early = [one for one in sections[k + 1] if one.target not in late]
        sections[k] += early
        loads[k] += [one for one in loads[k + 1] if not one.field.startswith(ANSWER)]
        first, second = calls[k].query, calls[k + 1].query
        calls[k] = calls[k]._replace(query=first.with_another(second))
        whole = writes[k][ASKED]
        ids = np.concatenate([whole.ids, asked.ids])
        writes[k][ASKED] = whole._replace(ids=ids, shape=ids.shape)
        # the rest comes behind both
        rest = [one for one in sections[k + 1] if one.target in late]
        answers = [one for one in loads[k + 1] if one.field.startswith(ANSWER)]
        sections[k + 1 : k + 3] = [rest + sections[k + 2]]
        loads[k + 1 : k + 3] = [answers + loads[k + 2]]
        del calls[k + 1], writes[k + 1]
        places = {old: new - (new > k) for old, new in places.items()}
    return places


def _may_join(one: Call, other: Call, writes: dict[str, Any]) -> bool:
    """True for two questions of a kind that can be asked at once, between which nothing changes."""
    if one.query is None or other.query is None or {*writes} != {ASKED}:
        return False
    same = (one.query.name, one.query.options) == (other.query.name, other.query.options)
    return same and one.query.name in TOGETHER


def _behind_answers(section: list[Instruction], loads: list[Load]) -> set[int]:
    """Numbers of the values of a section that follow from answers."""
    found = set[int]()
    for load in loads:
        if load.field.startswith(ANSWER):
            found.update(range(load.first, load.first + load.size))
    for one in section:
        if any(not found.isdisjoint(ids.reshape(-1).tolist()) for ids in one.operands):
            found.update(range(one.target, one.target + one.size))
    return found
