"""Random trees of bodies: joints, geoms, sites, cameras, lights, frames, copies."""

import xml.etree.ElementTree as ET

from tests.fuzzing.document import Document
from tests.fuzzing.draw import text

SOLIDS = ("sphere", "capsule", "ellipsoid", "cylinder", "box")
# stacks of joints in one body, and how often
STACKS = (
    (("hinge",), 8), (("slide",), 4), (("ball",), 4), (("hinge", "hinge"), 3),
    (("slide", "hinge"), 3),
    (("slide", "slide", "slide"), 2), (("slide", "slide", "slide", "ball"), 2), (("hinge",) * 3, 2),
    (("slide", "ball"), 1), (("hinge", "slide"), 1), (("slide",) * 3 + ("hinge",) * 3, 1), ((), 3),
)  # fmt: skip


class Bodies:
    """Fills the world of a document.

    Args:
        document: the document, whose assets are there.
        nbody: how many bodies to make, about.
        size: half the edge of the box in which they lie (m).
    """

    def __init__(self, document: Document, nbody: int, size: float):
        self.doc, self.draw = document, document.draw
        self.left, self.size = nbody, size
        self.lively = self.draw.among(0.0, 0.1, 0.3)  # probability of springs, losses, limits

    def fill(self) -> None:
        """Fill the world."""
        world = self.doc.section("worldbody")
        self.doc.names["body"].append("world")
        self.ground(world)
        for _ in range(self.draw.randint(0, 2)):
            self.geom(world, "world")
        self.marks(world, "world")
        while self.left > 0:
            place = self.wrapped(world)
            self.body(place, 1)

    # ------------------------------------------------------------ bodies

    def wrapped(self, parent: ET.Element) -> ET.Element:
        """The parent, a frame in it, or a replicate, whose names nothing refers to."""
        d, doc = self.draw, self.doc
        self.doc.copied = False
        if d.chance(0.06):
            doc.copied = True
            return doc.add(
                parent,
                "replicate",
                "body/replicate",
                count=d.randint(1, 3),
                sep=d.among(None, "_"),
                offset=d.vector(3, -0.4, 0.4),
                euler=text(doc.angle(d.uniform(-90, 90)) for _ in range(3)),
            )
        if d.chance(0.1):
            return doc.add(
                parent,
                "frame",
                "body/frame",
                childclass=self.class_(0.3),
                **doc.pose(self.size, 0.8),
            )
        return parent

    def class_(self, p: float = 0.4) -> str | None:
        """A default class, or None."""
        return (
            self.draw.choice(self.doc.classes) if self.doc.classes and self.draw.chance(p) else None
        )

    def body(self, parent: ET.Element, depth: int) -> None:
        """A body with all that is in it."""
        d, doc = self.draw, self.doc
        self.left -= 1
        mocap = depth == 1 and d.chance(0.08)
        free = depth == 1 and not mocap and d.chance(0.4)
        name = doc.name("body", *(["mocap"] if mocap else []))
        reach = self.size if depth == 1 else 0.3
        body = doc.add(
            parent,
            "body",
            "body",
            name=name,
            childclass=self.class_(0.1),
            mocap="true" if mocap else None,
            **doc.pose(reach),
        )
        if not doc.sleeps:
            body.attrib.pop("sleep", None)
        if free:
            self.free(body, name)
        elif not mocap:
            stack = d.choices([s for s, _ in STACKS], [w for _, w in STACKS])[0]
            axes = {kind: self.axes() for kind in ("slide", "hinge")}
            for kind in stack:
                self.joint(body, kind, name, axes[kind].pop() if kind in axes else None)
        if d.chance(0.12):
            self.inertial(body)
        for _ in range(d.among(1, 1, 1, 2, 3)):
            self.geom(
                doc.add(body, "frame", "body/frame", **doc.pose(0.1)) if d.chance(0.05) else body,
                name,
            )
        self.marks(body, name)
        while self.left > 0 and depth < 7 and d.chance(0.45):
            self.body(body, depth + 1)

    def free(self, body: ET.Element, name: str) -> None:
        doc = self.doc
        if self.draw.chance(0.6):
            doc.add(body, "freejoint", "body/freejoint", name=doc.name("free", "joint", body=name))
        else:
            joint = doc.add(
                body, "joint", "body/joint", name=doc.name("free", "joint", body=name), type="free"
            )
            for attribute in ("springdamper", "range", "actuatorfrcrange"):
                joint.attrib.pop(attribute, None)

    def axes(self) -> list[str]:
        """Three axes, not in one plane, of the joints of a body."""
        d = self.draw
        axes = ["1 0 0", "0 1 0", "0 0 1"]
        d.shuffle(axes)
        if not d.round and d.chance(0.7):
            axes = [text(float(x) + d.uniform(-0.3, 0.3) for x in axis.split()) for axis in axes]
        return axes

    def joint(self, body: ET.Element, kind: str, name: str, axis: str | None) -> None:
        """A joint with springs, limits and losses at random."""
        d, doc = self.draw, self.doc
        scalar = ["scalar"] if kind in ("hinge", "slide") else []
        given: dict = {
            "name": doc.name(kind, "joint", *scalar, body=name),
            "type": kind,
            "class_": self.class_(),
        }
        if axis is not None:
            given["axis"] = axis
        if d.chance(0.5):
            given["pos"] = d.vector(3, -0.2, 0.2)
        if d.chance(0.3):
            low, high = sorted((d.uniform(-1.5, 1), d.uniform(-1, 1.5)))
            low = 0.0 if kind == "ball" else low
            unit = doc.angle(57.29577951308232) if kind != "slide" else 0.5
            given["range"] = text((low * unit, max(high, low + 0.05) * unit))
        joint = doc.add(body, "joint", "body/joint", **given)
        if d.chance(self.lively):
            doc.sprinkle(joint, "body/joint", 0.3)
        if kind == "ball":
            for attribute in ("springdamper",):
                joint.attrib.pop(attribute, None)
        if (
            "range" in joint.attrib
            and joint.get("limited") != "false"
            and scalar
            and not doc.copied
        ):
            doc.names["limited joint"].append(given["name"])

    def inertial(self, body: ET.Element) -> None:
        d, doc = self.draw, self.doc
        pose = doc.pose(0.1)
        pose.setdefault("pos", "0 0 0")
        a, b = d.spread(0.001, 1), d.spread(0.001, 1)
        c = d.uniform(abs(a - b) * 1.01, a + b)
        given = {"mass": d.spread(0.05, 10)}
        if d.chance(0.4):
            pose = {"pos": pose["pos"]}
            off = 0.05 * min(a, b, c)
            given["fullinertia"] = f"{text((a, b, c))} {d.vector(3, -off, off)}"
        else:
            given["diaginertia"] = text((a, b, c))
        doc.add(body, "inertial", "body/inertial", **pose, **given)

    # ------------------------------------------------------------ geoms

    def ground(self, world: ET.Element) -> None:
        """Planes and height fields under and beside the rest."""
        d, doc = self.draw, self.doc
        low = f"0 0 {text(-self.size * d.uniform(0, 1))}"
        kind = d.among("plane", "plane", "planes", "hfield", "none")
        if kind == "hfield" and doc.names["hfield"]:
            doc.add(
                world,
                "geom",
                "body/geom",
                name=doc.name("geom", body="world"),
                type="hfield",
                hfield=doc.some("hfield"),
                pos=low,
            )
        elif kind != "none":
            doc.add(
                world,
                "geom",
                "body/geom",
                name=doc.name("geom", "wall", body="world"),
                type="plane",
                size="3 3 .1",
                pos=low,
                zaxis=d.among(None, "0.1 0.2 1"),
            )
        if kind == "planes":
            doc.add(
                world,
                "geom",
                "body/geom",
                name=doc.name("geom", "wall", body="world"),
                type="plane",
                size="0 2 .1",
                pos=text((-self.size, 0, 0)),
                zaxis=d.direction(),
            )

    def geom(self, parent: ET.Element, body: str) -> None:
        """A solid geom, which may be a mesh, or be fitted to one."""
        d, doc = self.draw, self.doc
        kind = d.among(*SOLIDS, "mesh", weights=(4, 4, 2, 2, 4, 2))
        mesh = doc.some("mesh") if kind == "mesh" or d.chance(0.04) else None
        if kind == "mesh" and mesh is None:
            kind = "sphere"
        given: dict = {
            "type": kind,
            "mesh": mesh,
            "class_": self.class_(),
            **doc.pose(0.2 if body != "world" else self.size),
        }
        if mesh is None:
            given["size"] = text(d.spread(0.03, 0.25) for _ in range(3))
            if kind != "sphere" and d.chance(0.15):
                given = {"type": kind, "size": given["size"], "fromto": d.vector(6, -0.3, 0.3)}
        if d.chance(0.2):
            given["material"] = doc.some("material")
        kinds = ("wrap",) if kind in ("sphere", "cylinder") and mesh is None else ()
        geom = doc.add(
            parent, "geom", "body/geom", name=doc.name("geom", "solid", *kinds, body=body), **given
        )
        if body != "world" and mesh is not None and kind == "mesh":
            geom.attrib.pop("shellinertia", None)
        if mesh is None:
            geom.attrib.pop("fitscale", None)

    # ------------------------------------------------------------ sites, cameras, lights

    def marks(self, body: ET.Element, name: str) -> None:
        """Sites, cameras and lights of a body."""
        d, doc = self.draw, self.doc
        for _ in range(d.among(0, 1, 1, 2)):
            kind = d.choice(SOLIDS)
            given = {"type": kind, "size": text(d.spread(0.01, 0.3) for _ in range(3))}
            if kind != "sphere" and d.chance(0.1):
                given["fromto"] = d.vector(6, -0.3, 0.3)
            else:
                given |= doc.pose(0.25)
            doc.add(
                body,
                "site",
                "body/site",
                name=doc.name("site", body=name),
                class_=self.class_(),
                material=doc.some("material") if d.chance(0.1) else None,
                **given,
            )
        for tag, p in (("camera", 0.12), ("light", 0.12)):
            if d.chance(p):
                self.watcher(body, tag, name)

    def watcher(self, body: ET.Element, tag: str, name: str) -> None:
        """A camera or a light, which may follow a body."""
        d, doc = self.draw, self.doc
        given = doc.pose(0.5) if tag == "camera" else {"pos": d.vector(3, -0.5, 0.5)}
        mode = d.among(
            None,
            "fixed",
            "track",
            "trackcom",
            *(() if doc.copied else ("targetbody", "targetbodycom")),
        )
        given |= {
            "mode": mode,
            "target": doc.some("body") if mode and mode.startswith("target") else None,
        }
        element = doc.add(
            body, tag, f"body/{tag}", name=doc.name(tag, body=name), class_=self.class_(), **given
        )
        if "directional" in element.attrib:
            element.attrib.pop("type", None)
        if tag == "camera" and d.chance(0.3):
            element.attrib.pop("fovy", None)
            element.set("sensorsize", d.vector(2, 0.01, 0.1))
            element.set("resolution", d.among("4 3", "8 8"))
            unit = d.among("", "pixel")
            element.set(f"focal{unit}", d.vector(2, 0.02, 0.1) if not unit else d.vector(2, 3, 9))
            if d.chance(0.5):
                element.set(f"principal{unit}", d.vector(2, -0.01, 0.01))
