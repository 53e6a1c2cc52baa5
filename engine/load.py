"""From MJCF text to a model: it is read, expanded, compiled, and tried where that takes simulation.

This is the one place that knows all floors: models, which lie below the compiler, open documents
through it.
"""

import numpy as np

from .edit.asleep import check_asleep
from .edit.length_range import set_length_ranges
from .mjcf.compiler import compile_draft
from .mjcf.document.expand import expand
from .mjcf.draft.draft import Draft
from .mjcf.parts.collect import collect
from .mjcf.text.element import Element
from .mjcf.text.nesting import limited
from .mjcf.text.reader import Source, read
from .model.model import Model
from .model.watched import put_together


def compile_text(text: bytes, file: str, source: Source) -> Model:
    """Compile a model from MJCF text.

    Args:
        text: the document.
        file: its name, for messages.
        source: where it finds other files.
    """
    with limited(file):
        return compile_root(expand(read(text, file, source)))


def compile_root(root: Element) -> Model:
    """Compile an expanded document, which is not changed."""
    return compile_parts(root)[0]


def compile_parts(root: Element) -> tuple[Model, Draft]:
    """Compile an expanded document, which is not changed, to a model and its parts."""
    with limited(root.where), np.errstate(all="ignore"):
        draft = collect(root)
        model = compile_draft(draft)
        set_length_ranges(model, draft)
        put_together(model)
        check_asleep(model, draft)
        return model, draft
