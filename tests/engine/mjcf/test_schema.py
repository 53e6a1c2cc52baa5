"""The schema table has MuJoCo's elements, attributes, types and defaults."""

import json
import re
from pathlib import Path

import mujoco
import pytest

from mjenv.engine.mjcf.text.schema import kinds

FACTS = Path(__file__).resolve().parents[4] / "shared" / "reference" / "mjcf_schema.json"

# attribute: what the facts say, what is right
CORRECTED = {("body/composite", "initial"): "MuJoCo reads any text and checks it when it is used"}
CORRECTED["body/composite", "type"] = "types that are no longer there say what to use instead"
for path in ("body/site", "default/site"):
    CORRECTED[path, "type"] = "MuJoCo lets a site be of the shape sdf"
for tag in ("pos", "quat", "xaxis", "yaxis", "zaxis", "linvel", "angvel"):
    CORRECTED[f"sensor/frame{tag}", "reftype"] = "MuJoCo takes words that it does not know as none"
for path in ("asset/mesh", "body/geom", "body", "actuator", "sensor"):
    for name in ("key", "value"):
        WHY = "MuJoCo does not read the settings beside an instance"
        CORRECTED[f"{path}/plugin/config", name] = WHY


def printed():
    """Elements and attributes of MuJoCo's own table: (path, cardinality, attribute names)."""
    text = mujoco.mj_printSchema(False, False)
    if isinstance(text, bytes):
        text = text.decode()
    rows, stack = [], []
    for line in text.splitlines():
        head = re.match(r"( *)(\(world\)body|\w+) \((.)\) *(.*)", line)
        if head:
            depth = len(head[1]) // 3
            name = head[2].replace("(world)", "")
            stack = [*stack[:depth], name]
            path = "/".join(stack[1:]) or "mujoco"
            rows.append((path, head[3], head[4].split()))
        elif line.strip():
            rows[-1][2].extend(line.split())
    return rows


def test_names_are_mujocos():
    ours = [(k.path, k.cardinality, sorted(k.attributes)) for k in kinds().values() if not k.meta]
    reference = [(path, cardinality, sorted(names)) for path, cardinality, names in printed()]
    assert sorted(ours) == sorted(reference)
    assert len(ours) == 174
    assert sum(len(names) for *_, names in ours) == 1801


def described(attribute):
    """Type as the facts write it."""
    t = attribute.type
    if t.words:
        return ("list of " if t.base != "word" else "") + f"[{', '.join(t.words)}]"
    # the facts do not tell single precision from double
    base = {"text": "string", "float": "real"}.get(t.base, t.base)
    if t.most is None or (t.base == "text" and not t.single):
        return base + "(*)"
    if t.single:
        return base
    return f"{base}({'<=' if t.least == 1 else ''}{t.most})"


@pytest.mark.skipif(not FACTS.exists(), reason="the table of facts is not part of the distribution")
def test_types_defaults_and_requirements():
    facts = json.loads(FACTS.read_text())
    assert len(facts["elements"]) == len(kinds())
    for element in facts["elements"]:
        path = element["path"].removeprefix("mujoco/")
        kind = kinds()[path]
        assert kind.cardinality == element["cardinality"], path
        for fact in element["attributes"]:
            if (path, fact["name"]) in CORRECTED:
                continue
            attribute = kind.attributes[fact["name"]]
            counted = fact.get("size_rule") == "expression"
            kind_text = re.sub(r"\(.*\)", "(*)", fact["type"]) if counted else fact["type"]
            default = None if attribute.default == "nan" else attribute.default
            found = (described(attribute), default, attribute.required)
            assert found == (kind_text, fact["default"], fact["required"]), (path, fact["name"])


def test_defaults_can_be_parsed():
    for kind in kinds().values():
        for name, value in kind.defaults.items():
            assert value is not None, (kind.path, name)


def test_reader_names_no_element():
    reader = Path(__file__).parents[3] / "engine" / "mjcf" / "text" / "reader.py"
    code = re.sub(r'""".*?"""|#.*', "", reader.read_text(), flags=re.DOTALL)
    words = set(re.findall(r'"(\w+)"', code))
    tags = {kind.tag for kind in kinds().values()} - {"include", "mujoco"}
    assert not words & tags
