"""Products that do not depend on the processor, and a lint against those that do."""

import ast
from pathlib import Path

import numpy as np
import pytest

from mjenv.engine.products import SPARSE, applied, dot, gram, norm, product
from tests.kept import of_texts

ROOT = Path(__file__).resolve().parents[2]
# where no bits of models, states or rewards come from
ELSEWHERE = {
    "engine/analysis/exact.py": "derivatives are solved for by LAPACK",
    "engine/data/constraint_inertia.py": "numbers of entries",
    "engine/data/own_contacts.py": "numbers of entries",
    "engine/data/solver_nnz.py": "numbers of entries",
    "engine/mjcf/assets/octree.py": "integers",
    "engine/mjcf/flex/flex.py": "a check with a tolerance",
    "engine/run/sizes.py": "integers",
}


def test_products_are_those_of_numpy():
    rng = np.random.default_rng(0)
    a, b, x = rng.normal(size=(5, 3, 4)), rng.normal(size=(4, 2)), rng.normal(size=(5, 4))
    np.testing.assert_allclose(product(a, b), a @ b, rtol=1e-13)
    np.testing.assert_allclose(applied(a, x), (a @ x[..., None])[..., 0], rtol=1e-13)
    np.testing.assert_allclose(dot(x, x), (x * x).sum(axis=-1), rtol=1e-13)
    assert norm(np.array([3.0, 4.0])) == 5.0
    assert product(np.zeros((3, 0)), np.zeros((0, 2))).shape == (3, 2)


def test_order_of_the_index():
    """Every product is rounded, and they are added from the first to the last."""
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=40), rng.normal(size=40)
    total = a[0] * b[0]
    for x, y in zip(a[1:], b[1:], strict=True):
        total += x * y
    assert dot(a, b) == total == product(a[None], b[:, None])[0, 0]


def test_stacks_have_the_bits_of_single_products():
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=(9, 6, 7)), rng.normal(size=(9, 7, 6))
    for whole, one, other in zip(product(a, b), a, b, strict=True):
        assert np.array_equal(whole, product(one, other))
        assert np.array_equal(whole, product(np.asfortranarray(one), np.asfortranarray(other)))


def in_order(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Sums in the order of the index, of all products."""
    total = np.zeros((len(a), b.shape[1]))
    for k in range(a.shape[1]):
        total += np.outer(a[:, k], b[k])
    return total


def test_large_products_leave_out_zeros():
    """Of triangles, of rows and columns without numbers; the bits are those of all products."""
    rng, n = np.random.default_rng(3), SPARSE + 70
    lower = np.tril(rng.normal(size=(n, n)))
    lower[:, 7] = lower[9] = 0
    full = rng.normal(size=(60, n))
    for a, b in ((lower, lower.T), (full, lower), (lower.T, full.T), (0 * full, lower)):
        assert np.array_equal(product(a, b), in_order(a, b))
    for a in (lower, full.T, full):
        assert np.array_equal(gram(a), in_order(a.T, a))


def test_large_products_of_what_is_no_number():
    """Zero times infinity is no number, in large matrices too."""
    a = np.zeros((2, 2 * SPARSE))
    b = np.ones((2 * SPARSE, 3))
    b[5, 1] = np.inf
    assert np.isnan(product(a, b)).tolist() == [[False, True, False]] * 2
    a[0, 3] = np.nan
    assert np.isnan(gram(a.T)).tolist() == [[True, True], [True, False]]


def test_shapes_that_do_not_fit():
    with pytest.raises(ValueError, match=r"product: found \(2, 3\) and \(2, 3\), expected"):
        product(np.zeros((2, 3)), np.zeros((2, 3)))


def blas(tree: ast.AST):
    """Lines with products that numpy leaves to BLAS or to loops for one kind of registers."""
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            yield node.lineno
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            name = ast.unparse(node.func)
            along = any(keyword.arg == "axis" for keyword in node.keywords)
            if name in ("np.dot", "np.vdot", "np.inner", "np.matmul", "np.einsum", "np.tensordot"):
                yield node.lineno
            if name.startswith("np.linalg.") and not (name == "np.linalg.norm" and along):
                yield node.lineno


def blas_in(_: Path, text: str) -> list[int]:
    """The same of a file."""
    return [*blas(ast.parse(text))]


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["engine", "envs"])
def test_no_bits_come_from_blas(folder):
    paths = [path.relative_to(ROOT) for path in sorted((ROOT / folder).rglob("*.py"))]
    lines_of = of_texts(blas_in, ROOT, paths)
    found = {path.as_posix(): lines for path, lines in lines_of.items() if lines}
    new = {name: lines for name, lines in found.items() if name not in ELSEWHERE}
    assert not new, f"use mjenv.engine.products, whose bits are the same everywhere: {new}"
    if folder == "engine":
        assert set(ELSEWHERE) <= set(found), "these have no such products any more"
