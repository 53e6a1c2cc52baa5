"""Random couplings of what is in the bodies: contact pairs, equalities, tendons."""

import xml.etree.ElementTree as ET

from tests.fuzzing.document import Document


def add_contacts(doc: Document) -> None:
    """Predefined pairs and excluded bodies."""
    d = doc.draw
    for _ in range(d.among(0, 0, 0, 1, 2)):
        first, second = doc.some("geom"), doc.some("geom")
        if first and first != second:
            doc.add(
                doc.section("contact"),
                "pair",
                "contact/pair",
                name=doc.name("pair"),
                class_=a_class(doc),
                geom1=first,
                geom2=second,
            )
    for _ in range(d.among(0, 0, 0, 1, 2)):
        first, second = doc.some("body"), doc.some("body")
        if first != second:
            doc.add(
                doc.section("contact"),
                "exclude",
                "contact/exclude",
                name=doc.name("exclude"),
                body1=first,
                body2=second,
            )


def a_class(doc: Document) -> str | None:
    return doc.draw.choice(doc.classes) if doc.classes and doc.draw.chance(0.2) else None


# ------------------------------------------------------------ equalities


def add_equalities(doc: Document) -> None:
    d = doc.draw
    for _ in range(d.among(0, 0, 0, 1, 1, 2, 3)):
        kind = d.among("connect", "weld", "joint", "tendon", weights=(3, 3, 2, 1))
        given = {"joint": couple, "tendon": couple}.get(kind, attach)(doc, kind)
        if given is not None:
            doc.add(
                doc.section("equality"),
                kind,
                f"equality/{kind}",
                name=doc.name("equality"),
                class_=a_class(doc),
                **given,
            )


def couple(doc: Document, kind: str) -> dict | None:
    """Two joints or tendons, or one alone."""
    names = doc.names["scalar" if kind == "joint" else "tendon"]
    if not names:
        return None
    first, second = doc.draw.choice(names), doc.draw.choice(names)
    both = first != second and doc.draw.chance(0.8)
    return {f"{kind}1": first, f"{kind}2": second if both else None}


def attach(doc: Document, kind: str) -> dict | None:
    """Two bodies or two sites."""
    d = doc.draw
    if d.chance(0.4) and len(doc.names["site"]) > 1:
        first, second = d.sample(doc.names["site"], 2)
        return {"site1": first, "site2": second}
    moving = [name for name in doc.names["body"] if name != "world"]
    if not moving:
        return None
    first, second = d.choice(moving), d.choice(doc.names["body"])
    if first == second:
        return None
    given = {"body1": first, "body2": second if second != "world" else None}
    if kind == "connect":
        given["anchor"] = d.vector(3, -0.3, 0.3)
    elif d.chance(0.3):
        given["relpose"] = d.vector(3, -0.4, 0.4) + d.among(" 1 0 0 0", " 1 1 0 0", " 0 0 0 0")
    return given


# ------------------------------------------------------------ tendons


def add_tendons(doc: Document) -> None:
    d = doc.draw
    for _ in range(d.among(0, 0, 1, 1, 2)):
        if d.chance(0.4):
            fixed(doc)
        else:
            spatial(doc)


def tendon(doc: Document, kind: str, **given) -> ET.Element:
    d = doc.draw
    if d.chance(0.4):
        given["range"] = d.interval(0, 1)
    name = doc.name("tendon", kind)
    element = doc.add(
        doc.section("tendon"), kind, f"tendon/{kind}", name=name, class_=a_class(doc), **given
    )
    if "range" in given and element.get("limited") != "false":
        doc.names["limited tendon"].append(name)
    return element


def fixed(doc: Document) -> None:
    d, joints = doc.draw, doc.names["scalar"]
    if not joints:
        return
    element = tendon(doc, "fixed")
    for joint in d.sample(joints, min(len(joints), d.randint(1, 3))):
        doc.add(
            element,
            "joint",
            "tendon/fixed/joint",
            joint=joint,
            coef=d.among(0.0, d.number(-2, 2), d.number(-2, 2)),
        )


def spatial(doc: Document) -> None:
    """A path over sites, around geoms, in branches behind pulleys."""
    d, sites = doc.draw, doc.names["site"]
    if len(sites) < 2:
        return
    element = tendon(doc, "spatial", material=doc.some("material") if d.chance(0.1) else None)
    for branch in range(d.among(1, 1, 1, 2)):
        if branch or d.chance(0.1):
            doc.add(
                element,
                "pulley",
                "tendon/spatial/pulley",
                divisor=d.among(1.0, 2.0, d.number(0.5, 4)),
            )
        before = None
        for k in range(d.randint(2, 4)):
            wrap = doc.some("wrap")
            if k and wrap and d.chance(0.4):
                side = doc.some("site") if d.chance(0.4) else None
                doc.add(element, "geom", "tendon/spatial/geom", geom=wrap, sidesite=side)
                element.attrib.pop("armature", None)
            before = d.choice([site for site in sites if site != before])
            doc.add(element, "site", "tendon/spatial/site", site=before)
