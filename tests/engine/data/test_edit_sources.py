"""What is derived from a model when data are made comes from fields whose edits are noticed."""

import re
import sys
from collections import defaultdict
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

import mjenv
from mjenv.engine.edit.compile import Model
from mjenv.engine.model.change_detection import WATCHED
from mjenv.engine.model.editable import EDITS, of_kind
from mjenv.engine.model.model import ARRAYS
from mjenv.engine.run import program as programs
from mjenv.engine.run import structures
from mjenv.engine.run.plan import Plan
from mjenv.engine.run.scratch import Scratch

from .test_edits_of_fields import SCENE

# what checks or copies values, of which nothing is derived
CHECKS = {
    "references.py",
    "validation.py",
    "reference_rules.py",
    "flex_rules.py",
    "attachment_rules.py",
}
# read anew in every call, see `SameFrames.refresh`; flags that MuJoCo reads are watched
FOLLOWED = {"body_ipos", "body_iquat", "geom_pos", "geom_quat", "site_pos", "site_quat"}
# bounds of meshes, which cannot be written
LOCKED = {name for name, kind in EDITS.items() if kind == "readonly"}


class Traced(Model):
    """A model that notes where its arrays are read by name."""

    reads: ClassVar[defaultdict[str, set[str]]] = defaultdict(set)

    def __getattribute__(self, name):
        if not name.startswith("_"):
            frame = sys._getframe(1)
            file = frame.f_code.co_filename.rsplit("/", 1)[-1]
            if file not in CHECKS:
                Traced.reads[name].add(f"{file}: {frame.f_code.co_name}")
        return super().__getattribute__(name)


INTEGRATORS = range(4)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("options", [{}, {"large_model": True}], ids=["pairs", "large_model"])
def test_plans_read_watched_fields_only(options, monkeypatch):
    """Also when stages are chosen and programs put together, which is not compiled here."""
    monkeypatch.setattr(
        "mjenv.engine.run.program.Program._enter_stages", lambda self, plan, stages: None
    )
    model = mjenv.Model.from_xml_string(SCENE)
    data = mjenv.Data(model, **options)
    object.__setattr__(model, "__class__", Traced)
    Traced.reads.clear()
    structures._known.clear()  # or what is derived was, without being traced
    plan = Plan(model, data.plan.wanted)
    Scratch(plan)
    for integrator in INTEGRATORS:
        for enabled in (0, 1 << 1, 1 << 2, 1 << 4 if options else 0):
            model.opt.integrator, model.opt.enableflags = integrator, enabled
            plan.refresh()
            for post in (False, True):
                plan.program(programs.forward_program, data.kept, post, True, False)
                plan.program(programs.forward_program, data.kept, post, False, False)
            plan.program(programs.first_program, data.kept)
            for known in (False, True):
                plan.program(programs.second_program, data.kept, known)
            plan.program(programs.inverse_program, data.kept, True, 0, True)
    arrays = {field.name for field in ARRAYS}
    known = {*WATCHED, *FOLLOWED, *LOCKED}
    unknown = {
        name: sorted(places)
        for name, places in Traced.reads.items()
        if name in arrays and name not in known
    }
    assert not unknown
    assert len(arrays.intersection(Traced.reads)) > 50


def test_watched_fields_lie_side_by_side():
    model = mjenv.Model.from_xml_string(SCENE)
    for one in (model, Model.from_bytes(model.to_bytes())):
        plan = mjenv.Data(one).plan
        held = sum(np.asarray(getattr(one, name)).nbytes for name in WATCHED)
        # but for the gaps, and what counts in a medium or beside motors alone
        assert len(plan.watch.held) + sum(len(held) for held, _ in plan.watch.others) > 0.5 * held
        assert len(plan.watch.others) <= 4


@pytest.mark.parametrize("kind", ["rebuilt", "fixed", "readonly"])
def test_the_documentation_lists_the_fields(kind):
    title = {"readonly": "Read-only"}.get(kind, kind.capitalize())
    text = (Path(__file__).parents[3] / "docs" / "models.md").read_text()
    listed = text.split(f"\n{title}:\n", 1)[1].split("\n\n", 1)[0]
    assert re.findall(r"`(\w+)`", listed) == list(of_kind(kind))
