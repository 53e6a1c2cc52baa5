"""Contact pairs and exclusions: ids, signatures, their order."""

from ..draft.draft import Draft, Part


def compile_contacts(draft: Draft) -> None:
    """Resolve pairs and exclusions and sort them by the bodies that they join."""
    for pair in draft.parts["pair"]:
        _pair(draft, pair)
    for exclude in draft.parts["exclude"]:
        bodies = [
            draft.find("body", exclude[name], exclude.element, name).id
            for name in ("body1", "body2")
        ]
        exclude.values["signature"] = _signature(*bodies)
    for kind in ("pair", "exclude"):
        draft.parts[kind].sort(key=lambda part: part["signature"])
        for k, part in enumerate(draft.parts[kind]):
            part.id = k


def _signature(body1: int, body2: int) -> int:
    low, high = sorted((body1, body2))
    return (low << 16) + high


def _pair(draft: Draft, pair: Part) -> None:
    if pair["condim"] not in (1, 3, 4, 6):
        raise pair.error(f"condim='{pair['condim']}': expected 1, 3, 4 or 6")
    geoms = []
    for name in ("geom1", "geom2"):
        if name not in pair.values and all(geom.name for geom in draft.parts["geom"]):
            raise pair.error(f"expected the attribute '{name}', found none")
        geoms.append(draft.find("geom", pair.values.get(name, ""), pair.element, name))
    geoms.sort(key=lambda geom: geom.body.id)
    first, second = geoms
    pair.values |= {"geom1id": first.id, "geom2id": second.id}
    pair.values["signature"] = _signature(first.body.id, second.body.id)
