"""Settings of a spec: texts, sizes, files, and how it is attached to others."""

from collections.abc import Mapping
from typing import Any

from mjenv.mujoco.spec.elements import MjsCompiler
from mjenv.mujoco.spec.settings import MjOption, MjStatistic, MjVisual, Sizes
from mjenv.mujoco.spec.tables import structures

TEXTS = ("modelname", "comment", "modelfiledir")


class SpecSettings:
    """The settings of a spec, which are attributes of it."""

    __module__ = "mujoco._specs"

    def __init__(self):
        own = self.__dict__
        compiler: Any = MjsCompiler._default()
        object.__setattr__(compiler, "_origin", self)
        own["_sections"] = {
            "compiler": compiler,
            "option": MjOption._default(),
            "visual": MjVisual._default(),
            "stat": MjStatistic._default(),
            "sizes": Sizes._default(),
        }
        own |= {"_modelname": "MuJoCo Model", "_comment": "", "_modelfiledir": ""}
        own |= {"_assets": {}, "_override": True, "_strippath": 0, "_parent": None}
        own |= {"_copies": False, "_attached": False}

    # texts and settings

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        if name in TEXTS:
            return own[f"_{name}"]
        sections = own.get("_sections", {})
        if name in sections and name != "sizes":
            return sections[name]
        if sections and name in structures()["sizes"].fields:
            return getattr(sections["sizes"], name)
        raise AttributeError(f"'mujoco._specs.MjSpec' object has no attribute '{name}'")

    # what the class shows for these names
    _field = __getattr__

    def __setattr__(self, name: str, value: Any) -> None:
        own = self.__dict__
        if name in TEXTS:
            if not isinstance(value, str):
                raise TypeError(f"{name}: expected text, found {type(value).__name__}")
            own[f"_{name}"] = value
        elif name in structures()["sizes"].fields:
            setattr(own["_sections"]["sizes"], name, value)
        elif name in own["_sections"]:
            if name == "visual":
                for group in own["_sections"]["visual"]._groups:
                    setattr(self.visual, group, getattr(value, group))
            else:
                for field in structures()["statistic" if name == "stat" else name].fields:
                    setattr(own["_sections"][name], field, getattr(value, field))
        elif isinstance(getattr(type(self), name, None), property):
            object.__setattr__(self, name, value)
        else:
            raise AttributeError(f"'mujoco._specs.MjSpec' object has no attribute '{name}'")

    def __dir__(self) -> list[str]:
        sizes = structures()["sizes"].fields
        return sorted({*super().__dir__(), *TEXTS, *sizes, "compiler", "option", "visual", "stat"})

    @property
    def strippath(self) -> int:
        """True if folders are dropped from names of files."""
        return self.__dict__["_strippath"]

    @strippath.setter
    def strippath(self, value: int) -> None:
        self.__dict__["_strippath"] = int(value)

    @property
    def meshdir(self) -> str:
        """Folder of meshes and height fields."""
        return self.compiler.meshdir

    @meshdir.setter
    def meshdir(self, value: str) -> None:
        self.compiler.meshdir = value

    @property
    def texturedir(self) -> str:
        """Folder of textures."""
        return self.compiler.texturedir

    @texturedir.setter
    def texturedir(self, value: str) -> None:
        self.compiler.texturedir = value

    @property
    def assets(self) -> dict[str, Any]:
        """Contents of files by name; what is assigned is added."""
        return self.__dict__["_assets"]

    @assets.setter
    def assets(self, assets: Mapping[str, Any]) -> None:
        self.__dict__["_assets"].update(assets)

    @property
    def override_assets(self) -> bool:
        """True if files of attached specs may replace those of the same names."""
        return self.__dict__["_override"]

    @override_assets.setter
    def override_assets(self, value: bool) -> None:
        self.__dict__["_override"] = bool(value)

    @property
    def copy_during_attach(self) -> bool:
        """True to copy what is attached to it; it can only be set."""
        raise ValueError("copy_during_attach can only be set.")

    @copy_during_attach.setter
    def copy_during_attach(self, value: bool) -> None:
        self.__dict__["_copies"] = bool(value)

    @property
    def parent(self) -> Any:
        """The spec that it was attached to last."""
        return self.__dict__["_parent"]

    @property
    def _address(self) -> int:
        return id(self)
