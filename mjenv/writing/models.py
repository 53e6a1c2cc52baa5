"""The model of an environment that is written: a file beside the task, or the package's own."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mjenv.mujoco.structs import MjModel
from mjenv.porting.environment.original import Original, model_numbers, varying_model_fields
from mjenv.task.task import XML
from mjenv.writing.values import NotWritten

_FILE = re.compile(r"""\b(file|meshdir|texturedir|assetdir)\s*=\s*["'][^"']""")


class Sources:
    """Where models come from: path or text, by the number of the model's object."""

    def __init__(self) -> None:
        self.paths: list[tuple[Any, str, bool]] = []

    def of(self, model: Any) -> tuple[str, bool]:
        """Path, or text and True, of a model.

        Raises:
            NotWritten: it was made of something else.
        """
        for one, source, is_text in reversed(self.paths):
            if one is model:
                return source, is_text
        raise NotWritten("found a model that was not read from XML, expected a file or text")


@contextmanager
def sources_noted() -> Iterator[Sources]:
    """While it lasts, note where models come from."""
    found = Sources()
    kept = {word: vars(MjModel)[word] for word in ("from_xml_path", "from_xml_string")}

    def noting(word: str) -> Any:
        function = kept[word].__func__

        def note(cls: Any, source: Any, *args: Any, **options: Any) -> Any:
            model = function(cls, source, *args, **options)
            found.paths.append((model, str(source), word == "from_xml_string"))
            return model

        return classmethod(note)

    for word in kept:
        setattr(MjModel, word, noting(word))
    try:
        yield found
    finally:
        for word, function in kept.items():
            setattr(MjModel, word, function)


def model_beside(original: Original, sources: Sources, file: Path) -> tuple[str, str | None]:
    """What `xml_file` of a task is to be, and the text of a file beside it, if one is needed.

    Raises:
        NotWritten: the environment changes its model after it has been read.
    """
    source, is_text = sources.of(original.model)
    text = source if is_text else Path(source).read_text(encoding="utf-8")
    if is_text or not _FILE.search(text):
        again = MjModel.from_xml_string(text)
        word: str = f"{file.stem}.xml"
        if (XML / word).is_file():
            word = f"{file.stem}_model.xml"
    else:
        again = MjModel.from_xml_path(source)
        word, text = str(Path(source).resolve()), ""
    fields = varying_model_fields(model_numbers(again), original.model)
    if fields:
        raise NotWritten(
            f"{original.name}: found model.{fields[0]} with other values than its file gives it, "
            "expected a model as its file says"
        )
    return word, text or None
