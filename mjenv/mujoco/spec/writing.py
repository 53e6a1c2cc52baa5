"""Specs as MJCF text in MuJoCo's form, and in the formats that users have registered."""

import os
from typing import TYPE_CHECKING, Any

from mjenv.engine.edit.spec import Spec
from mjenv.engine.resources import encoded
from mjenv.engine.whole_files import write_whole
from mjenv.mujoco.errors import FatalError
from mjenv.mujoco.spec.compiling import asset_files, compile_engine
from mjenv.mujoco.spec.written import text_of
from mjenv.mujoco.spec.written_sections import Sections

if TYPE_CHECKING:
    from mjenv.mujoco.spec.store import Store


def to_xml(spec: "Store") -> str:
    """The text of a spec, which is compiled for it: with poses and sizes as they come out."""
    return text_of(Sections(spec, compile_engine(spec)).root(), spec.comment)


def to_file(spec: "Store", file: str) -> None:
    """Write the text of a spec to a file."""
    if spec.__dict__["_compiled"] is None:
        raise FatalError("XML Write error: Only compiled model can be written")
    write_whole(os.fspath(file), to_xml(spec).encode())


def encode(spec: "Store", filename: str, model: Any, content_type: str | None) -> int:
    """Write a spec in the format of a file's name; returns the number of bytes.

    Raises:
        LookupError: nothing writes this format.
    """
    extension = os.path.splitext(filename)[1]
    if extension == ".xml" or content_type == "text/xml":
        to_file(spec, filename)
        return os.path.getsize(filename)
    engine = Spec.from_string(to_xml(spec), asset_files(spec), folder=spec.modelfiledir or ".")
    if model is not None:
        engine.compile()
        engine.copy_back(model)
    contents = encoded(engine, extension)
    if contents is None:
        raise LookupError("no encoder found")
    write_whole(filename, contents)
    return len(contents)
