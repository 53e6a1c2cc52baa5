"""MuJoCo's Python names: what stands for them here, and why some have nothing."""

from collections.abc import Collection

# names of MuJoCo that stand for something of another name
OTHER_NAMES = {
    "MjModel": "Model",
    "MjData": "Data",
    "MjSpec": "Spec",
    "mj_resetData": "reset",
    "mj_resetDataKeyframe": "reset",
    "mj_resetDataDebug": "reset",
    "mj_mulJacTVec": "mul_jac_t_vec",
    "mj_local2Global": "local_to_global",
    "mj_printFormattedModel": "print_model",
    "mj_printFormattedData": "print_data",
    "mj_geomDistance": "geom_distance",
    "mj_stateSize": "state_size",
    "mjd_quatIntegrate": "mju.quat_integrate_derivatives",
    "mjd_subQuat": "mju.sub_quat_derivatives",
    "mj_version": "__version__",
    "mj_versionString": "__version__",
}
# why there is nothing for other functions, in groups
LEFT_OUT = {
    "plugins of MuJoCo are written in Python here": (
        "mj_loadAllPluginLibraries", "mj_loadPluginLibrary",
    ),
    "contacts of many worlds come from compiled routines; set_hook(data, 'contactfilter', ...) "
    "discards some; mjenv.mujoco.mj_addContact adds one to a single world": ("mj_addContact",),
    "hooks belong to data: set_hook(data, kind, None) removes one": ("mj_resetCallbacks",),
    "a matrix of its own is added by numpy: full_m(model, data)": ("mj_addM",),
    "the model says it: model.opt.solver, model.opt.cone, model.opt.jacobian": (
        "mj_isDual", "mj_isPyramidal", "mj_isSparse",
    ),
    "a new model has them: Model.from_xml_string('<mujoco/>').opt": (
        "mj_defaultLROpt", "mj_defaultOption", "mj_defaultSolRefImp", "mj_defaultVisual",
    ),
    "numpy does it: q / np.linalg.norm(q, axis=-1, keepdims=True)": ("mj_normalizeQuat",),
    "lists of contacts grow as needed": ("mj_maxContact",),
    "Model.save and Spec.to_file write models; len(model.to_bytes()) is the size": (
        "mj_saveModel", "mj_saveLastXML", "mj_sizeModel",
    ),
    "assets that were compiled are kept for later models by themselves, up to 256 MB": (
        "mj_clearCache", "mj_getCache", "mj_getCacheCapacity", "mj_getCacheSize",
        "mj_setCacheCapacity",
    ),
    "geoms, lights and cameras of scenes print themselves: print(scene.geoms[0])": (
        "mj_printScene", "mj_printFormattedScene",
    ),
    "plots are drawn by libraries for plots": ("mjv_defaultFigure",),
}  # fmt: skip
_REASONS = {name: reason for reason, names in LEFT_OUT.items() for name in names}


def counterpart(name: str, known: Collection[str]) -> str | None:
    """The name here of something of MuJoCo's bindings; None if there is nothing.

    Args:
        name: as in MuJoCo's bindings: "mj_forward", "MjData".
        known: names that there are.
    """
    if name in OTHER_NAMES:
        return OTHER_NAMES[name]
    if name in known:
        return name
    prefix, _, word = name.partition("_")
    if prefix == "mju":
        from mjenv import mju

        found = _same(word, dir(mju))
        return found and f"mju.{found}"
    return _same(word, known) if prefix in ("mj", "mjd") else None


def _same(word: str, known: Collection[str]) -> str | None:
    """The name that is the same but for underscores and capitals."""
    return next((n for n in known if n.replace("_", "").lower() == word.lower()), None)


def hint(name: str, known: Collection[str]) -> str:
    """Return advice about a name of MuJoCo's bindings, to append to a message; "" for others."""
    found = counterpart(name, known)
    if found is not None:
        return f"; it is mjenv.{found}"
    if name.startswith("mju_"):
        return "; numpy or Python's own functions do it"
    return f"; {_REASONS[name]}" if name in _REASONS else ""
