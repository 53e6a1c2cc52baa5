"""`MjvScene`: what a picture shows, as lists of abstract geoms, lights and cameras."""

import warnings
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

import numpy as np

from mjenv.engine.errors import SimulationWarning, nearest

from .names import MAXLIGHT, NRNDFLAG, RND
from .records import Record
from .settings import MjvGeom, MjvGLCamera, MjvLight

if TYPE_CHECKING:
    from mjenv.engine.model.model import Model

MAXGEOM = 10_000
# effects that are on at the start
EFFECTS = (
    RND.mjRND_SHADOW, RND.mjRND_REFLECTION, RND.mjRND_SKYBOX, RND.mjRND_HAZE, RND.mjRND_CULL_FACE,
)  # fmt: skip

Item = TypeVar("Item", bound=Record)


class Rows(Sequence, Generic[Item]):
    """The rows of an array as a sequence of records that write into it."""

    def __init__(self, kind: type[Item], table: np.ndarray):
        self._kind, self._table = kind, table

    def __len__(self) -> int:
        return len(self._table)

    @overload
    def __getitem__(self, place: int) -> Item: ...
    @overload
    def __getitem__(self, place: slice) -> list[Item]: ...
    def __getitem__(self, place: Any):
        if isinstance(place, slice):
            return [self._kind.at(row) for row in self._table[place]]
        return self._kind.at(self._table[place])

    def __iter__(self) -> Iterator[Item]:
        return (self._kind.at(row) for row in self._table)


class MjvScene:
    """Contents of a picture: geoms, lights, cameras.

    Args:
        model: the model; None for a scene of user geoms alone.
        maxgeom: most geoms that it holds; more are left out, with a warning.

    Attributes:
        maxgeom: most geoms.
        ngeom: number of geoms.
        geoms: records of geoms, of which the first `ngeom` count. A geom of one's own is written
            into `geoms[ngeom]`, and `ngeom` raised by 1.
        geomorder: (maxgeom,) numbers of geoms, as a renderer sorts them.
        nlight, lights: lights.
        camera: the left and the right eye.
        enabletransform, translate, rotate, scale: how the model stands in the room.
        stereo: mjtStereo.
        flags: (mjNRNDFLAG,) effects, by mjtRndFlag.
        framewidth, framergb: frame around the picture, pixels and (3,) colour.
        nskin: number of skins.
        skinfacenum, skinvertadr, skinvertnum: (nskin,) of each skin.
        skinvert, skinnormal: (3 * nskinvert,) vertices (m) and normals of all skins.
        nflex: number of flexes.
        flexvertopt, flexedgeopt, flexfaceopt, flexskinopt: what is drawn of flexes.
        flexedgeadr, flexedgenum, flexvertadr, flexvertnum, flexfaceadr, flexfacenum: (nflex,) of
            each flex; flexfacenum counts the most faces that it shows.
        flexfaceused: (nflex,) faces that each shows now.
        flexedge: (2 * nflexedge,) ends of edges.
        flexvert: (3 * nflexvert,) vertices (m).
        flexface, flexnormal: (9 * nface,) corners of faces (m), and their normals.
        flextexcoord: (6 * nface,) texture coordinates of corners.
        status: 1 when a geom was left out.
        geom_table, light_table, camera_table: the same as structured arrays: geoms as
            `geom_table["rgba"][:ngeom]`.
    """

    def __init__(self, model: "Model | None" = None, maxgeom: int | None = None):
        if maxgeom is None:
            maxgeom = 0 if model is None else MAXGEOM
        if maxgeom < 0:
            raise ValueError(f"MjvScene: maxgeom={maxgeom}, expected 0 or more")
        self.maxgeom = int(maxgeom)
        self.ngeom = self.nlight = 0
        self.geom_table = np.repeat(MjvGeom.DEFAULT, maxgeom)
        self.light_table = np.zeros(MAXLIGHT, MjvLight.DTYPE)
        self.camera_table = np.zeros(2, MjvGLCamera.DTYPE)
        self.geoms: Rows[MjvGeom] = Rows(MjvGeom, self.geom_table)
        self.lights: Rows[MjvLight] = Rows(MjvLight, self.light_table)
        self.camera: Rows[MjvGLCamera] = Rows(MjvGLCamera, self.camera_table)
        self.geomorder = np.zeros(maxgeom, np.int32)
        self.enabletransform = self.stereo = self.framewidth = self.status = 0
        self.translate: np.ndarray = np.zeros(3, np.float32)
        self.rotate: np.ndarray = np.array([1, 0, 0, 0], np.float32)
        self.scale = 1.0
        self.framergb = np.zeros(3, np.float32)
        self.flags = np.zeros(NRNDFLAG, np.uint8)
        self.flags[[int(flag) for flag in EFFECTS]] = 1
        self._make_flexes(model)
        self._make_skins(model)

    def _make_flexes(self, model: "Model | None") -> None:
        """Make room for the deformables of a model."""
        self.nflex = 0 if model is None else model.nflex
        self.flexvertopt = self.flexedgeopt = self.flexfaceopt = self.flexskinopt = 0
        names = ("flex_edgeadr", "flex_edgenum", "flex_vertadr", "flex_vertnum")
        faces, edges, nvert = np.zeros(0, np.int32), np.zeros(0, np.int32), 0
        sizes = (faces,) * 4
        if model is not None and self.nflex:
            sizes, faces = tuple(getattr(model, name) for name in names), _most_faces(model)
            edges, nvert = model.flex_edge, model.nflexvert
        self.flexedgeadr, self.flexedgenum, self.flexvertadr, self.flexvertnum = (
            np.array(size) for size in sizes
        )
        self.flexfacenum, self.flexfaceused = faces, np.zeros_like(faces)
        self.flexfaceadr = (np.cumsum(faces) - faces).astype(np.int32)
        self.flexedge = np.array(edges).ravel()
        self.flexvert = np.zeros(3 * nvert, np.float32)
        self.flexface, self.flexnormal = np.zeros((2, 9 * faces.sum()), np.float32)
        self.flextexcoord = np.zeros(6 * faces.sum(), np.float32)

    def _make_skins(self, model: "Model | None") -> None:
        """Make room for the skins of a model."""
        self.nskin = 0 if model is None else model.nskin
        if model is None or not self.nskin:
            sizes, nvert = (np.zeros(0, np.int32),) * 3, 0
        else:
            sizes = (model.skin_facenum, model.skin_vertadr, model.skin_vertnum)
            nvert = model.nskinvert
        self.skinfacenum, self.skinvertadr, self.skinvertnum = (s.copy() for s in sizes)
        self.skinvert = np.zeros(3 * nvert, np.float32)
        self.skinnormal = np.zeros(3 * nvert, np.float32)

    def __setattr__(self, name: str, value: Any) -> None:
        if "skinnormal" in self.__dict__:  # the last one that is made
            old = self.__dict__.get(name)
            if old is None:
                raise AttributeError(
                    f"MjvScene.{name}: no such field{nearest(name, self.__dict__)}"
                )
            if isinstance(old, np.ndarray):
                old[...] = value
                return
            if isinstance(old, Rows):
                raise AttributeError(f"MjvScene.{name}: cannot be assigned; set its fields")
        object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        return f"<mjenv.MjvScene of {self.ngeom} geoms, {self.nlight} lights>"

    def __getstate__(self) -> dict:
        return {k: v for k, v in self.__dict__.items() if not isinstance(v, Rows)}

    def __setstate__(self, state: dict) -> None:
        self.__dict__.update(
            state,
            geoms=Rows(MjvGeom, state["geom_table"]),
            lights=Rows(MjvLight, state["light_table"]),
            camera=Rows(MjvGLCamera, state["camera_table"]),
        )

    def copy_from(self, other: "MjvScene") -> None:
        """Show what another scene of the same model and as much room shows now."""
        for name, value in vars(other).items():
            if name == "geom_table":
                self.geom_table[: other.ngeom] = value[: other.ngeom]
            elif not isinstance(value, Rows):
                setattr(self, name, value)

    def add(self, rows: np.ndarray) -> None:
        """Add geoms, rows like those of `geom_table`; those that find no room are left out."""
        if not len(rows):
            return
        room = self.maxgeom - self.ngeom
        if len(rows) > room:
            if not self.status:
                warnings.warn(
                    f"MjvScene: the scene is full; expected maxgeom above {self.maxgeom}",
                    SimulationWarning,
                    stacklevel=2,
                )
                self.status = 1
            rows = rows[:room]
        first, last = self.ngeom, self.ngeom + len(rows)
        self.geom_table[first:last] = rows
        self.geom_table["segid"][first:last] = np.arange(first, last)
        self.ngeom = last


def _most_faces(model: "Model") -> np.ndarray:
    """Most triangles that each deformable shows, whatever the options, (nflex,)."""
    found = np.zeros(model.nflex, np.int32)
    for f in range(model.nflex):
        if model.flex_dim[f] == 2:
            found[f] = 2 * (model.flex_shellnum[f] + model.flex_elemnum[f])
            continue
        first = model.flex_elemadr[f]
        layers = model.flex_elemlayer[first : first + model.flex_elemnum[f]]
        # MuJoCo ends at the first layer without elements
        counts = np.bincount(layers[layers >= 0], minlength=1)
        last = len(counts) if counts.all() else int(np.argmin(counts != 0))
        found[f] = max(model.flex_shellnum[f], 4 * int(counts[:last].max(initial=0)))
    return found
