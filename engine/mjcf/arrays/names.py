"""Names: all names in one string, the hash table over it, the signature of a model."""

from typing import TYPE_CHECKING

from ...model.model import NAMED

if TYPE_CHECKING:
    from ...model.model import Model
    from ..draft.draft import Body, Draft

LOAD = 2  # slots of the hash table per name


def hash_string(text: bytes) -> int:
    """64-bit hash of a string (Bernstein's, with exclusive or)."""
    h = 5381
    for byte in text:
        # bytes above 127 count as negative numbers
        h = ((h * 33) & 0xFFFFFFFFFFFFFFFF) ^ (byte if byte < 128 else 0xFFFFFFFFFFFFFF00 | byte)
    return h


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
    for name in ("hfield", "mesh", "skin", "tex"):
        getattr(model, f"{name}_pathadr")[:] = -1
    start = 0
    for kind, part, path in _paths(draft):
        getattr(model, f"{NAMED[kind][1]}_pathadr")[part.id] = start
        start += len(path)
    model.names_map[:] = -1
    adr, start = len(draft.name.encode()) + 1, 0
    for kind, (_, prefix) in NAMED.items():
        parts = draft.parts.get(kind, ())
        slots = LOAD * len(parts)
        places = getattr(model, f"name_{prefix}adr")
        for part in parts:
            name = part.name.encode()
            places[part.id] = adr
            adr += len(name) + 1
            if name:
                slot = hash_string(name) % slots
                while model.names_map[start + slot] != -1:
                    slot = (slot + 1) % slots
                model.names_map[start + slot] = part.id
        start += slots


def signature(draft: "Draft") -> int:
    """Number that stays the same while the structure of a model does."""
    lines = ["", *_tree(draft.world, 0)]
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
    return hash_string(("\n".join(lines) + "\n").encode()) % (2**64 - 1)


def _tree(body: "Body", depth: int):
    inner = "  " * (depth + 1)
    yield "  " * depth + "<body>"
    for joint in body.joints:
        yield f"{inner}<joint>{ {'free': 7, 'ball': 4}.get(joint['type'], 1) }</joint>"
    for parts, tag in (
        (body.geoms, "geom"),
        (body.sites, "site"),
        (body.cameras, "camera"),
        (body.lights, "light"),
    ):
        for _ in parts:
            yield f"{inner}<{tag}/>"
    for child in body.bodies:
        yield from _tree(child, depth + 1)
    yield "  " * depth + "</body>"
