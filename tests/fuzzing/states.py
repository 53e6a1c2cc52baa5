"""Random states and inputs of a model, made with MuJoCo and carried over as rows of numbers."""

import mujoco
import numpy as np

SPEC = int(mujoco.mjtState.mjSTATE_INTEGRATION)


def random_states(mj: mujoco.MjModel, count: int, rng: np.random.Generator) -> np.ndarray:
    """States with their inputs and warm starts.

    Args:
        mj: the model.
        count: how many.
        rng: source of the values.

    Returns:
        (count, size) rows of mj_getState.
    """
    data = mujoco.MjData(mj)
    rows = np.zeros((count, mujoco.mj_stateSize(mj, SPEC)))
    for row in rows:
        randomize(mj, data, rng)
        mujoco.mj_getState(mj, data, row, SPEC)
    return rows


def randomize(mj: mujoco.MjModel, data: mujoco.MjData, rng: np.random.Generator) -> None:
    """Put data into a random state."""
    mujoco.mj_resetData(mj, data)
    if mj.nkey and rng.random() < 0.3:
        mujoco.mj_resetDataKeyframe(mj, data, int(rng.integers(mj.nkey)))
        mujoco.mj_normalizeQuat(mj, data.qpos)
    far = rng.choice([0, 0.01, 0.1, 0.5, 2.0])
    mujoco.mj_integratePos(mj, data.qpos, far * rng.normal(size=mj.nv), 1.0)
    data.qvel[:] = rng.choice([0, 0.1, 1, 5]) * rng.normal(size=mj.nv)
    data.act[:] = rng.uniform(-0.2, 1.2, mj.na)
    data.ctrl[:] = rng.choice([0, 1, 3]) * rng.normal(size=mj.nu)
    data.time = rng.choice([0.0, mj.opt.timestep * rng.integers(100)])
    data.userdata[:] = rng.normal(size=mj.nuserdata)
    if rng.random() < 0.3:
        data.qfrc_applied[:] = rng.normal(size=mj.nv)
    if rng.random() < 0.3:
        data.xfrc_applied[1:] = rng.normal(size=(mj.nbody - 1, 6))
    if rng.random() < 0.5:
        data.qacc_warmstart[:] = rng.choice([1.0, 10.0]) * rng.normal(size=mj.nv)
    if rng.random() < 0.3:
        data.eq_active[:] = rng.integers(0, 2, mj.neq)
    if mj.nmocap:
        data.mocap_pos[:] += rng.choice([0, 0.1]) * rng.normal(size=(mj.nmocap, 3))
        if rng.random() < 0.7:
            # not of length 1, as a user may leave it
            data.mocap_quat[:] += 0.3 * rng.normal(size=(mj.nmocap, 4))


def put(mj: mujoco.MjModel, data: mujoco.MjData, row: np.ndarray) -> None:
    """Put data that are as new into a state."""
    mujoco.mj_resetData(mj, data)
    mujoco.mj_setState(mj, data, row, SPEC)


def place_of(mj: mujoco.MjModel, component: mujoco.mjtState) -> slice:
    """Where a component is in the rows of numbers."""
    before = int(component) - 1
    start = mujoco.mj_stateSize(mj, SPEC & before)
    return slice(start, start + mujoco.mj_stateSize(mj, int(component)))
