"""Order of plugin instances: that in which MuJoCo reads the tree and copies attached models."""

from ..text.element import Element
from .subtrees import elements_named

# where elements stand that name instances, in the order in which these are copied with them
USERS = ("body/plugin", "body/geom/plugin", "asset/mesh/plugin", "actuator/plugin", "sensor/plugin")


class Ranks:
    """Numbers for plugins of the tree and of copies; what is outside the tree comes before.

    Attributes:
        last: the number given last.
    """

    def __init__(self):
        self.last = 0

    def give(self, plugin: Element) -> None:
        """Number a <plugin> that is an instance of its own, or an <instance>."""
        self.last += 1
        plugin.rank = self.last

    def give_within(self, part: Element) -> None:
        """Number the plugins directly inside an element, or the element itself if it is one."""
        for child in (part, *part.children):
            if child.tag == "plugin":
                self.give(child)

    def give_copied(self, frame: Element) -> None:
        """Number the plugins of a copied part of the tree: of geoms, inside bodies, of bodies."""
        pending = [(frame, False)]
        while pending:
            around, done = pending.pop()
            if done:
                for child in around.children:
                    if child.tag == "plugin":
                        self.give(child)
                continue
            parts = list(around.inside(lambda part: part.tag == "frame"))
            for part in parts:
                if part.tag == "geom":
                    self.give_within(part)
            for body in reversed([part for part in parts if part.tag == "body"]):
                pending += (body, True), (body, False)


def instances(declared: list[Element]) -> list[tuple[Element, Element]]:
    """Instances of a model in their order, each with the <plugin> that holds it."""
    pairs = [(plugin, instance) for plugin in declared for instance in plugin.children]
    return sorted(pairs, key=lambda pair: pair[1].rank)


def names_used(parts: list[Element]) -> list[set[str]]:
    """Names of instances that elements refer to, a set for each row of `USERS`."""
    found: dict[str, set[str]] = {path: set() for path in USERS}
    for part in parts:
        for plugin in elements_named(part, "plugin"):
            if plugin.kind.path in found:
                found[plugin.kind.path].add(plugin.values.get("instance", ""))
    return list(found.values())
