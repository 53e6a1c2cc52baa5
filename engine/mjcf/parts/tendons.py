"""Tendons: the things along their paths, limits, and the dofs that change their lengths."""

from typing import TYPE_CHECKING, Any, NamedTuple

from ...tables.enums import (
    SLEEP_ALLOWED,
    SLEEP_INIT,
    WRAP_CYLINDER,
    WRAP_JOINT,
    WRAP_PULLEY,
    WRAP_SITE,
    WRAP_SPHERE,
)
from ..arrays.configuration import chain
from ..arrays.tendon_constants import coupled_trees
from .limits import check_range, limited

if TYPE_CHECKING:
    from ...model.model import Model
    from ..draft.draft import Draft, Part
    from ..text.element import Element

GEOMS = (WRAP_SPHERE, WRAP_CYLINDER)
SHAPES = {"sphere": WRAP_SPHERE, "cylinder": WRAP_CYLINDER}


class Stop(NamedTuple):
    """One thing along the path of a tendon.

    Attributes:
        type: mjtWrap.
        part: joint, site or geom; None: a pulley.
        prm: coefficient of a joint, divisor of a pulley, id of a geom's side site or -1.
        element: where it comes from.
    """

    type: int
    part: Any
    prm: float
    element: Any


def compile_tendons(draft: "Draft") -> None:
    """Paths, materials and limits of all tendons."""
    adr = 0
    for tendon in draft.parts["tendon"]:
        values, element = tendon.values, tendon.element
        path = values["path"] = [STOPS[child.tag](draft, child) for child in element.children]
        if not path:
            raise tendon.error("expected at least one element along its path, found none")
        if element.tag == "spatial":
            _check_route(tendon)
        values["adr"], values["num"] = adr, len(path)
        adr += len(path)
        name = values.get("material")
        values["matid"] = draft.find("material", name, element, "material").id if name else -1
        _limits(tendon)


def _limits(tendon: "Part") -> None:
    values = tendon.values
    for field, prefix in (("is_limited", ""), ("is_actfrclimited", "actuatorfrc")):
        name = f"{prefix}range"
        values[field] = limited(tendon, f"{prefix}limited", name, tendon.settings)
        if values[field]:
            check_range(tendon, name)
    low, high = values["actuatorfrcrange"]
    if values["is_actfrclimited"] and not low <= 0 <= high:
        raise tendon.error(f"actuatorfrcrange='{low:g} {high:g}': expected a range that contains 0")
    low, high = values["springlength"]
    if low > high:
        raise tendon.error(
            f"springlength='{low:g} {high:g}': expected the first number to be at most the second"
        )


def _joint(draft: "Draft", element: "Element") -> Stop:
    joint = draft.find("joint", element.values["joint"], element, "joint")
    return Stop(WRAP_JOINT, joint, element.values["coef"], element)


def _site(draft: "Draft", element: "Element") -> Stop:
    site = draft.find("site", element.values["site"], element, "site")
    return Stop(WRAP_SITE, site, 0.0, element)


def _geom(draft: "Draft", element: "Element") -> Stop:
    name, side = element.values["geom"], element.values.get("sidesite")
    geom = draft.find("geom", name, element, "geom")
    if geom["type"] not in SHAPES:
        raise element.error(
            f"geom='{name}': expected a sphere or cylinder, found type='{geom['type']}'"
        )
    place = draft.find("site", side, element, "sidesite").id if side else -1
    return Stop(SHAPES[geom["type"]], geom, float(place), element)


def _pulley(draft: "Draft", element: "Element") -> Stop:
    divisor = element.values["divisor"]
    if divisor < 0:
        raise element.error(f"divisor='{divisor:g}': expected a number that is not negative")
    return Stop(WRAP_PULLEY, None, divisor, element)


STOPS = {"joint": _joint, "site": _site, "geom": _geom, "pulley": _pulley}


def _check_route(tendon: "Part") -> None:
    """Refuse paths through space that are no lines between sites."""
    # the tendon
    path = tendon["path"]
    if len(path) < 2:
        raise tendon.error("expected at least two elements along its path, found one")
    for name, wrong in (("width", tendon["width"] <= 0), ("armature", tendon["armature"] < 0)):
        if wrong:
            kind = "positive number" if name == "width" else "number that is not negative"
            raise tendon.error(f"{name}='{tendon[name]:g}': expected a {kind}")
    # each stop, by its neighbours: a branch ends at a pulley
    for k, stop in enumerate(path):
        before = path[k - 1] if k else None
        after = path[k + 1] if k + 1 < len(path) else None
        types = [other.type if other else None for other in (before, after)]
        if stop.type == WRAP_PULLEY:
            if types[0] == WRAP_PULLEY or after is None:
                raise stop.element.error("expected a site behind the pulley")
        elif stop.type == WRAP_SITE:
            # sites need something to pull towards
            if not any(kind in (WRAP_SITE, *GEOMS) for kind in types):
                raise stop.element.error(
                    f"site='{stop.part.name}': expected a site or geom beside it in its branch"
                )
            if after and after.part is stop.part:
                raise after.element.error(
                    f"site='{stop.part.name}': expected another site than the one before"
                )
        else:
            _check_wrapped(tendon, stop, types)


def _check_wrapped(tendon: "Part", stop: Stop, types: list) -> None:
    if types != [WRAP_SITE, WRAP_SITE]:
        raise stop.element.error(f"geom='{stop.part.name}': expected sites before and behind it")
    if tendon["armature"] > 0:
        raise tendon.error(
            f"armature='{tendon['armature']:g}': expected 0, because the tendon wraps around"
            f" the geom '{stop.part.name}'"
        )


def demote_simple(model: "Model", draft: "Draft") -> None:
    """Mark bodies whose inertia depends on the armature of a tendon as not simple."""
    for tendon in draft.parts["tendon"]:
        if tendon["armature"] > 0:
            for stop in tendon["path"]:
                if stop.type == WRAP_SITE:
                    model.body_simple[stop.part.body.id] = 0


def tendon_rows(model: "Model", draft: "Draft") -> list[list[int]]:
    """Dofs that can change the length of each tendon, sorted.

    A joint that is twice in a fixed tendon is twice in its row, as in MuJoCo.
    """
    rows = []
    for tendon in draft.parts["tendon"]:
        stops = [stop for stop in tendon["path"] if stop.part]
        if tendon.element.tag == "fixed":
            rows.append(sorted(int(model.jnt_dofadr[stop.part.id]) for stop in stops))
        else:
            bodies = {stop.part.body.id for stop in stops}
            rows.append(sorted({dof for body in bodies for dof in chain(model, body)}))
    return rows


def sizes(draft: "Draft") -> dict[str, int]:
    """Things along the paths of all tendons."""
    return {"nwrap": sum(tendon["num"] for tendon in draft.parts["tendon"])}


def fill(model: "Model", draft: "Draft") -> None:
    """Write what tendons are made of."""
    k = 0
    for tendon in draft.parts["tendon"]:
        i = tendon.id
        for name in ("stiffness", "damping"):
            linear, *higher = tendon[name]
            getattr(model, f"tendon_{name}")[i] = linear
            getattr(model, f"tendon_{name}poly")[i] = higher
        for stop in tendon["path"]:
            model.wrap_type[k], model.wrap_prm[k] = stop.type, stop.prm
            model.wrap_objid[k] = stop.part.id if stop.part else -1
            k += 1


def check_sleep(model: "Model", draft: "Draft") -> None:
    """Refuse that trees are told to sleep between which a tendon carries forces."""
    for tendon in draft.parts["tendon"]:
        for tree in coupled_trees(model, tendon.id):
            if model.tree_sleep_policy[tree] in (SLEEP_ALLOWED, SLEEP_INIT):
                body = draft.parts["body"][model.tree_bodyadr[tree]]
                raise tendon.error(
                    f"body '{body.name}': expected sleep='auto' or 'never', because the tendon"
                    f" carries forces between trees, found sleep='{body['sleep']}'"
                )
