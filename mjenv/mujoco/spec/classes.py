"""The class of each kind of elements; classes enter themselves where they are defined."""

from typing import Any

CLASSES: dict[str, Any] = {}
