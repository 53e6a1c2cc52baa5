"""Islands, the order of elimination, and factorization by trees, on random constraint graphs."""

from types import SimpleNamespace

import numpy as np
import pytest

from mjenv.engine.physics.capacity import CAPACITY_LINK, NCAPACITY
from mjenv.engine.physics.solver import elimination_order, islands, scratch, supernodes
from mjenv.engine.physics.solver.problem import NPROBLEM
from mjenv.engine.simd.record import ArrayField
from mjenv.engine.tables.enums import CNSTR_LIMIT_JOINT, COUNT_BLOCK, COUNT_CONE, NCOUNT


def integers(n: int) -> np.ndarray:
    return np.zeros(n, np.int64)


class Graph:
    """Random trees of dofs, an inertia matrix with their sparsity, and scalar constraints."""

    def __init__(self, seed: int, wide: bool = False):
        rng = self.rng = np.random.default_rng(seed)
        ntree = int(rng.integers(1, 12))
        sizes = rng.integers(1, 7, ntree)
        if wide:
            # rows of the first are worked on in runs where it has no neighbours
            sizes[0] = elimination_order.WIDE + rng.integers(0, 20)
        starts = np.cumsum(sizes) - sizes
        nv = self.nv = int(sizes.sum())
        parent = np.full(nv, -1)
        for start, n in zip(starts, sizes, strict=True):
            for i in range(1, n):
                last = 0.7 if n < elimination_order.WIDE else 0.1
                parent[start + i] = start + (i - 1 if rng.random() < last else rng.integers(0, i))
        rows = [self.ancestors(parent, dof) for dof in range(nv)]
        self.M = 6.0 * np.eye(nv)
        for i, row in enumerate(rows):
            for j in row[:-1]:
                self.M[i, j] = self.M[j, i] = 0.2 * rng.normal()
        rownnz = np.array([len(row) for row in rows])
        rowadr, colind = np.cumsum(rownnz) - rownnz, np.concatenate(rows)
        self.m = SimpleNamespace(
            ntree=ntree, nv=nv, nchain=len(colind), opt_disableflags=[0],
            dof_treeid=np.repeat(np.arange(ntree), sizes), dof_parentid=parent,
            tree_dofadr=starts, tree_dofnum=sizes,
            M_rownnz=rownnz, M_rowadr=rowadr, M_colind=colind,
            chain_rownnz=rownnz, chain_rowadr=rowadr, chain_colind=colind,
        )  # fmt: skip
        self.chains = [self.some_dofs(rows) for _ in range(rng.integers(1, 2 * ntree + 2))]
        self.jacobians = [rng.normal(size=len(chain)) for chain in self.chains]
        self.d = self.data(capacity=8)

    @staticmethod
    def ancestors(parent, dof: int) -> list[int]:
        row = [dof]
        while parent[row[0]] >= 0:
            row.insert(0, int(parent[row[0]]))
        return row

    def some_dofs(self, rows) -> list[int]:
        """Dofs of one to three trees, on paths to the root or not."""
        rng, m, dofs = self.rng, self.m, set()
        for tree in rng.choice(m.ntree, min(int(rng.integers(1, 4)), m.ntree), replace=False):
            first, n = m.tree_dofadr[tree], m.tree_dofnum[tree]
            if rng.random() < 0.7:
                dofs.update(rows[first + rng.integers(0, n)])
            else:
                dofs.update((first + rng.integers(0, n, 2)).tolist())
        return sorted(dofs)

    def data(self, capacity: int) -> SimpleNamespace:
        m, nblock = self.m, len(self.chains)
        lengths = np.array([len(chain) for chain in self.chains])
        starts = np.cumsum(lengths) - lengths
        d = SimpleNamespace(
            count=integers(NCOUNT), capacity=integers(NCAPACITY), need=integers(NCAPACITY),
            block_type=np.full(nblock, CNSTR_LIMIT_JOINT), block_dim=np.ones(nblock, int),
            block_row=integers(nblock), block_list=integers(nblock), block_tree=integers(nblock),
            block_adr=starts, block_chainadr=starts, block_chainnum=lengths,
            chain_dof=np.concatenate(self.chains), block_jac=np.concatenate(self.jacobians),
            block_D=ArrayField(np.ones(nblock), True), row_active=np.zeros(nblock),
            problem=integers(NPROBLEM), dof_list=integers(m.nv),
            M=self.M[np.repeat(np.arange(m.nv), m.M_rownnz), m.M_colind],
            sol_H=np.zeros(m.nv * (m.nv + elimination_order.RUN)),
            sol_Hinv=np.zeros(m.nv), sol_search=np.zeros(m.nv),
        )  # fmt: skip
        sizes = {"ntree": m.ntree, "ntree1": m.ntree + 1, "nv": m.nv, "nblock": nblock, "nlink": 0}
        sizes["nhessrun"] = elimination_order.run_room(m.tree_dofnum)
        tables = scratch.ISLAND_DATA + scratch.ORDERING_DATA + scratch.SUPERNODE_DATA
        for row in tables:
            shape = [dim if isinstance(dim, int) else sizes[dim] for dim in row.shape]
            setattr(d, row.name, integers(int(np.prod(shape))))
        d.count[COUNT_BLOCK] = d.count[COUNT_CONE] = nblock
        return d

    def order(self) -> int:
        """Order the trees with room for links that grows; returns how often it had to."""
        for attempt in range(10):
            capacity = self.d.need[CAPACITY_LINK] if attempt else 1
            self.d.capacity[CAPACITY_LINK] = capacity
            self.d.link_tree, self.d.link_adr = integers(capacity), integers(capacity)
            elimination_order.order_trees(self.m, self.d)
            if self.d.order_state[elimination_order.DONE]:
                return attempt
        raise AssertionError("room for links never suffices")


@pytest.mark.sweep(35)
@pytest.mark.parametrize(("seed", "wide"), [*((k, False) for k in range(60)),
                                            *((k, True) for k in range(12))])  # fmt: skip
def test_each_island_is_factorized_and_solved(seed, wide):
    graph = Graph(seed, wide)
    m, d, rng = graph.m, graph.d, graph.rng
    islands.find_islands(m, d)
    graph.order()
    hessian = graph.M.copy()
    for b, (chain, jacobian) in enumerate(zip(graph.chains, graph.jacobians, strict=True)):
        stiffness = rng.uniform(0.5, 2.0)
        d.row_active[d.block_row[b]] = stiffness
        hessian[np.ix_(chain, chain)] += stiffness * np.outer(jacobian, jacobian)
    free = set(range(m.nv))
    for k in range(d.isl_num[0]):
        islands.island_problem(d, k)
        supernodes.make_island_hessian(m, d)
        dofs = d.dof_list[d.isl_dof[k] : d.isl_dof[k + 1]]
        free -= set(dofs.tolist())
        others = np.setdiff1d(np.arange(m.nv), dofs)
        assert not hessian[np.ix_(dofs, others)].any()
        right = rng.normal(size=m.nv)
        d.sol_search[:] = right
        supernodes.solve_island(m, d)
        expected = np.linalg.solve(hessian[np.ix_(dofs, dofs)], right[dofs])
        np.testing.assert_allclose(d.sol_search[dofs], expected, rtol=0, atol=1e-14)
        np.testing.assert_array_equal(d.sol_search[others], right[others])
    constrained = {dof for chain in graph.chains for dof in chain}
    trees = {int(m.dof_treeid[dof]) for dof in constrained}
    assert free == {dof for dof in range(m.nv) if int(m.dof_treeid[dof]) not in trees}


def test_rows_of_wide_trees_are_worked_on_in_runs_where_these_have_no_neighbours():
    found = set()
    for seed in range(12):
        graph = Graph(seed, wide=True)
        islands.find_islands(graph.m, graph.d)
        graph.order()
        k = graph.d.tree_list[: graph.m.ntree].tolist()
        found.add(bool(k) and bool(graph.d.node_runadr[0] > -1 and graph.d.node_width[0] > 0))
    assert found == {False, True}


def test_room_for_links_grows():
    assert max(_attempts(seed) for seed in range(20)) > 1


def _attempts(seed: int) -> int:
    graph = Graph(seed)
    islands.find_islands(graph.m, graph.d)
    return graph.order()
