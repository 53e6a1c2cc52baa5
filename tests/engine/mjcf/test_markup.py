"""XML as MuJoCo's parser takes it: what it forgives, what it rejects, and where it says so."""
# ruff: noqa: E501 (a document in a line)

import time

import mujoco
import pytest

from mjenv.engine.edit.compile import Model
from mjenv.engine.errors import MjcfError, UnsupportedFeature
from mjenv.engine.mjcf.text.markup import DEEPEST, parse_xml

from .test_models import differences


def world(inside):
    return f"<mujoco><worldbody>{inside}</worldbody></mujoco>"


BALL = world("<geom size='1' name='é'/>")
FORGIVEN = {
    "byte order mark": b"\xef\xbb\xbf" + BALL.encode(),
    "declaration": f'<?xml version="1.0" encoding="utf-8" standalone="yes"?>{BALL}',
    "unknown version": f'<?xml version="1.1"?>{BALL}',
    "wrong encoding": f'<?xml version="1.0" encoding="utf-16"?>{BALL}',
    "unknown encoding": f'<?xml version="1.0" encoding="?"?>{BALL}',
    "space before the declaration": f'\n <?xml version="1.0"?>{BALL}',
    "two declarations": f"<?xml?><?xml?>{BALL}",
    "comment with hyphens": world("<!---- a -- b ----><geom size='1'/>"),
    "comment of tags": world("<!-- <geom/> </mujoco> & < --><geom size='1'/>"),
    "comment of Latin-1": world("<!-- \xe9 --><geom size='1'/>").encode("latin-1"),
    "comments around": f"<!-- a -->{BALL}<!-- b -->\n",
    "character data": world("<![CDATA[ <geom/> ]]><geom size='1'/>"),
    "text": world("some <geom size='1'/> text &amp; &what;"),
    "text before": f"some text {BALL}",
    "several roots": BALL + BALL + "<x><y/></x>",
    "closed too often": BALL + "</x> and anything < & behind",
    "zero behind": BALL + "\0anything <<",
    "document type": f"<!DOCTYPE mujoco SYSTEM 'http://127.0.0.1/x.dtd'>{BALL}",
    "elements declared": f"<!DOCTYPE mujoco [<!ELEMENT mujoco ANY>]>{BALL}",
    "attributes declared": f"<!DOCTYPE mujoco [<!ATTLIST mujoco model CDATA 'x'>]>{BALL}",
    "no space": world("<geom size='1'name='a'rgba='1 0 0 1'/>"),
    "much space": world("< geom\n\t size\n=\r\n'1'  ></geom \n>"),
    "attribute at the end": world("<geom size='1'></geom a='1'>"),
    "both quotes": world("""<geom size="1" name='"'/><geom size='1' name="'"/>"""),
    "less than": world("<geom size='1' name='a<b>c'/>"),
    "ampersand": world("<geom size='1' name='a &amp b &; &'/>"),
    "unknown entity": world("<geom size='1' name='&what;'/>"),
    "entities": world("<geom size='1' name='&lt;&gt;&amp;&quot;&apos;&amp;lt;'/>"),
    "numbers of characters": world("<geom size='&#49;' name='&#65;&#x42;&#xe9;&#0000067;&#x1F600;'/>"),
    "numbers of no characters": world("<geom size='1' name='&#x110000;&#a;&#xg;&#-1;'/>"),
    "zero as a number": world("<geom size='1' name='a&#0;b'/>"),
    "control characters": world("<geom size='1' name='a\x01\x7f&#1;'/>"),
    "line ends": world("<geom size='1' name='a\nb\r\nc\rd\n\re\tf&#10;g'/>").encode(),
    "names of all kinds": world("<frame é:ñ='1' _-.9=''/><geom size='1'/>").replace("frame", "replicate count='1'"),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:.*ignored, as MuJoCo does")
@pytest.mark.parametrize("name", FORGIVEN)
def test_what_mujoco_forgives(name, tmp_path):
    text = FORGIVEN[name]
    path = tmp_path / "model.xml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    reference = mujoco.MjModel.from_xml_path(str(path))
    assert not differences(Model.from_xml_path(path), reference)


REJECTED = [
    ("", "1: not well-formed XML: expected an element, found an empty text"),
    (" \n \n", "3: not well-formed XML: expected an element, found an empty text"),
    ("<!-- a -->", "1: not well-formed XML: expected an element, found none"),
    ("\0" + BALL, "1: UTF-16 or binary data: expected XML text; save it as UTF-8"),
    (BALL.encode("utf-16"), "1: UTF-16 or binary data: expected XML text; save it as UTF-8"),
    (BALL.encode("utf-16-be"), "1: UTF-16 or binary data: expected XML text; save it as UTF-8"),
    (bytes(range(256)), "1: UTF-16 or binary data: expected XML text; save it as UTF-8"),
    ("<", "1: not well-formed XML: expected the name of an element behind '<'"),
    ("just text", "1: not well-formed XML: expected nothing more, found 'just text'"),
    (BALL + "\ntext", "2: not well-formed XML: expected nothing more, found 'text'"),
    ("<mujoco>\n<worldbody>\n", "3: not well-formed XML: expected </worldbody> for <worldbody> of line 2, found the end"),
    ("<mujoco>\n<worldbody>\n</mujoco>", "3: not well-formed XML: expected </worldbody> for <worldbody> of line 2, found </mujoco>"),
    (world("\n<geom size='1'>"), "2: not well-formed XML: expected </geom> for <geom> of line 2, found </worldbody>"),
    (world("\n<geom size=1/>"), "2: not well-formed XML: <geom>: size=1: expected quotation marks around the value"),
    (world("\n<geom size/>"), "2: not well-formed XML: <geom>: expected name='value', '>' or '/>', found 'size'"),
    (world("\n<geom 'a'/>"), "2: not well-formed XML: <geom>: expected name='value', '>' or '/>', found ''a''"),
    (world("<geom\n size='1/>"), "2: not well-formed XML: <geom>: expected a quotation mark behind the value of 'size'"),
    (world("<geom size='1'\n name='a\0b'/>"), "2: not well-formed XML: <geom>: expected a quotation mark behind the value of 'name'"),
    (world("<geom size='1'\n size='2'/>"), "1: not well-formed XML: <geom>: expected 'size' once, found it twice"),
    ("<mujoco>\n<geom", "2: not well-formed XML: <geom>: expected '>' at its end, found the end of the text"),
    (world("<5/>"), "1: not well-formed XML: expected the name of an element behind '<'"),
    (world("\n<!-- a "), "2: not well-formed XML: expected '-->' at the end of the comment, found none"),
    (world("\n<![CDATA[ a "), "2: not well-formed XML: expected ']]>' at the end of the character data, found none"),
    (world("\n<?a?>"), "2: not well-formed XML: expected <?...?> at the beginning only, found one behind other things"),
    ("<!-- a --><?xml?>" + BALL, "1: not well-formed XML: expected <?...?> at the beginning only, found one behind other things"),
    ("<mujoco\n xmlns='x'/>", "1: <mujoco>: unknown attribute 'xmlns'"),
    (world("<a:geom size='1'/>"), "1: <a:geom>: unknown element in <worldbody>; did you mean 'geom'?"),
    ("<mujoco><xi:include href='/etc/passwd' parse='text'/></mujoco>", "1: <xi:include>: unknown element in <mujoco>"),
    ("<MuJoCo/>", "1: root element <MuJoCo>: expected <mujoco> or <robot>"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), REJECTED, ids=range(len(REJECTED)))
def test_what_mujoco_rejects(text, message, tmp_path):
    path = tmp_path / "model.xml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ValueError):  # noqa: PT011 (its message is MuJoCo's)
        mujoco.MjModel.from_xml_path(str(path))
    with pytest.raises(MjcfError) as caught:
        Model.from_xml_path(path)
    assert not isinstance(caught.value, UnsupportedFeature)
    assert str(caught.value) == f"model.xml:{message}"


def test_letters_of_latin_1():
    """MuJoCo keeps bytes that are no text; here they become letters."""
    model = Model.from_xml_string(world("<body name='caf\xe9'/><body name='é'/>").encode("latin-1"))
    assert [model.body(k).name for k in (1, 2)] == ["café", "é"]
    model = Model.from_xml_string(world("<body name='a\ud800&#xd800;'/>"))
    assert model.body(1).name.startswith("a")


LAUGHS = "".join(f"<!ENTITY l{k + 1} '{f'&l{k};' * 10}'>" for k in range(10))
DECLARED = {
    "laughs": f"<!DOCTYPE x [<!ENTITY l0 'ha'>{LAUGHS}]>" + world("<geom name='&l10;' size='1'/>"),
    "quadratic": f"<!DOCTYPE x [<!ENTITY a '{'a' * 100000}'>]>" + world("&a;" * 10000),
    "external": "<!DOCTYPE x [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><mujoco>&a;</mujoco>",
    "network": "<!DOCTYPE x [<!ENTITY a SYSTEM 'http://127.0.0.1:9/'>]><mujoco>&a;</mujoco>",
    "parameter": "<!DOCTYPE x [<!ENTITY % a SYSTEM 'file:///etc/passwd'> %a;]><mujoco/>",
    "circle": "<!DOCTYPE x [<!ENTITY a '&b;'><!ENTITY b '&a;'>]><mujoco model='&a;'/>",
    "behind others": "<!DOCTYPE x [<!ELEMENT y ANY><!ENTITY a 'b'>]><mujoco model='&a;'/>",
    "in the tree": world("<!ENTITY a 'b'>"),
}


@pytest.mark.parametrize("name", DECLARED)
def test_entities_are_refused(name):
    start = time.process_time()
    with pytest.raises(MjcfError, match=r"^<string>:1: entity declarations are not allowed"):
        Model.from_xml_string(DECLARED[name])
    assert time.process_time() - start < 1


@pytest.mark.parametrize("more", [0, 1])
def test_depth_is_mujocos(more):
    n = DEEPEST - 2 + more  # beside the root and the world
    text = world("<frame>" * n + "<geom size='1'/>" + "</frame>" * n)
    if more:
        message = r"1: not well-formed XML: expected at most 498 elements inside each other"
        with pytest.raises(ValueError):  # noqa: PT011
            mujoco.MjModel.from_xml_string(text)
        with pytest.raises(MjcfError, match=message):
            Model.from_xml_string(text)
    else:
        mujoco.MjModel.from_xml_string(text)
        assert len(list(parse_xml(text.encode(), "x").walk())) == DEEPEST + 1


def test_great_depth_and_length_end_quickly():
    start = time.process_time()
    for text in (
        world("<body>" * 100_000),
        world("<body>" * 100_000 + "</body>" * 100_000),
        "<mujoco " + "a" * 1_000_000,
        "<mujoco a" + " " * 1_000_000,
        "<mujoco a='" + " " * 1_000_000,
        "<mujoco " + "a = " * 300_000,
        "<mujoco " + "&" * 1_000_000,
        "<" * 1_000_000,
        "<!--" * 300_000,
        "<a>" * 300 + "</a>" * 10_000 + "<",
        world(f"<geom size='{'1 ' * 500_000}'/>"),
        world(f"<geom size='1' condim='{'1' * 1_000_000}'/>"),
        world(f"<geom name='{'&#' * 500_000}' size='0'/>"),
        world("<geom " + " ".join(f"a{k}='1'" for k in range(100_000)) + "/>"),
    ):
        with pytest.raises(MjcfError) as caught:
            Model.from_xml_string(text)
        assert len(str(caught.value)) < 700
    assert time.process_time() - start < 5


def test_lines():
    text = "<mujoco\n>\n\n<a\nb='\n'\n/><c/>\n<!--\n--><d></d\n>\n</mujoco>"
    nodes = list(parse_xml(text.encode(), "x").walk())
    assert [(node.tag, node.line) for node in nodes] == [
        ("mujoco", 1),
        ("a", 4),
        ("c", 7),
        ("d", 9),
    ]
    assert [node.empty for node in nodes] == [False, True, True, True]


NUMBERS = {
    "size": ["1e-400", "1e-310", "1e999", "١", "1\xa02", "1\x1f", "1.5f", ".", "1,2", "1_0", "--1", "0x"],
    "group": ["99999999999", "١", "0x1", "1.0", "1e3", "+-1", "-9999999999"],
}  # fmt: skip


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_that_are_none(name):
    for text in NUMBERS[name]:
        xml = world(f"<geom size='1' {name}='{text}'/>").replace("size='1' size", "size")
        with pytest.raises(ValueError):  # noqa: PT011
            mujoco.MjModel.from_xml_string(xml)
        with pytest.raises(MjcfError, match=r"expected an? (number|integer)"):
            Model.from_xml_string(xml)


@pytest.mark.parametrize(
    "text", ["0e-999", "0.000e5", "-0", "+.5", "5.", "0x1p3", "1E+3", "\v1\f", "2.3e-308 1"]
)
def test_numbers_that_are_some(text):
    xml = world(f"<geom size='1' friction='{text}'/>")
    reference = mujoco.MjModel.from_xml_string(xml)
    assert not differences(Model.from_xml_string(xml), reference)
