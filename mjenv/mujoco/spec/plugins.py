"""Instances of plugins, and what elements that plugins drive say of them."""

from typing import Any

from mjenv.mujoco.spec.elements import Element
from mjenv.mujoco.spec.fields import INNER


class MjsPlugin(Element):
    """An instance of a plugin, or the reference to one inside an element.

    Attributes:
        _config: its settings.
        _instance: of a reference: the instance, where it was made with the element.
    """

    _kind = "plugin"
    _structure = "plugin"
    _instance: "MjsPlugin | None" = None
    _config: dict[str, str]

    @classmethod
    def _reference(cls) -> "MjsPlugin":
        """Reference of an element to its plugin."""
        made = cls._default()
        made.__dict__["_config"] = {}
        return made

    @property
    def name(self) -> str:
        """The name of the instance."""
        return self.__dict__["name"]

    @name.setter
    def name(self, name: str) -> None:
        if not isinstance(name, str):
            raise TypeError(f"name: expected text, found {type(name).__name__}")
        self.__dict__["name"] = name

    @property
    def _name(self) -> str:
        return self.__dict__["name"]

    @_name.setter
    def _name(self, name: str) -> None:
        self.__dict__["name"] = name

    @property
    def id(self) -> int:
        """Number of the instance; assigning another plugin refers to its instance."""
        instance = self if self._spec is not None else self._instance
        return -1 if instance is None else instance._id

    @id.setter
    def id(self, other: "MjsPlugin") -> None:
        self._instance = other if other._spec is not None else other._instance

    @property
    def config(self) -> dict[str, str]:
        """Settings by name, as text; a dict is assigned as a whole."""
        instance = self if self._instance is None else self._instance
        return dict(sorted(instance._config.items()))

    @config.setter
    def config(self, config: dict[str, str]) -> None:
        if not all(isinstance(x, str) for item in config.items() for x in item):
            raise TypeError("config: expected a dict of text")
        instance = self if self._instance is None else self._instance
        instance.__dict__["_config"] = dict(config)

    def _assign(self, value: Any) -> None:
        if not isinstance(value, MjsPlugin):
            raise TypeError(f"plugin: expected MjsPlugin, found {type(value).__name__}")
        for name in ("name", "plugin_name", "active", "info"):
            self.__dict__[name] = value.__dict__[name]
        self._instance = value if value._spec is not None else value._instance

    def _copy_fields(self, other: Any) -> None:
        super()._copy_fields(other)
        own = self.__dict__
        own["_config"], own["_instance"] = dict(other._config), other._instance


INNER["plugin"] = MjsPlugin._reference
