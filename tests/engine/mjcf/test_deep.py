"""Bodies inside each other, deeper than Python calls nest: no pass of the compiler needs calls."""

import sys
import time
import warnings

import mujoco
import numpy as np
import pytest

from mjenv.engine.edit.compile import Model
from mjenv.engine.edit.spec import Spec
from mjenv.engine.errors import UnsupportedFeature
from mjenv.engine.mjcf.arrays.hashes import START, hash_spaces, hash_string
from mjenv.engine.mjcf.arrays.inverse import _factor
from mjenv.engine.mjcf.document.expand import expand
from mjenv.engine.mjcf.text.reader import read
from mjenv.engine.mjcf.text.source import Source
from mjenv.engine.products import product

DEPTH = 2000


@pytest.fixture(autouse=True)
def usual_stack():
    """Python's usual limit, whatever something else has made of it."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(1000)
    yield
    sys.setrecursionlimit(before)


def chain(spec, depth=DEPTH):
    """A chain of bodies; its last one."""
    body = spec.worldbody
    for k in range(depth):
        body = body.add_body(name=f"b{k}", pos=(0.1, 0, 0))
        body.add_geom(size=(0.1,))
    return body


@pytest.fixture(scope="module")
def deep():
    spec = Spec()
    last = chain(spec)
    last.add_joint(name="j")
    spec.actuator.add_motor(name="m", joint="j")
    spec.keyframe.add_key(name="k", qpos=(0.5,))
    return spec


@pytest.mark.slow
def test_compile(deep):
    """As MuJoCo does, which refuses chains of more than 1,022 bodies; ours may be deeper."""
    ours, theirs = Spec(), mujoco.MjSpec()
    chain(ours, 600).add_joint()
    body = theirs.worldbody
    for k in range(600):
        body = body.add_body(name=f"b{k}", pos=(0.1, 0, 0))
        body.add_geom(size=(0.1, 0, 0))
    body.add_joint()
    model, mj = ours.compile(), theirs.compile()
    assert (model.nbody, model.nv, model.ntree) == (mj.nbody, mj.nv, mj.ntree)
    assert model.signature == mj.signature
    assert np.allclose(model.body_invweight0, mj.body_invweight0, rtol=1e-10)
    assert deep.compile().nbody == DEPTH + 1


@pytest.mark.slow
def test_entries_of_a_long_chain_are_counted_before_they_are_listed():
    """Each joint adds as many as there are above it: 20,000 would ask for gigabytes."""
    spec = Spec()
    body = spec.worldbody
    for _ in range(20_000):
        body = body.add_body()
        body.add_joint()
        body.add_geom(size=(0.1,))
    began = time.process_time()
    with pytest.raises(UnsupportedFeature, match="large arrays: expected at most 512 MB, found"):
        spec.compile()
    assert time.process_time() - began < 60


@pytest.mark.slow
def test_copy(deep):
    assert deep.copy().compile().to_bytes() == deep.compile().to_bytes()


def test_text_that_nobody_can_read(deep):
    with pytest.warns(UserWarning, match="elements nest 2003 deep, of which readers of MJCF take"):
        text = deep.to_xml()
    assert text.count("<body ") == DEPTH


def test_text_that_can_be_read():
    spec = Spec()
    chain(spec, 490)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        text = spec.to_xml()
    assert Model.from_xml_string(text).nbody == 491


@pytest.mark.slow
def test_attach(deep):
    whole = Spec()
    whole.worldbody.add_frame().attach(deep.copy().body("b0"), prefix="p")
    model = whole.compile()
    assert (model.nbody, model.nv, model.nu, model.nkey) == (DEPTH + 1, 1, 1, 1)
    with pytest.warns(UserWarning, match="elements nest"):
        assert "childclass" not in whole.to_xml()


def test_remove(deep):
    spec = deep.copy()
    spec.body("b10").remove()
    assert spec.compile().nbody == 11


def test_frames():
    """Frames inside each other, and a deformable in the innermost one."""
    spec = Spec()
    frame = spec.worldbody.add_frame()
    for _ in range(DEPTH):
        frame = frame.add_frame(pos=(0, 0, 0.1))
    frame.add_geom(size=(0.1,))
    assert spec.compile().geom_pos[0].tolist() == pytest.approx([0, 0, 0.1 * DEPTH])


def test_classes():
    spec = Spec()
    inner = spec.default
    for k in range(DEPTH):
        inner = inner.add_default(class_=f"c{k}")
    inner.geom.size = (0.25,)
    spec.worldbody.add_geom(class_=f"c{DEPTH - 1}")
    assert spec.compile().geom_size[0, 0] == 0.25


def test_cable():
    """A cable is written out however long it is."""
    text = (
        '<mujoco><worldbody><replicate count="2"><composite prefix="a" type="cable" curve="s"'
        f' count="{DEPTH} 1 1" size="1 0 0" initial="none"><geom type="capsule" size=".005"/>'
        "</composite></replicate></worldbody></mujoco>"
    )
    root = expand(read(text.encode(), "cable.xml", Source()))
    assert sum(element.tag == "body" for element in root.walk()) == 2 * (DEPTH - 1)


@pytest.mark.parametrize("before", [START, 0, 2**64 - 1, 0x0123456789ABCDEF])
def test_hash_of_spaces(before):
    for count in (0, 1, 2, 3, 64, 1000, 4321):
        assert hash_spaces(count, before) == hash_string(b" " * count, before)


def test_inverse_inertia_of_trees():
    """Factors of a chain and of branches: W = A diag(w) A' is the inverse."""
    rng = np.random.default_rng(0)
    for parents in (np.arange(-1, 69), [-1, *(int(rng.integers(0, k)) for k in range(1, 70))]):
        n = len(parents)
        above = np.eye(n, dtype=bool)
        for k, parent in enumerate(parents):
            if parent >= 0:
                above[k] |= above[parent]
        root = np.where(above, rng.normal(size=(n, n)), 0.0) + 5 * np.eye(n)
        inertia = product(root.T, root)
        held = np.where(above | above.T, inertia, 0.0)
        (lower,), (weights,) = _factor(held[None], above)
        assert np.array_equal(lower, np.tril(lower))
        inverse = product(lower * weights, lower.T)
        assert np.allclose(product(inverse, inertia), np.eye(n), atol=1e-9)
