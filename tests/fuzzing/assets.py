"""Random assets without files: meshes, height fields, textures, materials, skins."""

import math

from tests.fuzzing.document import Document
from tests.fuzzing.draw import text

TETRAHEDRON = "0 0 0  .2 0 0  0 .25 0  0 0 .3"
CUBE = " ".join(f"{x} {y} {z}" for x in (-0.1, 0.1) for y in (-0.15, 0.15) for z in (-0.12, 0.12))
BUILTIN = {
    "sphere": lambda d: text(d.randint(0, 1)), "hemisphere": lambda d: text(d.randint(1, 3)),
    "cone": lambda d: f"{d.randint(3, 7)} {text(d.number(0, 1))}",
    "supertorus": lambda d: f"5 {text((d.number(0.1, 0.6), d.number(0.5, 2), d.number(0.5, 2)))}",
    "supersphere": lambda d: f"5 {text((d.number(0.3, 2), d.number(0.3, 2)))}",
    "wedge": lambda d: f"3 3 {text((d.number(60, 170), d.number(30, 80), d.number(0, 0.5)))}",
}  # fmt: skip


def add_assets(doc: Document) -> None:
    """Some assets, so that geoms, sites and tendons can name them."""
    d = doc.draw
    for _ in range(d.among(0, 1, 1, 2)):
        mesh(doc)
    if d.chance(0.3):
        height_field(doc)
    for _ in range(d.among(0, 0, 0, 1)):
        texture(doc)
    for _ in range(d.among(0, 0, 1)):
        material(doc)


def mesh(doc: Document) -> None:
    """A mesh of given or random points, or one of MuJoCo's own shapes."""
    d = doc.draw
    given: dict = {"name": doc.name("mesh")}
    how = d.among("cloud", "cloud", "tetrahedron", "cube", "faces", "builtin")
    if how == "builtin":
        shape = d.choice([*BUILTIN])
        given |= {"builtin": shape, "params": BUILTIN[shape](d), "scale": d.vector(3, 0.1, 0.3)}
    elif how == "cloud":
        points = [[d.gauss(0, 0.1) for _ in range(3)] for _ in range(d.randint(5, 14))]
        given["vertex"] = "  ".join(text(p) for p in points)
    elif how == "faces":
        given |= {"vertex": TETRAHEDRON, "face": "0 2 1 0 1 3 0 3 2 1 2 3"}
        if d.chance(0.3):
            given["texcoord"] = "0 0 1 0 0 1 1 1"
    else:
        given["vertex"] = TETRAHEDRON if how == "tetrahedron" else CUBE
    doc.add(
        doc.section("asset"),
        "mesh",
        "asset/mesh",
        material=doc.some("material") if d.chance(0.2) else None,
        **given,
    )


def height_field(doc: Document) -> None:
    d = doc.draw
    nrow, ncol = d.randint(2, 6), d.randint(2, 6)
    height = text(math.sin(k) + d.uniform(0, 1) for k in range(nrow * ncol))
    size = text((d.number(0.5, 2), d.number(0.5, 2), d.number(0.1, 0.6), d.number(0.05, 0.3)))
    doc.add(
        doc.section("asset"),
        "hfield",
        "asset/hfield",
        name=doc.name("hfield"),
        nrow=nrow,
        ncol=ncol,
        size=size,
        elevation=height,
    )


def texture(doc: Document) -> None:
    d = doc.draw
    kind = d.among("2d", "cube", "skybox")
    if kind == "skybox" and doc.names["skybox"]:
        kind = "cube"
    name = doc.name("texture", *(["skybox"] if kind == "skybox" else []))
    width = d.randint(1, 5)
    height = width * 6 if kind != "2d" else d.randint(1, 5)
    doc.add(
        doc.section("asset"),
        "texture",
        "asset/texture",
        name=name,
        type=kind,
        builtin=d.among("gradient", "checker", "flat"),
        width=width,
        height=height,
    )


def material(doc: Document) -> None:
    d = doc.draw
    texture_ = doc.some("texture") if d.chance(0.5) else None
    element = doc.add(
        doc.section("asset"),
        "material",
        "asset/material",
        name=doc.name("material"),
        texture=texture_,
    )
    if texture_ is None and doc.names["texture"] and d.chance(0.4):
        for role in d.sample(["rgb", "normal", "opacity"], d.randint(1, 2)):
            doc.add(
                element, "layer", "asset/material/layer", texture=doc.some("texture"), role=role
            )


def skin(doc: Document) -> None:
    """A triangle that follows two bodies."""
    d = doc.draw
    bodies = [name for name in doc.names["body"] if name != "world"]
    if not bodies:
        return
    place = d.among("asset", "deformable")
    element = doc.add(
        doc.section(place),
        "skin",
        f"{place}/skin",
        name=doc.name("skin"),
        vertex="0 0 0 .1 0 0 0 .1 0",
        face="0 1 2",
        texcoord=d.among(None, "0 0 1 0 0 1"),
        inflate=d.number(0, 0.02),
        material=doc.some("material") if d.chance(0.3) else None,
    )
    for vertices in ("0 1", "1 2"):
        doc.add(
            element,
            "bone",
            f"{place}/skin/bone",
            body=d.choice(bodies),
            bindpos=d.vector(3, -0.1, 0.1),
            bindquat=d.among("1 0 0 0", "0 1 0 0"),
            vertid=vertices,
            vertweight=d.vector(2, 0.1, 1),
        )
