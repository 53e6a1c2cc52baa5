"""Options of <compiler> that leave things out: bodies that cannot move, and visual elements."""

from ...tables.enums import MINVAL
from ..arrays import bounds
from ..draft.draft import Body, Draft
from ..geometry.inertia import principal, shifted, turned
from ..geometry.pose import EPS, IDENTITY, compose, rotate, sub, total_of
from ..text.references import naming
from .tree import compile_camera, compile_light

REFERRING = ("skin", "pair", "exclude", "equality", "tendon", "actuator", "sensor", "tuple")


def discard_looks(draft: Draft) -> None:
    """Drop materials and textures, before anything is compiled.

    Raises:
        MjcfError: a part that keeps its material, as MuJoCo has it: all but geoms do.
    """
    # textures are checked even though they are dropped, as in MuJoCo
    if draft.parts["texture"]:
        from ..assets.texture_files import check_grid

        for texture in draft.parts["texture"]:
            check_grid(texture)
    draft.parts["material"], draft.parts["texture"] = [], []
    # only geoms can do without their material
    shown = {geom.values.get("mesh") for geom in draft.parts["geom"]}
    for geom in draft.parts["geom"]:
        geom.values.pop("material", None)
    for kind in ("flex", "skin", "site", "tendon", "mesh"):
        for part in draft.parts[kind]:
            if kind == "mesh" and part.name not in shown:
                continue
            if name := part.values.get("material"):
                raise part.error(
                    f"material='{name}': discardvisual='true' drops all materials, and only geoms"
                    " can do without theirs; remove the attribute"
                )
    draft.number()


def discard_visual(draft: Draft) -> None:
    """Drop geoms that neither collide nor are referred to, and meshes that only they have.

    Args:
        draft: a model with compiled tree.
    """
    referred = _referred(draft)
    seen = {
        id(geom)
        for geom in draft.parts["geom"]
        if not geom["contype"] and not geom["conaffinity"] and ("geom", geom.name) not in referred
    }
    kept = [geom for geom in draft.parts["geom"] if id(geom) not in seen]
    used = {geom.values["mesh"] for geom in kept if geom.values.get("mesh")}
    for body in draft.parts["body"]:
        body.geoms = [geom for geom in body.geoms if id(geom) not in seen]
    draft.parts["geom"] = kept
    draft.parts["mesh"] = [
        mesh for mesh in draft.parts["mesh"] if mesh.name in used or ("mesh", mesh.name) in referred
    ]
    draft.number()
    for geom in kept:
        if name := geom.values.get("mesh"):
            geom.values["dataid"] = draft.find("mesh", name, geom.element, "mesh").id


def _referred(draft: Draft) -> set[tuple[str, str]]:
    """Kinds and names of what is referred to outside of the tree."""
    return {
        (what, element.values.get(attribute, ""))
        for kind in REFERRING
        for part in draft.parts[kind]
        for element in (part.element, *part.element.children)
        for attribute, what in naming(element).items()
    }


class Originals:
    """Cameras and lights as they were before they were compiled."""

    def __init__(self, draft: Draft):
        parts = draft.parts["camera"] + draft.parts["light"]
        self.values = [(part, dict(part.values)) for part in parts]

    def compile_again(self, draft: Draft) -> None:
        """Place cameras and lights as if their bodies were still there, as MuJoCo does.

        They end up where they were in a body that is now fused: their poses are not moved along.
        """
        for part, values in self.values:
            part.values = dict(values)
            (compile_light if part.element.tag == "light" else compile_camera)(part, draft)


def fuse_static(draft: Draft) -> None:
    """Replace bodies without joints by what is attached to them.

    Bodies with a name stay if something refers to them. They also stay, as in MuJoCo, if something
    refers to a later body whose place in the list of bodies is, from the fusing of others, beyond
    its end. Names of what is attached to bodies keep their places in MuJoCo's lists, though the
    fusing changes the order: they may name something else then.

    Args:
        draft: a model with compiled tree.
    """
    # names that something refers to
    referred = {name for kind, name in _referred(draft) if kind == "body"}
    for part in draft.parts["camera"] + draft.parts["light"]:
        referred.add(part.values.get("target"))
    # force and torque sensors measure what the body of their site passes on to its parent
    measured = {
        sensor.element.values.get("site")
        for sensor in draft.parts["sensor"]
        if sensor.element.tag in ("force", "torque")
    }
    # MuJoCo compares places from before the fusing with the number of bodies after it
    bodies, places = draft.parts["body"], draft.places()
    last = max((body.id for body in bodies if body.name and body.name in referred), default=0)
    count = len(bodies)
    for body in bodies[1:]:
        if body.joints or body["mocap"] == "true":
            continue
        if body.name:
            beyond = last >= count and last > body.id
            if body.name in referred or beyond or body in _sensing(draft, measured):
                continue
            _refuse_frames(draft, body)
        draft.stale_volumes += _fuse(body)
        count -= 1
    # lists, places of names and welds as they are without the fused bodies
    if count < len(bodies):
        draft.list_tree()
        draft.misplace(places)
        for body in draft.parts["body"]:
            above = body.parent["weldid"] if body.parent else 0
            body.values["weldid"] = body.id if body.joints else above


def _sensing(draft: Draft, measured: set) -> list[Body]:
    """Bodies of the sites that force and torque sensors name, as the tree is now."""
    places = draft.places()["site"]
    wanted = [places[name] for name in measured if name in places]
    if not wanted:
        return []
    bodies = [body for body in draft.world.walk() for _ in body.sites]
    return [bodies[place] for place in wanted]


def _refuse_frames(draft: Draft, body: Body) -> None:
    """Refuse references to the frame of a body that is going to be fused."""
    for kind in ("sensor", "tuple"):
        for part in draft.parts[kind]:
            for element in (part.element, *part.element.children):
                for attribute, what in naming(element).items():
                    if what == "xbody" and element.values[attribute] == body.name:
                        raise element.error(
                            f"{attribute}='{body.name}': fusestatic='true' fuses this body;"
                            " give it a joint, or use fusestatic='false'"
                        )


def _fuse(body: Body) -> int:
    """Give what is attached to a body to its parent.

    Returns:
        Number of bounding volumes that MuJoCo counts twice.
    """
    parent, pose = body.parent, (body["pos"], body["quat"])
    # mass and inertia go to the parent; the world needs none
    assert parent is not None
    if parent.parent is not None and body["mass"] >= MINVAL:
        _add_inertia(parent, body)
    # what is attached keeps its place in the world
    for part in (*body.bodies, *body.geoms, *body.sites, *body.cameras):
        values = part.values
        values["pos"], values["quat"] = compose(pose, (values["pos"], values["quat"]))
    for light in body.lights:
        light.values["pos"] = compose(pose, (light["pos"], IDENTITY))[0]
        light.values["dir"] = rotate(light["dir"], body["quat"])
    # the children take the body's place in the list
    place = parent.bodies.index(body)
    parent.bodies[place : place + 1] = body.bodies
    for child in body.bodies:
        child.parent = parent
    for kind in ("geoms", "sites", "cameras", "lights"):
        parts = getattr(body, kind)
        for part in parts:
            part.body = parent
        getattr(parent, kind).extend(parts)
    # what follows from all geoms of the parent
    for name in ("contype", "conaffinity"):
        parent.values[name] = 0
        for geom in parent.geoms:
            parent.values[name] |= geom[name]
    parent.values["margin"] = max((geom["margin"] for geom in parent.geoms), default=0.0)
    before, old = body["volumes"].depth, parent["volumes"]
    bounds.build([parent])
    new = parent["volumes"]
    # inner nodes keep the geoms that stood in their place, as in MuJoCo
    for k, geom in enumerate(old.geoms[: len(new.geoms)]):
        new.geoms[k] = new.geoms[k] or geom
    new.geoms += old.geoms[len(new.geoms) :]
    return len(new.depth) - len(before) - len(old.depth)


def _add_inertia(parent: Body, body: Body) -> None:
    """Add mass and inertia of a body to those of its parent."""
    values = parent.values
    # MuJoCo takes the two poses in this order, which is right where the body is not turned
    inner = compose((body["ipos"], body["iquat"]), (body["pos"], body["quat"]))
    frames = (values["ipos"], values["iquat"]), inner
    masses, moments = (values["mass"], body["mass"]), (values["inertia"], body["inertia"])
    mass = total_of(masses)
    if mass < MINVAL:
        values |= {"mass": 0.0, "inertia": (0.0,) * 3, "ipos": (0.0,) * 3, "iquat": IDENTITY}
        return
    centre = tuple(
        total_of(m * frame[0][k] for m, frame in zip(masses, frames, strict=True)) / mass
        for k in range(3)
    )
    total = [0.0] * 6
    for m, inertia, (pos, quat) in zip(masses, moments, frames, strict=True):
        added = turned(inertia, quat), shifted(m, sub(pos, centre))
        total = [t + (a + b) for t, a, b in zip(total, *added, strict=True)]
    inertia, quat = principal(tuple(total))
    if inertia[2] < EPS:
        raise body.error("fusestatic: inertia: expected a matrix with positive eigenvalues")
    values |= {"mass": mass, "ipos": centre, "inertia": inertia, "iquat": quat}
