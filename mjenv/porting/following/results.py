"""What each way through a method leaves, and all ways as one program.

A program selects among ways where each result is used, so that all of them have the same calls of
the physics and write the same fields.
"""

from typing import Any

import numpy as np

from mjenv.porting.control.folding import Fold
from mjenv.porting.control.paths import Paths
from mjenv.porting.stand_ins.symbolic_physics import Physics
from mjenv.porting.symbols.refusals import NotTraced
from mjenv.porting.symbols.symbol import Follower, Symbol
from mjenv.porting.varying.choices import Sometimes, join, with_same_names
from mjenv.porting.varying.histories import History
from mjenv.porting.varying.registers import Register
from mjenv.porting.varying.rosters import Roster
from mjenv.tracing.arrays import TraceError

# what differs between ways, and is chosen
_RESULTS = (
    "observation", "reward", "terminated", "truncated", "info", "attributes", "raised",
    "unfinished",
)  # fmt: skip


def as_dict(
    result: Any,
    physics: Physics,
    attributes: dict[str, Any],
    paths: Paths,
    renewed: frozenset[int],
) -> dict[str, Any]:
    """What a method leaves on one way.

    Args:
        result: what it has returned, with five parts.
        physics: the calls that it has made, and what it has written.
        attributes: new values of attributes, by their fields.
        paths: errors and loops of this way.
        renewed: numbers of the generators that it makes anew.
    """
    observation, reward, terminated, truncated, info = result
    calls = physics.calls
    return {
        "draws": physics.draws, "renewed": renewed, "unfinished": paths.unfinished,
        "kinds": [call.kind for call in calls],
        "calls": calls,
        "writes": [dict(call.writes) for call in calls],
        "observation": observation, "reward": reward, "terminated": terminated,
        "truncated": truncated, "info": _as_they_are(info), "attributes": attributes,
        "raised": paths.raised,
    }  # fmt: skip


def _as_they_are(info: Any, there: Any = True) -> Any:
    """Infos with copies of lists of words, and dicts that say what only some worlds have.

    Args:
        info: a dict of them, or one of them.
        there: in which worlds, True or a symbol.
    """
    if isinstance(info, Register):
        found = {key: Fold.both(there, info.has(key)) for key in info.at}
        return {
            key: _as_they_are(value, found[key])
            for key, value in info.at.items() if found[key] is not False
        }  # fmt: skip
    if isinstance(info, dict):
        return {name: _as_they_are(value, there) for name, value in info.items()}
    if isinstance(info, Roster):
        info = info.copy()
    if isinstance(info, History):
        info.refuse(" in infos")
    if there is True:
        return info
    if isinstance(info, Sometimes):
        return Sometimes(np.logical_and(there, info.there), info.value)
    return Sometimes(there, info)


def _without_calls(result: dict[str, Any]) -> dict[str, Any]:
    return {n: v for n, v in result.items() if n in _RESULTS}


def complete(recording: Follower, results: list[dict]) -> None:
    """Have all ways write the same fields: where one does not, a field stays as it is."""
    asked = [[draw.key() for draw in result["draws"]] for result in results]
    asked = [[*keys, one["renewed"]] for keys, one in zip(asked, results, strict=True)]
    if any(one != asked[0] for one in asked):
        raise NotTraced("found an `if` of a value that decides about random numbers")
    for place in range(len(results[0]["writes"])):
        written = {n: w for result in results for n, w in result["writes"][place].items()}
        recording.go(str(place))
        for result in results:
            mine = result["writes"][place]
            for name, like in written.items():
                if name not in mine:
                    ids = recording.field(name, like.shape, like.dtype).ids
                    mine[name] = Symbol(recording, np.array(ids), like.dtype)
            result["writes"][place] = {name: mine[name] for name in written}
    recording.go(str(len(results[0]["writes"]) - 1))
    for result in results:
        result["calls"] = results[0]["calls"]


def joined(recording: Follower, calls: list[Any], ways: list[Any]) -> tuple[list[Any], dict]:
    """All ways as one program, which selects among them where each result is used.

    Args:
        recording: of the symbols.
        calls: those of the physics, the same on all ways.
        ways: with their results.
    """
    try:
        found = []
        for k, call in enumerate(calls):
            recording.go(str(k))
            written = [way._replace(result=way.result["writes"][k]) for way in ways]
            found.append(call._replace(writes=join(recording, written)))
        infos = with_same_names([way.result["info"] for way in ways])
        results = [
            way._replace(result={**_without_calls(way.result), "info": info})
            for way, info in zip(ways, infos, strict=True)
        ]
        chosen = join(recording, results)
    except TraceError as error:
        raise NotTraced(str(error)) from error
    return found, {name: chosen[name] for name in _RESULTS}
