"""Large models: candidates found by the broad phase, room that grows, lists of any length."""

import copy
import os
import pickle
import subprocess
import sys
from pathlib import Path

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.engine.data.data import Data
from mjenv.engine.data.step import forward, inverse, reset, step
from mjenv.engine.physics.collision import large_model_tables
from mjenv.engine.pipeline.layouts import DATA_ARRAYS, ENGINE_DATA
from mjenv.engine.run import scratch, structures
from mjenv.engine.run.scratch import Scratch
from mjenv.engine.simd import record
from tests.engine.physics.collision.test_pairs import OVERRIDE
from tests.engine.physics.collision.test_pairs import large_model as pairs
from tests.engine.reference import MODELS, copy_state, load, trajectory
from tests.engine.scenes import compare_lists, random_scene, random_state

SPHERES = """<mujoco><worldbody><geom type="plane" size="9 9 1"/>
<replicate count="{count}" offset="0.15 0 0">
<body pos="0 0 0.095"><freejoint/><geom size="0.1"/></body>
</replicate></worldbody></mujoco>"""


def both(xml: str):
    return mujoco.MjModel.from_xml_string(xml), mjenv.Model.from_xml_string(xml)


def candidates(data) -> int:
    """Candidate pairs that there is room for in the scratch of the first thread."""
    return data.plan.scratch[0].sizes["ncand"]


def same_bits(data, other) -> None:
    """Contacts and rows of single worlds, the other one without a broad phase, are the same."""
    ncon, nefc = other.ncon[0], other.nefc[0]
    assert data.ncon[0] == ncon
    for name in ("dist", "geom", "frame", "friction") if ncon else ():
        found, expected = getattr(data.contact, name)[0], getattr(other.contact, name)[0, :ncon]
        assert np.array_equal(found, expected), name
    for name in ("efc_type", "efc_id", "efc_D", "efc_aref", "efc_b"):
        assert np.array_equal(getattr(data, name)[0], getattr(other, name)[0, :nefc]), name
    assert np.array_equal(data.efc_J[0], other.efc_J[0, : other.nJ[0]])


@pytest.mark.sweep(1)
@pytest.mark.parametrize("seed", range(4))
def test_contacts_of_random_scenes(seed):
    """Contact by contact those of MuJoCo, and of the fixed list of pairs."""
    options = ("", OVERRIDE, 'cone="elliptic"', 'jacobian="dense"')
    flag = ("", "", '<flag filterparent="disable"/>', '<flag midphase="disable"/>')[seed]
    xml = random_scene(seed, option=options[seed]).replace(
        "<asset>", f"<option>{flag}</option><asset>"
    )
    if seed == 1:
        xml = xml.replace("<asset>", '<option><flag override="enable"/></option><asset>')
    mj, model = both(xml)
    data, other = Data(model, large_model=True), Data(model, large_model=False)
    seen = 0
    for k in range(4):
        source = random_state(mj, k)
        copy_state(source, data, 0)
        copy_state(source, other, 0)
        forward(model, data)
        forward(model, other)
        same_bits(data, other)
        mujoco.mj_forward(mj, source)
        assert data.ncon[0] == source.ncon
        assert np.array_equal(data.contact.geom[0], source.contact.geom)
        np.testing.assert_allclose(data.contact.dist[0], source.contact.dist, atol=1e-6)
        seen += source.ncon
    assert seen > 100


def test_rows_are_sparse_where_mujoco_has_them_sparse():
    mj, model = both(SPHERES.format(count=12).replace('size="0.1"', 'size="0.1" condim="4"'))
    assert mj.nv > 60
    for options in (
        {"large_model": True},
        {"large_model": False},
        {"nworld": 8},
        {"nworld": 3, "large_model": True},
    ):
        data = Data(model, **options)
        for seed in range(3):
            source = random_state(mj, seed)
            for world in range(data.nworld):
                copy_state(source, data, world)
            forward(model, data)
            mujoco.mj_forward(mj, source)
            assert compare_lists(data, data.nworld - 1, source, 1e-9) > 5
    mj, model = both(
        SPHERES.format(count=12).replace("<worldbody>", '<option jacobian="dense"/><worldbody>')
    )
    data, source = Data(model, large_model=True), mujoco.MjData(mj)
    forward(model, data)
    mujoco.mj_forward(mj, source)
    assert compare_lists(data, 0, source, 1e-9) > 5
    assert data.efc_J_colind.size == 0


@pytest.mark.parametrize("name", [*MODELS, "zoo"])
def test_same_rows_as_of_a_fixed_list(name):
    """The same bits of rows; large models are solved by islands, so that last bits differ."""
    mj, model = load(name)
    data, other = Data(model, large_model=True), Data(model, large_model=False, width=1)
    for source in trajectory(mj, 100, every=10):
        for some in (data, other):
            copy_state(source, some, 0)
            forward(model, some)
        same_bits(data, other)
        np.testing.assert_allclose(data.qacc, other.qacc, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize(("option", "flag"), [("", ""), (OVERRIDE, "override='enable'")])
def test_predefined_pairs(option, flag):
    mj, model = both(pairs(option, flag))
    data = Data(model, large_model=True)
    for seed in range(20):
        source = random_state(mj, seed)
        copy_state(source, data, 0)
        forward(model, data)
        mujoco.mj_forward(mj, source)
        compare_lists(data, 0, source, 1e-9)


def test_room_grows(monkeypatch):
    """Rooms for one pair become as large as is needed; nothing is lost, not even at first."""
    mj, model = both(random_scene(7, nbody=40, size=0.6))
    expected = Data(model, large_model=True)
    monkeypatch.setattr(structures, "_known", {})
    monkeypatch.setattr(large_model_tables, "FIRST_CAPACITY", 1)
    data = Data(model, large_model=True)
    assert candidates(data) == 1
    source = random_state(mj, 0)
    for some in (data, expected):
        copy_state(source, some, 0)
        step(model, some, 3)
    assert candidates(data) > 20
    assert np.array_equal(data.qpos, expected.qpos)
    assert np.array_equal(data.qvel, expected.qvel)
    assert data.ncon[0] == len(data.contact.dist[0]) > 10
    assert len(data.efc_force[0]) == data.nefc[0]


@pytest.mark.slow
def test_no_memory_for_what_is_needed(monkeypatch):
    """The error comes out of the call, and nothing is written where there is no room."""
    _, model = both(SPHERES.format(count=17))
    monkeypatch.setattr(structures, "_known", {})
    monkeypatch.setattr(large_model_tables, "FIRST_CAPACITY", 1)
    data = Data(model)

    def fail(*_):
        raise MemoryError("none left")

    with monkeypatch.context() as patch:
        patch.setattr(Scratch, "enlarge", fail)
        with pytest.raises(MemoryError, match="none left"):
            forward(model, data)
        assert data.ncon[0] == 0
    forward(model, data)
    assert data.ncon[0] == 17 + 16


@pytest.mark.sweep(4)
@pytest.mark.parametrize(
    ("field", "message"),
    [
        ("found_geom1", r"no memory for \d+ pairs of geoms that are near; expected fewer contacts"),
        ("block_jac", r"no memory for \d+ .*; expected fewer contacts"),
        ("link_tree", r"no memory for \d+ pairs of trees .*; expected solver='CG'"),
        ("sol_H", r"no memory for \d+ elements of the solver's Hessian; expected solver='CG'"),
        ("strip", r"no memory for \d+ numbers of the solver's matrix; expected solver='Newton'"),
        ("efc_J", r"no memory for \d+ .*efc_J; expected jacobian='sparse'"),
    ],
)
@pytest.mark.parametrize("options", [{}, {"nworld": 2}, {"nworld": 4, "nthread": 1}])
def test_state_stays_where_memory_runs_out(monkeypatch, field, message, options):
    """What there is no memory for, and what helps, are named; the step can be taken later."""
    xml = SPHERES.format(count=17)
    if field == "strip":
        xml = xml.replace("<worldbody>", '<option solver="PGS"/><worldbody>')
    if field == "efc_J":
        options = {}
    model = mjenv.Model.from_xml_string(xml)
    monkeypatch.setattr(structures, "_known", {})
    monkeypatch.setattr(large_model_tables, "FIRST_CAPACITY", 1)
    data, expected = Data(model, **options), Data(model, **options)
    step(model, expected)
    allocate = record.aligned_zeros
    rows = {row.name: row for row in (*ENGINE_DATA, *DATA_ARRAYS)}

    def fail(shape, *args):
        growing = sys._getframe(2).f_code.co_name != "_allocate"
        if growing and sys._getframe(1).f_locals.get("row") is rows[field]:
            raise MemoryError("none left")
        return allocate(shape, *args)

    before = data.qpos.copy(), data.time.copy()
    with monkeypatch.context() as patch:
        patch.setattr(scratch, "aligned_zeros", fail)
        if field == "efc_J":
            step(model, data)
        with pytest.raises(MemoryError, match=message):
            _ = data.efc_J if field == "efc_J" else step(model, data)
    if field == "efc_J":
        assert np.array_equal(data.efc_J, expected.efc_J)
        return
    assert np.array_equal(data.qpos, before[0])
    assert np.array_equal(data.time, before[1])
    step(model, data)
    assert np.array_equal(data.qpos, expected.qpos)
    assert np.array_equal(data.ncon, expected.ncon)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e300, 1e9])
def test_bodies_anywhere(value):
    """What is no place has no contacts with other bodies, and harms nothing else."""
    _, model = both(SPHERES.format(count=17))
    data = Data(model)
    data.qpos[0, [0, 71]] = value
    forward(model, data)
    assert data.ncon[0] >= 15 + 13
    data.qpos[0, :] = value
    forward(model, data)


def test_height_fields_and_bodies_that_users_move():
    xml = random_scene(11, nbody=25, size=0.5)
    heights = " ".join(f"{x:.3f}" for x in np.random.default_rng(0).random(72))
    field = f'<hfield name="h" nrow="8" ncol="9" size="0.6 0.6 0.3 0.2" elevation="{heights}"/>'
    moved = """<geom type="hfield" hfield="h" pos="0 0 -0.4"/><body name="hand" mocap="true">
      <geom type="box" size="0.2 0.2 0.2"/></body>"""
    xml = xml.replace("</asset>", f"{field}</asset>").replace(
        "</worldbody>", f"{moved}</worldbody>"
    )
    mj, model = both(xml)
    data, other = Data(model, large_model=True), Data(model, large_model=False, width=1)
    for seed in range(3):
        source = random_state(mj, seed)
        source.mocap_pos[:] = 0.2 * seed
        for some in (data, other):
            copy_state(source, some, 0)
            some.mocap_pos[0] = source.mocap_pos
            forward(model, some)
        same_bits(data, other)
        mujoco.mj_forward(mj, source)
        found, expected = data.contact.geom[0], source.contact.geom
        assert {tuple(pair) for pair in found} == {tuple(pair) for pair in expected}


def test_copies_and_listings():
    _, model = both(SPHERES.format(count=17))
    data, copied, several = Data(model), Data(model), Data(model, 2)
    forward(model, data)
    mjenv.copy_data(copied, model, data)
    assert copied.ncon[0] == len(copied.contact.dist[0]) == 33
    assert "CONTACT 32" in mjenv.print_data(model, copied)
    forward(model, several)
    assert "CONTACT 32" in mjenv.print_data(model, several, world=1)


def test_neither_batch_nor_threads_show():
    mj, model = both(random_scene(3, nbody=20, size=0.5))
    results = []
    for nworld, nthread in ((5, 1), (5, 2), (1, 1)):
        data = Data(model, nworld, keep=[], large_model=True, nthread=nthread)
        for world in range(nworld):
            copy_state(random_state(mj, world), data, world)
        step(model, data, 20)
        results.append(np.concatenate([data.qpos, data.qvel], axis=1))
    assert np.array_equal(results[0], results[1])
    assert np.array_equal(results[0][:1], results[2])


def test_lists_are_as_long_as_they_are_when_looked_at():
    _, model = both(SPHERES.format(count=5))
    data = Data(model, large_model=True)
    forward(model, data)
    first = data.contact.dist
    assert first.shape == (1, data.ncon[0]) == (1, 9)
    assert data.efc_J.shape == (1, data.nJ[0])
    data.qpos[0, 2::7] += 1.0
    forward(model, data)
    assert data.contact.dist.shape == (1, data.ncon[0]) == (1, 4)
    assert first.shape == (1, 9)
    reset(model, data)
    twin = pickle.loads(pickle.dumps(data))
    forward(twin.model, twin)
    assert copy.deepcopy(twin).plan.large_model
    assert twin.ncon[0] == 9


@pytest.mark.filterwarnings("ignore:world 2 of 3")
def test_lists_of_many_worlds_grow():
    """Steps, forward and inverse dynamics have the bits of data with room from the start."""
    _, model = both(SPHERES.format(count=5))
    free = Data(model, 3, large_model=True, nconmax=100, njmax=400)
    short = Data(model, 3, large_model=True, nconmax=2, njmax=3)
    early = short.efc_force
    for k in range(3):
        for data in (free, short):
            # warnings are counted once, and what a reset clears is there again
            data.qvel[2, 0] = np.nan if k == 1 else 0.1
            data.qfrc_applied[:, 1] = k
            step(model, data, mask=np.arange(3) > 0 if k == 2 else None)
            forward(model, data)
            inverse(model, data)
        assert np.array_equal(free.ncon, short.ncon)
        assert np.array_equal(free.warning, short.warning)
        assert short.contact.dist.shape[1] >= short.ncon.max() > 2
        for name in ("qpos", "qvel", "qfrc_applied", "qfrc_inverse", "efc_force", "efc_J"):
            found, expected = getattr(short, name), getattr(free, name)
            shared = min(found.shape[1], expected.shape[1])
            assert np.array_equal(found[:, :shared], expected[:, :shared]), name
            assert not expected[:, shared:].any()
    assert short.warning["number"].sum() == 1
    # what was looked at before is another array, as long as it was
    assert early.shape == (3, 3)
    assert early is not short.efc_force
    twin = pickle.loads(pickle.dumps(short))
    assert np.array_equal(twin.efc_force, short.efc_force)


CHAIN = """<mujoco><worldbody><geom type="plane" size="9 9 1"/>{}{}</worldbody></mujoco>"""
LINK = '<body pos=".1 0 0"><joint type="ball"/><geom size=".03" contype="0"/>'


@pytest.mark.sweep(1)
@pytest.mark.parametrize(("links", "large"), [(40, False), (83, False), (84, True)])
def test_long_chains_share_packs(links, large):
    """Their inertia has few zeros; not so that of as many bodies side by side."""
    _, chain = both(CHAIN.format(links * LINK, links * "</body>"))
    assert chain.nv > large_model_tables.MANY_DOFS
    assert Data(chain).plan.large_model == large
    _, beside = both(CHAIN.format(links * f"{LINK}</body>", ""))
    assert beside.nv == chain.nv
    assert Data(beside).plan.large_model


def test_which_models_are_large():
    _, small = load("ant")
    assert not Data(small).plan.large_model
    assert Data(small, large_model=True).plan.large_model
    _, large = both(SPHERES.format(count=17))
    assert large.nv > large_model_tables.MANY_DOFS
    assert Data(large).plan.large_model
    assert Data(large, 32).width == 1
    many = """<mujoco><worldbody><geom type="plane" size="9 9 1"/><body><freejoint/>
      <replicate count="150" offset="0.1 0 0"><geom size="0.1" {bits}/></replicate></body>
      </worldbody></mujoco>"""
    _, model = both(many.format(bits=""))
    assert Data(model).plan.large_model
    # these collide with the plane only
    _, model = both(many.format(bits='conaffinity="0" contype="1"'))
    assert not Data(model).plan.large_model
    # walls, as of a maze, do not touch one another; bodies without a joint are walls, too
    maze = """<mujoco><worldbody><geom type="plane" size="9 9 1"/>
      <body><replicate count="60" offset="0.5 0 0"><geom type="box" size=".1 2 1"/></replicate>
      {joint}</body><body pos=".25 0 .2"><freejoint/><geom size=".1"/></body>
      </worldbody></mujoco>"""
    _, model = both(maze.format(joint=""))
    assert not Data(model).plan.large_model
    _, model = both(maze.format(joint="<freejoint/>"))
    assert Data(model).plan.large_model
    # few pairs, but each of them may have many contacts
    boxes = many.replace('"150"', '"60"').replace('size="0.1"', 'type="box" size=".1 .1 .1"')
    _, model = both(boxes.format(bits=""))
    assert Data(model).plan.large_model
    _, model = both(boxes.format(bits="").replace("box", "sphere"))
    assert not Data(model).plan.large_model


def test_arguments_are_checked():
    _, model = load("ant")
    with pytest.raises(
        ValueError, match="width=8: large_model=True runs one world at a time, expected width=1 or"
    ):
        Data(model, 8, large_model=True, width=8)
    with pytest.raises(ValueError, match="njmax=0: expected at least 1"):
        Data(model, large_model=True, njmax=0)


CODE = """
import mjenv
from tests.engine.scenes import random_scene
model = mjenv.Model.from_xml_string(random_scene(2, nbody=8, size=0.3))
data = mjenv.Data(model, large_model=True)
from mjenv.engine.data.step import step
step(model, data)
print(data.ncon[0], *(float(x).hex() for x in data.qvel[0]))
"""


@pytest.mark.slow
def test_interpreted_code_makes_room_too():
    root, lines = Path(__file__).resolve().parents[4], []
    code = (
        "from mjenv.engine.physics.collision import large_model_tables as t; t.FIRST_CAPACITY = 1"
        + CODE
    )
    for disable in "10":
        out = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "NUMBA_DISABLE_JIT": disable},
            cwd=root,
            capture_output=True,
            text=True,
        )
        assert out.returncode == 0, out.stderr
        lines.append(out.stdout)
    assert lines[0] == lines[1]
    assert int(lines[0].split()[0]) > 3


@pytest.mark.parametrize("large_model", [False, True])
def test_the_world_alone_has_no_contacts(large_model):
    """Also in predefined pairs of geoms that overlap."""
    text = """<mujoco><worldbody><geom name="a" size=".1"/><geom name="b" size=".2"/></worldbody>
      <contact><pair geom1="a" geom2="b"/></contact></mujoco>"""
    mj, model = mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)
    source, data = mujoco.MjData(mj), mjenv.Data(model, large_model=large_model)
    mujoco.mj_forward(mj, source)
    mjenv.forward(model, data)
    assert source.ncon == 0
    assert (data.ncon == 0).all()
