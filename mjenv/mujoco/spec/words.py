"""Errors in MuJoCo's words: `Error: ...`, with the name and number of the element."""

from typing import Any

from mjenv.engine.errors import MjcfError


class SpecError(ValueError):
    """Something that MuJoCo refuses to compile, attach or delete."""

    def __init__(self, message: str, element: Any = None):
        text = f"Error: {message}"
        if element is not None:
            text += f"\nElement name '{element._name}', id {element._id}"
            if element.info:
                text += f", {element.info}"
        super().__init__(text)


def xml_error(error: MjcfError) -> ValueError:
    """Error of a document, with the element and its line."""
    element, text = error.element, str(error)
    if element is None:
        return ValueError(f"XML Error: {text}")
    text = _opening(error) or text.removeprefix(f"{element.where}: ")
    return ValueError(f"XML Error: {text}\nElement '{element.tag}', line {element.line}\n")


def compile_error(error: MjcfError, made: Any) -> ValueError:
    """Error of a spec.

    Args:
        error: what the compiler says of the document that was made of the spec.
        made: the element that the error is about, or None.
    """
    if error.missing:
        return SpecError(_opening(error))
    element, text = error.element, str(error)
    if element is not None:
        text = text.removeprefix(f"{element.where}: ")
    return SpecError(text, made)


def _opening(error: MjcfError) -> str:
    """Words about a file that is not there, which programs look for; "" of other errors."""
    return f"Error opening file '{error.missing}'" if error.missing else ""
