"""Errors of faulty documents beside those of MuJoCo, word for word."""

import warnings
from collections.abc import Callable
from typing import Any

import mujoco
import pytest

import mjenv
import mjenv.mujoco as ours
from mjenv.mujoco.words.table import FORMS, rules

from .documents import FAULTS, WHOLE, inside

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def said(action: Callable[[], Any]) -> str:
    """What an action is refused with, "" where it is not."""
    try:
        action()
    except mjenv.UnsupportedFeature:
        raise
    except (ValueError, RuntimeError, ours.FatalError, mujoco.FatalError) as error:
        return str(error)
    return ""


def reading(module: Any, text: str) -> str:
    """Where a spec of a document is refused, and with what."""
    spec = None

    def read() -> None:
        nonlocal spec
        spec = module.MjSpec.from_string(text)

    refused = said(read)
    return f"read: {refused}" if spec is None else f"compiled: {said(spec.compile)}"


def apart(texts: list[str]) -> list[tuple[str, str, str]]:
    """Documents whose messages differ."""
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for text in texts:
            models = [said(lambda: m.MjModel.from_xml_string(text)) for m in (ours, mujoco)]  # noqa: B023
            specs = [reading(m, text) for m in (ours, mujoco)]
            found += [(text, *pair) for pair in (models, specs) if pair[0] != pair[1]]
    return found


def test_malformed_texts():
    assert apart(list(WHOLE)) == []


@pytest.mark.parametrize("section", FAULTS, ids=lambda section: section or "settings")
def test_messages(section):
    assert apart([inside(section, contents) for contents in FAULTS[section]]) == []


def test_what_the_engine_says_is_the_cause():
    with pytest.raises(ValueError, match="unknown default class name 'q'") as raised:
        ours.MjModel.from_xml_string(inside("worldbody", "<geom class='q' size='1'/>"))
    assert isinstance(raised.value.__cause__, mjenv.MjcfError)
    assert "<geom>: class='q': no such default class" in str(raised.value.__cause__)


def test_refusals_keep_their_class():
    """What is valid and not built is refused by name."""
    text = "<flexcomp name='f' type='grid' count='2 2 1'><plugin plugin='q'/></flexcomp>"
    for read in (ours.MjModel.from_xml_string, ours.MjSpec.from_string):
        with pytest.raises(mjenv.UnsupportedFeature, match="is valid, but not"):
            read(inside("worldbody", text))


def test_the_table():
    """Each message can be filled with what its pattern finds."""
    table = rules()
    assert len({(rule.tags, rule.pattern.pattern) for rule in table}) == len(table) > 150
    for rule in table:
        assert rule.form in FORMS
        known = {"tag", "line", "name", "id", "file", "nothing", "amount", *rule.pattern.groupindex}
        known |= {f"{name}_next" for name in rule.pattern.groupindex}
        rule.message.format(**dict.fromkeys(known, "1"))
