"""Running worlds: step, forward, reset."""

import numpy as np

from .enums import COUNT_RERUN, COUNT_WARNED, COUNT_XFRC, NWARNING
from .threads import share


def step(model, data, nstep: int = 1, mask=None, post: bool = False) -> None:
    """Advance worlds by nstep time steps (mj_step).

    As in MuJoCo, derived fields belong to the last evaluation of forward dynamics: the state before the last step (Euler), or
    its last stage (RK4).

    Args:
        model: the model that the data were made for.
        data: worlds; advanced in place.
        nstep: number of steps.
        mask: bool (nworld,); worlds to advance. None means all.
        post: also compute cacc, cfrc_ext and cfrc_int after the last step (mj_rnePostConstraint).

    Raises:
        ValueError: data of another model, or an argument out of range.
    """
    if nstep < 0:
        raise ValueError(f"step: nstep={nstep}: expected 0 or more")
    if nstep:
        _run(model, data, nstep, mask, post, "step")


def forward(model, data, mask=None, post: bool = False) -> None:
    """Compute everything that follows from the present state and inputs, without advancing it (mj_forward).

    Args:
        model: the model that the data were made for.
        data: worlds.
        mask: bool (nworld,); worlds to compute. None means all.
        post: also compute cacc, cfrc_ext and cfrc_int (mj_rnePostConstraint).

    Raises:
        ValueError: data of another model, or a mask of the wrong shape.
    """
    _run(model, data, 0, mask, post, "forward")


def reset(model, data, keyframe=None, mask=None) -> None:
    """Put worlds into their initial state or a keyframe, with zero inputs (mj_resetData, mj_resetDataKeyframe).

    Derived fields become zero; call `forward` to compute them.

    Args:
        model: the model that the data were made for.
        data: worlds.
        keyframe: index or name of a keyframe; None means qpos0 at rest.
        mask: bool (nworld,); worlds to reset. None means all.

    Raises:
        KeyError: no such keyframe.
        ValueError: data of another model, or a mask of the wrong shape.
    """
    _check(model, data, "reset")
    worlds = slice(None) if mask is None else _selected(data, mask, "reset")
    data.reset_state(worlds)
    if keyframe is not None:
        k = model.key(keyframe).id
        data.time[worlds] = model.key_time[k]
        data.qpos[worlds] = model.key_qpos[k]
        data.qvel[worlds] = model.key_qvel[k]
        data.act[worlds] = model.key_act[k]
        data.mocap_pos[worlds] = model.key_mpos[k].reshape(-1, 3)
        data.mocap_quat[worlds] = model.key_mquat[k].reshape(-1, 4)
        data.ctrl[worlds] = model.key_ctrl[k]


def _check(model, data, where: str) -> None:
    if data.model is not model:
        raise ValueError(
            f"{where}: data were made for another model; expected data of this model: Data(model)"
        )


def _selected(data, mask, where: str) -> np.ndarray:
    """Indices of the worlds in a mask."""
    mask = np.asarray(mask)
    if mask.shape != (data.nworld,) or mask.dtype != np.bool_:
        raise ValueError(
            f"{where}: mask is {mask.dtype} of shape {mask.shape}, expected bool of shape ({data.nworld},)"
        )
    return np.flatnonzero(mask)


def _run(model, data, nstep: int, mask, post: bool, where: str) -> None:
    _check(model, data, where)
    plan = data.plan
    worlds = None
    if mask is not None:
        worlds = _selected(data, mask, where)
        if not len(worlds):
            return
    plan.refresh()
    program = plan.program(data.kept, post, nstep > 0)
    data.connect(program)
    program.choose(worlds, data.nworld, plan.width)
    values = program.values
    values["counter"][0], values["nstep"][0], values["mode"][0] = 0, nstep, int(nstep > 0)
    nthread = min(data.nthread, program.npack)
    scratch = plan.threads(nthread)
    for one in scratch:
        one.data.arrays["count"][COUNT_XFRC] = data.wrench_in_use
    if not program.compiled:
        _run_interpreted(plan, program, data, nstep)
        return
    run, address = plan.run, program.record.address
    if nthread == 1:
        run(address, scratch[0].model.address, scratch[0].data.address)
    else:
        share(lambda k: run(address, scratch[k].model.address, scratch[k].data.address), nthread)


def _run_interpreted(plan, program, data, nstep: int) -> None:
    """The loop of `driver.py` without compiled code: stages by name, transfers by numpy."""
    scratch = plan.threads(1)[0]
    m, d = scratch.model, scratch.data
    count = d.arrays["count"]

    def operate(phase: str) -> None:
        for stage in program.phases[phase]:
            stage.kernel(m, d)

    values = program.values
    for pack in range(values["npack"][0]):
        worlds = values["world"][pack * plan.width : (pack + 1) * plan.width]
        nlane = min(plan.width, values["nactive"][0] - pack * plan.width)
        _gather_interpreted(program, data, m, d, worlds)
        if nstep:
            for _ in range(nstep):
                operate("before")
                operate("forward")
                operate("check")
                if count[COUNT_RERUN]:
                    operate("forward")
                operate("integrate")
        else:
            operate("forward")
        operate("after")
        _scatter_interpreted(program, data, d, worlds[:nlane])


def _names_by_slot(layout) -> dict:
    return {entry.slot: name for name, entry in layout.entries.items()}


def _user_arrays(data) -> dict:
    """User's arrays by address."""
    arrays = {a.ctypes.data: a for a in data._arrays.values() if a.size}
    arrays.update({a.ctypes.data: a for a in data.varied.values()})
    return arrays


def _gather_interpreted(program, data, m, d, worlds) -> None:
    users, values = _user_arrays(data), program.values
    for t in range(program.record.nin):
        record = m if values["in_model"][t] else d
        name = _names_by_slot(record.layout)[int(values["in_scratch"][t])]
        rows = users[int(values["in_user"][t])][worlds].reshape(len(worlds), -1)
        target = record.arrays[name]
        target[...] = rows.T if target.ndim == 2 else rows[0]
    if d.arrays["count"][COUNT_WARNED]:
        d.arrays["count"][COUNT_WARNED] = 0
        for name in ("warning_number", "warning_lastinfo", "warning_reset"):
            d.arrays[name][...] = 0


def _scatter_interpreted(program, data, d, worlds) -> None:
    users, values = _user_arrays(data), program.values
    warned = bool(d.arrays["count"][COUNT_WARNED])
    for t in range(program.record.nout + (program.record.nback if warned else 0)):
        name = _names_by_slot(d.layout)[int(values["out_scratch"][t])]
        user = users[int(values["out_user"][t])]
        source = d.arrays[name]
        lanes = source.T if source.ndim == 2 else source[None]
        user[worlds] = lanes[: len(worlds)].reshape((len(worlds), *user.shape[1:]))
    if warned:
        wide = d.arrays["warning_number"].ndim == 2
        for lane, world in enumerate(worlds):
            number, info, reset = (
                d.arrays[n][:, lane] if wide else d.arrays[n]
                for n in ("warning_number", "warning_lastinfo", "warning_reset")
            )  # fmt: skip
            if reset[0] > 0:
                data._warn_number[world] = data._warn_info[world] = 0
            for k in range(NWARNING):
                if number[k] > 0:
                    data._warn_number[world, k] += int(number[k])
                    data._warn_info[world, k] = int(info[k])
