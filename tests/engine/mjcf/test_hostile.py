"""Hostile documents end in a model or an MjcfError: soon, in little memory, reading no other file."""
# ruff: noqa: E501 (documents in a line)

import os
import resource
import socket
import subprocess
import sys
import time
from pathlib import Path

import mujoco
import numpy as np
import pytest

from mjenv.engine.edit.compile import Model
from mjenv.engine.edit.spec import Spec
from mjenv.engine.errors import MjcfError, UnsupportedFeature
from mjenv.engine.mjcf.text.markup import DEEPEST

ROOT = Path(__file__).resolve().parents[3]


def world(inside, after=""):
    return f"<mujoco><worldbody>{inside}</worldbody>{after}</mujoco>"


def asset(inside):
    return f"<mujoco><asset>{inside}</asset></mujoco>"


BALL = "<geom size='.1'/>"
FREE = f"<body><freejoint/>{BALL}</body>"
ARM = f"<body><joint name='j'/>{BALL}</body>"

CABLE = (
    "<body><composite prefix='c' type='cable' curve='s' count='2500 1 1' size='1'>"
    "<geom type='capsule' size='.005'/></composite></body>"
)

# documents that ask for much: what is said of them, or None where they compile
LARGE = {
    "replicates": (world("<replicate count='100'>" * 5 + BALL + "</replicate>" * 5), "replicated elements"),
    "replicate": (world("<replicate count='2000000000'><frame/></replicate>"), "replicated elements"),
    "texture": (asset("<texture name='t' type='2d' builtin='flat' width='100000' height='100000'/>"), "MB"),
    "textures": (
        asset("".join(f"<texture name='t{k}' builtin='flat' width='2000'/>" for k in range(50))),
        "large assets",
    ),
    "marks": (
        asset("<texture name='t' type='2d' builtin='flat' mark='random' random='.1' width='9000' height='9000'/>"),
        "random marks",
    ),
    "height field": (asset("<hfield name='h' nrow='100000' ncol='100000' size='1 1 1 1'/>"), "samples"),
    "height fields": (
        asset("".join(f"<hfield name='h{k}' nrow='5000' ncol='5000' size='1 1 1 1'/>" for k in range(9))),
        "large assets",
    ),
    "mesh": (asset("<mesh name='m' builtin='supertorus' params='100000 .5 1 1'/>"), "vertices"),
    "keyframes": ("<mujoco><size nkey='2000000000'/></mujoco>", "nkey"),
    "keyframes of many": (world(FREE * 200, "<size nkey='100000'/>"), "MB"),
    "user values": (world(BALL * 2000, "<size nuser_geom='100000'/>"), "MB"),
    "user data": ("<mujoco><size nuserdata='2000000000'/></mujoco>", "nuserdata"),
    "numeric": ("<mujoco><custom><numeric name='n' size='2000000000'/></custom></mujoco>", "500"),
    "history": (world(ARM, "<actuator><motor joint='j' nsample='2000000000' delay='1'/></actuator>"), "nsample"),
    "activation": (world(ARM, "<actuator><general joint='j' dyntype='user' actdim='2000000000'/></actuator>"), None),
    "arena": ("<mujoco><size memory='15E'/></mujoco>", None),
    "contacts": ("<mujoco><size njmax='2000000000' nconmax='2000000000'/></mujoco>", None),
    "steps": (
        world(ARM, "<compiler><lengthrange inttotal='1e9'/></compiler>"
                   "<actuator><muscle joint='j'/></actuator>"),
        "timesteps",
    ),
    "cable": (world("<composite prefix='c' type='cable' curve='s' count='1000000 1 1' size='1'>"
                    "<geom type='capsule' size='.005'/></composite>"), "a cable of 1000000 points"),
    "long cable": (world(CABLE), "large arrays"),
    "joints": (world(f"<body>{'<joint/>' * 2000}{BALL}</body>"), "degrees of freedom"),
    "geoms": (world(BALL * 5000), None),
    "equal names": (world("<site name='a'/>" * 5000), "used twice"),
    "classes": (
        "<mujoco><default>" + "".join(f"<default class='c{k}'/>" for k in range(5000)) + "</default></mujoco>",
        None,
    ),
    "long name": (world(f"<geom name='{'n' * 1_000_000}' size='1'/>"), None),
    "unknown long names": (world(f"<geom {'n' * 1_000_000}='1'/>"), "unknown attribute"),
    "similar long names": (world(f"<site name='{'n' * 5000}'/><camera target='{'n' * 4999}' mode='targetbody'/>"),
                           "no such body"),
}  # fmt: skip


@pytest.mark.sweep(5)
@pytest.mark.parametrize("name", LARGE)
def test_large(name):
    text, words = LARGE[name]
    start, memory = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    if words is None:
        Model.from_xml_string(text)
    else:
        with pytest.raises(MjcfError) as caught:
            Model.from_xml_string(text)
        assert words in str(caught.value)
        assert len(str(caught.value)) < 700
    assert time.process_time() - start < 10
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory < 1_500_000


NESTED = {
    "bodies": ("<body>", BALL, "</body>", 495),
    "moving bodies": (f"<body><joint/>{BALL}", "", "</body>", 150),
    "frames": ("<frame>", BALL, "</frame>", 495),
    "replicates": ("<replicate count='1'>", BALL, "</replicate>", 60),
}


@pytest.mark.sweep(1)
@pytest.mark.parametrize("name", NESTED)
def test_deep(name):
    start, inside, end, depth = NESTED[name]
    text = world(start * depth + inside + end * depth)
    model = Model.from_xml_string(text)
    assert model.ngeom == (depth if "moving" in name else 1)
    again = Model.from_xml_string(Spec.from_string(text).to_xml())
    assert again.nbody == model.nbody


@pytest.mark.slow
def test_included_files_nest_deeper_than_one_may():
    """Included files add up: to 28,681 bodies inside each other, on which MuJoCo crashes."""
    n, count = DEEPEST - 20, 60
    text = "<mujoco><worldbody>{}</worldbody></mujoco>"
    deep = "<body>" * n + "{}" + "</body>" * n
    files = {}
    for k in range(count):
        inner = deep.format(f"<include file='{k + 1}.xml'/>")
        files[f"{k}.xml"] = f"<x>{inner}</x>".encode()
    files[f"{count}.xml"] = b"<x><geom size='1'/></x>"
    model = Model.from_xml_string(text.format('<include file="0.xml"/>'), files)
    assert model.nbody == n * count + 1


def test_files_that_attach_each_other_deeper_than_the_stack():
    attach = "<asset><model name='c' file='{}.xml'/></asset><worldbody><body name='b'><geom size='1'/><attach model='c' body='b' prefix='p'/></body></worldbody>"
    files = {f"{k}.xml": f"<mujoco>{attach.format(k + 1)}</mujoco>".encode() for k in range(900)}
    files["900.xml"] = world("<body name='b'/>").encode()
    with pytest.raises(UnsupportedFeature, match="attach each other so deeply"):
        Model.from_xml_string(f"<mujoco>{attach.format(0)}</mujoco>", files)
    with pytest.raises(UnsupportedFeature, match="attach each other so deeply"):
        Spec.from_string(f"<mujoco>{attach.format(0)}</mujoco>", files)


def test_circles(tmp_path):
    """Files that include or attach each other, or themselves under other names."""
    (tmp_path / "a.xml").write_text("<mujoco><worldbody/><include file='./b.xml'/></mujoco>")
    (tmp_path / "b.xml").write_text("<mujoco><include file='x/../a.xml'/></mujoco>")
    (tmp_path / "x").mkdir()
    (tmp_path / "c.xml").write_text(
        "<mujoco><asset><model name='c' file='c.xml'/></asset><worldbody>"
        "<attach model='c' prefix='p'/></worldbody></mujoco>"
    )
    (tmp_path / "d").symlink_to(tmp_path)
    (tmp_path / "e.xml").write_text("<mujoco><include file='d/e.xml'/></mujoco>")
    for name in "ace":
        with pytest.raises(MjcfError):
            Model.from_xml_path(tmp_path / f"{name}.xml")


NAMES = (
    "/dev/zero", "/dev/stdin", "/proc/self/mem", ".", "..", "/", "a\0b", "x" * 5000, "~/x", "file:///etc/passwd",
    "fifo", "folder", "\ud800", "CON", "a\nb",
)  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "<mujoco><include file='{}'/></mujoco>",
        asset("<mesh name='m' file='{}'/>"),
        asset("<texture name='t' type='2d' file='{}'/>"),
        asset("<hfield name='h' file='{}' size='1 1 1 1'/>"),
        asset("<model name='x' file='{}'/>"),
    ],
    ids=["include", "mesh", "texture", "hfield", "model"],
)
def test_files_that_are_none(text, tmp_path):
    """Devices, pipes, folders and impossible names are no files; nothing waits for them."""
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "folder").mkdir()
    for name in NAMES:
        (tmp_path / "m.xml").write_bytes(text.format(name).encode(errors="surrogatepass"))
        with pytest.raises(MjcfError):
            Model.from_xml_path(tmp_path / "m.xml")


def test_a_string_reads_no_files(tmp_path, monkeypatch):
    """A model from a string has the files that it is given and no others."""
    (tmp_path / "a.xml").write_text("<x><worldbody><geom name='secret' size='1'/></worldbody></x>")
    monkeypatch.chdir(tmp_path)
    for name in ("a.xml", "./a.xml", str(tmp_path / "a.xml")):
        with pytest.raises(MjcfError, match="no such file"):
            Model.from_xml_string(f"<mujoco><include file='{name}'/></mujoco>", {"b.xml": b"<x/>"})


def test_no_network(monkeypatch):
    def connect(*_):
        raise AssertionError("a model opened a connection")

    monkeypatch.setattr(socket, "socket", connect)
    for name in ("http://127.0.0.1:9/a.xml", "ftp://127.0.0.1/a.stl", "//127.0.0.1/a"):
        for text in (
            f"<mujoco><include file='{name}'/></mujoco>",
            asset(f"<mesh name='m' file='{name}'/>"),
            f"<!DOCTYPE mujoco SYSTEM '{name}'><mujoco><include file='{name}'/></mujoco>",
        ):
            with pytest.raises(MjcfError):
                Model.from_xml_string(text)


def test_messages_hold_no_format_codes():
    """What stands in a document is text in messages, whatever it looks like."""
    for name in ("%s%n%d", "{}", "{0.__class__}", "\x1b[31m", "\u202e"):
        with pytest.raises(MjcfError) as caught:
            Model.from_xml_string(world(f"<geom size='{name}'/>"))
        message = str(caught.value)
        assert name in message or not name.isprintable()
        assert message.isprintable()


@pytest.mark.slow
def test_mutated_models():
    """Two thousand models that were changed at random."""
    command = [sys.executable, str(ROOT / "tests" / "fuzz_mjcf.py"), "--cases", "2000", "--models"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2000 cases" in done.stdout


def test_memory_that_a_model_may_take_is_an_option(tmp_path):
    text = asset("<texture name='t' builtin='flat' width='40'/>")  # 28800 bytes
    message = r"<texture name='t'>: a texture: expected at most 0 MB, found 0 MB; allow more with the argument max_b"
    with pytest.raises(UnsupportedFeature, match=message):
        Model.from_xml_string(text, max_bytes=20_000)
    assert Model.from_xml_string(text, max_bytes=300_000).ntexdata == 28_800
    (tmp_path / "inner.xml").write_text(text)
    outer = asset("<model name='m' file='inner.xml'/>").replace(
        "</mujoco>", "<worldbody><attach model='m' prefix='a'/></worldbody></mujoco>"
    )
    (tmp_path / "outer.xml").write_text(outer)
    for make in (Model.from_xml_path, lambda p, **k: Spec.from_file(p, **k).compile()):
        with pytest.raises(UnsupportedFeature, match="max_bytes"):
            make(tmp_path / "outer.xml", max_bytes=20_000)
        make(tmp_path / "outer.xml", max_bytes=300_000)


def test_replicated_references_are_refused_before_they_are_copied(monkeypatch):
    text = """
    <mujoco>
      <worldbody>
        <geom name="floor" type="plane" size="1 1 1"/>
        <replicate count="1000000"><body><freejoint/><geom name="g" size="1"/></body></replicate>
      </worldbody>
      <contact><pair geom1="floor" geom2="g"/></contact>
    </mujoco>"""

    def copied(*_):
        raise AssertionError("copies were made")

    monkeypatch.setattr("mjenv.engine.mjcf.document.assembly.Assembly.duplicate", copied)
    with pytest.raises(UnsupportedFeature, match="a model of many replicated elements"):
        Model.from_xml_string(text)


def test_names_that_end_like_those_of_copies_are_found():
    # "a" is replicated as "a0", "a1"; "b1" exists already, and so does what joins the two
    text = """
    <mujoco>
      <worldbody>
        <body name="b1"><joint name="j1"/><geom size=".1"/></body>
        <body name="b"><joint name="j"/><geom size=".1"/></body>
        <replicate count="3"><body name="a"><joint name="i"/><geom size=".1"/></body></replicate>
      </worldbody>
      <equality><joint joint1="i" joint2="j"/></equality>
      <sensor><jointpos joint="i"/><clock/></sensor>
    </mujoco>"""
    ours, reference = Model.from_xml_string(text), mujoco.MjModel.from_xml_string(text)
    assert (ours.neq, ours.nsensor) == (reference.neq, reference.nsensor)
    np.testing.assert_array_equal(ours.sensor_objid, reference.sensor_objid)


def test_values_of_sensors_count_as_memory():
    text = "<mujoco><sensor><user dim='{}'/><user dim='{}'/></sensor></mujoco>"
    with pytest.raises(UnsupportedFeature, match="a world with many values of sensors, delays"):
        Model.from_xml_string(text.format(2_000_000_000, 1))
    with pytest.raises(UnsupportedFeature, match="max_bytes"):
        Model.from_xml_string(text.format(40_000_000, 40_000_000))
    assert Model.from_xml_string(text.format(3, 4)).nsensordata == 7
