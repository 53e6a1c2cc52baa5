"""From MJCF text to a model: it is read, expanded, compiled, and tried where that takes simulation.

Importing it lets `Model.from_xml_path` and `Model.from_xml_string` compile: models, which lie below
all passes of the compiler, know none of them.
"""

import numpy as np

from ..mjcf.compiler import compile_draft
from ..mjcf.document.expand import expand
from ..mjcf.draft.draft import Draft
from ..mjcf.parts.collect import collect
from ..mjcf.text.collector import uncollected
from ..mjcf.text.element import Element
from ..mjcf.text.nesting import limited
from ..mjcf.text.reader import read
from ..mjcf.text.source import Source
from ..model.change_detection import put_together
from ..model.model import Model as Model
from ..model.model import register_compiler
from ..tables.enums import BIAS_MUSCLE, ENBL_SLEEP, GAIN_MUSCLE


def compile_text(text: bytes, file: str, source: Source) -> Model:
    """Compile a model from MJCF text.

    Args:
        text: the document.
        file: its name, for messages.
        source: where it finds other files.
    """
    with limited(file), uncollected():
        return compile_root(expand(read(text, file, source)))


@register_compiler
def compile_file(
    text: bytes, file: str, folder: str, assets: dict[str, bytes] | None, max_bytes: int | None
) -> Model:
    """Compile a model from MJCF text; see `model.Compiler`."""
    return compile_text(text, file, Source(folder, assets, max_bytes))


def compile_root(root: Element) -> Model:
    """Compile an expanded document, which is not changed."""
    return compile_parts(root)[0]


def compile_parts(root: Element) -> tuple[Model, Draft]:
    """Compile an expanded document, which is not changed, to a model and its parts."""
    with limited(root.where), uncollected(), np.errstate(all="ignore"):
        draft = collect(root)
        model = compile_draft(draft)
        if draft.lengthrange or _has_muscles(model):
            from .length_range import set_length_ranges

            set_length_ranges(model, draft)
        put_together(model)
        if model.opt.enableflags & ENBL_SLEEP:
            from .asleep import check_asleep

            check_asleep(model, draft)
        return model, draft


def _has_muscles(model: Model) -> bool:
    """True if some actuators have length ranges, without <lengthrange> too."""
    return GAIN_MUSCLE in model.actuator_gaintype or BIAS_MUSCLE in model.actuator_biastype
