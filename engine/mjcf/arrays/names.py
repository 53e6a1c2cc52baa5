"""Names: all names in one string, the hash table over it, the signature of a model."""

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from ...model.model import NAMED
from .hashes import hash_name, hash_spaces, hash_string

if TYPE_CHECKING:
    from ...model.model import Model
    from ..draft.draft import Body, Draft

LOAD = 2  # slots of the hash table per name
INDENTED = 1024  # spaces before a line of the tree, at most


def all_names(draft: "Draft") -> bytes:
    """The name of the model, then those of all kinds in MuJoCo's order, each ended by a zero."""
    names = [draft.name, *(part.name for kind in NAMED for part in draft.parts.get(kind, ()))]
    return b"".join(name.encode() + b"\0" for name in names)


def all_paths(draft: "Draft") -> bytes:
    """Files that assets name, each ended by a zero; one zero when there are none."""
    return b"".join(path for _, _, path in _paths(draft)) or b"\0"


def _paths(draft: "Draft"):
    """Assets with a file: kind, part, its path ended by a zero."""
    for kind in ("hfield", "mesh", "skin", "texture"):
        for part in draft.parts.get(kind, ()):
            if part.values.get("file"):
                yield kind, part, part["file"].encode() + b"\0"


def fill(model: "Model", draft: "Draft") -> None:
    """Write names, their places and the hash table."""
    model.__dict__["names"] = all_names(draft)
    model.__dict__["paths"] = all_paths(draft)
    # a path of -1 means that there is no file
    for name in ("hfield", "mesh", "skin", "tex"):
        getattr(model, f"{name}_pathadr")[:] = -1
    start = 0
    for kind, part, path in _paths(draft):
        getattr(model, f"{NAMED[kind][1]}_pathadr")[part.id] = start
        start += len(path)
    # names one behind the other, each ended by a zero byte; the model's own name is the first
    table = [-1] * model.nnames_map
    adr, start = len(draft.name.encode()) + 1, 0
    for kind, (_, prefix) in NAMED.items():
        parts = draft.parts.get(kind, ())
        slots = LOAD * len(parts)
        places = [0] * len(parts)
        for part in parts:
            name = part.name.encode()
            places[part.id] = adr
            adr += len(name) + 1
            # open addressing, as in MuJoCo, whose programs look names up in this table
            if name:
                slot = hash_name(name) % slots
                while table[start + slot] != -1:
                    slot = (slot + 1) % slots
                table[start + slot] = part.id
        if parts:
            getattr(model, f"name_{prefix}adr")[:] = places
        start += slots
    model.names_map[:] = table


def signature(draft: "Draft") -> int:
    """Number that stays the same while the structure of a model does."""
    lines: list[str] = []
    for kind, tag in (
        ("flex", "flex"),
        ("mesh", "mesh"),
        ("skin", "skin"),
        ("hfield", "heightfield"),
        ("texture", "texture"),
        ("material", "material"),
        ("pair", "pair"),
        ("exclude", "exclude"),
        ("equality", "equality"),
        ("tendon", "tendon"),
        ("actuator", "actuator"),
    ):
        count = len(draft.parts[kind])
        # MuJoCo leaves out the first equality constraint
        lines += [f"<{tag}/>"] * (count - 1 if kind == "equality" else count)
    lines += [f"<sensor>{sensor['type']}<sensor/>" for sensor in draft.parts["sensor"]]
    lines += ["<key/>"] * len(draft.parts["key"])
    return _hashed(tuple(_tree(draft.world)), "".join(f"{line}\n" for line in lines))


@lru_cache(32)
def _hashed(tree: tuple[tuple[int, bytes], ...], lines: str) -> int:
    """Hash of indented lines, and of others behind them; programs compile like models often."""
    h = hash_string(b"\n")
    for depth, line in tree:
        h = hash_string(line, hash_spaces(min(2 * depth, INDENTED), h))
    return hash_string(lines.encode(), h) % (2**64 - 1)


def _tree(world: "Body") -> Iterator[tuple[int, bytes]]:
    """Lines that stand for all bodies: how deep they are, and what they say."""
    pending: list[tuple[Body | None, int]] = [(world, 0)]
    while pending:
        body, depth = pending.pop()
        if body is None:
            yield depth, b"</body>\n"
            continue
        yield depth, b"<body>\n"
        for joint in body.joints:
            number = {"free": 7, "ball": 4}.get(joint["type"], 1)
            yield depth + 1, f"<joint>{number}</joint>\n".encode()
        for parts, line in (
            (body.geoms, b"<geom/>\n"),
            (body.sites, b"<site/>\n"),
            (body.cameras, b"<camera/>\n"),
            (body.lights, b"<light/>\n"),
        ):
            yield from ((depth + 1, line) for _ in parts)
        pending.append((None, depth))
        pending.extend((child, depth + 1) for child in reversed(body.bodies))
