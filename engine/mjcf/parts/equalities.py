"""Equality constraints: what they join, and their numbers in `eq_data`."""

from typing import TYPE_CHECKING

from ...tables.enums import (
    EQ_CONNECT,
    EQ_FLEX,
    EQ_FLEXSTRAIN,
    EQ_FLEXVERT,
    EQ_JOINT,
    EQ_TENDON,
    EQ_WELD,
    OBJ_BODY,
    OBJ_SITE,
    OBJ_UNKNOWN,
)
from ..geometry import pose

if TYPE_CHECKING:
    from ..draft.draft import Draft, Part

TYPES = {"connect": EQ_CONNECT, "weld": EQ_WELD, "joint": EQ_JOINT, "tendon": EQ_TENDON}
OBJTYPES = {"body": OBJ_BODY, "site": OBJ_SITE}
FLEXES = {"flex": EQ_FLEX, "flexvert": EQ_FLEXVERT, "flexstrain": EQ_FLEXSTRAIN}
ROWS = {EQ_CONNECT: 3, EQ_WELD: 7}  # most rows that one of them makes, 1 if it is not here


def compile_equalities(draft: "Draft") -> None:
    """Targets and numbers of all equality constraints."""
    for equality in draft.parts["equality"]:
        kind = equality.element.tag
        if kind in FLEXES:
            _flex(draft, equality)
            continue
        equality.values["type"] = TYPES[kind]
        ends = check_targets(equality)
        if ends == "site" and not equality.element.values["site2"]:
            raise equality.error("site2='': expected a name, found nothing")
        _targets(draft, equality, ends, OBJTYPES.get(ends, OBJ_UNKNOWN))
        if kind == "joint":
            _check_scalar(equality)
        equality.values["data"] = DATA[kind](equality)


def _flex(draft: "Draft", equality: "Part") -> None:
    """A constraint of a deformable: of its edges, its vertices, or one of its cells."""
    values, element = equality.values, equality.element
    name = element.values["flex"]
    if not name:
        raise equality.error("flex='': expected a name, found nothing")
    flex = draft.find("flex", name, element, "flex")
    if flex["data"].rigid:
        raise equality.error(f"flex='{name}': expected a deformable that is not rigid")
    cell = element.values.get("cell") or (0.0, 1.0, 0.0)
    values["ends"] = (flex, None)
    values["type"], values["objtype"] = FLEXES[element.tag], OBJ_UNKNOWN
    values["obj1id"], values["obj2id"] = flex.id, -1
    values["data"] = (*map(float, cell), *(0.0,) * 7, 1.0)


def check_targets(equality: "Part") -> str:
    """Type of the objects that a constraint joins: "body", "site", or what it is named after.

    Raises:
        MjcfError: the attributes do not say it.
    """
    kind, given = equality.element.tag, equality.element.values
    if kind not in ("connect", "weld"):
        return kind
    sites = [name for name in ("site1", "site2") if name in given]
    bodies = [name for name in ("body1", "body2", "anchor", "relpose") if name in given]
    if sites and bodies:
        raise equality.error(f"{sites[0]} and {bodies[0]}: expected sites or bodies, found both")
    needed = ("body1", "anchor") if kind == "connect" else ("body1",)
    if len(sites) != 2 and not all(name in given for name in needed):
        raise equality.error(
            f"expected {' and '.join(needed)}, or site1 and site2,"
            f" found {' and '.join(sites + bodies) or 'none of them'}"
        )
    return "site" if sites else "body"


def _targets(draft: "Draft", equality: "Part", kind: str, objtype: int) -> None:
    """Ids of both ends; without the second it is the world, or nothing."""
    values, given, element = equality.values, equality.element.values, equality.element
    first, second = f"{kind}1", f"{kind}2"
    if not given[first]:
        raise equality.error(f"{first}='': expected a name, found nothing")
    parts = [draft.find(kind, given[first], element, first), None]
    if given.get(second):
        parts[1] = draft.find(kind, given[second], element, second)
    elif kind == "body":
        parts[1] = draft.world
    if parts[0] is parts[1]:
        raise equality.error(
            f"{first}='{given[first]}': expected two different ones,"
            f" found {'the world' if parts[0] is draft.world else 'the same'} twice"
        )
    values["ends"] = parts
    values["objtype"] = objtype
    values["obj1id"], values["obj2id"] = (part.id if part else -1 for part in parts)


def _check_scalar(equality: "Part") -> None:
    for name, joint in zip(("joint1", "joint2"), equality["ends"], strict=True):
        if joint and joint["type"] not in ("hinge", "slide"):
            raise equality.error(
                f"{name}='{joint.name}': expected a slide or hinge joint,"
                f" found type='{joint['type']}'"
            )


def _values(equality: "Part", name: str) -> tuple:
    """Numbers of an attribute, completed with those that it has when it is not given."""
    default = equality.element.kind.defaults[name]
    given = equality.element.values.get(name, ())
    return (*given, *default[len(given) :])


def _connect(equality: "Part") -> tuple:
    """Anchor in the first body; that in the second follows at qpos0."""
    anchor = equality.element.values.get("anchor", pose.ZERO)
    return (*anchor, *(0.0,) * 7, float(equality["objtype"] == OBJ_BODY))


def _weld(equality: "Part") -> tuple:
    """Anchor in the second body, pose of the second in the first (zero: at qpos0), ratio."""
    ratio = equality.element.values.get("torquescale", 1.0)
    if equality["objtype"] == OBJ_SITE:
        return (0.0, 1.0, *(0.0,) * 8, ratio)
    return (*_values(equality, "anchor"), *_values(equality, "relpose"), ratio)


def _polynomial(equality: "Part") -> tuple:
    return (*_values(equality, "polycoef"), *(0.0,) * 5, 1.0)


DATA = {"connect": _connect, "weld": _weld, "joint": _polynomial, "tendon": _polynomial}


def count_rows(draft: "Draft") -> int:
    """Most rows that all equality constraints can make."""
    return sum(ROWS.get(equality["type"], 1) for equality in draft.parts["equality"])
