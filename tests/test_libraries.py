"""The examples of docs/libraries.md run, where what they are about is installed."""

import re
from pathlib import Path

import pytest

TEXT = (Path(__file__).resolve().parents[1] / "docs" / "libraries.md").read_text()
SECTIONS = dict(re.findall(r"^## (\S+)\n(.*?)(?=^## |\Z)", TEXT, re.DOTALL | re.MULTILINE))
PACKAGES = {
    "PettingZoo": "pettingzoo", "TorchRL": "torchrl", "Tianshou": "tianshou", "rsl_rl": "rsl_rl",
    "skrl": "skrl", "JAX": "jax", "PufferLib": "pufferlib",
}  # fmt: skip


def test_sections_are_known():
    assert set(SECTIONS) == set(PACKAGES)


@pytest.mark.parametrize(
    "section",
    [
        pytest.param(one, marks=[pytest.mark.slow] if one in ("TorchRL", "Tianshou") else [])
        for one in PACKAGES
    ],
)
def test_examples(section):
    """Every Python block, each in the names of those before it."""
    pytest.importorskip(PACKAGES[section])
    examples = re.findall(r"^```python\n(.*?)^```$", SECTIONS[section], re.DOTALL | re.MULTILINE)
    names = {"__name__": "__main__"}
    assert examples
    for example in examples:
        exec(compile(example, section, "exec"), names)
