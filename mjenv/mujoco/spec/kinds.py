"""The kinds of elements of MjSpec: what their lists are called and where they stand."""

from typing import NamedTuple

from mjenv.mujoco.enumerations import enumeration


class Kind(NamedTuple):
    """A kind of elements.

    Attributes:
        name: as in `add_geom` and `spec.geom(name)`; that of its structure too.
        plural: of the lists of them.
        place: "tree": in bodies, "spec": in the spec.
        default: whether default classes have something to say of it.
        tag: in the text that the signature is made from; "": it does not count there.
    """

    name: str
    plural: str
    place: str
    default: bool
    tag: str

    @property
    def objtype(self) -> int:
        """Its mjtObj."""
        return int(enumeration("mjtObj")[f"mjOBJ_{self.name.upper()}"])


# in the order in which specs list and copy them
KINDS = {
    name: Kind(name, plural, place, default == "yes", tag.strip("-"))
    for name, plural, place, default, tag in map(
        str.split,
        """
body      bodies      tree  yes  -
site      sites       tree  yes  -
geom      geoms       tree  yes  -
joint     joints      tree  yes  -
camera    cameras     tree  yes  -
frame     frames      tree  yes  -
light     lights      tree  yes  -
flex      flexes      spec  no   flex
mesh      meshes      spec  yes  mesh
skin      skins       spec  no   skin
hfield    hfields     spec  no   heightfield
texture   textures    spec  no   texture
material  materials   spec  yes  material
pair      pairs       spec  yes  pair
exclude   excludes    spec  no   exclude
equality  equalities  spec  yes  equality
tendon    tendons     spec  yes  tendon
actuator  actuators   spec  yes  actuator
sensor    sensors     spec  no   -
numeric   numerics    spec  no   -
text      texts       spec  no   -
tuple     tuples      spec  no   -
key       keys        spec  no   -
plugin    plugins     spec  no   -
""".strip().splitlines(),
    )
}
IN_TREE = tuple(kind.name for kind in KINDS.values() if kind.place == "tree")
IN_SPEC = tuple(kind.name for kind in KINDS.values() if kind.place == "spec")
IN_DEFAULTS = (
    "joint", "geom", "site", "camera", "light", "flex", "mesh", "material", "pair", "equality",
    "tendon", "actuator",
)  # fmt: skip
# kinds that have the name of their file where they have none
FILED = ("mesh", "skin", "hfield", "texture")
