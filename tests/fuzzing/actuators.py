"""Random actuators of all kinds, over all transmissions."""

from tests.fuzzing.document import Document
from tests.fuzzing.draw import Draw, text

KINDS = {
    "general": 4, "motor": 3, "position": 3, "velocity": 2, "intvelocity": 1, "damper": 1,
    "cylinder": 1, "muscle": 2, "adhesion": 1, "dcmotor": 2,
}  # fmt: skip


def add_actuators(doc: Document) -> None:
    d = doc.draw
    for _ in range(d.among(0, 1, 1, 2, 3)):
        kind = d.choices([*KINDS], [*KINDS.values()])[0]
        target = {"body": doc.some("body")} if kind == "adhesion" else transmission(doc, kind)
        if target is None:
            continue
        given = {
            "name": doc.name("actuator", kind),
            "class_": a_class(doc),
            **target,
            **NEEDED.get(kind, nothing)(d),
        }
        if kind == "muscle" and d.chance(0.8):
            given["lengthrange"] = text((d.uniform(0, 0.5), d.uniform(0.6, 1.5)))
        if d.chance(0.3) and kind not in ("adhesion", "damper"):
            given["ctrlrange"] = d.interval(-1, 1)
        element = doc.add(doc.section("actuator"), kind, f"actuator/{kind}", **given)
        if "delay" in element.attrib and "nsample" not in element.attrib:
            element.set("nsample", str(d.randint(1, 5)))
        if kind == "position" and "inheritrange" in element.attrib:
            element.attrib.pop("ctrlrange", None)
        if kind == "intvelocity" and "inheritrange" in element.attrib:
            element.attrib.pop("actrange", None)
        if not {"joint", "jointinparent", "tendon"} & target.keys():
            for name in ("damping", "armature", "inheritrange"):
                element.attrib.pop(name, None)
        if element.get("dyntype") == "none":
            element.attrib.pop("actrange", None)
        if "dampratio" in element.attrib:
            element.attrib.pop("kv", None)


def a_class(doc: Document) -> str | None:
    return doc.draw.choice(doc.classes) if doc.classes and doc.draw.chance(0.2) else None


def transmission(doc: Document, kind: str) -> dict | None:
    """What an actuator acts on: a joint, a tendon, a site, a slider with its crank."""
    d = doc.draw
    ways = ["joint"] * 5 + ["jointinparent", "tendon", "tendon", "crank"]
    if kind != "muscle":
        ways += ["site", "refsite"]
    if kind == "general":
        ways.append("body")
    way = d.choice(ways)
    if way == "crank":
        pin, slider = doc.some("site"), doc.some("site")
        found = pin != slider
        return (
            {"cranksite": pin, "slidersite": slider, "cranklength": d.number(0.1, 1)}
            if found
            else None
        )
    if way == "refsite":
        site, other = doc.some("site"), doc.some("site")
        return {"site": site, "refsite": other} if site and site != other else None
    kinds = ("joint",) if way in ("joint", "jointinparent") else (way,)
    if way == "joint" and d.chance(0.8):
        kinds = ("scalar",)
    name = doc.some(*kinds)
    return {way: name} if name else None


def nothing(d: Draw) -> dict:
    return {}


def general(d: Draw) -> dict:
    """Types of dynamics, gain and bias with parameters that fit."""
    dynamics = d.among("none", "none", "integrator", "filter", "filterexact", "muscle", "user")
    gain = "muscle" if dynamics == "muscle" and d.chance(0.7) else d.among("fixed", "affine")
    bias = "muscle" if gain == "muscle" else d.among("none", "affine")
    muscle = "0.75 1.05 100 200 0.5 1.6 1.5 1.3 1.2"
    prm = {"muscle": "0.01 0.04 0.1", "filter": text(d.spread(0.005, 0.5))}
    given = {
        "dyntype": dynamics, "gaintype": gain, "biastype": bias,
        "dynprm": prm.get(dynamics, prm["filter"]),
        "gainprm": muscle if gain == "muscle" else d.vector(3, -3, 3),
        "biasprm": muscle if bias == "muscle" else d.vector(3, -3, 3),
    }  # fmt: skip
    if dynamics == "user":
        given["actdim"] = str(d.randint(1, 3))
    if gain == "muscle":
        given["lengthrange"] = text((d.uniform(0, 0.5), d.uniform(0.6, 1.5)))
    return given


# attributes that a kind cannot do without
NEEDED = {
    "general": general,
    "intvelocity": lambda d: {"actrange": d.interval(-1, 1)},
    "damper": lambda d: {"ctrlrange": d.interval(0, 2), "kv": d.spread(0.1, 3)},
    "adhesion": lambda d: {"ctrlrange": d.interval(0, 2)},
    "dcmotor": lambda d: {"motorconst": d.spread(0.05, 1), "resistance": d.spread(0.1, 5)},
}
