"""Inertia of bodies: sums over their geoms, and what those that move must have."""

from math import isnan

from ...tables.enums import MINVAL
from ..draft.draft import Body
from ..geometry.inertia import principal, shifted, turned
from ..geometry.pose import EPS, sub, total_of


def from_geoms(body: Body, group_range: tuple[int, int]) -> None:
    """Set mass, centre, principal axes and moments of a body from its geoms."""
    low, high = group_range
    geoms = [g for g in body.geoms if low <= g["group"] <= high and g["mass"] > EPS]
    values = body.values
    # one geom: its own numbers, without rounding
    if len(geoms) == 1:
        only = geoms[0]
        values |= {"ipos": only["pos"], "iquat": only["quat"]}
        values |= {"mass": only["mass"], "inertia": only["inertia"]}
    if len(geoms) < 2:
        return
    # several: the centre of mass, and the sum of their inertia about it
    mass = total_of(g["mass"] for g in geoms)
    if mass < EPS:
        raise body.error("expected geoms with more mass, to compute its centre")
    centre = tuple(total_of(g["mass"] * g["pos"][k] for g in geoms) / mass for k in range(3))
    total = [0.0] * 6
    for g in geoms:
        parts = turned(g["inertia"], g["quat"]), shifted(g["mass"], sub(g["pos"], centre))
        total = [t + a + b for t, a, b in zip(total, *parts, strict=True)]
    # principal axes; nan of a bad geom is passed on
    moments, quat = values["inertia"], values["iquat"]
    if not isnan(total[0]):
        moments, quat = principal(tuple(total))
    if moments[2] < EPS and not isnan(total[0]):
        raise body.error("inertia of its geoms: expected a matrix with positive eigenvalues")
    values |= {"mass": mass, "ipos": centre, "inertia": moments, "iquat": quat}


def check_moving(bodies: list) -> None:
    """Refuse moving bodies without mass or inertia, of their own or of a body welded to them."""
    for body in bodies[1:]:
        if body.joints and not _has_inertia(body):
            moments = " ".join(f"{x:g}" for x in body["inertia"])
            raise body.error(
                f"mass {body['mass']:g}, inertia {moments}: expected both to be positive in a body"
                " that moves; add a geom with mass, or correct <inertial>"
            )


def _has_inertia(body: Body) -> bool:
    pending = [body]
    while pending:
        welded = pending.pop()
        if welded["mass"] >= MINVAL and min(welded["inertia"]) >= MINVAL:
            return True
        pending.extend(child for child in welded.bodies if not child.joints)
    return False
