"""A document while subtrees are copied into its tree, with what refers to them, and taken out."""

from typing import TYPE_CHECKING

from ..parts.collect import LARGEST as MOST_KEYS
from ..parts.collect import read_settings
from ..text.budget import check_bytes
from ..text.element import Document, Element
from ..text.references import (
    SECTIONS,
    Names,
    Renaming,
    kind_of,
    rename_asset,
    rename_class,
    rename_default,
    rename_instance,
    rename_look,
    rename_skin,
    rename_tree,
    renamed,
    resolves,
    stem,
)
from ..text.schema import kinds
from .ranks import Ranks, instances, names_used
from .states import FIELDS, Places, State, merged_unnamed
from .subtrees import (
    elements_named,
    inside_bodies,
    is_named_by_file,
    nested_classes,
    set_class,
    size_of,
)

if TYPE_CHECKING:
    from ...model.model import Model

ELEMENT_BYTES = 1 << 14  # that a copied element takes while it is compiled, generously
# elements outside the tree in the order in which they are copied: section, kinds (none: all of it);
# the first ones come from other models only
COPIED = (
    ("custom", ("numeric", "text")),
    ("deformable", ("flex",)),
    ("contact", ("pair",)),
    ("contact", ("exclude",)),
    *((tag, ()) for tag in ("tendon", "equality", "actuator", "sensor")),
    ("custom", ("tuple",)),
)


class Assembly:
    """A document, its tree, and what has to be known to put parts into it.

    Attributes:
        root: the document. Its sections are changed, but not what they hold.
        world: its tree.
        names: names in use.
        classes: new names of the default classes of other models, by model, prefix and suffix.
        pending: keyframes as states.
        removed: elements that are no longer in it, kept because states know them by `id`.
        remembered: keyframes as states, each with what it became where a part of this model was
            attached.
        size: number of copied elements.
        ranks: numbers of plugin instances.
        sources: documents that parts come from, whose compiler settings hold for these, by `id`.
    """

    def __init__(self, root: Element, world: Element):
        self.root, self.world = root, world
        self.names = Names()
        self.classes: dict[tuple, dict[str, str]] = {}
        self.pending: list[State] = []
        self.removed: list[Element] = []
        self.remembered: list[tuple[State, State]] = []
        self.size, self.ranks = 0, Ranks()
        self.sources: dict[int, Element] = {}
        self.recount()

    def copy(self) -> "Assembly":
        """A copy that shares nothing with this one but the contents of files."""
        copies: dict[int, Element] = {}
        main = self.root.document
        document = Document(main.source)
        document.comment = main.comment
        document.urdf = main.urdf

        def copied(element: Element) -> Element:
            new = copies[id(element)] = element.like()
            new.values = dict(element.values)
            if new.document is main:
                new.document = document
            return new

        assembly = Assembly(self.root.rewritten(copied), copies[id(self.world)])
        assembly.classes = dict(self.classes)
        assembly.ranks.last, assembly.sources = self.ranks.last, dict(self.sources)
        assembly.pending = [state.moved(copies) for state in self.pending]
        return assembly

    def recount(self) -> None:
        """Find the names in use."""
        self.names = Names()
        self.names.add("body", "world")
        for section in self.root.children:
            if section.tag in (*SECTIONS, "asset"):
                for element in section.children:
                    self.names.add(kind_of(element), element.values.get("name", ""))
        for element in self._elements("deformable", ("flex",)):
            self.names.add("flex", element.values.get("name", ""))
        for element in self.world.children:
            self.names.add_all(element)

    def sections(self, tag: str) -> list[Element]:
        """All sections of a name."""
        return [section for section in self.root.children if section.tag == tag]

    def section(self, tag: str) -> Element:
        """The section that new elements are added to."""
        found = self.sections(tag)
        if found:
            return found[-1]
        root = self.root
        section = Element(kinds()[tag], tag, root.file, root.line, root.document)
        root.children.append(section)
        return section

    def _elements(self, tag: str, kinds_: tuple[str, ...]) -> list[Element]:
        """Elements in the sections of a name, all of them if no kinds are given."""
        elements = [element for section in self.sections(tag) for element in section.children]
        return [element for element in elements if not kinds_ or element.tag in kinds_]

    def count(self, element: Element, number: int) -> None:
        """Count copies, and refuse too many."""
        self.expect(element, number)
        self.size += number

    def expect(self, element: Element, number: int) -> None:
        """Refuse too many copies before they are made."""
        size = (self.size + number) * ELEMENT_BYTES
        check_bytes(element, size, "a model of many replicated elements")

    def has_names_with(self, suffixes: set[str]) -> bool:
        """True if some name ends with one of some suffixes, which are equally long."""
        length = len(next(iter(suffixes), ""))
        return any(
            name[-length:] in suffixes for counter in self.names.counts.values() for name in counter
        )

    # keyframes

    def own_keys(self) -> list[Element]:
        """The keyframes that do not stand for states, or no longer, because they were edited."""
        keys = [key for section in self.sections("keyframe") for key in section.children]
        there = {id(key) for key in keys}
        self.pending = [
            state
            for state in self.pending
            if state.shown is None
            or (id(state.shown) in there and state.shown.values == state.said)
        ]
        shown = {id(state.shown) for state in self.pending}
        return [key for key in keys if id(key) not in shown]

    def take_keys(self) -> list[Element]:
        """The keyframes that do not stand for states, which are taken out of the document."""
        keys = self.own_keys()
        taken = {id(key) for key in keys}
        for section in self.sections("keyframe"):
            section.children = [key for key in section.children if id(key) not in taken]
        return keys

    def show(self, states: list[State]) -> None:
        """Let keyframes of the document stand for states."""
        places = Places(self.root, self.world)
        for state in states:
            key = places.shown(state)
            if state.shown is None:
                self.section("keyframe").children.append(key)
                state.shown = key
            state.shown.values, state.said = key.values, dict(key.values)

    def settle(self, root: Element, model: "Model") -> None:
        """Turn states to keyframes, as they were compiled.

        Args:
            root: the document as it was finished.
            model: what it compiled to.
        """
        if not self.pending:
            return
        # keyframes that were in the tree, and those that the last attachments have added
        own, section = self.take_keys(), self.section("keyframe")
        added = root.children[-1].children
        states = [None] * (len(added) - len(self.pending)) + self.pending
        # numbers that the state leaves open are those of the compiled model
        for place, (key, state) in enumerate(zip(added, states, strict=True), len(own)):
            new = state.shown if state and state.shown else key
            rows = {
                f: getattr(model, f"key_{f}")[place].tolist() for f in FIELDS if f in key.values
            }
            new.values = key.values | {
                f: tuple(y if x is None else x for x, y in zip(key.values[f], row, strict=True))
                for f, row in rows.items()
            }
            own.append(new)
        # all keyframes are in one section from now on
        for other in self.sections("keyframe"):
            other.children = []
        section.children, self.pending = own, []

    def store(
        self,
        keys: list[Element],
        rename: Renaming,
        apart: Element | None = None,
        short: bool = True,
    ) -> list[Element]:
        """Store keyframes as states of the model as it stands.

        Args:
            keys: the keyframes.
            rename: gives the new names.
            apart: a frame whose joints count after the other ones of its body.
            short: whether they may lack values of what was added since they were written.

        Returns:
            The keyframes, completed.
        """
        if keys:
            places = Places(self.root, self.world, apart)
            keys = [places.complete(key) for key in keys] if short else keys
            self.pending += [places.state(k, rename(k.values.get("name", ""))) for k in keys]
        return keys

    def forget_actuators(self) -> None:
        """Drop what states say of actuators whose targets are there by now.

        MuJoCo copies the model where it takes a body out of it, and these with it; tendons are
        there once all of their path is.
        """
        tendons = {t.values.get("name", ""): t for s in self.sections("tendon") for t in s.children}
        actuators = [a for section in self.sections("actuator") for a in section.children]
        gone = set()
        for actuator in actuators:
            tendon = tendons.get(actuator.values.get("tendon", ""))
            ends = (actuator,) if tendon is None else (actuator, tendon)
            if all(resolves(end, self.names) for end in ends):
                gone.add(id(actuator))
        for state in self.pending:
            if state.copied:
                state.forget(gone)
            state.copied = True

    def complete_keys(self) -> None:
        """Lengthen the keyframes by what was attached since they were written."""
        if own := {id(key) for key in self.own_keys()}:
            places = Places(self.root, self.world)
            for section in self.sections("keyframe"):
                section.children = [
                    places.complete(key) if id(key) in own else key for key in section.children
                ]
        self.show([state for state in self.pending if state.shown])

    def finished(self) -> Element:
        """The document with all keyframes; those that are states come last.

        Compiler settings of attached models are read anew: a spec may have changed them since.
        """
        for source in self.sources.values():
            read_settings(source)
        own = {id(key) for key in self.own_keys()}
        if not self.pending:
            return self.root
        places, new = Places(self.root, self.world), self.root.like()
        section = Element(
            kinds()["keyframe"], "keyframe", new.file, new.line, new.document, new.folder
        )
        for old in self.root.children:
            copy = old
            if old.tag == "keyframe":
                copy = old.like()
                copy.children = [key for key in old.children if id(key) in own]
            new.children.append(copy)
        new.children.append(section)
        section.children = self._padding(len(own))
        section.children += [places.key(state) for state in merged_unnamed(self.pending)]
        return new

    def _padding(self, present: int) -> list[Element]:
        """Keyframes without values, up to the number that <size> asks for."""
        asked = [s for s in self.sections("size") if "nkey" in s.values]
        missing = range(present, min(asked[-1].values["nkey"], MOST_KEYS) if asked else 0)
        return [asked[-1].like(kinds()["keyframe/key"]) for _ in missing]

    # copies

    def duplicate(
        self,
        frame: Element,
        content: list[Element],
        rename: Renaming,
        known: "list[list[Element]] | None" = None,
    ) -> list[list[Element]]:
        """Copy parts of this tree, with what refers to them.

        Args:
            frame: the frame that takes the copies, already in the tree.
            content: elements of the tree.
            rename: gives the new names.
            known: elements that refer to the parts, if an earlier copy has found them: what this
                method returned. None looks at all elements.

        Returns:
            Elements that refer to the parts, by rows of `COPIED`.
        """
        # copies, and their places in the tables of the tree
        copies: dict[int, Element] = {}
        frame.children = [rename_tree(element, rename, False, copies) for element in content]
        self.count(frame, size_of(frame))
        self.ranks.give_copied(frame)
        self.names.add_all(frame)
        # elements outside the bodies that refer to what was copied; keyframes follow
        found = self._copy_references(self, rename, None, copies, known)
        if self.pending:
            inside = inside_bodies(content)
            for state in self.pending:
                state.spread(copies, inside)
        return found

    def graft(
        self,
        frame: Element,
        content: list[Element],
        child: "Assembly",
        rename: Renaming,
        around: str = "main",
    ) -> None:
        """Copy a part of another model's tree, and what belongs to it.

        Args:
            frame: the frame that takes the copies, already in the tree.
            content: elements of the other model's tree.
            child: the other model.
            rename: gives the new names.
            around: default class of the other model that holds for them.
        """
        self.sources |= child.sources | {id(child.root): child.root}
        main, copies = self._graft_classes(child, rename), {}
        frame.values["childclass"] = rename.of_class(around)
        keys, states = child.own_keys(), [state.copy() for state in child.pending]
        child.pending = []
        if keys:
            places = Places(child.root, child.world)
            states += [places.state(k, rename(k.values.get("name", ""))) for k in keys]
        frame.children = [rename_tree(element, rename, True, copies) for element in content]
        self.count(frame, size_of(frame))
        self.ranks.give_copied(frame)
        self.names.add_all(frame)
        self._graft_assets(child, main, rename)
        self._copy_references(child, rename, main, copies)
        self._graft_plugins(child, rename)
        for old, new in child.remembered:
            # what was not copied with a keyframe joins it later
            new.join(old.moved(copies))
        moved = [state.moved(copies) for state in states]
        self.pending += moved
        child.remembered += zip(states, moved, strict=True)
        for old, _ in child.remembered:
            old.forget(copies)

    def _graft_assets(self, child: "Assembly", main: str, rename: Renaming) -> None:
        """Copy the assets of another model, and the skins of bodies that are here now."""
        looks = [
            e
            for tag in ("asset", "deformable")
            for s in child.sections(tag)
            for e in s.children
            if e.tag != "flex"
        ]
        for old in looks:
            if old.tag != "skin":
                new = rename_asset(old, rename)
                set_class(new, main)
                self.section("asset").children.append(new)
                self.ranks.give_within(new)
                self.names.add(new.tag, new.values.get("name", ""))
            elif new := rename_skin(old, self.names, rename):
                self.section("deformable").children.append(new)

    def _graft_plugins(self, child: "Assembly", rename: Renaming) -> None:
        """Copy what another model declares of plugins, and the instances that are referred to."""
        declared = [e for section in child.sections("extension") for e in section.children]
        if not declared:
            return
        copies = {id(old): old.like() for old in declared}
        self.section("extension").children += copies.values()
        # the tree may not be in the document yet
        used = names_used([self.root, self.world])
        there = {e.values["name"] for e in elements_named(self.root, "instance")}
        for names in used:
            for plugin, instance in instances(declared):
                name = rename(instance.values["name"])
                if name in names - there:
                    copy = instance.copy()
                    copy.values["name"] = name
                    self.ranks.give(copy)
                    copies[id(plugin)].children.append(copy)
                    there.add(name)

    def _graft_classes(self, child: "Assembly", rename: Renaming) -> str:
        """Copy the default classes of another model; returns the new name of the outermost one."""
        sections = child.sections("default")
        known = (id(child), rename.prefix, rename.suffix)
        if known in self.classes:
            rename.classes = self.classes[known]
            return rename.of_class("main")
        taken = {"main", *(name for s in self.sections("default") for name in nested_classes(s))}
        for name in ("main", *(name for section in sections for name in nested_classes(section))):
            rename.name_class(name, taken)
        self.classes[known] = rename.classes
        section, root = self.section("default"), child.root
        outer = Element(section.kind, "default", root.file, root.line, root.document)
        outer.values["class"] = rename.of_class("main")
        outer.children = [rename_default(e, rename) for s in sections for e in s.children]
        section.children.append(outer)
        return outer.values["class"]

    def _copy_references(
        self,
        source: "Assembly",
        rename: Renaming,
        main: str | None,
        copies: dict[int, Element],
        known: "list[list[Element]] | None" = None,
    ) -> list[list[Element]]:
        """Add copies of all elements that refer to what was copied under new names.

        Args:
            source: the model that they come from.
            rename: gives the new names.
            main: name of the source's outermost default class here; None: it is this model.
            copies: dict to which the copies are added.
            known: the only elements to look at, by rows of `COPIED`; None for all.

        Returns:
            The elements that were copied, by rows of `COPIED`.
        """
        rows = COPIED if main is not None else COPIED[1:]
        found: list[list[Element]] = [[] for _ in rows]
        for row, (tag, kinds_) in enumerate(rows):
            if known is not None and not known[row]:
                continue
            # what is copied at the same time is known to each other only if it is the first
            first, added = known is None and not self._elements(tag, kinds_), []
            for old in source._elements(tag, kinds_) if known is None else known[row]:
                new = renamed(old, self.names, rename)
                if new is None:
                    continue
                found[row].append(old)
                self.count(old, 1)
                if main is not None:
                    rename_class(new, rename)
                    set_class(new, main)
                    rename_look(new, rename)
                    rename_instance(new, rename)
                copies[id(old)] = new
                self.ranks.give_within(new)
                self.section(tag).children.append(new)
                added.append(new)
                if first:
                    self.names.add(kind_of(new), new.values.get("name", ""))
            for new in () if first else added:
                self.names.add(kind_of(new), new.values.get("name", ""))
        return found

    def drop_instances(self) -> None:
        """Remove the plugin instances that nothing refers to, as MuJoCo does behind bodies."""
        used = {
            plugin.values.get("instance", "")
            for part in (self.root, self.world)
            for plugin in elements_named(part, "plugin")
        }
        for section in self.sections("extension"):
            for plugin in section.children:
                plugin.children = [
                    inner
                    for inner in plugin.children
                    if inner.tag != "instance" or inner.values.get("name", "") in used
                ]

    def take_out(self, parent: Element, element: Element) -> None:
        """Remove an element of the tree, and the elements outside of it that refer to it.

        Those go too that refer to an asset by the name of its file, as in MuJoCo.
        """
        # assets without a name are referred to by their file's name: they need it while we look
        assets = [asset for section in self.sections("asset") for asset in section.children]
        named = [(a.tag, stem(a.values["file"])) for a in assets if is_named_by_file(a)]
        for kind, name in named:
            self.names.add(kind, name)
        # elements that refer to things, all of which exist now
        referring = [
            (section, other)
            for tag in SECTIONS[:-1]
            for section in self.sections(tag)
            for other in section.children
            if resolves(other, self.names)
        ]
        for kind, name in named:
            self.names.add(kind, name, -1)
        # remove it, then see who has lost a name
        self.names.add_all(element, -1)
        parent.children = [child for child in parent.children if child is not element]
        self.removed.append(element)
        gone = set()
        for _, other in referring:
            if not resolves(other, self.names):
                gone.add(id(other))
                self.removed.append(other)
                self.names.add(kind_of(other), other.values.get("name", ""), -1)
        for section in {id(section): section for section, _ in referring}.values():
            section.children = [e for e in section.children if id(e) not in gone]
