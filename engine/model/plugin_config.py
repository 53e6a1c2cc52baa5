"""Settings of the plugin instances of a model."""

from operator import index
from typing import TYPE_CHECKING

from ..tables.plugin_kinds import kind_at

if TYPE_CHECKING:
    from .model import Model


def plugin_config(model: "Model", instance: int) -> dict[str, str]:
    """Settings of a plugin instance of a compiled model, by name.

    Raises:
        TypeError: the instance is no whole number.
        ValueError: there is no such instance; -1 stands for none in `body_plugin` and its like.
    """
    if not 0 <= index(instance) < model.nplugin:
        raise ValueError(
            f"plugin_config: instance={instance}, expected one of the model's {model.nplugin}, "
            "which are counted from 0"
        )
    kind, adr = kind_at(int(model.plugin[instance])), int(model.plugin_attradr[instance])
    values = model.plugin_attr.tobytes()[adr:].split(b"\0")
    values += [b""] * len(kind.attributes)
    return {name: values[k].decode(errors="replace") for k, name in enumerate(kind.attributes)}
