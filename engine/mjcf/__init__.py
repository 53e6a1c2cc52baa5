"""MJCF compiler: text to elements, elements to parts, parts to a model."""
