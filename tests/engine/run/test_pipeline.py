"""A lint of the pipeline: what stages store, what the table says, what docstrings say."""

import ast
import builtins
import importlib
import importlib.util
import inspect
import pkgutil
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

import mjenv.engine
from mjenv.engine.data.requested_fields import INPUTS, LAZY_INPUTS, ROWS, STATE
from mjenv.engine.physics.results.scratch import MOST_USED
from mjenv.engine.pipeline.forward import AFTER, BEFORE, CHECK, FORWARD, POST
from mjenv.engine.pipeline.layouts import (
    DATA_ARRAYS,
    DATA_LAYOUT,
    ENGINE_DATA,
    ENGINE_MODEL,
    MODEL_LAYOUT,
    UNSTORED,
)
from mjenv.engine.pipeline.sleep import RESTING, at_rest
from mjenv.engine.pipeline.solve import NOTING, SEARCHING, SOLVERS, solving
from mjenv.engine.pipeline.stage import Stage
from mjenv.engine.run.forward_parts import parts
from mjenv.engine.run.mujoco_functions import DISTURBED, disturbed
from mjenv.engine.simd import kernel
from mjenv.engine.simd.meaning import fields_named, global_names
from mjenv.engine.tables.enums import STAGE_ACC, STAGE_POS, STAGE_VEL
from mjenv.engine.tables.fields import DATA

FORMS = ((False, True), (True, False), (True, True))  # of solvers: noted, short


def collected() -> list[Stage]:
    """Every stage of the package, by name, with those that stand for others."""
    found: dict[Stage, None] = {}

    def collect(value, depth: int) -> None:
        if isinstance(value, Stage):
            found[value._replace(needed=None, timers=None, group="")] = None
        elif isinstance(value, (tuple, list, dict)) and depth:
            values = (*value, *value.values()) if isinstance(value, dict) else value
            for one in values:
                collect(one, depth - 1)

    for info in pkgutil.walk_packages(mjenv.engine.__path__, "mjenv.engine."):
        for value in vars(importlib.import_module(info.name)).values():
            collect(value, 4)
    for stage in tuple(found):
        forms = (
            solving((stage,), noted, short) for noted in (False, True) for short in (False, True)
        )
        collect((at_rest((stage,)), *forms), 2)
    return sorted(found, key=lambda stage: stage.name)


STAGES = collected()
# fields that data can keep
PUBLIC = {f.name for f in DATA} | {*ROWS}
# a reset puts these back, whatever stage finds the bad world
RESET = frozenset((*STATE, *INPUTS, *LAZY_INPUTS, *MOST_USED, "qacc"))
RESETTING = {stage.function for stage in (*BEFORE, *CHECK)}
# sizes, which docstrings may name too
SIZES = {
    name
    for layout in (MODEL_LAYOUT, DATA_LAYOUT)
    for name, entry in layout.entries.items()
    if entry.element == "size"
}
# these store through their first argument
STORES = {"store", "add_block", "set_lane", "store_strip"}


@cache
def defined(file: str) -> dict[int, ast.FunctionDef]:
    """Functions of a file by the line that they begin with, decorators included."""
    tree = ast.parse(Path(file).read_text(encoding="utf-8"))
    found = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    return {min(x.lineno for x in (f, *f.decorator_list)): f for f in found}


@cache
def parsed(function) -> ast.FunctionDef:
    code = inspect.unwrap(function).__code__
    return defined(code.co_filename)[code.co_firstlineno]


@cache
def nodes_of(function) -> tuple[ast.AST, ...]:
    """Those of a function that stores and loads are seen by."""
    kinds = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Subscript, ast.Call)
    return tuple(node for node in ast.walk(parsed(function)) if isinstance(node, kinds))


def assigned(node) -> list[ast.expr]:
    """Targets of an assignment, tuples taken apart."""
    if not isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
        return []
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return [
        item
        for target in targets
        for item in (target.elts if isinstance(target, ast.Tuple) else [target])
    ]


class Field(NamedTuple):
    """A field of a record: an argument of a stage that stands at a place."""

    record: str
    name: str


class Uses:
    """Fields that a stage stores and loads, found by following its calls.

    An argument is known as a record ("m" or "d"), as one of its fields, as a kernel, or not at all
    (None); kernels are followed once for every combination that they are called with.

    Attributes:
        stores: names of fields of the data.
        loads: names of fields of the model and of the data; not where only the lanes count.
    """

    def __init__(self, function):
        self.stores: set[str] = set()
        self.loads: set[str] = set()
        self.seen = set()
        names = inspect.signature(function).parameters
        self.follow(function, tuple(name if name in ("m", "d") else None for name in names))

    def follow(self, function, arguments: tuple) -> None:
        if (function, arguments) in self.seen:
            return
        self.seen.add((function, arguments))
        tree, scope, nodes = parsed(function), function.__globals__, nodes_of(function)
        known = dict(zip((a.arg for a in tree.args.args), arguments, strict=True))
        for node in nodes:
            for target in assigned(node):
                if isinstance(target, ast.Name):
                    assert target.id not in known or known[target.id] is None, (
                        f"{function.__name__}: {target.id}, a record or field, is rebound"
                    )
        known |= self.renamed(nodes, known)
        for node in nodes:
            if isinstance(node, ast.Subscript):
                self.note(node, self.meaning(node.value, known))
            if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Subscript):
                self.note(node.target, self.meaning(node.target.value, known), loaded=True)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                passed = known.get(node.func.id)
                callee = passed if callable(passed) else scope.get(node.func.id)
                meanings = tuple(self.meaning(a, known, scope) for a in node.args)
                self.call(callee, node, meanings)

    def note(self, node: ast.Subscript, field, loaded: bool = False) -> None:
        """Elements that are assigned to, or read."""
        if isinstance(field, Field):
            if loaded or isinstance(node.ctx, ast.Load):
                self.loads.add(field.name)
            elif field.record == "d":
                self.stores.add(field.name)

    def renamed(self, nodes, known: dict) -> dict:
        """Local names of fields: `p = d.problem`, also in tuples."""
        names = {}
        for node in nodes:
            if isinstance(node, ast.Assign):
                one = not isinstance(node.value, ast.Tuple)
                values = [node.value] if one else node.value.elts
                for target, value in zip(assigned(node), values, strict=False):
                    if isinstance(target, ast.Name) and isinstance(value, ast.Attribute):
                        names[target.id] = self.meaning(value, known)
        return names

    def call(self, callee, node: ast.Call, meanings: tuple) -> None:
        if getattr(callee, "is_kernel", False):
            assert not node.keywords
            if any(m is not None for m in meanings):
                self.follow(callee, meanings)
            return
        for place, field in enumerate(meanings):
            if isinstance(field, Field) and node.func.id != "zero_like":
                stored = node.func.id in STORES and place == 0
                if stored and field.record == "d":
                    self.stores.add(field.name)
                if not stored or node.func.id == "add_block":
                    self.loads.add(field.name)

    @staticmethod
    def meaning(node, known: dict, scope=None):
        """What an expression stands for; with a scope, also a kernel that is passed on."""
        if isinstance(node, ast.Name):
            value = (scope or {}).get(node.id)
            return known.get(node.id, value if getattr(value, "is_kernel", False) else None)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            record = known.get(node.value.id)
            return Field(record, node.attr) if isinstance(record, str) else None
        return None


@cache
def uses_of(function) -> Uses:
    return Uses(function)


def named(function, section: str) -> list[str]:
    """Fields that a section of a docstring lists, without units, remarks and prose."""
    text = inspect.getdoc(function) or ""
    found = re.search(rf"{section}:(.*?)(\n\s*\n|\b(Reads|Writes|Returns):|\Z)", text, re.DOTALL)
    if found is None:
        return []
    text = re.sub(r"\([^)]*\)", "", found[1])
    words = [part.split(" = ")[0].strip(" \n.") for part in text.split(",")]
    return [word for word in words if re.fullmatch(r"\w+\*?", word)]


def matching(word: str, names) -> set[str]:
    """Names that a word of a docstring stands for: itself, or all that begin so."""
    if word.endswith("*"):
        return {name for name in names if name.startswith(word[:-1])}
    return {word} & set(names)


def kernels_of(package) -> list:
    """Every kernel of a package's modules."""
    found = {}
    for info in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if info.name.endswith(".lowering"):
            continue
        module = importlib.import_module(info.name)
        for value in vars(module).values():
            if getattr(value, "is_kernel", False) is True and value.__module__ == info.name:
                found[value] = None
    return list(found)


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
def test_a_stage_stores_what_it_says(stage):
    writes = [*stage.writes.split(), *stage.changes.split()]
    assert len(writes) == len(set(writes))
    assert set(writes) <= PUBLIC, "listed is what data can keep"
    stored = uses_of(stage.function).stores
    assert stored, "the lint sees no stores at all"
    allowed = set(writes) | (RESET if stage.function in RESETTING else set())
    assert (stored & PUBLIC) - allowed == set(), "stored, but not in `writes`"
    assert set(writes) - stored == set(), "in `writes`, but never stored"


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
def test_a_stage_documents_what_it_writes(stage):
    assert "Writes:" in (stage.function.__doc__ or "")
    stored, documented = uses_of(stage.function).stores, set()
    for word in named(stage.function, "Writes"):
        assert matching(word, stored), f"{word} is documented, but not written"
        documented |= matching(word, stored)
    # solver_stat belongs to those solvers that are watched, whose text is that of the others
    writes = {*stage.writes.split(), *stage.changes.split()} - {"solver_stat"}
    assert writes - documented == set(), "written, but not documented"


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
def test_a_stage_documents_what_it_reads(stage):
    uses, documented = uses_of(stage.function), set()
    loads = uses.loads | {name.removesuffix("_bits") for name in uses.loads}
    for word in named(stage.function, "Reads"):
        assert matching(word, loads | SIZES), f"{word} is documented, but not read"
        documented |= matching(word, loads)
    # what a stage stores itself it may read again
    assert (loads & PUBLIC) - uses.stores - documented == set(), "read, but not documented"


def test_other_kernels_document_what_they_use():
    """Those that say what they read or write."""
    stages, wrong, count = {stage.function for stage in STAGES}, [], 0
    for function in kernels_of(mjenv.engine):
        said = [(s, word) for s in ("Reads", "Writes") for word in named(function, s)]
        if function in stages or not said or is_template(function):
            continue
        uses, count = uses_of(function), count + 1
        for section, word in said:
            used = uses.loads | SIZES if section == "Reads" else uses.stores
            if not matching(word, used):
                wrong.append((function.__qualname__, section, word))
    assert wrong == []
    assert count > 30


def is_template(function) -> bool:
    """Whether a kernel names what only its variants have."""
    names = (*function.__globals__, *dir(builtins))
    return not set(global_names(function.__code__)).issubset(names)


def test_all_stages_are_collected():
    """Those that run in any program are among them."""
    kernels = {stage.function for stage in STAGES}
    assert len(kernels) > 230
    assert kernels >= {stage.function for stage in (*FORWARD, *AFTER, *BEFORE, *CHECK, POST)}
    names = {stage.name for stage in STAGES}
    assert names >= {place.partition(":")[2] for place in RESTING.values()}
    assert names >= {f"instrumented_{name}" for name in NOTING}
    assert names >= {
        f"{form}_{name}" for form in ("capped", "instrumented_capped") for name in SEARCHING
    }


def test_kernels_are_where_rows_name_them():
    """And have the names that rows say, by which other processes find them."""
    for stage in STAGES:
        assert stage.function.__name__ == stage.name
        module = importlib.import_module(stage.function.__module__)
        assert getattr(module, stage.name) is stage.function, stage.kernel


def test_docstrings_name_existing_fields():
    from mjenv.engine.pipeline.layouts import PLAN_LAYOUT
    from mjenv.engine.run.driver import run_packs

    names = [*DATA_LAYOUT.entries, *MODEL_LAYOUT.entries, *PLAN_LAYOUT.entries]
    kernels = kernels_of(mjenv.engine)
    assert run_packs in kernels
    wrong = [
        (function.__qualname__, section, word)
        for function in kernels
        for section in ("Reads", "Writes")
        for word in named(function, section)
        if not matching(word, names)
    ]
    assert wrong == []


# stages of which a model runs one
INSTEAD = {
    "export_flex_contact": "export_contact",
    "read_controls": "fwd_actuation",
    "read_delayed_controls": "fwd_actuation",
    "fwd_constraint_islands": "fwd_constraint",
    "fwd_pgs": "fwd_constraint",
    "fwd_cg": "fwd_constraint",
    "fwd_cg_islands": "fwd_constraint",
    "fwd_newton_lane_islands": "fwd_constraint",
    "fwd_cg_lane_islands": "fwd_constraint",
}
# fields of which each family of actuators, or each cause to wake up, fills entries of its own
IN_PARTS = {"actuator_length", "act_dot", "tree_asleep"}


def test_one_stage_one_writer():
    """Public fields have one writer; scratch of a phase may be filled by several."""
    writers = {}
    for stage in (*FORWARD, *AFTER, POST):
        for name in PUBLIC.intersection(stage.writes.split()) - IN_PARTS:
            writers.setdefault(name, set()).add(INSTEAD.get(stage.name, stage.name))
    assert {name: stages for name, stages in writers.items() if len(stages) > 1} == {}


def test_what_a_stage_changes_was_written_before():
    written = set()
    for stage in (*FORWARD, *AFTER, POST):
        assert set(stage.changes.split()) <= written
        written |= set(stage.writes.split())


def test_every_kernel_has_a_docstring():
    kernels = kernels_of(mjenv.engine)
    assert len(kernels) > 150, "most kernels were not found"
    assert [f"{f.__module__}.{f.__name__}" for f in kernels if not f.__doc__] == []


def test_the_lint_sees_stores_and_loads():
    """Every way that it knows, through calls and through renamed arguments."""
    assert Uses(sample).stores == {"a", "b", "c", "e", "f", "g"}
    assert Uses(sample).loads == {"z", "y", "x", "e", "v", "u", "t"}


@kernel.kernel
def fill(values, m, deep):
    """Store through an argument."""
    values[0] = 1.0
    deep.g[0] = m.x[0]


@kernel.kernel
def sample(m, d):
    """Store and load in every way."""
    d.a[0], d.b[1] = 1.0, d.z[0]
    p, q = d.v, m.u
    one = p[0] + q[0] + zero_like(d.w)  # noqa: F821
    d.a[0] = one * get_lane(d.t, 0, 0)  # noqa: F821
    store(d.c, 0, (1.0, d.y[0]))  # noqa: F821
    d.e[0] += 2.0
    fill(d.f, m, d)


def test_functions_of_single_stages_keep_what_their_stages_would_change():
    """What late outputs are made of is filled by no part that is not said to disturb them."""
    loads = {s.name: uses_of(s.function).loads - set(s.writes.split()) - {"count"} for s in AFTER}
    group, missing = "", {}
    for stage in collected_in_groups():
        group = stage.group or group
        filled = uses_of(stage.function).stores
        late = {name for name, fields in loads.items() if fields & filled}
        if group in DISTURBED and not late <= set(DISTURBED[group].split()):
            missing[group, stage.name] = sorted(late - set(DISTURBED[group].split()))
    assert missing == {}
    assert {"collision", "rows", "constraint"} <= DISTURBED.keys()
    # a function leaves alone what it computes anew, and what there is none of any more
    assert disturbed("collision") == ("export_awake",)
    assert disturbed("crb") == ("scatter_qm",)
    assert disturbed("make_m") == ()
    assert disturbed("euler") is None


def collected_in_groups() -> list[Stage]:
    """Stages of forward dynamics, in each form of the solver."""
    forms = [solving(FORWARD, noted, short) for noted, short in FORMS]
    return [*FORWARD, *(stage for form in forms for stage in form)]


def test_solvers_compute_what_depends_on_forces():
    """Whichever solver runs: skipping what is known of positions does not skip it."""
    known = dict(zip((stage.name for stage in FORWARD), parts(FORWARD), strict=True))
    assert {known[stage.name] for stage in SOLVERS} == {STAGE_ACC}
    assert known["kinematics"] == STAGE_POS
    assert known["com_vel"] == STAGE_VEL


def test_fields_without_memory_are_named_by_no_kernel():
    named_fields = set().union(*(fields_named(f) for f in kernels_of(mjenv.engine)))
    assert UNSTORED.isdisjoint(named_fields)
    # every other list of mjData is named, but for counts of memory and what users alone fill
    lists = {f.name for f in DATA_ARRAYS if f.shape}
    others = {"userdata", "bvh_active", "solver_nnz", "maxuse_threadstack"}
    assert lists - named_fields - others == UNSTORED


def test_tables_of_scratch_are_laid_out():
    laid, tables = {*ENGINE_MODEL, *ENGINE_DATA}, 0
    for info in pkgutil.iter_modules(mjenv.engine.physics.__path__, "mjenv.engine.physics."):
        if info.ispkg and importlib.util.find_spec(f"{info.name}.scratch"):
            for name, value in vars(importlib.import_module(f"{info.name}.scratch")).items():
                if name.endswith(("_DATA", "_MODEL", "_TABLES")):
                    assert laid.issuperset(value), f"{info.name}.{name}"
                    tables += 1
    assert tables > 30
