"""Replicated subtrees and attached models, written out as ordinary elements before collecting.

What MuJoCo does while it parses the tree is done here in the same order, because the order of
elements, and which of those that refer to a copied subtree are copied with it, follow from it.
"""

import os

from ..errors import nearest
from .collect import LARGEST as MOST_KEYS
from .collect import read_settings
from .element import Element
from .orientation import resolve
from .pose import IDENTITY, ZERO, compose
from .reader import Source, read
from .references import (
    SECTIONS,
    Names,
    Renaming,
    rename_asset,
    rename_class,
    rename_default,
    rename_tree,
    renamed,
    resolves,
)
from .schema import kinds
from .states import Places, State

LARGEST = 1_000_000  # of elements after expansion
MACROS = ("replicate", "attach")
UNBUILT = ("deformable", "extension")


def expand(root: Element, outer: tuple[str, ...] = ()) -> Element:
    """A document without replicates, attachments and model assets.

    Args:
        root: the document, which is not changed.
        outer: files that are being attached, against circles.

    Returns:
        The document itself where there is nothing to expand.
    """
    read_settings(root)
    models = [a for s in root.children if s.tag == "asset" for a in s.children if a.tag == "model"]
    if not models and not any(_has_macro(child) for child in root.children):
        return root
    return _Expansion(root, outer).run(models)


def _has_macro(element: Element) -> bool:
    return element.tag in MACROS or any(map(_has_macro, element.children))


class _Expansion:
    """A document while it is expanded.

    Attributes:
        root: the new document; sections that change are copies.
        world: its tree, as far as it is done.
        names: names in use, as far as the tree is done.
        models: documents that can be attached, by name, expanded.
        classes: new names of the default classes of attached models, by model, prefix, suffix.
        pending: keyframes as states.
        removed: elements that are no longer in the tree, kept because states know them by `id`.
    """

    def __init__(self, root: Element, outer: tuple[str, ...]):
        self.root, self.outer = root.like(), outer
        self.names = Names()
        self.names.add("body", "world")
        self.models: dict[str, _Expansion] = {}
        self.pending: list[State] = []
        self.removed: list[Element] = []
        self.world = Element(kinds()["body"], "worldbody", root.file, root.line, root.document)
        self.classes: dict[tuple, dict[str, str]] = {}
        self.size = 0
        self.extra: dict[str, Element] = {}
        self.worlds = [s for s in root.children if s.tag == "worldbody"]
        for section in root.children:
            if section.tag in (*SECTIONS, "asset", "keyframe", "default"):
                copy = section.like()
                copy.children = [c for c in section.children if c.kind.path != "asset/model"]
                self.root.children.append(copy)
                for child in copy.children:
                    self.names.add(_kind(child), child.values.get("name", ""))
            elif section.tag != "worldbody":
                self.root.children.append(section)

    def run(self, models: list[Element]) -> Element:
        """The expanded document."""
        self.expand_tree(models)
        self.root.children.append(self.world)
        if self.pending:
            places = Places(self.root, self.world)
            keys = self.section("keyframe").children
            keys += self._padding() + [places.key(state) for state in self.pending]
        return self.root

    def _padding(self) -> list[Element]:
        """Keyframes without values, up to the number that <size> asks for."""
        present = sum(len(section.children) for section in self.sections("keyframe"))
        asked = [s for s in self.sections("size") if "nkey" in s.values]
        missing = range(present, min(asked[-1].values["nkey"], MOST_KEYS) if asked else 0)
        return [asked[-1].like(kinds()["keyframe/key"]) for _ in missing]

    def expand_tree(self, models: list[Element]) -> None:
        """Read the models that can be attached, and write out the tree."""
        for element in models:
            self._model(element)
        for world in self.worlds:
            if world.values:
                raise world.error("expected no attributes in the world body")
            self._inside(world, self.world)

    def section(self, tag: str) -> Element:
        """The section that new elements are added to."""
        if tag not in self.extra:
            section = Element(kinds()[tag], tag, self.root.file, self.root.line, self.root.document)
            self.extra[tag] = section
            self.root.children.append(section)
        return self.extra[tag]

    def sections(self, tag: str) -> list[Element]:
        return [section for section in self.root.children if section.tag == tag]

    def _count(self, element: Element, number: int) -> None:
        self.size += number
        if self.size > LARGEST:
            raise element.unsupported(f"a model of more than {LARGEST} replicated elements")

    def _inside(self, old: Element, new: Element) -> None:
        """Write out what is inside a body or frame."""
        for child in old.children:
            if child.tag == "replicate":
                self._replicate(child, new)
            elif child.tag == "attach":
                self._attach(child, new)
            else:
                copy = child.like()
                new.children.append(copy)
                self.names.add(copy.tag, copy.values.get("name", ""))
                self._inside(child, copy)

    def _replicate(self, element: Element, parent: Element) -> None:
        """Copies of a subtree, each in a frame, with numbers behind all names."""
        values = element.kind.defaults | element.values
        offset, turn = tuple(values["offset"]), tuple(values["euler"])
        rotation = self._turned(element, turn)
        # the original is in the model while it is copied
        original = element.like(kinds()["body/frame"])
        parent.children.append(original)
        self._inside(element, original)
        keys = self._take_keys()
        inside = _inside_bodies(original)
        pos, number, first = ZERO, max(0, values["count"]), len(parent.children)
        self._count(element, number * _size(original))
        for i in range(number):
            quat = self._turned(element, tuple(i * angle for angle in turn))
            frame = element.like(kinds()["body/frame"], pos=pos, quat=quat)
            if "childclass" in values:
                frame.values["childclass"] = values["childclass"]
            suffix = values.get("sep", "") + str(i).zfill(len(str(number)))
            copies: dict[int, Element] = {}
            rename = Renaming("", suffix)
            keys = self._store(keys, original, rename, complete=i > 0)
            frame.children = [
                rename_tree(child, rename, False, copies) for child in original.children
            ]
            parent.children.append(frame)
            self.names.add_all(frame)
            self._copy_references(self, rename, None, copies)
            for state in self.pending:
                state.spread(copies, inside)
            pos = compose((pos, quat), (offset, rotation))[0]
        for state in self.pending:
            state.forget_actuators()
        self._store(keys, original, Renaming(), complete=number > 0)
        referring = self._referring()
        self.names.add_all(original, -1)
        del parent.children[first - 1]
        self.removed.append(original)
        self._remove_dangling(referring)

    @staticmethod
    def _turned(element: Element, angles: tuple) -> tuple:
        return resolve({"euler": angles}, element.settings, element) if any(angles) else IDENTITY

    def _take_keys(self) -> list[Element]:
        """The keyframes of this model, which are taken out of it."""
        sections = self.sections("keyframe")
        keys = [key for section in sections for key in section.children]
        for section in sections:
            section.children = []
        return keys

    def _store(
        self, keys: list[Element], original: Element, rename: Renaming, complete: bool
    ) -> list[Element]:
        """Store keyframes as states of the model as it stands.

        Args:
            keys: the keyframes.
            original: the subtree that is being replicated.
            rename: gives the new names.
            complete: whether they may lack values of what was added since they were written.

        Returns:
            The keyframes, completed.
        """
        if keys:
            places = Places(self.root, self.world, original)
            keys = [places.complete(key) for key in keys] if complete else keys
            self.pending += [places.state(k, rename(k.values.get("name", ""))) for k in keys]
        return keys

    def _complete_keys(self) -> None:
        """Lengthen the keyframes of this model by what was attached to it."""
        sections = [section for section in self.sections("keyframe") if section.children]
        if sections:
            places = Places(self.root, self.world)
            for section in sections:
                section.children = [places.complete(key) for key in section.children]

    def _copy_references(
        self,
        source: "_Expansion",
        rename: Renaming,
        main: str | None,
        copies: dict[int, Element],
    ) -> None:
        """Add copies of all elements that refer to what was copied under new names.

        Args:
            source: the model that they come from.
            rename: gives the new names.
            main: name of the source's outermost default class here; None: it is this model.
            copies: dict to which the copies are added.
        """
        for tag in SECTIONS:
            for old in [e for s in source.sections(tag) for e in s.children]:
                if main is None and old.kind.path in ("custom/numeric", "custom/text"):
                    continue
                new = renamed(old, self.names, rename)
                if new is None:
                    continue
                self._count(old, 1)
                if main is not None:
                    rename_class(new, rename)
                    _set_class(new, main)
                copies[id(old)] = new
                self.section(tag).children.append(new)
                self.names.add(_kind(new), new.values.get("name", ""))

    def _referring(self) -> list[tuple[Element, Element]]:
        """Elements outside the tree whose references exist, with their sections."""
        return [
            (section, element)
            for tag in SECTIONS[:-1]
            for section in self.sections(tag)
            for element in section.children
            if resolves(element, self.names)
        ]

    def _remove_dangling(self, referring: list[tuple[Element, Element]]) -> None:
        """Remove elements that refer to what is no longer there."""
        gone = set()
        for _, element in referring:
            if not resolves(element, self.names):
                gone.add(id(element))
                self.removed.append(element)
                self.names.add(_kind(element), element.values.get("name", ""), -1)
        if gone:
            for section in {id(section): section for section, _ in referring}.values():
                section.children = [e for e in section.children if id(e) not in gone]

    def _model(self, element: Element) -> None:
        """Read a model that can be attached."""
        file, source = element.values["file"], element.document.source
        found = source.read(file, element.folder)
        if found is None:
            raise element.error(f"file='{file}': no such file")
        path, text = found
        if os.path.normpath(path) in self.outer:
            raise element.error(f"file='{file}': expected another model, found one inside itself")
        outer = (*self.outer, os.path.normpath(path))
        inner = Source(os.path.dirname(path), {})
        inner.assets = source.assets
        root = read(text, path, inner)
        name = element.values.get("name") or root.values.get("model", "MuJoCo Model")
        read_settings(root)
        for section in root.children:
            if section.tag in UNBUILT and section.children:
                raise section.unsupported(f"<{section.tag}> in an attached model")
        models = [
            a for s in root.children if s.tag == "asset" for a in s.children if a.tag == "model"
        ]
        child = _Expansion(root, outer)
        child.expand_tree(models)
        self.models.setdefault(name, child)

    def _attach(self, element: Element, parent: Element) -> None:
        """A model, or one of its bodies, with a prefix before all names."""
        values = element.values
        child, prefix, body = self.models.get(values["model"]), values["prefix"], values.get("body")
        if child is None:
            hint = nearest(values["model"], self.models)
            raise element.error(f"model='{values['model']}': no such model in <asset>{hint}")
        around, content = "main", child.world.children
        if body:
            if ("body", prefix + body) in self.names:
                raise element.unsupported(f"attaching '{body}' with the prefix '{prefix}' twice")
            found = _find_body(child.world, body, "main")
            if found is None:
                raise element.error(f"body='{body}': no such body in the model")
            content, around = [found[0]], found[1]
        frame = element.like(kinds()["body/frame"])
        parent.children.append(frame)
        self.graft(frame, content, child, Renaming(prefix), around)
        self._complete_keys()

    def graft(
        self,
        frame: Element,
        content: list[Element],
        child: "_Expansion",
        rename: Renaming,
        around: str,
    ) -> None:
        """Copy a part of another model's tree, and what belongs to it.

        Args:
            frame: the frame that takes the copies.
            content: elements of the other model's tree.
            child: the other model.
            rename: gives the new names.
            around: default class of the other model that holds for them.
        """
        main, copies = self._graft_classes(child, rename), {}
        frame.values["childclass"] = rename.of_class(around)
        states = child.pending
        child.pending = []
        states_of_child = [
            Places(child.root, child.world).state(key, rename(key.values.get("name", "")))
            for section in child.sections("keyframe")
            for key in section.children
        ]
        frame.children = [rename_tree(element, rename, True, copies) for element in content]
        self._count(frame, _size(frame))
        self.names.add_all(frame)
        assets = self.section("asset").children
        for section in child.sections("asset"):
            for old in section.children:
                new = rename_asset(old, rename)
                _set_class(new, main)
                assets.append(new)
                self.names.add(new.tag, new.values.get("name", ""))
        self._copy_references(child, rename, main, copies)
        self.pending += [state.moved(copies) for state in states + states_of_child]

    def _graft_classes(self, child: "_Expansion", rename: Renaming) -> str:
        """Copy the default classes of another model; returns the new name of the outermost one."""
        sections = child.sections("default")
        names = ["main", *(name for section in sections for name in _nested(section))]
        known = (id(child), rename.prefix, rename.suffix)
        if known in self.classes:
            rename.classes = self.classes[known]
        else:
            taken = {"main", *(name for s in self.sections("default") for name in _nested(s))}
            for name in names:
                rename.name_class(name, taken)
            self.classes[known] = rename.classes
            section = self.section("default")
            root = child.root
            outer = Element(section.kind, "default", root.file, root.line, root.document)
            outer.values["class"] = rename.of_class("main")
            outer.children = [rename_default(e, rename) for s in sections for e in s.children]
            section.children.append(outer)
        return rename.of_class("main")


def _nested(section: Element) -> list[str]:
    """Names of the default classes inside one."""
    inner = [child for child in section.children if child.tag == "default"]
    return [n for c in inner for n in (c.values.get("class", ""), *_nested(c))]


def _kind(element: Element) -> str:
    """Kind whose names an element outside the tree shares."""
    section = element.kind.path.partition("/")[0]
    return section if section in ("tendon", "actuator", "sensor", "equality") else element.tag


def _size(element: Element) -> int:
    return 1 + sum(map(_size, element.children))


def _inside_bodies(element: Element) -> set[int]:
    """`id` of the elements that stand in bodies inside an element, and of these bodies."""
    found: set[int] = set()
    for child in element.children:
        found |= {id(child)} | _ids(child) if child.tag == "body" else _inside_bodies(child)
    return found


def _ids(element: Element) -> set[int]:
    found = {id(child) for child in element.children}
    return found.union(*map(_ids, element.children))


def _find_body(element: Element, name: str, around: str) -> tuple[Element, str] | None:
    """The body of a name, and the default class around it."""
    around = element.values.get("childclass", around)
    for child in element.children:
        if child.tag == "body" and child.values.get("name") == name:
            return child, around
        if child.tag in ("body", "frame") and (found := _find_body(child, name, around)):
            return found
    return None


def _set_class(element: Element, main: str) -> None:
    """Name the class that an element had without saying it."""
    if "class" in element.kind.attributes:
        element.values.setdefault("class", main)
