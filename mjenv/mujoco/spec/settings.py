"""Options, visual settings, statistics and sizes of a spec."""

from typing import Any

from mjenv.mujoco.spec.fields import Record


class MjOption(Record):
    """Options of the physics."""

    _structure = "option"

    def _assign(self, value: Any) -> None:
        _take_over(self, value)


class MjStatistic(Record):
    """Statistics that replace computed ones."""

    _structure = "statistic"


class MjVisualHeadlight(Record):
    """The light at the camera."""

    _structure = "headlight"


class MjVisualRgba(Record):
    """Colours."""

    _structure = "rgba"


class _Group(Record):
    """A group of visual settings, which the bindings show as one of `MjVisual`."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.__module__ = "mujoco._structs"
        cls.__qualname__ = f"MjVisual.{cls.__name__}"


class Global(_Group):
    """Settings of the whole picture."""

    _structure = "global"


class Quality(_Group):
    """Quality of pictures."""

    _structure = "quality"


class Map(_Group):
    """Factors between physics and pictures."""

    _structure = "map"


class Scale(_Group):
    """Sizes of decorations."""

    _structure = "scale"


class Sizes(Record):
    """Sizes that a spec asks for; they are attributes of the spec itself."""

    _structure = "sizes"


GROUPS: dict[str, Any] = {
    "global": Global,
    "quality": Quality,
    "headlight": MjVisualHeadlight,
    "map": Map,
    "scale": Scale,
    "rgba": MjVisualRgba,
}


class MjVisual:
    """Visual settings by group."""

    __module__ = "mujoco._specs"
    _groups: dict[str, Record]

    def __init__(self, *_args: Any, **_keywords: Any):
        raise TypeError("mujoco._specs.MjVisual: No constructor defined!")

    @classmethod
    def _default(cls) -> "MjVisual":
        made = cls.__new__(cls)
        object.__setattr__(made, "_groups", {n: group._default() for n, group in GROUPS.items()})
        return made

    def _copy_fields(self, other: "MjVisual") -> None:
        for name, group in self._groups.items():
            group._copy_fields(other._groups[name])

    def __getattr__(self, name: str) -> Any:
        group = self.__dict__.get("_groups", {}).get(name.removesuffix("_"))
        if group is None:
            raise AttributeError(f"'mujoco._specs.MjVisual' object has no attribute '{name}'")
        return group

    def __setattr__(self, name: str, value: Any) -> None:
        _take_over(getattr(self, name), value)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), "global_", *GROUPS})


def _take_over(record: Record, value: Any) -> None:
    """Take over the fields of an object that has the same ones."""
    for name in record.__dict__:
        setattr(record, name, getattr(value, name))
