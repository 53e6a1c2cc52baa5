"""Compile the kinematic tree: poses, shapes, inertia, limits; parts keep them in `values`."""

from math import isnan, pi

from ..arrays import bounds
from ..draft.draft import Body, Draft, Part
from ..draft.orientation import resolve
from ..geometry import shapes
from ..geometry.inertia import principal
from ..geometry.pose import EPS, IDENTITY, ZERO, compose, invert, normalize, rotate
from .body_inertia import from_geoms
from .limits import check_range, limited

SEGMENTS = ("capsule", "cylinder", "ellipsoid", "box")


def compile_tree(draft: Draft) -> None:
    """Compile all bodies, parents first."""
    for body in draft.parts["body"]:
        _body(draft, body)
    bounds.build(draft.parts["body"])


def _pose(part: Part) -> tuple:
    return tuple(part["pos"]), tuple(part["quat"])


def _place(part: Part, pose: tuple) -> None:
    """Move a part into the frame around it."""
    part.values["pos"], part.values["quat"] = compose(pose, _pose(part))


def frame_pose(frame: Part) -> tuple:
    """Pose of a frame in its body, computed once."""
    around = [frame]
    while "pose" not in around[-1].values and around[-1].frame is not None:
        around.append(around[-1].frame)
    for inner in reversed(around):
        if "pose" not in inner.values:
            pose = tuple(inner["pos"]), resolve(inner.values, inner.settings, inner.element)
            if inner.frame is not None:
                pose = compose(inner.frame["pose"], pose)
            inner.values["pose"] = pose
    return frame["pose"]


def _body(draft: Draft, body: Body) -> None:
    settings, values = body.settings, body.values
    # bodies without joints are welded to their parent
    moving = bool(body.joints)
    values["weldid"] = body.id if moving or body.parent is None else body.parent["weldid"]
    values["quat"] = resolve(values, settings, body.element)
    values["pos"] = tuple(values["pos"])
    # geoms first: inertia may follow from them
    for geom in body.geoms:
        compile_geom(geom, draft)
    _inertia(body, settings)
    if body.frame is not None:
        _place(body, frame_pose(body.frame))
    # what its geoms may collide with, for the broad phase
    values["contype"] = values["conaffinity"] = 0
    values["margin"] = 0.0
    for geom in body.geoms:
        values["contype"] |= geom["contype"]
        values["conaffinity"] |= geom["conaffinity"]
        values["margin"] = max(values["margin"], geom["margin"])
    # the body frame may move to its inertial frame, and with it all that is attached
    inverse = _align(body, settings)
    for joint in body.joints:
        # what is attached
        compile_joint(joint)
    _check_joints(body)
    if values["mocap"] == "true" and (body.joints or body.parent is None or body.parent.id != 0):
        raise body.error("mocap='true': expected a child of the world without joints")
    for site in body.sites:
        compile_site(site)
    for camera in body.cameras:
        compile_camera(camera, draft)
    for light in body.lights:
        compile_light(light, draft)
    # attached things stay where they are
    if inverse is not None:
        _align_attached(body, inverse)


def _align(body: Body, settings: dict) -> tuple | None:
    """Move the frame of a free body without children to its inertial frame, if asked for.

    Returns:
        The inverse of the motion, which its parts must make; None where nothing is moved.
    """
    if len(body.joints) != 1 or body.bodies or body.joints[0]["type"] != "free":
        return None
    choice = body.joints[0].values.get("align", "auto")
    if choice == "false" or (choice == "auto" and settings["alignfree"] == "false"):
        return None
    values = body.values
    inner = (values["ipos"], values["iquat"])
    values["pos"], values["quat"] = compose(_pose(body), inner)
    values["ipos"], values["iquat"] = ZERO, IDENTITY
    values["inner"] = inner
    inverse = invert(inner)
    for geom in body.geoms:
        _place(geom, inverse)
    return inverse


def _align_attached(body: Body, inverse: tuple) -> None:
    for part in body.sites + body.cameras:
        _place(part, inverse)
    for light in body.lights:
        light.values["pos"] = compose(inverse, (light["pos"], IDENTITY))[0]
        light.values["dir"] = rotate(light["dir"], inverse[1])


def _inertia(body: Body, settings: dict) -> None:
    """Mass, centre, principal axes and moments: explicit, or from the geoms."""
    values = body.values
    values |= {"ipos": None, "iquat": IDENTITY, "mass": 0.0, "inertia": ZERO}
    explicit = body.inertial
    if explicit is not None:
        _explicit(explicit, values, settings)
    if body.id > 0:
        mode = settings["inertiafromgeom"]
        if mode == "true" or (mode == "auto" and explicit is None):
            from_geoms(body, settings["inertiagrouprange"])
    if values["ipos"] is None or isnan(values["ipos"][0]):
        values["ipos"], values["iquat"] = values["pos"], values["quat"]
    if body.id > 0:
        _check_inertia(body, settings)


def _explicit(inertial: Part, values: dict, settings: dict) -> None:
    given = inertial.element.values
    values["ipos"], values["mass"] = inertial["pos"], inertial["mass"]
    values["inertia"] = given.get("diaginertia", ZERO)
    values["iquat"] = resolve(inertial.values, settings, inertial.element)
    if "fullinertia" in given:
        if any(name in given for name in ("axisangle", "xyaxes", "zaxis", "euler", "quat")):
            raise inertial.error("fullinertia and an orientation: expected one of them, found both")
        if any(values["inertia"]):
            raise inertial.error("fullinertia and diaginertia: expected one of them, found both")
        values["inertia"], values["iquat"] = principal(given["fullinertia"])
        if values["inertia"][2] < EPS:
            raise inertial.error("fullinertia: expected a matrix with positive eigenvalues")


def _check_inertia(body: Body, settings: dict) -> None:
    values = body.values
    values["mass"] = max(values["mass"], settings["boundmass"])
    a, b, c = (max(settings["boundinertia"], x) for x in values["inertia"])
    if values["mass"] < 0 or min(a, b, c) < 0:
        raise body.error("mass and inertia: expected numbers that are not negative")
    if a + b < c or a + c < b or b + c < a:
        if settings["balanceinertia"] != "true":
            raise body.error(
                f"inertia {a:g} {b:g} {c:g}: expected no moment above the sum of the others;"
                " correct it, or let the compiler average them with balanceinertia='true'"
            )
        a = b = c = (a + b + c) / 3.0
    values["inertia"] = (a, b, c)


def _check_joints(body: Body) -> None:
    kinds = [joint["type"] for joint in body.joints]
    free = kinds.count("free")
    if free and len(kinds) > 1:
        raise body.error("expected no other joint beside a free joint")
    if sum({"free": 6, "ball": 3}.get(kind, 1) for kind in kinds) > 6:
        raise body.error("expected at most 6 degrees of freedom in one body")
    if "ball" in kinds and any(k in ("ball", "hinge") for k in kinds[kinds.index("ball") + 1 :]):
        raise body.error("expected no rotation after a ball joint")


def check_free(bodies: list[Body]) -> None:
    """Refuse free joints below the children of the world, after static bodies were fused."""
    for body in bodies[1:]:
        if body.parent.id != 0 and any(joint["type"] == "free" for joint in body.joints):
            raise body.error("free joint: expected it in a child of the world")


def compile_joint(joint: Part) -> None:
    """Axis and anchor in the body frame, limits and references in radians."""
    settings, values, kind = joint.settings, joint.values, joint["type"]
    # limits
    if any(values["springdamper"]) and min(values["springdamper"]) <= 0:
        raise joint.error("springdamper: expected two positive numbers")
    turning = kind in ("ball", "hinge")
    values["is_limited"] = kind != "free" and limited(joint, "limited", "range", settings)
    if values["is_limited"]:
        if kind == "ball" and values["range"][0]:
            raise joint.error(
                f"range: {values['range'][0]:g}: the lower limit of a ball joint is 0"
            )
        if kind != "ball":
            check_range(joint, "range")
        if settings["degree"] and turning:
            # angles in radians; zero stays exactly zero
            values["range"] = tuple(x * (pi / 180.0) if x else x for x in values["range"])
    values["is_actfrclimited"] = kind not in ("free", "ball") and limited(
        joint, "actuatorfrclimited", "actuatorfrcrange", settings
    )
    if values["is_actfrclimited"]:
        check_range(joint, "actuatorfrcrange")
    # axis and anchor, out of the frames around it
    pose = frame_pose(joint.frame) if joint.frame is not None else (ZERO, IDENTITY)
    axis = (0.0, 0.0, 1.0) if kind in ("free", "ball") else rotate(values["axis"], pose[1])
    values["axis"], length = normalize(axis)
    if length < EPS:
        raise joint.error("axis: expected a direction that is not zero")
    values["pos"] = ZERO if kind == "free" else tuple(values["pos"])
    if kind != "free" and joint.frame is not None:
        values["pos"] = compose(pose, (values["pos"], IDENTITY))[0]
    # the reference: the configuration at qpos0
    values["given_ref"] = values["ref"]
    if kind == "hinge" and settings["degree"]:
        values["ref"] *= pi / 180.0
        values["springref"] *= pi / 180.0


def _segment(part: Part) -> None:
    """Position, orientation and length from `fromto`."""
    values, shape = part.values, part["type"]
    if shape not in SEGMENTS:
        raise part.error(f"fromto: type='{shape}': expected capsule, cylinder, ellipsoid or box")
    if any(values["pos"]):
        raise part.error("pos and fromto: expected one of them, found both")
    a, b = values["fromto"][:3], values["fromto"][3:]
    direction, length = normalize(tuple(x - y for x, y in zip(a, b, strict=True)))
    if length / 2 < EPS:
        raise part.error("fromto: expected two different points")
    size = values["size"]
    tail = (length / 2, size[2]) if shape in SEGMENTS[:2] else (size[0], length / 2)
    values["size"] = (size[0], *tail)
    values["pos"] = tuple((x + y) / 2 for x, y in zip(a, b, strict=True))
    from ..geometry.pose import from_z

    values["quat"] = from_z(direction)


def set_orientation(part: Part) -> None:
    """Set `quat` from the orientation that is given, or the pose from `fromto`."""
    if part.values.get("fromto") is not None:
        _segment(part)
    else:
        part.values["quat"] = resolve(part.values, part.settings, part.element)


def _check_size(part: Part) -> None:
    shape, size = part["type"], part["size"]
    if shape == "plane":
        if size[2] <= 0:
            raise part.error(
                "size: expected a positive third number in a plane (spacing of its grid)"
            )
        return
    for k in range(shapes.size_count(shape)):
        if size[k] <= 0:
            raise part.error(
                f"size: expected a positive number at place {k + 1} of a {shape}, found {size[k]:g}"
            )


def compile_geom(geom: Part, draft: Draft) -> None:
    """Pose, size, bounds and inertia of a geom."""
    values, shape = geom.values, geom["type"]
    # attributes that need each other
    if shape in ("mesh", "sdf") and not values.get("mesh"):
        raise geom.error(f"type='{shape}': expected the attribute 'mesh', found none")
    if (shape == "hfield") != bool(values.get("hfield")):
        raise geom.error("type='hfield' and hfield='...': expected both or none of them")
    if values["condim"] not in (1, 3, 4, 6):
        raise geom.error(f"condim='{values['condim']}': expected 1, 3, 4 or 6")
    if shape == "plane" and geom.body["weldid"] != 0:
        raise geom.error("type='plane': expected a body that cannot move")
    # the mesh sets pose and size
    set_orientation(geom)
    values["dataid"] = -1
    if values.get("mesh"):
        from ..assets import mesh_fit

        mesh_fit.take_mesh(geom, draft)
    _check_size(geom)
    if shape == "hfield":
        from ..assets.hfield import shape_geom

        shape_geom(geom, draft)
    if any(s != s for s in values["size"]):
        raise geom.error("size: nan: expected numbers")
    # bounds; those of meshes and height fields come with their data
    if shape not in ("hfield", "mesh", "sdf"):
        values["aabb"] = shapes.box(shape, values["size"])
        values["rbound"] = shapes.radius(shape, values["size"])
    _geom_inertia(geom)
    # mass, media, and the frames around it
    values["fluid"] = (0.0,) * 12
    if values["fluidshape"] == "ellipsoid":
        values["fluid"] = shapes.fluid(shape, values["size"], values["fluidcoef"])
    if geom.frame is not None:
        _place(geom, frame_pose(geom.frame))
    values["pos"] = tuple(values["pos"])


def _geom_inertia(geom: Part) -> None:
    """Mass and moments from mass or density, for geoms that count for the inertia of their body."""
    values, body = geom.values, geom.body
    settings = body.settings
    low, high = settings["inertiagrouprange"]
    mass, density = values.get("mass"), values["density"]
    values["mass"], values["inertia"] = 0.0, ZERO
    needed = body.inertial is None or settings["inertiafromgeom"] == "true"
    if body.id == 0 or not needed or not low <= values["group"] <= high:
        return
    shape, size, shell = values["type"], values["size"], values["shellinertia"] == "true"
    mesh = values.get("shape")
    volume = mesh.measure if mesh else shapes.volume(shape, size, shell)
    if mass is None or mass != mass:
        mass = density * volume
        counts = density != 0
    else:
        counts = mass != 0 and volume > EPS
        density = mass / volume if counts else density * (mass != 0)
    if counts:
        values["mass"] = mass
        values["inertia"] = mesh.moments(mass) if mesh else shapes.inertia(shape, size, mass, shell)
    if values["mass"] < 0 or min(values["inertia"]) < 0 or density < 0:
        raise geom.error("mass and density: expected numbers that are not negative")


def compile_site(site: Part) -> None:
    """Pose and size of a site."""
    values = site.values
    set_orientation(site)
    if site.frame is not None:
        _place(site, frame_pose(site.frame))
    values["pos"], values["quat"] = tuple(values["pos"]), normalize(values["quat"])[0]
    if site["type"] != "sdf":
        _check_size(site)


def _target(part: Part, draft: Draft) -> int:
    name = part.values.get("target")
    return draft.find("body", name, part.element, "target").id if name else -1


def compile_camera(camera: Part, draft: Draft) -> None:
    """Pose, target and lens of a camera."""
    values, settings = camera.values, camera.settings
    values["quat"] = resolve(values, settings, camera.element)
    if camera.frame is not None:
        _place(camera, frame_pose(camera.frame))
    values["pos"], values["quat"] = tuple(values["pos"]), normalize(values["quat"])[0]
    values["targetbodyid"] = _target(camera, draft)
    if values["fovy"] >= 180:
        raise camera.error(f"fovy='{values['fovy']:g}': expected less than 180")
    bounds.lens(camera, draft.visual["map"]["znear"])


def compile_light(light: Part, draft: Draft) -> None:
    """Position, direction, target and texture of a light."""
    values = light.values
    values["pos"] = tuple(values["pos"])
    direction = values["dir"]
    if light.frame is not None:
        pose = frame_pose(light.frame)
        values["pos"] = compose(pose, (values["pos"], IDENTITY))[0]
        direction = rotate(direction, pose[1])
    values["dir"], length = normalize(direction)
    if length < EPS:
        raise light.error("dir: expected a direction that is not zero")
    values["targetbodyid"] = _target(light, draft)
    name = values.get("texture")
    values["texid"] = draft.find("texture", name, light.element, "texture").id if name else -1
