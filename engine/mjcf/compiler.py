"""From parts to a model: the passes of the compiler in their order."""

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..model.model import LAYOUTS, Model
from ..tables.enums import MINVAL
from .arrays import fill, names, sparse
from .arrays.set_const import set_const, start_statistic
from .draft.draft import Draft
from .geometry.pose import total_of
from .parts import plugins
from .parts.body_inertia import check_moving
from .parts.limits import user_size
from .parts.tree import check_free, compile_tree
from .text.budget import Budget, check_bytes, check_size

if TYPE_CHECKING:
    from .draft.draft import Body

MEGABYTE = 1 << 20
CONTACT_BYTES = 576  # of one contact in MuJoCo's arena
SLEEP = {"auto": 0, "never": 3, "allowed": 4, "init": 5}
COUNTED = {
    "body": "nbody", "joint": "njnt", "geom": "ngeom", "site": "nsite", "camera": "ncam",
    "light": "nlight", "flex": "nflex", "mesh": "nmesh", "skin": "nskin", "hfield": "nhfield",
    "texture": "ntex",
    "material": "nmat", "pair": "npair", "exclude": "nexclude", "equality": "neq",
    "actuator": "nu", "sensor": "nsensor",
    "numeric": "nnumeric", "text": "ntext", "tuple": "ntuple", "key": "nkey",
    "tendon": "ntendon", "plugin": "nplugin",
}  # fmt: skip
USER = {
    "nuser_body": "body", "nuser_jnt": "joint", "nuser_geom": "geom", "nuser_site": "site",
    "nuser_cam": "camera", "nuser_tendon": "tendon", "nuser_actuator": "actuator",
    "nuser_sensor": "sensor",
}  # fmt: skip
# after the tree of bodies, in this order: kinds of parts, and the function that finds what they
# refer to; its file is imported where there are some
COMPILED = (
    (("pair", "exclude"), "parts.contacts:compile_contacts"),
    (("equality",), "parts.equalities:compile_equalities"),
    (("tendon",), "parts.tendons:compile_tendons"),
    (("actuator",), "parts.actuators:compile_actuators"),
    (("sensor",), "parts.sensors:compile_sensors"),
    (("plugin",), "parts.plugins:compile_plugins"),
    (("numeric", "text"), "parts.custom:compile_custom"),
    (("tuple",), "parts.tuples:compile_tuples"),
)
# files that count and fill arrays of a kind of parts: `sizes(draft)`, `fill(model, draft)`
ARRAYS = {
    "mesh": "assets.mesh_arrays", "skin": "assets.skin", "flex": "flex.arrays",
    "tuple": "parts.tuples", "tendon": "parts.tendons",
}  # fmt: skip


def compile_draft(draft: Draft) -> Model:
    """Compile parts to a model: assets, tree, contacts, actuators, arrays, constants.

    What only a simulation can tell is missing (`edit/compile.py`).
    """
    # assets
    _check_assets(draft)
    draft.pad_keys()
    plugins.resolve_all(draft)
    if discards := draft.settings["discardvisual"] == "true":
        _at("parts.simplify:discard_looks")(draft)
    budget = Budget()
    _compile_textures(draft, budget)
    user = {name: user_size(draft, kind, name) for name, kind in USER.items()}
    _compile_meshes(draft)
    fuses = None
    if draft.settings["fusestatic"] == "true":
        fuses = _at("parts.simplify:Originals")(draft)
    # tree of bodies, with its joints, geoms and inertias
    compile_tree(draft)
    if fuses:
        _at("parts.simplify:fuse_static")(draft)
        fuses.compile_again(draft)
    check_free(draft.parts["body"])
    if discards:
        _at("parts.simplify:discard_visual")(draft)
    # deformables and skins, which refer to bodies, and height fields
    _compile_surfaces(draft, budget)
    # constraints, actuators and sensors
    for kinds, place in COMPILED:
        if any(draft.parts[kind] for kind in kinds):
            _at(place)(draft)
    check_moving(draft.parts["body"])
    # arrays of the model
    model = _allocate(draft, user)
    fill.fill_options(model, draft)
    fill.fill(model, draft)
    fill.fill_assets(model, draft)
    plugins.fill(model, draft)
    for arrays in _arrays(draft):
        arrays.fill(model, draft)
    fill.fill_volumes(model, draft)
    if model.nflex:
        from .arrays.flex_constants import jacobian_sizes

        model.resize(**jacobian_sizes(model))
    names.fill(model, draft)
    if draft.parts["key"]:
        _at("parts.custom:fill_keys")(model, draft)
    _set_total_mass(model, draft.settings["settotalmass"])
    if model.nu:
        vars(model)["nJmom"] = _at("arrays.transmission:moment_entries")(model)
    _set_memory(model, draft)
    # constants and statistics
    start_statistic(model)
    set_const(model)
    if draft.parts["tendon"]:
        _at("parts.tendons:check_sleep")(model, draft)
    _set_springs(model, draft)
    for name, value in draft.statistic.items():
        setattr(model.stat, name, value)
    model.__dict__["signature"] = names.signature(draft)
    return model


# what few documents have is imported where there is some


def _compile_textures(draft: Draft, budget: Budget) -> None:
    if draft.parts["texture"]:
        from .assets.texture import compile_texture

        for texture in draft.parts["texture"]:
            compile_texture(draft, texture)
            budget.take(texture.element, texture["data"].nbytes)


def _compile_meshes(draft: Draft) -> None:
    if draft.parts["mesh"] or any(geom.values.get("mesh") for geom in draft.parts["geom"]):
        from .assets.mesh import compile_meshes

        compile_meshes(draft)


def _compile_surfaces(draft: Draft, budget: Budget) -> None:
    """Deformables, skins and height fields."""
    if draft.parts["flex"]:
        from .flex.flex import compile_flexes

        compile_flexes(draft)
    if draft.parts["skin"]:
        from .assets.skin import compile_skin

        for part in draft.parts["skin"]:
            compile_skin(draft, part)
    if draft.parts["hfield"]:
        from .assets.hfield import compile_hfield

        for hfield in draft.parts["hfield"]:
            compile_hfield(draft, hfield)
            budget.take(hfield.element, hfield["data"].nbytes)


def _at(place: str) -> Callable[..., Any]:
    """A function by its file in this folder and its name; the file is imported now."""
    file, _, name = place.partition(":")
    return getattr(import_module(f".{file}", __package__), name)


def _arrays(draft: Draft) -> Iterator[Any]:
    """Modules that count and fill the arrays of parts, of those that there are."""
    for kind, file in ARRAYS.items():
        if draft.parts[kind]:
            yield import_module(f".{file}", __package__)


def _check_assets(draft: Draft) -> None:
    for hfield in draft.parts["hfield"]:
        if not hfield.name:
            raise hfield.error("expected the attribute 'name' or 'file', found none of them")
    for texture in draft.parts["texture"]:
        if not texture.name and texture["type"] != "skybox":
            raise texture.error(
                "expected the attribute 'name', found none; only a skybox needs none"
            )
    for material in draft.parts["material"]:
        if not material.name:
            raise material.error("expected the attribute 'name', found none")


def _allocate(draft: Draft, user: dict[str, int]) -> Model:
    """Model with all sizes, and the arrays that say how bodies and dofs hang together."""
    # elements and states
    sizes = user | {size: len(draft.parts[kind]) for kind, size in COUNTED.items()}
    joints = [joint["type"] for joint in draft.parts["joint"]]
    sizes["nq"] = sum(fill.NQ.get(kind, 1) for kind in joints)
    sizes["nv"] = sum(fill.NV.get(kind, 1) for kind in joints)
    sizes["ntree"] = _count_trees(draft.parts["body"])
    sizes["nmocap"] = sum(body["mocap"] == "true" for body in draft.parts["body"])
    sizes["na"] = sum(actuator["actnum"] for actuator in draft.parts["actuator"])
    sizes["nsensordata"] = sum(sensor["dim"] for sensor in draft.parts["sensor"])
    delayed = draft.parts["actuator"] + draft.parts["sensor"]
    sizes["nhistory"] = sum(map(_at("parts.sensors:history_size"), delayed)) if delayed else 0
    # assets and volumes
    sizes["nbvhstatic"] = sum(len(b["volumes"].depth) for b in draft.parts["body"])
    sizes["nbvhstatic"] += draft.stale_volumes
    for arrays in _arrays(draft):
        found = arrays.sizes(draft)
        sizes["nbvhstatic"] += found.pop("nbvhstatic", 0)
        sizes |= found
    sizes["nbvh"] = sizes["nbvhstatic"] + sizes.get("nbvhdynamic", 0)
    sizes["nhfielddata"] = sum(hfield["data"].size for hfield in draft.parts["hfield"])
    sizes["ntexdata"] = sum(texture["data"].size for texture in draft.parts["texture"])
    sizes["nnumericdata"] = sum(len(numeric["data"]) for numeric in draft.parts["numeric"])
    sizes["ntextdata"] = sum(len(text["data"].encode()) + 1 for text in draft.parts["text"])
    # plugins, rows and names
    sizes |= plugins.sizes(draft)
    if draft.parts["equality"]:
        sizes["nemax"] = _at("parts.equalities:count_rows")(draft)
    sizes["nnames"], sizes["npaths"] = len(names.all_names(draft)), len(names.all_paths(draft))
    sizes["nnames_map"] = names.LOAD * sum(sizes[s] for s in COUNTED.values())
    # memory for users
    if (number := draft.size["nuserdata"]) < 0:
        section = [s for s in draft.root.children if "nuserdata" in s.values][-1]
        raise section.error(f"nuserdata='{number}': expected 0 or more")
    for name in ("nuserdata", "njmax", "nconmax"):
        sizes[name] = draft.size[name]
    check_size(draft.root, sizes)
    world = sum(sizes[name] for name in ("nsensordata", "nhistory", "nuserdata"))
    check_bytes(draft.root, 8 * world, "a world with many values of sensors, delays and users")
    # structure: parents of dofs, and patterns of sparse matrices
    model = Model(sizes)
    _fill_structure(model, draft)
    entries = sparse.entries(model)
    check_size(draft.root, sizes | entries)
    patterns = sparse.Patterns(
        model.dof_parentid.tolist(),
        model.dof_simplenum.tolist(),
        model.body_parentid.tolist(),
        model.body_dofadr.tolist(),
        model.body_dofnum.tolist(),
    )
    rows = _at("parts.tendons:tendon_rows")(model, draft) if draft.parts["tendon"] else []
    model.resize(**entries, nJten=sum(map(len, rows)))
    sparse.fill(model, patterns)
    if rows:
        model.ten_J_rownnz, model.ten_J_rowadr, model.ten_J_colind = sparse.rows(rows)
    return model


def _count_trees(bodies: list["Body"]) -> int:
    """Number of bodies that move although nothing around them does."""
    moved: set[int] = set()
    count = 0
    for body in bodies:
        around = body.parent is not None and body.parent.id in moved
        count += bool(body.joints) and not around
        if body.joints or around:
            moved.add(body.id)
    return count


def _fill_structure(model: Model, draft: Draft) -> None:
    if joints := draft.parts["joint"]:
        kinds = ("free", "ball", "slide", "hinge")
        model.jnt_type = [kinds.index(joint["type"]) for joint in joints]
        model.jnt_pos = [joint["pos"] for joint in joints]
        model.jnt_axis = [joint["axis"] for joint in joints]
    model.body_weldid = [body["weldid"] for body in draft.parts["body"]]
    fill.fill_tree(model, draft)
    model.body_simple = sparse.simple_bodies(model)
    if draft.parts["tendon"]:
        _at("parts.tendons:demote_simple")(model, draft)
    model.dof_simplenum = sparse.simple_runs(model.body_simple, model.dof_bodyid)
    for body in draft.parts["body"][1:]:
        if body["sleep"] != "auto":
            tree = model.body_treeid[body.id]
            if tree == -1 or tree == model.body_treeid[body.id - 1]:
                raise body.error(
                    f"sleep='{body['sleep']}': expected the first body of a moving tree"
                )
            model.tree_sleep_policy[tree] = SLEEP[body["sleep"]]


def _set_total_mass(model: Model, total: float) -> None:
    """Scale all masses and inertias to a total mass."""
    if total > 0:
        scale = max(MINVAL, total / max(MINVAL, total_of(model.body_mass[1:].tolist())))
        model.body_mass[1:] *= scale
        model.body_inertia[1:] *= scale


def _set_springs(model: Model, draft: Draft) -> None:
    """Stiffness and damping of joints that give a time constant and a damping ratio instead."""
    for joint in draft.parts["joint"]:
        timeconst, dampratio = joint["springdamper"]
        if timeconst <= 0 or dampratio <= 0:
            continue
        dofs = slice(
            model.jnt_dofadr[joint.id], model.jnt_dofadr[joint.id] + fill.NV.get(joint["type"], 1)
        )
        inertia = 1 / max(MINVAL, model.dof_invweight0[dofs].mean())
        model.jnt_stiffness[joint.id] = inertia / max(MINVAL, (timeconst * dampratio) ** 2)
        model.dof_damping[dofs] = 2 * inertia / max(MINVAL, timeconst)


def _set_memory(model: Model, draft: Draft) -> None:
    """Sizes of the memory that MuJoCo would take: its arena, by its rule, and its arrays."""
    njmax = 500 if model.njmax == -1 else model.njmax
    nconmax = 100 if model.nconmax == -1 else model.nconmax
    if "arena" in draft.size:
        arena = draft.size["arena"]
    else:
        rows = njmax + model.neq + model.nv
        counts = "nq nv nu na nbody njnt ngeom nsite neq ntendon nwrap"
        things = sum(getattr(model, name) for name in counts.split())
        nstack = draft.size["nstack"]
        arena = 8 * (nstack if nstack != -1 else max(1000, 5 * rows * rows + 20 * things))
        arena += nconmax * CONTACT_BYTES + njmax * (8 * 4 + 14 * 8) + model.nv * 3 * 4
        arena += njmax * model.nv * (2 * 4 + 2 * 8) + njmax * njmax * (4 + 8)
        arena = -(-arena // MEGABYTE) * MEGABYTE
    vars(model)["narena"] = int(arena)
    # arrays one behind the other, each at a multiple of 64
    size, state = 0, model.__dict__
    for name, _, dtype in LAYOUTS:
        array = state[name]
        size += -size % 64
        if len(array):
            size += len(array) if dtype is None else array.nbytes
    vars(model)["nbuffer"] = int(size)
