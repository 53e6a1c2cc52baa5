"""Contacts between branches: the Hessian is factorized where it may differ from zero only."""

from types import SimpleNamespace

import mujoco
import numpy as np

import mjenv
from mjenv.engine.data.data import Data
from mjenv.engine.data.step import forward, step
from mjenv.engine.physics.solver import fill_in
from mjenv.engine.physics.solver.problem import END_BLOCK, NPROBLEM
from tests.engine.reference import copy_state

NWORLD = 8


def limb(name: str, pos: str, inner: str = "") -> str:
    """Five nested links."""
    for k in range(5):
        place = pos if k == 4 else "0 0 -0.1"
        inner = (
            f'<body name="{name}{k}" pos="{place}"><joint axis="{k % 2} {1 - k % 2} 0.1"/>'
            f'<geom type="capsule" fromto="0 0 0 0 0 -0.1" size="0.03"/>{inner}</body>'
        )
    return inner


# limbs of neighbouring places touch each other; the last one is free
TEXT = f"""<mujoco><option timestep="0.004" tolerance="1e-15"/>
<default><geom condim="3"/><joint damping="0.05"/></default><worldbody>
<body pos="0 0 1"><freejoint/><geom size="0.1"/>{limb("a", "0 0 -0.2")}{limb("b", "0.055 0 -0.2")}
{limb("c", "0.5 0 0")}</body></worldbody></mujoco>"""


def runs(data) -> int:
    """Elements of the rows of the last pack, without diagonal."""
    arrays, total = data.plan.threads(1)[0].data.arrays, 0
    for dof, n in enumerate(arrays["fill_num"]):
        pairs = arrays["fill_run"][dof * (dof + 1) // 2 :][: 2 * n].reshape(-1, 2)
        total += int((pairs[:, 1] - pairs[:, 0]).sum())
    return total


def test_accelerations():
    mj, model = mujoco.MjModel.from_xml_string(TEXT), mjenv.Model.from_xml_string(TEXT)
    source, data = mujoco.MjData(mj), Data(model, NWORLD)
    rng = np.random.default_rng(3)
    for _ in range(10):
        source.qvel[:] = rng.normal(size=mj.nv)
        mujoco.mj_step(mj, source, 5)
        mujoco.mj_forward(mj, source)
        for world in range(NWORLD):
            copy_state(source, data, world)
        forward(model, data)
        assert source.ncon > 0
        scale = 1 + np.abs(source.qacc).max()
        assert np.abs(data.qacc - source.qacc).max() < 1e-7 * scale
    dense, tree = model.nv * (model.nv - 1) // 2, model.nv * 5 + 15
    assert tree < runs(data) < 0.8 * dense


def test_same_bits():
    """The runs are those of all contacts of a pack, and do not show."""
    model, results = mjenv.Model.from_xml_string(TEXT), []
    for width in (1, 8):
        data = Data(model, NWORLD, width=width, nthread=1, keep=[])
        data.qvel[:] = np.random.default_rng(0).normal(0, 2, data.qvel.shape)
        step(model, data, 60)
        results.append(np.concatenate([data.qpos, data.qvel], axis=1))
    assert np.isfinite(results[0]).all()
    assert np.array_equal(results[0], results[1])


def test_factorization_of_random_trees(monkeypatch):
    """The runs hold the matrix and its factorization; solutions are those of the matrix."""
    monkeypatch.setattr(fill_in, "zero_like", lambda field: 0.0)
    rng = np.random.default_rng(0)
    for _ in range(40):
        nv = int(rng.integers(2, 20))
        parents = [-1] + [int(rng.integers(max(-1, i - 3), i)) for i in range(1, nv)]
        paths: list[list[int]] = []
        for i, parent in enumerate(parents):
            paths.append([*(paths[parent] if parent >= 0 else ()), i])
        ends = rng.integers(0, nv, (rng.integers(0, 4), 2))
        blocks = [sorted({*paths[i], *paths[j]}) for i, j in ends]
        matrix = 20 * np.eye(nv)
        for dofs in paths + blocks:
            row = np.zeros(nv)
            row[dofs] = rng.normal(size=len(dofs))
            matrix += np.outer(row, row)
        m, d = records(paths, blocks)
        fill_in.find_fill(m, d)
        a, diaginv, x = np.full(m.ndense, np.nan), np.zeros(nv), rng.normal(size=nv)
        fill_in.clear_filled(m, d, a)
        for i, j in zip(*np.nonzero(np.tril(matrix)), strict=True):
            a[m.dense_rowadr[i] + j] = matrix[i, j]
        fill_in.factor_filled(m, d, a, diaginv)
        solution = x.copy()
        fill_in.solve_filled(m, d, solution, a, diaginv)
        np.testing.assert_allclose(matrix @ solution, x, rtol=0, atol=1e-12)


def records(paths: list, blocks: list):
    """What stands for records of a model with these paths to the root, and of these blocks."""
    nv, counts = len(paths), np.array([len(path) for path in paths])
    m = SimpleNamespace(
        nv=nv,
        ndense=nv * (nv + 1) // 2,
        dense_rowadr=np.arange(nv) * (np.arange(nv) + 1) // 2,
        chain_rownnz=counts,
        chain_rowadr=np.cumsum(counts) - counts,
        chain_colind=np.concatenate(paths),
    )
    lengths = np.array([len(block) for block in blocks], int)
    d = SimpleNamespace(
        problem=np.zeros(NPROBLEM, int),
        block_list=np.arange(len(blocks)),
        block_chainadr=np.cumsum(lengths) - lengths,
        block_chainnum=lengths,
        chain_dof=np.array([dof for block in blocks for dof in block], int),
        fill_on=np.zeros(m.ndense, int),
        fill_run=np.zeros(m.ndense, int),
        fill_num=np.zeros(nv, int),
        qacc=np.zeros(nv),
    )
    d.problem[END_BLOCK] = len(blocks)
    return m, d
