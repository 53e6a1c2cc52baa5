"""MuJoCo's abstract scenes beside ours.

`as_data` shows MuJoCo's data under the names and shapes of ours, so that scenes are compared for
equal states, bit by bit, and for models that need no compiled kernels.
"""

from functools import cache
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

import mjenv

CONTACT = "contact_"
SKIN = int(mujoco.mjtVisFlag.mjVIS_SKIN)


class MujocoData:
    """MuJoCo's data with a world axis before every field."""

    nworld, varied, plan, wrench_in_use = 1, {}, None, True

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData):
        self._model, self._data = model, data

    def of_worlds(self, name: str, worlds) -> Any:
        return getattr(self._model, name)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name.startswith(CONTACT):
            return getattr(self._data.contact, name.removeprefix(CONTACT))[None]
        value = np.asarray(getattr(self._data, name))
        if name == "efc_KBIP":
            value = value.reshape(-1, 4)
        if name in ("wrap_obj", "wrap_xpos"):
            value = value.reshape(self._model.nwrap, -1)
        return value[None]


def as_data(model: mujoco.MjModel, data: mujoco.MjData) -> Any:
    """MuJoCo's data as `Data` of one world."""
    return MujocoData(model, data)


def copied(theirs: Any, ours: Any) -> None:
    """Give a structure of ours the values of MuJoCo's."""
    for name in ours.DTYPE.names:
        setattr(ours, name, getattr(theirs, name))


def different_fields(theirs: Any, ours: Any, ulp: float = 4.0) -> list[str]:
    """Fields of two structures that differ: integers and text at all, reals by rounding."""
    return different_rows([theirs], np.array(ours._row, ours.DTYPE).reshape(1), ulp)


def different_rows(theirs: Any, ours: np.ndarray, ulp: float = 4.0) -> list[str]:
    """Fields of lists of structures that differ, with the first row that does."""
    found, near = [], ulp * 1.2e-7
    for name in ours.dtype.names or ():
        one, two = [getattr(item, name) for item in theirs], ours[name]
        if two.dtype.kind == "S":
            same = np.array([a == b.decode() for a, b in zip(one, two, strict=True)], bool)
        elif two.dtype.kind == "f":
            one = np.reshape(one, two.shape)
            # infinite where masses are zero
            with np.errstate(invalid="ignore"):
                same = (np.abs(one - two) <= near * (1 + np.abs(one))) | (one == two)
            same |= np.isnan(one) & np.isnan(two)
        else:
            same = np.reshape(one, two.shape) == two
        wrong = np.flatnonzero(~same.reshape(len(two), -1).all(-1)) if len(two) else ()
        if len(wrong):
            k = wrong[0]
            found.append(f"{name} of row {k}: {two[k]} instead of {one[k]}")
    return found


def compare_scenes(
    theirs: mujoco.MjvScene, ours: mjenv.MjvScene, where: str = "", skins: bool = True
) -> None:
    """Refuse scenes that differ in geoms, lights, cameras, skins or deformables."""
    lists = (
        ("geom", theirs.geoms[: theirs.ngeom], ours.geom_table[: ours.ngeom]),
        ("light", theirs.lights[: theirs.nlight], ours.light_table[: ours.nlight]),
        ("camera", theirs.camera, ours.camera_table),
    )
    for kind, one, two in lists:
        if len(one) != len(two):
            names = ("objtype", "objid", "type")
            wanted = [tuple(getattr(g, name) for name in names) for g in one]
            assert [tuple(row) for row in two[[*names]].tolist()] == wanted, (where, kind)
        assert not (wrong := different_rows(one, two)), (where, kind, wrong)
    # MuJoCo's vertices are memory that nothing has set while skins are not shown
    for name in ("skinvert", "skinnormal") if skins else ():
        one, two = getattr(theirs, name), getattr(ours, name)
        np.testing.assert_allclose(two, one, rtol=1e-4, atol=2e-5, err_msg=f"{where}: {name}")
    compare_flexes(theirs, ours, where)
    assert ours.status == theirs.status


def compare_flexes(theirs: mujoco.MjvScene, ours: mjenv.MjvScene, where: str) -> None:
    """Refuse scenes that differ in deformables; faces that are not used hold anything."""
    if not any(getattr(theirs, f"flex{part}opt") for part in ("vert", "edge", "face", "skin")):
        return
    for name in FLEX:
        assert np.array_equal(getattr(ours, name), getattr(theirs, name)), (where, name)
    for f in range(ours.nflex):
        used = slice(theirs.flexfaceadr[f], theirs.flexfaceadr[f] + theirs.flexfaceused[f])
        for name, size in (("flexface", 9), ("flexnormal", 9), ("flextexcoord", 6)):
            one, two = (getattr(s, name).reshape(-1, size)[used] for s in (theirs, ours))
            if name != "flextexcoord" or two.any():
                np.testing.assert_allclose(two, one, atol=2e-6, err_msg=f"{where}: {name}")


FLEX = (
    "nflex", "flexvertopt", "flexedgeopt", "flexfaceopt", "flexskinopt", "flexvertadr",
    "flexvertnum", "flexedgeadr", "flexedgenum", "flexfaceadr", "flexfacenum", "flexfaceused",
    "flexedge", "flexvert",
)  # fmt: skip


class Both:
    """A model in MuJoCo and here, with two scenes of the same size."""

    def __init__(self, xml: str, maxgeom: int = 1000, steps: int = 0, seed: int = 0):
        from_file = "<mujoco" not in xml
        load = "from_xml_path" if from_file else "from_xml_string"
        self.m = getattr(mujoco.MjModel, load)(xml)
        self.model = getattr(mjenv.Model, load)(xml)
        self.d = mujoco.MjData(self.m)
        self.data = as_data(self.m, self.d)
        self.theirs = mujoco.MjvScene(self.m, maxgeom)
        self.ours = mjenv.MjvScene(self.model, maxgeom)
        self.maxgeom = maxgeom
        self.moved(steps, seed)

    def moved(self, steps: int, seed: int = 0) -> None:
        """Move by some steps with random controls and forces."""
        rng = np.random.default_rng(seed)
        if self.m.nkey:
            mujoco.mj_resetDataKeyframe(self.m, self.d, 0)
        for _ in range(steps):
            self.d.ctrl[:] = rng.uniform(-1, 1, self.m.nu)
            mujoco.mj_step(self.m, self.d)
        mujoco.mj_forward(self.m, self.d)

    def options(self, **values) -> tuple[mujoco.MjvOption, mjenv.MjvOption]:
        """Options with these fields; `flags` by number."""
        theirs, ours = mujoco.MjvOption(), mjenv.MjvOption()
        for name, value in values.items():
            if name == "flags":
                for flag, on in value.items():
                    theirs.flags[int(flag)] = on
            elif isinstance(getattr(theirs, name), np.ndarray):
                getattr(theirs, name)[:] = value
            else:
                setattr(theirs, name, int(value))
        copied(theirs, ours)
        return theirs, ours

    def compare(self, where: str = "", pert=None, camera=None, catmask: int = 7, **values) -> None:
        """Compare scenes that both make, twice, so that the second has a camera before it."""
        their_option, option = self.options(**values)
        camera = camera or mujoco.MjvCamera()
        if camera.type == mujoco.mjtCamera.mjCAMERA_FREE.value and camera.fixedcamid == -1:
            mujoco.mjv_defaultFreeCamera(self.m, camera)
        cam, perturb = mjenv.MjvCamera(), mjenv.MjvPerturb()
        pert = pert or mujoco.MjvPerturb()
        copied(camera, cam)
        copied(pert, perturb)
        self.ours = mjenv.MjvScene(self.model, self.maxgeom)
        self.theirs = mujoco.MjvScene(self.m, self.maxgeom)
        for _ in range(2):
            mujoco.mjv_updateScene(self.m, self.d, their_option, pert, camera, catmask, self.theirs)
            mjenv.mjv_updateScene(self.model, self.data, option, perturb, cam, catmask, self.ours)
            compare_scenes(self.theirs, self.ours, where, bool(option.flags[SKIN]))
        assert not different_fields(camera, cam)


XML = Path(__file__).resolve().parents[3] / "xml"


@cache
def both(name: str, steps: int = 0) -> Both:
    """A model of the environments, moved by some steps."""
    return Both(str(XML / f"{name}.xml"), steps=steps)
