"""Random plugins, sensors that feel with a mesh, and round and flat meshes on planes."""

import xml.etree.ElementTree as ET

from tests.fuzzing.document import Document
from tests.fuzzing.draw import Draw, text
from tests.fuzzing.flexes import bodies_of, flexcomp

# meshes of many vertices, of which a plane touches several, and flat ones
ROUND = {
    "sphere": lambda d: text(d.randint(1, 3)), "hemisphere": lambda d: text(d.randint(2, 4)),
    "cone": lambda d: f"{d.randint(8, 16)} {text(d.number(0, 1))}",
    "supertorus": lambda d: f"{d.randint(6, 12)} {text((d.number(0.1, 0.6), 0.8, 1.3))}",
    "supersphere": lambda d: f"{d.randint(6, 12)} {text((d.number(0.3, 2), d.number(0.3, 2)))}",
    "wedge": lambda d: f"5 4 {text((d.number(60, 170), d.number(30, 80), d.number(0, 0.5)))}",
    "plate": lambda d: f"{d.randint(2, 6)} {d.randint(2, 6)}",
}  # fmt: skip


def add_extensions(doc: Document, seed) -> None:
    """Some of them in some documents, drawn apart: the others stay what they are."""
    d = doc.draw = Draw(f"extensions {seed}")
    for part, probability in PARTS.items():
        if d.chance(probability):
            part(doc)


def declared(doc: Document, plugin: str) -> ET.Element:
    """The element that declares a plugin."""
    section = doc.section("extension")
    found = section.find(f"plugin[@plugin='{plugin}']")
    return ET.SubElement(section, "plugin", plugin=plugin) if found is None else found


def configured(element: ET.Element, settings: dict) -> None:
    for key, value in settings.items():
        if value is not None:
            ET.SubElement(element, "config", key=key, value=value)


def controller(doc: Document) -> None:
    """Controllers of joints, by an instance or with settings of their own."""
    d = doc.draw
    for _ in range(d.among(1, 1, 2)):
        joint = doc.some("scalar")
        if joint is None:
            return
        integral, rate = d.chance(0.5), d.chance(0.4)
        settings = {
            "kp": text(d.spread(0.1, 50)),
            "ki": text(d.spread(0.1, 20)) if integral else None,
            "kd": d.among(None, text(d.spread(0.01, 2))),
            "imax": text(d.spread(0.1, 5)) if integral and d.chance(0.5) else None,
            "slewmax": text(d.spread(0.1, 20)) if rate else None,
        }
        plugin, given = declared(doc, "mujoco.pid"), {"plugin": "mujoco.pid"}
        if d.chance(0.4):
            name = doc.name("instance")
            configured(ET.SubElement(plugin, "instance", name=name), settings)
            settings, given = {}, {"instance": name}
        element = doc.add(
            doc.section("actuator"), "plugin", "actuator/plugin", name=doc.name("actuator"),
            joint=joint, actdim=integral + rate, dyntype="none", **given,
        )  # fmt: skip
        if "delay" in element.attrib:
            element.attrib.setdefault("nsample", "2")
        configured(element, settings)


def cable(doc: Document) -> None:
    """A chain of bodies with elastic joints."""
    d = doc.draw
    shape = d.among("capsule", "capsule", "cylinder", "box")
    # of two points MuJoCo reads a third one; of three it excludes a body that is not there
    element = doc.add(
        d.choice([doc.section("worldbody"), *bodies_of(doc.root)]), "composite", "body/composite",
        prefix=doc.name("cable"), type="cable", count=text((d.randint(4, 7), 1, 1)),
        curve=d.among("s", "s 0 sin(s)", "cos(s) sin(s) 0"), size=d.vector(3, 0.2, 0.8),
        offset=d.vector(3, -0.4, 0.4), initial=d.among("none", "ball", "free"),
    )  # fmt: skip
    if d.chance(0.5):
        doc.add(element, "joint", "body/composite/joint", kind="main", damping=d.spread(0.01, 1))
    if shape == "box" and d.chance(0.3):
        doc.add(element, "skin", "body/composite/skin", subgrid=d.randint(0, 2))
    if d.chance(0.2):
        doc.add(element, "site", "body/composite/site")
    size = text(d.spread(0.005, 0.03) for _ in range(3))
    doc.add(element, "geom", "body/composite/geom", type=shape, size=size)
    if d.chance(0.8):
        declared(doc, "mujoco.elasticity.cable")
        plugin = ET.SubElement(element, "plugin", plugin="mujoco.elasticity.cable")
        stiff = {key: text(d.spread(1e3, 1e7)) for key in ("twist", "bend")}
        configured(plugin, stiff | {"flat": d.among(None, "true", "false")})


def touch_grid(doc: Document) -> None:
    """A grid of touch around a site."""
    d, site = doc.draw, doc.some("site")
    if site is None:
        return
    declared(doc, "mujoco.sensor.touch_grid")
    element = doc.add(
        doc.section("sensor"), "plugin", "sensor/plugin", name=doc.name("sensor"),
        plugin="mujoco.sensor.touch_grid", objtype="site", objname=site,
    )  # fmt: skip
    configured(element, {
        "size": text((d.randint(1, 5), d.randint(1, 5))),
        "fov": text((d.uniform(10, 180), d.uniform(10, 90))),
        "gamma": d.among(None, text(d.uniform(0, 1))),
        "nchannel": d.among(None, text(d.randint(1, 6))),
    })  # fmt: skip


def mesh_of(doc: Document, kind: str, size: float) -> str:
    """A mesh of MuJoCo's own shapes, now and then pressed flat."""
    d, name = doc.draw, doc.name("mesh")
    scale = [size * d.uniform(0.5, 1.5) for _ in range(3)]
    if d.chance(0.15):
        scale[2] *= d.among(0.1, 1e-3)
    doc.add(
        doc.section("asset"), "mesh", "asset/mesh", name=name, builtin=kind,
        params=ROUND[kind](d), scale=text(scale), inertia=d.among(None, "convex", "exact", "shell"),
    )  # fmt: skip
    return name


def loose_mesh(doc: Document, kind: str, place: str, joint: str) -> str:
    """A body in the world with a mesh; returns the name of the geom."""
    d, size = doc.draw, doc.draw.spread(0.05, 0.3)
    body = doc.name("body")
    element = doc.add(doc.section("worldbody"), "body", "body", name=body, pos=place)
    element.attrib.pop("sleep", None)
    ET.SubElement(element, "joint", name=doc.name(joint, "joint", body=body), type=joint)
    geom = doc.name("geom", "solid", body=body)
    attributes = {"type": "mesh", "mesh": mesh_of(doc, kind, size), "mass": text(d.spread(0.1, 2))}
    ET.SubElement(element, "geom", name=geom, **attributes)
    return geom


def on_planes(doc: Document) -> None:
    """Round and flat meshes near a plane."""
    d = doc.draw
    place = [d.uniform(-1, 1) for _ in range(3)]
    ET.SubElement(
        doc.section("worldbody"), "geom", name=doc.name("geom", body="world"), type="plane",
        size="3 3 .1", pos=text(place), zaxis=d.among("0 0 1", "0 0 1", "0.1 0.2 1"),
    )  # fmt: skip
    for _ in range(d.among(1, 1, 2)):
        away = text((place[0] + d.uniform(-1, 1), place[1], place[2] + d.uniform(-0.05, 0.3)))
        kind = d.choices([*ROUND], [3 if kind != "plate" else 1 for kind in ROUND])[0]
        loose_mesh(doc, kind, away, d.among("free", "free", "ball", "slide"))


def tactile(doc: Document) -> None:
    """A sensor of touch: its own mesh, or a pad inside it, beside a deformable in half of them."""
    d = doc.draw
    geom = loose_mesh(doc, d.among("sphere", "supersphere"), d.vector(3, -0.3, 0.3), "slide")
    own = doc.root.find(f".//geom[@name='{geom}']").get("mesh")
    mesh = own if d.chance(0.5) else mesh_of(doc, d.among("plate", "sphere"), 0.1)
    name = doc.name("sensor")
    element = doc.add(
        doc.section("sensor"), "tactile", "sensor/tactile", name=name, geom=geom, mesh=mesh
    )
    if "delay" in element.attrib or "interval" in element.attrib:
        element.attrib.setdefault("nsample", "2")
    if d.chance(0.5):
        flexcomp(doc)


# what is added, and how often
PARTS = {controller: 0.08, cable: 0.05, touch_grid: 0.06, on_planes: 0.08, tactile: 0.06}
