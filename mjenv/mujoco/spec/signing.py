"""The signature of a spec: a number of its structure, as compiled models have it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from mjenv.engine.mjcf.arrays.names import hash_string
from mjenv.mujoco.spec.kinds import IN_SPEC, KINDS

if TYPE_CHECKING:
    from mjenv.mujoco.spec.store import Store

WIDTHS = {"FREE": 7, "BALL": 4}


def signature(spec: "Store") -> int:
    """The signature of a spec as it is now."""
    lines = ["", *_tree(spec._world, 0)]
    for kind in IN_SPEC:
        count, tag = len(spec._lists[kind]), KINDS[kind].tag
        # MuJoCo leaves out the first equality constraint
        count -= kind == "equality" and count > 0
        lines += [f"<{tag}/>"] * (count if tag else 0)
    lines += [f"<sensor>{int(sensor.type)}<sensor/>" for sensor in spec._lists["sensor"]]
    lines += ["<key/>"] * len(spec._lists["key"])
    return hash_string(("\n".join(lines) + "\n").encode()) % (2**64 - 1)


def _tree(body: Any, depth: int) -> Iterator[str]:
    inner = "  " * (depth + 1)
    yield "  " * depth + "<body>"
    for joint in body._lists["joint"]:
        yield f"{inner}<joint>{WIDTHS.get(joint.type.name.removeprefix('mjJNT_'), 1)}</joint>"
    for kind in ("geom", "site", "camera", "light"):
        yield from [f"{inner}<{kind}/>"] * len(body._lists[kind])
    for child in body._lists["body"]:
        yield from _tree(child, depth + 1)
    yield "  " * depth + "</body>"
