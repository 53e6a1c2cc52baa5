"""Random deformables: grids and lists of elements, and those whose vertices lie in other bodies."""

import xml.etree.ElementTree as ET

from tests.fuzzing.document import Document
from tests.fuzzing.draw import Draw, text

FULL = (("grid", 3), ("direct", 2), ("box", 1), ("cylinder", 1), ("ellipsoid", 1), ("square", 1),
        ("disc", 1), ("circle", 1))  # fmt: skip
NODES = ("trilinear", "quadratic")
TURNS = ("quat", "axisangle", "euler", "xyaxes", "zaxis")


def add_flexes(doc: Document, seed) -> None:
    """Deformables in some documents, drawn apart: the others stay what they are."""
    d = doc.draw = Draw(f"flexes {seed}")
    if not d.chance(0.12):
        return
    for _ in range(d.among(1, 1, 2)):
        if d.chance(0.75):
            flexcomp(doc)
        else:
            flex(doc)
    if Draw(f"sleeping flexes {seed}").chance(0.15):
        option = doc.section("option")
        flags = option.find("flag")
        (ET.SubElement(option, "flag") if flags is None else flags).set("sleep", "enable")


def flexcomp(doc: Document) -> None:
    """Vertices with bodies of their own, or with nodes."""
    d = doc.draw
    kind = d.choices([k for k, _ in FULL], [w for _, w in FULL])[0]
    dim = d.among(1, 2, 3) if kind in ("grid", "direct") else d.among(2, 3)
    dim = {"circle": 1, "square": 2, "disc": 2}.get(kind, dim)
    dof = d.among("full", *{1: (), 2: ("full", "2d"), 3: ("radial", *NODES, *NODES)}[dim])
    nodes = dof in NODES
    count = [d.randint(2, 3) for _ in range(3)]
    if dim < 3 and kind in ("grid", "square", "disc"):
        count[2] = 1
    if dim == 1:
        count = [d.randint(3, 5), 1, 1]
    given: dict = {"type": kind, "dim": dim, "dof": dof, **doc.pose(0.5, 0.3)}
    given["material"] = doc.some("material") if d.chance(0.2) else None
    if kind == "direct":
        n = d.randint(dim + 1, 6)
        given["point"] = d.vector(3 * n, -0.3, 0.3)
        given["element"] = elements(d, n, dim)
    else:
        given["count"] = text(count)
        given["spacing"] = text(d.spread(0.05, 0.3) for _ in range(3))
    if nodes and d.chance(0.3):
        given["cellcount"] = text(d.randint(1, 2) for _ in range(3))
    # sheets whose vertices are constrained lie across z
    flat = kind in ("grid", "square") and dim == 2 and d.chance(0.3)
    if flat:
        given = {name: value for name, value in given.items() if name not in TURNS}
    world = doc.section("worldbody")
    parent = world if flat else d.choice([world, *bodies_of(doc.root)])
    element = doc.add(parent, "flexcomp", "body/flexcomp", name=doc.name("flex"), **given)
    joined, bends = _edges(doc, element, dim, nodes, flat), False
    if not joined and d.chance(0.7):
        thin = dim == 2 or (nodes and d.chance(0.3))
        how = d.among("none", "bend", "stretch", "both") if thin else None
        bends = how in ("bend", "both")
        doc.add(
            element, "elasticity", "body/flexcomp/elasticity",
            young=d.spread(10, 1e4), poisson=d.uniform(0, 0.4),
            damping=d.among(None, d.spread(1e-4, 0.1)),
            thickness=d.spread(1e-3, 0.02) if thin else None, elastic2d=how,
        )  # fmt: skip
    # MuJoCo mixes up the weights of rows where sheets have pins, because some rows are left out
    if not bends and not flat and d.chance(0.4):
        first = d.randint(0, 1)
        ET.SubElement(element, "pin", id=text((first, first + d.randint(1, 2))))
    _contact(doc, element, "body/flexcomp/contact", dim, nodes)


def elements(d: Draw, n: int, dim: int) -> str:
    """Elements of other vertices each: MuJoCo ends where two have the same."""
    found = {frozenset(d.sample(range(n), dim + 1)) for _ in range(d.randint(1, 4))}
    chosen = [sorted(element) for element in sorted(found, key=sorted)]
    for element in chosen:
        d.shuffle(element)
    return text(v for element in chosen for v in element)


def bodies_of(root: ET.Element) -> list[ET.Element]:
    """Bodies that are not copied, outside frames."""
    found, pending = [], [root.find("worldbody")]
    while pending:
        inside = [child for child in pending.pop() if child.tag == "body"]
        found += [body for body in inside if body.get("mocap") != "true"]
        pending += inside
    return found


def _edges(doc: Document, element: ET.Element, dim: int, nodes: bool, flat: bool) -> bool:
    """Edges with springs and dampers; whether something is constrained."""
    d = doc.draw
    if not flat and not d.chance(0.6):
        return False
    equality = "vert" if flat else "false"
    if not flat and d.chance(0.5):
        equality = "strain" if nodes else "true"
    doc.add(
        element, "edge", "body/flexcomp/edge", equality=equality,
        stiffness=d.spread(1, 100) if dim == 1 and d.chance(0.7) else None,
        damping=d.spread(0.01, 1) if d.chance(0.5) and not nodes else None,
        solref=d.among(None, text((d.spread(0.01, 0.1), d.spread(0.5, 2)))),
        solimp=d.among(None, ".8 .95 .01"),
    )  # fmt: skip
    return equality != "false"


def _contact(doc: Document, element: ET.Element, path: str, dim: int, nodes: bool) -> None:
    """What it touches; in half of the documents nothing."""
    d = Draw(f"touching {element.get('name')} {doc.draw.random()}")
    # MuJoCo writes where it has no memory when elements touch height fields
    if d.chance(0.5) or doc.names["hfield"]:
        nothing = {"contype": "0", "conaffinity": "0", "selfcollide": "none", "internal": "false"}
        ET.SubElement(element, "contact", nothing)
        return
    doc.add(
        element, "contact", path,
        condim=d.among(None, 1, 3, 3), margin=d.among(None, None, d.spread(1e-3, 0.05)),
        friction=d.among(None, text((d.spread(0.1, 2), 0.005, 0.0001))),
        solref=d.among(None, text((d.spread(0.01, 0.1), d.spread(0.5, 2)))),
        selfcollide="none" if nodes else d.among(None, "none", "none", "narrow", "bvh", "sap"),
        internal=d.among("false", "false", "true") if not nodes else "false",
        activelayers=d.among(None, 2) if dim == 3 else None,
        passive=d.among(None, None, None, "true"),
    )  # fmt: skip


def flex(doc: Document) -> None:
    """A deformable whose vertices lie in bodies of the document."""
    d = doc.draw
    dim = d.among(1, 2, 3)
    n = d.randint(dim + 1, 5)
    # with one body and springs, MuJoCo writes where it has no memory
    bodies = ["world", *(d.choice(doc.names["body"]) for _ in range(n - 1))]
    if len(set(bodies)) == 1:
        return
    d.shuffle(bodies)
    name = doc.name("flex")
    element = doc.add(
        doc.section("deformable"), "flex", "deformable/flex", name=name, dim=dim,
        material=doc.some("material") if d.chance(0.2) else None,
        body=" ".join(bodies), vertex=d.vector(3 * n, -0.3, 0.3),
        element=elements(d, n, dim),
    )  # fmt: skip
    doc.add(
        element, "edge", "deformable/flex/edge",
        stiffness=d.spread(1, 100) if dim == 1 and d.chance(0.7) else None,
        damping=d.spread(0.01, 1) if d.chance(0.5) else None,
    )  # fmt: skip
    if d.chance(0.4) and dim > 1:
        doc.add(
            element, "elasticity", "deformable/flex/elasticity",
            young=d.spread(10, 1e4), poisson=d.uniform(0, 0.4),
            damping=d.among(None, d.spread(1e-4, 0.1)), thickness=d.spread(1e-3, 0.02),
            elastic2d=d.among("none", "bend", "stretch", "both") if dim == 2 else None,
        )  # fmt: skip
    _contact(doc, element, "deformable/flex/contact", dim, False)
    if d.chance(0.4):
        doc.add(doc.section("equality"), "flex", "equality/flex", name=doc.name("eq"), flex=name)
