"""Plugins of elements, checked with MuJoCo's messages."""

from typing import TYPE_CHECKING, Any

from mjenv.engine.tables.plugin_kinds import KINDS
from mjenv.mujoco.spec.names import Names
from mjenv.mujoco.words.explain import SpecError

if TYPE_CHECKING:
    from mjenv.mujoco.spec.store import Store

# what a plugin has to be able to do for an element of a kind, and how it is called
CAPABLE = {
    "body": ("passive", "passive forces"),
    "geom": ("sdf", "sign distance fields"),
    "mesh": ("sdf", "signed distance fields"),
    "actuator": ("actuator", "actuators"),
    "sensor": ("sensor", "sensors"),
}


def check_instances(spec: "Store") -> None:
    """Refuse instances of plugins that are not activated, and settings that they do not have.

    Raises:
        SpecError: the first of them.
    """
    for plugin in spec._lists["plugin"]:
        if not plugin.name:
            continue
        if plugin.plugin_name not in spec._active:
            raise SpecError(f"unrecognized plugin '{plugin.plugin_name}'", plugin)
        for key in plugin.config:
            if key not in KINDS[plugin.plugin_name].attributes:
                text = f"unrecognized attribute 'plugin:{key}' for plugin {plugin.plugin_name}'"
                raise SpecError(text, plugin)


def check_driver(spec: "Store", element: Any, names: Names) -> None:
    """Refuse an element whose plugin is not there, or does not drive such elements.

    Raises:
        SpecError: its plugin is missing, not activated, or of another use.
    """
    plugin = element.plugin
    if not plugin.active:
        return
    name = plugin.plugin_name
    if not name and not plugin.name:
        named = "" if element._kind in ("geom", "sensor") else f" '{element._name}'"
        named += f", (id = {element._id})" if named else ""
        text = f"neither 'plugin' nor 'instance' is specified for {element._kind}{named}"
        raise SpecError(text, element)
    if not name and plugin.name:
        instance = names.find("plugin", plugin.name)
        if instance is None:
            text = f"unrecognized name '{plugin.name}' for plugin instance"
            raise SpecError(text, element)
        name = instance.plugin_name
    if name and name not in spec._active:
        raise SpecError(f"unrecognized plugin '{name}'", element)
    capability, words = CAPABLE[element._kind]
    if name and capability not in KINDS[name].capabilities:
        raise SpecError(f"plugin '{name}' does not support {words}", element)
