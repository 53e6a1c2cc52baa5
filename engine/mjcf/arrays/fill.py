"""Compiled parts to the arrays of a model, through a table of columns."""

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ..text.schema import kinds
from .bounds import same_frame

if TYPE_CHECKING:
    from ...model.model import Model
    from ..draft.draft import Draft, Part

# kind of part: prefix of the fields, what stands in them. `field=value` where the names differ,
# words become their place in the list of the schema.
COLUMNS = {
    "body": ("body", "weldid mass inertia pos quat ipos iquat gravcomp margin contype conaffinity"),
    "joint": (
        "jnt",
        "type group limited=is_limited actfrclimited=is_actfrclimited actgravcomp=actuatorgravcomp"
        " solref=solreflimit solimp=solimplimit pos axis range actfrcrange=actuatorfrcrange margin",
    ),
    "geom": (
        "geom",
        "type contype conaffinity condim group priority size aabb rbound pos quat friction solmix"
        " solref solimp margin gap fluid rgba dataid",
    ),
    "site": ("site", "group size pos quat rgba"),
    "camera": (
        "cam",
        "mode targetbodyid pos quat projection fovy ipd resolution sensorsize intrinsic",
    ),
    "light": (
        "light",
        "mode targetbodyid type texid castshadow active pos dir bulbradius intensity range"
        " attenuation cutoff exponent ambient diffuse specular",
    ),
    "material": (
        "mat",
        "texuniform texrepeat emission specular shininess reflectance metallic roughness rgba",
    ),
    "skin": ("skin", "group rgba inflate"),
    "hfield": ("hfield", "size nrow ncol"),
    "texture": ("tex", "type colorspace height width nchannel"),
    "pair": (
        "pair",
        "dim=condim geom1=geom1id geom2=geom2id signature solref solreffriction solimp margin"
        " gap friction",
    ),
    "exclude": ("exclude", "signature"),
    "equality": ("eq", "type obj1id obj2id objtype active0=active solref solimp data"),
    "tendon": (
        "tendon",
        "adr num matid group limited=is_limited actfrclimited=is_actfrclimited width"
        " solref_lim=solreflimit solimp_lim=solimplimit solref_fri=solreffriction"
        " solimp_fri=solimpfriction range actfrcrange=actuatorfrcrange margin armature frictionloss"
        " lengthspring=springlength rgba",
    ),
    "actuator": (
        "actuator",
        "dyntype gaintype biastype trntype=transmission trnid group delay"
        " ctrllimited=is_ctrllimited forcelimited=is_forcelimited actlimited=is_actlimited actearly"
        " cranklength gear armature dynprm gainprm biasprm ctrlrange forcerange actrange"
        " lengthrange actnum actadr history historyadr",
    ),
    "sensor": (
        "sensor",
        "type datatype needstage objtype objid reftype refid intprm dim adr cutoff noise history"
        " historyadr delay interval",
    ),
}
SOURCES = {
    "body": "body", "joint": "body/joint", "geom": "body/geom", "site": "body/site",
    "camera": "body/camera", "light": "body/light", "material": "asset/material",
    "skin": "asset/skin", "hfield": "asset/hfield", "texture": "asset/texture",
    "pair": "contact/pair", "exclude": "contact/exclude",
    "equality": "equality/connect", "tendon": "tendon/spatial",
    "actuator": "actuator/general", "sensor": "sensor/user",
}  # fmt: skip
USER = {
    "body": "nuser_body", "joint": "nuser_jnt", "geom": "nuser_geom", "site": "nuser_site",
    "camera": "nuser_cam", "tendon": "nuser_tendon", "actuator": "nuser_actuator",
    "sensor": "nuser_sensor",
}  # fmt: skip


def fill(model: "Model", draft: "Draft") -> None:
    """Write what parts say by themselves into the arrays of a model."""
    for kind, (prefix, columns) in COLUMNS.items():
        parts = draft.parts[kind]
        if parts:
            _columns(model, parts, kinds()[SOURCES[kind]], prefix, columns)
        if kind in USER and getattr(model, USER[kind]):
            array = getattr(model, f"{prefix}_user")
            for part in parts:
                user = part.values.get("user", ())
                array[part.id, : len(user)] = user
    for kind, prefix in (
        ("joint", "jnt"),
        ("geom", "geom"),
        ("site", "site"),
        ("camera", "cam"),
        ("light", "light"),
    ):
        if draft.parts[kind]:
            setattr(model, f"{prefix}_bodyid", [part.body.id for part in draft.parts[kind]])
    for kind in ("geom", "site"):
        if parts := draft.parts[kind]:
            setattr(model, f"{kind}_sameframe", [same_frame(part, part.body) for part in parts])
    _specials(model, draft)


@cache
def _named(prefix: str, columns: str) -> tuple[tuple[str, str], ...]:
    """Fields of the model, and the values that stand in them."""
    pairs = (column.partition("=") for column in columns.split())
    return tuple((f"{prefix}_{field}", name or field) for field, _, name in pairs)


def _columns(model: "Model", parts: list, kind: Any, prefix: str, columns: str) -> None:
    arrays, rows = vars(model), [part.values for part in parts]
    for field, name in _named(prefix, columns):
        values = [row[name] for row in rows]
        if isinstance(values[0], str):
            places = {word: k for k, word in enumerate(kind.words(name))}
            values = [places[value] for value in values]
        arrays[field][...] = values


def _specials(model: "Model", draft: "Draft") -> None:
    """Columns that need more than a copy."""
    shapes = kinds()["body/geom"].words("type")
    if draft.parts["site"]:
        model.site_type = [shapes.index(site["type"]) for site in draft.parts["site"]]
    outputs = kinds()["body/camera"].words("output")
    for camera in draft.parts["camera"]:
        model.cam_output[camera.id] = sum(1 << outputs.index(word) for word in camera["output"])
    for kind in ("geom", "site"):
        if parts := draft.parts[kind]:
            setattr(model, f"{kind}_matid", [_material(draft, part) for part in parts])
    for kind, prefix, name in (
        ("joint", "jnt", "stiffness"),
        ("actuator", "actuator", "damping"),
    ):
        if parts := draft.parts[kind]:
            _polynomials(model, f"{prefix}_{name}", [part[name] for part in parts])


def _material(draft: "Draft", part: "Part") -> int:
    """Id of the material of a geom or site, or -1."""
    name = part.values.get("material")
    return draft.find("material", name, part.element, "material").id if name else -1


def _polynomials(model: "Model", name: str, coefficients: list[tuple]) -> None:
    """Write a field of linear coefficients, and that of the higher ones."""
    setattr(model, name, [c[0] for c in coefficients])
    setattr(model, f"{name}poly", [c[1:] for c in coefficients])


def fill_tree(model: "Model", draft: "Draft") -> None:
    """Write how bodies, joints and dofs hang together."""
    bodies = draft.parts["body"]
    model.body_parentid = [b.parent.id if b.parent else 0 for b in bodies]
    roots: list[int] = []
    for body in bodies:
        top = body.parent is None or body.parent.id == 0
        roots.append(body.id if top else roots[body.parent.id])
    model.body_rootid = roots
    model.body_jntnum = [len(body.joints) for body in bodies]
    model.body_jntadr = [_first(body.joints) for body in bodies]
    model.body_geomnum = [len(body.geoms) for body in bodies]
    model.body_geomadr = [_first(body.geoms) for body in bodies]
    model.body_sameframe = [same_frame(body) for body in bodies]
    model.body_mocapid[:] = -1
    mocap = [b.id for b in bodies if b["mocap"] == "true"]
    model.body_mocapid[mocap] = range(len(mocap))
    _fill_dofs(model, draft)


def _first(parts: list) -> int:
    return parts[0].id if parts else -1


NQ = {"free": 7, "ball": 4}
NV = {"free": 6, "ball": 3}


def _fill_dofs(model: "Model", draft: "Draft") -> None:
    qpos0: list[float] = []
    springs: list[float] = []
    places: list[tuple[int, int]] = []
    joints: list[Part] = []  # of each dof
    parents: list[int] = []
    last = [-1] * model.nbody
    first, counts = [-1] * model.nbody, [0] * model.nbody
    # `last` is the last dof of each body, which is the parent of the first one of its children
    for body in draft.parts["body"]:
        last[body.id] = last[body.parent.id] if body.parent else -1
        if body.joints:
            first[body.id] = len(joints)
        for joint in body.joints:
            nv, dof = NV.get(joint["type"], 1), len(joints)
            places.append((len(qpos0), dof))
            reference, spring = _reference(joint)
            qpos0 += reference
            springs += spring
            joints += [joint] * nv
            # dofs of one joint form a chain below the last dof above them
            parents += [last[body.id], *range(dof, dof + nv - 1)]
            last[body.id] = dof + nv - 1
            counts[body.id] += nv
    model.body_dofadr, model.body_dofnum = first, counts
    if joints:
        model.jnt_qposadr, model.jnt_dofadr = zip(*places, strict=True)
        model.qpos0, model.qpos_spring, model.dof_parentid = qpos0, springs, parents
        model.dof_bodyid = [joint.body.id for joint in joints]
        model.dof_jntid = [joint.id for joint in joints]
        for field, name in (
            ("solref", "solreffriction"), ("solimp", "solimpfriction"),
            ("frictionloss", "frictionloss"), ("armature", "armature"),
        ):  # fmt: skip
            setattr(model, f"dof_{field}", [joint[name] for joint in joints])
        _polynomials(model, "dof_damping", [joint["damping"] for joint in joints])
    # a dof without a parent is the root of a tree; bodies belong to the tree they are welded to
    model.dof_treeid = np.cumsum(model.dof_parentid == -1) - 1
    weld = model.body_weldid
    moving = model.body_dofnum[weld] > 0
    model.body_treeid[:] = -1
    model.body_treeid[moving] = model.dof_treeid[model.body_dofadr[weld[moving]]]


def _reference(joint: "Part") -> tuple:
    """Values in qpos0 and qpos_spring."""
    if joint["type"] == "free":
        pose = (*joint.body["pos"], *joint.body["quat"])
        return pose, pose
    if joint["type"] == "ball":
        return (1, 0, 0, 0), (1, 0, 0, 0)
    return (joint["ref"],), (joint["springref"],)


def fill_assets(model: "Model", draft: "Draft") -> None:
    """Write height fields, textures, materials and custom data."""
    # data of all parts of a kind lie one behind the other: heights, pixels, numbers, texts
    adr = 0
    for hfield in draft.parts["hfield"]:
        data = hfield["data"]
        model.hfield_adr[hfield.id] = adr
        model.hfield_data[adr : adr + data.size] = data
        adr += data.size
    adr = 0
    for texture in draft.parts["texture"]:
        data = texture["data"]
        model.tex_adr[texture.id] = adr
        model.tex_data[adr : adr + data.size] = data.ravel()
        adr += data.size
    roles = ("user", *kinds()["asset/material/layer"].words("role"))
    model.mat_texid[:] = -1
    for material in draft.parts["material"]:
        for name in filter(None, material["class_textures"].values()):
            # MuJoCo looks for them even where the material has others
            draft.find("texture", name, material.element, "texture")
        for role, name in material["textures"].items():
            if not name:
                continue
            texture = draft.find("texture", name, material.element, "texture")
            model.mat_texid[material.id, roles.index(role)] = texture.id
    adr = 0
    for numeric in draft.parts["numeric"]:
        data = numeric["data"]
        model.numeric_adr[numeric.id], model.numeric_size[numeric.id] = adr, len(data)
        model.numeric_data[adr : adr + len(data)] = data
        adr += len(data)
    texts = [part["data"].encode() + b"\0" for part in draft.parts["text"]]
    model.__dict__["text_data"] = b"".join(texts)
    for k, text in enumerate(texts):
        model.text_adr[k] = sum(map(len, texts[:k]))
        model.text_size[k] = len(text)


def fill_volumes(model: "Model", draft: "Draft") -> None:
    """Write the bounding volume trees."""
    adr = 0
    for body in draft.parts["body"]:
        volumes = body["volumes"]
        count = len(volumes.depth)
        model.body_bvhadr[body.id], model.body_bvhnum[body.id] = (adr if count else -1), count
        if count:
            here = slice(adr, adr + count)
            model.bvh_aabb[here], model.bvh_child[here] = volumes.boxes, volumes.children
            model.bvh_depth[here] = volumes.depth
            model.bvh_nodeid[here] = [geom.id if geom else -1 for geom in volumes.geoms[:count]]
        adr += count


def fill_options(model: "Model", draft: "Draft") -> None:
    """Write opt, vis and what <statistic> does not leave to be computed."""
    option = kinds()["option"]
    for name in option.attributes:
        if name in vars(model.opt):
            value = draft.option[name]
            value = option.words(name).index(value) if isinstance(value, str) else value
            setattr(model.opt, name, value)
    for group in draft.option.get("disabled", ()):
        model.opt.disableactuator |= 1 << group
    enable = ("override", "energy", "fwdinv", "invdiscrete", "sleep")
    disable = [name for name in kinds()["option/flag"].attributes if name not in enable]
    for name, word in draft.flags.items():
        if name in enable:
            model.opt.enableflags |= (word == "enable") << enable.index(name)
        else:
            model.opt.disableflags |= (word == "disable") << disable.index(name)
    for group, values in draft.visual.items():
        structure = getattr(model.vis, "global_" if group == "global" else group)
        for name, value in values.items():
            setattr(structure, name, value == "true" if isinstance(value, str) else value)
