"""Custom tuples: lists of things of any kind, each with a number."""

from typing import TYPE_CHECKING

from .sensors import OBJECTS

if TYPE_CHECKING:
    from ...model.model import Model
    from ..draft.draft import Draft
    from ..text.element import Element


def compile_tuples(draft: "Draft") -> None:
    """Resolve the members of all tuples, after everything has its id."""
    for part in draft.parts["tuple"]:
        if not part.element.children:
            raise part.error("expected at least one <element>, found none")
        part.values["members"] = [_member(draft, child) for child in part.element.children]


def _member(draft: "Draft", element: "Element") -> tuple[int, int, float]:
    """mjtObj, id and number of one member."""
    kind, name = element.values["objtype"], element.values["objname"].strip()
    if kind not in OBJECTS[1:]:
        raise element.error(f"objtype='{kind}': expected one of {', '.join(OBJECTS[1:])}")
    if not name:
        raise element.error("objname='': expected a name, found nothing")
    if len(name.split()) > 1:
        raise element.error(f"objname='{name}': expected a name without spaces")
    member = draft.find(kind.removeprefix("x"), name, element, "objname")
    return OBJECTS.index(kind), member.id, element.values.get("prm") or 0.0


def sizes(draft: "Draft") -> dict[str, int]:
    """Members of all tuples."""
    return {"ntupledata": sum(len(part["members"]) for part in draft.parts["tuple"])}


def fill(model: "Model", draft: "Draft") -> None:
    """Write tuples and their members."""
    adr = 0
    for part in draft.parts["tuple"]:
        members = part["members"]
        model.tuple_adr[part.id], model.tuple_size[part.id] = adr, len(members)
        for objtype, objid, prm in members:
            model.tuple_objtype[adr], model.tuple_objid[adr] = objtype, objid
            model.tuple_objprm[adr] = prm
            adr += 1
