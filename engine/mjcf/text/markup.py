"""XML text to nodes, as forgiving as MuJoCo's parser, without document types and entities.

MuJoCo reads model files with a parser that passes over much of what XML forbids, and files that
people have written rely on it: `--` in comments, attributes without space between them, `&` and `<`
in values, Latin-1 letters, text before the root. There are no namespaces. Entity declarations are
refused; nothing here opens a file.
"""

import codecs
import re
from collections.abc import Iterator

from ...errors import MjcfError, shortened

DEEPEST = 498  # elements inside each other, as in MuJoCo
LARGEST = 0x10FFFF  # number of a character

# letters, and all beyond ASCII, as what they are not: that is compiled in a tenth of the time
_NAME = r"[^\x00-9;-@\[-^`{-\x7f][^\x00-,/;-@\[-^`{-\x7f]*"
_SPACE = re.compile(r"[ \t-\r]*")
_OPENING = re.compile(rf"<[ \t-\r]*(/?)({_NAME})", re.ASCII)
_ATTRIBUTE = re.compile(
    rf"""[ \t-\r]*({_NAME})[ \t-\r]*=[ \t-\r]*(?:"([^"]*)"|'([^']*)')""", re.ASCII
)
# a tag as most are, from its first letter on
_TAG = re.compile(
    rf"""<(/?)({_NAME})((?:[ \t-\r]*{_NAME}[ \t-\r]*=[ \t-\r]*(?:"[^"]*"|'[^']*'))*)"""
    r"[ \t-\r]*(/?)>",
    re.ASCII,
)
_CLOSING = re.compile(r"[ \t-\r]*(/?>)")
_ESCAPED = re.compile(r"&(?:(quot|amp|apos|lt|gt)|#([0-9]*|x[0-9A-Fa-f]*));|\r\n|\n\r|\r")
_CHARACTERS = {"quot": '"', "amp": "&", "apos": "'", "lt": "<", "gt": ">"}
# what begins so and is passed over: how it ends, what it is
_PASSED = (
    ("<?", "?>", "declaration"),
    ("<!--", "-->", "comment"),
    ("<![CDATA[", "]]>", "character data"),
    ("<!", ">", "document type"),
)


class XmlNode:
    """An element as it stands in the text.

    Attributes:
        tag: its name.
        attributes: texts by name, in their order.
        line: where it begins.
        children: the elements inside it.
        empty: nothing is inside it, no text and no comment.
        comment: text of the comment that it begins with, or "".
    """

    __slots__ = ("attributes", "children", "comment", "empty", "line", "tag")

    def __init__(self, tag: str, line: int):
        self.tag, self.line = tag, line
        self.attributes: dict[str, str] = {}
        self.children: list[XmlNode] = []
        self.empty, self.comment = True, ""

    def get(self, name: str, default: str | None = None) -> str | None:
        """Text of an attribute."""
        return self.attributes.get(name, default)

    def walk(self) -> Iterator["XmlNode"]:
        """The element and all elements inside it, in the order of the text."""
        pending: list[XmlNode] = [self]
        while pending:
            node = pending.pop()
            yield node
            pending.extend(reversed(node.children))


def _latin(error: UnicodeError) -> tuple[str, int]:
    """Bytes that are not UTF-8 as letters of Latin-1, which older editors wrote."""
    assert isinstance(error, UnicodeDecodeError)
    return error.object[error.start : error.end].decode("latin-1"), error.end


codecs.register_error("mjenv-latin", _latin)


def parse_xml(text: bytes, file: str) -> XmlNode:
    """Root element of a document.

    Args:
        text: the document, UTF-8.
        file: its name, for messages.

    Raises:
        MjcfError: it is not well-formed, nests too deeply, or declares entities.
    """
    if text[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in text[:4]:
        raise MjcfError(f"{file}:1: UTF-16 or binary data: expected XML text; save it as UTF-8")
    # MuJoCo reads up to the first zero
    parser = _Parser(text.partition(b"\0")[0].decode("utf-8", "mjenv-latin"), file)
    try:
        return parser.run()
    except _FaultError as fault:
        line = parser.line_at(parser.place)
        raise MjcfError(f"{file}:{line}: not well-formed XML: {fault}") from None


class _FaultError(Exception):
    """Why a text is not well-formed; the parser stands where."""


class _Parser:
    """State while a text is read.

    Attributes:
        place: where it stands.
        begun: something else than declarations was found.
        open: elements that are not closed yet.
        root: the first element.
    """

    def __init__(self, text: str, file: str):
        self.text, self.file = text, file
        self.place = self._counted = 0
        self._line = 1
        self.begun = False
        self.open: list[XmlNode] = []
        self.root: XmlNode | None = None

    def line_at(self, place: int) -> int:
        """Line of a place behind those that were asked for before."""
        self._line += self.text.count("\n", self._counted, place)
        self._counted = place
        return self._line

    def run(self) -> XmlNode:
        """The root element."""
        text = self.text
        self._skip_space()
        if text.startswith("\ufeff", self.place):
            self.place += 1
            self._skip_space()
        while self.place < len(text):
            if text[self.place] != "<":
                self._text()
            elif text.startswith(("<?", "<!"), self.place):
                self._pass_over()
            elif not self._element():
                break
            self._skip_space()
        if self.open:
            node = self.open[-1]
            raise _FaultError(
                f"expected </{node.tag}> for <{node.tag}> of line {node.line}, found the end"
            )
        if self.root is None:
            found = "none" if text.strip() else "an empty text"
            raise _FaultError(f"expected an element, found {found}")
        return self.root

    def _skip_space(self) -> None:
        match = _SPACE.match(self.text, self.place)
        assert match is not None
        self.place = match.end()

    def _text(self) -> None:
        """Pass over text between elements, which means nothing in a model."""
        end = self.text.find("<", self.place)
        if end < 0:
            raise _FaultError(
                f"expected nothing more, found '{shortened(self.text[self.place :].strip())}'"
            )
        self._note()
        self.place = end

    def _note(self) -> None:
        """Something was found that is no declaration."""
        self.begun = True
        if self.open:
            self.open[-1].empty = False

    def _pass_over(self) -> None:
        """Pass over a comment, a declaration and the like."""
        start = self.place
        opening, closing, what = next(p for p in _PASSED if self.text.startswith(p[0], start))
        end = self.text.find(closing, start + len(opening))
        if end < 0:
            raise _FaultError(f"expected '{closing}' at the end of the {what}, found none")
        if what == "comment" and self.open and self.open[-1].empty:
            self.open[-1].comment = self.text[start + len(opening) : end]
        if what != "declaration":
            self._note()
        elif self.begun:
            raise _FaultError(
                "expected <?...?> at the beginning only, found one behind other things"
            )
        if what == "document type" and "<!ENTITY" in self.text[start:end]:
            raise MjcfError(
                f"{self.file}:{self.line_at(start)}: entity declarations are not allowed in a model"
            )
        self.place = end + len(closing)

    def _element(self) -> bool:
        """Read a tag; False: it closes what was never open, and nothing behind it counts."""
        whole = _TAG.match(self.text, self.place)
        closes, node, alone = (whole and self._whole_tag(whole)) or self._tag()
        tag = node.tag
        # put it into the tree
        if closes and not alone:
            return self._close(tag)
        self._note()
        if self.open:
            self.open[-1].children.append(node)
        elif self.root is None:
            self.root = node
        # it stays open until it is closed
        if not alone:
            self.open.append(node)
            if len(self.open) > DEEPEST:
                raise _FaultError(
                    f"expected at most {DEEPEST} elements inside each other, found more"
                )
        return True

    def _whole_tag(self, match: re.Match) -> tuple[str, XmlNode, str] | None:
        """A tag that was matched at once; None if an attribute stands in it twice.

        Returns:
            "/" if it closes an element, the element that it opens else, "/" if nothing is inside.
        """
        closes, tag, given, alone = match.groups()
        node = XmlNode(tag, self.line_at(self.place))
        attributes = node.attributes
        for name, double, single in _ATTRIBUTE.findall(given) if given else ():
            if name in attributes:
                return None
            attributes[name] = _plain(double or single)
        self.place = match.end()
        return closes, node, alone

    def _tag(self) -> tuple[str, XmlNode, str]:
        """The same piece by piece, to find what is wrong with it."""
        match = _OPENING.match(self.text, self.place)
        if match is None:
            # a name, attributes and the end of the tag
            raise _FaultError("expected the name of an element behind '<'")
        closes, tag = match.groups()
        node = XmlNode(tag, self.line_at(self.place))
        self.place = match.end()
        self._attributes(node)
        match = _CLOSING.match(self.text, self.place)
        if match is None:
            raise self._wrong_attribute(node)
        self.place = match.end()
        return closes, node, match[1][:-1]

    def _close(self, tag: str) -> bool:
        if not self.open:
            return False
        node = self.open.pop()
        if node.tag != tag:
            raise _FaultError(
                f"expected </{node.tag}> for <{node.tag}> of line {node.line}, found </{tag}>"
            )
        return True

    def _attributes(self, node: XmlNode) -> None:
        attributes, text = node.attributes, self.text
        while match := _ATTRIBUTE.match(text, self.place):
            name, double, single = match.groups()
            if name in attributes:
                raise _FaultError(f"<{node.tag}>: expected '{name}' once, found it twice")
            attributes[name] = _plain(single if double is None else double)
            self.place = match.end()

    def _wrong_attribute(self, node: XmlNode) -> _FaultError:
        """Error for text that is neither an attribute nor the end of the tag."""
        self._skip_space()
        rest = self.text[self.place :]
        found = re.split(r"[ \t-\r<>/]", rest, maxsplit=1)[0] or rest[:1]
        if not rest:
            return _FaultError(f"<{node.tag}>: expected '>' at its end, found the end of the text")
        if re.match(rf"{_NAME}[ \t-\r]*=[ \t-\r]*[\"']", rest, re.ASCII):
            name = re.split(r"[ \t-\r=]", rest, maxsplit=1)[0]
            return _FaultError(
                f"<{node.tag}>: expected a quotation mark behind the value of '{name}'"
            )
        if match := re.match(rf"{_NAME}=[^\s<>/]+", rest, re.ASCII):
            found = shortened(match[0])
            return _FaultError(f"<{node.tag}>: {found}: expected quotation marks around the value")
        return _FaultError(
            f"<{node.tag}>: expected name='value', '>' or '/>', found '{shortened(found)}'"
        )


def _plain(value: str) -> str:
    """Text of an attribute without what is escaped in it."""
    if "&" in value or "\r" in value:
        # a character of number 0 ends the value, as in MuJoCo
        return _ESCAPED.sub(_character, value).partition("\0")[0]
    return value


def _character(match: re.Match) -> str:
    """Replacement of an escaped character or a line end."""
    name, number = match.groups()
    if name:
        return _CHARACTERS[name]
    if number is None:
        return "\n"
    digits = number.lstrip("x0") or "0"
    code = int(digits, 16 if number[:1] == "x" else 10) if len(digits) < 8 else LARGEST + 1
    if code > LARGEST:
        return match[0]
    return chr(code) if not 0xD800 <= code < 0xE000 else "\ufffd"
