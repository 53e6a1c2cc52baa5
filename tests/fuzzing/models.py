"""A random model from a seed: a document with all its sections."""

import xml.etree.ElementTree as ET

from mjenv.engine.mjcf.text.schema import kinds
from tests.fuzzing.actuators import add_actuators
from tests.fuzzing.assets import add_assets, skin
from tests.fuzzing.bodies import Bodies
from tests.fuzzing.couplings import add_contacts, add_equalities, add_tendons
from tests.fuzzing.document import Document
from tests.fuzzing.draw import Draw, text
from tests.fuzzing.extensions import add_extensions
from tests.fuzzing.flexes import add_flexes, bodies_of
from tests.fuzzing.sensors import add_sensors

# elements that a default class may have; those of actuators say something about all actuators
DEFAULTS = (
    "joint",
    "geom",
    "site",
    "camera",
    "light",
    "pair",
    "equality",
    "tendon",
    "mesh",
    "material",
)
DRIVES = (
    "general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle",
    "adhesion", "dcmotor",
)  # fmt: skip
# kinds of names in an attached model that others may refer to
REFERABLE = (
    "body", "geom", "site", "joint", "scalar", "ball", "limited joint", "tendon", "limited tendon",
    "actuator", "camera",
)  # fmt: skip


def random_model(seed) -> ET.Element:
    """The document of a seed."""
    d = Draw(f"model {seed}")
    doc = Document(d)
    compiler(doc)
    options(doc)
    if d.chance(0.15):
        doc.sprinkle(doc.section("size"), "size", 0.2)
    if d.chance(0.1):
        doc.sprinkle(doc.section("statistic"), "statistic", 0.4)
    if d.chance(0.05):
        pictures(doc)
    if d.chance(0.4):
        defaults(doc)
    add_assets(doc)
    Bodies(doc, d.among(1, 2, 3, 4, 5, 6, 8), d.among(0.2, 0.5, 0.5, 1.0)).fill()
    doc.copied = False
    for part in (add_contacts, add_tendons, add_equalities, add_actuators, add_sensors):
        part(doc)
    if d.chance(0.05):
        skin(doc)
    if d.chance(0.1):
        custom(doc)
    if d.chance(0.2):
        keyframes(doc)
    add_flexes(doc, seed)
    add_extensions(doc, seed)
    attach(doc, seed)
    return doc.root


def attached_model(seed) -> Document:
    """The model that the document of a seed may attach: some bodies, and what refers to them."""
    d = Draw(f"attached {seed}")
    doc = Document(d)
    doc.root.set("model", "child")
    if d.chance(0.5):
        doc.radian = d.chance(0.5)
        unit = "radian" if doc.radian else "degree"
        ET.SubElement(doc.root, "compiler", angle=unit, eulerseq=d.among("xyz", "ZYX"))
    if d.chance(0.3):
        defaults(doc)
    add_assets(doc)
    Bodies(doc, d.among(1, 2, 3), 0.3).fill()
    doc.copied = False
    for part in (add_contacts, add_tendons, add_equalities, add_actuators, add_sensors):
        part(doc)
    if d.chance(0.2):
        keyframes(doc)
    add_extensions(doc, f"attached {seed}")
    return doc


def attach(doc: Document, seed) -> None:
    """Attach that model to some documents, drawn apart, and refer to its parts."""
    d = doc.draw = Draw(f"attach {seed}")
    if not d.chance(0.1):
        return
    child = attached_model(seed)
    ET.SubElement(doc.section("asset"), "model", name="child", file="child.xml")
    for k in range(d.among(1, 1, 2)):
        place = d.choice([doc.section("worldbody"), *bodies_of(doc.root)])
        if d.chance(0.4):
            place = ET.SubElement(place, "frame", doc.pose(0.5))
        element = ET.SubElement(place, "attach", model="child", prefix=f"p{k}_")
        bodies = [name for name in child.names["body"] if name != "world"]
        if bodies and d.chance(0.4):
            body = d.choice(bodies)
            element.set("body", body)
            doc.names["body"].append(f"p{k}_{body}")
        else:
            for kind in REFERABLE:
                doc.names[kind] += [f"p{k}_{name}" for name in child.names[kind] if name != "world"]
    for part in (add_equalities, add_actuators, add_sensors):
        part(doc)


def assets_of(seed) -> dict[str, bytes]:
    """Contents of the files that the document of a seed names."""
    return {"child.xml": to_text(attached_model(seed).root).encode()}


def compiler(doc: Document) -> None:
    d = doc.draw
    if not d.chance(0.4):
        return
    given: dict = {}
    if d.chance(0.5):
        doc.radian, given["angle"] = True, "radian"
    if d.chance(0.4):
        given["eulerseq"] = "".join(d.choice("xyzXYZ") for _ in range(3))
    element = doc.section("compiler")
    element.attrib.update(given)
    doc.sprinkle(element, "compiler", d.among(0.0, 0.05, 0.15))
    if d.chance(0.7):
        element.attrib.pop("inertiagrouprange", None)
    if d.chance(0.1):
        doc.add(element, "lengthrange", "compiler/lengthrange")


def options(doc: Document) -> None:
    d = doc.draw
    element = doc.section("option")
    doc.sprinkle(element, "option", d.among(0.03, 0.1, 0.25))
    for name, value, p in (
        ("tolerance", "0", 0.7),
        ("ls_tolerance", "1e-6", 0.5),
        ("iterations", "200", 0.5),
        ("ls_iterations", "100", 0.5),
    ):
        if d.chance(p):
            element.set(name, value)
    if d.chance(0.3):
        flags = ET.SubElement(element, "flag")
        doc.sprinkle(flags, "option/flag", d.among(0.05, 0.05, 0.3))
        doc.sleeps = flags.get("sleep") == "enable"
        if flags.get("constraint") == "disable" and d.chance(0.7):
            del flags.attrib["constraint"]
    elif d.chance(0.05):
        ET.SubElement(element, "flag", sleep="enable")
        doc.sleeps = True


def pictures(doc: Document) -> None:
    visual = doc.section("visual")
    for path in ("global", "quality", "headlight", "map", "scale", "rgba"):
        if doc.draw.chance(0.3):
            doc.add(visual, path, f"visual/{path}")


def defaults(doc: Document) -> None:
    """Default classes, nested, with some attributes each."""
    d = doc.draw
    main = doc.section("default")
    places = [main]
    for k in range(d.randint(0, 2)):
        name = f"class{k}"
        places.append(ET.SubElement(d.choice(places), "default", {"class": name}))
        doc.classes.append(name)
    for place in places:
        for tag in d.sample(DEFAULTS, d.randint(0, 3)) + (
            d.sample(DRIVES, 1) if d.chance(0.3) else []
        ):
            element = ET.SubElement(place, tag)
            doc.sprinkle(element, f"default/{tag}", 0.12)
            for name in (
                "ctrllimited",
                "limited",
                "forcelimited",
                "actlimited",
                "inheritrange",
                "discardvisual",
            ):
                element.attrib.pop(name, None)


def custom(doc: Document) -> None:
    d, section = doc.draw, doc.section("custom")
    doc.add(
        section,
        "numeric",
        "custom/numeric",
        name=doc.name("numeric"),
        size=d.randint(2, 4),
        data=d.vector(2, -1, 1),
    )
    doc.add(section, "text", "custom/text", name=doc.name("text"), data="words of a user")
    things = [(kind, name) for kind in ("body", "site", "geom") for name in doc.names[kind]]
    if things:
        element = doc.add(section, "tuple", "custom/tuple", name=doc.name("tuple"))
        for kind, name in d.sample(things, min(2, len(things))):
            doc.add(
                element,
                "element",
                "custom/tuple/element",
                objtype=kind,
                objname=name,
                prm=d.number(0, 1),
            )


def keyframes(doc: Document) -> None:
    """Keyframes without vectors: only the compiled model knows their lengths."""
    for _ in range(doc.draw.randint(1, 2)):
        ET.SubElement(
            doc.section("keyframe"), "key", name=doc.name("key"), time=text(doc.draw.number(0, 1))
        )


def fill_keyframes(root: ET.Element, sizes: dict[str, int], seed) -> None:
    """Give keyframes vectors, once it is known how long these are.

    Args:
        root: the document.
        sizes: numbers of elements by attribute.
        seed: of the values.
    """
    d = Draw(f"keys {seed}")
    for key in root.iter("key"):
        for name, n in sizes.items():
            if n and d.chance(0.5):
                key.set(name, text(d.uniform(-1, 1) for _ in range(n)))


def to_text(root: ET.Element) -> str:
    ET.indent(root)
    return ET.tostring(root, encoding="unicode")


def schema_of(root: ET.Element):
    """Yield (path, attribute) of everything that a document uses; attribute "" for the element."""
    pending = [(root, kinds()["mujoco"])]
    while pending:
        element, kind = pending.pop()
        yield kind.path, ""
        yield from ((kind.path, name) for name in element.attrib)
        for child in element:
            tag = "body" if child.tag == "worldbody" else child.tag
            found = kind.children.get(tag)
            if found is None and kind.path in ("body/frame", "body/replicate"):
                found = kinds()["body"].children.get(tag)
            pending.append((child, found if found is not None else kinds()[tag]))
