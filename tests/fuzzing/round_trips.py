"""What is saved, read again and carried elsewhere: models, keyframes and states."""

import copy
import warnings

import mujoco
import numpy as np

import mjenv
from tests.engine.mjcf.test_models import differences
from tests.fuzzing.draw import Draw
from tests.fuzzing.edits import EDITS, edit_of, value_of
from tests.fuzzing.states import SPEC

# fields that may differ between worlds: real numbers that no list or size is made of
VARIED = [name for name in EDITS if name not in ("opt.integrator", "opt.cone", "opt.solver")]


def of_binary(model) -> list[str]:
    """Fields that differ after a model was written to bytes and read."""
    return differences(mjenv.Model.from_bytes(model.to_bytes()), model)


def of_text(spec, model, assets: dict[str, bytes]) -> list[str]:
    """Fields that differ after a specification was written as text and compiled.

    None where the writer warns that something is lost.
    """
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        text = spec.to_xml()
    if any("the saved text is another model" in str(warning.message) for warning in told):
        return []
    read = mjenv.Spec.from_string(text, assets).compile()
    found = differences(read, model)
    if "actuator_cranklength" in found:
        # no attribute says it of what has no crank, as MuJoCo's text does not
        cranks = model.actuator_trntype == mujoco.mjtTrn.mjTRN_SLIDERCRANK
        if np.array_equal(read.actuator_cranklength[cranks], model.actuator_cranklength[cranks]):
            found.remove("actuator_cranklength")
    if NUMBERED.issuperset(found) and told_instances(read) == told_instances(model):
        return []  # a text has instances with a name first, whatever they were attached to
    return found


# what instances of plugins are numbered in, or come in the order of their numbers
NUMBERED = frozenset(
    ("body_plugin", "geom_plugin", "actuator_plugin", "sensor_plugin", "plugin", "plugin_attr",
     "plugin_attradr", "plugin_stateadr", "plugin_statenum", "name_pluginadr", "names", "names_map")
)  # fmt: skip


def told_instances(model) -> dict[str, list]:
    """Name, plugin, size of the state and settings of the instance that each element has."""
    names, texts = bytes(model.names), bytes(model.plugin_attr)
    ends = [*np.asarray(model.plugin_attradr).tolist(), len(texts)]
    instances = [
        (
            names[model.name_pluginadr[k] :].partition(b"\0")[0],
            int(model.plugin[k]),
            int(model.plugin_statenum[k]),
            texts[ends[k] : ends[k + 1]],
        )
        for k in range(model.nplugin)
    ]
    kinds = ("body", "geom", "actuator", "sensor")
    numbers = {kind: np.asarray(getattr(model, f"{kind}_plugin")).tolist() for kind in kinds}
    return {
        kind: [instances[k] if k >= 0 else None for k in elements]
        for kind, elements in numbers.items()
    }


def of_keyframes(mj, model, data) -> list[str]:
    """Keyframes from which a reset finds another state than MuJoCo's, or that are stored badly."""
    theirs, wrong = mujoco.MjData(mj), []
    row = np.zeros(mujoco.mj_stateSize(mj, SPEC))
    for key in range(mj.nkey):
        mujoco.mj_resetDataKeyframe(mj, theirs, key)
        mujoco.mj_getState(mj, theirs, row, SPEC)
        mjenv.reset(model, data, key)
        found = mjenv.get_state(model, data, SPEC)
        # as exact as compiled models are
        if not np.allclose(found, np.tile(row, (data.nworld, 1)), 1e-9, 1e-12, equal_nan=True):
            wrong.append(f"reset to keyframe {key}")
    copies = copy.copy(mj), copy.copy(model)
    if mj.nkey:
        mujoco.mj_setKeyframe(copies[0], theirs, 0)
        other = mjenv.Data(copies[1], 1)
        mjenv.reset(copies[1], other, mj.nkey - 1)
        mjenv.set_keyframe(copies[1], other, 0)
        wrong += [f"set_keyframe: {name}" for name in differences(copies[1], copies[0])
                  if name.startswith("key_")]  # fmt: skip
    return wrong


def varied_models(d: Draw, mj, model, nworld: int):
    """MuJoCo's models of worlds that differ in some fields, and our data of these worlds.

    Returns:
        nworld models, data, and the fields; no models where there is nothing to vary.
    """
    names = [name for name in d.sample(VARIED, 12) if np.size(value_of(mj, name))]
    chosen = names[: d.randint(1, 3)]
    # buffers have the same times in all worlds; MuJoCo counts bodies that float when it compiles
    for name, fixed in (("opt.timestep", mj.nhistory), ("body_gravcomp", not mj.ngravcomp)):
        if fixed and name in chosen:
            chosen.remove(name)
    data = mjenv.Data(model, nworld, vary=[name.replace(".", "_") for name in chosen])
    models = [copy.copy(mj) for _ in range(nworld)]
    for name in chosen:
        seed = d.randrange(1 << 30)
        for world, one in enumerate(models):
            edit_of(name, seed + world).apply(one)
            data.varied[name.replace(".", "_")][world] = value_of(one, name)
    return models, data, chosen
