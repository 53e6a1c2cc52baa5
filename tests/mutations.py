"""Model files changed at random: bytes, elements, attributes, and the files that they name."""

import collections
import random
import re
from pathlib import Path
from xml.sax.saxutils import quoteattr

from mjenv.engine.mjcf.text.markup import XmlNode, parse_xml
from mjenv.engine.mjcf.text.schema import kinds
from mjenv.engine.mjcf.text.source import Source

ROOT = Path(__file__).resolve().parents[1]
LARGEST = 60_000  # bytes of a document that is mutated

NUMBERS = [
    "nan", "inf", "-inf", "0", "-0", "1", "-1", "2", "3", "0.5", "-0.5", "10", "1e3", "1e10",
    "1e19", "1e38", "1e39", "1e150", "1e300", "1e308", "-1e308", "1e-15", "1e-30", "1e-300",
    "5e-324", "1e999", "2147483647", "2147483648", "-2147483648", "4294967296", "1000000",
    "65536", "255", "256", "-2", "7", "0x1p3", "1_0", "+", "-", ".", "e", "x",
]  # fmt: skip
TEXTS = (
    "", " ", "\n", "\t \r\n", "a", "'", '"', "&", "<", ">", "]]>", "-->", "\0", "\x01", "é",
    "\u202e", "\ud800", "😀", "name", "world", "main", "true", "false", "auto", "none", "..", "/",
    "/dev/zero", "/etc/passwd", "../../../../etc/passwd", "a/b/c", "a\\b", "con", "x.xml", "x.png",
    "x.stl", "x.obj", "x.msh", "http://127.0.0.1/", "%s%n", "{}", "{0.__class__}", "$(ls)", "%",
    "A" * 300, "A" * 70_000, "1 " * 5000,
)  # fmt: skip


def serialized(node) -> str:
    """XML text of nodes, without recursion."""
    parts, pending = [], [node]
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            parts.append(item)
            continue
        attributes = "".join(f" {k}={quoteattr(v)}" for k, v in item.attributes.items())
        if not item.children:
            parts.append(f"<{item.tag}{attributes}/>\n")
            continue
        parts.append(f"<{item.tag}{attributes}>\n")
        pending.append(f"</{item.tag}>\n")
        pending.extend(reversed(item.children))
    return "".join(parts)


def copied(node):
    """A copy of a node and of what is in it."""
    new = XmlNode(node.tag, node.line)
    pending = [(node, new)]
    while pending:
        old, twin = pending.pop()
        twin.attributes = dict(old.attributes)
        twin.children = [XmlNode(child.tag, child.line) for child in old.children]
        pending.extend(zip(old.children, twin.children, strict=True))
    return new


class Mutator:
    """Random changes of documents.

    Args:
        documents: what values, elements and pieces are taken from.
    """

    def __init__(self, documents: list[bytes]):
        self.kinds = kinds()
        self.tags = sorted({kind.tag for kind in self.kinds.values()})
        self.attributes = sorted({a for kind in self.kinds.values() for a in kind.attributes})
        self.by_tag = {kind.tag: kind for kind in self.kinds.values()}
        self.values: dict[str, list[str]] = collections.defaultdict(list)
        self.donors = []
        for document in documents:
            try:
                root = parse_xml(document, "x")
            except ValueError:
                continue
            nodes = list(root.walk())
            self.donors.append(nodes)
            for node in nodes:
                for name, value in node.attributes.items():
                    if len(value) < 200:
                        self.values[name].append(value)

    def value(self, rng: random.Random, tag: str, name: str, old: str) -> str:
        """A new value of an attribute."""
        kind = self.by_tag.get(tag)
        attribute = kind.attributes.get(name) if kind else None
        how = rng.randrange(8)
        if how == 0:
            return rng.choice(TEXTS)
        if how == 1 and self.values[name]:
            return rng.choice(self.values[name])
        if how == 2 and attribute is not None and attribute.type.words:
            return rng.choice(attribute.type.words)
        if how == 3 and old:
            words = old.split()
            if words:
                words[rng.randrange(len(words))] = rng.choice(NUMBERS)
                return " ".join(words)
        if how == 4 and old:
            words = old.split()
            return " ".join(words * 2 if rng.random() < 0.5 else words[:-1])
        count = rng.choice((1, 1, 1, 2, 3, 4, 5, 6, 7, 10, 11, 30))
        if (
            attribute is not None
            and attribute.type.base in ("real", "float", "int")
            and rng.random() < 0.7
        ):
            count = attribute.type.most or count
        if how == 5:
            return " ".join(f"{rng.gauss(0, 1):.3g}" for _ in range(count))
        return " ".join(rng.choice(NUMBERS) for _ in range(count))

    def tree(self, rng: random.Random, text: bytes) -> bytes:
        """Elements and attributes changed."""
        root = copied(parse_xml(text, "x"))
        for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
            nodes = list(root.walk())
            node = rng.choice(nodes)
            how = rng.randrange(12)
            if how < 5 and node.attributes:
                name = rng.choice(list(node.attributes))
                node.attributes[name] = self.value(rng, node.tag, name, node.attributes[name])
            elif how < 7:
                kind = self.by_tag.get(node.tag)
                known = list(kind.attributes) if kind and rng.random() < 0.95 else self.attributes
                if known:
                    name = rng.choice(known)
                    node.attributes[name] = self.value(rng, node.tag, name, "")
            elif how == 7 and node.attributes:
                del node.attributes[rng.choice(list(node.attributes))]
            elif how == 8 and node.children:
                place = rng.randrange(len(node.children))
                if rng.random() < 0.5:
                    del node.children[place]
                else:
                    node.children.insert(place, copied(node.children[place]))
            elif how == 9:
                other = rng.choice(rng.choice(self.donors))
                if len(list(other.walk())) < 200:
                    node.children.insert(rng.randint(0, len(node.children)), copied(other))
            elif how == 10:
                kind = self.by_tag.get(node.tag)
                known = list(kind.children) if kind and rng.random() < 0.9 else self.tags
                new = XmlNode(rng.choice(known or self.tags), 1)
                kind = self.by_tag.get(new.tag)
                for name in list(kind.attributes)[: rng.randrange(6)] if kind else ():
                    new.attributes[name] = self.value(rng, new.tag, name, "")
                node.children.insert(rng.randint(0, len(node.children)), new)
            elif how == 11 and node.children:
                child = node.children.pop(rng.randrange(len(node.children)))
                if rng.random() < 0.3:
                    child.tag = rng.choice(self.tags)
                inside = set(map(id, child.walk()))
                places = [n for n in nodes if id(n) not in inside]
                target = rng.choice(places)
                target.children.insert(rng.randint(0, len(target.children)), child)
        return serialized(root).encode(errors="surrogatepass")

    @staticmethod
    def bytes(rng: random.Random, data: bytes) -> bytes:
        """Bytes changed, cut, moved."""
        new = bytearray(data)
        for _ in range(rng.choice((1, 1, 2, 5, 50))):
            if not new:
                break
            start = rng.randrange(len(new))
            end = min(len(new), start + rng.choice((1, 2, 5, 20, 500)))
            how = rng.randrange(6)
            if how == 0:
                new[start] ^= 1 << rng.randrange(8)
            elif how == 1:
                new[start] = rng.choice(b"\0\xff<>\"'&/= \n0-.e")
            elif how == 2:
                del new[start:end]
            elif how == 3:
                new[start:start] = new[rng.randrange(len(new)) :][: end - start]
            elif how == 4:
                new[start:start] = rng.choice(TEXTS)[:300].encode(errors="surrogatepass")
            elif rng.random() < 0.2:
                del new[start:]
        return bytes(new)

    def case(self, rng: random.Random, text: bytes) -> bytes:
        """A mutated document."""
        if rng.random() < 0.15:
            return self.bytes(rng, text)
        text = self.tree(rng, text)
        return self.bytes(rng, text) if rng.random() < 0.03 else text


def own_documents() -> list[tuple[str, bytes]]:
    """Small documents of all kinds that are part of the tests, and the models of the tasks."""
    found = [(p.parent, p.read_bytes()) for p in sorted((ROOT / "xml").glob("*.xml"))]
    for path in sorted((ROOT / "tests" / "engine" / "mjcf").glob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        matches = re.finditer(r"<mujoco\b.*?</mujoco>|<robot\b.*?</robot>", text, re.DOTALL)
        found += [(ROOT, match[0].encode()) for match in matches]
    return [(str(folder), document) for folder, document in found]


def corpus(folders: list[Path]) -> list[tuple[str, bytes]]:
    """Folder and text of every document that is well-formed."""
    found = []
    for folder, text in own_documents():
        try:
            parse_xml(text, "x")
        except ValueError:
            continue
        found.append((folder, text))
    for folder in folders:
        for path in sorted(p for p in folder.rglob("*") if p.suffix in (".xml", ".urdf")):
            if path.stat().st_size > LARGEST:
                continue
            try:
                parse_xml(text := path.read_bytes(), "x")
            except ValueError:
                continue
            found.append((str(path.parent), text))
    return found


class MutatedSource(Source):
    """Files of a folder, some of them damaged."""

    def __init__(self, folder: str, rng: random.Random):
        super().__init__(folder)
        self.rng = rng

    def read(self, *args):
        found = super().read(*args)
        if found is None or self.rng.random() < 0.5:
            return found
        return found[0], Mutator.bytes(self.rng, found[1])


class Cases:
    """Mutated documents by their numbers."""

    def __init__(self, folders: list[Path]):
        self.documents = corpus(folders)
        self.mutator = Mutator([text for _, text in self.documents])

    def case(self, seed: int) -> tuple[bytes, Source, bool]:
        """Document, source of its files, and whether it is read as a spec."""
        rng = random.Random(seed)
        folder, text = rng.choice(self.documents)
        text = self.mutator.case(rng, text)
        as_spec = rng.random() < 0.15
        return text, MutatedSource(folder, rng), as_spec
