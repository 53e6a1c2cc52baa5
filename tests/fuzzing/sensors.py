"""Random sensors of all kinds, with cutoffs, delays and intervals."""

from tests.fuzzing.document import Document

MOUNTED = ("touch", "accelerometer", "velocimeter", "gyro", "force", "torque", "magnetometer")
FRAMES = (
    "framepos", "framequat", "framexaxis", "frameyaxis", "framezaxis", "framelinvel", "frameangvel",
    "framelinacc", "frameangacc",
)  # fmt: skip
OF = {
    **dict.fromkeys(MOUNTED, ("site", "site")),
    **dict.fromkeys(("jointpos", "jointvel", "jointactuatorfrc"), ("joint", "scalar")),
    **dict.fromkeys(
        ("jointlimitpos", "jointlimitvel", "jointlimitfrc"), ("joint", "limited joint")
    ),
    **dict.fromkeys(("tendonpos", "tendonvel", "tendonactuatorfrc"), ("tendon", "tendon")),
    **dict.fromkeys(
        ("tendonlimitpos", "tendonlimitvel", "tendonlimitfrc"), ("tendon", "limited tendon")
    ),
    **dict.fromkeys(("actuatorpos", "actuatorvel", "actuatorfrc"), ("actuator", "actuator")),
    **dict.fromkeys(("ballquat", "ballangvel"), ("joint", "ball")),
    **dict.fromkeys(("subtreecom", "subtreelinvel", "subtreeangmom"), ("body", "body")),
}  # kind: attribute, and of which kind its object is
OTHERS = (
    *FRAMES, "camprojection", "rangefinder", "insidesite", "distance", "normal", "fromto", "contact",
    "e_potential", "e_kinetic", "clock", "user",
)  # fmt: skip
# readings of a fixed length, which MuJoCo refuses to cut off
UNCUT = ("framequat", "framexaxis", "frameyaxis", "framezaxis", "ballquat", "normal")
PLACED = ("body", "xbody", "geom", "site", "camera")


def add_sensors(doc: Document) -> None:
    d = doc.draw
    for _ in range(d.among(0, 1, 2, 4, 8)):
        kind = d.choice([*OF, *OTHERS, *OTHERS])
        given = target(doc, kind)
        if given is None or any(value is None for value in given.values()):
            continue
        path = f"sensor/{kind}"
        element = doc.add(doc.section("sensor"), kind, path, name=doc.name("sensor"), **given)
        if "delay" in element.attrib or "interval" in element.attrib:
            element.attrib.setdefault("nsample", str(d.randint(1, 5)))
        if kind in UNCUT:
            element.attrib.pop("cutoff", None)
        if kind in ("distance", "normal", "fromto") and d.chance(0.8):
            element.set("cutoff", d.among("0.1", "1", "5"))


def target(doc: Document, kind: str) -> dict | None:
    """What a sensor measures; a value of None where there is no such thing."""
    d = doc.draw
    if kind in OF:
        attribute, of = OF[kind]
        return {attribute: doc.some(of)}
    if kind in FRAMES:
        given = placed(doc, "obj")
        return given | placed(doc, "ref") if d.chance(0.4) and "acc" not in kind else given
    return SPECIAL[kind](doc)


def placed(doc: Document, which: str) -> dict:
    """An object with a frame."""
    kind = doc.draw.choice(PLACED)
    return {f"{which}type": kind, f"{which}name": doc.some("body" if kind == "xbody" else kind)}


def rangefinder(doc: Document) -> dict:
    if doc.draw.chance(0.3) and doc.names["camera"]:
        return {"camera": doc.some("camera")}
    return {"site": doc.some("site")}


def two_things(doc: Document) -> dict | None:
    """Two geoms or bodies with geoms, for distances."""
    given = {}
    for k in (1, 2):
        kind = doc.draw.among("geom", "geom", "body")
        given[f"{kind}{k}"] = doc.some("solid" if kind == "geom" else "body")
    values = [*given.values()]
    return None if values[0] == values[1] else given


def touching(doc: Document) -> dict:
    """What a contact sensor counts: contacts of geoms, bodies, subtrees, in a site."""
    d, given = doc.draw, {}
    if d.chance(0.3):
        given["site"] = doc.some("site")
    elif d.chance(0.8):
        kind = d.among("geom", "body", "subtree")
        given[f"{kind}1"] = doc.some("geom" if kind == "geom" else "body")
    if d.chance(0.4):
        kind = d.among("geom", "body", "subtree")
        given[f"{kind}2"] = doc.some("geom" if kind == "geom" else "body")
    return given


def users(doc: Document) -> dict:
    d = doc.draw
    given = {"dim": str(d.randint(1, 3)), "needstage": d.among("none", "pos", "vel", "acc")}
    return given | (placed(doc, "obj") if d.chance(0.3) else {})


SPECIAL = {
    "camprojection": lambda doc: {"site": doc.some("site"), "camera": doc.some("camera")},
    "rangefinder": rangefinder,
    "insidesite": lambda doc: {"site": doc.some("site"), **placed(doc, "obj")},
    "distance": two_things, "normal": two_things, "fromto": two_things,
    "contact": touching, "user": users,
    "e_potential": lambda doc: {}, "e_kinetic": lambda doc: {}, "clock": lambda doc: {},
}  # fmt: skip
