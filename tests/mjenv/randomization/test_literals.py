"""Values as text: read from words, written into records."""

import json
from pathlib import Path

import numpy as np
import pytest

from mjenv import Channel, Every, Kick, LogUniform, Normal, Push, Uniform
from mjenv.randomization.literals import read, read_argument, read_file, read_pairs, write


@pytest.mark.parametrize(
    "value",
    [
        1,
        -0.5,
        float("inf"),
        "text",
        None,
        True,
        (1, 2),
        (1,),
        [1.0, [2]],
        {"a": (0.1, 1)},
        {"body_mass": Uniform(0.8, 1.25, of=("pole",), when=Every(1.0, 2.0))},
        {"push": Push(of=("cart",), force=(Uniform(-5, 5), 0, 0))},
        {
            "observation": Channel(noise=Normal(0, 0.01), history=2),
            "kick": Kick(of=("cart",), velocity=(1, 0, 0)),
        },
        LogUniform(0.1, 10.0, how="set", each=False),
    ],
)
def test_values_are_read_as_they_are_written(value):
    assert read(write("x", value)) == value


def test_values_of_numpy_and_paths():
    assert write("x", np.float64(0.5)) == "0.5"
    assert write("x", Path("a/b.xml")) == "'a/b.xml'"


@pytest.mark.parametrize("value", [object(), np.zeros(2), {"a": np.zeros(2)}, len])
def test_what_cannot_be_written(value):
    with pytest.raises(ValueError, match=r"x: found .* expected a value that can be written down"):
        write("x", value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Unifrm(0, 1)", "found 'Unifrm'.*did you mean 'Uniform'"),
        ("open('x')", "found 'open'.*expected one of Uniform"),
        ("__import__('os').remove('x')", "found .*, expected numbers"),
        ("[x for x in (1, 2)]", "found .*, expected numbers"),
        ("{**{}}", "found .*, expected numbers"),
        ("(1, ", "expected a value in Python's notation"),
        ("Uniform()", "expected a value in Python's notation"),
        ("-'a'", "expected a value in Python's notation"),
    ],
)
def test_what_cannot_be_read(text, message):
    with pytest.raises(ValueError, match=message):
        read(text)
    with pytest.raises(ValueError, match=message):
        read_argument(text)


@pytest.mark.parametrize(
    ("word", "name", "value"),
    [
        ("weight:0.5", "weight", 0.5),
        ("weight=-1e-3", "weight", -1e-3),
        ("xml_file:ant.xml", "xml_file", "ant.xml"),
        ("xml_file:/a/b:c=d.xml", "xml_file", "/a/b:c=d.xml"),
        ("flag:False", "flag", False),
        ("flag=true", "flag", True),
        ("limit:none", "limit", None),
        ("range:(0.2, 1.0)", "range", (0.2, 1.0)),
        ("name:'1'", "name", "1"),
        ("name:", "name", ""),
    ],
)
def test_words(word, name, value):
    (pair,) = read_pairs("--x", [word]).items()
    assert pair == (name, value)
    assert type(pair[1]) is type(value)


@pytest.mark.parametrize("word", ["weight", "=1", ":1", "a b:1", "--weight:1"])
def test_words_that_are_none(word):
    with pytest.raises(ValueError, match=r"--x: found .* expected name:value"):
        read_pairs("--x", [word])


def test_names_are_given_once():
    with pytest.raises(ValueError, match="--x: a is given twice"):
        read_pairs("--x", ["a:1", "b:1", "a:2"])
    with pytest.raises(ValueError, match="--x: a: found 'Unifrm'"):
        read_pairs("--x", ["a:Unifrm(1)"])


def test_files(tmp_path):
    path = tmp_path / "values.json"
    content = {"body_mass": "Uniform(0.8, 1.25)", "range": [1, 2], "xml_file": "ant.xml"}
    path.write_text(json.dumps(content))
    expected = {"body_mass": Uniform(0.8, 1.25), "range": (1, 2), "xml_file": "ant.xml"}
    assert read_pairs("--x", [str(path)]) == expected == read_file(path)
    for text, message in (("[]", "found list, expected an object"), ("{", "no JSON")):
        path.write_text(text)
        with pytest.raises(ValueError, match=message):
            read_file(path)
