"""Specs compiled to models, and data carried over to a model that was changed."""

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from mjenv.engine.edit.compile import compile_parts
from mjenv.engine.errors import MjcfError
from mjenv.engine.mjcf.geometry import shapes
from mjenv.engine.mjcf.parts.custom import normalize_key
from mjenv.mujoco.enumerations import enumeration
from mjenv.mujoco.spec import states
from mjenv.mujoco.spec.adding import new_in_spec
from mjenv.mujoco.spec.checks import check_names, check_spec
from mjenv.mujoco.spec.documents import Lowered
from mjenv.mujoco.spec.kinds import IN_SPEC, IN_TREE
from mjenv.mujoco.spec.names import fill_names
from mjenv.mujoco.spec.reading import vfs_files
from mjenv.mujoco.words.explain import SpecError, worded

if TYPE_CHECKING:
    from mjenv.mujoco.spec.store import Store

MOST_KEYS = 100_000


def compile_spec(spec: "Store", vfs: Any = None) -> Any:
    """The model of a spec; see `MjSpec.compile`."""
    from mjenv.mujoco.structs import MjModel

    return MjModel.of(compile_engine(spec, vfs))


def compile_engine(spec: "Store", vfs: Any = None) -> Any:
    """The engine's model of a spec, whose elements get their numbers in it."""
    if vfs is not None and spec.assets:
        raise ValueError("Cannot specify both 'vfs' and 'assets'.")
    files = vfs_files(vfs) if vfs is not None else asset_files(spec)
    _prepare(spec)
    lowered = Lowered(spec, files)
    try:
        model, draft = compile_parts(lowered.build())
    except MjcfError as error:
        raise worded(error, lowered.owner(error.element)) from error
    _number(spec, model, draft, lowered)
    _settle_keys(spec, model)
    spec.__dict__["_compiled"] = model
    spec.__dict__["_signed"] = model.signature
    spec.__dict__["_places"] = states.Places(spec)
    return model


def asset_files(spec: "Store") -> dict[str, bytes]:
    """The files of a spec, as the engine takes them."""
    files: dict[str, bytes] = {}
    for name, contents in spec.assets.items():
        key = os.path.normpath(name)
        if key in files:
            raise ValueError(f"Repeated file name in assets dict: {name}")
        files[key] = contents if isinstance(contents, bytes) else str(contents).encode()
    return files


def _prepare(spec: "Store") -> None:
    """Fill up keyframes and names, number everything, and refuse what MuJoCo refuses first."""
    if spec._world._lists["joint"]:
        raise SpecError("joint found in world body")
    keys = spec._lists["key"]
    for _ in range(len(keys), min(spec.nkey, MOST_KEYS)):
        new_in_spec(spec, "key")
    for kind in ("mesh", "skin", "hfield", "texture"):
        fill_names(spec._lists[kind])
    check_names(spec)
    states.complete(spec)
    for pending in spec._pending:
        new_in_spec(spec, "key")._name = pending.name
    for kind in (*IN_TREE, *IN_SPEC):
        for place, element in enumerate(spec._elements(kind)):
            element._id = place if kind != "frame" else -1
    spec.__dict__["_tree_numbered"] = True
    check_spec(spec)


def _number(spec: "Store", model: Any, draft: Any, lowered: Lowered) -> None:
    """Give elements the numbers that they have in the model, and lists its order."""
    for kind in (*IN_TREE, *IN_SPEC):
        if kind not in draft.parts or kind == "plugin":
            continue  # frames have no numbers
        # what the compiler has left out keeps no number
        for element in spec._elements(kind):
            element._id = -1
        made = []
        for part in draft.parts[kind]:
            element = lowered.owner(part.element) if kind != "body" or part.id else spec._world
            if element is not None and element._kind == kind:
                element._id = part.id
                made.append(element)
        if kind in ("pair", "exclude", "material", "texture", "mesh"):
            spec._lists[kind][:] = made  # sorted, or without what is not seen
    # properties that only a compiled spec tells
    for part in draft.parts["geom"]:
        geom = lowered.owner(part.element)
        if geom is not None:
            geom.__dict__["_weight"] = (part.values["mass"], _volume(part))
            if geom.type.name == "mjGEOM_SDF" and (mesh := spec._found("mesh", geom.meshname)):
                mesh.needsdf = 1
    for part in draft.parts["mesh"]:
        mesh = lowered.owner(part.element)
        if mesh is not None:
            mesh.__dict__["_type_if_read"] = part.values.get("type_if_read", "")
    for texture in spec._lists["texture"]:
        begin = model.tex_adr[texture._id]
        texture._take_picture(model.tex_data[begin : begin + _bytes(model, texture._id)].tobytes())
    for body in spec._elements("body"):
        body.__dict__["_compiled_mass"] = float(model.body_mass[body._id])
    for joint in spec._elements("joint"):
        joint.__dict__["_compiled_type"] = joint.type.name.removeprefix("mjJNT_")
    # visual geoms may have been discarded
    for body in spec._elements("body"):
        kept = [geom for geom in body._lists["geom"] if geom._id >= 0]
        if len(kept) < len(body._lists["geom"]):
            body._lists["geom"][:] = kept
            _keep_inertia(body, model)
    if spec.compiler.discardvisual:
        for kind in ("geom", "site", "skin", "tendon"):
            for element in spec._elements(kind):
                element.material = ""
    for tendon in spec._lists["tendon"]:
        for wrap in tendon._path:
            _settle_wrap(spec, wrap)


def _bytes(model: Any, k: int) -> int:
    """Size of a texture."""
    return int(model.tex_width[k] * model.tex_height[k] * model.tex_nchannel[k])


def _keep_inertia(body: Any, model: Any) -> None:
    """Let a body say its mass and inertia, whose geoms were discarded."""
    if body._parent is None or body.explicitinertial:
        return
    k = body._id
    body.explicitinertial, body.mass = 1, float(model.body_mass[k])
    body.ipos, body.iquat = model.body_ipos[k], model.body_iquat[k]
    body.inertia = model.body_inertia[k]


def _volume(part: Any) -> float:
    """Volume of a geom as it was compiled (m^3), of a shell its area (m^2)."""
    mesh, shape = part.values.get("shape"), part["type"]
    if mesh:
        return mesh.measure
    if shape == "plane":
        return 0.0
    shell = part["shellinertia"] == "true"
    return shapes.volume("box" if shape == "hfield" else shape, part["size"], shell)


def _settle_wrap(spec: "Store", wrap: Any) -> None:
    """Tell cylinders from spheres on the path of a tendon."""
    if wrap._word in ("sphere", "cylinder"):
        geom = spec._found("geom", wrap._name)
        word = geom.type.name.removeprefix("mjGEOM_") if geom is not None else "SPHERE"
        wrap.type = enumeration("mjtWrap")[f"mjWRAP_{word}"]


def _settle_keys(spec: "Store", model: Any) -> None:
    """Turn pending keyframes to keyframes, with the model's reference where they say nothing."""
    if not spec._pending:
        return
    mocap = model.body_mocapid >= 0
    references = {
        "qpos": model.qpos0,
        "mpos": model.body_pos[mocap].reshape(-1),
        "mquat": model.body_quat[mocap].reshape(-1),
    }
    keys = {key._name: key for key in spec._lists["key"]}
    for pending in spec._pending:
        key = keys[pending.name]
        key.time = pending.time
        values = states.recall(spec, pending.name, pending.given, references)
        model.key_time[key._id] = pending.time
        for field, row in values.items():
            key.__dict__[field] = row
            target = getattr(model, f"key_{field}")
            target[key._id] = np.reshape(row, target[key._id].shape)
        normalize_key(model, key._id)
    spec._pending.clear()


def recompile(spec: "Store", model: Any, data: Any) -> tuple[Any, Any]:
    """A new model and data, which keep the state; see `MjSpec.recompile`."""
    from mjenv.mujoco.structs import MjData

    fields = {
        "qpos": data.qpos, "qvel": data.qvel, "act": data.act, "ctrl": data.ctrl,
        "mpos": data.mocap_pos, "mquat": data.mocap_quat,
    }  # fmt: skip
    # the old state goes to the elements that it belongs to
    known = spec.__dict__.get("_places")
    places = known if known is not None else states.Places(spec)
    del model
    for field, values in fields.items():
        row = np.asarray(values).reshape(-1)
        for element, place in places.slots[field]:
            if place.stop <= len(row):
                element._states.setdefault(field, {})["state"] = row[place].copy()
    # the new model finds it there; elements that are new have their initial one
    new = compile_spec(spec)
    made = MjData(new)
    mocap = new.body_mocapid >= 0
    references = {
        "qpos": new.qpos0,
        "mpos": new.body_pos[mocap].reshape(-1),
        "mquat": new.body_quat[mocap].reshape(-1),
    }
    values = states.recall(spec, "state", states.FIELDS, references)
    for field, name in (
        ("qpos", "qpos"), ("qvel", "qvel"), ("act", "act"), ("ctrl", "ctrl"),
        ("mpos", "mocap_pos"), ("mquat", "mocap_quat"),
    ):  # fmt: skip
        target = getattr(made, name)
        target[:] = np.reshape(values[field], target.shape)
    made.time = data.time
    return new, made
