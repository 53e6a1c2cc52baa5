"""The tree of a document, written out: replicated subtrees, attached models, composites.

What MuJoCo does while it parses the tree is done here in the same order, because the order of
elements, and which of those that refer to a copied subtree are copied with it, follow from it.
"""

import os
import warnings
from typing import Any

from ...errors import nearest
from ...resources import model_text
from ..draft.orientation import resolve
from ..geometry.pose import IDENTITY, ZERO, compose
from ..parts import actuators, equalities, sensors
from ..parts.collect import collect, read_settings
from ..parts.custom import compile_custom
from ..text.element import Brought, Element
from ..text.hints import file_hint
from ..text.paths import extension, users_decoder
from ..text.reader import read
from ..text.references import KINDS, SECTIONS, Renaming, kind_of, refers
from ..text.schema import kinds
from ..text.source import Source
from .assembly import Assembly
from .expand import expand_flexcomps, models_of
from .subtrees import holds_bodies, size_of

EXTENSIONS = (".xml", ".urdf")  # of attached models
# of parts that are left out where what they refer to is not copied
CHECKS = {
    "actuator": actuators.check_targets,
    "equality": equalities.check_targets,
    "sensor": sensors.check_targets,
}


def expanded(root: Element) -> Assembly:
    """The expanded document, keyframes still as states."""
    _check(root)
    expansion = _Expansion(root, ())
    expansion.expand_tree(root)
    expansion.root.children.append(expansion.world)
    return expansion


def _check(root: Element) -> None:
    """Refuse faults of a document, also in what is copied never."""
    whole = root.like()
    whole.children = [_plain(section) for section in root.children]
    draft = collect(whole)
    compile_custom(draft)
    for kind, check_targets in CHECKS.items():
        for part in draft.parts[kind]:
            check_targets(part)


def _plain(element: Element) -> Element:
    """Contents of replicates once, without names, and without attached models."""
    around = element.like()
    pending = [(element, around, True)]
    while pending:
        old, outer, named = pending.pop()
        copy = old.like()
        if old.tag == "replicate":
            copy = old.like(kinds()["body"])
            copy.values = {k: v for k, v in old.values.items() if k == "childclass"}
            named = False
        if not named:
            copy.values.pop("name", None)
        outer.children.append(copy)
        pending.extend(
            (child, copy, named)
            for child in reversed(old.children)
            if child.tag not in ("attach", "composite") and child.kind.path != "asset/model"
        )
    return around.children[0]


REPLICATED = "replicated"  # value of a frame that no attribute says: it is around a copy


class _Expansion(Assembly):
    """A document whose tree is being written out.

    Attributes:
        outer: files that are being attached, against circles.
        models: documents that can be attached, by name.
    """

    def __init__(self, root: Element, outer: tuple[str, ...]):
        new = root.like()
        for section in root.children:
            if section.tag in (*SECTIONS, "asset", "keyframe", "default"):
                copy = section.like()
                copy.children = [c for c in section.children if c.kind.path != "asset/model"]
                new.children.append(copy)
            elif section.tag != "worldbody":
                new.children.append(section)
        world = Element(kinds()["body"], "worldbody", root.file, root.line, root.document)
        super().__init__(new, world)
        self.outer = outer
        self.models: dict[str, _Expansion] = {}

    def expand_tree(self, root: Element) -> None:
        """Read the models that can be attached, and write out the tree."""
        for element in models_of(root):
            self._model(element)
        for section in root.children:
            if section.tag == "worldbody":
                if section.values:
                    raise section.error("expected no attributes in the world body")
                self._inside(section, self.world)

    def _inside(self, old: Element, new: Element) -> None:
        """Write out what is inside a body or frame."""
        pending = [(child, new) for child in reversed(old.children)]
        while pending:
            child, around = pending.pop()
            if child.tag == "replicate":
                self._replicate(child, around)
            elif child.tag == "attach":
                self._attach(child, around)
            elif child.tag == "composite":
                from .composite import write_cable

                write_cable(self, child, around)
            elif isinstance(child, Brought):
                for tag, element in child.elements:
                    self.section(tag).children.append(element)
                    self.names.add(kind_of(element), element.values.get("name", ""))
            else:
                copy = child.like()
                around.children.append(copy)
                name = copy.values.get("name", "")
                if (copy.tag, name) in self.names:
                    raise _repeated(copy, self.world)
                self.names.add(copy.tag, name)
                if copy.tag == "plugin":
                    self.ranks.give(copy)
                pending.extend((inner, copy) for inner in reversed(child.children))

    def _replicate(self, element: Element, parent: Element) -> None:
        """Copies of a subtree, each in a frame, with numbers behind all names."""
        values = element.kind.defaults | element.values
        offset, turn = tuple(values["offset"]), tuple(values["euler"])
        rotation = self._turned(element, turn)
        # the original is in the model while it is copied
        original = element.like(kinds()["body/frame"])
        parent.children.append(original)
        self._inside(element, original)
        _drop_inertials(original)
        keys, pos, number = self.take_keys(), ZERO, max(0, values["count"])
        self.expect(element, number * max(1, size_of(original)))
        suffixes = [values.get("sep", "") + str(i).zfill(len(str(number))) for i in range(number)]
        # copies refer to nothing that later ones rename, unless somebody chose such names
        alike, known = not self.has_names_with(set(suffixes)), None
        for i, suffix in enumerate(suffixes):
            quat = self._turned(element, tuple(i * angle for angle in turn))
            frame = element.like(kinds()["body/frame"], pos=pos, quat=quat)
            frame.values[REPLICATED] = True
            if "childclass" in values:
                frame.values["childclass"] = values["childclass"]
            rename = Renaming("", suffix)
            keys = self.store(keys, rename, original, short=i > 0)
            parent.children.append(frame)
            found = self.duplicate(frame, original.children, rename, known)
            if i == 0 and alike and all(refers(old) for row in found for old in row):
                known = found
            pos = compose((pos, quat), (offset, rotation))[0]
        self.forget_actuators()
        self.store(keys, Renaming(), original, short=number > 0)
        self.take_out(parent, original)

    @staticmethod
    def _turned(element: Element, angles: tuple) -> tuple:
        return resolve({"euler": angles}, element.settings, element) if any(angles) else IDENTITY

    def _model(self, element: Element) -> None:
        """Read a model that can be attached."""
        # a decoder of the user's makes text of other files
        file, source = element.values["file"], element.document.source
        users = users_decoder(element, "model", file)
        known = element.values.get("content_type") == "text/xml" or extension(file) in EXTENSIONS
        if users is None and not known:
            raise element.error(
                f"file='{file}': expected a name that ends in .xml or .urdf, or"
                " content_type='text/xml'; register_decoder adds others"
            )
        found = source.read(file, element.folder)
        if found is None:
            hint = file_hint(source, file, element.folder)
            error = element.error(f"file='{file}': no such file{hint}")
            error.missing = file
            raise error
        path, text = found
        if users is not None:
            try:
                text = model_text(users, text, file)
            except ValueError as error:
                raise element.error(f"file='{file}': {error}") from None
        # a model inside itself would not end
        if os.path.normpath(path) in self.outer:
            raise element.error(f"file='{file}': expected another model, found one inside itself")
        # the inner model is expanded on its own, with the assets given for the outer one
        inner = Source(os.path.dirname(path), {}, source.max_bytes)
        inner.assets = source.assets
        root = expand_flexcomps(read(text, path, inner))
        read_settings(root)
        _check(root)
        child = _Expansion(root, (*self.outer, os.path.normpath(path)))
        child.expand_tree(root)
        name = element.values.get("name") or root.values.get("model", "MuJoCo Model")
        self.models.setdefault(name, child)

    def _attach(self, element: Element, parent: Element) -> None:
        """A model, or one of its bodies, with a prefix before all names."""
        values = element.values
        child, prefix, body = self.models.get(values["model"]), values["prefix"], values.get("body")
        if child is None:
            hint = nearest(values["model"], self.models)
            raise element.error(f"model='{values['model']}': no such model in <asset>{hint}")
        around, content = "main", child.world.children
        if self._is_attached(element, prefix + (body or ""), parent):
            return
        if body:
            found = find_body(child.world, lambda e: e.values.get("name") == body)
            if body == "world":
                found = _as_body(child.world), around
            if found is None:
                raise element.error(f"body='{body}': no such body in the model")
            content, around = [found[0]], found[1]
        frame = element.like(kinds()["body/frame"])
        parent.children.append(frame)
        self.graft(frame, content, child, Renaming(prefix), around)
        self.complete_keys()

    def _is_attached(self, element: Element, name: str, parent: Element) -> bool:
        """True if a body has the name that an attached one would get; MuJoCo then takes that one.

        Raises:
            MjcfError: it stands in another body than the element.
            UnsupportedFeature: it would have to move into another frame.
        """
        if name == "world":
            raise element.error("expected another body than the world of this model")
        # where the body stands, and where the element stands
        there = _path(self.world, lambda e: e.tag == "body" and e.values.get("name", "") == name)
        if there is None:
            return False
        here = _path(self.world, lambda e: e is parent)
        assert here is not None
        *around, attached = there
        (body, frames), (wanted_body, wanted) = _frames(around), _frames(here)
        if body is not wanted_body:
            what = f"a body '{name}'" if name else "a body without a name"
            raise element.error(f"{what} is already in another body; give another prefix")
        # a body may stand in fewer frames than the element: then it moves into them
        if frames and frames != wanted:
            raise element.unsupported(
                f"attaching '{name}', which stands in another frame,", "give another prefix"
            )
        if frames != wanted:
            _wrap(around, attached, wanted)
        return True


def _drop_inertials(frame: Element) -> None:
    """Drop what is said of the inertia of a body that MuJoCo makes only to copy from it."""
    frames = list(frame.walk(lambda part: part.tag == "frame"))
    for part in frames:
        if part.tag == "inertial":
            message = f"{part.where}: directly inside <replicate>: ignored, as MuJoCo does"
            warnings.warn(message, stacklevel=2)
        elif part.tag == "frame":
            part.children = [child for child in part.children if child.tag != "inertial"]


def _path(element: Element, wanted: Any) -> list[Element] | None:
    """The way from an element to the first one inside it that a function accepts."""
    around: dict[int, Element] = {}
    for part in filter(holds_bodies, element.walk(holds_bodies)):
        if wanted(part):
            path = [part]
            while path[-1] is not element:
                path.append(around[id(path[-1])])
            return path[::-1]
        around |= {id(child): part for child in part.children}
    return None


def _frames(path: list[Element]) -> tuple[Element, list[Element]]:
    """The last body on a path, and the frames behind it that have a pose."""
    last = max(k for k, element in enumerate(path) if element.tag != "frame")
    posed = [frame for frame in path[last + 1 :] if set(frame.values) - {"name", "childclass"}]
    return path[last], posed


def _wrap(around: list[Element], body: Element, frames: list[Element]) -> None:
    """Put a body into copies of frames, where it stands.

    Args:
        around: what it stands in.
        body: the body.
        frames: the frames, from outside in.
    """
    classes = [e.values["childclass"] for e in around if "childclass" in e.values]
    inner = body
    for frame in reversed(frames):
        copy = frame.like()
        copy.values = {k: v for k, v in frame.values.items() if k != "name"}
        copy.values["childclass"] = classes[-1] if classes else "main"
        copy.children = [inner]
        inner = copy
    around[-1].children = [inner if e is body else e for e in around[-1].children]


def _as_body(world: Element) -> Element:
    """A world as a body that can be attached."""
    body = world.like(kinds()["body"], name="world")
    body.children = world.children
    return body


def find_body(element: Element, wanted: Any) -> tuple[Element, str] | None:
    """The first body that a function accepts, and the default class around it."""
    pending = [(element, "main")]
    while pending:
        holder, around = pending.pop()
        if holder is not element and holder.tag == "body" and wanted(holder):
            return holder, around
        around = holder.values.get("childclass", around)
        pending.extend(
            (child, around) for child in reversed(holder.children) if holds_bodies(child)
        )
    return None


def _repeated(element: Element, world: Element):
    """The error that an element of the tree has a name that another one has too."""
    kind, name = KINDS.get(element.tag, element.tag), element.values["name"]
    pending, first = [world], element
    while pending:
        other = pending.pop()
        same = KINDS.get(other.tag, other.tag) == kind and other.values.get("name") == name
        if same and other is not element:
            first = other
            break
        pending.extend(reversed(other.children))
    article = "an" if kind[0] in "aeo" else "a"
    place = f"first at {first.file}:{first.line}"
    return element.error(f"this name is used twice for {article} {kind}, {place}")
